/* Copies rows of bytes into shared memory, with the boundary's bytes in place of those outside the
 * image, and out of it.
 *
 *     in memory      · · · a b c d e f g h i j k l · ·     a … l  a line of the image
 *     chunks           │       │       │       │       │   of 16 bytes
 *     shared         d c b a b c d e f g h i j k l l k j
 *                      └ bytes ┘└  copied  ┘└─ bytes
 *
 * Chunks inside the image are copied asynchronously as a whole; the boundary is applied only to the
 * bytes of other chunks. Where rows of an image begin at odd addresses, either a row begins as far
 * past a chunk in shared memory as in global memory, and readers shift it; or it is copied through
 * registers, word by word, and shifted there. */
#ifndef PRIM_CONVOLUTION_ROWS_CUH
#define PRIM_CONVOLUTION_ROWS_CUH

#include "common/block/vectors.cuh"
#include "common/block/warp.cuh"
#include "common/kernel/async_copy.cuh"
#include "convolution/problem.cuh"

namespace
{
namespace rows
{

constexpr int CHUNK = 16, LANES = static_cast<int>(WARP);

struct image_of_bytes {
    const uint8_t *data;
    size_t pitch;
    int64_t width, height; /* in pixels */
    int line, reach;       /* bytes of a row, and those after it that a window may reach */
    int channels;
    bool is_aligned; /* rows lie alike within chunks: what is asked for begins where one does */
    bool is_wide;    /* no narrower than the mask */
    prim_boundary boundary;
    uint8_t fill[PRIM_CONVOLUTION_MOST_CHANNELS];

    __device__ const uint8_t *row(int64_t y) const
    {
        return data + static_cast<size_t>(y) * pitch;
    }

    /* The row to read for row y, or FILL. */
    __device__ int64_t row_for(int64_t y) const
    {
        const int64_t low = 256; /* images that may have fewer rows than a mask */
        return height < low ? stand_in(boundary, static_cast<int>(y), static_cast<int>(height))
                            : near_stand_in(boundary, y, height);
    }

    /* Byte x of a row, inside of the image or not. */
    __device__ uint8_t byte_at(const uint8_t *row, int x) const
    {
        if (is_inside(x, line))
            return row[x];
        const int channel = channels == 1 ? 0 : repeat(x, channels), n = static_cast<int>(width);
        const int pixel = channels == 1 ? x : (x - channel) / channels;
        const int from = is_wide ? near_stand_in(boundary, pixel, n) : stand_in(boundary, pixel, n);
        return from == FILL ? fill[channel] : row[from * channels + channel];
    }
};

inline image_of_bytes make_image(const prim_convolution_args *args)
{
    const prim_image &in = args->in;
    image_of_bytes image = {};
    image.data = static_cast<const uint8_t *>(in.data);
    image.pitch = in.pitch;
    image.width = static_cast<int64_t>(in.width);
    image.height = static_cast<int64_t>(in.height);
    image.line = static_cast<int>(in.width) * in.channels;
    image.reach = (static_cast<int>(args->mask.width) - 1) * in.channels;
    image.channels = in.channels;
    image.is_aligned = in.pitch % CHUNK == 0 || in.height == 1;
    image.is_wide = in.width >= args->mask.width;
    image.boundary = args->boundary;
    copy_fill(args, image.fill);
    return image;
}

/* How far byte `x` of each row is past the beginning of a chunk in memory. */
inline int bytes_past_chunk(const prim_image &image, int x)
{
    return static_cast<int>((reinterpret_cast<uintptr_t>(image.data) + static_cast<uintptr_t>(x)) %
                            CHUNK);
}

/* A row of fills, of which byte 0 is byte `first`. */
__device__ inline void bring_fill(const image_of_bytes &in, uint8_t *to, int first, int count,
                                  int lane)
{
    PRIM_UNROLL(1)
    for (int k = lane; k < count; k += LANES)
        to[k] = in.fill[in.channels == 1 ? 0 : repeat(first + k, in.channels)];
}

/* The bytes before `begin` and from `end` on, one by one, as far as a window reaches: nothing
 * stands in for what lies further outside. */
__device__ inline void bring_ends(const image_of_bytes &in, uint8_t *to, const uint8_t *row,
                                  int first, int begin, int end, int count, int lane)
{
    const int least = -in.reach - first, most = in.line + in.reach - first;
    const int limit = most < count ? most : count;
    PRIM_UNROLL(1)
    for (int k = lane; k < begin && k < limit; k += LANES)
        if (k >= least)
            to[k] = in.byte_at(row, first + k);
    PRIM_UNROLL(1)
    for (int k = end + lane; k < limit; k += LANES)
        to[k] = in.byte_at(row, first + k);
}

/* A warp copies `count` bytes of row y from byte `first` on. They begin as far past `to` as they
 * are past a chunk in memory, and this distance is returned: 0 in images that are aligned. Where
 * they are not, `to` has room for a chunk more. */
__device__ inline int bring(const image_of_bytes &in, uint8_t *to, int64_t y, int first, int count,
                            int lane)
{
    const int64_t from_y = in.row_for(y);
    if (from_y == FILL) {
        bring_fill(in, to, first, count, lane);
        return 0;
    }
    const uint8_t *const row = in.row(from_y);
    const int past = static_cast<int>(
        (reinterpret_cast<uintptr_t>(row) + static_cast<uintptr_t>(static_cast<intptr_t>(first))) %
        CHUNK);
    to += past;
    const int least = -first > -past ? -first : -past;
    const int left = in.line - first, all = left < count ? left : count;
    const int begin = (least + past + CHUNK - 1) / CHUNK * CHUNK - past;
    const int last = all + past > 0 ? (all + past) / CHUNK * CHUNK - past : begin;
    const int end = last > begin ? last : begin;
    PRIM_UNROLL(1)
    for (int k = begin + CHUNK * lane; k < end; k += CHUNK * LANES)
        copy_async(reinterpret_cast<vector<uint8_t> *>(to + k),
                   reinterpret_cast<const vector<uint8_t> *>(row + first + k));
    bring_ends(in, to, row, first, begin, end, count, lane);
    return past;
}

/* Words from any address, of bytes that are inside together with the 4 before and after them. */
__device__ inline void copy_words(uint8_t *to, const uint8_t *from, int begin, int end, int lane)
{
    const unsigned past = static_cast<unsigned>(reinterpret_cast<uintptr_t>(from) % 4);
    const uint32_t *const words = reinterpret_cast<const uint32_t *>(from - past);
    PRIM_UNROLL(3)
    for (int k = begin + 4 * lane; k < end; k += 4 * LANES)
        *reinterpret_cast<uint32_t *>(to + k) = bits_from(words[k / 4], words[k / 4 + 1], 8 * past);
}

/* The same, but byte `first` is stored at `to`, whatever its alignment in memory. */
__device__ inline void bring_shifted(const image_of_bytes &in, uint8_t *to, int64_t y, int first,
                                     int count, int lane)
{
    const int64_t from_y = in.row_for(y);
    if (from_y == FILL) {
        bring_fill(in, to, first, count, lane);
        return;
    }
    const uint8_t *const row = in.row(from_y);
    const int left = in.line - 4 - first, all = left < count ? left : count;
    const int begin = first < 4 ? (4 - first + 3) / 4 * 4 : 0;
    const int end = all > begin ? all / 4 * 4 : begin;
    if (begin < end)
        copy_words(to, row + first, begin, end, lane);
    bring_ends(in, to, row, first, begin, end, count, lane);
}

/* Bytes begin … end - 1 of a row in shared memory, to any address: words of memory, each of two in
 * shared memory, and bytes at the ends. `to` is where byte 0 would go; the word before it may be
 * read. */
__device__ inline void write_words(uint8_t *to, const uint8_t *row, int begin, int end, int lane)
{
    const int past = static_cast<int>(reinterpret_cast<uintptr_t>(to) % 4);
    const uint32_t *const words = reinterpret_cast<const uint32_t *>(row);
    PRIM_UNROLL(2)
    for (int q = lane; 4 * q - past < end; q += LANES) {
        const int first = 4 * q - past;
        const uint32_t word =
            past == 0 ? words[q] : bits_from(words[q - 1], words[q], 8u * (4 - past));
        if (first >= begin && first + 4 <= end)
            *reinterpret_cast<uint32_t *>(to + first) = word;
        else
            for (int b = 0; b < 4; b++)
                if (first + b >= begin && first + b < end)
                    to[first + b] = static_cast<uint8_t>(word >> 8 * b);
    }
}

} // namespace rows
} // namespace

#endif
