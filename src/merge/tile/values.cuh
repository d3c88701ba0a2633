/* Values that move with their keys. They are only copied, from their old place to their key's new
 * one, so only their size matters, which is a run-time value in kernels. */
#ifndef PRIM_MERGE_VALUES_CUH
#define PRIM_MERGE_VALUES_CUH

#include <cstddef>
#include <cstdint>

#include "common/kernel/unroll.cuh"
#include "common/sort/place_value.cuh"
#include "merge/merge_args.h"

namespace
{

struct alignas(16) value_of_16_bytes {
    uint64_t words[2];
};

/* what(T()) with the T that has that many bytes. */
template <typename What>
__device__ void with_value_type(unsigned value_bytes, const What &what)
{
    if (value_bytes == 4)
        what(uint32_t());
    else if (value_bytes == 8)
        what(uint64_t());
    else
        what(value_of_16_bytes());
}

} // namespace

#endif
