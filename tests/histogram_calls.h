/* Which of histogram.h's variants are whose: written from the header's sections. */
#ifndef TESTS_HISTOGRAM_CALLS_H
#define TESTS_HISTOGRAM_CALLS_H

#include <primitives/histogram.h>

typedef enum histogram_call {
    HISTOGRAM_EVEN,
    HISTOGRAM_EDGES,
    HISTOGRAM_CHANNELS,
    HISTOGRAM_WEIGHTED
} histogram_call;

/* Is it AUTO, or a rung of that call? Each call's values begin 20 after those of the one before. */
static inline bool histogram_call_has(histogram_call call, prim_histogram_variant variant)
{
    return variant == PRIM_HISTOGRAM_AUTO || (int)variant / 20 == (int)call;
}

/* These alone, as prim_histogram_variant_at() lists them. */
static inline const prim_variant *histogram_call_variant_at(histogram_call call, size_t index)
{
    const prim_variant *variant;
    for (size_t v = 0; (variant = prim_histogram_variant_at(v)) != NULL; v++)
        if (histogram_call_has(call, (prim_histogram_variant)variant->value) && index-- == 0)
            return variant;
    return NULL;
}

static inline const prim_variant *histogram_even_variant_at(size_t index)
{
    return histogram_call_variant_at(HISTOGRAM_EVEN, index);
}

static inline const prim_variant *histogram_edges_variant_at(size_t index)
{
    return histogram_call_variant_at(HISTOGRAM_EDGES, index);
}

static inline const prim_variant *histogram_channels_variant_at(size_t index)
{
    return histogram_call_variant_at(HISTOGRAM_CHANNELS, index);
}

static inline const prim_variant *histogram_weighted_variant_at(size_t index)
{
    return histogram_call_variant_at(HISTOGRAM_WEIGHTED, index);
}

#endif
