/* Rows by length, a merge sort of each window of sigma rows, the longest first.
 *
 *     lengths    3 1 | 4 1 || 5 9 | 2 6         runs of 1, 2, 4, …: a row's place among the rows of
 *     by 2       3 1 | 4 1 || 9 5 | 6 2         two runs is its place in its own, and the number of
 *     by 4       4 3 1 1   || 9 6 5 2           rows before it in the other, by binary search
 *
 * A block sorts 1024 rows in shared memory, or as many whole windows as fit there. In larger
 * windows a launch merges each pair of runs: log2(sigma / 1024) launches. Rows of one length keep
 * their order: those of the first run come first.
 *
 * Work: rows, times log2(sigma)² / 2. Bytes: offsets and the permutation once; for each launch that
 * merges, the permutation twice, and offsets by row. */
#include "sparse/sort/order.h"

#include "common/host/sizes.h"
#include "common/kernel/shared.cuh"
#include "common/kernel/unroll.cuh"
#include "sparse/launches.cuh"
#include "sparse/rows/offsets.cuh"

namespace
{
namespace order
{

constexpr unsigned EACH = 4, CHUNK = THREADS * EACH;

/* Where item i goes when runs, of a power of two, of a window's `count` items are merged in pairs:
 * the largest keys first, and of equal ones those of the first run. */
template <typename Index, class Keys>
__device__ Index merged_place(const Keys &key_of, Index i, Index run, Index count)
{
    const Index begin = i & ~(2 * run - 1), middle = begin + run < count ? begin + run : count,
                end = middle + run < count ? middle + run : count;
    const bool in_first = i < middle;
    const uint64_t mine = key_of(i), more = in_first ? 0 : 1;
    const Index other = in_first ? middle : begin;
    Index first = other, left = (in_first ? end : middle) - other;
    while (left > 0) {
        const Index half = left / 2;
        const bool is_before = key_of(first + half) + more > mine;
        first += is_before ? half + 1 : 0;
        left = is_before ? left - half - 1 : half;
    }
    return i - (in_first ? 0 : middle - begin) + (first - other);
}

/* ---- in shared memory ---- */

/* A block's rows: as many whole windows as fit, or a part of one. */
struct chunks {
    size_t rows, sigma;
    size_t of_window; /* chunks; 0: a chunk has several windows */
    size_t of_chunk;  /* rows */

    size_t count() const
    {
        return of_window > 0 ? prim_divide_up(rows, sigma) * of_window
                             : prim_divide_up(rows, of_chunk);
    }
    __device__ size_t first(size_t chunk) const
    {
        return of_window > 0 ? chunk / of_window * sigma + chunk % of_window * of_chunk
                             : chunk * of_chunk;
    }
    __device__ size_t end(size_t chunk) const
    {
        const size_t window = of_window > 0 ? (chunk / of_window + 1) * sigma : rows,
                     end = first(chunk) + of_chunk, last = window < rows ? window : rows;
        return end < last ? end : last;
    }
};

/* A row's length, and after it how far the row is from the chunk's end, so that it needs no place
 * of its own. No row has 2^54 entries. */
constexpr unsigned ROW_BITS = 10;
static_assert(CHUNK == 1u << ROW_BITS, "a row of a chunk fits");

__device__ inline uint64_t make_key(uint64_t length, unsigned row)
{
    return length << ROW_BITS | (CHUNK - 1 - row);
}

__device__ inline unsigned row_of_key(uint64_t key)
{
    return CHUNK - 1 - static_cast<unsigned>(key & (CHUNK - 1));
}

__global__ void __launch_bounds__(THREADS)
    sort_chunks(offsets_view offsets, chunks c, int32_t *permutation)
{
    PRIM_SHARED(uint64_t, keys, [CHUNK]);
    const size_t first = c.first(blockIdx.x), end = c.end(blockIdx.x);
    const unsigned count = first < end ? static_cast<unsigned>(end - first) : 0,
                   window = static_cast<unsigned>(c.sigma < CHUNK ? c.sigma : CHUNK);
    for (unsigned i = threadIdx.x; i < count; i += THREADS)
        keys[i] = make_key(offsets.at(first + i + 1) - offsets.at(first + i), i);
    __syncthreads();
    for (unsigned run = 1; run < window; run *= 2) {
        uint64_t moved[EACH];
        unsigned places[EACH];
        PRIM_UNROLL(4)
        for (unsigned e = 0; e < EACH; e++) {
            const unsigned i = e * THREADS + threadIdx.x, begin = i - i % window;
            if (i >= count)
                continue;
            const uint64_t *const of_window = keys + begin;
            const auto key_of = [of_window](unsigned w) { return of_window[w]; };
            const unsigned left = count - begin;
            places[e] = begin + merged_place(key_of, i - begin, run, left < window ? left : window);
            moved[e] = keys[i];
        }
        __syncthreads();
        PRIM_UNROLL(4)
        for (unsigned e = 0; e < EACH; e++)
            if (e * THREADS + threadIdx.x < count)
                keys[places[e]] = moved[e];
        __syncthreads();
    }
    for (unsigned i = threadIdx.x; i < count; i += THREADS)
        permutation[first + i] = static_cast<int32_t>(first + row_of_key(keys[i]));
}

/* ---- in larger windows ---- */

__global__ void __launch_bounds__(THREADS)
    merge_runs(offsets_view offsets, chunks c, size_t run, const int32_t *from, int32_t *to)
{
    const size_t place = this_thread(), begin = place - place % c.sigma,
                 count = c.rows - begin < c.sigma ? c.rows - begin : c.sigma;
    if (place >= c.rows)
        return;
    const auto length_of = [&](size_t w) {
        const size_t row = static_cast<size_t>(from[begin + w]);
        return offsets.at(row + 1) - offsets.at(row);
    };
    to[begin + merged_place(length_of, place - begin, run, count)] = from[place];
}

/* A window of more than all rows is one of all rows. */
chunks chunks_of(size_t rows, size_t sigma)
{
    const size_t window = sigma < rows ? sigma : rows;
    if (window < CHUNK)
        return {rows, window, 0, window > 0 ? CHUNK / window * window : CHUNK};
    return {rows, window, prim_divide_up(window, CHUNK), CHUNK};
}

unsigned merges_of(const chunks &c)
{
    unsigned merges = 0;
    for (size_t run = CHUNK; run < c.sigma; run *= 2)
        merges++;
    return merges;
}

} // namespace order
} // namespace

size_t prim_sparse_order_bytes(size_t rows, size_t sigma)
{
    using namespace order;
    return merges_of(chunks_of(rows, sigma)) > 0 ? rows * sizeof(int32_t) : 0;
}

/* The two arrays take turns, so that the last merge writes the permutation. */
cudaError_t prim_sparse_sort_rows(cudaStream_t stream, const prim_sparse_order *o)
{
    using namespace order;
    const chunks c = chunks_of(o->csr->rows, o->sigma);
    const offsets_view offsets = offsets_of(o->csr);
    const unsigned merges = merges_of(c);
    int32_t *from = merges % 2 == 0 ? o->permutation : o->room,
            *to = merges % 2 == 0 ? o->room : o->permutation;
    launches l = {stream};
    l.then(c.rows > 0 ? c.count() * THREADS : 0, sort_chunks, offsets, c, from);
    for (size_t run = CHUNK; run < c.sigma; run *= 2) {
        l.then(c.rows, merge_runs, offsets, c, run, from, to);
        int32_t *const merged = to;
        to = from;
        from = merged;
    }
    return l.error;
}
