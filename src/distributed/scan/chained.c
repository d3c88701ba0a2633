/* Scans of floats with sums and products, whose bits depend on the order. The order is that of
 * scan/tile/tiles.h, which cuts a line into tiles of 32 KiB by position alone, and combines their
 * aggregates one after the other. Each rank works on the tiles that begin in its part:
 *
 *     parts      ███│███│██ │ ██│███│██      the tile in the middle is the first rank's
 *     aggregates  A   B    C      D   E      to every rank
 *     before      ·           │  ABC         each rank combines those before its first own tile
 *     results    ███│███│██ │ ██│███│██      prim_scan() from there; the middle tile's second half
 *                                            goes back
 *
 * Where prim_scan() would read the elements twice, or would round what lies before to f16 or bf16,
 * each rank combines the aggregates up to its last own tile, and a launch with all tiles' prefixes
 * gives the results.
 *
 * Work: 3 combinations for each element, as on one GPU, and at each rank one for each tile before
 * its own. Bytes: each element is read twice and written once; aggregates 1/8192 of that (f32), to
 * every rank; up to 64 KiB at a cut within a tile.
 *
 * What holds it back: reading the elements twice, and the chain of additions, which more GPUs do
 * not shorten. With 2^30 f32 for each rank it has 2^17 additions for each earlier rank, at 4 cycles
 * and 2 GHz at least 0.26 ms; an H100 took 0.34 ms. So the last of 8 ranks begins with its results
 * 2.4 ms after it has the aggregates, beside 1.4 ms for these and 2.9 ms for the results. f64 has
 * as many tiles for each byte, and slower additions. Ranks that combine one after the other, each
 * passing on its carry-out, would wait as long, and for messages besides. A chain of the parts'
 * aggregates would be short, but its bits would depend on the cut. */
#include "common/host/element.h"
#include "distributed/finish.h"
#include "distributed/scan/chain.h"
#include "distributed/scan/parts_scan.h"
#include "distributed/team/tiles.h"
#include "scan/tile/tiles.h"

/* ---- sizes and places ---- */

static cudaDataType_t value_type(const prim_parts_scan *s)
{
    return prim_accumulator_type(s->out_type);
}

static size_t value_bytes(const prim_parts_scan *s)
{
    return prim_element_bytes(value_type(s));
}

static prim_scan_args line_of(const prim_parts_scan *s, const prim_member *member)
{
    return (prim_scan_args){.call = member->call,
                            .kind = s->kind,
                            .op = s->reduction.op,
                            .transform = s->reduction.transform,
                            .in_type = s->reduction.in_type,
                            .out_type = s->out_type,
                            .rows = 1};
}

static size_t tile_elements(const prim_parts_scan *s)
{
    const prim_scan_args types = {.in_type = s->reduction.in_type, .out_type = s->out_type};
    return prim_scan_tile_elements(&types);
}

static prim_tiling elements_of(const prim_parts_scan *s)
{
    return (prim_tiling){tile_elements(s), prim_element_bytes(s->reduction.in_type)};
}

static prim_tiling results_of(const prim_parts_scan *s)
{
    return (prim_tiling){tile_elements(s), prim_element_bytes(s->out_type)};
}

/* A workspace: the aggregates of all tiles, and one value after the last; the elements of a tile
 * that the cut divides, and its results; the initial value, the total of the whole, and what
 * prim_scan() needs. */
typedef struct places {
    char *aggregates, *divided, *results;
    void *initial, *total, *scan;
} places;

static size_t aggregates_bytes(const prim_team *team)
{
    const prim_parts_scan *s = team->args;
    return prim_team_padded((prim_tiles_of_all(team, tile_elements(s)) + 1) * value_bytes(s));
}

static size_t tile_bytes(prim_tiling tiling)
{
    return prim_team_padded(tiling.tile * tiling.element_bytes);
}

static places places_of(const prim_team *team, const prim_member *member)
{
    const prim_parts_scan *s = team->args;
    places p;
    p.aggregates = member->call.workspace;
    p.divided = p.aggregates + aggregates_bytes(team);
    p.results = p.divided + tile_bytes(elements_of(s));
    char *const values = p.results + tile_bytes(results_of(s));
    p.initial = values;
    p.total = values + prim_team_padded(value_bytes(s));
    p.scan = values + 2 * prim_team_padded(value_bytes(s));
    return p;
}

static prim_status needed_by_carry(const prim_team *team, size_t *bytes)
{
    const prim_parts_scan *s = team->args;
    size_t whole;
    const prim_status status = prim_parts_scan_bytes(team, team->whole, &whole);
    if (status == PRIM_OK)
        *bytes = aggregates_bytes(team) + tile_bytes(elements_of(s)) + tile_bytes(results_of(s)) +
                 2 * prim_team_padded(value_bytes(s));
    return status;
}

/* Whether prim_scan() takes what lies before a tile as it is. */
static bool takes_values(const prim_parts_scan *s)
{
    return s->out_type == value_type(s);
}

static prim_status needed_by_scan(const prim_team *team, size_t *bytes)
{
    size_t inner = 0;
    prim_status status = needed_by_carry(team, bytes);
    if (status == PRIM_OK && takes_values(team->args))
        status = prim_parts_scan_bytes(team, prim_team_largest_part(team), &inner);
    if (status == PRIM_OK)
        *bytes += inner;
    return status;
}

static prim_cut cut_of(const prim_team *team, const prim_member *member)
{
    return prim_tiles_cut(team, member, tile_elements(team->args));
}

/* The end of the tiles that the rank has as a whole. */
static size_t whole_end(const prim_cut *cut)
{
    return prim_tiles_divides_last(cut) ? cut->last : cut->end;
}

static const char *element_at(const prim_team *team, const prim_member *member, size_t at)
{
    return (const char *)member->rank->d_in +
           prim_tiles_offset(member, elements_of(team->args), at);
}

static char *result_at(const prim_team *team, const prim_member *member, size_t at)
{
    return (char *)member->rank->d_out + prim_tiles_offset(member, results_of(team->args), at);
}

/* ---- the aggregates ---- */

static prim_status begin_divided(const prim_team *team, const prim_member *member)
{
    return prim_tiles_begin_divided(team, member, elements_of(team->args), member->rank->d_in,
                                    places_of(team, member).divided);
}

static prim_status gather_divided(const prim_team *team, const prim_member *member)
{
    return prim_tiles_gather_divided(team, member, elements_of(team->args), member->rank->d_in,
                                     places_of(team, member).divided);
}

/* Launches the tiles of `count` elements from the start of tile `tile` on. Their total is that of
 * the whole where they are its last ones. */
static prim_status launch(const prim_team *team, const prim_member *member, prim_scan_carry carry,
                          size_t tile, const void *elements, size_t count, void *results)
{
    const prim_parts_scan *s = team->args;
    const places p = places_of(team, member);
    prim_scan_args args = line_of(s, member);
    const prim_scan_tiles tiles = {carry, p.aggregates + tile * value_bytes(s), 0, p.initial};
    args.in = elements;
    args.out = results;
    args.columns = args.in_ld = args.out_ld = count;
    args.total = p.total;
    return count == 0 ? PRIM_OK
                      : prim_team_cuda(member, "the tiles could not be scanned",
                                       prim_scan_launch_tiles(&args, tiles));
}

static prim_status total_tiles(const prim_team *team, const prim_member *member)
{
    const prim_cut cut = cut_of(team, member);
    const prim_status status =
        launch(team, member, PRIM_SCAN_AGGREGATES_ALONE, cut.first_tile,
               element_at(team, member, cut.first), whole_end(&cut) - cut.first, NULL);
    return status == PRIM_OK && prim_tiles_divides_last(&cut)
               ? launch(team, member, PRIM_SCAN_AGGREGATES_ALONE, cut.first_tile + cut.whole_tiles,
                        places_of(team, member).divided, cut.last_end - cut.last, NULL)
               : status;
}

static prim_status share_aggregates(const prim_team *team, const prim_member *member)
{
    return prim_tiles_share_values(team, member, tile_elements(team->args),
                                   places_of(team, member).aggregates, value_bytes(team->args));
}

static char *before(const prim_team *team, const prim_member *member, size_t tile)
{
    return places_of(team, member).aggregates + tile * value_bytes(team->args);
}

/* The exclusive prefixes of the rank's own tiles up to `tile`, inclusive. */
static prim_status chain_up_to(const prim_team *team, const prim_member *member, size_t tile)
{
    const prim_parts_scan *s = team->args;
    const prim_cut cut = cut_of(team, member);
    return prim_team_cuda(member, "the aggregates could not be scanned",
                          prim_distributed_chain(s->reduction.op, value_type(s),
                                                 places_of(team, member).aggregates, cut.first_tile,
                                                 tile, member->call.stream));
}

/* The exclusive prefix of a tile, converted to a result. */
static prim_status hand_out_before(const prim_team *team, const prim_member *member, size_t tile,
                                   void *to)
{
    const prim_parts_scan *s = team->args;
    const cudaStream_t stream = member->call.stream;
    const char *const value = before(team, member, tile);
    const cudaError_t error =
        takes_values(s)
            ? cudaMemcpyAsync(to, value, value_bytes(s), cudaMemcpyDeviceToDevice, stream)
            : prim_distributed_round((const float *)(const void *)value, 1, s->out_type, to,
                                     stream);
    return prim_team_cuda(member, "the prefix of a tile could not be copied", error);
}

/* ---- the results ---- */

/* Scans the rank's own tiles except one that the cut divides. Their total is the prefix of that
 * one. */
static prim_status scan_from_before(const prim_team *team, const prim_member *member,
                                    const prim_cut *cut)
{
    const places p = places_of(team, member);
    void *const total = prim_tiles_divides_last(cut)
                            ? before(team, member, cut->first_tile + cut->whole_tiles)
                            : p.total;
    const prim_status status = chain_up_to(team, member, cut->first_tile);
    return status == PRIM_OK
               ? prim_parts_scan_from(team, member, before(team, member, cut->first_tile),
                                      element_at(team, member, cut->first),
                                      whole_end(cut) - cut->first,
                                      result_at(team, member, cut->first), total, p.scan)
               : status;
}

/* Whether prim_scan() reads each element once. */
static bool is_read_once(const prim_parts_scan *s, size_t count)
{
    const prim_reduction *r = &s->reduction;
    prim_answer answer;
    return prim_scan(PRIM_SCAN_AUTO, s->kind, r->op, r->transform, r->in_type, NULL, count,
                     s->out_type, NULL, NULL, &(prim_call){.answer = &answer}) == PRIM_OK &&
           answer.variant->value == PRIM_SCAN_CHAINED;
}

/* The same by one launch, to which each tile's prefix is given. */
static prim_status scan_with_prefixes(const prim_team *team, const prim_member *member,
                                      const prim_cut *cut)
{
    const prim_status status = chain_up_to(team, member, cut->first_tile + cut->whole_tiles);
    return status == PRIM_OK
               ? launch(team, member, PRIM_SCAN_CARRY_GIVEN, cut->first_tile,
                        element_at(team, member, cut->first), whole_end(cut) - cut->first,
                        result_at(team, member, cut->first))
               : status;
}

static prim_status scan_divided(const prim_team *team, const prim_member *member,
                                const prim_cut *cut)
{
    const places p = places_of(team, member);
    if (!prim_tiles_divides_last(cut))
        return PRIM_OK;
    const prim_status status =
        launch(team, member, PRIM_SCAN_CARRY_GIVEN, cut->first_tile + cut->whole_tiles, p.divided,
               cut->last_end - cut->last, p.results);
    return status == PRIM_OK ? prim_tiles_keep_divided(team, member, results_of(team->args),
                                                       p.results, member->rank->d_out)
                             : status;
}

static prim_status scan_tiles(const prim_team *team, const prim_member *member)
{
    const prim_cut cut = cut_of(team, member);
    if (cut.tiles == 0 && team->whole > 0)
        return PRIM_OK;
    const bool from_before =
        takes_values(team->args) && is_read_once(team->args, whole_end(&cut) - cut.first);
    prim_status status =
        from_before ? scan_from_before(team, member, &cut) : scan_with_prefixes(team, member, &cut);
    if (status == PRIM_OK && team->whole == 0)
        status = hand_out_before(team, member, 0, places_of(team, member).total);
    return status == PRIM_OK ? scan_divided(team, member, &cut) : status;
}

static prim_status return_results(const prim_team *team, const prim_member *member)
{
    return prim_tiles_return_divided(team, member, results_of(team->args),
                                     places_of(team, member).results, member->rank->d_out);
}

/* ---- the total of the whole: the last tile's owner has it ---- */

static prim_status share_total(const prim_team *team, const prim_member *member)
{
    const prim_parts_scan *s = team->args;
    if (team->whole == 0)
        return PRIM_OK;
    const size_t tile = tile_elements(s), last = (team->whole - 1) / tile * tile;
    return prim_team_broadcast(member, places_of(team, member).total,
                               prim_element_bytes(s->out_type), prim_tiles_holder(team, last));
}

static prim_status hand_out_total(const prim_team *team, const prim_member *member)
{
    const prim_parts_scan *s = team->args;
    if (member->rank->d_second == NULL)
        return PRIM_OK;
    return prim_team_cuda(member, "the total could not be copied",
                          cudaMemcpyAsync(member->rank->d_second, places_of(team, member).total,
                                          prim_element_bytes(s->out_type), cudaMemcpyDeviceToDevice,
                                          member->call.stream));
}

const prim_team_steps prim_chained_scan_steps = {
    .check = prim_parts_scan_check,
    .needed = needed_by_scan,
    .sign = prim_parts_scan_sign,
    .steps = {{begin_divided, false},
              {gather_divided, true},
              {total_tiles, false},
              {share_aggregates, true},
              {scan_tiles, false},
              {return_results, true},
              {share_total, true},
              {hand_out_total, false}},
};

/* ---- carries: no results except each part's first one ---- */

/* Whether a later rank may begin within the last own tile, or right after it. */
static bool has_others(const prim_team *team, const prim_member *member, const prim_cut *cut)
{
    return cut->tiles > cut->whole_tiles && member->number + 1 < team->total;
}

/* The prefixes within that tile, for the ranks that begin there. */
static prim_status scan_last_tile(const prim_team *team, const prim_member *member,
                                  const prim_cut *cut)
{
    const places p = places_of(team, member);
    const void *const elements =
        prim_tiles_divides_last(cut) ? p.divided : element_at(team, member, cut->last);
    return launch(team, member, PRIM_SCAN_CARRY_GIVEN, cut->first_tile + cut->whole_tiles, elements,
                  cut->last_end - cut->last, p.results);
}

static prim_status take_carry(const prim_team *team, const prim_member *member)
{
    const prim_cut cut = cut_of(team, member);
    const bool others = has_others(team, member, &cut),
               with_a_tile = cut.begin % tile_elements(team->args) == 0;
    if (!others && !with_a_tile)
        return PRIM_OK;
    prim_status status = chain_up_to(team, member, cut.first_tile + (others ? cut.whole_tiles : 0));
    if (status == PRIM_OK && others)
        status = scan_last_tile(team, member, &cut);
    return status == PRIM_OK && with_a_tile
               ? hand_out_before(team, member, cut.first_tile, member->rank->d_out)
               : status;
}

/* Sends to each rank that begins within the last own tile its carry-in: an exclusive prefix, or
 * after the last element of the whole the total. */
static prim_status send_carries(const prim_team *team, const prim_member *member,
                                const prim_cut *cut)
{
    const places p = places_of(team, member);
    const size_t bytes = results_of(team->args).element_bytes;
    prim_status status = PRIM_OK;
    size_t begin = cut->end;
    for (size_t to = member->number + 1;
         to < team->total && begin <= cut->last_end && begin % tile_elements(team->args) != 0 &&
         status == PRIM_OK;
         begin += team->counts[to++])
        status = prim_team_send(
            member, begin == team->whole ? p.total : p.results + (begin - cut->last) * bytes, bytes,
            to);
    return status;
}

static prim_status exchange_carries(const prim_team *team, const prim_member *member)
{
    const prim_cut cut = cut_of(team, member);
    const size_t tile = tile_elements(team->args), past = cut.begin % tile;
    prim_status status = PRIM_OK;
    if (past > 0)
        status =
            prim_team_receive(member, member->rank->d_out, results_of(team->args).element_bytes,
                              prim_tiles_holder(team, cut.begin - past));
    return status == PRIM_OK && has_others(team, member, &cut) ? send_carries(team, member, &cut)
                                                               : status;
}

const prim_team_steps prim_chained_carry_steps = {
    .check = prim_parts_carry_check,
    .needed = needed_by_carry,
    .sign = prim_parts_scan_sign,
    .steps = {{begin_divided, false},
              {gather_divided, true},
              {total_tiles, false},
              {share_aggregates, true},
              {take_carry, false},
              {exchange_carries, true}},
};
