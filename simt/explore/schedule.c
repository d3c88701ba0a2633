/* Launches as the explorer runs them. All threads of all blocks go on until each has an atomic
 * operation before it, waits for others, or has returned; then one operation is performed. In
 * between, threads have nothing to do with each other, or a race is found. Which thread's operation
 * comes next makes no difference to what is explored: memory.c decides what loads read.
 *
 * A thread that sleeps, since a word is not as it needs it, does not go on: the execution in which
 * it looked later is another one. When nothing else is left, the execution goes on in one order,
 * and must come to an end. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "internal.h"

enum { QUIET_ROUNDS = 100 };

typedef struct place {
    simt_block block;
    simt_cluster cluster;
    simt_fiber *fibers;
    unsigned fiber_count;
} place;

static place places[MOST_BLOCKS];
static unsigned long performed; /* operations, in all */

/* ---- one thread ---- */

static void thread_body(void *argument)
{
    simt_thread *const thread = argument;
    const simt_call *const call = thread->block->call;
    call->invoke(call->function, call->arguments);
    simt_async_forget(thread);
    simt_thread_exits(thread);
}

static void resume(actor *a)
{
    simt_explorer.current = a;
    simt_self = &a->thread->identity;
    a->thread->block->begun = true;
    simt_fiber_resume(a->thread->fiber, thread_body, a->thread);
    simt_self = NULL;
    simt_explorer.current = NULL;
}

static bool is_over(void)
{
    return simt_explorer.end != GOES_ON;
}

/* ---- a launch begins ---- */

/* A launch of one block has it; clusters begin as a whole, and here all do. */
static bool is_absent(const simt_call *call, unsigned block)
{
    return simt_explorer.options != NULL && simt_count_of(call->grid) > 1 &&
           simt_count_of(call->cluster) == 1 && (simt_explorer.options->absent >> block & 1) != 0;
}

static bool reserve(place *p, unsigned threads)
{
    if (p->fiber_count >= threads)
        return true;
    p->fibers = realloc(p->fibers, threads * sizeof *p->fibers);
    for (; p->fibers != NULL && p->fiber_count < threads; p->fiber_count++)
        if (!simt_fiber_create(&p->fibers[p->fiber_count], p->fiber_count))
            return false;
    return p->fibers != NULL;
}

static void join_cluster(place *p, const simt_call *call, unsigned rank)
{
    simt_cluster *const cluster = &(p - rank)->cluster;
    if (rank == 0)
        *cluster = (simt_cluster){.size = (unsigned)simt_count_of(call->cluster)};
    cluster->blocks[rank] = &p->block;
    cluster->live += (unsigned)simt_count_of(call->block);
    p->block.cluster = cluster;
}

static bool begin_block(place *p, const simt_call *call, unsigned number)
{
    const unsigned threads = (unsigned)simt_count_of(call->block);
    const unsigned size = (unsigned)simt_count_of(call->cluster), rank = number % size;
    if (!reserve(p, threads) || !simt_begin_block(&p->block, call, number / size, rank,
                                                  (simt_fibers){p->fibers, p->fiber_count, 0}))
        return false;
    join_cluster(p, call, rank);
    explorer *const x = &simt_explorer;
    for (unsigned i = 0; i < threads; i++) {
        actor *const a = &x->actors[x->actor_count];
        *a = (actor){.thread = &p->block.threads[i], .block = number, .index = x->actor_count++};
    }
    return true;
}

static bool begin(const simt_call *call)
{
    explorer *const x = &simt_explorer;
    const uint64_t blocks = simt_count_of(call->grid), threads = simt_count_of(call->block);
    if (blocks > MOST_BLOCKS || blocks * threads > 8192) {
        explore_find("a launch with more blocks or threads than it explores");
        return false;
    }
    x->actor_count = 0;
    x->has_clusters = simt_count_of(call->cluster) > 1;
    for (unsigned b = 0; b < MOST_BLOCKS; b++)
        x->firsts[b] = (event_ref){INITIAL_WRITER, 0};
    x->launch++;
    launches_begin(call->may_be_early);
    const size_t copies = (size_t)blocks * x->copies;
    x->actors = realloc(x->actors, (blocks * threads + copies) * sizeof *x->actors);
    if (x->actors == NULL)
        return false;
    for (unsigned b = 0; b < blocks; b++)
        if (!is_absent(call, b) && !begin_block(&places[b], call, b))
            return false;
    x->actor_limit = x->actor_count + (unsigned)copies;
    memset(x->actors + x->actor_count, 0, copies * sizeof *x->actors);
    if (x->mode != RUN_EXPLORED)
        return true;
    clocks_begin_launch(x->actor_limit + 1);
    memory_begin_launch();
    races_begin_launch();
    clusters_begin_launch();
    copies_begin_launch();
    const clock_of nothing = clock_of_nothing();
    for (unsigned i = 0; i < x->actor_count; i++) {
        x->actors[i].known = x->actors[i].causes = nothing;
        x->actors[i].tick = 1;
    }
    return true;
}

/* ---- and goes on ---- */

static bool can_go_on(const actor *a)
{
    return a->thread->state == SIMT_READY && !a->is_pending;
}

static bool go_on_freely(void)
{
    explorer *const x = &simt_explorer;
    for (bool more = true; more;) {
        more = false;
        for (unsigned i = 0; i < x->actor_count; i++)
            while (can_go_on(&x->actors[i])) {
                resume(&x->actors[i]);
                more = true;
                if (x->actors[i].thread->block->failed)
                    explore_find("what is said above");
                if (is_over())
                    return false;
            }
    }
    return true;
}

/* ---- threads that wait ---- */

/* Behind a load of a thread that then went to sleep, and that this execution has added. */
static bool may_be_put_off(const actor *a)
{
    enum { MOST_TIMES = 3 }; /* in vain */
    const delay *const d = delays_find((event_ref){(uint16_t)a->index, (uint16_t)(a->events - 1)});
    return a->has_loaded && a->last_event >= simt_explorer.given &&
           (d == NULL || d->times < MOST_TIMES || d->messages != a->messages);
}

static void put_off(const actor *a)
{
    const event_ref name = {(uint16_t)a->index, (uint16_t)(a->events - 1)};
    const delay *const before = delays_find(name);
    const bool in_vain = before != NULL && before->messages == a->messages;
    delays_set(&simt_explorer.delays, (delay){name, a->messages, in_vain ? before->times + 1 : 1});
}

/* This execution up to one of its events, once more: what has been found to follow from that event
 * is forgotten. */
static void go_back_to(size_t first)
{
    explorer *const x = &simt_explorer;
    history h = {0};
    for (size_t i = 0; i < first; i++)
        history_add(&h, x->events.of[i]);
    graphs_cut(x->pushed[first]);
    graphs_push(h);
    explore_end(PUT_OFF);
}

/* Threads have gone to sleep, since words were not as they need them. Where one has read an older
 * value than it could have, another execution has the newer one, and this one ends. Otherwise their
 * loads came too early: they are put off. That changes the order in which graphs are gone through,
 * but not which. */
static void look_at_sleepers(void)
{
    explorer *const x = &simt_explorer;
    size_t first = SIZE_MAX;
    for (unsigned i = 0; i < x->actor_count; i++) {
        actor *const a = &x->actors[i];
        if (a->thread->state != SIMT_ASLEEP || a->is_asleep)
            continue;
        a->is_asleep = true;
        if (a->has_loaded && a->read_an_old_one)
            explore_end(TOO_EARLY);
        if (may_be_put_off(a) && a->last_event < first)
            first = a->last_event;
    }
    if (is_over() || first == SIZE_MAX)
        return;
    for (unsigned i = 0; i < x->actor_count; i++)
        if (x->actors[i].is_asleep && may_be_put_off(&x->actors[i]))
            put_off(&x->actors[i]);
    go_back_to(first);
}

/* Loads come last, and those of words that nobody has stored behind them: so that few come before
 * the store that they wait for. Then those that are put off. */
static unsigned rank_of(const actor *a)
{
    enum { LOAD = 1, LOAD_OF_NO_STORE, DELAYED, DELAYED_IN_VAIN };
    if (a->pending.kind != OPERATION_LOAD)
        return 0;
    const uint32_t messages = memory_messages(a->pending.address);
    const delay *const d = delays_find((event_ref){(uint16_t)a->index, (uint16_t)a->events});
    if (d != NULL)
        return messages != d->messages ? DELAYED : DELAYED_IN_VAIN + d->times;
    return messages > 1 ? LOAD : LOAD_OF_NO_STORE;
}

/* The thread whose event is to be repeated, or the first of the lowest rank. */
static actor *next_actor(void)
{
    explorer *const x = &simt_explorer;
    if (x->next < x->given && x->events.of[x->next].launch == x->launch &&
        x->events.of[x->next].name.thread < x->actor_limit) {
        actor *const a = &x->actors[x->events.of[x->next].name.thread];
        if (a->is_pending)
            return a;
    }
    actor *first = NULL;
    for (unsigned i = 0; i < x->actor_limit; i++) {
        actor *const a = &x->actors[i];
        if (a->is_pending && (first == NULL || rank_of(a) < rank_of(first)))
            first = a;
    }
    return first;
}

static unsigned count_live(void)
{
    unsigned live = 0;
    for (unsigned i = 0; i < simt_explorer.actor_count; i++)
        live += simt_explorer.actors[i].thread->state != SIMT_EXITED;
    return live;
}

/* One round over all threads, sleepers too. */
static void go_round(void)
{
    for (unsigned i = 0; i < simt_explorer.actor_count && !is_over(); i++) {
        actor *const a = &simt_explorer.actors[i];
        if (a->thread->state == SIMT_READY || a->thread->state == SIMT_ASLEEP) {
            resume(a);
            if (a->thread->block->failed)
                explore_find("what is said above");
        }
    }
}

/* In one order, to the end. Nothing but looking for so many rounds: for ever. */
static bool go_on_directly(void)
{
    unsigned quiet = 0;
    for (unsigned live = count_live(); live > 0 && !is_over();) {
        const unsigned long before = performed;
        go_round();
        const unsigned now = count_live();
        quiet = now == live && performed == before ? quiet + 1 : 0;
        live = now;
        if (quiet == QUIET_ROUNDS)
            explore_find("threads wait for what never comes");
    }
    return !is_over();
}

static bool explore_launch(void)
{
    explorer *const x = &simt_explorer;
    for (;;) {
        if (!go_on_freely())
            return false;
        look_at_sleepers();
        if (is_over())
            return false;
        actor *const a = next_actor();
        if (a == NULL)
            break;
        a->is_pending = false;
        if (!memory_perform(a))
            explore_end(REFUSED);
        if (is_over())
            return false;
    }
    if (count_live() == 0)
        return true;
    x->mode = RUN_DIRECT;
    x->waited = true;
    return go_on_directly();
}

cudaError_t simt_run(const simt_call *call)
{
    explorer *const x = &simt_explorer;
    if (is_over() || !begin(call))
        return cudaErrorLaunchFailure;
    const bool was_explored = x->mode == RUN_EXPLORED;
    const bool is_done = was_explored ? explore_launch() : go_on_directly();
    if (x->mode == RUN_EXPLORED) {
        launches_end();
        clusters_end_launch();
    }
    if (is_done && x->actor_count < simt_count_of(call->grid) * simt_count_of(call->block))
        explore_end(PARTIAL);
    for (unsigned b = 0; b < simt_count_of(call->grid); b++)
        if (!is_absent(call, b))
            simt_arena_end(&places[b].block);
    return is_done && !is_over() ? cudaSuccess : cudaErrorLaunchFailure;
}

/* ---- what a thread does ---- */

uint64_t simt_explore_operation(operation op)
{
    actor *const a = simt_explorer.current;
    op.is_blockwide = a->next_is_blockwide;
    a->next_is_blockwide = false;
    if (simt_explorer.mode == RUN_DIRECT) {
        a->pending = op;
        memory_perform(a);
        performed += a->pending.kind != OPERATION_LOAD;
        return a->pending.result;
    }
    const size_t offset = explore_offset((const void *)op.address);
    if (simt_explorer.has_clusters && offset >= SIMT_EXPLORE_DEVICE_BYTES)
        clusters_note_access(a, (const void *)op.address);
    site_note_operation(&op);
    if (site_is_weakened(op.site, EXPLORE_RELAXED))
        op.acquires = op.releases = false;
    if (site_is_weakened(op.site, EXPLORE_BLOCKWIDE))
        op.is_blockwide = true;
    a->pending = op;
    a->is_pending = true;
    simt_fiber_wait(a->thread->fiber);
    return a->pending.result;
}

void simt_interleave_in_block(void)
{
    if (simt_explorer.current != NULL)
        simt_explorer.current->next_is_blockwide = true;
}
