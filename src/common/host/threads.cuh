/* What the host versions share: the check of the number of threads, and each thread's part of the
 * work. Only for host.cu files, which are compiled with OpenMP where there is one. */
#ifndef PRIM_COMMON_THREADS_CUH
#define PRIM_COMMON_THREADS_CUH

#include "common/host/check.h"
#include "common/host/fail.h"

namespace
{

enum { MAX_THREADS = 1024 };

inline prim_status check_threads(const prim_request *call, int threads)
{
    if (threads < 1 || threads > MAX_THREADS)
        return prim_fail(PRIM_ERROR_VALUE, "%s: threads is %d, not 1 to %d", call->name, threads,
                         MAX_THREADS);
#ifndef _OPENMP
    if (threads > 1)
        return prim_fail(
            PRIM_ERROR_UNSUPPORTED,
            "%s: threads is %d, but this library was built without OpenMP, and takes 1 only",
            call->name, threads);
#endif
    return PRIM_OK;
}

/* Where part p of `parts` begins; the first count % parts of them are one longer. */
inline size_t part_begin(size_t count, int parts, int p)
{
    const size_t n = static_cast<size_t>(parts), i = static_cast<size_t>(p);
    return count / n * i + (i < count % n ? i : count % n);
}

} // namespace

#endif
