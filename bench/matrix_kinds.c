#include "matrix_kinds.h"

#include <math.h>
#include <stdint.h>

#include <primitives/sparse.h>

static uint64_t hash(uint64_t x) /* splitmix64 */
{
    x = (x + 1) * 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* A point and its four neighbours on a grid as wide as high: those that there are. */
static size_t neighbours(size_t row, size_t rows, size_t columns[5])
{
    const size_t width = (size_t)sqrt((double)rows);
    const size_t candidates[] = {row - width, row - 1, row, row + 1, row + width};
    size_t count = 0;
    for (size_t c = 0; c < 5; c++)
        if (candidates[c] < rows) /* what is below 0 has wrapped */
            columns[count++] = candidates[c];
    return count;
}

static size_t stencil_length(size_t row, size_t rows)
{
    size_t columns[5];
    return neighbours(row, rows, columns);
}

static size_t stencil_column(size_t row, size_t s, size_t rows)
{
    size_t columns[5];
    neighbours(row, rows, columns);
    return columns[s];
}

/* A point of a cube, its edge's length, and how many neighbours it has along each axis, itself
 * included; a step back is one of them unless the point lies at 0. */
typedef struct cube {
    size_t edge, at[3], count[3];
} cube;

static cube cube_of(size_t row, size_t rows)
{
    cube c = {.edge = (size_t)cbrt((double)rows + 0.5)};
    for (size_t axis = 0; axis < 3; axis++, row /= c.edge) {
        c.at[axis] = row % c.edge;
        c.count[axis] = 1 + (c.at[axis] > 0) + (c.at[axis] + 1 < c.edge);
    }
    return c;
}

static size_t cube_length(size_t row, size_t rows)
{
    const cube c = cube_of(row, rows);
    return c.count[0] * c.count[1] * c.count[2];
}

static size_t cube_column(size_t row, size_t s, size_t rows)
{
    const cube c = cube_of(row, rows);
    size_t column = 0, scale = 1;
    for (size_t axis = 0; axis < 3; axis++, scale *= c.edge) {
        column += (c.at[axis] - (c.at[axis] > 0) + s % c.count[axis]) * scale;
        s /= c.count[axis];
    }
    return column;
}

static size_t band_length(size_t row, size_t rows)
{
    (void)row;
    return rows < 40 ? rows : 40;
}

static size_t band_column(size_t row, size_t s, size_t rows)
{
    const size_t width = band_length(row, rows), first = row < 20 ? 0 : row - 20;
    return (first + width > rows ? rows - width : first) + s;
}

/* l entries or more in a share of l^-1.2 of the rows, up to an eighth of the columns. */
static size_t power_law_length(size_t row, size_t rows)
{
    const double share = (double)((hash(row) >> 11) + 1) * 0x1p-53;
    return (size_t)fmin(pow(share, -1 / 1.2), (double)(rows / 8 + 1));
}

static size_t same_length(size_t row, size_t rows)
{
    (void)row, (void)rows;
    return 32;
}

static size_t random_column(size_t row, size_t s, size_t rows)
{
    return hash(row << 24 ^ s) % rows;
}

/* As many as an R-MAT graph of 24 edges a vertex has on average there, with quarters of 57, 19, 19
 * and 5 %; the columns follow from the row's bits. rows is a power of two. */
static size_t rmat_length(size_t row, size_t rows)
{
    double expected = 24 * (double)rows;
    for (size_t bit = 1; bit < rows; bit *= 2)
        expected *= (row & bit) != 0 ? 0.24 : 0.76;
    return (size_t)(expected + (double)(hash(row) >> 11) * 0x1p-53);
}

static size_t rmat_column(size_t row, size_t s, size_t rows)
{
    size_t column = 0, bit = 1;
    for (uint64_t draw = 0, i = 0; bit < rows; bit *= 2, draw >>= 16, i++) {
        if (i % 4 == 0)
            draw = hash(row << 24 ^ s ^ i << 60);
        const double share = (double)(draw & 0xffff) * 0x1p-16;
        column |= share < ((row & bit) != 0 ? 0.05 / 0.24 : 0.19 / 0.76) ? bit : 0;
    }
    return column;
}

static size_t one_full_length(size_t row, size_t rows)
{
    return row == rows / 2 ? rows : 31;
}

static size_t one_full_column(size_t row, size_t s, size_t rows)
{
    return row == rows / 2 ? s : random_column(row, s, rows);
}

/* ---- odd shapes ---- */

static size_t side_by_side(size_t row, size_t s, size_t rows)
{
    return (row + s) % rows;
}

#define ROWS_OF(n)                                    \
    static size_t length_##n(size_t row, size_t rows) \
    {                                                 \
        (void)row;                                    \
        return rows < n ? rows : n;                   \
    }
ROWS_OF(1)
ROWS_OF(2)
ROWS_OF(3)
ROWS_OF(7)
ROWS_OF(17)
ROWS_OF(33)
ROWS_OF(65)
ROWS_OF(257)
ROWS_OF(4099)

static size_t every_second(size_t row, size_t rows)
{
    (void)rows;
    return row % 2 == 0 ? 0 : 33;
}

static size_t one_row(size_t row, size_t rows)
{
    return row == rows / 3 ? rows : 0;
}

static size_t first_and_last(size_t row, size_t rows)
{
    return row == 0 || row + 1 == rows ? rows : 0;
}

static size_t stairs(size_t row, size_t rows)
{
    (void)rows;
    return row;
}

/* ---- the table ---- */

enum {
    WITH_COO = MATRIX_KIND_FORMAT(PRIM_SPARSE_COO),
    WITH_ELL = MATRIX_KIND_FORMAT(PRIM_SPARSE_ELL),
    WITH_JDS = MATRIX_KIND_FORMAT(PRIM_SPARSE_JDS),
    WITH_SELL = MATRIX_KIND_FORMAT(PRIM_SPARSE_SELL)
};

static const matrix_kind kinds[] = {
    {"stencil",
     stencil_length,
     stencil_column,
     {(size_t)1 << 12, (size_t)1 << 22, (size_t)1 << 24},
     1 << 10,
     0},
    {"stencil-27", cube_length, cube_column, {192 * 192 * 192}, 216, WITH_COO | WITH_SELL},
    {"banded", band_length, band_column, {2000000}, 300, WITH_COO | WITH_SELL},
    {"random-32", same_length, random_column, {(size_t)1 << 20}, 1 << 8, 0},
    {"rmat", rmat_length, rmat_column, {(size_t)1 << 20}, 1 << 8, WITH_COO},
    {"power-law", power_law_length, random_column, {(size_t)1 << 20}, 1 << 10, 0},
    {"one-full-row", one_full_length, one_full_column, {(size_t)1 << 20}, 1 << 8, 0},
    /* of shapes: entries side by side, so that only the rows' lengths are odd */
    {"shapes_1", length_1, side_by_side, {16777213}, 301, 0},
    {"shapes_2", length_2, side_by_side, {8388617}, 301, 0},
    {"shapes_3", length_3, side_by_side, {5592403}, 301, 0},
    {"shapes_7", length_7, side_by_side, {2396747}, 301, 0},
    {"shapes_17", length_17, side_by_side, {986903}, 301, 0},
    {"shapes_33", length_33, side_by_side, {508409}, 301, 0},
    {"shapes_65", length_65, side_by_side, {258107}, 301, 0},
    {"shapes_257", length_257, side_by_side, {65287}, 301, 0},
    {"shapes_4099", length_4099, side_by_side, {8191}, 131, WITH_ELL | WITH_JDS | WITH_SELL},
    {"shapes_every_second", every_second, side_by_side, {1000003}, 301, 0},
    {"shapes_one_row", one_row, side_by_side, {16777213}, 4099, WITH_JDS},
    {"shapes_first_and_last", first_and_last, side_by_side, {8388617}, 4099, 0},
    {"shapes_stairs", stairs, side_by_side, {5791}, 97, WITH_JDS | WITH_SELL},
};

const matrix_kind *matrix_kind_at(size_t index)
{
    return index < sizeof kinds / sizeof *kinds ? &kinds[index] : NULL;
}

/* ---- drawn ones ---- */

const char *drawn_rows_name(drawn_rows rows)
{
    static const char *const names[DRAWN_ROWS] = {
        [ROWS_CONSTANT] = "constant",    [ROWS_UNIFORM] = "uniform", [ROWS_LOGNORMAL] = "lognormal",
        [ROWS_POWER_LAW] = "power_law",  [ROWS_BANDED] = "banded",   [ROWS_CLUSTERED] = "clustered",
        [ROWS_HALF_EMPTY] = "half_empty"};
    return names[rows];
}

/* In (0, 1]. */
static double unit_of(size_t number)
{
    return (double)((hash(number) >> 11) + 1) * 0x1p-53;
}

/* exp(N(-1/2, 1)), whose mean is 1. */
static double lognormal(size_t row)
{
    const double pi = 3.14159265358979323846;
    return exp(sqrt(-2 * log(unit_of(2 * row))) * cos(2 * pi * unit_of(2 * row + 1)) - 0.5);
}

/* l or more in a share of l^-1.2; the mean of l is 6. */
static double power_law(size_t row)
{
    return pow(unit_of(row), -1 / 1.2) / 6;
}

enum { CLUSTER_ROWS = 64, CLUSTER_RUN = 8 };

/* A row's length over the mean, before it is rounded. */
static double relative_length(drawn_rows rows, size_t row)
{
    switch (rows) {
    case ROWS_UNIFORM:
        return 2 * unit_of(row);
    case ROWS_LOGNORMAL:
        return lognormal(row);
    case ROWS_POWER_LAW:
        return power_law(row);
    case ROWS_CLUSTERED:
        return 2 * unit_of(row / CLUSTER_ROWS);
    case ROWS_HALF_EMPTY:
        return hash(row) % 2 == 0 ? 0 : 2;
    default:
        return 1;
    }
}

static size_t drawn_length(const matrix_plan *m, size_t row)
{
    const double length = m->mean * relative_length(m->drawn, row) + 0.5;
    return length < (double)m->columns ? (size_t)length : m->columns;
}

static size_t drawn_column(const matrix_plan *m, size_t row, size_t s)
{
    if (m->drawn == ROWS_BANDED) {
        const size_t centre = (size_t)((double)row / (double)m->rows * (double)m->columns);
        return (centre + s) % m->columns;
    }
    if (m->drawn == ROWS_CLUSTERED) {
        const size_t run = hash(row / CLUSTER_ROWS << 24 ^ s / CLUSTER_RUN);
        return (run % m->columns + s % CLUSTER_RUN) % m->columns;
    }
    return random_column(row, s, m->columns);
}

/* ---- all ---- */

bool is_same_matrix(const matrix_plan *a, const matrix_plan *b)
{
    return a->kind == b->kind && a->rows == b->rows && a->columns == b->columns &&
           a->drawn == b->drawn && a->mean == b->mean;
}

size_t row_length(const matrix_plan *m, size_t row)
{
    return m->kind != NULL ? m->kind->length(row, m->rows) : drawn_length(m, row);
}

size_t entry_column(const matrix_plan *m, size_t row, size_t s)
{
    return m->kind != NULL ? m->kind->column(row, s, m->rows) : drawn_column(m, row, s);
}

matrix_extent measure_matrix(const matrix_plan *m)
{
    matrix_extent e = {.rows = m->rows, .columns = m->columns};
    for (size_t row = 0; row < m->rows; row++) {
        const size_t length = row_length(m, row);
        e.entries += length;
        e.longest = length > e.longest ? length : e.longest;
    }
    return e;
}
