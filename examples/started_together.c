#define _GNU_SOURCE
#include "started_together.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "failure.h"
#include "nccl_failure.h"
#include "numbers.h"

/* ---- the place ---- */

/* Which variables a starter sets for its processes. */
typedef struct starter {
    const char *rank, *count, *on_host;
} starter;

static const starter starters[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"},
    {"SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID"},
    {"RANK", "WORLD_SIZE", "LOCAL_RANK"}, /* torchrun, and scripts */
};

static int read_variable(const char *program, const char *name, unsigned long long most)
{
    unsigned long long number;
    const char *const word = getenv(name);
    if (word != NULL && read_count(word, 0, most, &number))
        return (int)number;
    fprintf(stderr, "%s: %s is %s, but must be a number from 0 to %llu\n", program, name,
            word != NULL ? word : "not set", most);
    exit(2);
}

static place read_place(const char *program, const starter *s)
{
    place p = {.count = read_variable(program, s->count, 1 << 20)};
    p.rank = read_variable(program, s->rank, p.count > 0 ? (unsigned long long)p.count - 1 : 0);
    p.on_host = getenv(s->on_host) != NULL ? read_variable(program, s->on_host, 1 << 20) : p.rank;
    return p;
}

place find_place(const char *program)
{
    for (size_t i = 0; i < sizeof starters / sizeof *starters; i++)
        if (getenv(starters[i].rank) != NULL)
            return read_place(program, &starters[i]);
    fprintf(stderr, "%s: none of OMPI_COMM_WORLD_RANK, SLURM_PROCID and RANK is set\n", program);
    exit(2);
}

/* ---- the id ---- */

/* The file is there with all that it holds, or not at all. */
static void leave_id(const char *program, const char *path, const ncclUniqueId *id)
{
    char *const unfinished = allocate(program, NULL, strlen(path) + 5, 1);
    sprintf(unfinished, "%s.new", path);
    FILE *const file = fopen(unfinished, "wb");
    if (file == NULL)
        fail_with_errno(program, unfinished);
    const bool written = fwrite(id, sizeof *id, 1, file) == 1;
    const bool left = fclose(file) == 0 && written && link(unfinished, path) == 0;
    const int why = errno;
    remove(unfinished);
    errno = why;
    if (!left)
        fail_with_errno(program, path);
    free(unfinished);
}

/* -1: there is no such file. */
static int read_id(const char *program, const char *path, ncclUniqueId *id)
{
    FILE *const file = fopen(path, "rb");
    if (file == NULL && errno == ENOENT)
        return -1;
    if (file == NULL)
        fail_with_errno(program, path);
    const size_t read = fread(id, sizeof *id, 1, file);
    if (ferror(file))
        fail_with_errno(program, path);
    fclose(file);
    if (read == 1)
        return 0;
    fprintf(stderr, "%s: %s does not hold an id\n", program, path);
    exit(1);
}

static ncclUniqueId await_id(const char *program, const char *path, unsigned seconds)
{
    enum { ROUNDS = 100 }; /* a second */
    ncclUniqueId id;
    for (unsigned long round = 0; round <= (unsigned long)seconds * ROUNDS; round++) {
        if (read_id(program, path, &id) == 0)
            return id;
        nanosleep(&(struct timespec){0, 1000000000 / ROUNDS}, NULL);
    }
    fprintf(stderr, "%s: %s did not appear within %u s\n", program, path, seconds);
    exit(1);
}

ncclUniqueId share_id(const char *program, const place *p, const char *path, unsigned seconds)
{
    ncclUniqueId id;
    if (p->rank > 0)
        return await_id(program, path, seconds);
    check_nccl(program, ncclGetUniqueId(&id));
    leave_id(program, path, &id);
    return id;
}
