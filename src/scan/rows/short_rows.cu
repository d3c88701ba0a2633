/* Rows that are shorter than half a chunk: a warp takes as many whole rows as a chunk has room for,
 * with what is between them, staged_rows.cuh.
 *
 *     image      a a a b b b c c c d d d …
 *     lane       0     1     2     3              a whole row, if it is short: lane_rows.cuh
 *     lane       0    1    2    3    4    5       … or a run of a longer one
 *                a…a  a…a  a    b…b  b…b  b
 *
 * A row's runs and the order of its lanes are those of a chunk, chunk.cuh, so that a result has the
 * same bits as in a longer line; but a lane's run begins anywhere in the image, and any lanes may
 * have a row's runs.
 *
 * Work: 2 × count combinations. Bytes: the elements once, the results once. Steps: two runs, and
 * log2 of the runs in a row. */
#include "common/kernel/launch.cuh"
#include "common/kernel/shared.cuh"
#include "scan/rows/lane_rows.cuh"
#include "scan/rows/staged_rows.cuh"
#include "scan/tile/tile.cuh"
#include "scan/tile/tiles.h"

namespace
{
namespace short_rows
{

constexpr unsigned ROW_WARPS = 8, ROW_THREADS = ROW_WARPS * WARP;
constexpr unsigned RUN_WORDS = RUN * VECTOR_BYTES / 4; /* words of a lane's results */

template <unsigned COUNT>
struct words_of {
    uint32_t words[COUNT];
};

/* What lanes do. */
enum lane_work : unsigned {
    RUNS,             /* warp_rows */
    ROWS_BY_ELEMENTS, /* lane_rows */
    ROWS_BY_VECTORS   /* the same, where each row begins at a vector */
};

template <typename In, typename Out>
struct short_rows {
    const In *in;
    Out *out;
    size_t in_ld, out_ld, count;
    unsigned columns, of_warp; /* rows that a warp takes */
    unsigned pitch;            /* elements from row to row in an image */
    unsigned vectors;          /* of a row that comes by itself; 0: rows come together */
    bool by_vectors;           /* staged_rows.cuh */
    uint32_t of_elements, of_row_vectors, of_vectors; /* reciprocals of columns, whole vectors of a
                                                         row, `vectors` */
    lane_work work;
    unsigned swizzle;
};

template <typename In, typename Out>
constexpr bool ONE_IMAGE = sizeof(In) == sizeof(Out);

/* A little more than a chunk, so that two rows of half a chunk fit, with what is between them. */
constexpr unsigned ROOM = (PRIM_SCAN_CHUNK_VECTORS + 2) * VECTOR_BYTES;

/* Where elements and results have one width, they share an image. A lane reads a whole run, and the
 * last one may begin at the image's last element. */
template <typename In, typename Out>
constexpr unsigned RESULT_SLOTS = CHUNK_SLOTS + 7;
template <typename In, typename Out>
constexpr unsigned ELEMENT_SLOTS = ONE_IMAGE<In, Out> ? 1 : IN_VECTORS<In, Out> + 8;

/* A warp's elements and results: their images, and the byte at which each begins. */
struct row_images {
    vector_slot *elements, *results;
    unsigned first_element, first_result;
};

/* ---- from global memory, and back ---- */

template <typename In, typename Out>
__device__ void load_elements(const row_images &images, const short_rows<In, Out> &r, size_t row,
                              unsigned rows, unsigned lane)
{
    constexpr unsigned SIZE = sizeof(In);
    staged_lines lines = {rows,      r.columns * SIZE, r.pitch * SIZE, (r.in_ld - r.pitch) * SIZE,
                          r.vectors, r.of_vectors,     row == 0,       row + rows == r.count};
    if (r.vectors == 0) {
        lines.count = 1;
        lines.length += (rows - 1) * lines.pitch;
        lines.vectors = (images.first_element + lines.length + VECTOR_BYTES - 1) / VECTOR_BYTES;
    }
    load_lines(images.elements, r.in + row * r.in_ld, lines, lane, r.swizzle);
}

template <typename In, typename Out>
__device__ void store_results(const row_images &images, const short_rows<In, Out> &r, size_t row,
                              unsigned rows, unsigned lane)
{
    constexpr unsigned SIZE = sizeof(Out);
    Out *const to = r.out + row * r.out_ld;
    const unsigned count = rows * r.columns;
    if (r.out_ld == r.columns && r.pitch == r.columns)
        store_image<PRIM_SCAN_CHUNK_VECTORS>(to, images.results, images.first_result, count, lane,
                                             r.swizzle);
    else
        store_rows(to, r.out_ld, images.results,
                   {count, r.columns * SIZE, r.pitch * SIZE, images.first_result, r.of_elements,
                    r.of_row_vectors},
                   r.by_vectors, lane, r.swizzle);
}

/* ---- a run of a row ---- */

template <typename In, unsigned N>
struct lane_run {
    packed<In, N> vectors[RUN];
};

template <typename In, unsigned N>
__device__ lane_run<In, N> read_run(vector_slot *slots, unsigned first)
{
    words_of<sizeof(lane_run<In, N>) / 4> run;
    read_words(slots, first, run.words);
    return same_bits<lane_run<In, N>>(run);
}

/* Writes `bytes` of 64 bytes from byte `first` of the image on, elements of type Out. Whole words
 * are written at once; those at the ends may have other lanes' elements in them. */
template <typename Out>
__device__ void write_run(vector_slot *slots, unsigned first, unsigned bytes,
                          const uint32_t (&words)[RUN_WORDS])
{
    constexpr unsigned SIZE = sizeof(Out) < 4 ? sizeof(Out) : 4;
    const unsigned head = SIZE < 4 ? (4 - first % 4) % 4 : 0;
    const unsigned selector = 0x3210 + head * 0x1111;
    uint32_t rest = words[0];
    PRIM_UNROLL(RUN_WORDS)
    for (unsigned i = 0; i < RUN_WORDS; i++) {
        const uint32_t behind = i + 1 < RUN_WORDS ? words[i + 1] : 0;
        const uint32_t word = SIZE < 4 ? chosen_bytes(words[i], behind, selector) : words[i];
        if (head + 4 * i + 4 <= bytes)
            bytes_at<uint32_t>(slots, first + head + 4 * i) = word;
        else if (head + 4 * i < bytes)
            rest = word;
    }
    if constexpr (SIZE < 4) {
        const unsigned end = bytes < head ? head : head + (bytes - head) / 4 * 4;
        PRIM_UNROLL(3)
        for (unsigned e = 0; e < 3; e += SIZE) {
            using bits = typename std::conditional<SIZE == 2, uint16_t, uint8_t>::type;
            if (e < head && e < bytes)
                bytes_at<bits>(slots, first + e) = static_cast<bits>(words[0] >> 8 * e);
            if (end + e < bytes)
                bytes_at<bits>(slots, first + end + e) = static_cast<bits>(rest >> 8 * e);
        }
    }
}

/* The sum of a run. */
template <class Operator, typename In, typename Out, unsigned N>
__device__ accumulator_t<Out> sum_of(const lane_run<In, N> &run, const element_rule<Out> &rule)
{
    accumulator_t<Out> sum = vector_sum<Operator, In, Out>(run.vectors[0], rule);
    PRIM_UNROLL(RUN)
    for (unsigned v = 1; v < RUN; v++)
        sum = Operator::combine(sum, vector_sum<Operator, In, Out>(run.vectors[v], rule));
    return sum;
}

/* The exclusive prefix of each of a row's runs; `run` is this lane's, of `runs`. */
template <class Operator, typename Value>
__device__ Value run_prefix(Value of_run, unsigned run, unsigned runs, Value identity)
{
    PRIM_UNROLL(1)
    for (unsigned stride = 1; stride < runs; stride *= 2) {
        const Value below = __shfl_up_sync(ALL_LANES, of_run, stride);
        of_run = run >= stride ? Operator::combine(below, of_run) : of_run;
    }
    const Value before = __shfl_up_sync(ALL_LANES, of_run, 1);
    return run == 0 ? identity : before;
}

/* The results of a run's elements. The kind is asked for each of them: with a loop for each kind
 * there would be twice as many instructions. */
template <class Operator, typename In, typename Out, unsigned N>
__device__ lane_run<Out, N> results_of_run(const lane_run<In, N> &run,
                                           const tile_rule<accumulator_t<Out>, Out> &rule,
                                           accumulator_t<Out> so_far)
{
    lane_run<Out, N> results;
    PRIM_UNROLL(RUN)
    for (unsigned v = 0; v < RUN; v++) {
        accumulator_t<Out> values[N];
        values_of<Operator, In, Out>(run.vectors[v], rule.element, values);
        PRIM_UNROLL(N)
        for (unsigned e = 0; e < N; e++) {
            const accumulator_t<Out> next = Operator::combine(so_far, values[e]);
            values[e] = rule.kind == PRIM_SCAN_EXCLUSIVE ? so_far : next;
            so_far = next;
        }
        results.vectors[v] = results_of<Operator, Out>(values, rule.element);
    }
    return results;
}

/* Scans the warp's rows, in steps of a run for each lane; `initial` is what is before their chunk.
 * Behind a row's end some result is computed that is not written. */
template <class Operator, typename In, typename Out>
__device__ void scan_runs(const row_images &images, const short_rows<In, Out> &r, unsigned rows,
                          const tile_rule<accumulator_t<Out>, Out> &rule,
                          accumulator_t<Out> initial, unsigned lane)
{
    using value = accumulator_t<Out>;
    constexpr unsigned N = WIDTH<In, Out>, OF_RUN = RUN_ELEMENTS<In, Out>;
    constexpr unsigned IN_SIZE = sizeof(In), OUT_SIZE = sizeof(Out);
    const value identity = identity_of<Operator, Out>();
    const unsigned runs = (r.columns + OF_RUN - 1) / OF_RUN, at_once = WARP / runs;
    const unsigned mine = lane / runs, run = lane % runs, begin = run * OF_RUN;
    const unsigned left = r.columns - begin < OF_RUN ? r.columns - begin : OF_RUN;
    PRIM_UNROLL(1)
    for (unsigned first = 0; first < rows; first += at_once) {
        const bool is_used = mine < at_once && first + mine < rows;
        const unsigned element = is_used ? (first + mine) * r.pitch + begin : 0;
        const lane_run<In, N> x =
            read_run<In, N>(images.elements, images.first_element + element * IN_SIZE);
        value before = identity;
        if (runs > 1)
            before = run_prefix<Operator>(sum_of<Operator, In, Out>(x, rule.element), run, runs,
                                          identity);
        const lane_run<Out, N> results =
            results_of_run<Operator, In, Out>(x, rule, Operator::combine(initial, before));
        __syncwarp(); /* all have read: a vector may have elements of two lanes */
        write_run<Out>(images.results, images.first_result + element * OUT_SIZE,
                       is_used ? left * OUT_SIZE : 0,
                       same_bits<words_of<RUN_WORDS>>(results).words);
        __syncwarp();
    }
}

/* The same, each lane a row at a time. */
template <class Operator, bool BY_VECTORS, typename In, typename Out>
__device__ void scan_lane_rows(const row_images &images, const short_rows<In, Out> &r,
                               unsigned rows, const tile_rule<accumulator_t<Out>, Out> &rule,
                               accumulator_t<Out> initial, unsigned lane)
{
    const accumulator_t<Out> before =
        Operator::combine(initial, identity_of<Operator, Out>()); /* nothing is before its run */
    constexpr unsigned IN_SIZE = sizeof(In), OUT_SIZE = sizeof(Out);
    PRIM_UNROLL(1)
    for (unsigned row = lane; row < rows; row += WARP)
        scan_lane_row<Operator, BY_VECTORS, In, Out>(
            {images.elements, images.results, images.first_element + row * r.pitch * IN_SIZE,
             images.first_result + row * r.pitch * OUT_SIZE, r.swizzle, rule, before},
            r.columns);
}

/* Blocks, as many as have their registers: fewer of narrow integers, and of extremes of narrow
 * floats and of f64. */
template <class Operator, typename In, typename Out>
[[maybe_unused]] constexpr bool HAS_MANY_REGISTERS =
    !HAS_ORDER<Operator, Out> && (sizeof(In) < WORD_BYTES || std::is_same<In, double>::value);
template <class Operator, typename In, typename Out>
[[maybe_unused]] constexpr unsigned SHORT_ROW_BLOCKS =
    HAS_MANY_REGISTERS<Operator, In, Out> ? 4 : 5;

template <class Operator, typename In, typename Out>
__global__ void __launch_bounds__(ROW_THREADS,
                                  blocks_at_once(ROW_THREADS, SHORT_ROW_BLOCKS<Operator, In, Out>))
    scan_short_rows(short_rows<In, Out> r, tile_rule<accumulator_t<Out>, Out> rule)
{
    constexpr unsigned RESULTS = RESULT_SLOTS<In, Out>, ELEMENTS = ELEMENT_SLOTS<In, Out>;
    PRIM_SHARED(vector_slot, of_results, [ROW_WARPS][RESULTS]);
    PRIM_SHARED(vector_slot, of_elements, [ROW_WARPS][ELEMENTS]);
    const unsigned warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
    const size_t first = (static_cast<size_t>(blockIdx.x) * ROW_WARPS + warp) * r.of_warp;
    trigger_launch_completion();
    grid_dependency_synchronize();
    if (first >= r.count)
        return;
    const unsigned rows =
        r.count - first < r.of_warp ? static_cast<unsigned>(r.count - first) : r.of_warp;

    row_images images = {kept_in_register(of_results[warp]), kept_in_register(of_results[warp]),
                         shift_of(r.in + first * r.in_ld), 0};
    if constexpr (ONE_IMAGE<In, Out>)
        images.first_result = images.first_element;
    else
        images.elements = kept_in_register(of_elements[warp]);
    load_elements(images, r, first, rows, lane);
    wait_for_copies();
    __syncwarp();
    const accumulator_t<Out> initial =
        Operator::combine(initial_of(rule), identity_of<Operator, Out>());
    if (r.work == ROWS_BY_ELEMENTS)
        scan_lane_rows<Operator, false>(images, r, rows, rule, initial, lane);
    else if (r.work == ROWS_BY_VECTORS)
        scan_lane_rows<Operator, true>(images, r, rows, rule, initial, lane);
    else
        scan_runs<Operator>(images, r, rows, rule, initial, lane);
    __syncwarp();
    store_results(images, r, first, rows, lane);
}

/* ---- what the host decides ---- */

/* Gaps of up to 32 bytes: memory reads them anyway. */
template <typename In>
bool come_together(const prim_scan_args *args)
{
    return (args->in_ld - args->columns) * sizeof(In) <= 2 * VECTOR_BYTES;
}

/* Elements from row to row in an image: as in memory; or, of rows that come by themselves, so many
 * that no two share a vector. */
template <typename In, typename Out>
unsigned pitch_of_image(const prim_scan_args *args)
{
    constexpr unsigned OF_VECTOR = VECTOR_BYTES / sizeof(In);
    if (come_together<In>(args))
        return static_cast<unsigned>(args->in_ld);
    const unsigned least = static_cast<unsigned>(args->columns) + OF_VECTOR - 1;
    return least + static_cast<unsigned>((args->in_ld - least) % OF_VECTOR);
}

/* Lanes have whole rows, if these are not whole runs, which leave no lane idle, and if the lanes'
 * elements do not lie in the same banks: at most four in one. */
template <typename In, typename Out>
lane_work work_of(const prim_scan_args *args, unsigned pitch)
{
    constexpr unsigned N = WIDTH<In, Out>;
    if (args->columns > MOST_ELEMENTS<In, Out> || args->columns % RUN_ELEMENTS<In, Out> == 0)
        return RUNS;
    return pitch % N == 0 && shift_of(args->in) % (N * sizeof(In)) == 0 ? ROWS_BY_VECTORS
           : pitch * sizeof(Out) % (2 * VECTOR_BYTES) != 0              ? ROWS_BY_ELEMENTS
                                                                        : RUNS;
}

struct choose_route {
    template <typename In, typename Out>
    static prim_scan_route run(const prim_scan_args *args)
    {
        return work_of<In, Out>(args, pitch_of_image<In, Out>(args)) == RUNS ? PRIM_SCAN_WARP_ROWS
                                                                             : PRIM_SCAN_LANE_ROWS;
    }
    static prim_scan_route not_built(const prim_scan_args *)
    {
        return PRIM_SCAN_WARP_ROWS; /* whose launch says so */
    }
};

/* As many as fit, but whole steps where the last one would leave more than half of the lanes
 * idle. */
template <typename In, typename Out>
unsigned rows_of_warp(lane_work work, unsigned columns, unsigned pitch)
{
    const unsigned at_once =
        work != RUNS ? WARP : WARP / prim_divide_up(columns, RUN_ELEMENTS<In, Out>);
    const unsigned room = (pitch == columns ? CHUNK<In, Out> * sizeof(Out) : ROOM) / sizeof(Out);
    const unsigned most = (room - columns) / pitch + 1, behind = most % at_once;
    return most > at_once && behind <= at_once / 2 ? most - behind : most;
}

struct launch_short_rows : launch_run {
    template <typename In, typename Out, typename Operator>
    static cudaError_t run(const prim_scan_args *args)
    {
        constexpr unsigned SIZE = sizeof(In);
        const unsigned columns = static_cast<unsigned>(args->columns);
        const unsigned pitch = pitch_of_image<In, Out>(args);
        const lane_work work = work_of<In, Out>(args, pitch);
        const bool alike = ONE_IMAGE<In, Out> && shift_of(args->in) == shift_of(args->out) &&
                           (args->in_ld - args->out_ld) * SIZE % VECTOR_BYTES == 0;
        const unsigned vectors =
            come_together<In>(args) ? 0 : (columns * SIZE + 2 * VECTOR_BYTES - 2) / VECTOR_BYTES;
        const unsigned of_row = columns * SIZE / VECTOR_BYTES; /* whole ones */
        const short_rows<In, Out> rows = {
            static_cast<const In *>(args->in),
            static_cast<Out *>(args->out),
            args->in_ld,
            args->out_ld,
            args->rows,
            columns,
            rows_of_warp<In, Out>(work, columns, pitch),
            pitch,
            vectors,
            alike,
            reciprocal_of(columns),
            of_row > 0 ? reciprocal_of(of_row) : 0,
            vectors > 0 ? reciprocal_of(vectors) : 0,
            work,
            work == RUNS || (work == ROWS_BY_VECTORS && pitch * sizeof(Out) % 32 == 0) ? SWIZZLED
                                                                                       : IN_ORDER};
        const size_t blocks =
            prim_divide_up(args->rows, static_cast<size_t>(rows.of_warp) * ROW_WARPS);
        return prim_launch_dependent(
            {args->call.stream, static_cast<unsigned>(blocks), ROW_THREADS},
            scan_short_rows<Operator, In, Out>, rows, rule_of<Operator, Out>(args));
    }
};

} // namespace short_rows
} // namespace

prim_scan_route prim_scan_short_rows_route(const prim_scan_args *args)
{
    return all_types<short_rows::choose_route>(args);
}

cudaError_t prim_scan_launch_short_rows(const prim_scan_args *args)
{
    return dispatch_if<LINES_ARE_BUILT, short_rows::launch_short_rows>(args);
}
