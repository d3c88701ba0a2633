/* What was measured of the articles' tables. */
#include <stdio.h>
#include <stdlib.h>

#include "articles.h"

void article_keep(article_results *all, bench_case c, bench_time time)
{
    if (all->count == all->capacity) {
        all->capacity = 2 * all->capacity + 64;
        all->results = realloc(all->results, all->capacity * sizeof *all->results);
    }
    bench_case *kept = malloc(sizeof *kept);
    if (all->results == NULL || kept == NULL)
        exit(1);
    *kept = c;
    kept->pattern = "articles";
    snprintf(kept->shape, sizeof kept->shape, "%zu", c.size);
    all->results[all->count++] = (bench_result){.c = kept, .mode = MODE_COLD, .time = time};
}

void free_articles(bench_result *results, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free((void *)results[i].c);
    free(results);
}

double article_measure(article_results *all, bench_case c, bench_call *call, const void *argument)
{
    const bench_time time = measure(MODE_COLD, call, argument);
    article_keep(all, c, time);
    return time.median_us;
}
