/* What the peers from CUB have in common: each is one function that CUB calls twice, without
 * temporary storage to ask how much it takes, and with it to do the work. */
#ifndef BENCH_PEERS_CUB_CUH
#define BENCH_PEERS_CUB_CUH

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "draw.h"
#include "peers/peers.h"

/* These files are compiled a second time against the CUB that -DPRIM_CCCL names: CMake then defines
 * the suffix that tells its peers from those of the toolkit's CUB. */
#ifdef CUB_SUFFIX
#define CUB_PEER(name) name##_given
#else
#define CUB_PEER(name) name
#define CUB_SUFFIX ""
#endif

namespace
{

using cub_call = cudaError_t(const bench_case &c, const bench_operands &o, void *d_temporary,
                             size_t &bytes, cudaStream_t stream);

inline void must_cub(cudaError_t error, const bench_case &c)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "primbench: CUB: %s %s %s: %s\n", c.pattern, c.name, c.type,
            cudaGetErrorString(error));
    exit(1);
}

/* The function for a case; nullptr where there is none. */
using cub_choice = cub_call *(const bench_case &c);

/* Of sums of elements as they are, listed or drawn. */
inline bool is_case(const bench_case &c, const char *name)
{
    return strcmp(listed_name(&c), name) == 0 && c.op == PRIM_OP_SUM &&
           c.transform == PRIM_TRANSFORM_NONE;
}

/* The first element, which may lie past 16 bytes. */
template <typename T>
const T *first_in(const bench_case &c, const bench_operands &o)
{
    return static_cast<const T *>(o.d_in) + c.offset;
}

template <cub_choice *CHOOSE>
bool cub_does(const bench_case *c)
{
    return CHOOSE(*c) != nullptr;
}

template <cub_choice *CHOOSE>
size_t cub_workspace_bytes(const bench_case *c, const bench_operands *o)
{
    size_t bytes = 0;
    must_cub(CHOOSE(*c)(*c, *o, nullptr, bytes, nullptr), *c);
    return bytes;
}

template <cub_choice *CHOOSE>
prim_status cub_run(const bench_case *c, const bench_operands *o, cudaStream_t stream)
{
    size_t bytes = o->workspace_bytes;
    must_cub(CHOOSE(*c)(*c, *o, o->d_workspace, bytes, stream), *c);
    return PRIM_OK;
}

template <cub_choice *CHOOSE>
constexpr bench_peer cub_peer(const char *name, const char *pattern)
{
    return {name, pattern, cub_does<CHOOSE>, cub_workspace_bytes<CHOOSE>, cub_run<CHOOSE>};
}

} // namespace

#endif
