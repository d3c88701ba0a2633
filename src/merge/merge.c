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
                         "%s: key_type is %d, which is not an element type of the library",
                         call->name, (int)key_type);
    return PRIM_OK;
}

/* The keys of both arrays, counted together. */
static prim_status check_both_counts(const prim_request *call, cudaDataType_t key_type,
                                     size_t a_count, size_t b_count)
{
    const size_t key_bytes = prim_element_bytes(key_type), most = SIZE_MAX / key_bytes;
    if (a_count <= most && b_count <= most - a_count)
        return PRIM_OK;
    return prim_fail(PRIM_ERROR_SIZE,
                     "%s: the bytes of %zu and %zu keys of %zu bytes do not fit size_t", call->name,
                     a_count, b_count, key_bytes);
}

/* The two arrays may overlap each other. */
static prim_status check_both_arrays(const prim_request *call, cudaDataType_t key_type,
                                     const void *a, size_t a_count, const void *b, size_t b_count,
                                     prim_span *spans)
{
    const size_t key_bytes = prim_element_bytes(key_type);
    const prim_status status = prim_check_vector(call, "a", a, a_count, key_bytes, &spans[0]);
    return status == PRIM_OK ? prim_check_vector(call, "b", b, b_count, key_bytes, &spans[1])
                             : status;
}

/* Checks that an output overlaps none of these inputs. */
static prim_status check_apart(const prim_request *call, prim_span written, const prim_span *inputs,
                               int count)
{
    prim_status status = PRIM_OK;
    for (int i = 0; i < count && status == PRIM_OK; i++)
        status = prim_check_disjoint(call, written, inputs[i]);
    return status;
}

/* Checks for calls that move values: the size of a value, and that the bytes of the workspace,
 * which holds keys, values and places, fit size_t. */
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
    .others = prim_merge_sort_rungs,
    .choose = prim_merge_choose_rung,
    .check_kind = check_merge,
    .check_operands = check_merge_operands,
    .describe = describe_merge,
};

static prim_merge_args merge_args(const char *name, prim_merge_variant variant, prim_order order,
                                  cudaDataType_t key_type, const void *a, size_t a_count,
                                  const void *b, size_t b_count, void *out)
{
    return (prim_merge_args){.call = {.name = name, .variant = (int)variant},
                             .order = order,
                             .key_type = key_type,
                             .a = a,
                             .b = b,
                             .a_count = a_count,
                             .b_count = b_count,
                             .out = out};
}

static prim_merge_args pairs_args(const char *name, prim_merge_variant variant, prim_order order,
                                  cudaDataType_t key_type, size_t value_bytes, prim_keys a,
                                  prim_keys b, void *out, void *out_values)
{
    prim_merge_args args =
        merge_args(name, variant, order, key_type, a.keys, a.count, b.keys, b.count, out);
    args.has_values = true;
    args.value_bytes = value_bytes;
    args.a_values = a.values;
    args.b_values = b.values;
    args.out_values = out_values;
    return args;
}

static prim_status merge_on_host(prim_merge_args args, int threads)
{
    args.call.on_host = true;
    const prim_status status = prim_ladder_check_host(&merge_ladder, &args.call);
    return status == PRIM_OK ? prim_merge_on_host(&args, threads) : status;
}

prim_status prim_merge(prim_merge_variant variant, prim_order order, cudaDataType_t key_type,
                       const void *d_a, size_t a_count, const void *d_b, size_t b_count,
                       void *d_out, const prim_call *call)
{
    prim_merge_args args =
        merge_args("prim_merge", variant, order, key_type, d_a, a_count, d_b, b_count, d_out);
    return prim_ladder_call(&merge_ladder, &args.call, call);
}

prim_status prim_merge_host(prim_order order, cudaDataType_t key_type, const void *h_a,
                            size_t a_count, const void *h_b, size_t b_count, void *h_out,
                            int threads)
{
    return merge_on_host(merge_args("prim_merge_host", PRIM_MERGE_AUTO, order, key_type, h_a,
                                    a_count, h_b, b_count, h_out),
                         threads);
}

prim_status prim_merge_pairs(prim_merge_variant variant, prim_order order, cudaDataType_t key_type,
                             size_t value_bytes, prim_keys a, prim_keys b, void *d_out,
                             void *d_out_values, const prim_call *call)
{
    prim_merge_args args = pairs_args("prim_merge_pairs", variant, order, key_type, value_bytes, a,
                                      b, d_out, d_out_values);
    return prim_ladder_call(&merge_ladder, &args.call, call);
}

prim_status prim_merge_pairs_host(prim_order order, cudaDataType_t key_type, size_t value_bytes,
                                  prim_keys a, prim_keys b, void *h_out, void *h_out_values,
                                  int threads)
{
    return merge_on_host(pairs_args("prim_merge_pairs_host", PRIM_MERGE_AUTO, order, key_type,
                                    value_bytes, a, b, h_out, h_out_values),
                         threads);
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
        status = prim_fail(PRIM_ERROR_SIZE,
                           "%s: the indices of %zu keys do not fit u32: index_type must be u64",
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
    .others = prim_merge_rungs,
    .choose = prim_merge_sort_choose_rung,
    .check_kind = check_sort,
    .check_operands = check_sort_operands,
    .describe = describe_sort,
};

static prim_merge_sort_args sort_args(const char *name, prim_merge_variant variant,
                                      prim_order order, cudaDataType_t key_type, const void *in,
                                      size_t count, void *out)
{
    return (prim_merge_sort_args){.call = {.name = name, .variant = (int)variant},
                                  .order = order,
                                  .key_type = key_type,
                                  .in = in,
                                  .count = count,
                                  .out = out};
}

static prim_merge_sort_args sort_pairs_args(const char *name, prim_merge_variant variant,
                                            prim_order order, cudaDataType_t key_type,
                                            size_t value_bytes, prim_keys in, void *out,
                                            void *out_values)
{
    prim_merge_sort_args args = sort_args(name, variant, order, key_type, in.keys, in.count, out);
    args.has_values = true;
    args.value_bytes = value_bytes;
    args.values = in.values;
    args.out_values = out_values;
    return args;
}

static prim_merge_sort_args permutation_args(const char *name, prim_merge_variant variant,
                                             prim_order order, cudaDataType_t key_type,
                                             const void *in, size_t count,
                                             cudaDataType_t index_type, void *indices)
{
    const prim_keys keys = {in, NULL, count};
    prim_merge_sort_args args = sort_pairs_args(
        name, variant, order, key_type, prim_element_bytes(index_type), keys, NULL, indices);
    args.permutation = true;
    args.index_type = index_type;
    return args;
}

static prim_status sort_on_host(prim_merge_sort_args args, int threads)
{
    args.call.on_host = true;
    const prim_status status = prim_ladder_check_host(&sort_ladder, &args.call);
    return status == PRIM_OK ? prim_merge_sort_on_host(&args, threads) : status;
}

prim_status prim_merge_sort(prim_merge_variant variant, prim_order order, cudaDataType_t key_type,
                            const void *d_in, size_t count, void *d_out, const prim_call *call)
{
    prim_merge_sort_args args =
        sort_args("prim_merge_sort", variant, order, key_type, d_in, count, d_out);
    return prim_ladder_call(&sort_ladder, &args.call, call);
}

prim_status prim_merge_sort_host(prim_order order, cudaDataType_t key_type, const void *h_in,
                                 size_t count, void *h_out, int threads)
{
    return sort_on_host(
        sort_args("prim_merge_sort_host", PRIM_MERGE_AUTO, order, key_type, h_in, count, h_out),
        threads);
}

prim_status prim_merge_sort_pairs(prim_merge_variant variant, prim_order order,
                                  cudaDataType_t key_type, size_t value_bytes, prim_keys in,
                                  void *d_out, void *d_out_values, const prim_call *call)
{
    prim_merge_sort_args args = sort_pairs_args("prim_merge_sort_pairs", variant, order, key_type,
                                                value_bytes, in, d_out, d_out_values);
    return prim_ladder_call(&sort_ladder, &args.call, call);
}

prim_status prim_merge_sort_pairs_host(prim_order order, cudaDataType_t key_type,
                                       size_t value_bytes, prim_keys in, void *h_out,
                                       void *h_out_values, int threads)
{
    return sort_on_host(sort_pairs_args("prim_merge_sort_pairs_host", PRIM_MERGE_AUTO, order,
                                        key_type, value_bytes, in, h_out, h_out_values),
                        threads);
}

prim_status prim_merge_sort_permutation(prim_merge_variant variant, prim_order order,
                                        cudaDataType_t key_type, const void *d_in, size_t count,
                                        cudaDataType_t index_type, void *d_indices,
                                        const prim_call *call)
{
    prim_merge_sort_args args = permutation_args("prim_merge_sort_permutation", variant, order,
                                                 key_type, d_in, count, index_type, d_indices);
    return prim_ladder_call(&sort_ladder, &args.call, call);
}

prim_status prim_merge_sort_permutation_host(prim_order order, cudaDataType_t key_type,
                                             const void *h_in, size_t count,
                                             cudaDataType_t index_type, void *h_indices,
                                             int threads)
{
    return sort_on_host(permutation_args("prim_merge_sort_permutation_host", PRIM_MERGE_AUTO, order,
                                         key_type, h_in, count, index_type, h_indices),
                        threads);
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
    .check_kind = check_co_rank,
    .check_operands = check_co_rank_operands,
    .describe = describe_co_rank,
};

static prim_co_rank_args co_rank_args(const char *name, prim_order order, cudaDataType_t key_type,
                                      const void *a, size_t a_count, const void *b, size_t b_count,
                                      const uint64_t *diagonals, size_t count, uint64_t *ranks)
{
    return (prim_co_rank_args){.call = {.name = name, .variant = PRIM_VARIANT_AUTO},
                               .order = order,
                               .key_type = key_type,
                               .a = a,
                               .b = b,
                               .a_count = a_count,
                               .b_count = b_count,
                               .diagonals = diagonals,
                               .count = count,
                               .ranks = ranks};
}

prim_status prim_co_rank(prim_order order, cudaDataType_t key_type, const void *d_a, size_t a_count,
                         const void *d_b, size_t b_count, const uint64_t *d_diagonals, size_t count,
                         uint64_t *d_ranks, const prim_call *call)
{
    prim_co_rank_args args = co_rank_args("prim_co_rank", order, key_type, d_a, a_count, d_b,
                                          b_count, d_diagonals, count, d_ranks);
    return prim_ladder_call(&co_rank_ladder, &args.call, call);
}

prim_status prim_co_rank_host(prim_order order, cudaDataType_t key_type, const void *h_a,
                              size_t a_count, const void *h_b, size_t b_count,
                              const uint64_t *h_diagonals, size_t count, uint64_t *h_ranks)
{
    prim_co_rank_args args = co_rank_args("prim_co_rank_host", order, key_type, h_a, a_count, h_b,
                                          b_count, h_diagonals, count, h_ranks);
    args.call.on_host = true;
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
