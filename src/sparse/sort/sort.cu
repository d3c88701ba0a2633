/* prim_sparse_sort(): the entries sorted by their columns, and then, stably, by their rows
 * (entry_sort.cu). Then runs of entries in one place become an entry each, where that is asked for:
 *
 *     places     a b b b c d d        blocks of, here, 4
 *     heads      1 1 0 0 │ 1 1 0      counted by block, and scanned by offsets.cu
 *     begins     0 1 4 5              a run's place is the number of heads before it
 *     values     sums of runs: run_sums.cuh
 *
 * Work: entries for each 8 bits of the rows and each 8 bits of the columns. Bytes: of an entry,
 * what entry_sort.cu says, twice; with sums, its row and column twice more, and 16 for where it
 * begins. */
#include "common/kernel/shared.cuh"
#include "sparse/launches.cuh"
#include "sparse/rows/entry_rows.cuh"
#include "sparse/rows/offsets.h"
#include "sparse/sort/entry_sort.h"
#include "sparse/sort/run_sums.cuh"

namespace
{
namespace sort
{

/* ---- heads: entries that are in another place than the one before ---- */

constexpr unsigned WARPS = THREADS / WARP, WARP_ENTRIES = ENTRIES_EACH * WARP;

__device__ bool is_head(const sorted_places &places, size_t entries, size_t e)
{
    return e < entries && (e == 0 || !places.are_same(e - 1, e));
}

/* Of a warp's entries, 32 at a time. */
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

__device__ warp_heads find_heads(const sorted_places &places, size_t entries)
{
    const size_t first = first_of_warp() + threadIdx.x % WARP;
    warp_heads heads;
    PRIM_UNROLL(4)
    for (unsigned i = 0; i < ENTRIES_EACH; i++)
        heads.of[i] = __ballot_sync(ALL_LANES, is_head(places, entries, first + i * WARP));
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
    count_heads(sorted_places places, size_t entries, uint64_t *of_blocks)
{
    PRIM_SHARED(unsigned, of_warps, [WARPS]);
    unsigned all;
    heads_before(find_heads(places, entries).count(), of_warps, &all);
    if (threadIdx.x == 0)
        of_blocks[blockIdx.x] = all;
}

__global__ void __launch_bounds__(THREADS)
    place_heads(sorted_places places, size_t entries, const uint64_t *before_blocks,
                uint64_t *begins, int32_t *rows, int32_t *columns)
{
    PRIM_SHARED(unsigned, of_warps, [WARPS]);
    const unsigned lane = threadIdx.x % WARP, lanes_below = (1u << lane) - 1;
    const warp_heads heads = find_heads(places, entries);
    unsigned all;
    size_t run = before_blocks[blockIdx.x] + heads_before(heads.count(), of_warps, &all);
    for (unsigned i = 0; i < ENTRIES_EACH; i++) {
        const size_t e = first_of_warp() + i * WARP + lane;
        if ((heads.of[i] >> lane & 1) != 0) {
            const size_t t = run + count_bits(heads.of[i] & lanes_below);
            begins[t] = e;
            rows[t] = places.rows[e];
            columns[t] = places.columns[e];
        }
        run += count_bits(heads.of[i]);
    }
}

/* ---- the workspace: of the sort; heads of blocks, and before them; sums of pieces ---- */

struct room {
    size_t blocks, pieces, heads_at, before_at, pieces_at, bytes;
};

room room_of(size_t entries)
{
    constexpr size_t WORD = sizeof(uint64_t);
    room r;
    r.blocks = prim_divide_up(entries, BLOCK_ENTRIES);
    r.pieces = prim_divide_up(entries, RUN_PIECE);
    r.heads_at = prim_divide_up(prim_sparse_entry_sort_bytes(entries), WORD) * WORD;
    r.before_at = r.heads_at + prim_sparse_sums_bytes(r.blocks);
    r.pieces_at = r.before_at + (r.blocks + 1) * WORD;
    r.bytes = r.pieces_at + 2 * r.pieces * WORD;
    return r;
}

size_t workspace_bytes(const void *any)
{
    const size_t entries = static_cast<const prim_sparse_convert_args *>(any)->from.entries;
    return entries == 0 ? 0 : room_of(entries).bytes;
}

/* ---- one entry for each run ---- */

PRIM_DISPATCH_TYPE(dispatch_values, PRIM_SPARSE_DENSE_TYPES, from.value_type)

/* Sorted entries, and a buffer for where runs begin. */
struct sorted_entries {
    sorted_places places;
    const uint32_t *bits;
    uint64_t *begins;
};

struct sum_all : launch_run {
    template <typename V>
    static cudaError_t run(const prim_sparse_convert_args *args, sorted_entries sorted, void *out)
    {
        using sum_type = typename runs<V>::sum_type;
        const size_t entries = args->from.entries;
        const room of = room_of(entries);
        sum_type *const pieces =
            reinterpret_cast<sum_type *>(static_cast<char *>(args->call.workspace) + of.pieces_at);
        const runs<V> r = {sorted.places, sorted.bits,       entries, sorted.begins,
                           args->d_size,  args->from.values, pieces,  pieces + of.pieces};
        launches l = {args->call.stream, prim_device_take_error()}; /* room_of() asks the device */
        if (entries > RUN_PIECE)
            l.then(of.pieces * WARP, sum_pieces<V>, r);
        l.then(entries, sum_runs<V>, r, static_cast<V *>(out));
        return l.error;
    }
};

cudaError_t add_up(const prim_sparse_convert_args *args, sorted_entries sorted,
                   const prim_sparse *to)
{
    const size_t entries = args->from.entries;
    const room of = room_of(entries);
    char *const memory = static_cast<char *>(args->call.workspace);
    prim_sparse_sums heads = {};
    heads.lengths = reinterpret_cast<uint64_t *>(memory + of.heads_at);
    heads.count = of.blocks;
    heads.offsets = memory + of.before_at;
    heads.wide = true;
    heads.most = UINT64_MAX;
    heads.total = args->d_size;
    launches l = {args->call.stream, prim_device_take_error()}; /* room_of() asks the device */
    l.then(threads_for_entries(entries), count_heads, sorted.places, entries, heads.lengths);
    if (l.error == cudaSuccess)
        l.error = prim_sparse_sum(l.stream, &heads);
    l.then(threads_for_entries(entries), place_heads, sorted.places, entries,
           static_cast<const uint64_t *>(heads.offsets), sorted.begins,
           const_cast<int32_t *>(to->row_indices), const_cast<int32_t *>(to->column_indices));
    return l.error == cudaSuccess
               ? dispatch_values<sum_all>(args, sorted, const_cast<void *>(to->values))
               : l.error;
}

/* ---- by columns, then by rows ---- */

/* By columns; returns the sort by rows that is to follow. */
cudaError_t sort_columns(const prim_sparse_convert_args *args, prim_sparse_entry_sort *by_rows)
{
    const prim_sparse *from = &args->from;
    prim_sparse_entry_sort s = {};
    s.stream = args->call.stream;
    s.entries = from->entries;
    s.bound = from->columns;
    s.keys = from->column_indices;
    s.from = prim_sparse_carry(from->row_indices, from);
    s.workspace = args->call.workspace;
    const unsigned last = prim_sparse_last_pass(&s);
    const prim_sparse_sort_buffer sorted = prim_sparse_buffer(s.workspace, s.entries, last);
    *by_rows = s;
    by_rows->bound = from->rows;
    by_rows->keys = sorted.carried.indices;
    by_rows->from = {sorted.keys, sorted.carried.values, sorted.carried.value_bytes};
    by_rows->first_pass = last + 1;
    return prim_sparse_sort_entries(&s);
}

/* To the target, or, where runs are to be added up, to the workspace. */
cudaError_t sort_rows(const prim_sparse_convert_args *args, prim_sparse_entry_sort *s,
                      const prim_sparse *to)
{
    const unsigned pass = prim_sparse_last_pass(s);
    const prim_sparse_sort_buffer last = prim_sparse_buffer(s->workspace, s->entries, pass),
                                  other = prim_sparse_buffer(s->workspace, s->entries, pass + 1);
    if (args->d_size != nullptr) {
        const cudaError_t error = prim_sparse_sort_entries(s);
        const sorted_entries sorted = {{last.keys, last.carried.indices},
                                       static_cast<const uint32_t *>(last.carried.values),
                                       other.words};
        return error == cudaSuccess ? add_up(args, sorted, to) : error;
    }
    const prim_sparse_carried target = prim_sparse_carry_to(to->column_indices, to, &last);
    s->out_keys = const_cast<int32_t *>(to->row_indices);
    s->to = &target;
    const cudaError_t error = prim_sparse_sort_entries(s);
    return error == cudaSuccess ? prim_sparse_take_numbered(s->stream, &args->from, &target, to)
                                : error;
}

cudaError_t launch(const void *any)
{
    const prim_sparse_convert_args *args = static_cast<const prim_sparse_convert_args *>(any);
    if (args->from.entries == 0)
        return args->d_size == nullptr
                   ? cudaSuccess
                   : cudaMemsetAsync(args->d_size, 0, sizeof *args->d_size, args->call.stream);
    prim_sparse_entry_sort by_rows;
    prim_sparse to;
    size_t bytes;
    prim_sparse_target(args, &to, &bytes);
    const cudaError_t error = sort_columns(args, &by_rows);
    return error == cudaSuccess ? sort_rows(args, &by_rows, &to) : error;
}

/* With fewer than 2^32 entries, tiles fit a grid, too. */
const char *why_not(const void *any)
{
    const prim_sparse_convert_args *args = static_cast<const prim_sparse_convert_args *>(any);
    if (args->from.format != PRIM_SPARSE_COO)
        return "it takes COO only";
    if (!dispatch_values<is_built>(args))
        return PRIM_TYPES_NOT_BUILT;
    return args->from.entries <= UINT32_MAX ? nullptr : "it takes fewer than 2^32 entries";
}

} // namespace sort
} // namespace

PRIM_DEFINE_RUNG(sparse_sort,
                 digits) = {{1, "digits", "a stable sort by columns, then one by rows"},
                            sort::why_not,
                            sort::workspace_bytes,
                            sort::launch};
