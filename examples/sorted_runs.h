/* The first half of sorting a file that is larger than memory: pieces that fit, each sorted. */
#ifndef EXAMPLES_SORTED_RUNS_H
#define EXAMPLES_SORTED_RUNS_H

#include <primitives/merge.h>

#include "exact_file.h"
#include "progress.h"

/* What lies in a file, and how it is to lie. */
typedef struct key_file {
    prim_order order;
    cudaDataType_t type;
    size_t key_bytes;
    uint64_t count; /* keys */
} key_file;

/* Runs that the device holds, and the host in pinned memory. */
enum { SORTED_RUNS_DEVICE = 3, SORTED_RUNS_HOST = 2 };

/* to = the keys of `from`, each run of run_keys of them in order, and what remains too.
 *
 * Two buffers, on the host and on the device, each with a stream: while one run is copied, sorted
 * and copied back, the run before it is written and the one after it is read. They share the
 * sort's workspace and take turns with it, so that the device holds three runs and a little more,
 * and not four. */
void sort_runs(const char *program, const key_file *keys, size_t run_keys, const exact_file *from,
               const exact_file *to, progress *done);

#endif
