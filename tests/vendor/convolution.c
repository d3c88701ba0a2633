#include "use.h"

#include <primitives/convolution.h>

int main(void)
{
    const float weights[3] = {1, 2, 1}, values[4] = {1, 2, 3, 4}, sums[4] = {4, 8, 12, 11};
    const prim_mask mask =
        prim_mask_of(CUDA_R_32F, weights, on_device(weights, sizeof weights), 3, 1);
    const void *d_values = on_device(values, sizeof values);
    void *d_sums = on_device(NULL, sizeof sums);
    return outcome(prim_convolve_1d(PRIM_CONVOLUTION_AUTO, 0, PRIM_BOUNDARY_CONSTANT, NULL,
                                    CUDA_R_32F, d_values, 4, mask, d_sums, NULL),
                   d_sums, sums, sizeof sums);
}
