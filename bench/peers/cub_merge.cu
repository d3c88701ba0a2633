/* CUB's merge of two sorted arrays, the halves of one, and its sorts: the stable merge sort, and
 * the radix sort, which is no merge sort, but what else sorts numbers. All three also of pairs. */
#include <cub/device/device_merge.cuh>
#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>

#include "peers/cub.cuh"

namespace
{

struct merge {
    template <typename T>
    static cudaError_t call(const bench_case &c, const bench_operands &o, void *d_temporary,
                            size_t &bytes, cudaStream_t stream)
    {
        const auto a_count = static_cast<int64_t>(c.m > 0 ? c.m : c.size / 2);
        const auto b_count = static_cast<int64_t>(c.size) - a_count;
        const T *const d_a = first_in<T>(c, o);
        return cub::DeviceMerge::MergeKeys(d_temporary, bytes, d_a, a_count, d_a + a_count, b_count,
                                           static_cast<T *>(o.d_out), cuda::std::less<>(), stream);
    }
};

/* Values lie after all keys. */
template <typename T>
const uint32_t *values_of(const bench_case &c, const void *d_keys)
{
    return reinterpret_cast<const uint32_t *>(static_cast<const T *>(d_keys) + c.size);
}

template <typename T>
uint32_t *values_of(const bench_case &c, void *d_keys)
{
    return reinterpret_cast<uint32_t *>(static_cast<T *>(d_keys) + c.size);
}

struct merge_pairs {
    template <typename T>
    static cudaError_t call(const bench_case &c, const bench_operands &o, void *d_temporary,
                            size_t &bytes, cudaStream_t stream)
    {
        const auto a_count = static_cast<int64_t>(c.m > 0 ? c.m : c.size / 2);
        const auto b_count = static_cast<int64_t>(c.size) - a_count;
        const T *const d_a = first_in<T>(c, o);
        const uint32_t *const d_values = values_of<T>(c, static_cast<const void *>(d_a));
        return cub::DeviceMerge::MergePairs(
            d_temporary, bytes, d_a, d_values, a_count, d_a + a_count, d_values + a_count, b_count,
            static_cast<T *>(o.d_out), values_of<T>(c, o.d_out), cuda::std::less<>(), stream);
    }
};

struct merge_sort {
    template <typename T>
    static cudaError_t call(const bench_case &c, const bench_operands &o, void *d_temporary,
                            size_t &bytes, cudaStream_t stream)
    {
        return cub::DeviceMergeSort::StableSortKeysCopy(
            d_temporary, bytes, first_in<T>(c, o), static_cast<T *>(o.d_out),
            static_cast<int64_t>(c.size), cuda::std::less<>(), stream);
    }
};

struct merge_sort_pairs {
    template <typename T>
    static cudaError_t call(const bench_case &c, const bench_operands &o, void *d_temporary,
                            size_t &bytes, cudaStream_t stream)
    {
        return cub::DeviceMergeSort::SortPairsCopy(
            d_temporary, bytes, first_in<T>(c, o),
            values_of<T>(c, static_cast<const void *>(first_in<T>(c, o))),
            static_cast<T *>(o.d_out), values_of<T>(c, o.d_out), static_cast<int64_t>(c.size),
            cuda::std::less<>(), stream);
    }
};

struct radix_sort {
    template <typename T>
    static cudaError_t call(const bench_case &c, const bench_operands &o, void *d_temporary,
                            size_t &bytes, cudaStream_t stream)
    {
        constexpr int ALL_BITS = 8 * sizeof(T);
        return cub::DeviceRadixSort::SortKeys(d_temporary, bytes, first_in<T>(c, o),
                                              static_cast<T *>(o.d_out), c.size, 0, ALL_BITS,
                                              stream);
    }
};

struct radix_sort_pairs {
    template <typename T>
    static cudaError_t call(const bench_case &c, const bench_operands &o, void *d_temporary,
                            size_t &bytes, cudaStream_t stream)
    {
        constexpr int ALL_BITS = 8 * sizeof(T);
        return cub::DeviceRadixSort::SortPairs(
            d_temporary, bytes, first_in<T>(c, o), static_cast<T *>(o.d_out),
            values_of<T>(c, static_cast<const void *>(first_in<T>(c, o))), values_of<T>(c, o.d_out),
            c.size, 0, ALL_BITS, stream);
    }
};

template <typename What>
cub_call *for_keys(cudaDataType_t type)
{
    switch (type) {
    case CUDA_R_32I:
        return What::template call<int32_t>;
    case CUDA_R_32F:
        return What::template call<float>;
    case CUDA_R_64F:
        return What::template call<double>;
    default:
        return nullptr;
    }
}

cub_call *choose(const bench_case &c)
{
    return is_case(c, "merge")        ? for_keys<merge>(c.element)
           : is_case(c, "pairs")      ? for_keys<merge_pairs>(c.element)
           : is_case(c, "sort")       ? for_keys<merge_sort>(c.element)
           : is_case(c, "sort_pairs") ? for_keys<merge_sort_pairs>(c.element)
                                      : nullptr;
}

cub_call *choose_radix(const bench_case &c)
{
    return is_case(c, "sort")         ? for_keys<radix_sort>(c.element)
           : is_case(c, "sort_pairs") ? for_keys<radix_sort_pairs>(c.element)
                                      : nullptr;
}

} // namespace

const bench_peer CUB_PEER(cub_merge) = cub_peer<choose>("cub" CUB_SUFFIX, "merge");
const bench_peer CUB_PEER(cub_radix_sort) = cub_peer<choose_radix>("cub_radix" CUB_SUFFIX, "merge");
