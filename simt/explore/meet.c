/* Threads that meet get to know what the others did. */
#define _GNU_SOURCE
#include <stdlib.h>

#include "internal.h"

/* Those whose bits are set get to know what any of them did; `orders`: as what happened before. */
static void meet(actor *first, const bool *present, const bool *arrives, unsigned count,
                 bool orders)
{
    uint32_t *causes = NULL, *known = NULL;
    clock_of last_causes = NULL, last_known = NULL;
    for (unsigned i = 0; i < count; i++) {
        const actor *const a = &first[i];
        if (!present[i])
            continue;
        if (causes == NULL) {
            causes = clock_begun(a->causes);
            known = clock_begun(a->known);
        } else {
            if (a->causes != last_causes)
                clock_add(causes, a->causes);
            if (arrives[i] && a->known != last_known)
                clock_add(known, a->known);
        }
        last_causes = a->causes;
        last_known = a->known;
    }
    for (unsigned i = 0; i < count; i++)
        if (present[i]) {
            causes[first[i].index] = first[i].events;
            if (arrives[i])
                known[first[i].index] = first[i].tick;
        }
    for (unsigned i = 0; i < count; i++)
        if (arrives[i]) {
            first[i].causes = causes;
            first[i].known = orders ? known : first[i].known;
            first[i].tick += orders;
            first[i].meetings++;
        }
}

static actor *actor_of(const simt_thread *thread)
{
    for (unsigned i = 0; i < simt_explorer.actor_count;
         i += simt_explorer.actors[i].thread->block->thread_count)
        if (simt_explorer.actors[i].thread->block == thread->block)
            return &simt_explorer.actors[i + thread->index];
    abort();
}

void simt_explore_warp(const simt_thread *lanes, unsigned present, bool orders)
{
    bool meets[SIMT_WARP_SIZE];
    for (unsigned l = 0; l < SIMT_WARP_SIZE; l++)
        meets[l] = (present >> l & 1) != 0;
    if (simt_explorer.mode == RUN_EXPLORED)
        meet(actor_of(lanes), meets, meets, SIMT_WARP_SIZE, orders);
}

/* Threads that have returned are causes too: their return is what the barrier has waited for. */
void simt_explore_barrier(const simt_block *block)
{
    static bool all[SIMT_MAX_BLOCK_THREADS], arrives[SIMT_MAX_BLOCK_THREADS];
    for (unsigned i = 0; i < block->thread_count; i++) {
        all[i] = true;
        arrives[i] = block->threads[i].state == SIMT_AT_BARRIER;
    }
    if (simt_explorer.mode == RUN_EXPLORED)
        meet(actor_of(block->threads), all, arrives, block->thread_count, true);
}
