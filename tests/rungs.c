#include "rungs.h"

#include <stddef.h>

typedef struct line {
    int variant;
    unsigned properties;
} line;

/* "VECTORIZED takes all of this, and so does SINGLE_PASS …", "VECTORIZED, SINGLE_PASS and the host
 * versions combine in one and the same order", "Variants: VECTORIZED and AUTO." */
static const line reduce_lines[] = {
    {PRIM_REDUCE_AUTO, TAKES_ALL_TYPES | TAKES_ALL_CALLS | HAS_HOST_ORDER},
    {PRIM_REDUCE_VECTORIZED, TAKES_ALL_TYPES | TAKES_ALL_CALLS | HAS_HOST_ORDER},
    {PRIM_REDUCE_SINGLE_PASS, TAKES_ALL_TYPES | HAS_HOST_ORDER},
};

/* "REDUCE_THEN_SCAN, LOOKBACK and CLUSTER take all of this …; CHAINED takes floats with SUM and
 * PRODUCT", "REDUCE_THEN_SCAN, CHAINED, CLUSTER and the host versions share one order" */
static const line scan_lines[] = {
    {PRIM_SCAN_AUTO, TAKES_ALL_TYPES | GOES_BY_TILES | HAS_HOST_ORDER},
    {PRIM_SCAN_REDUCE_THEN_SCAN, TAKES_ALL_TYPES | GOES_BY_TILES | HAS_HOST_ORDER},
    {PRIM_SCAN_LOOKBACK, TAKES_ALL_TYPES | GOES_BY_TILES | HAS_HOST_ORDER_IN_SHORT_ROWS},
    {PRIM_SCAN_CHAINED, GOES_BY_TILES | HAS_HOST_ORDER},
    {PRIM_SCAN_CLUSTER, TAKES_ALL_TYPES | GOES_BY_TILES | HAS_HOST_ORDER},
};

/* "CUDA_R_16F, and C CUDA_R_16F or _32F: WARP_TILED, the variants above it, and AUTO"; "without
 * WGMMA and WGMMA_SPECIALIZED" by pointers */
static const line gemm_lines[] = {
    {PRIM_GEMM_AUTO, TAKES_ALL_TYPES},
    {PRIM_GEMM_WARP_TILED, TAKES_ALL_TYPES},
    {PRIM_GEMM_SPLIT_K, TAKES_ALL_TYPES},
    {PRIM_GEMM_SMALL_PRODUCTS, TAKES_ALL_TYPES},
    {PRIM_GEMM_THIN, TAKES_ALL_TYPES},
    {PRIM_GEMM_MMA, TAKES_HALVES_ONLY},
    {PRIM_GEMM_WGMMA, TAKES_HALVES_ONLY | TAKES_NO_POINTERS},
    {PRIM_GEMM_WGMMA_SPECIALIZED, TAKES_HALVES_ONLY | TAKES_NO_POINTERS},
};

/* "AUTO, WARP_PER_ROW and SPLIT take batches", and the types that not all variants take */
static const line gemv_lines[] = {
    {PRIM_GEMV_AUTO, TAKES_ALL_TYPES | TAKES_ALL_CALLS},
    {PRIM_GEMV_WARP_PER_ROW, TAKES_ALL_TYPES | TAKES_ALL_CALLS},
    {PRIM_GEMV_SPLIT, TAKES_ALL_TYPES | TAKES_ALL_CALLS},
};

/* GLOBAL_ATOMIC and PRIVATIZED: "u8, i32 and f32 samples, u32 counters" */
static const line histogram_lines[] = {
    {PRIM_HISTOGRAM_AUTO, TAKES_ALL_TYPES},        {PRIM_HISTOGRAM_COARSENED, TAKES_ALL_TYPES},
    {PRIM_HISTOGRAM_MULTI_COPY, TAKES_ALL_TYPES},  {PRIM_HISTOGRAM_PACKED, TAKES_ALL_TYPES},
    {PRIM_HISTOGRAM_PARTITIONED, TAKES_ALL_TYPES},
};

/* Pairs: refused where "variant is not AUTO or STREAMED", and of sorts where it is "not AUTO,
 * SORT_STREAMED, SORT_RADIX or SORT_BITONIC". */
static const line merge_lines[] = {
    {PRIM_MERGE_AUTO, TAKES_ALL_CALLS},          {PRIM_MERGE_STREAMED, TAKES_ALL_CALLS},
    {PRIM_MERGE_SORT_STREAMED, TAKES_ALL_CALLS}, {PRIM_MERGE_SORT_RADIX, TAKES_ALL_CALLS},
    {PRIM_MERGE_SORT_BITONIC, TAKES_ALL_CALLS},
};

/* "AUTO and REGISTER take every call", SMALL every type */
static const line convolution_lines[] = {
    {PRIM_CONVOLUTION_AUTO, TAKES_ALL_TYPES | TAKES_ALL_CALLS},
    {PRIM_CONVOLUTION_REGISTER, TAKES_ALL_TYPES | TAKES_ALL_CALLS},
    {PRIM_CONVOLUTION_SMALL, TAKES_ALL_TYPES},
};

/* "PRIM_SPMV_CSR_SCALAR, PRIM_SPMV_CSR_VECTOR, PRIM_SPMV_COO_SCAN_ALL and
 * PRIM_SPMV_COO_SEGMENTED do not take halves." */
static const line spmv_lines[] = {
    {PRIM_SPMV_AUTO, TAKES_ALL_TYPES},      {PRIM_SPMV_ELL, TAKES_ALL_TYPES},
    {PRIM_SPMV_HYB, TAKES_ALL_TYPES},       {PRIM_SPMV_JDS, TAKES_ALL_TYPES},
    {PRIM_SPMV_CSR_MERGE, TAKES_ALL_TYPES}, {PRIM_SPMV_SELL, TAKES_ALL_TYPES},
    {PRIM_SPMV_COO_TILED, TAKES_ALL_TYPES},
};

static bool has(const line *lines, size_t count, int variant, unsigned properties)
{
    unsigned found = 0;
    for (size_t i = 0; i < count; i++)
        if (lines[i].variant == variant)
            found = lines[i].properties;
    return (found & properties) == properties;
}

#define RUNG_HAS(pattern)                                                             \
    bool pattern##_rung_has(prim_##pattern##_variant variant, unsigned properties)    \
    {                                                                                 \
        return has(pattern##_lines, sizeof pattern##_lines / sizeof *pattern##_lines, \
                   (int)variant, properties);                                         \
    }

RUNG_HAS(reduce)
RUNG_HAS(scan)
RUNG_HAS(gemm)
RUNG_HAS(gemv)
RUNG_HAS(histogram)
RUNG_HAS(merge)
RUNG_HAS(convolution)
RUNG_HAS(spmv)

static int major_capability(void)
{
    int device, major = 0;
    if (cudaGetDevice(&device) == cudaSuccess)
        (void)cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
    return major;
}

/* "MMA needs compute capability 8.0; WGMMA and WGMMA_SPECIALIZED need a device of 9.0, …" */
static bool has_tensor_cores(prim_gemm_variant variant)
{
    return gemm_rung_has(variant, TAKES_NO_POINTERS) ? major_capability() == 9
                                                     : major_capability() >= 8;
}

bool gemm_rung_takes(prim_gemm_variant variant, cudaDataType_t type)
{
    const bool is_half = type == CUDA_R_16F || type == CUDA_R_16BF;
    if (gemm_rung_has(variant, TAKES_HALVES_ONLY))
        return is_half && has_tensor_cores(variant);
    return (!is_half && type != CUDA_R_8I) || gemm_rung_has(variant, TAKES_ALL_TYPES);
}
