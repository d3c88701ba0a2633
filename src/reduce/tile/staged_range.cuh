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

/* What may be read: from the first element of a matrix to its last one. */
template <typename T>
struct matrix_bounds {
    const T *begin, *end;

    __device__ bool hold(const T *from, unsigned count) const
    {
        return begin <= from && from + count <= end;
    }
};

/* Copies the vectors that `count` elements lie in: x, x + across, … of them. Of vectors that reach
 * out of the matrix, only what lies in it. `to` lies as far past 16 bytes as `from`. */
template <typename T>
__device__ void stage_range(T *to, const T *from, unsigned count, const matrix_bounds<T> &matrix,
                            unsigned x, unsigned across)
{
    constexpr unsigned WIDTH = VECTOR_ELEMENTS<T>;
    const unsigned past = bytes_past_vector(from) / sizeof(T), end = past + count;
    from -= past;
    to -= past;
    PRIM_UNROLL(4)
    for (unsigned i = x * WIDTH; i < end; i += across * WIDTH) {
        if (matrix.hold(from + i, WIDTH)) {
            copy_async(reinterpret_cast<vector<T> *>(to + i),
                       reinterpret_cast<const vector<T> *>(from + i));
            continue;
        }
        PRIM_UNROLL(1)
        for (unsigned e = i; e < i + WIDTH; e++)
            if (matrix.hold(from + e, 1))
                to[e] = from[e];
    }
}

} // namespace

#endif
