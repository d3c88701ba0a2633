/* Offsets and row indices in conversions and in the check. Kernels branch on 32 or 64 bits at run
 * time, and are not instantiated for both. */
#ifndef PRIM_SPARSE_OFFSETS_CUH
#define PRIM_SPARSE_OFFSETS_CUH

#include <cstdint>

#include "common/block/warp.cuh"
#include "sparse/sparse_args.h"

namespace
{

/* Offsets of CSR's rows or SELL's slices. */
struct offsets_view {
    const void *data;
    bool wide;

    /* A negative one becomes larger than any number of entries. */
    __device__ uint64_t at(size_t i) const
    {
        return wide ? static_cast<uint64_t>(static_cast<const int64_t *>(data)[i])
                    : static_cast<uint64_t>(static_cast<const int32_t *>(data)[i]);
    }
};

inline offsets_view offsets_of(const prim_sparse *m)
{
    return {m->format == PRIM_SPARSE_SELL ? m->slice_offsets : m->row_offsets,
            m->offset_type == CUDA_R_64I};
}

/* The same, to be written. */
struct new_offsets {
    void *data;
    bool wide;

    __device__ void put(size_t i, uint64_t offset) const
    {
        if (wide)
            static_cast<int64_t *>(data)[i] = static_cast<int64_t>(offset);
        else
            static_cast<int32_t *>(data)[i] = static_cast<int32_t>(offset);
    }
};

/* Those of the target, whose arrays are const only in the public struct. */
inline new_offsets new_offsets_of(const prim_sparse *m)
{
    const offsets_view offsets = offsets_of(m);
    return {const_cast<void *>(offsets.data), offsets.wide};
}

/* The last of `count` ascending offsets, at least 1, that is not greater than `entry`; the first
 * one is not. */
__device__ inline size_t last_offset_up_to(const offsets_view &offsets, size_t first, size_t count,
                                           uint64_t entry)
{
    while (count > 1) {
        const size_t half = count / 2;
        if (offsets.at(first + half) <= entry) {
            first += half;
            count -= half;
        } else {
            count = half;
        }
    }
    return first;
}

/* The same by a whole warp, which looks at 32 offsets at a time: few loads wait for each other. */
__device__ inline size_t last_offset_up_to_by_warp(const offsets_view &offsets, size_t first,
                                                   size_t count, uint64_t entry)
{
    const unsigned lane = threadIdx.x % WARP;
    while (count > 1) {
        const size_t step = (count + WARP - 1) / WARP, mine = lane * step;
        const bool is_up_to = mine < count && offsets.at(first + mine) <= entry;
        const size_t skipped = (count_bits(__ballot_sync(ALL_LANES, is_up_to)) - 1) * step;
        first += skipped;
        count = count - skipped < step ? count - skipped : step;
    }
    return first;
}

/* The first of ascending row numbers that is not less. */
__device__ inline size_t first_entry_of(const int32_t *row_indices, size_t entries, size_t row)
{
    size_t first = 0;
    while (entries > 0) {
        const size_t half = entries / 2;
        if (static_cast<size_t>(row_indices[first + half]) < row) {
            first += half + 1;
            entries -= half + 1;
        } else {
            entries = half;
        }
    }
    return first;
}

} // namespace

#endif
