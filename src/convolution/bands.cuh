/* Rows of a mask as band (Toeplitz) matrices, by which rows of bytes are multiplied.
 *
 *     line            0 0 0 0 u v w 0 0 0        AROUND zeros, the weights, zeros
 *     column 0              │ u v w 0 0 0 …      what begins AROUND bytes after the beginning
 *     column 1            │ 0 u v w 0 0 …        a byte before that: its weights lie lower by one
 *     column 2          │ 0 0 u v w 0 …
 *
 * So only the line is stored, and a lane of a product reads its words from any byte of it on. The
 * taps of a channel lie `channels` bytes apart, and so do a line's weights: a product does not
 * depend on the number of channels. */
#ifndef PRIM_CONVOLUTION_BANDS_CUH
#define PRIM_CONVOLUTION_BANDS_CUH

#include "common/block/vectors.cuh"
#include "convolution/problem.cuh"

namespace
{
namespace bands
{

constexpr int BYTES = 32;       /* of a row that a matrix takes */
constexpr int OUTPUTS = 16;     /* of two matrices, side by side */
constexpr int AROUND = OUTPUTS; /* zeros before a line's weights */

/* PARTS: 16 outputs take PARTS · BYTES bytes of a row. PLANES: 2 for weights of 16 bits, which are
 * 256 · high + low. */
template <int MOST_ROWS, int PARTS, int PLANES>
struct lines {
    static constexpr int WORDS = (AROUND + BYTES * PARTS) / 4 + 1; /* of a line */
    static constexpr int ALL = WORDS * MOST_ROWS * PLANES;
    uint32_t words[ALL];

    __host__ __device__ static constexpr int first_of(int plane, int row)
    {
        return (plane * MOST_ROWS + row) * WORDS;
    }
};

/* A lane's words of a band: of two matrices, for BYTES of a row. */
struct fragment {
    uint32_t words[2][2];
};

/* 4 bytes from any byte of a line on. */
__device__ inline uint32_t word_at(const uint32_t *line, int byte)
{
    return bits_from(line[byte / 4], line[byte / 4 + 1], 8u * (static_cast<unsigned>(byte) % 4));
}

/* The order of outputs in a matrix's columns can be chosen: column 2t + c of matrix m is byte 4t +
 * 2m + c, so that lane 4g + t gets 4 bytes that lie together. */
__device__ inline fragment fragment_of(const uint32_t *line, int part, int lane)
{
    const int g = lane / 4, t = lane % 4;
    fragment f;
    PRIM_UNROLL(2)
    for (int m = 0; m < 2; m++) {
        const int output = 4 * (g / 2) + 2 * m + g % 2;
        const int byte = AROUND + BYTES * part + 4 * t - output;
        f.words[m][0] = word_at(line, byte);
        f.words[m][1] = word_at(line, byte + BYTES / 2);
    }
    return f;
}

/* ---- on the host ---- */

/* Whether all weights fit 8 bits, also those of a 16-bit type. */
inline bool fit_a_plane(const prim_convolution_args *args)
{
    const weight_list<int32_t> list = integers_of(args);
    for (size_t k = 0; k < args->mask.width * args->mask.height; k++) {
        const int32_t weight = list[static_cast<int>(k)];
        if (weight < INT8_MIN || weight > INT8_MAX)
            return false;
    }
    return true;
}

/* The first weight is `past` bytes after the place where a line's weights begin. */
template <int MOST_ROWS, int PARTS, int PLANES>
lines<MOST_ROWS, PARTS, PLANES> make_lines(const prim_convolution_args *args, int past)
{
    using Lines = lines<MOST_ROWS, PARTS, PLANES>;
    const weight_list<int32_t> list = integers_of(args);
    const int width = static_cast<int>(args->mask.width);
    Lines all = {};
    for (int j = 0; j < static_cast<int>(args->mask.height); j++)
        for (int i = 0; i < width; i++) {
            const int byte = AROUND + past + i * args->in.channels;
            const uint32_t weight = static_cast<uint32_t>(list[j * width + i]);
            for (int plane = 0; plane < PLANES; plane++)
                all.words[Lines::first_of(plane, j) + byte / 4] |= (weight >> 8 * plane & 0xff)
                                                                   << 8 * (byte % 4);
        }
    return all;
}

} // namespace bands
} // namespace

#endif
