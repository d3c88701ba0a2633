/* What the headers promise to support and to refuse: rules written from their sentences, and not
 * from the tables of the code. Other tests skip what a variant does not support, so a wrong refusal
 * shows here alone. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <primitives/primitives.h>

#include "calls.h"
#include "histogram_calls.h"
#include "rungs.h"
#include "stored.h"
#include "support.h"
#include "weights.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))
#define EACH(type, pointer, array) \
    for (const type *pointer = array; pointer < (array) + COUNT_OF(array); pointer++)

#define NO_TYPE ((cudaDataType_t)9999)

static const cudaDataType_t all_types[] = {
    CUDA_R_8I,  CUDA_R_8U,  CUDA_R_16I,  CUDA_R_16U, CUDA_R_32I, CUDA_R_32U, CUDA_R_64I,
    CUDA_R_64U, CUDA_R_16F, CUDA_R_16BF, CUDA_R_32F, CUDA_R_64F, NO_TYPE,
};

typedef struct shape {
    size_t rows, columns;
} shape;

static const char *name_of(cudaDataType_t type)
{
    return type == NO_TYPE ? "no type" : type_name(type);
}

/* A refusal's sentence begins with the call's name; `written` is the call as it is written. */
static void check_sentence(const char *written)
{
    const char *const sentence = prim_last_error(NULL);
    const size_t length = strcspn(written, "(");
    cr_expect(strncmp(sentence, written, length) == 0 && sentence[length] == ':',
              "%.*s refuses with \"%s\"", (int)length, written, sentence);
}

__attribute__((format(printf, 3, 4))) static void check(prim_status promised, prim_status asked,
                                                        const char *format, ...)
{
    char call[160];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(call, sizeof call, format, arguments);
    va_end(arguments);
    cr_expect_eq(asked, promised, "%s: promised is %s, and it says %s (%s)", call,
                 prim_status_string(promised), prim_status_string(asked), prim_last_error(NULL));
}

/* A call, asked; then words for printf(), what it was. */
#define CHECK(promised, call, ...)                 \
    do {                                           \
        const prim_status check_asked = (call);    \
        if (check_asked != PRIM_OK)                \
            check_sentence(#call);                 \
        check(promised, check_asked, __VA_ARGS__); \
    } while (0)

static int major_capability(void)
{
    int device, major;
    cr_cuda(cudaGetDevice(&device));
    cr_cuda(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
    return major;
}

static bool has_clusters(void)
{
    return major_capability() >= 9;
}

/* ---- variants ---- */

/* Variant i of those that a header has, and after them of those that the pattern's table has
 * besides; -1 after the last. */
static int variant_of(size_t i, const int *listed, size_t count,
                      const prim_variant *(*variant_at)(size_t index))
{
    if (i < count)
        return listed[i];
    i -= count;
    for (size_t v = 0; variant_at(v) != NULL; v++) {
        const int variant = variant_at(v)->value;
        bool is_listed = false;
        for (size_t l = 0; l < count; l++)
            is_listed |= listed[l] == variant;
        if (!is_listed && i-- == 0)
            return variant;
    }
    return -1;
}

/* Those of a header. One that is added there need not be added here. */
#define VARIANTS(pattern, ...)                                                       \
    static int pattern##_variant_of(size_t i)                                        \
    {                                                                                \
        static const int listed[] = {__VA_ARGS__};                                   \
        return variant_of(i, listed, COUNT_OF(listed), prim_##pattern##_variant_at); \
    }
VARIANTS(reduce, PRIM_REDUCE_AUTO, PRIM_REDUCE_INTERLEAVED, PRIM_REDUCE_SEQUENTIAL,
         PRIM_REDUCE_SHUFFLE, PRIM_REDUCE_VECTORIZED, PRIM_REDUCE_SINGLE_PASS)
VARIANTS(scan, PRIM_SCAN_AUTO, PRIM_SCAN_KOGGE_STONE, PRIM_SCAN_BRENT_KUNG, PRIM_SCAN_COARSENED,
         PRIM_SCAN_SHUFFLE, PRIM_SCAN_REDUCE_THEN_SCAN, PRIM_SCAN_LOOKBACK, PRIM_SCAN_CLUSTER,
         PRIM_SCAN_CHAINED)
VARIANTS(histogram, PRIM_HISTOGRAM_AUTO, PRIM_HISTOGRAM_GLOBAL_ATOMIC, PRIM_HISTOGRAM_PRIVATIZED,
         PRIM_HISTOGRAM_COARSENED, PRIM_HISTOGRAM_MULTI_COPY, PRIM_HISTOGRAM_PACKED,
         PRIM_HISTOGRAM_PARTITIONED, PRIM_HISTOGRAM_EDGES_SEARCH, PRIM_HISTOGRAM_EDGES_TABLE,
         PRIM_HISTOGRAM_CHANNELS_GLOBAL_ATOMIC, PRIM_HISTOGRAM_CHANNELS_MULTI_COPY,
         PRIM_HISTOGRAM_WEIGHTED_GLOBAL_ATOMIC, PRIM_HISTOGRAM_WEIGHTED_MULTI_COPY)
VARIANTS(merge, PRIM_MERGE_AUTO, PRIM_MERGE_CO_RANK, PRIM_MERGE_TILED, PRIM_MERGE_CIRCULAR,
         PRIM_MERGE_MERGE_PATH, PRIM_MERGE_STREAMED, PRIM_MERGE_SORT_CO_RANK, PRIM_MERGE_SORT_TILED,
         PRIM_MERGE_SORT_STREAMED, PRIM_MERGE_SORT_WIDE, PRIM_MERGE_SORT_RADIX,
         PRIM_MERGE_SORT_BITONIC)
VARIANTS(gemm, PRIM_GEMM_AUTO, PRIM_GEMM_ROW_PER_BLOCK, PRIM_GEMM_SHARED_ROW, PRIM_GEMM_NAIVE,
         PRIM_GEMM_TILED_16, PRIM_GEMM_TILED_32, PRIM_GEMM_REGISTER_TILED_1D,
         PRIM_GEMM_REGISTER_TILED, PRIM_GEMM_VECTORIZED, PRIM_GEMM_WARP_TILED, PRIM_GEMM_SPLIT_K,
         PRIM_GEMM_SMALL_PRODUCTS, PRIM_GEMM_MMA, PRIM_GEMM_WGMMA, PRIM_GEMM_WGMMA_SPECIALIZED,
         PRIM_GEMM_THIN)
VARIANTS(gemv, PRIM_GEMV_AUTO, PRIM_GEMV_ROW_PER_THREAD, PRIM_GEMV_COLUMN, PRIM_GEMV_CONSTANT,
         PRIM_GEMV_SHARED, PRIM_GEMV_SHUFFLE, PRIM_GEMV_WARP_PER_ROW, PRIM_GEMV_SPLIT)
VARIANTS(binary_gemm, PRIM_BINARY_GEMM_AUTO, PRIM_BINARY_GEMM_XNOR_GLOBAL,
         PRIM_BINARY_GEMM_XNOR_SHARED_ROW, PRIM_BINARY_GEMM_XNOR_TILED,
         PRIM_BINARY_GEMM_XNOR_TILED_TRANSPOSED, PRIM_BINARY_GEMM_POPCOUNT, PRIM_BINARY_GEMM_MMA,
         PRIM_BINARY_GEMM_WGMMA)
VARIANTS(convolution, PRIM_CONVOLUTION_AUTO, PRIM_CONVOLUTION_BASIC, PRIM_CONVOLUTION_CONSTANT,
         PRIM_CONVOLUTION_TILED_HALO, PRIM_CONVOLUTION_TILED_CACHED, PRIM_CONVOLUTION_REGISTER,
         PRIM_CONVOLUTION_TENSOR, PRIM_CONVOLUTION_SMALL)
VARIANTS(spmv, PRIM_SPMV_AUTO, PRIM_SPMV_CSR_SCALAR, PRIM_SPMV_CSR_VECTOR, PRIM_SPMV_ELL,
         PRIM_SPMV_COO_SCAN_ALL, PRIM_SPMV_COO_SEGMENTED, PRIM_SPMV_HYB, PRIM_SPMV_JDS,
         PRIM_SPMV_CSR_MERGE, PRIM_SPMV_SELL, PRIM_SPMV_COO_TILED)

/* for (EACH_VARIANT(v, gemm)): v is an int. */
#define EACH_VARIANT(v, pattern)                        \
    int v, v##_index = 0;                               \
    (v = pattern##_variant_of((size_t)v##_index)) >= 0; \
    v##_index++

/* ---- reduce and scan ---- */

typedef struct type_pair {
    cudaDataType_t in, out;
} type_pair;

static bool is_listed(const type_pair *pairs, size_t count, cudaDataType_t in, cudaDataType_t out)
{
    for (size_t i = 0; i < count; i++)
        if (pairs[i].in == in && pairs[i].out == out)
            return true;
    return false;
}

/* Of reduce and of scan: "in_type is …, and out_type the same, or wider: …" */
static bool go_together(cudaDataType_t in, cudaDataType_t out)
{
    static const type_pair wider[] = {{CUDA_R_8U, CUDA_R_32U},   {CUDA_R_8U, CUDA_R_64U},
                                      {CUDA_R_32I, CUDA_R_64I},  {CUDA_R_16F, CUDA_R_32F},
                                      {CUDA_R_16BF, CUDA_R_32F}, {CUDA_R_32F, CUDA_R_64F}};
    return (in == out && in != NO_TYPE) || is_listed(wider, COUNT_OF(wider), in, out);
}

static bool is_bitwise(prim_op op)
{
    return op == PRIM_OP_AND || op == PRIM_OP_OR || op == PRIM_OP_XOR;
}

/* "the rungs below take 32I, 32F, 64F and 8U → 64U with SUM, MIN and MAX" */
static bool is_reduced_by_textbook(prim_op op, cudaDataType_t in, cudaDataType_t out)
{
    static const type_pair pairs[] = {{CUDA_R_32I, CUDA_R_32I},
                                      {CUDA_R_32F, CUDA_R_32F},
                                      {CUDA_R_64F, CUDA_R_64F},
                                      {CUDA_R_8U, CUDA_R_64U}};
    return (op == PRIM_OP_SUM || op == PRIM_OP_MIN || op == PRIM_OP_MAX) &&
           is_listed(pairs, COUNT_OF(pairs), in, out);
}

/* "SINGLE_PASS for one row of up to 256 KiB, from compute capability 9.0 on" */
static bool is_for_a_cluster(cudaDataType_t in, size_t rows, size_t columns)
{
    return has_clusters() && rows == 1 && columns * type_bytes(in) <= 256 * 1024;
}

static prim_status reduce_promise(prim_reduce_variant variant, prim_op op, cudaDataType_t in,
                                  cudaDataType_t out, size_t rows, size_t columns)
{
    if (!go_together(in, out) || (is_bitwise(op) && type_is_float(in)))
        return PRIM_ERROR_TYPE;
    if (variant == PRIM_REDUCE_SINGLE_PASS && !is_for_a_cluster(in, rows, columns))
        return PRIM_ERROR_UNSUPPORTED;
    return reduce_rung_has(variant, TAKES_ALL_TYPES) || is_reduced_by_textbook(op, in, out)
               ? PRIM_OK
               : PRIM_ERROR_UNSUPPORTED;
}

static void check_reduce(prim_reduce_variant v, prim_op op, prim_transform t, type_pair p)
{
    static const size_t counts[] = {0, 1, 60001};
    static const shape shapes[] = {{0, 5}, {5, 0}, {1, 1000}, {3, 1000}, {1000, 3}};
    EACH (size_t, count, counts)
        CHECK(reduce_promise(v, op, p.in, p.out, 1, *count),
              prim_reduce(v, op, t, p.in, NULL, *count, p.out, NULL, asking()),
              "reduce %d, op %d of %zu, %s %s", v, op, *count, name_of(p.in), name_of(p.out));
    EACH (shape, s, shapes)
        CHECK(reduce_promise(v, op, p.in, p.out, s->rows, s->columns),
              prim_reduce_rows(v, op, t, prim_matrix_of(p.in, NULL, s->rows, s->columns, 0), p.out,
                               NULL, asking()),
              "reduce_rows %d, op %d of %zu × %zu, %s %s", v, op, s->rows, s->columns,
              name_of(p.in), name_of(p.out));
}

/* The calls whose "Variants: VECTORIZED and AUTO." */
static prim_status promise_of_two(prim_reduce_variant variant, prim_status promised)
{
    return promised == PRIM_OK && !reduce_rung_has(variant, TAKES_ALL_CALLS)
               ? PRIM_ERROR_UNSUPPORTED
               : promised;
}

static void check_columns(prim_reduce_variant v, prim_op op, prim_transform t, type_pair p)
{
    static const shape shapes[] = {{0, 5}, {5, 0}, {3, 1000}, {1000, 3}};
    const prim_status promised =
        promise_of_two(v, reduce_promise(PRIM_REDUCE_AUTO, op, p.in, p.out, 1, 1));
    EACH (shape, s, shapes)
        CHECK(promised,
              prim_reduce_columns(v, op, t, prim_matrix_of(p.in, NULL, s->rows, s->columns, 0),
                                  p.out, NULL, asking()),
              "reduce_columns %d, op %d of %zu × %zu, %s %s", v, op, s->rows, s->columns,
              name_of(p.in), name_of(p.out));
}

/* "offsets_type CUDA_R_32I or CUDA_R_64I", "segments any number" */
static void check_segments(prim_reduce_variant v, prim_op op, prim_transform t, type_pair p)
{
    static const shape shapes[] = {{0, 5}, {5, 0}, {3, 100000}, {100000, 3}};
    static const cudaDataType_t offsets[] = {CUDA_R_32I, CUDA_R_64I, CUDA_R_32U, NO_TYPE};
    const prim_status promised =
        promise_of_two(v, reduce_promise(PRIM_REDUCE_AUTO, op, p.in, p.out, 1, 1));
    EACH (shape, s, shapes)
        EACH (cudaDataType_t, o, offsets)
            CHECK(*o == CUDA_R_32I || *o == CUDA_R_64I ? promised : PRIM_ERROR_TYPE,
                  prim_reduce_segments(v, op, t, p.in, NULL, s->columns,
                                       (prim_segments){NULL, s->rows, *o}, p.out, NULL, asking()),
                  "reduce_segments %d, op %d of %zu in %zu, %s %s, offsets %s", v, op, s->columns,
                  s->rows, name_of(p.in), name_of(p.out), name_of(*o));
}

static void each_reduction(void (*run)(prim_reduce_variant v, prim_op op, prim_transform t,
                                       type_pair p))
{
    for (EACH_VARIANT(v, reduce))
        for (int op = PRIM_OP_SUM; op <= PRIM_OP_XOR; op++)
            for (int t = PRIM_TRANSFORM_NONE; t <= PRIM_TRANSFORM_ABS; t++)
                EACH (cudaDataType_t, in, all_types)
                    EACH (cudaDataType_t, out, all_types)
                        run((prim_reduce_variant)v, (prim_op)op, (prim_transform)t,
                            (type_pair){*in, *out});
}

Test(supported, reduce)
{
    each_reduction(check_reduce);
}

/* "one row of up to 256 KiB" */
static void check_longest_row(prim_reduce_variant v, prim_op op, prim_transform t, type_pair p)
{
    const size_t most = p.in == NO_TYPE ? 1 : 256 * 1024 / type_bytes(p.in);
    if (v != PRIM_REDUCE_SINGLE_PASS || t != PRIM_TRANSFORM_NONE)
        return;
    for (size_t count = most; count <= most + 1; count++) {
        CHECK(reduce_promise(v, op, p.in, p.out, 1, count),
              prim_reduce(v, op, t, p.in, NULL, count, p.out, NULL, asking()),
              "reduce by single_pass, op %d of %zu, %s %s", op, count, name_of(p.in),
              name_of(p.out));
        CHECK(reduce_promise(v, op, p.in, p.out, 1, count),
              prim_reduce_rows(v, op, t, prim_matrix_of(p.in, NULL, 1, count, 0), p.out, NULL,
                               asking()),
              "reduce_rows by single_pass, op %d of %zu, %s %s", op, count, name_of(p.in),
              name_of(p.out));
    }
}

Test(supported, reduce_of_the_longest_rows)
{
    each_reduction(check_longest_row);
}

Test(supported, reduce_columns)
{
    each_reduction(check_columns);
}

Test(supported, reduce_segments)
{
    each_reduction(check_segments);
}

/* "op PRIM_OP_MIN or PRIM_OP_MAX", "count at least 1" */
static prim_status arg_promise(prim_reduce_variant variant, prim_op op, cudaDataType_t type,
                               size_t count)
{
    if (op != PRIM_OP_MIN && op != PRIM_OP_MAX)
        return PRIM_ERROR_ENUM;
    if (type == NO_TYPE)
        return PRIM_ERROR_TYPE;
    return promise_of_two(variant, count == 0 ? PRIM_ERROR_SIZE : PRIM_OK);
}

static void check_arg(prim_reduce_variant v, prim_op op, prim_transform t, type_pair p)
{
    static const size_t counts[] = {0, 1, 70001};
    EACH (size_t, count, counts)
        if (p.in == p.out)
            CHECK(arg_promise(v, op, p.in, *count),
                  prim_arg_reduce(v, op, t, p.in, NULL, *count, NULL, NULL, asking()),
                  "arg_reduce %d, op %d of %zu %s", v, op, *count, name_of(p.in));
}

Test(supported, arg_reduce)
{
    each_reduction(check_arg);
}

static void check_dot(prim_reduce_variant v, prim_op op, prim_transform t, type_pair p)
{
    static const size_t counts[] = {0, 1, 70001};
    const prim_status promised = go_together(p.in, p.out) ? PRIM_OK : PRIM_ERROR_TYPE;
    EACH (size_t, count, counts)
        if (op == PRIM_OP_SUM && t == PRIM_TRANSFORM_NONE)
            CHECK(promise_of_two(v, promised),
                  prim_dot(v, p.in, NULL, NULL, *count, p.out, NULL, asking()),
                  "dot %d of %zu, %s %s", v, *count, name_of(p.in), name_of(p.out));
}

Test(supported, dot)
{
    each_reduction(check_dot);
}

/* "count: any number" */
Test(supported, reduce_of_any_number)
{
    for (int shift = 31; shift <= 40; shift++)
        for (size_t count = ((size_t)1 << shift) - 1; count <= ((size_t)1 << shift) + 1; count++) {
            cr_expect(runs(prim_reduce(PRIM_REDUCE_AUTO, PRIM_OP_SUM, PRIM_TRANSFORM_NONE,
                                       CUDA_R_8U, NULL, count, CUDA_R_64U, NULL, asking())));
            cr_expect(runs(prim_arg_reduce(PRIM_REDUCE_AUTO, PRIM_OP_MIN, PRIM_TRANSFORM_NONE,
                                           CUDA_R_32F, NULL, count, NULL, NULL, asking())));
            cr_expect(runs(prim_dot(PRIM_REDUCE_AUTO, CUDA_R_32F, NULL, NULL, count, CUDA_R_64F,
                                    NULL, asking())));
            cr_expect(runs(prim_reduce_segments(
                PRIM_REDUCE_AUTO, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, CUDA_R_32F, NULL, count,
                (prim_segments){NULL, count / 16, CUDA_R_64I}, CUDA_R_64F, NULL, asking())));
        }
}

/* "the rungs below take 32I, 32F and 64F with SUM, MIN and MAX" */
static bool is_scanned_by_textbook(prim_op op, cudaDataType_t in, cudaDataType_t out)
{
    return in == out && is_reduced_by_textbook(op, in, out);
}

/* "CLUSTER up to eight tiles from compute capability 9.0 on", "a tile is 32 KiB of the wider of the
 * two types" */
static size_t longest_for_a_cluster(cudaDataType_t in, cudaDataType_t out)
{
    const size_t in_bytes = type_bytes(in), out_bytes = type_bytes(out);
    return 8 * (32 * 1024 / (in_bytes > out_bytes ? in_bytes : out_bytes));
}

/* "CHAINED takes floats with SUM and PRODUCT" */
static prim_status scan_promise(prim_scan_variant variant, prim_op op, cudaDataType_t in,
                                cudaDataType_t out, size_t count)
{
    if (!go_together(in, out))
        return PRIM_ERROR_TYPE;
    if (variant == PRIM_SCAN_CHAINED)
        return type_is_float(in) && (op == PRIM_OP_SUM || op == PRIM_OP_PRODUCT)
                   ? PRIM_OK
                   : PRIM_ERROR_UNSUPPORTED;
    if (variant == PRIM_SCAN_CLUSTER &&
        !(has_clusters() && count <= longest_for_a_cluster(in, out)))
        return PRIM_ERROR_UNSUPPORTED;
    return scan_rung_has(variant, TAKES_ALL_TYPES) || is_scanned_by_textbook(op, in, out)
               ? PRIM_OK
               : PRIM_ERROR_UNSUPPORTED;
}

/* At a cluster's limit too. */
static void check_scan(prim_scan_variant v, prim_scan_kind kind, prim_op op, prim_transform t,
                       type_pair p)
{
    const size_t most = go_together(p.in, p.out) ? longest_for_a_cluster(p.in, p.out) : 1;
    const size_t counts[] = {0, 1, 5000, most, most + 1};
    EACH (size_t, count, counts)
        CHECK(scan_promise(v, op, p.in, p.out, *count),
              prim_scan(v, kind, op, t, p.in, NULL, *count, p.out, NULL, NULL, asking()),
              "scan %d, kind %d, op %d of %zu, %s %s", v, kind, op, *count, name_of(p.in),
              name_of(p.out));
}

/* "CLUSTER takes one row only." */
static void check_scan_rows(prim_scan_variant v, prim_scan_kind kind, prim_op op, prim_transform t,
                            type_pair p)
{
    const size_t most = go_together(p.in, p.out) ? longest_for_a_cluster(p.in, p.out) : 1;
    const shape shapes[] = {{1, 1000}, {3, 1000}, {1000, 3}, {1, most}, {1, most + 1}};
    EACH (shape, s, shapes) {
        prim_status promised = scan_promise(v, op, p.in, p.out, s->columns);
        if (promised == PRIM_OK && v == PRIM_SCAN_CLUSTER && s->rows > 1)
            promised = PRIM_ERROR_UNSUPPORTED;
        CHECK(promised,
              prim_scan_rows(v, kind, op, t, prim_matrix_of(p.in, NULL, s->rows, s->columns, 0),
                             prim_matrix_of(p.out, NULL, s->rows, s->columns, 0), NULL, asking()),
              "scan_rows %d, kind %d, op %d of %zu × %zu, %s %s", v, kind, op, s->rows, s->columns,
              name_of(p.in), name_of(p.out));
    }
}

/* "with op SUM, MIN or MAX. … Variants: all but LOOKBACK and CLUSTER; CHAINED takes SUM only, of
 * all types. … PRIM_ERROR_ENUM also for another op" */
static prim_status scan_2d_promise(prim_scan_variant variant, prim_op op, cudaDataType_t in,
                                   cudaDataType_t out)
{
    if (op != PRIM_OP_SUM && op != PRIM_OP_MIN && op != PRIM_OP_MAX)
        return PRIM_ERROR_ENUM;
    const bool chained = variant == PRIM_SCAN_CHAINED;
    const prim_status promised =
        scan_promise(chained ? PRIM_SCAN_REDUCE_THEN_SCAN : variant, op, in, out, 1);
    const bool refused = variant == PRIM_SCAN_LOOKBACK || variant == PRIM_SCAN_CLUSTER ||
                         (chained && op != PRIM_OP_SUM);
    return promised == PRIM_OK && refused ? PRIM_ERROR_UNSUPPORTED : promised;
}

static void check_scan_2d(prim_scan_variant v, prim_scan_kind kind, prim_op op, prim_transform t,
                          type_pair p)
{
    static const shape shapes[] = {{3, 1000}, {1000, 3}, {1, 1}, {0, 5}, {5, 0}};
    const prim_status promised = scan_2d_promise(v, op, p.in, p.out);
    EACH (shape, s, shapes)
        if (kind == PRIM_SCAN_INCLUSIVE)
            CHECK(promised,
                  prim_scan_2d(v, op, t, prim_matrix_of(p.in, NULL, s->rows, s->columns, 0),
                               prim_matrix_of(p.out, NULL, s->rows, s->columns, 0), asking()),
                  "scan_2d %d, op %d of %zu × %zu, %s %s", v, op, s->rows, s->columns,
                  name_of(p.in), name_of(p.out));
}

static void each_scan(prim_scan_variant v, prim_op op,
                      void (*run)(prim_scan_variant v, prim_scan_kind kind, prim_op op,
                                  prim_transform t, type_pair p))
{
    for (int kind = PRIM_SCAN_INCLUSIVE; kind <= PRIM_SCAN_EXCLUSIVE; kind++)
        for (int t = PRIM_TRANSFORM_NONE; t <= PRIM_TRANSFORM_ABS; t++)
            EACH (cudaDataType_t, in, all_types)
                EACH (cudaDataType_t, out, all_types)
                    run(v, (prim_scan_kind)kind, op, (prim_transform)t, (type_pair){*in, *out});
}

Test(supported, scan)
{
    for (EACH_VARIANT(v, scan))
        for (int op = PRIM_OP_SUM; op <= PRIM_OP_PRODUCT; op++) {
            each_scan((prim_scan_variant)v, (prim_op)op, check_scan);
            each_scan((prim_scan_variant)v, (prim_op)op, check_scan_rows);
        }
}

Test(supported, scan_2d)
{
    for (EACH_VARIANT(v, scan))
        for (int op = PRIM_OP_SUM; op <= PRIM_OP_XOR; op++)
            each_scan((prim_scan_variant)v, (prim_op)op, check_scan_2d);
}

/* "op: SUM, PRODUCT, MIN or MAX" */
static void check_no_operator(prim_scan_variant v, prim_scan_kind kind, prim_op op,
                              prim_transform t, type_pair p)
{
    CHECK(PRIM_ERROR_ENUM, prim_scan(v, kind, op, t, p.in, NULL, 100, p.out, NULL, NULL, asking()),
          "scan %d, op %d, %s %s", v, op, name_of(p.in), name_of(p.out));
    CHECK(PRIM_ERROR_ENUM,
          prim_scan_rows(v, kind, op, t, prim_matrix_of(p.in, NULL, 3, 100, 0),
                         prim_matrix_of(p.out, NULL, 3, 100, 0), NULL, asking()),
          "scan_rows %d, op %d, %s %s", v, op, name_of(p.in), name_of(p.out));
}

Test(supported, no_bit_operator_is_scanned)
{
    for (int op = PRIM_OP_AND; op <= PRIM_OP_XOR; op++)
        for (EACH_VARIANT(v, scan))
            each_scan((prim_scan_variant)v, (prim_op)op, check_no_operator);
}

/* ---- histogram ---- */

static bool is_sample_type(cudaDataType_t type)
{
    return type != NO_TYPE;
}

/* "u8, i32 and f32 samples and u32 counters", "≤ 12,288 bins", "≤ 2^31 bins", "≤ S − 4 bins", "≤ 2
 * S − 5 bins", "≤ 32 S bins, and ≤ 2^21" */
static bool histogram_takes(prim_histogram_variant variant, cudaDataType_t type, size_t bins,
                            cudaDataType_t counter_type)
{
    int device, shared;
    cr_cuda(cudaGetDevice(&device));
    cr_cuda(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    const bool textbook = (type == CUDA_R_8U || type == CUDA_R_32I || type == CUDA_R_32F) &&
                          counter_type == CUDA_R_32U;
    if (!textbook && !histogram_rung_has(variant, TAKES_ALL_TYPES))
        return false;
    switch (variant) {
    case PRIM_HISTOGRAM_PRIVATIZED:
        return bins <= 12288;
    case PRIM_HISTOGRAM_MULTI_COPY:
        return bins <= (size_t)1 << 31 && (type_bytes(type) == 1 || bins + 4 <= (size_t)shared / 4);
    case PRIM_HISTOGRAM_PACKED:
        return bins + 5 <= (size_t)shared / 4 * 2;
    case PRIM_HISTOGRAM_PARTITIONED:
        return bins <= (size_t)shared / 4 * 32 && bins <= (size_t)1 << 21;
    default:
        return bins <= (size_t)1 << 31;
    }
}

/* Here and below: "A rung of another call is PRIM_ERROR_UNSUPPORTED." */
static prim_status histogram_promise(prim_histogram_variant variant, cudaDataType_t sample_type,
                                     size_t bins, cudaDataType_t counter_type)
{
    if (!histogram_call_has(HISTOGRAM_EVEN, variant))
        return PRIM_ERROR_UNSUPPORTED;
    if (!is_sample_type(sample_type) || (counter_type != CUDA_R_32U && counter_type != CUDA_R_64U))
        return PRIM_ERROR_TYPE;
    if (bins == 0)
        return PRIM_ERROR_VALUE;
    return histogram_takes(variant, sample_type, bins, counter_type) ? PRIM_OK
                                                                     : PRIM_ERROR_UNSUPPORTED;
}

static void check_histogram(prim_histogram_variant v, unsigned flags, prim_outside outside,
                            size_t bins)
{
    static const size_t counts[] = {0, 1, 100000};
    const prim_histogram_range range = {-5, 1000, -0.5, 2.5};
    EACH (cudaDataType_t, in, all_types)
        EACH (cudaDataType_t, out, all_types)
            EACH (size_t, count, counts)
                CHECK(histogram_promise(v, *in, bins, *out),
                      prim_histogram_even(
                          v, range, *in, NULL, *count,
                          (prim_counters){
                              .bins = bins, .type = *out, .flags = flags, .outside = outside},
                          asking()),
                      "histogram %d, flags %u, outside %d, %zu bins of %s in %s", v, flags, outside,
                      bins, name_of(*in), name_of(*out));
}

Test(supported, histogram)
{
    static const size_t all_bins[] = {
        0,      1,      255,     12284,   12285,   12287,   12288,
        12289,  58109,  58110,   24571,   24572,   116219,  116220,
        524288, 524289, 1859584, 1859585, 1 << 21, 1 << 24, (size_t)1 << 31};
    for (EACH_VARIANT(v, histogram))
        for (unsigned flags = 0; flags <= 3; flags++)
            for (int outside = PRIM_OUTSIDE_DROP; outside <= PRIM_OUTSIDE_COUNT; outside++)
                EACH (size_t, bins, all_bins)
                    check_histogram((prim_histogram_variant)v, flags, (prim_outside)outside, *bins);
}

/* "of 8- and 16-bit integer samples CUDA_R_32I, of f16 and bf16 CUDA_R_32F, of all others the
 * samples' own" */
static cudaDataType_t promised_edge_type(cudaDataType_t sample_type)
{
    if (type_is_float(sample_type))
        return type_bytes(sample_type) == 2 ? CUDA_R_32F : sample_type;
    return type_bytes(sample_type) < 4 ? CUDA_R_32I : sample_type;
}

/* "≤ 2^31 bins", "32,764 or fewer, whose edges, bins + 4 counters of 4 bytes and 4,232 bytes fit"
 */
static prim_status edges_promise(prim_histogram_variant variant, cudaDataType_t sample_type,
                                 cudaDataType_t edge_type, size_t bins)
{
    int device, shared;
    if (!histogram_call_has(HISTOGRAM_EDGES, variant))
        return PRIM_ERROR_UNSUPPORTED;
    if (!is_sample_type(sample_type) || edge_type != promised_edge_type(sample_type))
        return PRIM_ERROR_TYPE;
    cr_cuda(cudaGetDevice(&device));
    cr_cuda(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    const bool fits = bins <= 32764 &&
                      (bins + 1) * type_bytes(edge_type) + (bins + 4) * 4 + 4232 <= (size_t)shared;
    return variant == PRIM_HISTOGRAM_EDGES_TABLE ? fits ? PRIM_OK : PRIM_ERROR_UNSUPPORTED
           : bins <= (size_t)1 << 31             ? PRIM_OK
                                                 : PRIM_ERROR_UNSUPPORTED;
}

Test(supported, histogram_edges)
{
    static const size_t all_bins[] = {1,     1000,  3741,    3742,       5106,      5107,  5612,
                                      5613,  7660,  7661,    19016,      19017,     28524, 28525,
                                      32764, 32765, 1048576, 0x80000000, 0x80000001};
    for (EACH_VARIANT(v, histogram))
        EACH (cudaDataType_t, in, all_types)
            EACH (cudaDataType_t, edge, all_types)
                EACH (size_t, bins, all_bins)
                    CHECK(edges_promise((prim_histogram_variant)v, *in, *edge, *bins),
                          prim_histogram_edges(
                              (prim_histogram_variant)v, *in, NULL, 100000, *edge, NULL,
                              (prim_counters){
                                  .bins = *bins, .type = CUDA_R_64U, .outside = PRIM_OUTSIDE_CLAMP},
                              asking()),
                          "histogram_edges %d, %zu bins of %s, edges %s", v, *bins, name_of(*in),
                          name_of(*edge));
}

/* "any number of bins", "channels · (bins + 4) ≤ S, and ≤ 2^31 bins of 8-bit samples" */
static prim_status channels_promise(prim_histogram_variant variant, prim_image image, size_t bins,
                                    cudaDataType_t counter_type)
{
    int device, shared;
    if (!histogram_call_has(HISTOGRAM_CHANNELS, variant))
        return PRIM_ERROR_UNSUPPORTED;
    if (image.type == NO_TYPE || (counter_type != CUDA_R_32U && counter_type != CUDA_R_64U))
        return PRIM_ERROR_TYPE;
    const size_t bytes = type_bytes(image.type);
    const bool is_row =
        image.pitch == 0 ||
        (image.pitch % bytes == 0 && image.pitch >= image.width * (size_t)image.channels * bytes);
    if (bins == 0 || image.channels < 1 || image.channels > 4 || !is_row)
        return PRIM_ERROR_VALUE;
    cr_cuda(cudaGetDevice(&device));
    cr_cuda(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    const bool fits = bytes == 1 ? bins <= (size_t)1 << 31
                                 : (size_t)image.channels * (bins + 4) <= (size_t)shared / 4;
    return variant != PRIM_HISTOGRAM_CHANNELS_MULTI_COPY || fits ? PRIM_OK : PRIM_ERROR_UNSUPPORTED;
}

static void check_channels(prim_histogram_variant v, prim_image image, size_t bins)
{
    EACH (cudaDataType_t, type, all_types)
        EACH (cudaDataType_t, counter, all_types) {
            image.type = *type;
            CHECK(channels_promise(v, image, bins, *counter),
                  prim_histogram_even_channels(v, NULL, image,
                                               (prim_counters){.bins = bins,
                                                               .type = *counter,
                                                               .flags = 1,
                                                               .outside = PRIM_OUTSIDE_COUNT},
                                               asking()),
                  "histogram_even_channels %d, %zu bins of %d × %s in %s, pitch %zu", v, bins,
                  image.channels, name_of(*type), name_of(*counter), image.pitch);
        }
}

Test(supported, histogram_even_channels)
{
    static const size_t all_bins[] = {0,
                                      1,
                                      256,
                                      3068,
                                      3069,
                                      4092,
                                      4093,
                                      6140,
                                      6141,
                                      12284,
                                      12285,
                                      14524,
                                      14525,
                                      19366,
                                      19367,
                                      29052,
                                      29053,
                                      58108,
                                      58109,
                                      70000,
                                      (size_t)1 << 31,
                                      ((size_t)1 << 31) + 1};
    static const size_t pitches[] = {0, 80, 98, 100, 104, 320, 800};
    for (EACH_VARIANT(v, histogram))
        for (int channels = -1; channels <= 5; channels++) {
            EACH (size_t, bins, all_bins)
                check_channels((prim_histogram_variant)v,
                               (prim_image){NULL, 25, 4, 800, channels, CUDA_R_8U}, *bins);
            EACH (size_t, pitch, pitches)
                check_channels((prim_histogram_variant)v,
                               (prim_image){NULL, 25, 4, *pitch, channels, CUDA_R_8U}, 16);
        }
}

/* "any number of bins", "bins + 3 ≤ S / 2", "CUDA_R_32F or CUDA_R_64F" */
static prim_status weighted_promise(prim_histogram_variant variant, cudaDataType_t type,
                                    size_t bins, cudaDataType_t weight_type)
{
    int device, shared;
    if (!histogram_call_has(HISTOGRAM_WEIGHTED, variant))
        return PRIM_ERROR_UNSUPPORTED;
    if (type == NO_TYPE || (weight_type != CUDA_R_32F && weight_type != CUDA_R_64F))
        return PRIM_ERROR_TYPE;
    if (bins == 0)
        return PRIM_ERROR_VALUE;
    cr_cuda(cudaGetDevice(&device));
    cr_cuda(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    return variant != PRIM_HISTOGRAM_WEIGHTED_MULTI_COPY || bins + 3 <= (size_t)shared / 4 / 2
               ? PRIM_OK
               : PRIM_ERROR_UNSUPPORTED;
}

static void check_weighted(prim_histogram_variant v, size_t bins)
{
    static const size_t counts[] = {0, 1, 100000};
    const prim_histogram_range range = {-5, 1000, -0.5, 2.5};
    EACH (cudaDataType_t, type, all_types)
        EACH (cudaDataType_t, weight, all_types)
            EACH (size_t, count, counts)
                CHECK(weighted_promise(v, *type, bins, *weight),
                      prim_histogram_even_weighted(v, range, *type, NULL, *count, NULL, NULL,
                                                   (prim_counters){.bins = bins, .type = *weight},
                                                   asking()),
                      "histogram_even_weighted %d, %zu bins of %s by %s", v, bins, name_of(*type),
                      name_of(*weight));
}

Test(supported, histogram_even_weighted)
{
    static const size_t all_bins[] = {0,    1,     256,   6141,  6142,    8189,
                                      8190, 29053, 29054, 70000, 1 << 20, ((size_t)1 << 31) + 1};
    for (EACH_VARIANT(v, histogram))
        EACH (size_t, bins, all_bins)
            check_weighted((prim_histogram_variant)v, *bins);
}

/* ---- merge ---- */

/* "integers of 8, 16, 32 and 64 bits, CUDA_R_16F, CUDA_R_16BF, CUDA_R_32F, CUDA_R_64F" */
static prim_status key_promise(cudaDataType_t type)
{
    return type != NO_TYPE ? PRIM_OK : PRIM_ERROR_TYPE;
}

/* "A rung of one is PRIM_ERROR_UNSUPPORTED in the other's calls." The sort's are the later ones. */
static bool is_of_merges(int variant)
{
    return variant < PRIM_MERGE_SORT_CO_RANK;
}

static bool is_of_sorts(int variant)
{
    return variant == PRIM_MERGE_AUTO || !is_of_merges(variant);
}

Test(supported, merge)
{
    static const shape counts[] = {{0, 0}, {0, 7}, {7, 0}, {1, 1}, {100000, 3}, {3, 100000}};
    for (EACH_VARIANT(v, merge))
        for (int order = PRIM_ASCENDING; order <= PRIM_DESCENDING; order++)
            EACH (cudaDataType_t, type, all_types)
                EACH (shape, s, counts)
                    CHECK(is_of_merges(v) ? key_promise(*type) : PRIM_ERROR_UNSUPPORTED,
                          prim_merge((prim_merge_variant)v, (prim_order)order, *type, NULL, s->rows,
                                     NULL, s->columns, NULL, asking()),
                          "merge %d of %zu and %zu %s", v, s->rows, s->columns, name_of(*type));
}

/* "PRIM_ERROR_UNSUPPORTED SORT_BITONIC, and more than 4096 keys" */
static prim_status sort_promise(int variant, cudaDataType_t type, size_t count)
{
    const prim_status of_key = is_of_sorts(variant) ? key_promise(type) : PRIM_ERROR_UNSUPPORTED;
    return of_key == PRIM_OK && variant == PRIM_MERGE_SORT_BITONIC && count > 4096
               ? PRIM_ERROR_UNSUPPORTED
               : of_key;
}

Test(supported, merge_sort)
{
    static const size_t counts[] = {0, 1, 2, 4096, 4097, 100000, (size_t)1 << 33};
    for (EACH_VARIANT(v, merge))
        for (int order = PRIM_ASCENDING; order <= PRIM_DESCENDING; order++)
            EACH (cudaDataType_t, type, all_types)
                EACH (size_t, count, counts)
                    CHECK(sort_promise(v, *type, *count),
                          prim_merge_sort((prim_merge_variant)v, (prim_order)order, *type, NULL,
                                          *count, NULL, asking()),
                          "merge_sort %d of %zu %s", v, *count, name_of(*type));
}

/* "value_bytes of each value: 4, 8 or 16" */
static const size_t all_value_bytes[] = {0, 1, 2, 3, 4, 5, 8, 12, 16, 32, SIZE_MAX};

/* "PRIM_ERROR_VALUE value_bytes is not one of the three" */
static prim_status pairs_promise(cudaDataType_t type, size_t value_bytes, bool moves_values)
{
    if (type == NO_TYPE)
        return PRIM_ERROR_TYPE;
    if (value_bytes != 4 && value_bytes != 8 && value_bytes != 16)
        return PRIM_ERROR_VALUE;
    return moves_values ? PRIM_OK : PRIM_ERROR_UNSUPPORTED;
}

/* "PRIM_ERROR_UNSUPPORTED variant is not AUTO or STREAMED" */
Test(supported, merge_pairs)
{
    static const shape counts[] = {{0, 0}, {0, 7}, {7, 0}, {1, 1}, {100000, 3}, {3, 100000}};
    for (EACH_VARIANT(v, merge))
        for (int order = PRIM_ASCENDING; order <= PRIM_DESCENDING; order++)
            EACH (cudaDataType_t, type, all_types)
                EACH (size_t, value, all_value_bytes)
                    EACH (shape, s, counts)
                        CHECK(is_of_merges(v) ? pairs_promise(*type, *value,
                                                              merge_rung_has((prim_merge_variant)v,
                                                                             TAKES_ALL_CALLS))
                                              : PRIM_ERROR_UNSUPPORTED,
                              prim_merge_pairs((prim_merge_variant)v, (prim_order)order, *type,
                                               *value, (prim_keys){NULL, NULL, s->rows},
                                               (prim_keys){NULL, NULL, s->columns}, NULL, NULL,
                                               asking()),
                              "merge_pairs %d of %zu and %zu %s, values of %zu bytes", v, s->rows,
                              s->columns, name_of(*type), *value);
}

/* "variant is not AUTO, SORT_STREAMED, SORT_RADIX or SORT_BITONIC" */
static bool sorts_values(int variant, size_t count)
{
    return merge_rung_has((prim_merge_variant)variant, TAKES_ALL_CALLS) &&
           (variant != PRIM_MERGE_SORT_BITONIC || count <= 4096);
}

Test(supported, merge_sort_pairs)
{
    static const size_t counts[] = {0, 1, 2, 4096, 4097, 100000, (size_t)1 << 33};
    for (EACH_VARIANT(v, merge))
        for (int order = PRIM_ASCENDING; order <= PRIM_DESCENDING; order++)
            EACH (cudaDataType_t, type, all_types)
                EACH (size_t, value, all_value_bytes)
                    EACH (size_t, count, counts)
                        CHECK(is_of_sorts(v) ? pairs_promise(*type, *value, sorts_values(v, *count))
                                             : PRIM_ERROR_UNSUPPORTED,
                              prim_merge_sort_pairs((prim_merge_variant)v, (prim_order)order, *type,
                                                    *value, (prim_keys){NULL, NULL, *count}, NULL,
                                                    NULL, asking()),
                              "merge_sort_pairs %d of %zu %s, values of %zu bytes", v, *count,
                              name_of(*type), *value);
}

/* "CUDA_R_32U, for up to 2^32 keys, or CUDA_R_64U" */
static prim_status permutation_promise(int variant, cudaDataType_t type, size_t count,
                                       cudaDataType_t index_type)
{
    if (!is_of_sorts(variant))
        return PRIM_ERROR_UNSUPPORTED;
    if (type == NO_TYPE || (index_type != CUDA_R_32U && index_type != CUDA_R_64U))
        return PRIM_ERROR_TYPE;
    if (index_type == CUDA_R_32U && count > (size_t)1 << 32)
        return PRIM_ERROR_SIZE;
    return sorts_values(variant, count) ? PRIM_OK : PRIM_ERROR_UNSUPPORTED;
}

Test(supported, merge_sort_permutation)
{
    static const size_t counts[] = {
        0, 1, 2, 4096, 4097, 100000, (size_t)1 << 32, ((size_t)1 << 32) + 1, (size_t)1 << 33};
    for (EACH_VARIANT(v, merge))
        for (int order = PRIM_ASCENDING; order <= PRIM_DESCENDING; order++)
            EACH (cudaDataType_t, type, all_types)
                EACH (cudaDataType_t, index, all_types)
                    EACH (size_t, count, counts)
                        CHECK(permutation_promise(v, *type, *count, *index),
                              prim_merge_sort_permutation((prim_merge_variant)v, (prim_order)order,
                                                          *type, NULL, *count, *index, NULL,
                                                          asking()),
                              "merge_sort_permutation %d of %zu %s in %s", v, *count,
                              name_of(*type), name_of(*index));
}

/* ---- dense products ---- */

/* "A, B and C of one type": a, b and c are some of those. */
static prim_status one_type_promise(const cudaDataType_t *types, size_t count, cudaDataType_t a,
                                    cudaDataType_t b, cudaDataType_t c)
{
    for (size_t i = 0; i < count; i++)
        if (a == types[i] && b == types[i] && c == types[i])
            return PRIM_OK;
    return PRIM_ERROR_TYPE;
}

/* "A and B of one type, and C of it or of another"; the narrow ones for the variants above
 * VECTORIZED, of which MMA and those above it take no others */
static prim_status gemm_promise(prim_gemm_variant v, cudaDataType_t a, cudaDataType_t b,
                                cudaDataType_t c)
{
    static const cudaDataType_t one[] = {CUDA_R_32F, CUDA_R_64F, CUDA_R_32I};
    static const type_pair narrow[] = {{CUDA_R_16F, CUDA_R_16F},
                                       {CUDA_R_16F, CUDA_R_32F},
                                       {CUDA_R_16BF, CUDA_R_16BF},
                                       {CUDA_R_16BF, CUDA_R_32F},
                                       {CUDA_R_8I, CUDA_R_32I}};
    if (one_type_promise(one, COUNT_OF(one), a, b, c) != PRIM_OK &&
        (a != b || !is_listed(narrow, COUNT_OF(narrow), a, c)))
        return PRIM_ERROR_TYPE;
    return gemm_rung_takes(v, a) ? PRIM_OK : PRIM_ERROR_UNSUPPORTED;
}

static void check_gemm(prim_gemm_variant v, prim_transpose op_a, prim_transpose op_b, size_t m,
                       size_t n, size_t k)
{
    EACH (cudaDataType_t, a, all_types)
        EACH (cudaDataType_t, b, all_types)
            EACH (cudaDataType_t, c, all_types) {
                const prim_status promised = gemm_promise(v, *a, *b, *c);
                CHECK(promised,
                      prim_gemm(v, op_a, op_b, 1, stored(op_a, *a, NULL, m, k, 0),
                                stored(op_b, *b, NULL, k, n, 0), 0,
                                prim_matrix_of(*c, NULL, m, n, 0), PRIM_COMPUTE_DEFAULT, asking()),
                      "gemm %d, %d%d, %zu × %zu × %zu of %s %s %s", v, op_a, op_b, m, n, k,
                      name_of(*a), name_of(*b), name_of(*c));
                CHECK(promised,
                      prim_gemm_batched(v, op_a, op_b, 1, stored(op_a, *a, NULL, m, k, 0),
                                        stored(op_b, *b, NULL, k, n, 0), 0,
                                        in_batch(prim_matrix_of(*c, NULL, m, n, 0), m * n), 100000,
                                        PRIM_COMPUTE_DEFAULT, asking()),
                      "batch of gemm %d, %d%d, %zu × %zu × %zu of %s %s %s", v, op_a, op_b, m, n, k,
                      name_of(*a), name_of(*b), name_of(*c));
            }
}

Test(supported, gemm)
{
    for (EACH_VARIANT(v, gemm))
        for (int ops = 0; ops < 4; ops++)
            for (size_t k = 0; k <= 20000; k = 3 * k + 1) {
                check_gemm((prim_gemm_variant)v, (prim_transpose)(ops & 1),
                           (prim_transpose)(ops >> 1), 70, 33, k);
                check_gemm((prim_gemm_variant)v, (prim_transpose)(ops & 1),
                           (prim_transpose)(ops >> 1), 0, k, 5);
            }
}

/* "2^31 rows and more for ROW_PER_BLOCK and SHARED_ROW", "SMALL_PRODUCTS refuses 2^31 elements and
 * more" */
Test(supported, great_products_of_gemm)
{
    static const size_t limit = (size_t)1 << 31;
    static const shape shapes[] = {{limit - 1, 1}, {limit, 1},     {1, limit - 1},
                                   {1, limit},     {46340, 46340}, {46341, 46341}};
    for (EACH_VARIANT(v, gemm))
        EACH (shape, s, shapes) {
            const bool has_type = gemm_rung_takes((prim_gemm_variant)v, CUDA_R_32F);
            const bool by_rows = v == PRIM_GEMM_ROW_PER_BLOCK || v == PRIM_GEMM_SHARED_ROW;
            const bool promised = has_type && (!by_rows || s->rows < limit) &&
                                  (v != PRIM_GEMM_SMALL_PRODUCTS || s->rows * s->columns < limit);
            cr_expect_eq(
                runs(prim_gemm((prim_gemm_variant)v, PRIM_NOT_TRANSPOSED, PRIM_NOT_TRANSPOSED, 1,
                               prim_matrix_of(CUDA_R_32F, NULL, s->rows, 2, 0),
                               prim_matrix_of(CUDA_R_32F, NULL, 2, s->columns, 0), 0,
                               prim_matrix_of(CUDA_R_32F, NULL, s->rows, s->columns, 0),
                               PRIM_COMPUTE_DEFAULT, asking())),
                promised, "variant %d, %zu × %zu", v, s->rows, s->columns);
        }
}

/* "WARP_TILED and the variants above it 2^31 products and more, the others more than 65,535². Of
 * halves and i8, AUTO refuses what these do." */
Test(supported, batches_of_gemm)
{
    const cudaDataType_t ins[] = {CUDA_R_32F, CUDA_R_64F, CUDA_R_32I, CUDA_R_16F, CUDA_R_8I},
                         outs[] = {CUDA_R_32F, CUDA_R_64F, CUDA_R_32I, CUDA_R_16F, CUDA_R_32I};
    const size_t most = 65535u * (size_t)65535u, limit = (size_t)1 << 31;
    for (size_t i = 0; i < COUNT_OF(ins); i++)
        for (EACH_VARIANT(v, gemm)) {
            const bool is_narrow = i >= 3, is_tiled = (int)v >= PRIM_GEMM_WARP_TILED;
            const bool has_types = gemm_rung_takes((prim_gemm_variant)v, ins[i]);
            const size_t batches[] = {limit - 1, limit, most, most + 1};
            for (size_t b = 0; b < COUNT_OF(batches); b++) {
                const bool fits = is_tiled || (is_narrow && v == PRIM_GEMM_AUTO)
                                      ? batches[b] < limit
                                      : batches[b] <= most;
                cr_expect_eq(runs(prim_gemm_batched(
                                 (prim_gemm_variant)v, PRIM_NOT_TRANSPOSED, PRIM_NOT_TRANSPOSED, 1,
                                 prim_matrix_of(ins[i], NULL, 1, 1, 0),
                                 prim_matrix_of(ins[i], NULL, 1, 1, 0), 0,
                                 in_batch(prim_matrix_of(outs[i], NULL, 1, 1, 0), 1), batches[b],
                                 PRIM_COMPUTE_DEFAULT, asking())),
                             has_types && fits, "variant %d, %s, %zu products", v, name_of(ins[i]),
                             batches[b]);
            }
        }
}

/* "CUDA_R_32F, CUDA_R_64F, and y the same: all variants", and the others: "AUTO, WARP_PER_ROW and
 * SPLIT"; "UNSUPPORTED also: WARP_PER_ROW with TRANSPOSED" */
static prim_status gemv_promise(prim_gemv_variant variant, prim_transpose op, cudaDataType_t a,
                                cudaDataType_t x, cudaDataType_t y)
{
    static const struct {
        cudaDataType_t in, out;
        bool in_all;
    } pairs[] = {{CUDA_R_32F, CUDA_R_32F, true},   {CUDA_R_64F, CUDA_R_64F, true},
                 {CUDA_R_32I, CUDA_R_32I, false},  {CUDA_R_16F, CUDA_R_16F, false},
                 {CUDA_R_16F, CUDA_R_32F, false},  {CUDA_R_16BF, CUDA_R_16BF, false},
                 {CUDA_R_16BF, CUDA_R_32F, false}, {CUDA_R_8I, CUDA_R_32I, false}};
    const bool is_tuned = gemv_rung_has(variant, TAKES_ALL_TYPES);
    for (size_t i = 0; i < COUNT_OF(pairs); i++)
        if (a == pairs[i].in && x == a && y == pairs[i].out) {
            if (variant == PRIM_GEMV_WARP_PER_ROW && op == PRIM_TRANSPOSED)
                return PRIM_ERROR_UNSUPPORTED;
            return pairs[i].in_all || is_tuned ? PRIM_OK : PRIM_ERROR_UNSUPPORTED;
        }
    return PRIM_ERROR_TYPE;
}

Test(supported, gemv)
{
    static const shape shapes[] = {{0, 5}, {5, 0}, {70, 33}, {100000, 3}, {3, 100000}};
    for (EACH_VARIANT(v, gemv))
        for (int op = PRIM_NOT_TRANSPOSED; op <= PRIM_TRANSPOSED; op++)
            EACH (shape, s, shapes)
                EACH (cudaDataType_t, a, all_types)
                    EACH (cudaDataType_t, x, all_types)
                        EACH (cudaDataType_t, y, all_types)
                            CHECK(
                                gemv_promise((prim_gemv_variant)v, (prim_transpose)op, *a, *x, *y),
                                prim_gemv((prim_gemv_variant)v, (prim_transpose)op, 1,
                                          prim_matrix_of(*a, NULL, s->rows, s->columns, 0),
                                          x_of((prim_transpose)op, *x, NULL, s->rows, s->columns),
                                          0,
                                          y_of((prim_transpose)op, *y, NULL, s->rows, s->columns),
                                          asking()),
                                "gemv %d, op %d, %zu × %zu of %s %s %s", v, op, s->rows, s->columns,
                                name_of(*a), name_of(*x), name_of(*y));
}

/* "AUTO, WARP_PER_ROW and SPLIT take batches; the other variants single products, so `batches`
 * = 1." */
static prim_status gemv_batch_promise(prim_gemv_variant variant, prim_transpose op,
                                      cudaDataType_t a, cudaDataType_t x, cudaDataType_t y,
                                      size_t batches)
{
    const prim_status promised = gemv_promise(variant, op, a, x, y);
    const bool takes_batches = gemv_rung_has(variant, TAKES_ALL_CALLS);
    return promised == PRIM_OK && !takes_batches && batches != 1 ? PRIM_ERROR_UNSUPPORTED
                                                                 : promised;
}

static void check_gemv_batch(prim_gemv_variant v, prim_transpose op, shape s, size_t batches)
{
    EACH (cudaDataType_t, a, all_types)
        EACH (cudaDataType_t, x, all_types)
            EACH (cudaDataType_t, y, all_types)
                CHECK(gemv_batch_promise(v, op, *a, *x, *y, batches),
                      prim_gemv_batched(v, op, 1, prim_matrix_of(*a, NULL, s.rows, s.columns, 0),
                                        x_of(op, *x, NULL, s.rows, s.columns), 0,
                                        one_behind_the_other(y_of(op, *y, NULL, s.rows, s.columns)),
                                        batches, asking()),
                      "%zu products by gemv %d, op %d, %zu × %zu of %s %s %s", batches, v, op,
                      s.rows, s.columns, name_of(*a), name_of(*x), name_of(*y));
}

Test(supported, gemv_batched)
{
    static const shape shapes[] = {{0, 5}, {5, 0}, {70, 33}, {3, 100000}};
    static const size_t batches[] = {0, 1, 2, 1000};
    for (EACH_VARIANT(v, gemv))
        for (int op = PRIM_NOT_TRANSPOSED; op <= PRIM_TRANSPOSED; op++)
            EACH (shape, s, shapes)
                EACH (size_t, b, batches)
                    check_gemv_batch((prim_gemv_variant)v, (prim_transpose)op, *s, *b);
}

/* "batches any number" */
Test(supported, gemv_of_any_number)
{
    static const size_t batches[] = {65535, 65536, (size_t)1 << 31, (size_t)1 << 33};
    EACH (size_t, b, batches)
        for (int op = PRIM_NOT_TRANSPOSED; op <= PRIM_TRANSPOSED; op++)
            cr_expect(runs(prim_gemv_batched(
                          PRIM_GEMV_AUTO, (prim_transpose)op, 1,
                          prim_matrix_of(CUDA_R_32F, NULL, 4, 3, 0),
                          x_of((prim_transpose)op, CUDA_R_32F, NULL, 4, 3), 0,
                          one_behind_the_other(y_of((prim_transpose)op, CUDA_R_32F, NULL, 4, 3)),
                          *b, asking())),
                      "%s", prim_last_error(NULL));
}

/* "PRIM_ERROR_UNSUPPORTED  variant is XNOR_…, and op is not PRIM_BINARY_DOT", and "variant is
 * XNOR_…, with any op"; "MMA before compute capability 8.0; WGMMA without a device of 9.0" */
static prim_status status_of_bits(prim_binary_gemm_variant variant, prim_binary_op op,
                                  bool is_layer)
{
    const bool is_xnor = variant >= PRIM_BINARY_GEMM_XNOR_GLOBAL &&
                         variant <= PRIM_BINARY_GEMM_XNOR_TILED_TRANSPOSED;
    if (is_xnor)
        return op == PRIM_BINARY_DOT && !is_layer ? PRIM_OK : PRIM_ERROR_UNSUPPORTED;
    const bool is_refused = (variant == PRIM_BINARY_GEMM_MMA && major_capability() < 8) ||
                            (variant == PRIM_BINARY_GEMM_WGMMA && major_capability() != 9);
    return is_refused ? PRIM_ERROR_UNSUPPORTED : PRIM_OK;
}

/* "k any number below 2^31" */
Test(supported, binary_gemm)
{
    static const size_t all_k[] = {0, 1, 31, 32, 33, 100000, 0x7fffffff, 0x80000000};
    for (EACH_VARIANT(v, binary_gemm))
        EACH (cudaDataType_t, type, all_types)
            EACH (size_t, k, all_k)
                for (int op = PRIM_BINARY_DOT; op <= PRIM_BINARY_AND + 1; op++) {
                    const prim_binary_gemm_variant variant = (prim_binary_gemm_variant)v;
                    const bool has_type = *type == CUDA_R_32I || *type == CUDA_R_32F;
                    const prim_bits a = prim_bits_of(NULL, 3, *k, 0),
                                    b = prim_bits_of(NULL, *k, 5, 0);
                    const prim_matrix c = prim_matrix_of(*type, NULL, 3, 5, 0);
                    const prim_status expected =
                        op > PRIM_BINARY_AND ? PRIM_ERROR_ENUM
                        : !has_type          ? PRIM_ERROR_TYPE
                        : *k == 0x80000000u  ? PRIM_ERROR_VALUE
                                             : status_of_bits(variant, (prim_binary_op)op, false);
                    if (op == PRIM_BINARY_DOT)
                        CHECK(expected, prim_binary_gemm(variant, a, b, c, asking()),
                              "binary_gemm %d, k %zu, %s", v, *k, name_of(*type));
                    CHECK(expected,
                          prim_binary_count(variant, (prim_binary_op)op, a, b, c, asking()),
                          "binary_count %d, op %d, k %zu, %s", v, op, *k, name_of(*type));
                }
}

/* "WGMMA … with 2^31 - 1024 or more rows or columns" */
Test(supported, binary_gemm_sides)
{
    const size_t too_many = 0x7ffffc00;
    const prim_binary_gemm_variant v = PRIM_BINARY_GEMM_WGMMA;
    const prim_status fits = status_of_bits(v, PRIM_BINARY_DOT, false);
    for (size_t side = too_many - 1; side <= too_many; side++) {
        const prim_status expected = side == too_many ? PRIM_ERROR_UNSUPPORTED : fits;
        CHECK(expected,
              prim_binary_gemm(v, prim_bits_of(NULL, side, 40, 0), prim_bits_of(NULL, 40, 5, 0),
                               prim_matrix_of(CUDA_R_32I, NULL, side, 5, 0), asking()),
              "%zu rows", side);
        CHECK(expected,
              prim_binary_gemm(v, prim_bits_of(NULL, 5, 40, 0), prim_bits_of(NULL, 40, side, 0),
                               prim_matrix_of(CUDA_R_32I, NULL, 5, side, 0), asking()),
              "%zu columns", side);
    }
}

Test(supported, binary_layer)
{
    for (EACH_VARIANT(v, binary_gemm))
        for (int op = PRIM_BINARY_DOT; op <= PRIM_BINARY_AND; op++)
            CHECK(status_of_bits((prim_binary_gemm_variant)v, (prim_binary_op)op, true),
                  prim_binary_layer((prim_binary_gemm_variant)v, (prim_binary_op)op,
                                    prim_bits_of(NULL, 3, 70, 0), prim_bits_of(NULL, 70, 35, 0),
                                    NULL, prim_bits_of(NULL, 3, 35, 0), asking()),
                  "binary_layer %d, op %d", v, op);
}

/* ---- convolution ---- */

/* "CONSTANT without h_values or with more than 8,000 of them, BASIC and TILED_… without d_values,
 * TILED_HALO with a side of more than 15, all of them with other types than f32, i32, u32 and
 * u8 → u8 under f32; TENSOR without h_values, with a side of more than 15, with other masks than of
 * integers, or before compute capability 8.0; SMALL without h_values or with more than 256 of them;
 * AUTO and REGISTER take every call" */
static bool is_convolved_by(prim_convolution_variant variant, cudaDataType_t in, cudaDataType_t out,
                            prim_mask mask)
{
    const bool textbook = in == out && (in == CUDA_R_32F || in == CUDA_R_32I || in == CUDA_R_32U ||
                                        (in == CUDA_R_8U && mask.type == CUDA_R_32F));
    const bool basic = textbook && mask.d_values != NULL;
    const bool constant = textbook && mask.h_values != NULL && mask.width * mask.height <= 8000;
    switch (variant) {
    case PRIM_CONVOLUTION_CONSTANT:
        return constant;
    case PRIM_CONVOLUTION_TILED_HALO:
        return basic && mask.width <= 15 && mask.height <= 15;
    case PRIM_CONVOLUTION_SMALL:
        return mask.h_values != NULL && mask.width * mask.height <= 256;
    case PRIM_CONVOLUTION_TENSOR:
        return (mask.type == CUDA_R_8I || mask.type == CUDA_R_16I) && mask.h_values != NULL &&
               mask.width <= 15 && mask.height <= 15 && major_capability() >= 8;
    default:
        return basic || convolution_rung_has(variant, TAKES_ALL_TYPES);
    }
}

/* "Types (in → out, mask, sum)" */
static prim_status convolution_promise(prim_convolution_variant variant, cudaDataType_t in,
                                       cudaDataType_t out, prim_mask mask)
{
    static const type_pair pairs[] = {
        {CUDA_R_32F, CUDA_R_32F}, {CUDA_R_64F, CUDA_R_64F}, {CUDA_R_16F, CUDA_R_32F},
        {CUDA_R_8U, CUDA_R_32F},  {CUDA_R_16U, CUDA_R_32F}, {CUDA_R_32I, CUDA_R_32I},
        {CUDA_R_32U, CUDA_R_32U}, {CUDA_R_8U, CUDA_R_8I},   {CUDA_R_8U, CUDA_R_16I}};
    if (!is_listed(pairs, COUNT_OF(pairs), in, mask.type) ||
        (out != in && !(in == CUDA_R_8U && out == CUDA_R_32F && mask.type == CUDA_R_32F)))
        return PRIM_ERROR_TYPE;
    if (mask.divisor != 0 && mask.divisor != 1 && mask.type != CUDA_R_8I && mask.type != CUDA_R_16I)
        return PRIM_ERROR_VALUE;
    if (mask.h_values == NULL && mask.d_values == NULL)
        return PRIM_ERROR_NULL;
    return is_convolved_by(variant, in, out, mask) ? PRIM_OK : PRIM_ERROR_UNSUPPORTED;
}

/* "AUTO and REGISTER, and SMALL with sides of up to 16 on the host; the others return
 * PRIM_ERROR_UNSUPPORTED" */
static void check_separable(prim_convolution_variant v, prim_boundary boundary, prim_image image,
                            prim_status promised, prim_mask row)
{
    prim_mask column = row;
    column.height = row.width;
    column.width = 1;
    if (promised == PRIM_OK && !convolution_rung_has(v, TAKES_ALL_CALLS) &&
        (v != PRIM_CONVOLUTION_SMALL || row.width > 16))
        promised = PRIM_ERROR_UNSUPPORTED;
    CHECK(promised,
          prim_convolve_separable(v, 0, boundary, NULL, image, row, column, image, asking()),
          "convolve_separable %d, boundary %d, %s, mask of %zu %s", v, boundary,
          name_of(image.type), row.width, name_of(row.type));
}

static void check_convolution(prim_convolution_variant v, prim_boundary boundary,
                              cudaDataType_t type, prim_mask mask)
{
    prim_image image = {NULL, 100, 60, 100 * 8 * 4, 3, type}, out = image;
    const prim_status promised = convolution_promise(v, type, type, mask);
    for (size_t t = 0; t < COUNT_OF(all_types); t++) {
        out.type = all_types[t];
        CHECK(convolution_promise(v, type, out.type, mask),
              prim_convolve_2d(v, 0, boundary, NULL, image, mask, out, asking()),
              "convolve_2d %d, boundary %d, %s → %s, mask of %zu × %zu %s", v, boundary,
              name_of(type), name_of(out.type), mask.width, mask.height, name_of(mask.type));
    }
    if (mask.height == 1)
        check_separable(v, boundary, image, promised, mask);
    if (mask.height == 1)
        CHECK(promised,
              prim_convolve_1d(v, 0, boundary, NULL, type, NULL, 1000, mask, NULL, asking()),
              "convolve_1d %d, boundary %d, %s, mask of %zu %s", v, boundary, name_of(type),
              mask.width, name_of(mask.type));
}

Test(supported, convolution)
{
    static const shape sides[] = {{1, 1},    {1, 15},   {15, 15},  {15, 16}, {16, 15},  {1, 16},
                                  {80, 100}, {100, 80}, {63, 127}, {1, 255}, {255, 255}};
    const void *const weights = weights_to_ask_with();
    for (EACH_VARIANT(v, convolution))
        for (int boundary = PRIM_BOUNDARY_CONSTANT; boundary <= PRIM_BOUNDARY_WRAP; boundary++)
            EACH (shape, s, sides)
                for (int where = 0; where < 4; where++)
                    EACH (cudaDataType_t, type, all_types)
                        EACH (cudaDataType_t, mask_type, all_types) {
                            prim_mask mask = {where & 1 ? weights : NULL,
                                              where & 2 ? weights : NULL,
                                              s->columns,
                                              s->rows,
                                              0,
                                              0,
                                              *mask_type,
                                              where % 2};
                            check_convolution((prim_convolution_variant)v, (prim_boundary)boundary,
                                              *type, mask);
                            mask.divisor = -7; /* of a whole mask, and of both parts of one */
                            if (where == 3)
                                check_convolution((prim_convolution_variant)v,
                                                  (prim_boundary)boundary, *type, mask);
                        }
}

/* ---- sparse ---- */

/* "a rung of the matrix's format, or PRIM_SPMV_AUTO": what is not here is named for its format. */
static bool is_of_format(prim_spmv_variant variant, prim_sparse_format format)
{
    static const char *const names[] = {"csr", "coo", "ell", "hyb", "jds", "sell"};
    switch (variant) {
    case PRIM_SPMV_AUTO:
        return true;
    case PRIM_SPMV_CSR_SCALAR:
    case PRIM_SPMV_CSR_VECTOR:
    case PRIM_SPMV_CSR_MERGE:
        return format == PRIM_SPARSE_CSR;
    case PRIM_SPMV_ELL:
        return format == PRIM_SPARSE_ELL;
    case PRIM_SPMV_COO_SCAN_ALL:
    case PRIM_SPMV_COO_SEGMENTED:
    case PRIM_SPMV_COO_TILED:
        return format == PRIM_SPARSE_COO;
    case PRIM_SPMV_HYB:
        return format == PRIM_SPARSE_HYB;
    case PRIM_SPMV_JDS:
        return format == PRIM_SPARSE_JDS;
    case PRIM_SPMV_SELL:
        return format == PRIM_SPARSE_SELL;
    default:
        return strncmp(prim_spmv_variant_info(variant)->name, names[format],
                       strlen(names[format])) == 0;
    }
}

/* Offsets have a type in CSR and SELL alone. */
static void check_spmv(prim_spmv_variant v, prim_sparse matrix, cudaDataType_t x, cudaDataType_t y)
{
    const cudaDataType_t value = matrix.value_type;
    const bool halves = value == CUDA_R_16F || value == CUDA_R_16BF,
               offsets = matrix.format == PRIM_SPARSE_CSR || matrix.format == PRIM_SPARSE_SELL;
    const bool typed =
        (value == CUDA_R_32F || value == CUDA_R_64F || halves) && y == x &&
        (x == value || (halves && x == CUDA_R_32F)) &&
        (!offsets || matrix.offset_type == CUDA_R_32I || matrix.offset_type == CUDA_R_64I);
    const bool textbook = !spmv_rung_has(v, TAKES_ALL_TYPES);
    CHECK(!typed                                                    ? PRIM_ERROR_TYPE
          : is_of_format(v, matrix.format) && !(textbook && halves) ? PRIM_OK
                                                                    : PRIM_ERROR_UNSUPPORTED,
          prim_spmv(v, 1, matrix, prim_vector_of(x, NULL, matrix.columns), 0,
                    prim_vector_of(y, NULL, matrix.rows), asking()),
          "spmv %d of format %d, %s with %s, x %s, y %s", v, matrix.format,
          name_of(matrix.value_type), name_of(matrix.offset_type), name_of(x), name_of(y));
}

Test(supported, spmv)
{
    static const prim_jds_group group = {0, 1000, 3, 0};
    prim_sparse m = {.rows = 1000,
                     .columns = 70,
                     .entries = 3000,
                     .ell_width = 3,
                     .ell_ld = 1000,
                     .h_groups = &group,
                     .group_count = 1};
    for (EACH_VARIANT(v, spmv))
        for (int format = PRIM_SPARSE_CSR; format <= PRIM_SPARSE_SELL; format++)
            EACH (cudaDataType_t, type, all_types)
                EACH (cudaDataType_t, offset_type, all_types)
                    EACH (cudaDataType_t, x, all_types) {
                        m.format = (prim_sparse_format)format;
                        m.value_type = *type;
                        m.offset_type = *offset_type;
                        check_spmv((prim_spmv_variant)v, m, *x, *type);
                        check_spmv((prim_spmv_variant)v, m, *type, *x);
                    }
}

/* The check has every format, and the types of a matrix. */
Test(supported, sparse_check)
{
    static const prim_jds_group group = {0, 1000, 3, 0};
    prim_sparse m = {.rows = 1000,
                     .columns = 70,
                     .entries = 3000,
                     .ell_width = 3,
                     .ell_ld = 1000,
                     .h_groups = &group,
                     .group_count = 1};
    for (int format = PRIM_SPARSE_CSR; format <= PRIM_SPARSE_SELL; format++)
        EACH (cudaDataType_t, type, all_types)
            EACH (cudaDataType_t, offset_type, all_types) {
                const bool offsets = format == PRIM_SPARSE_CSR || format == PRIM_SPARSE_SELL,
                           value = *type == CUDA_R_32F || *type == CUDA_R_64F ||
                                   *type == CUDA_R_16F || *type == CUDA_R_16BF,
                           offset = *offset_type == CUDA_R_32I || *offset_type == CUDA_R_64I;
                size_t bytes = 1;
                m.format = (prim_sparse_format)format;
                m.value_type = *type;
                m.offset_type = *offset_type;
                cr_expect_eq(asked_bytes(prim_sparse_check(m, NULL, asking()), &bytes),
                             value && (offset || !offsets) ? PRIM_OK : PRIM_ERROR_TYPE,
                             "format %d, %s with %s", format, name_of(*type),
                             name_of(*offset_type));
                cr_expect(bytes <= 4000, "more than 4 bytes a row");
            }
}

/* "from CSR to each format, and from each format to CSR", of every type */
static bool is_converted(prim_sparse_format from, prim_sparse_format to)
{
    return from == PRIM_SPARSE_CSR || to == PRIM_SPARSE_CSR;
}

static void check_conversion(prim_sparse m, prim_sparse_format to, cudaDataType_t offset_type)
{
    const bool from_offsets = m.format == PRIM_SPARSE_CSR || m.format == PRIM_SPARSE_SELL,
               to_offsets = to == PRIM_SPARSE_CSR || to == PRIM_SPARSE_SELL;
    const bool from_known = m.offset_type == CUDA_R_32I || m.offset_type == CUDA_R_64I,
               to_known = offset_type == CUDA_R_32I || offset_type == CUDA_R_64I;
    const bool value = m.value_type == CUDA_R_32F || m.value_type == CUDA_R_64F ||
                       m.value_type == CUDA_R_16F || m.value_type == CUDA_R_16BF;
    const bool typed = value && (from_known || !from_offsets);
    const prim_status size = prim_sparse_convert_size(m, to, 1, NULL, asking()),
                      all = prim_sparse_convert(m, to, offset_type, to != PRIM_SPARSE_ELL, 3200,
                                                NULL, 0, NULL, NULL, asking());
    const prim_status pair = is_converted(m.format, to) ? PRIM_OK : PRIM_ERROR_UNSUPPORTED;
    cr_expect_eq(size, typed ? pair : PRIM_ERROR_TYPE, "format %d to %d, %s", m.format, to,
                 name_of(m.value_type));
    cr_expect_eq(all, typed && (to_known || !to_offsets) ? pair : PRIM_ERROR_TYPE,
                 "format %d to %d, %s, %s", m.format, to, name_of(m.value_type),
                 name_of(offset_type));
}

Test(supported, sparse_convert)
{
    static const prim_jds_group group = {0, 1000, 3, 0};
    prim_sparse m = {.rows = 1000,
                     .columns = 70,
                     .entries = 3200,
                     .ell_width = 3,
                     .ell_ld = 1000,
                     .h_groups = &group,
                     .group_count = 1};
    for (int from = PRIM_SPARSE_CSR; from <= PRIM_SPARSE_SELL; from++)
        for (int to = PRIM_SPARSE_CSR; to <= PRIM_SPARSE_SELL; to++)
            EACH (cudaDataType_t, type, all_types)
                EACH (cudaDataType_t, offset_type, all_types) {
                    m.format = (prim_sparse_format)from;
                    m.value_type = *type;
                    m.offset_type = *offset_type;
                    check_conversion(m, (prim_sparse_format)to, CUDA_R_64I);
                    m.offset_type = CUDA_R_32I;
                    check_conversion(m, (prim_sparse_format)to, *offset_type);
                }
}

static bool is_sparse_value(cudaDataType_t type)
{
    return type == CUDA_R_32F || type == CUDA_R_64F || type == CUDA_R_16F || type == CUDA_R_16BF;
}

static bool is_sparse_offset(cudaDataType_t type)
{
    return type == CUDA_R_32I || type == CUDA_R_64I;
}

Test(supported, sparse_from_dense)
{
    EACH (cudaDataType_t, type, all_types)
        EACH (cudaDataType_t, offset_type, all_types) {
            const bool value = is_sparse_value(*type), offset = is_sparse_offset(*offset_type);
            cr_expect_eq(prim_sparse_from_dense_size(prim_matrix_of(*type, NULL, 100, 70, 0), NULL,
                                                     asking()),
                         value ? PRIM_OK : PRIM_ERROR_TYPE, "%s", name_of(*type));
            cr_expect_eq(prim_sparse_from_dense(prim_matrix_of(*type, NULL, 100, 70, 0),
                                                *offset_type, 500, NULL, 0, NULL, NULL, asking()),
                         value && offset ? PRIM_OK : PRIM_ERROR_TYPE, "%s, %s", name_of(*type),
                         name_of(*offset_type));
        }
}

/* CSR alone has a transposed one. */
Test(supported, sparse_transpose)
{
    static const prim_jds_group group = {0, 1000, 3, 0};
    prim_sparse m = {.rows = 1000,
                     .columns = 70,
                     .entries = 3200,
                     .ell_width = 3,
                     .ell_ld = 1000,
                     .h_groups = &group,
                     .group_count = 1};
    for (int format = PRIM_SPARSE_CSR; format <= PRIM_SPARSE_SELL; format++)
        EACH (cudaDataType_t, type, all_types)
            EACH (cudaDataType_t, offset_type, all_types) {
                const bool value = is_sparse_value(*type), offset = is_sparse_offset(*offset_type);
                m.format = (prim_sparse_format)format;
                m.value_type = *type;
                m.offset_type = CUDA_R_32I;
                cr_expect_eq(prim_sparse_transpose(m, *offset_type, NULL, 0, NULL, asking()),
                             !value || !offset           ? PRIM_ERROR_TYPE
                             : format == PRIM_SPARSE_CSR ? PRIM_OK
                                                         : PRIM_ERROR_UNSUPPORTED,
                             "format %d, %s, %s", format, name_of(*type), name_of(*offset_type));
            }
}

/* COO alone is sorted, with values of every type; it has no offsets. */
Test(supported, sparse_sort)
{
    static const prim_jds_group group = {0, 1000, 3, 0};
    prim_sparse m = {.rows = 1000,
                     .columns = 70,
                     .entries = 3200,
                     .offset_type = CUDA_R_32I,
                     .ell_width = 3,
                     .ell_ld = 1000,
                     .h_groups = &group,
                     .group_count = 1};
    for (int format = PRIM_SPARSE_CSR; format <= PRIM_SPARSE_SELL; format++)
        EACH (cudaDataType_t, type, all_types) {
            const prim_status expected = !is_sparse_value(*type)     ? PRIM_ERROR_TYPE
                                         : format == PRIM_SPARSE_COO ? PRIM_OK
                                                                     : PRIM_ERROR_UNSUPPORTED;
            m.format = (prim_sparse_format)format;
            m.value_type = *type;
            cr_expect_eq(prim_sparse_sort(m, NULL, 0, NULL, NULL, asking()), expected,
                         "format %d, %s", format, name_of(*type));
            cr_expect_eq(prim_sparse_sort(m, NULL, 0, NULL, NULL, asking()), expected,
                         "format %d, %s", format, name_of(*type));
        }
}

/* CSR alone has a plan, and products by it are of all types that CSR_MERGE takes. */
Test(supported, spmv_plan)
{
    static const prim_jds_group group = {0, 1000, 3, 0};
    prim_sparse m = {.rows = 1000,
                     .columns = 70,
                     .entries = 40000,
                     .ell_width = 3,
                     .ell_ld = 1000,
                     .h_groups = &group,
                     .group_count = 1};
    for (int format = PRIM_SPARSE_CSR; format <= PRIM_SPARSE_SELL; format++)
        EACH (cudaDataType_t, type, all_types)
            EACH (cudaDataType_t, offset_type, all_types) {
                const bool value = is_sparse_value(*type), offset = is_sparse_offset(*offset_type),
                           offsets = format == PRIM_SPARSE_CSR || format == PRIM_SPARSE_SELL;
                const prim_status expected = !value || (offsets && !offset) ? PRIM_ERROR_TYPE
                                             : format == PRIM_SPARSE_CSR    ? PRIM_OK
                                                                         : PRIM_ERROR_UNSUPPORTED;
                m.format = (prim_sparse_format)format;
                m.value_type = *type;
                m.offset_type = *offset_type;
                cr_expect_eq(prim_spmv_plan(m, NULL, 0, asking()), expected, "format %d, %s, %s",
                             format, name_of(*type), name_of(*offset_type));
                cr_expect_eq(prim_spmv_plan(m, NULL, 0, asking()), expected);
            }
    m.format = PRIM_SPARSE_CSR;
    m.offset_type = CUDA_R_32I;
    EACH (cudaDataType_t, type, all_types)
        EACH (cudaDataType_t, x_type, all_types)
            EACH (cudaDataType_t, y_type, all_types) {
                m.value_type = *type;
                cr_expect_eq(
                    prim_spmv_planned(1, m, NULL, 0, prim_vector_of(*x_type, NULL, m.columns), 0,
                                      prim_vector_of(*y_type, NULL, m.rows), asking()) == PRIM_OK,
                    runs(prim_spmv(PRIM_SPMV_CSR_MERGE, 1, m,
                                   prim_vector_of(*x_type, NULL, m.columns), 0,
                                   prim_vector_of(*y_type, NULL, m.rows), asking())),
                    "%s, %s, %s", name_of(*type), name_of(*x_type), name_of(*y_type));
            }
}

/* "rows and columns below 2^31" */
Test(supported, spmv_of_the_largest_matrices)
{
    const size_t limit = (size_t)1 << 31;
    for (int t = 0; t < 2; t++) {
        const cudaDataType_t type = t == 0 ? CUDA_R_32F : CUDA_R_64F;
        const prim_sparse m = {.rows = limit - 1,
                               .columns = limit - 1,
                               .entries = limit + 5,
                               .value_type = type,
                               .offset_type = CUDA_R_64I};
        prim_sparse wide = m, high = m;
        wide.columns = high.rows = limit;
        cr_expect(runs(prim_spmv(PRIM_SPMV_AUTO, 1, m, prim_vector_of(type, NULL, m.columns), 0,
                                 prim_vector_of(type, NULL, m.rows), asking())),
                  "%s", prim_last_error(NULL));
        cr_expect_not(
            runs(prim_spmv(PRIM_SPMV_AUTO, 1, wide, prim_vector_of(type, NULL, wide.columns), 0,
                           prim_vector_of(type, NULL, wide.rows), asking())));
        cr_expect_not(
            runs(prim_spmv(PRIM_SPMV_AUTO, 1, high, prim_vector_of(type, NULL, high.columns), 0,
                           prim_vector_of(type, NULL, high.rows), asking())));
    }
}
