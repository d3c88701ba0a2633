/* DYADIC, quick bins of floats where edges are multiples of the bins' width, a power of two: [0, 1)
 * or [-1, 1] in 256 bins, say. Then
 *
 *     v = x / width + offset = 2^B + (bin and fraction)       2^B ≤ v < 2^(B+1)
 *
 * where all these numbers are floats, and rounding downwards never leaves a bin: the first B bits
 * of the mantissa are the bin, for every float.
 *
 * One thing is left. The definition of the bins subtracts the lower bound in double. Floats just
 * below 0 are far denser than doubles around the bound, so the definition takes the nearest ones
 * for 0. The host finds by the definition where these begin. */
#ifndef PRIM_HISTOGRAM_DYADIC_CUH
#define PRIM_HISTOGRAM_DYADIC_CUH

#include <cmath>

#include "histogram/binning/bins.cuh"
#include "histogram/binning/floats.cuh"

namespace
{

/* A kernel's argument. */
struct dyadic_bins {
    float scale, offset;
    float most;             /* the last float in range */
    float counts_as_0;      /* from here on, negative floats do */
    unsigned fraction_bits; /* of v's mantissa, after the bin's */
    uint32_t base, end;     /* the bits of 2^B; those of the last bin's end, less base */
};

/* The first float that counts as 0, where the range has 0 inside and bin `zero` begins there. One
 * of a 64th of a bin never does. */
inline float first_zero(const binning &b, size_t zero, double width)
{
    uint32_t low = 0, high = same_bits<uint32_t>(static_cast<float>(width / 64));
    while (low + 1 < high) {
        const uint32_t middle = low + (high - low) / 2;
        (real_bin(b, -same_bits<float>(middle)) >= zero ? low : high) = middle;
    }
    return -same_bits<float>(low);
}

/* false: bins are not as described above, or too many for the mantissa; with up to 2^20 of them on
 * both sides of 0, the definition's roundings reach no other edge than 0. */
inline bool choose_dyadic(dyadic_bins *to, const binning &b, float most)
{
    constexpr double MOST_BINS = 1 << 20;
    const double bins = static_cast<double>(b.bins);
    const double width = (b.real_upper - b.real_lower) / bins, first = b.real_lower / width;
    int exponent;
    if (std::frexp(width, &exponent) != 0.5 || exponent < -100 || exponent > 100 ||
        bins > MOST_BINS || std::fabs(first) > MOST_BINS || first != std::floor(first) ||
        b.real_upper != (first + bins) * width)
        return false;
    int bin_bits = 0;
    while (std::ldexp(1.0, bin_bits) < bins)
        bin_bits++;
    const float one = static_cast<float>(std::ldexp(1.0, bin_bits));
    const bool zero_is_inside = b.real_lower < 0 && b.real_upper > 0;
    to->scale = static_cast<float>(1 / width);
    to->offset = one - static_cast<float>(first);
    to->most = most;
    to->counts_as_0 = zero_is_inside ? first_zero(b, static_cast<size_t>(-first), width) : 0.0f;
    to->fraction_bits = static_cast<unsigned>(23 - bin_bits);
    to->base = same_bits<uint32_t>(one);
    to->end = static_cast<uint32_t>(b.bins) << to->fraction_bits;
    return true;
}

/* The bin, or the number of bins for what is out of range or NaN: below the first bin, v's bits are
 * less than base, and their difference wraps around. */
__device__ inline uint32_t dyadic_bin(const dyadic_bins &d, float x)
{
    const float from = x >= d.counts_as_0 ? fmaxf(x, 0.0f) : x;
    const uint32_t fixed = same_bits<uint32_t>(fused_downwards(from, d.scale, d.offset)) - d.base,
                   last = d.end - 1, inside = fixed < last ? fixed : last;
    return (fixed <= d.end && x <= d.most ? inside : d.end) >> d.fraction_bits;
}

} // namespace

#endif
