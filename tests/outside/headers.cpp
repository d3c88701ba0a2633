/* A C++ program that includes every header and links every pattern. */
#include <primitives/primitives.h>

#include <cstdio>

int main()
{
    const char *const names[] = {
        prim_binary_gemm_variant_info(PRIM_BINARY_GEMM_AUTO)->name,
        prim_convolution_variant_info(PRIM_CONVOLUTION_AUTO)->name,
        prim_gemm_variant_info(PRIM_GEMM_AUTO)->name,
        prim_gemv_variant_info(PRIM_GEMV_AUTO)->name,
        prim_histogram_variant_info(PRIM_HISTOGRAM_AUTO)->name,
        prim_merge_variant_info(PRIM_MERGE_AUTO)->name,
        prim_reduce_variant_info(PRIM_REDUCE_AUTO)->name,
        prim_scan_variant_info(PRIM_SCAN_AUTO)->name,
        prim_spmv_variant_info(PRIM_SPMV_AUTO)->name,
    };
    for (const char *name : names)
        if (!name)
            return 1;
    const double values[3] = {1, 2, 4};
    double sums[3];
    if (prim_scan_host(PRIM_SCAN_INCLUSIVE, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, CUDA_R_64F, values, 3,
                       CUDA_R_64F, sums, nullptr, 2) != PRIM_OK)
        return std::printf("%s\n", prim_last_error(nullptr)), 1;
    std::printf("%s %g\n", prim_version(), sums[2]);
    return !(sums[2] == 7);
}
