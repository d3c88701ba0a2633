#define _GNU_SOURCE
#include "text_lines.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "failure.h"

text_lines text_lines_open(const char *program, const char *path)
{
    text_lines l = {.program = program, .path = path};
    l.file = strcmp(path, "-") == 0 ? stdin : fopen(path, "r");
    if (l.file == NULL)
        fail_with_errno(program, path);
    return l;
}

void text_lines_refuse(const text_lines *l, const char *format, ...)
{
    va_list arguments;
    fprintf(stderr, "%s: %s:%zu: ", l->program, l->path, l->number);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fprintf(stderr, "\n");
    exit(1);
}

static void drop_mark(char *line)
{
    static const char mark[] = "\xef\xbb\xbf";
    const size_t length = strlen(mark);
    if (strncmp(line, mark, length) == 0)
        memmove(line, line + length, strlen(line + length) + 1);
}

static void drop_end(char *line)
{
    line[strcspn(line, "\n")] = '\0';
    const size_t length = strlen(line);
    if (length > 0 && line[length - 1] == '\r')
        line[length - 1] = '\0';
}

bool text_lines_next(text_lines *l)
{
    const ssize_t length = getline(&l->line, &l->room, l->file);
    if (ferror(l->file) || (length < 0 && !feof(l->file)))
        fail_with_errno(l->program, l->path);
    if (length < 0)
        return false;
    l->number++;
    if (strlen(l->line) != (size_t)length)
        text_lines_refuse(l, "there is a zero byte");
    if (l->number == 1)
        drop_mark(l->line);
    drop_end(l->line);
    if (strchr(l->line, '\r') != NULL)
        text_lines_refuse(
            l, "there is a return without a newline, but each line must end with a newline");
    return true;
}

void text_lines_close(text_lines *l)
{
    free(l->line);
    fclose(l->file);
}
