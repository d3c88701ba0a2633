/* histogram among the entry points. */
#include <stdint.h>

#include <primitives/histogram.h>

#include "entry_points.h"

/* ---- histogram: 64 bins and, behind them, the three counters for what lies outside ---- */

enum { SAMPLES = 20011, BINS = 64, COUNTERS = BINS + 3 };

static const prim_histogram_range sample_range = {.lower = -900, .upper = 1000};

static void histogram_input(void *h_in, unsigned seed)
{
    for (unsigned i = 0; i < SAMPLES; i++)
        ((int32_t *)h_in)[i] = (int32_t)((i * 2654435761u + seed * 97u) >> 9) % 2048 - 1024;
}

static void histogram_answer(const void *h_in, size_t count, void *h_out)
{
    uint32_t *counters = h_out;
    for (size_t b = 0; b < COUNTERS; b++)
        counters[b] = 0;
    for (size_t i = 0; i < count; i++) {
        const int32_t x = ((const int32_t *)h_in)[i];
        if (x < -900)
            counters[BINS]++;
        else if (x >= 1000)
            counters[BINS + 1]++;
        else
            counters[(x + 900) * BINS / 1900]++;
    }
}

static prim_status histogram_workspace(int variant, size_t count, size_t *bytes)
{
    return prim_histogram_even_workspace_bytes((prim_histogram_variant)variant, 0,
                                               PRIM_OUTSIDE_COUNT, sample_range, CUDA_R_32I, count,
                                               BINS, CUDA_R_32U, bytes);
}

static prim_status histogram_call(const operands *o)
{
    static const prim_histogram_range empty = {.lower = 7, .upper = 7};
    static const prim_histogram_range endless = {.real_lower = -1e308, .real_upper = 1e308};
    const call_head c = spoilt_head(o);
    unsigned flags = 0;
    prim_outside outside = PRIM_OUTSIDE_COUNT;
    prim_histogram_range range = sample_range;
    cudaDataType_t sample_type = CUDA_R_32I, counter_type = CUDA_R_32U;
    char *d_samples = o->d_in, *d_counters = o->d_out, *d_outside = d_counters + BINS * 4;
    size_t count = o->count, bins = BINS;
    spoil(o, "d_samples", &d_samples);
    spoil(o, "d_counters", &d_counters);
    spoil(o, "d_outside", &d_outside);
    FAULT("unknown", PRIM_ERROR_ENUM, "outside", outside = PRIM_OUTSIDE_COUNT + 1);
    FAULT("unknown", PRIM_ERROR_VALUE, "flags", flags = 64);
    FAULT("unknown", PRIM_ERROR_TYPE, "sample_type", sample_type = 9999);
    FAULT("i32", PRIM_ERROR_TYPE, "counter_type", counter_type = CUDA_R_32I);
    FAULT("none", PRIM_ERROR_VALUE, "bins", bins = 0);
    FAULT("empty", PRIM_ERROR_VALUE, "upper is", range = empty);
    FAULT("empty, of floats", PRIM_ERROR_VALUE, "real_upper is",
          (range.real_upper = range.real_lower, sample_type = CUDA_R_32F));
    FAULT("beyond double", PRIM_ERROR_VALUE, "not finite",
          (range = endless, sample_type = CUDA_R_32F));
    FAULT("bytes beyond size_t", PRIM_ERROR_SIZE, "samples", count = SIZE_MAX / 2);
    FAULT("bytes beyond size_t", PRIM_ERROR_SIZE, "counters", bins = SIZE_MAX / 2);
    FAULT("in d_samples", PRIM_ERROR_OVERLAP, "d_counters", d_counters = d_samples + 8);
    FAULT("in d_counters", PRIM_ERROR_OVERLAP, "d_outside", d_outside = d_counters + 8);
    FAULT("in d_samples", PRIM_ERROR_OVERLAP, "d_outside", d_outside = d_samples);
    return prim_histogram_even((prim_histogram_variant)c.variant, flags, outside, range,
                               sample_type, d_samples, count, bins, counter_type, d_counters,
                               d_outside, c.workspace, c.bytes, o->stream);
}

const entry_point histogram_even_entry = {.name = "prim_histogram_even",
                                          .variant_at = prim_histogram_variant_at,
                                          .in_bytes = SAMPLES * sizeof(int32_t),
                                          .out_bytes = COUNTERS * sizeof(uint32_t),
                                          .count = SAMPLES,
                                          .make_input = histogram_input,
                                          .right_answer = histogram_answer,
                                          .workspace_bytes = histogram_workspace,
                                          .call = histogram_call};
