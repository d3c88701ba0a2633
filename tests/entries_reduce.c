/* reduce among the entry points. */
#include <stdint.h>

#include <primitives/reduce.h>

#include "entry_points.h"

/* ---- reduce: the sum of whole numbers, so that the answer is exact in any order ---- */

enum { REDUCE_COUNT = 70001, SHORT_COUNT = 60001 };

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

static prim_status reduce_call(const operands *o)
{
    const call_head c = spoilt_head(o);
    prim_op op = PRIM_OP_SUM;
    prim_transform transform = PRIM_TRANSFORM_NONE;
    cudaDataType_t in_type = CUDA_R_32F, out_type = CUDA_R_32F;
    char *d_in = o->d_in, *d_out = o->d_out;
    size_t count = o->count;
    spoil(o, "d_in", &d_in);
    spoil(o, "d_out", &d_out);
    FAULT("unknown", PRIM_ERROR_ENUM, "op", op = PRIM_OP_XOR + 1);
    FAULT("negative", PRIM_ERROR_ENUM, "op", op = -1);
    FAULT("unknown", PRIM_ERROR_ENUM, "transform", transform = PRIM_TRANSFORM_ABS + 1);
    FAULT("unknown", PRIM_ERROR_TYPE, "in_type", in_type = 9999);
    FAULT("complex", PRIM_ERROR_TYPE, "in_type", in_type = out_type = 4);
    FAULT("bits of floats", PRIM_ERROR_TYPE, "f32", op = PRIM_OP_OR);
    FAULT("f64 into f32", PRIM_ERROR_TYPE, "f64", in_type = CUDA_R_64F);
    FAULT("f32 into i32", PRIM_ERROR_TYPE, "i32", out_type = CUDA_R_32I);
    FAULT("bytes beyond size_t", PRIM_ERROR_SIZE, "d_in", count = SIZE_MAX / 4 + 1);
    FAULT("end beyond memory", PRIM_ERROR_SIZE, "d_in", count = SIZE_MAX / 4);
    FAULT("in d_in", PRIM_ERROR_OVERLAP, "d_out", d_out = d_in + 400);
    FAULT("at d_in's end", PRIM_ERROR_OVERLAP, "d_out", d_out = d_in + (count - 1) * 4);
    if (c.bytes > 0)
        FAULT("d_out in it", PRIM_ERROR_OVERLAP, "d_workspace", d_out = c.workspace);
    return prim_reduce((prim_reduce_variant)c.variant, op, transform, in_type, d_in, count,
                       out_type, d_out, call_of(o, &c));
}

/* The same with few enough elements for SINGLE_PASS, which needs no workspace. */
/* ---- reduce: rows of a matrix with gaps between them ---- */

enum { ROWS = 9, COLUMNS = 5000, LD = 5003, ROWS_SPAN = (ROWS - 1) * LD + COLUMNS };

static void rows_fill(void *h_in, unsigned count, unsigned seed)
{
    for (unsigned i = 0; i < count; i++)
        ((int32_t *)h_in)[i] = (int32_t)((i * 2654435761u + seed * 97u) >> 7);
}

static void rows_input(void *h_in, unsigned seed)
{
    rows_fill(h_in, ROWS_SPAN, seed);
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

static prim_status rows_call(const operands *o)
{
    const call_head c = spoilt_head(o);
    char *d_in = o->d_in, *d_out = o->d_out;
    size_t rows = ROWS, ld = LD;
    spoil(o, "d_in", &d_in);
    spoil(o, "d_out", &d_out);
    FAULT("less than columns", PRIM_ERROR_VALUE, "ld", ld = COLUMNS - 1);
    FAULT("bytes beyond size_t", PRIM_ERROR_SIZE, "d_in", rows = SIZE_MAX / 8);
    FAULT("ld beyond size_t", PRIM_ERROR_SIZE, "d_in", ld = SIZE_MAX / 8);
    FAULT("in a gap of d_in", PRIM_ERROR_OVERLAP, "d_out", (rows = 2, d_out = d_in + 4 * COLUMNS));
    return prim_reduce_rows((prim_reduce_variant)c.variant, PRIM_OP_SUM, PRIM_TRANSFORM_NONE,
                            prim_matrix_of(CUDA_R_32I, d_in, rows, o->count, ld), CUDA_R_32I, d_out,
                            call_of(o, &c));
}

/* ---- reduce: columns of a matrix with gaps between its rows, in more than one pass ---- */

enum { DEEP = 2100, ACROSS = 37, ACROSS_LD = 39, DEEP_SPAN = (DEEP - 1) * ACROSS_LD + ACROSS };

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

static prim_status columns_call(const operands *o)
{
    call_head c = spoilt_head(o);
    char *d_in = o->d_in, *d_out = o->d_out;
    size_t rows = o->count, columns = ACROSS, ld = ACROSS_LD;
    spoil(o, "d_in", &d_in);
    spoil(o, "d_out", &d_out);
    FAULT("less than columns", PRIM_ERROR_VALUE, "ld", ld = ACROSS - 1);
    FAULT("in a gap of d_in", PRIM_ERROR_OVERLAP, "d_out",
          (rows = 2, columns = 1, d_out = d_in + 4));
    FAULT("its end in d_in", PRIM_ERROR_OVERLAP, "d_out",
          (rows = 1, d_out = d_in - 4 * (ACROSS - 1)));
    FAULT("a rung without columns", PRIM_ERROR_UNSUPPORTED, "sequential",
          c.variant = PRIM_REDUCE_SEQUENTIAL);
    return prim_reduce_columns((prim_reduce_variant)c.variant, PRIM_OP_SUM, PRIM_TRANSFORM_NONE,
                               prim_matrix_of(CUDA_R_32I, d_in, rows, columns, ld), CUDA_R_32I,
                               d_out, call_of(o, &c));
}

/* ---- reduce: segments of all kinds of lengths; the offsets lie after the elements ---- */

enum {
    SEGMENTS = 1300,
    SEGMENTS_COUNT = 72 << 12, /* so many more than lie in segments that there are windows */
    SEGMENTS_OFFSETS_AT = SEGMENTS_COUNT * sizeof(int32_t)
};

/* Most are short or empty, some go to a warp or a block, and two are of several tiles. */
static void segments_input(void *h_in, unsigned seed)
{
    int32_t *const offsets = (int32_t *)h_in + SEGMENTS_COUNT;
    rows_fill(h_in, SEGMENTS_COUNT, seed);
    offsets[0] = 3;
    for (int s = 0; s < SEGMENTS; s++)
        offsets[s + 1] = offsets[s] + (s % 400 == 40 ? 17001 : s % 20 == 7 ? 300 : s % 25);
}

static void segments_answer(const void *h_in, size_t segments, void *h_out)
{
    const int32_t *const in = h_in, *const offsets = in + SEGMENTS_COUNT;
    for (size_t s = 0; s < segments; s++) {
        uint32_t sum = 0;
        for (int32_t i = offsets[s]; i < offsets[s + 1]; i++)
            sum += (uint32_t)in[i];
        ((uint32_t *)h_out)[s] = sum;
    }
}

static prim_status segments_call(const operands *o)
{
    call_head c = spoilt_head(o);
    char *d_in = o->d_in, *d_offsets = part_of(d_in, SEGMENTS_OFFSETS_AT);
    char *d_out = o->d_out;
    cudaDataType_t offsets_type = CUDA_R_32I;
    size_t segments = o->count, count = segments == 0 ? 0 : SEGMENTS_COUNT;
    spoil(o, "d_in", &d_in);
    spoil(o, "d_offsets", &d_offsets);
    spoil(o, "d_out", &d_out);
    FAULT("floats", PRIM_ERROR_TYPE, "offsets_type", offsets_type = CUDA_R_32F);
    FAULT("unsigned", PRIM_ERROR_TYPE, "offsets_type", offsets_type = CUDA_R_32U);
    FAULT("more than size_t counts", PRIM_ERROR_SIZE, "segments", segments = SIZE_MAX);
    FAULT("bytes beyond size_t", PRIM_ERROR_SIZE, "d_offsets", segments = SIZE_MAX / 4);
    FAULT("bytes beyond size_t", PRIM_ERROR_SIZE, "d_in", count = SIZE_MAX / 4 + 1);
    FAULT("in d_in", PRIM_ERROR_OVERLAP, "d_out", d_out = d_in + 400);
    FAULT("its end in d_offsets", PRIM_ERROR_OVERLAP, "d_offsets",
          (count = 1, d_out = d_offsets - 4 * (segments - 1)));
    FAULT("in d_offsets", PRIM_ERROR_OVERLAP, "d_workspace", c.workspace = d_offsets + 256);
    FAULT("a rung without segments", PRIM_ERROR_UNSUPPORTED, "single_pass",
          c.variant = PRIM_REDUCE_SINGLE_PASS);
    return prim_reduce_segments(
        (prim_reduce_variant)c.variant, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, CUDA_R_32I, d_in, count,
        (prim_segments){d_offsets, segments, offsets_type}, CUDA_R_32I, d_out, call_of(o, &c));
}

/* ---- arg_reduce: value and index, side by side in the output ---- */

enum { ARG_COUNT = 30011, INDEX_AT = 8 };

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

static prim_status arg_call(const operands *o)
{
    const call_head c = spoilt_head(o);
    prim_op op = PRIM_OP_MAX;
    cudaDataType_t type = CUDA_R_64I;
    char *d_in = o->d_in, *d_value = o->d_out, *d_index = part_of(d_value, INDEX_AT);
    size_t count = o->count;
    spoil(o, "d_in", &d_in);
    spoil(o, "d_value", &d_value);
    spoil(o, "d_index", &d_index);
    FAULT("no elements", PRIM_ERROR_SIZE, "count", count = 0);
    FAULT("neither MIN nor MAX", PRIM_ERROR_ENUM, "op", op = PRIM_OP_SUM);
    FAULT("unknown", PRIM_ERROR_TYPE, "in_type", type = 9999);
    FAULT("in d_index", PRIM_ERROR_OVERLAP, "d_value", d_value = d_index);
    FAULT("in d_in", PRIM_ERROR_OVERLAP, "d_index", d_index = d_in + 800);
    FAULT("d_index in it", PRIM_ERROR_OVERLAP, "d_workspace", d_index = c.workspace);
    return prim_arg_reduce((prim_reduce_variant)c.variant, op, PRIM_TRANSFORM_NONE, type, d_in,
                           count, d_value, (uint64_t *)(void *)d_index, call_of(o, &c));
}

/* ---- dot: both vectors in the input, one after the other ---- */

enum { DOT_COUNT = 20012 }; /* a multiple of four, so that the second is aligned too */

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

static prim_status dot_call(const operands *o)
{
    call_head c = spoilt_head(o);
    cudaDataType_t out_type = CUDA_R_32F;
    char *d_x = o->d_in, *d_y = part_of(d_x, DOT_COUNT * sizeof(float));
    char *d_out = o->d_out;
    size_t count = o->count;
    spoil(o, "d_x", &d_x);
    spoil(o, "d_y", &d_y);
    spoil(o, "d_out", &d_out);
    FAULT("in d_x", PRIM_ERROR_OVERLAP, "d_out", d_out = d_x + 4);
    FAULT("in d_y", PRIM_ERROR_OVERLAP, "d_out", d_out = d_y + 4);
    FAULT("in d_y", PRIM_ERROR_OVERLAP, "d_workspace", c.workspace = d_x + 80128);
    FAULT("f32 into i32", PRIM_ERROR_TYPE, "i32", out_type = CUDA_R_32I);
    FAULT("bytes beyond size_t", PRIM_ERROR_SIZE, "d_x", count = SIZE_MAX / 4 + 1);
    return prim_dot((prim_reduce_variant)c.variant, CUDA_R_32F, d_x, d_y, count, out_type, d_out,
                    call_of(o, &c));
}

/* ---- the table ---- */

const entry_point reduce_entry = {.name = "prim_reduce",
                                  .variant_at = prim_reduce_variant_at,
                                  .in_bytes = REDUCE_COUNT * sizeof(float),
                                  .out_bytes = sizeof(float),
                                  .count = REDUCE_COUNT,
                                  .make_input = reduce_input,
                                  .right_answer = reduce_answer,
                                  .call = reduce_call};

const entry_point reduce_short_entry = {.name = "prim_reduce",
                                        .variant_at = prim_reduce_variant_at,
                                        .in_bytes = REDUCE_COUNT * sizeof(float),
                                        .out_bytes = sizeof(float),
                                        .count = SHORT_COUNT,
                                        .make_input = reduce_input,
                                        .right_answer = reduce_answer,
                                        .call = reduce_call};

const entry_point reduce_rows_entry = {.name = "prim_reduce_rows",
                                       .variant_at = prim_reduce_variant_at,
                                       .in_bytes = ROWS_SPAN * sizeof(int32_t),
                                       .out_bytes = ROWS * sizeof(int32_t),
                                       .count = COLUMNS,
                                       .make_input = rows_input,
                                       .right_answer = rows_answer,
                                       .call = rows_call};

const entry_point reduce_columns_entry = {.name = "prim_reduce_columns",
                                          .variant_at = prim_reduce_variant_at,
                                          .in_bytes = DEEP_SPAN * sizeof(int32_t),
                                          .out_bytes = ACROSS * sizeof(int32_t),
                                          .count = DEEP,
                                          .make_input = columns_input,
                                          .right_answer = columns_answer,
                                          .call = columns_call};

const entry_point reduce_segments_entry = {.name = "prim_reduce_segments",
                                           .variant_at = prim_reduce_variant_at,
                                           .in_bytes = SEGMENTS_OFFSETS_AT +
                                                       (SEGMENTS + 1) * sizeof(int32_t),
                                           .out_bytes = SEGMENTS * sizeof(int32_t),
                                           .count = SEGMENTS,
                                           .make_input = segments_input,
                                           .right_answer = segments_answer,
                                           .call = segments_call};

const entry_point arg_reduce_entry = {.name = "prim_arg_reduce",
                                      .variant_at = prim_reduce_variant_at,
                                      .in_bytes = ARG_COUNT * sizeof(int64_t),
                                      .out_bytes = INDEX_AT + sizeof(uint64_t),
                                      .count = ARG_COUNT,
                                      .make_input = arg_input,
                                      .right_answer = arg_answer,
                                      .call = arg_call,
                                      .needs_elements = true};

const entry_point dot_entry = {.name = "prim_dot",
                               .variant_at = prim_reduce_variant_at,
                               .in_bytes = 2 * DOT_COUNT * sizeof(float),
                               .out_bytes = sizeof(float),
                               .count = DOT_COUNT,
                               .make_input = dot_input,
                               .right_answer = dot_answer,
                               .call = dot_call};
