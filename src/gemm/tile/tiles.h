/* The tiles that WARP_TILED and SPLIT_K have kernels for, and how fast those are. */
#ifndef PRIM_GEMM_TILES_H
#define PRIM_GEMM_TILES_H

/* M × N elements of C and K steps of a slab; warps down and across; lanes down; slabs in flight;
 * blocks on a multiprocessor. Then, for plan.c's estimates, products in a clock of a multiprocessor
 * with 1, 2, 3 and 4 such blocks, measured on an H200 (the last one for more).
 *
 * f32: 128 products a clock at most. */
#define PRIM_GEMM_TILES_F32(X)                    \
    X(128, 256, 8, 2, 4, 8, 3, 1, 96, 96, 96, 96) \
    X(128, 128, 8, 2, 2, 8, 4, 2, 74, 91, 91, 91) \
    X(64, 128, 8, 1, 4, 8, 4, 3, 59, 83, 92, 92)  \
    X(64, 64, 8, 2, 2, 4, 4, 4, 37, 57, 68, 73)   \
    X(32, 64, 8, 2, 2, 4, 4, 6, 27, 40, 48, 54)

/* f64: 64. */
#define PRIM_GEMM_TILES_F64(X)                   \
    X(128, 64, 8, 4, 1, 4, 3, 2, 36, 46, 46, 46) \
    X(64, 64, 8, 2, 1, 4, 4, 3, 22, 38, 46, 46)

/* i32: 64. */
#define PRIM_GEMM_TILES_I32(X) X(64, 64, 8, 2, 2, 4, 4, 3, 30, 40, 45, 45)

/* f16, bf16 and i8 are loaded element by element: threads wait for the loads of a slab, so that the
 * number of waiting threads matters. With i8 the larger tile takes too many registers. */
#define PRIM_GEMM_TILES_HALVES(X)              \
    X(64, 64, 8, 2, 2, 4, 4, 3, 7, 14, 29, 29) \
    X(128, 128, 8, 4, 2, 4, 3, 2, 24, 41, 41, 41)
#define PRIM_GEMM_TILES_I8(X) X(64, 64, 8, 2, 2, 4, 4, 3, 9, 19, 42, 42)

#endif
