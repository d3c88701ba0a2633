/* Columns of 16-bit floats, of which several rows lie in a vector: the matrix is read as an array.
 *
 *     rows of 3      a b c   a b c   a b c   a b c   a b c   a …
 *     vectors of 8   a b c a b c a b │ c a b c a b c a │ b c …     each thread one, then the same
 *                                                                  elements 256 rows below
 *
 * A tile's 256 rows that are combined at a time are a whole number of vectors, for any number of
 * columns. So an element of a vector belongs to the same column in each step, and to the same row
 * of the 256. That is the order of columns.h, with other threads. The halves then combine in shared
 * memory. */
#ifndef PRIM_REDUCE_FEW_COLUMNS_CUH
#define PRIM_REDUCE_FEW_COLUMNS_CUH

#include "reduce/columns/column_rows.cuh"

namespace
{
namespace columns
{

/* Wider floats are read one by one as fast, and integers are folded: folded.cuh. */
template <class Source>
constexpr bool HAS_FEW_COLUMNS = IS_HALF<typename Source::element>;

template <class Source>
__host__ __device__ bool are_few_columns(size_t ld, size_t columns)
{
    return HAS_FEW_COLUMNS<Source> && columns < VECTOR_ELEMENTS<typename Source::element> &&
           ld == columns;
}

/* Of a block: as many as its threads and its shared memory hold. */
template <class Source>
__host__ __device__ unsigned tiles_of_few_columns(size_t columns)
{
    return VECTOR_ELEMENTS<typename Source::element> / static_cast<unsigned>(columns);
}

/* Combines vectors of an array of `all` elements, `step` apart, `depth` of them or up to the
 * array's end. The first and the last one may be incomplete, or have a neighbour outside. */
template <class Operator, class Source, unsigned WIDTH>
__device__ void walk_array(const Source &source, size_t all, size_t at, size_t step, unsigned depth,
                           typename Source::value (&so_far)[WIDTH])
{
    if (at >= all)
        return;
    const bool aligned = bytes_past_vector(source.in) == 0;
    const size_t left = (all - at - 1) / step + 1;
    unsigned end = left < depth ? static_cast<unsigned>(left) : depth;
    const size_t last = at + (end - 1) * step;
    const bool takes_last = last + (aligned ? WIDTH : 2 * WIDTH) > all;
    const bool takes_first = !aligned && at < WIDTH && (end > 1 || !takes_last);
    if (takes_first) {
        take_between<Operator>(source, at, 0, WIDTH, so_far);
        at += step;
        end--;
    }
    if (takes_last)
        end--;
    walk_vectors<Operator>(source, aligned, at, step, end, so_far);
    if (takes_last)
        take_between<Operator>(source, last, 0, all - last, so_far);
}

/* `values`: a block's shared memory, of 256 rows of each of its tiles. */
template <class Operator, class Source, class Destination>
__device__ void reduce_few_columns(const Source &source, size_t rows, unsigned columns,
                                   const prim_column_shape &shape, typename Source::value *values,
                                   const Destination &to)
{
    using value = typename Source::value;
    constexpr unsigned WIDTH = VECTOR_ELEMENTS<typename Source::element>;
    const unsigned tiles = tiles_of_few_columns<Source>(columns);
    const unsigned step = PRIM_COLUMN_THREADS * columns, threads = step / WIDTH;
    const size_t first = static_cast<size_t>(blockIdx.x) * tiles;
    const unsigned tile = threadIdx.x / threads, vector = threadIdx.x - tile * threads;

    if (tile < tiles) {
        value so_far[WIDTH];
        for (unsigned e = 0; e < WIDTH; e++)
            so_far[e] = Source::template identity<Operator>();
        walk_array<Operator>(source, rows * columns,
                             (first + tile) * shape.depth * step + vector * WIDTH, step,
                             shape.depth, so_far);
        for (unsigned e = 0; e < WIDTH; e++)
            values[threadIdx.x * WIDTH + e] = so_far[e];
    }
    __syncthreads();
    for (unsigned half = PRIM_COLUMN_THREADS / 2 * columns; half >= columns; half /= 2) {
        for (unsigned i = threadIdx.x; i < tiles * half; i += PRIM_COLUMN_THREADS) {
            value *const x = &values[i / half * step + i % half];
            x[0] = Operator::combine(x[0], x[half]);
        }
        __syncthreads();
    }
    const unsigned own = threadIdx.x / columns, column = threadIdx.x - own * columns;
    if (own < tiles && first + own < shape.tiles)
        to.store(first + own, column, values[own * step + column]);
}

} // namespace columns
} // namespace

#endif
