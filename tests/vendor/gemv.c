#include "use.h"

#include <primitives/gemv.h>

int main(void)
{
    const float a[6] = {1, 2, 3, 4, 5, 6}, x[3] = {1, 0, -1}, product[2] = {-2, -2};
    const void *d_a = on_device(a, sizeof a), *d_x = on_device(x, sizeof x);
    void *d_y = on_device(NULL, sizeof product);
    return outcome(
        prim_gemv(PRIM_GEMV_AUTO, PRIM_NOT_TRANSPOSED, 1, prim_matrix_of(CUDA_R_32F, d_a, 2, 3, 0),
                  prim_vector_of(CUDA_R_32F, d_x, 3), 0, prim_vector_of(CUDA_R_32F, d_y, 2), NULL),
        d_y, product, sizeof product);
}
