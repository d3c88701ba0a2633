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
 * What REGISTER does with a multiply-add for each byte and weight, 1 of 32 lanes' 4,096 products
 * do here. Most of a band is zeros: of 32 products 3, 5, … count. But there are so many of them
 * that memory is waited for all the same.
 *
 * The taps of a pixel's channels lie `channels` bytes apart, and so do a band's weights: it does
 * not matter how many channels there are. Where a row of the image begins inside of a word, the
 * band begins as many bytes lower.
 *
 * A warp has 64 rows and 64 columns of a tile, and 16 columns of it at a time:
 *
 *     lane 4g + t     rows 4g … 4g + 3 of the upper 32 rows, and of the lower 32, bytes 4t … 4t + 3
 *                     and 16 more on
 *     matrix r        rows 4g + r of all lanes: row j of the mask takes the one j below, which the
 *                     lane has too
 *
 * So each word is read from shared memory once for all rows of the mask. Which output is which
 * column of a matrix is free: column 2t + c of matrix m is byte 4t + 2m + c, and a lane ends up
 * with words of 4 bytes that lie together.
 *
 * Sums begin with a number that makes all of them positive, and as positive integers they are
 * floats: tiny ones, whose steps they count (rounded.cuh). So one multiply-add takes that number
 * away and divides, and a multiplication rounds.
 *
 * Weights of 16 bits are two bands, 256 · high + low.
 *
 * What holds it back: memory, and for large masks that a band is mostly zeros.
 *
 * Work: 32 products an output for each row of the mask, twice as many of 16 bits; masks wider than
 * 17 bytes need 64 and more. Bytes: in and out once, and out of L2, what tiles that meet both need.
 * Source: a convolution along a line is a product with a band, or Toeplitz, matrix; Golub and Van
 * Loan, Matrix Computations, 4th edition (2013), section 4.7. */
#include "common/launch.cuh"
#include "common/mma.cuh"
#include "common/shared.cuh"
#include "common/sizes.h"
#include "convolution/rows.cuh"

namespace
{
namespace tensor
{

using rows::bring;
using rows::CHUNK;
using rows::image_of_bytes;

constexpr int LANES = rows::LANES;
constexpr int BYTES = 32;       /* of a row that a matrix takes */
constexpr int OUTPUTS = 16;     /* bytes of two matrices' sums */
constexpr int MOST_SIDE = 15;   /* of a mask */
constexpr int AROUND = OUTPUTS; /* zeros before a band's line */

/* Before 9.0, code needs some registers more: fewer blocks. */
constexpr int blocks_here(int blocks)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
    return blocks * 3 / 4;
#else
    return blocks;
#endif
}

/* How outputs go to memory: as they are, 16 bytes of each of 8 rows at a time; or through shared
 * memory, 64 bytes of a row together, or the whole tile's. */
enum store_way { STORES_WORDS, STORES_THROUGH_WARPS, STORES_THROUGH_BLOCK };

/* MASK_ROWS: 0 where only the call knows. PARTS: of BYTES each, what 16 outputs take of a row.
 * PLANES: 2 for weights of 16 bits. */
template <int MASK_ROWS, int PARTS_OF_ROW, int PLANES_OF_WEIGHTS, int WARPS_OF_BLOCK = 4,
          int STAGE_COUNT = 1, store_way STORE_WAY = STORES_THROUGH_WARPS, int BLOCK_COUNT = 4,
          int ROWS_OF_LANE = 4>
struct kind {
    static constexpr int H = MASK_ROWS, PARTS = PARTS_OF_ROW, PLANES = PLANES_OF_WEIGHTS;
    static constexpr int WARPS = WARPS_OF_BLOCK, THREADS = WARPS * LANES;
    static constexpr int STAGES = STAGE_COUNT, BLOCKS = BLOCK_COUNT;
    static constexpr store_way STORE = STORE_WAY;
    static constexpr int R = ROWS_OF_LANE; /* of each half of the tile, one below the other */
    static constexpr int TILE_ROWS = 16 * R, COLUMNS = 64, TILE_COLUMNS = COLUMNS * WARPS;
    static constexpr int MOST_H = H > 0 ? H : MOST_SIDE;
    static constexpr int LINE = (AROUND + BYTES * PARTS) / 4 + 1; /* words of a band */
    static constexpr int LINES = MOST_H * PLANES;

    /* Of a tile in shared memory: its rows, and some bytes more after each R, so that lanes that
     * read at one time find different banks. */
    static constexpr int PITCH = TILE_COLUMNS + BYTES * PARTS;
    static constexpr int SKEW = ((16 - R * PITCH) % 128 + 128) % 128;
    __host__ __device__ static constexpr int place(int row)
    {
        return row * PITCH + row / R * SKEW;
    }
    __host__ __device__ static constexpr int stage_bytes(int mask_rows)
    {
        return place(TILE_ROWS + mask_rows - 1);
    }

    /* The same of outputs on their way. */
    static constexpr int OUT_PITCH = STORE == STORES_THROUGH_BLOCK ? TILE_COLUMNS : COLUMNS;
    static constexpr int OUT_SKEW = ((16 - R * OUT_PITCH) % 128 + 128) % 128;
    __host__ __device__ static constexpr int out_place(int row)
    {
        return row * OUT_PITCH + row / R * OUT_SKEW;
    }
    __host__ __device__ static constexpr int exchange_bytes()
    {
        return STORE == STORES_WORDS           ? 0
               : STORE == STORES_THROUGH_WARPS ? WARPS * out_place(TILE_ROWS)
                                               : out_place(TILE_ROWS);
    }
    __host__ __device__ static constexpr int shared_bytes(int mask_rows)
    {
        return STAGES * stage_bytes(mask_rows) + exchange_bytes();
    }
};

/* A row of the mask as bytes of its own, zeros around it: the band's column for output o is what
 * begins AROUND - o bytes behind the line's beginning. */
template <class Kind>
struct bands {
    uint32_t words[Kind::LINES][Kind::LINE];
};

/* How sums become bytes: (sum + bias) · factor + minus is the quotient in steps, times unit. */
struct ending {
    divisor by;
    int32_t bias;
    float factor, minus, unit;
    bool is_quick; /* otherwise by alone */
};

struct problem_of_tiles {
    image_of_bytes in;
    uint8_t *out;
    size_t out_pitch;
    int before_x, before_y; /* bytes and rows of a window before its output */
    int mask_rows;
    int first_column; /* where the first tile's columns begin: 0 or less */
    int past;         /* bytes of a tile's row before those that it needs */
    unsigned across, tiles;
    bool stores_vectors;
    ending end;
};

/* ---- a tile's rows ---- */

template <class Kind>
struct tile_place {
    int64_t y;
    int x;

    __device__ tile_place(const problem_of_tiles &p, unsigned tile)
        : y(static_cast<int64_t>(tile / p.across) * Kind::TILE_ROWS),
          x(static_cast<int>(tile % p.across) * Kind::TILE_COLUMNS + p.first_column)
    {
    }
};

template <class Kind>
__device__ void bring_tile(const problem_of_tiles &p, unsigned tile, uint8_t *to)
{
    const int lane = static_cast<int>(threadIdx.x) % LANES;
    const int warp = static_cast<int>(__shfl_sync(ALL_LANES, threadIdx.x / LANES, 0));
    const tile_place<Kind> at(p, tile);
    const int64_t y = at.y - p.before_y;
    const int x = at.x - p.before_x - p.past;
    const int64_t left = p.in.height - at.y;
    const int count =
        (left < Kind::TILE_ROWS ? static_cast<int>(left) : Kind::TILE_ROWS) + p.mask_rows - 1;
    const bool is_inside = y >= 0 && y + count <= p.in.height && x >= 0 &&
                           x + Kind::PITCH <= p.in.line && p.in.is_aligned;
    if (is_inside) {
        const uint8_t *from = p.in.row(y + warp) + x;
        PRIM_UNROLL(4)
        for (int row = warp; row < count; row += Kind::WARPS) {
            PRIM_UNROLL(2)
            for (int k = CHUNK * lane; k < Kind::PITCH; k += CHUNK * LANES)
                copy_async(reinterpret_cast<vector<uint8_t> *>(to + Kind::place(row) + k),
                           reinterpret_cast<const vector<uint8_t> *>(from + k));
            from += Kind::WARPS * p.in.pitch;
        }
        return;
    }
    PRIM_UNROLL(1)
    for (int row = warp; row < count; row += Kind::WARPS)
        bring(p.in, to + Kind::place(row), y + row, x, Kind::PITCH, lane);
}

/* ---- sums ---- */

/* What a lane holds of a band: of two matrices, for each part of a row. */
struct fragment {
    uint32_t words[2][2];
};

/* 4 bytes from any byte of a line on. */
__device__ inline uint32_t word_at(const uint32_t *line, int byte)
{
    return bits_from(line[byte / 4], line[byte / 4 + 1], 8u * (static_cast<unsigned>(byte) % 4));
}

__device__ inline fragment fragment_of(const uint32_t *line, int part, int lane)
{
    const int g = lane / 4, t = lane % 4;
    fragment f;
    PRIM_UNROLL(2)
    for (int m = 0; m < 2; m++) {
        const int output = 4 * (g / 2) + 2 * m + g % 2;
        const int byte = AROUND + BYTES * part + 4 * t - output;
        f.words[m][0] = word_at(line, byte);
        f.words[m][1] = word_at(line, byte + BYTES / 2);
    }
    return f;
}

/* A lane's words of 32 bytes of a row, and of the one as many rows below as half a tile has. */
struct quad {
    uint32_t words[4];
};

template <class Kind>
__device__ quad quad_at(const uint8_t *from)
{
    constexpr int BELOW = Kind::place(8 * Kind::R);
    const uint32_t *const upper = reinterpret_cast<const uint32_t *>(from);
    const uint32_t *const lower = reinterpret_cast<const uint32_t *>(from + BELOW);
    return {{upper[0], lower[0], upper[BYTES / 8], lower[BYTES / 8]}};
}

template <bool IS_QUICK>
__device__ uint32_t bytes_of(const ending &end, int32_t a, int32_t b, int32_t c, int32_t d)
{
    const int32_t sums[] = {a, b, c, d};
    if (IS_QUICK || end.is_quick) {
        float steps[4];
        PRIM_UNROLL(4)
        for (int i = 0; i < 4; i++) {
            const float sum = tiny_float(static_cast<uint32_t>(sums[i]));
            steps[i] = tiny_product(tiny_multiply_add(sum, end.factor, end.minus), end.unit);
        }
        return bytes_of_steps(steps[0], steps[1], steps[2], steps[3]);
    }
    uint32_t all = 0;
    PRIM_UNROLL(1)
    for (int i = 0; i < 4; i++) {
        all |= static_cast<uint32_t>(end.by.as_byte(i == 0   ? a
                                                    : i == 1 ? b
                                                    : i == 2 ? c
                                                             : d))
               << 8 * i;
    }
    return all;
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
    /* The word of a lane's row g, or g + 8. */
    __device__ uint32_t word(const ending &end, int half) const
    {
        const int i = 2 * half;
        return bytes_of<(Kind::H > 0)>(end, sum(0, i), sum(0, i + 1), sum(1, i), sum(1, i + 1));
    }
};

/* Where words go. */
template <class Kind>
struct word_store {
    uint8_t *staged,
        *to; /* of the lane's first row and column, in shared memory and in the output */
    size_t pitch;
    int x, line, rows_left;
    bool is_whole; /* the tile, along x, and its words are aligned */

    __device__ void put(int row, int column, uint32_t word) const
    {
        if constexpr (Kind::STORE != STORES_WORDS) {
            *reinterpret_cast<uint32_t *>(staged + Kind::out_place(row) + column) = word;
        } else if (row < rows_left) {
            uint8_t *const at = to + static_cast<size_t>(row) * pitch + column;
            if (is_whole)
                *reinterpret_cast<uint32_t *>(at) = word;
            else
                for (int b = 0; b < 4; b++)
                    if (x + column + b >= 0 && x + column + b < line)
                        at[b] = static_cast<uint8_t>(word >> 8 * b);
        }
    }
};

/* 16 columns of all rows, where the number of the mask's rows is known: a lane's words stay in
 * registers for all of them. */
template <class Kind>
__device__ void sum_columns(const problem_of_tiles &p, const uint8_t *from,
                            const fragment (&bands)[Kind::MOST_H], const word_store<Kind> &output,
                            int column)
{
    constexpr int R = Kind::R, H = Kind::H;
    const int32_t bias = p.end.bias, begin[] = {bias, bias, bias, bias};
    quad rows[R + H - 1];
    PRIM_UNROLL(R + H - 1)
    for (int i = 0; i < R + H - 1; i++)
        rows[i] = quad_at<Kind>(from + Kind::place(i));
    PRIM_UNROLL(R)
    for (int r = 0; r < R; r++) {
        sums_of<Kind> sums;
        PRIM_UNROLL(H)
        for (int j = 0; j < H; j++) {
            const uint32_t(&a)[4] = rows[r + j].words;
            PRIM_UNROLL(2)
            for (int m = 0; m < 2; m++) {
                int32_t(&sum)[4] = sums.low[m];
                if (j == 0)
                    add_byte_products<SIGNED_BYTES>(sum, a, bands[j].words[m], begin);
                else
                    add_byte_products<SIGNED_BYTES>(sum, a, bands[j].words[m], sum);
            }
        }
        output.put(r, column, sums.word(p.end, 0));
        output.put(8 * R + r, column, sums.word(p.end, 1));
    }
}

/* The same where only the call knows: words are read for each row of the mask. */
template <class Kind>
__device__ void sum_columns(const problem_of_tiles &p, const uint8_t *tile, int first,
                            const bands<Kind> &all, const word_store<Kind> &output, int column,
                            int lane)
{
    constexpr int R = Kind::R;
    sums_of<Kind> sums[R];
    PRIM_UNROLL(R)
    for (int r = 0; r < R; r++)
        sums[r].begin(p.end.bias);
    PRIM_UNROLL(1)
    for (int j = 0; j < p.mask_rows; j++)
        PRIM_UNROLL(Kind::PARTS)
    for (int part = 0; part < Kind::PARTS; part++) {
        const fragment low = fragment_of(all.words[j], part, lane);
        fragment high = low;
        if constexpr (Kind::PLANES > 1)
            high = fragment_of(all.words[Kind::MOST_H + j], part, lane);
        PRIM_UNROLL(R)
        for (int r = 0; r < R; r++) {
            const quad row = quad_at<Kind>(tile + Kind::place(first + r + j) + BYTES * part);
            const uint32_t(&a)[4] = row.words;
            constexpr byte_sign SIGN = Kind::PLANES > 1 ? UNSIGNED_BYTES : SIGNED_BYTES;
            PRIM_UNROLL(2)
            for (int m = 0; m < 2; m++) {
                add_byte_products<SIGN>(sums[r].low[m], a, low.words[m], sums[r].low[m]);
                if constexpr (Kind::PLANES > 1)
                    add_byte_products<SIGNED_BYTES>(sums[r].high[m], a, high.words[m],
                                                    sums[r].high[m]);
            }
        }
    }
    PRIM_UNROLL(R)
    for (int r = 0; r < R; r++) {
        output.put(r, column, sums[r].word(p.end, 0));
        output.put(8 * R + r, column, sums[r].word(p.end, 1));
    }
}

/* ---- outputs ---- */

/* What is staged goes to memory: THREADS threads, WIDTH bytes of each row. */
template <class Kind, int THREADS, int WIDTH>
__device__ void write_rows(const problem_of_tiles &p, const uint8_t *staged, int64_t y, int x,
                           int thread)
{
    constexpr int ACROSS = WIDTH / CHUNK, DOWN = THREADS / ACROSS;
    const int64_t left = p.in.height - y;
    const int row_count = left < Kind::TILE_ROWS ? static_cast<int>(left) : Kind::TILE_ROWS;
    uint8_t *const out = p.out + static_cast<size_t>(y) * p.out_pitch;
    if (p.stores_vectors && x >= 0 && x + WIDTH <= p.in.line) {
        const int column = thread % ACROSS * CHUNK;
        uint8_t *to = out + static_cast<size_t>(thread / ACROSS) * p.out_pitch + (x + column);
        PRIM_UNROLL(4)
        for (int row = thread / ACROSS; row < row_count; row += DOWN) {
            *reinterpret_cast<vector<uint8_t> *>(to) =
                *reinterpret_cast<const vector<uint8_t> *>(staged + Kind::out_place(row) + column);
            to += DOWN * p.out_pitch;
        }
        return;
    }
    PRIM_UNROLL(1)
    for (int k = thread; k < row_count * WIDTH; k += THREADS) {
        const int row = k / WIDTH, column = k % WIDTH;
        if (x + column >= 0 && x + column < p.in.line)
            out[static_cast<size_t>(row) * p.out_pitch + static_cast<size_t>(x + column)] =
                staged[Kind::out_place(row) + column];
    }
}

/* Where a lane's words go. */
template <class Kind>
__device__ word_store<Kind> make_store(const problem_of_tiles &p, const tile_place<Kind> &at,
                                       uint8_t *exchange, int warp, int lane)
{
    const int g = lane / 4, t = lane % 4, first = Kind::COLUMNS * warp;
    const int64_t left = p.in.height - at.y;
    const int rows = left < Kind::TILE_ROWS ? static_cast<int>(left) : Kind::TILE_ROWS;
    word_store<Kind> output = {};
    if constexpr (Kind::STORE == STORES_THROUGH_BLOCK)
        output.staged = exchange + first + Kind::out_place(g * Kind::R) + 4 * t;
    else if constexpr (Kind::STORE == STORES_THROUGH_WARPS)
        output.staged = exchange + warp * Kind::out_place(Kind::TILE_ROWS) +
                        Kind::out_place(g * Kind::R) + 4 * t;
    output.x = at.x + first + 4 * t;
    output.to = p.out + (at.y + g * Kind::R) * static_cast<int64_t>(p.out_pitch) + output.x;
    output.pitch = p.out_pitch;
    output.line = p.in.line;
    output.rows_left = rows - g * Kind::R;
    output.is_whole = p.stores_vectors && at.x >= 0 && at.x + Kind::TILE_COLUMNS <= p.in.line;
    return output;
}

template <class Kind>
__device__ void sum_tile(const problem_of_tiles &p, unsigned tile, const uint8_t *in,
                         uint8_t *exchange, const bands<Kind> &all,
                         const fragment (&own)[Kind::MOST_H])
{
    const int lane = static_cast<int>(threadIdx.x) % LANES, g = lane / 4, t = lane % 4;
    const int warp = static_cast<int>(__shfl_sync(ALL_LANES, threadIdx.x / LANES, 0));
    const int first = Kind::COLUMNS * warp;
    const tile_place<Kind> at(p, tile);
    const word_store<Kind> output = make_store<Kind>(p, at, exchange, warp, lane);
    const uint8_t *const from = in + first + p.past / 4 * 4 + 4 * t;
    const int outside = p.in.line - (at.x + first);
    const int columns = outside < Kind::COLUMNS ? outside : Kind::COLUMNS;
    PRIM_UNROLL(1)
    for (int column = 0; column < columns; column += OUTPUTS) {
        if constexpr (Kind::H > 0)
            sum_columns<Kind>(p, from + Kind::place(g * Kind::R) + column, own, output, column);
        else
            sum_columns<Kind>(p, from + column, g * Kind::R, all, output, column, lane);
    }
    if constexpr (Kind::STORE == STORES_THROUGH_WARPS) {
        __syncwarp();
        write_rows<Kind, LANES, Kind::COLUMNS>(
            p, exchange + warp * Kind::out_place(Kind::TILE_ROWS), at.y, at.x + first, lane);
    } else if constexpr (Kind::STORE == STORES_THROUGH_BLOCK) {
        __syncthreads();
        write_rows<Kind, Kind::THREADS, Kind::TILE_COLUMNS>(p, exchange, at.y, at.x,
                                                            static_cast<int>(threadIdx.x));
    }
}

template <class Kind>
__global__ void __launch_bounds__(Kind::THREADS, blocks_here(Kind::BLOCKS))
    convolve(const __grid_constant__ problem_of_tiles p, const __grid_constant__ bands<Kind> mask)
{
    PRIM_SHARED_DYNAMIC(uint8_t, shared);
    PRIM_SHARED(bands<Kind>, lines, );
    const int lane = static_cast<int>(threadIdx.x) % LANES;
    const int stage_bytes = Kind::stage_bytes(Kind::H > 0 ? Kind::H : p.mask_rows);
    uint8_t *const exchange = shared + Kind::STAGES * stage_bytes;
    unsigned tile = blockIdx.x;
    bring_tile<Kind>(p, tile, shared);
    close_batch_of_copies();
    for (int k = static_cast<int>(threadIdx.x); k < Kind::LINES * Kind::LINE; k += Kind::THREADS)
        lines.words[k / Kind::LINE][k % Kind::LINE] = mask.words[k / Kind::LINE][k % Kind::LINE];
    __syncthreads();
    fragment own[Kind::MOST_H];
    if constexpr (Kind::H > 0) {
        PRIM_UNROLL(Kind::MOST_H)
        for (int j = 0; j < Kind::MOST_H; j++)
            own[j] = fragment_of(lines.words[j], 0, lane);
    }
    int stage = 0;
    PRIM_UNROLL(1)
    for (; tile < p.tiles; tile += gridDim.x) {
        const uint8_t *const here = shared + stage * stage_bytes;
        const unsigned next = tile + gridDim.x;
        if constexpr (Kind::STAGES > 1) {
            stage = 1 - stage;
            if (next < p.tiles)
                bring_tile<Kind>(p, next, shared + stage * stage_bytes);
            close_batch_of_copies();
            wait_for_copies_but<1>();
        } else {
            wait_for_copies();
        }
        __syncthreads();
        sum_tile<Kind>(p, tile, here, exchange, lines, own);
        __syncthreads(); /* before rows come where others were */
        if constexpr (Kind::STAGES == 1) {
            if (next < p.tiles)
                bring_tile<Kind>(p, next, shared);
        }
    }
    wait_for_copies();
}

/* ---- on the host ---- */

weight_list<int32_t> weights_of(const prim_convolution_args *args)
{
    return list_of<int32_t>(args, args->mask.h_values, args->mask.width * args->mask.height);
}

/* How bytes are made of sums from `least` to `most`. A tiny float holds sum + bias, where bias is
 * a multiple of the divisor, so that it can be taken away divided, and no less than -least. */
ending make_tile_ending(int64_t by, int64_t least, int64_t most)
{
    const int64_t magnitude = by < 0 ? -by : by;
    const int64_t times = (magnitude - 1 - least) / magnitude, bias = times * magnitude;
    ending end = {};
    end.by = {static_cast<int32_t>(by), static_cast<float>(1.0 / static_cast<double>(by))};
    end.is_quick = has_quotient(by, bias + most);
    if (!end.is_quick)
        return end;
    const quotient q = make_quotient(by);
    end.bias = static_cast<int32_t>(bias);
    end.factor = q.factor;
    end.unit = q.unit;
    end.minus = static_cast<float>(
        std::ldexp(static_cast<double>(by < 0 ? times : -times), q.bits - STEPS_BELOW_1));
    return end;
}

ending ending_of(const prim_convolution_args *args)
{
    const weight_list<int32_t> list = weights_of(args);
    int64_t least = 0, most = 0;
    for (size_t k = 0; k < args->mask.width * args->mask.height; k++) {
        const int64_t weight = list[static_cast<int>(k)];
        least += weight < 0 ? 255 * weight : 0;
        most += weight > 0 ? 255 * weight : 0;
    }
    return make_tile_ending(prim_convolution_divisor(args), least, most);
}

template <class Kind>
bands<Kind> bands_of(const prim_convolution_args *args, int past)
{
    const weight_list<int32_t> list = weights_of(args);
    const int width = static_cast<int>(args->mask.width);
    bands<Kind> mask = {};
    for (int j = 0; j < static_cast<int>(args->mask.height); j++)
        for (int i = 0; i < width; i++) {
            const int byte = AROUND + past % 4 + i * args->in.channels;
            const int32_t weight = list[j * width + i];
            const uint32_t low = static_cast<uint32_t>(weight) & 0xff,
                           high = static_cast<uint32_t>(weight) >> 8 & 0xff;
            mask.words[j][byte / 4] |= low << 8 * (byte % 4);
            if (Kind::PLANES > 1)
                mask.words[(Kind::PLANES - 1) * Kind::MOST_H + j][byte / 4] |= high
                                                                               << 8 * (byte % 4);
        }
    return mask;
}

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
    p.end = ending_of(args);
    return p;
}

/* blocks: on a multiprocessor; 0: one for each tile. */
template <class Kind>
cudaError_t launch_tiles(const prim_convolution_args *args, problem_of_tiles p, unsigned blocks)
{
    const int64_t columns = static_cast<int64_t>(p.in.line) - p.first_column;
    p.across = static_cast<unsigned>((columns + Kind::TILE_COLUMNS - 1) / Kind::TILE_COLUMNS);
    p.tiles =
        p.across * static_cast<unsigned>((p.in.height + Kind::TILE_ROWS - 1) / Kind::TILE_ROWS);
    const unsigned at_once = blocks * prim_device_multiprocessors();
    const unsigned grid = blocks != 0 && at_once < p.tiles ? at_once : p.tiles;
    const cudaError_t error =
        prim_allow_shared(convolve<Kind>, static_cast<size_t>(Kind::shared_bytes(Kind::MOST_H)));
    if (error != cudaSuccess)
        return error;
    return prim_launch({args->call.stream, grid, static_cast<unsigned>(Kind::THREADS),
                        static_cast<size_t>(Kind::shared_bytes(p.mask_rows))},
                       convolve<Kind>, p, bands_of<Kind>(args, p.past));
}

/* Weights of 16 bits may be small ones. */
bool fit_a_plane(const prim_convolution_args *args)
{
    const weight_list<int32_t> list = weights_of(args);
    for (size_t k = 0; k < args->mask.width * args->mask.height; k++) {
        const int32_t weight = list[static_cast<int>(k)];
        if (weight < INT8_MIN || weight > INT8_MAX)
            return false;
    }
    return true;
}

template <int PLANES>
cudaError_t launch_parts(const prim_convolution_args *args, const problem_of_tiles &p)
{
    const int needed = p.past % 4 + OUTPUTS + p.in.reach;
    if (needed <= BYTES) {
        if (PLANES == 1 && p.end.is_quick && p.mask_rows == 3)
            return launch_tiles<kind<3, 1, 1>>(args, p, 0);
        if (PLANES == 1 && p.end.is_quick && p.mask_rows == 5)
            return launch_tiles<kind<5, 1, 1>>(args, p, 0);
        return launch_tiles<kind<0, 1, PLANES>>(args, p, 0);
    }
    return needed <= 2 * BYTES ? launch_tiles<kind<0, 2, PLANES>>(args, p, 0)
                               : launch_tiles<kind<0, 3, PLANES>>(args, p, 0);
}

cudaError_t launch(const void *any)
{
    const prim_convolution_args *args = static_cast<const prim_convolution_args *>(any);
    if (args->in.width == 0 || args->in.height == 0)
        return cudaSuccess;
    const problem_of_tiles p = make_tiles(args);
    return fit_a_plane(args) ? launch_parts<1>(args, p) : launch_parts<2>(args, p);
}

const char *why_not(const void *any)
{
    const prim_convolution_args *args = static_cast<const prim_convolution_args *>(any);
    enum { LEAST_CAPABILITY = 80, LEAST_COLUMNS = 256, LEAST_ROWS = 64 };
    const size_t most_bytes = 0x7fffffff - 1024; /* of a row */
    const size_t line = args->in.width * static_cast<size_t>(args->in.channels);
    if (args->kind == PRIM_CONVOLUTION_SEPARABLE)
        return PRIM_CONVOLUTION_NOT_SEPARABLE;
    if (!prim_convolution_has_integers(args))
        return "it takes masks of integers over bytes";
    if (args->mask.h_values == nullptr)
        return "it needs the mask's h_values";
    if (args->mask.width > MOST_SIDE || args->mask.height > MOST_SIDE)
        return "it takes a mask with sides of 15 at most";
    if (line > most_bytes)
        return "it takes rows of less than 2 GiB";
    if (prim_device_code() < LEAST_CAPABILITY)
        return "its products need code for compute capability 8.0 or higher";
    return prim_fits_a_grid(prim_divide_up(args->in.height, LEAST_ROWS),
                            prim_divide_up(line, LEAST_COLUMNS) + 1)
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
