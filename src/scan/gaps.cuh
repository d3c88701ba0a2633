/* Rows with gaps between them, which an image holds without: copied by elements. */
#ifndef PRIM_SCAN_GAPS_CUH
#define PRIM_SCAN_GAPS_CUH

#include "scan/image.cuh"

namespace
{

/* Walks over every 32nd element from this lane's on, row after row. */
struct element_walk {
    unsigned row, column, rows_a_step, columns_a_step, columns;

    __device__ element_walk(unsigned lane, unsigned of_row)
        : row(lane / of_row), column(lane % of_row), rows_a_step(WARP / of_row),
          columns_a_step(WARP % of_row), columns(of_row)
    {
    }
    [[maybe_unused]] __device__ void step()
    {
        const unsigned behind = column + columns_a_step;
        const bool next = behind >= columns;
        column = next ? behind - columns : behind;
        row += rows_a_step + next;
    }
};

/* Starts the copies of `count` elements, to the image's start. */
template <typename In>
__device__ void load_elements(vector_slot *slots, const In *from, size_t ld, unsigned columns,
                              unsigned count, unsigned lane)
{
    element_walk at(lane, columns);
    PRIM_UNROLL(8)
    for (unsigned i = lane; i < count; i += WARP) {
        copy_async(&bytes_at<In>(slots, i * static_cast<unsigned>(sizeof(In))),
                   &from[at.row * ld + at.column]);
        at.step();
    }
}

/* Stores `count` elements, from byte `first` of the image on. */
template <typename Out>
__device__ void store_elements(Out *to, size_t ld, vector_slot *slots, unsigned first,
                               unsigned columns, unsigned count, unsigned lane)
{
    element_walk at(lane, columns);
    PRIM_UNROLL(4)
    for (unsigned i = lane; i < count; i += WARP) {
        to[at.row * ld + at.column] =
            bytes_at<Out>(slots, first + i * static_cast<unsigned>(sizeof(Out)));
        at.step();
    }
}

} // namespace

#endif
