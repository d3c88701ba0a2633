#include "sorted_runs.h"

#include "failure.h"

enum { BUFFERS = 2 };

typedef struct buffer {
    void *h_run, *d_run;
    uint64_t first; /* of the run's keys in the file */
    size_t count;   /* 0: nothing to write */
    cudaStream_t stream;
    cudaEvent_t sorted;
} buffer;

typedef struct workspace {
    void *d_memory;
    size_t bytes;
} workspace;

static buffer allocate_buffer(const char *program, size_t bytes)
{
    buffer b = {0};
    check_cuda(program, cudaMallocHost(&b.h_run, bytes));
    check_cuda(program, cudaMalloc(&b.d_run, bytes));
    check_cuda(program, cudaStreamCreate(&b.stream));
    check_cuda(program, cudaEventCreateWithFlags(&b.sorted, cudaEventDisableTiming));
    return b;
}

static void free_buffer(const char *program, const buffer *b)
{
    check_cuda(program, cudaFreeHost(b->h_run));
    check_cuda(program, cudaFree(b->d_run));
    check_cuda(program, cudaStreamDestroy(b->stream));
    check_cuda(program, cudaEventDestroy(b->sorted));
}

/* Waits for the buffer's run and writes it. */
static void finish_run(const char *program, const key_file *keys, buffer *b, const exact_file *to,
                       progress *done)
{
    const size_t bytes = b->count * keys->key_bytes;
    check_cuda(program, cudaStreamSynchronize(b->stream));
    exact_file_write(program, to, b->h_run, bytes, b->first * keys->key_bytes);
    progress_add(done, bytes);
    b->count = 0;
}

/* `other` has the workspace before. */
static void begin_run(const char *program, const key_file *keys, const buffer *b,
                      const buffer *other, const workspace *w)
{
    const size_t bytes = b->count * keys->key_bytes;
    check_cuda(program,
               cudaMemcpyAsync(b->d_run, b->h_run, bytes, cudaMemcpyHostToDevice, b->stream));
    check_cuda(program, cudaStreamWaitEvent(b->stream, other->sorted, 0));
    check_prim(program, prim_merge_sort(PRIM_MERGE_AUTO, keys->order, keys->type, b->d_run,
                                        b->count, b->d_run,
                                        &(prim_call){.stream = b->stream,
                                                     .d_workspace = w->d_memory,
                                                     .workspace_bytes = w->bytes}));
    check_cuda(program, cudaEventRecord(b->sorted, b->stream));
    check_cuda(program,
               cudaMemcpyAsync(b->h_run, b->d_run, bytes, cudaMemcpyDeviceToHost, b->stream));
}

void sort_runs(const char *program, const key_file *keys, size_t run_keys, const exact_file *from,
               const exact_file *to, progress *done)
{
    buffer buffers[BUFFERS];
    workspace w = {0};
    prim_answer answer;
    int i = 0;
    check_prim(program, prim_merge_sort(PRIM_MERGE_AUTO, keys->order, keys->type, NULL, run_keys,
                                        NULL, &(prim_call){.answer = &answer}));
    w.bytes = answer.workspace_bytes;
    if (w.bytes > 0)
        check_cuda(program, cudaMalloc(&w.d_memory, w.bytes));
    for (int b = 0; b < BUFFERS; b++)
        buffers[b] = allocate_buffer(program, run_keys * keys->key_bytes);
    for (uint64_t first = 0; first < keys->count; first += run_keys, i = 1 - i) {
        buffer *const b = &buffers[i];
        finish_run(program, keys, b, to, done);
        b->first = first;
        b->count = (size_t)(keys->count - first < run_keys ? keys->count - first : run_keys);
        exact_file_read(program, from, b->h_run, b->count * keys->key_bytes,
                        first * keys->key_bytes);
        begin_run(program, keys, b, &buffers[1 - i], &w);
    }
    for (int b = 0; b < BUFFERS; b++)
        finish_run(program, keys, &buffers[(i + b) % BUFFERS], to, done);
    for (int b = 0; b < BUFFERS; b++)
        free_buffer(program, &buffers[b]);
    check_cuda(program, cudaFree(w.d_memory));
}
