/* CSR_MERGE: tiles of equal work, whatever the rows.
 *
 *     rows      0  1  2         3  4   5                     a row is its entries and one more
 *     tiles     |        |        |        |        |        of equal work: csr_tiles.cuh
 *
 *     a tile    entries   ■■■■■■■■■■■■■■■■■■■■■■■■        copied to shared memory: tile.cuh
 *               short     ■■  ■■                          a lane a row
 *               middle      ■■  ■■■■                      1, 2 or 4 lanes a row
 *               strips              ■■■■■■|■■■■■■         shared out among warps: csr_strips.cuh
 *
 * A first launch looks up where each tile begins. A block then copies its entries, notes meanwhile
 * what rows it has, and sums them, with as few lanes a row as leave few without one. Where rows are
 * unlike, as in a graph, it gathers x by entries first. A matrix of few entries is not cut into
 * tiles, but read by one launch, 64 rows a block.
 *
 * The pieces of a row and the order of its sum follow from its length alone, not from where it lies
 * in the matrix, the tiles or the device, nor from how many lanes it has: the same row has the same
 * bits everywhere. What holds it back: each tile waits for its entries, then for its x; registers
 * leave room for six tiles on a multiprocessor to fill the gaps, and each tile more would leave
 * less of x in the first cache.
 *
 * Work: entries and rows. Steps: of a tile, and pieces / 32 for the longest row. Bytes: entries
 * once, offsets twice, y, and x as the columns ask for it.
 * Source: the balance of D. Merrill and M. Garland, Merge-Based Parallel Sparse Matrix-Vector
 * Multiplication, SC16 (2016); cut by rows, for the sake of the order. */
#include "common/element.h"
#include "sparse/csr.cuh"
#include "sparse/csr_strips.cuh"
#include "sparse/csr_tiles.cuh"
#include "sparse/scale.cuh"
#include "sparse/tile.cuh"

namespace
{
namespace csr_merge
{

/* Blocks on a multiprocessor: doubles take more registers and shared memory. */
template <typename V>
[[maybe_unused]] constexpr unsigned BLOCKS_AT_ONCE = sizeof(V) == 8 ? 4 : 6;

constexpr unsigned STEPS = 8; /* entries of a lane that are under way at once */

/* Entries and rows of a tile that are staged: its keys, and what a row of at most 64 entries has
 * behind them. A longer one that does not fit is read where it lies. */
constexpr unsigned STAGED = TILE + MIDDLE_ROW;
constexpr unsigned STRIPS = TILE / MIDDLE_ROW + TILE_GROUPS + 2;

template <typename V>
struct room {
    static constexpr unsigned BYTES =
        STAGED * (sizeof(int32_t) + sizeof(V)) + 4 * VECTOR_BYTES + sizeof(uint16_t);

    alignas(16) unsigned char bytes[(BYTES + 15) / 16 * 16];
    unsigned kinds[TILE_WARPS];
    strip_list<STRIPS> strips;
};

/* ---- what rows there are ---- */

/* Kinds of rows, as bits: bit k stands for more than 2^(k-1) entries and up to 2^k, the lowest for
 * none as well. Rows of more than 64 are strips and have no kind. */
constexpr unsigned SHORT = 0x0f, MIDDLE = 0x70;

__device__ inline unsigned kind_of(unsigned length)
{
    return length < 2 ? 1 : 2u << highest_bit(length - 1);
}

struct or_operator {
    static __device__ unsigned combine(unsigned a, unsigned b)
    {
        return a | b;
    }
};

/* While entries are on their way: where rows begin, what kinds each warp has seen, and the strips.
 * Of a row that goes on behind the tile, the end is only known to be further than a piece. */
template <typename Offset, unsigned MOST>
__device__ void note_rows(const plan<Offset> &p, const csr_tile &t, uint16_t *begins,
                          unsigned *kinds_of_warps, strip_list<MOST> *strips)
{
    unsigned kinds = 0;
    if (threadIdx.x == 0 && t.first_entry < p.offset(t.first_row)) /* the row before goes on here */
        push_pieces(t, strips, 0, t.first_entry, p.offset(t.first_row));
    PRIM_UNROLL(4)
    for (unsigned row = threadIdx.x; row < t.rows; row += TILE_THREADS) {
        const size_t begin = p.offset(t.first_row + row),
                     length = p.offset(t.first_row + row + 1) - begin;
        const unsigned at = static_cast<unsigned>(begin - t.first_entry),
                       known = length <= PIECE ? static_cast<unsigned>(length) : PIECE + 1;
        begins[row] = static_cast<uint16_t>(at);
        if (row + 1 == t.rows)
            begins[row + 1] = static_cast<uint16_t>(at + known);
        if (known > PIECE)
            push_pieces(t, strips, row + 1, begin, begin + length);
        else if (known > MIDDLE_ROW)
            push(strips, at, known, row + 1, false);
        else
            kinds |= kind_of(known);
    }
    kinds = reduce_warp<or_operator>(kinds);
    if (threadIdx.x % WARP == 0)
        kinds_of_warps[threadIdx.x / WARP] = kinds;
}

/* Behind a barrier, in all threads. */
__device__ inline unsigned kinds_of_tile(const unsigned *kinds_of_warps)
{
    unsigned kinds = 0;
    PRIM_UNROLL(8)
    for (unsigned w = 0; w < TILE_WARPS; w++)
        kinds |= kinds_of_warps[w];
    return kinds;
}

/* Would neighbouring lanes, with a row each, wait for rows of more than twice the average? */
__device__ inline bool rows_are_unlike(const csr_tile &t, unsigned entries, unsigned kinds)
{
    return kinds != 0 && t.rows << highest_bit(kinds) > 2 * entries;
}

/* ---- sums ---- */

template <typename V, typename X, typename Offset, class Find>
__device__ void sum_short(const csr_problem<V, X, Offset> &a, const csr_tile &t,
                          const tile_arrays<V> &in, const Find &x)
{
    for (unsigned row = threadIdx.x; row < t.rows; row += TILE_THREADS) {
        const unsigned begin = in.begins[row], length = in.begins[row + 1] - begin;
        if (length <= SHORT_ROW)
            a.of.store(t.first_row + row, sum_of_lane<1, 1, SHORT_ROW>(
                                              in.columns + begin, in.values + begin, x, length, 0));
    }
}

template <unsigned LANES, typename V, typename X, typename Offset, class Find>
__device__ void sum_middle(const csr_problem<V, X, Offset> &a, const csr_tile &t,
                           const tile_arrays<V> &in, const Find &x)
{
    const unsigned lane = threadIdx.x % LANES;
    for (unsigned first = threadIdx.x / WARP * (WARP / LANES); first < t.rows;
         first += TILE_THREADS / LANES) {
        const unsigned row = first + threadIdx.x % WARP / LANES;
        unsigned begin = 0, length = 0;
        if (row < t.rows) {
            begin = in.begins[row];
            length = in.begins[row + 1] - begin;
        }
        const bool mine = length > SHORT_ROW && length <= MIDDLE_ROW;
        working_t<V> sum = sum_of_lane<MIDDLE_PARTS, LANES, STEPS>(
            in.columns + begin, in.values + begin, x, mine ? length : 0, lane);
        sum = reduce_warp<sum_operator>(sum, LANES);
        if (lane == 0 && mine)
            a.of.store(t.first_row + row, sum);
    }
}

/* Strips go first, which take longest. As few lanes a row as leave no quarter of the threads
 * without one: neighbours then read neighbouring x. */
template <typename V, typename X, typename Offset, class Find, unsigned MOST>
__device__ void sum_rows(const csr_problem<V, X, Offset> &a, const csr_tile &t,
                         const tile_arrays<V> &in, const Find &x, unsigned kinds,
                         const strip_list<MOST> &strips)
{
    constexpr unsigned ENOUGH = TILE_THREADS / 4 * 3;
    sum_strips(a, t, in, x, strips);
    if ((kinds & SHORT) != 0)
        sum_short(a, t, in, x);
    if ((kinds & MIDDLE) == 0)
        return;
    if (t.rows >= ENOUGH)
        sum_middle<1>(a, t, in, x);
    else if (t.rows * 2 >= ENOUGH)
        sum_middle<2>(a, t, in, x);
    else
        sum_middle<4>(a, t, in, x);
}

/* ---- a tile ---- */

template <typename Offset>
__device__ csr_tile this_tile(const plan<Offset> &p)
{
    const size_t number = blockIdx.x;
    const boundary from = p.boundaries[number], to = p.boundaries[number + 1];
    return {static_cast<size_t>(from.row), static_cast<size_t>(from.entry), (number + 1) * TILE,
            static_cast<unsigned>(to.row - from.row), static_cast<unsigned>(to.entry - from.entry)};
}

template <typename V, typename X, typename Offset>
__device__ tile_arrays<V> stage_tile(const csr_problem<V, X, Offset> &a, const csr_tile &t,
                                     room<V> &r)
{
    const unsigned fit = STAGED - t.rows, count = t.entries < fit ? t.entries : fit;
    unsigned char *const for_values = r.bytes + staged_bytes<int32_t>(count);
    unsigned char *const for_begins = for_values + staged_bytes<V>(count);
    return {stage(r.bytes, a.of.columns + t.first_entry, count),
            stage(for_values, a.of.values + t.first_entry, count),
            reinterpret_cast<uint16_t *>(for_begins), count};
}

template <typename V, typename X, typename Offset>
__global__ void __launch_bounds__(TILE_THREADS, blocks_at_once(TILE_THREADS, BLOCKS_AT_ONCE<V>))
    multiply(csr_problem<V, X, Offset> a)
{
    using T = working_t<V>;
    PRIM_SHARED(room<V>, r, );
    if (threadIdx.x == 0)
        r.strips.count = 0;
    __syncthreads();
    grid_dependency_synchronize();
    const csr_tile t = this_tile(a.p);
    const tile_arrays<V> in = stage_tile(a, t, r);
    note_rows(a.p, t, in.begins, r.kinds, &r.strips);
    wait_for_copies();
    __syncthreads();
    const unsigned kinds = kinds_of_tile(r.kinds);
    if constexpr (sizeof(T) == sizeof(int32_t)) { /* x has room where its column was */
        if (rows_are_unlike(t, in.count, kinds)) {
            gather<STEPS>(in.columns, in.count, a.of.x);
            __syncthreads();
            sum_rows(a, t, in, x_in_place<T>{}, kinds, r.strips);
            return;
        }
    }
    sum_rows(a, t, in, x_by_column<X>{a.of.x}, kinds, r.strips);
}

/* ---- small matrices ---- */

/* Blocks of as many rows each need not look for where they begin, and no block has so many entries
 * that others should help. Sums of pieces stay in shared memory. */
constexpr size_t SMALL = 32768; /* entries, and rows */
constexpr unsigned SMALL_ROWS = 64, SMALL_GROUPS = 2 * SMALL / PIECE + 1;
constexpr unsigned SMALL_STRIPS = SMALL_ROWS + SMALL / PIECE;

template <typename V, typename X, typename Offset>
__global__ void __launch_bounds__(TILE_THREADS) multiply_small(csr_problem<V, X, Offset> a)
{
    PRIM_SHARED(working_t<V>, pieces, [2][SMALL_GROUPS]);
    PRIM_SHARED(unsigned, tickets, [SMALL_GROUPS]);
    PRIM_SHARED(uint16_t, begins, [SMALL_ROWS + 1]);
    PRIM_SHARED(unsigned, kinds, [TILE_WARPS]);
    PRIM_SHARED(strip_list<SMALL_STRIPS>, strips, );
    for (unsigned g = threadIdx.x; g < SMALL_GROUPS; g += TILE_THREADS)
        tickets[g] = 0;
    if (threadIdx.x == 0)
        strips.count = 0;
    a.p.first_pieces = pieces[0];
    a.p.pieces = pieces[1];
    a.p.tickets = tickets;
    __syncthreads();
    const size_t first = static_cast<size_t>(blockIdx.x) * SMALL_ROWS, left = a.p.rows - first,
                 entry = a.p.offset(first);
    const unsigned rows = static_cast<unsigned>(left < SMALL_ROWS ? left : SMALL_ROWS),
                   entries = static_cast<unsigned>(a.p.entries - entry);
    const csr_tile t = {first, entry, SIZE_MAX, rows, entries};
    const tile_arrays<V> in = {const_cast<int32_t *>(a.of.columns) + entry, a.of.values + entry,
                               begins, entries};
    note_rows(a.p, t, begins, kinds, &strips);
    __syncthreads();
    sum_rows(a, t, in, x_by_column<X>{a.of.x}, kinds_of_tile(kinds), strips);
}

inline bool is_small(const prim_sparse *m)
{
    return m->entries <= SMALL && m->rows <= SMALL;
}

/* ---- the rung ---- */

struct run_product : launch_run {
    template <typename V, typename X, typename Offset>
    static cudaError_t run(const prim_spmv_args *args)
    {
        const prim_sparse *m = &args->matrix;
        if (m->rows == 0)
            return cudaSuccess;
        const csr_problem<V, X, Offset> a = {
            make_plan<Offset>(args), make_entries<V, X>(args, m->column_indices, m->values)};
        if (a.of.x == nullptr)
            return launch_scale<X>(args);
        const cudaStream_t stream = args->call.stream;
        if (is_small(m))
            return prim_launch({stream, blocks_for(m->rows, SMALL_ROWS), TILE_THREADS},
                               multiply_small<V, X, Offset>, a);
        const unsigned blocks = static_cast<unsigned>(a.p.tiles);
        const cudaError_t error = prim_launch({stream, blocks_for(a.p.tiles + 1, FINDERS), FINDERS},
                                              find_tiles<Offset>, a.p);
        return error == cudaSuccess ? prim_launch_dependent({stream, blocks, TILE_THREADS},
                                                            multiply<V, X, Offset>, a)
                                    : error;
    }
};

size_t workspace_bytes(const void *any)
{
    const prim_spmv_args *args = static_cast<const prim_spmv_args *>(any);
    return args->matrix.rows == 0 || is_small(&args->matrix) ? 0 : plan_bytes(args);
}

const char *why_not(const void *any)
{
    const prim_spmv_args *args = static_cast<const prim_spmv_args *>(any);
    const char *const reason = format_why_not(args, PRIM_SPARSE_CSR, dispatch_csr_mixed<is_built>);
    return reason == nullptr && !prim_fits_a_grid(1, tiles_of(&args->matrix)) ? PRIM_GRID_TOO_SMALL
                                                                              : reason;
}

cudaError_t launch(const void *args)
{
    return dispatch_csr_mixed<run_product>(static_cast<const prim_spmv_args *>(args));
}

} // namespace csr_merge
} // namespace

PRIM_DEFINE_RUNG(spmv, csr_merge) = {
    {PRIM_SPMV_CSR_MERGE, "csr_merge", "CSR, tiles of equal work, whatever the rows"},
    csr_merge::why_not,
    csr_merge::workspace_bytes,
    csr_merge::launch};
