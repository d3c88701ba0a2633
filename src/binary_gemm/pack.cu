/* Packing on the device. Along the rows a warp takes 32 neighbours and its ballot is the word;
 * along the columns a thread packs 32 elements below each other, and its neighbours the next
 * columns: reads are coalesced in both.
 *
 * Bytes: every element once, and a 32nd of their number in words. */
#include "binary_gemm/pack.cuh"
#include "common/launch.cuh"
#include "common/sizes.h"

namespace
{
namespace pack
{

constexpr unsigned WORD_BITS = PRIM_BINARY_WORD_BITS;
constexpr unsigned THREADS = 256, WARPS = THREADS / 32;

template <typename T>
struct pack_problem {
    const T *in;
    size_t rows, columns, ld;
    uint32_t *packed;
    size_t packed_columns, packed_ld;
    unsigned blocks_a_row;
};

/* Blocks lie along one dimension of the grid, so many for each row of words. */
template <typename T>
__global__ void __launch_bounds__(THREADS) pack_rows(pack_problem<T> p)
{
    const size_t row = blockIdx.x / p.blocks_a_row;
    const size_t word =
        static_cast<size_t>(blockIdx.x % p.blocks_a_row) * WARPS + threadIdx.x / WORD_BITS;
    const unsigned lane = threadIdx.x % WORD_BITS;
    const size_t column = word * WORD_BITS + lane;
    const bool bit = column < p.columns && is_plus_one(p.in[row * p.ld + column]);
    const uint32_t vote = __ballot_sync(0xffffffffu, bit);
    if (lane == 0 && word < p.packed_columns)
        p.packed[row * p.packed_ld + word] = vote;
}

template <typename T>
__global__ void __launch_bounds__(THREADS) pack_columns(pack_problem<T> p)
{
    const size_t word = blockIdx.x / p.blocks_a_row;
    const size_t column = static_cast<size_t>(blockIdx.x % p.blocks_a_row) * THREADS + threadIdx.x;
    const size_t first = word * WORD_BITS;
    if (column < p.columns)
        p.packed[word * p.packed_ld + column] =
            pack_word(&p.in[first * p.ld + column], p.ld, p.rows - first);
}

template <typename T>
cudaError_t launch_words(const prim_binary_pack_args *args, void (*kernel)(pack_problem<T>),
                         size_t words_a_block)
{
    const size_t blocks = prim_divide_up(args->packed_columns, words_a_block);
    if (blocks == 0 || args->packed_rows == 0)
        return cudaSuccess;
    const pack_problem<T> p = {static_cast<const T *>(args->in),
                               args->rows,
                               args->columns,
                               args->ld,
                               args->packed,
                               args->packed_columns,
                               args->packed_ld,
                               static_cast<unsigned>(blocks)};
    return prim_launch(
        {args->call.stream, static_cast<unsigned>(args->packed_rows * blocks), THREADS}, kernel, p);
}

struct run_rows : launch_run {
    template <typename T>
    static cudaError_t run(const prim_binary_pack_args *args)
    {
        return launch_words<T>(args, pack_rows<T>, WARPS);
    }
};

struct run_columns : launch_run {
    template <typename T>
    static cudaError_t run(const prim_binary_pack_args *args)
    {
        return launch_words<T>(args, pack_columns<T>, THREADS);
    }
};

template <class Run>
cudaError_t launch(const void *args)
{
    return dispatch_packed<Run>(static_cast<const prim_binary_pack_args *>(args));
}

template <size_t WORDS_A_BLOCK>
const char *why_not(const void *any)
{
    const prim_binary_pack_args *args = static_cast<const prim_binary_pack_args *>(any);
    const size_t blocks = prim_divide_up(args->packed_columns, WORDS_A_BLOCK);
    if (!dispatch_packed<is_built>(args))
        return PRIM_TYPES_NOT_BUILT;
    return prim_fits_a_grid(args->packed_rows, blocks) ? nullptr : PRIM_GRID_TOO_SMALL;
}

} // namespace pack
} // namespace

PRIM_DEFINE_RUNG(binary_gemm,
                 pack_rows) = {{PRIM_BINARY_PACK_ONLY_RUNG, "pack_rows", "a warp's vote is a word"},
                               pack::why_not<pack::WARPS>,
                               nullptr,
                               pack::launch<pack::run_rows>};

PRIM_DEFINE_RUNG(binary_gemm, pack_columns) = {
    {PRIM_BINARY_PACK_ONLY_RUNG, "pack_columns", "a thread gathers a word down its column"},
    pack::why_not<pack::THREADS>,
    nullptr,
    pack::launch<pack::run_columns>};
