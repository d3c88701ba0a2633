/* Columns whose bits do not depend on the order. Each rank reduces the columns of its band, an
 * empty band to identities; every rank gets a row of results from each rank, and reduces the
 * columns of these rows. */
#include "common/host/element.h"
#include "distributed/columns/bands.h"

/* A workspace: the rows of results, and the workspace of the reductions. */
static size_t row_bytes(const prim_bands *b)
{
    return prim_team_padded(b->columns * prim_element_bytes(b->out_type));
}

static prim_status last_bytes(const prim_team *team, size_t *bytes)
{
    prim_answer answer;
    const prim_bands *b = team->args;
    return prim_team_asked(
        prim_reduce_columns(PRIM_REDUCE_AUTO, b->op, PRIM_TRANSFORM_NONE,
                            prim_matrix_of(b->out_type, NULL, team->total, b->columns, 0),
                            b->out_type, NULL, &(prim_call){.answer = &answer}),
        &answer, bytes);
}

static prim_status inner_bytes(const prim_team *team, size_t *bytes)
{
    size_t part, last = 0;
    prim_status status = prim_bands_columns_bytes(team, prim_team_largest_part(team), &part);
    if (status == PRIM_OK)
        status = last_bytes(team, &last);
    if (status == PRIM_OK)
        *bytes = part > last ? part : last;
    return status;
}

static prim_status needed(const prim_team *team, size_t *bytes)
{
    size_t whole, inner;
    prim_status status = prim_bands_columns_bytes(team, team->whole, &whole);
    if (status == PRIM_OK)
        status = prim_bands_check_whole(team);
    if (status == PRIM_OK)
        status = inner_bytes(team, &inner);
    if (status == PRIM_OK)
        *bytes = team->total * row_bytes(team->args) + inner;
    return status;
}

static char *row_of(const prim_team *team, const prim_member *member, size_t rank)
{
    return (char *)member->call.workspace + rank * row_bytes(team->args);
}

static prim_status reduce(const prim_team *team, const prim_member *member,
                          prim_transform transform, cudaDataType_t type, const void *d_in,
                          size_t rows, size_t ld, void *d_out)
{
    const prim_bands *b = team->args;
    size_t inner;
    const prim_status status = inner_bytes(team, &inner);
    return status == PRIM_OK
               ? prim_reduce_columns(
                     PRIM_REDUCE_AUTO, b->op, transform,
                     prim_matrix_of(type, d_in, rows, b->columns, ld), b->out_type, d_out,
                     &(prim_call){.stream = member->call.stream,
                                  .d_workspace =
                                      prim_team_inner(row_of(team, member, team->total), inner),
                                  .workspace_bytes = inner})
               : status;
}

static prim_status reduce_band(const prim_team *team, const prim_member *member)
{
    const prim_bands *b = team->args;
    return reduce(team, member, b->transform, b->in_type, member->rank->d_in, member->count, b->ld,
                  row_of(team, member, member->number));
}

static prim_status share_rows(const prim_team *team, const prim_member *member)
{
    return prim_team_nccl(member, "ncclAllGather",
                          ncclAllGather(row_of(team, member, member->number),
                                        row_of(team, member, 0), row_bytes(team->args), ncclUint8,
                                        member->rank->comm, member->call.stream));
}

static prim_status reduce_results(const prim_team *team, const prim_member *member)
{
    const prim_bands *b = team->args;
    return reduce(team, member, PRIM_TRANSFORM_NONE, b->out_type, row_of(team, member, 0),
                  team->total, row_bytes(b) / prim_element_bytes(b->out_type), member->rank->d_out);
}

const prim_team_steps prim_gathered_columns_steps = {
    .check = prim_bands_check_columns,
    .needed = needed,
    .sign = prim_bands_sign,
    .steps = {{reduce_band, false}, {share_rows, true}, {reduce_results, false}},
};
