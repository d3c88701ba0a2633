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

/* ---- elements of 4 and 8 bytes through shared memory, a plane for each channel ---- */

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

/* Elements as they lie in memory: lanes side by side. */
template <typename Pixel>
__device__ void write_planes(const task<Pixel> &p, const block_place &block,
                             const unsigned char *shared)
{
    using element = typename Pixel::element;
    const int thread = static_cast<int>(threadIdx.x), lanes = 1 << p.shape.store_bits;
    const int lane = thread & (lanes - 1), count = block.columns * p.channels;
    const int step = static_cast<int>(blockDim.x) >> p.shape.store_bits;
    const int first_pixel = lane / p.channels, first_channel = lane % p.channels;
    const int pixels = lanes / p.channels, channels = lanes % p.channels;
    PRIM_UNROLL(1)
    for (int row = thread >> p.shape.store_bits; row < block.rows; row += step) {
        element *const to = row_out(p, block.y + row) + block.x * p.channels;
        const unsigned char *const from = shared + row * p.shape.out_pitch;
        int pixel = first_pixel, channel = first_channel;
        PRIM_UNROLL(1)
        for (int e = lane; e < count; e += lanes) {
            to[e] = reinterpret_cast<const element *>(from + channel * p.shape.out_plane)[pixel];
            pixel += pixels;
            channel += channels;
            if (channel >= p.channels) {
                channel -= p.channels;
                pixel++;
            }
        }
    }
}

/* ---- narrow elements through shared memory, as they lie in memory ---- */

/* Where the outputs' row of a block lies in shared memory: as far past a word as in memory. */
template <typename T>
__device__ T *narrow_row(unsigned char *row, const T *in_memory)
{
    return reinterpret_cast<T *>(row + reinterpret_cast<uintptr_t>(in_memory) % WORD_BYTES);
}

template <typename Pixel, int ROWS>
__device__ void put_in_rows(const task<Pixel> &p, const block_place &block, const thread_place &own,
                            const typename Pixel::sum (&sums)[ROWS][COLUMNS], unsigned char *shared)
{
    PRIM_UNROLL(ROWS)
    for (int o = 0; o < ROWS; o++) {
        const int row = own.row + o;
        if (row >= block.rows)
            return;
        const auto elements = stored_row<Pixel>(sums[o], p.end);
        typename Pixel::element *const to =
            narrow_row(shared + row * p.shape.out_pitch,
                       row_out(p, block.y + row) + block.x * p.channels) +
            own.column * p.channels + own.channel;
        PRIM_UNROLL(COLUMNS)
        for (int c = 0; c < COLUMNS; c++)
            to[c * p.channels] = elements[c];
    }
}

/* Words of `to`, and of the words at both ends what belongs to it. */
template <typename Pixel>
__device__ void write_rows(const task<Pixel> &p, const block_place &block, unsigned char *shared)
{
    using element = typename Pixel::element;
    constexpr int IN_WORD = static_cast<int>(WORD_BYTES / sizeof(element));
    const int thread = static_cast<int>(threadIdx.x), lanes = 1 << p.shape.store_bits;
    const int lane = thread & (lanes - 1), count = block.columns * p.channels;
    const int step = static_cast<int>(blockDim.x) >> p.shape.store_bits;
    PRIM_UNROLL(1)
    for (int row = thread >> p.shape.store_bits; row < block.rows; row += step) {
        element *const to = row_out(p, block.y + row) + block.x * p.channels;
        const element *const from = narrow_row(shared + row * p.shape.out_pitch, to);
        const int past =
            static_cast<int>(reinterpret_cast<uintptr_t>(to) % WORD_BYTES / sizeof(element));
        PRIM_UNROLL(1)
        for (int e = IN_WORD * lane - past; e < count; e += IN_WORD * lanes) {
            if (e >= 0 && e + IN_WORD <= count) {
                *reinterpret_cast<uint32_t *>(to + e) =
                    *reinterpret_cast<const uint32_t *>(from + e);
                continue;
            }
            PRIM_UNROLL(1)
            for (int i = e < 0 ? 0 : e; i < e + IN_WORD && i < count; i++)
                to[i] = from[i];
        }
    }
}

/* All threads of the block call it; `shared` is overwritten. */
template <typename Pixel, int ROWS>
__device__ void store(const task<Pixel> &p, const block_place &block, const thread_place &own,
                      const typename Pixel::sum (&sums)[ROWS][COLUMNS], unsigned char *shared)
{
    if (p.stores_from_registers) {
        store_from_registers<Pixel, ROWS>(p, block, own, sums);
        return;
    }
    __syncthreads(); /* the tile has been read */
    if constexpr (IS_NARROW<typename Pixel::element>)
        put_in_rows<Pixel, ROWS>(p, block, own, sums, shared);
    else
        put_in_planes<Pixel, ROWS>(p, own, sums, shared);
    __syncthreads();
    if constexpr (IS_NARROW<typename Pixel::element>)
        write_rows(p, block, shared);
    else
        write_planes(p, block, shared);
}

} // namespace window
} // namespace

#endif
