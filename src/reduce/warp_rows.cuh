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

constexpr unsigned WARPS = PARTIALS / WARP;

/* ---- into shared memory ---- */

/* What is the same for all rows. */
struct short_rows {
    size_t count, ld, rows;
    unsigned block_rows; /* of a block */
    unsigned group;      /* the lanes for a row, a power of two; above 32: a whole warp has one */
    unsigned steps;      /* rows that a warp has one after the other */
    unsigned pitch; /* elements from row to row in shared memory; 0: rows stay where they are */
    unsigned across_bits; /* so many threads, a power of two, bring a row */
};

/* One aligned vector of a row that begins `past` elements behind `from` and ends at `end`. Its ends
 * come one by one: what lies outside is not touched. */
template <typename T>
__device__ void stage_vector(T *to, const T *from, size_t at, size_t past, size_t end)
{
    constexpr unsigned WIDTH = VECTOR_ELEMENTS<T>;
    if (at >= past && at + WIDTH <= end) {
        copy_async(reinterpret_cast<vector<T> *>(&to[at]),
                   reinterpret_cast<const vector<T> *>(&from[at]));
        return;
    }
    T x[WIDTH] = {};
    PRIM_UNROLL(WIDTH)
    for (unsigned e = 0; e < WIDTH; e++)
        if (at + e >= past && at + e < end)
            x[e] = from[at + e];
    PRIM_UNROLL(WIDTH)
    for (unsigned e = 0; e < WIDTH; e++)
        if (at + e >= past && at + e < end)
            to[at + e] = x[e];
}

/* A row begins as far past 16 bytes as in global memory: the pitch is the leading dimension less
 * whole vectors. Rows without gaps are one long row. */
template <typename T>
__device__ void stage_rows(const T *from, const short_rows &shape, unsigned rows, T *to)
{
    constexpr unsigned WIDTH = VECTOR_ELEMENTS<T>;
    const bool gap_free = shape.ld == shape.count;
    const unsigned across_bits = gap_free ? 8 : shape.across_bits;
    const unsigned x = threadIdx.x & ((1u << across_bits) - 1), y = threadIdx.x >> across_bits;
    const size_t length = gap_free ? shape.count * rows : shape.count;
    const unsigned lines = gap_free ? 1 : rows;
    for (unsigned line = y; line < lines; line += PARTIALS >> across_bits) {
        const T *const row = from + line * shape.ld;
        const size_t past = bytes_past_vector(row) / sizeof(T), end = past + length;
        T *const slot = to + bytes_past_vector(from) / sizeof(T) + line * shape.pitch - past;
        for (size_t at = static_cast<size_t>(x) * WIDTH; at < end; at += WIDTH << across_bits)
            stage_vector(slot, row - past, at, past, end);
    }
    wait_for_copies();
}

/* ---- partials ---- */

/* Vectors v, v + 256, … of a row that lies in shared memory from element `at` on. */
template <class Operator, class Source>
__device__ typename Source::value partial_of_row(const Source &source, size_t at, unsigned count,
                                                 unsigned v)
{
    constexpr unsigned WIDTH = VECTOR_ELEMENTS<typename Source::element>;
    typename Source::value so_far = Source::template identity<Operator>();
    PRIM_UNROLL(1)
    for (unsigned index = v * WIDTH; index < count; index += PARTIALS * WIDTH) {
        const size_t here = at + index;
        if (index + WIDTH <= count) {
            const typename Source::loaded x =
                source.complete(source.template load<false>(here), here);
            so_far = source.plain() ? source.template take<Operator, true>(so_far, x, index)
                                    : source.template take<Operator, false>(so_far, x, index);
        } else {
            PRIM_UNROLL(1)
            for (unsigned e = 0; e < count - index; e++)
                so_far = source.template take_one<Operator, false>(so_far, source.in[here + e]);
        }
    }
    return so_far;
}

/* A lane of a whole warp has eight partials of a row. It takes them so that two that meet follow
 * each other, 0 4 2 6 1 5 3 7, and keeps three values that wait for theirs. */
template <typename Value>
struct waiting_values {
    Value one, two, four;

    __device__ static unsigned partial_at(unsigned step)
    {
        return (step & 1) << 2 | (step & 2) | step >> 2;
    }

    /* true where `value` is that of the whole row. */
    template <class Operator>
    __device__ bool meet(unsigned step, Value &value)
    {
        if ((step & 1) == 0) {
            one = value;
            return false;
        }
        value = Operator::combine(one, value);
        if ((step & 2) == 0) {
            two = value;
            return false;
        }
        value = Operator::combine(two, value);
        if ((step & 4) == 0) {
            four = value;
            return false;
        }
        value = Operator::combine(four, value);
        return true;
    }
};

template <class Operator, class Source, class Result>
__device__ void reduce_staged_rows(const Source &source, const short_rows &shape, unsigned past,
                                   size_t block_row, unsigned rows, const Result &result)
{
    using value = typename Source::value;
    const unsigned lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    const bool whole_warp = shape.group > WARP;
    const unsigned group = whole_warp ? WARP : shape.group, apart = WARP / group;
    waiting_values<value> waiting = {};
    PRIM_UNROLL(1)
    for (unsigned step = 0; step < shape.steps; step++) {
        const unsigned turn = whole_warp ? step / EIGHTH : step, part = step % EIGHTH;
        const unsigned row = (turn * WARPS + warp) * apart + lane / group;
        const unsigned v =
            lane % group + (whole_warp ? waiting_values<value>::partial_at(part) * WARP : 0);
        value so_far =
            partial_of_row<Operator>(source, past + row * shape.pitch,
                                     row < rows ? static_cast<unsigned>(shape.count) : 0, v);
        if (whole_warp && !waiting.template meet<Operator>(part, so_far))
            continue;
        so_far = reduce_warp<Operator>(so_far, group);
        if (row < rows && lane % group == 0)
            result.store(block_row + row, so_far);
    }
}

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
__global__ void
__launch_bounds__(PARTIALS, blocks_at_once(PARTIALS, sizeof(typename Source::value) == 8 ? 4 : 6))
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
    stage_rows(from, shape, rows, staged);
    __syncthreads();
    source.in = staged;
    reduce_staged_rows<Operator>(source, shape, bytes_past_vector(from) / sizeof(element),
                                 block_row, rows, result);
}

/* ---- the launch ---- */

/* So that six blocks are at work on a multiprocessor; and blocks so many that each has some. */
constexpr size_t MOST_STAGED_BYTES = 32 << 10, ENOUGH_BLOCKS = 512;

template <class Source>
short_rows shape_of_short_rows(const prim_reduce_args *args)
{
    using element = typename Source::element;
    constexpr unsigned WIDTH = VECTOR_ELEMENTS<element>;
    short_rows shape = {args->columns,
                        args->ld,
                        args->rows,
                        ROWS_A_THREAD<typename Source::value> * PARTIALS,
                        1,
                        0,
                        0,
                        0};
    if (args->columns <= (WIDTH < FEW ? WIDTH : FEW))
        return shape;
    while (shape.group <= WARP && shape.group * WIDTH < args->columns)
        shape.group *= 2;
    while (shape.across_bits < 8 && (WIDTH << shape.across_bits) < args->columns)
        shape.across_bits++;
    shape.pitch = static_cast<unsigned>(args->columns + (args->ld - args->columns) % WIDTH);
    const unsigned at_once = WARPS * (shape.group > WARP ? 1 : WARP / shape.group);
    const size_t row_bytes = shape.pitch * sizeof(element);
    size_t turns = MOST_STAGED_BYTES / (at_once * row_bytes);
    while (turns > 1 && prim_divide_up(args->rows, at_once * turns) < ENOUGH_BLOCKS)
        turns /= 2;
    shape.block_rows = static_cast<unsigned>(turns * at_once);
    if (turns == 0) { /* long rows: not one for each warp */
        shape.block_rows = static_cast<unsigned>(MOST_STAGED_BYTES / row_bytes);
        turns = 1;
    }
    shape.steps = static_cast<unsigned>(turns) * (shape.group > WARP ? EIGHTH : 1);
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

/* Few long rows have more threads as tiles. */
template <typename T>
bool are_short_rows(const prim_reduce_args *args)
{
    constexpr size_t WIDTH = VECTOR_ELEMENTS<T>, MANY = 2048;
    return args->rows > 1 && args->columns <= WIDTH * (args->rows < MANY ? PARTIALS : TILE_VECTORS);
}

} // namespace

#endif
