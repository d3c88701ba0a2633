/* wgmma of f16 or bf16 with sums in f32, and of bits with counts in s32: a warpgroup, four warps,
 * multiplies matrices that lie in shared memory. Compute capability 9.0's own: code for sm_90a.
 *
 *     D = A · B + D        64 × N = 64 × 16 · 16 × N        of bits 64 × 256 · 256 × N
 *     lane 4g + t of warp w has of D rows 16w + g and 16w + g + 8: of each 8 columns, elements
 *     2t and 2t + 1 of the first row, then of the second
 *
 * A and B are given by descriptors, and lie as tensor copies leave them: boxes of rows of 128
 * bytes, swizzled, that begin at multiples of 1,024 bytes.
 *
 *     K_MAJOR     a row of the box has 64 steps of k; rows go down A, or across B
 *     MN_MAJOR    a row has 64 elements down A, or across B; rows go along k
 *     bits        K_MAJOR, and a row has 1,024 steps of k; D += popc(A & B)
 *
 * Products are asynchronous. Before the first one, and where D's registers were touched: fence().
 * After some: commit_group(). D may be read, and what was multiplied overwritten, after a
 * wait_group() that leaves no group of these.
 *
 * A tensor core multiplies exactly, and adds the 16 products and D in an order and with a rounding
 * that PTX leaves open; the CPU backend adds them in f64, from front to back, and rounds once. */
#ifndef PRIM_COMMON_WGMMA_CUH
#define PRIM_COMMON_WGMMA_CUH

#include <cstdint>

#include <cuda_runtime.h>

#include "common/math/half.cuh"
#include "common/tensor/shared_address.cuh"
#include "common/tensor/wgmma_simt.cuh"

namespace
{

/* Whether code is being compiled for a device that has it; on the host, whether any can. */
#if !defined(__CUDA_ARCH__) || defined(__CUDA_ARCH_FEAT_SM90_ALL)
constexpr bool HAS_WGMMA = true;
#else
constexpr bool HAS_WGMMA = false;
#endif

constexpr unsigned WARPGROUP = 128, WGMMA_M = 64, WGMMA_K = 16;

/* ---- descriptors ---- */

enum wgmma_major { K_MAJOR, MN_MAJOR };

/* `boxes_apart`: bytes from one box of 64 elements to the next, across; not used where K_MAJOR. */
__device__ inline uint64_t wgmma_descriptor(const void *shared, unsigned boxes_apart)
{
    constexpr uint64_t SWIZZLE_128B = 1, EIGHT_ROWS = 1024;
    const uint64_t address = shared_address(shared);
    return (address & 0x3ffff) >> 4 | static_cast<uint64_t>(boxes_apart >> 4) << 16 |
           EIGHT_ROWS >> 4 << 32 | SWIZZLE_128B << 62;
}

/* 16 steps of k further; of bits, 256. */
template <wgmma_major MAJOR>
__device__ uint64_t wgmma_next_k(uint64_t descriptor, unsigned steps_of_16)
{
    constexpr unsigned BYTES = MAJOR == K_MAJOR ? 2 * WGMMA_K : 128 * WGMMA_K;
    return descriptor + steps_of_16 * (BYTES >> 4);
}

/* ---- order ---- */

__device__ inline void wgmma_fence()
{
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#endif
}

__device__ inline void wgmma_commit_group()
{
#if defined(SIMT_BACKEND)
    simt_async_commit();
#elif defined(__CUDA_ARCH_FEAT_SM90_ALL)
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
#endif
}

/* Of this warp's products; the others of the warpgroup may be behind. */
template <unsigned LEFT>
__device__ void wgmma_wait_group()
{
#if defined(SIMT_BACKEND)
    simt_async_wait(LEFT);
    __syncwarp();
#elif defined(__CUDA_ARCH_FEAT_SM90_ALL)
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(LEFT) : "memory");
#endif
}

/* ---- how many registers a thread has; all warps of a warpgroup, once each ---- */

template <unsigned REGISTERS>
__device__ void setmaxnreg_inc()
{
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(REGISTERS));
#endif
}

template <unsigned REGISTERS>
__device__ void setmaxnreg_dec()
{
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(REGISTERS));
#endif
}

/* ---- the products ---- */

#ifdef SIMT_BACKEND

template <typename Half, unsigned N, wgmma_major A, wgmma_major B>
void wgmma_m64k16(float (&d)[N / 2], uint64_t a, uint64_t b)
{
    issue_products<products_of_halves_along_k<Half, A == MN_MAJOR, B == MN_MAJOR>, N>(d, a, b);
}

template <unsigned N>
void wgmma_m64k256_and_popc(int32_t (&d)[N / 2], uint64_t a, uint64_t b)
{
    issue_products<products_of_bits_along_k, N>(d, a, b);
}

#else

/* Operands %0 … %63, %95 and %127, by tens. */
#define PRIM_WGMMA_TEN(t)                                                                        \
    "%" #t "0, %" #t "1, %" #t "2, %" #t "3, %" #t "4, %" #t "5, %" #t "6, %" #t "7, %" #t "8, " \
    "%" #t "9, "
#define PRIM_WGMMA_30 PRIM_WGMMA_TEN() PRIM_WGMMA_TEN(1) PRIM_WGMMA_TEN(2)
#define PRIM_WGMMA_60 PRIM_WGMMA_30 PRIM_WGMMA_TEN(3) PRIM_WGMMA_TEN(4) PRIM_WGMMA_TEN(5)
#define PRIM_WGMMA_90 PRIM_WGMMA_60 PRIM_WGMMA_TEN(6) PRIM_WGMMA_TEN(7) PRIM_WGMMA_TEN(8)
#define PRIM_WGMMA_120 PRIM_WGMMA_90 PRIM_WGMMA_TEN(9) PRIM_WGMMA_TEN(10) PRIM_WGMMA_TEN(11)
#define PRIM_WGMMA_64 PRIM_WGMMA_60 "%60, %61, %62, %63"
#define PRIM_WGMMA_96 PRIM_WGMMA_90 "%90, %91, %92, %93, %94, %95"
#define PRIM_WGMMA_128 PRIM_WGMMA_120 "%120, %121, %122, %123, %124, %125, %126, %127"

/* D's registers, floats ("+f") or words ("+r"), from number i on. */
#define PRIM_WGMMA_D4(type, i) type(d[i]), type(d[i + 1]), type(d[i + 2]), type(d[i + 3])
#define PRIM_WGMMA_D16(type, i)                                                     \
    PRIM_WGMMA_D4(type, i), PRIM_WGMMA_D4(type, i + 4), PRIM_WGMMA_D4(type, i + 8), \
        PRIM_WGMMA_D4(type, i + 12)
#define PRIM_WGMMA_D32(type, i) PRIM_WGMMA_D16(type, i), PRIM_WGMMA_D16(type, i + 16)
#define PRIM_WGMMA_D64(type, i) PRIM_WGMMA_D32(type, i), PRIM_WGMMA_D32(type, i + 32)
#define PRIM_WGMMA_D96(type, i) PRIM_WGMMA_D64(type, i), PRIM_WGMMA_D32(type, i + 64)
#define PRIM_WGMMA_D128(type, i) PRIM_WGMMA_D64(type, i), PRIM_WGMMA_D64(type, i + 64)

/* D's registers come last; `a_at` … are the numbers of the operands after them. */
#define PRIM_WGMMA_ASM(n, type, list, a_at, b_at, trans_a_at, trans_b_at, ...)                 \
    asm volatile("{\n"                                                                         \
                 ".reg .pred adds;\n"                                                          \
                 "setp.eq.u32 adds, 1, 1;\n"                                                   \
                 "wgmma.mma_async.sync.aligned.m64n" #n "k16.f32." type "." type " {" list "}" \
                 ", %" #a_at ", %" #b_at ", adds, 1, 1, %" #trans_a_at ", %" #trans_b_at ";\n" \
                 "}"                                                                           \
                 : __VA_ARGS__                                                                 \
                 : "l"(a), "l"(b), "n"(A == MN_MAJOR), "n"(B == MN_MAJOR))

#define PRIM_WGMMA(n, list, a_at, b_at, trans_a_at, trans_b_at, ...)                     \
    if constexpr (std::is_same<Half, f16>::value)                                        \
        PRIM_WGMMA_ASM(n, "f16", list, a_at, b_at, trans_a_at, trans_b_at, __VA_ARGS__); \
    else                                                                                 \
        PRIM_WGMMA_ASM(n, "bf16", list, a_at, b_at, trans_a_at, trans_b_at, __VA_ARGS__)

#define PRIM_WGMMA_BITS(n, list, a_at, b_at, ...)                                            \
    asm volatile("{\n"                                                                       \
                 ".reg .pred adds;\n"                                                        \
                 "setp.eq.u32 adds, 1, 1;\n"                                                 \
                 "wgmma.mma_async.sync.aligned.m64n" #n "k256.s32.b1.b1.and.popc {" list "}" \
                 ", %" #a_at ", %" #b_at ", adds;\n"                                         \
                 "}"                                                                         \
                 : __VA_ARGS__                                                               \
                 : "l"(a), "l"(b))

/* All threads of the warpgroup come here together. */
template <typename Half, unsigned N, wgmma_major A, wgmma_major B>
__device__ void wgmma_m64k16(float (&d)[N / 2], uint64_t a, uint64_t b)
{
    static_assert(N == 128 || N == 192 || N == 256, "what is written out");
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    if constexpr (N == 128) {
        PRIM_WGMMA(128, PRIM_WGMMA_64, 64, 65, 66, 67, PRIM_WGMMA_D64("+f", 0));
    } else if constexpr (N == 192) {
        PRIM_WGMMA(192, PRIM_WGMMA_96, 96, 97, 98, 99, PRIM_WGMMA_D96("+f", 0));
    } else {
        PRIM_WGMMA(256, PRIM_WGMMA_128, 128, 129, 130, 131, PRIM_WGMMA_D128("+f", 0));
    }
#endif
}

/* The places, of 256, where both have a 1 are counted, and added to D. */
template <unsigned N>
__device__ void wgmma_m64k256_and_popc(int32_t (&d)[N / 2], uint64_t a, uint64_t b)
{
    static_assert(N == 128 || N == 192 || N == 256, "what is written out");
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    if constexpr (N == 128) {
        PRIM_WGMMA_BITS(128, PRIM_WGMMA_64, 64, 65, PRIM_WGMMA_D64("+r", 0));
    } else if constexpr (N == 192) {
        PRIM_WGMMA_BITS(192, PRIM_WGMMA_96, 96, 97, PRIM_WGMMA_D96("+r", 0));
    } else {
        PRIM_WGMMA_BITS(256, PRIM_WGMMA_128, 128, 129, PRIM_WGMMA_D128("+r", 0));
    }
#endif
}

#endif

} // namespace

#endif
