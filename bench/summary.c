/* What a run says in all: how auto compares with the fastest peers, or with the lowest rungs where
 * there are no peers. Cold times. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench.h"

typedef struct tally {
    size_t groups;
    double log_sum, worst;      /* of the ratios; the smallest */
    const bench_case *worst_at; /* NULL: no group yet */
} tally;

static void add_ratio(tally *t, double ratio, const bench_case *c)
{
    t->groups++;
    t->log_sum += log(ratio);
    if (t->worst_at == NULL || ratio < t->worst) {
        t->worst = ratio;
        t->worst_at = c;
    }
}

static void add_tally(tally *all, const tally *t)
{
    all->groups += t->groups;
    all->log_sum += t->log_sum;
    if (all->worst_at == NULL || t->worst < all->worst) {
        all->worst = t->worst;
        all->worst_at = t->worst_at;
    }
}

static void print_tally(const char *name, const tally *t)
{
    char mean[16], worst[16];
    const bench_case *c = t->worst_at;
    ratio_text(mean, sizeof mean, exp(t->log_sum / (double)t->groups));
    ratio_text(worst, sizeof worst, t->worst);
    printf("  %-21s %8zu %9s %9s  %s %s %s %s\n", name, t->groups, mean, worst, c->name, c->type,
           c->shape, input_name(c->input));
}

static bool has_peers(const bench_result *results, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (results[i].c->peer != NULL && results[i].time.median_us > 0)
            return true;
    return false;
}

/* The results of one pattern from the first on. */
static size_t pattern_length(const bench_result *results, size_t count)
{
    size_t length = 1;
    while (length < count && strcmp(results[0].c->pattern, results[length].c->pattern) == 0)
        length++;
    return length;
}

static tally tally_pattern(const bench_result *results, size_t count, bool to_peers)
{
    tally t = {0};
    for (size_t i = 0, length; i < count; i += length) {
        length = group_length(&results[i], count - i);
        const bench_yardsticks y = find_yardsticks(&results[i], length, MODE_COLD);
        const bench_result *yardstick = to_peers ? y.peer : y.first;
        if (y.automatic != NULL && yardstick != NULL)
            add_ratio(&t, yardstick->time.median_us / y.automatic->time.median_us, results[i].c);
    }
    return t;
}

static void print_noisy(const bench_result *results, size_t count)
{
    size_t noisy = 0, times = 0;
    for (size_t i = 0; i < count; i++) {
        times += results[i].time.median_us > 0;
        noisy += results[i].time.median_us > 0 && is_noisy(&results[i]);
    }
    if (noisy > 0)
        printf("\n%zu of %zu times are noisy: marked with !\n", noisy, times);
}

void print_summary(const bench_result *results, size_t count)
{
    const bool to_peers = has_peers(results, count);
    tally all = {0};
    size_t patterns = 0;
    for (size_t i = 0, length; i < count; i += length) {
        length = pattern_length(&results[i], count - i);
        const tally t = tally_pattern(&results[i], length, to_peers);
        if (t.groups == 0)
            continue;
        if (patterns++ == 0)
            printf("\nauto to the %s\n  %-21s %8s %9s %9s\n",
                   to_peers ? "fastest peer" : "lowest rung", "pattern", "groups", "mean", "worst");
        print_tally(results[i].c->pattern, &t);
        add_tally(&all, &t);
    }
    if (patterns > 1)
        print_tally("all", &all);
    print_noisy(results, count);
}
