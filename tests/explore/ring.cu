/* The ring of stages of pipelined products: the library's own, with a thread that has tensor copies
 * fill it, and warps that add up what comes. */
#include "explorations.h"

#include "common/kernel/launch.cuh"
#include "common/kernel/shared.cuh"
#include "common/tensor/stage_ring.cuh"
#include "common/tensor/tensor_copy.cuh"

namespace
{

enum fault {
    NONE,
    NO_WAIT_FOR_EMPTY,
    NO_WAIT_FOR_FULL,
    EMPTY_PARITY, /* that of the stage's next phase */
    FULL_PARITY,
    RELEASED_EARLY, /* before the stage is read */
    ONE_RELEASE_LESS,
    FEWER_BYTES, /* expected, than come */
    NO_END
};

constexpr unsigned WIDTH = 8, MOST_STEPS = 4, MOST_CONSUMERS = 2;

struct box {
    alignas(1024) uint16_t at[WIDTH];
};

/* Of each block of the cluster. */
template <unsigned BLOCKS>
struct stage {
    box of[BLOCKS];
};

template <unsigned STAGES, unsigned BLOCKS>
struct stages {
    stage<BLOCKS> at[STAGES];
    mbarrier full[STAGES], empty[STAGES];
};

struct ring_shape {
    unsigned steps, consumers; /* warps */
};

/* Each block's box comes to all of them. */
template <fault FAULT, unsigned STAGES, unsigned BLOCKS>
__device__ void produce(stages<STAGES, BLOCKS> &ring, const prim_tensor_map &from,
                        const ring_shape &shape)
{
    constexpr unsigned BYTES = BLOCKS * sizeof ring.at[0].of[0].at;
    const unsigned rank = blockIdx.x % BLOCKS;
    place_in_ring<STAGES> at;
    for (unsigned step = 0; step < shape.steps; step++, at.go_on()) {
        mbarrier *const full = &ring.full[at.stage];
        const tensor_place place = {static_cast<int>((step * BLOCKS + rank) * WIDTH), 0, 0};
        if (FAULT != NO_WAIT_FOR_EMPTY)
            mbarrier_wait(&ring.empty[at.stage], at.parity ^ (FAULT == EMPTY_PARITY ? 0 : 1));
        mbarrier_arrive_expect_tx(full, FAULT == FEWER_BYTES ? BYTES / 2 : BYTES);
        if (BLOCKS == 1)
            tensor_load_box(ring.at[at.stage].of[0].at, from, place, full);
        else
            tensor_load_box_to_blocks(ring.at[at.stage].of[rank].at, from, place, full,
                                      (1u << BLOCKS) - 1);
    }
}

/* What products read, since arrivals at other blocks order nothing else: by the first lane. */
template <unsigned BLOCKS>
struct product {
    const stage<BLOCKS> &from;
    unsigned *sum, weight;

    static void hold(void *)
    {
    }

    static void complete(void *arguments)
    {
        const product &p = *static_cast<const product *>(arguments);
        for (const box &b : p.from.of)
            for (const uint16_t element : b.at)
                *p.sum += element * p.weight;
    }
};

template <unsigned BLOCKS>
__device__ void add_stage(const stage<BLOCKS> &from, unsigned weight, unsigned *sum)
{
    const product<BLOCKS> all = {from, sum, weight};
    if (BLOCKS == 1 && threadIdx.x % 32 < WIDTH) {
        *sum += from.of[0].at[threadIdx.x % 32] * weight;
    } else if (BLOCKS > 1 && threadIdx.x % 32 == 0) {
        simt_async(all.hold, all.complete, &all, sizeof all);
        simt_async_commit();
        simt_async_wait(0);
    }
    __syncwarp();
}

template <fault FAULT, unsigned STAGES, unsigned BLOCKS>
__device__ unsigned consume(stages<STAGES, BLOCKS> &ring, const ring_shape &shape)
{
    unsigned sum = 0;
    place_in_ring<STAGES> at;
    for (unsigned step = 0; step < shape.steps; step++, at.go_on()) {
        if (FAULT != NO_WAIT_FOR_FULL)
            mbarrier_wait(&ring.full[at.stage], at.parity ^ (FAULT == FULL_PARITY ? 1 : 0));
        if (FAULT == RELEASED_EARLY)
            release_stage(&ring.empty[at.stage], BLOCKS);
        add_stage(ring.at[at.stage], step + 1, &sum);
        if (FAULT != RELEASED_EARLY)
            release_stage(&ring.empty[at.stage], BLOCKS);
    }
    return sum;
}

template <fault FAULT, unsigned STAGES, unsigned BLOCKS>
__global__ void sum_boxes(prim_tensor_map from, ring_shape shape, unsigned *sums)
{
    typedef stages<STAGES, BLOCKS> all_stages;
    PRIM_SHARED_DYNAMIC_SWIZZLED(all_stages, ring);
    begin_ring(ring->full, ring->empty,
               shape.consumers * BLOCKS - (FAULT == ONE_RELEASE_LESS ? 1 : 0));
    if (threadIdx.x == 0)
        produce<FAULT>(*ring, from, shape);
    else if (threadIdx.x >= 32)
        sums[blockIdx.x * shape.consumers * 32 + threadIdx.x - 32] = consume<FAULT>(*ring, shape);
    if (FAULT != NO_END)
        end_ring();
}

const char *check_sums(const unsigned *sums, const ring_shape &shape, unsigned blocks)
{
    const unsigned threads = shape.consumers * 32, of_step = blocks * WIDTH;
    for (unsigned b = 0; b < blocks; b++) {
        unsigned sum = 0, expected = 0;
        for (unsigned t = 0; t < threads; t++)
            sum += sums[b * threads + t];
        for (unsigned i = 0; i < shape.steps * of_step; i++)
            expected += i * (i / of_step + 1) * shape.consumers;
        if (sum != expected)
            return "a sum is wrong";
    }
    return nullptr;
}

/* Of the numbers from 0 on. */
template <fault FAULT, unsigned STAGES = 2, unsigned BLOCKS = 1>
const char *run(void *context)
{
    const ring_shape shape = *static_cast<const ring_shape *>(context);
    uint16_t h_in[MOST_STEPS * BLOCKS * WIDTH], *d_in = nullptr;
    unsigned h_sums[BLOCKS * MOST_CONSUMERS * 32], *d_sums = nullptr;
    for (unsigned i = 0; i < MOST_STEPS * BLOCKS * WIDTH; i++)
        h_in[i] = static_cast<uint16_t>(i);
    cudaMalloc(&d_in, sizeof h_in);
    cudaMalloc(&d_sums, sizeof h_sums);
    cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice);
    const size_t columns = sizeof h_in / sizeof *h_in;
    const prim_tensor_map map = {{d_in, columns, 1, 1, sizeof h_in, sizeof h_in, WIDTH, 1}};
    launch_config where = {nullptr, BLOCKS, 32 * (1 + shape.consumers)};
    where.shared_bytes = sizeof(stages<STAGES, BLOCKS>);
    where.cluster = BLOCKS;
    const cudaError_t error =
        prim_launch(where, sum_boxes<FAULT, STAGES, BLOCKS>, map, shape, d_sums);
    cudaMemcpy(h_sums, d_sums, sizeof h_sums, cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_sums);
    return error != cudaSuccess ? "the launch fails" : check_sums(h_sums, shape, BLOCKS);
}

ring_shape one_consumer = {4, 1}, two_consumers = {4, 2}, of_cluster = {2, 1};

const char WAITS[] = "threads wait for what never comes", RACE[] = "are not ordered",
           TOO_MANY[] = "more arrivals";

} // namespace

/* Of two consumers, either releases a stage first, in each of four steps. Of two blocks, at each
 * stage in each of two steps either consumer does; and the other block's copy comes before the own
 * producer's arrival, between that and the own copy, or last, but not in both blocks before. */
const protocol rings[] = {
    {"ring, a consumer", run<NONE>, &one_consumer, 1, 1, nullptr, 1},
    {"ring, two consumers", run<NONE>, &two_consumers, 1, 1, nullptr, 16},
    {"ring, two blocks", run<NONE, 1, 2>, &of_cluster, 1, 1, nullptr, 1024},
    {"ring, two blocks, released early", run<RELEASED_EARLY, 1, 2>, &of_cluster, 1, 1, RACE, 0},
    {"ring, two blocks, no end", run<NO_END, 1, 2>, &of_cluster, 1, 1, "may return", 0},
    {"ring, no wait for empty stages", run<NO_WAIT_FOR_EMPTY>, &one_consumer, 1, 1, TOO_MANY, 0},
    {"ring, no wait for full stages", run<NO_WAIT_FOR_FULL>, &one_consumer, 1, 1, WAITS, 0},
    {"ring, a wrong parity of empty", run<EMPTY_PARITY>, &one_consumer, 1, 1, WAITS, 0},
    {"ring, a wrong parity of full", run<FULL_PARITY>, &one_consumer, 1, 1, WAITS, 0},
    {"ring, released early", run<RELEASED_EARLY>, &one_consumer, 1, 1, RACE, 0},
    {"ring, one release of two", run<ONE_RELEASE_LESS>, &two_consumers, 1, 1, WAITS, 0},
    {"ring, too few bytes expected", run<FEWER_BYTES>, &one_consumer, 1, 1, WAITS, 0},
};
const size_t ring_count = sizeof rings / sizeof *rings;
