/* What a kernel sees of CUDA C++, on the CPU: its own index, barriers, warp operations, atomics,
 * and the launch. Include it where a .cu file includes CUDA's header of the same name. */
#ifndef SIMT_CUDA_RUNTIME_H
#define SIMT_CUDA_RUNTIME_H

#include "cuda_runtime_api.h"

#if defined(__cplusplus)

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "simt.h"

#define __global__ __attribute__((noinline))
#define __device__
#define __host__
#define __constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __grid_constant__

#define threadIdx (simt_self->thread_index)
#define blockIdx (simt_self->block_index)
#define blockDim (simt_self->block_size)
#define gridDim (simt_self->grid_size)
#define warpSize 32

/* Everything below has internal linkage: a program may link several copies. */
namespace
{

/* ---- launch ---- */

template <typename... Parameters, std::size_t... I>
void simt_apply(void (*function)(void), void *const *arguments, std::index_sequence<I...>)
{
    reinterpret_cast<void (*)(Parameters...)>(function)(
        *static_cast<Parameters *>(arguments[I])...);
}

template <typename... Parameters>
void simt_invoke(void (*function)(void), void *const *arguments)
{
    simt_apply<Parameters...>(function, arguments, std::index_sequence_for<Parameters...>());
}

template <typename... Parameters>
cudaError_t simt_launch_coerced(const cudaLaunchConfig_t *config, void (*kernel)(Parameters...),
                                Parameters... arguments)
{
    void *pointers[] = {&arguments..., nullptr};
    const size_t bytes[] = {sizeof(Parameters)..., 0};
    simt_kernel call;
    call.function = reinterpret_cast<void (*)(void)>(kernel);
    call.invoke = simt_invoke<Parameters...>;
    call.arguments = pointers;
    call.argument_bytes = bytes;
    call.argument_count = sizeof...(Parameters);
    return simt_launch(config, &call);
}

template <typename... Parameters, typename... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config, void (*kernel)(Parameters...),
                               Arguments &&...arguments)
{
    return simt_launch_coerced<Parameters...>(config, kernel,
                                              std::forward<Arguments>(arguments)...);
}

template <typename... Parameters>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, void (*kernel)(Parameters...))
{
    return ::cudaFuncGetAttributes(attributes, reinterpret_cast<const void *>(kernel));
}

template <typename... Parameters>
cudaError_t cudaFuncSetAttribute(void (*kernel)(Parameters...), cudaFuncAttribute attribute,
                                 int value)
{
    return ::cudaFuncSetAttribute(reinterpret_cast<const void *>(kernel), attribute, value);
}

/* ---- barriers and warp operations; the default arguments name the caller's line ---- */

inline void __syncthreads(const char *file = __builtin_FILE(), int line = __builtin_LINE())
{
    simt_syncthreads(file, line);
}

inline void __syncwarp(unsigned mask = 0xffffffffu, const char *file = __builtin_FILE(),
                       int line = __builtin_LINE())
{
    simt_warp(SIMT_WARP_SYNC, mask, 0, 0, "__syncwarp", file, line);
}

/* However long: every other thread that can go on runs before this one does. */
inline void __nanosleep(unsigned nanoseconds, const char *file = __builtin_FILE(),
                        int line = __builtin_LINE())
{
    (void)nanoseconds;
    simt_sleep(file, line);
}

inline unsigned __ballot_sync(unsigned mask, int predicate, const char *file = __builtin_FILE(),
                              int line = __builtin_LINE())
{
    return static_cast<unsigned>(
        simt_warp(SIMT_WARP_BALLOT, mask, predicate != 0, 0, "__ballot_sync", file, line));
}

template <typename T>
T simt_shuffle(unsigned mask, T value, int source, const char *name, const char *file, int line)
{
    static_assert(sizeof(T) <= 8, "a shuffle moves up to 8 bytes");
    uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    bits = simt_warp(SIMT_WARP_SHUFFLE, mask, bits, source, name, file, line);
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

template <typename T>
T __shfl_sync(unsigned mask, T value, int source, int width = 32,
              const char *file = __builtin_FILE(), int line = __builtin_LINE())
{
    const int first = simt_lane() & ~(width - 1);
    return simt_shuffle(mask, value, first + (source & (width - 1)), "__shfl_sync", file, line);
}

template <typename T>
T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32,
                 const char *file = __builtin_FILE(), int line = __builtin_LINE())
{
    const int lane = simt_lane(), first = lane & ~(width - 1);
    const int source = lane - static_cast<int>(delta);
    return simt_shuffle(mask, value, source < first ? lane : source, "__shfl_up_sync", file, line);
}

template <typename T>
T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32,
                   const char *file = __builtin_FILE(), int line = __builtin_LINE())
{
    const int lane = simt_lane(), last = lane | (width - 1);
    const int source = lane + static_cast<int>(delta);
    return simt_shuffle(mask, value, source > last ? lane : source, "__shfl_down_sync", file, line);
}

template <typename T>
T __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = 32,
                  const char *file = __builtin_FILE(), int line = __builtin_LINE())
{
    const int lane = simt_lane(), source = lane ^ lane_mask;
    const int last = lane | (width - 1);
    return simt_shuffle(mask, value, source > last ? lane : source, "__shfl_xor_sync", file, line);
}

/* ---- atomics: relaxed, as on the GPU; other threads may come before each ---- */

inline int atomicAdd(int *address, int value)
{
    simt_interleave();
    return __atomic_fetch_add(address, value, __ATOMIC_RELAXED);
}

inline unsigned atomicAdd(unsigned *address, unsigned value)
{
    simt_interleave();
    return __atomic_fetch_add(address, value, __ATOMIC_RELAXED);
}

inline unsigned long long atomicAdd(unsigned long long *address, unsigned long long value)
{
    simt_interleave();
    return __atomic_fetch_add(address, value, __ATOMIC_RELAXED);
}

/* The word becomes `value` where that is wanted: tried again as long as others come between. */
template <typename T, typename Wanted>
T simt_exchange_if(T *address, T value, Wanted wanted)
{
    simt_interleave();
    T before = __atomic_load_n(address, __ATOMIC_RELAXED);
    while (wanted(value, before) &&
           !__atomic_compare_exchange_n(address, &before, value, true, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED)) {
    }
    return before;
}

inline unsigned atomicMin(unsigned *address, unsigned value)
{
    return simt_exchange_if(address, value, [](unsigned a, unsigned b) { return a < b; });
}

inline unsigned long long atomicMin(unsigned long long *address, unsigned long long value)
{
    return simt_exchange_if(address, value,
                            [](unsigned long long a, unsigned long long b) { return a < b; });
}

inline unsigned long long atomicMax(unsigned long long *address, unsigned long long value)
{
    return simt_exchange_if(address, value,
                            [](unsigned long long a, unsigned long long b) { return a > b; });
}

/* ---- arithmetic; the backend is compiled without contraction, so a product is rounded ---- */

inline float __fmul_rn(float a, float b)
{
    return a * b;
}

inline double __dmul_rn(double a, double b)
{
    return a * b;
}

/* ---- what CUDA's own header offers for typed arguments ---- */

template <typename T>
cudaError_t cudaMalloc(T **pointer, size_t bytes)
{
    return ::cudaMalloc(reinterpret_cast<void **>(pointer), bytes);
}

template <typename T>
cudaError_t cudaMallocManaged(T **pointer, size_t bytes, unsigned flags = cudaMemAttachGlobal)
{
    return ::cudaMallocManaged(reinterpret_cast<void **>(pointer), bytes, flags);
}

template <typename T>
cudaError_t cudaMallocAsync(T **pointer, size_t bytes, cudaStream_t stream)
{
    return ::cudaMallocAsync(reinterpret_cast<void **>(pointer), bytes, stream);
}

template <typename T>
cudaError_t cudaMallocPitch(T **pointer, size_t *pitch, size_t width, size_t height)
{
    return ::cudaMallocPitch(reinterpret_cast<void **>(pointer), pitch, width, height);
}

template <typename T>
cudaError_t cudaMallocHost(T **pointer, size_t bytes, unsigned flags = cudaHostAllocDefault)
{
    return ::cudaHostAlloc(reinterpret_cast<void **>(pointer), bytes, flags);
}

template <typename T>
cudaError_t cudaHostAlloc(T **pointer, size_t bytes, unsigned flags)
{
    return ::cudaHostAlloc(reinterpret_cast<void **>(pointer), bytes, flags);
}

/* A __constant__ variable is an ordinary one of the program here, so that only the side which is
 * copied from is judged by its kind. */
template <typename T>
cudaError_t cudaMemcpyToSymbolAsync(T &symbol, const void *from, size_t bytes, size_t offset,
                                    enum cudaMemcpyKind kind, cudaStream_t stream)
{
    if (offset > sizeof(T) || bytes > sizeof(T) - offset)
        return cudaErrorInvalidValue;
    const enum cudaMemcpyKind to_program =
        kind == cudaMemcpyDeviceToDevice ? cudaMemcpyDeviceToHost : cudaMemcpyDefault;
    return ::cudaMemcpyAsync(reinterpret_cast<char *>(&symbol) + offset, from, bytes, to_program,
                             stream);
}

} // namespace

#endif
#endif
