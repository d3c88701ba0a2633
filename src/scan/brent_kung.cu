/* BRENT_KUNG: an up-sweep and a down-sweep.
 *
 * Each thread loads two elements into shared memory. The up-sweep is a reduction in place: it
 * leaves the aggregate of every group of 2, 4, 8, … at the group's end. The down-sweep adds those
 * aggregates to the middle of the next group:
 *
 *     element     0   1   2   3   4   5   6   7
 *     stride 1    0──→1   2──→3   4──→5   6──→7      up
 *     stride 2        1──────→3       5──────→7
 *     stride 4                3──────────────→7
 *     stride 2                3──────→5              down
 *     stride 1        1──→2   3──→4   5──→6
 *
 * Within a step, no place is both read and written by different threads, so one buffer and one
 * barrier for each step are enough.
 * The working threads are always the first ones: whole warps work or have nothing left to do.
 *
 * What still holds it back: twice as many steps, most of them with few threads at work; and at
 * stride s neighbouring threads are 2 s words apart, which gives bank conflicts of up to 32 lanes.
 *
 * Work: less than 2 × count combinations. Steps: 2 × log2(512) - 1 a block, log512(count) levels.
 * Bytes: in and out once, and once more out and in for the offsets; 1/512 of that for each further
 * level.
 * Source: R. Brent and H. Kung, A Regular Layout for Parallel Adders, IEEE Transactions on
 * Computers C-31 (1982). */
#include "common/kernel/shared.cuh"
#include "scan/sections.cuh"

namespace
{
namespace brent_kung
{

constexpr unsigned ELEMENTS = 512, THREADS = ELEMENTS / 2; /* of a section, of its block */

template <typename In, typename Out, typename Operator>
__global__ void __launch_bounds__(THREADS)
    scan_sections(lines<const In> in, lines<Out> out, prim_scan_kind kind, prim_transform transform,
                  initial_value<Out> given, Out *aggregates)
{
    const Out initial = given.get();
    PRIM_SHARED(Out, values, [ELEMENTS]);
    const unsigned t = threadIdx.x;
    const section<const In> from = this_section(in, ELEMENTS);

    values[t] = load_or_identity<Operator>(from, t, transform, initial);
    values[t + THREADS] = load_or_identity<Operator>(from, t + THREADS, transform, initial);
    for (unsigned stride = 1; stride < ELEMENTS; stride *= 2) {
        __syncthreads();
        const unsigned end = (t + 1) * 2 * stride - 1; /* the last of a group of 2 × stride */
        if (end < ELEMENTS)
            values[end] = Operator::combine(values[end - stride], values[end]);
    }
    for (unsigned stride = ELEMENTS / 4; stride > 0; stride /= 2) {
        __syncthreads();
        const unsigned end = (t + 1) * 2 * stride - 1; /* complete; the middle of the next is not */
        if (end + stride < ELEMENTS)
            values[end + stride] = Operator::combine(values[end], values[end + stride]);
    }
    __syncthreads();
    const section<Out> to = this_section(out, ELEMENTS);
    store<Operator>(to, t, kind, initial, values);
    store<Operator>(to, t + THREADS, kind, initial, values);
    if (t == THREADS - 1 && aggregates != nullptr)
        aggregates[blockIdx.x] = values[ELEMENTS - 1];
}

struct lesson {
    static constexpr unsigned OF_BLOCK = ELEMENTS, BLOCK = THREADS; /* elements; threads */
    template <typename In, typename Out, typename Operator>
    static constexpr section_kernel<In, Out> kernel = scan_sections<In, Out, Operator>;
};

} // namespace brent_kung
} // namespace

PRIM_DEFINE_RUNG(scan, brent_kung) = rung_of_sections<PRIM_SCAN_BRENT_KUNG, brent_kung::lesson>(
    "brent_kung", "two elements a thread; a tree of sums up, then the sums down to every element");
