/* EDGES_TABLE: edges, a table of the bins between them, and counters, all in shared memory.
 *
 *     edges     e0     e1          e2      e3 e4       e5
 *     slots     │   0   │   1   │   2   │   3   │   4   │      equal parts of the way from e0 to e5
 *     words       0, e1   1       1, e2   2, many 4            the bin at its begin, and its edge
 *
 * A slot's word says its first bin and where in it the next one begins, so that a load and an
 * addition give a sample's bin. It is compared with edges only where a slot has several of them,
 * and next to an edge where places in a slot are too coarse to tell.
 *
 * Distances are measured by the numbers themselves, which suits edges that are spaced evenly, or by
 * their keys, which for floats are the ordered bits and ascend like a logarithm. The block takes
 * the measure in which fewer edges share a slot.
 *
 * As in MULTI_COPY, a block has up to 32 copies of its counters, and lane l counts in copy l mod
 * copies.
 *
 * Work: a load and an addition in shared memory for each sample, and blocks · bins additions in
 * global memory. Bytes: each sample once. Workspace: none. */
#include "histogram/counters/copies.cuh"
#include "histogram/edges/measures.cuh"
#include "histogram/tuning.h"

namespace
{
namespace edges_table
{

constexpr unsigned COUNTING = 1024; /* threads: one block a multiprocessor, with all its memory */
constexpr unsigned LEAST_SLOTS_LOG2 = 10, MOST_SLOTS_LOG2 = 15;
template <typename T>
constexpr unsigned LOADS = sizeof(T) == 1 ? 1 : 2; /* of 16 bytes in flight */

/* A word in 33 is left out, and one more in 1056, so that slots a power of two apart, as those of
 * round numbers are, lie in many banks. */
__host__ __device__ inline uint32_t place_of_slot(uint32_t slot)
{
    return slot + slot / WARP + slot / (WARP * WARP);
}

/* The layout of shared memory: edges first, then the table, then counters. */
struct layout {
    unsigned slots_log2, copies_log2;

    __host__ __device__ uint32_t slots() const /* and one for the last measure */
    {
        return (1u << slots_log2) + 1;
    }

    __host__ __device__ uint32_t words() const
    {
        return place_of_slot(slots());
    }
};

/* ---- the table ----
 *
 * A word has a bin in its upper half and below how far the edge is from the slot's end: adding a
 * sample's place gives a sum, which carries into the bin where the sample is after the edge. With
 * all ones below, the sample is next to it. A crowded slot's has the bin and how many edges. */

constexpr uint32_t CROWDED = 1u << 31;

/* Whatever the edges are, the bin and what is added to it stay below `bins`. */
template <class Measure, typename Edge>
__device__ uint32_t word_of_slot(const Measure &measure, const Edge *edges, uint32_t bins,
                                 uint32_t slot)
{
    const auto from = [&measure, edges](uint32_t i) { return measure.from_edge(edges[i]); };
    const uint32_t begin = slot << PLACE_BITS, end = begin + LAST_PLACE + 1,
                   passed = edges_passed(from, uint32_t(1), bins, begin),
                   bin = (passed - 1) << PLACE_BITS;
    if (passed == bins || from(passed) > end)
        return bin;
    if (passed + 1 < bins && from(passed + 1) <= end)
        return CROWDED | bin | (edges_passed(from, passed, bins, end) - passed);
    const uint32_t rest = end - from(passed);
    return bin + (rest < LAST_PLACE ? rest : LAST_PLACE); /* more: the edges do not ascend */
}

/* How many edges of this thread's are in the slot of the one before. */
template <class Measure, typename Edge>
__device__ int edges_that_share(const Measure &measure, const Edge *edges, size_t bins)
{
    const auto slot = [&measure, edges](size_t i) {
        return (measure.from_edge(edges[i]) - 1) >> PLACE_BITS;
    };
    int share = 0;
    for (size_t i = 2 + threadIdx.x; i < bins; i += COUNTING)
        share += slot(i) == slot(i - 1);
    return share;
}

/* Whether fewer edges share a slot by their keys than by their values. All threads call it;
 * `difference` is a word for it. */
template <typename Edge>
__device__ bool keys_are_better(const key_measure<Edge> &keys, const value_measure<Edge> &values,
                                const Edge *edges, int *difference)
{
    if (values.scale == 0) /* all threads see this */
        return true;
    if (threadIdx.x == 0)
        *difference = 0;
    __syncthreads();
    atomicAdd(difference, edges_that_share(keys, edges, keys.b.bins) -
                              edges_that_share(values, edges, keys.b.bins));
    __syncthreads();
    const bool are_better = *difference < 0;
    __syncthreads();
    return are_better;
}

/* ---- counting ---- */

/* What samples outside have for a sum. */
__device__ inline uint32_t sum_outside(const edge_binning &b, outside_place place)
{
    const size_t counter = counter_at(b.bins + place, b.bins, b.outside);
    return static_cast<uint32_t>(counter < b.bins     ? counter
                                 : counter == NOWHERE ? b.bins
                                                      : counter + 1)
           << PLACE_BITS;
}

/* After the bins comes a counter for samples in no bin, so that additions have no condition, and
 * then those for samples outside. */
template <class Measure, typename Edge>
struct tabled_counters {
    const edge_binning &b;
    const Measure &measure;
    const Edge *edges;
    const uint32_t *words;
    shared_words own;
    uint32_t stride;                             /* bytes from a counter to the next */
    uint32_t no_bin, of_below, of_above, of_nan; /* sums of samples outside */
    uint32_t of_outside; /* of all of these, where they are not counted; else an open one */

    template <class Point, typename T>
    __device__ uint32_t sum_of_other(Point point, T sample) const
    {
        return is_nan_sample(sample) ? of_nan : measure.is_below(point) ? of_below : of_above;
    }

    __device__ static bool is_crowded(uint32_t sum)
    {
        return (sum & CROWDED) != 0;
    }

    __device__ static bool is_next_to_edge(uint32_t sum)
    {
        return (~sum & LAST_PLACE) == 0;
    }

    /* The sum, of which a sample next to an edge may be after that, but never after the last. */
    template <class Point>
    __device__ uint32_t decided(uint32_t sum, Point point) const
    {
        const uint32_t next = (sum >> PLACE_BITS) + 1;
        const bool is_behind =
            is_next_to_edge(sum) && next < b.bins && measure.point_of_edge(edges[next]) <= point;
        return is_behind ? next << PLACE_BITS : sum;
    }

    /* The bin of a sample in a slot of several edges. */
    template <class Point>
    __device__ uint32_t searched(uint32_t word, Point point) const
    {
        const auto point_at = [this](uint32_t i) { return measure.point_of_edge(edges[i]); };
        const uint32_t first = ((word & ~CROWDED) >> PLACE_BITS) + 1;
        return edges_passed(point_at, first, first + (word & LAST_PLACE), point) - 1;
    }

    __device__ uint32_t word_at(uint32_t at) const
    {
        return words[place_of_slot(at >> PLACE_BITS)];
    }

    /* Counts a sample whatever its slot is like. */
    template <typename T>
    __device__ void count_one(T sample) const
    {
        const auto point = measure.point(sample);
        uint32_t counter;
        if (!measure.is_inside(point)) {
            counter = sum_of_other(point, sample) >> PLACE_BITS;
        } else {
            const uint32_t at = measure.of(point), word = word_at(at),
                           sum = word + (at & LAST_PLACE);
            counter = is_crowded(word) ? searched(word, point) : decided(sum, point) >> PLACE_BITS;
        }
        add_one(own, counter * stride);
    }

    /* Decides the open sums of a vector, but for those in crowded slots, which go to the counter of
     * no bin; returns a bit for each of these. */
    template <typename T>
    __device__ unsigned decide(const sixteen_bytes &v, uint32_t (&sums)[AT_ONCE<T>]) const
    {
        unsigned crowded = 0;
        PRIM_UNROLL(16)
        for (unsigned e = 0; e < AT_ONCE<T>; e++) {
            const T sample = raw_sample<T>(v, e);
            const auto point = measure.point(sample);
            if (!measure.is_inside(point)) {
                sums[e] = sum_of_other(point, sample);
            } else if (is_crowded(sums[e])) {
                sums[e] = no_bin;
                crowded |= 1u << e;
            } else {
                sums[e] = decided(sums[e], point);
            }
        }
        return crowded;
    }

    /* Counts all samples but those in crowded slots; returns a bit for each of these. */
    template <typename T>
    __device__ unsigned count_vector(const sixteen_bytes &v) const
    {
        unsigned crowded = 0;
        uint32_t sums[AT_ONCE<T>];
        bool is_open = false;
        PRIM_UNROLL(16)
        for (unsigned e = 0; e < AT_ONCE<T>; e++) {
            const auto point = measure.point(raw_sample<T>(v, e));
            const bool is_inside = measure.is_inside(point);
            const uint32_t at = is_inside ? measure.of(point) : 0,
                           sum = word_at(at) + (at & LAST_PLACE);
            sums[e] = is_inside ? sum : of_outside;
            is_open = is_open || is_crowded(sums[e]) || is_next_to_edge(sums[e]);
        }
        if (is_open)
            crowded = decide<T>(v, sums);
        PRIM_UNROLL(16)
        for (unsigned e = 0; e < AT_ONCE<T>; e++)
            add_one(own, (sums[e] >> PLACE_BITS) * stride);
        return crowded;
    }

    /* One by one, and read once more: in count_vector() searches would cost others registers. */
    template <typename T>
    __device__ void count_crowded(unsigned crowded, const T *from) const
    {
        PRIM_UNROLL(1)
        for (; crowded != 0; crowded >>= 1, from++)
            if ((crowded & 1) != 0)
                count_one(*from);
    }

    template <typename T>
    __device__ void count_line(const sample_line<T> &line) const
    {
        const size_t threads = static_cast<size_t>(gridDim.x) * COUNTING;
        size_t i = static_cast<size_t>(blockIdx.x) * COUNTING + threadIdx.x;
        const size_t in_vectors = line.vectors * AT_ONCE<T>;
        if (i < line.count - in_vectors)
            count_one(line.samples[i < line.head ? i : i + in_vectors]);
        const T *const samples = line.samples + line.head;
        PRIM_UNROLL(1)
        for (; i < line.vectors; i += LOADS<T> * threads) {
            sixteen_bytes v[LOADS<T>];
            PRIM_UNROLL(2)
            for (unsigned l = 0; l < LOADS<T>; l++)
                if (i + l * threads < line.vectors)
                    v[l] = load_samples(samples + (i + l * threads) * AT_ONCE<T>);
            PRIM_UNROLL(2)
            for (unsigned l = 0; l < LOADS<T>; l++)
                if (i + l * threads < line.vectors)
                    count_crowded(count_vector<T>(v[l]), samples + (i + l * threads) * AT_ONCE<T>);
        }
    }
};

/* Makes the table by this measure, and counts. All threads call it. */
template <class Measure, typename T>
__device__ void count_by(const Measure &measure, const edge_binning &b, const layout &where,
                         const edge_of_t<T> *edges, uint32_t *words, const sample_line<T> &line)
{
    for (uint32_t slot = threadIdx.x; slot < where.slots(); slot += COUNTING)
        words[place_of_slot(slot)] =
            word_of_slot(measure, edges, static_cast<uint32_t>(b.bins), slot);
    __syncthreads();
    const unsigned copies = 1u << where.copies_log2;
    const uint32_t no_bin = static_cast<uint32_t>(b.bins) << PLACE_BITS;
    const tabled_counters<Measure, edge_of_t<T>> add = {
        b,
        measure,
        edges,
        words,
        shared_words_of(words + where.words() + (threadIdx.x & (copies - 1))),
        static_cast<uint32_t>(copies * sizeof(uint32_t)),
        no_bin,
        sum_outside(b, BELOW),
        sum_outside(b, ABOVE),
        sum_outside(b, NOT_A_NUMBER),
        b.outside == PRIM_OUTSIDE_DROP ? no_bin : CROWDED};
    add.count_line(line);
}

template <typename T>
__global__ void __launch_bounds__(COUNTING, 1)
    count_samples(sample_line<T> line, edge_binning b, layout where, counters to)
{
    using Edge = edge_of_t<T>;
    PRIM_SHARED_DYNAMIC(Edge, edges);
    uint32_t *const words = reinterpret_cast<uint32_t *>(edges + b.bins + 1);
    uint32_t *const own = words + where.words();
    const unsigned bins = static_cast<unsigned>(b.bins), copies = 1u << where.copies_log2,
                   all = bins + 1 + PRIM_HISTOGRAM_OUTSIDE_COUNTERS;
    for (unsigned w = threadIdx.x; w < all << where.copies_log2; w += COUNTING)
        own[w] = 0;
    grid_dependency_synchronize(); /* an earlier kernel may write the edges */
    for (unsigned i = threadIdx.x; i <= bins; i += COUNTING)
        edges[i] = static_cast<const Edge *>(b.edges)[i];
    __syncthreads();

    const key_measure<Edge> keys(b, edges, where.slots_log2);
    if constexpr (std::is_integral<Edge>::value) {
        count_by(keys, b, where, edges, words, line);
    } else {
        const value_measure<Edge> values(b, edges, where.slots_log2);
        if (keys_are_better(keys, values, edges, reinterpret_cast<int *>(words)))
            count_by(keys, b, where, edges, words, line);
        else
            count_by(values, b, where, edges, words, line);
    }
    __syncthreads();
    for (unsigned c = threadIdx.x; c < all; c += COUNTING) {
        const uint32_t n = sum_of_copies(own, c, copies);
        if (n != 0 && c != bins)
            to.add(c < bins ? c : c - 1, n);
    }
}

/* ---- launching ---- */

/* Bytes of one copy. */
size_t counter_bytes(const prim_histogram_args *args)
{
    return (args->bins + 1 + PRIM_HISTOGRAM_OUTSIDE_COUNTERS) * sizeof(uint32_t);
}

size_t bytes_of(const prim_histogram_args *args, layout where)
{
    return (args->bins + 1) * prim_element_bytes(args->edge_type) +
           sizeof(uint32_t) * where.words() + (counter_bytes(args) << where.copies_log2);
}

/* Memory goes to slots first, then to copies; to fewer of them where making these would cost more
 * than the samples. */
layout layout_of(const prim_histogram_args *args, size_t samples_of_block)
{
    const size_t most = prim_device_shared_bytes();
    layout where = {LEAST_SLOTS_LOG2, 0};
    while (where.slots_log2 < MOST_SLOTS_LOG2 &&
           static_cast<size_t>(1) << where.slots_log2 <
               PRIM_HISTOGRAM_SLOTS_OF_A_BIN * args->bins &&
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
        const unsigned blocks = choose_blocks(args->count, LOADS<T> * COUNTING * AT_ONCE<T>, 1);
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
    if (args->bins >= (CROWDED >> PLACE_BITS) - PRIM_HISTOGRAM_OUTSIDE_COUNTERS ||
        bytes_of(args, {LEAST_SLOTS_LOG2, 0}) > prim_device_shared_bytes())
        return "so many edges and counters do not fit in a block's shared memory";
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
     "edges, a table of their bins and copies of the counters in shared memory"},
    edges_table::why_not,
    nullptr,
    edges_table::launch};
