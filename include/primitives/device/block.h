/* Blocks: reductions and scans over all threads of a block, for kernels of your own.
 *
 * EXPERIMENTAL: until 1.0, this folder may change with each minor version.
 *
 *     typedef prim_block_scratch<float, 256> sums;         (a macro takes no comma)
 *     PRIM_SHARED(sums, scratch, );                        or: __shared__ sums scratch;
 *     const float sum = prim_block_sum(value, scratch);    of all 256 threads, in each of them
 *
 * THREADS, which the scratch knows, is the block's size: 32 to 1024, a multiple of 32, along x. All
 * threads make the call. warp.h says which types and operators; a type has no constructor, since
 * shared memory runs none.
 *
 * Two barriers are inside each call. What any thread wrote to shared memory before a call, all may
 * read after it; and the scratch may be used again at once, by whichever of these calls.
 *
 * The order of combination is fixed, so that floats have the same bits on every GPU and on the CPU
 * backend, and an operator need not be commutative. Each thread puts a value into the scratch, and
 * the first warp combines them: each lane a column of K = THREADS / 32 consecutive ones, one after
 * the other, and then all lanes together.
 *
 *     thread       0 1 … K-1 ┃ K … 2K-1 ┃ … ┃ … 32K-1
 *     column           0     ┃    1     ┃   ┃  31           column 0: ((t0 t1) t2) … */
#ifndef PRIMITIVES_DEVICE_BLOCK_H
#define PRIMITIVES_DEVICE_BLOCK_H

#include <primitives/device/warp.h>

/* In shared memory: about as much as a value of each thread. It needs no first value. */
template <typename T, unsigned THREADS>
struct prim_block_scratch {
    static_assert(THREADS >= 32 && THREADS <= 1024 && THREADS % 32 == 0, "whole warps");
    /* Columns begin an odd number of values apart: their lanes read from different banks. */
    static constexpr unsigned COLUMN = THREADS / 32, APART = COLUMN | 1;

    T values[32 * APART];
    T columns[32]; /* what lies before each; the combination of all in place of the first */

    __device__ T &of_thread(unsigned thread)
    {
        return values[thread / COLUMN * APART + thread % COLUMN];
    }
};

/* ---- reductions ---- */

/* The combination of all threads' values, in every thread: of each column, and of these as
 * prim_warp_reduce() combines them, neighbours first. */
template <typename T, unsigned THREADS, class Operator>
static __device__ inline T prim_block_reduce(T value, Operator op,
                                             prim_block_scratch<T, THREADS> &scratch)
{
    constexpr unsigned COLUMN = THREADS / 32;
    scratch.of_thread(threadIdx.x) = value;
    __syncthreads();
    if (threadIdx.x < 32) {
        T column = scratch.of_thread(threadIdx.x * COLUMN);
        PRIM_UNROLL(COLUMN)
        for (unsigned i = 1; i < COLUMN; i++)
            column = op(column, scratch.of_thread(threadIdx.x * COLUMN + i));
        column = prim_warp_reduce_first(column, op);
        if (threadIdx.x == 0)
            scratch.columns[0] = column;
    }
    __syncthreads();
    return scratch.columns[0];
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
 * What a value becomes is op(op(columns, threads), own):
 *
 *     columns   the columns before the thread's, as prim_warp_exclusive_scan() combines them
 *     threads   the threads before it in its column, one after the other: ((t0 t1) t2) …
 *     own       its own values, up to this one: ((v0 v1) v2) …
 *
 * What does not exist is left out: `columns` in the first column, `threads` at a column's head. */

/* Puts into the scratch what lies before each thread in its column, and before each column. */
template <typename T, unsigned THREADS, class Operator>
static __device__ inline void prim_scan_columns(Operator op,
                                                prim_block_scratch<T, THREADS> &scratch)
{
    constexpr unsigned COLUMN = THREADS / 32;
    const unsigned lane = threadIdx.x;
    T column = scratch.of_thread(lane * COLUMN);
    PRIM_UNROLL(COLUMN)
    for (unsigned i = 1; i < COLUMN; i++) {
        T &of_thread = scratch.of_thread(lane * COLUMN + i);
        const T value = of_thread;
        of_thread = column;
        column = op(column, value);
    }
    scratch.columns[(lane + 1) % 32] = prim_warp_inclusive_scan(column, op);
}

/* The combination of what lies before the thread; in thread 0 it means nothing. */
template <typename T, unsigned THREADS, class Operator>
static __device__ inline T prim_scan_threads(T own, Operator op,
                                             prim_block_scratch<T, THREADS> &scratch, T *total)
{
    constexpr unsigned COLUMN = THREADS / 32;
    scratch.of_thread(threadIdx.x) = own;
    __syncthreads();
    if (threadIdx.x < 32)
        prim_scan_columns(op, scratch);
    __syncthreads();
    if (total != nullptr)
        *total = scratch.columns[0];
    const T threads = scratch.of_thread(threadIdx.x);
    const T columns = scratch.columns[threadIdx.x / COLUMN];
    const T both = op(columns, threads); /* computed by all: no branch */
    return threadIdx.x % COLUMN == 0 ? columns : threadIdx.x < COLUMN ? threads : both;
}

/* Each value of the thread becomes the combination of all values up to it. *total, if it is wanted,
 * is that of all, in every thread: of the columns as prim_warp_inclusive_scan() combines them, so
 * that of floats it may differ from the last value by rounding. */
template <typename T, unsigned THREADS, unsigned COUNT, class Operator>
static __device__ inline void prim_block_inclusive_scan(T (&values)[COUNT], Operator op,
                                                        prim_block_scratch<T, THREADS> &scratch,
                                                        T *total = nullptr)
{
    PRIM_UNROLL(COUNT)
    for (unsigned i = 1; i < COUNT; i++)
        values[i] = op(values[i - 1], values[i]);
    const T before = prim_scan_threads(values[COUNT - 1], op, scratch, total);
    PRIM_UNROLL(COUNT)
    for (unsigned i = 0; i < COUNT; i++)
        values[i] = threadIdx.x > 0 ? op(before, values[i]) : values[i];
}

/* The same up to the value before, with the same bits but where a thread begins: its first value
 * becomes op(columns, threads), and the block's becomes `first`: an operator's identity, which is
 * combined with nothing. */
template <typename T, unsigned THREADS, unsigned COUNT, class Operator>
static __device__ inline void
prim_block_exclusive_scan(T (&values)[COUNT], Operator op, std::enable_if_t<true, T> first,
                          prim_block_scratch<T, THREADS> &scratch, T *total = nullptr)
{
    PRIM_UNROLL(COUNT)
    for (unsigned i = 1; i < COUNT; i++)
        values[i] = op(values[i - 1], values[i]);
    const T before = prim_scan_threads(values[COUNT - 1], op, scratch, total);
    PRIM_UNROLL(COUNT)
    for (unsigned i = COUNT - 1; i > 0; i--)
        values[i] = threadIdx.x > 0 ? op(before, values[i - 1]) : values[i - 1];
    values[0] = threadIdx.x > 0 ? before : first;
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
