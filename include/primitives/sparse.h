/* Sparse matrices in five formats, and their products with a vector. */
#ifndef PRIMITIVES_SPARSE_H
#define PRIMITIVES_SPARSE_H

#include <primitives/types.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* The rungs of the ladders, one ladder for each format; src/sparse/README.md draws them. The values
 * are pinned. */
typedef enum prim_spmv_variant {
    PRIM_SPMV_AUTO = 0,          /* the fastest rung for the matrix's format */
    PRIM_SPMV_CSR_SCALAR = 1,    /* a thread for each row */
    PRIM_SPMV_CSR_VECTOR = 2,    /* a warp for each row */
    PRIM_SPMV_ELL = 3,           /* a thread for each row, along columns of equal length */
    PRIM_SPMV_COO_SCAN_ALL = 4,  /* each row's thread looks through all entries */
    PRIM_SPMV_COO_SEGMENTED = 5, /* blocks of entries, summed by rows within the block */
    PRIM_SPMV_HYB = 6,           /* ELL for most of each row, segmented COO for the rest */
    PRIM_SPMV_JDS = 7            /* rows sorted by length; a launch for each group of equal ones */
} prim_spmv_variant;

typedef enum prim_sparse_format {
    PRIM_SPARSE_CSR = 0,
    PRIM_SPARSE_COO = 1,
    PRIM_SPARSE_ELL = 2,
    PRIM_SPARSE_HYB = 3,
    PRIM_SPARSE_JDS = 4
} prim_sparse_format;

/* Rows of one length in a JDS matrix: `rows` of them, from place `first_row` of the order by
 * length. Entry s of the group's row r lies at first_entry + s * rows + r. */
typedef struct prim_jds_group {
    size_t first_row, rows, width, first_entry;
} prim_jds_group;

/* What stands in the place of an entry that is not there, in ELL. */
enum { PRIM_SPARSE_PADDING = -1 };

/* A sparse matrix: a format, and the arrays of that format; the other fields are not looked at.
 * Entries that are stored with the value 0 are entries. A place may have several entries; their
 * values add up. Column and row numbers count from 0.
 *
 *   CSR  row_offsets[rows + 1], column_indices[entries], values[entries]: row i's entries are those
 *        from row_offsets[i] to row_offsets[i + 1] - 1.
 *   COO  row_indices[entries], in ascending order; column_indices[entries], values[entries].
 *   ELL  ell_columns and ell_values, ell_width columns of ell_ld (at least rows) elements: entry s
 *        of row i lies at s * ell_ld + i. A row's entries come first; where it has fewer than
 *        ell_width, PRIM_SPARSE_PADDING stands in ell_columns, and the value is not read.
 *   HYB  the fields of ELL, and those of COO for the entries that did not fit; `entries` counts
 *        these only.
 *   JDS  permutation[rows]: the row at each place of the order by length; h_groups[group_count], in
 *        host memory and read during the call, which cover the rows in order (of any widths, and
 *        some entries may belong to none); column_indices[entries], values[entries]. */
typedef struct prim_sparse {
    prim_sparse_format format;
    size_t rows, columns, entries; /* rows and columns below 2^31 */
    cudaDataType_t value_type;     /* CUDA_R_32F or CUDA_R_64F */
    cudaDataType_t offset_type;    /* of row_offsets: CUDA_R_32I or CUDA_R_64I */
    const void *row_offsets;
    const int32_t *row_indices, *column_indices;
    const void *values;
    size_t ell_width, ell_ld;
    const int32_t *ell_columns;
    const void *ell_values;
    const int32_t *permutation;
    const prim_jds_group *h_groups;
    size_t group_count;
} prim_sparse;

/* y = alpha · A · x + beta · y
 *
 *   alpha, beta  used in the type of y. beta = 0: y is not read. alpha = 0: x is not read.
 *   matrix     its arrays on the device, h_groups excepted; arrays may be NULL where they are
 *              empty. Numbers outside of the matrix or offsets out of order are not looked for,
 *              and lead anywhere: prim_sparse_check_host() looks.
 *   d_x        device, matrix.columns elements. May be NULL if there are none.
 *   d_y        device, matrix.rows elements. Must overlap neither d_x nor an array of the matrix.
 *              May be NULL if there are none.
 *
 * Types (values, x and y of one type): CUDA_R_32F, CUDA_R_64F. Pointers need the alignment of their
 * element.
 *
 * Returns what every call does, and
 *   PRIM_ERROR_ENUM         the format does not exist
 *   PRIM_ERROR_TYPE         the types do not exist, or do not go together
 *   PRIM_ERROR_VALUE        rows or columns is 2^31 or more; ell_ld is less than rows; the groups
 *                           do not cover the rows in order, or lie outside of the entries
 *   PRIM_ERROR_OVERLAP      d_y overlaps d_x or an array of the matrix
 *
 * Determinism: each rung gives the same bits in every run on one device; the order in which a row's
 * products are added differs between rungs. The relative error of a row grows at most with its
 * number of entries times the sum of the products' magnitudes. alpha multiplies sums: PRIM_SPMV_HYB
 * those of its two parts, and PRIM_SPMV_COO_SEGMENTED those of rows with entries only, which shows
 * where alpha is not finite or a part leaves the type's range. NaN and infinities in x matter only
 * in columns that have entries.
 * Source: Bell and Garland, Efficient Sparse Matrix-Vector Multiplication on CUDA, NVIDIA 2008;
 * Hwu, Kirk and El Hajj, Programming Massively Parallel Processors, 4th edition (2022), chapter 14.
 */
PRIM_API prim_status prim_spmv(prim_spmv_variant variant, double alpha, prim_sparse matrix,
                               cudaDataType_t x_type, const void *d_x, double beta,
                               cudaDataType_t y_type, void *d_y, void *d_workspace,
                               size_t workspace_bytes, cudaStream_t stream);

/* The workspace of prim_spmv(). In these three, the matrix's arrays are not looked at, h_groups
 * excepted. */
PRIM_API prim_status prim_spmv_workspace_bytes(prim_spmv_variant variant, prim_sparse matrix,
                                               cudaDataType_t x_type, cudaDataType_t y_type,
                                               size_t *bytes);

/* Would prim_spmv() run here? */
PRIM_API bool prim_spmv_supports(prim_spmv_variant variant, prim_sparse matrix,
                                 cudaDataType_t x_type, cudaDataType_t y_type);

/* What AUTO takes for prim_spmv(). */
PRIM_API prim_spmv_variant prim_spmv_choose(prim_sparse matrix, cudaDataType_t x_type,
                                            cudaDataType_t y_type);

/* prim_spmv() on the CPU, any format in host memory, done when the call returns.
 *
 *   threads    1: one thread. n > 1: that many OpenMP threads, each for its own rows; the result
 *              does not depend on it.
 *
 * Returns what prim_spmv() does, less what speaks of variants, workspaces and CUDA;
 * PRIM_ERROR_VALUE also for threads that are not 1 to 1024, PRIM_ERROR_UNSUPPORTED for threads > 1
 * in a library built without OpenMP and for a type that was trimmed from src/sparse/instances.h. */
PRIM_API prim_status prim_spmv_host(double alpha, prim_sparse matrix, cudaDataType_t x_type,
                                    const void *h_x, double beta, cudaDataType_t y_type, void *h_y,
                                    int threads);

/* ---- conversions, in host memory for now ---- */

/* An ell_width for prim_sparse_convert_host(): the longest row's for ELL; for HYB the largest that
 * at least a third of the rows fill. */
enum { PRIM_SPARSE_WIDTH_AUTO = -1 };

/* The bytes that prim_sparse_convert_host() needs for these arguments. Same errors. */
PRIM_API prim_status prim_sparse_convert_bytes_host(prim_sparse from, prim_sparse_format format,
                                                    cudaDataType_t offset_type, int64_t ell_width,
                                                    size_t *bytes);

/* *to = the same matrix in another format; one of the two formats is CSR (CSR to CSR changes the
 * offsets). All its arrays lie in h_memory, one behind the other, h_groups too.
 *
 *   from       a matrix in host memory that prim_sparse_check_host() accepts.
 *   offset_type  of CSR's offsets.
 *   ell_width  columns of ELL's arrays, or PRIM_SPARSE_WIDTH_AUTO. For ELL at least the longest
 *              row's length, for HYB any number. Not looked at for other formats.
 *   h_memory   host, aligned to 16 bytes, `bytes` long. Must not overlap an array of `from`. May be
 *              NULL if that is 0.
 *   to         host, 1 matrix.
 *
 * A row's entries keep their order. Returns PRIM_OK, PRIM_ERROR_ENUM, _TYPE, _NULL, _MISALIGNED,
 * _SIZE, _OVERLAP, PRIM_ERROR_VALUE (a wrong matrix, an ell_width that is too small, more entries
 * than 32-bit offsets count), PRIM_ERROR_UNSUPPORTED (neither format is CSR) or
 * PRIM_ERROR_WORKSPACE (bytes is too small, or malloc() gave nothing). */
PRIM_API prim_status prim_sparse_convert_host(prim_sparse from, prim_sparse_format format,
                                              cudaDataType_t offset_type, int64_t ell_width,
                                              void *h_memory, size_t bytes, prim_sparse *to);

/* The matrix with every array pointer moved from its place behind `from` to the same place behind
 * `to`: for a matrix whose arrays all lie in one piece of memory that has been copied, to the
 * device for example. h_groups stays as it is: a call reads it on the host. */
PRIM_API prim_sparse prim_sparse_moved(prim_sparse matrix, const void *from, const void *to);

/* Is this a valid matrix in host memory? PRIM_OK, or what is wrong, with the place in the sentence:
 * PRIM_ERROR_ENUM, _TYPE, _NULL, _MISALIGNED, _SIZE, _VALUE (a number that is out of range or out
 * of order), or _WORKSPACE (JDS, and malloc() gave nothing). */
PRIM_API prim_status prim_sparse_check_host(prim_sparse matrix);

/* The variants: PRIM_SPMV_AUTO at index 0, then up the ladder; NULL behind the last. */
PRIM_API const prim_variant *prim_spmv_variant_at(size_t index);

/* One of them by its value; NULL for a value that is no variant. */
PRIM_API const prim_variant *prim_spmv_variant_info(prim_spmv_variant variant);

#if defined(__cplusplus)
}
#endif

#endif
