/* The scan of nothing, in all variants: the total, where one is wanted, is the initial value. */
#include "common/launch.cuh"
#include "scan/tile.cuh"

namespace
{
namespace empty
{

template <typename Out>
__global__ void store_initial(Out *total, Out initial, const Out *d_initial)
{
    trigger_launch_completion();
    grid_dependency_synchronize();
    if (d_initial != nullptr)
        initial = finished<Out>(static_cast<accumulator_t<Out>>(converted<Out>(*d_initial)));
    *total = initial;
}

struct launch_store : launch_run {
    template <typename In, typename Out, typename Operator>
    static cudaError_t run(const prim_scan_args *args)
    {
        const tile_rule<accumulator_t<Out>, Out> rule = rule_of<Operator, Out>(args);
        const Out initial = finished_turned<Out>(rule.initial, rule.element.turned);
        return prim_launch_dependent({args->call.stream, 1, 1}, store_initial<Out>, rule.total,
                                     initial, rule.d_initial);
    }
};

} // namespace empty
} // namespace

cudaError_t prim_scan_launch_empty(const prim_scan_args *args)
{
    return args->total == nullptr ? cudaSuccess : dispatch<empty::launch_store>(args);
}
