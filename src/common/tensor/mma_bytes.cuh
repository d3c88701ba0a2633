/* Products of small matrices of bytes, by a warp, on tensor cores of compute capability 8.0 and up.
 *
 *     D = A · B + C                          lane 4g + t has of it
 *     A     16 × 32 bytes without a sign     rows g and g + 8, bytes 4t … 4t + 3 and 16 more on
 *     B     32 × 8 bytes                     the same bytes of column g
 *     C, D  16 × 8 words                     rows g and g + 8, words 2t and 2t + 1
 *
 * Sums are exact, and wrap. */
#ifndef PRIM_COMMON_MMA_BYTES_CUH
#define PRIM_COMMON_MMA_BYTES_CUH

#include <cstdint>

#include <cuda_runtime.h>

#include "common/tensor/mma_simt.cuh"

namespace
{

/* The type of B's bytes. */
enum byte_sign { UNSIGNED_BYTES, SIGNED_BYTES };

#ifdef SIMT_BACKEND

template <byte_sign SIGN>
struct products_of_bytes {
    static uint32_t of(uint64_t a, uint64_t b)
    {
        uint32_t sum = 0;
        for (int i = 0; i < 8; i++) {
            const uint8_t x = static_cast<uint8_t>(a >> 8 * i),
                          y = static_cast<uint8_t>(b >> 8 * i);
            sum += static_cast<uint32_t>(x * (SIGN == SIGNED_BYTES ? static_cast<int8_t>(y) : y));
        }
        return sum;
    }
};

template <byte_sign SIGN>
void add_byte_products(int32_t (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2],
                       const int32_t (&c)[4])
{
    uint32_t sums[4];
    for (int r = 0; r < 4; r++)
        sums[r] = static_cast<uint32_t>(c[r]);
    add_shared_products<products_of_bytes<SIGN>>(sums, a, b);
    for (int r = 0; r < 4; r++)
        d[r] = static_cast<int32_t>(sums[r]);
}

#else

/* All lanes of the warp come here together. */
template <byte_sign SIGN>
__device__ void add_byte_products(int32_t (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2],
                                  const int32_t (&c)[4])
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    if constexpr (SIGN == SIGNED_BYTES)
        asm("mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32 "
            "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};"
            : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(c[0]),
              "r"(c[1]), "r"(c[2]), "r"(c[3]));
    else
        asm("mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32 "
            "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};"
            : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(c[0]),
              "r"(c[1]), "r"(c[2]), "r"(c[3]));
#endif
}

#endif

} // namespace

#endif
