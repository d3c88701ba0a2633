/* XNOR_TILED, XNOR_TILED_TRANSPOSED: tiles of A and B in shared memory, 16 × 16 words, with the bit
 * counts there too.
 *
 *               B  ·[▒]·
 *                  ·[▒]·   step 0, 1, … down B and along A
 *     A  ·······
 *        [▒][▒]→   ·[C]·   a block computes a square of C, a thread each element
 *        ·······
 *
 * The two differ in what threadIdx.x counts. If it counts rows, the lanes of a warp read down a
 * column of A's tile, 16 words apart. These 16 rows lie in 2 banks, so that one read takes eight
 * passes. And the lanes write C down a column, a sector for each. If it counts columns, they read
 * one row of B's tile and one word of A's for each half of the warp, and write C side by side.
 *
 * What holds them back: the look-ups, with bank conflicts, since the table has 64 words in 32
 * banks; the GPU's population count instruction would need no table.
 *
 * Work: m · n · ⌈k / 32⌉ words, 4 look-ups each. Bytes from global memory: 8 m · n · ⌈k / 32⌉ / 16.
 */
#include "binary_gemm/problem.cuh"
#include "common/kernel/shared.cuh"
#include "common/kernel/unroll.cuh"

namespace
{
namespace xnor_tiled
{

constexpr unsigned SIDE = 16;

enum thread_x { X_IS_COLUMN, X_IS_ROW };

/* Loads the square of a matrix at (row, column) into the tile, with zeros past its ends. */
template <unsigned WIDTH>
__device__ void bring(uint32_t (&tile)[SIDE][WIDTH], const uint32_t *from, size_t ld, unsigned x,
                      unsigned y, size_t row, size_t column, size_t rows, size_t columns)
{
    const bool inside = row + y < rows && column + x < columns;
    tile[y][x] = inside ? from[(row + y) * ld + column + x] : 0;
}

/* With x as the column, rows are padded by a word. */
template <typename Out, thread_x THREAD_X>
__global__ void __launch_bounds__(SIDE *SIDE) multiply(problem<Out> p)
{
    constexpr unsigned WIDTH = THREAD_X == X_IS_COLUMN ? SIDE + 1 : SIDE;
    PRIM_SHARED(uint32_t, tile_a, [SIDE][WIDTH]);
    PRIM_SHARED(uint32_t, tile_b, [SIDE][WIDTH]);
    PRIM_SHARED(unsigned char, counts, [256]);
    const unsigned x = THREAD_X == X_IS_COLUMN ? threadIdx.x : threadIdx.y;
    const unsigned y = THREAD_X == X_IS_COLUMN ? threadIdx.y : threadIdx.x;
    const unsigned across = static_cast<unsigned>((p.n + SIDE - 1) / SIDE);
    const size_t first_row = static_cast<size_t>(blockIdx.x / across) * SIDE;
    const size_t first_column = static_cast<size_t>(blockIdx.x % across) * SIDE;
    const unsigned t = threadIdx.y * SIDE + threadIdx.x;
    counts[t] = bits_of_byte.counts[t]; /* read after the loop's first barrier */

    uint32_t sum = 0;
    for (size_t begin = 0; begin < p.words; begin += SIDE) {
        bring(tile_a, p.a, p.lda, x, y, first_row, begin, p.m, p.words);
        bring(tile_b, p.b, p.ldb, x, y, begin, first_column, p.words, p.n);
        __syncthreads();
        PRIM_UNROLL(8) /* with all 16 at once, the look-ups spill */
        for (unsigned w = 0; w < SIDE; w++)
            sum += differences(counts, tile_a[y][w], tile_b[w][x]);
        __syncthreads(); /* before the next tiles are loaded */
    }
    if (first_row + y < p.m && first_column + x < p.n)
        p.store(first_row + y, first_column + x, sum);
}

template <thread_x THREAD_X>
struct lesson : squares_of_c<SIDE> {
    static constexpr dim3 BLOCK = {SIDE, SIDE};
    template <typename Out>
    static constexpr block_kernel<Out> kernel = multiply<Out, THREAD_X>;
};

} // namespace xnor_tiled
} // namespace

PRIM_DEFINE_RUNG(binary_gemm, xnor_tiled) =
    rung_of_blocks<PRIM_BINARY_GEMM_XNOR_TILED, xnor_tiled::lesson<xnor_tiled::X_IS_ROW>>(
        "xnor_tiled", "16 × 16 tiles and the bit counts in shared memory, a warp down a column");

PRIM_DEFINE_RUNG(binary_gemm, xnor_tiled_transposed) = rung_of_blocks<
    PRIM_BINARY_GEMM_XNOR_TILED_TRANSPOSED, xnor_tiled::lesson<xnor_tiled::X_IS_COLUMN>>(
    "xnor_tiled_transposed", "the same with x and y exchanged: a warp along a row");
