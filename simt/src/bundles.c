/* NCCL's calls in deferred streams: what a group has for one rank in one stream is one piece of
 * work, as it is one kernel on a GPU. It holds its stream up until the other ranks have come. */
#include <stdlib.h>

#include "queue.h"
#include "ranks.h"

typedef struct bundle {
    ncclComm_t comm;
    size_t count;
    simt_part *parts[];
} bundle;

static void arrive(void *with)
{
    const bundle *b = with;
    simt_ranks_bring(b->parts, b->count);
}

static bool is_over(void *with)
{
    const bundle *b = with;
    return simt_ranks_have_met(b->parts, b->count);
}

static void give_up(void *with)
{
    const bundle *b = with;
    simt_ranks_give_up(b->parts, b->count);
    simt_set_sticky(cudaErrorLaunchFailure);
}

/* Where a rank has left, work ends without an error, and its communicator tells. */
static void discard(void *with)
{
    bundle *const b = with;
    simt_ranks_withdraw(b->parts, b->count);
    for (size_t i = 0; i < b->count; i++) {
        const ncclResult_t result = b->parts[i]->result;
        if (result != ncclSuccess && result != ncclRemoteError)
            simt_set_sticky(cudaErrorLaunchFailure);
        free(b->parts[i]);
    }
    simt_ranks_let_go(b->comm);
    free(b);
}

static bool belongs(const simt_part *part, const simt_part *first)
{
    return part != NULL && part->comm == first->comm && part->stream == first->stream;
}

/* Those of the first one's rank and stream, which it takes out of the list. */
static bundle *collect(simt_part **parts, size_t count)
{
    bundle *const b = malloc(sizeof *b + count * sizeof *parts);
    const simt_part *const first = parts[0];
    if (b == NULL)
        return NULL;
    *b = (bundle){.comm = first->comm};
    for (size_t i = 0; i < count; i++)
        if (belongs(parts[i], first)) {
            b->parts[b->count++] = parts[i];
            parts[i] = NULL;
        }
    simt_ranks_hold(b->comm);
    return b;
}

static ncclResult_t submit(bundle *b)
{
    const simt_part *const part = b->parts[0];
    const simt_work work = {.type = cudaGraphNodeTypeHost,
                            .as.meeting = {arrive, is_over, give_up, discard, b}};
    simt_queue *const queue = part->stream != NULL ? simt_stream_queue(part->stream)
                                                   : simt_queue_default(b->comm->device);
    if (simt_queue_add(queue, &work) == cudaSuccess)
        return ncclSuccess;
    discard(b);
    return ncclSystemError;
}

ncclResult_t simt_bundles_submit(simt_part **parts, size_t count)
{
    ncclResult_t result = ncclSuccess;
    for (size_t i = 0; i < count && result == ncclSuccess; i++) {
        if (parts[i] == NULL)
            continue;
        bundle *const b = collect(parts + i, count - i);
        result = b != NULL ? submit(b) : ncclSystemError;
    }
    return result;
}
