/* prim_gather() and prim_is_sorted(): checks of the arguments, and the calls. Neither has variants
 * or needs a workspace, and their tables have one rung each. */
#include <stdio.h>
#include <string.h>

#include "common/host/element.h"
#include "common/host/fail.h"
#include "merge/merge_args.h"

/* ---- gather ---- */

static prim_status check_gather(const void *any)
{
    const prim_gather_args *args = any;
    const prim_request *const call = &args->call;
    if (args->index_type != CUDA_R_32U && args->index_type != CUDA_R_64U)
        return prim_fail(PRIM_ERROR_TYPE, "%s: index_type is %s, not u32 or u64", call->name,
                         prim_element_name(args->index_type));
    if (args->value_bytes == 0)
        return prim_fail(PRIM_ERROR_VALUE, "%s: value_bytes is 0, but must be at least 1",
                         call->name);
    prim_status status = prim_check_bytes(call, "values", 1, args->value_count, args->value_bytes);
    if (status == PRIM_OK)
        status = prim_check_bytes(call, "out", 1, args->count, args->value_bytes);
    if (status == PRIM_OK)
        status =
            prim_check_bytes(call, "indices", 1, args->count, prim_element_bytes(args->index_type));
    return status;
}

/* Values are bytes, and need no alignment. */
static prim_status check_gather_operands(const void *any, prim_operands *operands)
{
    const prim_gather_args *args = any;
    const prim_request *const call = &args->call;
    prim_span *const spans = operands->spans;
    operands->count = 3;
    prim_status status = prim_check_vector(call, "values", args->values,
                                           args->value_count * args->value_bytes, 1, &spans[0]);
    if (status == PRIM_OK)
        status = prim_check_vector(call, "indices", args->indices, args->count,
                                   prim_element_bytes(args->index_type), &spans[1]);
    if (status == PRIM_OK)
        status = prim_check_vector(call, "out", args->out, args->count * args->value_bytes, 1,
                                   &spans[2]);
    if (status == PRIM_OK)
        status = prim_check_disjoint(call, spans[2], spans[0]);
    return status == PRIM_OK ? prim_check_disjoint(call, spans[2], spans[1]) : status;
}

static void describe_gather(const void *any, char *text, size_t bytes)
{
    const prim_gather_args *args = any;
    snprintf(text, bytes, "%zu values of %zu bytes", args->count, args->value_bytes);
}

static const prim_ladder gather_ladder = {
    .rungs = prim_gather_rungs,
    .check_kind = check_gather,
    .check_operands = check_gather_operands,
    .describe = describe_gather,
};

static prim_gather_args gather_args(const char *name, size_t value_bytes, const void *values,
                                    size_t value_count, cudaDataType_t index_type,
                                    const void *indices, size_t count, void *out)
{
    return (prim_gather_args){.call = {.name = name},
                              .value_bytes = value_bytes,
                              .values = values,
                              .value_count = value_count,
                              .index_type = index_type,
                              .indices = indices,
                              .count = count,
                              .out = out};
}

prim_status prim_gather(size_t value_bytes, const void *d_values, size_t value_count,
                        cudaDataType_t index_type, const void *d_indices, size_t count, void *d_out,
                        const prim_call *call)
{
    prim_gather_args args = gather_args("prim_gather", value_bytes, d_values, value_count,
                                        index_type, d_indices, count, d_out);
    return prim_ladder_call(&gather_ladder, &args.call, call);
}

prim_status prim_gather_host(size_t value_bytes, const void *h_values, size_t value_count,
                             cudaDataType_t index_type, const void *h_indices, size_t count,
                             void *h_out)
{
    prim_gather_args args = gather_args("prim_gather_host", value_bytes, h_values, value_count,
                                        index_type, h_indices, count, h_out);
    args.call.on_host = true;
    const prim_status status = prim_ladder_check_host(&gather_ladder, &args.call);
    for (size_t i = 0; status == PRIM_OK && i < count; i++) {
        const uint64_t from = index_type == CUDA_R_64U ? ((const uint64_t *)h_indices)[i]
                                                       : ((const uint32_t *)h_indices)[i];
        if (from < value_count)
            memcpy((char *)h_out + i * value_bytes, (const char *)h_values + from * value_bytes,
                   value_bytes);
    }
    return status;
}

/* ---- is it sorted? ---- */

static prim_status check_is_sorted(const void *any)
{
    const prim_is_sorted_args *args = any;
    const prim_request *const call = &args->call;
    if ((unsigned)args->order > PRIM_DESCENDING)
        return prim_fail(PRIM_ERROR_ENUM,
                         "%s: order is %d, neither PRIM_ASCENDING nor PRIM_DESCENDING, 0 or 1",
                         call->name, args->order);
    const size_t key_bytes = prim_element_bytes(args->key_type);
    if (key_bytes == 0)
        return prim_fail(PRIM_ERROR_TYPE, "%s: key_type is %s", call->name,
                         prim_element_name(args->key_type));
    return prim_check_bytes(call, "in", 1, args->count, key_bytes);
}

static prim_status check_is_sorted_operands(const void *any, prim_operands *operands)
{
    const prim_is_sorted_args *args = any;
    const prim_request *const call = &args->call;
    prim_span *const spans = operands->spans;
    operands->count = 2;
    prim_status status = prim_check_vector(call, "in", args->in, args->count,
                                           prim_element_bytes(args->key_type), &spans[0]);
    if (status == PRIM_OK)
        status =
            prim_check_vector(call, "answer", args->answer, 1, sizeof *args->answer, &spans[1]);
    return status == PRIM_OK ? prim_check_disjoint(call, spans[1], spans[0]) : status;
}

static void describe_is_sorted(const void *any, char *text, size_t bytes)
{
    const prim_is_sorted_args *args = any;
    snprintf(text, bytes, "%s, %zu keys", prim_element_name(args->key_type), args->count);
}

static const prim_ladder is_sorted_ladder = {
    .rungs = prim_is_sorted_rungs,
    .check_kind = check_is_sorted,
    .check_operands = check_is_sorted_operands,
    .describe = describe_is_sorted,
};

static prim_is_sorted_args is_sorted_args(const char *name, prim_order order,
                                          cudaDataType_t key_type, const void *in, size_t count,
                                          uint32_t *answer)
{
    return (prim_is_sorted_args){.call = {.name = name},
                                 .order = order,
                                 .key_type = key_type,
                                 .in = in,
                                 .count = count,
                                 .answer = answer};
}

prim_status prim_is_sorted(prim_order order, cudaDataType_t key_type, const void *d_in,
                           size_t count, uint32_t *d_answer, const prim_call *call)
{
    prim_is_sorted_args args =
        is_sorted_args("prim_is_sorted", order, key_type, d_in, count, d_answer);
    return prim_ladder_call(&is_sorted_ladder, &args.call, call);
}

prim_status prim_is_sorted_host(prim_order order, cudaDataType_t key_type, const void *h_in,
                                size_t count, uint32_t *h_answer)
{
    prim_is_sorted_args args =
        is_sorted_args("prim_is_sorted_host", order, key_type, h_in, count, h_answer);
    args.call.on_host = true;
    const prim_status status = prim_ladder_check_host(&is_sorted_ladder, &args.call);
    return status == PRIM_OK ? prim_is_sorted_on_host(&args) : status;
}
