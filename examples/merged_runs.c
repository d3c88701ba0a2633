#include "merged_runs.h"

#include <string.h>

#include "failure.h"

enum {
    RUNS = PRIM_CO_RANKS_MOST_RUNS, /* merged at once */
    PIECES = 2,                     /* under way */
    WINDOW_PIECES = 2, /* so that what moves to a window's front is less than is read */
    HOST_PIECES = RUNS * WINDOW_PIECES + PIECES,
    MOST_PIECE_BYTES = 1 << 26
};

/* The next keys of a run: in memory, and where those after them are in the file. */
typedef struct window {
    char *h_keys;
    size_t begin, end;
    uint64_t next, last;
} window;

typedef struct piece {
    void *h_out, *d_a, *d_b;
    uint64_t first; /* of its keys in the file */
    size_t count;   /* 0: nothing to write */
    cudaStream_t stream;
    cudaEvent_t copied; /* from there on the windows may change */
} piece;

typedef struct merger {
    const char *program;
    const key_file *keys;
    const exact_file *from, *to;
    progress *done;
    size_t piece_keys;
    window windows[RUNS];
    piece pieces[PIECES];
    int now; /* the piece that comes next */
} merger;

int merge_passes(uint64_t runs)
{
    int passes = 0;
    for (; runs > 1; runs = (runs + RUNS - 1) / RUNS)
        passes++;
    return passes;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* ---- memory ---- */

static void allocate_all(merger *m)
{
    const size_t bytes = m->piece_keys * m->keys->key_bytes;
    for (int r = 0; r < RUNS; r++)
        check_cuda(m->program,
                   cudaMallocHost((void **)&m->windows[r].h_keys, WINDOW_PIECES * bytes));
    for (int i = 0; i < PIECES; i++) {
        piece *const p = &m->pieces[i];
        check_cuda(m->program, cudaMallocHost(&p->h_out, bytes));
        check_cuda(m->program, cudaMalloc(&p->d_a, bytes));
        check_cuda(m->program, cudaMalloc(&p->d_b, bytes));
        check_cuda(m->program, cudaStreamCreate(&p->stream));
        check_cuda(m->program, cudaEventCreateWithFlags(&p->copied, cudaEventDisableTiming));
    }
}

static void free_all(const merger *m)
{
    for (int r = 0; r < RUNS; r++)
        check_cuda(m->program, cudaFreeHost(m->windows[r].h_keys));
    for (int i = 0; i < PIECES; i++) {
        const piece *const p = &m->pieces[i];
        check_cuda(m->program, cudaFreeHost(p->h_out));
        check_cuda(m->program, cudaFree(p->d_a));
        check_cuda(m->program, cudaFree(p->d_b));
        check_cuda(m->program, cudaStreamDestroy(p->stream));
        check_cuda(m->program, cudaEventDestroy(p->copied));
    }
}

/* ---- windows ---- */

/* At least a piece of keys, if the run has as many. */
static void fill(const merger *m, window *w)
{
    const size_t key_bytes = m->keys->key_bytes, have = w->end - w->begin;
    if (have >= m->piece_keys || w->next == w->last)
        return;
    memmove(w->h_keys, w->h_keys + w->begin * key_bytes, have * key_bytes);
    const size_t more = (size_t)least(WINDOW_PIECES * m->piece_keys - have, w->last - w->next);
    exact_file_read(m->program, m->from, w->h_keys + have * key_bytes, more * key_bytes,
                    w->next * key_bytes);
    w->begin = 0;
    w->end = have + more;
    w->next += more;
}

/* counts[r] = how many of the merged windows' first `count` keys come from window r. */
static void divide(const merger *m, uint64_t count, uint64_t counts[RUNS])
{
    const void *h_runs[RUNS];
    size_t h_counts[RUNS];
    for (int r = 0; r < RUNS; r++) {
        const window *const w = &m->windows[r];
        h_runs[r] = w->h_keys + w->begin * m->keys->key_bytes;
        h_counts[r] = w->end - w->begin;
    }
    check_prim(m->program, prim_co_ranks_host(m->keys->order, m->keys->type, RUNS, h_runs, h_counts,
                                              &count, 1, counts));
}

/* ---- pieces ---- */

/* Waits for the piece and writes it. */
static void finish_piece(const merger *m, piece *p)
{
    const size_t bytes = p->count * m->keys->key_bytes;
    check_cuda(m->program, cudaStreamSynchronize(p->stream));
    exact_file_write(m->program, m->to, p->h_out, bytes, p->first * m->keys->key_bytes);
    progress_add(m->done, bytes);
    p->count = 0;
}

/* d_a = the windows' parts, one after the other. */
static void copy_parts(merger *m, const piece *p, const uint64_t counts[RUNS])
{
    const size_t key_bytes = m->keys->key_bytes;
    char *d_to = p->d_a;
    for (int r = 0; r < RUNS; r++) {
        window *const w = &m->windows[r];
        check_cuda(m->program,
                   cudaMemcpyAsync(d_to, w->h_keys + w->begin * key_bytes, counts[r] * key_bytes,
                                   cudaMemcpyHostToDevice, p->stream));
        d_to += counts[r] * key_bytes;
        w->begin += counts[r];
    }
    check_cuda(m->program, cudaEventRecord(p->copied, p->stream));
}

/* Rounds of merges of neighbours, from one buffer to the other and back. Returns where it ends. */
static const void *merge_parts(const merger *m, const piece *p, uint64_t counts[RUNS])
{
    char *d_from = p->d_a, *d_to = p->d_b;
    for (int parts = RUNS; parts > 1; parts /= 2) {
        size_t at = 0; /* in bytes */
        for (int r = 0; r < parts; r += 2) {
            const size_t a = counts[r], b = counts[r + 1], key_bytes = m->keys->key_bytes;
            check_prim(m->program, prim_merge(PRIM_MERGE_AUTO, m->keys->order, m->keys->type,
                                              d_from + at, a, d_from + at + a * key_bytes, b,
                                              d_to + at, &(prim_call){.stream = p->stream}));
            counts[r / 2] = a + b;
            at += (a + b) * key_bytes;
        }
        char *const d_swap = d_from;
        d_from = d_to;
        d_to = d_swap;
    }
    return d_from;
}

/* The next `count` keys of the windows; the piece before may still be under way. */
static void begin_piece(merger *m, uint64_t first, size_t count)
{
    piece *const p = &m->pieces[m->now], *const before = &m->pieces[1 - m->now];
    uint64_t counts[RUNS];
    finish_piece(m, p);
    check_cuda(m->program, cudaEventSynchronize(before->copied));
    for (int r = 0; r < RUNS; r++)
        fill(m, &m->windows[r]);
    divide(m, count, counts);
    copy_parts(m, p, counts);
    check_cuda(m->program,
               cudaMemcpyAsync(p->h_out, merge_parts(m, p, counts), count * m->keys->key_bytes,
                               cudaMemcpyDeviceToHost, p->stream));
    p->first = first;
    p->count = count;
    m->now = 1 - m->now;
}

/* ---- passes ---- */

/* The runs from key `first` to key `last`, each of run_keys. */
static void merge_group(merger *m, uint64_t first, uint64_t last, uint64_t run_keys)
{
    uint64_t begin = first;
    for (int r = 0; r < RUNS; r++) {
        window *const w = &m->windows[r];
        w->begin = w->end = 0;
        w->next = begin;
        w->last = begin = begin + least(run_keys, last - begin);
    }
    for (uint64_t done = first, count; done < last; done += count) {
        count = least(m->piece_keys, last - done);
        begin_piece(m, done, (size_t)count);
    }
}

static void merge_pass(merger *m, uint64_t run_keys)
{
    const uint64_t all = m->keys->count;
    for (uint64_t first = 0, last; first < all; first = last) {
        last = first + least(RUNS * run_keys, all - first);
        merge_group(m, first, last, run_keys);
    }
    for (int i = 0; i < PIECES; i++)
        finish_piece(m, &m->pieces[(m->now + i) % PIECES]);
}

void merge_runs(const char *program, const key_file *keys, size_t run_keys,
                const exact_file files[2], progress *done)
{
    const int passes = merge_passes((keys->count + run_keys - 1) / run_keys);
    merger m = {.program = program, .keys = keys, .done = done};
    if (passes == 0)
        return;
    m.piece_keys = (size_t)least(run_keys * SORTED_RUNS_HOST / HOST_PIECES,
                                 MOST_PIECE_BYTES / keys->key_bytes);
    allocate_all(&m);
    uint64_t sorted = run_keys;
    for (int pass = 0; pass < passes; pass++, sorted *= RUNS) {
        m.from = &files[pass % 2];
        m.to = &files[1 - pass % 2];
        merge_pass(&m, sorted);
    }
    free_all(&m);
}
