#include "use.h"

#include <primitives/reduce.h>

/* Of a reduce of which only sums of f32 were built, everything else is refused. */
int main(void)
{
    const float values[2] = {1, 2};
    const void *d_values = on_device(values, sizeof values);
    void *d_out = on_device(NULL, sizeof(double));
    if (prim_reduce(PRIM_REDUCE_AUTO, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, CUDA_R_32I, d_values, 2,
                    CUDA_R_32I, d_out, NULL, 0, NULL) != PRIM_ERROR_UNSUPPORTED)
        return printf("a sum of i32 is not refused\n"), 1;
    if (prim_reduce(PRIM_REDUCE_AUTO, PRIM_OP_MIN, PRIM_TRANSFORM_NONE, CUDA_R_32F, d_values, 2,
                    CUDA_R_32F, d_out, NULL, 0, NULL) != PRIM_ERROR_UNSUPPORTED)
        return printf("a minimum is not refused\n"), 1;
    return 0;
}
