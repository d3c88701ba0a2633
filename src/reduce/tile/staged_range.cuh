/* A range of a matrix in shared memory, as far past 16 bytes as it lies in global memory, so that
 * whole vectors are copied asynchronously, whatever the type and the alignment:
 *
 *     global    … ▒▒│▒▒ ▒▒ ▒▒ ▒▒│▒▒ ▒▒ ▒▒ ▒▒│▒▒ …
 *     range            ▒▒ ▒▒ ▒▒│▒▒ ▒▒              five elements
 *     copied      …  │▒▒ ▒▒ ▒▒ ▒▒│▒▒ ▒▒ ▒▒ ▒▒│     all vectors that they lie in */
#ifndef PRIM_REDUCE_STAGED_RANGE_CUH
#define PRIM_REDUCE_STAGED_RANGE_CUH

#include "common/block/vectors.cuh"
#include "common/kernel/async_copy.cuh"

namespace
{

/* How many elements beside a range may be read too, as far as that counts: up to a vector. */
template <typename T>
__device__ unsigned within_a_vector(size_t elements)
{
    constexpr unsigned WIDTH = VECTOR_ELEMENTS<T>;
    return elements < WIDTH ? static_cast<unsigned>(elements) : WIDTH;
}

/* Copies the vectors that `count` elements lie in; thread x of `across` has every across-th. That
 * many elements `before` and `after` the range may be read too, or more where it is a vector: of
 * vectors that reach further, what may be read is copied element by element. `to` lies as far past
 * 16 bytes as `from`. */
template <typename T>
__device__ void stage_range(T *to, const T *from, unsigned count, unsigned before, unsigned after,
                            unsigned x, unsigned across)
{
    constexpr unsigned WIDTH = VECTOR_ELEMENTS<T>;
    const unsigned past = bytes_past_vector(from) / sizeof(T), end = past + count;
    const unsigned up = (WIDTH - end % WIDTH) % WIDTH; /* to the last vector's end */
    const unsigned first = before < past ? past - before : 0,
                   last = end + (after < up ? after : up);
    const unsigned begin = first > 0 ? 1 : 0, whole = last / WIDTH;
    from -= past;
    to -= past;
    PRIM_UNROLL(4)
    for (unsigned v = begin + x; v < whole; v += across)
        copy_async(reinterpret_cast<vector<T> *>(to) + v,
                   reinterpret_cast<const vector<T> *>(from) + v);
    PRIM_UNROLL(1)
    for (unsigned e = first + x; e < begin * WIDTH && e < last; e += across)
        to[e] = from[e];
    PRIM_UNROLL(1)
    for (unsigned e = (begin > whole ? begin : whole) * WIDTH + x; e < last; e += across)
        to[e] = from[e];
}

} // namespace

#endif
