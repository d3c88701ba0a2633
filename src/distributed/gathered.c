/* Reductions that any order gives the same bits of: each rank reduces its part, an empty one to the
 * identity, every rank gets all results, and reduces these. Rounding to f16 or bf16 on the way
 * changes no minimum and no maximum: it keeps the order. scanned.c begins in the same way. */
#include "distributed/gathered.h"
#include "common/element.h"

size_t prim_gathered_results_bytes(const prim_team *team)
{
    const prim_reduction *r = team->args;
    return prim_team_padded((team->total + 2) * prim_element_bytes(r->out_type));
}

/* Of the two reductions, which follow each other in a stream. */
prim_status prim_gathered_inner_bytes(const prim_team *team, size_t *bytes)
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
        status = prim_gathered_inner_bytes(team, &inner);
    if (status == PRIM_OK)
        *bytes = prim_gathered_results_bytes(team) + inner;
    return status;
}

void *prim_gathered_result(const prim_team *team, const prim_member *member, size_t rank)
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
    const prim_status status = prim_gathered_inner_bytes(team, &inner);
    if (status != PRIM_OK)
        return status;
    char *const memory = (char *)member->call.workspace + prim_gathered_results_bytes(team);
    return prim_reduce(PRIM_REDUCE_AUTO, r->op, transform, type, d_in, count, r->out_type, d_out,
                       prim_team_inner(memory, inner), inner, member->rank->stream);
}

prim_status prim_gathered_reduce_part(const prim_team *team, const prim_member *member)
{
    const prim_reduction *r = team->args;
    return reduce(team, member, r->transform, r->in_type, member->rank->d_in, member->count,
                  prim_gathered_result(team, member, member->number));
}

prim_status prim_gathered_share(const prim_team *team, const prim_member *member)
{
    const prim_reduction *r = team->args;
    return prim_team_nccl(member, "ncclAllGather",
                          ncclAllGather(prim_gathered_result(team, member, member->number),
                                        prim_gathered_result(team, member, 0),
                                        prim_element_bytes(r->out_type), ncclUint8,
                                        member->rank->comm, member->rank->stream));
}

prim_status prim_gathered_reduce_results(const prim_team *team, const prim_member *member,
                                         size_t count, void *d_out)
{
    const prim_reduction *r = team->args;
    return reduce(team, member, PRIM_TRANSFORM_NONE, r->out_type,
                  prim_gathered_result(team, member, 0), count, d_out);
}

static prim_status reduce_all_results(const prim_team *team, const prim_member *member)
{
    return prim_gathered_reduce_results(team, member, team->total, member->rank->d_out);
}

const prim_team_steps prim_gathered_steps = {
    .check = prim_reduction_check,
    .needed = needed,
    .steps = {{prim_gathered_reduce_part, false},
              {prim_gathered_share, true},
              {reduce_all_results, false}},
};
