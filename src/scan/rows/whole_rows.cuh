/* Rows of up to two and a half runs: a lane takes a whole one, element by element, so that no run
 * has to be shifted out of the image, no lane has only the rest of a row, and no lane waits for
 * another. Of longer ones a warp has so few that most lanes would be idle.
 *
 *     image      a a a a a b b b b b c c c c c d …       bytes in order, not swizzled
 *     lane       0         1         2         3
 *
 * Where lanes that begin a row apart read from different banks, or two from one; vector by vector
 * where each row begins at one. In rows of three runs the exclusive prefix of the last one is the
 * sum of the first two, one after the other: the order of doubling strides, chunk.cuh, differs from
 * four runs on. */
#ifndef PRIM_SCAN_WHOLE_ROWS_CUH
#define PRIM_SCAN_WHOLE_ROWS_CUH

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

/* The values of N elements that lie side by side, where a vector begins or anywhere. */
template <class Operator, bool BY_VECTORS, typename In, typename Out, unsigned N>
__device__ void values_at(const unsigned char *elements, const element_rule<Out> &rule,
                          accumulator_t<Out> (&values)[N])
{
    if constexpr (BY_VECTORS) {
        values_of<Operator, In, Out>(*reinterpret_cast<const packed<In, N> *>(elements), rule,
                                     values);
    } else {
        PRIM_UNROLL(N)
        for (unsigned e = 0; e < N; e++)
            values[e] = static_cast<accumulator_t<Out>>(
                converted<Out>(reinterpret_cast<const In *>(elements)[e]));
        apply_rule<Operator>(rule, false, values);
    }
}

/* Writes N results likewise; so_far is what is before them. */
template <class Operator, bool BY_VECTORS, typename Out, unsigned N>
__device__ void write_results(unsigned char *results, accumulator_t<Out> (&values)[N],
                              const tile_rule<accumulator_t<Out>, Out> &rule,
                              accumulator_t<Out> &so_far)
{
    PRIM_UNROLL(N)
    for (unsigned e = 0; e < N; e++) {
        const accumulator_t<Out> next = Operator::combine(so_far, values[e]);
        values[e] = rule.kind == PRIM_SCAN_EXCLUSIVE ? so_far : next;
        so_far = next;
        if constexpr (!BY_VECTORS)
            reinterpret_cast<Out *>(results)[e] = result_of<Operator, Out>(values[e], rule.element);
    }
    if constexpr (BY_VECTORS)
        *reinterpret_cast<packed<Out, N> *>(results) =
            results_of<Operator, Out>(values, rule.element);
}

/* One element after the other. */
template <class Operator, typename In, typename Out>
__device__ void scan_elements(const unsigned char *elements, unsigned char *results, unsigned count,
                              const tile_rule<accumulator_t<Out>, Out> &rule,
                              accumulator_t<Out> so_far)
{
    PRIM_UNROLL(1)
    for (unsigned e = 0; e < count; e++) {
        accumulator_t<Out> values[1];
        values_at<Operator, false, In>(elements + e * sizeof(In), rule.element, values);
        write_results<Operator, false>(results + e * sizeof(Out), values, rule, so_far);
    }
}

/* Scans a row in shared memory: whole vectors, and then what is left, if a row's last vector has
 * another one's elements too. `initial` is what is before the row. */
template <class Operator, bool BY_VECTORS, typename In, typename Out>
__device__ void scan_whole_row(const unsigned char *elements, unsigned char *results,
                               unsigned columns, const tile_rule<accumulator_t<Out>, Out> &rule,
                               accumulator_t<Out> initial)
{
    using value = accumulator_t<Out>;
    constexpr unsigned N = WIDTH<In, Out>, OF_RUN = RUN_ELEMENTS<In, Out>;
    value so_far = initial, before = value(), of_run = value();
    const auto begin_run = [&](unsigned at) {
        if (at == 0 || at % OF_RUN != 0)
            return;
        before = at == OF_RUN ? of_run : Operator::combine(before, of_run);
        so_far = Operator::combine(initial, before);
    };
    unsigned at = 0;
    PRIM_UNROLL(1)
    for (; at + (BY_VECTORS ? 1 : N) <= columns; at += N) {
        value values[N];
        values_at<Operator, BY_VECTORS, In>(elements + at * sizeof(In), rule.element, values);
        if constexpr (HAS_ORDER<Operator, Out>) {
            begin_run(at);
            value sum = values[0];
            PRIM_UNROLL(N)
            for (unsigned e = 1; e < N; e++)
                sum = Operator::combine(sum, values[e]);
            of_run = at % OF_RUN == 0 ? sum : Operator::combine(of_run, sum);
        }
        write_results<Operator, BY_VECTORS>(results + at * sizeof(Out), values, rule, so_far);
    }
    if constexpr (BY_VECTORS)
        return;
    if constexpr (HAS_ORDER<Operator, Out>)
        begin_run(at);
    scan_elements<Operator, In>(elements + at * sizeof(In), results + at * sizeof(Out),
                                columns - at, rule, so_far);
}

} // namespace

#endif
