/* cuBLAS: the dot product of two vectors, the second after the first. */
#include "draw.h"
#include "peers/cublas.h"

#include <string.h>

static bool does(const bench_case *c)
{
    return strcmp(listed_name(c), "dot") == 0 && c->result == c->element &&
           (c->element == CUDA_R_32F || c->element == CUDA_R_64F);
}

static prim_status run(const bench_case *c, const bench_operands *o, cudaStream_t stream)
{
    const cublasHandle_t handle = cublas_handle_on(stream, o);
    const int64_t count = (int64_t)c->size;
    const size_t of_y = elements_of_shape(c); /* after x */
    const float *const d_x = (const float *)o->d_in + c->offset;
    const double *const d_x_double = (const double *)o->d_in + c->offset;
    must_cublas(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE), "a result on the device");
    if (c->element == CUDA_R_32F)
        must_cublas(cublasSdot_64(handle, count, d_x, 1, d_x + of_y, 1, o->d_out), "sdot");
    else
        must_cublas(cublasDdot_64(handle, count, d_x_double, 1, d_x_double + of_y, 1, o->d_out),
                    "ddot");
    must_cublas(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST), "scalars on the host");
    return PRIM_OK;
}

const bench_peer cublas_dot = {"cublas", "reduce", does, cublas_workspace_bytes, run};
