/* y = A · x for a matrix from a Matrix Market file, checked against the host.
 *
 *     sparse_product FILE.mtx [FORMAT [Y.mtx]]
 *
 * FORMAT is csr, coo, ell, hyb, jds or sell; csr if left out. x is 1, 1/2, 1/3, … Y.mtx gets y, a
 * Matrix Market file too. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "matrix_market.h"
#include "output.h"

static const char *const format_names[] = {"csr", "coo", "ell", "hyb", "jds", "sell"};
enum { FORMATS = sizeof format_names / sizeof *format_names };

static void check_cuda(cudaError_t error)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "sparse_product: %s\n", cudaGetErrorString(error));
    exit(1);
}

static void check(prim_status status)
{
    if (status == PRIM_OK)
        return;
    fprintf(stderr, "sparse_product: %s\n", prim_last_error(NULL));
    exit(1);
}

static void *allocate(size_t bytes)
{
    void *data = malloc(bytes > 0 ? bytes : 1);
    if (data != NULL)
        return data;
    fprintf(stderr, "sparse_product: out of memory\n");
    exit(1);
}

static void *to_device(const void *h_from, size_t bytes)
{
    void *d_to;
    check_cuda(cudaMalloc(&d_to, bytes > 0 ? bytes : 1));
    check_cuda(cudaMemcpy(d_to, h_from, bytes, cudaMemcpyHostToDevice));
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
    check(prim_sparse_convert_bytes_host(*csr, format, CUDA_R_64I, PRIM_SPARSE_WIDTH_AUTO, &bytes));
    void *h_arrays = allocate(bytes);
    check(prim_sparse_convert_host(*csr, format, CUDA_R_64I, PRIM_SPARSE_WIDTH_AUTO, h_arrays,
                                   bytes, &matrix));
    void *d_arrays = to_device(h_arrays, bytes);
    void *d_x = to_device(h_x, csr->columns * sizeof *h_x);
    void *d_y = to_device(h_y, csr->rows * sizeof *h_y);
    check(prim_spmv(PRIM_SPMV_AUTO, 1, prim_sparse_moved(matrix, h_arrays, d_arrays), CUDA_R_64F,
                    d_x, 0, CUDA_R_64F, d_y, NULL, 0, 0));
    check_cuda(cudaMemcpy(h_y, d_y, csr->rows * sizeof *h_y, cudaMemcpyDeviceToHost));
    check_cuda(cudaFree(d_arrays));
    check_cuda(cudaFree(d_x));
    check_cuda(cudaFree(d_y));
    free(h_arrays);
}

static double norm(const double *values, size_t count)
{
    double squares = 0;
    for (size_t i = 0; i < count; i++)
        squares += values[i] * values[i];
    return sqrt(squares);
}

/* The largest difference, the host's largest element being 1; NaN where there is one in y. */
static double distance(const prim_sparse *csr, const double *h_x, const double *h_y)
{
    double *h_right = allocate(csr->rows * sizeof *h_right), largest = 0, farthest = 0;
    check(prim_spmv_host(1, *csr, CUDA_R_64F, h_x, 0, CUDA_R_64F, h_right, 1));
    for (size_t row = 0; row < csr->rows; row++) {
        const double apart = fabs(h_y[row] - h_right[row]);
        largest = fmax(largest, fabs(h_right[row]));
        farthest = farthest >= apart || isnan(farthest) ? farthest : apart;
    }
    free(h_right);
    return largest > 0 ? farthest / largest : farthest;
}

/* With as many digits as give the same numbers when they are read. */
static void write_vector(const char *path, const double *values, size_t count)
{
    FILE *file = fopen(path, "w");
    bool written = file != NULL;
    if (written) {
        fprintf(file, "%%%%MatrixMarket matrix array real general\n%zu 1\n", count);
        for (size_t i = 0; i < count; i++)
            fprintf(file, "%.17g\n", values[i]);
        written = !ferror(file);
        written = fclose(file) == 0 && written;
    }
    if (written)
        return;
    fprintf(stderr, "sparse_product: %s: %s\n", path, strerror(errno));
    exit(1);
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
    double *h_x = allocate(csr.columns * sizeof *h_x), *h_y = allocate(csr.rows * sizeof *h_y);
    for (size_t column = 0; column < csr.columns; column++)
        h_x[column] = 1 / ((double)column + 1);
    memset(h_y, 0, csr.rows * sizeof *h_y);
    multiply(&csr, format, h_x, h_y);
    const double apart = distance(&csr, h_x, h_y);
    printf("rows        %zu\ncolumns     %zu\nentries     %zu\n", csr.rows, csr.columns,
           csr.entries);
    if (argc > 3)
        write_vector(argv[3], h_y, csr.rows);
    printf("norm        %.9g\ndifference  %.1e\n", norm(h_y, csr.rows), apart);
    free(h_x);
    free(h_y);
    matrix_market_free(&csr);
    finish_output("sparse_product");
    return !(apart < 1e-12);
}
