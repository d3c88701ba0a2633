/* primbench: plans the cases, has them measured or reads them, prints, saves and draws. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "articles.h"
#include "peers/peers.h"

static const bench_pattern *const patterns[] = {
    &bench_reduce, &bench_scan, &bench_histogram, &bench_merge,       &bench_convolution,
    &bench_sparse, &bench_gemm, &bench_gemv,      &bench_binary_gemm,
};
enum { PATTERNS = sizeof patterns / sizeof *patterns };

void plan_add(bench_plan *plan, bench_case added)
{
    if (plan->count == plan->capacity) {
        plan->capacity = plan->capacity == 0 ? 64 : 2 * plan->capacity;
        plan->cases = realloc(plan->cases, plan->capacity * sizeof *plan->cases);
        if (plan->cases == NULL)
            exit(1);
    }
    plan->cases[plan->count++] = added;
}

const bench_pattern *find_pattern(const char *name)
{
    for (size_t p = 0; p < PATTERNS; p++)
        if (strcmp(patterns[p]->name, name) == 0)
            return patterns[p];
    fprintf(stderr, "primbench: there is no pattern %s; there are:", name);
    for (size_t p = 0; p < PATTERNS; p++)
        fprintf(stderr, " %s", patterns[p]->name);
    fprintf(stderr, "\n");
    exit(2);
}

bool same_group(const bench_case *a, const bench_case *b)
{
    return strcmp(a->pattern, b->pattern) == 0 && strcmp(a->name, b->name) == 0 &&
           strcmp(a->type, b->type) == 0 && strcmp(a->shape, b->shape) == 0 && a->input == b->input;
}

const char *case_label(const bench_case *c)
{
    return c->peer != NULL ? c->peer : c->variant;
}

/* The same plan with each group's peers at the group's end. */
static bench_plan with_peers(bench_plan plan)
{
    bench_plan all = {0};
    for (size_t i = 0; i < plan.count; i++) {
        const bench_case *c = &plan.cases[i];
        plan_add(&all, *c);
        if (i + 1 == plan.count || !same_group(c, &plan.cases[i + 1]))
            plan_peers(&all, c);
    }
    free(plan.cases);
    return all;
}

static bench_plan make_plan(const bench_options *options)
{
    bench_plan plan = {0};
    for (size_t i = 0; i < options->pattern_count; i++)
        find_pattern(options->patterns[i])->plan(options, &plan);
    for (size_t p = 0; options->pattern_count == 0 && p < PATTERNS; p++)
        patterns[p]->plan(options, &plan);
    if (plan.count == 0) {
        fprintf(stderr, "primbench: no variant supports what was asked for\n");
        exit(2);
    }
    return options->peers ? with_peers(plan) : plan;
}

static bench_context make_context(const bench_options *options)
{
    bench_context context = {.commit = options->commit};
    struct cudaDeviceProp properties;
    int device;
    must(cudaGetDevice(&device), "asking for the device");
    must(cudaGetDeviceProperties(&properties, device), "asking for the device");
    snprintf(context.device, sizeof context.device, "%s", properties.name);
    must(cudaDriverGetVersion(&context.driver), "asking for the driver");
    must(cudaRuntimeGetVersion(&context.cuda), "asking for the runtime");
    must(cudaDeviceGetAttribute(&context.clock_khz, cudaDevAttrClockRate, device), "a clock");
    const time_t now = time(NULL);
    strftime(context.date, sizeof context.date, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
    context.ceilings = measure_ceilings();
    return context;
}

static void print_plan(const bench_plan *plan)
{
    for (size_t i = 0; i < plan->count; i++) {
        const bench_case *c = &plan->cases[i];
        printf("%s %s %s %s %s %s\n", c->pattern, c->name, c->type, c->shape, input_name(c->input),
               case_label(c));
    }
}

static void save(const bench_options *options, const bench_context *context,
                 const bench_result *results, size_t count)
{
    if (options->json != NULL)
        save_json(options->json, context, results, count);
    if (options->csv != NULL)
        save_csv(options->csv, results, count);
}

/* `primbench articles`: tables of their own instead of the patterns' cases. */
static int compare_with_articles(const bench_options *options)
{
    size_t count;
    timing_begin();
    const bench_context context = make_context(options);
    print_context(&context);
    bench_result *results = run_articles(&count);
    save(options, &context, results, count);
    timing_end();
    free(results);
    return 0;
}

static void draw(const bench_options *options, const bench_context *context,
                 const bench_result *results, size_t count)
{
    if (options->plot != NULL)
        plot_all(options->plot, context, results, count);
}

/* `--from`: results that were measured before, maybe elsewhere. */
static int show_saved(const bench_options *options)
{
    bench_file file = load_json(options->from);
    print_context(&file.context);
    print_groups(file.results, file.count);
    save(options, &file.context, file.results, file.count);
    draw(options, &file.context, file.results, file.count);
    unload(&file);
    return 0;
}

static int measure_plan(const bench_options *options, const bench_plan *plan)
{
    timing_begin();
    const bench_context context = make_context(options);
    print_context(&context);
    const size_t count = plan->count * (size_t)mode_count();
    bench_result *results = calloc(count, sizeof *results);
    if (results == NULL)
        return 1;
    measure_all(plan, &context.ceilings, results);
    save(options, &context, results, count);
    timing_end();
    draw(options, &context, results, count);
    free(results);
    return 0;
}

int main(int argc, char **argv)
{
    bench_options options = {0};
    read_options(argc, argv, &options);
    if (options.from != NULL)
        return show_saved(&options);
    if (options.peers)
        name_absent_peers();
    if (options.pattern_count == 1 && strcmp(options.patterns[0], "articles") == 0)
        return compare_with_articles(&options);
    bench_plan plan = make_plan(&options);
    int status = 0;
    if (options.list)
        print_plan(&plan);
    else
        status = measure_plan(&options, &plan);
    free(plan.cases);
    return status;
}
