/* REGISTER_TILED_1D: 8 elements of a column of C for each thread.
 *
 *               B  ·[▒]·      a tile of C: 64 × 64, of A: 64 × 8, of B: 8 × 64
 *                  ·[▒]·
 *     A  [▒][▒]→   · ▪ ·      a thread: one column, 8 rows below each other. An element of B's row
 *        [▒][▒]→   · ▪ ·      goes into a register and is used 8 times
 *
 * What changed from TILED_32: a thread computes 8 elements, so that for 8 products it reads 8
 * elements of A and one of B from shared memory, not 16: a product takes 1.1 loads, not 2. And a
 * tile of 64 × 64 takes half the elements from global memory that one of 32 × 32 does.
 *
 * Bytes for a product, of f32: 1/8 from global memory (8 / 64), 4.5 from shared memory.
 *
 * What still holds it back: those loads; a multiprocessor starts 32 a clock, and 128 products. The
 * 8 of A are the same word for all lanes of a warp, but an instruction each. REGISTER_TILED reuses
 * both factors.
 *
 * Work: m · n · k products, and the tiles' ends. Steps: k, and 2 · k / 8 barriers. Shared memory:
 * 2 · 8 · 65 elements.
 * Source: S. Boehm, How to Optimize a CUDA Matmul Kernel for cuBLAS-like Performance (2022), kernel
 * 4; Hwu, Kirk and El Hajj, chapter 6 (thread coarsening). */
#include "gemm/tile/slabs.cuh"

namespace
{
namespace register_tiled_1d
{

constexpr unsigned SIDE = 64, K = 8, ROWS = 8; /* of a tile, of a slab, of a thread */
constexpr unsigned THREADS = SIDE * SIDE / ROWS;

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
    const unsigned column = threadIdx.x % SIDE, row = threadIdx.x / SIDE * ROWS;
    T sums[ROWS] = {0};
    for (size_t begin = 0; begin < p.k; begin += K) {
        bring_slab<THREADS>(a, p.a, tile.row, begin, p.m, p.k);
        bring_slab<THREADS>(b, p.b, begin, tile.column, p.k, p.n);
        __syncthreads();
        PRIM_UNROLL(8)
        for (unsigned k = 0; k < K; k++) {
            const T factor = b.at[k][column];
            PRIM_UNROLL(8)
            for (unsigned i = 0; i < ROWS; i++)
                sums[i] = add_product(sums[i], a.at[row + i][k], factor);
        }
        __syncthreads(); /* before the next slabs are loaded */
    }
    PRIM_UNROLL(8)
    for (unsigned i = 0; i < ROWS; i++)
        if (tile.row + row + i < p.m && tile.column + column < p.n)
            p.store(tile.row + row + i, tile.column + column, sums[i]);
}

struct lesson : squares_of_c<SIDE> {
    static constexpr dim3 BLOCK = THREADS;
    template <typename T>
    static constexpr block_kernel<T> kernel = multiply<T>;
};

} // namespace register_tiled_1d
} // namespace

PRIM_DEFINE_RUNG(gemm, register_tiled_1d) =
    rung_of_blocks<PRIM_GEMM_REGISTER_TILED_1D, register_tiled_1d::lesson>(
        "register_tiled_1d", "8 elements of a column of C for each thread");
