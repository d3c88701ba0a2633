/* The tables of the articles that the kit grew from, measured again: their figure beside ours. */
#ifndef BENCH_ARTICLES_H
#define BENCH_ARTICLES_H

#include "bench.h"

/* Prints the tables and leaves their figures as results, for the files. The caller frees. */
bench_result *run_articles(size_t *count);

#endif
