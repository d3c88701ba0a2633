/* MMA: bits on tensor cores, by mma.sync: an instruction of a warp has 16 × 8 × 256 products.
 *
 *     tile 128 × 128, a block           warp 64 × 32            an instruction 16 × 8, k 256
 *     ┌────┬────┬────┬────┐             ┌──┬──┬──┬──┐           A  4 words a lane   ldmatrix
 *     │warp│    │    │    │             ├──┼──┼──┼──┤           B  2                a vector of
 *     ├────┼────┼────┼────┤             ├──┼──┼──┼──┤                               four columns
 *     │    │    │    │    │             ├──┼──┼──┼──┤           C  4 sums
 *     └────┴────┴────┴────┘             └──┴──┴──┴──┘
 *
 * It counts the places where both have a 1, since from 9.0 on there is no exclusive or. With the
 * ones of A's row and of B's column that is enough, and exact:
 *
 *     popc(a ^ b) = popc(a) + popc(b) - 2 · popc(a & b)
 *
 * The 128 rows and 128 columns of a tile have a thread each, which counts their ones while they lie
 * in shared memory: a word once, beside 128 products of it.
 *
 *     stage 2, 1     ← global memory, copied asynchronously, 16 bytes at a time
 *     stage 0        512 steps of k: → registers → mma
 *
 * ldmatrix does not transpose words, so a lane loads B's as they lie: column g of the warp's
 * instruction j is column 4g + j of its 32, and four instructions take one vector. A lane's sums
 * are then those of columns 8t … 8t + 7: two vectors of C, or a byte of a layer's word.
 *
 * What changed from POPCOUNT: 32 products of a lane took more than two instructions; here a warp's
 * one has 32,768.
 *
 * What still holds it back: operands have to be in registers, and a warp loads and multiplies in
 * turn. Lines that do not begin at 16 bytes are copied word by word.
 *
 * Work: m · n · k products, and the tiles' ends. Steps: k, and k / 512 barriers.
 * Source: NVIDIA, PTX ISA, section on mma. */
#include "binary_gemm/counts.cuh"
#include "common/block/vectors.cuh"
#include "common/host/device.h"
#include "common/kernel/async_copy.cuh"
#include "common/kernel/shared.cuh"
#include "common/tensor/ldmatrix.cuh"
#include "common/tensor/mma_bits.cuh"

namespace
{
namespace mma
{

constexpr unsigned WARP = 32, MMA_M = 16, STEP = 8; /* words of an instruction along k */
constexpr unsigned WARPS_M = 2, WARPS_N = 4, THREADS = WARPS_M * WARPS_N * WARP;
constexpr unsigned WARP_M = 64, WARP_N = 32, DOWN = WARP_M / MMA_M, ACROSS = 4; /* instructions */
constexpr unsigned M = WARPS_M * WARP_M, N = WARPS_N * WARP_N;
constexpr unsigned DEPTH = 2 * STEP, STAGES = 3; /* words of a stage along k */
constexpr unsigned PIECE = VECTOR_BYTES / WORD_BYTES;
static_assert(THREADS == M + N, "a thread for each row and column of the tile");

/* The padding of their rows puts what lanes read together into different banks: eight rows of A for
 * ldmatrix, and eight lanes' vectors of two rows of B. */
struct stage {
    alignas(VECTOR_BYTES) uint32_t a[M][DEPTH + PIECE];
    alignas(VECTOR_BYTES) uint32_t b[DEPTH][N + 2 * PIECE];
};

struct shared_memory {
    stage stages[STAGES];
    alignas(VECTOR_BYTES) uint32_t ones[M + N]; /* of the tile's rows, then of its columns */
};

/* Whether all lines begin at 16 bytes, and may be stored so. */
struct alignments {
    bool a, b, c;
};

/* ---- from global into shared memory ---- */

/* Starts the copies of as many of the piece's words as there are, with zeros after them. */
__device__ inline void copy_piece(uint32_t *to, const uint32_t *from, size_t left, bool is_aligned)
{
    const unsigned words = left < PIECE ? static_cast<unsigned>(left) : PIECE;
    if (is_aligned) {
        copy_async_first(reinterpret_cast<vector<uint32_t> *>(to), from, words * WORD_BYTES);
        return;
    }
    PRIM_UNROLL(4)
    for (unsigned w = 0; w < PIECE; w++)
        copy_async_first(&to[w], from + w, w < words ? WORD_BYTES : 0);
}

/* Words `begin` and on along k. */
__device__ inline void load(stage &to, const counts &p, const alignments &aligned, size_t row,
                            size_t column, size_t begin)
{
    constexpr unsigned A_PIECES = DEPTH / PIECE, B_PIECES = N / PIECE;
    PRIM_UNROLL(2)
    for (unsigned i = threadIdx.x; i < M * A_PIECES; i += THREADS) {
        const unsigned r = i / A_PIECES, w = i % A_PIECES * PIECE;
        const bool is_there = row + r < p.m && begin + w < p.words;
        copy_piece(&to.a[r][w], is_there ? &p.a[(row + r) * p.lda + begin + w] : p.a,
                   is_there ? p.words - begin - w : 0, aligned.a);
    }
    PRIM_UNROLL(2)
    for (unsigned i = threadIdx.x; i < DEPTH * B_PIECES; i += THREADS) {
        const unsigned w = i / B_PIECES, j = i % B_PIECES * PIECE;
        const bool is_there = begin + w < p.words && column + j < p.n;
        copy_piece(&to.b[w][j], is_there ? &p.b[(begin + w) * p.ldb + column + j] : p.b,
                   is_there ? p.n - column - j : 0, aligned.b);
    }
}

/* ---- from shared memory ---- */

struct warp_sums {
    int32_t at[DOWN][ACROSS][4];
};

/* Where this thread's warp has its part of the tile. */
__device__ inline unsigned row_of_warp()
{
    return threadIdx.x / WARP / WARPS_N * WARP_M;
}

__device__ inline unsigned column_of_warp()
{
    return threadIdx.x / WARP % WARPS_N * WARP_N;
}

__device__ inline void multiply_step(warp_sums &sums, const stage &from, unsigned begin)
{
    const unsigned lane = threadIdx.x % WARP, g = lane / 4, t = lane % 4;
    const unsigned row = row_of_warp() + lane % MMA_M, word = begin + lane / MMA_M * PIECE;
    const uint32_t *const columns = &from.b[begin + t][column_of_warp() + ACROSS * g];
    const vector<uint32_t> low = load_vector(columns),
                           high = load_vector(columns + STEP / 2 * (N + 2 * PIECE));
    PRIM_UNROLL(4)
    for (unsigned i = 0; i < DOWN; i++) {
        uint32_t rows[4];
        ldmatrix_x4(rows, &from.a[row + MMA_M * i][word]);
        PRIM_UNROLL(4)
        for (unsigned j = 0; j < ACROSS; j++) {
            const uint32_t column[2] = {low.words[j], high.words[j]};
            mma_m16n8k256_and_popc(sums.at[i][j], rows, column);
        }
    }
}

/* Of this thread's row or column of the stage. */
__device__ inline uint32_t ones_of_line(const stage &from)
{
    const unsigned line = threadIdx.x % M;
    uint32_t ones = 0;
    if (threadIdx.x < M) {
        PRIM_UNROLL(4)
        for (unsigned w = 0; w < DEPTH; w += PIECE) {
            const vector<uint32_t> piece = load_vector(&from.a[line][w]);
            PRIM_UNROLL(4)
            for (unsigned i = 0; i < PIECE; i++)
                ones += ones_of(piece.words[i]);
        }
    } else {
        PRIM_UNROLL(16)
        for (unsigned w = 0; w < DEPTH; w++)
            ones += ones_of(from.b[w][line]);
    }
    return ones;
}

/* ---- C ---- */

/* A row's eight values from a column on, of which `left` are there. */
template <typename Out>
__device__ void store_eight(Out *to, const int32_t (&values)[8], size_t left, bool is_aligned)
{
    if (is_aligned && left >= 8) {
        PRIM_UNROLL(2)
        for (unsigned half = 0; half < 2; half++) {
            vector<Out> four;
            PRIM_UNROLL(4)
            for (unsigned e = 0; e < 4; e++)
                four.words[e] = static_cast<Out>(values[4 * half + e]);
            reinterpret_cast<vector<Out> *>(to)[half] = four;
        }
        return;
    }
    PRIM_UNROLL(8)
    for (unsigned e = 0; e < 8; e++)
        if (e < left)
            to[e] = static_cast<Out>(values[e]);
}

/* The four lanes of a row have a byte each. All lanes of the warp come here together. */
__device__ inline uint32_t word_of_row(const counts &p, const int32_t (&values)[8], size_t column,
                                       size_t left)
{
    uint32_t bits = 0;
    PRIM_UNROLL(8)
    for (unsigned e = 0; e < 8; e++)
        bits |= static_cast<uint32_t>(e < left && values[e] >= p.thresholds[column + e]) << e;
    bits <<= threadIdx.x % 4 * 8;
    bits |= __shfl_xor_sync(0xffffffffu, bits, 1);
    return bits | __shfl_xor_sync(0xffffffffu, bits, 2);
}

__device__ inline void store_row(const counts &p, size_t row, size_t column,
                                 const int32_t (&values)[8], bool is_aligned)
{
    const size_t left = column < p.n ? p.n - column : 0;
    if (p.to == TO_BITS) {
        const uint32_t word = word_of_row(p, values, column, left);
        if (row < p.m && left > 0 && threadIdx.x % 4 == 0)
            p.store_word(row, column / WORD_BITS, word);
    } else if (row < p.m && left > 0) {
        const size_t at = row * p.ldc + column;
        if (p.to == TO_I32)
            store_eight(static_cast<int32_t *>(p.c) + at, values, left, is_aligned);
        else
            store_eight(static_cast<float *>(p.c) + at, values, left, is_aligned);
    }
}

__device__ inline void store_tile(const counts &p, size_t row, size_t column,
                                  const uint32_t (&ones)[M + N], const warp_sums &sums,
                                  bool is_aligned)
{
    const unsigned lane = threadIdx.x % WARP, first_row = row_of_warp() + lane / 4,
                   first_column = column_of_warp() + lane % 4 * 8;
    PRIM_UNROLL(4)
    for (unsigned i = 0; i < DOWN; i++) {
        PRIM_UNROLL(2)
        for (unsigned half = 0; half < 2; half++) {
            const unsigned at = first_row + MMA_M * i + 8 * half;
            int32_t values[8];
            PRIM_UNROLL(8)
            for (unsigned e = 0; e < 8; e++) {
                const uint32_t both =
                    static_cast<uint32_t>(sums.at[i][e % ACROSS][2 * half + e / ACROSS]);
                values[e] = p.value_of(p.op == PRIM_BINARY_AND
                                           ? both
                                           : ones[at] + ones[M + first_column + e] - 2 * both);
            }
            store_row(p, row + at, column + first_column, values, is_aligned);
        }
    }
}

/* ---- the kernel ---- */

__global__ void __launch_bounds__(THREADS, 2) multiply_bits(counts p, alignments aligned)
{
    PRIM_SHARED_DYNAMIC(shared_memory, shared);
    const unsigned across = static_cast<unsigned>((p.n + N - 1) / N);
    const size_t row = static_cast<size_t>(blockIdx.x / across) * M;
    const size_t column = static_cast<size_t>(blockIdx.x % across) * N;
    const bool warp_has_c = row + row_of_warp() < p.m && column + column_of_warp() < p.n;
    warp_sums sums = {};
    uint32_t ones = 0;
    unsigned read = 0, write = 0;
    PRIM_UNROLL(1)
    for (; write + 1 < STAGES; write++) {
        if (write * DEPTH < p.words)
            load(shared->stages[write], p, aligned, row, column, write * DEPTH);
        close_batch_of_copies();
    }
    PRIM_UNROLL(1)
    for (size_t begin = 0; begin < p.words; begin += DEPTH) {
        wait_for_copies_but<STAGES - 2>();
        __syncthreads(); /* this stage is complete, and all have read the one before */
        const size_t next = begin + (STAGES - 1) * DEPTH;
        if (next < p.words)
            load(shared->stages[write], p, aligned, row, column, next);
        close_batch_of_copies();
        PRIM_UNROLL(2)
        for (unsigned w = 0; w < DEPTH && warp_has_c; w += STEP)
            multiply_step(sums, shared->stages[read], w);
        if (p.op != PRIM_BINARY_AND)
            ones += ones_of_line(shared->stages[read]);
        read = read + 1 == STAGES ? 0 : read + 1;
        write = write + 1 == STAGES ? 0 : write + 1;
    }
    shared->ones[threadIdx.x] = ones;
    __syncthreads();
    store_tile(p, row, column, shared->ones, sums, aligned.c);
}

/* ---- the launch ---- */

inline bool begins_at_vectors(const void *data, size_t ld)
{
    return bytes_past_vector(data) == 0 && ld % PIECE == 0;
}

const char *why_not(const void *any)
{
    enum { LEAST_CAPABILITY = 80 };
    if (prim_device_code() < LEAST_CAPABILITY)
        return "it needs code compiled for compute capability 8.0 or higher";
    return tiles_why_not(static_cast<const prim_binary_gemm_args *>(any), M, N);
}

cudaError_t launch(const void *any)
{
    const prim_binary_gemm_args *args = static_cast<const prim_binary_gemm_args *>(any);
    const size_t tiles = prim_divide_up(args->m, M) * prim_divide_up(args->n, N);
    if (tiles == 0)
        return cudaSuccess;
    const cudaError_t error = prim_allow_shared(multiply_bits, sizeof(shared_memory));
    if (error != cudaSuccess)
        return error;
    const alignments aligned = {begins_at_vectors(args->a, args->lda),
                                begins_at_vectors(args->b, args->ldb),
                                begins_at_vectors(args->c, args->ldc)};
    return prim_launch(
        {args->call.stream, static_cast<unsigned>(tiles), THREADS, sizeof(shared_memory)},
        multiply_bits, make_counts(args), aligned);
}

} // namespace mma
} // namespace

PRIM_DEFINE_RUNG(binary_gemm, mma) = {
    {PRIM_BINARY_GEMM_MMA, "mma", "bits on tensor cores; ldmatrix and mma.sync"},
    mma::why_not,
    nullptr,
    mma::launch};
