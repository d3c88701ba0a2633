/* XNOR_GLOBAL: a block for each row of C, as gemm's ROW_PER_BLOCK, on packed words; the bit counts
 * are in a table in global memory.
 *
 *     A's word ─┐
 *               xor ──→ 4 bytes ──→ 4 look-ups ──→ + + +      32 products of ±1 in one step
 *     B's word ─┘
 *
 * A 32nd of the bytes and steps of a product of floats. What holds it back: B is read m times, and
 * a step costs two words and four look-ups.
 *
 * Work: m · n · ⌈k / 32⌉ words. Bytes that pass the caches: 12 m · n · ⌈k / 32⌉. */
#include "binary_gemm/problem.cuh"

namespace
{
namespace xnor_global
{

constexpr unsigned THREADS = 256;

template <typename Out>
__global__ void __launch_bounds__(THREADS) multiply(problem<Out> p)
{
    const size_t i = blockIdx.x;
    for (size_t j = threadIdx.x; j < p.n; j += THREADS) {
        uint32_t sum = 0;
        for (size_t w = 0; w < p.words; w++)
            sum += differences(bits_of_byte.counts, p.a[i * p.lda + w], p.b[w * p.ldb + j]);
        p.store(i, j, sum);
    }
}

struct lesson : rows_of_c {
    static constexpr dim3 BLOCK = THREADS;
    template <typename Out>
    static constexpr block_kernel<Out> kernel = multiply<Out>;
};

} // namespace xnor_global
} // namespace

PRIM_DEFINE_RUNG(binary_gemm, xnor_global) =
    rung_of_blocks<PRIM_BINARY_GEMM_XNOR_GLOBAL, xnor_global::lesson>(
        "xnor_global", "a block for each row of C; words and bit counts from global memory");
