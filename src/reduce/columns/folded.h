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
#ifndef PRIM_REDUCE_FOLDED_H
#define PRIM_REDUCE_FOLDED_H

#include <stdbool.h>
#include <stddef.h>

#include "common/host/sizes.h"
#include "reduce/columns/columns.h"
#include "reduce/order.h"

enum { PRIM_FOLDED_LEAST_BYTES = 1 << 22 }; /* fewer: a launch more takes longer than it saves */

typedef struct prim_folded_columns {
    size_t rows, columns, repeats;
    size_t first, last; /* where the first row begins, and where the last one ends */
} prim_folded_columns;

/* `first`: elements from a vector's begin to the matrix. */
static inline prim_folded_columns prim_fold_columns(size_t rows, size_t columns,
                                                    size_t element_bytes, size_t first)
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
static inline bool prim_folding_pays(size_t rows, size_t columns, size_t element_bytes)
{
    return columns > 0 && rows > PRIM_COLUMN_FEW_ROWS &&
           rows * columns >= PRIM_FOLDED_LEAST_BYTES / element_bytes;
}

#endif
