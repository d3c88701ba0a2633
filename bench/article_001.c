/* Article 001: products of square matrices of growing size, on the host and on the device. */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <primitives/gemm.h>

#include "articles.h"

/* The table's sizes, and one large one, on a GPU; beyond the others a column is extrapolated. */
enum { STEP = 8, LAST = 2096, LARGE = 10240, LARGEST_ON_HOST = 512, LARGEST_SIMULATED = 128 };

/* One column of the table: what was measured last, and for which n. */
typedef struct column {
    const char *name, *peer, *theirs; /* the article's own figure for LARGE */
    int threads;                      /* 0: on the device */
    prim_gemm_variant variant;        /* on the device */
    size_t largest;                   /* n that is still measured */
    size_t n;
    double us;
} column;

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
    must_prim(prim_gemm_host(
        PRIM_NOT_TRANSPOSED, PRIM_NOT_TRANSPOSED, 1, prim_matrix_of(CUDA_R_32F, h_a, n, n, 0),
        prim_matrix_of(CUDA_R_32F, h_b, n, n, 0), 0, prim_matrix_of(CUDA_R_32F, h_c, n, n, 0),
        PRIM_COMPUTE_DEFAULT, threads));
    clock_gettime(CLOCK_MONOTONIC, &end);
    free(h_a);
    free(h_b);
    free(h_c);
    return 1e6 * (double)(end.tv_sec - start.tv_sec) + 1e-3 * (double)(end.tv_nsec - start.tv_nsec);
}

static double column_us(article_results *all, column *c, article_operands *o)
{
    const double n = (double)o->n;
    const bench_case now = {.name = "001",
                            .variant = c->threads > 0 ? NULL : c->name,
                            .peer = c->peer,
                            .type = "f32",
                            .size = o->n,
                            .bytes = 12 * n * n,
                            .flops = 2 * n * n * n};
    if (o->n <= c->largest) {
        o->variant = c->variant;
        c->n = o->n;
        if (c->threads > 0) {
            c->us = host_us(o->n, c->threads);
            article_keep(all, now, (bench_time){.median_us = c->us, .min_us = c->us});
        } else {
            c->us = article_measure(all, now, article_gemm, o);
        }
    }
    return c->us * pow(n / (double)c->n, 3); /* times grow with n³ */
}

static int host_threads(void)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const int threads = cores < 1 ? 1 : cores > 64 ? 64 : (int)cores;
    const bool built_with_them = prim_gemm_host(PRIM_NOT_TRANSPOSED, PRIM_NOT_TRANSPOSED, 1,
                                                prim_matrix_of(CUDA_R_32F, NULL, 0, 0, 0),
                                                prim_matrix_of(CUDA_R_32F, NULL, 0, 0, 0), 0,
                                                prim_matrix_of(CUDA_R_32F, NULL, 0, 0, 0),
                                                PRIM_COMPUTE_DEFAULT, threads) == PRIM_OK;
    return built_with_them ? threads : 1;
}

static void print_row(article_results *all, column *columns, size_t count, article_operands *o)
{
    printf("  %6zu", o->n);
    for (size_t c = 0; c < count; c++) {
        const double us = column_us(all, &columns[c], o);
        printf("  %c%14.6f", o->n > columns[c].largest ? '~' : ' ', 1e-6 * us);
    }
    printf("\n");
    fflush(stdout);
}

/* Of one size after the other on the operands of the largest. */
static void print_rows(article_results *all, column *columns, size_t count)
{
    article_operands o = {.n = on_gpu() ? LARGE : LARGEST_SIMULATED};
    set_up_squares(&o);
    for (o.n = STEP; o.n <= LAST; o.n += STEP)
        print_row(all, columns, count, &o);
    o.n = LARGE;
    print_row(all, columns, count, &o);
    article_release(&o);
}

void article_001(article_results *all)
{
    static char name[32]; /* results keep it */
    const int threads = host_threads();
    const size_t largest = on_gpu() ? LARGE : LARGEST_SIMULATED;
    snprintf(name, sizeof name, "cpu, %d threads", threads);
    column columns[] = {
        {.name = "CPU, 1 thread",
         .peer = "cpu, 1 thread",
         .theirs = "24881.302",
         .threads = 1,
         .largest = LARGEST_ON_HOST},
        {.name = "CPU, threads",
         .peer = name,
         .theirs = "7801.511",
         .threads = threads,
         .largest = LARGEST_ON_HOST},
        {.name = "naive", .theirs = "134.222", .variant = PRIM_GEMM_NAIVE, .largest = largest},
        {.name = "tiled_32", .theirs = "57.002", .variant = PRIM_GEMM_TILED_32, .largest = largest},
    };
    const size_t count = sizeof columns / sizeof *columns;
    printf("\narticle 001: N × N by N × N, seconds; ~ is extrapolated with N³ from the last size "
           "measured; %d threads\n  %6s",
           threads, "N");
    for (size_t c = 0; c < count; c++)
        printf("  %15s", columns[c].name);
    printf("\n");
    print_rows(all, columns, count);
    printf("  article");
    for (size_t c = 0; c < count; c++)
        printf(" %15s ", columns[c].theirs);
    printf("\n");
}
