/* KOGGE_STONE: every thread works in every step.
 *
 * Each thread loads one element into shared memory. In each step it combines its value with the one
 * a stride before it, and the stride doubles; so after k steps a value covers 2^k elements:
 *
 *     thread      0   1   2   3   4   5   6   7
 *     stride 1    ·  0→1 1→2 2→3 3→4 4→5 5→6 6→7
 *     stride 2    ·   ·  0→2 1→3 2→4 3→5 4→6 5→7
 *     stride 4    ·   ·   ·   ·  0→4 1→5 2→6 3→7
 *
 * A thread's value is read by another thread in the step that replaces it. So the steps alternate
 * between two buffers; that costs twice the shared memory and saves every second barrier.
 *
 * What holds it back: nearly every thread combines in every step, log2(256) combinations for an
 * element where a loop needs one. BRENT_KUNG avoids that.
 *
 * Work: count × log2(256) combinations at most. Steps: log2(256) a block, log256(count) levels.
 * Bytes: in and out once, and once more out and in for the offsets; 1/256 of that a further level.
 * Source: P. Kogge and H. Stone, A Parallel Algorithm for the Efficient Solution of a General Class
 * of Recurrence Equations, IEEE Transactions on Computers C-22 (1973). */
#include "common/kernel/shared.cuh"
#include "scan/sections.cuh"

namespace
{
namespace kogge_stone
{

constexpr unsigned THREADS = 256; /* and elements of a section */

template <typename In, typename Out, typename Operator>
__global__ void __launch_bounds__(THREADS)
    scan_sections(lines<const In> in, lines<Out> out, prim_scan_kind kind, prim_transform transform,
                  initial_value<Out> given, Out *aggregates)
{
    const Out initial = given.get();
    PRIM_SHARED(Out, values, [2][THREADS]);
    const unsigned t = threadIdx.x;
    unsigned from = 0;

    values[from][t] = load_or_identity<Operator>(this_section(in, THREADS), t, transform, initial);
    for (unsigned stride = 1; stride < THREADS; stride *= 2) {
        __syncthreads();
        const Out value = values[from][t];
        values[1 - from][t] =
            t >= stride ? Operator::combine(values[from][t - stride], value) : value;
        from = 1 - from;
    }
    __syncthreads();
    store<Operator>(this_section(out, THREADS), t, kind, initial, values[from]);
    if (t == THREADS - 1 && aggregates != nullptr)
        aggregates[blockIdx.x] = values[from][t];
}

struct lesson {
    static constexpr unsigned OF_BLOCK = THREADS, BLOCK = THREADS; /* elements; threads */
    template <typename In, typename Out, typename Operator>
    static constexpr section_kernel<In, Out> kernel = scan_sections<In, Out, Operator>;
};

} // namespace kogge_stone
} // namespace

PRIM_DEFINE_RUNG(scan, kogge_stone) = rung_of_sections<PRIM_SCAN_KOGGE_STONE, kogge_stone::lesson>(
    "kogge_stone", "every thread adds the value a stride before it; the stride doubles");
