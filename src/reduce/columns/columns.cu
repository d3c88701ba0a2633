/* VECTORIZED, for columns: each thread walks down a vector of columns.
 *
 * Eight threads read 128 bytes of a row, the next eight those below, and each thread has four such
 * loads in flight. A thread first combines its own rows; then the threads of a column combine
 * through shared memory, halves first. columns.h says how a matrix is cut into tiles.
 *
 * With few rows, blocks are narrower: each takes 32 bytes of a row, which is one sector, so that a
 * hundred blocks share 1024 rows of 4 KiB, and one pass is enough. With up to eight rows a thread
 * has its columns to itself.
 *
 * Where rows do not begin at 16 bytes, a vector is spliced from the two aligned ones that hold it;
 * where these would reach out of the matrix, or between rows, only what is in the row is read. Up
 * to four columns of wide elements are read one by one, many rows at a time: column_rows.cuh. Up to
 * seven of 16-bit floats are read as an array: few_columns.cuh. Many such rows of integers, without
 * gaps, are folded into rows that begin at 16 bytes: folded.cuh.
 *
 * Bytes: each element once, and 1/1024 of them again for the second pass. */
#include "reduce/columns/few_columns.cuh"
#include "reduce/columns/few_rows.cuh"
#include "reduce/columns/folded.cuh"
#include "reduce/tile/results.cuh"
#include "reduce/tile/tiles.cuh"
#include "reduce/vectorized.h"

namespace
{
namespace columns
{

/* Of sums of bytes: before 9.0, one more block would spill a register. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
[[maybe_unused]] constexpr unsigned PACKED_BLOCKS = 3;
#else
[[maybe_unused]] constexpr unsigned PACKED_BLOCKS = 4;
#endif

template <class Operator, class Source>
[[maybe_unused]] constexpr unsigned COLUMN_BLOCKS =
    PACKS<Operator, Source> ? (sizeof(typename Source::value) == 8 ? 2 : PACKED_BLOCKS)
    : sizeof(typename Source::value) == 8 ? (VECTOR_ELEMENTS<typename Source::element> > 4 ? 1 : 3)
                                          : (VECTOR_ELEMENTS<typename Source::element> > 8   ? 2
                                             : VECTOR_ELEMENTS<typename Source::element> > 4 ? 4
                                                                                             : 5);

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
    if constexpr (HAS_FEW_COLUMNS<Source>)
        if (are_few_columns<Source>(ld, columns)) {
            grid_dependency_synchronize();
            reduce_few_columns<Operator>(source, rows, static_cast<unsigned>(columns), shape,
                                         &deep[0][0], to);
            return;
        }
    column_place p = place_of(shape, rows, columns, WIDTH);
    size_t at = p.row * ld + p.column;
    const size_t step = ld << shape.height_bits;

    grid_dependency_synchronize();
    value so_far[WIDTH];
    for (unsigned e = 0; e < WIDTH; e++)
        so_far[e] = Source::template identity<Operator>();
    own_ends own = {};
    if constexpr (FOLDS<Source>)
        own = without_ends<WIDTH>(ends, rows, step, shape, &at, &p);
    walk<Operator>(source, ld, rows, columns, at, step, p, so_far);
    if constexpr (FOLDS<Source>)
        take_ends<Operator>(source, ends, own, at, step, p, so_far);

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

/* Converts all, and stores them 16 bytes at a time. false: `to` is not aligned to that, and nothing
 * is stored. */
template <typename T, unsigned N, class Convert>
__device__ bool store_chunks(T *to, const Convert &converted)
{
    constexpr unsigned CHUNK = N < VECTOR_ELEMENTS<T> ? N : VECTOR_ELEMENTS<T>;
    using chunk = packed<T, CHUNK>;
    if (reinterpret_cast<uintptr_t>(to) % sizeof(chunk) != 0)
        return false;
    PRIM_UNROLL(N / CHUNK)
    for (unsigned c = 0; c < N; c += CHUNK) {
        chunk results = {};
        PRIM_UNROLL(CHUNK)
        for (unsigned e = 0; e < CHUNK; e++)
            set_element(results, e, converted(c + e));
        *reinterpret_cast<chunk *>(&to[c]) = results;
    }
    return true;
}

/* A whole vector of results of one type. */
template <typename Out, typename Value, unsigned N>
__device__ bool store_results(const results<Out> &to, size_t column, const Value (&of_columns)[N])
{
    return store_chunks<Out, N>(&to.out[column], [&](unsigned e) {
        return finished_turned<Out>(of_columns[e], to.turned);
    });
}

template <typename Value, unsigned N>
__device__ bool store_results(const results_of_values<Value> &to, size_t column,
                              const Value (&of_columns)[N])
{
    bool stored = false;
    to.as_typed([&](const auto &typed) { stored = store_results(typed, column, of_columns); });
    return stored;
}

/* Where a pass writes: a row of values for each tile, or the results. */
template <typename Value, class Result>
struct column_destination {
    Value *values; /* NULL in the last pass */
    size_t values_ld;
    Result result;
    unfolding folded;

    __device__ void store(size_t tile, size_t column, Value value) const
    {
        if (values != nullptr)
            values[tile * values_ld + column] = value;
        else
            result.store(column, value);
    }

    /* A whole vector of columns, if its values' place is aligned. */
    template <unsigned N>
    __device__ bool store_vector(size_t tile, size_t column, const Value (&of_columns)[N]) const
    {
        if (values != nullptr)
            return store_chunks<Value, N>(&values[tile * values_ld + column],
                                          [&](unsigned e) { return of_columns[e]; });
        return store_results(result, column, of_columns);
    }

    /* The first `width` of them. */
    template <unsigned N>
    __device__ void store_values(size_t tile, size_t column, unsigned width,
                                 const Value (&of_columns)[N]) const
    {
        if constexpr (std::is_integral<Value>::value)
            if (folded.columns != 0) {
                if (width > 0)
                    folded.store(values, values_ld, tile, column, of_columns);
                return;
            }
        if (width == N && store_vector(tile, column, of_columns))
            return;
        PRIM_UNROLL(N)
        for (unsigned e = 0; e < N; e++)
            if (e < width)
                store(tile, column + e, of_columns[e]);
    }
};

/* The matrix that a pass reads. */
struct column_matrix {
    size_t ld, rows, columns;
};

/* How a pass reads a matrix that is not folded; reduce_column_tiles() asks the same. */
template <class Source>
prim_reduce_route route_of_pass(const column_matrix &m, bool plain)
{
    return m.rows <= EIGHTH && plain                  ? PRIM_REDUCE_FEW_ROWS
           : are_few_columns<Source>(m.ld, m.columns) ? PRIM_REDUCE_FEW_COLUMNS
                                                      : PRIM_REDUCE_WALK;
}

template <class Source>
unsigned blocks_for(prim_reduce_route route, const column_matrix &m, const prim_column_shape &shape)
{
    size_t blocks = shape.tiles * shape.strips;
    if (route == PRIM_REDUCE_FEW_ROWS)
        blocks = prim_divide_up(m.columns, VECTOR_ELEMENTS<typename Source::element> *
                                               static_cast<size_t>(PRIM_COLUMN_THREADS));
    else if (route == PRIM_REDUCE_FEW_COLUMNS)
        blocks = prim_divide_up(shape.tiles, tiles_of_few_columns<Source>(m.columns));
    return static_cast<unsigned>(blocks);
}

template <class Operator, class Source, class Destination>
cudaError_t column_pass(const prim_reduce_args *args, prim_reduce_route route, const Source &source,
                        const column_matrix &m, const row_ends &ends,
                        const prim_column_shape &shape, const Destination &to)
{
    const unsigned blocks = blocks_for<Source>(route, m, shape);
    return prim_launch_dependent({args->call.stream, blocks, PRIM_COLUMN_THREADS},
                                 reduce_column_tiles<Operator, Source, Destination>, source, m.ld,
                                 m.rows, m.columns, shape, ends, to);
}

prim_column_shape shape_for(size_t rows, size_t columns, size_t element_bytes)
{
    return prim_shape_of_columns(rows, prim_divide_up(columns, VECTOR_BYTES / element_bytes));
}

/* Results of values of 32 bits may have any type, so that the kernel for elements of 32 bits can
 * make further passes too, over values of narrower ones. */
template <typename Out>
using column_results = typename std::conditional<std::is_same<Out, accumulator_t<Out>>::value,
                                                 results_of_values<Out>, results<Out>>::type;

/* Values go to `to`, unless it is NULL. */
template <typename Out>
column_destination<accumulator_t<Out>, column_results<Out>>
destination(const prim_reduce_args *args, accumulator_t<Out> *to)
{
    const size_t ld = prim_reduce_values_ld(args->columns, sizeof(accumulator_t<Out>));
    if constexpr (std::is_same<Out, accumulator_t<Out>>::value)
        return {to, ld, results_of_any<Out>(args), {}};
    else
        return {to, ld, results_of<Out, Out>(args), {}};
}

/* Whether the matrix is folded: its elements are integers, it has no gaps, and its rows are
 * misaligned. Then whole vectors are worth another order. */
template <typename In>
bool folds(const prim_reduce_args *args)
{
    return std::is_integral<In>::value && !is_aligned<In>(args) && args->ld == args->columns &&
           prim_folding_pays(args->rows, args->columns, sizeof(In));
}

/* The first pass of such a matrix. */
template <typename In, typename Out>
prim_reduce_route route_of_first_pass(const prim_reduce_args *args)
{
    return route_of_pass<elements<In, Out>>({args->ld, args->rows, args->columns},
                                            transform_of(args) == PRIM_TRANSFORM_NONE);
}

/* The first pass over a folded matrix; says how many rows of values it leaves. */
template <class Operator, typename Out, typename In>
cudaError_t folded_pass(const prim_reduce_args *args, accumulator_t<Out> *to, size_t *rows)
{
    const uintptr_t past = reinterpret_cast<uintptr_t>(args->in) % VECTOR_BYTES;
    const prim_folded_columns f =
        prim_fold_columns(args->rows, args->columns, sizeof(In), past / sizeof(In));
    const prim_column_shape shape = shape_for(f.rows, f.columns, sizeof(In));
    elements<In, Out> source = elements_of<In, Out>(args, true);
    source.in -= f.first;
    auto values = destination<Out>(args, to);
    values.folded = {f.columns, args->columns, f.first};
    *rows = shape.tiles * f.repeats;
    return column_pass<Operator>(args, PRIM_REDUCE_FOLDED, source, {f.columns, f.rows, f.columns},
                                 {f.first, f.last}, shape, values);
}

/* The first pass; one row: of results. */
template <class Operator, typename Out, typename In>
cudaError_t first_pass(const prim_reduce_args *args, prim_reduce_route route,
                       accumulator_t<Out> *to, size_t *rows)
{
    if (route == PRIM_REDUCE_FOLDED)
        return folded_pass<Operator, Out, In>(args, to, rows);
    const prim_column_shape shape = shape_for(args->rows, args->columns, sizeof(In));
    *rows = shape.tiles;
    return column_pass<Operator>(args, route, elements_of<In, Out>(args, is_aligned<In>(args)),
                                 {args->ld, args->rows, args->columns}, {0, args->columns}, shape,
                                 destination<Out>(args, shape.tiles > 1 ? to : nullptr));
}

/* A further pass: values are elements that are not transformed. */
template <class Operator, typename Value>
cudaError_t further_pass(const prim_reduce_args *args, const Value *from, size_t rows, Value *to,
                         const prim_column_shape &shape)
{
    const column_matrix m = {prim_reduce_values_ld(args->columns, sizeof(Value)), rows,
                             args->columns};
    return column_pass<Operator>(args, route_of_pass<elements<Value, Value>>(m, true),
                                 elements<Value, Value>{from, true, PRIM_TRANSFORM_NONE, 0}, m,
                                 {0, args->columns}, shape, destination<Value>(args, to));
}

struct choose_route {
    template <typename In, typename Out>
    static prim_reduce_route run(const prim_reduce_args *args)
    {
        return folds<In>(args) ? PRIM_REDUCE_FOLDED : route_of_first_pass<In, Out>(args);
    }
    static prim_reduce_route not_built(const prim_reduce_args *)
    {
        return PRIM_REDUCE_WALK; /* whose launch says so */
    }
};

struct reduce_columns : launch_run {
    template <typename In, typename Out, typename Operator>
    static cudaError_t run(const prim_reduce_args *args, prim_reduce_route route)
    {
        using value = accumulator_t<Out>;
        const size_t ld = prim_reduce_values_ld(args->columns, sizeof(value));
        value *from = static_cast<value *>(args->call.workspace);
        size_t rows;
        cudaError_t error = first_pass<Operator, Out, In>(args, route, from, &rows);
        while (error == cudaSuccess && rows > 1) {
            const prim_column_shape shape = shape_for(rows, args->columns, sizeof(value));
            value *const next = from + rows * ld;
            error =
                further_pass<Operator>(args, from, rows, shape.tiles > 1 ? next : nullptr, shape);
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
        return column_pass<Operator>(
            args, route_of_first_pass<In, Out>(args), source, {args->ld, args->rows, args->columns},
            {0, args->columns}, shape,
            destination<Out>(args, static_cast<accumulator_t<Out> *>(args->out)));
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

/* How many rows of values all passes leave and read together, if the first pass leaves `rows`. */
static size_t rows_of_values(size_t rows, size_t columns, size_t value_bytes)
{
    size_t all = 0;
    for (; rows > 1; rows = columns::shape_for(rows, columns, value_bytes).tiles)
        all += rows;
    return all;
}

/* The workspace has a row of values for each tile of each pass but the last. Where the matrix may
 * be folded, there is room for that too, wherever the matrix begins. */
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

prim_reduce_route prim_reduce_columns_route(const prim_reduce_args *args)
{
    return all_types<columns::choose_route>(args);
}

cudaError_t prim_reduce_launch_columns(const prim_reduce_args *args, prim_reduce_route route)
{
    return dispatch<is_built_in(PRIM_REDUCE_VECTORIZED, PRIM_REDUCE_COLUMNS),
                    columns::reduce_columns>(args, route);
}

cudaError_t prim_reduce_column_tile_values(const prim_reduce_args *args, size_t whole_rows)
{
    return dispatch<is_built_in(PRIM_REDUCE_VECTORIZED, PRIM_REDUCE_COLUMNS),
                    columns::reduce_to_values>(args, whole_rows);
}
