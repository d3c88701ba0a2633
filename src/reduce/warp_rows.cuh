/* Rows of up to 256 vectors: a warp for each, or some lanes of one. Eight loads a lane are under
 * way; no shared memory, no barrier. */
#ifndef PRIM_REDUCE_WARP_ROWS_CUH
#define PRIM_REDUCE_WARP_ROWS_CUH

#include "reduce/tile.cuh"

namespace
{

/* Each thread takes eight vectors: those of eight partials of one row, or of one partial of eight
 * rows. The first begins at `at`, with the row's element `index`, and so does the next so much
 * further.
 */
struct eight_vectors {
    size_t at, step;
    size_t index, index_step;
    unsigned whole;  /* so many are there in full; */
    unsigned broken; /* of vector j with bit j set, only the first elements are: */
    unsigned rest;   /* so many */
};

/* Lane `lane` of a row of more than 32 vectors. */
template <unsigned WIDTH>
__device__ eight_vectors of_one_row(const line &l, unsigned lane)
{
    const unsigned vectors = static_cast<unsigned>(l.count / WIDTH);
    const unsigned whole = vectors <= lane ? 0 : (vectors - lane - 1) / WARP + 1;
    const bool ends_here = vectors >= lane && (vectors - lane) % WARP == 0;
    const size_t index = lane * WIDTH, step = WARP * WIDTH;
    return {l.at + index,
            step,
            index,
            step,
            whole,
            ends_here ? 1u << whole : 0,
            static_cast<unsigned>(l.count % WIDTH)};
}

/* Partial v of `rows` rows that are `step` apart. */
template <unsigned WIDTH>
__device__ eight_vectors of_eight_rows(const line &first, size_t step, unsigned rows, unsigned v)
{
    const unsigned vectors = static_cast<unsigned>(first.count / WIDTH);
    return {first.at + v * WIDTH,
            step,
            v * WIDTH,
            0,
            v < vectors ? rows : 0,
            v == vectors ? (1u << rows) - 1 : 0,
            static_cast<unsigned>(first.count % WIDTH)};
}

/* Eight vectors of narrow elements, transformed, are more code than they are worth. */
template <class Source>
constexpr bool TRANSFORMED_BY_VECTORS = VECTOR_ELEMENTS<typename Source::element> <= 4;

template <class Source>
__host__ __device__ bool rows_by_vectors(const Source &source)
{
    return source.aligned && (source.plain() || TRANSFORMED_BY_VECTORS<Source>);
}

template <class Operator, bool PLAIN, class Source>
__device__ void take_whole(const Source &source, const eight_vectors &e,
                           typename Source::value (&so_far)[EIGHTH])
{
    typename Source::loaded x[EIGHTH];
    PRIM_UNROLL(EIGHTH)
    for (unsigned j = 0; j < EIGHTH; j++)
        if (j < e.whole)
            x[j] = source.load(e.at + j * e.step);
    PRIM_UNROLL(EIGHTH)
    for (unsigned j = 0; j < EIGHTH; j++)
        if (j < e.whole)
            so_far[j] =
                source.template take<Operator, PLAIN>(so_far[j], x[j], e.index + j * e.index_step);
}

template <class Operator, class Source>
__device__ void take_eight(const Source &source, const eight_vectors &e,
                           typename Source::value (&so_far)[EIGHTH])
{
    constexpr unsigned WIDTH = VECTOR_ELEMENTS<typename Source::element>;
    PRIM_UNROLL(EIGHTH)
    for (unsigned j = 0; j < EIGHTH; j++)
        so_far[j] = Source::template identity<Operator>();
    if (source.aligned && source.plain())
        take_whole<Operator, true>(source, e, so_far);
    else if constexpr (TRANSFORMED_BY_VECTORS<Source>)
        if (source.aligned)
            take_whole<Operator, false>(source, e, so_far);
    const bool by_vectors = rows_by_vectors(source);
    PRIM_UNROLL(EIGHTH)
    for (unsigned j = 0; j < EIGHTH; j++) {
        const unsigned one_by_one = !by_vectors && j < e.whole ? WIDTH : 0;
        const unsigned count = e.broken >> j & 1 ? e.rest : one_by_one;
        so_far[j] = source.template take_some<Operator, 1>(so_far[j], e.at + j * e.step,
                                                           e.index + j * e.index_step, count);
    }
}

/* A warp for each row. */
template <class Operator, class Source, class Result>
__device__ void store_row(typename Source::value (&so_far)[EIGHTH], size_t row, unsigned lane,
                          const Result &result)
{
    const typename Source::value value =
        reduce_warp<Operator>(combine_eighths<Operator>(so_far), WARP);
    if (lane == 0)
        result.store(row, value);
}

/* `group` lanes for each row, and `rows` of them for each group. */
template <class Operator, class Source, class Result>
__device__ void store_rows(typename Source::value (&so_far)[EIGHTH], size_t row, unsigned rows,
                           unsigned group, unsigned lane, const Result &result)
{
    PRIM_UNROLL(EIGHTH)
    for (unsigned j = 0; j < EIGHTH; j++) {
        const typename Source::value value = reduce_warp<Operator>(so_far[j], group);
        if (lane % group == 0 && j < rows)
            result.store(row + j * (WARP / group), value);
    }
}

/* group: the lanes for a row, a power of two; above 32: a whole warp has one row. For three blocks
 * at a time: of itself, nvcc makes room for four on 8.0, and spills registers. Sixteen elements of
 * a byte to a vector need more of them. */
template <class Operator, class Source, class Result>
__global__ void __launch_bounds__(PARTIALS, sizeof(typename Source::element) == 1 ? 1 : 3)
    reduce_short_rows(Source source, size_t ld, size_t count, size_t rows, unsigned group,
                      Result result)
{
    constexpr unsigned WIDTH = VECTOR_ELEMENTS<typename Source::element>;
    const bool whole_warp = group > WARP;
    const unsigned lane = threadIdx.x % WARP, apart = whole_warp ? 1 : WARP / group;
    const size_t warp = static_cast<size_t>(blockIdx.x) * (PARTIALS / WARP) + threadIdx.x / WARP;
    const size_t row = whole_warp ? warp : warp * apart * EIGHTH + lane / group;
    const size_t left = row < rows ? (rows - row - 1) / apart + 1 : 0;
    const unsigned mine = static_cast<unsigned>(left < EIGHTH ? left : EIGHTH);
    const line first = {row * ld, count};

    trigger_launch_completion();
    grid_dependency_synchronize();
    if (whole_warp && mine == 0)
        return;
    typename Source::value so_far[EIGHTH];
    take_eight<Operator>(source,
                         whole_warp ? of_one_row<WIDTH>(first, lane)
                                    : of_eight_rows<WIDTH>(first, apart * ld, mine, lane % group),
                         so_far);
    if (whole_warp)
        store_row<Operator, Source>(so_far, row, lane, result);
    else
        store_rows<Operator, Source>(so_far, row, mine, group, lane, result);
}

/* ---- the launch ---- */

template <class Operator, class Source, class Result>
cudaError_t reduce_rows_at_once(const Source &source, const prim_reduce_args *args,
                                const Result &result)
{
    constexpr unsigned WIDTH = VECTOR_ELEMENTS<typename Source::element>;
    unsigned group = 1; /* 64: a whole warp and more */
    while (group <= WARP && group * WIDTH < args->columns)
        group *= 2;
    const size_t rows_a_warp = group > WARP ? 1 : WARP / group * EIGHTH;
    const size_t rows_a_block = rows_a_warp * (PARTIALS / WARP);
    const unsigned blocks = static_cast<unsigned>((args->rows - 1) / rows_a_block + 1);
    return prim_launch_dependent({args->call.stream, blocks, PARTIALS},
                                 reduce_short_rows<Operator, Source, Result>, source, args->ld,
                                 args->columns, args->rows, group, result);
}

} // namespace

#endif
