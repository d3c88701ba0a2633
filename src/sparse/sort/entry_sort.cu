/* Entries sorted by their rows or their columns: a stable radix sort, common/sort/radix.cuh, in
 * which an entry goes along as a whole.
 *
 *     keys       2 5 2 0      columns, when it is a transpose
 *     indices    0 0 1 3      rows, and values: read from where they are by the first pass,
 *     values     a b c d
 *     words      0a 0b 1c 3d  moved as words of 64 bits by those in between,
 *     indices    3 0 1 0      and written to where they belong by the last
 *     values     d a c b
 *
 * So nothing is gathered at the end, where each entry would cost a sector of 32 bytes for its index
 * and one for its value, and no launch packs and unpacks. Nothing depends on timing.
 *
 * Work: entries for each 8 bits of the keys. Bytes: of an entry, 4 to count digits, and 24 for each
 * pass. */
#include "sparse/sort/entry_sort.h"

#include "common/sort/radix.cuh"
#include "sparse/convert/entry_arrays.cuh"
#include "sparse/launches.cuh"
#include "sparse/sort/number_sort.h"

namespace
{
namespace entry_sort
{

/* ---- how a pass reads and writes what goes along ---- */

__device__ inline uint32_t value_bits(const prim_sparse_carried &c, size_t place)
{
    return c.value_bytes == 4   ? static_cast<const uint32_t *>(c.values)[place]
           : c.value_bytes == 2 ? static_cast<const uint16_t *>(c.values)[place]
                                : static_cast<uint32_t>(place);
}

__device__ inline void put_value_bits(const prim_sparse_carried &c, size_t place, uint32_t bits)
{
    if (c.value_bytes == 4)
        static_cast<uint32_t *>(c.values)[place] = bits;
    else
        static_cast<uint16_t *>(c.values)[place] = static_cast<uint16_t>(bits);
}

/* Words are NULL where a pass is the first or the last. */
struct carried_entries {
    static constexpr bool ANY = true;

    prim_sparse_carried from, to;
    const uint64_t *words;
    uint64_t *out_words;

    template <typename Bits>
    __device__ void copy(const radix::pass_operands<Bits> &, radix::lane_keys own) const;
    template <typename Bits, unsigned ITEMS>
    __device__ void move(const radix::pass_operands<Bits> &, radix::lane_keys own,
                         unsigned tile_keys, const unsigned (&places)[ITEMS],
                         const unsigned (&digits)[ITEMS], uint64_t out_begin,
                         uint64_t *out_begins) const;
};

template <bool READS_WORDS, bool WRITES_WORDS>
struct entry_access {
    using value = uint64_t;
    static constexpr unsigned AT_ONCE = READS_WORDS ? 4 : 2; /* more spill */

    const carried_entries &c;

    __device__ uint64_t load(size_t place) const
    {
        if constexpr (READS_WORDS)
            return c.words[place];
        else
            return static_cast<uint64_t>(value_bits(c.from, place)) << 32 |
                   static_cast<uint32_t>(c.from.indices[place]);
    }
    __device__ static uint64_t begin(uint64_t place)
    {
        return place;
    }
    __device__ void store(uint64_t begin, unsigned slot, uint64_t word) const
    {
        if constexpr (WRITES_WORDS) {
            c.out_words[begin + slot] = word;
        } else {
            c.to.indices[begin + slot] = static_cast<int32_t>(word);
            put_value_bits(c.to, begin + slot, static_cast<uint32_t>(word >> 32));
        }
    }
};

/* use(access) for what this pass reads and writes. */
template <class Use>
__device__ void with_access(const carried_entries &c, Use use)
{
    if (c.words != nullptr && c.out_words != nullptr)
        use(entry_access<true, true>{c});
    else if (c.words != nullptr)
        use(entry_access<true, false>{c});
    else if (c.out_words != nullptr)
        use(entry_access<false, true>{c});
    else
        use(entry_access<false, false>{c});
}

template <typename Bits>
__device__ void carried_entries::copy(const radix::pass_operands<Bits> &,
                                      radix::lane_keys own) const
{
    with_access(*this, [&](auto by) { radix::copy_values(by, own); });
}

template <typename Bits, unsigned ITEMS>
__device__ void carried_entries::move(const radix::pass_operands<Bits> &, radix::lane_keys own,
                                      unsigned tile_keys, const unsigned (&places)[ITEMS],
                                      const unsigned (&digits)[ITEMS], uint64_t out_begin,
                                      uint64_t *out_begins) const
{
    with_access(*this, [&](auto by) {
        radix::move_values(by, own, tile_keys, places, digits, out_begin, out_begins);
    });
}

using sorter = radix::sorter<radix::identity_order<uint32_t>, carried_entries>;

/* ---- passes ---- */

constexpr unsigned MOST_PASSES = sizeof(uint32_t);

size_t state_bytes(size_t entries)
{
    return radix::state_bytes(entries, sizeof(uint32_t), sizeof(uint64_t), MOST_PASSES);
}

/* ---- values of 8 bytes ---- */

__global__ void __launch_bounds__(::THREADS)
    take_numbered(const uint32_t *numbers, size_t entries, const uint64_t *values, uint64_t *to)
{
    const size_t e = this_thread();
    if (e < entries)
        to[e] = values[numbers[e]];
}

} // namespace entry_sort
} // namespace

prim_sparse_carried prim_sparse_carry(const int32_t *indices, const prim_sparse *from)
{
    const unsigned bytes = entry_arrays_of(from).value_bytes;
    return {const_cast<int32_t *>(indices), const_cast<void *>(from->values),
            bytes == 8 ? 0 : bytes};
}

prim_sparse_carried prim_sparse_carry_to(const int32_t *indices, const prim_sparse *to,
                                         const prim_sparse_sort_buffer *last)
{
    const unsigned bytes = entry_arrays_of(to).value_bytes;
    return {const_cast<int32_t *>(indices),
            bytes == 8 ? last->carried.values : const_cast<void *>(to->values),
            bytes == 8 ? 4 : bytes};
}

cudaError_t prim_sparse_take_numbered(cudaStream_t stream, const prim_sparse *from,
                                      const prim_sparse_carried *carried, const prim_sparse *to)
{
    launches l = {stream};
    if (entry_arrays_of(to).value_bytes == 8)
        l.then(to->entries, entry_sort::take_numbered,
               static_cast<const uint32_t *>(carried->values), to->entries,
               static_cast<const uint64_t *>(from->values),
               static_cast<uint64_t *>(const_cast<void *>(to->values)));
    return l.error;
}

size_t prim_sparse_entry_sort_bytes(size_t entries)
{
    return entry_sort::state_bytes(entries) + 2 * entries * (sizeof(uint64_t) + sizeof(uint32_t));
}

prim_sparse_sort_buffer prim_sparse_buffer(void *workspace, size_t entries, unsigned pass)
{
    uint64_t *const words = reinterpret_cast<uint64_t *>(static_cast<char *>(workspace) +
                                                         entry_sort::state_bytes(entries)),
                    *const own = words + pass % 2 * entries;
    int32_t *const keys = reinterpret_cast<int32_t *>(words + 2 * entries),
                   *const indices = reinterpret_cast<int32_t *>(own);
    return {keys + pass % 2 * entries, own, {indices, indices + entries, 4}};
}

unsigned prim_sparse_last_pass(const prim_sparse_entry_sort *s)
{
    return s->first_pass + prim_sparse_passes_for(s->bound) - 1;
}

/* Indices are not negative: as unsigned numbers they have the same order. */
cudaError_t prim_sparse_sort_entries(const prim_sparse_entry_sort *s)
{
    using namespace entry_sort;
    const unsigned passes = prim_sparse_passes_for(s->bound);
    const sorter by = {s->stream, {}, s->entries, sizeof(uint64_t), passes, s->workspace};
    const uint32_t *keys = reinterpret_cast<const uint32_t *>(s->keys);
    const uint64_t *words = nullptr;
    cudaError_t error = by.begin(keys);
    for (unsigned pass = 0; pass < passes && error == cudaSuccess; pass++) {
        const bool is_last = pass + 1 == passes;
        const prim_sparse_sort_buffer to =
            prim_sparse_buffer(s->workspace, s->entries, s->first_pass + pass);
        uint32_t *const out =
            reinterpret_cast<uint32_t *>(is_last && s->out_keys != nullptr ? s->out_keys : to.keys);
        error = by.place(
            pass, keys, nullptr, out, nullptr,
            {s->from, s->to != nullptr ? *s->to : to.carried, words, is_last ? nullptr : to.words});
        keys = out;
        words = to.words;
    }
    return error;
}
