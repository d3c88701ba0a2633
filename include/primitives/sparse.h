/* Sparse matrices in six formats, and their products with a vector. */
#ifndef PRIMITIVES_SPARSE_H
#define PRIMITIVES_SPARSE_H

#include <primitives/types.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* The rungs of the ladders, one ladder for each format; src/sparse/README.md draws them. The values
 * never change. */
typedef enum prim_spmv_variant {
    PRIM_SPMV_AUTO = 0,          /* as a rule the fastest for the format */
    PRIM_SPMV_CSR_SCALAR = 1,    /* a thread for each row */
    PRIM_SPMV_CSR_VECTOR = 2,    /* a warp for each row */
    PRIM_SPMV_ELL = 3,           /* a thread for each row, along columns of equal length */
    PRIM_SPMV_COO_SCAN_ALL = 4,  /* each row's thread reads all entries */
    PRIM_SPMV_COO_SEGMENTED = 5, /* blocks of entries, summed by rows within the block */
    PRIM_SPMV_HYB = 6,           /* ELL for most of each row, COO by tiles for the rest */
    PRIM_SPMV_JDS = 7,           /* rows sorted by length, in groups of equal ones */
    PRIM_SPMV_CSR_MERGE = 8,     /* merge path: tiles of equal work, in shared memory */
    PRIM_SPMV_SELL = 9,          /* a warp for each slice of 32 rows, ELL within the slice */
    PRIM_SPMV_COO_TILED = 10     /* spans of entries for each warp, in registers */
} prim_spmv_variant;

typedef enum prim_sparse_format {
    PRIM_SPARSE_CSR = 0,
    PRIM_SPARSE_COO = 1,
    PRIM_SPARSE_ELL = 2,
    PRIM_SPARSE_HYB = 3,
    PRIM_SPARSE_JDS = 4,
    PRIM_SPARSE_SELL = 5
} prim_sparse_format;

/* Rows of one length in a JDS matrix: `rows` of them, from place `first_row` of the order by
 * length. Entry s of the group's row r lies at first_entry + s * rows + r. */
typedef struct prim_jds_group {
    size_t first_row, rows, width, first_entry;
} prim_jds_group;

/* The column index of padding, in ELL and SELL. */
enum { PRIM_SPARSE_PADDING = -1 };

/* How many rows a slice of SELL has. */
enum { PRIM_SPARSE_SLICE_ROWS = 32 };

/* A sparse matrix has a format, and the arrays of that format; the other fields are not looked at.
 * Stored zeros are entries like others. A row and column may have several entries; their values add
 * up. Column and row indices count from 0.
 *
 *   CSR  row_offsets[rows + 1], column_indices[entries], values[entries]: row i's entries are those
 *        from row_offsets[i] to row_offsets[i + 1] - 1.
 *   COO  row_indices[entries], in ascending order; column_indices[entries], values[entries].
 *   ELL  ell_columns and ell_values, ell_width columns of ell_ld (at least rows) elements: entry s
 *        of row i lies at s * ell_ld + i. A row's entries come first; where it has fewer than
 *        ell_width, the rest of ell_columns is PRIM_SPARSE_PADDING, whose values are not used.
 *   HYB  the fields of ELL, and those of COO for the entries that did not fit; `entries` counts
 *        these only.
 *   JDS  permutation[rows]: the row at each place of the order by length; h_groups[group_count], in
 *        host memory and read during the call, which cover the rows in order (of any widths, and
 *        some entries may belong to none); column_indices[entries], values[entries]. A call that is
 *        only asked needs the groups too, and prim_sparse_check() alone does without.
 *   SELL slices of 32 rows, the last one filled up with rows that have no entries:
 *        slice_offsets[rows / 32 rounded up, + 1], each a multiple of 32; permutation[rows]: the
 *        row at each place, or NULL where rows are not permuted, also where a call is only asked;
 *        column_indices[entries], values[entries]. Entry s of the row at place 32 i + l lies at
 *        slice_offsets[i] + 32 s + l; padding as in ELL, and `entries` includes it. */
typedef struct prim_sparse {
    prim_sparse_format format;
    size_t rows, columns, entries; /* rows and columns below 2^31 */
    cudaDataType_t value_type;     /* CUDA_R_32F, CUDA_R_64F, CUDA_R_16F or CUDA_R_16BF */
    cudaDataType_t offset_type;    /* of CSR's and SELL's offsets: CUDA_R_32I or CUDA_R_64I */
    const void *row_offsets;
    const int32_t *row_indices, *column_indices;
    const void *values;
    size_t ell_width, ell_ld;
    const int32_t *ell_columns;
    const void *ell_values;
    const int32_t *permutation;
    const prim_jds_group *h_groups;
    size_t group_count;
    const void *slice_offsets;
} prim_sparse;

/* y = alpha · A · x + beta · y
 *
 *   alpha, beta  used in the type of y, or in f32 if that is a half. beta = 0: y is not read.
 *              alpha = 0: x is not read.
 *   matrix     its arrays on the device, h_groups excepted; arrays may be NULL where they are
 *              empty. With indices outside the matrix or offsets out of order, behaviour is
 *              undefined: prim_sparse_check() finds them.
 *   x, y       device; x has matrix.columns elements, and y matrix.rows. y must overlap neither x
 *              nor an array of the matrix. In messages their data are d_x and d_y.
 *
 * Types (values, x and y of one type): CUDA_R_32F, CUDA_R_64F, CUDA_R_16F, CUDA_R_16BF; x and y may
 * also both be CUDA_R_32F with values of CUDA_R_16F or CUDA_R_16BF. Products of halves are summed
 * in f32. PRIM_SPMV_CSR_SCALAR, PRIM_SPMV_CSR_VECTOR, PRIM_SPMV_COO_SCAN_ALL and
 * PRIM_SPMV_COO_SEGMENTED do not take halves. Pointers need the alignment of their element.
 *
 * Returns what every call does, and
 *   PRIM_ERROR_ENUM         the format does not exist
 *   PRIM_ERROR_TYPE         the types do not exist, or cannot be combined
 *   PRIM_ERROR_VALUE        rows or columns is 2^31 or more; ell_ld is less than rows; the groups
 *                           do not cover the rows in order, or lie outside of the entries; x.count
 *                           is not the matrix's columns, or y.count not its rows
 *   PRIM_ERROR_OVERLAP      y overlaps x or an array of the matrix
 *
 * Determinism: each rung gives the same bits in every run and on every GPU: its choices depend only
 * on the matrix's format, sizes and types. The order in which a row's products are added differs
 * between rungs. PRIM_SPMV_CSR_MERGE's order depends only on the row's length and the order of its
 * entries, not on other rows: one lane takes up to 8 entries in turn, four lanes up to 64, a warp
 * up to 512, and longer rows are cut into pieces of 512, whose sums a warp adds up. The error of a
 * row, relative to the sum of the products' magnitudes, grows at most with its number of entries.
 * alpha multiplies sums: PRIM_SPMV_HYB multiplies those of its two parts, and
 * PRIM_SPMV_COO_SEGMENTED and PRIM_SPMV_COO_TILED those of rows with entries only. This shows where
 * alpha is not finite or a part leaves the type's range. In halves, these rungs round each part,
 * where every other rung rounds once. NaN and infinities in x matter only in columns that have
 * entries.
 * Workspace: PRIM_SPMV_CSR_MERGE has 88 bytes for each 3072 entries and rows, in f64 136, and none
 * for a matrix of at most 32768 entries and as many rows, if these have at most 64 entries on
 * average or there are at most 8192 entries in all;
 * PRIM_SPMV_COO_TILED and PRIM_SPMV_HYB have some 16 for each 1024 entries of COO, in f64 24;
 * PRIM_SPMV_COO_SEGMENTED has four times that. PRIM_SPMV_SELL has 264 for each 8192 places, in f64
 * 520, and none for up to 32768. PRIM_SPMV_ELL, PRIM_SPMV_HYB and PRIM_SPMV_JDS have a sum for each
 * 64 entries of rows that are long where few rows have their length, up to 131072 sums for ELL and
 * for each group of JDS. The other rungs need none.
 * Source: Bell and Garland, Efficient Sparse Matrix-Vector Multiplication on CUDA, NVIDIA 2008;
 * Merrill and Garland, Merge-Based Parallel Sparse Matrix-Vector Multiplication, SC16 (2016);
 * Monakov, Lokhmotov and Avetisyan, Automatically Tuning Sparse Matrix-Vector Multiplication for
 * GPU Architectures, HiPEAC 2010;
 * Hwu, Kirk and El Hajj, Programming Massively Parallel Processors, 4th edition (2022), chapter 14.
 */
PRIM_API prim_status prim_spmv(prim_spmv_variant variant, double alpha, prim_sparse matrix,
                               prim_vector x, double beta, prim_vector y, const prim_call *call);

/* prim_spmv() on the CPU, any format in host memory, done when the call returns. A row's products
 * are added one by one to 0, in the order of its entries. No rung for CSR has this order: the last
 * bits differ.
 *
 *   threads    1: one thread. n > 1: that many OpenMP threads, each for its own rows; the result
 *              does not depend on it.
 *
 * Returns what prim_spmv() does, except for variants, workspaces and CUDA; PRIM_ERROR_VALUE also
 * for threads that are not 1 to 1024, PRIM_ERROR_UNSUPPORTED for threads > 1 in a library built
 * without OpenMP and for a type that was trimmed from src/sparse/instances.h. */
PRIM_API prim_status prim_spmv_host(double alpha, prim_sparse matrix, prim_vector x, double beta,
                                    prim_vector y, int threads);

/* ---- a plan, for many products with one structure ---- */

/* d_plan = what depends only on the structure of a CSR matrix, its offsets and columns: where its
 * work is divided, where rows begin and of what kinds they are; and the columns in fewer bytes, for
 * each tile of 3072 entries and rows: 0 bytes where neighbouring rows have neighbouring columns, as
 * in stencils and bands; 16 bits each where they lie within 65536 of each other. For other tiles
 * the plan has no columns: those of the matrix are read.
 *
 * Asked, it says with output_bytes what a plan for a matrix of these sizes takes: some 2.1 bytes
 * for each entry and row, of which a product reads few where the plan is worth it; 0 for a matrix
 * for which PRIM_SPMV_CSR_MERGE needs no workspace. With d_plan NULL plan_bytes does not matter.
 *
 *   matrix     CSR on the device in which prim_sparse_check() finds nothing; otherwise behaviour is
 *              undefined. `values` is not looked at, and may be NULL.
 *   d_plan     device, aligned to 16 bytes, plan_bytes long. Must not overlap row_offsets or
 *              column_indices. May be NULL if none are needed. It may be copied byte by byte to
 *              another address of that alignment, also on another device.
 *
 * A plan serves every product of a matrix with this structure, also with other values, of any type,
 * and with offsets of the other width. Making it needs nothing of the host, so a graph can hold it.
 * Returns what every call does, except for variants, and
 *   PRIM_ERROR_ENUM         the format does not exist
 *   PRIM_ERROR_TYPE         the types of the matrix do not exist
 *   PRIM_ERROR_MISALIGNED   d_plan lacks its alignment
 *   PRIM_ERROR_VALUE        as for prim_spmv()
 *   PRIM_ERROR_OVERLAP      d_plan overlaps row_offsets or column_indices
 *   PRIM_ERROR_WORKSPACE    plan_bytes is less than the plan takes
 *   PRIM_ERROR_UNSUPPORTED  the format is not CSR
 *
 * Determinism: the same plan in every run and on every GPU, apart from bytes that no product uses,
 * which keep what they had.
 * Work: reads offsets and columns once, and writes each tile's part of the plan. Workspace: 16
 * bytes for each tile, and 16. */
PRIM_API prim_status prim_spmv_plan(prim_sparse matrix, void *d_plan, size_t plan_bytes,
                                    const prim_call *call);

/* y = alpha · A · x + beta · y with a plan: the bits of prim_spmv() with PRIM_SPMV_CSR_MERGE.
 *
 *   matrix     CSR, with the offsets and columns that the plan was made of, at any address; values
 *              may be others. All three are read.
 *   d_plan     device, as prim_spmv_plan() filled it. It is only read: any number of products may
 *              use it at once. Whether it belongs to this structure is not checked; with another
 *              one's, behaviour is undefined. Must not overlap y.
 *   the rest   as for prim_spmv(), all types of PRIM_SPMV_CSR_MERGE among them.
 *
 * Returns what prim_spmv() does, except for variants, and what prim_spmv_plan() does for d_plan.
 * Determinism: as PRIM_SPMV_CSR_MERGE.
 * Work: reads values once, columns and rows as the plan has them, and the offsets of long rows
 * again.
 * Workspace: that of PRIM_SPMV_CSR_MERGE, less that of prim_spmv_plan(). */
PRIM_API prim_status prim_spmv_planned(double alpha, prim_sparse matrix, const void *d_plan,
                                       size_t plan_bytes, prim_vector x, double beta, prim_vector y,
                                       const prim_call *call);

/* ---- conversions, in host memory ---- */

/* A width for prim_sparse_convert_host(): for ELL the length of the longest row; for HYB the
 * largest width that at least a third of the rows fill; for SELL 1, or 1024 where 1 would store
 * more than 1.25 times the entries. */
enum { PRIM_SPARSE_WIDTH_AUTO = -1 };

/* *bytes = what prim_sparse_convert_host() needs for these arguments. It returns the same
 * errors. */
PRIM_API prim_status prim_sparse_convert_bytes_host(prim_sparse from, prim_sparse_format format,
                                                    cudaDataType_t offset_type, int64_t width,
                                                    size_t *bytes);

/* *to = the same matrix in another format; one of the two formats is CSR (CSR to CSR changes the
 * offsets). All its arrays lie in h_memory, one after the other, h_groups too.
 *
 *   from       a matrix in host memory that prim_sparse_check_host() accepts.
 *   offset_type  of CSR's offsets.
 *   width      columns of ELL's arrays: for ELL at least the longest row's length, for HYB any
 *              number. For SELL sigma, at least 1: each group of sigma rows is sorted by length,
 *              stably, the longest first; 1 sorts none, and there is no permutation. Or
 *              PRIM_SPARSE_WIDTH_AUTO. Not looked at for other formats.
 *   h_memory   host, aligned to 16 bytes, `bytes` long. Must not overlap an array of `from`. May be
 *              NULL if that is 0.
 *   to         host, 1 matrix.
 *
 * A row's entries keep their order. Returns PRIM_OK, PRIM_ERROR_ENUM, _TYPE, _NULL, _MISALIGNED,
 * _SIZE, _OVERLAP, PRIM_ERROR_VALUE (a wrong matrix, a width that is too small, more entries
 * than 32-bit offsets count), PRIM_ERROR_UNSUPPORTED (neither format is CSR) or
 * PRIM_ERROR_WORKSPACE (bytes is too small, or malloc() failed). */
PRIM_API prim_status prim_sparse_convert_host(prim_sparse from, prim_sparse_format format,
                                              cudaDataType_t offset_type, int64_t width,
                                              void *h_memory, size_t bytes, prim_sparse *to);

/* The matrix with `to` - `from` added to every array pointer: for a matrix whose arrays all lie in
 * one piece of memory that was copied from `from` to `to`, to the device for example. h_groups
 * stays as it is: a call reads it on the host. */
PRIM_API prim_sparse prim_sparse_moved(prim_sparse matrix, const void *from, const void *to);

/* Checks a matrix in host memory. Returns PRIM_OK where it is valid, or what is wrong, with the
 * place in the error message: PRIM_ERROR_ENUM, _TYPE, _NULL, _MISALIGNED, _SIZE, _VALUE (a number
 * that is out of range or out of order), or _WORKSPACE (for a permutation, where
 * malloc() failed). */
PRIM_API prim_status prim_sparse_check_host(prim_sparse matrix);

/* ---- the check, on the device ---- */

/* What prim_sparse_check() checks, in this order; a finding names the rule that is broken. */
typedef enum prim_sparse_rule {
    PRIM_SPARSE_SOUND = 0,   /* no rule is broken */
    PRIM_SPARSE_OFFSETS = 1, /* row_offsets or slice_offsets: from 0 to `entries`, none less than
                                the one before; slices are multiples of 32 */
    PRIM_SPARSE_ROWS = 2,    /* row_indices: rows of the matrix, in ascending order */
    PRIM_SPARSE_ELL_COLUMNS = 3, /* ell_columns: columns of the matrix, and then padding */
    PRIM_SPARSE_STRIPS = 4,      /* SELL's column_indices, likewise; after the last row, padding */
    PRIM_SPARSE_PERMUTATION = 5, /* permutation: each row once */
    PRIM_SPARSE_COLUMNS = 6      /* column_indices: columns of the matrix */
} prim_sparse_rule;

/* `rule` is a prim_sparse_rule, `place` an index into the array that it speaks of; both are 0 where
 * the matrix is sound. */
typedef struct prim_sparse_finding {
    uint64_t rule, place;
} prim_sparse_finding;

/* *d_finding = what is wrong with a matrix in device memory: what prim_sparse_check_host() finds
 * first, rule by rule and row by row, and the same in every run.
 *
 *   matrix     its arrays on the device, h_groups excepted, which the call checks on the host,
 *              unless it is only asked and they are NULL. Whatever they hold, nothing outside them
 *              is read.
 *   d_finding  device, one. Must not overlap an array of the matrix.
 *
 * The wrong number is at `place`. After a rule that is broken, no other is checked.
 * Returns what every call does, except for variants, and
 *   PRIM_ERROR_ENUM         the format does not exist
 *   PRIM_ERROR_TYPE         the types do not exist
 *   PRIM_ERROR_VALUE        as for prim_spmv()
 *   PRIM_ERROR_OVERLAP      d_finding overlaps an array of the matrix
 *
 * Workspace: 4 bytes a row, where there is a permutation; otherwise none. */
PRIM_API prim_status prim_sparse_check(prim_sparse matrix, prim_sparse_finding *d_finding,
                                       const prim_call *call);

/* ---- conversions, on the device ----
 *
 * These calls convert from device memory to device memory, with the same bits in the same places as
 * prim_sparse_convert_host(): from CSR to each format (CSR to CSR changes the offsets), and from
 * each format to CSR.
 *
 * The memory must be allocated before the call, so its size must be known: one number, `size`.
 *
 *   from → to             size                          who knows it
 *   CSR → COO, CSR        the entries                   the host: from.entries
 *   COO → CSR             the entries                   the host: from.entries
 *   JDS → CSR             its groups' rows · width      the host: from.h_groups
 *   CSR → ELL             its width                     prim_sparse_convert_size()
 *   CSR → HYB             its entries, those in COO     prim_sparse_convert_size()
 *   CSR → JDS             its groups                    prim_sparse_convert_size()
 *   CSR → SELL            its places, padding too       prim_sparse_convert_size()
 *   ELL, HYB, SELL → CSR  the entries                   prim_sparse_convert_size()
 *
 *     prim_sparse_convert_size()    on the device: writes the size to device memory
 *     the host                      waits, and copies it: the one step that needs the host
 *     prim_sparse_convert(), asked  on the host: output_bytes, the memory that the target takes
 *     prim_sparse_convert()         on the device: fills it
 *
 * For ELL and JDS an upper bound is enough, and the first call is not needed: a larger width only
 * pads more, and further groups are empty.
 *
 * JDS's groups are made on the device, and to->h_groups points to them in d_memory; but calls read
 * h_groups on the host. So the caller waits, copies group_count groups from there to host memory,
 * and sets h_groups to the copy. Where the host can read d_memory, such as managed memory, h_groups
 * can stay as it is, and the caller only waits. */

/* *d_size = the size that a target in this format needs, as above.
 *
 *   from       a matrix on the device in which prim_sparse_check() finds nothing; otherwise
 *              behaviour is undefined.
 *   format     of the target.
 *   width      for HYB the columns of ELL's arrays, at least 0; for SELL sigma, at least 1, as in
 *              prim_sparse_convert_host(); not looked at for the other formats.
 *   d_size     device, one. Must not overlap an array of `from`.
 *
 * Returns what every call does, except for variants, and
 *   PRIM_ERROR_ENUM         a format does not exist
 *   PRIM_ERROR_TYPE         the types of `from` do not exist
 *   PRIM_ERROR_VALUE        as for prim_spmv(); width is less than 1, for HYB than 0
 *   PRIM_ERROR_OVERLAP      d_size overlaps an array of `from`
 *   PRIM_ERROR_UNSUPPORTED  neither format is CSR; to JDS, there are 2^32 entries or more */
PRIM_API prim_status prim_sparse_convert_size(prim_sparse from, prim_sparse_format format,
                                              int64_t width, uint64_t *d_size,
                                              const prim_call *call);

/* *to = the same matrix in another format, its arrays in d_memory, one after the other. `to` is
 * written when the call returns, the arrays when the work runs.
 *
 *   from, format, width  as for prim_sparse_convert_size(), without PRIM_SPARSE_WIDTH_AUTO; for ELL
 *              `size` is the columns of its arrays, and width the same or 0.
 *   offset_type  of CSR's and SELL's offsets.
 *   size       of the target, as above; for SELL a multiple of 32, for JDS at least 1 where there
 *              are rows. Not looked at where the host knows it.
 *   d_memory   device, aligned to 16 bytes, `bytes` long: at least the output_bytes that the call
 *              answers where it is asked. With d_memory NULL `bytes` does not matter then. Must not
 *              overlap an array of `from`. May be NULL if no bytes are needed.
 *   to         host, 1 matrix. Where the call is only asked it may be NULL, and is not written.
 *   d_missing  device, one, or NULL. *d_missing = by how much `size` was too small: entries of rows
 *              that are longer than ELL's width, entries of CSR or of HYB in COO, groups of JDS, or
 *              places of SELL. 0: the target is the whole matrix. Otherwise it is a valid matrix of
 *              what fits, the first entries of a row and the first rows, and nothing outside it was
 *              written; the last group of JDS then has all rows that are left, as many entries of
 *              each as the shortest of them has, and further entries belong to no group. Must not
 *              overlap an array of `from` or d_memory.
 *
 * With a size that is too large, memory after the last entry of CSR, HYB and SELL is not written,
 * except for row_indices, which are -1 there; prim_sparse_check() then finds the target wrong. JDS
 * is valid: further groups have no rows. A graph keeps the sizes of its capture, and the groups of
 * a JDS matrix that it converts: d_missing tells whether the sizes sufficed in a replay.
 *
 * Returns what prim_sparse_convert_size() does, and
 *   PRIM_ERROR_TYPE         offset_type does not exist, and the target has offsets
 *   PRIM_ERROR_NULL         to is NULL
 *   PRIM_ERROR_MISALIGNED   d_memory lacks its alignment
 *   PRIM_ERROR_SIZE         the bytes of the target do not fit size_t
 *   PRIM_ERROR_VALUE        size is more than 32-bit offsets count, for SELL not a multiple of 32,
 *                           or for JDS 0; for ELL width is neither 0 nor size
 *   PRIM_ERROR_OVERLAP      operands overlap that must not
 *   PRIM_ERROR_WORKSPACE    bytes is too small
 *
 * Determinism: the same bits in every run and on every GPU.
 * Work: reads and writes each place once; for CSR to COO, and from HYB and JDS, a search among a
 * block's rows for each entry, to HYB and JDS one among rows or groups; to and from SELL one among
 * the slices for each place; with sigma above 1, some log2(sigma)² / 2 comparisons for each row; to
 * JDS a radix sort of the rows, of up to four passes.
 * Workspace: from ELL and SELL, and to ELL, some 8 bytes for each row; from and to HYB 16; from JDS
 * 20, to JDS some 30, and 10 KiB; to SELL some 8 for each slice, and with sigma above 1 another 4
 * for each row, above 1024 another 8; otherwise none. It does not depend on `size`, and is that of
 * prim_sparse_convert_size(). */
PRIM_API prim_status prim_sparse_convert(prim_sparse from, prim_sparse_format format,
                                         cudaDataType_t offset_type, int64_t width, size_t size,
                                         void *d_memory, size_t bytes, prim_sparse *to,
                                         uint64_t *d_missing, const prim_call *call);

/* ---- dense matrices, on the device ---- */

/* *d_size = how many elements of a dense matrix are not 0: the `size` of prim_sparse_from_dense().
 *
 *   in         device, of CUDA_R_32F, CUDA_R_64F, CUDA_R_16F or CUDA_R_16BF; rows and columns are
 *              below 2^31 each. In messages its data is d_in.
 *   d_size     device, one. Must not overlap `in`.
 *
 * Returns what every call does, except for variants, and
 *   PRIM_ERROR_VALUE        rows or columns is 2^31 or more
 *   PRIM_ERROR_OVERLAP      d_size overlaps `in` */
PRIM_API prim_status prim_sparse_from_dense_size(prim_matrix in, uint64_t *d_size,
                                                 const prim_call *call);

/* *to = the nonzero elements as CSR, those of a row in the order of their columns. NaN is not 0; +0
 * and -0 are.
 *
 *   in         as above.
 *   offset_type, size, d_memory, bytes, to, d_missing   as for prim_sparse_convert() to CSR.
 *
 * Returns what prim_sparse_from_dense_size() and prim_sparse_convert() do.
 * Determinism: the same bits in every run and on every GPU.
 * Workspace: some 8 bytes a row; of more than 512 columns, some 16 for each 512 of them. It does
 * not depend on `size`, and is that of prim_sparse_from_dense_size(). */
PRIM_API prim_status prim_sparse_from_dense(prim_matrix in, cudaDataType_t offset_type, size_t size,
                                            void *d_memory, size_t bytes, prim_sparse *to,
                                            uint64_t *d_missing, const prim_call *call);

/* out = a CSR matrix as a dense one.
 *
 *   matrix     CSR on the device in which prim_sparse_check() finds nothing; otherwise behaviour
 *              is undefined.
 *   out        device, with the rows, the columns and the value_type of the matrix. Must not
 *              overlap an array of the matrix. Gaps between rows are not written. In messages its
 *              data is d_out.
 *
 * The entries of one row and column are added to +0 one by one, in their order, and each sum is
 * rounded. So a single -0 becomes +0. It needs no workspace.
 * Returns what every call does, except for variants, and
 *   PRIM_ERROR_ENUM         the format does not exist
 *   PRIM_ERROR_TYPE         the types of the matrix do not exist, or out.type is not its value_type
 *   PRIM_ERROR_VALUE        rows or columns is 2^31 or more, or not that of the matrix
 *   PRIM_ERROR_OVERLAP      out overlaps an array of the matrix
 *   PRIM_ERROR_UNSUPPORTED  the format is not CSR
 *
 * Determinism: the same bits in every run and on every GPU. */
PRIM_API prim_status prim_sparse_to_dense(prim_sparse matrix, prim_matrix out,
                                          const prim_call *call);

/* ---- transposed, on the device ---- */

/* *to = the transpose of a CSR matrix, as CSR; the same arrays are the matrix itself in CSC. The
 * entries of a row of the result are in the order of the rows that they come from, and those of one
 * row and column keep their order. It needs no step on the host.
 *
 *   from       CSR on the device in which prim_sparse_check() finds nothing, of fewer than 2^32
 *              entries; otherwise behaviour is undefined.
 *   offset_type, d_memory, bytes, to   as for prim_sparse_convert().
 *
 * Returns what every call does, except for variants, and
 *   PRIM_ERROR_ENUM         the format does not exist
 *   PRIM_ERROR_TYPE         the types of `from` or offset_type do not exist
 *   PRIM_ERROR_NULL         to is NULL
 *   PRIM_ERROR_MISALIGNED   d_memory lacks its alignment
 *   PRIM_ERROR_VALUE        as for prim_spmv(); more entries than 32-bit offsets count
 *   PRIM_ERROR_OVERLAP      d_memory overlaps an array of `from`
 *   PRIM_ERROR_WORKSPACE    bytes is too small
 *   PRIM_ERROR_UNSUPPORTED  the format is not CSR, or there are 2^32 entries or more
 *
 * Determinism: the same bits in every run and on every GPU.
 * Workspace: up to 26 bytes for each entry, and 10 KiB. */
PRIM_API prim_status prim_sparse_transpose(prim_sparse from, cudaDataType_t offset_type,
                                           void *d_memory, size_t bytes, prim_sparse *to,
                                           const prim_call *call);

/* *to = the entries of a COO matrix in the order of their rows, and in a row of their columns;
 * where d_entries is not NULL, the values of one row and column are added up to one entry. It needs
 * no step on the host.
 *
 *   from       COO on the device, of fewer than 2^32 entries, with its rows in any order. Row and
 *              column indices must lie in the matrix, otherwise behaviour is undefined.
 *   d_memory, bytes, to   as for prim_sparse_convert(): room for as many entries as `from` has, and
 *              to->entries is that number.
 *   d_entries  device, one, or NULL. *d_entries = the number of entries that are left: wait, and
 *              set to->entries to it. Memory after them is not written. Must not overlap an array
 *              of `from` or d_memory.
 *
 * With d_entries NULL, entries of one row and column keep their order. Otherwise the sum of up to
 * 16 values is that from front to back, and of more in an order that depends only on their number;
 * halves are summed in f32, and rounded once. An entry that is alone keeps its bits, and a sum that
 * is 0 stays an entry.
 *
 * Returns what every call does, except for variants, and
 *   PRIM_ERROR_ENUM         the format does not exist
 *   PRIM_ERROR_TYPE         the type of the values does not exist
 *   PRIM_ERROR_NULL         to is NULL
 *   PRIM_ERROR_MISALIGNED   d_memory lacks its alignment
 *   PRIM_ERROR_SIZE         the bytes of the result do not fit size_t
 *   PRIM_ERROR_VALUE        as for prim_spmv()
 *   PRIM_ERROR_OVERLAP      operands overlap that must not
 *   PRIM_ERROR_WORKSPACE    bytes is too small
 *   PRIM_ERROR_UNSUPPORTED  the format is not COO, or there are 2^32 entries or more
 *
 * Determinism: the same bits in every run and on every GPU.
 * Workspace: up to 26 bytes for each entry, and 20 KiB. */
PRIM_API prim_status prim_sparse_sort(prim_sparse from, void *d_memory, size_t bytes,
                                      prim_sparse *to, uint64_t *d_entries, const prim_call *call);

/* The variants: PRIM_SPMV_AUTO at index 0, then up the ladder; NULL after the last. */
PRIM_API const prim_variant *prim_spmv_variant_at(size_t index);

/* One of them by its value; NULL for a value that is no variant. */
PRIM_API const prim_variant *prim_spmv_variant_info(prim_spmv_variant variant);

#if defined(__cplusplus)
}
#endif

#endif
