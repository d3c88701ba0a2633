/* REGISTER under separable masks whose sides are known at compile time: a thread walks down its
 * columns with a sliding window.
 *
 *     row y of the input      ▒▒▒▒▒▒▒▒▒▒▒▒      copied into shared memory some rows ahead, as far
 *                              ╲  ╱╲  ╱         as the strip's windows reach
 *     a thread's 4 outputs    ┌─┬─┬─┬─┐
 *       row y     over mask   │ row 0 │         their sums grow together: each input row is read
 *       row y - 1  row        │ row 1 │         once, and adds its products to as many rows of
 *       row y - 2             │ row 2 │ done    outputs as the mask has rows
 *                             └─┴─┴─┴─┘
 *
 * So a row of 4 + w - 1 elements, read as vectors from shared memory, serves 4 · (w + h) products,
 * and no element of a column is read twice except at the ends of strips. The sums move one place
 * with each row; that costs nothing, since the first product of a row is added to the sum of one
 * place and written to the next. Weights are kernel arguments at places known at compile time,
 * which multiply-adds take as operands.
 *
 * Each warp has its own rows and its own ring buffer for them: no block-wide barrier. */
#ifndef PRIM_CONVOLUTION_WALK_CUH
#define PRIM_CONVOLUTION_WALK_CUH

#include "common/block/vectors.cuh"
#include "common/block/warp.cuh"
#include "common/kernel/async_copy.cuh"
#include "common/kernel/launch.cuh"
#include "common/kernel/shared.cuh"
#include "convolution/strips.cuh"

namespace
{
namespace walk
{

constexpr int LANES = static_cast<int>(WARP), WARPS = 4, COLUMNS = 4; /* of a thread */
constexpr int SPAN = LANES * COLUMNS; /* outputs of a warp in a row */

/* Rows that are taken at once, so that they share the overhead of waits, copies and the loop, and
 * their loads overlap. With large masks each row is enough work. */
constexpr int rows_at_once(int products)
{
    return products <= 30 ? 4 : products < 169 ? 2 : 1;
}

template <int SIDE>
struct kind {
    static constexpr int WIDTH = SIDE;
    static constexpr int COUNT = 2 * SIDE;               /* weights */
    static constexpr int STEP = rows_at_once(COUNT);     /* rows */
    static constexpr int RING = STEP > 1 ? 2 * STEP : 4; /* rows: some are read, others copied */
    static constexpr int NEEDED =
        SPAN + SIDE - 1; /* elements that a warp's outputs reach in a row */
    static constexpr int WINDOW = COLUMNS + SIDE - 1; /* elements of a thread's window in a row */
    /* BEFORE elements of padding in the ring make its 16-byte vectors those of memory, if the
     * anchor is in the middle and the image aligned. */
    static constexpr bool BY_VECTORS = SIDE >= 5; /* others cost more so */
    static constexpr int BEFORE = BY_VECTORS ? (4 - SIDE / 2 % 4) % 4 : 0;
    static constexpr int LEFT = (BEFORE + SIDE / 2) / 4; /* whole vectors before the outputs' */
    static constexpr int VECTORS = (BEFORE + WINDOW + 3) / 4; /* that a window lies in */
    static constexpr int ROW = SPAN - COLUMNS + 4 * VECTORS;  /* in the ring */
    static constexpr int BATCHES = RING / STEP;
    static constexpr int PARTS = (NEEDED + LANES - 1) / LANES; /* of a row, an element a lane */
};

template <class Kind>
struct weights {
    float values[Kind::COUNT];
};

/* A warp's place in shared memory. */
template <class Kind>
struct room {
    vector<float> ring[Kind::RING][Kind::ROW / 4];
    vector<float> exchange[SPAN / 4];
};

/* The rows that a warp reads, one after the other. */
template <class Kind>
struct feed {
    const strips &p;
    const strip_rows &from;
    int columns[Kind::PARTS]; /* where a row at the image's side has its elements, -1: the fill */
    const int lane;
    const bool is_side;    /* some columns are outside */
    int64_t ahead;         /* bytes from `in` to row `next`, or to where it would be */
    int next, top, bottom; /* rows top … bottom - 1 lie inside */

    __device__ feed(const strips &strips, const strip_rows &rows, int at_lane)
        : p(strips), from(rows), columns{}, lane(at_lane),
          is_side(from.first_e < Kind::BEFORE || from.first_e + Kind::ROW - Kind::BEFORE > p.line),
          ahead(from.first_row * static_cast<int64_t>(p.in_step) +
                from.first_e * static_cast<int64_t>(sizeof(float))),
          next(0), top(from.near_row(0)), bottom(from.near_row(p.rows))
    {
        if (!is_side)
            return;
        PRIM_UNROLL(Kind::PARTS)
        for (int part = 0; part < Kind::PARTS; part++) {
            const int64_t e = from.first_e + part * LANES + lane;
            const bool is_needed = e < p.line + Kind::WIDTH - 1;
            columns[part] =
                static_cast<int>(is_needed ? near_stand_in(p.boundary, e, p.line) : FILL);
        }
    }

    /* `to`: where the first element that is needed goes. The vectors of the outputs, which begin at
     * a cache line, are copied by one instruction, and those beside them by another. */
    __device__ void copy(float *to, const float *begin) const
    {
        if (Kind::BY_VECTORS && p.copies_vectors) {
            vector<float> *const vectors = reinterpret_cast<vector<float> *>(to - Kind::BEFORE);
            const vector<float> *const of =
                reinterpret_cast<const vector<float> *>(begin - Kind::BEFORE);
            copy_async_of_line(vectors + Kind::LEFT + lane, of + Kind::LEFT + lane);
            const int beside = lane < Kind::LEFT ? lane : LANES + lane;
            if (beside < Kind::ROW / 4)
                copy_async_of_line(vectors + beside, of + beside);
            return;
        }
        PRIM_UNROLL(Kind::PARTS)
        for (int k = 0; k < Kind::NEEDED; k += LANES)
            if (k + LANES <= Kind::NEEDED || k + lane < Kind::NEEDED)
                copy_async(to + k + lane, begin + k + lane);
    }

    __device__ void fill(float *to) const
    {
        for (int k = lane; k < Kind::NEEDED; k += LANES)
            to[k] = p.fill;
    }

    /* A row of which some columns lie outside. */
    __device__ void gather(float *to, const float *line) const
    {
        PRIM_UNROLL(Kind::PARTS)
        for (int part = 0; part < Kind::PARTS; part++) {
            const int k = part * LANES + lane;
            if (k >= Kind::NEEDED)
                break;
            if (columns[part] >= 0)
                copy_async(to + k, line + columns[part]);
            else
                to[k] = p.fill;
        }
    }

    /* Another row than the one that lies there: above or below the image. */
    __device__ const float *row_outside() const
    {
        const int64_t row = near_stand_in(p.boundary, from.first_row + next, p.rows);
        return row == FILL ? nullptr : p.row_at(p.in, p.in_step, row);
    }

    /* The next row, and its line's beginning, where it lies inside. */
    __device__ const float *row_ahead() const
    {
        return p.bytes_behind(p.in, ahead);
    }
    __device__ const float *line_ahead() const
    {
        return p.bytes_behind(p.in, ahead - from.first_e * static_cast<int64_t>(sizeof(float)));
    }

    /* The next row, which may lie above or below the image. */
    __device__ void bring_any(float *to) const
    {
        const bool is_inside = next >= top && next < bottom;
        const float *const line = is_inside ? line_ahead() : row_outside();
        if (line == nullptr)
            fill(to);
        else if (is_side)
            gather(to, line);
        else
            copy(to, line + from.first_e);
    }

    /* Starts the copies of the next rows into `to`, but none from `end` on. */
    __device__ void bring(float *to, int end)
    {
        const int last = next + Kind::STEP;
        to += Kind::BEFORE;
        if (next >= top && last <= bottom && last <= end) {
            PRIM_UNROLL(Kind::STEP)
            for (int r = 0; r < Kind::STEP; r++, ahead += static_cast<int64_t>(p.in_step)) {
                if (is_side)
                    gather(to + r * Kind::ROW, line_ahead());
                else
                    copy(to + r * Kind::ROW, row_ahead());
            }
            next = last;
            return;
        }
        PRIM_UNROLL(1)
        for (int r = 0; r < Kind::STEP && next < end;
             r++, next++, ahead += static_cast<int64_t>(p.in_step))
            bring_any(to + r * Kind::ROW);
        next = last;
    }
};

template <class Kind>
__device__ void read_windows(const float *from, float (&x)[Kind::STEP][Kind::WINDOW])
{
    PRIM_UNROLL(Kind::STEP)
    for (int r = 0; r < Kind::STEP; r++) {
        PRIM_UNROLL(Kind::VECTORS)
        for (int v = 0; v < Kind::VECTORS; v++) {
            const vector<float> four = load_vector(from + r * Kind::ROW + 4 * v);
            PRIM_UNROLL(4)
            for (int e = 0; e < 4; e++) {
                const int i = 4 * v + e - Kind::BEFORE;
                if (i >= 0 && i < Kind::WINDOW)
                    x[r][i] = four.words[e];
            }
        }
    }
}

/* Windows become the sums of rows first. */
template <int SIDE, int STEP, int WINDOW>
__device__ void sum_rows(const weights<kind<SIDE>> &w, float (&x)[STEP][WINDOW])
{
    PRIM_UNROLL(STEP)
    for (int r = 0; r < STEP; r++) {
        PRIM_UNROLL(COLUMNS)
        for (int c = 0; c < COLUMNS; c++) {
            float sum = 0;
            PRIM_UNROLL(SIDE)
            for (int i = 0; i < SIDE; i++)
                sum = add_product(sum, w.values[i], x[r][c + i]);
            x[r][c] = sum; /* column c of the window is not needed again */
        }
    }
}

/* Coalesced stores: whole vectors where rows of the output are aligned, and elsewhere from one
 * multiple of 128 bytes to the next, so that each of a warp's stores has a cache line of its own.
 * `left`: elements that the row has. */
__device__ inline void store_row(const vector<float> &sums, float *to, int64_t left,
                                 float *exchange, int lane)
{
    constexpr unsigned LINE = LANES * sizeof(float);
    const int before = static_cast<int>(reinterpret_cast<uintptr_t>(to) % LINE / sizeof(float));
    *reinterpret_cast<vector<float> *>(exchange + COLUMNS * lane) = sums;
    __syncwarp();
    PRIM_UNROLL(COLUMNS + 1)
    for (int c = 0; c <= COLUMNS; c++) {
        const int k = c * LANES + lane - before;
        if (k >= 0 && k < SPAN && k < left)
            to[k] = exchange[k];
    }
    __syncwarp(); /* before the next row comes */
}

/* A warp's outputs. */
struct drain {
    const strips &p;
    float *const exchange;
    const int64_t x, y;
    const int lane, rows;
    int whole;    /* the first ones of them are whole vectors */
    int64_t next; /* bytes from `out` to the next row */

    __device__ drain(const strips &strips, float *place, int64_t at_x, int64_t at_y, int at_lane,
                     int row_count)
        : p(strips), exchange(place), x(at_x), y(at_y), lane(at_lane), rows(row_count),
          next(y * static_cast<int64_t>(p.out_step) + x * static_cast<int64_t>(sizeof(float)))
    {
        const int64_t full = p.line - x >= SPAN ? rows : 0;
        whole = !p.rows_are_aligned ? 0 : full < rows ? static_cast<int>(full) : rows;
    }

    /* Stores row `row`; rows before the first and after the last are not stored. */
    __device__ void store(int row, const float (&sums)[COLUMNS])
    {
        if (row < 0 || row >= rows)
            return;
        const vector<float> four = {{sums[0], sums[1], sums[2], sums[3]}};
        float *const to = p.bytes_behind(p.out, next);
        if (row < whole)
            *reinterpret_cast<vector<float> *>(to + COLUMNS * lane) = four;
        else
            store_row(four, to, p.line - x, exchange, lane);
        next += static_cast<int64_t>(p.out_step);
    }
};

/* sums[j]: of the outputs whose window has had j + 1 rows. Sums that have had t + 1 rows with x[0],
 * x[1], … continue those of `STEP` rows ago; the highest ones are complete. `first`: the row of
 * outputs that x[0] completes. */
template <int SIDE, int STEP, int WINDOW>
__device__ void add_rows(float (&sums)[SIDE][COLUMNS], const float (&x)[STEP][WINDOW],
                         const weights<kind<SIDE>> &w, int first, drain &output)
{
    PRIM_UNROLL(SIDE + STEP)
    for (int t = SIDE - 2 + STEP; t >= 0; t--) {
        const int old = t - STEP;
        float next[COLUMNS];
        PRIM_UNROLL(COLUMNS)
        for (int c = 0; c < COLUMNS; c++) {
            next[c] = old >= 0 ? sums[old >= 0 ? old : 0][c] : 0.0f;
            PRIM_UNROLL(STEP)
            for (int r = 0; r < STEP; r++)
                if (old + 1 + r >= 0 && old + 1 + r < SIDE)
                    next[c] = add_product(next[c], w.values[SIDE + old + 1 + r], x[r][c]);
        }
        if (t >= SIDE - 1)
            output.store(first + SIDE - 2 + STEP - t, next);
        else {
            PRIM_UNROLL(COLUMNS)
            for (int c = 0; c < COLUMNS; c++)
                sums[t][c] = next[c];
        }
    }
}

/* Blocks on a multiprocessor: what the registers of a thread's sums and windows allow. */
template <int SIDE>
constexpr int BLOCKS = SIDE <= 5   ? 8
                       : SIDE <= 9 ? 7
                                   : 5;

template <int SIDE>
__global__ void __launch_bounds__(LANES *WARPS, blocks_here(BLOCKS<SIDE>, 8))
    convolve(const __grid_constant__ strips p, const __grid_constant__ weights<kind<SIDE>> w)
{
    using Kind = kind<SIDE>;
    constexpr int STEP = Kind::STEP;
    PRIM_SHARED(room<Kind>, rooms, [WARPS]);
    const int lane = static_cast<int>(threadIdx.x) % LANES;
    /* From lane 0, so that the compiler sees that a warp has one. */
    const unsigned warp = __shfl_sync(ALL_LANES, threadIdx.x / LANES, 0);
    const unsigned strip = blockIdx.x * WARPS + warp;
    room<Kind> &own = rooms[warp];
    const int64_t x = static_cast<int64_t>(strip % p.across) * SPAN;
    const int64_t y = static_cast<int64_t>(strip / p.across) * p.high;
    const int64_t rest = p.rows - y;
    const int outputs = rest < 0 ? 0 : rest < p.high ? static_cast<int>(rest) : p.high;
    const int rows = outputs > 0 ? outputs + SIDE - 1 : 0;
    const strip_rows from(p, x, y);
    feed<Kind> input(p, from, lane);
    drain output(p, own.exchange[0].words, x, y, lane, outputs);
    float sums[SIDE][COLUMNS] = {};
    PRIM_UNROLL(1)
    for (int batch = 0; batch < Kind::BATCHES - 1; batch++) {
        input.bring(own.ring[batch * STEP][0].words, rows);
        close_batch_of_copies();
    }
    PRIM_UNROLL(1)
    for (int row = 0; row < rows; row += STEP) {
        wait_for_copies_but<Kind::BATCHES - 2>();
        __syncwarp(); /* the rows have been copied, and those before have been read */
        input.bring(own.ring[input.next % Kind::RING][0].words, rows);
        close_batch_of_copies();
        float windows[STEP][Kind::WINDOW];
        read_windows<Kind>(own.ring[row % Kind::RING][0].words + COLUMNS * lane, windows);
        sum_rows<SIDE>(w, windows);
        add_rows<SIDE>(sums, windows, w, row - (SIDE - 1), output);
    }
    wait_for_copies();
}

/* ---- launches ---- */

/* With more blocks than this on a multiprocessor, loads are spread over too many places, unless
 * each row has much work. */
constexpr int MOST_BLOCKS = 5;

template <int SIDE>
constexpr int AT_ONCE = SIDE <= 5 ? MOST_BLOCKS : BLOCKS<SIDE>;

/* Unused shared memory that a block requests, so that no more blocks fit. */
template <int SIDE>
size_t idle_shared()
{
    constexpr size_t used = sizeof(room<kind<SIDE>>) * WARPS, most = 48 << 10, own = 1024;
    const size_t share = prim_device_shared_bytes() / size_t{MOST_BLOCKS} - own;
    const size_t asked = share < most ? share : most;
    return AT_ONCE<SIDE> == BLOCKS<SIDE> || asked <= used ? 0 : asked - used;
}

template <int SIDE>
cudaError_t launch(const prim_convolution_args *args, const weights<kind<SIDE>> &w)
{
    using Kind = kind<SIDE>;
    strips p = make_strips(args, SPAN);
    p.before_y = before_pixel(args, args->mask_y.height, args->mask_y.anchor_y);
    const int before = p.before_x + Kind::BEFORE;
    p.copies_vectors = Kind::BY_VECTORS && (p.before_x > 0 || Kind::BEFORE == 0) &&
                       (reinterpret_cast<uintptr_t>(p.in) - before * sizeof(float)) % 16 == 0 &&
                       p.in_step % 16 == 0;
    p.high = rows_of_strips(p.rows, p.across, SIDE, Kind::STEP, AT_ONCE<SIDE> * WARPS);
    const size_t strips_in_all = prim_divide_up(static_cast<size_t>(p.rows), p.high) * p.across;
    return prim_launch({args->call.stream,
                        static_cast<unsigned>(prim_divide_up(strips_in_all, WARPS)), LANES * WARPS,
                        idle_shared<SIDE>()},
                       convolve<SIDE>, p, w);
}

} // namespace walk
} // namespace

#endif
