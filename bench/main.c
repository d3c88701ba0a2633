/* primbench: plans the cases, has them measured or reads them, prints, saves and draws. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "articles.h"
#include "draw.h"
#include "peers/peers.h"

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

static void plan_pattern(const bench_pattern *pattern, const bench_options *options,
                         bench_plan *plan)
{
    void (*const plan_cases)(const bench_options *, bench_plan *) =
        options->draw > 0 ? pattern->plan_draw
        : options->shapes ? pattern->plan_shapes
                          : pattern->plan;
    if (plan_cases != NULL)
        plan_cases(options, plan);
}

/* Of the patterns that were asked for, or of all. */
static bench_plan plan_patterns(const bench_options *options)
{
    bench_plan plan = {0};
    for (size_t i = 0; i < options->patterns.count; i++)
        plan_pattern(find_pattern(options->patterns.names[i]), options, &plan);
    for (size_t p = 0; options->patterns.count == 0 && pattern_at(p) != NULL; p++)
        plan_pattern(pattern_at(p), options, &plan);
    return plan;
}

/* Nothing named: on a GPU, a first look. */
static bool names_no_cases(const bench_options *o)
{
    return !o->full && !o->shapes && o->draw == 0 &&
           o->patterns.count + o->cases.count + o->variants.count + o->type_count + o->size_count +
                   o->input_count ==
               0;
}

static bool is_the_one(const bench_options *o, const bench_case *c)
{
    return o->only == SIZE_MAX || number_of(c) == o->only;
}

static bench_plan make_plan(const bench_options *options)
{
    bench_plan plan = plan_patterns(options);
    size_t kept = 0;
    check_names(options, plan.cases, plan.count);
    for (size_t i = 0; i < plan.count; i++)
        if (wants(options, &plan.cases[i]) && is_the_one(options, &plan.cases[i]) &&
            (!options->ladders || is_first_look(&plan.cases[i])))
            plan.cases[kept++] = plan.cases[i];
    plan.count = kept;
    if (kept == 0) {
        fprintf(stderr, "primbench: no variant supports what was asked for\n");
        exit(2);
    }
    return options->peers ? with_peers(plan) : plan;
}

static bench_context make_context(const bench_options *options)
{
    bench_context context = {
        .commit = options->commit, .drawn = options->draw, .seed = options->seed};
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

/* Before hours of measuring. */
static void check_outputs(const bench_options *options)
{
    if (options->json != NULL)
        check_writable(options->json);
    if (options->csv != NULL)
        check_writable(options->csv);
    if (options->plot != NULL)
        check_plots(options->plot);
}

/* `primbench articles`: tables of their own instead of the patterns' cases. */
static int compare_with_articles(const bench_options *options)
{
    size_t count;
    check_outputs(options);
    timing_begin(false);
    const bench_context context = make_context(options);
    print_context(&context);
    bench_result *results = run_articles(&count);
    save(options, &context, results, count);
    timing_end();
    free_articles(results, count);
    return 0;
}

static void draw(const bench_options *options, const bench_context *context,
                 const bench_result *results, size_t count)
{
    if (options->plot != NULL)
        plot_all(options->plot, context, results, count);
}

/* The rows of all files as one table, which says nothing of what they were measured on. */
static void save_table(const char *path, const bench_file *files, size_t count)
{
    size_t rows = 0, filled = 0;
    for (size_t f = 0; f < count; f++)
        rows += files[f].count;
    bench_result *results = calloc(rows, sizeof *results);
    if (results == NULL)
        exit(1);
    for (size_t f = 0; f < count; f++)
        for (size_t i = 0; i < files[f].count; i++)
            results[filled++] = files[f].results[i];
    save_csv(path, results, rows);
    free(results);
}

/* A JSON file says of one run what it was measured on. */
static void refuse_several_runs(const bench_file *files, size_t count)
{
    size_t runs = 0;
    for (size_t f = 0; f < count; f++)
        runs += files[f].count > 0;
    if (runs < 2)
        return;
    fprintf(stderr,
            "primbench: --json writes one run, but these results are of %zu: choose patterns of "
            "one run\n",
            runs);
    exit(2);
}

static void print_all(const bench_file *file)
{
    print_context(&file->context);
    if (file->context.drawn > 0) {
        print_drawn(&file->context, file->results, file->count);
        return;
    }
    print_groups(&file->context, file->results, file->count);
    print_summary(file->results, file->count);
    print_shapes(file->results, file->count);
}

/* `--from`: results that were measured before, maybe elsewhere. */
static int show_saved(const bench_options *options)
{
    const size_t count = options->from.count;
    bench_file files[MAX_LIST];
    load_files(&options->from, options, files);
    keep_newest(files, count);
    if (options->json != NULL)
        refuse_several_runs(files, count);
    check_outputs(options);
    for (size_t f = 0; f < count; f++) {
        const bench_file *file = &files[f];
        if (file->count == 0)
            continue;
        if (options->ladders)
            print_ladders(&file->context, file->results, file->count);
        else
            print_all(file);
        if (options->json != NULL)
            save_json(options->json, &file->context, file->results, file->count);
        draw(options, &file->context, file->results, file->count);
    }
    if (options->csv != NULL)
        save_table(options->csv, files, count);
    unload(files, count);
    return 0;
}

/* Of hundreds of drawn cases each alone says little. */
static void print_nothing(const bench_context *context, const bench_result *results, size_t count)
{
    (void)context;
    (void)results;
    (void)count;
}

static int measure_plan(const bench_options *options, const bench_plan *plan)
{
    check_outputs(options);
    timing_begin(options->alone);
    const bench_context context = make_context(options);
    print_context(&context);
    if (options->draw > 0)
        timing_in_short(options->hot);
    const size_t count = plan->count * (size_t)mode_count();
    bench_result *results = calloc(count, sizeof *results);
    if (results == NULL)
        return 1;
    measure_all(plan, &context,
                options->draw > 0  ? print_nothing
                : options->ladders ? print_ladders
                                   : print_group,
                results);
    if (options->draw > 0)
        print_drawn(&context, results, count);
    else if (options->ladders)
        print_what_to_take(results, count);
    else if (on_gpu())
        print_summary(results, count);
    print_shapes(results, count);
    save(options, &context, results, count);
    timing_end();
    draw(options, &context, results, count);
    free(results);
    return 0;
}

static bool asks_for_times(const bench_options *o)
{
    return o->times || o->draw > 0 || o->alone || o->variants.count > 0 || o->json != NULL ||
           o->csv != NULL || o->plot != NULL;
}

static void agree(const bench_plan *plan)
{
    printf("\nOn the CPU backend, whose times say nothing about a GPU (--times shows them):\n");
    agree_all(plan);
    printf(
        "On a GPU this command measures them. Which rung to take when: src/PATTERN/README.md.\n");
}

int main(int argc, char **argv)
{
    bench_options options = {0};
    read_options(argc, argv, &options);
    if (options.from.count > 0)
        return show_saved(&options);
    if (options.compared[0].count > 0)
        return compare_files(&options);
    if (options.peers)
        name_absent_peers();
    if (options.patterns.count == 1 && strcmp(options.patterns.names[0], "articles") == 0)
        return compare_with_articles(&options);
    options.ladders = options.ladders || (on_gpu() && names_no_cases(&options));
    bench_plan plan = make_plan(&options);
    int status = 0;
    if (options.list)
        print_plan(&plan);
    else if (!on_gpu() && !asks_for_times(&options))
        agree(&plan);
    else
        status = measure_plan(&options, &plan);
    free(plan.cases);
    return status;
}
