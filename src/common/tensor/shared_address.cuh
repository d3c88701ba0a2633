/* Addresses in the window of shared memory, 32 bits wide, as instructions and descriptors want
 * them. */
#ifndef PRIM_COMMON_SHARED_ADDRESS_CUH
#define PRIM_COMMON_SHARED_ADDRESS_CUH

#include <cstdint>

#include <cuda_runtime.h>

namespace
{

__device__ inline uint32_t shared_address(const void *shared)
{
#ifdef SIMT_BACKEND
    return simt_shared_address(shared);
#else
    return static_cast<uint32_t>(__cvta_generic_to_shared(shared));
#endif
}

} // namespace

#endif
