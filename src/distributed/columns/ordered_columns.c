/* Columns of floats, summed or multiplied, whose bits depend on the order. The order is that of
 * reduce/columns/columns.h, which cuts a matrix into tiles of rows by its shape alone. It works as
 * ordered.c, with rows in place of elements: each rank reduces the tiles that begin in its band to
 * a row of values each, every rank gets all these rows, and reduces their columns in the same order
 * as all others.
 *
 * What holds it back: a cut within a tile sends up to a tile, which is 1024 rows (8192 of few
 * columns), or all of a matrix that has no more. Bands of whole tiles send none. */
#include "common/host/element.h"
#include "distributed/columns/bands.h"
#include "distributed/finish.h"
#include "distributed/team/tiles.h"
#include "reduce/columns/columns.h"
#include "reduce/order.h"
#include "reduce/vectorized.h"

/* ---- sizes and places ---- */

static cudaDataType_t value_type(const prim_bands *b)
{
    return prim_accumulator_type(b->out_type);
}

static size_t value_bytes(const prim_bands *b)
{
    return prim_element_bytes(value_type(b));
}

static size_t values_ld(const prim_bands *b)
{
    return prim_reduce_values_ld(b->columns, value_bytes(b));
}

/* Bytes of a row of values. */
static size_t values_bytes(const prim_bands *b)
{
    return values_ld(b) * value_bytes(b);
}

static size_t tile_rows(const prim_team *team)
{
    const prim_bands *b = team->args;
    const size_t width = PRIM_REDUCE_VECTOR_BYTES / prim_element_bytes(b->in_type);
    return prim_rows_of_a_column_tile(team->whole, prim_divide_up(b->columns, width));
}

static size_t all_tiles(const prim_team *team)
{
    return prim_tiles_of_all(team, tile_rows(team));
}

/* Rows without gaps, as they are sent. */
static prim_tiling packed_rows(const prim_team *team)
{
    const prim_bands *b = team->args;
    return (prim_tiling){tile_rows(team), b->columns * prim_element_bytes(b->in_type)};
}

/* The number of rows that a rank sends at most, and that of a divided tile. */
typedef struct exchanged {
    size_t first, divided;
} exchanged;

static exchanged most_exchanged(const prim_team *team)
{
    const size_t tile = tile_rows(team);
    exchanged most = {0, 0};
    size_t begin = 0;
    for (size_t r = 0; r < team->total; r++) {
        const prim_cut cut = prim_cut_at(begin, team->counts[r], team->whole, tile);
        const size_t divided = prim_tiles_divides_last(&cut) ? cut.last_end - cut.last : 0;
        most.first = most.first > cut.first - cut.begin ? most.first : cut.first - cut.begin;
        most.divided = most.divided > divided ? most.divided : divided;
        begin = cut.end;
    }
    return most;
}

static bool has_gaps(const prim_bands *b)
{
    return b->ld != b->columns;
}

static bool rounds(const prim_bands *b)
{
    return b->out_type != value_type(b);
}

/* A workspace: the rows of values; and from these offsets on a tile that the cut divides; the first
 * rows, packed, where there are gaps between rows; a row of results before it is rounded; and the
 * workspace of the last reduction. */
typedef struct layout {
    size_t divided, first, result, inner;
} layout;

static layout layout_of(const prim_team *team)
{
    const prim_bands *b = team->args;
    const exchanged most = most_exchanged(team);
    const size_t row_bytes = packed_rows(team).element_bytes;
    layout l;
    l.divided = prim_team_padded(all_tiles(team) * values_bytes(b));
    l.first = l.divided + prim_team_padded(most.divided * row_bytes);
    l.result = l.first + (has_gaps(b) ? prim_team_padded(most.first * row_bytes) : 0);
    l.inner = l.result + (rounds(b) ? prim_team_padded(values_bytes(b)) : 0);
    return l;
}

static char *place(const prim_member *member, size_t offset)
{
    return (char *)member->call.workspace + offset;
}

/* The workspace of the last reduction. */
static prim_status inner_bytes(const prim_team *team, size_t *bytes)
{
    prim_answer answer;
    const prim_bands *b = team->args;
    return prim_team_asked(
        prim_reduce_columns(PRIM_REDUCE_AUTO, b->op, PRIM_TRANSFORM_NONE,
                            prim_matrix_of(value_type(b), NULL, all_tiles(team), b->columns, 0),
                            value_type(b), NULL, &(prim_call){.answer = &answer}),
        &answer, bytes);
}

static prim_status needed(const prim_team *team, size_t *bytes)
{
    size_t whole, inner;
    prim_status status = prim_bands_columns_bytes(team, team->whole, &whole);
    if (status == PRIM_OK)
        status = prim_bands_check_whole(team);
    if (status == PRIM_OK)
        status = inner_bytes(team, &inner);
    if (status == PRIM_OK)
        *bytes = layout_of(team).inner + inner;
    return status;
}

/* ---- the tiles that cuts divide ---- */

static const char *row_at(const prim_team *team, const prim_member *member, size_t row)
{
    const prim_bands *b = team->args;
    const size_t ld_bytes = b->ld * prim_element_bytes(b->in_type);
    return (const char *)member->rank->d_in + (row - member->begin) * ld_bytes;
}

/* Copies in one piece where there are no gaps, since CUDA limits the distance of rows in a copy of
 * several. */
static cudaError_t copy_rows(const prim_bands *b, void *to, const void *from, size_t rows,
                             cudaStream_t stream)
{
    const size_t bytes = prim_element_bytes(b->in_type), row_bytes = b->columns * bytes;
    return has_gaps(b)
               ? cudaMemcpy2DAsync(to, row_bytes, from, b->ld * bytes, row_bytes, rows,
                                   cudaMemcpyDeviceToDevice, stream)
               : cudaMemcpyAsync(to, from, rows * row_bytes, cudaMemcpyDeviceToDevice, stream);
}

static prim_status pack(const prim_team *team, const prim_member *member, size_t row, size_t rows,
                        void *to)
{
    const prim_bands *b = team->args;
    return rows == 0 || b->columns == 0
               ? PRIM_OK
               : prim_team_cuda(
                     member, "the rows of a tile could not be copied",
                     copy_rows(b, to, row_at(team, member, row), rows, member->call.stream));
}

static prim_status pack_own(const prim_team *team, const prim_member *member)
{
    const layout l = layout_of(team);
    const prim_cut cut = prim_tiles_cut(team, member, tile_rows(team));
    const prim_status status =
        has_gaps(team->args)
            ? pack(team, member, cut.begin, cut.first - cut.begin, place(member, l.first))
            : PRIM_OK;
    return status == PRIM_OK && prim_tiles_divides_last(&cut)
               ? pack(team, member, cut.last, cut.end - cut.last, place(member, l.divided))
               : status;
}

static prim_status exchange(const prim_team *team, const prim_member *member)
{
    const layout l = layout_of(team);
    return prim_tiles_gather_divided(team, member, packed_rows(team),
                                     has_gaps(team->args) ? place(member, l.first)
                                                          : member->rank->d_in,
                                     place(member, l.divided));
}

/* ---- the values of the tiles ---- */

/* Reduces `rows` rows from the start of tile `tile` on. */
static prim_status reduce_to_values(const prim_team *team, const prim_member *member, size_t tile,
                                    const void *from, size_t rows, size_t ld)
{
    const prim_bands *b = team->args;
    const prim_reduce_args args = {.call = member->call,
                                   .kind = PRIM_REDUCE_COLUMNS,
                                   .op = b->op,
                                   .transform = b->transform,
                                   .in_type = b->in_type,
                                   .out_type = value_type(b),
                                   .in = from,
                                   .rows = rows,
                                   .columns = b->columns,
                                   .ld = ld,
                                   .out = place(member, tile * values_bytes(b))};
    return rows == 0 || b->columns == 0
               ? PRIM_OK
               : prim_team_cuda(member, "the tiles could not be reduced",
                                prim_reduce_column_tile_values(&args, team->whole));
}

static prim_status reduce_tiles(const prim_team *team, const prim_member *member)
{
    const prim_bands *b = team->args;
    const prim_cut cut = prim_tiles_cut(team, member, tile_rows(team));
    const bool is_divided = prim_tiles_divides_last(&cut);
    const prim_status status =
        reduce_to_values(team, member, cut.first_tile, row_at(team, member, cut.first),
                         (is_divided ? cut.last : cut.end) - cut.first, b->ld);
    return status == PRIM_OK && is_divided
               ? reduce_to_values(team, member, cut.first_tile + cut.whole_tiles,
                                  place(member, layout_of(team).divided), cut.last_end - cut.last,
                                  b->columns)
               : status;
}

static prim_status share_values(const prim_team *team, const prim_member *member)
{
    return prim_tiles_share_values(team, member, tile_rows(team), place(member, 0),
                                   values_bytes(team->args));
}

/* ---- the results ---- */

static prim_status reduce_all_values(const prim_team *team, const prim_member *member)
{
    const prim_bands *b = team->args;
    const layout l = layout_of(team);
    const cudaStream_t stream = member->call.stream;
    void *const results = rounds(b) ? place(member, l.result) : member->rank->d_out;
    size_t inner;
    prim_status status = inner_bytes(team, &inner);
    if (status == PRIM_OK)
        status = prim_reduce_columns(
            PRIM_REDUCE_AUTO, b->op, PRIM_TRANSFORM_NONE,
            prim_matrix_of(value_type(b), place(member, 0), all_tiles(team), b->columns,
                           values_ld(b)),
            value_type(b), results,
            &(prim_call){.stream = stream,
                         .d_workspace = prim_team_inner(place(member, l.inner), inner),
                         .workspace_bytes = inner});
    if (status != PRIM_OK || !rounds(b) || b->columns == 0)
        return status;
    return prim_team_cuda(
        member, "the results could not be rounded",
        prim_distributed_round(results, b->columns, b->out_type, member->rank->d_out, stream));
}

const prim_team_steps prim_ordered_columns_steps = {
    .check = prim_bands_check_columns,
    .needed = needed,
    .sign = prim_bands_sign,
    .steps = {{pack_own, false},
              {exchange, true},
              {reduce_tiles, false},
              {share_values, true},
              {reduce_all_values, false}},
};
