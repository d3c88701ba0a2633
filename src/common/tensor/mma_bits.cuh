/* Products of small matrices of bits, by a warp, on tensor cores of compute capability 8.0 and up:
 * the number of places where A's row and B's column both have a 1 is added up.
 *
 *     D += popc(A & B)                       lane 4g + t has of it, 32 bits along k a word
 *     A     16 × 256 bits                    word t of rows g and g + 8, then word t + 4
 *     B     256 × 8 bits                     words t and t + 4 of column g
 *     D     16 × 8 words                     row g, columns 2t and 2t + 1; then row g + 8
 *
 * ldmatrix_x4() leaves A's words so. PTX has an exclusive or as well, but not from 9.0 on. */
#ifndef PRIM_COMMON_MMA_BITS_CUH
#define PRIM_COMMON_MMA_BITS_CUH

#include <cstdint>

#include <cuda_runtime.h>

#include "common/tensor/mma_simt.cuh"

namespace
{

#ifdef SIMT_BACKEND

struct products_of_bits {
    static int32_t of(uint64_t row, uint64_t column)
    {
        return __builtin_popcountll(row & column);
    }
};

inline void mma_m16n8k256_and_popc(int32_t (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2])
{
    add_shared_products<products_of_bits>(d, a, b);
}

#else

/* All lanes of the warp come here together. */
__device__ inline void mma_m16n8k256_and_popc(int32_t (&d)[4], const uint32_t (&a)[4],
                                              const uint32_t (&b)[2])
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#endif
}

#endif

} // namespace

#endif
