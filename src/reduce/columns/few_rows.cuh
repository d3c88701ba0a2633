/* Columns of up to eight rows, which a thread has to itself; without a transform, to keep the code
 * small. */
#ifndef PRIM_REDUCE_FEW_ROWS_CUH
#define PRIM_REDUCE_FEW_ROWS_CUH

#include "reduce/columns/packed_sums.cuh"
#include "reduce/tile/tile.cuh"

namespace
{
namespace columns
{

/* Row r of a vector of columns; zeros past the last row. */
template <class Source>
__device__ typename Source::loaded load_row(const Source &source, size_t ld, size_t rows,
                                            size_t column, unsigned r)
{
    const size_t at = r * ld + column;
    return r < rows ? source.complete(source.template load<false>(at), at)
                    : typename Source::loaded{};
}

template <class Operator, class Source, unsigned WIDTH>
__device__ void packed_vector(const Source &source, size_t ld, size_t rows, size_t column,
                              typename Source::value (&results)[WIDTH])
{
    packed_sums sums = {};
    PRIM_UNROLL(EIGHTH)
    for (unsigned r = 0; r < EIGHTH; r++)
        if (r < rows)
            sums.add(load_row(source, ld, rows, column, r));
    for (unsigned e = 0; e < WIDTH; e++)
        results[e] = 0;
    sums.add_to(results);
}

/* Row r's values; identities past the last row. */
template <class Operator, class Source, unsigned WIDTH>
__device__ void take_row(const Source &source, size_t ld, size_t rows, size_t column, unsigned r,
                         typename Source::value (&values)[WIDTH])
{
    const typename Source::loaded x = load_row(source, ld, rows, column, r);
    PRIM_UNROLL(WIDTH)
    for (unsigned e = 0; e < WIDTH; e++) {
        values[e] = Source::template identity<Operator>();
        if (r < rows)
            values[e] = source.template take_one<Operator, true>(values[e], element_of(x, e));
    }
}

/* Halves first: rows r and r + 4, then those, and so on. */
template <class Operator, class Source, unsigned WIDTH>
__device__ void column_vector(const Source &source, size_t ld, size_t rows, size_t column,
                              typename Source::value (&results)[WIDTH])
{
    using value = typename Source::value;
    constexpr unsigned HALF = EIGHTH / 2;
    value upper[HALF][WIDTH], lower[WIDTH];
    PRIM_UNROLL(HALF)
    for (unsigned r = 0; r < HALF; r++) {
        take_row<Operator>(source, ld, rows, column, r, upper[r]);
        take_row<Operator>(source, ld, rows, column, r + HALF, lower);
        for (unsigned e = 0; e < WIDTH; e++)
            upper[r][e] = Operator::combine(upper[r][e], lower[e]);
    }
    for (unsigned e = 0; e < WIDTH; e++)
        results[e] = Operator::combine(Operator::combine(upper[0][e], upper[2][e]),
                                       Operator::combine(upper[1][e], upper[3][e]));
}

/* One column, where a vector would reach out of the matrix or a row. */
template <class Operator, class Source>
__device__ typename Source::value single_column(const Source &source, size_t ld, size_t rows,
                                                size_t column)
{
    typename Source::value values[EIGHTH];
    PRIM_UNROLL(EIGHTH)
    for (unsigned r = 0; r < EIGHTH; r++) {
        values[r] = Source::template identity<Operator>();
        if (r < rows)
            values[r] =
                source.template take_one<Operator, true>(values[r], source.in[r * ld + column]);
    }
    return combine_eighths<Operator>(values);
}

template <class Operator, class Source, class Destination>
__device__ void reduce_few_rows(const Source &source, size_t ld, size_t rows, size_t columns,
                                const Destination &to)
{
    constexpr unsigned WIDTH = VECTOR_ELEMENTS<typename Source::element>;
    const size_t column =
        (static_cast<size_t>(blockIdx.x) * PRIM_COLUMN_THREADS + threadIdx.x) * WIDTH;
    const size_t left = column < columns ? columns - column : 0;
    if (source.aligned ? left >= WIDTH : column >= WIDTH && left >= 2 * WIDTH) {
        typename Source::value results[WIDTH];
        if constexpr (PACKS<Operator, Source>)
            packed_vector<Operator>(source, ld, rows, column, results);
        else
            column_vector<Operator>(source, ld, rows, column, results);
        to.store_values(0, column, WIDTH, results);
        return;
    }
    PRIM_UNROLL(1)
    for (unsigned e = 0; e < WIDTH && e < left; e++)
        to.store(0, column + e, single_column<Operator>(source, ld, rows, column + e));
}

} // namespace columns
} // namespace

#endif
