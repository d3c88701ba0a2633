/* The CPU's versions: one loop, and the same loop over contiguous parts on several threads. The
 * operators are the kernels' own, so NaN, wrap and rounding cannot differ between the two. */
#include "common/threads.cuh"
#include "scan/dispatch.cuh"

namespace
{
namespace host
{

/* What stands before the first element of a line. */
template <typename Out, typename Operator>
accumulator_t<Out> initial_on_host(const prim_scan_args *args)
{
    return args->initial != nullptr ? static_cast<accumulator_t<Out>>(
                                          converted<Out>(*static_cast<const Out *>(args->initial)))
                                    : identity_of<Operator, Out>();
}

template <typename In, typename Out, typename Operator>
accumulator_t<Out> take(accumulator_t<Out> so_far, In element, prim_transform transform)
{
    const working_t<Out> x = transformed(converted<Out>(element), transform);
    return Operator::combine(so_far, static_cast<accumulator_t<Out>>(x));
}

template <typename In, typename Out, typename Operator>
accumulator_t<Out> total_of(const In *in, size_t first, size_t last, prim_transform transform)
{
    accumulator_t<Out> value = identity_of<Operator, Out>();
    for (size_t i = first; i < last; i++)
        value = take<In, Out, Operator>(value, in[i], transform);
    return value;
}

/* From `value`, which covers what lies before first; returns what covers all before last. In place,
 * the element must be read before anything is written. */
template <typename In, typename Out, typename Operator>
accumulator_t<Out> scan_part(const prim_scan_args *args, const In *in, Out *out, size_t first,
                             size_t last, accumulator_t<Out> value)
{
    const prim_transform transform = transform_without_sign(args->transform, args->in_type);
    for (size_t i = first; i < last; i++) {
        const accumulator_t<Out> before = value;
        value = take<In, Out, Operator>(value, in[i], transform);
        out[i] = finished<Out>(args->kind == PRIM_SCAN_INCLUSIVE ? value : before);
    }
    return value;
}

/* One row: a part for each thread, twice: all totals must be there before the first is written
 * over. */
template <typename In, typename Out, typename Operator>
void scan_row(const prim_scan_args *args, accumulator_t<Out> initial, int threads)
{
    const In *in = static_cast<const In *>(args->in);
    Out *out = static_cast<Out *>(args->out);
    const prim_transform transform = transform_without_sign(args->transform, args->in_type);
    const size_t count = args->columns;
    accumulator_t<Out> before[MAX_THREADS + 1], behind[MAX_THREADS];
    before[0] = initial;
#pragma omp parallel for num_threads(threads) schedule(static, 1) if (threads > 1)
    for (int p = 0; p < threads - 1; p++)
        before[p + 1] = total_of<In, Out, Operator>(in, part_begin(count, threads, p),
                                                    part_begin(count, threads, p + 1), transform);
    for (int p = 1; p < threads; p++)
        before[p] = Operator::combine(before[p - 1], before[p]);
#pragma omp parallel for num_threads(threads) schedule(static, 1) if (threads > 1)
    for (int p = 0; p < threads; p++)
        behind[p] = scan_part<In, Out, Operator>(args, in, out, part_begin(count, threads, p),
                                                 part_begin(count, threads, p + 1), before[p]);
    if (args->total != nullptr)
        *static_cast<Out *>(args->total) = finished<Out>(behind[threads - 1]);
}

/* Several rows: whole ones for each thread. */
template <typename In, typename Out, typename Operator>
void scan_rows(const prim_scan_args *args, accumulator_t<Out> initial, int threads)
{
    const In *in = static_cast<const In *>(args->in);
    Out *out = static_cast<Out *>(args->out);
    (void)threads; /* without OpenMP */
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
    for (size_t row = 0; row < args->rows; row++)
        scan_part<In, Out, Operator>(args, in + row * args->in_ld, out + row * args->out_ld, 0,
                                     args->columns, initial);
}

/* The second direction: a range of columns for each thread, some columns at a time, row by row. */
template <typename Out, typename Operator>
void scan_columns(const prim_scan_args *args, int threads)
{
    constexpr size_t AT_ONCE = 64;
    Out *const out = static_cast<Out *>(args->out);
#pragma omp parallel for num_threads(threads) schedule(static, 1) if (threads > 1)
    for (int p = 0; p < threads; p++) {
        const size_t last = part_begin(args->columns, threads, p + 1);
        for (size_t i = part_begin(args->columns, threads, p); i < last; i += AT_ONCE) {
            const size_t n = last - i < AT_ONCE ? last - i : AT_ONCE;
            accumulator_t<Out> above[AT_ONCE];
            for (size_t c = 0; c < n; c++)
                above[c] = identity_of<Operator, Out>();
            for (size_t row = 0; row < args->rows; row++)
                for (size_t c = 0; c < n; c++) {
                    Out *const here = &out[row * args->out_ld + i + c];
                    above[c] = Operator::combine(
                        above[c], static_cast<accumulator_t<Out>>(converted<Out>(*here)));
                    *here = finished<Out>(above[c]);
                }
        }
    }
}

struct host_version {
    template <typename In, typename Out, typename Operator>
    static prim_status run(const prim_scan_args *args, int threads)
    {
        const accumulator_t<Out> initial = initial_on_host<Out, Operator>(args);
        if (args->rows == 1)
            scan_row<In, Out, Operator>(args, initial, threads);
        else
            scan_rows<In, Out, Operator>(args, initial, threads);
        if (args->summed_area)
            scan_columns<Out, Operator>(args, threads);
        return PRIM_OK;
    }
    static prim_status not_built(const prim_scan_args *args, int threads)
    {
        (void)threads;
        return prim_fail(PRIM_ERROR_UNSUPPORTED,
                         "%s: this library was built without these types and op", args->call.name);
    }
};

} // namespace host
} // namespace

prim_status prim_scan_on_host(const prim_scan_args *args, int threads)
{
    const prim_status status = check_threads(&args->call, threads);
    return status == PRIM_OK ? dispatch<host::host_version>(args, threads) : status;
}
