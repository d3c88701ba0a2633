/* Sums and products of floats, whose bits depend on the order: that of reduce/order.h, which cuts a
 * line into tiles of 16 KB by position alone. Each rank reduces the tiles that begin in its part,
 * which leaves a value for each. The values of all tiles are a line again: every rank gets all of
 * them, 1/4096 of the bytes (f64: 1/2048), and reduces that line in the same order as all others. A
 * line of one value keeps its bits when it is reduced again: sums start from +0, so that none is
 * -0, and products from 1. */
#include "common/element.h"
#include "distributed/cut.h"
#include "distributed/finish.h"
#include "distributed/reduction.h"
#include "reduce/order.h"
#include "reduce/vectorized.h"

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

/* Of the last reduction. */
static prim_status inner_bytes(const prim_team *team, size_t *bytes)
{
    const prim_reduction *r = team->args;
    return prim_reduce_workspace_bytes(PRIM_REDUCE_AUTO, r->op, PRIM_TRANSFORM_NONE, value_type(r),
                                       all_tiles(team), value_type(r), bytes);
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

static prim_status reduce_to_values(const prim_team *team, const prim_member *member,
                                    const void *elements, size_t count, void *values)
{
    const prim_reduction *r = team->args;
    const prim_reduce_args args = {.call = member->call,
                                   .kind = PRIM_REDUCE_VECTOR,
                                   .op = r->op,
                                   .transform = r->transform,
                                   .in_type = r->in_type,
                                   .out_type = value_type(r),
                                   .in = elements,
                                   .rows = 1,
                                   .columns = count,
                                   .ld = count,
                                   .out = values};
    return count == 0 ? PRIM_OK
                      : prim_team_cuda(member, "the tiles were not reduced",
                                       prim_reduce_tile_values(&args));
}

/* One pass over the part, as of one GPU; a tile that the cut divides lies elsewhere. */
static prim_status reduce_tiles(const prim_team *team, const prim_member *member)
{
    const prim_cut cut = cut_of(team, member);
    const places p = places_of(team, member);
    const size_t bytes = value_bytes(team->args);
    const bool is_divided = cut.end < cut.last_end;
    char *const values = p.values + cut.first_tile * bytes;
    const prim_status status =
        reduce_to_values(team, member, element_at(team, member, cut.first),
                         (is_divided ? cut.last : cut.end) - cut.first, values);
    return status == PRIM_OK && is_divided
               ? reduce_to_values(team, member, p.tile, cut.last_end - cut.last,
                                  values + cut.whole_tiles * bytes)
               : status;
}

/* From each rank its values: from element `begin` of the whole on it has these tiles. */
static prim_cut cut_at(const prim_team *team, size_t rank, size_t begin)
{
    return prim_cut_at(begin, team->counts[rank], team->whole, tile_elements(team->args));
}

/* Do all ranks have so many tiles? */
static bool all_have(const prim_team *team, size_t tiles)
{
    size_t begin = 0;
    bool all = true;
    for (size_t from = 0; from < team->total && all; from++) {
        const prim_cut cut = cut_at(team, from, begin);
        all = cut.tiles == tiles;
        begin = cut.end;
    }
    return all;
}

static prim_status share_one_by_one(const prim_team *team, const prim_member *member, char *values)
{
    const size_t bytes = value_bytes(team->args);
    prim_status status = PRIM_OK;
    size_t begin = 0;
    for (size_t from = 0; from < team->total && status == PRIM_OK; from++) {
        const prim_cut cut = cut_at(team, from, begin);
        char *const at = values + cut.first_tile * bytes;
        if (cut.tiles > 0)
            status = prim_team_nccl(member, "ncclBroadcast",
                                    ncclBroadcast(at, at, cut.tiles * bytes, ncclUint8, (int)from,
                                                  member->rank->comm, member->rank->stream));
        begin = cut.end;
    }
    return status;
}

/* Each rank's values go to all others; of equal shares NCCL makes one operation. */
static prim_status share_values(const prim_team *team, const prim_member *member)
{
    const prim_cut cut = cut_of(team, member);
    char *const values = places_of(team, member).values;
    if (!all_have(team, cut.tiles))
        return share_one_by_one(team, member, values);
    const size_t bytes = cut.tiles * value_bytes(team->args);
    return prim_team_nccl(member, "ncclAllGather",
                          ncclAllGather(values + member->number * bytes, values, bytes, ncclUint8,
                                        member->rank->comm, member->rank->stream));
}

/* ---- the result ---- */

static prim_status reduce_all_values(const prim_team *team, const prim_member *member)
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
              {reduce_all_values, false}},
};
