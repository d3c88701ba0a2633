/* Inside convolution: the arguments that travel together. */
#ifndef PRIM_CONVOLUTION_ARGS_H
#define PRIM_CONVOLUTION_ARGS_H

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

/* rungs.c: the one table, and what AUTO takes of it. */
extern const prim_rung *const prim_convolution_rungs[];
int prim_convolution_choose_rung(const void *args);

enum {
    PRIM_CONVOLUTION_MOST_CHANNELS = 4,
    PRIM_CONVOLUTION_MOST_SIDE = 255 /* of a mask */
};

/* The CPU's version, args pointing to host memory. */
prim_status prim_convolution_on_host(const prim_convolution_args *args, int threads);

#if defined(__cplusplus)
}
#endif

#endif
