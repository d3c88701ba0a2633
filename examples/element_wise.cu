/* First steps: kernels in which each thread serves one element, and how it finds it.
 *
 *     element_wise [COUNT]      COUNT elements in the vectors, 2^20 + 3 if left out
 *
 * Adds one to each element, adds two vectors, adds two matrices of 2048 × 1024, squares a matrix
 * element by element, and checks every result on the host. */
#include <stdio.h>
#include <stdlib.h>

#include "common/kernel/launch.cuh"
#include "numbers.h"
#include "output.h"

namespace
{

constexpr unsigned THREADS = 256, SIDE = 16;
constexpr unsigned ROWS = 1024, COLUMNS = 2048;

/* Blocks of THREADS threads side by side: block b's thread t has element b · THREADS + t. */
__global__ void add_one(float *values, size_t count)
{
    const size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < count) /* the last block may reach beyond the end */
        values[i] += 1;
}

/* As many threads as there are, each with every so many-th element: any grid does. */
__global__ void add_vectors(const float *a, const float *b, float *sums, size_t count)
{
    const size_t threads = static_cast<size_t>(gridDim.x) * blockDim.x;
    for (size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
         i += threads)
        sums[i] = a[i] + b[i];
}

/* Blocks of SIDE × SIDE threads on a matrix: x runs along a row, as memory does. */
__global__ void add_matrices(const float *a, const float *b, float *sums, unsigned rows,
                             unsigned columns)
{
    const unsigned column = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && column < columns) {
        const size_t i = static_cast<size_t>(row) * columns + column;
        sums[i] = a[i] + b[i];
    }
}

__global__ void square(float *values, unsigned rows, unsigned columns)
{
    const unsigned column = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && column < columns) {
        float &value = values[static_cast<size_t>(row) * columns + column];
        value *= value;
    }
}

void check(cudaError_t error)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "element_wise: %s\n", cudaGetErrorString(error));
    exit(1);
}

/* Whole numbers below 1000, so that every result is exact. */
float element(size_t i)
{
    return static_cast<float>(i * 7919 % 1000);
}

float *device_vector(size_t count, size_t shift)
{
    float *h_values = static_cast<float *>(malloc(count * sizeof(float)));
    float *d_values;
    check(cudaMalloc(&d_values, count * sizeof(float)));
    for (size_t i = 0; i < count; i++)
        h_values[i] = element(i + shift);
    check(cudaMemcpy(d_values, h_values, count * sizeof(float), cudaMemcpyHostToDevice));
    free(h_values);
    return d_values;
}

/* Compares with what `expected` says and ends the program where they differ. */
void expect(const char *what, const float *d_values, size_t count, float (*expected)(size_t i))
{
    float *h_values = static_cast<float *>(malloc(count * sizeof(float)));
    check(cudaMemcpy(h_values, d_values, count * sizeof(float), cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < count; i++)
        if (h_values[i] != expected(i)) {
            fprintf(stderr, "element_wise: %s: element %zu is %g, not %g\n", what, i,
                    static_cast<double>(h_values[i]), static_cast<double>(expected(i)));
            exit(1);
        }
    printf("%-12s %zu elements, all right\n", what, count);
    free(h_values);
}

float plus_one(size_t i)
{
    return element(i) + 1;
}

float sum(size_t i)
{
    return element(i) + element(i + 1);
}

float squared(size_t i)
{
    return element(i) * element(i);
}

void vectors(size_t count)
{
    const unsigned blocks = static_cast<unsigned>((count + THREADS - 1) / THREADS);
    float *a = device_vector(count, 0), *b = device_vector(count, 1), *c = device_vector(count, 2);
    check(prim_launch({nullptr, 64, THREADS}, add_vectors, a, b, c, count));
    expect("add vectors", c, count, sum);
    check(prim_launch({nullptr, blocks, THREADS}, add_one, a, count));
    expect("add one", a, count, plus_one);
    check(cudaFree(a));
    check(cudaFree(b));
    check(cudaFree(c));
}

void matrices()
{
    const size_t count = static_cast<size_t>(ROWS) * COLUMNS;
    const dim3 blocks((COLUMNS + SIDE - 1) / SIDE, (ROWS + SIDE - 1) / SIDE), block(SIDE, SIDE);
    float *a = device_vector(count, 0), *b = device_vector(count, 1), *c = device_vector(count, 2);
    check(prim_launch({nullptr, blocks, block}, add_matrices, a, b, c, ROWS, COLUMNS));
    expect("add matrices", c, count, sum);
    check(prim_launch({nullptr, blocks, block}, square, a, ROWS, COLUMNS));
    expect("square", a, count, squared);
    check(cudaFree(a));
    check(cudaFree(b));
    check(cudaFree(c));
}

} // namespace

int main(int argc, char **argv)
{
    unsigned long long count = (1 << 20) + 3;
    if (argc > 2) {
        fprintf(stderr, "usage: element_wise [COUNT, 1 to 2^32]\n");
        return 2;
    }
    if (argc == 2 && !read_count(argv[1], 1, 1ull << 32, &count)) {
        fprintf(stderr, "element_wise: %s is not a number from 1 to 2^32\n", argv[1]);
        return 2;
    }
    vectors(count);
    matrices();
    finish_output("element_wise");
    return 0;
}
