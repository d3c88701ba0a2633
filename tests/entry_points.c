/* One section a pattern, and the table at the end. */
#include "entry_points.h"

#include <stdint.h>

#include <primitives/primitives.h>

/* ---- reduce: the sum of whole numbers, so that the answer is exact in any order ---- */

enum { REDUCE_COUNT = 70001 };

static int reduce_variant_at(size_t index)
{
    return prim_reduce_variant_at(index);
}

static const char *reduce_variant_name(int variant)
{
    return prim_reduce_variant_name((prim_reduce_variant)variant);
}

static void reduce_input(void *h_in, unsigned seed)
{
    for (unsigned i = 0; i < REDUCE_COUNT; i++)
        ((float *)h_in)[i] = (float)((i * 2654435761u + seed * 97u) >> 8 & 0x7f) - 50.0f;
}

static void reduce_answer(const void *h_in, size_t count, void *h_out)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += ((const float *)h_in)[i];
    *(float *)h_out = (float)sum;
}

static prim_status reduce_workspace(int variant, size_t count, size_t *bytes)
{
    return prim_reduce_workspace_bytes((prim_reduce_variant)variant, PRIM_OP_SUM,
                                       PRIM_TRANSFORM_NONE, CUDA_R_32F, count, CUDA_R_32F, bytes);
}

static prim_status reduce_call(const operands *o)
{
    return prim_reduce((prim_reduce_variant)o->variant, PRIM_OP_SUM, PRIM_TRANSFORM_NONE,
                       CUDA_R_32F, o->d_in, o->count, CUDA_R_32F, o->d_out, o->d_workspace,
                       o->workspace_bytes, o->stream);
}

/* The call with everything spelled out, for the bad arguments below. */
#define REDUCE(variant, op, transform, in_type, d_in, count, out_type, d_out, d_workspace, bytes) \
    prim_reduce((prim_reduce_variant)(variant), (prim_op)(op), (prim_transform)(transform),       \
                (cudaDataType_t)(in_type), d_in, count, (cudaDataType_t)(out_type), d_out,        \
                d_workspace, bytes, o->stream)

#define BAD_REDUCE(name, ...)                                                              \
    static prim_status reduce_##name(const operands *o)                                    \
    {                                                                                      \
        char *const d_in = o->d_in, *const d_out = o->d_out, *const d_ws = o->d_workspace; \
        const size_t bytes = o->workspace_bytes;                                           \
        (void)d_in, (void)d_out, (void)d_ws, (void)bytes;                                  \
        return REDUCE(__VA_ARGS__);                                                        \
    }

#define V o->variant
#define F CUDA_R_32F
BAD_REDUCE(null_in, V, 0, 0, F, NULL, o->count, F, d_out, d_ws, bytes)
BAD_REDUCE(null_out, V, 0, 0, F, d_in, o->count, F, NULL, d_ws, bytes)
BAD_REDUCE(null_workspace, V, 0, 0, F, d_in, o->count, F, d_out, NULL, bytes)
BAD_REDUCE(no_variant, 9999, 0, 0, F, d_in, o->count, F, d_out, d_ws, bytes)
BAD_REDUCE(negative_variant, -1, 0, 0, F, d_in, o->count, F, d_out, d_ws, bytes)
BAD_REDUCE(no_op, V, 9999, 0, F, d_in, o->count, F, d_out, d_ws, bytes)
BAD_REDUCE(negative_op, V, -1, 0, F, d_in, o->count, F, d_out, d_ws, bytes)
BAD_REDUCE(no_transform, V, 0, 9999, F, d_in, o->count, F, d_out, d_ws, bytes)
BAD_REDUCE(no_type, V, 0, 0, 9999, d_in, o->count, F, d_out, d_ws, bytes)
BAD_REDUCE(complex_type, V, 0, 0, 4, d_in, o->count, 4, d_out, d_ws, bytes)
BAD_REDUCE(narrower, V, 0, 0, CUDA_R_64F, d_in, o->count / 2, F, d_out, d_ws, bytes)
BAD_REDUCE(integer_out, V, 0, 0, F, d_in, o->count, CUDA_R_32I, d_out, d_ws, bytes)
BAD_REDUCE(too_many, V, 0, 0, F, d_in, SIZE_MAX / 4 + 1, F, d_out, d_ws, bytes)
BAD_REDUCE(beyond_memory, V, 0, 0, F, d_in, SIZE_MAX / 4, F, d_out, d_ws, bytes)
BAD_REDUCE(misaligned_in, V, 0, 0, F, d_in + 2, o->count - 1, F, d_out, d_ws, bytes)
BAD_REDUCE(misaligned_out, V, 0, 0, F, d_in, o->count, F, d_out + 1, d_ws, bytes)
BAD_REDUCE(out_in_in, V, 0, 0, F, d_in, o->count, F, d_in + 400, d_ws, bytes)
BAD_REDUCE(out_at_end_of_in, V, 0, 0, F, d_in, o->count, F, d_in + (o->count - 1) * 4, d_ws, bytes)
BAD_REDUCE(out_in_workspace, V, 0, 0, F, d_in, o->count, F, d_ws, d_ws, bytes)
BAD_REDUCE(workspace_in_in, V, 0, 0, F, d_in, o->count, F, d_out, d_in + 256, bytes)
BAD_REDUCE(short_workspace, V, 0, 0, F, d_in, o->count, F, d_out, d_ws, bytes - 1)
BAD_REDUCE(misaligned_workspace, V, 0, 0, F, d_in, o->count, F, d_out, d_ws + 128, bytes)
#undef V
#undef F

static prim_status reduce_null_bytes(const operands *o)
{
    return reduce_workspace(o->variant, o->count, NULL);
}

static const bad_argument reduce_bad[] = {
    {"d_in NULL", reduce_null_in, PRIM_ERROR_NULL, "d_in"},
    {"d_out NULL", reduce_null_out, PRIM_ERROR_NULL, "d_out"},
    {"d_workspace NULL with bytes", reduce_null_workspace, PRIM_ERROR_NULL, "d_workspace"},
    {"bytes NULL", reduce_null_bytes, PRIM_ERROR_NULL, "bytes"},
    {"unknown variant", reduce_no_variant, PRIM_ERROR_ENUM, "variant"},
    {"negative variant", reduce_negative_variant, PRIM_ERROR_ENUM, "variant"},
    {"unknown op", reduce_no_op, PRIM_ERROR_ENUM, "op"},
    {"negative op", reduce_negative_op, PRIM_ERROR_ENUM, "op"},
    {"unknown transform", reduce_no_transform, PRIM_ERROR_ENUM, "transform"},
    {"unknown type", reduce_no_type, PRIM_ERROR_TYPE, "in_type"},
    {"complex type", reduce_complex_type, PRIM_ERROR_TYPE, "in_type"},
    {"f64 into f32", reduce_narrower, PRIM_ERROR_TYPE, "f64"},
    {"f32 into i32", reduce_integer_out, PRIM_ERROR_TYPE, "i32"},
    {"bytes beyond size_t", reduce_too_many, PRIM_ERROR_SIZE, "d_in"},
    {"end beyond memory", reduce_beyond_memory, PRIM_ERROR_SIZE, "d_in"},
    {"d_in misaligned", reduce_misaligned_in, PRIM_ERROR_MISALIGNED, "d_in"},
    {"d_out misaligned", reduce_misaligned_out, PRIM_ERROR_MISALIGNED, "d_out"},
    {"d_out in d_in", reduce_out_in_in, PRIM_ERROR_OVERLAP, "d_out"},
    {"d_out at d_in's end", reduce_out_at_end_of_in, PRIM_ERROR_OVERLAP, "d_out"},
    {"d_out in d_workspace", reduce_out_in_workspace, PRIM_ERROR_OVERLAP, "d_workspace"},
    {"d_workspace in d_in", reduce_workspace_in_in, PRIM_ERROR_OVERLAP, "d_workspace"},
    {"workspace one byte short", reduce_short_workspace, PRIM_ERROR_WORKSPACE, "workspace_bytes"},
    {"d_workspace misaligned", reduce_misaligned_workspace, PRIM_ERROR_MISALIGNED, "d_workspace"},
};

/* ---- reduce: rows of a matrix with gaps between them ---- */

enum { ROWS = 37, COLUMNS = 700, LD = 703, ROWS_SPAN = (ROWS - 1) * LD + COLUMNS };

static void rows_input(void *h_in, unsigned seed)
{
    for (unsigned i = 0; i < ROWS_SPAN; i++)
        ((int32_t *)h_in)[i] = (int32_t)((i * 2654435761u + seed * 97u) >> 7);
}

static void rows_answer(const void *h_in, size_t columns, void *h_out)
{
    for (size_t row = 0; row < ROWS; row++) {
        uint32_t sum = 0;
        for (size_t i = 0; i < columns; i++)
            sum += (uint32_t)((const int32_t *)h_in)[row * LD + i];
        ((uint32_t *)h_out)[row] = sum;
    }
}

static prim_status rows_workspace(int variant, size_t columns, size_t *bytes)
{
    return prim_reduce_rows_workspace_bytes((prim_reduce_variant)variant, PRIM_OP_SUM,
                                            PRIM_TRANSFORM_NONE, CUDA_R_32I, ROWS, columns,
                                            CUDA_R_32I, bytes);
}

static prim_status rows_call(const operands *o)
{
    return prim_reduce_rows((prim_reduce_variant)o->variant, PRIM_OP_SUM, PRIM_TRANSFORM_NONE,
                            CUDA_R_32I, o->d_in, ROWS, o->count, LD, CUDA_R_32I, o->d_out,
                            o->d_workspace, o->workspace_bytes, o->stream);
}

#define BAD_ROWS(name, d_in_, rows, columns, ld, d_out_, d_workspace_, bytes_)                     \
    static prim_status rows_##name(const operands *o)                                              \
    {                                                                                              \
        char *const d_in = o->d_in, *const d_out = o->d_out, *const d_ws = o->d_workspace;         \
        const size_t bytes = o->workspace_bytes;                                                   \
        (void)d_in, (void)d_out, (void)d_ws, (void)bytes;                                          \
        return prim_reduce_rows((prim_reduce_variant)o->variant, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, \
                                CUDA_R_32I, d_in_, rows, columns, ld, CUDA_R_32I, d_out_,          \
                                d_workspace_, bytes_, o->stream);                                  \
    }

BAD_ROWS(null_in, NULL, ROWS, COLUMNS, LD, d_out, d_ws, bytes)
BAD_ROWS(null_out, d_in, ROWS, COLUMNS, LD, NULL, d_ws, bytes)
BAD_ROWS(small_ld, d_in, ROWS, COLUMNS, COLUMNS - 1, d_out, d_ws, bytes)
BAD_ROWS(too_many, d_in, SIZE_MAX / 8, COLUMNS, LD, d_out, d_ws, bytes)
BAD_ROWS(too_far_apart, d_in, ROWS, COLUMNS, SIZE_MAX / 8, d_out, d_ws, bytes)
BAD_ROWS(out_in_gap, d_in, 2, COLUMNS, LD, d_in + 4 * COLUMNS, d_ws, bytes)
BAD_ROWS(short_workspace, d_in, ROWS, COLUMNS, LD, d_out, d_ws, bytes - 1)
BAD_ROWS(misaligned_in, d_in + 1, ROWS - 1, COLUMNS, LD, d_out, d_ws, bytes)

static const bad_argument rows_bad[] = {
    {"d_in NULL", rows_null_in, PRIM_ERROR_NULL, "d_in"},
    {"d_out NULL", rows_null_out, PRIM_ERROR_NULL, "d_out"},
    {"ld less than columns", rows_small_ld, PRIM_ERROR_VALUE, "ld"},
    {"bytes beyond size_t", rows_too_many, PRIM_ERROR_SIZE, "d_in"},
    {"ld beyond size_t", rows_too_far_apart, PRIM_ERROR_SIZE, "d_in"},
    {"d_out in a gap of d_in", rows_out_in_gap, PRIM_ERROR_OVERLAP, "d_out"},
    {"workspace one byte short", rows_short_workspace, PRIM_ERROR_WORKSPACE, "workspace_bytes"},
    {"d_in misaligned", rows_misaligned_in, PRIM_ERROR_MISALIGNED, "d_in"},
};

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

/* ---- the table ---- */

const entry_point entry_points[] = {
    {"prim_reduce", prim_reduce_variant_count, reduce_variant_at, reduce_variant_name,
     REDUCE_COUNT * sizeof(float), sizeof(float), REDUCE_COUNT, reduce_input, reduce_answer,
     reduce_workspace, reduce_call, reduce_bad, sizeof reduce_bad / sizeof *reduce_bad},
    {"prim_reduce_rows", prim_reduce_variant_count, reduce_variant_at, reduce_variant_name,
     ROWS_SPAN * sizeof(int32_t), ROWS * sizeof(int32_t), COLUMNS, rows_input, rows_answer,
     rows_workspace, rows_call, rows_bad, sizeof rows_bad / sizeof *rows_bad},
    {"prim_histogram_even", prim_histogram_variant_count, histogram_variant_at,
     histogram_variant_name, SAMPLES * sizeof(int32_t), COUNTERS * sizeof(uint32_t), SAMPLES,
     histogram_input, histogram_answer, histogram_workspace, histogram_call, histogram_bad,
     sizeof histogram_bad / sizeof *histogram_bad},
};

const size_t entry_point_count = sizeof entry_points / sizeof *entry_points;
