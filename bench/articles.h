/* The tables of the articles that the kit grew from, measured again: their figure beside ours. */
#ifndef BENCH_ARTICLES_H
#define BENCH_ARTICLES_H

#include "bench.h"

/* Prints the tables and leaves their figures as results, for the files. */
bench_result *run_articles(size_t *count);
void free_articles(bench_result *results, size_t count);

/* ---- results (article_results.c) ---- */

/* A list that grows. */
typedef struct article_results {
    bench_result *results;
    size_t count, capacity;
} article_results;

/* Of the case, which has its pattern, shape and mode from here. */
void article_keep(article_results *all, bench_case c, bench_time time);
/* Measures the call, keeps it, and returns its median in microseconds. */
double article_measure(article_results *all, bench_case c, bench_call *call, const void *argument);

/* ---- calls (article_calls.c) ---- */

/* What the calls of a table run on. */
typedef struct article_operands {
    size_t n;          /* elements, or the side of a square */
    int variant;       /* of the pattern that is called */
    prim_transpose op; /* of a matrix times a vector */
    void *d_a, *d_b, *d_c;
    void *d_bits_a, *d_bits_b; /* a and b as signs, 32 to a word */
    void *d_workspace;
    size_t workspace_bytes;
} article_operands;

/* For o->n; article_release() frees. */
void set_up_squares(article_operands *o);
void set_up_signs(article_operands *o);
void set_up_matrix_and_vector(article_operands *o);
void set_up_array(article_operands *o);
void article_release(article_operands *o);

bench_call article_gemm, article_binary_gemm, article_gemv, article_reduce, article_scan,
    article_histogram, article_cublas_gemm, article_cublas_gemv;
/* Was it built in? */
bool article_has_cublas(void);

/* ---- article 001 (article_001.c) ---- */

void article_001(article_results *all);

#endif
