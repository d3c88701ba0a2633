/* Sums of the values of entries in one place, which are a run of the sorted ones:
 *
 *     places     a b b b c c c c c c c c c d        runs of 1, 3, 9 and 1
 *     few           └┬┘                             up to FEW: a lane, from front to back
 *     more                └──── ┬ ────┘             up to RUN_PIECE: a warp, a lane every 32nd
 *     longer     pieces of RUN_PIECE values from the run's begin on, a warp each, wherever the run
 *                lies; then their sums likewise
 *
 * So the order of a sum depends on the number of its values alone, and no warp adds up much more
 * than others. A piece's sum is kept under the number of the RUN_PIECE places that it begins in: no
 * two pieces of a long run begin in the same places. Its first piece is kept apart, since it may
 * share them with the last piece of another run. */
#ifndef PRIM_SPARSE_RUN_SUMS_CUH
#define PRIM_SPARSE_RUN_SUMS_CUH

#include <cstring>

#include "common/block/warp.cuh"
#include "common/math/numeric.cuh"
#include "common/math/values.cuh"
#include "sparse/problem.cuh"
#include "sparse/rows/offsets.cuh"

namespace
{

constexpr unsigned FEW = 16, RUN_PIECE = 1024;

/* The rows and columns of sorted entries. */
struct sorted_places {
    const int32_t *rows, *columns;

    __device__ bool are_same(size_t a, size_t b) const
    {
        return rows[a] == rows[b] && columns[a] == columns[b];
    }
};

/* Sorted entries, where runs begin among them, how many there are, and sums of pieces. */
template <typename V>
struct runs {
    using sum_type = working_t<V>;

    sorted_places places;
    const uint32_t *bits; /* of the values, or of 8 bytes their numbers */
    size_t entries;
    const uint64_t *begins, *count;
    const void *values; /* by number */
    sum_type *first_pieces, *pieces;

    __device__ V value(size_t e) const
    {
        const uint32_t its_bits = bits[e];
        V v;
        if constexpr (sizeof(V) == 8)
            v = static_cast<const V *>(values)[its_bits];
        else
            memcpy(&v, &its_bits, sizeof v);
        return v;
    }
    __device__ size_t end(size_t run) const
    {
        return run + 1 < *count ? begins[run + 1] : entries;
    }
};

/* ---- by a warp: all lanes get the sum ---- */

template <typename T>
__device__ T sum_of_lanes(T mine)
{
    return __shfl_sync(ALL_LANES, reduce_warp<sum_operator>(mine), 0);
}

template <typename V>
__device__ working_t<V> sum_values(const runs<V> &r, size_t first, size_t count)
{
    working_t<V> sum = 0;
    PRIM_UNROLL(4)
    for (size_t i = threadIdx.x % WARP; i < count; i += WARP)
        sum = add(sum, number(r.value(first + i)));
    return sum_of_lanes(sum);
}

template <typename V>
__device__ working_t<V> sum_of_pieces(const runs<V> &r, size_t first, size_t count)
{
    const size_t place = first / RUN_PIECE, pieces = (count + RUN_PIECE - 1) / RUN_PIECE;
    working_t<V> sum = 0;
    PRIM_UNROLL(4)
    for (size_t i = threadIdx.x % WARP; i < pieces; i += WARP) {
        const working_t<V> *const of_place = i == 0 ? r.first_pieces : r.pieces;
        sum = add(sum, of_place[place + i]);
    }
    return sum_of_lanes(sum);
}

/* ---- pieces: a warp for each RUN_PIECE places ---- */

/* The piece that begins in these places and is not its run's first. */
template <typename V>
__device__ void sum_later_piece(const runs<V> &r, size_t place)
{
    const size_t first = place * RUN_PIECE,
                 run = last_offset_up_to_by_warp({r.begins, true}, 0, *r.count, first),
                 begin = r.begins[run], end = r.end(run),
                 at = begin + (first - begin + RUN_PIECE - 1) / RUN_PIECE * RUN_PIECE;
    if (end - begin <= RUN_PIECE || at >= end)
        return;
    const working_t<V> sum = sum_values(r, at, end - at < RUN_PIECE ? end - at : RUN_PIECE);
    if (threadIdx.x % WARP == 0)
        r.pieces[place] = sum;
}

/* The piece that begins in these places and is its run's first: that run goes on after them. */
template <typename V>
__device__ void sum_first_piece(const runs<V> &r, size_t place, size_t last)
{
    const size_t run = last_offset_up_to_by_warp({r.begins, true}, 0, *r.count, last),
                 begin = r.begins[run];
    if (begin < place * RUN_PIECE || r.end(run) - begin <= RUN_PIECE)
        return;
    const working_t<V> sum = sum_values(r, begin, RUN_PIECE);
    if (threadIdx.x % WARP == 0)
        r.first_pieces[place] = sum;
}

template <typename V>
__global__ void __launch_bounds__(THREADS) sum_pieces(runs<V> r)
{
    const size_t place = this_thread() / WARP, first = place * RUN_PIECE;
    if (first >= r.entries)
        return;
    const size_t end = r.entries - first < RUN_PIECE ? r.entries : first + RUN_PIECE;
    if (first > 0 && r.places.are_same(first - 1, first))
        sum_later_piece(r, place);
    if (end < r.entries && r.places.are_same(end - 1, end))
        sum_first_piece(r, place, end - 1);
}

/* ---- runs: a lane each, and warps help with those of more than FEW values ---- */

/* One value keeps its bits. */
template <typename V>
__device__ V sum_few(const runs<V> &r, size_t begin, size_t count)
{
    V alone = r.value(begin);
    if (count == 1)
        return alone;
    working_t<V> sum = number(alone);
    for (size_t i = 1; i < count; i++)
        sum = add(sum, number(r.value(begin + i)));
    put(&alone, sum);
    return alone;
}

template <typename V>
__global__ void __launch_bounds__(THREADS) sum_runs(runs<V> r, V *out)
{
    const size_t run = this_thread(), all = *r.count;
    const unsigned lane = threadIdx.x % WARP;
    if (run - lane >= all)
        return;
    const size_t begin = run < all ? r.begins[run] : 0, count = run < all ? r.end(run) - begin : 0;
    if (count > 0 && count <= FEW)
        out[run] = sum_few(r, begin, count);
    for (unsigned left = __ballot_sync(ALL_LANES, count > FEW); left != 0; left &= left - 1) {
        const unsigned of = count_bits((left & (0 - left)) - 1); /* the lowest lane */
        const size_t its_run = run - lane + of, first = r.begins[its_run],
                     values = r.end(its_run) - first;
        const working_t<V> sum =
            values <= RUN_PIECE ? sum_values(r, first, values) : sum_of_pieces(r, first, values);
        if (lane == of)
            put(&out[run], sum);
    }
}

} // namespace

#endif
