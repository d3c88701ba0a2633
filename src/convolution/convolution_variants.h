/* Inside convolution: the arguments that travel together, and the table of its rungs. */
#ifndef PRIM_CONVOLUTION_VARIANTS_H
#define PRIM_CONVOLUTION_VARIANTS_H

#include <primitives/convolution.h>

#include "common/ladder.h"

#if defined(__cplusplus)
extern "C" {
#endif

/* A vector is an image of one row and one channel. Of mask's pointers, queries too know whether
 * they are NULL. */
typedef struct prim_convolution_args {
    prim_call call;
    bool is_vector;
    unsigned flags;
    prim_boundary boundary;
    const void *fill; /* host; NULL for zeros */
    prim_image in, out;
    prim_mask mask;
} prim_convolution_args;

/* Up the ladder. */
extern const prim_rung prim_convolution_rungs[];
int prim_convolution_choose(const void *args); /* the rung for PRIM_CONVOLUTION_AUTO */

/* Every block has 256 threads. 8,000 weights are 32,000 of the 32,764 bytes that a kernel's
 * arguments may have. A mask of 15 is the widest that leaves a tile some outputs. */
enum {
    PRIM_CONVOLUTION_MOST_CHANNELS = 4,
    PRIM_CONVOLUTION_MOST_SIDE = 255, /* of a mask */
    PRIM_CONVOLUTION_BLOCK = 256,
    PRIM_CONVOLUTION_CONSTANT_WEIGHTS = 8000,
    PRIM_CONVOLUTION_TILE_SIDE = 16,
    PRIM_CONVOLUTION_TILE_MASK = PRIM_CONVOLUTION_TILE_SIDE - 1
};

/* A block's extent, in outputs. */
typedef struct prim_convolution_extent {
    size_t x, y;
} prim_convolution_extent;

/* Of a block with a thread for each output: as wide as a row, but no wider than a warp unless the
 * image is lower than the block. */
prim_convolution_extent prim_convolution_block(const prim_convolution_args *args);

/* What a tile leaves of itself as outputs. Images of one row have tiles of one row. */
bool prim_convolution_tile_is_row(const prim_convolution_args *args);
prim_convolution_extent prim_convolution_tile(const prim_convolution_args *args);

cudaError_t prim_convolution_basic(const void *args);
cudaError_t prim_convolution_constant(const void *args);
cudaError_t prim_convolution_tiled_halo(const void *args);

/* The CPU's version, args pointing to host memory. */
prim_status prim_convolution_on_host(const prim_convolution_args *args, int threads);

#if defined(__cplusplus)
}
#endif

#endif
