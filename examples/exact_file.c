#define _GNU_SOURCE
#include "exact_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "failure.h"

static const char ending[] = ".XXXXXX"; /* mkstemp() makes a name of its own of it */

/* What has to go if the program ends early: the name that exact_file_begin() gave, or "". And the
 * name that it is to have. */
static char unfinished[PATH_MAX], finished[PATH_MAX];

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

exact_file exact_file_open(const char *program, const char *path, uint64_t *bytes)
{
    /* O_NONBLOCK: a pipe is refused, and not waited for. */
    const exact_file file = {path, open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    struct stat about;
    if (file.descriptor < 0 || fstat(file.descriptor, &about) != 0)
        fail_with_errno(program, path);
    if (!S_ISREG(about.st_mode)) {
        fprintf(stderr, "%s: %s is no regular file, and has no size\n", program, path);
        exit(1);
    }
    *bytes = (uint64_t)about.st_size;
    return file;
}

static void check_name(const char *program, const char *path, int length)
{
    if (length < PATH_MAX)
        return;
    errno = ENAMETOOLONG;
    fail_with_errno(program, path);
}

/* Takes the room now, where the file system can, and not when it is found missing at the end. */
static void reserve(const char *program, const exact_file *file, uint64_t bytes)
{
    signal(SIGXFSZ, SIG_IGN); /* a limit of the shell's is an error like others */
    if (bytes == 0 || fallocate(file->descriptor, 0, 0, (off_t)bytes) == 0 || errno == EOPNOTSUPP ||
        errno == ENOSYS)
        return;
    fprintf(stderr, "%s: no room for %llu bytes beside %s: %s\n", program,
            (unsigned long long)bytes, file->path, strerror(errno));
    exit(1);
}

/* A new file of that ending. Where it is to be gone when it is closed it has no name any more; else
 * the name is noted, to be removed at an early end. No signal comes in between. */
static int make_file(char name[PATH_MAX], bool named)
{
    sigset_t all, before;
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

exact_file exact_file_scratch(const char *program, const char *path, uint64_t bytes)
{
    char name[PATH_MAX];
    check_name(program, path, snprintf(name, sizeof name, "%s%s", path, ending));
    const exact_file file = {path, make_file(name, false)};
    if (file.descriptor < 0)
        fail_with_errno(program, path);
    reserve(program, &file, bytes);
    return file;
}

/* The file that a link leads to, or a new one. */
static mode_t find_finished(const char *program, const char *path)
{
    struct stat about;
    const mode_t mask = umask(0);
    umask(mask);
    if (realpath(path, finished) == NULL) {
        if (errno != ENOENT)
            fail_with_errno(program, path);
        check_name(program, path, snprintf(finished, sizeof finished, "%s", path));
        return 0666 & ~mask;
    }
    if (stat(finished, &about) != 0)
        fail_with_errno(program, path);
    if (!S_ISREG(about.st_mode)) {
        fprintf(stderr, "%s: %s is no regular file\n", program, path);
        exit(1);
    }
    return about.st_mode & 0777;
}

exact_file exact_file_begin(const char *program, const char *path, uint64_t bytes)
{
    char name[PATH_MAX];
    const mode_t mode = find_finished(program, path);
    check_name(program, path, snprintf(name, sizeof name, "%.*s%s", PATH_MAX, finished, ending));
    remove_at_end();
    const exact_file file = {path, make_file(name, true)};
    if (file.descriptor < 0)
        fail_with_errno(program, path);
    if (fchmod(file.descriptor, mode) != 0)
        fail_with_errno(program, path);
    reserve(program, &file, bytes);
    return file;
}

void exact_file_finish(const char *program, const exact_file *file)
{
    exact_file_close(program, file);
    if (rename(unfinished, finished) != 0)
        fail_with_errno(program, file->path);
    unfinished[0] = '\0';
}

void exact_file_read(const char *program, const exact_file *file, void *to, size_t bytes,
                     uint64_t at)
{
    while (bytes > 0) {
        const ssize_t got = pread(file->descriptor, to, bytes, (off_t)at);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            fail_with_errno(program, file->path);
        if (got == 0) {
            fprintf(stderr, "%s: %s has become shorter: it ends at byte %llu\n", program,
                    file->path, (unsigned long long)at);
            exit(1);
        }
        to = (char *)to + got;
        bytes -= (size_t)got;
        at += (uint64_t)got;
    }
}

void exact_file_write(const char *program, const exact_file *file, const void *from, size_t bytes,
                      uint64_t at)
{
    while (bytes > 0) {
        const ssize_t written = pwrite(file->descriptor, from, bytes, (off_t)at);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            fail_with_errno(program, file->path);
        from = (const char *)from + written;
        bytes -= (size_t)written;
        at += (uint64_t)written;
    }
}

void exact_file_close(const char *program, const exact_file *file)
{
    if (close(file->descriptor) != 0)
        fail_with_errno(program, file->path);
}
