#include "use.h"

#include <primitives/reduce.h>

int main(void)
{
    const float values[5] = {1, 2, 3, 4, 5}, sum = 15;
    const void *d_values = on_device(values, sizeof values);
    void *d_sum = on_device(NULL, sizeof sum);
    return outcome(prim_reduce(PRIM_REDUCE_AUTO, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, CUDA_R_32F,
                               d_values, 5, CUDA_R_32F, d_sum, NULL),
                   d_sum, &sum, sizeof sum);
}
