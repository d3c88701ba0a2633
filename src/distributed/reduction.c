/* What both ways to reduce have in common: checks, the workspace of one GPU, what ranks compare. */
#include "distributed/reduction.h"

#include "common/host/element.h"

prim_status prim_reduction_bytes(const prim_team *team, size_t count, size_t *bytes)
{
    prim_answer answer;
    const prim_reduction *r = team->args;
    if (r->is_dot)
        return prim_team_asked(prim_dot(PRIM_REDUCE_AUTO, r->in_type, NULL, NULL, count,
                                        r->out_type, NULL, &(prim_call){.answer = &answer}),
                               &answer, bytes);
    return prim_team_asked(prim_reduce(PRIM_REDUCE_AUTO, r->op, r->transform, r->in_type, NULL,
                                       count, r->out_type, NULL, &(prim_call){.answer = &answer}),
                           &answer, bytes);
}

/* The result comes first: it overlaps none of the others. */
prim_status prim_reduction_check(const prim_team *team, const prim_member *member,
                                 prim_operands *operands)
{
    const prim_reduction *r = team->args;
    const prim_rank *rank = member->rank;
    const size_t bytes = prim_element_bytes(r->in_type);
    prim_span *const spans = operands->spans;
    operands->count = r->is_dot ? 3 : 2;
    prim_status status =
        prim_check_vector(&member->call, "in", rank->d_in, member->count, bytes, &spans[1]);
    if (status == PRIM_OK && r->is_dot)
        status =
            prim_check_vector(&member->call, "in_y", rank->d_in_y, member->count, bytes, &spans[2]);
    if (status == PRIM_OK)
        status = prim_check_vector(&member->call, "out", rank->d_out, 1,
                                   prim_element_bytes(r->out_type), &spans[0]);
    for (int i = 1; i < operands->count && status == PRIM_OK; i++)
        status = prim_check_disjoint(&member->call, spans[0], spans[i]);
    return status;
}

void prim_reduction_sign(const prim_team *team, prim_digest *digest)
{
    const prim_reduction *r = team->args;
    prim_digest_add(digest, r->op);
    prim_digest_add(digest, r->transform);
    prim_digest_add(digest, r->in_type);
    prim_digest_add(digest, r->out_type);
}

/* Sums and products of floats. Otherwise any order gives the same bits: integers wrap, and minimum
 * and maximum give only one NaN. */
bool prim_reduction_has_order(const prim_reduction *r)
{
    return prim_element_is_float(r->out_type) && (r->op == PRIM_OP_SUM || r->op == PRIM_OP_PRODUCT);
}
