/* prim_distributed_reduce() and prim_distributed_dot(): arguments, and the choice of one way. */
#include "distributed/reduction.h"

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
