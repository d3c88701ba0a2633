/* POPCOUNT: tiles of C in registers, and fewer population counts than words.
 *
 *     A  8 rows a warp, a word for all lanes                a lane has columns l, l + 32, l + 64
 *     B  128 columns, a word for each lane, 4 times         and l + 96 of each of its warp's rows
 *
 * A GPU counts the bits of a word in one instruction, but counts only a quarter as many words a
 * clock as it combines by LOP3. So eight words become four first: a full adder takes three bits at
 * each place and leaves their sum s, and a carry c, which counts twice.
 *
 *     x0 x1 x2 → s0, c0        s0 s1 x6 → s2, c2        c0 c1 c2 → s3, c3
 *     x3 x4 x5 → s1, c1
 *
 *     ones of x0 … x7 = those of s2 + those of x7 + 2 · those of s3 + 4 · those of c3
 *
 * Four adders of two LOP3 take the place of four counts.
 *
 * What changed from XNOR_TILED: a word from shared memory is used 4 or 8 times, and the table of
 * bit counts is gone. The lanes of a warp stand side by side in a row of C, so that their vote is a
 * word of a layer's output.
 *
 * What holds it back: 32 products take more than two instructions of a lane, and a C of few tiles
 * leaves multiprocessors idle.
 *
 * Work: m · n · ⌈k / 32⌉ words. Bytes from global memory, in tiles of 64 × 128:
 * 4 m · n · ⌈k / 32⌉ · 3 / 128.
 * Source: the counter of D. Harley and R. Seal in Hacker's Delight (H. S. Warren, 2003). */
#include "binary_gemm/counts.cuh"
#include "common/block/vectors.cuh"
#include "common/kernel/async_copy.cuh"
#include "common/kernel/shared.cuh"

namespace
{
namespace popcount
{

constexpr unsigned WARP = 32, WARPS = 8, THREADS = WARPS * WARP;
constexpr unsigned ROWS = 8, ACROSS = 4; /* of a warp; and columns of a lane */
constexpr unsigned M = WARPS * ROWS, N = WARP * ACROSS;
constexpr unsigned GROUP = 8, DEPTH = 2 * GROUP; /* words along k: added up together, and staged */

struct slab {
    alignas(VECTOR_BYTES) uint32_t a[M][DEPTH];
    uint32_t b[DEPTH][N];
};

/* Starts the copies of A and B from word `begin` along k, with zeros past their ends. */
__device__ inline void load(slab &to, const counts &p, size_t row, size_t column, size_t begin)
{
    PRIM_UNROLL(1) /* each address would take registers of its own */
    for (unsigned i = threadIdx.x; i < M * DEPTH; i += THREADS) {
        const size_t r = row + i / DEPTH, word = begin + i % DEPTH;
        const bool is_there = r < p.m && word < p.words;
        copy_async_or_zeros(is_there, &to.a[i / DEPTH][i % DEPTH],
                            is_there ? &p.a[r * p.lda + word] : p.a);
    }
    PRIM_UNROLL(1)
    for (unsigned i = threadIdx.x; i < DEPTH * N; i += THREADS) {
        const size_t word = begin + i / N, j = column + i % N;
        const bool is_there = word < p.words && j < p.n;
        copy_async_or_zeros(is_there, &to.b[i / N][i % N], is_there ? &p.b[word * p.ldb + j] : p.b);
    }
}

/* Three bits at each of 32 places: their sum modulo two, and what it leaves out. */
struct full_adder {
    uint32_t sum, carry;

    __device__ full_adder(uint32_t a, uint32_t b, uint32_t c)
    {
#ifdef __CUDA_ARCH__ /* one instruction each, whatever the compiler shares between the two */
        asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(sum) : "r"(a), "r"(b), "r"(c));
        asm("lop3.b32 %0, %1, %2, %3, 0xe8;" : "=r"(carry) : "r"(a), "r"(b), "r"(c));
#else
        sum = a ^ b ^ c;
        carry = (a & b) | (a & c) | (b & c);
#endif
    }
};

__device__ inline uint32_t ones_of_group(const uint32_t (&x)[GROUP])
{
    const full_adder s0(x[0], x[1], x[2]), s1(x[3], x[4], x[5]), s2(s0.sum, s1.sum, x[6]);
    const full_adder s3(s0.carry, s1.carry, s2.carry);
    return ones_of(s2.sum) + ones_of(x[7]) + 2 * ones_of(s3.sum) + 4 * ones_of(s3.carry);
}

struct lane_sums {
    uint32_t at[ROWS][ACROSS];
};

template <bool IS_AND>
__device__ void add_group(lane_sums &sums, const slab &from, unsigned begin)
{
    const unsigned lane = threadIdx.x % WARP, first_row = threadIdx.x / WARP * ROWS;
    uint32_t columns[ACROSS][GROUP];
    PRIM_UNROLL(4)
    for (unsigned j = 0; j < ACROSS; j++) {
        PRIM_UNROLL(8)
        for (unsigned w = 0; w < GROUP; w++)
            columns[j][w] = from.b[begin + w][j * WARP + lane];
    }
    PRIM_UNROLL(8)
    for (unsigned i = 0; i < ROWS; i++) {
        const uint32_t *const row = &from.a[first_row + i][begin];
        const vector<uint32_t> halves[2] = {load_vector(row), load_vector(row + GROUP / 2)};
        PRIM_UNROLL(4)
        for (unsigned j = 0; j < ACROSS; j++) {
            uint32_t both[GROUP];
            PRIM_UNROLL(8)
            for (unsigned w = 0; w < GROUP; w++) {
                const uint32_t a = halves[w / 4].words[w % 4];
                both[w] = IS_AND ? a & columns[j][w] : a ^ columns[j][w];
            }
            sums.at[i][j] += ones_of_group(both);
        }
    }
}

/* All lanes of the warp come here together: their votes are words. */
__device__ inline void store(const counts &p, size_t row, size_t column, const lane_sums &sums)
{
    const unsigned lane = threadIdx.x % WARP;
    const size_t first_row = row + threadIdx.x / WARP * ROWS;
    PRIM_UNROLL(4)
    for (unsigned j = 0; j < ACROSS; j++) {
        const size_t first_column = column + j * WARP, at = first_column + lane;
        const bool has_column = at < p.n;
        const int32_t threshold = p.to == TO_BITS && has_column ? p.thresholds[at] : 0;
        PRIM_UNROLL(8)
        for (unsigned i = 0; i < ROWS; i++) {
            const int32_t value = p.value_of(sums.at[i][j]);
            const bool has_row = first_row + i < p.m;
            if (p.to != TO_BITS) {
                if (has_row && has_column)
                    p.store(first_row + i, at, value);
                continue;
            }
            const uint32_t bits = __ballot_sync(0xffffffffu, has_column && value >= threshold);
            if (lane == 0 && has_row && has_column)
                p.store_word(first_row + i, first_column / WARP, bits);
        }
    }
}

template <bool IS_AND>
__global__ void __launch_bounds__(THREADS, 2) count_bits(counts p)
{
    PRIM_SHARED(slab, slabs, [2]);
    const unsigned across = static_cast<unsigned>((p.n + N - 1) / N);
    const size_t row = static_cast<size_t>(blockIdx.x / across) * M;
    const size_t column = static_cast<size_t>(blockIdx.x % across) * N;
    lane_sums sums = {};
    unsigned now = 0;
    if (p.words > 0)
        load(slabs[0], p, row, column, 0);
    for (size_t begin = 0; begin < p.words; begin += DEPTH, now ^= 1) {
        wait_for_copies();
        __syncthreads(); /* this slab is complete, and all have read the other one */
        if (p.words - begin > DEPTH)
            load(slabs[now ^ 1], p, row, column, begin + DEPTH);
        PRIM_UNROLL(1)
        for (unsigned w = 0; w < DEPTH; w += GROUP)
            add_group<IS_AND>(sums, slabs[now], w);
    }
    store(p, row, column, sums);
}

const char *why_not(const void *any)
{
    return tiles_why_not(static_cast<const prim_binary_gemm_args *>(any), M, N);
}

cudaError_t launch(const void *any)
{
    const prim_binary_gemm_args *args = static_cast<const prim_binary_gemm_args *>(any);
    const size_t tiles = prim_divide_up(args->m, M) * prim_divide_up(args->n, N);
    if (tiles == 0)
        return cudaSuccess;
    return prim_launch({args->call.stream, static_cast<unsigned>(tiles), THREADS},
                       args->op == PRIM_BINARY_AND ? count_bits<true> : count_bits<false>,
                       make_counts(args));
}

} // namespace popcount
} // namespace

PRIM_DEFINE_RUNG(binary_gemm, popcount) = {
    {PRIM_BINARY_GEMM_POPCOUNT, "popcount",
     "tiles in registers; eight words become four before their bits are counted"},
    popcount::why_not,
    nullptr,
    popcount::launch};
