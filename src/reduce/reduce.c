/* reduce's API: what its arguments must be, and the calls. */
#include "common/element.h"
#include "common/fail.h"
#include "reduce/reduce_variants.h"

static bool types_go_together(cudaDataType_t in, cudaDataType_t out)
{
    switch (in) {
    case CUDA_R_32I:
    case CUDA_R_32F:
    case CUDA_R_64F:
        return out == in;
    case CUDA_R_8U:
        return out == CUDA_R_64U;
    default:
        return false;
    }
}

static prim_status check_kind(const void *any)
{
    const prim_reduce_args *args = any;
    const prim_status status = prim_check_operator(&args->call, args->op, args->transform);
    if (status != PRIM_OK)
        return status;
    if (!types_go_together(args->in_type, args->out_type))
        return prim_fail(PRIM_ERROR_TYPE, "%s: in_type %s does not go with out_type %s",
                         args->call.name, prim_element_name(args->in_type),
                         prim_element_name(args->out_type));
    return prim_check_bytes(&args->call, "in", args->rows, args->columns,
                            prim_element_bytes(args->in_type));
}

static prim_status check_operands(const void *any, prim_operands *operands)
{
    const prim_reduce_args *args = any;
    prim_span *const in = &operands->spans[0], *const out = &operands->spans[1];
    operands->count = 2;
    prim_status status = prim_check_matrix(&args->call, "in", args->in, args->rows, args->columns,
                                           args->ld, prim_element_bytes(args->in_type), in);
    if (status == PRIM_OK)
        status = prim_check_vector(&args->call, "out", args->out, args->rows,
                                   prim_element_bytes(args->out_type), out);
    return status == PRIM_OK ? prim_check_disjoint(&args->call, *out, *in) : status;
}

static const prim_ladder ladder = {
    .rungs = prim_reduce_rungs,
    .check_kind = check_kind,
    .check_operands = check_operands,
    .refusal = "does not reduce so many elements, or these types with this op",
};

prim_status prim_reduce(prim_reduce_variant variant, prim_op op, prim_transform transform,
                        cudaDataType_t in_type, const void *d_in, size_t count,
                        cudaDataType_t out_type, void *d_out, void *d_workspace,
                        size_t workspace_bytes, cudaStream_t stream)
{
    prim_reduce_args args = {
        {"prim_reduce", (int)variant, false, d_workspace, workspace_bytes, stream},
        op,
        transform,
        in_type,
        out_type,
        d_in,
        1,
        count,
        count,
        d_out};
    return prim_ladder_run(&ladder, &args.call);
}

prim_status prim_reduce_rows(prim_reduce_variant variant, prim_op op, prim_transform transform,
                             cudaDataType_t in_type, const void *d_in, size_t rows, size_t columns,
                             size_t ld, cudaDataType_t out_type, void *d_out, void *d_workspace,
                             size_t workspace_bytes, cudaStream_t stream)
{
    prim_reduce_args args = {
        {"prim_reduce_rows", (int)variant, false, d_workspace, workspace_bytes, stream},
        op,
        transform,
        in_type,
        out_type,
        d_in,
        rows,
        columns,
        ld,
        d_out};
    return prim_ladder_run(&ladder, &args.call);
}

/* ---- queries ---- */

static prim_reduce_args shape(const char *name, prim_reduce_variant variant, prim_op op,
                              prim_transform transform, cudaDataType_t in_type, size_t rows,
                              size_t columns, cudaDataType_t out_type)
{
    return (prim_reduce_args){.call = {.name = name, .variant = (int)variant},
                              .op = op,
                              .transform = transform,
                              .in_type = in_type,
                              .out_type = out_type,
                              .rows = rows,
                              .columns = columns,
                              .ld = columns};
}

prim_status prim_reduce_workspace_bytes(prim_reduce_variant variant, prim_op op,
                                        prim_transform transform, cudaDataType_t in_type,
                                        size_t count, cudaDataType_t out_type, size_t *bytes)
{
    const prim_reduce_args args =
        shape("prim_reduce_workspace_bytes", variant, op, transform, in_type, 1, count, out_type);
    return prim_ladder_workspace_bytes(&ladder, &args.call, bytes);
}

prim_status prim_reduce_rows_workspace_bytes(prim_reduce_variant variant, prim_op op,
                                             prim_transform transform, cudaDataType_t in_type,
                                             size_t rows, size_t columns, cudaDataType_t out_type,
                                             size_t *bytes)
{
    const prim_reduce_args args = shape("prim_reduce_rows_workspace_bytes", variant, op, transform,
                                        in_type, rows, columns, out_type);
    return prim_ladder_workspace_bytes(&ladder, &args.call, bytes);
}

bool prim_reduce_supports(prim_reduce_variant variant, prim_op op, prim_transform transform,
                          cudaDataType_t in_type, size_t count, cudaDataType_t out_type)
{
    const prim_reduce_args args =
        shape("prim_reduce_supports", variant, op, transform, in_type, 1, count, out_type);
    return prim_ladder_supports(&ladder, &args.call);
}

bool prim_reduce_rows_supports(prim_reduce_variant variant, prim_op op, prim_transform transform,
                               cudaDataType_t in_type, size_t rows, size_t columns,
                               cudaDataType_t out_type)
{
    const prim_reduce_args args = shape("prim_reduce_rows_supports", variant, op, transform,
                                        in_type, rows, columns, out_type);
    return prim_ladder_supports(&ladder, &args.call);
}

/* ---- host ---- */

prim_status prim_reduce_host(prim_op op, prim_transform transform, cudaDataType_t in_type,
                             const void *h_in, size_t count, cudaDataType_t out_type, void *h_out,
                             int threads)
{
    const prim_reduce_args args = {{.name = "prim_reduce_host", .on_host = true},
                                   op,
                                   transform,
                                   in_type,
                                   out_type,
                                   h_in,
                                   1,
                                   count,
                                   count,
                                   h_out};
    const prim_status status = prim_ladder_check_host(&ladder, &args.call);
    return status == PRIM_OK ? prim_reduce_on_host(&args, threads) : status;
}

prim_status prim_reduce_rows_host(prim_op op, prim_transform transform, cudaDataType_t in_type,
                                  const void *h_in, size_t rows, size_t columns, size_t ld,
                                  cudaDataType_t out_type, void *h_out, int threads)
{
    const prim_reduce_args args = {{.name = "prim_reduce_rows_host", .on_host = true},
                                   op,
                                   transform,
                                   in_type,
                                   out_type,
                                   h_in,
                                   rows,
                                   columns,
                                   ld,
                                   h_out};
    const prim_status status = prim_ladder_check_host(&ladder, &args.call);
    return status == PRIM_OK ? prim_reduce_rows_on_host(&args, threads) : status;
}

/* ---- variants ---- */

size_t prim_reduce_variant_count(void)
{
    return prim_ladder_variant_count(&ladder);
}

prim_reduce_variant prim_reduce_variant_at(size_t index)
{
    return (prim_reduce_variant)prim_ladder_variant_at(&ladder, index);
}

const char *prim_reduce_variant_name(prim_reduce_variant variant)
{
    return prim_ladder_variant_name(&ladder, (int)variant);
}

const char *prim_reduce_variant_idea(prim_reduce_variant variant)
{
    return prim_ladder_variant_idea(&ladder, (int)variant);
}
