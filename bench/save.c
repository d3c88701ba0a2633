/* Results as files. */
#define _GNU_SOURCE
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "bench.h"

static FILE *open_for_writing(const char *path)
{
    FILE *file = fopen(path, "w");
    if (file == NULL) {
        perror(path);
        exit(1);
    }
    return file;
}

void check_writable(const char *path)
{
    const bool is_there = access(path, F_OK) == 0;
    FILE *file = fopen(path, "a");
    if (file == NULL) {
        perror(path);
        exit(1);
    }
    fclose(file);
    if (!is_there)
        unlink(path);
}

static void close_written(FILE *file, const char *path)
{
    if (ferror(file) || fclose(file) != 0) {
        fprintf(stderr, "primbench: %s could not be written\n", path);
        exit(1);
    }
}

static void add_text(cJSON *object, const char *name, const char *text)
{
    if (text != NULL)
        cJSON_AddStringToObject(object, name, text);
    else
        cJSON_AddNullToObject(object, name);
}

/* 0 stands for "means nothing here". */
static void add_figure(cJSON *object, const char *name, double value)
{
    if (value > 0)
        cJSON_AddNumberToObject(object, name, value);
    else
        cJSON_AddNullToObject(object, name);
}

static cJSON *context_json(const bench_context *context)
{
    cJSON *json = cJSON_CreateObject();
    add_text(json, "device", context->device);
    add_figure(json, "driver", context->driver);
    add_figure(json, "cuda", context->cuda);
    cJSON *clocks = cJSON_AddObjectToObject(json, "clocks");
    add_figure(clocks, "max_sm_khz", context->clock_khz);
    cJSON *ceilings = cJSON_AddObjectToObject(json, "ceilings");
    add_figure(ceilings, "read_gbps", context->ceilings.read_gbps);
    add_figure(ceilings, "copy_gbps", context->ceilings.copy_gbps);
    add_figure(ceilings, "ffma_gflops", context->ceilings.ffma_gflops);
    add_figure(ceilings, "empty_launch_us", context->ceilings.empty_us);
    add_figure(ceilings, "empty_launch_host_us", context->ceilings.empty_host_us);
    add_figure(json, "drawn", (double)context->drawn);
    if (context->drawn > 0)
        cJSON_AddNumberToObject(json, "seed", context->seed);
    add_text(json, "commit", context->commit);
    add_text(json, "date", context->date);
    return json;
}

static cJSON *result_json(const bench_result *r)
{
    cJSON *json = cJSON_CreateObject();
    add_text(json, "pattern", r->c->pattern);
    add_text(json, "case", r->c->name);
    add_text(json, "variant", r->c->variant);
    add_text(json, "peer", r->c->peer);
    add_text(json, "type", r->c->type);
    add_text(json, "shape", r->c->shape);
    add_text(json, "input", input_name(r->c->input));
    add_text(json, "mode", mode_name(r->mode));
    add_figure(json, "median_us", r->time.median_us);
    add_figure(json, "min_us", r->time.min_us);
    cJSON_AddNumberToObject(json, "noise", r->time.noise);
    add_figure(json, "bytes", r->c->bytes);
    add_figure(json, "flops", r->c->flops);
    add_figure(json, "gbps", gbps(r));
    add_figure(json, "gflops", gflops(r));
    add_figure(json, "of_ceiling", r->of_ceiling);
    add_figure(json, "of_floor", r->of_floor);
    add_figure(json, "host_us", r->time.host_us);
    return json;
}

void save_json(const char *path, const bench_context *context, const bench_result *results,
               size_t count)
{
    cJSON *json = cJSON_CreateObject();
    cJSON_AddItemToObject(json, "context", context_json(context));
    cJSON *rows = cJSON_AddArrayToObject(json, "results");
    for (size_t i = 0; i < count; i++)
        if (results[i].time.median_us > 0)
            cJSON_AddItemToArray(rows, result_json(&results[i]));
    char *text = cJSON_Print(json);
    FILE *file = open_for_writing(path);
    fprintf(file, "%s\n", text);
    close_written(file, path);
    free(text);
    cJSON_Delete(json);
}

/* After a comma; nothing where JSON has null. */
static void print_cell(FILE *file, int digits, double value)
{
    if (value > 0)
        fprintf(file, ",%.*g", digits, value);
    else
        fputc(',', file);
}

static void print_row(FILE *file, const bench_result *r)
{
    enum { WHOLE = 15 };
    const bench_case *c = r->c;
    fprintf(file, "%s,%s,%s,%s,%s,%s,%s,%s", c->pattern, c->name,
            c->variant != NULL ? c->variant : "", c->peer != NULL ? c->peer : "", c->type, c->shape,
            input_name(c->input), mode_name(r->mode));
    print_cell(file, 6, r->time.median_us);
    print_cell(file, 6, r->time.min_us);
    fprintf(file, ",%.4g", r->time.noise);
    print_cell(file, WHOLE, c->bytes);
    print_cell(file, WHOLE, c->flops);
    print_cell(file, 6, gbps(r));
    print_cell(file, 6, gflops(r));
    print_cell(file, 4, r->of_ceiling);
    print_cell(file, 4, r->of_floor);
    print_cell(file, 4, r->time.host_us);
    fputc('\n', file);
}

void save_csv(const char *path, const bench_result *results, size_t count)
{
    FILE *file = open_for_writing(path);
    fprintf(file, "pattern,case,variant,peer,type,shape,input,mode,median_us,min_us,noise,bytes,"
                  "flops,gbps,gflops,of_ceiling,of_floor,host_us\n");
    for (size_t i = 0; i < count; i++)
        if (results[i].time.median_us > 0)
            print_row(file, &results[i]);
    close_written(file, path);
}
