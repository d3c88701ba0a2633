/* REGISTER_TILED: 8 × 8 elements of C for each thread.
 *
 *               B  ▪  ▪  ▪       a tile of C: 128 × 128, 256 threads; of A and B 8 steps of k
 *
 *     A  ▪         ▪  ▪  ▪       a thread: rows y, y + 16, y + 32, … and columns x, x + 16, …, so
 *        ▪         ▪  ▪  ▪       that the lanes of a warp read neighbouring words
 *        ▪         ▪  ▪  ▪
 *
 * What changed from REGISTER_TILED_1D: 8 elements of A and 8 of B in registers make 64 products: a
 * product takes 1/4 of a load from shared memory, not 1.1. That is as many as a multiprocessor can
 * start beside its arithmetic: 32 loads and 128 products a clock. And a tile of 128 × 128 halves
 * the traffic of one of 64 × 64 again.
 *
 * Bytes for a product, of f32: 1/16 from global memory, 1 from shared memory.
 *
 * What still holds it back: 16 load instructions of 4 bytes for 64 of arithmetic; and nothing is
 * computed while the next slabs are loaded. VECTORIZED improves both.
 *
 * Work: m · n · k products, and the tiles' ends. Steps: k, and 2 · k / 8 barriers. Shared memory:
 * 128 · 9 + 8 · 129 elements.
 * Source: S. Boehm, How to Optimize a CUDA Matmul Kernel for cuBLAS-like Performance (2022), kernel
 * 5; V. Volkov and J. Demmel, Benchmarking GPUs to Tune Dense Linear Algebra (2008). */
#include "gemm/tile/slabs.cuh"

namespace
{
namespace register_tiled
{

constexpr unsigned SIDE = 128, K = 8;  /* of a tile, of a slab */
constexpr unsigned OWN = 8;            /* rows and columns of a thread */
constexpr unsigned APART = SIDE / OWN; /* from one of them to the next */
constexpr unsigned THREADS = APART * APART;

template <typename T>
__global__ void __launch_bounds__(THREADS) multiply(problem<T> all)
{
    using slab_a = element_slab<T, SIDE, K>;
    using slab_b = element_slab<T, K, SIDE>;
    PRIM_SHARED(slab_a, a, );
    PRIM_SHARED(slab_b, b, );
    problem<T> p;
    if (!take_product(all, p))
        return;
    const square tile = this_square(p.n, SIDE);
    const unsigned x = threadIdx.x % APART, y = threadIdx.x / APART;
    T sums[OWN][OWN] = {};
    for (size_t begin = 0; begin < p.k; begin += K) {
        bring_slab<THREADS>(a, p.a, tile.row, begin, p.m, p.k);
        bring_slab<THREADS>(b, p.b, begin, tile.column, p.k, p.n);
        __syncthreads();
        PRIM_UNROLL(8)
        for (unsigned k = 0; k < K; k++) {
            T a_factors[OWN], b_factors[OWN];
            PRIM_UNROLL(8)
            for (unsigned i = 0; i < OWN; i++) {
                a_factors[i] = a.at[y + i * APART][k];
                b_factors[i] = b.at[k][x + i * APART];
            }
            PRIM_UNROLL(8)
            for (unsigned i = 0; i < OWN; i++) {
                PRIM_UNROLL(8)
                for (unsigned j = 0; j < OWN; j++)
                    sums[i][j] = add_product(sums[i][j], a_factors[i], b_factors[j]);
            }
        }
        __syncthreads(); /* before the next slabs are loaded */
    }
    PRIM_UNROLL(8)
    for (unsigned i = 0; i < OWN; i++) {
        PRIM_UNROLL(8)
        for (unsigned j = 0; j < OWN; j++) {
            const size_t row = tile.row + y + i * APART, column = tile.column + x + j * APART;
            if (row < p.m && column < p.n)
                p.store(row, column, sums[i][j]);
        }
    }
}

struct lesson : squares_of_c<SIDE> {
    static constexpr dim3 BLOCK = THREADS;
    template <typename T>
    static constexpr block_kernel<T> kernel = multiply<T>;
};

} // namespace register_tiled
} // namespace

PRIM_DEFINE_RUNG(gemm, register_tiled) =
    rung_of_blocks<PRIM_GEMM_REGISTER_TILED, register_tiled::lesson>(
        "register_tiled", "8 × 8 elements of C for each thread");
