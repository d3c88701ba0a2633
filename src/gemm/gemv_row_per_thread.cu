/* ROW_PER_THREAD: each thread walks along a row of op(A), wherever it lies.
 *
 *     thread 0   →→→→→→→→   row 0 · x        in one step the threads of a warp read 32 elements
 *     thread 1   →→→→→→→→   row 1 · x        that lie lda apart: 32 sectors of 32 bytes, of
 *     thread 2   →→→→→→→→   row 2 · x        which each brings 4 that are asked for
 *
 * The next steps find the rest of those sectors in L1, if it still holds them: a warp alone needs
 * 1 KB for them and a multiprocessor has up to 64 warps. Transposed, neighbours in y are neighbours
 * in memory and the reads are whole: this rung's trouble is the layout, not the loop.
 *
 * Work: rows · columns products. Steps: as many as x has elements. Bytes: A once, if L1 holds.
 * A short y leaves most of the device idle, in all rungs so far. */
#include "gemm/gemv_problem.cuh"

namespace
{

template <typename T>
__global__ void __launch_bounds__(PRIM_GEMV_THREADS) row_per_thread(vector_problem<T> p)
{
    const size_t output = static_cast<size_t>(blockIdx.x) * PRIM_GEMV_THREADS + threadIdx.x;
    if (output >= p.outputs)
        return;
    T sum = 0;
    for (size_t i = 0; i < p.inner; i++)
        sum = p.product.add_product(sum, p.a.at(output, i), p.x[i]);
    p.product.store(&p.y[output], sum);
}

struct row_per_thread_rung : device_rung {
    template <typename T>
    static cudaError_t run(const vector_problem<T> &p, cudaStream_t stream)
    {
        return launch_outputs(stream, row_per_thread<T>, p);
    }
};

} // namespace

cudaError_t prim_gemv_row_per_thread(const void *any)
{
    const prim_gemv_args *args = static_cast<const prim_gemv_args *>(any);
    return for_gemv<row_per_thread_rung>(args, args->call.stream);
}
