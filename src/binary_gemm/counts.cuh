/* Counts of bits as kernels' argument, for the rungs that take every op and every output: they
 * count where A's row and B's column differ, or where both have a 1. The unused bits are 0 in both
 * and count as neither. */
#ifndef PRIM_BINARY_GEMM_COUNTS_CUH
#define PRIM_BINARY_GEMM_COUNTS_CUH

#include "binary_gemm/problem.cuh"

namespace
{

/* What becomes of a value. */
enum output { TO_I32, TO_F32, TO_BITS };

struct counts {
    const uint32_t *a, *b;
    const int32_t *thresholds; /* of TO_BITS */
    void *c;
    size_t lda, ldb, ldc, m, n, words; /* words: along k */
    uint32_t k;
    prim_binary_op op;
    output to;

    /* `count`: of the places that differ, or of op AND that both have. 2 · count may wrap; the
     * difference lies between -k and k. */
    __host__ __device__ int32_t value_of(uint32_t count) const
    {
        return static_cast<int32_t>(op == PRIM_BINARY_DOT ? k - 2 * count : count);
    }

    __host__ __device__ void store(size_t row, size_t column, int32_t value) const
    {
        const size_t at = row * ldc + column;
        if (to == TO_I32)
            static_cast<int32_t *>(c)[at] = value;
        else
            static_cast<float *>(c)[at] = static_cast<float>(value);
    }

    /* Columns 32 · word and on of a row. */
    __host__ __device__ void store_word(size_t row, size_t word, uint32_t bits) const
    {
        static_cast<uint32_t *>(c)[row * ldc + word] = bits;
    }
};

__host__ __device__ inline uint32_t ones_of(uint32_t word)
{
#ifdef __CUDA_ARCH__
    return static_cast<uint32_t>(__popc(static_cast<int>(word)));
#else
    return static_cast<uint32_t>(__builtin_popcount(word));
#endif
}

inline counts make_counts(const prim_binary_gemm_args *args)
{
    return {args->a,
            args->b,
            args->thresholds,
            args->c,
            args->lda,
            args->ldb,
            args->ldc,
            args->m,
            args->n,
            prim_divide_up(args->k, WORD_BITS),
            static_cast<uint32_t>(args->k),
            args->op,
            args->is_layer               ? TO_BITS
            : args->c_type == CUDA_R_32I ? TO_I32
                                         : TO_F32};
}

/* Whether C's type is built; bits always are. */
inline bool has_output(const prim_binary_gemm_args *args)
{
    return args->is_layer || dispatch<is_built>(args);
}

/* Why not, for tiles of C of m × n elements. */
inline const char *tiles_why_not(const prim_binary_gemm_args *args, size_t m, size_t n)
{
    if (!has_output(args))
        return PRIM_TYPES_NOT_BUILT;
    return prim_fits_a_grid(prim_divide_up(args->m, m), prim_divide_up(args->n, n))
               ? nullptr
               : PRIM_GRID_TOO_SMALL;
}

} // namespace

#endif
