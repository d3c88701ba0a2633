/* The CPU's versions, in the order of the kernels: chunks, tiles and lines of tiles.h. The
 * operators are the kernels' own too, so that NaN, wrap, rounding and every bit are the same for
 * any number of threads, which share a line's tiles. */
#include <cstdlib>

#include "common/host/threads.cuh"
#include "scan/dispatch.cuh"
#include "scan/tile/tiles.h"
#include "scan/tile/vectors.cuh"

namespace
{
namespace host
{

/* The initial value of a line. */
template <typename Out, typename Operator>
accumulator_t<Out> initial_on_host(const prim_scan_args *args)
{
    if (args->initial == nullptr)
        return identity_of<Operator, Out>();
    const Out initial = *static_cast<const Out *>(args->initial);
    return turned_value<Out>(static_cast<accumulator_t<Out>>(converted<Out>(initial)),
                             element_rule_of<Out>(args).turned);
}

enum { LANES = 32, CHUNKS = PRIM_SCAN_TILE_WARPS };
static_assert(CHUNKS <= LANES, "one scan of a warp takes in a tile's chunks");

/* In the order of scan_warp(). */
template <typename Operator, typename Value>
void scan_lanes(Value (&values)[LANES])
{
    for (int stride = 1; stride < LANES; stride *= 2)
        for (int lane = LANES - 1; lane >= stride; lane--)
            values[lane] = Operator::combine(values[lane - stride], values[lane]);
}

/* One line of elements. In place, a tile's are read in full before the last of them is written. */
template <typename In, typename Out, typename Operator>
struct host_line {
    using value = accumulator_t<Out>;
    static constexpr size_t VECTOR =
        PRIM_SCAN_VECTOR_BYTES / (sizeof(In) > sizeof(Out) ? sizeof(In) : sizeof(Out));
    static constexpr size_t OF_RUN = PRIM_SCAN_RUN_VECTORS * VECTOR, OF_CHUNK = LANES * OF_RUN,
                            OF_TILE = CHUNKS * OF_CHUNK;

    const In *in;
    Out *out;
    size_t count;
    prim_scan_kind kind;
    element_rule<Out> rule;

    /* The prefixes of the runs of a chunk, and of the chunks of a tile; of whole ones only, since
     * no element follows the others. */
    struct tile_prefixes {
        value of_runs[CHUNKS][LANES], of_chunks[LANES];
    };

    value value_at(size_t i) const
    {
        return value_of<Operator, In, Out>(in[i], rule);
    }

    value sum_run(size_t first) const
    {
        value sum = value();
        for (size_t v = 0; v < OF_RUN; v += VECTOR) {
            value of_vector = value_at(first + v);
            for (size_t e = 1; e < VECTOR; e++)
                of_vector = Operator::combine(of_vector, value_at(first + v + e));
            sum = v == 0 ? of_vector : Operator::combine(sum, of_vector);
        }
        return sum;
    }

    void sum_tile(size_t first, tile_prefixes &sums) const
    {
        const value identity = identity_of<Operator, Out>();
        for (int c = 0; c < LANES; c++)
            sums.of_chunks[c] = identity;
        for (int c = 0; c < CHUNKS && first + c * OF_CHUNK < count; c++) {
            const size_t begin = first + c * OF_CHUNK;
            for (int lane = 0; lane < LANES; lane++) {
                const size_t run = begin + lane * OF_RUN;
                sums.of_runs[c][lane] =
                    count - begin >= (lane + 1) * OF_RUN ? sum_run(run) : identity;
            }
            scan_lanes<Operator>(sums.of_runs[c]);
            sums.of_chunks[c] = sums.of_runs[c][LANES - 1];
        }
        scan_lanes<Operator>(sums.of_chunks);
    }

    value aggregate_of_tile(size_t first) const
    {
        tile_prefixes sums;
        sum_tile(first, sums);
        return sums.of_chunks[CHUNKS - 1];
    }

    /* The exclusive prefix of the next tile, and the inclusive one of this one's last element. */
    struct tile_end {
        value next_prefix, last;
    };

    /* After a whole tile the total is the next tile's exclusive prefix, so that another call can go
     * on with the array. */
    value total(const tile_end &end) const
    {
        return count > 0 && count % OF_TILE == 0 ? end.next_prefix : end.last;
    }

    tile_end scan_tile(size_t first, value prefix) const
    {
        const value identity = identity_of<Operator, Out>();
        tile_prefixes sums;
        value so_far = prefix;
        sum_tile(first, sums);
        for (size_t i = first; i < count && i < first + OF_TILE; i++) {
            const size_t chunk = (i - first) / OF_CHUNK, lane = (i - first) % OF_CHUNK / OF_RUN;
            if ((i - first) % OF_RUN == 0)
                so_far = Operator::combine(
                    Operator::combine(prefix, chunk > 0 ? sums.of_chunks[chunk - 1] : identity),
                    lane > 0 ? sums.of_runs[chunk][lane - 1] : identity);
            const value next = Operator::combine(so_far, value_at(i));
            out[i] = finished_turned<Out>(kind == PRIM_SCAN_INCLUSIVE ? next : so_far, rule.turned);
            so_far = next;
        }
        return {Operator::combine(prefix, sums.of_chunks[CHUNKS - 1]), so_far};
    }

    value scan(value initial) const
    {
        tile_end end = {initial, initial};
        for (size_t first = 0; first < count; first += OF_TILE)
            end = scan_tile(first, end.next_prefix);
        return total(end);
    }

    /* All threads compute the tiles' aggregates, one thread their exclusive prefixes, and all
     * threads the results. */
    value scan_by_threads(value initial, int threads) const
    {
        const size_t tiles = count / OF_TILE + (count % OF_TILE != 0);
        value *const prefixes = threads > 1 && tiles > 1
                                    ? static_cast<value *>(malloc(tiles * sizeof(value)))
                                    : nullptr;
        if (prefixes == nullptr)
            return scan(initial);
        tile_end end = {};
#pragma omp parallel for num_threads(threads) schedule(static)
        for (size_t t = 0; t < tiles - 1; t++)
            prefixes[t + 1] = aggregate_of_tile(t * OF_TILE);
        prefixes[0] = initial;
        for (size_t t = 1; t < tiles; t++)
            prefixes[t] = Operator::combine(prefixes[t - 1], prefixes[t]);
#pragma omp parallel for num_threads(threads) schedule(static)
        for (size_t t = 0; t < tiles; t++) {
            const tile_end of_tile = scan_tile(t * OF_TILE, prefixes[t]);
            if (t == tiles - 1)
                end = of_tile;
        }
        free(prefixes);
        return total(end);
    }
};

template <typename In, typename Out, typename Operator>
host_line<In, Out, Operator> line_of(const prim_scan_args *args, size_t row)
{
    return {static_cast<const In *>(args->in) + row * args->in_ld,
            static_cast<Out *>(args->out) + row * args->out_ld, args->columns, args->kind,
            element_rule_of<Out>(args)};
}

/* Several rows: whole ones for each thread. */
template <typename In, typename Out, typename Operator>
void scan_rows(const prim_scan_args *args, accumulator_t<Out> initial, int threads)
{
    (void)threads; /* without OpenMP */
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
    for (size_t row = 0; row < args->rows; row++)
        line_of<In, Out, Operator>(args, row).scan(initial);
}

/* The second direction: a range of columns for each thread, some columns at a time, row by row. */
template <typename Out, typename Operator>
void scan_columns(const prim_scan_args *args, int threads)
{
    constexpr size_t AT_ONCE = 64;
    Out *const out = static_cast<Out *>(args->out);
    const element_rule<Out> rule = element_rule_of<Out>(args);
#pragma omp parallel for num_threads(threads) schedule(static, 1) if (threads > 1)
    for (int p = 0; p < threads; p++) {
        const size_t last = part_begin(args->columns, threads, p + 1);
        for (size_t i = part_begin(args->columns, threads, p); i < last; i += AT_ONCE) {
            const size_t n = last - i < AT_ONCE ? last - i : AT_ONCE;
            accumulator_t<Out> above[AT_ONCE];
            for (size_t c = 0; c < n; c++)
                above[c] = identity_of<Operator, Out>();
            for (size_t row = 0; row < args->rows; row++)
                for (size_t c = 0; c < n; c++) {
                    Out *const here = &out[row * args->out_ld + i + c];
                    const auto value = static_cast<accumulator_t<Out>>(converted<Out>(*here));
                    above[c] = Operator::combine(above[c], turned_value<Out>(value, rule.turned));
                    *here = finished_turned<Out>(above[c], rule.turned);
                }
        }
    }
}

struct host_version {
    template <typename In, typename Out, typename Operator>
    static prim_status run(const prim_scan_args *args, int threads)
    {
        const accumulator_t<Out> initial = initial_on_host<Out, Operator>(args);
        if (args->rows == 1) {
            const accumulator_t<Out> total =
                line_of<In, Out, Operator>(args, 0).scan_by_threads(initial, threads);
            if (args->total != nullptr)
                *static_cast<Out *>(args->total) =
                    finished_turned<Out>(total, element_rule_of<Out>(args).turned);
        } else if constexpr (kind_is_built(PRIM_SCAN_ROWS)) {
            scan_rows<In, Out, Operator>(args, initial, threads);
        }
        if constexpr (kind_is_built(PRIM_SCAN_TABLE))
            if (args->summed_area)
                scan_columns<Out, Operator>(args, threads);
        return PRIM_OK;
    }
    static prim_status not_built(const prim_scan_args *args, int threads)
    {
        (void)threads;
        return prim_fail(PRIM_ERROR_UNSUPPORTED,
                         "%s: this build of the library has no code for this call, or not for "
                         "these types and this op",
                         args->call.name);
    }
};

} // namespace host
} // namespace

prim_status prim_scan_on_host(const prim_scan_args *args, int threads)
{
    const prim_status status = check_threads(&args->call, threads);
    if (status != PRIM_OK)
        return status;
    return kind_why_not(args) == nullptr ? dispatch<host::host_version>(args, threads)
                                         : host::host_version::not_built(args, threads);
}
