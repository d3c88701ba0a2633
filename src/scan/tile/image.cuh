/* Elements of a line as a warp has them in shared memory: the line's bytes, here called an image,
 * in vectors of 16 bytes as they lie in global memory.
 *
 *     memory     ┃ · · 0 1 ┃ 2 3 4 5 ┃ 6 7 8 · ┃   vectors of 16 bytes; the line begins at `shift`
 *     image      ┃ · · 0 1 ┃ 2 3 4 5 ┃ 6 7 8 · ┃   the very same vectors
 *
 * So copies are aligned and wide wherever a line begins, in both directions, and bytes are shifted
 * in registers, when they are read from the image for a lane's run or for the vectors of the
 * output. Only at a line's two ends elements are copied one by one, since memory beyond is not the
 * operand's. Elements of 4 and 8 bytes may instead all be loaded one by one, to where they would be
 * if the line began at a vector, and results of 8 bytes be stored one by one: more copies, but
 * nothing is left to be shifted.
 *
 * If eight lanes read runs of 64 bytes side by side, their vectors would lie in the same banks; so
 * vectors are swizzled, slot_of(), which avoids conflicts in both ways of access. Lanes with whole
 * rows, lane_rows.cuh, need no swizzle, and an image without has its bytes in order. */
#ifndef PRIM_SCAN_IMAGE_CUH
#define PRIM_SCAN_IMAGE_CUH

#include <cstring>
#include <type_traits>

#include "common/block/warp.cuh"
#include "common/kernel/async_copy.cuh"
#include "scan/tile/vectors.cuh"

namespace
{

/* Bits of a vector's number that are flipped by those of its group of eight. */
constexpr unsigned SWIZZLED = 3, IN_ORDER = 0;

/* A vector's swizzled place, for 32 runs of up to eight vectors that begin at a multiple of their
 * length. */
__device__ inline unsigned slot_of(unsigned vector, unsigned swizzle = SWIZZLED)
{
    return vector ^ (vector / 8 & swizzle);
}

template <typename T, unsigned N>
__device__ packed<T, N> &vector_at(vector_slot *slots, unsigned vector, unsigned swizzle = SWIZZLED)
{
    return reinterpret_cast<packed<T, N> &>(slots[slot_of(vector, swizzle)]);
}

/* A T at a byte of the image: as slot_of() of the byte's vector. */
template <typename T>
__device__ T &bytes_at(vector_slot *slots, unsigned byte)
{
    const unsigned swizzled = byte ^ (byte / (8 * VECTOR_BYTES) % 4 * VECTOR_BYTES);
    return reinterpret_cast<T &>(reinterpret_cast<unsigned char *>(slots)[swizzled]);
}

/* The same in fewer steps, for a swizzle that is known only at run time. */
template <typename T>
__device__ T &bytes_at(vector_slot *slots, unsigned byte, unsigned swizzle)
{
    const unsigned swizzled = byte ^ (byte / 8 & swizzle * VECTOR_BYTES);
    return reinterpret_cast<T &>(reinterpret_cast<unsigned char *>(slots)[swizzled]);
}

/* The same image, whose address stays in a register, since no compiler sees through a shuffle:
 * under pressure it would be computed anew for each access. By a whole warp, for an image of its
 * own. */
__device__ inline vector_slot *kept_in_register(vector_slot *slots)
{
#ifdef __CUDA_ARCH__
    const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(slots));
    return static_cast<vector_slot *>(__cvta_shared_to_generic(__shfl_sync(ALL_LANES, address, 0)));
#else
    return slots;
#endif
}

__host__ __device__ inline unsigned shift_of(const void *data)
{
    return static_cast<unsigned>(reinterpret_cast<uintptr_t>(data) % VECTOR_BYTES);
}

/* ---- bytes from the middle of two vectors ---- */

/* Calls body() with the whole words of a shift by `bytes` < 16, as a type: a shift by words that is
 * known when it is compiled takes no instruction. Elements of T are shifted by a multiple of their
 * size, and not by 0. */
template <typename T, class Body>
__device__ void with_words(unsigned bytes, const Body &body)
{
    constexpr unsigned SIZE = sizeof(T);
    if (SIZE == 8 || bytes / 4 == 2)
        body(std::integral_constant<unsigned, 2>());
    else if (SIZE < 4 && bytes / 4 == 0)
        body(std::integral_constant<unsigned, 0>());
    else if (bytes / 4 == 1)
        body(std::integral_constant<unsigned, 1>());
    else
        body(std::integral_constant<unsigned, 3>());
}

/* Shifts words: words[i], i < COUNT, becomes the word that lies `bytes` < 16 after it. */
template <unsigned COUNT, unsigned LENGTH>
__device__ void shift_words(uint32_t (&words)[LENGTH], unsigned bytes)
{
    static_assert(LENGTH >= COUNT + 4, "up to 15 bytes come from behind");
    const bool two = (bytes & 8) != 0, one = (bytes & 4) != 0;
    const unsigned selector = 0x3210 + bytes % 4 * 0x1111;
    PRIM_UNROLL(COUNT + 2)
    for (unsigned i = 0; i < COUNT + 2; i++)
        words[i] = two ? words[i + 2] : words[i];
    PRIM_UNROLL(COUNT + 1)
    for (unsigned i = 0; i < COUNT + 1; i++)
        words[i] = one ? words[i + 1] : words[i];
    PRIM_UNROLL(COUNT)
    for (unsigned i = 0; i < COUNT; i++)
        words[i] = chosen_bytes(words[i], words[i + 1], selector);
}

using four_words = packed<uint32_t, 4>;

/* The vector that lies WORDS words and bytes % 4 after the first of two. */
template <typename T, unsigned WORDS>
__device__ four_words between(const four_words &left, const four_words &right, unsigned bytes)
{
    const uint32_t words[8] = {left.words[0],  left.words[1],  left.words[2],  left.words[3],
                               right.words[0], right.words[1], right.words[2], right.words[3]};
    const unsigned selector = 0x3210 + bytes % 4 * 0x1111;
    four_words result;
    PRIM_UNROLL(4)
    for (unsigned i = 0; i < 4; i++)
        result.words[i] = sizeof(T) < 4
                              ? chosen_bytes(words[WORDS + i], words[WORDS + i + 1], selector)
                              : words[WORDS + i];
    return result;
}

/* COUNT words from byte `first` of the image on. */
template <unsigned COUNT>
__device__ void read_words(vector_slot *slots, unsigned first, uint32_t (&result)[COUNT])
{
    constexpr unsigned VECTORS = (COUNT * 4 + 2 * VECTOR_BYTES - 2) / VECTOR_BYTES;
    uint32_t words[VECTORS * 4];
    PRIM_UNROLL(VECTORS)
    for (unsigned v = 0; v < VECTORS; v++) {
        const four_words x = vector_at<uint32_t, 4>(slots, first / VECTOR_BYTES + v);
        PRIM_UNROLL(4)
        for (unsigned w = 0; w < 4; w++)
            words[4 * v + w] = x.words[w];
    }
    shift_words<COUNT>(words, first % VECTOR_BYTES);
    PRIM_UNROLL(COUNT)
    for (unsigned i = 0; i < COUNT; i++)
        result[i] = words[i];
}

/* Moves the lanes' runs of Ts, which begin `shift` bytes into the image, to its start. Each lane
 * needs one vector of the next lane's run, and reads it before any lane writes. */
template <unsigned RUN_BYTES, typename T>
__device__ void align_runs(vector_slot *slots, unsigned shift, unsigned lane)
{
    if (shift == 0)
        return;
    if constexpr (RUN_BYTES < VECTOR_BYTES) {
        uint32_t words[RUN_BYTES / 4];
        read_words(slots, lane * RUN_BYTES + shift, words);
        __syncwarp();
        PRIM_UNROLL(2)
        for (unsigned i = 0; i < RUN_BYTES / 4; i++)
            bytes_at<uint32_t>(slots, lane * RUN_BYTES + 4 * i) = words[i];
    } else {
        constexpr unsigned VECTORS = RUN_BYTES / VECTOR_BYTES;
        const unsigned first = lane * VECTORS;
        const four_words behind = vector_at<uint32_t, 4>(slots, first + VECTORS);
        four_words left = vector_at<uint32_t, 4>(slots, first);
        __syncwarp();
        with_words<T>(shift, [&](auto words) {
            PRIM_UNROLL(VECTORS)
            for (unsigned v = 0; v < VECTORS; v++) {
                const four_words right =
                    v + 1 < VECTORS ? vector_at<uint32_t, 4>(slots, first + v + 1) : behind;
                vector_at<uint32_t, 4>(slots, first + v) =
                    between<T, decltype(words)::value>(left, right, shift);
                left = right;
            }
        });
    }
}

/* ---- from global memory ---- */

/* Copies a vector of which bytes first … last - 1 are wanted. The others belong to the operand too,
 * but another block may be writing there: a GPU copies them although they are not used, and the CPU
 * backend leaves them out, since its race check would report them. */
__device__ inline void copy_vector(vector_slot *to, const vector_slot *from, unsigned first,
                                   unsigned last)
{
#ifdef SIMT_BACKEND
    if (simt_copies_are_late)
        simt_copy_late(to->byte + first, from->byte + first, last - first, 0);
    else
        std::memcpy(to->byte + first, from->byte + first, last - first);
#else
    (void)first;
    (void)last;
    copy_async(to, from);
#endif
}

/* Consecutive elements of a line, and whether they begin it and end it. */
struct line_part {
    unsigned count;
    bool begins, ends;
};

/* Starts the copies of up to VECTORS + 1 vectors; all lanes may read the elements, from
 * shift_of(from) on, after wait_for_copies() and a barrier. Bytes past their end are 0. No lane may
 * still need the slots' old content. */
template <unsigned VECTORS, typename In>
__device__ void load_image(vector_slot *slots, const In *from, const line_part &part, unsigned lane,
                           unsigned swizzle = SWIZZLED)
{
    const unsigned shift = shift_of(from);
    const unsigned end = shift + part.count * static_cast<unsigned>(sizeof(In));
    const vector_slot *const vectors =
        reinterpret_cast<const vector_slot *>(reinterpret_cast<uintptr_t>(from) - shift);
    if (end == shift + VECTORS * VECTOR_BYTES && (shift == 0 || (!part.begins && !part.ends))) {
        const unsigned slot =
            slot_of(lane, swizzle); /* the common case: so are all, further by as many */
        PRIM_UNROLL(VECTORS / WARP + 1)
        for (unsigned v = 0; v + lane < VECTORS; v += WARP)
            copy_vector(&slots[slot + v], &vectors[lane + v], lane + v == 0 ? shift : 0,
                        VECTOR_BYTES);
        if (shift > 0 && lane == 0)
            copy_vector(&slots[slot_of(VECTORS, swizzle)], &vectors[VECTORS], 0, shift);
        return;
    }
    const unsigned first = part.begins && shift > 0 ? 1 : 0;
    const unsigned last = part.count == 0 ? 0
                          : part.ends     ? end / VECTOR_BYTES
                                          : (end + VECTOR_BYTES - 1) / VECTOR_BYTES;
    PRIM_UNROLL(VECTORS / WARP + 1)
    for (unsigned v = lane; v < VECTORS + 1; v += WARP)
        if (v >= first && v < last)
            copy_vector(&slots[slot_of(v, swizzle)], &vectors[v], v == 0 ? shift : 0,
                        end - v * VECTOR_BYTES < VECTOR_BYTES ? end - v * VECTOR_BYTES
                                                              : VECTOR_BYTES);
        else
            slots[slot_of(v, swizzle)] = vector_slot{};
    if (part.count == 0 || (first == 0 && last * VECTOR_BYTES >= end))
        return;
    __syncwarp();
    const bool at_begin = lane < WARP / 2; /* half a warp for each end: there are 15 at most */
    const unsigned whole = (last > first ? last : first) * VECTOR_BYTES;
    const unsigned begin =
        (at_begin ? shift : whole) + lane % (WARP / 2) * static_cast<unsigned>(sizeof(In));
    const unsigned stop = !at_begin            ? end
                          : first == 0         ? 0
                          : end < VECTOR_BYTES ? end
                                               : VECTOR_BYTES;
    if (begin < stop)
        copy_async(&bytes_at<In>(slots, begin, swizzle),
                   reinterpret_cast<const In *>(reinterpret_cast<const char *>(vectors) + begin));
}

/* The same of a chunk of COUNT elements of 4 or 8 bytes, one by one: to the image's start, wherever
 * the line begins. */
template <unsigned COUNT, typename In>
__device__ void load_by_element(vector_slot *slots, const In *from, unsigned count, unsigned lane)
{
    constexpr unsigned SIZE = sizeof(In);
    if (count == COUNT) {
        PRIM_UNROLL(COUNT / WARP)
        for (unsigned i = lane; i < COUNT; i += WARP)
            copy_async(&bytes_at<In>(slots, i * SIZE), from + i);
        return;
    }
    PRIM_UNROLL(2)
    for (unsigned i = lane; i < COUNT; i += WARP)
        if (i < count)
            copy_async(&bytes_at<In>(slots, i * SIZE), from + i);
        else
            bytes_at<In>(slots, i * SIZE) = In();
}

/* ---- to global memory ---- */

/* Vectors 1 … VECTORS - 1 of those that the whole image reaches into, each out of two of the image;
 * by lanes that begin at the first one, so that a line of 128 bytes is stored at once where it
 * begins there. */
template <typename T, unsigned VECTORS, unsigned WORDS>
__device__ void store_shifted(vector_slot *to, const vector_slot *slots, unsigned bytes,
                              unsigned lane, unsigned swizzle)
{
    static_assert(VECTORS % WARP == 0, "slot_of() counts on as well from any multiple of 32");
    const four_words *const right =
        reinterpret_cast<const four_words *>(&slots[slot_of(lane, swizzle)]);
    const four_words *const left = reinterpret_cast<const four_words *>(
        lane > 0 ? &slots[slot_of(lane - 1, swizzle)] : &slots[slot_of(WARP - 1, swizzle)] - WARP);
    PRIM_UNROLL(2) /* with four at once, registers run out */
    for (unsigned v = 0; v < VECTORS; v += WARP)
        if (v + lane > 0)
            reinterpret_cast<four_words *>(to)[lane + v] =
                between<T, WORDS>(left[v], right[v], bytes);
}

/* Stores `count` elements, the first of which is at byte `first` of the image: up to VECTORS
 * vectors. */
template <unsigned VECTORS, typename Out>
__device__ void store_image(Out *to, vector_slot *slots, unsigned first, unsigned count,
                            unsigned lane, unsigned swizzle = SWIZZLED)
{
    const unsigned bytes = count * static_cast<unsigned>(sizeof(Out)), shift = shift_of(to);
    if (shift == 0 && first == 0 && bytes == VECTORS * VECTOR_BYTES) {
        PRIM_UNROLL(VECTORS / WARP)
        for (unsigned v = lane; v < VECTORS; v += WARP)
            reinterpret_cast<four_words *>(to)[v] = vector_at<uint32_t, 4>(slots, v, swizzle);
        return;
    }
    const unsigned head = shift == 0 ? 0 : VECTOR_BYTES - shift; /* bytes before a whole vector */
    const unsigned whole = bytes > head ? (bytes - head) / VECTOR_BYTES : 0;
    char *const memory = reinterpret_cast<char *>(to);
    vector_slot *const vectors = reinterpret_cast<vector_slot *>(memory + head);
    const unsigned from = first + head;
    if (from % VECTOR_BYTES == 0) {
        PRIM_UNROLL(1)
        for (unsigned v = lane; v < whole; v += WARP)
            reinterpret_cast<four_words *>(vectors)[v] =
                vector_at<uint32_t, 4>(slots, from / VECTOR_BYTES + v, swizzle);
    } else {
        with_words<Out>(from % VECTOR_BYTES, [&](auto words) {
            constexpr unsigned W = decltype(words)::value;
            if (first == 0 && whole + 1 == VECTORS) {
                store_shifted<Out, VECTORS, W>(vectors - 1, slots, from, lane, swizzle);
                return;
            }
            PRIM_UNROLL(2)
            for (unsigned v = lane; v < whole; v += WARP)
                reinterpret_cast<four_words *>(vectors)[v] = between<Out, W>(
                    vector_at<uint32_t, 4>(slots, from / VECTOR_BYTES + v, swizzle),
                    vector_at<uint32_t, 4>(slots, from / VECTOR_BYTES + v + 1, swizzle), from);
        });
    }
    const unsigned i = lane % (WARP / 2) * static_cast<unsigned>(sizeof(Out));
    const unsigned tail = head + whole * VECTOR_BYTES;
    const bool at_begin = lane < WARP / 2;
    const unsigned place = at_begin ? i : tail + i;
    if (place < (at_begin && head < bytes ? head : bytes))
        *reinterpret_cast<Out *>(memory + place) = bytes_at<Out>(slots, first + place, swizzle);
}

/* Stores `count` of up to COUNT elements of 8 bytes, which begin the image, one by one. */
template <unsigned COUNT, typename Out>
__device__ void store_by_element(Out *to, vector_slot *slots, unsigned count, unsigned lane)
{
    PRIM_UNROLL(COUNT / WARP)
    for (unsigned i = lane; i < COUNT; i += WARP)
        if (i < count)
            to[i] = bytes_at<Out>(slots, i * static_cast<unsigned>(sizeof(Out)));
}

} // namespace

#endif
