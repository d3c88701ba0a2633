/* Whether a call refuses operands that overlap: each operand moved to where it touches each other
 * one. */
#ifndef TESTS_OVERLAPS_H
#define TESTS_OVERLAPS_H

#include "support.h"

enum { MOST_OPERANDS = 12 };

typedef struct operand {
    const char *name;
    size_t bytes, unit; /* unit: it is aligned to so many bytes, as the memory that it may have */
    const void *h_content; /* of an input; NULL: zeros will do */
    bool is_written;
    int may_be; /* the number, from 1 on, of an operand that it may be; 0: none */
} operand;

/* call(args, at): with operand i at at[i]; NULL where it has no bytes. */
typedef struct overlap_case {
    const char *call;
    const void *args;
    prim_status (*make)(const void *args, char *const *at);
    size_t count;
    operand operands[MOST_OPERANDS];
} overlap_case;

/* Two of which one is written must not overlap by as much as a byte, apart from what may be; beside
 * each other, they are taken. Inputs are not moved into each other. */
void check_overlaps(const overlap_case *c);

#endif
