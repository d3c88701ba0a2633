/* REGISTER for masks of any size, a run-time value: a thread has a column of 8 outputs at
 * each of 4 or 8 places, and each element that it reads serves the whole column.
 *
 *     lane   0 1 2 … 31 0 1 2 … 31 …     places lie a warp apart, so that lanes read and write side
 *     row 0  ■ □ □    □ ■ □ □    □       by side, however images are aligned, and taps may lie any
 *     row 1  ■ □ □    □ ■ □ □    □       number of channels apart
 *     …
 *     row 7  ■ □ □    □ ■ □ □    □       ■ of one thread
 *
 * Row r of the input is copied into shared memory as it is, and converted when it is read: elements
 * that are too narrow for asynchronous copies 16 bytes at a time, and so at the distance past 16
 * bytes that they have in memory; others one by one. Its products with the
 * mask's row r - o are added to row o of the outputs: 4 taps at a time, 4 · 8 elements and 8 · 4
 * weights read for 4 · 64 products. A mask too large for shared memory is taken in bands of rows.
 * In images narrower than a warp's places, groups of lanes walk down one below the other. */
#ifndef PRIM_CONVOLUTION_ANY_CUH
#define PRIM_CONVOLUTION_ANY_CUH

#include "common/block/vectors.cuh"
#include "common/kernel/async_copy.cuh"
#include "common/kernel/launch.cuh"
#include "common/kernel/shared.cuh"
#include "convolution/listed.cuh"
#include "convolution/strips.cuh"

namespace
{
namespace any
{

using listed::FEW_WEIGHTS;
using listed::shared_weights;
using listed::TAPS;
using listed::weights;

constexpr int LANES = 32, MOST_WARPS = 4, DOWN = 8, RING = 3;
constexpr size_t SHARED_BYTES = 48 << 10, WEIGHT_BYTES = 16 << 10;

/* Places of a thread side by side. */
template <typename Sum>
constexpr int ACROSS = sizeof(Sum) > 4 ? 4 : 8;

/* How lanes and shared memory are divided. */
struct plan {
    int mask_width, mask_height;
    int band;        /* rows of the mask in shared memory */
    int padded;      /* weights of its rows, whole vectors */
    int lanes;       /* of a group */
    int needed;      /* elements of a group's row */
    int apart, row;  /* from group to group in the ring, and from row to row */
    unsigned groups; /* of a warp */
    unsigned warps;  /* of a block */
};

/* A lane's place in its warp. */
struct place {
    int lane, group;
};

/* Whether rows are copied in whole vectors; of wider elements those took a tenth longer. */
template <typename T>
__host__ __device__ bool by_vectors(const plan &cut)
{
    return sizeof(T) < 4 && cut.lanes == LANES;
}

/* How many elements row `row` of a strip lies past 16 bytes, in memory and in the ring; also for
 * rows outside of the image, where it would lie. */
template <typename Pixel>
__device__ int elements_past(const strips<Pixel> &p, const plan &cut, const strip_rows<Pixel> &from,
                             int row)
{
    using source = typename Pixel::source;
    if (!by_vectors<source>(cut))
        return 0;
    const uintptr_t at = reinterpret_cast<uintptr_t>(p.in) +
                         static_cast<uintptr_t>(from.first_row + row) * p.in_step +
                         static_cast<uintptr_t>(from.first_e) * sizeof(source);
    return static_cast<int>(at % VECTOR_BYTES / sizeof(source));
}

/* A row of fills, channel after channel. */
template <typename Pixel>
__device__ void fill_row(const strips<Pixel> &p, const plan &cut, int64_t first_e,
                         typename Pixel::source *to, int lane)
{
    const int channel = static_cast<int>(repeat(first_e, static_cast<int64_t>(p.channels)));
    PRIM_UNROLL(1)
    for (int k = lane; k < cut.needed; k += cut.lanes)
        to[k] = p.fill[p.channels == 1 ? 0 : (channel + k) % p.channels];
}

/* Whole vectors that begin `past` elements before `begin`; `before` and `behind`: elements of the
 * line before and from `begin` on, outside of which nothing is read. */
template <typename T>
__device__ void copy_vectors(T *to, const T *begin, int past, int needed, int64_t before,
                             int64_t behind, int lane)
{
    constexpr int WIDTH = static_cast<int>(VECTOR_ELEMENTS<T>);
    PRIM_UNROLL(2)
    for (int k = lane * WIDTH - past; k < needed; k += LANES * WIDTH) {
        if (k >= -before && k + WIDTH <= behind) {
            copy_async(reinterpret_cast<vector<T> *>(to + k),
                       reinterpret_cast<const vector<T> *>(begin + k));
            continue;
        }
        for (int e = k < 0 ? 0 : k; e < k + WIDTH && e < needed; e++)
            copy_async(to + e, begin + e);
    }
}

/* Starts the copy of a row to `to`, where its first element goes. */
template <typename Pixel>
__device__ void bring(const strips<Pixel> &p, const plan &cut, const strip_rows<Pixel> &from,
                      int row, typename Pixel::source *to, int lane)
{
    const int64_t y = p.is_folded ? from.first_row + row : p.row_for(from.first_row + row);
    if (y == FILL) {
        fill_row(p, cut, from.first_e, to, lane);
        return;
    }
    if (p.is_folded ? from.is_inside(row) : from.columns_are_inside) {
        const typename Pixel::source *begin = p.row_at(p.in, p.in_step, y) + from.first_e;
        const int past = elements_past(p, cut, from, row);
        if (by_vectors<typename Pixel::source>(cut) &&
            past * sizeof *begin == bytes_past_vector(begin)) {
            const int64_t first = from.first_e + (from.first_row + row) * from.step;
            copy_vectors(to, begin, past, cut.needed, first, p.line - first, lane);
            return;
        }
        PRIM_UNROLL(4)
        for (int k = lane; k < cut.needed; k += cut.lanes)
            copy_async(to + k, begin + k);
        return;
    }
    PRIM_UNROLL(1)
    for (int k = lane; k < cut.needed; k += cut.lanes) {
        int channel;
        const typename Pixel::source *element = from.element(p, y, row, k, &channel);
        if (element != nullptr)
            copy_async(to + k, element);
        else
            to[k] = p.fill[channel];
    }
}

/* The rows of the mask in a band, and of a thread's outputs: DOWN, or fewer at the image's end. */
struct rows_of_band {
    int mask, down;
};

/* COUNT taps from `tap` on, of mask rows row, row - 1, …, for the outputs' rows 0, 1, …. PLAIN: of
 * one channel, and no groups of lanes. */
template <typename Pixel, bool PLAIN, bool ALL, int COUNT, typename Sum>
__device__ void add_taps(Sum (&sums)[DOWN][ACROSS<Sum>], const plan &cut, int channels, int row,
                         rows_of_band of, const typename Pixel::source *elements,
                         const shared_weights<Sum> &weights, int tap)
{
    Sum x[COUNT][ACROSS<Sum>];
    PRIM_UNROLL(COUNT)
    for (int i = 0; i < COUNT; i++) {
        PRIM_UNROLL(ACROSS<Sum>)
        for (int c = 0; c < ACROSS<Sum>; c++)
            x[i][c] = Pixel::loaded(PLAIN ? elements[i + c * LANES]
                                          : elements[i * channels + c * cut.lanes]);
    }
    PRIM_UNROLL(DOWN)
    for (int o = 0; o < DOWN; o++) {
        if (!ALL && (o >= of.down || row < o || row - o >= of.mask))
            continue;
        Sum w[COUNT];
        weights.read(row - o, tap, w);
        PRIM_UNROLL(COUNT)
        for (int i = 0; i < COUNT; i++) {
            PRIM_UNROLL(ACROSS<Sum>)
            for (int c = 0; c < ACROSS<Sum>; c++)
                sums[o][c] = add_product(sums[o][c], w[i], x[i][c]);
        }
    }
}

template <typename Pixel, bool PLAIN, bool ALL, typename Sum>
__device__ void add_row(Sum (&sums)[DOWN][ACROSS<Sum>], const plan &cut, int channels, int row,
                        rows_of_band of, const typename Pixel::source *elements,
                        const shared_weights<Sum> &weights)
{
    int i = 0;
    PRIM_UNROLL(1)
    for (; i + TAPS <= cut.mask_width; i += TAPS, elements += TAPS * (PLAIN ? 1 : channels))
        add_taps<Pixel, PLAIN, ALL, TAPS>(sums, cut, channels, row, of, elements, weights, i);
    PRIM_UNROLL(1)
    for (; i < cut.mask_width; i++, elements += PLAIN ? 1 : channels)
        add_taps<Pixel, PLAIN, ALL, 1>(sums, cut, channels, row, of, elements, weights, i);
}

/* A band's rows of the mask over all rows of the input that they meet. */
template <typename Pixel, bool PLAIN>
__device__ void add_band(typename Pixel::sum (&sums)[DOWN][ACROSS<typename Pixel::sum>],
                         const strips<Pixel> &p, const plan &cut, const strip_rows<Pixel> &from,
                         int first, rows_of_band of, typename Pixel::source *ring,
                         const shared_weights<typename Pixel::sum> &weights, place at)
{
    const int needed = of.mask + of.down - 1;
    ring += at.group * cut.apart;
    /* Where row `row` lies: it may come in whole vectors. */
    const auto place_of = [&](int row) {
        return ring + row % RING * cut.row + elements_past(p, cut, from, first + row);
    };
    for (int row = 0; row < RING - 1; row++) {
        if (row < needed)
            bring(p, cut, from, first + row, place_of(row), at.lane);
        close_batch_of_copies();
    }
    PRIM_UNROLL(1)
    for (int row = 0; row < needed; row++) {
        wait_for_copies_but<RING - 2>();
        __syncwarp(); /* the row has been copied, and the one before has been read */
        const int next = row + RING - 1;
        if (next < needed)
            bring(p, cut, from, first + next, place_of(next), at.lane);
        close_batch_of_copies();
        const typename Pixel::source *elements = place_of(row) + at.lane;
        if (of.down == DOWN && row >= DOWN - 1 && row < of.mask)
            add_row<Pixel, PLAIN, true>(sums, cut, p.channels, row, of, elements, weights);
        else
            add_row<Pixel, PLAIN, false>(sums, cut, p.channels, row, of, elements, weights);
    }
    wait_for_copies();
    __syncwarp(); /* before the next band comes */
}

template <typename Pixel>
__device__ void store(const typename Pixel::sum (&sums)[DOWN][ACROSS<typename Pixel::sum>],
                      const strips<Pixel> &p, const plan &cut, int64_t x, int64_t y, place at)
{
    constexpr int PLACES = ACROSS<typename Pixel::sum>;
    const int64_t span = static_cast<int64_t>(cut.lanes) * PLACES;
    PRIM_UNROLL(DOWN)
    for (int o = 0; o < DOWN; o++) {
        if (y + o >= p.rows)
            return;
        typename Pixel::element *const to = p.row_at(p.out, p.out_step, y + o) + x;
        const int64_t left = p.line - (p.is_folded ? (y + o) * span : x);
        PRIM_UNROLL(PLACES)
        for (int c = 0; c < PLACES; c++)
            if (at.lane + c * cut.lanes < left)
                to[at.lane + c * cut.lanes] = Pixel::stored(sums[o][c], p.ending);
    }
}

/* A warp's work. */
template <typename Pixel>
struct task {
    int64_t x, y;
    int down; /* rows of a thread's outputs, in the warp's first group: 0 to DOWN */

    __device__ task(const strips<Pixel> &p, const plan &cut, int64_t strip, int group)
        : x(strip % p.across * cut.lanes * ACROSS<typename Pixel::sum>),
          y(strip / p.across * p.high + group * DOWN), down(0)
    {
        const int64_t left = p.rows - strip / p.across * p.high;
        down = left < 0 ? 0 : left < DOWN ? static_cast<int>(left) : DOWN;
    }
};

template <typename Pixel, bool PLAIN>
__global__ void __launch_bounds__(LANES *MOST_WARPS, 3)
    convolve(const __grid_constant__ strips<Pixel> p, const __grid_constant__ plan cut,
             const __grid_constant__ weights<typename Pixel::sum> w)
{
    using sum = typename Pixel::sum;
    PRIM_SHARED_DYNAMIC(uint8_t, memory);
    sum *const shared = reinterpret_cast<sum *>(memory);
    const int thread = static_cast<int>(threadIdx.x), warp = thread / LANES, lane = thread % LANES;
    const place at = {PLAIN ? lane : lane % cut.lanes, PLAIN ? 0 : lane / cut.lanes};
    const task<Pixel> mine(p, cut, static_cast<int64_t>(blockIdx.x) * cut.warps + warp, at.group);
    typename Pixel::source *const ring =
        reinterpret_cast<typename Pixel::source *>(shared + cut.band * cut.padded) +
        warp * RING * cut.row;
    const strip_rows<Pixel> from(p, mine.x, mine.y, cut.lanes * ACROSS<sum>, cut.needed);
    const shared_weights<sum> band = {shared, cut.padded};
    sum sums[DOWN][ACROSS<sum>] = {};
    for (int first = 0; first < cut.mask_height; first += cut.band) {
        const int left = cut.mask_height - first, rows = left < cut.band ? left : cut.band;
        __syncthreads();
        listed::bring(w, cut.mask_width, first, rows, cut.padded, shared);
        __syncthreads();
        if (mine.down > 0)
            add_band<Pixel, PLAIN>(sums, p, cut, from, first, {rows, mine.down}, ring, band, at);
    }
    store(sums, p, cut, mine.x, mine.y, at);
}

/* ---- launches ---- */

/* Rings behind the weights: both are whole vectors. */
template <typename Pixel>
plan make_plan(const prim_convolution_args *args, bool is_folded)
{
    using Sum = typename Pixel::sum;
    using source = typename Pixel::source;
    constexpr int PLACES = ACROSS<Sum>, WIDTH = static_cast<int>(VECTOR_ELEMENTS<source>);
    const size_t line = args->in.width * static_cast<size_t>(args->in.channels);
    const int halo = static_cast<int>(args->mask.width - 1) * args->in.channels;
    plan cut = {};
    cut.mask_width = static_cast<int>(args->mask.width);
    cut.mask_height = static_cast<int>(args->mask.height);
    cut.padded = listed::padded(cut.mask_width);
    cut.band = static_cast<int>(WEIGHT_BYTES / sizeof(Sum)) / cut.padded;
    cut.band = cut.band < cut.mask_height ? cut.band : cut.mask_height;
    const size_t room = SHARED_BYTES - cut.band * cut.padded * sizeof(Sum);
    for (cut.lanes = is_folded ? LANES : 1;; cut.lanes *= 2) {
        cut.groups = static_cast<unsigned>(LANES / cut.lanes);
        cut.needed = cut.lanes * PLACES + halo;
        cut.apart = cut.needed | 1; /* groups in banks of their own */
        cut.row =
            cut.lanes == LANES ? cut.needed + WIDTH - 1 : static_cast<int>(cut.groups) * cut.apart;
        cut.row = (cut.row + WIDTH - 1) / WIDTH * WIDTH;
        const size_t ring_bytes = RING * sizeof(source) * static_cast<size_t>(cut.row);
        const bool is_wide = static_cast<size_t>(cut.lanes) * PLACES >= line;
        if (cut.lanes == LANES || (is_wide && ring_bytes <= room / MOST_WARPS)) {
            const size_t warps = room / ring_bytes;
            cut.warps = static_cast<unsigned>(warps < MOST_WARPS ? warps : MOST_WARPS);
            return cut;
        }
    }
}

/* Strips of a plan, as blocks. */
inline size_t strips_down(size_t rows, const plan &cut)
{
    return prim_divide_up(rows, DOWN * cut.groups);
}

template <typename Pixel>
strips<Pixel> strips_of(const prim_convolution_args *args, const plan &cut, outer_row outer)
{
    const size_t span = static_cast<size_t>(cut.lanes) * ACROSS<typename Pixel::sum>;
    strips<Pixel> p = make_strips<Pixel>(args, static_cast<int>(span));
    if (outer != NO_OUTER_ROW && p.is_folded) {
        p.is_folded = false;
        p.in_step = args->in.pitch;
        p.out_step = args->out.pitch;
        p.across = static_cast<unsigned>(prim_divide_up(static_cast<size_t>(p.line), span));
    }
    if (outer != NO_OUTER_ROW)
        p.rows = p.height + (outer == WRITES_OUTER_ROW);
    p.has_outer_row = outer == READS_OUTER_ROW;
    p.high = DOWN * static_cast<int>(cut.groups);
    return p;
}

/* Blocks for all strips, with a ring for each warp, and behind the weights. */
template <typename Pixel>
launch_config config_of(const prim_convolution_args *args, const strips<Pixel> &p, const plan &cut,
                        int weight_count)
{
    const size_t all = strips_down(static_cast<size_t>(p.rows), cut) * p.across;
    const size_t ring = static_cast<size_t>(cut.row) * RING * cut.warps;
    return {args->call.stream, static_cast<unsigned>(prim_divide_up(all, cut.warps)),
            LANES * cut.warps,
            static_cast<size_t>(weight_count) * sizeof(typename Pixel::sum) +
                ring * sizeof(typename Pixel::source)};
}

template <typename Pixel>
cudaError_t launch(const prim_convolution_args *args, outer_row outer)
{
    const weights<typename Pixel::sum> w = listed::weights_of<typename Pixel::sum>(args);
    const bool is_folded = is_line(args) && outer == NO_OUTER_ROW;
    const plan cut = make_plan<Pixel>(args, is_folded);
    const strips<Pixel> p = strips_of<Pixel>(args, cut, outer);
    if (p.rows == 0 || p.line == 0)
        return cudaSuccess;
    const launch_config where = config_of(args, p, cut, cut.band * cut.padded);
    if constexpr (std::is_same<Pixel, f32_pixel>::value)
        if (p.channels == 1 && cut.lanes == LANES)
            return prim_launch(where, convolve<Pixel, true>, p, cut, w);
    return prim_launch(where, convolve<Pixel, false>, p, cut, w);
}

} // namespace any
} // namespace

#endif
