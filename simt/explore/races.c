/* Plain accesses: of two to the same byte, one of which stores, one happened before the other. For
 * each byte of the arena: who stored last and who has loaded since, in this launch. What earlier
 * launches did happened before. Four bytes that have only been accessed together have one cell. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/mman.h>

#include "internal.h"

enum { NOBODY = UINT16_MAX, SEVERAL = UINT16_MAX - 1 };

typedef struct cell {
    uint32_t launch; /* of all executions; an older one's is empty */
    uint16_t writer, reader;
    uint32_t written, read;    /* ticks; of several readers, the first of a list */
    uint32_t word;             /* from 1 on; 0: no atomic operation was here */
    uint32_t storing, loading; /* launches that may overlap, by their bits */
    bool is_plain;             /* the last store */
    bool is_split;             /* of the first of four bytes: the others have cells too */
} cell;

enum { TOGETHER = 4 };

/* Several threads that have loaded a byte. */
typedef struct reader {
    uint32_t next; /* from 1 on; 0: none */
    uint32_t tick;
    uint16_t actor;
} reader;

static cell *cells;
static uint32_t launch, first_launch; /* of those that may overlap */
static reader *readers;
static uint32_t reader_count, reader_capacity;

void races_begin_launch(void)
{
    if (cells == NULL) {
        cells = mmap(NULL, (size_t)SIMT_EXPLORE_ARENA_BYTES * sizeof *cells, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (cells == MAP_FAILED)
            abort();
    }
    launch++;
    if (launches_bit() == 1)
        first_launch = launch;
    reader_count = 0;
}

static cell *cell_at(size_t offset)
{
    cell *const c = &cells[offset];
    if (c->launch == launch)
        return c;
    const cell before = *c;
    *c = (cell){.launch = launch, .writer = NOBODY, .reader = NOBODY};
    if (before.launch >= first_launch) {
        c->storing = before.storing;
        c->loading = before.loading;
        c->is_split = before.is_split;
    }
    return c;
}

static void split(size_t first)
{
    cell *const c = cell_at(first);
    for (size_t i = 1; i < TOGETHER; i++)
        cells[first + i] = *c;
    c->is_split = true;
}

/* The cells of the bytes up to `end`, one after the other, of which *at is the next byte. NULL:
 * there are no more. */
static cell *next_cell(size_t *at, size_t end)
{
    if (*at >= end)
        return NULL;
    const size_t first = *at / TOGETHER * TOGETHER;
    cell *const c = cell_at(first);
    if (!c->is_split && *at == first && end - first >= TOGETHER) {
        *at += TOGETHER;
        return c;
    }
    if (!c->is_split)
        split(first);
    return cell_at((*at)++);
}

static bool is_ordered(const actor *a, uint16_t other, uint32_t tick)
{
    return other == NOBODY || happened_before(a, other, tick);
}

static uint32_t add_reader(uint16_t actor_index, uint32_t tick, uint32_t next)
{
    if (reader_count == reader_capacity) {
        reader_capacity = reader_capacity == 0 ? 1024 : 2 * reader_capacity;
        readers = realloc(readers, reader_capacity * sizeof *readers);
        if (readers == NULL)
            abort();
    }
    readers[reader_count++] = (reader){next, tick, actor_index};
    return reader_count;
}

static void note_reader(cell *c, const actor *a)
{
    const uint16_t self = (uint16_t)a->index;
    const uint32_t tick = a->tick;
    if (c->reader != SEVERAL && is_ordered(a, c->reader, c->read)) {
        c->reader = self;
        c->read = tick;
        return;
    }
    if (c->reader != SEVERAL) {
        c->read = add_reader(c->reader, c->read, 0);
        c->reader = SEVERAL;
    }
    for (uint32_t i = c->read; i != 0; i = readers[i - 1].next)
        if (readers[i - 1].actor == self) {
            readers[i - 1].tick = tick;
            return;
        }
    c->read = add_reader(self, tick, c->read);
}

/* One whose load is not ordered with what the actor does; NOBODY: all are. */
static uint16_t unordered_reader(const cell *c, const actor *a)
{
    if (c->reader != SEVERAL)
        return is_ordered(a, c->reader, c->read) ? NOBODY : c->reader;
    for (uint32_t i = c->read; i != 0; i = readers[i - 1].next)
        if (!is_ordered(a, readers[i - 1].actor, readers[i - 1].tick))
            return readers[i - 1].actor;
    return NOBODY;
}

static const char *kind_of(const actor *a)
{
    return a->index < simt_explorer.actor_count ? "thread" : "a copy of thread";
}

static void say(const actor *a, uint16_t other, const char *what)
{
    const actor *const b = &simt_explorer.actors[other];
    explore_find("%s, of block %u %s %u and block %u %s %u, are not ordered", what, a->block,
                 kind_of(a), a->thread->index, b->block, kind_of(b), b->thread->index);
}

/* An access by the current launch, and who of the others is not ordered with it. */
typedef struct meeting {
    uint32_t bit, unseen;
} meeting;

/* Shared memory is another one in each launch, at the same addresses. */
static meeting meeting_at(const actor *a, size_t offset)
{
    if (offset >= SIMT_EXPLORE_DEVICE_BYTES)
        return (meeting){0, 0};
    return (meeting){launches_bit(), launches_unseen(a)};
}

static inline void check_launches(cell *c, const actor *a, meeting m, bool writes)
{
    const char *const mine = writes ? "a store" : "a load";
    if ((c->storing & m.unseen) != 0)
        launches_find(a, c->storing & m.unseen, "a store", mine);
    if (writes && (c->loading & m.unseen) != 0)
        launches_find(a, c->loading & m.unseen, "a load", mine);
    c->storing |= writes ? m.bit : 0;
    c->loading |= writes ? 0 : m.bit;
}

unsigned races_plain(const actor *a, size_t offset, size_t bytes, bool writes,
                     uint32_t words[MOST_WORDS])
{
    const size_t end = offset + bytes;
    const meeting m = meeting_at(a, offset);
    unsigned count = 0;
    for (cell *c; (c = next_cell(&offset, end)) != NULL;) {
        if (!is_ordered(a, c->writer, c->written))
            say(a, c->writer, writes ? "two stores" : "a store and a load");
        if (writes && unordered_reader(c, a) != NOBODY)
            say(a, unordered_reader(c, a), "a load and a store");
        if (c->word != 0 && count < MOST_WORDS && (count == 0 || words[count - 1] != c->word))
            words[count++] = c->word;
        check_launches(c, a, m, writes);
        if (writes) {
            c->writer = (uint16_t)a->index;
            c->written = a->tick;
            c->reader = NOBODY;
            c->is_plain = true;
        } else {
            note_reader(c, a);
        }
    }
    return count;
}

void races_atomic(actor *a, size_t offset, size_t bytes, bool writes)
{
    const size_t end = offset + bytes;
    const meeting m = meeting_at(a, offset);
    for (cell *c; (c = next_cell(&offset, end)) != NULL;) {
        if (!is_ordered(a, c->writer, c->written))
            say(a, c->writer, "a plain store and an atomic operation");
        check_launches(c, a, m, writes);
        if (writes && unordered_reader(c, a) != NOBODY)
            say(a, unordered_reader(c, a), "a plain load and an atomic store");
    }
}

void races_note_word(size_t offset, size_t bytes, uint32_t word)
{
    const size_t end = offset + bytes;
    for (cell *c; (c = next_cell(&offset, end)) != NULL;) {
        c->word = word;
        c->is_plain = false;
    }
}

bool races_take_plain_write(size_t offset, size_t bytes)
{
    const size_t end = offset + bytes;
    bool was_plain = false;
    for (cell *c; (c = next_cell(&offset, end)) != NULL;) {
        was_plain |= c->is_plain;
        c->is_plain = false;
    }
    return was_plain;
}
