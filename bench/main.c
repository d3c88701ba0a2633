/* primbench: plans the cases, measures them group by group, prints and saves. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "articles.h"
#include "bench.h"

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

static const bench_pattern *find_pattern(const char *name)
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
    return plan;
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

/* ---- one case ---- */

/* A longer call outlives what the cache held: it is as fast cold. */
enum { LONGEST_HOT_US = 2000 };

typedef struct bound_case {
    const bench_pattern *pattern;
    const bench_case *c;
    bench_operands operands;
} bound_case;

static prim_status run_bound(const void *argument, cudaStream_t stream)
{
    const bound_case *b = argument;
    return b->pattern->run(b->c, &b->operands, stream);
}

/* Fails where this case's result is not that of the group's first: a fast wrong kernel is none. */
static void check_result(const bound_case *b, void **h_first, bool is_first)
{
    void *h_out = malloc(b->operands.out_bytes);
    must(cudaMemcpy(h_out, b->operands.d_out, b->operands.out_bytes, cudaMemcpyDeviceToHost),
         "reading the result");
    if (is_first) {
        free(*h_first);
        *h_first = h_out;
        return;
    }
    if (!b->pattern->same(b->c, *h_first, h_out)) {
        fprintf(stderr, "primbench: %s %s %s %s: %s gives another result than the first variant\n",
                b->c->pattern, b->c->name, b->c->type, b->c->shape, b->c->variant);
        exit(1);
    }
    free(h_out);
}

static void measure_case(const bench_case *c, bool is_first, void **h_first, bench_result *results)
{
    const int modes = mode_count();
    bound_case b = {.pattern = find_pattern(c->pattern), .c = c};
    b.pattern->set_up(c, &b.operands);
    must(cudaDeviceSynchronize(), "setting up");
    for (int mode = 0; mode < modes; mode++) {
        results[mode] = (bench_result){.c = c, .mode = (bench_mode)mode};
        if (mode == MODE_COLD ||
            (!c->has_state && results[MODE_COLD].time.median_us < LONGEST_HOT_US))
            results[mode].time = measure((bench_mode)mode, run_bound, &b);
    }
    check_result(&b, h_first, is_first);
    must(cudaFree(b.operands.d_in), "freeing");
    must(cudaFree(b.operands.d_out), "freeing");
    must(cudaFree(b.operands.d_workspace), "freeing");
}

/* ---- all ---- */

static size_t group_end(const bench_plan *plan, size_t first)
{
    size_t end = first + 1;
    while (end < plan->count && same_group(&plan->cases[first], &plan->cases[end]))
        end++;
    return end;
}

static void measure_all(const bench_plan *plan, const bench_ceilings *ceilings,
                        bench_result *results)
{
    const size_t modes = (size_t)mode_count();
    void *h_first = NULL;
    for (size_t first = 0, end; first < plan->count; first = end) {
        end = group_end(plan, first);
        for (size_t i = first; i < end; i++) {
            show_progress(i, plan->count, plan->cases[i].variant);
            measure_case(&plan->cases[i], i == first, &h_first, &results[i * modes]);
        }
        show_progress(plan->count, plan->count, "");
        print_group(&results[first * modes], (end - first) * modes, ceilings);
    }
    free(h_first);
}

static void print_plan(const bench_plan *plan)
{
    for (size_t i = 0; i < plan->count; i++) {
        const bench_case *c = &plan->cases[i];
        printf("%s %s %s %s %s %s\n", c->pattern, c->name, c->type, c->shape, input_name(c->input),
               c->variant);
    }
}

static void save(const bench_options *options, const bench_context *context,
                 const bench_result *results, size_t count)
{
    if (options->json != NULL)
        save_json(options->json, context, results, count);
    if (options->csv != NULL)
        save_csv(options->csv, context, results, count);
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

int main(int argc, char **argv)
{
    bench_options options = {0};
    read_options(argc, argv, &options);
    if (options.pattern_count == 1 && strcmp(options.patterns[0], "articles") == 0)
        return compare_with_articles(&options);
    bench_plan plan = make_plan(&options);
    if (options.list) {
        print_plan(&plan);
        free(plan.cases);
        return 0;
    }
    timing_begin();
    const bench_context context = make_context(&options);
    print_context(&context);
    const size_t count = plan.count * (size_t)mode_count();
    bench_result *results = calloc(count, sizeof *results);
    if (results == NULL)
        return 1;
    measure_all(&plan, &context.ceilings, results);
    save(&options, &context, results, count);
    timing_end();
    free(results);
    free(plan.cases);
    return 0;
}
