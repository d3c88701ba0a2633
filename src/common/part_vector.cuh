/* Up to 16 bytes of narrow elements from anywhere, where what lies around them must not be read: the
 * ends of rows with gaps between them. Words of 4 bytes as far as they are wanted as a whole; of the
 * words at both ends only halves and bytes.
 *
 *     words        │· · · a│b c d e│f g h ·│     three loads for a … g, and not one for each: a, the
 *     loads               1       4   2 1         word, f and g, h; then all is shifted to a's place
 */
#ifndef PRIM_COMMON_PART_VECTOR_CUH
#define PRIM_COMMON_PART_VECTOR_CUH

#include "common/vectors.cuh"

namespace
{

constexpr unsigned WORD_BYTES = sizeof(uint32_t);

/* What is loaded for up to 16 bytes of narrow elements: whole words, and what is wanted of the first
 * and the last one if that is less. Loads only, so that those of several rows are in flight at once;
 * elements() then puts them together. */
template <typename T>
struct part_of_words {
    static constexpr unsigned WORDS = VECTOR_BYTES / WORD_BYTES;

    unsigned begin, end; /* bytes, from the first word on */
    uint32_t words[WORDS + 1];
    uint16_t first_half, last_half;
    uint8_t first_byte, last_byte;

    /* At least one element, and at most a vector's. */
    __device__ void load(const T *from, unsigned count)
    {
        begin = static_cast<unsigned>(reinterpret_cast<uintptr_t>(from) % WORD_BYTES);
        end = begin + count * static_cast<unsigned>(sizeof(T));
        const unsigned char *const bytes = reinterpret_cast<const unsigned char *>(from) - begin;
        PRIM_UNROLL(WORDS + 1)
        for (unsigned w = 0; w <= WORDS; w++)
            if (w * WORD_BYTES >= begin && (w + 1) * WORD_BYTES <= end)
                words[w] = *reinterpret_cast<const uint32_t *>(bytes + w * WORD_BYTES);
        if (begin % 4 != 0 && begin <= 2 && end >= WORD_BYTES)
            first_half = *reinterpret_cast<const uint16_t *>(bytes + 2);
        if ((end & 2) != 0 && end / WORD_BYTES * WORD_BYTES >= begin)
            last_half = *reinterpret_cast<const uint16_t *>(bytes + end / WORD_BYTES * WORD_BYTES);
        if (sizeof(T) == 1 && begin % 2 == 1)
            first_byte = bytes[begin];
        if (sizeof(T) == 1 && end % 2 == 1)
            last_byte = bytes[end - 1];
    }

    /* The elements, and zeros behind them. */
    __device__ vector<T> elements() const
    {
        const uint32_t last = last_half | static_cast<uint32_t>(last_byte) << 8 * ((end - 1) % 4);
        uint32_t all[WORDS + 1];
        PRIM_UNROLL(WORDS + 1)
        for (unsigned w = 0; w <= WORDS; w++)
            all[w] = words[w] | (w == end / WORD_BYTES ? last : 0);
        all[0] |= static_cast<uint32_t>(first_half) << 16 | static_cast<uint32_t>(first_byte)
                                                                << 8 * begin;
        vector<T> result;
        PRIM_UNROLL(WORDS)
        for (unsigned w = 0; w < WORDS; w++)
            result.words[w] = bits_from(all[w], all[w + 1], 8 * begin);
        return result;
    }
};

/* The same of wide elements, which are loaded one by one. */
template <typename T>
struct part_of_elements {
    vector<T> x;

    __device__ void load(const T *from, unsigned count)
    {
        PRIM_UNROLL(VECTOR_ELEMENTS<T>)
        for (unsigned e = 0; e < VECTOR_ELEMENTS<T>; e++)
            if (e < count)
                set_element(x, e, from[e]);
    }
    __device__ vector<T> elements() const
    {
        return x;
    }
};

/* Begin from {}. */
template <typename T>
using part_vector =
    typename std::conditional<sizeof(T) < WORD_BYTES, part_of_words<T>, part_of_elements<T>>::type;

} // namespace

#endif
