/* The scan of nothing, in all variants: the total, where one is wanted, is the initial value. There
 * is so little to do that types are no template arguments: only their bytes count. */
#include <cstring>

#include "common/kernel/launch.cuh"
#include "common/math/half.cuh"
#include "scan/tile/tiles.h"

namespace
{
namespace empty
{

__global__ void store_initial(unsigned char *total, uint64_t initial,
                              const unsigned char *d_initial, unsigned bytes)
{
    trigger_launch_completion();
    grid_dependency_synchronize();
    for (unsigned b = 0; b < bytes; b++)
        total[b] =
            d_initial != nullptr ? d_initial[b] : static_cast<unsigned char>(initial >> 8 * b);
}

uint64_t one_of(cudaDataType_t type)
{
    switch (type) {
    case CUDA_R_16F:
        return 0x3c00;
    case CUDA_R_16BF:
        return 0x3f80;
    case CUDA_R_32F:
        return same_bits<uint32_t>(1.0f);
    case CUDA_R_64F:
        return same_bits<uint64_t>(1.0);
    default:
        return 1;
    }
}

uint64_t infinity_of(cudaDataType_t type)
{
    return type == CUDA_R_16F    ? 0x7c00
           : type == CUDA_R_16BF ? 0x7f80
           : type == CUDA_R_32F  ? 0x7f800000
                                 : static_cast<uint64_t>(0x7ff) << 52;
}

/* The minimum of nothing is the highest value, the maximum the lowest. */
uint64_t extreme_of(prim_op op, cudaDataType_t type)
{
    const uint64_t sign = static_cast<uint64_t>(1) << (8 * prim_element_bytes(type) - 1);
    const bool is_unsigned =
        type == CUDA_R_8U || type == CUDA_R_16U || type == CUDA_R_32U || type == CUDA_R_64U;
    if (prim_element_is_float(type))
        return op == PRIM_OP_MIN ? infinity_of(type) : infinity_of(type) | sign;
    if (is_unsigned)
        return op == PRIM_OP_MIN ? ~static_cast<uint64_t>(0) : 0;
    return op == PRIM_OP_MIN ? sign - 1 : sign;
}

uint64_t initial_bytes(const prim_scan_args *args)
{
    uint64_t bytes = 0;
    if (args->initial != nullptr)
        std::memcpy(&bytes, args->initial, prim_element_bytes(args->out_type));
    else if (args->op == PRIM_OP_PRODUCT)
        bytes = one_of(args->out_type);
    else if (args->op != PRIM_OP_SUM)
        bytes = extreme_of(args->op, args->out_type);
    return bytes;
}

} // namespace empty
} // namespace

cudaError_t prim_scan_launch_empty(const prim_scan_args *args)
{
    if (args->total == nullptr)
        return cudaSuccess;
    return prim_launch_dependent(
        {args->call.stream, 1, 1}, empty::store_initial, static_cast<unsigned char *>(args->total),
        empty::initial_bytes(args), static_cast<const unsigned char *>(args->d_initial),
        static_cast<unsigned>(prim_element_bytes(args->out_type)));
}
