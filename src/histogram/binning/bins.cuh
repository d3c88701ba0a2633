/* The counter of a sample, computed exactly as the header defines it. Kernels and host code share
 * this, so they cannot differ; quick.cuh has the same bins at less cost. */
#ifndef PRIM_HISTOGRAM_BINS_CUH
#define PRIM_HISTOGRAM_BINS_CUH

#include <cmath>

#include "common/host/element.h"
#include "common/kernel/dispatch.cuh"
#include "common/math/numeric.cuh"
#include "common/math/ordered.cuh"
#include "common/math/values.cuh"
#include "histogram/histogram_args.h"
#include "histogram/instances.h"

namespace
{

__extension__ typedef unsigned __int128 wide;

/* How many bits (x − lower) · bins can have: a narrow division costs a fraction of a wide one. */
enum product_width { PRODUCT_32, PRODUCT_64, PRODUCT_128 };

/* The range and the policy, as a kernel's argument. */
struct binning {
    size_t bins;
    int64_t lower;
    uint64_t span; /* upper − lower, also where that is more than int64_t holds */
    product_width width;
    bool is_signed; /* for integers, all of which are passed as unsigned ones */
    double real_lower, real_upper;
    double real_bins, real_span; /* bins and upper − lower, both times one power of two */
    prim_outside outside;
    bool last_open;
};

inline bool is_signed_integer(cudaDataType_t type)
{
    return type == CUDA_R_8I || type == CUDA_R_16I || type == CUDA_R_32I || type == CUDA_R_64I;
}

inline binning make_binning(const prim_histogram_args *args)
{
    const uint64_t span =
        static_cast<uint64_t>(args->range.upper) - static_cast<uint64_t>(args->range.lower);
    const wide largest = static_cast<wide>(span) * args->bins;
    const product_width width = largest <= UINT32_MAX   ? PRODUCT_32
                                : largest <= UINT64_MAX ? PRODUCT_64
                                                        : PRODUCT_128;
    /* No product of the two is beyond the largest double then; tiny samples are in bin 0 anyway. */
    const double bins = static_cast<double>(args->bins),
                 real_span = args->range.real_upper - args->range.real_lower,
                 scale = std::isfinite(real_span * bins) ? 1 : 0x1p-64;
    return {args->bins,
            args->range.lower,
            span,
            width,
            is_signed_integer(args->sample_type),
            args->range.real_lower,
            args->range.real_upper,
            bins * scale,
            real_span * scale,
            args->outside,
            (args->flags & PRIM_HISTOGRAM_LAST_BIN_OPEN) != 0};
}

/* A sample's place: a bin, or one of these after the last bin. */
enum outside_place { BELOW, ABOVE, NOT_A_NUMBER };

__host__ __device__ inline size_t bin_of(const binning &b, uint64_t distance)
{
    switch (b.width) {
    case PRODUCT_32:
        return static_cast<uint32_t>(distance) * static_cast<uint32_t>(b.bins) /
               static_cast<uint32_t>(b.span);
    case PRODUCT_64:
        return distance * b.bins / b.span;
    default:
        return static_cast<size_t>(static_cast<wide>(distance) * b.bins / b.span);
    }
}

/* An integer's value; `too_large` where int64_t does not hold it, so that it is above any range. */
template <typename T>
__host__ __device__ int64_t integer_value(const binning &b, T sample, bool *too_large)
{
    using S = typename std::make_signed<T>::type;
    *too_large = !b.is_signed && sizeof(T) == 8 && static_cast<S>(sample) < 0;
    return b.is_signed ? static_cast<int64_t>(static_cast<S>(sample))
                       : static_cast<int64_t>(sample);
}

template <typename T>
__host__ __device__ size_t integer_place(const binning &b, T sample)
{
    bool too_large;
    const int64_t x = integer_value(b, sample, &too_large);
    if (too_large)
        return b.bins + ABOVE;
    if (x < b.lower)
        return b.bins + BELOW;
    const uint64_t distance = static_cast<uint64_t>(x) - static_cast<uint64_t>(b.lower);
    return distance < b.span ? bin_of(b, distance) : b.bins + ABOVE;
}

__host__ __device__ inline size_t real_bin(const binning &b, double x)
{
    const double bin = (x - b.real_lower) * b.real_bins / b.real_span;
    return bin < static_cast<double>(b.bins) ? static_cast<size_t>(bin) : b.bins - 1;
}

__host__ __device__ inline size_t real_place(const binning &b, double x)
{
    if (is_nan(x))
        return b.bins + NOT_A_NUMBER;
    if (x < b.real_lower)
        return b.bins + BELOW;
    if (x > b.real_upper || (b.last_open && x == b.real_upper))
        return b.bins + ABOVE;
    return real_bin(b, x);
}

template <typename T>
__host__ __device__ double real_value(T sample)
{
    if constexpr (IS_HALF<T>)
        return to_float(sample);
    else
        return sample;
}

template <typename T>
__host__ __device__ size_t place_of(const binning &b, T sample)
{
    if constexpr (std::is_integral<T>::value)
        return integer_place(b, sample);
    else
        return real_place(b, real_value(sample));
}

constexpr size_t NOWHERE = SIZE_MAX;

/* The counter for a place, by the policy: a bin, bins + 0 … 2 for d_outside's, or NOWHERE. */
__host__ __device__ inline size_t counter_at(size_t place, size_t bins, prim_outside outside)
{
    if (place < bins || outside == PRIM_OUTSIDE_COUNT)
        return place;
    if (outside == PRIM_OUTSIDE_DROP || place == bins + NOT_A_NUMBER)
        return NOWHERE;
    return place == bins + BELOW ? 0 : bins - 1;
}

template <typename T>
__host__ __device__ size_t counter_of(const binning &b, T sample)
{
    return counter_at(place_of(b, sample), b.bins, b.outside);
}

/* Run::run<T>(args, more…) for the samples' type. */
PRIM_DISPATCH_TYPE(dispatch, PRIM_HISTOGRAM_TYPES, sample_type)
PRIM_DISPATCH_TYPE(dispatch_textbook, PRIM_HISTOGRAM_TEXTBOOK_TYPES, sample_type)

} // namespace

#endif
