/* y = A · x for a matrix from a Matrix Market file, checked against the host.
 *
 *     sparse_product FILE.mtx [FORMAT [Y.mtx]]
 *
 * FORMAT is csr, coo, ell, hyb, jds or sell; csr if left out. x is 1, 1/2, 1/3, … Y.mtx gets y, a
 * Matrix Market file too. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comparison.h"
#include "failure.h"
#include "matrix_market.h"
#include "new_file.h"
#include "output.h"

static const char program[] = "sparse_product";

static const char *const format_names[] = {"csr", "coo", "ell", "hyb", "jds", "sell"};
enum { FORMATS = sizeof format_names / sizeof *format_names };

static void *to_device(const void *h_from, size_t bytes)
{
    void *d_to;
    check_cuda(program, cudaMalloc(&d_to, bytes > 0 ? bytes : 1));
    check_cuda(program, cudaMemcpy(d_to, h_from, bytes, cudaMemcpyHostToDevice));
    return d_to;
}

static prim_sparse_format find_format(const char *name)
{
    for (int f = 0; f < FORMATS; f++)
        if (strcmp(name, format_names[f]) == 0)
            return (prim_sparse_format)f;
    fprintf(stderr, "sparse_product: there is no format %s; there are:", name);
    for (int f = 0; f < FORMATS; f++)
        fprintf(stderr, " %s", format_names[f]);
    fprintf(stderr, "\n");
    exit(2);
}

/* y = A · x on the device. All arrays of the matrix lie in one piece of memory: one copy moves
 * them, and prim_sparse_moved() says where they are then. */
static void multiply(const prim_sparse *csr, prim_sparse_format format, const double *h_x,
                     double *h_y)
{
    prim_sparse matrix;
    size_t bytes;
    check_prim(program, prim_sparse_convert_bytes_host(*csr, format, CUDA_R_64I,
                                                       PRIM_SPARSE_WIDTH_AUTO, &bytes));
    void *h_arrays = allocate(program, NULL, bytes, 1);
    check_prim(program, prim_sparse_convert_host(*csr, format, CUDA_R_64I, PRIM_SPARSE_WIDTH_AUTO,
                                                 h_arrays, bytes, &matrix));
    void *d_arrays = to_device(h_arrays, bytes);
    void *d_x = to_device(h_x, csr->columns * sizeof *h_x);
    void *d_y = to_device(h_y, csr->rows * sizeof *h_y);
    check_prim(program, prim_spmv(PRIM_SPMV_AUTO, 1, prim_sparse_moved(matrix, h_arrays, d_arrays),
                                  prim_vector_of(CUDA_R_64F, d_x, matrix.columns), 0,
                                  prim_vector_of(CUDA_R_64F, d_y, matrix.rows), NULL));
    check_cuda(program, cudaMemcpy(h_y, d_y, csr->rows * sizeof *h_y, cudaMemcpyDeviceToHost));
    check_cuda(program, cudaFree(d_arrays));
    check_cuda(program, cudaFree(d_x));
    check_cuda(program, cudaFree(d_y));
    free(h_arrays);
}

/* Numbers are divided by the largest first: their squares are neither too large nor too small. */
static double norm(const double *values, size_t count)
{
    double largest = 0, squares = 0;
    for (size_t i = 0; i < count; i++)
        largest = farther(largest, fabs(values[i]));
    if (!(largest > 0) || isinf(largest))
        return largest;
    for (size_t i = 0; i < count; i++)
        squares += values[i] / largest * (values[i] / largest);
    return largest * sqrt(squares);
}

/* y = |A| · x: of positive x, the sums of the terms' magnitudes. */
static void sum_magnitudes(const prim_sparse *csr, const double *h_x, double *h_y)
{
    const double *const values = csr->values;
    double *const h_values = allocate(program, NULL, csr->entries, sizeof *h_values);
    prim_sparse magnitudes = *csr;
    for (size_t e = 0; e < csr->entries; e++)
        h_values[e] = fabs(values[e]);
    magnitudes.values = h_values;
    check_prim(program,
               prim_spmv_host(1, magnitudes, prim_vector_of(CUDA_R_64F, h_x, magnitudes.columns), 0,
                              prim_vector_of(CUDA_R_64F, h_y, magnitudes.rows), 1));
    free(h_values);
}

/* The largest distance of an element of y from the host's. */
static double distance(const prim_sparse *csr, const double *h_x, const double *h_y)
{
    double *const h_right = allocate(program, NULL, csr->rows, sizeof *h_right);
    double *const h_sums = allocate(program, NULL, csr->rows, sizeof *h_sums);
    double farthest = 0;
    check_prim(program, prim_spmv_host(1, *csr, prim_vector_of(CUDA_R_64F, h_x, csr->columns), 0,
                                       prim_vector_of(CUDA_R_64F, h_right, csr->rows), 1));
    sum_magnitudes(csr, h_x, h_sums);
    for (size_t row = 0; row < csr->rows; row++)
        farthest = farther(
            farthest, relative_distance(h_y[row], h_right[row], h_sums[row], DBL_MIN, DBL_MAX));
    free(h_sums);
    free(h_right);
    return farthest;
}

/* In entries: a sum is rounded at most so often, and once more. */
static int64_t longest_row(const prim_sparse *csr)
{
    const int64_t *const offsets = csr->row_offsets;
    int64_t longest = 0;
    for (size_t row = 0; row < csr->rows; row++) {
        const int64_t entries = offsets[row + 1] - offsets[row];
        longest = entries > longest ? entries : longest;
    }
    return longest;
}

/* With as many digits as give the same numbers when they are read. */
static void write_vector(const char *path, const double *values, size_t count)
{
    FILE *const file = new_stream_begin(program, path);
    fprintf(file, "%%%%MatrixMarket matrix array real general\n%zu 1\n", count);
    for (size_t i = 0; i < count; i++)
        fprintf(file, "%.17g\n", values[i]);
    new_stream_finish(program, path, file);
}

int main(int argc, char **argv)
{
    if (argc < 2 || argc > 4) {
        fprintf(stderr, "usage: sparse_product FILE.mtx [csr|coo|ell|hyb|jds|sell [Y.mtx]]\n");
        return 2;
    }
    const prim_sparse_format format = find_format(argc > 2 ? argv[2] : "csr");
    char sentence[MATRIX_MARKET_SENTENCE];
    prim_sparse csr;
    if (!matrix_market_read(argv[1], &csr, sentence)) {
        fprintf(stderr, "sparse_product: %s\n", sentence);
        return 1;
    }
    double *h_x = allocate(program, NULL, csr.columns, sizeof *h_x);
    double *h_y = allocate(program, NULL, csr.rows, sizeof *h_y);
    for (size_t column = 0; column < csr.columns; column++)
        h_x[column] = 1 / ((double)column + 1);
    memset(h_y, 0, csr.rows * sizeof *h_y);
    multiply(&csr, format, h_x, h_y);
    const double apart = distance(&csr, h_x, h_y);
    const double bound = (double)(longest_row(&csr) + 1) * DBL_EPSILON;
    printf("rows        %zu\ncolumns     %zu\nentries     %zu\n", csr.rows, csr.columns,
           csr.entries);
    if (argc > 3)
        write_vector(argv[3], h_y, csr.rows);
    printf("norm        %.9g\ndifference  %.1e\n", norm(h_y, csr.rows), apart);
    free(h_x);
    free(h_y);
    matrix_market_free(&csr);
    finish_output(program);
    return !(apart <= bound);
}
