/* The bench's parts: options, cases of the patterns, timing, reports. */
#ifndef BENCH_H
#define BENCH_H

#include <stdbool.h>
#include <stddef.h>

#include <primitives/types.h>

#include "device_tools.h"

#if defined(__cplusplus)
extern "C" {
#endif

enum { MAX_LIST = 32 };

/* ---- options (options.c) ---- */

typedef struct bench_names {
    const char *names[MAX_LIST];
    size_t count;
} bench_names;

/* Of nothing named, a list means all, or the default. */
typedef struct bench_options {
    bench_names patterns, cases, variants;
    cudaDataType_t types[MAX_LIST];
    size_t sizes[MAX_LIST];
    bench_input inputs[MAX_LIST];
    size_t type_count, size_count, input_count;
    const char *json, *csv, *commit;
    const char *plot;        /* a folder for plots */
    bench_names from;        /* files of results to read instead of measuring */
    bench_names compared[2]; /* files of the runs before and after */
    bool peers, list;
    bool ladders; /* one case a pattern */
    bool full;    /* every case, without being named */
    bool hot;     /* measure drawn cases hot too, as listed ones are */
    bool alone;   /* measure calls that meet an idle GPU and are waited for */
    bool times;   /* measure, though the CPU backend's times say nothing about a GPU */
    bool shapes;  /* odd shapes in place of the usual sizes */
    size_t draw;  /* so many drawn cases of each call in place of them; 0: none */
    unsigned seed;
    size_t only; /* of drawn cases the one of this number; SIZE_MAX: all */
} bench_options;

/* Ends the program with a sentence where an option is wrong. */
void read_options(int argc, char **argv, bench_options *options);

/* ---- elements (reals.c) ---- */

/* Is it a float type; and element i of such values, as a double. */
bool is_real(cudaDataType_t type);
double real_at(cudaDataType_t type, const void *values, size_t i);

/* ---- cases ---- */

/* What holds a case back: a bandwidth, the arithmetic of f32, or nothing that is measured. */
typedef enum bench_ceiling {
    CEILING_READ,
    CEILING_COPY,
    CEILING_FFMA,
    CEILING_ROOFLINE, /* reading or f32 arithmetic, whichever takes longer */
    CEILING_NONE
} bench_ceiling;

/* One measurement: what is said of it, and what is timed. Cases that differ only in variant stand
 * next to each other and make a group. */
typedef struct bench_case {
    const char *pattern, *name;
    const char *variant; /* NULL for a peer */
    const char *peer;    /* NULL for ours */
    const char *type;
    char shape[48];
    bench_input input;
    size_t size;                     /* elements in all */
    size_t rows;                     /* of a matrix; 1: a vector */
    size_t ld;                       /* of a matrix with gaps between its rows; 0: there are none */
    size_t offset;                   /* elements that the input begins past 16 bytes */
    size_t m, n, k;                  /* of a product: m × k times k × n */
    size_t batches;                  /* so many products, one after the other; 0: one */
    bool transposed_a, transposed_b; /* in memory */
    prim_op op;                      /* of a reduction or a scan */
    prim_transform transform;
    int boundary;                   /* of a convolution */
    size_t mask_width, mask_height; /* of a drawn one, as its channels */
    int channels;
    size_t bins;        /* of a drawn histogram */
    int matrix;         /* of a drawn sparse one: which kind (matrix_kinds.h) */
    double row_entries; /* and about how many entries a row has */
    bool has_state;     /* so that no graph can hold it: cold only */
    cudaDataType_t element, result;
    int variant_value;
    double bytes; /* inputs once, outputs once */
    double flops;
    bench_ceiling ceiling;
} bench_case;

/* ---- cases in lists (plan.c) ---- */

/* A list of cases that grows. */
typedef struct bench_plan {
    bench_case *cases;
    size_t count, capacity;
} bench_plan;

void plan_add(bench_plan *plan, bench_case added);
bool same_group(const bench_case *a, const bench_case *b);
/* "auto", "cub": the variant's name or the peer's. */
const char *case_label(const bench_case *c);
/* Of the shape "1024" (one row) or "64x1024"; their product: the elements in all. Of "512^3" the
 * side. */
double shape_rows(const bench_case *c);
double shape_columns(const bench_case *c);
double shape_size(const bench_case *c);
const char *input_name(bench_input input);
/* false: there is no such input. */
bool find_input(const char *name, bench_input *input);

/* ---- odd shapes (shapes.c) ---- */

typedef struct bench_shape {
    size_t rows, columns;
    size_t ld, offset; /* as a case has them */
} bench_shape;

/* Is the case one of `--family shapes`? Its name begins with "shapes_". */
bool is_of_shapes(const bench_case *c);
const bench_shape *matrix_shapes(size_t *count);
/* Sets rows, size, ld, offset and the label. */
void set_shape(bench_case *c, const bench_shape *shape);
double touched_bytes(size_t rows, size_t columns, size_t ld, size_t element_bytes, size_t offset);
size_t elements_of_shape(const bench_case *c);

/* ---- what was asked for (select.c) ---- */

bool wants_type(const bench_options *options, cudaDataType_t type);
/* Is the case one of the patterns, cases, variants, types, sizes and inputs? A peer is, unless
 * variants were named; then where it was named too, or all peers were asked for. */
bool wants(const bench_options *options, const bench_case *c);
/* Ends the program where a variant or a case was named that none of these has, with a list of
 * theirs. */
void check_names(const bench_options *options, const bench_case *cases, size_t count);

/* ---- patterns ---- */

/* What a case runs on. */
typedef struct bench_operands {
    void *d_in, *d_out, *d_workspace;
    void *h_state; /* what the pattern keeps besides: one block of malloc()'s, or NULL */
    size_t workspace_bytes, out_bytes;
    prim_answer *answer; /* not NULL: the case's call is only asked, and operands may be NULL */
} bench_operands;

typedef prim_status bench_run(const bench_case *c, const bench_operands *o, cudaStream_t stream);

typedef struct bench_pattern {
    const char *name;
    const char *header; /* primitives/….h */
    void (*plan)(const bench_options *options, bench_plan *plan);
    /* The family `shapes`; NULL: the pattern has none. */
    void (*plan_shapes)(const bench_options *options, bench_plan *plan);
    /* Drawn cases, draw.h; NULL: the pattern has none. */
    void (*plan_draw)(const bench_options *options, bench_plan *plan);
    /* Allocates and fills; the same inputs for all cases of a group. No workspace. */
    void (*set_up)(const bench_case *c, bench_operands *operands);
    bench_run *run;
    /* Are these two results of the same inputs the same, but for rounding? */
    bool (*same)(const bench_case *c, const void *h_a, const void *h_b);
} bench_pattern;

extern const bench_pattern bench_binary_gemm, bench_convolution, bench_gemm, bench_gemv,
    bench_histogram, bench_merge, bench_reduce, bench_scan, bench_sparse;

/* All of them (patterns.c); NULL after the last. */
const bench_pattern *pattern_at(size_t index);
/* By its name or its header's; NULL: there is none. */
const bench_pattern *find_pattern(const char *name);

/* A library that others made, doing one pattern. Its operands are those that the pattern's
 * set_up() made, with a workspace of its own. peers/peers.h lists them. */
typedef struct bench_peer {
    const char *name, *pattern;
    bool (*does)(const bench_case *c);
    size_t (*workspace_bytes)(const bench_case *c, const bench_operands *operands);
    bench_run *run; /* not PRIM_OK: it does not take the case after all */
} bench_peer;

/* ---- timing (timing.c) ---- */

typedef enum bench_mode { MODE_COLD, MODE_HOT, MODE_ALONE, MODE_COUNT } bench_mode;

typedef struct bench_time {
    double median_us, min_us;
    double noise;   /* interquartile range over median */
    double host_us; /* what the host spends in the call, others being queued; 0: not measured */
} bench_time;

typedef struct bench_ceilings {
    double read_gbps, copy_gbps, ffma_gflops, empty_us; /* 0: not measured */
    double empty_host_us; /* what the host spends in an empty launch */
} bench_ceilings;

typedef prim_status bench_call(const void *argument, cudaStream_t stream);

bool on_gpu(void);
/* Cold and hot on a GPU, cold on the CPU backend, where they do not differ; or all. A mode below it
 * may have no time. */
int mode_count(void);
void timing_begin(bool with_alone);
/* From now on fewer repetitions where a call is long, no host times, and hot ones only if asked
 * for. */
void timing_in_short(bool with_hot);
double measure_host_us(bench_call *call, const void *argument, double call_us);
bench_ceilings measure_ceilings(void);
bench_time measure(bench_mode mode, bench_call *call, const void *argument);
/* Up to MOST_IN_TURN calls, one repetition of each after the other, so that what disturbs one of
 * them disturbs all. */
enum { MOST_IN_TURN = 8 };
void measure_in_turn(bench_mode mode, bench_call *call, const void *const *arguments, size_t count,
                     bench_time *times);
void timing_end(void);

/* Ends the program with a sentence where the call failed. */
void must(cudaError_t error, const char *what);
void must_prim(prim_status status);

/* ---- results (measure.c, derived.c, report.c, summary.c, save.c, load.c, plot.c, compare.c) ----
 */

typedef struct bench_result {
    const bench_case *c;
    bench_mode mode;
    bench_time time;             /* median_us 0: not measured in this mode */
    double of_ceiling, of_floor; /* fractions; 0: they mean nothing here */
} bench_result;

typedef struct bench_context {
    char device[256];
    int driver, cuda, clock_khz;
    char date[32];
    const char *commit;
    bench_ceilings ceilings;
    size_t drawn; /* cases of each call; 0: they are none */
    unsigned seed;
} bench_context;

typedef void print_results(const bench_context *context, const bench_result *results, size_t count);

/* Measures the plan, a result for each case and mode, and prints each group when it is done. */
void measure_all(const bench_plan *plan, const bench_context *context, print_results *print,
                 bench_result *results);

/* Runs each case of the plan once, compares the results of each group, and says for each pattern on
 * how many inputs how many variants agree. Ends the program where one does not. */
void agree_all(const bench_plan *plan);

/* Derived figures; set_shares() once the time is known. */
void set_shares(bench_result *r, const bench_ceilings *ceilings);
double gbps(const bench_result *r);
double gflops(const bench_result *r);
bool is_noisy(const bench_result *r);
const char *mode_name(bench_mode mode);
/* "1.25x"; of a small one two digits that say something: "0.0014x". */
void ratio_text(char *text, size_t bytes, double ratio);

/* How many results from the first on are of its group. */
size_t group_length(const bench_result *results, size_t count);

/* What the results of a group in one mode are compared with; NULL: there is none. */
typedef struct bench_yardsticks {
    const bench_result *automatic, *first; /* auto, and the lowest rung */
    const bench_result *peer;              /* the fastest */
} bench_yardsticks;

bench_yardsticks find_yardsticks(const bench_result *results, size_t count, bench_mode mode);

void print_context(const bench_context *context);
/* The line above a group's table. */
void print_group_title(const bench_case *c);
/* The results of one group, all modes; or of all groups. */
print_results print_group, print_groups;
/* Of odd shapes the shares of the ceiling, worst last (shapes.c). */
void print_shapes(const bench_result *results, size_t count);
/* On a terminal only: so many cases are done, about how long the others take, and what comes next.
 */
void show_progress(size_t done, size_t all, const char *what);
void clear_progress(void);
/* Of all results: auto against peers or lowest rungs, and how many times are noisy. */
void print_summary(const bench_result *results, size_t count);

/* Is it the case that stands for its pattern at a first look (ladders.c)? Of these a short table
 * each, and what auto reaches. */
bool is_first_look(const bench_case *c);
print_results print_ladders;
void print_what_to_take(const bench_result *results, size_t count);

/* End the program with a sentence where the file, or plots in the folder, could not be written. */
void check_writable(const char *path);
void check_plots(const char *folder);

void save_json(const char *path, const bench_context *context, const bench_result *results,
               size_t count);
void save_csv(const char *path, const bench_result *results, size_t count);

/* A file that save_json() wrote. */
typedef struct bench_file {
    bench_context context;
    bench_case *cases;
    bench_result *results;
    size_t count;
    struct cJSON *json; /* its texts are those of context and cases */
} bench_file;

/* Reads the files and keeps the rows that were asked for. Ends the program with a sentence where a
 * file is not one of these, or where no row is left. */
void load_files(const bench_names *paths, const bench_options *options, bench_file *files);
/* Of several files with a pattern, the newest keeps its rows: this is the one place that says so.
 */
void keep_newest(bench_file *files, size_t count);
void unload(bench_file *files, size_t count);

/* Prints what became slower or faster from the first runs to the second. 1: something is slower
 * beyond noise. */
int compare_files(const bench_options *options);

/* Plots of each pattern, case and type as SVG files in the folder, which is made if need be. Ends
 * the program with a sentence where gnuplot is missing or fails. */
void plot_all(const char *folder, const bench_context *context, const bench_result *results,
              size_t count);

#if defined(__cplusplus)
}
#endif

#endif
