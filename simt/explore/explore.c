/* Executions, one after the other, and what is said of the one in which something was found. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

/* ---- an execution in words ---- */

static void print_event(const event *e)
{
    char where[256], read_from[64] = "";
    site_describe(e->site, where, sizeof where);
    if (e->kind == EVENT_READ && e->from.thread == INITIAL_WRITER)
        snprintf(read_from, sizeof read_from, ", as it was");
    else if (e->kind == EVENT_READ)
        snprintf(read_from, sizeof read_from, ", of thread %u's event %u", e->from.thread,
                 e->from.number);
    printf("  launch %u thread %u event %u: %s%s 0x%llx at +%zu%s   %s\n", e->launch,
           e->name.thread, e->name.number, e->kind == EVENT_READ ? "loads" : "stores",
           e->is_exclusive ? " as one operation" : "", (unsigned long long)e->value,
           explore_offset((const void *)e->address), read_from, where);
}

static void print_execution(const explore_options *options, const char *what)
{
    printf("%s, execution %llu: %s\n", options->name, (unsigned long long)simt_explorer.number,
           what);
    for (size_t i = 0; i < simt_explorer.next; i++)
        print_event(&simt_explorer.events.of[i]);
}

/* ---- executions ---- */

enum { COPIES_AT_ONCE = 8 }; /* more of a block, where there are too few places */

static const char *run(explore_program *program, void *context, graph given)
{
    explorer *const x = &simt_explorer;
    x->mode = RUN_EXPLORED;
    x->end = GOES_ON;
    x->waited = false;
    x->launch = 0;
    x->events = given.events;
    x->delays = given.delays;
    x->given = given.events.count;
    x->next = 0;
    x->stamp = 0;
    for (size_t i = 0; i < x->given; i++)
        x->stamp = x->events.of[i].stamp > x->stamp ? x->events.of[i].stamp : x->stamp;
    explore_reset_arena();
    const char *const wrong = program(context);
    x->mode = RUN_DIRECT;
    if (wrong != NULL)
        explore_find("%s", wrong);
    return x->end == FOUND ? x->found : NULL;
}

static void count(explore_result *result, const char *what)
{
    const explorer *const x = &simt_explorer;
    if (what != NULL) {
        result->findings++;
        snprintf(result->finding, sizeof result->finding, "%s", what);
    } else if (x->end == PUT_OFF) {
        result->put_off++;
    } else if (x->waited || x->end == TOO_EARLY) {
        result->waiting++;
    } else if (x->end == REFUSED) {
        result->refused++;
    } else {
        result->complete++;
    }
    result->events = x->next > result->events ? x->next : result->events;
}

static void begin(explore_result *result)
{
    *result = (explore_result){0};
    simt_explorer.number = 0;
    graphs_cut(0);
    graphs_push((history){0});
}

bool explore(explore_program *program, void *context, const explore_options *options,
             explore_result *result)
{
    explorer *const x = &simt_explorer;
    x->options = options;
    x->copies = 0;
    begin(result);
    for (graph g; graphs_pop(&g) && result->findings == 0;) {
        x->number++;
        const char *const what = run(program, context, g);
        if (x->end == NO_PLACE) {
            graph_free((graph){x->events, x->delays});
            x->copies += COPIES_AT_ONCE;
            begin(result);
            continue;
        }
        count(result, what);
        if (x->number == options->replay || (what != NULL && !options->quiet))
            print_execution(options, what != NULL ? what : "nothing is wrong");
        graph_free((graph){x->events, x->delays});
        x->events = (history){0};
        x->delays = (delays){0};
        result->gave_up = options->most != 0 && x->number >= options->most;
        if (result->gave_up || x->number == options->replay)
            break;
    }
    graphs_cut(0);
    x->options = NULL;
    x->end = GOES_ON;
    return result->findings == 0 && !result->gave_up;
}
