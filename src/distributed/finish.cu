#include "distributed/finish.h"

#include "common/kernel/launch.cuh"
#include "common/math/values.cuh"

namespace
{
namespace distributed
{

__global__ void pick(const char *in, size_t element_bytes, const uint64_t *local, size_t begin,
                     char *element, uint64_t *index)
{
    for (size_t i = 0; i < element_bytes; i++)
        element[i] = in[*local * element_bytes + i];
    *index = begin + *local;
}

__global__ void take(const uint64_t *indices, const uint64_t *at, uint64_t *index)
{
    *index = indices[*at];
}

/* A grid-stride loop. */
struct strided {
    size_t begin, step;
};

__device__ inline strided own_elements()
{
    return {static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x,
            static_cast<size_t>(gridDim.x) * blockDim.x};
}

template <typename Out>
__global__ void round_values(const float *values, Out *out, size_t count)
{
    const strided own = own_elements();
    for (size_t i = own.begin; i < count; i += own.step)
        out[i] = finished<Out>(values[i]);
}

template <typename T>
__global__ void add(T *to, const T *from, size_t count)
{
    const strided own = own_elements();
    for (size_t i = own.begin; i < count; i += own.step)
        to[i] += from[i];
}

launch_config strided_over(size_t count, cudaStream_t stream)
{
    constexpr unsigned THREADS = 256, MOST_BLOCKS = 1024;
    const size_t blocks = (count - 1) / THREADS + 1;
    return {stream, static_cast<unsigned>(blocks < MOST_BLOCKS ? blocks : MOST_BLOCKS), THREADS};
}

template <typename Out>
cudaError_t launch_round(const float *values, size_t count, void *out, cudaStream_t stream)
{
    return prim_launch(strided_over(count, stream), round_values<Out>, values,
                       static_cast<Out *>(out), count);
}

template <typename T>
cudaError_t launch_add(void *to, const void *from, size_t count, cudaStream_t stream)
{
    return prim_launch(strided_over(count, stream), add<T>, static_cast<T *>(to),
                       static_cast<const T *>(from), count);
}

} // namespace distributed
} // namespace

cudaError_t prim_distributed_pick(const void *in, size_t element_bytes, const uint64_t *local,
                                  size_t begin, void *element, uint64_t *index, cudaStream_t stream)
{
    return prim_launch({stream, 1, 1}, distributed::pick, static_cast<const char *>(in),
                       element_bytes, local, begin, static_cast<char *>(element), index);
}

cudaError_t prim_distributed_take(const uint64_t *indices, const uint64_t *at, uint64_t *index,
                                  cudaStream_t stream)
{
    return prim_launch({stream, 1, 1}, distributed::take, indices, at, index);
}

cudaError_t prim_distributed_round(const float *values, size_t count, cudaDataType_t out_type,
                                   void *out, cudaStream_t stream)
{
    return out_type == CUDA_R_16F ? distributed::launch_round<f16>(values, count, out, stream)
                                  : distributed::launch_round<bf16>(values, count, out, stream);
}

cudaError_t prim_distributed_add(cudaDataType_t type, void *to, const void *from, size_t count,
                                 cudaStream_t stream)
{
    return type == CUDA_R_32U ? distributed::launch_add<uint32_t>(to, from, count, stream)
                              : distributed::launch_add<uint64_t>(to, from, count, stream);
}
