/* The run that goes on, and what was found in it. */
#include <stdarg.h>
#include <stdio.h>

#include "internal.h"

explorer simt_explorer = {.mode = RUN_DIRECT};

void explore_find(const char *format, ...)
{
    if (simt_explorer.is_over)
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(simt_explorer.found, sizeof simt_explorer.found, format, arguments);
    va_end(arguments);
    simt_explorer.is_over = true;
}
