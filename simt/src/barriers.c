/* Barriers by where they stand in the source: SIMT_SITES=FILE lists those that a program comes to,
 * and SIMT_WITHOUT=PATH:LINE leaves one out. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "block.h"

bool simt_sites_matter;

static const char *list;       /* NULL: none is wanted */
static const char *left_out;   /* "PATH:LINE"; NULL: all barriers are there */
static size_t left_out_length; /* of its path */
static int left_out_line;

static const char *value_of(const char *name)
{
    const char *text = getenv(name);
    return text != NULL && *text != '\0' ? text : NULL;
}

void simt_read_sites(void)
{
    list = value_of("SIMT_SITES");
    left_out = value_of("SIMT_WITHOUT");
    simt_sites_matter = list != NULL || left_out != NULL;
    if (left_out == NULL)
        return;
    const char *const colon = strrchr(left_out, ':');
    left_out_length = colon != NULL ? (size_t)(colon - left_out) : 0;
    left_out_line = left_out_length > 0 ? atoi(colon + 1) : 0;
    if (left_out_line <= 0) {
        fprintf(stderr, "simt: SIMT_WITHOUT=%s is not PATH:LINE\n", left_out);
        exit(2);
    }
}

/* ---- the list: a line for each, of those that the program has not come to yet ---- */

enum { PLACES = 4096 }; /* a power of two, and several times what a program has */

static struct place {
    const char *file;
    int line;
} places[PLACES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Its place in the table, or the free one that it would take. A header's name is another string in
 * each file that includes it, so that it may be listed more than once. */
static struct place *place_of(const char *file, int line)
{
    size_t i = ((uintptr_t)file + (uintptr_t)line * 0x9e3779b1u) % PLACES;
    while (places[i].file != NULL && (places[i].file != file || places[i].line != line))
        i = (i + 1) % PLACES;
    return &places[i];
}

/* In one write, since other processes append to the file too. */
static void append(const char *file, int line)
{
    char text[1024];
    const int length = snprintf(text, sizeof text, "%s:%d\n", file, line);
    const int to = open(list, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (to < 0 || length >= (int)sizeof text || write(to, text, (size_t)length) != length)
        perror(list);
    if (to >= 0)
        close(to);
}

static void note(const char *file, int line)
{
    pthread_mutex_lock(&lock);
    struct place *const place = place_of(file, line);
    if (place->file == NULL) {
        *place = (struct place){file, line};
        append(file, line);
    }
    pthread_mutex_unlock(&lock);
}

/* ---- the one that is left out ---- */

/* What is compiled into a program may be a longer path to the same file. */
static bool is_left_out(const char *file, int line)
{
    const size_t length = strlen(file);
    return line == left_out_line && length >= left_out_length &&
           memcmp(file + length - left_out_length, left_out, left_out_length) == 0 &&
           (length == left_out_length || file[length - left_out_length - 1] == '/');
}

bool simt_look_at_site(const char *file, int line)
{
    if (list != NULL)
        note(file, line);
    return left_out != NULL && is_left_out(file, line);
}
