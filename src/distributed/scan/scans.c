/* prim_distributed_scan() and prim_distributed_carry(): arguments, and the choice of one way. */
#include "distributed/scan/parts_scan.h"

/* u8 is not reduced to u32 but to u64, whose lower half is the same. */
static prim_parts_scan make_args(prim_scan_kind kind, prim_op op, prim_transform transform,
                                 cudaDataType_t in_type, cudaDataType_t out_type)
{
    const bool to_half = in_type == CUDA_R_8U && out_type == CUDA_R_32U;
    return (prim_parts_scan){
        {op, transform, in_type, to_half ? CUDA_R_64U : out_type, false}, kind, out_type};
}

static const prim_team_steps *scan_steps_of(const prim_parts_scan *s)
{
    return prim_reduction_has_order(&s->reduction) ? &prim_chained_scan_steps
                                                   : &prim_scanned_scan_steps;
}

static const prim_team_steps *carry_steps_of(const prim_parts_scan *s)
{
    return prim_reduction_has_order(&s->reduction) ? &prim_chained_carry_steps
                                                   : &prim_scanned_carry_steps;
}

/* ---- the calls ---- */

prim_status prim_distributed_scan(prim_scan_kind kind, prim_op op, prim_transform transform,
                                  cudaDataType_t in_type, const size_t *h_counts,
                                  size_t total_ranks, cudaDataType_t out_type,
                                  const prim_rank *ranks, size_t own_ranks)
{
    const prim_parts_scan args = make_args(kind, op, transform, in_type, out_type);
    prim_team team = {
        .name = "prim_distributed_scan", .args = &args, .counts = h_counts, .total = total_ranks};
    return prim_team_run(&team, scan_steps_of(&args), ranks, own_ranks);
}

prim_status prim_distributed_carry(prim_op op, prim_transform transform, cudaDataType_t in_type,
                                   const size_t *h_counts, size_t total_ranks,
                                   cudaDataType_t out_type, const prim_rank *ranks,
                                   size_t own_ranks)
{
    const prim_parts_scan args = make_args(PRIM_SCAN_EXCLUSIVE, op, transform, in_type, out_type);
    prim_team team = {
        .name = "prim_distributed_carry", .args = &args, .counts = h_counts, .total = total_ranks};
    return prim_team_run(&team, carry_steps_of(&args), ranks, own_ranks);
}
