/* Work that waits in streams. Whoever waits for some of it runs it, one piece after the other, in
 * any order that streams, events and the default stream's rule allow: a coin says whether the next
 * piece is one that is needed, or one of any stream. Each piece has a number, in the order of the
 * calls that submitted it. */
#define _GNU_SOURCE
#include "queue.h"

#include <pthread.h>
#include <stdlib.h>

enum { OTHERS_TURN = 4 /* one time in that many */ };

typedef struct piece {
    struct piece *next;
    uint64_t number;
    simt_work work;
    bool begun; /* a meeting, which others have yet to come to */
} piece;

struct simt_queue {
    simt_queue *next; /* of all */
    int device;
    bool ordered, is_default;
    bool busy;      /* a thread runs the first piece */
    bool abandoned; /* and goes with its last piece */
    piece *first, *last;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static simt_queue defaults[SIMT_MAX_DEVICES], *queues;
static uint64_t numbers, coin;

static void prepare(void)
{
    for (int d = 0; d < SIMT_MAX_DEVICES; d++) {
        defaults[d] = (simt_queue){.next = queues, .device = d, .is_default = true};
        queues = &defaults[d];
    }
    coin = simt_get_settings()->streams_seed;
}

static void enter(void)
{
    pthread_once(&once, prepare);
    pthread_mutex_lock(&lock);
}

static void leave(void)
{
    pthread_mutex_unlock(&lock);
}

/* ---- which piece may run ---- */

/* The default stream waits for what was submitted to ordered ones before, and they wait for it. */
static bool goes_by(const simt_queue *q, const simt_queue *other)
{
    return q->device == other->device &&
           ((q->is_default && other->ordered) || (q->ordered && other->is_default));
}

static simt_queue *older_one(const simt_queue *q)
{
    for (simt_queue *other = queues; other != NULL; other = other->next)
        if (other->first != NULL && other->first->number < q->first->number && goes_by(q, other))
            return other;
    return NULL;
}

static bool is_held_by_others(const piece *p)
{
    return p->begun && simt_sticky() == cudaSuccess &&
           !p->work.as.meeting.is_over(p->work.as.meeting.with);
}

/* The queue that has to go on before this one, which has work, can: itself where other threads or
 * other ranks have to, NULL where nothing keeps it. */
static simt_queue *what_keeps(simt_queue *q)
{
    const piece *p = q->first;
    if (q->busy || is_held_by_others(p))
        return q;
    if (p->work.type == cudaGraphNodeTypeWaitEvent && !atomic_load(&p->work.as.mark->passed))
        return p->work.as.mark->queue;
    return older_one(q);
}

/* Any queue for which the answer is yes. */
static simt_queue *pick(bool (*is_one)(simt_queue *q, const void *of), const void *of)
{
    simt_queue *picked = NULL;
    uint64_t seen = 0;
    for (simt_queue *q = queues; q != NULL; q = q->next)
        if (is_one(q, of) && simt_draw(&coin) % ++seen == 0)
            picked = q;
    return picked;
}

static bool can_go_on(simt_queue *q, const void *nothing)
{
    (void)nothing;
    return q->first != NULL && what_keeps(q) == NULL;
}

/* ---- what somebody waits for ---- */

enum { ALL_DEVICES = -1 };

/* That a mark is passed, or that one queue or a device's have run all that is not younger. */
typedef struct goal {
    const simt_mark *mark;
    simt_queue *queue;
    int device;
    uint64_t number;
} goal;

static bool is_short_of(simt_queue *q, const void *of)
{
    const goal *g = of;
    if (g->queue != NULL ? q != g->queue : g->device != ALL_DEVICES && q->device != g->device)
        return false;
    return q->first != NULL && q->first->number <= g->number;
}

/* NULL: it is reached. */
static simt_queue *short_of(const goal *g)
{
    if (g->mark == NULL)
        return pick(is_short_of, g);
    return atomic_load(&g->mark->passed) ? NULL : g->mark->queue;
}

/* The queue to run a piece of; NULL: none can go on. Each is kept by an older piece, up to one that
 * is run already, or that ranks of unknown streams have to come to. */
static simt_queue *choose(const goal *g)
{
    simt_queue *q = short_of(g), *by = q;
    if (q == NULL || simt_draw(&coin) % OTHERS_TURN == 0)
        return pick(can_go_on, NULL);
    while ((by = what_keeps(q)) != NULL && by != q)
        q = by;
    return by == NULL ? q : pick(can_go_on, NULL);
}

/* ---- running it ---- */

static void drop_queue(simt_queue *q)
{
    simt_queue **at = &queues;
    while (*at != q)
        at = &(*at)->next;
    *at = q->next;
    free(q);
}

static void end_first(simt_queue *q)
{
    piece *const p = q->first;
    q->first = p->next;
    if (q->first == NULL)
        q->last = NULL;
    simt_discard(&p->work);
    free(p);
    if (q->first == NULL && q->abandoned)
        drop_queue(q);
}

/* Errors are sticky, or those of a meeting that has told its communicator. */
static void run_first(simt_queue *q)
{
    piece *const p = q->first;
    if (!p->begun && (simt_sticky() == cudaSuccess || simt_outlives_failure(&p->work))) {
        q->busy = true;
        leave();
        simt_perform(&p->work);
        enter();
        q->busy = false;
        p->begun = p->work.type == cudaGraphNodeTypeHost;
    }
    if (!is_held_by_others(p))
        end_first(q);
    pthread_cond_broadcast(&changed);
}

static bool some_are_busy(void)
{
    for (const simt_queue *q = queues; q != NULL; q = q->next)
        if (q->busy)
            return true;
    return false;
}

/* Nothing has come for too long: what waits for other ranks waits in vain. */
static void give_up(void)
{
    for (const simt_queue *q = queues; q != NULL && !some_are_busy(); q = q->next)
        if (q->first != NULL && is_held_by_others(q->first))
            q->first->work.as.meeting.give_up(q->first->work.as.meeting.with);
}

static void wait_for_change(void)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += simt_get_settings()->patience;
    if (pthread_cond_timedwait(&changed, &lock, &until) != 0)
        give_up();
}

static void run_until(const goal *g)
{
    while (short_of(g) != NULL) {
        simt_queue *const q = choose(g);
        if (q != NULL)
            run_first(q);
        else
            wait_for_change();
    }
}

static void finish(goal g)
{
    enter();
    g.number = numbers;
    run_until(&g);
    leave();
}

void simt_queue_finish(simt_queue *queue)
{
    finish((goal){.queue = queue});
}

void simt_queue_finish_device(int device)
{
    finish((goal){.device = device});
}

void simt_queue_finish_all(void)
{
    finish((goal){.device = ALL_DEVICES});
}

void simt_queue_finish_mark(const simt_mark *mark)
{
    finish((goal){.mark = mark});
}

/* Who asks again and again is to see the end of it. */
static bool ask(goal g)
{
    enter();
    g.number = numbers;
    const bool done = short_of(&g) == NULL;
    simt_queue *const q = done ? NULL : choose(&g);
    if (q != NULL)
        run_first(q);
    leave();
    return done;
}

bool simt_queue_is_done(simt_queue *queue)
{
    return ask((goal){.queue = queue});
}

bool simt_queue_has_passed(const simt_mark *mark)
{
    return ask((goal){.mark = mark});
}

void simt_queue_look_again(void)
{
    enter();
    pthread_cond_broadcast(&changed);
    leave();
}

/* ---- what is in them ---- */

simt_queue *simt_queue_new(int device, bool ordered)
{
    simt_queue *const q = calloc(1, sizeof *q);
    if (q == NULL)
        return NULL;
    q->device = device;
    q->ordered = ordered;
    enter();
    q->next = queues;
    queues = q;
    leave();
    return q;
}

simt_queue *simt_queue_default(int device)
{
    return &defaults[device];
}

void simt_queue_abandon(simt_queue *queue)
{
    enter();
    queue->abandoned = true;
    if (queue->first == NULL)
        drop_queue(queue);
    leave();
}

cudaError_t simt_queue_add(simt_queue *queue, const simt_work *work)
{
    piece *const p = calloc(1, sizeof *p);
    if (p == NULL)
        return cudaErrorMemoryAllocation;
    p->work = *work;
    enter();
    p->number = ++numbers;
    if (work->type == cudaGraphNodeTypeEventRecord)
        work->as.mark->queue = queue;
    if (queue->last != NULL)
        queue->last->next = p;
    else
        queue->first = p;
    queue->last = p;
    pthread_cond_broadcast(&changed);
    leave();
    return cudaSuccess;
}
