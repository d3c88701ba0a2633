/* Rows of up to a tile: a warp for each, or some lanes of one.
 *
 * A block brings its rows into shared memory, where a vector may begin at any element: what memory
 * is asked for are aligned vectors, whatever the pointer and the leading dimension. So many blocks
 * share a multiprocessor that some of them load while others combine.
 *
 *     global     ··│▒▒▒▒ ▒▒▒▒ ▒▒▒▒ ▒▒│▒▒ ▒▒▒▒ …     rows of 14: vectors of both lie across 16 bytes
 *     shared     ··│▒▒▒▒ ▒▒▒▒ ▒▒▒▒ ▒▒│▒▒ ▒▒▒▒ …     the same, as far past 16 bytes
 *     lanes         0    1    2    3    0    1      splice each vector from two aligned ones
 *
 * Up to four elements are no vector: a thread takes them as they are. */
#ifndef PRIM_REDUCE_WARP_ROWS_CUH
#define PRIM_REDUCE_WARP_ROWS_CUH

#include "common/async_copy.cuh"
#include "reduce/tile.cuh"

namespace
{

/* ---- into shared memory ---- */

/* What is the same for all rows. */
struct short_rows {
    size_t count, ld, rows;
    unsigned block_rows; /* of a block */
    unsigned lanes;      /* for a row, a power of two */
    unsigned parts;      /* partials of a lane, a power of two */
    unsigned pitch; /* elements from row to row in shared memory; 0: rows stay where they are */
    unsigned across_bits; /* so many threads, a power of two, bring a row */
};

/* What of a line are whole vectors, counted from the one that it begins in. */
struct whole_vectors {
    unsigned past, begin, end; /* elements that the line begins behind 16 bytes; vectors */
};

template <typename T>
__device__ whole_vectors whole_vectors_of(const T *line, unsigned count)
{
    constexpr unsigned WIDTH = VECTOR_ELEMENTS<T>;
    const unsigned past = bytes_past_vector(line) / sizeof(T);
    const unsigned begin = past > 0 ? 1 : 0, end = (past + count) / WIDTH;
    return {past, begin, end < begin ? begin : end};
}

/* By the threads x, x + across, … `to` lies as far past 16 bytes as `from`. */
template <typename T>
__device__ void stage_vectors(T *to, const T *from, unsigned count, unsigned x, unsigned across)
{
    const whole_vectors whole = whole_vectors_of(from, count);
    const vector<T> *const vectors = reinterpret_cast<const vector<T> *>(from - whole.past);
    vector<T> *const slots = reinterpret_cast<vector<T> *>(to - whole.past);
    PRIM_UNROLL(4)
    for (unsigned v = whole.begin + x; v < whole.end; v += across)
        copy_async(&slots[v], &vectors[v]);
}

/* What no whole vector holds, before them (end 0) or behind (end 1), element by element, so that
 * nothing outside the line is touched. */
template <typename T>
__device__ void stage_end(T *to, const T *from, unsigned count, unsigned end)
{
    constexpr unsigned WIDTH = VECTOR_ELEMENTS<T>;
    const whole_vectors whole = whole_vectors_of(from, count);
    const unsigned before = whole.begin * WIDTH - whole.past,
                   head = before < count ? before : count, behind = whole.end * WIDTH - whole.past;
    const unsigned begin = end == 0 ? 0 : behind;
    const unsigned left = end == 0 ? head : behind < count ? count - behind : 0;
    T x[WIDTH] = {};
    load_some(from + begin, left, x);
    PRIM_UNROLL(WIDTH)
    for (unsigned e = 0; e < WIDTH; e++)
        if (e < left)
            to[begin + e] = x[e];
}

/* All ends at once: they are waited for. Rows that keep their distance are one long row. */
template <typename T>
__device__ void stage_rows(T *to, const T *from, const short_rows &shape, unsigned rows)
{
    const bool one = shape.ld == shape.pitch && shape.ld == shape.count;
    const unsigned lines = one ? 1 : rows, across = one ? PARTIALS : 1u << shape.across_bits;
    const unsigned count = static_cast<unsigned>(shape.count) * (one ? rows : 1);
    const unsigned x = threadIdx.x & (across - 1), y = one ? 0 : threadIdx.x >> shape.across_bits;
    for (unsigned row = y; row < lines; row += PARTIALS / across)
        stage_vectors(to + row * shape.pitch, from + row * shape.ld, count, x, across);
    PRIM_UNROLL(1)
    for (unsigned i = threadIdx.x; i < 2 * lines; i += PARTIALS)
        stage_end(to + i / 2 * shape.pitch, from + i / 2 * shape.ld, count, i % 2);
    wait_for_copies();
}

/* ---- partials ---- */

/* Vectors v, v + 256, … of a row in shared memory. */
template <class Operator, class Source>
__device__ typename Source::value partial_of_row(const Source &source,
                                                 const typename Source::element *row,
                                                 unsigned count, unsigned v)
{
    using element = typename Source::element;
    constexpr unsigned WIDTH = VECTOR_ELEMENTS<element>;
    const unsigned past = bytes_past_vector(row);
    const vector<element> *const vectors =
        reinterpret_cast<const vector<element> *>(row - past / sizeof(element));
    typename Source::value so_far = Source::template identity<Operator>();
    PRIM_UNROLL(1)
    for (; v * WIDTH < count; v += PARTIALS) {
        vector<element> x = vectors[v];
        if (past > 0)
            x = spliced<element>(x, vectors[v + 1], past);
        const unsigned left = count - v * WIDTH;
        if (left >= WIDTH && source.plain()) {
            so_far = source.template take<Operator, true>(so_far, x, 0);
        } else {
            PRIM_UNROLL(WIDTH)
            for (unsigned e = 0; e < WIDTH; e++)
                if (e < left)
                    so_far = source.template take_one<Operator, false>(so_far, element_of(x, e));
        }
    }
    return so_far;
}

/* A lane takes its partials in such an order that two that meet follow each other, of eight
 * 0 4 2 6 1 5 3 7, and keeps up to three values that wait for theirs. */
template <typename Value>
struct waiting_values {
    Value one, two, four;

    /* true where `value` is that of all `parts`, up to eight. */
    template <class Operator>
    __device__ bool meet(unsigned step, unsigned parts, Value &value)
    {
        if (parts > 1) {
            if ((step & 1) == 0) {
                one = value;
                return false;
            }
            value = Operator::combine(one, value);
        }
        if (parts > 2) {
            if ((step & 2) == 0) {
                two = value;
                return false;
            }
            value = Operator::combine(two, value);
        }
        if (parts > 4) {
            if ((step & 4) == 0) {
                four = value;
                return false;
            }
            value = Operator::combine(four, value);
        }
        return true;
    }
};

constexpr unsigned MOST_PARTS = 8;

/* The last three bits of step from right to left, and of fewer parts the upper ones of these. */
__device__ inline unsigned part_at(unsigned step, unsigned parts)
{
    return ((step & 1) << 2 | (step & 2) | (step >> 2 & 1)) * parts / MOST_PARTS;
}

template <class Operator, class Source, class Result>
__device__ void reduce_staged_rows(const Source &source, const typename Source::element *staged,
                                   const short_rows &shape, size_t block_row, unsigned rows,
                                   const Result &result)
{
    using value = typename Source::value;
    const unsigned lane = threadIdx.x & (shape.lanes - 1),
                   count = static_cast<unsigned>(shape.count);
    const unsigned at_once = PARTIALS / shape.lanes;
    for (unsigned first = 0; first < rows; first += at_once) {
        const unsigned row = first + threadIdx.x / shape.lanes;
        const unsigned own_count = row < rows ? count : 0;
        waiting_values<value> waiting = {};
        value so_far;
        PRIM_UNROLL(1)
        for (unsigned step = 0;; step++) {
            const unsigned v = lane + part_at(step, shape.parts) * shape.lanes;
            so_far = partial_of_row<Operator>(source, &staged[row * shape.pitch], own_count, v);
            if (waiting.template meet<Operator>(step, shape.parts, so_far))
                break;
        }
        so_far = reduce_warp<Operator>(so_far, shape.lanes);
        if (row < rows && lane == 0)
            result.store(block_row + row, so_far);
    }
}

/* Wide values and many elements to a vector need more registers. */
template <class Source>
constexpr unsigned SHORT_ROW_BLOCKS = sizeof(typename Source::value) == 8     ? 4
                                      : sizeof(typename Source::element) == 1 ? 5
                                                                              : 6;

/* Up to four elements: each thread has eight rows, of wide values four, whose loads are under way
 * at once. */
constexpr unsigned FEW = 4;
template <typename Value>
constexpr unsigned ROWS_A_THREAD = sizeof(Value) == 8 ? 4 : 8;

template <class Operator, class Source, class Result>
__device__ void reduce_few_elements(const Source &source, const short_rows &shape, size_t block_row,
                                    unsigned rows, const Result &result)
{
    constexpr unsigned OWN = ROWS_A_THREAD<typename Source::value>;
    typename Source::value so_far[OWN];
    PRIM_UNROLL(OWN)
    for (unsigned j = 0; j < OWN; j++)
        so_far[j] = Source::template identity<Operator>();
    PRIM_UNROLL(1)
    for (unsigned i = 0; i < shape.count; i++) {
        typename Source::element x[OWN] = {};
        PRIM_UNROLL(OWN)
        for (unsigned j = 0; j < OWN; j++) {
            const unsigned row = threadIdx.x + j * PARTIALS;
            if (row < rows)
                x[j] = source.in[(block_row + row) * shape.ld + i];
        }
        PRIM_UNROLL(OWN)
        for (unsigned j = 0; j < OWN; j++)
            so_far[j] = source.template take_one<Operator, false>(so_far[j], x[j]);
    }
    PRIM_UNROLL(OWN)
    for (unsigned j = 0; j < OWN; j++) {
        const unsigned row = threadIdx.x + j * PARTIALS;
        if (row < rows)
            result.store(block_row + row, so_far[j]);
    }
}

template <class Operator, class Source, class Result>
__global__ void __launch_bounds__(PARTIALS, blocks_at_once(PARTIALS, SHORT_ROW_BLOCKS<Source>))
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
        reduce_few_elements<Operator>(source, shape, block_row, rows, result);
        return;
    }
    const element *const from = source.in + block_row * shape.ld;
    element *const first = staged + bytes_past_vector(from) / sizeof(element);
    stage_rows(first, from, shape, rows);
    __syncthreads();
    reduce_staged_rows<Operator>(source, first, shape, block_row, rows, result);
}

/* ---- the launch ---- */

/* So that six blocks are at work on a multiprocessor; and blocks so many that each has some. */
constexpr size_t MOST_STAGED_BYTES = 33 << 10, ENOUGH_BLOCKS = 264;

/* Rows without gaps stay as they are. Others may lie an odd number of vectors apart, so that lanes
 * which read the same vectors of neighbouring rows do not meet in a bank. */
template <typename T>
unsigned staged_pitch(size_t columns, size_t ld)
{
    constexpr unsigned WIDTH = VECTOR_ELEMENTS<T>;
    const unsigned pitch = static_cast<unsigned>(columns + (ld - columns) % WIDTH);
    return ld != columns && pitch / WIDTH % 2 == 0 ? pitch + WIDTH : pitch;
}

template <class Source>
short_rows shape_of_short_rows(const prim_reduce_args *args)
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
                        0};
    if (args->columns <= (WIDTH < FEW ? WIDTH : FEW))
        return shape;
    shape.pitch = staged_pitch<element>(args->columns, args->ld);
    while (shape.parts < MOST_PARTS && shape.parts < vectors)
        shape.parts *= 2;
    while (shape.lanes < WARP && shape.parts * shape.lanes < vectors)
        shape.lanes *= 2;
    while (shape.pitch % (BANKS * WIDTH) == 0 && shape.lanes < 4) {
        shape.lanes *= 2;
        shape.parts /= 2;
    }
    while (shape.across_bits < 8 && 1u << shape.across_bits < vectors)
        shape.across_bits++;
    const size_t most = MOST_STAGED_BYTES / (shape.pitch * sizeof(element)),
                 least = WARP / shape.lanes;
    shape.block_rows = static_cast<unsigned>(most);
    while (shape.block_rows / 2 >= least &&
           prim_divide_up(args->rows, shape.block_rows) < ENOUGH_BLOCKS)
        shape.block_rows /= 2;
    return shape;
}

template <class Operator, class Source, class Result>
cudaError_t reduce_rows_at_once(const Source &source, const prim_reduce_args *args,
                                const Result &result)
{
    using element = typename Source::element;
    const short_rows shape = shape_of_short_rows<Source>(args);
    launch_config where = {args->call.stream,
                           static_cast<unsigned>(prim_divide_up(args->rows, shape.block_rows)),
                           PARTIALS};
    if (shape.pitch > 0) /* the last row's last vector may reach further, by three at most */
        where.shared_bytes = static_cast<size_t>(shape.block_rows) * shape.pitch * sizeof(element) +
                             3 * VECTOR_BYTES;
    return prim_launch_dependent(where, reduce_short_rows<Operator, Source, Result>, source, shape,
                                 result);
}

/* Few rows that are not quite short have more threads as tiles. */
template <typename T>
bool are_short_rows(const prim_reduce_args *args)
{
    constexpr size_t WIDTH = VECTOR_ELEMENTS<T>, MANY = 2048;
    return args->rows > 1 && args->columns <= WIDTH * (args->rows < MANY ? WARP : TILE_VECTORS);
}

} // namespace

#endif
