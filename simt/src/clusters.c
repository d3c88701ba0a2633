/* Clusters: a barrier of all their threads, and each other's shared memory. */
#include "block.h"
#include "sanitizers.h"

/* ---- the barrier, in two steps ---- */

/* Two in turn, as for a block's barrier: nobody is two of them ahead. */
static char *object_of(const simt_cluster *cluster, unsigned phase)
{
    return &cluster->blocks[0]->cluster_objects[phase & 1];
}

static void release_if_complete(simt_cluster *cluster)
{
    if (cluster->live == 0 || cluster->arrived < cluster->live)
        return;
    cluster->arrived = 0;
    cluster->phase++;
    for (unsigned b = 0; b < cluster->size; b++) {
        const simt_block *block = cluster->blocks[b];
        for (unsigned i = 0; i < block->thread_count; i++)
            if (block->threads[i].state == SIMT_AT_CLUSTER)
                block->threads[i].state = SIMT_READY;
    }
}

void simt_cluster_arrive(const char *file, int line)
{
    simt_thread *thread = simt_running();
    simt_cluster *cluster = thread->block->cluster;
    if (thread->at_cluster)
        simt_fault("arrives a second time at the cluster's barrier at %s:%d, and has not waited",
                   file, line);
    thread->at_cluster = true;
    thread->passes_cluster = simt_explore_skips_cluster(file, line) || simt_is_left_out(file, line);
    if (thread->passes_cluster)
        return;
    thread->cluster_phase = cluster->phase;
    cluster->arrived++;
    simt_tsan_release(object_of(cluster, cluster->phase));
    simt_explore_arrive(thread);
    release_if_complete(cluster);
}

void simt_cluster_wait(const char *file, int line)
{
    simt_thread *thread = simt_running();
    simt_cluster *cluster = thread->block->cluster;
    if (!thread->at_cluster)
        simt_fault("waits at the cluster's barrier at %s:%d, and has not arrived", file, line);
    if (thread->passes_cluster) {
        thread->at_cluster = false;
        return;
    }
    thread->wait.name = "the cluster's barrier";
    thread->wait.file = file;
    thread->wait.line = line;
    thread->wait.mask = 0;
    thread->slept = false;
    if (cluster->phase == thread->cluster_phase) {
        thread->state = SIMT_AT_CLUSTER;
        simt_fiber_wait(thread->fiber);
    }
    thread->at_cluster = false;
    simt_tsan_acquire(object_of(cluster, thread->cluster_phase));
    simt_explore_wait(thread);
}

/* The others wait for threads that have not returned. */
void simt_leave_cluster(simt_thread *thread)
{
    simt_cluster *cluster = thread->block->cluster;
    simt_explore_leave(thread);
    cluster->live--;
    if (thread->at_cluster && !thread->passes_cluster && thread->cluster_phase == cluster->phase)
        cluster->arrived--;
    release_if_complete(cluster);
}

/* ---- shared memory ---- */

/* The array of the block that the address lies in. */
static const simt_slot *slot_of(const simt_block *block, const char *address)
{
    for (unsigned i = 0; i < block->slot_count; i++) {
        const simt_slot *slot = &block->slots[i];
        if (address >= slot->memory && address < slot->memory + slot->bytes)
            return slot;
    }
    simt_fault("asks where another block keeps what is not in shared memory");
}

void *simt_shared_of_block(void *mine, unsigned rank)
{
    const simt_block *block = simt_running()->block;
    const simt_cluster *cluster = block->cluster;
    const simt_slot *slot = slot_of(block, mine);
    if (rank >= cluster->size)
        simt_fault("reaches for the shared memory of block %u in a cluster of %u", rank,
                   cluster->size);
    simt_block *other = cluster->blocks[rank];
#ifndef SIMT_EXPLORE /* which sees both in all orders, at the access itself */
    if (!other->begun)
        simt_fault("reaches for the shared memory of block %u, which has not begun", rank);
    if (other->live == 0)
        simt_fault("reaches for the shared memory of block %u, which has returned", rank);
#endif
    char *theirs = simt_shared_slot(other, slot->key, slot->bytes, slot->alignment);
    return theirs + ((char *)mine - slot->memory);
}
