/* What both ways to scan have in common: checks, one GPU's own scan, what ranks compare. */
#include "distributed/scan/parts_scan.h"

#include "common/host/element.h"

prim_status prim_parts_scan_bytes(const prim_team *team, size_t count, size_t *bytes)
{
    const prim_parts_scan *s = team->args;
    const prim_reduction *r = &s->reduction;
    prim_answer answer;
    return prim_team_asked(prim_scan(PRIM_SCAN_AUTO, s->kind, r->op, r->transform, r->in_type, NULL,
                                     count, s->out_type, NULL, NULL,
                                     &(prim_call){.answer = &answer}),
                           &answer, bytes);
}

prim_status prim_parts_scan_from(const prim_team *team, const prim_member *member,
                                 const void *d_initial, const void *in, size_t count, void *out,
                                 void *total, void *memory)
{
    const prim_parts_scan *s = team->args;
    const prim_reduction *r = &s->reduction;
    size_t bytes;
    const prim_status status = prim_parts_scan_bytes(team, prim_team_largest_part(team), &bytes);
    return status == PRIM_OK ? prim_scan(PRIM_SCAN_AUTO, s->kind, r->op, r->transform, r->in_type,
                                         in, count, s->out_type, out,
                                         &(prim_scan_ends){.d_initial = d_initial, .total = total},
                                         &(prim_call){.stream = member->call.stream,
                                                      .d_workspace = prim_team_inner(memory, bytes),
                                                      .workspace_bytes = bytes})
                             : status;
}

/* In place is allowed where results have the size of elements; nothing else may overlap. */
prim_status prim_parts_scan_check(const prim_team *team, const prim_member *member,
                                  prim_operands *operands)
{
    const prim_parts_scan *s = team->args;
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

prim_status prim_parts_carry_check(const prim_team *team, const prim_member *member,
                                   prim_operands *operands)
{
    const prim_parts_scan *s = team->args;
    prim_span *const spans = operands->spans;
    operands->count = 2;
    prim_status status = prim_check_vector(&member->call, "in", member->rank->d_in, member->count,
                                           prim_element_bytes(s->reduction.in_type), &spans[0]);
    if (status == PRIM_OK)
        status = prim_check_vector(&member->call, "out", member->rank->d_out, 1,
                                   prim_element_bytes(s->out_type), &spans[1]);
    return status == PRIM_OK ? prim_check_disjoint(&member->call, spans[1], spans[0]) : status;
}

void prim_parts_scan_sign(const prim_team *team, prim_digest *digest)
{
    const prim_parts_scan *s = team->args;
    prim_digest_add(digest, s->kind);
    prim_digest_add(digest, s->reduction.op);
    prim_digest_add(digest, s->reduction.transform);
    prim_digest_add(digest, s->reduction.in_type);
    prim_digest_add(digest, s->out_type);
}
