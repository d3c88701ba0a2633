#include "use.h"

#include <primitives/gemm.h>

int main(void)
{
    const float a[4] = {1, 2, 3, 4}, b[4] = {5, 6, 7, 8}, product[4] = {19, 22, 43, 50};
    const void *d_a = on_device(a, sizeof a), *d_b = on_device(b, sizeof b);
    void *d_c = on_device(NULL, sizeof product);
    return outcome(prim_gemm(PRIM_GEMM_AUTO, PRIM_NOT_TRANSPOSED, PRIM_NOT_TRANSPOSED, 1,
                             prim_matrix_of(CUDA_R_32F, d_a, 2, 2, 0),
                             prim_matrix_of(CUDA_R_32F, d_b, 2, 2, 0), 0,
                             prim_matrix_of(CUDA_R_32F, d_c, 2, 2, 0), PRIM_COMPUTE_DEFAULT, NULL),
                   d_c, product, sizeof product);
}
