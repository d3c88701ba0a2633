/* Rows with gaps between them, copied by pieces of a word, or of an element where that is wider. An
 * image holds narrow ones as far past a word as they are in memory, so that nothing is shifted:
 *
 *     memory     ┃ · · · a ┃ a a a a ┃ a a · · ┃ · · · · ┃ b b b b ┃ b b b · ┃   words of bytes
 *     image      ┃ · · · a ┃ a a a a ┃ a a · · ┃ b b b b ┃ b b b · ┃
 *
 * All lanes share the words of all rows; a row's ends, which are less than a word, are a lane's,
 * element by element. What lies between rows is neither read nor written. Where narrow rows of
 * input and output lie otherwise past words, each element is a piece. */
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

/* Walks over every 32nd piece of SIZE bytes from this lane's on, row after row, of rows that lie
 * `ld` Ts apart in memory. */
template <unsigned SIZE, typename T>
struct piece_walk {
    static constexpr unsigned BEFORE = SIZE - sizeof(T); /* at most, in a row's first piece */

    rows_in_image image;
    size_t ld_bytes;
    unsigned of_row, rows_a_step, pieces_a_step;
    unsigned row, number, begin; /* the piece's row, number in it, and where the row begins */
    byte_of<T> *begin_in_memory;

    __device__ piece_walk(T *memory, size_t ld, const rows_in_image &rows, unsigned lane)
        : image(rows), ld_bytes(ld * sizeof(T)), of_row((BEFORE + rows.length + SIZE - 1) / SIZE),
          rows_a_step(WARP / of_row), pieces_a_step(WARP % of_row), row(lane / of_row),
          number(lane % of_row), begin(rows.first + row * rows.pitch),
          begin_in_memory(reinterpret_cast<byte_of<T> *>(memory) + row * ld_bytes)
    {
    }
    __device__ bool has_row() const
    {
        return row < image.rows;
    }
    __device__ bool is_whole() const
    {
        return SIZE == sizeof(T) || (byte() >= begin && byte() + SIZE <= begin + image.length);
    }
    __device__ unsigned byte() const
    {
        return begin / SIZE * SIZE + number * SIZE;
    }
    __device__ byte_of<T> *memory() const
    {
        return begin_in_memory + (byte() - begin);
    }
    [[maybe_unused]] __device__ void step()
    {
        number += pieces_a_step;
        row += rows_a_step;
        begin += rows_a_step * image.pitch;
        begin_in_memory += rows_a_step * ld_bytes;
        if (number >= of_row) {
            number -= of_row;
            row++;
            begin += image.pitch;
            begin_in_memory += ld_bytes;
        }
    }
};

/* A row's elements before its first whole piece of SIZE bytes, and those after its last one, by
 * bytes of the image. */
template <unsigned SIZE>
struct row_ends {
    unsigned begin, first_piece, last_piece, end;

    __device__ row_ends(const rows_in_image &image, unsigned row)
        : begin(image.first + row * image.pitch), first_piece((begin + SIZE - 1) / SIZE * SIZE),
          last_piece((begin + image.length) / SIZE * SIZE), end(begin + image.length)
    {
        first_piece = first_piece < end ? first_piece : end;
        last_piece = last_piece > first_piece ? last_piece : first_piece;
    }
};

/* How many elements there may be at one end. */
template <typename T, unsigned SIZE>
constexpr unsigned AT_END = SIZE / sizeof(T) - 1;

/* Elements one by one. No asynchronous copy has less than a word, so some are on their way before
 * the first one is stored. */
template <typename In>
__device__ void load_elements(vector_slot *slots, const In *from, size_t ld,
                              const rows_in_image &image, unsigned lane, unsigned swizzle)
{
    constexpr unsigned AT_ONCE = 8, SIZE = sizeof(In);
    using element = piece<SIZE>;
    piece_walk<SIZE, const In> at(from, ld, image, lane);
    while (at.has_row()) {
        element x[AT_ONCE];
        unsigned bytes[AT_ONCE], count = 0;
        PRIM_UNROLL(AT_ONCE)
        for (unsigned i = 0; i < AT_ONCE; i++) {
            bytes[i] = at.byte();
            if (at.has_row()) {
                x[i] = *reinterpret_cast<const element *>(at.memory());
                count = i + 1;
            }
            at.step();
        }
        PRIM_UNROLL(AT_ONCE)
        for (unsigned i = 0; i < AT_ONCE; i++)
            if (i < count)
                bytes_at<element>(slots, bytes[i], swizzle) = x[i];
    }
}

/* Starts the copies of rows that lie `ld` apart. */
template <unsigned SIZE, typename In>
__device__ void load_rows(vector_slot *slots, const In *from, size_t ld, const rows_in_image &image,
                          unsigned lane, unsigned swizzle = SWIZZLED)
{
    if constexpr (SIZE < WORD_BYTES) {
        load_elements(slots, from, ld, image, lane, swizzle);
        return;
    }
    using whole = piece<SIZE>;
    PRIM_UNROLL(4)
    for (piece_walk<SIZE, const In> at(from, ld, image, lane); at.has_row(); at.step())
        if (at.is_whole())
            copy_async(&bytes_at<whole>(slots, at.byte(), swizzle),
                       reinterpret_cast<const whole *>(at.memory()));
    constexpr unsigned MOST = AT_END<In, SIZE>, OF_ELEMENT = sizeof(In);
    if constexpr (MOST != 0) {
        PRIM_UNROLL(1)
        for (unsigned row = lane; row < image.rows; row += WARP) {
            const row_ends<SIZE> ends(image, row);
            const In *const elements = from + row * ld;
            const unsigned behind = (ends.last_piece - ends.begin) / OF_ELEMENT;
            In before[MOST], after[MOST]; /* all are on their way before the first one is stored */
            PRIM_UNROLL(MOST)
            for (unsigned e = 0; e < MOST; e++) {
                if (ends.begin + e * OF_ELEMENT < ends.first_piece)
                    before[e] = elements[e];
                if (ends.last_piece + e * OF_ELEMENT < ends.end)
                    after[e] = elements[behind + e];
            }
            PRIM_UNROLL(MOST)
            for (unsigned e = 0; e < MOST; e++) {
                const unsigned first = ends.begin + e * OF_ELEMENT,
                               last = ends.last_piece + e * OF_ELEMENT;
                if (first < ends.first_piece)
                    bytes_at<In>(slots, first, swizzle) = before[e];
                if (last < ends.end)
                    bytes_at<In>(slots, last, swizzle) = after[e];
            }
        }
    }
}

/* Stores rows, which are to lie `ld` apart. */
template <unsigned SIZE, typename Out>
__device__ void store_rows(Out *to, size_t ld, vector_slot *slots, const rows_in_image &image,
                           unsigned lane, unsigned swizzle = SWIZZLED)
{
    using whole = piece<SIZE>;
    PRIM_UNROLL(4)
    for (piece_walk<SIZE, Out> at(to, ld, image, lane); at.has_row(); at.step())
        if (at.is_whole())
            *reinterpret_cast<whole *>(at.memory()) = bytes_at<whole>(slots, at.byte(), swizzle);
    constexpr unsigned MOST = AT_END<Out, SIZE>, OF_ELEMENT = sizeof(Out);
    if constexpr (MOST != 0) {
        PRIM_UNROLL(1)
        for (unsigned row = lane; row < image.rows; row += WARP) {
            const row_ends<SIZE> ends(image, row);
            Out *const elements = to + row * ld;
            const unsigned behind = (ends.last_piece - ends.begin) / OF_ELEMENT;
            PRIM_UNROLL(MOST)
            for (unsigned e = 0; e < MOST; e++) {
                const unsigned first = ends.begin + e * OF_ELEMENT,
                               last = ends.last_piece + e * OF_ELEMENT;
                if (first < ends.first_piece)
                    elements[e] = bytes_at<Out>(slots, first, swizzle);
                if (last < ends.end)
                    elements[behind + e] = bytes_at<Out>(slots, last, swizzle);
            }
        }
    }
}

} // namespace

#endif
