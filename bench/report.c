/* Tables and the progress bar on the terminal, and the figures derived from a time. */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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
                            [CEILING_NONE] = 0};
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
    return mode == MODE_HOT ? "hot" : "cold";
}

void print_context(const bench_context *context)
{
    printf("%s, CUDA %d.%d, %s\n", context->device, context->cuda / 1000, context->cuda % 1000 / 10,
           context->date);
    if (context->ceilings.read_gbps <= 0)
        printf("This is the CPU backend: times compare variants as a CPU simulates them, and say "
               "nothing about a GPU.\n");
    else
        printf("ceilings of this run: read %.0f GB/s, copy %.0f GB/s, empty launch %.2f us\n",
               context->ceilings.read_gbps, context->ceilings.copy_gbps,
               context->ceilings.empty_us);
    if (context->ceilings.ffma_gflops > 0)
        printf("multiply-adds of f32: %.0f GFLOP/s\n", context->ceilings.ffma_gflops);
}

static void print_percent(double fraction)
{
    if (fraction > 0)
        printf(" %8.1f%%", 100 * fraction);
    else
        printf(" %9s", "-");
}

/* What the results of a group in one mode are compared with. */
typedef struct yardsticks {
    const bench_result *first; /* the first rung: auto stands before it; NULL: only peers */
    const bench_result *peer;  /* the fastest; NULL: there is none */
} yardsticks;

static yardsticks find_yardsticks(const bench_result *results, size_t count, bench_mode mode)
{
    yardsticks y = {0};
    for (size_t i = 0; i < count; i++) {
        const bench_result *r = &results[i];
        if (r->mode != mode || r->time.median_us <= 0)
            continue;
        if (r->c->peer != NULL) {
            if (y.peer == NULL || r->time.median_us < y.peer->time.median_us)
                y.peer = r;
        } else if (y.first == NULL || strcmp(y.first->c->variant, "auto") == 0) {
            y.first = r;
        }
    }
    return y;
}

static void print_ratio(const bench_result *yardstick, const bench_result *r)
{
    if (yardstick != NULL)
        printf(" %8.2fx", yardstick->time.median_us / r->time.median_us);
    else
        printf(" %9s", "-");
}

static void print_result(const bench_result *r, const yardsticks *y)
{
    printf("  %-21s %-5s %12.2f %6.1f%% %10.1f %10.1f", case_label(r->c), mode_name(r->mode),
           r->time.median_us, 100 * r->time.noise, gbps(r), gflops(r));
    print_percent(r->of_ceiling);
    print_percent(r->of_floor);
    print_ratio(y->first, r);
    print_ratio(y->peer, r);
    printf("\n");
}

void print_group_title(const bench_case *c)
{
    printf("\n%s %s %s, %s%s, %s\n", c->pattern, c->name, c->type, c->shape,
           strchr(c->shape, '^') != NULL ? "" : " elements", input_name(c->input));
}

void print_group(const bench_result *results, size_t count)
{
    print_group_title(results[0].c);
    printf("  %-21s %-5s %12s %7s %10s %10s %9s %9s %9s %9s\n", "variant", "mode", "median us",
           "noise", "GB/s", "GFLOP/s", "ceiling", "floor", "1st rung", "peer");
    for (int mode = 0; mode < MODE_COUNT; mode++) {
        const yardsticks y = find_yardsticks(results, count, (bench_mode)mode);
        for (size_t i = 0; i < count; i++)
            if ((int)results[i].mode == mode && results[i].time.median_us > 0)
                print_result(&results[i], &y);
    }
    fflush(stdout);
}

void print_groups(const bench_result *results, size_t count)
{
    for (size_t first = 0, end; first < count; first = end) {
        end = first + 1;
        while (end < count && same_group(results[first].c, results[end].c))
            end++;
        print_group(&results[first], end - first);
    }
}

void show_progress(size_t done, size_t all, const char *what)
{
    enum { WIDTH = 30 };
    if (!isatty(STDERR_FILENO))
        return;
    const size_t filled = all > 0 ? done * WIDTH / all : WIDTH;
    fprintf(stderr, "\r[");
    for (size_t i = 0; i < WIDTH; i++)
        fputc(i < filled ? '#' : '.', stderr);
    fprintf(stderr, "] %zu/%zu %-30.30s", done, all, what);
    if (done == all)
        fprintf(stderr, "\r%*s\r", WIDTH + 50, "");
    fflush(stderr);
}
