/* histogram's rungs, upwards, and which of them AUTO takes. */
#include "histogram/histogram_args.h"

#define RUNGS(X)                \
    X(histogram, global_atomic) \
    X(histogram, privatized)

RUNGS(PRIM_DECLARE_RUNG)

const prim_rung *const prim_histogram_rungs[] = {RUNGS(PRIM_RUNG_ROW) NULL};

/* PRIVATIZED up to the bins that it takes. */
int prim_histogram_choose_rung(const void *args)
{
    return prim_preferred_rung(prim_histogram_rungs, &prim_histogram_privatized_rung, args);
}
