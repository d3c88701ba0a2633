/* Packing on the device. Along the rows a warp takes 32 neighbours, and its ballot is the word; it
 * makes eight words, whose loads are under way at once. Along the columns a thread packs 32
 * elements below each other in the same way, and its neighbours pack the next columns. Reads are
 * coalesced in both. Where rows are shorter than a block, a block has several. Where a row has a
 * single word, one thread packs it, so that no lane waits for elements that are not there.
 * Transposed, a warp takes 32 rows and votes on each, and every lane keeps the word of one: so it
 * reads along rows of elements, and writes along a row of words.
 *
 * Bytes: every element once, and a 32nd of their number in words. */
#include "binary_gemm/pack.cuh"
#include "common/host/sizes.h"
#include "common/kernel/launch.cuh"
#include "common/kernel/unroll.cuh"

namespace
{
namespace pack
{

constexpr unsigned WORD_BITS = PRIM_BINARY_WORD_BITS;
constexpr unsigned THREADS = 256, WARPS = THREADS / 32;
constexpr unsigned WORDS = 8; /* of a warp, along a row */

template <typename T>
struct pack_problem {
    const T *in;
    size_t rows, columns, ld;
    uint32_t *packed;
    size_t packed_rows, packed_columns, packed_ld;
    unsigned blocks_a_row; /* side by side */
};

/* This thread's word of the packed matrix, or of such with fewer columns, which may lie outside of
 * it. A block's words stand side by side along x, with that many threads each, and rows of them
 * along y. */
struct place {
    size_t row, column;
    bool is_inside;

    template <typename T>
    __device__ place(const pack_problem<T> &p, unsigned threads)
        : row(static_cast<size_t>(blockIdx.x / p.blocks_a_row) * blockDim.y + threadIdx.y),
          column((static_cast<size_t>(blockIdx.x % p.blocks_a_row) * blockDim.x + threadIdx.x) /
                 threads),
          is_inside(row < p.packed_rows && column < p.packed_columns)
    {
    }
};

template <typename T>
__global__ void __launch_bounds__(THREADS) pack_rows(pack_problem<T> p)
{
    const unsigned lane = threadIdx.x % WORD_BITS;
    const place at(p, WORD_BITS); /* of eight words */
    const size_t word = at.column * WORDS;
    bool bits[WORDS];
    PRIM_UNROLL(8)
    for (unsigned w = 0; w < WORDS; w++) {
        const size_t column = (word + w) * WORD_BITS + lane;
        bits[w] = at.row < p.packed_rows && column < p.columns &&
                  is_plus_one(p.in[at.row * p.ld + column]);
    }
    uint32_t own = 0;
    PRIM_UNROLL(8)
    for (unsigned w = 0; w < WORDS; w++) {
        const uint32_t vote = __ballot_sync(0xffffffffu, bits[w]);
        own = lane == w ? vote : own;
    }
    if (lane < WORDS && at.row < p.packed_rows && word + lane < p.packed_columns)
        p.packed[at.row * p.packed_ld + word + lane] = own;
}

/* Rows of a single word. */
template <typename T>
__global__ void __launch_bounds__(THREADS) pack_short_rows(pack_problem<T> p)
{
    const place at(p, 1);
    if (at.is_inside)
        p.packed[at.row * p.packed_ld] = pack_word(&p.in[at.row * p.ld], 1, p.columns);
}

/* All elements are there. */
template <typename T>
__device__ uint32_t pack_whole_word(const T *in, size_t stride)
{
    T values[WORD_BITS];
    PRIM_UNROLL(32)
    for (unsigned bit = 0; bit < WORD_BITS; bit++)
        values[bit] = in[bit * stride];
    uint32_t word = 0;
    PRIM_UNROLL(32)
    for (unsigned bit = 0; bit < WORD_BITS; bit++)
        word |= static_cast<uint32_t>(is_plus_one(values[bit])) << bit;
    return word;
}

template <typename T>
__global__ void __launch_bounds__(THREADS) pack_columns(pack_problem<T> p)
{
    const place at(p, 1);
    const size_t first = at.row * WORD_BITS;
    if (!at.is_inside)
        return;
    const T *const in = &p.in[first * p.ld + at.column];
    p.packed[at.row * p.packed_ld + at.column] = p.rows - first >= WORD_BITS
                                                     ? pack_whole_word(in, p.ld)
                                                     : pack_word(in, p.ld, p.rows - first);
}

/* A warp's word of 32 rows of `in`, which lie side by side in the packed matrix. */
template <typename T>
__global__ void __launch_bounds__(THREADS) pack_transposed(pack_problem<T> p)
{
    const unsigned lane = threadIdx.x % WORD_BITS;
    const size_t word =
        static_cast<size_t>(blockIdx.x / p.blocks_a_row) * WARPS + threadIdx.x / WORD_BITS;
    const size_t first_row = static_cast<size_t>(blockIdx.x % p.blocks_a_row) * WORD_BITS;
    const size_t column = word * WORD_BITS + lane;
    uint32_t own = 0;
    PRIM_UNROLL(8)
    for (unsigned r = 0; r < WORD_BITS; r++) {
        const bool bit = first_row + r < p.rows && column < p.columns &&
                         is_plus_one(p.in[(first_row + r) * p.ld + column]);
        const uint32_t vote = __ballot_sync(0xffffffffu, bit);
        own = lane == r ? vote : own;
    }
    if (word < p.packed_rows && first_row + lane < p.packed_columns)
        p.packed[word * p.packed_ld + first_row + lane] = own;
}

template <typename T>
pack_problem<T> problem_of(const prim_binary_pack_args *args, size_t blocks_a_row)
{
    return {static_cast<const T *>(args->elements),
            args->rows,
            args->columns,
            args->ld,
            args->packed,
            args->packed_rows,
            args->packed_columns,
            args->packed_ld,
            static_cast<unsigned>(blocks_a_row)};
}

/* The grid has as many threads as there are words side by side. Blocks lie along one dimension of
 * the grid, that many for each row of blocks. */
template <typename T>
cudaError_t launch_words(const prim_binary_pack_args *args, void (*kernel)(pack_problem<T>),
                         unsigned threads, unsigned words)
{
    const unsigned most = THREADS / threads;
    const size_t columns = prim_divide_up(args->packed_columns, words),
                 blocks = prim_divide_up(columns, most);
    if (blocks == 0 || args->packed_rows == 0)
        return cudaSuccess;
    const unsigned across = columns < most ? static_cast<unsigned>(columns) : most;
    const dim3 block(across * threads, most / across);
    const size_t all = prim_divide_up(args->packed_rows, block.y) * blocks;
    return prim_launch({args->call.stream, static_cast<unsigned>(all), block}, kernel,
                       problem_of<T>(args, blocks));
}

struct run_rows : launch_run {
    template <typename T>
    static cudaError_t run(const prim_binary_pack_args *args)
    {
        return args->packed_columns == 1 ? launch_words<T>(args, pack_short_rows<T>, 1, 1)
                                         : launch_words<T>(args, pack_rows<T>, WORD_BITS, WORDS);
    }
};

struct run_columns : launch_run {
    template <typename T>
    static cudaError_t run(const prim_binary_pack_args *args)
    {
        return launch_words<T>(args, pack_columns<T>, 1, 1);
    }
};

struct run_transposed : launch_run {
    template <typename T>
    static cudaError_t run(const prim_binary_pack_args *args)
    {
        const size_t across = prim_divide_up(args->packed_columns, WORD_BITS);
        const size_t blocks = prim_divide_up(args->packed_rows, WARPS) * across;
        if (blocks == 0)
            return cudaSuccess;
        return prim_launch({args->call.stream, static_cast<unsigned>(blocks), THREADS},
                           pack_transposed<T>, problem_of<T>(args, across));
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

const char *transposed_why_not(const void *any)
{
    const prim_binary_pack_args *args = static_cast<const prim_binary_pack_args *>(any);
    if (!dispatch_packed<is_built>(args))
        return PRIM_TYPES_NOT_BUILT;
    return prim_fits_a_grid(prim_divide_up(args->packed_rows, WARPS),
                            prim_divide_up(args->packed_columns, WORD_BITS))
               ? nullptr
               : PRIM_GRID_TOO_SMALL;
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

PRIM_DEFINE_RUNG(binary_gemm, pack_transposed) = {
    {PRIM_BINARY_PACK_ONLY_RUNG, "pack_transposed", "votes of 32 rows stand side by side"},
    pack::transposed_why_not,
    nullptr,
    pack::launch<pack::run_transposed>};
