/* REGISTER's tile: the input of a block's outputs with its halo, in shared memory, a plane for each
 * channel.
 *
 *     memory    r g b r g b r g b …       plane r   r r r …     column 0 of a plane is the first
 *                                         plane g   g g g …     that the first output's window
 *                                         plane b   b b b …     reaches, at a multiple of 16 bytes
 *
 * So a thread reads whole vectors, wherever rows begin in memory and however many channels lie
 * between two pixels. Elements of 4 and 8 bytes are copied one by one, asynchronously; narrow ones
 * of one channel 16 bytes at a time, which are shifted out of the words around them, and of several
 * channels 4 pixels at a time. Only tiles at the image's sides apply the boundary. */
#ifndef PRIM_CONVOLUTION_WINDOW_TILE_CUH
#define PRIM_CONVOLUTION_WINDOW_TILE_CUH

#include "common/block/vectors.cuh"
#include "common/kernel/async_copy.cuh"
#include "convolution/problem.cuh"
#include "convolution/window_shape.h"

namespace
{
namespace window
{

constexpr int COLUMNS = PRIM_WINDOW_COLUMNS;

/* Sums of 32 bits begin with a bias where that makes a division quick: rounded.cuh. */
template <typename Pixel>
using ending = typename std::conditional<Pixel::IS_DIVIDED && sizeof(typename Pixel::sum) == 4,
                                         biased_ending, typename Pixel::ending>::type;

/* The arguments of all kernels. */
template <typename Pixel>
struct task {
    using source = typename Pixel::source;
    using element = typename Pixel::element;

    const source *in;
    element *out;
    size_t in_pitch, out_pitch;
    size_t in_step;        /* bytes between rows that a thread copies */
    int64_t width, height; /* in pixels */
    int64_t first_y;       /* of the launch's first tile */
    unsigned across;       /* tiles side by side */
    int channels, mask_width, mask_height;
    int before_x, before_y;               /* pixels of a window before its output */
    bool has_near_columns, has_near_rows; /* windows reach no further outside than the image is */
    bool stores_from_registers;           /* of aligned rows, whole vectors */
    prim_boundary boundary;
    source fill[PRIM_CONVOLUTION_MOST_CHANNELS];
    ending<Pixel> end;
    prim_window_shape shape;
};

/* The index that stands in for i of a line of n, or FILL. Short lines use 32 bits. */
__device__ inline int64_t stand_in_of(prim_boundary boundary, int64_t i, int64_t n, bool is_near)
{
    return is_near ? near_stand_in(boundary, i, n)
                   : stand_in(boundary, static_cast<int>(i), static_cast<int>(n));
}

/* A block's outputs: the first one, and how many lie in the image. */
struct block_place {
    int64_t x, y;
    int columns, rows;

    template <typename Pixel>
    __device__ explicit block_place(const task<Pixel> &p)
        : x(static_cast<int64_t>(blockIdx.x % p.across) * p.shape.columns),
          y(p.first_y + static_cast<int64_t>(blockIdx.x / p.across) * p.shape.high),
          columns(p.width - x < p.shape.columns ? static_cast<int>(p.width - x) : p.shape.columns),
          rows(p.height - y < p.shape.high ? static_cast<int>(p.height - y) : p.shape.high)
    {
    }
};

/* A thread's outputs: the first one, in the block's. A warp has one channel. */
struct thread_place {
    int column, row, channel;

    template <typename Pixel, int ROWS>
    __device__ static thread_place of(const task<Pixel> &p)
    {
        const int threads = 1 << p.shape.thread_bits;
        const int thread = static_cast<int>(threadIdx.x), own = thread & (threads - 1);
        return {COLUMNS * (own & ((1 << p.shape.across_bits) - 1)),
                ROWS * (own >> p.shape.across_bits), thread >> p.shape.thread_bits};
    }
};

/* ---- columns that lie inside of the image: lanes side by side ---- */

/* Whole vectors and words may reach so many columns further, on both sides. */
template <typename T>
constexpr int MORE_COLUMNS = IS_NARROW<T>
                                 ? static_cast<int>((VECTOR_BYTES + WORD_BYTES) / sizeof(T))
                                 : 0;

/* A lane's part of a row: `left` columns from its first one on. */
template <typename T>
__device__ void copy_elements(T *to, const T *from, int left, int channels, int lanes)
{
    constexpr int AT_ONCE = 4;
    const int step = lanes * channels;
    PRIM_UNROLL(1)
    for (; left > (AT_ONCE - 1) * lanes; left -= AT_ONCE * lanes) {
        PRIM_UNROLL(AT_ONCE)
        for (int i = 0; i < AT_ONCE; i++)
            copy_async(to + i * lanes, from + i * step);
        to += AT_ONCE * lanes;
        from += AT_ONCE * step;
    }
    PRIM_UNROLL(1)
    for (; left > 0; left -= lanes, to += lanes, from += step)
        copy_async(to, from);
}

/* 16 bytes out of the words around them; those of one row begin `past` bytes behind a word. */
template <typename T>
__device__ void copy_vector(T *to, const T *from, unsigned past)
{
    constexpr int WORDS = static_cast<int>(VECTOR_BYTES / WORD_BYTES);
    const uint32_t *const words = reinterpret_cast<const uint32_t *>(from - past / sizeof(T));
    uint32_t loaded[WORDS + 1];
    PRIM_UNROLL(WORDS)
    for (int w = 0; w < WORDS; w++)
        loaded[w] = words[w];
    loaded[WORDS] = past > 0 ? words[WORDS] : 0;
    vector<T> some;
    PRIM_UNROLL(WORDS)
    for (int w = 0; w < WORDS; w++)
        some.words[w] = bits_from(loaded[w], loaded[w + 1], 8 * past);
    *reinterpret_cast<vector<T> *>(to) = some;
}

template <typename T>
__device__ unsigned past_word(const T *from)
{
    return static_cast<unsigned>(reinterpret_cast<uintptr_t>(from) % WORD_BYTES);
}

template <typename T>
__device__ void copy_vectors(T *to, const T *from, int left, int lanes)
{
    constexpr int WIDTH = static_cast<int>(VECTOR_ELEMENTS<T>);
    const unsigned past = past_word(from);
    PRIM_UNROLL(1)
    for (; left > 0; left -= WIDTH * lanes, to += WIDTH * lanes, from += WIDTH * lanes)
        copy_vector(to, from, past);
}

template <typename T>
__device__ void copy_pixels(T *to, const T *from, int left, int channels, int lanes)
{
    PRIM_UNROLL(1)
    for (; left > 0; left -= COLUMNS * lanes, to += COLUMNS * lanes) {
        packed<T, COLUMNS> some = {};
        const T *element = from;
        PRIM_UNROLL(COLUMNS)
        for (unsigned e = 0; e < COLUMNS; e++, element += channels)
            set_element(some, e, *element);
        *reinterpret_cast<packed<T, COLUMNS> *>(to) = some;
        from += COLUMNS * lanes * channels;
    }
}

/* Columns that a lane copies at a time. */
template <typename T>
__device__ int columns_at_once(int channels)
{
    return !IS_NARROW<T> ? 1 : channels == 1 ? static_cast<int>(VECTOR_ELEMENTS<T>) : COLUMNS;
}

template <typename T>
__device__ void copy_row(T *to, const T *from, int left, int channels, int lanes)
{
    if constexpr (!IS_NARROW<T>)
        copy_elements(to, from, left, channels, lanes);
    else if (channels == 1)
        copy_vectors(to, from, left, lanes);
    else
        copy_pixels(to, from, left, channels, lanes);
}

/* ---- rows at the image's sides ---- */

/* Columns x, x + 1, … of a row of the image, and one of its channels. Of them, those from `begin`
 * to `end` are copied together, and the others one by one, most of which lie outside. */
template <typename Pixel>
struct row_at_side {
    using source = typename Pixel::source;
    const task<Pixel> &p;
    const source *line; /* the row's first element of the channel */
    int64_t x;
    int columns, channel, begin, end;
    bool is_fill; /* the row lies outside, and no other one replaces it */

    /* `from`: nullptr for fills. */
    __device__ row_at_side(const task<Pixel> &of, const source *from, int64_t first, int count,
                           int at_channel)
        : p(of), line(from == nullptr ? of.in : from), x(first), columns(count),
          channel(at_channel), begin(0), end(0), is_fill(from == nullptr)
    {
        constexpr int FAR = 1 << 20;
        if (is_fill)
            return;
        const int before = static_cast<int>(x > FAR ? FAR : x), /* columns in the image */
            behind = static_cast<int>(p.width - x > FAR ? FAR : p.width - x);
        if (IS_NARROW<source> && p.channels == 1)
            choose_vectors(before, behind);
        else
            choose(before < 0 ? -before : 0, behind, columns_at_once<source>(p.channels));
    }

    /* Whole pieces of so many columns between `least` and `most`. */
    __device__ void choose(int least, int most, int piece)
    {
        begin = (least + piece - 1) / piece * piece;
        begin = begin < columns ? begin : columns;
        end = most / piece * piece;
        end = end < columns ? end : columns;
        end = end > begin ? end : begin;
    }

    /* Those vectors whose words lie in the row: beside them it may end. */
    __device__ void choose_vectors(int before, int behind)
    {
        constexpr int WIDTH = static_cast<int>(VECTOR_ELEMENTS<source>),
                      IN_WORD = static_cast<int>(WORD_BYTES / sizeof(source));
        const int past = static_cast<int>(past_word(line + x) / sizeof(source));
        const int most = behind + past - (past > 0 ? IN_WORD : 0);
        choose(past > before ? past - before : 0, most > 0 ? most : 0, WIDTH);
    }

    /* The element that replaces column k; nullptr: the fill. */
    __device__ const source *replacement(int k) const
    {
        const int64_t from = stand_in_of(p.boundary, x + k, p.width, p.has_near_columns);
        return is_fill || from == FILL ? nullptr : line + from * p.channels;
    }

    __device__ void bring(source *to, int lane, int lanes) const
    {
        const int first = begin + lane * columns_at_once<source>(p.channels);
        if (first < end)
            copy_row(to + first, line + (x + first) * p.channels, end - first, p.channels, lanes);
        const int others = columns - (end - begin);
        PRIM_UNROLL(1)
        for (int i = lane; i < others; i += lanes) {
            const int k = i < begin ? i : i + (end - begin);
            const source *const element = replacement(k);
            if (element != nullptr)
                copy_async(to + k, element);
            else
                to[k] = p.fill[channel];
        }
    }
};

/* ---- the tile ---- */

template <typename Pixel>
__device__ const typename Pixel::source *row_in(const task<Pixel> &p, int64_t y)
{
    return reinterpret_cast<const typename Pixel::source *>(reinterpret_cast<const char *>(p.in) +
                                                            static_cast<size_t>(y) * p.in_pitch);
}

/* The input's row y or what stands in for it; nullptr: fills. */
template <typename Pixel>
__device__ const typename Pixel::source *line_for(const task<Pixel> &p, int64_t y, int channel)
{
    const int64_t from = stand_in_of(p.boundary, y, p.height, p.has_near_rows);
    return from == FILL ? nullptr : row_in(p, from) + channel;
}

/* Copies the rows under `band` rows of the mask, from its row `first` on. The threads of a channel
 * copy its plane. Valid after a wait for copies and a barrier. */
template <typename Pixel>
__device__ void bring_tile(const task<Pixel> &p, const block_place &block, int first, int band,
                           unsigned char *tile)
{
    using source = typename Pixel::source;
    constexpr int MORE = MORE_COLUMNS<source>;
    const int thread = static_cast<int>(threadIdx.x), lanes = p.shape.copy_lanes;
    const int channel = thread >> p.shape.thread_bits, lane = thread & (lanes - 1);
    const int columns = block.columns + p.mask_width - 1, rows = block.rows + band - 1;
    const int64_t x = block.x - p.before_x, y = block.y - p.before_y + first;
    int row = (thread & ((1 << p.shape.thread_bits) - 1)) / lanes;
    unsigned char *to = tile + channel * p.shape.plane + row * p.shape.pitch;
    if (x >= MORE && x + columns + MORE <= p.width && y >= 0 && y + rows <= p.height) {
        const int column = lane * columns_at_once<source>(p.channels);
        const source *from = row_in(p, y + row) + (x + column) * p.channels + channel;
        to += column * sizeof(source);
        PRIM_UNROLL(1)
        for (; row < rows; row += p.shape.copy_rows, to += p.shape.copy_step) {
            copy_row(reinterpret_cast<source *>(to), from, columns - column, p.channels, lanes);
            from =
                reinterpret_cast<const source *>(reinterpret_cast<const char *>(from) + p.in_step);
        }
        return;
    }
    PRIM_UNROLL(1)
    for (; row < rows; row += p.shape.copy_rows, to += p.shape.copy_step) {
        const row_at_side<Pixel> from(p, line_for(p, y + row, channel), x, columns, channel);
        from.bring(reinterpret_cast<source *>(to), lane, lanes);
    }
}

} // namespace window
} // namespace

#endif
