/* reduce's API: check the arguments, choose a rung, launch it. */
#include "common/check.h"
#include "common/device.h"
#include "common/element.h"
#include "common/fail.h"
#include "common/workspace.h"
#include "reduce/reduce_variants.h"

static prim_reduce_variant choose(const prim_reduce_args *args)
{
    (void)args;
    return PRIM_REDUCE_SEQUENTIAL;
}

static const prim_reduce_rung *find_rung(prim_reduce_variant variant)
{
    for (size_t i = 0; i < prim_reduce_rung_count; i++)
        if (prim_reduce_rungs[i].variant == variant)
            return &prim_reduce_rungs[i];
    return NULL;
}

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

static prim_status check_kind(const char *call, const prim_reduce_args *args)
{
    const prim_status status = prim_check_operator(call, args->op, args->transform);
    if (status != PRIM_OK)
        return status;
    if (!types_go_together(args->in_type, args->out_type))
        return prim_fail(PRIM_ERROR_TYPE, "%s: in_type %s does not go with out_type %s", call,
                         prim_element_name(args->in_type), prim_element_name(args->out_type));
    return PRIM_OK;
}

/* What a query and a call judge alike; *rung is what would run. */
static prim_status resolve(const char *call, prim_reduce_variant variant,
                           const prim_reduce_args *args, const prim_reduce_rung **rung)
{
    *rung = find_rung(variant == PRIM_REDUCE_AUTO ? choose(args) : variant);
    if (*rung == NULL)
        return prim_fail(PRIM_ERROR_ENUM, "%s: variant is %d, which is no variant", call, variant);
    const prim_status status = check_kind(call, args);
    if (status != PRIM_OK)
        return status;
    return prim_check_bytes(call, "d_in", args->rows, args->columns,
                            prim_element_bytes(args->in_type));
}

static prim_status check_support(const char *call, const prim_reduce_args *args,
                                 const prim_reduce_rung *rung)
{
    if (rung->supports(args))
        return PRIM_OK;
    return prim_fail(
        PRIM_ERROR_UNSUPPORTED,
        "%s: variant %s does not reduce %zu × %zu elements of these types with this op", call,
        rung->name, args->rows, args->columns);
}

static prim_status check_operands(const char *call, const char *in_name, const char *out_name,
                                  const prim_reduce_args *args, prim_span *in, prim_span *out)
{
    prim_status status = prim_check_matrix(call, in_name, args->in, args->rows, args->columns,
                                           args->ld, prim_element_bytes(args->in_type), in);
    if (status == PRIM_OK)
        status = prim_check_vector(call, out_name, args->out, args->rows,
                                   prim_element_bytes(args->out_type), out);
    if (status == PRIM_OK)
        status = prim_check_disjoint(call, *out, *in);
    return status;
}

static prim_status check_call(const char *call, const prim_reduce_args *args,
                              const prim_reduce_rung *rung, size_t workspace_bytes)
{
    prim_span in, out, workspace;
    prim_status status = check_operands(call, "d_in", "d_out", args, &in, &out);
    if (status == PRIM_OK)
        status = check_support(call, args, rung);
    if (status == PRIM_OK)
        status = prim_workspace_check(call, args->workspace, workspace_bytes,
                                      rung->workspace_bytes(args), &workspace);
    if (status == PRIM_OK)
        status = prim_check_disjoint(call, workspace, in);
    if (status == PRIM_OK)
        status = prim_check_disjoint(call, workspace, out);
    return status;
}

static prim_status reduce(const char *call, prim_reduce_variant variant, prim_reduce_args args,
                          size_t workspace_bytes)
{
    const prim_reduce_rung *rung;
    prim_status status = resolve(call, variant, &args, &rung);
    if (status == PRIM_OK)
        status = check_call(call, &args, rung, workspace_bytes);
    if (status != PRIM_OK)
        return status;
    prim_workspace workspace;
    status = prim_workspace_open(call, args.workspace, rung->workspace_bytes(&args), args.stream,
                                 &workspace);
    if (status != PRIM_OK)
        return status;
    args.workspace = workspace.data;
    status = prim_launch_status(call, rung->name, rung->launch(&args));
    const prim_status closed = prim_workspace_close(call, workspace, args.stream);
    return status != PRIM_OK ? status : closed;
}

prim_status prim_reduce(prim_reduce_variant variant, prim_op op, prim_transform transform,
                        cudaDataType_t in_type, const void *d_in, size_t count,
                        cudaDataType_t out_type, void *d_out, void *d_workspace,
                        size_t workspace_bytes, cudaStream_t stream)
{
    const prim_reduce_args args = {op,    transform, in_type, out_type,    d_in,  1,
                                   count, count,     d_out,   d_workspace, stream};
    return reduce("prim_reduce", variant, args, workspace_bytes);
}

prim_status prim_reduce_rows(prim_reduce_variant variant, prim_op op, prim_transform transform,
                             cudaDataType_t in_type, const void *d_in, size_t rows, size_t columns,
                             size_t ld, cudaDataType_t out_type, void *d_out, void *d_workspace,
                             size_t workspace_bytes, cudaStream_t stream)
{
    const prim_reduce_args args = {op,      transform, in_type, out_type,    d_in,  rows,
                                   columns, ld,        d_out,   d_workspace, stream};
    return reduce("prim_reduce_rows", variant, args, workspace_bytes);
}

/* ---- queries ---- */

static prim_status ask_workspace(const char *call, prim_reduce_variant variant,
                                 const prim_reduce_args *args, size_t *bytes)
{
    if (bytes == NULL)
        return prim_fail(PRIM_ERROR_NULL, "%s: bytes is NULL", call);
    const prim_reduce_rung *rung;
    prim_status status = resolve(call, variant, args, &rung);
    if (status == PRIM_OK)
        status = check_support(call, args, rung);
    if (status == PRIM_OK)
        *bytes = rung->workspace_bytes(args);
    return status;
}

static prim_reduce_args shape(prim_op op, prim_transform transform, cudaDataType_t in_type,
                              size_t rows, size_t columns, cudaDataType_t out_type)
{
    return (prim_reduce_args){.op = op,
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
    const prim_reduce_args args = shape(op, transform, in_type, 1, count, out_type);
    return ask_workspace("prim_reduce_workspace_bytes", variant, &args, bytes);
}

prim_status prim_reduce_rows_workspace_bytes(prim_reduce_variant variant, prim_op op,
                                             prim_transform transform, cudaDataType_t in_type,
                                             size_t rows, size_t columns, cudaDataType_t out_type,
                                             size_t *bytes)
{
    const prim_reduce_args args = shape(op, transform, in_type, rows, columns, out_type);
    return ask_workspace("prim_reduce_rows_workspace_bytes", variant, &args, bytes);
}

static bool supports(const char *call, prim_reduce_variant variant, prim_reduce_args args)
{
    size_t bytes;
    return ask_workspace(call, variant, &args, &bytes) == PRIM_OK && prim_device_has_code();
}

bool prim_reduce_supports(prim_reduce_variant variant, prim_op op, prim_transform transform,
                          cudaDataType_t in_type, size_t count, cudaDataType_t out_type)
{
    return supports("prim_reduce_supports", variant,
                    shape(op, transform, in_type, 1, count, out_type));
}

bool prim_reduce_rows_supports(prim_reduce_variant variant, prim_op op, prim_transform transform,
                               cudaDataType_t in_type, size_t rows, size_t columns,
                               cudaDataType_t out_type)
{
    return supports("prim_reduce_rows_supports", variant,
                    shape(op, transform, in_type, rows, columns, out_type));
}

/* ---- host ---- */

static prim_status check_host(const char *call, const prim_reduce_args *args)
{
    prim_span in, out;
    const prim_status status = check_kind(call, args);
    return status == PRIM_OK ? check_operands(call, "h_in", "h_out", args, &in, &out) : status;
}

prim_status prim_reduce_host(prim_op op, prim_transform transform, cudaDataType_t in_type,
                             const void *h_in, size_t count, cudaDataType_t out_type, void *h_out,
                             int threads)
{
    const prim_reduce_args args = {op,    transform, in_type, out_type, h_in, 1,
                                   count, count,     h_out,   NULL,     NULL};
    static const char call[] = "prim_reduce_host";
    const prim_status status = check_host(call, &args);
    return status == PRIM_OK ? prim_reduce_on_host(call, &args, threads) : status;
}

prim_status prim_reduce_rows_host(prim_op op, prim_transform transform, cudaDataType_t in_type,
                                  const void *h_in, size_t rows, size_t columns, size_t ld,
                                  cudaDataType_t out_type, void *h_out, int threads)
{
    const prim_reduce_args args = {op,      transform, in_type, out_type, h_in, rows,
                                   columns, ld,        h_out,   NULL,     NULL};
    static const char call[] = "prim_reduce_rows_host";
    const prim_status status = check_host(call, &args);
    return status == PRIM_OK ? prim_reduce_rows_on_host(call, &args, threads) : status;
}

/* ---- variants ---- */

size_t prim_reduce_variant_count(void)
{
    return prim_reduce_rung_count + 1;
}

prim_reduce_variant prim_reduce_variant_at(size_t index)
{
    return index == 0 || index > prim_reduce_rung_count ? PRIM_REDUCE_AUTO
                                                        : prim_reduce_rungs[index - 1].variant;
}

const char *prim_reduce_variant_name(prim_reduce_variant variant)
{
    const prim_reduce_rung *rung = find_rung(variant);
    return variant == PRIM_REDUCE_AUTO ? "auto" : rung != NULL ? rung->name : NULL;
}

const char *prim_reduce_variant_idea(prim_reduce_variant variant)
{
    const prim_reduce_rung *rung = find_rung(variant);
    return variant == PRIM_REDUCE_AUTO ? "the fastest rung that supports the call"
           : rung != NULL              ? rung->idea
                                       : NULL;
}
