/* Reductions that any order gives the same bits of: each rank reduces its part, an empty one to the
 * identity, every rank gets all results, and reduces these. Rounding to f16 or bf16 on the way
 * changes no minimum and no maximum: it keeps the order. */
#include "common/element.h"
#include "distributed/reduction.h"

static size_t results_bytes(const prim_team *team)
{
    const prim_reduction *r = team->args;
    return prim_team_padded(team->total * prim_element_bytes(r->out_type));
}

/* Of the two reductions, which follow each other in a stream. */
static prim_status inner_bytes(const prim_team *team, size_t *bytes)
{
    const prim_reduction *r = team->args;
    size_t part = 0, last = 0;
    prim_status status =
        prim_reduce_workspace_bytes(PRIM_REDUCE_AUTO, r->op, r->transform, r->in_type,
                                    prim_team_largest_part(team), r->out_type, &part);
    if (status == PRIM_OK)
        status = prim_reduce_workspace_bytes(PRIM_REDUCE_AUTO, r->op, PRIM_TRANSFORM_NONE,
                                             r->out_type, team->total, r->out_type, &last);
    *bytes = part > last ? part : last;
    return status;
}

static prim_status needed(const prim_team *team, size_t *bytes)
{
    size_t inner;
    prim_status status = prim_reduction_check_kind(team);
    if (status == PRIM_OK)
        status = inner_bytes(team, &inner);
    if (status == PRIM_OK)
        *bytes = results_bytes(team) + inner;
    return status;
}

static char *result_of(const prim_team *team, const prim_member *member, size_t rank)
{
    const prim_reduction *r = team->args;
    return (char *)member->call.workspace + rank * prim_element_bytes(r->out_type);
}

static prim_status reduce(const prim_team *team, const prim_member *member,
                          prim_transform transform, cudaDataType_t type, const void *d_in,
                          size_t count, void *d_out)
{
    const prim_reduction *r = team->args;
    size_t inner;
    const prim_status status = inner_bytes(team, &inner);
    if (status != PRIM_OK)
        return status;
    char *const memory = (char *)member->call.workspace + results_bytes(team);
    return prim_reduce(PRIM_REDUCE_AUTO, r->op, transform, type, d_in, count, r->out_type, d_out,
                       prim_team_inner(memory, inner), inner, member->rank->stream);
}

static prim_status reduce_part(const prim_team *team, const prim_member *member)
{
    const prim_reduction *r = team->args;
    return reduce(team, member, r->transform, r->in_type, member->rank->d_in, member->count,
                  result_of(team, member, member->number));
}

static prim_status share_results(const prim_team *team, const prim_member *member)
{
    const prim_reduction *r = team->args;
    return prim_team_nccl(member, "ncclAllGather",
                          ncclAllGather(result_of(team, member, member->number),
                                        result_of(team, member, 0), prim_element_bytes(r->out_type),
                                        ncclUint8, member->rank->comm, member->rank->stream));
}

static prim_status reduce_results(const prim_team *team, const prim_member *member)
{
    const prim_reduction *r = team->args;
    return reduce(team, member, PRIM_TRANSFORM_NONE, r->out_type, result_of(team, member, 0),
                  team->total, member->rank->d_out);
}

const prim_team_steps prim_gathered_steps = {
    .check = prim_reduction_check,
    .needed = needed,
    .steps = {{reduce_part, false}, {share_results, true}, {reduce_results, false}},
};
