/* Explores what the tables have. Ends with a line of counts.
 *
 *     explore [--only BEGINNING] [--replay N] [--weaken] */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "explorations.h"

static int passed, failed, skipped;

static void judge(bool is_right, const char *name, const char *what)
{
    printf("%s %s: %s\n", is_right ? "ok    " : "FAILED", name, what);
    passed += is_right;
    failed += !is_right;
}

/* ---- litmus tests ---- */

enum { MOST_OUTCOMES = 64, OUTCOME_BYTES = 8 };

typedef struct outcomes {
    const litmus *test;
    char of[MOST_OUTCOMES][OUTCOME_BYTES];
    size_t count;
} outcomes;

static int in_order(const void *a, const void *b)
{
    return strcmp(a, b);
}

static void note(outcomes *all, const char *outcome)
{
    for (size_t i = 0; i < all->count; i++)
        if (strcmp(all->of[i], outcome) == 0)
            return;
    if (all->count < MOST_OUTCOMES)
        strcpy(all->of[all->count++], outcome);
}

static const char *run_litmus(void *context)
{
    outcomes *const all = context;
    const litmus *const test = all->test;
    unsigned h[RESULT_WORDS + MEMORY_WORDS], *d = NULL;
    char outcome[OUTCOME_BYTES] = "";
    cudaMalloc((void **)&d, sizeof h);
    cudaMemset(d, 0, sizeof h);
    const bool ran = test->launch(d, d + MEMORY_WORDS) == cudaSuccess;
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    cudaFree(d);
    size_t digits = 0;
    for (unsigned i = 0; i < test->results; i++)
        outcome[digits++] = (char)('0' + h[MEMORY_WORDS + i]);
    for (unsigned i = 0; test->ends_count && i < MEMORY_WORDS; i++)
        outcome[digits++] = (char)('0' + h[i]);
    if (ran)
        note(all, outcome);
    return NULL;
}

static void check_litmus(const litmus *test, uint64_t replay)
{
    outcomes all = {.test = test};
    char text[1024] = "", line[2048];
    explore_result result;
    const explore_options options = {
        .name = test->name, .replay = replay, .quiet = test->allowed == NULL};
    explore(run_litmus, &all, &options, &result);
    qsort(all.of, all.count, sizeof *all.of, in_order);
    for (size_t i = 0; i < all.count; i++) {
        strcat(text, i == 0 ? "" : " ");
        strcat(text, all.of[i]);
    }
    const bool is_right = test->allowed != NULL
                              ? result.findings == 0 && strcmp(text, test->allowed) == 0 &&
                                    result.complete == test->executions
                              : result.findings > 0;
    snprintf(line, sizeof line, "%s (%llu executions, %llu refused)",
             result.findings > 0 ? result.finding : text, (unsigned long long)result.complete,
             (unsigned long long)result.refused);
    judge(is_right, test->name, line);
}

/* ---- protocols ---- */

/* By the number among the executions of as many blocks as may start. */
static explore_result replay_protocol(const protocol *p, explore_options options, uint64_t number)
{
    explore_result r;
    options.absent = absent_blocks(p, p->present);
    options.replay = number;
    explore(p->program, p->context, &options, &r);
    return r;
}

static void check_protocol(const protocol *p, uint64_t replay)
{
    char line[1024];
    const clock_t begin = clock();
    const explore_options options = {.name = p->name, .are_alike = true, .quiet = p->fault != NULL};
    const explore_result r =
        replay != 0 ? replay_protocol(p, options, replay) : explore_presences(p, options);
    const double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    const bool is_as_many = replay != 0 || p->executions == 0 || r.complete == p->executions;
    const bool is_right = p->fault == NULL ? r.findings == 0 && is_as_many
                                           : r.findings > 0 && strstr(r.finding, p->fault) != NULL;
    snprintf(line, sizeof line,
             "%llu executions, %llu that wait, %llu put off, %llu refused%s; %llu operations; %.1f "
             "s%s%s",
             (unsigned long long)r.complete, (unsigned long long)r.waiting,
             (unsigned long long)r.put_off, (unsigned long long)r.refused,
             r.gave_up ? ", not all" : "", (unsigned long long)r.events, seconds,
             r.findings > 0 ? ": " : "", r.finding);
    judge(is_right, p->name, line);
}

/* ---- */

typedef struct choice {
    const char *only;
    uint64_t replay;
    bool weaken;
} choice;

static bool is_chosen(const choice *c, const char *name)
{
    return c->only == NULL || strncmp(name, c->only, strlen(c->only)) == 0;
}

static void check_litmus_tests(const choice *c, const litmus *all, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!c->weaken && is_chosen(c, all[i].name))
            check_litmus(&all[i], c->replay);
}

static void check_protocols(const choice *c, const protocol *all, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!is_chosen(c, all[i].name))
            continue;
        if (c->weaken && all[i].fault == NULL)
            weaken(&all[i], &passed, &failed, &skipped);
        else if (!c->weaken)
            check_protocol(&all[i], c->replay);
    }
}

static bool read_arguments(int argc, char **argv, choice *c)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--weaken") == 0)
            c->weaken = true;
        else if (strcmp(argv[i], "--only") == 0 && i + 1 < argc)
            c->only = argv[++i];
        else if (strcmp(argv[i], "--replay") == 0 && i + 1 < argc)
            c->replay = strtoull(argv[++i], NULL, 10);
        else
            return false;
    }
    return true;
}

/* Copies by a thread are there when it has waited for them, not before; 9.0 has such copies. */
static void choose_settings(void)
{
    setenv("SIMT_ASYNC", "late", 0);
    setenv("SIMT_DEVICE", "9.0", 0);
}

int main(int argc, char **argv)
{
    choice c = {0};
    choose_settings();
    if (!read_arguments(argc, argv, &c)) {
        fprintf(stderr, "explore [--only BEGINNING] [--replay N] [--weaken]\n");
        return 2;
    }
    check_litmus_tests(&c, litmus_tests, litmus_count);
    check_litmus_tests(&c, launch_litmus_tests, launch_litmus_count);
    check_litmus_tests(&c, cluster_litmus_tests, cluster_litmus_count);
    check_litmus_tests(&c, mbarrier_litmus_tests, mbarrier_litmus_count);
    check_protocols(&c, faults, fault_count);
    check_protocols(&c, pieces, piece_count);
    check_protocols(&c, rings, ring_count);
    check_protocols(&c, chains, chain_count);
    check_protocols(&c, protocols, protocol_count);
    printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped);
    return failed > 0 || passed == 0;
}
