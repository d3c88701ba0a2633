/* Words of atomic operations: their stores in order, what a load may read, and which graphs follow
 * from each event.
 *
 * The search is that of Kokologiannakis, Marmanis, Gladstein and Vafeiadis, Truly Stateless,
 * Optimal Dynamic Partial Order Reduction, POPL 2022. Events are added one by one. A load that may
 * read several stores gives a graph for each. A store may also be what an earlier load reads: if
 * that load, and what was added since without being a cause of the store, were as a search would
 * have had them last, they are taken back and the load reads the new store. So each graph is come
 * to once, and none has to be remembered. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "internal.h"

/* A store, or what the word held before. */
typedef struct message {
    event_ref writer;
    size_t event; /* in the history; of the initial one, nowhere */
    uint64_t value;
    bool is_exclusive; /* stored by an operation that has read the one before it */
    bool is_blockwide;
    unsigned block;
    uint32_t tick, rank;
    clock_of released; /* what who acquires it gets to know; NULL: nothing */
    bool is_released_blockwide;
    clock_of causes;
} message;

typedef struct reading {
    event_ref from;
    size_t event;
    unsigned actor;
    uint32_t tick;
    bool is_blockwide;
} reading;

typedef struct word {
    uintptr_t address;
    unsigned bytes;
    message *of; /* in their order */
    size_t count, capacity;
    reading *reads;
    size_t read_count, read_capacity;
} word;

static word *words;
static size_t word_count, word_capacity;

void memory_begin_launch(void)
{
    word_count = 0;
}

/* ---- memory itself, which holds the last message of each word ---- */

static uint64_t load(uintptr_t address, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint64_t)((const volatile unsigned char *)address)[i] << 8 * i;
    return value;
}

static void store(uintptr_t address, unsigned bytes, uint64_t value)
{
    for (unsigned i = 0; i < bytes; i++)
        ((volatile unsigned char *)address)[i] = (unsigned char)(value >> 8 * i);
}

/* ---- words ---- */

static void forget_messages(word *w)
{
    w->count = w->read_count = 0;
}

static void *grown(void *of, size_t count, size_t *capacity, size_t bytes)
{
    if (count < *capacity)
        return of;
    *capacity = *capacity == 0 ? 8 : 2 * *capacity;
    void *const larger = realloc(of, *capacity * bytes);
    if (larger == NULL)
        abort();
    return larger;
}

static message *insert(word *w, size_t at, message m)
{
    w->of = grown(w->of, w->count, &w->capacity, sizeof *w->of);
    memmove(w->of + at + 1, w->of + at, (w->count - at) * sizeof *w->of);
    w->of[at] = m;
    w->count++;
    return &w->of[at];
}

static void begin_messages(word *w)
{
    forget_messages(w);
    insert(w, 0,
           (message){.writer = {INITIAL_WRITER, 0},
                     .event = SIZE_MAX,
                     .value = load(w->address, w->bytes)});
}

static word *new_word(uintptr_t address, unsigned bytes)
{
    if (word_count == word_capacity) {
        const size_t before = word_capacity;
        words = grown(words, word_count, &word_capacity, sizeof *words);
        memset(words + before, 0, (word_capacity - before) * sizeof *words);
    }
    word *const w = &words[word_count++];
    w->address = address;
    w->bytes = bytes;
    begin_messages(w);
    races_note_word(explore_offset((const void *)address), bytes, (uint32_t)word_count);
    return w;
}

static word *word_at(uintptr_t address)
{
    for (size_t i = 0; i < word_count; i++)
        if (words[i].address == address)
            return &words[i];
    return NULL;
}

/* A plain store since makes the word begin anew: it is ordered with all else, or a race. */
static word *word_of(const operation *op)
{
    word *w = word_at(op->address);
    if (w == NULL)
        return new_word(op->address, op->bytes);
    if (w->bytes != op->bytes)
        explore_find("atomic operations of %u and of %u bytes at one address", w->bytes, op->bytes);
    if (races_take_plain_write(explore_offset((const void *)op->address), op->bytes))
        begin_messages(w);
    return w;
}

uint32_t memory_messages(uintptr_t address)
{
    const word *const w = word_at(address);
    return w != NULL ? (uint32_t)w->count : 1;
}

static size_t place_of(const word *w, event_ref writer)
{
    for (size_t i = 0; i < w->count; i++)
        if (same_event(w->of[i].writer, writer))
            return i;
    return SIZE_MAX;
}

/* ---- order ---- */

/* The last message that the actor knows to have been stored, or read. */
static size_t known(const word *w, const actor *a)
{
    size_t last = 0;
    for (size_t i = 1; i < w->count; i++)
        if (happened_before(a, w->of[i].writer.thread, w->of[i].tick))
            last = i;
    for (size_t i = 0; i < w->read_count; i++) {
        const reading *const r = &w->reads[i];
        if (!happened_before(a, r->actor, r->tick))
            continue;
        const size_t place = place_of(w, r->from);
        last = place > last ? place : last;
    }
    return last;
}

static bool is_exclusive_at(const word *w, size_t place)
{
    return place < w->count && w->of[place].is_exclusive;
}

static bool is_too_narrow(const actor *a, bool blockwide, unsigned other_block,
                          bool other_blockwide)
{
    return (blockwide || other_blockwide) && other_block != a->block;
}

/* Two operations that do not see each other's scope are a race where nothing else orders them. */
static void check_scopes(const word *w, const actor *a, const operation *op, bool writes)
{
    if (op->is_mbarrier)
        return;
    for (size_t i = 1; i < w->count; i++) {
        const message *const m = &w->of[i];
        if (!happened_before(a, m->writer.thread, m->tick) &&
            is_too_narrow(a, op->is_blockwide, m->block, m->is_blockwide))
            explore_find("an atomic operation of a block's scope meets one of another block");
    }
    for (size_t i = 0; writes && i < w->read_count; i++) {
        const reading *const r = &w->reads[i];
        if (!happened_before(a, r->actor, r->tick) &&
            is_too_narrow(a, op->is_blockwide, simt_explorer.actors[r->actor].block,
                          r->is_blockwide))
            explore_find("an atomic operation of a block's scope meets one of another block");
    }
}

void memory_check_plain(const actor *a, uint32_t number, bool writes)
{
    const word *const w = &words[number - 1];
    bool is_race = false;
    for (size_t i = 1; i < w->count; i++)
        is_race |= !happened_before(a, w->of[i].writer.thread, w->of[i].tick);
    for (size_t i = 0; writes && i < w->read_count; i++)
        is_race |= !happened_before(a, w->reads[i].actor, w->reads[i].tick);
    if (is_race)
        explore_find("a plain %s and an atomic operation of another thread are not ordered",
                     writes ? "store" : "load");
}

/* ---- events ---- */

static bool repeats(void)
{
    return simt_explorer.next < simt_explorer.given;
}

/* The event that this execution was begun with; NULL: it is none of this actor's. */
static const event *repeated(const actor *a, event_kind kind)
{
    const event *const e = &simt_explorer.events.of[simt_explorer.next];
    const bool fits = e->launch == simt_explorer.launch && e->name.thread == a->index &&
                      e->name.number == a->events && e->kind == kind;
    if (!fits)
        explore_find("the program does something else when it is run again");
    return fits ? e : NULL;
}

static event new_event(const actor *a, const operation *op, event_kind kind, bool is_exclusive)
{
    return (event){.name = {(uint16_t)a->index, (uint16_t)a->events},
                   .launch = simt_explorer.launch,
                   .kind = kind,
                   .bytes = (uint8_t)op->bytes,
                   .is_exclusive = is_exclusive,
                   .stamp = simt_explorer.stamp + 1,
                   .address = op->address,
                   .site = op->site};
}

/* The event stands in the history from here on; returns where. */
static size_t add(actor *a, event e)
{
    explorer *const x = &simt_explorer;
    a->last_event = x->next;
    a->has_loaded = e.kind == EVENT_READ && !e.is_exclusive;
    if (x->next == x->events.count)
        history_add(&x->events, e);
    else
        x->events.of[x->next] = e;
    x->stamp = x->stamp < e.stamp ? e.stamp : x->stamp;
    a->events++;
    return x->next++;
}

/* Numbers a word's messages, with room for one between any two. */
static void number(word *w)
{
    for (size_t i = 1; i < w->count; i++) {
        w->of[i].rank = (uint32_t)(2 * i);
        simt_explorer.events.of[w->of[i].event].rank = w->of[i].rank;
    }
}

/* ---- other graphs ---- */

/* This one, and another event in place of the one that it goes on with. */
static void push_with(event e)
{
    history h = {0};
    for (size_t i = 0; i < simt_explorer.next; i++)
        history_add(&h, simt_explorer.events.of[i]);
    history_add(&h, e);
    graphs_push(h);
}

static bool is_cause(const actor *writer, const event *e)
{
    const unsigned thread = e->name.thread;
    return e->launch != simt_explorer.launch ||
           e->name.number < (thread == writer->index ? writer->events : writer->causes[thread]);
}

/* Added since the load, and no cause of the store: taken back with the load. */
static bool is_taken_back(const actor *writer, const event *load, const event *e)
{
    return e->stamp > load->stamp && !is_cause(writer, e);
}

static bool is_earlier(const actor *writer, const event *e, const event *than)
{
    return e->stamp <= than->stamp || is_cause(writer, e);
}

/* Among what came earlier, and the causes of the store: does a load read the last message, is a
 * store the last one, which nobody has read? */
static bool is_as_added_last(const actor *writer, const event *e)
{
    if (e->is_follower)
        return true; /* as its leader has it */
    const word *const w = word_at(e->address);
    const event *const all = simt_explorer.events.of;
    const size_t place =
        w == NULL ? SIZE_MAX : place_of(w, e->kind == EVENT_READ ? e->from : e->name);
    if (place == SIZE_MAX)
        return true; /* a plain store has made the word begin anew */
    if (e->kind == EVENT_READ && place > 0 && !is_earlier(writer, &all[w->of[place].event], e))
        return false;
    for (size_t i = place + 1; i < w->count; i++)
        if (is_earlier(writer, &all[w->of[i].event], e))
            return false;
    for (size_t i = 0; e->kind == EVENT_WRITE && i < w->read_count; i++)
        if (same_event(w->reads[i].from, e->name) && is_earlier(writer, &all[w->reads[i].event], e))
            return false;
    return true;
}

static bool may_be_taken_back(const actor *writer, const event *load)
{
    if (load->is_follower || is_cause(writer, load) || !is_as_added_last(writer, load))
        return false;
    for (size_t i = 0; i < simt_explorer.next; i++) {
        const event *const e = &simt_explorer.events.of[i];
        if (is_taken_back(writer, load, e) && !is_as_added_last(writer, e))
            return false;
    }
    return true;
}

static void push_revisit(const actor *writer, const event *load, event stored)
{
    history h = {0};
    for (size_t i = 0; i < simt_explorer.next; i++) {
        const event *const e = &simt_explorer.events.of[i];
        if (e != load && !is_taken_back(writer, load, e))
            history_add(&h, *e);
    }
    history_add(&h, stored);
    event now = *load;
    now.from = stored.name;
    history_add(&h, now);
    graphs_push(h);
}

/* The store goes behind each message that is left where it may; messages are numbered. */
static void push_revisits_of(const actor *a, const word *w, const event *load, event stored,
                             size_t first, size_t last)
{
    size_t before = SIZE_MAX;
    for (size_t i = 0; i <= w->count; i++) {
        const bool is_end = i == w->count;
        const event *const e = is_end || i == 0 ? NULL : &simt_explorer.events.of[w->of[i].event];
        if (e != NULL && is_taken_back(a, load, e))
            continue;
        if (before != SIZE_MAX && before >= first && before <= last &&
            !(e != NULL && w->of[i].is_exclusive)) {
            stored.rank = (uint32_t)(2 * before + 1);
            push_revisit(a, load, stored);
        }
        before = i;
    }
}

/* ---- loads ---- */

static void acquire(actor *a, const operation *op, const message *m)
{
    if (m->released == NULL)
        return;
    if (is_too_narrow(a, op->is_blockwide, m->block, m->is_released_blockwide)) {
        if (op->is_mbarrier) /* which orders what copies and products have done for the cluster */
            a->known = clock_joined_behind(a->known, m->released, simt_explorer.actor_count,
                                           simt_explorer.actor_limit);
        return;
    }
    if (op->acquires)
        a->known = clock_joined(a->known, m->released);
    else
        a->fence_acquired = clock_joined(a->fence_acquired, m->released);
}

static void note_reading(word *w, const actor *a, const operation *op, event_ref from, size_t event)
{
    w->reads = grown(w->reads, w->read_count, &w->read_capacity, sizeof *w->reads);
    w->reads[w->read_count++] = (reading){from, event, a->index, a->tick, op->is_blockwide};
}

/* The load of a lane whose neighbour, before it in the warp, loads the same word at the same place
 * in the program: a GPU makes one access of them. Both read the same. */
static const event *leader_of(const actor *a, const operation *op)
{
    const unsigned lane = a->thread->index % SIMT_WARP_SIZE;
    for (unsigned l = 1; l <= lane; l++) {
        const actor *const other = a - l;
        const event *const e = &simt_explorer.events.of[other->last_event];
        if (other->events > 0 && other->has_loaded && other->meetings == a->meetings &&
            e->address == op->address && e->site == op->site)
            return e;
    }
    return NULL;
}

/* Of blocks that are alike, only those orders count in which they begin one after the other. */
static size_t first_of_alike(const word *w, const actor *a, bool is_exclusive, size_t first)
{
    if (!simt_explorer.options->are_alike || !is_exclusive || a->block == 0 ||
        simt_explorer.firsts[a->block].thread != INITIAL_WRITER)
        return first;
    const size_t before = place_of(w, simt_explorer.firsts[a->block - 1]);
    return before != SIZE_MAX && before > first ? before : first;
}

static bool perform_load(actor *a, const operation *op, bool is_exclusive, event_ref *from)
{
    word *const w = word_of(op);
    races_atomic(a, explore_offset((const void *)op->address), op->bytes, false);
    check_scopes(w, a, op, false);
    const size_t first = first_of_alike(w, a, is_exclusive, known(w, a));
    size_t place = w->count - 1;
    event e = new_event(a, op, EVENT_READ, is_exclusive);
    const event *const leader = is_exclusive ? NULL : leader_of(a, op);
    e.is_follower = leader != NULL;
    if (repeats()) {
        const event *const given = repeated(a, EVENT_READ);
        if (given == NULL)
            return false;
        e.stamp = given->stamp;
        place = place_of(w, given->from);
        if (place == SIZE_MAX || place < first)
            return false;
    } else if (leader != NULL) {
        place = place_of(w, leader->from);
        if (place == SIZE_MAX || place < first)
            return false;
    } else {
        for (size_t i = first; i < w->count - 1; i++) {
            e.from = w->of[i].writer;
            push_with(e);
        }
    }
    a->read_an_old_one =
        leader != NULL && simt_explorer.actors[leader->name.thread].read_an_old_one;
    a->messages = (uint32_t)w->count;
    for (size_t i = place + 1; i < w->count && leader == NULL; i++)
        a->read_an_old_one |= simt_explorer.events.of[w->of[i].event].stamp < e.stamp;
    const message m = w->of[place];
    *from = e.from = m.writer;
    e.value = m.value;
    const size_t event = add(a, e);
    a->causes = clock_joined(a->causes, m.causes);
    note_reading(w, a, op, m.writer, event);
    acquire(a, op, &m);
    return true;
}

/* ---- stores ---- */

static clock_of released_by(const actor *a, const operation *op, const message *from)
{
    const clock_of own = op->releases ? clock_with(a->known, a->index, a->tick) : a->fence_released;
    return clock_joined(own, from == NULL ? NULL : from->released);
}

static size_t place_by_rank(const word *w, uint32_t rank)
{
    size_t place = 1;
    while (place < w->count && w->of[place].rank < rank)
        place++;
    return place;
}

/* Behind which messages the store may come: of an operation that has read one, behind that. */
static bool may_follow(const word *w, size_t before, size_t first, size_t last)
{
    return before >= first && before <= last && !is_exclusive_at(w, before + 1);
}

static bool perform_store(actor *a, const operation *op, uint64_t value, const event_ref *from)
{
    word *const w = word_of(op);
    races_atomic(a, explore_offset((const void *)op->address), op->bytes, true);
    check_scopes(w, a, op, true);
    const size_t read = from != NULL ? place_of(w, *from) : SIZE_MAX;
    const size_t first = from != NULL ? read : known(w, a);
    const size_t last = from != NULL ? read : w->count - 1;
    size_t before = last;
    event e = new_event(a, op, EVENT_WRITE, from != NULL);
    e.value = value;
    if (repeats()) {
        const event *const given = repeated(a, EVENT_WRITE);
        if (given == NULL)
            return false;
        e.stamp = given->stamp;
        e.rank = given->rank;
        before = place_by_rank(w, e.rank) - 1;
    } else {
        number(w);
        for (size_t i = 0; i < w->read_count; i++) {
            const event *const load = &simt_explorer.events.of[w->reads[i].event];
            if (may_be_taken_back(a, load))
                push_revisits_of(a, w, load, e, first, last);
        }
        while (before > first && !may_follow(w, before, first, last))
            before--;
        for (size_t i = first; i < before; i++)
            if (may_follow(w, i, first, last)) {
                e.rank = (uint32_t)(2 * i + 1);
                push_with(e);
            }
        e.rank = (uint32_t)(2 * before + 1);
    }
    if (!may_follow(w, before, first, last))
        return false;
    message m = {.writer = e.name,
                 .value = value,
                 .is_exclusive = from != NULL,
                 .is_blockwide = op->is_blockwide,
                 .block = a->block,
                 .tick = a->tick,
                 .rank = e.rank,
                 .released = released_by(a, op, from == NULL ? NULL : &w->of[read]),
                 .is_released_blockwide = op->is_blockwide};
    m.event = add(a, e);
    m.causes = clock_with(a->causes, a->index, a->events);
    insert(w, before + 1, m);
    if (from != NULL && simt_explorer.firsts[a->block].thread == INITIAL_WRITER)
        simt_explorer.firsts[a->block] = e.name;
    if (before + 2 == w->count)
        store(op->address, op->bytes, value);
    return true;
}

/* ---- operations ---- */

static uint64_t combined(const operation *op, uint64_t before)
{
    switch (op->kind) {
    case OPERATION_ADD:
        return before + op->value;
    case OPERATION_SUB:
        return before - op->value;
    case OPERATION_AND:
        return before & op->value;
    case OPERATION_OR:
        return before | op->value;
    case OPERATION_XOR:
        return before ^ op->value;
    case OPERATION_ARRIVE:
    case OPERATION_COMPLETE:
        return mbarrier_after(op, before);
    default:
        return op->value;
    }
}

static uint64_t cut(uint64_t value, unsigned bytes)
{
    return bytes == 8 ? value : value & (((uint64_t)1 << 8 * bytes) - 1);
}

static bool stores(const operation *op, uint64_t before)
{
    return op->kind != OPERATION_LOAD &&
           (op->kind != OPERATION_COMPARE || before == cut(op->expected, op->bytes));
}

static void perform_directly(operation *op)
{
    const uint64_t before = load(op->address, op->bytes);
    op->result = before;
    if (stores(op, before))
        store(op->address, op->bytes, combined(op, before));
}

static void note_pushed(void)
{
    explorer *const x = &simt_explorer;
    x->pushed = grown(x->pushed, x->next, &x->pushed_capacity, sizeof *x->pushed);
    x->pushed[x->next] = graphs_count();
}

/* The operation's own threads and those that it meets go on with the clock's next tick. */
bool memory_perform(actor *a)
{
    operation *const op = &a->pending;
    if (simt_explorer.mode == RUN_DIRECT) {
        perform_directly(op);
        return true;
    }
    note_pushed();
    const bool is_both = op->kind != OPERATION_LOAD && op->kind != OPERATION_STORE;
    event_ref from = {0};
    bool is_possible = true;
    if (op->kind != OPERATION_STORE) {
        is_possible = perform_load(a, op, is_both, &from);
        if (is_possible)
            op->result = simt_explorer.events.of[simt_explorer.next - 1].value;
    }
    if (is_possible && stores(op, op->result))
        is_possible =
            perform_store(a, op, cut(combined(op, op->result), op->bytes), is_both ? &from : NULL);
    a->tick++;
    return is_possible;
}

void memory_fence(actor *a, bool acquires, bool releases)
{
    if (acquires)
        a->known = clock_joined(a->known, a->fence_acquired);
    if (releases)
        a->fence_released = clock_with(a->known, a->index, a->tick);
    a->tick++;
}
