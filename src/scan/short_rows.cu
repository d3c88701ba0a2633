/* Rows that are shorter than half a chunk: a warp takes as many whole rows as a chunk has room for.
 *
 *     memory     a a a b b b c c c d d d …      rows without gaps are one line: its image comes and
 *     lane       0           1                  goes in vectors, whatever the rows' length is;
 *                                               a lane takes as many rows as its run has room for
 *     lane       0    1    2    3    4    5     … or a run of a longer row
 *                a…a  a…a  a    b…b  b…b  b
 *
 * A row's runs and the order of its lanes are those of a chunk, chunk.cuh, so that a result has the
 * same bits as in a longer line; but a lane's run begins anywhere in the image, and any lanes may
 * have a row's runs. Rows with gaps between them: gaps.cuh.
 *
 * Work: 2 × count combinations. Bytes: the elements once, the results once. Steps: two runs, and
 * log2 of the runs in a row. */
#include "common/launch.cuh"
#include "common/shared.cuh"
#include "scan/gaps.cuh"
#include "scan/thin_rows.cuh"
#include "scan/tile.cuh"

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

template <typename In, typename Out>
struct short_rows {
    const In *in;
    Out *out;
    size_t in_ld, out_ld, count;
    unsigned columns, of_warp; /* rows that a warp takes */
    unsigned pitch;            /* elements from row to row in an image */
    bool spread, thin;         /* gaps.cuh, thin_rows.cuh */
    uint64_t begins;           /* bit i: element i of a lane begins a row */
};

/* Rows with gaps: narrow elements are copied by pieces. Wide ones are their own pieces, and copied
 * one by one with less ado. */
template <typename In, typename Out>
constexpr bool BY_PIECES = IS_NARROW<In> && sizeof(In) == sizeof(Out);

/* A warp's rows, whose first one begins at `at` in memory. */
template <typename In, typename Out>
__device__ spread_rows spread_of(const short_rows<In, Out> &r, unsigned rows, const void *at)
{
    constexpr unsigned SIZE = sizeof(In);
    return {rows, r.columns * SIZE, r.pitch * SIZE, shift_of(at)};
}

/* Where elements and results have one width, they share an image. The image of wider results also
 * has room for those of the elements that precede the first one in its vector. A lane reads a whole
 * run, and the last one may begin at the image's last element. */
template <typename In, typename Out>
constexpr unsigned RESULT_SLOTS = CHUNK_SLOTS + 7;
template <typename In, typename Out>
constexpr unsigned ELEMENT_SLOTS = sizeof(In) == sizeof(Out) ? 1 : IN_VECTORS<In, Out> + 8;

/* A warp's elements and results: their images, and the byte at which each begins. */
struct row_images {
    vector_slot *elements, *results;
    unsigned first_element, first_result;
};

/* ---- a lane's part: a run of one row, or some whole rows ---- */

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
            using bits = typename std::conditional<SIZE == 1, uint8_t, uint16_t>::type;
            if (e < head && e < bytes)
                bytes_at<bits>(slots, first + e) = static_cast<bits>(words[0] >> 8 * e);
            if (end + e < bytes)
                bytes_at<bits>(slots, first + end + e) = static_cast<bits>(rest >> 8 * e);
        }
    }
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

/* The results of a run's elements; a row begins at each bit of `begins`, with `initial`. */
template <class Operator, typename In, typename Out, unsigned N>
__device__ lane_run<Out, N> scan_rows_of_run(const lane_run<In, N> &run, uint64_t begins,
                                             const tile_rule<accumulator_t<Out>, Out> &rule,
                                             accumulator_t<Out> initial)
{
    using value = accumulator_t<Out>;
    lane_run<Out, N> results;
    value so_far = initial;
    PRIM_UNROLL(RUN)
    for (unsigned v = 0; v < RUN; v++) {
        value values[N];
        values_of<Operator, In, Out>(run.vectors[v], rule.element, values);
        PRIM_UNROLL(N)
        for (unsigned e = 0; e < N; e++) {
            so_far = (begins >> (v * N + e) & 1) != 0 ? initial : so_far;
            const value next = Operator::combine(so_far, values[e]);
            values[e] = rule.kind == PRIM_SCAN_EXCLUSIVE ? so_far : next;
            so_far = next;
        }
        results.vectors[v] = results_of<Operator, Out>(values, rule.element);
    }
    return results;
}

/* How a warp's lanes share rows: each takes a run of one, or some whole ones. */
struct row_step {
    unsigned runs, of_lane; /* runs of a row; rows of a lane */

    __host__ __device__ row_step(unsigned columns, unsigned pitch, unsigned of_run)
        : runs((columns + of_run - 1) / of_run),
          of_lane(runs == 1 && pitch < of_run ? of_run / pitch : 1)
    {
    }
    __host__ __device__ unsigned rows() const
    {
        return WARP / runs * of_lane;
    }
};

/* Scans the warp's rows, in steps of a run for each lane. What lies between rows in an image
 * becomes some result that is not stored. */
template <class Operator, typename In, typename Out>
__device__ void scan_rows(const row_images &images, unsigned rows, unsigned columns, unsigned pitch,
                          uint64_t begins, const tile_rule<accumulator_t<Out>, Out> &rule,
                          unsigned lane)
{
    using value = accumulator_t<Out>;
    constexpr unsigned N = WIDTH<In, Out>, OF_RUN = RUN_ELEMENTS<In, Out>;
    const value identity = identity_of<Operator, Out>();
    const value initial = Operator::combine(initial_of(rule), identity); /* before the chunk */
    const row_step step(columns, pitch, OF_RUN);
    const unsigned runs = step.runs, of_lane = step.of_lane, at_once = step.rows();
    const unsigned mine = lane / runs * of_lane, run = lane % runs;
    PRIM_UNROLL(1)
    for (unsigned first = 0; first < rows; first += at_once) {
        const unsigned row = first + mine, left = row < rows && mine < at_once ? rows - row : 0;
        const unsigned whole =
            left == 0 ? 0 : ((left < of_lane ? left : of_lane) - 1) * pitch + columns;
        const unsigned begin = run * OF_RUN, element = left > 0 ? row * pitch + begin : 0;
        const unsigned count = whole <= begin ? 0 : whole - begin < OF_RUN ? whole - begin : OF_RUN;
        const lane_run<In, N> x = read_run<In, N>(
            images.elements, images.first_element + element * static_cast<unsigned>(sizeof(In)));
        value before = identity;
        if (runs > 1) {
            value sum = identity;
            PRIM_UNROLL(RUN)
            for (unsigned v = 0; v < RUN; v++) {
                const value of_vector = vector_sum<Operator, In, Out>(x.vectors[v], rule.element);
                sum = v == 0 ? of_vector : Operator::combine(sum, of_vector);
            }
            before = run_prefix<Operator>(sum, run, runs, identity);
        }
        const lane_run<Out, N> results =
            scan_rows_of_run<Operator>(x, begins, rule, Operator::combine(initial, before));
        __syncwarp(); /* all have read: a vector may have elements of two lanes */
        write_run<Out>(images.results,
                       images.first_result + element * static_cast<unsigned>(sizeof(Out)),
                       count * static_cast<unsigned>(sizeof(Out)),
                       same_bits<words_of<RUN_WORDS>>(results).words);
        __syncwarp();
    }
}

/* Before 8.0, one more block of 16-bit results would spill a register. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
[[maybe_unused]] constexpr unsigned NARROW_BLOCKS = 2;
#else
[[maybe_unused]] constexpr unsigned NARROW_BLOCKS = 3;
#endif

template <class Operator, typename In, typename Out>
__global__ void __launch_bounds__(ROW_THREADS,
                                  blocks_at_once(ROW_THREADS, sizeof(Out) == 2 ? NARROW_BLOCKS : 4))
    scan_short_rows(short_rows<In, Out> r, tile_rule<accumulator_t<Out>, Out> rule)
{
    constexpr bool ONE_IMAGE = sizeof(In) == sizeof(Out);
    constexpr unsigned RESULTS = RESULT_SLOTS<In, Out>, ELEMENTS = ELEMENT_SLOTS<In, Out>;
    PRIM_SHARED(vector_slot, of_results, [ROW_WARPS][RESULTS]);
    PRIM_SHARED(vector_slot, of_elements, [ROW_WARPS][ELEMENTS]);
    const unsigned warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
    const size_t first = (static_cast<size_t>(blockIdx.x) * ROW_WARPS + warp) * r.of_warp;
    trigger_launch_completion();
    grid_dependency_synchronize();
    if (first >= r.count)
        return;
    if constexpr (BY_PIECES<In, Out>)
        if (r.thin) {
            using value = accumulator_t<Out>;
            const value identity = identity_of<Operator, Out>();
            const value initial = Operator::combine(initial_of(rule), identity);
            if (first + lane < r.count)
                scan_thin_row<Operator>(r.in + (first + lane) * r.in_ld,
                                        r.out + (first + lane) * r.out_ld, r.columns, rule,
                                        Operator::combine(initial, identity));
            return;
        }
    const unsigned rows =
        r.count - first < r.of_warp ? static_cast<unsigned>(r.count - first) : r.of_warp;
    const unsigned count = rows * r.columns;

    row_images images = {ONE_IMAGE ? of_results[warp] : of_elements[warp], of_results[warp], 0, 0};
    const In *const from = r.in + first * r.in_ld;
    if (BY_PIECES<In, Out> && r.spread) {
        load_spread(images.elements, from, r.in_ld, spread_of(r, rows, from), lane);
        images.first_element = images.first_result = shift_of(from);
    } else if (r.in_ld == r.columns) {
        const line_part part = {count, first == 0, first + rows == r.count};
        load_image<IN_VECTORS<In, Out>>(images.elements, from, part, lane);
        images.first_element = shift_of(from);
        images.first_result = images.first_element / sizeof(In) * sizeof(Out);
    } else {
        load_elements(images.elements, from, r.in_ld, r.columns, count, lane);
    }
    wait_for_copies();
    __syncwarp();
    scan_rows<Operator, In, Out>(images, rows, r.columns, r.pitch, r.begins, rule, lane);
    __syncwarp();
    Out *const to = r.out + first * r.out_ld;
    if (BY_PIECES<In, Out> && r.spread)
        store_spread(to, r.out_ld, images.results, spread_of(r, rows, to), lane);
    else if (r.out_ld == r.columns)
        store_image<PRIM_SCAN_CHUNK_VECTORS>(to, images.results, images.first_result, count, lane);
    else
        store_elements(to, r.out_ld, images.results, images.first_result, r.columns, count, lane);
}

/* Of spread rows: a little more than a chunk, so that two of half a chunk fit with their gaps. */
[[maybe_unused]] constexpr unsigned SPREAD_BYTES = (PRIM_SCAN_CHUNK_VECTORS + 2) * VECTOR_BYTES;

[[maybe_unused]] bool has_gaps(const prim_scan_args *args)
{
    return args->in_ld != args->columns || args->out_ld != args->columns;
}

/* One and two elements are copied one by one with less ado. */
template <typename In, typename Out>
bool is_thin(const prim_scan_args *args)
{
    return BY_PIECES<In, Out> && args->columns > 2 && args->columns <= VECTOR_BYTES / sizeof(In) &&
           has_gaps(args);
}

/* Whether longer rows of input and output lie equally far past vectors, with gaps between them. */
template <typename In, typename Out>
bool may_spread(const prim_scan_args *args)
{
    return BY_PIECES<In, Out> && args->columns > VECTOR_BYTES / sizeof(In) && has_gaps(args) &&
           (args->in_ld - args->out_ld) * sizeof(In) % VECTOR_BYTES == 0 &&
           shift_of(args->in) == shift_of(args->out);
}

/* The fewest elements that keep a row as far past a vector as it is in memory. */
template <typename In>
unsigned spread_pitch(const prim_scan_args *args)
{
    constexpr size_t N = VECTOR_BYTES / sizeof(In);
    return static_cast<unsigned>(args->columns + (args->in_ld - args->columns) % N);
}

/* As many as fit, but whole steps where the last one would leave more than half of the lanes
 * idle. */
template <typename In, typename Out>
unsigned rows_of_warp(unsigned columns, unsigned pitch, unsigned room)
{
    const unsigned at_once = row_step(columns, pitch, RUN_ELEMENTS<In, Out>).rows();
    const unsigned most = room / pitch, behind = most % at_once;
    return most > at_once && behind < at_once / 2 ? most - behind : most;
}

struct launch_short_rows : launch_run {
    template <typename In, typename Out, typename Operator>
    static cudaError_t run(const prim_scan_args *args)
    {
        const unsigned columns = static_cast<unsigned>(args->columns);
        const bool thin = is_thin<In, Out>(args), spread = may_spread<In, Out>(args);
        const unsigned pitch = spread ? spread_pitch<In>(args) : columns;
        uint64_t begins = 0;
        static_assert(RUN_ELEMENTS<In, Out> <= 64, "a bit for each element of a lane");
        for (unsigned i = 0; i < RUN_ELEMENTS<In, Out>; i += pitch)
            begins |= static_cast<uint64_t>(1) << i;
        const unsigned room =
            spread ? SPREAD_BYTES / static_cast<unsigned>(sizeof(In)) : CHUNK<In, Out>;
        const short_rows<In, Out> rows = {static_cast<const In *>(args->in),
                                          static_cast<Out *>(args->out),
                                          args->in_ld,
                                          args->out_ld,
                                          args->rows,
                                          columns,
                                          thin ? WARP : rows_of_warp<In, Out>(columns, pitch, room),
                                          pitch,
                                          spread,
                                          thin,
                                          begins};
        const size_t blocks =
            prim_divide_up(args->rows, static_cast<size_t>(rows.of_warp) * ROW_WARPS);
        return prim_launch_dependent(
            {args->call.stream, static_cast<unsigned>(blocks), ROW_THREADS},
            scan_short_rows<Operator, In, Out>, rows, rule_of<Operator, Out>(args));
    }
};

} // namespace short_rows
} // namespace

cudaError_t prim_scan_launch_short_rows(const prim_scan_args *args)
{
    return dispatch_kind<kind_is_built(PRIM_SCAN_ROWS), short_rows::launch_short_rows>(args);
}
