/* The exclusive prefixes of tiles' aggregates, one addition after the other, which the order of
 * scan/tile/tiles.h requires. One block, of which one thread adds:
 *
 *     all threads    load 2048 aggregates into shared memory, and start to load the next 2048
 *     one thread     16 at a time in registers: writes prefixes in their place, loads the next 16
 *     all threads    store the prefixes that are wanted
 *
 * An addition waits for the one before it, 4 cycles on an H100; all else should overlap with it.
 * Work: count combinations, and as many steps. */
#include "distributed/scan/chain.h"

#include "common/block/vectors.cuh"
#include "common/kernel/launch.cuh"
#include "common/kernel/shared.cuh"

namespace
{
namespace chain
{

constexpr unsigned THREADS = 256, OF_THREAD = 8, AT_ONCE = THREADS * OF_THREAD;
constexpr unsigned RUN_VECTORS = 4; /* that the one thread holds */

/* Replaces aggregates by prefixes; returns the prefix of the next one. */
template <class Operator, typename Value>
__device__ Value chain_staged(vector<Value> *staged, Value so_far)
{
    constexpr unsigned N = VECTOR_ELEMENTS<Value>, VECTORS = AT_ONCE / N;
    vector<Value> next[RUN_VECTORS];
    PRIM_UNROLL(RUN_VECTORS)
    for (unsigned v = 0; v < RUN_VECTORS; v++)
        next[v] = staged[v];
    PRIM_UNROLL(4) /* so that `next` becomes `run` by name, and not by moves */
    for (unsigned first = 0; first < VECTORS; first += RUN_VECTORS) {
        const unsigned behind = first + RUN_VECTORS < VECTORS ? first + RUN_VECTORS : first;
        vector<Value> run[RUN_VECTORS];
        PRIM_UNROLL(RUN_VECTORS)
        for (unsigned v = 0; v < RUN_VECTORS; v++) {
            run[v] = next[v];
            next[v] = staged[behind + v];
        }
        PRIM_UNROLL(RUN_VECTORS)
        for (unsigned v = 0; v < RUN_VECTORS; v++) {
            PRIM_UNROLL(N)
            for (unsigned e = 0; e < N; e++) {
                const Value total = run[v].words[e];
                run[v].words[e] = so_far;
                so_far = Operator::combine(so_far, total);
            }
            staged[first + v] = run[v];
        }
    }
    return so_far;
}

/* Values past the last aggregate change only prefixes past it. */
template <class Operator, typename Value>
__device__ void load_aggregates(const Value *aggregates, size_t begin, size_t count, Value *mine)
{
    PRIM_UNROLL(OF_THREAD)
    for (unsigned j = 0; j < OF_THREAD; j++) {
        const size_t i = begin + j * THREADS + threadIdx.x;
        mine[j] = i < count ? aggregates[i] : Operator::template identity<Value>();
    }
}

template <class Operator, typename Value>
__global__ void __launch_bounds__(THREADS)
    chain_aggregates(Value *aggregates, size_t first, size_t count)
{
    PRIM_SHARED(vector<Value>, vectors, [AT_ONCE / VECTOR_ELEMENTS<Value>]);
    Value *const staged = reinterpret_cast<Value *>(vectors);
    Value so_far = Operator::template identity<Value>(), mine[OF_THREAD];
    load_aggregates<Operator>(aggregates, 0, count, mine);
    for (size_t begin = 0; begin <= count; begin += AT_ONCE) {
        for (unsigned j = 0; j < OF_THREAD; j++)
            staged[j * THREADS + threadIdx.x] = mine[j];
        __syncthreads();
        load_aggregates<Operator>(aggregates, begin + AT_ONCE, count, mine);
        if (threadIdx.x == 0)
            so_far = chain_staged<Operator>(vectors, so_far);
        __syncthreads();
        for (unsigned j = 0; j < OF_THREAD; j++) {
            const size_t i = begin + j * THREADS + threadIdx.x;
            if (i >= first && i <= count)
                aggregates[i] = staged[j * THREADS + threadIdx.x];
        }
    }
}

template <class Operator>
cudaError_t launch(cudaDataType_t type, void *aggregates, size_t first, size_t count,
                   cudaStream_t stream)
{
    if (type == CUDA_R_64F)
        return prim_launch({stream, 1, THREADS}, chain_aggregates<Operator, double>,
                           static_cast<double *>(aggregates), first, count);
    return prim_launch({stream, 1, THREADS}, chain_aggregates<Operator, float>,
                       static_cast<float *>(aggregates), first, count);
}

} // namespace chain
} // namespace

cudaError_t prim_distributed_chain(prim_op op, cudaDataType_t type, void *aggregates, size_t first,
                                   size_t count, cudaStream_t stream)
{
    return op == PRIM_OP_PRODUCT
               ? chain::launch<product_operator>(type, aggregates, first, count, stream)
               : chain::launch<sum_operator>(type, aggregates, first, count, stream);
}
