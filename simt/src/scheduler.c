/* Blocks on operating-system threads, and threads of a block on fibers.
 *
 * A worker holds a few blocks at a time. One pass over a block lets every thread that can go on run
 * until it waits or returns; then comes the next block. Which block is taken first and in which
 * order a pass visits the threads is a setting, so that a test can show what depends on it. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "block.h"
#include "sanitizers.h"

/* Threads of two blocks share a fiber's history only where their indices differ by multiples of
 * this, so that ThreadSanitizer still sees a race between equal indices of neighbouring blocks. */
enum { FIBER_SHIFT = 7, FIBER_SPARE = 64, MAX_WORKERS = 64, MAX_RESIDENT = 64 };

/* After this many rounds in which all threads that run only look and sleep again, they are taken to
 * wait for ever. */
enum { QUIET_ROUNDS = 2000 };

/* One launch while it runs. */
typedef struct run {
    const simt_call *call;
    uint64_t number; /* of the launch */
    simt_sequence order;
    _Atomic uint64_t next; /* how many clusters have been taken */
    atomic_bool failed;
    _Atomic uint64_t progress;              /* rounds in which a thread did more than wait */
    _Atomic uint64_t quiet_at[MAX_WORKERS]; /* the progress + 1 since which a worker's only wait */
    unsigned workers;
    char start_object, end_object; /* ThreadSanitizer's names */
    void **arenas;                 /* what to free at the end: ThreadSanitizer only */
    _Atomic size_t arena_count;
} run;

/* A place for one resident block. */
typedef struct seat {
    simt_block block;
    simt_fiber *fibers;
    size_t fiber_count;
    uint64_t blocks_seated;
} seat;

/* A cluster takes as many seats as it has blocks, one beside the other. */
typedef struct worker {
    seat *seats[MAX_RESIDENT];
    simt_cluster clusters[MAX_RESIDENT];
} worker;

static pthread_mutex_t launch_lock = PTHREAD_MUTEX_INITIALIZER; /* one launch at a time */
static pthread_mutex_t pool_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work_there = PTHREAD_COND_INITIALIZER, work_done = PTHREAD_COND_INITIALIZER;
static run *current;
static uint64_t generation;
static unsigned busy, started;
static pthread_mutex_t report_lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- one CUDA thread ---- */

static _Thread_local run *worker_run; /* what this operating-system thread works on */

static void thread_body(void *argument)
{
    simt_thread *thread = argument;
    simt_block *block = thread->block;
    run *r = worker_run;
    simt_tsan_acquire(&r->start_object);
    simt_tsan_acquire(&block->start_object);
    block->call->invoke(block->call->function, block->call->arguments);
    simt_tsan_release(&r->end_object);
    simt_async_forget(thread);
    simt_thread_exits(thread);
}

static void resume(simt_thread *thread)
{
    simt_self = &thread->identity;
    simt_fiber_resume(thread->fiber, thread_body, thread);
}

/* ---- one block ---- */

static bool reserve_fibers(seat *s, unsigned threads)
{
    const size_t wanted = threads + FIBER_SPARE;
    if (s->fiber_count >= wanted)
        return true;
    simt_fiber *more = realloc(s->fibers, wanted * sizeof *more);
    if (more == NULL)
        return false;
    s->fibers = more;
    for (; s->fiber_count < wanted; s->fiber_count++)
        if (!simt_fiber_create(&s->fibers[s->fiber_count], s->fiber_count))
            return false;
    return true;
}

/* The block of this rank in a cluster of this number. */
static bool begin_block(seat *s, run *r, uint64_t number, unsigned rank)
{
    simt_block *block = &s->block;
    const unsigned count = (unsigned)simt_count_of(r->call->block);
    if (!reserve_fibers(s, count))
        return false;
    const simt_fibers fibers = {s->fibers, s->fiber_count, FIBER_SHIFT * s->blocks_seated++};
    if (!simt_begin_block(block, r->call, number, rank, fibers))
        return false;
    for (unsigned i = 0; i < count; i++)
        block->threads[i].coin =
            simt_first_toss(r->number, number * SIMT_MAX_CLUSTER_BLOCKS + rank, i);
    simt_tsan_release(&block->start_object);
    return true;
}

static void end_block(seat *s, run *r)
{
    s->block.occupied = false;
#ifdef SIMT_TSAN
    r->arenas[atomic_fetch_add(&r->arena_count, 1)] = s->block.arena;
#endif
    (void)r;
    simt_arena_end(&s->block);
}

/* What a pass over a block, or a round over a worker's blocks, came to. */
typedef enum outcome { NONE_COULD_RUN, ALL_WAITED, PROGRESS } outcome;

/* Did the thread, which ran, go on waiting for another one? A warp may look together, so that warp
 * operations are part of that until a barrier is reached. */
static bool goes_on_waiting(const simt_thread *thread)
{
    return thread->slept && thread->state != SIMT_AT_BARRIER && thread->state != SIMT_AT_CLUSTER &&
           thread->state != SIMT_EXITED;
}

/* Lets every thread that can go on run once. */
static outcome pass(simt_block *block)
{
    const simt_sequence order = simt_make_sequence(block->thread_count, block->passes++);
    outcome o = NONE_COULD_RUN;
    uint64_t at = order.start;
    block->begun = true;
    for (unsigned i = 0; i < block->thread_count && !block->failed; i++) {
        simt_thread *thread = &block->threads[at];
        at += order.step;
        at -= at >= order.count ? order.count : 0;
        if (thread->state == SIMT_READY || thread->state == SIMT_ASLEEP) {
            resume(thread);
            o = goes_on_waiting(thread) && o != PROGRESS ? ALL_WAITED : PROGRESS;
        }
    }
    return o;
}

static void abandon(seat *s, run *r)
{
    for (unsigned i = 0; i < s->block.thread_count; i++)
        if (s->block.threads[i].state != SIMT_EXITED)
            simt_fiber_abandon(s->block.threads[i].fiber);
    end_block(s, r);
}

/* ---- a cluster of blocks ---- */

static bool begin_cluster(worker *w, unsigned first, run *r, uint64_t number)
{
    simt_cluster *cluster = &w->clusters[first];
    *cluster = (simt_cluster){.size = (unsigned)simt_count_of(r->call->cluster),
                              .draws = simt_get_settings()->async_seed + number};
    const simt_sequence order = simt_make_sequence(cluster->size, number);
    for (unsigned i = 0; i < cluster->size; i++) {
        seat **s = &w->seats[first + i];
        const unsigned rank = (unsigned)simt_sequence_at(&order, i);
        if (*s == NULL)
            *s = calloc(1, sizeof **s);
        if (*s == NULL || !begin_block(*s, r, number, rank))
            return false;
        (*s)->block.cluster = cluster;
        cluster->blocks[rank] = &(*s)->block;
        cluster->live += (*s)->block.thread_count;
    }
    return true;
}

static bool is_occupied(worker *w, unsigned first, unsigned size)
{
    for (unsigned i = first; i < first + size; i++)
        if (w->seats[i] != NULL && w->seats[i]->block.occupied)
            return true;
    return false;
}

static void fail(const simt_cluster *cluster, run *r)
{
    bool said = false;
    for (unsigned b = 0; b < cluster->size; b++)
        said |= cluster->blocks[b]->failed;
    pthread_mutex_lock(&report_lock);
    if (!atomic_exchange(&r->failed, true) && !said)
        for (unsigned b = 0; b < cluster->size; b++)
            if (cluster->blocks[b]->live > 0)
                simt_report_threads(cluster->blocks[b], "cannot go on");
    pthread_mutex_unlock(&report_lock);
}

/* A pass over each block, and what follows from it. */
static outcome step(worker *w, unsigned first, run *r)
{
    simt_cluster *cluster = &w->clusters[first];
    outcome all = NONE_COULD_RUN;
    bool failed = false;
    for (unsigned i = first; i < first + cluster->size && !failed; i++) {
        simt_block *block = &w->seats[i]->block;
        if (!block->occupied)
            continue;
        const outcome o = pass(block);
        all = o > all ? o : all;
        failed = block->failed;
        if (block->live == 0 && simt_awaits_copies(cluster, block)) {
            simt_report_threads(block, "returns before a copy to it has come");
            failed = block->failed = true;
        }
        if (block->live == 0)
            end_block(w->seats[i], r);
    }
    if (!failed && simt_complete_copies(cluster, all != PROGRESS))
        return PROGRESS;
    if (failed || all == NONE_COULD_RUN)
        fail(cluster, r);
    return all;
}

/* ---- threads that wait for ever, asleep ---- */

/* How long a worker has been quiet. */
typedef struct quiet {
    uint64_t progress;
    unsigned rounds;
} quiet;

/* After a round of this worker. true: no thread of any worker has done anything but wait for so
 * long that nobody is left who could end that. A worker counts as quiet after many rounds of its
 * own since the last progress of anyone, so that each thread has looked again at what it waits for.
 */
static bool all_wait_for_ever(run *r, unsigned self, outcome o, quiet *q)
{
    if (o == PROGRESS) {
        atomic_fetch_add(&r->progress, 1);
        return false;
    }
    sched_yield();
    const uint64_t progress = atomic_load(&r->progress);
    q->rounds = q->progress == progress ? q->rounds + 1 : 0;
    q->progress = progress;
    if (q->rounds < QUIET_ROUNDS)
        return false;
    atomic_store(&r->quiet_at[self], progress + 1);
    for (unsigned w = 0; w < r->workers; w++)
        if (atomic_load(&r->quiet_at[w]) < progress + 1)
            return false;
    return true;
}

/* ---- workers ---- */

/* A whole number of clusters. */
static unsigned resident_blocks(const simt_call *call)
{
    const unsigned wanted = simt_get_settings()->resident;
    const unsigned blocks = wanted != 0 ? wanted : simt_count_of(call->block) <= 128 ? 4 : 2;
    const unsigned size = (unsigned)simt_count_of(call->cluster);
    return blocks < size ? size : blocks / size * size;
}

static bool take_cluster(worker *w, unsigned first, run *r)
{
    const uint64_t taken = atomic_fetch_add(&r->next, 1);
    if (taken >= r->order.count)
        return false;
    if (begin_cluster(w, first, r, simt_sequence_at(&r->order, taken)))
        return true;
    atomic_store(&r->failed, true);
    return false;
}

static void work(worker *w, unsigned self, run *r)
{
    const unsigned resident = resident_blocks(r->call),
                   size = (unsigned)simt_count_of(r->call->cluster);
    outcome round = PROGRESS;
    quiet q = {0};
    const simt_cluster *last = NULL;
    worker_run = r;
    while (round != NONE_COULD_RUN && !atomic_load(&r->failed)) {
        round = NONE_COULD_RUN;
        for (unsigned i = 0; i < resident && !atomic_load(&r->failed); i += size) {
            if (!is_occupied(w, i, size) && !take_cluster(w, i, r))
                continue;
            last = &w->clusters[i];
            const outcome o = step(w, i, r);
            round = o > round ? o : round;
        }
        if (round != NONE_COULD_RUN && all_wait_for_ever(r, self, round, &q))
            fail(last, r);
    }
    atomic_store(&r->quiet_at[self], UINT64_MAX);
    for (unsigned i = 0; i < resident; i++)
        if (w->seats[i] != NULL && w->seats[i]->block.occupied)
            abandon(w->seats[i], r);
    for (unsigned i = 0; i < resident; i += size)
        simt_forget_copies(&w->clusters[i]);
}

static void *worker_main(void *argument)
{
    static worker workers[MAX_WORKERS];
    const unsigned self = (unsigned)(uintptr_t)argument;
    worker *w = &workers[self];
    uint64_t seen = 0;
    pthread_mutex_lock(&pool_lock);
    for (;;) {
        while (generation == seen)
            pthread_cond_wait(&work_there, &pool_lock);
        seen = generation;
        run *r = current;
        pthread_mutex_unlock(&pool_lock);
        work(w, self, r);
        pthread_mutex_lock(&pool_lock);
        if (--busy == 0)
            pthread_cond_signal(&work_done);
    }
    return NULL;
}

static void start_workers(void)
{
    for (; started < simt_get_settings()->workers; started++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, worker_main, (void *)(uintptr_t)started) != 0)
            break;
        pthread_detach(thread);
    }
}

static void run_on_workers(run *r)
{
    pthread_mutex_lock(&pool_lock);
    start_workers();
    current = r;
    r->workers = busy = started;
    generation++;
    pthread_cond_broadcast(&work_there);
    while (busy > 0)
        pthread_cond_wait(&work_done, &pool_lock);
    pthread_mutex_unlock(&pool_lock);
}

cudaError_t simt_run(const simt_call *call)
{
    run *r = calloc(1, sizeof *r);
    if (r == NULL)
        return cudaErrorMemoryAllocation;
    pthread_mutex_lock(&launch_lock);
    static uint64_t launches;
    (void)simt_get_settings();
    r->call = call;
    r->number = launches++;
    r->order = simt_make_sequence(simt_clusters_of(call), ~r->number);
#ifdef SIMT_TSAN
    r->arenas = calloc(simt_count_of(call->grid), sizeof *r->arenas);
#endif
    simt_tsan_release(&r->start_object);
    run_on_workers(r);
    simt_tsan_acquire(&r->end_object);
    const bool failed = atomic_load(&r->failed);
    /* After a failure some threads never reached the end that this thread acquired. */
    for (size_t i = 0; !failed && i < atomic_load(&r->arena_count); i++)
        free(r->arenas[i]);
    free(r->arenas);
    free(r);
    if (failed)
        simt_set_sticky(cudaErrorLaunchFailure);
    pthread_mutex_unlock(&launch_lock);
    return failed ? cudaErrorLaunchFailure : cudaSuccess;
}
