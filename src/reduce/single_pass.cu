/* SINGLE_PASS: one launch for up to 16 tiles (2^16 floats).
 *
 * A second launch costs more than these sums take. But a workspace arrives dirty, so blocks cannot
 * count each other in it, and to clear a counter is a launch as well. The blocks of a cluster need
 * none: they run together and write into each other's shared memory.
 *
 *     block      0         1      …      7       512 threads each, two tiles
 *     tiles    0   1     2   3         14  15
 *               ↘   ↘     ↓   ↓   ↙    ↙         into block 0's shared memory
 *             │ 0 1 2 3 … 15 │                   one barrier of the cluster
 *                  block 0                       combines them as a second pass would
 *
 * The order is order.cuh's, so the bits are those of VECTORIZED.
 *
 * Work: count - 1 combinations. Bytes: each element once. Steps: as VECTORIZED's two passes.
 * Source: CUDA C++ Programming Guide, Distributed Shared Memory. */
#include "common/cluster.cuh"
#include "reduce/tiles.cuh"

#ifdef SIMT_BACKEND

/* The CPU backend has no clusters, and the rung's supports() says so. */
cudaError_t prim_reduce_single_pass(const void *)
{
    return cudaErrorNotSupported;
}

#else

namespace
{

constexpr unsigned TILES_A_BLOCK = 2, BLOCKS = PRIM_REDUCE_SINGLE_PASS_TILES / TILES_A_BLOCK;

/* A second pass over so few values that one warp holds them. */
template <class Operator, typename Value>
__device__ Value combine_tiles(const Value *tile_values, unsigned tiles, unsigned t)
{
    constexpr unsigned WIDTH = VECTOR_ELEMENTS<Value>;
    static_assert(PRIM_REDUCE_SINGLE_PASS_TILES <= WARP * WIDTH, "a vector for each lane");
    Value so_far = Operator::template identity<Value>();
    for (unsigned e = 0; e < WIDTH; e++)
        if (t * WIDTH + e < tiles)
            so_far = Operator::combine(so_far, tile_values[t * WIDTH + e]);
    return combine_warp<Operator>(so_far, WARP);
}

template <class Operator, class Source, class Result>
__global__ void __launch_bounds__(TILES_A_BLOCK *LANES, 2)
    reduce_in_cluster(Source source, size_t count, unsigned tiles, Result result)
{
    using value = typename Source::value;
    PRIM_SHARED(value, lanes, [TILES_A_BLOCK][LANES]);
    PRIM_SHARED(value, tile_values, [PRIM_REDUCE_SINGLE_PASS_TILES]);
    const unsigned t = threadIdx.x % LANES, part = threadIdx.x / LANES;
    const unsigned tile = blockIdx.x * TILES_A_BLOCK + part;

    arrive_at_cluster(); /* this block has begun */
    let_next_launch_in();
    wait_for_earlier_launches();
    lanes[part][t] = lane_value<Operator>(source, line{0, count}, tile, t);
    __syncthreads();
    wait_for_cluster();
    if (t < WARP) {
        const value mine = combine_lanes<Operator>(lanes[part], t);
        if (t == 0)
            *shared_of_block(&tile_values[tile], 0) = mine;
    }
    __syncwarp();
    arrive_at_cluster();
    wait_for_cluster();
    if (blockIdx.x > 0 || threadIdx.x >= WARP)
        return;
    const value all = combine_tiles<Operator>(tile_values, tiles, t);
    if (t == 0)
        result.store(0, all);
}

struct single_pass_rung : device_rung {
    template <typename In, typename Out, typename Operator>
    static cudaError_t run(const prim_reduce_args *args)
    {
        using source_type = elements<In, Out>;
        const source_type source = {static_cast<const In *>(args->in), is_aligned<In>(args),
                                    transform_of(args)};
        return prim_launch_cluster(args->call.stream, BLOCKS, TILES_A_BLOCK * LANES,
                                   reduce_in_cluster<Operator, source_type, results<Out>>, source,
                                   args->columns,
                                   static_cast<unsigned>(tiles_of<In>(args->columns)),
                                   results<Out>{static_cast<Out *>(args->out)});
    }
};

} // namespace

cudaError_t prim_reduce_single_pass(const void *any)
{
    return dispatch<LINES_ARE_BUILT, single_pass_rung>(static_cast<const prim_reduce_args *>(any));
}

#endif
