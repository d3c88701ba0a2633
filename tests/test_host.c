/* Every host version against the plainest loop that there is, on matrices with gaps between their
 * rows: the tests of the patterns take some of them for what is right. Whole numbers, so that every
 * order gives the same bits; integers wrap. */
#include <stdlib.h>
#include <string.h>

#include <primitives/primitives.h>

#include "stored.h"
#include "support.h"

/* The matrix of most tests, and what lies between its rows. */
enum { ROWS = 13, COLUMNS = 37, LD = 41, COUNT = ROWS * LD, OUT_LD = 39, GAP = -77 };

/* What threads share of a vector are tiles: of 4,096 numbers in reduce, and 8,192 in scan. One that
 * is shorter belongs to one thread, whatever their number. */
enum { LONG = 3 * 8192 + 5 };

#define I32 CUDA_R_32I

static const int all_threads[] = {1, 2, 3, 16};
enum { THREAD_COUNTS = sizeof all_threads / sizeof *all_threads };

static bool has_threads(void)
{
    int32_t out;
    return prim_reduce_host(PRIM_OP_SUM, PRIM_TRANSFORM_NONE, I32, NULL, 0, I32, &out, 2) ==
           PRIM_OK;
}

/* Calls run(threads) for every number of threads that this build has. */
static void with_threads(void (*run)(int threads))
{
    for (size_t t = 0; t < (has_threads() ? THREAD_COUNTS : 1); t++)
        run(all_threads[t]);
}

/* Small enough numbers that no two rows or columns are alike. */
static int32_t number(size_t i)
{
    return (int32_t)(random_bits(i) % 2001) - 1000;
}

static void fill_numbers(int32_t *h, size_t count, size_t seed)
{
    for (size_t i = 0; i < count; i++)
        h[i] = number(i + seed);
}

static void fill_gap(int32_t *h, size_t count)
{
    for (size_t i = 0; i < count; i++)
        h[i] = GAP;
}

static int32_t add(int32_t a, int32_t b)
{
    return (int32_t)((uint32_t)a + (uint32_t)b);
}

static int32_t multiply(int32_t a, int32_t b)
{
    return (int32_t)((uint32_t)a * (uint32_t)b);
}

/* ---- reduce ---- */

static void check_reduce(int threads)
{
    int32_t h[COUNT], sum = 0, least = INT32_MAX, out;
    fill_numbers(h, COUNT, 1);
    for (size_t i = 0; i < COUNT; i++) {
        sum = add(sum, multiply(h[i], h[i]));
        least = h[i] < least ? h[i] : least;
    }
    cr_prim(
        prim_reduce_host(PRIM_OP_SUM, PRIM_TRANSFORM_SQUARE, I32, h, COUNT, I32, &out, threads));
    cr_assert_eq(out, sum);
    cr_prim(prim_reduce_host(PRIM_OP_MIN, PRIM_TRANSFORM_NONE, I32, h, COUNT, I32, &out, threads));
    cr_assert_eq(out, least);
}

Test(host, reduce)
{
    with_threads(check_reduce);
}

static void check_long_reductions(int threads)
{
    static int32_t x[LONG], y[LONG];
    int32_t sum = 0, product = 0, out, value;
    uint64_t index, first = 0;
    fill_numbers(x, LONG, 40);
    fill_numbers(y, LONG, 90000);
    x[LONG / 2] = x[LONG - 1] = -5000; /* in two tiles */
    for (size_t i = 0; i < LONG; i++) {
        sum = add(sum, abs(x[i]));
        product = add(product, multiply(x[i], y[i]));
        first = x[i] < x[first] ? i : first;
    }
    cr_prim(prim_reduce_host(PRIM_OP_SUM, PRIM_TRANSFORM_ABS, I32, x, LONG, I32, &out, threads));
    cr_assert_eq(out, sum);
    cr_prim(prim_dot_host(I32, x, y, LONG, I32, &out, threads));
    cr_assert_eq(out, product);
    cr_prim(prim_arg_reduce_host(PRIM_OP_MIN, PRIM_TRANSFORM_NONE, I32, x, LONG, &value, &index,
                                 threads));
    cr_assert(index == first && value == -5000, "%llu", (unsigned long long)index);
}

Test(host, reductions_of_several_tiles)
{
    with_threads(check_long_reductions);
}

static void check_rows_and_columns(int threads)
{
    int32_t h[COUNT], of_rows[ROWS + 1], of_columns[COLUMNS + 1];
    fill_numbers(h, COUNT, 2);
    of_rows[ROWS] = of_columns[COLUMNS] = GAP;
    cr_prim(prim_reduce_rows_host(PRIM_OP_SUM, PRIM_TRANSFORM_ABS,
                                  prim_matrix_of(I32, h, ROWS, COLUMNS, LD), I32, of_rows,
                                  threads));
    cr_prim(prim_reduce_columns_host(PRIM_OP_SUM, PRIM_TRANSFORM_ABS,
                                     prim_matrix_of(I32, h, ROWS, COLUMNS, LD), I32, of_columns,
                                     threads));
    for (size_t row = 0; row < ROWS; row++)
        for (size_t column = 0; column < COLUMNS; column++) {
            of_rows[row] -= abs(h[row * LD + column]);
            of_columns[column] -= abs(h[row * LD + column]);
        }
    for (size_t row = 0; row < ROWS; row++)
        cr_assert_eq(of_rows[row], 0, "row %zu", row);
    for (size_t column = 0; column < COLUMNS; column++)
        cr_assert_eq(of_columns[column], 0, "column %zu", column);
    cr_assert(of_rows[ROWS] == GAP && of_columns[COLUMNS] == GAP);
}

Test(host, reduce_rows_and_columns)
{
    with_threads(check_rows_and_columns);
}

/* Segments of 0, 1, 2, … elements, and what is left in one. */
static void check_segments(int threads)
{
    enum { SEGMENTS = 30 };
    int32_t h[COUNT], sums[SEGMENTS + 1];
    int64_t offsets[SEGMENTS + 1];
    fill_numbers(h, COUNT, 4);
    sums[SEGMENTS] = GAP;
    for (int s = 0; s < SEGMENTS; s++)
        offsets[s] = s * (s - 1) / 2;
    offsets[SEGMENTS] = COUNT;
    cr_prim(prim_reduce_segments_host(PRIM_OP_SUM, PRIM_TRANSFORM_ABS, I32, h, COUNT,
                                      (prim_segments){offsets, SEGMENTS, CUDA_R_64I}, I32, sums,
                                      threads));
    for (int s = 0; s < SEGMENTS; s++) {
        for (int64_t i = offsets[s]; i < offsets[s + 1]; i++)
            sums[s] -= abs(h[i]);
        cr_assert_eq(sums[s], 0, "segment %d", s);
    }
    cr_assert_eq(sums[SEGMENTS], GAP);
}

Test(host, reduce_segments)
{
    with_threads(check_segments);
}

/* Threads take 256 segments at a time, and share the tiles of one that has 64 of them or more. */
static void check_many_segments(int threads)
{
    enum { SEGMENTS = 600, HUGE_ONE = 400, HUGE_COUNT = 64 * 4096 + 3, MANY = 7 * SEGMENTS };
    static int32_t h[MANY + HUGE_COUNT], sums[SEGMENTS + 1];
    static int32_t offsets[SEGMENTS + 1];
    fill_numbers(h, MANY + HUGE_COUNT, 4);
    sums[SEGMENTS] = GAP;
    for (int s = 0; s <= SEGMENTS; s++)
        offsets[s] = 7 * s + (s > HUGE_ONE ? HUGE_COUNT : 0);
    cr_prim(prim_reduce_segments_host(PRIM_OP_SUM, PRIM_TRANSFORM_NONE, I32, h, MANY + HUGE_COUNT,
                                      (prim_segments){offsets, SEGMENTS, I32}, I32, sums, threads));
    for (int s = 0; s < SEGMENTS; s++) {
        int32_t sum = 0;
        for (int32_t i = offsets[s]; i < offsets[s + 1]; i++)
            sum = add(sum, h[i]);
        cr_assert_eq(sums[s], sum, "segment %d", s);
    }
    cr_assert_eq(sums[SEGMENTS], GAP);
}

Test(host, reduce_many_segments)
{
    with_threads(check_many_segments);
}

static void check_arg(int threads)
{
    int32_t h[COUNT], value;
    uint64_t index, first = 0;
    fill_numbers(h, COUNT, 3);
    h[100] = h[500] = 5000;
    for (size_t i = 0; i < COUNT; i++)
        first = h[i] > h[first] ? i : first;
    cr_prim(prim_arg_reduce_host(PRIM_OP_MAX, PRIM_TRANSFORM_NONE, I32, h, COUNT, &value, &index,
                                 threads));
    cr_assert(index == first && value == h[first], "%llu", (unsigned long long)index);
}

Test(host, arg_reduce)
{
    with_threads(check_arg);
}

static void check_dot(int threads)
{
    int32_t x[COUNT], y[COUNT], out, sum = 0;
    fill_numbers(x, COUNT, 4);
    fill_numbers(y, COUNT, 5000);
    for (size_t i = 0; i < COUNT; i++)
        sum = add(sum, multiply(x[i], y[i]));
    cr_prim(prim_dot_host(I32, x, y, COUNT, I32, &out, threads));
    cr_assert_eq(out, sum);
}

Test(host, dot)
{
    with_threads(check_dot);
}

/* ---- scan ---- */

static void check_scan(int threads)
{
    const int32_t initial = 12;
    int32_t h[COUNT], out[COUNT], total, sum = initial;
    fill_numbers(h, COUNT, 6);
    cr_prim(prim_scan_host(PRIM_SCAN_EXCLUSIVE, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, I32, h, COUNT,
                           I32, out, &(prim_scan_ends){.h_initial = &initial, .total = &total},
                           threads));
    for (size_t i = 0; i < COUNT; i++) {
        cr_assert_eq(out[i], sum, "%zu", i);
        sum = add(sum, h[i]);
    }
    cr_assert_eq(total, sum);
}

Test(host, scan)
{
    with_threads(check_scan);
}

static void check_long_scan(int threads)
{
    static int32_t h[LONG], out[LONG];
    int32_t total, sum = 0;
    fill_numbers(h, LONG, 60);
    cr_prim(prim_scan_host(PRIM_SCAN_INCLUSIVE, PRIM_OP_SUM, PRIM_TRANSFORM_ABS, I32, h, LONG, I32,
                           out, &(prim_scan_ends){.total = &total}, threads));
    for (size_t i = 0; i < LONG; i++) {
        sum = add(sum, abs(h[i]));
        cr_assert_eq(out[i], sum, "%zu", i);
    }
    cr_assert_eq(total, sum);
}

Test(host, scan_of_several_tiles)
{
    with_threads(check_long_scan);
}

static void check_gaps(const int32_t *out, size_t rows)
{
    for (size_t row = 0; row < rows; row++)
        for (size_t column = COLUMNS; column < OUT_LD; column++)
            cr_assert_eq(out[row * OUT_LD + column], GAP, "behind row %zu", row);
}

static void check_scan_rows(int threads)
{
    int32_t h[COUNT], out[ROWS * OUT_LD];
    fill_numbers(h, COUNT, 7);
    fill_gap(out, ROWS * OUT_LD);
    cr_prim(prim_scan_rows_host(PRIM_SCAN_INCLUSIVE, PRIM_OP_MAX, PRIM_TRANSFORM_NONE,
                                prim_matrix_of(I32, h, ROWS, COLUMNS, LD),
                                prim_matrix_of(I32, out, ROWS, COLUMNS, OUT_LD), NULL, threads));
    for (size_t row = 0; row < ROWS; row++) {
        int32_t most = INT32_MIN;
        for (size_t column = 0; column < COLUMNS; column++) {
            most = h[row * LD + column] > most ? h[row * LD + column] : most;
            cr_assert_eq(out[row * OUT_LD + column], most, "%zu, %zu", row, column);
        }
    }
    check_gaps(out, ROWS);
}

static void check_scan_2d(int threads)
{
    int32_t h[COUNT], out[ROWS * OUT_LD];
    fill_numbers(h, COUNT, 8);
    fill_gap(out, ROWS * OUT_LD);
    cr_prim(prim_scan_2d_host(PRIM_OP_SUM, PRIM_TRANSFORM_NONE,
                              prim_matrix_of(I32, h, ROWS, COLUMNS, LD),
                              prim_matrix_of(I32, out, ROWS, COLUMNS, OUT_LD), threads));
    for (size_t row = 0; row < ROWS; row++)
        for (size_t column = 0; column < COLUMNS; column++) {
            int32_t sum = 0;
            for (size_t i = 0; i <= row; i++)
                for (size_t j = 0; j <= column; j++)
                    sum = add(sum, h[i * LD + j]);
            cr_assert_eq(out[row * OUT_LD + column], sum, "%zu, %zu", row, column);
        }
    check_gaps(out, ROWS);
}

Test(host, scan_of_matrices)
{
    with_threads(check_scan_rows);
    with_threads(check_scan_2d);
}

/* ---- histogram ---- */

static void check_histogram(int threads)
{
    enum { BINS = 7, LOWER = -700, UPPER = 900 };
    const prim_histogram_range range = prim_integer_range(LOWER, UPPER);
    int32_t h[COUNT];
    uint32_t counters[BINS], outside[3], expected[BINS] = {0}, apart[3] = {0};
    fill_numbers(h, COUNT, 9);
    for (size_t i = 0; i < COUNT; i++)
        if (h[i] < LOWER || h[i] >= UPPER)
            apart[h[i] >= UPPER]++;
        else
            expected[(h[i] - LOWER) * BINS / (UPPER - LOWER)]++;
    cr_prim(prim_histogram_even_host(range, I32, h, COUNT,
                                     (prim_counters){.data = counters,
                                                     .bins = BINS,
                                                     .type = CUDA_R_32U,
                                                     .outside = PRIM_OUTSIDE_COUNT,
                                                     .outside_data = outside},
                                     threads));
    cr_assert_arr_eq(counters, expected, sizeof expected);
    cr_assert_arr_eq(outside, apart, sizeof apart);
}

/* Bins of many widths, one of them empty; the last one has its upper edge. */
static void check_edges(int threads)
{
    enum { BINS = 6 };
    static const int32_t edges[BINS + 1] = {-900, -899, -350, -350, 20, 21, 950};
    int32_t h[COUNT];
    uint32_t counters[BINS], outside[3], expected[BINS] = {0}, apart[3] = {0};
    fill_numbers(h, COUNT, 12);
    h[0] = -900;
    h[COUNT - 1] = -350;
    h[COUNT / 2] = 950;
    for (size_t i = 0; i < COUNT; i++) {
        size_t bin = 0;
        while (bin < BINS - 1 && h[i] >= edges[bin + 1])
            bin++;
        if (h[i] < edges[0] || h[i] > edges[BINS])
            apart[h[i] > edges[BINS]]++;
        else
            expected[bin]++;
    }
    /* counters start at 0, or at what they hold */
    for (unsigned calls = 1; calls <= 2; calls++) {
        cr_prim(
            prim_histogram_edges_host(I32, h, COUNT, I32, edges,
                                      (prim_counters){.data = counters,
                                                      .bins = BINS,
                                                      .type = CUDA_R_32U,
                                                      .flags = calls == 1 ? 0 : PRIM_HISTOGRAM_ADD,
                                                      .outside = PRIM_OUTSIDE_COUNT,
                                                      .outside_data = outside},
                                      threads));
        for (size_t b = 0; b < BINS; b++)
            cr_assert_eq(counters[b], calls * expected[b], "bin %zu", b);
        for (size_t i = 0; i < 3; i++)
            cr_assert_eq(outside[i], calls * apart[i], "outside %zu", i);
    }
}

Test(host, histogram_between_edges)
{
    with_threads(check_edges);
}

static void check_channels(int threads)
{
    enum { BINS = 5, CHANNELS = 2, PIXELS = COLUMNS / CHANNELS, LOWER = -700, UPPER = 900 };
    const prim_histogram_range ranges[CHANNELS] = {{.lower = LOWER, .upper = UPPER},
                                                   {.lower = LOWER - 5, .upper = UPPER}};
    int32_t h[ROWS * LD];
    uint32_t counters[CHANNELS * BINS], outside[CHANNELS * 3],
        expected[CHANNELS * BINS] = {0}, apart[CHANNELS * 3] = {0};
    fill_numbers(h, ROWS * LD, 10);
    for (size_t y = 0; y < ROWS; y++)
        for (size_t x = 0; x < PIXELS * CHANNELS; x++) {
            const int32_t sample = h[y * LD + x];
            const int64_t c = (int64_t)(x % CHANNELS), lower = ranges[c].lower;
            if (sample < lower || sample >= UPPER)
                apart[c * 3 + (sample >= UPPER)]++;
            else
                expected[c * BINS + (sample - lower) * BINS / (UPPER - lower)]++;
        }
    const prim_image image = {h, PIXELS, ROWS, LD * sizeof *h, CHANNELS, I32};
    cr_prim(prim_histogram_even_channels_host(ranges, image,
                                              (prim_counters){.data = counters,
                                                              .bins = BINS,
                                                              .type = CUDA_R_32U,
                                                              .outside = PRIM_OUTSIDE_COUNT,
                                                              .outside_data = outside},
                                              threads));
    cr_assert_arr_eq(counters, expected, sizeof expected);
    cr_assert_arr_eq(outside, apart, sizeof apart);
}

static void check_weighted(int threads)
{
    enum { BINS = 7, LOWER = -700, UPPER = 900 };
    const prim_histogram_range range = prim_integer_range(LOWER, UPPER);
    int32_t h[COUNT];
    double weights[COUNT], sums[BINS], outside[3], expected[BINS] = {0}, apart[3] = {0};
    fill_numbers(h, COUNT, 11);
    for (size_t i = 0; i < COUNT; i++) {
        weights[i] = (double)(i % 19) - 4;
        if (h[i] < LOWER || h[i] >= UPPER)
            apart[h[i] >= UPPER] += weights[i];
        else
            expected[(h[i] - LOWER) * BINS / (UPPER - LOWER)] += weights[i];
    }
    cr_prim(prim_histogram_even_weighted_host(range, I32, h, COUNT, weights, NULL,
                                              (prim_counters){.data = sums,
                                                              .bins = BINS,
                                                              .type = CUDA_R_64F,
                                                              .outside = PRIM_OUTSIDE_COUNT,
                                                              .outside_data = outside},
                                              threads));
    for (size_t b = 0; b < BINS; b++)
        cr_assert_eq(sums[b], expected[b]);
    for (size_t i = 0; i < 3; i++)
        cr_assert_eq(outside[i], apart[i]);
}

Test(host, histogram_of_weighted_samples)
{
    with_threads(check_weighted);
}

Test(host, histogram_of_channels)
{
    with_threads(check_channels);
}

Test(host, histogram)
{
    with_threads(check_histogram);
}

/* ---- merge ---- */

static int rising(const void *x, const void *y)
{
    const int32_t a = *(const int32_t *)x, b = *(const int32_t *)y;
    return (a > b) - (a < b);
}

/* The two parts, sorted, and then all, by qsort(). */
static void check_merge(int threads)
{
    enum { A = COUNT / 3, B = COUNT - A };
    int32_t h[COUNT], out[COUNT], sorted[COUNT];
    fill_numbers(h, COUNT, 10);
    cr_prim(prim_merge_sort_host(PRIM_ASCENDING, I32, h, COUNT, sorted, threads));
    qsort(h, A, sizeof *h, rising);
    qsort(h + A, B, sizeof *h, rising);
    cr_prim(prim_merge_host(PRIM_ASCENDING, I32, h, A, h + A, B, out, threads));
    qsort(h, COUNT, sizeof *h, rising);
    cr_assert_arr_eq(out, h, sizeof h);
    cr_assert_arr_eq(sorted, h, sizeof h);
}

Test(host, merge_and_merge_sort)
{
    with_threads(check_merge);
}

/* A key, and where it stood. */
typedef struct placed {
    int32_t key;
    uint32_t place;
} placed;

static int falling_by_place(const void *x, const void *y)
{
    const placed *a = x, *b = y;
    const int by_key = (a->key < b->key) - (a->key > b->key);
    return by_key != 0 ? by_key : (a->place > b->place) - (a->place < b->place);
}

/* What is merged with what its keys carry, or sorted, is in the order of qsort() by keys and
 * places; `keys` may be NULL. */
static void check_places(const int32_t *h, const int32_t *keys, const uint32_t *places)
{
    placed right[COUNT];
    for (uint32_t i = 0; i < COUNT; i++)
        right[i] = (placed){h[i], i};
    qsort(right, COUNT, sizeof *right, falling_by_place);
    for (size_t i = 0; i < COUNT; i++) {
        cr_assert_eq(places[i], right[i].place, "%zu", i);
        cr_assert(keys == NULL || keys[i] == right[i].key, "%zu", i);
    }
}

/* Few different keys, so that their order is in their places; the values are those. */
static void check_pairs(int threads)
{
    enum { A = COUNT / 3, B = COUNT - A };
    int32_t h[COUNT], keys[COUNT];
    uint32_t values[COUNT], places[COUNT];
    uint64_t wide[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        h[i] = number(i) % 9;
        values[i] = (uint32_t)i;
    }
    cr_prim(prim_merge_sort_pairs_host(PRIM_DESCENDING, I32, 4, (prim_keys){h, values, COUNT}, keys,
                                       places, threads));
    check_places(h, keys, places);
    cr_prim(prim_merge_sort_permutation_host(PRIM_DESCENDING, I32, h, COUNT, CUDA_R_64U, wide,
                                             threads));
    for (size_t i = 0; i < COUNT; i++)
        places[i] = (uint32_t)wide[i];
    check_places(h, NULL, places);
    /* rising keys turned round, in two runs */
    for (size_t i = 0; i < COUNT; i++)
        h[i] = (int32_t)((i < A ? A - i : COUNT - i) / 4);
    cr_prim(prim_merge_pairs_host(PRIM_DESCENDING, I32, 4, (prim_keys){h, values, A},
                                  (prim_keys){h + A, values + A, B}, keys, places, threads));
    check_places(h, keys, places);
}

Test(host, merge_and_merge_sort_of_pairs)
{
    with_threads(check_pairs);
}

/* ---- products ---- */

/* A transposed; all leading dimensions differ from the columns and from each other. */
static void check_gemm(int threads)
{
    enum { M = 11, N = 17, K = 23, LDA = 13, LDB = 19, LDC = 21 };
    int32_t a[K * LDA], b[K * LDB], c[M * LDC], before[M * LDC];
    fill_numbers(a, K * LDA, 11);
    fill_numbers(b, K * LDB, 12);
    fill_numbers(before, M * LDC, 13);
    memcpy(c, before, sizeof c);
    cr_prim(prim_gemm_host(PRIM_TRANSPOSED, PRIM_NOT_TRANSPOSED, 3,
                           prim_matrix_of(I32, a, K, M, LDA), prim_matrix_of(I32, b, K, N, LDB), -2,
                           prim_matrix_of(I32, c, M, N, LDC), PRIM_COMPUTE_DEFAULT, threads));
    for (size_t row = 0; row < M; row++)
        for (size_t column = 0; column < LDC; column++) {
            int32_t sum = 0;
            for (size_t i = 0; i < K && column < N; i++)
                sum = add(sum, multiply(a[i * LDA + row], b[i * LDB + column]));
            const int32_t old = before[row * LDC + column];
            const int32_t expected = column < N ? add(3 * sum, multiply(-2, old)) : old;
            cr_assert_eq(c[row * LDC + column], expected, "%zu, %zu", row, column);
        }
}

Test(host, gemm)
{
    with_threads(check_gemm);
}

/* Of each C as many rows as threads may share; gaps between rows and between matrices. */
static void check_gemm_batch(int threads)
{
    enum { M = 5, N = 7, K = 6, LDA = 8, LDB = 9, LDC = 10, BATCH = 3 };
    enum { A_STRIDE = M * LDA + 3, C_STRIDE = M * LDC + 2 };
    int32_t a[BATCH * A_STRIDE], b[N * LDB], c[BATCH * C_STRIDE];
    fill_numbers(a, BATCH * A_STRIDE, 21);
    fill_numbers(b, N * LDB, 22);
    fill_gap(c, BATCH * C_STRIDE);
    cr_prim(prim_gemm_batched_host(PRIM_NOT_TRANSPOSED, PRIM_TRANSPOSED, 2,
                                   in_batch(prim_matrix_of(I32, a, M, K, LDA), A_STRIDE),
                                   prim_matrix_of(I32, b, N, K, LDB), 3,
                                   in_batch(prim_matrix_of(I32, c, M, N, LDC), C_STRIDE), BATCH,
                                   PRIM_COMPUTE_DEFAULT, threads));
    for (size_t i = 0; i < BATCH * C_STRIDE; i++) {
        const size_t product = i / C_STRIDE, row = i % C_STRIDE / LDC, column = i % C_STRIDE % LDC;
        int32_t expected = GAP;
        if (row < M && column < N) {
            expected = 3 * GAP;
            for (size_t j = 0; j < K; j++)
                expected += 2 * a[product * A_STRIDE + row * LDA + j] * b[column * LDB + j];
        }
        cr_assert_eq(c[i], expected, "product %zu, %zu, %zu", product, row, column);
    }
}

Test(host, gemm_batched)
{
    with_threads(check_gemm_batch);
}

static void check_gemv_batch(int threads)
{
    enum { BATCH = 3, A_STRIDE = COUNT + 4, Y_STRIDE = COLUMNS + 2 };
    double a[BATCH * A_STRIDE], x[BATCH * COLUMNS], y[BATCH * Y_STRIDE];
    for (int op = PRIM_NOT_TRANSPOSED; op <= PRIM_TRANSPOSED; op++) {
        const bool turned = op == PRIM_TRANSPOSED;
        const size_t outer = turned ? COLUMNS : ROWS, inner = turned ? ROWS : COLUMNS;
        for (size_t i = 0; i < BATCH * A_STRIDE; i++)
            a[i] = number(i);
        for (size_t i = 0; i < BATCH * COLUMNS; i++)
            x[i] = number(i + 2000);
        for (size_t i = 0; i < BATCH * Y_STRIDE; i++)
            y[i] = GAP;
        cr_prim(prim_gemv_batched_host(
            (prim_transpose)op, 2,
            in_batch(prim_matrix_of(CUDA_R_64F, a, ROWS, COLUMNS, LD), A_STRIDE),
            vector_in_batch(x_of((prim_transpose)op, CUDA_R_64F, x, ROWS, COLUMNS), COLUMNS), 0,
            vector_in_batch(y_of((prim_transpose)op, CUDA_R_64F, y, ROWS, COLUMNS), Y_STRIDE),
            BATCH, threads));
        for (size_t i = 0; i < BATCH * Y_STRIDE; i++) {
            const size_t product = i / Y_STRIDE, at = i % Y_STRIDE;
            const double *of = a + product * A_STRIDE;
            double sum = 0;
            for (size_t j = 0; j < inner && at < outer; j++)
                sum += (turned ? of[j * LD + at] : of[at * LD + j]) * x[product * COLUMNS + j];
            cr_assert_eq(y[i], at < outer ? 2 * sum : GAP, "product %zu, %zu", product, at);
        }
    }
}

Test(host, gemv_batched)
{
    with_threads(check_gemv_batch);
}

static void check_gemv(int threads)
{
    double a[COUNT], x[COUNT], y[COUNT];
    for (int op = PRIM_NOT_TRANSPOSED; op <= PRIM_TRANSPOSED; op++) {
        const bool turned = op == PRIM_TRANSPOSED;
        const size_t outer = turned ? COLUMNS : ROWS, inner = turned ? ROWS : COLUMNS;
        for (size_t i = 0; i < COUNT; i++) {
            a[i] = number(i);
            x[i] = number(i + 1000);
            y[i] = GAP;
        }
        cr_prim(prim_gemv_host((prim_transpose)op, 2,
                               prim_matrix_of(CUDA_R_64F, a, ROWS, COLUMNS, LD),
                               x_of((prim_transpose)op, CUDA_R_64F, x, ROWS, COLUMNS), 3,
                               y_of((prim_transpose)op, CUDA_R_64F, y, ROWS, COLUMNS), threads));
        for (size_t i = 0; i < outer; i++) {
            double sum = 0;
            for (size_t j = 0; j < inner; j++)
                sum += (turned ? a[j * LD + i] : a[i * LD + j]) * x[j];
            cr_assert_eq(y[i], 2 * sum + 3 * GAP, "%zu", i);
        }
        cr_assert_eq(y[outer], GAP);
    }
}

Test(host, gemv)
{
    with_threads(check_gemv);
}

/* Packed along both directions, the product of what was packed, and the signs that it holds. */
static void check_binary(int threads)
{
    enum { WORDS = (COLUMNS + 31) / 32, A_LD = WORDS + 1, B_LD = ROWS + 2 };
    int32_t h[COUNT], signs[COUNT], h_turned[COLUMNS * OUT_LD], c[ROWS * OUT_LD];
    uint32_t a[ROWS * A_LD], b[WORDS * B_LD];
    fill_numbers(h, COUNT, 14);
    for (size_t i = 0; i < COLUMNS; i++)
        for (size_t j = 0; j < ROWS; j++)
            h_turned[i * OUT_LD + j] = h[j * LD + i];
    fill_gap(c, ROWS * OUT_LD);
    cr_prim(prim_binary_pack_rows_host(prim_matrix_of(I32, h, ROWS, COLUMNS, LD),
                                       prim_bits_of(a, ROWS, COLUMNS, A_LD), threads));
    cr_prim(prim_binary_pack_columns_host(prim_matrix_of(I32, h_turned, COLUMNS, ROWS, OUT_LD),
                                          prim_bits_of(b, COLUMNS, ROWS, B_LD), threads));
    cr_prim(prim_binary_gemm_host(prim_bits_of(a, ROWS, COLUMNS, A_LD),
                                  prim_bits_of(b, COLUMNS, ROWS, B_LD),
                                  prim_matrix_of(I32, c, ROWS, ROWS, OUT_LD), threads));
    for (size_t row = 0; row < ROWS; row++)
        for (size_t column = 0; column < ROWS; column++) {
            int32_t sum = 0;
            for (size_t i = 0; i < COLUMNS; i++)
                sum += (h[row * LD + i] >= 0) == (h[column * LD + i] >= 0) ? 1 : -1;
            cr_assert_eq(c[row * OUT_LD + column], sum, "%zu, %zu", row, column);
        }
    for (size_t i = 0; i < ROWS; i++) {
        cr_assert_eq(c[i * OUT_LD + ROWS], GAP);
        for (size_t j = 0; j < COLUMNS; j++)
            cr_assert_eq(a[i * A_LD + j / 32] >> j % 32 & 1, h[i * LD + j] >= 0);
    }
    cr_prim(prim_binary_unpack_rows_host(prim_bits_of(a, ROWS, COLUMNS, A_LD),
                                         prim_matrix_of(I32, signs, ROWS, COLUMNS, LD), threads));
    cr_prim(prim_binary_unpack_columns_host(prim_bits_of(b, COLUMNS, ROWS, B_LD),
                                            prim_matrix_of(I32, h_turned, COLUMNS, ROWS, OUT_LD),
                                            threads));
    for (size_t i = 0; i < ROWS; i++)
        for (size_t j = 0; j < COLUMNS; j++) {
            cr_assert_eq(signs[i * LD + j], h[i * LD + j] >= 0 ? 1 : -1, "%zu, %zu", i, j);
            cr_assert_eq(h_turned[j * OUT_LD + i], signs[i * LD + j], "%zu, %zu", j, i);
        }
}

Test(host, binary_gemm)
{
    with_threads(check_binary);
}

/* ---- convolution ---- */

/* Where the neighbour lies in an image of `count`, as the header draws it; < 0: the fill. */
static ptrdiff_t neighbour(prim_boundary boundary, ptrdiff_t at, ptrdiff_t count)
{
    if (at >= 0 && at < count)
        return at;
    switch (boundary) {
    case PRIM_BOUNDARY_CONSTANT:
        return -1;
    case PRIM_BOUNDARY_CLAMP:
        return at < 0 ? 0 : count - 1;
    case PRIM_BOUNDARY_REFLECT:
        return neighbour(boundary, at < 0 ? -1 - at : 2 * count - 1 - at, count);
    case PRIM_BOUNDARY_REFLECT_101:
        return count == 1 ? 0 : neighbour(boundary, at < 0 ? -at : 2 * count - 2 - at, count);
    case PRIM_BOUNDARY_WRAP:
        return neighbour(boundary, at < 0 ? at + count : at - count, count);
    }
    return -1;
}

enum { TAPS_X = 4, TAPS_Y = 3, ANCHOR_X = 1, ANCHOR_Y = 2, FILL = 9 };

/* The neighbour under element i, j of the mask. */
static int32_t under(const int32_t *h, ptrdiff_t rows, ptrdiff_t columns, ptrdiff_t ld, ptrdiff_t y,
                     ptrdiff_t x, prim_boundary boundary)
{
    const ptrdiff_t from_y = neighbour(boundary, y, rows), from_x = neighbour(boundary, x, columns);
    return from_y < 0 || from_x < 0 ? FILL : h[from_y * ld + from_x];
}

static void check_image(int threads, unsigned flags, prim_boundary boundary)
{
    const int32_t fill = FILL;
    const ptrdiff_t turn = flags == PRIM_CONVOLUTION_FLIP ? -1 : 1;
    int32_t h[COUNT], out[ROWS * OUT_LD], weights[TAPS_Y * TAPS_X];
    fill_numbers(h, COUNT, 15);
    fill_numbers(weights, TAPS_Y * TAPS_X, 16);
    fill_gap(out, ROWS * OUT_LD);
    const prim_mask mask = {weights, NULL, TAPS_X, TAPS_Y, ANCHOR_X, ANCHOR_Y, I32, 0};
    const prim_image from = {h, COLUMNS, ROWS, LD * sizeof *h, 1, I32},
                     to = {out, COLUMNS, ROWS, OUT_LD * sizeof *h, 1, I32};
    cr_prim(prim_convolve_2d_host(flags, boundary, &fill, from, mask, to, threads));
    for (ptrdiff_t y = 0; y < ROWS; y++)
        for (ptrdiff_t x = 0; x < COLUMNS; x++) {
            int32_t sum = 0;
            for (ptrdiff_t j = 0; j < TAPS_Y; j++)
                for (ptrdiff_t i = 0; i < TAPS_X; i++)
                    sum = add(sum, multiply(weights[j * TAPS_X + i],
                                            under(h, ROWS, COLUMNS, LD, y + turn * (j - ANCHOR_Y),
                                                  x + turn * (i - ANCHOR_X), boundary)));
            cr_assert_eq(out[y * OUT_LD + x], sum, "boundary %d, flags %u: %td, %td", boundary,
                         flags, y, x);
        }
    check_gaps(out, ROWS);
}

static void check_vector(int threads, unsigned flags, prim_boundary boundary)
{
    const int32_t fill = FILL;
    const ptrdiff_t turn = flags == PRIM_CONVOLUTION_FLIP ? -1 : 1;
    int32_t h[COUNT], out[COUNT], weights[TAPS_X];
    fill_numbers(h, COUNT, 17);
    fill_numbers(weights, TAPS_X, 18);
    const prim_mask mask = {weights, NULL, TAPS_X, 1, ANCHOR_X, 0, I32, 0};
    cr_prim(prim_convolve_1d_host(flags, boundary, &fill, I32, h, COUNT, mask, out, threads));
    for (ptrdiff_t x = 0; x < COUNT; x++) {
        int32_t sum = 0;
        for (ptrdiff_t i = 0; i < TAPS_X; i++)
            sum = add(sum, multiply(weights[i], under(h, 1, COUNT, COUNT, 0,
                                                      x + turn * (i - ANCHOR_X), boundary)));
        cr_assert_eq(out[x], sum, "boundary %d, flags %u: %td", boundary, flags, x);
    }
}

/* A row and a column, whose product is a mask. */
static void check_separable(int threads, unsigned flags, prim_boundary boundary)
{
    const int32_t fill = FILL;
    const ptrdiff_t turn = flags == PRIM_CONVOLUTION_FLIP ? -1 : 1;
    int32_t h[COUNT], out[ROWS * OUT_LD], row[TAPS_X], column[TAPS_Y];
    fill_numbers(h, COUNT, 19);
    fill_numbers(row, TAPS_X, 20);
    fill_numbers(column, TAPS_Y, 21);
    fill_gap(out, ROWS * OUT_LD);
    const prim_mask mask_x = {row, NULL, TAPS_X, 1, ANCHOR_X, 0, I32, 0},
                    mask_y = {column, NULL, 1, TAPS_Y, 0, ANCHOR_Y, I32, 0};
    const prim_image from = {h, COLUMNS, ROWS, LD * sizeof *h, 1, I32},
                     to = {out, COLUMNS, ROWS, OUT_LD * sizeof *h, 1, I32};
    cr_prim(
        prim_convolve_separable_host(flags, boundary, &fill, from, mask_x, mask_y, to, threads));
    for (ptrdiff_t y = 0; y < ROWS; y++)
        for (ptrdiff_t x = 0; x < COLUMNS; x++) {
            int32_t sum = 0;
            for (ptrdiff_t j = 0; j < TAPS_Y; j++)
                for (ptrdiff_t i = 0; i < TAPS_X; i++)
                    sum = add(sum, multiply(multiply(row[i], column[j]),
                                            under(h, ROWS, COLUMNS, LD, y + turn * (j - ANCHOR_Y),
                                                  x + turn * (i - ANCHOR_X), boundary)));
            cr_assert_eq(out[y * OUT_LD + x], sum, "boundary %d, flags %u: %td, %td", boundary,
                         flags, y, x);
        }
    check_gaps(out, ROWS);
}

static void check_convolution(int threads)
{
    for (unsigned flags = 0; flags <= PRIM_CONVOLUTION_FLIP; flags++)
        for (int boundary = PRIM_BOUNDARY_CONSTANT; boundary <= PRIM_BOUNDARY_WRAP; boundary++) {
            check_image(threads, flags, (prim_boundary)boundary);
            check_vector(threads, flags, (prim_boundary)boundary);
            check_separable(threads, flags, (prim_boundary)boundary);
        }
}

Test(host, convolution)
{
    with_threads(check_convolution);
}

/* ---- sparse ---- */

/* A dense matrix whose entries of a third survive, in CSR with 64-bit offsets. */
typedef struct sparse_matrix {
    int64_t offsets[ROWS + 1];
    int32_t columns[ROWS * COLUMNS];
    double values[ROWS * COLUMNS], dense[ROWS * COLUMNS];
} sparse_matrix;

static prim_sparse make_sparse(sparse_matrix *s)
{
    size_t entries = 0;
    *s = (sparse_matrix){.offsets = {0}};
    for (size_t i = 0; i < (size_t)ROWS * COLUMNS; i++) {
        if (random_bits(i) % 3 == 0) {
            s->columns[entries] = (int32_t)(i % COLUMNS);
            s->values[entries++] = s->dense[i] = number(i);
        }
        s->offsets[i / COLUMNS + 1] = (int64_t)entries;
    }
    return (prim_sparse){.format = PRIM_SPARSE_CSR,
                         .rows = ROWS,
                         .columns = COLUMNS,
                         .entries = entries,
                         .value_type = CUDA_R_64F,
                         .offset_type = CUDA_R_64I,
                         .row_offsets = s->offsets,
                         .column_indices = s->columns,
                         .values = s->values};
}

static void check_product(prim_sparse m, const double *dense, int threads)
{
    double x[COLUMNS], y[ROWS + 1];
    for (size_t i = 0; i < COLUMNS; i++)
        x[i] = number(i + 3000);
    for (size_t i = 0; i <= ROWS; i++)
        y[i] = GAP;
    cr_prim(prim_spmv_host(-2, m, prim_vector_of(CUDA_R_64F, x, m.columns), 5,
                           prim_vector_of(CUDA_R_64F, y, m.rows), threads));
    for (size_t row = 0; row < ROWS; row++) {
        double sum = 0;
        for (size_t column = 0; column < COLUMNS; column++)
            sum += dense[row * COLUMNS + column] * x[column];
        cr_assert_eq(y[row], -2 * sum + 5 * GAP, "format %d, row %zu", m.format, row);
    }
    cr_assert_eq(y[ROWS], GAP);
}

/* Each format, and what it becomes as CSR again. */
static void check_sparse(int threads)
{
    static sparse_matrix s;
    const prim_sparse csr = make_sparse(&s);
    for (int format = PRIM_SPARSE_CSR; format <= PRIM_SPARSE_SELL; format++) {
        prim_sparse there, back;
        static _Alignas(16) char memory[1 << 16], more[1 << 16];
        cr_prim(prim_sparse_convert_host(csr, (prim_sparse_format)format, CUDA_R_64I,
                                         PRIM_SPARSE_WIDTH_AUTO, memory, sizeof memory, &there));
        cr_prim(prim_sparse_convert_host(there, PRIM_SPARSE_CSR, CUDA_R_32I, 0, more, sizeof more,
                                         &back));
        check_product(there, s.dense, threads);
        check_product(back, s.dense, threads);
    }
}

Test(host, spmv_and_conversions)
{
    with_threads(check_sparse);
}
