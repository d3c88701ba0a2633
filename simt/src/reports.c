/* The running thread, and what is said of it and its block on standard error. */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "block.h"

__thread const simt_identity *simt_self;

static void print_place(const simt_thread *t)
{
    fprintf(stderr, "%s", t->wait.name);
    if (t->state == SIMT_AT_WARP)
        fprintf(stderr, " mask 0x%08x", t->wait.mask);
    fprintf(stderr, " at %s:%d", t->wait.file, t->wait.line);
}

bool simt_same_line(const simt_wait *a, const simt_wait *b)
{
    return a->line == b->line && (a->file == b->file || strcmp(a->file, b->file) == 0);
}

static bool same_place(const simt_thread *a, const simt_thread *b)
{
    if (a->state != b->state)
        return false;
    return a->state == SIMT_EXITED ||
           (simt_same_line(&a->wait, &b->wait) && a->wait.mask == b->wait.mask);
}

/* As one piece, whatever other workers have to say. */
void simt_report_threads(const simt_block *block, const char *what)
{
    flockfile(stderr);
    fprintf(stderr, "simt: block (%u,%u,%u) %s:\n", block->index.x, block->index.y, block->index.z,
            what);
    for (unsigned i = 0, end; i < block->thread_count; i = end) {
        const simt_thread *t = &block->threads[i];
        for (end = i + 1; end < block->thread_count && same_place(t, &block->threads[end]); end++)
            ;
        fprintf(stderr, "simt:   threads %u-%u ", i, end - 1);
        if (t->state == SIMT_EXITED) {
            fprintf(stderr, "have returned\n");
        } else {
            fprintf(stderr, "wait in ");
            print_place(t);
            fprintf(stderr, "\n");
        }
    }
    funlockfile(stderr);
}

void simt_fault(const char *format, ...)
{
    simt_thread *thread = simt_running();
    const simt_block *block = thread->block;
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "simt: block (%u,%u,%u) thread %u: ", block->index.x, block->index.y,
            block->index.z, thread->index);
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\n");
    va_end(arguments);
    thread->block->failed = true;
    for (;;)
        simt_fiber_wait(thread->fiber);
}

void simt_refuse(const char *what)
{
    simt_fault("uses %s", what);
}
