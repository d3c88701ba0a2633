/* A fiber: a stack and a place to go on. Boost.Context switches; this adds what the sanitizers
 * have to be told. A fiber runs on one operating-system thread, the one that first resumed it. */
#ifndef SIMT_FIBER_H
#define SIMT_FIBER_H

#include <stdbool.h>
#include <stddef.h>

typedef struct simt_fiber {
    char *stack; /* lowest usable address; a guard page lies below */
    size_t bytes;
    void *context;
    void *tsan;
    void *fake_stack;
} simt_fiber;

typedef void simt_fiber_body(void *argument);

/* false: no memory. The index spreads the stacks' tops over the cache's sets. */
bool simt_fiber_create(simt_fiber *fiber, size_t index);
/* Makes the fiber ready to call body(argument) from its beginning, whatever it did before. */
void simt_fiber_prepare(simt_fiber *fiber, size_t index);
/* Runs the fiber until it waits or ends. body and argument count at the first call after prepare.
 */
void simt_fiber_resume(simt_fiber *fiber, simt_fiber_body *body, void *argument);
/* Called on the fiber: back to whoever resumed it. */
void simt_fiber_wait(simt_fiber *fiber);
/* The fiber will not be resumed where it stands. */
void simt_fiber_abandon(simt_fiber *fiber);

#endif
