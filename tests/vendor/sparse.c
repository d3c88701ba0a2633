#include "use.h"

#include <primitives/sparse.h>

/* (1 2; 0 3) times (1; 10) */
int main(void)
{
    const int32_t offsets[3] = {0, 2, 3}, columns[3] = {0, 1, 1};
    const float values[3] = {1, 2, 3}, x[2] = {1, 10}, y[2] = {21, 30};
    const prim_sparse matrix = {.format = PRIM_SPARSE_CSR,
                                .rows = 2,
                                .columns = 2,
                                .entries = 3,
                                .value_type = CUDA_R_32F,
                                .offset_type = CUDA_R_32I,
                                .row_offsets = on_device(offsets, sizeof offsets),
                                .column_indices = on_device(columns, sizeof columns),
                                .values = on_device(values, sizeof values)};
    const void *d_x = on_device(x, sizeof x);
    void *d_y = on_device(NULL, sizeof y);
    return outcome(prim_spmv(PRIM_SPMV_AUTO, 1, matrix,
                             prim_vector_of(CUDA_R_32F, d_x, matrix.columns), 0,
                             prim_vector_of(CUDA_R_32F, d_y, matrix.rows), NULL),
                   d_y, y, sizeof y);
}
