/* The order in which VECTORIZED, SINGLE_PASS and the host combine a line: a vector, or one row of a
 * matrix. It depends only on the line's length and the types.
 *
 * A line is cut into vectors of 16 bytes, and 1024 vectors make a tile. In a tile, vector v belongs
 * to partial v mod 256. A partial starts from the identity and combines its elements in the order
 * in which they stand; then partials 0 … 127 combine with 128 … 255, 0 … 63 with 64 … 127, and so
 * on, down to partial 0:
 *
 *     vectors     0   1   2  …  255                   partial 0: vectors 0 256 512 768
 *                256 257 258 …  511                   partial 1: vectors 1 257 513 769
 *                512 513 514 …  767
 *                768 769 770 … 1023
 *     partials    ↓   ↓   ↓       ↓
 *                 0   1   2  …  255    halves first: 0←128 … 127←255, 0←64 …, …, 0←1
 *
 * The tiles' values form a line that is combined in the same way, until one value is left. Partials
 * without elements hold the identity, which changes nothing, so they may be left out. Whether 256
 * threads hold a partial each, or 32 threads eight of them, or one thread computes one after the
 * other, the result is the same. */
#ifndef PRIM_REDUCE_ORDER_H
#define PRIM_REDUCE_ORDER_H

#include <primitives/reduce.h>

#include "common/host/sizes.h"

enum {
    PRIM_REDUCE_VECTOR_BYTES = 16,
    PRIM_REDUCE_TILE_VECTORS = PRIM_REDUCE_TILE_BYTES / PRIM_REDUCE_VECTOR_BYTES,
    PRIM_REDUCE_PARTIALS = 256,                                              /* of a tile */
    PRIM_REDUCE_TILE_DEPTH = PRIM_REDUCE_TILE_VECTORS / PRIM_REDUCE_PARTIALS /* vectors of one */
};

/* Elements of a tile. */
static inline size_t prim_reduce_tile_elements(size_t element_bytes)
{
    return PRIM_REDUCE_TILE_VECTORS * (PRIM_REDUCE_VECTOR_BYTES / element_bytes);
}

/* Tiles of a line; an empty line has one too, whose value is the identity. */
static inline size_t prim_reduce_tiles_of(size_t count, size_t element_bytes)
{
    return count == 0 ? 1 : prim_divide_up(count, prim_reduce_tile_elements(element_bytes));
}

/* The leading dimension of values: each row of them begins at a whole vector. */
static inline size_t prim_reduce_values_ld(size_t values, size_t value_bytes)
{
    const size_t vector = PRIM_REDUCE_VECTOR_BYTES / value_bytes;
    return prim_divide_up(values, vector) * vector;
}

#endif
