/* COLUMN: neighbouring threads read neighbouring elements of A; coalesced.cuh draws it.
 *
 * Every sector of A that is read is used in full. x comes from global memory: all threads of a warp
 * read one element, and L1 has it.
 *
 * Work: rows · columns products. Steps: as many as x has elements. Bytes: A once. What holds it
 * back: two loads for each product. */
#include "gemv/coalesced.cuh"

namespace
{
namespace column
{

template <typename T>
struct global_x {
    const T *x;
    __device__ void prepare(size_t, unsigned)
    {
    }
    __device__ T at(size_t begin, unsigned i) const
    {
        return x[begin + i];
    }
};

template <typename T>
__global__ void __launch_bounds__(THREADS) multiply(problem<T> p)
{
    along_tiles(p, global_x<T>{p.x});
}

struct lesson {
    template <typename T>
    static constexpr output_kernel<T> kernel = multiply<T>;
};

} // namespace column
} // namespace

PRIM_DEFINE_RUNG(gemv, column) = rung_of_outputs<PRIM_GEMV_COLUMN, column::lesson>(
    "column", "neighbouring threads read neighbouring elements of A");
