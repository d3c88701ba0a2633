/* Samples of which many fall into few bins: what makes additions to one counter meet. */
#ifndef PRIM_TESTS_SKEWS_H
#define PRIM_TESTS_SKEWS_H

#include <math.h>

#include "support.h"

typedef enum skew {
    ALL_IN_ONE_BIN,
    ALL_BELOW,
    ALL_ABOVE,
    ALL_NAN, /* of integers: above */
    BELOW_AND_ABOVE,
    TWO_IN_TURN,    /* from lane to lane */
    TWELVE_IN_TURN, /* more than a warp holds back */
    SHORT_RUNS,     /* of 13: they end inside of a warp and of a vector */
    LONG_RUNS,      /* of 777 */
    HALF_IN_ONE,    /* and the others anywhere */
    SKEWS
} skew;

/* Of samples in these, a hundred distinct ones are in range, some below, and more above. */
enum { SKEWED_LOWER = 10, SKEWED_UPPER = 110 };
#define SKEWED_RANGE         \
    ((prim_histogram_range){ \
        .lower = SKEWED_LOWER, .upper = SKEWED_UPPER, .real_lower = 10, .real_upper = 110})

static inline double skewed_sample(skew kind, size_t i)
{
    const uint64_t bits = random_bits(i);
    switch (kind) {
    case ALL_IN_ONE_BIN:
        return 57;
    case ALL_BELOW:
        return 3;
    case ALL_ABOVE:
        return 120;
    case ALL_NAN:
        return NAN;
    case BELOW_AND_ABOVE:
        return bits % 2 ? 3 : 120;
    case TWO_IN_TURN:
        return i % 2 ? 12 : 109;
    case TWELVE_IN_TURN:
        return (double)(20 + 7 * (i % 12));
    case SHORT_RUNS:
        return (double)(10 + i / 13 % 100);
    case LONG_RUNS:
        return (double)(10 + i / 777 % 100);
    default:
        return bits % 2 ? 57 : (double)(bits >> 8 & 127);
    }
}

static inline void fill_skewed(cudaDataType_t type, void *h_samples, size_t count, skew kind)
{
    for (size_t i = 0; i < count; i++) {
        const double x = skewed_sample(kind, i);
        if (type_is_float(type))
            write_float(type, h_samples, i, x);
        else
            write_integer(type, h_samples, i, isnan(x) ? 120 : (uint64_t)x);
    }
}

#endif
