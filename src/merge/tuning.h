/* Numbers of merge that were found by measuring, on an H200: another card may want others. Those of
 * kernels may be set with -D for measurements. RADIX's are in common/sort/radix.cuh, since sparse
 * sorts by it too. */
#ifndef PRIM_MERGE_TUNING_H
#define PRIM_MERGE_TUNING_H

/* ---- the rung that AUTO takes: rungs.c ---- */

/* Keys without values from which on a merge takes STREAMED. For fewer, a search in global memory by
 * each thread is faster. */
#define PRIM_MERGE_FEWEST_FOR_STREAMED 262144

/* Keys up to which a network sorts fastest, and from which on a pass for each byte of them: keys of
 * up to 4 bytes and of 8 bytes, each without and with values. The last of both are inferred. */
#define PRIM_MERGE_MOST_FOR_BITONIC \
    {                               \
        {4096, 2048},               \
        {                           \
            2048, 1024              \
        }                           \
    }
#define PRIM_MERGE_FEWEST_FOR_RADIX \
    {                               \
        {14000, 50000},             \
        {                           \
            1048576, 1048576        \
        }                           \
    }

/* ---- STREAMED ---- */

/* Threads of a block, keys of 4 bytes for each of them and one more, and blocks of a
 * multiprocessor: of merges without values, and with them. */
#ifndef PRIM_MERGE_STREAMED_THREADS
#define PRIM_MERGE_STREAMED_THREADS 256
#define PRIM_MERGE_STREAMED_ITEMS 16
#define PRIM_MERGE_STREAMED_BLOCKS 4
#endif
#ifndef PRIM_MERGE_STREAMED_PAIRS_THREADS
#define PRIM_MERGE_STREAMED_PAIRS_THREADS 128
#define PRIM_MERGE_STREAMED_PAIRS_ITEMS 16
#define PRIM_MERGE_STREAMED_PAIRS_BLOCKS 4
#endif

/* Blocks take turns up to so often, with parts of that many tiles and more, where each further turn
 * gives work to so much more of the blocks. */
#ifndef PRIM_MERGE_STREAMED_ROUNDS
#define PRIM_MERGE_STREAMED_ROUNDS 16
#define PRIM_MERGE_STREAMED_TILES 8
#define PRIM_MERGE_STREAMED_GAIN 0.02
#endif

/* ---- WIDE ---- */

/* Threads of a block, at least four warps; keys of up to 4 bytes for each of them; and blocks of a
 * multiprocessor. */
#ifndef PRIM_MERGE_WIDE_THREADS
#define PRIM_MERGE_WIDE_THREADS 128
#endif
#ifndef PRIM_MERGE_WIDE_ITEMS
#define PRIM_MERGE_WIDE_ITEMS 7
#endif
#ifndef PRIM_MERGE_WIDE_BLOCKS
#define PRIM_MERGE_WIDE_BLOCKS 7
#endif

/* ---- the sorted tiles of both: sort/tile_sort.cu ---- */

/* Threads of a block, with values half as many; and keys of up to 4 bytes for each of them. */
#ifndef PRIM_MERGE_SORT_THREADS
#define PRIM_MERGE_SORT_THREADS 512
#endif
#ifndef PRIM_MERGE_SORT_ITEMS
#define PRIM_MERGE_SORT_ITEMS 17
#endif

#endif
