/* REGISTER's tile: the input of a block's outputs with its halo, in shared memory, a plane for each
 * channel.
 *
 *     memory    r g b r g b r g b …       plane r   r r r …     column 0 of a plane is the first
 *                                         plane g   g g g …     that the first output's window
 *                                         plane b   b b b …     reaches, at a multiple of 16 bytes
 *
 * So a thread reads whole vectors, wherever rows begin in memory and however many channels lie
 * between two pixels. Elements of 4 and 8 bytes are copied one by one, asynchronously. Narrow ones
 * are read by words, shifted to where a row begins in them and, of several channels, split into
 * planes: 16 bytes of one channel at a time, or four pixels (window_planes.cuh). Only tiles at the
 * image's sides apply the boundary. */
#ifndef PRIM_CONVOLUTION_WINDOW_TILE_CUH
#define PRIM_CONVOLUTION_WINDOW_TILE_CUH

#include "common/block/vectors.cuh"
#include "common/kernel/async_copy.cuh"
#include "convolution/problem.cuh"
#include "convolution/window_planes.cuh"

namespace
{
namespace window
{

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
    int64_t rows;          /* of the output */
    int64_t first_y;       /* of the launch's first tile */
    int channels, mask_width, mask_height;
    int before_x, before_y;               /* pixels of a window before its output */
    bool has_near_columns, has_near_rows; /* windows reach no further outside than the image is */
    bool has_outer_row;                   /* row `height` stands in for those outside */
    bool stores_from_registers;           /* of aligned rows, whole vectors */
    prim_boundary boundary;
    source fill[PRIM_CONVOLUTION_MOST_CHANNELS];
    ending<Pixel> end;
    prim_window_shape shape;
};

/* `rows` below an element of the input. */
template <typename Pixel>
__device__ const typename Pixel::source *row_on(const task<Pixel> &p,
                                                const typename Pixel::source *from, int64_t rows)
{
    return reinterpret_cast<const typename Pixel::source *>(reinterpret_cast<const char *>(from) +
                                                            static_cast<size_t>(rows) * p.in_pitch);
}

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
        : x(static_cast<int64_t>(blockIdx.x) * p.shape.columns),
          y(p.first_y + static_cast<int64_t>(blockIdx.y) * p.shape.high),
          columns(p.width - x < p.shape.columns ? static_cast<int>(p.width - x) : p.shape.columns),
          rows(p.rows - y < p.shape.high ? static_cast<int>(p.rows - y) : p.shape.high)
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

/* Whole vectors and words may reach that many columns further, on both sides. */
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

template <typename T>
__device__ unsigned past_word(const T *from)
{
    return static_cast<unsigned>(reinterpret_cast<uintptr_t>(from) % WORD_BYTES);
}

/* What a lane copies at a time of narrow elements: 16 bytes of one channel, or four pixels of
 * several. Loads and stores are apart, so that loads of several rows are in flight at once. */
template <typename T, int CHANNELS>
struct piece {
    static constexpr int SIZE = static_cast<int>(sizeof(T));
    static constexpr int WORDS = CHANNELS == 1 ? static_cast<int>(VECTOR_BYTES / WORD_BYTES)
                                               : pixel_order<SIZE, CHANNELS>::WORDS;
    static constexpr int PIXELS = WORDS * static_cast<int>(WORD_BYTES) / SIZE / CHANNELS;
    uint32_t words[WORDS + 1];
    unsigned past;

    __device__ void load(const T *from)
    {
        past = past_word(from);
        const uint32_t *const around = reinterpret_cast<const uint32_t *>(from - past / sizeof(T));
        PRIM_UNROLL(WORDS)
        for (int w = 0; w < WORDS; w++)
            words[w] = around[w];
        words[WORDS] = past > 0 ? around[WORDS] : 0;
    }
    /* `plane`: bytes from channel to channel. */
    __device__ void store(unsigned char *to, int plane) const
    {
        uint32_t pixels[WORDS];
        PRIM_UNROLL(WORDS)
        for (int w = 0; w < WORDS; w++)
            pixels[w] = bits_from(words[w], words[w + 1], 8 * past);
        if constexpr (CHANNELS == 1) {
            vector<uint32_t> all;
            PRIM_UNROLL(WORDS)
            for (int w = 0; w < WORDS; w++)
                all.words[w] = pixels[w];
            *reinterpret_cast<vector<uint32_t> *>(to) = all;
        } else {
            PRIM_UNROLL(CHANNELS)
            for (int c = 0; c < CHANNELS; c++)
                store_plane(reinterpret_cast<packed<T, COLUMNS> *>(to + c * plane), pixels, c);
        }
    }
    __device__ static void store_plane(packed<T, COLUMNS> *to, const uint32_t (&pixels)[WORDS],
                                       int channel)
    {
        constexpr int EACH = WORDS / CHANNELS;
        packed<T, COLUMNS> elements;
        PRIM_UNROLL(EACH)
        for (int w = 0; w < EACH; w++)
            elements.words[w] = word_of_planes<SIZE, CHANNELS>(pixels, channel * EACH + w);
        *to = elements;
    }
};

/* Where a thread is in a range of rows, whose pieces lie one after the other: it takes every
 * n-th of them. */
struct piece_place {
    int row, piece;

    __device__ void advance(const prim_window_shape &shape)
    {
        row += shape.rows_on;
        piece += shape.pieces_on;
        if (piece >= shape.pieces) {
            piece -= shape.pieces;
            row++;
        }
    }
};

/* All rows and channels of a tile whose words lie in the image. MOST_AT_ONCE pieces of a thread, or
 * half as many large ones, are on their way together. */
template <int MOST_AT_ONCE, int CHANNELS, typename Pixel>
__device__ void copy_inside(const task<Pixel> &p, const typename Pixel::source *from, int rows,
                            unsigned char *tile)
{
    using some = piece<typename Pixel::source, CHANNELS>;
    constexpr int AT_ONCE = some::WORDS <= 4 ? MOST_AT_ONCE : (MOST_AT_ONCE + 1) / 2;
    const prim_window_shape &shape = p.shape;
    const int thread = static_cast<int>(threadIdx.x);
    piece_place at;
    at.row =
        static_cast<int>(static_cast<unsigned>(thread) * shape.per_piece >> PRIM_WINDOW_PIECE_BITS);
    at.piece = thread - at.row * shape.pieces;
    PRIM_UNROLL(1)
    while (at.row < rows) {
        some pieces[AT_ONCE];
        int to[AT_ONCE];
        bool is_inside[AT_ONCE]; /* the first one is */
        PRIM_UNROLL(AT_ONCE)
        for (int i = 0; i < AT_ONCE; i++, at.advance(shape)) {
            is_inside[i] = i == 0 || at.row < rows;
            to[i] = at.row * shape.pitch + at.piece * some::PIXELS * some::SIZE;
            if (is_inside[i])
                pieces[i].load(row_on(p, from, at.row) + at.piece * some::PIXELS * CHANNELS);
        }
        PRIM_UNROLL(AT_ONCE)
        for (int i = 0; i < AT_ONCE; i++)
            if (is_inside[i])
                pieces[i].store(tile + to[i], shape.plane);
    }
}

/* Columns that a lane copies at a time. */
template <typename T>
__device__ int columns_at_once(int channels)
{
    return !IS_NARROW<T> ? 1 : channels == 1 ? piece<T, 1>::PIXELS : COLUMNS;
}

/* A lane's part of a row: of one channel where elements are not narrow, and of all otherwise. */
template <int CHANNELS, typename T>
__device__ void copy_pieces(unsigned char *to, const T *from, int left, int lanes, int plane)
{
    using some = piece<T, CHANNELS>;
    PRIM_UNROLL(1)
    for (; left > 0; left -= some::PIXELS * lanes) {
        some one;
        one.load(from);
        one.store(to, plane);
        from += some::PIXELS * CHANNELS * lanes;
        to += some::PIXELS * some::SIZE * lanes;
    }
}

template <typename T>
__device__ void copy_row(unsigned char *to, const T *from, int left, int channels, int lanes,
                         int plane)
{
    if constexpr (!IS_NARROW<T>)
        copy_elements(reinterpret_cast<T *>(to), from, left, channels, lanes);
    else if (channels == 1)
        copy_pieces<1>(to, from, left, lanes, plane);
    else if (channels == 2)
        copy_pieces<2>(to, from, left, lanes, plane);
    else if (channels == 3)
        copy_pieces<3>(to, from, left, lanes, plane);
    else
        copy_pieces<4>(to, from, left, lanes, plane);
}

/* ---- rows at the image's sides ---- */

/* What a thread copies of a tile: of one channel where elements are not narrow, and of all of them
 * otherwise. */
struct share {
    int channel, channels;
    int row, lane; /* the first ones */
};

template <typename Pixel>
__device__ share share_of_thread(const task<Pixel> &p)
{
    const int thread = static_cast<int>(threadIdx.x), lane = thread & (p.shape.copy_lanes - 1);
    if (IS_NARROW<typename Pixel::source>)
        return {0, p.channels, thread >> p.shape.copy_bits, lane};
    const int own = thread & ((1 << p.shape.thread_bits) - 1);
    return {thread >> p.shape.thread_bits, 1, own >> p.shape.copy_bits, lane};
}

/* Columns x, x + 1, … of a row of the image. Of them, those from `begin` to `end` are copied
 * together, and the others one by one, most of which lie outside. */
template <typename Pixel>
struct row_at_side {
    using source = typename Pixel::source;
    const task<Pixel> &p;
    const source *line; /* the row's first element; nullptr: the fill stands in for it */
    int64_t x;
    int columns, begin, end;

    __device__ row_at_side(const task<Pixel> &of, const source *from, int64_t first, int count)
        : p(of), line(from), x(first), columns(count), begin(0), end(0)
    {
        constexpr int FAR = 1 << 20;
        if (line == nullptr)
            return;
        const int before = static_cast<int>(x > FAR ? FAR : x), /* columns in the image */
            behind = static_cast<int>(p.width - x > FAR ? FAR : p.width - x);
        const int at_once = columns_at_once<source>(p.channels);
        if constexpr (IS_NARROW<source>)
            choose_words(before, behind, at_once);
        else
            choose(before < 0 ? -before : 0, behind, at_once);
    }

    /* Whole pieces of that many columns between `least` and `most`. */
    __device__ void choose(int least, int most, int at_once)
    {
        begin = (least + at_once - 1) / at_once * at_once;
        begin = begin < columns ? begin : columns;
        end = most / at_once * at_once;
        end = end < columns ? end : columns;
        end = end > begin ? end : begin;
    }

    /* Those pieces whose words lie in the row: beside them it may end. */
    __device__ void choose_words(int before, int behind, int at_once)
    {
        constexpr int WORD = static_cast<int>(WORD_BYTES);
        const int pixel = p.channels * static_cast<int>(sizeof(source));
        const int past = static_cast<int>(past_word(line + x * p.channels));
        const int least = (past + pixel - 1) / pixel - before,
                  most = behind - (past == 0 ? 0 : (WORD - past + pixel - 1) / pixel);
        choose(least > 0 ? least : 0, most > 0 ? most : 0, at_once);
    }

    /* Column k of a channel. */
    __device__ void bring_element(source *to, int k, int channel) const
    {
        const int64_t from =
            line == nullptr ? FILL : stand_in_of(p.boundary, x + k, p.width, p.has_near_columns);
        if (from == FILL)
            to[k] = p.fill[channel];
        else
            copy_async(to + k, line + from * p.channels + channel);
    }

    __device__ void bring(unsigned char *to, const share &own) const
    {
        const int lanes = p.shape.copy_lanes;
        const int first = begin + own.lane * columns_at_once<source>(p.channels);
        if (first < end)
            copy_row(to + first * sizeof(source), line + (x + first) * p.channels + own.channel,
                     end - first, p.channels, lanes, p.shape.plane);
        const int others = columns - (end - begin);
        PRIM_UNROLL(1)
        for (int c = 0; c < own.channels; c++, to += p.shape.plane) {
            PRIM_UNROLL(1)
            for (int i = own.lane; i < others; i += lanes)
                bring_element(reinterpret_cast<source *>(to), i < begin ? i : i + (end - begin),
                              own.channel + c);
        }
    }
};

/* ---- the tile ---- */

/* The input's row y or what stands in for it; nullptr: fills. */
template <typename Pixel>
__device__ const typename Pixel::source *line_for(const task<Pixel> &p, int64_t y)
{
    const int64_t from = stand_in_of(p.boundary, y, p.height, p.has_near_rows);
    if (from == FILL)
        return p.has_outer_row ? row_on(p, p.in, p.height) : nullptr;
    return row_on(p, p.in, from);
}

/* A tile inside of the image, from its first element on. */
template <int AT_ONCE, typename Pixel>
__device__ void copy_tile(const task<Pixel> &p, const typename Pixel::source *from,
                          const share &own, int columns, int rows, unsigned char *tile)
{
    if constexpr (!IS_NARROW<typename Pixel::source>) {
        from = row_on(p, from, own.row) + own.lane * p.channels + own.channel;
        unsigned char *to = tile + own.channel * p.shape.plane + own.row * p.shape.pitch;
        PRIM_UNROLL(1)
        for (int row = own.row; row < rows; row += p.shape.copy_rows) {
            copy_elements(reinterpret_cast<typename Pixel::source *>(to) + own.lane, from,
                          columns - own.lane, p.channels, p.shape.copy_lanes);
            to += p.shape.copy_step;
            from = reinterpret_cast<const typename Pixel::source *>(
                reinterpret_cast<const char *>(from) + p.in_step);
        }
    } else if (p.channels == 1) {
        copy_inside<AT_ONCE, 1>(p, from, rows, tile);
    } else if (p.channels == 2) {
        copy_inside<AT_ONCE, 2>(p, from, rows, tile);
    } else if (p.channels == 3) {
        copy_inside<AT_ONCE, 3>(p, from, rows, tile);
    } else {
        copy_inside<AT_ONCE, 4>(p, from, rows, tile);
    }
}

/* Copies the rows under `band` rows of the mask, from its row `first` on. Valid after a wait for
 * copies and a barrier. */
template <int AT_ONCE, typename Pixel>
__device__ void bring_tile(const task<Pixel> &p, const block_place &block, int first, int band,
                           unsigned char *tile)
{
    using source = typename Pixel::source;
    constexpr int MORE = MORE_COLUMNS<source>;
    const share own = share_of_thread(p);
    const int columns = block.columns + p.mask_width - 1, rows = block.rows + band - 1;
    const int64_t x = block.x - p.before_x, y = block.y - p.before_y + first;
    unsigned char *to = tile + own.channel * p.shape.plane + own.row * p.shape.pitch;
    if (x >= MORE && x + columns + MORE <= p.width && y >= 0 && y + rows <= p.height) {
        copy_tile<AT_ONCE>(p, row_on(p, p.in, y) + x * p.channels, own, columns, rows, tile);
        return;
    }
    PRIM_UNROLL(1)
    for (int row = own.row; row < rows; row += p.shape.copy_rows, to += p.shape.copy_step)
        row_at_side<Pixel>(p, line_for(p, y + row), x, columns).bring(to, own);
}

} // namespace window
} // namespace

#endif
