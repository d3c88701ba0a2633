/* Rows of up to two and a half runs: a lane takes a whole one, so that no run has to be shifted out
 * of the image, no lane has only the rest of a row, and no lane waits for another. Of longer ones a
 * warp has so few that most lanes would be idle.
 *
 *     image      a a a a a b b b b b c c c c c d …
 *     lane       0         1         2         3
 *
 * By vectors where each row begins at one, and otherwise element by element. In rows of three runs
 * the exclusive prefix of the last one is the sum of the first two, one after the other: the order
 * of doubling strides, chunk.cuh, differs from four runs on. */
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

/* A row in two images, or in one: elements and results at so many bytes. */
struct row_place {
    vector_slot *elements, *results;
    unsigned element, result, swizzle; /* by elements: IN_ORDER */
};

/* Scans a row; `initial` is what is before it. By vectors, its last one may have elements of a gap
 * too. */
template <class Operator, bool BY_VECTORS, typename In, typename Out>
__device__ void scan_lane_row(const row_place &row, unsigned columns,
                              const tile_rule<accumulator_t<Out>, Out> &rule,
                              accumulator_t<Out> initial)
{
    using value = accumulator_t<Out>;
    constexpr unsigned WHOLE = WIDTH<In, Out>, OF_RUN = RUN_ELEMENTS<In, Out>;
    const In *const elements = reinterpret_cast<const In *>(row.elements->byte + row.element);
    Out *const results = reinterpret_cast<Out *>(row.results->byte + row.result);
    value so_far = initial, before = value(), of_run = value();
    const auto begin_run = [&](unsigned at) {
        if (at == 0 || at % OF_RUN != 0)
            return;
        before = at == OF_RUN ? of_run : Operator::combine(before, of_run);
        so_far = Operator::combine(initial, before);
    };
    const auto sum_up = [&](unsigned at, const value(&values)[WHOLE]) {
        value sum = values[0];
        PRIM_UNROLL(WHOLE)
        for (unsigned e = 1; e < WHOLE; e++)
            sum = Operator::combine(sum, values[e]);
        of_run = at % OF_RUN == 0 ? sum : Operator::combine(of_run, sum);
    };
    const auto scan = [&](unsigned at, auto how_many) {
        constexpr unsigned N = decltype(how_many)::value;
        value values[N];
        if constexpr (BY_VECTORS) {
            values_of<Operator, In, Out>(
                bytes_at<packed<In, N>>(row.elements, row.element + at * sizeof(In), row.swizzle),
                rule.element, values);
        } else {
            PRIM_UNROLL(N)
            for (unsigned e = 0; e < N; e++)
                values[e] = static_cast<value>(converted<Out>(elements[at + e]));
            apply_rule<Operator>(rule.element, false, values);
        }
        if constexpr (HAS_ORDER<Operator, Out> && N == WHOLE) {
            begin_run(at);
            sum_up(at, values);
        }
        PRIM_UNROLL(N)
        for (unsigned e = 0; e < N; e++) {
            const value next = Operator::combine(so_far, values[e]);
            values[e] = rule.kind == PRIM_SCAN_EXCLUSIVE ? so_far : next;
            so_far = next;
            if constexpr (!BY_VECTORS)
                results[at + e] = result_of<Operator, Out>(values[e], rule.element);
        }
        if constexpr (BY_VECTORS)
            bytes_at<packed<Out, N>>(row.results, row.result + at * sizeof(Out), row.swizzle) =
                results_of<Operator, Out>(values, rule.element);
    };
    unsigned at = 0;
    PRIM_UNROLL(1)
    for (; at + (BY_VECTORS ? 1 : WHOLE) <= columns; at += WHOLE)
        scan(at, std::integral_constant<unsigned, WHOLE>());
    if constexpr (!BY_VECTORS) {
        if constexpr (HAS_ORDER<Operator, Out>)
            begin_run(at);
        PRIM_UNROLL(1)
        for (; at < columns; at++)
            scan(at, std::integral_constant<unsigned, 1>());
    }
}

} // namespace

#endif
