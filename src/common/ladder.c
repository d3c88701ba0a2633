#include "common/ladder.h"

#include "common/device.h"
#include "common/fail.h"
#include "common/workspace.h"

size_t prim_no_workspace(const void *args)
{
    (void)args;
    return 0;
}

static const prim_rung *find_rung(const prim_ladder *ladder, int variant)
{
    for (const prim_rung *rung = ladder->rungs; rung->name != NULL; rung++)
        if (rung->variant == variant)
            return rung;
    return NULL;
}

/* Where none supports the call, the highest one is there to say so. */
static const prim_rung *highest_rung(const prim_ladder *ladder, const void *args)
{
    const prim_rung *rung = ladder->rungs;
    while (rung[1].name != NULL)
        rung++;
    for (const prim_rung *r = rung; r >= ladder->rungs; r--)
        if (r->variant != ladder->stateful && r->supports(args))
            return r;
    return rung;
}

/* The ladder's choice; where that does not support the call, the highest rung that does. */
static const prim_rung *automatic_rung(const prim_ladder *ladder, const prim_call *call)
{
    if (ladder->choose == NULL)
        return highest_rung(ladder, call);
    const prim_rung *const chosen = find_rung(ladder, ladder->choose(call));
    return chosen->supports(call) ? chosen : highest_rung(ladder, call);
}

/* What a query and a call judge alike; *rung is what would run. */
static prim_status resolve(const prim_ladder *ladder, const prim_call *call, const prim_rung **rung)
{
    const bool automatic = call->variant == PRIM_VARIANT_AUTO;
    (void)prim_device_take_error(); /* another call's */
    if (!automatic && find_rung(ladder, call->variant) == NULL)
        return prim_fail(PRIM_ERROR_ENUM, "%s: variant is %d, which is no variant", call->name,
                         call->variant);
    const prim_status status = ladder->check_kind(call);
    if (status != PRIM_OK)
        return status;
    *rung = automatic ? automatic_rung(ladder, call) : find_rung(ladder, call->variant);
    return PRIM_OK;
}

/* A call must not go on with what it would have learned. */
static prim_status check_device(const prim_call *call)
{
    const cudaError_t error = prim_device_take_error();
    if (error == cudaSuccess)
        return PRIM_OK;
    return prim_fail_cuda(PRIM_ERROR_CUDA, error, "%s: the device's properties were not read",
                          call->name);
}

static prim_status check_support(const prim_ladder *ladder, const prim_call *call,
                                 const prim_rung *rung)
{
    const bool supported = rung->supports(call);
    const prim_status status = check_device(call);
    if (status != PRIM_OK || supported)
        return status;
    return prim_fail(PRIM_ERROR_UNSUPPORTED, "%s: variant %s %s", call->name, rung->name,
                     ladder->refusal);
}

/* A rung with state would be replayed against what others have made of it. */
static prim_status check_capture(const prim_ladder *ladder, const prim_call *call,
                                 const prim_rung *rung)
{
    if (ladder->stateful == PRIM_VARIANT_AUTO || rung->variant != ladder->stateful)
        return PRIM_OK;
    enum cudaStreamCaptureStatus capture;
    const cudaError_t error = cudaStreamIsCapturing(call->stream, &capture);
    if (error != cudaSuccess)
        return prim_fail_cuda(PRIM_ERROR_CUDA, error, "%s: the stream's state is unknown",
                              call->name);
    if (capture == cudaStreamCaptureStatusActive)
        return prim_fail(PRIM_ERROR_UNSUPPORTED, "%s: variant %s cannot be captured into a graph",
                         call->name, rung->name);
    return PRIM_OK;
}

static prim_status check_workspace(const prim_call *call, size_t needed_bytes,
                                   const prim_operands *operands)
{
    prim_span workspace;
    prim_status status = prim_workspace_check(call, needed_bytes, &workspace);
    for (int i = 0; i < operands->count && status == PRIM_OK; i++)
        status = prim_check_disjoint(call, workspace, operands->spans[i]);
    return status;
}

static prim_status launch(const prim_rung *rung, prim_call *call, size_t needed_bytes)
{
    prim_workspace workspace;
    prim_status status = prim_workspace_open(call, needed_bytes, &workspace);
    if (status != PRIM_OK)
        return status;
    call->workspace = workspace.data;
    status = prim_launch_status(call->name, rung->name, rung->launch(call));
    if (status == PRIM_OK)
        status = check_device(call);
    const prim_status closed = prim_workspace_close(call, workspace);
    return status != PRIM_OK ? status : closed;
}

static prim_status workspace_of(const prim_rung *rung, const prim_call *call, size_t *bytes)
{
    const size_t needed = rung->workspace_bytes(call);
    const prim_status status = check_device(call);
    if (status == PRIM_OK)
        *bytes = needed;
    return status;
}

prim_status prim_ladder_run(const prim_ladder *ladder, prim_call *call)
{
    const prim_rung *rung;
    prim_operands operands = {.count = 0};
    prim_status status = resolve(ladder, call, &rung);
    if (status == PRIM_OK)
        status = ladder->check_operands(call, &operands);
    if (status == PRIM_OK)
        status = check_support(ladder, call, rung);
    if (status == PRIM_OK)
        status = check_capture(ladder, call, rung);
    if (status != PRIM_OK)
        return status;
    size_t needed_bytes = 0;
    status = workspace_of(rung, call, &needed_bytes);
    if (status == PRIM_OK)
        status = check_workspace(call, needed_bytes, &operands);
    return status == PRIM_OK ? launch(rung, call, needed_bytes) : status;
}

prim_status prim_ladder_check_host(const prim_ladder *ladder, const prim_call *call)
{
    prim_operands operands = {.count = 0};
    const prim_status status = ladder->check_kind(call);
    return status == PRIM_OK ? ladder->check_operands(call, &operands) : status;
}

prim_status prim_ladder_workspace_bytes(const prim_ladder *ladder, const prim_call *call,
                                        size_t *bytes)
{
    if (bytes == NULL)
        return prim_fail(PRIM_ERROR_NULL, "%s: bytes is NULL", call->name);
    const prim_rung *rung;
    prim_status status = resolve(ladder, call, &rung);
    if (status == PRIM_OK)
        status = check_support(ladder, call, rung);
    if (status == PRIM_OK)
        status = workspace_of(rung, call, bytes);
    return status;
}

bool prim_ladder_supports(const prim_ladder *ladder, const prim_call *call)
{
    size_t bytes;
    return prim_ladder_workspace_bytes(ladder, call, &bytes) == PRIM_OK && prim_device_has_code();
}

size_t prim_ladder_variant_count(const prim_ladder *ladder)
{
    size_t count = 1;
    for (const prim_rung *rung = ladder->rungs; rung->name != NULL; rung++)
        count++;
    return count;
}

int prim_ladder_variant_at(const prim_ladder *ladder, size_t index)
{
    return index == 0 || index >= prim_ladder_variant_count(ladder)
               ? PRIM_VARIANT_AUTO
               : ladder->rungs[index - 1].variant;
}

const char *prim_ladder_variant_name(const prim_ladder *ladder, int variant)
{
    const prim_rung *rung = find_rung(ladder, variant);
    return variant == PRIM_VARIANT_AUTO ? "auto" : rung != NULL ? rung->name : NULL;
}

const char *prim_ladder_variant_idea(const prim_ladder *ladder, int variant)
{
    const prim_rung *rung = find_rung(ladder, variant);
    return variant == PRIM_VARIANT_AUTO ? "the fastest rung that supports the call"
           : rung != NULL               ? rung->idea
                                        : NULL;
}
