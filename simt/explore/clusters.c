/* Clusters: what their barrier orders, and whether a block is there when others access its shared
 * memory: it has begun, for all that the others know, and it ends behind what they do. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "internal.h"

/* ---- the barrier ---- */

/* What arrivals have brought along, of two phases in turn: nobody is two of them ahead. */
typedef struct arrivals {
    unsigned phase;
    clock_of known, causes; /* NULL: nobody has arrived */
} arrivals;

static arrivals arrived[MOST_BLOCKS][2]; /* by the clusters' first blocks */

static unsigned first_block(const actor *a)
{
    return a->block - a->block % a->thread->block->cluster->size;
}

static arrivals *arrivals_of(const actor *a, unsigned phase)
{
    arrivals *const all = &arrived[first_block(a)][phase & 1];
    if (all->phase != phase)
        *all = (arrivals){.phase = phase};
    return all;
}

void simt_explore_arrive(const simt_thread *thread)
{
    actor *const a = simt_explorer.current;
    if (simt_explorer.mode != RUN_EXPLORED)
        return;
    arrivals *const all = arrivals_of(a, thread->block->cluster->phase);
    all->known = clock_joined(clock_with(a->known, a->index, a->tick), all->known);
    all->causes = clock_joined(clock_with(a->causes, a->index, a->events), all->causes);
    a->tick++;
}

/* A thread that returns is a cause too, once others wait for it. */
void simt_explore_leave(const simt_thread *thread)
{
    const simt_cluster *const cluster = thread->block->cluster;
    actor *const a = simt_explorer.current;
    if (simt_explorer.mode != RUN_EXPLORED || cluster->arrived + cluster->phase == 0)
        return;
    arrivals *const all = arrivals_of(a, cluster->phase);
    all->causes = clock_joined(clock_with(a->causes, a->index, a->events), all->causes);
}

void simt_explore_wait(const simt_thread *thread)
{
    actor *const a = simt_explorer.current;
    if (simt_explorer.mode != RUN_EXPLORED)
        return;
    const arrivals *const all = arrivals_of(a, thread->cluster_phase);
    a->known = clock_joined(a->known, all->known);
    a->causes = clock_joined(a->causes, all->causes);
    a->meetings++;
}

bool simt_explore_skips_cluster(const char *file, int line)
{
    return simt_explorer.mode == RUN_EXPLORED &&
           site_is_left_out(EXPLORE_CLUSTER_BARRIER, file, line);
}

/* ---- other blocks' shared memory ---- */

/* An actor's last access to a block's, until the launch ends. */
typedef struct visit {
    unsigned block, actor;
    uint32_t tick;
} visit;

static visit *visits;
static size_t visit_count, visit_capacity;

void clusters_begin_launch(void)
{
    memset(arrived, 0, sizeof arrived);
    visit_count = 0;
}

/* Does a thread of the block know that the actor has come so far? */
static bool is_known_in(unsigned block, unsigned of, uint32_t tick)
{
    const explorer *const x = &simt_explorer;
    for (unsigned i = 0; i < x->actor_count; i++)
        if (x->actors[i].block == block && happened_before(&x->actors[i], of, tick))
            return true;
    return false;
}

/* Does the actor know of anything that the block has done? */
static bool knows_of(const actor *a, unsigned block)
{
    const explorer *const x = &simt_explorer;
    for (unsigned i = 0; i < x->actor_count; i++)
        if (x->actors[i].block == block && happened_before(a, i, 1))
            return true;
    return false;
}

void clusters_note_visit(const actor *a, unsigned block)
{
    for (size_t i = 0; i < visit_count; i++)
        if (visits[i].block == block && visits[i].actor == a->index) {
            visits[i].tick = a->tick;
            return;
        }
    if (visit_count == visit_capacity) {
        visit_capacity = visit_capacity == 0 ? 64 : 2 * visit_capacity;
        visits = realloc(visits, visit_capacity * sizeof *visits);
        if (visits == NULL)
            abort();
    }
    visits[visit_count++] = (visit){block, a->index, a->tick};
}

void clusters_note_access(const actor *a, const void *address)
{
    const simt_block *const own = a->thread->block;
    const simt_cluster *const cluster = own->cluster;
    if (simt_is_in_arena(own, address))
        return;
    for (unsigned rank = 0; rank < cluster->size; rank++) {
        const unsigned block = first_block(a) + rank;
        if (!simt_is_in_arena(cluster->blocks[rank], address))
            continue;
        if (!knows_of(a, block))
            explore_find("block %u accesses shared memory of block %u, which may not have begun",
                         a->block, block);
        clusters_note_visit(a, block);
    }
}

void clusters_end_launch(void)
{
    for (size_t i = 0; i < visit_count; i++)
        if (!is_known_in(visits[i].block, visits[i].actor, visits[i].tick))
            explore_find("block %u may return before others have accessed its shared memory",
                         visits[i].block);
}
