/* PRIM_SHARED and PRIM_SHARED_DYNAMIC, which users take along too: <primitives/device/kernel.h>. */
#ifndef PRIM_COMMON_SHARED_CUH
#define PRIM_COMMON_SHARED_CUH

#include <primitives/device/kernel.h>

#endif
