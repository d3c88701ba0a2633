/* What a product of packed ±1 adds up: the places where two words differ. The unused bits are 0 in
 * both and differ nowhere, so that nothing has to be taken off for them.
 *
 *     a  + - - +     1001
 *     b  + + - -     1100   xor  0101   two places differ: 4 - 2 · 2 = 0 = 1 - 1 + 1 - 1 */
#ifndef PRIM_GEMM_BINARY_PRODUCT_CUH
#define PRIM_GEMM_BINARY_PRODUCT_CUH

#include "common/shared.cuh"
#include "gemm/binary_gemm_variants.h"
#include "gemm/instances.h"
#include "gemm/operands.cuh"

namespace
{

/* How many bits each byte has. */
struct bit_table {
    unsigned char counts[256];
    constexpr bit_table() : counts()
    {
        for (int byte = 1; byte < 256; byte++)
            counts[byte] = static_cast<unsigned char>(counts[byte / 2] + byte % 2);
    }
};

__device__ const bit_table global_bits;

template <typename Out>
struct binary_product {
    using element = uint32_t;
    using sum = uint32_t;
    using result = Out;
    uint32_t k;

    __host__ __device__ void store(Out *c, uint32_t differences) const
    {
        *c = static_cast<Out>(static_cast<int64_t>(k) - 2 * static_cast<int64_t>(differences));
    }
};

/* The table says how many bits a word has, byte by byte; a rung says where the table lies. */
template <typename Out>
struct table_product : binary_product<Out> {
    const unsigned char *bits;

    __device__ uint32_t add_product(uint32_t sum, uint32_t a, uint32_t b) const
    {
        const uint32_t differ = a ^ b;
        return sum + bits[differ & 0xff] + bits[differ >> 8 & 0xff] + bits[differ >> 16 & 0xff] +
               bits[differ >> 24];
    }
};

template <typename Out>
struct global_table_product : table_product<Out> {
    __device__ global_table_product in_block() const
    {
        global_table_product mine = *this;
        mine.bits = global_bits.counts;
        return mine;
    }
};

/* The kernel's next barrier stands between this and the first use. */
template <typename Out>
struct shared_table_product : table_product<Out> {
    __device__ shared_table_product in_block() const
    {
        PRIM_SHARED(unsigned char, table, [256]);
        const unsigned threads = blockDim.x * blockDim.y;
        for (unsigned i = threadIdx.y * blockDim.x + threadIdx.x; i < 256; i += threads)
            table[i] = global_bits.counts[i];
        shared_table_product mine = *this;
        mine.bits = table;
        return mine;
    }
};

template <typename Product>
problem<Product> make_problem(const prim_binary_gemm_args *args)
{
    problem<Product> p = {};
    p.a = make_factor<uint32_t>(args->a, args->lda, PRIM_NOT_TRANSPOSED);
    p.b = make_factor<uint32_t>(args->b, args->ldb, PRIM_NOT_TRANSPOSED);
    p.c = static_cast<typename Product::result *>(args->c);
    p.m = args->m;
    p.n = args->n;
    p.k = args->k / PRIM_BINARY_WORD_BITS + (args->k % PRIM_BINARY_WORD_BITS != 0);
    p.ldc = args->ldc;
    p.product.k = static_cast<uint32_t>(args->k);
    return p;
}

/* Run::run(problem, more…) with Product<Out> for the type of C, or Run::not_built(args, more…). */
template <typename Run, template <typename> class Product, typename... More>
auto for_binary(const prim_binary_gemm_args *args, More... more)
{
#define TYPE(type_enum, type_c)    \
    if (args->c_type == type_enum) \
        return Run::run(make_problem<Product<type_c>>(args), more...);
    PRIM_BINARY_GEMM_TYPES(TYPE)
#undef TYPE
    return Run::not_built(args, more...);
}

} // namespace

#endif
