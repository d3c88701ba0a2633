/* Runs a program's launches in every order that can make a difference.
 *
 * An execution is a graph: the atomic operations of all threads, which store each load reads, and
 * the order of the stores to each word. explore() goes through all such graphs that the memory
 * model allows, each once, by running the program again and again; nothing else differs between
 * two executions. docs/explore.md says what the model is, and what is not seen. */
#ifndef SIMT_EXPLORE_H
#define SIMT_EXPLORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* A program: it allocates, launches, and looks at what came of it. It must do the same each time.
 * NULL: all is right; otherwise what is wrong, in a static sentence. After a call that failed it
 * frees what it has and returns; what it says then does not count. */
typedef const char *explore_program(void *context);

/* An operation or a barrier in the source, which can be weakened. */
typedef enum explore_weakening {
    EXPLORE_AS_IT_IS,
    EXPLORE_RELAXED,   /* an operation acquires and releases nothing */
    EXPLORE_BLOCKWIDE, /* an operation counts for the threads of its block only */
    EXPLORE_REMOVED    /* a barrier or a wait is not there */
} explore_weakening;

typedef struct explore_options {
    const char *name;
    uint32_t absent; /* blocks, by their bits, that never start in any launch */
    bool are_alike;  /* blocks whose first operations are in the blocks' order stand for all */
    explore_weakening weakening;
    size_t site;     /* of the weakening: explore_site_at() */
    uint64_t replay; /* the number of an execution that is printed, from 1 on; 0: none */
    uint64_t most;   /* executions, then it gives up; 0: no limit */
    bool quiet;      /* a finding is not printed */
} explore_options;

typedef struct explore_result {
    uint64_t complete; /* executions in which all threads return */
    uint64_t waiting;  /* in which a thread reads too old a value, and waits */
    uint64_t put_off;  /* begun, and gone through with some loads later */
    uint64_t refused;  /* begun, and found to be none that the model allows */
    uint64_t events;   /* atomic operations of the longest execution */
    uint64_t findings; /* it stops at the first one */
    bool gave_up;
    char finding[256];
} explore_result;

/* Runs the program in all its executions. false: something was found, or it gave up. */
bool explore(explore_program *program, void *context, const explore_options *options,
             explore_result *result);

typedef enum explore_site_kind {
    EXPLORE_OPERATION,
    EXPLORE_BARRIER,
    EXPLORE_WAIT_FOR_LAUNCHES,
    EXPLORE_CLUSTER_BARRIER
} explore_site_kind;

/* What the executions since explore_forget_sites() have come across. */
typedef struct explore_site {
    explore_site_kind kind;
    bool acquires, releases, is_devicewide; /* an operation */
    const char *file;                       /* of all others, as it was compiled */
    int line;
    char place[256]; /* file:line, and what it was inlined into */
} explore_site;

void explore_forget_sites(void);
size_t explore_site_count(void);
void explore_site_at(size_t site, explore_site *to);

#if defined(__cplusplus)
}
#endif

#endif
