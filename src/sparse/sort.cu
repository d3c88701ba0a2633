/* prim_sparse_sort(): the entries sorted by row and column, as words (words.cu). Then their words
 * are taken apart; or runs of equal ones become an entry each:
 *
 *     words      a b b b c d d        blocks of, here, 4
 *     heads      1 1 0 0 │ 1 1 0      counted by block, and scanned by sums.cu
 *     begins     0 1 4 5              an entry's place is the number of heads before it
 *     values     sums of runs: run_sums.cuh
 *
 * Work: entries for each 8 bits of rows and columns together. Bytes: of an entry, what words.cu
 * says; to take it apart, 12 and those of the result; with sums, its word twice and 16 for where
 * it begins. */
#include "common/shared.cuh"
#include "sparse/entry_rows.cuh"
#include "sparse/launches.cuh"
#include "sparse/lines.cuh"
#include "sparse/run_sums.cuh"
#include "sparse/sums.h"
#include "sparse/words.h"

namespace
{
namespace sort
{

constexpr prim_sparse_word_order ORDER = PRIM_SPARSE_BY_PLACE;

/* The target, and how a word is taken apart. */
struct places {
    int32_t *rows;
    lines to;
    unsigned column_bits;

    __device__ void put(size_t t, uint64_t word) const
    {
        rows[t] = static_cast<int32_t>(word >> column_bits);
        to.columns[t] = static_cast<int32_t>(word & ((uint64_t(1) << column_bits) - 1));
    }
};

__global__ void __launch_bounds__(THREADS)
    take_apart(prim_sparse_words sorted, size_t entries, const void *values, places to)
{
    const size_t e = this_thread();
    if (e >= entries)
        return;
    to.put(e, sorted.words[e]);
    put_payload(to.to, e, values, sorted.payloads[e]);
}

/* ---- one entry for each run ---- */

constexpr unsigned WARPS = THREADS / WARP, WARP_ENTRIES = ENTRIES_EACH * WARP;

__device__ bool is_head(const uint64_t *words, size_t entries, size_t e)
{
    return e < entries && (e == 0 || words[e - 1] != words[e]);
}

/* The heads of a warp's entries, 32 at a time. */
struct warp_heads {
    unsigned of[ENTRIES_EACH];

    __device__ unsigned count() const
    {
        unsigned heads = 0;
        for (unsigned i = 0; i < ENTRIES_EACH; i++)
            heads += count_bits(of[i]);
        return heads;
    }
};

/* A warp's entries lie together. */
__device__ size_t first_of_warp()
{
    return this_thread() / WARP * WARP_ENTRIES;
}

__device__ warp_heads find_heads(const uint64_t *words, size_t entries)
{
    const size_t first = first_of_warp() + threadIdx.x % WARP;
    warp_heads heads;
    PRIM_UNROLL(4)
    for (unsigned i = 0; i < ENTRIES_EACH; i++)
        heads.of[i] = __ballot_sync(ALL_LANES, is_head(words, entries, first + i * WARP));
    return heads;
}

/* The heads of the block's warps before this one, and *all = those of the block. Has a barrier. */
__device__ unsigned heads_before(unsigned mine, unsigned (&of_warps)[WARPS], unsigned *all)
{
    const unsigned warp = threadIdx.x / WARP;
    if (threadIdx.x % WARP == 0)
        of_warps[warp] = mine;
    __syncthreads();
    unsigned before = 0;
    *all = 0;
    for (unsigned w = 0; w < WARPS; w++) {
        before += w < warp ? of_warps[w] : 0;
        *all += of_warps[w];
    }
    return before;
}

__global__ void __launch_bounds__(THREADS)
    count_heads(const uint64_t *words, size_t entries, uint64_t *of_blocks)
{
    PRIM_SHARED(unsigned, of_warps, [WARPS]);
    unsigned all;
    heads_before(find_heads(words, entries).count(), of_warps, &all);
    if (threadIdx.x == 0)
        of_blocks[blockIdx.x] = all;
}

__global__ void __launch_bounds__(THREADS)
    place_heads(const uint64_t *words, size_t entries, const uint64_t *before_blocks,
                uint64_t *begins, places to)
{
    PRIM_SHARED(unsigned, of_warps, [WARPS]);
    const unsigned lane = threadIdx.x % WARP, lanes_below = (1u << lane) - 1;
    const warp_heads heads = find_heads(words, entries);
    unsigned all;
    size_t run = before_blocks[blockIdx.x] + heads_before(heads.count(), of_warps, &all);
    for (unsigned i = 0; i < ENTRIES_EACH; i++) {
        const size_t e = first_of_warp() + i * WARP + lane;
        if ((heads.of[i] >> lane & 1) != 0) {
            const size_t t = run + count_bits(heads.of[i] & lanes_below);
            begins[t] = e;
            to.put(t, words[e]);
        }
        run += count_bits(heads.of[i]);
    }
}

/* ---- the workspace: of the sort; heads of blocks, and before them; sums of pieces ---- */

struct room {
    size_t blocks, pieces, heads_at, before_at, pieces_at, bytes;
};

room room_of(const prim_sparse *m)
{
    constexpr size_t WORD = sizeof(uint64_t);
    room r;
    r.blocks = prim_divide_up(m->entries, BLOCK_ENTRIES);
    r.pieces = prim_divide_up(m->entries, PIECE);
    r.heads_at = prim_divide_up(prim_sparse_words_bytes(m, ORDER), WORD) * WORD;
    r.before_at = r.heads_at + prim_sparse_sums_bytes(r.blocks);
    r.pieces_at = r.before_at + (r.blocks + 1) * WORD;
    r.bytes = r.pieces_at + 2 * r.pieces * WORD;
    return r;
}

size_t workspace_bytes(const void *any)
{
    const prim_sparse *m = &static_cast<const prim_sparse_convert_args *>(any)->from;
    return m->entries == 0 ? 0 : room_of(m).bytes;
}

/* ---- the launches ---- */

PRIM_DISPATCH_TYPE(dispatch_values, PRIM_SPARSE_DENSE_TYPES, from.value_type)

/* The values of the runs that begin at `begins`. */
struct sum_all : launch_run {
    template <typename V>
    static cudaError_t run(const prim_sparse_convert_args *args, prim_sparse_words sorted,
                           const uint64_t *begins, void *out)
    {
        using sum_type = typename runs<V>::sum_type;
        const prim_sparse *from = &args->from;
        const room of = room_of(from);
        sum_type *const pieces =
            reinterpret_cast<sum_type *>(static_cast<char *>(args->call.workspace) + of.pieces_at);
        const runs<V> r = {sorted, from->entries,     begins, args->d_size, from->values,
                           pieces, pieces + of.pieces};
        launches l = {args->call.stream};
        if (from->entries > PIECE)
            l.then(of.pieces * WARP, sum_pieces<V>, r);
        l.then(from->entries, sum_runs<V>, r, static_cast<V *>(out));
        return l.error;
    }
};

cudaError_t add_up(const prim_sparse_convert_args *args, prim_sparse_words sorted,
                   prim_sparse_words spare, const places &to)
{
    const size_t entries = args->from.entries;
    const uint64_t *const words = sorted.words;
    const room of = room_of(&args->from);
    char *const memory = static_cast<char *>(args->call.workspace);
    prim_sparse_sums heads = {};
    heads.lengths = reinterpret_cast<uint64_t *>(memory + of.heads_at);
    heads.count = of.blocks;
    heads.offsets = memory + of.before_at;
    heads.wide = true;
    heads.most = UINT64_MAX;
    heads.total = args->d_size;
    launches l = {args->call.stream};
    l.then(threads_for_entries(entries), count_heads, words, entries, heads.lengths);
    if (l.error == cudaSuccess)
        l.error = prim_sparse_sum(l.stream, &heads);
    l.then(threads_for_entries(entries), place_heads, words, entries,
           static_cast<const uint64_t *>(heads.offsets), spare.words, to);
    return l.error == cudaSuccess
               ? dispatch_values<sum_all>(args, sorted, static_cast<const uint64_t *>(spare.words),
                                          to.to.values)
               : l.error;
}

cudaError_t launch(const void *any)
{
    const prim_sparse_convert_args *args = static_cast<const prim_sparse_convert_args *>(any);
    const prim_sparse *from = &args->from;
    launches l = {args->call.stream};
    if (from->entries == 0)
        return args->d_size == nullptr
                   ? cudaSuccess
                   : cudaMemsetAsync(args->d_size, 0, sizeof *args->d_size, l.stream);
    prim_sparse_words sorted, spare;
    prim_sparse to;
    size_t bytes;
    prim_sparse_target(args, &to, &bytes);
    const places in = {const_cast<int32_t *>(to.row_indices), lines_of(&to),
                       prim_sparse_column_bits(from, ORDER)};
    l.error = prim_sparse_sort_words(l.stream, from, ORDER, args->call.workspace, &sorted, &spare);
    if (l.error == cudaSuccess && args->d_size != nullptr)
        return add_up(args, sorted, spare, in);
    l.then(from->entries, take_apart, sorted, from->entries, from->values, in);
    return l.error;
}

/* With fewer than 2^32 entries, tiles fit a grid, too. */
const char *why_not(const void *any)
{
    const prim_sparse *m = &static_cast<const prim_sparse_convert_args *>(any)->from;
    if (m->format != PRIM_SPARSE_COO)
        return "it takes COO only";
    if (!dispatch_values<is_built>(static_cast<const prim_sparse_convert_args *>(any)))
        return PRIM_TYPES_NOT_BUILT;
    return m->entries <= UINT32_MAX ? nullptr : "it takes fewer than 2^32 entries";
}

} // namespace sort
} // namespace

PRIM_DEFINE_RUNG(sparse_sort, words) = {{1, "words", "a stable sort by row and column"},
                                        sort::why_not,
                                        sort::workspace_bytes,
                                        sort::launch};
