/* Rows that are shorter than half a chunk: a warp takes as many whole rows as a chunk has room for.
 *
 *     memory     a a a b b b c c c d d d …      rows without gaps are one line: its image comes and
 *     lane       0     1     2     3            goes in vectors, whatever the rows' length is;
 *                                               a row is a lane's
 *     lane       0   1   2   3   4   5          … or that of as many lanes as it has runs
 *                a…a a…a a   b…b b…b b
 *
 * A row's runs and the order of its lanes are those of a chunk, chunk.cuh, so that a result has the
 * same bits as in a longer line: only that lanes stand in for others, and go through elements one
 * by one. Rows with gaps between them are copied by elements.
 *
 * Work: 2 × count combinations, half of that where a row is one run. Bytes: the elements once, the
 * results once. Steps: two runs, and log2 of the runs in a row. */
#include "common/launch.cuh"
#include "common/shared.cuh"
#include "scan/tile.cuh"

namespace
{
namespace short_rows
{

constexpr unsigned ROW_WARPS = 8, ROW_THREADS = ROW_WARPS * WARP;

template <typename In, typename Out>
struct short_rows {
    const In *in;
    Out *out;
    size_t in_ld, out_ld, count;
    unsigned columns, of_warp; /* rows that a warp takes */
};

/* Elements of one width share an image with their results. A wider image has room for the results
 * that elements before the first one would have: they lie in its first vector, too. slot_of() moves
 * a vector by up to three. */
template <typename In, typename Out>
constexpr unsigned RESULT_SLOTS = sizeof(In) == sizeof(Out) ? CHUNK_SLOTS : CHUNK_SLOTS + 7;
template <typename In, typename Out>
constexpr unsigned ELEMENT_SLOTS = sizeof(In) == sizeof(Out) ? 1 : IN_VECTORS<In, Out> + 4;

/* Where a warp has its elements and results: byte `first` of the one image, and of the other. */
struct row_images {
    vector_slot *elements, *results;
    unsigned first_element, first_result;
};

/* ---- rows with gaps between them ---- */

/* Every 32nd element from this lane's on, row after row. */
struct element_walk {
    unsigned row, column, rows_a_step, columns_a_step, columns;

    __device__ element_walk(unsigned lane, unsigned of_row)
        : row(lane / of_row), column(lane % of_row), rows_a_step(WARP / of_row),
          columns_a_step(WARP % of_row), columns(of_row)
    {
    }
    __device__ void step()
    {
        const unsigned behind = column + columns_a_step;
        const bool next = behind >= columns;
        column = next ? behind - columns : behind;
        row += rows_a_step + next;
    }
};

template <typename In>
__device__ void load_elements(vector_slot *slots, const In *from, size_t ld, unsigned columns,
                              unsigned count, unsigned lane)
{
    constexpr unsigned AT_ONCE = 8;
    element_walk at(lane, columns);
    PRIM_UNROLL(1)
    for (unsigned i = lane; i < count; i += AT_ONCE * WARP) {
        In x[AT_ONCE];
        PRIM_UNROLL(AT_ONCE)
        for (unsigned e = 0; e < AT_ONCE; e++) {
            x[e] = i + e * WARP < count ? from[at.row * ld + at.column] : In{};
            at.step();
        }
        PRIM_UNROLL(AT_ONCE)
        for (unsigned e = 0; e < AT_ONCE; e++)
            if (i + e * WARP < count)
                bytes_at<In>(slots, (i + e * WARP) * static_cast<unsigned>(sizeof(In))) = x[e];
    }
}

template <typename Out>
__device__ void store_elements(Out *to, size_t ld, vector_slot *slots, unsigned first,
                               unsigned columns, unsigned count, unsigned lane)
{
    element_walk at(lane, columns);
    PRIM_UNROLL(4)
    for (unsigned i = lane; i < count; i += WARP) {
        to[at.row * ld + at.column] =
            bytes_at<Out>(slots, first + i * static_cast<unsigned>(sizeof(Out)));
        at.step();
    }
}

/* ---- a lane's share of a row ---- */

/* The aggregate of a whole run, in the order of a chunk's: vector by vector. */
template <class Operator, typename In, typename Out>
__device__ accumulator_t<Out> sum_run(const row_images &images, unsigned element,
                                      const element_rule<Out> &rule)
{
    using value = accumulator_t<Out>;
    constexpr unsigned N = WIDTH<In, Out>;
    unsigned byte = images.first_element + element * static_cast<unsigned>(sizeof(In));
    value of_run = value();
    PRIM_UNROLL(1)
    for (unsigned v = 0; v < RUN; v++) {
        value of_vector = value();
        PRIM_UNROLL(N < 4 ? N : 4)
        for (unsigned e = 0; e < N; e++) {
            const value x = value_of<Operator, In, Out>(bytes_at<In>(images.elements, byte), rule);
            of_vector = e == 0 ? x : Operator::combine(of_vector, x);
            byte += sizeof(In);
        }
        of_run = v == 0 ? of_vector : Operator::combine(of_run, of_vector);
    }
    return of_run;
}

/* What a row has before each of its runs; `run` is this lane's, of `runs`. */
template <class Operator, typename Value>
__device__ Value before_run(Value of_run, unsigned run, unsigned runs, Value identity)
{
    PRIM_UNROLL(1)
    for (unsigned stride = 1; stride < runs; stride *= 2) {
        const Value below = __shfl_up_sync(ALL_LANES, of_run, stride);
        of_run = run >= stride ? Operator::combine(below, of_run) : of_run;
    }
    const Value before = __shfl_up_sync(ALL_LANES, of_run, 1);
    return run == 0 ? identity : before;
}

template <class Operator, typename In, typename Out>
__device__ void scan_elements(const row_images &images, unsigned element, unsigned count,
                              const tile_rule<accumulator_t<Out>, Out> &rule,
                              accumulator_t<Out> so_far)
{
    using value = accumulator_t<Out>;
    unsigned from = images.first_element + element * static_cast<unsigned>(sizeof(In));
    unsigned to = images.first_result + element * static_cast<unsigned>(sizeof(Out));
    PRIM_UNROLL(1)
    for (unsigned e = 0; e < count; e++) {
        const value next = Operator::combine(
            so_far, value_of<Operator, In, Out>(bytes_at<In>(images.elements, from), rule.element));
        bytes_at<Out>(images.results, to) = result_of<Operator, Out>(
            rule.kind == PRIM_SCAN_EXCLUSIVE ? so_far : next, rule.element);
        so_far = next;
        from += sizeof(In);
        to += sizeof(Out);
    }
}

/* Rows of one element need no rows: all vectors of the image, and what lies beside the elements in
 * them, too. */
template <class Operator, typename In, typename Out>
__device__ void scan_columns_of_one(const row_images &images, unsigned count,
                                    const tile_rule<accumulator_t<Out>, Out> &rule,
                                    accumulator_t<Out> initial, unsigned lane)
{
    constexpr unsigned N = WIDTH<In, Out>;
    const unsigned end = images.first_element / static_cast<unsigned>(sizeof(In)) + count;
    PRIM_UNROLL(1)
    for (unsigned e = lane * N; e < end; e += WARP * N) {
        accumulator_t<Out> so_far, values[N];
        values_of<Operator, In, Out>(
            bytes_at<packed<In, N>>(images.elements, e * static_cast<unsigned>(sizeof(In))),
            rule.element, values);
        PRIM_UNROLL(N)
        for (unsigned i = 0; i < N; i++) {
            so_far = Operator::combine(initial, values[i]);
            values[i] = rule.kind == PRIM_SCAN_EXCLUSIVE ? initial : so_far;
        }
        bytes_at<packed<Out, N>>(images.results, e * static_cast<unsigned>(sizeof(Out))) =
            results_of<Operator, Out>(values, rule.element);
    }
}

template <class Operator, typename In, typename Out>
__device__ void scan_rows(const row_images &images, unsigned rows, unsigned columns,
                          const tile_rule<accumulator_t<Out>, Out> &rule, unsigned lane)
{
    using value = accumulator_t<Out>;
    constexpr unsigned OF_RUN = RUN_ELEMENTS<In, Out>;
    const value identity = identity_of<Operator, Out>();
    const value initial = Operator::combine(rule.initial, identity); /* as before a chunk's first */
    if (columns == 1) {
        scan_columns_of_one<Operator, In, Out>(images, rows, rule, initial, lane);
    } else if (columns <= OF_RUN) {
        PRIM_UNROLL(1)
        for (unsigned row = lane; row < rows; row += WARP)
            scan_elements<Operator, In, Out>(images, row * columns, columns, rule,
                                             Operator::combine(initial, identity));
    } else {
        const unsigned runs = (columns + OF_RUN - 1) / OF_RUN, at_once = WARP / runs;
        const unsigned of_lane = lane / runs, run = lane % runs, begin = run * OF_RUN;
        const unsigned of_run = columns - begin < OF_RUN ? columns - begin : OF_RUN;
        PRIM_UNROLL(1)
        for (unsigned first = 0; first < rows; first += at_once) {
            const bool at_work = of_lane < at_once && first + of_lane < rows;
            const unsigned element = (first + of_lane) * columns + begin;
            value sum = identity;
            if (at_work && run + 1 < runs)
                sum = sum_run<Operator, In, Out>(images, element, rule.element);
            const value before = before_run<Operator>(sum, run, runs, identity);
            scan_elements<Operator, In, Out>(images, element, at_work ? of_run : 0, rule,
                                             Operator::combine(initial, before));
        }
    }
}

template <class Operator, typename In, typename Out>
__global__ void __launch_bounds__(ROW_THREADS)
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
    const unsigned rows =
        r.count - first < r.of_warp ? static_cast<unsigned>(r.count - first) : r.of_warp;
    const unsigned count = rows * r.columns;

    row_images images = {ONE_IMAGE ? of_results[warp] : of_elements[warp], of_results[warp], 0, 0};
    const In *const from = r.in + first * r.in_ld;
    if (r.in_ld == r.columns) {
        const line_part part = {count, first == 0, first + rows == r.count};
        load_image<IN_VECTORS<In, Out>>(images.elements, from, part, lane);
        images.first_element = shift_of(from);
        images.first_result = images.first_element / sizeof(In) * sizeof(Out);
    } else {
        load_elements(images.elements, from, r.in_ld, r.columns, count, lane);
    }
    wait_for_copies();
    __syncwarp();
    scan_rows<Operator, In, Out>(images, rows, r.columns, rule, lane);
    __syncwarp();
    Out *const to = r.out + first * r.out_ld;
    if (r.out_ld == r.columns)
        store_image(to, images.results, images.first_result, count, lane);
    else
        store_elements(to, r.out_ld, images.results, images.first_result, r.columns, count, lane);
}

struct launch_short_rows : launch_run {
    template <typename In, typename Out, typename Operator>
    static cudaError_t run(const prim_scan_args *args)
    {
        const unsigned columns = static_cast<unsigned>(args->columns);
        const short_rows<In, Out> rows = {static_cast<const In *>(args->in),
                                          static_cast<Out *>(args->out),
                                          args->in_ld,
                                          args->out_ld,
                                          args->rows,
                                          columns,
                                          CHUNK<In, Out> / columns};
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
    return dispatch_kernel<short_rows::launch_short_rows>(args);
}
