/* Kernels that the bench itself needs: inputs made on the device, the ceilings, a cold cache. */
#ifndef BENCH_DEVICE_TOOLS_H
#define BENCH_DEVICE_TOOLS_H

#include <cuda_runtime_api.h>
#include <library_types.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* What inputs look like. */
typedef enum bench_input {
    INPUT_UNIFORM, /* bytes over their range, wider integers within ±1000 or up to 2000, so that
                      sums say something; floats in [-1, 1) */
    INPUT_EQUAL,   /* all elements 1 */
    /* made by a pattern itself */
    INPUT_GAUSSIAN, /* histogram */
    INPUT_SORTED,   /* histogram and merge */
    INPUT_BANK,     /* histogram: bins that lie 32 apart, and so share a bank of shared memory */
    INPUT_REVERSED, /* merge */
    INPUT_FEW       /* merge: integers within ±1000 */
} bench_input;
enum { INPUTS = INPUT_FEW + 1 };

/* Fills count elements; the same bits for the same seed. cudaErrorInvalidValue: an unknown
 * type, or an input of one pattern alone. */
cudaError_t fill_on_device(cudaDataType_t type, void *d_data, size_t count, bench_input input,
                           unsigned seed, cudaStream_t stream);

/* Words over their whole range. */
cudaError_t fill_words_on_device(uint32_t *d_words, size_t count, unsigned seed,
                                 cudaStream_t stream);

/* Reads `bytes` (a multiple of 16) and keeps nothing: the read ceiling, and how L2 is flushed.
 * d_sink: 1 word that is practically never written. */
cudaError_t read_on_device(const void *d_data, size_t bytes, unsigned *d_sink, cudaStream_t stream);

/* Copies `bytes` (a multiple of 16) with one 16-byte load and store a thread: the copy ceiling. */
cudaError_t copy_on_device(const void *d_from, void *d_to, size_t bytes, cudaStream_t stream);

/* Multiplies and adds in f32 and does nothing else: the ceiling of products. A multiply-add is two
 * operations. */
cudaError_t ffma_on_device(unsigned multiprocessors, unsigned *d_sink, cudaStream_t stream);
double ffma_flops(unsigned multiprocessors);

/* *d_differ becomes 1 where a byte differs, and stays what it is otherwise. */
cudaError_t compare_on_device(const void *d_a, const void *d_b, size_t bytes, unsigned *d_differ,
                              cudaStream_t stream);

/* A kernel that does nothing: the floor of every call. */
cudaError_t empty_on_device(cudaStream_t stream);

#if defined(__cplusplus)
}
#endif

#endif
