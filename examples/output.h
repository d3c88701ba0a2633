/* The end of what a program prints. */
#ifndef EXAMPLES_OUTPUT_H
#define EXAMPLES_OUTPUT_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Comes after all that is printed: a full disk may only show when the rest of it is written. Ends
 * the program with a sentence that begins with `program` where not all of it was. */
static inline void finish_output(const char *program)
{
    const int failed_before = ferror(stdout);
    errno = 0;
    if (fclose(stdout) == 0 && failed_before == 0)
        return;
    fprintf(stderr, "%s: the output: %s\n", program,
            errno != 0 ? strerror(errno) : "not all of it could be written");
    exit(1);
}

#endif
