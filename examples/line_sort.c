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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <primitives/merge.h>

#include "failure.h"
#include "output.h"
#include "whole_file.h"

static const char program[] = "line_sort";

enum { KEY_BYTES = 8 };

typedef struct options {
    const char *path;
    prim_order order;
} options;

typedef struct lines {
    const char **begins; /* one more than there are lines: the last is the text's end */
    uint64_t *keys;
    size_t count;
} lines;

/* ---- the file ---- */

/* A newline is put after the last line if it has none. */
static text read_lines(const char *path)
{
    text t = read_whole_file(program, path);
    if (t.count > 0 && t.bytes[t.count - 1] != '\n')
        t.bytes[t.count++] = '\n';
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
    l.begins = allocate(program, NULL, l.count, sizeof *l.begins);
    l.keys = allocate(program, NULL, l.count, sizeof *l.keys);
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
    uint64_t *const h_lines = allocate(program, NULL, l->count, sizeof *h_lines);
    void *d_keys, *d_lines;
    check_cuda(program, cudaMalloc(&d_keys, bytes));
    check_cuda(program, cudaMalloc(&d_lines, bytes));
    check_cuda(program, cudaMemcpyAsync(d_keys, l->keys, bytes, cudaMemcpyHostToDevice, 0));
    check_prim(program, prim_merge_sort_permutation(PRIM_MERGE_AUTO, order, CUDA_R_64U, d_keys,
                                                    l->count, CUDA_R_64U, d_lines, NULL));
    check_cuda(program, cudaMemcpy(h_lines, d_lines, bytes, cudaMemcpyDeviceToHost));
    check_cuda(program, cudaFree(d_keys));
    check_cuda(program, cudaFree(d_lines));
    return h_lines;
}

static void print_lines(const lines *l, const uint64_t *lines_at)
{
    for (size_t p = 0; p < l->count; p++) {
        const char *const begin = l->begins[lines_at[p]], *const end = l->begins[lines_at[p] + 1];
        fwrite(begin, 1, (size_t)(end - begin), stdout);
    }
    finish_output(program);
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
            argp_error(state, "there is more than one FILE");
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
    argp_err_exit_status = 2;
    argp_parse(&parser, argc, argv, 0, NULL, &o);

    text t = read_lines(o.path);
    lines l = split(&t);
    uint64_t *const lines_at = sort_lines(&l, o.order);
    print_lines(&l, lines_at);
    free(lines_at);
    free(l.keys);
    free(l.begins);
    free(t.bytes);
    return 0;
}
