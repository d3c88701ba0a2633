/* primitives/device: what the threads of a block do together. EXPERIMENTAL: until 1.0, this folder
 * may change with each minor version.
 *
 *     typedef prim_block_scratch<float, 256> sums;         (a macro takes no comma)
 *     PRIM_SHARED(sums, scratch, );                        or: __shared__ sums scratch;
 *     const float sum = prim_block_sum(value, scratch);    of all 256 threads, in each of them
 *
 * THREADS, which the scratch knows, is the block's size: 32 to 1024, a multiple of 32, along x. All
 * threads make the call. warp.h says which types and operators; those of scratch have no constructor.
 *
 * One barrier is inside each call, between writing the scratch and reading it. So what was written to
 * shared memory before the call can be read after it, and the scratch may be used again only after
 * another barrier, which is the caller's.
 *
 * The order of combination is fixed, so that floats have the same bits on every GPU and on the CPU
 * backend, and an operator need not be commutative. */
#ifndef PRIMITIVES_DEVICE_BLOCK_H
#define PRIMITIVES_DEVICE_BLOCK_H

#include <primitives/device/warp.h>

/* In shared memory. It needs no first value. */
template <typename T, unsigned THREADS>
struct prim_block_scratch {
    static_assert(THREADS >= 32 && THREADS <= 1024 && THREADS % 32 == 0, "whole warps");
    static constexpr unsigned WARPS = THREADS / 32;

    alignas(sizeof(T) % 16 == 0 || 16 % sizeof(T) == 0 ? 16 : alignof(T)) T of_warp[WARPS];
};

/* ---- reductions ---- */

/* The combination of `values`, neighbours first; they are gone afterwards. */
template <typename T, unsigned COUNT, class Operator>
static __device__ inline T prim_combine_neighbours(T (&values)[COUNT], Operator op)
{
    PRIM_UNROLL(5)
    for (unsigned stride = 1; stride < COUNT; stride *= 2) {
        PRIM_UNROLL(COUNT)
        for (unsigned i = 0; i + stride < COUNT; i += 2 * stride)
            values[i] = op(values[i], values[i + stride]);
    }
    return values[0];
}

/* The combination of the warps' values in the scratch, in every thread. A few are read by every
 * thread; many are read and combined by the lanes of every warp. */
template <typename T, unsigned THREADS, class Operator>
static __device__ inline T prim_combine_warps(const prim_block_scratch<T, THREADS> &scratch,
                                              Operator op)
{
    constexpr unsigned WARPS = THREADS / 32;
    if constexpr (WARPS <= 8) {
        T values[WARPS];
        PRIM_UNROLL(WARPS)
        for (unsigned w = 0; w < WARPS; w++)
            values[w] = scratch.of_warp[w];
        return prim_combine_neighbours(values, op);
    } else {
        const unsigned lane = threadIdx.x % 32;
        T value = scratch.of_warp[lane < WARPS ? lane : 0];
        PRIM_UNROLL(5)
        for (unsigned stride = 1; stride < WARPS; stride *= 2) {
            const T next = prim_shuffle_down(value, stride);
            if (lane + stride < WARPS)
                value = op(value, next);
        }
        return prim_shuffle_from(value, 0);
    }
}

/* The combination of all threads' values, in every thread. Neighbours first, through the whole block,
 * and what has no neighbour waits:
 *
 *     thread      0    1    2    3    4    5     (of 6, to be short)
 *     stride 1    0←───1    2←───3    4←───5
 *     stride 2    0←────────2         ·
 *     stride 4    0←──────────────────4          a←b means: op(a, b) */
template <typename T, unsigned THREADS, class Operator>
static __device__ inline T prim_block_reduce(T value, Operator op,
                                             prim_block_scratch<T, THREADS> &scratch)
{
    value = prim_warp_reduce_first(value, op);
    if (threadIdx.x % 32 == 0)
        scratch.of_warp[threadIdx.x / 32] = value;
    __syncthreads();
    return prim_combine_warps(scratch, op);
}

/* The same of COUNT values a thread, each thread's own ones first: ((v0 v1) v2) v3 … */
template <typename T, unsigned THREADS, unsigned COUNT, class Operator>
static __device__ inline T prim_block_reduce(const T (&values)[COUNT], Operator op,
                                             prim_block_scratch<T, THREADS> &scratch)
{
    T value = values[0];
    PRIM_UNROLL(COUNT)
    for (unsigned i = 1; i < COUNT; i++)
        value = op(value, values[i]);
    return prim_block_reduce(value, op, scratch);
}

/* Of a value, or of an array of them. */
template <typename T, typename Scratch>
static __device__ inline auto prim_block_sum(const T &values, Scratch &scratch)
{
    return prim_block_reduce(values, prim_sum(), scratch);
}

template <typename T, typename Scratch>
static __device__ inline auto prim_block_min(const T &values, Scratch &scratch)
{
    return prim_block_reduce(values, prim_min(), scratch);
}

template <typename T, typename Scratch>
static __device__ inline auto prim_block_max(const T &values, Scratch &scratch)
{
    return prim_block_reduce(values, prim_max(), scratch);
}

/* ---- scans ----
 *
 * Three levels: a thread's own values one after the other, the threads of a warp as warp.h's scans
 * combine them, and the warps one after the other. With
 *
 *     own      v0 … vi of the thread                          ((v0 v1) v2) …
 *     lanes    the inclusive scan of the lanes' last `own`
 *     warps    of all warps before this one                   ((w0 w1) w2) …; w is a warp's last lane
 *
 * a value's scan is
 *
 *     op(op(warps, lanes of the lane before), own)
 *
 * of which what does not exist is left out: warps in the first warp, lanes in the first lane.
 * The total is op(warps, w) of the last warp. */

/* What lies before the thread, if anything does. */
template <typename T>
struct prim_before {
    T value;
    bool exists;
};

/* `own`: of the thread's values. */
template <typename T, unsigned THREADS, class Operator>
static __device__ inline prim_before<T>
prim_scan_threads(T own, Operator op, prim_block_scratch<T, THREADS> &scratch, T *total)
{
    constexpr unsigned WARPS = THREADS / 32;
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const T inclusive = prim_warp_inclusive_scan(own, op);
    if (lane == 31)
        scratch.of_warp[warp] = inclusive;
    __syncthreads();
    const T lanes = prim_shuffle_up(inclusive, 1);
    T all = scratch.of_warp[0], warps = all;
    PRIM_UNROLL(WARPS)
    for (unsigned w = 1; w < WARPS; w++) {
        if (w == warp)
            warps = all;
        all = op(all, scratch.of_warp[w]);
    }
    if (total != nullptr)
        *total = all;
    if (warp == 0)
        return {lanes, lane > 0};
    return {lane == 0 ? warps : op(warps, lanes), true};
}

/* Each of the thread's values becomes the combination of all values up to it: of the threads before,
 * and of the own ones. *total, if it is wanted, is that of all, in every thread; of floats it may
 * differ from the last value by rounding. */
template <typename T, unsigned THREADS, unsigned COUNT, class Operator>
static __device__ inline void prim_block_inclusive_scan(T (&values)[COUNT], Operator op,
                                                        prim_block_scratch<T, THREADS> &scratch,
                                                        T *total = nullptr)
{
    PRIM_UNROLL(COUNT)
    for (unsigned i = 1; i < COUNT; i++)
        values[i] = op(values[i - 1], values[i]);
    const prim_before<T> before = prim_scan_threads(values[COUNT - 1], op, scratch, total);
    if (!before.exists)
        return;
    PRIM_UNROLL(COUNT)
    for (unsigned i = 0; i < COUNT; i++)
        values[i] = op(before.value, values[i]);
}

/* The same up to the value before: what the inclusive scan has there. The block's first value becomes
 * `first`: an operator's identity, which is combined with nothing. */
template <typename T, unsigned THREADS, unsigned COUNT, class Operator>
static __device__ inline void
prim_block_exclusive_scan(T (&values)[COUNT], Operator op, std::enable_if_t<true, T> first,
                          prim_block_scratch<T, THREADS> &scratch, T *total = nullptr)
{
    PRIM_UNROLL(COUNT)
    for (unsigned i = 1; i < COUNT; i++)
        values[i] = op(values[i - 1], values[i]);
    const prim_before<T> before = prim_scan_threads(values[COUNT - 1], op, scratch, total);
    PRIM_UNROLL(COUNT)
    for (unsigned i = COUNT - 1; i > 0; i--)
        values[i] = before.exists ? op(before.value, values[i - 1]) : values[i - 1];
    values[0] = before.exists ? before.value : first;
}

/* Of one value a thread. */
template <typename T, unsigned THREADS, class Operator>
static __device__ inline T prim_block_inclusive_scan(T value, Operator op,
                                                     prim_block_scratch<T, THREADS> &scratch,
                                                     T *total = nullptr)
{
    T one[1] = {value};
    prim_block_inclusive_scan(one, op, scratch, total);
    return one[0];
}

template <typename T, unsigned THREADS, class Operator>
static __device__ inline T
prim_block_exclusive_scan(T value, Operator op, std::enable_if_t<true, T> first,
                          prim_block_scratch<T, THREADS> &scratch, T *total = nullptr)
{
    T one[1] = {value};
    prim_block_exclusive_scan(one, op, first, scratch, total);
    return one[0];
}

#endif
