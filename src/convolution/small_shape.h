/* How SMALL's blocks divide an image: chosen for each call by small_shape.c. */
#ifndef PRIM_CONVOLUTION_SMALL_SHAPE_H
#define PRIM_CONVOLUTION_SMALL_SHAPE_H

#include "convolution/convolution_args.h"

#if defined(__cplusplus)
extern "C" {
#endif

enum {
    PRIM_SMALL_THREADS = 256, /* of a block */
    PRIM_SMALL_SEVERAL = 4,   /* outputs of a thread, side by side, unless it has one */
    PRIM_SMALL_TAPS = 4       /* of a mask's row that are taken at once: rows are padded to them */
};

/* Distances within a tile are elements, which have the type of row sums. */
typedef struct prim_small_shape {
    int outputs;                     /* of a thread */
    int columns, high;               /* outputs of a block, in pixels; columns: 0 where none fits */
    int bits;                        /* 2^: threads side by side, those of all channels */
    int rows, row_elements;          /* of the tile, and of one of its rows that are copied */
    int copy_bits;                   /* 2^: threads that copy a row */
    int pitch, plane, sums_plane;    /* from row to row, and from channel to channel */
    int places_at, tile_at, sums_at; /* bytes of shared memory before them; the mask comes first */
    size_t bytes;                    /* of shared memory */
} prim_small_shape;

prim_small_shape prim_convolution_small_shape(const prim_convolution_args *args,
                                              size_t element_bytes);

/* What a multiprocessor has to do, in products of one output. */
size_t prim_convolution_small_work(const prim_convolution_args *args, size_t element_bytes);

#if defined(__cplusplus)
}
#endif

#endif
