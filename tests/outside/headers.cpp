/* A C++ program that includes every header and links every pattern. */
#include <primitives/primitives.h>

#include <cstdio>

int main()
{
    const char *const names[] = {
        prim_binary_gemm_variant_name(PRIM_BINARY_GEMM_AUTO),
        prim_convolution_variant_name(PRIM_CONVOLUTION_AUTO),
        prim_gemm_variant_name(PRIM_GEMM_AUTO),
        prim_gemv_variant_name(PRIM_GEMV_AUTO),
        prim_histogram_variant_name(PRIM_HISTOGRAM_AUTO),
        prim_merge_variant_name(PRIM_MERGE_AUTO),
        prim_reduce_variant_name(PRIM_REDUCE_AUTO),
        prim_scan_variant_name(PRIM_SCAN_AUTO),
        prim_spmv_variant_name(PRIM_SPMV_AUTO),
    };
    for (const char *name : names)
        if (!name)
            return 1;
    const double values[3] = {1, 2, 4};
    double sums[3];
    if (prim_scan_host(PRIM_SCAN_INCLUSIVE, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, nullptr, CUDA_R_64F,
                       values, 3, CUDA_R_64F, sums, nullptr, 2) != PRIM_OK)
        return std::printf("%s\n", prim_last_error(nullptr)), 1;
    std::printf("%d.%d.%d %g\n", PRIM_VERSION_MAJOR, PRIM_VERSION_MINOR, PRIM_VERSION_PATCH,
                sums[2]);
    return !(sums[2] == 7);
}
