#include "semantics.h"

#include "common/kernel/atomic.cuh"
#include "common/kernel/launch.cuh"
#include "common/kernel/shared.cuh"

namespace
{

/* Runs launch(d_out) and brings count values back. */
template <typename T, typename Launch>
cudaError_t collect(T *h_out, size_t count, Launch launch)
{
    T *d_out = nullptr;
    cudaError_t error = cudaMalloc(&d_out, count * sizeof(T));
    if (error == cudaSuccess)
        error = cudaMemset(d_out, 0, count * sizeof(T));
    if (error == cudaSuccess)
        error = launch(d_out);
    if (error == cudaSuccess)
        error = cudaMemcpy(h_out, d_out, count * sizeof(T), cudaMemcpyDeviceToHost);
    const cudaError_t freed = cudaFree(d_out);
    return error != cudaSuccess ? error : freed;
}

__global__ void indices(int *out)
{
    const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    const unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    const unsigned i = block * (blockDim.x * blockDim.y * blockDim.z) + thread;
    out[i] = static_cast<int>(i);
}

__global__ void early_return(unsigned live, int *out)
{
    PRIM_SHARED(int, values, [1024]);
    const unsigned t = threadIdx.x;
    if (t >= live)
        return;
    values[t] = static_cast<int>(t);
    for (unsigned round = 0; round < live; round++) {
        __syncthreads();
        const int next = values[(t + 1) % live];
        __syncthreads();
        values[t] = next;
    }
    out[t] = values[t];
}

__global__ void divergent_shuffle(int *out)
{
    const int lane = static_cast<int>(threadIdx.x);
    if (lane < 16)
        out[lane] = __shfl_sync(0x0000ffffu, 10 * lane, 15 - lane);
    else
        out[lane] = __shfl_sync(0xffff0000u, 10 * lane, 47 - lane);
}

__global__ void shuffle(shuffle_kind kind, int argument, int width, int *out)
{
    const unsigned lane = threadIdx.x, lanes = blockDim.x;
    const unsigned mask = lanes == 32 ? 0xffffffffu : (1u << lanes) - 1;
    const int value = 100 + static_cast<int>(lane);
    switch (kind) {
    case SHUFFLE_INDEX:
        out[lane] = __shfl_sync(mask, value, argument, width);
        break;
    case SHUFFLE_UP:
        out[lane] = __shfl_up_sync(mask, value, static_cast<unsigned>(argument), width);
        break;
    case SHUFFLE_DOWN:
        out[lane] = __shfl_down_sync(mask, value, static_cast<unsigned>(argument), width);
        break;
    case SHUFFLE_XOR:
        out[lane] = __shfl_xor_sync(mask, value, argument, width);
        break;
    }
}

__global__ void shuffle_double(double *out)
{
    out[threadIdx.x] = __shfl_down_sync(0xffffffffu, 0.5 + threadIdx.x, 1);
}

__global__ void ballot(unsigned *out)
{
    const unsigned t = threadIdx.x, lane = t % 32, left = blockDim.x - (t - lane);
    const unsigned mask = left >= 32 ? 0xffffffffu : (1u << left) - 1;
    out[t] = __ballot_sync(mask, lane % 3 == 0);
}

__global__ void ballot_after_exit(unsigned *out)
{
    if (threadIdx.x >= 16)
        return;
    out[threadIdx.x] = __ballot_sync(0xffffffffu, 1);
}

__global__ void syncwarp(int *out)
{
    PRIM_SHARED(int, values, [1024]);
    const unsigned t = threadIdx.x, first = t / 32 * 32;
    const unsigned lanes = blockDim.x - first < 32 ? blockDim.x - first : 32;
    const unsigned mask = lanes == 32 ? 0xffffffffu : (1u << lanes) - 1;
    values[t] = static_cast<int>(t);
    __syncwarp(mask);
    out[t] = values[first + (t - first + 1) % lanes];
}

__global__ void atomic_add(int *out)
{
    atomicAdd(out, 1);
}

/* Each thread brings a number of its own, the threads' in no order. */
__global__ void atomic_ends(unsigned long long *ends)
{
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
    const unsigned long long number = 5 + thread * 7919u % all;
    atomicMin(&ends[0], number << 32);
    atomicMax(&ends[1], number << 32);
    atomicMin(reinterpret_cast<unsigned *>(&ends[2]), static_cast<unsigned>(number));
}

constexpr uint64_t THERE = uint64_t(1) << 32;

/* words: one for each turn, then the counter. */
__global__ void turns(uint64_t *words, int *out)
{
    PRIM_SHARED(unsigned, turn, );
    if (threadIdx.x == 0)
        turn = take_ticket(reinterpret_cast<unsigned *>(&words[gridDim.x]));
    __syncthreads();
    if (threadIdx.x / 32 < (blockDim.x - 1) / 32)
        return;
    uint64_t before = THERE;
    if (turn > 0)
        for (;;) {
            before = atomic_load(&words[turn - 1]);
            if (__ballot_sync(0xffffffffu, before >= THERE) == 0xffffffffu)
                break;
            relax(20);
        }
    if (threadIdx.x % 32 != 0)
        return;
    atomic_store(&words[turn], before + turn);
    out[turn] = static_cast<int>(before + turn - THERE);
}

__global__ void shared_matrix(int *out)
{
    PRIM_SHARED(int, tile, [16][17]);
    PRIM_SHARED(int, offset, );
    if (threadIdx.x == 0 && threadIdx.y == 0)
        offset = 1000;
    tile[threadIdx.y][threadIdx.x] = static_cast<int>(threadIdx.y * 16 + threadIdx.x);
    __syncthreads();
    out[threadIdx.y * 16 + threadIdx.x] = offset + tile[threadIdx.x][threadIdx.y];
}

__global__ void dynamic_shared(unsigned count, int *out)
{
    PRIM_SHARED_DYNAMIC(int, words);
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x)
        words[i] = static_cast<int>(i);
    __syncthreads();
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x)
        out[i] = words[count - 1 - i];
}

__global__ void scale(int *data, unsigned count, int factor, int addend)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        data[i] = data[i] * factor + addend;
}

__global__ void empty()
{
}

} // namespace

cudaError_t run_indices(dim3 grid, dim3 block, int *h_out, unsigned count)
{
    return collect(h_out, count, [&](int *out) {
        return prim_launch({nullptr, grid, block}, indices, out);
    });
}

cudaError_t run_early_return(unsigned threads, unsigned live, int *h_out)
{
    return collect(h_out, threads, [&](int *out) {
        return prim_launch({nullptr, 1, threads}, early_return, live, out);
    });
}

cudaError_t run_divergent_shuffle(int *h_out)
{
    return collect(h_out, 32, [](int *out) {
        return prim_launch({nullptr, 1, 32}, divergent_shuffle, out);
    });
}

cudaError_t run_shuffle(shuffle_kind kind, int argument, int width, unsigned threads, int *h_out)
{
    return collect(h_out, threads, [&](int *out) {
        return prim_launch({nullptr, 1, threads}, shuffle, kind, argument, width, out);
    });
}

cudaError_t run_shuffle_double(double *h_out)
{
    return collect(h_out, 32, [](double *out) {
        return prim_launch({nullptr, 1, 32}, shuffle_double, out);
    });
}

cudaError_t run_ballot(unsigned threads, unsigned *h_out)
{
    return collect(h_out, threads, [&](unsigned *out) {
        return prim_launch({nullptr, 1, threads}, ballot, out);
    });
}

cudaError_t run_ballot_after_exit(unsigned *h_out)
{
    return collect(h_out, 32, [](unsigned *out) {
        return prim_launch({nullptr, 1, 32}, ballot_after_exit, out);
    });
}

cudaError_t run_syncwarp(unsigned threads, int *h_out)
{
    return collect(h_out, threads, [&](int *out) {
        return prim_launch({nullptr, 1, threads}, syncwarp, out);
    });
}

cudaError_t run_atomic_add(unsigned blocks, unsigned threads, int *h_out)
{
    return collect(h_out, 1, [&](int *out) {
        return prim_launch({nullptr, blocks, threads}, atomic_add, out);
    });
}

cudaError_t run_atomic_ends(unsigned blocks, unsigned threads, unsigned long long *h_ends)
{
    unsigned long long *d_ends = nullptr;
    const size_t bytes = 3 * sizeof *d_ends;
    cudaError_t error = cudaMalloc(&d_ends, bytes);
    if (error == cudaSuccess)
        error = cudaMemcpy(d_ends, h_ends, bytes, cudaMemcpyHostToDevice);
    if (error == cudaSuccess)
        error = prim_launch({nullptr, blocks, threads}, atomic_ends, d_ends);
    if (error == cudaSuccess)
        error = cudaMemcpy(h_ends, d_ends, bytes, cudaMemcpyDeviceToHost);
    const cudaError_t freed = cudaFree(d_ends);
    return error != cudaSuccess ? error : freed;
}

cudaError_t run_turns(unsigned blocks, unsigned threads, int *h_out)
{
    uint64_t *d_words = nullptr;
    const size_t bytes = (blocks + 1) * sizeof *d_words;
    cudaError_t error = cudaMalloc(&d_words, bytes);
    if (error == cudaSuccess)
        error = cudaMemset(d_words, 0, bytes);
    if (error == cudaSuccess)
        error = collect(h_out, blocks, [&](int *out) {
            return prim_launch({nullptr, blocks, threads}, turns, d_words, out);
        });
    const cudaError_t freed = cudaFree(d_words);
    return error != cudaSuccess ? error : freed;
}

cudaError_t run_shared_matrix(int *h_out)
{
    return collect(h_out, 256, [](int *out) {
        return prim_launch({nullptr, 1, dim3(16, 16)}, shared_matrix, out);
    });
}

cudaError_t run_dynamic_shared(unsigned count, int *h_out)
{
    return collect(h_out, count, [&](int *out) {
        return prim_launch({nullptr, 1, 96, count * sizeof(int)}, dynamic_shared, count, out);
    });
}

cudaError_t submit_scale(int *d_data, unsigned count, int factor, int addend, cudaStream_t stream)
{
    return prim_launch({stream, (count + 127) / 128, 128}, scale, d_data, count, factor, addend);
}

cudaError_t submit_empty(dim3 grid, dim3 block, cudaStream_t stream)
{
    return prim_launch({stream, grid, block}, empty);
}
