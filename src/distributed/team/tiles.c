#include "distributed/team/tiles.h"

size_t prim_tiles_of_all(const prim_team *team, size_t tile)
{
    return prim_divide_up(team->whole, tile);
}

prim_cut prim_tiles_cut(const prim_team *team, const prim_member *member, size_t tile)
{
    return prim_cut_at(member->begin, member->count, team->whole, tile);
}

size_t prim_tiles_holder(const prim_team *team, size_t element)
{
    size_t rank = 0, end = team->counts[0];
    while (end <= element)
        end += team->counts[++rank];
    return rank;
}

static prim_status copy(const prim_member *member, void *to, const void *from, size_t bytes)
{
    return prim_team_cuda(
        member, "the elements of a tile could not be copied",
        cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, member->call.stream));
}

/* ---- the tile that a part ends within ---- */

/* One other rank's elements of that tile. */
typedef struct piece {
    size_t rank, begin, end; /* in the whole */
} piece;

static piece first_piece(const prim_member *member, const prim_cut *cut)
{
    return (piece){member->number, cut->end, cut->end};
}

/* false: there is none left. */
static bool next_piece(const prim_team *team, const prim_cut *cut, piece *p)
{
    if (p->end >= cut->last_end)
        return false;
    do
        p->rank++;
    while (team->counts[p->rank] == 0);
    p->begin = p->end;
    p->end += prim_cut_least(team->counts[p->rank], cut->last_end - p->begin);
    return true;
}

/* The bytes at the start of a part that belong to a tile which begins before the part. */
static size_t first_bytes(const prim_cut *cut, prim_tiling tiling)
{
    return (cut->first - cut->begin) * tiling.element_bytes;
}

static size_t owner_of_first(const prim_team *team, const prim_cut *cut, size_t tile)
{
    return prim_tiles_holder(team, cut->begin / tile * tile);
}

prim_status prim_tiles_begin_divided(const prim_team *team, const prim_member *member,
                                     prim_tiling tiling, const void *part, void *divided)
{
    const prim_cut cut = prim_tiles_cut(team, member, tiling.tile);
    if (!prim_tiles_divides_last(&cut))
        return PRIM_OK;
    return copy(member, divided, (const char *)part + prim_tiles_offset(member, tiling, cut.last),
                (cut.end - cut.last) * tiling.element_bytes);
}

prim_status prim_tiles_gather_divided(const prim_team *team, const prim_member *member,
                                      prim_tiling tiling, const void *part, void *divided)
{
    const prim_cut cut = prim_tiles_cut(team, member, tiling.tile);
    const size_t bytes = tiling.element_bytes;
    prim_status status = PRIM_OK;
    piece p = first_piece(member, &cut);
    if (cut.begin < cut.first)
        status = prim_team_send(member, part, first_bytes(&cut, tiling),
                                owner_of_first(team, &cut, tiling.tile));
    while (status == PRIM_OK && next_piece(team, &cut, &p))
        status = prim_team_receive(member, (char *)divided + (p.begin - cut.last) * bytes,
                                   (p.end - p.begin) * bytes, p.rank);
    return status;
}

prim_status prim_tiles_keep_divided(const prim_team *team, const prim_member *member,
                                    prim_tiling tiling, const void *divided, void *part)
{
    const prim_cut cut = prim_tiles_cut(team, member, tiling.tile);
    if (!prim_tiles_divides_last(&cut))
        return PRIM_OK;
    return copy(member, (char *)part + prim_tiles_offset(member, tiling, cut.last), divided,
                (cut.end - cut.last) * tiling.element_bytes);
}

prim_status prim_tiles_return_divided(const prim_team *team, const prim_member *member,
                                      prim_tiling tiling, const void *divided, void *part)
{
    const prim_cut cut = prim_tiles_cut(team, member, tiling.tile);
    const size_t bytes = tiling.element_bytes;
    prim_status status = PRIM_OK;
    piece p = first_piece(member, &cut);
    if (cut.begin < cut.first)
        status = prim_team_receive(member, part, first_bytes(&cut, tiling),
                                   owner_of_first(team, &cut, tiling.tile));
    while (status == PRIM_OK && next_piece(team, &cut, &p))
        status = prim_team_send(member, (const char *)divided + (p.begin - cut.last) * bytes,
                                (p.end - p.begin) * bytes, p.rank);
    return status;
}

/* ---- values of tiles ---- */

/* Whether all ranks have `tiles` tiles. */
static bool all_have(const prim_team *team, size_t tile, size_t tiles)
{
    size_t begin = 0;
    bool all = true;
    for (size_t from = 0; from < team->total && all; from++) {
        const prim_cut cut = prim_cut_at(begin, team->counts[from], team->whole, tile);
        all = cut.tiles == tiles;
        begin = cut.end;
    }
    return all;
}

static prim_status share_one_by_one(const prim_team *team, const prim_member *member, size_t tile,
                                    char *values, size_t value_bytes)
{
    prim_status status = PRIM_OK;
    size_t begin = 0;
    for (size_t from = 0; from < team->total && status == PRIM_OK; from++) {
        const prim_cut cut = prim_cut_at(begin, team->counts[from], team->whole, tile);
        char *const at = values + cut.first_tile * value_bytes;
        if (cut.tiles > 0)
            status = prim_team_broadcast(member, at, cut.tiles * value_bytes, from);
        begin = cut.end;
    }
    return status;
}

/* With equal numbers of tiles one operation of NCCL is enough. */
prim_status prim_tiles_share_values(const prim_team *team, const prim_member *member, size_t tile,
                                    void *values, size_t value_bytes)
{
    const prim_cut cut = prim_tiles_cut(team, member, tile);
    const size_t bytes = cut.tiles * value_bytes;
    if (!all_have(team, tile, cut.tiles))
        return share_one_by_one(team, member, tile, values, value_bytes);
    return prim_team_nccl(member, "ncclAllGather",
                          ncclAllGather((char *)values + member->number * bytes, values, bytes,
                                        ncclUint8, member->rank->comm, member->call.stream));
}
