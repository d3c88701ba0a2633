/* Keys of a sorted run in a ring buffer in shared memory, loaded 16 bytes at a time.
 *
 *     run    ──────────│▒▒▒▒▒▒▒▒▒▒▒▒▒│──────        ▒ in the ring
 *                    next         loaded
 *     ring   ▒▒▒▒│      │▒▒▒▒▒▒▒▒▒                  key x at x + shift, modulo the ring's size
 *
 * A chunk is 16 bytes that begin at a multiple of 16 in global memory, and in the ring too: the
 * run's first key is `shift` keys after such a boundary. Keys are in the ring as ordered unsigned
 * integers. The run is padded with largest ones, and no key outside the run is read. */
#ifndef PRIM_MERGE_RING_CUH
#define PRIM_MERGE_RING_CUH

#include <cstring>

#include "common/block/vectors.cuh"
#include "common/kernel/unroll.cuh"
#include "merge/dispatch.cuh"
#include "merge/path/runs.cuh"

namespace
{

constexpr unsigned CHUNK_BYTES = 16;

template <typename Key>
constexpr unsigned CHUNK_KEYS = CHUNK_BYTES / sizeof(Key);

template <typename Bits>
struct alignas(CHUNK_BYTES) key_chunk {
    Bits keys[CHUNK_BYTES / sizeof(Bits)];
};

/* How many keys a pointer is past a boundary of 16 bytes. */
template <typename Key>
__host__ __device__ unsigned keys_behind_boundary(const Key *keys)
{
    return bytes_past_vector(keys) / static_cast<unsigned>(sizeof(Key));
}

template <typename Key>
struct key_stream {
    const Key *keys;
    size_t count, next; /* next: the first key that is not taken yet */
    size_t loaded;      /* chunks: the next one to be loaded */
    unsigned shift;

    __device__ key_stream(const Key *from, size_t keys_in_run, size_t first)
        : keys(from), count(keys_in_run), next(first), shift(keys_behind_boundary(from))
    {
        loaded = (next + shift) / CHUNK_KEYS<Key>;
    }

    /* How many keys the next one is after a boundary. */
    __device__ unsigned behind_boundary() const
    {
        return static_cast<unsigned>((next + shift) % CHUNK_KEYS<Key>);
    }

    /* How many of the next `most` keys there are. */
    __device__ unsigned left(unsigned most) const
    {
        return count - next < most ? static_cast<unsigned>(count - next) : most;
    }

    /* How many chunks are missing until the ring has the next `wanted` keys. */
    __device__ unsigned missing(unsigned wanted) const
    {
        const size_t until = (next + wanted + shift + CHUNK_KEYS<Key> - 1) / CHUNK_KEYS<Key>;
        return until > loaded ? static_cast<unsigned>(until - loaded) : 0;
    }

    /* Whether the next `missing` chunks are wholly in the run. Then next_chunk() points to them. */
    __device__ bool are_whole(unsigned missing) const
    {
        constexpr unsigned N = CHUNK_KEYS<Key>;
        return loaded * N >= shift && (loaded + missing) * N <= count + shift;
    }

    /* The chunk that comes next to be loaded. */
    __device__ const key_chunk<Key> *next_chunk() const
    {
        return reinterpret_cast<const key_chunk<Key> *>(keys + (loaded * CHUNK_KEYS<Key> - shift));
    }

    /* A chunk as it lies in memory; it is converted only when it is stored to shared memory, so
     * that no thread waits for it before. */
    __device__ key_chunk<Key> load(key_order<Key> order, size_t chunk) const
    {
        constexpr unsigned N = CHUNK_KEYS<Key>;
        const size_t first = chunk * N; /* from the boundary before the run on */
        if (first >= shift && first + N <= count + shift)
            return *reinterpret_cast<const key_chunk<Key> *>(keys + (first - shift));
        const Key largest = order.from_ordered(static_cast<typename Key::bits_type>(-1));
        key_chunk<Key> result;
        PRIM_UNROLL(16)
        for (unsigned e = 0; e < N; e++) {
            const bool inside = first + e >= shift && first + e < count + shift;
            result.keys[e] = inside ? keys[first + e - shift] : largest;
        }
        return result;
    }
};

template <typename Key>
__device__ key_chunk<typename Key::bits_type> ordered_chunk(key_order<Key> order,
                                                            const key_chunk<Key> &raw)
{
    key_chunk<typename Key::bits_type> result;
    PRIM_UNROLL(16)
    for (unsigned e = 0; e < CHUNK_KEYS<Key>; e++)
        result.keys[e] = order.ordered(raw.keys[e]);
    return result;
}

/* Loads the next `missing` chunks of a stream into shared memory, at place(…) for each: by all
 * threads of the block, each of which has up to MOST in flight at once. */
template <unsigned MOST, typename Key, class Place>
__device__ void load_chunks(key_order<Key> order, const key_stream<Key> &stream, unsigned missing,
                            const Place &place)
{
    for (unsigned first = threadIdx.x; first < missing; first += MOST * blockDim.x) {
        key_chunk<Key> raw[MOST];
        PRIM_UNROLL(8)
        for (unsigned c = 0; c < MOST; c++)
            if (first + c * blockDim.x < missing)
                raw[c] = stream.load(order, stream.loaded + first + c * blockDim.x);
        PRIM_UNROLL(8)
        for (unsigned c = 0; c < MOST; c++)
            if (first + c * blockDim.x < missing)
                *place(stream.loaded + first + c * blockDim.x) = ordered_chunk(order, raw[c]);
    }
}

/* To global memory by one store, and by an instruction of its own: nvcc would take the chunk apart,
 * even as a uint4, and store each word for itself. */
template <typename Key>
__device__ void store_chunk(Key *to, const key_chunk<Key> &chunk)
{
#ifdef __CUDA_ARCH__
    uint4 words;
    memcpy(&words, &chunk, sizeof words);
    asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(to), "r"(words.x), "r"(words.y),
                 "r"(words.z), "r"(words.w)
                 : "memory");
#else
    *reinterpret_cast<key_chunk<Key> *>(to) = chunk;
#endif
}

/* Writes ordered keys from shared memory, from place `behind` on, to `out`, which is `behind` keys
 * past a boundary: whole chunks at once, and keys before and after them one by one. By `workers`
 * threads, this one `worker`, each of which has up to ITEMS keys. */
template <unsigned ITEMS, typename Key>
__device__ void write_chunks(key_order<Key> order, const typename Key::bits_type *staged,
                             unsigned behind, unsigned count, Key *out, unsigned worker,
                             unsigned workers)
{
    using bits = typename Key::bits_type;
    constexpr unsigned N = CHUNK_KEYS<Key>, ROUNDS = ITEMS / N + 1;
    const unsigned end = behind + count;
    const size_t at = worker * N; /* out - behind may lie before its array */
    PRIM_UNROLL(8)
    for (unsigned c = 0; c < ROUNDS; c++) {
        const unsigned first = static_cast<unsigned>(at) + c * workers * N;
        const key_chunk<bits> *const from =
            reinterpret_cast<const key_chunk<bits> *>(staged + first);
        if (first >= behind && first + N <= end) {
            const key_chunk<bits> chunk = *from;
            key_chunk<Key> raw;
            PRIM_UNROLL(16)
            for (unsigned e = 0; e < N; e++)
                raw.keys[e] = order.from_ordered(chunk.keys[e]);
            store_chunk(out + at - behind + c * workers * N, raw);
        } else if (first < end) {
            for (unsigned e = 0; e < N; e++)
                if (first + e >= behind && first + e < end)
                    out[first + e - behind] = order.from_ordered(staged[first + e]);
        }
    }
}

} // namespace

#endif
