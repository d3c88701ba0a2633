/* The part of the CUDA runtime's C interface that the kit uses, on the CPU. Clean as C11 and C++17.
 *
 * Names, signatures and values are CUDA's, so that one source compiles against either. Every
 * function carries an assembler name that starts with simt_, so that linking this library never
 * shadows a real CUDA runtime in the same program.
 *
 * How it differs from a GPU, where a caller can tell:
 *   - Work runs to its end before the call that submits it returns; streams order nothing more.
 *     With SIMT_STREAMS=deferred it runs when something waits for it, as late as CUDA allows.
 *   - A kernel that cannot go on (threads waiting for each other for ever) is reported on standard
 *     error and fails its launch with the sticky cudaErrorLaunchFailure.
 *   - A capture follows one stream: another one cannot join it through an event.
 *   - Devices, as many as SIMT_DEVICES says, are all alike. Memory, streams and events belong to
 *     the one that was current, and a kernel is refused in another one's stream.
 * See simt/README.md for what is modelled, and for the settings. */
#ifndef SIMT_CUDA_RUNTIME_API_H
#define SIMT_CUDA_RUNTIME_API_H

#include <stddef.h>

#include "library_types.h"

#define CUDART_VERSION 12080
#define SIMT_BACKEND 1

#if defined(__cplusplus)
extern "C" {
#define SIMT_DEFAULT(value) = value
#else
#define SIMT_DEFAULT(value)
#endif

#if defined(SIMT_EXPORT) /* while the shared library is compiled */
#define SIMT_API __attribute__((visibility("default")))
#else
#define SIMT_API
#endif
#define SIMT_SYMBOL(name) __asm__("simt_" #name) SIMT_API

typedef enum cudaError {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorMemoryAllocation = 2,
    cudaErrorInitializationError = 3,
    cudaErrorInvalidPitchValue = 12,
    cudaErrorInvalidMemcpyDirection = 21,
    cudaErrorInsufficientDriver = 35,
    cudaErrorInvalidDeviceFunction = 98,
    cudaErrorNoDevice = 100,
    cudaErrorInvalidDevice = 101,
    cudaErrorNoKernelImageForDevice = 209,
    cudaErrorInvalidResourceHandle = 400,
    cudaErrorNotReady = 600,
    cudaErrorLaunchOutOfResources = 701,
    cudaErrorLaunchFailure = 719,
    cudaErrorNotSupported = 801,
    cudaErrorStreamCaptureUnsupported = 900,
    cudaErrorStreamCaptureInvalidated = 901,
    cudaErrorStreamCaptureUnmatched = 903,
    cudaErrorStreamCaptureImplicit = 906,
    cudaErrorCapturedEvent = 907,
    cudaErrorInvalidClusterSize = 912,
    cudaErrorUnknown = 999
} cudaError_t;

typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;
typedef struct CUgraph_st *cudaGraph_t;
typedef struct CUgraphNode_st *cudaGraphNode_t;
typedef struct CUgraphExec_st *cudaGraphExec_t;

enum { cudaMemAttachGlobal = 1, cudaMemAttachHost = 2 };
#define cudaHostAllocDefault 0x00
#define cudaHostAllocPortable 0x01
#define cudaHostAllocMapped 0x02
#define cudaHostAllocWriteCombined 0x04
#define cudaInvalidDeviceId (-2)

enum cudaMemoryType {
    cudaMemoryTypeUnregistered = 0,
    cudaMemoryTypeHost = 1,
    cudaMemoryTypeDevice = 2,
    cudaMemoryTypeManaged = 3
};

struct cudaPointerAttributes {
    enum cudaMemoryType type;
    int device;
    void *devicePointer;
    void *hostPointer;
};

enum cudaMemcpyKind {
    cudaMemcpyHostToHost = 0,
    cudaMemcpyHostToDevice = 1,
    cudaMemcpyDeviceToHost = 2,
    cudaMemcpyDeviceToDevice = 3,
    cudaMemcpyDefault = 4
};

enum cudaDeviceAttr {
    cudaDevAttrMaxThreadsPerBlock = 1,
    cudaDevAttrMaxGridDimX = 5,
    cudaDevAttrMaxSharedMemoryPerBlock = 8,
    cudaDevAttrWarpSize = 10,
    cudaDevAttrClockRate = 13, /* 0: there is no one clock */
    cudaDevAttrMultiProcessorCount = 16,
    cudaDevAttrL2CacheSize = 38,
    cudaDevAttrComputeCapabilityMajor = 75,
    cudaDevAttrComputeCapabilityMinor = 76,
    cudaDevAttrMaxSharedMemoryPerBlockOptin = 97,
    cudaDevAttrMemoryPoolsSupported = 115,
    cudaDevAttrClusterLaunch = 120
};

enum cudaStreamCaptureMode {
    cudaStreamCaptureModeGlobal = 0,
    cudaStreamCaptureModeThreadLocal = 1,
    cudaStreamCaptureModeRelaxed = 2
};

typedef struct CUmemPoolHandle_st *cudaMemPool_t;

enum cudaMemPoolAttr {
    cudaMemPoolReuseFollowEventDependencies = 1,
    cudaMemPoolReuseAllowOpportunistic = 2,
    cudaMemPoolReuseAllowInternalDependencies = 3,
    cudaMemPoolAttrReleaseThreshold = 4
};

enum cudaMemAllocationType { cudaMemAllocationTypeInvalid = 0, cudaMemAllocationTypePinned = 1 };
enum cudaMemAllocationHandleType { cudaMemHandleTypeNone = 0 };
enum cudaMemLocationType { cudaMemLocationTypeInvalid = 0, cudaMemLocationTypeDevice = 1 };

struct cudaMemLocation {
    enum cudaMemLocationType type;
    int id;
};

struct cudaMemPoolProps {
    enum cudaMemAllocationType allocType;
    enum cudaMemAllocationHandleType handleTypes;
    struct cudaMemLocation location;
};

enum cudaStreamCaptureStatus {
    cudaStreamCaptureStatusNone = 0,
    cudaStreamCaptureStatusActive = 1,
    cudaStreamCaptureStatusInvalidated = 2
};

enum cudaGraphNodeType {
    cudaGraphNodeTypeKernel = 0,
    cudaGraphNodeTypeMemcpy = 1,
    cudaGraphNodeTypeMemset = 2,
    cudaGraphNodeTypeHost = 3,
    cudaGraphNodeTypeGraph = 4,
    cudaGraphNodeTypeWaitEvent = 6,
    cudaGraphNodeTypeEventRecord = 7,
    cudaGraphNodeTypeMemAlloc = 10,
    cudaGraphNodeTypeMemFree = 11
};

#define cudaStreamNonBlocking 0x01
#define cudaEventDisableTiming 0x02

typedef struct uint3 {
    unsigned x, y, z;
} uint3;

typedef struct dim3 {
    unsigned x, y, z;
#if defined(__cplusplus)
    __attribute__((always_inline)) constexpr dim3(unsigned nx = 1, unsigned ny = 1, unsigned nz = 1)
        : x(nx), y(ny), z(nz)
    {
    }
#endif
} dim3;

/* Those that are modelled. Both need a device of 9.0; a launch that may be early follows as all do.
 */
typedef enum cudaLaunchAttributeID {
    cudaLaunchAttributeIgnore = 0,
    cudaLaunchAttributeClusterDimension = 4,
    cudaLaunchAttributeProgrammaticStreamSerialization = 6
} cudaLaunchAttributeID;

typedef union cudaLaunchAttributeValue {
    char pad[64];
    struct {
        unsigned x, y, z;
    } clusterDim;
    int programmaticStreamSerializationAllowed;
} cudaLaunchAttributeValue;

typedef struct cudaLaunchAttribute {
    cudaLaunchAttributeID id;
    char pad[8 - sizeof(cudaLaunchAttributeID)];
    cudaLaunchAttributeValue val;
} cudaLaunchAttribute;

typedef struct cudaLaunchConfig_t {
    dim3 gridDim;
    dim3 blockDim;
    size_t dynamicSmemBytes;
    cudaStream_t stream;
    cudaLaunchAttribute *attrs;
    unsigned numAttrs;
} cudaLaunchConfig_t;

enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize = 8 };

struct cudaFuncAttributes {
    size_t sharedSizeBytes;
    int maxThreadsPerBlock;
    int maxDynamicSharedSizeBytes;
    int numRegs;
    int ptxVersion;
};

struct cudaDeviceProp {
    char name[256];
    size_t totalGlobalMem;
    size_t sharedMemPerBlock;
    int major, minor;
    int multiProcessorCount;
    int l2CacheSize;
};

/* errors */
cudaError_t cudaGetLastError(void) SIMT_SYMBOL(cudaGetLastError);
cudaError_t cudaPeekAtLastError(void) SIMT_SYMBOL(cudaPeekAtLastError);
const char *cudaGetErrorName(cudaError_t error) SIMT_SYMBOL(cudaGetErrorName);
const char *cudaGetErrorString(cudaError_t error) SIMT_SYMBOL(cudaGetErrorString);

/* device */
cudaError_t cudaGetDeviceCount(int *count) SIMT_SYMBOL(cudaGetDeviceCount);
cudaError_t cudaGetDevice(int *device) SIMT_SYMBOL(cudaGetDevice);
cudaError_t cudaSetDevice(int device) SIMT_SYMBOL(cudaSetDevice);
cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
    SIMT_SYMBOL(cudaDeviceGetAttribute);
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device)
    SIMT_SYMBOL(cudaGetDeviceProperties);
cudaError_t cudaDeviceSynchronize(void) SIMT_SYMBOL(cudaDeviceSynchronize);
cudaError_t cudaDeviceReset(void) SIMT_SYMBOL(cudaDeviceReset);
cudaError_t cudaDriverGetVersion(int *version) SIMT_SYMBOL(cudaDriverGetVersion);
cudaError_t cudaRuntimeGetVersion(int *version) SIMT_SYMBOL(cudaRuntimeGetVersion);
cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes) SIMT_SYMBOL(cudaMemGetInfo);

/* kernels: on this backend every kernel has code, and one limit of its own */
cudaError_t cudaFuncSetAttribute(const void *kernel, enum cudaFuncAttribute attribute, int value)
    SIMT_SYMBOL(cudaFuncSetAttribute);
cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *kernel)
    SIMT_SYMBOL(cudaFuncGetAttributes);

/* memory */
cudaError_t cudaMalloc(void **pointer, size_t bytes) SIMT_SYMBOL(cudaMalloc);
cudaError_t cudaFree(void *pointer) SIMT_SYMBOL(cudaFree);
cudaError_t cudaMallocManaged(void **pointer, size_t bytes,
                              unsigned flags SIMT_DEFAULT(cudaMemAttachGlobal))
    SIMT_SYMBOL(cudaMallocManaged);
cudaError_t cudaMallocHost(void **pointer, size_t bytes) SIMT_SYMBOL(cudaMallocHost);
cudaError_t cudaHostAlloc(void **pointer, size_t bytes, unsigned flags) SIMT_SYMBOL(cudaHostAlloc);
cudaError_t cudaFreeHost(void *pointer) SIMT_SYMBOL(cudaFreeHost);
cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height)
    SIMT_SYMBOL(cudaMallocPitch);
cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *pointer)
    SIMT_SYMBOL(cudaPointerGetAttributes);
cudaError_t cudaMallocAsync(void **pointer, size_t bytes, cudaStream_t stream)
    SIMT_SYMBOL(cudaMallocAsync);
cudaError_t cudaMallocFromPoolAsync(void **pointer, size_t bytes, cudaMemPool_t pool,
                                    cudaStream_t stream) SIMT_SYMBOL(cudaMallocFromPoolAsync);
cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *properties)
    SIMT_SYMBOL(cudaMemPoolCreate);
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) SIMT_SYMBOL(cudaMemPoolDestroy);
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value)
    SIMT_SYMBOL(cudaMemPoolSetAttribute);
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t bytes) SIMT_SYMBOL(cudaMemPoolTrimTo);
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device)
    SIMT_SYMBOL(cudaDeviceGetDefaultMemPool);
cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream) SIMT_SYMBOL(cudaFreeAsync);
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
    SIMT_SYMBOL(cudaMemcpy);
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream SIMT_DEFAULT(0)) SIMT_SYMBOL(cudaMemcpyAsync);
cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                         size_t width, size_t height, enum cudaMemcpyKind kind)
    SIMT_SYMBOL(cudaMemcpy2D);
cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                              size_t width, size_t height, enum cudaMemcpyKind kind,
                              cudaStream_t stream SIMT_DEFAULT(0)) SIMT_SYMBOL(cudaMemcpy2DAsync);
cudaError_t cudaMemset(void *to, int byte, size_t bytes) SIMT_SYMBOL(cudaMemset);
cudaError_t cudaMemsetAsync(void *to, int byte, size_t bytes, cudaStream_t stream SIMT_DEFAULT(0))
    SIMT_SYMBOL(cudaMemsetAsync);

/* streams and events */
cudaError_t cudaStreamCreate(cudaStream_t *stream) SIMT_SYMBOL(cudaStreamCreate);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
    SIMT_SYMBOL(cudaStreamCreateWithFlags);
cudaError_t cudaStreamDestroy(cudaStream_t stream) SIMT_SYMBOL(cudaStreamDestroy);
cudaError_t cudaStreamSynchronize(cudaStream_t stream) SIMT_SYMBOL(cudaStreamSynchronize);
cudaError_t cudaStreamQuery(cudaStream_t stream) SIMT_SYMBOL(cudaStreamQuery);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event,
                                unsigned flags SIMT_DEFAULT(0)) SIMT_SYMBOL(cudaStreamWaitEvent);
cudaError_t cudaEventCreate(cudaEvent_t *event) SIMT_SYMBOL(cudaEventCreate);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
    SIMT_SYMBOL(cudaEventCreateWithFlags);
cudaError_t cudaEventDestroy(cudaEvent_t event) SIMT_SYMBOL(cudaEventDestroy);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream SIMT_DEFAULT(0))
    SIMT_SYMBOL(cudaEventRecord);
cudaError_t cudaEventSynchronize(cudaEvent_t event) SIMT_SYMBOL(cudaEventSynchronize);
cudaError_t cudaEventQuery(cudaEvent_t event) SIMT_SYMBOL(cudaEventQuery);
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end)
    SIMT_SYMBOL(cudaEventElapsedTime);

/* capture and graphs */
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
    SIMT_SYMBOL(cudaStreamBeginCapture);
cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode)
    SIMT_SYMBOL(cudaThreadExchangeStreamCaptureMode);
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
    SIMT_SYMBOL(cudaStreamEndCapture);
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status)
    SIMT_SYMBOL(cudaStreamIsCapturing);
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
    SIMT_SYMBOL(cudaGraphGetNodes);
cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *type)
    SIMT_SYMBOL(cudaGraphNodeGetType);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
                                 unsigned long long flags SIMT_DEFAULT(0))
    SIMT_SYMBOL(cudaGraphInstantiate);
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) SIMT_SYMBOL(cudaGraphLaunch);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) SIMT_SYMBOL(cudaGraphExecDestroy);
cudaError_t cudaGraphDestroy(cudaGraph_t graph) SIMT_SYMBOL(cudaGraphDestroy);

#if defined(__cplusplus)
}
#endif

#endif
