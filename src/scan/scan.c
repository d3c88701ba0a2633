/* scan's API: check the arguments, choose a rung, launch it. */
#include "common/check.h"
#include "common/device.h"
#include "common/element.h"
#include "common/fail.h"
#include "common/workspace.h"
#include "scan/scan_variants.h"

static prim_scan_variant choose(const prim_scan_args *args)
{
    (void)args;
    return PRIM_SCAN_BRENT_KUNG;
}

static const prim_scan_rung *find_rung(prim_scan_variant variant)
{
    for (size_t i = 0; i < prim_scan_rung_count; i++)
        if (prim_scan_rungs[i].variant == variant)
            return &prim_scan_rungs[i];
    return NULL;
}

static bool types_go_together(cudaDataType_t in, cudaDataType_t out)
{
    return out == in && (in == CUDA_R_32I || in == CUDA_R_32F || in == CUDA_R_64F);
}

static prim_status check_kind(const char *call, const prim_scan_args *args)
{
    if ((unsigned)args->kind > PRIM_SCAN_EXCLUSIVE)
        return prim_fail(PRIM_ERROR_ENUM, "%s: kind is %d, neither inclusive nor exclusive", call,
                         args->kind);
    const prim_status status = prim_check_operator(call, args->op, args->transform);
    if (status != PRIM_OK)
        return status;
    if (!types_go_together(args->in_type, args->out_type))
        return prim_fail(PRIM_ERROR_TYPE, "%s: in_type %s does not go with out_type %s", call,
                         prim_element_name(args->in_type), prim_element_name(args->out_type));
    return PRIM_OK;
}

/* What a query and a call judge alike; *rung is what would run. */
static prim_status resolve(const char *call, prim_scan_variant variant, const prim_scan_args *args,
                           const prim_scan_rung **rung)
{
    *rung = find_rung(variant == PRIM_SCAN_AUTO ? choose(args) : variant);
    if (*rung == NULL)
        return prim_fail(PRIM_ERROR_ENUM, "%s: variant is %d, which is no variant", call, variant);
    const prim_status status = check_kind(call, args);
    if (status != PRIM_OK)
        return status;
    return prim_check_bytes(call, "d_in", args->rows, args->columns,
                            prim_element_bytes(args->in_type));
}

static prim_status check_support(const char *call, const prim_scan_args *args,
                                 const prim_scan_rung *rung)
{
    if (rung->supports(args))
        return PRIM_OK;
    return prim_fail(PRIM_ERROR_UNSUPPORTED,
                     "%s: variant %s does not scan %zu × %zu elements of these types with this op",
                     call, rung->name, args->rows, args->columns);
}

static prim_status check_operands(const char *call, const char *in_name, const char *out_name,
                                  const prim_scan_args *args, prim_span *in, prim_span *out)
{
    const size_t element_bytes = prim_element_bytes(args->in_type); /* out_type is the same */
    prim_status status = prim_check_matrix(call, in_name, args->in, args->rows, args->columns,
                                           args->in_ld, element_bytes, in);
    if (status == PRIM_OK)
        status = prim_check_matrix(call, out_name, args->out, args->rows, args->columns,
                                   args->out_ld, element_bytes, out);
    if (status == PRIM_OK && args->initial != NULL)
        status = prim_check_vector(call, "h_initial", args->initial, 1, element_bytes, NULL);
    if (status == PRIM_OK)
        status = prim_check_in_place(call, *out, args->out_ld, *in, args->in_ld, args->rows,
                                     args->columns, element_bytes);
    return status;
}

static prim_status check_call(const char *call, const prim_scan_args *args,
                              const prim_scan_rung *rung, size_t workspace_bytes)
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

static prim_status scan(const char *call, prim_scan_variant variant, prim_scan_args args,
                        size_t workspace_bytes)
{
    const prim_scan_rung *rung;
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

static prim_scan_args shape(prim_scan_kind kind, prim_op op, prim_transform transform,
                            cudaDataType_t in_type, size_t rows, size_t columns,
                            cudaDataType_t out_type)
{
    return (prim_scan_args){.kind = kind,
                            .op = op,
                            .transform = transform,
                            .in_type = in_type,
                            .out_type = out_type,
                            .rows = rows,
                            .columns = columns,
                            .in_ld = columns,
                            .out_ld = columns};
}

static prim_scan_args shape_2d(prim_op op, prim_transform transform, cudaDataType_t in_type,
                               size_t rows, size_t columns, cudaDataType_t out_type)
{
    prim_scan_args args =
        shape(PRIM_SCAN_INCLUSIVE, op, transform, in_type, rows, columns, out_type);
    args.both_directions = true;
    return args;
}

static void put_operands(prim_scan_args *args, const void *initial, const void *in, size_t in_ld,
                         void *out, size_t out_ld)
{
    args->initial = initial;
    args->in = in;
    args->in_ld = in_ld;
    args->out = out;
    args->out_ld = out_ld;
}

prim_status prim_scan(prim_scan_variant variant, prim_scan_kind kind, prim_op op,
                      prim_transform transform, const void *h_initial, cudaDataType_t in_type,
                      const void *d_in, size_t count, cudaDataType_t out_type, void *d_out,
                      void *d_workspace, size_t workspace_bytes, cudaStream_t stream)
{
    prim_scan_args args = shape(kind, op, transform, in_type, 1, count, out_type);
    put_operands(&args, h_initial, d_in, count, d_out, count);
    args.workspace = d_workspace;
    args.stream = stream;
    return scan("prim_scan", variant, args, workspace_bytes);
}

prim_status prim_scan_rows(prim_scan_variant variant, prim_scan_kind kind, prim_op op,
                           prim_transform transform, const void *h_initial, cudaDataType_t in_type,
                           const void *d_in, size_t rows, size_t columns, size_t in_ld,
                           cudaDataType_t out_type, void *d_out, size_t out_ld, void *d_workspace,
                           size_t workspace_bytes, cudaStream_t stream)
{
    prim_scan_args args = shape(kind, op, transform, in_type, rows, columns, out_type);
    put_operands(&args, h_initial, d_in, in_ld, d_out, out_ld);
    args.workspace = d_workspace;
    args.stream = stream;
    return scan("prim_scan_rows", variant, args, workspace_bytes);
}

prim_status prim_scan_2d(prim_scan_variant variant, prim_op op, prim_transform transform,
                         cudaDataType_t in_type, const void *d_in, size_t rows, size_t columns,
                         size_t in_ld, cudaDataType_t out_type, void *d_out, size_t out_ld,
                         void *d_workspace, size_t workspace_bytes, cudaStream_t stream)
{
    prim_scan_args args = shape_2d(op, transform, in_type, rows, columns, out_type);
    put_operands(&args, NULL, d_in, in_ld, d_out, out_ld);
    args.workspace = d_workspace;
    args.stream = stream;
    return scan("prim_scan_2d", variant, args, workspace_bytes);
}

/* ---- queries ---- */

static prim_status ask_workspace(const char *call, prim_scan_variant variant,
                                 const prim_scan_args *args, size_t *bytes)
{
    if (bytes == NULL)
        return prim_fail(PRIM_ERROR_NULL, "%s: bytes is NULL", call);
    const prim_scan_rung *rung;
    prim_status status = resolve(call, variant, args, &rung);
    if (status == PRIM_OK)
        status = check_support(call, args, rung);
    if (status == PRIM_OK)
        *bytes = rung->workspace_bytes(args);
    return status;
}

prim_status prim_scan_workspace_bytes(prim_scan_variant variant, prim_scan_kind kind, prim_op op,
                                      prim_transform transform, cudaDataType_t in_type,
                                      size_t count, cudaDataType_t out_type, size_t *bytes)
{
    const prim_scan_args args = shape(kind, op, transform, in_type, 1, count, out_type);
    return ask_workspace("prim_scan_workspace_bytes", variant, &args, bytes);
}

prim_status prim_scan_rows_workspace_bytes(prim_scan_variant variant, prim_scan_kind kind,
                                           prim_op op, prim_transform transform,
                                           cudaDataType_t in_type, size_t rows, size_t columns,
                                           cudaDataType_t out_type, size_t *bytes)
{
    const prim_scan_args args = shape(kind, op, transform, in_type, rows, columns, out_type);
    return ask_workspace("prim_scan_rows_workspace_bytes", variant, &args, bytes);
}

prim_status prim_scan_2d_workspace_bytes(prim_scan_variant variant, prim_op op,
                                         prim_transform transform, cudaDataType_t in_type,
                                         size_t rows, size_t columns, cudaDataType_t out_type,
                                         size_t *bytes)
{
    const prim_scan_args args = shape_2d(op, transform, in_type, rows, columns, out_type);
    return ask_workspace("prim_scan_2d_workspace_bytes", variant, &args, bytes);
}

static bool supports(const char *call, prim_scan_variant variant, prim_scan_args args)
{
    size_t bytes;
    return ask_workspace(call, variant, &args, &bytes) == PRIM_OK && prim_device_has_code();
}

bool prim_scan_supports(prim_scan_variant variant, prim_scan_kind kind, prim_op op,
                        prim_transform transform, cudaDataType_t in_type, size_t count,
                        cudaDataType_t out_type)
{
    return supports("prim_scan_supports", variant,
                    shape(kind, op, transform, in_type, 1, count, out_type));
}

bool prim_scan_rows_supports(prim_scan_variant variant, prim_scan_kind kind, prim_op op,
                             prim_transform transform, cudaDataType_t in_type, size_t rows,
                             size_t columns, cudaDataType_t out_type)
{
    return supports("prim_scan_rows_supports", variant,
                    shape(kind, op, transform, in_type, rows, columns, out_type));
}

bool prim_scan_2d_supports(prim_scan_variant variant, prim_op op, prim_transform transform,
                           cudaDataType_t in_type, size_t rows, size_t columns,
                           cudaDataType_t out_type)
{
    return supports("prim_scan_2d_supports", variant,
                    shape_2d(op, transform, in_type, rows, columns, out_type));
}

/* ---- host ---- */

static prim_status scan_host(const char *call, const prim_scan_args *args, int threads)
{
    prim_span in, out;
    prim_status status = check_kind(call, args);
    if (status == PRIM_OK)
        status = check_operands(call, "h_in", "h_out", args, &in, &out);
    return status == PRIM_OK ? prim_scan_on_host(call, args, threads) : status;
}

prim_status prim_scan_host(prim_scan_kind kind, prim_op op, prim_transform transform,
                           const void *h_initial, cudaDataType_t in_type, const void *h_in,
                           size_t count, cudaDataType_t out_type, void *h_out, int threads)
{
    prim_scan_args args = shape(kind, op, transform, in_type, 1, count, out_type);
    put_operands(&args, h_initial, h_in, count, h_out, count);
    return scan_host("prim_scan_host", &args, threads);
}

prim_status prim_scan_rows_host(prim_scan_kind kind, prim_op op, prim_transform transform,
                                const void *h_initial, cudaDataType_t in_type, const void *h_in,
                                size_t rows, size_t columns, size_t in_ld, cudaDataType_t out_type,
                                void *h_out, size_t out_ld, int threads)
{
    prim_scan_args args = shape(kind, op, transform, in_type, rows, columns, out_type);
    put_operands(&args, h_initial, h_in, in_ld, h_out, out_ld);
    return scan_host("prim_scan_rows_host", &args, threads);
}

prim_status prim_scan_2d_host(prim_op op, prim_transform transform, cudaDataType_t in_type,
                              const void *h_in, size_t rows, size_t columns, size_t in_ld,
                              cudaDataType_t out_type, void *h_out, size_t out_ld, int threads)
{
    prim_scan_args args = shape_2d(op, transform, in_type, rows, columns, out_type);
    put_operands(&args, NULL, h_in, in_ld, h_out, out_ld);
    return scan_host("prim_scan_2d_host", &args, threads);
}

/* ---- variants ---- */

size_t prim_scan_variant_count(void)
{
    return prim_scan_rung_count + 1;
}

prim_scan_variant prim_scan_variant_at(size_t index)
{
    return index == 0 || index > prim_scan_rung_count ? PRIM_SCAN_AUTO
                                                      : prim_scan_rungs[index - 1].variant;
}

const char *prim_scan_variant_name(prim_scan_variant variant)
{
    const prim_scan_rung *rung = find_rung(variant);
    return variant == PRIM_SCAN_AUTO ? "auto" : rung != NULL ? rung->name : NULL;
}

const char *prim_scan_variant_idea(prim_scan_variant variant)
{
    const prim_scan_rung *rung = find_rung(variant);
    return variant == PRIM_SCAN_AUTO ? "the fastest rung that supports the call"
           : rung != NULL            ? rung->idea
                                     : NULL;
}
