/* The rungs of scan whose blocks or launches pass each other words. */
#include "scan/scan_args.h"

#define RUNGS(X) X(scan, reduce_then_scan) X(scan, lookback) X(scan, chained) X(scan, cluster)

RUNGS(PRIM_DECLARE_RUNG)

const prim_rung *const prim_scan_rungs[] = {RUNGS(PRIM_RUNG_ROW) NULL};

int prim_scan_choose_rung(const void *args)
{
    return prim_preferred_rung(prim_scan_rungs, &prim_scan_lookback_rung, args);
}
