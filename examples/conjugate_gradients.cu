/* Solves A · x = b for a symmetric positive definite matrix.
 *
 *     conjugate_gradients A.mtx [STEPS]       b is A · (1, 1, …), so x is known
 *
 * The method of conjugate gradients: each step goes as far along a direction p as brings x closest
 * to the solution, and takes the next direction across all earlier ones. Jacobi: residuals are
 * divided by A's diagonal first, which brings rows of different scales together.
 *
 * A step is a product, three dot products and an element-wise kernel in two parts; it is recorded
 * as a CUDA graph. All its numbers stay on the device. Prints how large the residual is, until that
 * is 10^-10 of b, and how far x is from what it should be. */
#include <float.h>
#include <math.h>

#include "comparison.h"
#include "steps.cuh"

extern const char program[] = "conjugate_gradients";

namespace
{

constexpr double ENOUGH = 1e-10;

/* The vectors, and the numbers that a step makes and the next one uses. */
struct state {
    double *x, *residual, *scaled, *direction, *along; /* along = A · direction */
    const double *diagonal;
    double *sums; /* of direction · along, residual · scaled, residual², and the second before */
    size_t count;
};

enum { ALONG, SCALED, RESIDUAL, SCALED_BEFORE, SUMS };

/* Turn 0: x and the residual move along the direction. Turn 1: the next direction. */
__global__ void advance(state s, int part)
{
    const size_t i = static_cast<size_t>(blockIdx.x) * THREADS + threadIdx.x;
    if (i >= s.count)
        return;
    if (part == 0) {
        const double far = s.sums[SCALED] / s.sums[ALONG];
        s.x[i] += far * s.direction[i];
        s.residual[i] -= far * s.along[i];
        s.scaled[i] = s.residual[i] / s.diagonal[i];
    } else {
        s.direction[i] = s.scaled[i] + s.sums[SCALED] / s.sums[SCALED_BEFORE] * s.direction[i];
    }
}

void submit_step(const calculator &with, const state &s)
{
    with.product(1, s.direction, s.along);
    with.dot(s.direction, s.along, &s.sums[ALONG]);
    with.for_each_row(advance, s, 0);
    check_cuda(program, cudaMemcpyAsync(&s.sums[SCALED_BEFORE], &s.sums[SCALED], sizeof *s.sums,
                                        cudaMemcpyDeviceToDevice, with.stream));
    with.dot(s.residual, s.scaled, &s.sums[SCALED]);
    with.dot(s.residual, s.residual, &s.sums[RESIDUAL]);
    with.for_each_row(advance, s, 1);
}

/* 1 where the matrix has nothing on its diagonal. */
double *diagonal_on_device(const prim_sparse &csr)
{
    double *h = static_cast<double *>(allocate(program, nullptr, csr.rows, sizeof *h));
    const int64_t *offsets = static_cast<const int64_t *>(csr.row_offsets);
    for (size_t row = 0; row < csr.rows; row++) {
        h[row] = 0;
        for (int64_t e = offsets[row]; e < offsets[row + 1]; e++)
            if (static_cast<size_t>(csr.column_indices[e]) == row)
                h[row] += static_cast<const double *>(csr.values)[e];
        h[row] = h[row] != 0 ? h[row] : 1;
    }
    double *const d = vector_on_device(h, csr.rows);
    free(h);
    return d;
}

/* x = 0: the residual is b, and the first direction is what is left of it after scaling. */
state make_state(const prim_sparse &csr)
{
    double *h = static_cast<double *>(allocate(program, nullptr, 3 * csr.rows, sizeof *h));
    double *const b = h, *const ones = h + csr.rows, *const zeros = ones + csr.rows;
    for (size_t i = 0; i < csr.rows; i++) {
        ones[i] = 1;
        zeros[i] = 0;
    }
    check_prim(program, prim_spmv_host(1, csr, prim_vector_of(CUDA_R_64F, ones, csr.columns), 0,
                                       prim_vector_of(CUDA_R_64F, b, csr.rows), 1));
    const state s = {vector_on_device(zeros, csr.rows),   vector_on_device(b, csr.rows),
                     vector_on_device(nullptr, csr.rows), vector_on_device(zeros, csr.rows),
                     vector_on_device(zeros, csr.rows),   diagonal_on_device(csr),
                     vector_on_device(nullptr, SUMS),     csr.rows};
    free(h);
    return s;
}

/* Goes nowhere along a direction of zeros, and so scales the residual; then takes its direction. */
void begin(const calculator &with, const state &s)
{
    static const double none[SUMS] = {1, 0, 0, 1};
    check_cuda(program, cudaMemcpy(s.sums, none, sizeof none, cudaMemcpyHostToDevice));
    with.for_each_row(advance, s, 0);
    with.dot(s.residual, s.scaled, &s.sums[SCALED]);
    with.dot(s.residual, s.residual, &s.sums[RESIDUAL]);
    with.for_each_row(advance, s, 1);
}

double farthest_from_one(const double *d_x, size_t count)
{
    double *h = static_cast<double *>(allocate(program, nullptr, count, sizeof *h)), farthest = 0;
    check_cuda(program, cudaMemcpy(h, d_x, count * sizeof *h, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < count; i++)
        farthest = farther(farthest, fabs(h[i] - 1));
    free(h);
    return farthest;
}

/* Divides the matrix by a power of two, and with it b, which changes neither x nor the steps: its
 * largest entry is then about 1, so that squares are neither too large nor too small. */
void scale(const prim_sparse &csr, const char *path)
{
    double *const values = static_cast<double *>(const_cast<void *>(csr.values));
    double largest = 0;
    int exponent;
    for (size_t e = 0; e < csr.entries; e++)
        largest = fmax(largest, fabs(values[e]));
    frexp(largest, &exponent);
    for (size_t e = 0; e < csr.entries; e++) {
        const double scaled = ldexp(values[e], -exponent);
        if (values[e] != 0 && fabs(scaled) < DBL_MIN) {
            fprintf(stderr, "%s: %s: %g and %g are too far apart\n", program, path, values[e],
                    largest);
            exit(1);
        }
        values[e] = scaled;
    }
}

int run(const char *path, unsigned long long steps)
{
    prim_sparse csr = read_square_matrix(path);
    scale(csr, path);
    const calculator with(matrix_on_device(csr));
    const state s = make_state(csr);
    begin(with, s);
    auto step = make_repeated(with, [&] { submit_step(with, s); });
    const double size = sqrt(with.read(&s.sums[RESIDUAL]));
    double left = 1;
    unsigned long long taken = 0;
    while (taken < steps && left >= ENOUGH) {
        if (taken == 0)
            step.first();
        else
            step.next();
        left = sqrt(with.read(&s.sums[RESIDUAL])) / size;
        taken++;
        if (taken <= 10 || taken % 100 == 0 || !(left >= ENOUGH))
            printf("step %llu  residual %.3e\n", taken, left);
    }
    printf("x is within %.1e of what it should be\n", farthest_from_one(s.x, csr.rows));
    step.end();
    free_device();
    matrix_market_free(&csr);
    finish_output(program);
    return !(left < ENOUGH);
}

} // namespace

int main(int argc, char **argv)
{
    if (argc < 2 || argc > 3) {
        fprintf(stderr, "usage: conjugate_gradients A.mtx [STEPS]\n");
        return 2;
    }
    return run(argv[1], read_steps(argc > 2 ? argv[2] : nullptr, 10000));
}
