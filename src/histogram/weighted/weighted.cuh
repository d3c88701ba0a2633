/* Weights in fixed point, so that their sums do not depend on an order:
 *
 *     weight       0.7          rounded to the nearest multiple of u, a power of two of which 2^62
 *     u            ┼┼┼┼┼┼┼┼     are never exceeded by `count` of the largest weight: so no sum
 *     fixed        716          overflows 64 bits, and u is small enough to use them
 *
 * Kernels and host code share this. The workspace's words are the bits of the largest weight that
 * was found, whether a weight was unfit (not finite, or too large), the sums of the bins and those
 * of samples outside. */
#ifndef PRIM_HISTOGRAM_WEIGHTED_CUH
#define PRIM_HISTOGRAM_WEIGHTED_CUH

#include <cmath>

#include "histogram/binning/floats.cuh"
#include "histogram/counters/counting.cuh"

namespace
{

/* Powers of two, as two factors each, since their product may not fit a double: up is 1 / u, down
 * is u. */
struct fixed_scale {
    double up[2], down[2];
};

__host__ __device__ inline fixed_scale make_fixed_scale(double largest, size_t count)
{
    int exponent = 0, count_log2 = 0;
    if (is_finite(largest))
        (void)frexp(largest, &exponent);
    while (count_log2 < 62 && static_cast<size_t>(1) << count_log2 < count)
        count_log2++;
    const int up = 62 - exponent - count_log2, first = up / 2, second = up - first;
    return {{ldexp(1.0, first), ldexp(1.0, second)}, {ldexp(1.0, -first), ldexp(1.0, -second)}};
}

/* To the nearest, ties to even. Products by powers of two lose bits only far below 1. */
__host__ __device__ inline int64_t fixed_weight(const fixed_scale &s, double weight)
{
    return llrint(weight * s.up[0] * s.up[1]);
}

/* Rounded once, unless it is subnormal. */
template <typename Sum>
__host__ __device__ Sum sum_of_fixed(const fixed_scale &s, int64_t sum)
{
    const double rounded = static_cast<Sum>(sum);
    return static_cast<Sum>(rounded * s.down[0] * s.down[1]);
}

/* The weights, as a kernel's argument. */
struct weight_list {
    const void *weights;
    size_t count;
    bool is_double;
    bool is_given; /* the largest one; otherwise it is in the workspace */
    double largest;
};

inline weight_list make_weights(const prim_histogram_args *args)
{
    const bool is_double = args->weight_type == CUDA_R_64F, is_given = args->largest != nullptr;
    const double largest = !is_given   ? 0
                           : is_double ? *static_cast<const double *>(args->largest)
                                       : *static_cast<const float *>(args->largest);
    return {args->weights, args->count, is_double, is_given, largest};
}

__host__ __device__ inline double weight_at(const weight_list &w, size_t i)
{
    return w.is_double ? static_cast<const double *>(w.weights)[i]
                       : static_cast<const float *>(w.weights)[i];
}

/* Words of the workspace. */
enum { LARGEST_WORD, UNFIT_WORD, FIRST_SUM_WORD };

/* Magnitudes have the order of their bits, with infinity and then NaN after all numbers. */
__host__ __device__ inline uint64_t magnitude_bits(double x)
{
    return same_bits<uint64_t>(x) & (UINT64_MAX >> 1);
}

/* Converts the weights of one thread to fixed point; unfit ones count as 0, and are reported. */
struct weigher {
    double largest;
    fixed_scale scale;
    bool is_unfit;

    __host__ __device__ int64_t fixed(double weight)
    {
        const bool fits = fabs(weight) <= largest;
        is_unfit = is_unfit || !fits;
        return fits ? fixed_weight(scale, weight) : 0;
    }
};

/* Where the largest weight is infinite or NaN, all weights are unfit, and count as 0. */
__host__ __device__ inline weigher make_weigher(const weight_list &w, uint64_t found)
{
    const double largest = w.is_given ? w.largest : same_bits<double>(found);
    const bool has_scale = is_finite(largest);
    return {has_scale ? largest : -1, make_fixed_scale(largest, w.count), !has_scale};
}

/* One sum, as the call writes it. */
template <typename Sum>
__host__ __device__ Sum finished_sum(const weigher &w, int64_t fixed, bool adds, Sum before)
{
    const Sum sum = w.is_unfit ? same_bits<Sum>(one_nan(static_cast<Sum>(NAN)))
                               : sum_of_fixed<Sum>(w.scale, fixed);
    return one_nan(adds ? before + sum : sum);
}

} // namespace

extern "C" {

/* weighted.cu: the steps before and after the kernel that adds. begin: clears the workspace, and
 * finds the largest weight where it was not given; is_done: there is nothing to add. */
cudaError_t prim_histogram_weighted_begin(const prim_histogram_args *args, bool *is_done);
cudaError_t prim_histogram_weighted_end(const prim_histogram_args *args);

} // extern "C"

#endif
