/* Each operation without its order, or only for its block, and each barrier left out: is it
 * seen? */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "explorations.h"

enum { MOST_EXECUTIONS = 4000, MOST_SECONDS = 60, MOST_BYTES = 512 };

/* The files of a place, without lines: these change. */
static void without_lines(const char *place, char *to)
{
    bool in_line = false;
    for (; *place != '\0'; place++) {
        in_line = *place == ':' || (in_line && *place >= '0' && *place <= '9');
        if (!in_line)
            *to++ = *place;
    }
    *to = '\0';
}

/* What stands in the source, by the kind of the site, and how argued.tsv calls it. */
static const struct {
    const char *name, *calls[2];
} KINDS[] = {
    [EXPLORE_BARRIER] = {"barrier", {"__syncthreads(", "__syncwarp("}},
    [EXPLORE_CLUSTER_BARRIER] = {"cluster barrier", {"arrive_at_cluster("}},
    [EXPLORE_WAIT_FOR_LAUNCHES] = {"wait", {"grid_dependency_synchronize("}},
};

static bool has_call(const char *line, const explore_site *s)
{
    bool has = false;
    for (unsigned i = 0; i < 2 && KINDS[s->kind].calls[i] != NULL; i++)
        has |= strstr(line, KINDS[s->kind].calls[i]) != NULL;
    return has;
}

/* Which of its kind it is in the file, from 1 on: the same when lines are added elsewhere. */
static unsigned number_in_file(const explore_site *s)
{
    static char line[2048];
    unsigned number = 0;
    FILE *const source = fopen(s->file, "r");
    for (int i = 0; source != NULL && i < s->line && fgets(line, sizeof line, source) != NULL; i++)
        number += has_call(line, s);
    if (source != NULL)
        fclose(source);
    return number;
}

static void name_of_place(const explore_site *s, char *to)
{
    without_lines(s->place, to);
    if (s->kind != EXPLORE_OPERATION)
        sprintf(to + strlen(to), ", %s %u", KINDS[s->kind].name, number_in_file(s));
}

/* Has argued.tsv a line for it? Its columns: how a protocol's name begins, what is weakened, where,
 * and why nothing changes. */
static bool is_argued(const protocol *p, const char *how, const char *place)
{
    static char line[2048];
    char name[MOST_BYTES], weakened[64], where[MOST_BYTES], why[MOST_BYTES];
    FILE *const argued = fopen(PRIM_EXPLORE_ARGUED, "r");
    bool found = false;
    while (argued != NULL && !found && fgets(line, sizeof line, argued) != NULL)
        found = sscanf(line, "%511[^\t]\t%63[^\t]\t%511[^\t]\t%511[^\n]", name, weakened, where,
                       why) == 4 &&
                strncmp(p->name, name, strlen(name)) == 0 && strcmp(weakened, how) == 0 &&
                strcmp(where, place) == 0;
    if (argued != NULL)
        fclose(argued);
    return found;
}

/* In a process of its own: without a barrier, a program may do anything. One that takes too long
 * has shown nothing. */
static explore_result explore_apart(const protocol *p, const explore_options *options)
{
    explore_result r = {0};
    int ends[2], status;
    fflush(stdout);
    if (pipe(ends) != 0)
        abort();
    const pid_t child = fork();
    if (child == 0) {
        alarm(MOST_SECONDS);
        r = explore_presences(p, *options);
        _exit(write(ends[1], &r, sizeof r) == (ssize_t)sizeof r ? 0 : 1);
    }
    close(ends[1]);
    const bool is_told = read(ends[0], &r, sizeof r) == (ssize_t)sizeof r;
    close(ends[0]);
    if (waitpid(child, &status, 0) != child)
        abort();
    if (!is_told && WIFSIGNALED(status) && WTERMSIG(status) != SIGALRM)
        r = (explore_result){.findings = 1, .finding = "the program crashes"};
    return r;
}

static void weaken_site(const protocol *p, size_t site, explore_weakening weakening,
                        const char *how, int *passed, int *failed)
{
    explore_site s;
    explore_site_at(site, &s);
    const explore_options options = {.name = p->name,
                                     .are_alike = true,
                                     .weakening = weakening,
                                     .site = site,
                                     .most = MOST_EXECUTIONS,
                                     .quiet = true};
    const explore_result r = explore_apart(p, &options);
    char place[MOST_BYTES];
    name_of_place(&s, place);
    const bool argued = r.findings == 0 && is_argued(p, how, place);
    const bool is_right = r.findings > 0 || argued;
    printf("%s %s, %s: %s (%s): %s (%llu executions)\n", is_right ? "ok    " : "FAILED", p->name,
           how, s.place, place,
           r.findings > 0 ? r.finding
           : argued       ? "argued"
                          : "nothing changes",
           (unsigned long long)r.complete);
    *passed += is_right;
    *failed += !is_right;
}

static const char *name_of_relaxing(const explore_site *s)
{
    return s->acquires && s->releases ? "relaxed" : s->acquires ? "not acquiring" : "not releasing";
}

void weaken(const protocol *p, int *passed, int *failed, int *skipped)
{
    const explore_options options = {.name = p->name, .are_alike = true, .most = MOST_EXECUTIONS};
    explore_forget_sites();
    if (explore_presences(p, options).gave_up) {
        (*skipped)++;
        return;
    }
    const size_t sites = explore_site_count();
    for (size_t i = 0; i < sites; i++) {
        explore_site s;
        explore_site_at(i, &s);
        if (s.kind != EXPLORE_OPERATION)
            weaken_site(p, i, EXPLORE_REMOVED, "removed", passed, failed);
        if (s.acquires || s.releases)
            weaken_site(p, i, EXPLORE_RELAXED, name_of_relaxing(&s), passed, failed);
        if (s.kind == EXPLORE_OPERATION && s.is_devicewide && p->blocks > 1)
            weaken_site(p, i, EXPLORE_BLOCKWIDE, "blockwide", passed, failed);
    }
}
