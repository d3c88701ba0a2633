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

/* Copies vectors x, x + across, … of those that `count` elements lie in; of vectors that reach out of
 * the matrix, only what lies in it. `to` lies as far past 16 bytes as `from`. */
template <typename T>
__device__ void stage_range(T *to, const T *from, unsigned count, const matrix_bounds<T> &matrix,
                            unsigned x, unsigned across)
{
    constexpr unsigned WIDTH = VECTOR_ELEMENTS<T>;
    const unsigned past = bytes_past_vector(from) / sizeof(T),
                   vectors = (past + count + WIDTH - 1) / WIDTH;
    from -= past;
    to -= past;
    vector<T> *const slots = reinterpret_cast<vector<T> *>(to);
    if (matrix.hold(from, vectors * WIDTH)) {
        PRIM_UNROLL(4)
        for (unsigned v = x; v < vectors; v += across)
            copy_async(&slots[v], reinterpret_cast<const vector<T> *>(from) + v);
        return;
    }
    PRIM_UNROLL(1)
    for (unsigned v = x; v < vectors; v += across) {
        if (matrix.hold(from + v * WIDTH, WIDTH)) {
            copy_async(&slots[v], reinterpret_cast<const vector<T> *>(from) + v);
            continue;
        }
        PRIM_UNROLL(1)
        for (unsigned e = v * WIDTH; e < (v + 1) * WIDTH; e++)
            if (matrix.hold(from + e, 1))
                to[e] = from[e];
    }
}

} // namespace

#endif
