/* Weights on the device for calls of convolution that are only asked. */
#ifndef TESTS_WEIGHTS_H
#define TESTS_WEIGHTS_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#ifdef SIMT_BACKEND
#include <sys/mman.h>
#endif

#include <cuda_runtime_api.h>

/* Room for two of the largest masks, and pages around it. */
enum { ASKED_PAGE = 4096, ASKED_BYTES = (2 * 255 * 255 * 8 / ASKED_PAGE + 1) * ASKED_PAGE };

static char *asked_weights;

#ifdef SIMT_BACKEND
static inline void show_asked_weights(void)
{
    mprotect(asked_weights, ASKED_BYTES, PROT_READ | PROT_WRITE);
}

/* As on a GPU, where the host cannot read what is the device's. */
static inline void hide_asked_weights(void)
{
    mprotect(asked_weights, ASKED_BYTES, PROT_NONE);
    atexit(show_asked_weights);
}
#else
static inline void hide_asked_weights(void)
{
}
#endif

/* Which nobody reads; from the first call until the process ends. */
static inline const void *weights_to_ask_with(void)
{
    void *d_room = NULL;
    if (asked_weights == NULL && cudaMalloc(&d_room, ASKED_BYTES + ASKED_PAGE) == cudaSuccess) {
        asked_weights = (char *)d_room + (ASKED_PAGE - (uintptr_t)d_room % ASKED_PAGE);
        hide_asked_weights();
    }
    return asked_weights;
}

#endif
