/* Copies whose bytes mbarriers count, and products, as actors beside a launch's threads. */
#define _GNU_SOURCE
#include <string.h>

#include "internal.h"

static struct {
    const simt_thread *issuer;
    unsigned count;
    const simt_thread *multiplier; /* its products are behind the copies */
} issued[MOST_BLOCKS];

void copies_begin_launch(void)
{
    memset(issued, 0, sizeof issued);
}

static actor *new_actor(const actor *issuer, unsigned block, unsigned number)
{
    explorer *const x = &simt_explorer;
    actor *const a = &x->actors[x->actor_count + issuer->block * x->copies + number];
    *a = (actor){
        .thread = issuer->thread, .block = block, .index = (unsigned)(a - x->actors), .tick = 1};
    return a;
}

/* ---- products ---- */

/* The last of the block's places. */
static actor *actor_of_products(const actor *issuer)
{
    explorer *const x = &simt_explorer;
    const simt_thread **const multiplier = &issued[issuer->block].multiplier;
    if (x->copies == 0)
        explore_end(NO_PLACE);
    if (*multiplier != NULL && *multiplier != issuer->thread)
        explore_find("products of two threads of a block");
    if (x->end != GOES_ON)
        return NULL;
    if (*multiplier == NULL)
        new_actor(issuer, issuer->block, x->copies - 1);
    *multiplier = issuer->thread;
    return &x->actors[x->actor_count + issuer->block * x->copies + x->copies - 1];
}

/* At once, and between all that its thread does; but others may know of it, and not of that. */
void simt_explore_product(void (*complete)(void *), void *arguments)
{
    actor *const a = simt_explorer.current;
    actor *const products = simt_explorer.mode == RUN_EXPLORED ? actor_of_products(a) : a;
    if (products == NULL)
        return;
    if (products != a)
        products->known = clock_with(a->known, a->index, a->tick++);
    simt_explorer.current = products;
    complete(arguments);
    simt_explorer.current = a;
    if (products != a)
        a->known = clock_with(a->known, products->index, products->tick++);
}

/* ---- copies ---- */

/* Each has a place by its block and number, so that it has the same one in each execution. */
actor *copies_new(const actor *issuer, unsigned block)
{
    explorer *const x = &simt_explorer;
    const unsigned of_issuer = issued[issuer->block].count++;
    if (of_issuer > 0 && issued[issuer->block].issuer != issuer->thread)
        explore_find("copies by two threads of a block");
    if (of_issuer + 1 >= x->copies)
        explore_end(NO_PLACE);
    if (x->end != GOES_ON)
        return NULL;
    issued[issuer->block].issuer = issuer->thread;
    return new_actor(issuer, block, of_issuer);
}
