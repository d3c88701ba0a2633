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

template <typename T>
__device__ unsigned past_word(const T *from)
{
    return static_cast<unsigned>(reinterpret_cast<uintptr_t>(from) % WORD_BYTES);
}

/* What a lane copies at a time of narrow elements of one channel: 16 bytes, out of the words around
 * them. Loads and stores are apart, so that loads of several rows are in flight at once. */
template <typename T>
struct vector_piece {
    static constexpr int WIDTH = static_cast<int>(VECTOR_ELEMENTS<T>),
                         WORDS = static_cast<int>(VECTOR_BYTES / WORD_BYTES);
    uint32_t words[WORDS + 1];
    unsigned past;

    __device__ void load(const T *from, int)
    {
        past = past_word(from);
        const uint32_t *const around = reinterpret_cast<const uint32_t *>(from - past / sizeof(T));
        PRIM_UNROLL(WORDS)
        for (int w = 0; w < WORDS; w++)
            words[w] = around[w];
        words[WORDS] = past > 0 ? around[WORDS] : 0;
    }
    __device__ void store(T *to) const
    {
        vector<T> all;
        PRIM_UNROLL(WORDS)
        for (int w = 0; w < WORDS; w++)
            all.words[w] = bits_from(words[w], words[w + 1], 8 * past);
        *reinterpret_cast<vector<T> *>(to) = all;
    }
};

/* The same of several channels: some pixels. */
template <typename T>
struct pixel_piece {
    static constexpr int WIDTH = COLUMNS;
    T elements[COLUMNS];

    __device__ void load(const T *from, int channels)
    {
        PRIM_UNROLL(COLUMNS)
        for (int e = 0; e < COLUMNS; e++, from += channels)
            elements[e] = *from;
    }
    __device__ void store(T *to) const
    {
        packed<T, COLUMNS> all = {};
        PRIM_UNROLL(COLUMNS)
        for (int e = 0; e < COLUMNS; e++)
            set_element(all, static_cast<unsigned>(e), elements[e]);
        *reinterpret_cast<packed<T, COLUMNS> *>(to) = all;
    }
};

template <class Piece, typename T>
__device__ void copy_pieces(T *to, const T *from, int left, int channels, int lanes)
{
    const int step = Piece::WIDTH * lanes;
    PRIM_UNROLL(1)
    for (; left > 0; left -= step, to += step, from += step * channels) {
        Piece some;
        some.load(from, channels);
        some.store(to);
    }
}

/* Columns that a lane copies at a time. */
template <typename T>
__device__ int columns_at_once(int channels)
{
    return !IS_NARROW<T> ? 1 : channels == 1 ? vector_piece<T>::WIDTH : pixel_piece<T>::WIDTH;
}

template <typename T>
__device__ void copy_row(T *to, const T *from, int left, int channels, int lanes)
{
    if constexpr (!IS_NARROW<T>)
        copy_elements(to, from, left, channels, lanes);
    else if (channels == 1)
        copy_pieces<vector_piece<T>>(to, from, left, channels, lanes);
    else
        copy_pieces<pixel_piece<T>>(to, from, left, channels, lanes);
}

/* A thread's rows of a tile that lies inside. */
template <typename T>
struct thread_rows {
    unsigned char *to;
    const T *from;
    int count, to_step; /* rows, and bytes between them */
    size_t from_step;

    __device__ T *row_to(int row) const
    {
        return reinterpret_cast<T *>(to + row * to_step);
    }
    __device__ const T *row_from(int row) const
    {
        return reinterpret_cast<const T *>(reinterpret_cast<const char *>(from) +
                                           static_cast<size_t>(row) * from_step);
    }
    __device__ void advance(int rows)
    {
        to += rows * to_step;
        from = row_from(rows);
        count -= rows;
    }
};

template <class Piece, typename T>
__device__ void copy_piece_rows(thread_rows<T> rows, int left, int channels, int lanes)
{
    constexpr int AT_ONCE = 4;
    const int step = Piece::WIDTH * lanes;
    PRIM_UNROLL(1)
    for (; rows.count > 0; rows.advance(AT_ONCE)) {
        PRIM_UNROLL(1)
        for (int k = 0; k < left; k += step) {
            Piece some[AT_ONCE];
            PRIM_UNROLL(AT_ONCE)
            for (int r = 0; r < AT_ONCE; r++)
                if (r < rows.count)
                    some[r].load(rows.row_from(r) + k * channels, channels);
            PRIM_UNROLL(AT_ONCE)
            for (int r = 0; r < AT_ONCE; r++)
                if (r < rows.count)
                    some[r].store(rows.row_to(r) + k);
        }
    }
}

template <typename T>
__device__ void copy_rows(thread_rows<T> rows, int left, int channels, int lanes)
{
    if constexpr (!IS_NARROW<T>) {
        PRIM_UNROLL(1)
        for (; rows.count > 0; rows.advance(1))
            copy_elements(rows.row_to(0), rows.from, left, channels, lanes);
    } else if (channels == 1) {
        copy_piece_rows<vector_piece<T>>(rows, left, channels, lanes);
    } else {
        copy_piece_rows<pixel_piece<T>>(rows, left, channels, lanes);
    }
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
    int row = (thread & ((1 << p.shape.thread_bits) - 1)) >> p.shape.copy_bits;
    unsigned char *to = tile + channel * p.shape.plane + row * p.shape.pitch;
    if (x >= MORE && x + columns + MORE <= p.width && y >= 0 && y + rows <= p.height) {
        const int column = lane * columns_at_once<source>(p.channels);
        const int copied = p.shape.thread_bits - p.shape.copy_bits; /* 2^ rows at a time */
        const int count = (rows - row + p.shape.copy_rows - 1) >> copied;
        copy_rows<source>({to + column * sizeof(source),
                           row_in(p, y + row) + (x + column) * p.channels + channel, count,
                           p.shape.copy_step, p.in_step},
                          columns - column, p.channels, lanes);
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
