#include "merge/sort/long_passes.h"

#include "common/host/element.h"

/* The bytes of the keys in the workspace, rounded up to 256, the alignment of the workspace. */
static size_t key_area(const prim_merge_sort_args *args)
{
    const size_t bytes = args->count * prim_element_bytes(args->key_type);
    return args->has_values ? (bytes + 255) / 256 * 256 : bytes;
}

/* A permutation keeps its keys only in the workspace, twice. Where one block sorts all keys, no
 * workspace would be needed. But one block may sort the keys of a long call and not those of a
 * shorter one, and a workspace for many keys must be enough for fewer. So it is spared only where
 * every shorter call has one block, too. */
size_t prim_merge_long_passes_workspace_bytes(const void *any)
{
    const prim_merge_sort_args *args = any;
    const size_t keys = key_area(args), values = args->count * args->value_bytes;
    if (args->count <= prim_merge_tile_sort_fewest_keys(args))
        return args->permutation ? keys : 0;
    return (args->permutation ? 2 * keys : keys) + values;
}

/* How many runs the pass over runs of `run` keys merges into one. */
static size_t width_of_pass(const prim_merge_sort_args *args, size_t run, prim_sort_pass *four)
{
    return four == NULL || args->count - run <= run ? 2 : 4;
}

cudaError_t prim_merge_sort_by_passes(const prim_merge_sort_args *args, prim_sort_pass *two,
                                      prim_sort_pass *four)
{
    if (args->count == 0)
        return cudaSuccess;
    const size_t tile = prim_merge_tile_sort_keys(args), keys = key_area(args);
    char *const workspace = args->call.workspace;
    prim_sort_buffer from = {args->permutation ? workspace : args->out, args->out_values};
    prim_sort_buffer to = {NULL, NULL};
    if (args->count > tile) {
        char *const free = args->permutation ? workspace + keys : workspace;
        to = (prim_sort_buffer){free, args->has_values ? free + keys : NULL};
    }
    for (size_t run = tile; run < args->count; run *= width_of_pass(args, run, four)) {
        const prim_sort_buffer other = from;
        from = to;
        to = other;
    }
    cudaError_t error = prim_merge_tile_sort(args, from);
    for (size_t run = tile; run < args->count && error == cudaSuccess;) {
        const size_t width = width_of_pass(args, run, four);
        error = (width == 2 ? two : four)(args, from, run, to);
        const prim_sort_buffer other = from;
        from = to;
        to = other;
        run *= width;
    }
    return error;
}
