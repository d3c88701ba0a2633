#define _GNU_SOURCE
#include "number_table.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "failure.h"
#include "numbers.h"
#include "text_lines.h"

/* ---- names ---- */

/* Takes the name at *rest, moves *rest after it, and writes it to the same place, since without
 * quotes it is shorter. */
static char *take_quoted(const text_lines *l, char **rest, size_t column)
{
    char *const name = *rest + 1, *from = name, *to = name;
    for (; *from != '"' || from[1] == '"'; from++) {
        if (*from == '\0')
            text_lines_refuse(l, "column %zu: the quotes do not end", column);
        from += *from == '"';
        *to++ = *from;
    }
    from++;
    if (*from != ',' && *from != '\0')
        text_lines_refuse(l, "column %zu: there is more text after the quotes", column);
    *rest = from;
    *to = '\0';
    return name;
}

static char *take_name(const text_lines *l, char **rest, size_t column)
{
    char *const name = *rest;
    if (*name == '"')
        return take_quoted(l, rest, column);
    *rest += strcspn(name, ",");
    return name;
}

static void read_names(const text_lines *l, number_table *t)
{
    char *rest = l->line;
    for (bool more = true; more;) {
        t->names = allocate(l->program, t->names, t->columns, sizeof *t->names);
        char *const name = take_name(l, &rest, ++t->columns);
        more = *rest == ',';
        *rest++ = '\0';
        if (*name == '\0')
            text_lines_refuse(l, "column %zu has no name", t->columns);
        t->names[t->columns - 1] = strcpy(allocate(l->program, NULL, strlen(name), 1), name);
    }
}

/* ---- numbers ---- */

/* Blanks may stand on both sides. */
static double number_of(const text_lines *l, const number_table *t, char *word, size_t column)
{
    char *const begin = word + strspn(word, " \t");
    char *const end = begin + strcspn(begin, " \t");
    double number;
    const bool is_alone = end[strspn(end, " \t")] == '\0';
    if (is_alone)
        *end = '\0';
    if (!is_alone || !read_real(begin, &number))
        text_lines_refuse(l, "column %zu (%s): \"%.40s\" is not a number", column,
                          t->names[column - 1], word);
    if (!isfinite(number))
        text_lines_refuse(l, "column %zu (%s): %.40s is too large", column, t->names[column - 1],
                          word);
    return number;
}

static void read_row(const text_lines *l, const number_table *t, double *row)
{
    char *rest = l->line;
    size_t column = 0;
    for (char *word; (word = strsep(&rest, ",")) != NULL;) {
        if (++column > t->columns)
            text_lines_refuse(l, "column %zu: the first line has only %zu names", column,
                              t->columns);
        row[column - 1] = number_of(l, t, word, column);
    }
    if (column < t->columns)
        text_lines_refuse(l, "column %zu (%s) is missing", column + 1, t->names[column]);
}

number_table number_table_read(const char *program, const char *path)
{
    text_lines lines = text_lines_open(program, path);
    number_table t = {0};
    size_t room = 0;
    if (!text_lines_next(&lines)) {
        lines.number = 1;
        text_lines_refuse(&lines, "the first line, with the names of the columns, is missing");
    }
    read_names(&lines, &t);
    for (; text_lines_next(&lines); t.rows++) {
        if (t.rows == room)
            t.h_numbers =
                allocate(program, t.h_numbers, room = 2 * room + 64, t.columns * sizeof(double));
        read_row(&lines, &t, t.h_numbers + t.rows * t.columns);
    }
    text_lines_close(&lines);
    return t;
}

void number_table_free(number_table *t)
{
    for (size_t c = 0; c < t->columns; c++)
        free(t->names[c]);
    free(t->names);
    free(t->h_numbers);
}
