#include "collectives.h"
#include "device_values.cuh"

namespace
{

constexpr unsigned BLOCKS = 3, WARP = 32;

/* ---- the orders that the headers state ---- */

template <typename T>
T by_neighbours(std::vector<T> values)
{
    for (size_t stride = 1; stride < values.size(); stride *= 2)
        for (size_t i = 0; i + stride < values.size(); i += 2 * stride)
            values[i] = combined_by<T>::host(values[i], values[i + stride]);
    return values[0];
}

template <typename T>
std::vector<T> by_doubling_strides(std::vector<T> values)
{
    for (size_t stride = 1; stride < values.size(); stride *= 2)
        for (size_t i = values.size() - 1; i >= stride; i--)
            values[i] = combined_by<T>::host(values[i - stride], values[i]);
    return values;
}

template <typename T>
std::vector<T> one_after_the_other(std::vector<T> values)
{
    for (size_t i = 1; i < values.size(); i++)
        values[i] = combined_by<T>::host(values[i - 1], values[i]);
    return values;
}

template <typename T>
std::vector<T> part(const std::vector<T> &values, size_t begin, size_t count)
{
    const auto from = values.begin() + static_cast<std::ptrdiff_t>(begin);
    return std::vector<T>(from, from + static_cast<std::ptrdiff_t>(count));
}

/* What an exclusive scan begins with here: no identity, so that it shows where it is combined. */
template <typename T>
T first_value()
{
    T first;
    std::memset(&first, 0x3b, sizeof first);
    return first;
}

/* ---- warps ---- */

template <typename T>
struct of_lane {
    T reduced, inclusive, inclusive_total, exclusive, exclusive_total, alone, first;
};

template <unsigned LANES, typename T, class Operator>
__global__ void combine_lanes(const T *in, T first, of_lane<T> *out)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const Operator op = Operator();
    of_lane<T> x;
    x.reduced = prim_warp_reduce<LANES>(in[i], op);
    x.inclusive = prim_warp_inclusive_scan<LANES>(in[i], op, &x.inclusive_total);
    x.exclusive = prim_warp_exclusive_scan<LANES>(in[i], op, first, &x.exclusive_total);
    x.alone = prim_warp_inclusive_scan<LANES>(in[i], op);
    x.first = prim_warp_reduce_first<LANES>(in[i], op);
    out[i] = x;
}

template <typename T>
bool is_group(const std::vector<T> &values, const of_lane<T> *results)
{
    const T reduced = by_neighbours(values);
    const std::vector<T> scanned = by_doubling_strides(values);
    bool right = has_same_bits(results[0].first, reduced);
    for (size_t lane = 0; lane < values.size(); lane++) {
        const of_lane<T> &x = results[lane];
        right = right && has_same_bits(x.reduced, reduced) &&
                has_same_bits(x.inclusive, scanned[lane]) &&
                has_same_bits(x.alone, scanned[lane]) &&
                has_same_bits(x.exclusive, lane == 0 ? first_value<T>() : scanned[lane - 1]) &&
                has_same_bits(x.inclusive_total, scanned.back()) &&
                has_same_bits(x.exclusive_total, scanned.back());
    }
    return right;
}

template <unsigned LANES, typename T>
const char *check_groups(const char *type)
{
    using Operator = typename combined_by<T>::type;
    constexpr unsigned THREADS = 64;
    std::vector<T> values(BLOCKS * THREADS);
    std::vector<of_lane<T>> results(values.size());
    for (T &value : values)
        value = random_value<T>();
    const char *wrong = run_on_device(values, results, [](const T *in, of_lane<T> *out) {
        return prim_launch({nullptr, BLOCKS, THREADS}, combine_lanes<LANES, T, Operator>, in,
                           first_value<T>(), out);
    });
    for (size_t i = 0; i < values.size() && wrong == nullptr; i += LANES)
        if (!is_group(part(values, i, LANES), &results[i])) {
            snprintf(sentence, sizeof sentence, "%s, the group of %u lanes at %zu", type, LANES, i);
            wrong = sentence;
        }
    return wrong;
}

template <typename T>
struct check_warps_of {
    static const char *run(const char *type)
    {
        for (const char *wrong :
             {check_groups<2, T>(type), check_groups<4, T>(type), check_groups<8, T>(type),
              check_groups<16, T>(type), check_groups<32, T>(type)})
            if (wrong != nullptr)
                return wrong;
        return nullptr;
    }
};

/* ---- blocks ---- */

constexpr unsigned COUNT = 3; /* values a thread */

template <typename T>
struct of_thread {
    T reduced, inclusive, inclusive_total, exclusive, exclusive_total;
    T reduced_of_all, inclusive_of_all[COUNT], exclusive_of_all[COUNT], total_of_all, alone;
};

template <unsigned THREADS, typename T, class Operator>
__global__ void __launch_bounds__(THREADS) combine_threads(const T *in, T first, of_thread<T> *out)
{
    typedef prim_block_scratch<T, THREADS> scratch_of_block;
    PRIM_SHARED(scratch_of_block, scratch, );
    const unsigned i = blockIdx.x * THREADS + threadIdx.x;
    const Operator op = Operator();
    T values[COUNT];
    for (unsigned v = 0; v < COUNT; v++)
        values[v] = in[i * COUNT + v];

    of_thread<T> x;
    x.reduced = prim_block_reduce(values[0], op, scratch);
    x.inclusive = prim_block_inclusive_scan(values[0], op, scratch, &x.inclusive_total);
    x.exclusive = prim_block_exclusive_scan(values[0], op, first, scratch, &x.exclusive_total);
    x.alone = prim_block_exclusive_scan(values[0], op, first, scratch);
    x.reduced_of_all = prim_block_reduce(values, op, scratch);
    for (unsigned v = 0; v < COUNT; v++)
        x.inclusive_of_all[v] = x.exclusive_of_all[v] = values[v];
    prim_block_inclusive_scan(x.inclusive_of_all, op, scratch);
    prim_block_exclusive_scan(x.exclusive_of_all, op, first, scratch, &x.total_of_all);
    out[i] = x;
}

/* The threads' last own values, column after column: `scanned` one after the other, and `before`
 * the columns before each, of which the last is the total. */
template <typename T>
struct columns_of_block {
    std::vector<T> scanned, before;
    size_t length;
    T reduced;

    explicit columns_of_block(const std::vector<T> &of_threads) : length(of_threads.size() / 32)
    {
        std::vector<T> whole;
        for (size_t t = 0; t < of_threads.size(); t += length) {
            const std::vector<T> column = one_after_the_other(part(of_threads, t, length));
            scanned.insert(scanned.end(), column.begin(), column.end());
            whole.push_back(column.back());
        }
        reduced = by_neighbours(whole);
        whole = by_doubling_strides(whole);
        before = {whole[0]}; /* no column lies before the first: never read */
        before.insert(before.end(), whole.begin(), whole.end());
    }

    /* What lies before thread t, which is not 0. */
    T before_thread(size_t t) const
    {
        if (t < length)
            return scanned[t - 1];
        const T columns = before[t / length];
        return t % length == 0 ? columns : combined_by<T>::host(columns, scanned[t - 1]);
    }
};

/* What a block makes of `count` values a thread. */
template <typename T>
struct whole_block {
    std::vector<T> inclusive, exclusive;
    T reduced, total;

    whole_block(const std::vector<T> &values, size_t count)
    {
        std::vector<T> of_threads;
        for (size_t i = 0; i < values.size(); i += count) {
            const std::vector<T> own = one_after_the_other(part(values, i, count));
            inclusive.insert(inclusive.end(), own.begin(), own.end());
            of_threads.push_back(own.back());
        }
        const columns_of_block<T> columns(of_threads);
        reduced = columns.reduced;
        total = columns.before.back();
        for (size_t i = count; i < values.size(); i++)
            inclusive[i] = combined_by<T>::host(columns.before_thread(i / count), inclusive[i]);
        exclusive = {first_value<T>()};
        for (size_t i = 1; i < values.size(); i++)
            exclusive.push_back(i % count == 0 ? columns.before_thread(i / count)
                                               : inclusive[i - 1]);
    }
};

template <typename T>
bool is_block(const std::vector<T> &values, const of_thread<T> *results)
{
    std::vector<T> firsts;
    for (size_t i = 0; i < values.size(); i += COUNT)
        firsts.push_back(values[i]);
    const whole_block<T> one(firsts, 1), all(values, COUNT);
    bool right = true;
    for (size_t t = 0; t < firsts.size(); t++) {
        const of_thread<T> &x = results[t];
        right = right && has_same_bits(x.reduced, one.reduced) &&
                has_same_bits(x.reduced_of_all, all.reduced) &&
                has_same_bits(x.inclusive, one.inclusive[t]) &&
                has_same_bits(x.exclusive, one.exclusive[t]) &&
                has_same_bits(x.alone, one.exclusive[t]) &&
                has_same_bits(x.inclusive_total, one.total) &&
                has_same_bits(x.exclusive_total, one.total) &&
                has_same_bits(x.total_of_all, all.total);
        for (size_t v = 0; v < COUNT; v++)
            right = right && has_same_bits(x.inclusive_of_all[v], all.inclusive[t * COUNT + v]) &&
                    has_same_bits(x.exclusive_of_all[v], all.exclusive[t * COUNT + v]);
    }
    return right;
}

template <unsigned THREADS>
struct blocks_of {
    template <typename T>
    struct check {
        static const char *run(const char *type)
        {
            using Operator = typename combined_by<T>::type;
            std::vector<T> values(BLOCKS * THREADS * COUNT);
            std::vector<of_thread<T>> results(BLOCKS * THREADS);
            for (T &value : values)
                value = random_value<T>();
            const char *wrong = run_on_device(values, results, [](const T *in, of_thread<T> *out) {
                return prim_launch({nullptr, BLOCKS, THREADS},
                                   combine_threads<THREADS, T, Operator>, in, first_value<T>(),
                                   out);
            });
            for (size_t b = 0; b < BLOCKS && wrong == nullptr; b++)
                if (!is_block(part(values, b * THREADS * COUNT, THREADS * COUNT),
                              &results[b * THREADS])) {
                    snprintf(sentence, sizeof sentence, "%s, block %zu of %u threads", type, b,
                             THREADS);
                    wrong = sentence;
                }
            return wrong;
        }
    };
};

template <template <typename> class Check>
const char *of_all_types()
{
    for (const char *wrong :
         {Check<int8_t>::run("i8"), Check<int16_t>::run("i16"), Check<int32_t>::run("i32"),
          Check<int64_t>::run("i64"), Check<uint8_t>::run("u8"), Check<float>::run("f32"),
          Check<double>::run("f64"), Check<affine>::run("a struct of two words"),
          Check<counted_affine>::run("a struct of three words")})
        if (wrong != nullptr)
            return wrong;
    return nullptr;
}

/* ---- operators by name ---- */

template <typename T>
struct of_names {
    T sum, least, most, warp_sum, warp_least, warp_most;
};

constexpr unsigned NAMED = 96;

template <typename T>
__global__ void call_by_names(const T *in, of_names<T> *out)
{
    typedef prim_block_scratch<T, NAMED> scratch_of_block;
    PRIM_SHARED(scratch_of_block, scratch, );
    const T value = in[threadIdx.x], values[2] = {value, value};
    of_names<T> x;
    x.sum = prim_block_sum(values, scratch);
    x.least = prim_block_min(value, scratch);
    x.most = prim_block_max(value, scratch);
    x.warp_sum = prim_warp_sum(value);
    x.warp_least = prim_warp_min<16>(value);
    x.warp_most = prim_warp_max<16>(value);
    out[threadIdx.x] = x;
}

/* The values 1, -2, 3, -4, …, of which `place` is replaced. */
template <typename T>
const char *check_names(size_t place, T replaced, T least, T most)
{
    std::vector<T> values(NAMED);
    std::vector<of_names<T>> results(NAMED);
    for (size_t i = 0; i < NAMED; i++)
        values[i] = static_cast<T>(i % 2 == 0 ? i + 1 : -static_cast<double>(i + 1));
    values[place] = replaced;
    const char *wrong = run_on_device(values, results, [](const T *in, of_names<T> *out) {
        return prim_launch({nullptr, 1, NAMED}, call_by_names<T>, in, out);
    });
    T sum = 0, sum_of_warp = 0;
    for (size_t i = 0; i < NAMED; i++) {
        sum = static_cast<T>(sum + 2 * values[i]);
        sum_of_warp = static_cast<T>(sum_of_warp + (i < WARP ? values[i] : 0));
    }
    const auto is = [](T a, T b) { return has_same_bits(a, b) || (a != a && b != b); };
    const size_t group = place / 16 * 16;
    for (const of_names<T> &x : results)
        if (wrong == nullptr && !(is(x.sum, sum) && is(x.least, least) && is(x.most, most)))
            wrong = "a block's sum, minimum or maximum";
    if (wrong == nullptr && !is(results[0].warp_sum, sum_of_warp))
        wrong = "a warp's sum";
    if (wrong == nullptr && replaced == least && !is(results[group].warp_least, least))
        wrong = "a warp's minimum";
    if (wrong == nullptr && replaced == most && !is(results[group + 15].warp_most, most))
        wrong = "a warp's maximum";
    return wrong;
}

const char *check_names_of_all()
{
    const float nan = std::nanf(""), infinity = HUGE_VALF;
    for (size_t place = 0; place < NAMED; place += 5)
        for (const char *wrong :
             {check_names<int8_t>(place, -128, -128, place == 94 ? 93 : 95),
              check_names<int32_t>(place, -1000, -1000, 95),
              check_names<int32_t>(place, 1000, place == 95 ? -94 : -96, 1000),
              check_names<float>(place, -infinity, -infinity, 95),
              check_names<float>(place, nan, nan, nan),
              check_names<double>(place, 1e300, place == 95 ? -94 : -96, 1e300)})
            if (wrong != nullptr)
                return wrong;
    return nullptr;
}

/* Of equal values the first one, which zeros show. */
const char *check_zeros()
{
    const prim_min least = prim_min();
    const prim_max most = prim_max();
    const bool right = !std::signbit(least(0.0f, -0.0f)) && std::signbit(least(-0.0f, 0.0f)) &&
                       !std::signbit(most(0.0f, -0.0f)) && std::signbit(most(-0.0f, 0.0f));
    return right ? nullptr : "the zeros";
}

} // namespace

const char *check_warps(void)
{
    return of_all_types<check_warps_of>();
}

const char *check_blocks(unsigned threads)
{
    switch (threads) {
    case 32:
        return of_all_types<blocks_of<32>::check>();
    case 64:
        return of_all_types<blocks_of<64>::check>();
    case 96:
        return of_all_types<blocks_of<96>::check>();
    case 128:
        return of_all_types<blocks_of<128>::check>();
    case 256:
        return of_all_types<blocks_of<256>::check>();
    case 480:
        return of_all_types<blocks_of<480>::check>();
    case 1024:
        return of_all_types<blocks_of<1024>::check>();
    default:
        return "no such block";
    }
}

const char *check_named_operators(void)
{
    const char *const wrong = check_names_of_all();
    return wrong != nullptr ? wrong : check_zeros();
}
