/* The graphs that are still to be gone through: the last one added comes first, so that there are
 * never many. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "internal.h"

static graph *waiting;
static size_t count, capacity;

static void *checked(void *memory)
{
    if (memory == NULL)
        abort();
    return memory;
}

event *history_add(history *h, event e)
{
    if (h->count == h->capacity) {
        h->capacity = h->capacity == 0 ? 64 : 2 * h->capacity;
        h->of = checked(realloc(h->of, h->capacity * sizeof *h->of));
    }
    h->of[h->count] = e;
    return &h->of[h->count++];
}

static delays copy_of(delays d)
{
    if (d.count == 0)
        return (delays){0};
    delays copy = {checked(malloc(d.count * sizeof *d.of)), d.count};
    memcpy(copy.of, d.of, d.count * sizeof *d.of);
    return copy;
}

void graphs_push(history events)
{
    if (count == capacity) {
        capacity = capacity == 0 ? 64 : 2 * capacity;
        waiting = checked(realloc(waiting, capacity * sizeof *waiting));
    }
    waiting[count++] = (graph){events, copy_of(simt_explorer.delays)};
}

bool graphs_pop(graph *g)
{
    if (count == 0)
        return false;
    *g = waiting[--count];
    return true;
}

size_t graphs_count(void)
{
    return count;
}

void graph_free(graph g)
{
    free(g.events.of);
    free(g.delays.of);
}

void graphs_cut(size_t to)
{
    while (count > to)
        graph_free(waiting[--count]);
}

/* ---- delays ---- */

const delay *delays_find(event_ref name)
{
    const delays *const all = &simt_explorer.delays;
    for (size_t i = 0; i < all->count; i++)
        if (same_event(all->of[i].name, name))
            return &all->of[i];
    return NULL;
}

/* A thread has one: of its next load. */
void delays_set(delays *all, delay d)
{
    for (size_t i = 0; i < all->count; i++)
        if (all->of[i].name.thread == d.name.thread) {
            all->of[i] = d;
            return;
        }
    all->of = checked(realloc(all->of, (all->count + 1) * sizeof *all->of));
    all->of[all->count++] = d;
}
