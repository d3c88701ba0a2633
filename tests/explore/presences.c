/* A protocol with some of its blocks, since on a GPU others may not have started yet. */
#include <string.h>

#include "explorations.h"

static void add(explore_result *all, explore_result r)
{
    all->complete += r.complete;
    all->waiting += r.waiting;
    all->put_off += r.put_off;
    all->refused += r.refused;
    all->findings += r.findings;
    all->events = r.events > all->events ? r.events : all->events;
    all->gave_up |= r.gave_up;
    if (r.findings > 0)
        memcpy(all->finding, r.finding, sizeof r.finding);
}

uint32_t absent_blocks(const protocol *p, unsigned present)
{
    return present < p->blocks ? UINT32_MAX << present : 0;
}

explore_result explore_presences(const protocol *p, explore_options options)
{
    explore_result all = {0}, one;
    for (unsigned present = p->present; present > 0 && all.findings == 0; present--) {
        options.absent = absent_blocks(p, present);
        explore(p->program, p->context, &options, &one);
        add(&all, one);
    }
    return all;
}
