/* Packing ±1 into words: what a bit is, and the types that are packed. */
#ifndef PRIM_GEMM_PACK_CUH
#define PRIM_GEMM_PACK_CUH

#include "gemm/binary_gemm_variants.h"
#include "gemm/instances.h"

namespace
{

constexpr unsigned WORD_BITS = PRIM_BINARY_WORD_BITS;

/* NaN is not ≥ 0. */
template <typename T>
__host__ __device__ bool is_plus_one(T value)
{
    return value >= 0;
}

/* Run::run<T>(args, more…) for the type that is packed, or Run::not_built(args, more…). */
template <typename Run, typename... More>
auto for_packed(const prim_binary_pack_args *args, More... more)
{
#define TYPE(type_enum, type_c)     \
    if (args->in_type == type_enum) \
        return Run::template run<type_c>(args, more...);
    PRIM_BINARY_PACK_TYPES(TYPE)
#undef TYPE
    return Run::not_built(args, more...);
}

/* The word of `count` elements, `stride` apart; its unused bits are 0. */
template <typename T>
__host__ __device__ uint32_t pack_word(const T *in, size_t stride, size_t count)
{
    uint32_t word = 0;
    for (unsigned bit = 0; bit < WORD_BITS && bit < count; bit++)
        word |= static_cast<uint32_t>(is_plus_one(in[bit * stride])) << bit;
    return word;
}

} // namespace

#endif
