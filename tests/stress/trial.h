/* A random call: what it is made of, and how it is judged. */
#ifndef TESTS_STRESS_TRIAL_H
#define TESTS_STRESS_TRIAL_H

#include "values.h"

enum { MOST_DIALS = 160, MOST_OPERANDS = 40 };

/* An operand on the device between guard zones, and its twin for the host's version. */
typedef struct operand {
    cudaDataType_t type;
    size_t bytes, lead;
    char *base, *d; /* d: what the call is given */
    char *before;   /* what the twin held */
    char *h;
    bool is_output, may_be_null;
    bool has_any_zero; /* -0 and +0 are as good as each other */
    bool has_any_nan;  /* and so is every NaN */
    bool is_aside;     /* the call is not given d, or may not need it */
} operand;

/* A call, chosen by dials alone, so that turning them down makes it smaller. */
typedef struct trial {
    uint64_t dials[MOST_DIALS];
    size_t turned; /* dials that are set; the others are random */
    size_t used;
    uint64_t seed;
    operand operands[MOST_OPERANDS];
    size_t operand_count;
    values values;
    int variant;
    bool has_no_variant; /* the call takes none */
    int threads;         /* of the host's version */
    cudaStream_t stream;
    char *workspace;
    size_t workspace_bytes;
    prim_status asked;   /* by the query */
    prim_status wanted;  /* of the call */
    const char *fault;   /* what was spoilt; NULL: nothing */
    char text[256];      /* the call */
    char complaint[512]; /* "": all is right */
    operand space;       /* the workspace's memory */
    bool is_captured;
} trial;

/* ---- dials ---- */

/* 0 … limit - 1, by the next dial. */
size_t pick(trial *t, size_t limit);
/* 0 … most, small ones as often as large ones. */
size_t pick_size(trial *t, size_t most);
cudaDataType_t pick_type(trial *t, const cudaDataType_t *types, size_t count);
int pick_variant(trial *t, const prim_variant *(*variant_at)(size_t index));
/* Of the inputs that are added from now on: whole numbers, or up to `most`. */
void pick_values(trial *t, values most);

#define PICK_VARIANT(t, pattern) ((t)->variant = pick_variant(t, prim_##pattern##_variant_at))
#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

/* ---- operands ---- */

/* Elements from row to row: `ld`. */
size_t span(size_t rows, size_t columns, size_t ld);
/* Only ±1 where is_sign. */
operand *add_input(trial *t, cudaDataType_t type, size_t count, bool is_sign);
operand *add_output(trial *t, cudaDataType_t type, size_t count);
/* Integers below `limit`, evenly spread. */
operand *add_numbers(trial *t, cudaDataType_t type, size_t count, size_t limit);
/* Memory for the call to work in: whatever it leaves there. */
operand *add_space(trial *t, size_t bytes);
/* The twin's content becomes the device's. */
void send(operand *x);
/* The device's content becomes the twin's, where there is nothing else to compare with. */
void receive(operand *x);

/* ---- the call ---- */

__attribute__((format(printf, 2, 3))) void describe(trial *t, const char *format, ...);
__attribute__((format(printf, 2, 3))) void complain(trial *t, const char *format, ...);
/* What must not fail for a trial to mean anything. */
void check(cudaError_t error);

/* Between these two stands the call. begin() takes what the query for bytes said. */
void begin(trial *t, prim_status asked, size_t bytes, bool can_be_captured);
/* Runs what the call submitted, and judges its status. true: it has run, and the host's version is
 * to say what is right. */
bool end(trial *t, prim_status status);
/* The oracle's word: element i of what the host's version left, modulo the type's range. Of values
 * that are no whole numbers it says nothing. */
void expect(trial *t, const operand *x, size_t i, double number);
/* A call on the host, which must have worked. */
void on_host(trial *t, prim_status status);
/* Looks at what all operands hold, and frees them. true: all is right. */
bool judge(trial *t);

#endif
