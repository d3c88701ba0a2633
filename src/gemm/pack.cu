/* Packing on the device. Along the rows a warp takes 32 neighbours and its vote is the word; along
 * the columns a thread gathers 32 elements below each other, and its neighbours the next columns:
 * reads are whole in both.
 *
 * Bytes: every element once, and a 32nd of their number in words. */
#include "common/launch.cuh"
#include "common/sizes.h"
#include "gemm/pack.cuh"

namespace
{

constexpr unsigned THREADS = PRIM_BINARY_PACK_THREADS;
constexpr unsigned WARPS = THREADS / 32;

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
    return prim_launch(args->call.stream, static_cast<unsigned>(args->packed_rows * blocks),
                       THREADS, kernel, p);
}

struct pack_rows_rung : device_rung {
    template <typename T>
    static cudaError_t run(const prim_binary_pack_args *args)
    {
        return launch_words<T>(args, pack_rows<T>, WARPS);
    }
};

struct pack_columns_rung : device_rung {
    template <typename T>
    static cudaError_t run(const prim_binary_pack_args *args)
    {
        return launch_words<T>(args, pack_columns<T>, THREADS);
    }
};

} // namespace

cudaError_t prim_binary_pack_rows_on_device(const void *args)
{
    return for_packed<pack_rows_rung>(static_cast<const prim_binary_pack_args *>(args));
}

cudaError_t prim_binary_pack_columns_on_device(const void *args)
{
    return for_packed<pack_columns_rung>(static_cast<const prim_binary_pack_args *>(args));
}
