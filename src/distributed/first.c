/* The first extreme element: each rank that has elements finds its own, every rank gets all of them
 * with their indices, and searches these. The elements are gathered as they are, since squares of
 * f16 that differ may be equal once they are rounded. */
#include "common/host/element.h"
#include "distributed/finish.h"
#include "distributed/team/team.h"

typedef struct search {
    prim_op op;
    prim_transform transform;
    cudaDataType_t in_type;
} search;

/* ---- sizes and places ---- */

static size_t candidates_of(const prim_team *team, size_t ranks)
{
    size_t candidates = 0;
    for (size_t r = 0; r < ranks; r++)
        candidates += team->counts[r] > 0;
    return candidates;
}

/* A workspace: a candidate of each rank, their indices, a search's result, and its workspace. */
typedef struct places {
    char *elements;
    uint64_t *indices;
    void *value;
    uint64_t *at;
    char *inner;
} places;

enum { FOUND_BYTES = 256 };

static places places_of(const prim_team *team, const prim_member *member)
{
    const search *s = team->args;
    places p;
    p.elements = member->call.workspace;
    char *const indices =
        p.elements + prim_team_padded(team->total * prim_element_bytes(s->in_type));
    char *const found = indices + prim_team_padded(team->total * sizeof *p.indices);
    p.indices = (uint64_t *)(void *)indices;
    p.value = found;
    p.at = (uint64_t *)(void *)(found + FOUND_BYTES / 2);
    p.inner = found + FOUND_BYTES;
    return p;
}

static prim_status inner_bytes(const prim_team *team, size_t *bytes)
{
    prim_answer answer;
    const search *s = team->args;
    size_t part = 0, last = 0;
    prim_status status = prim_team_asked(
        prim_arg_reduce(PRIM_REDUCE_AUTO, s->op, s->transform, s->in_type, NULL,
                        prim_team_largest_part(team), NULL, NULL, &(prim_call){.answer = &answer}),
        &answer, &part);
    if (status == PRIM_OK)
        status = prim_team_asked(prim_arg_reduce(PRIM_REDUCE_AUTO, s->op, s->transform, s->in_type,
                                                 NULL, candidates_of(team, team->total), NULL, NULL,
                                                 &(prim_call){.answer = &answer}),
                                 &answer, &last);
    *bytes = part > last ? part : last;
    return status;
}

static prim_status needed(const prim_team *team, size_t *bytes)
{
    prim_answer answer;
    const search *s = team->args;
    size_t inner, whole;
    prim_status status =
        prim_team_asked(prim_arg_reduce(PRIM_REDUCE_AUTO, s->op, s->transform, s->in_type, NULL,
                                        team->whole, NULL, NULL, &(prim_call){.answer = &answer}),
                        &answer, &whole);
    if (status == PRIM_OK)
        status = inner_bytes(team, &inner);
    if (status == PRIM_OK)
        *bytes = prim_team_padded(team->total * prim_element_bytes(s->in_type)) +
                 prim_team_padded(team->total * sizeof(uint64_t)) + FOUND_BYTES + inner;
    return status;
}

static prim_status check(const prim_team *team, const prim_member *member, prim_operands *operands)
{
    const search *s = team->args;
    const size_t bytes = prim_element_bytes(s->in_type);
    prim_span *const spans = operands->spans;
    operands->count = 3;
    prim_status status =
        prim_check_vector(&member->call, "in", member->rank->d_in, member->count, bytes, &spans[0]);
    if (status == PRIM_OK)
        status = prim_check_vector(&member->call, "out", member->rank->d_out, 1, bytes, &spans[1]);
    if (status == PRIM_OK)
        status = prim_check_vector(&member->call, "second", member->rank->d_second, 1,
                                   sizeof(uint64_t), &spans[2]);
    return status == PRIM_OK ? prim_check_all_disjoint(&member->call, spans, 3) : status;
}

/* ---- the steps ---- */

static prim_status find(const prim_team *team, const prim_member *member, const void *d_in,
                        size_t count, void *d_value)
{
    const search *s = team->args;
    const places p = places_of(team, member);
    size_t inner;
    const prim_status status = inner_bytes(team, &inner);
    return status != PRIM_OK
               ? status
               : prim_arg_reduce(PRIM_REDUCE_AUTO, s->op, s->transform, s->in_type, d_in, count,
                                 d_value, p.at,
                                 &(prim_call){.stream = member->call.stream,
                                              .d_workspace = prim_team_inner(p.inner, inner),
                                              .workspace_bytes = inner});
}

static prim_status find_own(const prim_team *team, const prim_member *member)
{
    const search *s = team->args;
    const places p = places_of(team, member);
    const size_t bytes = prim_element_bytes(s->in_type);
    if (member->count == 0)
        return PRIM_OK;
    const prim_status status = find(team, member, member->rank->d_in, member->count, p.value);
    if (status != PRIM_OK)
        return status;
    const size_t slot = candidates_of(team, member->number);
    return prim_team_cuda(member, "the candidate could not be picked",
                          prim_distributed_pick(member->rank->d_in, bytes, p.at, member->begin,
                                                p.elements + slot * bytes, p.indices + slot,
                                                member->call.stream));
}

static prim_status share_candidates(const prim_team *team, const prim_member *member)
{
    const search *s = team->args;
    const places p = places_of(team, member);
    const size_t bytes = prim_element_bytes(s->in_type);
    prim_status status = PRIM_OK;
    size_t slot = 0;
    for (size_t from = 0; from < team->total && status == PRIM_OK; from++) {
        if (team->counts[from] == 0)
            continue;
        status = prim_team_broadcast(member, p.elements + slot * bytes, bytes, from);
        if (status == PRIM_OK)
            status = prim_team_broadcast(member, p.indices + slot, sizeof *p.indices, from);
        slot++;
    }
    return status;
}

static prim_status find_first(const prim_team *team, const prim_member *member)
{
    const places p = places_of(team, member);
    const prim_status status =
        find(team, member, p.elements, candidates_of(team, team->total), member->rank->d_out);
    if (status != PRIM_OK)
        return status;
    return prim_team_cuda(
        member, "the index could not be written",
        prim_distributed_take(p.indices, p.at, member->rank->d_second, member->call.stream));
}

static void sign(const prim_team *team, prim_digest *digest)
{
    const search *s = team->args;
    prim_digest_add(digest, s->op);
    prim_digest_add(digest, s->transform);
    prim_digest_add(digest, s->in_type);
}

static const prim_team_steps steps = {
    .check = check,
    .needed = needed,
    .sign = sign,
    .steps = {{find_own, false}, {share_candidates, true}, {find_first, false}},
};

prim_status prim_distributed_arg_reduce(prim_op op, prim_transform transform,
                                        cudaDataType_t in_type, const size_t *h_counts,
                                        size_t total_ranks, const prim_rank *ranks,
                                        size_t own_ranks)
{
    const search args = {op, transform, in_type};
    prim_team team = {.name = "prim_distributed_arg_reduce",
                      .args = &args,
                      .counts = h_counts,
                      .total = total_ranks};
    return prim_team_run(&team, &steps, ranks, own_ranks);
}
