#include "whole_file.h"

#include <stdio.h>
#include <string.h>

#include "failure.h"

text read_whole_file(const char *program, const char *path)
{
    FILE *const file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    if (file == NULL)
        fail_with_errno(program, path);
    size_t room = 1 << 16;
    text t = {allocate(program, NULL, room, 1), 0};
    for (size_t got; (got = fread(t.bytes + t.count, 1, room - t.count, file)) > 0;) {
        t.count += got;
        if (t.count == room)
            t.bytes = allocate(program, t.bytes, room *= 2, 1);
    }
    if (ferror(file))
        fail_with_errno(program, path);
    fclose(file);
    return t;
}
