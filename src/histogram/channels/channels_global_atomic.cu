/* CHANNELS_GLOBAL_ATOMIC: every sample of the image is an atomic addition in global memory, to a
 * counter of its channel.
 *
 *     row        r g b r g b …  gap       thread i takes samples i, i + threads, … of all rows
 *                │ │ │ │ │ │
 *     counters   r: +1 … g: +1 … b: +1    channel after channel, in L2
 *
 * A thread divides once, for its first sample; the row, the place there and the channel of the next
 * are found by adding. It has two samples under way. Additions to one counter queue up, as in
 * GLOBAL_ATOMIC; so warps hold back what they add to the counters that they meet often: held.cuh.
 * Any number of bins.
 *
 * Work: count atomics. Steps: as many as meet in the fullest counter. Bytes: each sample once. */
#include "histogram/channels/channels.cuh"
#include "histogram/counters/held.cuh"

namespace
{
namespace channels_global_atomic
{

constexpr unsigned AT_A_TIME = 2, BLOCKS = 4; /* a multiprocessor */

template <typename T>
__global__ void __launch_bounds__(THREADS, BLOCKS)
    count_samples(image_rows image, channel_binnings b, channel_counters to)
{
    const size_t threads = static_cast<size_t>(gridDim.x) * THREADS,
                 count = image.rows * image.samples;
    const size_t i = static_cast<size_t>(blockIdx.x) * THREADS + threadIdx.x;
    const line_of_counters line = {to};
    held_counters<line_of_counters, size_t, uint32_t> held = {line, {}, {}};
    uint32_t ones[AT_A_TIME];
    PRIM_UNROLL(4)
    for (unsigned n = 0; n < AT_A_TIME; n++)
        ones[n] = 1;
    const image_place by = image_place::make(image, threads);
    image_place next = image_place::make(image, i);
    held.begin();
    PRIM_UNROLL(1)
    for (size_t first = i - threadIdx.x % WARP; first < count; /* the same for a warp's lanes */
         first += AT_A_TIME * threads) {
        T sample[AT_A_TIME];
        unsigned channel[AT_A_TIME];
        size_t at[AT_A_TIME];
        PRIM_UNROLL(4)
        for (unsigned n = 0; n < AT_A_TIME; n++) {
            channel[n] = next.row < image.rows ? next.channel : image.channels;
            if (next.row < image.rows)
                sample[n] = row_of<T>(image, next.row)[next.at];
            next.advance(image, by);
        }
        PRIM_UNROLL(4)
        for (unsigned n = 0; n < AT_A_TIME; n++) {
            at[n] = channel[n] < image.channels ? counter_of(b.of[channel[n]], sample[n]) : NOWHERE;
            if (at[n] != NOWHERE)
                at[n] += channel[n] * line.each();
        }
        held.add(at, ones);
    }
    held.end();
}

struct run_count : launch_run {
    template <typename T>
    static cudaError_t run(const prim_histogram_args *args)
    {
        const cudaError_t error = clear_counters(args);
        const image_rows image = make_rows(args);
        if (error != cudaSuccess || args->count == 0)
            return error;
        return prim_launch({args->call.stream,
                            choose_blocks(image.rows * image.samples, THREADS, BLOCKS), THREADS},
                           count_samples<T>, image, make_channel_binnings(args),
                           make_channel_counters(args));
    }
};

const char *why_not(const void *args)
{
    return dispatch<is_built>(static_cast<const prim_histogram_args *>(args))
               ? nullptr
               : PRIM_TYPES_NOT_BUILT;
}

cudaError_t launch(const void *args)
{
    return dispatch<run_count>(static_cast<const prim_histogram_args *>(args));
}

} // namespace channels_global_atomic
} // namespace

PRIM_DEFINE_RUNG(histogram, channels_global_atomic) = {
    {PRIM_HISTOGRAM_CHANNELS_GLOBAL_ATOMIC, "channels_global_atomic",
     "every sample is an atomic addition in global memory, to a counter of its channel"},
    channels_global_atomic::why_not,
    nullptr,
    channels_global_atomic::launch};
