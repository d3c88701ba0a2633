/* Many GPUs: an array lies in parts on several devices, of one host or of many, and NCCL connects
 * them. The results have the bits of the calls for one device, however the array is divided.
 *
 * This header is not part of primitives.h: it needs nccl.h, and its calls are in the library
 * primitives-distributed. The kit creates no communicator and starts no process.
 *
 * The model. A communicator has R ranks, each with a device of its own. Rank r holds h_counts[r]
 * elements; the parts in rank order are the whole array. A process drives one or more of the ranks,
 * and makes one call for all of these. Every process makes the same calls in the same order, with
 * the same arguments apart from `ranks`; every rank gets the result.
 *
 * What every call has in common:
 *
 *   h_counts   host, total_ranks counts, read during the call; they may differ, and be 0. Their sum
 *              must fit size_t, and so must its bytes.
 *   total_ranks  how many ranks the communicator has, R.
 *   ranks      host, own_ranks of them, in any order, each a different rank of the communicator.
 *   own_ranks  how many ranks this process drives, 1 to 64.
 *
 * The work of a rank is submitted to its stream. A call may block while NCCL waits for other
 * processes, as in NCCL's own calls. The calling thread's current device is the same afterwards.
 * The arguments of all ranks of this process are checked before anything is launched, but not what
 * other processes pass: where a call fails in one process, or a process ends, the others wait for
 * it. So a program that has to go on then polls its streams and ncclCommGetAsyncError(), and after
 * a time of its own choice calls ncclCommAbort(). Every call here first asks
 * ncclCommGetAsyncError(), and returns PRIM_ERROR_NCCL where an earlier operation of a communicator
 * has failed.
 *
 * Asking. Either all ranks of a process have an answer in their `call`, or none has (otherwise
 * PRIM_ERROR_VALUE). With an answer, the call checks everything, writes the workspace of a rank,
 * which is the same for each, and communicates with nobody; answer->variant is NULL. comm may be
 * NULL, as operands may: then the answer is for the current device, and for any rank.
 *
 * There are no variants, and no _host(): what a call for one device takes, the call here takes,
 * unless it says otherwise. Sort, merge, convolution, sparse and dense products over many devices
 * are planned. reduce.h, at PRIM_REDUCE_TILE_BYTES, says how an array larger than all memory is
 * reduced; a histogram adds to its counters with PRIM_HISTOGRAM_ADD.
 *
 * Captures. A captured call consists of the kit's kernels and NCCL's operations, and NCCL's rules
 * hold: all ranks capture a call or none does, and all launch the graphs that they captured
 * together. NCCL advises one process for each GPU: a thread that launches the graphs of several
 * GPUs one after the other may wait for ever in the first. Two threads of one process, each with a
 * GPU, got NCCL's "internal error" (2.28.3) when they captured.
 *
 * For debugging, with PRIM_DISTRIBUTED_AGREE=1 in the environment of every process, all ranks first
 * compare which call this is, h_counts and all arguments that are used and are not pointers, and
 * the call waits for that. Where they differ, or one process refuses its own, every process returns
 * before any work is submitted: the one that refuses with its own status, the others with
 * PRIM_ERROR_VALUE and a message that names the rank that differs from this one. This does not help
 * where a process makes no call at all, or where its h_counts or ranks cannot be used: the others
 * still wait for it. While a stream is captured nothing is compared.
 *
 * Beside the statuses of types.h, every call returns
 *   PRIM_ERROR_VALUE        own_ranks is not 1 to 64, total_ranks is not the communicator's, two
 *                           ranks are the same, or ranks do not agree, see above
 *   PRIM_ERROR_NULL         h_counts, ranks or a rank's comm is NULL
 *   PRIM_ERROR_SIZE         the sum of the counts, or its bytes, does not fit size_t
 *   PRIM_ERROR_NCCL         NCCL returned an error, now or since an earlier call; part of the work
 *                           may have been submitted
 * The message of prim_last_error() names the rank, or, where the communicator has not said which it
 * is, its place in `ranks`. */
#ifndef PRIMITIVES_DISTRIBUTED_H
#define PRIMITIVES_DISTRIBUTED_H

#include <nccl.h>

#include <primitives/histogram.h>
#include <primitives/reduce.h>
#include <primitives/scan.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* A rank that this process drives. All pointers are to memory of the rank's device. */
typedef struct prim_rank {
    ncclComm_t comm;    /* says which rank it is, and which device it has */
    const void *d_in;   /* the rank's part; may be NULL if that is empty */
    const void *d_in_y; /* a second array's part, of the calls that have one; otherwise not used */
    void *d_out;        /* the result */
    void *d_second;     /* a second result, of the calls that have one; otherwise not looked at */
    prim_call call;     /* its stream and workspace, of that device; or it is asked, see above */
} prim_rank;

/* d_out of every rank = op(t(x[0]), t(x[1]), …) of all elements x of all parts: the bits that
 * prim_reduce() with AUTO, and prim_reduce_host(), give for the whole array.
 *
 *   op, transform, in_type, out_type: as for prim_reduce().
 *   ranks      d_in: h_counts[r] elements of in_type. d_out: 1 element of out_type. They must not
 *              overlap each other or d_workspace.
 *
 * Returns what prim_reduce() does, and what is said above.
 *
 * Workspace: for sums and products of floats, T · v bytes, the workspace of prim_reduce() for T
 * values, 16 KB for a tile that a cut divides, and 1 KB, with T = sum of the counts / (16384 /
 * bytes of in_type), rounded up, and v the bytes of the type they are combined in (f32 for 16F and
 * 16BF, otherwise out_type); for all else, R elements of out_type, the workspace of prim_reduce()
 * for the largest part or for R elements, whichever is larger, and 1 KB.
 * Traffic: sums and products of floats, T · v bytes to every rank, and for each cut up to 16 KB
 * from one rank to another; for all else, one element of each rank to every rank.
 * Determinism: as prim_reduce(); the number of ranks, the cut and timing do not matter. */
PRIM_API prim_status prim_distributed_reduce(prim_op op, prim_transform transform,
                                             cudaDataType_t in_type, const size_t *h_counts,
                                             size_t total_ranks, cudaDataType_t out_type,
                                             const prim_rank *ranks, size_t own_ranks);

/* d_out of every rank = x[0] * y[0] + x[1] * y[1] + … of all elements of two arrays, divided alike:
 * the bits that prim_dot() with AUTO, and prim_dot_host(), give for the whole arrays.
 *
 *   in_type, out_type: as for prim_dot().
 *   ranks      d_in: h_counts[r] elements x of in_type. d_in_y: as many y of in_type; they may
 *              overlap those x or be the same. d_out: 1 element of out_type. It must overlap
 *              neither, and none of the three d_workspace.
 *
 * Returns what prim_dot() does, and what is said above.
 * Workspace, traffic and determinism: as prim_distributed_reduce() with SUM, but each cut within a
 * tile sends up to 16 KB of both arrays, and needs room for them; integers need the workspace of
 * prim_dot() for the largest part in place of prim_reduce()'s. */
PRIM_API prim_status prim_distributed_dot(cudaDataType_t in_type, const size_t *h_counts,
                                          size_t total_ranks, cudaDataType_t out_type,
                                          const prim_rank *ranks, size_t own_ranks);

/* Reduces the rows of a matrix of which each rank has a band: here h_counts[r] are rows, and a
 * rank's d_in is h_counts[r] × columns elements of in_type, row-major, with `ld` elements from the
 * start of one row to the next, the same at every rank and at least columns. Gaps between rows are
 * not read.
 *
 * d_out of each rank = the results of its own rows, those of prim_reduce_rows() with AUTO.
 *
 *   op, transform, in_type, out_type: as for prim_reduce_rows().
 *   ranks      d_in: as said. d_out: h_counts[r] elements of out_type. They must not overlap each
 *              other, gaps between rows included, or d_workspace.
 *
 * Returns what prim_reduce_rows() does, and what is said above.
 * Workspace: that of prim_reduce_rows() for the largest band. Traffic: none; no rank waits for
 * another. Determinism: as prim_reduce_rows(). */
PRIM_API prim_status prim_distributed_reduce_rows(prim_op op, prim_transform transform,
                                                  cudaDataType_t in_type, const size_t *h_counts,
                                                  size_t total_ranks, size_t columns, size_t ld,
                                                  cudaDataType_t out_type, const prim_rank *ranks,
                                                  size_t own_ranks);

/* d_out of every rank = the results of all columns of such a matrix: the bits that
 * prim_reduce_columns() with AUTO, and prim_reduce_columns_host(), give for the whole.
 *
 *   op, transform, in_type, out_type: as for prim_reduce_columns().
 *   ranks      d_in: as above. d_out: `columns` elements of out_type. They must not overlap each
 *              other, gaps between rows included, or d_workspace.
 *
 * Returns what prim_reduce_columns() does, and what is said above.
 * Sums and products of floats are combined in tiles of rows: 1024 rows, or 2048, 4096 or 8192 where
 * `columns` elements have up to 64, 32 or 16 bytes; a matrix of up to 1024 rows is one tile.
 * Bands of whole tiles are best: where a cut divides a tile, all its rows are sent to one rank. If
 * there are gaps between such rows, they must begin less than 2 GiB apart, since CUDA has no copy
 * for larger strides.
 * Workspace: for sums and products of floats, T rows of v bytes for each column, with T tiles and v
 * bytes of the type they are combined in (f32 for 16F and 16BF, otherwise out_type), and 16 bytes a
 * row; the rows of the largest tile that a cut divides, and as many again where ld is not columns;
 * one more such row of values; what prim_reduce_columns() needs for T rows; and 1 KB. For all else,
 * R rows of results, 256 bytes for each, and what prim_reduce_columns() needs for the largest band
 * or for R rows, whichever is larger.
 * Traffic: sums and products of floats, T rows of values to every rank, and for each cut within a
 * tile up to a tile of rows; for all else, a row of results of each rank to every rank.
 * Determinism: as prim_reduce_columns(); the number of ranks, the cut and timing do not matter. */
PRIM_API prim_status prim_distributed_reduce_columns(prim_op op, prim_transform transform,
                                                     cudaDataType_t in_type, const size_t *h_counts,
                                                     size_t total_ranks, size_t columns, size_t ld,
                                                     cudaDataType_t out_type,
                                                     const prim_rank *ranks, size_t own_ranks);

/* d_second of every rank = the smallest index i of the whole array at which t(x[i]) is the least
 * (op MIN) or the greatest (op MAX) of all, and d_out = t(x[i]), as prim_arg_reduce() gives them.
 *
 *   op, transform, in_type: as for prim_arg_reduce().
 *   ranks      d_in: h_counts[r] elements of in_type. d_out: 1 element of in_type. d_second: 1
 *              uint64_t. They must not overlap each other or d_workspace.
 *
 * Returns what prim_arg_reduce() does, and what is said above; PRIM_ERROR_SIZE also where all parts
 * are empty.
 * Workspace: that of prim_arg_reduce() for the largest part or for R elements, whichever is larger,
 * R elements, R indices of 8 bytes, and 1 KB. Traffic: an element and an index of each rank to
 * every rank.
 * Determinism: there is one right answer, and every call gives it. */
PRIM_API prim_status prim_distributed_arg_reduce(prim_op op, prim_transform transform,
                                                 cudaDataType_t in_type, const size_t *h_counts,
                                                 size_t total_ranks, const prim_rank *ranks,
                                                 size_t own_ranks);

/* d_out[b] of every rank = how many samples x of all parts have bin(x) = b, with bin(x) as in
 * prim_histogram_even().
 *
 *   variant, range, sample_type  as for prim_histogram_even().
 *   counters   bins, type, flags and outside as for prim_histogram_even(). Its two pointers are not
 *              looked at: each rank has its own. With PRIM_HISTOGRAM_ADD each rank adds the counts
 *              of the whole to what its own counters hold.
 *   ranks      d_in: h_counts[r] samples. d_out: the counters. d_second: the three counters of
 *              samples outside, with PRIM_OUTSIDE_COUNT; otherwise it is not looked at. They must
 *              not overlap each other or d_workspace.
 *
 * Returns what prim_histogram_even() does, and what is said above.
 * Workspace: that of prim_histogram_even() for the largest part, and with PRIM_HISTOGRAM_ADD bins +
 * 3 counters and 512 bytes. Traffic: an all-reduce of the counters.
 * Determinism: the same counters in every run, from every variant, on any number of ranks. */
PRIM_API prim_status prim_distributed_histogram_even(prim_histogram_variant variant,
                                                     prim_histogram_range range,
                                                     cudaDataType_t sample_type,
                                                     const size_t *h_counts, size_t total_ranks,
                                                     prim_counters counters, const prim_rank *ranks,
                                                     size_t own_ranks);

/* Each rank's d_out = its part of the scan of the whole array, and *d_second of every rank = the
 * total of the whole: the bits of d_out and d_total that prim_scan() with AUTO, and
 * prim_scan_host(), give for the whole array without an initial value.
 *
 *   kind, op, transform, in_type, out_type: as for prim_scan().
 *   ranks      d_in: h_counts[r] elements of in_type. d_out: as many of out_type; may be d_in where
 *              the types are the same. d_second: 1 element of out_type, or NULL: not wanted. Apart
 *              from that they must not overlap each other or d_workspace.
 *
 * Returns what prim_scan() does, and what is said above.
 * Workspace: for sums and products of floats, (T + 1) · v bytes, a tile of elements and one of
 * results, 32 KiB each or less, 1 KB, and where out_type is 32F or 64F the workspace of prim_scan()
 * for the largest part, with T = sum of the counts / (32768 / bytes of the wider type), rounded up,
 * and v the bytes of the type they are combined in (f32 for 16F and 16BF, otherwise out_type); for
 * all else, R + 2 elements of up to 8 bytes, 1 KB, and the largest workspace of three: of
 * prim_reduce() for the largest part and for R elements, and of prim_scan() for the largest part.
 * Traffic: sums and products of floats, T · v bytes to every rank, one element of out_type to every
 * rank, and for each cut within a tile up to 32 KiB there and back; for all else, one element of
 * each rank to every rank. Each element is read twice and written once. For sums and products of
 * floats, a rank combines the totals of all tiles before its first one, one after the other; where
 * its part is short, or out_type is 16F or 16BF, before its last one.
 * Determinism: as prim_scan(); the number of ranks, the cut and timing do not matter. */
PRIM_API prim_status prim_distributed_scan(prim_scan_kind kind, prim_op op,
                                           prim_transform transform, cudaDataType_t in_type,
                                           const size_t *h_counts, size_t total_ranks,
                                           cudaDataType_t out_type, const prim_rank *ranks,
                                           size_t own_ranks);

/* d_out of every rank = its carry-in: what the exclusive prim_distributed_scan() has at the first
 * element of its part, so the identity at the first rank. An empty part gets that of the next
 * element; after the last element, that is the total of the whole.
 *
 * It is the d_initial of a later prim_scan(), or is combined with results where these are used:
 * then each element is read once here, and not written. Such scans have the bits of the whole scan
 * where the order changes no bit, however the array is divided; for sums and products of floats
 * where out_type is 32F or 64F and all parts but the last are whole tiles of prim_scan().
 *
 *   op, transform, in_type, out_type: as for prim_distributed_scan().
 *   ranks      d_in: h_counts[r] elements of in_type. d_out: 1 element of out_type. They must not
 *              overlap each other or d_workspace.
 *
 * Returns, workspace, traffic and determinism: as prim_distributed_scan() without its results:
 * where a cut divides a tile, one element goes back to each rank that begins there. The workspace
 * has no part for prim_scan(), and is otherwise the same. */
PRIM_API prim_status prim_distributed_carry(prim_op op, prim_transform transform,
                                            cudaDataType_t in_type, const size_t *h_counts,
                                            size_t total_ranks, cudaDataType_t out_type,
                                            const prim_rank *ranks, size_t own_ranks);

#if defined(__cplusplus)
}
#endif

#endif
