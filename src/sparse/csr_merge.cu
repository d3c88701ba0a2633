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

/* Knobs of the sweep. */
#ifndef CSR_TILE
#define CSR_TILE 3072
#endif
#ifndef CSR_BLOCKS
#define CSR_BLOCKS 5
#endif
#ifndef CSR_GATHER /* 0: by rows; 1: by entries; 2: whichever suits the tile; 3: by entries, from registers */
#define CSR_GATHER 0
#endif
#ifndef CSR_SPREAD /* in quarters */
#define CSR_SPREAD 8
#endif
#ifndef CSR_LANES /* 0: whichever suits the tile */
#define CSR_LANES 0
#endif
#ifndef CSR_ENOUGH /* quarters of the threads that have rows */
#define CSR_ENOUGH 3
#endif
#ifndef CSR_S1 /* entries of a lane that are under way at once, if it has a row, a half, a quarter */
#define CSR_S1 8
#endif
#ifndef CSR_S2
#define CSR_S2 8
#endif
#ifndef CSR_S4
#define CSR_S4 8
#endif
#ifndef CSR_ROWS /* short rows of a lane at once */
#define CSR_ROWS 1
#endif
#ifndef CSR_WIDE
#define CSR_WIDE 4
#endif
#ifndef CSR_EACH
#define CSR_EACH 8
#endif
#ifndef CSR_FIND /* 0: search by a launch before; 1: by the block; 2: rows tell the tiles */
#define CSR_FIND 0
#endif
#ifndef CSR_TICKET /* 0: all acquire; 1: the last one does; 2: relaxed loads */
#define CSR_TICKET 2
#endif
#ifndef CSR_DIRECT /* tiles with rows of fewer entries on average: nothing is staged */
#define CSR_DIRECT 0
#endif
#ifndef CSR_SMALL
#define CSR_SMALL 32768
#endif
#ifndef CSR_SMALL_ROWS
#define CSR_SMALL_ROWS 64
#endif
#ifndef CSR_SMALL_BLOCKS
#define CSR_SMALL_BLOCKS 1
#endif

constexpr unsigned TILE = CSR_TILE, PIECE = 512; /* keys; entries of a long row */
constexpr unsigned WARPS = TILE_THREADS / WARP;
constexpr unsigned WIDE_BATCH = CSR_WIDE, EACH = CSR_EACH;
static_assert(TILE % PIECE == 0, "pieces are numbered by 512 keys");

[[maybe_unused]] constexpr unsigned BLOCKS_AT_ONCE = CSR_BLOCKS; /* on a multiprocessor */

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

/* The first row whose key is not less. Rows are expected to be of equal length: the guess and its
 * surroundings are looked at, and the middle, so that half is gone in any case. */
template <typename Offset>
__device__ size_t first_row(const plan<Offset> &p, size_t key)
{
    size_t first = 0, last = p.rows, first_key = 0, last_key = p.entries + p.rows;
    while (first < last) {
        const size_t width = last - first;
        size_t probes[3] = {first + width / 2, first + width / 2, first + width / 2}, keys[3];
        const float share = key <= first_key ? 0.0f
                                             : static_cast<float>(key - first_key) /
                                                   static_cast<float>(last_key - first_key);
        const size_t steps = static_cast<size_t>(share * static_cast<float>(width)),
                     guess = first + (steps < width ? steps : width - 1), around = width / 64 + 1;
        probes[1] = guess - first < around ? first : guess - around;
        probes[2] = last - guess <= around ? last - 1 : guess + around;
        PRIM_UNROLL(3)
        for (unsigned i = 0; i < 3; i++)
            keys[i] = p.key(probes[i]);
        PRIM_UNROLL(3)
        for (unsigned i = 0; i < 3; i++) {
            if (keys[i] < key && probes[i] >= first) {
                first = probes[i] + 1;
                first_key = keys[i] + 1;
            } else if (keys[i] >= key && probes[i] < last) {
                last = probes[i];
                last_key = keys[i];
            }
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

#if CSR_FIND == 2
constexpr unsigned FINDERS = 256;
#else
constexpr unsigned FINDERS =
    64; /* threads of a block: few, so that all multiprocessors have some */
#endif

template <typename Offset>
__global__ void __launch_bounds__(FINDERS) find_tiles(plan<Offset> p)
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

/* Each row tells the tiles that begin behind the row before it, up to itself. */
template <typename Offset>
__global__ void __launch_bounds__(FINDERS) tell_tiles(plan<Offset> p)
{
    trigger_launch_completion();
    const size_t row = this_thread();
    if (row < p.tiles * (TILE / PIECE))
        p.tickets[row] = 0;
    if (row > p.rows)
        return;
    const size_t key = p.key(row);
    size_t tile = row == 0 ? 0 : p.key(row - 1) / TILE + 1;
    const size_t end = row == p.rows ? p.tiles + 1 : key / TILE + 1;
    for (; tile < end; tile++)
        p.boundaries[tile] = {static_cast<int64_t>(first_entry(p, row, tile * TILE)),
                              static_cast<int32_t>(row)};
}

/* The first row whose key is not less, by a warp. */
template <typename Offset>
__device__ boundary boundary_by_warp(const plan<Offset> &p, size_t tile)
{
    if (tile == p.tiles)
        return {static_cast<int64_t>(p.entries), static_cast<int32_t>(p.rows)};
    const size_t key = tile * TILE;
    size_t first = 0, last = p.rows;
    while (first < last) {
        const size_t step = (last - first + WARP - 1) / WARP,
                     probe = first + (threadIdx.x % WARP + 1) * step - 1;
        const unsigned less = __ballot_sync(ALL_LANES, probe < last && p.key(probe) < key);
        const unsigned steps = less == 0 ? 0 : WARP - leading_zeros(less);
        first += steps * step;
        last = last - first < step ? last : first + step - 1;
        if (steps == WARP)
            last = first;
    }
    first = first < p.rows ? first : p.rows;
    return {static_cast<int64_t>(first_entry(p, first, key)), static_cast<int32_t>(first)};
}

template <typename Offset>
cudaError_t launch_find(const prim_spmv_args *args, const plan<Offset> &p)
{
#if CSR_FIND == 1
    return cudaMemsetAsync(p.tickets, 0, p.tiles * (TILE / PIECE) * sizeof(unsigned),
                           args->call.stream);
#elif CSR_FIND == 2
    const size_t groups = p.tiles * (TILE / PIECE), threads = groups > p.rows ? groups : p.rows + 1;
    return prim_launch({args->call.stream, blocks_for(threads, FINDERS), FINDERS},
                       tell_tiles<Offset>, p);
#else
    return prim_launch({args->call.stream, blocks_for(p.tiles + 1, FINDERS), FINDERS},
                       find_tiles<Offset>, p);
#endif
}

/* ---- a tile ---- */

template <typename V, typename X, typename Offset>
struct problem {
    plan<Offset> p;
    entries<V, X> of;
};

/* Entries and rows of a tile that are staged: its keys, and what a row of at most 64 entries has
 * behind them. A longer one that does not fit is read where it lies. */
constexpr unsigned STAGED = TILE + MIDDLE_ROW;

/* A row of more than 64 entries, or a piece of a long one. */
struct strip {
    uint16_t begin, length, row; /* row 0 is the one before the tile */
    uint16_t is_piece;
};

struct list {
    unsigned count;
    strip strips[TILE / MIDDLE_ROW + TILE / PIECE + 2];
};

template <typename V>
struct room {
    static constexpr unsigned BYTES =
        STAGED * (sizeof(int32_t) + sizeof(V)) + 4 * VECTOR_BYTES + sizeof(uint16_t);

    alignas(16) unsigned char bytes[(BYTES + 15) / 16 * 16];
    unsigned kinds[WARPS]; /* of rows that each warp has seen */
    boundary found[2];
    list strips;
};

/* Kinds of rows, as bits: bit k stands for lengths of more than 2^(k-1) up to 2^k entries, the
 * lowest for less, the highest for more than a piece. */
constexpr unsigned SHORT = 0x00f, MIDDLE = 0x070, WIDE = 0x780, LONG = 0x400;

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

/* What a block knows of a tile. */
struct tile {
    size_t first_row, first_entry, end_key;
    unsigned rows, entries;
};

/* Its arrays, in shared memory or where they lie. */
template <typename V>
struct staged_tile {
    int32_t *columns;
    const V *values;
    uint16_t *begins; /* rows + 1, from the tile's first entry on */
    unsigned count;   /* of entries that are there */
};

__device__ inline tile make_tile(const boundary &from, const boundary &to, size_t number)
{
    return {static_cast<size_t>(from.row), static_cast<size_t>(from.entry), (number + 1) * TILE,
            static_cast<unsigned>(to.row - from.row), static_cast<unsigned>(to.entry - from.entry)};
}

template <typename V, typename X, typename Offset>
__device__ staged_tile<V> stage_tile(const problem<V, X, Offset> &a, const tile &t, room<V> &r)
{
    const unsigned fit = STAGED - t.rows, count = t.entries < fit ? t.entries : fit;
    unsigned char *const for_values = r.bytes + staged_bytes<int32_t>(count), *const begins =
                                                                                  for_values +
                                                                                  staged_bytes<V>(
                                                                                      count);
    return {stage(r.bytes, a.of.columns + t.first_entry, count),
            stage(for_values, a.of.values + t.first_entry, count),
            reinterpret_cast<uint16_t *>(begins), count};
}

__device__ inline void push(list *l, strip s)
{
    l->strips[atomicAdd(&l->count, 1u)] = s;
}

/* The pieces of a long row that begin in the tile, from entry `from` on. */
template <typename Offset>
__device__ void push_pieces(const plan<Offset> &p, const tile &t, list *l, unsigned row,
                            size_t from, size_t end)
{
    for (size_t e = from; e < end && e + t.first_row + row - 1 < t.end_key; e += PIECE)
        push(l, {static_cast<uint16_t>(e - t.first_entry),
                 static_cast<uint16_t>(end - e < PIECE ? end - e : PIECE),
                 static_cast<uint16_t>(row), 1});
}

/* While the entries are on their way: where rows begin, and what kinds there are. Of a row that
 * goes on behind the tile, the end is only known to be further than a piece. */
template <typename Offset>
__device__ void note_rows(const plan<Offset> &p, const tile &t, uint16_t *begins,
                          unsigned *kinds_of_warps, list *l)
{
    unsigned kinds = 0;
    if (l != nullptr && threadIdx.x == 0 && t.first_entry < p.offset(t.first_row)) {
        kinds = LONG; /* the row before has a piece here */
        push_pieces(p, t, l, 0, t.first_entry, p.offset(t.first_row));
    }
    PRIM_UNROLL(4)
    for (unsigned row = threadIdx.x; row < t.rows; row += TILE_THREADS) {
        const size_t begin = p.offset(t.first_row + row),
                     length = p.offset(t.first_row + row + 1) - begin;
        const unsigned at = static_cast<unsigned>(begin - t.first_entry),
                       known = length <= PIECE ? static_cast<unsigned>(length) : PIECE + 1;
        begins[row] = static_cast<uint16_t>(at);
        if (row + 1 == t.rows)
            begins[row + 1] = static_cast<uint16_t>(at + known);
        kinds |= kind_of(known);
        if (l != nullptr && known > PIECE)
            push_pieces(p, t, l, row + 1, begin, begin + length);
        else if (l != nullptr && known > MIDDLE_ROW)
            push(l, {static_cast<uint16_t>(at), static_cast<uint16_t>(known),
                     static_cast<uint16_t>(row + 1), 0});
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
    for (unsigned w = 0; w < WARPS; w++)
        kinds |= kinds_of_warps[w];
    return kinds;
}

/* AT_ONCE rows of a lane are under way at once. */
template <typename V, typename X, typename Offset, class Find>
__device__ void sum_short(const problem<V, X, Offset> &a, const tile &t, const staged_tile<V> &s,
                          const Find &x)
{
    constexpr unsigned AT_ONCE = CSR_ROWS;
    using T = working_t<V>;
    for (unsigned first = threadIdx.x; first < t.rows; first += AT_ONCE * TILE_THREADS) {
        unsigned begin[AT_ONCE], length[AT_ONCE];
        T of_x[AT_ONCE][SHORT_ROW] = {}, value[AT_ONCE][SHORT_ROW] = {};
        PRIM_UNROLL(AT_ONCE)
        for (unsigned r = 0; r < AT_ONCE; r++) {
            const unsigned row = first + r * TILE_THREADS;
            begin[r] = row < t.rows ? s.begins[row] : 0;
            length[r] = row < t.rows ? s.begins[row + 1] - begin[r] : SHORT_ROW + 1;
        }
        PRIM_UNROLL(AT_ONCE)
        for (unsigned r = 0; r < AT_ONCE; r++)
            if (length[r] <= SHORT_ROW)
                load_terms(s.columns + begin[r], s.values + begin[r], x, length[r], 0u, of_x[r],
                           value[r]);
        PRIM_UNROLL(AT_ONCE)
        for (unsigned r = 0; r < AT_ONCE; r++) {
            T sum[1] = {};
            add_terms(s.values + begin[r], length[r], 0u, of_x[r], value[r], sum);
            if (length[r] <= SHORT_ROW)
                a.of.store(t.first_row + first + r * TILE_THREADS, sum[0]);
        }
    }
}

template <unsigned LANES, typename V, typename X, typename Offset, class Find>
__device__ void sum_middle(const problem<V, X, Offset> &a, const tile &t, const staged_tile<V> &s,
                           const Find &x)
{
    constexpr unsigned AT_ONCE = LANES == 1 ? CSR_S1 : LANES == 2 ? CSR_S2 : CSR_S4;
    const unsigned lane = threadIdx.x % LANES;
    for (unsigned first = threadIdx.x / WARP * (WARP / LANES); first < t.rows;
         first += TILE_THREADS / LANES) {
        const unsigned row = first + threadIdx.x % WARP / LANES;
        unsigned begin = 0, length = 0;
        if (row < t.rows) {
            begin = s.begins[row];
            length = s.begins[row + 1] - begin;
        }
        const bool mine = length > SHORT_ROW && length <= MIDDLE_ROW;
        working_t<V> sum = sum_of_lane<MIDDLE_PARTS, LANES, AT_ONCE>(
            s.columns + begin, s.values + begin, x, mine ? length : 0, lane);
        sum = reduce_warp<sum_operator>(sum, LANES);
        if (lane == 0 && mine)
            a.of.store(t.first_row + row, sum);
    }
}

/* From L2: no old one is found in the first cache. */
template <typename T>
__device__ T load_piece(const T *piece)
{
#if CSR_TICKET == 2 && defined(__CUDA_ARCH__)
    return __ldcg(piece);
#else
    return *piece;
#endif
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
#if CSR_TICKET == 0 || defined(SIMT_BACKEND)
        last = take_ticket_behind(&a.p.tickets[group]) + 1 == pieces;
#else
        last = __nv_atomic_fetch_add(&a.p.tickets[group], 1u, __NV_ATOMIC_RELEASE,
                                     __NV_THREAD_SCOPE_DEVICE) +
                   1 ==
               pieces;
#endif
    }
    if (__shfl_sync(ALL_LANES, static_cast<int>(last), 0) == 0)
        return;
#if CSR_TICKET == 1
    __threadfence();
#endif
    __syncwarp();
    T total = 0;
    PRIM_UNROLL(8)
    for (size_t p = lane; p < pieces; p += WARP)
        total = add(total, load_piece(p == 0 ? first : &later[p]));
    total = reduce_warp<sum_operator>(total);
    if (lane == 0)
        a.of.store(row, total);
}

/* A strip: a row of more than 64 entries, or a piece of a long one. By a warp, wherever it lies. */
template <typename V, typename X, typename Offset, class Find>
__device__ working_t<V> sum_strip(const problem<V, X, Offset> &a, const tile &t,
                                  const staged_tile<V> &s, const Find &x, unsigned begin,
                                  unsigned length)
{
    const unsigned lane = threadIdx.x % WARP;
    working_t<V> sum = 0;
    if (begin + length <= s.count)
        sum = sum_of_lane<WARP, WARP, WIDE_BATCH>(s.columns + begin, s.values + begin, x, length,
                                                  lane);
    else
        sum = sum_of_lane<WARP, WARP, WIDE_BATCH>(a.of.columns + t.first_entry + begin,
                                                  a.of.values + t.first_entry + begin,
                                                  x_by_column<X>{a.of.x}, length, lane);
    return reduce_warp<sum_operator>(sum);
}

/* All strips of the tile, by the warps in turn. */
template <typename V, typename X, typename Offset, class Find>
__device__ void sum_strips(const problem<V, X, Offset> &a, const tile &t, const staged_tile<V> &s,
                           const Find &x, const list &l)
{
    const unsigned count = l.count;
    for (unsigned i = threadIdx.x / WARP; i < count; i += WARPS) {
        const strip of = l.strips[i];
        const working_t<V> sum = sum_strip(a, t, s, x, of.begin, of.length);
        const size_t row = t.first_row + of.row - 1;
        if (of.is_piece != 0)
            finish_piece(a, row, t.first_entry + of.begin, sum, threadIdx.x % WARP);
        else if (threadIdx.x % WARP == 0)
            a.of.store(row, sum);
    }
}

/* All pieces of a long row by this block alone. */
template <typename V, typename X, typename Offset>
__device__ void sum_alone(const problem<V, X, Offset> &a, const tile &t, const staged_tile<V> &s,
                          size_t row, working_t<V> *sums)
{
    const unsigned begin = static_cast<unsigned>(a.p.offset(row) - t.first_entry),
                   length = static_cast<unsigned>(a.p.offset(row + 1) - t.first_entry) - begin,
                   pieces = (length + PIECE - 1) / PIECE, lane = threadIdx.x % WARP;
    for (unsigned piece = threadIdx.x / WARP; piece < pieces; piece += WARPS) {
        const unsigned left = length - piece * PIECE;
        const working_t<V> sum = sum_strip(a, t, s, x_by_column<X>{a.of.x}, begin + piece * PIECE,
                                           left < PIECE ? left : PIECE);
        if (lane == 0)
            sums[piece] = sum;
    }
    __syncthreads();
    if (threadIdx.x < WARP) {
        working_t<V> total = 0;
        for (unsigned piece = lane; piece < pieces; piece += WARP)
            total = add(total, sums[piece]);
        total = reduce_warp<sum_operator>(total);
        if (lane == 0)
            a.of.store(row, total);
    }
    __syncthreads();
}

/* Each warp looks for all of them, and takes its turns. */
template <typename V, typename X, typename Offset, class Find>
__device__ void sum_wide(const problem<V, X, Offset> &a, const tile &t, const staged_tile<V> &s,
                         const Find &x, working_t<V> *sums)
{
    unsigned turn = 0;
    for (unsigned first = 0; first < t.rows; first += WARP) {
        const unsigned row = first + threadIdx.x % WARP;
        const unsigned begin = row < t.rows ? s.begins[row] : 0,
                       length = row < t.rows ? s.begins[row + 1] - begin : 0;
        for (unsigned wide = __ballot_sync(ALL_LANES, length > MIDDLE_ROW); wide != 0;
             wide &= wide - 1) {
            const unsigned lane = lowest_bit(wide);
            const unsigned at = __shfl_sync(ALL_LANES, begin, static_cast<int>(lane)),
                           its = __shfl_sync(ALL_LANES, length, static_cast<int>(lane));
            const size_t number = t.first_row + first + lane;
            if (its > PIECE) {
                sum_alone(a, t, s, number, sums);
            } else if (turn++ % WARPS == threadIdx.x / WARP) {
                const working_t<V> sum = sum_strip(a, t, s, x, at, its);
                if (threadIdx.x % WARP == 0)
                    a.of.store(number, sum);
            }
        }
    }
}

/* As few lanes a row as leave no threads without one: neighbours then read neighbouring x. */
template <typename V, typename X, typename Offset, class Find>
__device__ void sum_rows(const problem<V, X, Offset> &a, const tile &t, const staged_tile<V> &s,
                         const Find &x, unsigned kinds, const list *l, working_t<V> *sums)
{
    if (l != nullptr && (kinds & WIDE) != 0)
        sum_strips(a, t, s, x, *l);
    if ((kinds & SHORT) != 0)
        sum_short(a, t, s, x);
    if ((kinds & MIDDLE) != 0) {
        constexpr unsigned ENOUGH = TILE_THREADS / 4 * CSR_ENOUGH;
        const unsigned lanes = CSR_LANES != 0         ? CSR_LANES
                               : t.rows >= ENOUGH     ? 1
                               : t.rows * 2 >= ENOUGH ? 2
                                                      : 4;
        if (lanes == 1)
            sum_middle<1>(a, t, s, x);
        else if (lanes == 2)
            sum_middle<2>(a, t, s, x);
        else
            sum_middle<4>(a, t, s, x);
    }
    if (l == nullptr && (kinds & WIDE) != 0)
        sum_wide(a, t, s, x, sums);
}

/* Would neighbouring lanes, with a row each, wait for much longer ones? */
template <typename V>
__device__ bool rows_are_unlike(const tile &t, const staged_tile<V> &s, unsigned kinds)
{
    const unsigned lines = kinds & (SHORT | MIDDLE);
    return lines != 0 && (t.rows << highest_bit(lines)) * 4 > CSR_SPREAD * s.count;
}

template <typename V, typename X, typename Offset>
__device__ void sum_tile(const problem<V, X, Offset> &a, const tile &t, const staged_tile<V> &s,
                         unsigned kinds, const list *l)
{
    using T = working_t<V>;
    if constexpr ((CSR_GATHER == 1 || CSR_GATHER == 2) && sizeof(T) == sizeof(int32_t)) {
        if (CSR_GATHER == 1 || rows_are_unlike(t, s, kinds)) {
            gather<EACH>(s.columns, s.count, a.of.x);
            __syncthreads();
            sum_rows(a, t, s, x_in_place<T>{}, kinds, l, static_cast<T *>(nullptr));
            return;
        }
    }
    sum_rows(a, t, s, x_by_column<X>{a.of.x}, kinds, l, static_cast<T *>(nullptr));
}

template <typename V, typename X, typename Offset>
__device__ void multiply_direct(const problem<V, X, Offset> &a, const tile &t, room<V> &r)
{
    const staged_tile<V> s = {const_cast<int32_t *>(a.of.columns) + t.first_entry,
                              a.of.values + t.first_entry, reinterpret_cast<uint16_t *>(r.bytes),
                              ~0u};
    note_rows(a.p, t, s.begins, r.kinds, &r.strips);
    __syncthreads();
    sum_rows(a, t, s, x_by_column<X>{a.of.x}, kinds_of_tile(r.kinds), &r.strips,
             static_cast<working_t<V> *>(nullptr));
}

/* Columns go through registers, and x arrives in shared memory. */
template <typename V, typename X, typename Offset>
__device__ void multiply_gathered(const problem<V, X, Offset> &a, const tile &t, room<V> &r)
{
    const unsigned fit = STAGED - t.rows, count = t.entries < fit ? t.entries : fit;
    unsigned char *const for_values = r.bytes + staged_bytes<int32_t>(count), *const begins =
                                                                                  for_values +
                                                                                  staged_bytes<V>(
                                                                                      count);
    staged_tile<V> s = {nullptr, stage(for_values, a.of.values + t.first_entry, count),
                        reinterpret_cast<uint16_t *>(begins), count};
    columns_in_registers<EACH> c = load_columns<EACH>(a.of.columns + t.first_entry, count, 0);
    note_rows(a.p, t, s.begins, r.kinds, &r.strips);
    s.columns = put_x(r.bytes, c, a.of.columns + t.first_entry, count, a.of.x);
    wait_for_copies();
    __syncthreads();
    sum_rows(a, t, s, x_in_place<working_t<V>>{}, kinds_of_tile(r.kinds), &r.strips,
             static_cast<working_t<V> *>(nullptr));
}

template <typename V, typename X, typename Offset>
__device__ tile this_tile(const problem<V, X, Offset> &a, room<V> &r)
{
    const size_t number = blockIdx.x;
#if CSR_FIND == 1
    for (unsigned w = threadIdx.x / WARP; w < 2; w += WARPS) {
        const boundary b = boundary_by_warp(a.p, number + w);
        if (threadIdx.x % WARP == 0)
            r.found[w] = b;
    }
    __syncthreads();
    return make_tile(r.found[0], r.found[1], number);
#else
    (void)r;
    return make_tile(a.p.boundaries[number], a.p.boundaries[number + 1], number);
#endif
}

template <typename V, typename X, typename Offset>
__global__ void __launch_bounds__(TILE_THREADS, blocks_at_once(TILE_THREADS, BLOCKS_AT_ONCE))
    multiply(problem<V, X, Offset> a)
{
    PRIM_SHARED(room<V>, r, );
    if (threadIdx.x == 0)
        r.strips.count = 0;
    __syncthreads();
    grid_dependency_synchronize();
    const tile t = this_tile(a, r);
    if constexpr (CSR_DIRECT != 0) {
        if (t.entries <= CSR_DIRECT * t.rows) {
            multiply_direct(a, t, r);
            return;
        }
    }
    if constexpr (CSR_GATHER == 3 && sizeof(working_t<V>) == sizeof(int32_t)) {
        multiply_gathered(a, t, r);
        return;
    }
    const staged_tile<V> s = stage_tile(a, t, r);
    note_rows(a.p, t, s.begins, r.kinds, &r.strips);
    wait_for_copies();
    __syncthreads();
    sum_tile(a, t, s, kinds_of_tile(r.kinds), &r.strips);
}

/* ---- small matrices ---- */

/* Blocks of as many rows each, which need not look for where they begin: entries are read where
 * they lie, and no block has so many that others should help. */
constexpr size_t SMALL = CSR_SMALL;
constexpr unsigned SMALL_ROWS = CSR_SMALL_ROWS;
constexpr size_t SMALL_PIECES = (SMALL < 65536 ? SMALL : 65536) / PIECE + 1;

template <typename V, typename X, typename Offset>
__global__ void __launch_bounds__(TILE_THREADS, CSR_SMALL_BLOCKS)
    multiply_small(problem<V, X, Offset> a)
{
    using T = working_t<V>;
    PRIM_SHARED(T, sums, [SMALL_PIECES]);
    PRIM_SHARED(uint16_t, begins, [SMALL_ROWS + 1]);
    PRIM_SHARED(unsigned, kinds, [WARPS]);
    const size_t first = static_cast<size_t>(blockIdx.x) * SMALL_ROWS;
    const tile t = {
        first, a.p.offset(first), 0,
        static_cast<unsigned>(a.p.rows - first < SMALL_ROWS ? a.p.rows - first : SMALL_ROWS), 0};
    const staged_tile<V> s = {const_cast<int32_t *>(a.of.columns) + t.first_entry,
                              a.of.values + t.first_entry, begins, ~0u};
    note_rows(a.p, t, begins, kinds, nullptr);
    __syncthreads();
    sum_rows(a, t, s, x_by_column<X>{a.of.x}, kinds_of_tile(kinds), nullptr,
             static_cast<T *>(sums));
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
        const problem<V, X, Offset> a = {make_plan<Offset>(args),
                                         make_entries<V, X>(args, m->column_indices, m->values)};
        if (a.of.x == nullptr)
            return launch_scale<X>(args);
        if (is_small(m))
            return prim_launch({args->call.stream, blocks_for(m->rows, SMALL_ROWS), TILE_THREADS},
                               multiply_small<V, X, Offset>, a);
        const unsigned blocks = static_cast<unsigned>(a.p.tiles);
#if defined(CSR_CARVE) && !defined(SIMT_BACKEND)
        static const cudaError_t carved = cudaFuncSetAttribute(
            multiply<V, X, Offset>, cudaFuncAttributePreferredSharedMemoryCarveout, CSR_CARVE);
        if (carved != cudaSuccess)
            return carved;
#endif
        const cudaError_t error = launch_find(args, a.p);
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
    if (args->matrix.rows == 0 || is_small(&args->matrix))
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
