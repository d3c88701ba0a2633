/* VECTORIZED, for columns: each thread walks down a vector of columns.
 *
 * Eight threads read 128 bytes of a row, the next eight those below, and each thread has four such
 * loads under way. A thread's columns do not meet until its rows are done; then the threads of a
 * column combine through shared memory, halves first. columns.h says how a matrix is cut into
 * tiles.
 *
 * With few rows left, the blocks are narrower instead: 32 bytes of a row a block, which is what
 * memory moves at least, so that a hundred of them share 1024 rows of 4 KiB, and one pass is
 * enough.
 *
 * Bytes: each element once, and 1/1024 of them again for the second pass. */
#include "reduce/columns.h"
#include "reduce/tiles.cuh"
#include "reduce/vectorized.h"

namespace
{
namespace columns
{

/* Four loads under way in each of 1536 threads: eight in half as many took 5 % longer. Wide values
 * need more registers. */
[[maybe_unused]] constexpr unsigned BATCH = 4;

template <class Source>
[[maybe_unused]] constexpr unsigned
    COLUMN_BLOCKS = sizeof(typename Source::value) == 8
                        ? (VECTOR_ELEMENTS<typename Source::element> > 4 ? 1 : 3)
                        : (VECTOR_ELEMENTS<typename Source::element> > 8   ? 2
                           : VECTOR_ELEMENTS<typename Source::element> > 4 ? 4
                                                                           : 6);

/* Where a block's threads stand, and what is theirs. */
struct column_place {
    unsigned tile;
    size_t column, row;    /* the first of each */
    unsigned width, depth; /* how many of each; rows are `height` apart */
};

/* Shifts, and one division of 32 bits: a block's start is part of what the whole costs. */
[[maybe_unused]] __device__ inline column_place
place_of(const prim_column_shape &shape, size_t rows, size_t columns, unsigned vector_width)
{
    const unsigned x = threadIdx.x & (shape.across - 1), h = threadIdx.x >> shape.across_bits;
    const unsigned strips = static_cast<unsigned>(shape.strips);
    column_place p;
    p.tile = blockIdx.x / strips;
    const size_t vector =
        (static_cast<size_t>(blockIdx.x - p.tile * strips) << shape.across_bits) + x;
    p.column = vector * vector_width;
    p.row = (static_cast<size_t>(p.tile) * shape.depth << shape.height_bits) + h;
    const size_t columns_left = p.column < columns ? columns - p.column : 0;
    const size_t rows_left = p.row < rows ? ((rows - p.row - 1) >> shape.height_bits) + 1 : 0;
    p.width = columns_left < vector_width ? static_cast<unsigned>(columns_left) : vector_width;
    p.depth = rows_left < shape.depth ? static_cast<unsigned>(rows_left) : shape.depth;
    return p;
}

/* Whole vectors, four rows at a time. */
template <class Operator, bool PLAIN, class Source, unsigned WIDTH>
__device__ void walk_vectors(const Source &source, size_t at, size_t step, unsigned depth,
                             typename Source::value (&so_far)[WIDTH])
{
    for (unsigned k = 0; k < depth; k += BATCH) {
        typename Source::loaded x[BATCH];
        PRIM_UNROLL(BATCH)
        for (unsigned j = 0; j < BATCH; j++)
            if (k + j < depth)
                x[j] = source.load(at + (k + j) * step);
        PRIM_UNROLL(BATCH)
        for (unsigned j = 0; j < BATCH; j++)
            if (k + j < depth)
                for (unsigned e = 0; e < WIDTH; e++)
                    so_far[e] =
                        source.template take_one<Operator, PLAIN>(so_far[e], element_of(x[j], e));
    }
}

/* Element by element, where a row's end or a pointer does not allow more. */
template <class Operator, class Source, unsigned WIDTH>
__device__ void walk_elements(const Source &source, size_t at, size_t step, const column_place &p,
                              typename Source::value (&so_far)[WIDTH])
{
    for (unsigned k = 0; k < p.depth; k++) {
        PRIM_UNROLL(WIDTH)
        for (unsigned e = 0; e < WIDTH; e++)
            if (e < p.width)
                so_far[e] = source.template take_one<Operator, false>(so_far[e],
                                                                      source.in[at + k * step + e]);
    }
}

template <class Operator, class Source, class Destination>
__global__ void __launch_bounds__(PRIM_COLUMN_THREADS,
                                  blocks_at_once(PRIM_COLUMN_THREADS, COLUMN_BLOCKS<Source>))
    reduce_column_tiles(Source source, size_t ld, size_t rows, size_t columns,
                        prim_column_shape shape, Destination to)
{
    using value = typename Source::value;
    constexpr unsigned WIDTH = VECTOR_ELEMENTS<typename Source::element>;
    PRIM_SHARED(value, deep, [WIDTH][PRIM_COLUMN_THREADS]);
    const unsigned t = threadIdx.x, h = t >> shape.across_bits;
    trigger_launch_completion();
    const column_place p = place_of(shape, rows, columns, WIDTH);
    const size_t at = p.row * ld + p.column, step = ld << shape.height_bits;

    grid_dependency_synchronize();
    value so_far[WIDTH];
    for (unsigned e = 0; e < WIDTH; e++)
        so_far[e] = Source::template identity<Operator>();
    if (!source.aligned || p.width < WIDTH)
        walk_elements<Operator>(source, at, step, p, so_far);
    else if (source.plain())
        walk_vectors<Operator, true>(source, at, step, p.depth, so_far);
    else
        walk_vectors<Operator, false>(source, at, step, p.depth, so_far);

    for (unsigned half = shape.height / 2; half > 0; half /= 2) {
        if (h >= half && h < 2 * half)
            for (unsigned e = 0; e < WIDTH; e++)
                deep[e][t] = so_far[e];
        __syncthreads();
        if (h < half)
            for (unsigned e = 0; e < WIDTH; e++)
                so_far[e] = Operator::combine(so_far[e], deep[e][t + (half << shape.across_bits)]);
    }
    if (h > 0)
        return;
    PRIM_UNROLL(WIDTH)
    for (unsigned e = 0; e < WIDTH; e++)
        if (e < p.width)
            to.store(p.tile, p.column + e, so_far[e]);
}

/* A row of values for each tile, or the results. */
template <typename Value, typename Out>
struct column_destination {
    Value *values; /* NULL in the last pass */
    size_t values_ld;
    Out *out;

    __device__ void store(size_t tile, size_t column, Value value) const
    {
        if (values != nullptr)
            values[tile * values_ld + column] = value;
        else
            out[column] = finished<Out>(value);
    }
};

template <class Operator, class Source, typename Out>
cudaError_t column_pass(const prim_reduce_args *args, const Source &source, size_t ld, size_t rows,
                        const prim_column_shape &shape, typename Source::value *values)
{
    using destination_type = column_destination<typename Source::value, Out>;
    const destination_type to = {
        values, prim_reduce_values_ld(args->columns, sizeof(typename Source::value)),
        static_cast<Out *>(args->out)};
    const unsigned blocks = static_cast<unsigned>(shape.tiles * shape.strips);
    return prim_launch_dependent({args->call.stream, blocks, PRIM_COLUMN_THREADS},
                                 reduce_column_tiles<Operator, Source, destination_type>, source,
                                 ld, rows, args->columns, shape, to);
}

prim_column_shape shape_for(size_t rows, size_t columns, size_t element_bytes)
{
    return prim_shape_of_columns(rows, prim_divide_up(columns, VECTOR_BYTES / element_bytes));
}

struct reduce_columns : launch_run {
    template <typename In, typename Out, typename Operator>
    static cudaError_t run(const prim_reduce_args *args)
    {
        using value = accumulator_t<Out>;
        const elements<In, Out> source = {static_cast<const In *>(args->in), is_aligned<In>(args),
                                          transform_of(args)};
        if (args->columns == 0)
            return cudaSuccess;
        prim_column_shape shape = shape_for(args->rows, args->columns, sizeof(In));
        value *from = static_cast<value *>(args->call.workspace);
        cudaError_t error = column_pass<Operator, elements<In, Out>, Out>(
            args, source, args->ld, args->rows, shape, shape.tiles > 1 ? from : nullptr);
        const size_t ld = prim_reduce_values_ld(args->columns, sizeof(value));
        while (error == cudaSuccess && shape.tiles > 1) {
            const size_t rows = shape.tiles;
            value *const next = from + rows * ld;
            shape = shape_for(rows, args->columns, sizeof(value));
            error = column_pass<Operator, values<value>, Out>(
                args, values<value>{from}, ld, rows, shape, shape.tiles > 1 ? next : nullptr);
            from = next;
        }
        return error;
    }
};

} // namespace columns
} // namespace

const char *prim_reduce_columns_why_not(const prim_reduce_args *args)
{
    const prim_column_shape shape =
        columns::shape_for(args->rows, args->columns, prim_element_bytes(args->in_type));
    return prim_fits_a_grid(shape.tiles, shape.strips) ? nullptr : PRIM_GRID_TOO_SMALL;
}

/* A row of values for each tile of each pass but the last. */
size_t prim_reduce_columns_workspace(const prim_reduce_args *args)
{
    const size_t bytes = value_bytes(args);
    size_t rows = 0;
    for (prim_column_shape shape =
             columns::shape_for(args->rows, args->columns, prim_element_bytes(args->in_type));
         shape.tiles > 1; shape = columns::shape_for(shape.tiles, args->columns, bytes))
        rows += shape.tiles;
    return rows * prim_reduce_values_ld(args->columns, bytes) * bytes;
}

cudaError_t prim_reduce_launch_columns(const prim_reduce_args *args)
{
    return dispatch<kind_is_built(PRIM_REDUCE_COLUMNS), columns::reduce_columns>(args);
}
