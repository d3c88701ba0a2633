/* RADIX: no merges. A pass for each 8 bits of a key brings all keys into the order of these bits,
 * the lowest ones first; keys that are equal in them keep their order, and so the order of the
 * earlier passes. common/sort/radix.cuh has the passes, and draws one.
 *
 *     i32        pass 0      pass 1      pass 2      pass 3
 *     d_in ────► workspace ─► d_out ───► workspace ─► d_out
 *
 * What changed: merging takes a pass for each doubling of a run, and so log2(count / 8704) of them;
 * this takes as many as a key has bytes, however many keys there are. It can, since the order that
 * merge.h states is that of unsigned integers, one for each key: keys.cuh. An order by comparisons
 * alone could not be sorted so.
 *
 * Work: for each key and pass, some 100 instructions of a warp for 32 keys. Bytes: each key once,
 * to be counted, and for each pass once in and once out; values once in and once out for each
 * pass. */
#include "common/sort/radix.cuh"
#include "merge/passes.cuh"
#include "merge/sort/long_passes.h"
#include "merge/tile/linear_order.cuh"
#include "merge/tile/values.cuh"

namespace
{
namespace radix
{

struct values_of_any_size {
    static constexpr bool ANY = true;

    template <typename Bits>
    __device__ static void copy(const pass_operands<Bits> &p, lane_keys own)
    {
        with_value_type(p.value_bytes,
                        [&](auto zero) { copy_values(value_array<decltype(zero)>(p), own); });
    }
    template <typename Bits, unsigned ITEMS>
    __device__ static void move(const pass_operands<Bits> &p, lane_keys own, unsigned tile_keys,
                                const unsigned (&places)[ITEMS], const unsigned (&digits)[ITEMS],
                                uint64_t out_begin, uint64_t *out_begins)
    {
        with_value_type(p.value_bytes, [&](auto zero) {
            move_values(value_array<decltype(zero)>(p), own, tile_keys, places, digits, out_begin,
                        out_begins);
        });
    }
};

/* ---- the workspace: what passes share, then keys, of a permutation twice, then values ---- */

size_t state_bytes_of(const prim_merge_sort_args *args)
{
    const size_t key_bytes = prim_element_bytes(args->key_type);
    return state_bytes(args->count, key_bytes, args->value_bytes, static_cast<unsigned>(key_bytes));
}

size_t key_area(const prim_merge_sort_args *args)
{
    return prim_divide_up(args->count * prim_element_bytes(args->key_type), 256) * 256;
}

size_t workspace_bytes(const void *any)
{
    const prim_merge_sort_args *args = static_cast<const prim_merge_sort_args *>(any);
    const size_t key_bytes = args->count * prim_element_bytes(args->key_type);
    if (args->count == 0)
        return 0;
    if (!args->has_values)
        return state_bytes_of(args) + key_bytes;
    return state_bytes_of(args) + (args->permutation ? 2 : 1) * key_area(args) +
           args->count * args->value_bytes;
}

/* ---- the passes ---- */

/* Keys of one byte take one pass, and so another way out of an operand that is sorted in place. */
cudaError_t copy_back(const prim_merge_sort_args *args, void *to, const void *from, size_t bytes)
{
    return to == from
               ? cudaSuccess
               : cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, args->call.stream);
}

template <class Order, class Values>
cudaError_t sort_keys(const prim_merge_sort_args *args, Order order)
{
    using bits = typename Order::bits;
    constexpr unsigned PASSES = sizeof(bits);
    const size_t count = args->count;
    char *const workspace = static_cast<char *>(args->call.workspace), *const keys =
                                                                           workspace +
                                                                           state_bytes_of(args);
    char *const second = args->permutation ? keys + key_area(args) : static_cast<char *>(args->out);
    void *const values =
        args->has_values ? keys + (args->permutation ? 2 : 1) * key_area(args) : nullptr;
    const sorter<Order, Values> s = {args->call.stream, order,  count,
                                     args->value_bytes, PASSES, workspace};
    const prim_sort_buffer ends[2] = {{keys, values}, {second, args->out_values}};
    prim_sort_buffer from = {const_cast<void *>(args->in), const_cast<void *>(args->values)};
    if (args->permutation)
        from.values = nullptr;
    cudaError_t error = s.begin(static_cast<const bits *>(args->in));
    for (unsigned pass = 0; pass < PASSES && error == cudaSuccess; pass++) {
        prim_sort_buffer to = ends[pass % 2];
        if (PASSES == 1 && args->out != args->in)
            to.keys = second;
        if (PASSES == 1 && args->out_values != args->values)
            to.values = args->out_values;
        error = s.place(pass, static_cast<const bits *>(from.keys), from.values,
                        static_cast<bits *>(to.keys), to.values);
        from = to;
    }
    if (error == cudaSuccess && !args->permutation)
        error = copy_back(args, args->out, from.keys, count * sizeof(bits));
    if (error == cudaSuccess && args->has_values)
        error = copy_back(args, args->out_values, from.values, count * args->value_bytes);
    return error;
}

struct run_sort : launch_run {
    template <typename Key>
    static cudaError_t run(const prim_merge_sort_args *args)
    {
        using order = linear_order<typename Key::bits_type>;
        return args->has_values
                   ? sort_keys<order, values_of_any_size>(args, linear_order_of<Key>(args))
                   : sort_keys<order, no_values>(args, linear_order_of<Key>(args));
    }
};

cudaError_t launch(const void *any)
{
    const prim_merge_sort_args *args = static_cast<const prim_merge_sort_args *>(any);
    return args->count > 0 ? dispatch<run_sort>(args) : cudaSuccess;
}

} // namespace radix
} // namespace

PRIM_DEFINE_RUNG(merge_sort, radix) = {
    {PRIM_MERGE_SORT_RADIX, "radix",
     "no merges: a pass over all keys for each 8 bits of them, the lowest first"},
    sort_pairs_why_not,
    radix::workspace_bytes,
    radix::launch};
