/* WARP_PER_ROW: the lanes of a warp read neighbouring vectors of a row, 16 bytes each.
 *
 *     row 0   0 0 0 0 1 1 1 1 … 31 31 31 31 0 0 0 0 1 …     the number is the lane
 *     row 1   likewise, by the same lanes: x comes once for four rows
 *     …
 *
 * No tile in shared memory is needed: a warp reads 512 bytes of a row at once, and an element goes
 * from memory to a register and into its product. The lanes' sums are added by shuffles, five for
 * each row. Where a row is shorter than a warp, fewer lanes share it, and a warp takes several rows
 * side by side.
 *
 * Where rows are few, a warp takes one row and has four vectors of it in flight instead. Rows that
 * are not aligned are read element by element, still coalesced (row_sums.cuh).
 *
 * Transposed, a row of op(A) lies across memory, and no warp reads it as a line: SPLIT does that.
 *
 * Work: rows · columns products. Steps: columns / 128. Bytes: A once, x once for four rows. */
#include "common/host/element.h"
#include "gemv/order.h"
#include "gemv/row_sums.cuh"
#include "gemv/small_products.h"

namespace
{
namespace warp_per_row
{

[[maybe_unused]] constexpr unsigned BLOCK = PRIM_GEMV_THREADS;
[[maybe_unused]] constexpr unsigned UNROLL = 4; /* vectors of a single row in flight */
constexpr size_t MANY_ROWS = 4 * 4224;          /* a wave of warps, four rows each */

template <unsigned N, class Problem>
__device__ void store_sums(const row_bundle<Problem> &rows, unsigned lane,
                           const typename Problem::sum_type (&sums)[N])
{
    PRIM_UNROLL(N)
    for (unsigned r = 0; r < N; r++)
        if (lane == 0 && rows.has(r))
            rows.p.store(rows.row(r), sums[r]);
}

/* Rows that their lanes have in one step: x stays in registers. */
template <row_way WAY, unsigned N, class Problem>
__device__ void multiply_short(row_bundle<Problem> rows, unsigned lanes, unsigned bundles)
{
    using T = typename Problem::element;
    using sum_type = typename Problem::sum_type;
    constexpr unsigned WIDTH = VECTOR_ELEMENTS<T>;
    const Problem &p = rows.p;
    const unsigned lane = threadIdx.x & (lanes - 1);
    const lane_elements<WAY, T> mine(0, lane);
    const vector<T> x = mine.load(p.x, p.inner, 1, bytes_past_vector(p.x) == 0);
    PRIM_UNROLL(1)
    for (unsigned b = 0; b < bundles; b++, rows.advance(N)) {
        vector<T> a[N];
        sum_type sums[N];
        PRIM_UNROLL(N)
        for (unsigned r = 0; r < N; r++)
            a[r] = mine.load(rows.data(r), p.inner, 1, true);
        PRIM_UNROLL(N)
        for (unsigned r = 0; r < N; r++) {
            sum_type places[WIDTH];
            PRIM_UNROLL(WIDTH)
            for (unsigned e = 0; e < WIDTH; e++)
                places[e] = add(sum_type(0), product_of<Problem>(a[r], x, e));
            sums[r] = sum_of_lanes<WAY>(places, lanes);
        }
        store_sums(rows, lane, sums);
    }
}

/* A block takes several bundles of rows one after the other: its start costs as much as a row. */
template <class Problem, unsigned N>
__global__ void __launch_bounds__(BLOCK,
                                  blocks_at_once(BLOCK, BLOCKS_AT_ONCE<typename Problem::element>))
    multiply(Problem batch, unsigned lane_bits, unsigned bundles)
{
    using T = typename Problem::element;
    constexpr unsigned WIDTH = VECTOR_ELEMENTS<T>;
    const unsigned lanes = 1u << lane_bits, stride = BLOCK >> lane_bits;
    const Problem p = batch.at(blockIdx.y);
    row_bundle<Problem> rows(
        p, static_cast<size_t>(blockIdx.x) * bundles * N * stride + (threadIdx.x >> lane_bits),
        stride);
    trigger_launch_completion();
    grid_dependency_synchronize();
    if (p.inner <= lanes * WIDTH) {
        if (rows_are_aligned(p))
            multiply_short<ROW_VECTORS, N>(rows, lanes, bundles);
        else
            multiply_short<ROW_SINGLES, N>(rows, lanes, bundles);
        return;
    }
    PRIM_UNROLL(1)
    for (unsigned b = 0; b < bundles; b++, rows.advance(N)) {
        typename Problem::sum_type sums[N];
        sum_rows<N, (N == 1 ? UNROLL : 1)>(rows, 0, (p.inner + WIDTH - 1) / WIDTH, lanes, lanes,
                                           sums);
        store_sums(rows, threadIdx.x & (lanes - 1), sums);
    }
}

/* How the rows are divided. */
struct share {
    unsigned lane_bits, rows, bundles; /* of a lane at a time; of a block after each other */
    size_t blocks;
};

share share_of(const prim_gemv_args *args)
{
    constexpr size_t ENOUGH = 8 * 528, MOST = 16;
    const unsigned width =
        static_cast<unsigned>(PRIM_GEMV_VECTOR_BYTES / prim_element_bytes(args->a_type));
    share s;
    s.lane_bits = prim_gemv_lane_bits(prim_divide_up(args->columns, width));
    s.rows = width <= 4 ? 4 : 16 / width;
    if (args->rows * args->batches < MANY_ROWS ||
        args->rows < static_cast<size_t>(BLOCK >> s.lane_bits) * s.rows)
        s.rows = 1;
    const size_t bundle = static_cast<size_t>(BLOCK >> s.lane_bits) * s.rows,
                 wanted = args->rows / bundle / ENOUGH;
    s.bundles = static_cast<unsigned>(wanted < 1 ? 1 : wanted < MOST ? wanted : MOST);
    s.blocks = prim_divide_up(args->rows, bundle * s.bundles);
    return s;
}

const char *why_not(const void *any)
{
    const prim_gemv_args *args = static_cast<const prim_gemv_args *>(any);
    if (!dispatch_pairs<is_built>(args))
        return PRIM_TYPES_NOT_BUILT;
    if (args->op == PRIM_TRANSPOSED)
        return "it takes only matrices that are not transposed";
    return prim_fits_a_grid(1, share_of(args).blocks) ? nullptr : PRIM_GRID_TOO_SMALL;
}

struct run_rows : launch_run {
    template <typename In, typename Out>
    static cudaError_t run(const prim_gemv_args *args)
    {
        using Problem = problem<In, Out>;
        constexpr unsigned ROWS = ROWS_AT_ONCE<In>;
        const Problem p = make_problem<In, Out>(args);
        const share s = share_of(args);
        if (p.outputs == 0)
            return cudaSuccess;
        return launch_products(p, args->batches, [=](const Problem &at, size_t, unsigned count) {
            const launch_config where = {args->call.stream,
                                         dim3(static_cast<unsigned>(s.blocks), count), BLOCK};
            return s.rows == 1 ? prim_launch_dependent(where, multiply<Problem, 1>, at, s.lane_bits,
                                                       s.bundles)
                               : prim_launch_dependent(where, multiply<Problem, ROWS>, at,
                                                       s.lane_bits, s.bundles);
        });
    }
};

/* The only place that chooses: whether several products share a block. */
bool are_small(const prim_gemv_args *args)
{
    return args->batches > 1 && prim_gemv_are_small(args, PRIM_GEMV_SMALL_ALONG_BY_WARP);
}

cudaError_t launch(const void *any)
{
    const prim_gemv_args *args = static_cast<const prim_gemv_args *>(any);
    return are_small(args) ? prim_gemv_launch_small(args, PRIM_GEMV_SMALL_ALONG_BY_WARP)
                           : dispatch_pairs<run_rows>(args);
}

} // namespace warp_per_row
} // namespace

const char *prim_gemv_warp_per_row_route(const prim_gemv_args *args)
{
    return warp_per_row::are_small(args) ? "small_products" : "rows";
}

PRIM_DEFINE_RUNG(gemv,
                 warp_per_row) = {{PRIM_GEMV_WARP_PER_ROW, "warp_per_row",
                                   "the lanes of a warp side by side in a row, 16 bytes each"},
                                  warp_per_row::why_not,
                                  nullptr,
                                  warp_per_row::launch};
