/* What a thread has issued and not waited for: operations in groups, as of wgmma. They are done one
 * after the other, at issue, when the thread waits for their group, or drawn in between. */
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

static void append(simt_thread *thread, simt_operation *one)
{
    simt_operation **end = &thread->issued;
    while (*end != NULL)
        end = &(*end)->next;
    one->group = thread->groups;
    *end = one;
}

static void complete_first(simt_thread *thread)
{
    simt_operation *const first = thread->issued;
    thread->issued = first->next;
    first->complete(first->arguments);
    free(first);
}

/* What is left must not be read. */
static void hold_all(const simt_thread *thread)
{
    for (simt_operation *one = thread->issued; one != NULL; one = one->next)
        one->hold(one->arguments);
}

static void complete_some(simt_thread *thread)
{
    if (simt_get_settings()->async != SIMT_DRAWN)
        return;
    while (thread->issued != NULL && simt_draw(&thread->draws) % 4 == 0)
        complete_first(thread);
    hold_all(thread);
}

void simt_async(void (*hold)(void *), void (*complete)(void *), const void *arguments, size_t bytes)
{
    simt_thread *const thread = simt_running();
    simt_operation *const one = new_operation(hold, complete, arguments, bytes);
    append(thread, one);
    if (simt_get_settings()->async == SIMT_AT_ISSUE)
        complete_first(thread);
    else
        hold(one->arguments);
    complete_some(thread);
}

void simt_async_commit(void)
{
    simt_thread *const thread = simt_running();
    thread->groups++;
    complete_some(thread);
}

/* How often the others run before the thread goes on: they may overwrite what it reads and has
 * released too early, or go ahead of it. Drawn, each warp is slow at another time. */
static unsigned passes_of_others(const simt_thread *thread)
{
    enum { LATE = 2, MOST = 8 };
    const simt_settings *const settings = simt_get_settings();
    uint64_t state =
        settings->async_seed + thread->groups * SIMT_MAX_WARPS + thread->index / SIMT_WARP_SIZE;
    return settings->async == SIMT_DRAWN ? (unsigned)(simt_draw(&state) % MOST) : LATE;
}

void simt_async_wait(unsigned groups_left, const char *file, int line)
{
    simt_thread *const thread = simt_running();
    const simt_operation *const first = thread->issued;
    if (first == NULL || thread->groups - first->group <= groups_left)
        return;
    for (unsigned left = passes_of_others(thread); left > 0; left--)
        simt_sleep(file, line);
    while (thread->issued != NULL && thread->groups - thread->issued->group > groups_left)
        complete_first(thread);
    hold_all(thread);
}

void simt_async_forget(simt_thread *thread)
{
    while (thread->issued != NULL) {
        simt_operation *const first = thread->issued;
        thread->issued = first->next;
        free(first);
    }
    thread->groups = 0;
    thread->draws = simt_get_settings()->async_seed + thread->index;
}
