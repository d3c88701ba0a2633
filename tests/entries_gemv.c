/* gemv among the entry points. */
#include <stdint.h>

#include <primitives/gemv.h>

#include "entry_points.h"

/* Whole numbers, so that the answer is exact in any order. x lies behind A. */

enum { ROWS = 35, K = 1060, A_COUNT = ROWS * K, IN_COUNT = A_COUNT + K };

static int gemv_variant_at(size_t index)
{
    return prim_gemv_variant_at(index);
}

static const char *gemv_variant_name(int variant)
{
    return prim_gemv_variant_name((prim_gemv_variant)variant);
}

static bool gemv_is_stateless(int variant)
{
    return variant != PRIM_GEMV_CONSTANT;
}

static void fill_floats(float *h, unsigned count, unsigned seed)
{
    for (unsigned i = 0; i < count; i++)
        h[i] = (float)((i * 2654435761u + seed * 97u) >> 8 & 0xf) - 7.0f;
}

/* ---- as it is: x has k elements ---- */

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

static prim_status gemv_workspace(int variant, size_t k, size_t *bytes)
{
    return prim_gemv_workspace_bytes((prim_gemv_variant)variant, PRIM_NOT_TRANSPOSED, ROWS, k,
                                     CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, bytes);
}

static prim_status gemv_call(const operands *o)
{
    const float *a = o->d_in, *x = a != NULL ? a + A_COUNT : NULL;
    return prim_gemv((prim_gemv_variant)o->variant, PRIM_NOT_TRANSPOSED, ROWS, o->count, 2,
                     CUDA_R_32F, a, K, CUDA_R_32F, x, 0, CUDA_R_32F, o->d_out, o->d_workspace,
                     o->workspace_bytes, o->stream);
}

/* The call with everything spelled out, for the bad arguments below. */
#define BAD_GEMV(name, variant, op, rows, columns, a_type, d_a_, lda, x_type, d_x_, y_type, d_y_, \
                 d_workspace_, bytes_)                                                            \
    static prim_status gemv_##name(const operands *o)                                             \
    {                                                                                             \
        char *const d_a = o->d_in, *const d_x = d_a + A_COUNT * 4, *const d_y = o->d_out;         \
        (void)d_a, (void)d_x, (void)d_y;                                                          \
        return prim_gemv((prim_gemv_variant)(variant), (prim_transpose)(op), rows, columns, 1,    \
                         (cudaDataType_t)(a_type), d_a_, lda, (cudaDataType_t)(x_type), d_x_, 0,  \
                         (cudaDataType_t)(y_type), d_y_, d_workspace_, bytes_, o->stream);        \
    }

#define V o->variant
#define F CUDA_R_32F
#define D CUDA_R_64F
BAD_GEMV(no_variant, 9999, 0, ROWS, K, F, d_a, K, F, d_x, F, d_y, NULL, 0)
BAD_GEMV(negative_variant, -1, 0, ROWS, K, F, d_a, K, F, d_x, F, d_y, NULL, 0)
BAD_GEMV(no_op, V, 2, ROWS, K, F, d_a, K, F, d_x, F, d_y, NULL, 0)
BAD_GEMV(negative_op, V, -1, ROWS, K, F, d_a, K, F, d_x, F, d_y, NULL, 0)
BAD_GEMV(no_type, V, 0, ROWS, K, 9999, d_a, K, 9999, d_x, 9999, d_y, NULL, 0)
BAD_GEMV(integers, V, 0, ROWS, K, CUDA_R_32I, d_a, K, CUDA_R_32I, d_x, CUDA_R_32I, d_y, NULL, 0)
BAD_GEMV(other_a, V, 0, ROWS, 8, D, d_a, 8, F, d_x, F, d_y, NULL, 0)
BAD_GEMV(other_x, V, 0, ROWS, 8, F, d_a, 8, D, d_x, F, d_y, NULL, 0)
BAD_GEMV(other_y, V, 0, 8, K, F, d_a, K, F, d_x, D, d_y, NULL, 0)
BAD_GEMV(small_lda, V, 0, ROWS, K, F, d_a, K - 1, F, d_x, F, d_y, NULL, 0)
BAD_GEMV(small_lda_t, V, 1, K, ROWS, F, d_a, ROWS - 1, F, d_x, F, d_y, NULL, 0)
BAD_GEMV(null_a, V, 0, ROWS, K, F, NULL, K, F, d_x, F, d_y, NULL, 0)
BAD_GEMV(null_x, V, 0, ROWS, K, F, d_a, K, F, NULL, F, d_y, NULL, 0)
BAD_GEMV(null_y, V, 0, ROWS, K, F, d_a, K, F, d_x, F, NULL, NULL, 0)
BAD_GEMV(null_space, V, 0, ROWS, K, F, d_a, K, F, d_x, F, d_y, NULL, 256)
BAD_GEMV(odd_a, V, 0, ROWS - 1, K, F, d_a + 2, K, F, d_x, F, d_y, NULL, 0)
BAD_GEMV(odd_x, V, 0, ROWS, K - 1, F, d_a, K, F, d_x + 1, F, d_y, NULL, 0)
BAD_GEMV(odd_y, V, 0, ROWS - 1, K, F, d_a, K, F, d_x, F, d_y + 2, NULL, 0)
BAD_GEMV(odd_space, V, 0, ROWS, K, F, d_a, K, F, d_x, F, d_y, d_a + 4, 256)
BAD_GEMV(too_many, V, 0, SIZE_MAX / 8, K, F, d_a, K, F, d_x, F, d_y, NULL, 0)
BAD_GEMV(too_far_apart, V, 0, ROWS, K, F, d_a, SIZE_MAX / 8, F, d_x, F, d_y, NULL, 0)
BAD_GEMV(y_in_a, V, 0, ROWS, K, F, d_a, K, F, d_x, F, d_a + 400, NULL, 0)
BAD_GEMV(y_in_gap, V, 0, 3, 8, F, d_a, 100, F, d_x, F, d_a + 200, NULL, 0)
BAD_GEMV(y_in_x, V, 0, ROWS, K, F, d_a, K, F, d_x, F, d_x + 4 * (K - 1), NULL, 0)
BAD_GEMV(space_in_a, V, 0, ROWS, K, F, d_a, K, F, d_x, F, d_y, d_a, 256)
BAD_GEMV(space_in_y, V, 0, ROWS, K, F, d_a, K, F, d_x, F, d_y, d_y, 256)
#undef V
#undef F
#undef D

static prim_status gemv_null_bytes(const operands *o)
{
    return gemv_workspace(o->variant, o->count, NULL);
}

static const bad_argument gemv_bad[] = {
    {"unknown variant", gemv_no_variant, PRIM_ERROR_ENUM, "variant"},
    {"negative variant", gemv_negative_variant, PRIM_ERROR_ENUM, "variant"},
    {"unknown op", gemv_no_op, PRIM_ERROR_ENUM, "op"},
    {"negative op", gemv_negative_op, PRIM_ERROR_ENUM, "op"},
    {"unknown type", gemv_no_type, PRIM_ERROR_TYPE, "y_type"},
    {"integers", gemv_integers, PRIM_ERROR_TYPE, "i32"},
    {"A of f64", gemv_other_a, PRIM_ERROR_TYPE, "f64"},
    {"x of f64", gemv_other_x, PRIM_ERROR_TYPE, "f64"},
    {"y of f64", gemv_other_y, PRIM_ERROR_TYPE, "f64"},
    {"lda less than columns", gemv_small_lda, PRIM_ERROR_VALUE, "d_a"},
    {"lda less than columns, transposed", gemv_small_lda_t, PRIM_ERROR_VALUE, "d_a"},
    {"d_a NULL", gemv_null_a, PRIM_ERROR_NULL, "d_a"},
    {"d_x NULL", gemv_null_x, PRIM_ERROR_NULL, "d_x"},
    {"d_y NULL", gemv_null_y, PRIM_ERROR_NULL, "d_y"},
    {"d_workspace NULL with bytes", gemv_null_space, PRIM_ERROR_NULL, "d_workspace"},
    {"bytes NULL", gemv_null_bytes, PRIM_ERROR_NULL, "bytes"},
    {"d_a misaligned", gemv_odd_a, PRIM_ERROR_MISALIGNED, "d_a"},
    {"d_x misaligned", gemv_odd_x, PRIM_ERROR_MISALIGNED, "d_x"},
    {"d_y misaligned", gemv_odd_y, PRIM_ERROR_MISALIGNED, "d_y"},
    {"d_workspace misaligned", gemv_odd_space, PRIM_ERROR_MISALIGNED, "d_workspace"},
    {"rows beyond size_t", gemv_too_many, PRIM_ERROR_SIZE, "d_a"},
    {"lda beyond size_t", gemv_too_far_apart, PRIM_ERROR_SIZE, "d_a"},
    {"y in A", gemv_y_in_a, PRIM_ERROR_OVERLAP, "d_y"},
    {"y in a gap of A", gemv_y_in_gap, PRIM_ERROR_OVERLAP, "d_y"},
    {"y at x's end", gemv_y_in_x, PRIM_ERROR_OVERLAP, "d_y"},
    {"d_workspace in A", gemv_space_in_a, PRIM_ERROR_OVERLAP, "d_workspace"},
    {"d_workspace in y", gemv_space_in_y, PRIM_ERROR_OVERLAP, "d_workspace"},
};

/* ---- transposed, f64, over two blocks; k rows of 300 with gaps between them ---- */

enum {
    COLUMNS_T = 300,
    LDA_T = 303,
    K_T = 70,
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

static prim_status transposed_workspace(int variant, size_t k, size_t *bytes)
{
    return prim_gemv_workspace_bytes((prim_gemv_variant)variant, PRIM_TRANSPOSED, k, COLUMNS_T,
                                     CUDA_R_64F, CUDA_R_64F, CUDA_R_64F, bytes);
}

static prim_status transposed_call(const operands *o)
{
    const double *a = o->d_in, *x = a != NULL ? a + A_COUNT_T : NULL;
    return prim_gemv((prim_gemv_variant)o->variant, PRIM_TRANSPOSED, o->count, COLUMNS_T, 3,
                     CUDA_R_64F, a, LDA_T, CUDA_R_64F, x, 0, CUDA_R_64F, o->d_out, o->d_workspace,
                     o->workspace_bytes, o->stream);
}

const entry_point gemv_entry = {.name = "prim_gemv",
                                .variant_count = prim_gemv_variant_count,
                                .variant_at = gemv_variant_at,
                                .variant_name = gemv_variant_name,
                                .in_bytes = IN_COUNT * sizeof(float),
                                .out_bytes = ROWS * sizeof(float),
                                .count = K,
                                .make_input = gemv_input,
                                .right_answer = gemv_answer,
                                .workspace_bytes = gemv_workspace,
                                .call = gemv_call,
                                .bad = gemv_bad,
                                .bad_count = sizeof gemv_bad / sizeof *gemv_bad,
                                .is_stateless = gemv_is_stateless};

const entry_point gemv_transposed_entry = {.name = "prim_gemv",
                                           .variant_count = prim_gemv_variant_count,
                                           .variant_at = gemv_variant_at,
                                           .variant_name = gemv_variant_name,
                                           .in_bytes = IN_COUNT_T * sizeof(double),
                                           .out_bytes = COLUMNS_T * sizeof(double),
                                           .count = K_T,
                                           .make_input = transposed_input,
                                           .right_answer = transposed_answer,
                                           .workspace_bytes = transposed_workspace,
                                           .call = transposed_call,
                                           .is_stateless = gemv_is_stateless};
