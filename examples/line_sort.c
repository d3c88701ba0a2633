/* Sorts the lines of a text file by their first eight bytes; lines that agree in these keep their
 * order.
 *
 *     line_sort [--descending] FILE        FILE may be - for standard input
 *
 * The eight bytes make a key, an unsigned number with the first byte on top; shorter lines are
 * padded with zeros. The device says where the line stands that comes first, the one that comes
 * second, and so on: the keys' permutation. */
#define _GNU_SOURCE
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <primitives/merge.h>

enum { KEY_BYTES = 8 };

typedef struct options {
    const char *path;
    prim_order order;
} options;

typedef struct text {
    char *bytes;
    size_t count;
} text;

typedef struct lines {
    const char **begins; /* one more than there are lines: the last is the text's end */
    uint64_t *keys;
    size_t count;
} lines;

static void check_cuda(cudaError_t error)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "line_sort: %s\n", cudaGetErrorString(error));
    exit(1);
}

static void check(prim_status status)
{
    if (status == PRIM_OK)
        return;
    fprintf(stderr, "line_sort: %s\n", prim_last_error(NULL));
    exit(1);
}

/* Room for `count` things and one more. */
static void *allocate(void *old, size_t count, size_t bytes)
{
    void *const memory = realloc(old, (count + 1) * bytes);
    if (memory != NULL)
        return memory;
    fprintf(stderr, "line_sort: out of memory\n");
    exit(1);
}

/* ---- the file ---- */

/* The whole file; a newline is put behind the last line if it has none. */
static text read_text(FILE *file, const char *path)
{
    size_t room = 1 << 16;
    text t = {allocate(NULL, room, 1), 0};
    for (size_t got; (got = fread(t.bytes + t.count, 1, room - t.count, file)) > 0;) {
        t.count += got;
        if (t.count == room)
            t.bytes = allocate(t.bytes, room *= 2, 1);
    }
    if (ferror(file)) {
        fprintf(stderr, "line_sort: %s: %s\n", path, strerror(errno));
        exit(1);
    }
    if (t.count > 0 && t.bytes[t.count - 1] != '\n')
        t.bytes[t.count++] = '\n';
    return t;
}

static text read_file(const char *path)
{
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    if (file == NULL) {
        fprintf(stderr, "line_sort: %s: %s\n", path, strerror(errno));
        exit(1);
    }
    const text t = read_text(file, path);
    fclose(file);
    return t;
}

static const char *behind_line(const char *begin, const text *t)
{
    const size_t left = (size_t)(t->bytes + t->count - begin);
    return (const char *)memchr(begin, '\n', left) + 1; /* every line ends with one */
}

static uint64_t key_of(const char *begin)
{
    uint64_t key = 0;
    int b = 0;
    for (; b < KEY_BYTES && begin[b] != '\n'; b++)
        key = key << 8 | (unsigned char)begin[b];
    for (; b < KEY_BYTES; b++)
        key <<= 8;
    return key;
}

static lines split(const text *t)
{
    lines l = {0};
    for (const char *p = t->bytes; p < t->bytes + t->count; p = behind_line(p, t))
        l.count++;
    l.begins = allocate(NULL, l.count, sizeof *l.begins);
    l.keys = allocate(NULL, l.count, sizeof *l.keys);
    const char *p = t->bytes;
    for (size_t i = 0; i < l.count; i++, p = behind_line(p, t)) {
        l.begins[i] = p;
        l.keys[i] = key_of(p);
    }
    l.begins[l.count] = t->bytes + t->count;
    return l;
}

/* ---- the sort ---- */

/* The number of the line that comes to place 0, to place 1, … */
static uint64_t *sort_lines(const lines *l, prim_order order)
{
    const size_t bytes = l->count * sizeof(uint64_t);
    uint64_t *const h_lines = allocate(NULL, l->count, sizeof *h_lines);
    void *d_keys, *d_lines;
    check_cuda(cudaMalloc(&d_keys, bytes));
    check_cuda(cudaMalloc(&d_lines, bytes));
    check_cuda(cudaMemcpyAsync(d_keys, l->keys, bytes, cudaMemcpyHostToDevice, 0));
    check(prim_merge_sort_permutation(PRIM_MERGE_SORT_AUTO, order, CUDA_R_64U, d_keys, l->count,
                                      CUDA_R_64U, d_lines, NULL, 0, 0));
    check_cuda(cudaMemcpy(h_lines, d_lines, bytes, cudaMemcpyDeviceToHost));
    check_cuda(cudaFree(d_keys));
    check_cuda(cudaFree(d_lines));
    return h_lines;
}

static void print_lines(const lines *l, const uint64_t *lines_at)
{
    for (size_t p = 0; p < l->count; p++) {
        const char *const begin = l->begins[lines_at[p]], *const end = l->begins[lines_at[p] + 1];
        fwrite(begin, 1, (size_t)(end - begin), stdout);
    }
    if (fflush(stdout) == 0 && !ferror(stdout))
        return;
    fprintf(stderr, "line_sort: the output: %s\n", strerror(errno));
    exit(1);
}

/* ---- arguments ---- */

static error_t parse(int key, char *argument, struct argp_state *state)
{
    options *const o = state->input;
    switch (key) {
    case 'd':
        o->order = PRIM_DESCENDING;
        return 0;
    case ARGP_KEY_ARG:
        if (o->path != NULL)
            argp_error(state, "more than one FILE");
        o->path = argument;
        return 0;
    case ARGP_KEY_END:
        if (o->path == NULL)
            argp_error(state, "no FILE");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int main(int argc, char **argv)
{
    static const struct argp_option option_table[] = {
        {"descending", 'd', NULL, 0, "The largest key first; equal ones still in file order", 0},
        {0}};
    static const struct argp parser = {
        .options = option_table,
        .parser = parse,
        .args_doc = "FILE",
        .doc = "Sorts the lines of FILE by their first eight bytes; FILE may be -."};
    options o = {NULL, PRIM_ASCENDING};
    argp_parse(&parser, argc, argv, 0, NULL, &o);

    text t = read_file(o.path);
    lines l = split(&t);
    uint64_t *const lines_at = sort_lines(&l, o.order);
    print_lines(&l, lines_at);
    free(lines_at);
    free(l.keys);
    free(l.begins);
    free(t.bytes);
    return 0;
}
