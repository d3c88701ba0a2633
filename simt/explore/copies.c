/* Copies whose bytes mbarriers count, as actors beside a launch's threads. */
#define _GNU_SOURCE
#include <string.h>

#include "internal.h"

static struct {
    const simt_thread *issuer;
    unsigned count;
} issued[MOST_BLOCKS];

void copies_begin_launch(void)
{
    memset(issued, 0, sizeof issued);
}

/* Each has a place by its block and number, so that it has the same one in each execution. */
actor *copies_new(const actor *issuer, unsigned block)
{
    explorer *const x = &simt_explorer;
    const unsigned of_issuer = issued[issuer->block].count++, most = x->copies;
    if (of_issuer > 0 && issued[issuer->block].issuer != issuer->thread)
        explore_find("copies by two threads of a block");
    if (of_issuer >= most)
        explore_end(NO_PLACE);
    if (x->end != GOES_ON)
        return NULL;
    issued[issuer->block].issuer = issuer->thread;
    actor *const copy = &x->actors[x->actor_count + issuer->block * most + of_issuer];
    *copy = (actor){
        .thread = issuer->thread, .block = block, .index = (unsigned)(copy - x->actors), .tick = 1};
    return copy;
}
