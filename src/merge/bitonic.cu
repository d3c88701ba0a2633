/* BITONIC: one block sorts up to 4096 keys by a network: which keys are compared does not depend on
 * what they are.
 *
 *     0 ─┬──┬────┬──          four keys: pairs first; then two runs become one: the first key
 *     1 ─┴──│┬───┴──          with the last, and so on inwards; then halves of that, and theirs
 *     2 ─┬──│┴───┬──
 *     3 ─┴──┴────┴──
 *
 * Each comparison puts the smaller key first, so that keys after the end, which are the largest,
 * stay there. Each thread has 4 neighbouring keys in registers. So of the steps between keys a
 * distance apart
 *
 *     1, 2           take place in a thread
 *     4 … 64         between lanes of a warp, by shuffles
 *     128 … 2048     between warps, through shared memory
 *
 * and for 1024 keys, 49 of 55 need neither memory nor a barrier. What changed from STREAMED: no
 * searches, in which each step waits for shared memory; that is faster for so few keys, though the
 * work is more. For larger sorts the work decides.
 *
 * A network is not stable by itself. With values, a key's place is a part of it, after the key's
 * own bits: then no two are equal, and the order is the stable one.
 *
 * Work: log2(n) (log2(n) + 1) / 4 comparisons for each key. Bytes: each key in and out once.
 * Source: K. E. Batcher, Sorting Networks and Their Applications, AFIPS 1968. */
#include "common/block/warp.cuh"
#include "common/kernel/shared.cuh"
#include "common/kernel/unroll.cuh"
#include "merge/passes.cuh"
#include "merge/tile/linear_order.cuh"
#include "merge/tile/values.cuh"

namespace
{
namespace bitonic
{

constexpr unsigned OWN = 4, MOST_KEYS = 4096; /* of a thread, of a block */

/* ---- what is compared: a key as an unsigned integer, and with values its place ---- */

struct wide_pair { /* pairs of narrower keys are one integer: the key, then its place */
    uint64_t key;
    uint32_t place;
};

__device__ inline bool before(uint32_t x, uint32_t y)
{
    return x < y;
}
__device__ inline bool before(uint64_t x, uint64_t y)
{
    return x < y;
}
__device__ inline bool before(wide_pair x, wide_pair y)
{
    return x.key < y.key || (x.key == y.key && x.place < y.place);
}

template <typename Item>
__device__ Item of_lane(Item x, unsigned lanes)
{
    return __shfl_xor_sync(ALL_LANES, x, static_cast<int>(lanes));
}
__device__ inline wide_pair of_lane(wide_pair x, unsigned lanes)
{
    return {of_lane(x.key, lanes), of_lane(x.place, lanes)};
}

/* In shared memory: of pairs, all keys and then all places. */
template <typename Item>
struct shared_items {
    Item *items;

    __device__ shared_items(unsigned char *memory, unsigned)
        : items(reinterpret_cast<Item *>(memory))
    {
    }
    __device__ void put(unsigned i, Item x) const
    {
        items[i] = x;
    }
    __device__ Item get(unsigned i) const
    {
        return items[i];
    }
};

template <>
struct shared_items<wide_pair> {
    uint64_t *keys;
    uint32_t *places;

    __device__ shared_items(unsigned char *memory, unsigned count)
        : keys(reinterpret_cast<uint64_t *>(memory)),
          places(reinterpret_cast<uint32_t *>(memory + count * sizeof(uint64_t)))
    {
    }
    __device__ void put(unsigned i, wide_pair x) const
    {
        keys[i] = x.key;
        places[i] = x.place;
    }
    __device__ wide_pair get(unsigned i) const
    {
        return {keys[i], places[i]};
    }
};

/* ---- steps ---- */

template <typename Item>
__device__ void keep(Item &mine, Item other, bool the_smaller)
{
    if (before(other, mine) == the_smaller)
        mine = other;
}

/* Key i is compared with key i ^ MASK, both of this thread. */
template <unsigned MASK, typename Item>
__device__ void step_in_thread(Item (&own)[OWN])
{
    PRIM_UNROLL(OWN)
    for (unsigned i = 0; i < OWN; i++)
        if (i < (i ^ MASK) && before(own[i ^ MASK], own[i])) {
            const Item larger = own[i];
            own[i] = own[i ^ MASK];
            own[i ^ MASK] = larger;
        }
}

/* Key i of this thread with key i ^ MASK of thread t ^ threads. The first of the two keeps the
 * smaller one. */
template <unsigned MASK, typename Item>
__device__ void step_in_warp(Item (&own)[OWN], unsigned threads, bool is_first)
{
    Item others[OWN];
    PRIM_UNROLL(OWN)
    for (unsigned i = 0; i < OWN; i++)
        others[i] = of_lane(own[i ^ MASK], threads);
    PRIM_UNROLL(OWN)
    for (unsigned i = 0; i < OWN; i++)
        keep(own[i], others[i], is_first);
}

template <unsigned MASK, typename Item>
__device__ void step_in_block(Item (&own)[OWN], const shared_items<Item> &shared, unsigned threads,
                              bool is_first)
{
    PRIM_UNROLL(OWN)
    for (unsigned i = 0; i < OWN; i++)
        shared.put(i * blockDim.x + threadIdx.x, own[i]);
    __syncthreads();
    PRIM_UNROLL(OWN)
    for (unsigned i = 0; i < OWN; i++)
        keep(own[i], shared.get((i ^ MASK) * blockDim.x + (threadIdx.x ^ threads)), is_first);
    __syncthreads();
}

/* Between threads whose numbers differ in the bits of `threads`, of which `highest` is the first.
 */
template <unsigned MASK, typename Item>
__device__ void step(Item (&own)[OWN], const shared_items<Item> &shared, unsigned threads,
                     unsigned highest)
{
    const bool is_first = (threadIdx.x & highest) == 0;
    if (threads < WARP)
        step_in_warp<MASK>(own, threads, is_first);
    else
        step_in_block<MASK>(own, shared, threads, is_first);
}

/* By all threads, a power of two of them, and at least a warp. */
template <typename Item>
__device__ void sort_by_network(Item (&own)[OWN], const shared_items<Item> &shared)
{
    step_in_thread<1>(own);
    step_in_thread<3>(own);
    step_in_thread<1>(own);
    for (unsigned run = 1; run < blockDim.x; run *= 2) { /* in threads; two runs become one */
        step<OWN - 1>(own, shared, 2 * run - 1, run);
        for (unsigned distance = run / 2; distance > 0; distance /= 2)
            step<0>(own, shared, distance, distance);
        step_in_thread<2>(own);
        step_in_thread<1>(own);
    }
}

/* ---- from memory and back ---- */

/* Widths are numbers here, since one block loads and stores what takes a moment. */
struct operands {
    linear_order<uint64_t> order; /* of the keys' width, in the low bits */
    unsigned key_bytes, count;
    const void *keys;
    void *out;          /* NULL: nobody wants the keys */
    const void *values; /* NULL: a value is its key's place */
    void *out_values;
    unsigned value_bytes; /* 0: keys alone */
};

/* what(order) with the order of keys of that many bytes. */
template <typename What>
__device__ void with_order(const operands &p, const What &what)
{
    const linear_order<uint64_t> o = p.order;
    if (p.key_bytes == 1)
        what(linear_order<uint8_t>{uint8_t(o.flip), uint8_t(o.scale), uint8_t(o.zero)});
    else if (p.key_bytes == 2)
        what(linear_order<uint16_t>{uint16_t(o.flip), uint16_t(o.scale), uint16_t(o.zero)});
    else if (p.key_bytes == 4)
        what(linear_order<uint32_t>{uint32_t(o.flip), uint32_t(o.scale), uint32_t(o.zero)});
    else
        what(o);
}

/* An item, its key and its place. */
__device__ inline void make(uint64_t key, uint32_t, const operands &, uint32_t &item)
{
    item = static_cast<uint32_t>(key);
}
__device__ inline void make(uint64_t key, uint32_t place, const operands &p, uint64_t &item)
{
    item = p.value_bytes == 0 ? key : key << 32 | place;
}
__device__ inline void make(uint64_t key, uint32_t place, const operands &, wide_pair &item)
{
    item = {key, place};
}

__device__ inline uint64_t key_of(uint32_t item, const operands &)
{
    return item;
}
__device__ inline uint64_t key_of(uint64_t item, const operands &p)
{
    return p.value_bytes == 0 ? item : item >> 32;
}
__device__ inline uint64_t key_of(wide_pair item, const operands &)
{
    return item.key;
}

__device__ inline uint32_t place_of(uint64_t item)
{
    return static_cast<uint32_t>(item);
}
__device__ inline uint32_t place_of(wide_pair item)
{
    return item.place;
}

/* After the end: the largest keys, and after the last place. */
template <typename Item>
__device__ void load_items(const operands &p, Item (&own)[OWN])
{
    with_order(p, [&](auto order) {
        using bits = typename decltype(order)::bits;
        PRIM_UNROLL(OWN)
        for (unsigned i = 0; i < OWN; i++) {
            const unsigned place = threadIdx.x * OWN + i;
            const bits key = place < p.count
                                 ? order.ordered(static_cast<const bits *>(p.keys)[place])
                                 : static_cast<bits>(-1);
            make(key, place, p, own[i]);
        }
    });
}

template <typename Item>
__device__ void store_keys(const operands &p, const Item (&own)[OWN])
{
    with_order(p, [&](auto order) {
        using bits = typename decltype(order)::bits;
        PRIM_UNROLL(OWN)
        for (unsigned i = 0; i < OWN; i++)
            if (threadIdx.x * OWN + i < p.count)
                static_cast<bits *>(p.out)[threadIdx.x * OWN + i] =
                    order.restored(static_cast<bits>(key_of(own[i], p)));
    });
}

/* By all threads: values may be sorted in place. */
template <typename Item>
__device__ void move_values(const operands &p, const Item (&own)[OWN])
{
    with_value_type(p.value_bytes, [&](auto zero) {
        using value = decltype(zero);
        value some[OWN];
        PRIM_UNROLL(OWN)
        for (unsigned i = 0; i < OWN; i++)
            if (threadIdx.x * OWN + i < p.count)
                some[i] = p.values == nullptr
                              ? place_as_value<value>(place_of(own[i]))
                              : static_cast<const value *>(p.values)[place_of(own[i])];
        __syncthreads();
        PRIM_UNROLL(OWN)
        for (unsigned i = 0; i < OWN; i++)
            if (threadIdx.x * OWN + i < p.count)
                static_cast<value *>(p.out_values)[threadIdx.x * OWN + i] = some[i];
    });
}

/* Keys alone. */
__device__ inline void move_values(const operands &, const uint32_t (&)[OWN])
{
}

template <typename Item>
__global__ void __launch_bounds__(MOST_KEYS / OWN) sort_keys(operands p)
{
    PRIM_SHARED_DYNAMIC(unsigned char, memory);
    const shared_items<Item> shared(memory, blockDim.x * OWN);
    Item own[OWN];
    load_items(p, own); /* from where the same thread stores, so keys may be sorted in place */
    sort_by_network(own, shared);
    if (p.out != nullptr)
        store_keys(p, own);
    if (p.value_bytes > 0)
        move_values(p, own);
}

/* ---- launches ---- */

template <typename Item>
constexpr size_t ITEM_BYTES = sizeof(Item);
template <>
constexpr size_t ITEM_BYTES<wide_pair> = sizeof(uint64_t) + sizeof(uint32_t);

template <typename Item>
cudaError_t launch_sort(cudaStream_t stream, const operands &p)
{
    unsigned threads = WARP;
    while (threads * OWN < p.count)
        threads *= 2;
    return prim_launch({stream, 1, threads, threads * OWN * ITEM_BYTES<Item>}, sort_keys<Item>, p);
}

struct run_sort : launch_run {
    template <typename Key>
    static cudaError_t run(const prim_merge_sort_args *args)
    {
        const auto order = linear_order_of<Key>(args);
        const operands p = {{order.flip, order.scale, order.zero},
                            sizeof(Key),
                            static_cast<unsigned>(args->count),
                            args->in,
                            args->out,
                            args->permutation ? nullptr : args->values,
                            args->out_values,
                            static_cast<unsigned>(args->has_values ? args->value_bytes : 0)};
        if (args->has_values && sizeof(Key) == 8)
            return launch_sort<wide_pair>(args->call.stream, p);
        if (args->has_values || sizeof(Key) == 8)
            return launch_sort<uint64_t>(args->call.stream, p);
        return launch_sort<uint32_t>(args->call.stream, p);
    }
};

cudaError_t launch(const void *any)
{
    const prim_merge_sort_args *args = static_cast<const prim_merge_sort_args *>(any);
    return args->count > 0 ? dispatch<run_sort>(args) : cudaSuccess;
}

const char *why_not(const void *any)
{
    return static_cast<const prim_merge_sort_args *>(any)->count > MOST_KEYS
               ? "it sorts at most 4096 keys, in one block"
               : sort_pairs_why_not(any);
}

} // namespace bitonic
} // namespace

PRIM_DEFINE_RUNG(merge_sort, bitonic) = {
    {PRIM_MERGE_SORT_BITONIC, "bitonic", "a sorting network: one block, keys in registers"},
    bitonic::why_not,
    nullptr,
    bitonic::launch};
