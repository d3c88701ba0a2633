/* Rows of up to a tile and a half: a warp for each, or some lanes of one.
 *
 * A block copies its rows into shared memory, where a vector may begin at any element: global
 * memory is read by aligned vectors, whatever the pointer and the leading dimension. Several blocks
 * share a multiprocessor, so that some load while others combine.
 *
 *     global     ··│▒▒▒▒ ▒▒▒▒ ▒▒▒▒ ▒▒│▒▒ ▒▒▒▒ …     rows of 14: vectors of both lie across 16 bytes
 *     shared     ··│▒▒▒▒ ▒▒▒▒ ▒▒▒▒ ▒▒│▒▒ ▒▒▒▒ …     the same, as far past 16 bytes
 *     lanes         0    1    2    3    0    1      splice each vector from two aligned ones
 *
 * A thread has a row of up to four elements, or of 16 bytes of narrow ones, to itself: with gaps
 * between rows it reads it from memory, without gaps out of shared memory too. With gaps, wide
 * elements may be four vectors. Longer rows of narrow integers are read word by word, since nothing
 * then has to be spliced. */
#ifndef PRIM_REDUCE_WARP_ROWS_CUH
#define PRIM_REDUCE_WARP_ROWS_CUH

#include "reduce/rows/row_words.cuh"
#include "reduce/rows/thread_rows.cuh"
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
    PRIM_SHARED_DYNAMIC(element, staged);
    const size_t block_row = static_cast<size_t>(blockIdx.x) * shape.block_rows;
    const size_t left = shape.rows - block_row;
    const unsigned rows = left < shape.block_rows ? static_cast<unsigned>(left) : shape.block_rows;
    trigger_launch_completion();
    grid_dependency_synchronize();
    if (shape.pitch == 0) {
        if constexpr (IS_NARROW<element>)
            if (shape.count > 1) {
                reduce_few_parts<Operator>(source, shape, block_row, rows, result);
                return;
            }
        if constexpr (!IS_NARROW<element>)
            if (shape.count > FEW_ELEMENTS<element>) {
                if (shape.count <= 2 * VECTOR_ELEMENTS<element>)
                    reduce_vectors<2, Operator>(source, shape, block_row, rows, result);
                else
                    reduce_vectors<4, Operator>(source, shape, block_row, rows, result);
                return;
            }
        reduce_few_elements<Operator>(source, shape, block_row, rows, result);
        return;
    }
    const element *const from = source.in + block_row * shape.ld;
    element *const first = staged + bytes_past_vector(from) / sizeof(element);
    if (shape.ld == shape.count)
        stage_span(first, from, rows * static_cast<unsigned>(shape.count), block_row == 0,
                   (shape.rows - block_row - rows) * shape.count < VECTOR_ELEMENTS<element>);
    else
        stage_rows(first, from, shape, rows);
    wait_for_copies();
    __syncthreads();
    if constexpr (IS_NARROW<element>)
        if (shape.by_words) {
            if (std::is_integral<element>::value && shape.lanes > 1)
                reduce_staged_parts<Operator>(source, first, shape, block_row, rows, result);
            else
                reduce_staged_words<Operator>(source, first, shape, block_row, rows, result);
            return;
        }
    reduce_staged_rows<Operator>(source, first, shape, block_row, rows, result);
}

/* ---- how rows lie in shared memory ---- */

/* So that a multiprocessor holds six blocks; and enough blocks for all multiprocessors. */
constexpr size_t MOST_STAGED_BYTES = 33 << 10, ENOUGH_BLOCKS = 264;

/* Elements from row to row in shared memory, at least: as far past 16 bytes as in memory. */
template <typename T>
unsigned least_pitch(size_t columns, size_t ld)
{
    return static_cast<unsigned>(columns + (ld - columns) % VECTOR_ELEMENTS<T>);
}

/* Narrow elements: rows of one vector; and longer ones whose order counts for nothing and that
 * would have to be spliced. Those that begin at vectors would meet in the same banks. */
template <typename T>
bool goes_by_words(size_t columns, size_t ld)
{
    constexpr unsigned WIDTH = VECTOR_ELEMENTS<T>;
    return IS_NARROW<T> && (columns <= WIDTH || (std::is_integral<T>::value &&
                                                 least_pitch<T>(columns, ld) % WIDTH != 0));
}

/* How many threads of a warp at most read from one bank, if `lanes` have a row's parts. */
template <typename T>
unsigned threads_at_a_bank(unsigned columns, unsigned pitch, unsigned lanes)
{
    constexpr unsigned IN_WORD = WORD_BYTES / sizeof(T);
    const unsigned of_part = words_of_part<T>(columns, lanes);
    unsigned threads[WARP] = {}, most = 0;
    for (unsigned i = 0; i < WARP; i++) {
        const unsigned word = i / lanes * pitch / IN_WORD + i % lanes * of_part;
        const unsigned here = ++threads[word % WARP];
        most = here > most ? here : most;
    }
    return most;
}

/* Rows without gaps stay as they are, and so do those that are read by words. Others may lie an odd
 * number of vectors apart, so that lanes which read the same vector of neighbouring rows have no
 * bank conflicts. */
template <typename T>
unsigned staged_pitch(size_t columns, size_t ld, bool by_words)
{
    constexpr unsigned WIDTH = VECTOR_ELEMENTS<T>;
    const unsigned pitch = least_pitch<T>(columns, ld);
    return ld != columns && pitch / WIDTH % 2 == 0 && !by_words ? pitch + WIDTH : pitch;
}

/* As many rows as a block has room for. */
template <typename T>
unsigned staged_rows(unsigned pitch)
{
    return static_cast<unsigned>(MOST_STAGED_BYTES / (pitch * sizeof(T)));
}

/* How many lanes have a row's parts: so many that most threads have one, and more where eight
 * threads would read from one bank, which took 170 us for what four threads do in 140. */
template <typename T>
unsigned lanes_by_words(size_t columns, size_t ld)
{
    const unsigned count = static_cast<unsigned>(columns),
                   pitch = staged_pitch<T>(columns, ld, true), rows = staged_rows<T>(pitch);
    unsigned lanes = 1;
    while (lanes < WARP && rows * lanes < PARTIALS * 5 / 8)
        lanes *= 2;
    while (lanes < WARP && count > VECTOR_ELEMENTS<T> &&
           threads_at_a_bank<T>(count, pitch, lanes) > 4)
        lanes *= 2;
    return lanes;
}

/* ---- which route short rows take ---- */

/* A few rows that are not very short get more threads as tiles. Of many, those a little longer than
 * a tile would have blocks for a few bytes each. */
template <typename T>
bool are_short_rows(const prim_reduce_args *args)
{
    constexpr size_t WIDTH = VECTOR_ELEMENTS<T>, MANY = 2048;
    return args->rows > 1 &&
           args->columns <= WIDTH * (args->rows < MANY ? PARTIALS / 2 : TILE_VECTORS * 3 / 2);
}

/* Whether threads read their rows from memory: those with gaps, and without gaps the shortest ones
 * of wide elements. Longer ones would need several loads of the same lines, which L1 may have lost
 * by then; but not vectors, one after the other. */
template <typename T>
bool goes_from_memory(const prim_reduce_args *args)
{
    const bool few = args->columns <= FEW_ELEMENTS<T>,
               gaps = args->columns != args->ld || args->columns == 0;
    if (!few)
        return !IS_NARROW<T> && gaps && args->columns <= 4 * VECTOR_ELEMENTS<T> &&
               lines_are_aligned(args->in, args->rows, args->ld * sizeof(T));
    return gaps || (!IS_NARROW<T> && args->columns * sizeof(T) <= VECTOR_BYTES / 2);
}

template <typename T>
prim_reduce_route route_of_short_rows(const prim_reduce_args *args)
{
    if (goes_from_memory<T>(args))
        return args->columns > FEW_ELEMENTS<T>     ? PRIM_REDUCE_THREAD_VECTORS
               : IS_NARROW<T> && args->columns > 1 ? PRIM_REDUCE_THREAD_WORDS
                                                   : PRIM_REDUCE_THREAD_ELEMENTS;
    if constexpr (IS_NARROW<T>)
        if (goes_by_words<T>(args->columns, args->ld))
            return lanes_by_words<T>(args->columns, args->ld) > 1 ? PRIM_REDUCE_STAGED_PARTS
                                                                  : PRIM_REDUCE_STAGED_WORDS;
    return PRIM_REDUCE_STAGED_VECTORS;
}

/* ---- the launch ---- */

/* The kernel reads the route from the shape: rows that stay in memory have no pitch. */
template <class Source>
short_rows shape_of_short_rows(const prim_reduce_args *args, prim_reduce_route route)
{
    using element = typename Source::element;
    constexpr unsigned WIDTH = VECTOR_ELEMENTS<element>, BANKS = 8; /* of 16 bytes */
    const size_t vectors = prim_divide_up(args->columns, WIDTH);
    short_rows shape = {args->columns,
                        args->ld,
                        args->rows,
                        ROWS_A_THREAD<typename Source::value> * PARTIALS,
                        1,
                        1,
                        0,
                        0,
                        false};
    if (route < PRIM_REDUCE_STAGED_WORDS)
        return shape;
    shape.by_words = route != PRIM_REDUCE_STAGED_VECTORS;
    shape.pitch = staged_pitch<element>(args->columns, args->ld, shape.by_words);
    shape.block_rows = staged_rows<element>(shape.pitch);
    if constexpr (IS_NARROW<element>)
        if (route == PRIM_REDUCE_STAGED_PARTS)
            shape.lanes = lanes_by_words<element>(args->columns, args->ld);
    if (!shape.by_words) {
        while (shape.parts < MOST_PARTS && shape.parts < vectors)
            shape.parts *= 2;
        while (shape.lanes < WARP && shape.parts * shape.lanes < vectors)
            shape.lanes *= 2;
        while (shape.pitch % (BANKS * WIDTH) == 0 && shape.lanes < 4) {
            shape.lanes *= 2;
            shape.parts /= 2;
        }
    }
    while (shape.across_bits < 8 && 2u << shape.across_bits <= args->columns / WIDTH)
        shape.across_bits++;
    const unsigned at_once = PARTIALS / shape.lanes, least = WARP / shape.lanes;
    if (shape.block_rows > at_once)
        shape.block_rows -= shape.block_rows % at_once;
    while (shape.block_rows / 2 >= least &&
           prim_divide_up(args->rows, shape.block_rows) < ENOUGH_BLOCKS)
        shape.block_rows /= 2;
    return shape;
}

template <class Operator, class Source, class Result>
cudaError_t reduce_rows_at_once(const Source &source, const prim_reduce_args *args,
                                prim_reduce_route route, const Result &result)
{
    using element = typename Source::element;
    const short_rows shape = shape_of_short_rows<Source>(args, route);
    launch_config where = {args->call.stream,
                           static_cast<unsigned>(prim_divide_up(args->rows, shape.block_rows)),
                           PARTIALS};
    if (shape.pitch > 0) /* the last row's last vector may reach further, by three at most */
        where.shared_bytes = static_cast<size_t>(shape.block_rows) * shape.pitch * sizeof(element) +
                             3 * VECTOR_BYTES;
    return prim_launch_dependent(where, reduce_short_rows<Operator, Source, Result>, source, shape,
                                 result);
}

} // namespace

#endif
