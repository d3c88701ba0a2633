/* SHUFFLE: warps scan in registers.
 *
 * Each thread keeps a run of four elements in registers. The lanes of a warp scan the runs'
 * aggregates by shuffles, without shared memory and without a barrier:
 *
 *     lane      0    1    2    3    4  …  31
 *     1         ·   0→1  1→2  2→3  3→4
 *     2         ·    ·   0→2  1→3  2→4
 *     …
 *     16        ·    ·    ·    ·    ·    15→31
 *
 * One aggregate for each warp goes through shared memory, with one barrier; every thread combines
 * those of the warps before its own.
 *
 * What changed from COARSENED: one barrier for each block instead of eleven, 8 words of shared
 * memory instead of 2560, and no bank conflicts. What still holds it back: loads of 4 bytes; and,
 * as in all rungs so far, results are written twice, since the offsets are added last.
 *
 * Work: 4 × count combinations. Steps: 4 + 5 + 7 + 4 a block, in log1024(count) levels.
 * Bytes: in and out once, and once more out and in for the offsets; 1/1024 of that a further level.
 * Source: M. Harris, S. Sengupta, J. Owens, Parallel Prefix Sum (Scan) with CUDA, GPU Gems 3
 * (2007), for scans by warps; CUDA C++ Programming Guide for the shuffles. */
#include "common/block/warp.cuh"
#include "common/kernel/shared.cuh"
#include "common/kernel/unroll.cuh"
#include "scan/sections.cuh"

namespace
{
namespace shuffle
{

constexpr unsigned ELEMENTS = 1024, THREADS = 256;
[[maybe_unused]] constexpr unsigned RUN = ELEMENTS / THREADS;

template <typename In, typename Out, typename Operator>
__global__ void __launch_bounds__(THREADS)
    scan_sections(lines<const In> in, lines<Out> out, prim_scan_kind kind, prim_transform transform,
                  initial_value<Out> given, Out *aggregates)
{
    const Out initial = given.get();
    PRIM_SHARED(Out, of_warps, [THREADS / WARP]);
    const unsigned t = threadIdx.x, lane = t % WARP, warp = t / WARP;
    const section<const In> read = this_section(in, ELEMENTS);
    const section<Out> write = this_section(out, ELEMENTS);

    Out value[RUN];
    PRIM_UNROLL(RUN)
    for (unsigned i = 0; i < RUN; i++)
        value[i] = load_or_identity<Operator>(read, t * RUN + i, transform, initial);
    PRIM_UNROLL(RUN)
    for (unsigned i = 1; i < RUN; i++)
        value[i] = Operator::combine(value[i - 1], value[i]);

    const Out up_to_here = scan_warp<Operator>(value[RUN - 1], lane);
    const Out below = __shfl_up_sync(ALL_LANES, up_to_here, 1);
    if (lane == WARP - 1)
        of_warps[warp] = up_to_here;
    __syncthreads();
    Out before = Operator::template identity<Out>();
    for (unsigned w = 0; w < warp; w++)
        before = Operator::combine(before, of_warps[w]);
    if (lane > 0)
        before = Operator::combine(before, below);
    if (t == THREADS - 1 && aggregates != nullptr)
        aggregates[blockIdx.x] = Operator::combine(before, value[RUN - 1]);

    const Out first = t == 0 && write.begins_line ? initial : before;
    PRIM_UNROLL(RUN)
    for (unsigned i = 0; i < RUN; i++) {
        const Out behind = Operator::combine(before, value[i]);
        const Out ahead = i == 0 ? first : Operator::combine(before, value[i == 0 ? 0 : i - 1]);
        if (t * RUN + i < write.length)
            write.first[(t * RUN + i) * write.stride] =
                kind == PRIM_SCAN_INCLUSIVE ? behind : ahead;
    }
}

struct lesson {
    static constexpr unsigned OF_BLOCK = ELEMENTS, BLOCK = THREADS; /* elements; threads */
    template <typename In, typename Out, typename Operator>
    static constexpr section_kernel<In, Out> kernel = scan_sections<In, Out, Operator>;
};

} // namespace shuffle
} // namespace

PRIM_DEFINE_RUNG(scan, shuffle) = rung_of_sections<PRIM_SCAN_SHUFFLE, shuffle::lesson>(
    "shuffle", "warps scan in registers; one barrier a block");
