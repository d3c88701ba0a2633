/* EDGES_TABLE: the edges' keys, a table of first guesses and counters in shared memory.
 *
 *     keys     first ────────────────────────────── last      cut into equal slots, by shifts alone
 *     slots     │ 0 │ 1 │ 2 │ 3 │ …
 *     table      0,0 0,3 3,3 3,4           bounds of the number of edges that a sample has passed:
 *                                          a search between the two is left
 *
 * Keys of floats are their ordered bits, so that slots are fine where the numbers are small: edges
 * that are spaced evenly and edges that are spaced logarithmically both leave a step or two. Where
 * a slot has one value only, as with 8-bit samples, nothing is left to search.
 *
 * As in MULTI_COPY, a block has up to 32 copies of its counters, lane l's the copy l mod copies.
 *
 * Work: an addition and some loads from shared memory for each sample, and blocks · bins additions
 * in global memory. Bytes: each sample once. Workspace: none. */
#include "histogram/copies.cuh"
#include "histogram/edges.cuh"

namespace
{
namespace edges_table
{

constexpr unsigned COUNTING = 1024; /* threads: one block a multiprocessor, with all its memory */
constexpr unsigned LEAST_SLOTS_LOG2 = 10, MOST_SLOTS_LOG2 = 15;
[[maybe_unused]] constexpr unsigned LOADS = 2; /* of 16 bytes in flight */

/* The layout of shared memory: keys first, then the table, then counters. */
struct layout {
    unsigned slots_log2, copies_log2;
};

template <typename Key>
struct guesses {
    const Key *keys;
    const uint32_t *table;
    Key first, span; /* keys less than `span` above `first` are between the edges */
    unsigned shift;
};

template <typename Key>
__device__ unsigned bits_of(Key x)
{
    unsigned bits = 0;
    for (; x != 0; x >>= 1)
        bits++;
    return bits;
}

/* The number of edges passed at the slot's first key and at its last one: at least the first edge
 * and never the last one, so that no search leads out of the bins, whatever the edges are. */
template <typename Key>
__device__ uint32_t guess_of_slot(const guesses<Key> &g, uint32_t bins, Key slot)
{
    const auto key_at = [&g](uint32_t i) { return g.keys[i]; };
    const Key begin = g.first + static_cast<Key>(slot << g.shift),
              width = (static_cast<Key>(1) << g.shift) - 1;
    const Key end = begin + width < begin ? extreme<Key>::highest : begin + width;
    const uint32_t least = edges_passed(key_at, uint32_t(1), bins, begin);
    return least | edges_passed(key_at, least, bins, end) << 16;
}

/* Called by all threads. */
template <typename Edge, typename Key>
__device__ guesses<Key> make_guesses(const edge_binning &b, const layout &where, Key *keys,
                                     uint32_t *table)
{
    const uint32_t bins = static_cast<uint32_t>(b.bins);
    const edges_in_memory<Edge> in_memory = {b};
    for (uint32_t i = threadIdx.x; i <= bins; i += COUNTING)
        keys[i] = in_memory(i);
    __syncthreads();
    guesses<Key> g = {keys, table, keys[0], 0, 0};
    g.span = g.first < keys[bins] ? keys[bins] - g.first : 0;
    const unsigned bits = bits_of(g.span);
    g.shift = bits > where.slots_log2 ? bits - where.slots_log2 : 0;
    for (unsigned slot = threadIdx.x; slot < 1u << where.slots_log2; slot += COUNTING)
        if (slot <= g.span >> g.shift)
            table[slot] = guess_of_slot<Key>(g, bins, slot);
    __syncthreads();
    return g;
}

/* After the bins come the counters for samples outside. */
template <typename Key>
struct tabled_counters {
    const edge_binning &b;
    guesses<Key> g;
    shared_words own;
    uint32_t stride; /* bytes from a counter to the next */

    /* A sample that is not between the edges: the last edge itself, one outside, or NaN, whose keys
     * are above those of all numbers. */
    template <typename T>
    __device__ void count_other(T sample, Key key) const
    {
        const size_t place = is_nan_sample(sample) ? b.bins + NOT_A_NUMBER
                             : key < g.first       ? b.bins + BELOW
                                             : place_behind(b, b.bins + 1, key == g.keys[b.bins]);
        const size_t counter = counter_at(place, b.bins, b.outside);
        if (counter != NOWHERE)
            add_one(own, static_cast<uint32_t>(counter) * stride);
    }

    template <typename T>
    __device__ void count(T sample) const
    {
        const Key key = key_of_sample(b, sample), past = key - g.first;
        if (past >= g.span) {
            count_other(sample, key);
            return;
        }
        const uint32_t guess = g.table[past >> g.shift];
        const Key *const keys = g.keys;
        const uint32_t passed =
            edges_passed([keys](uint32_t i) { return keys[i]; }, guess & 0xffff, guess >> 16, key);
        add_one(own, (passed - 1) * stride);
    }

    template <typename T>
    __device__ void count_line(const sample_line<T> &line) const
    {
        const size_t threads = static_cast<size_t>(gridDim.x) * COUNTING;
        size_t i = static_cast<size_t>(blockIdx.x) * COUNTING + threadIdx.x;
        const size_t in_vectors = line.vectors * AT_ONCE<T>;
        if (i < line.count - in_vectors)
            count(line.samples[i < line.head ? i : i + in_vectors]);
        const T *const samples = line.samples + line.head;
        PRIM_UNROLL(1)
        for (; i < line.vectors; i += LOADS * threads) {
            sixteen_bytes v[LOADS];
            PRIM_UNROLL(LOADS)
            for (unsigned l = 0; l < LOADS; l++)
                if (i + l * threads < line.vectors)
                    v[l] = load_samples(samples + (i + l * threads) * AT_ONCE<T>);
            PRIM_UNROLL(LOADS)
            for (unsigned l = 0; l < LOADS; l++)
                if (i + l * threads < line.vectors) {
                    PRIM_UNROLL(16)
                    for (unsigned e = 0; e < AT_ONCE<T>; e++)
                        count(raw_sample<T>(v[l], e));
                }
        }
    }
};

template <typename T>
__global__ void __launch_bounds__(COUNTING, 1)
    count_samples(sample_line<T> line, edge_binning b, layout where, counters to)
{
    using Edge = edge_of_t<T>;
    using Key = key_of_t<Edge>;
    PRIM_SHARED_DYNAMIC(Key, keys);
    uint32_t *const table = reinterpret_cast<uint32_t *>(keys + b.bins + 1),
                    *const own = table + (static_cast<size_t>(1) << where.slots_log2);
    const unsigned copies = 1u << where.copies_log2,
                   all = static_cast<unsigned>(b.bins) + PRIM_HISTOGRAM_OUTSIDE_COUNTERS;
    for (unsigned w = threadIdx.x; w < all << where.copies_log2; w += COUNTING)
        own[w] = 0;
    grid_dependency_synchronize(); /* an earlier kernel may write the edges */
    const tabled_counters<Key> add = {b, make_guesses<Edge>(b, where, keys, table),
                                      shared_words_of(own + (threadIdx.x & (copies - 1))),
                                      static_cast<uint32_t>(copies * sizeof(uint32_t))};
    add.count_line(line);
    __syncthreads();
    for (unsigned c = threadIdx.x; c < all; c += COUNTING) {
        const uint32_t n = sum_of_copies(own, c, copies);
        if (n != 0)
            to.add(c, n);
    }
}

/* ---- launching ---- */

/* Bytes of one copy. */
size_t counter_bytes(const prim_histogram_args *args)
{
    return (args->bins + PRIM_HISTOGRAM_OUTSIDE_COUNTERS) * sizeof(uint32_t);
}

size_t bytes_of(const prim_histogram_args *args, layout where)
{
    return (args->bins + 1) * prim_element_bytes(args->edge_type) +
           (sizeof(uint32_t) << where.slots_log2) + (counter_bytes(args) << where.copies_log2);
}

/* Memory goes to slots first, 64 for each bin, then to copies; to fewer of them where making these
 * would cost more than the samples. */
layout layout_of(const prim_histogram_args *args, size_t samples_of_block)
{
    const size_t most = prim_device_shared_bytes();
    layout where = {LEAST_SLOTS_LOG2, 0};
    while (where.slots_log2 < MOST_SLOTS_LOG2 &&
           static_cast<size_t>(1) << where.slots_log2 < 64 * args->bins &&
           static_cast<size_t>(4) << where.slots_log2 < samples_of_block &&
           bytes_of(args, {where.slots_log2 + 1, 0}) <= most)
        where.slots_log2++;
    const size_t one_copy = counter_bytes(args);
    where.copies_log2 =
        choose_copies_log2(one_copy, bytes_of(args, where) - one_copy, samples_of_block);
    return where;
}

struct run_count : launch_run {
    template <typename T>
    static cudaError_t run(const prim_histogram_args *args)
    {
        const unsigned blocks = choose_blocks(args->count, LOADS * COUNTING * AT_ONCE<T>, 1);
        const layout where = layout_of(args, args->count / (blocks + 1));
        const cudaError_t error = prim_allow_shared(count_samples<T>, prim_device_shared_bytes());
        if (error != cudaSuccess)
            return error;
        return clear_and_launch(args, {args->call.stream, blocks, COUNTING, bytes_of(args, where)},
                                count_samples<T>, make_line<T>(args), make_edge_binning(args),
                                where, make_counters(args));
    }
};

const char *why_not(const void *any)
{
    const prim_histogram_args *args = static_cast<const prim_histogram_args *>(any);
    if (!dispatch<is_built>(args))
        return PRIM_TYPES_NOT_BUILT;
    if (args->bins >= UINT16_MAX ||
        bytes_of(args, {LEAST_SLOTS_LOG2, 0}) > prim_device_shared_bytes())
        return "a block's shared memory does not hold so many edges and counters";
    return nullptr;
}

cudaError_t launch(const void *args)
{
    return dispatch<run_count>(static_cast<const prim_histogram_args *>(args));
}

} // namespace edges_table
} // namespace

PRIM_DEFINE_RUNG(histogram, edges_table) = {
    {PRIM_HISTOGRAM_EDGES_TABLE, "edges_table",
     "edges, a table of first guesses and copies of the counters in shared memory"},
    edges_table::why_not,
    nullptr,
    edges_table::launch};
