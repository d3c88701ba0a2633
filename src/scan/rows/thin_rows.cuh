/* Rows of up to 16 bytes of narrow elements, with gaps between them: a thread for each, which reads
 * and writes only what is in the row, by words, halves and bytes. FROM_WORD: all rows begin at a
 * word, in input and output, so that nothing is shifted. */
#ifndef PRIM_SCAN_THIN_ROWS_CUH
#define PRIM_SCAN_THIN_ROWS_CUH

#include "common/block/part_vector.cuh"
#include "scan/tile/tile.cuh"

namespace
{

/* The order of a run, chunk.cuh. The kind is asked for each element: with a call of scan_vector()
 * for each kind, results went through local memory. */
template <class Operator, bool FROM_WORD, typename In, typename Out>
__device__ void scan_thin_row(const In *from, Out *to, unsigned columns,
                              const tile_rule<accumulator_t<Out>, Out> &rule,
                              accumulator_t<Out> so_far)
{
    constexpr unsigned N = VECTOR_ELEMENTS<In>;
    const part_of_words<In, FROM_WORD> of_elements(from, columns);
    accumulator_t<Out> values[N];
    values_of<Operator, In, Out>(of_elements.elements(of_elements.load(from)), rule.element,
                                 values);
    PRIM_UNROLL(N)
    for (unsigned e = 0; e < N; e++) {
        const accumulator_t<Out> next = Operator::combine(so_far, values[e]);
        values[e] = rule.kind == PRIM_SCAN_EXCLUSIVE ? so_far : next;
        so_far = next;
    }
    const part_of_words<Out, FROM_WORD> of_results(to, columns);
    of_results.store(to, results_of<Operator, Out>(values, rule.element));
}

} // namespace

#endif
