/* A warp's share of a line: a chunk of 4 KiB or less, held in shared memory from its one load to
 * its one store.
 *
 *     lane          0      1      2   …   31
 *     vector 0    ████   ████   ████    ████      each lane has 16 bytes of the wider of the two
 *     vector 1    ████   ████   ████    ████      types in each of eight vectors, so that a warp
 *     …                                           loads and stores 512 bytes without a gap
 *     vector 7    ████   ████   ████    ████
 *
 * A lane combines the elements of each of its vectors; the lanes scan those sums by shuffles, all
 * eight vectors side by side; then the vectors' totals are combined from the first to the last. A
 * lane then knows what lies before each of its vectors, and goes through its elements once more.
 *
 * In shared memory, since a block waits there for what lies before it: as registers, its elements
 * would leave room for half as many blocks. Each vector has a slot of 16 bytes, which no other lane
 * reads where the chunk is whole and begins at a whole vector. Otherwise the lanes fill and empty
 * the slots together, element by element. What lies behind the chunk's end is 0 there, and changes
 * only what lies behind it. */
#ifndef PRIM_SCAN_CHUNK_CUH
#define PRIM_SCAN_CHUNK_CUH

#include "common/async_copy.cuh"
#include "scan/vectors.cuh"

namespace
{

/* Elements of a vector, of a chunk. */
template <typename In, typename Out>
constexpr unsigned WIDTH = VECTOR_BYTES / (sizeof(In) > sizeof(Out) ? sizeof(In) : sizeof(Out));
template <typename In, typename Out>
constexpr unsigned CHUNK = WARP *VECTORS<Out> *WIDTH<In, Out>;

template <typename T, unsigned N>
__device__ packed<T, N> read_slot(const vector_slot &slot)
{
    return same_bits<packed<T, N>>(*reinterpret_cast<const pack<T, N> *>(&slot));
}

template <typename T, unsigned N>
__device__ T &element_of(vector_slot *slots, unsigned i)
{
    return reinterpret_cast<T *>(&slots[i / N])[i % N];
}

/* ---- load and store ---- */

template <typename In, unsigned N, unsigned V>
__device__ void load_chunk(vector_slot *slots, const In *from, unsigned count, bool aligned,
                           unsigned lane)
{
    using vector = pack<In, N>;
    constexpr unsigned ALL = WARP * V * N;
    if (aligned && count == ALL) {
        PRIM_UNROLL(V)
        for (unsigned v = 0; v < V; v++)
            copy_async(reinterpret_cast<vector *>(&slots[v * WARP + lane]),
                       &reinterpret_cast<const vector *>(from)[v * WARP + lane]);
        wait_for_copies();
        return;
    }
    PRIM_UNROLL(4)
    for (unsigned i = lane; i < ALL; i += WARP)
        element_of<In, N>(slots, i) = i < count ? from[i] : In{};
    __syncwarp();
}

template <typename Out, unsigned N>
__device__ void store_chunk(Out *to, unsigned count, vector_slot *slots, unsigned lane)
{
    __syncwarp();
    PRIM_UNROLL(4)
    for (unsigned i = lane; i < count; i += WARP)
        to[i] = element_of<Out, N>(slots, i);
}

/* ---- scan: `mine` is this lane's slot of vector 0, and each WARP slots on is its next one ---- */

template <typename In, typename Out, unsigned N, unsigned V>
__device__ void transform_chunk(vector_slot *mine, prim_transform transform)
{
    if constexpr (TRANSFORMED_AT_ONCE<In, Out>) {
        if (transform == PRIM_TRANSFORM_NONE)
            return;
        PRIM_UNROLL(V)
        for (unsigned v = 0; v < V; v++)
            *reinterpret_cast<pack<In, N> *>(&mine[v * WARP]) =
                transformed_vector(read_slot<In, N>(mine[v * WARP]), transform);
    }
}

/* before[v] becomes what the chunk has before this lane's vector v; returns the chunk's total. */
template <class Operator, typename In, typename Out, unsigned N, unsigned V>
__device__ accumulator_t<Out> scan_chunk(const vector_slot *mine, prim_transform transform,
                                         accumulator_t<Out> (&before)[V], unsigned lane)
{
    using value = accumulator_t<Out>;
    PRIM_UNROLL(V)
    for (unsigned v = 0; v < V; v++)
        before[v] = vector_sum<Operator, In, Out>(read_slot<In, N>(mine[v * WARP]), transform);
    scan_lanes<Operator>(before, lane);
    value so_far = start_value<Operator, Out>();
    PRIM_UNROLL(V)
    for (unsigned v = 0; v < V; v++) {
        const value below = __shfl_up_sync(ALL_LANES, before[v], 1);
        const value all = __shfl_sync(ALL_LANES, before[v], WARP - 1);
        before[v] = lane == 0 ? so_far : Operator::combine(so_far, below);
        so_far = Operator::combine(so_far, all);
    }
    return so_far;
}

/* The results of this lane's vectors, into `to` and each WARP vectors on; `to` may be `mine`. */
template <class Operator, typename In, typename Out, unsigned N, unsigned V>
__device__ void scan_vectors(pack<Out, N> *to, const vector_slot *mine, prim_scan_kind kind,
                             prim_transform transform, accumulator_t<Out> carry,
                             const accumulator_t<Out> (&before)[V])
{
    PRIM_UNROLL(V)
    for (unsigned v = 0; v < V; v++)
        to[v * WARP] = scanned_vector<Operator, In, Out>(
            read_slot<In, N>(mine[v * WARP]), kind, transform, Operator::combine(carry, before[v]));
}

} // namespace

#endif
