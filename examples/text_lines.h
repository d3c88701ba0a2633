/* The lines of a text that a program reads numbers from. Every call ends the program with a
 * sentence where anything fails. */
#ifndef EXAMPLES_TEXT_LINES_H
#define EXAMPLES_TEXT_LINES_H

#include <stdbool.h>
#include <stdio.h>

typedef struct text_lines {
    const char *program, *path;
    FILE *file;
    char *line; /* without what ends it; the caller may change it */
    size_t room;
    size_t number; /* the line's, from 1 */
} text_lines;

/* path may be - for standard input. */
text_lines text_lines_open(const char *program, const char *path);

/* The next line, without the mark that some programs begin UTF-8 with; false at the end. A newline
 * ends it, or a return and a newline; other returns are refused, and so are zero bytes. */
bool text_lines_next(text_lines *l);

/* "PROGRAM: PATH:LINE: …" of the line that was read last. */
__attribute__((noreturn, format(printf, 2, 3))) void text_lines_refuse(const text_lines *l,
                                                                       const char *format, ...);

void text_lines_close(text_lines *l);

#endif
