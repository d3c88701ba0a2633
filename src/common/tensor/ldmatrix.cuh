/* ldmatrix: a warp reads four matrices of 8 × 8 elements of 16 bits from shared memory. From
 * compute capability 7.5 on.
 *
 *     lane 8j + i gives the address of row i of matrix j, 16 bytes, aligned
 *     lane 4g + t gets of each matrix elements 2t and 2t + 1 of row g, or transposed: rows 2t and
 *     2t + 1 of column g, the first one in the lower half of its word */
#ifndef PRIM_COMMON_LDMATRIX_CUH
#define PRIM_COMMON_LDMATRIX_CUH

#include <cstdint>

#include <cuda_runtime.h>

namespace
{

#ifdef SIMT_BACKEND

inline void ldmatrix_x4(uint32_t (&words)[4], const void *row)
{
    const unsigned lane = threadIdx.x % 32;
    for (unsigned j = 0; j < 4; j++) {
        const uint64_t at =
            __shfl_sync(0xffffffffu, reinterpret_cast<uint64_t>(row), 8 * j + lane / 4);
        words[j] = reinterpret_cast<const uint32_t *>(at)[lane % 4];
    }
}

inline void ldmatrix_x4_trans(uint32_t (&words)[4], const void *row)
{
    const unsigned lane = threadIdx.x % 32, column = lane / 4;
    for (unsigned j = 0; j < 4; j++) {
        uint32_t word = 0;
        for (unsigned i = 0; i < 2; i++) {
            const uint64_t at = __shfl_sync(0xffffffffu, reinterpret_cast<uint64_t>(row),
                                            8 * j + 2 * (lane % 4) + i);
            word |= static_cast<uint32_t>(reinterpret_cast<const uint16_t *>(at)[column]) << 16 * i;
        }
        words[j] = word;
    }
}

#else

/* All lanes of the warp come here together. */
__device__ inline void ldmatrix_x4(uint32_t (&words)[4], const void *row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
                 : "r"(static_cast<unsigned>(__cvta_generic_to_shared(row)))
                 : "memory");
}

__device__ inline void ldmatrix_x4_trans(uint32_t (&words)[4], const void *row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
                 : "r"(static_cast<unsigned>(__cvta_generic_to_shared(row)))
                 : "memory");
}

#endif

} // namespace

#endif
