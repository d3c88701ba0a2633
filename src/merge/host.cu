/* The CPU's versions. The order and the search are the kernels' own. Threads share a merge, and
 * each pass of a sort, by contiguous parts of the output, and find by co-rank where theirs begin:
 * so their number changes nothing. */
#include <cstdlib>
#include <utility>

#include "common/threads.cuh"
#include "merge/dispatch.cuh"
#include "merge/runs.cuh"

namespace
{
namespace host
{

constexpr size_t SHORT_RUN = 32; /* keys that insertion sorts as fast as merging would */

template <typename Key>
void merge_runs(key_order<Key> order, const runs<Key, size_t> &r, Key *out, int threads)
{
    const size_t count = r.a_count + r.b_count;
#pragma omp parallel for num_threads(threads) schedule(static, 1) if (threads > 1)
    for (int p = 0; p < threads; p++) {
        const size_t first = part_begin(count, threads, p);
        merge_part(order, r, first, part_begin(count, threads, p + 1) - first, out + first);
    }
}

template <typename Key>
void insertion_sort(key_order<Key> order, const Key *in, size_t count, Key *out)
{
    for (size_t i = 0; i < count; i++) {
        const Key key = in[i];
        size_t place = i;
        for (; place > 0 && order.before(key, out[place - 1]); place--)
            out[place] = out[place - 1];
        out[place] = key;
    }
}

template <typename Key>
void sort_short_runs(key_order<Key> order, const Key *in, size_t count, Key *out, int threads)
{
    (void)threads; /* without OpenMP */
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
    for (size_t first = 0; first < count; first += SHORT_RUN)
        insertion_sort(order, in + first, smaller(SHORT_RUN, count - first), out + first);
}

/* What a pass over runs of run_keys writes to out[first … last - 1]: of each pair of runs that lies
 * there, the part that does. */
template <typename Key>
void merge_pairs(key_order<Key> order, const Key *in, size_t count, size_t run_keys, Key *out,
                 size_t first, size_t last)
{
    while (first < last) {
        const size_t begin = first - first % (2 * run_keys);
        const size_t end = smaller(begin + 2 * run_keys, last);
        merge_part(order, pair_at(in, count, begin, run_keys), first - begin, end - first,
                   out + first);
        first = end;
    }
}

template <typename Key>
void merge_all_pairs(key_order<Key> order, const Key *in, size_t count, size_t run_keys, Key *out,
                     int threads)
{
#pragma omp parallel for num_threads(threads) schedule(static, 1) if (threads > 1)
    for (int p = 0; p < threads; p++)
        merge_pairs(order, in, count, run_keys, out, part_begin(count, threads, p),
                    part_begin(count, threads, p + 1));
}

/* To and fro between out and other, beginning so that the last pass ends in out. */
template <typename Key>
void sort_keys(key_order<Key> order, const Key *in, size_t count, Key *out, Key *other, int threads)
{
    Key *from = out, *to = other;
    for (size_t run_keys = SHORT_RUN; run_keys < count; run_keys *= 2)
        std::swap(from, to);
    sort_short_runs(order, in, count, from, threads);
    for (size_t run_keys = SHORT_RUN; run_keys < count; run_keys *= 2) {
        merge_all_pairs(order, from, count, run_keys, to, threads);
        std::swap(from, to);
    }
}

struct host_version {
    template <typename Args>
    static prim_status not_built(const Args *args, int)
    {
        return prim_fail(PRIM_ERROR_UNSUPPORTED, "%s: the library is not built for this key_type",
                         args->call.name);
    }
};

struct merge_version : host_version {
    template <typename Key>
    static prim_status run(const prim_merge_args *args, int threads)
    {
        const runs<Key, size_t> r = {static_cast<const Key *>(args->a), args->a_count,
                                     static_cast<const Key *>(args->b), args->b_count};
        merge_runs(order_of<Key>(args), r, static_cast<Key *>(args->out), threads);
        return PRIM_OK;
    }
};

struct sort_version : host_version {
    template <typename Key>
    static prim_status run(const prim_merge_sort_args *args, int threads)
    {
        Key *const other = static_cast<Key *>(std::malloc(args->count * sizeof(Key) + 1));
        if (other == nullptr)
            return prim_fail(PRIM_ERROR_WORKSPACE, "%s: malloc() gave no memory for %zu keys",
                             args->call.name, args->count);
        sort_keys(order_of<Key>(args), static_cast<const Key *>(args->in), args->count,
                  static_cast<Key *>(args->out), other, threads);
        std::free(other);
        return PRIM_OK;
    }
};

struct co_rank_version : host_version {
    template <typename Key>
    static prim_status run(const prim_co_rank_args *args, int)
    {
        const runs<Key, size_t> r = {static_cast<const Key *>(args->a), args->a_count,
                                     static_cast<const Key *>(args->b), args->b_count};
        for (size_t i = 0; i < args->count; i++)
            args->ranks[i] = co_rank(order_of<Key>(args), r,
                                     smaller<size_t>(args->diagonals[i], r.a_count + r.b_count));
        return PRIM_OK;
    }
};

} // namespace host
} // namespace

prim_status prim_merge_on_host(const prim_merge_args *args, int threads)
{
    const prim_status status = check_threads(&args->call, threads);
    return status == PRIM_OK ? dispatch<host::merge_version>(args, threads) : status;
}

prim_status prim_merge_sort_on_host(const prim_merge_sort_args *args, int threads)
{
    const prim_status status = check_threads(&args->call, threads);
    return status == PRIM_OK ? dispatch<host::sort_version>(args, threads) : status;
}

prim_status prim_co_rank_on_host(const prim_co_rank_args *args)
{
    return dispatch<host::co_rank_version>(args, 1);
}
