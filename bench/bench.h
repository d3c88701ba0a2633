/* The bench's parts: options, cases of the patterns, timing, reports. */
#ifndef BENCH_H
#define BENCH_H

#include <stdbool.h>
#include <stddef.h>

#include <primitives/types.h>

#include "device_tools.h"

enum { MAX_LIST = 32 };

/* ---- options (options.c) ---- */

typedef struct bench_options {
    const char *patterns[MAX_LIST];
    const char *variants[MAX_LIST];
    cudaDataType_t types[MAX_LIST];
    size_t sizes[MAX_LIST];
    bench_input inputs[MAX_LIST];
    size_t pattern_count, variant_count, type_count, size_count, input_count; /* 0: the default */
    const char *json, *csv, *commit;
    bool list;
} bench_options;

/* Ends the program with a sentence where an option is wrong. */
void read_options(int argc, char **argv, bench_options *options);
bool wants_variant(const bench_options *options, const char *variant);
bool wants_type(const bench_options *options, cudaDataType_t type);
const char *input_name(bench_input input);

/* ---- cases ---- */

/* Which bandwidth is a case's ceiling. */
typedef enum bench_ceiling { CEILING_READ, CEILING_COPY } bench_ceiling;

/* One measurement: what is said of it, and what is timed. Cases that differ only in variant stand
 * next to each other and make a group. */
typedef struct bench_case {
    const char *pattern, *name;
    const char *variant; /* NULL for a peer */
    const char *peer;    /* NULL for ours */
    const char *type;
    char shape[32];
    bench_input input;
    size_t size;    /* elements in all */
    size_t rows;    /* of a matrix without gaps; 1: a vector */
    size_t m, n, k; /* of a product: m × k times k × n */
    bool has_state; /* so that no graph can hold it: cold only */
    cudaDataType_t element;
    int variant_value;
    double bytes; /* inputs once, outputs once */
    double flops;
    bench_ceiling ceiling;
} bench_case;

/* A list of cases that grows. */
typedef struct bench_plan {
    bench_case *cases;
    size_t count, capacity;
} bench_plan;

void plan_add(bench_plan *plan, bench_case added);

/* What a case runs on. */
typedef struct bench_operands {
    void *d_in, *d_out, *d_workspace;
    size_t workspace_bytes, out_bytes;
} bench_operands;

typedef struct bench_pattern {
    const char *name;
    void (*plan)(const bench_options *options, bench_plan *plan);
    /* Allocates and fills; the same inputs for all cases of a group. */
    void (*set_up)(const bench_case *c, bench_operands *operands);
    prim_status (*run)(const bench_case *c, const bench_operands *operands, cudaStream_t stream);
    /* Are these two results of the same inputs the same, but for rounding? */
    bool (*same)(const bench_case *c, const void *h_a, const void *h_b);
} bench_pattern;

extern const bench_pattern bench_binary_gemm, bench_convolution, bench_gemm, bench_gemv,
    bench_histogram, bench_merge, bench_reduce, bench_scan, bench_sparse;

/* ---- timing (timing.c) ---- */

typedef enum bench_mode { MODE_COLD, MODE_HOT, MODE_COUNT } bench_mode;

typedef struct bench_time {
    double median_us, min_us;
    double noise; /* interquartile range over median */
} bench_time;

typedef struct bench_ceilings {
    double read_gbps, copy_gbps, empty_us; /* 0: not measured, on the CPU backend */
} bench_ceilings;

typedef prim_status bench_call(const void *argument, cudaStream_t stream);

bool on_gpu(void);
/* Cold and hot on a GPU; the CPU backend has no such difference, and only cold. */
int mode_count(void);
void timing_begin(void);
bench_ceilings measure_ceilings(void);
bench_time measure(bench_mode mode, bench_call *call, const void *argument);
void timing_end(void);

/* Ends the program with a sentence where the call failed. */
void must(cudaError_t error, const char *what);
void must_prim(prim_status status);

/* ---- reports (report.c, save.c) ---- */

typedef struct bench_result {
    const bench_case *c;
    bench_mode mode;
    bench_time time; /* median_us 0: not measured in this mode */
} bench_result;

typedef struct bench_context {
    char device[256];
    int driver, cuda, clock_khz;
    char date[32];
    const char *commit;
    bench_ceilings ceilings;
} bench_context;

/* Derived figures; 0 where they mean nothing. */
double gbps(const bench_result *r);
double gflops(const bench_result *r);
double of_ceiling(const bench_result *r, const bench_ceilings *ceilings);
double of_floor(const bench_result *r, const bench_ceilings *ceilings);
const char *mode_name(bench_mode mode);
bool same_group(const bench_case *a, const bench_case *b);

void print_context(const bench_context *context);
/* The results of one group, all modes. */
void print_group(const bench_result *results, size_t count, const bench_ceilings *ceilings);
/* On a terminal only. */
void show_progress(size_t done, size_t all, const char *what);

void save_json(const char *path, const bench_context *context, const bench_result *results,
               size_t count);
void save_csv(const char *path, const bench_context *context, const bench_result *results,
              size_t count);

#endif
