/* SHARED: as COLUMN, with x in shared memory.
 *
 *     x  ──→ 1024 elements in shared memory ──→ one word for all lanes at a time
 *
 * Any length of x, no state, no further launch; two barriers for each 1024 elements. A itself would
 * gain nothing from shared memory: each of its elements is used once.
 *
 * Work: rows · columns products. Steps: as many as x has elements. Bytes: A once, x once a block.
 */
#include "gemv/coalesced.cuh"

namespace
{
namespace shared
{

constexpr unsigned SHARED_X = 1024;
static_assert(SHARED_X % TILE_COLUMNS == 0, "a tile lies within a piece");

template <typename T>
struct shared_x {
    const T *x;
    size_t count;
    T *piece;

    __device__ void prepare(size_t begin, unsigned)
    {
        if (begin % SHARED_X != 0)
            return;
        __syncthreads(); /* all have read the piece before */
        for (unsigned i = threadIdx.x; i < SHARED_X && begin + i < count; i += THREADS)
            piece[i] = x[begin + i];
        __syncthreads();
    }
    __device__ T at(size_t begin, unsigned i) const
    {
        return piece[begin % SHARED_X + i];
    }
};

template <typename T>
__global__ void __launch_bounds__(THREADS) multiply(problem<T> p)
{
    PRIM_SHARED(T, piece, [SHARED_X]);
    along_tiles(p, shared_x<T>{p.x, p.inner, piece});
}

struct lesson {
    template <typename T>
    static constexpr output_kernel<T> kernel = multiply<T>;
};

} // namespace shared
} // namespace

PRIM_DEFINE_RUNG(gemv, shared) =
    rung_of_outputs<PRIM_GEMV_SHARED, shared::lesson>("shared", "the same, and x in shared memory");
