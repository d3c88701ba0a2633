/* The bytes before a boundary of 16, or after one, in pieces of 8, 4, 2 and 1 bytes, each at most
 * once: short ones first before the boundary, and last after it, so that all are aligned.
 *
 *     ┃ · · · 1 2 2 4 4 4 4 8 8 8 8 8 8 8 8 ┃ … ┃ 8 8 8 8 8 8 8 8 4 4 4 4 2 2 1 · ┃ */
#ifndef PRIM_COMMON_END_PIECES_CUH
#define PRIM_COMMON_END_PIECES_CUH

#include <cuda_runtime.h>

namespace
{

/* Of elements of type T, so that no piece is smaller. */
template <typename T>
struct end_pieces {
    unsigned bytes;  /* less than 16 */
    unsigned number; /* 0: before a boundary, 1: after one */

    template <typename Piece>
    __device__ bool has() const
    {
        return sizeof(T) <= sizeof(Piece) && (bytes & sizeof(Piece)) != 0;
    }
    /* Where the piece begins, from the first of the bytes on. */
    template <typename Piece>
    __device__ unsigned place() const
    {
        constexpr unsigned SIZE = sizeof(Piece);
        return number == 0 ? bytes % SIZE : bytes / (2 * SIZE) * (2 * SIZE);
    }
};

} // namespace

#endif
