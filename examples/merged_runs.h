/* The second half of sorting a file that is larger than memory: sorted runs into one. */
#ifndef EXAMPLES_MERGED_RUNS_H
#define EXAMPLES_MERGED_RUNS_H

#include "sorted_runs.h"

/* How many passes over the file make one run of so many. */
int merge_passes(uint64_t runs);

/* So that a piece has a key. */
enum { MERGED_RUNS_LEAST_KEYS = 9 };

/* Passes until there is one run, from files[0] to files[1], back, and so on; each key is read and
 * written once in a pass. Runs have run_keys keys, and the last one what remains; runs of which
 * there are more than one have at least MERGED_RUNS_LEAST_KEYS. The device and the host hold no
 * more than sort_runs() has them hold.
 *
 * A pass makes one run of every eight, as many as prim_co_ranks_host() divides: merging two would
 * read and write the file three times for that. Of each run the host holds a window, that is its
 * next keys: at least a piece of them, if the run still has as many. So the next piece of the
 * output lies in the windows, and prim_co_ranks_host() says where it ends in each. What lies before
 * goes to the device, where three rounds of prim_merge() make the piece of it. Each key so crosses
 * the link once in each direction, and windows need no memory of the device.
 *
 * Two pieces are under way, each with a stream and with buffers of its own: while the device merges
 * one, the one before it is written and the windows are filled for the next one. */
void merge_runs(const char *program, const key_file *keys, size_t run_keys,
                const exact_file files[2], progress *done);

#endif
