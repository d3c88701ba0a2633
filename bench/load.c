/* Reads what save_json() wrote. A figure that is null there is 0 here. */
#define _GNU_SOURCE
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

static _Noreturn void refuse(const char *path, const char *why)
{
    fprintf(stderr, "primbench: %s: %s\n", path, why);
    exit(1);
}

static char *read_text(const char *path)
{
    char *text = NULL;
    size_t length = 0;
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        perror(path);
        exit(1);
    }
    if (getdelim(&text, &length, '\0', file) < 0)
        refuse(path, "is empty or cannot be read");
    fclose(file);
    return text;
}

static const cJSON *part(const cJSON *object, const char *name, const char *path)
{
    const cJSON *found = cJSON_GetObjectItemCaseSensitive(object, name);
    if (found == NULL)
        refuse(path, "lacks a part that primbench --json writes");
    return found;
}

/* NULL where it is null. */
static const char *text_of(const cJSON *object, const char *name, const char *path)
{
    return cJSON_GetStringValue(part(object, name, path));
}

static double figure_of(const cJSON *object, const char *name)
{
    const cJSON *found = cJSON_GetObjectItemCaseSensitive(object, name);
    return cJSON_IsNumber(found) ? found->valuedouble : 0;
}

static bench_context read_context(const cJSON *json, const char *path)
{
    const cJSON *ceilings = part(json, "ceilings", path);
    bench_context context = {.driver = (int)figure_of(json, "driver"),
                             .cuda = (int)figure_of(json, "cuda"),
                             .clock_khz = (int)figure_of(part(json, "clocks", path), "max_sm_khz"),
                             .commit = text_of(json, "commit", path),
                             .ceilings = {.read_gbps = figure_of(ceilings, "read_gbps"),
                                          .copy_gbps = figure_of(ceilings, "copy_gbps"),
                                          .ffma_gflops = figure_of(ceilings, "ffma_gflops"),
                                          .empty_us = figure_of(ceilings, "empty_launch_us")}};
    const char *device = text_of(json, "device", path), *date = text_of(json, "date", path);
    if (device == NULL || date == NULL)
        refuse(path, "names no device or no date");
    snprintf(context.device, sizeof context.device, "%s", device);
    snprintf(context.date, sizeof context.date, "%s", date);
    return context;
}

static bench_case read_case(const cJSON *json, const char *path)
{
    bench_case c = {.pattern = text_of(json, "pattern", path),
                    .name = text_of(json, "case", path),
                    .variant = text_of(json, "variant", path),
                    .peer = text_of(json, "peer", path),
                    .type = text_of(json, "type", path),
                    .bytes = figure_of(json, "bytes"),
                    .flops = figure_of(json, "flops")};
    const char *shape = text_of(json, "shape", path), *input = text_of(json, "input", path);
    if (c.pattern == NULL || c.name == NULL || c.type == NULL || shape == NULL || input == NULL ||
        (c.variant == NULL && c.peer == NULL))
        refuse(path, "a result does not say what it is of");
    if (strlen(shape) >= sizeof c.shape || !find_input(input, &c.input))
        refuse(path, "a result has a shape or an input that primbench does not write");
    snprintf(c.shape, sizeof c.shape, "%s", shape);
    return c;
}

static bench_result read_result(const cJSON *json, const bench_case *c, const char *path)
{
    const char *mode = text_of(json, "mode", path);
    const bench_result r = {.c = c,
                            .mode = mode != NULL && strcmp(mode, "hot") == 0 ? MODE_HOT : MODE_COLD,
                            .time = {.median_us = figure_of(json, "median_us"),
                                     .min_us = figure_of(json, "min_us"),
                                     .noise = figure_of(json, "noise")},
                            .of_ceiling = figure_of(json, "of_ceiling"),
                            .of_floor = figure_of(json, "of_floor")};
    if (!(r.time.median_us > 0))
        refuse(path, "a result has no time");
    return r;
}

bench_file load_json(const char *path)
{
    char *text = read_text(path);
    bench_file file = {.json = cJSON_Parse(text)};
    free(text);
    if (file.json == NULL)
        refuse(path, "is no JSON");
    file.context = read_context(part(file.json, "context", path), path);
    const cJSON *rows = part(file.json, "results", path), *row;
    const size_t capacity = (size_t)cJSON_GetArraySize(rows);
    file.cases = calloc(capacity + 1, sizeof *file.cases);
    file.results = calloc(capacity + 1, sizeof *file.results);
    if (file.cases == NULL || file.results == NULL)
        refuse(path, "is too large");
    cJSON_ArrayForEach(row, rows)
    {
        file.cases[file.count] = read_case(row, path);
        file.results[file.count] = read_result(row, &file.cases[file.count], path);
        file.count++;
    }
    return file;
}

void unload(bench_file *file)
{
    cJSON_Delete(file->json);
    free(file->results);
    free(file->cases);
}
