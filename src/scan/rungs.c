/* scan's rungs, upwards, and which of them AUTO takes. */
#include "scan/table/summed_area.h"
#include "scan/tile/tiles.h"

#define RUNGS(X)              \
    X(scan, kogge_stone)      \
    X(scan, brent_kung)       \
    X(scan, coarsened)        \
    X(scan, shuffle)          \
    X(scan, reduce_then_scan) \
    X(scan, lookback)         \
    X(scan, chained)          \
    X(scan, cluster)

RUNGS(PRIM_DECLARE_RUNG)

const prim_rung *const prim_scan_rungs[] = {RUNGS(PRIM_RUNG_ROW) NULL};

static bool takes(const prim_rung *rung, const prim_scan_args *args)
{
    return rung->why_not(args) == NULL;
}

/* CHAINED makes a table in steps, one for each tile across and one for each tile down, of half a
 * microsecond each. It is faster where an anti-diagonal has enough tiles to keep memory busy for as
 * long as a step takes, and where all steps take less time than the launches of
 * REDUCE_THEN_SCAN. */
static bool one_pass_is_faster(const prim_scan_args *args)
{
    enum { FEW_STEPS = 24, MANY_ACROSS = 24, MANY_ACROSS_OF_8 = 40, MANY_DOWN = 32 };
    const size_t across = prim_scan_table_across(args), down = prim_scan_table_down(args);
    const size_t many_across =
        prim_element_bytes(args->out_type) == 8 ? MANY_ACROSS_OF_8 : MANY_ACROSS;
    return (across > 1 && down > 1 && across <= FEW_STEPS && down <= FEW_STEPS - across) ||
           (across >= many_across && down >= MANY_DOWN);
}

/* One tile needs no cluster, and one launch of LOOKBACK or CHAINED does it. While the elements of
 * more tiles stay in L2, to read them twice takes less time than to clear the words that LOOKBACK
 * and CHAINED need. LOOKBACK is the fastest of all, but has an order of its own: where that changes
 * bits, CHAINED is taken, so that AUTO has one order. */
static const prim_rung *fastest(const prim_scan_args *args)
{
    enum { TILES_IN_L2 = 384 };
    const size_t tiles = prim_scan_tiles_of(args);
    if (args->summed_area)
        return one_pass_is_faster(args) && takes(&prim_scan_chained_rung, args)
                   ? &prim_scan_chained_rung
                   : &prim_scan_reduce_then_scan_rung;
    if (tiles > 1 && takes(&prim_scan_cluster_rung, args))
        return &prim_scan_cluster_rung;
    if (tiles > 1 && tiles <= TILES_IN_L2 && args->rows <= TILES_IN_L2 / tiles &&
        takes(&prim_scan_reduce_then_scan_rung, args))
        return &prim_scan_reduce_then_scan_rung;
    return prim_scan_depends_on_order(args) ? &prim_scan_chained_rung : &prim_scan_lookback_rung;
}

int prim_scan_choose_rung(const void *args)
{
    return prim_preferred_rung(prim_scan_rungs, fastest(args), args);
}
