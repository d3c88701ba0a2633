/* A value that says where its key stood: what a permutation is made of. */
#ifndef PRIM_COMMON_PLACE_VALUE_CUH
#define PRIM_COMMON_PLACE_VALUE_CUH

#include <cstddef>
#include <cstdint>

#include <cuda_runtime.h>

namespace
{

template <typename Value>
__device__ Value place_as_value(size_t place)
{
    if constexpr (sizeof(Value) <= sizeof(uint64_t))
        return static_cast<Value>(place);
    else
        return Value{}; /* is in no call */
}

} // namespace

#endif
