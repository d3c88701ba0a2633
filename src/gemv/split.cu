/* SPLIT: the inner dimension is cut into pieces, a block each, and a second pass adds their sums.
 *
 *     a row of op(A) along memory            across memory (transposed)
 *
 *     ▒▒▒▒▒▒▒▒│▒▒▒▒▒▒▒▒│▒▒▒▒▒▒▒▒             ▒▒▒▒▒▒▒▒   a thread goes down 16 bytes of columns;
 *     piece 0   piece 1   piece 2            ▒▒▒▒▒▒▒▒   the block's threads cover 128 bytes
 *        ↓         ↓         ↓               ────────   across and 32 rows, and a piece has
 *        ●         ●         ●  ──→ y        ▒▒▒▒▒▒▒▒   up to 4096 rows
 *
 * What changed: a short y with a long x no longer leaves the device idle, and a long row is read by
 * 256 threads at once. Where a y is long enough there is one piece, and no second pass. order.h
 * cuts by the shape alone, and the sums of pieces are added in a fixed order: no atomics.
 *
 * Work: rows · columns products. Bytes: A once; the sums of pieces, less than 1/256 of A, twice. */
#include "common/block/warp.cuh"
#include "common/host/element.h"
#include "common/kernel/shared.cuh"
#include "gemv/order.h"
#include "gemv/row_sums.cuh"
#include "gemv/small_products.h"

namespace
{
namespace split
{

constexpr unsigned BLOCK = PRIM_GEMV_THREADS, WARPS = BLOCK / WARP;

/* Where a block's sums go: to y, or to a row for each piece. */
template <class Problem>
struct destination {
    using sum_type = typename Problem::sum_type;

    sum_type *sums; /* NULL: there is one piece */

    /* That of product `product` of the batch. */
    __device__ destination at(const Problem &p, size_t pieces, size_t product) const
    {
        return {sums == nullptr ? nullptr : sums + product * pieces * p.outputs};
    }

    __device__ void store(const Problem &p, size_t piece, size_t output, sum_type sum) const
    {
        if (sums == nullptr)
            p.store(output, sum);
        else
            sums[piece * p.outputs + output] = sum;
    }
};

/* ---- rows along memory ---- */

/* A warp for the warps' sums of all rows: into every first of that many lanes. */
template <typename T, unsigned ROWS>
__device__ T sum_of_warps(const T (&sums)[ROWS])
{
    PRIM_SHARED(T, of_warps, [ROWS][WARPS]);
    const unsigned lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    for (unsigned r = 0; r < ROWS; r++)
        if (lane == 0)
            of_warps[r][warp] = sums[r];
    __syncthreads();
    static_assert(ROWS * WARPS <= WARP, "one warp adds up all");
    if (warp > 0)
        return T(0);
    return reduce_warp<sum_operator>(of_warps[lane / WARPS % ROWS][lane % WARPS], WARPS);
}

template <class Problem>
__global__ void __launch_bounds__(BLOCK,
                                  blocks_at_once(BLOCK, BLOCKS_AT_ONCE<typename Problem::element>))
    multiply_rows(Problem batch, size_t piece_vectors, unsigned pieces,
                  destination<Problem> of_batch)
{
    using T = typename Problem::element;
    using sum_type = typename Problem::sum_type;
    constexpr unsigned WIDTH = VECTOR_ELEMENTS<T>, ROWS = ROWS_AT_ONCE<T>;
    const unsigned bundle = blockIdx.x / pieces, piece = blockIdx.x - bundle * pieces;
    const Problem p = batch.at(blockIdx.y);
    const destination<Problem> to = of_batch.at(p, pieces, blockIdx.y);
    const row_bundle<Problem> rows(p, static_cast<size_t>(bundle) * ROWS, 1);
    const size_t vectors = (p.inner + WIDTH - 1) / WIDTH, begin = piece * piece_vectors,
                 end = vectors < begin + piece_vectors ? vectors : begin + piece_vectors;
    sum_type sums[ROWS];
    trigger_launch_completion();
    grid_dependency_synchronize();
    sum_rows<ROWS, 1>(rows, begin + threadIdx.x / WARP * WARP, end, BLOCK, WARP, sums);
    const sum_type sum = sum_of_warps(sums);
    const unsigned r = threadIdx.x / WARPS;
    if (r < ROWS && threadIdx.x % WARPS == 0 && rows.has(r))
        to.store(p, piece, rows.row(r), sum);
}

/* ---- rows across memory ---- */

[[maybe_unused]] constexpr unsigned BATCH = 4; /* vectors of a thread in flight */

/* A block's part of the matrix. */
struct part {
    size_t piece, first_output, first_row;
    size_t outputs; /* from the first one to the matrix's end */
    unsigned rows;
};

__device__ inline part part_of(const prim_gemv_block &b, size_t outputs, size_t inner,
                               unsigned width)
{
    const unsigned strips = static_cast<unsigned>(b.strips), piece = blockIdx.x / strips;
    const unsigned rows = b.depth << b.height_bits;
    part at;
    at.piece = piece;
    at.first_output = (static_cast<size_t>(blockIdx.x - piece * strips) << b.across_bits) * width;
    at.first_row = at.piece * rows;
    at.outputs = outputs - at.first_output;
    const size_t left = at.first_row < inner ? inner - at.first_row : 0; /* alpha = 0: none */
    at.rows = left < rows ? static_cast<unsigned>(left) : rows;
    return at;
}

/* A thread goes down a vector of columns. */
template <class Problem, unsigned WIDTH>
__device__ void walk_vectors(const Problem &p, const prim_gemv_block &b, const part &at,
                             typename Problem::sum_type (&sums)[WIDTH])
{
    using T = typename Problem::element;
    using sum_type = typename Problem::sum_type;
    const unsigned column = (threadIdx.x & ((1u << b.across_bits) - 1)) * WIDTH,
                   deep = threadIdx.x >> b.across_bits, height = 1u << b.height_bits;
    const size_t ld = p.a.column_stride;
    const T *const a = p.a.data + at.first_row * ld + at.first_output + column;
    const T *const x = p.x + at.first_row;
    if (column >= at.outputs)
        return;
    const lane_elements<ROW_VECTORS, T> mine(0, 0);
    PRIM_UNROLL(1)
    for (unsigned row = deep; row < at.rows; row += BATCH * height) {
        vector<T> loaded[BATCH];
        sum_type of_x[BATCH];
        PRIM_UNROLL(BATCH)
        for (unsigned j = 0; j < BATCH; j++) {
            const unsigned i = row + j * height;
            if (i >= at.rows)
                continue;
            loaded[j] = mine.load(a + i * ld, at.outputs - column, 1, true);
            of_x[j] = p.value_of(x[i]);
        }
        PRIM_UNROLL(BATCH)
        for (unsigned j = 0; j < BATCH; j++)
            if (row + j * height < at.rows) {
                PRIM_UNROLL(WIDTH)
                for (unsigned e = 0; e < WIDTH; e++)
                    sums[e] = add(sums[e], multiply(static_cast<sum_type>(element_of(loaded[j], e)),
                                                    of_x[j]));
            }
    }
}

/* Rows that do not begin at 16 bytes: a thread takes single columns, coalesced with its neighbours.
 * It does the work of threads of walk_vectors(), to which the sums are moved in the end:
 *
 *     h = 0    0 1 2 3 4 5 6 7 …  31       thread t has columns and heights t, t + 256, …
 *     h = 1   32 …                         of the block, counted row by row */
template <class Problem, unsigned WIDTH>
__device__ void walk_singles(const Problem &p, const prim_gemv_block &b, const part &at,
                             typename Problem::sum_type (&sums)[WIDTH])
{
    using T = typename Problem::element;
    using sum_type = typename Problem::sum_type;
    constexpr unsigned ROWS = WIDTH <= 4 ? BATCH : 16 / WIDTH;
    const unsigned columns = WIDTH << b.across_bits, height = 1u << b.height_bits;
    const size_t ld = p.a.column_stride, step = height * ld;
    const T *a[WIDTH], *const x = p.x + at.first_row;
    unsigned deep[WIDTH]; /* at.rows for a column that is not there */
    PRIM_UNROLL(WIDTH)
    for (unsigned e = 0; e < WIDTH; e++) {
        const unsigned place = threadIdx.x + e * BLOCK, column = place & (columns - 1),
                       h = place / columns;
        a[e] = p.a.data + (at.first_row + h) * ld + (at.first_output + column) * p.a.row_stride;
        deep[e] = column < at.outputs ? h : at.rows;
    }
    PRIM_UNROLL(1)
    for (unsigned k = 0; k < at.rows; k += ROWS * height) {
        sum_type loaded[ROWS][WIDTH], of_x[ROWS][WIDTH];
        PRIM_UNROLL(ROWS)
        for (unsigned j = 0; j < ROWS; j++) {
            PRIM_UNROLL(WIDTH)
            for (unsigned e = 0; e < WIDTH; e++) {
                const unsigned row = deep[e] + k + j * height;
                loaded[j][e] = row < at.rows ? p.value_of(a[e][j * step]) : sum_type(0);
                of_x[j][e] = row < at.rows ? p.value_of(x[row]) : sum_type(0);
            }
        }
        PRIM_UNROLL(ROWS)
        for (unsigned j = 0; j < ROWS; j++) {
            PRIM_UNROLL(WIDTH)
            for (unsigned e = 0; e < WIDTH; e++)
                sums[e] = add(sums[e], multiply(loaded[j][e], of_x[j][e]));
        }
        PRIM_UNROLL(WIDTH)
        for (unsigned e = 0; e < WIDTH; e++)
            a[e] += ROWS * step;
    }
}

template <typename T, unsigned WIDTH>
__device__ void hand_over(T (&sums)[WIDTH], const prim_gemv_block &b, T (&shared)[WIDTH][BLOCK])
{
    const unsigned columns = WIDTH << b.across_bits;
    PRIM_UNROLL(WIDTH)
    for (unsigned e = 0; e < WIDTH; e++) {
        const unsigned place = threadIdx.x + e * BLOCK, column = place & (columns - 1);
        shared[column % WIDTH][(place / columns << b.across_bits) + column / WIDTH] = sums[e];
    }
    __syncthreads();
    PRIM_UNROLL(WIDTH)
    for (unsigned e = 0; e < WIDTH; e++)
        sums[e] = shared[e][threadIdx.x];
}

/* Adds the threads of a column of the block, halves first, into the uppermost. */
template <typename T, unsigned WIDTH>
__device__ void add_up_block(T (&sums)[WIDTH], const prim_gemv_block &b, T (&shared)[WIDTH][BLOCK])
{
    const unsigned t = threadIdx.x, deep = t >> b.across_bits;
    for (unsigned half = 1u << b.height_bits >> 1; half > 0; half /= 2) {
        if (deep >= half && deep < 2 * half)
            for (unsigned e = 0; e < WIDTH; e++)
                shared[e][t] = sums[e];
        __syncthreads();
        if (deep < half)
            for (unsigned e = 0; e < WIDTH; e++)
                sums[e] = add(sums[e], shared[e][t + (half << b.across_bits)]);
    }
}

/* Sums of neighbouring outputs, to y or to the pieces' sums: 16 bytes at a time where they lie so.
 */
template <class Problem, unsigned WIDTH>
__device__ void store_outputs(const Problem &p, const destination<Problem> &to, size_t piece,
                              size_t output, size_t left,
                              const typename Problem::sum_type (&sums)[WIDTH])
{
    using T = typename Problem::element;
    if constexpr (std::is_same<T, typename Problem::sum_type>::value) {
        T *const from = to.sums == nullptr ? p.y + output : to.sums + piece * p.outputs + output;
        if (left >= WIDTH && bytes_past_vector(from) == 0) {
            const bool has_before = to.sums == nullptr && p.scale.beta != 0;
            vector<T> x = has_before ? load_vector(from) : vector<T>{};
            PRIM_UNROLL(WIDTH)
            for (unsigned e = 0; e < WIDTH; e++)
                x.words[e] =
                    to.sums == nullptr ? finished<T>(p.scale.of(x.words[e], sums[e])) : sums[e];
            *reinterpret_cast<vector<T> *>(from) = x;
            return;
        }
    }
    PRIM_UNROLL(WIDTH)
    for (unsigned e = 0; e < WIDTH; e++)
        if (e < left)
            to.store(p, piece, output + e, sums[e]);
}

template <class Problem>
__global__ void __launch_bounds__(BLOCK,
                                  blocks_at_once(BLOCK, BLOCKS_AT_ONCE<typename Problem::element>))
    multiply_columns(Problem batch, prim_gemv_block b, destination<Problem> of_batch)
{
    using sum_type = typename Problem::sum_type;
    constexpr unsigned WIDTH = VECTOR_ELEMENTS<typename Problem::element>;
    PRIM_SHARED(sum_type, shared, [WIDTH][BLOCK]);
    const Problem p = batch.at(blockIdx.y);
    const destination<Problem> to = of_batch.at(p, b.pieces, blockIdx.y);
    const part at = part_of(b, p.outputs, p.inner, WIDTH);
    const unsigned column = (threadIdx.x & ((1u << b.across_bits) - 1)) * WIDTH;
    sum_type sums[WIDTH] = {0};
    trigger_launch_completion();
    grid_dependency_synchronize();
    const bool aligned = p.a.row_stride == 1 && bytes_past_vector(p.a.data) == 0 &&
                         (p.a.column_stride % WIDTH == 0 || p.inner == 1);
    if (aligned) {
        walk_vectors(p, b, at, sums);
    } else {
        walk_singles(p, b, at, sums);
        hand_over(sums, b, shared);
    }
    add_up_block(sums, b, shared);
    if (threadIdx.x >> b.across_bits > 0 || column >= at.outputs)
        return;
    store_outputs(p, to, at.piece, at.first_output + column, at.outputs - column, sums);
}

/* ---- few rows across memory, and many blocks ---- */

/* order.h has narrow and high blocks for few rows, so that a single product has enough of them.
 * Where there are enough anyway, a block is wide instead, and a thread does the work of four that
 * have the same columns, `height` rows apart: their sums are its leaves, and the order is the
 * same. */
[[maybe_unused]] constexpr unsigned LEAVES = 4;
/* With narrow types they would take too many registers. */
template <typename T>
constexpr bool HAS_LEAVES = VECTOR_ELEMENTS<T> <= 4;

template <typename T, unsigned WIDTH>
__device__ void add_leaves(const T (&leaves)[LEAVES][WIDTH], T (&sums)[WIDTH])
{
    PRIM_UNROLL(WIDTH)
    for (unsigned e = 0; e < WIDTH; e++)
        sums[e] = add(add(leaves[0][e], leaves[2][e]), add(leaves[1][e], leaves[3][e]));
}

/* As walk_vectors(), row by row for the leaves in turn. */
template <class Problem, unsigned WIDTH>
__device__ void walk_leaves(const Problem &p, const prim_gemv_block &b, const part &at,
                            typename Problem::sum_type (&leaves)[LEAVES][WIDTH])
{
    using T = typename Problem::element;
    using sum_type = typename Problem::sum_type;
    const unsigned column = (threadIdx.x & ((1u << b.across_bits) - 1)) * WIDTH,
                   deep = threadIdx.x >> b.across_bits, height = 1u << b.height_bits;
    const size_t ld = p.a.column_stride;
    const T *const a = p.a.data + at.first_output + column;
    const lane_elements<ROW_VECTORS, T> mine(0, 0);
    if (column >= at.outputs)
        return;
    PRIM_UNROLL(1)
    for (unsigned row = deep; row < at.rows; row += LEAVES * height) {
        vector<T> loaded[LEAVES] = {};
        sum_type of_x[LEAVES] = {};
        PRIM_UNROLL(LEAVES)
        for (unsigned j = 0; j < LEAVES; j++) {
            const unsigned i = row + j * height;
            if (i >= at.rows)
                continue;
            loaded[j] = mine.load(a + i * ld, at.outputs - column, 1, true);
            of_x[j] = p.value_of(p.x[i]);
        }
        PRIM_UNROLL(LEAVES)
        for (unsigned j = 0; j < LEAVES; j++) {
            PRIM_UNROLL(WIDTH)
            for (unsigned e = 0; e < WIDTH; e++)
                leaves[j][e] =
                    add(leaves[j][e],
                        multiply(static_cast<sum_type>(element_of(loaded[j], e)), of_x[j]));
        }
    }
}

/* As walk_singles(). The block's threads are whole rows of it, so a thread's places all lie in one
 * column, `apart` rows from each other. */
template <class Problem, unsigned WIDTH>
__device__ void walk_leaves_singly(const Problem &p, const prim_gemv_block &b, const part &at,
                                   typename Problem::sum_type (&leaves)[LEAVES][WIDTH])
{
    using T = typename Problem::element;
    using sum_type = typename Problem::sum_type;
    constexpr unsigned PLACES = LEAVES * WIDTH;
    const unsigned columns = WIDTH << b.across_bits, column = threadIdx.x & (columns - 1),
                   deep = threadIdx.x / columns, apart = BLOCK / columns;
    const size_t ld = p.a.column_stride, step = apart * ld;
    const T *a = p.a.data + deep * ld + at.first_output + column;
    if (column >= at.outputs)
        return;
    PRIM_UNROLL(1)
    for (unsigned row = deep; row < at.rows; row += PLACES * apart, a += PLACES * step) {
        sum_type loaded[PLACES], of_x[PLACES];
        PRIM_UNROLL(PLACES)
        for (unsigned i = 0; i < PLACES; i++) {
            const bool is_there = row + i * apart < at.rows;
            loaded[i] = is_there ? p.value_of(a[i * step]) : sum_type(0);
            of_x[i] = is_there ? p.value_of(p.x[row + i * apart]) : sum_type(0);
        }
        PRIM_UNROLL(PLACES)
        for (unsigned i = 0; i < PLACES; i++) {
            sum_type &sum = leaves[i / WIDTH][i % WIDTH];
            sum = add(sum, multiply(loaded[i], of_x[i]));
        }
    }
}

template <class Problem>
__global__ void __launch_bounds__(BLOCK, blocks_at_once(BLOCK, 3))
    multiply_few_rows(Problem batch, prim_gemv_block b)
{
    using sum_type = typename Problem::sum_type;
    constexpr unsigned WIDTH = VECTOR_ELEMENTS<typename Problem::element>;
    PRIM_SHARED(sum_type, shared, [WIDTH][BLOCK]);
    const Problem p = batch.at(blockIdx.y);
    const part at = part_of(b, p.outputs, p.inner, WIDTH);
    const unsigned column = (threadIdx.x & ((1u << b.across_bits) - 1)) * WIDTH;
    sum_type leaves[LEAVES][WIDTH] = {}, sums[WIDTH];
    trigger_launch_completion();
    grid_dependency_synchronize();
    const bool aligned = bytes_past_vector(p.a.data) == 0 && p.a.column_stride % WIDTH == 0;
    if (aligned)
        walk_leaves(p, b, at, leaves);
    else
        walk_leaves_singly(p, b, at, leaves);
    add_leaves(leaves, sums);
    if (!aligned)
        hand_over(sums, b, shared);
    add_up_block(sums, b, shared);
    if (threadIdx.x >> b.across_bits > 0 || column >= at.outputs)
        return;
    store_outputs(p, destination<Problem>{nullptr}, 0, at.first_output + column,
                  at.outputs - column, sums);
}

/* ---- the pieces' sums ---- */

template <class Problem>
__global__ void __launch_bounds__(BLOCK)
    add_pieces(Problem batch, const typename Problem::sum_type *of_batch, size_t pieces,
               prim_gemv_block b)
{
    using sum_type = typename Problem::sum_type;
    const Problem p = batch.at(blockIdx.y);
    const sum_type *const of_pieces = of_batch + blockIdx.y * pieces * p.outputs;
    const unsigned deep = threadIdx.x >> b.across_bits,
                   across = threadIdx.x & ((1u << b.across_bits) - 1);
    const size_t output = (static_cast<size_t>(blockIdx.x) << b.across_bits) + across;
    PRIM_SHARED(sum_type, shared, [1][BLOCK]);
    sum_type sum[1] = {0};
    trigger_launch_completion();
    grid_dependency_synchronize();
    PRIM_UNROLL(8)
    for (size_t piece = deep; output < p.outputs && piece < pieces; piece += BLOCK >> b.across_bits)
        sum[0] = add(sum[0], of_pieces[piece * p.outputs + output]);
    add_up_block(sum, b, shared);
    if (deep == 0 && output < p.outputs)
        p.store(output, sum[0]);
}

/* ---- the launches ---- */

/* A row of op(A) lies across memory, unless it is a column's only one; and a row of one element is
 * a column of such rows. */
bool is_across(const prim_gemv_args *args)
{
    return args->op == PRIM_TRANSPOSED ? args->columns != 1 : args->columns == 1;
}

/* The kernels of launch_pieces(), and the one that several products share. */
enum route { ROWS, COLUMNS, FEW_ROWS, SMALL_PRODUCTS };
const char *const ROUTE_NAMES[] = {"rows", "columns", "few_rows", "small_products"};

/* How a call is divided into blocks. */
struct cut {
    route way; /* of one product: not SMALL_PRODUCTS */
    size_t outputs, blocks, pieces;
    size_t piece_vectors;  /* along memory */
    prim_gemv_block block; /* across memory */
};

/* The same order by fewer and wider blocks. */
prim_gemv_block widened(prim_gemv_block b, size_t inner, size_t vectors)
{
    b.across_bits = PRIM_GEMV_ACROSS_BITS;
    b.height_bits = PRIM_GEMV_THREAD_BITS - b.across_bits;
    b.strips = prim_divide_up(vectors, size_t(1) << b.across_bits);
    b.depth = static_cast<unsigned>(prim_divide_up(inner, size_t(1) << b.height_bits));
    return b;
}

cut cut_of(const prim_gemv_args *args)
{
    const size_t width = PRIM_GEMV_VECTOR_BYTES / prim_element_bytes(args->a_type);
    const bool transposed = args->op == PRIM_TRANSPOSED;
    const size_t inner = transposed ? args->rows : args->columns;
    cut c = {};
    c.outputs = transposed ? args->columns : args->rows;
    if (is_across(args)) {
        const size_t vectors = prim_divide_up(c.outputs, width);
        c.block = prim_gemv_block_of(inner, vectors);
        const prim_gemv_block wide = widened(c.block, inner, vectors);
        const bool has_leaves =
            width <= 4 && transposed && args->batches > 0 && c.block.pieces == 1 &&
            c.block.height_bits == wide.height_bits + 2 &&
            wide.strips >= prim_divide_up(PRIM_GEMV_ENOUGH_BLOCKS, args->batches);
        c.way = has_leaves ? FEW_ROWS : COLUMNS;
        if (has_leaves)
            c.block = wide;
        c.pieces = c.block.pieces;
        c.blocks = c.block.strips * c.pieces;
        return c;
    }
    const size_t vectors = prim_divide_up(inner, width);
    c.piece_vectors = prim_gemv_piece_of_row(c.outputs, vectors);
    c.pieces = vectors == 0 ? 1 : prim_divide_up(vectors, c.piece_vectors);
    c.blocks = prim_divide_up(c.outputs, width <= 4 ? 4 : 16 / width) * c.pieces;
    return c;
}

prim_gemv_small_order small_order(const prim_gemv_args *args)
{
    return is_across(args) ? PRIM_GEMV_SMALL_ACROSS : PRIM_GEMV_SMALL_ALONG_BY_BLOCK;
}

/* The only place that chooses. */
route route_of(const prim_gemv_args *args)
{
    const cut c = cut_of(args);
    return args->batches > 1 && c.pieces == 1 && prim_gemv_are_small(args, small_order(args))
               ? SMALL_PRODUCTS
               : c.way;
}

size_t workspace(const void *any)
{
    const prim_gemv_args *args = static_cast<const prim_gemv_args *>(any);
    const cut c = cut_of(args);
    const size_t bytes = prim_element_bytes(args->y_type), of_sum = bytes < 4 ? 4 : bytes;
    return c.pieces > 1 ? args->batches * c.pieces * c.outputs * of_sum : 0;
}

const char *why_not(const void *any)
{
    const prim_gemv_args *args = static_cast<const prim_gemv_args *>(any);
    if (!dispatch_pairs<is_built>(args))
        return PRIM_TYPES_NOT_BUILT;
    const cut c = cut_of(args);
    size_t sums;
    if (__builtin_mul_overflow(args->batches, c.pieces * c.outputs, &sums) || sums > SIZE_MAX / 8)
        return "the bytes of its partial sums do not fit size_t";
    return prim_fits_a_grid(1, c.blocks) ? nullptr : PRIM_GRID_TOO_SMALL;
}

template <class Problem>
cudaError_t launch_pieces(const prim_gemv_args *args, const cut &c, const Problem &p,
                          unsigned products, destination<Problem> to)
{
    const launch_config where = {args->call.stream, dim3(static_cast<unsigned>(c.blocks), products),
                                 BLOCK};
    if constexpr (HAS_LEAVES<typename Problem::element>)
        if (c.way == FEW_ROWS)
            return prim_launch_dependent(where, multiply_few_rows<Problem>, p, c.block);
    if (c.way == COLUMNS)
        return prim_launch_dependent(where, multiply_columns<Problem>, p, c.block, to);
    return prim_launch_dependent(where, multiply_rows<Problem>, p, c.piece_vectors,
                                 static_cast<unsigned>(c.pieces), to);
}

template <class Problem>
cudaError_t launch_sums(const prim_gemv_args *args, const cut &c, const Problem &p,
                        unsigned products, const typename Problem::sum_type *sums)
{
    const prim_gemv_block b = prim_gemv_block_of_sums(c.pieces, p.outputs);
    return prim_launch_dependent(
        {args->call.stream, dim3(static_cast<unsigned>(b.strips), products), BLOCK},
        add_pieces<Problem>, p, sums, c.pieces, b);
}

struct run_pieces : launch_run {
    template <typename In, typename Out>
    static cudaError_t run(const prim_gemv_args *args)
    {
        using Problem = problem<In, Out>;
        using sum_type = typename Problem::sum_type;
        const Problem p = make_problem<In, Out>(args);
        const cut c = cut_of(args);
        sum_type *const of_batch =
            c.pieces > 1 ? static_cast<sum_type *>(args->call.workspace) : nullptr;
        if (p.outputs == 0)
            return cudaSuccess;
        return launch_products(p, args->batches, [=](const Problem &at, size_t i, unsigned count) {
            sum_type *const sums =
                of_batch == nullptr ? nullptr : of_batch + i * c.pieces * c.outputs;
            const cudaError_t error = launch_pieces(args, c, at, count, destination<Problem>{sums});
            return error == cudaSuccess && sums != nullptr
                       ? launch_sums(args, c, at, count, static_cast<const sum_type *>(sums))
                       : error;
        });
    }
};

cudaError_t launch(const void *any)
{
    const prim_gemv_args *args = static_cast<const prim_gemv_args *>(any);
    return route_of(args) == SMALL_PRODUCTS ? prim_gemv_launch_small(args, small_order(args))
                                            : dispatch_pairs<run_pieces>(args);
}

} // namespace split
} // namespace

const char *prim_gemv_split_route(const prim_gemv_args *args)
{
    return split::ROUTE_NAMES[split::route_of(args)];
}

PRIM_DEFINE_RUNG(gemv, split) = {
    {PRIM_GEMV_SPLIT, "split", "the inner dimension over blocks, their sums added in fixed order"},
    split::why_not,
    split::workspace,
    split::launch};
