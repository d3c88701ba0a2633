/* Rows of up to two and a half runs: a lane takes a whole one, so that no run has to be shifted out of
 * the image, no lane has only the rest of a row, and no lane waits for another. Of longer ones a warp
 * has so few that most lanes would be idle.
 *
 *     image      a a a a a b b b b b c c c c c d …
 *     lane       0         1         2         3
 *
 * Vector by vector where each row begins at one, and otherwise element by element. In rows of three
 * runs the exclusive prefix of the last one is the sum of the first two, one after the other: the
 * order of doubling strides, chunk.cuh, differs from four runs on. */
#ifndef PRIM_SCAN_LANE_ROWS_CUH
#define PRIM_SCAN_LANE_ROWS_CUH

#include "scan/tile/tile.cuh"

namespace
{

/* Of a row that a lane takes, at most. */
template <typename In, typename Out>
constexpr unsigned MOST_ELEMENTS = RUN_ELEMENTS<In, Out> * 5 / 2;

/* Other operators give the same bits in any order. */
template <class Operator, typename Out>
constexpr bool HAS_ORDER = is_float<accumulator_t<Out>>() &&
                           !std::is_same<Operator, max_operator>::value;

/* What is scanned element by element has its bytes in order. */
template <typename T>
__device__ T *elements_at(vector_slot *slots, unsigned byte)
{
    return reinterpret_cast<T *>(slots->byte + byte);
}

/* A row of an image, and what is before the next element. */
template <class Operator, typename In, typename Out>
struct lane_row {
    using value = accumulator_t<Out>;

    vector_slot *elements, *results;
    unsigned element, result; /* the bytes at which the next ones are */
    unsigned swizzle;
    const tile_rule<value, Out> &rule;
    value so_far;

    /* Result `e` from here on of a value, or what is to become it. */
    __device__ value scanned(value x)
    {
        const value next = Operator::combine(so_far, x), before = so_far;
        so_far = next;
        return rule.kind == PRIM_SCAN_EXCLUSIVE ? before : next;
    }

    template <unsigned N>
    __device__ void read_elements(value (&values)[N]) const
    {
        PRIM_UNROLL(N)
        for (unsigned e = 0; e < N; e++)
            values[e] =
                static_cast<value>(converted<Out>(elements_at<const In>(elements, element)[e]));
        apply_rule<Operator>(rule.element, false, values);
    }
    template <unsigned N>
    __device__ void write_results(const value (&values)[N])
    {
        PRIM_UNROLL(N)
        for (unsigned e = 0; e < N; e++)
            elements_at<Out>(results, result)[e] =
                result_of<Operator, Out>(scanned(values[e]), rule.element);
        pass(N);
    }

    template <unsigned N>
    __device__ void read_vector(value (&values)[N]) const
    {
        values_of<Operator, In, Out>(bytes_at<packed<In, N>>(elements, element, swizzle),
                                     rule.element, values);
    }
    template <unsigned N>
    __device__ void write_vector(value (&values)[N])
    {
        PRIM_UNROLL(N)
        for (unsigned e = 0; e < N; e++)
            values[e] = scanned(values[e]);
        bytes_at<packed<Out, N>>(results, result, swizzle) =
            results_of<Operator, Out>(values, rule.element);
        pass(N);
    }

    __device__ void pass(unsigned count)
    {
        element += count * static_cast<unsigned>(sizeof(In));
        result += count * static_cast<unsigned>(sizeof(Out));
    }
};

/* Scans a row: whole vectors, and then, if its last one has another row's elements too, what is left.
 * so_far is what is before the row. */
template <class Operator, bool BY_VECTORS, typename In, typename Out>
__device__ void scan_lane_row(lane_row<Operator, In, Out> row, unsigned columns)
{
    using value = accumulator_t<Out>;
    constexpr unsigned N = WIDTH<In, Out>, OF_RUN = RUN_ELEMENTS<In, Out>;
    const value initial = row.so_far;
    value before = value(), of_run = value();
    const auto begin_run = [&](unsigned at) {
        if (at == 0 || at % OF_RUN != 0)
            return;
        before = at == OF_RUN ? of_run : Operator::combine(before, of_run);
        row.so_far = Operator::combine(initial, before);
    };
    unsigned at = 0;
    PRIM_UNROLL(1)
    for (; at + (BY_VECTORS ? 1 : N) <= columns; at += N) {
        value values[N];
        if constexpr (BY_VECTORS)
            row.read_vector(values);
        else
            row.read_elements(values);
        if constexpr (HAS_ORDER<Operator, Out>) {
            begin_run(at);
            value sum = values[0];
            PRIM_UNROLL(N)
            for (unsigned e = 1; e < N; e++)
                sum = Operator::combine(sum, values[e]);
            of_run = at % OF_RUN == 0 ? sum : Operator::combine(of_run, sum);
        }
        if constexpr (BY_VECTORS)
            row.write_vector(values);
        else
            row.write_results(values);
    }
    if constexpr (HAS_ORDER<Operator, Out> && !BY_VECTORS)
        begin_run(at);
    PRIM_UNROLL(1)
    for (; at < columns; at++) {
        value one[1];
        row.read_elements(one);
        row.write_results(one);
    }
}

} // namespace

#endif
