/* gemv's rungs, upwards, and which of them AUTO takes. */
#include "common/host/element.h"
#include "gemv/gemv_args.h"
#include "gemv/order.h"

#define RUNGS(X)            \
    X(gemv, row_per_thread) \
    X(gemv, column)         \
    X(gemv, constant)       \
    X(gemv, shared)         \
    X(gemv, shuffle)        \
    X(gemv, warp_per_row)   \
    X(gemv, split)

RUNGS(PRIM_DECLARE_RUNG)

const prim_rung *const prim_gemv_rungs[] = {RUNGS(PRIM_RUNG_ROW) NULL};

/* AUTO goes by the shape alone, since the rung determines the bits. Rows that a warp reads in a few
 * steps take a warp each; longer ones, and columns, are split. */
int prim_gemv_choose_rung(const void *any)
{
    const prim_gemv_args *args = any;
    const size_t width = PRIM_GEMV_VECTOR_BYTES / prim_element_bytes(args->a_type);
    const bool is_short = args->columns > 1 && args->columns <= width * PRIM_GEMV_SHORT_ROW;
    return args->op == PRIM_NOT_TRANSPOSED && is_short ? PRIM_GEMV_WARP_PER_ROW : PRIM_GEMV_SPLIT;
}
