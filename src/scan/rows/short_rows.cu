/* Rows that are shorter than half a chunk: a warp takes as many whole rows as it has room for, with
 * what is between them, staged_rows.cuh.
 *
 *     image      a a a b b b c c c d d d …
 *     lane       0     1     2     3              a whole row, if it is short: lane_rows.cuh
 *     lane       0    1    2    3    4    5       … or a run of a longer one
 *                a…a  a…a  a    b…b  b…b  b
 *     lane       0           1                    … or some very short ones, as many as a run has
 *                a a b b …   k k l l …            room for
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

constexpr unsigned RUN_WORDS = RUN * VECTOR_BYTES / 4; /* words of a lane's results */

/* What a lane takes: a run, or whole rows. */
enum lane_work : unsigned { RUNS, ROWS_BY_ELEMENTS, ROWS_BY_VECTORS };

template <typename In, typename Out>
struct short_rows {
    const In *in, *in_end;
    Out *out;
    size_t in_ld, out_ld, count;
    unsigned columns, of_warp;        /* rows that a warp takes */
    unsigned pitch;                   /* elements from row to row in an image */
    unsigned vectors;                 /* of a row that comes by itself; 0: rows come together */
    uint32_t of_elements, of_vectors; /* reciprocals of what a row has */
    lane_work work;
    unsigned swizzle;
    bool by_vectors;    /* results with gaps, staged_rows.cuh */
    uint32_t begins[2]; /* bit i % 32 of word i / 32: element i of a lane's run begins a row; in
                           words, since nvcc would compare a bit of 64 in two instructions */
};

template <typename In, typename Out>
constexpr bool ONE_IMAGE = sizeof(In) == sizeof(Out);

/* Warps of a block, and vectors of results that each has room for: of narrow ones two chunks. A
 * sixteenth more for what is between rows. */
template <typename Out>
constexpr unsigned ROW_WARPS = IS_NARROW<Out> ? 4 : 8;
template <typename Out>
constexpr unsigned ROOM = 8 / ROW_WARPS<Out> *PRIM_SCAN_CHUNK_VECTORS;
template <typename Out>
constexpr unsigned ROOM_WITH_GAPS = ROOM<Out> / 16 * 17;

/* Where elements and results have one width, they share an image. One vector more where it begins
 * in one; and a lane reads a whole run, of which the last one may begin at the last element. */
template <typename Out>
constexpr unsigned RESULT_SLOTS = ROOM_WITH_GAPS<Out> + 6;
template <typename In, typename Out>
constexpr unsigned ELEMENT_SLOTS = ONE_IMAGE<In, Out>
                                       ? 1
                                       : ROOM_WITH_GAPS<Out> * sizeof(In) / sizeof(Out) + 8;

/* ---- a lane's run: 64 bytes from anywhere in the image ---- */

template <unsigned COUNT>
struct words_of {
    uint32_t words[COUNT];
};

template <typename In, unsigned N>
struct lane_run {
    packed<In, N> vectors[RUN];
};

/* Writes the first `bytes` of a run of Outs. Whole words are written at once; those at the ends may
 * have other lanes' elements in them. */
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

/* The exclusive prefix of each of a row's runs; `run` is this lane's, of `runs`. */
template <class Operator, typename In, typename Out, unsigned N>
__device__ accumulator_t<Out> run_prefix(const lane_run<In, N> &x, const element_rule<Out> &rule,
                                         unsigned run, unsigned runs)
{
    using value = accumulator_t<Out>;
    value sum = vector_sum<Operator, In, Out>(x.vectors[0], rule);
    PRIM_UNROLL(RUN)
    for (unsigned v = 1; v < RUN; v++)
        sum = Operator::combine(sum, vector_sum<Operator, In, Out>(x.vectors[v], rule));
    PRIM_UNROLL(1)
    for (unsigned stride = 1; stride < runs; stride *= 2) {
        const value below = __shfl_up_sync(ALL_LANES, sum, stride);
        sum = run >= stride ? Operator::combine(below, sum) : sum;
    }
    const value before = __shfl_up_sync(ALL_LANES, sum, 1);
    return run == 0 ? identity_of<Operator, Out>() : before;
}

/* The results of a run; where a row begins in it, so_far is again what it was. */
template <class Operator, typename In, typename Out, unsigned N>
__device__ lane_run<Out, N> results_of_run(const lane_run<In, N> &x, const uint32_t (&begins)[2],
                                           const tile_rule<accumulator_t<Out>, Out> &rule,
                                           const accumulator_t<Out> before)
{
    lane_run<Out, N> results;
    accumulator_t<Out> so_far = before;
    PRIM_UNROLL(RUN)
    for (unsigned v = 0; v < RUN; v++) {
        accumulator_t<Out> values[N];
        values_of<Operator, In, Out>(x.vectors[v], rule.element, values);
        PRIM_UNROLL(N)
        for (unsigned e = 0; e < N; e++) {
            const unsigned i = v * N + e;
            so_far = (begins[i / 32] >> i % 32 & 1) != 0 ? before : so_far;
            const accumulator_t<Out> next = Operator::combine(so_far, values[e]);
            values[e] = rule.kind == PRIM_SCAN_EXCLUSIVE ? so_far : next;
            so_far = next;
        }
        results.vectors[v] = results_of<Operator, Out>(values, rule.element);
    }
    return results;
}

/* How a warp's lanes share rows: each takes a run of one, or some that a run has room for. */
struct row_step {
    unsigned runs, of_lane, rows; /* runs of a row; rows of a lane, and of all */

    __host__ __device__ row_step(unsigned columns, unsigned pitch, unsigned of_run)
        : runs((columns + of_run - 1) / of_run), of_lane(pitch < of_run ? of_run / pitch : 1),
          rows(WARP / runs * of_lane)
    {
    }
};

/* Scans the rows from the place of the first one on, in steps of a run for each lane; `initial` is
 * what is before their chunk. Behind a row some results are computed that are not stored. */
template <class Operator, typename In, typename Out>
__device__ void scan_runs(const row_place &place, const short_rows<In, Out> &r, unsigned rows,
                          const tile_rule<accumulator_t<Out>, Out> &rule,
                          accumulator_t<Out> initial, unsigned lane)
{
    constexpr unsigned N = WIDTH<In, Out>, OF_RUN = RUN_ELEMENTS<In, Out>;
    constexpr unsigned IN_SIZE = sizeof(In), OUT_SIZE = sizeof(Out);
    const row_step step(r.columns, r.pitch, OF_RUN);
    const unsigned run = lane % step.runs, begin = run * OF_RUN;
    const unsigned mine = lane / step.runs * step.of_lane;
    PRIM_UNROLL(1)
    for (unsigned first = 0; first < rows; first += step.rows) {
        const unsigned row = first + mine, left = row < rows && mine < step.rows ? rows - row : 0;
        const unsigned whole =
            left == 0 ? 0 : ((left < step.of_lane ? left : step.of_lane) - 1) * r.pitch + r.columns;
        const unsigned element = left > 0 ? row * r.pitch + begin : 0;
        const unsigned count = whole <= begin ? 0 : whole - begin < OF_RUN ? whole - begin : OF_RUN;
        words_of<sizeof(lane_run<In, N>) / 4> words;
        read_words(place.elements, place.element + element * IN_SIZE, words.words);
        const lane_run<In, N> x = same_bits<lane_run<In, N>>(words);
        accumulator_t<Out> before = identity_of<Operator, Out>();
        if (step.runs > 1)
            before = run_prefix<Operator, In, Out>(x, rule.element, run, step.runs);
        const lane_run<Out, N> results = results_of_run<Operator, In, Out>(
            x, r.begins, rule, Operator::combine(initial, before));
        __syncwarp(); /* all have read: a vector may have elements of two lanes */
        write_run<Out>(place.results, place.result + element * OUT_SIZE, count * OUT_SIZE,
                       same_bits<words_of<RUN_WORDS>>(results).words);
        __syncwarp();
    }
}

/* The same, each lane a row at a time. */
template <class Operator, bool BY_VECTORS, typename In, typename Out>
__device__ void scan_lane_rows(const row_place &place, const short_rows<In, Out> &r, unsigned rows,
                               const tile_rule<accumulator_t<Out>, Out> &rule,
                               accumulator_t<Out> initial, unsigned lane)
{
    const accumulator_t<Out> before =
        Operator::combine(initial, identity_of<Operator, Out>()); /* nothing is before its run */
    PRIM_UNROLL(1)
    for (unsigned row = lane; row < rows; row += WARP) {
        row_place mine = place;
        mine.element += row * r.pitch * static_cast<unsigned>(sizeof(In));
        mine.result += row * r.pitch * static_cast<unsigned>(sizeof(Out));
        scan_lane_row<Operator, BY_VECTORS, In, Out>(mine, r.columns, rule, before);
    }
}

/* ---- from global memory, and back ---- */

template <typename In, typename Out>
__device__ void load_elements(const row_place &place, const short_rows<In, Out> &r, size_t row,
                              unsigned rows, unsigned lane)
{
    constexpr unsigned SIZE = sizeof(In);
    staged_lines lines = {rows,      r.columns * SIZE, r.pitch * SIZE, (r.in_ld - r.pitch) * SIZE,
                          r.vectors, r.of_vectors,     r.in,           r.in_end};
    if (r.vectors == 0) {
        lines.count = 1;
        lines.length += (rows - 1) * lines.pitch;
        lines.vectors = (place.element + lines.length + VECTOR_BYTES - 1) / VECTOR_BYTES;
    }
    load_lines(place.elements, r.in + row * r.in_ld, lines, lane, r.swizzle);
}

template <typename In, typename Out>
__device__ void store_results(const row_place &place, const short_rows<In, Out> &r, size_t row,
                              unsigned rows, unsigned lane)
{
    constexpr unsigned SIZE = sizeof(Out);
    Out *const to = r.out + row * r.out_ld;
    const rows_in_image image = {rows * r.columns, r.columns * SIZE, r.pitch * SIZE, place.result,
                                 r.of_elements};
    if (r.out_ld == r.columns && r.pitch == r.columns)
        store_image<ROOM<Out>>(to, place.results, place.result, image.count, lane, r.swizzle);
    else if (IS_NARROW<Out> && r.by_vectors)
        store_vectors_and_ends(to, r.out_ld, place.results, image, lane, r.swizzle);
    else
        store_elements(to, r.out_ld, place.results, image, lane, r.swizzle);
}

/* Warps at once, as many as have their registers: fewer of narrow integers, and of extremes of
 * narrow floats and of f64. */
template <class Operator, typename In, typename Out>
[[maybe_unused]] constexpr unsigned MOST_WARPS =
    !HAS_ORDER<Operator, Out> && (IS_NARROW<In> || std::is_same<In, double>::value) ? 32 : 40;

template <class Operator, typename In, typename Out, unsigned WARPS = ROW_WARPS<Out>>
__global__ void
__launch_bounds__(WARPS *WARP, blocks_at_once(WARPS *WARP, MOST_WARPS<Operator, In, Out> / WARPS))
    scan_short_rows(short_rows<In, Out> r, tile_rule<accumulator_t<Out>, Out> rule)
{
    constexpr unsigned RESULTS = RESULT_SLOTS<Out>, ELEMENTS = ELEMENT_SLOTS<In, Out>;
    PRIM_SHARED(vector_slot, of_results, [WARPS][RESULTS]);
    PRIM_SHARED(vector_slot, of_elements, [WARPS][ELEMENTS]);
    const unsigned warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
    const size_t first = (static_cast<size_t>(blockIdx.x) * WARPS + warp) * r.of_warp;
    trigger_launch_completion();
    grid_dependency_synchronize();
    if (first >= r.count)
        return;
    const unsigned rows =
        r.count - first < r.of_warp ? static_cast<unsigned>(r.count - first) : r.of_warp;

    vector_slot *const results = kept_in_register(of_results[warp]);
    row_place place = {results, results, shift_of(r.in + first * r.in_ld), 0, r.swizzle};
    if constexpr (ONE_IMAGE<In, Out>)
        place.result = place.element;
    else
        place.elements = kept_in_register(of_elements[warp]);
    load_elements(place, r, first, rows, lane);
    wait_for_copies();
    __syncwarp();
    const accumulator_t<Out> initial =
        Operator::combine(initial_of(rule), identity_of<Operator, Out>());
    if (r.work == ROWS_BY_ELEMENTS)
        scan_lane_rows<Operator, false>(place, r, rows, rule, initial, lane);
    else if (r.work == ROWS_BY_VECTORS)
        scan_lane_rows<Operator, true>(place, r, rows, rule, initial, lane);
    else
        scan_runs<Operator>(place, r, rows, rule, initial, lane);
    __syncwarp();
    store_results(place, r, first, rows, lane);
}

/* ---- what the host decides ---- */

/* Narrow results with gaps go by elements up to so many. */
[[maybe_unused]] constexpr unsigned BY_ELEMENTS = 80;

/* Elements from row to row in an image: as in memory, if gaps are up to 32 bytes, which are read
 * anyway; or, of rows that come by themselves, so many that no two share a vector. */
template <typename In>
unsigned pitch_of_image(const prim_scan_args *args)
{
    constexpr unsigned OF_VECTOR = VECTOR_BYTES / sizeof(In);
    if (args->in_ld - args->columns <= 2 * OF_VECTOR)
        return static_cast<unsigned>(args->in_ld);
    const size_t least = args->columns + OF_VECTOR - 1;
    return static_cast<unsigned>(least + (args->in_ld - least) % OF_VECTOR);
}

/* Lanes have whole rows, if these are not whole runs, which leave no lane idle, nor of up to 8
 * bytes, of which a run has several; and not if many lanes would meet in a bank: where rows begin
 * some 128 bytes apart, or at vectors but for the first one. */
template <typename In, typename Out>
lane_work work_of(const prim_scan_args *args)
{
    constexpr unsigned N = WIDTH<In, Out>;
    const unsigned pitch = pitch_of_image<In>(args);
    const unsigned bytes = pitch * static_cast<unsigned>(sizeof(Out));
    if (args->columns > MOST_ELEMENTS<In, Out> || args->columns % RUN_ELEMENTS<In, Out> == 0 ||
        bytes <= 8)
        return RUNS;
    if (pitch % N == 0 && shift_of(args->in) % (N * sizeof(In)) == 0)
        return ROWS_BY_VECTORS;
    return bytes % VECTOR_BYTES != 0 && (bytes + 3) % 128 > 6 ? ROWS_BY_ELEMENTS : RUNS;
}

struct choose_route {
    template <typename In, typename Out>
    static prim_scan_route run(const prim_scan_args *args)
    {
        return work_of<In, Out>(args) == RUNS ? PRIM_SCAN_WARP_ROWS : PRIM_SCAN_LANE_ROWS;
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
        work != RUNS ? WARP : row_step(columns, pitch, RUN_ELEMENTS<In, Out>).rows;
    const unsigned vectors = pitch == columns ? ROOM<Out> : ROOM_WITH_GAPS<Out>;
    const unsigned room = vectors * VECTOR_BYTES / static_cast<unsigned>(sizeof(Out));
    const unsigned most = (room - columns) / pitch + 1, behind = most % at_once;
    return most > at_once && behind <= at_once / 2 ? most - behind : most;
}

struct launch_short_rows : launch_run {
    template <typename In, typename Out, typename Operator>
    static cudaError_t run(const prim_scan_args *args)
    {
        constexpr unsigned SIZE = sizeof(In);
        short_rows<In, Out> r = {};
        r.in = static_cast<const In *>(args->in);
        r.in_end = r.in + (args->rows - 1) * args->in_ld + args->columns;
        r.out = static_cast<Out *>(args->out);
        r.in_ld = args->in_ld;
        r.out_ld = args->out_ld;
        r.count = args->rows;
        r.columns = static_cast<unsigned>(args->columns);
        r.pitch = pitch_of_image<In>(args);
        r.work = work_of<In, Out>(args);
        r.of_warp = rows_of_warp<In, Out>(r.work, r.columns, r.pitch);
        r.vectors =
            r.pitch == r.in_ld ? 0 : (r.columns * SIZE + 2 * VECTOR_BYTES - 2) / VECTOR_BYTES;
        r.of_elements = reciprocal_of(r.columns);
        r.of_vectors = r.vectors > 0 ? reciprocal_of(r.vectors) : 0;
        r.swizzle = r.work == RUNS || (r.work == ROWS_BY_VECTORS && r.pitch * sizeof(Out) % 32 == 0)
                        ? SWIZZLED
                        : IN_ORDER;
        r.by_vectors = ONE_IMAGE<In, Out> && r.columns > BY_ELEMENTS &&
                       shift_of(r.in) == shift_of(r.out) &&
                       (r.in_ld - r.out_ld) * SIZE % VECTOR_BYTES == 0;
        static_assert(RUN_ELEMENTS<In, Out> <= 64, "a bit for each element of a lane");
        for (unsigned i = 0; i < RUN_ELEMENTS<In, Out>; i += r.pitch)
            r.begins[i / 32] |= 1u << i % 32;
        const size_t blocks =
            prim_divide_up(r.count, static_cast<size_t>(r.of_warp) * ROW_WARPS<Out>);
        return prim_launch_dependent(
            {args->call.stream, static_cast<unsigned>(blocks), ROW_WARPS<Out> * WARP},
            scan_short_rows<Operator, In, Out>, r, rule_of<Operator, Out>(args));
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
