/* SMALL: images that do not fill the card, for which the beginning and the end of the launch take
 * most of the time. So the kernel has little code, and all loads of a block are on their way at
 * once.
 *
 *     tile  ┌───────────────┐     A block copies the elements of its outputs into shared memory,
 *           │ · · ■ · · □ · │     with the halo, element by element: wherever rows begin, however
 *           │ · · · · · · · │     many channels there are, and with what stands in for pixels
 *           └───────────────┘     outside. They have the type of sums there.
 *
 * There is one loop for all masks, and no kernel for a width. Where a thread has one output, it
 * goes along a list of taps: weights, each with its element's distance from the window's first one.
 * Where there are many outputs, a thread has four side by side, and goes along the mask's rows by
 * four weights: an element serves each of the four windows that it lies in. Of a separable mask, a
 * block sums the rows of its tile along them first, in shared memory too.
 *
 * What holds it back: tiles are copied element by element, and each has a halo.
 *
 * Work: w · h products an output, of separable masks w + h and the halo's. Steps: as many. Bytes:
 * out once; in once, and the halos of tiles out of L2.
 * Source: the tiles of TILED_HALO, the weights of CONSTANT. */
#include "common/host/device.h"
#include "common/host/sizes.h"
#include "common/kernel/async_copy.cuh"
#include "common/kernel/launch.cuh"
#include "common/kernel/shared.cuh"
#include "convolution/dispatch.cuh"
#include "convolution/listed.cuh"
#include "convolution/register.h"
#include "convolution/small_shape.h"

namespace
{
namespace small
{

constexpr int THREADS_OF_BLOCK = PRIM_SMALL_THREADS, SEVERAL = PRIM_SMALL_SEVERAL,
              TAPS = PRIM_SMALL_TAPS;
constexpr int MOST_TAPS = 256; /* of a mask */
static_assert(MOST_TAPS <= THREADS_OF_BLOCK, "a thread brings one");
static_assert(TAPS == listed::TAPS, "the shape pads rows to them");
constexpr size_t MOST_SEPARABLE = 16; /* of a side */

/* `at`: bytes of the tile from a window's first element. */
template <typename Sum>
struct tap {
    Sum weight;
    int at;
};

template <typename Pixel>
struct task {
    const typename Pixel::source *in;
    typename Pixel::element *out;
    size_t in_pitch, out_pitch;
    int width, height, channels;
    unsigned per_channel, per_column; /* 2^16 / channels and / mask_width, rounded up */
    int before_x, before_y, mask_width, mask_height;
    bool is_separable;
    prim_boundary boundary;
    typename Pixel::source fill[PRIM_CONVOLUTION_MOST_CHANNELS];
    typename Pixel::ending end;
    prim_small_shape cut;
    int count, all; /* taps; of a separable mask, of its row, and of both */
    tap<typename Pixel::sum> taps[MOST_TAPS]; /* of a separable mask, the row's and the column's */
};

/* A block's outputs: the first one, and how many there are. */
struct block_place {
    int x, y, columns, rows;

    template <typename Pixel>
    __device__ explicit block_place(const task<Pixel> &p)
        : x(static_cast<int>(blockIdx.x) * p.cut.columns),
          y(static_cast<int>(blockIdx.y) * p.cut.high),
          columns(p.width - x < p.cut.columns ? p.width - x : p.cut.columns),
          rows(p.height - y < p.cut.high ? p.height - y : p.cut.high)
    {
    }
};

/* Arguments as memory, of which lanes can read different words at once. */
template <typename T>
__device__ const T *in_memory(const T *argument)
{
#ifdef __CUDA_ARCH__
    asm("" : "+l"(argument));
#endif
    return argument;
}

/* The bytes from the image's first element to each row and column of the tile, or to what stands in
 * for them; FILL. Rows come first. */
template <typename Pixel>
__device__ void list_places(const task<Pixel> &p, const block_place &block, int64_t *places)
{
    const int rows = block.rows + p.mask_height - 1, columns = block.columns + p.mask_width - 1;
    const int64_t pixel = p.channels * static_cast<int>(sizeof(typename Pixel::source));
    PRIM_UNROLL(1)
    for (int k = static_cast<int>(threadIdx.x); k < rows + columns; k += THREADS_OF_BLOCK) {
        const bool is_row = k < rows;
        const int from = stand_in(
            p.boundary, is_row ? block.y - p.before_y + k : block.x - p.before_x + k - rows,
            is_row ? p.height : p.width);
        places[k] =
            from == FILL ? FILL : from * (is_row ? static_cast<int64_t>(p.in_pitch) : pixel);
    }
}

/* A thread's rows of one column of the tile, every `step`-th. Elements that must be converted pass
 * through registers, several at once. */
template <typename Pixel, typename T>
__device__ void bring_column(const task<Pixel> &p, const int64_t *row_places, int64_t column,
                             int channel, T *to, int row, int rows, int step)
{
    using source = typename Pixel::source;
    constexpr bool IS_ASYNC = std::is_same<source, T>::value;
    constexpr int AT_ONCE = 4;
    const source fill = p.fill[channel];
    const char *const from = reinterpret_cast<const char *>(p.in + channel) + column;
    const int pitch = step * p.cut.pitch;
    PRIM_UNROLL(1)
    for (; row < rows; row += AT_ONCE * step, to += AT_ONCE * pitch) {
        source some[AT_ONCE];
        PRIM_UNROLL(AT_ONCE)
        for (int i = 0; i < AT_ONCE; i++) {
            if (row + i * step >= rows)
                break;
            const int64_t place = row_places[row + i * step];
            some[i] = fill;
            if (column >= 0 && place >= 0) {
                const source *const element = reinterpret_cast<const source *>(from + place);
                if constexpr (IS_ASYNC)
                    copy_async(to + i * pitch, element);
                else
                    some[i] = *element;
            } else if (IS_ASYNC) {
                to[i * pitch] = Pixel::loaded(fill);
            }
        }
        PRIM_UNROLL(AT_ONCE)
        for (int i = 0; i < AT_ONCE && !IS_ASYNC; i++)
            if (row + i * step < rows)
                to[i * pitch] = static_cast<T>(Pixel::loaded(some[i]));
    }
}

/* Valid after a wait for copies and a barrier. */
template <typename Pixel, typename T>
__device__ void bring(const task<Pixel> &p, const block_place &block, const int64_t *places,
                      T *tile)
{
    const int thread = static_cast<int>(threadIdx.x), lanes = 1 << p.cut.copy_bits;
    const int needed = (block.columns + p.mask_width - 1) * p.channels,
              rows = block.rows + p.mask_height - 1;
    const int row = thread >> p.cut.copy_bits;
    PRIM_UNROLL(1)
    for (int e = thread & (lanes - 1); e < needed; e += lanes) {
        const int pixel = static_cast<int>(static_cast<unsigned>(e) * p.per_channel >> 16);
        const int channel = e - pixel * p.channels;
        bring_column(p, places, places[rows + pixel], channel,
                     tile + channel * p.cut.plane + row * p.cut.pitch + pixel, row, rows,
                     THREADS_OF_BLOCK >> p.cut.copy_bits);
    }
}

/* ---- windows ---- */

/* A mask, or a part of a separable one, for threads of one output: a list of taps, which knows no
 * rows. */
template <typename Sum>
struct mask_of_one {
    const tap<Sum> *taps;
    int count;

    template <typename Pixel>
    __device__ static void put(const task<Pixel> &, int k, const tap<Sum> &one, void *shared)
    {
        static_cast<tap<Sum> *>(shared)[k] = one;
    }
    template <typename Pixel>
    __device__ mask_of_one(const task<Pixel> &p, const void *shared)
        : taps(static_cast<const tap<Sum> *>(shared)), count(p.count)
    {
    }
    template <typename Pixel>
    __device__ void go_to_column(const task<Pixel> &p)
    {
        taps += count;
        count = p.mask_height;
    }

    template <typename T>
    __device__ void add(const T *from, Sum (&sums)[1]) const
    {
        const tap<Sum> *next = taps;
        int left = count;
        const auto add_one = [&](const tap<Sum> &one) {
            sums[0] = add_product(sums[0], one.weight,
                                  static_cast<Sum>(*reinterpret_cast<const T *>(
                                      reinterpret_cast<const unsigned char *>(from) + one.at)));
        };
        PRIM_UNROLL(1)
        for (; left >= TAPS; left -= TAPS, next += TAPS) {
            PRIM_UNROLL(TAPS)
            for (int k = 0; k < TAPS; k++)
                add_one(next[k]);
        }
        PRIM_UNROLL(1)
        for (; left > 0; left--, next++)
            add_one(*next);
    }
};

template <int COUNT, typename Sum, typename T>
__device__ void read(const T *from, Sum *x)
{
    constexpr int EACH = static_cast<int>(VECTOR_ELEMENTS<T>);
    PRIM_UNROLL(COUNT)
    for (int k = 0; k < COUNT; k += EACH) {
        const vector<T> some = load_vector(from + k);
        PRIM_UNROLL(EACH)
        for (int e = 0; e < EACH; e++)
            x[k + e] = static_cast<Sum>(some.words[e]);
    }
}

/* The same for threads of several outputs side by side: row by row, so that an element serves all
 * windows that it lies in. Rows are padded to whole TAPS. */
template <typename Sum>
struct mask_of_several {
    const Sum *weights;
    int width, height, pitch; /* from row to row of the tile */

    template <typename Pixel>
    __device__ static void put(const task<Pixel> &p, int k, const tap<Sum> &one, void *shared)
    {
        const int padded = listed::padded(p.mask_width);
        const int row = static_cast<int>(static_cast<unsigned>(k) * p.per_column >> 16);
        const int place = k < p.count ? row * padded + k - row * p.mask_width
                                      : padded + (k - p.count) * TAPS; /* of a column */
        static_cast<Sum *>(shared)[place] = one.weight;
    }
    template <typename Pixel>
    __device__ mask_of_several(const task<Pixel> &p, const void *shared)
        : weights(static_cast<const Sum *>(shared)), width(p.mask_width),
          height(p.is_separable ? 1 : p.mask_height), pitch(p.cut.pitch)
    {
    }
    template <typename Pixel>
    __device__ void go_to_column(const task<Pixel> &p)
    {
        weights += listed::padded(width);
        width = 1;
        height = p.mask_height;
        pitch = p.cut.columns;
    }

    template <typename T>
    __device__ void add(const T *from, Sum (&sums)[SEVERAL]) const
    {
        const Sum *of_row = weights;
        PRIM_UNROLL(1)
        for (int row = 0; row < height; row++, from += pitch, of_row += listed::padded(width)) {
            Sum x[SEVERAL + TAPS];
            read<SEVERAL>(from, x);
            PRIM_UNROLL(1)
            for (int i = 0; i < width; i += TAPS) {
                const int left = width - i;
                if (left > 1)
                    read<TAPS>(from + i + SEVERAL, x + SEVERAL);
                if (left < TAPS) {
                    listed::add_taps<TAPS, false>(sums, of_row + i, left, x);
                    break;
                }
                listed::add_taps<TAPS, true>(sums, of_row + i, TAPS, x);
                PRIM_UNROLL(SEVERAL)
                for (int c = 0; c < SEVERAL; c++)
                    x[c] = x[TAPS + c];
            }
        }
    }
};

/* put(channel, row, column, sums) of the windows in each of `rows` rows of the block. */
template <int OUTPUTS, typename Pixel, typename Mask, typename T, typename Put>
__device__ void add_windows(const task<Pixel> &p, const block_place &block, const Mask &mask,
                            const T *tile, int pitch, int plane, int rows, const Put &put)
{
    PRIM_UNROLL(1)
    for (int place = static_cast<int>(threadIdx.x); place < rows << p.cut.bits;
         place += THREADS_OF_BLOCK) {
        const int row = place >> p.cut.bits, own = place - (row << p.cut.bits);
        const int beside = static_cast<int>(static_cast<unsigned>(own) * p.per_channel >> 16);
        const int channel = own - beside * p.channels, column = beside * OUTPUTS;
        typename Pixel::sum sums[OUTPUTS] = {};
        if (column >= block.columns)
            continue;
        mask.add(tile + channel * plane + row * pitch + column, sums);
        put(channel, row, column, sums);
    }
}

/* The sums of a row of a separable mask, as the tile of its column. */
template <int OUTPUTS, typename Pixel, typename Mask>
__device__ void sum_rows(const task<Pixel> &p, const block_place &block, const Mask &mask,
                         const typename Pixel::row_sum *tile, typename Pixel::row_sum *row_sums)
{
    using in_tile = typename Pixel::row_sum;
    constexpr unsigned EACH = OUTPUTS == 1 ? 1 : VECTOR_ELEMENTS<in_tile>;
    const auto put = [&](int channel, int row, int column, const auto &sums) {
        in_tile *const to = row_sums + channel * p.cut.sums_plane + row * p.cut.columns + column;
        PRIM_UNROLL(OUTPUTS)
        for (unsigned o = 0; o < OUTPUTS; o += EACH) {
            packed<in_tile, EACH> some;
            PRIM_UNROLL(EACH)
            for (unsigned e = 0; e < EACH; e++)
                some.words[e] = static_cast<in_tile>(sums[o + e]);
            *reinterpret_cast<packed<in_tile, EACH> *>(to + o) = some;
        }
    };
    add_windows<OUTPUTS>(p, block, mask, tile, p.cut.pitch, p.cut.plane,
                         block.rows + p.mask_height - 1, put);
}

template <int OUTPUTS, typename Pixel>
__device__ void write(const task<Pixel> &p, const block_place &block, int channel, int row,
                      int column, const typename Pixel::sum (&sums)[OUTPUTS])
{
    using element = typename Pixel::element;
    element *to = reinterpret_cast<element *>(reinterpret_cast<char *>(p.out) +
                                              static_cast<size_t>(block.y + row) * p.out_pitch);
    to += static_cast<int64_t>(block.x + column) * p.channels + channel;
    PRIM_UNROLL(OUTPUTS)
    for (int o = 0; o < OUTPUTS; o++, to += p.channels)
        if (column + o < block.columns)
            *to = Pixel::stored(sums[o], p.end);
}

template <typename Pixel, int OUTPUTS>
__global__ void __launch_bounds__(THREADS_OF_BLOCK) convolve(const __grid_constant__ task<Pixel> p)
{
    using sum = typename Pixel::sum;
    using in_tile = typename Pixel::row_sum;
    using mask_in_shared =
        typename std::conditional<OUTPUTS == 1, mask_of_one<sum>, mask_of_several<sum>>::type;
    PRIM_SHARED_DYNAMIC(unsigned char, shared);
    int64_t *const places = reinterpret_cast<int64_t *>(shared + p.cut.places_at);
    in_tile *const tile = reinterpret_cast<in_tile *>(shared + p.cut.tile_at);
    in_tile *const row_sums = reinterpret_cast<in_tile *>(shared + p.cut.sums_at);
    const block_place block(p);
    const int thread = static_cast<int>(threadIdx.x);
    tap<sum> own = {}; /* on its way to shared memory while the tile comes */
    if (thread < p.all)
        own = in_memory(p.taps)[thread];
    list_places(p, block, places);
    __syncthreads();
    bring(p, block, places, tile);
    if (thread < p.all)
        mask_in_shared::put(p, thread, own, shared);
    wait_for_copies();
    __syncthreads();
    mask_in_shared mask(p, shared);
    const in_tile *from = tile;
    int pitch = p.cut.pitch, plane = p.cut.plane;
    if (p.is_separable) {
        sum_rows<OUTPUTS>(p, block, mask, tile, row_sums);
        __syncthreads();
        mask.go_to_column(p);
        from = row_sums;
        pitch = p.cut.columns;
        plane = p.cut.sums_plane;
    }
    add_windows<OUTPUTS>(p, block, mask, from, pitch, plane, block.rows,
                         [&](int channel, int row, int column, const auto &sums) {
                             write<OUTPUTS>(p, block, channel, row, column, sums);
                         });
}

/* ---- on the host ---- */

/* Taps of a mask whose rows lie `pitch` elements apart in shared memory. */
template <typename Sum>
void list_taps(const prim_convolution_args *args, const prim_mask &mask, int pitch,
               size_t element_bytes, tap<Sum> *taps)
{
    const int width = static_cast<int>(mask.width), count = width * static_cast<int>(mask.height);
    const weight_list<Sum> list = list_of<Sum>(args, mask.h_values, static_cast<size_t>(count));
    for (int k = 0; k < count; k++)
        taps[k] = {list[k], (k / width * pitch + k % width) * static_cast<int>(element_bytes)};
}

template <typename Pixel>
task<Pixel> make_task(const prim_convolution_args *args)
{
    constexpr size_t BYTES = sizeof(typename Pixel::row_sum);
    const prim_image &in = args->in;
    const prim_mask &mask = args->mask, &column = args->mask_y;
    task<Pixel> p = {};
    p.in = static_cast<const typename Pixel::source *>(in.data);
    p.out = static_cast<typename Pixel::element *>(args->out.data);
    p.in_pitch = in.pitch;
    p.out_pitch = args->out.pitch;
    p.width = static_cast<int>(in.width);
    p.height = static_cast<int>(in.height);
    p.channels = in.channels;
    p.per_channel =
        ((1u << 16) + static_cast<unsigned>(in.channels) - 1) / static_cast<unsigned>(in.channels);
    p.per_column =
        ((1u << 16) + static_cast<unsigned>(mask.width) - 1) / static_cast<unsigned>(mask.width);
    p.is_separable = column.height > 0;
    const prim_mask &last = p.is_separable ? column : mask; /* whose rows are the windows' */
    p.mask_width = static_cast<int>(mask.width);
    p.mask_height = static_cast<int>(last.height);
    p.before_x = before_pixel(args, mask.width, mask.anchor_x);
    p.before_y = before_pixel(args, last.height, last.anchor_y);
    p.boundary = args->boundary;
    copy_fill(args, p.fill);
    p.end = make_ending<Pixel>(args);
    p.cut = prim_convolution_small_shape(args, BYTES);
    p.count = static_cast<int>(mask.width * mask.height);
    p.all = p.count + static_cast<int>(column.height);
    list_taps(args, mask, p.cut.pitch, BYTES, p.taps);
    if (p.is_separable)
        list_taps(args, column, p.cut.columns, BYTES, p.taps + p.count);
    return p;
}

struct run_small : launch_run {
    template <typename Pixel>
    static cudaError_t run(const prim_convolution_args *args)
    {
        const task<Pixel> p = make_task<Pixel>(args);
        const dim3 grid(static_cast<unsigned>(prim_divide_up(args->in.width, p.cut.columns)),
                        static_cast<unsigned>(prim_divide_up(args->in.height, p.cut.high)));
        const launch_config where = {args->call.stream, grid, THREADS_OF_BLOCK, p.cut.bytes};
        return p.cut.outputs == 1 ? prim_launch(where, convolve<Pixel, 1>, p)
                                  : prim_launch(where, convolve<Pixel, SEVERAL>, p);
    }
};

struct bytes_in_tile {
    template <typename Pixel>
    static size_t run(const prim_convolution_args *)
    {
        return sizeof(typename Pixel::row_sum);
    }
    static size_t not_built(const prim_convolution_args *)
    {
        return 0;
    }
};

const char *why_not(const void *any)
{
    const prim_convolution_args *args = static_cast<const prim_convolution_args *>(any);
    constexpr size_t MOST_SIDE = size_t{1} << 29, MOST_DOWN = 65535;
    const bool is_separable = args->mask_y.height > 0;
    const size_t bytes = dispatch_pair<bytes_in_tile>(args);
    if (bytes == 0)
        return PRIM_TYPES_NOT_BUILT;
    if (args->mask.h_values == nullptr || (is_separable && args->mask_y.h_values == nullptr))
        return "it needs the mask's h_values";
    if (is_separable ? args->mask.width > MOST_SEPARABLE || args->mask_y.height > MOST_SEPARABLE
                     : args->mask.width * args->mask.height > MOST_TAPS)
        return "it takes masks of at most 256 weights, and separable ones of at most 16 a side";
    if (args->in.width == 0 || args->in.height == 0)
        return nullptr;
    if (args->in.width > MOST_SIDE || args->in.height > MOST_SIDE)
        return PRIM_GRID_TOO_SMALL;
    return args->in.height <= MOST_DOWN || /* whatever the shape, which takes time to find */
                   prim_divide_up(args->in.height,
                                  prim_convolution_small_shape(args, bytes).high) <= MOST_DOWN
               ? nullptr
               : PRIM_GRID_TOO_SMALL;
}

cudaError_t launch(const void *any)
{
    const prim_convolution_args *args = static_cast<const prim_convolution_args *>(any);
    return args->in.width == 0 || args->in.height == 0 ? cudaSuccess
                                                       : dispatch_pair<run_small>(args);
}

} // namespace small
} // namespace

/* As measured on an H200. Of an image of few columns, REGISTER's tiles are mostly at its sides; its
 * patches and strips are faster than its window, and so is the window over images of few rows. A
 * separable mask is two launches there. Over narrow rows nothing is better at any height. */
bool prim_convolution_is_small(const prim_convolution_args *args)
{
    constexpr size_t MOST_WORK = 160000; /* of a multiprocessor */
    constexpr size_t FEW_COLUMNS = 128, FEW_ROWS = 8, NARROW = 96;
    const prim_image &in = args->in;
    if (in.width == 0 || in.height == 0 || small::why_not(args) != nullptr)
        return false;
    const bool is_separable = args->mask_y.height > 0;
    if (is_separable && in.width * static_cast<size_t>(in.channels) <= NARROW)
        return true;
    const size_t most = MOST_WORK * (is_separable ? (in.type == CUDA_R_32F ? 4 : 8)
                                                  : (in.width < FEW_COLUMNS ? 4 : 1));
    const size_t parts = prim_convolution_walks(args) ? 4 : in.height <= FEW_ROWS ? 2 : 1;
    return prim_convolution_small_work(args, dispatch_pair<small::bytes_in_tile>(args)) <=
           most / parts;
}

PRIM_DEFINE_RUNG(convolution, small) = {
    {PRIM_CONVOLUTION_SMALL, "small", "small tiles with their halo, and one loop for all masks"},
    small::why_not,
    nullptr,
    small::launch};
