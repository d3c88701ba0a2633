/* Where in the source atomic operations and barriers stand, as executions come across them. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "internal.h"

enum { MOST_SITES = 512 };

typedef struct site {
    explore_site_kind kind;
    const void *code; /* of an operation */
    const char *file;
    int line;
    bool acquires, releases, is_devicewide;
} site;

static site sites[MOST_SITES];
static size_t site_count;

void explore_forget_sites(void)
{
    site_count = 0;
}

size_t explore_site_count(void)
{
    return site_count;
}

static site *add(site s)
{
    if (site_count == MOST_SITES)
        return NULL;
    sites[site_count] = s;
    return &sites[site_count++];
}

void site_note_operation(const operation *op)
{
    site *s = NULL;
    for (size_t i = 0; i < site_count && s == NULL; i++)
        s = sites[i].code == op->site ? &sites[i] : NULL;
    if (s == NULL)
        s = add((site){.code = op->site});
    if (s == NULL)
        return;
    s->acquires |= op->acquires;
    s->releases |= op->releases;
    s->is_devicewide |= !op->is_blockwide;
}

static bool stands_at(const site *s, const char *file, int line)
{
    return s->code == NULL && s->line == line && s->file == file;
}

static const site *weakened(explore_weakening weakening)
{
    const explore_options *const o = simt_explorer.options;
    return o != NULL && o->weakening == weakening && o->site < site_count ? &sites[o->site] : NULL;
}

bool site_is_left_out(explore_site_kind kind, const char *file, int line)
{
    bool is_known = false;
    for (size_t i = 0; i < site_count && !is_known; i++)
        is_known = stands_at(&sites[i], file, line);
    if (!is_known)
        add((site){.kind = kind, .file = file, .line = line});
    const site *const removed = weakened(EXPLORE_REMOVED);
    return removed != NULL && stands_at(removed, file, line);
}

bool simt_explore_skips(const char *file, int line)
{
    return simt_explorer.mode == RUN_EXPLORED && site_is_left_out(EXPLORE_BARRIER, file, line);
}

bool site_is_weakened(const void *code, explore_weakening weakening)
{
    const site *const s = weakened(weakening);
    return s != NULL && s->code == code;
}

/* ---- in words ---- */

static const char *short_name(char *line)
{
    char *const slash = strrchr(line, '/');
    char *const end = strpbrk(line, " \n");
    if (end != NULL)
        *end = '\0';
    return slash != NULL ? slash + 1 : line;
}

/* The line of the call, and those that it was inlined into: as addr2line says, if it is there. */
void site_describe(const void *code, char *text, size_t bytes)
{
    Dl_info where;
    snprintf(text, bytes, "%p", code);
    if (dladdr(code, &where) == 0)
        return;
    char command[512], line[512];
    snprintf(command, sizeof command, "addr2line -i -e %s 0x%zx 2>/dev/null", where.dli_fname,
             (size_t)((const char *)code - (const char *)where.dli_fbase) - 1);
    FILE *const answer = popen(command, "r");
    if (answer == NULL)
        return;
    size_t used = 0;
    while (fgets(line, sizeof line, answer) != NULL && used < bytes - 1)
        used += (size_t)snprintf(text + used, bytes - used, "%s%s", used == 0 ? "" : " < ",
                                 short_name(line));
    pclose(answer);
}

void explore_site_at(size_t number, explore_site *to)
{
    const site *const s = &sites[number];
    *to = (explore_site){.kind = s->kind,
                         .acquires = s->acquires,
                         .releases = s->releases,
                         .is_devicewide = s->is_devicewide,
                         .file = s->file,
                         .line = s->line};
    if (s->code != NULL) {
        site_describe(s->code, to->place, sizeof to->place);
        return;
    }
    const char *const slash = strrchr(s->file, '/');
    snprintf(to->place, sizeof to->place, "%s:%d", slash != NULL ? slash + 1 : s->file, s->line);
}
