/* The part of NCCL's interface that the kit uses, over the devices of the CPU backend, of one
 * process or of several on one host. Clean as C11 and C++17.
 *
 * Names, signatures and values are NCCL's; every function carries an assembler name that starts
 * with simt_, so that linking this library never shadows a real NCCL in the same program.
 *
 * How it differs, where a caller can tell:
 *   - Work runs to its end before the call that submits it returns: a call, or ncclGroupEnd(),
 *     waits for the other ranks. A rank that never comes is reported after two minutes. With
 *     SIMT_STREAMS=deferred a call only submits, and who waits for its stream waits for the ranks.
 *   - Ranks that disagree about what they do are reported on standard error and fail with
 *     ncclInvalidUsage. A buffer that is too short, or another device's, is ncclInvalidArgument.
 *   - A stream that is capturing is refused with ncclInvalidUsage. */
#ifndef SIMT_NCCL_H
#define SIMT_NCCL_H

#include "cuda_runtime_api.h"

#define NCCL_MAJOR 2
#define NCCL_MINOR 20
#define NCCL_PATCH 5
#define NCCL_VERSION_CODE 22005
#define NCCL_UNIQUE_ID_BYTES 128

#if defined(__cplusplus)
extern "C" {
#endif

typedef struct ncclComm *ncclComm_t;

typedef struct {
    char internal[NCCL_UNIQUE_ID_BYTES];
} ncclUniqueId;

typedef enum {
    ncclSuccess = 0,
    ncclUnhandledCudaError = 1,
    ncclSystemError = 2,
    ncclInternalError = 3,
    ncclInvalidArgument = 4,
    ncclInvalidUsage = 5,
    ncclRemoteError = 6,
    ncclInProgress = 7
} ncclResult_t;

typedef enum { ncclSum = 0, ncclProd = 1, ncclMax = 2, ncclMin = 3 } ncclRedOp_t;

/* Halves are moved, but not reduced. */
typedef enum {
    ncclInt8 = 0,
    ncclChar = 0,
    ncclUint8 = 1,
    ncclInt32 = 2,
    ncclInt = 2,
    ncclUint32 = 3,
    ncclInt64 = 4,
    ncclUint64 = 5,
    ncclFloat16 = 6,
    ncclHalf = 6,
    ncclFloat32 = 7,
    ncclFloat = 7,
    ncclFloat64 = 8,
    ncclDouble = 8,
    ncclBfloat16 = 9
} ncclDataType_t;

ncclResult_t ncclGetVersion(int *version) SIMT_SYMBOL(ncclGetVersion);
const char *ncclGetErrorString(ncclResult_t result) SIMT_SYMBOL(ncclGetErrorString);

/* communicators */
ncclResult_t ncclGetUniqueId(ncclUniqueId *id) SIMT_SYMBOL(ncclGetUniqueId);
ncclResult_t ncclCommInitRank(ncclComm_t *comm, int ranks, ncclUniqueId id, int rank)
    SIMT_SYMBOL(ncclCommInitRank);
ncclResult_t ncclCommInitAll(ncclComm_t *comms, int count, const int *devices)
    SIMT_SYMBOL(ncclCommInitAll);
ncclResult_t ncclCommDestroy(ncclComm_t comm) SIMT_SYMBOL(ncclCommDestroy);
ncclResult_t ncclCommAbort(ncclComm_t comm) SIMT_SYMBOL(ncclCommAbort);
ncclResult_t ncclCommCount(const ncclComm_t comm, int *count) SIMT_SYMBOL(ncclCommCount);
ncclResult_t ncclCommUserRank(const ncclComm_t comm, int *rank) SIMT_SYMBOL(ncclCommUserRank);
ncclResult_t ncclCommCuDevice(const ncclComm_t comm, int *device) SIMT_SYMBOL(ncclCommCuDevice);
ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t *error)
    SIMT_SYMBOL(ncclCommGetAsyncError);

/* what ranks do together */
ncclResult_t ncclGroupStart(void) SIMT_SYMBOL(ncclGroupStart);
ncclResult_t ncclGroupEnd(void) SIMT_SYMBOL(ncclGroupEnd);
ncclResult_t ncclAllGather(const void *from, void *to, size_t count, ncclDataType_t type,
                           ncclComm_t comm, cudaStream_t stream) SIMT_SYMBOL(ncclAllGather);
ncclResult_t ncclAllReduce(const void *from, void *to, size_t count, ncclDataType_t type,
                           ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream)
    SIMT_SYMBOL(ncclAllReduce);
ncclResult_t ncclBroadcast(const void *from, void *to, size_t count, ncclDataType_t type, int root,
                           ncclComm_t comm, cudaStream_t stream) SIMT_SYMBOL(ncclBroadcast);
ncclResult_t ncclSend(const void *from, size_t count, ncclDataType_t type, int peer,
                      ncclComm_t comm, cudaStream_t stream) SIMT_SYMBOL(ncclSend);
ncclResult_t ncclRecv(void *to, size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                      cudaStream_t stream) SIMT_SYMBOL(ncclRecv);

#if defined(__cplusplus)
}
#endif

#endif
