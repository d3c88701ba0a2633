/* cuSPARSE: y = A · x with the arrays that auto has, in CSR, COO or SELL, with 32-bit offsets and
 * indices; of CSR also with what it prepares beforehand. Descriptors are made and given back in
 * each call: they live on the host, and cold times do not see that. */
#include <cusparse.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <primitives/sparse.h>

#include "peers/peers.h"

static void must_cusparse(cusparseStatus_t status, const char *what)
{
    if (status == CUSPARSE_STATUS_SUCCESS)
        return;
    fprintf(stderr, "primbench: cuSPARSE: %s: %s\n", what, cusparseGetErrorString(status));
    exit(1);
}

/* One for the whole run; the process gives it back. */
static cusparseHandle_t handle_on(cudaStream_t stream)
{
    static cusparseHandle_t handle;
    if (handle == NULL)
        must_cusparse(cusparseCreate(&handle), "a handle");
    must_cusparse(cusparseSetStream(handle, stream), "a stream");
    return handle;
}

typedef struct operands {
    cusparseConstSpMatDescr_t a;
    cusparseConstDnVecDescr_t x;
    cusparseDnVecDescr_t y;
    const void *one, *zero;
} operands;

static cusparseConstSpMatDescr_t describe_matrix(const prim_sparse *m, cudaDataType_t type)
{
    const int64_t rows = (int64_t)m->rows, columns = (int64_t)m->columns,
                  entries = (int64_t)m->entries;
    const cusparseIndexType_t i32 = CUSPARSE_INDEX_32I;
    const cusparseIndexBase_t zero = CUSPARSE_INDEX_BASE_ZERO;
    cusparseConstSpMatDescr_t a;
    if (m->format == PRIM_SPARSE_COO)
        must_cusparse(cusparseCreateConstCoo(&a, rows, columns, entries, m->row_indices,
                                             m->column_indices, m->values, i32, zero, type),
                      "a matrix in COO");
    else if (m->format == PRIM_SPARSE_SELL)
        must_cusparse(cusparseCreateConstSlicedEll(
                          &a, rows, columns, entries, entries, PRIM_SPARSE_SLICE_ROWS,
                          m->slice_offsets, m->column_indices, m->values, i32, i32, zero, type),
                      "a matrix in SELL");
    else
        must_cusparse(cusparseCreateConstCsr(&a, rows, columns, entries, m->row_offsets,
                                             m->column_indices, m->values, i32, i32, zero, type),
                      "a matrix in CSR");
    return a;
}

static operands describe(const bench_case *c, const bench_operands *o)
{
    static const float one = 1, zero = 0;
    static const double one_double = 1, zero_double = 0;
    const prim_sparse *m = o->h_state;
    const bool is_f32 = c->element == CUDA_R_32F;
    const int64_t rows = (int64_t)m->rows, columns = (int64_t)m->columns;
    operands d = {.one = is_f32 ? (const void *)&one : &one_double,
                  .zero = is_f32 ? (const void *)&zero : &zero_double};
    d.a = describe_matrix(m, c->element);
    must_cusparse(cusparseCreateConstDnVec(&d.x, columns, o->d_in, c->element), "x");
    must_cusparse(cusparseCreateDnVec(&d.y, rows, o->d_out, c->element), "y");
    return d;
}

static void forget(operands *d)
{
    must_cusparse(cusparseDestroySpMat(d->a), "freeing");
    must_cusparse(cusparseDestroyDnVec(d->x), "freeing");
    must_cusparse(cusparseDestroyDnVec(d->y), "freeing");
}

static bool has_types(const bench_case *c)
{
    return c->element == CUDA_R_32F || c->element == CUDA_R_64F;
}

/* Of drawn cases those that have no plan. */
static bool does(const bench_case *c)
{
    return has_types(c) && strstr(c->name, "-plan") == NULL &&
           strcmp(c->name, "drawn_planned") != 0;
}

static size_t workspace_bytes(const bench_case *c, const bench_operands *o)
{
    operands d = describe(c, o);
    size_t bytes = 0;
    must_cusparse(cusparseSpMV_bufferSize(handle_on(0), CUSPARSE_OPERATION_NON_TRANSPOSE, d.one,
                                          d.a, d.x, d.zero, d.y, c->element,
                                          CUSPARSE_SPMV_ALG_DEFAULT, &bytes),
                  "the size of its workspace");
    forget(&d);
    return bytes;
}

static prim_status run(const bench_case *c, const bench_operands *o, cudaStream_t stream)
{
    operands d = describe(c, o);
    must_cusparse(cusparseSpMV(handle_on(stream), CUSPARSE_OPERATION_NON_TRANSPOSE, d.one, d.a, d.x,
                               d.zero, d.y, c->element, CUSPARSE_SPMV_ALG_DEFAULT, o->d_workspace),
                  "SpMV");
    forget(&d);
    return PRIM_OK;
}

/* What is prepared lies in the workspace and in the matrix's descriptor, which stays until the next
 * case. */
static operands prepared;

static bool does_prepared(const bench_case *c)
{
    const size_t length = strlen(c->name);
    return has_types(c) && strstr(c->name, "-plan") == NULL && strcmp(c->name, "drawn_csr") != 0 &&
           (length < 4 || strcmp(c->name + length - 4, "-coo") != 0) &&
           (length < 5 || strcmp(c->name + length - 5, "-sell") != 0);
}

static size_t prepared_workspace_bytes(const bench_case *c, const bench_operands *o)
{
    if (prepared.a != NULL)
        forget(&prepared);
    prepared = (operands){0};
    return workspace_bytes(c, o);
}

static prim_status run_prepared(const bench_case *c, const bench_operands *o, cudaStream_t stream)
{
    if (prepared.a == NULL) {
        prepared = describe(c, o);
        must_cusparse(cusparseSpMV_preprocess(handle_on(stream), CUSPARSE_OPERATION_NON_TRANSPOSE,
                                              prepared.one, prepared.a, prepared.x, prepared.zero,
                                              prepared.y, c->element, CUSPARSE_SPMV_ALG_DEFAULT,
                                              o->d_workspace),
                      "preparing");
    }
    must_cusparse(cusparseSpMV(handle_on(stream), CUSPARSE_OPERATION_NON_TRANSPOSE, prepared.one,
                               prepared.a, prepared.x, prepared.zero, prepared.y, c->element,
                               CUSPARSE_SPMV_ALG_DEFAULT, o->d_workspace),
                  "SpMV");
    return PRIM_OK;
}

const bench_peer cusparse_spmv = {"cusparse", "spmv", does, workspace_bytes, run};
const bench_peer cusparse_spmv_prepared = {"cusparse_prepared", "spmv", does_prepared,
                                           prepared_workspace_bytes, run_prepared};
