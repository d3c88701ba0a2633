/* WGMMA_SPECIALIZED: f16 and bf16 on tensor cores, by wgmma: warps that load, and warps that
 * multiply.
 *
 *     producer       copies of stage 0, 1, 2, 3, 0, …       a thread, which waits for empty stages
 *                      full ↓          ↑ empty
 *     consumer 0     rows 0 … 63 of a tile of 128 × 256     a warpgroup each, which waits for full
 *     consumer 1     rows 64 … 127                          ones
 *
 *     cluster        tile                                   two blocks have tiles below each other:
 *                    tile      each loads half of B's       one B serves both
 *                              boxes for both
 *
 * What changed from MMA: a product's operands are in shared memory, not in registers, and come
 * there by copies of whole boxes, which take one thread; 64 × 128 × 16 products are one
 * instruction of a warpgroup, and it goes on while the next ones are issued. Registers go from the
 * producer to the consumers. A block stays for many tiles, and the first stages of the next one
 * are loaded while C is stored. A C of few tiles is cut along k, as in SPLIT_K.
 *
 * Copies want rows that begin at multiples of 16 bytes. Other operands are realigned by a first
 * pass (tensor/realign.h); those that it does not reach are multiplied by MMA's kernels.
 *
 * Bytes for a product, of tiles of 128 × 256 in pairs: 1/64 from global memory.
 *
 * What still holds it back: the power that large products take; that both consumers store C at the
 * same time; and the last round of tiles, for which not all multiprocessors have one.
 *
 * Work: m · n · k products, and the tiles' ends. Steps: k. Workspace: as SPLIT_K's, where k is cut;
 * and what is realigned of A and B.
 * Source: NVIDIA, PTX ISA, sections on wgmma, mbarrier and cp.async.bulk.tensor; V. Thakkar et al.,
 * CUTLASS 3 (2023), for warp specialization; P. Shankhdhar, Outperforming cuBLAS on H100 (2024). */
#include "common/kernel/shared.cuh"
#include "common/tensor/stage_ring.cuh"
#include "gemm/tensor/wgmma_call.cuh"

namespace
{
namespace wgmma_specialized
{

using namespace boxes;

constexpr unsigned CONSUMERS = 2, THREADS = (1 + CONSUMERS) * WARPGROUP;
constexpr unsigned WARPS = CONSUMERS * WARPGROUP / 32; /* that consume */
constexpr unsigned PRODUCER_REGISTERS = 40, CONSUMER_REGISTERS = 232;
constexpr unsigned MOST_BLOCKS = 2; /* of a cluster */

template <unsigned N_, unsigned INSTRUCTION_, unsigned STAGES_>
struct tile_shape {
    static constexpr unsigned N = N_, STAGES = STAGES_, BOXES_OF_B = N / BOX;
    static constexpr unsigned INSTRUCTION = INSTRUCTION_; /* its columns */
};

template <class Shape>
struct stage {
    box a[CONSUMERS], b[Shape::BOXES_OF_B];
};

template <class Shape>
struct stages {
    stage<Shape> at[Shape::STAGES];
    mbarrier full[Shape::STAGES], empty[Shape::STAGES];
    exchange of_warp[WARPS];
};

/* ---- which tiles a cluster has ---- */

/* Products × parts of k × rows of tiles that a cluster has × tiles across. Cluster i takes number
 * i, i + clusters, … */
struct walk {
    unsigned blocks; /* of a cluster */
    unsigned tiles_m, tiles_n, parts, count;
    unsigned steps, part; /* of 64, along k: all, and of a part */
    bool one_a, one_b;    /* for all products */
    bool in_turn;         /* a block has all parts of a tile */
    void *kept;           /* then the sums of those before, of all blocks */
};

struct unit {
    unsigned row, column, product, matrix; /* the matrix: that of C, or of a part of its sums */
    unsigned first, end;                   /* steps of k; with in_turn all */
};

template <class Shape>
__device__ unit unit_of(const walk &all, unsigned number)
{
    const unsigned tiles = all.tiles_m * all.tiles_n;
    const tile_place at = place_of(number % tiles, all.tiles_m, all.tiles_n);
    const unsigned matrix = number / tiles, first = matrix % all.parts * all.part;
    const unsigned down = at.down * all.blocks + blockIdx.x % all.blocks;
    return {down * PRIM_GEMM_WGMMA_ROWS,
            at.across * Shape::N,
            matrix / all.parts,
            matrix,
            first,
            all.in_turn || all.steps - first < all.part ? all.steps : first + all.part};
}

/* ---- the producer ---- */

struct factors {
    const prim_tensor_map &a, &b;
};

/* B's boxes come to all blocks of the cluster, from each block its share. */
template <class Shape, wgmma_major B>
__device__ void load_b(stage<Shape> &to, mbarrier *full, const prim_tensor_map &b, const walk &all,
                       const unit &u, unsigned step)
{
    const unsigned product = all.one_b ? 0 : u.product;
    for (unsigned i = blockIdx.x % all.blocks; i < Shape::BOXES_OF_B; i += all.blocks) {
        const tensor_place at = place_of_box<B>(u.column + i * BOX, step * BOX, product);
        if (all.blocks == 1)
            tensor_load_box(&to.b[i], b, at, full);
        else
            tensor_load_box_to_blocks(&to.b[i], b, at, full, (1u << all.blocks) - 1);
    }
}

template <class Shape, wgmma_major A, wgmma_major B>
__device__ void produce(stages<Shape> &ring, const factors &of, const walk &all)
{
    place_in_ring<Shape::STAGES> at;
    for (unsigned i = blockIdx.x / all.blocks; i < all.count; i += gridDim.x / all.blocks) {
        const unit u = unit_of<Shape>(all, i);
        for (unsigned step = u.first; step < u.end; step++, at.go_on()) {
            stage<Shape> &to = ring.at[at.stage];
            mbarrier *const full = &ring.full[at.stage];
            mbarrier_wait(&ring.empty[at.stage], at.parity ^ 1);
            mbarrier_arrive_expect_tx(full, sizeof to);
            for (unsigned c = 0; c < CONSUMERS; c++)
                tensor_load_box(
                    &to.a[c], of.a,
                    place_of_box<A>(u.row + c * BOX, step * BOX, all.one_a ? 0 : u.product), full);
            load_b<Shape, B>(to, full, of.b, all, u, step);
        }
    }
}

/* ---- the consumers ---- */

/* The products of one stage go on while those of the next are issued. */
template <class Shape, wgmma_major A, wgmma_major B, typename Half>
__device__ void sum_steps(float (&sums)[Shape::N / 2], stages<Shape> &ring,
                          place_in_ring<Shape::STAGES> &at, unsigned steps, unsigned blocks)
{
    const unsigned consumer = threadIdx.x / WARPGROUP - 1;
    unsigned before = at.stage;
    for (unsigned step = 0; step < steps; step++, at.go_on()) {
        const stage<Shape> &from = ring.at[at.stage];
        mbarrier_wait(&ring.full[at.stage], at.parity);
        wgmma_fence();
        PRIM_UNROLL(2)
        for (unsigned column = 0; column < Shape::N; column += Shape::INSTRUCTION)
            add_products<Half, Shape::INSTRUCTION, A, B>(
                reinterpret_cast<float(&)[Shape::INSTRUCTION / 2]>(sums[column / 2]),
                from.a[consumer], from.b + column / BOX);
        wgmma_commit_group();
        wgmma_wait_group<1>();
        if (step > 0)
            release_stage(&ring.empty[before], blocks);
        before = at.stage;
    }
    wgmma_wait_group<0>();
    if (steps > 0)
        release_stage(&ring.empty[before], blocks);
}

/* The sums of a tile's parts so far, while the next one needs all registers: for each thread a
 * vector of every four. */
template <class Shape>
struct kept_sums {
    vector<float> *first; /* this thread's */

    __device__ explicit kept_sums(void *of_blocks)
        : first(static_cast<vector<float> *>(of_blocks) + blockIdx.x * (32 * WARPS * Shape::N / 8) +
                (threadIdx.x - WARPGROUP))
    {
    }

    __device__ void store(const float (&sums)[Shape::N / 2]) const
    {
        PRIM_UNROLL(32)
        for (unsigned i = 0; i < Shape::N / 8; i++) {
            const float *const four = &sums[4 * i];
            first[i * 32 * WARPS] = {{four[0], four[1], four[2], four[3]}};
        }
    }

    __device__ void add_to(float (&sums)[Shape::N / 2]) const
    {
        PRIM_UNROLL(32)
        for (unsigned i = 0; i < Shape::N / 8; i++) {
            const vector<float> kept = first[i * 32 * WARPS];
            PRIM_UNROLL(4)
            for (unsigned e = 0; e < 4; e++)
                sums[4 * i + e] = kept.words[e] + sums[4 * i + e];
        }
    }
};

/* The sums of a unit, part by part. */
template <class Shape, wgmma_major A, wgmma_major B, typename Half>
__device__ void sum_unit(float (&sums)[Shape::N / 2], stages<Shape> &ring,
                         place_in_ring<Shape::STAGES> &at, const unit &u, const walk &all)
{
    const kept_sums<Shape> kept(all.kept);
    for (unsigned first = u.first; first < u.end; first += all.part) {
        const unsigned left = u.end - first, steps = left < all.part ? left : all.part;
        if (first > u.first)
            kept.store(sums);
        PRIM_UNROLL(128)
        for (unsigned i = 0; i < Shape::N / 2; i++)
            sums[i] = 0;
        sum_steps<Shape, A, B, Half>(sums, ring, at, steps, all.blocks);
        if (first > u.first)
            kept.add_to(sums);
    }
}

template <class Shape, wgmma_major A, wgmma_major B, typename Half>
__device__ void consume(stages<Shape> &ring, const c_matrices &c, const walk &all)
{
    place_in_ring<Shape::STAGES> at;
    const unsigned consumer = threadIdx.x / WARPGROUP - 1;
    exchange &room = ring.of_warp[threadIdx.x / 32 - WARPGROUP / 32];
    for (unsigned i = blockIdx.x / all.blocks; i < all.count; i += gridDim.x / all.blocks) {
        const unit u = unit_of<Shape>(all, i);
        float sums[Shape::N / 2] = {};
        sum_unit<Shape, A, B, Half>(sums, ring, at, u, all);
        store_c<Shape::N, Half>(c, room, u.matrix, u.row + consumer * WGMMA_M, u.column, sums);
    }
}

/* ---- the kernel ---- */

template <class Shape, wgmma_major A, wgmma_major B, typename Half>
__device__ void run(const factors &of, const c_matrices &c, const walk &all)
{
    PRIM_SHARED_DYNAMIC_SWIZZLED(stages<Shape>, ring);
    trigger_launch_completion();
    begin_ring(ring->full, ring->empty, WARPS * all.blocks);
    if (threadIdx.x < WARPGROUP) {
        setmaxnreg_dec<PRODUCER_REGISTERS>();
        if (threadIdx.x == 0)
            produce<Shape, A, B>(*ring, of, all);
        end_ring();
    } else {
        setmaxnreg_inc<CONSUMER_REGISTERS>();
        consume<Shape, A, B, Half>(*ring, c, all);
        end_ring();
    }
}

/* Elsewhere it is empty, and nobody launches it. */
template <class Shape, wgmma_major A, wgmma_major B, typename Half>
__global__ void __launch_bounds__(THREADS, 1)
    multiply_specialized(const __grid_constant__ prim_tensor_map a,
                         const __grid_constant__ prim_tensor_map b, c_matrices c, walk all)
{
    if (HAS_WGMMA)
        run<Shape, A, B, Half>({a, b}, c, all);
}

/* ---- the launch ---- */

template <class Shape>
walk walk_of(const prim_gemm_args *args, const cut_of_k &k, bool in_turn)
{
    walk all = {};
    const size_t tiles_m = prim_divide_up(args->m, PRIM_GEMM_WGMMA_ROWS);
    all.blocks = tiles_m > 1 ? MOST_BLOCKS : 1;
    all.tiles_m = static_cast<unsigned>(prim_divide_up(tiles_m, all.blocks));
    all.tiles_n = static_cast<unsigned>(prim_divide_up(args->n, Shape::N));
    all.parts = k.parts;
    all.count = static_cast<unsigned>(all.tiles_m * all.tiles_n * all.parts * args->batches);
    all.steps = k.steps;
    all.part = k.part;
    all.one_a = prim_gemm_is_shared(args, args->a_stride);
    all.one_b = prim_gemm_is_shared(args, args->b_stride);
    all.in_turn = in_turn;
    all.kept = args->call.workspace;
    return all;
}

template <class Shape, wgmma_major A, wgmma_major B, typename Half>
cudaError_t launch_shape(const prim_gemm_args *args, prim_gemm_plan plan)
{
    const auto kernel = multiply_specialized<Shape, A, B, Half>;
    const cut_of_k k = cut_of(args, plan);
    const walk all = walk_of<Shape>(args, k, plan.in_turn);
    maps of;
    cudaError_t error = prim_allow_shared(kernel, sizeof(stages<Shape>));
    if (error == cudaSuccess)
        error = make_maps(&of, args, k);
    if (error != cudaSuccess)
        return error;
    const unsigned clusters_at_once = prim_device_multiprocessors() / all.blocks,
                   at_once = clusters_at_once > 0 ? clusters_at_once : 1,
                   clusters = all.count < at_once ? all.count : at_once;
    return prim_launch(
        {args->call.stream, clusters * all.blocks, THREADS, sizeof(stages<Shape>), all.blocks},
        kernel, of.a, of.b, c_of(args, k.parts), all);
}

#define PRIM_LAUNCH_SPECIALIZED(N, INSTRUCTION, STAGES, ...) \
    if (plan.tile == at++)                                   \
        return launch_shape<tile_shape<N, INSTRUCTION, STAGES>, A, B, Half>(args, plan);

struct launch_tiles {
    template <wgmma_major A, wgmma_major B, typename Half>
    static cudaError_t run(const prim_gemm_args *args, prim_gemm_plan plan)
    {
        unsigned at = 0;
        PRIM_GEMM_TILES_WGMMA_SPECIALIZED(PRIM_LAUNCH_SPECIALIZED)
        return cudaErrorInvalidValue;
    }
};

using rung = wgmma_rung<prim_gemm_plan_wgmma_specialized, launch_tiles>;

} // namespace wgmma_specialized
} // namespace

PRIM_DEFINE_RUNG(gemm, wgmma_specialized) = {
    {PRIM_GEMM_WGMMA_SPECIALIZED, "wgmma_specialized",
     "halves by wgmma: warps that load, and warps that multiply"},
    wgmma_specialized::rung::why_not,
    wgmma_specialized::rung::workspace_bytes,
    wgmma_specialized::rung::launch};
