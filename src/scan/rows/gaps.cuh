/* Rows with gaps between them. An image holds those of narrow elements as far past a vector as they
 * are in memory, if input and output allow it, so that nothing is shifted:
 *
 *     memory     ┃ · · a a ┃ a a a a ┃ a · · · ┃ · · · · ┃ b b b b ┃ b b b · ┃
 *     image      ┃ · · a a ┃ a a a a ┃ a · · · ┃ b b b b ┃ b b b · ┃
 *
 * Whole vectors are copied as such, and a row's ends in pieces of 8, 4, 2 and 1 bytes, each at most
 * once. All other rows are copied element by element: wide ones too, since vectors take fewer
 * instructions but more requests to L2, of which there are too many then. What lies between rows is
 * neither read nor written. */
#ifndef PRIM_SCAN_GAPS_CUH
#define PRIM_SCAN_GAPS_CUH

#include "common/block/end_pieces.cuh"
#include "scan/tile/image.cuh"

namespace
{

template <typename T>
using byte_of = typename std::conditional<std::is_const<T>::value, const char, char>::type;

/* i / divisor without a division, where i * divisor is less than 2^31. */
[[maybe_unused]] uint32_t reciprocal_of(unsigned divisor)
{
    return (1u << 31) / divisor + (divisor > 1);
}
__device__ inline unsigned quotient(unsigned i, uint32_t reciprocal)
{
    return static_cast<unsigned>(static_cast<uint64_t>(2 * i) * reciprocal >> 32);
}

/* Rows in an image, in bytes; the first one begins at byte `first`. */
struct rows_in_image {
    unsigned count; /* elements in all of them */
    unsigned length, pitch, first;
    uint32_t of_elements, of_vectors; /* reciprocals of what a row has */

    __device__ unsigned rows() const
    {
        return quotient(count, of_elements);
    }
};

/* The elements of rows, one row after the other, so that neighbouring lanes have neighbours in
 * memory: a sector of 32 bytes that is stored in two parts is stored twice. */
template <typename T>
struct elements_of_rows {
    static constexpr unsigned SIZE = sizeof(T);

    unsigned first, behind; /* bytes of the image: before the first row, and between two */
    unsigned count;
    uint32_t reciprocal;
    byte_of<T> *memory; /* where byte 0 of the image would be */
    size_t gap;         /* by how much a row is further from the one before it than in the image */

    __device__ elements_of_rows(T *from, size_t ld, const rows_in_image &image)
        : first(image.first), behind(image.pitch - image.length), count(image.count),
          reciprocal(image.of_elements), memory(reinterpret_cast<byte_of<T> *>(from) - image.first),
          gap(ld * SIZE - image.pitch)
    {
    }
    __device__ unsigned byte_of_image(unsigned i) const
    {
        return first + i * SIZE + quotient(i, reciprocal) * behind;
    }
    __device__ T *in_memory(unsigned i) const
    {
        return reinterpret_cast<T *>(memory + quotient(i, reciprocal) * gap + byte_of_image(i));
    }
};

/* The whole vectors of rows, one row after the other. */
template <typename T>
struct vectors_of_rows {
    rows_in_image image;
    byte_of<T> *memory; /* as above */
    size_t gap;
    unsigned of_row, count; /* a row has so many vectors at most */

    __device__ vectors_of_rows(T *first, size_t ld, const rows_in_image &rows)
        : image(rows), memory(reinterpret_cast<byte_of<T> *>(first) - rows.first),
          gap(ld * sizeof(T) - rows.pitch), of_row(rows.length / VECTOR_BYTES),
          count(rows.rows() * of_row)
    {
    }
    __device__ unsigned begin_of(unsigned row) const
    {
        return image.first + row * image.pitch;
    }
    /* Calls body(byte of the image, the same in memory) for vector i, if the row has it. */
    template <class Body>
    __device__ void at(unsigned i, const Body &body) const
    {
        const unsigned row = quotient(i, image.of_vectors), begin = begin_of(row);
        const unsigned byte = (begin + VECTOR_BYTES - 1) / VECTOR_BYTES * VECTOR_BYTES +
                              (i - row * of_row) * VECTOR_BYTES;
        if (byte + VECTOR_BYTES <= begin + image.length)
            body(byte, memory + row * gap + byte);
    }
};

/* The two ends of a row, 0 and 1, which its whole vectors do not cover. */
template <typename T>
struct row_end {
    end_pieces<T> pieces;
    unsigned begin; /* in the image */
    byte_of<T> *memory;

    __device__ row_end(const vectors_of_rows<T> &rows, unsigned row, unsigned which)
        : pieces{0, which}, begin(rows.begin_of(row)), memory(rows.memory + row * rows.gap)
    {
        const unsigned end = begin + rows.image.length, last = end / VECTOR_BYTES * VECTOR_BYTES;
        pieces.bytes = which == 0 ? (0 - begin) % VECTOR_BYTES : end - last;
        begin = which == 0 ? begin : last;
    }
    /* Calls body(byte of the image, the same in memory) for the piece of this size, if there is
     * one. */
    template <typename Piece, class Body>
    __device__ void at(const Body &body) const
    {
        if (pieces.template has<Piece>()) {
            const unsigned byte = begin + pieces.template place<Piece>();
            body(byte, memory + byte);
        }
    }
};

/* A T in memory. */
template <typename T>
__device__ const T &in_memory(const char *bytes)
{
    return *reinterpret_cast<const T *>(bytes);
}
template <typename T>
__device__ T &in_memory(char *bytes)
{
    return *reinterpret_cast<T *>(bytes);
}

/* ---- by vectors, and the ends ---- */

template <typename In>
__device__ void load_row_ends(vector_slot *slots, const vectors_of_rows<const In> &rows,
                              unsigned lane, unsigned swizzle)
{
    constexpr unsigned AT_ONCE = 2; /* what is less than a word waits in registers */
    PRIM_UNROLL(1)
    for (unsigned first = lane; first < 2 * rows.image.rows(); first += AT_ONCE * WARP) {
        uint16_t two[AT_ONCE] = {};
        uint8_t one[AT_ONCE] = {};
        const auto for_each_end = [&](const auto &body) {
            PRIM_UNROLL(AT_ONCE)
            for (unsigned j = 0; j < AT_ONCE; j++) {
                const unsigned i = first + j * WARP;
                if (i < 2 * rows.image.rows())
                    body(row_end<const In>(rows, i / 2, i % 2), two[j], one[j]);
            }
        };
        for_each_end([&](const row_end<const In> &end, uint16_t &half, uint8_t &byte_alone) {
            end.template at<uint64_t>([&](unsigned byte, const char *memory) {
                copy_async(&bytes_at<uint64_t>(slots, byte, swizzle), &in_memory<uint64_t>(memory));
            });
            end.template at<uint32_t>([&](unsigned byte, const char *memory) {
                copy_async(&bytes_at<uint32_t>(slots, byte, swizzle), &in_memory<uint32_t>(memory));
            });
            end.template at<uint16_t>(
                [&](unsigned, const char *memory) { half = in_memory<uint16_t>(memory); });
            end.template at<uint8_t>(
                [&](unsigned, const char *memory) { byte_alone = in_memory<uint8_t>(memory); });
        });
        for_each_end([&](const row_end<const In> &end, uint16_t half, uint8_t byte_alone) {
            end.template at<uint16_t>([&](unsigned byte, const char *) {
                bytes_at<uint16_t>(slots, byte, swizzle) = half;
            });
            end.template at<uint8_t>([&](unsigned byte, const char *) {
                bytes_at<uint8_t>(slots, byte, swizzle) = byte_alone;
            });
        });
    }
}

template <typename Out>
__device__ void store_row_ends(vector_slot *slots, const vectors_of_rows<Out> &rows, unsigned lane,
                               unsigned swizzle)
{
    PRIM_UNROLL(1)
    for (unsigned i = lane; i < 2 * rows.image.rows(); i += WARP) {
        const row_end<Out> end(rows, i / 2, i % 2);
        const auto store = [&](auto piece, unsigned byte, char *memory) {
            using type = decltype(piece);
            in_memory<type>(memory) = bytes_at<type>(slots, byte, swizzle);
        };
        end.template at<uint64_t>([&](unsigned b, char *m) { store(uint64_t(), b, m); });
        end.template at<uint32_t>([&](unsigned b, char *m) { store(uint32_t(), b, m); });
        end.template at<uint16_t>([&](unsigned b, char *m) { store(uint16_t(), b, m); });
        end.template at<uint8_t>([&](unsigned b, char *m) { store(uint8_t(), b, m); });
    }
}

/* ---- all of it ---- */

/* Starts the copies of rows that lie `ld` apart; by vectors, if they are as far past one in the
 * image as in memory. */
template <typename In>
__device__ void load_rows(vector_slot *slots, const In *from, size_t ld, const rows_in_image &image,
                          bool by_vectors, unsigned lane, unsigned swizzle = SWIZZLED)
{
    constexpr unsigned SIZE = sizeof(In);
    if constexpr (IS_NARROW<In>)
        if (by_vectors) {
            const vectors_of_rows<const In> rows(from, ld, image);
            PRIM_UNROLL(2)
            for (unsigned i = lane; i < rows.count; i += WARP)
                rows.at(i, [&](unsigned byte, const char *memory) {
                    copy_async(&bytes_at<four_words>(slots, byte, swizzle),
                               &in_memory<four_words>(memory));
                });
            load_row_ends(slots, rows, lane, swizzle);
            return;
        }
    const elements_of_rows<const In> rows(from, ld, image);
    if constexpr (SIZE >= WORD_BYTES) {
        PRIM_UNROLL(4)
        for (unsigned i = lane; i < rows.count; i += WARP)
            copy_async(&bytes_at<In>(slots, rows.byte_of_image(i), swizzle), rows.in_memory(i));
    } else { /* through registers: some are on their way before the first one is stored */
        constexpr unsigned AT_ONCE = 4;
        PRIM_UNROLL(1)
        for (unsigned first = lane; first < rows.count; first += AT_ONCE * WARP) {
            In x[AT_ONCE];
            PRIM_UNROLL(AT_ONCE)
            for (unsigned j = 0; j < AT_ONCE; j++)
                if (first + j * WARP < rows.count)
                    x[j] = *rows.in_memory(first + j * WARP);
            PRIM_UNROLL(AT_ONCE)
            for (unsigned j = 0; j < AT_ONCE; j++)
                if (first + j * WARP < rows.count)
                    bytes_at<In>(slots, rows.byte_of_image(first + j * WARP), swizzle) = x[j];
        }
    }
}

/* Stores rows, which are to lie `ld` apart. */
template <typename Out>
__device__ void store_rows(Out *to, size_t ld, vector_slot *slots, const rows_in_image &image,
                           bool by_vectors, unsigned lane, unsigned swizzle = SWIZZLED)
{
    if constexpr (IS_NARROW<Out>)
        if (by_vectors) {
            const vectors_of_rows<Out> rows(to, ld, image);
            PRIM_UNROLL(2)
            for (unsigned i = lane; i < rows.count; i += WARP)
                rows.at(i, [&](unsigned byte, char *memory) {
                    in_memory<four_words>(memory) = bytes_at<four_words>(slots, byte, swizzle);
                });
            store_row_ends(slots, rows, lane, swizzle);
            return;
        }
    const elements_of_rows<Out> rows(to, ld, image);
    PRIM_UNROLL(4)
    for (unsigned i = lane; i < rows.count; i += WARP)
        *rows.in_memory(i) = bytes_at<Out>(slots, rows.byte_of_image(i), swizzle);
}

} // namespace

#endif
