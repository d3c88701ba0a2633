/* What programs with a kernel for the rows of a matrix have in common: a matrix of known numbers,
 * on the device and on the host, and the results beside what the host expects. */
#ifndef EXAMPLES_ROWS_CUH
#define EXAMPLES_ROWS_CUH

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/kernel/launch.cuh"
#include "failure.h"
#include "numbers.h"
#include "output.h"

/* Of the program that includes this. */
extern const char program[];

namespace
{

/* Rows of at most as many columns as a block has room for in 48 KB of shared memory. */
constexpr unsigned MOST_COLUMNS = 12000;

struct row_matrix {
    unsigned rows, columns;
    float *h_values, *d_values, *d_results;
};

/* The arguments [ROWS COLUMNS], and numbers from -4 to 4. */
inline row_matrix read_matrix(int argc, char **argv)
{
    unsigned long long rows = 1000, columns = 1023;
    if (argc != 1 && argc != 3) {
        fprintf(stderr, "usage: %s [ROWS COLUMNS]\n", program);
        exit(2);
    }
    if (argc == 3 && (!read_count(argv[1], 1, 1000000, &rows) ||
                      !read_count(argv[2], 1, MOST_COLUMNS, &columns))) {
        fprintf(stderr, "%s: ROWS is a number from 1 to 10^6, and COLUMNS one from 1 to %u\n",
                program, MOST_COLUMNS);
        exit(2);
    }
    row_matrix x = {static_cast<unsigned>(rows), static_cast<unsigned>(columns), nullptr, nullptr,
                    nullptr};
    const size_t count = rows * columns, bytes = count * sizeof(float);
    x.h_values = static_cast<float *>(allocate(program, nullptr, count, sizeof(float)));
    for (size_t i = 0; i < count; i++)
        x.h_values[i] = static_cast<float>(i * 7919 % 8001) / 1000 - 4;
    check_cuda(program, cudaMalloc(&x.d_values, bytes));
    check_cuda(program, cudaMalloc(&x.d_results, bytes));
    check_cuda(program, cudaMemcpy(x.d_values, x.h_values, bytes, cudaMemcpyHostToDevice));
    return x;
}

inline void free_matrix(const row_matrix &x)
{
    free(x.h_values);
    check_cuda(program, cudaFree(x.d_values));
    check_cuda(program, cudaFree(x.d_results));
}

/* Ends the program where a result is further than 1e-5 from what expected_row(values, results,
 * columns) makes of the row. Otherwise says so. */
template <class Expected>
void expect_rows(const row_matrix &x, Expected expected_row)
{
    const size_t count = static_cast<size_t>(x.rows) * x.columns;
    float *const h_results = static_cast<float *>(allocate(program, nullptr, count, sizeof(float)));
    double *const row =
        static_cast<double *>(allocate(program, nullptr, x.columns, sizeof(double)));
    check_cuda(program,
               cudaMemcpy(h_results, x.d_results, count * sizeof(float), cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < count; i++) {
        if (i % x.columns == 0)
            expected_row(x.h_values + i, row, x.columns);
        if (!(fabs(h_results[i] - row[i % x.columns]) <= 1e-5)) {
            fprintf(stderr, "%s: row %zu, column %zu is %g, not %g\n", program, i / x.columns,
                    i % x.columns, static_cast<double>(h_results[i]), row[i % x.columns]);
            exit(1);
        }
    }
    printf("%u rows of %u columns, all right\n", x.rows, x.columns);
    free(h_results);
    free(row);
}

} // namespace

#endif
