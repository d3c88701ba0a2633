/* mma.sync of f16 or bf16 with sums in f32: a warp multiplies 16 × 16 by 16 × 8 elements, on tensor
 * cores of compute capability 8.0 and up.
 *
 *     D = A · B + D          lane 4g + t has of it, two halves a word
 *     A     16 × 16          rows g and g + 8 of columns 2t, 2t + 1; then of 2t + 8, 2t + 9
 *     B     16 × 8           rows 2t, 2t + 1 of column g; then rows 2t + 8, 2t + 9
 *     D     16 × 8 floats    row g, columns 2t and 2t + 1; then row g + 8
 *
 * That is how ldmatrix_x4() leaves them. A tensor core multiplies exactly, and adds the 16 products
 * and D in an order and with a rounding that PTX leaves open; the CPU backend adds them in f64,
 * from front to back, and rounds once. */
#ifndef PRIM_COMMON_MMA_HALVES_CUH
#define PRIM_COMMON_MMA_HALVES_CUH

#include <cstdint>

#include <cuda_runtime.h>

#include "common/math/half.cuh"
#include "common/tensor/mma_simt.cuh"

namespace
{

#ifdef SIMT_BACKEND

template <typename Half>
struct products_of_halves {
    static double of(uint64_t row, uint64_t column)
    {
        double sum = 0;
        for (int i = 0; i < 4; i++)
            sum += static_cast<double>(to_float(Half{static_cast<uint16_t>(row >> 16 * i)})) *
                   static_cast<double>(to_float(Half{static_cast<uint16_t>(column >> 16 * i)}));
        return sum;
    }
};

template <typename Half>
void mma_m16n8k16(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2])
{
    double sums[4] = {d[0], d[1], d[2], d[3]};
    add_shared_products<products_of_halves<Half>>(sums, a, b);
    for (int r = 0; r < 4; r++)
        d[r] = static_cast<float>(sums[r]);
}

#else

/* All lanes of the warp come here together. */
template <typename Half>
__device__ void mma_m16n8k16(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2])
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    if constexpr (std::is_same<Half, f16>::value)
        asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
            "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
            : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    else
        asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
            "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
            : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#endif
}

#endif

} // namespace

#endif
