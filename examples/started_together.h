/* A process that was started beside others like it, by mpirun, srun, torchrun or a script. */
#ifndef EXAMPLES_STARTED_TOGETHER_H
#define EXAMPLES_STARTED_TOGETHER_H

#include <nccl.h>

typedef struct place {
    int rank, count; /* among all processes */
    int on_host;     /* among those of this host */
} place;

/* From the environment. Ends the program with a sentence that begins with its name where that says
 * nothing, or nonsense. */
place find_place(const char *program);

/* The same id for all of them: rank 0 makes it and leaves it in a file, which must not be there yet
 * and which all of them can read; the others wait for the file, for so many seconds at most. */
ncclUniqueId share_id(const char *program, const place *p, const char *path, unsigned seconds);

#endif
