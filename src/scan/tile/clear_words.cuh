/* The launch before LOOKBACK and CHAINED: it clears their words. */
#ifndef PRIM_SCAN_CLEAR_WORDS_CUH
#define PRIM_SCAN_CLEAR_WORDS_CUH

#include "common/host/sizes.h"
#include "common/kernel/launch.cuh"
#include "scan/tile/published.cuh"

namespace
{

/* A workspace is not cleared, so its words are. The initial value is copied, since the total may be
 * written to its place before all blocks have read it. */
__global__ void clear(uint64_t *words, size_t count, const unsigned char *initial, unsigned bytes)
{
    const size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    trigger_launch_completion();
    grid_dependency_synchronize();
    uint64_t word = 0;
    if (i == INITIAL_WORD && initial != nullptr)
        for (unsigned b = 0; b < bytes; b++)
            word |= static_cast<uint64_t>(initial[b]) << 8 * b;
    if (i < count)
        words[i] = word;
}

/* The first `bytes` of the workspace. */
inline cudaError_t clear_words(const prim_scan_args *args, size_t bytes)
{
    constexpr unsigned THREADS = 256;
    const size_t count = bytes / sizeof(uint64_t);
    return prim_launch_dependent(
        {args->call.stream, static_cast<unsigned>(prim_divide_up(count, THREADS)), THREADS}, clear,
        static_cast<uint64_t *>(args->call.workspace), count,
        static_cast<const unsigned char *>(args->d_initial),
        static_cast<unsigned>(prim_element_bytes(args->out_type)));
}

} // namespace

#endif
