/* REGISTER over bytes under square masks whose sides are known at compile time: as walk.cuh, but a
 * thread has 16 columns, and rows stay bytes until they are multiplied.
 *
 *     row of the image    │ b b b b │ b b b b … b b b b │ b b b b │    words of 4 bytes
 *     lane 0               ▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔     16 bytes, and on both sides
 *     lane 1                    16 bytes further on                    the words that windows reach
 *
 * If they were floats in shared memory, there would be four times as much to read. Now a lane
 * extracts a byte from its word, and the byte b's bits are the subnormal float b · 2^-149
 * (rounded.cuh). Weights are scaled by 2^100 to compensate, so sums by 2^-49. These are powers of
 * two, so each product and each sum is rounded as it would be without. At the end one
 * multiplication, by 2^-100, makes a sum subnormal, which rounds it.
 *
 * Taps lie CHANNELS elements apart, which is known at compile time too.
 *
 * Masks of integers are here where all sums are exact as floats, whose multiply-adds are faster
 * than those of integers. Where floats also hold the divided weights, nothing else is needed;
 * otherwise sums are divided at the end. */
#ifndef PRIM_CONVOLUTION_BYTES_CUH
#define PRIM_CONVOLUTION_BYTES_CUH

#include <cmath>

#include "common/kernel/launch.cuh"
#include "common/kernel/shared.cuh"
#include "convolution/rows.cuh"
#include "convolution/strips.cuh"

namespace
{
namespace bytes
{

using rows::CHUNK;
using rows::image_of_bytes;
using rows::LANES;

constexpr int WARPS = 4, MOST_ROWS = 60; /* of a strip: those of a wave lie closer together so */

/* Weights are 2^100 times what they are, for bytes that are 2^-149 times what they are. A weight
 * that is not 0 has at least 2^-50 and less than 2^27: then no product or sum is too small or too
 * large for its bits. */
constexpr int WEIGHTS_UP = 100, LEAST_WEIGHT = -50, MOST_WEIGHT = 27;

/* GROUP rows are copied at once, BATCHES of these are being copied or summed, and loops are
 * unrolled for AT_ONCE rows: the fastest choice under 3 × 3 and 5 × 5. Sums of 7 rows of 16 columns
 * would not fit a lane's registers. */
template <int MASK_SIDE, int CHANNEL_COUNT>
struct kind {
    static constexpr int SIDE = MASK_SIDE, CHANNELS = CHANNEL_COUNT;
    static constexpr int COLUMNS = 16, SPAN = LANES * COLUMNS;
    static constexpr int BLOCKS = SIDE == 3 ? 5 : 4; /* at once */
    static constexpr int GROUP = 2;
    static constexpr int BATCHES = SIDE == 3 ? 4 : 3;
    static constexpr int AT_ONCE = SIDE == 5 ? 2 : 1;
    static constexpr int BEFORE = SIDE / 2 * CHANNELS;     /* bytes on both sides of the outputs */
    static constexpr int AROUND = (BEFORE + 3) / 4;        /* words that they lie in */
    static constexpr int LEAD = 4 * AROUND - BEFORE;       /* bytes of a lane's words before them */
    static constexpr int WORDS = COLUMNS / 4 + 2 * AROUND; /* of a lane */
    static constexpr int FIRST = CHUNK - 4 * AROUND;       /* where lane 0's words begin in a row */
    static constexpr int ROW = SPAN + 2 * CHUNK;           /* bytes of a row that are brought */
    static constexpr int RING_ROW = ROW + CHUNK; /* and a chunk, where they begin inside of one */
};

template <class Kind>
struct weights {
    float values[Kind::SIDE * Kind::SIDE];
};

/* The sum times factor is the resulting byte in units of 2^-149; for integers that are divided,
 * times factor and unit. */
struct ending {
    float factor, unit;
};

struct strips_of_bytes {
    image_of_bytes in;
    uint8_t *out;
    size_t out_pitch;
    int before_x, before_y; /* bytes and rows of a window before its output */
    int first_column;       /* where the first strip begins: 0 or less */
    int high;               /* rows of a strip */
    unsigned across;        /* strips side by side */
    bool stores_vectors;
    ending end;
};

/* A warp's part of shared memory: rows, how far past a chunk each begins, and outputs to be stored,
 * with a word before them. */
template <class Kind>
struct room {
    static constexpr int CHUNKS = Kind::RING_ROW / CHUNK;
    vector<uint8_t> ring[Kind::BATCHES][Kind::GROUP][CHUNKS];
    vector<uint8_t> exchange[1 + Kind::SPAN / CHUNK];
    int past[Kind::BATCHES][Kind::GROUP];
};

/* The rows that a warp reads, GROUP at a time. */
template <class Kind>
struct feed {
    static constexpr int ACROSS = Kind::SPAN / CHUNK,
                         DOWN = LANES / ACROSS; /* of a warp's copies */

    const image_of_bytes &in;
    const int lane, x; /* x: the first byte of what it reads */
    const bool is_inside;
    const int64_t y; /* the first row */
    int next;

    __device__ feed(const strips_of_bytes &p, int strip_x, int64_t strip_y, int at_lane)
        : in(p.in), lane(at_lane), x(strip_x - p.before_x - Kind::LEAD - Kind::FIRST),
          is_inside(p.in.is_aligned ? x >= 0 && x + Kind::ROW <= p.in.line
                                    : x >= CHUNK && x + Kind::ROW + CHUNK <= p.in.line),
          y(strip_y - p.before_y), next(0)
    {
    }

    __device__ const uint8_t *begin(int row) const
    {
        return in.row(y + next + row) + x;
    }
    __device__ static int past_chunk(const uint8_t *from)
    {
        return static_cast<int>(reinterpret_cast<uintptr_t>(from) % CHUNK);
    }

    __device__ void copy(vector<uint8_t> *to, int row, int chunk) const
    {
        const uint8_t *from = begin(row);
        from += CHUNK * chunk - (in.is_aligned ? 0 : past_chunk(from));
        copy_async(to + row * room<Kind>::CHUNKS + chunk,
                   reinterpret_cast<const vector<uint8_t> *>(from));
    }

    /* Rows inside of the image: ACROSS chunks of each, and MORE chunks. */
    template <int MORE>
    __device__ void copy_rows(vector<uint8_t> *to) const
    {
        PRIM_UNROLL(Kind::GROUP / DOWN)
        for (int row = 0; row < Kind::GROUP; row += DOWN)
            copy(to, row + lane / ACROSS, lane % ACROSS);
        if (lane < MORE * Kind::GROUP)
            copy(to, lane / MORE, ACROSS + lane % MORE);
    }

    /* Starts the copies of the next rows into batch `batch`; rows from `end` on are not needed. */
    __device__ void bring(room<Kind> &own, int batch, int end)
    {
        constexpr int MORE = Kind::ROW / CHUNK - ACROSS;
        vector<uint8_t> *const to = own.ring[batch][0];
        if (is_inside && y + next >= 0 && y + next + Kind::GROUP <= in.height) {
            if (in.is_aligned) {
                copy_rows<MORE>(to);
            } else {
                copy_rows<MORE + 1>(to);
                if (lane < Kind::GROUP)
                    own.past[batch][lane] = past_chunk(begin(lane));
            }
        } else {
            PRIM_UNROLL(1)
            for (int row = 0; row < Kind::GROUP; row++) {
                uint8_t *const at = reinterpret_cast<uint8_t *>(to + row * room<Kind>::CHUNKS);
                const int past =
                    next + row < end ? rows::bring(in, at, y + next + row, x, Kind::ROW, lane) : 0;
                if (!in.is_aligned && lane == 0)
                    own.past[batch][row] = past;
            }
        }
        next += Kind::GROUP;
    }
};

/* COUNT words from a place 4 · COUNT bytes before or after a multiple of 16. */
template <int COUNT>
__device__ void read_words(const uint8_t *from, uint32_t *to)
{
    constexpr int AT_ONCE = COUNT % 4 == 0 ? 4 : COUNT % 2 == 0 ? 2 : 1;
    PRIM_UNROLL(COUNT / AT_ONCE)
    for (int i = 0; i < COUNT; i += AT_ONCE) {
        const packed<uint32_t, AT_ONCE> some =
            *reinterpret_cast<const packed<uint32_t, AT_ONCE> *>(from + 4 * i);
        PRIM_UNROLL(AT_ONCE)
        for (int k = 0; k < AT_ONCE; k++)
            to[i + k] = some.words[k];
    }
}

/* A lane's words of a row. */
template <class Kind>
__device__ void read_window(const uint8_t *row, int lane, uint32_t (&words)[Kind::WORDS])
{
    constexpr int AROUND = Kind::AROUND, OWN = Kind::COLUMNS / 4;
    const uint8_t *const from = row + Kind::COLUMNS * lane;
    read_words<AROUND>(from + Kind::FIRST, words);
    read_words<OWN>(from + CHUNK, words + AROUND);
    read_words<AROUND>(from + CHUNK + Kind::COLUMNS, words + AROUND + OWN);
}

/* The same of a row that begins `past` bytes further on. All lanes shift alike: by whole words
 * first, and then by bytes. */
template <class Kind>
__device__ void read_shifted(const uint8_t *row, int past, int lane, uint32_t (&words)[Kind::WORDS])
{
    constexpr int EACH = Kind::COLUMNS, IN_EACH = EACH / 4, WORDS = Kind::WORDS;
    constexpr int ALL = (EACH - 1 + 4 * WORDS + EACH - 1) / EACH * IN_EACH;
    const int begin = Kind::FIRST + past, shift = begin % EACH;
    uint32_t raw[ALL + 1];
    PRIM_UNROLL(ALL / IN_EACH)
    for (int i = 0; i < ALL; i += IN_EACH) {
        const packed<uint32_t, IN_EACH> some = *reinterpret_cast<const packed<uint32_t, IN_EACH> *>(
            row + EACH * lane + (begin - shift) + 4 * i);
        PRIM_UNROLL(IN_EACH)
        for (int k = 0; k < IN_EACH; k++)
            raw[i + k] = some.words[k];
    }
    raw[ALL] = 0;
    if constexpr (EACH > 8) {
        PRIM_UNROLL(WORDS + 2)
        for (int i = 0; i < WORDS + 2; i++)
            raw[i] = (shift & 8) != 0 ? raw[i + 2 < ALL ? i + 2 : ALL] : raw[i];
    }
    PRIM_UNROLL(WORDS + 1)
    for (int i = 0; i < WORDS + 1; i++)
        raw[i] = (shift & 4) != 0 ? raw[i + 1] : raw[i];
    PRIM_UNROLL(WORDS)
    for (int i = 0; i < WORDS; i++)
        words[i] = bits_from(raw[i], raw[i + 1], 8u * (static_cast<unsigned>(shift) % 4));
}

/* Byte e of a word as a subnormal float. */
__device__ inline float tiny_byte(uint32_t word, int e)
{
    return tiny_float(chosen_bytes(word, 0, 0x4440u + static_cast<unsigned>(e)));
}

/* Sums as bytes of words. */
template <bool IS_DIVIDED, int COUNT>
__device__ void round_sums(const ending &end, const float (&sums)[COUNT],
                           uint32_t (&words)[COUNT / 4])
{
    float steps[COUNT];
    PRIM_UNROLL(COUNT)
    for (int c = 0; c < COUNT; c++)
        steps[c] = IS_DIVIDED ? tiny_product(tiny_multiply_add(sums[c], end.factor, 0.0f), end.unit)
                              : tiny_product(sums[c], end.factor);
    PRIM_UNROLL(COUNT / 4)
    for (int i = 0; i < COUNT / 4; i++)
        words[i] =
            bytes_of_steps(steps[4 * i], steps[4 * i + 1], steps[4 * i + 2], steps[4 * i + 3]);
}

/* A warp's outputs. */
template <class Kind>
struct drain {
    static constexpr int COUNT = Kind::COLUMNS / 4;

    const strips_of_bytes &p;
    uint8_t *const exchange;
    const int lane, rows;
    const int begin, end; /* the columns of the strip that lie inside */
    const bool is_whole;
    int64_t next; /* bytes from `out` to the strip's in the next row */

    __device__ drain(const strips_of_bytes &strips, room<Kind> &own, int x, int64_t y, int at_lane,
                     int row_count)
        : p(strips), exchange(reinterpret_cast<uint8_t *>(own.exchange + 1)), lane(at_lane),
          rows(row_count), begin(x < 0 ? -x : 0),
          end(p.in.line - x < Kind::SPAN ? p.in.line - x : Kind::SPAN),
          is_whole(p.stores_vectors && begin == 0 && end == Kind::SPAN),
          next(y * static_cast<int64_t>(p.out_pitch) + x)
    {
    }

    /* Stores row `row`; rows before the first and after the last are not stored. */
    __device__ void store(int row, const uint32_t (&words)[COUNT])
    {
        if (row < 0 || row >= rows)
            return;
        packed<uint32_t, COUNT> all;
        PRIM_UNROLL(COUNT)
        for (int i = 0; i < COUNT; i++)
            all.words[i] = words[i];
        uint8_t *const to = p.out + next;
        if (is_whole) {
            *reinterpret_cast<packed<uint32_t, COUNT> *>(to + Kind::COLUMNS * lane) = all;
        } else {
            *reinterpret_cast<packed<uint32_t, COUNT> *>(exchange + Kind::COLUMNS * lane) = all;
            __syncwarp();
            rows::write_words(to, exchange, begin, end, lane);
            __syncwarp(); /* before the next row comes */
        }
        next += static_cast<int64_t>(p.out_pitch);
    }
};

/* A lane's bytes of a row as subnormal floats. */
template <class Kind>
struct window {
    static constexpr int SIDE = Kind::SIDE, COUNT = Kind::COLUMNS + (SIDE - 1) * Kind::CHANNELS;
    float x[COUNT];

    __device__ window(const uint32_t (&words)[Kind::WORDS])
    {
        PRIM_UNROLL(COUNT)
        for (int k = 0; k < COUNT; k++)
            x[k] = tiny_byte(words[(Kind::LEAD + k) / 4], (Kind::LEAD + k) % 4);
    }

    /* Adds the products with row j of the mask for column c. */
    __device__ float add_products(float sum, const weights<Kind> &w, int j, int c) const
    {
        PRIM_UNROLL(SIDE)
        for (int i = 0; i < SIDE; i++)
            sum = add_product(sum, w.values[j * SIDE + i], x[c + i * Kind::CHANNELS]);
        return sum;
    }
};

/* Row `row` of a batch. */
template <bool IS_ALIGNED, class Kind>
__device__ window<Kind> read_row(const room<Kind> &own, int batch, int row, int lane)
{
    const uint8_t *const from = reinterpret_cast<const uint8_t *>(own.ring[batch][row]);
    uint32_t words[Kind::WORDS];
    if constexpr (IS_ALIGNED)
        read_window<Kind>(from, lane, words);
    else
        read_shifted<Kind>(from, own.past[batch][row], lane, words);
    return window<Kind>(words);
}

/* sums[j]: of the outputs whose window has had j + 1 rows. The new row is added to all of them, in
 * place, and completes one. */
template <class Kind>
__device__ void add_row(float (&sums)[Kind::SIDE][Kind::COLUMNS], const window<Kind> &x,
                        const weights<Kind> &w)
{
    PRIM_UNROLL(Kind::COLUMNS)
    for (int c = 0; c < Kind::COLUMNS; c++) {
        PRIM_UNROLL(Kind::SIDE)
        for (int j = Kind::SIDE - 1; j >= 0; j--)
            sums[j][c] = x.add_products(j > 0 ? sums[j > 0 ? j - 1 : 0][c] : 0.0f, w, j, c);
    }
}

/* The batches of rows that a warp reads, one after the other. */
template <class Kind>
struct batches {
    room<Kind> &own;
    feed<Kind> &input;
    const int end; /* of the rows */
    int now;

    __device__ batches(room<Kind> &room_of_warp, feed<Kind> &rows, int row_count)
        : own(room_of_warp), input(rows), end(row_count), now(-1)
    {
        PRIM_UNROLL(1)
        for (int b = 0; b < Kind::BATCHES - 1; b++) {
            input.bring(own, b, end);
            close_batch_of_copies();
        }
    }
    /* Waits for the next batch, and starts the copy of another one in place of the one before. */
    __device__ void advance()
    {
        wait_for_copies_but<Kind::BATCHES - 2>();
        __syncwarp(); /* the rows are there, and those before have been read */
        const int free = now >= 0 ? now : Kind::BATCHES - 1;
        now = now + 1 < Kind::BATCHES ? now + 1 : 0;
        input.bring(own, free, end);
        close_batch_of_copies();
    }
};

/* Walks down a strip. Aligned rows are read without a shift, in a loop of their own. */
template <class Kind, bool IS_DIVIDED, bool IS_ALIGNED>
__device__ void sum_rows(const strips_of_bytes &p, const weights<Kind> &w, batches<Kind> &input,
                         drain<Kind> &output)
{
    constexpr int SIDE = Kind::SIDE, GROUP = Kind::GROUP;
    float sums[SIDE][Kind::COLUMNS] = {};
    PRIM_UNROLL(1)
    for (int first = 0; first < input.end; first += GROUP) {
        input.advance();
        PRIM_UNROLL(Kind::AT_ONCE)
        for (int r = 0; r < GROUP; r++) {
            uint32_t rounded[Kind::COLUMNS / 4];
            add_row<Kind>(sums, read_row<IS_ALIGNED>(input.own, input.now, r, output.lane), w);
            round_sums<IS_DIVIDED>(p.end, sums[SIDE - 1], rounded);
            output.store(first + r - (SIDE - 1), rounded);
        }
    }
    wait_for_copies();
}

template <class Kind, bool IS_DIVIDED>
__global__ void __launch_bounds__(LANES *WARPS, blocks_here(Kind::BLOCKS))
    convolve(const __grid_constant__ strips_of_bytes p, const __grid_constant__ weights<Kind> w)
{
    PRIM_SHARED(room<Kind>, rooms, [WARPS]);
    const int lane = static_cast<int>(threadIdx.x) % LANES;
    const unsigned warp = __shfl_sync(ALL_LANES, threadIdx.x / LANES, 0); /* as in walk.cuh */
    const unsigned strip = blockIdx.x * WARPS + warp;
    const int x = static_cast<int>(strip % p.across) * Kind::SPAN + p.first_column;
    const int64_t y = static_cast<int64_t>(strip / p.across) * p.high, left = p.in.height - y;
    if (left <= 0)
        return;
    const int outputs = left < p.high ? static_cast<int>(left) : p.high;
    feed<Kind> rows(p, x, y, lane);
    drain<Kind> output(p, rooms[warp], x, y, lane, outputs);
    batches<Kind> input(rooms[warp], rows, outputs + Kind::SIDE - 1);
    if (p.in.is_aligned)
        sum_rows<Kind, IS_DIVIDED, true>(p, w, input, output);
    else
        sum_rows<Kind, IS_DIVIDED, false>(p, w, input, output);
}

/* ---- launches ---- */

/* The factor of the weights, which leaves them exact, and how their sums are finished. */
struct scale {
    float weights;
    ending end;
};

inline bool is_power_of_two(int64_t divisor)
{
    const uint64_t magnitude = static_cast<uint64_t>(divisor < 0 ? -divisor : divisor);
    return (magnitude & (magnitude - 1)) == 0;
}

/* Divided by a power of two, weights stay exact, and so do the sums. */
inline scale scale_of(const prim_convolution_args *args)
{
    const float up = std::ldexp(1.0f, WEIGHTS_UP), down = std::ldexp(1.0f, -WEIGHTS_UP);
    const int64_t by = prim_convolution_divisor(args); /* 1 of floats */
    if (is_power_of_two(by))
        return {up / static_cast<float>(by), {down, 1.0f}};
    const quotient q = make_quotient(by);
    return {up, {std::ldexp(q.factor, -WEIGHTS_UP), q.unit}};
}

inline void scale_weights(const prim_convolution_args *args, float factor, float *to)
{
    const size_t count = args->mask.width * args->mask.height;
    if (prim_convolution_has_integers(args)) {
        const weight_list<int32_t> list = integers_of(args);
        for (size_t k = 0; k < count; k++)
            to[k] = static_cast<float>(list[static_cast<int>(k)]) * factor;
        return;
    }
    const weight_list<float> list = list_of<float>(args, args->mask.h_values, count);
    for (size_t k = 0; k < count; k++)
        to[k] = list[static_cast<int>(k)] * factor;
}

template <class Kind>
strips_of_bytes make_byte_strips(const prim_convolution_args *args, const ending &end)
{
    const prim_image &in = args->in, &out = args->out;
    strips_of_bytes p = {};
    p.in = rows::make_image(args);
    p.out = static_cast<uint8_t *>(out.data);
    p.out_pitch = out.pitch;
    p.before_x = before_pixel(args, args->mask.width, args->mask.anchor_x) * in.channels;
    p.before_y = before_pixel(args, args->mask.height, args->mask.anchor_y);
    const bool out_is_aligned = out.pitch % CHUNK == 0 || out.height == 1;
    if (p.in.is_aligned)
        p.first_column = -rows::bytes_past_chunk(in, -p.before_x - Kind::LEAD - Kind::FIRST);
    else if (out_is_aligned)
        p.first_column = -rows::bytes_past_chunk(out, 0);
    const int span = Kind::SPAN;
    if ((p.in.line - p.first_column + span - 1) / span > (p.in.line + span - 1) / span) {
        p.first_column = 0; /* shifting costs less than another strip */
        p.in.is_aligned = false;
    }
    p.stores_vectors = out_is_aligned && rows::bytes_past_chunk(out, p.first_column) == 0;
    p.across = static_cast<unsigned>((p.in.line - p.first_column + Kind::SPAN - 1) / Kind::SPAN);
    p.high = rows_of_strips(p.in.height, p.across, Kind::SIDE, Kind::GROUP, Kind::BLOCKS * WARPS,
                            MOST_ROWS);
    p.end = end;
    return p;
}

template <class Kind, bool IS_DIVIDED>
cudaError_t launch(const prim_convolution_args *args, const weights<Kind> &w, const ending &end)
{
    const strips_of_bytes p = make_byte_strips<Kind>(args, end);
    const size_t all = prim_divide_up(static_cast<size_t>(p.in.height), p.high) * p.across;
    return prim_launch(
        {args->call.stream, static_cast<unsigned>(prim_divide_up(all, WARPS)), LANES * WARPS},
        convolve<Kind, IS_DIVIDED>, p, w);
}

} // namespace bytes
} // namespace

#endif
