/* NCCL's calls: what their arguments must be, and groups of them. ranks.c has communicators and
 * waits, meetings.c what ranks do together. */
#include "nccl.h"

#include <stdio.h>
#include <stdlib.h>

#include "hub.h"
#include "queue.h"

/* A test wants this call to fail; otherwise the result, which is evaluated only then. */
#define NCCL_CALL(result) (simt_is_to_fail(__func__) ? ncclUnhandledCudaError : (result))

/* ---- groups: what a host thread has called since ncclGroupStart() ---- */

typedef struct group {
    int depth;
    ncclResult_t error; /* the first, and then nothing of the group is done */
    simt_part **parts;
    size_t count, capacity;
    ncclComm_t joined[SIMT_MAX_RANKS];
    int joined_count;
} group;

static _Thread_local group current;

static void clear_group(void)
{
    for (size_t i = 0; i < current.count; i++)
        free(current.parts[i]);
    free(current.parts);
    current = (group){.depth = 0};
}

static ncclResult_t close_group(void)
{
    ncclResult_t result = current.error;
    for (int i = 0; i < current.joined_count && result == ncclSuccess; i++)
        result = simt_ranks_await(current.joined[i]);
    if (result == ncclSuccess)
        result = simt_get_settings()->streams_deferred
                     ? simt_bundles_submit(current.parts, current.count)
                     : simt_ranks_meet(current.parts, current.count);
    clear_group();
    return result;
}

static ncclResult_t start_group(void)
{
    current.depth++;
    return ncclSuccess;
}

/* Every call in a group begins one and ends it, so that a single call is a group of its own. */
static ncclResult_t end_group(void)
{
    if (current.depth == 0)
        return ncclInvalidUsage;
    return --current.depth > 0 ? ncclSuccess : close_group();
}

static ncclResult_t fail_in_group(ncclResult_t result)
{
    if (current.depth > 0 && current.error == ncclSuccess)
        current.error = result;
    return result;
}

static bool has_room(void)
{
    if (current.count < current.capacity)
        return true;
    const size_t capacity = 2 * current.capacity + 8;
    simt_part **larger = realloc(current.parts, capacity * sizeof *larger);
    if (larger == NULL)
        return false;
    current.parts = larger;
    current.capacity = capacity;
    return true;
}

static ncclResult_t add_to_group(const simt_part *part)
{
    simt_part *const kept = has_room() ? malloc(sizeof *kept) : NULL;
    if (kept == NULL)
        return ncclSystemError;
    *kept = *part;
    current.parts[current.count++] = kept;
    return ncclSuccess;
}

ncclResult_t ncclGroupStart(void)
{
    return NCCL_CALL(start_group());
}

ncclResult_t ncclGroupEnd(void)
{
    if (simt_is_to_fail(__func__))
        fail_in_group(ncclUnhandledCudaError);
    return end_group();
}

/* ---- what the arguments must be ---- */

static size_t bytes_of(ncclDataType_t type)
{
    static const unsigned char bytes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2};
    return (unsigned)type < sizeof bytes ? bytes[type] : 0;
}

/* The device of the rank reaches that many bytes. */
static bool reaches(const struct ncclComm *comm, const void *pointer, size_t bytes)
{
    if (bytes == 0)
        return true;
    const simt_place place = simt_find(pointer);
    const bool own = place.device == comm->device || place.space == SIMT_MANAGED_MEMORY ||
                     place.space == SIMT_PINNED_MEMORY;
    if (own && bytes <= place.bytes_left)
        return true;
    fprintf(stderr, "simt: rank %d has %zu bytes at %p, of device %d, and needs %zu on device %d\n",
            comm->rank, place.bytes_left, pointer, place.device, bytes, comm->device);
    return false;
}

static ncclResult_t check_stream(const struct ncclComm *comm, cudaStream_t stream)
{
    bool capturing;
    if (simt_sticky() != cudaSuccess || simt_stream_state(stream, &capturing) != cudaSuccess)
        return ncclUnhandledCudaError;
    if (stream != NULL && simt_stream_device(stream) != comm->device)
        return ncclUnhandledCudaError;
    if (!capturing)
        return ncclSuccess;
    fprintf(stderr, "simt: NCCL's calls cannot be captured on the CPU backend\n");
    return ncclInvalidUsage;
}

static ncclResult_t check(const simt_part *part, cudaStream_t stream)
{
    if (part->comm == NULL || part->element_bytes == 0)
        return ncclInvalidArgument;
    const size_t ranks = (size_t)part->comm->all->count;
    if ((unsigned)part->op > ncclMin || part->peer < 0 || (size_t)part->peer >= ranks ||
        part->count > SIZE_MAX / part->element_bytes / ranks)
        return ncclInvalidArgument;
    if (!reaches(part->comm, part->from, simt_part_reads(part)) ||
        !reaches(part->comm, part->to, simt_part_writes(part)))
        return ncclInvalidArgument;
    return check_stream(part->comm, stream);
}

static ncclResult_t add(simt_part part, cudaStream_t stream)
{
    part.stream = stream;
    part.element_bytes = bytes_of(part.type);
    const ncclResult_t result = check(&part, stream);
    if (result != ncclSuccess)
        return result;
    simt_count_submission(stream);
    return add_to_group(&part);
}

/* One call of a rank, which waits for the others unless it stands in a group or streams are
 * deferred. */
static ncclResult_t call(bool fails, simt_part part, cudaStream_t stream)
{
    start_group();
    const ncclResult_t result = fails ? ncclUnhandledCudaError : add(part, stream);
    fail_in_group(result);
    const ncclResult_t ended = end_group();
    return result != ncclSuccess ? result : ended;
}

ncclResult_t ncclAllGather(const void *from, void *to, size_t count, ncclDataType_t type,
                           ncclComm_t comm, cudaStream_t stream)
{
    const simt_part part = {.kind = SIMT_ALL_GATHER,
                            .comm = comm,
                            .from = from,
                            .to = to,
                            .count = count,
                            .type = type};
    return call(simt_is_to_fail(__func__), part, stream);
}

ncclResult_t ncclAllReduce(const void *from, void *to, size_t count, ncclDataType_t type,
                           ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream)
{
    const simt_part part = {.kind = SIMT_ALL_REDUCE,
                            .comm = comm,
                            .from = from,
                            .to = to,
                            .count = count,
                            .type = type,
                            .op = op};
    return call(simt_is_to_fail(__func__), part, stream);
}

ncclResult_t ncclBroadcast(const void *from, void *to, size_t count, ncclDataType_t type, int root,
                           ncclComm_t comm, cudaStream_t stream)
{
    const simt_part part = {.kind = SIMT_BROADCAST,
                            .comm = comm,
                            .from = from,
                            .to = to,
                            .count = count,
                            .type = type,
                            .peer = root};
    return call(simt_is_to_fail(__func__), part, stream);
}

ncclResult_t ncclSend(const void *from, size_t count, ncclDataType_t type, int peer,
                      ncclComm_t comm, cudaStream_t stream)
{
    const simt_part part = {
        .kind = SIMT_SEND, .comm = comm, .from = from, .count = count, .type = type, .peer = peer};
    return call(simt_is_to_fail(__func__), part, stream);
}

ncclResult_t ncclRecv(void *to, size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                      cudaStream_t stream)
{
    const simt_part part = {
        .kind = SIMT_RECEIVE, .comm = comm, .to = to, .count = count, .type = type, .peer = peer};
    return call(simt_is_to_fail(__func__), part, stream);
}

/* ---- communicators ---- */

enum { NAME_ROOM = 64 };

/* Its ranks meet in the process that has the name; "": only this process knows it. */
static ncclResult_t make_id(ncclUniqueId *id, const char *name)
{
    static _Atomic unsigned made;
    if (id == NULL)
        return ncclInvalidArgument;
    if (name == NULL)
        return ncclSystemError;
    *id = (ncclUniqueId){{0}};
    snprintf(id->internal, sizeof id->internal, "simt %u %s", atomic_fetch_add(&made, 1) + 1, name);
    return ncclSuccess;
}

/* true: they meet in another process, of this name. */
static bool is_elsewhere(const ncclUniqueId *id, char name[static NAME_ROOM])
{
    return sscanf(id->internal, "simt %*u %63s", name) == 1 && !simt_hub_is_here(name);
}

static ncclResult_t join(ncclComm_t *comm, int ranks, const ncclUniqueId *id, int rank, int device)
{
    if (comm == NULL || ranks < 1 || ranks > SIMT_MAX_RANKS || rank < 0 || rank >= ranks ||
        device < 0 || device >= simt_get_settings()->devices)
        return ncclInvalidArgument;
    if (current.joined_count == SIMT_MAX_RANKS)
        return ncclInvalidUsage;
    char name[NAME_ROOM];
    const ncclResult_t result = is_elsewhere(id, name)
                                    ? simt_remote_join(name, id, ranks, rank, device, comm)
                                    : simt_ranks_join(id, ranks, rank, device, comm);
    if (result == ncclSuccess)
        current.joined[current.joined_count++] = *comm;
    return result;
}

static ncclResult_t init_rank(ncclComm_t *comm, int ranks, const ncclUniqueId *id, int rank)
{
    start_group();
    const ncclResult_t result = join(comm, ranks, id, rank, simt_current_device());
    fail_in_group(result);
    const ncclResult_t ended = end_group();
    return result != ncclSuccess ? result : ended;
}

static ncclResult_t init_all(ncclComm_t *comms, int count, const int *devices)
{
    ncclUniqueId id;
    int joined = 0;
    ncclResult_t result = comms != NULL ? make_id(&id, "") : ncclInvalidArgument;
    start_group();
    for (; joined < count && result == ncclSuccess; joined++)
        result =
            join(&comms[joined], count, &id, joined, devices != NULL ? devices[joined] : joined);
    fail_in_group(result);
    end_group();
    for (int r = 0; r < joined - 1 && result != ncclSuccess; r++)
        simt_ranks_leave(comms[r], false);
    return result;
}

/* Who does not abort waits for the rank's work. */
static ncclResult_t leave(ncclComm_t comm, bool aborts)
{
    if (comm == NULL)
        return ncclInvalidArgument;
    if (!aborts)
        simt_queue_finish_device(comm->device);
    simt_ranks_leave(comm, aborts);
    simt_queue_look_again();
    return ncclSuccess;
}

static ncclResult_t tell(const struct ncclComm *comm, int *answer, int value)
{
    if (comm == NULL || answer == NULL)
        return ncclInvalidArgument;
    *answer = value;
    return ncclSuccess;
}

ncclResult_t ncclGetUniqueId(ncclUniqueId *id)
{
    return NCCL_CALL(make_id(id, simt_hub_name()));
}

ncclResult_t ncclCommInitRank(ncclComm_t *comm, int ranks, ncclUniqueId id, int rank)
{
    return NCCL_CALL(init_rank(comm, ranks, &id, rank));
}

ncclResult_t ncclCommInitAll(ncclComm_t *comms, int count, const int *devices)
{
    return NCCL_CALL(init_all(comms, count, devices));
}

ncclResult_t ncclCommDestroy(ncclComm_t comm)
{
    const ncclResult_t result = leave(comm, false);
    return NCCL_CALL(result);
}

ncclResult_t ncclCommAbort(ncclComm_t comm)
{
    const ncclResult_t result = leave(comm, true);
    return NCCL_CALL(result);
}

ncclResult_t ncclCommCount(const ncclComm_t comm, int *count)
{
    return NCCL_CALL(tell(comm, count, comm != NULL ? comm->all->count : 0));
}

ncclResult_t ncclCommUserRank(const ncclComm_t comm, int *rank)
{
    return NCCL_CALL(tell(comm, rank, comm != NULL ? comm->rank : 0));
}

ncclResult_t ncclCommCuDevice(const ncclComm_t comm, int *device)
{
    return NCCL_CALL(tell(comm, device, comm != NULL ? comm->device : 0));
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t *error)
{
    if (comm == NULL || error == NULL)
        return ncclInvalidArgument;
    *error = simt_ranks_error(comm);
    return NCCL_CALL(ncclSuccess);
}

/* ---- the library ---- */

ncclResult_t ncclGetVersion(int *version)
{
    if (version == NULL)
        return ncclInvalidArgument;
    *version = NCCL_VERSION_CODE;
    return NCCL_CALL(ncclSuccess);
}

const char *ncclGetErrorString(ncclResult_t result)
{
    static const char *const texts[] = {"no error",
                                        "unhandled cuda error",
                                        "unhandled system error",
                                        "internal error",
                                        "invalid argument",
                                        "invalid usage",
                                        "remote process exited or there was a network error",
                                        "NCCL operation in progress"};
    return (unsigned)result < sizeof texts / sizeof *texts ? texts[result] : "unknown result code";
}
