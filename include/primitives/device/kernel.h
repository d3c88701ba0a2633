/* Kernels: shared memory and unrolled loops that read the same under nvcc and on the CPU backend.
 *
 * EXPERIMENTAL: until 1.0, this folder may change with each minor version.
 *
 *     PRIM_SHARED(float, tile, [16][17]);      float tile[16][17] in shared memory
 *     PRIM_SHARED(int, flag, );                one int
 *     PRIM_SHARED_DYNAMIC(int, words);         int *words, 16-byte aligned: as much as the launch
 *                                              asks for
 *     PRIM_UNROLL(8)                           before a loop: nvcc unrolls it by 8, other compilers
 *                                              decide for themselves
 *
 * A type with a comma in it needs a name of its own before it goes into PRIM_SHARED. For nvcc
 * alone, plain __shared__ and #pragma unroll do as well. */
#ifndef PRIMITIVES_DEVICE_KERNEL_H
#define PRIMITIVES_DEVICE_KERNEL_H

#include <cuda_runtime.h>

#if !defined(__cplusplus) || (!defined(__CUDACC__) && !defined(SIMT_BACKEND))
#error "primitives/device is for kernels: CUDA C++17 in a .cu file, or C++17 on the CPU backend"
#endif

#ifdef SIMT_BACKEND
#define PRIM_SHARED(type, name, extents)               \
    typedef type name##_array extents;                 \
    static char name##_key;                            \
    name##_array &name = *static_cast<name##_array *>( \
        simt_shared(&name##_key, sizeof(name##_array), alignof(name##_array)))
#define PRIM_SHARED_DYNAMIC(type, name) \
    type *const name = static_cast<type *>(simt_shared_dynamic())
#else
#define PRIM_SHARED(type, name, extents) __shared__ type name extents
#define PRIM_SHARED_DYNAMIC(type, name)                                  \
    extern __shared__ __align__(16) unsigned char prim_dynamic_shared[]; \
    type *const name = reinterpret_cast<type *>(prim_dynamic_shared)
#endif

#ifdef __CUDACC__
#define PRIM_UNROLL_PRAGMA(text) _Pragma(#text)
#define PRIM_UNROLL(steps) PRIM_UNROLL_PRAGMA(unroll steps)
#else
#define PRIM_UNROLL(steps)
#endif

#endif
