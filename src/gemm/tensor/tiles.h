/* The tiles that MMA and the rungs of wgmma have kernels for, and how fast those are. */
#ifndef PRIM_GEMM_TENSOR_TILES_H
#define PRIM_GEMM_TENSOR_TILES_H

enum {
    PRIM_GEMM_MMA_STEPS = 64,     /* of k in a stage */
    PRIM_GEMM_MMA_CAPABILITY = 80 /* from which on there is code for MMA */
};

/* M × N elements of C; warps down and across; stages in flight; blocks on a multiprocessor. Then,
 * for plan.c's estimates, products in a clock of a multiprocessor with 1, 2, 3 and 4 such blocks,
 * as measured on an H100. */
#define PRIM_GEMM_TILES_MMA(X)                  \
    X(128, 256, 2, 4, 3, 1, 960, 960, 960, 960) \
    X(128, 128, 2, 2, 3, 2, 450, 990, 990, 990) \
    X(64, 64, 2, 2, 4, 3, 220, 430, 640, 640)

/* Elements on a side of what wgmma's operands consist of. */
enum { PRIM_GEMM_BOX = 64, PRIM_GEMM_WGMMA_ROWS = 128, PRIM_GEMM_WGMMA_COLUMNS = 128 };

/* M × N elements of C; stages in flight; blocks on a multiprocessor; rates as for MMA, fitted to 84
 * products on an H200. All tiles have the width of one and the same instruction, on which
 * BATCH_INVARIANT rests. */
#define PRIM_GEMM_TILES_WGMMA(X)              \
    X(128, 128, 3, 2, 1560, 1220, 1220, 1220) \
    X(64, 128, 4, 2, 1430, 1110, 1110, 1110)

/* 128 × N elements of C; columns of an instruction; stages in flight; products in a clock of a
 * multiprocessor, which has one block; clocks until it multiplies; clocks of an element that it
 * stores, while it loads the next tile's first stages. The first tile has WGMMA's instruction, and
 * with it WGMMA's bits. */
#define PRIM_GEMM_TILES_WGMMA_SPECIALIZED(X)            \
    X(256, PRIM_GEMM_WGMMA_COLUMNS, 4, 2000, 3300, 0.1) \
    X(192, 192, 5, 1930, 3300, 0.1)

#endif
