/* Vector clocks of the threads of a launch; all are forgotten when the next one begins. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "internal.h"

enum { CLOCKS_OF_CHUNK = 256 };

typedef struct chunk {
    struct chunk *next;
    uint32_t counts[];
} chunk;

static chunk *chunks, *current;
static unsigned entry_count, capacity, used; /* clocks of the current chunk */

static chunk *new_chunk(void)
{
    chunk *const c = malloc(sizeof *c + (size_t)CLOCKS_OF_CHUNK * capacity * sizeof *c->counts);
    if (c == NULL)
        abort();
    c->next = NULL;
    return c;
}

static void free_chunks(void)
{
    while (chunks != NULL) {
        chunk *const next = chunks->next;
        free(chunks);
        chunks = next;
    }
}

void clocks_begin_launch(unsigned entries)
{
    if (entries > capacity) {
        free_chunks();
        capacity = entries;
    }
    if (chunks == NULL)
        chunks = new_chunk();
    current = chunks;
    used = 0;
    entry_count = entries;
}

static uint32_t *take(void)
{
    if (used == CLOCKS_OF_CHUNK) {
        if (current->next == NULL)
            current->next = new_chunk();
        current = current->next;
        used = 0;
    }
    return current->counts + (size_t)capacity * used++;
}

clock_of clock_of_nothing(void)
{
    uint32_t *const c = take();
    memset(c, 0, entry_count * sizeof *c);
    return c;
}

uint32_t *clock_begun(clock_of from)
{
    uint32_t *const c = take();
    memcpy(c, from, entry_count * sizeof *c);
    return c;
}

/* As signed numbers, which they are small enough for: SSE2 compares these. */
void clock_add(uint32_t *to, clock_of from)
{
    for (unsigned i = 0; i < entry_count; i++)
        to[i] = (int32_t)to[i] < (int32_t)from[i] ? from[i] : to[i];
}

clock_of clock_joined(clock_of a, clock_of b)
{
    if (a == NULL || b == NULL || a == b)
        return a != NULL ? a : b;
    uint32_t *const c = clock_begun(a);
    clock_add(c, b);
    return c;
}

clock_of clock_joined_behind(clock_of a, clock_of b, unsigned first, unsigned end)
{
    uint32_t *const c = clock_begun(a);
    for (unsigned i = first; i < end; i++)
        c[i] = c[i] < b[i] ? b[i] : c[i];
    return c;
}

clock_of clock_with(clock_of from, unsigned thread, uint32_t count)
{
    uint32_t *const c = clock_begun(from);
    c[thread] = count;
    return c;
}
