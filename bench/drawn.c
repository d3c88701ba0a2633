/* What a run of drawn cases says: for each call, how large AUTO's share of the roofline is, and its
 * ratio to the fastest peer, cold, and hot or alone where these were measured; and which cases are
 * the worst, cold. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "draw.h"

/* ---- figures of one kind ---- */

typedef struct figures {
    double *logs;
    const bench_case **of;
    size_t count;
} figures;

static figures make_figures(size_t capacity)
{
    figures f = {calloc(capacity + 1, sizeof *f.logs), calloc(capacity + 1, sizeof *f.of), 0};
    if (f.logs == NULL || f.of == NULL)
        exit(1);
    return f;
}

static void free_figures(figures *f)
{
    free(f->logs);
    free(f->of);
}

static void add_figure(figures *f, double figure, const bench_case *c)
{
    f->logs[f->count] = log(figure);
    f->of[f->count++] = c;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

typedef struct spread {
    double mean, lower, upper; /* geometric, and its 90 % interval */
    double fifth, worst;       /* percentile, and the least */
} spread;

/* The bootstrap: means of as many cases, drawn from these with repetition. */
static void find_interval(const figures *f, spread *s)
{
    enum { RESAMPLES = 1000 };
    double means[RESAMPLES];
    uint64_t state = 1;
    for (size_t r = 0; r < RESAMPLES; r++) {
        double sum = 0;
        for (size_t i = 0; i < f->count; i++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            sum += f->logs[(size_t)(state >> 33) % f->count];
        }
        means[r] = sum / (double)f->count;
    }
    qsort(means, RESAMPLES, sizeof *means, ascending);
    s->lower = exp(means[RESAMPLES / 20]);
    s->upper = exp(means[RESAMPLES - 1 - RESAMPLES / 20]);
}

static spread spread_of(const figures *f)
{
    spread s;
    double sum = 0, *sorted = malloc(f->count * sizeof *sorted);
    if (sorted == NULL)
        exit(1);
    for (size_t i = 0; i < f->count; i++)
        sum += sorted[i] = f->logs[i];
    qsort(sorted, f->count, sizeof *sorted, ascending);
    s.mean = exp(sum / (double)f->count);
    s.fifth = exp(sorted[f->count / 20]);
    s.worst = exp(sorted[0]);
    find_interval(f, &s);
    free(sorted);
    return s;
}

static void print_spread(const figures *f)
{
    if (f->count == 0) {
        printf("  %40s", "-");
        return;
    }
    const spread s = spread_of(f);
    printf("  %5zu %6.2f [%5.2f %6.2f] %6.2f %6.2f", f->count, s.mean, s.lower, s.upper, s.fifth,
           s.worst);
}

/* ---- calls ---- */

/* Of products the types differ more than the shapes do; others are told by the case's name. */
static bool is_told_by_type(const bench_case *c)
{
    return strcmp(c->pattern, "gemm") == 0;
}

static bool same_call(const bench_case *a, const bench_case *b)
{
    return strcmp(a->pattern, b->pattern) == 0 && strcmp(a->name, b->name) == 0 &&
           (!is_told_by_type(a) || strcmp(a->type, b->type) == 0);
}

/* AUTO's share and ratio in one group; 0: there is none. */
typedef struct outcome {
    double share, ratio;
} outcome;

static outcome outcome_of(const bench_result *group, size_t count, bench_mode mode)
{
    const bench_yardsticks y = find_yardsticks(group, count, mode);
    if (y.automatic == NULL)
        return (outcome){0, 0};
    return (outcome){y.automatic->of_floor,
                     y.peer != NULL ? y.peer->time.median_us / y.automatic->time.median_us : 0};
}

static void print_call(const bench_result *results, size_t count, const bench_case *c,
                       bench_mode mode)
{
    figures shares = make_figures(count), ratios = make_figures(count);
    for (size_t i = 0, length; i < count; i += length) {
        length = group_length(&results[i], count - i);
        if (!is_drawn(results[i].c) || !same_call(results[i].c, c))
            continue;
        const outcome o = outcome_of(&results[i], length, mode);
        if (o.share > 0)
            add_figure(&shares, o.share, results[i].c);
        if (o.ratio > 0)
            add_figure(&ratios, o.ratio, results[i].c);
    }
    char call[32];
    snprintf(call, sizeof call, "%s%s%s", listed_name(c), is_told_by_type(c) ? " " : "",
             is_told_by_type(c) ? c->type : "");
    printf("  %-12s %-18s", c->pattern, call);
    print_spread(&shares);
    print_spread(&ratios);
    printf("\n");
    free_figures(&shares);
    free_figures(&ratios);
}

static bool is_first_of_call(const bench_result *results, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (same_call(results[i].c, results[at].c))
            return false;
    return is_drawn(results[at].c);
}

/* ---- the worst ---- */

enum { WORST = 10 };

static void print_again(const bench_context *context, const bench_case *c)
{
    printf("      primbench %s --draw %zu --seed %u --case %s --only %zu%s%s\n", c->pattern,
           context->drawn, context->seed, c->name, number_of(c),
           is_told_by_type(c) ? " --type " : "", is_told_by_type(c) ? c->type : "");
}

/* Of cases whose figures are below 1, the ten that are farthest. */
static void print_worst(const bench_context *context, const bench_result *results, size_t count,
                        const char *title, double (*figure)(outcome))
{
    figures all = make_figures(count);
    for (size_t i = 0, length; i < count; i += length) {
        length = group_length(&results[i], count - i);
        const double of_group =
            is_drawn(results[i].c) ? figure(outcome_of(&results[i], length, MODE_COLD)) : 0;
        if (of_group > 0 && of_group < 1)
            add_figure(&all, of_group, results[i].c);
    }
    if (all.count > 0)
        printf("\n%s\n", title);
    for (int shown = 0; shown < WORST && all.count > 0; shown++) {
        size_t worst = 0;
        for (size_t i = 1; i < all.count; i++)
            if (all.logs[i] < all.logs[worst])
                worst = i;
        const bench_case *c = all.of[worst];
        printf("  %5.2f  %s %s %s %s\n", exp(all.logs[worst]), c->pattern, listed_name(c), c->type,
               c->shape);
        print_again(context, c);
        all.count--;
        all.logs[worst] = all.logs[all.count];
        all.of[worst] = all.of[all.count];
    }
    free_figures(&all);
}

static double share_of(outcome o)
{
    return o.share;
}

static double ratio_of(outcome o)
{
    return o.ratio;
}

static bool has_mode(const bench_result *results, size_t count, bench_mode mode)
{
    size_t i = 0;
    while (i < count &&
           (results[i].mode != mode || results[i].time.median_us <= 0 || !is_drawn(results[i].c)))
        i++;
    return i < count;
}

static void print_calls(const bench_context *context, const bench_result *results, size_t count,
                        bench_mode mode)
{
    printf("\n%zu cases a call, seed %u, of AUTO, %s: cases, mean [90 %%], 5th percentile, worst\n"
           "  %-31s  %40s  %40s\n",
           context->drawn, context->seed, mode_name(mode), "",
           mode == MODE_COLD ? "share of the roofline" : "", "times the fastest library");
    for (size_t i = 0; i < count; i++)
        if (is_first_of_call(results, i))
            print_call(results, count, results[i].c, mode);
}

void print_drawn(const bench_context *context, const bench_result *results, size_t count)
{
    for (int mode = 0; mode < MODE_COUNT; mode++)
        if (has_mode(results, count, (bench_mode)mode))
            print_calls(context, results, count, (bench_mode)mode);
    if (!has_mode(results, count, MODE_COLD))
        return;
    print_worst(context, results, count, "Slowest beside the libraries", ratio_of);
    print_worst(context, results, count, "Farthest from the roofline", share_of);
}
