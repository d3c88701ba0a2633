/* ROW_PER_THREAD: each thread walks along a row of op(A), coalesced or not.
 *
 *     thread 0   →→→→→→→→   row 0 · x        in one step the threads of a warp read 32 elements
 *     thread 1   →→→→→→→→   row 1 · x        that lie lda apart: 32 sectors of 32 bytes, of
 *     thread 2   →→→→→→→→   row 2 · x        which each brings 4 that are asked for
 *
 * The next steps find the rest of those sectors in L1, if it still holds them: a warp alone needs
 * 1 KB for them and a multiprocessor has up to 64 warps. Transposed, neighbours in y are neighbours
 * in memory and the reads are coalesced: this rung's problem is the layout, not the loop.
 *
 * Work: rows · columns products. Steps: as many as x has elements. Bytes: A once, if L1 holds.
 * A short y leaves most of the device idle, in all rungs so far. */
#include "gemv/problem.cuh"

namespace
{
namespace row_per_thread
{

template <typename T>
__global__ void __launch_bounds__(THREADS) multiply(problem<T> p)
{
    const size_t output = static_cast<size_t>(blockIdx.x) * THREADS + threadIdx.x;
    if (output >= p.outputs)
        return;
    T sum = 0;
    for (size_t i = 0; i < p.inner; i++)
        sum = add_product(sum, p.a.at(output, i), p.x[i]);
    p.scale.store(&p.y[output], sum);
}

struct lesson {
    template <typename T>
    static constexpr output_kernel<T> kernel = multiply<T>;
};

} // namespace row_per_thread
} // namespace

PRIM_DEFINE_RUNG(gemv, row_per_thread) =
    rung_of_outputs<PRIM_GEMV_ROW_PER_THREAD, row_per_thread::lesson>(
        "row_per_thread", "each thread walks along a row of op(A), wherever it lies");
