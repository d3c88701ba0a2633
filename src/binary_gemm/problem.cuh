/* A product of packed ±1 as kernels' argument. Kernels add up the number of bits in which two words
 * differ. The unused bits are 0 in both and never differ, so that no correction is needed.
 *
 *     a  + - - +     1001
 *     b  + + - -     1100   xor  0101   two places differ: 4 - 2 · 2 = 0 = 1 - 1 + 1 - 1 */
#ifndef PRIM_BINARY_GEMM_PROBLEM_CUH
#define PRIM_BINARY_GEMM_PROBLEM_CUH

#include "binary_gemm/binary_gemm_args.h"
#include "binary_gemm/instances.h"
#include "common/host/sizes.h"
#include "common/kernel/dispatch.cuh"
#include "common/kernel/launch.cuh"

namespace
{

constexpr unsigned WORD_BITS = PRIM_BINARY_WORD_BITS;

template <typename Out>
struct problem {
    const uint32_t *a, *b;
    Out *c;
    size_t lda, ldb, ldc, m, n, words; /* words: along k */
    uint32_t k;

    __host__ __device__ void store(size_t row, size_t column, uint32_t differences) const
    {
        c[row * ldc + column] =
            static_cast<Out>(static_cast<int64_t>(k) - 2 * static_cast<int64_t>(differences));
    }
};

template <typename Out>
problem<Out> make_problem(const prim_binary_gemm_args *args)
{
    return {args->a,
            args->b,
            static_cast<Out *>(args->c),
            args->lda,
            args->ldb,
            args->ldc,
            args->m,
            args->n,
            prim_divide_up(args->k, WORD_BITS),
            static_cast<uint32_t>(args->k)};
}

/* Run::run<Out>(args, more…) for the type of C. */
PRIM_DISPATCH_TYPE(dispatch, PRIM_BINARY_GEMM_TYPES, c_type)

/* ---- the population count of a word, byte by byte, by a table ---- */

struct bit_table {
    unsigned char counts[256];
    constexpr bit_table() : counts()
    {
        for (int byte = 1; byte < 256; byte++)
            counts[byte] = static_cast<unsigned char>(counts[byte / 2] + byte % 2);
    }
};

__device__ const bit_table bits_of_byte;

/* `counts` is the table, or a copy in shared memory. */
__device__ inline uint32_t differences(const unsigned char *counts, uint32_t a, uint32_t b)
{
    const uint32_t differ = a ^ b;
    return counts[differ & 0xff] + counts[differ >> 8 & 0xff] + counts[differ >> 16 & 0xff] +
           counts[differ >> 24];
}

/* ---- a textbook rung ---- */

/* Where it has a block for each row of C; or for each square, row by row along x. */
struct rows_of_c {
    static size_t down(const prim_binary_gemm_args *args)
    {
        return args->m;
    }
    static size_t across(const prim_binary_gemm_args *)
    {
        return 1;
    }
};

template <size_t SIDE>
struct squares_of_c {
    static size_t down(const prim_binary_gemm_args *args)
    {
        return prim_divide_up(args->m, SIDE);
    }
    static size_t across(const prim_binary_gemm_args *args)
    {
        return prim_divide_up(args->n, SIDE);
    }
};

template <typename Out>
using block_kernel = void (*)(problem<Out> p);

/* What a lesson has: rows_of_c or squares_of_c, its blocks; BLOCK, the threads of one; and its
 * kernel<Out>. */
template <class Lesson>
struct blocks_of_c : launch_run {
    static const char *why_not(const void *any)
    {
        const prim_binary_gemm_args *args = static_cast<const prim_binary_gemm_args *>(any);
        if (args->op != PRIM_BINARY_DOT || args->is_layer)
            return "it takes the products of prim_binary_gemm() only";
        if (!dispatch<is_built>(args))
            return PRIM_TYPES_NOT_BUILT;
        return prim_fits_a_grid(Lesson::down(args), Lesson::across(args)) ? nullptr
                                                                          : PRIM_GRID_TOO_SMALL;
    }

    template <typename Out>
    static cudaError_t run(const prim_binary_gemm_args *args)
    {
        const size_t blocks = Lesson::down(args) * Lesson::across(args);
        if (blocks == 0 || args->n == 0)
            return cudaSuccess;
        return prim_launch({args->call.stream, static_cast<unsigned>(blocks), Lesson::BLOCK},
                           Lesson::template kernel<Out>, make_problem<Out>(args));
    }
    static cudaError_t launch(const void *args)
    {
        return dispatch<blocks_of_c>(static_cast<const prim_binary_gemm_args *>(args));
    }
};

template <prim_binary_gemm_variant RUNG, class Lesson>
constexpr prim_rung rung_of_blocks(const char *name, const char *idea)
{
    using rung = blocks_of_c<Lesson>;
    return {{RUNG, name, idea}, rung::why_not, nullptr, rung::launch};
}

} // namespace

#endif
