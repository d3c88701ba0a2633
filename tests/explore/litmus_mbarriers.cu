/* Threads of a block that pass a word through shared memory by an mbarrier, and copies whose bytes
 * it counts. Of one warp, so that a lane is a thread. */
#include "cluster_launch.cuh"
#include "explorations.h"

#include "common/kernel/cluster.cuh"
#include "common/kernel/launch.cuh"
#include "common/kernel/shared.cuh"
#include "common/tensor/mbarrier.cuh"

namespace
{

struct parts {
    mbarrier barrier;
    unsigned word;
};

/* What a bulk copy does when it is done. */
struct word_copy {
    unsigned *to;
    const unsigned *from;

    static void complete(void *copy)
    {
        const word_copy &c = *static_cast<const word_copy *>(copy);
        *c.to = *c.from;
    }
};

void copy_word(parts *to, const unsigned *from)
{
    const word_copy copy = {&to->word, from};
    simt_begin_copy(&to->word, sizeof to->word, &to->barrier, word_copy::complete, &copy,
                    sizeof copy);
}

__device__ void begin(parts *all, unsigned arrivals)
{
    if (threadIdx.x == 0) {
        mbarrier_init(&all->barrier, arrivals);
        fence_mbarrier_init();
    }
    __syncthreads();
}

/* ---- kernels: the last thread, or the last block's, has the result ---- */

/* WAITED_FOR: a parity, or 2 for none. */
template <unsigned WAITED_FOR, bool ENDS_INIT = true>
__global__ void message(unsigned *, unsigned *result)
{
    PRIM_SHARED(parts, all, [1]);
    if (ENDS_INIT)
        begin(all, 1);
    else if (threadIdx.x == 0)
        mbarrier_init(&all->barrier, 1);
    if (threadIdx.x == 0) {
        all->word = 1;
        mbarrier_arrive(&all->barrier);
    } else {
        if (WAITED_FOR < 2)
            mbarrier_wait(&all->barrier, WAITED_FOR);
        *result = all->word;
    }
}

/* Two threads store, and each arrives; of `ARRIVALS`, the wait is for. */
template <unsigned ARRIVALS>
__global__ void two_arrivals(unsigned *word, unsigned *result)
{
    PRIM_SHARED(parts, all, [1]);
    begin(all, ARRIVALS);
    if (threadIdx.x < 2) {
        word[threadIdx.x] = 1;
        mbarrier_arrive(&all->barrier);
    } else {
        mbarrier_wait(&all->barrier, 0);
        *result = word[0] + word[1];
    }
}

/* EXPECTED bytes of the four that come. */
template <unsigned EXPECTED, bool WAITS>
__global__ void copied(unsigned *word, unsigned *result)
{
    PRIM_SHARED(parts, all, [1]);
    begin(all, 1);
    if (threadIdx.x == 0) {
        word[0] = 1;
        mbarrier_arrive_expect_tx(&all->barrier, EXPECTED);
        copy_word(all, word);
    } else if (WAITS) {
        mbarrier_wait(&all->barrier, 0);
        *result = all->word;
    }
}

/* The issuer reads what it has had copied, or overwrites what is copied. */
template <bool OVERWRITES>
__global__ void touched_early(unsigned *word, unsigned *result)
{
    PRIM_SHARED(parts, all, [1]);
    begin(all, 1);
    if (threadIdx.x > 0)
        return;
    mbarrier_arrive_expect_tx(&all->barrier, sizeof all->word);
    copy_word(all, word);
    if (OVERWRITES)
        word[0] = 2;
    else
        *result = all->word;
    mbarrier_wait(&all->barrier, 0);
}

/* Arrivals at the other block's barrier: they order memory of their own block only, and that one
 * has to be there. */
template <bool IS_READ, bool ENDS>
__global__ void arrival_at_block(unsigned *word, unsigned *result)
{
    PRIM_SHARED(parts, all, [1]);
    begin(all, 1);
    arrive_at_cluster();
    wait_for_cluster();
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        word[0] = 1;
        mbarrier_arrive_at_block(&all->barrier, 1);
    }
    if (blockIdx.x == 1 && threadIdx.x == 1) {
        mbarrier_wait(&all->barrier, 0);
        *result = IS_READ ? word[0] : 1;
    }
    if (ENDS) {
        arrive_at_cluster();
        wait_for_cluster();
    }
}

template <void (*KERNEL)(unsigned *, unsigned *), unsigned THREADS = 2>
cudaError_t launch(unsigned *d_words, unsigned *d_results)
{
    return prim_launch({nullptr, 1, THREADS}, KERNEL, d_words, d_results);
}

} // namespace

const litmus mbarrier_litmus_tests[] = {
    {"mbarrier: message", launch<message<0>>, 1, false, "1", nullptr, 1},
    {"mbarrier: the other parity", launch<message<1>>, 1, false, nullptr, nullptr, 0},
    {"mbarrier: no wait", launch<message<2>>, 1, false, nullptr, nullptr, 0},
    {"mbarrier: begun by one thread", launch<message<0, false>>, 1, false, nullptr, nullptr, 0},
    {"mbarrier: two arrivals", launch<two_arrivals<2>, 3>, 1, false, "2", nullptr, 2},
    {"mbarrier: one of two", launch<two_arrivals<1>, 3>, 1, false, nullptr, nullptr, 0},
    {"mbarrier: three of two", launch<two_arrivals<3>, 3>, 1, false, nullptr, nullptr, 0},
    {"mbarrier: a copy", launch<copied<4, true>>, 1, false, "1", nullptr, 1},
    {"mbarrier: a copy, not expected", launch<copied<0, true>>, 1, false, nullptr, nullptr, 0},
    {"mbarrier: a copy, too much expected", launch<copied<8, true>>, 1, false, nullptr, nullptr, 0},
    {"mbarrier: a copy, nobody waits", launch<copied<4, false>>, 1, false, nullptr, nullptr, 0},
    {"mbarrier: a copy, read early", launch<touched_early<false>>, 1, false, nullptr, nullptr, 0},
    {"mbarrier: a copy, overwritten early", launch<touched_early<true>>, 1, false, nullptr, nullptr,
     0},
    {"mbarrier: of another block", launch_cluster<arrival_at_block<false, true>>, 1, false, "1",
     nullptr, 1},
    {"mbarrier: of another block, and memory", launch_cluster<arrival_at_block<true, true>>, 1,
     false, nullptr, nullptr, 0},
    {"mbarrier: of another block, which ends", launch_cluster<arrival_at_block<false, false>>, 1,
     false, nullptr, nullptr, 0},
};
const size_t mbarrier_litmus_count = sizeof mbarrier_litmus_tests / sizeof *mbarrier_litmus_tests;
