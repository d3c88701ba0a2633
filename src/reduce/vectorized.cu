/* VECTORIZED: loads of 16 bytes, four in flight in each thread, and as few passes as possible.
 *
 * The kernels are in tiles.cuh, which arg.cu and dot.cu use too, and in warp_rows.cuh; columns.cu
 * and segments.cu have some of their own. route_of() says which a call takes, and README.md has a
 * table of these routes.
 *
 * A block takes a tile of 16 KiB in the order of order.h: all four loads of a thread are issued
 * before the first is needed, so that a multiprocessor keeps 128 KiB under way, and memory, not its
 * latency, sets the pace. Blocks are many and short-lived: the last ones to end leave little idle.
 * A pass leaves one value for each tile; the second pass of 2^24 floats has one tile. From compute
 * capability 9.0 on, a pass is launched while the one before it still runs, and waits on the device
 * for its end, which hides the launch.
 *
 * Where an array does not begin at 16 bytes, each vector is spliced in registers from the two
 * aligned ones that hold it. The second is in L1: a neighbour has just loaded it.
 *
 * Where there are many rows of up to a tile and a half, each goes to a warp, and a shorter one to
 * part of a warp, through shared memory: one launch, one barrier.
 *
 * Work: count - 1 combinations. Bytes: each element once, and 1/4096 (f32) of them again for each
 * further pass. Steps: 64 bytes' elements a thread, 8 halvings, in log4096(count) passes.
 * Source: M. Harris, Optimizing Parallel Reduction in CUDA, NVIDIA 2007, kernel 7, for the idea of
 * several elements a thread; CUDA C++ Programming Guide, Programmatic Dependent Launch. */
#include "reduce/rows/warp_rows.cuh"
#include "reduce/segments/segments.h"
#include "reduce/tile/tiles.cuh"
#include "reduce/vectorized.h"

namespace
{
namespace vectorized
{

struct reduce_lines : launch_run {
    template <typename In, typename Out, typename Operator>
    static cudaError_t run(const prim_reduce_args *args, prim_reduce_route route)
    {
        const elements<In, Out> source = elements_of<In, Out>(args, is_aligned<In>(args));
        if constexpr (kind_is_built(PRIM_REDUCE_ROWS))
            if (route != PRIM_REDUCE_TILES)
                return reduce_rows_at_once<Operator>(source, args, route,
                                                     results_of<In, Out>(args));
        return reduce_in_tiles<Operator>(source, args, results_of<In, Out>(args));
    }
};

/* Only the first pass, of a vector. */
struct reduce_to_values : launch_run {
    template <typename In, typename Out, typename Operator>
    static cudaError_t run(const prim_reduce_args *args)
    {
        return launch_tile_values<Operator, Out>(elements_of<In, Out>(args, is_aligned<In>(args)),
                                                 args);
    }
};

/* Extreme elements and dot products have an operator of their own. */
bool operator_is_built(const prim_reduce_args *args)
{
    return args->kind == PRIM_REDUCE_ARG || args->kind == PRIM_REDUCE_DOT ||
           dispatch<true, is_built>(args);
}

const char *why_not(const void *any)
{
    const prim_reduce_args *args = static_cast<const prim_reduce_args *>(any);
    if (kind_why_not(args, PRIM_REDUCE_VECTORIZED) != nullptr)
        return kind_why_not(args, PRIM_REDUCE_VECTORIZED);
    if (!all_types<is_built>(args))
        return PRIM_TYPES_NOT_BUILT;
    if (!operator_is_built(args))
        return PRIM_OP_NOT_BUILT;
    switch (args->kind) {
    case PRIM_REDUCE_COLUMNS:
        return prim_reduce_columns_why_not(args);
    case PRIM_REDUCE_SEGMENTS:
        return prim_reduce_segments_why_not(args);
    case PRIM_REDUCE_ARG:
        return prim_reduce_arg_why_not(args);
    default:
        return tiles_why_not(args, first_tiles(args));
    }
}

size_t workspace_bytes(const void *any)
{
    const prim_reduce_args *args = static_cast<const prim_reduce_args *>(any);
    switch (args->kind) {
    case PRIM_REDUCE_COLUMNS:
        return prim_reduce_columns_workspace(args);
    case PRIM_REDUCE_SEGMENTS:
        return prim_reduce_segments_workspace(args);
    case PRIM_REDUCE_ARG:
        return prim_reduce_arg_workspace(args);
    default:
        return tiles_workspace(args, first_tiles(args), value_bytes(args));
    }
}

/* ---- routes ---- */

/* In the order of prim_reduce_route. */
const char *const ROUTE_NAMES[] = {nullptr,    "tiles",       "staged_parts", "staged_vectors",
                                   "few_rows", "few_columns", "folded",       "walk",
                                   "lanes",    "windows",     "candidates",   "products"};
static_assert(sizeof ROUTE_NAMES / sizeof *ROUTE_NAMES == PRIM_REDUCE_ROUTES, "one each");

/* Lines of one element each are rows as well as columns, and the kernel for rows is faster, but for
 * sums of bytes, of which a thread takes sixteen as columns. */
bool are_single_elements(const prim_reduce_args *args)
{
    return args->kind == PRIM_REDUCE_COLUMNS ? args->rows == 1 && args->columns > 1
           : args->kind == PRIM_REDUCE_ROWS  ? args->columns == 1 && args->ld == 1 && args->rows > 1
                                             : false;
}

bool are_bytes_to_add(const prim_reduce_args *args)
{
    return prim_element_bytes(args->in_type) == 1 && args->op == PRIM_OP_SUM &&
           args->transform == PRIM_TRANSFORM_NONE;
}

/* The call as it is launched, with such lines as the faster of the two. */
prim_reduce_args as_launched(prim_reduce_args args)
{
    if (!are_single_elements(&args) || !kind_is_built(PRIM_REDUCE_ROWS))
        return args;
    const size_t elements = args.rows * args.columns;
    const bool by_columns = are_bytes_to_add(&args) && kind_is_built(PRIM_REDUCE_COLUMNS);
    args.kind = by_columns ? PRIM_REDUCE_COLUMNS : PRIM_REDUCE_ROWS;
    args.rows = by_columns ? 1 : elements;
    args.columns = by_columns ? elements : 1;
    args.ld = args.columns;
    return args;
}

struct route_of_lines {
    template <typename In, typename Out>
    static prim_reduce_route run(const prim_reduce_args *args)
    {
        return are_short_rows<In>(args) ? route_of_short_rows<In>(args) : PRIM_REDUCE_TILES;
    }
    static prim_reduce_route not_built(const prim_reduce_args *)
    {
        return PRIM_REDUCE_TILES; /* whose launch says so */
    }
};

/* The only place that chooses. It takes the call as it is launched; further passes, over the values
 * of the first one, have no route. */
prim_reduce_route route_of(const prim_reduce_args *args)
{
    switch (args->kind) {
    case PRIM_REDUCE_COLUMNS:
        return args->columns == 0 ? PRIM_REDUCE_NO_ROUTE : prim_reduce_columns_route(args);
    case PRIM_REDUCE_SEGMENTS:
        return args->rows == 0 ? PRIM_REDUCE_NO_ROUTE : prim_reduce_segments_route(args);
    case PRIM_REDUCE_ARG:
        return PRIM_REDUCE_CANDIDATES;
    case PRIM_REDUCE_DOT:
        return PRIM_REDUCE_PRODUCTS;
    default:
        return args->rows == 0 ? PRIM_REDUCE_NO_ROUTE : all_types<route_of_lines>(args);
    }
}

cudaError_t launch(const void *any)
{
    const prim_reduce_args args = as_launched(*static_cast<const prim_reduce_args *>(any));
    const prim_reduce_route route = route_of(&args);
    switch (route) {
    case PRIM_REDUCE_NO_ROUTE:
        return cudaSuccess;
    case PRIM_REDUCE_FEW_ROWS:
    case PRIM_REDUCE_FEW_COLUMNS:
    case PRIM_REDUCE_FOLDED:
    case PRIM_REDUCE_WALK:
        return prim_reduce_launch_columns(&args, route);
    case PRIM_REDUCE_LANES:
    case PRIM_REDUCE_WINDOWS:
        return prim_reduce_launch_segments(&args, route);
    case PRIM_REDUCE_CANDIDATES:
        return prim_reduce_launch_arg(&args);
    case PRIM_REDUCE_PRODUCTS:
        return prim_reduce_launch_dot(&args);
    default:
        return dispatch<lines_are_built(PRIM_REDUCE_VECTORIZED), reduce_lines>(&args, route);
    }
}

} // namespace vectorized
} // namespace

const char *prim_reduce_vectorized_route(const prim_reduce_args *args)
{
    const prim_reduce_args launched = vectorized::as_launched(*args);
    return vectorized::ROUTE_NAMES[vectorized::route_of(&launched)];
}

cudaError_t prim_reduce_tile_values(const prim_reduce_args *args)
{
    if (args->kind == PRIM_REDUCE_DOT)
        return prim_reduce_dot_tile_values(args);
    return dispatch<lines_are_built(PRIM_REDUCE_VECTORIZED), vectorized::reduce_to_values>(args);
}

PRIM_DEFINE_RUNG(reduce, vectorized) = {
    {PRIM_REDUCE_VECTORIZED, "vectorized",
     "16-byte loads, several in flight; the next pass is launched early"},
    vectorized::why_not,
    vectorized::workspace_bytes,
    vectorized::launch};
