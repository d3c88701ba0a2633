/* What the examples read from their command lines. */
#ifndef EXAMPLES_ARGUMENTS_H
#define EXAMPLES_ARGUMENTS_H

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

#endif
