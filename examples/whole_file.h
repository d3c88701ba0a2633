/* A file that fits into memory. */
#ifndef EXAMPLES_WHOLE_FILE_H
#define EXAMPLES_WHOLE_FILE_H

#include <stddef.h>

typedef struct text {
    char *bytes; /* from malloc(), with room for one more */
    size_t count;
} text;

/* All of it; path may be - for standard input. Ends the program with a sentence that begins with
 * `program` where anything fails. */
text read_whole_file(const char *program, const char *path);

#endif
