/* VECTORIZED, for columns: each thread walks down a vector of columns.
 *
 * A warp reads 512 bytes of a row, the next warp those below, and each thread has eight such loads
 * under way. A thread's columns do not meet until its rows are done; then the threads of a column
 * combine through shared memory, halves first. columns.h says how a matrix is cut into tiles.
 *
 * With few rows left, the blocks are narrower instead: 32 bytes of a row a block, which is what
 * memory moves at least, so that a hundred of them share 1024 rows of 4 KiB, and one pass is
 * enough.
 *
 * Bytes: each element once, and 1/256 of them again for the second pass. */
#include "reduce/columns.h"
#include "reduce/tiles.cuh"

namespace
{

constexpr unsigned BATCH = 8; /* loads under way */

/* Where a block's threads stand, and what is theirs. */
struct column_place {
    size_t column, row;    /* the first of each */
    unsigned width, depth; /* how many of each; rows are `height` apart */
};

__device__ inline column_place place_of(const prim_column_shape &shape, size_t rows, size_t columns,
                                        unsigned vector_width)
{
    const unsigned lane = threadIdx.x % shape.lanes, h = threadIdx.x / shape.lanes;
    const size_t tile = blockIdx.x / shape.strips, strip = blockIdx.x - tile * shape.strips;
    column_place p;
    p.column = (strip * shape.lanes + lane) * vector_width;
    p.row = tile * shape.height * shape.depth + h;
    const size_t columns_left = p.column < columns ? columns - p.column : 0;
    const size_t rows_left = p.row < rows ? (rows - p.row - 1) / shape.height + 1 : 0;
    p.width = columns_left < vector_width ? static_cast<unsigned>(columns_left) : vector_width;
    p.depth = rows_left < shape.depth ? static_cast<unsigned>(rows_left) : shape.depth;
    return p;
}

/* Whole vectors, eight rows at a time. */
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
                        source.template take_one<Operator, PLAIN>(so_far[e], x[j].element[e]);
    }
}

/* Element by element, where a row's end or a pointer does not allow more. */
template <class Operator, class Source, unsigned WIDTH>
__device__ void walk_elements(const Source &source, size_t at, size_t step, const column_place &p,
                              typename Source::value (&so_far)[WIDTH])
{
    for (unsigned k = 0; k < p.depth; k++)
        PRIM_UNROLL(WIDTH)
    for (unsigned e = 0; e < WIDTH; e++)
        if (e < p.width)
            so_far[e] =
                source.template take_one<Operator, false>(so_far[e], source.in[at + k * step + e]);
}

template <class Operator, class Source, class Destination>
__global__ void __launch_bounds__(PRIM_COLUMN_THREADS)
    reduce_column_tiles(Source source, size_t ld, size_t rows, size_t columns,
                        prim_column_shape shape, Destination to)
{
    using value = typename Source::value;
    constexpr unsigned WIDTH = VECTOR_ELEMENTS<typename Source::element>;
    PRIM_SHARED(value, deep, [WIDTH][PRIM_COLUMN_THREADS]);
    const unsigned t = threadIdx.x, h = t / shape.lanes;
    const column_place p = place_of(shape, rows, columns, WIDTH);
    const size_t at = p.row * ld + p.column, step = shape.height * ld;

    let_next_launch_in();
    wait_for_earlier_launches();
    value so_far[WIDTH];
    for (unsigned e = 0; e < WIDTH; e++)
        so_far[e] = Source::template start<Operator>();
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
                so_far[e] = Operator::combine(so_far[e], deep[e][t + half * shape.lanes]);
    }
    if (h == 0)
        PRIM_UNROLL(WIDTH)
    for (unsigned e = 0; e < WIDTH; e++)
        if (e < p.width)
            to.store(blockIdx.x / shape.strips, p.column + e, so_far[e]);
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
    const destination_type to = {values, values_ld<typename Source::value>(args->columns),
                                 static_cast<Out *>(args->out)};
    return prim_launch_early(args->call.stream, static_cast<unsigned>(shape.tiles * shape.strips),
                             PRIM_COLUMN_THREADS,
                             reduce_column_tiles<Operator, Source, destination_type>, source, ld,
                             rows, args->columns, shape, to);
}

template <typename T>
prim_column_shape shape_for(size_t rows, size_t columns)
{
    return prim_shape_of_columns(rows, prim_divide_up(columns, VECTOR_ELEMENTS<T>));
}

struct columns_rung : device_rung {
    template <typename In, typename Out, typename Operator>
    static cudaError_t run(const prim_reduce_args *args)
    {
        using value = accumulator_t<Out>;
        const elements<In, Out> source = {static_cast<const In *>(args->in), is_aligned<In>(args),
                                          transform_of(args)};
        if (args->columns == 0)
            return cudaSuccess;
        prim_column_shape shape = shape_for<In>(args->rows, args->columns);
        value *from = static_cast<value *>(args->call.workspace);
        cudaError_t error = column_pass<Operator, elements<In, Out>, Out>(
            args, source, args->ld, args->rows, shape, shape.tiles > 1 ? from : nullptr);
        const size_t ld = values_ld<value>(args->columns);
        while (error == cudaSuccess && shape.tiles > 1) {
            const size_t rows = shape.tiles;
            value *const next = from + rows * ld;
            shape = shape_for<value>(rows, args->columns);
            error = column_pass<Operator, values<value>, Out>(
                args, values<value>{from}, ld, rows, shape, shape.tiles > 1 ? next : nullptr);
            from = next;
        }
        return error;
    }
};

} // namespace

cudaError_t prim_reduce_column_walk(const prim_reduce_args *args)
{
    return dispatch<columns_rung>(args);
}
