#define _GNU_SOURCE
#include "fiber.h"

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sanitizers.h"

/* Boost.Context's C entry points; its own header for them is C++. */
typedef struct transfer {
    void *context;
    void *data;
} transfer;

extern void *make_fcontext(void *stack_top, size_t bytes, void (*entry)(transfer));
extern transfer jump_fcontext(void *to, void *data);

#if defined(SIMT_ASAN) || defined(SIMT_TSAN)
enum { STACK_BYTES = 256 * 1024 }; /* a report is written on the stack that it speaks of */
#else
enum { STACK_BYTES = 64 * 1024 };
#endif

/* The place that resume() was called from; one for each operating-system thread. */
static _Thread_local struct {
    void *context;
    void *tsan;
    const void *stack;
    size_t bytes;
    void *fake_stack;
} home;

typedef struct start {
    simt_fiber_body *body;
    void *argument;
} start;

static void entry(transfer from)
{
    const start s = *(const start *)from.data;
    home.context = from.context;
    simt_asan_finish_switch(NULL, &home.stack, &home.bytes);
    simt_tsan_resumed();
    s.body(s.argument);
    simt_asan_start_switch(NULL, home.stack, home.bytes);
    simt_tsan_switch(home.tsan);
    jump_fcontext(home.context, NULL);
    __builtin_unreachable();
}

bool simt_fiber_create(simt_fiber *fiber, size_t index)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *memory = mmap(NULL, STACK_BYTES + page, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return false;
    mprotect(memory, page, PROT_NONE);
    *fiber = (simt_fiber){.stack = memory + page, .bytes = STACK_BYTES};
#ifdef SIMT_TSAN
    fiber->tsan = __tsan_create_fiber(0);
#endif
    simt_fiber_prepare(fiber, index);
    return true;
}

void simt_fiber_prepare(simt_fiber *fiber, size_t index)
{
    const size_t below_top = index % 37 * 192; /* or all tops would share a cache set */
    fiber->context =
        make_fcontext(fiber->stack + fiber->bytes - below_top, fiber->bytes - below_top, entry);
    fiber->fake_stack = NULL;
}

void simt_fiber_resume(simt_fiber *fiber, simt_fiber_body *body, void *argument)
{
    start s = {body, argument};
#ifdef SIMT_TSAN
    home.tsan = __tsan_get_current_fiber();
#endif
    simt_asan_start_switch(&home.fake_stack, fiber->stack, fiber->bytes);
    simt_tsan_switch(fiber->tsan);
    const transfer back = jump_fcontext(fiber->context, &s);
    simt_asan_finish_switch(home.fake_stack, NULL, NULL);
    fiber->context = back.context;
}

void simt_fiber_wait(simt_fiber *fiber)
{
    simt_asan_start_switch(&fiber->fake_stack, home.stack, home.bytes);
    simt_tsan_switch(home.tsan);
    const transfer back = jump_fcontext(home.context, NULL);
    simt_asan_finish_switch(fiber->fake_stack, NULL, NULL);
    simt_tsan_resumed();
    home.context = back.context;
}

void simt_fiber_abandon(simt_fiber *fiber)
{
    simt_asan_show(fiber->stack, fiber->bytes);
}
