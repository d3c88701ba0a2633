/* SINGLE_PASS: one launch for up to 16 tiles (2^16 floats).
 *
 * A second launch costs more than these sums take. But a workspace is not cleared, so blocks cannot
 * count arrivals in it, and to clear a counter takes a launch as well. The blocks of a cluster need
 * no counter: they run together and write into each other's shared memory.
 *
 *     block      0         1      …      7       512 threads each, two tiles
 *     tiles    0   1     2   3         14  15
 *               ↘   ↘     ↓   ↓   ↙    ↙         into block 0's shared memory
 *             │ 0 1 2 3 … 15 │                   one barrier of the cluster
 *                  block 0                       combines them as a second pass would
 *
 * The order is order.h's, so the bits are those of VECTORIZED.
 *
 * Work: count - 1 combinations. Bytes: each element once. Steps: as VECTORIZED's two passes.
 * Source: CUDA C++ Programming Guide, Distributed Shared Memory. */
#include "common/kernel/cluster.cuh"
#include "reduce/tile/tiles.cuh"

namespace
{
namespace single_pass
{

constexpr unsigned TILES_A_BLOCK = 2, BLOCKS = 8, MOST_TILES = BLOCKS * TILES_A_BLOCK;

/* The second pass, over so few values that one warp holds them. */
template <class Operator, typename Value>
__device__ Value combine_tiles(const Value *tile_values, unsigned tiles, unsigned t)
{
    constexpr unsigned WIDTH = VECTOR_ELEMENTS<Value>;
    static_assert(MOST_TILES <= WARP * WIDTH, "a vector for each lane");
    Value so_far = Operator::template identity<Value>();
    for (unsigned e = 0; e < WIDTH; e++)
        if (t * WIDTH + e < tiles)
            so_far = Operator::combine(so_far, tile_values[t * WIDTH + e]);
    return reduce_warp<Operator>(so_far);
}

template <class Operator, class Source, class Result>
__global__ void __launch_bounds__(TILES_A_BLOCK *PARTIALS, 2)
    reduce_in_cluster(Source source, size_t count, unsigned tiles, Result result)
{
    using value = typename Source::value;
    PRIM_SHARED(value, partials, [TILES_A_BLOCK][PARTIALS]);
    PRIM_SHARED(value, tile_values, [MOST_TILES]);
    const unsigned t = threadIdx.x % PARTIALS, part = threadIdx.x / PARTIALS;
    const unsigned tile = blockIdx.x * TILES_A_BLOCK + part;

    arrive_at_cluster(); /* this block has begun */
    trigger_launch_completion();
    grid_dependency_synchronize();
    partials[part][t] = partial_of_tile<Operator>(source, line{0, count}, tile, t);
    __syncthreads();
    wait_for_cluster();
    if (t < WARP) {
        const value mine = combine_partials<Operator>(partials[part], t);
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

struct reduce_vector : launch_run {
    template <typename In, typename Out, typename Operator>
    static cudaError_t run(const prim_reduce_args *args)
    {
        using source_type = elements<In, Out>;
        const source_type source = elements_of<In, Out>(args, is_aligned<In>(args));
        const size_t tiles = prim_reduce_tiles_of(args->columns, sizeof(In));
        launch_config where = {args->call.stream, BLOCKS, TILES_A_BLOCK * PARTIALS};
        where.cluster = BLOCKS;
        return prim_launch_dependent(
            where, reduce_in_cluster<Operator, source_type, results_t<In, Out>>, source,
            args->columns, static_cast<unsigned>(tiles), results_of<In, Out>(args));
    }
};

const char *why_not(const void *any)
{
    const prim_reduce_args *args = static_cast<const prim_reduce_args *>(any);
    if (args->kind != PRIM_REDUCE_VECTOR && args->kind != PRIM_REDUCE_ROWS)
        return "it takes vectors only";
    if (args->rows != 1)
        return "it takes one row only";
    if (kind_why_not(args, PRIM_REDUCE_SINGLE_PASS) != nullptr)
        return kind_why_not(args, PRIM_REDUCE_SINGLE_PASS);
    if (!all_types<is_built>(args))
        return PRIM_TYPES_NOT_BUILT;
    if (!dispatch<true, is_built>(args))
        return PRIM_OP_NOT_BUILT;
    if (prim_reduce_tiles_of(args->columns, prim_element_bytes(args->in_type)) > MOST_TILES)
        return "it takes at most 16 tiles of 16 KiB";
    return prim_device_has_clusters() ? nullptr : PRIM_NO_CLUSTERS;
}

cudaError_t launch(const void *args)
{
    return dispatch<lines_are_built(PRIM_REDUCE_SINGLE_PASS), reduce_vector>(
        static_cast<const prim_reduce_args *>(args));
}

} // namespace single_pass
} // namespace

PRIM_DEFINE_RUNG(reduce, single_pass) = {
    {PRIM_REDUCE_SINGLE_PASS, "single_pass", "one launch: a cluster shares its blocks' memory"},
    single_pass::why_not,
    nullptr,
    single_pass::launch};
