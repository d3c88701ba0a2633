/* reduce's rungs, upwards, and which of them AUTO takes. */
#include "common/host/element.h"
#include "reduce/order.h"
#include "reduce/reduce_args.h"

#define RUNGS(X)           \
    X(reduce, interleaved) \
    X(reduce, sequential)  \
    X(reduce, shuffle)     \
    X(reduce, vectorized)  \
    X(reduce, single_pass)

RUNGS(PRIM_DECLARE_RUNG)

const prim_rung *const prim_reduce_rungs[] = {RUNGS(PRIM_RUNG_ROW) NULL};

/* One tile needs no cluster, and a cluster takes no more tiles than SINGLE_PASS does. */
int prim_reduce_choose_rung(const void *any)
{
    const prim_reduce_args *args = any;
    const size_t tiles = prim_reduce_tiles_of(args->columns, prim_element_bytes(args->in_type));
    const bool at_once = tiles > 1 && prim_reduce_single_pass_rung.why_not(args) == NULL;
    return prim_preferred_rung(
        prim_reduce_rungs, at_once ? &prim_reduce_single_pass_rung : &prim_reduce_vectorized_rung,
        args);
}
