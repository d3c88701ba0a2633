/* The scan of nothing, in all variants: the total, where one is wanted, is the initial value. */
#include <cstring>

#include "common/launch.cuh"
#include "scan/tile.cuh"

namespace
{
namespace empty
{

/* Results of any type are bytes here. */
__global__ void store_initial(unsigned char *total, uint64_t initial,
                              const unsigned char *d_initial, unsigned bytes)
{
    trigger_launch_completion();
    grid_dependency_synchronize();
    for (unsigned b = 0; b < bytes; b++)
        total[b] =
            d_initial != nullptr ? d_initial[b] : static_cast<unsigned char>(initial >> 8 * b);
}

/* The bytes of the initial value, or of the identity. */
struct initial_bytes : launch_run {
    template <typename In, typename Out, typename Operator>
    static cudaError_t run(const prim_scan_args *args, uint64_t *bytes)
    {
        const tile_rule<accumulator_t<Out>, Out> rule = rule_of<Operator, Out>(args);
        const Out initial = finished_turned<Out>(rule.initial, rule.element.turned);
        std::memcpy(bytes, &initial, sizeof initial);
        return cudaSuccess;
    }
};

} // namespace empty
} // namespace

cudaError_t prim_scan_launch_empty(const prim_scan_args *args)
{
    uint64_t initial = 0;
    if (args->total == nullptr)
        return cudaSuccess;
    const cudaError_t error = dispatch<empty::initial_bytes>(args, &initial);
    if (error != cudaSuccess)
        return error;
    return prim_launch_dependent({args->call.stream, 1, 1}, empty::store_initial,
                                 static_cast<unsigned char *>(args->total), initial,
                                 static_cast<const unsigned char *>(args->d_initial),
                                 static_cast<unsigned>(prim_element_bytes(args->out_type)));
}
