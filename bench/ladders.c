/* One case of each pattern as a short table: its ladder, upwards, with what each rung reaches. What
 * a first look shows, measured or read from a file. */
#include <stdio.h>
#include <string.h>

#include "bench.h"

typedef struct first_look {
    const char *pattern, *name, *type, *shape;
    const char *title;
} first_look;

/* Large enough that what limits a kernel is the card and not its launch. */
static const first_look looks[] = {
    {"reduce", "sum", "f32", "268435456", "sum of 2^28 floats"},
    {"scan", "sum", "f32", "268435456", "running sum of 2^28 floats"},
    {"histogram", "even-256", "f32", "268435456", "2^28 floats in 256 bins"},
    {"merge", "merge", "i32", "268435456", "two sorted arrays into one of 2^28 integers"},
    {"convolution", "2d-5x5", "f32", "16384x16384", "5 x 5 mask over 16384 x 16384 floats"},
    {"spmv", "stencil", "f32", "16777216", "matrix of a 5-point stencil, 2^24 rows, by a vector"},
    {"gemm", "square", "f32", "4096^3", "two matrices of 4096 x 4096 floats"},
    {"gemv", "plain", "f32", "16384x16384", "matrix of 16384 x 16384 floats by a vector"},
    {"binary_gemm", "square", "i32", "4096^3", "two matrices of 4096 x 4096 values of +-1"},
};

static const first_look *find_look(const bench_case *c)
{
    for (size_t i = 0; i < sizeof looks / sizeof *looks; i++)
        if (strcmp(c->pattern, looks[i].pattern) == 0 && strcmp(c->name, looks[i].name) == 0 &&
            strcmp(c->type, looks[i].type) == 0 && strcmp(c->shape, looks[i].shape) == 0 &&
            c->input == INPUT_UNIFORM)
            return &looks[i];
    return NULL;
}

bool is_first_look(const bench_case *c)
{
    return find_look(c) != NULL;
}

/* ---- a table ---- */

/* Floating-point operations and not bytes are what a product's time goes into. */
static bool counts_flops(const bench_case *c)
{
    return strstr(c->pattern, "gemm") != NULL;
}

static void print_heads(const first_look *look, const bench_context *context, bool of_flops,
                        bool has_peer)
{
    printf("\n%s: %s (%s, %.10s)\n  %-22s %10s %10s %12s %10s", look->pattern, look->title,
           context->device, context->date, "", "us", of_flops ? "TFLOP/s" : "GB/s", "of the card",
           "lowest");
    puts(has_peer ? "    library" : "");
}

static void print_times(const bench_result *yardstick, const bench_result *r)
{
    if (yardstick == NULL)
        printf(" %10s", "-");
    else
        printf(" %8.3g x", yardstick->time.median_us / r->time.median_us);
}

static void print_rung(const bench_result *r, const bench_yardsticks *y)
{
    const bool of_flops = counts_flops(r->c);
    printf("  %-22s %10.1f %10.4g", case_label(r->c), r->time.median_us,
           of_flops ? gflops(r) / 1000 : gbps(r));
    if (r->of_ceiling > 0)
        printf(" %10.0f %%", 100 * r->of_ceiling);
    else
        printf(" %12s", "-");
    print_times(r->c->peer == NULL ? y->first : NULL, r);
    if (y->peer != NULL)
        print_times(y->peer, r);
    printf("\n");
}

static bool is_shown(const bench_result *r)
{
    return r->mode == MODE_COLD && r->time.median_us > 0;
}

static void print_ladder(const bench_context *context, const bench_result *results, size_t count)
{
    const bench_yardsticks y = find_yardsticks(results, count, MODE_COLD);
    print_heads(find_look(results[0].c), context, counts_flops(results[0].c), y.peer != NULL);
    for (size_t i = 0; i < count; i++) /* auto and the libraries come last */
        if (is_shown(&results[i]) && &results[i] != y.automatic && results[i].c->peer == NULL)
            print_rung(&results[i], &y);
    if (y.automatic != NULL)
        print_rung(y.automatic, &y);
    for (size_t i = 0; i < count; i++)
        if (is_shown(&results[i]) && results[i].c->peer != NULL)
            print_rung(&results[i], &y);
}

void print_ladders(const bench_context *context, const bench_result *results, size_t count)
{
    for (size_t i = 0, length; i < count; i += length) {
        length = group_length(&results[i], count - i);
        if (is_first_look(results[i].c))
            print_ladder(context, &results[i], length);
    }
}

/* ---- at the end ---- */

static const char *what_limits(const bench_case *c)
{
    switch (c->ceiling) {
    case CEILING_READ:
        return "of what this card reads in a second";
    case CEILING_COPY:
        return "of what this card copies in a second";
    case CEILING_FFMA:
        return "of the multiply-adds that this card makes in a second";
    default:
        return "";
    }
}

void print_what_to_take(const bench_result *results, size_t count)
{
    printf("\nWhat to take: AUTO, unless you know better for your sizes. It reaches\n");
    for (size_t i = 0, length; i < count; i += length) {
        length = group_length(&results[i], count - i);
        const bench_yardsticks y = find_yardsticks(&results[i], length, MODE_COLD);
        if (y.automatic == NULL || y.automatic->of_ceiling <= 0)
            continue;
        printf("  %-12s %3.0f %% %s\n", results[i].c->pattern, 100 * y.automatic->of_ceiling,
               what_limits(results[i].c));
    }
}
