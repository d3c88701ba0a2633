/* merge's API: checks of the arguments, and the calls. Three ladders: prim_merge(),
 * prim_merge_sort(), and prim_co_rank(), which has one rung. */
#include <stdio.h>

#include "common/host/element.h"
#include "common/host/fail.h"
#include "merge/merge_args.h"

/* ---- what all three share ---- */

prim_status prim_merge_check_order_and_type(const prim_request *call, prim_order order,
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
static prim_status check_both_counts(const prim_request *call, cudaDataType_t key_type, size_t a_count,
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
static prim_status check_both_arrays(const prim_request *call, cudaDataType_t key_type, const void *a,
                                     size_t a_count, const void *b, size_t b_count,
                                     prim_span *spans)
{
    const size_t key_bytes = prim_element_bytes(key_type);
    const prim_status status = prim_check_vector(call, "a", a, a_count, key_bytes, &spans[0]);
    return status == PRIM_OK ? prim_check_vector(call, "b", b, b_count, key_bytes, &spans[1])
                             : status;
}

/* An output overlaps none of these inputs. */
static prim_status check_apart(const prim_request *call, prim_span written, const prim_span *inputs,
                               int count)
{
    prim_status status = PRIM_OK;
    for (int i = 0; i < count && status == PRIM_OK; i++)
        status = prim_check_disjoint(call, written, inputs[i]);
    return status;
}

/* For calls that move values: their size, and that the bytes of the workspace, keys, values and
 * places, fit size_t. */
static prim_status check_values(const prim_request *call, cudaDataType_t key_type, size_t count,
                                size_t value_bytes)
{
    const size_t each = 2 * prim_element_bytes(key_type) + value_bytes;
    if (value_bytes != 4 && value_bytes != 8 && value_bytes != 16)
        return prim_fail(PRIM_ERROR_VALUE, "%s: value_bytes is %zu, not 4, 8 or 16", call->name,
                         value_bytes);
    if (count <= (SIZE_MAX - 1024) / each)
        return PRIM_OK;
    return prim_fail(PRIM_ERROR_SIZE, "%s: the bytes of %zu keys and values do not fit size_t",
                     call->name, count);
}

/* ---- merge ---- */

static prim_status check_merge(const void *any)
{
    const prim_merge_args *args = any;
    prim_status status = prim_merge_check_order_and_type(&args->call, args->order, args->key_type);
    if (status == PRIM_OK)
        status = check_both_counts(&args->call, args->key_type, args->a_count, args->b_count);
    if (status == PRIM_OK && args->has_values)
        status = check_values(&args->call, args->key_type, args->a_count + args->b_count,
                              args->value_bytes);
    return status;
}

/* The inputs first, then the outputs. */
static prim_status check_merge_operands(const void *any, prim_operands *operands)
{
    const prim_merge_args *args = any;
    const prim_request *const call = &args->call;
    const size_t count = args->a_count + args->b_count, bytes = args->value_bytes;
    prim_span *const spans = operands->spans;
    const int inputs = args->has_values ? 4 : 2;
    operands->count = args->has_values ? 6 : 3;
    prim_status status = check_both_arrays(call, args->key_type, args->a, args->a_count, args->b,
                                           args->b_count, spans);
    if (status == PRIM_OK && args->has_values)
        status =
            prim_check_vector(call, "a_values", args->a_values, args->a_count, bytes, &spans[2]);
    if (status == PRIM_OK && args->has_values)
        status =
            prim_check_vector(call, "b_values", args->b_values, args->b_count, bytes, &spans[3]);
    if (status == PRIM_OK)
        status = prim_check_vector(call, "out", args->out, count,
                                   prim_element_bytes(args->key_type), &spans[inputs]);
    if (status == PRIM_OK && args->has_values)
        status = prim_check_vector(call, "out_values", args->out_values, count, bytes, &spans[5]);
    if (status == PRIM_OK)
        status = check_apart(call, spans[inputs], spans, inputs);
    if (status == PRIM_OK && args->has_values)
        status = check_apart(call, spans[5], spans, 5);
    return status;
}

static void describe_merge(const void *any, char *text, size_t bytes)
{
    const prim_merge_args *args = any;
    snprintf(text, bytes, "%s, %zu and %zu keys%s", prim_element_name(args->key_type),
             args->a_count, args->b_count, args->has_values ? " with values" : "");
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

static prim_merge_args pairs_shape(const char *name, prim_merge_variant variant, prim_order order,
                                   cudaDataType_t key_type, size_t value_bytes, size_t a_count,
                                   size_t b_count)
{
    prim_merge_args args = merge_shape(name, variant, order, key_type, a_count, b_count);
    args.has_values = true;
    args.value_bytes = value_bytes;
    return args;
}

static void set_keys(prim_merge_args *args, const void *a, const void *b, void *out)
{
    args->a = a;
    args->b = b;
    args->out = out;
}

static void set_values(prim_merge_args *args, const void *a, const void *b, void *out)
{
    args->a_values = a;
    args->b_values = b;
    args->out_values = out;
}

static void set_place(prim_request *call, void *workspace, size_t workspace_bytes, cudaStream_t stream)
{
    call->workspace = workspace;
    call->workspace_bytes = workspace_bytes;
    call->stream = stream;
}

static prim_status merge_on_host(prim_merge_args *args, int threads)
{
    args->call.on_host = true;
    const prim_status status = prim_ladder_check_host(&merge_ladder, &args->call);
    return status == PRIM_OK ? prim_merge_on_host(args, threads) : status;
}

prim_status prim_merge(prim_merge_variant variant, prim_order order, cudaDataType_t key_type,
                       const void *d_a, size_t a_count, const void *d_b, size_t b_count,
                       void *d_out, void *d_workspace, size_t workspace_bytes, cudaStream_t stream)
{
    prim_merge_args args = merge_shape("prim_merge", variant, order, key_type, a_count, b_count);
    set_keys(&args, d_a, d_b, d_out);
    set_place(&args.call, d_workspace, workspace_bytes, stream);
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
    prim_merge_args args =
        merge_shape("prim_merge_host", PRIM_MERGE_AUTO, order, key_type, a_count, b_count);
    set_keys(&args, h_a, h_b, h_out);
    return merge_on_host(&args, threads);
}

prim_status prim_merge_pairs(prim_merge_variant variant, prim_order order, cudaDataType_t key_type,
                             size_t value_bytes, const void *d_a, const void *d_a_values,
                             size_t a_count, const void *d_b, const void *d_b_values,
                             size_t b_count, void *d_out, void *d_out_values, void *d_workspace,
                             size_t workspace_bytes, cudaStream_t stream)
{
    prim_merge_args args =
        pairs_shape("prim_merge_pairs", variant, order, key_type, value_bytes, a_count, b_count);
    set_keys(&args, d_a, d_b, d_out);
    set_values(&args, d_a_values, d_b_values, d_out_values);
    set_place(&args.call, d_workspace, workspace_bytes, stream);
    return prim_ladder_run(&merge_ladder, &args.call);
}

prim_status prim_merge_pairs_workspace_bytes(prim_merge_variant variant, prim_order order,
                                             cudaDataType_t key_type, size_t value_bytes,
                                             size_t a_count, size_t b_count, size_t *bytes)
{
    const prim_merge_args args = pairs_shape("prim_merge_pairs_workspace_bytes", variant, order,
                                             key_type, value_bytes, a_count, b_count);
    return prim_ladder_workspace_bytes(&merge_ladder, &args.call, bytes);
}

bool prim_merge_pairs_supports(prim_merge_variant variant, prim_order order,
                               cudaDataType_t key_type, size_t value_bytes, size_t a_count,
                               size_t b_count)
{
    const prim_merge_args args = pairs_shape("prim_merge_pairs_supports", variant, order, key_type,
                                             value_bytes, a_count, b_count);
    return prim_ladder_supports(&merge_ladder, &args.call);
}

prim_merge_variant prim_merge_pairs_choose(prim_order order, cudaDataType_t key_type,
                                           size_t value_bytes, size_t a_count, size_t b_count)
{
    const prim_merge_args args = pairs_shape("prim_merge_pairs_choose", PRIM_MERGE_AUTO, order,
                                             key_type, value_bytes, a_count, b_count);
    return (prim_merge_variant)prim_ladder_choose(&merge_ladder, &args.call);
}

prim_status prim_merge_pairs_host(prim_order order, cudaDataType_t key_type, size_t value_bytes,
                                  const void *h_a, const void *h_a_values, size_t a_count,
                                  const void *h_b, const void *h_b_values, size_t b_count,
                                  void *h_out, void *h_out_values, int threads)
{
    prim_merge_args args = pairs_shape("prim_merge_pairs_host", PRIM_MERGE_AUTO, order, key_type,
                                       value_bytes, a_count, b_count);
    set_keys(&args, h_a, h_b, h_out);
    set_values(&args, h_a_values, h_b_values, h_out_values);
    return merge_on_host(&args, threads);
}

/* ---- merge sort ---- */

static prim_status check_sort(const void *any)
{
    const prim_merge_sort_args *args = any;
    prim_status status = prim_merge_check_order_and_type(&args->call, args->order, args->key_type);
    if (status == PRIM_OK && args->permutation && args->index_type != CUDA_R_32U &&
        args->index_type != CUDA_R_64U)
        status = prim_fail(PRIM_ERROR_TYPE, "%s: index_type is %s, not u32 or u64", args->call.name,
                           prim_element_name(args->index_type));
    if (status == PRIM_OK)
        status =
            prim_check_bytes(&args->call, "in", 1, args->count, prim_element_bytes(args->key_type));
    if (status == PRIM_OK && args->has_values)
        status = check_values(&args->call, args->key_type, args->count, args->value_bytes);
    if (status == PRIM_OK && args->permutation && args->index_type == CUDA_R_32U &&
        args->count > (size_t)1 << 32)
        status = prim_fail(PRIM_ERROR_SIZE, "%s: %zu keys have more places than u32 can name",
                           args->call.name, args->count);
    return status;
}

static prim_status check_permutation(const prim_merge_sort_args *args, prim_operands *operands)
{
    prim_span *const spans = operands->spans;
    operands->count = 2;
    prim_status status = prim_check_vector(&args->call, "in", args->in, args->count,
                                           prim_element_bytes(args->key_type), &spans[0]);
    if (status == PRIM_OK)
        status = prim_check_vector(&args->call, "indices", args->out_values, args->count,
                                   args->value_bytes, &spans[1]);
    return status == PRIM_OK ? prim_check_disjoint(&args->call, spans[1], spans[0]) : status;
}

/* Keys may be sorted in place, and so may values, independently. */
static prim_status check_sort_operands(const void *any, prim_operands *operands)
{
    const prim_merge_sort_args *args = any;
    const prim_request *const call = &args->call;
    const size_t key_bytes = prim_element_bytes(args->key_type), bytes = args->value_bytes;
    prim_span *const spans = operands->spans;
    if (args->permutation)
        return check_permutation(args, operands);
    operands->count = args->has_values ? 4 : 2;
    prim_status status = prim_check_vector(call, "in", args->in, args->count, key_bytes, &spans[0]);
    if (status == PRIM_OK)
        status = prim_check_vector(call, "out", args->out, args->count, key_bytes, &spans[1]);
    if (status == PRIM_OK)
        status = prim_check_in_place(call, prim_one_row(spans[1]), prim_one_row(spans[0]));
    if (status != PRIM_OK || !args->has_values)
        return status;
    status = prim_check_vector(call, "values", args->values, args->count, bytes, &spans[2]);
    if (status == PRIM_OK)
        status =
            prim_check_vector(call, "out_values", args->out_values, args->count, bytes, &spans[3]);
    if (status == PRIM_OK)
        status = prim_check_in_place(call, prim_one_row(spans[3]), prim_one_row(spans[2]));
    if (status == PRIM_OK)
        status = prim_check_disjoint(call, spans[1], spans[2]);
    return status == PRIM_OK ? check_apart(call, spans[3], spans, 2) : status;
}

static void describe_sort(const void *any, char *text, size_t bytes)
{
    const prim_merge_sort_args *args = any;
    snprintf(text, bytes, "%s, %zu keys%s", prim_element_name(args->key_type), args->count,
             args->has_values ? " with values" : "");
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

static prim_merge_sort_args sort_pairs_shape(const char *name, prim_merge_sort_variant variant,
                                             prim_order order, cudaDataType_t key_type,
                                             size_t value_bytes, size_t count)
{
    prim_merge_sort_args args = sort_shape(name, variant, order, key_type, count);
    args.has_values = true;
    args.value_bytes = value_bytes;
    return args;
}

static prim_merge_sort_args permutation_shape(const char *name, prim_merge_sort_variant variant,
                                              prim_order order, cudaDataType_t key_type,
                                              size_t count, cudaDataType_t index_type)
{
    prim_merge_sort_args args =
        sort_pairs_shape(name, variant, order, key_type, prim_element_bytes(index_type), count);
    args.permutation = true;
    args.index_type = index_type;
    return args;
}

static prim_status sort_on_host(prim_merge_sort_args *args, int threads)
{
    args->call.on_host = true;
    const prim_status status = prim_ladder_check_host(&sort_ladder, &args->call);
    return status == PRIM_OK ? prim_merge_sort_on_host(args, threads) : status;
}

prim_status prim_merge_sort(prim_merge_sort_variant variant, prim_order order,
                            cudaDataType_t key_type, const void *d_in, size_t count, void *d_out,
                            void *d_workspace, size_t workspace_bytes, cudaStream_t stream)
{
    prim_merge_sort_args args = sort_shape("prim_merge_sort", variant, order, key_type, count);
    args.in = d_in;
    args.out = d_out;
    set_place(&args.call, d_workspace, workspace_bytes, stream);
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
    prim_merge_sort_args args =
        sort_shape("prim_merge_sort_host", PRIM_MERGE_SORT_AUTO, order, key_type, count);
    args.in = h_in;
    args.out = h_out;
    return sort_on_host(&args, threads);
}

prim_status prim_merge_sort_pairs(prim_merge_sort_variant variant, prim_order order,
                                  cudaDataType_t key_type, size_t value_bytes, const void *d_in,
                                  const void *d_values, size_t count, void *d_out,
                                  void *d_out_values, void *d_workspace, size_t workspace_bytes,
                                  cudaStream_t stream)
{
    prim_merge_sort_args args =
        sort_pairs_shape("prim_merge_sort_pairs", variant, order, key_type, value_bytes, count);
    args.in = d_in;
    args.out = d_out;
    args.values = d_values;
    args.out_values = d_out_values;
    set_place(&args.call, d_workspace, workspace_bytes, stream);
    return prim_ladder_run(&sort_ladder, &args.call);
}

prim_status prim_merge_sort_pairs_workspace_bytes(prim_merge_sort_variant variant, prim_order order,
                                                  cudaDataType_t key_type, size_t value_bytes,
                                                  size_t count, size_t *bytes)
{
    const prim_merge_sort_args args = sort_pairs_shape(
        "prim_merge_sort_pairs_workspace_bytes", variant, order, key_type, value_bytes, count);
    return prim_ladder_workspace_bytes(&sort_ladder, &args.call, bytes);
}

bool prim_merge_sort_pairs_supports(prim_merge_sort_variant variant, prim_order order,
                                    cudaDataType_t key_type, size_t value_bytes, size_t count)
{
    const prim_merge_sort_args args = sort_pairs_shape("prim_merge_sort_pairs_supports", variant,
                                                       order, key_type, value_bytes, count);
    return prim_ladder_supports(&sort_ladder, &args.call);
}

prim_merge_sort_variant prim_merge_sort_pairs_choose(prim_order order, cudaDataType_t key_type,
                                                     size_t value_bytes, size_t count)
{
    const prim_merge_sort_args args = sort_pairs_shape(
        "prim_merge_sort_pairs_choose", PRIM_MERGE_SORT_AUTO, order, key_type, value_bytes, count);
    return (prim_merge_sort_variant)prim_ladder_choose(&sort_ladder, &args.call);
}

prim_status prim_merge_sort_pairs_host(prim_order order, cudaDataType_t key_type,
                                       size_t value_bytes, const void *h_in, const void *h_values,
                                       size_t count, void *h_out, void *h_out_values, int threads)
{
    prim_merge_sort_args args = sort_pairs_shape("prim_merge_sort_pairs_host", PRIM_MERGE_SORT_AUTO,
                                                 order, key_type, value_bytes, count);
    args.in = h_in;
    args.out = h_out;
    args.values = h_values;
    args.out_values = h_out_values;
    return sort_on_host(&args, threads);
}

prim_status prim_merge_sort_permutation(prim_merge_sort_variant variant, prim_order order,
                                        cudaDataType_t key_type, const void *d_in, size_t count,
                                        cudaDataType_t index_type, void *d_indices,
                                        void *d_workspace, size_t workspace_bytes,
                                        cudaStream_t stream)
{
    prim_merge_sort_args args = permutation_shape("prim_merge_sort_permutation", variant, order,
                                                  key_type, count, index_type);
    args.in = d_in;
    args.out_values = d_indices;
    set_place(&args.call, d_workspace, workspace_bytes, stream);
    return prim_ladder_run(&sort_ladder, &args.call);
}

prim_status prim_merge_sort_permutation_workspace_bytes(prim_merge_sort_variant variant,
                                                        prim_order order, cudaDataType_t key_type,
                                                        size_t count, cudaDataType_t index_type,
                                                        size_t *bytes)
{
    const prim_merge_sort_args args = permutation_shape(
        "prim_merge_sort_permutation_workspace_bytes", variant, order, key_type, count, index_type);
    return prim_ladder_workspace_bytes(&sort_ladder, &args.call, bytes);
}

bool prim_merge_sort_permutation_supports(prim_merge_sort_variant variant, prim_order order,
                                          cudaDataType_t key_type, size_t count,
                                          cudaDataType_t index_type)
{
    const prim_merge_sort_args args = permutation_shape(
        "prim_merge_sort_permutation_supports", variant, order, key_type, count, index_type);
    return prim_ladder_supports(&sort_ladder, &args.call);
}

prim_merge_sort_variant prim_merge_sort_permutation_choose(prim_order order,
                                                           cudaDataType_t key_type, size_t count,
                                                           cudaDataType_t index_type)
{
    const prim_merge_sort_args args =
        permutation_shape("prim_merge_sort_permutation_choose", PRIM_MERGE_SORT_AUTO, order,
                          key_type, count, index_type);
    return (prim_merge_sort_variant)prim_ladder_choose(&sort_ladder, &args.call);
}

prim_status prim_merge_sort_permutation_host(prim_order order, cudaDataType_t key_type,
                                             const void *h_in, size_t count,
                                             cudaDataType_t index_type, void *h_indices,
                                             int threads)
{
    prim_merge_sort_args args =
        permutation_shape("prim_merge_sort_permutation_host", PRIM_MERGE_SORT_AUTO, order, key_type,
                          count, index_type);
    args.in = h_in;
    args.out_values = h_indices;
    return sort_on_host(&args, threads);
}

/* ---- co-rank ---- */

static prim_status check_co_rank(const void *any)
{
    const prim_co_rank_args *args = any;
    prim_status status = prim_merge_check_order_and_type(&args->call, args->order, args->key_type);
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
    const prim_request call = {.name = "prim_co_rank", .variant = PRIM_VARIANT_AUTO, .stream = stream};
    prim_co_rank_args args = {call,    order,   key_type,    d_a,   d_b,
                              a_count, b_count, d_diagonals, count, d_ranks};
    return prim_ladder_run(&co_rank_ladder, &args.call);
}

prim_status prim_co_rank_host(prim_order order, cudaDataType_t key_type, const void *h_a,
                              size_t a_count, const void *h_b, size_t b_count,
                              const uint64_t *h_diagonals, size_t count, uint64_t *h_ranks)
{
    const prim_request call = {.name = "prim_co_rank_host", .on_host = true};
    const prim_co_rank_args args = {call,    order,   key_type,    h_a,   h_b,
                                    a_count, b_count, h_diagonals, count, h_ranks};
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
