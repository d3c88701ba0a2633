/* REGISTER over narrow images, whose rows are shorter than a warp's strip: a block takes a run of
 * whole rows, and a thread a column of DOWN outputs anywhere in it.
 *
 *     memory      a b c d e f g h i j k l …      rows of 3: one behind the other without gaps, so
 *                                                a run of them comes 16 bytes at a time
 *     row 0       a b c      thread 0 1 2        all threads are busy, however narrow rows are
 *     row 1       d e f             0 1 2
 *     …                             0 1 2
 *     row DOWN    · · ·      thread 3 4 5        lanes 3 and 0 lie DOWN rows apart; DOWN is odd, so
 *     …                             3 4 5        that rows of 1, 2, 4, … words spread over all banks
 *
 * A strip of 128 columns would have work for 3 of its lanes. And there each row brings what lies
 * beside the image; here that is nearly everything, and nothing of it is brought: a thread asks once
 * which columns stand in for those that its window reaches, and takes them from its rows as they
 * are. Under PRIM_BOUNDARY_CONSTANT each row ends with the fill, as one more column to take.
 *
 * Loads an output: (DOWN + h - 1) · w / DOWN elements from shared memory, 7.2 under 5 × 5; outputs
 * leave through shared memory, as the run that they are.
 *
 * Squares of known sides have weights as operands of multiply-adds. For all other masks, and types,
 * a thread has columns at LAYERS places below each other, 4 taps at a time, and reads weights and
 * places of columns from shared memory. */
#ifndef PRIM_CONVOLUTION_NARROW_CUH
#define PRIM_CONVOLUTION_NARROW_CUH

#include "common/async_copy.cuh"
#include "common/device.h"
#include "common/launch.cuh"
#include "common/shared.cuh"
#include "common/sizes.h"
#include "common/vectors.cuh"
#include "convolution/bytes.cuh"
#include "convolution/listed.cuh"
#include "convolution/problem.cuh"

namespace
{
namespace narrow
{

#ifndef NARROW_DOWN
#define NARROW_DOWN 9
#define NARROW_THREADS 256
#define NARROW_BLOCKS 4
#endif
constexpr int DOWN = NARROW_DOWN;
constexpr int MOST_THREADS = 256, LAYERS = 2; /* LAYERS: where only the call knows the mask */
constexpr size_t SHARED_BYTES = 48 << 10;

template <typename Source, typename Element>
struct runs {
    const Source *in;
    Element *out;
    size_t in_pitch, out_pitch;
    int64_t height;
    int width, channels, line; /* line: elements of the image's row */
    int row;                   /* of one in shared memory: with a fill, a pixel more */
    int mask_width, mask_height, before_x, before_y;
    int groups;                      /* of DOWN rows, in each layer of a block */
    int high;                        /* rows of a block */
    int columns_at, rows_at, out_at; /* bytes before them in shared memory */
    bool in_is_whole, out_is_whole;  /* rows of memory lie without gaps, and need no fill */
    prim_boundary boundary;
    Source fill[PRIM_CONVOLUTION_MOST_CHANNELS];

    /* Where a row in shared memory has what stands for this pixel, inside of the image or not. */
    __device__ int column(int pixel, int channel) const
    {
        const int from = stand_in(boundary, pixel, width);
        return from == FILL ? line + channel : from * channels + channel;
    }
};

/* An element's place in rows, as a thread goes through them with all others: divided once. */
struct place {
    int row, column;

    __device__ place(int k, int line) : row(k / line), column(k % line)
    {
    }
    __device__ void advance(const place &by, int line)
    {
        row += by.row;
        column += by.column;
        if (column >= line) {
            column -= line;
            row++;
        }
    }
};

/* Those of a run's elements that lie in whole vectors: all but a few at its ends. */
struct whole_vectors {
    int begin, end;

    template <typename T>
    __device__ whole_vectors(const T *run, int count)
    {
        constexpr int EACH = static_cast<int>(VECTOR_ELEMENTS<T>);
        const int past = static_cast<int>(bytes_past_vector(run) / sizeof(T));
        const int before = past > 0 ? EACH - past : 0;
        begin = before < count ? before : count;
        end = begin + (count - begin) / EACH * EACH;
    }
};

/* A block's copy of a run. Both lie alike within vectors. */
template <bool IS_ASYNC, typename T>
__device__ void copy_run(T *to, const T *from, int count)
{
    constexpr int EACH = static_cast<int>(VECTOR_ELEMENTS<T>);
    const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
    const whole_vectors whole(from, count);
    PRIM_UNROLL(4)
    for (int k = whole.begin + EACH * thread; k < whole.end; k += EACH * threads) {
        vector<T> *const there = reinterpret_cast<vector<T> *>(to + k);
        if constexpr (IS_ASYNC)
            copy_async(there, reinterpret_cast<const vector<T> *>(from + k));
        else
            *there = load_vector(from + k);
    }
    if (thread < whole.begin)
        to[thread] = from[thread];
    if (thread < count - whole.end)
        to[whole.end + thread] = from[whole.end + thread];
}

/* The rows from `first` on, of which some may lie outside, element by element. */
template <typename Source, typename Element>
__device__ void bring_rows(const runs<Source, Element> &p, Source *to, int64_t first, int rows)
{
    const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
    const place step(threads, p.row);
    place at(thread, p.row);
    PRIM_UNROLL(4)
    for (int k = thread; k < rows * p.row; k += threads, at.advance(step, p.row)) {
        const int64_t y = stand_in(p.boundary, first + at.row, p.height);
        if (y == FILL || at.column >= p.line) {
            to[k] = p.fill[at.column % p.channels];
            continue;
        }
        const char *const row =
            reinterpret_cast<const char *>(p.in) + static_cast<size_t>(y) * p.in_pitch;
        const Source *const from = reinterpret_cast<const Source *>(row) + at.column;
        copy_async(to + k, from);
    }
}

/* Row 0 of so many, which are there after a wait for copies and a barrier. */
template <typename Source, typename Element>
__device__ const Source *bring(const runs<Source, Element> &p, uint8_t *shared, int64_t first,
                               int rows)
{
    Source *to = reinterpret_cast<Source *>(shared + p.rows_at);
    if (p.in_is_whole && first >= 0 && first + rows <= p.height) {
        const Source *const from = p.in + first * p.line;
        to += bytes_past_vector(from) / sizeof(Source);
        copy_run<true>(to, from, rows * p.line);
    } else {
        bring_rows(p, to, first, rows);
    }
    return to;
}

/* A block's outputs, from row y on. */
template <typename Source, typename Element>
struct outputs {
    const runs<Source, Element> &p;
    const int64_t y;
    Element *const shared; /* row by row, with no gaps */
    const int rows;

    __device__ outputs(const runs<Source, Element> &of, uint8_t *memory, int64_t first)
        : p(of), y(first),
          shared(reinterpret_cast<Element *>(memory + of.out_at) +
                 (of.out_is_whole ? bytes_past_vector(of.out + first * of.line) / sizeof(Element)
                                  : 0)),
          rows(static_cast<int>(of.height - first < of.high ? of.height - first : of.high))
    {
    }

    __device__ void write() const
    {
        if (p.out_is_whole) {
            copy_run<false>(p.out + y * p.line, static_cast<const Element *>(shared),
                            rows * p.line);
            return;
        }
        const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
        const place step(threads, p.line);
        place at(thread, p.line);
        PRIM_UNROLL(4)
        for (int k = thread; k < rows * p.line; k += threads, at.advance(step, p.line)) {
            char *const row =
                reinterpret_cast<char *>(p.out) + static_cast<size_t>(y + at.row) * p.out_pitch;
            reinterpret_cast<Element *>(row)[at.column] = shared[k];
        }
    }
};

/* ---- squares whose side is known at compile time ---- */

struct floats {
    using source = float;
    using element = float;
    struct ending {
    };

    __device__ static float loaded(float value)
    {
        return value;
    }
    __device__ static void store(const ending &, const float (&sums)[DOWN], float *to, int line)
    {
        PRIM_UNROLL(DOWN)
        for (int o = 0; o < DOWN; o++)
            to[o * line] = sums[o];
    }
};

/* As in bytes.cuh: a byte is a tiny float as it is. */
struct tiny_bytes {
    using source = uint8_t;
    using element = uint8_t;
    using ending = bytes::ending;

    __device__ static float loaded(uint8_t value)
    {
        return tiny_float(value);
    }
    __device__ static void store(const ending &end, const float (&sums)[DOWN], uint8_t *to,
                                 int line)
    {
        float four[4] = {};
        PRIM_UNROLL(DOWN)
        for (int o = 0; o < DOWN; o++) {
            four[o % 4] = tiny_product(tiny_multiply_add(sums[o], end.factor, 0.0f), end.unit);
            if (o % 4 < 3 && o + 1 < DOWN)
                continue;
            const uint32_t word = bytes_of_steps(four[0], four[1], four[2], four[3]);
            PRIM_UNROLL(4)
            for (int b = 0; b <= o % 4; b++)
                to[(o / 4 * 4 + b) * line] = static_cast<uint8_t>(word >> 8 * b);
        }
    }
};

template <int SIDE>
struct square {
    float weights[SIDE * SIDE];
};

template <class Kind, int SIDE>
__global__ void __launch_bounds__(MOST_THREADS, NARROW_BLOCKS)
    convolve_square(const __grid_constant__ runs<typename Kind::source, typename Kind::element> p,
                    const __grid_constant__ square<SIDE> w,
                    const __grid_constant__ typename Kind::ending end)
{
    using source = typename Kind::source;
    PRIM_SHARED_DYNAMIC(uint8_t, shared);
    const outputs<source, typename Kind::element> out(p, shared,
                                                      static_cast<int64_t>(blockIdx.x) * p.high);
    const source *from = bring(p, shared, out.y - p.before_y, out.rows + SIDE - 1);
    const place at(static_cast<int>(threadIdx.x), p.line);
    const int pixel = at.column / p.channels, channel = at.column % p.channels;
    int taps[SIDE];
    PRIM_UNROLL(SIDE)
    for (int i = 0; i < SIDE; i++)
        taps[i] = p.column(pixel + i - p.before_x, channel);
    wait_for_copies();
    __syncthreads();
    if (at.row < p.groups) { /* the others are there for copies */
        float sums[DOWN] = {};
        from += at.row * DOWN * p.row;
        PRIM_UNROLL(DOWN + SIDE - 1)
        for (int r = 0; r < DOWN + SIDE - 1; r++, from += p.row) {
            float x[SIDE];
            PRIM_UNROLL(SIDE)
            for (int i = 0; i < SIDE; i++)
                x[i] = Kind::loaded(from[taps[i]]);
            PRIM_UNROLL(DOWN)
            for (int o = r < SIDE ? 0 : r - SIDE + 1; o <= r && o < DOWN; o++)
                PRIM_UNROLL(SIDE)
            for (int i = 0; i < SIDE; i++)
                sums[o] = add_product(sums[o], w.weights[(r - o) * SIDE + i], x[i]);
        }
        Kind::store(end, sums, out.shared + at.row * DOWN * p.line + at.column, p.line);
    }
    __syncthreads();
    out.write();
}

/* ---- all other masks ---- */

/* COUNT taps of mask rows row, row - 1, …, for the outputs' rows 0, 1, …. */
template <typename Pixel, int COUNT, typename Runs>
__device__ void add_taps(typename Pixel::sum (&sums)[DOWN][LAYERS], const Runs &p, int row,
                         const typename Pixel::source *from, const int *columns,
                         const listed::shared_weights<typename Pixel::sum> &weights, int tap)
{
    using sum = typename Pixel::sum;
    sum x[COUNT][LAYERS];
    PRIM_UNROLL(COUNT)
    for (int i = 0; i < COUNT; i++) {
        const typename Pixel::source *const tapped = from + columns[(tap + i) * p.channels];
        PRIM_UNROLL(LAYERS)
        for (int c = 0; c < LAYERS; c++)
            x[i][c] = Pixel::loaded(tapped[c * p.groups * DOWN * p.row]);
    }
    PRIM_UNROLL(DOWN)
    for (int o = 0; o < DOWN; o++) {
        if (row < o || row - o >= p.mask_height)
            continue;
        sum w[COUNT];
        weights.read(row - o, tap, w);
        PRIM_UNROLL(COUNT)
        for (int i = 0; i < COUNT; i++)
            PRIM_UNROLL(LAYERS)
        for (int c = 0; c < LAYERS; c++)
            sums[o][c] = add_product(sums[o][c], w[i], x[i][c]);
    }
}

template <typename Pixel>
__global__ void __launch_bounds__(MOST_THREADS, 2)
    convolve(const __grid_constant__ runs<typename Pixel::source, typename Pixel::element> p,
             const __grid_constant__ listed::weights<typename Pixel::sum> w,
             const __grid_constant__ typename Pixel::ending end)
{
    using source = typename Pixel::source;
    using element = typename Pixel::element;
    using sum = typename Pixel::sum;
    PRIM_SHARED_DYNAMIC(uint8_t, shared);
    const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
    const outputs<source, element> out(p, shared, static_cast<int64_t>(blockIdx.x) * p.high);
    const source *from = bring(p, shared, out.y - p.before_y, out.rows + p.mask_height - 1);
    const listed::shared_weights<sum> weights = {reinterpret_cast<sum *>(shared),
                                                 listed::padded(p.mask_width)};
    listed::bring(w, p.mask_width, 0, p.mask_height, weights.padded,
                  reinterpret_cast<sum *>(shared));
    int *const columns = reinterpret_cast<int *>(shared + p.columns_at);
    for (int k = thread; k < p.line + (p.mask_width - 1) * p.channels; k += threads)
        columns[k] = p.column(k / p.channels - p.before_x, k % p.channels);
    wait_for_copies();
    __syncthreads();
    const place at(thread, p.line);
    if (at.row < p.groups) {
        sum sums[DOWN][LAYERS] = {};
        from += at.row * DOWN * p.row;
        PRIM_UNROLL(1)
        for (int row = 0; row < DOWN + p.mask_height - 1; row++, from += p.row) {
            int i = 0;
            PRIM_UNROLL(1)
            for (; i + listed::TAPS <= p.mask_width; i += listed::TAPS)
                add_taps<Pixel, listed::TAPS>(sums, p, row, from, columns + at.column, weights, i);
            PRIM_UNROLL(1)
            for (; i < p.mask_width; i++)
                add_taps<Pixel, 1>(sums, p, row, from, columns + at.column, weights, i);
        }
        PRIM_UNROLL(LAYERS)
        for (int c = 0; c < LAYERS; c++)
            PRIM_UNROLL(DOWN)
        for (int o = 0; o < DOWN; o++)
            out.shared[((at.row + c * p.groups) * DOWN + o) * p.line + at.column] =
                Pixel::stored(sums[o][c], end);
    }
    __syncthreads();
    out.write();
}

/* ---- on the host ---- */

/* A block's shared memory, with so many rows of outputs; `extra` bytes of weights. */
template <typename Source, typename Element>
size_t lay_out(runs<Source, Element> *p, size_t weight_bytes, size_t column_bytes)
{
    const auto whole = [](size_t bytes) {
        return prim_divide_up(bytes, VECTOR_BYTES) * VECTOR_BYTES;
    };
    const size_t rows = static_cast<size_t>(p->high + p->mask_height - 1);
    const size_t columns_at = whole(weight_bytes), rows_at = columns_at + whole(column_bytes);
    const size_t out_at =
        rows_at + whole(rows * static_cast<size_t>(p->row) * sizeof(Source)) + VECTOR_BYTES;
    p->columns_at = static_cast<int>(columns_at);
    p->rows_at = static_cast<int>(rows_at);
    p->out_at = static_cast<int>(out_at);
    return out_at + whole(static_cast<size_t>(p->high * p->line) * sizeof(Element)) + VECTOR_BYTES;
}

template <typename Source, typename Element>
runs<Source, Element> make_runs(const prim_convolution_args *args)
{
    const prim_image &in = args->in, &out = args->out;
    runs<Source, Element> p = {};
    p.in = static_cast<const Source *>(in.data);
    p.out = static_cast<Element *>(out.data);
    p.in_pitch = in.pitch;
    p.out_pitch = out.pitch;
    p.height = static_cast<int64_t>(in.height);
    p.width = static_cast<int>(in.width);
    p.channels = in.channels;
    p.line = p.width * p.channels;
    const bool has_fill = args->boundary == PRIM_BOUNDARY_CONSTANT;
    p.row = p.line + (has_fill ? p.channels : 0);
    p.mask_width = static_cast<int>(args->mask.width);
    p.mask_height = static_cast<int>(args->mask.height);
    p.before_x = before_pixel(args, args->mask.width, args->mask.anchor_x);
    p.before_y = before_pixel(args, args->mask.height, args->mask.anchor_y);
    p.in_is_whole = !has_fill && in.pitch == static_cast<size_t>(p.line) * sizeof(Source);
    p.out_is_whole = out.pitch == static_cast<size_t>(p.line) * sizeof(Element);
    p.boundary = args->boundary;
    copy_fill(args, p.fill);
    return p;
}

/* So many groups that a block has about so many threads, or fewer for images of few rows; they
 * fit. Returns the bytes of shared memory, 0 where not even one group fits. */
template <typename Source, typename Element>
size_t choose_groups(runs<Source, Element> *p, int threads, int layers, size_t weight_bytes,
                     size_t column_bytes)
{
    const int64_t wanted = 2 * static_cast<int64_t>(prim_device_multiprocessors());
    p->groups = threads > p->line ? threads / p->line : 1;
    for (;; p->groups = (p->groups + 1) / 2) {
        p->high = p->groups * DOWN * layers;
        const size_t bytes = lay_out(p, weight_bytes, column_bytes);
        const bool is_last = p->groups == 1, are_few = p->height / p->high < wanted;
        if (bytes <= SHARED_BYTES && (is_last || !are_few))
            return bytes;
        if (is_last)
            return 0;
    }
}

template <typename Source, typename Element>
launch_config config_of(const prim_convolution_args *args, const runs<Source, Element> &p,
                        size_t bytes)
{
    const size_t blocks = prim_divide_up(args->in.height, static_cast<size_t>(p.high));
    const unsigned threads = static_cast<unsigned>(p.groups * p.line);
    return {args->call.stream, static_cast<unsigned>(blocks), (threads + 31) / 32 * 32, bytes};
}

template <class Kind, int SIDE>
cudaError_t launch_square(const prim_convolution_args *args, const square<SIDE> &w,
                          const typename Kind::ending &end)
{
    auto p = make_runs<typename Kind::source, typename Kind::element>(args);
    const size_t bytes = choose_groups(&p, NARROW_THREADS, 1, 0, 0);
    return prim_launch(config_of(args, p, bytes), convolve_square<Kind, SIDE>, p, w, end);
}

/* Not launched where not even a group fits into shared memory. */
template <typename Pixel>
bool launch(const prim_convolution_args *args, const listed::weights<typename Pixel::sum> &w,
            cudaError_t *error)
{
    constexpr int THREADS = 128;
    auto p = make_runs<typename Pixel::source, typename Pixel::element>(args);
    const int weights = listed::padded(p.mask_width) * p.mask_height;
    const int columns = p.line + (p.mask_width - 1) * p.channels;
    const size_t bytes = choose_groups(&p, THREADS, LAYERS,
                                       static_cast<size_t>(weights) * sizeof(typename Pixel::sum),
                                       static_cast<size_t>(columns) * sizeof(int));
    if (bytes == 0)
        return false;
    *error =
        prim_launch(config_of(args, p, bytes), convolve<Pixel>, p, w, make_ending<Pixel>(args));
    return true;
}

} // namespace narrow
} // namespace

#endif
