/* SELL: a warp for each slice of 32 rows, ELL within the slice.
 *
 *     rows         slices of, here, 2 rows     a slice is as wide as its longest row, so a long
 *     a b c        a d  b e  c ·               row pads 31 others and not the whole matrix;
 *     d e          f g  h ·                    · padding
 *     f h
 *     g            slice_offsets  0  6  10
 *
 * What changed from ELL: less padding. Rows that were sorted by length within groups of sigma rows
 * have even less of it; y is then written by the permutation. What still holds it back: the padding
 * of the longest rows.
 *
 *     a wide slice  ■■■■■■■■■■■■■■■■■■■■■■■    more than 256 columns: pieces of 256 go to blocks of
 *     places        |       |       |          their own, which look for those that begin among
 *     pieces           1       2       3       their 8192 places; a second launch adds up the sums
 *
 * Only the device knows whether there are wide slices. So every product but a small one has the
 * blocks for pieces; in a small one a slice's own block takes its pieces.
 *
 * Work: entries. Steps: a piece, and the pieces of a slice / 8. Bytes: value and column of each
 * entry and each padding, an offset for each slice, y, and x by column.
 * Source: A. Monakov, A. Lokhmotov and A. Avetisyan, Automatically Tuning Sparse Matrix-Vector
 * Multiplication for GPU Architectures, HiPEAC 2010; sigma: M. Kreutzer et al., SIAM J. Sci.
 * Comput. 36 (2014). */
#include "common/block/warp.cuh"
#include "common/kernel/shared.cuh"
#include "common/math/numeric.cuh"
#include "sparse/csr/csr.cuh"
#include "sparse/ell/strip.cuh"
#include "sparse/rows/offsets.cuh"

namespace
{
namespace sell
{

constexpr unsigned SLICE = PRIM_SPARSE_SLICE_ROWS;

/* A block's slices; the columns of a piece, and more than they make a slice wide; the places of a
 * tile, in which one wide slice at most begins, and one goes on. */
constexpr unsigned SLICES = THREADS / SLICE, WIDE = 256, TILE = WIDE * SLICE;

/* Matrices of up to this many places are multiplied by one launch. */
constexpr size_t SMALL = 1 << 15;

/* Blocks that look for pieces, at most. */
constexpr size_t FINDERS = 512;

/* A wide slice that begins in a tile; 0 pieces: none does. */
struct beginning {
    uint32_t slice, pieces;
};

/* What the launches pass on, for each tile. */
template <typename T>
struct piece_sums {
    size_t tiles;        /* 0: one launch does all */
    T (*sums)[2][SLICE]; /* of the piece that goes on in the tile, of the one that begins a slice */
    beginning *beginnings;
};

template <typename V, typename X, typename Offset>
struct slices {
    csr_rows<Offset, V, X> m;
    const int32_t *row_at; /* NULL: each row is at its own place */

    /* A slice's width, in entries of a row. */
    __device__ size_t width(size_t slice) const
    {
        if (slice * SLICE >= m.rows)
            return 0;
        return (static_cast<size_t>(m.offsets[slice + 1]) - static_cast<size_t>(m.offsets[slice])) /
               SLICE;
    }
    __device__ size_t first(size_t slice, unsigned lane) const
    {
        return static_cast<size_t>(m.offsets[slice]) + lane;
    }
    __device__ void store(size_t place, working_t<V> sum) const
    {
        if (place < m.rows)
            m.of.store(row_at != nullptr ? static_cast<size_t>(row_at[place]) : place, sum);
    }
};

/* The sums of `count` columns of a slice, by a block, for each row in a lane of each warp. A warp
 * takes a part of the columns; the parts are added up in order. */
template <typename V, typename X, typename Offset>
__device__ working_t<V> sum_of_columns(const slices<V, X, Offset> &a, size_t slice, size_t begin,
                                       size_t count)
{
    using sums_type = working_t<V>;
    PRIM_SHARED(sums_type, sums, [SLICES][SLICE]);
    const unsigned warp = threadIdx.x / SLICE, lane = threadIdx.x % SLICE;
    const size_t part = (count + SLICES - 1) / SLICES, skipped = warp * part,
                 left = skipped < count ? count - skipped : 0;
    __syncthreads();
    sums[warp][lane] = sum_of_strip(a.m.of, a.first(slice, lane) + (begin + skipped) * SLICE, SLICE,
                                    left < part ? left : part);
    __syncthreads();
    working_t<V> sum = sums[0][lane];
    for (unsigned w = 1; w < SLICES; w++)
        sum = add(sum, sums[w][lane]);
    return sum;
}

/* ---- pieces ---- */

/* A slice, and its piece that begins in a tile; count 0: there is none. */
struct piece {
    uint32_t slice, index, count; /* `count` columns */
};

struct tile_pieces {
    piece going_on, first;
};

template <typename V, typename X, typename Offset>
__device__ piece piece_of(const slices<V, X, Offset> &a, size_t slice, size_t index)
{
    const size_t width = a.width(slice), begin = index * WIDE;
    const size_t left = width > WIDE && begin < width ? width - begin : 0;
    return {static_cast<uint32_t>(slice), static_cast<uint32_t>(index),
            static_cast<uint32_t>(left < WIDE ? left : WIDE)};
}

/* The pieces that begin in a tile, by a warp; notes what the second launch needs. */
template <typename V, typename X, typename Offset>
__device__ tile_pieces find_pieces(const slices<V, X, Offset> &a, size_t tile,
                                   const piece_sums<working_t<V>> &out)
{
    const offsets_view offsets = {a.m.offsets, sizeof(Offset) == sizeof(int64_t)};
    const size_t count = (a.m.rows + SLICE - 1) / SLICE, begin = tile * TILE;
    const size_t slice = last_offset_up_to_by_warp(offsets, 0, count, begin),
                 last = last_offset_up_to_by_warp(offsets, slice, count - slice, begin + TILE - 1);
    const size_t first = offsets.at(slice);
    tile_pieces found = {};
    if (first < begin)
        found.going_on = piece_of(a, slice, (begin - first + TILE - 1) / TILE);
    if (offsets.at(last) >= begin)
        found.first = piece_of(a, last, 0);
    const size_t pieces = found.first.count > 0 ? (a.width(last) + WIDE - 1) / WIDE : 0;
    if (threadIdx.x % WARP == 0)
        out.beginnings[tile] = {found.first.slice, static_cast<uint32_t>(pieces)};
    return found;
}

/* Each warp looks into one of the block's tiles, which lie apart, so that a slice's pieces go
 * to many blocks; then all threads sum what was found. */
template <typename V, typename X, typename Offset>
__device__ void sum_pieces(const slices<V, X, Offset> &a, unsigned finders,
                           const piece_sums<working_t<V>> &out)
{
    PRIM_SHARED(tile_pieces, found, [SLICES]);
    const unsigned warp = threadIdx.x / WARP;
    for (size_t first = blockIdx.x; first < out.tiles; first += size_t(SLICES) * finders) {
        const size_t mine = first + static_cast<size_t>(warp) * finders;
        __syncthreads();
        const tile_pieces its = mine < out.tiles ? find_pieces(a, mine, out) : tile_pieces{};
        if (threadIdx.x % WARP == 0)
            found[warp] = its;
        __syncthreads();
        for (unsigned t = 0; t < SLICES; t++) {
            const size_t tile = first + static_cast<size_t>(t) * finders;
            for (unsigned begins = 0; begins < 2; begins++) {
                const piece p = begins ? found[t].first : found[t].going_on;
                if (p.count == 0)
                    continue;
                const working_t<V> sum =
                    sum_of_columns(a, p.slice, static_cast<size_t>(p.index) * WIDE, p.count);
                if (threadIdx.x < SLICE)
                    out.sums[tile][begins][threadIdx.x] = sum;
            }
        }
    }
}

/* ---- the product ---- */

/* As many as a multiprocessor holds, where registers allow. */
template <typename V>
[[maybe_unused]] constexpr unsigned BLOCKS_AT_ONCE = sizeof(working_t<V>) > 4 ? 5 : 6;

template <typename V, typename X, typename Offset>
__global__ void __launch_bounds__(THREADS, blocks_at_once(THREADS, BLOCKS_AT_ONCE<V>))
    multiply(slices<V, X, Offset> a, unsigned finders, piece_sums<working_t<V>> out)
{
    if (blockIdx.x < finders) {
        sum_pieces(a, finders, out);
        return;
    }
    const size_t first = static_cast<size_t>(blockIdx.x - finders) * SLICES,
                 mine = first + threadIdx.x / SLICE;
    const unsigned lane = threadIdx.x % SLICE;
    /* Each warp reads the widths of all its block's slices at once. */
    const size_t its = a.m.of.x != nullptr && lane < SLICES ? a.width(first + lane) : 0;
    const unsigned long long all = __shfl_sync(ALL_LANES, static_cast<unsigned long long>(its),
                                               static_cast<int>(threadIdx.x / SLICE));
    const size_t width = all;
    unsigned wide = __ballot_sync(ALL_LANES, its > WIDE);
    if (width <= WIDE)
        a.store(mine * SLICE + lane, width > 0
                                         ? sum_of_strip(a.m.of, a.first(mine, lane), SLICE, width)
                                         : working_t<V>(0));
    if (finders > 0)
        return;
    for (unsigned s = 0; wide != 0; s++, wide >>= 1)
        if ((wide & 1) != 0) {
            const working_t<V> sum = sum_of_columns(a, first + s, 0, a.width(first + s));
            if (threadIdx.x < SLICE)
                a.store((first + s) * SLICE + lane, sum);
        }
}

/* ---- the sums of pieces ---- */

template <typename X>
struct sell_rows {
    size_t rows;
    const int32_t *row_at;
    entries<working_t<X>, X> of;
};

/* A block for 32 tiles: each warp takes every eighth piece of a slice that begins in one of them,
 * a lane for each row; the eight sums are added up in order. */
template <typename X>
__global__ void __launch_bounds__(THREADS) add_pieces(sell_rows<X> y, piece_sums<working_t<X>> in)
{
    using T = working_t<X>;
    PRIM_SHARED(T, sums, [SLICES][SLICE]);
    grid_dependency_synchronize();
    const unsigned warp = threadIdx.x / SLICE, lane = threadIdx.x % SLICE;
    const size_t first = static_cast<size_t>(blockIdx.x) * WARP;
    const bool begins = first + lane < in.tiles && in.beginnings[first + lane].pieces > 0;
    unsigned left = __ballot_sync(ALL_LANES, begins);
    for (size_t tile = first; left != 0; tile++, left >>= 1) {
        if ((left & 1) == 0)
            continue;
        const beginning b = in.beginnings[tile];
        T sum = 0;
        for (size_t p = warp; p < b.pieces; p += SLICES)
            sum = add(sum, in.sums[tile + p][p == 0][lane]);
        __syncthreads();
        sums[warp][lane] = sum;
        __syncthreads();
        for (unsigned w = 1; w < SLICES; w++)
            sum = add(sum, sums[w][lane]);
        const size_t place = static_cast<size_t>(b.slice) * SLICE + lane;
        if (warp == 0 && place < y.rows)
            y.of.store(y.row_at != nullptr ? static_cast<size_t>(y.row_at[place]) : place, sum);
    }
}

/* ---- the launches ---- */

size_t tiles_of(const prim_sparse *m)
{
    return m->rows == 0 || m->entries <= SMALL ? 0 : prim_divide_up(m->entries, TILE);
}

template <typename T>
piece_sums<T> make_piece_sums(const prim_spmv_args *args)
{
    piece_sums<T> p = {};
    p.tiles = tiles_of(&args->matrix);
    p.beginnings = static_cast<beginning *>(args->call.workspace);
    p.sums = reinterpret_cast<T(*)[2][SLICE]>(p.beginnings + p.tiles);
    return p;
}

struct run_product : launch_run {
    template <typename V, typename X, typename Offset>
    static cudaError_t run(const prim_spmv_args *args)
    {
        const prim_sparse *m = &args->matrix;
        if (m->rows == 0)
            return cudaSuccess;
        const slices<V, X, Offset> a = {{static_cast<const Offset *>(m->slice_offsets), m->rows,
                                         make_entries<V, X>(args, m->column_indices, m->values)},
                                        m->permutation};
        piece_sums<working_t<V>> pieces = make_piece_sums<working_t<V>>(args);
        if (a.m.of.x == nullptr) /* nothing is summed */
            pieces.tiles = 0;
        const cudaStream_t stream = args->call.stream;
        const unsigned finders =
            static_cast<unsigned>(pieces.tiles < FINDERS ? pieces.tiles : FINDERS);
        cudaError_t error = prim_launch({stream, finders + blocks_for(m->rows, THREADS), THREADS},
                                        multiply<V, X, Offset>, a, finders, pieces);
        if (error == cudaSuccess && finders > 0)
            error = prim_launch_dependent(
                {stream, blocks_for(pieces.tiles, WARP), THREADS}, add_pieces<X>,
                sell_rows<X>{
                    m->rows, m->permutation, {nullptr, nullptr, a.m.of.x, a.m.of.y, a.m.of.scale}},
                pieces);
        return error;
    }
};

size_t workspace_bytes(const void *any)
{
    const prim_spmv_args *args = static_cast<const prim_spmv_args *>(any);
    return tiles_of(&args->matrix) * (sizeof(beginning) + 2 * SLICE * sum_bytes(args));
}

const char *why_not(const void *any)
{
    const prim_spmv_args *args = static_cast<const prim_spmv_args *>(any);
    return format_why_not(args, PRIM_SPARSE_SELL, dispatch_csr_mixed<is_built>);
}

cudaError_t launch(const void *args)
{
    return dispatch_csr_mixed<run_product>(static_cast<const prim_spmv_args *>(args));
}

} // namespace sell
} // namespace

PRIM_DEFINE_RUNG(spmv, sell) = {
    {PRIM_SPMV_SELL, "sell", "SELL, a warp for each slice of 32 rows, ELL within the slice"},
    sell::why_not,
    sell::workspace_bytes,
    sell::launch};
