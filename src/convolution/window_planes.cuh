/* Four pixels of narrow elements, as words: as they lie in memory, or split into a plane for each
 * channel.
 *
 *     memory    r0 g0 b0 r1  g1 b1 r2 g2  b2 r3 g3 b3      3 words, of u8 and 3 channels
 *     planes    r0 r1 r2 r3  g0 g1 g2 g3  b0 b1 b2 b3
 *
 * Both are the same bytes in another order. A word takes one permutation less than there are words
 * that its bytes come from. */
#ifndef PRIM_CONVOLUTION_WINDOW_PLANES_CUH
#define PRIM_CONVOLUTION_WINDOW_PLANES_CUH

#include "common/block/vectors.cuh"
#include "convolution/window_shape.h"

namespace
{
namespace window
{

constexpr int COLUMNS = PRIM_WINDOW_COLUMNS;

/* Four pixels of CHANNELS elements of SIZE bytes. */
template <int SIZE, int CHANNELS>
struct pixel_order {
    static constexpr int WORDS = CHANNELS * SIZE * COLUMNS / static_cast<int>(WORD_BYTES);
    static constexpr int PLANE = SIZE * COLUMNS; /* bytes */

    /* Where a byte of the planes lies in memory, and a byte of memory in the planes. */
    __host__ __device__ static constexpr int in_memory(int byte)
    {
        return (byte % PLANE / SIZE * CHANNELS + byte / PLANE) * SIZE + byte % SIZE;
    }
    __host__ __device__ static constexpr int in_planes(int byte)
    {
        return byte / SIZE % CHANNELS * PLANE + byte / SIZE / CHANNELS * SIZE + byte % SIZE;
    }
};

/* A word of the bytes `at` of all words. */
template <int WORDS>
__device__ uint32_t gathered(const uint32_t (&words)[WORDS], const int (&at)[WORD_BYTES])
{
    constexpr int BYTES = static_cast<int>(WORD_BYTES);
    constexpr unsigned AS_IT_IS = 0x3210;
    const int first = at[0] / BYTES;
    uint32_t result = words[first];
    unsigned selector = 0; /* of the first word's bytes, until another word joins them */
    PRIM_UNROLL(BYTES)
    for (int b = 0; b < BYTES; b++)
        selector |= static_cast<unsigned>(at[b] / BYTES == first ? at[b] % BYTES : b) << 4 * b;
    PRIM_UNROLL(WORDS)
    for (int w = 0; w < WORDS; w++) {
        bool has_bytes = false;
        unsigned with_word = selector;
        PRIM_UNROLL(BYTES)
        for (int b = 0; b < BYTES; b++)
            if (w != first && at[b] / BYTES == w) {
                has_bytes = true;
                with_word = (with_word & ~(0xfu << 4 * b)) |
                            static_cast<unsigned>(BYTES + at[b] % BYTES) << 4 * b;
            }
        if (has_bytes) {
            result = chosen_bytes(result, words[w], with_word);
            selector = AS_IT_IS;
        }
    }
    return selector == AS_IT_IS ? result : chosen_bytes(result, 0, selector);
}

template <int SIZE, int CHANNELS>
__device__ uint32_t word_of_planes(const uint32_t (&pixels)[pixel_order<SIZE, CHANNELS>::WORDS],
                                   int word)
{
    using order = pixel_order<SIZE, CHANNELS>;
    const int at[WORD_BYTES] = {order::in_memory(4 * word), order::in_memory(4 * word + 1),
                                order::in_memory(4 * word + 2), order::in_memory(4 * word + 3)};
    return gathered(pixels, at);
}

template <int SIZE, int CHANNELS>
__device__ uint32_t word_of_pixels(const uint32_t (&planes)[pixel_order<SIZE, CHANNELS>::WORDS],
                                   int word)
{
    using order = pixel_order<SIZE, CHANNELS>;
    const int at[WORD_BYTES] = {order::in_planes(4 * word), order::in_planes(4 * word + 1),
                                order::in_planes(4 * word + 2), order::in_planes(4 * word + 3)};
    return gathered(planes, at);
}

} // namespace window
} // namespace

#endif
