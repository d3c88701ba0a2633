/* A co-rank in global memory, found by a whole warp: each step divides the open range into
 * CANDIDATES + 1 parts, where one thread would halve it. A step waits once for memory, however many
 * keys it reads; so 2^27 places take five steps, and not 27. Four times as many keys would save one
 * of them, and cost more than that where all blocks of a grid search at once.
 *
 *     step 1    ├────┬────┬────┬────┬────┬────┤    is this key of a among the first k?
 *                yes  yes  yes │no   no
 *     step 2                   ├┬┬┬┬┬┤             the same in the part between
 */
#ifndef PRIM_MERGE_WARP_SEARCH_CUH
#define PRIM_MERGE_WARP_SEARCH_CUH

#include "common/block/warp.cuh"
#include "merge/path/runs.cuh"

namespace
{

constexpr unsigned CANDIDATES_OF_LANE = 2, CANDIDATES = CANDIDATES_OF_LANE * WARP;

/* The result of co_rank(), in all lanes. Where the runs are not in order, it is still a valid rank
 * in both of them. */
template <typename Key>
__device__ size_t co_rank_by_warp(key_order<Key> order, const runs<Key, size_t> &r, size_t k,
                                  unsigned lane)
{
    size_t low = k > r.b_count ? k - r.b_count : 0, high = smaller(k, r.a_count);
    while (low < high) {
        const size_t width = (high - low) / (CANDIDATES + 1) + 1;
        bool among[CANDIDATES_OF_LANE];
        PRIM_UNROLL(8)
        for (unsigned c = 0; c < CANDIDATES_OF_LANE; c++) {
            const size_t i = low + (c * WARP + lane + 1) * width - 1;
            const size_t there = smaller(i, high - 1); /* so that no load depends on a condition */
            const bool yes = !order.before(r.b[k - 1 - there], r.a[there]);
            among[c] = yes && i < high;
        }
        size_t count = 0;
        PRIM_UNROLL(8)
        for (unsigned c = 0; c < CANDIDATES_OF_LANE; c++)
            count += count_bits(__ballot_sync(ALL_LANES, among[c]));
        high = smaller(high, low + (count + 1) * width - 1);
        low += count * width;
    }
    return low;
}

} // namespace

#endif
