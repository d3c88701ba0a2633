/* prim_distributed_reduce() and prim_distributed_dot(): arguments, and the choice of one way. */
#include "distributed/reduction.h"

#include "common/host/element.h"

prim_status prim_reduction_bytes(const prim_team *team, size_t count, size_t *bytes)
{
    const prim_reduction *r = team->args;
    if (r->is_dot)
        return prim_dot_workspace_bytes(PRIM_REDUCE_AUTO, r->in_type, count, r->out_type, bytes);
    return prim_reduce_workspace_bytes(PRIM_REDUCE_AUTO, r->op, r->transform, r->in_type, count,
                                       r->out_type, bytes);
}

/* The result comes first: it overlaps none of the others. */
prim_status prim_reduction_check(const prim_team *team, const prim_member *member,
                                 prim_operands *operands)
{
    const prim_reduction *r = team->args;
    const prim_rank *rank = member->rank;
    const size_t bytes = prim_element_bytes(r->in_type);
    prim_span *const spans = operands->spans;
    operands->count = r->is_dot ? 3 : 2;
    prim_status status =
        prim_check_vector(&member->call, "in", rank->d_in, member->count, bytes, &spans[1]);
    if (status == PRIM_OK && r->is_dot)
        status =
            prim_check_vector(&member->call, "in_y", rank->d_in_y, member->count, bytes, &spans[2]);
    if (status == PRIM_OK)
        status = prim_check_vector(&member->call, "out", rank->d_out, 1,
                                   prim_element_bytes(r->out_type), &spans[0]);
    for (int i = 1; i < operands->count && status == PRIM_OK; i++)
        status = prim_check_disjoint(&member->call, spans[0], spans[i]);
    return status;
}

void prim_reduction_sign(const prim_team *team, prim_digest *digest)
{
    const prim_reduction *r = team->args;
    prim_digest_add(digest, r->op);
    prim_digest_add(digest, r->transform);
    prim_digest_add(digest, r->in_type);
    prim_digest_add(digest, r->out_type);
}

/* Sums and products of floats. Otherwise any order gives the same bits: integers wrap, and minimum
 * and maximum give only one NaN. */
bool prim_reduction_has_order(const prim_reduction *r)
{
    return prim_element_is_float(r->out_type) && (r->op == PRIM_OP_SUM || r->op == PRIM_OP_PRODUCT);
}

static const prim_team_steps *way_of(const prim_reduction *r)
{
    return prim_reduction_has_order(r) ? &prim_ordered_steps : &prim_gathered_steps;
}

prim_status prim_distributed_reduce(prim_op op, prim_transform transform, cudaDataType_t in_type,
                                    const size_t *h_counts, size_t total_ranks,
                                    cudaDataType_t out_type, const prim_rank *ranks,
                                    size_t own_ranks)
{
    const prim_reduction args = {op, transform, in_type, out_type, false};
    prim_team team = {
        .name = "prim_distributed_reduce", .args = &args, .counts = h_counts, .total = total_ranks};
    return prim_team_run(&team, way_of(&args), ranks, own_ranks);
}

prim_status prim_distributed_reduce_workspace_bytes(prim_op op, prim_transform transform,
                                                    cudaDataType_t in_type, const size_t *h_counts,
                                                    size_t total_ranks, cudaDataType_t out_type,
                                                    size_t *bytes)
{
    const prim_reduction args = {op, transform, in_type, out_type, false};
    prim_team team = {.name = "prim_distributed_reduce_workspace_bytes",
                      .args = &args,
                      .counts = h_counts,
                      .total = total_ranks};
    return prim_team_needed(&team, way_of(&args), bytes);
}

static prim_reduction dot_args(cudaDataType_t in_type, cudaDataType_t out_type)
{
    return (prim_reduction){PRIM_OP_SUM, PRIM_TRANSFORM_NONE, in_type, out_type, true};
}

prim_status prim_distributed_dot(cudaDataType_t in_type, const size_t *h_counts, size_t total_ranks,
                                 cudaDataType_t out_type, const prim_rank *ranks, size_t own_ranks)
{
    const prim_reduction args = dot_args(in_type, out_type);
    prim_team team = {
        .name = "prim_distributed_dot", .args = &args, .counts = h_counts, .total = total_ranks};
    return prim_team_run(&team, way_of(&args), ranks, own_ranks);
}

prim_status prim_distributed_dot_workspace_bytes(cudaDataType_t in_type, const size_t *h_counts,
                                                 size_t total_ranks, cudaDataType_t out_type,
                                                 size_t *bytes)
{
    const prim_reduction args = dot_args(in_type, out_type);
    prim_team team = {.name = "prim_distributed_dot_workspace_bytes",
                      .args = &args,
                      .counts = h_counts,
                      .total = total_ranks};
    return prim_team_needed(&team, way_of(&args), bytes);
}
