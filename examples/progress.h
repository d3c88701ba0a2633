/* A bar on standard error, where that is a terminal. */
#ifndef EXAMPLES_PROGRESS_H
#define EXAMPLES_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct progress {
    uint64_t done, all;
    int percent; /* that the bar shows */
    bool shown;
} progress;

progress progress_begin(uint64_t all);
void progress_add(progress *p, uint64_t done);
void progress_end(const progress *p);

#endif
