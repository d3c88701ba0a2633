/* prim_distributed_reduce_rows() and prim_distributed_reduce_columns(): their arguments, the choice
 * between the two ways to reduce columns, and rows, of which each rank has its own. */
#include "distributed/columns/bands.h"

#include "common/host/element.h"
#include "distributed/reduction.h"

/* ---- checks ---- */

prim_status prim_bands_check_whole(const prim_team *team)
{
    const prim_bands *b = team->args;
    const prim_call call = {.name = "the whole"};
    size_t count;
    return prim_check_rows(&call, "in", team->whole, b->columns, b->ld,
                           prim_element_bytes(b->in_type), &count);
}

prim_status prim_bands_check(const prim_team *team, const prim_member *member, size_t results,
                             prim_operands *operands)
{
    const prim_bands *b = team->args;
    prim_span *const spans = operands->spans;
    operands->count = 2;
    prim_status status =
        prim_check_matrix(&member->call, "in", member->rank->d_in, member->count, b->columns, b->ld,
                          prim_element_bytes(b->in_type), &spans[0]);
    if (status == PRIM_OK)
        status = prim_check_vector(&member->call, "out", member->rank->d_out, results,
                                   prim_element_bytes(b->out_type), &spans[1]);
    return status == PRIM_OK ? prim_check_disjoint(&member->call, spans[1], spans[0]) : status;
}

prim_status prim_bands_check_columns(const prim_team *team, const prim_member *member,
                                     prim_operands *operands)
{
    const prim_bands *b = team->args;
    return prim_bands_check(team, member, b->columns, operands);
}

static prim_status check_rows(const prim_team *team, const prim_member *member,
                              prim_operands *operands)
{
    return prim_bands_check(team, member, member->count, operands);
}

prim_status prim_bands_columns_bytes(const prim_team *team, size_t rows, size_t *bytes)
{
    const prim_bands *b = team->args;
    return prim_reduce_columns_workspace_bytes(PRIM_REDUCE_AUTO, b->op, b->transform, b->in_type,
                                               rows, b->columns, b->out_type, bytes);
}

/* ---- rows ---- */

static prim_status rows_bytes(const prim_team *team, size_t rows, size_t *bytes)
{
    const prim_bands *b = team->args;
    return prim_reduce_rows_workspace_bytes(PRIM_REDUCE_AUTO, b->op, b->transform, b->in_type, rows,
                                            b->columns, b->out_type, bytes);
}

static prim_status needed_by_rows(const prim_team *team, size_t *bytes)
{
    size_t whole;
    prim_status status = rows_bytes(team, team->whole, &whole);
    if (status == PRIM_OK)
        status = prim_bands_check_whole(team);
    return status == PRIM_OK ? rows_bytes(team, prim_team_largest_part(team), bytes) : status;
}

static prim_status reduce_own_rows(const prim_team *team, const prim_member *member)
{
    const prim_bands *b = team->args;
    size_t bytes;
    const prim_status status = needed_by_rows(team, &bytes);
    return status == PRIM_OK ? prim_reduce_rows(PRIM_REDUCE_AUTO, b->op, b->transform, b->in_type,
                                                member->rank->d_in, member->count, b->columns,
                                                b->ld, b->out_type, member->rank->d_out,
                                                prim_team_inner(member->call.workspace, bytes),
                                                bytes, member->rank->stream)
                             : status;
}

void prim_bands_sign(const prim_team *team, prim_digest *digest)
{
    const prim_bands *b = team->args;
    prim_digest_add(digest, b->op);
    prim_digest_add(digest, b->transform);
    prim_digest_add(digest, b->in_type);
    prim_digest_add(digest, b->out_type);
    prim_digest_add(digest, b->columns);
    prim_digest_add(digest, b->ld);
}

static const prim_team_steps rows_steps = {
    .check = check_rows,
    .needed = needed_by_rows,
    .sign = prim_bands_sign,
    .steps = {{reduce_own_rows, false}},
};

/* ---- columns ---- */

static const prim_team_steps *columns_steps_of(const prim_bands *b)
{
    const prim_reduction column = {b->op, b->transform, b->in_type, b->out_type, false};
    return prim_reduction_has_order(&column) ? &prim_ordered_columns_steps
                                             : &prim_gathered_columns_steps;
}

/* ---- the calls ---- */

prim_status prim_distributed_reduce_rows(prim_op op, prim_transform transform,
                                         cudaDataType_t in_type, const size_t *h_counts,
                                         size_t total_ranks, size_t columns, size_t ld,
                                         cudaDataType_t out_type, const prim_rank *ranks,
                                         size_t own_ranks)
{
    const prim_bands args = {op, transform, in_type, columns, ld, out_type};
    prim_team team = {.name = "prim_distributed_reduce_rows",
                      .args = &args,
                      .counts = h_counts,
                      .total = total_ranks};
    return prim_team_run(&team, &rows_steps, ranks, own_ranks);
}

prim_status prim_distributed_reduce_rows_workspace_bytes(prim_op op, prim_transform transform,
                                                         cudaDataType_t in_type,
                                                         const size_t *h_counts, size_t total_ranks,
                                                         size_t columns, size_t ld,
                                                         cudaDataType_t out_type, size_t *bytes)
{
    const prim_bands args = {op, transform, in_type, columns, ld, out_type};
    prim_team team = {.name = "prim_distributed_reduce_rows_workspace_bytes",
                      .args = &args,
                      .counts = h_counts,
                      .total = total_ranks};
    return prim_team_needed(&team, &rows_steps, bytes);
}

prim_status prim_distributed_reduce_columns(prim_op op, prim_transform transform,
                                            cudaDataType_t in_type, const size_t *h_counts,
                                            size_t total_ranks, size_t columns, size_t ld,
                                            cudaDataType_t out_type, const prim_rank *ranks,
                                            size_t own_ranks)
{
    const prim_bands args = {op, transform, in_type, columns, ld, out_type};
    prim_team team = {.name = "prim_distributed_reduce_columns",
                      .args = &args,
                      .counts = h_counts,
                      .total = total_ranks};
    return prim_team_run(&team, columns_steps_of(&args), ranks, own_ranks);
}

prim_status prim_distributed_reduce_columns_workspace_bytes(
    prim_op op, prim_transform transform, cudaDataType_t in_type, const size_t *h_counts,
    size_t total_ranks, size_t columns, size_t ld, cudaDataType_t out_type, size_t *bytes)
{
    const prim_bands args = {op, transform, in_type, columns, ld, out_type};
    prim_team team = {.name = "prim_distributed_reduce_columns_workspace_bytes",
                      .args = &args,
                      .counts = h_counts,
                      .total = total_ranks};
    return prim_team_needed(&team, columns_steps_of(&args), bytes);
}
