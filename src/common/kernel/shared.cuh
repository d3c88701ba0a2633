/* PRIM_SHARED and PRIM_SHARED_DYNAMIC come from <primitives/device/kernel.h>, which users take
 * along too. Bulk tensor copies write to:
 *     PRIM_SHARED_DYNAMIC_SWIZZLED(box, b);    box *b, from a multiple of 1,024 bytes on */
#ifndef PRIM_COMMON_SHARED_CUH
#define PRIM_COMMON_SHARED_CUH

#include <primitives/device/kernel.h>

#ifdef SIMT_BACKEND
#define PRIM_SHARED_DYNAMIC_SWIZZLED(type, name) PRIM_SHARED_DYNAMIC(type, name)
#else
#define PRIM_SHARED_DYNAMIC_SWIZZLED(type, name)                            \
    extern __shared__ __align__(1024) unsigned char prim_swizzled_shared[]; \
    type *const name = reinterpret_cast<type *>(prim_swizzled_shared)
#endif

#endif
