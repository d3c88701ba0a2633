/* gemm among the entry points. */
#include <stdint.h>

#include <primitives/gemm.h>

#include "entry_points.h"

/* ---- f32, as they are: whole numbers, so that the answer is exact in any order. B lies behind
 * A. ---- */

enum { M = 37, COLUMNS = 35, K = 70, A_COUNT = M * K, IN_COUNT = A_COUNT + K * COLUMNS };

static int gemm_variant_at(size_t index)
{
    return prim_gemm_variant_at(index);
}

static const char *gemm_variant_name(int variant)
{
    return prim_gemm_variant_name((prim_gemm_variant)variant);
}

static void gemm_input(void *h_in, unsigned seed)
{
    for (unsigned i = 0; i < IN_COUNT; i++)
        ((float *)h_in)[i] = (float)((i * 2654435761u + seed * 97u) >> 8 & 0xf) - 7.0f;
}

/* 2 · A · B */
static void gemm_answer(const void *h_in, size_t k, void *h_out)
{
    const float *a = h_in, *b = a + A_COUNT;
    for (size_t i = 0; i < (size_t)M * COLUMNS; i++) {
        float sum = 0;
        for (size_t j = 0; j < k; j++)
            sum += a[i / COLUMNS * K + j] * b[j * COLUMNS + i % COLUMNS];
        ((float *)h_out)[i] = 2 * sum;
    }
}

static prim_status gemm_workspace(int variant, size_t k, size_t *bytes)
{
    return prim_gemm_workspace_bytes((prim_gemm_variant)variant, PRIM_NOT_TRANSPOSED,
                                     PRIM_NOT_TRANSPOSED, M, COLUMNS, k, CUDA_R_32F, CUDA_R_32F,
                                     CUDA_R_32F, PRIM_COMPUTE_DEFAULT, bytes);
}

static prim_status gemm_call(const operands *o)
{
    const float *a = o->d_in, *b = a != NULL ? a + A_COUNT : NULL;
    return prim_gemm((prim_gemm_variant)o->variant, PRIM_NOT_TRANSPOSED, PRIM_NOT_TRANSPOSED, M,
                     COLUMNS, o->count, 2, CUDA_R_32F, a, K, CUDA_R_32F, b, COLUMNS, 0, CUDA_R_32F,
                     o->d_out, COLUMNS, PRIM_COMPUTE_DEFAULT, o->d_workspace, o->workspace_bytes,
                     o->stream);
}

/* The call with everything spelled out, for the bad arguments below. */
#define BAD_GEMM(name, variant, op_a, op_b, m, n, k, alpha, a_type, d_a_, lda, b_type, d_b_, ldb,  \
                 beta, c_type, d_c_, ldc, compute, d_workspace_, bytes_)                           \
    static prim_status gemm_##name(const operands *o)                                              \
    {                                                                                              \
        char *const d_a = o->d_in, *const d_b = d_a + A_COUNT * 4, *const d_c = o->d_out;          \
        (void)d_a, (void)d_b, (void)d_c;                                                           \
        return prim_gemm((prim_gemm_variant)(variant), (prim_transpose)(op_a),                     \
                         (prim_transpose)(op_b), m, n, k, alpha, (cudaDataType_t)(a_type), d_a_,   \
                         lda, (cudaDataType_t)(b_type), d_b_, ldb, beta, (cudaDataType_t)(c_type), \
                         d_c_, ldc, (prim_compute)(compute), d_workspace_, bytes_, o->stream);     \
    }

#define V o->variant
#define N COLUMNS
#define F CUDA_R_32F
#define I CUDA_R_32I
BAD_GEMM(no_variant, 9999, 0, 0, M, N, K, 1, F, d_a, K, F, d_b, N, 0, F, d_c, N, 0, NULL, 0)
BAD_GEMM(negative_variant, -1, 0, 0, M, N, K, 1, F, d_a, K, F, d_b, N, 0, F, d_c, N, 0, NULL, 0)
BAD_GEMM(no_op_a, V, 2, 0, M, N, K, 1, F, d_a, K, F, d_b, N, 0, F, d_c, N, 0, NULL, 0)
BAD_GEMM(negative_op_a, V, -1, 0, M, N, K, 1, F, d_a, K, F, d_b, N, 0, F, d_c, N, 0, NULL, 0)
BAD_GEMM(no_op_b, V, 0, 2, M, N, K, 1, F, d_a, K, F, d_b, N, 0, F, d_c, N, 0, NULL, 0)
BAD_GEMM(no_compute, V, 0, 0, M, N, K, 1, F, d_a, K, F, d_b, N, 0, F, d_c, N, 1, NULL, 0)
BAD_GEMM(no_type, V, 0, 0, M, N, K, 1, 9999, d_a, K, 9999, d_b, N, 0, 9999, d_c, N, 0, NULL, 0)
BAD_GEMM(complex_type, V, 0, 0, M, N, 8, 1, 4, d_a, K, 4, d_b, N, 0, 4, d_c, N, 0, NULL, 0)
BAD_GEMM(other_a, V, 0, 0, M, N, 8, 1, CUDA_R_64F, d_a, 8, F, d_b, N, 0, F, d_c, N, 0, NULL, 0)
BAD_GEMM(other_b, V, 0, 0, M, N, K, 1, F, d_a, K, I, d_b, N, 0, F, d_c, N, 0, NULL, 0)
BAD_GEMM(other_c, V, 0, 0, M, N, K, 1, F, d_a, K, F, d_b, N, 0, I, d_c, N, 0, NULL, 0)
BAD_GEMM(small_lda, V, 0, 0, M, N, K, 1, F, d_a, K - 1, F, d_b, N, 0, F, d_c, N, 0, NULL, 0)
BAD_GEMM(small_lda_t, V, 1, 0, M, N, K, 1, F, d_a, M - 1, F, d_b, N, 0, F, d_c, N, 0, NULL, 0)
BAD_GEMM(small_ldb, V, 0, 0, M, N, K, 1, F, d_a, K, F, d_b, N - 1, 0, F, d_c, N, 0, NULL, 0)
BAD_GEMM(small_ldb_t, V, 0, 1, M, N, K, 1, F, d_a, K, F, d_b, K - 1, 0, F, d_c, N, 0, NULL, 0)
BAD_GEMM(small_ldc, V, 0, 0, M, N, K, 1, F, d_a, K, F, d_b, N, 0, F, d_c, N - 1, 0, NULL, 0)
BAD_GEMM(half_alpha, V, 0, 0, M, N, K, 0.5, I, d_a, K, I, d_b, N, 0, I, d_c, N, 0, NULL, 0)
BAD_GEMM(half_beta, V, 0, 0, M, N, K, 1, I, d_a, K, I, d_b, N, 0.5, I, d_c, N, 0, NULL, 0)
BAD_GEMM(large_alpha, V, 0, 0, M, N, K, 0x1p63, I, d_a, K, I, d_b, N, 0, I, d_c, N, 0, NULL, 0)
BAD_GEMM(null_a, V, 0, 0, M, N, K, 1, F, NULL, K, F, d_b, N, 0, F, d_c, N, 0, NULL, 0)
BAD_GEMM(null_unread_a, V, 0, 0, M, N, K, 0, F, NULL, K, F, d_b, N, 0, F, d_c, N, 0, NULL, 0)
BAD_GEMM(null_b, V, 0, 0, M, N, K, 1, F, d_a, K, F, NULL, N, 0, F, d_c, N, 0, NULL, 0)
BAD_GEMM(null_c, V, 0, 0, M, N, K, 1, F, d_a, K, F, d_b, N, 0, F, NULL, N, 0, NULL, 0)
BAD_GEMM(null_space, V, 0, 0, M, N, K, 1, F, d_a, K, F, d_b, N, 0, F, d_c, N, 0, NULL, 256)
BAD_GEMM(odd_a, V, 0, 0, M - 1, N, K, 1, F, d_a + 2, K, F, d_b, N, 0, F, d_c, N, 0, NULL, 0)
BAD_GEMM(odd_b, V, 0, 0, M, N, K - 1, 1, F, d_a, K, F, d_b + 1, N, 0, F, d_c, N, 0, NULL, 0)
BAD_GEMM(odd_c, V, 0, 0, M - 1, N, K, 1, F, d_a, K, F, d_b, N, 0, F, d_c + 2, N, 0, NULL, 0)
BAD_GEMM(odd_space, V, 0, 0, M, N, K, 1, F, d_a, K, F, d_b, N, 0, F, d_c, N, 0, d_a + 4, 256)
BAD_GEMM(many_rows, V, 0, 0, SIZE_MAX / 8, N, K, 1, F, d_a, K, F, d_b, N, 0, F, d_c, N, 0, NULL, 0)
BAD_GEMM(many_columns, V, 0, 0, M, SIZE_MAX / 8, K, 1, F, d_a, K, F, d_b, SIZE_MAX / 8, 0, F, d_c,
         SIZE_MAX / 8, 0, NULL, 0)
BAD_GEMM(far_apart_a, V, 0, 0, M, N, K, 1, F, d_a, SIZE_MAX / 8, F, d_b, N, 0, F, d_c, N, 0, NULL,
         0)
BAD_GEMM(far_apart_c, V, 0, 0, M, N, K, 1, F, d_a, K, F, d_b, N, 0, F, d_c, SIZE_MAX / 8, 0, NULL,
         0)
BAD_GEMM(c_in_a, V, 0, 0, M, N, K, 1, F, d_a, K, F, d_b, N, 0, F, d_a + 8, N, 0, NULL, 0)
BAD_GEMM(c_in_b, V, 0, 0, M, N, K, 1, F, d_a, K, F, d_b, N, 0, F, d_b + 8, N, 0, NULL, 0)
BAD_GEMM(c_is_b, V, 0, 0, K, N, K, 1, F, d_a, K, F, d_a, N, 0, F, d_a, N, 0, NULL, 0)
BAD_GEMM(c_beside_a, V, 0, 0, M, 3, 3, 1, F, d_a, 10, F, d_b, 3, 0, F, d_a + 8, 10, 0, NULL, 0)
BAD_GEMM(space_in_a, V, 0, 0, M, N, K, 1, F, d_a, K, F, d_b, N, 0, F, d_c, N, 0, d_a, 256)
BAD_GEMM(space_in_c, V, 0, 0, M, N, K, 1, F, d_a, K, F, d_b, N, 0, F, d_c, N, 0, d_c, 256)
#undef V
#undef N
#undef F
#undef I

static prim_status gemm_null_bytes(const operands *o)
{
    return gemm_workspace(o->variant, o->count, NULL);
}

static const bad_argument gemm_bad[] = {
    {"unknown variant", gemm_no_variant, PRIM_ERROR_ENUM, "variant"},
    {"negative variant", gemm_negative_variant, PRIM_ERROR_ENUM, "variant"},
    {"unknown op_a", gemm_no_op_a, PRIM_ERROR_ENUM, "op_a"},
    {"negative op_a", gemm_negative_op_a, PRIM_ERROR_ENUM, "op_a"},
    {"unknown op_b", gemm_no_op_b, PRIM_ERROR_ENUM, "op_b"},
    {"unknown compute", gemm_no_compute, PRIM_ERROR_ENUM, "compute"},
    {"unknown type", gemm_no_type, PRIM_ERROR_TYPE, "c_type"},
    {"complex type", gemm_complex_type, PRIM_ERROR_TYPE, "c_type"},
    {"A of f64", gemm_other_a, PRIM_ERROR_TYPE, "f64"},
    {"B of i32", gemm_other_b, PRIM_ERROR_TYPE, "i32"},
    {"C of i32", gemm_other_c, PRIM_ERROR_TYPE, "i32"},
    {"lda less than k", gemm_small_lda, PRIM_ERROR_VALUE, "d_a"},
    {"lda less than m", gemm_small_lda_t, PRIM_ERROR_VALUE, "d_a"},
    {"ldb less than n", gemm_small_ldb, PRIM_ERROR_VALUE, "d_b"},
    {"ldb less than k", gemm_small_ldb_t, PRIM_ERROR_VALUE, "d_b"},
    {"ldc less than n", gemm_small_ldc, PRIM_ERROR_VALUE, "d_c"},
    {"i32 with half an alpha", gemm_half_alpha, PRIM_ERROR_VALUE, "alpha"},
    {"i32 with half a beta", gemm_half_beta, PRIM_ERROR_VALUE, "beta"},
    {"i32 with an alpha of 2^63", gemm_large_alpha, PRIM_ERROR_VALUE, "alpha"},
    {"d_a NULL", gemm_null_a, PRIM_ERROR_NULL, "d_a"},
    {"d_a NULL with alpha 0", gemm_null_unread_a, PRIM_ERROR_NULL, "d_a"},
    {"d_b NULL", gemm_null_b, PRIM_ERROR_NULL, "d_b"},
    {"d_c NULL", gemm_null_c, PRIM_ERROR_NULL, "d_c"},
    {"d_workspace NULL with bytes", gemm_null_space, PRIM_ERROR_NULL, "d_workspace"},
    {"bytes NULL", gemm_null_bytes, PRIM_ERROR_NULL, "bytes"},
    {"d_a misaligned", gemm_odd_a, PRIM_ERROR_MISALIGNED, "d_a"},
    {"d_b misaligned", gemm_odd_b, PRIM_ERROR_MISALIGNED, "d_b"},
    {"d_c misaligned", gemm_odd_c, PRIM_ERROR_MISALIGNED, "d_c"},
    {"d_workspace misaligned", gemm_odd_space, PRIM_ERROR_MISALIGNED, "d_workspace"},
    {"rows beyond size_t", gemm_many_rows, PRIM_ERROR_SIZE, "d_a"},
    {"columns beyond size_t", gemm_many_columns, PRIM_ERROR_SIZE, "d_b"},
    {"lda beyond size_t", gemm_far_apart_a, PRIM_ERROR_SIZE, "d_a"},
    {"ldc beyond size_t", gemm_far_apart_c, PRIM_ERROR_SIZE, "d_c"},
    {"C in A", gemm_c_in_a, PRIM_ERROR_OVERLAP, "d_c"},
    {"C in B", gemm_c_in_b, PRIM_ERROR_OVERLAP, "d_c"},
    {"C is B", gemm_c_is_b, PRIM_ERROR_OVERLAP, "d_c"},
    {"C meets A's last column", gemm_c_beside_a, PRIM_ERROR_OVERLAP, "d_c"},
    {"d_workspace in A", gemm_space_in_a, PRIM_ERROR_OVERLAP, "d_workspace"},
    {"d_workspace in C", gemm_space_in_c, PRIM_ERROR_OVERLAP, "d_workspace"},
};

/* ---- i32, both transposed, in several pieces along k; gaps between A's rows ---- */

enum {
    M_T = 3,
    COLUMNS_T = 18,
    K_T = 1061,
    LDA_T = 5,
    A_COUNT_T = K_T * LDA_T,
    IN_COUNT_T = A_COUNT_T + COLUMNS_T * K_T
};

static void transposed_input(void *h_in, unsigned seed)
{
    for (unsigned i = 0; i < IN_COUNT_T; i++)
        ((int32_t *)h_in)[i] = (int32_t)((i * 2654435761u + seed * 97u) >> 3);
}

/* -3 · Aᵀ · Bᵀ modulo 2^32 */
static void transposed_answer(const void *h_in, size_t k, void *h_out)
{
    const uint32_t *a = h_in, *b = a + A_COUNT_T;
    for (size_t i = 0; i < (size_t)M_T * COLUMNS_T; i++) {
        uint32_t sum = 0;
        for (size_t j = 0; j < k; j++)
            sum += a[j * LDA_T + i / COLUMNS_T] * b[i % COLUMNS_T * K_T + j];
        ((uint32_t *)h_out)[i] = (uint32_t)-3 * sum;
    }
}

static prim_status transposed_workspace(int variant, size_t k, size_t *bytes)
{
    return prim_gemm_workspace_bytes((prim_gemm_variant)variant, PRIM_TRANSPOSED, PRIM_TRANSPOSED,
                                     M_T, COLUMNS_T, k, CUDA_R_32I, CUDA_R_32I, CUDA_R_32I,
                                     PRIM_COMPUTE_DEFAULT, bytes);
}

static prim_status transposed_call(const operands *o)
{
    const int32_t *a = o->d_in, *b = a != NULL ? a + A_COUNT_T : NULL;
    return prim_gemm((prim_gemm_variant)o->variant, PRIM_TRANSPOSED, PRIM_TRANSPOSED, M_T,
                     COLUMNS_T, o->count, -3, CUDA_R_32I, a, LDA_T, CUDA_R_32I, b, K_T, 0,
                     CUDA_R_32I, o->d_out, COLUMNS_T, PRIM_COMPUTE_DEFAULT, o->d_workspace,
                     o->workspace_bytes, o->stream);
}

const entry_point gemm_entry = {.name = "prim_gemm",
                                .variant_count = prim_gemm_variant_count,
                                .variant_at = gemm_variant_at,
                                .variant_name = gemm_variant_name,
                                .in_bytes = IN_COUNT * sizeof(float),
                                .out_bytes = (size_t)M * COLUMNS * sizeof(float),
                                .count = K,
                                .make_input = gemm_input,
                                .right_answer = gemm_answer,
                                .workspace_bytes = gemm_workspace,
                                .call = gemm_call,
                                .bad = gemm_bad,
                                .bad_count = sizeof gemm_bad / sizeof *gemm_bad};

const entry_point gemm_transposed_entry = {.name = "prim_gemm",
                                           .variant_count = prim_gemm_variant_count,
                                           .variant_at = gemm_variant_at,
                                           .variant_name = gemm_variant_name,
                                           .in_bytes = IN_COUNT_T * sizeof(int32_t),
                                           .out_bytes = (size_t)M_T * COLUMNS_T * sizeof(int32_t),
                                           .count = K_T,
                                           .make_input = transposed_input,
                                           .right_answer = transposed_answer,
                                           .workspace_bytes = transposed_workspace,
                                           .call = transposed_call};
