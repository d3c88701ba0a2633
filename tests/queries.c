#include "queries.h"

#include <primitives/primitives.h>

#include "calls.h"

static const cudaDataType_t u8 = CUDA_R_8U, i32 = CUDA_R_32I, u32 = CUDA_R_32U, f32 = CUDA_R_32F;
static const prim_op sum = PRIM_OP_SUM;
static const prim_transform none = PRIM_TRANSFORM_NONE;
static const prim_segments seven = {NULL, 7, CUDA_R_32I};
static const prim_histogram_range range = {0, 1000, 0, 1};

/* 14000 counters of u32 fit the shared memory that a block can opt in to, and not what it has
 * without; and so many f32 are some tiles, for which AUTO takes a cluster. */
const size_t query_sizes[] = {3, 14000, 1 << 20};
const size_t query_size_count = sizeof query_sizes / sizeof *query_sizes;

/* f32 without gaps. */
static prim_matrix dense(size_t rows, size_t columns)
{
    return prim_matrix_of(f32, NULL, rows, columns, 0);
}

static prim_vector vector(size_t count)
{
    return prim_vector_of(f32, NULL, count);
}

static prim_keys keys(size_t count)
{
    return (prim_keys){NULL, NULL, count};
}

/* Rows that are as far apart as those of 4 bytes an element. */
static prim_image image_of(size_t width, cudaDataType_t type)
{
    return (prim_image){
        .width = width, .height = 40, .pitch = 4 * width, .channels = 1, .type = type};
}

/* The queries look at where the weights are, and not at them. */
static prim_mask mask_of(size_t width, size_t height, cudaDataType_t type)
{
    static const float weights[16];
    return (prim_mask){weights, weights, width, height, 0, 0, type, 0};
}

static prim_sparse matrix_of(size_t entries)
{
    return (prim_sparse){.format = PRIM_SPARSE_CSR,
                         .rows = 1000,
                         .columns = 1000,
                         .entries = entries,
                         .value_type = CUDA_R_32F,
                         .offset_type = CUDA_R_32I};
}

/* X(call, pattern of its variants, the queries' arguments behind the variant) */
#define QUERIES(X)                                                                               \
    X(scan, scan, PRIM_SCAN_INCLUSIVE, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, f32, size, f32)         \
    X(scan_rows, scan, PRIM_SCAN_EXCLUSIVE, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, f32, 1, size, f32) \
    X(scan_2d, scan, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, f32, 7, size, f32)                        \
    X(histogram_even, histogram, 0, PRIM_OUTSIDE_DROP, range, i32, (size_t)1 << 22, size, u32)   \
    X(histogram_edges, histogram_edges, 0, PRIM_OUTSIDE_DROP, i32, (size_t)1 << 22, size, i32,   \
      u32)                                                                                       \
    X(histogram_even_channels, histogram_channels, 0, PRIM_OUTSIDE_DROP, image_of(1000, i32),    \
      size, u32)                                                                                 \
    X(histogram_even_weighted, histogram_weighted, 0, PRIM_OUTSIDE_DROP, range, i32,             \
      (size_t)1 << 22, size / 2, f32)                                                            \
    X(gemm, gemm, PRIM_NOT_TRANSPOSED, PRIM_NOT_TRANSPOSED, 512, 512, size, f32, f32, f32,       \
      PRIM_COMPUTE_DEFAULT)                                                                      \
    X(gemm_batched, gemm, PRIM_NOT_TRANSPOSED, PRIM_NOT_TRANSPOSED, 20, 20, 20, f32, f32, f32,   \
      size, PRIM_COMPUTE_DEFAULT)                                                                \
    X(gemv, gemv, PRIM_NOT_TRANSPOSED, 100, size, f32, f32, f32)                                 \
    X(gemv_batched, gemv, PRIM_NOT_TRANSPOSED, 100, 3, f32, f32, f32, size)                      \
    X(binary_gemm, binary_gemm, 100, 100, size, f32)                                             \
    X(convolve_1d, convolution, 0, PRIM_BOUNDARY_CLAMP, f32, size, mask_of(3, 1, f32))           \
    X(convolve_2d, convolution, 0, PRIM_BOUNDARY_CLAMP, image_of(size, u8),                      \
      mask_of(3, 3, CUDA_R_16I), image_of(size, u8))                                             \
    X(convolve_separable, convolution, 0, PRIM_BOUNDARY_CLAMP, image_of(size, u8),               \
      mask_of(3, 1, f32), mask_of(1, 3, f32), image_of(size, u8))

/* X(call, pattern of its variants, the call, asked by AUTO or by a variant) */
#define CALLS(X)                                                                                \
    X(reduce, reduce, prim_reduce(v, sum, none, f32, NULL, size, f32, NULL, asking()))          \
    X(reduce_rows, reduce, prim_reduce_rows(v, sum, none, dense(1, size), f32, NULL, asking())) \
    X(reduce_columns, reduce,                                                                   \
      prim_reduce_columns(v, sum, none, dense(size, 7), f32, NULL, asking()))                   \
    X(reduce_segments, reduce,                                                                  \
      prim_reduce_segments(v, sum, none, f32, NULL, size, seven, f32, NULL, asking()))          \
    X(arg_reduce, reduce,                                                                       \
      prim_arg_reduce(v, PRIM_OP_MIN, none, f32, NULL, size, NULL, NULL, asking()))             \
    X(dot, reduce, prim_dot(v, f32, NULL, NULL, size, f32, NULL, asking()))                     \
    X(spmv, spmv, prim_spmv(v, 1, matrix_of(size), vector(1000), 0, vector(1000), asking()))    \
    X(merge, merge, prim_merge(v, PRIM_ASCENDING, f32, NULL, size, NULL, 7, NULL, asking()))    \
    X(merge_pairs, merge,                                                                       \
      prim_merge_pairs(v, PRIM_ASCENDING, f32, 4, keys(size), keys(7), NULL, NULL, asking()))   \
    X(merge_sort, merge, prim_merge_sort(v, PRIM_ASCENDING, f32, NULL, size, NULL, asking()))   \
    X(merge_sort_pairs, merge,                                                                  \
      prim_merge_sort_pairs(v, PRIM_ASCENDING, f32, 4, keys(size), NULL, NULL, asking()))       \
    X(merge_sort_permutation, merge,                                                            \
      prim_merge_sort_permutation(v, PRIM_ASCENDING, f32, NULL, size, u32, NULL, asking()))

#define ASK_CALL(name, pattern, call)                                         \
    static bool name##_supports(int variant, size_t size)                     \
    {                                                                         \
        const prim_##pattern##_variant v = (prim_##pattern##_variant)variant; \
        return (call) == PRIM_OK;                                             \
    }                                                                         \
    static int name##_choose(size_t size)                                     \
    {                                                                         \
        const prim_##pattern##_variant v = (prim_##pattern##_variant)0;       \
        return (call) == PRIM_OK ? asked()->variant->value : 0;               \
    }
CALLS(ASK_CALL)

#define ASK(call, pattern, ...)                                                        \
    static bool call##_supports(int variant, size_t size)                              \
    {                                                                                  \
        return prim_##call##_supports((prim_##pattern##_variant)variant, __VA_ARGS__); \
    }                                                                                  \
    static int call##_choose(size_t size)                                              \
    {                                                                                  \
        return (int)prim_##call##_choose(__VA_ARGS__);                                 \
    }
QUERIES(ASK)

#define ROW(name, pattern, ...)                 \
    {.call = "prim_" #name,                     \
     .variant_at = prim_##pattern##_variant_at, \
     .supports = name##_supports,               \
     .choose = name##_choose},
#define CALL_ROW(name, pattern, asking)         \
    {.call = "prim_" #name,                     \
     .variant_at = prim_##pattern##_variant_at, \
     .supports = name##_supports,               \
     .choose = name##_choose,                   \
     .is_asked = true},
const query queries[] = {CALLS(CALL_ROW) QUERIES(ROW)};
const size_t query_count = sizeof queries / sizeof *queries;
