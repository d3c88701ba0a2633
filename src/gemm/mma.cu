/* MMA: f16 and bf16 on tensor cores, by mma.sync: an instruction of a warp has 16 × 8 × 16
 * products.
 *
 *     tile 128 × 256, a block           warp 64 × 64            an instruction 16 × 8, k 16
 *     ┌──────┬──────┬──────┬──────┐     ┌──┬──┬──┬─ …           A  4 words a lane   ldmatrix
 *     │ warp │      │      │      │     ├──┼──┼──┼─             B  2                from
 *     ├──────┼──────┼──────┼──────┤     ├──┼──┼──┼─             C  4 floats         shared memory
 *     │      │      │      │      │     ├──┼──┼──┼─
 *     └──────┴──────┴──────┴──────┘     …
 *
 *     stage 2        ← global memory, copied asynchronously, 16 bytes at a time
 *     stage 1        ← copied
 *     stage 0        64 steps of k: ldmatrix → registers → mma
 *
 * What changed from WARP_TILED: there a multiply-add of each lane needs three registers; here a
 * warp's instruction has 2,048 products for 10 registers a lane. Operands stay halves in shared
 * memory, and lie there as in memory: ldmatrix transposes what has to be transposed. A C of few
 * tiles is cut along k, as in SPLIT_K.
 *
 * Lines that do not begin at 16 bytes are copied by a first pass (tensor/realign.h), or loaded
 * element by element, several times as long, where there is little to multiply or no pass reaches
 * them.
 *
 * Bytes for a product, of tiles of 128 × 256: 3/128 from global memory, 1/16 from shared memory.
 *
 * What still holds it back: on 9.0 mma.sync reaches less than two thirds of what tensor cores can
 * do; registers, in which operands have to be; and that a warp loads and multiplies in turn.
 *
 * Work: m · n · k products, and the tiles' ends. Steps: k, and k / 64 barriers. Workspace: as
 * SPLIT_K's, where k is cut; and what is realigned of A and B.
 * Source: NVIDIA, PTX ISA, sections on mma and ldmatrix; A. Kerr et al., CUTLASS: Fast Linear
 * Algebra in CUDA C++ (2017), on conflict-free shared memory. */
#include "common/host/device.h"
#include "common/kernel/shared.cuh"
#include "common/tensor/ldmatrix.cuh"
#include "common/tensor/mma_halves.cuh"
#include "gemm/problem.cuh"
#include "gemm/tensor/operands.h"
#include "gemm/tensor/realign.h"
#include "gemm/tensor/stage.cuh"
#include "gemm/tensor/tiles.h"
#include "gemm/tile/c_tile.cuh"
#include "gemm/tile/plan.h"

namespace
{
namespace tensor_tiles
{

constexpr unsigned WARP = 32, MMA_M = 16, MMA_N = 8, MMA_K = 16;

/* M × N elements of C for a block of WARPS_M × WARPS_N warps. */
template <unsigned M_, unsigned N_, unsigned WARPS_M_, unsigned WARPS_N_, unsigned STAGES_,
          unsigned BLOCKS_>
struct tile_shape {
    static constexpr unsigned M = M_, N = N_, WARPS_M = WARPS_M_, WARPS_N = WARPS_N_;
    static constexpr unsigned WARP_M = M / WARPS_M, WARP_N = N / WARPS_N;
    static constexpr unsigned DOWN = WARP_M / MMA_M, ACROSS = WARP_N / MMA_N; /* instructions */
    static constexpr unsigned THREADS = WARPS_M * WARPS_N * WARP;
    static constexpr unsigned STAGES = STAGES_, BLOCKS = BLOCKS_;
    static_assert(DOWN * MMA_M * WARPS_M == M && ACROSS % 2 == 0, "whole instructions, in pairs");
};

template <class Shape, layout A, layout B>
struct slabs {
    stage<Shape::M, A> a[Shape::STAGES];
    stage<Shape::N, B> b[Shape::STAGES];
};

/* How the work is divided: products × parts of k × tiles, along one dimension of the grid. */
struct cut {
    unsigned tiles_m, tiles_n, parts;
    size_t part;    /* steps of k in a part */
    float *partial; /* sums for a second pass, part by part; NULL: C is written */
    size_t partial_ld;
    bool a_in_pieces, b_in_pieces; /* as far as the host can tell */
    bool c_in_pairs, c_is_half;
};

/* ---- from shared memory into registers ---- */

/* Which row of eight elements a lane names for ldmatrix_x4(): the matrices 0 … 3 lie at (0, 0),
 * (8, 0), (0, 8) and (8, 8) of a square of 16 × 16, first along the tile for A, along k for B. */
struct lane_row {
    unsigned i, along_tile, along_k;
};

__device__ inline lane_row row_of_lane(bool of_a)
{
    const unsigned lane = threadIdx.x % WARP, first = lane >> 3 & 1, second = lane >> 4;
    return {lane % 8, of_a ? first : second, of_a ? second : first};
}

/* 16 × 16 elements of op(A), or of op(B), at `side` of the tile and step 16 · step of k. */
template <class Stage>
__device__ void load_square(uint32_t (&words)[4], const Stage &from, const lane_row &row,
                            unsigned side, unsigned step)
{
    const unsigned on_side = side + 8 * row.along_tile, on_k = MMA_K * step + 8 * row.along_k;
    if constexpr (Stage::HOW == ALONG_K)
        ldmatrix_x4(words, &from.pieces[Stage::place(on_side + row.i, on_k / PIECE)]);
    else
        ldmatrix_x4_trans(words, &from.pieces[Stage::place(on_k + row.i, on_side / PIECE)]);
}

/* ---- sums ---- */

template <class Shape>
struct warp_sums {
    float at[Shape::DOWN][Shape::ACROSS][4];
};

/* What a warp multiplies in a step of 16. */
template <class Shape>
struct fragments {
    uint32_t rows[Shape::DOWN][4], columns[Shape::ACROSS / 2][4];
};

template <class Shape, class StageA, class StageB>
__device__ void load_fragments(fragments<Shape> &to, const StageA &a, const StageB &b,
                               unsigned step)
{
    const unsigned warp = threadIdx.x / WARP;
    const unsigned row = warp / Shape::WARPS_N * Shape::WARP_M,
                   column = warp % Shape::WARPS_N * Shape::WARP_N;
    const lane_row of_a = row_of_lane(true), of_b = row_of_lane(false);
    PRIM_UNROLL(4)
    for (unsigned i = 0; i < Shape::DOWN; i++)
        load_square(to.rows[i], a, of_a, row + MMA_M * i, step);
    PRIM_UNROLL(4)
    for (unsigned j = 0; j < Shape::ACROSS / 2; j++)
        load_square(to.columns[j], b, of_b, column + 2 * MMA_N * j, step);
}

template <typename Half, class Shape>
__device__ void add_products(warp_sums<Shape> &sums, const fragments<Shape> &of)
{
    PRIM_UNROLL(4)
    for (unsigned i = 0; i < Shape::DOWN; i++) {
        PRIM_UNROLL(8)
        for (unsigned j = 0; j < Shape::ACROSS; j++) {
            const uint32_t *const pair = &of.columns[j / 2][j % 2 * 2];
            const uint32_t column[2] = {pair[0], pair[1]};
            mma_m16n8k16<Half>(sums.at[i][j], of.rows[i], column);
        }
    }
}

/* The sums of the block's tile over a.k > 0 steps. What step k + 1 multiplies is read before the
 * products of step k. */
template <class Shape, layout A, layout B, typename Half>
__device__ void multiply_tile(warp_sums<Shape> &sums, const operand<Half> &a,
                              const operand<Half> &b)
{
    constexpr unsigned STAGES = Shape::STAGES, STEPS = K / MMA_K;
    using shared_slabs = slabs<Shape, A, B>;
    PRIM_SHARED_DYNAMIC(shared_slabs, shared);
    loader<Half, stage<Shape::M, A>, Shape::THREADS> from_a(a);
    loader<Half, stage<Shape::N, B>, Shape::THREADS> from_b(b);
    fragments<Shape> of[2];
    unsigned read = 0, write = 0;
    PRIM_UNROLL(1)
    for (; write + 1 < STAGES; write++) {
        from_a.load(shared->a[write]);
        from_b.load(shared->b[write]);
        close_batch_of_copies();
    }
    wait_for_copies_but<STAGES - 2>();
    __syncthreads();
    load_fragments(of[0], shared->a[0], shared->b[0], 0);
    PRIM_UNROLL(1)
    for (size_t left = (a.k + K - 1) / K; left > 0; left--) {
        PRIM_UNROLL(4)
        for (unsigned step = 0; step < STEPS; step++) {
            if (step + 1 == STEPS) { /* the next stage is complete, and all have read this one */
                wait_for_copies_but<STAGES - 2>();
                __syncthreads();
                read = read + 1 == STAGES ? 0 : read + 1;
            }
            load_fragments(of[(step + 1) % 2], shared->a[read], shared->b[read],
                           (step + 1) % STEPS);
            if (step == 0) { /* into the stage before this one */
                from_a.load(shared->a[write]);
                from_b.load(shared->b[write]);
                close_batch_of_copies();
                write = write + 1 == STAGES ? 0 : write + 1;
            }
            add_products<Half>(sums, of[step % 2]);
        }
    }
}

/* ---- C ---- */

/* An m × n matrix from the tile's first element on. */
template <class Shape, typename Out>
__device__ void store_tile(const scaled<float> &scale, Out *c, size_t ldc, size_t m, size_t n,
                           bool in_pairs, const warp_sums<Shape> &sums)
{
    const unsigned warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
    const unsigned first_row = warp / Shape::WARPS_N * Shape::WARP_M + lane / 4,
                   first_column = warp % Shape::WARPS_N * Shape::WARP_N + lane % 4 * 2;
    PRIM_UNROLL(4)
    for (unsigned i = 0; i < Shape::DOWN; i++) {
        PRIM_UNROLL(2)
        for (unsigned half = 0; half < 2; half++) {
            const unsigned row = first_row + MMA_M * i + 8 * half;
            PRIM_UNROLL(8)
            for (unsigned j = 0; j < Shape::ACROSS; j++) {
                const unsigned column = first_column + MMA_N * j;
                if (row < m && column < n)
                    store_some<2>(scale, &c[row * ldc + column], &sums.at[i][j][2 * half],
                                  n - column, in_pairs);
            }
        }
    }
}

/* The same of halves whose rows may begin between two words, where beta = 0. */
template <class Shape, typename Half>
__device__ void store_shifted_tile(const scaled<float> &scale, Half *c, size_t ldc, size_t m,
                                   size_t n, const warp_sums<Shape> &sums)
{
    const unsigned warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
    const unsigned first_row = warp / Shape::WARPS_N * Shape::WARP_M + lane / 4,
                   first_column = warp % Shape::WARPS_N * Shape::WARP_N;
    const unsigned columns = n <= first_column ? 0
                             : n - first_column < Shape::WARP_N
                                 ? static_cast<unsigned>(n) - first_column
                                 : Shape::WARP_N;
    PRIM_UNROLL(4)
    for (unsigned i = 0; i < Shape::DOWN; i++) {
        PRIM_UNROLL(2)
        for (unsigned half = 0; half < 2; half++) {
            const unsigned row = first_row + MMA_M * i + 8 * half;
            store_words_of_row<Shape::ACROSS>(scale, &c[row * ldc + first_column],
                                              row < m ? columns : 0,
                                              [&](unsigned j) { return &sums.at[i][j][2 * half]; });
        }
    }
}

/* ---- the kernel ---- */

/* `stride`: from row to row of op(A), or from column to column of op(B). `first` of `side` on, and
 * steps begin … end of k. */
template <layout HOW, typename Half>
__device__ operand<Half> operand_of(const Half *data, size_t stride, size_t k_stride, size_t first,
                                    size_t side, size_t begin, size_t end, bool in_pieces)
{
    return {data + first * stride + begin * k_stride, HOW == ALONG_K ? stride : k_stride,
            side - first, end - begin, in_pieces && bytes_past_vector(data) == 0};
}

/* C of a product, where it has floats. */
template <typename Half>
__device__ float *floats_of(const problem<Half, Half> &all, size_t product)
{
    return all.batch.c != nullptr ? reinterpret_cast<float *const *>(all.batch.c)[product]
                                  : reinterpret_cast<float *>(all.c) + product * all.batch.c_stride;
}

template <class Shape, typename Half, typename Out>
__device__ void store_c(const problem<Half, Half> &p, Out *c, size_t row, size_t column,
                        const cut &how, const warp_sums<Shape> &sums)
{
    const bool in_pairs = how.c_in_pairs && is_aligned<Out, 2>(c);
    Out *const first = c + row * p.ldc + column;
    if constexpr (std::is_same<Out, Half>::value)
        if (!in_pairs && p.scale.beta == 0) {
            store_shifted_tile<Shape>(p.scale, first, p.ldc, p.m - row, p.n - column, sums);
            return;
        }
    store_tile<Shape>(p.scale, first, p.ldc, p.m - row, p.n - column, in_pairs, sums);
}

template <class Shape, layout A, layout B, typename Half>
__global__ void __launch_bounds__(Shape::THREADS, Shape::BLOCKS)
    multiply(problem<Half, Half> all, cut how)
{
    const unsigned tiles = how.tiles_m * how.tiles_n;
    const unsigned tile = blockIdx.x % tiles, part = blockIdx.x / tiles % how.parts;
    const size_t product = blockIdx.x / tiles / how.parts;
    const tile_place at = place_of(tile, how.tiles_m, how.tiles_n);
    const size_t row = static_cast<size_t>(at.down) * Shape::M;
    const size_t column = static_cast<size_t>(at.across) * Shape::N;
    const problem<Half, Half> p = all.at(product);
    const size_t begin = part * how.part, end = p.k - begin < how.part ? p.k : begin + how.part;

    trigger_launch_completion();
    warp_sums<Shape> sums = {};
    if (begin < end)
        multiply_tile<Shape, A, B>(sums,
                                   operand_of<A>(p.a.data, p.a.row_stride, p.a.column_stride, row,
                                                 p.m, begin, end, how.a_in_pieces),
                                   operand_of<B>(p.b.data, p.b.column_stride, p.b.row_stride,
                                                 column, p.n, begin, end, how.b_in_pieces));
    if (how.partial != nullptr)
        store_tile<Shape>({1, 0},
                          how.partial + (blockIdx.x / tiles * p.m + row) * how.partial_ld + column,
                          how.partial_ld, p.m - row, p.n - column, true, sums);
    else if (how.c_is_half)
        store_c<Shape>(p, p.c, row, column, how, sums);
    else
        store_c<Shape>(p, floats_of(all, product), row, column, how, sums);
}

/* ---- the launch ---- */

inline bool is_in_pieces(const prim_gemm_args *args, size_t ld, size_t stride)
{
    return ld % PIECE == 0 && (prim_gemm_is_shared(args, stride) || stride % PIECE == 0);
}

template <class Shape, layout A, layout B, typename Half>
cudaError_t launch_kernel(const prim_gemm_args *args, unsigned blocks, const problem<Half, Half> &p,
                          const cut &how)
{
    const auto kernel = multiply<Shape, A, B, Half>;
    const size_t shared_bytes = sizeof(slabs<Shape, A, B>);
    const cudaError_t error = prim_allow_shared(kernel, shared_bytes);
    if (error != cudaSuccess)
        return error;
    return prim_launch({args->call.stream, blocks, Shape::THREADS, shared_bytes}, kernel, p, how);
}

template <class Shape, typename Half>
cudaError_t launch_layouts(const prim_gemm_args *args, unsigned blocks,
                           const problem<Half, Half> &p, const cut &how)
{
    const bool a_along_k = args->op_a == PRIM_NOT_TRANSPOSED;
    if (args->op_b == PRIM_TRANSPOSED)
        return a_along_k ? launch_kernel<Shape, ALONG_K, ALONG_K>(args, blocks, p, how)
                         : launch_kernel<Shape, ALONG_TILE, ALONG_K>(args, blocks, p, how);
    return a_along_k ? launch_kernel<Shape, ALONG_K, ALONG_TILE>(args, blocks, p, how)
                     : launch_kernel<Shape, ALONG_TILE, ALONG_TILE>(args, blocks, p, how);
}

template <class Shape, typename Half>
cudaError_t launch_shape(const prim_gemm_args *args, prim_gemm_plan plan)
{
    const problem<Half, Half> p = make_problem<Half, Half>(args);
    cut how = {};
    how.tiles_m = static_cast<unsigned>(prim_divide_up(args->m, Shape::M));
    how.tiles_n = static_cast<unsigned>(prim_divide_up(args->n, Shape::N));
    how.parts = p.k == 0 ? 1 : plan.parts;
    how.part = plan.part;
    how.partial = how.parts > 1 ? static_cast<float *>(args->call.workspace) : nullptr;
    how.partial_ld = prim_gemm_plan_ld(args);
    how.a_in_pieces = is_in_pieces(args, args->lda, args->a_stride);
    how.b_in_pieces = is_in_pieces(args, args->ldb, args->b_stride);
    how.c_in_pairs = args->ldc % 2 == 0 && args->c_stride % 2 == 0;
    how.c_is_half = args->c_type == args->a_type;
    const size_t blocks =
        static_cast<size_t>(how.tiles_m) * how.tiles_n * how.parts * args->batches;
    if (blocks == 0)
        return cudaSuccess;
    const cudaError_t error = launch_layouts<Shape>(args, static_cast<unsigned>(blocks), p, how);
    return error != cudaSuccess || how.partial == nullptr ? error
                                                          : prim_gemm_add_parts(args, how.parts);
}

#define PRIM_LAUNCH_MMA(M, N, WARPS_M, WARPS_N, STAGES, BLOCKS, ...) \
    if (plan.tile == at++)                                           \
        return launch_shape<tile_shape<M, N, WARPS_M, WARPS_N, STAGES, BLOCKS>, Half>(args, plan);

template <typename Half>
cudaError_t launch_halves(const prim_gemm_args *args, prim_gemm_plan plan)
{
    unsigned at = 0;
    PRIM_GEMM_TILES_MMA(PRIM_LAUNCH_MMA)
    return cudaErrorInvalidValue;
}

} // namespace tensor_tiles

namespace mma
{

const char *why_not(const void *any)
{
    const prim_gemm_args *args = static_cast<const prim_gemm_args *>(any);
    if (args->a_type != CUDA_R_16F && args->a_type != CUDA_R_16BF)
        return "it takes f16 and bf16 only";
    if (!prim_gemm_has_tiles(args))
        return PRIM_TYPES_NOT_BUILT;
    if (prim_device_code() < PRIM_GEMM_MMA_CAPABILITY)
        return "it needs code compiled for compute capability 8.0 or higher";
    return prim_gemm_plan_fits(args, prim_gemm_plan_mma(args)) ? nullptr : PRIM_GRID_TOO_SMALL;
}

size_t workspace_bytes(const void *any)
{
    const prim_gemm_args *args = static_cast<const prim_gemm_args *>(any);
    return prim_gemm_realigned_bytes(args, PRIM_GEMM_BY_MMA) +
           prim_gemm_plan_bytes(args, prim_gemm_plan_mma(args));
}

cudaError_t launch(const void *any)
{
    const prim_gemm_args *args = static_cast<const prim_gemm_args *>(any);
    const prim_gemm_plan plan = prim_gemm_plan_mma(args);
    prim_gemm_args now;
    const cudaError_t error =
        prim_gemm_realign(args, prim_gemm_way_of(args, PRIM_GEMM_BY_MMA), &now);
    if (error != cudaSuccess)
        return error;
    return args->a_type == CUDA_R_16F ? tensor_tiles::launch_halves<f16>(&now, plan)
                                      : tensor_tiles::launch_halves<bf16>(&now, plan);
}

} // namespace mma
} // namespace

PRIM_DEFINE_RUNG(gemm,
                 mma) = {{PRIM_GEMM_MMA, "mma", "halves on tensor cores; ldmatrix and mma.sync"},
                         mma::why_not,
                         mma::workspace_bytes,
                         mma::launch};
