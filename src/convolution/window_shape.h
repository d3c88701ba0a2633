/* How REGISTER's blocks divide an image: chosen for each call by window_shape.c. */
#ifndef PRIM_CONVOLUTION_WINDOW_SHAPE_H
#define PRIM_CONVOLUTION_WINDOW_SHAPE_H

#include <stdbool.h>
#include <stddef.h>

#if defined(__cplusplus)
extern "C" {
#endif

enum {
    PRIM_WINDOW_COLUMNS = 4,       /* pixels side by side of a thread */
    PRIM_WINDOW_THREADS = 384,     /* of a block at most */
    PRIM_WINDOW_SHARED = 48 << 10, /* bytes of a block at most: none has to be asked for */
    PRIM_WINDOW_PIECE_BITS = 20    /* for a division: see window_shape.c */
};

/* What the shape depends on. */
typedef struct prim_window_call {
    size_t width, height; /* of the image, in pixels */
    size_t mask_width, mask_height;
    int channels;
    int source_bytes, element_bytes;
    int rows;             /* outputs of a thread below each other, unless the image is small */
    int reach;            /* elements of a row that a thread reads, from its first column on */
    size_t weight_bytes;  /* of a mask's row in shared memory; 0: weights are arguments */
    bool has_single_rows; /* whether the kernel itself has one row a thread too */
    bool never_has_single_rows; /* nor another one in its place */
    bool stores_from_registers;
    unsigned multiprocessors;
} prim_window_call;

/* A block has 2^thread_bits threads for each channel, 2^across_bits of them side by side. */
typedef struct prim_window_shape {
    int rows; /* outputs of a thread below each other */
    int thread_bits, across_bits;
    int rounds, round_rows;    /* how often a block computes, and rows of outputs each time */
    int columns, high;         /* outputs of a block, in pixels */
    int band;                  /* rows of the mask that are taken at once */
    int tile_at;               /* bytes of shared memory before the tile: weights */
    int pitch, plane;          /* bytes from row to row of the tile, from channel to channel */
    int out_at;                /* bytes of shared memory before outputs */
    int out_pitch, out_plane;  /* from row to row of outputs, from channel to channel */
    int copy_bits;             /* 2^ threads that copy a row */
    int copy_lanes, copy_rows; /* threads that copy a row, and rows that are copied at a time */
    int copy_step;             /* bytes between rows of the tile that a thread copies */
    int pieces;                /* of a row of narrow elements */
    unsigned per_piece;        /* 2^PRIM_WINDOW_PIECE_BITS / pieces, rounded up */
    int rows_on, pieces_on;    /* from one piece of a thread to its next one */
    int store_bits;            /* 2^ threads that store a row */
    int shared_bytes;
} prim_window_shape;

/* Its `rows` are 0 where a mask is taken at once and no tile for all of its rows fits. */
prim_window_shape prim_convolution_window_shape(const prim_window_call *call);

#if defined(__cplusplus)
}
#endif

#endif
