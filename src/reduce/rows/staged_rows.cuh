/* Rows in shared memory: those with gaps between them are copied there, and each is combined by a
 * warp or by some lanes of one. */
#ifndef PRIM_REDUCE_STAGED_ROWS_CUH
#define PRIM_REDUCE_STAGED_ROWS_CUH

#include "reduce/rows/staged_line.cuh"
#include "reduce/tile/row_partials.cuh"

namespace
{

/* What is the same for all rows. */
struct short_rows {
    size_t count, ld, rows;
    unsigned block_rows; /* of a block */
    unsigned lanes;      /* for a row, a power of two */
    unsigned parts;      /* partials of a lane, a power of two */
    unsigned pitch; /* elements from row to row in shared memory; 0: rows stay where they are */
    unsigned across_bits; /* 2^across_bits threads copy a row */
    bool by_words;        /* each lane then reads a part of a row, or all of it, word by word */
};

/* ---- rows with gaps ---- */

/* Of rows with gaps, the ends first to first + 256, first + 512, … of a thread. */
template <typename T>
struct line_ends {
    static constexpr unsigned AT_ONCE = IS_NARROW<T> ? 4 : 1;

    line_end<T> ends[AT_ONCE];

    __device__ void load(T *to, const T *from, const short_rows &shape, unsigned rows,
                         unsigned first)
    {
        PRIM_UNROLL(AT_ONCE)
        for (unsigned j = 0; j < AT_ONCE; j++) {
            const unsigned i = first + j * PARTIALS;
            ends[j] = {};
            if (i < 2 * rows)
                ends[j].load(to + i / 2 * shape.pitch, from + i / 2 * shape.ld,
                             static_cast<unsigned>(shape.count), i % 2);
        }
    }
    __device__ void store(T *to, const short_rows &shape, unsigned rows, unsigned first) const
    {
        PRIM_UNROLL(AT_ONCE)
        for (unsigned j = 0; j < AT_ONCE; j++) {
            const unsigned i = first + j * PARTIALS;
            if (i < 2 * rows)
                ends[j].store(to + i / 2 * shape.pitch);
        }
    }
};

/* The whole vectors of rows with gaps. */
template <typename T>
__device__ void stage_row_vectors(T *to, const T *from, const short_rows &shape, unsigned rows)
{
    const unsigned across = 1u << shape.across_bits, x = threadIdx.x & (across - 1);
    for (unsigned row = threadIdx.x >> shape.across_bits; row < rows; row += PARTIALS / across) {
        const T *const line = from + row * shape.ld;
        stage_vectors(to + row * shape.pitch, line,
                      whole_vectors_of(line, static_cast<unsigned>(shape.count), false), x, across);
    }
}

/* Rows with gaps. Of narrow elements the first ends are loaded before all, since the thread waits
 * for these. */
template <typename T>
__device__ void stage_rows(T *to, const T *from, const short_rows &shape, unsigned rows)
{
    constexpr unsigned STEP = line_ends<T>::AT_ONCE * PARTIALS;
    line_ends<T> ends;
    unsigned i = threadIdx.x;
    if constexpr (IS_NARROW<T>)
        ends.load(to, from, shape, rows, i);
    stage_row_vectors(to, from, shape, rows);
    if constexpr (IS_NARROW<T>) {
        ends.store(to, shape, rows, i);
        i += STEP;
    }
    PRIM_UNROLL(1)
    for (; i < 2 * rows; i += STEP) {
        ends.load(to, from, shape, rows, i);
        ends.store(to, shape, rows, i);
    }
}

/* ---- a row, by some lanes ---- */

/* A row of up to 256 vectors, not of bytes, that are not transformed: a partial is one vector. */
template <class Operator, class Source>
struct plain_row {
    using element = typename Source::element;
    using value = typename Source::value;
    const Source &source;
    const vector<element> *vectors; /* in the first one, the row begins `past` bytes later */
    unsigned past, count, lane, lanes, parts;

    /* ONE_BY_ONE: instead of a vector that is spliced from two. */
    template <bool ONE_BY_ONE>
    __device__ value partial(unsigned v) const
    {
        constexpr unsigned WIDTH = VECTOR_ELEMENTS<element>;
        value so_far = Source::template identity<Operator>();
        if (v * WIDTH >= count)
            return so_far;
        if constexpr (ONE_BY_ONE) {
            const element *const first =
                reinterpret_cast<const element *>(vectors + v) + past / sizeof(element);
            PRIM_UNROLL(WIDTH)
            for (unsigned e = 0; e < WIDTH; e++)
                if (v * WIDTH + e < count)
                    so_far = source.template take_one<Operator, true>(so_far, first[e]);
            return so_far;
        }
        vector<element> x = vectors[v];
        if (past > 0)
            x = spliced<element>(x, vectors[v + 1], past);
        PRIM_UNROLL(WIDTH)
        for (unsigned e = 0; e < WIDTH; e++)
            if (v * WIDTH + e < count)
                so_far = source.template take_one<Operator, true>(so_far, element_of(x, e));
        return so_far;
    }

    /* Of this lane's parts `part`, part + STRIDE, …: halves first. */
    template <unsigned STRIDE, bool ONE_BY_ONE>
    __device__ value aggregate(unsigned part) const
    {
        if constexpr (STRIDE == MOST_PARTS) {
            return partial<ONE_BY_ONE>(lane + part * lanes);
        } else {
            const value first = aggregate<2 * STRIDE, ONE_BY_ONE>(part);
            return STRIDE < parts
                       ? Operator::combine(first, aggregate<2 * STRIDE, ONE_BY_ONE>(part + STRIDE))
                       : first;
        }
    }
};

/* The value of a tile of a row; the first lane's is right. */
template <class Operator, class Source>
__device__ typename Source::value
reduce_staged_tile(const Source &source, const typename Source::element *tile,
                   const short_rows &shape, unsigned count, unsigned lane)
{
    using element = typename Source::element;
    if constexpr (sizeof(element) > 1) {
        if (source.plain() && shape.count <= PARTIALS * VECTOR_ELEMENTS<element>) {
            const unsigned past = bytes_past_vector(tile);
            const plain_row<Operator, Source> row = {
                source,
                reinterpret_cast<const vector<element> *>(tile - past / sizeof(element)),
                past,
                count,
                lane,
                shape.lanes,
                shape.parts};
            if constexpr (sizeof(element) == 2)
                if (shape.lanes == 1 && shape.pitch % 2 == 1) /* so that banks differ */
                    return row.template aggregate<1, true>(0);
            return reduce_warp<Operator>(row.template aggregate<1, false>(0), shape.lanes);
        }
    }
    waiting_values<typename Source::value> waiting = {};
    PRIM_UNROLL(1)
    for (unsigned step = 0;; step++) {
        const unsigned v = lane + part_at(step, shape.parts) * shape.lanes;
        typename Source::value so_far = partial_of_row<Operator>(source, tile, count, v);
        if (waiting.template meet<Operator>(step, shape.parts, so_far))
            return reduce_warp<Operator>(so_far, shape.lanes);
    }
}

/* Tiles' values are elements of one vector, and so combine one after the other. */
template <class Operator, class Source, class Result>
__device__ void reduce_staged_rows(const Source &source, const typename Source::element *staged,
                                   const short_rows &shape, size_t block_row, unsigned rows,
                                   const Result &result)
{
    using value = typename Source::value;
    constexpr unsigned TILE = TILE_VECTORS * VECTOR_ELEMENTS<typename Source::element>;
    const unsigned lane = threadIdx.x & (shape.lanes - 1),
                   count = static_cast<unsigned>(shape.count);
    const unsigned at_once = PARTIALS / shape.lanes;
    for (unsigned first = 0; first < rows; first += at_once) {
        const unsigned row = first + threadIdx.x / shape.lanes;
        value so_far = Source::template identity<Operator>();
        PRIM_UNROLL(1)
        for (unsigned begin = 0; begin < count; begin += TILE) {
            const unsigned left = count - begin, own = left < TILE ? left : TILE;
            so_far = Operator::combine(
                so_far, reduce_staged_tile<Operator>(source, &staged[row * shape.pitch + begin],
                                                     shape, row < rows ? own : 0, lane));
        }
        if (row < rows && lane == 0)
            result.store(block_row + row, so_far);
    }
}

} // namespace

#endif
