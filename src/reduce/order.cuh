/* The order in which VECTORIZED, SINGLE_PASS and the host combine a line: a vector, or one row of a
 * matrix. It follows from the line's length and the types alone.
 *
 * A line is cut into vectors of 16 bytes, and 1024 vectors make a tile. In a tile, vector v belongs
 * to lane v mod 256. A lane starts from the identity and combines its elements in the order in
 * which they stand; then lanes 0 … 127 combine with lanes 128 … 255, 0 … 63 with 64 … 127, and so
 * on, down to lane 0:
 *
 *     vectors     0   1   2  …  255                   lane 0: vectors 0 256 512 768
 *                256 257 258 …  511                   lane 1: vectors 1 257 513 769
 *                512 513 514 …  767
 *                768 769 770 … 1023
 *     lanes       ↓   ↓   ↓       ↓
 *                 0   1   2  …  255    halves first: 0←128 … 127←255, 0←64 …, …, 0←1
 *
 * The tiles' values are a line again, of values instead of elements, combined in the same way,
 * until one value is left. Lanes without elements hold the identity, which changes nothing, so they
 * may as well be left out. Whether 256 threads play the lanes of a tile, or 32 threads eight lanes
 * each, or one thread after the other does all, the result is the same. */
#ifndef PRIM_REDUCE_ORDER_CUH
#define PRIM_REDUCE_ORDER_CUH

#include <cstddef>
#include <cstdint>

#include "reduce/reduce_variants.h"

namespace
{

constexpr unsigned VECTOR_BYTES = PRIM_REDUCE_VECTOR_BYTES, LANES = PRIM_REDUCE_LANES;
constexpr unsigned TILE_DEPTH = PRIM_REDUCE_TILE_DEPTH, TILE_VECTORS = LANES * TILE_DEPTH;

template <typename T>
constexpr unsigned VECTOR_ELEMENTS = VECTOR_BYTES / sizeof(T);

template <typename T>
constexpr size_t TILE_ELEMENTS = size_t(TILE_VECTORS) * VECTOR_ELEMENTS<T>;

/* Tiles of a line; an empty line has one too, whose value is the identity. */
template <typename T>
size_t tiles_of(size_t count)
{
    return count == 0 ? 1 : (count - 1) / TILE_ELEMENTS<T> + 1;
}

/* Values are kept so far apart that each row of them begins at a vector. */
template <typename T>
size_t values_ld(size_t values)
{
    return (values + VECTOR_ELEMENTS<T> - 1) / VECTOR_ELEMENTS<T> * VECTOR_ELEMENTS<T>;
}

} // namespace

#endif
