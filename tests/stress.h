/* Random calls: what the trials of all entry points share. */
#ifndef TESTS_STRESS_H
#define TESTS_STRESS_H

#include <primitives/types.h>

enum { MOST_DIALS = 64, MOST_OPERANDS = 12 };

/* An operand on the device between guard zones, and its twin for the host's version. */
typedef struct operand {
    cudaDataType_t type;
    size_t bytes, lead;
    char *base, *d; /* d: what the call is given */
    char *before;   /* what the twin held */
    char *h;
    bool is_output, may_be_null;
    bool has_any_zero; /* -0 and +0 are as good as each other */
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
    int variant;
    int threads; /* of the host's version */
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

/* 0 … limit - 1, by the next dial. */
size_t pick(trial *t, size_t limit);
/* 0 … most, small ones as often as large ones. */
size_t pick_size(trial *t, size_t most);
cudaDataType_t pick_type(trial *t, const cudaDataType_t *types, size_t count);
size_t bytes_of(cudaDataType_t type);
bool is_float(cudaDataType_t type);

/* Whole numbers from -8 to 8, or 0 to 16 where there is no sign; only ±1 where is_sign. */
operand *add_input(trial *t, cudaDataType_t type, size_t count, bool is_sign);
operand *add_output(trial *t, cudaDataType_t type, size_t count);
/* The twin's content becomes the device's. */
void send(operand *x);
__attribute__((format(printf, 2, 3))) void describe(trial *t, const char *format, ...);
__attribute__((format(printf, 2, 3))) void complain(trial *t, const char *format, ...);

/* Between these two stands the call. begin() takes what the query for bytes said. */
void begin(trial *t, prim_status asked, size_t bytes, bool can_be_captured);
/* Runs what the call submitted, and judges its status. true: it has run, and the host's version is
 * to say what is right. */
bool end(trial *t, prim_status status);
/* An element as a number; not of halves. */
double number_at(cudaDataType_t type, const char *h, size_t i);
/* The oracle's word: element i of what the host's version left, modulo the type's range. */
void expect(trial *t, const operand *x, size_t i, double number);
/* A call on the host, which must have worked. */
void on_host(trial *t, prim_status status);

typedef struct stress_call {
    const char *name;
    void (*run)(trial *t);
} stress_call;
extern const stress_call stress_calls[];
extern const size_t stress_call_count;

#endif
