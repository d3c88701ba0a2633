/* A race planted between the host's threads, beside its correct twin: the race check of test_host
 * must see the one and not the other, or its silence says nothing. `host_race broken` has each
 * thread write one element of its neighbour's part, too: the right number, so that nothing else
 * shows it. */
#include <cstdio>
#include <cstring>

#include "common/host/threads.cuh"

namespace
{

constexpr size_t COUNT = 1000;
constexpr int PARTS = 4;

/* As the host versions share a vector. */
void write_numbers(size_t *out, bool broken)
{
#pragma omp parallel for num_threads(PARTS) schedule(static, 1)
    for (int part = 0; part < PARTS; part++) {
        const size_t last = part_begin(COUNT, PARTS, part + 1);
        const size_t end = broken && last < COUNT ? last + 1 : last;
        for (size_t i = part_begin(COUNT, PARTS, part); i < end; i++)
            out[i] = i;
    }
}

} // namespace

int main(int argc, char **argv)
{
    static size_t out[COUNT];
    write_numbers(out, argc > 1 && std::strcmp(argv[1], "broken") == 0);
    for (size_t i = 0; i < COUNT; i++)
        if (out[i] != i)
            return 1;
    std::printf("result: right\n");
    return 0;
}
