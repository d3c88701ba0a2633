/* Where CSR_MERGE's tiles begin.
 *
 *     rows      0  1  2         3  4   5                     a row counts as its entries and one
 *     keys      a  bb ccccccccc .  dd  eeeeeeeeeeeeeeeeee    more, so that empty rows count, too
 *     tiles     |        |        |        |        |        a key for each entry and each row
 *     pieces    a  bb ccccccccc .  dd  eeeeeeee|eeeeeeee|ee  long rows: 512 entries at a time
 *
 * A tile has the rows that begin in it, and the pieces of rows of more than 512 entries. A thread
 * for each tile searches the rows' keys, before the product is launched: a block that searched for
 * itself would wait for each step, with nothing else to do. */
#ifndef PRIM_SPARSE_TILE_BEGINS_CUH
#define PRIM_SPARSE_TILE_BEGINS_CUH

#include <type_traits>

#include "common/host/sizes.h"
#include "common/kernel/launch.cuh"
#include "common/sort/key_search.cuh"
#include "sparse/problem.cuh"

namespace
{

constexpr unsigned TILE = 3072, PIECE = 512; /* keys; entries of a long row */
constexpr unsigned TILE_GROUPS = TILE / PIECE;
constexpr unsigned FINDERS =
    64; /* threads of a block: few, so that all multiprocessors have some */
static_assert(TILE % PIECE == 0, "pieces are numbered by 512 keys");

/* The first row that begins in the tile or after it, and the tile's first entry. */
struct boundary {
    int64_t entry;
    int32_t row;
};

/* The rows, the boundaries of tiles, and the workspace. Pieces are numbered by the key that they
 * begin at: in 512 keys, at most one row of more than 512 entries begins, and at most one further
 * piece. Offset void: offsets have 32 or 64 bits, which `wide` tells. */
template <typename Offset>
struct plan {
    const Offset *offsets;
    bool wide; /* they have 64 bits */
    size_t rows, entries, tiles;
    boundary *boundaries; /* tiles + 1 */
    void *first_pieces;   /* for each 512 keys, the sum of a row's first piece, */
    void *pieces;         /* and of another one */
    unsigned *tickets;    /* finished pieces of the row that begins here */

    __device__ size_t offset(size_t row) const
    {
        if constexpr (!std::is_void<Offset>::value)
            return static_cast<size_t>(offsets[row]);
        else
            return wide ? static_cast<size_t>(static_cast<const int64_t *>(offsets)[row])
                        : static_cast<size_t>(static_cast<const int32_t *>(offsets)[row]);
    }
    /* A row's first key: that of its first entry, if there is one. */
    __device__ size_t key(size_t row) const
    {
        return offset(row) + row;
    }
};

inline size_t tiles_of(const prim_sparse *m)
{
    return prim_divide_up(m->entries + m->rows, TILE);
}

/* Whether blocks have whole rows, of which they search none: row_blocks.cuh. That pays where
 * matrix and x are in caches, as measured on an H200; and where the average row is a long one, too
 * few blocks would have all entries. */
inline bool goes_by_rows(const prim_sparse *m)
{
    constexpr size_t FEW = 32768, SOME_ROWS = 65536, SOME_ENTRIES = 1 << 20, LONG_ROW = 8192;
    const bool has_few = m->rows <= FEW && m->entries <= FEW;
    const bool is_near =
        m->rows <= SOME_ROWS && m->columns <= SOME_ROWS && m->entries <= SOME_ENTRIES;
    return (has_few || is_near) && m->entries <= LONG_ROW * m->rows;
}

inline size_t boundaries_bytes(const prim_sparse *m)
{
    return (tiles_of(m) + 1) * sizeof(boundary);
}

/* The bytes of the pieces' sums and counters. */
inline size_t pieces_bytes(const prim_spmv_args *args)
{
    return tiles_of(&args->matrix) * TILE_GROUPS * (2 * sum_bytes(args) + sizeof(unsigned));
}

/* A plan with the rows only. */
template <typename Offset>
plan<Offset> plan_rows(const prim_sparse *m)
{
    plan<Offset> p = {};
    p.offsets = static_cast<const Offset *>(m->row_offsets);
    p.wide = m->offset_type == CUDA_R_64I;
    p.rows = m->rows;
    p.entries = m->entries;
    p.tiles = tiles_of(m);
    return p;
}

/* memory: pieces_bytes() long. */
template <typename Offset>
void put_pieces(plan<Offset> *p, const prim_spmv_args *args, void *memory)
{
    const size_t bytes = p->tiles * TILE_GROUPS * sum_bytes(args);
    char *const first = static_cast<char *>(memory);
    p->first_pieces = first;
    p->pieces = first + bytes;
    p->tickets = reinterpret_cast<unsigned *>(first + 2 * bytes);
}

/* The first entry of a tile that begins at this key: the row before may have a piece there. */
template <typename Offset>
__device__ size_t first_entry(const plan<Offset> &p, size_t row, size_t key)
{
    const size_t behind = p.offset(row);
    if (row == 0)
        return behind;
    const size_t pieces = (key - p.key(row - 1) + PIECE - 1) / PIECE;
    const size_t piece = p.offset(row - 1) + pieces * PIECE;
    return piece < behind ? piece : behind;
}

template <typename Offset>
__global__ void __launch_bounds__(FINDERS) find_tiles(plan<Offset> p)
{
    trigger_launch_completion();
    const size_t tile = this_thread();
    if (tile > p.tiles)
        return;
    if (tile == p.tiles) {
        p.boundaries[tile] = {static_cast<int64_t>(p.entries), static_cast<int32_t>(p.rows)};
        return;
    }
    const size_t row = first_with_key(p, p.rows, p.entries + p.rows, tile * TILE);
    p.boundaries[tile] = {static_cast<int64_t>(first_entry(p, row, tile * TILE)),
                          static_cast<int32_t>(row)};
    for (unsigned g = 0; p.tickets != nullptr && g < TILE_GROUPS; g++)
        p.tickets[tile * TILE_GROUPS + g] = 0;
}

} // namespace

#endif
