/* The family `shapes`: odd, prime, short, long, padded and misaligned operands, each beside a round
 * one, and what they reach of the ceiling, worst last. Its cases are named shapes_…, so that
 * tables, files and plots keep them apart from the others. */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "common/host/element.h"

enum { SECTOR_BYTES = 32 };

static const char prefix[] = "shapes_";

bool is_of_shapes(const bench_case *c)
{
    return strncmp(c->name, prefix, sizeof prefix - 1) == 0;
}

/* ---- the matrices that every pattern with rows and columns is tried on ---- */

/* From one column to one row, some 2^28 elements; then smaller ones, odd beside round. The leading
 * dimension is 0 where rows follow each other without a gap. */
static const bench_shape gpu_shapes[] = {
    {268435456, 1, 0, 0},    {134217728, 2, 0, 0},    {89478485, 3, 0, 0},
    {67108864, 4, 0, 0},     {33554432, 7, 0, 0},     {16777216, 16, 0, 0},
    {16777213, 17, 0, 0},    {7255013, 37, 0, 0},     {2097143, 127, 0, 0},
    {1048576, 256, 0, 0},    {524287, 511, 0, 0},     {262144, 1023, 0, 0},
    {262144, 1024, 0, 0},    {262144, 1025, 0, 0},    {65537, 4099, 0, 0},
    {16381, 16411, 0, 0},    {16384, 16384, 0, 0},    {1023, 262147, 0, 0},
    {257, 1000003, 0, 0},    {37, 7255013, 0, 0},     {7, 33554432, 0, 0},
    {3, 83886080, 0, 0},     {2, 134217728, 0, 0},    {1, 268435456, 0, 0},
    {33554432, 7, 8, 0},     {33554432, 1, 4, 0},     {7255013, 37, 41, 0},
    {262144, 1021, 1024, 0}, {262144, 1021, 1027, 0}, {7, 33554431, 33554437, 0},
    {3355457, 80, 0, 0},     {2080897, 129, 0, 0},    {1052693, 255, 0, 0},
    {1020673, 257, 263, 0},  {262144, 1024, 0, 1},    {1000003, 37, 0, 0},
    {1048576, 64, 0, 0},     {65536, 1023, 0, 0},     {65536, 1024, 0, 0},
    {1000, 1000, 0, 0},      {1024, 1024, 0, 0},      {37, 1000003, 0, 0},
    {64, 1048576, 0, 0},
};
static const bench_shape cpu_shapes[] = {
    {4099, 1, 0, 0}, {601, 7, 8, 0}, {37, 101, 0, 1}, {3, 1361, 0, 0}, {1, 4099, 0, 0}};

const bench_shape *matrix_shapes(size_t *count)
{
    *count =
        on_gpu() ? sizeof gpu_shapes / sizeof *gpu_shapes : sizeof cpu_shapes / sizeof *cpu_shapes;
    return on_gpu() ? gpu_shapes : cpu_shapes;
}

/* ---- what is said of one ---- */

/* "262144x1021/1027" with its leading dimension, "+1" where it begins one element past 16 bytes. */
void set_shape(bench_case *c, const bench_shape *shape)
{
    char *end = c->shape, *const limit = c->shape + sizeof c->shape;
    c->rows = shape->rows;
    c->size = shape->rows * shape->columns;
    c->ld = shape->ld;
    c->offset = shape->offset;
    if (shape->rows != 1 || shape->ld != 0)
        end += snprintf(end, (size_t)(limit - end), "%zux", shape->rows);
    end += snprintf(end, (size_t)(limit - end), "%zu", shape->columns);
    if (shape->ld != 0)
        end += snprintf(end, (size_t)(limit - end), "/%zu", shape->ld);
    if (shape->offset != 0)
        snprintf(end, (size_t)(limit - end), "+%zu", shape->offset);
}

/* The sectors of 32 bytes that hold an element, times 32: the least that memory moves. */
double touched_bytes(size_t rows, size_t columns, size_t ld, size_t element_bytes, size_t offset)
{
    size_t sectors = 0, next = 0; /* the first sector that is not counted yet */
    if (columns == 0)
        return 0;
    if (ld == 0 || ld == columns) {
        columns *= rows;
        rows = 1;
    }
    for (size_t row = 0; row < rows; row++) {
        const size_t begin = (row * ld + offset) * element_bytes;
        const size_t first = begin / SECTOR_BYTES,
                     last = (begin + columns * element_bytes - 1) / SECTOR_BYTES;
        const size_t from = row > 0 && next > first ? next : first;
        sectors += last + 1 - from;
        next = last + 1;
    }
    return (double)sectors * SECTOR_BYTES;
}

/* Elements to allocate: what lies between rows too, and what lies before the first. */
size_t elements_of_shape(const bench_case *c)
{
    const size_t columns = c->size / c->rows, ld = c->ld != 0 ? c->ld : columns;
    return (c->rows - 1) * ld + columns + c->offset;
}

/* ---- what a run says in the end ---- */

static int by_share(const void *a, const void *b)
{
    const double x = (*(const bench_result *const *)a)->of_ceiling,
                 y = (*(const bench_result *const *)b)->of_ceiling;
    return (x < y) - (x > y);
}

void print_shapes(const bench_result *results, size_t count)
{
    const bench_result **shown = calloc(count + 1, sizeof *shown);
    size_t shapes = 0;
    double log_sum = 0;
    if (shown == NULL)
        exit(1);
    for (size_t i = 0; i < count; i++)
        if (is_of_shapes(results[i].c) && results[i].mode == MODE_COLD &&
            results[i].c->peer == NULL && results[i].of_ceiling > 0)
            shown[shapes++] = &results[i];
    qsort(shown, shapes, sizeof *shown, by_share);
    for (size_t i = 0; i < shapes; i++) {
        const bench_case *c = shown[i]->c;
        if (i == 0)
            printf("\nshapes, by their share of the ceiling\n");
        printf("  %-10s %-16s %-9s %-26s %12.2f us %6.1f%%\n", c->pattern, c->name, c->type,
               c->shape, shown[i]->time.median_us, 100 * shown[i]->of_ceiling);
        log_sum += log(shown[i]->of_ceiling);
    }
    if (shapes > 0)
        printf("  geometric mean of %zu: %.1f%%\n", shapes, 100 * exp(log_sum / (double)shapes));
    free(shown);
}
