/* scan among the entry points. */
#include <stdint.h>

#include <primitives/scan.h>

#include "entry_points.h"

static void fill_integers(void *h_in, unsigned count, unsigned seed)
{
    for (unsigned i = 0; i < count; i++)
        ((int32_t *)h_in)[i] = (int32_t)((i * 2654435761u + seed * 97u) >> 7);
}

/* ---- scan: exclusive, from an initial value that is gone when the call returns. The total stands
 * after the results. More than CLUSTER takes, so that AUTO needs a workspace. ---- */

enum { SCAN_COUNT = 70001, SCAN_INITIAL = -12345 };

static void scan_input(void *h_in, unsigned seed)
{
    fill_integers(h_in, SCAN_COUNT, seed);
}

static void scan_answer(const void *h_in, size_t count, void *h_out)
{
    uint32_t sum = (uint32_t)SCAN_INITIAL;
    for (size_t i = 0; i < count; i++) {
        ((uint32_t *)h_out)[i] = sum;
        sum += (uint32_t)((const int32_t *)h_in)[i];
    }
    ((uint32_t *)h_out)[SCAN_COUNT] = sum;
}

static const int32_t two_words[2]; /* one of their bytes is no aligned initial value */

static prim_status scan_call(const operands *o)
{
    const call_head c = spoilt_head(o);
    volatile int32_t initial = SCAN_INITIAL; /* volatile: the value below is written, too */
    const void *h_initial = (const void *)&initial, *d_initial = NULL;
    prim_scan_kind kind = PRIM_SCAN_EXCLUSIVE;
    prim_op op = PRIM_OP_SUM;
    prim_transform transform = PRIM_TRANSFORM_NONE;
    cudaDataType_t in_type = CUDA_R_32I, out_type = CUDA_R_32I;
    char *d_in = o->d_in, *d_out = o->d_out,
         *d_total = part_of(d_out, SCAN_COUNT * sizeof(int32_t));
    size_t count = o->count;
    spoil(o, "d_in", &d_in);
    spoil(o, "d_out", &d_out);
    FAULT("unknown", PRIM_ERROR_ENUM, "kind", kind = 2);
    FAULT("negative", PRIM_ERROR_ENUM, "kind", kind = -1);
    FAULT("unknown", PRIM_ERROR_ENUM, "op", op = PRIM_OP_XOR + 1);
    FAULT("unknown", PRIM_ERROR_ENUM, "transform", transform = PRIM_TRANSFORM_ABS + 1);
    FAULT("unknown", PRIM_ERROR_TYPE, "in_type", in_type = 9999);
    FAULT("f64 into f32", PRIM_ERROR_TYPE, "f64", (in_type = CUDA_R_64F, out_type = CUDA_R_32F));
    FAULT("i32 into f64", PRIM_ERROR_TYPE, "f64", out_type = CUDA_R_64F);
    FAULT("misaligned", PRIM_ERROR_MISALIGNED, "h_initial", h_initial = (char *)two_words + 2);
    FAULT("misaligned", PRIM_ERROR_MISALIGNED, "d_total", d_total += 2);
    FAULT("bytes beyond size_t", PRIM_ERROR_SIZE, "d_in", count = SIZE_MAX / 4 + 1);
    FAULT("end beyond memory", PRIM_ERROR_SIZE, "d_in", count = SIZE_MAX / 4);
    FAULT("one behind d_in", PRIM_ERROR_OVERLAP, "d_out", (d_out = d_in + 4, count--));
    FAULT("d_in one behind it", PRIM_ERROR_OVERLAP, "d_out", (d_in = d_out + 4, count--));
    FAULT("in place, wider", PRIM_ERROR_OVERLAP, "d_out",
          (d_out = d_in, out_type = CUDA_R_64I, count /= 2, h_initial = d_total = NULL));
    FAULT("in d_in", PRIM_ERROR_OVERLAP, "d_total", d_total = d_in + 400);
    FAULT("in d_out", PRIM_ERROR_OVERLAP, "d_total", d_total = d_out + 4);
    FAULT("beside h_initial", PRIM_ERROR_VALUE, "d_initial", d_initial = d_total);
    FAULT("misaligned", PRIM_ERROR_MISALIGNED, "d_initial",
          (h_initial = NULL, d_initial = d_total + 1));
    FAULT("in d_in", PRIM_ERROR_OVERLAP, "d_initial", (h_initial = NULL, d_initial = d_in + 8));
    FAULT("in d_out", PRIM_ERROR_OVERLAP, "d_initial", (h_initial = NULL, d_initial = d_out + 8));
    if (c.bytes > 0)
        FAULT("d_initial in it", PRIM_ERROR_OVERLAP, "d_workspace",
              (h_initial = NULL, d_initial = c.workspace));
    if (c.bytes > 0)
        FAULT("d_total in it", PRIM_ERROR_OVERLAP, "d_workspace", d_total = c.workspace);
    const prim_status status = prim_scan(
        (prim_scan_variant)c.variant, kind, op, transform, in_type, d_in, count, out_type, d_out,
        &(prim_scan_ends){.h_initial = h_initial, .d_initial = d_initial, .total = d_total},
        call_of(o, &c));
    initial = 77;
    return status;
}

/* ---- the same of matrices with gaps in the input, rows of two tiles ---- */

enum { ROWS = 3, COLUMNS = 8300, LD = 8303, IN_SPAN = (ROWS - 1) * LD + COLUMNS };

static void matrix_input(void *h_in, unsigned seed)
{
    fill_integers(h_in, IN_SPAN, seed);
}

static void scan_rows_by_hand(const void *h_in, size_t rows, size_t columns, void *h_out)
{
    for (size_t row = 0; row < rows; row++) {
        uint32_t sum = (uint32_t)SCAN_INITIAL;
        for (size_t i = 0; i < columns; i++) {
            sum += (uint32_t)((const int32_t *)h_in)[row * LD + i];
            ((uint32_t *)h_out)[row * COLUMNS + i] = sum;
        }
    }
}

static void rows_answer(const void *h_in, size_t columns, void *h_out)
{
    scan_rows_by_hand(h_in, ROWS, columns, h_out);
}

static prim_status rows_call(const operands *o)
{
    const call_head c = spoilt_head(o);
    volatile int32_t initial = SCAN_INITIAL;
    const void *h_initial = (const void *)&initial, *d_initial = NULL;
    prim_scan_kind kind = PRIM_SCAN_INCLUSIVE;
    cudaDataType_t in_type = CUDA_R_32I;
    char *d_in = o->d_in, *d_out = o->d_out;
    void *d_total = NULL;
    size_t rows = ROWS, in_ld = LD, out_ld = COLUMNS, rows_less = 0, columns_less = 0;
    spoil(o, "d_in", &d_in);
    spoil(o, "d_out", &d_out);
    FAULT("unknown", PRIM_ERROR_ENUM, "kind", kind = 2);
    FAULT("f32 into i32", PRIM_ERROR_TYPE, "f32", in_type = CUDA_R_32F);
    FAULT("in_ld less than columns", PRIM_ERROR_VALUE, "d_in", in_ld = COLUMNS - 1);
    FAULT("out_ld less than columns", PRIM_ERROR_VALUE, "d_out", out_ld = COLUMNS - 1);
    FAULT("bytes beyond size_t", PRIM_ERROR_SIZE, "d_in", rows = SIZE_MAX / 8);
    FAULT("in_ld beyond size_t", PRIM_ERROR_SIZE, "d_in", in_ld = SIZE_MAX / 8);
    FAULT("out_ld beyond size_t", PRIM_ERROR_SIZE, "d_out", out_ld = SIZE_MAX / 8);
    FAULT("misaligned", PRIM_ERROR_MISALIGNED, "h_initial", h_initial = (char *)two_words + 1);
    FAULT("beside h_initial", PRIM_ERROR_VALUE, "d_initial", d_initial = d_in);
    FAULT("in d_out", PRIM_ERROR_OVERLAP, "d_initial", (h_initial = NULL, d_initial = d_out + 8));
    FAULT("one behind d_in", PRIM_ERROR_OVERLAP, "d_out",
          (d_out = d_in + 4, out_ld = LD, rows = ROWS - 1));
    FAULT("in place, another ld", PRIM_ERROR_OVERLAP, "d_out", d_out = d_in);
    FAULT("other rows", PRIM_ERROR_VALUE, "d_out", rows_less = 1);
    FAULT("other columns", PRIM_ERROR_VALUE, "d_out", columns_less = 1);
    FAULT("a total", PRIM_ERROR_VALUE, "d_total", d_total = d_in);
    const prim_status status = prim_scan_rows(
        (prim_scan_variant)c.variant, kind, PRIM_OP_SUM, PRIM_TRANSFORM_NONE,
        prim_matrix_of(in_type, d_in, rows, o->count, in_ld),
        prim_matrix_of(CUDA_R_32I, d_out, rows - rows_less, o->count - columns_less, out_ld),
        &(prim_scan_ends){.h_initial = h_initial, .d_initial = d_initial, .total = d_total},
        call_of(o, &c));
    initial = 77;
    return status;
}

/* ---- as many rows as all blocks need to have one to themselves ---- */

enum { MANY_ROWS = 24, MANY_SPAN = (MANY_ROWS - 1) * LD + COLUMNS };

static void many_input(void *h_in, unsigned seed)
{
    fill_integers(h_in, MANY_SPAN, seed);
}

static void many_answer(const void *h_in, size_t columns, void *h_out)
{
    scan_rows_by_hand(h_in, MANY_ROWS, columns, h_out);
}

static prim_status many_call(const operands *o)
{
    const call_head c = spoilt_head(o);
    const int32_t initial = SCAN_INITIAL;
    return prim_scan_rows((prim_scan_variant)c.variant, PRIM_SCAN_INCLUSIVE, PRIM_OP_SUM,
                          PRIM_TRANSFORM_NONE,
                          prim_matrix_of(CUDA_R_32I, o->d_in, MANY_ROWS, o->count, LD),
                          prim_matrix_of(CUDA_R_32I, o->d_out, MANY_ROWS, o->count, COLUMNS),
                          &(prim_scan_ends){.h_initial = &initial}, call_of(o, &c));
}

/* ---- both directions: several tiles in each ---- */

enum { DOWN = 70, ACROSS = 2100, PITCH = 2103, BOTH_SPAN = (DOWN - 1) * PITCH + ACROSS };

static void both_input(void *h_in, unsigned seed)
{
    fill_integers(h_in, BOTH_SPAN, seed);
}

static void both_answer(const void *h_in, size_t columns, void *h_out)
{
    uint32_t *out = h_out;
    for (size_t row = 0; row < DOWN; row++) {
        uint32_t sum = 0;
        for (size_t i = 0; i < columns; i++) {
            sum += (uint32_t)((const int32_t *)h_in)[row * PITCH + i];
            out[row * ACROSS + i] = sum + (row > 0 ? out[(row - 1) * ACROSS + i] : 0);
        }
    }
}

static prim_status both_call(const operands *o)
{
    const call_head c = spoilt_head(o);
    prim_op op = PRIM_OP_SUM;
    prim_transform transform = PRIM_TRANSFORM_NONE;
    cudaDataType_t out_type = CUDA_R_32I;
    char *d_in = o->d_in, *d_out = o->d_out;
    size_t rows = DOWN, in_ld = PITCH, out_ld = ACROSS, rows_less = 0;
    spoil(o, "d_in", &d_in);
    spoil(o, "d_out", &d_out);
    FAULT("unknown", PRIM_ERROR_ENUM, "op", op = PRIM_OP_XOR + 1);
    FAULT("unknown", PRIM_ERROR_ENUM, "transform", transform = PRIM_TRANSFORM_ABS + 1);
    FAULT("i32 into f32", PRIM_ERROR_TYPE, "f32", out_type = CUDA_R_32F);
    FAULT("in_ld less than columns", PRIM_ERROR_VALUE, "d_in", in_ld = ACROSS - 1);
    FAULT("out_ld less than columns", PRIM_ERROR_VALUE, "d_out", out_ld = ACROSS - 1);
    FAULT("bytes beyond size_t", PRIM_ERROR_SIZE, "d_in", rows = SIZE_MAX / 8);
    FAULT("out_ld beyond size_t", PRIM_ERROR_SIZE, "d_out", out_ld = SIZE_MAX / 8);
    FAULT("a row behind d_in", PRIM_ERROR_OVERLAP, "d_out",
          (d_out = d_in + 4 * PITCH, out_ld = PITCH, rows = DOWN - 1));
    FAULT("other rows", PRIM_ERROR_VALUE, "d_out", rows_less = 1);
    return prim_scan_2d((prim_scan_variant)c.variant, op, transform,
                        prim_matrix_of(CUDA_R_32I, d_in, rows, o->count, in_ld),
                        prim_matrix_of(out_type, d_out, rows - rows_less, o->count, out_ld),
                        call_of(o, &c));
}

const entry_point scan_entry = {.name = "prim_scan",
                                .variant_at = prim_scan_variant_at,
                                .in_bytes = SCAN_COUNT * sizeof(int32_t),
                                .out_bytes = (SCAN_COUNT + 1) * sizeof(int32_t),
                                .count = SCAN_COUNT,
                                .make_input = scan_input,
                                .right_answer = scan_answer,
                                .call = scan_call};

const entry_point scan_rows_entry = {.name = "prim_scan_rows",
                                     .variant_at = prim_scan_variant_at,
                                     .in_bytes = IN_SPAN * sizeof(int32_t),
                                     .out_bytes = ROWS * COLUMNS * sizeof(int32_t),
                                     .count = COLUMNS,
                                     .make_input = matrix_input,
                                     .right_answer = rows_answer,
                                     .call = rows_call};

const entry_point scan_many_rows_entry = {.name = "prim_scan_rows",
                                          .variant_at = prim_scan_variant_at,
                                          .in_bytes = MANY_SPAN * sizeof(int32_t),
                                          .out_bytes = MANY_ROWS * COLUMNS * sizeof(int32_t),
                                          .count = COLUMNS,
                                          .make_input = many_input,
                                          .right_answer = many_answer,
                                          .call = many_call};

const entry_point scan_2d_entry = {.name = "prim_scan_2d",
                                   .variant_at = prim_scan_variant_at,
                                   .in_bytes = BOTH_SPAN * sizeof(int32_t),
                                   .out_bytes = DOWN * ACROSS * sizeof(int32_t),
                                   .count = ACROSS,
                                   .make_input = both_input,
                                   .right_answer = both_answer,
                                   .call = both_call};
