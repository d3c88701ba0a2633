/* Device memory and the blocks' shared memory, at the same addresses in each execution. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/mman.h>

#include "internal.h"

static char *arena;
static size_t device_used, shared_used;

static void begin(void)
{
    if (arena != NULL)
        return;
    arena = mmap(NULL, SIMT_EXPLORE_ARENA_BYTES, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (arena == MAP_FAILED)
        abort();
}

static void *take(size_t *used, size_t begins, size_t ends, size_t bytes, size_t alignment)
{
    begin();
    const size_t at = (begins + *used + alignment - 1) / alignment * alignment;
    if (at + bytes > ends)
        return NULL;
    *used = at + bytes - begins;
    return arena + at;
}

void *simt_explore_allocate(size_t bytes)
{
    return take(&device_used, 0, SIMT_EXPLORE_DEVICE_BYTES, bytes + 1, SIMT_ALLOCATION_ALIGNMENT);
}

void *simt_explore_allocate_shared(size_t bytes, size_t alignment)
{
    return take(&shared_used, SIMT_EXPLORE_DEVICE_BYTES, SIMT_EXPLORE_ARENA_BYTES, bytes,
                alignment);
}

void explore_reset_arena(void)
{
    device_used = 0;
}

size_t explore_offset(const void *address)
{
    return (size_t)((const char *)address - arena);
}
