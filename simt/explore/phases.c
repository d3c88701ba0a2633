/* What an operation makes of an mbarrier's word. */
#define _GNU_SOURCE
#include "internal.h"

simt_mbarrier mbarrier_of(uint64_t word)
{
    const union {
        uint64_t word;
        simt_mbarrier barrier;
    } both = {.word = word};
    return both.barrier;
}

static uint64_t word_of(simt_mbarrier barrier)
{
    const union {
        simt_mbarrier barrier;
        uint64_t word;
    } both = {.barrier = barrier};
    return both.word;
}

uint64_t mbarrier_after(const operation *op, uint64_t before)
{
    simt_mbarrier barrier = mbarrier_of(before);
    if (op->kind == OPERATION_ARRIVE && barrier.pending == 0)
        explore_find("more arrivals at an mbarrier than a phase of it has");
    if (op->kind == OPERATION_ARRIVE)
        barrier.pending--;
    barrier.bytes += op->kind == OPERATION_ARRIVE ? (int64_t)op->value : -(int64_t)op->value;
    simt_end_phase(&barrier);
    return word_of(barrier);
}
