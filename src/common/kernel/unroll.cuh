/* PRIM_UNROLL(8) before a loop: nvcc unrolls it by 8. Other compilers decide for themselves. */
#ifndef PRIM_COMMON_UNROLL_CUH
#define PRIM_COMMON_UNROLL_CUH

#ifdef __CUDACC__
#define PRIM_UNROLL_PRAGMA(text) _Pragma(#text)
#define PRIM_UNROLL(steps) PRIM_UNROLL_PRAGMA(unroll steps)
#else
#define PRIM_UNROLL(steps)
#endif

#endif
