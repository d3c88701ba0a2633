/* Operands of wgmma in shared memory: boxes of 64 × 64 elements, as tensor copies bring them.
 *
 *     K_MAJOR       lines go along k: a box has 64 rows of op(A), or columns of op(B), of 64 steps
 *     MN_MAJOR      lines cross k: a box has 64 steps of k, of 64 elements each
 *
 * Either way a box has 8 KiB, and a tile of 128 × 256 takes two boxes of A and four of B for 64
 * steps of k. */
#ifndef PRIM_GEMM_BOXES_CUH
#define PRIM_GEMM_BOXES_CUH

#include "common/kernel/unroll.cuh"
#include "common/tensor/tensor_copy.cuh"
#include "common/tensor/wgmma.cuh"
#include "gemm/tensor/tiles.h"

namespace
{
namespace boxes
{

constexpr unsigned BOX = PRIM_GEMM_BOX;

struct alignas(1024) box {
    uint16_t elements[BOX * BOX];
};

/* The box from row or column `across` on, and step k. */
template <wgmma_major MAJOR>
__device__ tensor_place place_of_box(unsigned across, unsigned k, unsigned product)
{
    const int a = static_cast<int>(across), step = static_cast<int>(k);
    return MAJOR == K_MAJOR ? tensor_place{step, a, static_cast<int>(product)}
                            : tensor_place{a, step, static_cast<int>(product)};
}

/* A warpgroup's 64 × N sums, and the products of 64 steps of k. */
template <typename Half, unsigned N, wgmma_major A, wgmma_major B>
__device__ void add_products(float (&sums)[N / 2], const box &a, const box *b)
{
    const uint64_t of_a = wgmma_descriptor(&a, sizeof(box)),
                   of_b = wgmma_descriptor(b, sizeof(box));
    PRIM_UNROLL(4)
    for (unsigned step = 0; step < BOX / WGMMA_K; step++)
        wgmma_m64k16<Half, N, A, B>(sums, wgmma_next_k<A>(of_a, step), wgmma_next_k<B>(of_b, step));
}

} // namespace boxes
} // namespace

#endif
