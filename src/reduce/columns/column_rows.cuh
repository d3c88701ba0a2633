/* A thread's rows of a matrix whose columns are reduced: a vector of columns, from row to row. */
#ifndef PRIM_REDUCE_COLUMN_ROWS_CUH
#define PRIM_REDUCE_COLUMN_ROWS_CUH

#include "common/block/part_vector.cuh"
#include "common/block/warp.cuh"
#include "reduce/columns/packed_sums.cuh"

namespace
{
namespace columns
{

/* The columns and rows of a thread. */
struct column_place {
    unsigned tile;
    size_t column, row;    /* the first of each */
    unsigned width, depth; /* how many of each; rows are `height` apart */
};

/* Shifts, and one division of 32 bits: the time of a block's start counts. */
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

/* How a thread reads its part of a row: as a vector. */
template <class Source>
struct by_vectors {
    /* Four loads in flight in each of 1536 threads: eight in half as many took 5 % longer. */
    static constexpr unsigned AT_ONCE = 4;

    const Source &source;

    __device__ typename Source::loaded load(size_t at) const
    {
        return source.template load<true>(at);
    }
    __device__ typename Source::loaded complete(const typename Source::loaded &x, size_t) const
    {
        return x;
    }
};

/* Where rows do not begin at vectors, spliced from two, which are in flight together. */
template <class Source>
struct by_two_vectors {
    using element = typename Source::element;
    static constexpr unsigned AT_ONCE = sizeof(element) == 2 ? 3 : 2;
    struct loaded {
        typename Source::loaded first, second;
    };

    const Source &source;

    __device__ loaded load(size_t at) const
    {
        const element *const around = vector_around(&source.in[at]);
        return {load_vector(around), load_vector(around + VECTOR_ELEMENTS<element>)};
    }
    __device__ typename Source::loaded complete(const loaded &x, size_t at) const
    {
        return spliced<element>(x.first, x.second, bytes_past_vector(&source.in[at]));
    }
};

/* Or only what is in the row. Rows of a thread lie a multiple of four rows apart, and so as far
 * past a word. */
template <class Source, bool FROM_WORD>
struct by_parts {
    using part = part_vector<typename Source::element, FROM_WORD>;
    /* What is loaded of bytes takes nine registers a row, or six. */
    static constexpr unsigned AT_ONCE = sizeof(typename Source::element) > 1 ? 4
                                        : FROM_WORD                          ? 3
                                                                             : 2;

    const Source &source;
    part of_row;

    __device__ typename part::loaded load(size_t at) const
    {
        return of_row.load(&source.in[at]);
    }
    __device__ typename Source::loaded complete(const typename part::loaded &x, size_t) const
    {
        return of_row.elements(x);
    }
};
static_assert(PRIM_COLUMN_THREADS >> PRIM_COLUMN_WIDE_ACROSS_BITS >= WORD_BYTES, "rows apart");

/* Combines a thread's rows, some at a time: passes each vector to add(). */
template <class Reader, class Add>
__device__ void read_rows(const Reader &reader, size_t at, size_t step, unsigned end,
                          const Add &add)
{
    PRIM_UNROLL(1)
    for (unsigned k = 0; k < end; k += Reader::AT_ONCE) {
        decltype(reader.load(at)) x[Reader::AT_ONCE];
        PRIM_UNROLL(Reader::AT_ONCE)
        for (unsigned j = 0; j < Reader::AT_ONCE; j++)
            if (k + j < end)
                x[j] = reader.load(at + (k + j) * step);
        PRIM_UNROLL(Reader::AT_ONCE)
        for (unsigned j = 0; j < Reader::AT_ONCE; j++)
            if (k + j < end)
                add(reader.complete(x[j], at + (k + j) * step));
    }
}

template <class Operator, bool PLAIN, class Reader, class Source, unsigned WIDTH>
__device__ void take_rows(const Reader &reader, const Source &source, size_t at, size_t step,
                          unsigned depth, typename Source::value (&so_far)[WIDTH])
{
    using loaded = typename Source::loaded;
    if constexpr (PLAIN && PACKS<Operator, Source>) {
        packed_sums sums = {};
        read_rows(reader, at, step, depth, [&sums](const loaded &x) { sums.add(x); });
        sums.add_to(so_far);
    } else {
        read_rows(reader, at, step, depth, [&source, &so_far](const loaded &x) {
            for (unsigned e = 0; e < WIDTH; e++)
                so_far[e] = source.template take_one<Operator, PLAIN>(so_far[e], element_of(x, e));
        });
    }
}

template <class Operator, class Reader, class Source, unsigned WIDTH>
__device__ void walk_rows(const Reader &reader, const Source &source, size_t at, size_t step,
                          unsigned depth, typename Source::value (&so_far)[WIDTH])
{
    if (source.plain())
        take_rows<Operator, true>(reader, source, at, step, depth, so_far);
    else
        take_rows<Operator, false>(reader, source, at, step, depth, so_far);
}

/* Where all of a thread's rows can be loaded as vectors. */
template <class Operator, class Source, unsigned WIDTH>
__device__ void walk_vectors(const Source &source, bool aligned, size_t at, size_t step,
                             unsigned depth, typename Source::value (&so_far)[WIDTH])
{
    if (aligned)
        walk_rows<Operator>(by_vectors<Source>{source}, source, at, step, depth, so_far);
    else
        walk_rows<Operator>(by_two_vectors<Source>{source}, source, at, step, depth, so_far);
}

/* Elements begin to end of a vector. */
template <class Operator, class Source, unsigned WIDTH>
__device__ void take_between(const Source &source, size_t at, size_t begin, size_t end,
                             typename Source::value (&so_far)[WIDTH])
{
    PRIM_UNROLL(WIDTH)
    for (unsigned e = 0; e < WIDTH; e++)
        if (e >= begin && e < end)
            so_far[e] = source.template take_one<Operator, false>(so_far[e], source.in[at + e]);
}

/* A matrix of up to that many columns: single elements of several rows at a time. */
template <typename T>
constexpr unsigned MOST_SINGLES = IS_NARROW<T>             ? 1
                                  : VECTOR_ELEMENTS<T> < 4 ? VECTOR_ELEMENTS<T>
                                                           : 4;

template <class Operator, unsigned COLUMNS, class Source, unsigned WIDTH>
__device__ void walk_columns(const Source &source, size_t at, size_t step, unsigned depth,
                             unsigned width, typename Source::value (&so_far)[WIDTH])
{
    constexpr unsigned ROWS = COLUMNS == 1 ? 8 : 8 / COLUMNS * 2;
    for (unsigned k = 0; k < depth; k += ROWS) {
        typename Source::element x[ROWS][COLUMNS] = {};
        PRIM_UNROLL(ROWS)
        for (unsigned j = 0; j < ROWS; j++) {
            PRIM_UNROLL(COLUMNS)
            for (unsigned e = 0; e < COLUMNS; e++)
                if (k + j < depth && e < width)
                    x[j][e] = source.in[at + (k + j) * step + e];
        }
        PRIM_UNROLL(ROWS)
        for (unsigned j = 0; j < ROWS; j++) {
            PRIM_UNROLL(COLUMNS)
            for (unsigned e = 0; e < COLUMNS; e++)
                if (k + j < depth && e < width)
                    so_far[e] = source.template take_one<Operator, false>(so_far[e], x[j][e]);
        }
    }
}

template <class Operator, class Source, unsigned WIDTH>
__device__ void walk_singles(const Source &source, size_t at, size_t step, const column_place &p,
                             typename Source::value (&so_far)[WIDTH])
{
    constexpr unsigned MOST = MOST_SINGLES<typename Source::element>;
    if (p.width == 1)
        walk_columns<Operator, 1>(source, at, step, p.depth, 1, so_far);
    else if constexpr (MOST == 2)
        walk_columns<Operator, 2>(source, at, step, p.depth, p.width, so_far);
    else if constexpr (MOST > 2) {
        if (p.width == 2)
            walk_columns<Operator, 2>(source, at, step, p.depth, p.width, so_far);
        else
            walk_columns<Operator, MOST>(source, at, step, p.depth, p.width, so_far);
    }
}

/* Whether all of a thread's rows can be loaded as vectors, which reach into the next row where
 * there are no gaps: then only the matrix's first and last rows are excluded. */
template <unsigned WIDTH>
__device__ bool can_load_vectors(bool aligned, size_t ld, size_t rows, size_t columns, size_t at,
                                 size_t step, const column_place &p)
{
    if (p.width == 0 || p.depth == 0)
        return true;
    if (aligned)
        return p.width == WIDTH;
    if (ld != columns)
        return p.column >= WIDTH && p.column + 2 * WIDTH <= columns;
    return at >= WIDTH && at + (p.depth - 1) * step + 2 * WIDTH <= rows * columns;
}

/* Rows of narrow elements that begin at words need no shifts. */
template <class Operator, class Source, unsigned WIDTH>
__device__ void walk_parts(const Source &source, size_t ld, size_t rows, size_t at, size_t step,
                           unsigned width, unsigned depth, typename Source::value (&so_far)[WIDTH])
{
    using element = typename Source::element;
    if constexpr (IS_NARROW<element>)
        if (lines_are_aligned(source.in, rows, ld * sizeof(element), WORD_BYTES)) {
            walk_rows<Operator>(by_parts<Source, true>{source, {&source.in[at], width}}, source, at,
                                step, depth, so_far);
            return;
        }
    walk_rows<Operator>(by_parts<Source, false>{source, {&source.in[at], width}}, source, at, step,
                        depth, so_far);
}

/* Combines a thread's rows, in order. A warp reads all by vectors or all by parts, since one after
 * the other would take both times. */
template <class Operator, class Source, unsigned WIDTH>
__device__ void walk(const Source &source, size_t ld, size_t rows, size_t columns, size_t at,
                     size_t step, const column_place &p, typename Source::value (&so_far)[WIDTH])
{
    const unsigned depth = p.width == 0 ? 0 : p.depth; /* past the last column */
    if (columns <= MOST_SINGLES<typename Source::element> && (!source.aligned || p.width < WIDTH)) {
        walk_singles<Operator>(source, at, step, p, so_far);
        return;
    }
    const bool vectors = can_load_vectors<WIDTH>(source.aligned, ld, rows, columns, at, step, p);
    if (__ballot_sync(ALL_LANES, !vectors) == 0)
        walk_vectors<Operator>(source, source.aligned, at, step, depth, so_far);
    else
        walk_parts<Operator>(source, ld, rows, at, step, p.width, depth, so_far);
}

} // namespace columns
} // namespace

#endif
