/* Small kernels in clusters, and ones with much shared memory. Each fills h_out and returns the
 * first CUDA error. */
#ifndef SIMT_TESTS_CLUSTERS_H
#define SIMT_TESTS_CLUSTERS_H

#include <stdbool.h>

#include <cuda_runtime_api.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* Every thread gets the number of the cluster's first block, in the order of x, y and z, and a sum
 * over the shared memory of all its blocks, in which block b has put (b + 1) · (t + 1). */
cudaError_t run_cluster_sums(dim3 grid, dim3 cluster, unsigned threads, int *h_firsts, int *h_sums);

/* Values go round the blocks of one cluster: `rounds` times, each to the block of the next rank.
 * The upper half of the threads returns at once. */
cudaError_t run_cluster_ring(unsigned blocks, unsigned threads, unsigned rounds, int *h_out);

/* An empty launch with this cluster, and perhaps one that may be early. */
cudaError_t submit_with_attributes(dim3 grid, dim3 cluster, bool early, cudaStream_t stream);

/* `count` words of dynamic shared memory, turned round, after `allowed` bytes were allowed; 0: none
 * were. */
cudaError_t run_allowed_shared(size_t allowed, unsigned count, int *h_out);

#if defined(__cplusplus)
}
#endif

#endif
