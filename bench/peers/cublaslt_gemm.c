/* cuBLASLt: C = A · B by the algorithm that its heuristic names first. Operands and their order as
 * in cublas_gemm.c. */
#include <stdint.h>

#include <cublasLt.h>

#include "peers/cublas.h"

enum { WORKSPACE_BYTES = 32 << 20 }; /* what cuBLAS takes on Hopper */

/* What describes a case: made anew when another one comes. */
static struct {
    bench_case of;
    cublasLtHandle_t handle;
    cublasLtMatmulDesc_t product;
    cublasLtMatrixLayout_t a, b, c;
    cublasLtMatmulHeuristicResult_t best;
    bool is_taken; /* there is an algorithm */
} made;

static cublasLtMatrixLayout_t layout(cudaDataType_t type, size_t rows, size_t columns, size_t ld,
                                     size_t stored, size_t batches)
{
    cublasLtMatrixLayout_t made_layout;
    const int32_t count = (int32_t)batches;
    const int64_t stride = (int64_t)stored;
    must_cublas(cublasLtMatrixLayoutCreate(&made_layout, type, rows, columns, (int64_t)ld),
                "a layout");
    must_cublas(cublasLtMatrixLayoutSetAttribute(made_layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT,
                                                 &count, sizeof count),
                "a number of matrices");
    must_cublas(cublasLtMatrixLayoutSetAttribute(made_layout,
                                                 CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET,
                                                 &stride, sizeof stride),
                "a stride");
    return made_layout;
}

/* A row-major matrix is its own transpose. */
static cublasLtMatrixLayout_t layout_of(cudaDataType_t type, product_operand x, size_t batches)
{
    return layout(type, x.columns, x.lines, x.ld, x.elements, batches);
}

static void set_op(cublasLtMatmulDescAttributes_t which, product_operand x)
{
    const cublasOperation_t op = cublas_op_of(x);
    must_cublas(cublasLtMatmulDescSetAttribute(made.product, which, &op, sizeof op), "an op");
}

static void forget(void)
{
    cublasLtMatrixLayoutDestroy(made.a);
    cublasLtMatrixLayoutDestroy(made.b);
    cublasLtMatrixLayoutDestroy(made.c);
    cublasLtMatmulDescDestroy(made.product);
}

static void set_preference(cublasLtMatmulPreference_t preference,
                           cublasLtMatmulPreferenceAttributes_t which, const void *value,
                           size_t bytes)
{
    must_cublas(cublasLtMatmulPreferenceSetAttribute(preference, which, value, bytes),
                "a preference");
}

/* The largest power of two up to 256 at whose multiples an operand begins, as memory does. */
static uint32_t alignment_of(product_operand x, size_t element_bytes)
{
    const size_t at = x.first * element_bytes | 256;
    return (uint32_t)(at & (~at + 1));
}

static cublasLtMatmulPreference_t make_preference(const bench_case *c, size_t element_bytes)
{
    const size_t most = WORKSPACE_BYTES;
    const uint32_t of_a = alignment_of(operand_b(c), element_bytes),
                   of_b = alignment_of(operand_a(c), element_bytes);
    cublasLtMatmulPreference_t preference;
    must_cublas(cublasLtMatmulPreferenceCreate(&preference), "a preference");
    set_preference(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &most, sizeof most);
    set_preference(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, &of_a, sizeof of_a);
    set_preference(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, &of_b, sizeof of_b);
    return preference;
}

static void describe(const bench_case *c, size_t batches)
{
    const cublas_types *const t = cublas_types_of(c);
    int found = 0;
    if (made.handle == NULL)
        must_cublas(cublasLtCreate(&made.handle), "a handle");
    else
        forget();
    made.of = *c;
    made.a = layout_of(t->element, operand_b(c), batches);
    made.b = layout_of(t->element, operand_a(c), batches);
    made.c = layout(t->result, c->n, c->m, c->n, c->n * c->m, batches);
    must_cublas(cublasLtMatmulDescCreate(&made.product, t->sums, t->factor), "a product");
    set_op(CUBLASLT_MATMUL_DESC_TRANSA, operand_b(c));
    set_op(CUBLASLT_MATMUL_DESC_TRANSB, operand_a(c));
    cublasLtMatmulPreference_t preference = make_preference(c, t->bytes);
    made.is_taken = cublasLtMatmulAlgoGetHeuristic(made.handle, made.product, made.a, made.b,
                                                   made.c, made.c, preference, 1, &made.best,
                                                   &found) == CUBLAS_STATUS_SUCCESS &&
                    found > 0;
    cublasLtMatmulPreferenceDestroy(preference);
}

static bool are_alike(const bench_case *x, const bench_case *y)
{
    return x->element == y->element && x->m == y->m && x->n == y->n && x->k == y->k &&
           x->batches == y->batches && x->ld == y->ld && x->offset == y->offset &&
           x->transposed_a == y->transposed_a && x->transposed_b == y->transposed_b;
}

static void describe_once(const bench_case *c)
{
    if (made.handle == NULL || !are_alike(&made.of, c))
        describe(c, batches_of(c));
}

/* It has no algorithm for some products of bytes. */
static bool does(const bench_case *c)
{
    if (cublas_types_of(c) == NULL || is_of_shapes(c))
        return false;
    describe_once(c);
    return made.is_taken;
}

static prim_status run(const bench_case *c, const bench_operands *o, cudaStream_t stream)
{
    const cublas_types *const t = cublas_types_of(c);
    const char *const d_in = o->d_in;
    const char *const d_a = d_in + operand_a(c).first * t->bytes;
    const char *const d_b = d_in + operand_b(c).first * t->bytes;
    describe_once(c);
    const cublasStatus_t status =
        cublasLtMatmul(made.handle, made.product, cublas_factor(t, true), d_b, made.a, d_a, made.b,
                       cublas_factor(t, false), o->d_out, made.c, o->d_out, made.c, &made.best.algo,
                       o->d_workspace, o->workspace_bytes, stream);
    if (status == CUBLAS_STATUS_NOT_SUPPORTED) /* some that its heuristic had an algorithm for */
        return PRIM_ERROR_UNSUPPORTED;
    must_cublas(status, "matmul");
    return PRIM_OK;
}

const bench_peer cublaslt_gemm = {"cublaslt", "gemm", does, cublas_workspace_bytes, run};
