/* REGISTER: masks of any width, and weights from anywhere, through shared memory.
 *
 *     row r of the tile     · · · · [x x x x x x x x x x x] · · ·     4 + 8 - 1 elements at a time
 *     row 0 of the outputs   row r of the mask      8 weights          slide along the row: an
 *     row 1                  row r - 1              8 weights          element serves 8 taps of as
 *     row 2                  row r - 2              8 weights          many rows of the mask as a
 *     row 3                  row r - 3              8 weights          thread has rows of outputs
 *
 * Tile, outputs and the order of products are those of window.cuh; here each row of the tile is
 * read once, and nothing of it is kept. Weights are read by all threads at once, 16 bytes at a
 * time. A mask whose tile does not fit shared memory is taken in bands of rows, between which sums
 * stay in registers. */
#include "convolution/dispatch.cuh"
#include "convolution/listed.cuh"
#include "convolution/window.cuh"
#include "convolution/window_launch.cuh"

namespace
{
namespace window
{

constexpr int TAPS = 8;      /* of a piece of the mask's row */
constexpr int WIDE_ROWS = 4; /* of a thread */

/* A piece of a row, for all rows of outputs that the row of the tile is under. */
template <typename Pixel, int ROWS, bool ALL>
__device__ void add_piece(typename Pixel::sum (&sums)[ROWS][COLUMNS],
                          const typename Pixel::sum *weights, int padded, int row, int band,
                          int count, const typename Pixel::sum (&x)[TAPS + COLUMNS])
{
    PRIM_UNROLL(ROWS)
    for (int o = 0; o < ROWS; o++)
        if (row >= o && row - o < band)
            listed::add_taps<TAPS, ALL>(sums[o], weights + (row - o) * padded, count, x);
}

/* The elements of the next piece: the last ones of this one, and TAPS more. */
template <typename Pixel>
__device__ void slide(const typename Pixel::source *from, typename Pixel::sum (&x)[TAPS + COLUMNS])
{
    typename Pixel::sum next[TAPS];
    read_elements<Pixel>(from, next);
    PRIM_UNROLL(COLUMNS)
    for (int c = 0; c < COLUMNS; c++)
        x[c] = x[TAPS + c];
    PRIM_UNROLL(TAPS)
    for (int i = 0; i < TAPS; i++)
        x[COLUMNS + i] = next[i];
}

/* `band` rows of the mask. */
template <typename Pixel, int ROWS>
__device__ void add_wide_rows(const task<Pixel> &p, const typename Pixel::sum *weights, int band,
                              const typename Pixel::source *from,
                              typename Pixel::sum (&sums)[ROWS][COLUMNS])
{
    const int padded = listed::padded(p.mask_width);
    PRIM_UNROLL(1)
    for (int row = 0; row < band + ROWS - 1; row++, from = next_row(p, from)) {
        typename Pixel::sum x[TAPS + COLUMNS];
        read_elements<Pixel>(from, x);
        int i = 0;
        PRIM_UNROLL(1)
        for (; i + TAPS < p.mask_width; i += TAPS) {
            add_piece<Pixel, ROWS, true>(sums, weights + i, padded, row, band, TAPS, x);
            slide<Pixel>(from + i + TAPS + COLUMNS, x);
        }
        add_piece<Pixel, ROWS, false>(sums, weights + i, padded, row, band, p.mask_width - i, x);
    }
}

/* Of the most threads, on a multiprocessor. Sums stay in registers while a tile is copied, so a
 * thread copies one piece after the other. */
template <typename Pixel>
[[maybe_unused]] constexpr unsigned WIDE_BLOCKS = sizeof(typename Pixel::sum) > WORD_BYTES ? 1 : 2;

template <typename Pixel, int ROWS>
__global__ void __launch_bounds__(PRIM_WINDOW_THREADS, WIDE_BLOCKS<Pixel>)
    convolve_wide(const __grid_constant__ task<Pixel> p,
                  const __grid_constant__ listed::weights<typename Pixel::sum> w)
{
    using sum = typename Pixel::sum;
    PRIM_SHARED_DYNAMIC(unsigned char, shared);
    sum *const in_shared = reinterpret_cast<sum *>(shared);
    unsigned char *const tile = shared + p.shape.tile_at;
    const block_place block(p);
    const thread_place own = thread_place::of<Pixel, ROWS>(p);
    sum sums[ROWS][COLUMNS];
    begin_sums<Pixel, ROWS>(p, sums);
    PRIM_UNROLL(1)
    for (int first = 0; first < p.mask_height; first += p.shape.band) {
        const int left = p.mask_height - first, band = left < p.shape.band ? left : p.shape.band;
        if (first > 0)
            __syncthreads(); /* the band before has been read */
        listed::bring(w, p.mask_width, first, band, listed::padded(p.mask_width), in_shared);
        bring_tile<1>(p, block, first, band, tile);
        wait_for_copies();
        __syncthreads();
        if (own.column < block.columns && own.row < block.rows)
            add_wide_rows<Pixel, ROWS>(p, in_shared, band, element_of_tile(p, own, tile), sums);
    }
    put<Pixel, ROWS>(p, block, own, sums, shared);
    write<Pixel>(p, block, shared);
}

/* ---- launches ---- */

template <typename Pixel>
cudaError_t launch_wide(const prim_convolution_args *args)
{
    using sum = typename Pixel::sum;
    const int width = static_cast<int>(args->mask.width);
    const int reach = (width - 1) / TAPS * TAPS + TAPS + COLUMNS;
    const size_t weight_bytes = static_cast<size_t>(listed::padded(width)) * sizeof(sum);
    const task<Pixel> p = make_task<Pixel>(args, WIDE_ROWS, reach, weight_bytes);
    const listed::weights<sum> w = listed::weights_of<sum>(args);
    if constexpr (IS_WHOLE<Pixel>)
        if (p.shape.rows == 1)
            return launch_tiles(args, p, w, convolve_wide<Pixel, 1>);
    return launch_tiles(args, p, w, convolve_wide<Pixel, WIDE_ROWS>);
}

struct run_wide : launch_run {
    template <typename Pixel>
    static cudaError_t run(const prim_convolution_args *args)
    {
        return launch_wide<Pixel>(args);
    }
};

/* Of a separable mask: `across` goes along the rows, and `down` has their sums. */
struct run_passes : launch_run {
    template <typename Pixel>
    static cudaError_t run(const prim_convolution_args *, const prim_convolution_args *across,
                           const prim_convolution_args *down)
    {
        using row_sum = typename Pixel::row_sum;
        const cudaError_t error =
            launch_wide<pixel<typename Pixel::source, row_sum, row_sum>>(across);
        return error != cudaSuccess
                   ? error
                   : launch_wide<pixel<row_sum, typename Pixel::element, typename Pixel::sum>>(
                         down);
    }
};

} // namespace window
} // namespace

cudaError_t prim_convolution_two_passes(const prim_convolution_args *args,
                                        const prim_convolution_args *across,
                                        const prim_convolution_args *down)
{
    return dispatch_pair<window::run_passes>(args, across, down);
}

cudaError_t prim_convolution_window_wide(const prim_convolution_args *args)
{
    return dispatch_pair<window::run_wide>(args);
}
