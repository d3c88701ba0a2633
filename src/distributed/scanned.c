/* Scans, of what any order gives the same bits of: each rank reduces its part, every rank gets all
 * results, and those of the ranks before make the carry that its own scan begins with.
 *
 *     parts      3 1 7  │  0 4  │  1 6 3
 *     results      11   │   4   │   10         of each part, to every rank
 *     carries       0   │  11   │   15         the results of the ranks before, combined
 *     scans      3 4 11 │ 11 15 │ 16 22 25
 *
 * Bytes: each element is read twice and written once. Who takes the carry alone, and adds it where
 * the results are used, reads each element once here, and writes none. */
#include "common/element.h"
#include "common/fail.h"
#include "distributed/gathered.h"
#include <primitives/scan.h>

typedef struct scan_args {
    prim_reduction reduction; /* out_type: what results and carries are kept in */
    prim_scan_kind kind;
    cudaDataType_t out_type;
} scan_args;

/* Bytes are not reduced to u32 but to u64, whose lower half is the same. */
static scan_args make_args(prim_scan_kind kind, prim_op op, prim_transform transform,
                           cudaDataType_t in_type, cudaDataType_t out_type)
{
    const bool to_half = in_type == CUDA_R_8U && out_type == CUDA_R_32U;
    return (scan_args){{op, transform, in_type, to_half ? CUDA_R_64U : out_type}, kind, out_type};
}

/* ---- sizes and places ---- */

static prim_status scan_bytes(const prim_team *team, size_t count, size_t *bytes)
{
    const scan_args *s = team->args;
    const prim_reduction *r = &s->reduction;
    return prim_scan_workspace_bytes(PRIM_SCAN_AUTO, s->kind, r->op, r->transform, r->in_type,
                                     count, s->out_type, bytes);
}

static prim_status check_kind(const prim_team *team)
{
    const scan_args *s = team->args;
    size_t whole;
    const prim_status status = scan_bytes(team, team->whole, &whole);
    if (status != PRIM_OK || !prim_reduction_has_order(&s->reduction))
        return status;
    return prim_fail(PRIM_ERROR_UNSUPPORTED,
                     "the bits of a %s of %s depend on the order, and scans of parts have none yet",
                     prim_op_name(s->reduction.op), prim_element_name(s->out_type));
}

static prim_status needed_by_carry(const prim_team *team, size_t *bytes)
{
    size_t inner;
    prim_status status = check_kind(team);
    if (status == PRIM_OK)
        status = prim_gathered_inner_bytes(team, &inner);
    if (status == PRIM_OK)
        *bytes = prim_gathered_results_bytes(team) + inner;
    return status;
}

/* The scan comes when the reductions are done, and takes their place. */
static prim_status needed_by_scan(const prim_team *team, size_t *bytes)
{
    size_t carry, scan;
    prim_status status = needed_by_carry(team, &carry);
    if (status == PRIM_OK)
        status = scan_bytes(team, prim_team_largest_part(team), &scan);
    if (status != PRIM_OK)
        return status;
    scan += prim_gathered_results_bytes(team);
    *bytes = carry > scan ? carry : scan;
    return PRIM_OK;
}

/* ---- checks ---- */

/* In place, where results are as wide as elements; nothing else overlaps. */
static prim_status check_scan(const prim_team *team, const prim_member *member,
                              prim_operands *operands)
{
    const scan_args *s = team->args;
    const prim_rank *rank = member->rank;
    const size_t bytes = prim_element_bytes(s->out_type);
    prim_span *const spans = operands->spans;
    const bool in_place = s->reduction.in_type == s->out_type && rank->d_in == rank->d_out;
    operands->count = rank->d_second == NULL ? 2 : 3;
    prim_status status = prim_check_vector(&member->call, "in", rank->d_in, member->count,
                                           prim_element_bytes(s->reduction.in_type), &spans[0]);
    if (status == PRIM_OK)
        status =
            prim_check_vector(&member->call, "out", rank->d_out, member->count, bytes, &spans[1]);
    if (status == PRIM_OK && operands->count == 3)
        status = prim_check_vector(&member->call, "second", rank->d_second, 1, bytes, &spans[2]);
    if (status != PRIM_OK)
        return status;
    return in_place ? prim_check_all_disjoint(&member->call, &spans[1], operands->count - 1)
                    : prim_check_all_disjoint(&member->call, spans, operands->count);
}

static prim_status check_carry(const prim_team *team, const prim_member *member,
                               prim_operands *operands)
{
    const scan_args *s = team->args;
    prim_span *const spans = operands->spans;
    operands->count = 2;
    prim_status status = prim_check_vector(&member->call, "in", member->rank->d_in, member->count,
                                           prim_element_bytes(s->reduction.in_type), &spans[0]);
    if (status == PRIM_OK)
        status = prim_check_vector(&member->call, "out", member->rank->d_out, 1,
                                   prim_element_bytes(s->out_type), &spans[1]);
    return status == PRIM_OK ? prim_check_disjoint(&member->call, spans[1], spans[0]) : status;
}

/* ---- the steps ---- */

/* The first `count` results, combined, in the place of a further one. */
static prim_status combine(const prim_team *team, const prim_member *member, size_t count,
                           size_t place)
{
    return prim_gathered_reduce_results(team, member, count,
                                        prim_gathered_result(team, member, place));
}

static prim_status hand_out(const prim_team *team, const prim_member *member, size_t place,
                            void *d_to)
{
    const scan_args *s = team->args;
    return prim_team_cuda(member, "a result was not copied",
                          cudaMemcpyAsync(d_to, prim_gathered_result(team, member, place),
                                          prim_element_bytes(s->out_type), cudaMemcpyDeviceToDevice,
                                          member->rank->stream));
}

static prim_status take_carry(const prim_team *team, const prim_member *member)
{
    const prim_status status = combine(team, member, member->number, team->total);
    return status == PRIM_OK ? hand_out(team, member, team->total, member->rank->d_out) : status;
}

static prim_status take_total(const prim_team *team, const prim_member *member)
{
    if (member->rank->d_second == NULL)
        return PRIM_OK;
    const prim_status status = combine(team, member, team->total, team->total + 1);
    return status == PRIM_OK ? hand_out(team, member, team->total + 1, member->rank->d_second)
                             : status;
}

static prim_status scan_part(const prim_team *team, const prim_member *member)
{
    const scan_args *s = team->args;
    const prim_reduction *r = &s->reduction;
    size_t inner;
    prim_status status = combine(team, member, member->number, team->total);
    if (status == PRIM_OK)
        status = take_total(team, member);
    if (status == PRIM_OK)
        status = scan_bytes(team, prim_team_largest_part(team), &inner);
    if (status != PRIM_OK || member->count == 0)
        return status;
    char *const memory = (char *)member->call.workspace + prim_gathered_results_bytes(team);
    return prim_scan(PRIM_SCAN_AUTO, s->kind, r->op, r->transform, NULL,
                     prim_gathered_result(team, member, team->total), r->in_type,
                     member->rank->d_in, member->count, s->out_type, member->rank->d_out, NULL,
                     prim_team_inner(memory, inner), inner, member->rank->stream);
}

static const prim_team_steps scan_steps = {
    .check = check_scan,
    .needed = needed_by_scan,
    .steps = {{prim_gathered_reduce_part, false}, {prim_gathered_share, true}, {scan_part, false}},
};

static const prim_team_steps carry_steps = {
    .check = check_carry,
    .needed = needed_by_carry,
    .steps = {{prim_gathered_reduce_part, false}, {prim_gathered_share, true}, {take_carry, false}},
};

/* ---- the calls ---- */

prim_status prim_distributed_scan(prim_scan_kind kind, prim_op op, prim_transform transform,
                                  cudaDataType_t in_type, const size_t *h_counts,
                                  size_t total_ranks, cudaDataType_t out_type,
                                  const prim_rank *ranks, size_t own_ranks)
{
    const scan_args args = make_args(kind, op, transform, in_type, out_type);
    prim_team team = {
        .name = "prim_distributed_scan", .args = &args, .counts = h_counts, .total = total_ranks};
    return prim_team_run(&team, &scan_steps, ranks, own_ranks);
}

prim_status prim_distributed_scan_workspace_bytes(prim_scan_kind kind, prim_op op,
                                                  prim_transform transform, cudaDataType_t in_type,
                                                  const size_t *h_counts, size_t total_ranks,
                                                  cudaDataType_t out_type, size_t *bytes)
{
    const scan_args args = make_args(kind, op, transform, in_type, out_type);
    prim_team team = {.name = "prim_distributed_scan_workspace_bytes",
                      .args = &args,
                      .counts = h_counts,
                      .total = total_ranks};
    return prim_team_needed(&team, &scan_steps, bytes);
}

prim_status prim_distributed_carry(prim_op op, prim_transform transform, cudaDataType_t in_type,
                                   const size_t *h_counts, size_t total_ranks,
                                   cudaDataType_t out_type, const prim_rank *ranks,
                                   size_t own_ranks)
{
    const scan_args args = make_args(PRIM_SCAN_EXCLUSIVE, op, transform, in_type, out_type);
    prim_team team = {
        .name = "prim_distributed_carry", .args = &args, .counts = h_counts, .total = total_ranks};
    return prim_team_run(&team, &carry_steps, ranks, own_ranks);
}

prim_status prim_distributed_carry_workspace_bytes(prim_op op, prim_transform transform,
                                                   cudaDataType_t in_type, const size_t *h_counts,
                                                   size_t total_ranks, cudaDataType_t out_type,
                                                   size_t *bytes)
{
    const scan_args args = make_args(PRIM_SCAN_EXCLUSIVE, op, transform, in_type, out_type);
    prim_team team = {.name = "prim_distributed_carry_workspace_bytes",
                      .args = &args,
                      .counts = h_counts,
                      .total = total_ranks};
    return prim_team_needed(&team, &carry_steps, bytes);
}
