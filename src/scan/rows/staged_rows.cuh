/* Rows from global memory into an image, and back. They come as they lie, with what is between
 * them, or each by itself where that is more than 32 bytes; every row is as far past a vector as in
 * memory, so that all goes in whole vectors:
 *
 *     memory     ┃ · · a a ┃ a a a a ┃ a · b b ┃ b b b b ┃ b · · · ┃
 *     image      ┃ · · a a ┃ a a a a ┃ a · b b ┃ b b b b ┃ b · · · ┃
 *
 * What lies between rows is never written. So results with gaps go back element by element: even
 * wide ones, since vectors take fewer instructions but more requests to L2, of which there are too
 * many then. Long rows of narrow results go by their whole vectors, and both ends of each in pieces
 * of 8, 4, 2 and 1 bytes, each at most once. */
#ifndef PRIM_SCAN_STAGED_ROWS_CUH
#define PRIM_SCAN_STAGED_ROWS_CUH

#include "scan/tile/image.cuh"

namespace
{

/* i / divisor without a division, where i * divisor is less than 2^31. */
[[maybe_unused]] __host__ __device__ uint32_t reciprocal_of(unsigned divisor)
{
    return (1u << 31) / divisor + (divisor > 1);
}
__device__ inline unsigned quotient(unsigned i, uint32_t reciprocal)
{
    return static_cast<unsigned>(static_cast<uint64_t>(2 * i) * reciprocal >> 32);
}

/* What is copied at once, in bytes: all rows as one line, or each row. */
struct staged_lines {
    unsigned count, length, pitch; /* pitch: from line to line in the image */
    size_t gap;                    /* by how much two are further from each other in memory */
    unsigned vectors;              /* that a line reaches into at most */
    uint32_t reciprocal;           /* of that, or 0 for one line */
    const void *begin, *end;       /* of the matrix: nothing may be read beyond it */
};

/* Starts the copies of lines, the first of which begins at `from`, into an image that begins with
 * its vector. */
template <typename In>
__device__ void load_lines(vector_slot *slots, const In *from, const staged_lines &lines,
                           unsigned lane, unsigned swizzle)
{
    const unsigned first = shift_of(from);
    const char *const memory = reinterpret_cast<const char *>(from) - first;
    PRIM_UNROLL(2)
    for (unsigned i = lane; i < lines.count * lines.vectors; i += WARP) {
        const unsigned line = quotient(i, lines.reciprocal);
        const unsigned begin = first + line * lines.pitch, end = begin + lines.length;
        const unsigned vector = begin / VECTOR_BYTES + i - line * lines.vectors;
        const unsigned byte = vector * VECTOR_BYTES, behind = byte + VECTOR_BYTES;
        if (byte >= end)
            continue;
        const char *const at = memory + line * lines.gap + byte;
        const unsigned start = byte < begin ? begin : byte, stop = end < behind ? end : behind;
        if (at < lines.begin || at + VECTOR_BYTES > lines.end) {
            PRIM_UNROLL(1)
            for (unsigned b = start; b < stop; b += sizeof(In))
                copy_async(&bytes_at<In>(slots, b, swizzle),
                           reinterpret_cast<const In *>(at + (b - byte)));
        } else {
            copy_vector(&slots[slot_of(vector, swizzle)], reinterpret_cast<const vector_slot *>(at),
                        start - byte, stop - byte);
        }
    }
}

/* ---- rows with gaps ---- */

/* Rows in an image, in bytes; the first one begins at byte `first`. */
struct rows_in_image {
    unsigned count; /* elements in all of them */
    unsigned length, pitch, first;
    uint32_t of_elements; /* the reciprocal of a row's */
};

/* The elements of rows that lie `ld` apart in memory, one row after the other, so that neighbouring
 * lanes have neighbours in memory: a sector of 32 bytes that is stored in two parts is stored
 * twice. */
template <typename T>
struct elements_of_rows {
    using byte_of = typename std::conditional<std::is_const<T>::value, const char, char>::type;
    static constexpr unsigned SIZE = sizeof(T);

    const rows_in_image &image;
    byte_of *memory;
    size_t gap;

    __device__ elements_of_rows(T *rows, size_t ld, const rows_in_image &of)
        : image(of), memory(reinterpret_cast<byte_of *>(rows) - of.first), gap(ld * SIZE - of.pitch)
    {
    }
    __device__ unsigned byte_of_image(unsigned i) const
    {
        const unsigned row = quotient(i, image.of_elements);
        return image.first + i * SIZE + row * (image.pitch - image.length);
    }
    __device__ T *in_memory(unsigned i) const
    {
        return reinterpret_cast<T *>(memory + quotient(i, image.of_elements) * gap +
                                     byte_of_image(i));
    }
};

/* Narrow elements go through registers: some are on their way before the first one is stored. */
template <typename In>
__device__ void load_elements(vector_slot *slots, const In *from, size_t ld,
                              const rows_in_image &image, unsigned lane)
{
    const elements_of_rows<const In> rows(from, ld, image);
    constexpr unsigned AT_ONCE = 4;
    PRIM_UNROLL(1)
    for (unsigned first = lane; first < image.count; first += AT_ONCE * WARP) {
        In x[AT_ONCE] = {};
        PRIM_UNROLL(AT_ONCE)
        for (unsigned j = 0; j < AT_ONCE; j++) {
            const unsigned i = first + j * WARP;
            if (i >= image.count)
                continue;
            if constexpr (IS_NARROW<In>)
                x[j] = *rows.in_memory(i);
            else
                copy_async(&bytes_at<In>(slots, rows.byte_of_image(i)), rows.in_memory(i));
        }
        PRIM_UNROLL(AT_ONCE)
        for (unsigned j = 0; IS_NARROW<In> && j < AT_ONCE; j++)
            if (first + j * WARP < image.count)
                bytes_at<In>(slots, rows.byte_of_image(first + j * WARP)) = x[j];
    }
}

template <typename Out>
__device__ void store_elements(Out *to, size_t ld, vector_slot *slots, const rows_in_image &image,
                               unsigned lane, unsigned swizzle = SWIZZLED)
{
    const elements_of_rows<Out> rows(to, ld, image);
    PRIM_UNROLL(4)
    for (unsigned i = lane; i < image.count; i += WARP)
        *rows.in_memory(i) = bytes_at<Out>(slots, rows.byte_of_image(i), swizzle);
}

/* The bytes before a boundary of 16, or after one, in pieces of 8, 4, 2 and 1 bytes, each at most
 * once and none smaller than T: short ones first before the boundary, and last after it, so that
 * all are aligned.
 *
 *     ┃ · · · 1 2 2 4 4 4 4 8 8 8 8 8 8 8 8 ┃ … ┃ 8 8 8 8 8 8 8 8 4 4 4 4 2 2 1 · ┃ */
template <typename T>
struct end_pieces {
    unsigned bytes;  /* less than 16 */
    unsigned number; /* 0: before a boundary, 1: after one */

    template <typename Piece>
    __device__ bool has() const
    {
        return sizeof(T) <= sizeof(Piece) && (bytes & sizeof(Piece)) != 0;
    }
    /* Where the piece begins, from the first of the bytes on. */
    template <typename Piece>
    __device__ unsigned place() const
    {
        constexpr unsigned SIZE = sizeof(Piece);
        return number == 0 ? bytes % SIZE : bytes / (2 * SIZE) * (2 * SIZE);
    }
};

/* Of rows of a vector and more, which are as far past one in memory as in the image: the whole
 * vectors, and then the two ends of each row. */
template <typename Out>
__device__ void store_vectors_and_ends(Out *to, size_t ld, vector_slot *slots,
                                       const rows_in_image &image, unsigned lane, unsigned swizzle)
{
    const unsigned rows = quotient(image.count, image.of_elements);
    const unsigned of_row = image.length / VECTOR_BYTES;
    const uint32_t of_vectors = reciprocal_of(of_row);
    char *const memory = reinterpret_cast<char *>(to) - image.first;
    const size_t gap = ld * sizeof(Out) - image.pitch;
    const auto store = [&](unsigned row, unsigned byte, auto piece) {
        using type = decltype(piece);
        *reinterpret_cast<type *>(memory + row * gap + byte) = bytes_at<type>(slots, byte, swizzle);
    };
    PRIM_UNROLL(2)
    for (unsigned i = lane; i < rows * of_row; i += WARP) {
        const unsigned row = quotient(i, of_vectors), begin = image.first + row * image.pitch;
        const unsigned byte =
            (begin + VECTOR_BYTES - 1 + (i - row * of_row) * VECTOR_BYTES) & ~(VECTOR_BYTES - 1);
        if (byte + VECTOR_BYTES <= begin + image.length)
            store(row, byte, four_words());
    }
    PRIM_UNROLL(1)
    for (unsigned i = lane; i < 2 * rows; i += WARP) {
        const unsigned row = i / 2, begin = image.first + row * image.pitch;
        const unsigned past = (begin + image.length) % VECTOR_BYTES;
        const end_pieces<Out> pieces = {i % 2 == 0 ? (0 - begin) % VECTOR_BYTES : past, i % 2};
        const unsigned at = i % 2 == 0 ? begin : begin + image.length - past;
        const auto store_piece = [&](auto piece) {
            if (pieces.template has<decltype(piece)>())
                store(row, at + pieces.template place<decltype(piece)>(), piece);
        };
        store_piece(uint64_t());
        store_piece(uint32_t());
        store_piece(uint16_t());
        store_piece(uint8_t());
    }
}

} // namespace

#endif
