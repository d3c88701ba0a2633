/* The CPU's versions: one loop, and the same loop over contiguous parts on several threads. The
 * operators are the kernels' own, so NaN, wrap and rounding cannot differ between the two. */
#include "common/fail.h"
#include "reduce/dispatch.cuh"

namespace
{

enum { MAX_THREADS = 1024 };

template <typename In, typename Out, typename Operator>
Out reduce_part(const In *in, size_t first, size_t last, prim_transform transform)
{
    Out value = Operator::template identity<Out>();
    for (size_t i = first; i < last; i++)
        value = Operator::combine(value, load<Out>(&in[i], transform));
    return value;
}

/* Where part p of `parts` begins; the first count % parts of them are one longer. */
size_t part_begin(size_t count, int parts, int p)
{
    const size_t n = static_cast<size_t>(parts), i = static_cast<size_t>(p);
    return count / n * i + (i < count % n ? i : count % n);
}

struct host_version {
    template <typename In, typename Out, typename Operator>
    static prim_status run(const prim_reduce_args *args, int threads)
    {
        const In *in = static_cast<const In *>(args->in);
        Out parts[MAX_THREADS];
#pragma omp parallel for num_threads(threads) schedule(static, 1) if (threads > 1)
        for (int p = 0; p < threads; p++)
            parts[p] = reduce_part<In, Out, Operator>(in, part_begin(args->count, threads, p),
                                                      part_begin(args->count, threads, p + 1),
                                                      args->transform);
        *static_cast<Out *>(args->out) = reduce_part<Out, Out, Operator>(
            parts, 0, static_cast<size_t>(threads), PRIM_TRANSFORM_NONE);
        return PRIM_OK;
    }
    static prim_status not_built()
    {
        return prim_fail(PRIM_ERROR_UNSUPPORTED,
                         "prim_reduce_host: this library was built without these types and op");
    }
};

} // namespace

prim_status prim_reduce_on_host(const prim_reduce_args *args, int threads)
{
    if (threads < 1 || threads > MAX_THREADS)
        return prim_fail(PRIM_ERROR_VALUE, "prim_reduce_host: threads is %d, not 1 to %d", threads,
                         MAX_THREADS);
#ifndef _OPENMP
    if (threads > 1)
        return prim_fail(PRIM_ERROR_UNSUPPORTED,
                         "prim_reduce_host: threads is %d in a library built without OpenMP",
                         threads);
#endif
    return dispatch<host_version>(args, threads);
}
