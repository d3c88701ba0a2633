/* Rows of bytes on their way into shared memory, with what stands in for those outside.
 *
 *     in memory      · · · a b c d e f g h i j k l · ·     a … l  a line of the image
 *     chunks           │       │       │       │       │   of 16 bytes
 *     shared         d c b a b c d e f g h i j k l l k j
 *                      └ bytes ┘└  copied  ┘└─ bytes
 *
 * Chunks that lie inside are copied whole, without registers where they are aligned in memory, and
 * word by word elsewhere. Only bytes of the others ask where they come from. */
#ifndef PRIM_CONVOLUTION_ROWS_CUH
#define PRIM_CONVOLUTION_ROWS_CUH

#include "common/async_copy.cuh"
#include "common/vectors.cuh"
#include "common/warp.cuh"
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
    int line, reach;       /* bytes of a row, and those behind it that a window may reach */
    int channels;
    bool is_aligned; /* rows lie alike within chunks: what is asked for begins where one does */
    prim_boundary boundary;
    uint8_t fill[PRIM_CONVOLUTION_MOST_CHANNELS];

    __device__ const uint8_t *row(int64_t y) const
    {
        return data + static_cast<size_t>(y) * pitch;
    }

    /* Byte x of a row, wherever it lies. */
    __device__ uint8_t byte_at(const uint8_t *row, int x) const
    {
        const int channel = repeat(x, channels);
        const int64_t from =
            stand_in(boundary, static_cast<int64_t>((x - channel) / channels), width);
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
    image.boundary = args->boundary;
    copy_fill(args, image.fill);
    return image;
}

/* How far byte `x` of each row lies behind the beginning of a chunk in memory. */
inline int bytes_past_chunk(const prim_image &image, int x)
{
    return static_cast<int>((reinterpret_cast<uintptr_t>(image.data) + static_cast<uintptr_t>(x)) %
                            CHUNK);
}

/* A chunk from any address; the 4 bytes before and behind it may be read too. */
__device__ inline void copy_words(uint8_t *to, const uint8_t *from)
{
    const unsigned past = static_cast<unsigned>(reinterpret_cast<uintptr_t>(from) % 4);
    const uint32_t *const words = reinterpret_cast<const uint32_t *>(from - past);
    uint32_t *const shared = reinterpret_cast<uint32_t *>(to);
    uint32_t low = words[0];
    PRIM_UNROLL(4)
    for (int i = 0; i < 4; i++) {
        const uint32_t high = past != 0 || i < 3 ? words[i + 1] : 0;
        shared[i] = bits_from(low, high, 8 * past);
        low = high;
    }
}

/* A whole chunk, which lies inside. */
__device__ inline void copy_chunk(const image_of_bytes &in, uint8_t *to, const uint8_t *from)
{
    if (in.is_aligned)
        copy_async(reinterpret_cast<vector<uint8_t> *>(to),
                   reinterpret_cast<const vector<uint8_t> *>(from));
    else
        copy_words(to, from);
}

/* A warp brings row y from byte `first` on, so many bytes of whole chunks. */
__device__ inline void bring(const image_of_bytes &in, uint8_t *to, int64_t y, int first, int count,
                             int lane)
{
    const int64_t from_y = stand_in(in.boundary, y, in.height);
    if (from_y == FILL) {
        PRIM_UNROLL(1)
        for (int k = lane; k < count; k += LANES)
            to[k] = in.fill[repeat(first + k, in.channels)];
        return;
    }
    const uint8_t *const row = in.row(from_y);
    const int margin = in.is_aligned ? 0 : 4; /* words reach past chunks */
    const int left = margin - first, right = in.line - margin - first;
    const int begin = left > 0 ? (left + CHUNK - 1) / CHUNK * CHUNK : 0;
    const int all = right < count ? right : count;
    const int end = all > begin ? all / CHUNK * CHUNK : begin;
    PRIM_UNROLL(1)
    for (int k = begin + CHUNK * lane; k < end; k += CHUNK * LANES)
        copy_chunk(in, to + k, row + first + k);
    PRIM_UNROLL(1)
    for (int k = lane; k < begin && k < count; k += LANES)
        to[k] = in.byte_at(row, first + k);
    PRIM_UNROLL(1)
    for (int k = end + lane; k < count && first + k < in.line + in.reach; k += LANES)
        to[k] = in.byte_at(row, first + k);
}

} // namespace rows
} // namespace

#endif
