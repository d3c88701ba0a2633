/* Predicts the last column of a table from the others, by ridge regression.
 *
 *     ridge_regression FILE.csv [LAMBDA]      FILE.csv may be -; LAMBDA is 1 if left out
 *
 * The first line has the columns' names, the others have numbers. All columns are normalised: less
 * their mean, divided by their standard deviation. With A for those that predict and y for the one
 * that is predicted, the weights w are those of the least |y - Aw|² + LAMBDA |w|², which solve
 *
 *     (AᵀA + LAMBDA I) w = Aᵀy
 *
 * Both products, which take all the time for many rows, are the device's, in f64; the system is as
 * small as there are columns, and the host's, by Cholesky's method. A column whose numbers are all
 * equal says nothing, and has weight 0. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <primitives/gemm.h>
#include <primitives/gemv.h>

#include "failure.h"
#include "number_table.h"
#include "numbers.h"
#include "output.h"

static const char program[] = "ridge_regression";

/* What was taken from a column's numbers, and what they were then divided by: 0 where they are all
 * equal. */
typedef struct measure {
    double mean, deviation;
} measure;

typedef struct problem {
    size_t rows, columns; /* of A */
    double *h_a, *h_y;    /* normalised */
    measure *of_a, of_y;
    double lambda;
} problem;

typedef struct arrays {
    double *d_a, *d_y, *d_system, *d_right, *d_weights;
} arrays;

/* ---- normalising ---- */

static double mean_of(const double *h_from, size_t rows, size_t stride)
{
    double mean = 0, rest = 0;
    for (size_t r = 0; r < rows; r++)
        mean += h_from[r * stride] / (double)rows;
    for (size_t r = 0; r < rows; r++) /* what rounding took */
        rest += (h_from[r * stride] - mean) / (double)rows;
    return mean + rest;
}

/* Numbers are divided by the farthest from the mean first: their squares are neither too large nor
 * too small then. */
static measure normalise(const char *name, const double *h_from, size_t rows, size_t stride,
                         double *h_to, size_t to_stride)
{
    const double mean = mean_of(h_from, rows, stride);
    double farthest = 0, squares = 0;
    bool equal = true;
    for (size_t r = 0; r < rows; r++) {
        farthest = fmax(farthest, fabs(h_from[r * stride] - mean));
        equal = equal && h_from[r * stride] == h_from[0];
    }
    if (!isfinite(mean) || !isfinite(farthest)) {
        fprintf(stderr, "%s: the numbers of %s are so large that f64 overflows\n", program, name);
        exit(1);
    }
    for (size_t r = 0; r < rows; r++) {
        const double part = equal ? 0 : (h_from[r * stride] - mean) / farthest;
        squares += part * part;
        h_to[r * to_stride] = part;
    }
    if (equal)
        return (measure){h_from[0], 0};
    const double root = sqrt(squares / (double)rows);
    for (size_t r = 0; r < rows; r++)
        h_to[r * to_stride] /= root;
    return (measure){mean, farthest * root};
}

static problem make_problem(const number_table *t, double lambda)
{
    const size_t columns = t->columns - 1;
    problem p = {t->rows, columns, .lambda = lambda};
    p.h_a = allocate(program, NULL, t->rows, columns * sizeof *p.h_a);
    p.h_y = allocate(program, NULL, t->rows, sizeof *p.h_y);
    p.of_a = allocate(program, NULL, columns, sizeof *p.of_a);
    for (size_t c = 0; c < columns; c++)
        p.of_a[c] =
            normalise(t->names[c], t->h_numbers + c, t->rows, t->columns, p.h_a + c, columns);
    p.of_y = normalise(t->names[columns], t->h_numbers + columns, t->rows, t->columns, p.h_y, 1);
    return p;
}

static void free_problem(problem *p)
{
    free(p->h_a);
    free(p->h_y);
    free(p->of_a);
}

/* ---- on the device ---- */

static double *to_device(const double *h_from, size_t count)
{
    void *d_to;
    check_cuda(program, cudaMalloc(&d_to, count * sizeof *h_from));
    if (h_from != NULL)
        check_cuda(program,
                   cudaMemcpy(d_to, h_from, count * sizeof *h_from, cudaMemcpyHostToDevice));
    return d_to;
}

static void from_device(double *h_to, const double *d_from, size_t count)
{
    check_cuda(program, cudaMemcpy(h_to, d_from, count * sizeof *h_to, cudaMemcpyDeviceToHost));
}

static arrays allocate_arrays(const problem *p)
{
    return (arrays){.d_a = to_device(p->h_a, p->rows * p->columns),
                    .d_y = to_device(p->h_y, p->rows),
                    .d_system = to_device(NULL, p->columns * p->columns),
                    .d_right = to_device(NULL, p->columns),
                    .d_weights = to_device(NULL, p->columns)};
}

static void free_arrays(const arrays *a)
{
    check_cuda(program, cudaFree(a->d_a));
    check_cuda(program, cudaFree(a->d_y));
    check_cuda(program, cudaFree(a->d_system));
    check_cuda(program, cudaFree(a->d_right));
    check_cuda(program, cudaFree(a->d_weights));
}

/* h_system = AᵀA, h_right = Aᵀy. A is row-major, so that both take it transposed as it lies. */
static void multiply(const problem *p, const arrays *a, double *h_system, double *h_right)
{
    const size_t n = p->columns;
    const prim_matrix matrix = prim_matrix_of(CUDA_R_64F, a->d_a, p->rows, n, 0),
                      system = prim_matrix_of(CUDA_R_64F, a->d_system, n, n, 0);
    check_prim(program, prim_gemm(PRIM_GEMM_AUTO, PRIM_TRANSPOSED, PRIM_NOT_TRANSPOSED, 1, matrix,
                                  matrix, 0, system, PRIM_COMPUTE_DEFAULT, NULL));
    check_prim(program, prim_gemv(PRIM_GEMV_AUTO, PRIM_TRANSPOSED, 1, matrix,
                                  prim_vector_of(CUDA_R_64F, a->d_y, p->rows), 0,
                                  prim_vector_of(CUDA_R_64F, a->d_right, n), NULL));
    from_device(h_system, a->d_system, n * n);
    from_device(h_right, a->d_right, n);
}

/* What part of y's squares the weights explain: 1 - |y - Aw|² / |y|². d_y is then y - Aw. */
static double explained(const problem *p, const arrays *a, const double *h_weights)
{
    double *const h_left = allocate(program, NULL, p->rows, sizeof *h_left);
    double all = 0, left = 0;
    check_cuda(program, cudaMemcpy(a->d_weights, h_weights, p->columns * sizeof *h_weights,
                                   cudaMemcpyHostToDevice));
    check_prim(program, prim_gemv(PRIM_GEMV_AUTO, PRIM_NOT_TRANSPOSED, -1,
                                  prim_matrix_of(CUDA_R_64F, a->d_a, p->rows, p->columns, 0),
                                  prim_vector_of(CUDA_R_64F, a->d_weights, p->columns), 1,
                                  prim_vector_of(CUDA_R_64F, a->d_y, p->rows), NULL));
    from_device(h_left, a->d_y, p->rows);
    for (size_t r = 0; r < p->rows; r++) {
        all += p->h_y[r] * p->h_y[r];
        left += h_left[r] * h_left[r];
    }
    free(h_left);
    return 1 - left / all;
}

/* ---- the system ---- */

/* LAMBDA on the diagonal; where a column of A is 0, anything but 0 there makes its weight 0. */
static void add_lambda(const problem *p, double *h_system)
{
    for (size_t c = 0; c < p->columns; c++)
        h_system[c * p->columns + c] += p->of_a[c].deviation > 0 ? p->lambda : 1;
}

/* The lower triangle of the n × n matrix h_a becomes L, with L Lᵀ = A. Returns n, or the row in
 * which nothing is left of the diagonal but what rounding leaves: that depends on those above. */
static size_t decompose(double *h_a, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double *const row = h_a + i * n;
        const double least = 1e-13 * (double)n * row[i];
        for (size_t j = 0; j < i; j++) {
            for (size_t k = 0; k < j; k++)
                row[j] -= row[k] * h_a[j * n + k];
            row[j] /= h_a[j * n + j];
            row[i] -= row[j] * row[j];
        }
        if (!(row[i] > least))
            return i;
        row[i] = sqrt(row[i]);
    }
    return n;
}

/* L Lᵀ x = b, with b in h_x before and x in it then. */
static void solve(const double *h_l, size_t n, double *h_x)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++)
            h_x[i] -= h_l[i * n + k] * h_x[k];
        h_x[i] /= h_l[i * n + i];
    }
    for (size_t i = n; i-- > 0;) {
        for (size_t k = i + 1; k < n; k++)
            h_x[i] -= h_l[k * n + i] * h_x[k];
        h_x[i] /= h_l[i * n + i];
    }
}

/* h_weights = w. */
static void find_weights(const problem *p, const arrays *a, char *const *names, double *h_weights)
{
    const size_t n = p->columns;
    double *const h_system = allocate(program, NULL, n, n * sizeof *h_system);
    multiply(p, a, h_system, h_weights);
    add_lambda(p, h_system);
    const size_t row = decompose(h_system, n);
    if (row < n) {
        fprintf(stderr, "%s: %s is a combination of the columns before it: LAMBDA must be larger\n",
                program, names[row]);
        exit(1);
    }
    solve(h_system, n, h_weights);
    free(h_system);
}

/* ---- what is printed ---- */

static int widest(const number_table *t)
{
    size_t width = strlen("intercept");
    for (size_t c = 0; c + 1 < t->columns; c++)
        width = strlen(t->names[c]) > width ? strlen(t->names[c]) : width;
    return (int)width;
}

/* The weights in the columns' own units, and as they were found. */
static void print_weights(const number_table *t, const problem *p, const double *h_weights)
{
    const int width = widest(t);
    double intercept = p->of_y.mean;
    printf("%-*s %16s %16s\n", width, "", "weight", "normalised");
    for (size_t c = 0; c < p->columns; c++) {
        const measure m = p->of_a[c];
        const double weight =
            m.deviation > 0 ? h_weights[c] * (p->of_y.deviation / m.deviation) : 0;
        if (m.deviation > 0) /* the weight itself may be too large or too small */
            intercept -= h_weights[c] * (m.mean / m.deviation) * p->of_y.deviation;
        printf("%-*s %16.9g %16.9g%s\n", width, t->names[c], weight, h_weights[c],
               m.deviation > 0 ? "" : " constant");
    }
    printf("%-*s %16.9g\n", width, "intercept", intercept);
}

static void check_shape(const number_table *t, const char *path)
{
    if (t->columns > 1 && t->rows > 0)
        return;
    fprintf(stderr, "%s: %s: %s\n", program, path,
            t->columns > 1 ? "there are no numbers" : "one column predicts nothing");
    exit(1);
}

int main(int argc, char **argv)
{
    double lambda = 1;
    if (argc < 2 || argc > 3) {
        fprintf(stderr, "usage: ridge_regression FILE.csv [LAMBDA]\n");
        return 2;
    }
    if (argc == 3 && !(read_real(argv[2], &lambda) && isfinite(lambda) && lambda >= 0)) {
        fprintf(stderr, "%s: LAMBDA is %s, but must be a number that is at least 0\n", program,
                argv[2]);
        return 2;
    }
    number_table t = number_table_read(program, argv[1]);
    check_shape(&t, argv[1]);
    problem p = make_problem(&t, lambda);
    const arrays a = allocate_arrays(&p);
    double *const h_weights = allocate(program, NULL, p.columns, sizeof *h_weights);
    find_weights(&p, &a, t.names, h_weights);
    print_weights(&t, &p, h_weights);
    if (p.of_y.deviation > 0)
        printf("R² %.9f of %zu rows, LAMBDA %g\n", explained(&p, &a, h_weights), p.rows, lambda);
    else
        printf("no R²: %s is constant\n", t.names[p.columns]);
    free(h_weights);
    free_arrays(&a);
    free_problem(&p);
    number_table_free(&t);
    finish_output(program);
    return 0;
}
