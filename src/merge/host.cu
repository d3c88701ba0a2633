/* The host versions. The order and the search are the kernels' own. Threads share a merge, and each
 * pass of a sort, by contiguous parts of the output, and find by co-rank where theirs begin: so
 * their number does not change the result. */
#include <cstdlib>
#include <cstring>
#include <utility>

#include "common/host/threads.cuh"
#include "merge/dispatch.cuh"
#include "merge/path/runs.cuh"

namespace
{
namespace host
{

constexpr size_t SHORT_RUN = 32; /* keys that insertion sorts as fast as merging would */

template <class Order, typename Key>
void merge_runs(Order order, const runs<Key, size_t> &r, Key *out, int threads)
{
    const size_t count = r.a_count + r.b_count;
#pragma omp parallel for num_threads(threads) schedule(static, 1) if (threads > 1)
    for (int p = 0; p < threads; p++) {
        const size_t first = part_begin(count, threads, p);
        merge_part(order, r, first, part_begin(count, threads, p + 1) - first, out + first);
    }
}

template <class Order, typename Key>
void insertion_sort(Order order, const Key *in, size_t count, Key *out)
{
    for (size_t i = 0; i < count; i++) {
        const Key key = in[i];
        size_t place = i;
        for (; place > 0 && order.before(key, out[place - 1]); place--)
            out[place] = out[place - 1];
        out[place] = key;
    }
}

template <class Order, typename Key>
void sort_short_runs(Order order, const Key *in, size_t count, Key *out, int threads)
{
    (void)threads; /* without OpenMP */
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
    for (size_t first = 0; first < count; first += SHORT_RUN)
        insertion_sort(order, in + first, smaller(SHORT_RUN, count - first), out + first);
}

/* Writes out[first … last - 1] in a pass over runs of run_keys: the part that lies there of each
 * pair of runs. */
template <class Order, typename Key>
void merge_pairs(Order order, const Key *in, size_t count, size_t run_keys, Key *out, size_t first,
                 size_t last)
{
    while (first < last) {
        const size_t begin = first - first % (2 * run_keys);
        const size_t end = smaller(begin + 2 * run_keys, last);
        merge_part(order, pair_at(in, count, begin, run_keys), first - begin, end - first,
                   out + first);
        first = end;
    }
}

template <class Order, typename Key>
void merge_all_pairs(Order order, const Key *in, size_t count, size_t run_keys, Key *out,
                     int threads)
{
#pragma omp parallel for num_threads(threads) schedule(static, 1) if (threads > 1)
    for (int p = 0; p < threads; p++)
        merge_pairs(order, in, count, run_keys, out, part_begin(count, threads, p),
                    part_begin(count, threads, p + 1));
}

/* Passes alternate between out and other, such that the last one ends in out. */
template <class Order, typename Key>
void sort_keys(Order order, const Key *in, size_t count, Key *out, Key *other, int threads)
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

/* ---- with values: keys are merged and sorted together with their places ---- */

template <typename Key>
struct placed_key {
    Key key;
    size_t place;
};

template <typename Key>
struct placed_order {
    key_order<Key> order;

    __host__ __device__ bool before(const placed_key<Key> &x, const placed_key<Key> &y) const
    {
        return order.before(x.key, y.key);
    }
};

template <typename T>
T *allocate(size_t count)
{
    return count > SIZE_MAX / sizeof(T) - 1
               ? nullptr
               : static_cast<T *>(std::malloc((count + 1) * sizeof(T)));
}

inline prim_status no_memory(const prim_request *call, size_t count)
{
    return prim_fail(PRIM_ERROR_WORKSPACE, "%s: malloc() has no memory for %zu keys", call->name,
                     count);
}

template <typename Key>
void place_keys(const Key *keys, size_t count, size_t first, placed_key<Key> *placed)
{
    for (size_t i = 0; i < count; i++)
        placed[i] = {keys[i], first + i};
}

/* Copies the values at the keys' places to out; places from a_count on are b's. */
template <typename Key>
void gather_values(const placed_key<Key> *placed, size_t count, const void *a, size_t a_count,
                   const void *b, size_t value_bytes, void *out)
{
    for (size_t i = 0; i < count; i++) {
        const size_t place = placed[i].place;
        const char *const from =
            place < a_count ? static_cast<const char *>(a) + place * value_bytes
                            : static_cast<const char *>(b) + (place - a_count) * value_bytes;
        std::memcpy(static_cast<char *>(out) + i * value_bytes, from, value_bytes);
    }
}

template <typename Key>
void write_places(const placed_key<Key> *placed, size_t count, size_t index_bytes, void *out)
{
    for (size_t i = 0; i < count; i++)
        if (index_bytes == sizeof(uint32_t))
            static_cast<uint32_t *>(out)[i] = static_cast<uint32_t>(placed[i].place);
        else
            static_cast<uint64_t *>(out)[i] = placed[i].place;
}

template <typename Key>
void take_keys(const placed_key<Key> *placed, size_t count, Key *out)
{
    for (size_t i = 0; i < count; i++)
        out[i] = placed[i].key;
}

template <typename Key>
prim_status merge_placed(const prim_merge_args *args, int threads)
{
    const size_t a_count = args->a_count, count = a_count + args->b_count;
    placed_key<Key> *const in = allocate<placed_key<Key>>(count);
    placed_key<Key> *const out = allocate<placed_key<Key>>(count);
    if (in == nullptr || out == nullptr) {
        std::free(in);
        std::free(out);
        return no_memory(&args->call, count);
    }
    place_keys(static_cast<const Key *>(args->a), a_count, 0, in);
    place_keys(static_cast<const Key *>(args->b), args->b_count, a_count, in + a_count);
    const runs<placed_key<Key>, size_t> r = {in, a_count, in + a_count, args->b_count};
    merge_runs(placed_order<Key>{order_of<Key>(args)}, r, out, threads);
    take_keys(out, count, static_cast<Key *>(args->out));
    gather_values(out, count, args->a_values, a_count, args->b_values, args->value_bytes,
                  args->out_values);
    std::free(in);
    std::free(out);
    return PRIM_OK;
}

/* Copies the values first, since they may be sorted in place. */
template <typename Key>
prim_status sort_placed(const prim_merge_sort_args *args, int threads)
{
    const size_t count = args->count;
    placed_key<Key> *const in = allocate<placed_key<Key>>(count);
    placed_key<Key> *const out = allocate<placed_key<Key>>(count);
    char *const values = args->permutation ? nullptr : allocate<char>(count * args->value_bytes);
    if (in == nullptr || out == nullptr || (values == nullptr && !args->permutation)) {
        std::free(in);
        std::free(out);
        std::free(values);
        return no_memory(&args->call, count);
    }
    place_keys(static_cast<const Key *>(args->in), count, 0, in);
    sort_keys(placed_order<Key>{order_of<Key>(args)}, in, count, out, in, threads);
    if (args->permutation) {
        write_places(out, count, args->value_bytes, args->out_values);
    } else {
        take_keys(out, count, static_cast<Key *>(args->out));
        if (count > 0)
            std::memcpy(values, args->values, count * args->value_bytes);
        gather_values<Key>(out, count, values, count, nullptr, args->value_bytes, args->out_values);
    }
    std::free(in);
    std::free(out);
    std::free(values);
    return PRIM_OK;
}

struct host_version {
    template <typename Args>
    static prim_status not_built(const Args *args, int)
    {
        return prim_fail(PRIM_ERROR_UNSUPPORTED,
                         "%s: this build of the library has no code for this key_type",
                         args->call.name);
    }
};

struct merge_version : host_version {
    template <typename Key>
    static prim_status run(const prim_merge_args *args, int threads)
    {
        if (args->has_values)
            return merge_placed<Key>(args, threads);
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
        if (args->has_values)
            return sort_placed<Key>(args, threads);
        Key *const other = static_cast<Key *>(std::malloc(args->count * sizeof(Key) + 1));
        if (other == nullptr)
            return no_memory(&args->call, args->count);
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

/* How many of the run's keys come before x: less than it, or equal where `or_equal`. */
template <typename Key>
size_t keys_before(key_order<Key> order, const Key *keys, size_t count, Key x, bool or_equal)
{
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (or_equal ? !order.before(x, keys[middle]) : order.before(keys[middle], x))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct co_ranks_version : host_version {
    template <typename Key>
    static prim_status run(const prim_co_ranks_args *args, int)
    {
        for (size_t i = 0; i < args->count; i++)
            for (size_t r = 0; r < args->run_count; r++)
                args->ranks[i * args->run_count + r] = rank_in<Key>(args, r, args->diagonals[i]);
        return PRIM_OK;
    }

    /* How many keys of the run have fewer than k keys before them. */
    template <typename Key>
    static size_t rank_in(const prim_co_ranks_args *args, size_t run, uint64_t k)
    {
        const Key *const keys = static_cast<const Key *>(args->runs[run]);
        size_t low = 0, high = args->counts[run];
        while (low < high) {
            const size_t middle = low + (high - low) / 2;
            uint64_t before = middle;
            for (size_t r = 0; r < args->run_count; r++)
                if (r != run)
                    before +=
                        keys_before(order_of<Key>(args), static_cast<const Key *>(args->runs[r]),
                                    args->counts[r], keys[middle], r < run);
            if (before < k)
                low = middle + 1;
            else
                high = middle;
        }
        return low;
    }
};

struct is_sorted_version : host_version {
    template <typename Key>
    static prim_status run(const prim_is_sorted_args *args, int)
    {
        const Key *const in = static_cast<const Key *>(args->in);
        const key_order<Key> order = order_of<Key>(args);
        *args->answer = 1;
        for (size_t i = 1; i < args->count; i++)
            if (order.before(in[i], in[i - 1]))
                *args->answer = 0;
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

prim_status prim_co_ranks_on_host(const prim_co_ranks_args *args)
{
    return dispatch<host::co_ranks_version>(args, 1);
}

prim_status prim_is_sorted_on_host(const prim_is_sorted_args *args)
{
    return dispatch<host::is_sorted_version>(args, 1);
}
