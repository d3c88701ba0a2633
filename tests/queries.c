#include "queries.h"

#include <primitives/primitives.h>

#include "calls.h"
#include "stored.h"
#include "weights.h"

static const cudaDataType_t u8 = CUDA_R_8U, i32 = CUDA_R_32I, u32 = CUDA_R_32U, f32 = CUDA_R_32F;
static const prim_op sum = PRIM_OP_SUM;
static const prim_transform none = PRIM_TRANSFORM_NONE;
static const prim_transpose plain = PRIM_NOT_TRANSPOSED;
static const prim_boundary clamp = PRIM_BOUNDARY_CLAMP;
static const prim_segments seven = {NULL, 7, CUDA_R_32I};
static const prim_histogram_range range = {0, 1000, 0, 1};
static const size_t many = (size_t)1 << 22;

/* 14000 counters of u32 fit the shared memory that a block can opt in to, and not what it has
 * without; and so many f32 are some tiles, for which AUTO takes a cluster. */
const size_t query_sizes[] = {3, 14000, 1 << 20};
const size_t query_size_count = sizeof query_sizes / sizeof *query_sizes;

/* f32 without gaps; in a batch, one after the other. */
static prim_matrix dense(size_t rows, size_t columns)
{
    return in_batch(prim_matrix_of(f32, NULL, rows, columns, 0), rows * columns);
}

static prim_vector vector(size_t count)
{
    return one_behind_the_other(prim_vector_of(f32, NULL, count));
}

static prim_counters bins_of(size_t bins, cudaDataType_t type)
{
    return (prim_counters){.bins = bins, .type = type};
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

/* Who asks looks at where the weights are, and not at them. */
static prim_mask mask_of(size_t width, size_t height, cudaDataType_t type)
{
    static const float weights[16];
    return prim_mask_of(type, weights, weights_to_ask_with(), width, height);
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

/* X(call, pattern of its variants, the call, asked by AUTO or by a variant) */
#define CALLS(X)                                                                                   \
    X(reduce, reduce, prim_reduce(v, sum, none, f32, NULL, size, f32, NULL, asking()))             \
    X(reduce_rows, reduce, prim_reduce_rows(v, sum, none, dense(1, size), f32, NULL, asking()))    \
    X(reduce_columns, reduce,                                                                      \
      prim_reduce_columns(v, sum, none, dense(size, 7), f32, NULL, asking()))                      \
    X(reduce_segments, reduce,                                                                     \
      prim_reduce_segments(v, sum, none, f32, NULL, size, seven, f32, NULL, asking()))             \
    X(arg_reduce, reduce,                                                                          \
      prim_arg_reduce(v, PRIM_OP_MIN, none, f32, NULL, size, NULL, NULL, asking()))                \
    X(dot, reduce, prim_dot(v, f32, NULL, NULL, size, f32, NULL, asking()))                        \
    X(scan, scan,                                                                                  \
      prim_scan(v, PRIM_SCAN_INCLUSIVE, sum, none, f32, NULL, size, f32, NULL, NULL, asking()))    \
    X(scan_rows, scan,                                                                             \
      prim_scan_rows(v, PRIM_SCAN_EXCLUSIVE, sum, none, dense(1, size), dense(1, size), NULL,      \
                     asking()))                                                                    \
    X(scan_2d, scan, prim_scan_2d(v, sum, none, dense(7, size), dense(7, size), asking()))         \
    X(histogram_even, histogram,                                                                   \
      prim_histogram_even(v, range, i32, NULL, many, bins_of(size, u32), asking()))                \
    X(histogram_edges, histogram,                                                                  \
      prim_histogram_edges(v, i32, NULL, many, i32, NULL, bins_of(size, u32), asking()))           \
    X(histogram_even_channels, histogram,                                                          \
      prim_histogram_even_channels(v, NULL, image_of(1000, i32), bins_of(size, u32), asking()))    \
    X(histogram_even_weighted, histogram,                                                          \
      prim_histogram_even_weighted(v, range, i32, NULL, many, NULL, NULL, bins_of(size / 2, f32),  \
                                   asking()))                                                      \
    X(gemm, gemm,                                                                                  \
      prim_gemm(v, plain, plain, 1, dense(512, size), dense(size, 512), 0, dense(512, 512),        \
                PRIM_COMPUTE_DEFAULT, asking()))                                                   \
    X(gemm_batched, gemm,                                                                          \
      prim_gemm_batched(v, plain, plain, 1, dense(20, 20), dense(20, 20), 0, dense(20, 20), size,  \
                        PRIM_COMPUTE_DEFAULT, asking()))                                           \
    X(gemm_pointers, gemm,                                                                         \
      prim_gemm_pointers(v, plain, plain, 1, dense(20, 20), dense(20, 20), 0, dense(20, 20), size, \
                         PRIM_COMPUTE_DEFAULT, asking()))                                          \
    X(gemv, gemv,                                                                                  \
      prim_gemv(v, plain, 1, dense(100, size), vector(size), 0, vector(100), asking()))            \
    X(gemv_batched, gemv,                                                                          \
      prim_gemv_batched(v, plain, 1, dense(100, 3), vector(3), 0, vector(100), size, asking()))    \
    X(binary_gemm, binary_gemm,                                                                    \
      prim_binary_gemm(v, prim_bits_of(NULL, 100, size, 0), prim_bits_of(NULL, size, 100, 0),      \
                       dense(100, 100), asking()))                                                 \
    X(binary_count, binary_gemm,                                                                   \
      prim_binary_count(v, PRIM_BINARY_AND, prim_bits_of(NULL, 100, size, 0),                      \
                        prim_bits_of(NULL, size, 100, 0), dense(100, 100), asking()))              \
    X(binary_layer, binary_gemm,                                                                   \
      prim_binary_layer(v, PRIM_BINARY_DOT, prim_bits_of(NULL, 100, size, 0),                      \
                        prim_bits_of(NULL, size, 100, 0), NULL, prim_bits_of(NULL, 100, 100, 0),   \
                        asking()))                                                                 \
    X(convolve_1d, convolution,                                                                    \
      prim_convolve_1d(v, 0, clamp, NULL, f32, NULL, size, mask_of(3, 1, f32), NULL, asking()))    \
    X(convolve_2d, convolution,                                                                    \
      prim_convolve_2d(v, 0, clamp, NULL, image_of(size, u8), mask_of(3, 3, CUDA_R_16I),           \
                       image_of(size, u8), asking()))                                              \
    X(convolve_separable, convolution,                                                             \
      prim_convolve_separable(v, 0, clamp, NULL, image_of(size, u8), mask_of(3, 1, f32),           \
                              mask_of(1, 3, f32), image_of(size, u8), asking()))                   \
    X(spmv, spmv, prim_spmv(v, 1, matrix_of(size), vector(1000), 0, vector(1000), asking()))       \
    X(merge, merge, prim_merge(v, PRIM_ASCENDING, f32, NULL, size, NULL, 7, NULL, asking()))       \
    X(merge_pairs, merge,                                                                          \
      prim_merge_pairs(v, PRIM_ASCENDING, f32, 4, keys(size), keys(7), NULL, NULL, asking()))      \
    X(merge_sort, merge, prim_merge_sort(v, PRIM_ASCENDING, f32, NULL, size, NULL, asking()))      \
    X(merge_sort_pairs, merge,                                                                     \
      prim_merge_sort_pairs(v, PRIM_ASCENDING, f32, 4, keys(size), NULL, NULL, asking()))          \
    X(merge_sort_permutation, merge,                                                               \
      prim_merge_sort_permutation(v, PRIM_ASCENDING, f32, NULL, size, u32, NULL, asking()))

#define ASK(name, pattern, call)                                                 \
    static prim_status ask_##name(int variant, size_t size, prim_answer *answer) \
    {                                                                            \
        const prim_##pattern##_variant v = (prim_##pattern##_variant)variant;    \
        const prim_status status = (call);                                       \
        *answer = *asked();                                                      \
        return status;                                                           \
    }
CALLS(ASK)

#define ROW(name, pattern, ...) {"prim_" #name, prim_##pattern##_variant_at, ask_##name},
const query queries[] = {CALLS(ROW)};
const size_t query_count = sizeof queries / sizeof *queries;
