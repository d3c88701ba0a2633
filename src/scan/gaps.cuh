/* Rows with gaps between them. An image holds them spread, each as far past a vector as it is in
 * memory, so that nothing is shifted:
 *
 *     memory     ┃ · · a a ┃ a a a a ┃ a · · · ┃ · · · · ┃ b b b b ┃ b b b · ┃
 *     image      ┃ · · a a ┃ a a a a ┃ a · · · ┃ b b b b ┃ b b b · ┃
 *
 * Whole vectors are copied as such, and a row's ends in as few pieces of 8, 4, 2 and 1 bytes as
 * their places allow. What lies between rows is neither read nor written. Where input and output
 * lie otherwise past vectors, the image holds the rows without gaps: copied by elements. */
#ifndef PRIM_SCAN_GAPS_CUH
#define PRIM_SCAN_GAPS_CUH

#include "scan/image.cuh"

namespace
{

/* Walks over every 32nd element from this lane's on, row after row. */
struct element_walk {
    unsigned row, column, rows_a_step, columns_a_step, columns;

    __device__ element_walk(unsigned lane, unsigned of_row)
        : row(lane / of_row), column(lane % of_row), rows_a_step(WARP / of_row),
          columns_a_step(WARP % of_row), columns(of_row)
    {
    }
    [[maybe_unused]] __device__ void step()
    {
        const unsigned behind = column + columns_a_step;
        const bool next = behind >= columns;
        column = next ? behind - columns : behind;
        row += rows_a_step + next;
    }
};

/* ---- spread ---- */

/* Rows in an image, in bytes, each longer than a vector. */
struct spread_rows {
    unsigned rows, length, pitch, shift; /* the first row begins at byte `shift` < 16 */
};

/* Bytes begin to end of one vector, or none. */
struct vector_part {
    unsigned begin, end;
};

/* The part of row r before its first whole vector (0), or after its last one (1). */
[[maybe_unused]] __device__ inline vector_part end_of_row(const spread_rows &s, unsigned r,
                                                          unsigned which)
{
    const unsigned begin = s.shift + r * s.pitch, end = begin + s.length;
    if (which == 0)
        return {begin, (begin + VECTOR_BYTES - 1) / VECTOR_BYTES * VECTOR_BYTES};
    return {end / VECTOR_BYTES * VECTOR_BYTES, end};
}

/* Calls body(piece, byte) for each of the pieces that make up a part: growing up to a boundary, and
 * then shrinking. `piece` has the type of one. */
template <unsigned SIZE, class Body>
__device__ void with_piece(bool there, unsigned &at, const Body &body)
{
    using piece = typename std::conditional<
        SIZE == 8, uint64_t,
        typename std::conditional<
            SIZE == 4, uint32_t,
            typename std::conditional<SIZE == 2, uint16_t, uint8_t>::type>::type>::type;
    if (there) {
        body(piece(), at);
        at += SIZE;
    }
}

template <typename T, class Body>
__device__ void for_each_piece(const vector_part &part, const Body &body)
{
    unsigned at = part.begin;
    const unsigned end = part.end;
    if constexpr (sizeof(T) <= 1)
        with_piece<1>((at & 1) != 0 && at + 1 <= end, at, body);
    if constexpr (sizeof(T) <= 2)
        with_piece<2>((at & 2) != 0 && at + 2 <= end, at, body);
    if constexpr (sizeof(T) <= 4)
        with_piece<4>((at & 4) != 0 && at + 4 <= end, at, body);
    with_piece<8>(at + 8 <= end, at, body);
    if constexpr (sizeof(T) <= 4)
        with_piece<4>(at + 4 <= end, at, body);
    if constexpr (sizeof(T) <= 2)
        with_piece<2>(at + 2 <= end, at, body);
    if constexpr (sizeof(T) <= 1)
        with_piece<1>(at + 1 <= end, at, body);
}

/* Calls body(row, byte) for all whole vectors of a warp's rows, by its lanes. */
template <class Body>
__device__ void for_each_whole_vector(const spread_rows &s, unsigned lane, const Body &body)
{
    const unsigned most = s.length / VECTOR_BYTES; /* of a row */
    if (most == 0)
        return;
    element_walk at(lane, most);
    PRIM_UNROLL(4)
    for (unsigned i = lane; i < s.rows * most; i += WARP) {
        const unsigned first = s.shift + at.row * s.pitch;
        const unsigned byte =
            ((first + VECTOR_BYTES - 1) / VECTOR_BYTES + at.column) * VECTOR_BYTES;
        if (byte + VECTOR_BYTES <= first + s.length)
            body(at.row, byte);
        at.step();
    }
}

/* Byte `byte` of row `row`, of rows in memory that begin at `rows`. */
template <typename T>
__device__ const unsigned char *place_in_row(const T *rows, size_t ld, const spread_rows &s,
                                             unsigned row, unsigned byte)
{
    return reinterpret_cast<const unsigned char *>(rows + row * ld) +
           (byte - s.shift - row * s.pitch);
}

/* Starts the copies of rows, which lie `ld` apart. */
template <typename In>
__device__ void load_spread(vector_slot *slots, const In *from, size_t ld, const spread_rows &s,
                            unsigned lane)
{
    for_each_whole_vector(s, lane, [&](unsigned row, unsigned byte) {
        copy_async(&bytes_at<four_words>(slots, byte),
                   reinterpret_cast<const four_words *>(place_in_row(from, ld, s, row, byte)));
    });
    PRIM_UNROLL(1)
    for (unsigned i = lane; i < 2 * s.rows; i += WARP)
        for_each_piece<In>(end_of_row(s, i / 2, i % 2), [&](auto piece, unsigned byte) {
            using type = decltype(piece);
            copy_async(&bytes_at<type>(slots, byte),
                       reinterpret_cast<const type *>(place_in_row(from, ld, s, i / 2, byte)));
        });
}

/* Stores rows, which are to lie `ld` apart. */
template <typename Out>
__device__ void store_spread(Out *to, size_t ld, vector_slot *slots, const spread_rows &s,
                             unsigned lane)
{
    const auto memory = [&](unsigned row, unsigned byte) {
        return const_cast<unsigned char *>(place_in_row<Out>(to, ld, s, row, byte));
    };
    for_each_whole_vector(s, lane, [&](unsigned row, unsigned byte) {
        *reinterpret_cast<four_words *>(memory(row, byte)) = bytes_at<four_words>(slots, byte);
    });
    PRIM_UNROLL(1)
    for (unsigned i = lane; i < 2 * s.rows; i += WARP)
        for_each_piece<Out>(end_of_row(s, i / 2, i % 2), [&](auto piece, unsigned byte) {
            using type = decltype(piece);
            *reinterpret_cast<type *>(memory(i / 2, byte)) = bytes_at<type>(slots, byte);
        });
}

/* ---- without gaps ---- */

/* Starts the copies of `count` elements, to the image's start. */
template <typename In>
__device__ void load_elements(vector_slot *slots, const In *from, size_t ld, unsigned columns,
                              unsigned count, unsigned lane)
{
    element_walk at(lane, columns);
    PRIM_UNROLL(8)
    for (unsigned i = lane; i < count; i += WARP) {
        copy_async(&bytes_at<In>(slots, i * static_cast<unsigned>(sizeof(In))),
                   &from[at.row * ld + at.column]);
        at.step();
    }
}

/* Stores `count` elements, from byte `first` of the image on. */
template <typename Out>
__device__ void store_elements(Out *to, size_t ld, vector_slot *slots, unsigned first,
                               unsigned columns, unsigned count, unsigned lane)
{
    element_walk at(lane, columns);
    PRIM_UNROLL(4)
    for (unsigned i = lane; i < count; i += WARP) {
        to[at.row * ld + at.column] =
            bytes_at<Out>(slots, first + i * static_cast<unsigned>(sizeof(Out)));
        at.step();
    }
}

} // namespace

#endif
