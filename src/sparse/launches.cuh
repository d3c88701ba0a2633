/* Launches of one call, one after the other. */
#ifndef PRIM_SPARSE_LAUNCHES_CUH
#define PRIM_SPARSE_LAUNCHES_CUH

#include "common/kernel/launch.cuh"
#include "sparse/problem.cuh"

namespace
{

struct launches {
    cudaStream_t stream;
    cudaError_t error = cudaSuccess;

    /* A thread for each of `count`; no launch for 0, and none after one that failed. */
    template <typename... Parameters, typename... Arguments>
    void then(size_t count, void (*kernel)(Parameters...), Arguments... arguments)
    {
        if (error == cudaSuccess && count > 0)
            error =
                prim_launch({stream, blocks_for(count, THREADS), THREADS}, kernel, arguments...);
    }
    /* The same for a kernel that calls grid_dependency_synchronize() first. */
    template <typename... Parameters, typename... Arguments>
    void then_dependent(size_t count, void (*kernel)(Parameters...), Arguments... arguments)
    {
        if (error == cudaSuccess && count > 0)
            error = prim_launch_dependent({stream, blocks_for(count, THREADS), THREADS}, kernel,
                                          arguments...);
    }
    /* Launches of another file's: function(stream, arguments…). */
    template <typename... Parameters, typename... Arguments>
    void then_call(cudaError_t (*function)(cudaStream_t, Parameters...), Arguments... arguments)
    {
        if (error == cudaSuccess)
            error = function(stream, arguments...);
    }
    /* One thread. */
    template <typename... Parameters, typename... Arguments>
    void then_once(void (*kernel)(Parameters...), Arguments... arguments)
    {
        if (error == cudaSuccess)
            error = prim_launch({stream, 1, 1}, kernel, arguments...);
    }
};

} // namespace

#endif
