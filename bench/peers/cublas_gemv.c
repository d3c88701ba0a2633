/* cuBLAS: y = A · x or Aᵀ · x in f32 or f64, x after A, where 16 bytes begin. It is
 * column-major: a row-major matrix is its own transpose there. */
#include "peers/cublas.h"

#include <string.h>

static bool does(const bench_case *c)
{
    return (c->element == CUDA_R_32F || c->element == CUDA_R_64F) && c->batches == 0;
}

static prim_status run(const bench_case *c, const bench_operands *o, cudaStream_t stream)
{
    const size_t x_at = (elements_of_shape(c) + 3) / 4 * 4;
    const int rows = (int)c->rows, columns = (int)(c->size / c->rows),
              ld = c->ld != 0 ? (int)c->ld : columns;
    const bool transposed = strstr(c->name, "transposed") != NULL;
    const cublasOperation_t op = transposed ? CUBLAS_OP_N : CUBLAS_OP_T;
    const cublasHandle_t handle = cublas_handle_on(stream, o);
    if (c->element == CUDA_R_32F) {
        const float one = 1, zero = 0, *const d_in = o->d_in;
        must_cublas(cublasSgemv(handle, op, columns, rows, &one, d_in + c->offset, ld, d_in + x_at,
                                1, &zero, o->d_out, 1),
                    "sgemv");
    } else {
        const double one = 1, zero = 0, *const d_in = o->d_in;
        must_cublas(cublasDgemv(handle, op, columns, rows, &one, d_in + c->offset, ld, d_in + x_at,
                                1, &zero, o->d_out, 1),
                    "dgemv");
    }
    return PRIM_OK;
}

const bench_peer cublas_gemv = {"cublas", "gemv", does, cublas_workspace_bytes, run};
