/* A C++ program that includes every header and links every pattern. */
#include <primitives/primitives.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>

static_assert(prim_type_of<float>() == CUDA_R_32F && prim_type_of<double>() == CUDA_R_64F &&
                  prim_type_of<std::int8_t>() == CUDA_R_8I &&
                  prim_type_of<std::uint16_t>() == CUDA_R_16U &&
                  prim_type_of<int>() == CUDA_R_32I && prim_type_of<long>() == CUDA_R_64I &&
                  prim_type_of<unsigned long long>() == CUDA_R_64U,
              "types of elements");

/* What a scan needs, of elements of type T. */
template <typename T>
static std::size_t workspace_of(std::size_t count)
{
    prim_answer answer;
    prim_call call = {};
    call.answer = &answer;
    return prim_scan(PRIM_SCAN_REDUCE_THEN_SCAN, PRIM_SCAN_INCLUSIVE, PRIM_OP_SUM,
                     PRIM_TRANSFORM_NONE, prim_type_of<T>(), nullptr, count, prim_type_of<T>(),
                     nullptr, nullptr, &call) == PRIM_OK
               ? answer.workspace_bytes
               : 0;
}

int main()
{
    if (workspace_of<double>(1 << 20) == 0)
        return std::printf("%s\n", prim_last_error(nullptr)), 1;
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
