/* The pass that operands.h describes, in one launch: the first blocks transpose B, and the others
 * count A's ones.
 *
 *     B    a block has 32 columns, and brings 128 words of each at a time through shared memory
 *     A    a warp has a row, which it copies where tensor copies do not reach A
 *
 * Both count ones as they read, and write the terms of their columns and rows. Work: the words of A
 * and B. Bytes: B twice; A once where its ones count, and twice where it is copied. */
#include "binary_gemm/operands.h"

#include "binary_gemm/counts.cuh"
#include "common/block/vectors.cuh"
#include "common/block/warp.cuh"
#include "common/kernel/shared.cuh"

namespace
{
namespace operands
{

constexpr unsigned THREADS = 256, WARPS = THREADS / WARP;
constexpr unsigned DEEP = 128; /* words along k that a block transposes at a time */
constexpr unsigned PIECE = VECTOR_BYTES / WORD_BYTES, GROUP = PRIM_BINARY_COLUMN_GROUP;

/* What is added to a value for all its ones, and for none. */
struct term {
    uint32_t of_one, of_none;

    __device__ uint32_t of(uint32_t ones) const
    {
        return of_one * ones + of_none;
    }
};

struct pass {
    const uint32_t *a, *b;
    uint32_t *a_copy, *b_lines; /* a_copy: NULL where A is read where it is stored */
    uint32_t *row_terms, *column_terms;
    term of_row, of_column;
    size_t lda, ldb, ld, words; /* ld: of what is made */
    unsigned m, n, blocks_of_b;
};

/* ---- B: a block has 32 columns ---- */

/* A row is padded by a word, so that a column lies in all banks. */
struct slab {
    uint32_t words[DEEP][WARP + 1];
    uint32_t ones[WARPS][WARP];
};

__device__ inline unsigned line_of_column(unsigned column)
{
    const unsigned lane = column / 4 % 4, pair = column / 2 % 2;
    return column / GROUP * GROUP + 8 * pair + 2 * lane + column % 2;
}

/* A lane has a column. */
__device__ inline uint32_t load_words(slab &to, const pass &p, unsigned column, size_t begin)
{
    constexpr unsigned ROUNDS = DEEP / WARPS;
    const unsigned lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    uint32_t words[ROUNDS], ones = 0;
    PRIM_UNROLL(ROUNDS)
    for (unsigned i = 0; i < ROUNDS; i++) {
        const size_t word = begin + warp + i * WARPS;
        words[i] = word < p.words && column < p.n ? p.b[word * p.ldb + column] : 0;
    }
    PRIM_UNROLL(ROUNDS)
    for (unsigned i = 0; i < ROUNDS; i++) {
        to.words[warp + i * WARPS][lane] = words[i];
        ones += ones_of(words[i]);
    }
    return ones;
}

/* A warp has a column at a time. */
__device__ inline void store_lines(const slab &from, const pass &p, unsigned first, size_t begin)
{
    constexpr unsigned COLUMNS = WARP / WARPS;
    const unsigned lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    PRIM_UNROLL(4)
    for (unsigned c = warp * COLUMNS; c < (warp + 1) * COLUMNS; c++) {
        PRIM_UNROLL(4)
        for (unsigned w = lane; w < DEEP; w += WARP)
            if (begin + w < p.words && first + c < p.n)
                p.b_lines[line_of_column(first + c) * p.ld + begin + w] = from.words[w][c];
    }
}

__device__ inline void transpose_columns(slab &shared, const pass &p, unsigned first)
{
    const unsigned lane = threadIdx.x % WARP, warp = threadIdx.x / WARP, column = first + lane;
    uint32_t ones = 0;
    for (size_t begin = 0; begin < p.words; begin += DEEP) {
        ones += load_words(shared, p, column, begin);
        __syncthreads();
        store_lines(shared, p, first, begin);
        __syncthreads();
    }
    shared.ones[warp][lane] = ones;
    __syncthreads();
    if (warp > 0 || column >= p.n)
        return;
    PRIM_UNROLL(WARPS)
    for (unsigned w = 1; w < WARPS; w++)
        ones += shared.ones[w][lane];
    p.column_terms[column] = p.of_column.of(ones);
}

/* ---- A: a warp has a row ---- */

__device__ inline void count_row(const pass &p, size_t row)
{
    const unsigned lane = threadIdx.x % WARP;
    const bool is_copied = p.a_copy != nullptr, is_read = is_copied || p.of_row.of_one != 0;
    uint32_t ones = 0;
    PRIM_UNROLL(4)
    for (size_t w = lane; is_read && w < p.words; w += WARP) {
        const uint32_t word = p.a[row * p.lda + w];
        ones += ones_of(word);
        if (is_copied)
            p.a_copy[row * p.ld + w] = word;
    }
    ones = reduce_warp<sum_operator>(ones);
    if (lane == 0)
        p.row_terms[row] = p.of_row.of(ones);
}

__global__ void __launch_bounds__(THREADS) make_operands(pass p)
{
    PRIM_SHARED(slab, shared, );
    trigger_launch_completion();
    if (blockIdx.x < p.blocks_of_b) {
        transpose_columns(shared, p, blockIdx.x * WARP);
    } else {
        const size_t row =
            static_cast<size_t>(blockIdx.x - p.blocks_of_b) * WARPS + threadIdx.x / WARP;
        if (row < p.m)
            count_row(p, row);
    }
}

/* ---- on the host ---- */

size_t rounded_up(size_t count, size_t to)
{
    return prim_divide_up(count, to) * to;
}

/* Where the parts of the workspace end, in words. */
struct parts {
    size_t ld, b, a, rows, columns;

    explicit parts(const prim_binary_gemm_args *args)
        : ld(rounded_up(prim_divide_up(args->k, WORD_BITS), PIECE)),
          b(rounded_up(args->n, GROUP) * ld), a(b + args->m * ld), rows(a + args->m),
          columns(rows + args->n)
    {
    }
};

prim_tensor tensor_of(const uint32_t *data, size_t lines, size_t words, size_t ld)
{
    const size_t pitch = ld * sizeof *data;
    return {data, words * sizeof *data / sizeof(uint16_t), lines, 1, pitch, pitch, 0, 0};
}

/* The factor, and the terms: k of a dot product goes with the rows. */
uint32_t set_terms(pass *p, const prim_binary_gemm_args *args)
{
    const uint32_t minus_two = ~uint32_t(1);
    if (args->op == PRIM_BINARY_AND)
        return 1;
    p->of_row.of_one = p->of_column.of_one = args->op == PRIM_BINARY_XOR ? 1 : minus_two;
    p->of_row.of_none = args->op == PRIM_BINARY_XOR ? 0 : static_cast<uint32_t>(args->k);
    return args->op == PRIM_BINARY_XOR ? minus_two : 4;
}

} // namespace operands
} // namespace

size_t prim_binary_operands_bytes(const prim_binary_gemm_args *args)
{
    return args->m == 0 || args->n == 0 ? 0 : operands::parts(args).columns * sizeof(uint32_t);
}

cudaError_t prim_binary_make_operands(const prim_binary_gemm_args *args, prim_binary_operands *made)
{
    using namespace operands;
    const parts end(args);
    uint32_t *const words = static_cast<uint32_t *>(args->call.workspace);
    pass p = {};
    p.words = prim_divide_up(args->k, WORD_BITS);
    *made = {tensor_of(args->a, args->m, p.words, args->lda),
             tensor_of(words, rounded_up(args->n, GROUP), p.words, end.ld), words + end.a,
             words + end.rows, set_terms(&p, args)};
    if (!prim_tensor_is_mapped(&made->a)) {
        p.a_copy = words + end.b;
        made->a = tensor_of(p.a_copy, args->m, p.words, end.ld);
    }
    p.a = args->a;
    p.b = args->b;
    p.b_lines = words;
    p.row_terms = words + end.a;
    p.column_terms = words + end.rows;
    p.lda = args->lda;
    p.ldb = args->ldb;
    p.ld = end.ld;
    p.m = static_cast<unsigned>(args->m);
    p.n = static_cast<unsigned>(args->n);
    p.blocks_of_b = static_cast<unsigned>(prim_divide_up(args->n, WARP));
    const unsigned blocks = p.blocks_of_b + static_cast<unsigned>(prim_divide_up(args->m, WARPS));
    return prim_launch({args->call.stream, blocks, THREADS}, make_operands, p);
}
