/* Arrivals at mbarriers, which are operations on their words, and copies whose bytes they count:
 * each is an actor that has read and stored by the time that it has its bytes counted. */
#define _GNU_SOURCE
#include "internal.h"

static operation operation_at(void *barrier, operation_kind kind, uint64_t value, const void *site)
{
    return (operation){.kind = kind,
                       .address = (uintptr_t)barrier,
                       .bytes = sizeof(simt_mbarrier),
                       .releases = kind != OPERATION_LOAD,
                       .acquires = kind == OPERATION_LOAD,
                       .is_mbarrier = true,
                       .value = value,
                       .site = site};
}

/* It orders memory for its block only. */
void simt_mbarrier_arrive(void *at, unsigned bytes)
{
    simt_interleave_in_block();
    simt_explore_operation(operation_at(at, OPERATION_ARRIVE, bytes, __builtin_return_address(0)));
}

void simt_mbarrier_wait(void *at, unsigned parity, const char *file, int line)
{
    for (;;) {
        simt_interleave_in_block();
        const uint64_t word = simt_explore_operation(
            operation_at(at, OPERATION_LOAD, 0, __builtin_return_address(0)));
        if (mbarrier_of(word).phase != parity)
            return;
        simt_sleep(file, line);
    }
}

/* ---- copies ---- */

static unsigned block_of(const actor *a, const void *shared)
{
    const simt_cluster *const cluster = a->thread->block->cluster;
    const unsigned first = a->block - a->block % cluster->size;
    for (unsigned rank = 0; rank < cluster->size; rank++)
        if (simt_is_in_arena(cluster->blocks[rank], shared))
            return first + rank;
    simt_fault("copies to what is not in shared memory");
}

/* Until the issuer learns of the copy's end, nothing orders the two. */
static void begin_copy(actor *issuer, actor *copy, void (*complete)(void *), void *arguments)
{
    copy->known = clock_with(issuer->known, issuer->index, issuer->tick);
    copy->causes = clock_with(issuer->causes, issuer->index, issuer->events);
    issuer->tick++;
    simt_explorer.current = copy;
    complete(arguments);
    simt_explorer.current = issuer;
}

void simt_begin_copy(void *to, size_t bytes, void *at, void (*complete)(void *arguments),
                     const void *arguments, size_t argument_bytes)
{
    actor *const issuer = simt_explorer.current;
    const operation counted =
        operation_at(at, OPERATION_COMPLETE, bytes, __builtin_return_address(0));
    void *const copied = (void *)(uintptr_t)arguments; /* it is done at once: they are not kept */
    (void)argument_bytes;
    if (!mbarrier_of(*(const uint64_t *)at).shown)
        simt_fault("has bytes counted at an mbarrier that no fence has shown to copies");
    if (simt_explorer.mode == RUN_DIRECT) {
        complete(copied);
        simt_explore_operation(counted);
        return;
    }
    actor *const copy = copies_new(issuer, block_of(issuer, at));
    if (copy == NULL)
        return;
    begin_copy(issuer, copy, complete, copied);
    clusters_note_visit(copy, block_of(issuer, to));
    copy->pending = counted;
    copy->is_pending = true;
}
