/* What processes of one host write to each other, for communicators whose ranks are in several. */
#ifndef SIMT_WIRE_H
#define SIMT_WIRE_H

#include "ranks.h"

typedef enum simt_letter_kind {
    SIMT_HELLO,    /* from a process: one of its ranks wants to join */
    SIMT_JOINED,   /* to it: may it? */
    SIMT_COMPLETE, /* to it: have all ranks joined? */
    SIMT_PART,     /* from it: what its rank brings; what is read follows */
    SIMT_ANSWER,   /* to it: what became of that; what is written follows */
    SIMT_ABORTED,  /* to it: a rank has */
    SIMT_LEAVE     /* from it */
} simt_letter_kind;

typedef struct simt_letter {
    simt_letter_kind kind;
    ncclResult_t result;
    ncclUniqueId id;
    int ranks, rank, process, device; /* of a hello */
    bool aborts;
    uint64_t ticket; /* of a part, and of its answer */
    simt_part part;  /* its pointers mean nothing here */
    size_t bytes;    /* that follow */
} simt_letter;

/* A name that nobody else has, and that fits into an id; "" where it cannot be had. */
void simt_wire_make_name(char *name, size_t room);
/* All of these return -1, or false, where nobody is there, or no more. */
int simt_wire_listen(const char *name);
int simt_wire_accept(int listening);
int simt_wire_connect(const char *name);
bool simt_wire_send(int wire, const simt_letter *letter, const void *bytes);
bool simt_wire_receive(int wire, simt_letter *letter);
/* The bytes that follow a letter; NULL: nobody wants them. */
bool simt_wire_read(int wire, void *to, size_t bytes);
/* Nothing more is sent, and with `both_ways` nothing is read; what was sent arrives. */
void simt_wire_end(int wire, bool both_ways);

#endif
