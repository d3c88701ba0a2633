/* Rows of few elements, which a thread each reads from global memory. */
#ifndef PRIM_REDUCE_THREAD_ROWS_CUH
#define PRIM_REDUCE_THREAD_ROWS_CUH

#include "common/block/part_vector.cuh"
#include "reduce/rows/staged_rows.cuh"

namespace
{

/* Rows of up to so many elements, which are one partial. */
template <typename T>
constexpr unsigned FEW_ELEMENTS = IS_NARROW<T> || VECTOR_ELEMENTS<T> < 4 ? VECTOR_ELEMENTS<T> : 4;

/* Each thread has eight rows, or four of wide values. */
template <typename Value>
constexpr unsigned ROWS_A_THREAD = sizeof(Value) == 8 ? 4 : 8;

/* Element by element, of all rows at once. */
template <class Operator, class Source, class Result>
__device__ void reduce_few_elements(const Source &source, const short_rows &shape, size_t block_row,
                                    unsigned rows, const Result &result)
{
    constexpr unsigned ROWS = ROWS_A_THREAD<typename Source::value>;
    typename Source::value so_far[ROWS];
    PRIM_UNROLL(ROWS)
    for (unsigned j = 0; j < ROWS; j++)
        so_far[j] = Source::template identity<Operator>();
    PRIM_UNROLL(1)
    for (unsigned i = 0; i < shape.count; i++) {
        typename Source::element x[ROWS] = {};
        PRIM_UNROLL(ROWS)
        for (unsigned j = 0; j < ROWS; j++) {
            const unsigned row = threadIdx.x + j * PARTIALS;
            if (row < rows)
                x[j] = source.in[(block_row + row) * shape.ld + i];
        }
        PRIM_UNROLL(ROWS)
        for (unsigned j = 0; j < ROWS; j++)
            so_far[j] = source.template take_one<Operator, false>(so_far[j], x[j]);
    }
    PRIM_UNROLL(ROWS)
    for (unsigned j = 0; j < ROWS; j++) {
        const unsigned row = threadIdx.x + j * PARTIALS;
        if (row < rows)
            result.store(block_row + row, so_far[j]);
    }
}

/* Of a row's elements, those in vector v. */
template <typename T>
__device__ unsigned in_vector(unsigned count, unsigned v)
{
    constexpr unsigned WIDTH = VECTOR_ELEMENTS<T>;
    const unsigned left = count < v * WIDTH ? 0 : count - v * WIDTH;
    return left < WIDTH ? left : WIDTH;
}

/* The first elements of a vector, wide ones from a boundary of 16 bytes: all, or two and one. */
template <typename T>
__device__ vector<T> first_of_vector(const T *from, unsigned count)
{
    constexpr unsigned WIDTH = VECTOR_ELEMENTS<T>;
    if (count == WIDTH)
        return *reinterpret_cast<const vector<T> *>(from);
    struct alignas(2 * sizeof(T)) pair {
        T first, second;
    };
    pair two = {};
    T one = {};
    if (WIDTH > 2 && (count & 2) != 0)
        two = *reinterpret_cast<const pair *>(from);
    if ((count & 1) != 0)
        one = from[count & 2];
    vector<T> x = {};
    set_element(x, 0, count > 1 ? two.first : one);
    if constexpr (WIDTH > 2) {
        set_element(x, 1, two.second);
        set_element(x, 2, one);
    }
    return x;
}

/* Two vectors of a row of wide elements that begins at one, v and one in the row's second half. */
template <class Source>
struct two_vectors {
    using element = typename Source::element;
    vector<element> first, second;
    unsigned in_first, in_second;

    __device__ void load(const element *row, unsigned count, unsigned v, unsigned behind)
    {
        in_first = in_vector<element>(count, v);
        in_second = in_vector<element>(count, v + behind);
        first = reinterpret_cast<const vector<element> *>(row)[v];
        second = first_of_vector(row + (v + behind) * VECTOR_ELEMENTS<element>, in_second);
    }
    template <class Operator>
    __device__ typename Source::value aggregate(const Source &source) const
    {
        const auto identity = Source::template identity<Operator>();
        return Operator::combine(take_vector<Operator>(source, identity, first, in_first),
                                 take_vector<Operator>(source, identity, second, in_second));
    }
};

/* Wide elements of rows with gaps that begin at vectors, more than V / 2 of them and up to V: each
 * vector is a partial. Two vectors are on their way at a time, which is enough. */
template <unsigned V, class Operator, class Source, class Result>
__device__ void reduce_vectors(const Source &source, const short_rows &shape, size_t block_row,
                               unsigned rows, const Result &result)
{
    const unsigned count = static_cast<unsigned>(shape.count);
    const typename Source::element *from = source.in + (block_row + threadIdx.x) * shape.ld;
    PRIM_UNROLL(1)
    for (unsigned row = threadIdx.x; row < rows; row += PARTIALS, from += PARTIALS * shape.ld) {
        two_vectors<Source> x;
        x.load(from, count, 0, V / 2);
        typename Source::value so_far = x.template aggregate<Operator>(source);
        if (V > 2) {
            x.load(from, count, 1, V / 2);
            so_far = Operator::combine(so_far, x.template aggregate<Operator>(source));
        }
        result.store(block_row + row, so_far);
    }
}

/* Narrow elements of rows with gaps, two rows at a time. A thread's rows lie a multiple of four
 * rows apart, and so as far past a word. */
template <class Operator, class Source, class Result>
__device__ void reduce_few_parts(const Source &source, const short_rows &shape, size_t block_row,
                                 unsigned rows, const Result &result)
{
    using part = part_of_words<typename Source::element>;
    constexpr unsigned AT_ONCE = 2;
    const unsigned count = static_cast<unsigned>(shape.count);
    const typename Source::element *from = source.in + (block_row + threadIdx.x) * shape.ld;
    const part of_row(from, count);
    PRIM_UNROLL(1)
    for (unsigned row = threadIdx.x; row < rows; row += AT_ONCE * PARTIALS) {
        typename part::loaded x[AT_ONCE] = {};
        PRIM_UNROLL(AT_ONCE)
        for (unsigned j = 0; j < AT_ONCE; j++, from += PARTIALS * shape.ld)
            if (row + j * PARTIALS < rows && count > 0)
                x[j] = of_row.load(from);
        PRIM_UNROLL(AT_ONCE)
        for (unsigned j = 0; j < AT_ONCE; j++)
            if (row + j * PARTIALS < rows)
                result.store(block_row + row + j * PARTIALS,
                             take_first<Operator>(source, Source::template identity<Operator>(),
                                                  of_row.elements(x[j]), count));
    }
}

} // namespace

#endif
