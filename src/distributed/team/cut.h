/* Where the parts of a whole array cut the tiles of reduce/order.h. A tile belongs to the rank that
 * has its first element:
 *
 *     tiles   |     0     |     1     |     2     |  3  |
 *     ranks   |    0    |  1  | 2 |        3            |
 *     owners       0          1            3         3
 *
 * Here rank 1 sends its first elements to rank 0. Rank 2 sends all its elements to rank 1, and rank
 * 3 sends its first ones there. */
#ifndef PRIM_DISTRIBUTED_CUT_H
#define PRIM_DISTRIBUTED_CUT_H

#include "common/host/sizes.h"

/* One rank's elements, [begin, end) of the whole array: [begin, first) belong to a tile of an
 * earlier rank, then come `whole_tiles` whole ones, and from `last` on one that may need the
 * elements [end, last_end) of later ranks. */
typedef struct prim_cut {
    size_t begin, first, last, end, last_end;
    size_t first_tile, whole_tiles, tiles; /* tiles: with the last one, if there is any of it */
} prim_cut;

static inline size_t prim_cut_least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static inline prim_cut prim_cut_at(size_t begin, size_t count, size_t whole, size_t tile)
{
    prim_cut cut = {.begin = begin, .end = begin + count};
    cut.first_tile = prim_divide_up(begin, tile);
    cut.first = cut.first_tile * tile;
    if (cut.first >= cut.end) { /* no tile begins here */
        cut.first = cut.last = cut.last_end = cut.end;
        return cut;
    }
    cut.whole_tiles = (cut.end - cut.first) / tile;
    cut.last = cut.first + cut.whole_tiles * tile;
    cut.tiles = cut.whole_tiles + (cut.last < cut.end);
    cut.last_end = cut.last < cut.end ? prim_cut_least(whole - cut.last, tile) + cut.last : cut.end;
    return cut;
}

#endif
