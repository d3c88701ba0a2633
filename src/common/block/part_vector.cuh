/* Up to 16 bytes of narrow elements from anywhere, where what lies around them must not be read:
 * the ends of rows with gaps between them. Words of 4 bytes are read where all of their bytes are
 * wanted, and halves and bytes of the words at both ends.
 *
 *     words        │· · · a│b c d e│f g h ·│     four loads for a … h, and not one for each: a,
 *     loads               1       4   2 1         the word b … e, the half f g, and h; then all is
 *                                                 shifted to a's place */
#ifndef PRIM_COMMON_PART_VECTOR_CUH
#define PRIM_COMMON_PART_VECTOR_CUH

#include "common/block/vectors.cuh"

namespace
{

/* Where narrow elements lie in their words: the same for all rows that begin as far past a word.
 * FROM_WORD: they begin at one, so that nothing is to be shifted. */
template <typename T, bool FROM_WORD = false>
struct part_of_words {
    static constexpr unsigned WORDS = VECTOR_BYTES / WORD_BYTES,
                              LAST = FROM_WORD ? WORDS - 1 : WORDS;

    unsigned past, end; /* bytes, from the first word on */

    /* At least one element, and at most a vector's. */
    __device__ part_of_words(const T *from, unsigned count)
        : past(static_cast<unsigned>(reinterpret_cast<uintptr_t>(from) % WORD_BYTES)),
          end((FROM_WORD ? 0 : past) + count * static_cast<unsigned>(sizeof(T)))
    {
    }

    /* Whole words, and what is wanted of the first and the last one if that is less. */
    struct loaded {
        uint32_t words[LAST + 1];
        uint16_t first_half, last_half;
        uint8_t first_byte, last_byte;
    };

    /* Loads only, so that those of several rows are in flight at once. */
    __device__ loaded load(const T *from) const
    {
        const unsigned begin = FROM_WORD ? 0 : past;
        const unsigned char *const bytes = reinterpret_cast<const unsigned char *>(from) - begin;
        const unsigned char *const last = bytes + end / WORD_BYTES * WORD_BYTES;
        loaded x = {};
        PRIM_UNROLL(LAST + 1)
        for (unsigned w = 0; w <= LAST; w++)
            if ((FROM_WORD || w * WORD_BYTES >= past) && (w + 1) * WORD_BYTES <= end)
                x.words[w] = *reinterpret_cast<const uint32_t *>(bytes + w * WORD_BYTES);
        if ((begin == 1 || begin == 2) && end >= WORD_BYTES)
            x.first_half = *reinterpret_cast<const uint16_t *>(bytes + 2);
        if ((end & 2) != 0 && (begin == 0 || end >= WORD_BYTES))
            x.last_half = *reinterpret_cast<const uint16_t *>(last);
        if (sizeof(T) == 1 && begin % 2 == 1)
            x.first_byte = bytes[begin];
        if (sizeof(T) == 1 && end % 2 == 1)
            x.last_byte = last[end % WORD_BYTES - 1];
        return x;
    }

    /* The elements, and zeros after them. */
    __device__ vector<T> elements(const loaded &x) const
    {
        const uint32_t last = x.last_half | static_cast<uint32_t>(x.last_byte)
                                                << 8 * ((end - 1) % WORD_BYTES);
        uint32_t all[LAST + 1];
        PRIM_UNROLL(LAST + 1)
        for (unsigned w = 0; w <= LAST; w++)
            all[w] = x.words[w] | (w == end / WORD_BYTES ? last : 0);
        if constexpr (!FROM_WORD)
            all[0] |= static_cast<uint32_t>(x.first_half) << 16 |
                      static_cast<uint32_t>(x.first_byte) << 8 * past;
        vector<T> result;
        PRIM_UNROLL(WORDS)
        for (unsigned w = 0; w < WORDS; w++)
            result.words[w] =
                FROM_WORD ? all[w] : bits_from(all[w], all[w < LAST ? w + 1 : w], 8 * past);
        return result;
    }

    /* Stores as many elements as it has, the first ones of x. */
    __device__ void store(T *to, const vector<T> &x) const
    {
        const unsigned begin = FROM_WORD ? 0 : past;
        unsigned char *const bytes = reinterpret_cast<unsigned char *>(to) - begin;
        uint32_t all[LAST + 1], last = 0; /* `last`: the word of the last byte */
        PRIM_UNROLL(LAST + 1)
        for (unsigned w = 0; w <= LAST; w++) {
            const uint32_t here = w < WORDS ? x.words[w < WORDS ? w : 0] : 0,
                           before = w > 0 ? x.words[w > 0 ? w - 1 : 0] : 0;
            all[w] = begin == 0 ? here : bits_from(before, here, 32 - 8 * begin);
            last = w == (end - 1) / WORD_BYTES ? all[w] : last;
            if ((FROM_WORD || w * WORD_BYTES >= past) && (w + 1) * WORD_BYTES <= end)
                *reinterpret_cast<uint32_t *>(bytes + w * WORD_BYTES) = all[w];
        }
        unsigned char *const last_word = bytes + end / WORD_BYTES * WORD_BYTES;
        if ((begin == 1 || begin == 2) && end >= WORD_BYTES)
            *reinterpret_cast<uint16_t *>(bytes + 2) = static_cast<uint16_t>(all[0] >> 16);
        if ((end & 2) != 0 && (begin == 0 || end >= WORD_BYTES))
            *reinterpret_cast<uint16_t *>(last_word) = static_cast<uint16_t>(last);
        if (sizeof(T) == 1 && begin % 2 == 1)
            bytes[begin] = static_cast<uint8_t>(all[0] >> 8 * begin);
        if (sizeof(T) == 1 && end % 2 == 1)
            bytes[end - 1] = static_cast<uint8_t>(last >> 8 * ((end - 1) % WORD_BYTES));
    }
};

/* The same of wide elements, which are loaded one by one. */
template <typename T>
struct part_of_elements {
    using loaded = vector<T>;

    unsigned count;

    __device__ part_of_elements(const T *, unsigned elements) : count(elements)
    {
    }
    __device__ loaded load(const T *from) const
    {
        loaded x = {};
        PRIM_UNROLL(VECTOR_ELEMENTS<T>)
        for (unsigned e = 0; e < VECTOR_ELEMENTS<T>; e++)
            if (e < count)
                set_element(x, e, from[e]);
        return x;
    }
    __device__ vector<T> elements(const loaded &x) const
    {
        return x;
    }
};

template <typename T, bool FROM_WORD = false>
using part_vector =
    typename std::conditional<IS_NARROW<T>, part_of_words<T, FROM_WORD>, part_of_elements<T>>::type;

} // namespace

#endif
