#include "common/host/device.h"

#include <atomic>

#include <cuda_runtime.h>
#ifdef SIMT_BACKEND
#include <simt.h>
#else
#include <cuda.h> /* names alone: nothing links to the driver */
#endif

namespace
{

/* What code for sm_90a has that other code of 9.0 has not is no attribute of a kernel; the number
 * of threads that it may be launched with is one. */
#ifndef SIMT_BACKEND
constexpr int THREADS_OF_90A = 512;
#endif
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
__global__ void __launch_bounds__(THREADS_OF_90A) any_kernel()
#else
__global__ void any_kernel()
#endif
{
}

thread_local cudaError_t not_read = cudaSuccess;

/* Keeps an unexpected error for prim_device_take_error(). */
bool was_read(cudaError_t error)
{
    const bool is_answer = error == cudaSuccess || error == cudaErrorNoDevice ||
                           error == cudaErrorInsufficientDriver ||
                           error == cudaErrorNoKernelImageForDevice ||
                           error == cudaErrorInvalidDeviceFunction;
    if (!is_answer)
        not_read = error;
    return error == cudaSuccess;
}

/* A number that never changes about a device: asked for once, since calls ask often. */
class device_fact
{
    static constexpr int MOST_DEVICES = 64;
    std::atomic<int> known[MOST_DEVICES] = {}; /* the number + 1 */

  public:
    /* `least` where there is no device, which a launch will report. */
    template <typename Ask>
    int of_current_device(Ask ask, int least)
    {
        int device = 0, value = 0;
        if (!was_read(cudaGetDevice(&device)))
            return least;
        const bool is_kept = device < MOST_DEVICES;
        if (is_kept && (value = known[device].load(std::memory_order_relaxed)) > 0)
            return value - 1;
        if (!was_read(ask(&value, device)))
            return least;
        value = value > least ? value : least;
        if (is_kept)
            known[device].store(value + 1, std::memory_order_relaxed);
        return value;
    }
};

template <cudaDeviceAttr Which>
int attribute(int least)
{
    static device_fact fact;
    return fact.of_current_device(
        [](int *value, int device) { return cudaDeviceGetAttribute(value, Which, device); }, least);
}

cudaError_t ask_for_code(int *value, int)
{
    cudaFuncAttributes attributes;
    const cudaError_t error = cudaFuncGetAttributes(&attributes, any_kernel);
    *value = error == cudaSuccess ? attributes.ptxVersion : 0;
    return error;
}

#ifndef SIMT_BACKEND
cudaError_t ask_for_90a(int *value, int)
{
    cudaFuncAttributes attributes;
    const cudaError_t error = cudaFuncGetAttributes(&attributes, any_kernel);
    *value = error == cudaSuccess && attributes.maxThreadsPerBlock == THREADS_OF_90A;
    return error;
}
#endif

} // namespace

cudaError_t prim_device_take_error(void)
{
    const cudaError_t error = not_read;
    not_read = cudaSuccess;
    return error;
}

bool prim_device_has_code(void)
{
    return prim_device_code() > 0;
}

int prim_device_code(void)
{
    static device_fact fact;
    return fact.of_current_device(ask_for_code, 0);
}

int prim_device_capability(void)
{
    return 10 * attribute<cudaDevAttrComputeCapabilityMajor>(0) +
           attribute<cudaDevAttrComputeCapabilityMinor>(0);
}

unsigned prim_device_multiprocessors(void)
{
    return static_cast<unsigned>(attribute<cudaDevAttrMultiProcessorCount>(1));
}

size_t prim_device_shared_bytes(void)
{
    return static_cast<size_t>(attribute<cudaDevAttrMaxSharedMemoryPerBlockOptin>(48 * 1024));
}

namespace
{

#ifdef SIMT_BACKEND
cudaError_t set_shared(const void *kernel, size_t bytes)
{
    return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                static_cast<int>(bytes));
}
#else
/* By the driver: cudaFuncSetAttribute() takes away an older error that the caller has not seen yet,
 * measured with CUDA 13.0. */
cudaError_t set_shared(const void *kernel, size_t bytes)
{
    void *set_attribute = nullptr;
    cudaFunction_t function = nullptr;
    cudaDriverEntryPointQueryResult found;
    cudaError_t error = cudaGetDriverEntryPointByVersion("cuFuncSetAttribute", &set_attribute,
                                                         12000, cudaEnableDefault, &found);
    if (error == cudaSuccess && found != cudaDriverEntryPointSuccess)
        error = cudaErrorNotSupported;
    if (error == cudaSuccess)
        error = cudaGetFuncBySymbol(&function, kernel);
    if (error != cudaSuccess)
        return error;
    const CUresult result = reinterpret_cast<decltype(&cuFuncSetAttribute)>(set_attribute)(
        function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, static_cast<int>(bytes));
    return result == CUDA_SUCCESS ? cudaSuccess : cudaErrorInvalidValue;
}
#endif

/* What this thread has set: the same once more, in the same context, needs no driver. */
struct allowance {
    const void *kernel;
    uint64_t context;
    size_t bytes;
};

allowance &kept_allowance(const void *kernel)
{
    constexpr size_t KEPT = 64;
    static thread_local allowance kept[KEPT];
    return kept[reinterpret_cast<uintptr_t>(kernel) / 16 % KEPT];
}

} // namespace

cudaError_t prim_device_allow_shared(const void *kernel, size_t bytes)
{
    const allowance wanted = {kernel, prim_device_context(), bytes};
    allowance &kept = kept_allowance(kernel);
    if (wanted.context != 0 && kept.kernel == kernel && kept.context == wanted.context &&
        kept.bytes == bytes)
        return cudaSuccess;
    const cudaError_t error = set_shared(kernel, bytes);
    if (error == cudaSuccess)
        kept = wanted;
    return error;
}

#if defined(SIMT_BACKEND)
uint64_t prim_device_context(void)
{
    return simt_context();
}
#else
/* By the driver, since the runtime has no name for a context. */
uint64_t prim_device_context(void)
{
    using get_id = decltype(&cuCtxGetId);
    static std::atomic<get_id> known{nullptr};
    get_id ask = known.load(std::memory_order_relaxed);
    if (ask == nullptr) {
        void *found = nullptr;
        cudaDriverEntryPointQueryResult result;
        if (cudaGetDriverEntryPointByVersion("cuCtxGetId", &found, 12000, cudaEnableDefault,
                                             &result) != cudaSuccess ||
            result != cudaDriverEntryPointSuccess)
            return 0;
        ask = reinterpret_cast<get_id>(found);
        known.store(ask, std::memory_order_relaxed);
    }
    unsigned long long id = 0;
    return ask(nullptr, &id) == CUDA_SUCCESS ? id : 0;
}
#endif

#if defined(SIMT_BACKEND)
bool prim_device_reaches(const void *pointer, size_t bytes, size_t *there)
{
    return simt_device_reaches(pointer, bytes, there);
}
#elif defined(PRIM_CHECK_POINTERS)
namespace
{

/* *bytes = those from the pointer to the end of its allocation, 0 where the driver knows none.
 * false: the driver could not be asked. */
bool bytes_left(const void *pointer, size_t *bytes)
{
    void *get_attributes = nullptr;
    cudaDriverEntryPointQueryResult found;
    if (cudaGetDriverEntryPointByVersion("cuPointerGetAttributes", &get_attributes, 12000,
                                         cudaEnableDefault, &found) != cudaSuccess ||
        found != cudaDriverEntryPointSuccess)
        return false;
    CUdeviceptr first = 0;
    size_t size = 0;
    CUpointer_attribute which[] = {CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
                                   CU_POINTER_ATTRIBUTE_RANGE_SIZE};
    void *values[] = {&first, &size};
    const auto asked = reinterpret_cast<CUdeviceptr>(pointer);
    if (reinterpret_cast<decltype(&cuPointerGetAttributes)>(get_attributes)(2, which, values,
                                                                            asked) != CUDA_SUCCESS)
        return false;
    *bytes = first <= asked && asked - first < size ? size - (asked - first) : 0;
    return true;
}

} // namespace

bool prim_device_reaches(const void *pointer, size_t bytes, size_t *there)
{
    *there = 0;
    if (bytes == 0 || !bytes_left(pointer, there) || *there >= bytes)
        return true;
    return *there == 0 && attribute<cudaDevAttrPageableMemoryAccess>(0) != 0;
}
#else
bool prim_device_reaches(const void *, size_t bytes, size_t *there)
{
    *there = bytes;
    return true;
}
#endif

bool prim_device_launches_dependents(void)
{
    return prim_device_code() >= 90;
}

bool prim_device_has_clusters(void)
{
    return prim_device_code() >= 90;
}

#ifdef SIMT_BACKEND
bool prim_device_has_wgmma(void)
{
    return prim_device_code() == 90;
}
#else
bool prim_device_has_wgmma(void)
{
    static device_fact fact;
    return fact.of_current_device(ask_for_90a, 0) == 1;
}
#endif
