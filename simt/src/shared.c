/* Shared memory: slots in the block's arena, poisoned, with redzones between them. */
#define _GNU_SOURCE
#include <stdlib.h>

#include "block.h"
#include "sanitizers.h"

enum {
    ARENA_BYTES = SIMT_MAX_SHARED_BYTES + SIMT_MAX_SLOTS * (SIMT_REDZONE + 64) + 64,
    OBJECT_BYTES = 4096 /* two names for the barrier and two for each thread, never touched */
};

bool simt_arena_begin(simt_block *block)
{
    if (block->arena == NULL) {
        block->arena = aligned_alloc(64, ARENA_BYTES + OBJECT_BYTES);
        if (block->arena == NULL)
            return false;
        block->arena_bytes = ARENA_BYTES;
        block->barrier_objects = block->arena + ARENA_BYTES;
    }
    block->arena_used = 0;
    block->shared_bytes = 0;
    block->slot_count = 0;
    simt_asan_hide(block->arena, block->arena_bytes);
    return true;
}

void simt_arena_end(simt_block *block)
{
#ifdef SIMT_TSAN
    /* A fresh address for the next block, or its accesses would meet this one's. The scheduler
     * gives the memory back when the launch has ended. */
    block->arena = NULL;
#else
    (void)block;
#endif
}

/* A plain loop: memset and memcpy would be seen by ThreadSanitizer as this thread's writes. */
static void poison(char *memory, size_t bytes)
{
    volatile char *to = memory;
    for (size_t i = 0; i < bytes; i++)
        to[i] = (char)(SIMT_POISON_WORD >> (i % 4 * 8));
}

static void *add_slot(simt_block *block, const void *key, size_t bytes, size_t alignment)
{
    if (alignment < 16)
        alignment = 16;
    const size_t at = (block->arena_used + SIMT_REDZONE + alignment - 1) / alignment * alignment;
    block->shared_bytes += bytes;
    if (block->shared_bytes > SIMT_MAX_SHARED_BYTES || block->slot_count == SIMT_MAX_SLOTS ||
        at + bytes > block->arena_bytes)
        simt_fault("the block needs %zu bytes of shared memory, of %d", block->shared_bytes,
                   SIMT_MAX_SHARED_BYTES);
    char *memory = block->arena + at;
    block->arena_used = at + bytes;
    block->slots[block->slot_count++] = (simt_slot){key, memory};
    simt_asan_show(memory, bytes);
    poison(memory, bytes);
    return memory;
}

void *simt_shared(const void *key, size_t bytes, size_t alignment)
{
    simt_block *block = ((const simt_thread *)simt_self)->block;
    for (unsigned i = 0; i < block->slot_count; i++)
        if (block->slots[i].key == key)
            return block->slots[i].memory;
    return add_slot(block, key, bytes, alignment);
}

void *simt_shared_dynamic(void)
{
    static const char key;
    return simt_shared(&key, ((const simt_thread *)simt_self)->block->call->dynamic_shared_bytes,
                       64);
}
