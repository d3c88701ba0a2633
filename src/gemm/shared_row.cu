/* SHARED_ROW: a block for each row of C, with A's row in shared memory.
 *
 *     A's row i ──→ shared memory, 1024 elements at a time ──→ read by all 256 threads
 *     B         ──→ read from global memory, as in ROW_PER_BLOCK
 *
 * Half of the loads now come from shared memory, one word for all lanes. What still holds it back:
 * it was the cheap half; B is read m times as before.
 *
 * Work: m · n · k products. Steps: k · ⌈n / 256⌉. Bytes that pass the caches: 4 m · n · k for f32,
 * and A ⌈n / 256⌉ times where k is more than 1024. */
#include "common/kernel/shared.cuh"
#include "gemm/problem.cuh"

namespace
{
namespace shared_row
{

constexpr unsigned THREADS = 256;
constexpr unsigned PIECE = 1024; /* elements of A's row that fit the shared memory at a time */

/* A row that fits one piece is loaded once; a longer one again for each stride of columns. */
template <typename T>
__global__ void __launch_bounds__(THREADS) multiply(problem<T> all)
{
    PRIM_SHARED(T, row, [PIECE]);
    problem<T> p;
    if (!take_product(all, p))
        return;
    const size_t i = blockIdx.x;
    for (size_t first = 0; first < p.n; first += THREADS) {
        const size_t j = first + threadIdx.x;
        T sum = 0;
        for (size_t begin = 0; begin < p.k; begin += PIECE) {
            const unsigned length =
                p.k - begin < PIECE ? static_cast<unsigned>(p.k - begin) : PIECE;
            if (first == 0 || p.k > PIECE) {
                __syncthreads(); /* all have read the piece before */
                for (unsigned k = threadIdx.x; k < length; k += THREADS)
                    row[k] = p.a.at(i, begin + k);
                __syncthreads();
            }
            for (unsigned k = 0; j < p.n && k < length; k++)
                sum = add_product(sum, row[k], p.b.at(begin + k, j));
        }
        if (j < p.n)
            p.store(i, j, sum);
    }
}

struct lesson : rows_of_c {
    static constexpr dim3 BLOCK = THREADS;
    template <typename T>
    static constexpr block_kernel<T> kernel = multiply<T>;
};

} // namespace shared_row
} // namespace

PRIM_DEFINE_RUNG(gemm, shared_row) = rung_of_blocks<PRIM_GEMM_SHARED_ROW, shared_row::lesson>(
    "shared_row", "the same, with A's row in shared memory");
