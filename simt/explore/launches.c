/* Launches that may begin before the one ahead has ended. They are run one after the other all the
 * same: an access that a launch makes before it has waited, and that meets one of a launch ahead,
 * is found, atomic ones too. Where there is none, no launch can tell whether others overlap it.
 *
 * Of the launches that may overlap, each has a bit. A thread sees some from its beginning on, and
 * more once it, or one that it has met or acquired from, has waited. */
#define _GNU_SOURCE
#include <string.h>

#include "internal.h"

enum { MOST_TOGETHER = 32 };

static struct {
    uint32_t at_begin, after_wait; /* by their bits */
} seen;
static unsigned place; /* of the current launch, among those that may overlap */
static bool is_settled;
static bool triggers_early[MOST_BLOCKS]; /* a thread of it does, and has not waited */
/* The last thread's clock before it waited, and after: threads that have not met share both. */
static clock_of waiting, waited;

static bool has_waited(const actor *a)
{
    return a->known[simt_explorer.actor_limit] != 0;
}

static void begin_group(void)
{
    place = 0;
    seen.at_begin = seen.after_wait = 1;
}

void launches_begin(bool may_be_early)
{
    const bool all_have_ended = seen.after_wait == (2u << place) - 1;
    const bool waits = !may_be_early || is_settled;
    is_settled = false;
    memset(triggers_early, 0, sizeof triggers_early);
    waiting = NULL;
    if (simt_explorer.launch == 1 || (waits && all_have_ended)) {
        begin_group();
    } else if (++place == MOST_TOGETHER) {
        explore_find("more than %d launches that may overlap", MOST_TOGETHER);
        begin_group();
    }
    if (waits)
        seen.at_begin = seen.after_wait;
    seen.at_begin |= 1u << place;
    seen.after_wait |= 1u << place;
}

/* The next one's wait, or its begin where it is not early, is for the end of this one, which comes
 * after all that this one has waited for. An early one begins after each block has let it in: where
 * a block does so only behind a wait, after what that was for. What begins after a launch has ended
 * sees it. */
void launches_end(void)
{
    const explorer *const x = &simt_explorer;
    bool any_waited = false, lets_in_late = false;
    for (unsigned i = 0; i < x->actor_count && place > 0; i++) {
        const actor *const a = &x->actors[i];
        any_waited |= has_waited(a);
        lets_in_late |= has_waited(a) && !triggers_early[a->block];
    }
    const uint32_t at_begin = lets_in_late ? seen.after_wait : seen.at_begin;
    seen.after_wait = any_waited ? seen.after_wait : seen.at_begin;
    seen.at_begin = at_begin & ~(1u << place);
}

void simt_explore_settle(void)
{
    is_settled = true;
}

uint32_t launches_bit(void)
{
    return 1u << place;
}

uint32_t launches_unseen(const actor *a)
{
    return ~(has_waited(a) ? seen.after_wait : seen.at_begin);
}

void launches_find(const actor *a, uint32_t unseen, const char *theirs, const char *mine)
{
    const unsigned other = (unsigned)__builtin_ctz(unseen);
    explore_find("%s of launch %u and %s of launch %u, by block %u thread %u, are not ordered",
                 theirs, simt_explorer.launch - place + other, mine, simt_explorer.launch, a->block,
                 a->thread->index);
}

/* ---- called by kernels ---- */

void simt_wait_for_launches(const char *file, int line)
{
    actor *const a = simt_explorer.current;
    const bool may_overlap = simt_explorer.mode == RUN_EXPLORED && place > 0;
    if (!may_overlap || site_is_left_out(EXPLORE_WAIT_FOR_LAUNCHES, file, line) || has_waited(a))
        return;
    if (a->known != waiting) {
        waiting = a->known;
        waited = clock_with(waiting, simt_explorer.actor_limit, 1);
    }
    a->known = waited;
}

void simt_trigger_launch(void)
{
    const actor *const a = simt_explorer.current;
    if (simt_explorer.mode == RUN_EXPLORED && !has_waited(a))
        triggers_early[a->block] = true;
}
