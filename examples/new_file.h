/* Files that are written as a whole. Every call ends the program with a sentence that begins with
 * `program` where anything fails. */
#ifndef EXAMPLES_NEW_FILE_H
#define EXAMPLES_NEW_FILE_H

#include <stdio.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* What is to be `path`, open for reading and writing: until new_file_finish() it has another name
 * in the same folder, so that `path` stays what it was if the program ends before. Links are
 * followed, and a file that is there keeps its mode. A device or a pipe is no such file: it is open
 * for writing itself, and stays what it is. One at a time. */
int new_file_begin(const char *program, const char *path);

/* All has been written, and the descriptor closed. */
void new_file_finish(const char *program, const char *path);

/* The same for a stream, which the second call closes. */
FILE *new_stream_begin(const char *program, const char *path);
void new_stream_finish(const char *program, const char *path, FILE *stream);

/* A file without a name, in the folder of `path`; gone when it is closed. */
int new_file_scratch(const char *program, const char *path);

#if defined(__cplusplus)
}
#endif

#endif
