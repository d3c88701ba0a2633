/* Numbers from words, of command lines and of files: the whole word has to be one. */
#ifndef EXAMPLES_NUMBERS_H
#define EXAMPLES_NUMBERS_H

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Digits and nothing else, of a number that fits. */
static inline bool read_number(const char *word, unsigned long long *number)
{
    errno = 0;
    *number = strtoull(word, NULL, 10);
    return *word != '\0' && word[strspn(word, "0123456789")] == '\0' && errno == 0;
}

/* The same, from `least` to `most`. */
static inline bool read_count(const char *word, unsigned long long least, unsigned long long most,
                              unsigned long long *count)
{
    return read_number(word, count) && *count >= least && *count <= most;
}

/* Decimal: no hexadecimal, no "infinity". What is too large for a double becomes infinite. */
static inline bool read_real(const char *word, double *real)
{
    char *end;
    *real = strtod(word, &end);
    return end != word && *end == '\0' && word[strspn(word, "0123456789+-.eE")] == '\0';
}

#endif
