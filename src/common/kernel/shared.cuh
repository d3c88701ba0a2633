/* Shared memory that reads the same under nvcc and on the CPU backend:
 *     PRIM_SHARED(float, tile, [16][17]);      float tile[16][17] in shared memory
 *     PRIM_SHARED(int, flag, );                one int
 *     PRIM_SHARED_DYNAMIC(int, words);         int *words: as much as the launch asks for
 *     PRIM_SHARED_DYNAMIC_SWIZZLED(box, b);    the same, from a multiple of 1,024 bytes on */
#ifndef PRIM_COMMON_SHARED_CUH
#define PRIM_COMMON_SHARED_CUH

#include <cuda_runtime.h>

#ifdef SIMT_BACKEND
#define PRIM_SHARED(type, name, extents)               \
    typedef type name##_array extents;                 \
    static char name##_key;                            \
    name##_array &name = *static_cast<name##_array *>( \
        simt_shared(&name##_key, sizeof(name##_array), alignof(name##_array)))
#define PRIM_SHARED_DYNAMIC(type, name) \
    type *const name = static_cast<type *>(simt_shared_dynamic())
#define PRIM_SHARED_DYNAMIC_SWIZZLED(type, name) PRIM_SHARED_DYNAMIC(type, name)
#else
#define PRIM_SHARED(type, name, extents) __shared__ type name extents
#define PRIM_SHARED_DYNAMIC(type, name)                                  \
    extern __shared__ __align__(16) unsigned char prim_dynamic_shared[]; \
    type *const name = reinterpret_cast<type *>(prim_dynamic_shared)
#define PRIM_SHARED_DYNAMIC_SWIZZLED(type, name)                            \
    extern __shared__ __align__(1024) unsigned char prim_swizzled_shared[]; \
    type *const name = reinterpret_cast<type *>(prim_swizzled_shared)
#endif

#endif
