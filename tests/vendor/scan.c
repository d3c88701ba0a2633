#include "use.h"

#include <primitives/scan.h>

int main(void)
{
    const int32_t values[5] = {1, 2, 3, 4, 5}, sums[5] = {1, 3, 6, 10, 15};
    void *d_values = on_device(values, sizeof values);
    return outcome(prim_scan(PRIM_SCAN_AUTO, PRIM_SCAN_INCLUSIVE, PRIM_OP_SUM, PRIM_TRANSFORM_NONE,
                             CUDA_R_32I, d_values, 5, CUDA_R_32I, d_values, NULL, NULL),
                   d_values, sums, sizeof sums);
}
