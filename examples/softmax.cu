/* Softmax of each row of a matrix, in one kernel that reads a row once and writes it once:
 *
 *     y = exp(x - m) / Σ exp(x - m),    m the row's maximum
 *
 *     softmax [ROWS COLUMNS]      1000 and 1023, if left out
 *
 * A block takes a row into shared memory, wherever it begins, computes there, and stores it: the
 * collectives in primitives/device/ do what its threads have to do together. */
#include <primitives/device/block.h>
#include <primitives/device/range.h>

#include "rows.cuh"

const char program[] = "softmax";

namespace
{

constexpr unsigned THREADS = 64;
typedef prim_block_scratch<float, THREADS> block_scratch;

__global__ void __launch_bounds__(THREADS)
    softmax_rows(const float *values, float *results, unsigned columns)
{
    PRIM_SHARED_DYNAMIC(prim_range_vector, room);
    PRIM_SHARED(block_scratch, scratch, );
    const size_t first = static_cast<size_t>(blockIdx.x) * columns;
    float *const row = prim_load_range<THREADS>(room, values + first, columns);
    prim_wait_for_ranges();
    __syncthreads();

    float most = row[0];
    for (unsigned i = threadIdx.x; i < columns; i += THREADS)
        most = fmaxf(most, row[i]);
    most = prim_block_max(most, scratch);

    float sum = 0;
    for (unsigned i = threadIdx.x; i < columns; i += THREADS) {
        row[i] = expf(row[i] - most);
        sum += row[i];
    }
    const float scale = 1 / prim_block_sum(sum, scratch);

    for (unsigned i = threadIdx.x; i < columns; i += THREADS)
        row[i] *= scale;
    __syncthreads();
    prim_store_range<THREADS>(results + first, room, columns);
}

void expected_row(const float *values, double *results, unsigned columns)
{
    double most = values[0], sum = 0;
    for (unsigned i = 0; i < columns; i++)
        most = fmax(most, static_cast<double>(values[i]));
    for (unsigned i = 0; i < columns; i++)
        sum += results[i] = exp(static_cast<double>(values[i]) - most);
    for (unsigned i = 0; i < columns; i++)
        results[i] /= sum;
}

} // namespace

int main(int argc, char **argv)
{
    const row_matrix x = read_matrix(argc, argv);
    const size_t room = prim_range_vectors<float>(x.columns) * sizeof(prim_range_vector);
    check_cuda(program, prim_launch({nullptr, x.rows, THREADS, room}, softmax_rows, x.d_values,
                                    x.d_results, x.columns));
    expect_rows(x, expected_row);
    free_matrix(x);
    finish_output(program);
    return 0;
}
