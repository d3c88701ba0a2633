/* reduce among the entry points. */
#include <stdint.h>

#include <primitives/reduce.h>

#include "entry_points.h"

/* ---- reduce: the sum of whole numbers, so that the answer is exact in any order ---- */

enum { REDUCE_COUNT = 70001, SHORT_COUNT = 60001 };

static const char *reduce_variant_name(int variant)
{
    return prim_reduce_variant_name((prim_reduce_variant)variant);
}

static bool reduce_takes(prim_reduce_variant variant)
{
    return prim_reduce_supports(variant, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, CUDA_R_32F, REDUCE_COUNT,
                                CUDA_R_32F);
}

VARIANTS_THAT_TAKE(reduce, reduce)

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

/* The same with few enough elements for SINGLE_PASS, which needs no workspace. */
static bool short_takes(prim_reduce_variant variant)
{
    return prim_reduce_supports(variant, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, CUDA_R_32F, SHORT_COUNT,
                                CUDA_R_32F);
}

VARIANTS_THAT_TAKE(reduce, short)

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
BAD_REDUCE(bits_of_floats, V, 5, 0, F, d_in, o->count, F, d_out, d_ws, bytes)
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
    {"bits of floats", reduce_bits_of_floats, PRIM_ERROR_TYPE, "f32"},
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

enum { ROWS = 9, COLUMNS = 5000, LD = 5003, ROWS_SPAN = (ROWS - 1) * LD + COLUMNS };

static bool rows_takes(prim_reduce_variant variant)
{
    return prim_reduce_rows_supports(variant, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, CUDA_R_32I, ROWS,
                                     COLUMNS, CUDA_R_32I);
}

VARIANTS_THAT_TAKE(reduce, rows)

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

/* ---- reduce: columns of a matrix with gaps between its rows, in more than one pass ---- */

enum { DEEP = 2100, ACROSS = 37, ACROSS_LD = 39, DEEP_SPAN = (DEEP - 1) * ACROSS_LD + ACROSS };

static bool columns_takes(prim_reduce_variant variant)
{
    return prim_reduce_columns_supports(variant, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, CUDA_R_32I, DEEP,
                                        ACROSS, CUDA_R_32I);
}

VARIANTS_THAT_TAKE(reduce, columns)

static void columns_input(void *h_in, unsigned seed)
{
    for (unsigned i = 0; i < DEEP_SPAN; i++)
        ((int32_t *)h_in)[i] = (int32_t)((i * 2654435761u + seed * 97u) >> 7);
}

static void columns_answer(const void *h_in, size_t rows, void *h_out)
{
    for (size_t column = 0; column < ACROSS; column++) {
        uint32_t sum = 0;
        for (size_t row = 0; row < rows; row++)
            sum += (uint32_t)((const int32_t *)h_in)[row * ACROSS_LD + column];
        ((uint32_t *)h_out)[column] = sum;
    }
}

static prim_status columns_workspace(int variant, size_t rows, size_t *bytes)
{
    return prim_reduce_columns_workspace_bytes((prim_reduce_variant)variant, PRIM_OP_SUM,
                                               PRIM_TRANSFORM_NONE, CUDA_R_32I, rows, ACROSS,
                                               CUDA_R_32I, bytes);
}

static prim_status columns_call(const operands *o)
{
    return prim_reduce_columns((prim_reduce_variant)o->variant, PRIM_OP_SUM, PRIM_TRANSFORM_NONE,
                               CUDA_R_32I, o->d_in, o->count, ACROSS, ACROSS_LD, CUDA_R_32I,
                               o->d_out, o->d_workspace, o->workspace_bytes, o->stream);
}

#define BAD_COLUMNS(name, variant_, d_in_, rows, columns, ld, d_out_, d_workspace_, bytes_)   \
    static prim_status columns_##name(const operands *o)                                      \
    {                                                                                         \
        char *const d_in = o->d_in, *const d_out = o->d_out, *const d_ws = o->d_workspace;    \
        const size_t bytes = o->workspace_bytes;                                              \
        (void)d_in, (void)d_out, (void)d_ws, (void)bytes;                                     \
        return prim_reduce_columns((prim_reduce_variant)(variant_), PRIM_OP_SUM,              \
                                   PRIM_TRANSFORM_NONE, CUDA_R_32I, d_in_, rows, columns, ld, \
                                   CUDA_R_32I, d_out_, d_workspace_, bytes_, o->stream);      \
    }

BAD_COLUMNS(null_in, o->variant, NULL, DEEP, ACROSS, ACROSS_LD, d_out, d_ws, bytes)
BAD_COLUMNS(null_out, o->variant, d_in, DEEP, ACROSS, ACROSS_LD, NULL, d_ws, bytes)
BAD_COLUMNS(small_ld, o->variant, d_in, DEEP, ACROSS, ACROSS - 1, d_out, d_ws, bytes)
BAD_COLUMNS(out_in_gap, o->variant, d_in, 2, 1, ACROSS_LD, d_in + 4, d_ws, bytes)
BAD_COLUMNS(long_out, o->variant, d_in, 1, ACROSS, ACROSS_LD, d_in - 4 * (ACROSS - 1), d_ws, bytes)
BAD_COLUMNS(short_workspace, o->variant, d_in, DEEP, ACROSS, ACROSS_LD, d_out, d_ws, bytes - 1)
BAD_COLUMNS(textbook, PRIM_REDUCE_SEQUENTIAL, d_in, DEEP, ACROSS, ACROSS_LD, d_out, d_ws, bytes)

static const bad_argument columns_bad[] = {
    {"d_in NULL", columns_null_in, PRIM_ERROR_NULL, "d_in"},
    {"d_out NULL", columns_null_out, PRIM_ERROR_NULL, "d_out"},
    {"ld less than columns", columns_small_ld, PRIM_ERROR_VALUE, "ld"},
    {"d_out in a gap of d_in", columns_out_in_gap, PRIM_ERROR_OVERLAP, "d_out"},
    {"d_out's end in d_in", columns_long_out, PRIM_ERROR_OVERLAP, "d_out"},
    {"workspace one byte short", columns_short_workspace, PRIM_ERROR_WORKSPACE, "workspace_bytes"},
    {"a rung without columns", columns_textbook, PRIM_ERROR_UNSUPPORTED, "sequential"},
};

/* ---- arg_reduce: value and index, side by side in the output ---- */

enum { ARG_COUNT = 30011, INDEX_AT = 8 };

static bool arg_takes(prim_reduce_variant variant)
{
    return prim_arg_reduce_supports(variant, PRIM_OP_MAX, PRIM_TRANSFORM_NONE, CUDA_R_64I,
                                    ARG_COUNT);
}

VARIANTS_THAT_TAKE(reduce, arg)

/* Few different values, so that the first of many counts. */
static void arg_input(void *h_in, unsigned seed)
{
    for (unsigned i = 0; i < ARG_COUNT; i++)
        ((int64_t *)h_in)[i] = (int64_t)((i * 2654435761u + seed * 97u) >> 20);
}

static void arg_answer(const void *h_in, size_t count, void *h_out)
{
    const int64_t *in = h_in;
    uint64_t first = 0;
    for (size_t i = 1; i < count; i++)
        if (in[i] > in[first])
            first = i;
    ((int64_t *)h_out)[0] = in[first];
    ((uint64_t *)h_out)[INDEX_AT / 8] = first;
}

static prim_status arg_workspace(int variant, size_t count, size_t *bytes)
{
    return prim_arg_reduce_workspace_bytes((prim_reduce_variant)variant, PRIM_OP_MAX,
                                           PRIM_TRANSFORM_NONE, CUDA_R_64I, count, bytes);
}

#define ARG(op, type, d_in, count, d_value, d_index, d_workspace, bytes)                         \
    prim_arg_reduce((prim_reduce_variant)o->variant, (prim_op)(op), PRIM_TRANSFORM_NONE,         \
                    (cudaDataType_t)(type), d_in, count, d_value, (uint64_t *)(void *)(d_index), \
                    d_workspace, bytes, o->stream)

static prim_status arg_call(const operands *o)
{
    char *const d_out = o->d_out;
    return ARG(PRIM_OP_MAX, CUDA_R_64I, o->d_in, o->count, d_out, d_out + INDEX_AT, o->d_workspace,
               o->workspace_bytes);
}

#define BAD_ARG(name, ...)                                                                 \
    static prim_status arg_##name(const operands *o)                                       \
    {                                                                                      \
        char *const d_in = o->d_in, *const d_out = o->d_out, *const d_ws = o->d_workspace; \
        const size_t bytes = o->workspace_bytes;                                           \
        (void)d_in, (void)d_out, (void)d_ws, (void)bytes;                                  \
        return ARG(__VA_ARGS__);                                                           \
    }

#define I CUDA_R_64I
BAD_ARG(null_in, 2, I, NULL, ARG_COUNT, d_out, d_out + INDEX_AT, d_ws, bytes)
BAD_ARG(null_value, 2, I, d_in, ARG_COUNT, NULL, d_out + INDEX_AT, d_ws, bytes)
BAD_ARG(null_index, 2, I, d_in, ARG_COUNT, d_out, NULL, d_ws, bytes)
BAD_ARG(no_elements, 2, I, d_in, 0, d_out, d_out + INDEX_AT, d_ws, bytes)
BAD_ARG(sum, 0, I, d_in, ARG_COUNT, d_out, d_out + INDEX_AT, d_ws, bytes)
BAD_ARG(no_type, 2, 9999, d_in, ARG_COUNT, d_out, d_out + INDEX_AT, d_ws, bytes)
BAD_ARG(misaligned_index, 2, I, d_in, ARG_COUNT, d_out, d_out + 4, d_ws, bytes)
BAD_ARG(value_in_index, 2, I, d_in, ARG_COUNT, d_out + INDEX_AT, d_out + INDEX_AT, d_ws, bytes)
BAD_ARG(index_in_in, 2, I, d_in, ARG_COUNT, d_out, d_in + 800, d_ws, bytes)
BAD_ARG(index_in_workspace, 2, I, d_in, ARG_COUNT, d_out, d_ws, d_ws, bytes)
BAD_ARG(short_workspace, 2, I, d_in, ARG_COUNT, d_out, d_out + INDEX_AT, d_ws, bytes - 1)
#undef I

static const bad_argument arg_bad[] = {
    {"d_in NULL", arg_null_in, PRIM_ERROR_NULL, "d_in"},
    {"d_value NULL", arg_null_value, PRIM_ERROR_NULL, "d_value"},
    {"d_index NULL", arg_null_index, PRIM_ERROR_NULL, "d_index"},
    {"no elements", arg_no_elements, PRIM_ERROR_SIZE, "count"},
    {"neither MIN nor MAX", arg_sum, PRIM_ERROR_ENUM, "op"},
    {"unknown type", arg_no_type, PRIM_ERROR_TYPE, "in_type"},
    {"d_index misaligned", arg_misaligned_index, PRIM_ERROR_MISALIGNED, "d_index"},
    {"d_value in d_index", arg_value_in_index, PRIM_ERROR_OVERLAP, "d_value"},
    {"d_index in d_in", arg_index_in_in, PRIM_ERROR_OVERLAP, "d_index"},
    {"d_index in d_workspace", arg_index_in_workspace, PRIM_ERROR_OVERLAP, "d_workspace"},
    {"workspace one byte short", arg_short_workspace, PRIM_ERROR_WORKSPACE, "workspace_bytes"},
};

/* ---- dot: both vectors in the input, one behind the other ---- */

enum { DOT_COUNT = 20012 }; /* a multiple of four, so that the second is aligned too */

static bool dot_takes(prim_reduce_variant variant)
{
    return prim_dot_supports(variant, CUDA_R_32F, DOT_COUNT, CUDA_R_32F);
}

VARIANTS_THAT_TAKE(reduce, dot)

static void dot_input(void *h_in, unsigned seed)
{
    for (unsigned i = 0; i < 2 * DOT_COUNT; i++)
        ((float *)h_in)[i] = (float)((i * 2654435761u + seed * 97u) >> 8 & 0xf) - 6.0f;
}

static void dot_answer(const void *h_in, size_t count, void *h_out)
{
    const float *x = h_in, *y = x + DOT_COUNT;
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += (double)x[i] * y[i];
    *(float *)h_out = (float)sum;
}

static prim_status dot_workspace(int variant, size_t count, size_t *bytes)
{
    return prim_dot_workspace_bytes((prim_reduce_variant)variant, CUDA_R_32F, count, CUDA_R_32F,
                                    bytes);
}

#define DOT(type, d_x, d_y, count, out_type, d_out, d_workspace, bytes)                \
    prim_dot((prim_reduce_variant)o->variant, (cudaDataType_t)(type), d_x, d_y, count, \
             (cudaDataType_t)(out_type), d_out, d_workspace, bytes, o->stream)

static prim_status dot_call(const operands *o)
{
    const float *const d_x = o->d_in, *const d_y = d_x != NULL ? d_x + DOT_COUNT : NULL;
    return DOT(CUDA_R_32F, d_x, d_y, o->count, CUDA_R_32F, o->d_out, o->d_workspace,
               o->workspace_bytes);
}

#define BAD_DOT(name, ...)                                                       \
    static prim_status dot_##name(const operands *o)                             \
    {                                                                            \
        char *const d_x = o->d_in, *const d_y = d_x + DOT_COUNT * sizeof(float); \
        char *const d_out = o->d_out, *const d_ws = o->d_workspace;              \
        const size_t bytes = o->workspace_bytes;                                 \
        (void)d_x, (void)d_y, (void)d_out, (void)d_ws, (void)bytes;              \
        return DOT(__VA_ARGS__);                                                 \
    }

#define F CUDA_R_32F
BAD_DOT(null_x, F, NULL, d_y, DOT_COUNT, F, d_out, d_ws, bytes)
BAD_DOT(null_y, F, d_x, NULL, DOT_COUNT, F, d_out, d_ws, bytes)
BAD_DOT(null_out, F, d_x, d_y, DOT_COUNT, F, NULL, d_ws, bytes)
BAD_DOT(misaligned_y, F, d_x, d_y + 2, DOT_COUNT - 1, F, d_out, d_ws, bytes)
BAD_DOT(out_in_x, F, d_x, d_y, DOT_COUNT, F, d_x + 4, d_ws, bytes)
BAD_DOT(out_in_y, F, d_x, d_y, DOT_COUNT, F, d_y + 4, d_ws, bytes)
BAD_DOT(workspace_in_y, F, d_x, d_y, DOT_COUNT, F, d_out, d_x + 80128, bytes)
BAD_DOT(integer_out, F, d_x, d_y, DOT_COUNT, CUDA_R_32I, d_out, d_ws, bytes)
BAD_DOT(too_many, F, d_x, d_y, SIZE_MAX / 4 + 1, F, d_out, d_ws, bytes)
BAD_DOT(short_workspace, F, d_x, d_y, DOT_COUNT, F, d_out, d_ws, bytes - 1)
#undef F

static const bad_argument dot_bad[] = {
    {"d_x NULL", dot_null_x, PRIM_ERROR_NULL, "d_x"},
    {"d_y NULL", dot_null_y, PRIM_ERROR_NULL, "d_y"},
    {"d_out NULL", dot_null_out, PRIM_ERROR_NULL, "d_out"},
    {"d_y misaligned", dot_misaligned_y, PRIM_ERROR_MISALIGNED, "d_y"},
    {"d_out in d_x", dot_out_in_x, PRIM_ERROR_OVERLAP, "d_out"},
    {"d_out in d_y", dot_out_in_y, PRIM_ERROR_OVERLAP, "d_out"},
    {"d_workspace in d_y", dot_workspace_in_y, PRIM_ERROR_OVERLAP, "d_workspace"},
    {"f32 into i32", dot_integer_out, PRIM_ERROR_TYPE, "i32"},
    {"bytes beyond size_t", dot_too_many, PRIM_ERROR_SIZE, "d_x"},
    {"workspace one byte short", dot_short_workspace, PRIM_ERROR_WORKSPACE, "workspace_bytes"},
};

/* ---- the table ---- */

const entry_point reduce_entry = {.name = "prim_reduce",
                                  .variant_count = reduce_variant_count,
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

const entry_point reduce_short_entry = {.name = "prim_reduce of few elements",
                                        .variant_count = short_variant_count,
                                        .variant_at = short_variant_at,
                                        .variant_name = reduce_variant_name,
                                        .in_bytes = REDUCE_COUNT * sizeof(float),
                                        .out_bytes = sizeof(float),
                                        .count = SHORT_COUNT,
                                        .make_input = reduce_input,
                                        .right_answer = reduce_answer,
                                        .workspace_bytes = reduce_workspace,
                                        .call = reduce_call};

const entry_point reduce_rows_entry = {.name = "prim_reduce_rows",
                                       .variant_count = rows_variant_count,
                                       .variant_at = rows_variant_at,
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

const entry_point reduce_columns_entry = {.name = "prim_reduce_columns",
                                          .variant_count = columns_variant_count,
                                          .variant_at = columns_variant_at,
                                          .variant_name = reduce_variant_name,
                                          .in_bytes = DEEP_SPAN * sizeof(int32_t),
                                          .out_bytes = ACROSS * sizeof(int32_t),
                                          .count = DEEP,
                                          .make_input = columns_input,
                                          .right_answer = columns_answer,
                                          .workspace_bytes = columns_workspace,
                                          .call = columns_call,
                                          .bad = columns_bad,
                                          .bad_count = sizeof columns_bad / sizeof *columns_bad};

const entry_point arg_reduce_entry = {.name = "prim_arg_reduce",
                                      .variant_count = arg_variant_count,
                                      .variant_at = arg_variant_at,
                                      .variant_name = reduce_variant_name,
                                      .in_bytes = ARG_COUNT * sizeof(int64_t),
                                      .out_bytes = INDEX_AT + sizeof(uint64_t),
                                      .count = ARG_COUNT,
                                      .make_input = arg_input,
                                      .right_answer = arg_answer,
                                      .workspace_bytes = arg_workspace,
                                      .call = arg_call,
                                      .needs_elements = true,
                                      .bad = arg_bad,
                                      .bad_count = sizeof arg_bad / sizeof *arg_bad};

const entry_point dot_entry = {.name = "prim_dot",
                               .variant_count = dot_variant_count,
                               .variant_at = dot_variant_at,
                               .variant_name = reduce_variant_name,
                               .in_bytes = 2 * DOT_COUNT * sizeof(float),
                               .out_bytes = sizeof(float),
                               .count = DOT_COUNT,
                               .make_input = dot_input,
                               .right_answer = dot_answer,
                               .workspace_bytes = dot_workspace,
                               .call = dot_call,
                               .bad = dot_bad,
                               .bad_count = sizeof dot_bad / sizeof *dot_bad};
