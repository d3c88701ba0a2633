/* What a thread has issued and not waited for: operations in groups, as of wgmma, and copies in
 * batches, by cp.async. Those of a kind are done one after the other, at issue, when the thread
 * waits for their group, or drawn in between. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "block.h"

typedef struct simt_operation {
    struct simt_operation *next;
    void (*hold)(void *);
    void (*complete)(void *);
    unsigned group;
    _Alignas(16) unsigned char arguments[];
} simt_operation;

static simt_operation *new_operation(void (*hold)(void *), void (*complete)(void *),
                                     const void *arguments, size_t bytes)
{
    simt_operation *one = malloc(sizeof *one + bytes);
    if (one == NULL)
        simt_fault("there is no memory for what is issued");
    *one = (simt_operation){.hold = hold, .complete = complete};
    memcpy(one->arguments, arguments, bytes);
    return one;
}

static void append(simt_issued *all, simt_operation *one)
{
    simt_operation **end = &all->first;
    while (*end != NULL)
        end = &(*end)->next;
    one->group = all->groups;
    *end = one;
}

static void complete_first(simt_issued *all)
{
    simt_operation *const first = all->first;
    all->first = first->next;
    first->complete(first->arguments);
    free(first);
}

/* What is left must not be read. */
static void hold_all(const simt_issued *all)
{
    for (simt_operation *one = all->first; one != NULL; one = one->next)
        one->hold(one->arguments);
}

static void complete_some(simt_thread *thread, simt_issued *all)
{
    if (simt_get_settings()->async != SIMT_DRAWN)
        return;
    while (all->first != NULL && simt_draw(&thread->draws) % 4 == 0)
        complete_first(all);
    hold_all(all);
}

static void issue(simt_thread *thread, simt_issued *all, simt_operation *one)
{
    append(all, one);
    if (simt_get_settings()->async == SIMT_AT_ISSUE)
        complete_first(all);
    else
        one->hold(one->arguments);
    complete_some(thread, all);
}

static void commit(simt_thread *thread, simt_issued *all)
{
    all->groups++;
    complete_some(thread, all);
}

/* How often the others run before the thread goes on: they may overwrite what it reads and has
 * released too early, or go ahead of it. Drawn, each warp is slow at another time. An exploration
 * sees both as races, without passes, in which it would take the thread for one that waits. */
static unsigned passes_of_others(const simt_thread *thread, const simt_issued *all)
{
#ifdef SIMT_EXPLORE
    (void)thread;
    (void)all;
    return 0;
#else
    enum { LATE = 2, MOST = 8 };
    const simt_settings *const settings = simt_get_settings();
    uint64_t state =
        settings->async_seed + all->groups * SIMT_MAX_WARPS + thread->index / SIMT_WARP_SIZE;
    return settings->async == SIMT_DRAWN ? (unsigned)(simt_draw(&state) % MOST) : LATE;
#endif
}

static void wait_for(simt_thread *thread, simt_issued *all, unsigned groups_left, const char *file,
                     int line)
{
    if (all->first == NULL || all->groups - all->first->group <= groups_left)
        return;
    for (unsigned left = passes_of_others(thread, all); left > 0; left--)
        simt_sleep(file, line);
    while (all->first != NULL && all->groups - all->first->group > groups_left)
        complete_first(all);
    hold_all(all);
}

/* ---- operations ---- */

void simt_async(void (*hold)(void *), void (*complete)(void *), const void *arguments, size_t bytes)
{
    simt_thread *const thread = simt_running();
    issue(thread, &thread->products, new_operation(hold, complete, arguments, bytes));
}

void simt_async_commit(void)
{
    simt_thread *const thread = simt_running();
    commit(thread, &thread->products);
}

void simt_async_wait(unsigned groups_left, const char *file, int line)
{
    simt_thread *const thread = simt_running();
    wait_for(thread, &thread->products, groups_left, file, line);
}

/* ---- copies ---- */

typedef struct thread_copy {
    void *to;
    const void *from;
    unsigned bytes, zeros; /* after them */
} thread_copy;

static void hold_copy(void *arguments)
{
    const thread_copy *const copy = arguments;
    simt_poison(copy->to, copy->bytes + copy->zeros);
}

static void complete_copy(void *arguments)
{
    const thread_copy *const copy = arguments;
    memcpy(copy->to, copy->from, copy->bytes);
    memset((char *)copy->to + copy->bytes, 0, copy->zeros);
}

void simt_copy_late(void *to, const void *from, unsigned bytes, unsigned zeros)
{
    simt_thread *const thread = simt_running();
    const thread_copy copy = {to, from, bytes, zeros};
    issue(thread, &thread->copies, new_operation(hold_copy, complete_copy, &copy, sizeof copy));
}

void simt_copies_commit(void)
{
    simt_thread *const thread = simt_running();
    commit(thread, &thread->copies);
}

void simt_copies_wait(unsigned batches_left, const char *file, int line)
{
    simt_thread *const thread = simt_running();
    wait_for(thread, &thread->copies, batches_left, file, line);
}

/* ---- none is left ---- */

static void forget(simt_issued *all)
{
    while (all->first != NULL) {
        simt_operation *const first = all->first;
        all->first = first->next;
        free(first);
    }
    all->groups = 0;
}

void simt_async_forget(simt_thread *thread)
{
    forget(&thread->products);
    forget(&thread->copies);
    thread->draws = simt_get_settings()->async_seed + thread->index;
}
