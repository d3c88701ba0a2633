#define _GNU_SOURCE
#include "articles.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <primitives/primitives.h>

#include "peers/peers.h"

/* ---- what has been measured ---- */

typedef struct measured {
    bench_result *results;
    size_t count, capacity;
} measured;

/* The pattern, the case, the variant or the peer, the type and the size of what comes next. */
typedef struct step {
    const char *pattern, *name, *variant, *peer, *type;
    size_t size;
    double bytes, flops;
} step;

static void keep(measured *all, const step *s, bench_time time)
{
    if (all->count == all->capacity) {
        all->capacity = 2 * all->capacity + 64;
        all->results = realloc(all->results, all->capacity * sizeof *all->results);
    }
    bench_case *c = calloc(1, sizeof *c);
    if (all->results == NULL || c == NULL)
        exit(1);
    *c = (bench_case){.pattern = s->pattern,
                      .name = s->name,
                      .variant = s->variant,
                      .peer = s->peer,
                      .type = s->type,
                      .size = s->size,
                      .bytes = s->bytes,
                      .flops = s->flops};
    snprintf(c->shape, sizeof c->shape, "%zu", s->size);
    all->results[all->count++] = (bench_result){.c = c, .mode = MODE_COLD, .time = time};
}

static double take(measured *all, const step *s, bench_call *call, const void *argument)
{
    const bench_time time = measure(MODE_COLD, call, argument);
    keep(all, s, time);
    return time.median_us;
}

/* ---- tables ---- */

static void print_head(const char *article, const char *what)
{
    printf("\narticle %s: %s\n", article, what);
}

/* One step with the article's own figure; `first_us` is what it is compared with. */
static void print_step(const char *label, const char *theirs, double us, double first_us)
{
    printf("  %-44s %12s %12.4f ms %9.2f ×\n", label, theirs, 1e-3 * us, first_us / us);
    fflush(stdout);
}

static void print_columns(const char *last)
{
    printf("  %-44s %12s %15s %11s\n", "", "article", "this device", last);
}

static void *device_memory(size_t bytes)
{
    void *d_data;
    must(cudaMalloc(&d_data, bytes), "memory for an article's table");
    return d_data;
}

static void *device_floats(size_t count, unsigned seed)
{
    void *d_data = device_memory(count * sizeof(float));
    must(fill_on_device(CUDA_R_32F, d_data, count, INPUT_UNIFORM, seed, 0), "a fill");
    must(cudaDeviceSynchronize(), "a fill");
    return d_data;
}

/* ---- 001: products of square matrices ---- */

typedef struct squares {
    size_t n;
    prim_gemm_variant variant;
    void *d_a, *d_b, *d_c;
} squares;

static prim_status run_gemm(const void *argument, cudaStream_t stream)
{
    const squares *s = argument;
    return prim_gemm(s->variant, PRIM_NOT_TRANSPOSED, PRIM_NOT_TRANSPOSED, s->n, s->n, s->n, 1,
                     CUDA_R_32F, s->d_a, s->n, CUDA_R_32F, s->d_b, s->n, 0, CUDA_R_32F, s->d_c,
                     s->n, PRIM_COMPUTE_DEFAULT, NULL, 0, stream);
}

/* B behind A, as in the bench's own cases. */
static bench_case gemm_case(size_t n)
{
    return (bench_case){.pattern = "gemm",
                        .name = "square",
                        .peer = "cublas",
                        .m = n,
                        .n = n,
                        .k = n,
                        .element = CUDA_R_32F};
}

static prim_status run_cublas(const void *argument, cudaStream_t stream)
{
    const squares *s = argument;
    const bench_case c = gemm_case(s->n);
    const bench_operands o = {.d_in = s->d_a, .d_out = s->d_c};
    return find_peer(&c)->run(&c, &o, stream);
}

static step gemm_step(const char *name, size_t n, const char *variant, const char *peer)
{
    const double elements = (double)n * (double)n;
    return (step){.pattern = "articles",
                  .name = name,
                  .variant = variant,
                  .peer = peer,
                  .type = "f32",
                  .size = n,
                  .bytes = 12 * elements,
                  .flops = 2 * elements * (double)n};
}

/* Beyond this a column is extrapolated: times grow with n³. */
static size_t largest_on_host(void)
{
    return 512;
}

static size_t largest_on_device(void)
{
    return on_gpu() ? SIZE_MAX : 128;
}

static double host_us(size_t n, int threads)
{
    float *h_a = malloc(n * n * sizeof *h_a), *h_b = malloc(n * n * sizeof *h_b),
          *h_c = malloc(n * n * sizeof *h_c);
    if (h_a == NULL || h_b == NULL || h_c == NULL)
        exit(1);
    for (size_t i = 0; i < n * n; i++) {
        h_a[i] = (float)(i % 17) - 8;
        h_b[i] = (float)(i % 19) - 9;
    }
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    must_prim(prim_gemm_host(PRIM_NOT_TRANSPOSED, PRIM_NOT_TRANSPOSED, n, n, n, 1, CUDA_R_32F, h_a,
                             n, CUDA_R_32F, h_b, n, 0, CUDA_R_32F, h_c, n, PRIM_COMPUTE_DEFAULT,
                             threads));
    clock_gettime(CLOCK_MONOTONIC, &end);
    free(h_a);
    free(h_b);
    free(h_c);
    return 1e6 * (double)(end.tv_sec - start.tv_sec) + 1e-3 * (double)(end.tv_nsec - start.tv_nsec);
}

/* One column of the table: what was measured last, and for which n. */
typedef struct column {
    const char *name, *peer;
    int threads;               /* 0: on the device */
    prim_gemm_variant variant; /* on the device */
    size_t largest;            /* n that is still measured */
    size_t n;
    double us;
} column;

static double column_us(measured *all, column *c, squares *s)
{
    if (s->n <= c->largest) {
        const step now = gemm_step("001", s->n, c->threads > 0 ? NULL : c->name, c->peer);
        s->variant = c->variant;
        c->n = s->n;
        if (c->threads > 0) {
            c->us = host_us(s->n, c->threads);
            keep(all, &now, (bench_time){.median_us = c->us, .min_us = c->us});
        } else {
            c->us = take(all, &now, run_gemm, s);
        }
    }
    return c->us * pow((double)s->n / (double)c->n, 3);
}

static int host_threads(void)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const int threads = cores < 1 ? 1 : cores > 64 ? 64 : (int)cores;
    const bool built_with_them =
        prim_gemm_host(PRIM_NOT_TRANSPOSED, PRIM_NOT_TRANSPOSED, 0, 0, 0, 1, CUDA_R_32F, NULL, 0,
                       CUDA_R_32F, NULL, 0, 0, CUDA_R_32F, NULL, 0, PRIM_COMPUTE_DEFAULT,
                       threads) == PRIM_OK;
    return built_with_them ? threads : 1;
}

static void print_row(measured *all, column *columns, size_t count, squares *s)
{
    printf("  %6zu", s->n);
    for (size_t c = 0; c < count; c++) {
        const double us = column_us(all, &columns[c], s);
        printf("  %c%14.6f", s->n > columns[c].largest ? '~' : ' ', 1e-6 * us);
    }
    printf("\n");
    fflush(stdout);
}

static void article_001(measured *all)
{
    enum { LAST = 2096, STEP = 8, LARGE = 10240 };
    const int threads = host_threads();
    char peer[32];
    snprintf(peer, sizeof peer, "cpu, %d threads", threads);
    column columns[] = {
        {"CPU, 1 thread", "cpu, 1 thread", 1, PRIM_GEMM_AUTO, largest_on_host(), 0, 0},
        {"CPU, threads", strdup(peer), threads, PRIM_GEMM_AUTO, largest_on_host(), 0, 0},
        {"naive", NULL, 0, PRIM_GEMM_NAIVE, largest_on_device(), 0, 0},
        {"tiled_32", NULL, 0, PRIM_GEMM_TILED_32, largest_on_device(), 0, 0}};
    const size_t count = sizeof columns / sizeof *columns;
    const size_t elements = on_gpu() ? (size_t)LARGE * LARGE : 128 * 128;
    squares s = {.d_a = device_floats(elements, 1),
                 .d_b = device_floats(elements, 2),
                 .d_c = device_memory(elements * sizeof(float))};
    print_head("001", "N × N by N × N, seconds; ~ is extrapolated with N³ from the last size "
                      "measured");
    printf("  %6s  %15s  %9s %3d thr.  %15s  %15s\n", "N", "CPU, 1 thread", "CPU,", threads,
           "naive", "tiled_32");
    for (s.n = STEP; s.n <= LAST; s.n += STEP)
        print_row(all, columns, count, &s);
    s.n = LARGE;
    print_row(all, columns, count, &s);
    printf("  article, N = 10240: %.3f, %.3f, %.3f and %.3f\n", 24881.302, 7801.511, 134.222,
           57.002);
    must(cudaFree(s.d_a), "freeing");
    must(cudaFree(s.d_b), "freeing");
    must(cudaFree(s.d_c), "freeing");
}

/* ---- 000: the same product of ±1, in floats and in bits ---- */

typedef struct binary_squares {
    size_t n;
    prim_binary_gemm_variant variant;
    uint32_t *d_a, *d_b;
    float *d_c;
} binary_squares;

static prim_status run_binary(const void *argument, cudaStream_t stream)
{
    const binary_squares *s = argument;
    return prim_binary_gemm(s->variant, s->n, s->n, s->n, s->d_a, (s->n + 31) / 32, s->d_b, s->n,
                            CUDA_R_32F, s->d_c, s->n, NULL, 0, stream);
}

static void article_000(measured *all, size_t n)
{
    static const struct {
        prim_gemm_variant variant;
        const char *label;
    } dense[] = {{PRIM_GEMM_ROW_PER_BLOCK, "floats, a block for each row of C"},
                 {PRIM_GEMM_SHARED_ROW, "floats, A's row in shared memory"}};
    static const struct {
        prim_binary_gemm_variant variant;
        const char *label;
    } binary[] = {{PRIM_BINARY_GEMM_XNOR_GLOBAL, "xnor from global memory"},
                  {PRIM_BINARY_GEMM_XNOR_SHARED_ROW, "xnor, A's row in shared memory"},
                  {PRIM_BINARY_GEMM_XNOR_TILED, "xnor in 16 × 16 tiles"},
                  {PRIM_BINARY_GEMM_XNOR_TILED_TRANSPOSED, "the same, x and y exchanged"}};
    const size_t words = (n + 31) / 32;
    float *const d_a = device_floats(2 * n * n, 1), *const d_b = d_a + n * n;
    squares s = {n, PRIM_GEMM_AUTO, d_a, d_b, device_memory(n * n * sizeof(float))};
    binary_squares b = {n, PRIM_BINARY_GEMM_AUTO, device_memory(n * words * 4),
                        device_memory(n * words * 4), s.d_c};
    must_prim(prim_binary_pack_rows(CUDA_R_32F, s.d_a, n, n, n, b.d_a, words, 0));
    must_prim(prim_binary_pack_columns(CUDA_R_32F, s.d_b, n, n, n, b.d_b, n, 0));
    must(cudaDeviceSynchronize(), "packing");

    char what[64];
    snprintf(what, sizeof what, "a product of ±1, %zu × %zu", n, n);
    print_head("000", what);
    print_columns("to xnor");
    double first = 0;
    for (size_t i = 0; i < sizeof binary / sizeof *binary; i++) {
        step now =
            gemm_step("000-binary", n, prim_binary_gemm_variant_name(binary[i].variant), NULL);
        b.variant = binary[i].variant;
        const double us = take(all, &now, run_binary, &b);
        first = i == 0 ? us : first;
        print_step(binary[i].label,
                   n != 1000 ? ""
                   : i == 0  ? "30 ms"
                   : i == 3  ? "3 ms"
                             : "",
                   us, first);
    }
    for (size_t i = 0; i < sizeof dense / sizeof *dense; i++) {
        step now = gemm_step("000-dense", n, prim_gemm_variant_name(dense[i].variant), NULL);
        s.variant = dense[i].variant;
        print_step(dense[i].label, n == 1000 && i == 0 ? "200 ms" : "",
                   take(all, &now, run_gemm, &s), first);
    }
    const bench_case theirs = gemm_case(n);
    if (find_peer(&theirs) != NULL) {
        step now = gemm_step("000-dense", n, NULL, theirs.peer);
        print_step("floats, cublasSgemm", "", take(all, &now, run_cublas, &s), first);
    }
    must(cudaFree(s.d_a), "freeing");
    must(cudaFree(s.d_c), "freeing");
    must(cudaFree(b.d_a), "freeing");
    must(cudaFree(b.d_b), "freeing");
}

/* ---- 002: a matrix and a vector ---- */

typedef struct matrix_vector {
    size_t n;
    prim_gemv_variant variant;
    prim_transpose op;
    float *d_a, *d_x, *d_y;
} matrix_vector;

static prim_status run_gemv(const void *argument, cudaStream_t stream)
{
    const matrix_vector *v = argument;
    return prim_gemv(v->variant, v->op, v->n, v->n, 1, CUDA_R_32F, v->d_a, v->n, CUDA_R_32F, v->d_x,
                     0, CUDA_R_32F, v->d_y, NULL, 0, stream);
}

static bench_case gemv_case(const matrix_vector *v)
{
    return (bench_case){.pattern = "gemv",
                        .name = v->op == PRIM_TRANSPOSED ? "transposed" : "plain",
                        .peer = "cublas",
                        .size = v->n * v->n,
                        .rows = v->n,
                        .element = CUDA_R_32F};
}

static prim_status run_cublas_gemv(const void *argument, cudaStream_t stream)
{
    const matrix_vector *v = argument;
    const bench_case c = gemv_case(v);
    const bench_operands o = {.d_in = v->d_a, .d_out = v->d_y};
    return find_peer(&c)->run(&c, &o, stream);
}

/* The article's numbers: a_ij = i - 0.1 j + 1 and x_i = log √(i² - i + 2); column-major, a_ij
 * stands where a_ji would. */
static matrix_vector make_matrix_vector(size_t n)
{
    float *h_row = malloc(n * sizeof *h_row);
    matrix_vector v = {.n = n,
                       .d_a = device_memory((n * n + n) * sizeof(float)),
                       .d_y = device_memory(n * sizeof(float))};
    v.d_x = v.d_a + n * n; /* where a peer looks for it */
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++)
            h_row[j] = (float)((double)i - 0.1 * (double)j + 1);
        must(cudaMemcpy(v.d_a + i * n, h_row, n * sizeof *h_row, cudaMemcpyHostToDevice), "a row");
    }
    for (size_t i = 0; i < n; i++)
        h_row[i] = (float)log(sqrt((double)i * (double)i - (double)i + 2));
    must(cudaMemcpy(v.d_x, h_row, n * sizeof *h_row, cudaMemcpyHostToDevice), "x");
    free(h_row);
    return v;
}

static void article_002(measured *all)
{
    static const struct {
        prim_gemv_variant variant;
        prim_transpose op;
        const char *label, *theirs, *name;
    } rows[] = {
        {PRIM_GEMV_ROW_PER_THREAD, PRIM_NOT_TRANSPOSED, "row-major, from global memory", "4.694 ms",
         "002-row-major"},
        {PRIM_GEMV_COLUMN, PRIM_TRANSPOSED, "column-major, coalesced", "1.552 ms",
         "002-column-major"},
        {PRIM_GEMV_CONSTANT, PRIM_TRANSPOSED, "x in constant memory", "1.517 ms",
         "002-column-major"},
        {PRIM_GEMV_SHARED, PRIM_TRANSPOSED, "x in shared memory", "1.401 ms", "002-column-major"},
        {PRIM_GEMV_SHUFFLE, PRIM_TRANSPOSED, "x by warp shuffles", "1.594 ms", "002-column-major"},
        {PRIM_GEMV_COLUMN, PRIM_NOT_TRANSPOSED, "row-major, coalesced through a strip", "",
         "002-row-major"},
        {PRIM_GEMV_SHARED, PRIM_NOT_TRANSPOSED, "the same, x in shared memory", "",
         "002-row-major"}};
    const size_t n = on_gpu() ? (size_t)1 << 14 : 1 << 9;
    matrix_vector v = make_matrix_vector(n);
    char what[64];
    snprintf(what, sizeof what, "y = A · x, %zu × %zu; the article's V100", n, n);
    print_head("002", what);
    print_columns("to the first");
    double first = 0;
    const double elements = (double)n * (double)n;
    step now = {.pattern = "articles", .type = "f32", .size = n};
    now.bytes = 4 * (elements + 2 * (double)n);
    now.flops = 2 * elements;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        v.variant = rows[i].variant;
        v.op = rows[i].op;
        now.name = rows[i].name;
        now.variant = prim_gemv_variant_name(v.variant);
        const double us = take(all, &now, run_gemv, &v);
        first = i == 0 ? us : first;
        print_step(rows[i].label, rows[i].theirs, us, first);
    }
    now.variant = NULL;
    now.peer = "cublas";
    const bench_case theirs = gemv_case(&v);
    for (int op = 0; find_peer(&theirs) != NULL && op < 2; op++) {
        v.op = op == 0 ? PRIM_NOT_TRANSPOSED : PRIM_TRANSPOSED;
        now.name = op == 0 ? "002-row-major" : "002-column-major";
        print_step(op == 0 ? "cublasSgemv, row-major (its T)" : "cublasSgemv, column-major (its N)",
                   op == 0 ? "1.864 ms" : "1.382 ms", take(all, &now, run_cublas_gemv, &v), first);
    }
    must(cudaFree(v.d_a), "freeing");
    must(cudaFree(v.d_y), "freeing");
}

/* ---- 003 and 004: pairs ---- */

typedef struct array {
    size_t count;
    int variant;
    void *d_in, *d_out, *d_workspace;
    size_t workspace_bytes;
} array;

static prim_status run_reduce(const void *argument, cudaStream_t stream)
{
    const array *a = argument;
    return prim_reduce((prim_reduce_variant)a->variant, PRIM_OP_SUM, PRIM_TRANSFORM_NONE,
                       CUDA_R_32F, a->d_in, a->count, CUDA_R_32F, a->d_out, a->d_workspace,
                       a->workspace_bytes, stream);
}

static prim_status run_scan(const void *argument, cudaStream_t stream)
{
    const array *a = argument;
    return prim_scan((prim_scan_variant)a->variant, PRIM_SCAN_INCLUSIVE, PRIM_OP_SUM,
                     PRIM_TRANSFORM_NONE, NULL, CUDA_R_32F, a->d_in, a->count, CUDA_R_32F, a->d_out,
                     a->d_workspace, a->workspace_bytes, stream);
}

static prim_status run_histogram(const void *argument, cudaStream_t stream)
{
    const array *a = argument;
    const prim_histogram_range range = {.lower = 0, .upper = 256};
    return prim_histogram_even((prim_histogram_variant)a->variant, 0, PRIM_OUTSIDE_DROP, range,
                               CUDA_R_8U, a->d_in, a->count * 4, 64, CUDA_R_32U, a->d_out, NULL,
                               a->d_workspace, a->workspace_bytes, stream);
}

typedef struct pair {
    const char *article, *what, *name, *type, *theirs;
    bench_call *call;
    struct {
        int variant;
        const char *name, *label;
    } steps[2];
    double bytes_an_element, flops_an_element;
} pair;

static const pair pairs[] = {
    {"003, 004",
     "sum of an array",
     "004-reduce",
     "f32",
     "about 2 ×",
     run_reduce,
     {{PRIM_REDUCE_INTERLEAVED, "interleaved", "interleaved addressing"},
      {PRIM_REDUCE_SEQUENTIAL, "sequential", "sequential addressing"}},
     4,
     1},
    {"003",
     "inclusive scan of an array",
     "003-scan",
     "f32",
     "",
     run_scan,
     {{PRIM_SCAN_KOGGE_STONE, "kogge_stone", "work-inefficient (Kogge-Stone)"},
      {PRIM_SCAN_BRENT_KUNG, "brent_kung", "work-efficient (Brent-Kung)"}},
     8,
     1},
    {"003",
     "histogram of bytes in 64 bins, 4 values each",
     "003-histogram",
     "u8",
     "",
     run_histogram,
     {{PRIM_HISTOGRAM_GLOBAL_ATOMIC, "global_atomic", "atomics in global memory"},
      {PRIM_HISTOGRAM_PRIVATIZED, "privatized", "privatised in shared memory"}},
     4,
     4},
};

static void print_pair(measured *all, const pair *p, array *a)
{
    char what[96];
    snprintf(what, sizeof what, "%s, %zu %s", p->what, a->count * (p->type[0] == 'u' ? 4 : 1),
             p->type);
    print_head(p->article, what);
    print_columns("to the first");
    double first = 0;
    for (int i = 0; i < 2; i++) {
        const double count = (double)a->count;
        const step now = {.pattern = "articles",
                          .name = p->name,
                          .variant = p->steps[i].name,
                          .type = p->type,
                          .size = a->count,
                          .bytes = p->bytes_an_element * count,
                          .flops = p->flops_an_element * count};
        a->variant = p->steps[i].variant;
        const double us = take(all, &now, p->call, a);
        first = i == 0 ? us : first;
        print_step(p->steps[i].label, i == 1 ? p->theirs : "", us, first);
    }
}

static void articles_003_and_004(measured *all)
{
    const size_t count = on_gpu() ? (size_t)1 << 26 : 1 << 16;
    array a = {.count = count, .d_in = device_floats(count, 7), .workspace_bytes = count / 16};
    a.d_out = device_memory(count * sizeof(float));
    a.d_workspace = device_memory(a.workspace_bytes);
    for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++)
        print_pair(all, &pairs[p], &a);
    must(cudaFree(a.d_in), "freeing");
    must(cudaFree(a.d_out), "freeing");
    must(cudaFree(a.d_workspace), "freeing");
}

bench_result *run_articles(size_t *count)
{
    measured all = {0};
    article_000(&all, on_gpu() ? 1000 : 64);
    if (on_gpu())
        article_000(&all, 5000);
    article_002(&all);
    articles_003_and_004(&all);
    article_001(&all);
    *count = all.count;
    return all.results;
}
