/* WGMMA: bits on tensor cores, by wgmma, from shared memory: warps that load, and warps that
 * multiply.
 *
 *     first pass     B transposed, the ones of A's rows and B's columns       operands.h
 *
 *     producer       copies of stage 0, 1, 2, 3, 0, …       a thread, which waits for empty stages
 *                      full ↓          ↑ empty
 *     consumer 0     rows 0 … 63 of a tile of 128 × 256     a warpgroup each, which waits for full
 *     consumer 1     rows 64 … 127                          ones
 *
 *     cluster        tile                                   two blocks have tiles below each other:
 *                    tile      each loads half of B's       one B serves both
 *                              lines for both
 *
 * A stage has 1,024 steps of k, 128 bytes of each line. An instruction of a warpgroup has
 * 64 × 256 × 256 products, and goes on while the next ones are issued.
 *
 * What changed from MMA: operands are in shared memory, not in registers, and come there by copies
 * of whole boxes, which take one thread. Ones are counted once, not in each tile. A block stays for
 * many tiles, and the first stages of the next one are loaded while C is stored.
 *
 * What still holds it back: nothing is multiplied while both consumers store C, which takes about
 * as long as 5,000 steps of k; and the last round of tiles, for which not all multiprocessors have
 * one.
 *
 * Work: m · n · k products, and the tiles' ends. Steps: k. Workspace: as many words as A and B
 * have, in lines of whole 16 bytes; and one for each row and column.
 * Source: NVIDIA, PTX ISA, sections on wgmma, mbarrier and cp.async.bulk.tensor; V. Thakkar et al.,
 * CUTLASS 3 (2023), for warp specialization. */
#include "binary_gemm/c_of_warpgroup.cuh"
#include "binary_gemm/operands.h"
#include "common/host/device.h"
#include "common/kernel/shared.cuh"
#include "common/kernel/tile_place.cuh"
#include "common/tensor/stage_ring.cuh"
#include "common/tensor/tensor_copy.cuh"

namespace
{
namespace wgmma
{

constexpr unsigned THREADS = (1 + CONSUMERS) * WARPGROUP;
constexpr unsigned WARPS = WARPGROUP / 32; /* of a consumer */
constexpr unsigned PRODUCER_REGISTERS = 40, CONSUMER_REGISTERS = 232;
constexpr unsigned MOST_BLOCKS = 2; /* of a cluster */
constexpr unsigned STAGES = 4, STEP_WORDS = 32,
                   INSTRUCTIONS = 4; /* the latter of a stage, along k */

struct alignas(1024) stage {
    uint32_t a[CONSUMERS][WGMMA_M][STEP_WORDS], b[MOST_BLOCKS][N / MOST_BLOCKS][STEP_WORDS];
};

struct stages {
    stage at[STAGES];
    alignas(VECTOR_BYTES) columns of_warps[CONSUMERS * WARPS];
    mbarrier full[STAGES], empty[STAGES];
};

using place = place_in_ring<STAGES>;

/* ---- which tiles a cluster has ---- */

/* Rows of tiles that a cluster has × tiles across. Cluster i takes number i, i + clusters, … */
struct walk {
    unsigned blocks; /* of a cluster */
    unsigned tiles_m, tiles_n, count;
    unsigned steps; /* stages along k */
};

__device__ inline corner corner_of(const walk &all, unsigned number)
{
    const tile_place at = place_of(number, all.tiles_m, all.tiles_n);
    return {(at.down * all.blocks + blockIdx.x % all.blocks) * M, at.across * N};
}

/* ---- the producer ---- */

struct factors {
    const prim_tensor_map &a, &b;
};

/* Maps count halves of words. */
__device__ inline tensor_place place_of_box(unsigned line, unsigned step)
{
    return {static_cast<int>(2 * STEP_WORDS * step), static_cast<int>(line), 0};
}

/* B's boxes come to all blocks of the cluster, from each block its share. */
__device__ inline void load_b(stage &to, mbarrier *full, const prim_tensor_map &b, const walk &all,
                              unsigned column, unsigned step)
{
    for (unsigned i = blockIdx.x % all.blocks; i < MOST_BLOCKS; i += all.blocks) {
        const tensor_place at = place_of_box(column + i * (N / MOST_BLOCKS), step);
        if (all.blocks == 1)
            tensor_load_box(to.b[i], b, at, full);
        else
            tensor_load_box_to_blocks(to.b[i], b, at, full, (1u << all.blocks) - 1);
    }
}

__device__ inline void produce(stages &ring, const factors &of, const walk &all)
{
    place at;
    for (unsigned i = blockIdx.x / all.blocks; i < all.count; i += gridDim.x / all.blocks) {
        const corner tile = corner_of(all, i);
        for (unsigned step = 0; step < all.steps; step++, at.go_on()) {
            stage &to = ring.at[at.stage];
            mbarrier *const full = &ring.full[at.stage];
            mbarrier_wait(&ring.empty[at.stage], at.parity ^ 1);
            mbarrier_arrive_expect_tx(full, sizeof to);
            for (unsigned c = 0; c < CONSUMERS; c++)
                tensor_load_box(to.a[c], of.a, place_of_box(tile.row + c * WGMMA_M, step), full);
            load_b(to, full, of.b, all, tile.column, step);
        }
    }
}

/* ---- the consumers: products ---- */

__device__ inline void add_products(int32_t (&sums)[N / 2], const stage &from)
{
    const uint64_t a = wgmma_descriptor(from.a[consumer()], 0), b = wgmma_descriptor(from.b, 0);
    PRIM_UNROLL(4)
    for (unsigned k = 0; k < INSTRUCTIONS; k++)
        wgmma_m64k256_and_popc<N>(sums, wgmma_next_k<K_MAJOR>(a, k), wgmma_next_k<K_MAJOR>(b, k));
}

/* The products of one stage go on while those of the next are issued, and those of the first two
 * while the stores are prepared. */
__device__ inline void consume_tile(stages &ring, place &at, const outcome &o, const walk &all,
                                    unsigned number)
{
    columns &of_warp = ring.of_warps[threadIdx.x / 32 - WARPS];
    int32_t sums[N / 2] = {};
    destination to = {};
    const unsigned second = all.steps > 1 ? 1 : 0;
    unsigned before = at.stage;
    PRIM_UNROLL(1)
    for (unsigned step = 0; step < all.steps; step++, at.go_on()) {
        mbarrier_wait(&ring.full[at.stage], at.parity);
        wgmma_fence();
        add_products(sums, ring.at[at.stage]);
        wgmma_commit_group();
        if (step == second)
            to = prepare(of_warp, o, corner_of(all, number));
        wgmma_wait_group<1>();
        if (step > 0)
            release_stage(&ring.empty[before], all.blocks);
        before = at.stage;
    }
    wgmma_wait_group<0>();
    if (all.steps > 0)
        release_stage(&ring.empty[before], all.blocks);
    else
        to = prepare(of_warp, o, corner_of(all, number));
    wait_for_copies();
    __syncwarp(); /* the copies of all lanes */
    store_tile(o, of_warp, to, sums);
}

__device__ inline void consume(stages &ring, const outcome &o, const walk &all)
{
    place at;
    for (unsigned i = blockIdx.x / all.blocks; i < all.count; i += gridDim.x / all.blocks)
        consume_tile(ring, at, o, all, i);
}

/* ---- the kernel ---- */

__device__ inline void run(const factors &of, const outcome &o, const walk &all)
{
    PRIM_SHARED_DYNAMIC_SWIZZLED(stages, ring);
    begin_ring(ring->full, ring->empty, CONSUMERS * WARPS * all.blocks);
    grid_dependency_synchronize();
    if (threadIdx.x < WARPGROUP) {
        setmaxnreg_dec<PRODUCER_REGISTERS>();
        if (threadIdx.x == 0)
            produce(*ring, of, all);
        end_ring();
    } else {
        setmaxnreg_inc<CONSUMER_REGISTERS>();
        consume(*ring, o, all);
        end_ring();
    }
}

/* Elsewhere it is empty, and nobody launches it. */
__global__ void __launch_bounds__(THREADS, 1)
    multiply_bits(const __grid_constant__ prim_tensor_map a,
                  const __grid_constant__ prim_tensor_map b, outcome o, walk all)
{
    if (HAS_WGMMA)
        run({a, b}, o, all);
}

/* ---- the launch ---- */

const char *why_not(const void *any)
{
    const prim_binary_gemm_args *args = static_cast<const prim_binary_gemm_args *>(any);
    if (!prim_device_has_wgmma())
        return "it needs a device of compute capability 9.0, and code compiled for 9.0a";
    return args->m < PRIM_TENSOR_MOST && args->n < PRIM_TENSOR_MOST
               ? tiles_why_not(args, M, N)
               : "it takes fewer than 2^31 - 1024 rows and columns";
}

size_t workspace_bytes(const void *any)
{
    return prim_binary_operands_bytes(static_cast<const prim_binary_gemm_args *>(any));
}

walk walk_of(const prim_binary_gemm_args *args)
{
    walk all = {};
    const size_t tiles_m = prim_divide_up(args->m, M);
    all.blocks = tiles_m > 1 ? MOST_BLOCKS : 1;
    all.tiles_m = static_cast<unsigned>(prim_divide_up(tiles_m, all.blocks));
    all.tiles_n = static_cast<unsigned>(prim_divide_up(args->n, N));
    all.count = all.tiles_m * all.tiles_n;
    all.steps = static_cast<unsigned>(prim_divide_up(args->k, STEP_WORDS * WORD_BITS));
    return all;
}

outcome outcome_of(const prim_binary_gemm_args *args, const prim_binary_operands &x)
{
    const counts p = make_counts(args);
    return {x.row_terms,
            x.column_terms,
            p.thresholds,
            p.c,
            p.ldc,
            static_cast<unsigned>(p.m),
            static_cast<unsigned>(p.n),
            x.factor,
            p.to,
            bytes_past_vector(p.c) == 0 && p.ldc % VECTOR_ELEMENTS<int32_t> == 0};
}

struct maps {
    prim_tensor_map a, b;
};

/* Where nothing is multiplied, none. */
cudaError_t make_maps(maps *made, prim_binary_operands x, const walk &all)
{
    *made = {};
    if (all.steps == 0)
        return cudaSuccess;
    x.a.box_columns = x.b.box_columns = 2 * STEP_WORDS;
    x.a.box_rows = WGMMA_M;
    x.b.box_rows = N / MOST_BLOCKS;
    const cudaError_t error = prim_make_tensor_map(&made->a, &x.a);
    return error != cudaSuccess ? error : prim_make_tensor_map(&made->b, &x.b);
}

cudaError_t launch(const void *any)
{
    const prim_binary_gemm_args *args = static_cast<const prim_binary_gemm_args *>(any);
    const walk all = walk_of(args);
    if (all.count == 0)
        return cudaSuccess;
    prim_binary_operands operands;
    maps of;
    cudaError_t error = prim_allow_shared(multiply_bits, sizeof(stages));
    if (error == cudaSuccess)
        error = prim_binary_make_operands(args, &operands);
    if (error == cudaSuccess)
        error = make_maps(&of, operands, all);
    if (error != cudaSuccess)
        return error;
    const unsigned at_once = prim_device_multiprocessors() / all.blocks,
                   clusters = all.count < at_once ? all.count : at_once;
    return prim_launch_dependent(
        {args->call.stream, clusters * all.blocks, THREADS, sizeof(stages), all.blocks},
        multiply_bits, of.a, of.b, outcome_of(args, operands), all);
}

} // namespace wgmma
} // namespace

PRIM_DEFINE_RUNG(binary_gemm, wgmma) = {
    {PRIM_BINARY_GEMM_WGMMA, "wgmma", "bits by wgmma: warps that load, and warps that multiply"},
    wgmma::why_not,
    wgmma::workspace_bytes,
    wgmma::launch};
