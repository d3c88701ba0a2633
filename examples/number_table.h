/* A table of numbers from a CSV file: a line of names, and below it lines of as many numbers, with
 * commas between. Names may stand in double quotes, in which two stand for one. */
#ifndef EXAMPLES_NUMBER_TABLE_H
#define EXAMPLES_NUMBER_TABLE_H

#include <stddef.h>

typedef struct number_table {
    char **names;
    double *h_numbers; /* row by row */
    size_t rows, columns;
} number_table;

/* path may be - for standard input. Ends the program with a sentence that begins with `program` and
 * says line and column, both from 1, where something is no such file: numbers have to be decimal
 * and finite, and lines must not be empty. text_lines.h says how lines end. */
number_table number_table_read(const char *program, const char *path);

void number_table_free(number_table *t);

#endif
