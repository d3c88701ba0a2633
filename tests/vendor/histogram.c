#include "use.h"

#include <primitives/histogram.h>

int main(void)
{
    const uint8_t samples[6] = {0, 1, 1, 2, 3, 3};
    const uint32_t counts[2] = {3, 3};
    const prim_histogram_range range = prim_integer_range(0, 4);
    const void *d_samples = on_device(samples, sizeof samples);
    void *d_counts = on_device(NULL, sizeof counts);
    return outcome(
        prim_histogram_even(PRIM_HISTOGRAM_AUTO, range, CUDA_R_8U, d_samples, 6,
                            (prim_counters){.data = d_counts, .bins = 2, .type = CUDA_R_32U}, NULL),
        d_counts, counts, sizeof counts);
}
