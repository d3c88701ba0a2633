/* XNOR_SHARED_ROW: XNOR_GLOBAL with A's row in shared memory, 1024 words at a time.
 *
 * A's row comes from shared memory. It is short now, one word for 32 elements, so little is saved:
 * B's words and the bit counts still come from global memory.
 *
 * Work: m · n · ⌈k / 32⌉ words. Bytes that pass the caches: 8 m · n · ⌈k / 32⌉. */
#include "binary_gemm/problem.cuh"
#include "common/kernel/shared.cuh"

namespace
{
namespace xnor_shared_row
{

constexpr unsigned THREADS = 256;
constexpr unsigned PIECE = 1024; /* words of A's row that fit the shared memory at a time */

/* A row that fits one piece is loaded once; a longer one again for each stride of columns. */
template <typename Out>
__global__ void __launch_bounds__(THREADS) multiply(problem<Out> p)
{
    PRIM_SHARED(uint32_t, row, [PIECE]);
    const size_t i = blockIdx.x;
    for (size_t first = 0; first < p.n; first += THREADS) {
        const size_t j = first + threadIdx.x;
        uint32_t sum = 0;
        for (size_t begin = 0; begin < p.words; begin += PIECE) {
            const unsigned length =
                p.words - begin < PIECE ? static_cast<unsigned>(p.words - begin) : PIECE;
            if (first == 0 || p.words > PIECE) {
                __syncthreads(); /* all have read the piece before */
                for (unsigned w = threadIdx.x; w < length; w += THREADS)
                    row[w] = p.a[i * p.lda + begin + w];
                __syncthreads();
            }
            for (unsigned w = 0; j < p.n && w < length; w++)
                sum += differences(bits_of_byte.counts, row[w], p.b[(begin + w) * p.ldb + j]);
        }
        if (j < p.n)
            p.store(i, j, sum);
    }
}

struct lesson : rows_of_c {
    static constexpr dim3 BLOCK = THREADS;
    template <typename Out>
    static constexpr block_kernel<Out> kernel = multiply<Out>;
};

} // namespace xnor_shared_row
} // namespace

PRIM_DEFINE_RUNG(binary_gemm, xnor_shared_row) =
    rung_of_blocks<PRIM_BINARY_GEMM_XNOR_SHARED_ROW, xnor_shared_row::lesson>(
        "xnor_shared_row", "the same, with A's row in shared memory");
