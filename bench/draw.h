/* Cases that nobody chose: drawn from a distribution, which draw.c's table and README.md state, and
 * what a run of them says in the end. */
#ifndef BENCH_DRAW_H
#define BENCH_DRAW_H

#include "bench.h"

#if defined(__cplusplus)
extern "C" {
#endif

/* ---- drawing (draw.c) ---- */

/* The draws of one call's cases. Each number that a case is made of is a dimension, in the order
 * asked for; over the cases of a run each dimension is stratified: N of them have one value in each
 * N-th part of its range, so that runs of two seeds agree sooner than by plain chance. */
typedef struct draws {
    size_t count, number; /* of cases, and which one it is */
    size_t dimension;
    double *values; /* `count` rows */
} draws;

/* The same cases for the same call, count and seed. */
draws begin_draws(const bench_options *options, const char *call);
/* false: all are drawn, and the memory is free. */
bool next_case(draws *d);

double draw_unit(draws *d); /* in [0, 1) */
size_t draw_below(draws *d, size_t count);
bool draw_one_in(draws *d, double so_many);
/* Log-uniform over least…most. */
size_t draw_size(draws *d, double least, double most);

/* Bytes of an operand: log-uniform over 2^10…2^28, one in twenty over 2^28…2^31. */
double draw_bytes(draws *d);
/* A matrix of about so many elements, rows log-uniform over 1…elements, with gaps between rows in
 * a third of the cases, in a third 1…7 elements past 16 bytes; or a vector. */
bench_shape draw_matrix(draws *d, double elements);
bench_shape draw_vector(draws *d, double elements);

/* Half of the cases are sums, and half have no transform; the others have any of the first so many
 * operators, and any transform. */
prim_op draw_op(draws *d, size_t ops);
prim_transform draw_transform(draws *d);

/* Names a case by its number; --only takes it. */
void number_case(bench_case *c, const draws *d);

bool is_drawn(const bench_case *c);
/* "sum" of "drawn_sum", and of "sum". */
const char *listed_name(const bench_case *c);
/* The number that number_case() gave it. */
size_t number_of(const bench_case *c);

/* ---- what a run says (drawn.c) ---- */

void print_drawn(const bench_context *context, const bench_result *results, size_t count);

#if defined(__cplusplus)
}
#endif

#endif
