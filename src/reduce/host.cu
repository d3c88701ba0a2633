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

/* One row: a part for each thread, then the parts in order. */
template <typename In, typename Out, typename Operator>
Out reduce_row(const In *in, size_t count, prim_transform transform, int threads)
{
    Out parts[MAX_THREADS];
#pragma omp parallel for num_threads(threads) schedule(static, 1) if (threads > 1)
    for (int p = 0; p < threads; p++)
        parts[p] = reduce_part<In, Out, Operator>(in, part_begin(count, threads, p),
                                                  part_begin(count, threads, p + 1), transform);
    return reduce_part<Out, Out, Operator>(parts, 0, static_cast<size_t>(threads),
                                           PRIM_TRANSFORM_NONE);
}

/* Several rows: whole ones for each thread. */
template <typename In, typename Out, typename Operator>
void reduce_rows(const prim_reduce_args *args, int threads)
{
    const In *in = static_cast<const In *>(args->in);
    Out *out = static_cast<Out *>(args->out);
    (void)threads; /* without OpenMP */
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
    for (size_t row = 0; row < args->rows; row++)
        out[row] =
            reduce_part<In, Out, Operator>(in + row * args->ld, 0, args->columns, args->transform);
}

struct host_version {
    template <typename In, typename Out, typename Operator>
    static prim_status run(const prim_reduce_args *args, const char *call, int threads)
    {
        (void)call;
        if (args->rows == 1)
            *static_cast<Out *>(args->out) = reduce_row<In, Out, Operator>(
                static_cast<const In *>(args->in), args->columns, args->transform, threads);
        else
            reduce_rows<In, Out, Operator>(args, threads);
        return PRIM_OK;
    }
    static prim_status not_built(const prim_reduce_args *args, const char *call, int threads)
    {
        (void)args, (void)threads;
        return prim_fail(PRIM_ERROR_UNSUPPORTED,
                         "%s: this library was built without these types and op", call);
    }
};

} // namespace

prim_status prim_reduce_on_host(const char *call, const prim_reduce_args *args, int threads)
{
    if (threads < 1 || threads > MAX_THREADS)
        return prim_fail(PRIM_ERROR_VALUE, "%s: threads is %d, not 1 to %d", call, threads,
                         MAX_THREADS);
#ifndef _OPENMP
    if (threads > 1)
        return prim_fail(PRIM_ERROR_UNSUPPORTED,
                         "%s: threads is %d in a library built without OpenMP", call, threads);
#endif
    return dispatch<host_version>(args, call, threads);
}
