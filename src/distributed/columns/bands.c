/* What calls over bands have in common: checks, the workspace of one GPU, what ranks compare. */
#include "distributed/columns/bands.h"

#include "common/host/element.h"

prim_status prim_bands_check_whole(const prim_team *team)
{
    const prim_bands *b = team->args;
    const prim_request call = {.name = "the whole"};
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

prim_status prim_bands_columns_bytes(const prim_team *team, size_t rows, size_t *bytes)
{
    prim_answer answer;
    const prim_bands *b = team->args;
    return prim_team_asked(
        prim_reduce_columns(PRIM_REDUCE_AUTO, b->op, b->transform,
                            prim_matrix_of(b->in_type, NULL, rows, b->columns, 0), b->out_type,
                            NULL, &(prim_call){.answer = &answer}),
        &answer, bytes);
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
