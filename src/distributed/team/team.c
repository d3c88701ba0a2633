/* A call on many devices: its checks, its workspaces and its end. The steps between are taken in
 * steps.c. */
#include "distributed/team/team.h"

#include <stdio.h>
#include <string.h>

#include "common/host/device.h"
#include "common/host/fail.h"
#include "common/host/sizes.h"
#include "common/host/workspace.h"
#include "distributed/team/agreement.h"

/* ---- error messages ---- */

/* The message of a call for one device, with this call's name before it. */
static prim_status in_our_name(prim_status status, const char *name)
{
    cudaError_t error;
    char text[256];
    snprintf(text, sizeof text, "%s", prim_last_error(&error));
    return error != cudaSuccess ? status : prim_fail(status, "%s: %s", name, text);
}

/* ---- sizes ---- */

size_t prim_team_padded(size_t bytes)
{
    return prim_divide_up(bytes, PRIM_WORKSPACE_ALIGNMENT) * PRIM_WORKSPACE_ALIGNMENT;
}

size_t prim_team_largest_part(const prim_team *team)
{
    size_t most = 0;
    for (size_t r = 0; r < team->total; r++)
        most = team->counts[r] > most ? team->counts[r] : most;
    return most;
}

static prim_status count_elements(prim_team *team)
{
    if (team->counts == NULL)
        return prim_fail(PRIM_ERROR_NULL, "%s: h_counts is NULL", team->name);
    if (team->total == 0)
        return prim_fail(PRIM_ERROR_VALUE, "%s: total_ranks is 0", team->name);
    team->whole = 0;
    for (size_t r = 0; r < team->total; r++) {
        if (team->counts[r] > SIZE_MAX - team->whole)
            return prim_fail(PRIM_ERROR_SIZE, "%s: the sum of %zu counts does not fit size_t",
                             team->name, team->total);
        team->whole += team->counts[r];
    }
    return PRIM_OK;
}

/* ---- the team's ranks ---- */

/* What another rank, or an earlier operation, has done to the communicator since. */
static prim_status check_health(const prim_member *member)
{
    ncclResult_t later;
    const prim_status status = prim_team_nccl(member, "ncclCommGetAsyncError",
                                              ncclCommGetAsyncError(member->rank->comm, &later));
    if (status != PRIM_OK || later == ncclInProgress)
        return status;
    return prim_team_nccl(member, "an earlier operation of this communicator", later);
}

static prim_status ask_communicator(const prim_team *team, prim_member *member)
{
    int number, total;
    prim_status status = check_health(member);
    if (status == PRIM_OK)
        status = prim_team_nccl(member, "ncclCommUserRank",
                                ncclCommUserRank(member->rank->comm, &number));
    if (status == PRIM_OK)
        status = prim_team_nccl(member, "ncclCommCount", ncclCommCount(member->rank->comm, &total));
    if (status == PRIM_OK)
        status = prim_team_nccl(member, "ncclCommCuDevice",
                                ncclCommCuDevice(member->rank->comm, &member->device));
    if (status != PRIM_OK)
        return status;
    if ((size_t)total != team->total)
        return prim_fail(PRIM_ERROR_VALUE,
                         "%s: total_ranks is %zu, but the communicator has %d ranks", team->name,
                         team->total, total);
    member->number = (size_t)number;
    return PRIM_OK;
}

/* The device of a rank without a communicator, which is only asked. */
static prim_status go_to_current_device(prim_member *member)
{
    return prim_team_cuda(member, "the current device could not be found out",
                          cudaGetDevice(&member->device));
}

static prim_status add_member(prim_team *team, const prim_rank *rank, size_t index)
{
    prim_member *const member = &team->members[index];
    *member = (prim_member){.rank = rank};
    snprintf(member->name, sizeof member->name, "%s: ranks[%zu]", team->name, index);
    member->call.name = member->name;
    prim_status status = prim_request_options(&member->call, &rank->call);
    if (status != PRIM_OK)
        return status;
    if (prim_member_is_asked(member) != prim_member_is_asked(&team->members[0]))
        return prim_fail(PRIM_ERROR_VALUE,
                         "%s: ranks[0] and ranks[%zu] must both have an answer, or neither of them",
                         team->name, index);
    if (prim_is_left_open(&member->call, rank->comm))
        return go_to_current_device(member);
    if (rank->comm == NULL)
        return prim_fail(PRIM_ERROR_NULL, "%s: comm is NULL", member->name);
    status = ask_communicator(team, member);
    if (status != PRIM_OK)
        return status;
    for (size_t i = 0; i < index; i++)
        if (team->members[i].rank->comm != NULL && team->members[i].number == member->number)
            return prim_fail(PRIM_ERROR_VALUE, "%s: ranks[%zu] and ranks[%zu] are both rank %zu",
                             team->name, i, index, member->number);
    for (size_t r = 0; r < member->number; r++)
        member->begin += team->counts[r];
    member->count = team->counts[member->number];
    snprintf(member->name, sizeof member->name, "%s: rank %zu", team->name, member->number);
    return PRIM_OK;
}

static prim_status add_members(prim_team *team, const prim_rank *ranks, size_t own_ranks)
{
    if (ranks == NULL)
        return prim_fail(PRIM_ERROR_NULL, "%s: ranks is NULL", team->name);
    if (own_ranks == 0 || own_ranks > PRIM_MOST_OWN_RANKS)
        return prim_fail(PRIM_ERROR_VALUE, "%s: own_ranks is %zu, not 1 to %d", team->name,
                         own_ranks, PRIM_MOST_OWN_RANKS);
    prim_status status = PRIM_OK;
    team->own = own_ranks;
    for (size_t i = 0; i < own_ranks && status == PRIM_OK; i++)
        status = add_member(team, &ranks[i], i);
    return status;
}

/* ---- checks ---- */

static prim_status check_reach(const prim_member *member, prim_span span)
{
    size_t there;
    if (span.bytes == 0 || prim_device_reaches(span.data, span.bytes, &there))
        return PRIM_OK;
    return prim_fail(PRIM_ERROR_MEMORY,
                     "%s: device %d reaches %zu bytes from d_%s on, but %zu are needed",
                     member->name, member->device, there, span.name, span.bytes);
}

/* A rank without a communicator stands for any rank, so that nothing is known of its operands. */
static prim_status check_member(const prim_team *team, const prim_team_steps *steps,
                                prim_member *member)
{
    prim_span workspace;
    prim_operands operands = {.count = 0};
    prim_status status = steps->needed(team, &member->needed);
    if (status != PRIM_OK)
        return in_our_name(status, member->name);
    if (member->rank->comm != NULL)
        status = steps->check(team, member, &operands);
    if (status == PRIM_OK)
        status = prim_workspace_check(&member->call, member->needed, &workspace);
    for (int i = 0; i < operands.count && status == PRIM_OK; i++)
        status = prim_check_disjoint(&member->call, workspace, operands.spans[i]);
    for (int i = 0; i < operands.count && status == PRIM_OK; i++)
        status = check_reach(member, operands.spans[i]);
    return status == PRIM_OK ? check_reach(member, workspace) : status;
}

/* ---- each rank in turn, its device being current ---- */

static prim_status check_all(prim_team *team, const prim_team_steps *steps)
{
    prim_status status = PRIM_OK;
    for (size_t i = 0; i < team->own && status == PRIM_OK; i++) {
        status = prim_team_go_to(&team->members[i]);
        if (status == PRIM_OK)
            status = check_member(team, steps, &team->members[i]);
    }
    return status;
}

static prim_status open_workspace(prim_member *member)
{
    prim_workspace workspace;
    prim_status status = prim_team_go_to(member);
    if (status == PRIM_OK)
        status = prim_workspace_open(&member->call, member->needed, &workspace);
    if (status != PRIM_OK)
        return status;
    member->opened = workspace.from_pool;
    member->call.workspace = workspace.data;
    return PRIM_OK;
}

static prim_status open_all(prim_team *team)
{
    prim_status status = PRIM_OK;
    for (size_t i = 0; i < team->own && status == PRIM_OK; i++)
        status = open_workspace(&team->members[i]);
    return status;
}

static prim_status close_workspace(const prim_team *team, const prim_member *member)
{
    (void)team;
    if (!member->opened)
        return PRIM_OK;
    const prim_status gone = prim_team_go_to(member);
    const prim_status closed =
        prim_workspace_close(&member->call, (prim_workspace){member->call.workspace, true});
    return gone == PRIM_OK ? closed : gone;
}

static void answer_all(prim_team *team)
{
    for (size_t i = 0; i < team->own; i++)
        team->members[i].call.answer->workspace_bytes = team->members[i].needed;
}

static prim_status run(prim_team *team, const prim_team_steps *steps)
{
    bool agrees;
    prim_status status = check_all(team, steps);
    if (prim_member_is_asked(&team->members[0])) {
        if (status == PRIM_OK)
            answer_all(team);
        return status;
    }
    const prim_status asked = prim_agreement_wanted(team, &agrees);
    if (asked == PRIM_OK && agrees)
        status = prim_agree(team, steps, status);
    if (status == PRIM_OK)
        status = asked;
    if (status != PRIM_OK)
        return status;
    status = open_all(team);
    if (status == PRIM_OK)
        status = prim_team_take_steps(team, steps);
    const prim_status closed = prim_team_take_all(team, close_workspace);
    return status == PRIM_OK ? closed : status;
}

prim_status prim_team_run(prim_team *team, const prim_team_steps *steps, const prim_rank *ranks,
                          size_t own_ranks)
{
    int device;
    prim_status status = count_elements(team);
    if (status == PRIM_OK)
        status = add_members(team, ranks, own_ranks);
    if (status != PRIM_OK)
        return status;
    const cudaError_t unknown = cudaGetDevice(&device);
    if (unknown != cudaSuccess)
        return prim_fail_cuda(PRIM_ERROR_CUDA, unknown,
                              "%s: the current device could not be found out", team->name);
    status = run(team, steps);
    const cudaError_t error = cudaSetDevice(device);
    if (status != PRIM_OK || error == cudaSuccess)
        return status;
    return prim_fail_cuda(PRIM_ERROR_CUDA, error, "%s: device %d could not be made current again",
                          team->name, device);
}
