/* Slabs of A and B in shared memory, element by element: for REGISTER_TILED_1D and REGISTER_TILED.
 */
#ifndef PRIM_GEMM_SLABS_CUH
#define PRIM_GEMM_SLABS_CUH

#include "common/kernel/shared.cuh"
#include "common/kernel/unroll.cuh"
#include "gemm/problem.cuh"

namespace
{

/* DOWN × ACROSS elements. Rows are padded by one, so that a column lies in many banks. */
template <typename T, unsigned DOWN, unsigned ACROSS>
struct element_slab {
    T at[DOWN][ACROSS + 1];
};

/* Loads the part of a matrix that begins at (row, column), with zeros past the matrix's ends at
 * (rows, columns). Reads are coalesced: down the slab where the matrix is transposed. */
template <unsigned THREADS, typename T, unsigned DOWN, unsigned ACROSS>
__device__ void bring_slab(element_slab<T, DOWN, ACROSS> &slab, const op_matrix<T> &from,
                           size_t row, size_t column, size_t rows, size_t columns)
{
    const bool transposed = from.column_stride != 1;
    PRIM_UNROLL(4)
    for (unsigned e = threadIdx.x; e < DOWN * ACROSS; e += THREADS) {
        const unsigned i = transposed ? e % DOWN : e / ACROSS;
        const unsigned j = transposed ? e / DOWN : e % ACROSS;
        const bool inside = row + i < rows && column + j < columns;
        slab.at[i][j] = inside ? from.at(row + i, column + j) : T(0);
    }
}

} // namespace

#endif
