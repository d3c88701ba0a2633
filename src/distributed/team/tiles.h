/* An array in parts, of which each tile is processed as a whole by the rank that owns it (cut.h):
 * messages between ranks for the tiles that cuts divide, and each tile's value to every rank.
 *
 *     parts      0 1 2 3 4 5 │ 6 7 │ 8 9 …      tiles of four: 4 5 6 7 is rank 0's
 *     gathered         4 5 ← 6 7                the elements, to the rank that owns the tile
 *     returned         a b → c d                their results, back to the ranks that hold them */
#ifndef PRIM_DISTRIBUTED_TILES_H
#define PRIM_DISTRIBUTED_TILES_H

#include "distributed/team/cut.h"
#include "distributed/team/team.h"

typedef struct prim_tiling {
    size_t tile; /* elements of one */
    size_t element_bytes;
} prim_tiling;

/* The tiles of all parts. */
size_t prim_tiles_of_all(const prim_team *team, size_t tile);

prim_cut prim_tiles_cut(const prim_team *team, const prim_member *member, size_t tile);

/* Whether the part ends within a tile of which other ranks have elements. */
static inline bool prim_tiles_divides_last(const prim_cut *cut)
{
    return cut->end < cut->last_end;
}

/* The rank that holds an element of the whole. */
size_t prim_tiles_holder(const prim_team *team, size_t element);

/* The offset in bytes of an element of the whole in its rank's part. */
static inline size_t prim_tiles_offset(const prim_member *member, prim_tiling tiling, size_t at)
{
    return (at - member->begin) * tiling.element_bytes;
}

/* ---- the tile that a part ends within: `divided` has room for one ---- */

/* Copies the rank's own elements of it. */
prim_status prim_tiles_begin_divided(const prim_team *team, const prim_member *member,
                                     prim_tiling tiling, const void *part, void *divided);

/* Receives those of other ranks, and sends those of an earlier rank's tile; a step `together`. */
prim_status prim_tiles_gather_divided(const prim_team *team, const prim_member *member,
                                      prim_tiling tiling, const void *part, void *divided);

/* The same in the other direction, for results. */
prim_status prim_tiles_keep_divided(const prim_team *team, const prim_member *member,
                                    prim_tiling tiling, const void *divided, void *part);
prim_status prim_tiles_return_divided(const prim_team *team, const prim_member *member,
                                      prim_tiling tiling, const void *divided, void *part);

/* ---- values of tiles, `value_bytes` each ---- */

/* Sends the rank's own, from their places in `values`, to all others; a step `together`. */
prim_status prim_tiles_share_values(const prim_team *team, const prim_member *member, size_t tile,
                                    void *values, size_t value_bytes);

#endif
