/* What merge has, by CUB: merging and sorting keys, ascending and descending. */
#include <cub/device/device_merge.cuh>
#include <cub/device/device_merge_sort.cuh>

template <typename Key, typename Order>
static cudaError_t merge(Order order)
{
    const Key *a = nullptr;
    Key *out = nullptr;
    size_t bytes = 0;
    const cudaError_t error = cub::DeviceMerge::MergeKeys(nullptr, bytes, a, 3, a, 2, out, order);
    if (error != cudaSuccess)
        return error;
    return cub::DeviceMergeSort::StableSortKeysCopy(nullptr, bytes, a, out, 5, order);
}

template <typename Key>
static cudaError_t merge_by(bool descending)
{
    return descending ? merge<Key>(cuda::std::greater<Key>{}) : merge<Key>(cuda::std::less<Key>{});
}

int main(int arguments, char **)
{
    return merge_by<int>(arguments > 1) | merge_by<unsigned>(arguments > 1) |
           merge_by<float>(arguments > 1) | merge_by<double>(arguments > 1);
}
