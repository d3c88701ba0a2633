/* EDGES_TABLE: edges, a table of the bins that samples are in, and counters, all in shared memory.
 *
 *     edges       e0     e1        e2      e3 e4        e5
 *     slots       │   0   │   1   │   2   │   3   │   4   │      equal parts between the outer edges
 *     words       0, e1    1       1, e2   2, many  4            bin where it begins, and its edge
 *
 * A slot's word has the bin where the slot begins and says where in it its edge lies, so that a load
 * and an addition give the bin of a sample. Keys of edges are compared only where a slot has several
 * of them, and next to an edge where slots are too coarse to tell.
 *
 * Slots cut one of two measures: the number itself, which suits edges that are spaced evenly, or its
 * key, for floats their ordered bits, which ascend like a logarithm. The block takes the one in
 * which fewer edges share a slot.
 *
 * As in MULTI_COPY, a block has up to 32 copies of its counters, lane l's the copy l mod copies.
 *
 * Work: a load and an addition in shared memory for each sample, and blocks · bins additions in
 * global memory. Bytes: each sample once. Workspace: none. */
#include "histogram/copies.cuh"
#include "histogram/edges.cuh"

namespace
{
namespace edges_table
{

constexpr unsigned COUNTING = 1024; /* threads: one block a multiprocessor, with all its memory */
constexpr unsigned LEAST_SLOTS_LOG2 = 10, MOST_SLOTS_LOG2 = 15;
constexpr size_t SLOTS_OF_BIN = 8;
[[maybe_unused]] constexpr unsigned LOADS = 2; /* of 16 bytes in flight */

/* The layout of shared memory: edges first, then the table, then counters. */
struct layout {
    unsigned slots_log2, copies_log2;
};

/* ---- measures ----
 *
 * of() ascends with the samples that are inside, and has slots_log2 + PLACE_BITS bits: a slot, and
 * the place in it. All samples of a measure from from_edge() on have passed the edge, none has that
 * is two or more below; next to it some may have. */

constexpr unsigned PLACE_BITS = 16;
constexpr uint32_t LAST_PLACE = (1u << PLACE_BITS) - 1;

template <typename Key>
__device__ unsigned bits_of(Key x)
{
    unsigned bits = 0;
    for (; x != 0; x >>= 1)
        bits++;
    return bits;
}

/* Of keys: how far they are above the first edge's. */
template <typename Edge>
struct key_measure {
    using Key = key_of_t<Edge>;
    const edge_binning &b;
    Key first, end;       /* inside: less than `end` above `first` */
    bool misses_last;     /* `end` does not hold one more, so that the last edge is not inside */
    unsigned left, right; /* shifts; one of them by 0 */
    uint32_t half;        /* of the distance of two keys, where measures are finer than those */

    __device__ key_measure(const edge_binning &binned, const Edge *edges, unsigned slots_log2)
        : b(binned), first(key_of_edge(b, edges[0]))
    {
        const Key last = key_of_edge(b, edges[b.bins]), span = first < last ? last - first : 0;
        const bool has_last = first <= last && !b.last_open;
        const unsigned bits = bits_of(span), all = slots_log2 + PLACE_BITS;
        misses_last = has_last && span == extreme<Key>::highest;
        end = has_last && !misses_last ? span + 1 : span;
        left = bits < all ? all - bits : 0;
        right = bits < all ? 0 : bits - all;
        half = left > 0 ? 1u << (left - 1) : 0;
    }

    template <typename T>
    __device__ Key point(T sample) const
    {
        return key_of_sample(b, sample) - first;
    }

    __device__ bool is_inside(Key point) const
    {
        return point < end;
    }

    __device__ uint32_t of(Key point) const
    {
        return static_cast<uint32_t>((point << left) >> right);
    }

    /* Halfway between two keys, where no sample is, if measures are that fine. */
    __device__ uint32_t from_edge(Edge edge) const
    {
        const Key point = key_of_edge(b, edge) - first;
        return point == 0 ? 0 : of(point - 1) + half + 1;
    }
};

template <typename Float>
__device__ Float next_float(Float x, bool upwards)
{
    using Bits = typename std::conditional<sizeof(Float) == 8, int64_t, int32_t>::type;
    if (x == 0)
        return same_bits<Float>(static_cast<Bits>(upwards ? 1 : extreme<Bits>::lowest + 1));
    const Bits bits = same_bits<Bits>(x);
    return same_bits<Float>(static_cast<Bits>((bits < 0) == upwards ? bits - 1 : bits + 1));
}

/* Of floats: how far they are above the first edge, as a share of the way to the last one. */
template <typename Float>
struct value_measure {
    static constexpr bool misses_last = false;
    Float first, last, end; /* inside: from `first` on and less than `end` */
    Float scale;            /* 0: floats do not hold it, or there is no way between the two */

    __device__ value_measure(const edge_binning &b, const Float *edges, unsigned slots_log2)
        : first(edges[0]), last(edges[b.bins]), end(b.last_open ? last : next_float(last, true)),
          scale(0)
    {
        /* A little less than all measures, so that no rounding leads past them. */
        constexpr Float SHORT_OF_1 = 1 - (sizeof(Float) == 8 ? Float(0x1p-50) : Float(0x1p-21));
        const Float width = last - first,
                    all = static_cast<Float>(1u << (slots_log2 + PLACE_BITS)) * SHORT_OF_1;
        if (width > 0 && is_finite(width) && is_finite(all / width))
            scale = all / width;
    }

    __device__ static bool is_finite(Float x)
    {
        return x - x == 0;
    }

    template <typename T>
    __device__ Float point(T sample) const
    {
        return static_cast<Float>(real_value(sample));
    }

    __device__ bool is_inside(Float point) const
    {
        return point >= first && point < end;
    }

    __device__ uint32_t of(Float point) const
    {
        return static_cast<uint32_t>((point - first) * scale);
    }

    __device__ uint32_t from_edge(Float edge) const
    {
        return edge > first && edge <= last ? of(next_float(edge, false)) + 1 : 0;
    }
};

/* ---- the table ----
 *
 * A word is a bin, above, and below how far the slot's edge is from its end, so that adding a
 * sample's place carries into the bin where the sample is behind the edge. A sum with all ones below
 * is next to an edge. A crowded slot has the bin and the number of its edges. */

constexpr uint32_t CROWDED = 1u << 31;

/* Whatever the edges are, bin + 1, and in a crowded slot bin + 1 + edges, are at most bins. */
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

/* After the bins comes a counter for samples in no bin, so that additions have no condition, and
 * then those for samples outside. */
template <class Measure, typename Edge>
struct tabled_counters {
    const edge_binning &b;
    const Measure &measure;
    const Edge *edges;
    const uint32_t *words;
    shared_words own;
    uint32_t stride; /* bytes from a counter to the next */

    /* A sample that is not between the edges: the last edge itself, one outside, or NaN, whose keys
     * are above those of all numbers. */
    template <typename T>
    __device__ void count_other(T sample) const
    {
        const auto key = key_of_sample(b, sample), last = key_of_edge(b, edges[b.bins]);
        const size_t place = is_nan_sample(sample) ? b.bins + NOT_A_NUMBER
                             : key < key_of_edge(b, edges[0])
                                 ? b.bins + BELOW
                                 : place_behind(b, b.bins + 1, key == last);
        const size_t counter = counter_at(place, b.bins, b.outside);
        if (counter != NOWHERE)
            add_one(own, static_cast<uint32_t>(counter < b.bins ? counter : counter + 1) * stride);
    }

    /* Counts a sample whatever its slot is like. */
    template <typename T>
    __device__ void count_one(T sample) const
    {
        const auto point = measure.point(sample);
        if (!measure.is_inside(point)) {
            count_other(sample);
            return;
        }
        const uint32_t at = measure.of(point), word = words[at >> PLACE_BITS],
                       bins = static_cast<uint32_t>(b.bins),
                       first = ((word & ~CROWDED) >> PLACE_BITS) + 1,
                       several = (word & CROWDED) != 0 ? first + (word & LAST_PLACE) : first + 1;
        const auto key_at = [this](uint32_t i) { return key_of_edge(b, edges[i]); };
        const uint32_t passed =
            edges_passed(key_at, first, several < bins ? several : bins, key_of_sample(b, sample));
        add_one(own, (passed - 1) * stride);
    }

    /* Counts the samples that a slot's word decides; returns a bit for each other one. */
    template <typename T>
    __device__ unsigned count_vector(const sixteen_bytes &v) const
    {
        const bool asks = b.outside != PRIM_OUTSIDE_DROP || measure.misses_last;
        unsigned others = 0, outside = 0;
        uint32_t sums[AT_ONCE<T>];
        PRIM_UNROLL(16)
        for (unsigned e = 0; e < AT_ONCE<T>; e++) {
            const auto point = measure.point(raw_sample<T>(v, e));
            const bool is_inside = measure.is_inside(point);
            const uint32_t at = is_inside ? measure.of(point) : 0;
            sums[e] = words[at >> PLACE_BITS] + (at & LAST_PLACE);
            outside |= static_cast<unsigned>(!is_inside) << e;
        }
        PRIM_UNROLL(16)
        for (unsigned e = 0; e < AT_ONCE<T>; e++) {
            const bool is_outside = (outside >> e & 1) != 0,
                       is_open = (sums[e] & CROWDED) != 0 || (~sums[e] & LAST_PLACE) == 0;
            const uint32_t counter =
                is_outside || is_open ? static_cast<uint32_t>(b.bins) : sums[e] >> PLACE_BITS;
            add_one(own, counter * stride);
            others |= static_cast<unsigned>(is_outside ? asks : is_open) << e;
        }
        return others;
    }

    template <typename T>
    __device__ void count_others(unsigned others, const T *from) const
    {
        PRIM_UNROLL(1)
        for (; others != 0; others >>= 1, from++)
            if ((others & 1) != 0)
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
        for (; i < line.vectors; i += LOADS * threads) {
            sixteen_bytes v[LOADS];
            PRIM_UNROLL(LOADS)
            for (unsigned l = 0; l < LOADS; l++)
                if (i + l * threads < line.vectors)
                    v[l] = load_samples(samples + (i + l * threads) * AT_ONCE<T>);
            PRIM_UNROLL(LOADS)
            for (unsigned l = 0; l < LOADS; l++)
                if (i + l * threads < line.vectors)
                    count_others(count_vector<T>(v[l]), samples + (i + l * threads) * AT_ONCE<T>);
        }
    }
};

/* Makes the table by this measure, and counts. All threads call it. */
template <class Measure, typename T>
__device__ void count_by(const Measure &measure, const edge_binning &b, const layout &where,
                         const edge_of_t<T> *edges, uint32_t *words, const sample_line<T> &line)
{
    for (uint32_t slot = threadIdx.x; slot < 1u << where.slots_log2; slot += COUNTING)
        words[slot] = word_of_slot(measure, edges, static_cast<uint32_t>(b.bins), slot);
    __syncthreads();
    const unsigned copies = 1u << where.copies_log2;
    const tabled_counters<Measure, edge_of_t<T>> add = {
        b,
        measure,
        edges,
        words,
        shared_words_of(words + (size_t(1) << where.slots_log2) + (threadIdx.x & (copies - 1))),
        static_cast<uint32_t>(copies * sizeof(uint32_t))};
    add.count_line(line);
}

template <typename T>
__global__ void __launch_bounds__(COUNTING, 1)
    count_samples(sample_line<T> line, edge_binning b, layout where, counters to)
{
    using Edge = edge_of_t<T>;
    PRIM_SHARED_DYNAMIC(Edge, edges);
    uint32_t *const words = reinterpret_cast<uint32_t *>(edges + b.bins + 1),
                    *const own = words + (static_cast<size_t>(1) << where.slots_log2);
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
           (sizeof(uint32_t) << where.slots_log2) + (counter_bytes(args) << where.copies_log2);
}

/* Memory goes to slots first, then to copies; to fewer of them where making these would cost more
 * than the samples. */
layout layout_of(const prim_histogram_args *args, size_t samples_of_block)
{
    const size_t most = prim_device_shared_bytes();
    layout where = {LEAST_SLOTS_LOG2, 0};
    while (where.slots_log2 < MOST_SLOTS_LOG2 &&
           static_cast<size_t>(1) << where.slots_log2 < SLOTS_OF_BIN * args->bins &&
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
    if (args->bins > CROWDED >> PLACE_BITS ||
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
     "edges, a table of their bins and copies of the counters in shared memory"},
    edges_table::why_not,
    nullptr,
    edges_table::launch};
