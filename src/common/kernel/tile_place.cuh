/* The place of a tile in a matrix, given its number. */
#ifndef PRIM_COMMON_TILE_PLACE_CUH
#define PRIM_COMMON_TILE_PLACE_CUH

#include <cuda_runtime.h>

namespace
{

struct tile_place {
    unsigned down, across;
};

/* A rasterization for L2: tiles that run at the same time are close together, in 8 rows. */
__device__ inline tile_place place_of(unsigned tile, unsigned tiles_m, unsigned tiles_n)
{
    constexpr unsigned HIGH = 8;
    const unsigned group = tile / (HIGH * tiles_n), within = tile % (HIGH * tiles_n);
    const unsigned left = tiles_m - group * HIGH, high = left < HIGH ? left : HIGH;
    return {group * HIGH + within % high, within / high};
}

} // namespace

#endif
