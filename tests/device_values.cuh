/* What the tests of primitives/device/ share: values to combine, their order on the host, arrays on
 * the device. */
#ifndef TESTS_DEVICE_VALUES_CUH
#define TESTS_DEVICE_VALUES_CUH

#include <cstdio>
#include <cstring>
#include <vector>

#include <primitives/device/block.h>

#include "common/kernel/launch.cuh"

/* x becomes factor · x + summand, modulo 2^32: an operator that is not commutative. */
struct affine {
    uint32_t factor, summand;
};

/* The same, and how many there were: three words. */
struct counted_affine {
    affine map;
    uint32_t count;
};

struct first_then_second {
    __host__ __device__ affine operator()(affine a, affine b) const
    {
        return {a.factor * b.factor, a.summand * b.factor + b.summand};
    }
    __host__ __device__ counted_affine operator()(counted_affine a, counted_affine b) const
    {
        return {(*this)(a.map, b.map), a.count + b.count};
    }
};

namespace
{

/* The operator that the tests combine a type by; on the host it is written anew. */
template <typename T>
struct combined_by {
    using type = prim_sum;
    static T host(T a, T b)
    {
        if constexpr (std::is_floating_point<T>::value)
            return a + b;
        else
            return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
    }
};
template <>
struct combined_by<affine> {
    using type = first_then_second;
    static affine host(affine a, affine b)
    {
        return type()(a, b);
    }
};
template <>
struct combined_by<counted_affine> {
    using type = first_then_second;
    static counted_affine host(counted_affine a, counted_affine b)
    {
        return type()(a, b);
    }
};

inline uint64_t random_bits()
{
    static uint64_t state = 0x9e3779b97f4a7c15u;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * 0x2545f4914f6cdd1du;
}

/* Floats of many magnitudes, whose sums are rounded otherwise in another order. */
template <typename T>
T random_value()
{
    if constexpr (std::is_floating_point<T>::value)
        return static_cast<T>(static_cast<int64_t>(random_bits())) /
               static_cast<T>(1ull << random_bits() % 64);
    else
        return static_cast<T>(random_bits());
}
template <>
inline affine random_value<affine>()
{
    return {static_cast<uint32_t>(random_bits() | 1), static_cast<uint32_t>(random_bits())};
}
template <>
inline counted_affine random_value<counted_affine>()
{
    return {random_value<affine>(), 1};
}

template <typename T>
bool has_same_bits(const T &a, const T &b)
{
    return std::memcmp(&a, &b, sizeof a) == 0;
}

inline char sentence[200];

constexpr unsigned char UNTOUCHED = 0xa5;

/* Fills an array on the device, runs launch(d_in, d_out), and brings `results` back, of which every
 * byte was UNTOUCHED. */
template <typename In, typename Out, typename Launch>
const char *run_on_device(const std::vector<In> &values, std::vector<Out> &results, Launch launch)
{
    In *d_in = nullptr;
    Out *d_out = nullptr;
    const size_t in_bytes = values.size() * sizeof(In), out_bytes = results.size() * sizeof(Out);
    cudaError_t error = cudaMalloc(&d_in, in_bytes);
    if (error == cudaSuccess)
        error = cudaMalloc(&d_out, out_bytes);
    if (error == cudaSuccess)
        error = cudaMemcpy(d_in, values.data(), in_bytes, cudaMemcpyHostToDevice);
    if (error == cudaSuccess)
        error = cudaMemset(d_out, UNTOUCHED, out_bytes);
    if (error == cudaSuccess)
        error = launch(d_in, d_out);
    if (error == cudaSuccess)
        error = cudaMemcpy(results.data(), d_out, out_bytes, cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    return error == cudaSuccess ? nullptr : cudaGetErrorString(error);
}

} // namespace

#endif
