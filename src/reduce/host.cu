/* The CPU's versions: the order of order.h and columns.h, one partial after the other. The
 * operators are the kernels' own, so NaN, wrap and rounding cannot differ between the two. */
#include "common/host/threads.cuh"
#include "reduce/arg/candidates.cuh"
#include "reduce/columns/columns.h"
#include "reduce/dispatch.cuh"
#include "reduce/order.h"
#include "reduce/tile/results.cuh"

namespace
{
namespace host
{

constexpr unsigned PARTIALS = PRIM_REDUCE_PARTIALS, TILE_VECTORS = PRIM_REDUCE_TILE_VECTORS;

template <typename T>
constexpr size_t TILE_ELEMENTS = size_t(TILE_VECTORS) * VECTOR_ELEMENTS<T>;

/* ---- lines ---- */

template <class Operator, typename Value>
Value halves_first(Value *partials, unsigned count, unsigned step)
{
    for (unsigned half = count / 2; half > 0; half /= 2)
        for (unsigned p = 0; p < half; p++)
            partials[p * step] = Operator::combine(partials[p * step], partials[(p + half) * step]);
    return partials[0];
}

/* How many partials have elements, rounded up to a power of two: short lines take less work. */
[[maybe_unused]] unsigned used_partials(size_t vectors)
{
    unsigned used = PARTIALS;
    while (used > 1 && used / 2 >= vectors)
        used /= 2;
    return used;
}

template <class Operator, class Source>
typename Source::value tile_value(const Source &source, size_t at, size_t count, size_t tile)
{
    constexpr unsigned WIDTH = VECTOR_ELEMENTS<typename Source::element>;
    typename Source::value partials[PARTIALS];
    size_t index = tile * TILE_VECTORS * WIDTH;
    const unsigned used = used_partials(prim_divide_up(count - index, WIDTH));
    for (unsigned p = 0; p < used; p++)
        partials[p] = Source::template identity<Operator>();
    for (unsigned v = 0; v < TILE_VECTORS && index < count; v++, index += WIDTH) {
        const size_t left = count - index;
        partials[v % PARTIALS] =
            source.template take_some<Operator>(partials[v % PARTIALS], at + index, index,
                                                static_cast<unsigned>(left < WIDTH ? left : WIDTH));
    }
    return halves_first<Operator>(partials, used, 1);
}

/* One value of a level of values: level 0 has one for each tile of elements, and each further level
 * one for each tile of the level below. `below` is how many values that level has. */
template <class Operator, class Source>
typename Source::value value_of_level(const Source &source, size_t at, size_t count, int level,
                                      size_t tile, int threads)
{
    using value = typename Source::value;
    if (level == 0)
        return tile_value<Operator>(source, at, count, tile);
    size_t below = prim_reduce_tiles_of(count, sizeof(typename Source::element));
    for (int l = 1; l < level; l++)
        below = prim_reduce_tiles_of(below, sizeof(value));
    const size_t first = tile * TILE_ELEMENTS<value>;
    const size_t left = below - first,
                 n = left < TILE_ELEMENTS<value> ? left : TILE_ELEMENTS<value>;
    value children[TILE_ELEMENTS<value>];
    (void)threads; /* without OpenMP */
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1 && level == 1)
    for (size_t i = 0; i < n; i++)
        children[i] = value_of_level<Operator>(source, at, count, level - 1, first + i,
                                               level == 1 ? 1 : threads);
    return tile_value<Operator>(values<value>{children}, 0, n, 0);
}

template <class Operator, class Source>
typename Source::value line_value(const Source &source, size_t at, size_t count, int threads)
{
    int level = 0;
    for (size_t tiles = prim_reduce_tiles_of(count, sizeof(typename Source::element)); tiles > 1;
         tiles = prim_reduce_tiles_of(tiles, sizeof(typename Source::value)))
        level++;
    return value_of_level<Operator>(source, at, count, level, 0, threads);
}

/* ---- columns: a few at a time, which share a cache line ---- */

[[maybe_unused]] constexpr unsigned COLUMNS_AT_ONCE = 16, MOST_LEVELS = 8;

struct column_levels {
    prim_column_shape shape[MOST_LEVELS];
    size_t rows[MOST_LEVELS]; /* that the level combines */
    int last;
};

template <typename In, typename Value>
column_levels levels_of(size_t rows, size_t columns)
{
    column_levels levels;
    levels.last = 0;
    levels.rows[0] = rows;
    levels.shape[0] = prim_shape_of_columns(rows, prim_divide_up(columns, VECTOR_ELEMENTS<In>));
    while (levels.shape[levels.last].tiles > 1) {
        const size_t left = levels.shape[levels.last++].tiles;
        levels.rows[levels.last] = left;
        levels.shape[levels.last] =
            prim_shape_of_columns(left, prim_divide_up(columns, VECTOR_ELEMENTS<Value>));
    }
    return levels;
}

template <class Operator, class Source>
void column_tile(const Source &source, size_t ld, size_t first_column, unsigned columns,
                 const column_levels &levels, int level, size_t tile,
                 typename Source::value *result)
{
    using value = typename Source::value;
    const prim_column_shape &shape = levels.shape[level];
    const size_t tile_rows = static_cast<size_t>(shape.height) * shape.depth;
    const size_t begin = tile * tile_rows, left = levels.rows[level] - begin;
    const size_t end = begin + (left < tile_rows ? left : tile_rows);
    value deep[PRIM_COLUMN_THREADS * COLUMNS_AT_ONCE], below[COLUMNS_AT_ONCE];
    for (unsigned i = 0; i < shape.height * COLUMNS_AT_ONCE; i++)
        deep[i] = Source::template identity<Operator>();
    for (size_t row = begin; row < end; row++) {
        value *const so_far = &deep[(row - begin) % shape.height * COLUMNS_AT_ONCE];
        if (level > 0)
            column_tile<Operator>(source, ld, first_column, columns, levels, level - 1, row, below);
        for (unsigned c = 0; c < columns; c++)
            so_far[c] = level > 0 ? Operator::combine(so_far[c], below[c])
                                  : source.template take_one<Operator, false>(
                                        so_far[c], source.in[row * ld + first_column + c]);
    }
    for (unsigned c = 0; c < columns; c++)
        result[c] = halves_first<Operator>(&deep[c], shape.height, COLUMNS_AT_ONCE);
}

template <class Operator, typename Out, class Source>
void reduce_columns(const prim_reduce_args *args, const Source &source, int threads)
{
    using value = typename Source::value;
    const column_levels levels =
        levels_of<typename Source::element, value>(args->rows, args->columns);
    const auto to = results_of<typename Source::element, Out>(args);
    (void)threads;
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
    for (size_t first = 0; first < args->columns; first += COLUMNS_AT_ONCE) {
        const size_t left = args->columns - first;
        const unsigned n = static_cast<unsigned>(left < COLUMNS_AT_ONCE ? left : COLUMNS_AT_ONCE);
        value result[COLUMNS_AT_ONCE];
        column_tile<Operator>(source, args->ld, first, n, levels, levels.last, 0, result);
        for (unsigned c = 0; c < n; c++)
            to.store(first + c, result[c]);
    }
}

/* ---- each kind ---- */

struct host_version {
    static prim_status not_built(const prim_reduce_args *args, int)
    {
        return prim_fail(PRIM_ERROR_UNSUPPORTED,
                         "%s: this build of the library has no code for this call, or not for "
                         "these types and this op",
                         args->call.name);
    }
};

/* A vector's threads share its tiles, a matrix's its rows. */
struct lines_on_host : host_version {
    template <typename In, typename Out, typename Operator>
    static prim_status run(const prim_reduce_args *args, int threads)
    {
        const elements<In, Out> source = elements_of<In, Out>(args, false);
        const auto to = results_of<In, Out>(args);
        const bool many = args->rows > 1;
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1 && many)
        for (size_t row = 0; row < args->rows; row++)
            to.store(row, line_value<Operator>(source, row * args->ld, args->columns,
                                               many ? 1 : threads));
        return PRIM_OK;
    }
};

/* An offset as the kernels take it: clamped to the array. */
[[maybe_unused]] size_t offset_at(const prim_reduce_args *args, size_t i)
{
    const uint64_t at = args->offsets_type == CUDA_R_64I
                            ? static_cast<const uint64_t *>(args->offsets)[i]
                            : static_cast<uint64_t>(static_cast<const int32_t *>(args->offsets)[i]);
    return at < args->columns ? static_cast<size_t>(at) : args->columns;
}

/* Threads share the segments, and then each long one's tiles. */
struct segments_on_host : host_version {
    template <typename In, typename Out, typename Operator>
    static prim_status run(const prim_reduce_args *args, int threads)
    {
        constexpr size_t LONG = 64 * TILE_ELEMENTS<In>;
        const elements<In, Out> source = elements_of<In, Out>(args, false);
        const auto to = results_of<In, Out>(args);
        const auto reduce_one = [&](size_t s, bool are_long, int so_many) {
            const size_t begin = offset_at(args, s), end = offset_at(args, s + 1);
            const size_t length = end > begin ? end - begin : 0;
            if ((length >= LONG) == are_long)
                to.store(s, line_value<Operator>(source, begin, length, so_many));
        };
#pragma omp parallel for num_threads(threads) schedule(dynamic, 256) if (threads > 1)
        for (size_t s = 0; s < args->rows; s++)
            reduce_one(s, false, 1);
        for (size_t s = 0; s < args->rows; s++)
            reduce_one(s, true, threads);
        return PRIM_OK;
    }
};

struct columns_on_host : host_version {
    template <typename In, typename Out, typename Operator>
    static prim_status run(const prim_reduce_args *args, int threads)
    {
        reduce_columns<Operator, Out>(args, elements_of<In, Out>(args, false), threads);
        return PRIM_OK;
    }
};

struct dot_on_host : host_version {
    template <typename In, typename Out, typename Operator>
    static prim_status run(const prim_reduce_args *args, int threads)
    {
        const products<In, Out> source = {static_cast<const In *>(args->in),
                                          static_cast<const In *>(args->in_y), false};
        results_of<In, Out>(args).store(0, line_value<Operator>(source, 0, args->columns, threads));
        return PRIM_OK;
    }
};

struct arg_on_host : host_version {
    template <typename In, class Extreme>
    static prim_status run(const prim_reduce_args *args, int threads)
    {
        const candidates<In, Extreme> source = {static_cast<const In *>(args->in), 0,
                                                transform_of(args)};
        const auto found = line_value<first_of<Extreme>>(source, 0, args->columns, threads);
        *static_cast<In *>(args->out) = element_with_key<In, Extreme>(found.key);
        *args->out_index = found.index;
        return PRIM_OK;
    }
};

} // namespace host
} // namespace

prim_status prim_reduce_on_host(const prim_reduce_args *args, int threads)
{
    const prim_status status = check_threads(&args->call, threads);
    if (status != PRIM_OK)
        return status;
    switch (args->kind) {
    case PRIM_REDUCE_VECTOR:
        return dispatch<kind_is_built(PRIM_REDUCE_VECTOR), host::lines_on_host>(args, threads);
    case PRIM_REDUCE_ROWS:
        return dispatch<kind_is_built(PRIM_REDUCE_ROWS), host::lines_on_host>(args, threads);
    case PRIM_REDUCE_COLUMNS:
        return dispatch<kind_is_built(PRIM_REDUCE_COLUMNS), host::columns_on_host>(args, threads);
    case PRIM_REDUCE_SEGMENTS:
        return dispatch<kind_is_built(PRIM_REDUCE_SEGMENTS), host::segments_on_host>(args, threads);
    case PRIM_REDUCE_DOT:
        return dispatch_sum<kind_is_built(PRIM_REDUCE_DOT), host::dot_on_host>(args, threads);
    case PRIM_REDUCE_ARG:
        return args->op == PRIM_OP_MIN
                   ? dispatch_elements<kind_is_built(PRIM_REDUCE_ARG), host::arg_on_host, least>(
                         args, threads)
                   : dispatch_elements<kind_is_built(PRIM_REDUCE_ARG), host::arg_on_host, greatest>(
                         args, threads);
    }
    return PRIM_ERROR_ENUM;
}
