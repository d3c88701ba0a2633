#define _GNU_SOURCE
#include "number_table.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "failure.h"

typedef struct reader {
    const char *program, *path;
    FILE *file;
    char *line;
    size_t line_room;
    size_t line_number;
} reader;

static _Noreturn __attribute__((format(printf, 2, 3))) void refuse(const reader *r,
                                                                   const char *format, ...)
{
    va_list arguments;
    fprintf(stderr, "%s: %s:%zu: ", r->program, r->path, r->line_number);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fprintf(stderr, "\n");
    exit(1);
}

/* The next line without what ends it, which may be a return and a newline; false at the end. */
static bool read_line(reader *r)
{
    const ssize_t got = getline(&r->line, &r->line_room, r->file);
    if (got < 0 && ferror(r->file))
        fail_with_errno(r->program, r->path);
    if (got < 0)
        return false;
    r->line_number++;
    if (memchr(r->line, '\0', (size_t)got) != NULL)
        refuse(r, "there is a zero byte");
    r->line[strcspn(r->line, "\n")] = '\0';
    const size_t length = strlen(r->line);
    if (length > 0 && r->line[length - 1] == '\r')
        r->line[length - 1] = '\0';
    return true;
}

/* ---- names ---- */

/* Takes the name at *rest, moves *rest behind it, and writes it to the same place, since without
 * quotes it is shorter. */
static char *take_quoted(const reader *r, char **rest, size_t column)
{
    char *const name = *rest + 1, *from = name, *to = name;
    for (; *from != '"' || from[1] == '"'; from++) {
        if (*from == '\0')
            refuse(r, "column %zu: the quotes do not end", column);
        from += *from == '"';
        *to++ = *from;
    }
    from++;
    if (*from != ',' && *from != '\0')
        refuse(r, "column %zu: there is more behind the quotes", column);
    *rest = from;
    *to = '\0';
    return name;
}

static char *take_name(const reader *r, char **rest, size_t column)
{
    char *const name = *rest;
    if (*name == '"')
        return take_quoted(r, rest, column);
    *rest += strcspn(name, ",");
    return name;
}

static void read_names(const reader *r, number_table *t)
{
    static const char mark[] = "\xef\xbb\xbf"; /* some programs begin UTF-8 with it */
    char *rest = r->line + (strncmp(r->line, mark, strlen(mark)) == 0 ? strlen(mark) : 0);
    for (bool more = true; more;) {
        t->names = allocate(r->program, t->names, t->columns, sizeof *t->names);
        char *const name = take_name(r, &rest, ++t->columns);
        more = *rest == ',';
        *rest++ = '\0';
        if (*name == '\0')
            refuse(r, "column %zu has no name", t->columns);
        t->names[t->columns - 1] = strcpy(allocate(r->program, NULL, strlen(name), 1), name);
    }
}

/* ---- numbers ---- */

/* Blanks may stand on both sides. */
static double number_of(const reader *r, const number_table *t, const char *word, size_t column)
{
    const char *const begin = word + strspn(word, " \t");
    const size_t length = strspn(begin, "0123456789+-.eE"); /* no hexadecimal, no "infinity" */
    char *end;
    const double number = strtod(begin, &end);
    if (length == 0 || end != begin + length || end[strspn(end, " \t")] != '\0')
        refuse(r, "column %zu (%s): \"%.40s\" is no number", column, t->names[column - 1], word);
    if (!isfinite(number))
        refuse(r, "column %zu (%s): %.40s is too large", column, t->names[column - 1], word);
    return number;
}

static void read_row(const reader *r, const number_table *t, double *row)
{
    char *rest = r->line;
    size_t column = 0;
    for (char *word; (word = strsep(&rest, ",")) != NULL;) {
        if (++column > t->columns)
            refuse(r, "column %zu: there are only %zu names", column, t->columns);
        row[column - 1] = number_of(r, t, word, column);
    }
    if (column < t->columns)
        refuse(r, "column %zu (%s) is missing", column + 1, t->names[column]);
}

number_table number_table_read(const char *program, const char *path)
{
    reader r = {.program = program, .path = path, .line_number = 0};
    number_table t = {0};
    size_t room = 0;
    r.file = strcmp(path, "-") == 0 ? stdin : fopen(path, "r");
    if (r.file == NULL)
        fail_with_errno(program, path);
    if (!read_line(&r)) {
        r.line_number = 1;
        refuse(&r, "there is no line of names");
    }
    read_names(&r, &t);
    for (; read_line(&r); t.rows++) {
        if (t.rows == room)
            t.h_numbers =
                allocate(program, t.h_numbers, room = 2 * room + 64, t.columns * sizeof(double));
        read_row(&r, &t, t.h_numbers + t.rows * t.columns);
    }
    free(r.line);
    fclose(r.file);
    return t;
}

void number_table_free(number_table *t)
{
    for (size_t c = 0; c < t->columns; c++)
        free(t->names[c]);
    free(t->names);
    free(t->h_numbers);
}
