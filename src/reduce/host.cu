/* The CPU's versions: one loop, and the same loop over contiguous parts on several threads. The
 * operators are the kernels' own, so NaN, wrap and rounding cannot differ between the two. */
#include "common/threads.cuh"
#include "reduce/dispatch.cuh"

namespace
{

template <typename In, typename Out, typename Operator>
Out reduce_part(const In *in, size_t first, size_t last, prim_transform transform)
{
    Out value = Operator::template identity<Out>();
    for (size_t i = first; i < last; i++)
        value = Operator::combine(value, load<Out>(&in[i], transform));
    return value;
}

/* A vector: a part for each thread, then the parts in order. */
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

/* Rows: whole ones for each thread, so that their number changes no bit, for one row too. */
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
    static prim_status not_built(const prim_reduce_args *args, int)
    {
        return prim_fail(PRIM_ERROR_UNSUPPORTED,
                         "%s: this library was built without these types and op", args->call.name);
    }
};

struct vector_on_host : host_version {
    template <typename In, typename Out, typename Operator>
    static prim_status run(const prim_reduce_args *args, int threads)
    {
        *static_cast<Out *>(args->out) = reduce_row<In, Out, Operator>(
            static_cast<const In *>(args->in), args->columns, args->transform, threads);
        return PRIM_OK;
    }
};

struct rows_on_host : host_version {
    template <typename In, typename Out, typename Operator>
    static prim_status run(const prim_reduce_args *args, int threads)
    {
        reduce_rows<In, Out, Operator>(args, threads);
        return PRIM_OK;
    }
};

} // namespace

prim_status prim_reduce_on_host(const prim_reduce_args *args, int threads)
{
    const prim_status status = check_threads(&args->call, threads);
    return status == PRIM_OK ? dispatch<vector_on_host>(args, threads) : status;
}

prim_status prim_reduce_rows_on_host(const prim_reduce_args *args, int threads)
{
    const prim_status status = check_threads(&args->call, threads);
    return status == PRIM_OK ? dispatch<rows_on_host>(args, threads) : status;
}
