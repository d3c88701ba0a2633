/* CSR_MERGE: tiles of equal work, whatever the rows.
 *
 *     rows      0  1  2         3  4   5                     a row is its entries and one more:
 *     keys      a  bb ccccccccc .  dd  eeeeeeeeeeeeeeeeee    so empty rows count as well
 *     tiles     |        |        |        |        |        a key for each entry and each row
 *     pieces    a  bb ccccccccc .  dd  eeeeeeee|eeeeeeee|ee  long rows: 512 entries at a time
 *
 * A first launch looks up where each tile begins. A tile has what begins in it: rows, and pieces of
 * rows of more than 512 entries. Its entries are copied to shared memory and summed there; tile.cuh
 * says how. The sums of a long row's pieces go to the workspace, and who brings the last one adds
 * them all up.
 *
 * The pieces of a row and the order of its sum follow from its length alone, not from where it lies
 * in the matrix, the tiles or the device: the same row has the same bits everywhere. What holds it
 * back: each tile waits for its entries, then for its x; shared memory and registers leave room for
 * five tiles on a multiprocessor to fill the gaps, and for less of x in the first cache.
 *
 * Work: entries and rows. Steps: of a tile, and pieces / 32 for the longest row. Bytes: entries
 * once, offsets twice, y, and x as the columns ask for it.
 * Source: the balance of D. Merrill and M. Garland, Merge-Based Parallel Sparse Matrix-Vector
 * Multiplication, SC16 (2016); cut by rows, for the sake of the order. */
#include "common/atomic.cuh"
#include "common/element.h"
#include "sparse/csr.cuh"
#include "sparse/scale.cuh"
#include "sparse/tile.cuh"

namespace
{
namespace csr_merge
{

constexpr unsigned TILE = 3072, PIECE = 512; /* keys; entries of a long row */
constexpr unsigned WARPS = TILE_THREADS / WARP;
constexpr unsigned SHORT_BATCH = 8, BATCH = 4; /* of a lane's entries under way at once */

[[maybe_unused]] constexpr unsigned BLOCKS_AT_ONCE = 5; /* on a multiprocessor */

/* ---- where tiles begin ---- */

/* The first row that begins in the tile or behind it, and the tile's first entry. */
struct boundary {
    int64_t entry;
    int32_t row;
};

/* Rows and where they are cut, and what lies in the workspace. Pieces are numbered by the key that
 * they begin at: in 512 keys, at most one row of more than 512 entries begins, and at most one
 * further piece. */
template <typename Offset>
struct plan {
    const Offset *offsets;
    size_t rows, entries, tiles;
    boundary *boundaries; /* tiles + 1 */
    void *first_pieces;   /* for each 512 keys, the sum of a row's first piece, */
    void *pieces;         /* and of another one */
    unsigned *tickets;    /* so many pieces are there of the row that begins here */

    __device__ size_t offset(size_t row) const
    {
        return static_cast<size_t>(offsets[row]);
    }
    /* A row's key: that of its first entry, or its only one. */
    __device__ size_t key(size_t row) const
    {
        return offset(row) + row;
    }
};

inline size_t tiles_of(const prim_sparse *m)
{
    return prim_divide_up(m->entries + m->rows, TILE);
}

template <typename Offset>
plan<Offset> make_plan(const prim_spmv_args *args)
{
    const prim_sparse *m = &args->matrix;
    const size_t tiles = tiles_of(m), bytes = tiles * (TILE / PIECE) * sum_bytes(args);
    char *const first = static_cast<char *>(args->call.workspace) + (tiles + 1) * sizeof(boundary);
    return {static_cast<const Offset *>(m->row_offsets),
            m->rows,
            m->entries,
            tiles,
            static_cast<boundary *>(args->call.workspace),
            first,
            first + bytes,
            reinterpret_cast<unsigned *>(first + 2 * bytes)};
}

/* The first row whose key is not less. */
template <typename Offset>
__device__ size_t first_row(const plan<Offset> &p, size_t key)
{
    size_t first = 0, count = p.rows;
    while (count > 0) {
        const size_t half = count / 2;
        if (p.key(first + half) < key) {
            first += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return first;
}

/* The first entry of a tile that begins at this key: the row before may have a piece there. */
template <typename Offset>
__device__ size_t first_entry(const plan<Offset> &p, size_t row, size_t key)
{
    const size_t behind = p.offset(row);
    if (row == 0)
        return behind;
    const size_t pieces = (key - p.key(row - 1) + PIECE - 1) / PIECE;
    const size_t piece = p.offset(row - 1) + pieces * PIECE;
    return piece < behind ? piece : behind;
}

template <typename Offset>
__global__ void __launch_bounds__(THREADS) find_tiles(plan<Offset> p)
{
    trigger_launch_completion();
    const size_t tile = this_thread();
    if (tile > p.tiles)
        return;
    const bool last = tile == p.tiles;
    const size_t row = last ? p.rows : first_row(p, tile * TILE);
    const size_t entry = last ? p.entries : first_entry(p, row, tile * TILE);
    p.boundaries[tile] = {static_cast<int64_t>(entry), static_cast<int32_t>(row)};
    for (unsigned g = 0; g < TILE / PIECE && !last; g++)
        p.tickets[tile * (TILE / PIECE) + g] = 0;
}

/* ---- a tile ---- */

template <typename V, typename X, typename Offset>
struct problem {
    plan<Offset> p;
    entries<V, X> of;
};

/* Entries and rows of a tile are no more than its keys and a piece; one row's begin more. */
template <typename V>
struct room {
    static constexpr unsigned BYTES =
        (TILE + PIECE) * (sizeof(int32_t) + sizeof(V)) + 4 * VECTOR_BYTES + sizeof(uint16_t);

    alignas(16) unsigned char bytes[(BYTES + 15) / 16 * 16];
    unsigned kinds[WARPS]; /* of rows that each warp has seen */
};

/* Kinds of rows, as bits. WIDE ones may be longer than a piece. */
enum { SHORT = 1, MIDDLE = 2, WIDE = 4 };

/* What a block knows of a tile. */
struct tile {
    size_t first_row, first_entry, end_key;
    unsigned rows, entries;
};

/* Its arrays in shared memory. */
template <typename V>
struct staged_tile {
    const int32_t *columns;
    const V *values;
    uint16_t *begins; /* rows + 1, from the tile's first entry on */
};

template <typename Offset>
__device__ tile make_tile(const plan<Offset> &p, size_t number)
{
    const boundary from = p.boundaries[number], to = p.boundaries[number + 1];
    return {static_cast<size_t>(from.row), static_cast<size_t>(from.entry), (number + 1) * TILE,
            static_cast<unsigned>(to.row - from.row), static_cast<unsigned>(to.entry - from.entry)};
}

template <typename V, typename X, typename Offset>
__device__ staged_tile<V> stage_tile(const problem<V, X, Offset> &a, const tile &t, room<V> &r)
{
    unsigned char *const for_values = r.bytes + staged_bytes<int32_t>(t.entries),
                         *const begins = for_values + staged_bytes<V>(t.entries);
    return {stage(r.bytes, a.of.columns + t.first_entry, t.entries),
            stage(for_values, a.of.values + t.first_entry, t.entries),
            reinterpret_cast<uint16_t *>(begins)};
}

/* While the entries are on their way: where rows begin, and what kinds there are. Of a row that
 * goes on behind the tile, the end is only known to be further than a piece. */
template <typename V, typename Offset>
__device__ void note_rows(const plan<Offset> &p, const tile &t, const staged_tile<V> &s, room<V> &r)
{
    unsigned kinds = 0;
    if (threadIdx.x == 0 && t.first_entry < p.offset(t.first_row))
        kinds = WIDE; /* the row before has a piece here */
    for (unsigned row = threadIdx.x; row < t.rows; row += TILE_THREADS) {
        const size_t begin = p.offset(t.first_row + row),
                     length = p.offset(t.first_row + row + 1) - begin;
        const unsigned at = static_cast<unsigned>(begin - t.first_entry),
                       known = length <= PIECE ? static_cast<unsigned>(length) : PIECE + 1;
        s.begins[row] = static_cast<uint16_t>(at);
        if (row + 1 == t.rows)
            s.begins[row + 1] = static_cast<uint16_t>(at + known);
        kinds |= known <= SHORT_ROW ? SHORT : known <= MIDDLE_ROW ? MIDDLE : WIDE;
    }
    unsigned all = 0;
    for (unsigned kind = SHORT; kind <= WIDE; kind *= 2)
        all |= __ballot_sync(ALL_LANES, (kinds & kind) != 0) != 0 ? kind : 0;
    if (threadIdx.x % WARP == 0)
        r.kinds[threadIdx.x / WARP] = all;
}

template <typename V, typename X, typename Offset>
__device__ void sum_short(const problem<V, X, Offset> &a, const tile &t, const staged_tile<V> &s)
{
    for (unsigned row = threadIdx.x; row < t.rows; row += TILE_THREADS) {
        const unsigned begin = s.begins[row], length = s.begins[row + 1] - begin;
        if (length <= SHORT_ROW)
            a.of.store(t.first_row + row,
                       sum_of_lane<1, SHORT_BATCH>(s.columns + begin, s.values + begin, a.of.x,
                                                   length, 0));
    }
}

template <typename V, typename X, typename Offset>
__device__ void sum_middle(const problem<V, X, Offset> &a, const tile &t, const staged_tile<V> &s)
{
    const unsigned lane = threadIdx.x % MIDDLE_LANES;
    for (unsigned first = threadIdx.x / WARP * (WARP / MIDDLE_LANES); first < t.rows;
         first += TILE_THREADS / MIDDLE_LANES) {
        const unsigned row = first + threadIdx.x % WARP / MIDDLE_LANES;
        unsigned begin = 0, length = 0;
        if (row < t.rows) {
            begin = s.begins[row];
            length = s.begins[row + 1] - begin;
        }
        const bool mine = length > SHORT_ROW && length <= MIDDLE_ROW;
        working_t<V> sum = sum_of_lane<MIDDLE_LANES, BATCH>(s.columns + begin, s.values + begin,
                                                            a.of.x, mine ? length : 0, lane);
        sum = reduce_warp<sum_operator>(sum, MIDDLE_LANES);
        if (lane == 0 && mine)
            a.of.store(t.first_row + row, sum);
    }
}

/* Of a long row's piece: the lane that brings the last one finds all others there, and its warp
 * adds them up in their order. */
template <typename V, typename X, typename Offset>
__device__ void finish_piece(const problem<V, X, Offset> &a, size_t row, size_t entry,
                             working_t<V> sum, unsigned lane)
{
    using T = working_t<V>;
    const size_t begin = a.p.offset(row), length = a.p.offset(row + 1) - begin;
    const size_t piece = (entry - begin) / PIECE, pieces = (length + PIECE - 1) / PIECE;
    const size_t group = (begin + row) / PIECE;
    T *const first = static_cast<T *>(a.p.first_pieces) + group, *const later =
                                                                     static_cast<T *>(a.p.pieces) +
                                                                     group;
    bool last = false;
    if (lane == 0) {
        *(piece == 0 ? first : &later[piece]) = sum;
        last = take_ticket_behind(&a.p.tickets[group]) + 1 == pieces;
    }
    if (__shfl_sync(ALL_LANES, static_cast<int>(last), 0) == 0)
        return;
    __syncwarp();
    T total = 0;
    PRIM_UNROLL(8)
    for (size_t p = lane; p < pieces; p += WARP)
        total = add(total, p == 0 ? *first : later[p]);
    total = reduce_warp<sum_operator>(total);
    if (lane == 0)
        a.of.store(row, total);
}

/* A row, or a piece of one, by a warp. */
template <typename V, typename X, typename Offset>
__device__ void sum_strip(const problem<V, X, Offset> &a, const tile &t, const staged_tile<V> &s,
                          size_t row, unsigned begin, unsigned length, bool is_piece)
{
    const unsigned lane = threadIdx.x % WARP;
    working_t<V> sum =
        sum_of_lane<WARP, BATCH>(s.columns + begin, s.values + begin, a.of.x, length, lane);
    sum = reduce_warp<sum_operator>(sum);
    if (is_piece)
        finish_piece(a, row, t.first_entry + begin, sum, lane);
    else if (lane == 0)
        a.of.store(row, sum);
}

/* The pieces of a long row that begin in the tile, from entry `from` on, by the warps in turn. */
template <typename V, typename X, typename Offset>
__device__ void sum_pieces(const problem<V, X, Offset> &a, const tile &t, const staged_tile<V> &s,
                           size_t row, size_t from, unsigned *turn)
{
    const size_t end = a.p.offset(row + 1);
    for (size_t e = from; e < end && e + row < t.end_key; e += PIECE)
        if ((*turn)++ % WARPS == threadIdx.x / WARP)
            sum_strip(a, t, s, row, static_cast<unsigned>(e - t.first_entry),
                      end - e < PIECE ? static_cast<unsigned>(end - e) : PIECE, true);
}

/* Each warp looks for all of them, and takes its turns. */
template <typename V, typename X, typename Offset>
__device__ void sum_wide(const problem<V, X, Offset> &a, const tile &t, const staged_tile<V> &s)
{
    unsigned turn = 0;
    if (t.first_entry < a.p.offset(t.first_row))
        sum_pieces(a, t, s, t.first_row - 1, t.first_entry, &turn);
    for (unsigned first = 0; first < t.rows; first += WARP) {
        const unsigned row = first + threadIdx.x % WARP;
        const unsigned begin = row < t.rows ? s.begins[row] : 0,
                       length = row < t.rows ? s.begins[row + 1] - begin : 0;
        for (unsigned wide = __ballot_sync(ALL_LANES, length > MIDDLE_ROW); wide != 0;
             wide &= wide - 1) {
            const unsigned lane = lowest_bit(wide);
            const unsigned at = __shfl_sync(ALL_LANES, begin, static_cast<int>(lane)),
                           its = __shfl_sync(ALL_LANES, length, static_cast<int>(lane));
            if (its > PIECE)
                sum_pieces(a, t, s, t.first_row + first + lane, t.first_entry + at, &turn);
            else if (turn++ % WARPS == threadIdx.x / WARP)
                sum_strip(a, t, s, t.first_row + first + lane, at, its, false);
        }
    }
}

template <typename V, typename X, typename Offset>
__global__ void __launch_bounds__(TILE_THREADS, blocks_at_once(TILE_THREADS, BLOCKS_AT_ONCE))
    multiply(problem<V, X, Offset> a)
{
    PRIM_SHARED(room<V>, r, );
    grid_dependency_synchronize();
    const tile t = make_tile(a.p, blockIdx.x);
    const staged_tile<V> s = stage_tile(a, t, r);
    note_rows(a.p, t, s, r);
    wait_for_copies();
    __syncthreads();
    unsigned kinds = 0;
    for (unsigned w = 0; w < WARPS; w++)
        kinds |= r.kinds[w];
    if ((kinds & SHORT) != 0)
        sum_short(a, t, s);
    if ((kinds & MIDDLE) != 0)
        sum_middle(a, t, s);
    if ((kinds & WIDE) != 0)
        sum_wide(a, t, s);
}

/* ---- the rung ---- */

struct run_product : launch_run {
    template <typename V, typename X, typename Offset>
    static cudaError_t run(const prim_spmv_args *args)
    {
        const prim_sparse *m = &args->matrix;
        if (m->rows == 0)
            return cudaSuccess;
        const problem<V, X, Offset> a = {make_plan<Offset>(args),
                                         make_entries<V, X>(args, m->column_indices, m->values)};
        if (a.of.x == nullptr)
            return launch_scale<X>(args);
        const unsigned blocks = static_cast<unsigned>(a.p.tiles);
        const cudaError_t error =
            prim_launch({args->call.stream, blocks_for(a.p.tiles + 1, THREADS), THREADS},
                        find_tiles<Offset>, a.p);
        return error == cudaSuccess
                   ? prim_launch_dependent({args->call.stream, blocks, TILE_THREADS},
                                           multiply<V, X, Offset>, a)
                   : error;
    }
};

size_t workspace_bytes(const void *any)
{
    const prim_spmv_args *args = static_cast<const prim_spmv_args *>(any);
    const size_t tiles = tiles_of(&args->matrix);
    if (args->matrix.rows == 0)
        return 0;
    return (tiles + 1) * sizeof(boundary) +
           tiles * (TILE / PIECE) * (2 * sum_bytes(args) + sizeof(unsigned));
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
