#include "common/host/tensor_map.h"

#include <cuda_runtime.h>
#ifndef SIMT_BACKEND
#include <cstring>

#include <cuda.h> /* names alone: nothing links to the driver */
#endif

namespace
{

constexpr size_t ALIGNMENT = 16;
constexpr uint64_t MOST_DISTANCE = uint64_t(1) << 40;

bool is_distance(size_t bytes)
{
    return bytes % ALIGNMENT == 0 && bytes < MOST_DISTANCE;
}

} // namespace

bool prim_tensor_is_mapped(const prim_tensor *tensor)
{
    return reinterpret_cast<uintptr_t>(tensor->data) % ALIGNMENT == 0 &&
           is_distance(tensor->pitch) && is_distance(tensor->stride) &&
           tensor->columns < PRIM_TENSOR_MOST && tensor->rows < PRIM_TENSOR_MOST &&
           tensor->matrices < PRIM_TENSOR_MOST;
}

#ifdef SIMT_BACKEND

cudaError_t prim_make_tensor_map(prim_tensor_map *map, const prim_tensor *tensor)
{
    map->tensor = *tensor;
    return prim_tensor_is_mapped(tensor) ? cudaSuccess : cudaErrorInvalidValue;
}

#else

namespace
{

cudaError_t find_encode(decltype(&cuTensorMapEncodeTiled) *encode)
{
    void *found = nullptr;
    cudaDriverEntryPointQueryResult result;
    const cudaError_t error = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found,
                                                               12000, cudaEnableDefault, &result);
    if (error == cudaSuccess && result != cudaDriverEntryPointSuccess)
        return cudaErrorNotSupported;
    *encode = reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(found);
    return error;
}

} // namespace

cudaError_t prim_make_tensor_map(prim_tensor_map *map, const prim_tensor *tensor)
{
    decltype(&cuTensorMapEncodeTiled) encode = nullptr;
    const cudaError_t error = find_encode(&encode);
    if (error != cudaSuccess)
        return error;
    const cuuint64_t counts[] = {tensor->columns, tensor->rows, tensor->matrices};
    const cuuint64_t distances[] = {tensor->pitch, tensor->stride};
    const cuuint32_t box[] = {tensor->box_columns, tensor->box_rows, 1}, each[] = {1, 1, 1};
    CUtensorMap made;
    const CUresult result = encode(
        &made, CU_TENSOR_MAP_DATA_TYPE_UINT16, PRIM_TENSOR_RANK, const_cast<void *>(tensor->data),
        counts, distances, box, each, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
        CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    static_assert(sizeof made == sizeof *map, "the driver's map");
    memcpy(map, &made, sizeof *map);
    return result == CUDA_SUCCESS ? cudaSuccess : cudaErrorInvalidValue;
}

#endif
