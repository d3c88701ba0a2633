/* COARSENED: each thread first does what a loop would do.
 *
 * A block loads 2048 elements into shared memory. Each thread scans a run of eight of them, one
 * after the other; the block scans the runs' aggregates as KOGGE_STONE does; then each thread
 * combines its run's exclusive prefix with its eight:
 *
 *     thread        0               1               2
 *     elements    a b c d …       i j k l …       q r s …
 *     runs        a ab abc …      i ij ijk …      q qr …       in a loop
 *     aggregates        A               B              C       every thread in every step
 *     before      ·               A               AB           into each element of the run
 *
 * What changed from BRENT_KUNG: little work too, 2 + 8/8 combinations for an element, without its
 * many steps in which most threads are idle; and four times as many elements for each block, so
 * that a fourth as many aggregates are left.
 *
 * What still holds it back: runs begin eight words apart in shared memory, an eight-way bank
 * conflict; and loads of 4 bytes.
 *
 * Work: 3 × count combinations. Steps: 8 + log2(256) + 8 a block, in log2048(count) levels.
 * Bytes: in and out once, and once more out and in for the offsets; 1/2048 of that a further level.
 * Source: W. Hwu, D. Kirk, I. El Hajj, Programming Massively Parallel Processors, 4th edition
 * (2022), chapter 11.5. */
#include "common/kernel/shared.cuh"
#include "scan/sections.cuh"

namespace
{
namespace coarsened
{

constexpr unsigned ELEMENTS = 2048, THREADS = 256;
[[maybe_unused]] constexpr unsigned RUN = ELEMENTS / THREADS;

template <typename In, typename Out, typename Operator>
__global__ void __launch_bounds__(THREADS)
    scan_sections(lines<const In> in, lines<Out> out, prim_scan_kind kind, prim_transform transform,
                  initial_value<Out> given, Out *aggregates)
{
    const Out initial = given.get();
    PRIM_SHARED(Out, values, [ELEMENTS]);
    PRIM_SHARED(Out, runs, [2][THREADS]);
    const unsigned t = threadIdx.x;
    const section<const In> read = this_section(in, ELEMENTS);
    unsigned from = 0;

    for (unsigned i = t; i < ELEMENTS; i += THREADS)
        values[i] = load_or_identity<Operator>(read, i, transform, initial);
    __syncthreads();
    Out *const run = &values[t * RUN];
    for (unsigned i = 1; i < RUN; i++)
        run[i] = Operator::combine(run[i - 1], run[i]);

    runs[from][t] = run[RUN - 1];
    for (unsigned stride = 1; stride < THREADS; stride *= 2) {
        __syncthreads();
        const Out value = runs[from][t];
        runs[1 - from][t] = t >= stride ? Operator::combine(runs[from][t - stride], value) : value;
        from = 1 - from;
    }
    __syncthreads();
    if (t > 0)
        for (unsigned i = 0; i < RUN; i++)
            run[i] = Operator::combine(runs[from][t - 1], run[i]);
    __syncthreads();
    for (unsigned i = t; i < ELEMENTS; i += THREADS)
        store<Operator>(this_section(out, ELEMENTS), i, kind, initial, values);
    if (t == THREADS - 1 && aggregates != nullptr)
        aggregates[blockIdx.x] = run[RUN - 1];
}

struct lesson {
    static constexpr unsigned OF_BLOCK = ELEMENTS, BLOCK = THREADS; /* elements; threads */
    template <typename In, typename Out, typename Operator>
    static constexpr section_kernel<In, Out> kernel = scan_sections<In, Out, Operator>;
};

} // namespace coarsened
} // namespace

PRIM_DEFINE_RUNG(scan, coarsened) = rung_of_sections<PRIM_SCAN_COARSENED, coarsened::lesson>(
    "coarsened", "each thread scans a run of its own; the block scans the runs' aggregates");
