/* Additions to counters in global memory. Many of them may meet in a few counters: a warp holds
 * back what it adds to those.
 *
 *     lanes    a a c a b c …     a is held, so are c, d and e: a lane adds to its own sum of the
 *     held     a  c  d  e        counter, in a register; b goes to memory, unless SEVERAL lanes
 *                                have it: then it is held in place of e, and e's sums, added up
 *                                over the warp, go to memory at once
 *
 * An addition in L2 takes 0.7 ns where all meet in one counter, so 2^25 of them take 24 ms; where
 * they spread, memory takes 100 in a nanosecond, and a warp has time for what this costs. Sums are
 * of integers: their order does not matter. */
#ifndef PRIM_HISTOGRAM_HELD_CUH
#define PRIM_HISTOGRAM_HELD_CUH

#include <cstdint>

#include "common/block/warp.cuh"
#include "common/kernel/unroll.cuh"
#include "common/math/numeric.cuh"

namespace
{

constexpr unsigned HELD = 4, /* counters */
    SEVERAL = 4;             /* lanes that make a counter worth holding */

/* In the first lane at least. */
template <typename T>
__device__ T sum_of_warp(T value)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    if constexpr (sizeof(T) == sizeof(uint32_t))
        return __reduce_add_sync(ALL_LANES, value);
#endif
    return reduce_warp<sum_operator>(value);
}

/* The first of some lanes. */
__device__ inline unsigned first_lane(unsigned lanes)
{
    return count_bits((lanes & (0u - lanes)) - 1);
}

/* to.add(counter, value) for runs of equal counters, NONE left out. */
template <unsigned N, class To, typename Counter, typename Value>
__device__ void add_runs(const To &to, const Counter (&counter)[N], const Value (&value)[N],
                         Counter none)
{
    Value run = 0;
    PRIM_UNROLL(16)
    for (unsigned n = 0; n < N; n++) {
        run += value[n];
        if (n + 1 < N && counter[n] == counter[(n + 1) % N])
            continue;
        if (counter[n] != none)
            to.add(counter[n], run);
        run = 0;
    }
}

/* begin(), add() and end() are called by all lanes of a warp. */
template <class To, typename Counter, typename Value>
struct held_counters {
    static constexpr Counter NONE = static_cast<Counter>(-1);

    const To &to;
    Counter at[HELD]; /* the same in all lanes; NONE: not yet in use */
    Value sum[HELD];  /* the lane's own */

    __device__ void begin()
    {
        PRIM_UNROLL(4)
        for (unsigned h = 0; h < HELD; h++) {
            at[h] = NONE;
            sum[h] = 0;
        }
    }

    __device__ void let_go(unsigned h)
    {
        if (at[h] == NONE)
            return;
        const Value all = sum_of_warp(sum[h]);
        if (threadIdx.x % WARP == 0)
            to.add(at[h], all);
    }

    __device__ void end()
    {
        PRIM_UNROLL(4)
        for (unsigned h = 0; h < HELD; h++)
            let_go(h);
    }

    /* Holds one more counter, in place of the one that has been held for longest. */
    __device__ void hold(Counter counter)
    {
        let_go(HELD - 1);
        PRIM_UNROLL(4)
        for (unsigned h = HELD - 1; h > 0; h--) {
            at[h] = at[h - 1];
            sum[h] = sum[h - 1];
        }
        at[0] = counter;
        sum[0] = 0;
    }

    /* Takes what belongs to counter h out of the lane's additions. */
    template <unsigned N>
    __device__ void take(unsigned h, Counter (&counter)[N], const Value (&value)[N])
    {
        PRIM_UNROLL(16)
        for (unsigned n = 0; n < N; n++) {
            sum[h] += counter[n] == at[h] ? value[n] : 0;
            counter[n] = counter[n] == at[h] ? NONE : counter[n];
        }
    }

    /* N additions of each lane; to NONE: the lane has fewer. */
    template <unsigned N>
    __device__ void add(Counter (&counter)[N], const Value (&value)[N])
    {
        PRIM_UNROLL(4)
        for (unsigned h = 0; h < HELD; h++)
            if (at[h] != NONE)
                take(h, counter, value);
        Counter first = counter[N - 1];
        PRIM_UNROLL(16)
        for (unsigned n = N - 1; n-- > 0;)
            first = counter[n] != NONE ? counter[n] : first;
        const unsigned left = __ballot_sync(ALL_LANES, first != NONE);
        if (left == 0)
            return;
        const Counter often = __shfl_sync(ALL_LANES, first, static_cast<int>(first_lane(left)));
        if (count_bits(__ballot_sync(ALL_LANES, first == often)) >= SEVERAL) {
            hold(often);
            take(0, counter, value);
        }
        add_runs(to, counter, value, NONE);
    }
};

} // namespace

#endif
