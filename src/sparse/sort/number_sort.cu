/* Numbers by keys of 32 bits, a stable radix sort: common/sort/radix.cuh.
 *
 *     keys     2 0 1 2     0 1 2 2     a pass for each 8 bits moves keys and numbers; where all
 *     numbers  0 1 2 3     1 2 0 3     keys have the same 8 bits, it copies them
 *
 * Nothing depends on timing. Work: keys for each pass. Bytes: keys once, to be counted; for each
 * pass 16 for each key. */
#include "sparse/sort/number_sort.h"

#include "common/sort/radix.cuh"

namespace
{
namespace number_sort
{

/* The values of the sort are the keys' places. */
struct numbers {
    static constexpr bool ANY = true;

    template <typename Bits>
    __device__ static void copy(const radix::pass_operands<Bits> &p, radix::lane_keys own)
    {
        radix::copy_values(radix::value_array<uint32_t>(p), own);
    }
    template <typename Bits, unsigned ITEMS>
    __device__ static void move(const radix::pass_operands<Bits> &p, radix::lane_keys own,
                                unsigned tile_keys, const unsigned (&places)[ITEMS],
                                const unsigned (&digits)[ITEMS], uint64_t out_begin,
                                uint64_t *out_begins)
    {
        radix::move_values(radix::value_array<uint32_t>(p), own, tile_keys, places, digits,
                           out_begin, out_begins);
    }
};

using sorter = radix::sorter<radix::identity_order<uint32_t>, numbers>;

} // namespace number_sort
} // namespace

unsigned prim_sparse_passes_for(size_t end)
{
    unsigned passes = 1;
    while (passes < sizeof(uint32_t) && end > size_t(1) << passes * radix::DIGIT_BITS)
        passes++;
    return passes;
}

size_t prim_sparse_number_sort_bytes(size_t count, unsigned passes)
{
    return radix::state_bytes(count, sizeof(uint32_t), sizeof(uint32_t), passes);
}

/* The two pairs of arrays take turns, so that the last pass writes `to`. */
cudaError_t prim_sparse_sort_numbers(cudaStream_t stream, const prim_sparse_number_sort *s)
{
    const number_sort::sorter sorter = {stream,           {},        s->count,
                                        sizeof(uint32_t), s->passes, s->state};
    prim_sparse_pairs from = {const_cast<uint32_t *>(s->keys), nullptr}; /* number i has key i */
    cudaError_t error = sorter.begin(s->keys);
    for (unsigned pass = 0; pass < s->passes && error == cudaSuccess; pass++) {
        const prim_sparse_pairs to = (s->passes - pass) % 2 == 1 ? s->to : s->room;
        error = sorter.place(pass, from.keys, from.numbers, to.keys, to.numbers);
        from = to;
    }
    return error;
}
