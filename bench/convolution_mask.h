/* What convolution's bench and its peers share: where a case's weights lie. */
#ifndef BENCH_CONVOLUTION_MASK_H
#define BENCH_CONVOLUTION_MASK_H

#include "bench.h"

#if defined(__cplusplus)
extern "C" {
#endif

typedef struct extent_of_mask {
    size_t width, height;
    int channels;
    bool is_separable;
} extent_of_mask;

extent_of_mask convolution_mask(const bench_case *c);

/* The device's weights begin that many bytes after d_in; after them lie the same, flipped. */
size_t convolution_weights_at(const bench_case *c);

#if defined(__cplusplus)
}
#endif

#endif
