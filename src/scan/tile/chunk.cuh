/* A warp's share of a line: a chunk, held in shared memory from its one load to its one store.
 *
 *     memory    ┃ 0 1 2 3 ┃ 4 5 6 7 ┃ 8 9 …     vectors of 16 bytes of the wider of the two types;
 *     lane           0         1        2       each lane scans a run of them, one after the other
 *
 * The warp copies 512 consecutive bytes at a time, and a lane works on a run of its own: elements
 * are transposed in shared memory. Where a line does not begin at a whole vector, elements of 4 and
 * 8 bytes are copied one by one, to where they belong. Runs of other elements, and of large arrays
 * of 4-byte elements, are shifted into place in shared memory: image.cuh.
 *
 * A lane sums up its run; the lanes scan those sums by shuffles; and with the exclusive prefix of
 * its run, a lane goes through it once more. In between, the chunk waits for its own exclusive
 * prefix in shared memory: in registers, half as many blocks would fit.
 *
 * Past the end of a chunk that is not full there are zeros, which change only results past the
 * end. */
#ifndef PRIM_SCAN_CHUNK_CUH
#define PRIM_SCAN_CHUNK_CUH

#include "scan/tile/image.cuh"
#include "scan/tile/tiles.h"

namespace
{

constexpr unsigned RUN = PRIM_SCAN_RUN_VECTORS; /* vectors of a lane */
static_assert(RUN <= 8 && (RUN & (RUN - 1)) == 0, "slot_of() expects that");

/* Elements of a vector, of a lane's run, of a chunk. */
template <typename In, typename Out>
constexpr unsigned WIDTH = VECTOR_BYTES / (sizeof(In) > sizeof(Out) ? sizeof(In) : sizeof(Out));
template <typename In, typename Out>
constexpr unsigned RUN_ELEMENTS = RUN *WIDTH<In, Out>;
template <typename In, typename Out>
constexpr unsigned CHUNK = WARP *RUN_ELEMENTS<In, Out>;

constexpr unsigned CHUNK_SLOTS = PRIM_SCAN_CHUNK_VECTORS + 1; /* one more where it begins in one */

/* Vectors of the elements: fewer where the results are wider. */
template <typename In, typename Out>
constexpr unsigned IN_VECTORS = CHUNK<In, Out> * sizeof(In) / VECTOR_BYTES;

/* ---- scan: each lane its run ---- */

/* Vector v of this lane's run, as elements. */
template <typename In, unsigned N>
__device__ packed<In, N> &run_vector(vector_slot *slots, unsigned v, unsigned lane)
{
    return bytes_at<packed<In, N>>(slots, (lane * RUN + v) * static_cast<unsigned>(sizeof(In) * N));
}

template <typename Value>
struct chunk_sums {
    Value run_prefix, aggregate;
};

template <class Operator, typename In, typename Out, unsigned N>
__device__ chunk_sums<accumulator_t<Out>> sum_chunk(vector_slot *slots,
                                                    const element_rule<Out> &rule, unsigned lane)
{
    using value = accumulator_t<Out>;
    value of_run = value();
    PRIM_UNROLL(RUN)
    for (unsigned v = 0; v < RUN; v++) {
        const value sum = vector_sum<Operator, In, Out>(run_vector<In, N>(slots, v, lane), rule);
        of_run = v == 0 ? sum : Operator::combine(of_run, sum);
    }
    const value up_to_here = scan_warp<Operator>(of_run, lane);
    const value before = __shfl_up_sync(ALL_LANES, up_to_here, 1);
    const value aggregate = __shfl_sync(ALL_LANES, up_to_here, WARP - 1);
    return {lane == 0 ? identity_of<Operator, Out>() : before, aggregate};
}

template <class Operator, bool EXCLUSIVE, typename In, typename Out, unsigned N>
__device__ packed<Out, N> scan_vector(const packed<In, N> &x, const element_rule<Out> &rule,
                                      accumulator_t<Out> &so_far)
{
    accumulator_t<Out> values[N];
    values_of<Operator, In, Out>(x, rule, values);
    PRIM_UNROLL(N)
    for (unsigned e = 0; e < N; e++) {
        const accumulator_t<Out> next = Operator::combine(so_far, values[e]);
        values[e] = EXCLUSIVE ? so_far : next;
        so_far = next;
    }
    return results_of<Operator, Out>(values, rule);
}

/* Replaces the elements by the results; so_far is the prefix of the lane's run. Wider results
 * overwrite other lanes' elements. */
template <class Operator, bool EXCLUSIVE, typename In, typename Out, unsigned N>
__device__ void scan_run(vector_slot *slots, const element_rule<Out> &rule,
                         accumulator_t<Out> so_far, unsigned lane)
{
    if constexpr (sizeof(In) == sizeof(Out)) {
        PRIM_UNROLL(RUN)
        for (unsigned v = 0; v < RUN; v++)
            run_vector<Out, N>(slots, v, lane) = scan_vector<Operator, EXCLUSIVE, In, Out, N>(
                run_vector<In, N>(slots, v, lane), rule, so_far);
    } else {
        packed<In, N> run[RUN];
        PRIM_UNROLL(RUN)
        for (unsigned v = 0; v < RUN; v++)
            run[v] = run_vector<In, N>(slots, v, lane);
        __syncwarp();
        PRIM_UNROLL(RUN)
        for (unsigned v = 0; v < RUN; v++)
            run_vector<Out, N>(slots, v, lane) =
                scan_vector<Operator, EXCLUSIVE, In, Out, N>(run[v], rule, so_far);
    }
}

/* Stores the inclusive prefix of the chunk's element `last`; so_far is the run's prefix. */
template <class Operator, typename In, typename Out, unsigned N>
__device__ void store_total(vector_slot *slots, const element_rule<Out> &rule,
                            accumulator_t<Out> so_far, unsigned last, unsigned lane, Out *total)
{
    using value = accumulator_t<Out>;
    if (last / (RUN * N) != lane)
        return;
    for (unsigned first = lane * RUN * N; first <= last; first += N) {
        value x[N];
        values_of<Operator, In, Out>(run_vector<In, N>(slots, first / N % RUN, lane), rule, x);
        PRIM_UNROLL(N)
        for (unsigned e = 0; e < N; e++)
            so_far = first + e <= last ? Operator::combine(so_far, x[e]) : so_far;
    }
    *total = result_of<Operator, Out>(so_far, rule);
}

} // namespace

#endif
