/* PRIM_UNROLL, which users take along too: <primitives/device/kernel.h>. */
#ifndef PRIM_COMMON_UNROLL_CUH
#define PRIM_COMMON_UNROLL_CUH

#include <primitives/device/kernel.h>

#endif
