/* The product of two matrices from text files, checked against the host.
 *
 *     matrix_product A B [VARIANT]      VARIANT is naive, tiled_16, …; auto if left out
 *
 * A line of a file is a row; numbers stand apart by blanks, tabs or commas. The product goes to the
 * standard output, and how far it is from the host's to the standard error. */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <primitives/gemm.h>

#include "output.h"

typedef struct matrix {
    size_t rows, columns;
    float *h_data, *d_data;
} matrix;

static void check_cuda(cudaError_t error)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "matrix_product: %s\n", cudaGetErrorString(error));
    exit(1);
}

static void check(prim_status status)
{
    if (status == PRIM_OK)
        return;
    fprintf(stderr, "matrix_product: %s\n", prim_last_error(NULL));
    exit(1);
}

static void *allocate(void *data, size_t bytes)
{
    data = realloc(data, bytes > 0 ? bytes : 1);
    if (data != NULL)
        return data;
    fprintf(stderr, "matrix_product: out of memory\n");
    exit(1);
}

/* Appends a line's numbers to m; returns how many. Where a word is none, *other is that word. */
static size_t append_row(matrix *m, size_t *capacity, char *line, const char **other)
{
    const char *separators = " \t,\r\n";
    size_t count = m->rows * m->columns, numbers = 0;
    char *rest = NULL;
    for (char *word = strtok_r(line, separators, &rest); word != NULL;
         word = strtok_r(NULL, separators, &rest)) {
        char *end;
        const float value = strtof(word, &end);
        if (*end != '\0') {
            *other = word;
            return numbers;
        }
        if (count == *capacity)
            m->h_data = allocate(m->h_data, (*capacity = 2 * *capacity + 64) * sizeof(float));
        m->h_data[count++] = value;
        numbers++;
    }
    return numbers;
}

static matrix read_matrix(const char *path)
{
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        fprintf(stderr, "matrix_product: %s: %s\n", path, strerror(errno));
        exit(1);
    }
    matrix m = {0};
    char *line = NULL;
    size_t line_bytes = 0, capacity = 0;
    for (size_t number = 1; getline(&line, &line_bytes, file) >= 0; number++) {
        const char *other = NULL;
        const size_t numbers = append_row(&m, &capacity, line, &other);
        if (other != NULL) {
            fprintf(stderr, "matrix_product: %s:%zu: %.40s is no number\n", path, number, other);
            exit(1);
        }
        if (numbers == 0)
            continue; /* an empty line */
        if (m.rows > 0 && numbers != m.columns) {
            fprintf(stderr, "matrix_product: %s:%zu: %zu numbers in a row, not %zu\n", path, number,
                    numbers, m.columns);
            exit(1);
        }
        m.columns = numbers;
        m.rows++;
    }
    free(line);
    fclose(file);
    return m;
}

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
    check_cuda(cudaMalloc((void **)&m->d_data, bytes));
    check_cuda(cudaMemcpy(m->d_data, m->h_data, bytes, cudaMemcpyHostToDevice));
}

static matrix multiply(matrix *a, matrix *b, prim_gemm_variant variant)
{
    matrix c = {.rows = a->rows, .columns = b->columns};
    const size_t bytes = c.rows * c.columns * sizeof(float);
    c.h_data = allocate(NULL, bytes);
    to_device(a);
    to_device(b);
    check_cuda(cudaMalloc((void **)&c.d_data, bytes));
    check(prim_gemm(variant, PRIM_NOT_TRANSPOSED, PRIM_NOT_TRANSPOSED, c.rows, c.columns,
                    a->columns, 1, CUDA_R_32F, a->d_data, a->columns, CUDA_R_32F, b->d_data,
                    b->columns, 0, CUDA_R_32F, c.d_data, c.columns, PRIM_COMPUTE_DEFAULT, NULL, 0,
                    0));
    check_cuda(cudaMemcpy(c.h_data, c.d_data, bytes, cudaMemcpyDeviceToHost));
    return c;
}

/* How far c is from the host's product, the largest element of that being 1; NaN where either has
 * one that the other has not. */
static double distance(const matrix *a, const matrix *b, const matrix *c)
{
    const size_t count = c->rows * c->columns;
    float *h_right = allocate(NULL, count * sizeof(float));
    check(prim_gemm_host(PRIM_NOT_TRANSPOSED, PRIM_NOT_TRANSPOSED, c->rows, c->columns, a->columns,
                         1, CUDA_R_32F, a->h_data, a->columns, CUDA_R_32F, b->h_data, b->columns, 0,
                         CUDA_R_32F, h_right, c->columns, PRIM_COMPUTE_DEFAULT, 1));
    double largest = 0, farthest = 0;
    for (size_t i = 0; i < count; i++) {
        const double right = h_right[i], apart = fabs(right - c->h_data[i]);
        if (isnan(apart) && !(isnan(right) && isnan(c->h_data[i])))
            farthest = NAN;
        largest = fmax(largest, fabs(right));
        farthest = farthest >= apart || isnan(farthest) ? farthest : fmax(farthest, apart);
    }
    free(h_right);
    return largest > 0 ? farthest / largest : farthest;
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
    check_cuda(cudaFree(m->d_data));
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
        fprintf(stderr, "matrix_product: %zu × %zu by %zu × %zu does not go\n", a.rows, a.columns,
                b.rows, b.columns);
        return 1;
    }
    matrix c = multiply(&a, &b, variant);
    const double apart = distance(&a, &b, &c);
    print(&c);
    fprintf(stderr, "%zu × %zu by %zu × %zu; relative distance from the host's product: %.1e\n",
            a.rows, a.columns, b.rows, b.columns, apart);
    release(&a);
    release(&b);
    release(&c);
    finish_output("matrix_product");
    return !(apart < 1e-4);
}
