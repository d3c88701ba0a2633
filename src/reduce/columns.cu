/* VECTORIZED, for columns: each thread walks down a vector of columns.
 *
 * Eight threads read 128 bytes of a row, the next eight those below, and each thread has four such
 * loads in flight. A thread first combines its own rows; then the threads of a column combine
 * through shared memory, halves first. columns.h says how a matrix is cut into tiles.
 *
 * With few rows, blocks are narrower instead: 32 bytes of a row for each, which is one sector, so
 * that a hundred of them share 1024 rows of 4 KiB, and one pass is enough. With up to eight rows a
 * thread has its columns to itself.
 *
 * Where rows do not begin at 16 bytes, a vector is spliced from the two aligned ones that hold it;
 * elements whose vector would reach out of the matrix, or between rows, are read one by one. So are
 * up to four columns, where each thread has a row's elements. Many such rows of integers, without
 * gaps, are folded into rows that begin at 16 bytes: folded.h.
 *
 * Bytes: each element once, and 1/1024 of them again for the second pass. */
#include "reduce/folded.h"
#include "reduce/tiles.cuh"
#include "reduce/vectorized.h"

namespace
{
namespace columns
{

/* Sums of bytes, two to a register: what a thread adds up fits 16 bits, and so little room leaves
 * more threads on a multiprocessor. Bytes that are signed wrap to as many bits in the end. */
template <class Operator, class Source>
constexpr bool PACKS = ADDS_BYTES<Operator, typename Source::element>;

struct packed_sums {
    uint32_t pairs[VECTOR_BYTES / 2]; /* bytes 0 and 2 of a word, then 1 and 3 */

    template <typename Byte>
    __device__ void add(const vector<Byte> &x)
    {
        PRIM_UNROLL(4)
        for (unsigned w = 0; w < VECTOR_BYTES / 4; w++) {
            pairs[2 * w] += x.words[w] & 0x00ff00ff;
            pairs[2 * w + 1] += x.words[w] >> 8 & 0x00ff00ff;
        }
    }

    template <typename Value>
    __device__ void add_to(Value (&so_far)[VECTOR_BYTES]) const
    {
        PRIM_UNROLL(VECTOR_BYTES)
        for (unsigned e = 0; e < VECTOR_BYTES; e++) {
            const uint32_t pair = pairs[e / 4 * 2 + e % 2];
            so_far[e] += static_cast<Value>(e % 4 < 2 ? pair & 0xffff : pair >> 16);
        }
    }
};
static_assert(PRIM_COLUMN_DEPTH * UINT8_MAX <= UINT16_MAX, "a tile's rows of a thread");
static_assert((PRIM_COLUMN_FEW_ROWS >> (PRIM_COLUMN_THREAD_BITS - PRIM_COLUMN_WIDE_ACROSS_BITS)) *
                      UINT8_MAX <=
                  UINT16_MAX,
              "few rows of a thread");

/* Four loads in flight in each of 1536 threads: eight in half as many took 5 % longer. Wide values
 * need more registers. */
[[maybe_unused]] constexpr unsigned BATCH = 4;

template <class Operator, class Source>
[[maybe_unused]] constexpr unsigned
    COLUMN_BLOCKS = PACKS<Operator, Source> ? (sizeof(typename Source::value) == 8 ? 2 : 3)
                    : sizeof(typename Source::value) == 8
                        ? (VECTOR_ELEMENTS<typename Source::element> > 4 ? 1 : 3)
                        : (VECTOR_ELEMENTS<typename Source::element> > 8   ? 2
                           : VECTOR_ELEMENTS<typename Source::element> > 4 ? 3
                                                                           : 5);

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

/* ---- a thread's rows ---- */

/* A vector of a row, or the single elements where it is no whole one. */
template <class Source>
struct row_part {
    static constexpr unsigned WIDTH = VECTOR_ELEMENTS<typename Source::element>;
    static constexpr bool HAS_SINGLES = WIDTH <= 4;

    const Source &source;
    unsigned singles; /* 0: a vector */

    __device__ typename Source::loaded load(size_t at) const
    {
        if (!HAS_SINGLES || singles == 0)
            return source.template load<false>(at);
        typename Source::loaded x = {};
        if constexpr (HAS_SINGLES) {
            PRIM_UNROLL(WIDTH)
            for (unsigned e = 0; e < WIDTH; e++)
                if (e < singles)
                    set_element(x, e, source.in[at + e]);
        }
        return x;
    }

    __device__ typename Source::loaded complete(const typename Source::loaded &x, size_t at) const
    {
        return source.aligned || (HAS_SINGLES && singles > 0) ? x : source.complete(x, at);
    }
};

/* Combines rows k to end, four at a time: passes each vector to add(). */
template <class Source, class Add>
__device__ void load_rows(const row_part<Source> &part, size_t at, size_t step, unsigned k,
                          unsigned end, const Add &add)
{
    for (; k < end; k += BATCH) {
        typename Source::loaded x[BATCH];
        PRIM_UNROLL(BATCH)
        for (unsigned j = 0; j < BATCH; j++)
            if (k + j < end)
                x[j] = part.load(at + (k + j) * step);
        PRIM_UNROLL(BATCH)
        for (unsigned j = 0; j < BATCH; j++)
            if (k + j < end)
                add(part.complete(x[j], at + (k + j) * step));
    }
}

template <class Operator, bool PLAIN, class Source, unsigned WIDTH>
__device__ void walk_rows(const row_part<Source> &part, size_t at, size_t step, unsigned k,
                          unsigned end, typename Source::value (&so_far)[WIDTH])
{
    using loaded = typename Source::loaded;
    if constexpr (PLAIN && PACKS<Operator, Source>) {
        packed_sums sums = {};
        load_rows(part, at, step, k, end, [&sums](const loaded &x) { sums.add(x); });
        sums.add_to(so_far);
    } else {
        load_rows(part, at, step, k, end, [&part, &so_far](const loaded &x) {
            for (unsigned e = 0; e < WIDTH; e++)
                so_far[e] =
                    part.source.template take_one<Operator, PLAIN>(so_far[e], element_of(x, e));
        });
    }
}

/* Element by element, where a row's end or a pointer does not allow more. */
template <class Operator, class Source, unsigned WIDTH>
__device__ void walk_elements(const Source &source, size_t at, size_t step, unsigned k,
                              unsigned end, unsigned width, typename Source::value (&so_far)[WIDTH])
{
    PRIM_UNROLL(1)
    for (; k < end; k++) {
        typename Source::element x[WIDTH] = {};
        load_some(&source.in[at + k * step], width, x);
        PRIM_UNROLL(WIDTH)
        for (unsigned e = 0; e < WIDTH; e++)
            if (e < width)
                so_far[e] = source.template take_one<Operator, false>(so_far[e], x[e]);
    }
}

/* A matrix of up to so many columns: single elements of several rows at a time. */
[[maybe_unused]] constexpr unsigned NARROW = 4;

template <class Operator, unsigned COLUMNS, class Source, unsigned WIDTH>
__device__ void walk_narrow(const Source &source, size_t at, size_t step, unsigned depth,
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
__device__ void walk_few_columns(const Source &source, size_t at, size_t step,
                                 const column_place &p, typename Source::value (&so_far)[WIDTH])
{
    if (p.width == 1)
        walk_narrow<Operator, 1>(source, at, step, p.depth, 1, so_far);
    else if (WIDTH == 2 || p.width == 2)
        walk_narrow<Operator, 2>(source, at, step, p.depth, p.width, so_far);
    else if constexpr (WIDTH > 2)
        walk_narrow<Operator, NARROW>(source, at, step, p.depth, p.width, so_far);
}

/* The range of a thread's rows whose vectors can be loaded. Without gaps between rows they may
 * reach into the next one, so only the matrix's first and last rows are excluded. */
struct loadable_rows {
    unsigned begin, end;
};

template <unsigned WIDTH>
__device__ loadable_rows rows_to_load(bool aligned, size_t ld, size_t rows, size_t columns,
                                      size_t at, size_t step, const column_place &p)
{
    if (aligned || ld != columns) {
        const bool all =
            aligned ? p.width == WIDTH : p.column >= WIDTH && p.column + 2 * WIDTH <= columns;
        return {0, all ? p.depth : 0};
    }
    loadable_rows loadable = {at < WIDTH ? 1u : 0u, p.depth};
    while (loadable.end > loadable.begin &&
           at + (loadable.end - 1) * step + 2 * WIDTH > rows * columns)
        loadable.end--;
    return loadable.end > loadable.begin ? loadable : loadable_rows{0, 0};
}

template <class Operator, class Source, unsigned WIDTH>
__device__ void walk(const Source &source, size_t ld, size_t rows, size_t columns, size_t at,
                     size_t step, const column_place &p, typename Source::value (&so_far)[WIDTH])
{
    if (p.width == 0) /* past the last column */
        return;
    const loadable_rows vectors =
        rows_to_load<WIDTH>(source.aligned, ld, rows, columns, at, step, p);
    if (columns <= (WIDTH < NARROW ? WIDTH : NARROW) && (!source.aligned || p.width < WIDTH)) {
        walk_few_columns<Operator>(source, at, step, p, so_far);
        return;
    }
    const bool by_singles = row_part<Source>::HAS_SINGLES && vectors.end == 0;
    const row_part<Source> part = {source, by_singles ? p.width : 0};
    const unsigned begin = vectors.begin, end = by_singles ? p.depth : vectors.end;
    walk_elements<Operator>(source, at, step, 0, begin, p.width, so_far);
    if (source.plain())
        walk_rows<Operator, true>(part, at, step, begin, end, so_far);
    else
        walk_rows<Operator, false>(part, at, step, begin, end, so_far);
    walk_elements<Operator>(source, at, step, end, p.depth, p.width, so_far);
}

/* ---- a folded matrix's ends ---- */

template <class Source>
constexpr bool FOLDS = std::is_integral<typename Source::element>::value;

/* What of the first row lacks in front, and where the last one ends; none: 0 and all columns. */
struct row_ends {
    size_t first, last;
};

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

/* Takes the ends of the first and the last row, if the thread has these, and leaves the others. */
template <class Operator, class Source, unsigned WIDTH>
__device__ void walk_ends(const Source &source, const row_ends &ends, size_t rows, size_t step,
                          const prim_column_shape &shape, size_t *at, column_place *p,
                          typename Source::value (&so_far)[WIDTH])
{
    if (p->depth > 0 && p->row == 0 && p->column < ends.first) {
        take_between<Operator>(source, *at, ends.first - p->column, WIDTH, so_far);
        p->row += shape.height;
        p->depth--;
        *at += step;
    }
    const size_t further = p->depth > 0 ? p->depth - 1 : 0;
    if (p->depth > 0 && p->row + (further << shape.height_bits) == rows - 1 &&
        p->column + WIDTH > ends.last) {
        const size_t end = p->column < ends.last ? ends.last - p->column : 0;
        take_between<Operator>(source, *at + further * step, 0, end, so_far);
        p->depth--;
    }
}

/* ---- up to eight rows, without a transform, to keep the code small ---- */

template <class Operator, class Source, unsigned WIDTH>
__device__ void packed_vector(const Source &source, size_t ld, size_t rows, size_t column,
                              typename Source::value (&results)[WIDTH])
{
    packed_sums sums = {};
    PRIM_UNROLL(EIGHTH)
    for (unsigned r = 0; r < EIGHTH; r++)
        if (r < rows)
            sums.add(
                source.complete(source.template load<false>(r * ld + column), r * ld + column));
    for (unsigned e = 0; e < WIDTH; e++)
        results[e] = 0;
    sums.add_to(results);
}

/* Row r of a vector of columns; identities past the last row. */
template <class Operator, class Source, unsigned WIDTH>
__device__ void load_row(const Source &source, size_t ld, size_t rows, size_t column, unsigned r,
                         typename Source::value (&values)[WIDTH])
{
    typename Source::loaded x = {};
    if (r < rows)
        x = source.complete(source.template load<false>(r * ld + column), r * ld + column);
    PRIM_UNROLL(WIDTH)
    for (unsigned e = 0; e < WIDTH; e++) {
        values[e] = Source::template identity<Operator>();
        if (r < rows)
            values[e] = source.template take_one<Operator, true>(values[e], element_of(x, e));
    }
}

/* Halves first: rows r and r + 4, then those, and so on. */
template <class Operator, class Source, unsigned WIDTH>
__device__ void column_vector(const Source &source, size_t ld, size_t rows, size_t column,
                              typename Source::value (&results)[WIDTH])
{
    using value = typename Source::value;
    constexpr unsigned HALF = EIGHTH / 2;
    value upper[HALF][WIDTH], lower[WIDTH];
    PRIM_UNROLL(HALF)
    for (unsigned r = 0; r < HALF; r++) {
        load_row<Operator>(source, ld, rows, column, r, upper[r]);
        load_row<Operator>(source, ld, rows, column, r + HALF, lower);
        for (unsigned e = 0; e < WIDTH; e++)
            upper[r][e] = Operator::combine(upper[r][e], lower[e]);
    }
    for (unsigned e = 0; e < WIDTH; e++)
        results[e] = Operator::combine(Operator::combine(upper[0][e], upper[2][e]),
                                       Operator::combine(upper[1][e], upper[3][e]));
}

/* One column, where a vector would reach out of the matrix or a row. */
template <class Operator, class Source>
__device__ typename Source::value single_column(const Source &source, size_t ld, size_t rows,
                                                size_t column)
{
    typename Source::value values[EIGHTH];
    PRIM_UNROLL(EIGHTH)
    for (unsigned r = 0; r < EIGHTH; r++) {
        values[r] = Source::template identity<Operator>();
        if (r < rows)
            values[r] =
                source.template take_one<Operator, true>(values[r], source.in[r * ld + column]);
    }
    return combine_eighths<Operator>(values);
}

template <class Operator, class Source, class Destination>
__device__ void reduce_few_rows(const Source &source, size_t ld, size_t rows, size_t columns,
                                const Destination &to)
{
    constexpr unsigned WIDTH = VECTOR_ELEMENTS<typename Source::element>;
    const size_t column =
        (static_cast<size_t>(blockIdx.x) * PRIM_COLUMN_THREADS + threadIdx.x) * WIDTH;
    const size_t left = column < columns ? columns - column : 0;
    if (source.aligned ? left >= WIDTH : column >= WIDTH && left >= 2 * WIDTH) {
        typename Source::value results[WIDTH];
        if constexpr (PACKS<Operator, Source>)
            packed_vector<Operator>(source, ld, rows, column, results);
        else
            column_vector<Operator>(source, ld, rows, column, results);
        to.store_vector(column, results);
        return;
    }
    PRIM_UNROLL(1)
    for (unsigned e = 0; e < WIDTH && e < left; e++)
        to.store(0, column + e, single_column<Operator>(source, ld, rows, column + e));
}

/* ---- the kernel ---- */

template <class Operator, class Source, class Destination>
__global__ void __launch_bounds__(PRIM_COLUMN_THREADS,
                                  blocks_at_once(PRIM_COLUMN_THREADS,
                                                 COLUMN_BLOCKS<Operator, Source>))
    reduce_column_tiles(Source source, size_t ld, size_t rows, size_t columns,
                        prim_column_shape shape, row_ends ends, Destination to)
{
    using value = typename Source::value;
    constexpr unsigned WIDTH = VECTOR_ELEMENTS<typename Source::element>;
    PRIM_SHARED(value, deep, [WIDTH][PRIM_COLUMN_THREADS]);
    const unsigned t = threadIdx.x, h = t >> shape.across_bits;
    trigger_launch_completion();
    if (rows <= EIGHTH && source.plain()) {
        grid_dependency_synchronize();
        reduce_few_rows<Operator>(source, ld, rows, columns, to);
        return;
    }
    column_place p = place_of(shape, rows, columns, WIDTH);
    size_t at = p.row * ld + p.column;
    const size_t step = ld << shape.height_bits;

    grid_dependency_synchronize();
    value so_far[WIDTH];
    for (unsigned e = 0; e < WIDTH; e++)
        so_far[e] = Source::template identity<Operator>();
    if constexpr (FOLDS<Source>)
        walk_ends<Operator>(source, ends, rows, step, shape, &at, &p, so_far);
    walk<Operator>(source, ld, rows, columns, at, step, p, so_far);

    for (unsigned half = shape.height / 2; half > 0; half /= 2) {
        if (h >= half && h < 2 * half)
            for (unsigned e = 0; e < WIDTH; e++)
                deep[e][t] = so_far[e];
        __syncthreads();
        if (h < half)
            for (unsigned e = 0; e < WIDTH; e++)
                so_far[e] = Operator::combine(so_far[e], deep[e][t + (half << shape.across_bits)]);
    }
    if (h > 0)
        return;
    to.store_values(p.tile, p.column, p.width, so_far);
}

/* 16 bytes at a time. false: `to` is not aligned to 16 bytes, and nothing is stored. */
template <typename Out, unsigned N>
__device__ bool store_results(Out *to, const accumulator_t<Out> (&of_columns)[N],
                              turned_bits<Out> turned)
{
    constexpr unsigned CHUNK = N < VECTOR_ELEMENTS<Out> ? N : VECTOR_ELEMENTS<Out>;
    using chunk = packed<Out, CHUNK>;
    if (reinterpret_cast<uintptr_t>(to) % sizeof(chunk) != 0)
        return false;
    PRIM_UNROLL(N / CHUNK)
    for (unsigned c = 0; c < N; c += CHUNK) {
        chunk results = {};
        PRIM_UNROLL(CHUNK)
        for (unsigned e = 0; e < CHUNK; e++)
            set_element(results, e, finished_turned<Out>(of_columns[c + e], turned));
        *reinterpret_cast<chunk *>(&to[c]) = results;
    }
    return true;
}

/* Where a pass writes: a row of values for each tile, or the results. */
template <typename Value, typename Out>
struct column_destination {
    Value *values; /* NULL in the last pass */
    size_t values_ld;
    results<Out> result;
    size_t folded, columns, first; /* columns of a folded matrix, or 0, and of what it is made of */

    __device__ void store(size_t tile, size_t column, Value value) const
    {
        if (values != nullptr)
            values[tile * values_ld + column] = value;
        else
            result.store(column, value);
    }

    /* The first `width` of them. */
    template <unsigned N>
    __device__ void store_values(size_t tile, size_t column, unsigned width,
                                 const Value (&of_columns)[N]) const
    {
        if constexpr (std::is_integral<Value>::value)
            if (folded != 0) {
                if (width > 0)
                    store_unfolded(tile, column, of_columns);
                return;
            }
        PRIM_UNROLL(N)
        for (unsigned e = 0; e < N; e++)
            if (e < width)
                store(tile, column + e, of_columns[e]);
    }

    /* The matrix's first element is element `first` of the folded one's first row. Of each tile's
     * values those in front of it come last, which are of the last columns. */
    template <unsigned N>
    __device__ void store_unfolded(size_t tile, size_t column, const Value (&of_columns)[N]) const
    {
        const size_t repeats = folded / columns,
                     at = column < first ? column + folded - first : column - first;
        size_t row = at / columns, c = at - row * columns;
        PRIM_UNROLL(N)
        for (unsigned e = 0; e < N; e++) {
            values[(tile * repeats + row) * values_ld + c] = of_columns[e];
            if (++c == columns) {
                c = 0;
                row = row + 1 == repeats ? 0 : row + 1;
            }
        }
    }

    /* Results side by side, of the last pass. */
    template <unsigned N>
    __device__ void store_vector(size_t column, const Value (&of_columns)[N]) const
    {
        if (values == nullptr && store_results(&result.out[column], of_columns, result.turned))
            return;
        PRIM_UNROLL(N)
        for (unsigned e = 0; e < N; e++)
            store(0, column + e, of_columns[e]);
    }
};

/* The matrix that a pass reads. */
struct column_matrix {
    size_t ld, rows, columns;
};

template <class Operator, typename Out, class Source>
cudaError_t column_pass(const prim_reduce_args *args, const Source &source, const column_matrix &m,
                        const row_ends &ends, const prim_column_shape &shape,
                        const column_destination<typename Source::value, Out> &to)
{
    const size_t vectors = prim_divide_up(m.columns, VECTOR_ELEMENTS<typename Source::element>);
    const unsigned blocks = static_cast<unsigned>(m.rows <= EIGHTH && source.plain()
                                                      ? prim_divide_up(vectors, PRIM_COLUMN_THREADS)
                                                      : shape.tiles * shape.strips);
    return prim_launch_dependent(
        {args->call.stream, blocks, PRIM_COLUMN_THREADS},
        reduce_column_tiles<Operator, Source, column_destination<typename Source::value, Out>>,
        source, m.ld, m.rows, m.columns, shape, ends, to);
}

prim_column_shape shape_for(size_t rows, size_t columns, size_t element_bytes)
{
    return prim_shape_of_columns(rows, prim_divide_up(columns, VECTOR_BYTES / element_bytes));
}

/* The source of further passes. Where values and results have one type, values are read as
 * elements, so that the first pass's kernel of that type is used again. */
template <typename Value, typename Out>
auto further_source(const Value *from)
{
    if constexpr (std::is_same<Value, Out>::value)
        return elements<Value, Value>{from, true, PRIM_TRANSFORM_NONE, 0};
    else
        return values<Value>{from};
}

/* Values go to `to`, unless it is NULL. */
template <typename Value, typename Out>
column_destination<Value, Out> destination(const prim_reduce_args *args, Value *to)
{
    return {to, prim_reduce_values_ld(args->columns, sizeof(Value)), results_of<Out>(args), 0, 0,
            0};
}

/* Integers without gaps between rows that do not begin at vectors: then whole vectors are worth
 * another order. */
template <typename In>
bool folds(const prim_reduce_args *args)
{
    return std::is_integral<In>::value && !is_aligned<In>(args) && args->ld == args->columns &&
           prim_folding_pays(args->rows, args->columns, sizeof(In));
}

/* The first pass over a folded matrix; says how many rows of values it leaves. */
template <class Operator, typename Out, typename In>
cudaError_t folded_pass(const prim_reduce_args *args, accumulator_t<Out> *to, size_t *rows)
{
    using value = accumulator_t<Out>;
    const uintptr_t past = reinterpret_cast<uintptr_t>(args->in) % VECTOR_BYTES;
    const prim_folded_columns f =
        prim_fold_columns(args->rows, args->columns, sizeof(In), past / sizeof(In));
    const prim_column_shape shape = shape_for(f.rows, f.columns, sizeof(In));
    elements<In, Out> source = elements_of<In, Out>(args, true);
    source.in -= f.first;
    column_destination<value, Out> values = destination<value, Out>(args, to);
    values.folded = f.columns;
    values.columns = args->columns;
    values.first = f.first;
    *rows = shape.tiles * f.repeats;
    return column_pass<Operator, Out>(args, source, {f.columns, f.rows, f.columns},
                                      {f.first, f.last}, shape, values);
}

/* The first pass; one row: of results. */
template <class Operator, typename Out, typename In>
cudaError_t first_pass(const prim_reduce_args *args, accumulator_t<Out> *to, size_t *rows)
{
    const prim_column_shape shape = shape_for(args->rows, args->columns, sizeof(In));
    *rows = shape.tiles;
    return column_pass<Operator, Out>(
        args, elements_of<In, Out>(args, is_aligned<In>(args)),
        {args->ld, args->rows, args->columns}, {0, args->columns}, shape,
        destination<accumulator_t<Out>, Out>(args, shape.tiles > 1 ? to : nullptr));
}

struct reduce_columns : launch_run {
    template <typename In, typename Out, typename Operator>
    static cudaError_t run(const prim_reduce_args *args)
    {
        using value = accumulator_t<Out>;
        if (args->columns == 0)
            return cudaSuccess;
        const size_t ld = prim_reduce_values_ld(args->columns, sizeof(value));
        value *from = static_cast<value *>(args->call.workspace);
        size_t rows;
        cudaError_t error = folds<In>(args) ? folded_pass<Operator, Out, In>(args, from, &rows)
                                            : first_pass<Operator, Out, In>(args, from, &rows);
        while (error == cudaSuccess && rows > 1) {
            const prim_column_shape shape = shape_for(rows, args->columns, sizeof(value));
            value *const next = from + rows * ld;
            error = column_pass<Operator, Out>(
                args, further_source<value, Out>(from), {ld, rows, args->columns},
                {0, args->columns}, shape,
                destination<value, Out>(args, shape.tiles > 1 ? next : nullptr));
            rows = shape.tiles;
            from = next;
        }
        return error;
    }
};

/* The first pass alone. */
struct reduce_to_values : launch_run {
    template <typename In, typename Out, typename Operator>
    static cudaError_t run(const prim_reduce_args *args, size_t whole_rows)
    {
        const elements<In, Out> source = elements_of<In, Out>(args, is_aligned<In>(args));
        prim_column_shape shape = shape_for(whole_rows, args->columns, sizeof(In));
        shape.tiles = prim_divide_up(args->rows, static_cast<size_t>(shape.height) * shape.depth);
        return column_pass<Operator, Out>(args, source, {args->ld, args->rows, args->columns},
                                          {0, args->columns}, shape,
                                          destination<accumulator_t<Out>, Out>(
                                              args, static_cast<accumulator_t<Out> *>(args->out)));
    }
};

} // namespace columns
} // namespace

const char *prim_reduce_columns_why_not(const prim_reduce_args *args)
{
    const prim_column_shape shape =
        columns::shape_for(args->rows, args->columns, prim_element_bytes(args->in_type));
    return prim_fits_a_grid(shape.tiles, shape.strips) ? nullptr : PRIM_GRID_TOO_SMALL;
}

/* Rows of values that passes leave and read, from so many of the first one on. */
static size_t rows_of_values(size_t rows, size_t columns, size_t value_bytes)
{
    size_t all = 0;
    for (; rows > 1; rows = columns::shape_for(rows, columns, value_bytes).tiles)
        all += rows;
    return all;
}

/* A row of values for each tile of each pass but the last; as many as a matrix takes that is
 * folded, wherever it begins, if it may be. */
size_t prim_reduce_columns_workspace(const prim_reduce_args *args)
{
    const size_t bytes = value_bytes(args), element_bytes = prim_element_bytes(args->in_type),
                 columns = args->columns;
    size_t rows = columns::shape_for(args->rows, columns, element_bytes).tiles;
    if (!prim_element_is_float(args->in_type) &&
        prim_folding_pays(args->rows, columns, element_bytes)) {
        const prim_folded_columns f = prim_fold_columns(
            args->rows, columns, element_bytes, PRIM_REDUCE_VECTOR_BYTES / element_bytes - 1);
        const size_t folded =
            columns::shape_for(f.rows, f.columns, element_bytes).tiles * f.repeats;
        rows = folded > rows ? folded : rows;
    }
    return rows_of_values(rows, columns, bytes) * prim_reduce_values_ld(columns, bytes) * bytes;
}

cudaError_t prim_reduce_launch_columns(const prim_reduce_args *args)
{
    return dispatch<kind_is_built(PRIM_REDUCE_COLUMNS), columns::reduce_columns>(args);
}

cudaError_t prim_reduce_column_tile_values(const prim_reduce_args *args, size_t whole_rows)
{
    return dispatch<kind_is_built(PRIM_REDUCE_COLUMNS), columns::reduce_to_values>(args,
                                                                                   whole_rows);
}
