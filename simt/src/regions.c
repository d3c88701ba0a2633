/* Device and pinned memory: ordinary heap memory, exactly as large as asked for, so that
 * AddressSanitizer sees an overrun by one byte; and a registry that knows which is which. Nothing
 * here asks whether the caller may have it. */
#define _GNU_SOURCE
#include "internal.h"
#include "simt.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct region {
    char *base;
    size_t bytes;
    simt_space space;
    int device;
} region;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static region *regions; /* sorted by base */
static size_t region_count, region_capacity;
static size_t device_count, pool_bytes;

void simt_poison(void *memory, size_t bytes)
{
    const uint32_t word = SIMT_POISON_WORD;
    char *to = memory;
    size_t i = 0;
    for (; i + sizeof word <= bytes; i += sizeof word)
        memcpy(to + i, &word, sizeof word);
    memcpy(to + i, &word, bytes - i);
}

/* The first region that starts after the address. */
static size_t upper_bound(const char *address)
{
    size_t low = 0, high = region_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (regions[middle].base <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* How many more there are now. */
static void count(const region *r, bool added)
{
    if (r->space == SIMT_PINNED_MEMORY)
        return;
    device_count += added ? 1 : (size_t)-1;
    if (r->space == SIMT_POOL_MEMORY)
        pool_bytes += added ? r->bytes : -r->bytes;
}

static bool add_region(region added)
{
    if (region_count == region_capacity) {
        const size_t capacity = region_capacity == 0 ? 64 : 2 * region_capacity;
        region *larger = realloc(regions, capacity * sizeof *larger);
        if (larger == NULL)
            return false;
        regions = larger;
        region_capacity = capacity;
    }
    const size_t at = upper_bound(added.base);
    memmove(regions + at + 1, regions + at, (region_count - at) * sizeof *regions);
    regions[at] = added;
    region_count++;
    count(&added, true);
    return true;
}

#ifdef SIMT_EXPLORE
static void *new_memory(size_t bytes)
{
    return simt_explore_allocate(bytes);
}

static void free_memory(void *memory)
{
    (void)memory;
}
#else
static void *new_memory(size_t bytes)
{
    void *memory = NULL;
    return posix_memalign(&memory, SIMT_ALLOCATION_ALIGNMENT, bytes) == 0 ? memory : NULL;
}

static void free_memory(void *memory)
{
    free(memory);
}
#endif

void *simt_allocate(size_t bytes, simt_space space, int device)
{
    void *const memory = new_memory(bytes);
    if (memory == NULL)
        return NULL;
    simt_poison(memory, bytes);
    pthread_mutex_lock(&lock);
    const bool added = add_region((region){memory, bytes, space, device});
    pthread_mutex_unlock(&lock);
    if (!added) {
        free_memory(memory);
        return NULL;
    }
    return memory;
}

static cudaError_t forget(const void *pointer, bool pinned, size_t *bytes)
{
    pthread_mutex_lock(&lock);
    const size_t after = upper_bound(pointer);
    const bool found = after > 0 && regions[after - 1].base == (const char *)pointer &&
                       (regions[after - 1].space == SIMT_PINNED_MEMORY) == pinned;
    if (found) {
        *bytes = regions[after - 1].bytes;
        count(&regions[after - 1], false);
        memmove(regions + after - 1, regions + after, (region_count - after) * sizeof *regions);
        region_count--;
    }
    pthread_mutex_unlock(&lock);
    return found ? cudaSuccess : cudaErrorInvalidValue;
}

static cudaError_t release(void *pointer, bool pinned)
{
    size_t bytes;
    const cudaError_t error = forget(pointer, pinned, &bytes);
    if (error == cudaSuccess)
        free_memory(pointer);
    return error;
}

cudaError_t simt_forget_device(const void *pointer, size_t *bytes)
{
    return forget(pointer, false, bytes);
}

cudaError_t simt_release_device(void *pointer)
{
    return release(pointer, false);
}

cudaError_t simt_release_pinned(void *pointer)
{
    return release(pointer, true);
}

static size_t read_count(const size_t *counted)
{
    pthread_mutex_lock(&lock);
    const size_t value = *counted;
    pthread_mutex_unlock(&lock);
    return value;
}

size_t simt_device_allocations(void)
{
    return read_count(&device_count);
}

size_t simt_pool_bytes(void)
{
    return read_count(&pool_bytes);
}

simt_place simt_find(const void *pointer)
{
    const char *address = pointer;
    simt_place place = {.space = SIMT_PAGEABLE_MEMORY, .device = cudaInvalidDeviceId};
    pthread_mutex_lock(&lock);
    const size_t after = upper_bound(address);
    const region *r = after > 0 ? &regions[after - 1] : NULL;
    if (r != NULL && (address < r->base + r->bytes || address == r->base))
        place = (simt_place){r->space, r->device, (size_t)(r->base + r->bytes - address)};
    pthread_mutex_unlock(&lock);
    return place;
}

bool simt_device_reaches(const void *pointer, size_t bytes, size_t *there)
{
    const simt_place place = simt_find(pointer);
    const bool anybodys = place.space == SIMT_MANAGED_MEMORY || place.space == SIMT_PINNED_MEMORY;
    *there = anybodys || place.device == simt_current_device() ? place.bytes_left : 0;
    return bytes <= *there;
}
