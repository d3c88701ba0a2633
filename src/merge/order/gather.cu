/* prim_gather() fetches values by their indices. A value is moved in words as large as its size and
 * the arrays' alignment allow, with a thread for each word, so that writes are coalesced, and reads
 * within a value. Bytes: indices and results once, and the sectors that have the values. */
#include "merge/dispatch.cuh"
#include "merge/tile/values.cuh"

namespace
{
namespace gather
{

constexpr unsigned BLOCK = 256;

template <typename Word>
__global__ void __launch_bounds__(BLOCK)
    move_words(const Word *values, size_t value_count, size_t value_words, const void *indices,
               bool wide_indices, size_t words, Word *out)
{
    const size_t w = static_cast<size_t>(blockIdx.x) * BLOCK + threadIdx.x;
    if (w >= words)
        return;
    const size_t i = w / value_words;
    const uint64_t from = wide_indices ? static_cast<const uint64_t *>(indices)[i]
                                       : static_cast<const uint32_t *>(indices)[i];
    if (from < value_count)
        out[w] = values[from * value_words + (w - i * value_words)];
}

template <typename Word>
cudaError_t launch_words(const prim_gather_args *args)
{
    const size_t value_words = args->value_bytes / sizeof(Word);
    const size_t words = args->count * value_words;
    if (words == 0)
        return cudaSuccess;
    return prim_launch(
        {args->call.stream, static_cast<unsigned>(prim_divide_up(words, BLOCK)), BLOCK},
        move_words<Word>, static_cast<const Word *>(args->values), args->value_count, value_words,
        args->indices, args->index_type == CUDA_R_64U, words, static_cast<Word *>(args->out));
}

/* For words of one byte: queries do not know the alignment, which may allow fewer, larger words. */
const char *why_not(const void *any)
{
    const prim_gather_args *args = static_cast<const prim_gather_args *>(any);
    const size_t blocks = prim_divide_up(args->count * args->value_bytes, BLOCK);
    return prim_fits_a_grid(1, blocks) ? nullptr : PRIM_GRID_TOO_SMALL;
}

cudaError_t launch(const void *any)
{
    const prim_gather_args *args = static_cast<const prim_gather_args *>(any);
    const size_t all = reinterpret_cast<uintptr_t>(args->values) |
                       reinterpret_cast<uintptr_t>(args->out) | args->value_bytes;
    if (all % 16 == 0)
        return launch_words<value_of_16_bytes>(args);
    if (all % 8 == 0)
        return launch_words<uint64_t>(args);
    if (all % 4 == 0)
        return launch_words<uint32_t>(args);
    return all % 2 == 0 ? launch_words<uint16_t>(args) : launch_words<uint8_t>(args);
}

} // namespace gather
} // namespace

PRIM_DEFINE_RUNG(gather, words) = {
    {1, "words", "a thread a word"}, gather::why_not, nullptr, gather::launch};
