/* What the explorer's files share. */
#ifndef SIMT_EXPLORE_INTERNAL_H
#define SIMT_EXPLORE_INTERNAL_H

#include "block.h"
#include "explore.h"
#include "mbarrier.h"

/* ---- arena.c: memory at the same addresses in each execution ---- */

enum {
    SIMT_EXPLORE_ARENA_BYTES = 64 << 20,
    SIMT_EXPLORE_DEVICE_BYTES = SIMT_EXPLORE_ARENA_BYTES / 2 /* then come blocks' shared memories */
};

/* The offset in the arena; SIMT_EXPLORE_ARENA_BYTES or more: not there, so no thread shares it. */
size_t explore_offset(const void *address);
void explore_reset_arena(void);

/* ---- events ---- */

enum { INITIAL_WRITER = UINT16_MAX };

/* Event `number` of a thread; of INITIAL_WRITER, what a word held before all events. */
typedef struct event_ref {
    uint16_t thread, number;
} event_ref;

typedef enum event_kind { EVENT_READ, EVENT_WRITE } event_kind;

/* An operation that reads and writes is two events, one behind the other. */
typedef struct event {
    event_ref name;
    uint16_t launch;
    uint8_t kind;
    uint8_t bytes;
    bool is_exclusive; /* half of an operation that reads and writes */
    bool is_follower;  /* a read of what another lane of the warp reads with it */
    uint32_t stamp;    /* grows as events are added; a revisited read keeps its own */
    event_ref from;    /* of a read */
    uint32_t rank;     /* of a write, among those of its word */
    uintptr_t address;
    uint64_t value;
    const void *site;
} event;

/* Events so that each stands behind those that it depends on. */
typedef struct history {
    event *of;
    size_t count, capacity;
} history;

/* A load that is put off, since its thread has been seen to wait after it: until the word has more
 * messages, or nothing else can be done. */
typedef struct delay {
    event_ref name;
    uint32_t messages, times;
} delay;

typedef struct delays {
    delay *of;
    size_t count;
} delays;

/* A graph that is still to be gone through. */
typedef struct graph {
    history events;
    delays delays;
} graph;

static inline bool same_event(event_ref a, event_ref b)
{
    return a.thread == b.thread && a.number == b.number;
}

/* ---- actors: threads of the launch, and copies that run beside them ---- */

/* A count for each thread. Once it is made it does not change, so that threads that have met share
 * it. What a thread itself has done is not in it: that is its tick, or its events. */
typedef const uint32_t *clock_of;

typedef enum operation_kind {
    OPERATION_LOAD,
    OPERATION_STORE,
    OPERATION_EXCHANGE,
    OPERATION_ADD,
    OPERATION_SUB,
    OPERATION_AND,
    OPERATION_OR,
    OPERATION_XOR,
    OPERATION_COMPARE,
    OPERATION_ARRIVE,  /* at an mbarrier, which expects so many bytes more */
    OPERATION_COMPLETE /* so many bytes have come */
} operation_kind;

typedef struct operation {
    operation_kind kind;
    uintptr_t address;
    unsigned bytes;
    bool acquires, releases, is_blockwide;
    bool is_mbarrier; /* an operation on one, which is whole for all of the cluster */
    uint64_t value, expected, result;
    const void *site;
} operation;

typedef struct actor {
    simt_thread *thread;     /* of a copy, the one that has issued it */
    unsigned block, index;   /* index among all actors of the launch */
    unsigned meetings;       /* with other threads, so far */
    uint32_t tick;           /* grows where others may learn of what it did */
    uint32_t events;         /* so far */
    clock_of known;          /* what happened before: of each thread, up to which tick */
    clock_of causes;         /* of each thread, how many of its events came before, in any way */
    clock_of fence_acquired; /* what an acquire fence would add; NULL: nothing */
    clock_of fence_released; /* what the last release fence has seen; NULL: there was none */
    bool is_pending;
    bool has_loaded;      /* as its last event */
    bool read_an_old_one; /* of a word that had been stored again */
    bool is_asleep;
    size_t last_event; /* in the history */
    uint32_t messages; /* that the word had when it was loaded last */
    bool next_is_blockwide;
    operation pending;
} actor;

/* ---- the run that goes on ---- */

typedef enum run_mode {
    RUN_DIRECT,  /* one order, nothing noted */
    RUN_EXPLORED /* events are noted, and the first ones given */
} run_mode;

enum { MOST_BLOCKS = 32 }; /* of a launch */

/* How an execution comes to its end; all but the first make launches fail. */
typedef enum run_end {
    GOES_ON,   /* and ends as the program does */
    FOUND,     /* something */
    REFUSED,   /* the model does not allow it */
    TOO_EARLY, /* a thread waits for what it could have read */
    PUT_OFF,   /* a thread waits for what comes later: the graph is gone through otherwise */
    PARTIAL,   /* with the launch whose blocks did not all start */
    NO_PLACE   /* for a copy: all begins anew, with more of them */
} run_end;

typedef struct explorer {
    const explore_options *options;
    run_mode mode;
    run_end end;
    bool waited; /* this execution went on directly, after it could not go on */
    char found[256];
    uint64_t number; /* of the execution */
    uint16_t launch;
    history events; /* of this execution */
    size_t given;   /* how many of them the execution was begun with */
    size_t next;    /* that is to be repeated */
    size_t *pushed; /* for each event, how many graphs were waiting before it */
    size_t pushed_capacity;
    delays delays;
    uint32_t stamp;
    event_ref firsts[MOST_BLOCKS]; /* the blocks' first operations that read and write */
    unsigned actor_count;          /* threads */
    unsigned copies;               /* that have places behind them, of a block */
    unsigned actor_limit;          /* of both */
    bool has_clusters;
    actor *actors;
    actor *current;
} explorer;

extern explorer simt_explorer;

/* ---- state.c ---- */

/* The first end of an execution is its own. */
void explore_end(run_end end);
/* And a finding is one. */
__attribute__((format(printf, 1, 2))) void explore_find(const char *format, ...);

/* ---- graphs.c: what is still to be explored ---- */

/* With the delays that there are now. */
void graphs_push(history events);
bool graphs_pop(graph *g);
size_t graphs_count(void);
/* All but the first ones are dropped. */
void graphs_cut(size_t count);
void graph_free(graph g);
void delays_set(delays *all, delay d);
const delay *delays_find(event_ref name);
event *history_add(history *h, event e);

/* ---- memory.c: words, and what may be read ---- */

void memory_begin_launch(void);
/* How many values the word has had in this launch. */
uint32_t memory_messages(uintptr_t address);
/* Performs the actor's pending operation. false: no execution goes on like this. */
bool memory_perform(actor *a);
/* Looks whether a plain access to the word is ordered with its atomic ones. */
void memory_check_plain(const actor *a, uint32_t word, bool writes);
void memory_fence(actor *a, bool acquires, bool releases);

/* ---- races.c: plain accesses ---- */

void races_begin_launch(void);
/* Returns how many words of atomic operations are among the bytes, and which. */
enum { MOST_WORDS = 16 };
unsigned races_plain(const actor *a, size_t offset, size_t bytes, bool writes,
                     uint32_t words[MOST_WORDS]);
void races_atomic(actor *a, size_t offset, size_t bytes, bool writes);
/* Was the word written by a plain store since? It is told once. */
bool races_take_plain_write(size_t offset, size_t bytes);
/* The bytes belong to a word from here on. */
void races_note_word(size_t offset, size_t bytes, uint32_t word);

/* ---- launches.c: launches that may overlap ---- */

void launches_begin(bool may_be_early);
void launches_end(void);
/* The current launch's, 1 of one that begins behind all before it; and those whose accesses are not
 * ordered with what the actor does. */
uint32_t launches_bit(void);
uint32_t launches_unseen(const actor *a);
void launches_find(const actor *a, uint32_t unseen, const char *theirs, const char *mine);

/* ---- clusters.c ---- */

void clusters_begin_launch(void);
/* The actor accesses shared memory, its own block's or another one's. */
void clusters_note_access(const actor *a, const void *address);
void clusters_note_visit(const actor *a, unsigned block);
void clusters_end_launch(void);

/* ---- copies.c ---- */

void copies_begin_launch(void);
/* One that the thread issues, whose bytes are counted in the block; NULL: the execution ends. */
actor *copies_new(const actor *issuer, unsigned block);

/* ---- phases.c ---- */

simt_mbarrier mbarrier_of(uint64_t word);
/* An mbarrier's word, once the operation is done. */
uint64_t mbarrier_after(const operation *op, uint64_t before);

/* ---- clocks.c ---- */

/* `entries`: one for each actor, and one behind, which launches.c has. */
void clocks_begin_launch(unsigned entries);
clock_of clock_of_nothing(void);
/* One may be NULL. */
clock_of clock_joined(clock_of a, clock_of b);
/* Only the entries from `first` on are joined. */
clock_of clock_joined_behind(clock_of a, clock_of b, unsigned first, unsigned end);
/* The clock, and of one thread so much. */
clock_of clock_with(clock_of from, unsigned thread, uint32_t count);
/* A copy that may be changed as long as nobody else has it. */
uint32_t *clock_begun(clock_of from);
void clock_add(uint32_t *to, clock_of from);

/* What the thread did until then happened before what the actor does now. */
static inline bool happened_before(const actor *a, unsigned thread, uint32_t tick)
{
    return thread == INITIAL_WRITER || thread == a->index || a->known[thread] >= tick;
}

/* ---- schedule.c ---- */

/* The running thread's next operation; what it had before, once it is performed. */
uint64_t simt_explore_operation(operation op);

/* ---- sites.c ---- */

/* A place that a kernel waits at, which may be left out. */
bool site_is_left_out(explore_site_kind kind, const char *file, int line);
bool site_is_weakened(const void *site, explore_weakening weakening);
void site_note_operation(const operation *op);
void site_describe(const void *site, char *text, size_t bytes);

#endif
