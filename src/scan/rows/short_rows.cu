/* Rows that are shorter than half a chunk: a warp takes as many whole rows as a chunk has room for.
 *
 *     memory     a a a b b b c c c d d d …      rows without gaps are one line: its image comes and
 *     lane       0           1                  goes in vectors, whatever the rows' length is;
 *                                               a lane takes as many rows as its run has room for
 *     lane       0    1    2    3    4    5     … or a run of a longer row
 *                a…a  a…a  a    b…b  b…b  b
 *     lane       0           1                  … or a whole row, where lanes then read from
 *                a…a a…a a   b…b b…b b          different banks: whole_rows.cuh
 *
 * A row's runs and the order of its lanes are those of a chunk, chunk.cuh, so that a result has the
 * same bits as in a longer line; but a lane's run begins anywhere in the image, and any lanes may
 * have a row's runs. Rows with gaps between them: gaps.cuh.
 *
 * Work: 2 × count combinations. Bytes: the elements once, the results once. Steps: two runs, and
 * log2 of the runs in a row. */
#include "common/kernel/launch.cuh"
#include "common/kernel/shared.cuh"
#include "scan/rows/gaps.cuh"
#include "scan/rows/thin_rows.cuh"
#include "scan/rows/whole_rows.cuh"
#include "scan/tile/tile.cuh"
#include "scan/tile/tiles.h"

namespace
{
namespace short_rows
{

constexpr unsigned ROW_WARPS = 8, ROW_THREADS = ROW_WARPS * WARP;
constexpr unsigned RUN_WORDS = RUN * VECTOR_BYTES / 4; /* words of a lane's results */

/* Rows of a thread that has up to two elements of each. */
[[maybe_unused]] constexpr unsigned FEW_ROWS = 4;

/* Bit i % 32 of word i / 32: element i of a lane begins a row. In words, since nvcc would compare a
 * bit of 64 in two instructions. */
struct row_begins {
    uint32_t words[2];
};

template <unsigned COUNT>
struct words_of {
    uint32_t words[COUNT];
};

/* The kernel's share of a route: runs of rows, or a row for each lane, in shared memory or
 * without. */
enum lane_work : unsigned {
    RUNS,                /* warp_rows */
    WHOLE_ROWS,          /* lane_rows: whole_rows.cuh */
    WHOLE_VECTORS,       /* the same, of which each begins at a vector */
    THIN_ROWS,           /* thin_rows.cuh; from here on without shared memory */
    THIN_ROWS_FROM_WORD, /* all of them begin at a word */
    FEW_ELEMENTS         /* of each row */
};

template <typename In, typename Out>
struct short_rows {
    const In *in;
    Out *out;
    size_t in_ld, out_ld, count;
    unsigned columns, of_warp;        /* rows that a warp takes */
    unsigned pitch;                   /* elements from row to row in an image */
    bool by_vectors;                  /* gaps.cuh */
    uint32_t of_elements, of_vectors; /* reciprocals of what a row has */
    lane_work work;
    row_begins begins;
};

template <typename In, typename Out>
constexpr bool ONE_IMAGE = sizeof(In) == sizeof(Out);

/* Rows of up to 16 bytes of narrow elements, with gaps, may be a thread's. */
template <typename In, typename Out>
constexpr bool MAY_BE_THIN = IS_NARROW<In> &&ONE_IMAGE<In, Out>;

/* Where elements and results have one width, they share an image. The image of wider results also
 * has room for those of the elements that precede the first one in its vector. A lane reads a whole
 * run, and the last one may begin at the image's last element. */
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

/* Starts the copies of a warp's elements, and says where the image has them. */
template <typename In, typename Out>
__device__ void load_elements(row_images &images, const short_rows<In, Out> &r, const In *from,
                              const line_part &part, unsigned lane, unsigned swizzle)
{
    constexpr unsigned SIZE = sizeof(In);
    rows_in_image image = {part.count, r.columns * SIZE, r.pitch * SIZE,
                           0,          r.of_elements,    r.of_vectors};
    if (r.in_ld == r.columns) {
        image.first = shift_of(from);
        load_image<IN_VECTORS<In, Out>>(images.elements, from, part, lane, swizzle);
    } else {
        image.first = r.by_vectors ? shift_of(from) : 0;
        load_rows(images.elements, from, r.in_ld, image, r.by_vectors, lane, swizzle);
    }
    images.first_element = image.first;
    images.first_result = image.first / SIZE * static_cast<unsigned>(sizeof(Out));
}

template <typename In, typename Out>
__device__ void store_results(const row_images &images, const short_rows<In, Out> &r, Out *to,
                              unsigned count, unsigned lane, unsigned swizzle)
{
    constexpr unsigned SIZE = sizeof(Out);
    const rows_in_image image = {
        count, r.columns * SIZE, r.pitch * SIZE, images.first_result, r.of_elements, r.of_vectors};
    if (r.out_ld == r.columns && r.pitch == r.columns)
        store_image<PRIM_SCAN_CHUNK_VECTORS>(to, images.results, images.first_result, count, lane,
                                             swizzle);
    else
        store_rows(to, r.out_ld, images.results, image, ONE_IMAGE<In, Out> && r.by_vectors, lane,
                   swizzle);
}

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
            using bits = typename std::conditional<SIZE == 2, uint16_t, uint8_t>::type;
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
__device__ lane_run<Out, N> scan_rows_of_run(const lane_run<In, N> &run, const row_begins &begins,
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
            const unsigned i = v * N + e;
            so_far = (begins.words[i / 32] >> i % 32 & 1) != 0 ? initial : so_far;
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
    unsigned runs, of_lane, rows; /* runs of a row; rows of a lane, and of all */

    __host__ __device__ row_step(unsigned columns, unsigned pitch, unsigned of_run)
        : runs((columns + of_run - 1) / of_run),
          of_lane(runs == 1 && pitch < of_run ? of_run / pitch : 1), rows(WARP / runs * of_lane)
    {
    }
};

/* Scans the warp's rows, in steps of a run for each lane. What lies between rows in an image
 * becomes some result that is not stored. */
template <class Operator, typename In, typename Out>
__device__ void scan_rows(const row_images &images, unsigned rows, unsigned columns, unsigned pitch,
                          const row_begins &begins, const tile_rule<accumulator_t<Out>, Out> &rule,
                          unsigned lane)
{
    using value = accumulator_t<Out>;
    constexpr unsigned N = WIDTH<In, Out>, OF_RUN = RUN_ELEMENTS<In, Out>;
    const value identity = identity_of<Operator, Out>();
    const value initial = Operator::combine(initial_of(rule), identity); /* before the chunk */
    const row_step step(columns, pitch, OF_RUN);
    const unsigned runs = step.runs, of_lane = step.of_lane, at_once = step.rows;
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

/* What is before a row that is a lane's: nothing is before its chunk, nor before its run. */
template <class Operator, typename Out>
__device__ accumulator_t<Out> before_row(const tile_rule<accumulator_t<Out>, Out> &rule)
{
    const accumulator_t<Out> identity = identity_of<Operator, Out>();
    return Operator::combine(Operator::combine(initial_of(rule), identity), identity);
}

/* The same, each lane a row at a time. */
template <class Operator, bool BY_VECTORS, typename In, typename Out>
__device__ void scan_whole_rows(const row_images &images, unsigned rows, unsigned columns,
                                unsigned pitch, const tile_rule<accumulator_t<Out>, Out> &rule,
                                unsigned lane)
{
    using value = accumulator_t<Out>;
    const value initial = before_row<Operator>(rule);
    PRIM_UNROLL(1)
    for (unsigned row = lane; row < rows; row += WARP)
        scan_whole_row<Operator, BY_VECTORS, In, Out>(
            images.elements->byte + images.first_element + row * pitch * sizeof(In),
            images.results->byte + images.first_result + row * pitch * sizeof(Out), columns, rule,
            initial);
}

/* Up to two elements of each of FEW_ROWS rows, which lie WARP rows apart from `first` on: all are
 * on their way at once. */
template <class Operator, typename In, typename Out>
__device__ void scan_few_elements(const short_rows<In, Out> &r, size_t first,
                                  const tile_rule<accumulator_t<Out>, Out> &rule,
                                  accumulator_t<Out> initial)
{
    In x[FEW_ROWS][2] = {};
    PRIM_UNROLL(FEW_ROWS)
    for (unsigned j = 0; j < FEW_ROWS; j++) {
        PRIM_UNROLL(2)
        for (unsigned e = 0; e < 2; e++)
            if (first + j * WARP < r.count && e < r.columns)
                x[j][e] = r.in[(first + j * WARP) * r.in_ld + e];
    }
    PRIM_UNROLL(FEW_ROWS)
    for (unsigned j = 0; j < FEW_ROWS; j++) {
        Out *const to = r.out + (first + j * WARP) * r.out_ld;
        accumulator_t<Out> so_far = initial;
        PRIM_UNROLL(2)
        for (unsigned e = 0; e < 2; e++) {
            const accumulator_t<Out> next =
                Operator::combine(so_far, value_of<Operator, In, Out>(x[j][e], rule.element));
            if (first + j * WARP < r.count && e < r.columns)
                to[e] = result_of<Operator, Out>(rule.kind == PRIM_SCAN_EXCLUSIVE ? so_far : next,
                                                 rule.element);
            so_far = next;
        }
    }
}

/* A row of this thread alone, or some, without shared memory. */
template <class Operator, typename In, typename Out>
__device__ void scan_row_in_memory(const short_rows<In, Out> &r, size_t row,
                                   const tile_rule<accumulator_t<Out>, Out> &rule)
{
    using value = accumulator_t<Out>;
    if (row >= r.count)
        return;
    const value initial = before_row<Operator>(rule);
    if constexpr (MAY_BE_THIN<In, Out>) {
        const In *const from = r.in + row * r.in_ld;
        Out *const to = r.out + row * r.out_ld;
        if (r.work == THIN_ROWS) {
            scan_thin_row<Operator, false>(from, to, r.columns, rule, initial);
            return;
        }
        if (r.work == THIN_ROWS_FROM_WORD) {
            scan_thin_row<Operator, true>(from, to, r.columns, rule, initial);
            return;
        }
    }
    scan_few_elements<Operator>(r, row, rule, initial);
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
    if constexpr (IS_NARROW<In>)
        if (r.work > WHOLE_VECTORS) {
            scan_row_in_memory<Operator>(r, first + lane, rule);
            return;
        }
    const unsigned rows =
        r.count - first < r.of_warp ? static_cast<unsigned>(r.count - first) : r.of_warp;
    const unsigned count = rows * r.columns;

    const unsigned swizzle = r.work == RUNS ? SWIZZLED : IN_ORDER;
    vector_slot *const slots = kept_in_register(of_results[warp]);
    row_images images = {ONE_IMAGE<In, Out> ? slots : kept_in_register(of_elements[warp]), slots, 0,
                         0};
    load_elements(images, r, r.in + first * r.in_ld, {count, first == 0, first + rows == r.count},
                  lane, swizzle);
    wait_for_copies();
    __syncwarp();
    if (r.work == WHOLE_ROWS)
        scan_whole_rows<Operator, false, In, Out>(images, rows, r.columns, r.pitch, rule, lane);
    else if (ONE_IMAGE<In, Out> && r.work == WHOLE_VECTORS)
        scan_whole_rows<Operator, true, In, Out>(images, rows, r.columns, r.pitch, rule, lane);
    else
        scan_rows<Operator, In, Out>(images, rows, r.columns, r.pitch, r.begins, rule, lane);
    __syncwarp();
    store_results(images, r, r.out + first * r.out_ld, count, lane, swizzle);
}

/* Of rows with gaps: a little more than a chunk, so that two of half a chunk fit. */
[[maybe_unused]] constexpr unsigned ROOM_WITH_GAPS = (PRIM_SCAN_CHUNK_VECTORS + 2) * VECTOR_BYTES;

[[maybe_unused]] bool has_gaps(const prim_scan_args *args)
{
    return args->in_ld != args->columns || args->out_ld != args->columns;
}

/* Whether a row is a thread's, without shared memory: of narrow elements, with gaps, one or two
 * elements or up to a vector. */
template <typename In, typename Out>
bool is_thin(const prim_scan_args *args)
{
    return IS_NARROW<In> && has_gaps(args) &&
           (args->columns <= 2 ||
            (MAY_BE_THIN<In, Out> && args->columns <= VECTOR_BYTES / sizeof(In)));
}

/* Whether rows of a vector and more, with gaps between them, lie equally far past vectors in input
 * and output, or in two images. */
template <typename In, typename Out>
bool may_go_by_vectors(const prim_scan_args *args)
{
    return has_gaps(args) && args->columns * sizeof(In) >= VECTOR_BYTES && IS_NARROW<In> &&
           (!ONE_IMAGE<In, Out> || ((args->in_ld - args->out_ld) * sizeof(In) % VECTOR_BYTES == 0 &&
                                    shift_of(args->in) == shift_of(args->out)));
}

/* Elements from row to row in an image: the fewest that keep a row as far past a vector as it is in
 * memory; or, if they are loaded one by one, so many that each row begins at one, where lanes may
 * take whole rows. */
template <typename In, typename Out>
unsigned pitch_of_image(const prim_scan_args *args)
{
    constexpr unsigned OF_VECTOR = VECTOR_BYTES / sizeof(In);
    const unsigned columns = static_cast<unsigned>(args->columns);
    if (args->in_ld == args->columns)
        return columns;
    if (may_go_by_vectors<In, Out>(args))
        return columns + static_cast<unsigned>((args->in_ld - args->columns) % OF_VECTOR);
    return ONE_IMAGE<In, Out> && args->out_ld != args->columns && columns > 2 * OF_VECTOR &&
                   columns <= MOST_ELEMENTS<In, Out>
               ? (columns + OF_VECTOR - 1) / OF_VECTOR * OF_VECTOR
               : columns;
}

/* How many lanes at most read from one bank of shared memory, if each begins `pitch` bytes after
 * the one before it. */
template <typename T>
unsigned lanes_at_a_bank(unsigned pitch)
{
    constexpr unsigned WIDTH = sizeof(T) < WORD_BYTES ? WORD_BYTES : sizeof(T),
                       BANKS = 32 * WORD_BYTES / WIDTH;
    unsigned lanes[BANKS] = {}, most = 0;
    for (unsigned lane = 0; lane < BANKS; lane++) {
        const unsigned place = lane * pitch / WIDTH;
        if (lane > 0 && place == (lane - 1) * pitch / WIDTH)
            continue; /* the same word */
        const unsigned here = ++lanes[place % BANKS];
        most = here > most ? here : most;
    }
    return most;
}

/* Whether each lane takes whole rows, by elements or by vectors: not short ones, of which a run has
 * several, nor those of whole runs, which leave no lane idle. */
template <typename Out>
bool go_by_elements(const prim_scan_args *args, unsigned pitch)
{
    return args->columns * sizeof(Out) > 8 && lanes_at_a_bank<Out>(pitch * sizeof(Out)) <= 2;
}

template <typename In, typename Out>
bool go_by_vectors(const prim_scan_args *args, unsigned pitch)
{
    const bool shifted = may_go_by_vectors<In, Out>(args) || args->in_ld == args->columns;
    const unsigned bytes = pitch * static_cast<unsigned>(sizeof(Out));
    return ONE_IMAGE<In, Out> && (!shifted || shift_of(args->in) == 0) &&
           bytes % VECTOR_BYTES == 0 && bytes > 2 * VECTOR_BYTES &&
           bytes % (RUN * VECTOR_BYTES) != 0;
}

struct choose_route {
    template <typename In, typename Out>
    static prim_scan_route run(const prim_scan_args *args)
    {
        if (is_thin<In, Out>(args))
            return args->columns <= 2 ? PRIM_SCAN_FEW_ELEMENTS : PRIM_SCAN_THIN_ROWS;
        const unsigned pitch = pitch_of_image<In, Out>(args);
        return args->columns <= MOST_ELEMENTS<In, Out> &&
                       (go_by_elements<Out>(args, pitch) || go_by_vectors<In, Out>(args, pitch))
                   ? PRIM_SCAN_LANE_ROWS
                   : PRIM_SCAN_WARP_ROWS;
    }
    static prim_scan_route not_built(const prim_scan_args *)
    {
        return PRIM_SCAN_WARP_ROWS; /* whose launch says so */
    }
};

/* What lanes do on a route, by the alignment of rows and their elements in banks. */
template <typename In, typename Out>
lane_work work_of(prim_scan_route route, const prim_scan_args *args, unsigned pitch)
{
    switch (route) {
    case PRIM_SCAN_FEW_ELEMENTS:
        return FEW_ELEMENTS;
    case PRIM_SCAN_THIN_ROWS:
        return lines_are_aligned(args->in, args->rows, args->in_ld * sizeof(In), WORD_BYTES) &&
                       lines_are_aligned(args->out, args->rows, args->out_ld * sizeof(Out),
                                         WORD_BYTES)
                   ? THIN_ROWS_FROM_WORD
                   : THIN_ROWS;
    case PRIM_SCAN_LANE_ROWS:
        return go_by_elements<Out>(args, pitch) ? WHOLE_ROWS : WHOLE_VECTORS;
    default:
        return RUNS;
    }
}

/* As many as fit, but whole steps where the last one would leave more than half of the lanes
 * idle; without shared memory, one for each lane. */
template <typename In, typename Out>
unsigned rows_of_warp(lane_work work, unsigned columns, unsigned pitch, unsigned room)
{
    if (work > WHOLE_VECTORS)
        return work == FEW_ELEMENTS ? FEW_ROWS * WARP : WARP;
    const unsigned at_once =
        work != RUNS ? WARP : row_step(columns, pitch, RUN_ELEMENTS<In, Out>).rows;
    const unsigned most = room / pitch, behind = most % at_once;
    return most > at_once && behind <= at_once / 2 ? most - behind : most;
}

struct launch_short_rows : launch_run {
    template <typename In, typename Out, typename Operator>
    static cudaError_t run(const prim_scan_args *args, prim_scan_route route)
    {
        const unsigned columns = static_cast<unsigned>(args->columns);
        const bool by_vectors = may_go_by_vectors<In, Out>(args);
        const unsigned pitch = pitch_of_image<In, Out>(args);
        const lane_work work = work_of<In, Out>(route, args, pitch);
        row_begins begins = {};
        static_assert(RUN_ELEMENTS<In, Out> <= 64, "a bit for each element of a lane");
        for (unsigned i = 0; i < RUN_ELEMENTS<In, Out>; i += pitch)
            begins.words[i / 32] |= 1u << i % 32;
        const unsigned room = args->in_ld != args->columns
                                  ? ROOM_WITH_GAPS / static_cast<unsigned>(sizeof(Out))
                                  : CHUNK<In, Out>;
        const short_rows<In, Out> rows = {
            static_cast<const In *>(args->in),
            static_cast<Out *>(args->out),
            args->in_ld,
            args->out_ld,
            args->rows,
            columns,
            rows_of_warp<In, Out>(work, columns, pitch, room),
            pitch,
            by_vectors,
            reciprocal_of(columns),
            by_vectors ? reciprocal_of(columns * sizeof(In) / VECTOR_BYTES) : 0,
            work,
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

prim_scan_route prim_scan_short_rows_route(const prim_scan_args *args)
{
    return all_types<short_rows::choose_route>(args);
}

cudaError_t prim_scan_launch_short_rows(const prim_scan_args *args, prim_scan_route route)
{
    return dispatch_if<LINES_ARE_BUILT, short_rows::launch_short_rows>(args, route);
}
