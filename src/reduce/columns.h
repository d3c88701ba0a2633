/* How the columns of a matrix are cut into tiles: from its shape alone, so that the order in which
 * a column is combined is the same on every device. For kernels, workspace and host.
 *
 * A block's 256 threads stand `lanes` side by side, each with one vector (16 bytes) of columns, and
 * 256 / lanes = `height` deep. Thread h of a column takes rows h, h + height, …, `depth` of them in
 * order, from the identity on; then halves combine: 0 … height/2 - 1 with the rest, and so on.
 * Tiles follow each other down the rows; their values are a matrix again, with a row for each tile.
 *
 *     lanes      0      1    …
 *     h = 0    row 0  row 0         and rows height, 2 height, …
 *     h = 1    row 1  row 1                                       */
#ifndef PRIM_REDUCE_COLUMNS_H
#define PRIM_REDUCE_COLUMNS_H

#include <stddef.h>

#include "common/sizes.h"

enum {
    PRIM_COLUMN_THREADS = 256,
    PRIM_COLUMN_LANES = 32,     /* 512 bytes of a row: no burst of memory is cut */
    PRIM_COLUMN_DEPTH = 32,     /* of a tile that is not the last */
    PRIM_COLUMN_FEW_LANES = 2,  /* 32 bytes of a row, the least that memory moves */
    PRIM_COLUMN_FEW_ROWS = 1024 /* these fit one tile: one pass, with many blocks side by side */
};

typedef struct prim_column_shape {
    unsigned lanes, height, depth;
    size_t tiles, strips; /* down the rows, and side by side */
} prim_column_shape;

static inline unsigned prim_lanes_for(size_t vectors)
{
    unsigned lanes = 1;
    while (lanes < PRIM_COLUMN_LANES && lanes < vectors)
        lanes *= 2;
    return lanes;
}

/* A matrix of rows × vectors. Wide ones of few rows have blocks enough with whole lanes. */
static inline prim_column_shape prim_shape_of_columns(size_t rows, size_t vectors)
{
    const bool few_rows = rows <= PRIM_COLUMN_FEW_ROWS;
    const bool wide = vectors >= (size_t)PRIM_COLUMN_LANES * 512;
    prim_column_shape shape;
    shape.lanes = prim_lanes_for(vectors);
    if (few_rows && !wide && shape.lanes > PRIM_COLUMN_FEW_LANES)
        shape.lanes = PRIM_COLUMN_FEW_LANES;
    shape.height = PRIM_COLUMN_THREADS / shape.lanes;
    shape.depth = PRIM_COLUMN_DEPTH;
    if (few_rows)
        shape.depth = rows == 0 ? 1 : (unsigned)prim_divide_up(rows, shape.height);
    shape.tiles = rows == 0 ? 1 : prim_divide_up(rows, (size_t)shape.height * shape.depth);
    shape.strips = prim_divide_up(vectors, shape.lanes);
    return shape;
}

#endif
