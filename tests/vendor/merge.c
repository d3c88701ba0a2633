#include "use.h"

#include <primitives/merge.h>

int main(void)
{
    const int32_t a[3] = {1, 4, 6}, b[2] = {2, 5}, merged[5] = {1, 2, 4, 5, 6};
    const void *d_a = on_device(a, sizeof a), *d_b = on_device(b, sizeof b);
    void *d_merged = on_device(NULL, sizeof merged);
    return outcome(
        prim_merge(PRIM_MERGE_AUTO, PRIM_ASCENDING, CUDA_R_32I, d_a, 3, d_b, 2, d_merged, NULL),
        d_merged, merged, sizeof merged);
}
