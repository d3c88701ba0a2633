/* Arguments other than pointers must be the same in all processes: where counts differ, one rank
 * waits for messages that no other rank sends. With PRIM_DISTRIBUTED_AGREE=1 each call begins with
 * 32 bytes from every rank to every rank, and a wait for them. */
#include "distributed/team/agreement.h"

#include <stdlib.h>
#include <string.h>

#include "common/host/fail.h"

/* ---- statements ---- */

static prim_digest digest_of_text(const char *text)
{
    prim_digest digest = PRIM_DIGEST_OF_NOTHING;
    for (; *text != '\0'; text++)
        prim_digest_add(&digest, (unsigned char)*text);
    return digest;
}

static prim_statement statement_of(const prim_team *team, const prim_team_steps *steps,
                                   prim_status own)
{
    prim_statement s = {digest_of_text(team->name), PRIM_DIGEST_OF_NOTHING, PRIM_DIGEST_OF_NOTHING,
                        own != PRIM_OK};
    for (size_t r = 0; r < team->total; r++)
        prim_digest_add(&s.counts, team->counts[r]);
    steps->sign(team, &s.arguments);
    return s;
}

/* What differs between the two statements, or NULL. */
static const char *difference(const prim_statement *own, const prim_statement *other)
{
    if (other->call != own->call)
        return "makes a different call";
    if (other->counts != own->counts)
        return "was called with different h_counts";
    if (other->arguments != own->arguments)
        return "was called with different arguments";
    return other->refused != 0 ? "refuses its arguments" : NULL;
}

static prim_status compare_all(const prim_team *team)
{
    const prim_agreement *const a = team->agreement;
    for (size_t r = 0; r < team->total; r++) {
        const char *const what = difference(&a->own, &a->h_all[r]);
        if (what != NULL)
            return prim_fail(PRIM_ERROR_VALUE, "%s: rank %zu %s", team->name, r, what);
    }
    return PRIM_OK;
}

/* ---- the exchange, in the steps of a team ---- */

static void **place_of(const prim_team *team, const prim_member *member)
{
    return &team->agreement->d_all[member - team->members];
}

static prim_status say(const prim_team *team, const prim_member *member)
{
    const prim_statement *const own = &team->agreement->own;
    void **const d_all = place_of(team, member);
    cudaError_t error = cudaMalloc(d_all, team->total * sizeof *own);
    if (error == cudaSuccess)
        error = cudaMemcpyAsync((prim_statement *)*d_all + member->number, own, sizeof *own,
                                cudaMemcpyHostToDevice, member->call.stream);
    return prim_team_cuda(member, "the other ranks could not be told about this call", error);
}

static prim_status exchange(const prim_team *team, const prim_member *member)
{
    prim_statement *const d_all = *place_of(team, member);
    return prim_team_nccl(member, "ncclAllGather",
                          ncclAllGather(d_all + member->number, d_all, sizeof *d_all, ncclUint8,
                                        member->rank->comm, member->call.stream));
}

static prim_status hear(const prim_team *team, const prim_member *member)
{
    prim_agreement *const a = team->agreement;
    cudaError_t error =
        cudaMemcpyAsync(a->h_all, *place_of(team, member), team->total * sizeof *a->h_all,
                        cudaMemcpyDeviceToHost, member->call.stream);
    if (error == cudaSuccess)
        error = cudaStreamSynchronize(member->call.stream);
    return prim_team_cuda(member, "what the other ranks call could not be read", error);
}

static prim_status forget(const prim_team *team, const prim_member *member)
{
    return prim_team_cuda(member, "memory could not be freed", cudaFree(*place_of(team, member)));
}

static const prim_team_steps conversation = {
    .steps = {{say, false}, {exchange, true}, {hear, false}},
};

prim_status prim_agreement_wanted(const prim_team *team, bool *wanted)
{
    const char *const option = getenv("PRIM_DISTRIBUTED_AGREE");
    enum cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    *wanted = option != NULL && strcmp(option, "1") == 0;
    if (!*wanted)
        return PRIM_OK;
    const cudaError_t error = cudaStreamIsCapturing(team->members[0].call.stream, &capture);
    *wanted = capture == cudaStreamCaptureStatusNone;
    return prim_team_cuda(&team->members[0], "it is not known whether its stream is being captured",
                          error);
}

/* Where this process refuses its arguments itself, its own message is kept. */
prim_status prim_agree(prim_team *team, const prim_team_steps *steps, prim_status own)
{
    prim_agreement a = {.own = statement_of(team, steps, own),
                        .h_all = calloc(team->total, sizeof(prim_statement))};
    if (a.h_all == NULL)
        return prim_fail(PRIM_ERROR_WORKSPACE, "%s: malloc() has no memory for %zu ranks",
                         team->name, team->total);
    team->agreement = &a;
    prim_status status = prim_team_take_steps(team, &conversation);
    const prim_status forgotten = prim_team_take_all(team, forget);
    status = status == PRIM_OK ? forgotten : status;
    if (own != PRIM_OK)
        status = own;
    else if (status == PRIM_OK)
        status = compare_all(team);
    free(a.h_all);
    team->agreement = NULL;
    return status;
}
