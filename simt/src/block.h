/* A block of CUDA threads while it runs. */
#ifndef SIMT_BLOCK_H
#define SIMT_BLOCK_H

#include "fiber.h"
#include "internal.h"
#include "simt.h"

typedef enum simt_state {
    SIMT_READY,
    SIMT_ASLEEP, /* can go on, but said that it waits for another thread's doing */
    SIMT_AT_BARRIER,
    SIMT_AT_WARP,
    SIMT_AT_CLUSTER,
    SIMT_AT_MBARRIER,
    SIMT_EXITED
} simt_state;

/* What a thread waits for, and where it said so. */
typedef struct simt_wait {
    const char *name, *file;
    int line;
    simt_warp_operation operation;
    unsigned mask;
    uint64_t value, result;
    int source_lane;
    unsigned present;  /* the lanes that met */
    unsigned parities; /* SYNC: which of the two objects of each lane to acquire */
} simt_wait;

typedef struct simt_block simt_block;
typedef struct simt_copy simt_copy;
struct simt_operation;

/* Blocks that run together; of most launches, one. */
typedef struct simt_cluster {
    simt_block *blocks[SIMT_MAX_CLUSTER_BLOCKS]; /* by rank */
    unsigned size;
    unsigned live, arrived, phase; /* of their threads, at the cluster's barrier */
    simt_copy *copies;             /* on their way, the oldest first */
    uint64_t draws;
} simt_cluster;

/* What a thread has issued of a kind, and in how many groups so far. */
typedef struct simt_issued {
    struct simt_operation *first; /* that is not done, the oldest */
    unsigned groups;
} simt_issued;

typedef struct simt_thread {
    simt_identity identity; /* first: simt_self points here */
    simt_block *block;
    simt_fiber *fiber;
    unsigned index;
    simt_state state;
    bool slept;             /* since its last barrier */
    bool at_cluster;        /* has arrived, and not waited yet */
    bool passes_cluster;    /* and will not wait, since that barrier is left out */
    unsigned cluster_phase; /* in which it arrived */
    simt_wait wait;
    uint64_t coin;                /* at atomic operations, in shuffled orders */
    simt_issued products, copies; /* each waits for its own */
    uint64_t draws;
    unsigned warp_syncs; /* how many __syncwarp it reached */
    char *sync_objects;  /* ThreadSanitizer's names for the last two of them */
} simt_thread;

/* The lanes of a warp that wait at a warp operation, and those that have left the kernel: most who
 * arrive are not the last, and that is seen here. */
typedef struct simt_lanes {
    unsigned waiting, exited;
} simt_lanes;

typedef struct simt_slot {
    const void *key;
    char *memory;
    size_t bytes, alignment;
} simt_slot;

/* An mbarrier that no fence has shown to copies yet, and who initialized it. */
typedef struct simt_new_barrier {
    void *barrier;
    unsigned thread;
} simt_new_barrier;

enum { SIMT_MAX_NEW_BARRIERS = 64 };

enum { SIMT_MAX_SLOTS = 32, SIMT_MAX_WARPS = SIMT_MAX_BLOCK_THREADS / SIMT_WARP_SIZE };

struct simt_block {
    const simt_call *call;
    simt_cluster *cluster;
    uint3 index;
    unsigned thread_count, live, at_barrier, barrier_phase;
    const simt_wait *first_arrival; /* at the barrier that the others are to meet at */
    bool barriers_differ;
    bool failed; /* a thread did what a GPU would not survive */
    bool occupied;
    bool begun; /* a thread of it has run */
    uint64_t passes;
    simt_thread *threads; /* SIMT_MAX_BLOCK_THREADS of them */
    simt_lanes warps[SIMT_MAX_WARPS];
    /* the arena of shared memory */
    char *arena;
    size_t arena_bytes, arena_used, static_bytes, shared_bytes;
    simt_slot slots[SIMT_MAX_SLOTS];
    unsigned slot_count;
    simt_new_barrier barriers[SIMT_MAX_NEW_BARRIERS];
    unsigned new_barriers;
    /* ThreadSanitizer's names; those of barriers lie after the arena, fresh with each block */
    char start_object, *barrier_objects, *cluster_objects;
};

static inline simt_thread *simt_running(void)
{
    return (simt_thread *)(uintptr_t)simt_self;
}

/* ---- blocks.c ---- */

uint64_t simt_count_of(dim3 size);
uint64_t simt_clusters_of(const simt_call *call);

/* Thread i of a block has number (i + shift) mod count of them. */
typedef struct simt_fibers {
    simt_fiber *of;
    size_t count, shift;
} simt_fibers;

/* The block of this rank in the cluster of this number, its threads ready. The cluster itself is
 * the caller's to set. false: no memory. */
bool simt_begin_block(simt_block *block, const simt_call *call, uint64_t cluster, unsigned rank,
                      simt_fibers fibers);

/* ---- waits.c ---- */

/* The running thread has left its kernel: who waited for it may go on. */
void simt_thread_exits(simt_thread *thread);

/* ---- explore/: what an exploration has to know ---- */

#ifdef SIMT_EXPLORE
/* Those lanes have met, from the warp's first one on; in order, or only as who waits for whom. */
void simt_explore_warp(const simt_thread *lanes, unsigned present, bool orders);
void simt_explore_barrier(const simt_block *block);
/* The barrier is to be left out. */
bool simt_explore_skips(const char *file, int line);
#else
#define simt_explore_warp(lanes, present, orders) ((void)(lanes), (void)(present), (void)(orders))
#define simt_explore_barrier(block) ((void)(block))
#define simt_explore_skips(file, line) false
#endif

/* ---- barriers.c ---- */

extern bool simt_sites_matter; /* since SIMT_SITES or SIMT_WITHOUT is set */
bool simt_look_at_site(const char *file, int line);

/* The barrier that stands there is to do nothing. */
static inline bool simt_is_left_out(const char *file, int line)
{
    return __builtin_expect(simt_sites_matter, false) && simt_look_at_site(file, line);
}

/* ---- clusters.c ---- */

void simt_leave_cluster(simt_thread *thread);

/* ---- asynchronous.c ---- */

/* The thread begins, or will not go on: nothing that it has issued is done. */
void simt_async_forget(simt_thread *thread);

/* ---- mbarriers.c ---- */

/* Between two rounds over the cluster: those copies on their way that are drawn, or the oldest one
 * where all threads wait. false: none. */
bool simt_complete_copies(simt_cluster *cluster, bool all_wait);
bool simt_awaits_copies(const simt_cluster *cluster, const simt_block *block);
void simt_forget_copies(simt_cluster *cluster);

/* ---- reports.c ---- */

bool simt_same_line(const simt_wait *a, const simt_wait *b);
/* Writes that the block does what is said, and who waits where. */
void simt_report_threads(const simt_block *block, const char *what);
/* A fault of the running thread, in one line; the block fails, and the thread never goes on. */
void simt_fault(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

/* ---- shared.c ---- */

bool simt_arena_begin(simt_block *block);
void simt_arena_end(simt_block *block);
/* The block's array that the key stands for. */
void *simt_shared_slot(simt_block *block, const void *key, size_t bytes, size_t alignment);
bool simt_is_in_arena(const simt_block *block, const void *shared);

#endif
