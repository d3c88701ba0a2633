/* Warps: reductions and scans over lanes, in registers, for kernels of your own.
 *
 * EXPERIMENTAL: until 1.0, this folder may change with each minor version.
 *
 *     const float sum = prim_warp_sum(value);                    of all 32 lanes, in each of them
 *     const float most = prim_warp_max<8>(value);                of each group of 8 lanes
 *     int total;
 *     const int place = prim_warp_exclusive_scan(wanted, prim_sum(), 0, &total);
 *
 * LANES is 2, 4, 8, 16 or 32: lanes 0 … LANES - 1 are a group, and so are the next ones. All 32
 * lanes of the warp make the call together, and blockDim.x is a multiple of 32. Values are of any
 * trivially copyable type of 1, 2 or 4 · n bytes: numbers, halves, structs. operators.h says what
 * an operator is. There is no barrier inside, and no memory is ordered.
 *
 * The order of combination is fixed, so that floats have the same bits on every GPU and on the CPU
 * backend, and an operator need not be commutative. */
#ifndef PRIMITIVES_DEVICE_WARP_H
#define PRIMITIVES_DEVICE_WARP_H

#include <primitives/device/operators.h>

#include <cstdint>
#include <cstring>
#include <type_traits>

/* ---- shuffles of any type ---- */

/* Each of the value's words as `move` brings it from another lane. */
template <typename T, class Move>
static __device__ inline T prim_shuffle_words(T value, Move move)
{
    static_assert(std::is_trivially_copyable<T>::value, "lanes exchange bytes");
    static_assert(sizeof(T) < 4 ? sizeof(T) != 3 : sizeof(T) % 4 == 0, "1, 2 or 4 n bytes");
    constexpr unsigned WORDS = (sizeof(T) + 3) / 4;
    uint32_t words[WORDS] = {};
    memcpy(words, &value, sizeof value);
    PRIM_UNROLL(WORDS)
    for (unsigned w = 0; w < WORDS; w++)
        words[w] = move(words[w]);
    memcpy(static_cast<void *>(&value), words, sizeof value);
    return value;
}

/* The value of the lane `stride` further up in the group; the own one where there is none. */
template <unsigned LANES = 32, typename T>
static __device__ inline T prim_shuffle_down(T value, unsigned stride)
{
    return prim_shuffle_words(value, [stride](uint32_t word) {
        return __shfl_down_sync(0xffffffffu, word, stride, LANES);
    });
}

/* The value of the lane `stride` further down in the group; the own one where there is none. */
template <unsigned LANES = 32, typename T>
static __device__ inline T prim_shuffle_up(T value, unsigned stride)
{
    return prim_shuffle_words(value, [stride](uint32_t word) {
        return __shfl_up_sync(0xffffffffu, word, stride, LANES);
    });
}

/* The value of lane `lane` of the group. */
template <unsigned LANES = 32, typename T>
static __device__ inline T prim_shuffle_from(T value, unsigned lane)
{
    return prim_shuffle_words(value, [lane](uint32_t word) {
        return __shfl_sync(0xffffffffu, word, static_cast<int>(lane), LANES);
    });
}

/* ---- reductions ---- */

/* What the first lane of each group gets is that of prim_warp_reduce(); the others get something
 * that means nothing. One shuffle less. */
template <unsigned LANES = 32, typename T, class Operator>
static __device__ inline T prim_warp_reduce_first(T value, Operator op)
{
    static_assert(LANES <= 32 && (LANES & (LANES - 1)) == 0, "a power of two");
    PRIM_UNROLL(5)
    for (unsigned stride = 1; stride < LANES; stride *= 2)
        value = op(value, prim_shuffle_down<LANES>(value, stride));
    return value;
}

/* The combination of a group's values, in each of its lanes. Neighbours first:
 *
 *     stride 1    0←1  2←3  4←5  6←7  …
 *     stride 2    0←───2    4←───6    …
 *     stride 4    0←────────4         …      and so on; a←b means: op(a, b) */
template <unsigned LANES = 32, typename T, class Operator>
static __device__ inline T prim_warp_reduce(T value, Operator op)
{
    return prim_shuffle_from<LANES>(prim_warp_reduce_first<LANES>(value, op), 0);
}

template <unsigned LANES = 32, typename T>
static __device__ inline T prim_warp_sum(T value)
{
    return prim_warp_reduce<LANES>(value, prim_sum());
}

template <unsigned LANES = 32, typename T>
static __device__ inline T prim_warp_min(T value)
{
    return prim_warp_reduce<LANES>(value, prim_min());
}

template <unsigned LANES = 32, typename T>
static __device__ inline T prim_warp_max(T value)
{
    return prim_warp_reduce<LANES>(value, prim_max());
}

/* ---- scans ---- */

/* The combination of the values of the group's lanes up to the own one. By doubling strides:
 *
 *     stride 1    ·   0→1  1→2  2→3  3→4  …
 *     stride 2    ·    ·   0→2  1→3  2→4  …
 *     stride 4    ·    ·    ·    ·   0→4  …      and so on; a→b means: b becomes op(a, b)
 *
 * *total, if it is wanted, is the last lane's, in every lane of the group. */
template <unsigned LANES = 32, typename T, class Operator>
static __device__ inline T prim_warp_inclusive_scan(T value, Operator op, T *total = nullptr)
{
    static_assert(LANES <= 32 && (LANES & (LANES - 1)) == 0, "a power of two");
    const unsigned lane = threadIdx.x % LANES;
    PRIM_UNROLL(5)
    for (unsigned stride = 1; stride < LANES; stride *= 2) {
        const T before = prim_shuffle_up<LANES>(value, stride);
        if (lane >= stride)
            value = op(before, value);
    }
    if (total != nullptr)
        *total = prim_shuffle_from<LANES>(value, LANES - 1);
    return value;
}

/* The inclusive scan of the lane before, and `first` in the group's first lane: an operator's
 * identity, which is combined with nothing. It becomes a T, so that a plain 0 will do. */
template <unsigned LANES = 32, typename T, class Operator>
static __device__ inline T
prim_warp_exclusive_scan(T value, Operator op, std::enable_if_t<true, T> first, T *total = nullptr)
{
    const T before = prim_shuffle_up<LANES>(prim_warp_inclusive_scan<LANES>(value, op, total), 1);
    return threadIdx.x % LANES == 0 ? first : before;
}

#endif
