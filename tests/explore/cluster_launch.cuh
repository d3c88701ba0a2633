/* How litmus tests of clusters are launched: two blocks of two threads, which are one cluster. */
#ifndef PRIM_TESTS_CLUSTER_LAUNCH_CUH
#define PRIM_TESTS_CLUSTER_LAUNCH_CUH

#include "common/kernel/launch.cuh"

namespace
{

template <void (*KERNEL)(unsigned *, unsigned *)>
cudaError_t launch_cluster(unsigned *d_words, unsigned *d_results)
{
    launch_config where = {nullptr, 2, 2};
    where.cluster = 2;
    return prim_launch(where, KERNEL, d_words, d_results);
}

} // namespace

#endif
