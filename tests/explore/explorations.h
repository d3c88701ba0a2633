/* What is explored, in tables. */
#ifndef TESTS_EXPLORATIONS_H
#define TESTS_EXPLORATIONS_H

#include <stdbool.h>
#include <stddef.h>

#include <cuda_runtime_api.h>

#include "explore.h"

#if defined(__cplusplus)
extern "C" {
#endif

/* A small program whose outcomes are words of digits: what its threads have loaded, or what its
 * words hold at the end. launch() has the kernel run on MEMORY_WORDS words, zeros at first, and
 * RESULT_WORDS for results. */
enum { MEMORY_WORDS = 2, RESULT_WORDS = 4 };

typedef struct litmus {
    const char *name;
    cudaError_t (*launch)(unsigned *d_words, unsigned *d_results);
    unsigned results;     /* the first ones count, and then */
    bool ends_count;      /* what the words hold */
    const char *allowed;  /* outcomes, in order; NULL: a race is found */
    const char *by_model; /* by the PTX memory model, where that allows others; otherwise NULL */
    unsigned executions;  /* counted by hand: several may have one outcome */
} litmus;

extern const litmus litmus_tests[];
extern const size_t litmus_count;
extern const litmus launch_litmus_tests[]; /* of several launches */
extern const size_t launch_litmus_count;
extern const litmus cluster_litmus_tests[];
extern const size_t cluster_litmus_count;
extern const litmus mbarrier_litmus_tests[];
extern const size_t mbarrier_litmus_count;

/* A protocol by which blocks pass each other words. */
typedef struct protocol {
    const char *name;
    explore_program *program;
    void *context;
    unsigned blocks;     /* of the launch that has more than one; they are alike */
    unsigned present;    /* at most so many of them start */
    const char *fault;   /* what is to be found; NULL: nothing */
    uint64_t executions; /* in which all threads return, counted by hand; 0: too many for that */
} protocol;

extern const protocol protocols[]; /* whole calls */
extern const size_t protocol_count;
extern const protocol pieces[]; /* a kernel's functions */
extern const size_t piece_count;
extern const protocol chains[]; /* calls behind each other, which may overlap */
extern const size_t chain_count;
extern const protocol rings[]; /* stages of pipelined products */
extern const size_t ring_count;

/* Faults that were published, as kernels of their own. */
extern const protocol faults[];
extern const size_t fault_count;

/* The last blocks, by their bits, where so many start. */
uint32_t absent_blocks(const protocol *p, unsigned present);

/* With p->present blocks, with one less, and so on to one; the last ones never start. Ends where
 * something is found. */
explore_result explore_presences(const protocol *p, explore_options options);

/* Weakens each operation and each barrier of a protocol, one at a time, and prints what comes of
 * it. What changes nothing has to be argued in argued.tsv. Protocols of very many executions are
 * skipped. */
void weaken(const protocol *p, int *passed, int *failed, int *skipped);

#if defined(__cplusplus)
}
#endif

#endif
