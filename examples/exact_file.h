/* Files that are read and written at any place, by all the bytes that were asked for. Every call
 * ends the program with a sentence that begins with `program` where anything fails. */
#ifndef EXAMPLES_EXACT_FILE_H
#define EXAMPLES_EXACT_FILE_H

#include <stddef.h>
#include <stdint.h>

typedef struct exact_file {
    const char *path;
    int descriptor;
} exact_file;

/* For reading; a regular file, since others have no size. */
exact_file exact_file_open(const char *program, const char *path, uint64_t *bytes);

/* A file of that size, with room for it, in the folder of `path`; gone when it is closed. */
exact_file exact_file_scratch(const char *program, const char *path, uint64_t bytes);

/* What is to be `path`, with room for so many bytes, as new_file_begin() has it; a regular file. */
exact_file exact_file_begin(const char *program, const char *path, uint64_t bytes);
void exact_file_finish(const char *program, const exact_file *file);

void exact_file_read(const char *program, const exact_file *file, void *to, size_t bytes,
                     uint64_t at);
void exact_file_write(const char *program, const exact_file *file, const void *from, size_t bytes,
                      uint64_t at);
void exact_file_close(const char *program, const exact_file *file);

#endif
