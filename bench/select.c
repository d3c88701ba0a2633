/* What of all cases was asked for: of those that are measured, and of those that a file has. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "common/host/element.h"

static bool has_name(const bench_names *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->names[i], name) == 0)
            return true;
    return false;
}

static bool wants_name(const bench_names *list, const char *name)
{
    return list->count == 0 || has_name(list, name);
}

bool wants_type(const bench_options *options, cudaDataType_t type)
{
    for (size_t i = 0; i < options->type_count; i++)
        if (options->types[i] == type)
            return true;
    return options->type_count == 0;
}

/* "u8->u64" is one of u8. */
static bool wants_type_name(const bench_options *options, const char *name)
{
    const size_t length = strcspn(name, "-");
    for (size_t i = 0; i < options->type_count; i++) {
        const char *wanted = prim_element_name(options->types[i]);
        if (strlen(wanted) == length && strncmp(wanted, name, length) == 0)
            return true;
    }
    return options->type_count == 0;
}

/* A square matrix can be asked for by its side, too. */
static bool wants_size(const bench_options *options, const bench_case *c)
{
    const double size = shape_size(c);
    for (size_t i = 0; i < options->size_count; i++) {
        char square[64];
        snprintf(square, sizeof square, "%zux%zu", options->sizes[i], options->sizes[i]);
        if (size == (double)options->sizes[i] || strcmp(c->shape, square) == 0)
            return true;
    }
    return options->size_count == 0;
}

static bool wants_input(const bench_options *options, bench_input input)
{
    for (size_t i = 0; i < options->input_count; i++)
        if (options->inputs[i] == input)
            return true;
    return options->input_count == 0;
}

bool wants(const bench_options *options, const bench_case *c)
{
    return wants_name(&options->patterns, c->pattern) && wants_name(&options->cases, c->name) &&
           (wants_name(&options->variants, case_label(c)) || (c->peer != NULL && options->peers)) &&
           wants_type_name(options, c->type) && wants_size(options, c) &&
           wants_input(options, c->input);
}

/* ---- names ---- */

static const char *name_of(const bench_case *c)
{
    return c->name;
}

/* The number of the first case of the patterns that has this name; `count`: none has it. */
static size_t find_name(const bench_names *patterns, const char *name, const bench_case *cases,
                        size_t count, const char *(*of)(const bench_case *))
{
    size_t i = 0;
    while (i < count &&
           !(wants_name(patterns, cases[i].pattern) && strcmp(of(&cases[i]), name) == 0))
        i++;
    return i;
}

static void check_list(const bench_names *patterns, const bench_names *list, const char *what,
                       const bench_case *cases, size_t count, const char *(*of)(const bench_case *))
{
    for (size_t n = 0; n < list->count; n++) {
        if (find_name(patterns, list->names[n], cases, count, of) < count)
            continue;
        fprintf(stderr, "primbench: there is no %s %s here; there are:", what, list->names[n]);
        for (size_t i = 0; i < count; i++)
            if (find_name(patterns, of(&cases[i]), cases, count, of) == i)
                fprintf(stderr, " %s", of(&cases[i]));
        fprintf(stderr, "\n");
        exit(2);
    }
}

void check_names(const bench_options *options, const bench_case *cases, size_t count)
{
    check_list(&options->patterns, &options->cases, "case", cases, count, name_of);
    check_list(&options->patterns, &options->variants, "variant", cases, count, case_label);
}
