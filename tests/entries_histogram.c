/* histogram among the entry points. */
#include <stdint.h>

#include <primitives/histogram.h>

#include "entry_points.h"

/* ---- histogram: 64 bins and, behind them, the three counters for what lies outside ---- */

enum { SAMPLES = 20011, BINS = 64, COUNTERS = BINS + 3 };

static const prim_histogram_range sample_range = {.lower = -900, .upper = 1000};

static int histogram_variant_at(size_t index)
{
    return prim_histogram_variant_at(index);
}

static const char *histogram_variant_name(int variant)
{
    return prim_histogram_variant_name((prim_histogram_variant)variant);
}

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
    return prim_histogram_even((prim_histogram_variant)o->variant, 0, PRIM_OUTSIDE_COUNT,
                               sample_range, CUDA_R_32I, o->d_in, o->count, BINS, CUDA_R_32U,
                               o->d_out, (char *)o->d_out + BINS * 4, o->d_workspace,
                               o->workspace_bytes, o->stream);
}

#define BAD_HISTOGRAM(name, variant, flags, outside, range, in_type, d_in_, count, bins, out_type, \
                      d_out_, d_outside_, d_workspace_, bytes_)                                    \
    static prim_status histogram_##name(const operands *o)                                         \
    {                                                                                              \
        char *const d_in = o->d_in, *const d_out = o->d_out, *const d_apart = d_out + BINS * 4;    \
        (void)d_in, (void)d_apart;                                                                 \
        return prim_histogram_even((prim_histogram_variant)(variant), flags,                       \
                                   (prim_outside)(outside), range, (cudaDataType_t)(in_type),      \
                                   d_in_, count, bins, (cudaDataType_t)(out_type), d_out_,         \
                                   d_outside_, d_workspace_, bytes_, o->stream);                   \
    }

#define V o->variant
#define C PRIM_OUTSIDE_COUNT
#define R sample_range
#define I CUDA_R_32I
#define U CUDA_R_32U
static const prim_histogram_range empty_range = {.lower = 7, .upper = 7};
static const prim_histogram_range endless_range = {.real_lower = -1e308, .real_upper = 1e308};
BAD_HISTOGRAM(no_variant, 9999, 0, C, R, I, d_in, o->count, BINS, U, d_out, d_apart, NULL, 0)
BAD_HISTOGRAM(no_policy, V, 0, 9999, R, I, d_in, o->count, BINS, U, d_out, d_apart, NULL, 0)
BAD_HISTOGRAM(no_flag, V, 64, C, R, I, d_in, o->count, BINS, U, d_out, d_apart, NULL, 0)
BAD_HISTOGRAM(no_type, V, 0, C, R, 9999, d_in, o->count, BINS, U, d_out, d_apart, NULL, 0)
BAD_HISTOGRAM(no_counter, V, 0, C, R, I, d_in, o->count, BINS, I, d_out, d_apart, NULL, 0)
BAD_HISTOGRAM(no_bins, V, 0, C, R, I, d_in, o->count, 0, U, d_out, d_apart, NULL, 0)
BAD_HISTOGRAM(no_range, V, 0, C, empty_range, I, d_in, o->count, BINS, U, d_out, d_apart, NULL, 0)
BAD_HISTOGRAM(endless, V, 0, C, endless_range, CUDA_R_32F, d_in, o->count, BINS, U, d_out, d_apart,
              NULL, 0)
BAD_HISTOGRAM(null_in, V, 0, C, R, I, NULL, o->count, BINS, U, d_out, d_apart, NULL, 0)
BAD_HISTOGRAM(null_out, V, 0, C, R, I, d_in, o->count, BINS, U, NULL, d_apart, NULL, 0)
BAD_HISTOGRAM(null_apart, V, 0, C, R, I, d_in, o->count, BINS, U, d_out, NULL, NULL, 0)
BAD_HISTOGRAM(null_space, V, 0, C, R, I, d_in, o->count, BINS, U, d_out, d_apart, NULL, 256)
BAD_HISTOGRAM(too_many, V, 0, C, R, I, d_in, SIZE_MAX / 2, BINS, U, d_out, d_apart, NULL, 0)
BAD_HISTOGRAM(too_many_bins, V, 0, C, R, I, d_in, o->count, SIZE_MAX / 2, U, d_out, d_apart, NULL,
              0)
BAD_HISTOGRAM(odd_in, V, 0, C, R, I, d_in + 2, o->count - 1, BINS, U, d_out, d_apart, NULL, 0)
BAD_HISTOGRAM(odd_out, V, 0, C, R, I, d_in, o->count, BINS - 1, U, d_out + 1, d_apart, NULL, 0)
BAD_HISTOGRAM(out_in_in, V, 0, C, R, I, d_in, o->count, BINS, U, d_in + 8, d_apart, NULL, 0)
BAD_HISTOGRAM(apart_in_out, V, 0, C, R, I, d_in, o->count, BINS, U, d_out, d_out + 8, NULL, 0)
BAD_HISTOGRAM(apart_in_in, V, 0, C, R, I, d_in, o->count, BINS, U, d_out, d_in, NULL, 0)
BAD_HISTOGRAM(space_in_in, V, 0, C, R, I, d_in, o->count, BINS, U, d_out, d_apart, d_in, 256)
BAD_HISTOGRAM(odd_space, V, 0, C, R, I, d_in, o->count, BINS, U, d_out, d_apart, d_in + 4, 256)
#undef V
#undef C
#undef R
#undef I
#undef U

static prim_status histogram_null_bytes(const operands *o)
{
    return histogram_workspace(o->variant, o->count, NULL);
}

static const bad_argument histogram_bad[] = {
    {"unknown variant", histogram_no_variant, PRIM_ERROR_ENUM, "variant"},
    {"unknown policy", histogram_no_policy, PRIM_ERROR_ENUM, "outside"},
    {"unknown flag", histogram_no_flag, PRIM_ERROR_VALUE, "flags"},
    {"unknown sample type", histogram_no_type, PRIM_ERROR_TYPE, "sample_type"},
    {"counters of i32", histogram_no_counter, PRIM_ERROR_TYPE, "counter_type"},
    {"no bins", histogram_no_bins, PRIM_ERROR_VALUE, "bins"},
    {"empty range", histogram_no_range, PRIM_ERROR_VALUE, "range"},
    {"range beyond double", histogram_endless, PRIM_ERROR_VALUE, "range"},
    {"d_samples NULL", histogram_null_in, PRIM_ERROR_NULL, "d_samples"},
    {"d_counters NULL", histogram_null_out, PRIM_ERROR_NULL, "d_counters"},
    {"d_outside NULL", histogram_null_apart, PRIM_ERROR_NULL, "d_outside"},
    {"d_workspace NULL with bytes", histogram_null_space, PRIM_ERROR_NULL, "d_workspace"},
    {"bytes NULL", histogram_null_bytes, PRIM_ERROR_NULL, "bytes"},
    {"bytes beyond size_t", histogram_too_many, PRIM_ERROR_SIZE, "samples"},
    {"bins beyond size_t", histogram_too_many_bins, PRIM_ERROR_SIZE, "counters"},
    {"d_samples misaligned", histogram_odd_in, PRIM_ERROR_MISALIGNED, "d_samples"},
    {"d_counters misaligned", histogram_odd_out, PRIM_ERROR_MISALIGNED, "d_counters"},
    {"d_counters in d_samples", histogram_out_in_in, PRIM_ERROR_OVERLAP, "d_counters"},
    {"d_outside in d_counters", histogram_apart_in_out, PRIM_ERROR_OVERLAP, "d_outside"},
    {"d_outside in d_samples", histogram_apart_in_in, PRIM_ERROR_OVERLAP, "d_outside"},
    {"d_workspace in d_samples", histogram_space_in_in, PRIM_ERROR_OVERLAP, "d_workspace"},
    {"d_workspace misaligned", histogram_odd_space, PRIM_ERROR_MISALIGNED, "d_workspace"},
};

const entry_point histogram_even_entry = {.name = "prim_histogram_even",
                                          .variant_count = prim_histogram_variant_count,
                                          .variant_at = histogram_variant_at,
                                          .variant_name = histogram_variant_name,
                                          .in_bytes = SAMPLES * sizeof(int32_t),
                                          .out_bytes = COUNTERS * sizeof(uint32_t),
                                          .count = SAMPLES,
                                          .make_input = histogram_input,
                                          .right_answer = histogram_answer,
                                          .workspace_bytes = histogram_workspace,
                                          .call = histogram_call,
                                          .bad = histogram_bad,
                                          .bad_count =
                                              sizeof histogram_bad / sizeof *histogram_bad};
