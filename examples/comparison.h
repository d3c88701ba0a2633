/* Compares what the device has added up with the host's sums, which have another order. */
#ifndef EXAMPLES_COMPARISON_H
#define EXAMPLES_COMPARISON_H

#include <math.h>

/* The distance of two sums of the same terms, relative to the sum of the terms' magnitudes, as the
 * headers give bounds: terms that cancel leave a small sum, but no smaller errors. Equal infinities
 * are equal, and so are NaN. `least` is the type's smallest normal number: below it errors become
 * no smaller either. `most` is its largest: where the magnitudes are beyond, the order decides
 * whether a sum is, and nothing can be said. */
static inline double relative_distance(double a, double b, double magnitudes, double least,
                                       double most)
{
    if (a == b || (isnan(a) && isnan(b)) || magnitudes > most)
        return 0;
    return fabs(a - b) / fmax(magnitudes, least);
}

/* The larger one; NaN where one is. */
static inline double farther(double a, double b)
{
    return a >= b || isnan(a) ? a : b;
}

#endif
