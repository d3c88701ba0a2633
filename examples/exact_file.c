#define _GNU_SOURCE
#include "exact_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "failure.h"
#include "new_file.h"

exact_file exact_file_open(const char *program, const char *path, uint64_t *bytes)
{
    /* O_NONBLOCK: a pipe is refused, and not waited for. */
    const exact_file file = {path, open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    struct stat about;
    if (file.descriptor < 0 || fstat(file.descriptor, &about) != 0)
        fail_with_errno(program, path);
    if (!S_ISREG(about.st_mode)) {
        fprintf(stderr, "%s: %s is not a regular file, so its size is not known\n", program, path);
        exit(1);
    }
    *bytes = (uint64_t)about.st_size;
    return file;
}

/* Takes the room now, where the file system can, and not when it is found missing at the end. */
static void reserve(const char *program, const exact_file *file, uint64_t bytes)
{
    if (bytes == 0 || fallocate(file->descriptor, 0, 0, (off_t)bytes) == 0 || errno == EOPNOTSUPP ||
        errno == ENOSYS)
        return;
    fprintf(stderr, "%s: no room for %llu bytes beside %s: %s\n", program,
            (unsigned long long)bytes, file->path, strerror(errno));
    exit(1);
}

exact_file exact_file_scratch(const char *program, const char *path, uint64_t bytes)
{
    const exact_file file = {path, new_file_scratch(program, path)};
    reserve(program, &file, bytes);
    return file;
}

exact_file exact_file_begin(const char *program, const char *path, uint64_t bytes)
{
    struct stat about;
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode)) {
        fprintf(stderr, "%s: %s is not a regular file\n", program, path);
        exit(1);
    }
    const exact_file file = {path, new_file_begin(program, path)};
    reserve(program, &file, bytes);
    return file;
}

void exact_file_finish(const char *program, const exact_file *file)
{
    exact_file_close(program, file);
    new_file_finish(program, file->path);
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
