/* A file of any size on its way through the device, in pieces. */
#ifndef EXAMPLES_FILE_PIECES_H
#define EXAMPLES_FILE_PIECES_H

#include <stdio.h>

#include "failure.h"

/* Submits work on a piece to the stream, and does not wait. */
typedef void use_piece(void *context, const void *d_piece, size_t bytes, cudaStream_t stream);

/* Two buffers: while one piece is copied and used, the next one is read. Ends with the stream's
 * work done, and ends the program with a sentence that begins with `program` where anything fails.
 */
void for_each_piece(const char *program, const char *path, use_piece *use, void *context);

#endif
