/* Sums and products of floats, whose bits depend on the order: that of reduce/order.h, which cuts a
 * line into tiles of 16 KB by position alone. Each rank reduces the tiles that begin in its part,
 * each of them as a row, which gives the tile's value. The values of all tiles are a line again:
 * every rank gets all of them, 1/4096 of the bytes (f64: 1/2048), and reduces that line in the same
 * order as all others. A line of one value keeps its bits when it is reduced again: sums start from
 * +0, so that none is -0, and products from 1. */
#include "common/element.h"
#include "distributed/cut.h"
#include "distributed/finish.h"
#include "distributed/reduction.h"
#include "reduce/order.h"

/* ---- sizes and places ---- */

static cudaDataType_t value_type(const prim_reduction *r)
{
    return prim_accumulator_type(r->out_type);
}

static size_t value_bytes(const prim_reduction *r)
{
    return prim_element_bytes(value_type(r));
}

static size_t tile_elements(const prim_reduction *r)
{
    return prim_reduce_tile_elements(prim_element_bytes(r->in_type));
}

static size_t all_tiles(const prim_team *team)
{
    return prim_divide_up(team->whole, tile_elements(team->args));
}

static prim_cut cut_of(const prim_team *team, const prim_member *member)
{
    return prim_cut_at(member->begin, member->count, team->whole, tile_elements(team->args));
}

/* A workspace: the values of all tiles, a tile that the cut divides, the result before it is
 * rounded, and what the reductions need. */
typedef struct places {
    char *values, *tile;
    void *result;
    char *inner;
} places;

static size_t bytes_before_inner(const prim_team *team)
{
    const prim_reduction *r = team->args;
    const size_t tile_bytes = tile_elements(r) * prim_element_bytes(r->in_type);
    return prim_team_padded(all_tiles(team) * value_bytes(r)) + prim_team_padded(tile_bytes) +
           prim_team_padded(value_bytes(r));
}

static places places_of(const prim_team *team, const prim_member *member)
{
    const prim_reduction *r = team->args;
    places p;
    p.values = member->call.workspace;
    p.inner = p.values + bytes_before_inner(team);
    p.result = p.inner - prim_team_padded(value_bytes(r));
    p.tile = p.values + prim_team_padded(all_tiles(team) * value_bytes(r));
    return p;
}

/* Of the reductions, which follow each other in a stream. */
static prim_status inner_bytes(const prim_team *team, size_t *bytes)
{
    const prim_reduction *r = team->args;
    size_t last = 0, rows = 0, tile = 0;
    prim_status status =
        prim_reduce_workspace_bytes(PRIM_REDUCE_AUTO, r->op, PRIM_TRANSFORM_NONE, value_type(r),
                                    all_tiles(team), value_type(r), &last);
    if (status == PRIM_OK)
        status = prim_reduce_rows_workspace_bytes(PRIM_REDUCE_AUTO, r->op, r->transform, r->in_type,
                                                  prim_team_largest_part(team) / tile_elements(r),
                                                  tile_elements(r), value_type(r), &rows);
    if (status == PRIM_OK)
        status = prim_reduce_workspace_bytes(PRIM_REDUCE_AUTO, r->op, r->transform, r->in_type,
                                             tile_elements(r), value_type(r), &tile);
    *bytes = last > rows ? last : rows;
    *bytes = *bytes > tile ? *bytes : tile;
    return status;
}

static prim_status needed(const prim_team *team, size_t *bytes)
{
    size_t inner;
    prim_status status = prim_reduction_check_kind(team);
    if (status == PRIM_OK)
        status = inner_bytes(team, &inner);
    if (status == PRIM_OK)
        *bytes = bytes_before_inner(team) + inner;
    return status;
}

/* ---- the tiles that cuts divide ---- */

/* The rank that holds an element of the whole array. */
static size_t holder_of(const prim_team *team, size_t element)
{
    size_t rank = 0, end = team->counts[0];
    while (end <= element)
        end += team->counts[++rank];
    return rank;
}

static const char *element_at(const prim_team *team, const prim_member *member, size_t at)
{
    const prim_reduction *r = team->args;
    return (const char *)member->rank->d_in + (at - member->begin) * prim_element_bytes(r->in_type);
}

/* The first elements of a part, where their tile begins earlier. */
static prim_status send_first(const prim_team *team, const prim_member *member, const prim_cut *cut)
{
    const prim_reduction *r = team->args;
    if (cut->first == cut->begin)
        return PRIM_OK;
    const size_t tile = tile_elements(r), owner = holder_of(team, cut->begin / tile * tile);
    return prim_team_nccl(
        member, "ncclSend",
        ncclSend(member->rank->d_in, (cut->first - cut->begin) * prim_element_bytes(r->in_type),
                 ncclUint8, (int)owner, member->rank->comm, member->rank->stream));
}

/* What the last tile of a part lacks, from one rank or several. */
static prim_status receive_rest(const prim_team *team, const prim_member *member,
                                const prim_cut *cut)
{
    const prim_reduction *r = team->args;
    const size_t bytes = prim_element_bytes(r->in_type);
    char *const tile = places_of(team, member).tile;
    prim_status status = PRIM_OK;
    size_t at = cut->end;
    for (size_t from = member->number + 1; at < cut->last_end && status == PRIM_OK; from++) {
        const size_t count = prim_cut_least(team->counts[from], cut->last_end - at);
        if (count > 0)
            status =
                prim_team_nccl(member, "ncclRecv",
                               ncclRecv(tile + (at - cut->last) * bytes, count * bytes, ncclUint8,
                                        (int)from, member->rank->comm, member->rank->stream));
        at += count;
    }
    return status;
}

/* The own elements of such a tile come first. */
static prim_status begin_last_tile(const prim_team *team, const prim_member *member)
{
    const prim_reduction *r = team->args;
    const prim_cut cut = cut_of(team, member);
    if (cut.end == cut.last_end)
        return PRIM_OK;
    return prim_team_cuda(member, "the elements of a tile were not copied",
                          cudaMemcpyAsync(places_of(team, member).tile,
                                          element_at(team, member, cut.last),
                                          (cut.end - cut.last) * prim_element_bytes(r->in_type),
                                          cudaMemcpyDefault, member->rank->stream));
}

static prim_status exchange(const prim_team *team, const prim_member *member)
{
    const prim_cut cut = cut_of(team, member);
    const prim_status status = send_first(team, member, &cut);
    return status == PRIM_OK ? receive_rest(team, member, &cut) : status;
}

/* ---- the values of the tiles ---- */

static prim_status reduce_whole_tiles(const prim_team *team, const prim_member *member,
                                      const prim_cut *cut, const places *p, size_t inner)
{
    const prim_reduction *r = team->args;
    const size_t tile = tile_elements(r);
    return prim_reduce_rows(PRIM_REDUCE_AUTO, r->op, r->transform, r->in_type,
                            element_at(team, member, cut->first), cut->whole_tiles, tile, tile,
                            value_type(r), p->values + cut->first_tile * value_bytes(r),
                            prim_team_inner(p->inner, inner), inner, member->rank->stream);
}

static prim_status reduce_last_tile(const prim_team *team, const prim_member *member,
                                    const prim_cut *cut, const places *p, size_t inner)
{
    const prim_reduction *r = team->args;
    const void *const from =
        cut->end == cut->last_end ? (const void *)element_at(team, member, cut->last) : p->tile;
    return prim_reduce(PRIM_REDUCE_AUTO, r->op, r->transform, r->in_type, from,
                       cut->last_end - cut->last, value_type(r),
                       p->values + (cut->first_tile + cut->whole_tiles) * value_bytes(r),
                       prim_team_inner(p->inner, inner), inner, member->rank->stream);
}

static prim_status reduce_tiles(const prim_team *team, const prim_member *member)
{
    const prim_cut cut = cut_of(team, member);
    const places p = places_of(team, member);
    size_t inner;
    prim_status status = inner_bytes(team, &inner);
    if (status == PRIM_OK && cut.whole_tiles > 0)
        status = reduce_whole_tiles(team, member, &cut, &p, inner);
    if (status == PRIM_OK && cut.tiles > cut.whole_tiles)
        status = reduce_last_tile(team, member, &cut, &p, inner);
    return status;
}

/* Each rank's values go to all others. */
static prim_status share_values(const prim_team *team, const prim_member *member)
{
    const prim_reduction *r = team->args;
    char *const values = places_of(team, member).values;
    prim_status status = PRIM_OK;
    size_t begin = 0;
    for (size_t from = 0; from < team->total && status == PRIM_OK; from++) {
        const prim_cut cut = prim_cut_at(begin, team->counts[from], team->whole, tile_elements(r));
        char *const at = values + cut.first_tile * value_bytes(r);
        if (cut.tiles > 0)
            status =
                prim_team_nccl(member, "ncclBroadcast",
                               ncclBroadcast(at, at, cut.tiles * value_bytes(r), ncclUint8,
                                             (int)from, member->rank->comm, member->rank->stream));
        begin = cut.end;
    }
    return status;
}

/* ---- the result ---- */

static prim_status reduce_values(const prim_team *team, const prim_member *member)
{
    const prim_reduction *r = team->args;
    const places p = places_of(team, member);
    const bool rounds = r->out_type != value_type(r);
    size_t inner;
    prim_status status = inner_bytes(team, &inner);
    if (status == PRIM_OK)
        status =
            prim_reduce(PRIM_REDUCE_AUTO, r->op, PRIM_TRANSFORM_NONE, value_type(r), p.values,
                        all_tiles(team), value_type(r), rounds ? p.result : member->rank->d_out,
                        prim_team_inner(p.inner, inner), inner, member->rank->stream);
    if (status != PRIM_OK || !rounds)
        return status;
    return prim_team_cuda(
        member, "the result was not rounded",
        prim_distributed_round(p.result, r->out_type, member->rank->d_out, member->rank->stream));
}

const prim_team_steps prim_ordered_steps = {
    .check = prim_reduction_check,
    .needed = needed,
    .steps = {{begin_last_tile, false},
              {exchange, true},
              {reduce_tiles, false},
              {share_values, true},
              {reduce_values, false}},
};
