/* Histograms: count how many samples fall into each bin. */
#ifndef PRIMITIVES_HISTOGRAM_H
#define PRIMITIVES_HISTOGRAM_H

#include <primitives/types.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* The rungs of the ladder; src/histogram/README.md draws them. The values are pinned. S stands for
 * the counters of 4 bytes that a block's shared memory holds on the device: 58,112 on 9.0. Up to
 * PRIVATIZED they have u8, i32 and f32 samples and u32 counters; from there on everything. */
typedef enum prim_histogram_variant {
    PRIM_HISTOGRAM_AUTO = 0,          /* the fastest rung that supports the call */
    PRIM_HISTOGRAM_GLOBAL_ATOMIC = 1, /* every sample is an atomic addition in global memory */
    PRIM_HISTOGRAM_PRIVATIZED = 2,    /* a block counts in shared memory first; ≤ 12,288 bins */
    PRIM_HISTOGRAM_COARSENED = 3, /* 16-byte loads, equal neighbours added at once; ≤ 2^31 bins */
    PRIM_HISTOGRAM_MULTI_COPY = 4, /* up to 32 copies of a block's counters; ≤ S − 4 bins, and
                                      ≤ 2^31 of 8-bit samples */
    PRIM_HISTOGRAM_PACKED = 5 /* 16-bit counters, each block a slice of the bins; ≤ 32 S − 3
                                 bins */
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
 * the last two. */
typedef struct prim_histogram_range {
    int64_t lower, upper;          /* lower ≤ x < upper */
    double real_lower, real_upper; /* real_lower ≤ x ≤ real_upper, or < with LAST_BIN_OPEN */
} prim_histogram_range;

/* d_counters[b] = how many samples x have bin(x) = b, with
 *     integers:  bin(x) = (x − lower) · bins / (upper − lower), exactly, rounded down
 *     floats:    bin(x) = floor((x − lower) · bins / (upper − lower)), each step in double; at most
 *                bins − 1
 *
 *   flags      0, or flags from above.
 *   outside    what happens to samples outside the range.
 *   range      by value; upper > lower, floats finite and so is their difference.
 *   d_samples  device, `count` elements of sample_type: CUDA_R_8I, _8U, _16I, _16U, _32I, _32U,
 * _64I, _64U, _16F, _16BF, _32F or _64F. May be NULL if count is 0. A u64 of 2^63 or more is above
 * every range. count      any number; 0 gives zeros, or leaves the counters alone with
 * PRIM_HISTOGRAM_ADD. bins       at least 1. d_counters device, `bins` elements of counter_type:
 * CUDA_R_32U or CUDA_R_64U. They wrap. Must not overlap d_samples. d_outside  device, 3 elements of
 * counter_type, with PRIM_OUTSIDE_COUNT; otherwise it is not looked at. Must overlap neither
 * d_samples nor d_counters.
 *
 * Returns what every call does, and
 *   PRIM_ERROR_ENUM         outside does not exist
 *   PRIM_ERROR_TYPE         sample_type or counter_type is none of the above
 *   PRIM_ERROR_VALUE        unknown flags, bins is 0, or the range is empty or not finite
 *   PRIM_ERROR_OVERLAP      two operands overlap
 *
 * Workspace: none, for any variant.
 * Determinism: the same counters in every run, from every variant, on every device.
 * Source: Podlozhnyuk, Histogram calculation in CUDA (NVIDIA, 2007). */
PRIM_API prim_status prim_histogram_even(prim_histogram_variant variant, unsigned flags,
                                         prim_outside outside, prim_histogram_range range,
                                         cudaDataType_t sample_type, const void *d_samples,
                                         size_t count, size_t bins, cudaDataType_t counter_type,
                                         void *d_counters, void *d_outside, void *d_workspace,
                                         size_t workspace_bytes, cudaStream_t stream);

/* The workspace of prim_histogram_even(). */
PRIM_API prim_status prim_histogram_even_workspace_bytes(prim_histogram_variant variant,
                                                         unsigned flags, prim_outside outside,
                                                         prim_histogram_range range,
                                                         cudaDataType_t sample_type, size_t count,
                                                         size_t bins, cudaDataType_t counter_type,
                                                         size_t *bytes);

/* Would prim_histogram_even() run here? */
PRIM_API bool prim_histogram_even_supports(prim_histogram_variant variant, unsigned flags,
                                           prim_outside outside, prim_histogram_range range,
                                           cudaDataType_t sample_type, size_t count, size_t bins,
                                           cudaDataType_t counter_type);

/* What AUTO takes for prim_histogram_even(). */
PRIM_API prim_histogram_variant prim_histogram_even_choose(unsigned flags, prim_outside outside,
                                                           prim_histogram_range range,
                                                           cudaDataType_t sample_type, size_t count,
                                                           size_t bins,
                                                           cudaDataType_t counter_type);

/* The same on the CPU, in host memory, when the call returns: threads 1 is one loop, n > 1 shares
 * the samples over that many OpenMP threads; 1 to 1024. The same counters for any number of
 * threads. Returns what prim_histogram_even() does but _WORKSPACE and _CUDA; PRIM_ERROR_VALUE also
 * for threads, PRIM_ERROR_UNSUPPORTED for threads > 1 in a library built without OpenMP. */
PRIM_API prim_status prim_histogram_even_host(unsigned flags, prim_outside outside,
                                              prim_histogram_range range,
                                              cudaDataType_t sample_type, const void *h_samples,
                                              size_t count, size_t bins,
                                              cudaDataType_t counter_type, void *h_counters,
                                              void *h_outside, int threads);

/* The variants: PRIM_HISTOGRAM_AUTO at index 0, then up the ladder; NULL behind the last. */
PRIM_API const prim_variant *prim_histogram_variant_at(size_t index);

/* One of them by its value; NULL for a value that is no variant. */
PRIM_API const prim_variant *prim_histogram_variant_info(prim_histogram_variant variant);

#if defined(__cplusplus)
}
#endif

#endif
