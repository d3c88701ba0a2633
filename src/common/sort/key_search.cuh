/* The lower bound of a key among ascending keys, by one thread that has nothing else to do while it
 * waits for memory. */
#ifndef PRIM_COMMON_KEY_SEARCH_CUH
#define PRIM_COMMON_KEY_SEARCH_CUH

#include <cstddef>

#include <cuda_runtime.h>

#include "common/kernel/unroll.cuh"

namespace
{

/* The lower bound is in [first, last], with a lower and an upper bound of the keys there. */
struct key_range {
    size_t first, last, first_key, last_key;
};

/* The key's place by interpolation, as if all keys were equally far apart. */
__device__ inline size_t guess(const key_range &r, size_t key)
{
    const size_t keys = r.last - r.first;
    if (key <= r.first_key)
        return r.first;
    const float share =
        static_cast<float>(key - r.first_key) / static_cast<float>(r.last_key - r.first_key);
    const size_t steps = static_cast<size_t>(share * static_cast<float>(keys));
    return r.first + (steps < keys ? steps : keys - 1);
}

/* Of `count` keys, keys.key(0) and so on, which are less than `end_key`. Each step loads three
 * together, which takes no longer than one: those on both sides of the guess, and the middle one,
 * so that each step at least halves the range. Where the keys do not ascend, the result is some
 * number up to count. */
template <class Keys>
__device__ size_t first_with_key(const Keys &all, size_t count, size_t end_key, size_t key)
{
    key_range r = {0, count, 0, end_key};
    while (r.first < r.last) {
        const size_t keys_left = r.last - r.first, around = keys_left / 64 + 1,
                     middle = guess(r, key);
        const size_t probes[3] = {r.first + keys_left / 2,
                                  middle - r.first < around ? r.first : middle - around,
                                  r.last - middle <= around ? r.last - 1 : middle + around};
        size_t keys[3];
        PRIM_UNROLL(3)
        for (unsigned i = 0; i < 3; i++)
            keys[i] = all.key(probes[i]);
        PRIM_UNROLL(3)
        for (unsigned i = 0; i < 3; i++) {
            if (keys[i] < key && probes[i] >= r.first) {
                r.first = probes[i] + 1;
                r.first_key = keys[i] + 1;
            } else if (keys[i] >= key && probes[i] < r.last) {
                r.last = probes[i];
                r.last_key = keys[i];
            }
        }
    }
    return r.first;
}

} // namespace

#endif
