/* Inside convolution: the arguments that travel together. */
#ifndef PRIM_CONVOLUTION_ARGS_H
#define PRIM_CONVOLUTION_ARGS_H

#include <primitives/convolution.h>

#include "common/host/ladder.h"

#if defined(__cplusplus)
extern "C" {
#endif

typedef enum prim_convolution_kind {
    PRIM_CONVOLUTION_OF_IMAGE,
    PRIM_CONVOLUTION_OF_VECTOR,
    PRIM_CONVOLUTION_SEPARABLE
} prim_convolution_kind;

/* A vector is an image of one row and one channel. In queries, too, the mask's pointers are set,
 * but only compared with NULL. */
typedef struct prim_convolution_args {
    prim_request call;
    prim_convolution_kind kind;
    unsigned flags;
    prim_boundary boundary;
    const void *fill; /* host; NULL for zeros */
    prim_image in, out;
    prim_mask mask, mask_y; /* mask_y: of separable masks, whose row is mask; otherwise empty */
    /* Separable masks may take two launches: with a fill, the first one writes a row more than the
     * image has, the sums of a row outside of it, which the second one reads. */
    bool writes_outer_row, reads_outer_row;
} prim_convolution_args;

/* For why_not(). */
#define PRIM_CONVOLUTION_NOT_SEPARABLE "it does not take separable masks"

/* rungs.c: the table of rungs, and the one that AUTO takes. */
extern const prim_rung *const prim_convolution_rungs[];
int prim_convolution_choose_rung(const void *args);

/* Whether SMALL is the fastest rung. */
bool prim_convolution_is_small(const prim_convolution_args *args);

enum {
    PRIM_CONVOLUTION_MOST_CHANNELS = PRIM_MOST_CHANNELS,
    PRIM_CONVOLUTION_MOST_SIDE = 255 /* of a mask */
};

/* Masks of integers over bytes: their sums are divided at the end. */
bool prim_convolution_has_integers(const prim_convolution_args *args);

/* The type of sums: the mask's, or i32 or i64 for integers over bytes, by the mask's size, since
 * weights on the device cannot be read. */
cudaDataType_t prim_convolution_sum_type(const prim_convolution_args *args);

/* What they are divided by; both parts' product, which may lie outside of int32_t before it is
 * checked. */
int64_t prim_convolution_divisor(const prim_convolution_args *args);

/* The CPU's version, args pointing to host memory. */
prim_status prim_convolution_on_host(const prim_convolution_args *args, int threads);

#if defined(__cplusplus)
}
#endif

#endif
