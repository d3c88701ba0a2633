/* How the textbook rungs reach any length: a pass leaves one value for each block, and passes
 * follow each other until one value is left for each row. A vector is one row.
 *
 *     elements   ████████████████████████████████   first pass: converts and transforms
 *     partials   █   █   █   █   █   █   █   █
 *     partials   █               █                  further passes: combine only
 *     result     █                                                                       */
#ifndef PRIM_REDUCE_PASSES_CUH
#define PRIM_REDUCE_PASSES_CUH

#include "common/host/element.h"
#include "common/host/sizes.h"
#include "reduce/dispatch.cuh"

namespace
{

/* ---- kernels ---- */

/* The rows that one pass reduces: `blocks` consecutive blocks of the grid for each. */
template <typename In>
struct row_blocks {
    const In *in;
    size_t columns, ld;
    unsigned blocks;
};

template <typename In, typename Out>
using block_kernel = void (*)(row_blocks<In> rows, prim_transform transform, Out *out);

/* What one block has to reduce: its row, and where in the row it begins. */
template <typename In>
struct row_block {
    const In *row;
    size_t columns, first;
};

template <typename In>
__device__ row_block<In> this_block(const row_blocks<In> &rows, unsigned block_elements)
{
    /* No division for a vector. */
    const unsigned row = rows.blocks == gridDim.x ? 0 : blockIdx.x / rows.blocks;
    const unsigned block = blockIdx.x - row * rows.blocks;
    return {rows.in + row * rows.ld, rows.columns, static_cast<size_t>(block) * block_elements};
}

/* Element i of the block, or the identity past the row's end. */
template <typename Operator, typename Out, typename In>
__device__ Out load_or_identity(const row_block<In> &block, unsigned i, prim_transform transform)
{
    const size_t column = block.first + i;
    return column < block.columns ? load<Out>(&block.row[column], transform)
                                  : Operator::template identity<Out>();
}

/* ---- launches ---- */

template <typename In, typename Out>
cudaError_t reduce_in_passes(const prim_reduce_args *args, unsigned block_elements,
                             unsigned block_threads, block_kernel<In, Out> first,
                             block_kernel<Out, Out> further)
{
    const auto blocks_for = [block_elements](size_t columns) {
        return columns <= block_elements
                   ? 1u
                   : static_cast<unsigned>((columns - 1) / block_elements + 1);
    };
    const unsigned rows = static_cast<unsigned>(args->rows);
    if (rows == 0)
        return cudaSuccess;

    Out *const result = static_cast<Out *>(args->out);
    Out *partials = static_cast<Out *>(args->call.workspace);
    unsigned left = blocks_for(args->columns);
    const row_blocks<In> elements = {static_cast<const In *>(args->in), args->columns, args->ld,
                                     left};
    cudaError_t error = prim_launch({args->call.stream, rows * left, block_threads}, first,
                                    elements, args->transform, left == 1 ? result : partials);
    while (error == cudaSuccess && left > 1) {
        const unsigned blocks = blocks_for(left);
        Out *const next = partials + static_cast<size_t>(rows) * left;
        const row_blocks<Out> values = {partials, left, left, blocks};
        error = prim_launch({args->call.stream, rows * blocks, block_threads}, further, values,
                            PRIM_TRANSFORM_NONE, blocks == 1 ? result : next);
        partials = next;
        left = blocks;
    }
    return error;
}

/* ---- a rung ---- */

/* An empty row has one block too: it writes the identity. */
inline const char *passes_why_not(const prim_reduce_args *args, prim_reduce_variant rung,
                                  size_t block_elements)
{
    const size_t blocks = args->columns == 0 ? 1 : prim_divide_up(args->columns, block_elements);
    if (args->kind != PRIM_REDUCE_VECTOR && args->kind != PRIM_REDUCE_ROWS)
        return "it takes vectors and rows only";
    if (kind_why_not(args, rung) != nullptr)
        return kind_why_not(args, rung);
    if (!textbook_types<is_built>(args))
        return PRIM_TYPES_NOT_BUILT;
    if (!dispatch_textbook<true, is_built>(args))
        return PRIM_OP_NOT_BUILT;
    return prim_fits_a_grid(args->rows, blocks) ? nullptr : PRIM_GRID_TOO_SMALL;
}

/* Every pass but the last leaves its blocks' values in the workspace. */
inline size_t passes_workspace(const prim_reduce_args *args, size_t block_elements)
{
    return args->rows * prim_values_between_levels(args->columns, block_elements) *
           prim_element_bytes(args->out_type);
}

/* What a lesson has: OF_BLOCK, the elements of a block; BLOCK, its threads; and its
 * kernel<In, Out, Operator>, which makes one value of these elements. */
template <prim_reduce_variant RUNG, class Lesson>
struct passes {
    static const char *why_not(const void *args)
    {
        return passes_why_not(static_cast<const prim_reduce_args *>(args), RUNG, Lesson::OF_BLOCK);
    }
    static size_t workspace_bytes(const void *args)
    {
        return passes_workspace(static_cast<const prim_reduce_args *>(args), Lesson::OF_BLOCK);
    }

    struct all_passes : launch_run {
        template <typename In, typename Out, typename Operator>
        static cudaError_t run(const prim_reduce_args *args)
        {
            return reduce_in_passes<In, Out>(args, Lesson::OF_BLOCK, Lesson::BLOCK,
                                             Lesson::template kernel<In, Out, Operator>,
                                             Lesson::template kernel<Out, Out, Operator>);
        }
    };
    static cudaError_t launch(const void *args)
    {
        return dispatch_textbook<lines_are_built(RUNG), all_passes>(
            static_cast<const prim_reduce_args *>(args));
    }
};

template <prim_reduce_variant RUNG, class Lesson>
constexpr prim_rung rung_of_passes(const char *name, const char *idea)
{
    using rung = passes<RUNG, Lesson>;
    return {{RUNG, name, idea}, rung::why_not, rung::workspace_bytes, rung::launch};
}

} // namespace

#endif
