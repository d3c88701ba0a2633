#define _GNU_SOURCE
#include "new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "failure.h"

static const char ending[] = ".XXXXXX"; /* mkostemp() makes a name of its own of it */

/* What has to go if the program ends early, or "" where nothing has; and the name that it is to
 * have. */
static char unfinished[PATH_MAX], finished[PATH_MAX];

/* ---- an early end ---- */

static void remove_unfinished(void)
{
    if (unfinished[0] != '\0')
        unlink(unfinished);
}

static void remove_and_end(int number)
{
    remove_unfinished();
    signal(number, SIG_DFL);
    raise(number);
}

static void remove_at_end(void)
{
    static const int signals[] = {SIGHUP, SIGINT, SIGTERM};
    atexit(remove_unfinished);
    for (size_t s = 0; s < sizeof signals / sizeof *signals; s++)
        if (signal(signals[s], remove_and_end) == SIG_IGN)
            signal(signals[s], SIG_IGN); /* as nohup has it */
}

/* ---- the other name ---- */

static void check_name(const char *program, const char *path, int length)
{
    if (length < PATH_MAX)
        return;
    errno = ENAMETOOLONG;
    fail_with_errno(program, path);
}

/* A new file of that ending. Where it is to be gone when it is closed it has no name any more; else
 * the name is noted, to be removed at an early end. No signal comes in between. */
static int make_file(char name[PATH_MAX], bool named)
{
    sigset_t all, before;
    signal(SIGXFSZ, SIG_IGN); /* a limit of the shell's is an error like others */
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    int descriptor = mkostemp(name, O_CLOEXEC);
    if (descriptor >= 0 && named)
        strcpy(unfinished, name);
    else if (descriptor >= 0 && unlink(name) != 0)
        descriptor = -1;
    sigprocmask(SIG_SETMASK, &before, NULL);
    return descriptor;
}

int new_file_scratch(const char *program, const char *path)
{
    char name[PATH_MAX];
    check_name(program, path, snprintf(name, sizeof name, "%s%s", path, ending));
    const int descriptor = make_file(name, false);
    if (descriptor < 0)
        fail_with_errno(program, path);
    return descriptor;
}

/* ---- a new file ---- */

/* What a link leads to has no name before it is there. */
static void complete_link(const char *program, const char *path)
{
    struct stat about;
    if (lstat(path, &about) != 0 || !S_ISLNK(about.st_mode))
        return;
    const int descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor < 0 || close(descriptor) != 0)
        fail_with_errno(program, path);
}

/* Sets `finished`; returns the mode that the file is to have. */
static mode_t find_finished(const char *program, const char *path)
{
    struct stat about;
    const mode_t mask = umask(0);
    umask(mask);
    complete_link(program, path);
    if (realpath(path, finished) == NULL) {
        if (errno != ENOENT)
            fail_with_errno(program, path);
        check_name(program, path, snprintf(finished, sizeof finished, "%s", path));
        return 0666 & ~mask;
    }
    if (stat(finished, &about) != 0 || access(finished, W_OK) != 0)
        fail_with_errno(program, path);
    return about.st_mode & 0777;
}

static int begin_beside(const char *program, const char *path)
{
    char name[PATH_MAX];
    const mode_t mode = find_finished(program, path);
    check_name(program, path, snprintf(name, sizeof name, "%.*s%s", PATH_MAX, finished, ending));
    remove_at_end();
    const int descriptor = make_file(name, true);
    if (descriptor < 0 || fchmod(descriptor, mode) != 0)
        fail_with_errno(program, path);
    return descriptor;
}

int new_file_begin(const char *program, const char *path)
{
    struct stat about;
    if (stat(path, &about) != 0 || S_ISREG(about.st_mode))
        return begin_beside(program, path);
    const int descriptor = open(path, O_WRONLY | O_CLOEXEC);
    if (descriptor < 0)
        fail_with_errno(program, path);
    return descriptor;
}

void new_file_finish(const char *program, const char *path)
{
    if (unfinished[0] == '\0') /* a device or a pipe */
        return;
    if (rename(unfinished, finished) != 0)
        fail_with_errno(program, path);
    unfinished[0] = '\0';
}

FILE *new_stream_begin(const char *program, const char *path)
{
    FILE *const stream = fdopen(new_file_begin(program, path), "w");
    if (stream == NULL)
        fail_with_errno(program, path);
    return stream;
}

void new_stream_finish(const char *program, const char *path, FILE *stream)
{
    if (fflush(stream) != 0 || ferror(stream) || fclose(stream) != 0)
        fail_with_errno(program, path);
    new_file_finish(program, path);
}
