/* Rows of one vector, and rows of narrow integers, whose order counts for nothing: a lane takes its
 * part of a row from the first element to the last, narrow ones word by word, so that each word is
 * shifted once and not put together anew for each vector. */
#ifndef PRIM_REDUCE_ROW_WORDS_CUH
#define PRIM_REDUCE_ROW_WORDS_CUH

#include "reduce/tile/sources.cuh"

namespace
{

/* Narrow elements from anywhere, as words that are shifted to where they begin. */
struct shifted_words {
    const uint32_t *words;
    unsigned past; /* bytes */
    uint32_t first;

    __device__ explicit shifted_words(const void *from)
        : words(reinterpret_cast<const uint32_t *>(static_cast<const unsigned char *>(from) -
                                                   reinterpret_cast<uintptr_t>(from) % WORD_BYTES)),
          past(static_cast<unsigned>(reinterpret_cast<uintptr_t>(from) % WORD_BYTES)), first(*words)
    {
    }
    __device__ uint32_t next()
    {
        const uint32_t second = *++words, word = bits_from(first, second, 8 * past);
        first = second;
        return word;
    }
};

/* Sums of bytes, four to an instruction. */
template <typename Byte>
__device__ int32_t sum_of_words(const Byte *from, unsigned count)
{
    shifted_words words(from);
    uint32_t sum = 0;
    PRIM_UNROLL(1)
    for (; count > WORD_BYTES; count -= WORD_BYTES)
        sum = sum_of_bytes<Byte>(words.next(), sum);
    return static_cast<int32_t>(
        sum_of_bytes<Byte>(words.next() & UINT32_MAX >> 8 * (WORD_BYTES - count), sum));
}

template <class Operator, class Source>
__device__ typename Source::value
value_in_order(const Source &source, const typename Source::element *from, unsigned count)
{
    using element = typename Source::element;
    typename Source::value so_far = Source::template identity<Operator>();
    if (count == 0)
        return so_far;
    if constexpr (!IS_NARROW<element>) {
        PRIM_UNROLL(1)
        for (unsigned e = 0; e < count; e++)
            so_far = source.template take_one<Operator, false>(so_far, from[e]);
        return so_far;
    } else {
        constexpr unsigned IN_WORD = WORD_BYTES / sizeof(element);
        if constexpr (ADDS_BYTES<Operator, element>)
            if (source.plain())
                return static_cast<typename Source::value>(sum_of_words(from, count));
        shifted_words words(from);
        PRIM_UNROLL(1)
        for (unsigned e = 0; e < count; e += IN_WORD) {
            const packed<element, IN_WORD> x = {{words.next()}};
            PRIM_UNROLL(IN_WORD)
            for (unsigned i = 0; i < IN_WORD; i++)
                if (e + i < count)
                    so_far = source.template take_one<Operator, false>(so_far, element_of(x, i));
        }
        return so_far;
    }
}

/* Elements of a lane's part, if `lanes` share a row: an odd number of words, so that these lanes
 * read from different banks. A row that a lane has alone is its part. */
template <typename T>
__host__ __device__ unsigned elements_of_part(unsigned columns, unsigned lanes)
{
    constexpr unsigned IN_WORD = sizeof(T) < WORD_BYTES ? WORD_BYTES / sizeof(T) : 1;
    return ((columns + lanes * IN_WORD - 1) / (lanes * IN_WORD) | 1) * IN_WORD;
}

} // namespace

#endif
