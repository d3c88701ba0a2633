/* Rows with gaps between them, copied by pieces of a word, or of an element where that is wider. An
 * image holds narrow ones as far past a word as they are in memory, so that nothing is shifted:
 *
 *     memory     ┃ · · · a ┃ a a a a ┃ a a · · ┃ · · · · ┃ b b b b ┃ b b b · ┃   words of bytes
 *     image      ┃ · · · a ┃ a a a a ┃ a a · · ┃ b b b b ┃ b b b · ┃
 *
 * Some lanes share a row's words; its ends, which are less than a word, are one lane's, element by
 * element. What lies between rows is neither read nor written. Where narrow rows of input and
 * output lie otherwise past words, each element is a piece. */
#ifndef PRIM_SCAN_GAPS_CUH
#define PRIM_SCAN_GAPS_CUH

#include "scan/image.cuh"

namespace
{

/* Rows in an image, in bytes; the first one begins at byte `first`. */
struct rows_in_image {
    unsigned rows, length, pitch, first;
};

/* A piece of SIZE bytes. */
template <unsigned SIZE>
using piece = typename std::conditional<
    SIZE == 8, uint64_t,
    typename std::conditional<
        SIZE == 4, uint32_t,
        typename std::conditional<SIZE == 2, uint16_t, uint8_t>::type>::type>::type;

template <typename T>
constexpr unsigned WORD_OR_ELEMENT = sizeof(T) < WORD_BYTES ? WORD_BYTES : sizeof(T);

template <typename T>
using byte_of = typename std::conditional<std::is_const<T>::value, const char, char>::type;

/* A row's place in an image: its first whole piece of SIZE bytes, and what follows its last one.
 * The row has at least as many elements as may lie before a piece. */
template <unsigned SIZE>
struct row_in_image {
    unsigned begin, first_piece, last_piece, end;

    __device__ row_in_image(const rows_in_image &image, unsigned row)
        : begin(image.first + row * image.pitch), first_piece((begin + SIZE - 1) / SIZE * SIZE),
          last_piece((begin + image.length) / SIZE * SIZE), end(begin + image.length)
    {
    }
};

/* Two to the power of this lanes share a row of so many pieces: eight, fewer of a shorter one, more
 * of a longer one, of which a warp has few. */
__device__ inline unsigned log_lanes_of_row(unsigned pieces)
{
    return pieces < 8          ? (pieces >= 2) + (pieces >= 4)
           : pieces < 2 * WARP ? 3
           : pieces < 4 * WARP ? 4
                               : 5;
}

/* Calls body(row in memory, its place, this lane's first piece, bytes to its next one), for rows
 * that lie `ld` Ts apart. */
template <unsigned SIZE, typename T, class Body>
__device__ void for_each_row(T *memory, size_t ld, const rows_in_image &image, unsigned lane,
                             const Body &body)
{
    const unsigned log_lanes = log_lanes_of_row(image.length / SIZE);
    const unsigned step = SIZE << log_lanes;
    PRIM_UNROLL(1)
    for (unsigned row = lane >> log_lanes; row < image.rows; row += WARP >> log_lanes) {
        const row_in_image<SIZE> at(image, row);
        body(reinterpret_cast<byte_of<T> *>(memory + row * ld), at,
             at.first_piece + lane * SIZE % step, step);
    }
}

/* How many elements there may be at one end. */
template <typename T, unsigned SIZE>
constexpr unsigned AT_END = SIZE / sizeof(T) - 1;

/* Calls body(number, byte of the image) for the elements at a row's ends, which a piece does not
 * cover. */
template <typename T, unsigned SIZE, class Body>
__device__ void for_each_at_ends(const row_in_image<SIZE> &at, const Body &body)
{
    constexpr unsigned MOST = AT_END<T, SIZE>, OF_ELEMENT = sizeof(T);
    PRIM_UNROLL(MOST)
    for (unsigned e = 0; e < MOST; e++) {
        const unsigned first = at.begin + e * OF_ELEMENT, last = at.last_piece + e * OF_ELEMENT;
        if (first < at.first_piece)
            body(2 * e, first);
        if (last < at.end)
            body(2 * e + 1, last);
    }
}

/* Starts the copies of rows that lie `ld` apart. */
template <unsigned SIZE, typename In>
__device__ void load_rows(vector_slot *slots, const In *from, size_t ld, const rows_in_image &image,
                          unsigned lane, unsigned swizzle = SWIZZLED)
{
    using whole = piece<SIZE>;
    const auto load = [&](const char *row, const row_in_image<SIZE> &at, unsigned first,
                          unsigned step) {
        const auto memory = [&](unsigned byte) {
            return reinterpret_cast<const whole *>(row + (byte - at.begin));
        };
        if constexpr (SIZE >= WORD_BYTES) {
            PRIM_UNROLL(4)
            for (unsigned byte = first; byte < at.last_piece; byte += step)
                copy_async(&bytes_at<whole>(slots, byte, swizzle), memory(byte));
        } else { /* through registers: some are on their way before the first one is stored */
            constexpr unsigned AT_ONCE = 4;
            PRIM_UNROLL(1)
            for (; first < at.last_piece; first += AT_ONCE * step) {
                whole x[AT_ONCE];
                PRIM_UNROLL(AT_ONCE)
                for (unsigned i = 0; i < AT_ONCE; i++)
                    if (first + i * step < at.last_piece)
                        x[i] = *memory(first + i * step);
                PRIM_UNROLL(AT_ONCE)
                for (unsigned i = 0; i < AT_ONCE; i++)
                    if (first + i * step < at.last_piece)
                        bytes_at<whole>(slots, first + i * step, swizzle) = x[i];
            }
        }
    };
    for_each_row<SIZE>(from, ld, image, lane, load);
    if constexpr (AT_END<In, SIZE> != 0) {
        PRIM_UNROLL(1)
        for (unsigned row = lane; row < image.rows; row += WARP) {
            const row_in_image<SIZE> at(image, row);
            const In *const elements = from + row * ld;
            In x[2 * AT_END<In, SIZE>]; /* all are on their way before the first one is stored */
            for_each_at_ends<In>(at, [&](unsigned number, unsigned byte) {
                x[number] = elements[(byte - at.begin) / sizeof(In)];
            });
            for_each_at_ends<In>(at, [&](unsigned number, unsigned byte) {
                bytes_at<In>(slots, byte, swizzle) = x[number];
            });
        }
    }
}

/* Stores rows, which are to lie `ld` apart. */
template <unsigned SIZE, typename Out>
__device__ void store_rows(Out *to, size_t ld, vector_slot *slots, const rows_in_image &image,
                           unsigned lane, unsigned swizzle = SWIZZLED)
{
    using whole = piece<SIZE>;
    const auto store = [&](char *row, const row_in_image<SIZE> &at, unsigned first, unsigned step) {
        PRIM_UNROLL(4)
        for (unsigned byte = first; byte < at.last_piece; byte += step)
            *reinterpret_cast<whole *>(row + (byte - at.begin)) =
                bytes_at<whole>(slots, byte, swizzle);
    };
    for_each_row<SIZE>(to, ld, image, lane, store);
    if constexpr (AT_END<Out, SIZE> != 0) {
        PRIM_UNROLL(1)
        for (unsigned row = lane; row < image.rows; row += WARP) {
            const row_in_image<SIZE> at(image, row);
            Out *const elements = to + row * ld;
            for_each_at_ends<Out>(at, [&](unsigned, unsigned byte) {
                elements[(byte - at.begin) / sizeof(Out)] = bytes_at<Out>(slots, byte, swizzle);
            });
        }
    }
}

} // namespace

#endif
