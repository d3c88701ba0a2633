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

/* ---- pixels joined ---- */

/* Where byte `at` of joined rows lies in shared memory: what eight threads write at the same time,
 * 16 bytes each and up to 128 bytes apart, lies in different banks. */
__device__ inline int place_of_byte(int at)
{
    return at ^ ((at >> 7 & 7) << 4);
}

/* Four pixels of narrow elements, out of the planes from `from` on. */
template <typename T, int CHANNELS>
__device__ void join_narrow(const unsigned char *from, int plane, unsigned char *to, int at)
{
    constexpr int SIZE = static_cast<int>(sizeof(T)), WORDS = pixel_order<SIZE, CHANNELS>::WORDS,
                  EACH = WORDS / CHANNELS;
    uint32_t planes[WORDS];
    PRIM_UNROLL(CHANNELS)
    for (int c = 0; c < CHANNELS; c++) {
        const auto elements = *reinterpret_cast<const packed<T, COLUMNS> *>(from + c * plane);
        PRIM_UNROLL(EACH)
        for (int w = 0; w < EACH; w++)
            planes[c * EACH + w] = elements.words[w];
    }
    PRIM_UNROLL(WORDS)
    for (int w = 0; w < WORDS; w++) {
        uint32_t *const word = reinterpret_cast<uint32_t *>(to + place_of_byte(at + 4 * w));
        *word = word_of_pixels<SIZE, CHANNELS>(planes, w);
    }
}

/* The same of elements of 4 and 8 bytes. */
template <typename T, int CHANNELS>
__device__ void join_wide(const unsigned char *from, int plane, unsigned char *to, int at)
{
    constexpr int EACH = static_cast<int>(VECTOR_ELEMENTS<T>);
    T pixels[COLUMNS * CHANNELS];
    PRIM_UNROLL(CHANNELS)
    for (int c = 0; c < CHANNELS; c++) {
        PRIM_UNROLL(COLUMNS)
        for (int e = 0; e < COLUMNS; e += EACH) {
            const vector<T> some = reinterpret_cast<const vector<T> *>(from + c * plane)[e / EACH];
            PRIM_UNROLL(EACH)
            for (int i = 0; i < EACH; i++)
                pixels[(e + i) * CHANNELS + c] = some.words[i];
        }
    }
    PRIM_UNROLL(COLUMNS * CHANNELS)
    for (int e = 0; e < COLUMNS * CHANNELS; e += EACH) {
        vector<T> some;
        PRIM_UNROLL(EACH)
        for (int i = 0; i < EACH; i++)
            some.words[i] = pixels[e + i];
        const int byte = at + e * static_cast<int>(sizeof(T));
        *reinterpret_cast<vector<T> *>(to + place_of_byte(byte)) = some;
    }
}

/* All rows of a block, from planes into rows as they lie in memory. */
template <int CHANNELS, typename Pixel>
__device__ void join_planes(const task<Pixel> &p, const unsigned char *planes, unsigned char *to)
{
    using element = typename Pixel::element;
    const int bits = p.shape.across_bits, count = p.shape.high << bits;
    PRIM_UNROLL(1)
    for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(blockDim.x)) {
        const int row = i >> bits,
                  x = (i - (row << bits)) * COLUMNS * static_cast<int>(sizeof(element));
        const unsigned char *const from = planes + row * p.shape.out_pitch + x;
        const int at = (row * p.shape.out_pitch + x) * CHANNELS;
        if constexpr (IS_NARROW<element>)
            join_narrow<element, CHANNELS>(from, p.shape.out_plane, to, at);
        else
            join_wide<element, CHANNELS>(from, p.shape.out_plane, to, at);
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

/* ---- rows into memory ---- */

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

/* Rows in shared memory: joined ones, or the only plane. */
template <bool JOINED>
struct shared_rows {
    const unsigned char *rows;

    template <typename T>
    __device__ T read(int byte) const
    {
        return *reinterpret_cast<const T *>(rows + (JOINED ? place_of_byte(byte) : byte));
    }
};

/* A row of so many bytes that begins at 16 bytes. */
template <bool JOINED>
__device__ void write_vectors(unsigned char *to, int count, const shared_rows<JOINED> &from, int at,
                              int lane, int lanes)
{
    constexpr int VECTOR = static_cast<int>(VECTOR_BYTES), WORD = static_cast<int>(WORD_BYTES);
    using vectors = vector<uint32_t>;
    PRIM_UNROLL(1)
    for (int b = lane * VECTOR; b < count; b += lanes * VECTOR) {
        const vectors some = from.template read<vectors>(at + b);
        if (b + VECTOR <= count) {
            *reinterpret_cast<vectors *>(to + b) = some;
            continue;
        }
        PRIM_UNROLL(VECTOR / WORD)
        for (int w = 0; w < VECTOR / WORD; w++)
            store_bytes(to + b + w * WORD, some.words[w], 0, count - b - w * WORD);
    }
}

/* The same that begins anywhere: `past` bytes after a word, so that each word of memory has bytes
 * of two words of the row. Beside the row nothing is stored. */
template <bool JOINED>
__device__ void write_words(unsigned char *to, int count, const shared_rows<JOINED> &from, int at,
                            int lane, int lanes)
{
    constexpr int WORD = static_cast<int>(WORD_BYTES);
    const int past = static_cast<int>(past_word(to)), shift = 8 * (WORD - past);
    to -= past;
    count += past;
    PRIM_UNROLL(1)
    for (int w = lane; w * WORD < count; w += lanes) {
        uint32_t bytes = from.template read<uint32_t>(at + w * WORD);
        if (past > 0) {
            const uint32_t before = w > 0 ? from.template read<uint32_t>(at + (w - 1) * WORD) : 0;
            bytes = bits_from(before, bytes, shift);
        }
        store_bytes(to + w * WORD, bytes, w == 0 ? past : 0, count - w * WORD);
    }
}

/* A block's rows, each by lanes side by side. */
template <bool JOINED, typename Pixel>
__device__ void write_rows(const task<Pixel> &p, const block_place &block,
                           const shared_rows<JOINED> &from, int pitch)
{
    const int thread = static_cast<int>(threadIdx.x), lanes = 1 << p.shape.store_bits;
    const int lane = thread & (lanes - 1),
              step = static_cast<int>(blockDim.x) >> p.shape.store_bits;
    const int pixel = p.channels * static_cast<int>(sizeof(typename Pixel::element));
    PRIM_UNROLL(1)
    for (int row = thread >> p.shape.store_bits; row < block.rows; row += step) {
        unsigned char *const to =
            reinterpret_cast<unsigned char *>(row_out(p, block.y + row)) + block.x * pixel;
        if (bytes_past_vector(to) == 0)
            write_vectors(to, block.columns * pixel, from, row * pitch, lane, lanes);
        else
            write_words(to, block.columns * pixel, from, row * pitch, lane, lanes);
    }
}

/* Stores a thread's sums, or puts them where write() takes them from. */
template <typename Pixel, int ROWS>
__device__ void put(const task<Pixel> &p, const block_place &block, const thread_place &own,
                    const typename Pixel::sum (&sums)[ROWS][COLUMNS], unsigned char *shared)
{
    if (p.stores_from_registers)
        store_from_registers<Pixel, ROWS>(p, block, own, sums);
    else
        put_in_planes<Pixel, ROWS>(p, own, sums, shared + p.shape.out_at);
}

/* All threads of the block call it. Pixels of several channels are joined in the place of the
 * tile. */
template <typename Pixel>
__device__ void write(const task<Pixel> &p, const block_place &block, unsigned char *shared)
{
    if (p.stores_from_registers)
        return;
    __syncthreads();
    unsigned char *const planes = shared + p.shape.out_at;
    if (p.channels == 1) {
        write_rows(p, block, shared_rows<false>{planes}, p.shape.out_pitch);
        return;
    }
    join_channels(p, planes, shared);
    __syncthreads();
    write_rows(p, block, shared_rows<true>{shared}, p.shape.out_pitch * p.channels);
}

} // namespace window
} // namespace

#endif
