/* Where the first k keys of P sorted runs end in each of them: the co-ranks of more than two runs,
 * found by a block, with a warp for each run.
 *
 * Each step takes samples of the open range of each run, and bounds for each sample the number of
 * keys before it, by the samples of the other runs. A sample with surely fewer than k keys before
 * it is among the first k, and so are all keys before it in its run; one with surely k or more is
 * not, and neither is any key after it:
 *
 *     run 0    ████│░░░░│                  █ among the first k
 *     run 1    ████████│░░│                ░ open: samples here next
 *     run 2    ██│░░░░│
 *
 * A step leaves about a sixteenth open; where samples are neighbours, nothing. Of equal keys those
 * of the earlier run come first, and in a run the earlier ones. */
#ifndef PRIM_MERGE_SPLITTERS_CUH
#define PRIM_MERGE_SPLITTERS_CUH

#include "common/block/warp.cuh"
#include "merge/path/runs.cuh"
#include "merge/path/warp_search.cuh"

namespace
{

constexpr unsigned SAMPLES_OF_LANE = 4, SAMPLES = SAMPLES_OF_LANE * WARP;

template <typename Key, unsigned P>
struct splitter_memory {
    typename Key::bits_type samples[P][SAMPLES];
    const Key *keys[P];
    size_t count[P];
    size_t low[P], high[P]; /* open: from low up to high */
};

/* The number of samples of an open range, one for every `width` keys. */
__device__ inline unsigned samples_of(size_t open, size_t width)
{
    return static_cast<unsigned>(open / width);
}

__device__ inline size_t width_of(size_t open)
{
    return open / (SAMPLES + 1) + 1;
}

/* How many of the samples come before x: less than it, or equal where `or_equal`. */
template <typename Bits>
__device__ unsigned samples_before(const Bits *samples, unsigned count, Bits x, bool or_equal)
{
    unsigned low = 0, high = count;
    while (low < high) {
        const unsigned middle = (low + high) / 2;
        if (samples[middle] < x || (or_equal && samples[middle] == x))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* keys and count of `shared` are set; at the end low says where the first k keys end. All threads
 * of the block call it, P warps or more, and may read `shared` when it returns. */
template <typename Key, unsigned P>
__device__ void split_runs(key_order<Key> order, size_t k, splitter_memory<Key, P> &shared)
{
    using bits = typename Key::bits_type;
    const unsigned run = threadIdx.x / WARP, lane = threadIdx.x % WARP;
    if (threadIdx.x < P) {
        shared.low[threadIdx.x] = 0;
        shared.high[threadIdx.x] = smaller(k, shared.count[threadIdx.x]);
    }
    __syncthreads();
    for (;;) {
        size_t open = 0;
        for (unsigned r = 0; r < P; r++)
            open += shared.high[r] - shared.low[r];
        if (open == 0)
            return;
        size_t low = 0, high = 0, width = 1;
        unsigned valid = 0;
        bits key[SAMPLES_OF_LANE];
        if (run < P) {
            low = shared.low[run], high = shared.high[run];
            width = width_of(high - low);
            valid = samples_of(high - low, width);
            PRIM_UNROLL(4)
            for (unsigned s = 0; s < SAMPLES_OF_LANE; s++) {
                const unsigned m = s * WARP + lane;
                key[s] = 0;
                if (m < valid)
                    key[s] = order.ordered(shared.keys[run][low + (m + 1) * width - 1]);
                shared.samples[run][m] = key[s];
            }
        }
        __syncthreads();
        unsigned among = 0, behind = 0;
        if (run < P) {
            PRIM_UNROLL(4)
            for (unsigned s = 0; s < SAMPLES_OF_LANE; s++) {
                const unsigned m = s * WARP + lane;
                size_t least = low + (m + 1) * width - 1, most = least;
                for (unsigned r = 0; r < P && m < valid; r++) {
                    if (r == run)
                        continue;
                    const size_t its_open = shared.high[r] - shared.low[r];
                    const size_t its_width = width_of(its_open);
                    const unsigned before = samples_before(
                        shared.samples[r], samples_of(its_open, its_width), key[s], r < run);
                    least += shared.low[r] + before * its_width;
                    most += smaller(shared.low[r] + (before + 1) * its_width - 1, shared.high[r]);
                }
                among += count_bits(__ballot_sync(ALL_LANES, m < valid && most < k));
                behind += count_bits(__ballot_sync(ALL_LANES, m < valid && least >= k));
            }
        }
        __syncthreads();
        if (run < P && lane == 0) {
            shared.low[run] = low + among * width;
            if (behind > 0)
                shared.high[run] = low + (valid - behind + 1) * width - 1;
        }
        __syncthreads();
    }
}

} // namespace

#endif
