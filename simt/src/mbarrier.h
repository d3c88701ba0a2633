/* An mbarrier. */
#ifndef SIMT_MBARRIER_H
#define SIMT_MBARRIER_H

#include <stdbool.h>
#include <stdint.h>

/* As it lies in shared memory. */
typedef struct simt_mbarrier {
    uint64_t arrivals : 20; /* of a phase */
    uint64_t pending : 20;  /* of this one */
    int64_t bytes : 22;     /* expected, and not there yet */
    uint64_t phase : 1;
    uint64_t shown : 1; /* to copies, by a fence */
} simt_mbarrier;

_Static_assert(sizeof(simt_mbarrier) == sizeof(uint64_t), "an mbarrier's 64 bits");

/* Ends the phase where all that it waits for has come. */
static inline bool simt_end_phase(simt_mbarrier *barrier)
{
    if (barrier->pending > 0 || barrier->bytes != 0)
        return false;
    barrier->phase ^= 1;
    barrier->pending = barrier->arrivals;
    return true;
}

#endif
