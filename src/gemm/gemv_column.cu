/* COLUMN: neighbouring threads read neighbouring elements of A; gemv_coalesced.cuh draws it.
 *
 * Every sector of A that is read is used in full. x comes from global memory: all threads of a warp
 * read one element, and L1 has it.
 *
 * Work: rows · columns products. Steps: as many as x has elements. Bytes: A once.
 * What holds it back: two loads for each product; one load of A in flight a thread. */
#include "gemm/gemv_coalesced.cuh"

namespace
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
__global__ void __launch_bounds__(GEMV_THREADS) column(vector_problem<T> p)
{
    along_strips(p, global_x<T>{p.x});
}

struct column_rung : device_rung {
    template <typename T>
    static cudaError_t run(const vector_problem<T> &p, cudaStream_t stream)
    {
        return launch_outputs(stream, column<T>, p);
    }
};

} // namespace

cudaError_t prim_gemv_column(const void *any)
{
    const prim_gemv_args *args = static_cast<const prim_gemv_args *>(any);
    return for_gemv<column_rung>(args, args->call.stream);
}
