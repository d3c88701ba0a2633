/* The figures that are derived from times. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench.h"

double gbps(const bench_result *r)
{
    return 1e-3 * r->c->bytes / r->time.median_us;
}

double gflops(const bench_result *r)
{
    return 1e-3 * r->c->flops / r->time.median_us;
}

/* How long the case takes at its ceiling; 0 where it has none that was measured. */
static double ceiling_us(const bench_case *c, const bench_ceilings *ceilings)
{
    const double rates[] = {[CEILING_READ] = ceilings->read_gbps,
                            [CEILING_COPY] = ceilings->copy_gbps,
                            [CEILING_FFMA] = ceilings->ffma_gflops,
                            [CEILING_ROOFLINE] = 0,
                            [CEILING_NONE] = 0};
    if (c->ceiling == CEILING_ROOFLINE && ceilings->read_gbps > 0 && ceilings->ffma_gflops > 0)
        return 1e-3 * fmax(c->bytes / ceilings->read_gbps, c->flops / ceilings->ffma_gflops);
    const double work = c->ceiling == CEILING_FFMA ? c->flops : c->bytes;
    const double rate = rates[c->ceiling];
    return rate > 0 ? 1e-3 * work / rate : 0;
}

void set_shares(bench_result *r, const bench_ceilings *ceilings)
{
    const double least_us = ceiling_us(r->c, ceilings);
    r->of_ceiling = least_us / r->time.median_us;
    if (least_us > 0 && r->mode == MODE_COLD) /* a graph's calls cost less than a launch */
        r->of_floor = (least_us + ceilings->empty_us) / r->time.median_us;
}

const char *mode_name(bench_mode mode)
{
    static const char *const names[MODE_COUNT] = {"cold", "hot", "alone"};
    return names[mode];
}

/* Medians of more noise than this are marked. */
static const double most_noise = 0.05;

bool is_noisy(const bench_result *r)
{
    return r->time.noise > most_noise;
}

void ratio_text(char *text, size_t bytes, double ratio)
{
    snprintf(text, bytes, ratio < 0.1 ? "%.2gx" : "%.2fx", ratio);
}

size_t group_length(const bench_result *results, size_t count)
{
    size_t length = 1;
    while (length < count && same_group(results[0].c, results[length].c))
        length++;
    return length;
}

static bool is_rung(const bench_case *c)
{
    return c->peer == NULL && strcmp(c->variant, "auto") != 0;
}

bench_yardsticks find_yardsticks(const bench_result *results, size_t count, bench_mode mode)
{
    bench_yardsticks y = {0};
    const char *first = NULL; /* in any mode: the lowest rung may be too slow to be hot */
    for (size_t i = 0; i < count; i++) {
        const bench_result *r = &results[i];
        if (first == NULL && is_rung(r->c))
            first = r->c->variant;
        if (r->mode != mode || r->time.median_us <= 0)
            continue;
        if (r->c->peer != NULL)
            y.peer = y.peer == NULL || r->time.median_us < y.peer->time.median_us ? r : y.peer;
        else if (!is_rung(r->c))
            y.automatic = r;
        else if (strcmp(r->c->variant, first) == 0)
            y.first = r;
    }
    return y;
}
