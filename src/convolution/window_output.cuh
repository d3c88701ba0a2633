/* How REGISTER's sums become outputs: from registers where a row's vectors are whole; otherwise
 * through shared memory, from which the block writes row by row, and never a byte beside them. */
#ifndef PRIM_CONVOLUTION_WINDOW_OUTPUT_CUH
#define PRIM_CONVOLUTION_WINDOW_OUTPUT_CUH

#include "convolution/window_tile.cuh"

namespace
{
namespace window
{

/* COLUMNS elements of a row, in vectors of 16 bytes at most. */
template <typename T>
struct elements_of_row {
    static constexpr int IN_PART = sizeof(T) * COLUMNS > VECTOR_BYTES
                                       ? static_cast<int>(VECTOR_ELEMENTS<T>)
                                       : COLUMNS;
    using part = packed<T, static_cast<unsigned>(IN_PART)>;
    part parts[COLUMNS / IN_PART];

    __host__ __device__ void store(T *to) const
    {
        PRIM_UNROLL(COLUMNS / IN_PART)
        for (int i = 0; i < COLUMNS / IN_PART; i++)
            reinterpret_cast<part *>(to)[i] = parts[i];
    }
    __host__ __device__ T operator[](int e) const
    {
        const auto word = parts[e / IN_PART].words[e % IN_PART / static_cast<int>(part::IN_WORD)];
        if constexpr (!part::NARROW) {
            return word;
        } else {
            using bits = typename std::conditional<sizeof(T) == 1, uint8_t, uint16_t>::type;
            constexpr unsigned EACH = 8 * sizeof(T);
            return same_bits<T>(
                static_cast<bits>(word >> static_cast<unsigned>(e) % part::IN_WORD * EACH));
        }
    }
};

/* 2^23 + x for an x from 0 to `most`, rounded to nearest, ties to even: the integer is in the lower
 * bits. 0 for NaN. */
__device__ inline uint32_t bits_of_nearest(float x, float most)
{
    constexpr float TO_INTEGERS = 8388608.0f;
    const float not_below = x > 0.0f ? x : 0.0f;
    return same_bits<uint32_t>((not_below < most ? not_below : most) + TO_INTEGERS);
}

template <typename Pixel>
__device__ elements_of_row<typename Pixel::element>
stored_row(const typename Pixel::sum (&sums)[COLUMNS], const ending<Pixel> &end)
{
    using element = typename Pixel::element;
    using sum = typename Pixel::sum;
    using row = elements_of_row<element>;
    constexpr bool IS_ROUNDED = std::is_same<sum, float>::value;
    row to = {};
    if constexpr (Pixel::IS_DIVIDED && sizeof(sum) == 4) {
        to.parts[0].words[0] = bytes_of_sums<false>(end, sums[0], sums[1], sums[2], sums[3]);
    } else if constexpr (IS_ROUNDED && std::is_same<element, uint8_t>::value) {
        uint32_t bits[COLUMNS];
        PRIM_UNROLL(COLUMNS)
        for (int c = 0; c < COLUMNS; c++)
            bits[c] = bits_of_nearest(sums[c], 255.0f);
        to.parts[0].words[0] = chosen_bytes(chosen_bytes(bits[0], bits[1], 0x0040),
                                            chosen_bytes(bits[2], bits[3], 0x0040), 0x5410);
    } else if constexpr (IS_ROUNDED && std::is_same<element, uint16_t>::value) {
        PRIM_UNROLL(COLUMNS)
        for (int c = 0; c < COLUMNS; c += 2)
            to.parts[0].words[c / 2] = chosen_bytes(bits_of_nearest(sums[c], 65535.0f),
                                                    bits_of_nearest(sums[c + 1], 65535.0f), 0x5410);
    } else if constexpr (std::is_same<element, f16>::value) {
        PRIM_UNROLL(COLUMNS)
        for (int c = 0; c < COLUMNS; c += 2)
            to.parts[0].words[c / 2] = two_halves<f16>(sums[c], sums[c + 1]);
    } else {
        PRIM_UNROLL(COLUMNS)
        for (int c = 0; c < COLUMNS; c++)
            set_element(to.parts[c / row::IN_PART], static_cast<unsigned>(c % row::IN_PART),
                        Pixel::stored(sums[c], end));
    }
    return to;
}

template <typename Pixel>
__device__ typename Pixel::element *row_out(const task<Pixel> &p, int64_t y)
{
    return reinterpret_cast<typename Pixel::element *>(reinterpret_cast<char *>(p.out) +
                                                       static_cast<size_t>(y) * p.out_pitch);
}

/* ---- from registers ---- */

template <typename Pixel, int ROWS>
__device__ void store_from_registers(const task<Pixel> &p, const block_place &block,
                                     const thread_place &own,
                                     const typename Pixel::sum (&sums)[ROWS][COLUMNS])
{
    const int left = block.columns - own.column;
    PRIM_UNROLL(ROWS)
    for (int o = 0; o < ROWS; o++) {
        if (left <= 0 || own.row + o >= block.rows)
            return;
        const auto row = stored_row<Pixel>(sums[o], p.end);
        typename Pixel::element *const to =
            row_out(p, block.y + own.row + o) + block.x + own.column;
        if (left >= COLUMNS) {
            row.store(to);
            continue;
        }
        PRIM_UNROLL(COLUMNS)
        for (int c = 0; c < COLUMNS; c++)
            if (c < left)
                to[c] = row[c];
    }
}

/* ---- through shared memory, a plane for each channel ---- */

template <typename Pixel, int ROWS>
__device__ void put_in_planes(const task<Pixel> &p, const thread_place &own,
                              const typename Pixel::sum (&sums)[ROWS][COLUMNS],
                              unsigned char *shared)
{
    PRIM_UNROLL(ROWS)
    for (int o = 0; o < ROWS; o++)
        stored_row<Pixel>(sums[o], p.end)
            .store(reinterpret_cast<typename Pixel::element *>(shared +
                                                               own.channel * p.shape.out_plane +
                                                               (own.row + o) * p.shape.out_pitch) +
                   own.column);
}

/* Elements of 4 and 8 bytes as they lie in memory: lanes side by side. */
template <typename Pixel>
__device__ void write_elements(const task<Pixel> &p, typename Pixel::element *to, int count,
                               const unsigned char *from, int lane, int lanes)
{
    const int pixels = lanes / p.channels, channels = lanes % p.channels;
    int pixel = lane / p.channels, channel = lane % p.channels;
    PRIM_UNROLL(1)
    for (int e = lane; e < count; e += lanes) {
        to[e] = reinterpret_cast<const typename Pixel::element *>(
            from + channel * p.shape.out_plane)[pixel];
        pixel += pixels;
        channel += channels;
        if (channel >= p.channels) {
            channel -= p.channels;
            pixel++;
        }
    }
}

/* ---- narrow elements, four pixels at a time ---- */

/* Four pixels as they lie in memory, out of the planes from `from` on. */
template <typename T, int CHANNELS>
struct joined_pixels {
    static constexpr int SIZE = static_cast<int>(sizeof(T)),
                         WORDS = pixel_order<SIZE, CHANNELS>::WORDS;
    uint32_t planes[WORDS];

    __device__ joined_pixels(const unsigned char *from, int plane)
    {
        constexpr int EACH = WORDS / CHANNELS;
        PRIM_UNROLL(CHANNELS)
        for (int c = 0; c < CHANNELS; c++) {
            const auto elements = *reinterpret_cast<const packed<T, COLUMNS> *>(from + c * plane);
            PRIM_UNROLL(EACH)
            for (int w = 0; w < EACH; w++)
                planes[c * EACH + w] = elements.words[w];
        }
    }
    __device__ uint32_t word(int w) const
    {
        return word_of_pixels<SIZE, CHANNELS>(planes, w);
    }
};

/* All rows of a block, from planes into rows at `to`, a word behind the other. */
template <int CHANNELS, typename Pixel>
__device__ void join_planes(const task<Pixel> &p, const unsigned char *planes, unsigned char *to)
{
    using pixels = joined_pixels<typename Pixel::element, CHANNELS>;
    const int bits = p.shape.across_bits, count = p.shape.high << bits;
    PRIM_UNROLL(1)
    for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(blockDim.x)) {
        const int row = i >> bits, x = (i - (row << bits)) * COLUMNS * pixels::SIZE;
        const pixels some(planes + row * p.shape.out_pitch + x, p.shape.out_plane);
        uint32_t *const words =
            reinterpret_cast<uint32_t *>(to + row * p.shape.out_pitch * CHANNELS + x * CHANNELS);
        PRIM_UNROLL(pixels::WORDS)
        for (int w = 0; w < pixels::WORDS; w++)
            words[w] = some.word(w);
    }
}

template <typename Pixel>
__device__ void join_channels(const task<Pixel> &p, const unsigned char *planes, unsigned char *to)
{
    if (p.channels == 2)
        join_planes<2>(p, planes, to);
    else if (p.channels == 3)
        join_planes<3>(p, planes, to);
    else
        join_planes<4>(p, planes, to);
}

/* Bytes `from` to `to` of a word, that memory has at `word`: all of them at once, or one by one. */
__device__ inline void store_bytes(unsigned char *word, uint32_t bytes, int from, int to)
{
    constexpr int WORD = static_cast<int>(WORD_BYTES);
    if (from == 0 && to >= WORD) {
        *reinterpret_cast<uint32_t *>(word) = bytes;
        return;
    }
    PRIM_UNROLL(1)
    for (int b = from; b < to && b < WORD; b++)
        word[b] = static_cast<unsigned char>(bytes >> 8 * b);
}

/* A row of so many bytes. Where it begins `past` bytes behind a word of memory, each word there has
 * bytes of two words of the row. Beside the row nothing is stored. */
__device__ inline void write_bytes(unsigned char *to, int count, const unsigned char *from,
                                   int lane, int lanes)
{
    constexpr int WORD = static_cast<int>(WORD_BYTES);
    const int past = static_cast<int>(past_word(to)), shift = 8 * (WORD - past);
    const uint32_t *const words = reinterpret_cast<const uint32_t *>(from);
    to -= past;
    count += past;
    PRIM_UNROLL(1)
    for (int w = lane; w * WORD < count; w += lanes) {
        uint32_t bytes = words[w];
        if (past > 0)
            bytes = bits_from(w > 0 ? words[w - 1] : 0, bytes, shift);
        store_bytes(to + w * WORD, bytes, w == 0 ? past : 0, count - w * WORD);
    }
}

/* ---- the tile ---- */

/* A block's rows, each by lanes side by side. */
template <typename Pixel>
__device__ void write_rows(const task<Pixel> &p, const block_place &block,
                           const unsigned char *from, int pitch)
{
    using element = typename Pixel::element;
    const int thread = static_cast<int>(threadIdx.x), lanes = 1 << p.shape.store_bits;
    const int lane = thread & (lanes - 1), step = static_cast<int>(blockDim.x) >> p.shape.store_bits;
    const int count = block.columns * p.channels;
    PRIM_UNROLL(1)
    for (int row = thread >> p.shape.store_bits; row < block.rows; row += step) {
        element *const to = row_out(p, block.y + row) + block.x * p.channels;
        if constexpr (IS_NARROW<element>)
            write_bytes(reinterpret_cast<unsigned char *>(to),
                        count * static_cast<int>(sizeof(element)), from + row * pitch, lane, lanes);
        else
            write_elements(p, to, count, from + row * pitch, lane, lanes);
    }
}

/* Stores a thread's sums, or puts them where write() takes them from: narrow elements have shared
 * memory of their own, others take the place of the tile. All threads of the block call it. */
template <typename Pixel, int ROWS>
__device__ void put(const task<Pixel> &p, const block_place &block, const thread_place &own,
                    const typename Pixel::sum (&sums)[ROWS][COLUMNS], unsigned char *shared)
{
    if (p.stores_from_registers) {
        store_from_registers<Pixel, ROWS>(p, block, own, sums);
        return;
    }
    if (!IS_NARROW<typename Pixel::element>)
        __syncthreads(); /* the tile has been read */
    put_in_planes<Pixel, ROWS>(p, own, sums, shared + p.shape.out_at);
}

/* Narrow pixels of several channels are joined in the place of the tile. */
template <typename Pixel>
__device__ void write(const task<Pixel> &p, const block_place &block, unsigned char *shared)
{
    if (p.stores_from_registers)
        return;
    __syncthreads();
    unsigned char *const planes = shared + p.shape.out_at;
    if (!IS_NARROW<typename Pixel::element> || p.channels == 1) {
        write_rows(p, block, planes, p.shape.out_pitch);
        return;
    }
    if constexpr (IS_NARROW<typename Pixel::element>)
        join_channels(p, planes, shared);
    __syncthreads();
    write_rows(p, block, shared, p.shape.out_pitch * p.channels);
}

} // namespace window
} // namespace

#endif
