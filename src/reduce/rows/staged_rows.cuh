/* A block's rows in shared memory. Where gaps between rows are small, all is one range, gaps
 * included; otherwise each row is one. */
#ifndef PRIM_REDUCE_STAGED_ROWS_CUH
#define PRIM_REDUCE_STAGED_ROWS_CUH

#include "reduce/rows/row_words.cuh"
#include "reduce/tile/row_partials.cuh"
#include "reduce/tile/staged_range.cuh"

namespace
{

/* What is the same for all rows of a call. */
struct short_rows {
    size_t ld, rows;
    unsigned count;       /* elements of a row */
    unsigned block_rows;  /* rows of a block */
    unsigned pitch;       /* elements from row to row in shared memory */
    unsigned across_bits; /* 2^across_bits threads copy a range */
    bool by_rows;         /* each row is a range, otherwise all are, and pitch is ld */
    bool alike;           /* all rows lie as far past 16 bytes */
    bool by_parts;        /* a lane has one part of a row, otherwise some of its vectors */
    unsigned lanes;       /* have a row, a power of two */
    unsigned parts;       /* partials of a lane, a power of two */
};

/* Where a block's rows lie, in global and in shared memory. */
template <typename T>
struct staged_rows {
    T *room;
    const T *first; /* row of the block, in global memory */
    const short_rows &shape;

    __device__ T *row(unsigned r) const
    {
        const unsigned past = bytes_past_vector(first) / sizeof(T),
                       further = shape.by_rows ? r * static_cast<unsigned>(shape.ld) : 0;
        return room + r * shape.pitch + (past + further) % VECTOR_ELEMENTS<T>;
    }

    /* Begins to copy `rows` rows, from number block_row of the matrix on. Around a row that is a
     * range of its own there are gaps of more than a vector. */
    __device__ void copy(size_t block_row, unsigned rows) const
    {
        constexpr unsigned WIDTH = VECTOR_ELEMENTS<T>;
        const unsigned ranges = shape.by_rows ? rows : 1,
                       further = shape.by_rows ? 0 : (rows - 1) * shape.pitch;
        const unsigned before = within_a_vector<T>(block_row * shape.ld),
                       after = within_a_vector<T>((shape.rows - block_row - rows) * shape.ld);
        const unsigned across = 1u << shape.across_bits, x = threadIdx.x & (across - 1);
        PRIM_UNROLL(1)
        for (unsigned r = threadIdx.x >> shape.across_bits; r < ranges; r += PARTIALS / across)
            stage_range(row(r), first + r * shape.ld, shape.count + further, r > 0 ? WIDTH : before,
                        r + 1 < ranges ? WIDTH : after, x, across);
    }
};

/* ---- a row, by some lanes; its value is in the first one ---- */

/* Each has one part. */
template <class Operator, class Source>
__device__ typename Source::value value_of_parts(const Source &source,
                                                 const typename Source::element *row,
                                                 unsigned count, unsigned lane, unsigned lanes)
{
    const unsigned part = elements_of_part<typename Source::element>(count, lanes);
    const unsigned begin = lane * part, left = begin < count ? count - begin : 0;
    return reduce_warp<Operator>(
        value_in_order<Operator>(source, row + begin, left < part ? left : part), lanes);
}

/* Each has some vectors of the order in order.h, of up to a tile. */
template <class Operator, class Source>
__device__ typename Source::value
value_of_tile(const Source &source, const typename Source::element *tile, const short_rows &shape,
              unsigned count, unsigned lane)
{
    using element = typename Source::element;
    if constexpr (sizeof(element) > 1)
        if (source.plain() && shape.count <= PARTIALS * VECTOR_ELEMENTS<element>)
            return shape.alike ? value_of_few_vectors<Operator, MOST_PARTS, true>(
                                     source, tile, count, lane, shape.lanes, shape.parts)
                               : value_of_few_vectors<Operator, MOST_PARTS, false>(
                                     source, tile, count, lane, shape.lanes, shape.parts);
    return value_of_row<Operator>(source, tile, count, lane, shape.lanes, shape.parts);
}

/* Tiles' values are elements of one vector, and so combine one after the other. */
template <class Operator, class Source>
__device__ typename Source::value
value_of_tiles(const Source &source, const typename Source::element *row, const short_rows &shape,
               unsigned count, unsigned lane)
{
    constexpr unsigned TILE = TILE_VECTORS * VECTOR_ELEMENTS<typename Source::element>;
    if (shape.count <= TILE)
        return value_of_tile<Operator>(source, row, shape, count, lane);
    typename Source::value so_far = Source::template identity<Operator>();
    PRIM_UNROLL(1)
    for (unsigned begin = 0; begin < shape.count; begin += TILE) {
        const unsigned left = count > begin ? count - begin : 0;
        so_far =
            Operator::combine(so_far, value_of_tile<Operator>(source, row + begin, shape,
                                                              left < TILE ? left : TILE, lane));
    }
    return so_far;
}

/* A thread for each row. */
template <class Operator, class Source, class Result>
__device__ void reduce_rows_by_threads(const Source &source,
                                       const staged_rows<typename Source::element> &staged,
                                       size_t block_row, unsigned rows, const Result &result)
{
    static_assert(PARTIALS % VECTOR_ELEMENTS<typename Source::element> == 0,
                  "a thread's next row lies as far past 16 bytes as its last one");
    const typename Source::element *row = staged.row(threadIdx.x);
    PRIM_UNROLL(1)
    for (unsigned r = threadIdx.x; r < rows; r += PARTIALS, row += PARTIALS * staged.shape.pitch)
        result.store(block_row + r, value_in_order<Operator>(source, row, staged.shape.count));
}

/* Some lanes for each row, whose first one has value_of(row, count, lane). Lanes without a row go
 * along, since they shuffle. */
template <typename T, class ValueOf, class Result>
__device__ void reduce_rows_by_lanes(const staged_rows<T> &staged, size_t block_row, unsigned rows,
                                     const ValueOf &value_of, const Result &result)
{
    const short_rows &shape = staged.shape;
    const unsigned lane = threadIdx.x & (shape.lanes - 1), at_once = PARTIALS / shape.lanes;
    PRIM_UNROLL(1)
    for (unsigned first = 0; first < rows; first += at_once) {
        const unsigned r = first + threadIdx.x / shape.lanes;
        const auto value = value_of(staged.row(r), r < rows ? shape.count : 0, lane);
        if (r < rows && lane == 0)
            result.store(block_row + r, value);
    }
}

template <class Operator, class Source, class Result>
__device__ void reduce_staged_rows(const Source &source,
                                   const staged_rows<typename Source::element> &staged,
                                   size_t block_row, unsigned rows, const Result &result)
{
    using element = typename Source::element;
    const short_rows &shape = staged.shape;
    if (shape.by_parts && shape.lanes == 1) {
        reduce_rows_by_threads<Operator>(source, staged, block_row, rows, result);
        return;
    }
    if constexpr (IS_NARROW<element> && std::is_integral<element>::value)
        if (shape.by_parts) {
            reduce_rows_by_lanes(
                staged, block_row, rows,
                [&](const element *row, unsigned count, unsigned lane) {
                    return value_of_parts<Operator>(source, row, count, lane, shape.lanes);
                },
                result);
            return;
        }
    reduce_rows_by_lanes(
        staged, block_row, rows,
        [&](const element *row, unsigned count, unsigned lane) {
            return value_of_tiles<Operator>(source, row, shape, count, lane);
        },
        result);
}

} // namespace

#endif
