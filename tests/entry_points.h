/* The public calls that submit work, as rows of one table: what promises.c and the race check walk.
 */
#ifndef TESTS_ENTRY_POINTS_H
#define TESTS_ENTRY_POINTS_H

#include <primitives/types.h>

/* Arguments of one call with valid values, its operands on the device, and the right answer. */
typedef struct operands {
    void *d_in, *d_out, *d_workspace;
    size_t in_bytes, out_bytes, workspace_bytes, count;
    cudaStream_t stream;
    int variant;
    struct fault *fault; /* NULL: none is planted */
    prim_answer *answer; /* not NULL: the call is only asked, and the pointers may be NULL */
} operands;

/* A part of an operand, or NULL as the operand. */
static inline void *part_of(const void *operand, size_t bytes)
{
    return operand == NULL ? NULL : (char *)operand + bytes;
}

/* One of the faults that a call's arguments can have: the call that has it must return `status` and
 * leave a sentence with `word` in it. */
typedef struct fault {
    size_t wanted, seen; /* which one, and how many the call has come past */
    const char *what;    /* NULL: the call has fewer */
    prim_status status;
    const char *word;
} fault;

/* true: this is the fault that the call is to have. */
bool is_planted(const operands *o, const char *what, prim_status status, const char *word);

/* In an entry point's call(): spoils the arguments by that statement if it is this fault's turn. */
#define FAULT(what, status, word, ...)           \
    do {                                         \
        if (is_planted(o, what, status, word)) { \
            __VA_ARGS__;                         \
        }                                        \
    } while (0)

/* What every call with variants has, and the faults of that. */
typedef struct call_head {
    int variant;
    char *workspace;
    size_t bytes;
} call_head;
call_head spoilt_head(const operands *o);

/* The same of a call without variants. */
call_head spoilt_options(const operands *o);

/* The call's last argument, with faults of its own. Until the thread's next one. */
const prim_call *call_of(const operands *o, const call_head *c);

/* The faults of a workspace alone. */
void spoil_workspace(const operands *o, call_head *c);

/* The faults of a pointer to elements of more than one byte. */
void spoil(const operands *o, const char *name, char **d_pointer);

typedef struct entry_point {
    const char *name;
    const prim_variant *(*variant_at)(size_t index); /* of its header; NULL after the last */
    size_t in_bytes, out_bytes, count; /* of the operands that the functions below expect */
    void (*make_input)(void *h_in, unsigned seed);
    /* Writes into the input where the operands lie. NULL: the input holds no addresses. */
    void (*set_addresses)(void *h_in, const void *d_in, void *d_out);
    void (*right_answer)(const void *h_in, size_t count, void *h_out);
    prim_status (*call)(const operands *o); /* with o's fault */
    bool needs_elements;                    /* a count of 0 is PRIM_ERROR_SIZE */
    /* false: calls of this variant share state, so that they cannot be captured and do not come
     * from two threads at once. NULL: no variant has any. */
    bool (*is_stateless)(int variant);
} entry_point;

/* What the call answers without operands. */
prim_status ask_entry(const entry_point *entry, int variant, size_t count, prim_answer *answer);

/* The variants that would run the call; NULL after the last. */
const prim_variant *entry_variant_at(const entry_point *entry, size_t index);

/* For entry points without variants. */
const prim_variant *only_variant_at(size_t index);

/* The name of one of its variants. */
const char *variant_name(const entry_point *entry, int variant);

extern const entry_point *const entry_points[];
extern const size_t entry_point_count;

#endif
