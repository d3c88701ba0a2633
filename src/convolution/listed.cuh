/* Weights of masks whose sides are run-time values: how they are passed, and how they are read. */
#ifndef PRIM_CONVOLUTION_LISTED_CUH
#define PRIM_CONVOLUTION_LISTED_CUH

#include "common/block/vectors.cuh"
#include "convolution/problem.cuh"
#include "convolution/register.h"

namespace
{
namespace listed
{

constexpr int TAPS = 4; /* that are taken at once */

/* Host masks that are passed as arguments; flipped ones are flipped already. */
constexpr int FEW_WEIGHTS = PRIM_CONVOLUTION_FEW_WEIGHTS;
template <typename Sum>
struct weights {
    weight_list<Sum> list; /* first: nullptr for `few` */
    Sum few[FEW_WEIGHTS];

    weight_list<Sum> column; /* of a separable mask; among the few after those of the row */

    __device__ Sum operator[](int k) const
    {
        return list.first == nullptr ? few[k] : list[k];
    }
    __device__ Sum of_column(int k, int width) const
    {
        return list.first == nullptr ? few[width + k] : column[k];
    }
};

/* In shared memory, where a row of them is padded to whole TAPS. */
template <typename Sum>
struct shared_weights {
    const Sum *rows;
    int padded;

    template <int COUNT>
    __device__ void read(int row, int tap, Sum (&w)[COUNT]) const
    {
        const Sum *const from = rows + row * padded + tap;
        if constexpr (COUNT % VECTOR_ELEMENTS<Sum> == 0) {
            PRIM_UNROLL(COUNT)
            for (int i = 0; i < COUNT; i += static_cast<int>(VECTOR_ELEMENTS<Sum>)) {
                const vector<Sum> some = load_vector(from + i);
                PRIM_UNROLL(4)
                for (int e = 0; e < static_cast<int>(VECTOR_ELEMENTS<Sum>); e++)
                    w[i + e] = some.words[e];
            }
        } else {
            PRIM_UNROLL(COUNT)
            for (int i = 0; i < COUNT; i++)
                w[i] = from[i];
        }
    }
};

/* MOST taps of windows side by side, of which the first one begins at x[0]; unless ALL, only the
 * first `count`. Their weights begin at a multiple of 16 bytes. */
template <int MOST, bool ALL, typename Sum, int OUTPUTS, int ELEMENTS>
__device__ void add_taps(Sum (&sums)[OUTPUTS], const Sum *weights, int count,
                         const Sum (&x)[ELEMENTS])
{
    constexpr int EACH = static_cast<int>(VECTOR_ELEMENTS<Sum>);
    PRIM_UNROLL(MOST)
    for (int i = 0; i < MOST; i += EACH) {
        if (!ALL && i >= count)
            return;
        const vector<Sum> some = load_vector(weights + i);
        PRIM_UNROLL(EACH)
        for (int e = 0; e < EACH; e++) {
            if (!ALL && i + e >= count)
                return;
            PRIM_UNROLL(OUTPUTS)
            for (int c = 0; c < OUTPUTS; c++)
                sums[c] = add_product(sums[c], some.words[e], x[c + i + e]);
        }
    }
}

__host__ __device__ inline int padded(int width)
{
    return (width + TAPS - 1) / TAPS * TAPS;
}

/* Of shared memory for all weights of a mask. */
template <typename Sum>
size_t weight_bytes(const prim_mask &mask)
{
    return static_cast<size_t>(padded(static_cast<int>(mask.width))) * mask.height * sizeof(Sum);
}

/* A block copies `rows` rows of a mask, from row `first` on. */
template <typename Sum>
__device__ void bring(const weights<Sum> &w, int width, int first, int rows, int step, Sum *to)
{
    for (int row = 0; row < rows; row++)
        for (int i = static_cast<int>(threadIdx.x); i < width; i += static_cast<int>(blockDim.x))
            to[row * step + i] = w[(first + row) * width + i];
}

/* Whether both parts of a separable mask may be passed together. */
inline bool are_few_on_host(const prim_mask &row, const prim_mask &column)
{
    return row.h_values != nullptr && column.h_values != nullptr &&
           row.width + column.height <= FEW_WEIGHTS;
}
inline bool passes_both_parts(const prim_convolution_args *args)
{
    return are_few_on_host(args->mask, args->mask_y) ||
           (args->mask.d_values != nullptr && args->mask_y.d_values != nullptr);
}

template <typename Sum>
void copy_from_host(const prim_convolution_args *args, const prim_mask &mask, Sum *to)
{
    const size_t count = mask.width * mask.height;
    const weight_list<Sum> host = list_of<Sum>(args, mask.h_values, count);
    for (size_t k = 0; k < count; k++)
        to[k] = host[static_cast<int>(k)];
}

/* From the host where they are few, otherwise from the device. */
template <typename Sum>
weights<Sum> weights_of(const prim_convolution_args *args)
{
    const prim_mask &mask = args->mask, &column = args->mask_y;
    const bool is_separable = column.height > 0;
    const size_t count = mask.width * mask.height;
    weights<Sum> w = {};
    if (is_separable ? are_few_on_host(mask, column)
                     : mask.h_values != nullptr && count <= FEW_WEIGHTS) {
        copy_from_host(args, mask, w.few);
        if (is_separable)
            copy_from_host(args, column, w.few + mask.width);
        return w;
    }
    w.list = list_of<Sum>(args, mask.d_values, count);
    if (is_separable)
        w.column = list_of<Sum>(args, column.d_values, column.height);
    return w;
}

} // namespace listed
} // namespace

#endif
