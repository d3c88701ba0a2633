/* The graphs whose executions are still to be gone through: the last one added comes first, so that
 * there are never many. */
#define _GNU_SOURCE
#include <stdlib.h>

#include "internal.h"

static history *waiting;
static size_t count, capacity;

event *history_add(history *h, event e)
{
    if (h->count == h->capacity) {
        h->capacity = h->capacity == 0 ? 64 : 2 * h->capacity;
        h->of = realloc(h->of, h->capacity * sizeof *h->of);
        if (h->of == NULL)
            abort();
    }
    h->of[h->count] = e;
    return &h->of[h->count++];
}

void graphs_push(history h)
{
    if (count == capacity) {
        capacity = capacity == 0 ? 64 : 2 * capacity;
        waiting = realloc(waiting, capacity * sizeof *waiting);
        if (waiting == NULL)
            abort();
    }
    waiting[count++] = h;
}

bool graphs_pop(history *h)
{
    if (count == 0)
        return false;
    *h = waiting[--count];
    return true;
}

void graphs_clear(void)
{
    history h;
    while (graphs_pop(&h))
        free(h.of);
}
