/* reduce among the entry points. */
#include <stdint.h>

#include <primitives/reduce.h>

#include "entry_points.h"

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

const entry_point reduce_entry = {.name = "prim_reduce",
                                  .variant_count = prim_reduce_variant_count,
                                  .variant_at = reduce_variant_at,
                                  .variant_name = reduce_variant_name,
                                  .in_bytes = REDUCE_COUNT * sizeof(float),
                                  .out_bytes = sizeof(float),
                                  .count = REDUCE_COUNT,
                                  .make_input = reduce_input,
                                  .right_answer = reduce_answer,
                                  .workspace_bytes = reduce_workspace,
                                  .call = reduce_call,
                                  .bad = reduce_bad,
                                  .bad_count = sizeof reduce_bad / sizeof *reduce_bad};

const entry_point reduce_rows_entry = {.name = "prim_reduce_rows",
                                       .variant_count = prim_reduce_variant_count,
                                       .variant_at = reduce_variant_at,
                                       .variant_name = reduce_variant_name,
                                       .in_bytes = ROWS_SPAN * sizeof(int32_t),
                                       .out_bytes = ROWS * sizeof(int32_t),
                                       .count = COLUMNS,
                                       .make_input = rows_input,
                                       .right_answer = rows_answer,
                                       .workspace_bytes = rows_workspace,
                                       .call = rows_call,
                                       .bad = rows_bad,
                                       .bad_count = sizeof rows_bad / sizeof *rows_bad};
