/* The run that goes on, and what was found in it. */
#include <stdarg.h>
#include <stdio.h>

#include "internal.h"

explorer simt_explorer = {.mode = RUN_DIRECT};

void explore_end(run_end end)
{
    if (simt_explorer.end == GOES_ON)
        simt_explorer.end = end;
}

void explore_find(const char *format, ...)
{
    if (simt_explorer.end != GOES_ON)
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(simt_explorer.found, sizeof simt_explorer.found, format, arguments);
    va_end(arguments);
    explore_end(FOUND);
}
