/* gemv's rungs, upwards, and which of them AUTO takes. */
#include "gemv/gemv_args.h"

#define RUNGS(X)            \
    X(gemv, row_per_thread) \
    X(gemv, column)         \
    X(gemv, constant)       \
    X(gemv, shared)         \
    X(gemv, shuffle)

RUNGS(PRIM_DECLARE_RUNG)

const prim_rung *const prim_gemv_rungs[] = {RUNGS(PRIM_RUNG_ROW) NULL};

/* CONSTANT has state, so nobody gets it unasked. Measured on an H200: transposed, SHUFFLE is the
 * fastest of the others or within 8 %; not transposed, SHARED, but for f32 rows that are too few to
 * hide the strip's barriers. */
int prim_gemv_choose_rung(const void *any)
{
    enum { ROWS_FOR_STRIPS = 1 << 16 };
    const prim_gemv_args *args = any;
    if (args->op == PRIM_TRANSPOSED)
        return PRIM_GEMV_SHUFFLE;
    return args->y_type == CUDA_R_32F && args->rows < ROWS_FOR_STRIPS ? PRIM_GEMV_ROW_PER_THREAD
                                                                      : PRIM_GEMV_SHARED;
}
