/* CHANNELS_GLOBAL_ATOMIC: every sample of the image is an atomic addition in global memory, to a
 * counter of its channel.
 *
 *     row        r g b r g b …  gap       thread i takes samples i, i + threads, … of all rows
 *                │ │ │ │ │ │
 *     counters   r: +1 … g: +1 … b: +1    channel after channel, in L2
 *
 * A sample's number gives its row and its place in the row, and this its channel: two divisions for
 * each sample. Additions to one counter queue up, as in GLOBAL_ATOMIC. Any number of bins.
 *
 * Work: count atomics. Steps: as many as meet in the fullest counter. Bytes: each sample once. */
#include "histogram/channels.cuh"

namespace
{
namespace channels_global_atomic
{

template <typename T>
__global__ void __launch_bounds__(THREADS)
    count_samples(image_rows image, channel_binnings b, channel_counters to)
{
    const size_t threads = static_cast<size_t>(gridDim.x) * THREADS,
                 count = image.rows * image.samples;
    for (size_t i = static_cast<size_t>(blockIdx.x) * THREADS + threadIdx.x; i < count;
         i += threads) {
        const size_t row = i / image.samples, at = i % image.samples;
        const unsigned channel = static_cast<unsigned>(at % image.channels);
        const size_t counter = counter_of(b.of[channel], row_of<T>(image, row)[at]);
        if (counter != NOWHERE)
            to.add(channel, counter, 1);
    }
}

struct run_count : launch_run {
    template <typename T>
    static cudaError_t run(const prim_histogram_args *args)
    {
        const cudaError_t error = clear_counters(args);
        const image_rows image = make_rows(args);
        if (error != cudaSuccess || args->count == 0)
            return error;
        return prim_launch(
            {args->call.stream, choose_blocks(image.rows * image.samples, THREADS, 8), THREADS},
            count_samples<T>, image, make_channel_binnings(args), make_channel_counters(args));
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
