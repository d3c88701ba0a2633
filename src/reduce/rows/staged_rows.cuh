/* A block's rows in shared memory. Where gaps between rows are small, all is one range, gaps
 * included; otherwise each row is one. */
#ifndef PRIM_REDUCE_STAGED_ROWS_CUH
#define PRIM_REDUCE_STAGED_ROWS_CUH

#include "reduce/tile/row_partials.cuh"
#include "reduce/tile/staged_range.cuh"

namespace
{

#ifndef TUNE_PARTS
#define TUNE_PARTS 4
#endif
/* As many partials has a lane, where loops are unrolled. */
constexpr unsigned ROW_PARTS = TUNE_PARTS;

/* What is the same for all rows of a call. */
struct short_rows {
    size_t count, ld, rows;
    unsigned block_rows;  /* of a block */
    unsigned pitch;       /* elements from row to row in shared memory */
    unsigned across_bits; /* 2^across_bits threads copy a range */
    bool by_rows;         /* each row is a range, otherwise all are, and pitch is ld */
    bool aligned;         /* all rows begin at 16 bytes, in both memories */
    unsigned lanes;       /* have a row, a power of two */
    unsigned parts;       /* partials of a lane, a power of two */
};

template <typename T>
struct staged_rows {
    T *room;
    const T *first; /* row of the block, in global memory */
    const short_rows &shape;

    __device__ T *row(unsigned r) const
    {
        const T *const range = shape.by_rows ? first + r * shape.ld : first;
        return room + r * shape.pitch + bytes_past_vector(range) / sizeof(T);
    }

    /* Begins to copy so many rows of the matrix, which begins at `in`. */
    __device__ void copy(const T *in, unsigned rows) const
    {
        const unsigned count = static_cast<unsigned>(shape.count),
                       ranges = shape.by_rows ? rows : 1,
                       of_range = shape.by_rows ? count : (rows - 1) * shape.pitch + count;
        const matrix_bounds<T> matrix = {in, in + (shape.rows - 1) * shape.ld + shape.count};
        const unsigned across = 1u << shape.across_bits, x = threadIdx.x & (across - 1);
        PRIM_UNROLL(1)
        for (unsigned r = threadIdx.x >> shape.across_bits; r < ranges; r += PARTIALS / across)
            stage_range(row(r), first + r * shape.ld, of_range, matrix, x, across);
    }
};

/* ---- a row, by some lanes ---- */

/* The value of up to a tile of a row. */
template <class Operator, class Source>
__device__ typename Source::value
value_of_tile(const Source &source, const row_vectors<typename Source::element> &tile,
              const short_rows &shape, unsigned count, unsigned lane)
{
    constexpr unsigned UNROLLED = sizeof(typename Source::element) > 1 ? ROW_PARTS : 0;
    if constexpr (UNROLLED > 0)
        if (source.plain() && shape.parts <= UNROLLED)
            return value_of_few_vectors<Operator, UNROLLED, true>(source, tile, count, lane,
                                                                  shape.lanes);
    return value_of_row<Operator>(source, tile, count, lane, shape.lanes, shape.parts);
}

/* Tiles' values are elements of one vector, and so combine one after the other. */
template <class Operator, class Source, class Result>
__device__ void reduce_staged_rows(const Source &source,
                                   const staged_rows<typename Source::element> &staged,
                                   size_t block_row, unsigned rows, const Result &result)
{
    const short_rows &shape = staged.shape;
    constexpr unsigned TILE = TILE_VECTORS * VECTOR_ELEMENTS<typename Source::element>;
    const unsigned lane = threadIdx.x & (shape.lanes - 1), at_once = PARTIALS / shape.lanes,
                   count = static_cast<unsigned>(shape.count);
    PRIM_UNROLL(1)
    for (unsigned first = 0; first < rows; first += at_once) {
        const unsigned r = first + threadIdx.x / shape.lanes;
        typename Source::value so_far = Source::template identity<Operator>();
        PRIM_UNROLL(1)
        for (unsigned begin = 0; begin < count; begin += TILE) {
            const unsigned left = count - begin, own = left < TILE ? left : TILE;
            so_far = Operator::combine(so_far, value_of_tile<Operator, Source>(
                                                   source, {staged.row(r) + begin, shape.aligned},
                                                   shape, r < rows ? own : 0, lane));
        }
        if (r < rows && lane == 0)
            result.store(block_row + r, so_far);
    }
}

} // namespace

#endif
