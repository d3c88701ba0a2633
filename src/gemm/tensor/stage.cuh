/* A stage: a slab of A or B in shared memory, as ldmatrix reads it.
 *
 * It keeps the lines of its operand as they lie in memory: along k, a line for each of SIDE rows of
 * op(A) or columns of op(B), or along the tile, a line for each of K steps of k. A line is cut into
 * pieces of 16 bytes. ldmatrix reads the same piece of eight lines at once, which would lie in the
 * same banks; so line i keeps piece p at place p ^ (i % 8) ("swizzled").
 *
 *     line 0    0 1 2 3 4 5 6 7
 *     line 1    1 0 3 2 5 4 7 6       piece 0 of lines 0 … 7 lies in all banks
 *     line 2    2 3 0 1 6 7 4 5
 *     … */
#ifndef PRIM_GEMM_STAGE_CUH
#define PRIM_GEMM_STAGE_CUH

#include "common/block/vectors.cuh"
#include "common/kernel/async_copy.cuh"
#include "common/kernel/unroll.cuh"

namespace
{
namespace tensor_tiles
{

constexpr unsigned K = 64; /* steps of k in a stage */
constexpr unsigned PIECE = 8, SWIZZLED = 8;

/* The part of an operand that a block multiplies: lines in memory from its first element on. */
template <typename Half>
struct operand {
    const Half *data;
    size_t ld;
    size_t side, k; /* as far as there is an operand */
    bool along_k;
    bool in_pieces; /* all lines begin at 16 bytes */
};

template <unsigned SIDE>
struct stage {
    vector<uint16_t> pieces[SIDE * K / PIECE];
};

/* Pieces of a line. */
template <unsigned SIDE>
__device__ unsigned line_pieces(bool along_k)
{
    return (along_k ? K : SIDE) / PIECE;
}

/* Where the piece of a line lies. */
template <unsigned SIDE>
__device__ unsigned place_of_piece(bool along_k, unsigned line, unsigned piece)
{
    return line * line_pieces<SIDE>(along_k) + (piece ^ line % SWIZZLED);
}

/* What a thread copies of each stage: one piece of some lines, which lie `apart` lines apart. */
template <typename Half, unsigned SIDE, unsigned THREADS>
struct loader {
    static constexpr unsigned ROUNDS = SIDE * K / PIECE / THREADS;
    static_assert(ROUNDS * THREADS * PIECE == SIDE * K, "whole rounds");

    const Half *from; /* the first piece of the next stage */
    size_t ld;
    size_t k_left; /* from this stage on */
    unsigned line, piece, apart, place;
    unsigned side_left; /* behind this thread's first line or piece */
    bool along_k, in_pieces;

    __device__ explicit loader(const operand<Half> &x)
    {
        const unsigned pieces = line_pieces<SIDE>(x.along_k);
        along_k = x.along_k;
        in_pieces = x.in_pieces;
        ld = x.ld;
        k_left = x.k;
        line = threadIdx.x / pieces;
        piece = threadIdx.x % pieces;
        apart = THREADS / pieces;
        place = place_of_piece<SIDE>(along_k, line, piece);
        from = x.data + line * ld + piece * PIECE;
        const unsigned at = along_k ? line : piece * PIECE;
        side_left = x.side <= at         ? 0
                    : x.side - at < SIDE ? static_cast<unsigned>(x.side - at)
                                         : SIDE;
    }

    /* How many elements of this thread's piece there are in round r. */
    __device__ unsigned elements(unsigned r) const
    {
        const unsigned lines_on = r * apart, k_at = along_k ? piece * PIECE : line + lines_on;
        const size_t k_here = k_left > k_at ? k_left - k_at : 0;
        if (along_k)
            return lines_on >= side_left ? 0
                   : k_here < PIECE      ? static_cast<unsigned>(k_here)
                                         : PIECE;
        return k_here == 0 ? 0 : side_left < PIECE ? side_left : PIECE;
    }

    /* Starts the copies of the next stage. */
    __device__ void load(stage<SIDE> &to)
    {
        PRIM_UNROLL(8)
        for (unsigned r = 0; r < ROUNDS; r++) {
            const Half *const piece_from = from + r * apart * ld;
            const unsigned count = elements(r);
            vector<uint16_t> *const piece_to = &to.pieces[place + r * THREADS];
            if (in_pieces)
                copy_async_first(piece_to, piece_from, count * sizeof(Half));
            else
                load_elements(piece_to, piece_from, count);
        }
        from += along_k ? K : K * ld;
        k_left = k_left > K ? k_left - K : 0;
    }

    /* Of lines that begin anywhere. */
    __device__ static void load_elements(vector<uint16_t> *to, const Half *from, unsigned count)
    {
        vector<uint16_t> piece = {};
        PRIM_UNROLL(PIECE)
        for (unsigned e = 0; e < PIECE; e++)
            if (e < count)
                set_element(piece, e, from[e].bits);
        *to = piece;
    }
};

} // namespace tensor_tiles
} // namespace

#endif
