/* BRENT_KUNG: a tree up, and a tree down.
 *
 * Each thread brings two elements into shared memory. The first tree is a reduction in place: it
 * leaves in every place that ends a group of 2, 4, 8, … the group's total. The second one hands
 * those totals on to the middle of the next group:
 *
 *     element     0   1   2   3   4   5   6   7
 *     stride 1    0──→1   2──→3   4──→5   6──→7      up
 *     stride 2        1──────→3       5──────→7
 *     stride 4                3──────────────→7
 *     stride 2                3──────→5              down
 *     stride 1        1──→2   3──→4   5──→6
 *
 * Within a step, no place that is read is written, so one buffer and one barrier a step do.
 * The working threads are always the first ones: whole warps work or have nothing left to do.
 *
 * What still holds it back: twice as many steps, most of them with few threads at work; and at
 * stride s neighbouring threads are 2 s words apart, so that up to all 32 lanes meet in one bank.
 *
 * Work: less than 2 × count combinations. Steps: 2 × log2(512) - 1 a block, log512(count) levels.
 * Bytes: in and out once, and once more out and in for the offsets; 1/512 of that a further level.
 * Source: R. Brent and H. Kung, A Regular Layout for Parallel Adders, IEEE Transactions on
 * Computers C-31 (1982). */
#include "common/shared.cuh"
#include "scan/sections.cuh"

namespace
{

constexpr unsigned BRENT_KUNG_ELEMENTS = PRIM_SCAN_BRENT_KUNG_ELEMENTS;
constexpr unsigned BRENT_KUNG_THREADS = BRENT_KUNG_ELEMENTS / 2;

template <typename In, typename Out, typename Operator>
__global__ void __launch_bounds__(BRENT_KUNG_THREADS)
    brent_kung(lines<const In> in, lines<Out> out, prim_scan_kind kind, prim_transform transform,
               Out initial, Out *totals)
{
    PRIM_SHARED(Out, values, [BRENT_KUNG_ELEMENTS]);
    const unsigned t = threadIdx.x;
    const section<const In> from = this_section(in, BRENT_KUNG_ELEMENTS);

    values[t] = load_or_identity<Operator>(from, t, transform, initial);
    values[t + BRENT_KUNG_THREADS] =
        load_or_identity<Operator>(from, t + BRENT_KUNG_THREADS, transform, initial);
    for (unsigned stride = 1; stride < BRENT_KUNG_ELEMENTS; stride *= 2) {
        __syncthreads();
        const unsigned end = (t + 1) * 2 * stride - 1; /* the last of a group of 2 × stride */
        if (end < BRENT_KUNG_ELEMENTS)
            values[end] = Operator::combine(values[end - stride], values[end]);
    }
    for (unsigned stride = BRENT_KUNG_ELEMENTS / 4; stride > 0; stride /= 2) {
        __syncthreads();
        const unsigned end = (t + 1) * 2 * stride - 1; /* complete; the middle of the next is not */
        if (end + stride < BRENT_KUNG_ELEMENTS)
            values[end + stride] = Operator::combine(values[end], values[end + stride]);
    }
    __syncthreads();
    const section<Out> to = this_section(out, BRENT_KUNG_ELEMENTS);
    store<Operator>(to, t, kind, initial, values);
    store<Operator>(to, t + BRENT_KUNG_THREADS, kind, initial, values);
    if (t == BRENT_KUNG_THREADS - 1 && totals != nullptr)
        totals[blockIdx.x] = values[BRENT_KUNG_ELEMENTS - 1];
}

struct brent_kung_rung : device_rung {
    template <typename In, typename Out, typename Operator>
    static cudaError_t run(const prim_scan_args *args)
    {
        return scan_in_sections<Operator, In, Out>(
            args, PRIM_SCAN_BRENT_KUNG_ELEMENTS, BRENT_KUNG_THREADS, brent_kung<In, Out, Operator>,
            brent_kung<Out, Out, Operator>);
    }
};

} // namespace

cudaError_t prim_scan_brent_kung(const void *args)
{
    return dispatch_textbook<brent_kung_rung>(static_cast<const prim_scan_args *>(args));
}
