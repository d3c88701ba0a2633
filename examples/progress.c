#define _GNU_SOURCE
#include "progress.h"

#include <stdio.h>
#include <unistd.h>

enum { WIDTH = 50 };

static void draw(const progress *p)
{
    if (!p->shown)
        return;
    fprintf(stderr, "\r[");
    for (int i = 0; i < WIDTH; i++)
        fputc(i * 100 < p->percent * WIDTH ? '#' : ' ', stderr);
    fprintf(stderr, "] %3d %% ", p->percent);
}

progress progress_begin(uint64_t all)
{
    const progress p = {.all = all, .shown = all > 0 && isatty(STDERR_FILENO)};
    draw(&p);
    return p;
}

void progress_add(progress *p, uint64_t done)
{
    p->done += done;
    const int percent = (int)(100.0 * (double)p->done / (double)p->all);
    if (percent == p->percent)
        return;
    p->percent = percent;
    draw(p);
}

void progress_end(const progress *p)
{
    if (p->shown)
        fputc('\n', stderr);
}
