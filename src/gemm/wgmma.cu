/* WGMMA: f16 and bf16 on tensor cores, by wgmma: an instruction of four warps multiplies what lies
 * in shared memory.
 *
 *     stage 2        ← a thread asks for boxes of 64 × 64 elements of A and B
 *     stage 1        ← copied; an mbarrier counts their bytes
 *     stage 0        64 steps of k: 4 times 64 × 128 × 16 products, asynchronously
 *
 * What changed from MMA: operands need no registers, nor instructions that load them there: there
 * a warp has an ldmatrix for each 8,192 products. They come from global memory without the
 * threads too: one of them asks for boxes, and computes no addresses. While the products of a stage
 * are under way, those of the next one are issued. A C of few tiles is cut along k, as in SPLIT_K.
 *
 * Copies want rows that begin at multiples of 16 bytes. Other operands are realigned by a first
 * pass (tensor/realign.h); those that it does not reach are multiplied by MMA's kernels.
 *
 * Bytes for a product, of tiles of 128 × 128: 1/32 from global memory.
 *
 * What still holds it back: at each stage's end all warps wait for each other; nothing is
 * multiplied while a block begins, and while C is stored, but by another block of the
 * multiprocessor.
 *
 * Work: m · n · k products, and the tiles' ends. Steps: k, and k / 64 barriers. Workspace: as
 * SPLIT_K's, where k is cut; and what is realigned of A and B.
 * Source: NVIDIA, PTX ISA, sections on wgmma, mbarrier and cp.async.bulk.tensor; P. Shankhdhar,
 * Outperforming cuBLAS on H100 (2024). */
#include "common/kernel/shared.cuh"
#include "gemm/tensor/wgmma_call.cuh"

namespace
{
namespace wgmma
{

using namespace boxes;

/* 64 · DOWN × N elements of C. */
template <unsigned DOWN_, unsigned N_, unsigned STAGES_, unsigned BLOCKS_>
struct tile_shape {
    static constexpr unsigned DOWN = DOWN_, N = N_, STAGES = STAGES_, BLOCKS = BLOCKS_;
};

template <class Shape>
struct stage {
    box a[Shape::DOWN], b[Shape::N / BOX];
};

template <class Shape>
struct stages {
    stage<Shape> at[Shape::STAGES];
    mbarrier full[Shape::STAGES];
    exchange of_warp[WARPGROUP / 32];
};

/* Products × parts of k × tiles, along one dimension of the grid. */
struct division {
    unsigned tiles_m, tiles_n;
    cut_of_k k;
    bool one_a, one_b; /* for all products */
};

/* What a block has of it. */
struct share {
    unsigned row, column, product, matrix; /* the matrix: that of C, or of a part of its sums */
    unsigned first, steps;                 /* of k */
};

template <class Shape>
__device__ share share_of(const division &all)
{
    const unsigned tiles = all.tiles_m * all.tiles_n;
    const tile_place at = place_of(blockIdx.x % tiles, all.tiles_m, all.tiles_n);
    const unsigned matrix = blockIdx.x / tiles, first = matrix % all.k.parts * all.k.part;
    const unsigned left = all.k.steps - first;
    return {at.down * Shape::DOWN * BOX,
            at.across * Shape::N,
            matrix / all.k.parts,
            matrix,
            first,
            left < all.k.part ? left : all.k.part};
}

/* Asks for the boxes of a step. */
template <class Shape, wgmma_major A, wgmma_major B>
__device__ void load(stages<Shape> &ring, const prim_tensor_map &a, const prim_tensor_map &b,
                     const division &all, const share &mine, unsigned step)
{
    stage<Shape> &to = ring.at[step % Shape::STAGES];
    mbarrier *const full = &ring.full[step % Shape::STAGES];
    const unsigned k = (mine.first + step) * BOX;
    mbarrier_arrive_expect_tx(full, sizeof to);
    for (unsigned i = 0; i < Shape::DOWN; i++)
        tensor_load_box(&to.a[i], a,
                        place_of_box<A>(mine.row + i * BOX, k, all.one_a ? 0 : mine.product), full);
    for (unsigned i = 0; i < Shape::N / BOX; i++)
        tensor_load_box(&to.b[i], b,
                        place_of_box<B>(mine.column + i * BOX, k, all.one_b ? 0 : mine.product),
                        full);
}

template <class Shape>
__device__ void begin(stages<Shape> &ring)
{
    if (threadIdx.x == 0) {
        for (unsigned s = 0; s < Shape::STAGES; s++)
            mbarrier_init(&ring.full[s], 1);
        fence_mbarrier_init();
    }
    __syncthreads();
}

template <class Shape, wgmma_major A, wgmma_major B, typename Half>
__device__ void sum_tile(float (&sums)[Shape::DOWN][Shape::N / 2], stages<Shape> &ring,
                         const prim_tensor_map &a, const prim_tensor_map &b, const division &all,
                         const share &mine)
{
    constexpr unsigned AHEAD = Shape::STAGES - 1;
    for (unsigned step = 0; threadIdx.x == 0 && step < AHEAD && step < mine.steps; step++)
        load<Shape, A, B>(ring, a, b, all, mine, step);
    for (unsigned step = 0; step < mine.steps; step++) {
        const stage<Shape> &from = ring.at[step % Shape::STAGES];
        mbarrier_wait(&ring.full[step % Shape::STAGES], step / Shape::STAGES % 2);
        wgmma_fence();
        PRIM_UNROLL(2)
        for (unsigned i = 0; i < Shape::DOWN; i++)
            add_products<Half, Shape::N, A, B>(sums[i], from.a[i], from.b);
        wgmma_commit_group();
        wgmma_wait_group<1>();
        __syncthreads(); /* all warps have done with the stage before this one */
        if (threadIdx.x == 0 && step + AHEAD < mine.steps)
            load<Shape, A, B>(ring, a, b, all, mine, step + AHEAD);
    }
    wgmma_wait_group<0>();
}

template <class Shape, wgmma_major A, wgmma_major B, typename Half>
__device__ void run(const prim_tensor_map &a, const prim_tensor_map &b, const c_matrices &c,
                    const division &all)
{
    PRIM_SHARED_DYNAMIC_SWIZZLED(stages<Shape>, ring);
    const share mine = share_of<Shape>(all);
    float sums[Shape::DOWN][Shape::N / 2] = {};
    trigger_launch_completion();
    begin(*ring);
    sum_tile<Shape, A, B, Half>(sums, *ring, a, b, all, mine);
    PRIM_UNROLL(2)
    for (unsigned i = 0; i < Shape::DOWN; i++)
        store_c<Shape::N, Half>(c, ring->of_warp[threadIdx.x / 32], mine.matrix, mine.row + i * BOX,
                                mine.column, sums[i]);
}

/* Elsewhere it is empty, and nobody launches it. */
template <class Shape, wgmma_major A, wgmma_major B, typename Half>
__global__ void __launch_bounds__(WARPGROUP, Shape::BLOCKS)
    multiply_boxes(const __grid_constant__ prim_tensor_map a,
                   const __grid_constant__ prim_tensor_map b, c_matrices c, division all)
{
    if (HAS_WGMMA)
        run<Shape, A, B, Half>(a, b, c, all);
}

/* ---- the launch ---- */

template <class Shape>
division division_of(const prim_gemm_args *args, const cut_of_k &k)
{
    return {static_cast<unsigned>(prim_divide_up(args->m, Shape::DOWN * BOX)),
            static_cast<unsigned>(prim_divide_up(args->n, Shape::N)), k,
            prim_gemm_is_shared(args, args->a_stride), prim_gemm_is_shared(args, args->b_stride)};
}

template <class Shape, wgmma_major A, wgmma_major B, typename Half>
cudaError_t launch_shape(const prim_gemm_args *args, prim_gemm_plan plan)
{
    const auto kernel = multiply_boxes<Shape, A, B, Half>;
    const cut_of_k k = cut_of(args, plan);
    const division all = division_of<Shape>(args, k);
    maps of;
    cudaError_t error = prim_allow_shared(kernel, sizeof(stages<Shape>));
    if (error == cudaSuccess)
        error = make_maps(&of, args, k);
    if (error != cudaSuccess)
        return error;
    const size_t blocks = static_cast<size_t>(all.tiles_m) * all.tiles_n * k.parts * args->batches;
    return prim_launch(
        {args->call.stream, static_cast<unsigned>(blocks), WARPGROUP, sizeof(stages<Shape>)},
        kernel, of.a, of.b, c_of(args, k.parts), all);
}

#define PRIM_LAUNCH_WGMMA(M, N, STAGES, BLOCKS, ...)                                         \
    static_assert(N == PRIM_GEMM_WGMMA_COLUMNS, "one instruction, as BATCH_INVARIANT asks"); \
    if (plan.tile == at++)                                                                   \
        return launch_shape<tile_shape<M / BOX, N, STAGES, BLOCKS>, A, B, Half>(args, plan);

struct launch_tiles {
    template <wgmma_major A, wgmma_major B, typename Half>
    static cudaError_t run(const prim_gemm_args *args, prim_gemm_plan plan)
    {
        unsigned at = 0;
        PRIM_GEMM_TILES_WGMMA(PRIM_LAUNCH_WGMMA)
        return cudaErrorInvalidValue;
    }
};

using rung = wgmma_rung<prim_gemm_plan_wgmma, launch_tiles>;

} // namespace wgmma
} // namespace

PRIM_DEFINE_RUNG(gemm, wgmma) = {
    {PRIM_GEMM_WGMMA, "wgmma", "halves by wgmma, from shared memory; bulk tensor copies"},
    wgmma::rung::why_not,
    wgmma::rung::workspace_bytes,
    wgmma::rung::launch};
