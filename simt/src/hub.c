/* Ranks of other processes: the process that made a communicator's id is where its ranks meet. For
 * each rank of another one a thread plays that rank here, with memory of its own, and a second one
 * sends back what came of it. */
#define _GNU_SOURCE
#include "hub.h"

#include "queue.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* A part that another process has sent, with its memory after it. */
typedef struct order {
    struct order *next;
    uint64_t ticket;
    size_t writes;
    simt_part part;
} order;

/* One rank of another process. */
typedef struct visitor {
    int wire;
    ncclComm_t comm;
    atomic_bool gone;
    bool told_of_abort, is_to_tell;
    pthread_mutex_t lock; /* of the lists; taken inside the ranks' lock */
    order *waiting, *ready;
} visitor;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t left = PTHREAD_COND_INITIALIZER;
static char name[64];
static int listening = -1, visitors;
static pid_t owner; /* a child of a process is not where its parent was */

/* ---- what has come of their parts ---- */

static void push(order **list, order *o)
{
    while (*list != NULL)
        list = &(*list)->next;
    o->next = NULL;
    *list = o;
}

static void collect_done(visitor *v)
{
    order **at = &v->waiting;
    while (*at != NULL) {
        order *const o = *at;
        if (o->part.done) {
            *at = o->next;
            push(&v->ready, o);
        } else {
            at = &o->next;
        }
    }
}

/* Under the ranks' lock. */
static bool has_news(void *of)
{
    visitor *const v = of;
    if (atomic_load(&v->gone))
        return true;
    pthread_mutex_lock(&v->lock);
    collect_done(v);
    v->is_to_tell = v->comm->all->aborted && !v->told_of_abort;
    const bool news = v->ready != NULL || v->is_to_tell;
    pthread_mutex_unlock(&v->lock);
    return news;
}

static void answer(visitor *v, const order *o)
{
    const simt_part *const p = &o->part;
    const simt_letter letter = {.kind = SIMT_ANSWER,
                                .ticket = o->ticket,
                                .result = p->result,
                                .bytes = p->result == ncclSuccess ? o->writes : 0};
    simt_wire_send(v->wire, &letter, p->to);
}

static void free_all(order *o)
{
    for (order *next; o != NULL; o = next) {
        next = o->next;
        free(o);
    }
}

static void tell_news(visitor *v)
{
    pthread_mutex_lock(&v->lock);
    order *const ready = v->ready;
    v->ready = NULL;
    pthread_mutex_unlock(&v->lock);
    for (const order *o = ready; o != NULL; o = o->next)
        answer(v, o);
    free_all(ready);
    if (v->is_to_tell)
        simt_wire_send(v->wire, &(simt_letter){.kind = SIMT_ABORTED}, NULL);
    v->told_of_abort = v->told_of_abort || v->is_to_tell;
}

static void *write_letters(void *of)
{
    visitor *const v = of;
    const ncclResult_t result = simt_ranks_await(v->comm);
    simt_wire_send(v->wire, &(simt_letter){.kind = SIMT_COMPLETE, .result = result}, NULL);
    for (;;) {
        simt_ranks_wait_until(has_news, v);
        if (atomic_load(&v->gone))
            return NULL;
        tell_news(v);
    }
}

/* ---- what they bring ---- */

static order *read_order(visitor *v, const simt_letter *letter)
{
    simt_part part = letter->part;
    part.comm = v->comm;
    const size_t reads = letter->bytes, writes = simt_part_writes(&part);
    order *const o = malloc(sizeof *o + reads + writes);
    if (o == NULL)
        return NULL;
    part.to = o + 1;
    part.from = (char *)(o + 1) + writes;
    *o = (order){.ticket = letter->ticket, .writes = writes, .part = part};
    if (simt_wire_read(v->wire, (char *)(o + 1) + writes, reads))
        return o;
    free(o);
    return NULL;
}

static bool take_part(visitor *v, const simt_letter *letter)
{
    order *const o = read_order(v, letter);
    if (o == NULL)
        return false;
    pthread_mutex_lock(&v->lock);
    push(&v->waiting, o);
    pthread_mutex_unlock(&v->lock);
    simt_ranks_bring_visitors(&o->part);
    simt_queue_look_again();
    return true;
}

/* true: the process aborts. */
static bool read_letters(visitor *v)
{
    simt_letter letter = {.aborts = false};
    while (simt_wire_receive(v->wire, &letter) && letter.kind == SIMT_PART)
        if (!take_part(v, &letter))
            return false;
    return letter.kind == SIMT_LEAVE && letter.aborts;
}

static bool welcome(visitor *v)
{
    simt_letter letter;
    if (!simt_wire_receive(v->wire, &letter) || letter.kind != SIMT_HELLO)
        return false;
    const int device = letter.process * SIMT_MAX_DEVICES + letter.device;
    const ncclResult_t result =
        simt_ranks_join(&letter.id, letter.ranks, letter.rank, device, &v->comm);
    simt_wire_send(v->wire, &(simt_letter){.kind = SIMT_JOINED, .result = result}, NULL);
    return result == ncclSuccess;
}

static void play(visitor *v)
{
    pthread_t writer;
    simt_ranks_hold(v->comm);
    const bool writes = pthread_create(&writer, NULL, write_letters, v) == 0;
    const bool aborts = writes && read_letters(v);
    atomic_store(&v->gone, true);
    simt_ranks_leave(v->comm, aborts);
    simt_queue_look_again();
    if (writes)
        pthread_join(writer, NULL);
    simt_ranks_let_go(v->comm);
    free_all(v->waiting);
    free_all(v->ready);
}

static void *visit(void *of)
{
    visitor *const v = of;
    if (welcome(v))
        play(v);
    close(v->wire);
    free(v);
    pthread_mutex_lock(&lock);
    visitors--;
    pthread_cond_broadcast(&left);
    pthread_mutex_unlock(&lock);
    return NULL;
}

/* ---- the door ---- */

static void let_in(int wire)
{
    pthread_t thread;
    visitor *const v = calloc(1, sizeof *v);
    if (v != NULL) {
        v->wire = wire;
        pthread_mutex_init(&v->lock, NULL);
    }
    pthread_mutex_lock(&lock);
    const bool in = v != NULL && pthread_create(&thread, NULL, visit, v) == 0;
    visitors += in;
    pthread_mutex_unlock(&lock);
    if (in) {
        pthread_detach(thread);
        return;
    }
    close(wire);
    free(v);
}

static void *keep_the_door(void *nothing)
{
    (void)nothing;
    for (int wire; (wire = simt_wire_accept(listening)) >= 0;)
        let_in(wire);
    return NULL;
}

static bool wait_for_one_to_leave(void)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += simt_get_settings()->patience;
    return pthread_cond_timedwait(&left, &lock, &until) == 0;
}

/* At the program's end: the other processes may have more to do together. */
static void see_them_off(void)
{
    if (owner != getpid())
        return;
    simt_ranks_abandon();
    pthread_mutex_lock(&lock);
    while (visitors > 0 && wait_for_one_to_leave())
        ;
    pthread_mutex_unlock(&lock);
}

static bool open_door(void)
{
    pthread_t thread;
    simt_wire_make_name(name, sizeof name);
    listening = *name != '\0' ? simt_wire_listen(name) : -1;
    if (listening < 0)
        return false;
    visitors = 0;
    if (pthread_create(&thread, NULL, keep_the_door, NULL) != 0) {
        close(listening);
        return false;
    }
    pthread_detach(thread);
    atexit(see_them_off);
    owner = getpid();
    return true;
}

const char *simt_hub_name(void)
{
    pthread_mutex_lock(&lock);
    const bool open = owner == getpid() || open_door();
    pthread_mutex_unlock(&lock);
    return open ? name : NULL;
}

bool simt_hub_is_here(const char *where)
{
    pthread_mutex_lock(&lock);
    const bool here = owner == getpid() && strcmp(name, where) == 0;
    pthread_mutex_unlock(&lock);
    return here;
}
