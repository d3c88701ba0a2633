/* prim_distributed_reduce_rows() and prim_distributed_reduce_columns(): their arguments, the choice
 * between the two ways to reduce columns, and rows, of which each rank has its own. */
#include "distributed/columns/bands.h"
#include "distributed/reduction.h"

/* ---- rows ---- */

static prim_status check_rows(const prim_team *team, const prim_member *member,
                              prim_operands *operands)
{
    return prim_bands_check(team, member, member->count, operands);
}

static prim_status rows_bytes(const prim_team *team, size_t rows, size_t *bytes)
{
    prim_answer answer;
    const prim_bands *b = team->args;
    return prim_team_asked(prim_reduce_rows(PRIM_REDUCE_AUTO, b->op, b->transform,
                                            prim_matrix_of(b->in_type, NULL, rows, b->columns, 0),
                                            b->out_type, NULL, &(prim_call){.answer = &answer}),
                           &answer, bytes);
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
    return status == PRIM_OK
               ? prim_reduce_rows(
                     PRIM_REDUCE_AUTO, b->op, b->transform,
                     prim_matrix_of(b->in_type, member->rank->d_in, member->count, b->columns,
                                    b->ld),
                     b->out_type, member->rank->d_out,
                     &(prim_call){.stream = member->call.stream,
                                  .d_workspace = prim_team_inner(member->call.workspace, bytes),
                                  .workspace_bytes = bytes})
               : status;
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
