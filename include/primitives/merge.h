/* Merge two sorted arrays into one, and sort; keys alone or with values. Stable, whether ascending
 * or descending. */
#ifndef PRIMITIVES_MERGE_H
#define PRIMITIVES_MERGE_H

#include <primitives/types.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* The rungs of the ladders, the merge's and the sort's; src/merge/README.md draws them. A rung of
 * one is PRIM_ERROR_UNSUPPORTED in the other's calls. The values never change.
 *
 * In the rungs of the sort from CO_RANK to WIDE, each block sorts its keys, and then sorted runs
 * are merged by the merge's rung of that name. RADIX and BITONIC merge nothing. */
typedef enum prim_merge_variant {
    PRIM_MERGE_AUTO = 0,       /* as a rule the fastest rung that does it */
    PRIM_MERGE_CO_RANK = 1,    /* each thread searches its co-ranks, and merges from there */
    PRIM_MERGE_TILED = 2,      /* a block brings its part into shared memory first */
    PRIM_MERGE_CIRCULAR = 3,   /* a block brings in only what its last tile has used up */
    PRIM_MERGE_MERGE_PATH = 4, /* warps search, threads merge into registers, 16 bytes at a time */
    PRIM_MERGE_STREAMED = 5,   /* a block merges a long part; keys stream through ring buffers */
    PRIM_MERGE_SORT_CO_RANK = 20,
    PRIM_MERGE_SORT_TILED = 21,
    PRIM_MERGE_SORT_STREAMED = 22,
    PRIM_MERGE_SORT_WIDE = 23,   /* four runs at once */
    PRIM_MERGE_SORT_RADIX = 24,  /* a pass for each 8 bits of a key, the lowest first */
    PRIM_MERGE_SORT_BITONIC = 25 /* up to 4096 keys, by a network of comparisons in one block */
} prim_merge_variant;

/* Ascending order has integers by value, and floats from -inf over -0 and +0 to +inf and then NaN:
 * first those without a sign, by rising payload, and then those with one, by falling payload. So
 * two keys are equal only if their bits are. Descending is the exact reverse; equal keys keep their
 * order in both. */
typedef enum prim_order { PRIM_ASCENDING = 0, PRIM_DESCENDING = 1 } prim_order;

/* d_out = the keys of d_a and d_b in order; of equal keys, those of d_a come first.
 *
 *   order      the order that d_a and d_b already have and that d_out gets.
 *   d_a, d_b   device, a_count and b_count keys of key_type. May overlap each other. Each may be
 *              NULL if its count is 0. Where one is not in order, d_out's content is undefined;
 *              nothing else is touched.
 *   d_out      device, a_count + b_count keys. Must overlap neither. May be NULL if both counts are
 *              0.
 *
 * Key types: integers of 8, 16, 32 and 64 bits, CUDA_R_16F, CUDA_R_16BF, CUDA_R_32F, CUDA_R_64F.
 *
 * Returns what every call does, and
 *   PRIM_ERROR_ENUM         order does not exist
 *   PRIM_ERROR_TYPE         key_type is not one of these
 *   PRIM_ERROR_SIZE         the bytes of all keys do not fit size_t
 *   PRIM_ERROR_OVERLAP      d_out overlaps d_a or d_b
 *
 * Determinism: keys keep their bits, also -0, +0 and the payloads of NaN. So every rung gives the
 * same bits.
 * Source: Green, McColl and Bader, GPU Merge Path, ICS 2012; Hwu, Kirk and El Hajj, Programming
 * Massively Parallel Processors, 4th edition (2022), chapter 12. */
PRIM_API prim_status prim_merge(prim_merge_variant variant, prim_order order,
                                cudaDataType_t key_type, const void *d_a, size_t a_count,
                                const void *d_b, size_t b_count, void *d_out,
                                const prim_call *call);

/* Keys, and a value for each of them. */
typedef struct prim_keys {
    const void *keys;   /* device, or host for a _host call: `count` of the call's key_type, aligned
                         * to one of them. May be NULL if count is 0 */
    const void *values; /* likewise: `count` of the call's value_bytes, aligned to that many bytes.
                         * May be NULL if count is 0 */
    size_t count;       /* of keys, and of values */
} prim_keys;

/* prim_merge(), and each value goes where its key goes. Values are moved and never looked at: of
 * equal keys, those of `a` come first with their values, and each array's keep their order.
 *
 *   value_bytes  of each value: 4, 8 or 16. Values are aligned to that many bytes.
 *   a, b       their keys as d_a and d_b of prim_merge(), and their values, called d_a_values and
 *              d_b_values in messages. All four may overlap each other.
 *   d_out      device, a.count + b.count keys.
 *   d_out_values  device, as many values. Neither output may overlap any other operand; both may
 *              be NULL if both counts are 0.
 *
 * Returns what prim_merge() does, and
 *   PRIM_ERROR_VALUE        value_bytes is not one of the three
 *   PRIM_ERROR_UNSUPPORTED  variant is not AUTO or STREAMED
 *
 * The rest is as for prim_merge(). */
PRIM_API prim_status prim_merge_pairs(prim_merge_variant variant, prim_order order,
                                      cudaDataType_t key_type, size_t value_bytes, prim_keys a,
                                      prim_keys b, void *d_out, void *d_out_values,
                                      const prim_call *call);

/* d_out = the keys of d_in in order, equal ones in the order that they have in d_in.
 *
 *   d_in       device, count keys of key_type. May be NULL if count is 0.
 *   d_out      device, count keys. May be d_in itself; must not overlap it in any other way.
 *
 * Returns what prim_merge() does; PRIM_ERROR_OVERLAP: d_out overlaps d_in without being d_in; and
 *   PRIM_ERROR_UNSUPPORTED  SORT_BITONIC, and more than 4096 keys
 *
 * The workspace is as long as d_in, or 0 where one block sorts few keys; that of RADIX, and of AUTO
 * where it takes RADIX, is longer than d_in by up to a byte for each key and 1 MiB. One that is
 * long enough for some number of keys is so for any smaller number.
 *
 * order, key_type and determinism: as for prim_merge().
 * Source: of RADIX Adinets and Merrill, Onesweep: A Faster Least Significant Digit Radix Sort for
 * GPUs, 2022; of BITONIC Batcher, Sorting Networks and Their Applications, AFIPS 1968; of the
 * others that of prim_merge(). */
PRIM_API prim_status prim_merge_sort(prim_merge_variant variant, prim_order order,
                                     cudaDataType_t key_type, const void *d_in, size_t count,
                                     void *d_out, const prim_call *call);

/* prim_merge_sort(), and each value goes where its key goes.
 *
 *   value_bytes  of each value: 4, 8 or 16. Values are aligned to that many bytes.
 *   in         its keys as d_in of prim_merge_sort(), and their values, called d_in and d_values in
 *              messages.
 *   d_out      device, in.count keys. May be in.keys itself.
 *   d_out_values  device, in.count values. May be in.values itself, whether d_out is in.keys or
 *              not; must overlap nothing of the call in any other way, nor must d_out.
 *
 * Returns what prim_merge_sort() does, and
 *   PRIM_ERROR_VALUE        value_bytes is not one of the three
 *   PRIM_ERROR_UNSUPPORTED  variant is not AUTO, SORT_STREAMED, SORT_RADIX or SORT_BITONIC
 *
 * The workspace holds the keys and the values once, and up to 255 bytes more; for RADIX there comes
 * on top what prim_merge_sort() says. */
PRIM_API prim_status prim_merge_sort_pairs(prim_merge_variant variant, prim_order order,
                                           cudaDataType_t key_type, size_t value_bytes,
                                           prim_keys in, void *d_out, void *d_out_values,
                                           const prim_call *call);

/* d_indices = the permutation that sorts d_in: d_indices[0] is the index in d_in of the first key
 * in order. Indices of equal keys ascend. prim_gather() brings values of any size into that order.
 *
 *   d_in       device, count keys of key_type, which stay as they are. May be NULL if count is 0.
 *   index_type CUDA_R_32U, for up to 2^32 keys, or CUDA_R_64U.
 *   d_indices  device, count indices. Must not overlap d_in. May be NULL if count is 0.
 *
 * Returns what prim_merge_sort() does, and
 *   PRIM_ERROR_TYPE         index_type is neither of the two
 *   PRIM_ERROR_SIZE         more than 2^32 keys, for CUDA_R_32U
 *   PRIM_ERROR_UNSUPPORTED  variant is not AUTO, SORT_STREAMED, SORT_RADIX or SORT_BITONIC
 *
 * The workspace holds the keys twice and the indices once, and up to 510 bytes more; for RADIX
 * there comes on top what prim_merge_sort() says. */
PRIM_API prim_status prim_merge_sort_permutation(prim_merge_variant variant, prim_order order,
                                                 cudaDataType_t key_type, const void *d_in,
                                                 size_t count, cudaDataType_t index_type,
                                                 void *d_indices, const prim_call *call);

/* d_ranks[i] = the co-rank of diagonal d_diagonals[i]: how many of the first d_diagonals[i] keys of
 * the merged array come from d_a. The others come from d_b. This divides one merge into independent
 * ones.
 *
 *   order, key_type, d_a, a_count, d_b, b_count   as for prim_merge().
 *   d_diagonals  device, `count` numbers; one above a_count + b_count is taken as that sum.
 *   d_ranks    device, `count` numbers. Must not overlap d_a, d_b or d_diagonals.
 *   count      any number; 0 writes nothing, and the two pointers may be NULL.
 *
 * Returns what prim_merge() does, except for variants; it needs no workspace. One thread for each
 * rank takes log2(min(a_count, b_count)) + 1 steps at most. */
PRIM_API prim_status prim_co_rank(prim_order order, cudaDataType_t key_type, const void *d_a,
                                  size_t a_count, const void *d_b, size_t b_count,
                                  const uint64_t *d_diagonals, size_t count, uint64_t *d_ranks,
                                  const prim_call *call);

/* The most runs that prim_co_ranks() takes. */
enum { PRIM_CO_RANKS_MOST_RUNS = 8 };

/* The same for several sorted runs: d_ranks[i * run_count + r] = how many of the first
 * d_diagonals[i] keys of all runs, merged, come from run r. Of equal keys, those of the earlier run
 * come first. This divides a merge of many runs, or a sort over many devices.
 *
 *   order, key_type  as for prim_merge().
 *   run_count  1 to 8.
 *   h_runs     host, run_count device pointers, read during the call: ascending or descending keys
 *              as `order` says. NULL where a run is empty. Runs may overlap.
 *   h_counts   host, run_count numbers of keys, read during the call, also where it is only asked.
 *   d_diagonals  device, `count` numbers; one above the number of all keys is taken as that number.
 *   d_ranks    device, count * run_count numbers. Must overlap neither a run nor d_diagonals.
 *   count      any number; 0 writes nothing, and the two pointers may be NULL.
 *
 * Returns what prim_co_rank() does, and PRIM_ERROR_VALUE where run_count is not 1 to 8. One block
 * for each diagonal; each step reads 128 keys of each run and leaves about a sixteenth of the keys
 * to search. */
PRIM_API prim_status prim_co_ranks(prim_order order, cudaDataType_t key_type, size_t run_count,
                                   const void *const *h_runs, const size_t *h_counts,
                                   const uint64_t *d_diagonals, size_t count, uint64_t *d_ranks,
                                   const prim_call *call);

/* d_out[i] = d_values[d_indices[i]], for values of any kind.
 *
 *   value_bytes  of each value, at least 1. Where it and both arrays' addresses are multiples of
 *              16, values are moved 16 bytes at a time, otherwise 8, 4, 2 or 1.
 *   d_values   device, value_count values, with any alignment. May be NULL if there are none.
 *   index_type CUDA_R_32U or CUDA_R_64U.
 *   d_indices  device, count indices. Where one is value_count or more, nothing is read, and that
 *              value of d_out keeps what it had.
 *   d_out      device, count values, with any alignment. Must overlap neither d_values nor
 *              d_indices.
 *
 * Returns what every call does, except for variants, and
 *   PRIM_ERROR_TYPE         index_type is neither of the two
 *   PRIM_ERROR_VALUE        value_bytes is 0
 *   PRIM_ERROR_OVERLAP      d_out overlaps d_values or d_indices
 *
 * It needs no workspace. */
PRIM_API prim_status prim_gather(size_t value_bytes, const void *d_values, size_t value_count,
                                 cudaDataType_t index_type, const void *d_indices, size_t count,
                                 void *d_out, const prim_call *call);

/* *d_answer = 1 if the keys of d_in are in order, and 0 if not. Fewer than two keys always are.
 *
 *   order, key_type   as for prim_merge().
 *   d_in       device, count keys of key_type. May be NULL if count is 0.
 *   d_answer   device, one. Must not overlap d_in.
 *
 * Returns what prim_merge() does, except for variants; it needs no workspace. */
PRIM_API prim_status prim_is_sorted(prim_order order, cudaDataType_t key_type, const void *d_in,
                                    size_t count, uint32_t *d_answer, const prim_call *call);

/* The same on the CPU, in host memory, done when the calls return.
 *
 *   threads    1: one thread. n > 1: that many OpenMP threads; each merges one contiguous part of
 *              the output, which prim_co_rank_host() finds. The result does not depend on it.
 *
 * While they run, some calls take memory from malloc(): prim_merge_sort_host() takes room for count
 * keys; the calls with values or indices take room for every key and its index twice; and
 * prim_merge_sort_pairs_host() also takes room for a copy of the values.
 *
 * Return PRIM_OK, PRIM_ERROR_ENUM, _TYPE, _NULL, _MISALIGNED, _SIZE, _OVERLAP, PRIM_ERROR_VALUE
 * (threads is not 1 to 1024, or value_bytes not 4, 8 or 16), PRIM_ERROR_WORKSPACE (malloc() gave
 * nothing), or PRIM_ERROR_UNSUPPORTED (threads > 1 in a library built without OpenMP, or a key type
 * that was trimmed from src/merge/instances.h). */
PRIM_API prim_status prim_merge_host(prim_order order, cudaDataType_t key_type, const void *h_a,
                                     size_t a_count, const void *h_b, size_t b_count, void *h_out,
                                     int threads);
PRIM_API prim_status prim_merge_sort_host(prim_order order, cudaDataType_t key_type,
                                          const void *h_in, size_t count, void *h_out, int threads);
PRIM_API prim_status prim_merge_pairs_host(prim_order order, cudaDataType_t key_type,
                                           size_t value_bytes, prim_keys a, prim_keys b,
                                           void *h_out, void *h_out_values, int threads);
PRIM_API prim_status prim_merge_sort_pairs_host(prim_order order, cudaDataType_t key_type,
                                                size_t value_bytes, prim_keys in, void *h_out,
                                                void *h_out_values, int threads);
PRIM_API prim_status prim_merge_sort_permutation_host(prim_order order, cudaDataType_t key_type,
                                                      const void *h_in, size_t count,
                                                      cudaDataType_t index_type, void *h_indices,
                                                      int threads);
PRIM_API prim_status prim_co_rank_host(prim_order order, cudaDataType_t key_type, const void *h_a,
                                       size_t a_count, const void *h_b, size_t b_count,
                                       const uint64_t *h_diagonals, size_t count,
                                       uint64_t *h_ranks);
PRIM_API prim_status prim_co_ranks_host(prim_order order, cudaDataType_t key_type, size_t run_count,
                                        const void *const *h_runs, const size_t *h_counts,
                                        const uint64_t *h_diagonals, size_t count,
                                        uint64_t *h_ranks);
PRIM_API prim_status prim_gather_host(size_t value_bytes, const void *h_values, size_t value_count,
                                      cudaDataType_t index_type, const void *h_indices,
                                      size_t count, void *h_out);
PRIM_API prim_status prim_is_sorted_host(prim_order order, cudaDataType_t key_type,
                                         const void *h_in, size_t count, uint32_t *h_answer);

/* The variants: PRIM_MERGE_AUTO at index 0, then up the merge's ladder, then up the sort's; NULL
 * after the last. */
PRIM_API const prim_variant *prim_merge_variant_at(size_t index);

/* One of them by its value; NULL for a value that is no variant. */
PRIM_API const prim_variant *prim_merge_variant_info(prim_merge_variant variant);

#if defined(__cplusplus)
}
#endif

#endif
