/* mbarriers before they are used. */
#include "block.h"
#include "mbarrier.h"

void simt_mbarrier_init(void *at, unsigned arrivals)
{
    simt_thread *const thread = simt_running();
    simt_block *const block = thread->block;
    if (arrivals == 0 || arrivals >= 1u << 20)
        simt_fault("initializes an mbarrier for %u arrivals", arrivals);
    *(simt_mbarrier *)at = (simt_mbarrier){.arrivals = arrivals, .pending = arrivals};
    simt_explore_store(at, sizeof(simt_mbarrier));
    if (block->new_barriers == SIMT_MAX_NEW_BARRIERS)
        simt_fault("initializes more than %d mbarriers without a fence", SIMT_MAX_NEW_BARRIERS);
    block->barriers[block->new_barriers++] = (simt_new_barrier){at, thread->index};
}

static void show(simt_mbarrier *barrier)
{
    barrier->shown = 1;
    simt_explore_store(barrier, sizeof *barrier);
}

void simt_fence_mbarrier_init(void)
{
    const simt_thread *const thread = simt_running();
    simt_block *const block = thread->block;
    unsigned left = 0;
    for (unsigned i = 0; i < block->new_barriers; i++) {
        const simt_new_barrier one = block->barriers[i];
        if (one.thread == thread->index)
            show(one.barrier);
        else
            block->barriers[left++] = one;
    }
    block->new_barriers = left;
}
