/* Runs of elements between memory and a block's shared memory.
 *
 *     memory    · · · · a b c d│e f g h│i j k l│m n · ·     vectors of 16 bytes
 *     shared    · · · · a b c d│e f g h│i j k l│m n · ·     the run has the same alignment in both,
 *                       └ vec ┘ └ vec ┘ └ vec ┘ └ elements  so all but its ends moves by vectors
 *
 * Rows with gaps between them move by words in the same way, where elements are narrower than a
 * word. */
#ifndef PRIM_CONVOLUTION_RUNS_CUH
#define PRIM_CONVOLUTION_RUNS_CUH

#include "common/block/vectors.cuh"
#include "common/kernel/async_copy.cuh"
#include "convolution/problem.cuh"

namespace
{
namespace runs
{

/* An element's place in rows, as a thread goes through them with all others: divided once. */
struct place {
    int row, column;

    __device__ place(int k, int line) : row(k / line), column(k % line)
    {
    }
    __device__ void advance(const place &by, int line)
    {
        row += by.row;
        column += by.column;
        if (column >= line) {
            column -= line;
            row++;
        }
    }
};

/* How many elements the first one is past a multiple of BYTES. */
template <typename T, unsigned BYTES>
__host__ __device__ int elements_past(const T *data, int64_t bytes_further = 0)
{
    return static_cast<int>(
        (reinterpret_cast<uintptr_t>(data) + static_cast<uintptr_t>(bytes_further)) % BYTES /
        sizeof(T));
}
template <typename T>
__host__ __device__ int past_vector(const T *data)
{
    return elements_past<T, VECTOR_BYTES>(data);
}

/* A block's copy of a run. Both have the same alignment within vectors. */
template <bool IS_ASYNC, typename T>
__device__ void copy(T *to, const T *from, int count)
{
    constexpr int EACH = static_cast<int>(VECTOR_ELEMENTS<T>);
    const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
    const int before = (EACH - past_vector(from)) % EACH;
    const int begin = before < count ? before : count;
    const int end = begin + (count - begin) / EACH * EACH;
    PRIM_UNROLL(4)
    for (int k = begin + EACH * thread; k < end; k += EACH * threads) {
        vector<T> *const there = reinterpret_cast<vector<T> *>(to + k);
        if constexpr (IS_ASYNC)
            copy_async(there, reinterpret_cast<const vector<T> *>(from + k));
        else
            *there = load_vector(from + k);
    }
    if (thread < begin)
        to[thread] = from[thread];
    if (thread < count - end)
        to[end + thread] = from[end + thread];
}

/* The unit of copies of rows with gaps: a word of narrow elements, or an element. */
template <typename T>
constexpr int IN_UNIT = sizeof(T) < 4 ? static_cast<int>(4 / sizeof(T)) : 1;
template <typename T>
using unit = packed<T, static_cast<unsigned>(IN_UNIT<T>)>;

/* How many of them a row reaches into at most. */
template <typename T>
__host__ __device__ int units_of(int line)
{
    return (line + 2 * (IN_UNIT<T> - 1)) / IN_UNIT<T>;
}

/* A unit of a row that begins at element `begin`, or what of it lies in the row. Elements that are
 * loaded one by one are all on their way before the first is stored. */
template <bool IS_ASYNC, typename T>
__device__ void copy_unit(T *to, const T *from, int begin, int line)
{
    constexpr int EACH = IN_UNIT<T>;
    if (begin >= 0 && begin + EACH <= line) {
        unit<T> *const there = reinterpret_cast<unit<T> *>(to + begin);
        if constexpr (IS_ASYNC)
            copy_async(there, reinterpret_cast<const unit<T> *>(from + begin));
        else
            *there = *reinterpret_cast<const unit<T> *>(from + begin);
        return;
    }
    T some[EACH];
    PRIM_UNROLL(EACH)
    for (int e = 0; e < EACH; e++)
        if (begin + e >= 0 && begin + e < line)
            some[e] = from[begin + e];
    PRIM_UNROLL(EACH)
    for (int e = 0; e < EACH; e++)
        if (begin + e >= 0 && begin + e < line)
            to[begin + e] = some[e];
}

/* A pointer that goes from row to row with a place. */
template <typename T>
struct row_pointer {
    T *row;
    int64_t step; /* bytes from row to row */

    __device__ void advance(int rows)
    {
        using byte = typename std::conditional<std::is_const<T>::value, const char, char>::type;
        row = reinterpret_cast<T *>(reinterpret_cast<byte *>(row) + rows * step);
    }
};

/* A block's copy of rows with gaps, which lie alike within words in memory and in shared memory. */
template <bool IS_ASYNC, typename T>
__device__ void copy_rows(row_pointer<T> to, row_pointer<const T> from, int rows, int line)
{
    const int units = units_of<T>(line);
    const place step(static_cast<int>(blockDim.x), units);
    place at(static_cast<int>(threadIdx.x), units);
    to.advance(at.row);
    from.advance(at.row);
    PRIM_UNROLL(2)
    while (at.row < rows) {
        const int past = elements_past<T, sizeof(unit<T>)>(from.row), before = at.row;
        copy_unit<IS_ASYNC>(to.row, from.row, IN_UNIT<T> * at.column - past, line);
        at.advance(step, units);
        to.advance(at.row - before);
        from.advance(at.row - before);
    }
}

/* The distance of rows in shared memory, where they are aligned within words as in memory. */
template <typename T>
int row_of(int line, size_t pitch)
{
    const size_t gap = pitch / sizeof(T) - static_cast<size_t>(line);
    return line + static_cast<int>(gap % static_cast<size_t>(IN_UNIT<T>));
}

} // namespace runs
} // namespace

#endif
