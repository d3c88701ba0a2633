/* What the tiles of summed-area tables have in common: their sizes, operands and aggregates. */
#ifndef PRIM_SCAN_TABLE_CUH
#define PRIM_SCAN_TABLE_CUH

#include "common/block/warp.cuh"
#include "scan/dispatch.cuh"
#include "scan/table/summed_area.h"
#include "scan/tile/vectors.cuh"

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

template <typename In, typename Out>
table_tiles<In, Out> table_tiles_of(const prim_scan_args *args, unsigned across)
{
    constexpr size_t VECTOR = TABLE_WIDTH<Out>;
    return {
        static_cast<const In *>(args->in),
        static_cast<Out *>(args->out),
        args->in_ld,
        args->out_ld,
        args->rows,
        args->columns,
        across,
        lines_are_aligned(args->in, args->rows, args->in_ld * sizeof(In), VECTOR * sizeof(In)),
        lines_are_aligned(args->out, args->rows, args->out_ld * sizeof(Out), VECTOR * sizeof(Out)),
        element_rule_of<Out>(args)};
}

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
