#include "file_pieces.h"

#include <string.h>

enum { PIECE_BYTES = 1 << 24, BUFFERS = 2 };

typedef struct buffer {
    void *h_piece, *d_piece;
    cudaEvent_t copied; /* from there on the host may write to h_piece again */
} buffer;

static FILE *open_file(const char *program, const char *path)
{
    FILE *const file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    if (file == NULL)
        fail_with_errno(program, path);
    return file;
}

void for_each_piece(const char *program, const char *path, use_piece *use, void *context)
{
    FILE *const file = open_file(program, path);
    buffer buffers[BUFFERS];
    cudaStream_t stream;
    check_cuda(program, cudaStreamCreate(&stream));
    for (int i = 0; i < BUFFERS; i++) {
        check_cuda(program, cudaMallocHost(&buffers[i].h_piece, PIECE_BYTES));
        check_cuda(program, cudaMalloc(&buffers[i].d_piece, PIECE_BYTES));
        check_cuda(program, cudaEventCreate(&buffers[i].copied));
    }
    for (int i = 0;; i = (i + 1) % BUFFERS) {
        const buffer *b = &buffers[i];
        check_cuda(program, cudaEventSynchronize(b->copied));
        const size_t bytes = fread(b->h_piece, 1, PIECE_BYTES, file);
        if (bytes == 0)
            break;
        check_cuda(program,
                   cudaMemcpyAsync(b->d_piece, b->h_piece, bytes, cudaMemcpyHostToDevice, stream));
        check_cuda(program, cudaEventRecord(b->copied, stream));
        use(context, b->d_piece, bytes, stream);
    }
    if (ferror(file))
        fail_with_errno(program, path);
    check_cuda(program, cudaStreamSynchronize(stream));
    for (int i = 0; i < BUFFERS; i++) {
        check_cuda(program, cudaEventDestroy(buffers[i].copied));
        check_cuda(program, cudaFree(buffers[i].d_piece));
        check_cuda(program, cudaFreeHost(buffers[i].h_piece));
    }
    check_cuda(program, cudaStreamDestroy(stream));
    fclose(file);
}
