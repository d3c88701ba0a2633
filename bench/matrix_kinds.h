/* The matrices that products with sparse ones are measured on: listed ones, which are square, and
 * drawn ones. Each row's length and columns follow from its number alone. */
#ifndef BENCH_MATRIX_KINDS_H
#define BENCH_MATRIX_KINDS_H

#include <stdbool.h>
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

/* NULL after the last. */
const matrix_kind *matrix_kind_at(size_t index);

/* How long the rows of a drawn matrix are, and where their entries lie; in brackets what is not
 * drawn uniformly from all columns. */
typedef enum drawn_rows {
    ROWS_CONSTANT,
    ROWS_UNIFORM, /* of 0 to twice the mean */
    ROWS_LOGNORMAL,
    ROWS_POWER_LAW,
    ROWS_BANDED,     /* one length (around the diagonal) */
    ROWS_CLUSTERED,  /* 64 rows alike (runs of 8, the same ones in 64 rows) */
    ROWS_HALF_EMPTY, /* and half of twice the mean */
    DRAWN_ROWS
} drawn_rows;

const char *drawn_rows_name(drawn_rows rows);

/* A matrix, of which no entry is made yet: of a listed kind, or drawn. */
typedef struct matrix_plan {
    const matrix_kind *kind; /* NULL: drawn */
    size_t rows, columns;
    drawn_rows drawn;
    double mean; /* entries of a row */
} matrix_plan;

bool is_same_matrix(const matrix_plan *a, const matrix_plan *b);
size_t row_length(const matrix_plan *m, size_t row);
/* Of the row's entry s. */
size_t entry_column(const matrix_plan *m, size_t row, size_t s);

typedef struct matrix_extent {
    size_t rows, columns, entries, longest;
} matrix_extent;

matrix_extent measure_matrix(const matrix_plan *m);

#endif
