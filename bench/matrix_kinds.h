/* The matrices that products with sparse ones are measured on: square, each row's length and
 * columns from its number alone. */
#ifndef BENCH_MATRIX_KINDS_H
#define BENCH_MATRIX_KINDS_H

#include <stddef.h>

enum { MATRIX_KIND_SIZES = 3 };

/* A bit for each format. */
#define MATRIX_KIND_FORMAT(format) (1u << (format))

typedef struct matrix_kind {
    const char *name; /* shapes_… in the family `shapes` */
    size_t (*length)(size_t row, size_t rows);
    size_t (*column)(size_t row, size_t s, size_t rows); /* of the row's entry s */
    size_t gpu_sizes[MATRIX_KIND_SIZES], cpu_size;       /* rows; 0: no more sizes */
    unsigned formats; /* those that have a case of their own, beside that of CSR */
} matrix_kind;

/* NULL behind the last. */
const matrix_kind *matrix_kind_at(size_t index);

typedef struct matrix_extent {
    size_t rows, entries, longest;
} matrix_extent;

matrix_extent measure_matrix(const matrix_kind *kind, size_t rows);

#endif
