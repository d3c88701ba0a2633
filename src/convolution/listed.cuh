/* Weights of masks whose sides are run-time values: how they are passed, and how they are read. */
#ifndef PRIM_CONVOLUTION_LISTED_CUH
#define PRIM_CONVOLUTION_LISTED_CUH

#include "common/vectors.cuh"
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

    __device__ Sum operator[](int k) const
    {
        return list.first == nullptr ? few[k] : list[k];
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

__host__ __device__ inline int padded(int width)
{
    return (width + TAPS - 1) / TAPS * TAPS;
}

/* A block copies `rows` rows of a mask, from row `first` on. */
template <typename Sum>
__device__ void bring(const weights<Sum> &w, int width, int first, int rows, int step, Sum *to)
{
    for (int row = 0; row < rows; row++)
        for (int i = static_cast<int>(threadIdx.x); i < width; i += static_cast<int>(blockDim.x))
            to[row * step + i] = w[(first + row) * width + i];
}

/* From the host where they are few, otherwise from the device. */
template <typename Sum>
weights<Sum> weights_of(const prim_convolution_args *args)
{
    const prim_mask &mask = args->mask;
    const size_t count = mask.width * mask.height;
    weights<Sum> w = {};
    if (mask.h_values == nullptr || count > FEW_WEIGHTS) {
        w.list = list_of<Sum>(args, mask.d_values, count);
        return w;
    }
    const weight_list<Sum> host = list_of<Sum>(args, mask.h_values, count);
    for (size_t k = 0; k < count; k++)
        w.few[k] = host[static_cast<int>(k)];
    return w;
}

} // namespace listed
} // namespace

#endif
