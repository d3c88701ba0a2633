/* gemm among the entry points. */
#include <stdint.h>

#include <primitives/gemm.h>

#include "entry_points.h"

/* ---- f32, as they are: whole numbers, so that the answer is exact in any order. B lies behind
 * A. ---- */

enum { M = 37, COLUMNS = 35, K = 70, A_COUNT = M * K, IN_COUNT = A_COUNT + K * COLUMNS };

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

/* The arguments of a call on f32. */
typedef struct gemm_arguments {
    prim_transpose op_a, op_b;
    size_t m, n, k, lda, ldb, ldc;
    double alpha, beta;
    cudaDataType_t a_type, b_type, c_type;
    char *d_a, *d_b, *d_c;
    prim_compute compute;
} gemm_arguments;

static void spoil_kind(const operands *o, gemm_arguments *a)
{
    FAULT("unknown", PRIM_ERROR_ENUM, "op_a", a->op_a = 2);
    FAULT("negative", PRIM_ERROR_ENUM, "op_a", a->op_a = -1);
    FAULT("unknown", PRIM_ERROR_ENUM, "op_b", a->op_b = 2);
    FAULT("unknown", PRIM_ERROR_ENUM, "compute", a->compute = 1);
    FAULT("unknown", PRIM_ERROR_TYPE, "c_type", a->a_type = a->b_type = a->c_type = 9999);
    FAULT("complex", PRIM_ERROR_TYPE, "c_type", a->a_type = a->b_type = a->c_type = 4);
    FAULT("A of f64", PRIM_ERROR_TYPE, "f64", a->a_type = CUDA_R_64F);
    FAULT("B of i32", PRIM_ERROR_TYPE, "i32", a->b_type = CUDA_R_32I);
    FAULT("C of i32", PRIM_ERROR_TYPE, "i32", a->c_type = CUDA_R_32I);
    FAULT("half of i32", PRIM_ERROR_VALUE, "alpha",
          (a->a_type = a->b_type = a->c_type = CUDA_R_32I, a->alpha = 0.5));
    FAULT("half of i32", PRIM_ERROR_VALUE, "beta",
          (a->a_type = a->b_type = a->c_type = CUDA_R_32I, a->beta = 0.5));
    FAULT("2^63 of i32", PRIM_ERROR_VALUE, "alpha",
          (a->a_type = a->b_type = a->c_type = CUDA_R_32I, a->alpha = 0x1p63));
}

static void spoil_shapes(const operands *o, gemm_arguments *a)
{
    FAULT("lda less than k", PRIM_ERROR_VALUE, "d_a", a->lda = K - 1);
    FAULT("lda less than m", PRIM_ERROR_VALUE, "d_a", (a->op_a = PRIM_TRANSPOSED, a->lda = M - 1));
    FAULT("ldb less than n", PRIM_ERROR_VALUE, "d_b", a->ldb = COLUMNS - 1);
    FAULT("ldb less than k", PRIM_ERROR_VALUE, "d_b", (a->op_b = PRIM_TRANSPOSED, a->ldb = K - 1));
    FAULT("ldc less than n", PRIM_ERROR_VALUE, "d_c", a->ldc = COLUMNS - 1);
    FAULT("rows beyond size_t", PRIM_ERROR_SIZE, "d_a", a->m = SIZE_MAX / 8);
    FAULT("columns beyond size_t", PRIM_ERROR_SIZE, "d_b", a->n = a->ldb = a->ldc = SIZE_MAX / 8);
    FAULT("lda beyond size_t", PRIM_ERROR_SIZE, "d_a", a->lda = SIZE_MAX / 8);
    FAULT("ldc beyond size_t", PRIM_ERROR_SIZE, "d_c", a->ldc = SIZE_MAX / 8);
}

static void spoil_operands(const operands *o, gemm_arguments *a)
{
    spoil(o, "d_a", &a->d_a);
    spoil(o, "d_b", &a->d_b);
    spoil(o, "d_c", &a->d_c);
    FAULT("NULL with alpha 0", PRIM_ERROR_NULL, "d_a", (a->d_a = NULL, a->alpha = 0));
    FAULT("in A", PRIM_ERROR_OVERLAP, "d_c", a->d_c = a->d_a + 8);
    FAULT("in B", PRIM_ERROR_OVERLAP, "d_c", a->d_c = a->d_b + 8);
    FAULT("is B", PRIM_ERROR_OVERLAP, "d_c", (a->m = K, a->d_b = a->d_c = a->d_a));
    FAULT("meets A's last column", PRIM_ERROR_OVERLAP, "d_c",
          (a->n = a->k = a->ldb = 3, a->lda = a->ldc = 10, a->d_c = a->d_a + 8));
}

static prim_status gemm_call(const operands *o)
{
    const call_head c = spoilt_head(o);
    gemm_arguments a = {.m = M,
                        .n = COLUMNS,
                        .k = o->count,
                        .alpha = 2,
                        .a_type = CUDA_R_32F,
                        .d_a = o->d_in,
                        .lda = K,
                        .b_type = CUDA_R_32F,
                        .d_b = o->d_in != NULL ? (char *)o->d_in + 4 * A_COUNT : NULL,
                        .ldb = COLUMNS,
                        .c_type = CUDA_R_32F,
                        .d_c = o->d_out,
                        .ldc = COLUMNS};
    spoil_kind(o, &a);
    spoil_shapes(o, &a);
    spoil_operands(o, &a);
    return prim_gemm((prim_gemm_variant)c.variant, a.op_a, a.op_b, a.m, a.n, a.k, a.alpha, a.a_type,
                     a.d_a, a.lda, a.b_type, a.d_b, a.ldb, a.beta, a.c_type, a.d_c, a.ldc,
                     a.compute, c.workspace, c.bytes, o->stream);
}

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
    const call_head c = spoilt_head(o);
    char *d_a = o->d_in, *d_b = d_a != NULL ? d_a + 4 * A_COUNT_T : NULL, *d_c = o->d_out;
    spoil(o, "d_a", &d_a);
    spoil(o, "d_b", &d_b);
    spoil(o, "d_c", &d_c);
    return prim_gemm((prim_gemm_variant)c.variant, PRIM_TRANSPOSED, PRIM_TRANSPOSED, M_T, COLUMNS_T,
                     o->count, -3, CUDA_R_32I, d_a, LDA_T, CUDA_R_32I, d_b, K_T, 0, CUDA_R_32I, d_c,
                     COLUMNS_T, PRIM_COMPUTE_DEFAULT, c.workspace, c.bytes, o->stream);
}

const entry_point gemm_entry = {.name = "prim_gemm",
                                .variant_at = prim_gemm_variant_at,
                                .in_bytes = IN_COUNT * sizeof(float),
                                .out_bytes = (size_t)M * COLUMNS * sizeof(float),
                                .count = K,
                                .make_input = gemm_input,
                                .right_answer = gemm_answer,
                                .workspace_bytes = gemm_workspace,
                                .call = gemm_call};

const entry_point gemm_transposed_entry = {.name = "prim_gemm",
                                           .variant_at = prim_gemm_variant_at,
                                           .in_bytes = IN_COUNT_T * sizeof(int32_t),
                                           .out_bytes = (size_t)M_T * COLUMNS_T * sizeof(int32_t),
                                           .count = K_T,
                                           .make_input = transposed_input,
                                           .right_answer = transposed_answer,
                                           .workspace_bytes = transposed_workspace,
                                           .call = transposed_call};
