/* Entries that lie a stride apart, as one thread adds them up: those of a row in ELL, SELL and JDS,
 * where the threads of a warp have neighbouring rows.
 *
 *     loads in flight   columns ■■■■■■■■  values ■■■■■■■■     eight steps at once, then the
 *                       x       ■■■■■■■■                      eight elements of x that they name
 *
 * The order of the sum is that of the row. */
#ifndef PRIM_SPARSE_STRIP_CUH
#define PRIM_SPARSE_STRIP_CUH

#include "common/kernel/unroll.cuh"
#include "sparse/problem.cuh"

namespace
{

constexpr unsigned STEPS_AT_ONCE = 8;

/* Entries first, first + stride, …: `count` of them, or up to the first that is padding. */
template <typename V, typename X>
__device__ working_t<V> sum_of_strip(const entries<V, X> &of, size_t first, size_t stride,
                                     size_t count)
{
    using T = working_t<V>;
    T sum = 0;
    for (size_t s = 0; s < count; s += STEPS_AT_ONCE) {
        int32_t column[STEPS_AT_ONCE];
        T value[STEPS_AT_ONCE] = {}, x[STEPS_AT_ONCE] = {};
        PRIM_UNROLL(STEPS_AT_ONCE)
        for (unsigned i = 0; i < STEPS_AT_ONCE; i++) {
            const bool there = s + i < count;
            column[i] = there ? of.columns[first + (s + i) * stride] : PRIM_SPARSE_PADDING;
            value[i] = there ? number(of.values[first + (s + i) * stride]) : T(0);
        }
        PRIM_UNROLL(STEPS_AT_ONCE)
        for (unsigned i = 0; i < STEPS_AT_ONCE; i++)
            if (column[i] >= 0)
                x[i] = number(of.x[column[i]]);
        PRIM_UNROLL(STEPS_AT_ONCE)
        for (unsigned i = 0; i < STEPS_AT_ONCE; i++)
            if (column[i] >= 0)
                sum = add_product(sum, value[i], x[i]);
        if (column[STEPS_AT_ONCE - 1] < 0)
            break;
    }
    return sum;
}

} // namespace

#endif
