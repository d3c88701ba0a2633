/* Rows of up to 256 vectors: a warp for each, or some lanes of one. Eight loads a lane are under
 * way, without shared memory or a barrier, where rows begin and end at 16 bytes; others come
 * through shared memory, where a vector may begin at any element. */
#ifndef PRIM_REDUCE_WARP_ROWS_CUH
#define PRIM_REDUCE_WARP_ROWS_CUH

#include "common/async_copy.cuh"
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
__host__ __device__ bool takes_vectors(const Source &source)
{
    return source.plain() || TRANSFORMED_BY_VECTORS<Source>;
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
            so_far[j] = source.template take<Operator, PLAIN>(
                so_far[j], source.complete(x[j], e.at + j * e.step), e.index + j * e.index_step);
}

/* Vectors at any element, of rows around which aligned ones may be read: in shared memory, or where
 * all rows begin at 16 bytes. */
template <class Operator, class Source>
__device__ void take_eight(const Source &source, const eight_vectors &e,
                           typename Source::value (&so_far)[EIGHTH])
{
    constexpr unsigned WIDTH = VECTOR_ELEMENTS<typename Source::element>;
    if (source.plain())
        take_whole<Operator, true>(source, e, so_far);
    else if constexpr (TRANSFORMED_BY_VECTORS<Source>)
        take_whole<Operator, false>(source, e, so_far);
    const bool one_by_one = !takes_vectors(source);
    PRIM_UNROLL(EIGHTH)
    for (unsigned j = 0; j < EIGHTH; j++) {
        const unsigned whole = one_by_one && j < e.whole ? WIDTH : 0;
        const unsigned count = e.broken >> j & 1 ? e.rest : whole;
        PRIM_UNROLL(1)
        for (unsigned i = 0; i < count; i++)
            so_far[j] = source.template take_one<Operator, false>(so_far[j],
                                                                  source.in[e.at + j * e.step + i]);
    }
}

/* Rows of up to four elements, one to each lane: no vector is worth its shifts. */
template <class Operator, class Source>
__device__ void take_few(const Source &source, const eight_vectors &e, unsigned rows,
                         unsigned count, typename Source::value (&so_far)[EIGHTH])
{
    using element = typename Source::element;
    PRIM_UNROLL(1)
    for (unsigned i = 0; i < count; i++) {
        element x[EIGHTH] = {};
        PRIM_UNROLL(EIGHTH)
        for (unsigned j = 0; j < EIGHTH; j++)
            if (j < rows)
                x[j] = source.in[e.at + j * e.step + i];
        PRIM_UNROLL(EIGHTH)
        for (unsigned j = 0; j < EIGHTH; j++)
            so_far[j] = source.template take_one<Operator, false>(so_far[j], x[j]);
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

/* ---- rows that do not begin at 16 bytes, or do not end there ---- */

/* How a block's rows are brought into shared memory. A row begins there as far past 16 bytes as in
 * global memory, so that aligned vectors can be copied as they are, and only the elements at a
 * row's ends one by one. What lies between rows is not touched: `pitch` is the leading dimension
 * less whole vectors. */
struct row_staging {
    unsigned rows;        /* of a block; 0: they are not brought */
    unsigned pitch;       /* elements from row to row */
    unsigned across_bits; /* so many threads, a power of two, share a row */
};

/* One aligned vector of a row that begins `past` elements behind `from` and ends at `end`. */
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

/* Rows without gaps are one long row. */
template <typename T>
__device__ void stage_rows(const T *from, size_t ld, size_t count, unsigned rows,
                           const row_staging &staging, T *to)
{
    constexpr unsigned WIDTH = VECTOR_ELEMENTS<T>;
    const bool gap_free = ld == count;
    const unsigned across_bits = gap_free ? 8 : staging.across_bits;
    const unsigned x = threadIdx.x & ((1u << across_bits) - 1), y = threadIdx.x >> across_bits;
    const size_t length = gap_free ? count * rows : count;
    const unsigned lines = gap_free ? 1 : rows;
    for (unsigned line = y; line < lines; line += PARTIALS >> across_bits) {
        const T *const row = from + line * ld;
        const size_t past = bytes_past_vector(row) / sizeof(T), end = past + length;
        T *const slot = to + bytes_past_vector(from) / sizeof(T) + line * staging.pitch - past;
        for (size_t at = static_cast<size_t>(x) * WIDTH; at < end; at += WIDTH << across_bits)
            stage_vector(slot, row - past, at, past, end);
    }
    wait_for_copies();
}

/* ---- the kernel ---- */

/* What is the same for all rows. */
struct short_rows {
    size_t count, ld, rows;
    unsigned group; /* the lanes for a row, a power of two; above 32: a whole warp has one row */
    unsigned deep;  /* rows that a lane takes part in */
    bool few;       /* up to four elements */
    row_staging staging;
};

/* For three blocks at a time: of itself, nvcc makes room for four on 8.0, and spills registers.
 * Sixteen elements of a byte to a vector need more of them. */
template <class Operator, class Source, class Result>
__global__ void __launch_bounds__(PARTIALS, sizeof(typename Source::element) == 1 ? 1 : 3)
    reduce_short_rows(Source source, short_rows shape, Result result)
{
    using element = typename Source::element;
    constexpr unsigned WIDTH = VECTOR_ELEMENTS<element>;
    PRIM_SHARED_DYNAMIC(element, staged);
    const bool whole_warp = shape.group > WARP;
    const unsigned lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    const unsigned apart = whole_warp ? 1 : WARP / shape.group;
    const unsigned rows_a_warp = apart * shape.deep;
    const size_t block_row = static_cast<size_t>(blockIdx.x) * (PARTIALS / WARP) * rows_a_warp;
    const unsigned own_row = warp * rows_a_warp + (whole_warp ? 0 : lane / shape.group);
    const size_t row = block_row + own_row;
    const size_t left = row < shape.rows ? (shape.rows - row - 1) / apart + 1 : 0;
    const unsigned mine = static_cast<unsigned>(left < shape.deep ? left : shape.deep);
    line first = {row * shape.ld, shape.count};
    size_t step = apart * shape.ld;

    trigger_launch_completion();
    grid_dependency_synchronize();
    if (shape.staging.rows > 0) {
        const element *const from = source.in + block_row * shape.ld;
        const size_t rows_left = shape.rows - block_row;
        stage_rows(from, shape.ld, shape.count,
                   rows_left < shape.staging.rows ? static_cast<unsigned>(rows_left)
                                                  : shape.staging.rows,
                   shape.staging, staged);
        __syncthreads();
        source.in = staged;
        first.at = bytes_past_vector(from) / sizeof(element) +
                   static_cast<size_t>(own_row) * shape.staging.pitch;
        step = static_cast<size_t>(apart) * shape.staging.pitch;
    }
    if (whole_warp && mine == 0)
        return;
    typename Source::value so_far[EIGHTH];
    PRIM_UNROLL(EIGHTH)
    for (unsigned j = 0; j < EIGHTH; j++)
        so_far[j] = Source::template identity<Operator>();
    const eight_vectors vectors = whole_warp
                                      ? of_one_row<WIDTH>(first, lane)
                                      : of_eight_rows<WIDTH>(first, step, mine, lane % shape.group);
    if (shape.few)
        take_few<Operator>(source, vectors, mine, static_cast<unsigned>(shape.count), so_far);
    else
        take_eight<Operator>(source, vectors, so_far);
    if (whole_warp)
        store_row<Operator, Source>(so_far, row, lane, result);
    else
        store_rows<Operator, Source>(so_far, row, mine, shape.group, lane, result);
}

/* ---- the launch ---- */

constexpr size_t MOST_STAGED_BYTES = 40 << 10;

/* Rows that all begin and end at 16 bytes are read where they are. */
template <class Source>
bool needs_staging(const Source &source, size_t count)
{
    return !source.aligned || count % VECTOR_ELEMENTS<typename Source::element> != 0 ||
           !takes_vectors(source);
}

template <class Source>
short_rows shape_of_short_rows(const Source &source, const prim_reduce_args *args)
{
    using element = typename Source::element;
    constexpr unsigned WIDTH = VECTOR_ELEMENTS<element>;
    short_rows shape = {args->columns, args->ld, args->rows, 1, EIGHTH, false, {0, 0, 0}};
    while (shape.group <= WARP && shape.group * WIDTH < args->columns)
        shape.group *= 2;
    const size_t rows_at_once =
        (PARTIALS / WARP) * static_cast<size_t>(shape.group > WARP ? 1 : WARP / shape.group);
    if (shape.group > WARP)
        shape.deep = 1;
    if (!needs_staging(source, args->columns))
        return shape;
    shape.few = args->columns <= (WIDTH < 4 ? WIDTH : 4);
    if (shape.few)
        return shape;
    const size_t pitch = args->columns + (args->ld - args->columns) % WIDTH;
    while (shape.deep > 1 &&
           shape.deep * rows_at_once * pitch * sizeof(element) > MOST_STAGED_BYTES)
        shape.deep--;
    shape.staging.rows = static_cast<unsigned>(shape.deep * rows_at_once);
    shape.staging.pitch = static_cast<unsigned>(pitch);
    while (shape.staging.across_bits < 8 && (WIDTH << shape.staging.across_bits) < args->columns)
        shape.staging.across_bits++;
    return shape;
}

template <class Operator, class Source, class Result>
cudaError_t reduce_rows_at_once(const Source &source, const prim_reduce_args *args,
                                const Result &result)
{
    using element = typename Source::element;
    const short_rows shape = shape_of_short_rows(source, args);
    const size_t apart = shape.group > WARP ? 1 : WARP / shape.group;
    const size_t rows_a_block = apart * shape.deep * (PARTIALS / WARP);
    launch_config where = {args->call.stream,
                           static_cast<unsigned>((args->rows - 1) / rows_a_block + 1), PARTIALS};
    /* The last row's last vector may reach two further. */
    if (shape.staging.rows > 0)
        where.shared_bytes =
            static_cast<size_t>(shape.staging.rows) * shape.staging.pitch * sizeof(element) +
            3 * VECTOR_BYTES;
    return prim_launch_dependent(where, reduce_short_rows<Operator, Source, Result>, source, shape,
                                 result);
}

} // namespace

#endif
