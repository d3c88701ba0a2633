/* Two sorted runs and their merge, for kernels and host code, global and shared memory alike.
 *
 * The co-rank of k is the number of the first k merged keys that come from a. It divides one merge
 * into two independent ones:
 *
 *     a    1  3  3 │ 7  9          k = 5: co-rank 3
 *     b       2  3 │ 4  8
 *     out  1  2  3  3  3 │ 4  7  8  9
 *
 * Where the runs are not sorted, results are undefined, but no index leaves the runs. */
#ifndef PRIM_MERGE_RUNS_CUH
#define PRIM_MERGE_RUNS_CUH

#include "merge/tile/keys.cuh"

namespace
{

/* Index is size_t in global memory, and unsigned in shared memory. */
template <typename Key, typename Index>
struct runs {
    const Key *a;
    Index a_count;
    const Key *b;
    Index b_count;
};

template <typename Index>
__host__ __device__ Index smaller(Index x, Index y)
{
    return x < y ? x : y;
}

/* By binary search. Of equal keys, a's come first: a[i] is among the first k unless b has a key
 * before it that then is the k-th. */
template <class Order, typename Key, typename Index>
__host__ __device__ Index co_rank(Order order, const runs<Key, Index> &r, Index k)
{
    Index low = k > r.b_count ? k - r.b_count : 0, high = smaller(k, r.a_count);
    while (low < high) {
        const Index i = low + (high - low) / 2;
        if (order.before(r.b[k - 1 - i], r.a[i]))
            high = i;
        else
            low = i + 1;
    }
    return low;
}

/* Writes the merged keys from the k-th on: `most` of them, or fewer at the end. */
template <class Order, typename Key, typename Index>
__host__ __device__ void merge_part(Order order, const runs<Key, Index> &r, Index k, Index most,
                                    Key *out)
{
    const Index left = r.a_count + r.b_count - k;
    Index i = co_rank(order, r, k), j = k - i;
    for (Index o = 0; o < most; o++)
        if (o < left) { /* in the loop: where `most` is a constant, it unrolls into registers */
            const bool from_a = j == r.b_count || (i < r.a_count && !order.before(r.b[j], r.a[i]));
            out[o] = from_a ? r.a[i++] : r.b[j++];
        }
}

/* Keys that lie in sorted runs of one length: the pair of runs at `begin`. The last pair's second
 * run may be shorter or empty, and then its first one too. */
template <typename Key, typename Index>
__host__ __device__ runs<Key, Index> pair_at(const Key *keys, Index count, Index begin,
                                             Index run_keys)
{
    const Index a_count = smaller(count - begin, run_keys);
    const Index b_count = smaller(count - begin - a_count, run_keys);
    return {keys + begin, a_count, keys + begin + a_count, b_count};
}

/* Where the keys are cut into parts, and a run is a power of two of them: the first part of the
 * pair of runs that a part lies in. */
template <typename Index>
__host__ __device__ Index first_of_pair(Index part, Index run_parts)
{
    return part & ~(2 * run_parts - 1);
}

} // namespace

#endif
