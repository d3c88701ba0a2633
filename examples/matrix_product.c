/* The product of two matrices from text files, checked against the host.
 *
 *     matrix_product A B [VARIANT]      VARIANT is naive, tiled_16, …; auto if left out
 *
 * A line of a file is a row; numbers stand apart by blanks, tabs or one comma. The product goes to
 * the standard output, and how far it is from the host's to the standard error. */
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <primitives/gemm.h>

#include "comparison.h"
#include "failure.h"
#include "numbers.h"
#include "output.h"
#include "text_lines.h"

static const char program[] = "matrix_product";

typedef struct matrix {
    size_t rows, columns;
    float *h_data, *d_data;
} matrix;

/* ---- the files ---- */

/* The word at *rest; *rest goes on after it, and after blanks and the comma that may follow. */
static char *take_word(char **rest, bool *comma)
{
    char *const word = *rest + strspn(*rest, " \t");
    char *const end = word + strcspn(word, " \t,");
    char *const behind = end + strspn(end, " \t");
    *comma = *behind == ',';
    *rest = behind + (*comma ? 1 : 0);
    *end = '\0';
    return word;
}

static float number_of(const text_lines *l, const char *word, size_t column)
{
    double number;
    if (*word == '\0')
        text_lines_refuse(l, "column %zu is empty", column);
    if (!read_real(word, &number))
        text_lines_refuse(l, "column %zu: %.40s is not a number", column, word);
    if (fabs(number) > FLT_MAX)
        text_lines_refuse(l, "column %zu: %.40s is too large", column, word);
    return (float)number;
}

/* Appends the line's numbers to m; returns how many. */
static size_t append_row(matrix *m, size_t *room, const text_lines *l)
{
    size_t count = m->rows * m->columns, numbers = 0;
    char *rest = l->line;
    bool more = rest[strspn(rest, " \t")] != '\0';
    while (more) {
        bool comma;
        const char *const word = take_word(&rest, &comma);
        if (count == *room)
            m->h_data = allocate(program, m->h_data, *room = 2 * *room + 64, sizeof *m->h_data);
        m->h_data[count++] = number_of(l, word, ++numbers);
        more = comma || *rest != '\0';
    }
    return numbers;
}

static matrix read_matrix(const char *path)
{
    text_lines lines = text_lines_open(program, path);
    matrix m = {0};
    size_t room = 0;
    while (text_lines_next(&lines)) {
        const size_t numbers = append_row(&m, &room, &lines);
        if (numbers == 0)
            continue; /* an empty line */
        if (m.rows > 0 && numbers != m.columns)
            text_lines_refuse(&lines, "this row has %zu numbers, not %zu", numbers, m.columns);
        m.columns = numbers;
        m.rows++;
    }
    text_lines_close(&lines);
    return m;
}

/* ---- the product ---- */

static prim_gemm_variant find_variant(const char *name)
{
    for (size_t v = 0; prim_gemm_variant_at(v) != NULL; v++)
        if (strcmp(prim_gemm_variant_at(v)->name, name) == 0)
            return prim_gemm_variant_at(v)->value;
    fprintf(stderr, "matrix_product: there is no variant %s; there are:", name);
    for (size_t v = 0; prim_gemm_variant_at(v) != NULL; v++)
        fprintf(stderr, " %s", prim_gemm_variant_at(v)->name);
    fprintf(stderr, "\n");
    exit(2);
}

static void to_device(matrix *m)
{
    const size_t bytes = m->rows * m->columns * sizeof(float);
    check_cuda(program, cudaMalloc((void **)&m->d_data, bytes));
    check_cuda(program, cudaMemcpy(m->d_data, m->h_data, bytes, cudaMemcpyHostToDevice));
}

static matrix multiply(matrix *a, matrix *b, prim_gemm_variant variant)
{
    matrix c = {.rows = a->rows, .columns = b->columns};
    const size_t bytes = c.rows * c.columns * sizeof(float);
    c.h_data = allocate(program, NULL, c.rows * c.columns, sizeof *c.h_data);
    to_device(a);
    to_device(b);
    check_cuda(program, cudaMalloc((void **)&c.d_data, bytes));
    check_prim(program, prim_gemm(variant, PRIM_NOT_TRANSPOSED, PRIM_NOT_TRANSPOSED, 1,
                                  prim_matrix_of(CUDA_R_32F, a->d_data, a->rows, a->columns, 0),
                                  prim_matrix_of(CUDA_R_32F, b->d_data, b->rows, b->columns, 0), 0,
                                  prim_matrix_of(CUDA_R_32F, c.d_data, c.rows, c.columns, 0),
                                  PRIM_COMPUTE_DEFAULT, NULL));
    check_cuda(program, cudaMemcpy(c.h_data, c.d_data, bytes, cudaMemcpyDeviceToHost));
    return c;
}

/* ---- the comparison ---- */

static double *magnitudes_of(const matrix *m)
{
    const size_t count = m->rows * m->columns;
    double *const h_magnitudes = allocate(program, NULL, count, sizeof *h_magnitudes);
    for (size_t i = 0; i < count; i++)
        h_magnitudes[i] = fabs((double)m->h_data[i]);
    return h_magnitudes;
}

static void multiply_on_host(const matrix *a, const matrix *b, cudaDataType_t type, const void *h_a,
                             const void *h_b, void *h_c)
{
    check_prim(program, prim_gemm_host(PRIM_NOT_TRANSPOSED, PRIM_NOT_TRANSPOSED, 1,
                                       prim_matrix_of(type, h_a, a->rows, a->columns, 0),
                                       prim_matrix_of(type, h_b, b->rows, b->columns, 0), 0,
                                       prim_matrix_of(type, h_c, a->rows, b->columns, 0),
                                       PRIM_COMPUTE_DEFAULT, 1));
}

/* The largest distance of an element of c from the host's. */
static double distance(const matrix *a, const matrix *b, const matrix *c)
{
    const size_t count = c->rows * c->columns;
    float *const h_right = allocate(program, NULL, count, sizeof *h_right);
    double *const h_sums = allocate(program, NULL, count, sizeof *h_sums);
    double *const h_a = magnitudes_of(a), *const h_b = magnitudes_of(b);
    double farthest = 0;
    multiply_on_host(a, b, CUDA_R_32F, a->h_data, b->h_data, h_right);
    multiply_on_host(a, b, CUDA_R_64F, h_a, h_b, h_sums);
    for (size_t i = 0; i < count; i++)
        farthest = farther(
            farthest, relative_distance(c->h_data[i], h_right[i], h_sums[i], FLT_MIN, FLT_MAX));
    free(h_a);
    free(h_b);
    free(h_sums);
    free(h_right);
    return farthest;
}

static void print(const matrix *m)
{
    for (size_t i = 0; i < m->rows; i++)
        for (size_t j = 0; j < m->columns; j++)
            printf("%.9g%c", (double)m->h_data[i * m->columns + j],
                   j + 1 < m->columns ? ' ' : '\n');
}

static void release(matrix *m)
{
    check_cuda(program, cudaFree(m->d_data));
    free(m->h_data);
}

int main(int argc, char **argv)
{
    if (argc < 3 || argc > 4) {
        fprintf(stderr, "usage: matrix_product A B [VARIANT]\n");
        return 2;
    }
    const prim_gemm_variant variant = find_variant(argc == 4 ? argv[3] : "auto");
    matrix a = read_matrix(argv[1]), b = read_matrix(argv[2]);
    if (a.columns != b.rows) {
        fprintf(stderr, "matrix_product: %zu × %zu by %zu × %zu cannot be multiplied\n", a.rows,
                a.columns, b.rows, b.columns);
        return 1;
    }
    matrix c = multiply(&a, &b, variant);
    const double apart = distance(&a, &b, &c);
    const double bound = (double)(a.columns + 1) * FLT_EPSILON; /* as many roundings on each side */
    print(&c);
    fprintf(stderr, "%zu × %zu by %zu × %zu; relative distance from the host's product: %.1e\n",
            a.rows, a.columns, b.rows, b.columns, apart);
    release(&a);
    release(&b);
    release(&c);
    finish_output(program);
    return !(apart <= bound);
}
