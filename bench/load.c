/* Reads what save_json() wrote, and keeps what was asked for. A figure that is null there is 0
 * here. */
#define _GNU_SOURCE
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "draw.h"

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
    bench_context context = {
        .driver = (int)figure_of(json, "driver"),
        .cuda = (int)figure_of(json, "cuda"),
        .clock_khz = (int)figure_of(part(json, "clocks", path), "max_sm_khz"),
        .commit = text_of(json, "commit", path),
        .drawn = (size_t)figure_of(json, "drawn"),
        .seed = (unsigned)figure_of(json, "seed"),
        .ceilings = {.read_gbps = figure_of(ceilings, "read_gbps"),
                     .copy_gbps = figure_of(ceilings, "copy_gbps"),
                     .ffma_gflops = figure_of(ceilings, "ffma_gflops"),
                     .empty_us = figure_of(ceilings, "empty_launch_us"),
                     .empty_host_us = figure_of(ceilings, "empty_launch_host_us")}};
    const char *device = text_of(json, "device", path), *date = text_of(json, "date", path);
    if (device == NULL || date == NULL)
        refuse(path, "does not name its device and its date");
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
        refuse(path, "has a result that does not say what it measured");
    if (strlen(shape) >= sizeof c.shape || !find_input(input, &c.input))
        refuse(path, "has a result with a shape or an input that primbench does not write");
    snprintf(c.shape, sizeof c.shape, "%s", shape);
    return c;
}

static bench_mode find_mode(const char *name)
{
    bench_mode mode = MODE_COLD;
    while (mode < MODE_COUNT - 1 && strcmp(mode_name(mode), name) != 0)
        mode++;
    return mode;
}

static bench_result read_result(const cJSON *json, const bench_case *c, const char *path)
{
    const char *mode = text_of(json, "mode", path);
    const bench_result r = {.c = c,
                            .mode = mode != NULL ? find_mode(mode) : MODE_COLD,
                            .time = {.median_us = figure_of(json, "median_us"),
                                     .min_us = figure_of(json, "min_us"),
                                     .noise = figure_of(json, "noise"),
                                     .host_us = figure_of(json, "host_us")},
                            .of_ceiling = figure_of(json, "of_ceiling"),
                            .of_floor = figure_of(json, "of_floor")};
    if (!(r.time.median_us > 0))
        refuse(path, "has a result without a time");
    return r;
}

static bench_file load_json(const char *path)
{
    char *text = read_text(path);
    bench_file file = {.json = cJSON_Parse(text)};
    free(text);
    if (file.json == NULL)
        refuse(path, "is not JSON");
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

/* ---- what is kept ---- */

static size_t keep_wanted(const bench_options *options, bench_file *file)
{
    size_t kept = 0;
    for (size_t i = 0; i < file->count; i++)
        if (wants(options, file->results[i].c))
            file->results[kept++] = file->results[i];
    return file->count = kept;
}

void load_files(const bench_names *paths, const bench_options *options, bench_file *files)
{
    bench_plan all = {0};
    size_t kept = 0;
    for (size_t f = 0; f < paths->count; f++) {
        files[f] = load_json(paths->names[f]);
        for (size_t i = 0; i < files[f].count; i++)
            plan_add(&all, files[f].cases[i]);
        kept += keep_wanted(options, &files[f]);
    }
    check_names(options, all.cases, all.count);
    free(all.cases);
    if (kept > 0)
        return;
    fprintf(stderr, "primbench: %s%s has no result of what was asked for\n", paths->names[0],
            paths->count > 1 ? " and the others" : "");
    exit(2);
}

/* Odd shapes and drawn cases are measured apart from the usual sizes: none replaces another. */
static bool has_alike(const bench_file *file, const bench_case *c)
{
    for (size_t i = 0; i < file->count; i++)
        if (strcmp(file->results[i].c->pattern, c->pattern) == 0 &&
            is_of_shapes(file->results[i].c) == is_of_shapes(c) &&
            is_drawn(file->results[i].c) == is_drawn(c))
            return true;
    return false;
}

/* Dates are written so that their order is that of their letters; of one date, the file named
 * last is the newest. */
static bool has_newer(const bench_file *files, size_t count, size_t f, const bench_case *c)
{
    for (size_t other = 0; other < count; other++) {
        const int order = strcmp(files[other].context.date, files[f].context.date);
        if ((order > 0 || (order == 0 && other > f)) && has_alike(&files[other], c))
            return true;
    }
    return false;
}

void keep_newest(bench_file *files, size_t count)
{
    for (size_t f = 0; f < count; f++) {
        size_t kept = 0;
        for (size_t i = 0; i < files[f].count; i++)
            if (!has_newer(files, count, f, files[f].results[i].c))
                files[f].results[kept++] = files[f].results[i];
        files[f].count = kept;
    }
}

void unload(bench_file *files, size_t count)
{
    for (size_t f = 0; f < count; f++) {
        cJSON_Delete(files[f].json);
        free(files[f].results);
        free(files[f].cases);
    }
}
