/* Launches of CO_RANK, TILED and MERGE_PATH: one kernel for a merge; for a sort, which the first
 * two have, sorted tiles and then passes that merge neighbouring runs, until one run is left.
 *
 *     tiles     ████ ████ ████ ████ ███      block_sort.cu
 *     run 1     ████████│ ████████│ ███      a pass: one kernel over all pairs; a run without a
 *     run 2     ████████████████│   ███      neighbour is copied
 *     run 4     ███████████████████
 *
 * Passes alternate between d_out and the workspace, such that the last one ends in d_out. */
#ifndef PRIM_MERGE_PASSES_CUH
#define PRIM_MERGE_PASSES_CUH

#include <utility>

#include "common/host/element.h"
#include "merge/tile/tile.cuh"

/* block_sort.cu: sorts each tile of args->in into out; both may be the same. */
extern "C" cudaError_t prim_merge_block_sort(const prim_merge_sort_args *args, void *out);

namespace
{

/* ---- which calls are supported, and a sort's workspace ---- */

/* With values or without. */
inline const char *pairs_why_not(const void *any)
{
    const prim_merge_args *args = static_cast<const prim_merge_args *>(any);
    return keys_why_not(args, args->a_count + args->b_count, TILE);
}

inline const char *sort_pairs_why_not(const void *any)
{
    const prim_merge_sort_args *args = static_cast<const prim_merge_sort_args *>(any);
    return keys_why_not(args, args->count, TILE);
}

#define PRIM_MERGE_KEYS_ONLY "it takes keys only, without values"

inline const char *merge_why_not(const void *any)
{
    return static_cast<const prim_merge_args *>(any)->has_values ? PRIM_MERGE_KEYS_ONLY
                                                                 : pairs_why_not(any);
}

inline const char *sort_why_not(const void *any)
{
    return static_cast<const prim_merge_sort_args *>(any)->has_values ? PRIM_MERGE_KEYS_ONLY
                                                                      : sort_pairs_why_not(any);
}

/* A single tile needs none. */
inline size_t sort_workspace(const void *any)
{
    const prim_merge_sort_args *args = static_cast<const prim_merge_sort_args *>(any);
    return args->count <= TILE ? 0 : args->count * prim_element_bytes(args->key_type);
}

/* ---- launches ---- */

template <typename Key>
using merge_kernel = void (*)(key_order<Key> order, runs<Key, size_t> r, Key *out);

/* `run_tiles` is the number of tiles in a run. */
template <typename Key>
using pass_kernel = void (*)(key_order<Key> order, const Key *in, size_t count, size_t run_tiles,
                             Key *out);

template <typename Key>
cudaError_t merge_in_tiles(const prim_merge_args *args, merge_kernel<Key> kernel,
                           size_t tile_keys = TILE)
{
    const runs<Key, size_t> r = {static_cast<const Key *>(args->a), args->a_count,
                                 static_cast<const Key *>(args->b), args->b_count};
    const size_t tiles = prim_divide_up(r.a_count + r.b_count, tile_keys);
    if (tiles == 0)
        return cudaSuccess;
    return prim_launch({args->call.stream, static_cast<unsigned>(tiles), THREADS}, kernel,
                       order_of<Key>(args), r, static_cast<Key *>(args->out));
}

inline bool passes_are_odd(size_t tiles)
{
    bool odd = false;
    for (size_t run_tiles = 1; run_tiles < tiles; run_tiles *= 2)
        odd = !odd;
    return odd;
}

template <typename Key>
cudaError_t sort_in_passes(const prim_merge_sort_args *args, pass_kernel<Key> kernel)
{
    const size_t tiles = prim_divide_up(args->count, TILE);
    if (tiles == 0)
        return cudaSuccess;
    Key *from = static_cast<Key *>(args->out), *to = static_cast<Key *>(args->call.workspace);
    if (passes_are_odd(tiles))
        std::swap(from, to);
    cudaError_t error = prim_merge_block_sort(args, from);
    for (size_t run_tiles = 1; run_tiles < tiles && error == cudaSuccess; run_tiles *= 2) {
        error = prim_launch({args->call.stream, static_cast<unsigned>(tiles), THREADS}, kernel,
                            order_of<Key>(args), from, args->count, run_tiles, to);
        std::swap(from, to);
    }
    return error;
}

/* ---- a rung ---- */

template <class Run>
cudaError_t launch_merge(const void *args)
{
    return dispatch<Run>(static_cast<const prim_merge_args *>(args));
}

template <class Run>
cudaError_t launch_sort(const void *args)
{
    return dispatch<Run>(static_cast<const prim_merge_sort_args *>(args));
}

template <class Lesson>
struct run_tiles : launch_run {
    template <typename Key>
    static cudaError_t run(const prim_merge_args *args)
    {
        return merge_in_tiles<Key>(args, Lesson::template merge<Key>);
    }
    template <typename Key>
    static cudaError_t run(const prim_merge_sort_args *args)
    {
        return sort_in_passes<Key>(args, Lesson::template pass<Key>);
    }
};

/* What a lesson has: two kernels, its merge<Key>, and pass<Key> of a sort. */
template <prim_merge_variant RUNG, class Lesson>
constexpr prim_rung rung_of_merge(const char *name, const char *idea)
{
    return {{RUNG, name, idea}, merge_why_not, nullptr, launch_merge<run_tiles<Lesson>>};
}

template <prim_merge_variant RUNG, class Lesson>
constexpr prim_rung rung_of_sort(const char *name, const char *idea)
{
    return {{RUNG, name, idea}, sort_why_not, sort_workspace, launch_sort<run_tiles<Lesson>>};
}

} // namespace

#endif
