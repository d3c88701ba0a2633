/* gemm and its batches among the entry points. */
#include <stdint.h>
#include <string.h>

#include <primitives/gemm.h>

#include "entry_points.h"
#include "stored.h"

/* ---- f32, as they are: whole numbers, so that the answer is exact in any order. B lies after
 * A. ---- */

enum { M = 37, COLUMNS = 35, K = 70, A_COUNT = M * K, IN_COUNT = A_COUNT + K * COLUMNS };

static void fill_floats(float *h, size_t count, unsigned seed)
{
    for (unsigned i = 0; i < count; i++)
        h[i] = (float)((i * 2654435761u + seed * 97u) >> 8 & 0xf) - 7.0f;
}

static void gemm_input(void *h_in, unsigned seed)
{
    fill_floats(h_in, IN_COUNT, seed);
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
    FAULT("unknown", PRIM_ERROR_ENUM, "compute", a->compute = (prim_compute)2);
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
                        .d_b = part_of(o->d_in, 4 * A_COUNT),
                        .ldb = COLUMNS,
                        .c_type = CUDA_R_32F,
                        .d_c = o->d_out,
                        .ldc = COLUMNS};
    spoil_kind(o, &a);
    spoil_shapes(o, &a);
    spoil_operands(o, &a);
    prim_matrix x = stored(a.op_a, a.a_type, a.d_a, a.m, a.k, a.lda),
                y = stored(a.op_b, a.b_type, a.d_b, a.k, a.n, a.ldb),
                z = prim_matrix_of(a.c_type, a.d_c, a.m, a.n, a.ldc);
    FAULT("of fewer rows than C", PRIM_ERROR_VALUE, "op_a(A) is 36 × 70", x.rows--);
    FAULT("of fewer columns than B has rows", PRIM_ERROR_VALUE, "op_b(B) 70 × 35", x.columns--);
    FAULT("of more rows than A has columns", PRIM_ERROR_VALUE, "op_b(B) 71 × 35", y.rows++);
    FAULT("of fewer columns than C", PRIM_ERROR_VALUE, "op_b(B) 70 × 34", y.columns--);
    FAULT("of fewer rows than A", PRIM_ERROR_VALUE, "C 36 × 35", z.rows--);
    FAULT("of fewer columns than B", PRIM_ERROR_VALUE, "C 37 × 34", z.columns--);
    FAULT("not turned", PRIM_ERROR_VALUE, "op_a(A) is 70 × 37", a.op_a = PRIM_TRANSPOSED);
    return prim_gemm((prim_gemm_variant)c.variant, a.op_a, a.op_b, a.alpha, x, y, a.beta, z,
                     a.compute, call_of(o, &c));
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

static prim_status transposed_call(const operands *o)
{
    const call_head c = spoilt_head(o);
    char *d_a = o->d_in, *d_b = part_of(d_a, 4 * A_COUNT_T), *d_c = o->d_out;
    spoil(o, "d_a", &d_a);
    spoil(o, "d_b", &d_b);
    spoil(o, "d_c", &d_c);
    return prim_gemm((prim_gemm_variant)c.variant, PRIM_TRANSPOSED, PRIM_TRANSPOSED, -3,
                     prim_matrix_of(CUDA_R_32I, d_a, o->count, M_T, LDA_T),
                     prim_matrix_of(CUDA_R_32I, d_b, COLUMNS_T, o->count, K_T), 0,
                     prim_matrix_of(CUDA_R_32I, d_c, M_T, COLUMNS_T, 0), PRIM_COMPUTE_DEFAULT,
                     call_of(o, &c));
}

/* ---- a batch of three, in several pieces along k; gaps between the A, one B for all, and the C
 * side by side in rows of all three ---- */

enum {
    PRODUCTS = 3,
    M_B = 3,
    COLUMNS_B = 18,
    K_B = 1061,
    LDC_B = PRODUCTS * COLUMNS_B,
    A_STRIDE = M_B * K_B + 5,
    A_COUNT_B = PRODUCTS * A_STRIDE,
    IN_COUNT_B = A_COUNT_B + K_B * COLUMNS_B
};

static void batched_input(void *h_in, unsigned seed)
{
    fill_floats(h_in, IN_COUNT_B, seed);
}

/* 2 · A · B of each */
static void batched_answer(const void *h_in, size_t k, void *h_out)
{
    const float *b = (const float *)h_in + A_COUNT_B;
    for (size_t i = 0; i < (size_t)M_B * LDC_B; i++) {
        const size_t row = i / LDC_B, product = i % LDC_B / COLUMNS_B, column = i % COLUMNS_B;
        const float *a = (const float *)h_in + product * A_STRIDE + row * K_B;
        float sum = 0;
        for (size_t j = 0; j < k; j++)
            sum += a[j] * b[j * COLUMNS_B + column];
        ((float *)h_out)[i] = 2 * sum;
    }
}

static gemm_arguments batch_arguments(char *d_a, char *d_b, char *d_c)
{
    return (gemm_arguments){.m = M_B,
                            .n = COLUMNS_B,
                            .k = K_B,
                            .alpha = 2,
                            .a_type = CUDA_R_32F,
                            .d_a = d_a,
                            .lda = K_B,
                            .b_type = CUDA_R_32F,
                            .d_b = d_b,
                            .ldb = COLUMNS_B,
                            .c_type = CUDA_R_32F,
                            .d_c = d_c,
                            .ldc = LDC_B};
}

static void spoil_batch(const operands *o, gemm_arguments *a)
{
    spoil_kind(o, a);
    spoil(o, "d_a", &a->d_a);
    spoil(o, "d_b", &a->d_b);
    spoil(o, "d_c", &a->d_c);
    FAULT("lda less than k", PRIM_ERROR_VALUE, "d_a", a->lda = K_B - 1);
    FAULT("ldb less than n", PRIM_ERROR_VALUE, "d_b", a->ldb = COLUMNS_B - 1);
    FAULT("ldc less than n", PRIM_ERROR_VALUE, "d_c", a->ldc = COLUMNS_B - 1);
}

static prim_status batched_call(const operands *o)
{
    const call_head c = spoilt_head(o);
    size_t a_stride = A_STRIDE, b_stride = 0, c_stride = COLUMNS_B, batches = PRODUCTS;
    gemm_arguments a = batch_arguments(o->d_in, part_of(o->d_in, 4 * A_COUNT_B), o->d_out);
    a.k = o->count;
    spoil_batch(o, &a);
    FAULT("C over the C beside it", PRIM_ERROR_VALUE, "c_stride", c_stride = COLUMNS_B - 1);
    FAULT("C over the next row's", PRIM_ERROR_VALUE, "c_stride", a.ldc = LDC_B - 1);
    FAULT("all C at one place", PRIM_ERROR_VALUE, "c_stride", c_stride = 0);
    FAULT("A beyond size_t", PRIM_ERROR_SIZE, "d_a", a_stride = SIZE_MAX / 8);
    FAULT("B beyond size_t", PRIM_ERROR_SIZE, "d_b", b_stride = SIZE_MAX / 8);
    FAULT("C beyond size_t", PRIM_ERROR_SIZE, "d_c", c_stride = SIZE_MAX / 8);
    FAULT("too many", PRIM_ERROR_SIZE, "d_c", batches = SIZE_MAX / 8);
    FAULT("in the last A", PRIM_ERROR_OVERLAP, "d_c", a.d_c = a.d_b - 8 * 4);
    FAULT("in B", PRIM_ERROR_OVERLAP, "d_c", a.d_c = a.d_b + 8);
    return prim_gemm_batched((prim_gemm_variant)c.variant, a.op_a, a.op_b, a.alpha,
                             in_batch(stored(a.op_a, a.a_type, a.d_a, a.m, a.k, a.lda), a_stride),
                             in_batch(stored(a.op_b, a.b_type, a.d_b, a.k, a.n, a.ldb), b_stride),
                             a.beta,
                             in_batch(prim_matrix_of(a.c_type, a.d_c, a.m, a.n, a.ldc), c_stride),
                             batches, a.compute, call_of(o, &c));
}

/* ---- by pointers: the input begins with the three arrays, the last product's first; all else is
 * as in the batch. `count` is the number of products, since the arrays are read wherever there are
 * any. ---- */

enum { TO_A = 0, TO_B = 256, TO_C = 512, FLOATS_AT = 768 }; /* in bytes */

static void pointers_input(void *h_in, unsigned seed)
{
    fill_floats((float *)((char *)h_in + FLOATS_AT), IN_COUNT_B, seed);
}

static void set_pointers(void *h_in, const void *d_in, void *d_out)
{
    const void *to_a[PRODUCTS], *to_b[PRODUCTS];
    void *to_c[PRODUCTS];
    const float *d_floats = (const float *)((const char *)d_in + FLOATS_AT);
    for (size_t p = 0; p < PRODUCTS; p++) {
        const size_t from = PRODUCTS - 1 - p;
        to_a[p] = d_floats + from * A_STRIDE;
        to_b[p] = d_floats + A_COUNT_B;
        to_c[p] = (float *)d_out + from * COLUMNS_B;
    }
    memcpy((char *)h_in + TO_A, to_a, sizeof to_a);
    memcpy((char *)h_in + TO_B, to_b, sizeof to_b);
    memcpy((char *)h_in + TO_C, to_c, sizeof to_c);
}

static void pointers_answer(const void *h_in, size_t products, void *h_out)
{
    if (products > 0)
        batched_answer((const char *)h_in + FLOATS_AT, K_B, h_out);
}

static prim_status pointers_call(const operands *o)
{
    char *const d_in = o->d_in;
    size_t batches = o->count;
    gemm_arguments a = batch_arguments(d_in, part_of(d_in, TO_B), part_of(d_in, TO_C));
    operands arrays = *o; /* of the output the call sees only the array that points to it */
    arrays.d_out = a.d_c;
    const call_head c = spoilt_head(&arrays);
    spoil_batch(o, &a);
    FAULT("lda beyond size_t", PRIM_ERROR_SIZE, "d_a", a.lda = SIZE_MAX / 8);
    FAULT("ldb beyond size_t", PRIM_ERROR_SIZE, "d_b", a.ldb = SIZE_MAX / 8);
    FAULT("ldc beyond size_t", PRIM_ERROR_SIZE, "d_c", a.ldc = SIZE_MAX / 8);
    FAULT("too many", PRIM_ERROR_SIZE, "d_c", batches = SIZE_MAX / 8);
    return prim_gemm_pointers((prim_gemm_variant)c.variant, a.op_a, a.op_b, a.alpha,
                              stored(a.op_a, a.a_type, a.d_a, a.m, a.k, a.lda),
                              stored(a.op_b, a.b_type, a.d_b, a.k, a.n, a.ldb), a.beta,
                              prim_matrix_of(a.c_type, a.d_c, a.m, a.n, a.ldc), batches, a.compute,
                              call_of(o, &c));
}

const entry_point gemm_entry = {.name = "prim_gemm",
                                .variant_at = prim_gemm_variant_at,
                                .in_bytes = IN_COUNT * sizeof(float),
                                .out_bytes = (size_t)M * COLUMNS * sizeof(float),
                                .count = K,
                                .make_input = gemm_input,
                                .right_answer = gemm_answer,
                                .call = gemm_call};

const entry_point gemm_transposed_entry = {.name = "prim_gemm",
                                           .variant_at = prim_gemm_variant_at,
                                           .in_bytes = IN_COUNT_T * sizeof(int32_t),
                                           .out_bytes = (size_t)M_T * COLUMNS_T * sizeof(int32_t),
                                           .count = K_T,
                                           .make_input = transposed_input,
                                           .right_answer = transposed_answer,
                                           .call = transposed_call};

const entry_point gemm_batched_entry = {.name = "prim_gemm_batched",
                                        .variant_at = prim_gemm_variant_at,
                                        .in_bytes = IN_COUNT_B * sizeof(float),
                                        .out_bytes = (size_t)M_B * LDC_B * sizeof(float),
                                        .count = K_B,
                                        .make_input = batched_input,
                                        .right_answer = batched_answer,
                                        .call = batched_call};

const entry_point gemm_pointers_entry = {.name = "prim_gemm_pointers",
                                         .variant_at = prim_gemm_variant_at,
                                         .in_bytes = FLOATS_AT + IN_COUNT_B * sizeof(float),
                                         .out_bytes = (size_t)M_B * LDC_B * sizeof(float),
                                         .count = PRODUCTS,
                                         .make_input = pointers_input,
                                         .set_addresses = set_pointers,
                                         .right_answer = pointers_answer,
                                         .call = pointers_call};
