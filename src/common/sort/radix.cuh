/* One pass of a stable radix sort: keys change places by one digit of 8 bits, in global memory.
 *
 *     keys       2 0 1 2 │ 0 2 1 0       tiles of, here, 4 keys
 *     ranks      0 0 0 1 │ 0 0 0 1       among the keys of the same digit before it in the tile
 *     in order   0 1 2 2 │ 0 0 1 2       in shared memory, at the digit's begin in the tile + rank
 *     out        0 0 0 1 │ 1 2 2 2       at the digit's begin in the tile's output + rank
 *
 * A digit's begin in a tile's output is the number of keys with smaller digits, in all tiles, and
 * of those with the same digit in the tiles before. The first is counted beforehand, for all passes
 * in one read of the keys. The second is found by looking back: each block publishes its tile's
 * counts, and adds up those of the tiles before it until it meets one that has published its sum.
 * So each pass reads each key once and writes it once, nearly coalesced: neighbours in shared
 * memory go to neighbouring places, as long as their digit is the same.
 *
 * Ranks: among the keys of a warp first, as digit_ranks.cuh says; then counts are scanned over the
 * block's warps. Nothing depends on timing.
 *
 * Where all keys have the same digit, the pass copies them.
 *
 * In CUB's words: a published word is a tile's descriptor of one digit, COUNT its partial and SUM
 * its inclusive value, and slots are what keys are exchanged through.
 *
 * Source: A. Adinets and D. Merrill, Onesweep: A Faster Least Significant Digit Radix Sort for
 * GPUs, 2022, arXiv:2206.01784. */
#ifndef PRIM_COMMON_RADIX_CUH
#define PRIM_COMMON_RADIX_CUH

#include <cstdint>

#include <primitives/device/warp.h>

#include "common/block/vectors.cuh"
#include "common/block/warp.cuh"
#include "common/host/device.h"
#include "common/host/sizes.h"
#include "common/kernel/atomic.cuh"
#include "common/kernel/launch.cuh"
#include "common/kernel/shared.cuh"
#include "common/kernel/unroll.cuh"
#include "common/sort/digit_ranks.cuh"
#include "common/sort/place_value.cuh"

namespace
{
namespace radix
{

/* May be set with -D for measurements. */
#ifndef PRIM_RADIX_THREADS
#define PRIM_RADIX_THREADS 512
#endif
#ifndef PRIM_RADIX_ITEMS /* keys of 4 bytes that a thread has, at most */
#define PRIM_RADIX_ITEMS 16
#endif
#ifndef PRIM_RADIX_BLOCKS /* of a multiprocessor */
#define PRIM_RADIX_BLOCKS 2
#endif
#ifndef PRIM_RADIX_COUNTING_BLOCKS
#define PRIM_RADIX_COUNTING_BLOCKS 2
#endif
#ifndef PRIM_RADIX_FEWEST_ITEMS
#define PRIM_RADIX_FEWEST_ITEMS 4
#endif

constexpr unsigned THREADS = PRIM_RADIX_THREADS, WARPS = THREADS / WARP;
constexpr unsigned COUNTING = 512; /* threads of a block that counts */
static_assert(THREADS >= DIGITS, "a thread looks after a digit");
static_assert(THREADS * PRIM_RADIX_ITEMS <= UINT16_MAX, "places in a tile have 16 bits");

constexpr size_t MOST_SHARED_BYTES = 100 * 1024; /* so that two blocks fit, from 8.0 on */

/* Of each thread: what fits 64 registers without a spill, as ptxas says; places of values, and wide
 * addresses, take some. */
__host__ __device__ constexpr unsigned most_items(size_t key_bytes, bool has_values)
{
    return key_bytes == 8 ? PRIM_RADIX_ITEMS * (has_values ? 7 : 10) / 16
                          : PRIM_RADIX_ITEMS * (has_values ? 12 : 16) / 16;
}

/* ---- what blocks publish of a tile's digit ---- */

/* 8 bits that say what it is and of which pass, and a number of keys in the other 56. So words of
 * earlier passes need not be cleared. */
constexpr unsigned STATE_SHIFT = 56;

enum word_kind : unsigned { COUNT = 1, SUM = 2 }; /* of this tile; of this one and all before it */

__device__ inline uint64_t word_of(unsigned pass, word_kind kind, uint64_t keys)
{
    return static_cast<uint64_t>(2 * pass + kind) << STATE_SHIFT | keys;
}

/* By one thread for each digit: how many keys of the digit the tiles before this one have, and, as
 * the first tile's sum has it, how many keys have smaller digits. */
__device__ inline uint64_t look_back(uint64_t *words, size_t tile, unsigned digit, unsigned pass)
{
    constexpr unsigned AT_ONCE = 4;
    uint64_t sum = 0;
    for (size_t left = tile;;) {
        uint64_t read[AT_ONCE];
        PRIM_UNROLL(AT_ONCE)
        for (unsigned i = 0; i < AT_ONCE; i++)
            read[i] = i < left ? atomic_load(&words[(left - 1 - i) * DIGITS + digit]) : 0;
        bool is_missing = false; /* not published yet, or after such a one */
        PRIM_UNROLL(AT_ONCE)
        for (unsigned i = 0; i < AT_ONCE; i++) {
            const unsigned state = static_cast<unsigned>(read[i] >> STATE_SHIFT);
            const uint64_t keys = read[i] & ((uint64_t(1) << STATE_SHIFT) - 1);
            if (is_missing || state < 2 * pass + COUNT) {
                is_missing = true;
                continue;
            }
            sum += keys;
            left--;
            if (state == 2 * pass + SUM)
                return sum;
        }
        if (is_missing)
            relax(32);
    }
}

/* ---- digits ---- */

/* Byte `pass` of a key. */
template <typename Bits>
__device__ unsigned digit_of(Bits x, unsigned pass)
{
    if constexpr (sizeof(Bits) == 8)
        return chosen_bytes(static_cast<uint32_t>(pass < 4 ? x : x >> 32), 0, 0x4440 + pass % 4);
    else
        return chosen_bytes(x, 0, 0x4440 + pass);
}

/* Copies of a block's counters, lane l in copy l mod COPIES: fewer lanes meet at a bank. */
template <unsigned PASSES>
constexpr unsigned COPIES = 32 / PASSES;

/* A key's digits in the counters, which are [pass][digit][copy]; `own` is the lane's copy. */
template <unsigned PASSES, typename Bits>
__device__ void count_key(unsigned *own, Bits ordered, unsigned passes)
{
    PRIM_UNROLL(PASSES)
    for (unsigned pass = 0; pass < PASSES; pass++)
        if (pass < passes)
            atomicAdd(&own[(pass * DIGITS + digit_of(ordered, pass)) * COPIES<PASSES>], 1u);
}

/* counts[pass][digit] of all keys, by additions; and clears the words. */
template <class Order>
__global__ void __launch_bounds__(COUNTING)
    count_digits(Order order, const typename Order::bits *keys, size_t count, unsigned passes,
                 unsigned long long *counts, uint64_t *words, size_t word_count)
{
    using bits = typename Order::bits;
    constexpr unsigned AT_ONCE = 8, PASSES = sizeof(bits), COUNTERS = PASSES * DIGITS;
    PRIM_SHARED(unsigned, all, [COUNTERS * COPIES<PASSES>]);
    unsigned *const own = all + threadIdx.x % COPIES<PASSES>;
    const size_t threads = static_cast<size_t>(gridDim.x) * COUNTING,
                 mine = static_cast<size_t>(blockIdx.x) * COUNTING + threadIdx.x;
    for (unsigned i = threadIdx.x; i < COUNTERS * COPIES<PASSES>; i += COUNTING)
        all[i] = 0;
    trigger_launch_completion();
    grid_dependency_synchronize();
    for (size_t w = mine; w < word_count; w += threads)
        words[w] = 0;
    __syncthreads();
    size_t i = mine;
    for (; i + (AT_ONCE - 1) * threads < count; i += AT_ONCE * threads) {
        bits some[AT_ONCE];
        PRIM_UNROLL(AT_ONCE)
        for (unsigned k = 0; k < AT_ONCE; k++)
            some[k] = keys[i + k * threads];
        PRIM_UNROLL(AT_ONCE)
        for (unsigned k = 0; k < AT_ONCE; k++)
            count_key<PASSES>(own, order.ordered(some[k]), passes);
    }
    for (; i < count; i += threads)
        count_key<PASSES>(own, order.ordered(keys[i]), passes);
    __syncthreads();
    for (unsigned c = threadIdx.x; c < passes * DIGITS; c += COUNTING) {
        unsigned long long sum = 0;
        for (unsigned copy = 0; copy < COPIES<PASSES>; copy++) /* lanes begin in their own banks */
            sum += all[c * COPIES<PASSES> + (copy + threadIdx.x) % COPIES<PASSES>];
        if (sum != 0)
            atomicAdd(&counts[c], sum);
    }
}

/* ---- what a pass is told, and what a block keeps ---- */

/* From where to where; `values` may be NULL: then a value is its key's place. */
template <typename Bits>
struct pass_operands {
    const Bits *keys;
    Bits *out;
    const void *values;
    void *out_values;
    size_t count;
    unsigned items; /* keys of each thread */
    unsigned pass;  /* and byte of the keys, from 0 on */
    bool is_last;   /* pass */
    unsigned value_bytes;
    const unsigned long long *counts; /* of the pass */
    unsigned *ticket;                 /* of the pass */
    uint64_t *words;                  /* for each tile, one for each digit */
};

/* A slot's key goes to out_begins[its digit] + slot: where keys of digit 2 begin in slot 5 and, in
 * the output, at 1000, out_begins[2] is the address of place 995. */
struct tile_memory {
    uint64_t out_begins[DIGITS];      /* addresses */
    uint64_t of_all[DIGITS / WARP];   /* scan_digits() */
    uint16_t of_warps[WARPS][DIGITS]; /* counts; then where a warp's first key of a digit goes */
    unsigned tile;
    bool is_one_digit; /* of all keys of the call */
};

/* The exclusive scan over the digits, a thread for each. All threads must call it. */
__device__ inline uint64_t scan_digits(uint64_t mine, uint64_t *of_warps)
{
    const unsigned warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
    uint64_t sum = mine;
    if (threadIdx.x < DIGITS) {
        sum = prim_warp_inclusive_scan(mine, prim_sum());
        if (lane == WARP - 1)
            of_warps[warp] = sum;
    }
    __syncthreads();
    uint64_t before = 0;
    if (threadIdx.x < DIGITS)
        for (unsigned w = 0; w < warp; w++)
            before += of_warps[w];
    __syncthreads();
    return before + sum - mine;
}

/* ---- a pass ---- */

/* The order of integers as they are. */
template <typename Bits>
struct identity_order {
    using bits = Bits;
    __host__ __device__ Bits ordered(Bits x) const
    {
        return x;
    }
    __host__ __device__ Bits restored(Bits x) const
    {
        return x;
    }
};

/* A lane's keys of a tile: at `place` in the array, and 32, 64 and so on after it, below `span`. A
 * warp's lie together. */
struct lane_keys {
    size_t place;
    unsigned span;
};

template <typename Bits>
__device__ lane_keys own_keys(const pass_operands<Bits> &p, size_t tile_begin, unsigned tile_keys)
{
    const unsigned of_warp = p.items * WARP,
                   first = threadIdx.x / WARP * of_warp + threadIdx.x % WARP,
                   keys_left = tile_keys > first ? tile_keys - first : 0;
    return {tile_begin + first, keys_left < of_warp ? keys_left : of_warp};
}

/* Order::bits are what memory holds, before the first pass and after the last; in between it holds
 * order.ordered(x), the unsigned integers that keys are sorted by.
 *
 * After the end are keys of the last digit: they are the last ones of the last tile, and no key
 * comes after them. */
template <class Order, typename Bits, unsigned ITEMS>
__device__ void load_keys(Order order, const pass_operands<Bits> &p, lane_keys own,
                          Bits (&keys)[ITEMS])
{
    const Bits *const from = p.keys + own.place;
    PRIM_UNROLL(ITEMS)
    for (unsigned i = 0; i < ITEMS; i++) {
        keys[i] = static_cast<Bits>(-1);
        if (i * WARP < own.span)
            keys[i] = from[i * WARP];
    }
    PRIM_UNROLL(ITEMS)
    for (unsigned i = 0; i < ITEMS; i++)
        if (p.pass == 0 && i * WARP < own.span)
            keys[i] = order.ordered(keys[i]);
}

template <class Order, typename Bits, unsigned ITEMS>
__device__ void store_keys(Order order, const pass_operands<Bits> &p, lane_keys own,
                           const Bits (&keys)[ITEMS])
{
    PRIM_UNROLL(ITEMS)
    for (unsigned i = 0; i < ITEMS; i++)
        if (i * WARP < own.span)
            p.out[own.place + i * WARP] = p.is_last ? order.restored(keys[i]) : keys[i];
}

/* By a whole warp. */
template <typename Bits>
__device__ void note_one_digit(const pass_operands<Bits> &p, tile_memory &m)
{
    bool has_all = false;
    for (unsigned digit = threadIdx.x % WARP; digit < DIGITS; digit += WARP)
        has_all |= p.counts[digit] == p.count;
    const bool any_has = __ballot_sync(ALL_LANES, has_all) != 0;
    if (threadIdx.x % WARP == 0)
        m.is_one_digit = any_has;
}

/* A tile's digit, by one of the first DIGITS threads. */
struct tile_digit {
    unsigned keys, begin;    /* in the tile: how many there are, and where they begin in order */
    uint64_t smaller_digits; /* keys of all tiles; in the first tile only */
};

/* Counts the warps' keys of each digit together, publishes the counts, and gives each warp the
 * place where its first key of a digit goes. The first tile publishes a sum at once, and in it the
 * keys of smaller digits, so that look-back finds them there. All threads must call it. */
template <typename Bits>
__device__ tile_digit give_places(const pass_operands<Bits> &p, tile_memory &m)
{
    const unsigned digit = threadIdx.x;
    tile_digit d = {0, 0, 0};
    if (m.tile == 0)
        d.smaller_digits = scan_digits(digit < DIGITS ? p.counts[digit] : 0, m.of_all);
    if (digit < DIGITS) {
        PRIM_UNROLL(WARPS)
        for (unsigned w = 0; w < WARPS; w++)
            d.keys += m.of_warps[w][digit];
        atomic_store(&p.words[static_cast<size_t>(m.tile) * DIGITS + digit],
                     word_of(p.pass, m.tile == 0 ? SUM : COUNT, d.smaller_digits + d.keys));
    }
    d.begin = static_cast<unsigned>(scan_digits(d.keys, m.of_all));
    if (digit < DIGITS) {
        unsigned next = d.begin;
        PRIM_UNROLL(WARPS)
        for (unsigned w = 0; w < WARPS; w++) {
            const unsigned count = m.of_warps[w][digit];
            m.of_warps[w][digit] = static_cast<uint16_t>(next);
            next += count;
        }
    }
    return d;
}

/* Where the digit begins in the tile's output, less its begin in the tile; publishes the sum that
 * the look-back has found. By one of the first DIGITS threads. */
template <typename Bits>
__device__ uint64_t begin_of_output(const pass_operands<Bits> &p, unsigned tile,
                                    const tile_digit &d)
{
    if (tile == 0)
        return d.smaller_digits - d.begin;
    const uint64_t before = look_back(p.words, tile, threadIdx.x, p.pass);
    atomic_store(&p.words[static_cast<size_t>(tile) * DIGITS + threadIdx.x],
                 word_of(p.pass, SUM, before + d.keys));
    return before - d.begin;
}

/* Keys from the slots to where they go, in order; and their digits. */
template <class Order, typename Bits, unsigned ITEMS>
__device__ void write_slots(Order order, const pass_operands<Bits> &p, const Bits *slots,
                            unsigned tile_keys, const uint64_t *out_begins,
                            unsigned (&digits)[ITEMS])
{
    PRIM_UNROLL(ITEMS)
    for (unsigned i = 0; i < ITEMS; i++) {
        const unsigned slot = i * THREADS + threadIdx.x;
        if (slot < tile_keys) {
            const Bits key = slots[slot];
            digits[i] = digit_of(key, p.pass);
            reinterpret_cast<Bits *>(out_begins[digits[i]])[slot] =
                p.is_last ? order.restored(key) : key;
        }
    }
}

/* The tile, whether all keys have one digit, and empty counters. With a barrier. */
template <typename Bits>
__device__ void begin_tile(const pass_operands<Bits> &p, tile_memory &m)
{
    const unsigned warp = threadIdx.x / WARP;
    if (threadIdx.x == 0)
        m.tile = take_ticket(p.ticket);
    if (warp == WARPS - 1)
        note_one_digit(p, m);
    for (unsigned d = threadIdx.x % WARP; d < DIGITS; d += WARP)
        m.of_warps[warp][d] = 0;
    __syncthreads();
}

template <class Order, class Values, unsigned ITEMS>
__global__ void __launch_bounds__(THREADS, blocks_at_once(THREADS, PRIM_RADIX_BLOCKS))
    place_keys(Order order, pass_operands<typename Order::bits> p, Values values)
{
    using bits = typename Order::bits;
    PRIM_SHARED_DYNAMIC(bits, slots);
    PRIM_SHARED(tile_memory, m, );
    const unsigned warp = threadIdx.x / WARP;
    trigger_launch_completion();
    grid_dependency_synchronize();
    begin_tile(p, m);
    const size_t all_keys = THREADS * p.items, begin = m.tile * all_keys;
    const unsigned tile_keys =
        static_cast<unsigned>(p.count - begin < all_keys ? p.count - begin : all_keys);
    const lane_keys own = own_keys(p, begin, tile_keys);
    bits keys[ITEMS];
    load_keys(order, p, own, keys);
    if (m.is_one_digit) { /* nothing changes places */
        store_keys(order, p, own, keys);
        values.copy(p, own);
        return;
    }
    unsigned places[ITEMS]; /* digits; then ranks and digits; then slots */
    PRIM_UNROLL(ITEMS)
    for (unsigned i = 0; i < ITEMS; i++)
        places[i] = digit_of(keys[i], p.pass);
    rank_keys(p.items, m.of_warps[warp], places);
    __syncthreads();
    const tile_digit digit = give_places(p, m);
    __syncthreads();
    PRIM_UNROLL(ITEMS)
    for (unsigned i = 0; i < ITEMS; i++)
        if (i * WARP < own.span) {
            places[i] = (places[i] >> DIGIT_BITS) + m.of_warps[warp][places[i] % DIGITS];
            slots[places[i]] = keys[i];
        }
    uint64_t out_begin = 0;
    if (threadIdx.x < DIGITS) {
        out_begin = begin_of_output(p, m.tile, digit);
        m.out_begins[threadIdx.x] = reinterpret_cast<uint64_t>(p.out + out_begin);
    }
    __syncthreads();
    unsigned digits[ITEMS]; /* of the keys that this thread writes */
    write_slots(order, p, slots, tile_keys, m.out_begins, digits);
    values.move(p, own, tile_keys, places, digits, out_begin, m.out_begins);
}

/* Keys alone. */
struct no_values {
    static constexpr bool ANY = false;

    template <typename Bits>
    __device__ static void copy(const pass_operands<Bits> &, lane_keys)
    {
    }
    template <typename Bits, unsigned ITEMS>
    __device__ static void move(const pass_operands<Bits> &, lane_keys, unsigned,
                                const unsigned (&)[ITEMS], const unsigned (&)[ITEMS], uint64_t,
                                uint64_t *)
    {
    }
};

/* How a pass reads and writes values, AT_ONCE of a thread in flight: load() that of a key's place,
 * and store() one in a slot, once begin() has made of a digit's place in the output what store()
 * adds slots to. */
template <typename Value>
struct value_array {
    using value = Value;
    static constexpr unsigned AT_ONCE = sizeof(Value) == 16 ? 2 : sizeof(Value) == 8 ? 4 : 8;

    const Value *in; /* NULL: a value is its key's place */
    Value *out;

    template <typename Bits>
    __device__ explicit value_array(const pass_operands<Bits> &p)
        : in(static_cast<const Value *>(p.values)), out(static_cast<Value *>(p.out_values))
    {
    }
    __device__ Value load(size_t place) const
    {
        return in != nullptr ? in[place] : place_as_value<Value>(place);
    }
    __device__ uint64_t begin(uint64_t place) const
    {
        return reinterpret_cast<uint64_t>(out + place);
    }
    __device__ static void store(uint64_t begin, unsigned slot, Value value)
    {
        reinterpret_cast<Value *>(begin)[slot] = value;
    }
};

/* A thread's values from its i-th on. */
template <class Access, unsigned N>
__device__ void load_values(const Access &by, lane_keys own, unsigned i,
                            typename Access::value (&some)[N])
{
    PRIM_UNROLL(N)
    for (unsigned k = 0; k < N; k++)
        if ((i + k) * WARP < own.span)
            some[k] = by.load(own.place + (i + k) * WARP);
}

/* The values of a thread's keys, to where they are in `values`. */
template <class Access>
__device__ void copy_values(const Access &by, lane_keys own)
{
    using value = typename Access::value;
    constexpr unsigned N = Access::AT_ONCE;
    for (unsigned i = 0; i * WARP < own.span; i += N) {
        value some[N] = {};
        load_values(by, own, i, some);
        PRIM_UNROLL(N)
        for (unsigned k = 0; k < N; k++)
            if ((i + k) * WARP < own.span)
                by.store(by.begin(own.place), (i + k) * WARP, some[k]);
    }
}

/* By all threads: the tile's values, through the keys' slots, to where the keys went. A thread
 * reads the values of the keys that it read, and writes those of the keys that it wrote. */
template <class Access, unsigned ITEMS>
__device__ void move_values(const Access &by, lane_keys own, unsigned tile_keys,
                            const unsigned (&places)[ITEMS], const unsigned (&digits)[ITEMS],
                            uint64_t out_begin, uint64_t *out_begins)
{
    using value = typename Access::value;
    PRIM_SHARED_DYNAMIC(value, slots);
    constexpr unsigned N = Access::AT_ONCE;
    __syncthreads();
    if (threadIdx.x < DIGITS)
        out_begins[threadIdx.x] = by.begin(out_begin);
    PRIM_UNROLL(ITEMS)
    for (unsigned i = 0; i < ITEMS; i += N) {
        constexpr unsigned END = ITEMS;
        value some[N];
        load_values(by, own, i, some);
        PRIM_UNROLL(N)
        for (unsigned k = 0; k < N; k++)
            if (i + k < END && (i + k) * WARP < own.span)
                slots[places[i + k]] = some[k];
    }
    __syncthreads();
    PRIM_UNROLL(ITEMS)
    for (unsigned i = 0; i < ITEMS; i++) {
        const unsigned slot = i * THREADS + threadIdx.x;
        if (slot < tile_keys)
            by.store(out_begins[digits[i]], slot, slots[slot]);
    }
}

/* ---- launches ---- */

/* A call's counts and tickets, and the words of its tiles; before them, in the workspace. */
constexpr size_t TICKETS_BYTES = 256;
static_assert(sizeof(uint64_t) * sizeof(unsigned) <= TICKETS_BYTES, "a ticket for each pass");

inline size_t header_bytes(unsigned passes)
{
    return TICKETS_BYTES + passes * DIGITS * sizeof(unsigned long long);
}

/* Dynamic shared memory of a block, at most: beside tile_memory and what a compiler may add. */
inline size_t most_slot_bytes()
{
    constexpr size_t FOR_THE_COMPILER = 256;
    const size_t device = prim_device_shared_bytes();
    return (device < MOST_SHARED_BYTES ? device : MOST_SHARED_BYTES) - sizeof(tile_memory) -
           FOR_THE_COMPILER;
}

/* How a sort is cut. */
struct tiling {
    unsigned items; /* keys of each thread */
    size_t tiles;
    size_t most_tiles; /* of that many keys, or fewer */
};

/* As many keys for each thread as fit, and fewer where multiprocessors would have no tile. So one
 * key more may give fewer tiles, of more items; but a workspace for many keys is to be enough for
 * fewer. */
inline tiling tiling_of(size_t count, size_t key_bytes, size_t value_bytes)
{
    constexpr size_t FEWEST = PRIM_RADIX_FEWEST_ITEMS;
    const size_t multiprocessors = prim_device_multiprocessors(),
                 fit = most_slot_bytes() /
                       (THREADS * (key_bytes > value_bytes ? key_bytes : value_bytes)),
                 in_registers = most_items(key_bytes, value_bytes > 0),
                 most = fit < in_registers ? fit : in_registers,
                 spread = prim_divide_up(count, multiprocessors * THREADS),
                 wanted = spread > FEWEST ? spread : FEWEST, items = wanted < most ? wanted : most,
                 of_most = prim_divide_up(count, THREADS * most),
                 of_fewest = prim_divide_up(count, THREADS * FEWEST),
                 one_each = of_fewest < multiprocessors ? of_fewest : multiprocessors;
    return {static_cast<unsigned>(items), prim_divide_up(count, THREADS * items),
            of_most > one_each ? of_most : one_each};
}

/* Of the workspace, a multiple of 256. */
inline size_t state_bytes(size_t count, size_t key_bytes, size_t value_bytes, unsigned passes)
{
    return header_bytes(passes) +
           tiling_of(count, key_bytes, value_bytes).most_tiles * DIGITS * sizeof(uint64_t);
}

/* A sort of `count` keys, by `passes` digits from bit 0 on: begin(), and then each pass. */
template <class Order, class Values>
struct sorter {
    using bits = typename Order::bits;
    static constexpr unsigned ITEMS = most_items(sizeof(bits), Values::ANY);
    const cudaStream_t stream;
    const Order order;
    const size_t count, value_bytes;
    const unsigned passes;
    void *const state; /* state_bytes() */
    const tiling cut;

    sorter(cudaStream_t on, Order by, size_t keys, size_t bytes_of_value, unsigned digits,
           void *memory)
        : stream(on), order(by), count(keys), value_bytes(bytes_of_value), passes(digits),
          state(memory), cut(tiling_of(keys, sizeof(bits), bytes_of_value))
    {
    }

    unsigned long long *counts() const
    {
        return reinterpret_cast<unsigned long long *>(static_cast<char *>(state) + TICKETS_BYTES);
    }

    uint64_t *words() const
    {
        return reinterpret_cast<uint64_t *>(static_cast<char *>(state) + header_bytes(passes));
    }

    /* Counts the digits of all passes. */
    cudaError_t begin(const bits *keys) const
    {
        const size_t blocks = prim_divide_up(count, COUNTING * 8),
                     most = prim_device_multiprocessors() * PRIM_RADIX_COUNTING_BLOCKS;
        cudaError_t error = prim_device_take_error();
        if (error == cudaSuccess)
            error = prim_allow_shared(place_keys<Order, Values, ITEMS>, most_slot_bytes());
        if (error == cudaSuccess)
            error = cudaMemsetAsync(state, 0, header_bytes(passes), stream);
        if (error != cudaSuccess)
            return error;
        return prim_launch_dependent(
            {stream, static_cast<unsigned>(blocks < most ? blocks : most), COUNTING},
            count_digits<Order>, order, keys, count, passes, counts(), words(), cut.tiles * DIGITS);
    }

    /* `carried` knows where values are that are no arrays of their own. */
    cudaError_t place(unsigned pass, const bits *keys, const void *values, bits *out,
                      void *out_values, Values carried = {}) const
    {
        const size_t each = sizeof(bits) > value_bytes ? sizeof(bits) : value_bytes;
        pass_operands<bits> p = {};
        p.keys = keys;
        p.values = values;
        p.out = out;
        p.out_values = out_values;
        p.count = count;
        p.items = cut.items;
        p.pass = pass;
        p.is_last = pass + 1 == passes;
        p.value_bytes = static_cast<unsigned>(value_bytes);
        p.counts = counts() + pass * DIGITS;
        p.ticket = static_cast<unsigned *>(state) + pass;
        p.words = words();
        return prim_launch_dependent(
            {stream, static_cast<unsigned>(cut.tiles), THREADS, THREADS * cut.items * each},
            place_keys<Order, Values, ITEMS>, order, p, carried);
    }
};

} // namespace radix
} // namespace

#endif
