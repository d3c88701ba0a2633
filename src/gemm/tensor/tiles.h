/* The tiles that MMA has kernels for, and how fast those are. */
#ifndef PRIM_GEMM_TENSOR_TILES_H
#define PRIM_GEMM_TENSOR_TILES_H

enum { PRIM_GEMM_MMA_STEPS = 64 }; /* of k in a stage */

/* M × N elements of C; warps down and across; stages in flight; blocks on a multiprocessor. Then,
 * for plan.c's estimates, products in a clock of a multiprocessor with 1, 2, 3 and 4 such blocks,
 * as measured on an H100. */
#define PRIM_GEMM_TILES_MMA(X)                  \
    X(128, 256, 2, 4, 3, 1, 960, 960, 960, 960) \
    X(128, 128, 2, 2, 3, 2, 450, 990, 990, 990) \
    X(64, 64, 2, 2, 4, 3, 220, 430, 640, 640)

#endif
