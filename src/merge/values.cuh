/* Values that follow their keys. They are never looked at: they go straight from where they were
 * to where their key has gone, and so only their size matters, which kernels take at run time. */
#ifndef PRIM_MERGE_VALUES_CUH
#define PRIM_MERGE_VALUES_CUH

#include <cstddef>
#include <cstdint>

#include "common/unroll.cuh"
#include "merge/merge_args.h"

namespace
{

struct alignas(16) value_of_16_bytes {
    uint64_t words[2];
};

/* what(T()) with the T that has so many bytes. */
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
