/* merge's API: what its arguments must be, and the calls. Three ladders: prim_merge(),
 * prim_merge_sort(), and prim_co_rank(), which has one rung. */
#include <stdio.h>

#include "common/element.h"
#include "common/fail.h"
#include "merge/merge_args.h"

/* ---- what all three have ---- */

static prim_status check_order_and_type(const prim_call *call, prim_order order,
                                        cudaDataType_t key_type)
{
    if ((unsigned)order > PRIM_DESCENDING)
        return prim_fail(PRIM_ERROR_ENUM,
                         "%s: order is %d, neither PRIM_ASCENDING nor PRIM_DESCENDING, 0 or 1",
                         call->name, order);
    if (prim_element_bytes(key_type) == 0)
        return prim_fail(PRIM_ERROR_TYPE,
                         "%s: key_type is %d, not the type of an element that the "
                         "kit knows",
                         call->name, (int)key_type);
    return PRIM_OK;
}

/* The keys of both arrays, counted together. */
static prim_status check_both_counts(const prim_call *call, cudaDataType_t key_type, size_t a_count,
                                     size_t b_count)
{
    const size_t key_bytes = prim_element_bytes(key_type), most = SIZE_MAX / key_bytes;
    if (a_count <= most && b_count <= most - a_count)
        return PRIM_OK;
    return prim_fail(PRIM_ERROR_SIZE,
                     "%s: the bytes of %zu and %zu keys of %zu bytes do not fit size_t", call->name,
                     a_count, b_count, key_bytes);
}

/* The two arrays may overlap each other. */
static prim_status check_both_arrays(const prim_call *call, cudaDataType_t key_type, const void *a,
                                     size_t a_count, const void *b, size_t b_count,
                                     prim_span *spans)
{
    const size_t key_bytes = prim_element_bytes(key_type);
    const prim_status status = prim_check_vector(call, "a", a, a_count, key_bytes, &spans[0]);
    return status == PRIM_OK ? prim_check_vector(call, "b", b, b_count, key_bytes, &spans[1])
                             : status;
}

/* What is written overlaps none of the inputs before it in the list. */
static prim_status check_apart(const prim_call *call, prim_span written, const prim_span *inputs,
                               int count)
{
    prim_status status = PRIM_OK;
    for (int i = 0; i < count && status == PRIM_OK; i++)
        status = prim_check_disjoint(call, written, inputs[i]);
    return status;
}

/* ---- merge ---- */

static prim_status check_merge(const void *any)
{
    const prim_merge_args *args = any;
    const prim_status status = check_order_and_type(&args->call, args->order, args->key_type);
    return status == PRIM_OK
               ? check_both_counts(&args->call, args->key_type, args->a_count, args->b_count)
               : status;
}

static prim_status check_merge_operands(const void *any, prim_operands *operands)
{
    const prim_merge_args *args = any;
    prim_span *const spans = operands->spans;
    operands->count = 3;
    prim_status status = check_both_arrays(&args->call, args->key_type, args->a, args->a_count,
                                           args->b, args->b_count, spans);
    if (status == PRIM_OK)
        status = prim_check_vector(&args->call, "out", args->out, args->a_count + args->b_count,
                                   prim_element_bytes(args->key_type), &spans[2]);
    return status == PRIM_OK ? check_apart(&args->call, spans[2], spans, 2) : status;
}

static void describe_merge(const void *any, char *text, size_t bytes)
{
    const prim_merge_args *args = any;
    snprintf(text, bytes, "%s, %zu and %zu keys", prim_element_name(args->key_type), args->a_count,
             args->b_count);
}

static const prim_ladder merge_ladder = {
    .rungs = prim_merge_rungs,
    .choose = prim_merge_choose_rung,
    .check_kind = check_merge,
    .check_operands = check_merge_operands,
    .describe = describe_merge,
};

static prim_merge_args merge_shape(const char *name, prim_merge_variant variant, prim_order order,
                                   cudaDataType_t key_type, size_t a_count, size_t b_count)
{
    return (prim_merge_args){.call = {.name = name, .variant = (int)variant},
                             .order = order,
                             .key_type = key_type,
                             .a_count = a_count,
                             .b_count = b_count};
}

prim_status prim_merge(prim_merge_variant variant, prim_order order, cudaDataType_t key_type,
                       const void *d_a, size_t a_count, const void *d_b, size_t b_count,
                       void *d_out, void *d_workspace, size_t workspace_bytes, cudaStream_t stream)
{
    prim_merge_args args = {
        {"prim_merge", (int)variant, false, d_workspace, workspace_bytes, stream},
        order,
        key_type,
        d_a,
        d_b,
        a_count,
        b_count,
        d_out};
    return prim_ladder_run(&merge_ladder, &args.call);
}

prim_status prim_merge_workspace_bytes(prim_merge_variant variant, prim_order order,
                                       cudaDataType_t key_type, size_t a_count, size_t b_count,
                                       size_t *bytes)
{
    const prim_merge_args args =
        merge_shape("prim_merge_workspace_bytes", variant, order, key_type, a_count, b_count);
    return prim_ladder_workspace_bytes(&merge_ladder, &args.call, bytes);
}

bool prim_merge_supports(prim_merge_variant variant, prim_order order, cudaDataType_t key_type,
                         size_t a_count, size_t b_count)
{
    const prim_merge_args args =
        merge_shape("prim_merge_supports", variant, order, key_type, a_count, b_count);
    return prim_ladder_supports(&merge_ladder, &args.call);
}

prim_merge_variant prim_merge_choose(prim_order order, cudaDataType_t key_type, size_t a_count,
                                     size_t b_count)
{
    const prim_merge_args args =
        merge_shape("prim_merge_choose", PRIM_MERGE_AUTO, order, key_type, a_count, b_count);
    return (prim_merge_variant)prim_ladder_choose(&merge_ladder, &args.call);
}

prim_status prim_merge_host(prim_order order, cudaDataType_t key_type, const void *h_a,
                            size_t a_count, const void *h_b, size_t b_count, void *h_out,
                            int threads)
{
    const prim_merge_args args = {{.name = "prim_merge_host", .on_host = true},
                                  order,
                                  key_type,
                                  h_a,
                                  h_b,
                                  a_count,
                                  b_count,
                                  h_out};
    const prim_status status = prim_ladder_check_host(&merge_ladder, &args.call);
    return status == PRIM_OK ? prim_merge_on_host(&args, threads) : status;
}

/* ---- merge sort ---- */

static prim_status check_sort(const void *any)
{
    const prim_merge_sort_args *args = any;
    const prim_status status = check_order_and_type(&args->call, args->order, args->key_type);
    return status == PRIM_OK ? prim_check_bytes(&args->call, "in", 1, args->count,
                                                prim_element_bytes(args->key_type))
                             : status;
}

static prim_status check_sort_operands(const void *any, prim_operands *operands)
{
    const prim_merge_sort_args *args = any;
    const size_t key_bytes = prim_element_bytes(args->key_type);
    prim_span *const in = &operands->spans[0], *const out = &operands->spans[1];
    operands->count = 2;
    prim_status status = prim_check_vector(&args->call, "in", args->in, args->count, key_bytes, in);
    if (status == PRIM_OK)
        status = prim_check_vector(&args->call, "out", args->out, args->count, key_bytes, out);
    if (status == PRIM_OK)
        status = prim_check_in_place(&args->call, prim_one_row(*out), prim_one_row(*in));
    return status;
}

static void describe_sort(const void *any, char *text, size_t bytes)
{
    const prim_merge_sort_args *args = any;
    snprintf(text, bytes, "%s, %zu keys", prim_element_name(args->key_type), args->count);
}

static const prim_ladder sort_ladder = {
    .rungs = prim_merge_sort_rungs,
    .choose = prim_merge_sort_choose_rung,
    .check_kind = check_sort,
    .check_operands = check_sort_operands,
    .describe = describe_sort,
};

static prim_merge_sort_args sort_shape(const char *name, prim_merge_sort_variant variant,
                                       prim_order order, cudaDataType_t key_type, size_t count)
{
    return (prim_merge_sort_args){.call = {.name = name, .variant = (int)variant},
                                  .order = order,
                                  .key_type = key_type,
                                  .count = count};
}

prim_status prim_merge_sort(prim_merge_sort_variant variant, prim_order order,
                            cudaDataType_t key_type, const void *d_in, size_t count, void *d_out,
                            void *d_workspace, size_t workspace_bytes, cudaStream_t stream)
{
    prim_merge_sort_args args = {
        {"prim_merge_sort", (int)variant, false, d_workspace, workspace_bytes, stream},
        order,
        key_type,
        d_in,
        count,
        d_out};
    return prim_ladder_run(&sort_ladder, &args.call);
}

prim_status prim_merge_sort_workspace_bytes(prim_merge_sort_variant variant, prim_order order,
                                            cudaDataType_t key_type, size_t count, size_t *bytes)
{
    const prim_merge_sort_args args =
        sort_shape("prim_merge_sort_workspace_bytes", variant, order, key_type, count);
    return prim_ladder_workspace_bytes(&sort_ladder, &args.call, bytes);
}

bool prim_merge_sort_supports(prim_merge_sort_variant variant, prim_order order,
                              cudaDataType_t key_type, size_t count)
{
    const prim_merge_sort_args args =
        sort_shape("prim_merge_sort_supports", variant, order, key_type, count);
    return prim_ladder_supports(&sort_ladder, &args.call);
}

prim_merge_sort_variant prim_merge_sort_choose(prim_order order, cudaDataType_t key_type,
                                               size_t count)
{
    const prim_merge_sort_args args =
        sort_shape("prim_merge_sort_choose", PRIM_MERGE_SORT_AUTO, order, key_type, count);
    return (prim_merge_sort_variant)prim_ladder_choose(&sort_ladder, &args.call);
}

prim_status prim_merge_sort_host(prim_order order, cudaDataType_t key_type, const void *h_in,
                                 size_t count, void *h_out, int threads)
{
    const prim_merge_sort_args args = {
        {.name = "prim_merge_sort_host", .on_host = true}, order, key_type, h_in, count, h_out};
    const prim_status status = prim_ladder_check_host(&sort_ladder, &args.call);
    return status == PRIM_OK ? prim_merge_sort_on_host(&args, threads) : status;
}

/* ---- co-rank ---- */

static prim_status check_co_rank(const void *any)
{
    const prim_co_rank_args *args = any;
    prim_status status = check_order_and_type(&args->call, args->order, args->key_type);
    if (status == PRIM_OK)
        status = check_both_counts(&args->call, args->key_type, args->a_count, args->b_count);
    if (status == PRIM_OK)
        status =
            prim_check_bytes(&args->call, "diagonals", 1, args->count, sizeof *args->diagonals);
    return status;
}

static prim_status check_co_rank_operands(const void *any, prim_operands *operands)
{
    const prim_co_rank_args *args = any;
    prim_span *const spans = operands->spans;
    operands->count = 4;
    prim_status status = check_both_arrays(&args->call, args->key_type, args->a, args->a_count,
                                           args->b, args->b_count, spans);
    if (status == PRIM_OK)
        status = prim_check_vector(&args->call, "diagonals", args->diagonals, args->count,
                                   sizeof *args->diagonals, &spans[2]);
    if (status == PRIM_OK)
        status = prim_check_vector(&args->call, "ranks", args->ranks, args->count,
                                   sizeof *args->ranks, &spans[3]);
    return status == PRIM_OK ? check_apart(&args->call, spans[3], spans, 3) : status;
}

static void describe_co_rank(const void *any, char *text, size_t bytes)
{
    const prim_co_rank_args *args = any;
    snprintf(text, bytes, "%s, %zu ranks", prim_element_name(args->key_type), args->count);
}

static const prim_ladder co_rank_ladder = {
    .rungs = prim_co_rank_rungs,
    .choose = prim_co_rank_choose_rung,
    .check_kind = check_co_rank,
    .check_operands = check_co_rank_operands,
    .describe = describe_co_rank,
};

prim_status prim_co_rank(prim_order order, cudaDataType_t key_type, const void *d_a, size_t a_count,
                         const void *d_b, size_t b_count, const uint64_t *d_diagonals, size_t count,
                         uint64_t *d_ranks, cudaStream_t stream)
{
    prim_co_rank_args args = {
        {.name = "prim_co_rank", .variant = PRIM_VARIANT_AUTO, .stream = stream},
        order,
        key_type,
        d_a,
        d_b,
        a_count,
        b_count,
        d_diagonals,
        count,
        d_ranks};
    return prim_ladder_run(&co_rank_ladder, &args.call);
}

prim_status prim_co_rank_host(prim_order order, cudaDataType_t key_type, const void *h_a,
                              size_t a_count, const void *h_b, size_t b_count,
                              const uint64_t *h_diagonals, size_t count, uint64_t *h_ranks)
{
    const prim_co_rank_args args = {{.name = "prim_co_rank_host", .on_host = true},
                                    order,
                                    key_type,
                                    h_a,
                                    h_b,
                                    a_count,
                                    b_count,
                                    h_diagonals,
                                    count,
                                    h_ranks};
    const prim_status status = prim_ladder_check_host(&co_rank_ladder, &args.call);
    return status == PRIM_OK ? prim_co_rank_on_host(&args) : status;
}

/* ---- variants ---- */

const prim_variant *prim_merge_variant_at(size_t index)
{
    return prim_ladder_variant_at(&merge_ladder, index);
}

const prim_variant *prim_merge_variant_info(prim_merge_variant variant)
{
    return prim_ladder_variant_info(&merge_ladder, (int)variant);
}

const prim_variant *prim_merge_sort_variant_at(size_t index)
{
    return prim_ladder_variant_at(&sort_ladder, index);
}

const prim_variant *prim_merge_sort_variant_info(prim_merge_sort_variant variant)
{
    return prim_ladder_variant_info(&sort_ladder, (int)variant);
}
