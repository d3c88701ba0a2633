/* Small programs of two to four threads, mostly one a block, and which of their outcomes are
 * explored. By the names of J. Alglave, L. Maranget and M. Tautschnig, Herding Cats, 2014; what the
 * PTX memory model allows of them is from the PTX manual's axioms. */
#include "explorations.h"

#include "common/kernel/launch.cuh"

namespace
{

constexpr int RELAXED = __ATOMIC_RELAXED, ACQUIRE = __ATOMIC_ACQUIRE, RELEASE = __ATOMIC_RELEASE;
constexpr unsigned X = 0, Y = 1;

template <int ORDER>
unsigned load(unsigned *word)
{
    return __atomic_load_n(word, ORDER);
}

template <int ORDER>
void store(unsigned *word, unsigned value)
{
    __atomic_store_n(word, value, ORDER);
}

/* ---- kernels ---- */

template <int STORE, int LOAD>
__global__ void message_passing(unsigned *word, unsigned *result)
{
    if (blockIdx.x == 0) {
        store<RELAXED>(&word[X], 1);
        store<STORE>(&word[Y], 1);
    } else {
        result[0] = load<LOAD>(&word[Y]);
        result[1] = load<RELAXED>(&word[X]);
    }
}

__global__ void message_passing_by_fences(unsigned *word, unsigned *result)
{
    if (blockIdx.x == 0) {
        store<RELAXED>(&word[X], 1);
        __atomic_thread_fence(RELEASE);
        store<RELAXED>(&word[Y], 1);
    } else {
        result[0] = load<RELAXED>(&word[Y]);
        __atomic_thread_fence(ACQUIRE);
        result[1] = load<RELAXED>(&word[X]);
    }
}

/* The data is no atomic word. */
template <int STORE, int LOAD>
__global__ void plain_message(unsigned *word, unsigned *result)
{
    if (blockIdx.x == 0) {
        word[X] = 1;
        store<STORE>(&word[Y], 1);
    } else if (load<LOAD>(&word[Y]) == 1) {
        result[0] = word[X];
    }
}

/* All operations are the block's; the threads are of one block, or of two. */
__global__ void message_in_a_block(unsigned *word, unsigned *result)
{
    simt_interleave_in_block();
    if (threadIdx.x == 0 && blockIdx.x == 0) {
        word[X] = 1;
        store<RELEASE>(&word[Y], 1);
    } else if (load<ACQUIRE>(&word[Y]) == 1) {
        result[0] = word[X];
    }
}

/* From a lane to its neighbour, which has met it. */
template <bool ORDERS>
__global__ void message_in_a_warp(unsigned *word, unsigned *result)
{
    if (threadIdx.x == 0)
        word[X] = 1;
    if (ORDERS)
        __syncwarp(3);
    else
        __shfl_sync(3, 1u, 0);
    if (threadIdx.x == 1)
        result[0] = word[X];
}

/* One thread acquires, and another one of its block loads, behind a barrier. */
__global__ void message_to_a_block(unsigned *word, unsigned *result)
{
    unsigned seen = 0;
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        word[X] = 1;
        store<RELEASE>(&word[Y], 1);
    } else if (blockIdx.x == 1 && threadIdx.x == 1) {
        seen = load<ACQUIRE>(&word[Y]);
    }
    seen = __shfl_sync(3, seen, 1);
    __syncthreads();
    if (seen == 1 && threadIdx.x == 0)
        result[0] = word[X];
}

/* A plain store between atomic ones, all in order: only the last one is loaded. */
__global__ void plain_between(unsigned *word, unsigned *result)
{
    if (threadIdx.x == 0)
        store<RELAXED>(&word[X], 1);
    __syncthreads();
    if (threadIdx.x == 1)
        word[X] = 2;
    __syncthreads();
    if (threadIdx.x == 0)
        result[0] = load<RELAXED>(&word[X]);
}

/* Behind another operation, a plain load of what the other block stores. */
__global__ void plain_load(unsigned *word, unsigned *result)
{
    if (blockIdx.x == 0) {
        store<RELAXED>(&word[X], 1);
    } else {
        result[1] = load<RELAXED>(&word[Y]);
        result[0] = word[X];
    }
}

__global__ void store_buffering(unsigned *word, unsigned *result)
{
    store<RELAXED>(&word[blockIdx.x], 1);
    result[blockIdx.x] = load<RELAXED>(&word[1 - blockIdx.x]);
}

__global__ void load_buffering(unsigned *word, unsigned *result)
{
    result[blockIdx.x] = load<RELAXED>(&word[blockIdx.x]);
    store<RELAXED>(&word[1 - blockIdx.x], 1);
}

__global__ void two_loads(unsigned *word, unsigned *result)
{
    if (blockIdx.x == 0) {
        store<RELAXED>(&word[X], 1);
        store<RELAXED>(&word[X], 2);
    } else {
        result[0] = load<RELAXED>(&word[X]);
        result[1] = load<RELAXED>(&word[X]);
    }
}

__global__ void two_readers(unsigned *word, unsigned *result)
{
    if (blockIdx.x < 2) {
        store<RELEASE>(&word[blockIdx.x], 1);
    } else {
        const unsigned first = blockIdx.x - 2;
        result[2 * first] = load<ACQUIRE>(&word[first]);
        result[2 * first + 1] = load<ACQUIRE>(&word[1 - first]);
    }
}

__global__ void handed_on(unsigned *word, unsigned *result)
{
    if (blockIdx.x == 0) {
        store<RELAXED>(&word[X], 1);
    } else if (blockIdx.x == 1) {
        result[0] = load<RELAXED>(&word[X]);
        store<RELEASE>(&word[Y], 1);
    } else {
        result[1] = load<ACQUIRE>(&word[Y]);
        result[2] = load<RELAXED>(&word[X]);
    }
}

__global__ void through_an_addition(unsigned *word, unsigned *result)
{
    if (blockIdx.x == 0) {
        store<RELAXED>(&word[X], 1);
        store<RELEASE>(&word[Y], 1);
    } else if (blockIdx.x == 1) {
        __atomic_fetch_add(&word[Y], 1, RELAXED);
    } else {
        result[0] = load<ACQUIRE>(&word[Y]);
        result[1] = load<RELAXED>(&word[X]);
    }
}

__global__ void two_stores_each(unsigned *word, unsigned *)
{
    store<RELAXED>(&word[blockIdx.x], 1);
    store<RELAXED>(&word[1 - blockIdx.x], 2);
}

__global__ void store_after_load(unsigned *word, unsigned *result)
{
    if (blockIdx.x == 0) {
        store<RELAXED>(&word[X], 2);
        store<RELEASE>(&word[Y], 1);
    } else {
        result[0] = load<ACQUIRE>(&word[Y]);
        store<RELAXED>(&word[X], 1);
    }
}

/* A store comes that an earlier load may read, and behind that load are others. */
__global__ void a_late_store(unsigned *word, unsigned *result)
{
    if (blockIdx.x == 0) {
        result[0] = load<RELAXED>(&word[X]);
        result[1] = load<RELAXED>(&word[Y]);
    } else if (blockIdx.x == 1) {
        store<RELAXED>(&word[Y], 1);
    } else if (blockIdx.x == 2) {
        result[2] = load<RELAXED>(&word[Y]);
        store<RELAXED>(&word[X], 1);
    } else {
        store<RELAXED>(&word[X], 2);
    }
}

__global__ void additions(unsigned *word, unsigned *result)
{
    result[blockIdx.x] = __atomic_fetch_add(&word[X], 1, RELAXED);
}

/* ---- launches ---- */

template <void (*KERNEL)(unsigned *, unsigned *), unsigned BLOCKS, unsigned THREADS = 1>
cudaError_t launch(unsigned *d_words, unsigned *d_results)
{
    return prim_launch({nullptr, BLOCKS, THREADS}, KERNEL, d_words, d_results);
}

} // namespace

const litmus litmus_tests[] = {
    {"MP: message passing, relaxed", launch<message_passing<RELAXED, RELAXED>, 2>, 2, false,
     "00 01 10 11", nullptr, 4},
    {"MP, release and relaxed", launch<message_passing<RELEASE, RELAXED>, 2>, 2, false,
     "00 01 10 11", nullptr, 4},
    {"MP, relaxed and acquire", launch<message_passing<RELAXED, ACQUIRE>, 2>, 2, false,
     "00 01 10 11", nullptr, 4},
    {"MP, release and acquire", launch<message_passing<RELEASE, ACQUIRE>, 2>, 2, false, "00 01 11",
     nullptr, 3},
    {"MP, by fences", launch<message_passing_by_fences, 2>, 2, false, "00 01 11", nullptr, 3},
    {"MP, a plain word", launch<plain_message<RELEASE, ACQUIRE>, 2>, 1, false, "0 1", nullptr, 2},
    {"MP, a plain word, relaxed", launch<plain_message<RELAXED, ACQUIRE>, 2>, 1, false, nullptr,
     nullptr, 0},
    {"MP, a plain word in a block", launch<message_in_a_block, 1, 2>, 1, false, "0 1", nullptr, 2},
    {"MP, a block's scope between two", launch<message_in_a_block, 2>, 1, false, nullptr, nullptr,
     0},
    {"MP, behind __syncwarp()", launch<message_in_a_warp<true>, 1, 2>, 1, false, "1", nullptr, 1},
    {"MP, behind a shuffle", launch<message_in_a_warp<false>, 1, 2>, 1, false, nullptr, nullptr, 0},
    {"MP, to a block", launch<message_to_a_block, 2, 2>, 1, false, "0 1", nullptr, 2},
    {"a plain store between", launch<plain_between, 1, 2>, 1, false, "2", nullptr, 1},
    {"a plain load of an atomic word", launch<plain_load, 2>, 1, false, nullptr, nullptr, 0},
    {"SB: store buffering", launch<store_buffering, 2>, 2, false, "00 01 10 11", nullptr, 4},
    {"LB: load buffering", launch<load_buffering, 2>, 2, false, "00 01 10", "00 01 10 11", 3},
    {"CoRR: two loads of a word", launch<two_loads, 2>, 2, false, "00 01 02 11 12 22", nullptr, 6},
    {"IRIW: two readers of two words", launch<two_readers, 4>, 4, false,
     "0000 0001 0010 0011 0100 0101 0110 0111 1000 1001 1010 1011 1100 1101 1110 1111", nullptr,
     16},
    {"WRC: handed on", launch<handed_on, 3>, 3, false, "000 001 010 011 100 101 111", nullptr, 7},
    {"MP, through an addition", launch<through_an_addition, 3>, 2, false, "00 01 10 11 21", nullptr,
     9},
    {"2+2W: two stores each", launch<two_stores_each, 2>, 0, true, "11 12 21 22", nullptr, 4},
    {"S: a store behind a load", launch<store_after_load, 2>, 1, true, "011 021 111", nullptr, 3},
    {"a late store", launch<a_late_store, 4>, 3, true,
     "00011 00021 00111 00121 01011 01021 01111 01121 10011 10021 10111 10121 "
     "11011 11021 11111 11121 20011 20021 20111 20121 21011 21021 21111 21121",
     nullptr, 24},
    {"additions", launch<additions, 3>, 3, true, "01230 02130 10230 12030 20130 21030", nullptr, 6},
};
const size_t litmus_count = sizeof litmus_tests / sizeof *litmus_tests;
