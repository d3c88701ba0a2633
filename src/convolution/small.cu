/* SMALL: images that do not fill the card, for which the beginning and the end of the launch take
 * most of the time. So the kernel has little code, and all loads of a block are on their way at
 * once.
 *
 *     tile  ┌───────────────┐     A block copies the elements of its outputs into shared memory,
 *           │ · · ■ · · □ · │     with the halo, element by element: wherever rows begin, however
 *           │ · · · · · · · │     many channels there are, and with what stands in for pixels
 *           └───────────────┘     outside. They have the type of sums there.
 *     taps    weight, distance    A list of the mask's weights, each with its element's distance
 *             weight, distance    from the window's first one, is the launch's argument: so there
 *             …                   is one loop for all masks, and no kernel for a width.
 *
 * Each tap is read once for the OUTPUTS of a thread, which lie as far apart as there are threads.
 * Of a separable mask, a block sums the rows of its tile along them first, in shared memory too.
 *
 * What holds it back: a load from shared memory for each product. REGISTER has one for several.
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

namespace
{
namespace small
{

constexpr int THREADS_OF_BLOCK = 256;
constexpr int MOST_OUTPUTS = 4;      /* of a thread, side by side; of FEW_OUTPUTS it has one */
constexpr size_t FEW_OUTPUTS = 1536; /* of a multiprocessor */
constexpr int TAPS = listed::TAPS;   /* that are taken at once */
constexpr int MOST_WEIGHTS = 256;
static_assert(MOST_WEIGHTS <= THREADS_OF_BLOCK, "a thread brings one");
constexpr size_t MOST_SEPARABLE = 16; /* of a side */
constexpr size_t SHARED_BYTES = 48 << 10;

/* How an image is divided into tiles. Distances within them are elements. */
struct shape {
    int outputs;                     /* of a thread */
    int columns, high;               /* outputs of a block, in pixels */
    int bits;                        /* 2^: threads side by side, those of all channels */
    int copy_bits;                   /* 2^: threads that copy a row */
    int rows;                        /* of the tile */
    int pitch, plane, sums_plane;    /* from row to row, and from channel to channel */
    int places_at, tile_at, sums_at; /* bytes of shared memory before them; weights come first */
    size_t bytes;                    /* of shared memory */
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
    shape cut;
    int count, all; /* weights; of a separable mask, of its row, and of both */
    typename Pixel::sum weights[MOST_WEIGHTS];
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

/* Where the k-th weight lies in shared memory: rows are padded to whole TAPS. */
template <typename Pixel>
__device__ int place_of_weight(const task<Pixel> &p, int k)
{
    const int padded = listed::padded(p.mask_width);
    if (k >= p.count)
        return padded + (k - p.count) * TAPS; /* of a column, after the row */
    const int row = static_cast<int>(static_cast<unsigned>(k) * p.per_column >> 16);
    return row * padded + k - row * p.mask_width;
}

/* A mask, or a part of a separable one, in shared memory. */
template <typename Sum>
struct mask_rows {
    const Sum *weights;
    int width, height;
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

/* The sums of the windows that begin at `from` and beside it. An element serves all of them. */
template <int OUTPUTS, typename Sum, typename T>
__device__ void add_window(const mask_rows<Sum> &mask, const T *from, int pitch,
                           Sum (&sums)[OUTPUTS])
{
    constexpr int BEFORE = OUTPUTS == 1 ? 0 : OUTPUTS; /* elements that are there already */
    const int padded = listed::padded(mask.width);
    const Sum *weights = mask.weights;
    PRIM_UNROLL(1)
    for (int row = 0; row < mask.height; row++, from += pitch, weights += padded) {
        Sum x[BEFORE + TAPS];
        if constexpr (OUTPUTS > 1)
            read<BEFORE>(from, x);
        PRIM_UNROLL(1)
        for (int i = 0; i < mask.width; i += TAPS) {
            const int left = mask.width - i;
            if constexpr (OUTPUTS == 1) {
                PRIM_UNROLL(TAPS)
                for (int t = 0; t < TAPS; t++)
                    x[t] = static_cast<Sum>(from[i + t]);
            } else if (left > 1) {
                read<TAPS>(from + i + BEFORE, x + BEFORE);
            }
            if (left < TAPS) {
                listed::add_taps<false>(sums, weights + i, left, x);
                break;
            }
            listed::add_taps<true>(sums, weights + i, TAPS, x);
            if constexpr (OUTPUTS > 1) {
                PRIM_UNROLL(BEFORE)
                for (int c = 0; c < BEFORE; c++)
                    x[c] = x[TAPS + c];
            }
        }
    }
}

/* put(channel, row, column, sums) of the windows in each of `rows` rows of the block. */
template <int OUTPUTS, typename Pixel, typename T, typename Put>
__device__ void add_windows(const task<Pixel> &p, const block_place &block,
                            const mask_rows<typename Pixel::sum> &mask, const T *tile, int pitch,
                            int plane, int rows, const Put &put)
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
        add_window(mask, tile + channel * plane + row * pitch + column, pitch, sums);
        put(channel, row, column, sums);
    }
}

/* The sums of a row of a separable mask, as the tile of its column. */
template <int OUTPUTS, typename Pixel>
__device__ void sum_rows(const task<Pixel> &p, const block_place &block,
                         const mask_rows<typename Pixel::sum> &mask,
                         const typename Pixel::row_sum *tile, typename Pixel::row_sum *row_sums)
{
    using sums_of_thread = packed<typename Pixel::row_sum, OUTPUTS>;
    add_windows<OUTPUTS>(
        p, block, mask, tile, p.cut.pitch, p.cut.plane, block.rows + p.mask_height - 1,
        [&](int channel, int row, int column, const auto &sums) {
            sums_of_thread some;
            PRIM_UNROLL(OUTPUTS)
            for (int o = 0; o < OUTPUTS; o++)
                some.words[o] = static_cast<typename Pixel::row_sum>(sums[o]);
            *reinterpret_cast<sums_of_thread *>(row_sums + channel * p.cut.sums_plane +
                                                row * p.cut.columns + column) = some;
        });
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
    PRIM_SHARED_DYNAMIC(unsigned char, shared);
    sum *const weights = reinterpret_cast<sum *>(shared);
    int64_t *const places = reinterpret_cast<int64_t *>(shared + p.cut.places_at);
    const in_tile *from = reinterpret_cast<in_tile *>(shared + p.cut.tile_at);
    const block_place block(p);
    const int thread = static_cast<int>(threadIdx.x);
    sum own = 0; /* on its way to shared memory while the tile comes */
    if (thread < p.all)
        own = in_memory(p.weights)[thread];
    list_places(p, block, places);
    __syncthreads();
    bring(p, block, places, reinterpret_cast<in_tile *>(shared + p.cut.tile_at));
    if (thread < p.all)
        weights[place_of_weight(p, thread)] = own;
    wait_for_copies();
    __syncthreads();
    mask_rows<sum> mask = {weights, p.mask_width, p.mask_height};
    int pitch = p.cut.pitch, plane = p.cut.plane;
    if (p.is_separable) {
        in_tile *const row_sums = reinterpret_cast<in_tile *>(shared + p.cut.sums_at);
        sum_rows<OUTPUTS>(p, block, {weights, p.mask_width, 1}, from, row_sums);
        __syncthreads();
        from = row_sums;
        mask = {weights + listed::padded(p.mask_width), 1, p.mask_height};
        pitch = p.cut.columns;
        plane = p.cut.sums_plane;
    }
    add_windows<OUTPUTS>(p, block, mask, from, pitch, plane, block.rows,
                         [&](int channel, int row, int column, const auto &sums) {
                             write<OUTPUTS>(p, block, channel, row, column, sums);
                         });
}

/* ---- on the host ---- */

/* A separable mask's rows are the column's. */
size_t rows_of_mask(const prim_convolution_args *args)
{
    return args->mask_y.height > 0 ? args->mask_y.height : args->mask.height;
}

size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

size_t round_up(size_t count, size_t to)
{
    return prim_divide_up(count, to) * to;
}

/* Lanes of all channels read whole vectors at a time: from different banks. */
size_t plane_of(size_t elements, size_t element_bytes, size_t channels)
{
    constexpr size_t BANKS = 128;
    const size_t bytes = round_up(elements * element_bytes, BANKS);
    return (bytes + (channels > 1 ? BANKS / channels / VECTOR_BYTES * VECTOR_BYTES : 0)) /
           element_bytes;
}

/* Tiles of 2^bits threads side by side; false where they do not fit shared memory. */
bool lay_out(const prim_convolution_args *args, int outputs, int bits, size_t element_bytes,
             shape *cut)
{
    const size_t channels = static_cast<size_t>(args->in.channels);
    const size_t columns = (size_t{1} << bits) / channels * static_cast<size_t>(outputs),
                 high = THREADS_OF_BLOCK >> bits;
    const size_t padded = round_up(args->mask.width, TAPS);
    const size_t used = round_up(least(columns, args->in.width), static_cast<size_t>(outputs)),
                 pitch = round_up(used + padded, TAPS),
                 rows = least(high, args->in.height) + rows_of_mask(args) - 1;
    const size_t sum_bytes = prim_convolution_sum_type(args) == CUDA_R_64I ? 8 : element_bytes;
    const bool is_separable = args->mask_y.height > 0;
    const size_t places_at = (padded * args->mask.height + TAPS * args->mask_y.height) * sum_bytes;
    const size_t tile_at = places_at + round_up((rows + pitch) * sizeof(int64_t), VECTOR_BYTES);
    const size_t plane = plane_of(rows * pitch, element_bytes, channels),
                 sums_plane = plane_of(rows * columns, element_bytes, channels);
    const size_t sums_at = tile_at + plane * channels * element_bytes;
    *cut = {};
    cut->outputs = outputs;
    cut->columns = static_cast<int>(columns);
    cut->high = static_cast<int>(high);
    cut->bits = bits;
    cut->rows = static_cast<int>(rows);
    cut->pitch = static_cast<int>(pitch);
    cut->plane = static_cast<int>(plane);
    cut->sums_plane = static_cast<int>(sums_plane);
    cut->places_at = static_cast<int>(places_at);
    cut->tile_at = static_cast<int>(tile_at);
    cut->sums_at = static_cast<int>(sums_at);
    cut->bytes = sums_at + (is_separable ? sums_plane * channels * element_bytes : 0);
    return columns > 0 && cut->bytes <= SHARED_BYTES;
}

/* Elements of a row of a tile that are copied. */
int copied_of(const prim_convolution_args *args, const shape &cut)
{
    return static_cast<int>(
        (least(static_cast<size_t>(cut.columns), args->in.width) + args->mask.width - 1) *
        static_cast<size_t>(args->in.channels));
}

/* What the image costs in such tiles: elements that are copied, in whole sectors, and outputs. */
double cost_of(const prim_convolution_args *args, const shape &cut)
{
    const double blocks = static_cast<double>(prim_divide_up(args->in.width, cut.columns)) *
                          static_cast<double>(prim_divide_up(args->in.height, cut.high));
    const int sector = 8;
    return blocks *
           (cut.rows * (copied_of(args, cut) + sector) + 2 * cut.outputs * THREADS_OF_BLOCK);
}

/* So many that the tile takes the fewest steps; of as many the most, since memory likes long
 * rows. */
int copy_bits_of(int elements, int rows)
{
    int best = 0, fewest = 0;
    for (int bits = 0; 1 << bits <= THREADS_OF_BLOCK; bits++) {
        const int lanes = 1 << bits, at_once = THREADS_OF_BLOCK >> bits;
        const int steps = (elements + lanes - 1) / lanes * ((rows + at_once - 1) / at_once);
        if (fewest == 0 || steps <= fewest) {
            best = bits;
            fewest = steps;
        }
    }
    return best;
}

int outputs_of_thread(const prim_convolution_args *args)
{
    const size_t line = args->in.width * static_cast<size_t>(args->in.channels);
    const size_t most = FEW_OUTPUTS * prim_device_multiprocessors();
    return line <= most / args->in.height ? 1 : MOST_OUTPUTS;
}

/* `columns` of it are 0 where none fits. */
shape best_shape(const prim_convolution_args *args, int outputs, size_t element_bytes)
{
    shape best = {}, cut;
    double least_cost = 0;
    for (int bits = 0; 1 << bits <= THREADS_OF_BLOCK; bits++) {
        if (!lay_out(args, outputs, bits, element_bytes, &cut))
            continue;
        const double cost = cost_of(args, cut);
        if (best.columns == 0 || cost <= least_cost) {
            best = cut;
            least_cost = cost;
        }
    }
    return best;
}

/* With one output a thread, tiles of all masks fit. */
shape shape_of(const prim_convolution_args *args, size_t element_bytes)
{
    shape best = best_shape(args, outputs_of_thread(args), element_bytes);
    if (best.columns == 0)
        best = best_shape(args, 1, element_bytes);
    best.copy_bits = copy_bits_of(copied_of(args, best), best.rows);
    return best;
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
    p.mask_width = static_cast<int>(mask.width);
    p.mask_height = static_cast<int>(rows_of_mask(args));
    p.before_x = before_pixel(args, mask.width, mask.anchor_x);
    p.before_y =
        before_pixel(args, rows_of_mask(args), p.is_separable ? column.anchor_y : mask.anchor_y);
    p.boundary = args->boundary;
    copy_fill(args, p.fill);
    p.end = make_ending<Pixel>(args);
    p.cut = shape_of(args, BYTES);
    p.count = static_cast<int>(mask.width * mask.height);
    p.all = p.count + static_cast<int>(column.height);
    listed::copy_from_host(args, mask, p.weights);
    if (p.is_separable)
        listed::copy_from_host(args, column, p.weights + p.count);
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
                                  : prim_launch(where, convolve<Pixel, MOST_OUTPUTS>, p);
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
                     : args->mask.width * args->mask.height > MOST_WEIGHTS)
        return "it takes masks of at most 256 weights, and separable ones of at most 16 a side";
    if (args->in.width == 0 || args->in.height == 0)
        return nullptr;
    return args->in.width <= MOST_SIDE && args->in.height <= MOST_SIDE &&
                   prim_divide_up(args->in.height, shape_of(args, bytes).high) <= MOST_DOWN
               ? nullptr
               : PRIM_GRID_TOO_SMALL;
}

/* Elements that a multiprocessor copies, and products: what they cost is about 16 to 1. */
size_t work_of(const prim_convolution_args *args)
{
    constexpr size_t PER_ELEMENT = 16;
    const shape cut = shape_of(args, dispatch_pair<bytes_in_tile>(args));
    const size_t outputs = static_cast<size_t>(cut.outputs * THREADS_OF_BLOCK),
                 row = outputs / static_cast<size_t>(cut.high),
                 rows = static_cast<size_t>(cut.rows);
    const bool is_separable = args->mask_y.height > 0;
    const size_t products = is_separable
                                ? rows * row * args->mask.width + outputs * args->mask_y.height
                                : outputs * args->mask.width * args->mask.height;
    const size_t blocks =
        prim_divide_up(args->in.width, cut.columns) * prim_divide_up(args->in.height, cut.high);
    return blocks * (products + PER_ELEMENT * rows * static_cast<size_t>(copied_of(args, cut))) /
           prim_device_multiprocessors();
}

cudaError_t launch(const void *any)
{
    const prim_convolution_args *args = static_cast<const prim_convolution_args *>(any);
    return args->in.width == 0 || args->in.height == 0 ? cudaSuccess
                                                       : dispatch_pair<run_small>(args);
}

} // namespace small
} // namespace

/* As measured on an H200. What REGISTER has for f32 alone is faster than what it has for all types,
 * its patches and strips more so, and so is its window over images of few rows. Separable masks
 * over narrow rows have nothing better at any height. */
bool prim_convolution_is_small(const prim_convolution_args *args)
{
    constexpr size_t MOST_WORK = 128000; /* of a multiprocessor, for f32 */
    constexpr size_t FEW_ROWS = 8, NARROW = 96;
    if (args->in.width == 0 || args->in.height == 0 || small::why_not(args) != nullptr)
        return false;
    const bool is_separable = args->mask_y.height > 0, has_few_rows = args->in.height <= FEW_ROWS;
    if (is_separable && args->in.width * static_cast<size_t>(args->in.channels) <= NARROW)
        return true;
    const size_t most = MOST_WORK * (is_separable ? 4 : 1) * (args->in.type == CUDA_R_32F ? 1 : 2);
    return small::work_of(args) <= (has_few_rows || prim_convolution_walks(args) ? most / 4 : most);
}

PRIM_DEFINE_RUNG(convolution, small) = {
    {PRIM_CONVOLUTION_SMALL, "small", "small tiles with their halo, and one list of taps"},
    small::why_not,
    nullptr,
    small::launch};
