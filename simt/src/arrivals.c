/* Arrivals at mbarriers, waits, and the copies whose bytes they count. A copy is done at issue,
 * when no thread of the cluster can go on without one, or drawn in between; until then its
 * destination holds NaNs. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "block.h"
#include "mbarrier.h"
#include "sanitizers.h"

/* ThreadSanitizer's names, of the two phases in turn. */
static char *object_of(simt_mbarrier *barrier, unsigned phase)
{
    return (char *)barrier + (phase & 1);
}

/* ---- phases ---- */

static void wake(const simt_cluster *cluster, const simt_mbarrier *barrier)
{
    for (unsigned b = 0; b < cluster->size; b++) {
        const simt_block *block = cluster->blocks[b];
        for (unsigned i = 0; i < block->thread_count; i++) {
            simt_thread *const t = &block->threads[i];
            if (t->state == SIMT_AT_MBARRIER && t->wait.value == (uint64_t)(uintptr_t)barrier)
                t->state = SIMT_READY;
        }
    }
}

static void end_phase_if_complete(const simt_cluster *cluster, simt_mbarrier *barrier)
{
    if (simt_end_phase(barrier))
        wake(cluster, barrier);
}

void simt_mbarrier_arrive(void *at, unsigned bytes)
{
    simt_mbarrier *const barrier = at;
    simt_tsan_release(object_of(barrier, barrier->phase));
    barrier->bytes += bytes;
    barrier->pending--;
    end_phase_if_complete(simt_running()->block->cluster, barrier);
}

void simt_mbarrier_wait(void *at, unsigned parity, const char *file, int line)
{
    simt_thread *const thread = simt_running();
    simt_mbarrier *const barrier = at;
    thread->wait.name = parity == 0 ? "mbarrier_wait, parity 0," : "mbarrier_wait, parity 1,";
    thread->wait.file = file;
    thread->wait.line = line;
    thread->wait.mask = 0;
    thread->wait.value = (uint64_t)(uintptr_t)barrier;
    thread->slept = false;
    while (barrier->phase == parity) {
        thread->state = SIMT_AT_MBARRIER;
        simt_fiber_wait(thread->fiber);
    }
    simt_tsan_acquire(object_of(barrier, parity));
}

/* ---- copies ---- */

struct simt_copy {
    simt_copy *next;
    simt_block *block; /* whose shared memory it comes to */
    simt_mbarrier *barrier;
    size_t bytes;
    void (*complete)(void *);
    _Alignas(16) unsigned char arguments[];
};

static simt_block *block_of(const simt_cluster *cluster, const void *shared)
{
    for (unsigned b = 0; b < cluster->size; b++)
        if (simt_is_in_arena(cluster->blocks[b], shared))
            return cluster->blocks[b];
    simt_fault("copies to what is not in shared memory");
}

static void do_copy(const simt_cluster *cluster, simt_copy *copy)
{
    copy->complete(copy->arguments);
    simt_tsan_release(object_of(copy->barrier, copy->barrier->phase));
    copy->barrier->bytes -= (int64_t)copy->bytes;
    end_phase_if_complete(cluster, copy->barrier);
    free(copy);
}

void simt_begin_copy(void *to, size_t bytes, void *at, void (*complete)(void *),
                     const void *arguments, size_t argument_bytes)
{
    simt_cluster *const cluster = simt_running()->block->cluster;
    simt_mbarrier *const barrier = at;
    if (!barrier->shown)
        simt_fault("has bytes counted at an mbarrier that no fence has shown to copies");
    simt_copy *const copy = malloc(sizeof *copy + argument_bytes);
    if (copy == NULL)
        simt_fault("there is no memory for a copy");
    *copy = (simt_copy){NULL, block_of(cluster, to), barrier, bytes, complete};
    memcpy(copy->arguments, arguments, argument_bytes);
    if (simt_get_settings()->async == SIMT_AT_ISSUE) {
        do_copy(cluster, copy);
        return;
    }
    simt_poison(to, bytes);
    simt_copy **end = &cluster->copies;
    while (*end != NULL)
        end = &(*end)->next;
    *end = copy;
}

static void do_copy_at(simt_cluster *cluster, simt_copy **at)
{
    simt_copy *const copy = *at;
    *at = copy->next;
    do_copy(cluster, copy);
}

/* Those that are drawn. */
static bool complete_some(simt_cluster *cluster)
{
    bool any = false;
    for (simt_copy **at = &cluster->copies; *at != NULL;)
        if (simt_draw(&cluster->draws) % 4 == 0) {
            do_copy_at(cluster, at);
            any = true;
        } else {
            at = &(*at)->next;
        }
    return any;
}

bool simt_complete_copies(simt_cluster *cluster, bool all_wait)
{
    if (simt_get_settings()->async == SIMT_DRAWN && complete_some(cluster))
        return true;
    if (!all_wait || cluster->copies == NULL)
        return false;
    do_copy_at(cluster, &cluster->copies);
    return true;
}

bool simt_awaits_copies(const simt_cluster *cluster, const simt_block *block)
{
    for (const simt_copy *copy = cluster->copies; copy != NULL; copy = copy->next)
        if (copy->block == block)
            return true;
    return false;
}

void simt_forget_copies(simt_cluster *cluster)
{
    while (cluster->copies != NULL) {
        simt_copy *const copy = cluster->copies;
        cluster->copies = copy->next;
        free(copy);
    }
}
