#include "device_tools.h"

#include <cmath>
#include <cstdint>
#include <cstring>

#include "common/kernel/launch.cuh"

namespace
{

constexpr unsigned THREADS = 256;

struct alignas(16) quad {
    unsigned x, y, z, w;
};

unsigned blocks_for(size_t threads)
{
    return static_cast<unsigned>((threads + THREADS - 1) / THREADS);
}

__device__ size_t thread_number()
{
    return static_cast<size_t>(blockIdx.x) * THREADS + threadIdx.x;
}

__device__ uint64_t hash(uint64_t x) /* splitmix64 */
{
    x = (x + 1) * 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* 16-bit floats as their bits: the CPU backend has no such types. */
struct f16_bits {
    uint16_t bits;
};

struct bf16_bits {
    uint16_t bits;
};

/* As many bits as the type holds, so that nothing is rounded, and nothing up to 1. */
__device__ void make(uint64_t bits, float *value)
{
    *value = static_cast<float>(static_cast<int32_t>(bits) >> 7) * 0x1p-24f;
}

__device__ void make(uint64_t bits, double *value)
{
    *value = static_cast<double>(static_cast<int64_t>(bits) >> 10) * 0x1p-53;
}

__device__ uint32_t float_bits(uint64_t bits)
{
    float value;
    uint32_t word;
    make(bits, &value);
    memcpy(&word, &value, sizeof word);
    return word;
}

/* Rounded towards 0; what is below the normal numbers of f16 becomes 0. */
__device__ void make(uint64_t bits, f16_bits *value)
{
    constexpr uint32_t BIAS = 127 - 15;
    const uint32_t word = float_bits(bits), exponent = word >> 23 & 0xff;
    const uint32_t magnitude = exponent > BIAS ? (word >> 13 & 0x3ffff) - (BIAS << 10) : 0;
    value->bits = static_cast<uint16_t>(word >> 16 & 0x8000) | static_cast<uint16_t>(magnitude);
}

__device__ void make(uint64_t bits, bf16_bits *value)
{
    value->bits = static_cast<uint16_t>(float_bits(bits) >> 16);
}

template <typename T>
__device__ void make(uint64_t bits, T *value) /* integers */
{
    if (sizeof(T) == 1)
        *value = static_cast<T>(bits);
    else
        *value = static_cast<T>(static_cast<T>(bits % 2001) - (T(-1) < T(0) ? 1000 : 0));
}

template <typename T>
__device__ T one()
{
    return T(1);
}

template <>
__device__ f16_bits one<f16_bits>()
{
    return {0x3c00};
}

template <>
__device__ bf16_bits one<bf16_bits>()
{
    return {0x3f80};
}

template <typename T>
__global__ void fill(T *data, size_t count, bool equal, unsigned seed)
{
    const size_t i = thread_number();
    if (i >= count)
        return;
    T value = one<T>();
    if (!equal)
        make(hash((static_cast<uint64_t>(seed) << 40) + i), &value);
    data[i] = value;
}

template <typename T>
cudaError_t launch_fill(void *d_data, size_t count, bench_input input, unsigned seed,
                        cudaStream_t stream)
{
    if (input > INPUT_EQUAL)
        return cudaErrorInvalidValue;
    if (count == 0)
        return cudaSuccess;
    return prim_launch({stream, blocks_for(count), THREADS}, fill<T>, static_cast<T *>(d_data),
                       count, input == INPUT_EQUAL, seed);
}

__global__ void fill_words(uint32_t *words, size_t count, unsigned seed)
{
    const size_t i = thread_number();
    if (i < count)
        words[i] = static_cast<uint32_t>(hash((static_cast<uint64_t>(seed) << 40) + i));
}

__global__ void read(const quad *data, size_t count, unsigned *sink)
{
    const size_t i = thread_number();
    if (i >= count)
        return;
    const quad q = data[i];
    if ((q.x ^ q.y ^ q.z ^ q.w) == 0x9e3779b9u && q.x == 0x7f4a7c15u)
        *sink = q.y; /* one word in 2^64 */
}

__global__ void copy(const quad *from, quad *to, size_t count)
{
    const size_t i = thread_number();
    if (i < count)
        to[i] = from[i];
}

/* Chains that do not wait for each other: enough to hide the latency of a multiply-add, few enough
 * for full occupancy. */
constexpr int CHAINS = 8, STEPS = 8192;
constexpr unsigned BLOCKS_OF_A_MULTIPROCESSOR = 8;

__global__ void ffma(float factor, float addend, unsigned *sink)
{
    float chain[CHAINS];
    for (int c = 0; c < CHAINS; c++)
        chain[c] = static_cast<float>(threadIdx.x + c);
#pragma unroll 32
    for (int step = 0; step < STEPS; step++)
#pragma unroll
        for (int c = 0; c < CHAINS; c++)
            chain[c] = fmaf(chain[c], factor, addend);
    float sum = 0;
    for (int c = 0; c < CHAINS; c++)
        sum += chain[c];
    if (sum == 1.5f) /* never, but the compiler cannot know */
        *sink = 1;
}

__global__ void empty()
{
}

/* A thread for each 16 bytes, of which the last may be fewer. */
__global__ void compare(const unsigned char *a, const unsigned char *b, size_t bytes,
                        unsigned *differ)
{
    const size_t first = 16 * thread_number(), left = first < bytes ? bytes - first : 0;
    bool is_other = false;
    if (left >= 16) {
        const quad x = *reinterpret_cast<const quad *>(a + first),
                   y = *reinterpret_cast<const quad *>(b + first);
        is_other = x.x != y.x || x.y != y.y || x.z != y.z || x.w != y.w;
    } else {
        for (size_t i = first; i < bytes; i++)
            is_other = is_other || a[i] != b[i];
    }
    if (is_other)
        *differ = 1;
}

} // namespace

cudaError_t fill_on_device(cudaDataType_t type, void *d_data, size_t count, bench_input input,
                           unsigned seed, cudaStream_t stream)
{
    switch (type) {
    case CUDA_R_32F:
        return launch_fill<float>(d_data, count, input, seed, stream);
    case CUDA_R_64F:
        return launch_fill<double>(d_data, count, input, seed, stream);
    case CUDA_R_16F:
        return launch_fill<f16_bits>(d_data, count, input, seed, stream);
    case CUDA_R_16BF:
        return launch_fill<bf16_bits>(d_data, count, input, seed, stream);
    case CUDA_R_8I:
        return launch_fill<int8_t>(d_data, count, input, seed, stream);
    case CUDA_R_8U:
        return launch_fill<uint8_t>(d_data, count, input, seed, stream);
    case CUDA_R_16I:
        return launch_fill<int16_t>(d_data, count, input, seed, stream);
    case CUDA_R_16U:
        return launch_fill<uint16_t>(d_data, count, input, seed, stream);
    case CUDA_R_32I:
        return launch_fill<int32_t>(d_data, count, input, seed, stream);
    case CUDA_R_32U:
        return launch_fill<uint32_t>(d_data, count, input, seed, stream);
    case CUDA_R_64I:
        return launch_fill<int64_t>(d_data, count, input, seed, stream);
    case CUDA_R_64U:
        return launch_fill<uint64_t>(d_data, count, input, seed, stream);
    default:
        return cudaErrorInvalidValue;
    }
}

cudaError_t fill_words_on_device(uint32_t *d_words, size_t count, unsigned seed,
                                 cudaStream_t stream)
{
    if (count == 0)
        return cudaSuccess;
    return prim_launch({stream, blocks_for(count), THREADS}, fill_words, d_words, count, seed);
}

cudaError_t read_on_device(const void *d_data, size_t bytes, unsigned *d_sink, cudaStream_t stream)
{
    const size_t count = bytes / sizeof(quad);
    return prim_launch({stream, blocks_for(count), THREADS}, read,
                       static_cast<const quad *>(d_data), count, d_sink);
}

cudaError_t copy_on_device(const void *d_from, void *d_to, size_t bytes, cudaStream_t stream)
{
    const size_t count = bytes / sizeof(quad);
    return prim_launch({stream, blocks_for(count), THREADS}, copy,
                       static_cast<const quad *>(d_from), static_cast<quad *>(d_to), count);
}

cudaError_t ffma_on_device(unsigned multiprocessors, unsigned *d_sink, cudaStream_t stream)
{
    /* Converges to 2, whatever it started from. */
    return prim_launch({stream, multiprocessors * BLOCKS_OF_A_MULTIPROCESSOR, THREADS}, ffma, 0.5f,
                       1.0f, d_sink);
}

double ffma_flops(unsigned multiprocessors)
{
    return 2.0 * CHAINS * STEPS * THREADS * BLOCKS_OF_A_MULTIPROCESSOR * multiprocessors;
}

cudaError_t compare_on_device(const void *d_a, const void *d_b, size_t bytes, unsigned *d_differ,
                              cudaStream_t stream)
{
    return prim_launch({stream, blocks_for(bytes / 16 + 1), THREADS}, compare,
                       static_cast<const unsigned char *>(d_a),
                       static_cast<const unsigned char *>(d_b), bytes, d_differ);
}

cudaError_t empty_on_device(cudaStream_t stream)
{
    return prim_launch({stream, 1, 32}, empty);
}
