/* Numbers of histogram that were found by measuring: from where on one way is faster than another.
 * A card other than an H100 or H200 may want others. Threads of a block and loads under way stand
 * beside the kernels, on whose registers and shared memory they depend. */
#ifndef PRIM_HISTOGRAM_TUNING_H
#define PRIM_HISTOGRAM_TUNING_H

#include <stddef.h>

/* ---- the rung that AUTO takes: rungs.c, edges/edges.c ---- */

/* Samples, and samples for each bin, from which on it pays to clear and add up the counters of all
 * blocks. */
#define PRIM_HISTOGRAM_MANY_SAMPLES ((size_t)1 << 17)
#define PRIM_HISTOGRAM_MANY_SAMPLES_OF_A_BIN 16

/* The same, to partition samples, and to add up the counters of each part. */
#define PRIM_HISTOGRAM_ENOUGH_TO_PART ((size_t)1 << 22)
#define PRIM_HISTOGRAM_ENOUGH_TO_PART_OF_A_BIN 8

/* Bins for each sample, up to which it pays to make EDGES_TABLE's table. */
#define PRIM_HISTOGRAM_MOST_BINS_OF_A_SAMPLE 4

/* ---- how bins are found: binning/quick.cuh ---- */

/* Samples from which on a table of each bin's first one pays; and for halves settle(), also where
 * DYADIC is the other way. */
#define PRIM_HISTOGRAM_WORTH_A_TABLE ((size_t)1 << 21)
#define PRIM_HISTOGRAM_WORTH_SETTLING ((size_t)1 << 18)
#define PRIM_HISTOGRAM_BETTER_SETTLED ((size_t)1 << 22)

/* ---- what a block keeps in shared memory: counters/copies.cuh, edges/edges_table.cu ---- */

/* A word of counters takes as long to clear and add up as so many samples to count. */
#define PRIM_HISTOGRAM_SAMPLES_OF_A_WORD 8

/* Slots of EDGES_TABLE's table for each bin; with 8 of them, edges spaced like a tangent's values
 * took twice as long on an H100. */
#define PRIM_HISTOGRAM_SLOTS_OF_A_BIN 16

/* ---- channels: channels/channels_multi_copy.cu ---- */

/* Bytes of a row below which it has more ends than groups, so that columns are taken. */
#define PRIM_HISTOGRAM_SHORT_ROW_BYTES(sample_bytes) ((sample_bytes) == 1 ? 2048 : 6144)

#endif
