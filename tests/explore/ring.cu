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
    FEWER_BYTES /* expected, than come */
};

constexpr unsigned STAGES = 2, WIDTH = 8;

struct stage {
    alignas(1024) uint16_t box[WIDTH];
};

struct stages {
    stage at[STAGES];
    mbarrier full[STAGES], empty[STAGES];
};

struct ring_shape {
    unsigned steps, consumers; /* warps */
};

template <fault FAULT>
__device__ void produce(stages &ring, const prim_tensor_map &from, const ring_shape &shape)
{
    place_in_ring<STAGES> at;
    for (unsigned step = 0; step < shape.steps; step++, at.go_on()) {
        mbarrier *const full = &ring.full[at.stage];
        if (FAULT != NO_WAIT_FOR_EMPTY)
            mbarrier_wait(&ring.empty[at.stage], at.parity ^ (FAULT == EMPTY_PARITY ? 0 : 1));
        mbarrier_arrive_expect_tx(full, sizeof ring.at[0].box / (FAULT == FEWER_BYTES ? 2 : 1));
        tensor_load_box(ring.at[at.stage].box, from, {static_cast<int>(step * WIDTH), 0, 0}, full);
    }
}

template <fault FAULT>
__device__ unsigned consume(stages &ring, const ring_shape &shape)
{
    const unsigned lane = threadIdx.x % 32;
    unsigned sum = 0;
    place_in_ring<STAGES> at;
    for (unsigned step = 0; step < shape.steps; step++, at.go_on()) {
        if (FAULT != NO_WAIT_FOR_FULL)
            mbarrier_wait(&ring.full[at.stage], at.parity ^ (FAULT == FULL_PARITY ? 1 : 0));
        if (FAULT == RELEASED_EARLY)
            release_stage(&ring.empty[at.stage], 1);
        if (lane < WIDTH)
            sum += ring.at[at.stage].box[lane] * (step + 1);
        __syncwarp();
        if (FAULT != RELEASED_EARLY)
            release_stage(&ring.empty[at.stage], 1);
    }
    return sum;
}

template <fault FAULT>
__global__ void sum_boxes(prim_tensor_map from, ring_shape shape, unsigned *sums)
{
    PRIM_SHARED_DYNAMIC_SWIZZLED(stages, ring);
    begin_ring(ring->full, ring->empty, shape.consumers - (FAULT == ONE_RELEASE_LESS ? 1 : 0));
    if (threadIdx.x == 0)
        produce<FAULT>(*ring, from, shape);
    else if (threadIdx.x >= 32)
        sums[threadIdx.x - 32] = consume<FAULT>(*ring, shape);
    end_ring();
}

const char *check_sums(const unsigned *sums, const ring_shape &shape)
{
    for (unsigned t = 0; t < shape.consumers * 32; t++) {
        unsigned sum = 0;
        for (unsigned step = 0; step < shape.steps && t % 32 < WIDTH; step++)
            sum += (step * WIDTH + t % 32) * (step + 1);
        if (sums[t] != sum)
            return "a sum is wrong";
    }
    return nullptr;
}

/* Of the numbers from 0 on. */
template <fault FAULT>
const char *run(void *context)
{
    enum { MOST_STEPS = 8, MOST_CONSUMERS = 2 };
    const ring_shape shape = *static_cast<const ring_shape *>(context);
    uint16_t h_in[MOST_STEPS * WIDTH], *d_in = nullptr;
    unsigned h_sums[MOST_CONSUMERS * 32], *d_sums = nullptr;
    for (unsigned i = 0; i < MOST_STEPS * WIDTH; i++)
        h_in[i] = static_cast<uint16_t>(i);
    cudaMalloc(&d_in, sizeof h_in);
    cudaMalloc(&d_sums, sizeof h_sums);
    cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice);
    const size_t columns = shape.steps * WIDTH, pitch = columns * sizeof *d_in;
    const prim_tensor_map map = {{d_in, columns, 1, 1, pitch, pitch, WIDTH, 1}};
    launch_config where = {nullptr, 1, 32 * (1 + shape.consumers)};
    where.shared_bytes = sizeof(stages);
    const cudaError_t error = prim_launch(where, sum_boxes<FAULT>, map, shape, d_sums);
    cudaMemcpy(h_sums, d_sums, sizeof h_sums, cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_sums);
    return error != cudaSuccess ? "the launch fails" : check_sums(h_sums, shape);
}

ring_shape one_consumer = {4, 1}, two_consumers = {4, 2};
const char WAITS[] = "threads wait for what never comes", RACE[] = "are not ordered",
           TOO_MANY[] = "more arrivals";

} // namespace

/* Of two consumers, either releases a stage first, in each step. */
const protocol rings[] = {
    {"ring, a consumer", run<NONE>, &one_consumer, 1, 1, nullptr, 1},
    {"ring, two consumers", run<NONE>, &two_consumers, 1, 1, nullptr, 16},
    {"ring, no wait for empty stages", run<NO_WAIT_FOR_EMPTY>, &one_consumer, 1, 1, TOO_MANY, 0},
    {"ring, no wait for full stages", run<NO_WAIT_FOR_FULL>, &one_consumer, 1, 1, WAITS, 0},
    {"ring, a wrong parity of empty", run<EMPTY_PARITY>, &one_consumer, 1, 1, WAITS, 0},
    {"ring, a wrong parity of full", run<FULL_PARITY>, &one_consumer, 1, 1, WAITS, 0},
    {"ring, released early", run<RELEASED_EARLY>, &one_consumer, 1, 1, RACE, 0},
    {"ring, one release of two", run<ONE_RELEASE_LESS>, &two_consumers, 1, 1, WAITS, 0},
    {"ring, too few bytes expected", run<FEWER_BYTES>, &one_consumer, 1, 1, WAITS, 0},
};
const size_t ring_count = sizeof rings / sizeof *rings;
