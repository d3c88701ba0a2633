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

static double ceiling_gbps(const bench_result *r, const bench_ceilings *ceilings)
{
    return r->c->ceiling == CEILING_READ ? ceilings->read_gbps : ceilings->copy_gbps;
}

double of_ceiling(const bench_result *r, const bench_ceilings *ceilings)
{
    const double ceiling = ceiling_gbps(r, ceilings);
    return ceiling > 0 ? gbps(r) / ceiling : 0;
}

double of_floor(const bench_result *r, const bench_ceilings *ceilings)
{
    const double ceiling = ceiling_gbps(r, ceilings);
    if (ceiling <= 0 || r->mode != MODE_COLD) /* a graph's calls cost less than a launch */
        return 0;
    return (1e-3 * r->c->bytes / ceiling + ceilings->empty_us) / r->time.median_us;
}

const char *mode_name(bench_mode mode)
{
    return mode == MODE_HOT ? "hot" : "cold";
}

bool same_group(const bench_case *a, const bench_case *b)
{
    return strcmp(a->pattern, b->pattern) == 0 && strcmp(a->name, b->name) == 0 &&
           strcmp(a->type, b->type) == 0 && strcmp(a->shape, b->shape) == 0 && a->input == b->input;
}

void print_context(const bench_context *context)
{
    printf("%s, CUDA %d.%d, %s\n", context->device, context->cuda / 1000, context->cuda % 1000 / 10,
           context->date);
    if (on_gpu())
        printf("ceilings of this run: read %.0f GB/s, copy %.0f GB/s, empty launch %.2f us\n",
               context->ceilings.read_gbps, context->ceilings.copy_gbps,
               context->ceilings.empty_us);
    else
        printf("This is the CPU backend: times compare variants as a CPU simulates them, and say "
               "nothing about a GPU.\n");
}

static void print_percent(double fraction)
{
    if (fraction > 0)
        printf(" %8.1f%%", 100 * fraction);
    else
        printf(" %9s", "-");
}

static void print_result(const bench_result *r, const bench_result *first,
                         const bench_ceilings *ceilings)
{
    printf("  %-21s %-5s %12.2f %6.1f%% %10.1f %10.1f",
           r->c->peer != NULL ? r->c->peer : r->c->variant, mode_name(r->mode), r->time.median_us,
           100 * r->time.noise, gbps(r), gflops(r));
    print_percent(of_ceiling(r, ceilings));
    print_percent(of_floor(r, ceilings));
    printf(" %9.2fx\n", first->time.median_us / r->time.median_us);
}

/* The first rung of the ladder, which the others are compared with: auto stands before it. */
static const bench_result *first_rung(const bench_result *results, size_t count, bench_mode mode)
{
    const bench_result *first = NULL;
    for (size_t i = 0; i < count; i++) {
        const bench_result *r = &results[i];
        if (r->mode != mode || r->c->variant == NULL || r->time.median_us <= 0)
            continue;
        if (first == NULL || strcmp(first->c->variant, "auto") == 0)
            first = r;
    }
    return first;
}

void print_group(const bench_result *results, size_t count, const bench_ceilings *ceilings)
{
    const bench_case *c = results[0].c;
    printf("\n%s %s %s, %s%s, %s\n", c->pattern, c->name, c->type, c->shape,
           c->k > 0 ? "" : " elements", input_name(c->input));
    printf("  %-21s %-5s %12s %7s %10s %10s %9s %9s %10s\n", "variant", "mode", "median us",
           "noise", "GB/s", "GFLOP/s", "ceiling", "floor", "1st rung");
    for (int mode = 0; mode < mode_count(); mode++) {
        const bench_result *first = first_rung(results, count, (bench_mode)mode);
        for (size_t i = 0; i < count; i++)
            if ((int)results[i].mode == mode && results[i].time.median_us > 0)
                print_result(&results[i], first != NULL ? first : &results[i], ceilings);
    }
    fflush(stdout);
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
