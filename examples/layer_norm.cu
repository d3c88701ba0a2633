/* Layer norm of each row of a matrix, in one kernel that reads a row once and writes it once:
 *
 *     y = weight · (x - mean) / sqrt(variance + 1e-5) + bias,    of each column its weight and bias
 *
 *     layer_norm [ROWS COLUMNS]      1000 and 1023, if left out
 *
 * A block keeps the row in shared memory, so that the variance is summed up from the differences to
 * the mean, and not from squares that nearly cancel. */
#include <primitives/device/block.h>
#include <primitives/device/range.h>

#include "rows.cuh"

const char program[] = "layer_norm";

namespace
{

constexpr unsigned THREADS = 64;
constexpr float EPSILON = 1e-5f;
typedef prim_block_scratch<float, THREADS> block_scratch;

__global__ void __launch_bounds__(THREADS)
    normalize_rows(const float *values, const float *weights, const float *biases, float *results,
                   unsigned columns)
{
    PRIM_SHARED_DYNAMIC(prim_range_vector, room);
    PRIM_SHARED(block_scratch, scratch, );
    const size_t first = static_cast<size_t>(blockIdx.x) * columns;
    const float count = static_cast<float>(columns);
    float *const row = prim_load_range<THREADS>(room, values + first, columns);
    prim_wait_for_ranges();
    __syncthreads();

    float sum = 0;
    for (unsigned i = threadIdx.x; i < columns; i += THREADS)
        sum += row[i];
    const float mean = prim_block_sum(sum, scratch) / count;

    float squares = 0;
    for (unsigned i = threadIdx.x; i < columns; i += THREADS) {
        const float difference = row[i] - mean;
        squares += difference * difference;
    }
    const float variance = prim_block_sum(squares, scratch) / count;

    const float scale = 1 / sqrtf(variance + EPSILON);
    for (unsigned i = threadIdx.x; i < columns; i += THREADS)
        row[i] = (row[i] - mean) * scale * weights[i] + biases[i];
    __syncthreads();
    prim_store_range<THREADS>(results + first, room, columns);
}

/* Of column i, alike on the host and on the device. */
float weight(unsigned i)
{
    return 1 + static_cast<float>(i % 7) / 8;
}

float bias(unsigned i)
{
    return static_cast<float>(i % 5) / 4 - 0.5f;
}

void expected_row(const float *values, double *results, unsigned columns)
{
    double mean = 0, variance = 0;
    for (unsigned i = 0; i < columns; i++)
        mean += static_cast<double>(values[i]) / columns;
    for (unsigned i = 0; i < columns; i++)
        variance += (values[i] - mean) * (values[i] - mean) / columns;
    for (unsigned i = 0; i < columns; i++)
        results[i] = static_cast<double>(weight(i)) * (values[i] - mean) /
                         sqrt(variance + static_cast<double>(EPSILON)) +
                     static_cast<double>(bias(i));
}

float *of_columns(float (*value)(unsigned i), unsigned columns)
{
    float *const h_values =
        static_cast<float *>(allocate(program, nullptr, columns, sizeof(float)));
    float *d_values;
    for (unsigned i = 0; i < columns; i++)
        h_values[i] = value(i);
    check_cuda(program, cudaMalloc(&d_values, columns * sizeof(float)));
    check_cuda(program,
               cudaMemcpy(d_values, h_values, columns * sizeof(float), cudaMemcpyHostToDevice));
    free(h_values);
    return d_values;
}

} // namespace

int main(int argc, char **argv)
{
    const row_matrix x = read_matrix(argc, argv);
    float *const d_weights = of_columns(weight, x.columns), *const d_biases =
                                                                of_columns(bias, x.columns);
    const size_t room = prim_range_vectors<float>(x.columns) * sizeof(prim_range_vector);
    check_cuda(program, prim_launch({nullptr, x.rows, THREADS, room}, normalize_rows, x.d_values,
                                    d_weights, d_biases, x.d_results, x.columns));
    expect_rows(x, expected_row);
    check_cuda(program, cudaFree(d_weights));
    check_cuda(program, cudaFree(d_biases));
    free_matrix(x);
    finish_output(program);
    return 0;
}
