/* Every pattern of one device beyond 2^32 elements, on a GPU with 70 GiB: an offset that is cut to
 * 32 bits, even unsigned, reads or writes what lies 2^32 before. Memory is set to one byte and gets
 * a few spots, of which some lie 2^32 apart and differ. Each call says on standard error how long
 * it took: rungs that would take more than a second or two are left out, by name. With BEYOND_BITS
 * of 16 in place of 32, the tests run anywhere, and see offsets that are cut to 16 bits. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <primitives/primitives.h>

#include "calls.h"
#include "rungs.h"
#include "stored.h"
#include "support.h"

#ifndef BEYOND_BITS
#define BEYOND_BITS 32
#endif

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))
#define BEYOND ((size_t)1 << BEYOND_BITS)
#define MORE (((size_t)1 << (10 + BEYOND_BITS * 5 / 16)) + 77) /* some tiles of any rung */
#define COUNT (BEYOND + MORE)                                  /* of vectors */
#define SIDE (((size_t)1 << BEYOND_BITS / 2) + 64)             /* of matrices and images: 65,600 */
#define AREA (SIDE * SIDE)

enum { WINDOW = 1 << 10 }; /* elements that are looked at, at each place of interest */

static void skip_if_small(void)
{
    if (BEYOND_BITS == 32 && (on_cpu_backend() || get_test_level() != LEVEL_FULL))
        cr_skip_test("beyond 2^32 elements: on a GPU at PRIM_TEST_LEVEL=full only");
}

/* ---- memory ---- */

static char *take(size_t bytes, int byte)
{
    void *d = NULL;
    if (cudaMalloc(&d, bytes) == cudaErrorMemoryAllocation)
        cr_skip_test("the device has too little memory for more than 2^32 elements");
    cr_cuda(cudaMemset(d, byte, bytes));
    return d;
}

static void give(char *d)
{
    cr_cuda(cudaFree(d));
}

static char *take_copy(const void *h, size_t bytes)
{
    char *const d = take(bytes, 0);
    cr_cuda(cudaMemcpy(d, h, bytes, cudaMemcpyHostToDevice));
    return d;
}

static void put(char *d, size_t at, const void *h, size_t bytes)
{
    cr_cuda(cudaMemcpy(d + at * bytes, h, bytes, cudaMemcpyHostToDevice));
}

static void get(void *h, const char *d, size_t bytes)
{
    cr_cuda(cudaMemcpy(h, d, bytes, cudaMemcpyDeviceToHost));
}

/* `count` times the same 32 bits: one, two, four, … */
static void fill_words(char *d, size_t count, uint32_t word)
{
    put(d, 0, &word, sizeof word);
    for (size_t done = 1; done < count; done *= 2)
        cr_cuda(cudaMemcpy(d + 4 * done, d, 4 * (count - done < done ? count - done : done),
                           cudaMemcpyDeviceToDevice));
}

/* ---- spots ---- */

/* Two pairs lie 2^32 apart; the last element of a vector is one, and the last of a matrix another.
 * No two have the same value. */
typedef struct spot {
    size_t at;
    int value;
} spot;

static const spot spots[] = {{5, 3},         {BEYOND / 2 + 5, 2}, {BEYOND - 1, 6}, {BEYOND + 5, 11},
                             {COUNT - 1, 7}, {MORE - 1, 4},       {AREA - 1, 9}};
enum { VECTOR_SPOTS = 6, SPOTS = COUNT_OF(spots) };

static void put_bytes(char *d, size_t count)
{
    for (size_t s = 0; s < SPOTS; s++) {
        const uint8_t value = (uint8_t)spots[s].value;
        if (spots[s].at < count)
            put(d, spots[s].at, &value, 1);
    }
}

static void put_words(char *d, size_t count, bool real)
{
    for (size_t s = 0; s < SPOTS; s++) {
        const int32_t whole = spots[s].value;
        const float number = (float)whole;
        if (spots[s].at < count)
            put(d, spots[s].at, real ? (const void *)&number : &whole, 4);
    }
}

/* The sum of the spots from `first` to before `end`. */
static uint64_t sum_of(size_t first, size_t end)
{
    uint64_t sum = 0;
    for (size_t s = 0; s < SPOTS; s++)
        if (spots[s].at >= first && spots[s].at < end)
            sum += (uint64_t)spots[s].value;
    return sum;
}

/* Calls look(first) for the window around an element, or for the first or last one. */
static void look_near(size_t at, size_t count, void (*look)(size_t first, const void *of),
                      const void *of)
{
    const size_t first = at < WINDOW / 2 ? 0 : at - WINDOW / 2;
    look(first + WINDOW < count ? first : count - WINDOW, of);
}

/* The same for both ends of `count` elements, and where each spot lies. */
static void for_windows(size_t count, void (*look)(size_t first, const void *of), const void *of)
{
    look_near(0, count, look, of);
    look_near(count, count, look, of);
    for (size_t s = 0; s < SPOTS; s++)
        look_near(spots[s].at, count, look, of);
}

static double number_at(const void *h, cudaDataType_t type, size_t i)
{
    return type == CUDA_R_32F ? read_float(type, h, i) : (double)(int64_t)read_integer(type, h, i);
}

/* What the tests rest on: something else lies where 32 bits would lead to. Runs everywhere. */
Test(beyond, spots_differ_from_what_a_cut_offset_finds)
{
    size_t beyond = 0;
    for (size_t s = 0; s < SPOTS; s++) {
        cr_assert((s < VECTOR_SPOTS) == (spots[s].at < COUNT) && spots[s].at < AREA);
        beyond += spots[s].at >= BEYOND;
        for (size_t t = 0; t < s; t++)
            cr_assert(spots[s].at != spots[t].at && spots[s].value != spots[t].value);
    }
    cr_assert_gt(beyond, 2);
    cr_assert_neq(sum_of(BEYOND, COUNT), sum_of(0, COUNT - BEYOND));
}

/* ---- time ---- */

static double seconds(void)
{
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Waits for a call, and says what it took. */
#define DONE(status, what, variant)                                                     \
    do {                                                                                \
        const double begin_ = seconds();                                                \
        const prim_status status_ = (status);                                           \
        cr_assert_eq(status_, PRIM_OK, "%s, %s: %s", what, (variant)->name,             \
                     prim_last_error(NULL));                                            \
        cr_cuda(cudaDeviceSynchronize());                                               \
        fprintf(stderr, "%s, %s: %.3f s\n", what, (variant)->name, seconds() - begin_); \
    } while (0)

/* Every variant v of a pattern. */
#define FOR_EACH(v, pattern)                                \
    for (size_t index_##v = 0; index_##v < 32; index_##v++) \
        for (const prim_variant *v = prim_##pattern##_variant_at(index_##v); v != NULL; v = NULL)

static const prim_variant only = {0, "only", ""};

/* ---- calls that only read: one vector of bytes for all ---- */

static void check_reduce(const char *d, char *d_out)
{
    uint64_t sum;
    FOR_EACH(v, reduce)
    {
        if (!runs(prim_reduce(v->value, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, CUDA_R_8U, NULL, COUNT,
                              CUDA_R_64U, NULL, asking())))
            continue;
        DONE(prim_reduce(v->value, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, CUDA_R_8U, d, COUNT,
                         CUDA_R_64U, d_out, NULL),
             "reduce", v);
        get(&sum, d_out, sizeof sum);
        cr_assert_eq(sum, sum_of(0, COUNT), "reduce, %s", v->name);
    }
}

static void check_arg(const char *d, char *d_out)
{
    FOR_EACH(v, reduce)
    {
        uint8_t value;
        uint64_t index;
        if (!runs(prim_arg_reduce(v->value, PRIM_OP_MAX, PRIM_TRANSFORM_NONE, CUDA_R_8U, NULL,
                                  COUNT, NULL, NULL, asking())))
            continue;
        DONE(prim_arg_reduce(v->value, PRIM_OP_MAX, PRIM_TRANSFORM_NONE, CUDA_R_8U, d, COUNT,
                             d_out + 8, (uint64_t *)(void *)d_out, NULL),
             "arg_reduce", v);
        get(&index, d_out, sizeof index);
        get(&value, d_out + 8, sizeof value);
        cr_assert(index == BEYOND + 5 && value == 11, "arg_reduce, %s: %llu", v->name,
                  (unsigned long long)index);
    }
}

static void check_dot(const char *d, char *d_out)
{
    uint64_t sum = 0, squares = 0;
    for (size_t s = 0; s < VECTOR_SPOTS; s++)
        squares += (uint64_t)(spots[s].value * spots[s].value);
    FOR_EACH(v, reduce)
    {
        if (!runs(prim_dot(v->value, CUDA_R_8U, NULL, NULL, COUNT, CUDA_R_64U, NULL, asking())))
            continue;
        DONE(prim_dot(v->value, CUDA_R_8U, d, d, COUNT, CUDA_R_64U, d_out, NULL), "dot", v);
        get(&sum, d_out, sizeof sum);
        cr_assert_eq(sum, squares, "dot, %s", v->name);
    }
}

static void check_segments(const char *d, char *d_out)
{
    const int64_t b = (int64_t)BEYOND, offsets[] = {0, b - 3, b + 2, b + 9, (int64_t)COUNT};
    enum { SEGMENTS = COUNT_OF(offsets) - 1 };
    uint64_t sums[SEGMENTS];
    char *const d_offsets = take_copy(offsets, sizeof offsets);
    FOR_EACH(v, reduce)
    {
        if (!runs(prim_reduce_segments(v->value, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, CUDA_R_8U, NULL,
                                       COUNT, (prim_segments){NULL, SEGMENTS, CUDA_R_64I},
                                       CUDA_R_64U, NULL, asking())))
            continue;
        DONE(prim_reduce_segments(v->value, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, CUDA_R_8U, d, COUNT,
                                  (prim_segments){d_offsets, SEGMENTS, CUDA_R_64I}, CUDA_R_64U,
                                  d_out, NULL),
             "reduce_segments", v);
        get(sums, d_out, sizeof sums);
        for (size_t s = 0; s < SEGMENTS; s++)
            cr_assert_eq(sums[s], sum_of((size_t)offsets[s], (size_t)offsets[s + 1]),
                         "reduce_segments, %s: segment %zu", v->name, s);
    }
    give(d_offsets);
}

/* Of a matrix, in `h`: the sums of the spots in each row, or in each column. */
static void sum_lines(uint64_t *h, bool columns)
{
    memset(h, 0, SIDE * sizeof *h);
    for (size_t s = 0; s < SPOTS; s++)
        h[columns ? spots[s].at % SIDE : spots[s].at / SIDE] += (uint64_t)spots[s].value;
}

static void check_lines(const uint64_t *expected, const char *d_out, const char *what)
{
    uint64_t *const h = malloc(SIDE * sizeof *h);
    get(h, d_out, SIDE * sizeof *h);
    for (size_t i = 0; i < SIDE; i++)
        cr_assert_eq(h[i], expected[i], "%s: line %zu", what, i);
    free(h);
}

static void check_rows_and_columns(const char *d, char *d_out)
{
    uint64_t *const expected = malloc(SIDE * sizeof *expected);
    FOR_EACH(v, reduce)
    {
        if (runs(prim_reduce_rows(v->value, PRIM_OP_SUM, PRIM_TRANSFORM_NONE,
                                  prim_matrix_of(CUDA_R_8U, NULL, SIDE, SIDE, 0), CUDA_R_64U, NULL,
                                  asking()))) {
            DONE(prim_reduce_rows(v->value, PRIM_OP_SUM, PRIM_TRANSFORM_NONE,
                                  prim_matrix_of(CUDA_R_8U, d, SIDE, SIDE, 0), CUDA_R_64U, d_out,
                                  NULL),
                 "reduce_rows", v);
            sum_lines(expected, false);
            check_lines(expected, d_out, v->name);
        }
        if (runs(prim_reduce_columns(v->value, PRIM_OP_SUM, PRIM_TRANSFORM_NONE,
                                     prim_matrix_of(CUDA_R_8U, NULL, SIDE, SIDE, 0), CUDA_R_64U,
                                     NULL, asking()))) {
            DONE(prim_reduce_columns(v->value, PRIM_OP_SUM, PRIM_TRANSFORM_NONE,
                                     prim_matrix_of(CUDA_R_8U, d, SIDE, SIDE, 0), CUDA_R_64U, d_out,
                                     NULL),
                 "reduce_columns", v);
            sum_lines(expected, true);
            check_lines(expected, d_out, v->name);
        }
    }
    free(expected);
}

/* Bins 0 … 14 of the values 1 … 15: each spot is alone in its own. Zeros, which would all meet in
 * one counter, lie outside. */
enum { BINS = 15 };
static const prim_histogram_range spot_range = {.lower = 1, .upper = 1 + BINS};

static void check_bins(const char *d_counters, cudaDataType_t type, size_t count, const char *what)
{
    uint64_t h[BINS], expected[BINS] = {0};
    for (size_t s = 0; s < SPOTS; s++)
        if (spots[s].at < count)
            expected[spots[s].value - 1]++;
    get(h, d_counters, BINS * type_bytes(type));
    for (size_t b = 0; b < BINS; b++)
        cr_assert_eq(read_integer(type, h, b), expected[b], "%s: bin %zu has %llu", what, b,
                     (unsigned long long)read_integer(type, h, b));
}

/* Some rungs have one width of counters only. */
static void check_even(const char *d, char *d_out)
{
    static const cudaDataType_t counters[] = {CUDA_R_32U, CUDA_R_64U};
    uint64_t outside[3];
    FOR_EACH(v, histogram)
    {
        for (size_t c = 0; c < COUNT_OF(counters); c++) {
            if (!runs(prim_histogram_even(v->value, spot_range, CUDA_R_8U, NULL, COUNT,
                                          (prim_counters){.bins = BINS, .type = counters[c]},
                                          asking())))
                continue;
            DONE(prim_histogram_even(
                     v->value, spot_range, CUDA_R_8U, d, COUNT,
                     (prim_counters){.data = d_out, .bins = BINS, .type = counters[c]}, NULL),
                 "histogram_even", v);
            check_bins(d_out, counters[c], COUNT, v->name);
        }
    }
    /* and a counter beyond 2^32 */
    DONE(prim_histogram_even(PRIM_HISTOGRAM_AUTO, spot_range, CUDA_R_8U, d, COUNT,
                             (prim_counters){.data = d_out,
                                             .bins = BINS,
                                             .type = CUDA_R_64U,
                                             .outside = PRIM_OUTSIDE_COUNT,
                                             .outside_data = d_out + sizeof(uint64_t[BINS])},
                             NULL),
         "histogram_even, zeros too", &only);
    check_bins(d_out, CUDA_R_64U, COUNT, "zeros too");
    get(outside, d_out + sizeof(uint64_t[BINS]), sizeof outside);
    cr_assert_eq(outside[0], COUNT - VECTOR_SPOTS);
}

static void check_edges(const char *d, char *d_out)
{
    int32_t edges[BINS + 1];
    for (int32_t e = 0; e <= BINS; e++)
        edges[e] = 1 + e;
    char *const d_edges = take_copy(edges, sizeof edges);
    FOR_EACH(v, histogram)
    {
        if (!runs(prim_histogram_edges(v->value, CUDA_R_8U, NULL, COUNT, CUDA_R_32I, NULL,
                                       (prim_counters){.bins = BINS, .type = CUDA_R_64U},
                                       asking())))
            continue;
        DONE(prim_histogram_edges(v->value, CUDA_R_8U, d, COUNT, CUDA_R_32I, d_edges,
                                  (prim_counters){.data = d_out, .bins = BINS, .type = CUDA_R_64U},
                                  NULL),
             "histogram_edges", v);
        check_bins(d_out, CUDA_R_64U, COUNT, v->name);
    }
    give(d_edges);
}

static void check_channels(char *d, char *d_out)
{
    const prim_image image = {d, SIDE, SIDE, SIDE, 1, CUDA_R_8U};
    FOR_EACH(v, histogram)
    {
        if (!runs(prim_histogram_even_channels(v->value, &spot_range, image,
                                               (prim_counters){.bins = BINS, .type = CUDA_R_64U},
                                               asking())))
            continue;
        DONE(prim_histogram_even_channels(
                 v->value, &spot_range, image,
                 (prim_counters){.data = d_out, .bins = BINS, .type = CUDA_R_64U}, NULL),
             "histogram_even_channels", v);
        check_bins(d_out, CUDA_R_64U, AREA, v->name);
    }
}

/* Weights of f32, of which only those of spots are not 0: twice the spot's value. */
static void check_weighted(const char *d, char *d_out)
{
    char *const d_weights = take(COUNT * sizeof(float), 0);
    for (size_t s = 0; s < VECTOR_SPOTS; s++) {
        const float weight = (float)(2 * spots[s].value);
        put(d_weights, spots[s].at, &weight, sizeof weight);
    }
    FOR_EACH(v, histogram)
    {
        float sums[BINS], expected[BINS] = {0};
        if (!runs(prim_histogram_even_weighted(
                v->value, spot_range, CUDA_R_8U, NULL, COUNT, NULL, NULL,
                (prim_counters){.bins = BINS, .type = CUDA_R_32F}, asking())))
            continue;
        DONE(prim_histogram_even_weighted(
                 v->value, spot_range, CUDA_R_8U, d, COUNT, d_weights, NULL,
                 (prim_counters){.data = d_out, .bins = BINS, .type = CUDA_R_32F}, NULL),
             "histogram_even_weighted", v);
        for (size_t s = 0; s < VECTOR_SPOTS; s++)
            expected[spots[s].value - 1] = (float)(2 * spots[s].value);
        get(sums, d_out, sizeof sums);
        for (size_t b = 0; b < BINS; b++)
            cr_assert_eq(sums[b], expected[b], "%s: bin %zu has %g", v->name, b, (double)sums[b]);
    }
    give(d_weights);
}

static void check_gather(const char *d, char *d_out)
{
    uint64_t indices[SPOTS];
    uint8_t values[SPOTS];
    for (size_t s = 0; s < SPOTS; s++)
        indices[s] = spots[s].at;
    char *const d_indices = take_copy(indices, sizeof indices);
    DONE(prim_gather(1, d, AREA, CUDA_R_64U, d_indices, SPOTS, d_out, NULL), "gather", &only);
    get(values, d_out, sizeof values);
    for (size_t s = 0; s < SPOTS; s++)
        cr_assert_eq(values[s], spots[s].value, "gather: spot %zu", s);
    give(d_indices);
}

Test(beyond, reductions_and_histograms)
{
    skip_if_small();
    char *const d = take(AREA, 0), *const d_out = take(SIDE * sizeof(uint64_t), 0xA5);
    put_bytes(d, AREA);
    check_reduce(d, d_out);
    check_arg(d, d_out);
    check_dot(d, d_out);
    check_segments(d, d_out);
    check_rows_and_columns(d, d_out);
    check_even(d, d_out);
    check_edges(d, d_out);
    check_channels(d, d_out);
    check_weighted(d, d_out);
    check_gather(d, d_out);
    give(d);
    give(d_out);
}

/* ---- scans, in place ---- */

typedef struct scanned {
    const char *d, *name;
    cudaDataType_t type;
    uint64_t (*right)(size_t i);
} scanned;

static uint64_t right_of_vector(size_t i)
{
    return sum_of(0, i + 1);
}

static uint64_t right_of_row(size_t i)
{
    return sum_of(i / SIDE * SIDE, i + 1);
}

static uint64_t right_of_both(size_t i)
{
    uint64_t sum = 0;
    for (size_t s = 0; s < SPOTS; s++)
        if (spots[s].at / SIDE <= i / SIDE && spots[s].at % SIDE <= i % SIDE)
            sum += (uint64_t)spots[s].value;
    return sum;
}

static void look_at_scan(size_t first, const void *of)
{
    const scanned *const s = of;
    uint32_t h[WINDOW];
    const size_t bytes = type_bytes(s->type);
    get(h, s->d + first * bytes, WINDOW * bytes);
    for (size_t i = 0; i < WINDOW; i++)
        cr_assert_eq(number_at(h, s->type, i), (double)s->right(first + i), "%s: element %zu",
                     s->name, first + i);
}

static void set_spots(char *d, size_t count, cudaDataType_t type)
{
    cr_cuda(cudaMemset(d, 0, count * type_bytes(type)));
    if (type == CUDA_R_8U)
        put_bytes(d, count);
    else
        put_words(d, count, type == CUDA_R_32F);
}

static bool scans(int variant, cudaDataType_t type)
{
    return runs(prim_scan(variant, PRIM_SCAN_INCLUSIVE, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, type,
                          NULL, COUNT, type, NULL, NULL, asking()));
}

/* CHAINED takes floats only. */
static void check_scan(char *d, cudaDataType_t wanted, char *d_total)
{
    FOR_EACH(v, scan)
    {
        const cudaDataType_t type =
            wanted == CUDA_R_32I && !scans(v->value, wanted) ? CUDA_R_32F : wanted;
        uint32_t total = 0;
        if (!scans(v->value, type))
            continue;
        set_spots(d, COUNT, type);
        DONE(prim_scan(v->value, PRIM_SCAN_INCLUSIVE, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, type, d,
                       COUNT, type, d, &(prim_scan_ends){.total = d_total}, NULL),
             "scan", v);
        for_windows(COUNT, look_at_scan, &(scanned){d, v->name, type, right_of_vector});
        get(&total, d_total, type_bytes(type));
        cr_assert_eq(number_at(&total, type, 0), (double)sum_of(0, COUNT), "%s: the total",
                     v->name);
    }
}

static void check_scans_of_matrices(char *d)
{
    FOR_EACH(v, scan)
    {
        if (runs(prim_scan_rows(v->value, PRIM_SCAN_INCLUSIVE, PRIM_OP_SUM, PRIM_TRANSFORM_NONE,
                                prim_matrix_of(CUDA_R_8U, NULL, SIDE, SIDE, 0),
                                prim_matrix_of(CUDA_R_8U, NULL, SIDE, SIDE, 0), NULL, asking()))) {
            set_spots(d, AREA, CUDA_R_8U);
            DONE(prim_scan_rows(v->value, PRIM_SCAN_INCLUSIVE, PRIM_OP_SUM, PRIM_TRANSFORM_NONE,
                                prim_matrix_of(CUDA_R_8U, d, SIDE, SIDE, 0),
                                prim_matrix_of(CUDA_R_8U, d, SIDE, SIDE, 0), NULL, NULL),
                 "scan_rows", v);
            for_windows(AREA, look_at_scan, &(scanned){d, v->name, CUDA_R_8U, right_of_row});
        }
        if (runs(prim_scan_2d(v->value, PRIM_OP_SUM, PRIM_TRANSFORM_NONE,
                              prim_matrix_of(CUDA_R_8U, NULL, SIDE, SIDE, 0),
                              prim_matrix_of(CUDA_R_8U, NULL, SIDE, SIDE, 0), asking()))) {
            set_spots(d, AREA, CUDA_R_8U);
            DONE(prim_scan_2d(v->value, PRIM_OP_SUM, PRIM_TRANSFORM_NONE,
                              prim_matrix_of(CUDA_R_8U, d, SIDE, SIDE, 0),
                              prim_matrix_of(CUDA_R_8U, d, SIDE, SIDE, 0), NULL),
                 "scan_2d", v);
            for_windows(AREA, look_at_scan, &(scanned){d, v->name, CUDA_R_8U, right_of_both});
        }
    }
}

Test(beyond, scans)
{
    skip_if_small();
    char *const d_total = take(sizeof(uint64_t), 0);
    char *d = take(AREA, 0);
    check_scan(d, CUDA_R_8U, d_total);
    check_scans_of_matrices(d);
    give(d);
    d = take(COUNT * sizeof(int32_t), 0);
    check_scan(d, CUDA_R_32I, d_total);
    give(d);
    give(d_total);
}

/* ---- merges and sorts of bytes ---- */

/* How many keys there are of each value: what comes out in order. */
typedef struct ordered {
    const char *d, *name;
    size_t of_value[256];
    prim_order order;
} ordered;

static uint8_t key_at(const ordered *o, size_t i)
{
    for (unsigned k = 0; k < 256; k++) {
        const unsigned value = o->order == PRIM_ASCENDING ? k : 255 - k;
        if (i < o->of_value[value])
            return (uint8_t)value;
        i -= o->of_value[value];
    }
    cr_assert_fail("no such key");
    return 0;
}

static void look_at_keys(size_t first, const void *of)
{
    const ordered *const o = of;
    uint8_t h[WINDOW];
    get(h, o->d + first, WINDOW);
    for (size_t i = 0; i < WINDOW; i++)
        cr_assert_eq(h[i], key_at(o, first + i), "%s: key %zu is %u", o->name, first + i, h[i]);
}

static void set_keys(char *d, ordered *o, size_t first, size_t end, uint8_t key)
{
    cr_cuda(cudaMemset(d + first, key, end - first));
    o->of_value[key] += end - first;
}

/* Of a all keys after the 2^32nd are greater than those before. */
static const uint8_t few_keys[] = {0, 1, 5, 9, 12};
enum { FEW = COUNT_OF(few_keys) };

static ordered set_merge(char *d_a)
{
    ordered o = {.order = PRIM_ASCENDING};
    set_keys(d_a, &o, 0, BEYOND + 5, 1);
    set_keys(d_a, &o, BEYOND + 5, COUNT, 9);
    for (size_t i = 0; i < FEW; i++)
        o.of_value[few_keys[i]]++;
    return o;
}

static void check_merge(const char *d_a, const char *d_b, char *d_out, ordered *o)
{
    FOR_EACH(v, merge)
    {
        if (!runs(prim_merge(v->value, PRIM_ASCENDING, CUDA_R_8U, NULL, COUNT, NULL, FEW, NULL,
                             asking())))
            continue;
        cr_cuda(cudaMemset(d_out, 0xA5, COUNT + FEW));
        DONE(prim_merge(v->value, PRIM_ASCENDING, CUDA_R_8U, d_a, COUNT, d_b, FEW, d_out, NULL),
             "merge", v);
        o->d = d_out;
        o->name = v->name;
        for_windows(COUNT + FEW, look_at_keys, o);
    }
}

/* Diagonals where a's keys change: the few ones go in between. */
static void check_co_ranks(const char *d_a, const char *d_b, char *d_out)
{
    const uint64_t diagonals[] = {BEYOND + 5, BEYOND + 8, BEYOND + 10, COUNT + FEW};
    const uint64_t of_a[] = {BEYOND + 4, BEYOND + 5, BEYOND + 7, COUNT};
    uint64_t ranks[2 * COUNT_OF(of_a)];
    const void *runs[] = {d_a, d_b};
    const size_t counts[] = {COUNT, FEW};
    char *const d_diagonals = take_copy(diagonals, sizeof diagonals);
    DONE(prim_co_rank(PRIM_ASCENDING, CUDA_R_8U, d_a, COUNT, d_b, FEW,
                      (const uint64_t *)(void *)d_diagonals, COUNT_OF(of_a),
                      (uint64_t *)(void *)d_out, NULL),
         "co_rank", &only);
    get(ranks, d_out, sizeof of_a);
    for (size_t i = 0; i < COUNT_OF(of_a); i++)
        cr_assert_eq(ranks[i], of_a[i], "co_rank: diagonal %zu", i);
    DONE(prim_co_ranks(PRIM_ASCENDING, CUDA_R_8U, 2, runs, counts,
                       (const uint64_t *)(void *)d_diagonals, COUNT_OF(of_a),
                       (uint64_t *)(void *)d_out, NULL),
         "co_ranks", &only);
    get(ranks, d_out, sizeof ranks);
    for (size_t i = 0; i < COUNT_OF(of_a); i++)
        cr_assert(ranks[2 * i] == of_a[i] && ranks[2 * i + 1] == diagonals[i] - of_a[i],
                  "co_ranks: diagonal %zu", i);
    give(d_diagonals);
}

static void check_is_sorted(char *d_a, char *d_out)
{
    static const uint8_t keys[] = {9, 8, 9};
    for (uint32_t sorted = 0; sorted < 2; sorted++) {
        uint32_t answer;
        put(d_a, COUNT - 2, &keys[sorted == 0], 1); /* 8 between nines, and then 9 again */
        DONE(prim_is_sorted(PRIM_ASCENDING, CUDA_R_8U, d_a, COUNT, (uint32_t *)(void *)d_out, NULL),
             "is_sorted", &only);
        get(&answer, d_out, sizeof answer);
        cr_assert_eq(answer, sorted);
    }
}

/* The values of those keys that are alone of their kind. */
static void check_values(const char *d_values, const ordered *o, const spot *keys, size_t count,
                         const char *what)
{
    for (size_t k = 0; k < count; k++) {
        uint32_t value = 0;
        size_t place = 0;
        for (int before = 0; before < keys[k].value; before++)
            place += o->of_value[before];
        get(&value, d_values + 4 * place, sizeof value);
        cr_assert_eq(value, 100 + (uint32_t)keys[k].value, "%s: the value of key %d, at %zu", what,
                     keys[k].value, place);
    }
}

static void set_values(char *d_values, const spot *keys, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        const uint32_t value = 100 + (uint32_t)keys[k].value;
        put(d_values, keys[k].at, &value, sizeof value);
    }
}

static void check_merge_pairs(char *d_a, const char *d_b, char *d_out, ordered *o)
{
    const spot last[] = {{COUNT - 1, 10}}, of_b[] = {{0, 0}, {2, 5}, {4, 12}};
    const uint8_t key = 10;
    put(d_a, COUNT - 1, &key, 1);
    o->of_value[9]--;
    o->of_value[10]++;
    char *const d_values = take(COUNT * 4, 0), *const d_few = take(FEW * 4, 0),
                *const d_out_values = take((COUNT + FEW) * 4, 0xA5);
    set_values(d_values, last, 1);
    set_values(d_few, of_b, COUNT_OF(of_b));
    DONE(prim_merge_pairs(PRIM_MERGE_AUTO, PRIM_ASCENDING, CUDA_R_8U, 4,
                          (prim_keys){d_a, d_values, COUNT}, (prim_keys){d_b, d_few, FEW}, d_out,
                          d_out_values, NULL),
         "merge_pairs", &only);
    o->d = d_out;
    o->name = "merge_pairs";
    for_windows(COUNT + FEW, look_at_keys, o);
    check_values(d_out_values, o, last, 1, "merge_pairs");
    check_values(d_out_values, o, of_b, COUNT_OF(of_b), "merge_pairs");
    give(d_values);
    give(d_few);
    give(d_out_values);
}

Test(beyond, merges)
{
    skip_if_small();
    char *const d_a = take(COUNT, 0), *const d_out = take(COUNT + FEW, 0);
    char *const d_b = take_copy(few_keys, sizeof few_keys);
    ordered o = set_merge(d_a);
    check_merge(d_a, d_b, d_out, &o);
    check_co_ranks(d_a, d_b, d_out);
    check_is_sorted(d_a, d_out);
    check_merge_pairs(d_a, d_b, d_out, &o);
    give(d_a);
    give(d_b);
    give(d_out);
}

/* Two runs in the wrong order, and spots. */
static ordered set_sort(char *d, prim_order order)
{
    ordered o = {.d = d, .order = order};
    const uint8_t first = order == PRIM_ASCENDING ? 20 : 1, then = order == PRIM_ASCENDING ? 1 : 20;
    set_keys(d, &o, 0, BEYOND / 2 + 9, first);
    set_keys(d, &o, BEYOND / 2 + 9, COUNT, then);
    for (size_t s = 0; s < VECTOR_SPOTS; s++) {
        o.of_value[spots[s].at < BEYOND / 2 + 9 ? first : then]--;
        o.of_value[spots[s].value]++;
    }
    put_bytes(d, COUNT);
    return o;
}

Test(beyond, sorts)
{
    skip_if_small();
    char *const d = take(COUNT, 0);
    FOR_EACH(v, merge)
    {
        if (!runs(
                prim_merge_sort(v->value, PRIM_ASCENDING, CUDA_R_8U, NULL, COUNT, NULL, asking())))
            continue; /* BITONIC sorts up to 4096 keys */
        ordered o = set_sort(d, v->value % 2 == 0 ? PRIM_ASCENDING : PRIM_DESCENDING);
        DONE(prim_merge_sort(v->value, o.order, CUDA_R_8U, d, COUNT, d, NULL), "merge_sort", v);
        o.name = v->name;
        for_windows(COUNT, look_at_keys, &o);
    }
    char *const d_values = take(COUNT * 4, 0);
    FOR_EACH(v, merge)
    {
        if (!runs(prim_merge_sort_pairs(v->value, PRIM_ASCENDING, CUDA_R_8U, 4,
                                        (prim_keys){NULL, NULL, COUNT}, NULL, NULL, asking())))
            continue;
        ordered o = set_sort(d, PRIM_ASCENDING);
        cr_cuda(cudaMemset(d_values, 0, COUNT * 4));
        set_values(d_values, spots, VECTOR_SPOTS);
        DONE(prim_merge_sort_pairs(v->value, PRIM_ASCENDING, CUDA_R_8U, 4,
                                   (prim_keys){d, d_values, COUNT}, d, d_values, NULL),
             "merge_sort_pairs", v);
        o.name = v->name;
        for_windows(COUNT, look_at_keys, &o);
        check_values(d_values, &o, spots, VECTOR_SPOTS, v->name);
    }
    give(d_values);
    give(d);
}

/* ---- dense products ---- */

enum { THIN = 8 }; /* the other side of a product with the great matrix */

static int factor(size_t i, size_t j)
{
    return (int)((3 * i + 5 * j) % 11) - 5;
}

/* rows × columns of factor(), in i8 or f32. */
static char *take_factors(size_t rows, size_t columns, cudaDataType_t type)
{
    char *const h = malloc(rows * columns * type_bytes(type));
    for (size_t i = 0; i < rows * columns; i++) {
        const int value = factor(i / columns, i % columns);
        if (type == CUDA_R_32F)
            write_float(type, h, i, value);
        else
            write_integer(type, h, i, (uint64_t)value);
    }
    char *const d = take_copy(h, rows * columns * type_bytes(type));
    free(h);
    return d;
}

/* A call with the great matrix as A, as it is or transposed, or as B. */
typedef struct great {
    const char *name;
    prim_transpose op;
    bool is_b;
} great;

static const great greats[] = {{"gemm, A", PRIM_NOT_TRANSPOSED, false},
                               {"gemm, A transposed", PRIM_TRANSPOSED, false},
                               {"gemm, B", PRIM_NOT_TRANSPOSED, true},
                               {"gemm, B transposed", PRIM_TRANSPOSED, true}};

/* Element `inner, outer` of the great matrix with its op applied adds to row or column `outer` of
 * C. */
static void check_great(const great *g, const char *d_c, cudaDataType_t type, const char *by)
{
    double *const right = calloc(SIDE * THIN, sizeof *right);
    char *const h = malloc(SIDE * THIN * 4);
    for (size_t s = 0; s < SPOTS; s++) {
        const size_t row = spots[s].at / SIDE, column = spots[s].at % SIDE;
        const bool turned = (g->op == PRIM_TRANSPOSED) != g->is_b;
        const size_t outer = turned ? column : row, inner = turned ? row : column;
        for (size_t t = 0; t < THIN; t++)
            right[g->is_b ? t * SIDE + outer : outer * THIN + t] +=
                spots[s].value * (g->is_b ? factor(t, inner) : factor(inner, t));
    }
    get(h, d_c, SIDE * THIN * 4);
    for (size_t i = 0; i < SIDE * THIN; i++)
        cr_assert_eq(number_at(h, type, i), right[i], "%s, %s: element %zu is %g, not %g", g->name,
                     by, i, number_at(h, type, i), right[i]);
    free(right);
    free(h);
}

/* Of eight rows, these two would give each to one block, for seconds. */
static bool is_slow(const great *g, int variant)
{
    return g->is_b && (variant == PRIM_GEMM_ROW_PER_BLOCK || variant == PRIM_GEMM_SHARED_ROW);
}

static void check_gemm(const char *d_great, cudaDataType_t in, cudaDataType_t out)
{
    char *const d_tall = take_factors(SIDE, THIN, in), *const d_wide = take_factors(THIN, SIDE, in);
    char *const d_c = take(SIDE * THIN * 4, 0xA5);
    for (size_t g = 0; g < COUNT_OF(greats); g++)
        FOR_EACH(v, gemm)
        {
            const bool is_b = greats[g].is_b;
            const prim_transpose op_a = is_b ? PRIM_NOT_TRANSPOSED : greats[g].op,
                                 op_b = is_b ? greats[g].op : PRIM_NOT_TRANSPOSED;
            const size_t m = is_b ? THIN : SIDE, n = is_b ? SIDE : THIN;
            if (is_slow(&greats[g], v->value) ||
                !runs(prim_gemm(v->value, op_a, op_b, 1, stored(op_a, in, NULL, m, SIDE, 0),
                                stored(op_b, in, NULL, SIDE, n, 0), 0,
                                prim_matrix_of(out, NULL, m, n, 0), PRIM_COMPUTE_DEFAULT,
                                asking())))
                continue;
            DONE(prim_gemm(v->value, op_a, op_b, 1,
                           stored(op_a, in, is_b ? d_wide : d_great, m, SIDE, SIDE),
                           stored(op_b, in, is_b ? d_great : d_tall, SIDE, n, n), 0,
                           prim_matrix_of(out, d_c, m, n, 0), PRIM_COMPUTE_DEFAULT, NULL),
                 greats[g].name, v);
            check_great(&greats[g], d_c, out, v->name);
        }
    give(d_tall);
    give(d_wide);
    give(d_c);
}

/* A great C of two steps along k: whole rows of it at both ends, and around the 2^32nd element. */
static void check_great_c(void)
{
    enum { STEPS = 2 };
    static const size_t rows[] = {0, 1, BEYOND / SIDE - 1, BEYOND / SIDE, SIDE - 1};
    char *const d_a = take_factors(SIDE, STEPS, CUDA_R_32F),
                *const d_b = take_factors(STEPS, SIDE, CUDA_R_32F),
                *const d_c = take(AREA * sizeof(float), 0);
    float *const h = malloc(SIDE * sizeof *h);
    FOR_EACH(v, gemm)
    {
        if (!gemm_rung_takes(v->value, CUDA_R_32F) ||
            (BEYOND_BITS == 32 && v->value == PRIM_GEMM_SMALL_PRODUCTS))
            continue; /* the latter refuses 2^31 elements */
        cr_cuda(cudaMemset(d_c, 0xA5, AREA * sizeof(float)));
        DONE(prim_gemm(v->value, PRIM_NOT_TRANSPOSED, PRIM_NOT_TRANSPOSED, 1,
                       prim_matrix_of(CUDA_R_32F, d_a, SIDE, STEPS, 0),
                       prim_matrix_of(CUDA_R_32F, d_b, STEPS, SIDE, 0), 0,
                       prim_matrix_of(CUDA_R_32F, d_c, SIDE, SIDE, 0), PRIM_COMPUTE_DEFAULT, NULL),
             "gemm, C", v);
        for (size_t r = 0; r < COUNT_OF(rows); r++) {
            get(h, d_c + rows[r] * SIDE * sizeof *h, SIDE * sizeof *h);
            for (size_t column = 0; column < SIDE; column++) {
                int sum = 0;
                for (size_t step = 0; step < STEPS; step++)
                    sum += factor(rows[r], step) * factor(step, column);
                cr_assert_eq(h[column], (float)sum, "gemm, C, %s: %zu, %zu", v->name, rows[r],
                             column);
            }
        }
    }
    free(h);
    give(d_a);
    give(d_b);
    give(d_c);
}

static void check_gemv(const char *d_great)
{
    char *const d_x = take_factors(SIDE, 1, CUDA_R_32F), *const d_y = take(SIDE * 4, 0xA5);
    float *const h = malloc(SIDE * sizeof *h);
    double *const right = malloc(SIDE * sizeof *right);
    for (int op = PRIM_NOT_TRANSPOSED; op <= PRIM_TRANSPOSED; op++) {
        const bool turned = op == PRIM_TRANSPOSED;
        memset(right, 0, SIDE * sizeof *right);
        for (size_t s = 0; s < SPOTS; s++) {
            const size_t row = spots[s].at / SIDE, column = spots[s].at % SIDE;
            right[turned ? column : row] += spots[s].value * factor(turned ? row : column, 0);
        }
        FOR_EACH(v, gemv)
        {
            if (!runs(prim_gemv(v->value, (prim_transpose)op, 1,
                                prim_matrix_of(CUDA_R_32F, NULL, SIDE, SIDE, 0),
                                prim_vector_of(CUDA_R_32F, NULL, SIDE), 0,
                                prim_vector_of(CUDA_R_32F, NULL, SIDE), asking())))
                continue;
            DONE(prim_gemv(v->value, (prim_transpose)op, 1,
                           prim_matrix_of(CUDA_R_32F, d_great, SIDE, SIDE, 0),
                           prim_vector_of(CUDA_R_32F, d_x, SIDE), 0,
                           prim_vector_of(CUDA_R_32F, d_y, SIDE), NULL),
                 turned ? "gemv, transposed" : "gemv", v);
            get(h, d_y, SIDE * sizeof *h);
            for (size_t i = 0; i < SIDE; i++)
                cr_assert_eq(h[i], (float)right[i], "gemv, op %d, %s: element %zu", op, v->name, i);
        }
    }
    free(h);
    free(right);
    give(d_x);
    give(d_y);
}

/* Two small products whose A lie 2^32 elements apart: one spot in the first row of each. */
static void check_batches(const char *d_great)
{
    enum { SMALL = 16 };
    char *const d_b = take_factors(SMALL, SMALL, CUDA_R_32F), *const d_c =
                                                                  take(2 * SMALL * SMALL * 4, 0xA5);
    float h[2 * SMALL * SMALL];
    FOR_EACH(v, gemm)
    {
        if (!gemm_rung_takes(v->value, CUDA_R_32F))
            continue;
        DONE(prim_gemm_batched(
                 v->value, PRIM_NOT_TRANSPOSED, PRIM_NOT_TRANSPOSED, 1,
                 in_batch(prim_matrix_of(CUDA_R_32F, d_great, SMALL, SMALL, 0), BEYOND),
                 prim_matrix_of(CUDA_R_32F, d_b, SMALL, SMALL, 0), 0,
                 in_batch(prim_matrix_of(CUDA_R_32F, d_c, SMALL, SMALL, 0), SMALL * SMALL), 2,
                 PRIM_COMPUTE_DEFAULT, NULL),
             "gemm_batched", v);
        get(h, d_c, sizeof h);
        for (size_t c = 0; c < SMALL; c++)
            cr_assert(h[c] == (float)(3 * factor(5, c)) &&
                          h[SMALL * SMALL + c] == (float)(11 * factor(5, c)),
                      "gemm_batched, %s: column %zu", v->name, c);
    }
    FOR_EACH(v, gemv)
    {
        if (!runs(prim_gemv_batched(
                v->value, PRIM_NOT_TRANSPOSED, 1, prim_matrix_of(CUDA_R_32F, NULL, SMALL, SMALL, 0),
                prim_vector_of(CUDA_R_32F, NULL, SMALL), 0,
                one_behind_the_other(prim_vector_of(CUDA_R_32F, NULL, SMALL)), 2, asking())))
            continue;
        DONE(prim_gemv_batched(
                 v->value, PRIM_NOT_TRANSPOSED, 1,
                 in_batch(prim_matrix_of(CUDA_R_32F, d_great, SMALL, SMALL, 0), BEYOND),
                 prim_vector_of(CUDA_R_32F, d_b, SMALL), 0,
                 vector_in_batch(prim_vector_of(CUDA_R_32F, d_c, SMALL), SMALL), 2, NULL),
             "gemv_batched", v);
        get(h, d_c, 2 * SMALL * sizeof *h);
        cr_assert(h[0] == (float)(3 * factor(0, 5)) && h[SMALL] == (float)(11 * factor(0, 5)),
                  "gemv_batched, %s: %g and %g", v->name, (double)h[0], (double)h[SMALL]);
    }
    give(d_b);
    give(d_c);
}

Test(beyond, products)
{
    skip_if_small();
    char *d = take(AREA, 0);
    put_bytes(d, AREA);
    check_gemm(d, CUDA_R_8I, CUDA_R_32I);
    give(d);
    d = take(AREA * sizeof(float), 0);
    put_words(d, AREA, true);
    check_gemm(d, CUDA_R_32F, CUDA_R_32F);
    check_gemv(d);
    check_batches(d);
    give(d);
    check_great_c();
}

/* ---- products of bits ---- */

/* A spot is -1, everything else +1; the last word of a line has fewer bits. */
static void set_packed(uint32_t *h, size_t words, bool along_columns)
{
    memset(h, 0xff, SIDE * words * sizeof *h);
    for (size_t line = 0; SIDE % 32 != 0 && line < SIDE; line++)
        h[along_columns ? (words - 1) * SIDE + line : line * words + words - 1] =
            ((uint32_t)1 << SIDE % 32) - 1;
    for (size_t s = 0; s < SPOTS; s++) {
        const size_t row = spots[s].at / SIDE, column = spots[s].at % SIDE;
        const size_t line = along_columns ? column : row, in_line = along_columns ? row : column;
        h[along_columns ? in_line / 32 * SIDE + line : line * words + in_line / 32] &=
            ~((uint32_t)1 << in_line % 32);
    }
}

static void check_packed(const char *d_packed, const uint32_t *right, size_t count,
                         const char *what)
{
    uint32_t *const h = malloc(count * sizeof *h);
    get(h, d_packed, count * sizeof *h);
    for (size_t i = 0; i < count; i++)
        if (h[i] != right[i])
            cr_assert_fail("%s: word %zu is %08x, not %08x", what, i, h[i], right[i]);
    free(h);
}

/* A window of i8: -1 at the spots, and +1 everywhere else. */
static void look_at_signs(size_t first, const void *of)
{
    int8_t h[WINDOW];
    get(h, (const char *)of + first, sizeof h);
    for (size_t i = 0; i < WINDOW; i++) {
        int8_t expected = 1;
        for (size_t s = 0; s < SPOTS; s++)
            expected = spots[s].at == first + i ? -1 : expected;
        cr_assert_eq(h[i], expected, "element %zu", first + i);
    }
}

/* What was packed, over what it was packed from. */
static void check_unpacking(char *d, const char *d_packed, bool along_columns)
{
    const prim_bits bits = prim_bits_of((const uint32_t *)(const void *)d_packed, SIDE, SIDE, 0);
    const prim_matrix out = prim_matrix_of(CUDA_R_8I, d, SIDE, SIDE, 0);
    cr_cuda(cudaMemset(d, 0x55, AREA));
    if (along_columns)
        DONE(prim_binary_unpack_columns(bits, out, NULL), "binary_unpack_columns", &only);
    else
        DONE(prim_binary_unpack_rows(bits, out, NULL), "binary_unpack_rows", &only);
    for_windows(AREA, look_at_signs, d);
}

static void check_packing(void)
{
    const size_t words = (SIDE + 31) / 32;
    const int8_t minus = -1;
    char *const d = take(AREA, 0), *const d_packed = take(SIDE * words * 4, 0xA5);
    uint32_t *const right = malloc(SIDE * words * sizeof *right);
    for (size_t s = 0; s < SPOTS; s++)
        put(d, spots[s].at, &minus, 1);
    DONE(prim_binary_pack_rows(prim_matrix_of(CUDA_R_8I, d, SIDE, SIDE, 0),
                               prim_bits_of((uint32_t *)(void *)d_packed, SIDE, SIDE, words), NULL),
         "binary_pack_rows", &only);
    set_packed(right, words, false);
    check_packed(d_packed, right, SIDE * words, "binary_pack_rows");
    check_unpacking(d, d_packed, false);
    cr_cuda(cudaMemset(d_packed, 0xA5, SIDE * words * 4));
    DONE(prim_binary_pack_columns(prim_matrix_of(CUDA_R_8I, d, SIDE, SIDE, 0),
                                  prim_bits_of((uint32_t *)(void *)d_packed, SIDE, SIDE, 0), NULL),
         "binary_pack_columns", &only);
    set_packed(right, words, true);
    check_packed(d_packed, right, SIDE * words, "binary_pack_columns");
    check_unpacking(d, d_packed, true);
    free(right);
    give(d);
    give(d_packed);
}

static void check_binary_gemm(void)
{
    static const size_t rows[] = {0, 1, BEYOND / SIDE - 1, BEYOND / SIDE, SIDE - 1};
    uint32_t *const h_a = malloc(SIDE * sizeof *h_a), *const h_b = malloc(SIDE * sizeof *h_b);
    int32_t *const h = malloc(SIDE * sizeof *h);
    for (size_t i = 0; i < SIDE; i++) {
        h_a[i] = (uint32_t)random_bits(i);
        h_b[i] = (uint32_t)random_bits(SIDE + i);
    }
    char *const d_a = take_copy(h_a, SIDE * 4), *const d_b = take_copy(h_b, SIDE * 4),
                *const d_c = take(AREA * sizeof(int32_t), 0);
    FOR_EACH(v, binary_gemm)
    {
        if (!runs(prim_binary_gemm(v->value, prim_bits_of(NULL, SIDE, 32, 1),
                                   prim_bits_of(NULL, 32, SIDE, 0),
                                   prim_matrix_of(CUDA_R_32I, NULL, SIDE, SIDE, 0), asking())))
            continue; /* MMA before 8.0 */
        cr_cuda(cudaMemset(d_c, 0xA5, AREA * sizeof(int32_t)));
        DONE(prim_binary_gemm(v->value, prim_bits_of((const uint32_t *)(void *)d_a, SIDE, 32, 1),
                              prim_bits_of((const uint32_t *)(void *)d_b, 32, SIDE, 0),
                              prim_matrix_of(CUDA_R_32I, d_c, SIDE, SIDE, 0), NULL),
             "binary_gemm", v);
        for (size_t r = 0; r < COUNT_OF(rows); r++) {
            get(h, d_c + rows[r] * SIDE * sizeof *h, SIDE * sizeof *h);
            for (size_t column = 0; column < SIDE; column++) {
                int32_t sum = 32;
                for (uint32_t unlike = h_a[rows[r]] ^ h_b[column]; unlike != 0;
                     unlike &= unlike - 1)
                    sum -= 2;
                cr_assert_eq(h[column], sum, "binary_gemm, %s: %zu, %zu", v->name, rows[r], column);
            }
        }
    }
    free(h_a);
    free(h_b);
    free(h);
    give(d_a);
    give(d_b);
    give(d_c);
}

Test(beyond, products_of_bits)
{
    skip_if_small();
    check_packing();
    check_binary_gemm();
}

/* ---- convolution ---- */

enum { TAPS = 3 };

/* An image as wide as a vector is one row of it. */
typedef struct convolved {
    const char *d, *name;
    size_t width, height;
    int weights[TAPS * TAPS], mask_height;
} convolved;

static int right_pixel(const convolved *c, size_t at)
{
    int sum = 0;
    for (size_t s = 0; s < SPOTS; s++) {
        const size_t i = spots[s].at % c->width - at % c->width + TAPS / 2;
        const size_t j = spots[s].at / c->width - at / c->width + (size_t)c->mask_height / 2;
        if (spots[s].at < c->width * c->height && i < TAPS && j < (size_t)c->mask_height)
            sum += spots[s].value * c->weights[j * TAPS + i];
    }
    return sum;
}

static void look_at_pixels(size_t first, const void *of)
{
    const convolved *const c = of;
    uint8_t h[WINDOW];
    get(h, c->d + first, WINDOW);
    for (size_t i = 0; i < WINDOW; i++)
        cr_assert_eq(h[i], right_pixel(c, first + i), "%s: pixel %zu is %u", c->name, first + i,
                     h[i]);
}

/* Where a spot weighs in the rows beside its own, too. */
static void check_pixels(const convolved *c)
{
    const size_t count = c->width * c->height;
    for_windows(count, look_at_pixels, c);
    for (size_t s = 0; s < SPOTS && c->height > 1; s++) {
        const size_t at = spots[s].at;
        look_near(at < c->width ? 0 : at - c->width, count, look_at_pixels, c);
        look_near(at + c->width, count, look_at_pixels, c);
    }
}

static void check_images(char *d_in, char *d_out, cudaDataType_t mask_type)
{
    convolved c = {d_out, NULL, SIDE, SIDE, {1, 2, 3, 4, 5, 6, 7, 8, 9}, TAPS};
    char h_mask[TAPS * TAPS * 4];
    for (size_t i = 0; i < TAPS * TAPS; i++)
        if (mask_type == CUDA_R_32F)
            write_float(mask_type, h_mask, i, c.weights[i]);
        else
            write_integer(mask_type, h_mask, i, (uint64_t)c.weights[i]);
    char *const d_mask = take_copy(h_mask, sizeof h_mask);
    const prim_mask mask = {h_mask, d_mask, TAPS, TAPS, 1, 1, mask_type, 0},
                    row = {h_mask, d_mask, TAPS, 1, 1, 0, mask_type, 0},
                    column = {h_mask, d_mask, 1, TAPS, 0, 1, mask_type, 0};
    const prim_image in = {d_in, SIDE, SIDE, SIDE, 1, CUDA_R_8U},
                     out = {d_out, SIDE, SIDE, SIDE, 1, CUDA_R_8U};
    FOR_EACH(v, convolution)
    {
        c.name = v->name;
        if (runs(prim_convolve_2d(v->value, 0, PRIM_BOUNDARY_CONSTANT, NULL, in, mask, out,
                                  asking()))) {
            cr_cuda(cudaMemset(d_out, 0xA5, AREA));
            DONE(prim_convolve_2d(v->value, 0, PRIM_BOUNDARY_CONSTANT, NULL, in, mask, out, NULL),
                 "convolve_2d", v);
            check_pixels(&c);
        }
        if (runs(prim_convolve_1d(v->value, 0, PRIM_BOUNDARY_CONSTANT, NULL, CUDA_R_8U, NULL, COUNT,
                                  row, NULL, asking()))) {
            convolved line = c;
            line.width = COUNT;
            line.height = 1;
            line.mask_height = 1;
            cr_cuda(cudaMemset(d_out, 0xA5, COUNT));
            DONE(prim_convolve_1d(v->value, 0, PRIM_BOUNDARY_CONSTANT, NULL, CUDA_R_8U, d_in, COUNT,
                                  row, d_out, NULL),
                 "convolve_1d", v);
            check_pixels(&line);
        }
        if (runs(prim_convolve_separable(v->value, 0, PRIM_BOUNDARY_CONSTANT, NULL, in, row, column,
                                         out, asking()))) {
            convolved both = c;
            for (int i = 0; i < TAPS * TAPS; i++)
                both.weights[i] = c.weights[i % TAPS] * c.weights[i / TAPS];
            cr_cuda(cudaMemset(d_out, 0xA5, AREA));
            DONE(prim_convolve_separable(v->value, 0, PRIM_BOUNDARY_CONSTANT, NULL, in, row, column,
                                         out, NULL),
                 "convolve_separable", v);
            check_pixels(&both);
        }
    }
    give(d_mask);
}

Test(beyond, convolutions)
{
    skip_if_small();
    char *const d_in = take(AREA, 0), *const d_out = take(AREA, 0);
    put_bytes(d_in, AREA);
    check_images(d_in, d_out, CUDA_R_32F);
    check_images(d_in, d_out, CUDA_R_8I);
    give(d_in);
    give(d_out);
}

/* ---- sparse ---- */

/* Rows of one length, a little more than 2^32 entries together, of 0 in column 0; where there is a
 * spot, its value, in column 1 or 2. */
#define ROWS ((size_t)1 << (BEYOND_BITS - 11)) /* whole slices of SELL */
#define WIDTH ((size_t)2049)
#define ENTRIES (ROWS * WIDTH)
enum { COLUMNS = 3 };

static const float vector[COLUMNS] = {1, 10, 100};

typedef struct entry_arrays {
    char *d_columns, *d_values, *d_x, *d_y;
    float *h_y, *right;
} entry_arrays;

/* right: of rows that `row_of` tells from an entry's place. */
static void set_right(entry_arrays *a, size_t (*row_of)(size_t place))
{
    memset(a->right, 0, ROWS * sizeof *a->right);
    for (size_t s = 0; s < SPOTS; s++)
        if (spots[s].at < ENTRIES)
            a->right[row_of(spots[s].at)] += (float)spots[s].value * vector[1 + s % 2];
}

static size_t row_by_row(size_t place)
{
    return place / WIDTH;
}

static size_t row_by_column(size_t place)
{
    return place % ROWS;
}

static size_t row_by_slice(size_t place)
{
    return place / (32 * WIDTH) * 32 + place % 32;
}

/* One of 2^32 entries, and few after it. */
static size_t row_of_great_one(size_t place)
{
    return place < BEYOND + 2 ? 0 : place < BEYOND + 7 ? 1 : 2;
}

/* An eighth of the entries each. */
static size_t row_of_eight(size_t place)
{
    return place / (ENTRIES / 8) < 7 ? place / (ENTRIES / 8) : 7;
}

static void check_y(const entry_arrays *a, size_t rows, const char *by)
{
    get(a->h_y, a->d_y, rows * sizeof *a->h_y);
    for (size_t row = 0; row < rows; row++)
        cr_assert_eq(a->h_y[row], a->right[row], "%s: row %zu is %g, not %g", by, row,
                     (double)a->h_y[row], (double)a->right[row]);
}

/* Threads that would walk through 2^32 entries alone: in COO each row's, and those of the rungs
 * without balance in the row of so many. */
static bool walks(int variant, const prim_sparse *m)
{
    return variant == PRIM_SPMV_COO_SCAN_ALL ||
           ((variant == PRIM_SPMV_CSR_SCALAR || variant == PRIM_SPMV_CSR_VECTOR) && m->rows < ROWS);
}

static void check_products(const entry_arrays *a, prim_sparse m, const char *what)
{
    m.columns = COLUMNS;
    m.value_type = CUDA_R_32F;
    m.offset_type = CUDA_R_64I;
    m.column_indices = m.ell_columns = (const int32_t *)(void *)a->d_columns;
    m.values = m.ell_values = a->d_values;
    FOR_EACH(v, spmv)
    {
        if ((BEYOND_BITS == 32 && walks(v->value, &m)) ||
            !runs(prim_spmv(v->value, 1, m, prim_vector_of(CUDA_R_32F, NULL, m.columns), 0,
                            prim_vector_of(CUDA_R_32F, NULL, m.rows), asking())))
            continue;
        cr_cuda(cudaMemset(a->d_y, 0xA5, m.rows * sizeof(float)));
        DONE(prim_spmv(v->value, 1, m, prim_vector_of(CUDA_R_32F, a->d_x, m.columns), 0,
                       prim_vector_of(CUDA_R_32F, a->d_y, m.rows), NULL),
             what, v);
        check_y(a, m.rows, v->name);
    }
}

static void check_planned(const entry_arrays *a, prim_sparse m)
{
    size_t bytes;
    m.columns = COLUMNS;
    m.value_type = CUDA_R_32F;
    m.offset_type = CUDA_R_64I;
    m.column_indices = (const int32_t *)(void *)a->d_columns;
    m.values = a->d_values;
    cr_prim(asked_output(prim_spmv_plan(m, NULL, 0, asking()), &bytes));
    char *const d_plan = take(bytes, 0);
    DONE(prim_spmv_plan(m, d_plan, bytes, NULL), "spmv_plan", &only);
    cr_cuda(cudaMemset(a->d_y, 0xA5, m.rows * sizeof(float)));
    DONE(prim_spmv_planned(1, m, d_plan, bytes, prim_vector_of(CUDA_R_32F, a->d_x, m.columns), 0,
                           prim_vector_of(CUDA_R_32F, a->d_y, m.rows), NULL),
         "spmv_planned", &only);
    check_y(a, m.rows, "planned");
    give(d_plan);
}

static char *take_offsets(size_t lines, size_t width)
{
    int64_t *const h = malloc((lines + 1) * sizeof *h);
    for (size_t i = 0; i <= lines; i++)
        h[i] = (int64_t)(i * width);
    char *const d = take_copy(h, (lines + 1) * sizeof *h);
    free(h);
    return d;
}

static void check_csr(entry_arrays *a)
{
    const int64_t b = (int64_t)BEYOND, few[] = {0, b + 2, b + 7, (int64_t)ENTRIES};
    char *const d_offsets = take_offsets(ROWS, WIDTH), *const d_few = take_copy(few, sizeof few);
    prim_sparse m = {
        .format = PRIM_SPARSE_CSR, .rows = ROWS, .entries = ENTRIES, .row_offsets = d_offsets};
    set_right(a, row_by_row);
    check_products(a, m, "spmv, csr");
    check_planned(a, m);
    m.rows = COUNT_OF(few) - 1;
    m.row_offsets = d_few;
    set_right(a, row_of_great_one);
    check_products(a, m, "spmv, csr with a great row");
    check_planned(a, m);
    give(d_offsets);
    give(d_few);
}

static void check_columns_of_rows(entry_arrays *a)
{
    int32_t *const h = malloc(ROWS * sizeof *h);
    const prim_jds_group group = {0, ROWS, WIDTH, 0};
    for (size_t row = 0; row < ROWS; row++)
        h[row] = (int32_t)row;
    char *const d_permutation = take_copy(h, ROWS * sizeof *h);
    set_right(a, row_by_column);
    check_products(
        a,
        (prim_sparse){.format = PRIM_SPARSE_ELL, .rows = ROWS, .ell_width = WIDTH, .ell_ld = ROWS},
        "spmv, ell");
    check_products(a,
                   (prim_sparse){.format = PRIM_SPARSE_JDS,
                                 .rows = ROWS,
                                 .entries = ENTRIES,
                                 .permutation = (const int32_t *)(void *)d_permutation,
                                 .h_groups = &group,
                                 .group_count = 1},
                   "spmv, jds");
    give(d_permutation);
    free(h);
}

static void check_slices(entry_arrays *a)
{
    char *const d_offsets = take_offsets(ROWS / 32, 32 * WIDTH);
    set_right(a, row_by_slice);
    check_products(a,
                   (prim_sparse){.format = PRIM_SPARSE_SELL,
                                 .rows = ROWS,
                                 .entries = ENTRIES,
                                 .slice_offsets = d_offsets},
                   "spmv, sell");
    give(d_offsets);
}

static void check_coo(entry_arrays *a)
{
    char *const d_rows = take(ENTRIES * sizeof(int32_t), 0);
    for (size_t row = 0; row < 8; row++) {
        const size_t first = row * (ENTRIES / 8), end = row < 7 ? first + ENTRIES / 8 : ENTRIES;
        fill_words(d_rows + first * sizeof(int32_t), end - first, (uint32_t)row);
    }
    set_right(a, row_of_eight);
    check_products(a,
                   (prim_sparse){.format = PRIM_SPARSE_COO,
                                 .rows = 8,
                                 .entries = ENTRIES,
                                 .row_indices = (const int32_t *)(void *)d_rows},
                   "spmv, coo");
    give(d_rows);
}

Test(beyond, sparse_products)
{
    skip_if_small();
    entry_arrays a = {.d_columns = take(ENTRIES * sizeof(int32_t), 0),
                      .d_values = take(ENTRIES * sizeof(float), 0),
                      .d_x = take_copy(vector, sizeof vector),
                      .d_y = take(ROWS * sizeof(float), 0),
                      .h_y = malloc(ROWS * sizeof(float)),
                      .right = malloc(ROWS * sizeof(float))};
    put_words(a.d_values, ENTRIES, true);
    for (size_t s = 0; s < SPOTS; s++) {
        const int32_t column = 1 + (int32_t)(s % 2);
        if (spots[s].at < ENTRIES)
            put(a.d_columns, spots[s].at, &column, sizeof column);
    }
    check_csr(&a);
    check_columns_of_rows(&a);
    check_slices(&a);
    check_coo(&a);
    give(a.d_columns);
    give(a.d_values);
    give(a.d_x);
    give(a.d_y);
    free(a.h_y);
    free(a.right);
}
