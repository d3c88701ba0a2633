/* A warp's share of a line: a chunk, held in shared memory from its one load to its one store.
 *
 *     memory    ┃ 0 1 2 3 ┃ 4 5 6 7 ┃ 8 9 …     vectors of 16 bytes of the wider of the two types;
 *     lane           0         1        2       each lane scans a run of them, one after the other
 *
 * The warp copies whole lines of 512 bytes, and a lane works on a run of its own: so it is the
 * shared memory where elements change places. Of eight lanes that go through their runs side by
 * side, each would find its vector in the same 16 bytes of the banks; so vectors lie in another
 * order there, slot_of(), in which neither way of access meets that.
 *
 * A lane sums up its run; the lanes scan those sums by shuffles; and with what lies before its run,
 * a lane goes through it once more. In between, a chunk waits for what lies before it as a whole:
 * in shared memory, since a block that holds it in registers leaves room for half as many.
 *
 * What lies behind the end of a chunk that is not full is 0 there, and changes only what lies
 * behind it. */
#ifndef PRIM_SCAN_CHUNK_CUH
#define PRIM_SCAN_CHUNK_CUH

#include "common/async_copy.cuh"
#include "common/warp.cuh"
#include "scan/tiles.h"
#include "scan/vectors.cuh"

namespace
{

constexpr unsigned RUN = PRIM_SCAN_RUN_VECTORS; /* vectors of a lane */

/* Elements of a vector, of a chunk. */
template <typename In, typename Out>
constexpr unsigned WIDTH = VECTOR_BYTES / (sizeof(In) > sizeof(Out) ? sizeof(In) : sizeof(Out));
template <typename In, typename Out>
constexpr unsigned CHUNK = WARP *RUN *WIDTH<In, Out>;

constexpr unsigned CHUNK_SLOTS = PRIM_SCAN_CHUNK_VECTORS;

/* Where a chunk's vector lies. */
__device__ inline unsigned slot_of(unsigned vector)
{
    static_assert(RUN <= 8 && (RUN & (RUN - 1)) == 0, "runs begin at a multiple of their length");
    return vector ^ (vector / 8 % RUN);
}

template <typename T, unsigned N>
__device__ packed<T, N> &vector_at(vector_slot *slots, unsigned vector)
{
    return reinterpret_cast<packed<T, N> &>(slots[slot_of(vector)]);
}

template <typename T, unsigned N>
__device__ T &element_at(vector_slot *slots, unsigned i)
{
    return reinterpret_cast<T *>(&slots[slot_of(i / N)])[i % N];
}

/* ---- load and store: the lanes together ---- */

/* Starts the copies: all lanes find the elements there after wait_for_copies() and a barrier.
 * Nobody may need what the slots held before. */
template <typename In, unsigned N>
__device__ void load_chunk(vector_slot *slots, const In *from, unsigned count, bool aligned,
                           unsigned lane)
{
    using vector = packed<In, N>;
    const unsigned whole = aligned ? count / N : 0; /* vectors */
    PRIM_UNROLL(RUN)
    for (unsigned v = lane; v < CHUNK_SLOTS; v += WARP)
        if (v < whole)
            copy_async(&vector_at<In, N>(slots, v), &reinterpret_cast<const vector *>(from)[v]);
        else
            vector_at<In, N>(slots, v) = vector{};
    if (whole * N == count)
        return;
    __syncwarp();
    PRIM_UNROLL(4)
    for (unsigned i = whole * N + lane; i < count; i += WARP)
        element_at<In, N>(slots, i) = from[i];
}

template <typename Out, unsigned N>
__device__ void store_chunk(Out *to, vector_slot *slots, unsigned count, bool aligned,
                            unsigned lane)
{
    using vector = packed<Out, N>;
    const unsigned whole = aligned ? count / N : 0;
    PRIM_UNROLL(RUN)
    for (unsigned v = lane; v < CHUNK_SLOTS; v += WARP)
        if (v < whole)
            reinterpret_cast<vector *>(to)[v] = vector_at<Out, N>(slots, v);
    PRIM_UNROLL(4)
    for (unsigned i = whole * N + lane; i < count; i += WARP)
        to[i] = element_at<Out, N>(slots, i);
}

/* ---- scan: each lane its run ---- */

template <typename Value>
struct chunk_sums {
    Value before_run, total;
};

template <class Operator, typename In, typename Out, unsigned N>
__device__ chunk_sums<accumulator_t<Out>> sum_chunk(vector_slot *slots, prim_transform transform,
                                                    unsigned lane)
{
    using value = accumulator_t<Out>;
    value of_run = value();
    PRIM_UNROLL(RUN)
    for (unsigned v = 0; v < RUN; v++) {
        const value sum =
            vector_sum<Operator, In, Out>(vector_at<In, N>(slots, lane * RUN + v), transform);
        of_run = v == 0 ? sum : Operator::combine(of_run, sum);
    }
    const value up_to_here = scan_warp<Operator>(of_run, lane);
    const value before = __shfl_up_sync(ALL_LANES, up_to_here, 1);
    const value total = __shfl_sync(ALL_LANES, up_to_here, WARP - 1);
    return {lane == 0 ? identity_of<Operator, Out>() : before, total};
}

/* From the elements to the results, each in its place; so_far lies before the lane's run. */
template <class Operator, bool EXCLUSIVE, typename In, typename Out, unsigned N>
__device__ void scan_run(vector_slot *slots, prim_transform transform, accumulator_t<Out> so_far,
                         unsigned lane)
{
    using value = accumulator_t<Out>;
    PRIM_UNROLL(RUN)
    for (unsigned v = 0; v < RUN; v++) {
        value x[N];
        values_of<In, Out>(vector_at<In, N>(slots, lane * RUN + v), transform, x);
        PRIM_UNROLL(N)
        for (unsigned e = 0; e < N; e++) {
            const value next = Operator::combine(so_far, x[e]);
            x[e] = EXCLUSIVE ? so_far : next;
            so_far = next;
        }
        vector_at<Out, N>(slots, lane * RUN + v) = results_of<Out>(x);
    }
}

/* The inclusive prefix of the chunk's element number `last`: so_far lies before the lane's run. */
template <class Operator, typename In, typename Out, unsigned N>
__device__ void store_total(vector_slot *slots, prim_transform transform, accumulator_t<Out> so_far,
                            unsigned last, unsigned lane, Out *total)
{
    using value = accumulator_t<Out>;
    if (last / (RUN * N) != lane)
        return;
    for (unsigned first = lane * RUN * N; first <= last; first += N) {
        value x[N];
        values_of<In, Out>(vector_at<In, N>(slots, first / N), transform, x);
        PRIM_UNROLL(N)
        for (unsigned e = 0; e < N; e++)
            so_far = first + e <= last ? Operator::combine(so_far, x[e]) : so_far;
    }
    *total = result_of<Out>(so_far);
}

} // namespace

#endif
