/* The order in which WARP_PER_ROW, SPLIT and the host add the products of an element of y. It
 * depends only on the shape, the op and the types, so that the bits are the same on every device.
 *
 * A product is rounded before it is added. Where a row of op(A) lies along memory, its products are
 * taken in vectors, as many as 16 bytes of A have. A lane has a sum for each place in its vectors,
 * and adds to them from front to back, from 0 on:
 *
 *     vectors    0  1  2 …  31      lane 0: vectors 0, 32, 64, …       (WARP_PER_ROW)
 *               32 33 34 …          or 0, 256, 512, … of a piece       (SPLIT)
 *
 * Then a lane's sums are added, halves first: of 16 places 0 with 8, 1 with 9, …, down to one; then
 * lanes 0 … 15 with 16 … 31, down to lane 0; and a block's warps likewise. Where the row lies
 * across memory, thread h of `height` takes rows h, h + height, … of a piece, and threads add up
 * halves first. A single column counts as a row, and rows of one element as a column.
 *
 * SPLIT's pieces are of one length, the last one excepted. Their sums are added as if they were a
 * column: thread h takes those of pieces h, h + height, …, and halves first. */
#ifndef PRIM_GEMV_ORDER_H
#define PRIM_GEMV_ORDER_H

#include <stddef.h>

#include "common/host/sizes.h"

enum {
    PRIM_GEMV_VECTOR_BYTES = 16,
    PRIM_GEMV_LANES = 32,
    PRIM_GEMV_THREAD_BITS = 8,
    PRIM_GEMV_THREADS = 1 << PRIM_GEMV_THREAD_BITS,
    PRIM_GEMV_SHORT_ROW = 512, /* vectors; AUTO gives longer rows to blocks */
    /* The least length of a piece of a row, in vectors; and the number of pieces that fills a
     * device. */
    PRIM_GEMV_LEAST_PIECE = 4 * PRIM_GEMV_THREADS,
    PRIM_GEMV_ENOUGH_PIECES = 8192,
    /* Across memory: 128 bytes of a row for each block. Few rows are one piece, with narrow blocks
     * of 32 bytes, so that there are enough of them; or with wide ones where there are enough
     * anyway. */
    PRIM_GEMV_ACROSS_BITS = 3,
    PRIM_GEMV_FEW_ROWS = 1024,
    PRIM_GEMV_NARROW_ACROSS_BITS = 1,
    PRIM_GEMV_WIDE_ACROSS_BITS = 5,
    PRIM_GEMV_WIDE_VECTORS = 1 << 14,
    PRIM_GEMV_DEPTH = 128,     /* rows of a thread */
    PRIM_GEMV_LEAST_DEPTH = 8, /* where there would be too few blocks otherwise */
    PRIM_GEMV_ENOUGH_BLOCKS = 512,
    /* For the pieces' sums. */
    PRIM_GEMV_SUMS_HEIGHT_BITS = 5
};

/* The exponent of the smallest power of two that is not less than count, `most` at most. */
static inline unsigned prim_bits_for(size_t count, unsigned most)
{
    unsigned bits = 0;
    while (bits < most && (size_t)1 << bits < count)
        bits++;
    return bits;
}

/* WARP_PER_ROW: the base-2 logarithm of the lanes for a row of that many vectors. */
static inline unsigned prim_gemv_lane_bits(size_t vectors)
{
    return prim_bits_for(vectors, 5);
}

/* SPLIT along memory: vectors of a piece, a multiple of the block's threads. */
static inline size_t prim_gemv_piece_of_row(size_t outputs, size_t vectors)
{
    size_t piece = PRIM_GEMV_LEAST_PIECE;
    while (piece < vectors &&
           outputs >= prim_divide_up(PRIM_GEMV_ENOUGH_PIECES, prim_divide_up(vectors, 2 * piece)))
        piece *= 2;
    return piece;
}

/* A block's threads stand `across` side by side and `height` deep; both are powers of two. */
typedef struct prim_gemv_block {
    unsigned across_bits, height_bits, depth;
    size_t strips, pieces; /* side by side, and down the rows */
} prim_gemv_block;

static inline unsigned prim_gemv_most_across_bits(size_t inner, size_t vectors)
{
    if (inner > PRIM_GEMV_FEW_ROWS)
        return PRIM_GEMV_ACROSS_BITS;
    /* Of up to 32 rows, no block is deeper than there are rows. A thread without a row would add 0
     * to a sum that is never −0, so this does not change any bits. */
    const unsigned shallow = PRIM_GEMV_THREAD_BITS - prim_bits_for(inner, PRIM_GEMV_THREAD_BITS);
    if (shallow >= PRIM_GEMV_ACROSS_BITS && vectors < PRIM_GEMV_WIDE_VECTORS)
        return shallow;
    if (vectors < PRIM_GEMV_WIDE_VECTORS)
        return PRIM_GEMV_NARROW_ACROSS_BITS;
    unsigned bits = PRIM_GEMV_WIDE_ACROSS_BITS;
    while (bits < PRIM_GEMV_THREAD_BITS && vectors >> bits > PRIM_GEMV_ENOUGH_BLOCKS)
        bits++;
    return bits > shallow ? bits : shallow;
}

/* SPLIT across memory: `inner` rows of that many vectors of outputs. */
static inline prim_gemv_block prim_gemv_block_of(size_t inner, size_t vectors)
{
    prim_gemv_block b;
    b.across_bits = prim_bits_for(vectors, prim_gemv_most_across_bits(inner, vectors));
    b.height_bits = PRIM_GEMV_THREAD_BITS - b.across_bits;
    b.strips = prim_divide_up(vectors, (size_t)1 << b.across_bits);
    b.depth = PRIM_GEMV_DEPTH;
    b.pieces = 1;
    if (inner <= PRIM_GEMV_FEW_ROWS) {
        b.depth = inner == 0 ? 1 : (unsigned)prim_divide_up(inner, (size_t)1 << b.height_bits);
        return b;
    }
    while (b.depth > PRIM_GEMV_LEAST_DEPTH &&
           b.strips * prim_divide_up(inner, (size_t)b.depth << b.height_bits) <
               PRIM_GEMV_ENOUGH_BLOCKS)
        b.depth /= 2;
    b.pieces = prim_divide_up(inner, (size_t)b.depth << b.height_bits);
    return b;
}

/* For the pieces' sums: across the outputs, down the pieces. */
static inline prim_gemv_block prim_gemv_block_of_sums(size_t pieces, size_t outputs)
{
    prim_gemv_block b = {0, 0, 0, 0, 1};
    b.height_bits = prim_bits_for(pieces, PRIM_GEMV_SUMS_HEIGHT_BITS);
    b.across_bits = prim_bits_for(outputs, PRIM_GEMV_THREAD_BITS - b.height_bits);
    b.height_bits = PRIM_GEMV_THREAD_BITS - b.across_bits;
    b.strips = prim_divide_up(outputs, (size_t)1 << b.across_bits);
    return b;
}

#endif
