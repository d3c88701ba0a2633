/* Reductions of segments, the first launch: where each block's window begins, as segment_plan.cuh
 * defines it. A thread for each window searches the segments' keys; a block that searched for
 * itself would wait for each step, with nothing else to do.
 *
 * Bytes: some of the offsets, and 16 for each window. Steps: a search through the segments. */
#include "common/kernel/launch.cuh"
#include "common/sort/key_search.cuh"
#include "reduce/segments/segment_plan.cuh"
#include "reduce/segments/segments.h"

namespace
{
namespace segment_windows
{

/* Few threads a block, so that all multiprocessors have some. */
constexpr unsigned FINDERS = 64;

__global__ void __launch_bounds__(FINDERS) find_windows(segment_plan p)
{
    trigger_launch_completion();
    grid_dependency_synchronize();
    const size_t window = static_cast<size_t>(blockIdx.x) * FINDERS + threadIdx.x;
    if (window > p.windows)
        return;
    const size_t key = window << p.tile_bits;
    const size_t segment = first_with_key(p, p.segments, p.key_at(p.segments, p.count), key);
    p.begins[window] = p.begin_at(segment, key);
}

} // namespace segment_windows
} // namespace

cudaError_t prim_reduce_find_windows(const prim_reduce_args *args)
{
    using namespace segment_windows;
    const segment_plan plan = make_segment_plan(args);
    const size_t threads = plan.windows + 1;
    return prim_launch_dependent(
        {args->call.stream, static_cast<unsigned>(prim_divide_up(threads, FINDERS)), FINDERS},
        find_windows, plan);
}
