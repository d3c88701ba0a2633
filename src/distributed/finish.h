/* The small kernels that calls on many devices need; all run on the current device. */
#ifndef PRIM_DISTRIBUTED_FINISH_H
#define PRIM_DISTRIBUTED_FINISH_H

#include <stddef.h>
#include <stdint.h>

#include <cuda_runtime_api.h>
#include <library_types.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* A candidate: element *local of the part, and its index in the whole array. */
cudaError_t prim_distributed_pick(const void *in, size_t element_bytes, const uint64_t *local,
                                  size_t begin, void *element, uint64_t *index,
                                  cudaStream_t stream);

/* *index = indices[*at] */
cudaError_t prim_distributed_take(const uint64_t *indices, const uint64_t *at, uint64_t *index,
                                  cudaStream_t stream);

/* Rounds f32 to the f16 or bf16 of the results. */
cudaError_t prim_distributed_round(const float *values, size_t count, cudaDataType_t out_type,
                                   void *out, cudaStream_t stream);

/* to[i] += from[i], of u32 or u64. */
cudaError_t prim_distributed_add(cudaDataType_t type, void *to, const void *from, size_t count,
                                 cudaStream_t stream);

#if defined(__cplusplus)
}
#endif

#endif
