/* Elements that are loaded and stored together, 16 bytes at a time where a pointer allows. */
#ifndef PRIM_COMMON_VECTORS_CUH
#define PRIM_COMMON_VECTORS_CUH

#include "common/kernel/unroll.cuh"
#include "common/math/values.cuh"

namespace
{

constexpr unsigned VECTOR_BYTES = 16, WORD_BYTES = sizeof(uint32_t);

template <typename T>
constexpr unsigned VECTOR_ELEMENTS = VECTOR_BYTES / sizeof(T);

/* Elements of which several share a word. */
template <typename T>
constexpr bool IS_NARROW = sizeof(T) < WORD_BYTES;

/* Elements that lie together in memory; narrow ones are kept in words, since nvcc would give each a
 * register of its own. */
template <typename T, unsigned N>
struct alignas(sizeof(T) * N) packed {
    static constexpr bool NARROW = IS_NARROW<T>;
    using narrow_word = typename std::conditional <
                        sizeof(T) * N<sizeof(uint32_t), uint16_t, uint32_t>::type;
    using word = typename std::conditional<NARROW, narrow_word, T>::type;
    static constexpr unsigned IN_WORD = sizeof(word) / sizeof(T);

    word words[N / IN_WORD];
};

/* 16 bytes of them. */
template <typename T>
using vector = packed<T, VECTOR_ELEMENTS<T>>;

/* `from` is aligned to 16 bytes. */
template <typename T>
__device__ vector<T> load_vector(const T *from)
{
    return *reinterpret_cast<const vector<T> *>(from);
}

/* A store of what nobody reads soon: in L2 it is the first to give way. `to` is aligned to 16
 * bytes. */
template <typename T>
__device__ void store_vector_streaming(T *to, const vector<T> &values)
{
#ifdef __CUDA_ARCH__
    __stcs(reinterpret_cast<int4 *>(to), *reinterpret_cast<const int4 *>(&values));
#else
    *reinterpret_cast<vector<T> *>(to) = values;
#endif
}

/* Sets element e, which was 0. */
template <typename T, unsigned N>
__device__ void set_element(packed<T, N> &x, unsigned e, T element)
{
    using whole = packed<T, N>;
    if constexpr (!whole::NARROW) {
        x.words[e] = element;
    } else {
        using bits = typename std::conditional<sizeof(T) == 1, uint8_t, uint16_t>::type;
        x.words[e / whole::IN_WORD] |= static_cast<typename whole::word>(
            static_cast<uint32_t>(same_bits<bits>(element)) << e % whole::IN_WORD * 8 * sizeof(T));
    }
}

/* ---- where a vector begins at any element ---- */

/* How far an address lies past a multiple of 16 bytes. */
__host__ __device__ inline unsigned bytes_past_vector(const void *from)
{
    return static_cast<unsigned>(reinterpret_cast<uintptr_t>(from) % VECTOR_BYTES);
}

/* The aligned vector that an element lies in: it may begin before the element. */
template <typename T>
__device__ const T *vector_around(const T *from)
{
    return from - bytes_past_vector(from) / sizeof(T);
}

/* 32 of the 64 bits of high and low, from bit `shift` < 32 of low on. */
__device__ inline uint32_t bits_from(uint32_t low, uint32_t high, unsigned shift)
{
#ifdef __CUDA_ARCH__
    return __funnelshift_r(low, high, shift);
#else
    return static_cast<uint32_t>((static_cast<uint64_t>(high) << 32 | low) >> shift);
#endif
}

/* 16 bytes out of two consecutive vectors, from byte `past` of the first on: shifts whole words
 * first, by 8 and by 4 bytes, and then the bits of narrow elements. */
template <typename T>
__device__ vector<T> spliced(const vector<T> &first, const vector<T> &second, unsigned past)
{
    constexpr unsigned WORDS = VECTOR_ELEMENTS<uint32_t>;
    const vector<uint32_t> low = same_bits<vector<uint32_t>>(first),
                           high = same_bits<vector<uint32_t>>(second);
    uint32_t w[2 * WORDS];
    vector<uint32_t> result;
    PRIM_UNROLL(WORDS)
    for (unsigned i = 0; i < WORDS; i++) {
        w[i] = low.words[i];
        w[i + WORDS] = high.words[i];
    }
    PRIM_UNROLL(WORDS + 2)
    for (unsigned i = 0; i < WORDS + 2; i++)
        w[i] = (past & 8) != 0 ? w[i + 2] : w[i];
    if constexpr (sizeof(T) <= 4) {
        PRIM_UNROLL(WORDS + 1)
        for (unsigned i = 0; i < WORDS + 1; i++)
            w[i] = (past & 4) != 0 ? w[i + 1] : w[i];
    }
    PRIM_UNROLL(WORDS)
    for (unsigned i = 0; i < WORDS; i++)
        result.words[i] = sizeof(T) < 4 ? bits_from(w[i], w[i + 1], past % 4 * 8) : w[i];
    return same_bits<vector<T>>(result);
}

/* The 16 bytes from any element on, where `around` is the aligned vector that has the first of
 * them. The next vector is read only if they reach into it. `further`: elements by which both lie
 * after `from`, a multiple of a vector. */
template <typename T>
__device__ vector<T> completed(const vector<T> &around, const T *from, size_t further)
{
    const unsigned past = bytes_past_vector(from);
    if (past == 0)
        return around;
    return spliced<T>(around, load_vector(vector_around(from) + further + VECTOR_ELEMENTS<T>),
                      past);
}

/* ---- lines ---- */

/* Whether every line begins at a multiple of vector_bytes. */
__host__ __device__ inline bool lines_are_aligned(const void *data, size_t lines, size_t ld_bytes,
                                                  size_t vector_bytes = VECTOR_BYTES)
{
    return reinterpret_cast<uintptr_t>(data) % vector_bytes == 0 &&
           (lines <= 1 || ld_bytes % vector_bytes == 0);
}

/* Four of the eight bytes of b and a: byte i of the result is number (selector >> 4i) & 7. */
__device__ inline uint32_t chosen_bytes(uint32_t a, uint32_t b, unsigned selector)
{
#ifdef __CUDA_ARCH__
    return __byte_perm(a, b, selector);
#else
    const uint64_t both = static_cast<uint64_t>(b) << 32 | a;
    uint32_t result = 0;
    for (unsigned i = 0; i < 4; i++)
        result |= (both >> 8 * (selector >> 4 * i & 7) & 0xff) << 8 * i;
    return result;
#endif
}

/* Element e; narrow integers are widened, halves become floats. */
template <typename T, unsigned N>
__device__ auto element_of(const packed<T, N> &x, unsigned e)
{
    constexpr unsigned IN_WORD = packed<T, N>::IN_WORD, BITS = 8 * sizeof(T);
    const auto word = x.words[e / IN_WORD];
    const unsigned place = e % IN_WORD;
    if constexpr (!packed<T, N>::NARROW)
        return word;
    else if constexpr (IS_HALF<T>)
        return to_float(same_bits<T>(static_cast<uint16_t>(word >> place * BITS)));
    else if constexpr (std::is_signed<T>::value)
        return static_cast<int32_t>(static_cast<uint32_t>(word) << (32 - BITS - place * BITS)) >>
               (32 - BITS);
    else if constexpr (sizeof(T) == 1)
        return chosen_bytes(word, 0, 0x4440 + place);
    else
        return chosen_bytes(word, 0, place == 0 ? 0x4410 : 0x4432);
}

} // namespace

#endif
