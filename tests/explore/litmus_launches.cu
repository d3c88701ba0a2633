/* Launches of which each but the first may begin before the one ahead has ended: what of that one
 * do they see? */
#include "explorations.h"

#include "common/kernel/launch.cuh"

namespace
{

enum action { STORE, LOAD, LOAD_ATOMIC, WAIT, WAIT_IN_THREAD_0, TRIGGER, TRIGGER_IN_BLOCK_0, MEET };

template <action ACTION>
__device__ void perform(unsigned *word, unsigned *result)
{
    const bool is_first = blockIdx.x == 0 && threadIdx.x == 0;
    const bool is_last = blockIdx.x == gridDim.x - 1 && threadIdx.x == blockDim.x - 1;
    if (ACTION == STORE && is_first)
        *word = 1;
    if (ACTION == LOAD && is_last)
        *result = *word;
    if (ACTION == LOAD_ATOMIC && is_last)
        *result = __atomic_load_n(word, __ATOMIC_RELAXED);
    if (ACTION == WAIT || (ACTION == WAIT_IN_THREAD_0 && threadIdx.x == 0))
        grid_dependency_synchronize();
    if (ACTION == TRIGGER || (ACTION == TRIGGER_IN_BLOCK_0 && blockIdx.x == 0))
        trigger_launch_completion();
    if (ACTION == MEET)
        __syncthreads();
}

template <action... ACTIONS>
__global__ void in_order(unsigned *word, unsigned *result)
{
    (perform<ACTIONS>(word, result), ...);
}

template <void (*FIRST)(unsigned *, unsigned *), void (*...OTHERS)(unsigned *, unsigned *)>
cudaError_t launch(unsigned *d_words, unsigned *d_results)
{
    cudaError_t error = prim_launch({nullptr, 2, 2}, FIRST, d_words, d_results);
    for (auto *const other : {OTHERS...})
        if (error == cudaSuccess)
            error = prim_launch_dependent({nullptr, 2, 2}, other, d_words, d_results);
    return error;
}

/* The last one is not early. */
template <void (*SECOND)(unsigned *, unsigned *)>
cudaError_t launch_third_late(unsigned *d_words, unsigned *d_results)
{
    launch<in_order<STORE>, SECOND>(d_words, d_results);
    return prim_launch({nullptr, 2, 2}, in_order<LOAD>, d_words, d_results);
}

/* Other work between the two, in which nothing is early. */
cudaError_t launch_behind_memset(unsigned *d_words, unsigned *d_results)
{
    prim_launch({nullptr, 1, 1}, in_order<STORE>, d_words, d_results);
    cudaMemset(d_words + 1, 0, sizeof *d_words);
    return prim_launch_dependent({nullptr, 1, 1}, in_order<LOAD>, d_words, d_results);
}

} // namespace

const litmus launch_litmus_tests[] = {
    {"launches: behind the wait", launch<in_order<TRIGGER, STORE>, in_order<WAIT, LOAD>>, 1, false,
     "1", nullptr, 1},
    {"launches: before the wait", launch<in_order<TRIGGER, STORE>, in_order<LOAD, WAIT>>, 1, false,
     nullptr, nullptr, 0},
    {"launches: an atomic load before it", launch<in_order<STORE>, in_order<LOAD_ATOMIC, WAIT>>, 1,
     false, nullptr, nullptr, 0},
    {"launches: a store before it", launch<in_order<TRIGGER, LOAD>, in_order<STORE, WAIT>>, 1,
     false, nullptr, nullptr, 0},
    {"launches: no wait, no trigger", launch<in_order<STORE>, in_order<LOAD>>, 1, false, nullptr,
     nullptr, 0},
    {"launches: behind another thread's wait",
     launch<in_order<STORE>, in_order<WAIT_IN_THREAD_0, MEET, LOAD>>, 1, false, "1", nullptr, 1},
    {"launches: beside another thread's wait",
     launch<in_order<STORE>, in_order<WAIT_IN_THREAD_0, LOAD>>, 1, false, nullptr, nullptr, 0},
    {"launches: three, all wait", launch<in_order<STORE>, in_order<WAIT>, in_order<WAIT, LOAD>>, 1,
     false, "1", nullptr, 1},
    {"launches: three, the second does not",
     launch<in_order<STORE>, in_order<TRIGGER>, in_order<WAIT, LOAD>>, 1, false, nullptr, nullptr,
     0},
    {"launches: three, let in behind a wait",
     launch<in_order<STORE>, in_order<WAIT, TRIGGER>, in_order<LOAD>>, 1, false, "1", nullptr, 1},
    {"launches: three, by one of the blocks",
     launch<in_order<STORE>, in_order<TRIGGER_IN_BLOCK_0, WAIT, TRIGGER>, in_order<LOAD>>, 1, false,
     "1", nullptr, 1},
    {"launches: three, let in before a wait",
     launch<in_order<STORE>, in_order<TRIGGER, WAIT>, in_order<LOAD>>, 1, false, nullptr, nullptr,
     0},
    {"launches: three, the last one is late", launch_third_late<in_order<WAIT>>, 1, false, "1",
     nullptr, 1},
    {"launches: three, so it is, but no wait", launch_third_late<in_order<TRIGGER>>, 1, false,
     nullptr, nullptr, 0},
    {"launches: behind other work", launch_behind_memset, 1, false, "1", nullptr, 1},
};
const size_t launch_litmus_count = sizeof launch_litmus_tests / sizeof *launch_litmus_tests;
