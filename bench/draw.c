/* Draws cases. What is drawn for every call stands here; what of types, operators and kinds a
 * pattern adds, in its own plan_draw(). */
#include "draw.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIMENSIONS = 16 };

/* On the CPU backend small ones: there it is to be seen that they run. */
typedef struct sizes {
    double least, most, rarely; /* bytes */
} sizes;
static const sizes of_a_gpu = {0x1p10, 0x1p28, 0x1p31}, of_cpu_backend = {0x1p6, 0x1p13, 0x1p14};

static const double one_in_large = 20, one_in_gaps = 3, one_in_misaligned = 3;
enum { MOST_PAST_A_VECTOR = 7, MOST_GAP = 64 };

/* ---- random numbers: splitmix64 ---- */

static uint64_t next_word(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static double next_unit(uint64_t *state)
{
    return (double)(next_word(state) >> 11) * 0x1p-53;
}

/* The calls of a run do not share their draws. */
static uint64_t state_for(unsigned seed, const char *call)
{
    uint64_t state = seed;
    for (const char *c = call; *c != '\0'; c++)
        state = state * 1099511628211u ^ (unsigned char)*c;
    next_word(&state);
    return state;
}

static void shuffle(size_t *strata, size_t count, uint64_t *state)
{
    for (size_t i = 0; i < count; i++)
        strata[i] = i;
    for (size_t i = count; i > 1; i--) {
        const size_t j = (size_t)(next_unit(state) * (double)i), kept = strata[i - 1];
        strata[i - 1] = strata[j];
        strata[j] = kept;
    }
}

/* ---- cases ---- */

draws begin_draws(const bench_options *options, const char *call)
{
    const size_t count = options->draw;
    draws d = {.count = count, .number = SIZE_MAX};
    uint64_t state = state_for(options->seed, call);
    size_t *strata = malloc(count * sizeof *strata);
    d.values = malloc(count * DIMENSIONS * sizeof *d.values);
    if (strata == NULL || d.values == NULL)
        exit(1);
    for (size_t dimension = 0; dimension < DIMENSIONS; dimension++) {
        shuffle(strata, count, &state);
        for (size_t i = 0; i < count; i++)
            d.values[i * DIMENSIONS + dimension] =
                ((double)strata[i] + next_unit(&state)) / (double)count;
    }
    free(strata);
    return d;
}

bool next_case(draws *d)
{
    d->dimension = 0;
    if (++d->number < d->count)
        return true;
    free(d->values);
    return false;
}

double draw_unit(draws *d)
{
    if (d->dimension == DIMENSIONS)
        abort(); /* a case is made of more numbers than are drawn */
    return d->values[d->number * DIMENSIONS + d->dimension++];
}

size_t draw_below(draws *d, size_t count)
{
    const size_t drawn = (size_t)(draw_unit(d) * (double)count);
    return drawn < count ? drawn : count - 1;
}

bool draw_one_in(draws *d, double so_many)
{
    return draw_unit(d) * so_many < 1;
}

static double log_uniform(double unit, double least, double most)
{
    return least * pow(most / least, unit);
}

size_t draw_size(draws *d, double least, double most)
{
    return (size_t)(log_uniform(draw_unit(d), least, most + 1));
}

double draw_bytes(draws *d)
{
    const bool is_large = draw_one_in(d, one_in_large);
    const double unit = draw_unit(d);
    const sizes s = on_gpu() ? of_a_gpu : of_cpu_backend;
    return is_large ? log_uniform(unit, s.most, s.rarely) : log_uniform(unit, s.least, s.most);
}

static size_t at_least_one(double number)
{
    return number < 1 ? 1 : (size_t)number;
}

static size_t draw_offset(draws *d)
{
    const bool is_misaligned = draw_one_in(d, one_in_misaligned);
    const size_t offset = 1 + draw_below(d, MOST_PAST_A_VECTOR);
    return is_misaligned ? offset : 0;
}

/* Gaps take memory too: of short rows they are no longer than the row. */
bench_shape draw_matrix(draws *d, double elements)
{
    const size_t rows = at_least_one(log_uniform(draw_unit(d), 1, elements)),
                 columns = at_least_one(elements / (double)rows);
    const bool has_gaps = draw_one_in(d, one_in_gaps);
    const size_t gap = 1 + draw_below(d, columns < MOST_GAP ? columns : MOST_GAP);
    return (bench_shape){rows, columns, has_gaps && rows > 1 ? columns + gap : 0, draw_offset(d)};
}

bench_shape draw_vector(draws *d, double elements)
{
    return (bench_shape){1, at_least_one(elements), 0, draw_offset(d)};
}

prim_op draw_op(draws *d, size_t ops)
{
    const bool is_sum = draw_one_in(d, 2);
    const size_t any = draw_below(d, ops);
    return is_sum ? PRIM_OP_SUM : (prim_op)any;
}

prim_transform draw_transform(draws *d)
{
    const bool is_none = draw_one_in(d, 2);
    const size_t any = draw_below(d, PRIM_TRANSFORM_ABS + 1);
    return is_none ? PRIM_TRANSFORM_NONE : (prim_transform)any;
}

/* ---- names ---- */

void number_case(bench_case *c, const draws *d)
{
    const size_t length = strlen(c->shape);
    snprintf(c->shape + length, sizeof c->shape - length, " #%zu", d->number);
}

static const char prefix[] = "drawn_";

bool is_drawn(const bench_case *c)
{
    return strncmp(c->name, prefix, sizeof prefix - 1) == 0;
}

const char *listed_name(const bench_case *c)
{
    return is_drawn(c) ? c->name + sizeof prefix - 1 : c->name;
}

size_t number_of(const bench_case *c)
{
    const char *const mark = strchr(c->shape, '#');
    return mark != NULL ? strtoul(mark + 1, NULL, 10) : SIZE_MAX;
}
