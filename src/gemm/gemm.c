/* gemm's API: checks of the arguments, and the calls. */
#include <stdio.h>

#include "common/host/element.h"
#include "common/host/fail.h"
#include "gemm/gemm_args.h"
#include "gemm/tensor/realign.h"

static prim_status check_enums(const prim_gemm_args *args)
{
    if ((unsigned)args->op_a > PRIM_TRANSPOSED)
        return prim_fail(PRIM_ERROR_ENUM,
                         "%s: op_a is %d, neither PRIM_NOT_TRANSPOSED nor PRIM_TRANSPOSED, 0 or 1",
                         args->call.name, args->op_a);
    if ((unsigned)args->op_b > PRIM_TRANSPOSED)
        return prim_fail(PRIM_ERROR_ENUM,
                         "%s: op_b is %d, neither PRIM_NOT_TRANSPOSED nor PRIM_TRANSPOSED, 0 or 1",
                         args->call.name, args->op_b);
    if ((unsigned)args->compute > PRIM_COMPUTE_BATCH_INVARIANT)
        return prim_fail(PRIM_ERROR_ENUM,
                         "%s: compute is %d, neither PRIM_COMPUTE_DEFAULT nor "
                         "PRIM_COMPUTE_BATCH_INVARIANT, 0 or 1",
                         args->call.name, args->compute);
    return PRIM_OK;
}

/* Which types can be combined; A and B have the same type. */
static const struct {
    cudaDataType_t in, out;
} types[] = {
    {CUDA_R_32F, CUDA_R_32F},  {CUDA_R_64F, CUDA_R_64F}, {CUDA_R_32I, CUDA_R_32I},
    {CUDA_R_16F, CUDA_R_16F},  {CUDA_R_16F, CUDA_R_32F}, {CUDA_R_16BF, CUDA_R_16BF},
    {CUDA_R_16BF, CUDA_R_32F}, {CUDA_R_8I, CUDA_R_32I},
};

static prim_status check_types(const prim_gemm_args *args)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (args->a_type == types[i].in && args->b_type == types[i].in &&
            args->c_type == types[i].out)
            return PRIM_OK;
    return prim_fail(
        PRIM_ERROR_TYPE,
        "%s: a_type %s, b_type %s and c_type %s cannot be combined: all three are f32, f64 or i32, "
        "or A and B are f16 or bf16 and C the same or f32, or A and B are i8 and C is i32",
        args->call.name, prim_element_name(args->a_type), prim_element_name(args->b_type),
        prim_element_name(args->c_type));
}

static prim_status check_shapes(const prim_gemm_args *args)
{
    if (args->a_m == args->m && args->b_k == args->k && args->b_n == args->n)
        return PRIM_OK;
    return prim_fail(
        PRIM_ERROR_VALUE,
        "%s: op_a(A) is %zu × %zu, op_b(B) %zu × %zu and C %zu × %zu: these sizes do not match",
        args->call.name, args->a_m, args->k, args->b_k, args->b_n, args->m, args->n);
}

static prim_status check_sizes(const prim_gemm_args *args)
{
    const size_t in = prim_element_bytes(args->a_type), out = prim_element_bytes(args->c_type);
    prim_status status = prim_check_bytes(&args->call, "a", args->m, args->k, in);
    if (status == PRIM_OK)
        status = prim_check_bytes(&args->call, "b", args->k, args->n, in);
    if (status == PRIM_OK)
        status = prim_check_bytes(&args->call, "c", args->m, args->n, out);
    return status == PRIM_OK
               ? prim_check_bytes(&args->call, "c", args->batches, args->m * args->n, out)
               : status;
}

static prim_status check_kind(const void *any)
{
    const prim_gemm_args *args = any;
    prim_status status = check_enums(args);
    if (status == PRIM_OK)
        status = check_types(args);
    if (status == PRIM_OK)
        status = prim_check_whole(&args->call, "alpha", args->alpha, args->c_type);
    if (status == PRIM_OK)
        status = prim_check_whole(&args->call, "beta", args->beta, args->c_type);
    if (status == PRIM_OK)
        status = check_shapes(args);
    return status == PRIM_OK ? check_sizes(args) : status;
}

/* ---- operands ---- */

/* One operand as it is stored: a matrix for each product. */
typedef struct stored {
    const char *name;
    const void *data;
    size_t rows, columns, ld, stride, element_bytes;
} stored;

static stored stored_factor(const char *name, const void *data, prim_transpose op, size_t rows,
                            size_t columns, size_t ld, size_t stride, cudaDataType_t type)
{
    const bool transposed = op == PRIM_TRANSPOSED;
    return (stored){name, data,   transposed ? columns : rows, transposed ? rows : columns,
                    ld,   stride, prim_element_bytes(type)};
}

static prim_status check_batch(const prim_gemm_args *args, stored x, prim_rectangle *rectangle)
{
    return prim_check_batch(&args->call, x.name, x.data, x.rows, x.columns, x.ld, x.stride,
                            args->batches, x.element_bytes, rectangle);
}

/* No C of a batch overlaps another. */
static prim_status check_c_stride(const prim_gemm_args *args)
{
    if (args->batches < 2 || args->m == 0 || args->n == 0)
        return PRIM_OK;
    const bool behind = args->c_stride >= (args->m - 1) * args->ldc + args->n;
    const bool beside =
        args->c_stride >= args->n && (args->ldc - args->n) / args->c_stride >= args->batches - 1;
    if (behind || beside)
        return PRIM_OK;
    return prim_fail(
        PRIM_ERROR_VALUE,
        "%s: c_stride is %zu, so that %zu matrices of %zu × %zu with ldc %zu would overlap",
        args->call.name, args->c_stride, args->batches, args->m, args->n, args->ldc);
}

/* For a batch by pointers, only the arrays and the shapes can be checked. */
static prim_status check_array(const prim_gemm_args *args, stored x, prim_span *span)
{
    prim_rectangle none;
    prim_status status =
        prim_check_rectangle(&args->call, x.name, NULL, 0, x.columns, x.ld, x.element_bytes, &none);
    if (status == PRIM_OK && x.rows > 0)
        status = prim_check_bytes(&args->call, x.name, x.rows, x.ld, x.element_bytes);
    return status == PRIM_OK
               ? prim_check_vector(&args->call, x.name, x.data, args->batches, sizeof(void *), span)
               : status;
}

static prim_status check_arrays(const prim_gemm_args *args, const stored x[3],
                                prim_operands *operands)
{
    prim_status status = PRIM_OK;
    operands->count = 3;
    for (int i = 0; i < 3 && status == PRIM_OK; i++)
        status = check_array(args, x[i], &operands->spans[i]);
    return status;
}

static prim_status check_operands(const void *any, prim_operands *operands)
{
    const prim_gemm_args *args = any;
    const stored x[3] = {stored_factor("a", args->a, args->op_a, args->m, args->k, args->lda,
                                       args->a_stride, args->a_type),
                         stored_factor("b", args->b, args->op_b, args->k, args->n, args->ldb,
                                       args->b_stride, args->b_type),
                         stored_factor("c", args->c, PRIM_NOT_TRANSPOSED, args->m, args->n,
                                       args->ldc, args->c_stride, args->c_type)};
    if (args->pointers)
        return check_arrays(args, x, operands);
    prim_rectangle r[3];
    prim_status status = PRIM_OK;
    for (int i = 0; i < 3 && status == PRIM_OK; i++)
        status = check_batch(args, x[i], &r[i]);
    if (status == PRIM_OK)
        status = check_c_stride(args);
    return status == PRIM_OK ? prim_check_product(&args->call, r[0], r[1], r[2], operands) : status;
}

static void describe(const void *any, char *text, size_t bytes)
{
    const prim_gemm_args *args = any;
    snprintf(text, bytes, "%s to %s, m %zu, n %zu, k %zu, batches %zu",
             prim_element_name(args->a_type), prim_element_name(args->c_type), args->m, args->n,
             args->k, args->batches);
}

/* How the rungs on tensor cores come by A and B: realign.h. */
static const char *route(const prim_rung *rung, const void *any)
{
    static const char *const of_mma[] = {"copies", "realigned", "elements"};
    static const char *const of_wgmma[] = {"tensor_copies", "realigned", "mma"};
    const prim_gemm_args *args = any;
    if (args->m == 0 || args->n == 0 || args->batches == 0)
        return NULL;
    switch (rung->variant.value) {
    case PRIM_GEMM_MMA:
        return of_mma[prim_gemm_way_of(args, PRIM_GEMM_BY_MMA)];
    case PRIM_GEMM_WGMMA:
    case PRIM_GEMM_WGMMA_SPECIALIZED:
        return of_wgmma[prim_gemm_way_of(args, PRIM_GEMM_BY_WGMMA)];
    default:
        return NULL;
    }
}

static const prim_ladder ladder = {
    .rungs = prim_gemm_rungs,
    .choose = prim_gemm_choose_rung,
    .check_kind = check_kind,
    .check_operands = check_operands,
    .describe = describe,
    .route = route,
};

/* ---- the arguments of each call ---- */

static prim_gemm_args batched_args(const char *name, prim_gemm_variant variant, prim_transpose op_a,
                                   prim_transpose op_b, double alpha, prim_matrix a, prim_matrix b,
                                   double beta, prim_matrix c, size_t batches, prim_compute compute)
{
    const bool a_transposed = op_a == PRIM_TRANSPOSED, b_transposed = op_b == PRIM_TRANSPOSED;
    return (prim_gemm_args){.call = {.name = name, .variant = (int)variant},
                            .op_a = op_a,
                            .op_b = op_b,
                            .m = c.rows,
                            .n = c.columns,
                            .k = a_transposed ? a.rows : a.columns,
                            .alpha = alpha,
                            .a_type = a.type,
                            .a = a.data,
                            .lda = prim_with_ld(a).ld,
                            .b_type = b.type,
                            .b = b.data,
                            .ldb = prim_with_ld(b).ld,
                            .beta = beta,
                            .c_type = c.type,
                            .c = c.data,
                            .ldc = prim_with_ld(c).ld,
                            .compute = compute,
                            .batches = batches,
                            .a_stride = a.stride,
                            .b_stride = b.stride,
                            .c_stride = c.stride,
                            .a_m = a_transposed ? a.columns : a.rows,
                            .b_k = b_transposed ? b.columns : b.rows,
                            .b_n = b_transposed ? b.rows : b.columns};
}

static prim_gemm_args single_args(const char *name, prim_gemm_variant variant, prim_transpose op_a,
                                  prim_transpose op_b, double alpha, prim_matrix a, prim_matrix b,
                                  double beta, prim_matrix c, prim_compute compute)
{
    a.stride = b.stride = c.stride = 0;
    return batched_args(name, variant, op_a, op_b, alpha, a, b, beta, c, 1, compute);
}

/* ---- calls ---- */

prim_status prim_gemm(prim_gemm_variant variant, prim_transpose op_a, prim_transpose op_b,
                      double alpha, prim_matrix a, prim_matrix b, double beta, prim_matrix c,
                      prim_compute compute, const prim_call *call)
{
    prim_gemm_args args =
        single_args("prim_gemm", variant, op_a, op_b, alpha, a, b, beta, c, compute);
    return prim_ladder_call(&ladder, &args.call, call);
}

prim_status prim_gemm_batched(prim_gemm_variant variant, prim_transpose op_a, prim_transpose op_b,
                              double alpha, prim_matrix a, prim_matrix b, double beta,
                              prim_matrix c, size_t batches, prim_compute compute,
                              const prim_call *call)
{
    prim_gemm_args args = batched_args("prim_gemm_batched", variant, op_a, op_b, alpha, a, b, beta,
                                       c, batches, compute);
    return prim_ladder_call(&ladder, &args.call, call);
}

prim_status prim_gemm_pointers(prim_gemm_variant variant, prim_transpose op_a, prim_transpose op_b,
                               double alpha, prim_matrix a, prim_matrix b, double beta,
                               prim_matrix c, size_t batches, prim_compute compute,
                               const prim_call *call)
{
    prim_gemm_args args =
        single_args("prim_gemm_pointers", variant, op_a, op_b, alpha, a, b, beta, c, compute);
    args.batches = batches;
    args.pointers = true;
    return prim_ladder_call(&ladder, &args.call, call);
}

/* ---- on the host ---- */

static prim_status run_on_host(prim_gemm_args args, int threads)
{
    args.call.on_host = true;
    const prim_status status = prim_ladder_check_host(&ladder, &args.call);
    return status == PRIM_OK ? prim_gemm_on_host(&args, threads) : status;
}

prim_status prim_gemm_host(prim_transpose op_a, prim_transpose op_b, double alpha, prim_matrix a,
                           prim_matrix b, double beta, prim_matrix c, prim_compute compute,
                           int threads)
{
    return run_on_host(
        single_args("prim_gemm_host", PRIM_GEMM_AUTO, op_a, op_b, alpha, a, b, beta, c, compute),
        threads);
}

prim_status prim_gemm_batched_host(prim_transpose op_a, prim_transpose op_b, double alpha,
                                   prim_matrix a, prim_matrix b, double beta, prim_matrix c,
                                   size_t batches, prim_compute compute, int threads)
{
    return run_on_host(batched_args("prim_gemm_batched_host", PRIM_GEMM_AUTO, op_a, op_b, alpha, a,
                                    b, beta, c, batches, compute),
                       threads);
}

/* ---- variants ---- */

const prim_variant *prim_gemm_variant_at(size_t index)
{
    return prim_ladder_variant_at(&ladder, index);
}

const prim_variant *prim_gemm_variant_info(prim_gemm_variant variant)
{
    return prim_ladder_variant_info(&ladder, (int)variant);
}
