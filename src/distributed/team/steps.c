/* The steps of a call on many devices. Every rank takes a step before any rank takes the next one:
 * each with its own device current, or all together in one group of NCCL. */
#include "distributed/team/team.h"

#include "common/host/fail.h"

/* ---- error messages ---- */

prim_status prim_team_nccl(const prim_member *member, const char *what, ncclResult_t result)
{
    if (result == ncclSuccess)
        return PRIM_OK;
    return prim_fail(PRIM_ERROR_NCCL, "%s: %s failed: %s", member->name, what,
                     ncclGetErrorString(result));
}

prim_status prim_team_cuda(const prim_member *member, const char *what, cudaError_t error)
{
    if (error == cudaSuccess)
        return PRIM_OK;
    return prim_fail_cuda(PRIM_ERROR_CUDA, error, "%s: %s", member->name, what);
}

/* ---- messages ---- */

prim_status prim_team_send(const prim_member *member, const void *from, size_t bytes, size_t to)
{
    return prim_team_nccl(
        member, "ncclSend",
        ncclSend(from, bytes, ncclUint8, (int)to, member->rank->comm, member->call.stream));
}

prim_status prim_team_receive(const prim_member *member, void *to, size_t bytes, size_t from)
{
    return prim_team_nccl(
        member, "ncclRecv",
        ncclRecv(to, bytes, ncclUint8, (int)from, member->rank->comm, member->call.stream));
}

prim_status prim_team_broadcast(const prim_member *member, void *at, size_t bytes, size_t from)
{
    return prim_team_nccl(member, "ncclBroadcast",
                          ncclBroadcast(at, at, bytes, ncclUint8, (int)from, member->rank->comm,
                                        member->call.stream));
}

/* ---- steps ---- */

prim_status prim_team_go_to(const prim_member *member)
{
    return prim_team_cuda(member, "its device could not be made current",
                          cudaSetDevice(member->device));
}

static prim_status take_each(const prim_team *team, prim_team_step take)
{
    prim_status status = PRIM_OK;
    for (size_t i = 0; i < team->own && status == PRIM_OK; i++) {
        status = prim_team_go_to(&team->members[i]);
        if (status == PRIM_OK)
            status = take(team, &team->members[i]);
    }
    return status;
}

/* A group contains only calls of NCCL, which knows each rank's device: where one of them fails, the
 * group does nothing, and no rank waits for another. */
static prim_status take_together(const prim_team *team, prim_team_step take)
{
    prim_status status = prim_team_nccl(&team->members[0], "ncclGroupStart", ncclGroupStart());
    if (status != PRIM_OK)
        return status;
    for (size_t i = 0; i < team->own && status == PRIM_OK; i++)
        status = take(team, &team->members[i]);
    const ncclResult_t ended = ncclGroupEnd();
    return status != PRIM_OK ? status : prim_team_nccl(&team->members[0], "ncclGroupEnd", ended);
}

prim_status prim_team_take_steps(const prim_team *team, const prim_team_steps *steps)
{
    prim_status status = PRIM_OK;
    for (int s = 0; steps->steps[s].take != NULL && status == PRIM_OK; s++)
        status = steps->steps[s].together ? take_together(team, steps->steps[s].take)
                                          : take_each(team, steps->steps[s].take);
    return status;
}

prim_status prim_team_take_all(const prim_team *team, prim_team_step take)
{
    prim_status first = PRIM_OK;
    for (size_t i = 0; i < team->own; i++) {
        const prim_status taken = take(team, &team->members[i]);
        first = first == PRIM_OK ? taken : first;
    }
    return first;
}
