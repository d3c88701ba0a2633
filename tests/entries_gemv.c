/* gemv among the entry points. */
#include <stdint.h>

#include <primitives/gemv.h>

#include "entry_points.h"
#include "stored.h"

/* Whole numbers, so that the answer is exact in any order. x lies after A. */

enum { ROWS = 300, K = 70, A_COUNT = ROWS * K, IN_COUNT = A_COUNT + K };

static bool gemv_is_stateless(int variant)
{
    return variant != PRIM_GEMV_CONSTANT;
}

static void fill_floats(float *h, unsigned count, unsigned seed)
{
    for (unsigned i = 0; i < count; i++)
        h[i] = (float)((i * 2654435761u + seed * 97u) >> 8 & 0xf) - 7.0f;
}

/* ---- as it is, over two blocks: x has k elements ---- */

static void gemv_input(void *h_in, unsigned seed)
{
    fill_floats(h_in, IN_COUNT, seed);
}

/* 2 · A · x */
static void gemv_answer(const void *h_in, size_t k, void *h_out)
{
    const float *a = h_in, *x = a + A_COUNT;
    for (size_t i = 0; i < ROWS; i++) {
        float sum = 0;
        for (size_t j = 0; j < k; j++)
            sum += a[i * K + j] * x[j];
        ((float *)h_out)[i] = 2 * sum;
    }
}

static prim_status gemv_call(const operands *o)
{
    const call_head c = spoilt_head(o);
    prim_transpose op = PRIM_NOT_TRANSPOSED;
    cudaDataType_t a_type = CUDA_R_32F, x_type = CUDA_R_32F, y_type = CUDA_R_32F;
    size_t rows = ROWS, columns = o->count, lda = K;
    char *d_a = o->d_in, *d_x = part_of(d_a, 4 * A_COUNT), *d_y = o->d_out;
    spoil(o, "d_a", &d_a);
    spoil(o, "d_x", &d_x);
    spoil(o, "d_y", &d_y);
    FAULT("unknown", PRIM_ERROR_ENUM, "op", op = 2);
    FAULT("negative", PRIM_ERROR_ENUM, "op", op = -1);
    FAULT("unknown", PRIM_ERROR_TYPE, "y_type", a_type = x_type = y_type = 9999);
    FAULT("unsigned", PRIM_ERROR_TYPE, "u32", a_type = x_type = y_type = CUDA_R_32U);
    FAULT("A of f64", PRIM_ERROR_TYPE, "f64", a_type = CUDA_R_64F);
    FAULT("x of f64", PRIM_ERROR_TYPE, "f64", x_type = CUDA_R_64F);
    FAULT("y of f64", PRIM_ERROR_TYPE, "f64", y_type = CUDA_R_64F);
    FAULT("lda less than columns", PRIM_ERROR_VALUE, "d_a", lda = K - 1);
    FAULT("lda less than columns, transposed", PRIM_ERROR_VALUE, "d_a",
          (op = PRIM_TRANSPOSED, rows = K, columns = ROWS, lda = ROWS - 1));
    FAULT("rows beyond size_t", PRIM_ERROR_SIZE, "d_a", rows = SIZE_MAX / 8);
    FAULT("lda beyond size_t", PRIM_ERROR_SIZE, "d_a", lda = SIZE_MAX / 8);
    FAULT("in A", PRIM_ERROR_OVERLAP, "d_y", d_y = d_a + 400);
    FAULT("in a gap of A", PRIM_ERROR_OVERLAP, "d_y",
          (rows = 3, columns = 8, lda = 100, d_y = d_a + 200));
    FAULT("at x's end", PRIM_ERROR_OVERLAP, "d_y", d_y = d_x + 4 * (K - 1));
    prim_vector x = x_of(op, x_type, d_x, rows, columns), y = y_of(op, y_type, d_y, rows, columns);
    FAULT("longer than a row", PRIM_ERROR_VALUE, "x has 71", x.count++);
    FAULT("shorter than a column", PRIM_ERROR_VALUE, "y has 299", y.count--);
    FAULT("not turned", PRIM_ERROR_VALUE, "op(A) is 70 × 300", op = PRIM_TRANSPOSED);
    return prim_gemv((prim_gemv_variant)c.variant, op, 2,
                     prim_matrix_of(a_type, d_a, rows, columns, lda), x, 0, y, call_of(o, &c));
}

/* ---- transposed, f64, in several pieces along k; gaps between A's rows ---- */

enum {
    COLUMNS_T = 35,
    LDA_T = 37,
    K_T = 1060,
    A_COUNT_T = K_T * LDA_T,
    IN_COUNT_T = A_COUNT_T + K_T
};

static void transposed_input(void *h_in, unsigned seed)
{
    for (unsigned i = 0; i < IN_COUNT_T; i++)
        ((double *)h_in)[i] = (double)((i * 2654435761u + seed * 97u) >> 8 & 0xff) - 127;
}

/* 3 · Aᵀ · x */
static void transposed_answer(const void *h_in, size_t k, void *h_out)
{
    const double *a = h_in, *x = a + A_COUNT_T;
    for (size_t i = 0; i < COLUMNS_T; i++) {
        double sum = 0;
        for (size_t j = 0; j < k; j++)
            sum += a[j * LDA_T + i] * x[j];
        ((double *)h_out)[i] = 3 * sum;
    }
}

static prim_status transposed_call(const operands *o)
{
    const call_head c = spoilt_head(o);
    char *d_a = o->d_in, *d_x = part_of(d_a, 8 * A_COUNT_T), *d_y = o->d_out;
    spoil(o, "d_a", &d_a);
    spoil(o, "d_x", &d_x);
    spoil(o, "d_y", &d_y);
    return prim_gemv((prim_gemv_variant)c.variant, PRIM_TRANSPOSED, 3,
                     prim_matrix_of(CUDA_R_64F, d_a, o->count, COLUMNS_T, LDA_T),
                     prim_vector_of(CUDA_R_64F, d_x, o->count), 0,
                     prim_vector_of(CUDA_R_64F, d_y, COLUMNS_T), call_of(o, &c));
}

/* ---- a batch of three, in several pieces along k; x is the same for all ---- */

enum {
    PRODUCTS = 3,
    COLUMNS_B = 5,
    A_STRIDE = K_T * COLUMNS_B + 1,
    Y_STRIDE = COLUMNS_B,
    A_COUNT_B = PRODUCTS * A_STRIDE,
    IN_COUNT_B = A_COUNT_B + K_T,
    OUT_COUNT_B = (PRODUCTS - 1) * Y_STRIDE + COLUMNS_B
};

static void batched_input(void *h_in, unsigned seed)
{
    fill_floats(h_in, IN_COUNT_B, seed);
}

/* Aᵀ · x of each */
static void batched_answer(const void *h_in, size_t k, void *h_out)
{
    const float *x = (const float *)h_in + A_COUNT_B;
    for (size_t p = 0; p < PRODUCTS; p++)
        for (size_t i = 0; i < COLUMNS_B; i++) {
            const float *a = (const float *)h_in + p * A_STRIDE + i;
            float sum = 0;
            for (size_t j = 0; j < k; j++)
                sum += a[j * COLUMNS_B] * x[j];
            ((float *)h_out)[p * Y_STRIDE + i] = sum;
        }
}

static prim_status batched_call(const operands *o)
{
    const call_head c = spoilt_head(o);
    size_t a_stride = A_STRIDE, x_stride = 0, y_stride = Y_STRIDE, batches = PRODUCTS;
    char *d_a = o->d_in, *d_x = part_of(d_a, 4 * A_COUNT_B), *d_y = o->d_out;
    spoil(o, "d_a", &d_a);
    spoil(o, "d_x", &d_x);
    spoil(o, "d_y", &d_y);
    FAULT("y over y", PRIM_ERROR_VALUE, "y_stride", y_stride = COLUMNS_B - 1);
    FAULT("A beyond size_t", PRIM_ERROR_SIZE, "d_a", a_stride = SIZE_MAX / 8);
    FAULT("x beyond size_t", PRIM_ERROR_SIZE, "d_x", x_stride = SIZE_MAX / 8);
    FAULT("too many", PRIM_ERROR_SIZE, "d_y", batches = SIZE_MAX / 8);
    FAULT("in the last A", PRIM_ERROR_OVERLAP, "d_y", d_y = d_x - 8);
    return prim_gemv_batched(
        (prim_gemv_variant)c.variant, PRIM_TRANSPOSED, 1,
        in_batch(prim_matrix_of(CUDA_R_32F, d_a, o->count, COLUMNS_B, 0), a_stride),
        vector_in_batch(prim_vector_of(CUDA_R_32F, d_x, o->count), x_stride), 0,
        vector_in_batch(prim_vector_of(CUDA_R_32F, d_y, COLUMNS_B), y_stride), batches,
        call_of(o, &c));
}

const entry_point gemv_entry = {.name = "prim_gemv",
                                .variant_at = prim_gemv_variant_at,
                                .in_bytes = IN_COUNT * sizeof(float),
                                .out_bytes = ROWS * sizeof(float),
                                .count = K,
                                .make_input = gemv_input,
                                .right_answer = gemv_answer,
                                .call = gemv_call,
                                .is_stateless = gemv_is_stateless};

const entry_point gemv_transposed_entry = {.name = "prim_gemv",
                                           .variant_at = prim_gemv_variant_at,
                                           .in_bytes = IN_COUNT_T * sizeof(double),
                                           .out_bytes = COLUMNS_T * sizeof(double),
                                           .count = K_T,
                                           .make_input = transposed_input,
                                           .right_answer = transposed_answer,
                                           .call = transposed_call,
                                           .is_stateless = gemv_is_stateless};

const entry_point gemv_batched_entry = {.name = "prim_gemv_batched",
                                        .variant_at = prim_gemv_variant_at,
                                        .in_bytes = IN_COUNT_B * sizeof(float),
                                        .out_bytes = OUT_COUNT_B * sizeof(float),
                                        .count = K_T,
                                        .make_input = batched_input,
                                        .right_answer = batched_answer,
                                        .call = batched_call,
                                        .is_stateless = gemv_is_stateless};
