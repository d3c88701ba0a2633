/* prim_sparse_transpose(): a stable radix sort of the entries by their columns.
 *
 *     columns   2 0 1 2 | 0 2 1 0      tiles of, here, 4 entries; 8 bits of the columns at a time
 *     counts    0: 1 | 2   1: 1 | 1   2: 2 | 1         how many of each digit a tile has
 *     begins    0: 0 | 1   1: 3 | 4   2: 5 | 7         digit by digit, and tile by tile in each
 *     sorted    0 0 0 1 1 2 2 2
 *
 * A pass for each 8 bits of the columns moves columns and entry numbers; values are moved once,
 * after the last pass, together with the rows, which a launch has found before. A tile takes 256
 * entries at a time: a lane's rank within its digit is the sum of those of the tile so far, of the
 * warps before, and of the lanes below, by ballots. Nothing depends on timing.
 *
 * Work: entries for each pass. Bytes: for each pass, 20 for each entry and 2 for counts; then a
 * sector of 32 for each value, and one for its row. */
#include "common/shared.cuh"
#include "common/warp.cuh"
#include "sparse/entry_rows.h"
#include "sparse/launches.cuh"
#include "sparse/lines.cuh"
#include "sparse/offsets.cuh"
#include "sparse/sums.h"

namespace
{
namespace transpose
{

constexpr unsigned DIGIT_BITS = 8, DIGITS = 1u << DIGIT_BITS, ROUNDS = 8, TILE = THREADS * ROUNDS;
constexpr unsigned WARPS = THREADS / WARP;
static_assert(DIGITS == THREADS, "a thread looks after a digit");

/* Columns and entry numbers between passes; numbers NULL: entry i has number i. */
struct pairs {
    const int32_t *columns;
    const uint32_t *numbers;
};

struct new_pairs {
    int32_t *columns;
    uint32_t *numbers;
};

__device__ inline unsigned digit_of(int32_t column, unsigned shift)
{
    return static_cast<uint32_t>(column) >> shift & (DIGITS - 1);
}

/* counts[digit · tiles + tile] */
__global__ void __launch_bounds__(THREADS)
    count_digits(const int32_t *columns, size_t entries, unsigned shift, uint64_t *counts)
{
    PRIM_SHARED(unsigned, of_tile, [DIGITS]);
    const size_t first = static_cast<size_t>(blockIdx.x) * TILE + threadIdx.x;
    of_tile[threadIdx.x] = 0;
    __syncthreads();
    for (unsigned r = 0; r < ROUNDS; r++)
        if (first + r * THREADS < entries)
            atomicAdd(&of_tile[digit_of(columns[first + r * THREADS], shift)], 1u);
    __syncthreads();
    counts[static_cast<size_t>(threadIdx.x) * gridDim.x + blockIdx.x] = of_tile[threadIdx.x];
}

/* The lanes that have the same digit, among those that have any. */
__device__ inline unsigned lanes_of_digit(unsigned digit, bool there)
{
    unsigned lanes = __ballot_sync(ALL_LANES, there);
    PRIM_UNROLL(8)
    for (unsigned bit = 0; bit < DIGIT_BITS; bit++) {
        const bool set = (digit >> bit & 1) != 0;
        const unsigned with = __ballot_sync(ALL_LANES, set);
        lanes &= set ? with : ~with;
    }
    return lanes;
}

/* Where the next entry of each digit goes; and for each warp of a round, the number of entries of
 * each digit, then where the first of them goes. */
struct places {
    uint32_t next[DIGITS];
    uint32_t of_warps[WARPS][DIGITS];
};

/* A scan over the warps, one digit for each thread. */
__device__ inline void give_places(places &p)
{
    uint32_t next = p.next[threadIdx.x];
    for (unsigned w = 0; w < WARPS; w++) {
        const uint32_t count = p.of_warps[w][threadIdx.x];
        p.of_warps[w][threadIdx.x] = next;
        next += count;
    }
    p.next[threadIdx.x] = next;
}

__global__ void __launch_bounds__(THREADS)
    place_entries(pairs from, size_t entries, unsigned shift, const int64_t *begins, new_pairs to)
{
    PRIM_SHARED(places, p, );
    const size_t first = static_cast<size_t>(blockIdx.x) * TILE + threadIdx.x;
    const unsigned warp = threadIdx.x / WARP, below = (1u << threadIdx.x % WARP) - 1;
    p.next[threadIdx.x] =
        static_cast<uint32_t>(begins[static_cast<size_t>(threadIdx.x) * gridDim.x + blockIdx.x]);
    for (unsigned r = 0; r < ROUNDS; r++) {
        const size_t e = first + r * THREADS;
        const bool there = e < entries;
        const int32_t column = there ? from.columns[e] : 0;
        const unsigned digit = digit_of(column, shift), lanes = lanes_of_digit(digit, there),
                       rank = count_bits(lanes & below);
        for (unsigned w = 0; w < WARPS; w++)
            p.of_warps[w][threadIdx.x] = 0;
        __syncthreads();
        if (there && rank == 0)
            p.of_warps[warp][digit] = count_bits(lanes);
        __syncthreads();
        give_places(p);
        __syncthreads();
        if (there) {
            const size_t at = p.of_warps[warp][digit] + rank;
            to.columns[at] = column;
            to.numbers[at] = from.numbers != nullptr ? from.numbers[e] : static_cast<uint32_t>(e);
        }
        __syncthreads();
    }
}

__global__ void __launch_bounds__(THREADS)
    find_offsets(const int32_t *columns, size_t entries, size_t rows, new_offsets to)
{
    const size_t row = this_thread();
    if (row <= rows)
        to.put(row, first_entry_of(columns, entries, row));
}

/* The column of an entry of the result is its row in `from`. */
__global__ void __launch_bounds__(THREADS)
    take_entries(const uint32_t *numbers, size_t entries, const int32_t *rows, lines from, lines to)
{
    const size_t e = this_thread();
    if (e >= entries)
        return;
    const uint32_t number = numbers[e];
    to.columns[e] = rows[number];
    move_value(to, e, from.values, number);
}

/* ---- the passes ---- */

unsigned passes_for(size_t columns)
{
    unsigned passes = 1;
    while (passes * DIGIT_BITS < 32 && columns > size_t(1) << passes * DIGIT_BITS)
        passes++;
    return passes;
}

size_t tiles_of(const prim_sparse *m)
{
    return prim_divide_up(m->entries, TILE);
}

/* Counts with their sums, begins, and two buffers of pairs. */
size_t workspace_bytes(const void *any)
{
    const prim_sparse *m = &static_cast<const prim_sparse_convert_args *>(any)->from;
    const size_t counts = tiles_of(m) * DIGITS;
    if (m->entries == 0)
        return 0;
    return prim_sparse_sums_bytes(counts) + (counts + 1) * sizeof(int64_t) +
           4 * m->entries * sizeof(uint32_t);
}

/* One pass, from and to. */
void sort_digit(launches *l, const prim_sparse_convert_args *args, unsigned shift, pairs from,
                new_pairs to)
{
    const size_t entries = args->from.entries, tiles = tiles_of(&args->from),
                 count = tiles * DIGITS;
    uint64_t *const counts = static_cast<uint64_t *>(args->call.workspace);
    int64_t *const begins =
        reinterpret_cast<int64_t *>(counts + prim_sparse_sums_bytes(count) / sizeof(uint64_t));
    const prim_sparse_sums sums = {counts, count, begins, true, entries, nullptr, nullptr};
    l->then(tiles * THREADS, count_digits, from.columns, entries, shift, counts);
    if (l->error == cudaSuccess)
        l->error = prim_sparse_sum(l->stream, &sums);
    l->then(tiles * THREADS, place_entries, from, entries, shift, begins, to);
}

/* The two buffers that passes alternate between are at the workspace's end. */
new_pairs buffer_of_pass(const prim_sparse_convert_args *args, unsigned pass)
{
    const size_t entries = args->from.entries;
    char *const end = static_cast<char *>(args->call.workspace) + workspace_bytes(args);
    uint32_t *const buffer = reinterpret_cast<uint32_t *>(end) - (4 - pass % 2 * 2) * entries;
    return {reinterpret_cast<int32_t *>(buffer), buffer + entries};
}

cudaError_t launch(const void *any)
{
    const prim_sparse_convert_args *args = static_cast<const prim_sparse_convert_args *>(any);
    const prim_sparse *from = &args->from;
    const unsigned passes = from->entries > 0 ? passes_for(from->columns) : 0;
    launches l = {args->call.stream};
    prim_sparse to;
    size_t bytes;
    pairs sorted = {from->column_indices, nullptr};
    prim_sparse_target(args, &to, &bytes);
    for (unsigned pass = 0; pass < passes; pass++) {
        const new_pairs next = buffer_of_pass(args, pass);
        sort_digit(&l, args, pass * DIGIT_BITS, sorted, next);
        sorted = {next.columns, next.numbers};
    }
    l.then(to.rows + 1, find_offsets, sorted.columns, from->entries, to.rows, new_offsets_of(&to));
    int32_t *const rows = buffer_of_pass(args, passes).columns; /* the other buffer */
    if (l.error == cudaSuccess)
        l.error = prim_sparse_find_rows(l.stream, from, rows);
    l.then(from->entries, take_entries, sorted.numbers, from->entries, rows, lines_of(from),
           lines_of(&to));
    return l.error;
}

/* With fewer than 2^32 entries, tiles fit a grid, too. */
const char *why_not(const void *any)
{
    const prim_sparse *m = &static_cast<const prim_sparse_convert_args *>(any)->from;
    if (m->format != PRIM_SPARSE_CSR)
        return "it takes CSR only";
    return m->entries <= UINT32_MAX ? nullptr : "it takes fewer than 2^32 entries";
}

} // namespace transpose
} // namespace

PRIM_DEFINE_RUNG(sparse_transpose, digits) = {{1, "digits", "a stable sort by columns"},
                                              transpose::why_not,
                                              transpose::workspace_bytes,
                                              transpose::launch};
