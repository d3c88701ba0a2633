/* VECTORIZED: 16-byte loads, and double buffering: slabs are loaded while others are multiplied.
 *
 *     global memory ──16 bytes──→ registers ──→ shared memory, slab 1   while slab 0 is multiplied
 *
 *               B  ▪▪▪▪  ▪▪▪▪     a thread's 8 columns are two vectors of 4, 64 apart; its rows
 *     A  ▪▪▪▪   C  ▒▒▒▒  ▒▒▒▒     likewise. A's slab is transposed, so that rows of A lie side by
 *        ▪▪▪▪      ▒▒▒▒  ▒▒▒▒     side in shared memory
 *
 * What changed from REGISTER_TILED: 4 loads of 16 bytes for 64 products and not 16 of 4; each
 * thread loads a slab by one load, which is in flight while the slab before is multiplied. One
 * barrier for each slab, not two, since there are two buffers.
 *
 * Bytes for a product, of f32: 1/16 from global memory, 1 from shared memory, as before; but 1/16
 * of an instruction.
 *
 * What still holds it back: shared memory delivers 128 bytes in a clock, and 128 products in a
 * clock need a byte each, so that it is as busy as the arithmetic; and the factors of step k are
 * loaded at step k. WARP_TILED shares more of each load, and reads ahead.
 *
 * Where an operand's lines do not begin at whole vectors, and at its ends, elements are read one by
 * one. Work: m · n · k products, and the tiles' ends. Steps: k, and k / 8 barriers. Shared memory:
 * 4 · 8 · 132 elements.
 * Source: S. Boehm, How to Optimize a CUDA Matmul Kernel for cuBLAS-like Performance (2022), kernel
 * 6; CUTLASS (double buffering). */
#include "common/block/vectors.cuh"
#include "common/kernel/shared.cuh"
#include "common/kernel/unroll.cuh"
#include "gemm/problem.cuh"

namespace
{
namespace vectorized
{

constexpr unsigned SIDE = 128, K = 8; /* of a tile, of a slab */
constexpr unsigned OWN = 8;           /* rows and columns of a thread */
constexpr unsigned ACROSS = SIDE / OWN, THREADS = ACROSS * ACROSS;

/* A slab, k by k. Rows are padded by a vector: 8 transposed elements fall into separate banks. */
template <typename T>
struct slab {
    vector<T> rows[K][SIDE / VECTOR_ELEMENTS<T> + 1];
};

/* An operand as seen from its slab: `line` along the tile, k across; one of the strides is 1. */
template <typename T>
struct side {
    const T *data;
    size_t lines, steps, line_stride, k_stride;
    bool vectors; /* every line in memory begins at a whole vector */
};

template <typename T>
__device__ side<T> make_side(const T *data, size_t lines, size_t steps, size_t line_stride,
                             size_t k_stride)
{
    const size_t ld = line_stride == 1 ? k_stride : line_stride;
    return {data,        lines,    steps,
            line_stride, k_stride, bytes_past_vector(data) == 0 && ld % VECTOR_ELEMENTS<T> == 0};
}

/* A thread's part of the load of a slab: vectors that lie along memory. */
template <typename T>
struct share {
    static constexpr unsigned VECTOR = VECTOR_ELEMENTS<T>;
    static constexpr unsigned COUNT = SIDE * K / VECTOR / THREADS;
    vector<T> vectors[COUNT];
};

/* Where vector v of this thread begins in the slab: `along_k` where memory goes along k. */
template <typename T>
__device__ void place_of(unsigned v, bool along_k, unsigned &line, unsigned &k)
{
    constexpr unsigned VECTOR = VECTOR_ELEMENTS<T>;
    const unsigned index = (threadIdx.x + v * THREADS) * VECTOR;
    line = along_k ? index / K : index % SIDE;
    k = along_k ? index % K : index / SIDE;
}

template <typename T>
__device__ void fetch(share<T> &to, const side<T> &from, size_t first_line, size_t first_k)
{
    constexpr unsigned VECTOR = VECTOR_ELEMENTS<T>;
    const bool along_k = from.line_stride != 1;
    PRIM_UNROLL(2)
    for (unsigned v = 0; v < share<T>::COUNT; v++) {
        unsigned line_in, k_in;
        place_of<T>(v, along_k, line_in, k_in);
        const size_t line = first_line + line_in, k = first_k + k_in;
        const size_t lines_left = line < from.lines ? from.lines - line : 0;
        const size_t steps_left = k < from.steps ? from.steps - k : 0;
        const size_t along = along_k ? steps_left : lines_left;
        const bool inside = lines_left > 0 && steps_left > 0;
        const T *const data =
            inside ? from.data + line * from.line_stride + k * from.k_stride : nullptr;
        if (from.vectors && inside && along >= VECTOR) {
            to.vectors[v] = load_vector(data);
        } else {
            PRIM_UNROLL(4)
            for (unsigned e = 0; e < VECTOR; e++)
                to.vectors[v].words[e] = inside && e < along ? data[e] : T(0);
        }
    }
}

template <typename T>
__device__ void put(slab<T> &to, const share<T> &from, bool along_k)
{
    constexpr unsigned VECTOR = VECTOR_ELEMENTS<T>;
    PRIM_UNROLL(2)
    for (unsigned v = 0; v < share<T>::COUNT; v++) {
        unsigned line, k;
        place_of<T>(v, along_k, line, k);
        if (along_k) {
            PRIM_UNROLL(4)
            for (unsigned e = 0; e < VECTOR; e++)
                reinterpret_cast<T *>(to.rows[k + e])[line] = from.vectors[v].words[e];
        } else {
            to.rows[k][line / VECTOR] = from.vectors[v];
        }
    }
}

/* A thread's 8 elements of a slab's row: vectors that lie ACROSS vectors apart. */
template <typename T>
struct factors {
    static constexpr unsigned VECTOR = VECTOR_ELEMENTS<T>;
    vector<T> vectors[OWN / VECTOR];

    __device__ void read(const vector<T> *row, unsigned first)
    {
        PRIM_UNROLL(4)
        for (unsigned v = 0; v < OWN / VECTOR; v++)
            vectors[v] = row[first + v * ACROSS];
    }
    __device__ T at(unsigned i) const
    {
        return vectors[i / VECTOR].words[i % VECTOR];
    }
};

template <typename T>
__device__ void add_slab(T (&sums)[OWN][OWN], const slab<T> &a, const slab<T> &b)
{
    const unsigned x = threadIdx.x % ACROSS, y = threadIdx.x / ACROSS;
    PRIM_UNROLL(8)
    for (unsigned k = 0; k < K; k++) {
        factors<T> a_factors, b_factors;
        a_factors.read(a.rows[k], y);
        b_factors.read(b.rows[k], x);
        PRIM_UNROLL(8)
        for (unsigned i = 0; i < OWN; i++) {
            PRIM_UNROLL(8)
            for (unsigned j = 0; j < OWN; j++)
                sums[i][j] = add_product(sums[i][j], a_factors.at(i), b_factors.at(j));
        }
    }
}

/* Where a thread's element i lies in the tile. */
template <typename T>
__device__ unsigned place_of_sum(unsigned thread, unsigned i)
{
    constexpr unsigned VECTOR = VECTOR_ELEMENTS<T>;
    return (thread + i / VECTOR * ACROSS) * VECTOR + i % VECTOR;
}

template <typename T>
__global__ void __launch_bounds__(THREADS) multiply(problem<T> all)
{
    PRIM_SHARED(slab<T>, a_slabs, [2]);
    PRIM_SHARED(slab<T>, b_slabs, [2]);
    problem<T> p;
    if (!take_product(all, p))
        return;
    const square tile = this_square(p.n, SIDE);
    const side<T> a = make_side(p.a.data, p.m, p.k, p.a.row_stride, p.a.column_stride);
    const side<T> b = make_side(p.b.data, p.n, p.k, p.b.column_stride, p.b.row_stride);
    share<T> a_share, b_share;
    T sums[OWN][OWN] = {};
    fetch(a_share, a, tile.row, 0);
    fetch(b_share, b, tile.column, 0);
    unsigned now = 0;
    for (size_t begin = 0; begin < p.k; begin += K, now ^= 1) {
        put(a_slabs[now], a_share, a.line_stride != 1);
        put(b_slabs[now], b_share, b.line_stride != 1);
        __syncthreads(); /* and all have read the slab that is overwritten next */
        fetch(a_share, a, tile.row, begin + K);
        fetch(b_share, b, tile.column, begin + K);
        add_slab(sums, a_slabs[now], b_slabs[now]);
    }
    PRIM_UNROLL(8)
    for (unsigned i = 0; i < OWN; i++) {
        PRIM_UNROLL(8)
        for (unsigned j = 0; j < OWN; j++) {
            const size_t row = tile.row + place_of_sum<T>(threadIdx.x / ACROSS, i);
            const size_t column = tile.column + place_of_sum<T>(threadIdx.x % ACROSS, j);
            if (row < p.m && column < p.n)
                p.store(row, column, sums[i][j]);
        }
    }
}

struct lesson : squares_of_c<SIDE> {
    static constexpr dim3 BLOCK = THREADS;
    template <typename T>
    static constexpr block_kernel<T> kernel = multiply<T>;
};

} // namespace vectorized
} // namespace

PRIM_DEFINE_RUNG(gemm, vectorized) = rung_of_blocks<PRIM_GEMM_VECTORIZED, vectorized::lesson>(
    "vectorized", "16-byte loads; the next slabs come meanwhile");
