/* Cases: lists of them, and what is read from their labels. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

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

bool same_group(const bench_case *a, const bench_case *b)
{
    return strcmp(a->pattern, b->pattern) == 0 && strcmp(a->name, b->name) == 0 &&
           strcmp(a->type, b->type) == 0 && strcmp(a->shape, b->shape) == 0 && a->input == b->input;
}

const char *case_label(const bench_case *c)
{
    return c->peer != NULL ? c->peer : c->variant;
}

double shape_rows(const bench_case *c)
{
    char *end;
    const double first = strtod(c->shape, &end);
    return *end == 'x' ? first : 1;
}

double shape_columns(const bench_case *c)
{
    char *end;
    const double first = strtod(c->shape, &end);
    return *end == 'x' ? strtod(end + 1, NULL) : first;
}

double shape_size(const bench_case *c)
{
    return shape_rows(c) * shape_columns(c);
}

static const char *const input_names[INPUTS] = {"uniform", "equal",    "gaussian", "sorted",
                                                "bank",    "reversed", "few"};

const char *input_name(bench_input input)
{
    return input_names[input];
}

bool find_input(const char *name, bench_input *input)
{
    int i = 0;
    while (i < INPUTS && strcmp(name, input_names[i]) != 0)
        i++;
    *input = (bench_input)i;
    return i < INPUTS;
}
