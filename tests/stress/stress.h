/* The calls that stress.c makes: each chooses its arguments by dials, and compares with the host's
 * version, or with a plain loop. */
#ifndef TESTS_STRESS_STRESS_H
#define TESTS_STRESS_STRESS_H

#include "trial.h"

typedef struct stress_call {
    const char *name; /* NULL after the last */
    void (*run)(trial *t);
} stress_call;

extern const stress_call reduce_calls[], scan_calls[], histogram_calls[], merge_calls[],
    dense_calls[], convolution_calls[], sparse_calls[], conversion_calls[], distributed_calls[];

#endif
