/* CHANNELS_MULTI_COPY: a thread takes a group of as many 16-byte vectors as the image has channels,
 * so that all groups of a row begin with the same channel; counters as in MULTI_COPY.
 *
 *     row       │ head │ rgbrgbrgb… │ rgbrgbrgb… │ … │ tail │      groups between its ends
 *     slots     0   r r r …     samples s, s + 3, s + 6, … of a group are its slot s: of one
 *               1   g g g …     channel, which the row's head alone decides, and as many as a
 *               2   b b b …     vector holds
 *
 * A slot is binned by its channel's range, as a vector is in MULTI_COPY.
 *
 * One and two channels take groups of four vectors, as if there were four channels. No division is
 * needed for a sample; a group's row is found by incrementing. Samples outside of groups, fewer
 * than a group's and a vector's in each row, are counted one by one. A row's head ends at a
 * multiple of 16 bytes, so no load leaves the row.
 *
 * Short rows with gaps between them have few groups, or none. There a vector is made of the samples
 * of one column in several rows. These belong to one channel too, and neighbouring lanes still load
 * neighbouring samples.
 *
 * 8-bit samples are counted by their 256 values, as in MULTI_COPY.
 *
 * Work: an addition in shared memory for each sample, and blocks · channels · bins in global
 * memory.
 * Bytes: each sample once. Workspace: none. It is launched while another kernel clears the
 * counters. */
#include "common/block/vectors.cuh"
#include "histogram/channels/channels.cuh"
#include "histogram/counters/copies.cuh"
#include "histogram/counters/held.cuh"
#include "histogram/tuning.h"

namespace
{
namespace channels_multi_copy
{

/* The most threads of a block: one block a multiprocessor, with all its memory. Wider samples take
 * registers for their bins, most of them where eight are in a vector. */
template <typename T>
constexpr unsigned COUNTING = sizeof(T) == 1   ? 1024
                              : sizeof(T) == 2 ? 512
                                               : 768;

/* ---- groups ---- */

/* Samples before the row's first whole vector. */
template <typename T>
__device__ unsigned head_of(const T *row, size_t samples)
{
    const unsigned past = bytes_past_vector(row);
    const unsigned head = past == 0 ? 0 : (VECTOR_BYTES - past) / static_cast<unsigned>(sizeof(T));
    return head < samples ? head : static_cast<unsigned>(samples);
}

/* Samples of a group of that many vectors. */
template <unsigned GROUP, typename T>
constexpr unsigned IN_GROUP = GROUP *AT_ONCE<T>;

/* The channel of a slot's samples. */
template <unsigned GROUP>
__device__ unsigned channel_of(const image_rows &image, unsigned head, unsigned slot)
{
    return GROUP == 3 ? (head + slot) % 3 : (head + slot) & (image.channels - 1);
}

/* take(from, head) for each group, shared by the grid's threads: a thread finds the row of its next
 * group by incrementing. A row has one group fewer where its head leaves no room. */
template <unsigned GROUP, typename T, class Take>
__device__ void for_each_group(const image_rows &image, const Take &take)
{
    constexpr unsigned SAMPLES = IN_GROUP<GROUP, T>;
    const size_t threads = static_cast<size_t>(gridDim.x) * blockDim.x,
                 thread = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const size_t groups = image.samples / SAMPLES;
    if (groups == 0)
        return;
    const size_t rows_on = threads / groups, groups_on = threads % groups;
    size_t row = thread / groups, group = thread % groups;
    PRIM_UNROLL(1)
    while (row < image.rows) {
        const T *const samples = row_of<T>(image, row);
        const unsigned head = head_of(samples, image.samples);
        if (head + (group + 1) * SAMPLES <= image.samples)
            take(samples + head + group * SAMPLES, head);
        row += rows_on;
        group += groups_on;
        if (group >= groups) {
            group -= groups;
            row++;
        }
    }
}

/* one(sample, channel) for each sample outside of groups; a warp takes those of a row. */
template <unsigned GROUP, typename T, class One>
__device__ void for_each_end(const image_rows &image, const One &one)
{
    constexpr unsigned SAMPLES = IN_GROUP<GROUP, T>;
    const unsigned warps = blockDim.x / WARP, lane = threadIdx.x % WARP;
    size_t row = static_cast<size_t>(blockIdx.x) * warps + threadIdx.x / WARP;
    PRIM_UNROLL(1)
    for (; row < image.rows; row += static_cast<size_t>(gridDim.x) * warps) {
        const T *const samples = row_of<T>(image, row);
        const unsigned head = head_of(samples, image.samples);
        const size_t in_groups = (image.samples - head) / SAMPLES * SAMPLES;
        const unsigned ends = static_cast<unsigned>(image.samples - in_groups);
        PRIM_UNROLL(1)
        for (unsigned e = lane; e < ends; e += WARP) /* groups hold whole pixels */
            one(samples[e < head ? e : e + in_groups], e % image.channels);
    }
}

/* ---- short rows, of which columns are taken ---- */

/* Vectors of a column under way in a thread. */
template <typename T>
constexpr unsigned VECTORS = sizeof(T) == 1 ? 1 : 2;

/* Samples of a column that a thread takes together. */
template <typename T>
constexpr unsigned IN_COLUMN = VECTORS<T> *AT_ONCE<T>;

template <typename T>
__host__ __device__ bool has_short_rows(const image_rows &image)
{
    return image.rows >= IN_COLUMN<T> &&
           image.samples * sizeof(T) < PRIM_HISTOGRAM_SHORT_ROW_BYTES(sizeof(T));
}

/* take(samples, apart, channel) for IN_COLUMN samples of one column, `apart` bytes from each to the
 * next, and one(sample, channel) for each sample of the rows that are left: neighbouring lanes take
 * neighbouring samples. */
template <typename T, class Take, class One>
__device__ void for_each_column(const image_rows &image, const Take &take, const One &one)
{
    const size_t threads = static_cast<size_t>(gridDim.x) * blockDim.x,
                 thread = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const size_t rows_apart = image.rows / IN_COLUMN<T>;
    const image_place by = image_place::make(image, threads);
    image_place next = image_place::make(image, thread);
    PRIM_UNROLL(1)
    for (; next.row < rows_apart; next.advance(image, by))
        take(reinterpret_cast<const char *>(row_of<T>(image, next.row) + next.at),
             rows_apart * image.pitch, next.channel);
    next = image_place::make(image, thread);
    next.row += rows_apart * IN_COLUMN<T>;
    PRIM_UNROLL(1)
    for (; next.row < image.rows; next.advance(image, by))
        one(row_of<T>(image, next.row)[next.at], next.channel);
}

template <typename T>
__device__ T sample_at(const char *samples, size_t bytes)
{
    return *reinterpret_cast<const T *>(samples + bytes);
}

/* A vector of samples that lie `apart` bytes from each other. */
template <typename T>
__device__ sixteen_bytes load_column(const char *from, size_t apart)
{
    constexpr unsigned IN_WORD = sizeof(uint32_t) / sizeof(T);
    sixteen_bytes v;
    PRIM_UNROLL(4)
    for (unsigned w = 0; w < 4; w++) {
        if constexpr (sizeof(T) == 8) {
            const uint64_t bits = same_bits<uint64_t>(sample_at<T>(from, w / 2 * apart));
            v.words[w] = static_cast<uint32_t>(bits >> w % 2 * 32);
        } else if constexpr (sizeof(T) == 4) {
            v.words[w] = same_bits<uint32_t>(sample_at<T>(from, w * apart));
        } else {
            using Bits = typename std::conditional<sizeof(T) == 2, uint16_t, uint8_t>::type;
            v.words[w] = 0;
            PRIM_UNROLL(4)
            for (unsigned e = 0; e < IN_WORD; e++) {
                const T sample = sample_at<T>(from, (w * IN_WORD + e) * apart);
                v.words[w] |= static_cast<uint32_t>(same_bits<Bits>(sample)) << e * 8 * sizeof(T);
            }
        }
    }
    return v;
}

template <unsigned GROUP, typename T>
__device__ void load_group(const T *from, sixteen_bytes (&v)[GROUP])
{
    PRIM_UNROLL(4)
    for (unsigned i = 0; i < GROUP; i++)
        v[i] = load_samples(from + i * AT_ONCE<T>);
}

/* ---- 8-bit samples ---- */

/* A channel's counters of values follow those of the channel before. */
struct value_counters {
    shared_words own; /* the lane's copy */
    uint32_t stride;  /* bytes from a counter to the next */

    __device__ shared_words of(unsigned channel) const
    {
        return own + channel * VALUES * stride;
    }
};

__device__ void count_values_of_columns(const image_rows &image, const value_counters &add)
{
    for_each_column<uint8_t>(
        image,
        [&add](const char *from, size_t apart, unsigned channel) {
            const shared_words own = add.of(channel);
            uint32_t values[IN_COLUMN<uint8_t>];
            PRIM_UNROLL(16)
            for (unsigned i = 0; i < IN_COLUMN<uint8_t>; i++)
                values[i] = sample_at<uint8_t>(from, i * apart);
            PRIM_UNROLL(16)
            for (unsigned i = 0; i < IN_COLUMN<uint8_t>; i++)
                add_one(own, values[i] * add.stride);
        },
        [&add](uint8_t sample, unsigned channel) {
            add_one(add.of(channel), sample * add.stride);
        });
}

template <unsigned GROUP>
__device__ void count_values(const image_rows &image, const value_counters &add)
{
    for_each_end<GROUP, uint8_t>(image, [&add](uint8_t sample, unsigned channel) {
        add_one(add.of(channel), sample * add.stride);
    });
    for_each_group<GROUP, uint8_t>(image, [&](const uint8_t *from, unsigned head) {
        sixteen_bytes v[GROUP];
        shared_words slots[GROUP];
        load_group(from, v);
        PRIM_UNROLL(4)
        for (unsigned s = 0; s < GROUP; s++)
            slots[s] = add.of(channel_of<GROUP>(image, head, s));
        PRIM_UNROLL(64)
        for (unsigned i = 0; i < IN_GROUP<GROUP, uint8_t>; i++)
            add_one(slots[i % GROUP],
                    chosen_bytes(v[i / 16].words[i / 4 % 4], 0, 0x4440 + i % 4) * add.stride);
    });
}

__global__ void __launch_bounds__(COUNTING<uint8_t>, 1)
    count_bytes(image_rows image, channel_binnings b, unsigned copies_log2, channel_counters to)
{
    PRIM_SHARED_DYNAMIC(uint32_t, own);
    const unsigned all = VALUES * image.channels, copies = 1u << copies_log2;
    for (unsigned w = threadIdx.x; w < all << copies_log2; w += blockDim.x)
        own[w] = 0;
    __syncthreads();

    const value_counters add = {shared_words_of(own + (threadIdx.x & (copies - 1))),
                                static_cast<uint32_t>(copies * sizeof(uint32_t))};
    if (has_short_rows<uint8_t>(image))
        count_values_of_columns(image, add);
    else if (image.channels == 3)
        count_values<3>(image, add);
    else
        count_values<4>(image, add);
    __syncthreads();
    grid_dependency_synchronize();

    const line_of_counters line = {to};
    held_counters<line_of_counters, size_t, uint32_t> held = {line, {}, {}};
    const bool meet = values_meet(b.of[0]);
    held.begin();
    for (unsigned c = threadIdx.x; c < all; c += blockDim.x) { /* whole warps */
        const uint32_t n[1] = {sum_of_copies(own, c, copies)};
        const unsigned channel = c / VALUES;
        const size_t counter = counter_of(b.of[channel], static_cast<uint8_t>(c % VALUES));
        size_t at[1] = {NOWHERE};
        if (n[0] != 0 && counter != NOWHERE)
            at[0] = counter + channel * line.each();
        if (meet)
            held.add(at, n);
        else if (at[0] != NOWHERE)
            to.add(channel, counter, n[0]);
    }
    held.end();
}

/* ---- wider samples ---- */

/* Quick bins of all channels, by one method, which is chosen once in a kernel. */
struct channel_quick_binnings {
    quick_binning of[PRIM_MOST_CHANNELS];
};

inline quick_method general_method(const quick_binning &q)
{
    return q.method == DYADIC ? q.general : q.method;
}

/* Every method is more general than those before it in the enum, except EXACT, which can do all,
 * and DYADIC, beside which there is another one. */
inline quick_method common_method(const channel_quick_binnings &q, int channels)
{
    bool all_dyadic = true;
    for (int c = 0; c < channels; c++)
        all_dyadic = all_dyadic && q.of[c].method == DYADIC;
    if (all_dyadic)
        return DYADIC;
    quick_method method = general_method(q.of[0]);
    for (int c = 1; c < channels; c++) {
        const quick_method other = general_method(q.of[c]);
        method = method == EXACT || other == EXACT ? EXACT : other > method ? other : method;
    }
    return method;
}

/* A slot's samples as a vector: number e of them is number e · GROUP + slot of the group's. */
template <unsigned GROUP, typename T>
__device__ sixteen_bytes samples_of_slot(const sixteen_bytes (&v)[GROUP], unsigned slot)
{
    sixteen_bytes of;
    PRIM_UNROLL(4)
    for (unsigned w = 0; w < 4; w++) {
        if constexpr (sizeof(T) == 2) {
            const unsigned low = 2 * w * GROUP + slot, high = low + GROUP;
            of.words[w] =
                chosen_bytes(v[low / 8].words[low / 2 % 4], v[high / 8].words[high / 2 % 4],
                             (low % 2 == 0 ? 0x10 : 0x32) | (high % 2 == 0 ? 0x5400 : 0x7600));
        } else {
            constexpr unsigned WORDS = sizeof(T) / sizeof(uint32_t);
            const unsigned at = (w / WORDS * GROUP + slot) * WORDS + w % WORDS;
            of.words[w] = v[at / 4].words[at % 4];
        }
    }
    return of;
}

/* A block's counters: those of a channel, and its table if there is one, follow those of the
 * channel before. */
struct block_counters {
    shared_words own; /* the lane's copy */
    const float *first;
    uint32_t stride; /* bytes from a counter to the next */
    uint32_t bins;

    /* After the bins: one for samples in no bin, and those for samples outside. */
    __device__ static unsigned each(uint32_t bins)
    {
        return bins + 1 + PRIM_HISTOGRAM_OUTSIDE_COUNTERS;
    }

    __device__ copied_counters of(unsigned channel) const
    {
        return {own + channel * each(bins) * stride, stride, bins};
    }

    __device__ const float *table_of(unsigned channel) const
    {
        return first + channel * (bins + 2);
    }
};

template <unsigned GROUP, typename T>
struct image_loop {
    const image_rows &image;
    const channel_quick_binnings &q;
    const block_counters &add;

    /* Samples without quick bins: bit s · AT_ONCE + e of `others` is sample e of slot s. */
    __device__ void count_rest(uint32_t others, const T *from, unsigned head) const
    {
        PRIM_UNROLL(1)
        for (unsigned i = 0; others != 0; i++, others >>= 1)
            if ((others & 1) != 0) {
                const unsigned slot = i / AT_ONCE<T>, e = i % AT_ONCE<T>,
                               channel = channel_of<GROUP>(image, head, slot);
                copied_counters of = add.of(channel);
                count_exactly(q.of[channel].exact, from[e * GROUP + slot], of);
            }
    }

    template <quick_method METHOD>
    __device__ void run() const
    {
        static_assert(IN_GROUP<GROUP, T> <= 32, "a bit for each sample");
        for_each_group<GROUP, T>(image, [this](const T *from, unsigned head) {
            sixteen_bytes v[GROUP];
            uint32_t others = 0;
            load_group(from, v);
            PRIM_UNROLL(4)
            for (unsigned s = 0; s < GROUP; s++) {
                const unsigned channel = channel_of<GROUP>(image, head, s);
                copied_counters of = add.of(channel);
                others |= count_vector<METHOD, T>(q.of[channel], add.table_of(channel),
                                                  samples_of_slot<GROUP, T>(v, s), of, false)
                          << s * AT_ONCE<T>;
            }
            count_rest(others, from, head);
        });
    }
};

template <unsigned GROUP, typename T>
__device__ void count_image(const image_rows &image, const channel_quick_binnings &q,
                            const block_counters &add)
{
    for_each_end<GROUP, T>(image, [&q, &add](T sample, unsigned channel) {
        copied_counters of = add.of(channel);
        count_exactly(q.of[channel].exact, sample, of);
    });
    const image_loop<GROUP, T> loop = {image, q, add};
    with_method<true, T>(q.of[0], loop);
}

template <typename T>
struct column_loop {
    const image_rows &image;
    const channel_quick_binnings &q;
    const block_counters &add;

    __device__ void one(T sample, unsigned channel) const
    {
        copied_counters of = add.of(channel);
        count_exactly(q.of[channel].exact, sample, of);
    }

    template <quick_method METHOD>
    __device__ void run() const
    {
        const auto take = [this](const char *from, size_t apart, unsigned channel) {
            sixteen_bytes v[VECTORS<T>];
            copied_counters of = add.of(channel);
            uint32_t others = 0;
            PRIM_UNROLL(2)
            for (unsigned i = 0; i < VECTORS<T>; i++)
                v[i] = load_column<T>(from + i * AT_ONCE<T> * apart, apart);
            PRIM_UNROLL(2)
            for (unsigned i = 0; i < VECTORS<T>; i++)
                others |=
                    count_vector<METHOD, T>(q.of[channel], add.table_of(channel), v[i], of, false)
                    << i * AT_ONCE<T>;
            PRIM_UNROLL(1)
            for (; others != 0; others >>= 1, from += apart)
                if ((others & 1) != 0)
                    one(sample_at<T>(from, 0), channel);
        };
        for_each_column<T>(image, take,
                           [this](T sample, unsigned channel) { one(sample, channel); });
    }
};

template <typename T>
__device__ void count_columns(const image_rows &image, const channel_quick_binnings &q,
                              const block_counters &add)
{
    const column_loop<T> loop = {image, q, add};
    with_method<true, T>(q.of[0], loop);
}

template <typename T>
__global__ void __launch_bounds__(COUNTING<T>, 1)
    count_samples(image_rows image, channel_quick_binnings q, unsigned copies_log2,
                  channel_counters to)
{
    PRIM_SHARED_DYNAMIC(uint32_t, own);
    const uint32_t bins = q.of[0].bins;
    const unsigned each = block_counters::each(bins), all = each * image.channels,
                   copies = 1u << copies_log2;
    float *const first = reinterpret_cast<float *>(own + (all << copies_log2));
    for (unsigned w = threadIdx.x; w < all << copies_log2; w += blockDim.x)
        own[w] = 0;
    const block_counters add = {shared_words_of(own + (threadIdx.x & (copies - 1))), first,
                                static_cast<uint32_t>(copies * sizeof(uint32_t)), bins};
    if (q.of[0].method == IN_FLOAT)
        for (unsigned c = 0; c < image.channels; c++)
            make_table(q.of[c], first + c * (bins + 2));
    __syncthreads();

    if (has_short_rows<T>(image))
        count_columns<T>(image, q, add);
    else if (image.channels == 3)
        count_image<3, T>(image, q, add);
    else
        count_image<4, T>(image, q, add);
    __syncthreads();
    grid_dependency_synchronize();

    for (unsigned c = threadIdx.x; c < all; c += blockDim.x) {
        const uint32_t n = sum_of_copies(own, c, copies);
        const unsigned channel = c / each, counter = c % each;
        if (n != 0 && counter != bins)
            to.add(channel, counter < bins ? counter : counter - 1, n);
    }
}

/* ---- launching ---- */

/* Bytes of one copy. */
size_t counter_bytes(const prim_histogram_args *args)
{
    const size_t each = are_values_counted(prim_element_bytes(args->sample_type))
                            ? static_cast<size_t>(VALUES)
                            : args->bins + 1 + PRIM_HISTOGRAM_OUTSIDE_COUNTERS;
    return each * static_cast<size_t>(args->image.channels) * sizeof(uint32_t);
}

/* One table, in the memory that counters leave. */
size_t table_bytes(const prim_histogram_args *args)
{
    return (args->bins + 2) * static_cast<size_t>(args->image.channels) * sizeof(float);
}

channel_quick_binnings make_channel_quick_binnings(const prim_histogram_args *args)
{
    channel_quick_binnings q = {};
    for (int c = 0; c < args->image.channels; c++) {
        const prim_histogram_args one = args_of_channel(args, c);
        q.of[c] = make_quick_binning(&one);
    }
    quick_method method = common_method(q, args->image.channels);
    if (method == IN_FLOAT && counter_bytes(args) + table_bytes(args) > prim_device_shared_bytes())
        method = IN_DOUBLE;
    for (int c = 0; c < args->image.channels; c++) {
        q.of[c].method = method;
        q.of[c].asks = q.of[c].asks || method == EXACT;
    }
    return q;
}

unsigned copies_beside(const prim_histogram_args *args, size_t table, unsigned blocks)
{
    const size_t samples = args->count * static_cast<size_t>(args->image.channels);
    return choose_copies_log2(counter_bytes(args), table, samples / (blocks + 1));
}

struct grid_shape {
    unsigned blocks, threads;
};

/* A thread has a group, or a warp a row. Small images get smaller blocks, so that there are some
 * for all multiprocessors. */
template <typename T>
grid_shape shape_for(const image_rows &image)
{
    constexpr unsigned LEAST = 256;
    const size_t groups = prim_divide_up(image.rows * image.samples, IN_GROUP<4, T>),
                 lanes = image.rows * WARP, threads = groups > lanes ? groups : lanes;
    unsigned of_block = COUNTING<T>;
    while (of_block / 2 >= LEAST && threads <= of_block / 2 * prim_device_multiprocessors())
        of_block /= 2;
    return {choose_blocks(threads, of_block, 1), of_block};
}

struct run_count : launch_run {
    template <typename T>
    static cudaError_t run(const prim_histogram_args *args)
    {
        if constexpr (are_values_counted(sizeof(T)))
            return run_bytes(args);
        else
            return run_wide<T>(args);
    }

    static cudaError_t run_bytes(const prim_histogram_args *args)
    {
        const image_rows image = make_rows(args);
        const grid_shape grid = shape_for<uint8_t>(image);
        const unsigned copies_log2 = copies_beside(args, 0, grid.blocks);
        const cudaError_t error = prim_allow_shared(count_bytes, prim_device_shared_bytes());
        if (error != cudaSuccess)
            return error;
        return clear_and_launch(
            args,
            {args->call.stream, grid.blocks, grid.threads, counter_bytes(args) << copies_log2},
            count_bytes, image, make_channel_binnings(args), copies_log2,
            make_channel_counters(args));
    }

    template <typename T>
    static cudaError_t run_wide(const prim_histogram_args *args)
    {
        const image_rows image = make_rows(args);
        const channel_quick_binnings q = make_channel_quick_binnings(args);
        const size_t table = q.of[0].method == IN_FLOAT ? table_bytes(args) : 0;
        const grid_shape grid = shape_for<T>(image);
        const unsigned copies_log2 = copies_beside(args, table, grid.blocks);
        const cudaError_t error = prim_allow_shared(count_samples<T>, prim_device_shared_bytes());
        if (error != cudaSuccess)
            return error;
        return clear_and_launch(args,
                                {args->call.stream, grid.blocks, grid.threads,
                                 (counter_bytes(args) << copies_log2) + table},
                                count_samples<T>, image, q, copies_log2,
                                make_channel_counters(args));
    }
};

const char *why_not(const void *any)
{
    const prim_histogram_args *args = static_cast<const prim_histogram_args *>(any);
    if (!dispatch<is_built>(args))
        return PRIM_TYPES_NOT_BUILT;
    if (args->bins > PRIM_HISTOGRAM_MOST_BINS)
        return PRIM_HISTOGRAM_TOO_MANY_BINS;
    if (counter_bytes(args) > prim_device_shared_bytes())
        return "the counters of so many bins and channels do not fit in a block's shared memory";
    return nullptr;
}

cudaError_t launch(const void *args)
{
    return dispatch<run_count>(static_cast<const prim_histogram_args *>(args));
}

/* Kernels ask has_short_rows() too. */
struct choose_route {
    template <typename T>
    static const char *run(const prim_histogram_args *args)
    {
        const bool by_columns = has_short_rows<T>(make_rows(args));
        return are_values_counted(sizeof(T)) ? (by_columns ? "value_columns" : "value_groups")
               : by_columns                  ? "columns"
                                             : "groups";
    }
    static const char *not_built(const prim_histogram_args *)
    {
        return nullptr;
    }
};

} // namespace channels_multi_copy
} // namespace

const char *prim_histogram_channels_route(const prim_histogram_args *args)
{
    return dispatch<channels_multi_copy::choose_route>(args);
}

PRIM_DEFINE_RUNG(histogram, channels_multi_copy) = {
    {PRIM_HISTOGRAM_CHANNELS_MULTI_COPY, "channels_multi_copy",
     "groups of as many 16-byte loads as channels, and up to 32 copies of a block's counters"},
    channels_multi_copy::why_not,
    nullptr,
    channels_multi_copy::launch};
