/* What became slower or faster from one commit's runs to another's. */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

/* A smaller change is never called one. */
static const double least_change = 0.02;

/* ---- one side ---- */

typedef struct side {
    bench_file files[MAX_LIST];
    size_t count;
} side;

/* What the runs of a side say of a row. */
typedef struct figure {
    double median_us;
    double noise; /* of a run, or between the runs, if that is more */
    size_t runs;  /* 0: no run has the row */
} figure;

static side load_side(const char *name, const bench_names *paths, const bench_options *options)
{
    side s = {.count = paths->count};
    load_files(paths, options, s.files);
    for (size_t f = 0; f < s.count; f++) {
        const bench_context *c = &s.files[f].context;
        printf("%s: %s, CUDA %d.%d, commit %s, %s: %s\n", name, c->device, c->cuda / 1000,
               c->cuda % 1000 / 10, c->commit != NULL ? c->commit : "unknown", c->date,
               paths->names[f]);
    }
    return s;
}

static bool same_row(const bench_result *a, const bench_result *b)
{
    return a->mode == b->mode && (a->c->peer == NULL) == (b->c->peer == NULL) &&
           strcmp(case_label(a->c), case_label(b->c)) == 0 && same_group(a->c, b->c);
}

/* NULL: the file has no such row before number `end`. */
static const bench_result *find_row(const bench_file *file, size_t end, const bench_result *like)
{
    for (size_t i = 0; i < end; i++)
        if (same_row(&file->results[i], like))
            return &file->results[i];
    return NULL;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts the values. */
static double median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, ascending);
    return 0.5 * (values[(count - 1) / 2] + values[count / 2]);
}

static figure figure_of(const side *s, const bench_result *like)
{
    double us[MAX_LIST], noise[MAX_LIST];
    figure f = {0};
    for (size_t i = 0; i < s->count; i++) {
        const bench_result *r = find_row(&s->files[i], s->files[i].count, like);
        if (r == NULL)
            continue;
        us[f.runs] = r->time.median_us;
        noise[f.runs++] = r->time.noise;
    }
    if (f.runs == 0)
        return f;
    f.median_us = median(us, f.runs); /* and us is in order */
    f.noise = fmax(median(noise, f.runs), (us[f.runs - 1] - us[0]) / f.median_us);
    return f;
}

/* Does no file before this one, and no row of it before number i, say the same? */
static bool is_first(const side *s, size_t f, size_t i)
{
    const bench_result *row = &s->files[f].results[i];
    for (size_t before = 0; before < f; before++)
        if (find_row(&s->files[before], s->files[before].count, row) != NULL)
            return false;
    return find_row(&s->files[f], i, row) == NULL;
}

/* Calls `visit` for each row of the side, once. */
static void for_each_row(const side *s, void (*visit)(const bench_result *row, void *argument),
                         void *argument)
{
    for (size_t f = 0; f < s->count; f++)
        for (size_t i = 0; i < s->files[f].count; i++)
            if (is_first(s, f, i))
                visit(&s->files[f].results[i], argument);
}

/* ---- both ---- */

typedef struct comparison {
    side sides[2];
    const bench_case *group; /* the last one printed; NULL: none yet */
    size_t rows, slower, faster, alone[2];
    double log_sum, worst;        /* of the ratios; the largest */
    const bench_result *worst_at; /* NULL: no row yet */
} comparison;

static void print_head(comparison *all, const bench_case *c)
{
    if (all->group != NULL && same_group(all->group, c))
        return;
    all->group = c;
    print_group_title(c);
    printf("  %-21s %-5s %12s %12s %8s %8s %8s\n", "variant", "mode", "A us", "B us", "B/A",
           "A noise", "B noise");
}

static void compare_row(const bench_result *row, void *argument)
{
    comparison *all = argument;
    const figure a = figure_of(&all->sides[0], row), b = figure_of(&all->sides[1], row);
    if (b.runs == 0) {
        all->alone[0]++;
        return;
    }
    const double ratio = b.median_us / a.median_us;
    const double noise = fmax(least_change, fmax(a.noise, b.noise));
    const bool is_slower = ratio > 1 + noise, is_faster = 1 / ratio > 1 + noise;
    print_head(all, row->c);
    printf("  %-21s %-5s %12.2f %12.2f %8.3f %7.1f%% %7.1f%%%s\n", case_label(row->c),
           mode_name(row->mode), a.median_us, b.median_us, ratio, 100 * a.noise, 100 * b.noise,
           is_slower   ? "  slower"
           : is_faster ? "  faster"
                       : "");
    all->rows++;
    all->slower += is_slower;
    all->faster += is_faster;
    all->log_sum += log(ratio);
    if (all->worst_at == NULL || ratio > all->worst) {
        all->worst = ratio;
        all->worst_at = row;
    }
}

static void count_alone(const bench_result *row, void *argument)
{
    comparison *all = argument;
    all->alone[1] += figure_of(&all->sides[0], row).runs == 0;
}

static void print_end(const comparison *all)
{
    const bench_result *worst = all->worst_at;
    printf("\n%zu rows compared; in A alone %zu, in B alone %zu\n", all->rows, all->alone[0],
           all->alone[1]);
    printf("geometric mean of B/A: %.3f\n", exp(all->log_sum / (double)all->rows));
    printf("worst: %.3f: %s %s %s %s %s %s %s\n", all->worst, worst->c->pattern, worst->c->name,
           worst->c->type, worst->c->shape, input_name(worst->c->input), case_label(worst->c),
           mode_name(worst->mode));
    printf("beyond noise: %zu slower, %zu faster\n", all->slower, all->faster);
}

int compare_files(const bench_options *options)
{
    comparison *all = calloc(1, sizeof *all);
    if (all == NULL)
        return 2;
    all->sides[0] = load_side("A", &options->compared[0], options);
    all->sides[1] = load_side("B", &options->compared[1], options);
    if (strcmp(all->sides[0].files[0].context.device, all->sides[1].files[0].context.device) != 0)
        printf("A and B were measured on different devices.\n");
    for_each_row(&all->sides[0], compare_row, all);
    for_each_row(&all->sides[1], count_alone, all);
    if (all->rows > 0)
        print_end(all);
    else
        fprintf(stderr, "primbench: A and B have no row in common\n");
    const int status = all->rows == 0 ? 2 : all->slower > 0;
    for (int s = 0; s < 2; s++)
        unload(all->sides[s].files, all->sides[s].count);
    free(all);
    return status;
}
