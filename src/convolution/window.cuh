/* REGISTER: masks of up to 16 columns, whose width is known when it is compiled, and whose few
 * weights are arguments of the launch.
 *
 *     tile            ┌───────────┐   A thread has 4 x 4 outputs. For each row of the mask it needs
 *     (shared memory) │ · · · · · │   as many rows of the tile as it has rows of outputs: they are
 *                     │┌─────────┐│   in a ring of registers, of which the oldest is replaced by
 *     ring of 4 rows  ││ w + 3   ││   the next row, read as whole vectors and converted to the type
 *     (registers)     │└─────────┘│   of sums on the way. The loop is unrolled by 4, so no register
 *                     │ · · · · · │   is moved.
 *                     └───────────┘
 *
 * A weight serves 16 multiply-adds, which take it as an operand from the launch's arguments; a row
 * of 4 + w - 1 elements serves 16 · w of them. Products of an output are added row by row of the
 * mask, each row whole before the next.
 *
 * All types, images and boundaries have this one kernel: what differs from row to row, such as
 * alignment and channels, is resolved where the tile is copied (window_tile.cuh) and outputs are
 * stored (window_output.cuh). Wider masks, those whose tile does not fit shared memory, and other
 * weights: window_wide.cu. */
#ifndef PRIM_CONVOLUTION_WINDOW_CUH
#define PRIM_CONVOLUTION_WINDOW_CUH

#include "common/kernel/launch.cuh"
#include "common/kernel/shared.cuh"
#include "convolution/register.h"
#include "convolution/window_output.cuh"
#include "convolution/window_tile.cuh"

namespace
{
namespace window
{

template <typename Sum>
struct weights {
    Sum values[PRIM_CONVOLUTION_FEW_WEIGHTS];
};

/* An element of a vector as an operand of sums. Bytes and words of 16 bits become the lower bits of
 * 2^23 + x as floats, which takes a permutation and a subtraction. */
template <typename Pixel, unsigned N>
__device__ typename Pixel::sum operand(const packed<typename Pixel::source, N> &x, unsigned e)
{
    using source = typename Pixel::source;
    using sum = typename Pixel::sum;
    constexpr bool IS_UNSIGNED =
        std::is_same<source, uint8_t>::value || std::is_same<source, uint16_t>::value;
    if constexpr (IS_UNSIGNED && std::is_same<sum, float>::value) {
        constexpr uint32_t TO_INTEGERS = 0x4b000000; /* 2^23 */
        constexpr unsigned IN_WORD = packed<source, N>::IN_WORD;
        const unsigned selector = sizeof(source) == 1 ? 0x7540 + e % IN_WORD
                                  : e % IN_WORD == 0  ? 0x7510
                                                      : 0x7532;
        return same_bits<float>(chosen_bytes(x.words[e / IN_WORD], TO_INTEGERS, selector)) -
               same_bits<float>(TO_INTEGERS);
    } else {
        return static_cast<sum>(element_of(x, e));
    }
}

/* COUNT elements from `from` on, which is aligned to COLUMNS of them, and maybe some more. */
template <typename Pixel, int COUNT>
__device__ void read_elements(const typename Pixel::source *from, typename Pixel::sum (&x)[COUNT])
{
    using source = typename Pixel::source;
    using part = typename elements_of_row<source>::part;
    constexpr int IN_PART = elements_of_row<source>::IN_PART;
    PRIM_UNROLL(COUNT)
    for (int k = 0; k < COUNT; k += IN_PART) {
        const part some = *reinterpret_cast<const part *>(from + k);
        PRIM_UNROLL(IN_PART)
        for (int e = 0; e < IN_PART; e++)
            if (k + e < COUNT)
                x[k + e] = operand<Pixel>(some, static_cast<unsigned>(e));
    }
}

/* Sums begin with 0, or with the bias that their division takes away. */
template <typename Pixel, int ROWS>
__device__ void begin_sums(const task<Pixel> &p, typename Pixel::sum (&sums)[ROWS][COLUMNS])
{
    typename Pixel::sum first = 0;
    if constexpr (std::is_same<ending<Pixel>, biased_ending>::value)
        first = p.end.bias;
    PRIM_UNROLL(ROWS)
    for (int o = 0; o < ROWS; o++) {
        PRIM_UNROLL(COLUMNS)
        for (int c = 0; c < COLUMNS; c++)
            sums[o][c] = first;
    }
}

template <typename Pixel>
__device__ const typename Pixel::source *
element_of_tile(const task<Pixel> &p, const thread_place &own, const unsigned char *tile)
{
    return reinterpret_cast<const typename Pixel::source *>(tile + own.channel * p.shape.plane +
                                                            own.row * p.shape.pitch) +
           own.column;
}

template <typename Pixel>
__device__ const typename Pixel::source *next_row(const task<Pixel> &p,
                                                  const typename Pixel::source *from)
{
    return reinterpret_cast<const typename Pixel::source *>(
        reinterpret_cast<const unsigned char *>(from) + p.shape.pitch);
}

template <typename Pixel, int WIDTH, int ROWS>
__device__ void add_rows(const task<Pixel> &p, const weights<typename Pixel::sum> &w,
                         const typename Pixel::source *from,
                         typename Pixel::sum (&sums)[ROWS][COLUMNS])
{
    using sum = typename Pixel::sum;
    sum ring[ROWS][WIDTH + COLUMNS - 1];
    PRIM_UNROLL(ROWS)
    for (int r = 0; r + 1 < ROWS; r++, from = next_row(p, from))
        read_elements<Pixel>(from, ring[r]);
    PRIM_UNROLL(1)
    for (int first = 0, at = 0; first < p.mask_height; first += ROWS, at += ROWS * WIDTH) {
        PRIM_UNROLL(ROWS)
        for (int j = 0; j < ROWS; j++, from = next_row(p, from)) {
            if (j > 0 && first + j >= p.mask_height)
                break;
            read_elements<Pixel>(from, ring[(j + ROWS - 1) % ROWS]);
            PRIM_UNROLL(WIDTH)
            for (int i = 0; i < WIDTH; i++) {
                const sum weight = w.values[at + j * WIDTH + i];
                PRIM_UNROLL(ROWS)
                for (int o = 0; o < ROWS; o++) {
                    PRIM_UNROLL(COLUMNS)
                    for (int c = 0; c < COLUMNS; c++)
                        sums[o][c] = add_product(sums[o][c], weight, ring[(j + o) % ROWS][c + i]);
                }
            }
        }
    }
}

/* Outputs of a thread below each other: as many as registers allow. */
template <typename Pixel, int WIDTH>
constexpr int ROWS_UNDER = sizeof(typename Pixel::sum) > WORD_BYTES &&WIDTH > 6 ? 2 : 4;

/* Words of registers that ring and sums take. */
template <typename Pixel, int WIDTH, int ROWS>
constexpr int WORDS_OF_SUMS = ROWS *(WIDTH + 2 * COLUMNS - 1) *
                              static_cast<int>(sizeof(typename Pixel::sum) / WORD_BYTES);

/* For launch bounds: threads, and how many times as many a multiprocessor has at a time. They leave
 * 56, 80 or 128 registers: some beside these words. */
struct bounds {
    unsigned threads, blocks;
};
constexpr bounds bounds_of(int words)
{
    constexpr unsigned THREADS = PRIM_WINDOW_THREADS, MORE_THREADS = 512;
    if (words > 64)
        return {MORE_THREADS, 1};
    return {THREADS, words <= 40 ? 3u : 2u};
}
template <typename Pixel, int WIDTH, int ROWS>
constexpr bounds BOUNDS = bounds_of(WORDS_OF_SUMS<Pixel, WIDTH, ROWS>);

constexpr int PIECES_AT_ONCE = 4; /* that a thread copies, so that its loads overlap */

template <typename Pixel, int WIDTH, int ROWS>
__global__ void __launch_bounds__(BOUNDS<Pixel, WIDTH, ROWS>.threads,
                                  blocks_at_once(BOUNDS<Pixel, WIDTH, ROWS>.threads,
                                                 BOUNDS<Pixel, WIDTH, ROWS>.blocks))
    convolve(const __grid_constant__ task<Pixel> p,
             const __grid_constant__ weights<typename Pixel::sum> w)
{
    PRIM_SHARED_DYNAMIC(unsigned char, tile);
    const block_place block(p);
    bring_tile<PIECES_AT_ONCE>(p, block, 0, p.mask_height, tile);
    wait_for_copies();
    __syncthreads();
    thread_place own = thread_place::of<Pixel, ROWS>(p);
    PRIM_UNROLL(1)
    for (int pass = 0; pass < p.shape.rounds; pass++, own.row += p.shape.round_rows) {
        typename Pixel::sum sums[ROWS][COLUMNS];
        begin_sums<Pixel, ROWS>(p, sums);
        if (own.column < block.columns && own.row < block.rows)
            add_rows<Pixel, WIDTH, ROWS>(p, w, element_of_tile(p, own, tile), sums);
        put<Pixel, ROWS>(p, block, own, sums, tile);
    }
    write<Pixel>(p, block, tile);
}

} // namespace window
} // namespace

#endif
