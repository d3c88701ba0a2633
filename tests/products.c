#include "products.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- matrices ---- */

size_t matrix_extent(const matrix *x)
{
    return x->rows == 0 || x->columns == 0 ? 0 : (x->rows - 1) * x->ld + x->columns;
}

size_t matrix_bytes(const matrix *x)
{
    return matrix_extent(x) * type_bytes(x->type);
}

static size_t all_bytes(const matrix *x)
{
    return matrix_bytes(x) + 2 * x->slack * type_bytes(x->type);
}

void *matrix_data(const matrix *x)
{
    return x->base + x->slack * type_bytes(x->type);
}

static void fill_nan(cudaDataType_t type, void *h_data, size_t count)
{
    for (size_t i = 0; i < count; i++)
        write_float(type, h_data, i, NAN);
}

matrix matrix_new(cudaDataType_t type, size_t rows, size_t columns, size_t ld, size_t slack)
{
    matrix x = {type, rows, columns, ld, slack, NULL};
    const size_t count = matrix_extent(&x) + 2 * slack;
    x.base = malloc(count * type_bytes(type) + 1);
    cr_assert_not_null(x.base);
    if (type_is_float(type))
        fill_nan(type, x.base, count);
    else
        fill(type, x.base, count, UNIFORM, 4711);
    return x;
}

matrix matrix_of_pattern(cudaDataType_t type, size_t rows, size_t columns, size_t ld)
{
    matrix x = matrix_new(type, rows, columns, ld, 0);
    memset(x.base, GUARD_PATTERN, all_bytes(&x));
    return x;
}

void matrix_free(matrix *x)
{
    free(x->base);
    *x = (matrix){0};
}

static void fill_whole(cudaDataType_t type, void *h_data, size_t count, uint64_t seed)
{
    for (size_t i = 0; i < count; i++) {
        const int value = (int)(random_bits(seed + i) % 17) - 8;
        if (type_is_float(type))
            write_float(type, h_data, i, value);
        else
            write_integer(type, h_data, i, (uint64_t)(int64_t)value);
    }
}

void matrix_fill(matrix *x, distribution d, uint64_t seed)
{
    for (size_t row = 0; row < x->rows; row++) {
        void *first = (char *)matrix_data(x) + row * x->ld * type_bytes(x->type);
        if (d == INTEGERS)
            fill_whole(x->type, first, x->columns, seed + 1000003 * row);
        else
            fill(x->type, first, x->columns, d, seed + 1000003 * row);
    }
}

void matrix_fill_nan(matrix *x)
{
    for (size_t row = 0; row < x->rows; row++)
        fill_nan(x->type, (char *)matrix_data(x) + row * x->ld * type_bytes(x->type), x->columns);
}

guarded matrix_to_device(const matrix *x)
{
    return guarded_copy(x->base, all_bytes(x), 0);
}

void *data_of(const guarded *g, const matrix *x)
{
    return (char *)g->data + x->slack * type_bytes(x->type);
}

void matrix_check_unchanged(const guarded *g, const matrix *x, const char *what)
{
    char *h = malloc(all_bytes(x) + 1);
    guarded_read(g, h);
    cr_assert(memcmp(h, x->base, all_bytes(x)) == 0, "%s was written to", what);
    free(h);
}

/* ---- the operands of a product ---- */

static void set_special(matrix *x, double value, size_t place)
{
    if (x->rows == 0 || x->columns == 0)
        return;
    const size_t row = place / x->columns % x->rows, column = place % x->columns;
    write_float(x->type, matrix_data(x), row * x->ld + column, value);
}

/* What sums are rounded to, and the scalars. */
static cudaDataType_t sum_type(cudaDataType_t type)
{
    return type == CUDA_R_16F || type == CUDA_R_16BF ? CUDA_R_32F : type;
}

void factors_fill(factors *x, const contents *c, double beta)
{
    matrix *const victims[] = {[IN_A] = &x->a, [IN_B] = &x->b, [IN_C] = &x->before};
    matrix_fill(&x->a, c->d, c->seed);
    matrix_fill(&x->b, c->d, c->seed + 77);
    matrix_fill(&x->before, c->d, c->seed + 777);
    if (type_is_float(x->before.type) && round_to_type(sum_type(x->before.type), beta) == 0)
        matrix_fill_nan(&x->before);
    if (c->special_in == EVERYWHERE_IN_A_AND_B) {
        matrix_fill_nan(&x->a);
        matrix_fill_nan(&x->b);
    } else if (c->special_in != NONE) {
        set_special(victims[c->special_in], c->special, c->place);
    }
}

void factors_free(factors *x)
{
    matrix_free(&x->a);
    matrix_free(&x->b);
    matrix_free(&x->before);
    matrix_free(&x->after);
}

void *or_null(bool asked_for, const matrix *x, void *d_data)
{
    return matrix_extent(x) == 0 && asked_for ? NULL : d_data;
}

/* ---- the oracle ---- */

/* An element of op_a(A)'s row and op_b(B)'s column, summed. */
typedef struct sum {
    long double value;
    double magnitude; /* the sum of |products| */
    uint64_t integer; /* modulo 2^64 */
} sum;

/* The lines along k, one after the other: op_a(A)'s rows, or op_b(B)'s columns. As doubles, which
 * hold an i32 too. */
static double *lines(const matrix *x, size_t count, size_t k, bool along_rows)
{
    double *result = malloc((count * k + 1) * sizeof *result);
    const void *h = matrix_data(x);
    for (size_t line = 0; line < count; line++)
        for (size_t i = 0; i < k; i++) {
            const size_t from = along_rows ? line * x->ld + i : i * x->ld + line;
            result[line * k + i] = type_is_float(x->type)
                                       ? read_float(x->type, h, from)
                                       : (double)(int64_t)read_integer(x->type, h, from);
        }
    return result;
}

static sum sum_products(const double *a, const double *b, size_t k, bool is_float)
{
    sum s = {0, 0, 0};
    for (size_t i = 0; is_float && i < k; i++) {
        const long double p = (long double)a[i] * b[i];
        s.value += p;
        s.magnitude += fabs((double)p);
    }
    for (size_t i = 0; !is_float && i < k; i++)
        s.integer += (uint64_t)(int64_t)a[i] * (uint64_t)(int64_t)b[i];
    return s;
}

static bool right_integer(const product *p, const sum *s, size_t at, const void *h_after)
{
    uint64_t expected = (uint64_t)(int64_t)p->alpha * s->integer;
    expected += (uint64_t)(int64_t)p->beta * read_integer(p->type, matrix_data(p->before), at);
    return read_integer(p->type, h_after, at) == wrap_integer(p->type, expected);
}

/* The result is the sum's rounding to C's type, and the sum is as far from the exact one as
 * roundings of the sum's type can take it. */
static bool right_float(const product *p, const sum *s, size_t at, const void *h_after)
{
    const cudaDataType_t in = sum_type(p->type);
    const double u = unit_roundoff(in), alpha = round_to_type(in, p->alpha),
                 beta = round_to_type(in, p->beta), value = read_float(p->type, h_after, at);
    long double expected = 0;
    double magnitude = 0;
    if (alpha != 0 && p->k > 0) {
        expected += alpha * s->value;
        magnitude += fabs(alpha) * s->magnitude;
    }
    if (beta != 0) {
        const double c = read_float(p->type, matrix_data(p->before), at);
        expected += (long double)beta * c;
        magnitude += fabs(beta * c);
    }
    if (isnan(expected))
        return isnan(value);
    if (isinf(expected))
        return value == expected;
    const bool exact =
        p->whole && alpha == floor(alpha) && beta == floor(beta) && magnitude * u <= 1;
    const double steps = (double)p->k + 5;
    const double bound = exact ? 0 : steps * u / (1 - steps * u) * magnitude;
    if (in == p->type)
        return fabsl(value - expected) <= bound; /* false for NaN */
    return value >= round_to_type(p->type, expected - bound) &&
           value <= round_to_type(p->type, expected + bound);
}

static void check_gap(const product *p, const matrix *after, size_t row, const char *text)
{
    const size_t size = type_bytes(p->type), gap = (row * after->ld + after->columns) * size;
    cr_assert(memcmp((char *)matrix_data(after) + gap, (char *)matrix_data(p->before) + gap,
                     (after->ld - after->columns) * size) == 0,
              "%s: the gap behind row %zu was written to", text, row);
}

void product_check(const product *p, const matrix *after, size_t every, const char *text)
{
    const bool is_float = type_is_float(p->type);
    double *a = lines(p->a, p->m, p->k, p->op_a == PRIM_NOT_TRANSPOSED);
    double *b = lines(p->b, p->n, p->k, p->op_b == PRIM_TRANSPOSED);
    const void *h_after = matrix_data(after);
    for (size_t row = 0; row < p->m; row++) {
        for (size_t column = 0; column < p->n; column++) {
            const size_t at = row * after->ld + column;
            if (random_bits(at) % every != 0)
                continue;
            const sum s = sum_products(a + row * p->k, b + column * p->k, p->k, is_float);
            const bool right =
                is_float ? right_float(p, &s, at, h_after) : right_integer(p, &s, at, h_after);
            if (right)
                continue;
            cr_assert_fail("%s: wrong at %zu, %zu: %.17g; the products' sum is %.17g", text, row,
                           column,
                           is_float ? read_float(p->type, h_after, at)
                                    : (double)(int64_t)read_integer(p->type, h_after, at),
                           is_float ? (double)s.value : (double)(int64_t)s.integer);
        }
        if (row + 1 < p->m && p->n > 0)
            check_gap(p, after, row, text);
    }
    free(a);
    free(b);
}
