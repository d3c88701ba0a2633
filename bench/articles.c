#include "articles.h"

#include <stdio.h>

#include <primitives/primitives.h>

/* ---- the tables ---- */

/* A step of a table. */
typedef struct row {
    const char *label, *theirs; /* the article's own figure */
    const char *name;           /* of the case */
    const char *variant, *peer; /* one of them */
    bench_call *call;
    int value; /* of the variant */
    prim_transpose op;
} row;

/* By how much something grows: so many times n, n² and n³. */
typedef struct growth {
    double n, n2, n3;
} growth;

enum { MOST_SIZES = 2, MOST_ROWS = 10 };

typedef struct table {
    const char *article, *what;
    const char *compared; /* the last column's head: the ratio to the first row */
    const char *type;
    size_t article_n; /* of the article's figures; 0: any */
    size_t gpu_sizes[MOST_SIZES], cpu_size;
    void (*set_up)(article_operands *o);
    growth bytes, flops;
    row rows[MOST_ROWS]; /* a label of NULL: the end */
} table;

/* clang-format off */
static const table tables[] = {
    {"000", "a product of ±1", "to xnor", "f32", 1000, {1000, 5000}, 64,
     set_up_signs, {.n2 = 12}, {.n3 = 2},
     {{"xnor from global memory", "30 ms", "000-binary", "xnor_global", NULL,
       article_binary_gemm, PRIM_BINARY_GEMM_XNOR_GLOBAL, PRIM_NOT_TRANSPOSED},
      {"xnor, A's row in shared memory", "", "000-binary", "xnor_shared_row", NULL,
       article_binary_gemm, PRIM_BINARY_GEMM_XNOR_SHARED_ROW, PRIM_NOT_TRANSPOSED},
      {"xnor in 16 × 16 tiles", "", "000-binary", "xnor_tiled", NULL,
       article_binary_gemm, PRIM_BINARY_GEMM_XNOR_TILED, PRIM_NOT_TRANSPOSED},
      {"the same, x and y exchanged", "3 ms", "000-binary", "xnor_tiled_transposed", NULL,
       article_binary_gemm, PRIM_BINARY_GEMM_XNOR_TILED_TRANSPOSED, PRIM_NOT_TRANSPOSED},
      {"floats, a block for each row of C", "200 ms", "000-dense", "row_per_block", NULL,
       article_gemm, PRIM_GEMM_ROW_PER_BLOCK, PRIM_NOT_TRANSPOSED},
      {"floats, A's row in shared memory", "", "000-dense", "shared_row", NULL,
       article_gemm, PRIM_GEMM_SHARED_ROW, PRIM_NOT_TRANSPOSED},
      {"floats, cublasSgemm", "", "000-dense", NULL, "cublas",
       article_cublas_gemm, 0, PRIM_NOT_TRANSPOSED}}},

    {"002", "y = A · x of the article's V100", "to the first", "f32", 1 << 14, {1 << 14}, 1 << 9,
     set_up_matrix_and_vector, {.n = 8, .n2 = 4}, {.n2 = 2},
     {{"row-major, from global memory", "4.694 ms", "002-row-major", "row_per_thread", NULL,
       article_gemv, PRIM_GEMV_ROW_PER_THREAD, PRIM_NOT_TRANSPOSED},
      {"column-major, coalesced", "1.552 ms", "002-column-major", "column", NULL,
       article_gemv, PRIM_GEMV_COLUMN, PRIM_TRANSPOSED},
      {"x in constant memory", "1.517 ms", "002-column-major", "constant", NULL,
       article_gemv, PRIM_GEMV_CONSTANT, PRIM_TRANSPOSED},
      {"x in shared memory", "1.401 ms", "002-column-major", "shared", NULL,
       article_gemv, PRIM_GEMV_SHARED, PRIM_TRANSPOSED},
      {"x by warp shuffles", "1.594 ms", "002-column-major", "shuffle", NULL,
       article_gemv, PRIM_GEMV_SHUFFLE, PRIM_TRANSPOSED},
      {"row-major, coalesced through a strip", "", "002-row-major", "column", NULL,
       article_gemv, PRIM_GEMV_COLUMN, PRIM_NOT_TRANSPOSED},
      {"the same, x in shared memory", "", "002-row-major", "shared", NULL,
       article_gemv, PRIM_GEMV_SHARED, PRIM_NOT_TRANSPOSED},
      {"cublasSgemv, row-major (its T)", "1.864 ms", "002-row-major", NULL, "cublas",
       article_cublas_gemv, 0, PRIM_NOT_TRANSPOSED},
      {"cublasSgemv, column-major (its N)", "1.382 ms", "002-column-major", NULL, "cublas",
       article_cublas_gemv, 0, PRIM_TRANSPOSED}}},

    {"003, 004", "sum of an array", "to the first", "f32", 0, {1 << 26}, 1 << 16,
     set_up_array, {.n = 4}, {.n = 1},
     {{"interleaved addressing", "", "004-reduce", "interleaved", NULL,
       article_reduce, PRIM_REDUCE_INTERLEAVED, PRIM_NOT_TRANSPOSED},
      {"sequential addressing", "about 2 ×", "004-reduce", "sequential", NULL,
       article_reduce, PRIM_REDUCE_SEQUENTIAL, PRIM_NOT_TRANSPOSED}}},

    {"003", "inclusive scan of an array", "to the first", "f32", 0, {1 << 26}, 1 << 16,
     set_up_array, {.n = 8}, {.n = 1},
     {{"work-inefficient (Kogge-Stone)", "", "003-scan", "kogge_stone", NULL,
       article_scan, PRIM_SCAN_KOGGE_STONE, PRIM_NOT_TRANSPOSED},
      {"work-efficient (Brent-Kung)", "", "003-scan", "brent_kung", NULL,
       article_scan, PRIM_SCAN_BRENT_KUNG, PRIM_NOT_TRANSPOSED}}},

    {"003", "histogram of 4 N bytes in 64 bins, 4 values each", "to the first", "u8", 0,
     {1 << 26}, 1 << 16, set_up_array, {.n = 4}, {.n = 4},
     {{"atomics in global memory", "", "003-histogram", "global_atomic", NULL,
       article_histogram, PRIM_HISTOGRAM_GLOBAL_ATOMIC, PRIM_NOT_TRANSPOSED},
      {"privatised in shared memory", "", "003-histogram", "privatized", NULL,
       article_histogram, PRIM_HISTOGRAM_PRIVATIZED, PRIM_NOT_TRANSPOSED}}},
};
/* clang-format on */

/* ---- measuring one ---- */

static double grown(growth g, size_t size)
{
    const double n = (double)size;
    return g.n * n + g.n2 * n * n + g.n3 * n * n * n;
}

static bench_case case_of(const table *t, const row *r, size_t n)
{
    return (bench_case){.name = r->name,
                        .variant = r->variant,
                        .peer = r->peer,
                        .type = t->type,
                        .size = n,
                        .bytes = grown(t->bytes, n),
                        .flops = grown(t->flops, n)};
}

static void measure_table(article_results *all, const table *t, size_t n)
{
    const bool is_theirs = t->article_n == 0 || t->article_n == n;
    article_operands o = {.n = n};
    double first_us = 0;
    t->set_up(&o);
    printf("\narticle %s: %s, N = %zu\n", t->article, t->what, n);
    printf("  %-44s %12s %15s %11s\n", "", "article", "this device", t->compared);
    for (const row *r = t->rows; r < t->rows + MOST_ROWS && r->label != NULL; r++) {
        if (r->peer != NULL && !article_has_cublas())
            continue;
        o.variant = r->value;
        o.op = r->op;
        const double us = article_measure(all, case_of(t, r, n), r->call, &o);
        first_us = r == t->rows ? us : first_us;
        printf("  %-44s %12s %12.4f ms %9.3g ×\n", r->label, is_theirs ? r->theirs : "", 1e-3 * us,
               first_us / us);
        fflush(stdout);
    }
    article_release(&o);
}

bench_result *run_articles(size_t *count)
{
    article_results all = {0};
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
        if (!on_gpu())
            measure_table(&all, &tables[t], tables[t].cpu_size);
        for (size_t s = 0; on_gpu() && s < MOST_SIZES && tables[t].gpu_sizes[s] > 0; s++)
            measure_table(&all, &tables[t], tables[t].gpu_sizes[s]);
    }
    article_001(&all);
    *count = all.count;
    return all.results;
}
