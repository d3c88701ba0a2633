/* mma.sync on the CPU backend: lanes give each other what they multiply.
 *
 *     lane 4g + t holds    of A  words t of rows g and g + 8, and words t + 4
 *                          of B  words t and t + 4 of column g
 *     and adds up          rows g and g + 8 by columns 2t and 2t + 1
 *
 * Words t and t + 4 travel together, so that lane 4g + k has a row's share k of four. */
#ifndef PRIM_COMMON_MMA_SIMT_CUH
#define PRIM_COMMON_MMA_SIMT_CUH

#include <cstdint>

#include <cuda_runtime.h>

namespace
{

#ifdef SIMT_BACKEND

/* Products::of(row, column) is the sum of the products of two words and two others. */
template <class Products, typename Sum>
void add_shared_products(Sum (&sums)[4], const uint32_t (&a)[4], const uint32_t (&b)[2])
{
    const int lane = static_cast<int>(threadIdx.x % 32), g = lane / 4, t = lane % 4;
    const uint64_t rows[] = {static_cast<uint64_t>(a[2]) << 32 | a[0],
                             static_cast<uint64_t>(a[3]) << 32 | a[1]};
    const uint64_t column = static_cast<uint64_t>(b[1]) << 32 | b[0];
    for (int k = 0; k < 4; k++) { /* the lane of a row, and of a column */
        uint64_t row[2], of[2];
        for (int i = 0; i < 2; i++) {
            row[i] = __shfl_sync(0xffffffffu, rows[i], 4 * g + k);
            of[i] = __shfl_sync(0xffffffffu, column, 4 * (2 * t + i) + k);
        }
        for (int r = 0; r < 4; r++)
            sums[r] += Products::of(row[r / 2], of[r % 2]);
    }
}

#endif

} // namespace

#endif
