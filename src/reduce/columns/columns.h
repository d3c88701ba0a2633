/* How the columns of a matrix are cut into tiles. It depends only on the matrix's shape, so that a
 * column is combined in the same order on every device. For kernels, workspace and host.
 *
 * A block's 256 threads stand `across` side by side, each with one vector (16 bytes) of columns,
 * and 256 / across = `height` deep. Thread h of a column takes rows h, h + height, …, `depth` of
 * them in order, from the identity on; then halves combine: 0 … height/2 - 1 with the rest, and so
 * on. Tiles follow each other down the rows; their values form a matrix with a row for each tile,
 * which is reduced in the same way.
 *
 *     across     0      1    …
 *     h = 0    row 0  row 0         and rows height, 2 height, …
 *     h = 1    row 1  row 1                                       */
#ifndef PRIM_REDUCE_COLUMNS_H
#define PRIM_REDUCE_COLUMNS_H

#include <stddef.h>

#include "common/host/sizes.h"

enum {
    PRIM_COLUMN_THREAD_BITS = 8,
    PRIM_COLUMN_THREADS = 1 << PRIM_COLUMN_THREAD_BITS,
    PRIM_COLUMN_ACROSS_BITS = 3, /* 128 bytes of a row */
    PRIM_COLUMN_DEPTH = 32,      /* of a tile that is not the last */
    /* Up to that many rows are one tile, so that one pass is enough. Narrow blocks, 32 bytes of a
     * row, then make the grid large enough; where it is anyway, blocks are wide, 512 bytes. */
    PRIM_COLUMN_FEW_ROWS = 1024,
    PRIM_COLUMN_NARROW_ACROSS_BITS = 1,
    PRIM_COLUMN_WIDE_ACROSS_BITS = 5,
    PRIM_COLUMN_WIDE_VECTORS = 1 << 14
};

typedef struct prim_column_shape {
    unsigned across_bits, height_bits; /* across and height are powers of two */
    unsigned across, height, depth;
    size_t tiles, strips; /* down the rows, and side by side */
} prim_column_shape;

static inline unsigned prim_across_bits_for(size_t vectors, unsigned most)
{
    unsigned bits = 0;
    while (bits < most && (size_t)1 << bits < vectors)
        bits++;
    return bits;
}

static inline unsigned prim_most_across_bits(size_t rows, size_t vectors)
{
    if (rows > PRIM_COLUMN_FEW_ROWS)
        return PRIM_COLUMN_ACROSS_BITS;
    return vectors < PRIM_COLUMN_WIDE_VECTORS ? PRIM_COLUMN_NARROW_ACROSS_BITS
                                              : PRIM_COLUMN_WIDE_ACROSS_BITS;
}

/* For a matrix of rows × vectors. */
static inline prim_column_shape prim_shape_of_columns(size_t rows, size_t vectors)
{
    const bool few_rows = rows <= PRIM_COLUMN_FEW_ROWS;
    prim_column_shape shape;
    shape.across_bits = prim_across_bits_for(vectors, prim_most_across_bits(rows, vectors));
    shape.height_bits = PRIM_COLUMN_THREAD_BITS - shape.across_bits;
    shape.across = 1u << shape.across_bits;
    shape.height = 1u << shape.height_bits;
    shape.depth = PRIM_COLUMN_DEPTH;
    if (few_rows)
        shape.depth = rows == 0 ? 1 : (unsigned)prim_divide_up(rows, shape.height);
    shape.tiles = rows == 0 ? 1 : prim_divide_up(rows, (size_t)shape.height * shape.depth);
    shape.strips = prim_divide_up(vectors, shape.across);
    return shape;
}

/* The rows of a tile of a matrix of that many rows, also where it is divided into bands. */
static inline size_t prim_rows_of_a_column_tile(size_t rows, size_t vectors)
{
    const prim_column_shape shape = prim_shape_of_columns(rows, vectors);
    return (size_t)shape.height * shape.depth;
}

#endif
