/* Copies a line into shared memory, as far past 16 bytes as it lies in global memory: whole vectors
 * by asynchronous copies, and the elements before and behind them piece by piece. */
#ifndef PRIM_REDUCE_STAGED_LINE_CUH
#define PRIM_REDUCE_STAGED_LINE_CUH

#include "common/block/end_pieces.cuh"
#include "common/kernel/async_copy.cuh"
#include "reduce/tile/tile.cuh"

namespace
{

/* The part of a line that is copied by vectors, counted from the one that it begins in. */
struct whole_vectors {
    unsigned past, begin, end; /* elements from a 16-byte boundary to the line's first; vectors */
};

/* `open`: elements around the line may be read too. */
template <typename T>
__device__ whole_vectors whole_vectors_of(const T *line, unsigned count, bool open)
{
    constexpr unsigned WIDTH = VECTOR_ELEMENTS<T>;
    const unsigned past = bytes_past_vector(line) / sizeof(T);
    const unsigned begin = past > 0 && !open ? 1 : 0,
                   end = (past + count + (open ? WIDTH - 1 : 0)) / WIDTH;
    return {past, begin, end < begin ? begin : end};
}

/* Copies vectors x, x + across, … `to` lies as far past a 16-byte boundary as `from`. */
template <typename T>
__device__ void stage_vectors(T *to, const T *from, const whole_vectors &whole, unsigned x,
                              unsigned across)
{
    const vector<T> *const vectors = reinterpret_cast<const vector<T> *>(from - whole.past);
    vector<T> *const slots = reinterpret_cast<vector<T> *>(to - whole.past);
    PRIM_UNROLL(4)
    for (unsigned v = whole.begin + x; v < whole.end; v += across)
        copy_async(&slots[v], &vectors[v]);
}

/* The elements before the whole vectors (number 0) or after them (1), of a line that has a boundary
 * of 16 bytes in it or at an end. Pieces of four and eight bytes are copied on the way; shorter
 * ones are in registers until store(). */
template <typename T>
struct line_end {
    end_pieces<T> pieces;
    unsigned begin; /* elements from the line's first */
    uint16_t two;
    uint8_t one;

    template <typename Piece>
    __device__ Piece *piece_at(T *to) const
    {
        return reinterpret_cast<Piece *>(reinterpret_cast<unsigned char *>(to) +
                                         pieces.template place<Piece>());
    }
    template <typename Piece>
    __device__ const Piece *piece_at(const T *from) const
    {
        return reinterpret_cast<const Piece *>(reinterpret_cast<const unsigned char *>(from) +
                                               pieces.template place<Piece>());
    }
    template <typename Piece>
    __device__ bool has() const
    {
        return pieces.template has<Piece>();
    }

    __device__ void load(T *to, const T *from, unsigned line_count, unsigned which)
    {
        constexpr unsigned WIDTH = VECTOR_ELEMENTS<T>;
        const whole_vectors whole = whole_vectors_of(from, line_count, false);
        const unsigned before = whole.begin * WIDTH - whole.past,
                       behind = whole.end * WIDTH - whole.past;
        pieces.number = which;
        pieces.bytes =
            (which == 0 ? before : line_count - behind) * static_cast<unsigned>(sizeof(T));
        begin = which == 0 ? 0 : behind;
        from += begin;
        to += begin;
        if (has<uint64_t>())
            copy_async(piece_at<uint64_t>(to), piece_at<uint64_t>(from));
        if (has<uint32_t>())
            copy_async(piece_at<uint32_t>(to), piece_at<uint32_t>(from));
        if (has<uint16_t>())
            two = *piece_at<uint16_t>(from);
        if (has<uint8_t>())
            one = *piece_at<uint8_t>(from);
    }

    __device__ void store(T *to) const
    {
        to += begin;
        if (has<uint16_t>())
            *piece_at<uint16_t>(to) = two;
        if (has<uint8_t>())
            *piece_at<uint8_t>(to) = one;
    }
};

/* Rows without gaps are one line with other rows around it, except in the first block, and in the
 * last ones, after which less than a vector is left: these copy the elements at the matrix's ends
 * one by one. */
template <typename T>
__device__ void stage_span(T *to, const T *from, unsigned count, bool first, bool last)
{
    if (count < VECTOR_ELEMENTS<T>) {
        if (threadIdx.x < count)
            to[threadIdx.x] = from[threadIdx.x];
        return;
    }
    line_end<T> end = {};
    const bool open = !first && !last;
    if (!open && threadIdx.x < 2)
        end.load(to, from, count, threadIdx.x);
    stage_vectors(to, from, whole_vectors_of(from, count, open), threadIdx.x, PARTIALS);
    end.store(to);
}

} // namespace

#endif
