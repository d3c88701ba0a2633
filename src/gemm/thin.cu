/* THIN: products with a short side: few rows or columns of C, or few steps of k.
 *
 *     C = X · Y        X: the operand on the short side, ROWS rows of it to a warp
 *
 *     Y's lines across              Y's lines along k
 *     k  │ 0 1 … 31 │ 32 … 127      column  │ k 0 1 … 31 │ 32 …
 *        lane 0 1 … 31                      lane 0 1 … 31, whose sums are added in the end
 *
 * Every element of Y is loaded by a lane beside its neighbours', and used for the ROWS rows while
 * it is in a register. The eight warps of a block share k, rows and columns between them, as the
 * shape asks; sums of shares of k are added through shared memory, and those of parts, where a C of
 * few tiles leaves multiprocessors idle, by SPLIT_K's second pass.
 *
 * What changed from the rungs with tiles: those are filled with zeros where a side is short, and
 * their stages in shared memory want rows that begin at 16 bytes. Here nothing is shared but X,
 * which L1 holds, so that odd addresses and leading dimensions cost nothing.
 *
 * What still holds it back: a load instruction for each element of halves; and from some 16 rows on
 * the multiply-adds, which tensor cores do 16 times as fast.
 *
 * Work: m · n · k products. Steps: k / (8 · parts), log 32 more where lines go along k. Bytes: Y
 * once, C once, X from L1. Workspace: as SPLIT_K's. */
#include "common/host/device.h"
#include "common/kernel/shared.cuh"
#include "common/kernel/unroll.cuh"
#include "gemm/problem.cuh"
#include "gemm/tile/plan.h"

namespace
{
namespace thin
{

constexpr unsigned WARP = 32, WARPS = 8, THREADS = WARPS * WARP;
constexpr unsigned BLOCKS =
    2; /* on a multiprocessor: all loads of an iteration are under way at once */
constexpr unsigned ROWS = 4, COLUMNS = 4; /* sums of a lane */

/* How a product is cut. */
struct cut {
    bool is_transposed;            /* C is seen transposed: the short side is n */
    unsigned shares, down, across; /* of k, rows and columns: what the warps of a block divide */
    unsigned tiles_down, tiles_across, parts;
    size_t part; /* steps of k */
    void *partial;
    size_t partial_ld;
};

/* X is rows × k, Y k × columns. */
template <typename In>
struct operands {
    op_matrix<In> x, y;
    size_t rows, columns;
};

template <typename In, typename Out>
__device__ operands<In> operands_of(const problem<In, Out> &p, bool is_transposed)
{
    if (is_transposed)
        return {{p.b.data, p.b.column_stride, p.b.row_stride},
                {p.a.data, p.a.column_stride, p.a.row_stride},
                p.n,
                p.m};
    return {p.a, p.b, p.m, p.n};
}

/* ---- a warp's sums ---- */

/* Where a lane is in its rows of X and columns of Y. What of a warp's elements lies outside is
 * taken from the last row or column, and not stored. */
template <typename In>
struct lines {
    const In *x[ROWS], *y[COLUMNS];

    __device__ lines(const operands<In> &of, size_t row, size_t column, unsigned apart, size_t k)
    {
        PRIM_UNROLL(4)
        for (unsigned i = 0; i < ROWS; i++) {
            const size_t at = row + i < of.rows ? row + i : of.rows - 1;
            x[i] = of.x.data + at * of.x.row_stride + k * of.x.column_stride;
        }
        PRIM_UNROLL(4)
        for (unsigned j = 0; j < COLUMNS; j++) {
            const size_t there = column + j * apart,
                         at = there < of.columns ? there : of.columns - 1;
            y[j] = of.y.data + at * of.y.column_stride + k * of.y.row_stride;
        }
    }

    __device__ void go_on(size_t by_x, size_t by_y)
    {
        PRIM_UNROLL(4)
        for (unsigned i = 0; i < ROWS; i++)
            x[i] += by_x;
        PRIM_UNROLL(4)
        for (unsigned j = 0; j < COLUMNS; j++)
            y[j] += by_y;
    }
};

/* STEPS steps, a stride from each to the next: all loads before the first product. ALL: `left` is
 * STEPS at least. Otherwise the first step is loaded in place of those that are not there, and
 * counts as 0. */
template <unsigned STEPS, bool ALL, typename In, typename Sum>
__device__ void add_steps(Sum (&sums)[ROWS][COLUMNS], const lines<In> &from, size_t x_stride,
                          size_t y_stride, size_t left)
{
    In x[STEPS][ROWS], y[STEPS][COLUMNS];
    PRIM_UNROLL(8)
    for (unsigned s = 0; s < STEPS; s++) {
        const size_t step = ALL || s < left ? s : 0, at_x = step * x_stride, at_y = step * y_stride;
        PRIM_UNROLL(4)
        for (unsigned j = 0; j < COLUMNS; j++)
            y[s][j] = from.y[j][at_y];
        PRIM_UNROLL(4)
        for (unsigned i = 0; i < ROWS; i++)
            x[s][i] = from.x[i][at_x];
    }
    PRIM_UNROLL(8)
    for (unsigned s = 0; s < STEPS; s++) {
        const bool is_there = ALL || s < left;
        Sum of_x[ROWS], of_y[COLUMNS];
        PRIM_UNROLL(4)
        for (unsigned i = 0; i < ROWS; i++)
            of_x[i] = is_there ? static_cast<Sum>(converted<Sum>(x[s][i])) : Sum(0);
        PRIM_UNROLL(4)
        for (unsigned j = 0; j < COLUMNS; j++)
            of_y[j] = is_there ? static_cast<Sum>(converted<Sum>(y[s][j])) : Sum(0);
        PRIM_UNROLL(4)
        for (unsigned i = 0; i < ROWS; i++) {
            PRIM_UNROLL(4)
            for (unsigned j = 0; j < COLUMNS; j++)
                sums[i][j] = add_product(sums[i][j], of_x[i], of_y[j]);
        }
    }
}

/* All steps of a lane, which are `apart` apart: STEPS at once, and REST at once of what is left. */
template <unsigned STEPS, unsigned REST, typename In, typename Sum>
__device__ void add_all(Sum (&sums)[ROWS][COLUMNS], lines<In> from, const operands<In> &of,
                        unsigned apart, size_t left)
{
    const size_t x_stride = of.x.column_stride * apart, y_stride = of.y.row_stride * apart;
    PRIM_UNROLL(1)
    for (; left >= STEPS; left -= STEPS) {
        add_steps<STEPS, true>(sums, from, x_stride, y_stride, left);
        from.go_on(STEPS * x_stride, STEPS * y_stride);
    }
    PRIM_UNROLL(1)
    while (left > 0) {
        add_steps<REST, false>(sums, from, x_stride, y_stride, left);
        if (left <= REST)
            break;
        left -= REST;
        from.go_on(REST * x_stride, REST * y_stride);
    }
}

/* Adds up over the lanes; lanes 2v and 2v + 1 return the warp's sum v of 16. */
template <typename Sum>
__device__ Sum add_lanes(Sum (&sums)[ROWS][COLUMNS])
{
    constexpr unsigned ALL_LANES = 0xffffffffu;
    Sum *const flat = &sums[0][0];
    const unsigned lane = threadIdx.x % WARP;
    PRIM_UNROLL(4)
    for (unsigned left = ROWS * COLUMNS / 2; left > 0; left /= 2) {
        const bool is_upper = (lane & 2 * left) != 0;
        PRIM_UNROLL(8)
        for (unsigned i = 0; i < left; i++) {
            const Sum mine = is_upper ? flat[i + left] : flat[i],
                      other = is_upper ? flat[i] : flat[i + left];
            flat[i] = add(mine, __shfl_xor_sync(ALL_LANES, other, 2 * left));
        }
    }
    return add(flat[0], __shfl_xor_sync(ALL_LANES, flat[0], 1));
}

/* Where lines of Y go across, or k is short: a lane has columns that are a warp apart. */
struct across_lines {
    static constexpr unsigned WIDTH = COLUMNS * WARP, STEPS = 8, AT_ONCE = STEPS;

    template <typename In, typename Sum>
    static __device__ void add(Sum (&sums)[ROWS][COLUMNS], const operands<In> &of, size_t row,
                               size_t column, size_t first, size_t length)
    {
        const lines<In> from(of, row, column + threadIdx.x % WARP, WARP, first);
        add_all<STEPS, 4>(sums, from, of, 1, length);
    }

    /* Calls take(row, column, sum) for what this lane has of the warp's sums. */
    template <typename Sum, class Take>
    static __device__ void finish(Sum (&sums)[ROWS][COLUMNS], Take take)
    {
        PRIM_UNROLL(4)
        for (unsigned i = 0; i < ROWS; i++) {
            PRIM_UNROLL(4)
            for (unsigned j = 0; j < COLUMNS; j++)
                take(i, j * WARP + threadIdx.x % WARP, sums[i][j]);
        }
    }
};

/* Where they go along k: a lane has every 32nd step of all columns. */
struct along_lines {
    static constexpr unsigned WIDTH = COLUMNS, STEPS = 4, AT_ONCE = STEPS * WARP;

    template <typename In, typename Sum>
    static __device__ void add(Sum (&sums)[ROWS][COLUMNS], const operands<In> &of, size_t row,
                               size_t column, size_t first, size_t length)
    {
        const unsigned lane = threadIdx.x % WARP;
        if (lane < length) {
            const lines<In> from(of, row, column, 1, first + lane);
            add_all<STEPS, STEPS>(sums, from, of, WARP, (length - lane + WARP - 1) / WARP);
        }
        __syncwarp();
    }

    template <typename Sum, class Take>
    static __device__ void finish(Sum (&sums)[ROWS][COLUMNS], Take take)
    {
        const unsigned lane = threadIdx.x % WARP;
        const Sum of_warp = add_lanes(sums);
        if (lane % 2 == 0)
            take(lane / 2 / COLUMNS, lane / 2 % COLUMNS, of_warp);
    }
};

/* ---- the kernel ---- */

/* Which warp this is of those that divide a tile. */
struct place_of_warp {
    unsigned share, down, across;
};

__device__ inline place_of_warp place_in_block(const cut &how)
{
    const unsigned warp = threadIdx.x / WARP;
    return {warp % how.shares, warp / how.shares % how.down, warp / how.shares / how.down};
}

/* C, or a part's sums, seen transposed like the product. */
template <typename Out>
struct target {
    Out *c;
    sum_of<Out> *partial; /* not NULL: in place of c */
    size_t row_stride, column_stride;
    scaled<sum_of<Out>> scale;

    __device__ void store(size_t row, size_t column, sum_of<Out> sum) const
    {
        const size_t at = row * row_stride + column * column_stride;
        if (partial != nullptr)
            partial[at] = sum;
        else
            scale.store(&c[at], sum);
    }
};

template <typename In, typename Out>
__device__ target<Out> target_of(const problem<In, Out> &p, const cut &how, size_t matrix)
{
    using Sum = sum_of<Out>;
    const size_t ld = how.partial != nullptr ? how.partial_ld : p.ldc;
    Sum *const partial = how.partial == nullptr
                             ? nullptr
                             : static_cast<Sum *>(how.partial) + matrix * p.m * how.partial_ld;
    return {p.c, partial, how.is_transposed ? 1 : ld, how.is_transposed ? ld : 1, p.scale};
}

/* The warps that have shares of the same sums add them, each some. */
template <class Way, typename Out>
__device__ void add_shares(const sum_of<Out> (*sums)[ROWS * Way::WIDTH], const target<Out> &to,
                           unsigned share, unsigned shares, size_t row, size_t column, size_t rows,
                           size_t columns)
{
    const unsigned first = threadIdx.x / WARP - share;
    for (unsigned i = share * WARP + threadIdx.x % WARP; i < ROWS * Way::WIDTH;
         i += shares * WARP) {
        const size_t r = row + i / Way::WIDTH, c = column + i % Way::WIDTH;
        if (r >= rows || c >= columns)
            continue;
        sum_of<Out> sum = sums[first][i];
        for (unsigned s = 1; s < shares; s++)
            sum = add(sum, sums[first + s][i]);
        to.store(r, c, sum);
    }
}

template <class Way, typename In, typename Out>
__global__ void __launch_bounds__(THREADS, BLOCKS)
    multiply_thin(const __grid_constant__ problem<In, Out> all, const __grid_constant__ cut how)
{
    PRIM_SHARED(sum_of<Out>, sums, [WARPS][ROWS * Way::WIDTH]);
    trigger_launch_completion();
    const unsigned tiles = how.tiles_down * how.tiles_across, tile = blockIdx.x % tiles;
    const size_t matrix = blockIdx.x / tiles, part = matrix % how.parts;
    const problem<In, Out> p = all.at(matrix / how.parts);
    const operands<In> of = operands_of(p, how.is_transposed);
    const place_of_warp at = place_in_block(how);
    const size_t row = (tile % how.tiles_down * how.down + at.down) * static_cast<size_t>(ROWS);
    const size_t column =
        (tile / how.tiles_down * how.across + at.across) * static_cast<size_t>(Way::WIDTH);
    const bool has_c = row < of.rows && column < of.columns;
    const target<Out> to = target_of(p, how, matrix);
    sum_of<Out> own[ROWS][COLUMNS] = {};
    if (has_c && p.k > 0) {
        const size_t begin = part * how.part, left = p.k - begin;
        const size_t length = left < how.part ? left : how.part;
        const size_t each = (length + how.shares - 1) / how.shares;
        const size_t first = at.share * each < length ? at.share * each : length;
        if (first < length)
            Way::add(own, of, row, column, begin + first,
                     length - first < each ? length - first : each);
    }
    if (how.shares == 1) {
        if (has_c)
            Way::finish(own, [&](unsigned i, unsigned j, sum_of<Out> sum) {
                if (row + i < of.rows && column + j < of.columns)
                    to.store(row + i, column + j, sum);
            });
        return;
    }
    Way::finish(own, [&](unsigned i, unsigned j, sum_of<Out> sum) {
        sums[threadIdx.x / WARP][i * Way::WIDTH + j] = sum;
    });
    __syncthreads();
    if (has_c)
        add_shares<Way>(sums, to, at.share, how.shares, row, column, of.rows, of.columns);
}

/* ---- the launch ---- */

/* The least power of two from 1 to `most` that is `wanted` at least. */
inline unsigned power_of_two(size_t wanted, unsigned most)
{
    unsigned power = 1;
    while (power < most && power < wanted)
        power *= 2;
    return power;
}

/* C is seen transposed where n is shorter, unless k is what is short. */
inline bool is_transposed(const prim_gemm_args *args)
{
    return args->n < args->m && (args->k > args->n || args->n < WARP);
}

/* Whether Y's lines go along k, and are long enough for a warp. */
inline bool goes_along(const prim_gemm_args *args)
{
    const bool lies_along =
        is_transposed(args) ? args->op_a == PRIM_NOT_TRANSPOSED : args->op_b == PRIM_TRANSPOSED;
    return lies_along && args->k > WARP;
}

/* Blocks that the device has at work at a time. */
inline size_t blocks_at_once()
{
    return BLOCKS * static_cast<size_t>(prim_device_multiprocessors());
}

/* Enough parts that there are two blocks for each multiprocessor, while each has at least two
 * iterations of its loop. */
inline void cut_k(cut *how, const prim_gemm_args *args, size_t at_once)
{
    constexpr size_t MOST_PARTS = 64, FEW_ITERATIONS = 4;
    const size_t blocks = static_cast<size_t>(how->tiles_down) * how->tiles_across * args->batches,
                 wanted = blocks_at_once(),
                 iterations = prim_divide_up(args->k, at_once * how->shares);
    size_t parts = 1;
    if (iterations > FEW_ITERATIONS && blocks < wanted) {
        parts = wanted / blocks < iterations / 2 ? wanted / blocks : iterations / 2;
        parts = parts < MOST_PARTS ? parts : MOST_PARTS;
    }
    how->part = args->k == 0 ? 1 : prim_divide_up(args->k, parts);
    how->parts = args->k == 0 ? 1 : static_cast<unsigned>(prim_divide_up(args->k, how->part));
}

inline cut cut_of(const prim_gemm_args *args)
{
    cut how = {};
    how.is_transposed = is_transposed(args);
    const bool along = goes_along(args);
    const size_t rows = how.is_transposed ? args->n : args->m,
                 columns = how.is_transposed ? args->m : args->n,
                 at_once = along ? along_lines::AT_ONCE : across_lines::AT_ONCE,
                 width = along ? along_lines::WIDTH : across_lines::WIDTH;
    const size_t strips = prim_divide_up(rows, ROWS), lines = prim_divide_up(columns, width);
    const size_t busy = WARPS * blocks_at_once(), iterations = prim_divide_up(args->k, at_once);
    /* As many shares as there are warps for, and iterations. */
    const size_t idle = prim_divide_up(busy, strips * lines * args->batches);
    how.shares = power_of_two(idle < iterations ? idle : iterations, WARPS);
    how.down = power_of_two(strips, WARPS / how.shares);
    how.across = WARPS / how.down / how.shares;
    how.tiles_down = static_cast<unsigned>(prim_divide_up(rows, ROWS * how.down));
    how.tiles_across = static_cast<unsigned>(prim_divide_up(columns, width * how.across));
    cut_k(&how, args, at_once);
    how.partial = how.parts > 1 ? args->call.workspace : nullptr;
    how.partial_ld = prim_gemm_plan_ld(args);
    return how;
}

/* Of 1,900 drawn products on an H200, fitted: off by 15 % as a rule. An iteration of a warp waits
 * for its loads; while there are many, they take the multiprocessors' load units and
 * multiply-adds. */
inline double clocks_of(const prim_gemm_args *args, const cut &how)
{
    constexpr double START = 700, ITERATION = 1000, ROUND = 1600, WORK = 90, PASS = 5500, STORE = 6;
    const double multiprocessors = prim_device_multiprocessors();
    const double tiles = static_cast<double>(how.tiles_down) * how.tiles_across,
                 blocks = tiles * how.parts * static_cast<double>(args->batches);
    const size_t at_once = goes_along(args) ? along_lines::AT_ONCE : across_lines::AT_ONCE;
    const double iterations = static_cast<double>(prim_divide_up(how.part, how.shares * at_once));
    const double all = blocks / static_cast<double>(blocks_at_once()),
                 rounds = all < 3 ? static_cast<double>(static_cast<int>(all)) + 1 : all;
    const double stored = static_cast<double>(args->m) * static_cast<double>(args->n) *
                          static_cast<double>(args->batches) / WARP;
    return START + rounds * (iterations * ITERATION + ROUND) + (how.parts > 1 ? PASS : 0) +
           (blocks * WARPS * iterations * WORK + stored * STORE) / multiprocessors;
}

const char *why_not(const void *any)
{
    const prim_gemm_args *args = static_cast<const prim_gemm_args *>(any);
    if (!dispatch_all<is_built>(args))
        return PRIM_TYPES_NOT_BUILT;
    if (prim_gemm_is_invariant(args))
        return "its bits depend on m, which decides how it splits its sums";
    if (args->m == 0 || args->n == 0 || args->batches == 0)
        return nullptr;
    const cut how = cut_of(args);
    const size_t tiles = static_cast<size_t>(how.tiles_down) * how.tiles_across;
    const bool fits = prim_divide_up(args->m, ROWS) < UINT32_MAX &&
                      prim_divide_up(args->n, ROWS) < UINT32_MAX &&
                      prim_fits_a_grid(how.tiles_down, how.tiles_across) &&
                      prim_fits_a_grid(tiles, args->batches) &&
                      prim_fits_a_grid(tiles * args->batches, how.parts);
    return fits ? nullptr : PRIM_GRID_TOO_SMALL;
}

size_t workspace_bytes(const void *any)
{
    const prim_gemm_args *args = static_cast<const prim_gemm_args *>(any);
    if (args->m == 0 || args->n == 0 || args->batches == 0)
        return 0;
    prim_gemm_plan plan = {};
    plan.parts = cut_of(args).parts;
    return prim_gemm_plan_bytes(args, plan);
}

struct run_lines : launch_run {
    template <typename In, typename Out>
    static cudaError_t run(const prim_gemm_args *args)
    {
        const problem<In, Out> p = make_problem<In, Out>(args);
        cut how = cut_of(args);
        if (p.k == 0) {
            how.parts = 1;
            how.partial = nullptr;
        }
        const size_t blocks =
            static_cast<size_t>(how.tiles_down) * how.tiles_across * how.parts * args->batches;
        const launch_config where = {args->call.stream, static_cast<unsigned>(blocks), THREADS};
        const cudaError_t error =
            goes_along(args) ? prim_launch(where, multiply_thin<along_lines, In, Out>, p, how)
                             : prim_launch(where, multiply_thin<across_lines, In, Out>, p, how);
        return error != cudaSuccess || how.parts < 2 ? error : prim_gemm_add_parts(args, how.parts);
    }
};

cudaError_t launch(const void *any)
{
    const prim_gemm_args *args = static_cast<const prim_gemm_args *>(any);
    return args->m == 0 || args->n == 0 || args->batches == 0 ? cudaSuccess
                                                              : dispatch_all<run_lines>(args);
}

} // namespace thin
} // namespace

double prim_gemm_thin_clocks(const prim_gemm_args *args)
{
    return thin::clocks_of(args, thin::cut_of(args));
}

PRIM_DEFINE_RUNG(gemm, thin) = {{PRIM_GEMM_THIN, "thin", "a short side: a warp for some lines"},
                                thin::why_not,
                                thin::workspace_bytes,
                                thin::launch};
