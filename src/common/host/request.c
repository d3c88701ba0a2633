#include "common/host/request.h"

#include "common/host/fail.h"

prim_status prim_request_options(prim_request *request, const prim_call *options)
{
    if (options == NULL)
        return PRIM_OK;
    if (options->answer != NULL)
        *options->answer = (prim_answer){0};
    for (size_t i = 0; i < sizeof options->reserved / sizeof *options->reserved; i++)
        if (options->reserved[i] != 0)
            return prim_fail(PRIM_ERROR_VALUE, "%s: call->reserved[%zu] is %zu, not 0",
                             request->name, i, options->reserved[i]);
    request->workspace = options->d_workspace;
    request->workspace_bytes = options->workspace_bytes;
    request->stream = options->stream;
    request->answer = options->answer;
    return PRIM_OK;
}
