/* Random calls with random operands, valid and not, against the host's versions:
 *
 *     stress [--seed N] [--seconds S] [--calls N] [--only CALL]
 *     stress --replay CALL DIAL…
 *
 * A call is chosen by dials, numbers that say one thing each: a size, a type, a stream. What fails
 * is tried again with dials turned down until no smaller call fails; what --replay takes is printed
 * then. Of sums and counts an element is looked at by a plain loop too, since the host's versions
 * share code with the device's. */
#define _GNU_SOURCE
#include "stress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const stress_call *const patterns[] = {
    reduce_calls,      scan_calls,        histogram_calls, merge_calls,
    dense_calls,       convolution_calls, sparse_calls,    conversion_calls,
#if defined(STRESS_DISTRIBUTED)
    distributed_calls,
#endif
};
enum { MOST_CALLS = 64 };

typedef struct tally {
    const stress_call *call;
    uint64_t tried, right; /* right: of those that were valid */
} tally;

static tally calls[MOST_CALLS];
static size_t call_count;

static void give_up(const char *what)
{
    fflush(stdout);
    fprintf(stderr, "stress: %s\n", what);
    exit(2);
}

/* All calls, or that one. */
static void list_calls(const char *only)
{
    for (size_t p = 0; p < COUNT_OF(patterns); p++)
        for (const stress_call *call = patterns[p]; call->name != NULL; call++)
            if (only == NULL || strcmp(call->name, only) == 0) {
                if (call_count == MOST_CALLS)
                    give_up("there are more calls than places for them");
                calls[call_count++].call = call;
            }
    if (call_count == 0)
        give_up("no such call");
}

/* true: all is right. */
static bool run(const stress_call *call, trial *t)
{
    call->run(t);
    return judge(t);
}

/* ---- shrinking ---- */

/* The same dials again, but one; those that were not used stand at 0. */
static bool still_fails(const stress_call *call, const trial *failed, size_t dial, uint64_t value,
                        trial *smaller)
{
    *smaller = (trial){.turned = MOST_DIALS};
    memcpy(smaller->dials, failed->dials, sizeof failed->dials);
    smaller->dials[dial] = value;
    return !run(call, smaller);
}

/* One dial turned down, where the call then still fails. */
static bool turn_down(const stress_call *call, trial *failed, size_t dial)
{
    const uint64_t now = failed->dials[dial], tries[] = {0, now / 2, now - now / 8, now - 1};
    trial smaller;
    for (size_t n = 0; n < sizeof tries / sizeof *tries && now > 0; n++)
        if (tries[n] < now && still_fails(call, failed, dial, tries[n], &smaller)) {
            *failed = smaller;
            return true;
        }
    return false;
}

static void shrink(const stress_call *call, trial *failed)
{
    enum { ROUNDS = 40 };
    bool again = true;
    for (int round = 0; again && round < ROUNDS; round++) {
        again = false;
        for (size_t i = 0; i < failed->used; i++)
            again |= turn_down(call, failed, i);
    }
}

static void report(const stress_call *call, const trial *t)
{
    printf("%s\n%s\n--replay %s", t->text, t->complaint, call->name);
    for (size_t i = 0; i < t->used; i++)
        printf(" %llu", (unsigned long long)t->dials[i]);
    printf("\n");
}

/* ---- the program ---- */

static int replay_one(int count, char **words)
{
    trial t = {.turned = MOST_DIALS};
    list_calls(count > 0 ? words[0] : "");
    for (int i = 1; i < count && i <= MOST_DIALS; i++)
        t.dials[i - 1] = strtoull(words[i], NULL, 10);
    const bool right = run(calls[0].call, &t);
    report(calls[0].call, &t);
    return right ? 0 : 1;
}

static void fails(const stress_call *call, trial *t, uint64_t number)
{
    printf("call %llu fails: %s\n%s\n", (unsigned long long)number, t->text, t->complaint);
    fflush(stdout);
    shrink(call, t);
    printf("the smallest that fails so:\n");
    report(call, t);
}

/* A call that is never valid tests little: true where each was once, if it was tried often. */
static bool sum_up(void)
{
    enum { OFTEN = 500 };
    tally all = {NULL, 0, 0};
    bool each_was_valid = true;
    for (size_t i = 0; i < call_count; i++) {
        all.tried += calls[i].tried;
        all.right += calls[i].right;
        if (calls[i].tried >= OFTEN && calls[i].right == 0) {
            printf("%s was never valid\n", calls[i].call->name);
            each_was_valid = false;
        }
    }
    printf("stress: %llu calls of %zu kinds, %llu of them valid and right\n",
           (unsigned long long)all.tried, call_count, (unsigned long long)all.right);
    return each_was_valid && all.right > 0;
}

static int random_calls(uint64_t seed, double seconds, uint64_t most)
{
    const time_t begin_time = time(NULL);
    printf("stress: --seed %llu\n", (unsigned long long)seed);
    fflush(stdout);
    for (uint64_t n = 0; n < most && difftime(time(NULL), begin_time) < seconds; n++) {
        trial t = {.seed = random_bits(seed) + n};
        tally *const one = &calls[random_bits(t.seed) % call_count];
        if (!run(one->call, &t)) {
            fails(one->call, &t, n);
            return 1;
        }
        one->tried++;
        one->right += t.wanted == PRIM_OK;
    }
    return sum_up() ? 0 : 1;
}

int main(int argc, char **argv)
{
    setenv("SIMT_DEVICES", "8", 0); /* only the CPU backend looks at it */
    uint64_t seed = (uint64_t)time(NULL) << 20, most = UINT64_MAX;
    double seconds = 60;
    const char *only = NULL;
    for (int i = 1; i < argc; i += 2) {
        if (strcmp(argv[i], "--replay") == 0)
            return replay_one(argc - i - 1, argv + i + 1);
        if (i + 1 == argc)
            give_up("a number or a name is missing");
        if (strcmp(argv[i], "--seed") == 0)
            seed = strtoull(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--seconds") == 0)
            seconds = atof(argv[i + 1]);
        else if (strcmp(argv[i], "--only") == 0)
            only = argv[i + 1];
        else if (strcmp(argv[i], "--calls") == 0) {
            most = strtoull(argv[i + 1], NULL, 10);
            seconds = 1e18;
        } else
            give_up("--seed N, --seconds S, --calls N, --only CALL or --replay CALL DIAL…");
    }
    list_calls(only);
    return random_calls(seed, seconds, most);
}
