/* Rows of up to a tile and a half: a warp for each, or some lanes of one.
 *
 * A block copies its rows into shared memory by aligned vectors, whatever the pointer and the
 * leading dimension; there a vector may begin at any element. Several blocks share a
 * multiprocessor, so that some copy while others combine.
 *
 *     global     ··│▒▒▒▒ ▒▒▒▒ ▒▒▒▒ ▒▒│▒▒ ▒▒▒▒ …     rows of 14: vectors of both lie across 16 bytes
 *     shared     ··│▒▒▒▒ ▒▒▒▒ ▒▒▒▒ ▒▒│▒▒ ▒▒▒▒ …     the same, as far past 16 bytes
 *     lanes         0    1    2    3    0    1      have a vector each, or several */
#ifndef PRIM_REDUCE_WARP_ROWS_CUH
#define PRIM_REDUCE_WARP_ROWS_CUH

#include "reduce/rows/staged_rows.cuh"
#include "reduce/vectorized.h"

namespace
{

/* ---- the kernel ---- */

/* Wide values and many elements to a vector need more registers. */
template <class Operator, class Source>
[[maybe_unused]] constexpr unsigned SHORT_ROW_BLOCKS =
    sizeof(typename Source::value) == 8                                             ? 4
    : IS_NARROW<typename Source::element> || Source::template turns_wider<Operator> ? 5
                                                                                    : 6;

template <class Operator, class Source, class Result>
__global__ void __launch_bounds__(PARTIALS,
                                  blocks_at_once(PARTIALS, SHORT_ROW_BLOCKS<Operator, Source>))
    reduce_short_rows(Source source, short_rows shape, Result result)
{
    using element = typename Source::element;
    PRIM_SHARED_DYNAMIC(element, room);
    const size_t block_row = static_cast<size_t>(blockIdx.x) * shape.block_rows;
    const size_t left = shape.rows - block_row;
    const unsigned rows = left < shape.block_rows ? static_cast<unsigned>(left) : shape.block_rows;
    const staged_rows<element> staged = {room, source.in + block_row * shape.ld, shape};
    trigger_launch_completion();
    grid_dependency_synchronize();
    staged.copy(block_row, rows);
    wait_for_copies();
    __syncthreads();
    reduce_staged_rows<Operator>(source, staged, block_row, rows, result);
}

/* ---- the launch ---- */

/* A few rows that are not very short get more threads as tiles. Of many, those a little longer than
 * a tile would have blocks for a few bytes each. */
template <typename T>
bool are_short_rows(const prim_reduce_args *args)
{
    constexpr size_t WIDTH = VECTOR_ELEMENTS<T>, MANY = 2048;
    return args->rows > 1 &&
           args->columns <= WIDTH * (args->rows < MANY ? PARTIALS / 2 : TILE_VECTORS * 3 / 2);
}

/* Lanes have parts of rows of one vector, and of rows of narrow integers, whose order counts for
 * nothing, where each row's vectors would have to be shifted by another distance. */
template <typename T>
prim_reduce_route route_of_short_rows(const prim_reduce_args *args)
{
    constexpr unsigned WIDTH = VECTOR_ELEMENTS<T>;
    const bool any_order = IS_NARROW<T> && std::is_integral<T>::value;
    return args->columns <= WIDTH || (any_order && args->ld % WIDTH != 0)
               ? PRIM_REDUCE_STAGED_PARTS
               : PRIM_REDUCE_STAGED_VECTORS;
}

/* So much that a multiprocessor has room for six blocks; and enough blocks for all of these. */
constexpr size_t MOST_STAGED_BYTES = 33 << 10, ENOUGH_BLOCKS = 264;

/* Whether rows are copied one by one. Otherwise their gaps are read as well, which costs little as
 * long as they are shorter than the 32 bytes that memory is read by, or much shorter than a row. */
inline bool goes_by_rows(size_t row_bytes, size_t gap_bytes)
{
    return gap_bytes >= 128 || (gap_bytes >= 32 && 4 * gap_bytes >= row_bytes);
}

/* How rows lie in shared memory. Ranges that are rows lie an odd number of vectors apart, so that
 * lanes which read the same vector of neighbouring rows have no bank conflicts. */
template <typename T>
void place_rows(short_rows &shape, const void *in)
{
    constexpr unsigned WIDTH = VECTOR_ELEMENTS<T>;
    shape.alike = shape.ld % WIDTH == 0;
    shape.by_rows = goes_by_rows(shape.count * sizeof(T), (shape.ld - shape.count) * sizeof(T));
    shape.across_bits = 8;
    shape.pitch = static_cast<unsigned>(shape.ld);
    if (!shape.by_rows)
        return;
    const unsigned past = lines_are_aligned(in, shape.rows, shape.ld * sizeof(T)) ? 0 : WIDTH - 1,
                   vectors = (shape.count + past + WIDTH - 1) / WIDTH;
    shape.pitch = (vectors | 1) * WIDTH;
    shape.across_bits = 0;
    while (shape.across_bits < 8 && 2u << shape.across_bits <= shape.count / WIDTH)
        shape.across_bits++;
}

/* How many threads of a warp at most read from one bank, if `lanes` have a row's parts. */
template <typename T>
unsigned threads_at_a_bank(unsigned columns, unsigned pitch, unsigned lanes)
{
    const unsigned of_part = elements_of_part<T>(columns, lanes);
    unsigned threads[WARP] = {}, most = 0;
    for (unsigned i = 0; i < WARP; i++) {
        const unsigned element = i / lanes * pitch + i % lanes * of_part;
        const unsigned here = ++threads[element * sizeof(T) / WORD_BYTES % WARP];
        most = here > most ? here : most;
    }
    return most;
}

/* So many lanes that most threads have a part, and more where eight threads would read from one
 * bank, which took 170 us for what four threads do in 140. Rows of one vector get one lane each,
 * whatever the type: a block has room for more than 200 of them. */
template <typename T>
void share_by_parts(short_rows &shape, unsigned rows)
{
    while (shape.lanes < WARP && rows * shape.lanes < PARTIALS * 5 / 8)
        shape.lanes *= 2;
    while (shape.lanes < WARP && shape.count > VECTOR_ELEMENTS<T> &&
           threads_at_a_bank<T>(shape.count, shape.pitch, shape.lanes) > 4)
        shape.lanes *= 2;
}

/* Up to eight vectors a lane; fewer where rows that begin at the same banks would have a lane
 * each. */
template <typename T>
void share_by_vectors(short_rows &shape)
{
    constexpr unsigned WIDTH = VECTOR_ELEMENTS<T>, BANKS = 8; /* of 16 bytes */
    const unsigned vectors = (shape.count + WIDTH - 1) / WIDTH;
    while (shape.parts < MOST_PARTS && shape.parts < vectors)
        shape.parts *= 2;
    while (shape.lanes < WARP && shape.parts * shape.lanes < vectors)
        shape.lanes *= 2;
    while (shape.parts > 1 && shape.lanes < 4 && shape.pitch % (BANKS * WIDTH) == 0) {
        shape.lanes *= 2;
        shape.parts /= 2;
    }
}

template <typename T>
short_rows shape_of_short_rows(const prim_reduce_args *args, prim_reduce_route route)
{
    short_rows shape = {};
    shape.count = static_cast<unsigned>(args->columns);
    shape.ld = args->columns > 0 ? args->ld : 0; /* a matrix of no columns has no gaps either */
    shape.rows = args->rows;
    shape.lanes = shape.parts = 1;
    place_rows<T>(shape, args->in);
    size_t rows = MOST_STAGED_BYTES / ((shape.pitch > 0 ? shape.pitch : 1) * sizeof(T));
    shape.by_parts = route == PRIM_REDUCE_STAGED_PARTS;
    if (shape.by_parts)
        share_by_parts<T>(shape, static_cast<unsigned>(rows));
    else
        share_by_vectors<T>(shape);
    const unsigned at_once = PARTIALS / shape.lanes, least = WARP / shape.lanes;
    rows -= rows > at_once ? rows % at_once : 0;
    while (rows / 2 >= least && prim_divide_up(args->rows, rows) < ENOUGH_BLOCKS)
        rows /= 2;
    shape.block_rows = static_cast<unsigned>(rows);
    return shape;
}

template <class Operator, class Source, class Result>
cudaError_t reduce_rows_at_once(const Source &source, const prim_reduce_args *args,
                                prim_reduce_route route, const Result &result)
{
    using element = typename Source::element;
    const short_rows shape = shape_of_short_rows<element>(args, route);
    launch_config where = {args->call.stream,
                           static_cast<unsigned>(prim_divide_up(args->rows, shape.block_rows)),
                           PARTIALS};
    /* the first row begins in the first vector, and the last one's last may be two further */
    where.shared_bytes =
        static_cast<size_t>(shape.block_rows) * shape.pitch * sizeof(element) + 3 * VECTOR_BYTES;
    return prim_launch_dependent(where, reduce_short_rows<Operator, Source, Result>, source, shape,
                                 result);
}

} // namespace

#endif
