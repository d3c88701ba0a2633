/* REGISTER over bytes under square masks whose sides are known at compile time: as walk.cuh, but
 * rows pass through registers, where bytes become floats, once.
 *
 *     row of the image    b b b b│b b b b│b b b b│ …   words of 4 bytes, aligned, a lane each
 *     a lane's bytes          ▪ ▪│▪ ▪                   in its word and the next lane's, where the
 *                                                       strip begins inside of a word
 *     shared memory           f f f f                   4 floats, 16 bytes
 *
 * A warp takes 4 rows at a time: while it sums them, the words of the next 4 are on their way. Taps
 * lie CHANNELS elements apart, which is known at compile time too, so that a thread's window is a
 * row of floats as elsewhere.
 *
 * Masks of integers are here where all sums are exact as floats, which multiply-adds take faster
 * than integers. Where floats hold the weights divided, too, that is all; where not, sums are
 * divided at the end. */
#ifndef PRIM_CONVOLUTION_BYTES_CUH
#define PRIM_CONVOLUTION_BYTES_CUH

#include "convolution/walk.cuh"

namespace
{
namespace bytes
{

using walk::COLUMNS;
using walk::LANES;
using walk::SPAN;
using walk::WARPS;

constexpr int GROUP = 4, STEP = 2; /* rows: brought at once, and summed at once */
constexpr int SLOTS = LANES / GROUP;

template <int SIDE, int CHANNELS>
struct kind {
    static constexpr int REACH = (SIDE - 1) * CHANNELS;
    static constexpr int NEEDED = SPAN + REACH;
    static constexpr int WINDOW = (COLUMNS + REACH + 3) / 4 * 4;
    static constexpr int ROW = SPAN - COLUMNS + WINDOW;
    static constexpr int BEHIND = (REACH + 3) / 4; /* words of a row behind those of all lanes */
    static constexpr int PARTS = (NEEDED + LANES - 1) / LANES;
    static_assert(BEHIND < SLOTS, "and one that the last of them reaches into");
};

template <int SIDE>
using weights = walk::weights<walk::kind<SIDE, SIDE, walk::WHOLE>>;

/* The rows that a warp reads, GROUP at a time. */
template <class Pixel, int SIDE, int CHANNELS>
struct feed {
    using Kind = kind<SIDE, CHANNELS>;

    const strips<Pixel> &p;
    const strip_rows<Pixel> &from;
    const int lane;
    const bool is_side;       /* some columns lie outside, or in words that reach outside */
    int columns[Kind::PARTS]; /* of such a strip: where its elements are, -1 - channel: the fill */
    int64_t ahead;            /* bytes from `in` to row `next`, or to where it would be */
    int next, top, bottom;    /* rows top … bottom - 1 lie inside */
    uint32_t words[GROUP], behind;
    bool has_words;

    __device__ feed(const strips<Pixel> &strips, const strip_rows<Pixel> &rows, int at_lane)
        : p(strips), from(rows), lane(at_lane),
          is_side(from.first_e < 3 ||
                  from.first_e + SPAN + 4 * static_cast<int64_t>(Kind::BEHIND + 1) > p.line),
          columns{}, ahead(from.first_row * static_cast<int64_t>(p.in_step) + from.first_e),
          next(0), top(from.near_row(0)), bottom(from.near_row(p.height)), words{}, behind(0),
          has_words(false)
    {
        if (!is_side)
            return;
        PRIM_UNROLL(Kind::PARTS)
        for (int part = 0; part < Kind::PARTS; part++) {
            const int64_t e = from.first_e + part * LANES + lane;
            const int channel = static_cast<int>(repeat(e, CHANNELS));
            const int64_t x = (e - channel) / CHANNELS;
            const bool is_needed = x < p.width + SIDE - 1;
            const int64_t at = is_needed ? near_stand_in(p.boundary, x, p.width) : FILL;
            columns[part] = at == FILL ? -1 - channel : static_cast<int>(at * CHANNELS) + channel;
        }
    }

    /* Row `row` of the next group, and what lies between it and the word that it begins in. */
    __device__ const uint8_t *row_ahead(int row) const
    {
        return p.bytes_behind(p.in, ahead + row * static_cast<int64_t>(p.in_step));
    }
    __device__ static int bytes_past_word(const uint8_t *at)
    {
        return static_cast<int>(reinterpret_cast<uintptr_t>(at) % 4);
    }
    __device__ static uint32_t word_around(const uint8_t *at)
    {
        return *reinterpret_cast<const uint32_t *>(at - bytes_past_word(at));
    }

    /* The next group's words on their way into registers, where all of it lies inside. */
    __device__ void begin()
    {
        has_words = !is_side && next >= top && next + GROUP <= bottom;
        if (!has_words)
            return;
        PRIM_UNROLL(GROUP)
        for (int r = 0; r < GROUP; r++)
            words[r] = word_around(row_ahead(r) + 4 * lane);
        const int row = lane / SLOTS, slot = lane % SLOTS;
        if (slot <= Kind::BEHIND)
            behind = word_around(row_ahead(row) + SPAN + 4 * slot);
    }

    __device__ static void store_floats(float *to, uint32_t four)
    {
        packed<uint8_t, 4> bytes;
        bytes.words[0] = four;
        vector<float> floats;
        PRIM_UNROLL(4)
        for (unsigned e = 0; e < 4; e++)
            floats.words[e] = static_cast<float>(element_of(bytes, e));
        *reinterpret_cast<vector<float> *>(to) = floats;
    }

    __device__ void settle_words(float *to) const
    {
        PRIM_UNROLL(GROUP)
        for (int r = 0; r < GROUP; r++) {
            const uint32_t beside = __shfl_down_sync(ALL_LANES, words[r], 1);
            const uint32_t last = __shfl_sync(ALL_LANES, behind, r * SLOTS);
            const unsigned past = 8u * bytes_past_word(row_ahead(r));
            store_floats(to + r * Kind::ROW + 4 * lane,
                         bits_from(words[r], lane + 1 < LANES ? beside : last, past));
        }
        const int row = lane / SLOTS, slot = lane % SLOTS;
        const uint32_t beside = __shfl_down_sync(ALL_LANES, behind, 1);
        if (slot < Kind::BEHIND)
            store_floats(to + row * Kind::ROW + SPAN + 4 * slot,
                         bits_from(behind, beside, 8u * bytes_past_word(row_ahead(row))));
    }

    /* Row `row` by its elements, wherever they lie. */
    __device__ void gather(float *to, int row) const
    {
        const int64_t at = near_stand_in(p.boundary, from.first_row + row, p.height);
        PRIM_UNROLL(Kind::PARTS)
        for (int part = 0; part < Kind::PARTS; part++) {
            const int k = part * LANES + lane;
            if (k >= Kind::NEEDED)
                break;
            const int channel = static_cast<int>(repeat(from.first_e + k, CHANNELS));
            const int64_t column = is_side ? columns[part] : from.first_e + k;
            const uint8_t element =
                at == FILL || column < 0 ? p.fill[channel] : p.row_at(p.in, p.in_step, at)[column];
            to[k] = static_cast<float>(element);
        }
    }

    /* The group that was begun, into `to`; rows from `end` on are not needed. */
    __device__ void settle(float *to, int end)
    {
        if (has_words) {
            settle_words(to);
        } else {
            PRIM_UNROLL(1)
            for (int r = 0; r < GROUP && next + r < end; r++)
                gather(to + r * Kind::ROW, next + r);
        }
        next += GROUP;
        ahead += GROUP * static_cast<int64_t>(p.in_step);
    }
};

/* Four sums as bytes of a word. */
__device__ inline uint32_t rounded_bytes(const float (&sums)[COLUMNS], const no_divisor &)
{
#ifdef __CUDA_ARCH__
    uint32_t high, all;
    asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, 0;"
        : "=r"(high)
        : "r"(__float2int_rn(sums[3])), "r"(__float2int_rn(sums[2])));
    asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;"
        : "=r"(all)
        : "r"(__float2int_rn(sums[1])), "r"(__float2int_rn(sums[0])), "r"(high));
    return all;
#else
    uint32_t all = 0;
    for (int c = 0; c < COLUMNS; c++)
        all |= static_cast<uint32_t>(u8_pixel::stored(sums[c])) << 8 * c;
    return all;
#endif
}

/* The same of sums of integers, which floats hold exactly. */
__device__ inline uint32_t rounded_bytes(const float (&sums)[COLUMNS], const divisor &by)
{
    uint32_t all = 0;
    PRIM_UNROLL(COLUMNS)
    for (int c = 0; c < COLUMNS; c++)
        all |= static_cast<uint32_t>(by.as_byte(static_cast<int32_t>(sums[c]))) << 8 * c;
    return all;
}

/* A warp's outputs, a word a lane. */
template <class Pixel>
struct drain {
    const strips<Pixel> &p;
    const int lane, rows, left; /* left: elements that a row has, SPAN at most */
    int64_t next;               /* bytes from `out` to the next row */

    __device__ void store_bytes(uint8_t *to, uint32_t word, int first, int end) const
    {
        for (int b = first; b < end; b++)
            to[b] = static_cast<uint8_t>(word >> 8 * b);
    }

    /* Row `row`: those before the first and behind the last are nobody's. */
    __device__ void store(int row, const float (&sums)[COLUMNS])
    {
        if (row < 0 || row >= rows)
            return;
        const uint32_t word = rounded_bytes(sums, p.ending);
        uint8_t *const begin = p.bytes_behind(p.out, next), *const to = begin + COLUMNS * lane;
        const int past = static_cast<int>(reinterpret_cast<uintptr_t>(begin) % 4);
        if (left < SPAN) {
            const int mine = left - COLUMNS * lane;
            store_bytes(to, word, 0, mine < COLUMNS ? mine : COLUMNS);
        } else if (past == 0) {
            *reinterpret_cast<uint32_t *>(to) = word;
        } else { /* words of the output, each of two lanes */
            const uint32_t beside = __shfl_down_sync(ALL_LANES, word, 1);
            const int own = COLUMNS - past;
            if (lane + 1 < LANES)
                *reinterpret_cast<uint32_t *>(to + own) = bits_from(word, beside, 8u * own);
            else
                store_bytes(to, word, own, COLUMNS);
            if (lane == 0)
                store_bytes(to, word, 0, own);
        }
        next += static_cast<int64_t>(p.out_step);
    }
};

template <int SIDE, int CHANNELS>
constexpr unsigned BLOCKS = SIDE <= 3   ? 7
                            : SIDE <= 5 ? 5
                                        : 4;

template <class Pixel, int SIDE, int CHANNELS>
__global__ void __launch_bounds__(LANES *WARPS, walk::blocks_here(BLOCKS<SIDE, CHANNELS>))
    convolve(const __grid_constant__ strips<Pixel> p, const __grid_constant__ weights<SIDE> w)
{
    using Kind = kind<SIDE, CHANNELS>;
    PRIM_SHARED(vector<float>, rooms, [WARPS][GROUP][Kind::ROW / 4]);
    const int lane = static_cast<int>(threadIdx.x) % LANES;
    const unsigned warp = __shfl_sync(ALL_LANES, threadIdx.x / LANES, 0); /* as in walk.cuh */
    const unsigned strip = blockIdx.x * WARPS + warp;
    float *const room = rooms[warp][0][0].words;
    const int64_t x = static_cast<int64_t>(strip % p.across) * SPAN;
    const int64_t y = static_cast<int64_t>(strip / p.across) * p.high;
    if (y >= p.rows)
        return;
    const int outputs = p.rows - y < p.high ? static_cast<int>(p.rows - y) : p.high;
    const int rows = outputs + SIDE - 1;
    const strip_rows<Pixel> from(p, x, y, SPAN, Kind::NEEDED);
    feed<Pixel, SIDE, CHANNELS> input(p, from, lane);
    drain<Pixel> output = {p, lane, outputs,
                           p.line - x < SPAN ? static_cast<int>(p.line - x) : SPAN,
                           y * static_cast<int64_t>(p.out_step) + x};
    float sums[SIDE][COLUMNS] = {};
    input.begin();
    PRIM_UNROLL(1)
    for (int row = 0; row < rows; row += GROUP) {
        __syncwarp(); /* the rows before have been read */
        input.settle(room, rows);
        __syncwarp();
        input.begin();
        PRIM_UNROLL(GROUP / STEP)
        for (int half = 0; half < GROUP; half += STEP) {
            float windows[STEP][Kind::WINDOW];
            PRIM_UNROLL(STEP)
            for (int r = 0; r < STEP; r++)
                PRIM_UNROLL(Kind::WINDOW / 4)
            for (int v = 0; v < Kind::WINDOW; v += 4) {
                const vector<float> four =
                    load_vector(room + (half + r) * Kind::ROW + COLUMNS * lane + v);
                PRIM_UNROLL(4)
                for (int e = 0; e < 4; e++)
                    windows[r][v + e] = four.words[e];
            }
            walk::add_rows<CHANNELS, SIDE, SIDE, walk::WHOLE>(sums, windows, w,
                                                              row + half - (SIDE - 1), output);
        }
    }
}

template <class Pixel, int SIDE, int CHANNELS>
cudaError_t launch(const prim_convolution_args *args, const weights<SIDE> &w)
{
    strips<Pixel> p = make_strips<Pixel>(args, SPAN);
    if (p.rows == 0 || p.line == 0)
        return cudaSuccess;
    p.high = rows_of_strips(p.rows, p.across, SIDE, GROUP, BLOCKS<SIDE, CHANNELS> * WARPS);
    const size_t all = prim_divide_up(static_cast<size_t>(p.rows), p.high) * p.across;
    return prim_launch(
        {args->call.stream, static_cast<unsigned>(prim_divide_up(all, WARPS)), LANES * WARPS},
        convolve<Pixel, SIDE, CHANNELS>, p, w);
}

} // namespace bytes
} // namespace

#endif
