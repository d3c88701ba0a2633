/* The bins of bins.cuh, so fast that memory bandwidth stays the limit: no division, and one test
 * for both ends of the range. Samples that it cannot decide are left to the exact computation.
 *
 * Integers. bin = (x − lower) · bins / span becomes a multiplication by factor = bins · 2^s / span
 * and a shift by s:
 *     HIGH       as MULTIPLY, where s = 32: the product's upper half is the bin
 *     MULTIPLY   factor rounded up, where the excess never reaches the next bin: exact
 *     CORRECT    factor rounded down: the bin or the one before, which the remainder tells
 *     ESTIMATE   in double: the bin or a neighbour, which the remainder tells
 * The excess of MULTIPLY is e = factor · span − bins · 2^s < span, and (span − 1) · e < 2^s makes
 * it harmless (T. Granlund and P. Montgomery, Division by invariant integers, PLDI 1994).
 *
 * Floats. One multiplication and addition puts x into fixed point: with 2^B > bins,
 *
 *     v = x · scale + offset = 2^B + (bin and fraction) + bias       2^B ≤ v < 2^(B+1)
 *
 * so that the mantissa's first B bits are the bin, and the rest is the fraction. bias is more than
 * all roundings can add up to, so the bin is right or one too large, and it is too large only where
 * the fraction is below 2 · bias. For such samples IN_FLOAT compares with the first sample of the
 * bin, from a table in shared memory; IN_DOUBLE takes the remainder. All others that the mantissa
 * puts into a bin are in range too.
 *
 * Where bins are powers of two wide and their edges multiples of that, DYADIC needs neither bias
 * nor correction: dyadic.cuh.
 *
 * Halves. Many of them are on edges, but few are near one. So v without a bias, rounded downwards,
 * mostly has the right bin for all of them. Where it has, SETTLED takes the mantissa's bin as it
 * is, and needs no table: settled.cuh. */
#ifndef PRIM_HISTOGRAM_QUICK_CUH
#define PRIM_HISTOGRAM_QUICK_CUH

#include <cmath>

#include "common/host/element.h"
#include "common/kernel/unroll.cuh"
#include "common/math/ordered.cuh"
#include "histogram/binning/bins.cuh"
#include "histogram/binning/dyadic.cuh"
#include "histogram/binning/floats.cuh"
#include "histogram/tuning.h"

namespace
{

/* How samples are binned; EXACT: by bins.cuh alone. */
enum quick_method {
    EXACT,
    HIGH,
    MULTIPLY,
    CORRECT,
    ESTIMATE,
    DYADIC,
    IN_FLOAT,
    IN_DOUBLE,
    SETTLED
};

constexpr unsigned MOST_TABLED = 4096; /* bins with a table of first samples */

template <typename Real>
struct fixed_point {
    Real scale, offset, least, most; /* least ≤ x ≤ most: in range */
    Real unbiased;                   /* offset without the bias */
    unsigned fraction_bits;
    uint64_t base, end; /* v's bits - base < end: in a bin, or just past the last one */
    uint64_t near;      /* the bin may be one too large below this fraction */
};

/* A kernel's argument. */
struct quick_binning {
    binning exact;
    quick_method method, general; /* general: another one, where method is DYADIC */
    bool asks;                    /* some samples are left to bins.cuh */
    bool may_settle;              /* halves: it is worth looking */
    uint32_t bins;
    uint32_t flip;          /* of narrow samples, two or four to a word: 0x80 … where signed */
    uint64_t low, last;     /* integers are in range where x − low ≤ last */
    uint32_t factor, span;  /* of MULTIPLY and CORRECT */
    unsigned before, after; /* shifts around the multiplication; the other 32 of s lie in between */
    double ratio;           /* of ESTIMATE */
    fixed_point<float> f32;
    fixed_point<double> f64;
    dyadic_bins dyadic;
};

/* ---- made on the host: integers ---- */

/* Chooses shifts, before + 32 + after, so that the factor has 32 bits where possible. */
inline bool choose_factor(quick_binning *q, uint64_t span, uint64_t bins)
{
    if (span > UINT32_MAX || bins > UINT32_MAX / 2)
        return false;
    q->before = q->after = 0;
    if (bins < span) {
        while (q->after < 31 && (static_cast<wide>(bins) << (33 + q->after)) / span < UINT32_MAX)
            q->after++;
    } else {
        while (bins >> q->before >= span)
            q->before++;
        if (((span - 1) << q->before) > UINT32_MAX)
            return false;
    }
    q->span = static_cast<uint32_t>(span);
    if (span <= UINT16_MAX + 1 && bins < span) { /* the excess is too small to matter */
        q->before = q->after = 0;
        q->factor = static_cast<uint32_t>(((static_cast<uint64_t>(bins) << 32) + span - 1) / span);
        q->method = HIGH;
        return true;
    }
    const wide one = static_cast<wide>(1) << (32 + q->after - q->before);
    const wide up = (bins * one + span - 1) / span;
    const bool exact = up <= UINT32_MAX && (span - 1) * (up * span - bins * one) < one;
    const bool correctable = q->before == 0 && span <= static_cast<uint64_t>(1) << 31;
    if (!exact && !correctable)
        return false;
    q->method = exact ? MULTIPLY : CORRECT;
    q->factor = static_cast<uint32_t>(exact ? up : bins * one / span);
    return true;
}

/* Whether the distance from `lower`, computed in the sample's own width (32 bits at least), wraps
 * around into the range for no sample. */
inline bool distance_never_wraps(const prim_histogram_range *r, unsigned bytes, bool is_signed)
{
    if (bytes == 8)
        return is_signed || r->lower >= 0;
    const int64_t end = static_cast<int64_t>(1) << 31;
    if (bytes == 4)
        return is_signed ? r->lower >= -end && r->upper <= end
                         : r->lower >= 0 && r->upper <= 2 * end;
    return r->lower >= -(end / 2) && r->upper <= end;
}

inline void quicken_integers(quick_binning *q, const prim_histogram_args *args, unsigned bytes)
{
    const binning &b = q->exact;
    const unsigned bits = 8 * bytes;
    if (!distance_never_wraps(&args->range, bytes, b.is_signed))
        return;
    const bool biased = b.is_signed && bytes < 4;
    q->flip = !biased ? 0 : bytes == 1 ? 0x80808080u : 0x80008000u;
    q->low = static_cast<uint64_t>(b.lower) + (biased ? static_cast<uint64_t>(1) << (bits - 1) : 0);
    q->last = b.span - 1;
    q->ratio = static_cast<double>(b.bins) / static_cast<double>(b.span);
    if (!choose_factor(q, b.span, b.bins) && bytes >= 4)
        q->method = ESTIMATE;
}

/* ---- made on the host: floats ---- */

/* x rounded to a float, upwards or downwards. */
inline float float_from(double x, bool upwards)
{
    const double most = std::numeric_limits<float>::max();
    if (x > most)
        return upwards ? std::numeric_limits<float>::infinity() : static_cast<float>(most);
    if (x < -most)
        return upwards ? static_cast<float>(-most) : -std::numeric_limits<float>::infinity();
    const float near = static_cast<float>(x);
    const float end =
        upwards ? std::numeric_limits<float>::infinity() : -std::numeric_limits<float>::infinity();
    return (upwards ? near < x : near > x) ? std::nextafter(near, end) : near;
}

/* false: the roundings could reach a whole bin. */
template <typename Real>
bool choose_fixed_point(fixed_point<Real> *to, const binning &b)
{
    constexpr int digits = std::numeric_limits<Real>::digits - 1;
    const double bins = static_cast<double>(b.bins), span = b.real_upper - b.real_lower;
    const double scale = bins / span, largest = std::numeric_limits<Real>::max();
    int whole_bits = 1;
    while (whole_bits < digits - 1 && std::ldexp(1.0, whole_bits) < bins + 1)
        whole_bits++;
    const double one = std::ldexp(1.0, whole_bits);
    const double reach = scale * std::fmax(std::fabs(b.real_lower), std::fabs(b.real_upper));
    if (one < bins + 1 || !(scale >= std::numeric_limits<Real>::min() && scale < largest) ||
        !(reach < largest / 2))
        return false;
    const double error = 4 * (reach + one) * std::ldexp(1.0, -digits - 1) + bins * 0x1p-48;
    const double unit = std::ldexp(1.0, whole_bits - digits);
    const double bias = std::ceil(error / unit) + 1;
    const double fractions = std::ldexp(1.0, digits - whole_bits);
    if (2 * bias + 1 >= fractions)
        return false;
    using Bits = typename std::conditional<sizeof(Real) == 8, uint64_t, uint32_t>::type;
    to->scale = static_cast<Real>(scale);
    to->offset = static_cast<Real>(one - b.real_lower * scale + bias * unit);
    to->unbiased = static_cast<Real>(one - b.real_lower * scale);
    to->fraction_bits = static_cast<unsigned>(digits - whole_bits);
    to->base = same_bits<Bits>(static_cast<Real>(one));
    to->near = static_cast<uint64_t>(2 * bias + 1);
    to->end = static_cast<uint64_t>(bins * fractions) + to->near;
    return true;
}

inline void quicken_reals(quick_binning *q, const prim_histogram_args *args, bool is_double)
{
    const binning &b = q->exact;
    fixed_point<double> &f64 = q->f64;
    f64.least = b.real_lower;
    f64.most = b.last_open ? std::nextafter(b.real_upper, -HUGE_VAL) : b.real_upper;
    q->f32.least = float_from(f64.least, true);
    q->f32.most = float_from(f64.most, false);
    /* Ensures that what quotient_reaches() takes for exact does not overflow or underflow. */
    const double span = b.real_upper - b.real_lower;
    if (!std::isfinite(span * static_cast<double>(b.bins)) || span < 0x1p-900 ||
        !choose_fixed_point(&f64, b))
        return;
    const bool fits = !is_double && b.bins <= MOST_TABLED && choose_fixed_point(&q->f32, b);
    q->general = fits && args->count >= PRIM_HISTOGRAM_WORTH_A_TABLE ? IN_FLOAT : IN_DOUBLE;
    q->method = !is_double && choose_dyadic(&q->dyadic, b, q->f32.most) ? DYADIC : q->general;
    q->may_settle = fits && args->count >= (q->method == DYADIC ? PRIM_HISTOGRAM_BETTER_SETTLED
                                                                : PRIM_HISTOGRAM_WORTH_SETTLING);
}

/* For bins and outside's counters whose numbers fit 32 bits. */
inline quick_binning make_quick_binning(const prim_histogram_args *args)
{
    quick_binning q = {};
    q.exact = make_binning(args);
    q.bins = static_cast<uint32_t>(args->bins);
    const unsigned bytes = static_cast<unsigned>(prim_element_bytes(args->sample_type));
    if (prim_element_is_float(args->sample_type))
        quicken_reals(&q, args, bytes == 8);
    else
        quicken_integers(&q, args, bytes);
    q.asks = q.method == EXACT || args->outside != PRIM_OUTSIDE_DROP;
    return q;
}

/* ---- in kernels: the table of first samples ---- */

/* Is product / span, rounded, at least k ≥ 1? It is where the quotient itself is nearer to k than
 * to the double before, or as near: k is even there. The remainder is exact where that is close. */
__device__ inline bool quotient_reaches(const binning &b, double product, double k)
{
    const double span = b.real_upper - b.real_lower;
    return fused(-k, span, product) >= (previous_double(k) - k) / 2 * span;
}

/* real_bin(b, x) ≥ k, without the division. */
__device__ inline bool reaches(const binning &b, double x, double k)
{
    return quotient_reaches(b, (x - b.real_lower) * static_cast<double>(b.bins), k);
}

/* The smallest distance from the lower bound that gives bin k: searched within a few steps from its
 * place without rounding. */
__device__ inline double first_distance(const binning &b, double k)
{
    const double bins = static_cast<double>(b.bins);
    double d = k * ((b.real_upper - b.real_lower) / bins);
    for (int step = 0; step < 4 && quotient_reaches(b, d * bins, k); step++)
        d = previous_double(d);
    for (int step = 0; step < 4 && !quotient_reaches(b, d * bins, k); step++)
        d = same_bits<double>(same_bits<uint64_t>(d) + 1);
    return d;
}

/* The first float of bin k, which lies between two floats: `below` does not reach the bin, and x
 * does. */
__device__ inline float first_between(const binning &b, unsigned k, float below, float x)
{
    int32_t low = ordered_bits(same_bits<int32_t>(below)),
            high = ordered_bits(same_bits<int32_t>(x));
    while (low + 1 < high) {
        const int32_t middle = low + (high - low) / 2;
        if (reaches(b, same_bits<float>(ordered_bits(middle)), k))
            high = middle;
        else
            low = middle;
    }
    return same_bits<float>(ordered_bits(high));
}

/* The first float of bin k, searched from its place without rounding: mostly a step or two. */
__device__ inline float first_of_bin(const quick_binning &q, unsigned k)
{
    const binning &b = q.exact;
    const double d = first_distance(b, k);
    float x = static_cast<float>(d + b.real_lower - (d - previous_double(d)) / 2);
    if (!(x > q.f32.least && x <= q.f32.most))
        x = q.f32.most;
    float next = x;
    for (int step = 0; step < 3 && !reaches(b, x, k); step++)
        x = next_float(x, true);
    for (int step = 0; step < 3 && reaches(b, next = next_float(x, false), k); step++)
        x = next;
    if (!reaches(b, x, k)) /* never up to the end, or far away */
        return reaches(b, q.f32.most, k) ? first_between(b, k, x, q.f32.most)
                                         : same_bits<float>(0x7f800000u);
    if (!reaches(b, next, k))
        return x;
    return reaches(b, q.f32.least, k) ? same_bits<float>(0xff800000u)
                                      : first_between(b, k, q.f32.least, x);
}

/* first[k], for k from 0 to bins, is the first float of bin k: first[0] the first one in range,
 * first[bins] the first one above the range; and after them a value that every float reaches. All
 * threads must call it. */
__device__ inline void make_table(const quick_binning &q, float *first)
{
    for (unsigned k = threadIdx.x; k < q.bins + 2; k += blockDim.x)
        first[k] = k == 0            ? q.f32.least
                   : k == q.bins     ? next_float(q.f32.most, true)
                   : k == q.bins + 1 ? same_bits<float>(0xff800000u)
                                     : first_of_bin(q, k);
}

/* ---- in kernels: halves that are settled ---- */

/* A half's fixed point; not below 2^31 where it is below bin 0 or NaN. */
template <typename Half>
__device__ uint32_t fixed_of(const fixed_point<float> &f, Half x)
{
    return same_bits<uint32_t>(fused_downwards(to_float(x), f.scale, f.unbiased)) -
           static_cast<uint32_t>(f.base);
}

/* ---- in kernels: 16 bytes of samples ---- */

template <typename T>
constexpr unsigned AT_ONCE = 16 / sizeof(T);

struct sixteen_bytes {
    uint32_t words[4];
};

/* The places of a vector's samples: a bin, or q.bins where quick bins do not decide. No separate
 * flags: many of those would be packed into registers and unpacked again. */
template <typename T>
struct placed {
    uint32_t bin[AT_ONCE<T>];
};

template <typename T>
__device__ T raw_sample(const sixteen_bytes &v, unsigned e)
{
    if constexpr (sizeof(T) == 8)
        return same_bits<T>(static_cast<uint64_t>(v.words[2 * e + 1]) << 32 | v.words[2 * e]);
    else if constexpr (sizeof(T) == 4)
        return same_bits<T>(v.words[e]);
    else if constexpr (sizeof(T) == 2)
        return same_bits<T>(static_cast<uint16_t>(v.words[e / 2] >> e % 2 * 16));
    else
        return static_cast<T>(v.words[e / 4] >> e % 4 * 8);
}

__device__ inline uint32_t high_product(uint32_t a, uint32_t b)
{
    return static_cast<uint32_t>(static_cast<uint64_t>(a) * b >> 32);
}

/* Estimates by a double, which is off by one at most, and corrects by the remainder. */
__device__ inline uint32_t estimated_bin(const quick_binning &q, uint64_t distance)
{
    const binning &b = q.exact;
    const uint64_t bin = static_cast<uint64_t>(static_cast<double>(distance) * q.ratio);
    if (b.width == PRODUCT_128) {
        const wide product = static_cast<wide>(distance) * b.bins;
        const wide whole = static_cast<wide>(bin) * b.span;
        return static_cast<uint32_t>(whole > product             ? bin - 1
                                     : product - whole >= b.span ? bin + 1
                                                                 : bin);
    }
    const uint64_t product = distance * b.bins, whole = bin * b.span;
    return static_cast<uint32_t>(whole > product             ? bin - 1
                                 : product - whole >= b.span ? bin + 1
                                                             : bin);
}

template <quick_method METHOD, typename D>
__device__ uint32_t integer_bin(const quick_binning &q, D distance)
{
    const uint32_t d = static_cast<uint32_t>(distance);
    if constexpr (METHOD == ESTIMATE)
        return estimated_bin(q, distance);
    else if constexpr (METHOD == HIGH)
        return high_product(d, q.factor);
    uint32_t bin = high_product(d << q.before, q.factor) >> q.after;
    if (METHOD == CORRECT && d * q.bins - bin * q.span >= q.span)
        bin++;
    return bin;
}

template <quick_method METHOD, typename T>
__device__ void place_integers(const quick_binning &q, const sixteen_bytes &v, placed<T> *to)
{
    using D = typename std::conditional<sizeof(T) == 8, uint64_t, uint32_t>::type;
    const D flip = static_cast<T>(q.flip), low = static_cast<D>(q.low),
            last = static_cast<D>(q.last);
    PRIM_UNROLL(16)
    for (unsigned e = 0; e < AT_ONCE<T>; e++) {
        const D distance = (raw_sample<T>(v, e) ^ flip) - low;
        /* span's own bin would be q.bins; a condition on the bin would become a branch */
        if constexpr ((METHOD == HIGH || METHOD == CORRECT) && sizeof(T) < 8)
            to->bin[e] = integer_bin<METHOD>(q, distance < q.span ? distance : q.span);
        else
            to->bin[e] = distance <= last ? integer_bin<METHOD>(q, distance) : q.bins;
    }
}

template <typename Real, typename T>
__device__ Real real_of(T sample)
{
    if constexpr (IS_HALF<T>)
        return to_float(sample);
    else
        return sample;
}

/* A sample's fixed point, one bin less where the sample is below its bin; below bin 0 it wraps
 * around above all of them. By the table, which includes the range; samples that are not near
 * compare only with the end. */
template <typename T>
__device__ uint32_t corrected(const quick_binning &q, const fixed_point<float> &f,
                              const float *first, uint32_t fixed, T sample)
{
    const uint32_t one = 1u << f.fraction_bits, bin = fixed >> f.fraction_bits;
    const bool is_near = (fixed & (one - 1)) < static_cast<uint32_t>(f.near);
    const uint32_t at = is_near && bin <= q.bins ? bin : q.bins + 1;
    return real_of<float>(sample) < first[at] ? fixed - one : fixed;
}

/* The same by the remainder. */
template <typename T>
__device__ uint64_t corrected(const quick_binning &q, const fixed_point<double> &f, const float *,
                              uint64_t fixed, T sample)
{
    const uint64_t one = static_cast<uint64_t>(1) << f.fraction_bits,
                   bin = fixed >> f.fraction_bits;
    const double x = real_of<double>(sample);
    if ((fixed & (one - 1)) >= f.near || fixed >= f.end)
        return fixed;
    if (!(x >= f.least && x <= f.most))
        return UINT64_MAX;
    const bool is_behind =
        bin > 0 && (bin == q.bins || !reaches(q.exact, x, static_cast<double>(bin)));
    return is_behind ? fixed - one : fixed;
}

/* Samples FIRST to END of a vector. */
template <unsigned FIRST, unsigned END, typename Real, typename T>
__device__ void place_some_reals(const quick_binning &q, const fixed_point<Real> &f,
                                 const float *first, const sixteen_bytes &v, placed<T> *to)
{
    using Bits = typename std::conditional<sizeof(Real) == 8, uint64_t, uint32_t>::type;
    const Bits one = static_cast<Bits>(1) << f.fraction_bits, fraction = one - 1;
    const Bits base = static_cast<Bits>(f.base), near = static_cast<Bits>(f.near),
               outside = static_cast<Bits>(q.bins) * one;
    Bits fixed[END], least_fraction = fraction;
    PRIM_UNROLL(16)
    for (unsigned e = FIRST; e < END; e++) {
        const Real x = real_of<Real>(raw_sample<T>(v, e));
        fixed[e] = same_bits<Bits>(fused(x, f.scale, f.offset)) - base;
        const Bits part = fixed[e] & fraction;
        least_fraction = part < least_fraction ? part : least_fraction;
    }
    if (least_fraction < near) {
        PRIM_UNROLL(16)
        for (unsigned e = FIRST; e < END; e++)
            fixed[e] = corrected(q, f, first, fixed[e], raw_sample<T>(v, e));
    }
    PRIM_UNROLL(16)
    for (unsigned e = FIRST; e < END; e++)
        to->bin[e] =
            static_cast<uint32_t>((fixed[e] < outside ? fixed[e] : outside) >> f.fraction_bits);
}

/* Doubles by fours at most, for the sake of registers. */
template <typename Real, typename T>
__device__ void place_reals(const quick_binning &q, const fixed_point<Real> &f, const float *first,
                            const sixteen_bytes &v, placed<T> *to)
{
    if constexpr (sizeof(Real) == 8 && AT_ONCE<T> == 8) {
        place_some_reals<0, 4>(q, f, first, v, to);
        place_some_reals<4, 8>(q, f, first, v, to);
    } else {
        place_some_reals<0, AT_ONCE<T>>(q, f, first, v, to);
    }
}

/* The bins that the mantissas have. */
template <typename T>
__device__ void place_settled(const quick_binning &q, uint32_t end, const sixteen_bytes &v,
                              placed<T> *to)
{
    const unsigned fraction_bits = q.f32.fraction_bits;
    const uint32_t outside = q.bins << fraction_bits, most = outside - 1;
    PRIM_UNROLL(16)
    for (unsigned e = 0; e < AT_ONCE<T>; e++) {
        const uint32_t fixed = fixed_of(q.f32, raw_sample<T>(v, e)),
                       inside = fixed < most ? fixed : most;
        to->bin[e] = (fixed < end ? inside : outside) >> fraction_bits;
    }
}

template <typename T>
__device__ void place_dyadic(const quick_binning &q, const sixteen_bytes &v, placed<T> *to)
{
    PRIM_UNROLL(16)
    for (unsigned e = 0; e < AT_ONCE<T>; e++)
        to->bin[e] = dyadic_bin(q.dyadic, real_of<float>(raw_sample<T>(v, e)));
}

/* The places of the samples, where quick bins decide them. `first`: the table of IN_FLOAT, or
 * settle()'s word. */
template <quick_method METHOD, typename T>
__device__ void place_vector(const quick_binning &q, const float *first, const sixteen_bytes &v,
                             placed<T> *to)
{
    if constexpr (METHOD == EXACT) {
        for (unsigned e = 0; e < AT_ONCE<T>; e++)
            to->bin[e] = q.bins;
    } else if constexpr (METHOD == DYADIC) {
        place_dyadic(q, v, to);
    } else if constexpr (METHOD == SETTLED) {
        place_settled(q, same_bits<uint32_t>(*first), v, to);
    } else if constexpr (METHOD == IN_FLOAT) {
        place_reals<float>(q, q.f32, first, v, to);
    } else if constexpr (METHOD == IN_DOUBLE) {
        place_reals<double>(q, q.f64, first, v, to);
    } else {
        place_integers<METHOD>(q, v, to);
    }
}

/* Loop::template run<METHOD>() for the method, each a loop of its own: its code is short then, as
 * it has to be to stay in the instruction cache. TABLED: f32 and narrower may have a table. */
template <bool TABLED, typename T, class Loop>
__device__ void with_method(const quick_binning &q, Loop &loop)
{
    if constexpr (std::is_integral<T>::value) {
        if (q.method == HIGH)
            return loop.template run<HIGH>();
        if (q.method == MULTIPLY)
            return loop.template run<MULTIPLY>();
        if (q.method == CORRECT)
            return loop.template run<CORRECT>();
        if constexpr (sizeof(T) >= 4)
            if (q.method == ESTIMATE)
                return loop.template run<ESTIMATE>();
    } else {
        if constexpr (sizeof(T) <= 4)
            if (q.method == DYADIC)
                return loop.template run<DYADIC>();
        if constexpr (TABLED && sizeof(T) <= 4)
            if (q.method == IN_FLOAT)
                return loop.template run<IN_FLOAT>();
        if (q.method != EXACT)
            return loop.template run<IN_DOUBLE>();
    }
    loop.template run<EXACT>();
}

} // namespace

#endif
