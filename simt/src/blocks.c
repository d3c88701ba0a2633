/* A block of a launch, before its threads run: which one it is, and what they begin with. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "block.h"

uint64_t simt_count_of(dim3 size)
{
    return (uint64_t)size.x * size.y * size.z;
}

/* x fastest. */
static uint3 index_in(dim3 size, uint64_t number)
{
    const uint64_t plane = (uint64_t)size.x * size.y;
    return (uint3){(unsigned)(number % size.x), (unsigned)(number % plane / size.x),
                   (unsigned)(number / plane)};
}

static dim3 grid_of_clusters(const simt_call *call)
{
    const dim3 grid = call->grid, cluster = call->cluster;
    return (dim3){grid.x / cluster.x, grid.y / cluster.y, grid.z / cluster.z};
}

uint64_t simt_clusters_of(const simt_call *call)
{
    return simt_count_of(grid_of_clusters(call));
}

static uint3 block_index(const simt_call *call, uint64_t cluster, unsigned rank)
{
    const uint3 c = index_in(grid_of_clusters(call), cluster), b = index_in(call->cluster, rank);
    return (uint3){c.x * call->cluster.x + b.x, c.y * call->cluster.y + b.y,
                   c.z * call->cluster.z + b.z};
}

bool simt_begin_block(simt_block *block, const simt_call *call, uint64_t cluster, unsigned rank,
                      simt_fibers fibers)
{
    const unsigned count = (unsigned)simt_count_of(call->block);
    if (block->threads == NULL)
        block->threads = calloc(SIMT_MAX_BLOCK_THREADS, sizeof *block->threads);
    if (block->threads == NULL || !simt_arena_begin(block))
        return false;
    block->call = call;
    block->index = block_index(call, cluster, rank);
    block->thread_count = block->live = count;
    memset(block->warps, 0, sizeof block->warps);
    block->at_barrier = 0;
    block->failed = false;
    block->occupied = true;
    block->begun = false;
    for (unsigned i = 0; i < count; i++) {
        const size_t f = (i + fibers.shift) % fibers.count;
        simt_thread *t = &block->threads[i];
        t->identity =
            (simt_identity){index_in(call->block, i), block->index, call->block, call->grid};
        t->block = block;
        t->fiber = &fibers.of[f];
        t->index = i;
        t->state = SIMT_READY;
        t->slept = t->at_cluster = false;
        simt_async_forget(t);
        t->coin = 0;
        t->sync_objects = block->barrier_objects + 2 + 2 * i;
        simt_fiber_prepare(t->fiber, f);
    }
    return true;
}
