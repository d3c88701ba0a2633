/* Sorts a file of keys that may be larger than the device's memory, and than the host's.
 *
 *     file_sort --type=TYPE [--memory=BYTES] [--descending] IN OUT      OUT may be IN
 *
 * The keys lie in the file one after the other as they lie in memory: u32, i32, u64, f32 or f64,
 * the lowest byte first. primitives/merge.h says what order floats have, NaN too.
 *
 * First runs are sorted, as large as the device holds; then eight of them at a time are merged into
 * one, in pieces (sorted_runs.h, merged_runs.h). So a file that fits is read once, one of up to
 * eight runs twice, one of up to 64 runs three times. It needs room for itself beside OUT, and
 * twice as much where there is more than one run. */
#define _GNU_SOURCE
#include <argp.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "exact_file.h"
#include "failure.h"
#include "merged_runs.h"
#include "numbers.h"
#include "progress.h"
#include "sorted_runs.h"

static const char program[] = "file_sort";

typedef struct key_type {
    const char *name;
    cudaDataType_t type;
    size_t bytes;
} key_type;

static const key_type key_types[] = {{"u32", CUDA_R_32U, 4},
                                     {"i32", CUDA_R_32I, 4},
                                     {"u64", CUDA_R_64U, 8},
                                     {"f32", CUDA_R_32F, 4},
                                     {"f64", CUDA_R_64F, 8}};

enum { KEY_TYPES = sizeof key_types / sizeof *key_types };

typedef struct options {
    const char *in, *out;
    const key_type *type;
    unsigned long long memory; /* bytes; 0: not said */
    prim_order order;
} options;

/* ---- arguments ---- */

static const key_type *find_type(const char *name)
{
    for (int t = 0; t < KEY_TYPES; t++)
        if (strcmp(name, key_types[t].name) == 0)
            return &key_types[t];
    return NULL;
}

static void take_file(options *o, const char *path, struct argp_state *state)
{
    if (o->out != NULL)
        argp_error(state, "there are more arguments than IN and OUT");
    if (o->in == NULL)
        o->in = path;
    else
        o->out = path;
}

static void check_options(const options *o, struct argp_state *state)
{
    if (o->out == NULL)
        argp_error(state, "the files IN and OUT must be given");
    if (o->type == NULL)
        argp_error(state, "--type must be given");
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    options *const o = state->input;
    switch (key) {
    case 't':
        o->type = find_type(argument);
        if (o->type == NULL)
            argp_error(state, "there is no type %s; there are: u32 i32 u64 f32 f64", argument);
        return 0;
    case 'm':
        if (!read_count(argument, 1, ULLONG_MAX, &o->memory))
            argp_error(state, "%s is not a number of bytes", argument);
        return 0;
    case 'd':
        o->order = PRIM_DESCENDING;
        return 0;
    case ARGP_KEY_ARG:
        take_file(o, argument, state);
        return 0;
    case ARGP_KEY_END:
        check_options(o, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* ---- sizes ---- */

/* Half of what is free on the device, and no more than is free on the host, which holds two thirds
 * of it in pinned memory. */
static unsigned long long default_memory(void)
{
    size_t device_free, device_all;
    check_cuda(program, cudaMemGetInfo(&device_free, &device_all));
    const size_t host_free = (size_t)sysconf(_SC_AVPHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
    return device_free / 2 < host_free ? device_free / 2 : host_free;
}

/* Two runs and the sort's workspace, which is another run and a little. */
static unsigned long long device_bytes(const options *o, size_t run_keys)
{
    prim_answer answer;
    check_prim(program, prim_merge_sort(PRIM_MERGE_AUTO, o->order, o->type->type, NULL, run_keys,
                                        NULL, &(prim_call){.answer = &answer}));
    return (unsigned long long)(SORTED_RUNS_DEVICE - 1) * run_keys * o->type->bytes +
           answer.workspace_bytes;
}

/* Keys of a run: as many as the memory takes, or all. */
static size_t find_run_keys(const options *o, uint64_t count)
{
    const unsigned long long memory = o->memory > 0 ? o->memory : default_memory();
    const unsigned long long most = memory / SORTED_RUNS_DEVICE / o->type->bytes;
    if (most >= MERGED_RUNS_LEAST_KEYS) {
        size_t keys = (size_t)(most < count ? most : count);
        for (unsigned long long bytes; (bytes = device_bytes(o, keys)) > memory;)
            keys -= (size_t)((bytes - memory) / SORTED_RUNS_DEVICE / o->type->bytes + 1);
        return keys;
    }
    fprintf(stderr, "%s: %llu bytes of memory are not enough: at least %zu are needed\n", program,
            memory, (size_t)MERGED_RUNS_LEAST_KEYS * SORTED_RUNS_DEVICE * o->type->bytes);
    exit(o->memory > 0 ? 2 : 1); /* an argument, or the device's */
}

static uint64_t count_keys(const options *o, uint64_t bytes)
{
    if (bytes % o->type->bytes == 0)
        return bytes / o->type->bytes;
    fprintf(stderr, "%s: %s: %llu bytes are not a multiple of the %zu bytes of a %s\n", program,
            o->in, (unsigned long long)bytes, o->type->bytes, o->type->name);
    exit(1);
}

/* ---- the sort ---- */

/* Each pass writes the whole file to the other one of two; the last one to `out`. */
static void sort_file(const key_file *keys, size_t run_keys, const exact_file *in,
                      const exact_file *out, const exact_file *scratch)
{
    const int passes = merge_passes((keys->count + run_keys - 1) / run_keys);
    const exact_file *const first = passes % 2 == 0 ? out : scratch;
    const exact_file *const second = passes % 2 == 0 ? scratch : out;
    const exact_file files[] = {*first, *second};
    progress done = progress_begin(keys->count * keys->key_bytes * (1 + (uint64_t)passes));
    sort_runs(program, keys, run_keys, in, first, &done);
    merge_runs(program, keys, run_keys, files, &done);
    progress_end(&done);
}

static void run(const options *o)
{
    uint64_t bytes;
    const exact_file in = exact_file_open(program, o->in, &bytes);
    const key_file keys = {o->order, o->type->type, o->type->bytes, count_keys(o, bytes)};
    const size_t run_keys = find_run_keys(o, keys.count);
    const exact_file out = exact_file_begin(program, o->out, bytes);
    if (keys.count > 0) {
        const uint64_t more = run_keys < keys.count ? bytes : 0;
        const exact_file scratch = exact_file_scratch(program, o->out, more);
        sort_file(&keys, run_keys, &in, &out, &scratch);
        exact_file_close(program, &scratch);
    }
    exact_file_close(program, &in);
    exact_file_finish(program, &out);
}

int main(int argc, char **argv)
{
    static const struct argp_option option_table[] = {
        {"type", 't', "TYPE", 0, "What the keys are: u32, i32, u64, f32 or f64", 0},
        {"memory", 'm', "BYTES", 0, "Of the device; half of what is free if left out", 0},
        {"descending", 'd', NULL, 0, "The largest key first", 0},
        {0}};
    static const struct argp parser = {
        .options = option_table,
        .parser = parse,
        .args_doc = "IN OUT",
        .doc = "Sorts the keys of the file IN, of any size, into the file OUT, which may be IN."};
    options o = {.order = PRIM_ASCENDING};
    argp_err_exit_status = 2;
    argp_parse(&parser, argc, argv, 0, NULL, &o);
    run(&o);
    return 0;
}
