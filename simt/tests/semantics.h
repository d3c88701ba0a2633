/* Small kernels whose results show what a CUDA machine does. Each fills h_out and returns the first
 * CUDA error. They run on the CPU backend and on a GPU, and must give the same there. */
#ifndef SIMT_TESTS_SEMANTICS_H
#define SIMT_TESTS_SEMANTICS_H

#include <cuda_runtime_api.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* One number a thread: its place in a 3-D grid of 3-D blocks, x fastest. */
cudaError_t run_indices(dim3 grid, dim3 block, int *h_out, unsigned count);

/* Threads from `live` on return at once; the others meet at barriers and rotate 0 … live-1 once. */
cudaError_t run_early_return(unsigned threads, unsigned live, int *h_out);

/* Lanes below 16 and the others shuffle in different branches, each within its own mask. */
cudaError_t run_divergent_shuffle(int *h_out);

typedef enum shuffle_kind { SHUFFLE_INDEX, SHUFFLE_UP, SHUFFLE_DOWN, SHUFFLE_XOR } shuffle_kind;

/* Lane l of `threads` lanes contributes 100 + l; h_out gets what each received. */
cudaError_t run_shuffle(shuffle_kind kind, int argument, int width, unsigned threads, int *h_out);

/* The same for double, with value 0.5 + l, one lane down. */
cudaError_t run_shuffle_double(double *h_out);

/* The ballot of (lane % 3 == 0) in a block of `threads`, for every thread. */
cudaError_t run_ballot(unsigned threads, unsigned *h_out);

/* Lanes from 16 on return; the others take a ballot with a full mask. */
cudaError_t run_ballot_after_exit(unsigned *h_out);

/* Each lane writes to shared memory, meets the warp, and reads its neighbour's word. */
cudaError_t run_syncwarp(unsigned threads, int *h_out);

/* Every thread of every block adds 1. */
cudaError_t run_atomic_add(unsigned blocks, unsigned threads, int *h_out);

/* Every thread brings one of the numbers from 5 on, times 2^32, to the least of h_ends[0] and the
 * greatest of h_ends[1], and as it is to the least of the unsigned number in h_ends[2]. */
cudaError_t run_atomic_ends(unsigned blocks, unsigned threads, unsigned long long *h_ends);

/* Each block takes a turn from a counter, waits for the sum that the block of the turn before
 * leaves, and adds its own turn to it; h_out gets the sums. The last warp waits, all its lanes. */
cudaError_t run_turns(unsigned blocks, unsigned threads, int *h_out);

/* An array of 16 × 17 in shared memory, written by rows and read by columns. */
cudaError_t run_shared_matrix(int *h_out);

/* `count` words of dynamic shared memory, turned round. */
cudaError_t run_dynamic_shared(unsigned count, int *h_out);

/* d_data[i] = d_data[i] * factor + addend in a stream, for captures. */
cudaError_t submit_scale(int *d_data, unsigned count, int factor, int addend, cudaStream_t stream);

/* Launches an empty kernel of this shape. */
cudaError_t submit_empty(dim3 grid, dim3 block, cudaStream_t stream);

#if defined(__cplusplus)
}
#endif

#endif
