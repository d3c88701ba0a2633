#include "common/host/ladder.h"

#include <stdio.h>
#include <string.h>

#include "common/host/device.h"
#include "common/host/fail.h"
#include "common/host/workspace.h"

static const prim_rung *find_among(const prim_rung *const *rungs, int variant)
{
    for (; rungs != NULL && *rungs != NULL; rungs++)
        if ((*rungs)->variant.value == variant)
            return *rungs;
    return NULL;
}

static const prim_rung *find_rung(const prim_ladder *ladder, int variant)
{
    return find_among(ladder->rungs, variant);
}

int prim_preferred_rung(const prim_rung *const *rungs, const prim_rung *preferred, const void *args)
{
    const prim_rung *taken = preferred;
    if (preferred->why_not(args) != NULL)
        for (const prim_rung *const *rung = rungs; *rung != NULL; rung++)
            if ((*rung)->why_not(args) == NULL)
                taken = *rung;
    return taken->variant.value;
}

static prim_status no_such_variant(const prim_ladder *ladder, const prim_request *call)
{
    const prim_rung *const other = find_among(ladder->others, call->variant);
    if (other != NULL)
        return prim_fail(PRIM_ERROR_UNSUPPORTED, "%s: variant %s (%d) belongs to another call",
                         call->name, other->variant.name, call->variant);
    char names[160] = "auto";
    for (const prim_rung *const *rung = ladder->rungs; *rung != NULL; rung++) {
        const size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, ", %s", (*rung)->variant.name);
    }
    return prim_fail(PRIM_ERROR_ENUM, "%s: variant is %d, which is not one of %s", call->name,
                     call->variant, names);
}

static const prim_rung *rung_of_auto(const prim_ladder *ladder, const prim_request *call)
{
    return ladder->choose != NULL ? find_rung(ladder, ladder->choose(call)) : ladder->rungs[0];
}

/* Checks what does not depend on operands; *rung is the rung that would run. */
static prim_status resolve(const prim_ladder *ladder, const prim_request *call,
                           const prim_rung **rung)
{
    const bool automatic = call->variant == PRIM_VARIANT_AUTO;
    (void)prim_device_take_error(); /* another call's */
    if (!automatic && find_rung(ladder, call->variant) == NULL)
        return no_such_variant(ladder, call);
    const prim_status status = ladder->check_kind(call);
    if (status != PRIM_OK)
        return status;
    *rung = automatic ? rung_of_auto(ladder, call) : find_rung(ladder, call->variant);
    return PRIM_OK;
}

/* A call must not go on with default values of what could not be read. */
static prim_status check_device(const prim_request *call)
{
    const cudaError_t error = prim_device_take_error();
    if (error == cudaSuccess)
        return PRIM_OK;
    return prim_fail_cuda(PRIM_ERROR_CUDA, error, "%s: the device's properties could not be read",
                          call->name);
}

/* With AUTO the reason is that of the rung that it would take. */
static prim_status check_support(const prim_ladder *ladder, const prim_request *call,
                                 const prim_rung *rung)
{
    const char *const reason = rung->why_not(call);
    const prim_status status = check_device(call);
    if (status != PRIM_OK || reason == NULL)
        return status;
    char particulars[96];
    ladder->describe(call, particulars, sizeof particulars);
    const bool named = call->variant != PRIM_VARIANT_AUTO;
    const int capability = prim_device_capability();
    return prim_fail(PRIM_ERROR_UNSUPPORTED,
                     "%s: %s%s cannot run this call: %s (%s; capability %d.%d)", call->name,
                     named ? "variant " : "the library", named ? rung->variant.name : "", reason,
                     particulars, capability / 10, capability % 10);
}

/* A graph would replay a stateful rung after other calls have changed its state. */
static prim_status check_capture(const prim_ladder *ladder, const prim_request *call,
                                 const prim_rung *rung)
{
    if (ladder->stateful == PRIM_VARIANT_AUTO || rung->variant.value != ladder->stateful)
        return PRIM_OK;
    enum cudaStreamCaptureStatus capture;
    const cudaError_t error = cudaStreamIsCapturing(call->stream, &capture);
    if (error != cudaSuccess)
        return prim_fail_cuda(PRIM_ERROR_CUDA, error,
                              "%s: it is not known whether the stream is being captured",
                              call->name);
    if (capture == cudaStreamCaptureStatusActive)
        return prim_fail(PRIM_ERROR_UNSUPPORTED, "%s: variant %s cannot be captured into a graph",
                         call->name, rung->variant.name);
    return PRIM_OK;
}

static prim_status check_workspace(const prim_request *call, size_t needed_bytes,
                                   const prim_operands *operands)
{
    prim_span workspace;
    prim_status status = prim_workspace_check(call, needed_bytes, &workspace);
    for (int i = 0; i < operands->count && status == PRIM_OK; i++)
        status = prim_check_disjoint(call, workspace, operands->spans[i]);
    return status;
}

static prim_status check_reach(const prim_request *call, prim_span span)
{
    size_t there;
    if (span.bytes == 0 || prim_device_reaches(span.data, span.bytes, &there))
        return PRIM_OK;
    if (there == 0)
        return prim_fail(PRIM_ERROR_MEMORY,
                         "%s: d_%s does not point to memory of the device: it reaches 0 bytes "
                         "there, but %zu are needed",
                         call->name, span.name, span.bytes);
    return prim_fail(
        PRIM_ERROR_MEMORY,
        "%s: d_%s has only %zu bytes up to the end of its allocation, but %zu are needed",
        call->name, span.name, there, span.bytes);
}

/* This check comes last, since it asks for more than the arguments say. */
static prim_status check_memory(const prim_request *call, const prim_operands *operands)
{
    prim_status status = PRIM_OK;
    for (int i = 0; i < operands->count && status == PRIM_OK; i++)
        status = check_reach(call, operands->spans[i]);
    return status == PRIM_OK
               ? check_reach(call, (prim_span){"workspace", call->workspace, call->workspace_bytes})
               : status;
}

static prim_status launch(const prim_rung *rung, prim_request *call, size_t needed_bytes)
{
    prim_workspace workspace;
    prim_status status = prim_workspace_open(call, needed_bytes, &workspace);
    if (status != PRIM_OK)
        return status;
    call->workspace = workspace.data;
    status = prim_launch_status(call->name, rung->variant.name, rung->launch(call));
    if (status == PRIM_OK)
        status = check_device(call); /* errors of queries that launch() did not check */
    const prim_status closed = prim_workspace_close(call, workspace);
    return status != PRIM_OK ? status : closed;
}

static prim_status workspace_of(const prim_rung *rung, const prim_request *call, size_t *bytes)
{
    const size_t needed = rung->workspace_bytes != NULL ? rung->workspace_bytes(call) : 0;
    const prim_status status = check_device(call);
    if (status == PRIM_OK)
        *bytes = needed;
    return status;
}

/* Answers what would run. The call itself would find only at its launch that there is no code for
 * the device. */
static prim_status answer(const prim_ladder *ladder, const prim_request *call,
                          const prim_rung *rung, size_t needed_bytes)
{
    const char *const route = ladder->route != NULL ? ladder->route(rung, call) : NULL;
    const bool has_code = prim_device_has_code();
    const prim_status status = check_device(call);
    if (status != PRIM_OK)
        return status;
    if (!has_code)
        return prim_fail(PRIM_ERROR_UNSUPPORTED,
                         "%s: there is no device for which this library has code", call->name);
    *call->answer = (prim_answer){
        .variant = &rung->variant,
        .route = route,
        .workspace_bytes = needed_bytes,
        .output_bytes = ladder->output_bytes != NULL ? ladder->output_bytes(call) : 0};
    return PRIM_OK;
}

prim_status prim_ladder_call(const prim_ladder *ladder, prim_request *call,
                             const prim_call *options)
{
    const prim_status status = prim_request_options(call, options);
    return status == PRIM_OK ? prim_ladder_run(ladder, call) : status;
}

prim_status prim_ladder_run(const prim_ladder *ladder, prim_request *call)
{
    const prim_rung *rung = NULL;
    prim_operands operands = {.count = 0};
    size_t needed_bytes = 0;
    prim_status status = resolve(ladder, call, &rung);
    if (status == PRIM_OK)
        status = ladder->check_operands(call, &operands);
    if (status == PRIM_OK)
        status = check_support(ladder, call, rung);
    if (status == PRIM_OK)
        status = check_capture(ladder, call, rung);
    if (status == PRIM_OK)
        status = workspace_of(rung, call, &needed_bytes);
    if (status == PRIM_OK)
        status = check_workspace(call, needed_bytes, &operands);
    if (status == PRIM_OK)
        status = check_memory(call, &operands);
    if (status != PRIM_OK)
        return status;
    return call->answer != NULL ? answer(ladder, call, rung, needed_bytes)
                                : launch(rung, call, needed_bytes);
}

prim_status prim_ladder_check_host(const prim_ladder *ladder, const prim_request *call)
{
    prim_operands operands = {.count = 0};
    const prim_status status = ladder->check_kind(call);
    return status == PRIM_OK ? ladder->check_operands(call, &operands) : status;
}

/* ---- variants ---- */

static const prim_variant auto_variant = {PRIM_VARIANT_AUTO, "auto",
                                          "the fastest rung that supports the call"};

const prim_variant *prim_ladder_variant_at(const prim_ladder *ladder, size_t index)
{
    if (index == 0)
        return &auto_variant;
    index--;
    const prim_rung *const *rungs[] = {ladder->rungs, ladder->others};
    for (int r = 0; r < 2; r++)
        for (const prim_rung *const *rung = rungs[r]; rung != NULL && *rung != NULL; rung++)
            if (index-- == 0)
                return &(*rung)->variant;
    return NULL;
}

const prim_variant *prim_ladder_variant_info(const prim_ladder *ladder, int value)
{
    const prim_rung *rung = find_rung(ladder, value);
    if (rung == NULL)
        rung = find_among(ladder->others, value);
    return value == PRIM_VARIANT_AUTO ? &auto_variant : rung != NULL ? &rung->variant : NULL;
}
