/* REGISTER under squares whose sides are known at compile time, for all types and 1 to 4 channels:
 * the sliding window of walk.cuh, with columns of a thread that lie a warp apart.
 *
 *     row y of the input      ▒▒▒▒▒▒▒▒▒▒▒▒ … ▒▒▒▒▒▒▒▒▒▒▒▒ …     copied into shared memory as it is
 *                             ╲│╱            ╲│╱
 *     lane 0's outputs         □              □                 their sums grow together: a row of
 *       row y      over        row 0          row 0             the input adds its products to as
 *       row y - 1  mask        row 1          row 1             many rows of outputs as the mask
 *       row y - 2  row         row 2          row 2   done      has rows
 *
 * So lanes read and write side by side, however rows are aligned and however many channels lie
 * between two taps, which is known at the call alone. The price is an element read for each column
 * and tap; walk.cuh reads them 4 at a time, and for several taps.
 *
 * A tap is taken for all rows of the mask before the next one: that needs one element of each
 * column in registers, and leaves an output's products in their order.
 *
 * Elements of up to 4 bytes come 16 bytes at a time, and so at the distance past 16 bytes that they
 * have in memory; f64 one by one, which is faster. Those beside the image, and those that lie in no
 * whole vector of a line, are loaded one by one into registers and stored a row later, so that no
 * row waits for them. */
#ifndef PRIM_CONVOLUTION_SLIDING_CUH
#define PRIM_CONVOLUTION_SLIDING_CUH

#include "common/block/vectors.cuh"
#include "common/block/warp.cuh"
#include "common/kernel/async_copy.cuh"
#include "common/kernel/launch.cuh"
#include "common/kernel/shared.cuh"
#include "convolution/strips.cuh"

namespace
{
namespace sliding
{

constexpr int LANES = static_cast<int>(WARP), WARPS = 4;

template <typename Pixel, int MASK_SIDE>
struct kind {
    using pixel = Pixel;
    using source = typename Pixel::source;
    using sum = typename Pixel::sum;
    static constexpr int SIDE = MASK_SIDE;
    static constexpr int COLUMNS = sizeof(sum) > 4 ? 4 : 8; /* of a thread */
    static constexpr int SPAN = LANES * COLUMNS;            /* outputs of a warp in a row */
    static constexpr int HALO = (SIDE - 1) * PRIM_CONVOLUTION_MOST_CHANNELS; /* elements, at most */
    /* Elements that are copied together. */
    static constexpr int EACH = sizeof(source) < 8 ? static_cast<int>(VECTOR_ELEMENTS<source>) : 1;
    static constexpr int UNITS = (EACH - 1 + SPAN + HALO + EACH - 1) / EACH; /* of a row */
    static constexpr int PARTS = (UNITS + LANES - 1) / LANES; /* a lane has one of each */
    static constexpr int RING = 4;                            /* rows: one is read, others copied */
    /* Elements at each of a strip's sides that may be no part of a unit, for each lane. */
    static constexpr int BESIDE = (HALO + EACH - 1 + LANES - 1) / LANES;
    static constexpr int MOST_ROWS = SIDE == 3 ? 44 : 1 << 20; /* of a strip, as in bytes.cuh */
    static constexpr int BLOCKS = SIDE == 3 ? 6 : SIDE == 5 ? 5 : 4; /* what registers allow */
};

template <class Kind>
struct weights {
    typename Kind::sum values[Kind::SIDE * Kind::SIDE];
};

/* A warp's rows in shared memory, and the columns of elements beside units; negative: a fill. */
template <class Kind>
struct ring_of_rows {
    static constexpr size_t BYTES = Kind::UNITS * Kind::EACH * sizeof(typename Kind::source);
    vector<uint8_t> rows[Kind::RING][(BYTES + VECTOR_BYTES - 1) / VECTOR_BYTES];
    int columns[2 * Kind::BESIDE][LANES];
};

/* The rows that a warp reads, one after the other. Places count elements, from the first one of a
 * row that is needed. */
template <class Kind>
struct feed {
    using source = typename Kind::source;
    using image = strips<typename Kind::pixel>;
    static constexpr int EACH = Kind::EACH, BESIDE = Kind::BESIDE;

    const image &p;
    ring_of_rows<Kind> &ring;
    const int lane, end; /* end: of the rows */
    const int first_e, needed;
    const int64_t first_row;
    const int top, bottom;        /* rows top … bottom - 1 lie inside */
    const int line_from, line_to; /* places of the line, as far as units may reach */
    const bool is_side;
    int64_t ahead;           /* bytes from `in` to what is needed of row `next` */
    source held[2 * BESIDE]; /* elements beside units, and a bit for each that there is */
    unsigned holds;
    int known_past; /* of the last row that lies inside, and its elements beside units */
    unsigned known_beside;
    int next;

    __device__ feed(const image &of, ring_of_rows<Kind> &own, int x, int64_t y, int row_count,
                    int at_lane)
        : p(of), ring(own), lane(at_lane), end(row_count), first_e(x - p.before_x),
          needed(Kind::SPAN + (Kind::SIDE - 1) * p.channels), first_row(y - p.before_y),
          top(first_row < 0 ? static_cast<int>(-first_row) : 0),
          bottom(p.height - first_row < end ? static_cast<int>(p.height - first_row) : end),
          line_from(first_e < EACH ? -first_e : -EACH),
          line_to(p.line - first_e < needed + EACH ? static_cast<int>(p.line) - first_e
                                                   : needed + EACH),
          is_side(line_from > -EACH || line_to < needed + EACH),
          ahead(first_row * static_cast<int64_t>(p.in_step) +
                first_e * static_cast<int64_t>(sizeof(source))),
          held{}, holds(0), known_past(-1), known_beside(0), next(0)
    {
        PRIM_UNROLL(1)
        for (int h = 0; is_side && h < 2 * BESIDE; h++) {
            int channel;
            const int64_t column = p.column_for(first_e + place_beside(h), &channel);
            ring.columns[h][lane] = static_cast<int>(column == FILL ? -1 - channel : column);
        }
    }

    /* The place of the lane's element h beside units: first those at the line's beginning. */
    __device__ int place_beside(int h) const
    {
        const int last = static_cast<int>(p.line) - first_e - (EACH - 1);
        return h < BESIDE ? h * LANES + lane : last + (h - BESIDE) * LANES + lane;
    }

    /* How many elements row `row` lies past 16 bytes, in memory and in the ring; also for rows
     * outside of the image, where it would lie. */
    __device__ int past_vector(int row) const
    {
        const unsigned first = static_cast<unsigned>(reinterpret_cast<uintptr_t>(p.in)) +
                               static_cast<unsigned>(first_row) * static_cast<unsigned>(p.in_step) +
                               static_cast<unsigned>(first_e) * sizeof(source);
        const unsigned at = first + static_cast<unsigned>(row) * static_cast<unsigned>(p.in_step);
        return EACH == 1 ? 0 : static_cast<int>(at % VECTOR_BYTES / sizeof(source));
    }

    __device__ source *row_in_ring(int row) const
    {
        return reinterpret_cast<source *>(ring.rows[static_cast<unsigned>(row) % Kind::RING]) +
               past_vector(row);
    }

    __device__ bool is_in_line(int begin, int count) const
    {
        return begin >= line_from && begin + count <= line_to;
    }

    /* Whole units; `from` is as far past 16 bytes as `to` is. */
    template <bool IS_SIDE>
    __device__ void copy_units(source *to, const source *from, int past) const
    {
        using unit = packed<source, static_cast<unsigned>(EACH)>;
        PRIM_UNROLL(Kind::PARTS)
        for (int part = 0; part < Kind::PARTS; part++) {
            const int k = EACH * (part * LANES + lane) - past;
            if (((part + 1) * LANES * EACH <= Kind::SPAN || k < needed) &&
                (!IS_SIDE || is_in_line(k, EACH)))
                copy_async(reinterpret_cast<unit *>(to + k),
                           reinterpret_cast<const unit *>(from + k));
        }
    }

    __device__ void copy_elements(source *to, const source *from) const
    {
        PRIM_UNROLL(1)
        for (int k = lane; k < needed; k += LANES)
            if (is_in_line(k, 1))
                copy_async(to + k, from + k);
    }

    __device__ void fill(source *to) const
    {
        PRIM_UNROLL(1)
        for (int k = lane; k < needed; k += LANES)
            to[k] = p.fill[p.channels == 1 ? 0 : repeat(first_e + k, p.channels)];
    }

    /* Which elements beside units a line has that lies `past` elements past 16 bytes. */
    __device__ unsigned choose_beside(int past, bool has_units) const
    {
        unsigned bits = 0;
        PRIM_UNROLL(2 * BESIDE)
        for (int h = 0; h < 2 * BESIDE; h++) {
            const int k = place_beside(h), unit = (k + past) / EACH * EACH - past;
            const bool is_needed = h < BESIDE ? first_e + k < EACH - 1 : k >= 0 && k < needed;
            if (is_needed && !(has_units ? is_in_line(unit, EACH) : is_in_line(k, 1)))
                bits |= 1u << h;
        }
        return bits;
    }

    /* Loads them. */
    __device__ void hold(const source *line, unsigned wanted)
    {
        holds = wanted;
        PRIM_UNROLL(2 * BESIDE)
        for (int h = 0; h < 2 * BESIDE; h++) {
            if ((wanted >> h & 1) == 0)
                continue;
            const int column = ring.columns[h][lane];
            held[h] = column < 0 ? p.fill[-1 - column] : line[column];
        }
    }

    __device__ void put_held()
    {
        source *const to = row_in_ring(next - 1);
        PRIM_UNROLL(2 * BESIDE)
        for (int h = 0; h < 2 * BESIDE; h++)
            if ((holds >> h & 1) != 0)
                to[place_beside(h)] = held[h];
        holds = 0;
    }

    /* A row of a strip at the image's side. Most images have all rows alike past 16 bytes. */
    __device__ void bring_side(source *to, const source *from, int past)
    {
        if (past != known_past) {
            known_past = past;
            known_beside = choose_beside(past, true);
        }
        copy_units<true>(to, from, past);
        hold(from - first_e, known_beside);
    }

    /* A row above or below the image: another one stands in for it. */
    __device__ void bring_outside(source *to, int past)
    {
        const int64_t y = p.row_for(first_row + next);
        if (y == FILL) {
            fill(to);
            return;
        }
        const source *const line = p.row_at(p.in, p.in_step, y), *const from = line + first_e;
        const bool has_units = EACH == 1 || past * sizeof(source) == bytes_past_vector(from);
        if (has_units)
            copy_units<true>(to, from, past);
        else
            copy_elements(to, from);
        hold(line, is_side ? choose_beside(past, has_units) : 0);
    }

    /* Starts the copy of the next row; what a lane holds of it is stored by the next call. */
    __device__ void bring()
    {
        if (is_side)
            put_held();
        source *const to = row_in_ring(next);
        const source *const from = p.bytes_behind(p.in, ahead);
        const int past = past_vector(next);
        if (next >= top && next < bottom) {
            if (is_side)
                bring_side(to, from, past);
            else
                copy_units<false>(to, from, past);
        } else if (next < end) {
            bring_outside(to, past);
        }
        ahead += static_cast<int64_t>(p.in_step);
        next++;
        close_batch_of_copies();
    }
};

/* sums[j]: of the outputs whose window has had j + 1 rows. A row is added to all of them, which
 * moves them by one place, and completes the last. */
template <class Kind>
__device__ void add_row(typename Kind::sum (&sums)[Kind::SIDE][Kind::COLUMNS],
                        const typename Kind::source *elements, int channels, const weights<Kind> &w)
{
    using sum = typename Kind::sum;
    constexpr int SIDE = Kind::SIDE, COLUMNS = Kind::COLUMNS;
    PRIM_UNROLL(SIDE)
    for (int i = 0; i < SIDE; i++, elements += channels) {
        sum x[COLUMNS];
        PRIM_UNROLL(COLUMNS)
        for (int c = 0; c < COLUMNS; c++)
            x[c] = Kind::pixel::loaded(elements[c * LANES]);
        PRIM_UNROLL(SIDE)
        for (int j = SIDE - 1; j >= 0; j--) {
            PRIM_UNROLL(COLUMNS)
            for (int c = 0; c < COLUMNS; c++) {
                const sum so_far = i > 0 ? sums[j][c] : j > 0 ? sums[j > 0 ? j - 1 : 0][c] : sum(0);
                sums[j][c] = add_product(so_far, w.values[j * SIDE + i], x[c]);
            }
        }
    }
}

/* Stores a row of outputs, of which the line has `left`. */
template <class Kind>
__device__ void store_row(const strips<typename Kind::pixel> &p,
                          const typename Kind::sum (&sums)[Kind::COLUMNS],
                          typename Kind::pixel::element *to, int left, int lane)
{
    const bool is_whole = left >= Kind::SPAN;
    PRIM_UNROLL(Kind::COLUMNS)
    for (int c = 0; c < Kind::COLUMNS; c++)
        if (is_whole || c * LANES + lane < left)
            to[c * LANES + lane] = Kind::pixel::stored(sums[c], p.ending);
}

template <class Kind>
__global__ void __launch_bounds__(LANES *WARPS, blocks_here(Kind::BLOCKS))
    convolve(const __grid_constant__ strips<typename Kind::pixel> p,
             const __grid_constant__ weights<Kind> w)
{
    constexpr int SIDE = Kind::SIDE, RING = Kind::RING;
    PRIM_SHARED(ring_of_rows<Kind>, rings, [WARPS]);
    const int lane = static_cast<int>(threadIdx.x) % LANES;
    const unsigned warp = __shfl_sync(ALL_LANES, threadIdx.x / LANES, 0); /* as in walk.cuh */
    const unsigned strip = blockIdx.x * WARPS + warp;
    const int x = static_cast<int>(strip % p.across) * Kind::SPAN;
    const int64_t y = static_cast<int64_t>(strip / p.across) * p.high, rest = p.rows - y;
    const int outputs = rest < 0 ? 0 : rest < p.high ? static_cast<int>(rest) : p.high;
    const int rows = outputs > 0 ? outputs + SIDE - 1 : 0, left = static_cast<int>(p.line) - x;
    int64_t out_at = (y - (SIDE - 1)) * static_cast<int64_t>(p.out_step) +
                     x * static_cast<int64_t>(sizeof(typename Kind::pixel::element));
    feed<Kind> input(p, rings[warp], x, y, rows, lane);
    typename Kind::sum sums[SIDE][Kind::COLUMNS] = {};
    PRIM_UNROLL(1)
    for (int row = 0; row < RING - 1; row++)
        input.bring();
    PRIM_UNROLL(1)
    for (int row = 0; row < p.high + SIDE - 1; row++) {
        wait_for_copies_but<RING - 2>();
        /* The row has been copied, and the one before has been read. A block's warps go on in step,
         * so that they load neighbouring memory at one time. */
        __syncthreads();
        if (row >= rows)
            continue;
        input.bring();
        add_row<Kind>(sums, input.row_in_ring(row) + lane, p.channels, w);
        if (row >= SIDE - 1)
            store_row<Kind>(p, sums[SIDE - 1], p.bytes_behind(p.out, out_at), left, lane);
        out_at += static_cast<int64_t>(p.out_step);
    }
    wait_for_copies();
}

/* ---- launches ---- */

template <class Kind>
cudaError_t launch(const prim_convolution_args *args)
{
    using sum = typename Kind::sum;
    constexpr int COUNT = Kind::SIDE * Kind::SIDE;
    weights<Kind> w;
    const weight_list<sum> list = list_of<sum>(args, args->mask.h_values, COUNT);
    for (int k = 0; k < COUNT; k++)
        w.values[k] = list[k];
    strips<typename Kind::pixel> p = make_strips<typename Kind::pixel>(args, Kind::SPAN);
    p.high = rows_of_strips(p.rows, p.across, Kind::SIDE, 1, Kind::BLOCKS * WARPS, Kind::MOST_ROWS);
    const size_t all = prim_divide_up(static_cast<size_t>(p.rows), p.high) * p.across;
    return prim_launch(
        {args->call.stream, static_cast<unsigned>(prim_divide_up(all, WARPS)), LANES * WARPS},
        convolve<Kind>, p, w);
}

} // namespace sliding
} // namespace

#endif
