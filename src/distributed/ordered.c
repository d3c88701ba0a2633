/* Sums and products of floats, whose bits depend on the order. The order is that of reduce/order.h,
 * which cuts a line into tiles of 16 KB by position alone. Each rank reduces the tiles that begin
 * in its part, which leaves a value for each. The values of all tiles form a line: every rank gets
 * all of them, 1/4096 of the bytes (f64: 1/2048), and reduces that line in the same order as all
 * others. A line of one value keeps its bits when it is reduced again: sums start from +0, so that
 * none is -0, and products from 1. */
#include "common/host/element.h"
#include "distributed/finish.h"
#include "distributed/reduction.h"
#include "distributed/team/tiles.h"
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

static prim_tiling tiling_of(const prim_reduction *r)
{
    return (prim_tiling){tile_elements(r), prim_element_bytes(r->in_type)};
}

static size_t all_tiles(const prim_team *team)
{
    return prim_tiles_of_all(team, tile_elements(team->args));
}

/* A workspace: the values of all tiles; a tile that the cut divides, and for a dot product one of
 * the other array; the result before it is rounded; and the workspace of the reductions. */
typedef struct places {
    char *values, *tile, *tile_y;
    void *result;
    char *inner;
} places;

static size_t tile_bytes(const prim_reduction *r)
{
    return prim_team_padded(tile_elements(r) * prim_element_bytes(r->in_type));
}

static size_t bytes_before_inner(const prim_team *team)
{
    const prim_reduction *r = team->args;
    return prim_team_padded(all_tiles(team) * value_bytes(r)) +
           (r->is_dot ? 2 : 1) * tile_bytes(r) + prim_team_padded(value_bytes(r));
}

static places places_of(const prim_team *team, const prim_member *member)
{
    const prim_reduction *r = team->args;
    places p;
    p.values = member->call.workspace;
    p.inner = p.values + bytes_before_inner(team);
    p.result = p.inner - prim_team_padded(value_bytes(r));
    p.tile = p.values + prim_team_padded(all_tiles(team) * value_bytes(r));
    p.tile_y = r->is_dot ? p.tile + tile_bytes(r) : NULL;
    return p;
}

/* The workspace of the last reduction. */
static prim_status inner_bytes(const prim_team *team, size_t *bytes)
{
    prim_answer answer;
    const prim_reduction *r = team->args;
    return prim_team_asked(prim_reduce(PRIM_REDUCE_AUTO, r->op, PRIM_TRANSFORM_NONE, value_type(r),
                                       NULL, all_tiles(team), value_type(r), NULL,
                                       &(prim_call){.answer = &answer}),
                           &answer, bytes);
}

static prim_status needed(const prim_team *team, size_t *bytes)
{
    size_t whole, inner;
    prim_status status = prim_reduction_bytes(team, team->whole, &whole);
    if (status == PRIM_OK)
        status = inner_bytes(team, &inner);
    if (status == PRIM_OK)
        *bytes = bytes_before_inner(team) + inner;
    return status;
}

/* ---- the tiles that cuts divide ---- */

static prim_status begin_last_tile(const prim_team *team, const prim_member *member)
{
    const prim_reduction *r = team->args;
    const prim_rank *rank = member->rank;
    const places p = places_of(team, member);
    const prim_status status =
        prim_tiles_begin_divided(team, member, tiling_of(r), rank->d_in, p.tile);
    return status == PRIM_OK && r->is_dot
               ? prim_tiles_begin_divided(team, member, tiling_of(r), rank->d_in_y, p.tile_y)
               : status;
}

static prim_status exchange(const prim_team *team, const prim_member *member)
{
    const prim_reduction *r = team->args;
    const prim_rank *rank = member->rank;
    const places p = places_of(team, member);
    const prim_status status =
        prim_tiles_gather_divided(team, member, tiling_of(r), rank->d_in, p.tile);
    return status == PRIM_OK && r->is_dot
               ? prim_tiles_gather_divided(team, member, tiling_of(r), rank->d_in_y, p.tile_y)
               : status;
}

/* ---- the values of the tiles ---- */

static prim_status reduce_to_values(const prim_team *team, const prim_member *member,
                                    const void *elements, const void *elements_y, size_t count,
                                    void *values)
{
    const prim_reduction *r = team->args;
    const prim_reduce_args args = {.call = member->call,
                                   .kind = r->is_dot ? PRIM_REDUCE_DOT : PRIM_REDUCE_VECTOR,
                                   .op = r->op,
                                   .transform = r->transform,
                                   .in_type = r->in_type,
                                   .out_type = value_type(r),
                                   .in = elements,
                                   .in_y = elements_y,
                                   .rows = 1,
                                   .columns = count,
                                   .ld = count,
                                   .out = values};
    return count == 0 ? PRIM_OK
                      : prim_team_cuda(member, "the tiles could not be reduced",
                                       prim_reduce_tile_values(&args));
}

/* One pass over the part, as on one GPU; a tile that the cut divides is in the workspace. */
static prim_status reduce_tiles(const prim_team *team, const prim_member *member)
{
    const prim_reduction *r = team->args;
    const prim_tiling tiling = tiling_of(r);
    const prim_cut cut = prim_tiles_cut(team, member, tiling.tile);
    const places p = places_of(team, member);
    const size_t bytes = value_bytes(r);
    const bool is_divided = prim_tiles_divides_last(&cut);
    char *const values = p.values + cut.first_tile * bytes;
    const size_t offset = prim_tiles_offset(member, tiling, cut.first);
    const prim_status status =
        reduce_to_values(team, member, (const char *)member->rank->d_in + offset,
                         r->is_dot ? (const char *)member->rank->d_in_y + offset : NULL,
                         (is_divided ? cut.last : cut.end) - cut.first, values);
    return status == PRIM_OK && is_divided
               ? reduce_to_values(team, member, p.tile, p.tile_y, cut.last_end - cut.last,
                                  values + cut.whole_tiles * bytes)
               : status;
}

static prim_status share_values(const prim_team *team, const prim_member *member)
{
    return prim_tiles_share_values(team, member, tile_elements(team->args),
                                   places_of(team, member).values, value_bytes(team->args));
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
                        &(prim_call){.stream = member->call.stream,
                                     .d_workspace = prim_team_inner(p.inner, inner),
                                     .workspace_bytes = inner});
    if (status != PRIM_OK || !rounds)
        return status;
    return prim_team_cuda(
        member, "the result could not be rounded",
        prim_distributed_round(p.result, 1, r->out_type, member->rank->d_out, member->call.stream));
}

const prim_team_steps prim_ordered_steps = {
    .check = prim_reduction_check,
    .needed = needed,
    .sign = prim_reduction_sign,
    .steps = {{begin_last_tile, false},
              {exchange, true},
              {reduce_tiles, false},
              {share_values, true},
              {reduce_all_values, false}},
};
