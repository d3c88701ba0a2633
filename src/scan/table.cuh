/* What the tiles of summed-area tables have in common: their sizes, operands and aggregates. */
#ifndef PRIM_SCAN_TABLE_CUH
#define PRIM_SCAN_TABLE_CUH

#include "scan/dispatch.cuh"
#include "scan/summed_area.h"
#include "scan/vectors.cuh"

namespace
{
namespace summed_area
{

constexpr unsigned TABLE_WARPS = PRIM_SCAN_TABLE_WARPS, TABLE_THREADS = TABLE_WARPS * WARP;

/* Rows of a warp. */
template <typename Out>
constexpr unsigned TABLE_ROWS = sizeof(Out) == 8 ? PRIM_SCAN_TABLE_ROWS_OF_8 : PRIM_SCAN_TABLE_ROWS;

/* Elements of a lane in a row: as many values as 16 bytes hold, since a lane has as many columns in
 * registers. */
template <typename Out>
constexpr unsigned TABLE_WIDTH = VECTOR_BYTES / sizeof(accumulator_t<Out>);

template <typename In, typename Out>
struct table_tiles {
    const In *in;
    Out *out;
    size_t in_ld, out_ld, rows, columns;
    unsigned across;              /* tiles of a row */
    bool in_aligned, out_aligned; /* each row begins at a whole vector */
    element_rule<Out> rule;
};

/* The aggregates of the tiles' rows and columns, or their exclusive prefixes. NULL where the matrix
 * has one tile in that direction. */
template <typename Value>
struct table_aggregates {
    Value *rows, *columns;
    size_t rows_ld, columns_ld;
};

} // namespace summed_area
} // namespace

#endif
