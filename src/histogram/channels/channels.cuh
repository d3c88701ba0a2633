/* An image whose channels are counted separately: its rows, the bins of each channel, and the
 * counters, channel after channel. */
#ifndef PRIM_HISTOGRAM_CHANNELS_CUH
#define PRIM_HISTOGRAM_CHANNELS_CUH

#include "histogram/counters/counting.cuh"

namespace
{

/* Rows without gaps are one row. */
struct image_rows {
    const char *data;
    size_t pitch, rows;
    size_t samples; /* of a row */
    unsigned channels;
};

inline image_rows make_rows(const prim_histogram_args *args)
{
    const prim_image &image = args->image;
    const size_t samples = image.width * static_cast<size_t>(image.channels);
    const bool has_gaps = image.pitch != samples * prim_element_bytes(image.type);
    return {static_cast<const char *>(image.data), image.pitch, has_gaps ? image.height : 1,
            has_gaps ? samples : samples * image.height, static_cast<unsigned>(image.channels)};
}

template <typename T>
__device__ const T *row_of(const image_rows &image, size_t row)
{
    return reinterpret_cast<const T *>(image.data + row * image.pitch);
}

/* A sample's row, place there and channel; or how far on another one is. */
struct image_place {
    size_t row, at;
    unsigned channel;

    __device__ static image_place make(const image_rows &image, size_t i)
    {
        const size_t at = i % image.samples;
        return {i / image.samples, at, static_cast<unsigned>(at % image.channels)};
    }

    __device__ void advance(const image_rows &image, const image_place &by)
    {
        row += by.row;
        at += by.at;
        channel += by.channel;
        if (at >= image.samples) { /* rows hold whole pixels: the channel stays */
            at -= image.samples;
            row++;
        }
        if (channel >= image.channels)
            channel -= image.channels;
    }
};

/* A channel's bins. The args of a call of the same kind for that channel alone. */
inline prim_histogram_args args_of_channel(const prim_histogram_args *args, int channel)
{
    prim_histogram_args one = *args;
    one.range = args->ranges[channel];
    return one;
}

struct channel_binnings {
    binning of[PRIM_MOST_CHANNELS];
};

inline channel_binnings make_channel_binnings(const prim_histogram_args *args)
{
    channel_binnings b = {};
    for (int c = 0; c < args->image.channels; c++) {
        const prim_histogram_args one = args_of_channel(args, c);
        b.of[c] = make_binning(&one);
    }
    return b;
}

/* The call's counters. A counter of a channel is a bin, or bins + 0 … 2 for d_outside's. */
struct channel_counters {
    counters all;
    size_t bins;

    __device__ void add(unsigned channel, size_t counter, uint32_t n) const
    {
        if (counter < bins)
            all.add_to(all.bins, channel * bins + counter, n);
        else
            all.add_to(all.outside, channel * PRIM_HISTOGRAM_OUTSIDE_COUNTERS + (counter - bins),
                       n);
    }
};

inline channel_counters make_channel_counters(const prim_histogram_args *args)
{
    return {make_counters(args), args->bins};
}

/* The counters of all channels in one line: a channel's bins, then its three for samples outside.
 */
struct line_of_counters {
    const channel_counters &to;

    __device__ size_t each() const
    {
        return to.bins + PRIM_HISTOGRAM_OUTSIDE_COUNTERS;
    }

    __device__ void add(size_t at, uint32_t n) const
    {
        unsigned channel = 0;
        for (; at >= each(); at -= each())
            channel++;
        to.add(channel, at, n);
    }
};

} // namespace

#endif
