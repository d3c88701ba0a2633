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

typedef struct simt_thread {
    simt_identity identity; /* first: simt_self points here */
    simt_block *block;
    simt_fiber *fiber;
    unsigned index;
    simt_state state;
    bool slept; /* since its last barrier */
    simt_wait wait;
    uint64_t coin;       /* at atomic operations, in shuffled orders */
    unsigned warp_syncs; /* how many __syncwarp it reached */
    char *sync_objects;  /* ThreadSanitizer's names for the last two of them */
} simt_thread;

typedef struct simt_slot {
    const void *key;
    char *memory;
} simt_slot;

enum { SIMT_MAX_SLOTS = 32 };

struct simt_block {
    const simt_call *call;
    uint3 index;
    unsigned thread_count, live, at_barrier, barrier_phase;
    const simt_wait *first_arrival; /* at the barrier that the others are to meet at */
    bool barriers_differ;
    bool failed; /* a thread did what a GPU would not survive */
    bool occupied;
    uint64_t passes;
    simt_thread *threads; /* SIMT_MAX_BLOCK_THREADS of them */
    /* the arena of shared memory */
    char *arena;
    size_t arena_bytes, arena_used, shared_bytes;
    simt_slot slots[SIMT_MAX_SLOTS];
    unsigned slot_count;
    /* ThreadSanitizer's names; those of barriers lie behind the arena, fresh with each block */
    char start_object, *barrier_objects;
};

/* ---- waits.c ---- */

/* The running thread has left its kernel: who waited for it may go on. */
void simt_thread_exits(simt_thread *thread);
/* Writes who waits where on standard error. */
void simt_report_stuck(const simt_block *block);
/* A fault of the running thread, in one line; the block fails, and the thread never goes on. */
void simt_fault(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

/* ---- shared.c ---- */

bool simt_arena_begin(simt_block *block);
void simt_arena_end(simt_block *block);

#endif
