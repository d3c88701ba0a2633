/* Where CUDA threads wait for each other: barriers and warp operations. */
#include "block.h"
#include "sanitizers.h"

static void wait_here(simt_thread *thread)
{
    simt_fiber_wait(thread->fiber);
}

/* ---- barriers: count the arrivals of live threads ---- */

/* CUDA asks for one barrier for all; the hardware counts, and may take two for one. */
static void arrive(simt_thread *thread)
{
    simt_block *block = thread->block;
    if (block->at_barrier++ == 0) {
        block->first_arrival = &thread->wait;
        block->barriers_differ = false;
    } else if (!simt_same_line(&thread->wait, block->first_arrival)) {
        block->barriers_differ = true;
    }
}

static void release_barrier_if_complete(simt_block *block)
{
    if (block->live == 0 || block->at_barrier < block->live)
        return;
    if (block->barriers_differ && simt_get_settings()->strict_barriers) {
        simt_report_threads(block, "meets at different barriers");
        block->failed = true;
        return;
    }
    simt_explore_barrier(block);
    block->at_barrier = 0;
    block->barrier_phase++;
    for (unsigned i = 0; i < block->thread_count; i++)
        if (block->threads[i].state == SIMT_AT_BARRIER)
            block->threads[i].state = SIMT_READY;
}

void simt_syncthreads(const char *file, int line)
{
    simt_thread *thread = simt_running();
    simt_block *block = thread->block;
    if (simt_explore_skips(file, line) || simt_is_left_out(file, line))
        return;
    /* Two objects in turn: a thread that is already at the next barrier must not add its history
     * to what a slower one acquires from this one. */
    char *object = &block->barrier_objects[block->barrier_phase & 1];
    thread->wait.name = "__syncthreads";
    thread->wait.file = file;
    thread->wait.line = line;
    thread->wait.mask = 0;
    thread->state = SIMT_AT_BARRIER;
    thread->slept = false;
    simt_tsan_release(object);
    arrive(thread);
    release_barrier_if_complete(block);
    wait_here(thread);
    simt_tsan_acquire(object);
}

/* ---- warp operations: wait for exactly the live lanes in the mask ---- */

static unsigned warp_lanes(const simt_thread *thread, simt_thread **first)
{
    simt_block *block = thread->block;
    const unsigned start = thread->index / SIMT_WARP_SIZE * SIMT_WARP_SIZE;
    *first = &block->threads[start];
    const unsigned left = block->thread_count - start;
    return left < SIMT_WARP_SIZE ? left : SIMT_WARP_SIZE;
}

static bool same_operation(const simt_wait *a, const simt_wait *b)
{
    return a->operation == b->operation && a->mask == b->mask;
}

static bool lane_in(unsigned mask, unsigned lane)
{
    return (mask >> lane & 1) != 0;
}

static simt_lanes *warp_of(const simt_thread *lanes)
{
    return &lanes->block->warps[lanes->index / SIMT_WARP_SIZE];
}

/* Of a warp that is cut off by the block's end, the lanes that are there. */
static unsigned first_lanes(unsigned count)
{
    return count == SIMT_WARP_SIZE ? ~0u : (1u << count) - 1;
}

static bool all_arrived(const simt_wait *wait, const simt_thread *lanes, unsigned count)
{
    const simt_lanes *warp = warp_of(lanes);
    const unsigned awaited = wait->mask & first_lanes(count) & ~warp->exited;
    if ((awaited & ~warp->waiting) != 0)
        return false;
    for (unsigned l = 0; l < count; l++)
        if (lane_in(awaited, l) && !same_operation(wait, &lanes[l].wait))
            return false;
    return true;
}

static uint64_t shuffled(const simt_wait *wait, const simt_thread *lanes, unsigned count)
{
    const unsigned source = (unsigned)wait->source_lane;
    const bool there =
        source < count && lane_in(wait->mask, source) && lanes[source].state != SIMT_EXITED;
    return there ? lanes[source].wait.value : (uint64_t)SIMT_POISON_WORD << 32 | SIMT_POISON_WORD;
}

static void complete(unsigned mask, simt_thread *lanes, unsigned count)
{
    uint64_t ballot = 0;
    unsigned present = 0, parities = 0;
    bool is_sync = false;
    for (unsigned l = 0; l < count; l++) {
        if (!lane_in(mask, l) || lanes[l].state == SIMT_EXITED)
            continue;
        ballot |= (uint64_t)(lanes[l].wait.value != 0) << l;
        present |= 1u << l;
        is_sync = lanes[l].wait.operation == SIMT_WARP_SYNC;
        parities |= (lanes[l].warp_syncs & 1) << l;
    }
    for (unsigned l = 0; l < count; l++) {
        if (!lane_in(mask, l) || lanes[l].state == SIMT_EXITED)
            continue;
        simt_wait *wait = &lanes[l].wait;
        wait->present = present;
        wait->parities = parities;
        wait->result = wait->operation == SIMT_WARP_SHUFFLE ? shuffled(wait, lanes, count) : ballot;
    }
    for (unsigned l = 0; l < count; l++)
        if (lane_in(mask, l) && lanes[l].state == SIMT_AT_WARP)
            lanes[l].state = SIMT_READY;
    simt_explore_warp(lanes, present, is_sync);
    warp_of(lanes)->waiting &= ~mask;
}

/* Also from lanes that have left the kernel since. */
static void acquire_from_lanes(const simt_wait *wait, simt_thread *lanes, unsigned count)
{
    for (unsigned l = 0; l < count; l++)
        if (lane_in(wait->present, l))
            simt_tsan_acquire(&lanes[l].sync_objects[wait->parities >> l & 1]);
}

int simt_lane(void)
{
    return (int)(simt_running()->index % SIMT_WARP_SIZE);
}

uint64_t simt_warp(simt_warp_operation operation, unsigned mask, uint64_t value, int source_lane,
                   const char *name, const char *file, int line)
{
    simt_thread *thread = simt_running(), *lanes;
    const unsigned count = warp_lanes(thread, &lanes);
    simt_wait *wait = &thread->wait;
    wait->name = name;
    wait->file = file;
    wait->line = line;
    wait->operation = operation;
    wait->mask = mask;
    wait->value = value;
    wait->source_lane = source_lane;
    if (operation == SIMT_WARP_SYNC &&
        (simt_explore_skips(file, line) || simt_is_left_out(file, line)))
        return 0;
    if (!lane_in(mask, thread->index % SIMT_WARP_SIZE))
        simt_fault("%s at %s:%d: the calling lane is not in the mask 0x%08x", name, file, line,
                   mask);
    thread->state = SIMT_AT_WARP;
    warp_of(lanes)->waiting |= 1u << thread->index % SIMT_WARP_SIZE;
    if (operation == SIMT_WARP_SYNC)
        simt_tsan_release(&thread->sync_objects[++thread->warp_syncs & 1]);
    if (all_arrived(wait, lanes, count))
        complete(mask, lanes, count);
    wait_here(thread);
    if (operation == SIMT_WARP_SYNC)
        acquire_from_lanes(wait, lanes, count);
    return wait->result;
}

/* ---- sleeping: the others run first ---- */

void simt_sleep(const char *file, int line)
{
    simt_thread *thread = simt_running();
    thread->wait.name = "__nanosleep";
    thread->wait.file = file;
    thread->wait.line = line;
    thread->wait.mask = 0;
    thread->state = SIMT_ASLEEP;
    thread->slept = true;
    wait_here(thread);
    thread->state = SIMT_READY;
}

/* ---- atomic operations: others may come between two of them ---- */

void simt_interleave(void)
{
    simt_thread *thread = simt_running();
    if (thread != NULL && thread->coin != 0 && simt_toss(&thread->coin))
        wait_here(thread);
}

#ifndef SIMT_EXPLORE /* where scopes count, and launches may overlap */
void simt_interleave_in_block(void)
{
    simt_interleave();
}

void simt_wait_for_launches(const char *file, int line)
{
    (void)file;
    (void)line;
}

void simt_trigger_launch(void)
{
}
#endif

/* ---- leaving ---- */

void simt_thread_exits(simt_thread *thread)
{
    simt_thread *lanes;
    const unsigned count = warp_lanes(thread, &lanes);
    simt_lanes *warp = warp_of(lanes);
    thread->state = SIMT_EXITED;
    warp->exited |= 1u << thread->index % SIMT_WARP_SIZE;
    thread->block->live--;
    release_barrier_if_complete(thread->block);
    simt_leave_cluster(thread);
    for (unsigned l = 0; l < count && warp->waiting != 0; l++)
        if (lane_in(warp->waiting, l) && all_arrived(&lanes[l].wait, lanes, count))
            complete(lanes[l].wait.mask, lanes, count);
}
