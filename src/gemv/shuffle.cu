/* SHUFFLE: as COLUMN, with x in the registers of each warp.
 *
 *     lane       0    1    2   …  31
 *     holds     x0   x1   x2     x31      then in step i every lane gets lane i's element
 *
 * No shared memory and no barrier for x. Each element costs a shuffle, though, which takes the same
 * path as a load from shared memory and has no advantage over it where all lanes want one word.
 *
 * Work: rows · columns products. Steps: as many as x has elements. Bytes: A once, x once a warp. */
#include "gemv/coalesced.cuh"

namespace
{
namespace shuffle
{

template <typename T>
struct shuffled_x {
    const T *x;
    T own;

    __device__ void prepare(size_t begin, unsigned length)
    {
        const unsigned lane = threadIdx.x % TILE_COLUMNS;
        own = lane < length ? x[begin + lane] : T(0);
    }
    __device__ T at(size_t, unsigned i) const
    {
        return __shfl_sync(0xffffffffu, own, static_cast<int>(i));
    }
};

template <typename T>
__global__ void __launch_bounds__(THREADS) multiply(problem<T> p)
{
    along_tiles(p, shuffled_x<T>{p.x, T(0)});
}

struct lesson {
    template <typename T>
    static constexpr output_kernel<T> kernel = multiply<T>;
};

} // namespace shuffle
} // namespace

PRIM_DEFINE_RUNG(gemv, shuffle) = rung_of_outputs<PRIM_GEMV_SHUFFLE, shuffle::lesson>(
    "shuffle", "the same, and x in registers, handed round in the warp");
