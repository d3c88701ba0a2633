/* histogram's rungs, upwards, and which of them AUTO takes. */
#include "common/host/element.h"
#include "histogram/histogram_args.h"
#include "histogram/tuning.h"

const prim_rung *const prim_histogram_rungs[] = {PRIM_HISTOGRAM_EVEN_RUNGS(PRIM_RUNG_ROW) NULL};

/* Samples of 8 bits always are many enough, since they have few bins. */
static bool has_many_samples(const prim_histogram_args *args)
{
    return prim_element_bytes(args->sample_type) == 1 ||
           (args->count >= PRIM_HISTOGRAM_MANY_SAMPLES &&
            args->count / PRIM_HISTOGRAM_MANY_SAMPLES_OF_A_BIN >= args->bins);
}

static bool has_enough_to_part(const prim_histogram_args *args)
{
    return args->count >= PRIM_HISTOGRAM_ENOUGH_TO_PART &&
           args->count / PRIM_HISTOGRAM_ENOUGH_TO_PART_OF_A_BIN >= args->bins;
}

/* AUTO takes MULTI_COPY where a block's shared memory holds the counters, PACKED where it holds
 * them in 16 bits, and PARTITIONED where it holds a 32nd of them. Otherwise, and for few samples,
 * it takes COARSENED. */
int prim_histogram_choose_rung(const void *any)
{
    const prim_histogram_args *args = any;
    const prim_rung *preferred = &prim_histogram_coarsened_rung;
    if (has_many_samples(args) && prim_histogram_multi_copy_rung.why_not(args) == NULL)
        preferred = &prim_histogram_multi_copy_rung;
    else if (has_many_samples(args) && prim_histogram_packed_rung.why_not(args) == NULL)
        preferred = &prim_histogram_packed_rung;
    else if (has_enough_to_part(args) && prim_histogram_partitioned_rung.why_not(args) == NULL)
        preferred = &prim_histogram_partitioned_rung;
    return prim_preferred_rung(prim_histogram_rungs, preferred, args);
}
