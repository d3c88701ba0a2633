/* A matrix without gaps whose rows are misaligned, seen as a wider matrix whose rows are aligned:
 * as many rows side by side as make whole vectors, from the vector in which the matrix begins.
 *
 *     rows of 3      a b c   a b c   a b c   a b c   a b c   a …
 *     vectors of 4   a b c a │ b c a b │ c a b c               one row of 12, with 4 of each column
 *
 * Its columns are reduced like those of any matrix, without the elements that its first row lacks
 * at the start and its last row at the end. The values are those of a matrix of `repeats` times as
 * many rows with the columns that were asked for. So the order is another one, and only integers
 * are reduced like that. */
#ifndef PRIM_REDUCE_FOLDED_CUH
#define PRIM_REDUCE_FOLDED_CUH

#include "common/host/sizes.h"
#include "reduce/columns/column_rows.cuh"
#include "reduce/columns/columns.h"
#include "reduce/order.h"

namespace
{

/* ---- how a matrix is folded ---- */

enum { PRIM_FOLDED_LEAST_BYTES = 1 << 22 }; /* fewer: a launch more takes longer than it saves */

struct prim_folded_columns {
    size_t rows, columns, repeats;
    size_t first, last; /* where the first row begins, and where the last one ends */
};

/* `first`: elements from a vector's begin to the matrix. */
inline prim_folded_columns prim_fold_columns(size_t rows, size_t columns, size_t element_bytes,
                                             size_t first)
{
    prim_folded_columns f;
    f.repeats = PRIM_REDUCE_VECTOR_BYTES / element_bytes;
    for (size_t odd = columns; f.repeats > 1 && odd % 2 == 0; odd /= 2)
        f.repeats /= 2;
    f.columns = f.repeats * columns;
    f.rows = prim_divide_up(first + rows * columns, f.columns);
    f.first = first;
    f.last = first + rows * columns - (f.rows - 1) * f.columns;
    return f;
}

/* With more rows than one pass takes, there is a further one in any case, and values are at most an
 * eighth of the matrix. */
inline bool prim_folding_pays(size_t rows, size_t columns, size_t element_bytes)
{
    return columns > 0 && rows > PRIM_COLUMN_FEW_ROWS &&
           rows * columns >= PRIM_FOLDED_LEAST_BYTES / element_bytes;
}

/* ---- the ends of a folded matrix, and where its values go ---- */

namespace columns
{

template <class Source>
constexpr bool FOLDS = std::is_integral<typename Source::element>::value;

/* The first valid column of the first row, and the end of the last one. In a matrix that is not
 * folded: 0 and all columns. */
struct row_ends {
    size_t first, last;
};

/* Which ends a thread has. */
struct own_ends {
    bool first, last;
};

/* Takes the first and the last row from a thread's rows, if it has their ends. */
template <unsigned WIDTH>
__device__ own_ends without_ends(const row_ends &ends, size_t rows, size_t step,
                                 const prim_column_shape &shape, size_t *at, column_place *p)
{
    own_ends own = {p->depth > 0 && p->row == 0 && p->column < ends.first, false};
    if (own.first) {
        p->row += shape.height;
        p->depth--;
        *at += step;
    }
    const size_t further = p->depth > 0 ? p->depth - 1 : 0;
    own.last = p->depth > 0 && p->row + (further << shape.height_bits) == rows - 1 &&
               p->column + WIDTH > ends.last;
    if (own.last)
        p->depth--;
    return own;
}

/* Combines these, after all others: their order counts for nothing. */
template <class Operator, class Source, unsigned WIDTH>
__device__ void take_ends(const Source &source, const row_ends &ends, const own_ends &own,
                          size_t at, size_t step, const column_place &p,
                          typename Source::value (&so_far)[WIDTH])
{
    if (own.first)
        take_between<Operator>(source, at - step, ends.first - p.column, WIDTH, so_far);
    if (own.last)
        take_between<Operator>(source, at + p.depth * step, 0,
                               p.column < ends.last ? ends.last - p.column : 0, so_far);
}

/* Where the values of a folded matrix's columns go. */
struct unfolding {
    size_t columns;  /* of the folded matrix; 0: it is none */
    size_t original; /* of the matrix that it is made of, */
    size_t first;    /* whose first element is this one of the folded one's first row */

    /* A tile's row of values is one for each original row in it. Those in front of the matrix's
     * first element come last, which are of its last columns. */
    template <typename Value, unsigned N>
    __device__ void store(Value *values, size_t values_ld, size_t tile, size_t column,
                          const Value (&of_columns)[N]) const
    {
        const size_t repeats = columns / original,
                     at = column < first ? column + columns - first : column - first;
        size_t row = at / original, c = at - row * original;
        PRIM_UNROLL(N)
        for (unsigned e = 0; e < N; e++) {
            values[(tile * repeats + row) * values_ld + c] = of_columns[e];
            if (++c == original) {
                c = 0;
                row = row + 1 == repeats ? 0 : row + 1;
            }
        }
    }
};

} // namespace columns
} // namespace

#endif
