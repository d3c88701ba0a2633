/* Narrow elements of a row in shared memory, word by word: nothing has to be spliced. A thread has
 * the row, or a part of it. */
#ifndef PRIM_REDUCE_ROW_WORDS_CUH
#define PRIM_REDUCE_ROW_WORDS_CUH

#include "reduce/rows/staged_rows.cuh"

namespace
{

/* A row's words: shifted to where it begins. */
struct row_words {
    const uint32_t *words;
    unsigned past; /* bytes */
    uint32_t first;

    __device__ explicit row_words(const void *row)
        : words(reinterpret_cast<const uint32_t *>(static_cast<const unsigned char *>(row) -
                                                   reinterpret_cast<uintptr_t>(row) % WORD_BYTES)),
          past(static_cast<unsigned>(reinterpret_cast<uintptr_t>(row) % WORD_BYTES)), first(*words)
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
__device__ int32_t sum_of_words(const Byte *row, unsigned count)
{
    row_words words(row);
    uint32_t sum = 0;
    PRIM_UNROLL(1)
    for (; count > WORD_BYTES; count -= WORD_BYTES)
        sum = sum_of_bytes<Byte>(words.next(), sum);
    return static_cast<int32_t>(
        sum_of_bytes<Byte>(words.next() & UINT32_MAX >> 8 * (WORD_BYTES - count), sum));
}

template <class Operator, class Source>
__device__ typename Source::value
value_of_words(const Source &source, const typename Source::element *row, unsigned count)
{
    using element = typename Source::element;
    constexpr unsigned IN_WORD = WORD_BYTES / sizeof(element);
    if constexpr (ADDS_BYTES<Operator, element>)
        if (source.plain())
            return static_cast<typename Source::value>(sum_of_words(row, count));
    row_words words(row);
    typename Source::value so_far = Source::template identity<Operator>();
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

template <class Operator, class Source, class Result>
__device__ void reduce_staged_words(const Source &source, const typename Source::element *staged,
                                    const short_rows &shape, size_t block_row, unsigned rows,
                                    const Result &result)
{
    const unsigned count = static_cast<unsigned>(shape.count);
    PRIM_UNROLL(1)
    for (unsigned row = threadIdx.x; row < rows; row += PARTIALS)
        result.store(block_row + row,
                     value_of_words<Operator>(source, staged + row * shape.pitch, count));
}

/* Words of a row's part, if `lanes` share it: an odd number, so that these lanes read from
 * different banks. */
template <typename T>
__host__ __device__ unsigned words_of_part(unsigned columns, unsigned lanes)
{
    constexpr unsigned IN_WORD = WORD_BYTES / sizeof(T);
    return (columns + lanes * IN_WORD - 1) / (lanes * IN_WORD) | 1;
}

/* Longer rows of integers, whose order counts for nothing: each lane has a part of a row. */
template <class Operator, class Source, class Result>
__device__ void reduce_staged_parts(const Source &source, const typename Source::element *staged,
                                    const short_rows &shape, size_t block_row, unsigned rows,
                                    const Result &result)
{
    using value = typename Source::value;
    using element = typename Source::element;
    const unsigned count = static_cast<unsigned>(shape.count), lanes = shape.lanes;
    const unsigned part = words_of_part<element>(count, lanes) * (WORD_BYTES / sizeof(element));
    const unsigned lane = threadIdx.x & (lanes - 1), begin = lane * part;
    const unsigned left = begin < count ? count - begin : 0, own = left < part ? left : part;
    PRIM_UNROLL(1)
    for (unsigned first = 0; first < rows; first += PARTIALS / lanes) {
        const unsigned row = first + threadIdx.x / lanes;
        value so_far = Source::template identity<Operator>();
        if (row < rows && own > 0)
            so_far = value_of_words<Operator>(source, staged + row * shape.pitch + begin, own);
        so_far = reduce_warp<Operator>(so_far, lanes);
        if (row < rows && lane == 0)
            result.store(block_row + row, so_far);
    }
}

} // namespace

#endif
