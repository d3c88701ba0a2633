/* Reductions whose bits do not depend on the order. Each rank reduces its part, an empty part to
 * the identity; every rank gets all results, and reduces these. Rounding to f16 or bf16 in between
 * changes no minimum and no maximum: it keeps the order. scanned.c begins in the same way. */
#include "distributed/gathered.h"
#include "common/host/element.h"

size_t prim_gathered_results_bytes(const prim_team *team)
{
    const prim_reduction *r = team->args;
    return prim_team_padded((team->total + 2) * prim_element_bytes(r->out_type));
}

/* The workspace of both reductions, which follow each other in a stream. */
prim_status prim_gathered_inner_bytes(const prim_team *team, size_t *bytes)
{
    prim_answer answer;
    const prim_reduction *r = team->args;
    size_t part = 0, last = 0;
    prim_status status = prim_reduction_bytes(team, prim_team_largest_part(team), &part);
    if (status == PRIM_OK)
        status = prim_team_asked(prim_reduce(PRIM_REDUCE_AUTO, r->op, PRIM_TRANSFORM_NONE,
                                             r->out_type, NULL, team->total, r->out_type, NULL,
                                             &(prim_call){.answer = &answer}),
                                 &answer, &last);
    *bytes = part > last ? part : last;
    return status;
}

static prim_status needed(const prim_team *team, size_t *bytes)
{
    size_t whole, inner;
    prim_status status = prim_reduction_bytes(team, team->whole, &whole);
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

/* The workspace of a reduction. */
typedef struct inner {
    void *memory;
    size_t bytes;
} inner;

static prim_status inner_of(const prim_team *team, const prim_member *member, inner *in)
{
    char *const memory = (char *)member->call.workspace + prim_gathered_results_bytes(team);
    const prim_status status = prim_gathered_inner_bytes(team, &in->bytes);
    in->memory = prim_team_inner(memory, in->bytes);
    return status;
}

prim_status prim_gathered_reduce_part(const prim_team *team, const prim_member *member)
{
    const prim_reduction *r = team->args;
    const prim_rank *rank = member->rank;
    void *const result = prim_gathered_result(team, member, member->number);
    inner in;
    const prim_status status = inner_of(team, member, &in);
    if (status != PRIM_OK)
        return status;
    if (r->is_dot)
        return prim_dot(PRIM_REDUCE_AUTO, r->in_type, rank->d_in, rank->d_in_y, member->count,
                        r->out_type, result,
                        &(prim_call){.stream = member->call.stream,
                                     .d_workspace = in.memory,
                                     .workspace_bytes = in.bytes});
    return prim_reduce(PRIM_REDUCE_AUTO, r->op, r->transform, r->in_type, rank->d_in, member->count,
                       r->out_type, result,
                       &(prim_call){.stream = member->call.stream,
                                    .d_workspace = in.memory,
                                    .workspace_bytes = in.bytes});
}

prim_status prim_gathered_share(const prim_team *team, const prim_member *member)
{
    const prim_reduction *r = team->args;
    return prim_team_nccl(member, "ncclAllGather",
                          ncclAllGather(prim_gathered_result(team, member, member->number),
                                        prim_gathered_result(team, member, 0),
                                        prim_element_bytes(r->out_type), ncclUint8,
                                        member->rank->comm, member->call.stream));
}

prim_status prim_gathered_reduce_results(const prim_team *team, const prim_member *member,
                                         size_t count, void *d_out)
{
    const prim_reduction *r = team->args;
    inner in;
    const prim_status status = inner_of(team, member, &in);
    return status == PRIM_OK
               ? prim_reduce(PRIM_REDUCE_AUTO, r->op, PRIM_TRANSFORM_NONE, r->out_type,
                             prim_gathered_result(team, member, 0), count, r->out_type, d_out,
                             &(prim_call){.stream = member->call.stream,
                                          .d_workspace = in.memory,
                                          .workspace_bytes = in.bytes})
               : status;
}

static prim_status reduce_all_results(const prim_team *team, const prim_member *member)
{
    return prim_gathered_reduce_results(team, member, team->total, member->rank->d_out);
}

const prim_team_steps prim_gathered_steps = {
    .check = prim_reduction_check,
    .needed = needed,
    .sign = prim_reduction_sign,
    .steps = {{prim_gathered_reduce_part, false},
              {prim_gathered_share, true},
              {reduce_all_results, false}},
};
