/* Histograms: count how many samples fall into each bin. */
#ifndef PRIMITIVES_HISTOGRAM_H
#define PRIMITIVES_HISTOGRAM_H

#include <primitives/types.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* The rungs of each call's ladder; src/histogram/README.md draws them. The values never change. A
 * rung of another call is PRIM_ERROR_UNSUPPORTED.
 * S stands for the counters of 4 bytes that a block's shared memory holds on the device: 58,112 on
 * 9.0. B stands for the most bins, 32,764 or fewer, whose edges, bins + 4 counters of 4 bytes and a
 * table of 4,232 bytes fit into that memory: 28,524 bins with 4-byte edges on 9.0. */
typedef enum prim_histogram_variant {
    PRIM_HISTOGRAM_AUTO = 0, /* as a rule the fastest rung that does it */

    /* prim_histogram_even(). The rungs up to PRIVATIZED take u8, i32 and f32 samples and u32
     * counters; those above take all types. */
    PRIM_HISTOGRAM_GLOBAL_ATOMIC = 1, /* every sample is an atomic addition in global memory */
    PRIM_HISTOGRAM_PRIVATIZED = 2,    /* a block counts in shared memory first; ≤ 12,288 bins */
    PRIM_HISTOGRAM_COARSENED = 3, /* 16-byte loads, equal neighbours added at once; ≤ 2^31 bins */
    PRIM_HISTOGRAM_MULTI_COPY = 4,  /* up to 32 copies of a block's counters; ≤ S − 4 bins, and
                                       ≤ 2^31 of 8-bit samples */
    PRIM_HISTOGRAM_PACKED = 5,      /* 16-bit counters, two to a word; ≤ 2 S − 5 bins */
    PRIM_HISTOGRAM_PARTITIONED = 6, /* samples in 32 parts by their bins first; ≤ 32 S bins, and
                                       ≤ 2^21 */

    /* prim_histogram_edges() */
    PRIM_HISTOGRAM_EDGES_SEARCH = 20, /* a binary search and an atomic addition for each sample,
                                         both in global memory; ≤ 2^31 bins */
    PRIM_HISTOGRAM_EDGES_TABLE = 21,  /* edges, a table of their bins and up to 32 copies of the
                                         counters in shared memory; ≤ B bins */

    /* prim_histogram_even_channels() */
    PRIM_HISTOGRAM_CHANNELS_GLOBAL_ATOMIC = 40, /* every sample is an atomic addition in global
                                                   memory; any number of bins */
    PRIM_HISTOGRAM_CHANNELS_MULTI_COPY = 41, /* as many 16-byte loads at once as channels, and up to
                                                32 copies of a block's counters; channels ·
                                                (bins + 4) ≤ S, and ≤ 2^31 bins of 8-bit samples */

    /* prim_histogram_even_weighted() */
    PRIM_HISTOGRAM_WEIGHTED_GLOBAL_ATOMIC = 60, /* every sample is an atomic addition in global
                                                   memory; any number of bins */
    PRIM_HISTOGRAM_WEIGHTED_MULTI_COPY = 61     /* 16-byte loads of samples, and up to 32 copies of
                                                   a block's sums; bins + 3 ≤ S / 2 */
} prim_histogram_variant;

/* What happens to samples outside the range. */
typedef enum prim_outside {
    PRIM_OUTSIDE_DROP = 0,  /* nothing */
    PRIM_OUTSIDE_CLAMP = 1, /* they count in the first or the last bin; NaN is dropped */
    PRIM_OUTSIDE_COUNT = 2  /* d_outside[0] counts those below, [1] those above, [2] NaN */
} prim_outside;

/* Flags, combined with |. */
enum {
    PRIM_HISTOGRAM_ADD = 1,          /* add to what the counters hold, instead of starting at 0 */
    PRIM_HISTOGRAM_LAST_BIN_OPEN = 2 /* float samples equal to the upper bound are above it */
};

/* The range that the bins divide evenly. Integer samples use the first two fields, float samples
 * the last two; the other two are not looked at. */
typedef struct prim_histogram_range {
    int64_t lower, upper;          /* lower ≤ x < upper */
    double real_lower, real_upper; /* real_lower ≤ x ≤ real_upper, or < with LAST_BIN_OPEN */
} prim_histogram_range;

/* One for integer samples. */
static inline prim_histogram_range prim_integer_range(int64_t lower, int64_t upper)
{
    prim_histogram_range range = {lower, upper, 0, 0};
    return range;
}

/* One for float samples. */
static inline prim_histogram_range prim_real_range(double lower, double upper)
{
    prim_histogram_range range = {0, 0, lower, upper};
    return range;
}

/* Where a histogram goes, and what becomes of samples that belong to no bin. */
typedef struct prim_counters {
    void *data;           /* d_counters, or d_sums of weights: device, or host for a _host call; an
                           * element of `type` for each bin. Must overlap no other operand */
    size_t bins;          /* at least 1 */
    cudaDataType_t type;  /* CUDA_R_32U or CUDA_R_64U: counters, which wrap; CUDA_R_32F or
                           * CUDA_R_64F for sums of weights */
    unsigned flags;       /* 0, or flags from above */
    prim_outside outside; /* what happens to samples outside the range */
    void *outside_data;   /* d_outside: where data is, 3 elements of `type`, with
                           * PRIM_OUTSIDE_COUNT; otherwise it is not looked at. Must overlap no
                           * other operand */
} prim_counters;

/* d_counters[b] = how many samples x have bin(x) = b, with
 *     integers:  bin(x) = (x − lower) · bins / (upper − lower), exactly, rounded down
 *     floats:    bin(x) = floor((x − lower) · bins / (upper − lower)), each step in double, as if
 *                there were no largest one; at most bins − 1
 *
 *   range      by value; upper > lower, floats finite and so is their difference.
 *   d_samples  device, `count` elements of sample_type: CUDA_R_8I, _8U, _16I, _16U, _32I, _32U,
 *              _64I, _64U, _16F, _16BF, _32F or _64F. May be NULL if count is 0. A u64 of 2^63 or
 *              more is above every range.
 *   count      any number; 0 gives zeros, or with PRIM_HISTOGRAM_ADD changes no counter.
 *   out        the counters, of CUDA_R_32U or CUDA_R_64U.
 *
 * Returns what every call does, and
 *   PRIM_ERROR_ENUM         out.outside does not exist
 *   PRIM_ERROR_TYPE         sample_type or out.type is not one of those above
 *   PRIM_ERROR_VALUE        unknown flags, bins is 0, or the range is empty or not finite
 *   PRIM_ERROR_OVERLAP      two operands overlap
 *
 * Workspace: for PARTITIONED, 2.02 bytes for each sample and 13 KB, 270 MB at most; for AUTO where
 * it takes that; for the other variants none.
 * Determinism: the same counters in every run, from every variant, on every device.
 * Source: Podlozhnyuk, Histogram calculation in CUDA (NVIDIA, 2007). */
PRIM_API prim_status prim_histogram_even(prim_histogram_variant variant, prim_histogram_range range,
                                         cudaDataType_t sample_type, const void *d_samples,
                                         size_t count, prim_counters out, const prim_call *call);

/* The same on the CPU, in host memory, done when the call returns. `threads` OpenMP threads, 1 to
 * 1024, share the samples; the counters are the same for any number of threads. Returns what
 * prim_histogram_even() does except _WORKSPACE and _CUDA; PRIM_ERROR_VALUE also for threads that
 * are not 1 to 1024, PRIM_ERROR_UNSUPPORTED for threads > 1 in a library built without OpenMP. */
PRIM_API prim_status prim_histogram_even_host(prim_histogram_range range,
                                              cudaDataType_t sample_type, const void *h_samples,
                                              size_t count, prim_counters out, int threads);

/* ---- bins between edges ---- */

/* d_counters[b] = how many samples x have edge[b] ≤ x < edge[b + 1]; the last bin includes its
 * upper edge, as in NumPy, except with PRIM_HISTOGRAM_LAST_BIN_OPEN. -0 and +0 are one value.
 *
 *   edge_type  CUDA_R_32I for 8- and 16-bit integer samples, CUDA_R_32F for f16 and bf16, and
 *              sample_type for all others.
 *   d_edges    device, out.bins + 1 elements of edge_type, read when the work runs, ascending.
 *              Equal ones make empty bins. Where they do not ascend, or one is NaN, samples may be
 *              counted in any bin or outside, but no access leaves the operands;
 *              prim_histogram_check_edges_host() checks edges. Must not overlap d_counters or
 *              d_outside. Not read if count is 0.
 *
 * All else as for prim_histogram_even(), but no variant has a workspace. Returns what it does, and
 *   PRIM_ERROR_TYPE         edge_type does not match sample_type */
PRIM_API prim_status prim_histogram_edges(prim_histogram_variant variant,
                                          cudaDataType_t sample_type, const void *d_samples,
                                          size_t count, cudaDataType_t edge_type,
                                          const void *d_edges, prim_counters out,
                                          const prim_call *call);

/* The same on the CPU, as prim_histogram_even_host(). */
PRIM_API prim_status prim_histogram_edges_host(cudaDataType_t sample_type, const void *h_samples,
                                               size_t count, cudaDataType_t edge_type,
                                               const void *h_edges, prim_counters out, int threads);

/* Checks that these bins + 1 edges in host memory ascend. Returns PRIM_OK; PRIM_ERROR_VALUE where
 * one is NaN or less than the one before, and *where, which may be NULL, is its index;
 * PRIM_ERROR_TYPE where edge_type is not CUDA_R_32I, _32U, _64I, _64U, _32F or _64F;
 * PRIM_ERROR_NULL, _MISALIGNED or _SIZE. */
PRIM_API prim_status prim_histogram_check_edges_host(size_t bins, cudaDataType_t edge_type,
                                                     const void *h_edges, size_t *where);

/* ---- the channels of an image ---- */

/* A histogram of each channel of an image, in one pass: d_counters[c · bins + b] = how many samples
 * x of channel c have bin(x) = b, with bin(x) as in prim_histogram_even() for the range
 * h_ranges[c].
 *
 *   h_ranges   host, one for each channel, each as for prim_histogram_even(); read during the call.
 *              NULL where the call is only asked: then they are not checked.
 *   image      device. Its type is what sample_type is above. Gaps between its rows are neither
 *              read nor counted. image.data may be NULL if the image is empty.
 *   out        bins are those of each channel: out.data has channels · bins elements, channel after
 *              channel, and out.outside_data 3 for each channel, channel after channel. Neither may
 *              overlap the image's bytes from first to last.
 *
 * All else as for prim_histogram_even(), but no variant has a workspace. Returns what it does, and
 *   PRIM_ERROR_VALUE        channels is not 1 to 4; the pitch is less than a row or not a multiple
 *                           of the element; a range is empty or not finite */
PRIM_API prim_status prim_histogram_even_channels(prim_histogram_variant variant,
                                                  const prim_histogram_range *h_ranges,
                                                  prim_image image, prim_counters out,
                                                  const prim_call *call);

/* The same on the CPU, as prim_histogram_even_host(). */
PRIM_API prim_status prim_histogram_even_channels_host(const prim_histogram_range *h_ranges,
                                                       prim_image image, prim_counters out,
                                                       int threads);

/* ---- weighted samples ---- */

/* d_sums[b] = the sum of the weights of the samples x with bin(x) = b, with bin(x) as in
 * prim_histogram_even(); the same bits in every run, from every variant, on every device and on the
 * host, whatever the order of the samples.
 *
 *   d_weights  device, count elements of sums.type, one for each sample. May be NULL if count is 0,
 *              and may overlap d_samples.
 *   h_largest  host, one element of sums.type, read during the call: a bound that no weight exceeds
 *              in magnitude; finite and not negative. NULL: the largest magnitude is found first,
 *              on the device, which reads the weights once more. Sums depend on it: they are those
 *              of NULL where it is that largest magnitude.
 *   sums       of CUDA_R_32F or CUDA_R_64F, which is the type of the weights too. sums.data is
 *              d_sums; sums.outside_data, with PRIM_OUTSIDE_COUNT, takes the sums of the weights of
 *              the samples outside.
 *
 * Sums are made in fixed point. With 2^e the smallest power of two above that bound (2^0 if it is
 * 0) and 2^c the smallest that is not below count, each weight is rounded to the nearest multiple
 * of u = 2^(e + c − 62), ties to the even multiple. These are added in 64 bits, which is exact and
 * cannot overflow, and each sum is rounded to sums.type once, to nearest, ties to even (twice
 * where it is subnormal); it is infinite if it is out of range. So a sum of n weights is off by n ·
 * u / 2 at most, which is at most n · count · largest · 2^-61, before that last rounding. f32
 * weights that differ by no more than a factor of 2^(38 − c) are not rounded at all. A sum of 0 is
 * +0.
 *
 * With PRIM_HISTOGRAM_ADD, the sum that the call would give without it is added to each element of
 * d_sums and d_outside, once and in sums.type.
 *
 * Where any of the count weights is NaN, infinite or larger in magnitude than *h_largest, even if
 * its sample is dropped, every sum becomes NaN, also those of d_outside.
 *
 * All else as for prim_histogram_even(), except the workspace: 8 · (bins + 5) bytes, for any
 * variant. Returns what that call does, and
 *   PRIM_ERROR_TYPE         sums.type is not one of those above
 *   PRIM_ERROR_VALUE        *h_largest is negative, infinite or NaN
 *   PRIM_ERROR_SIZE         the bytes of the workspace do not fit size_t */
PRIM_API prim_status prim_histogram_even_weighted(prim_histogram_variant variant,
                                                  prim_histogram_range range,
                                                  cudaDataType_t sample_type, const void *d_samples,
                                                  size_t count, const void *d_weights,
                                                  const void *h_largest, prim_counters sums,
                                                  const prim_call *call);

/* The same on the CPU, as prim_histogram_even_host(); PRIM_ERROR_WORKSPACE where there is no memory
 * for bins + 3 sums of 8 bytes. */
PRIM_API prim_status prim_histogram_even_weighted_host(prim_histogram_range range,
                                                       cudaDataType_t sample_type,
                                                       const void *h_samples, size_t count,
                                                       const void *h_weights, const void *h_largest,
                                                       prim_counters sums, int threads);

/* ---- variants ---- */

/* The variants of all calls: PRIM_HISTOGRAM_AUTO at index 0, then up each call's ladder in turn;
 * NULL after the last. */
PRIM_API const prim_variant *prim_histogram_variant_at(size_t index);

/* One of them by its value; NULL for a value that is no variant. */
PRIM_API const prim_variant *prim_histogram_variant_info(prim_histogram_variant variant);

#if defined(__cplusplus)
}
#endif

#endif
