/* Runs the tests that were added, in --jobs N processes (as many as there are processors), each of
 * which takes the next test that nobody has taken. A test that fails or crashes ends its process,
 * and another takes its place: on a GPU, with a context of its own. Under ThreadSanitizer there is
 * this one process, which ends at the first failure and fails at its end where there was a race.
 *
 * --filter SUITE/NAME   only what matches, * and ? being wildcards, and @(a|b) either
 * --timeout SECONDS     of a test; 600 where nothing is said
 * --verbose             a line for each test that passed, with its seconds
 * Other options of Criterion are taken and not looked at. Ends with a line like Criterion's. */
#define _GNU_SOURCE
#include <fnmatch.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <criterion/criterion.h>

#if defined(__SANITIZE_THREAD__)
#define IN_ONE_PROCESS true
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define IN_ONE_PROCESS true
#endif
#endif
#ifndef IN_ONE_PROCESS
#define IN_ONE_PROCESS false
#endif

enum { MOST_JOBS = 64 };

static plain_test *tests, **last_test = &tests;
static plain_suite *suites;

void plain_add(plain_test *test)
{
    *last_test = test;
    last_test = &test->next;
}

void plain_add_suite(plain_suite *suite)
{
    suite->next = suites;
    suites = suite;
}

/* ---- what the processes share ---- */

typedef struct job {
    pid_t process;    /* 0: it has ended */
    char running[96]; /* the test's name, or nothing */
    time_t since;
    bool has_failed; /* and ended with that test */
} job;

static struct shared {
    atomic_size_t next; /* test, counted from the first one with its first parameter */
    atomic_size_t tested, failed, crashed, skipped;
    job jobs[MOST_JOBS];
} * shared;

static const char *filter = "*";
static long seconds = 600;
static bool is_verbose;

/* ---- one test ---- */

static job *mine;
static jmp_buf skipped;
static bool has_failed;

static void say(const char *file, int line, const char *condition, const char *format,
                va_list arguments)
{
    has_failed = true;
    printf("[FAIL] %s: %s:%d: %s: ", mine->running, file, line, condition);
    vprintf(format, arguments);
    printf("\n");
}

void plain_expect(const char *file, int line, const char *condition, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(file, line, condition, format, arguments);
    va_end(arguments);
}

void plain_fail(const char *file, int line, const char *condition, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(file, line, condition, format, arguments);
    va_end(arguments);
    shared->tested++;
    shared->failed++;
    mine->running[0] = '\0';
    mine->has_failed = true;
    fflush(stdout);
    _exit(1);
}

void plain_skip(const char *format, ...)
{
    va_list arguments;
    printf("[SKIP] %s: ", mine->running);
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    printf("\n");
    shared->skipped++;
    longjmp(skipped, 1);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void run(const plain_test *test, void *parameter)
{
    const double begin = now();
    has_failed = false;
    mine->since = time(NULL);
    snprintf(mine->running, sizeof mine->running, "%s::%s", test->suite, test->name);
    if (plain_before_each != NULL)
        plain_before_each();
    if (setjmp(skipped) == 0) {
        for (const plain_suite *suite = suites; suite != NULL; suite = suite->next)
            if (strcmp(suite->name, test->suite) == 0 && suite->init != NULL)
                suite->init();
        if (test->run != NULL)
            test->run();
        else
            test->run_with(parameter);
        if (is_verbose && !has_failed)
            printf("[PASS] %s: (%.2f s)\n", mine->running, now() - begin);
        shared->tested++;
        shared->failed += has_failed;
    }
    mine->running[0] = '\0';
}

/* ---- all of them ---- */

static bool is_wanted(const plain_test *test)
{
    char name[96];
    snprintf(name, sizeof name, "%s/%s", test->suite, test->name);
    return fnmatch(filter, name, FNM_EXTMATCH) == 0;
}

/* Takes tests until none is left. Every process counts them alike. */
static void take_tests(void)
{
    size_t first = 0, taken = atomic_fetch_add(&shared->next, 1);
    for (const plain_test *test = tests; test != NULL; test = test->next) {
        if (!is_wanted(test))
            continue;
        struct criterion_test_params given = {0, NULL, 1};
        if (test->run == NULL)
            given = test->parameters();
        for (; taken < first + given.length; taken = atomic_fetch_add(&shared->next, 1))
            run(test, (char *)given.params + (taken - first) * given.size);
        first += given.length;
    }
}

static void start(job *j)
{
    fflush(stdout);
    const pid_t process = fork();
    if (process == 0) {
        mine = j;
        take_tests();
        fflush(stdout);
        _exit(0); /* as Criterion's processes end: what tests leave behind is not looked for */
    }
    if (process < 0) {
        perror("fork");
        exit(1);
    }
    j->process = process;
}

/* Another process goes on where a test has ended one. */
static void look_after(job *j)
{
    int status;
    if (waitpid(j->process, &status, WNOHANG) != j->process) {
        if (j->running[0] != '\0' && time(NULL) - j->since > seconds)
            kill(j->process, SIGKILL);
        return;
    }
    const bool has_crashed = j->running[0] != '\0', goes_on = has_crashed || j->has_failed;
    if (has_crashed || (!goes_on && status != 0)) {
        printf("[FAIL] %s: crashed, or ran for more than %ld s\n",
               has_crashed ? j->running : "the end of a process", seconds);
        shared->tested++;
        shared->crashed++;
    }
    j->process = 0;
    j->running[0] = '\0';
    j->has_failed = false;
    if (goes_on)
        start(j);
}

static void run_in_processes(long jobs)
{
    bool are_left = true;
    for (long i = 0; i < jobs; i++)
        start(&shared->jobs[i]);
    while (are_left) {
        are_left = false;
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
        for (long i = 0; i < jobs; i++) {
            if (shared->jobs[i].process != 0)
                look_after(&shared->jobs[i]);
            are_left = are_left || shared->jobs[i].process != 0;
        }
    }
}

int main(int count, char *arguments[])
{
    long jobs = sysconf(_SC_NPROCESSORS_ONLN);
    for (int i = 1; i < count; i++)
        is_verbose = is_verbose || strcmp(arguments[i], "--verbose") == 0;
    for (int i = 1; i + 1 < count; i++) {
        if (strcmp(arguments[i], "--jobs") == 0)
            jobs = strtol(arguments[i + 1], NULL, 10);
        else if (strcmp(arguments[i], "--filter") == 0)
            filter = arguments[i + 1];
        else if (strcmp(arguments[i], "--timeout") == 0)
            seconds = strtol(arguments[i + 1], NULL, 10);
    }
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED || jobs < 1) {
        fprintf(stderr, "no memory for the tests, or no jobs\n");
        return 1;
    }
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    mine = &shared->jobs[0];
    if (IN_ONE_PROCESS)
        take_tests();
    else
        run_in_processes(jobs < MOST_JOBS ? jobs : MOST_JOBS);
    printf("[====] Synthesis: Tested: %zu | Passing: %zu | Failing: %zu | Crashing: %zu\n",
           shared->tested, shared->tested - shared->failed - shared->crashed, shared->failed,
           shared->crashed);
    return shared->failed + shared->crashed > 0 || shared->tested + shared->skipped == 0;
}
