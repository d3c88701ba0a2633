/* TENSOR: bytes under a mask of integers, as products of matrices on the tensor cores.
 *
 *     rows of the image         a band: row j of the mask,        sums of 16 bytes
 *     32 bytes of each          once for each output
 *     ┌─────────────────┐       ┌─────────┐ ▲                     ┌─────────┐
 *   y │ · · a b c d e · │       │ w       │ │                     │         │
 *   y │ · · f g h i j · │   ×   │ v w     │ 32 bytes       =      │  16 × 8 │  and as much again
 *   y │ · · k l m n o · │       │ u v w   │ │                     │         │  for 8 bytes more
 *     └─────────────────┘       │   u v … │ ▼                     └─────────┘
 *       16 rows                 └─────────┘ 8 outputs
 *
 * An instruction of a warp has 4,096 products, where REGISTER has a multiply-add of each lane. Most
 * of a band is zeros: only 3, 5, … of 32 products are not. But there are so many products that
 * memory bandwidth is the limit all the same. bands.cuh says how a lane gets its words of a band.
 *
 * A block takes a tile of 64 rows, a warp 64 columns of it, 16 at a time:
 *
 *     lane 4g + t     rows 4g … 4g + 3 of the upper 32 rows, and of the lower 32, bytes 4t … 4t + 3
 *                     and 16 more on
 *     matrix r        rows 4g + r of all lanes: row j of the mask takes the one j below, which the
 *                     lane has too
 *
 * So each word is read from shared memory once for all rows of the mask. Sums are stored through
 * shared memory, so that whole rows of the tile are written.
 *
 * A block has one tile, and waits for its rows; meanwhile other blocks of the multiprocessor
 * compute.
 *
 * Sums begin with a bias that makes all of them positive, and the bits of positive integers are
 * subnormal floats (rounded.cuh). So one multiply-add subtracts the bias and divides, and a
 * multiplication rounds.
 *
 * What holds it back: memory, and for large masks that a band is mostly zeros.
 *
 * Work: 32 products an output for each row of the mask, twice as many of 16 bits; masks wider than
 * 17 bytes need 64 and more. Bytes: in and out once, and out of L2, what tiles that meet both need.
 * Source: a convolution along a line is a product with a band, or Toeplitz, matrix; Golub and Van
 * Loan, Matrix Computations, 4th edition (2013), section 4.7. */
#include "common/host/sizes.h"
#include "common/kernel/launch.cuh"
#include "common/kernel/shared.cuh"
#include "common/tensor/mma_bytes.cuh"
#include "convolution/bands.cuh"
#include "convolution/rounded.cuh"
#include "convolution/rows.cuh"

namespace
{
namespace tensor
{

using bands::BYTES;
using bands::fragment;
using bands::fragment_of;
using bands::OUTPUTS;
using rows::CHUNK;
using rows::image_of_bytes;
using rows::LANES;

constexpr int WARPS = 4, THREADS = WARPS * LANES;
constexpr int ROWS = 4; /* of a lane, one below the other, in each half of the tile */
constexpr int HALF = 8 * ROWS, TILE_ROWS = 2 * HALF;
constexpr int COLUMNS = 64, TILE_COLUMNS = COLUMNS * WARPS; /* in bytes */
constexpr int MOST_SIDE = 15;                               /* of a mask */
static_assert((int64_t{255} << 15) * MOST_SIDE * MOST_SIDE <= INT32_MAX, "sums have 32 bits");

/* The place of a row in shared memory, with padding after each ROWS, so that lanes that read at one
 * time have no bank conflicts. */
template <int PITCH>
__host__ __device__ constexpr int place(int row)
{
    static_assert(ROWS * PITCH % 128 == 0, "rows of all lanes begin in one bank");
    return row * PITCH + row / ROWS * 16;
}

/* MASK_ROWS: 0 for a run-time value. PARTS: 16 outputs take PARTS · BYTES bytes of a row. PLANES: 2
 * for weights of 16 bits. */
template <int MASK_ROWS, int PARTS_OF_ROW, int PLANES_OF_WEIGHTS>
struct kind {
    static constexpr int H = MASK_ROWS, PARTS = PARTS_OF_ROW, PLANES = PLANES_OF_WEIGHTS;
    /* Blocks for each multiprocessor: as many as there are registers for. */
    static constexpr int BLOCKS = H == 3 ? 6 : H > 0 ? 5 : PARTS + PLANES < 5 ? 4 : 3;
    static constexpr int MOST_H = H > 0 ? H : MOST_SIDE;
    static constexpr int PITCH = TILE_COLUMNS + BYTES * PARTS; /* of the tile that is read */
    using lines = bands::lines<MOST_H, PARTS, PLANES>;

    __host__ __device__ static constexpr int in_bytes(int mask_rows)
    {
        return place<PITCH>(TILE_ROWS + mask_rows - 1);
    }
    static constexpr int shared_bytes(int mask_rows)
    {
        return in_bytes(mask_rows) + place<TILE_COLUMNS>(TILE_ROWS);
    }
};

struct problem_of_tiles {
    image_of_bytes in;
    uint8_t *out;
    size_t out_pitch;
    int before_x, before_y; /* bytes and rows of a window before its output */
    int mask_rows;
    int first_column; /* where the first tile's columns begin: 0 or less */
    int past;         /* bytes of a tile's row before those that it needs */
    unsigned across;  /* tiles side by side */
    bool stores_vectors;
    biased_ending end;
};

/* A block's tile: its first row and column in the output, and how many rows there are. */
struct tile {
    int64_t y;
    int x, row_count;
};

__device__ inline tile tile_of_block(const problem_of_tiles &p)
{
    const int64_t y = static_cast<int64_t>(blockIdx.x / p.across) * TILE_ROWS;
    const int64_t left = p.in.height - y;
    return {y, static_cast<int>(blockIdx.x % p.across) * TILE_COLUMNS + p.first_column,
            left < TILE_ROWS ? static_cast<int>(left) : TILE_ROWS};
}

/* The tile's rows and those around it, a warp for each. */
template <class Kind>
__device__ void bring_tile(const problem_of_tiles &p, const tile &at, uint8_t *to, int warp,
                           int lane)
{
    const int64_t y = at.y - p.before_y;
    const int x = at.x - p.before_x - p.past, count = at.row_count + p.mask_rows - 1;
    const int margin = p.in.is_aligned ? 0 : 4; /* words reach past what is needed */
    const bool is_inside =
        y >= 0 && y + count <= p.in.height && x >= margin && x + Kind::PITCH + margin <= p.in.line;
    if (!is_inside) {
        PRIM_UNROLL(1)
        for (int row = warp; row < count; row += WARPS) {
            uint8_t *const place_of_row = to + place<Kind::PITCH>(row);
            if (p.in.is_aligned)
                rows::bring(p.in, place_of_row, y + row, x, Kind::PITCH, lane);
            else
                rows::bring_shifted(p.in, place_of_row, y + row, x, Kind::PITCH, lane);
        }
        return;
    }
    const uint8_t *from = p.in.row(y + warp) + x;
    if (!p.in.is_aligned) {
        PRIM_UNROLL(4)
        for (int row = warp; row < count; row += WARPS, from += WARPS * p.in.pitch)
            rows::copy_words(to + place<Kind::PITCH>(row), from, 0, Kind::PITCH, lane);
        return;
    }
    PRIM_UNROLL(4)
    for (int row = warp; row < count; row += WARPS) {
        PRIM_UNROLL(2)
        for (int k = CHUNK * lane; k < Kind::PITCH; k += CHUNK * LANES)
            copy_async(reinterpret_cast<vector<uint8_t> *>(to + place<Kind::PITCH>(row) + k),
                       reinterpret_cast<const vector<uint8_t> *>(from + k));
        from += WARPS * p.in.pitch;
    }
}

/* A lane's words of 32 bytes of a row, and of the one half a tile below. */
struct quad {
    uint32_t words[4];
};

template <class Kind>
__device__ quad quad_at(const uint8_t *from)
{
    const uint32_t *const upper = reinterpret_cast<const uint32_t *>(from);
    const uint32_t *const lower =
        reinterpret_cast<const uint32_t *>(from + place<Kind::PITCH>(HALF));
    return {{upper[0], lower[0], upper[BYTES / 8], lower[BYTES / 8]}};
}

/* Sums of two matrices, and of a second plane. */
template <class Kind>
struct sums_of {
    int32_t low[2][4], high[Kind::PLANES > 1 ? 2 : 1][4];

    __device__ void begin(int32_t bias)
    {
        PRIM_UNROLL(4)
        for (int i = 0; i < 4; i++) {
            low[0][i] = low[1][i] = bias;
            for (int32_t(&of)[4] : high)
                of[i] = 0;
        }
    }
    __device__ int32_t sum(int m, int i) const
    {
        if constexpr (Kind::PLANES > 1)
            return low[m][i] + high[m][i] * 256;
        else
            return low[m][i];
    }
    /* As bytes: words of row r of both halves. */
    __device__ void put(const biased_ending &end, uint8_t *out, int r) const
    {
        PRIM_UNROLL(2)
        for (int half = 0; half < 2; half++) {
            const int i = 2 * half;
            *reinterpret_cast<uint32_t *>(out + place<TILE_COLUMNS>(HALF * half + r)) =
                bytes_of_sums<(Kind::H > 0)>(end, sum(0, i), sum(0, i + 1), sum(1, i),
                                             sum(1, i + 1));
        }
    }
};

/* 16 columns of all rows, where the number of the mask's rows is known: a lane's words, and its
 * words of all bands, stay in registers. */
template <class Kind>
__device__ void sum_known_rows(const biased_ending &end, const uint8_t *from, uint8_t *out,
                               const fragment (&own)[Kind::MOST_H])
{
    constexpr int H = Kind::H;
    const int32_t begin[] = {end.bias, end.bias, end.bias, end.bias};
    quad words[ROWS + H - 1];
    PRIM_UNROLL(ROWS + H - 1)
    for (int i = 0; i < ROWS + H - 1; i++)
        words[i] = quad_at<Kind>(from + place<Kind::PITCH>(i));
    PRIM_UNROLL(ROWS)
    for (int r = 0; r < ROWS; r++) {
        sums_of<Kind> sums;
        PRIM_UNROLL(H)
        for (int j = 0; j < H; j++) {
            PRIM_UNROLL(2)
            for (int m = 0; m < 2; m++) {
                int32_t(&sum)[4] = sums.low[m];
                if (j == 0)
                    add_byte_products<SIGNED_BYTES>(sum, words[r].words, own[0].words[m], begin);
                else
                    add_byte_products<SIGNED_BYTES>(sum, words[r + j].words, own[j].words[m], sum);
            }
        }
        sums.put(end, out, r);
    }
}

/* The products of a lane's words with row j of the mask, a part of the tile's row on. */
template <class Kind>
__device__ void add_part(sums_of<Kind> &sums, const uint32_t (&a)[4], const fragment &low,
                         const fragment &high)
{
    constexpr byte_sign SIGN = Kind::PLANES > 1 ? UNSIGNED_BYTES : SIGNED_BYTES;
    PRIM_UNROLL(2)
    for (int m = 0; m < 2; m++) {
        add_byte_products<SIGN>(sums.low[m], a, low.words[m], sums.low[m]);
        if constexpr (Kind::PLANES > 1)
            add_byte_products<SIGNED_BYTES>(sums.high[m], a, high.words[m], sums.high[m]);
    }
}

/* The same for any number of rows: words are read for each row of the mask. */
template <class Kind>
__device__ void sum_any_rows(const problem_of_tiles &p, const uint8_t *in, int first, uint8_t *out,
                             const typename Kind::lines &all, int lane)
{
    sums_of<Kind> sums[ROWS];
    PRIM_UNROLL(ROWS)
    for (int r = 0; r < ROWS; r++)
        sums[r].begin(p.end.bias);
    PRIM_UNROLL(1)
    for (int j = 0; j < p.mask_rows; j++) {
        PRIM_UNROLL(Kind::PARTS)
        for (int part = 0; part < Kind::PARTS; part++) {
            const fragment low = fragment_of(all.words + all.first_of(0, j), part, lane);
            fragment high = low;
            if constexpr (Kind::PLANES > 1)
                high = fragment_of(all.words + all.first_of(1, j), part, lane);
            PRIM_UNROLL(ROWS)
            for (int r = 0; r < ROWS; r++) {
                const uint8_t *const from = in + place<Kind::PITCH>(first + r + j) + BYTES * part;
                add_part<Kind>(sums[r], quad_at<Kind>(from).words, low, high);
            }
        }
    }
    PRIM_UNROLL(ROWS)
    for (int r = 0; r < ROWS; r++)
        sums[r].put(p.end, out, r);
}

/* A warp's columns of the tile, from `in` to `out` in shared memory. */
template <class Kind>
__device__ void sum_columns(const problem_of_tiles &p, const tile &at, const uint8_t *in,
                            uint8_t *out, const typename Kind::lines &all,
                            const fragment (&own)[Kind::MOST_H], int warp, int lane)
{
    const int own_row = lane / 4 * ROWS, own_word = lane % 4 * 4, first = COLUMNS * warp;
    const uint8_t *const from = in + first + p.past / 4 * 4 + own_word;
    uint8_t *const to = out + first + own_word + place<TILE_COLUMNS>(own_row);
    const int outside = p.in.line - (at.x + first), count = outside < COLUMNS ? outside : COLUMNS;
    if constexpr (Kind::H > 0) {
        PRIM_UNROLL(1)
        for (int column = 0; column < count; column += OUTPUTS)
            sum_known_rows<Kind>(p.end, from + place<Kind::PITCH>(own_row) + column, to + column,
                                 own);
    } else {
        PRIM_UNROLL(1)
        for (int column = 0; column < count; column += OUTPUTS)
            sum_any_rows<Kind>(p, from + column, own_row, to + column, all, lane);
    }
}

/* The tile's bytes into the output: 16 lanes for a row, or a warp, word by word, at the image's
 * sides and where rows begin anywhere. */
__device__ inline void write_tile(const problem_of_tiles &p, const tile &at, const uint8_t *bytes)
{
    constexpr int ACROSS = TILE_COLUMNS / CHUNK, DOWN = THREADS / ACROSS;
    const int thread = static_cast<int>(threadIdx.x);
    uint8_t *const out = p.out + static_cast<size_t>(at.y) * p.out_pitch;
    if (p.stores_vectors && at.x >= 0 && at.x + TILE_COLUMNS <= p.in.line) {
        const int column = thread % ACROSS * CHUNK;
        uint8_t *to = out + static_cast<size_t>(thread / ACROSS) * p.out_pitch + (at.x + column);
        PRIM_UNROLL(4)
        for (int row = thread / ACROSS; row < at.row_count; row += DOWN) {
            *reinterpret_cast<vector<uint8_t> *>(to) = *reinterpret_cast<const vector<uint8_t> *>(
                bytes + place<TILE_COLUMNS>(row) + column);
            to += DOWN * p.out_pitch;
        }
        return;
    }
    const int begin = at.x < 0 ? -at.x : 0, left = p.in.line - at.x;
    const int end = left < TILE_COLUMNS ? left : TILE_COLUMNS;
    PRIM_UNROLL(1)
    for (int row = thread / LANES; row < at.row_count; row += WARPS)
        rows::write_words(out + static_cast<size_t>(row) * p.out_pitch + at.x,
                          bytes + place<TILE_COLUMNS>(row), begin, end, thread % LANES);
}

template <class Kind>
__global__ void __launch_bounds__(THREADS, blocks_here(Kind::BLOCKS))
    convolve(const __grid_constant__ problem_of_tiles p,
             const __grid_constant__ typename Kind::lines mask)
{
    PRIM_SHARED_DYNAMIC(uint8_t, in);
    PRIM_SHARED(typename Kind::lines, all, );
    uint8_t *const out = in + Kind::in_bytes(Kind::H > 0 ? Kind::H : p.mask_rows);
    const int lane = static_cast<int>(threadIdx.x) % LANES;
    const int warp = static_cast<int>(__shfl_sync(ALL_LANES, threadIdx.x / LANES, 0));
    const tile at = tile_of_block(p);
    bring_tile<Kind>(p, at, in, warp, lane);
    close_batch_of_copies();
    for (int k = static_cast<int>(threadIdx.x); k < Kind::lines::ALL; k += THREADS)
        all.words[k] = mask.words[k];
    __syncthreads();
    fragment own[Kind::MOST_H]; /* made while rows are being copied */
    if constexpr (Kind::H > 0) {
        PRIM_UNROLL(Kind::MOST_H)
        for (int j = 0; j < Kind::MOST_H; j++)
            own[j] = fragment_of(all.words + all.first_of(0, j), 0, lane);
    }
    wait_for_copies();
    __syncthreads();
    sum_columns<Kind>(p, at, in, out, all, own, warp, lane);
    __syncthreads();
    write_tile(p, at, out);
}

/* ---- launches ---- */

problem_of_tiles make_tiles(const prim_convolution_args *args)
{
    const prim_image &out = args->out;
    problem_of_tiles p = {};
    p.in = rows::make_image(args);
    p.out = static_cast<uint8_t *>(out.data);
    p.out_pitch = out.pitch;
    p.before_x = before_pixel(args, args->mask.width, args->mask.anchor_x) * args->in.channels;
    p.before_y = before_pixel(args, args->mask.height, args->mask.anchor_y);
    p.mask_rows = static_cast<int>(args->mask.height);
    p.stores_vectors = out.pitch % CHUNK == 0 || out.height == 1;
    p.first_column = p.stores_vectors ? -rows::bytes_past_chunk(out, 0) : 0;
    p.past = p.in.is_aligned ? rows::bytes_past_chunk(args->in, p.first_column - p.before_x) : 0;
    p.across = static_cast<unsigned>(prim_divide_up(
        static_cast<size_t>(p.in.line) + static_cast<size_t>(-p.first_column), TILE_COLUMNS));
    const range_of_sums range = sums_of_bytes(args);
    p.end = make_biased_ending(prim_convolution_divisor(args), range.least, range.most);
    return p;
}

/* Where a tile's row begins inside of a word, so do a band's weights. */
template <class Kind>
cudaError_t launch_tiles(const prim_convolution_args *args, const problem_of_tiles &p)
{
    const size_t down = prim_divide_up(args->in.height, TILE_ROWS);
    const cudaError_t error =
        prim_allow_shared(convolve<Kind>, static_cast<size_t>(Kind::shared_bytes(Kind::MOST_H)));
    if (error != cudaSuccess)
        return error;
    return prim_launch(
        {args->call.stream, p.across * static_cast<unsigned>(down), static_cast<unsigned>(THREADS),
         static_cast<size_t>(Kind::shared_bytes(p.mask_rows))},
        convolve<Kind>, p,
        bands::make_lines<Kind::MOST_H, Kind::PARTS, Kind::PLANES>(args, p.past % 4));
}

template <int PLANES>
cudaError_t launch_parts(const prim_convolution_args *args, const problem_of_tiles &p)
{
    const int needed = p.past % 4 + OUTPUTS + p.in.reach;
    if (needed > 2 * BYTES)
        return launch_tiles<kind<0, 3, PLANES>>(args, p);
    if (needed > BYTES)
        return launch_tiles<kind<0, 2, PLANES>>(args, p);
    if (PLANES == 1 && p.end.is_quick && p.mask_rows == 3)
        return launch_tiles<kind<3, 1, 1>>(args, p);
    if (PLANES == 1 && p.end.is_quick && p.mask_rows == 5)
        return launch_tiles<kind<5, 1, 1>>(args, p);
    return launch_tiles<kind<0, 1, PLANES>>(args, p);
}

cudaError_t launch(const void *any)
{
    const prim_convolution_args *args = static_cast<const prim_convolution_args *>(any);
    if (args->in.width == 0 || args->in.height == 0)
        return cudaSuccess;
    const problem_of_tiles p = make_tiles(args);
    return bands::fit_a_plane(args) ? launch_parts<1>(args, p) : launch_parts<2>(args, p);
}

const char *why_not(const void *any)
{
    const prim_convolution_args *args = static_cast<const prim_convolution_args *>(any);
    enum { LEAST_CAPABILITY = 80 };
    const size_t most_bytes = 0x7fffffff - 1024; /* of a row */
    const size_t line = args->in.width * static_cast<size_t>(args->in.channels);
    if (args->kind == PRIM_CONVOLUTION_SEPARABLE)
        return PRIM_CONVOLUTION_NOT_SEPARABLE;
    if (!prim_convolution_has_integers(args))
        return "it takes images of u8 with integer masks only";
    if (args->mask.h_values == nullptr)
        return "it needs the mask's h_values";
    if (args->mask.width > MOST_SIDE || args->mask.height > MOST_SIDE)
        return "it takes masks of at most 15 × 15";
    if (line > most_bytes)
        return "it takes rows that are shorter than 2 GiB";
    if (prim_device_code() < LEAST_CAPABILITY)
        return "it needs code compiled for compute capability 8.0 or higher";
    return prim_fits_a_grid(prim_divide_up(args->in.height, TILE_ROWS),
                            line == 0 ? 0 : prim_divide_up(line, TILE_COLUMNS) + 1)
               ? nullptr
               : PRIM_GRID_TOO_SMALL;
}

} // namespace tensor
} // namespace

PRIM_DEFINE_RUNG(convolution, tensor) = {
    {PRIM_CONVOLUTION_TENSOR, "tensor", "integers as products with bands, on the tensor cores"},
    tensor::why_not,
    nullptr,
    tensor::launch};
