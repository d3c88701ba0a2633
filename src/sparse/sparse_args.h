/* Inside sparse: the arguments that travel together. */
#ifndef PRIM_SPARSE_ARGS_H
#define PRIM_SPARSE_ARGS_H

#include <primitives/sparse.h>

#include "common/host/ladder.h"

#if defined(__cplusplus)
extern "C" {
#endif

typedef struct prim_spmv_args {
    prim_request call;
    double alpha;
    prim_sparse matrix;
    cudaDataType_t x_type;
    const void *x;
    size_t x_count;
    double beta;
    cudaDataType_t y_type;
    void *y;
    size_t y_count;
} prim_spmv_args;

typedef struct prim_sparse_check_args {
    prim_request call;
    prim_sparse matrix;
    prim_sparse_finding *finding;
} prim_sparse_check_args;

typedef struct prim_sparse_convert_args {
    prim_request call;
    prim_sparse from;
    prim_sparse_format format;
    cudaDataType_t offset_type;
    int64_t width;
    size_t size;
    void *memory;
    size_t bytes;
    uint64_t *missing;
    bool wants_size;  /* prim_sparse_convert_size() and _from_dense_size(), which have no target */
    uint64_t *d_size; /* of prim_sparse_sort(), how many entries are left; or NULL: all */
    bool transposed;  /* the target's rows are the columns of `from` */
} prim_sparse_convert_args;

/* How many entries CSR, COO or JDS's groups have; at most SIZE_MAX. */
size_t prim_sparse_entries(const prim_sparse *matrix);

/* The target: its arrays in args->memory, *bytes long. false: that does not fit size_t. */
bool prim_sparse_target(const prim_sparse_convert_args *args, prim_sparse *to, size_t *bytes);

/* For calls that make such a target. Checks its types, its size and its layout; and adds the
 * memory, size and d_missing to the operands that are read, and checks that none overlaps
 * another. */
prim_status prim_sparse_check_target(const prim_sparse_convert_args *args);
prim_status prim_sparse_check_written(const prim_sparse_convert_args *args,
                                      prim_operands *operands);

/* What ladders of such calls check: the matrix and the target, where there is one choice of format;
 * and all operands. And how they describe a call. */
prim_status prim_sparse_check_made_kind(const void *args);
prim_status prim_sparse_check_made(const void *args, prim_operands *operands);
void prim_sparse_describe_made(const void *args, char *text, size_t bytes);

/* The bytes of the target, for these ladders' answers; 0 of a call that has none. */
size_t prim_sparse_output_bytes(const void *args);

/* A call that makes a matrix. Where it was submitted, *to is the target. */
prim_status prim_sparse_make_target(const prim_ladder *of, prim_sparse_convert_args *args,
                                    prim_sparse *to, const prim_call *call);

/* A dense matrix to CSR: `convert.from` describes its nonzero elements as CSR. */
typedef struct prim_sparse_from_dense_args {
    prim_sparse_convert_args convert;
    const void *in;
    size_t ld;
} prim_sparse_from_dense_args;

typedef struct prim_sparse_to_dense_args {
    prim_request call;
    prim_sparse matrix;
    prim_matrix out; /* whose ld is not 0 */
} prim_sparse_to_dense_args;

/* rungs.c: the table of rungs, and the one that AUTO takes. */
extern const prim_rung *const prim_spmv_rungs[];
int prim_spmv_choose_rung(const void *args);

/* How CSR_MERGE takes a product, for prim_answer; NULL where nothing is multiplied. */
const char *prim_spmv_csr_merge_route(const prim_spmv_args *args);

/* The arguments of a product. */
prim_spmv_args prim_spmv_args_of(const char *name, prim_spmv_variant variant, double alpha,
                                 prim_sparse matrix, prim_vector x, double beta, prim_vector y);

/* The checks of a ladder of products; y is the last operand. */
prim_status prim_spmv_check_kind(const void *args);
prim_status prim_spmv_check_operands(const void *args, prim_operands *operands);

/* The CPU's version, args pointing to host memory. */
prim_status prim_spmv_on_host(const prim_spmv_args *args, int threads);

/* The format, the types, the sizes and the groups: all but the arrays on the device. The groups
 * must be there even where the call is only asked. */
prim_status prim_sparse_check_shape(const prim_request *call, const prim_sparse *matrix);

prim_status prim_sparse_check_format(const prim_request *call, prim_sparse_format format);

/* "CSR", "COO", …, of a format that exists. */
const char *prim_sparse_format_name(prim_sparse_format format);

/* JDS has one, and SELL where it is not NULL. */
bool prim_sparse_has_permutation(const prim_sparse *matrix);

/* The arrays of the matrix's format as ranges; *count of them. */
enum { PRIM_SPARSE_MOST_ARRAYS = 5 };
prim_status prim_sparse_check_arrays(const prim_request *call, const prim_sparse *matrix,
                                     prim_span *spans, int *count);

/* All of a matrix in host memory, and what its arrays hold. */
prim_status prim_sparse_check_in_host_memory(const prim_request *call, const prim_sparse *matrix);

#if defined(__cplusplus)
}
#endif

#endif
