/* cuBLAS: y = A · x or Aᵀ · x in f32, x behind A, where 16 bytes begin. It is column-major: a
 * row-major matrix is its own transpose there. */
#include "peers/cublas.h"

#include <string.h>

static bool does(const bench_case *c)
{
    return c->element == CUDA_R_32F;
}

static prim_status run(const bench_case *c, const bench_operands *o, cudaStream_t stream)
{
    const float one = 1, zero = 0;
    const float *const d_a = o->d_in, *const d_x = d_a + (c->size + 3) / 4 * 4;
    const int rows = (int)c->rows, columns = (int)(c->size / c->rows);
    const bool transposed = strcmp(c->name, "transposed") == 0;
    must_cublas(cublasSgemv(cublas_handle_on(stream, o), transposed ? CUBLAS_OP_N : CUBLAS_OP_T,
                            columns, rows, &one, d_a, columns, d_x, 1, &zero, o->d_out, 1),
                "sgemv");
    return PRIM_OK;
}

const bench_peer cublas_gemv = {"cublas", "gemv", does, cublas_workspace_bytes, run};
