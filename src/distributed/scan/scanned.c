/* Scans whose bits do not depend on the order. Each rank reduces its part, and every rank gets all
 * results. The results of the ranks before it give a rank the carry-in of its own scan.
 *
 *     parts      3 1 7  │  0 4  │  1 6 3
 *     results      11   │   4   │   10         of each part, to every rank
 *     carries       0   │  11   │   15         the results of the ranks before, combined
 *     scans      3 4 11 │ 11 15 │ 16 22 25
 *
 * Bytes: each element is read twice and written once; for the carry alone, read once and not
 * written. */
#include "common/host/element.h"
#include "distributed/gathered.h"
#include "distributed/scan/parts_scan.h"

/* ---- sizes and places ---- */

static prim_status needed_by_carry(const prim_team *team, size_t *bytes)
{
    size_t whole, inner;
    prim_status status = prim_parts_scan_bytes(team, team->whole, &whole);
    if (status == PRIM_OK)
        status = prim_gathered_inner_bytes(team, &inner);
    if (status == PRIM_OK)
        *bytes = prim_gathered_results_bytes(team) + inner;
    return status;
}

/* The scan runs after the reductions, and reuses their workspace. */
static prim_status needed_by_scan(const prim_team *team, size_t *bytes)
{
    size_t carry, scan;
    prim_status status = needed_by_carry(team, &carry);
    if (status == PRIM_OK)
        status = prim_parts_scan_bytes(team, prim_team_largest_part(team), &scan);
    if (status != PRIM_OK)
        return status;
    scan += prim_gathered_results_bytes(team);
    *bytes = carry > scan ? carry : scan;
    return PRIM_OK;
}

/* ---- the steps ---- */

/* Combines the first `count` results, and stores the result at number `place`. */
static prim_status combine(const prim_team *team, const prim_member *member, size_t count,
                           size_t place)
{
    return prim_gathered_reduce_results(team, member, count,
                                        prim_gathered_result(team, member, place));
}

static prim_status hand_out(const prim_team *team, const prim_member *member, size_t place,
                            void *d_to)
{
    const prim_parts_scan *s = team->args;
    return prim_team_cuda(member, "a result could not be copied",
                          cudaMemcpyAsync(d_to, prim_gathered_result(team, member, place),
                                          prim_element_bytes(s->out_type), cudaMemcpyDeviceToDevice,
                                          member->call.stream));
}

static prim_status take_carry(const prim_team *team, const prim_member *member)
{
    const prim_status status = combine(team, member, member->number, team->total);
    return status == PRIM_OK ? hand_out(team, member, team->total, member->rank->d_out) : status;
}

static prim_status take_total(const prim_team *team, const prim_member *member)
{
    if (member->rank->d_second == NULL)
        return PRIM_OK;
    const prim_status status = combine(team, member, team->total, team->total + 1);
    return status == PRIM_OK ? hand_out(team, member, team->total + 1, member->rank->d_second)
                             : status;
}

static prim_status scan_part(const prim_team *team, const prim_member *member)
{
    prim_status status = combine(team, member, member->number, team->total);
    if (status == PRIM_OK)
        status = take_total(team, member);
    if (status != PRIM_OK || member->count == 0)
        return status;
    return prim_parts_scan_from(team, member, prim_gathered_result(team, member, team->total),
                                member->rank->d_in, member->count, member->rank->d_out, NULL,
                                (char *)member->call.workspace + prim_gathered_results_bytes(team));
}

const prim_team_steps prim_scanned_scan_steps = {
    .check = prim_parts_scan_check,
    .needed = needed_by_scan,
    .sign = prim_parts_scan_sign,
    .steps = {{prim_gathered_reduce_part, false}, {prim_gathered_share, true}, {scan_part, false}},
};

const prim_team_steps prim_scanned_carry_steps = {
    .check = prim_parts_carry_check,
    .needed = needed_by_carry,
    .sign = prim_parts_scan_sign,
    .steps = {{prim_gathered_reduce_part, false}, {prim_gathered_share, true}, {take_carry, false}},
};
