/* Tables and the progress bar on the terminal. */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"

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
    if (context->ceilings.empty_host_us > 0)
        printf("what the host spends in an empty launch: %.2f us\n",
               context->ceilings.empty_host_us);
    if (context->ceilings.ffma_gflops > 0)
        printf("multiply-adds of f32: %.0f GFLOP/s\n", context->ceilings.ffma_gflops);
}

/* ---- tables ---- */

/* Which of the columns say something of a group. */
typedef struct columns {
    bool gflops, ceiling, floor, host, first, peer;
} columns;

static columns find_columns(const bench_result *results, size_t count)
{
    columns shown = {0};
    for (int mode = 0; mode < MODE_COUNT; mode++) {
        const bench_yardsticks y = find_yardsticks(results, count, (bench_mode)mode);
        shown.first |= y.first != NULL;
        shown.peer |= y.peer != NULL;
    }
    for (size_t i = 0; i < count; i++) {
        shown.gflops |= results[i].c->flops > 0;
        shown.ceiling |= results[i].of_ceiling > 0;
        shown.floor |= results[i].of_floor > 0;
        shown.host |= results[i].time.host_us > 0;
    }
    return shown;
}

static void print_heads(const columns *shown)
{
    printf("  %-21s %-5s %12s %8s %10s", "variant", "mode", "median us", "noise ", "GB/s");
    if (shown->gflops)
        printf(" %10s", "GFLOP/s");
    if (shown->ceiling)
        printf(" %9s", "ceiling");
    if (shown->floor)
        printf(" %9s", "floor");
    if (shown->host)
        printf(" %9s", "host us");
    if (shown->first)
        printf(" %9s", "lowest");
    if (shown->peer)
        printf(" %9s", "peer");
    printf("\n");
}

/* Small ones too say something: the CPU backend's. */
static void print_rate(double rate)
{
    printf(rate < 10 ? " %10.3g" : " %10.1f", rate);
}

static void print_percent(double fraction)
{
    if (fraction <= 0)
        printf(" %9s", "-");
    else if (fraction < 0.001)
        printf(" %8.1g%%", 100 * fraction);
    else
        printf(" %8.1f%%", 100 * fraction);
}

static void print_ratio(const bench_result *yardstick, const bench_result *r)
{
    char text[16];
    if (yardstick == NULL) {
        printf(" %9s", "-");
        return;
    }
    ratio_text(text, sizeof text, yardstick->time.median_us / r->time.median_us);
    printf(" %9s", text);
}

static void print_result(const bench_result *r, const bench_yardsticks *y, const columns *shown)
{
    printf("  %-21s %-5s %12.2f %6.1f%%%c", case_label(r->c), mode_name(r->mode), r->time.median_us,
           100 * r->time.noise, is_noisy(r) ? '!' : ' ');
    print_rate(gbps(r));
    if (shown->gflops)
        print_rate(gflops(r));
    if (shown->ceiling)
        print_percent(r->of_ceiling);
    if (shown->floor)
        print_percent(r->of_floor);
    if (shown->host && r->time.host_us > 0)
        printf(" %9.2f", r->time.host_us);
    else if (shown->host)
        printf(" %9s", "-");
    if (shown->first)
        print_ratio(y->first, r);
    if (shown->peer)
        print_ratio(y->peer, r);
    printf("\n");
}

void print_group_title(const bench_case *c)
{
    printf("\n%s %s %s, %s%s, %s\n", c->pattern, c->name, c->type, c->shape,
           strchr(c->shape, '^') != NULL ? "" : " elements", input_name(c->input));
}

void print_group(const bench_context *context, const bench_result *results, size_t count)
{
    columns shown = find_columns(results, count);
    if (context->ceilings.read_gbps <= 0) /* on the CPU backend it would look like a speed */
        shown.first = false;
    print_group_title(results[0].c);
    print_heads(&shown);
    for (int mode = 0; mode < MODE_COUNT; mode++) {
        const bench_yardsticks y = find_yardsticks(results, count, (bench_mode)mode);
        for (size_t i = 0; i < count; i++)
            if ((int)results[i].mode == mode && results[i].time.median_us > 0)
                print_result(&results[i], &y, &shown);
    }
    fflush(stdout);
}

void print_groups(const bench_context *context, const bench_result *results, size_t count)
{
    for (size_t first = 0, length; first < count; first += length) {
        length = group_length(&results[first], count - first);
        print_group(context, &results[first], length);
    }
}

/* ---- progress ---- */

/* From the time that the cases before took. */
static void print_time_left(size_t done, size_t all)
{
    static time_t begin;
    if (begin == 0)
        begin = time(NULL);
    const double left = difftime(time(NULL), begin) / (double)done * (double)(all - done);
    if (done > 0 && left < 90)
        fprintf(stderr, ", about %.0f s left", left);
    else if (done > 0)
        fprintf(stderr, ", about %.0f min left", left / 60);
}

void show_progress(size_t done, size_t all, const char *what)
{
    enum { WIDTH = 20 };
    if (!isatty(STDERR_FILENO))
        return;
    const size_t filled = all > 0 ? done * WIDTH / all : WIDTH;
    fprintf(stderr, "\r[");
    for (size_t i = 0; i < WIDTH; i++)
        fputc(i < filled ? '#' : '.', stderr);
    fprintf(stderr, "] %zu of %zu done", done, all);
    print_time_left(done, all);
    fprintf(stderr, ", %-21.21s", what);
    fflush(stderr);
}

void clear_progress(void)
{
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r%79s\r", "");
}
