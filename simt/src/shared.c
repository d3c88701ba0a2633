/* Shared memory: slots in the block's arena, poisoned, with redzones between them. */
#define _GNU_SOURCE
#include <stdlib.h>

#include "block.h"
#include "sanitizers.h"

/* ThreadSanitizer's names: two for the barrier, two for each thread, two for the cluster; never
 * touched. */
enum { SIMT_PATTERN = 1024 }; /* that swizzled rows repeat in; a block's addresses begin at one */
enum { OBJECT_BYTES = 2 * (1 + SIMT_MAX_BLOCK_THREADS + 1) };

#ifdef SIMT_EXPLORE
#define simt_new_arena(bytes, alignment) simt_explore_allocate_shared(bytes, alignment)
#else
#define simt_new_arena(bytes, alignment) aligned_alloc(alignment, bytes)
#endif

static size_t arena_bytes(void)
{
    return simt_get_settings()->device->shared_bytes + SIMT_MAX_SLOTS * (SIMT_REDZONE + 64) +
           SIMT_PATTERN;
}

bool simt_arena_begin(simt_block *block)
{
    if (block->arena == NULL) {
        block->arena_bytes = arena_bytes() / 64 * 64;
        const size_t bytes =
            (block->arena_bytes + OBJECT_BYTES + SIMT_PATTERN - 1) / SIMT_PATTERN * SIMT_PATTERN;
        block->arena = simt_new_arena(bytes, SIMT_PATTERN);
        if (block->arena == NULL)
            return false;
        block->barrier_objects = block->arena + block->arena_bytes;
        block->cluster_objects = block->barrier_objects + OBJECT_BYTES - 2;
    }
    block->arena_used = 0;
    block->static_bytes = 0;
    block->shared_bytes = 0;
    block->slot_count = 0;
    block->new_barriers = 0;
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
    simt_asan_hide(block->arena, block->arena_bytes); /* from blocks of its cluster that go on */
#endif
}

/* A plain loop: memset and memcpy would be seen by ThreadSanitizer as this thread's writes. */
static void poison(char *memory, size_t bytes)
{
    volatile uint32_t *words = (volatile uint32_t *)(void *)memory;
    for (size_t i = 0; i < bytes / sizeof *words; i++)
        words[i] = SIMT_POISON_WORD;
    volatile char *rest = memory;
    for (size_t i = bytes / sizeof *words * sizeof *words; i < bytes; i++)
        rest[i] = (char)(SIMT_POISON_WORD >> (i % 4 * 8));
}

static void *add_slot(simt_block *block, const void *key, size_t bytes, size_t alignment)
{
    if (alignment < 16)
        alignment = 16;
    const size_t at = (block->arena_used + SIMT_REDZONE + alignment - 1) / alignment * alignment;
    if (block->slot_count == SIMT_MAX_SLOTS || at + bytes > block->arena_bytes)
        simt_fault("the block has more than %d arrays in shared memory, or too large ones",
                   SIMT_MAX_SLOTS);
    char *memory = block->arena + at;
    block->arena_used = at + bytes;
    block->slots[block->slot_count++] = (simt_slot){key, memory, bytes, alignment};
    simt_asan_show(memory, bytes);
    poison(memory, bytes);
    return memory;
}

/* Static arrays never have more than a device gives to every kernel. */
static void check_limits(simt_block *block, size_t bytes, bool dynamic)
{
    const size_t limit = block->call->shared_limit;
    block->shared_bytes += bytes;
    block->static_bytes += dynamic ? 0 : bytes;
    if (block->static_bytes > SIMT_MAX_SHARED_BYTES || block->shared_bytes > limit)
        simt_fault("the block needs %zu bytes of shared memory, of %zu", block->shared_bytes,
                   block->shared_bytes > limit ? limit : (size_t)SIMT_MAX_SHARED_BYTES);
}

static const char dynamic_key;

void *simt_shared_slot(simt_block *block, const void *key, size_t bytes, size_t alignment)
{
    for (unsigned i = 0; i < block->slot_count; i++)
        if (block->slots[i].key == key)
            return block->slots[i].memory;
    check_limits(block, bytes, key == &dynamic_key);
    return add_slot(block, key, bytes, alignment);
}

void *simt_shared(const void *key, size_t bytes, size_t alignment)
{
    return simt_shared_slot(simt_running()->block, key, bytes, alignment);
}

void *simt_shared_dynamic(void)
{
    simt_block *block = simt_running()->block;
    return simt_shared_slot(block, &dynamic_key, block->call->dynamic_shared_bytes, SIMT_PATTERN);
}

/* ---- addresses ---- */

bool simt_is_in_arena(const simt_block *block, const void *shared)
{
    const char *const at = shared;
    return at >= block->arena && at < block->arena + block->arena_bytes;
}

uint32_t simt_shared_address(const void *shared)
{
    const simt_block *const block = simt_running()->block;
    if (!simt_is_in_arena(block, shared))
        simt_fault("takes for shared memory what is not");
    return (uint32_t)((const char *)shared - block->arena);
}

void *simt_shared_at(uint32_t address)
{
    const simt_block *const block = simt_running()->block;
    if (address >= block->arena_bytes)
        simt_fault("reads past the end of shared memory, at %u", address);
    return block->arena + address;
}
