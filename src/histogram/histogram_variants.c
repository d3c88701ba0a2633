/* The one table of histogram's rungs, and what its columns need. */
#include "histogram/histogram_variants.h"

#include "histogram/instances.h"

static bool type_is_built(const prim_histogram_args *args)
{
#define BUILT(type_enum, type_c)        \
    if (args->sample_type == type_enum) \
        return true;
    PRIM_HISTOGRAM_TYPES(BUILT)
#undef BUILT
    return false;
}

static bool global_atomic_supports(const void *args)
{
    return type_is_built(args);
}

static bool privatized_supports(const void *any)
{
    const prim_histogram_args *args = any;
    return type_is_built(args) && args->bins <= PRIM_HISTOGRAM_SHARED_COUNTERS;
}

const prim_rung prim_histogram_rungs[] = {
    {PRIM_HISTOGRAM_GLOBAL_ATOMIC, "global_atomic",
     "every sample is an atomic addition in global memory", global_atomic_supports,
     prim_no_workspace, prim_histogram_global_atomic},
    {PRIM_HISTOGRAM_PRIVATIZED, "privatized",
     "each block counts in its own shared memory, and adds its counters up at the end",
     privatized_supports, prim_no_workspace, prim_histogram_privatized},
    {0},
};
