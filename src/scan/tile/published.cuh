/* What blocks publish of their tiles while they run: a tile's aggregate, and in CHAINED its
 * exclusive prefix. clear_words.cuh has the launch before.
 *
 * A value is published in words of 8 bytes, half flag and half value: one word for 4 bytes, two for
 * 8. A word is read and written as a whole, so no order between words is needed, and no fence.
 *
 *     tiles      64 65 66 … 95 │ 96 97 98 99         words w of 32 tiles lie together,
 *     words      0…31  32…63   │ 64…95               since a warp reads them together */
#ifndef PRIM_SCAN_PUBLISHED_CUH
#define PRIM_SCAN_PUBLISHED_CUH

#include <cstring>

#include "common/kernel/atomic.cuh"
#include "scan/tile/tile.cuh"

namespace
{

enum word_state : uint32_t { EMPTY = 0, AGGREGATE = 1, PREFIX = 2 };

constexpr unsigned WAIT_NANOSECONDS = 32;

template <typename Value>
constexpr unsigned WORDS = sizeof(Value) / sizeof(uint32_t);

/* The first word of a tile's value; the next one is GROUP words after it. */
template <typename Value>
__device__ uint64_t *first_word_of(uint64_t *words, size_t tile)
{
    return &words[tile / GROUP * WORDS<Value> * GROUP + tile % GROUP];
}

/* A value as read; `there` if all its words have the flag. */
template <typename Value>
struct published {
    bool there;
    Value value;
};

template <typename Value>
struct value_words {
    uint64_t at[WORDS<Value>];
};

template <typename Value>
__device__ value_words<Value> words_of(Value value, uint32_t tag)
{
    uint32_t parts[WORDS<Value>];
    value_words<Value> words;
    std::memcpy(parts, &value, sizeof value);
    PRIM_UNROLL(WORDS<Value>)
    for (unsigned w = 0; w < WORDS<Value>; w++)
        words.at[w] = static_cast<uint64_t>(tag) << 32 | parts[w];
    return words;
}

template <typename Value>
__device__ published<Value> value_of(const value_words<Value> &words, uint32_t tag)
{
    uint32_t parts[WORDS<Value>];
    published<Value> p = {true, Value{}};
    PRIM_UNROLL(WORDS<Value>)
    for (unsigned w = 0; w < WORDS<Value>; w++) {
        parts[w] = static_cast<uint32_t>(words.at[w]);
        p.there = p.there && words.at[w] >> 32 == tag;
    }
    std::memcpy(&p.value, parts, sizeof p.value);
    return p;
}

/* A value's words are `stride` words apart. A tag is a word_state, or the number of a tile. */
template <typename Value>
__device__ void store_words(uint64_t *first, size_t stride, Value value, uint32_t tag)
{
    const value_words<Value> all = words_of(value, tag);
    PRIM_UNROLL(WORDS<Value>)
    for (unsigned w = 0; w < WORDS<Value>; w++)
        atomic_store(&first[w * stride], all.at[w]);
}

template <typename Value>
__device__ published<Value> load_words(uint64_t *first, size_t stride, uint32_t tag)
{
    value_words<Value> all;
    PRIM_UNROLL(WORDS<Value>)
    for (unsigned w = 0; w < WORDS<Value>; w++)
        all.at[w] = atomic_load(&first[w * stride]);
    return value_of(all, tag);
}

template <typename Value>
__device__ void publish(uint64_t *words, size_t tile, word_state state, Value value)
{
    store_words(first_word_of<Value>(words, tile), GROUP, value, state);
}

template <typename Value>
__device__ published<Value> read_published(uint64_t *words, size_t tile, word_state state)
{
    return load_words<Value>(first_word_of<Value>(words, tile), GROUP, state);
}

/* ---- the workspace ---- */

/* The atomic counter and a copy of the initial value, before the tiles' words. */
constexpr size_t TICKET_BYTES = 256;
constexpr unsigned INITIAL_WORD = 1; /* of 8 bytes */

/* A value for each of a line's tiles, in whole groups, takes twice its bytes: half of every word is
 * its flag. Whole lines need none. */
inline size_t bytes_of_words(const prim_scan_args *args, size_t tiles_of_line)
{
    if (args->rows == 0 || prim_scan_has_whole_lines(args))
        return 0;
    const size_t tiles = args->rows * tiles_of_line;
    const size_t value_bytes = prim_element_bytes(prim_accumulator_type(args->out_type));
    return TICKET_BYTES + prim_divide_up(tiles, GROUP) * GROUP * 2 * value_bytes;
}

} // namespace

#endif
