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
#include "gemm/tensor/tiles.h"

namespace
{
namespace tensor_tiles
{

constexpr unsigned K = PRIM_GEMM_MMA_STEPS;
constexpr unsigned PIECE = 8, SWIZZLED = 8;

/* The part of an operand that a block multiplies: lines in memory from its first element on. */
template <typename Half>
struct operand {
    const Half *data;
    size_t ld;
    size_t side, k; /* as far as there is an operand */
    bool in_pieces; /* all lines begin at 16 bytes */
};

/* How lines lie in memory. */
enum layout { ALONG_K, ALONG_TILE };

template <unsigned SIDE_, layout HOW_>
struct stage {
    static constexpr unsigned SIDE = SIDE_;
    static constexpr layout HOW = HOW_;
    static constexpr unsigned LINE = (HOW == ALONG_K ? K : SIDE) / PIECE; /* pieces */

    vector<uint16_t> pieces[SIDE * K / PIECE];

    /* Where the piece of a line lies. */
    __device__ static unsigned place(unsigned line, unsigned piece)
    {
        return line * LINE + (piece ^ line % SWIZZLED);
    }
};

/* What a thread copies of each stage: one piece of some lines. */
template <typename Half, class Stage, unsigned THREADS>
struct loader {
    static constexpr unsigned ROUNDS = Stage::SIDE * K / PIECE / THREADS;
    static constexpr unsigned APART = THREADS / Stage::LINE; /* lines, from round to round */
    static constexpr bool ALONG = Stage::HOW == ALONG_K;
    static_assert(ROUNDS * THREADS * PIECE == Stage::SIDE * K && APART % SWIZZLED == 0,
                  "whole rounds, in which a piece keeps its place");

    const Half *from;                /* the first piece of the next stage */
    size_t ld, k_left;               /* from that stage on */
    unsigned place, k_at, side_left; /* after this thread's first line or piece */
    bool in_pieces;

    __device__ explicit loader(const operand<Half> &x)
        : ld(x.ld), k_left(x.k), in_pieces(x.in_pieces)
    {
        const unsigned line = threadIdx.x / Stage::LINE, piece = threadIdx.x % Stage::LINE;
        const unsigned side_at = ALONG ? line : piece * PIECE;
        k_at = ALONG ? piece * PIECE : line;
        place = Stage::place(line, piece);
        from = x.data + line * ld + piece * PIECE;
        side_left = x.side <= side_at                ? 0
                    : x.side - side_at < Stage::SIDE ? static_cast<unsigned>(x.side - side_at)
                                                     : Stage::SIDE;
    }

    /* How many elements of this thread's piece there are in round r. */
    __device__ unsigned elements(unsigned r) const
    {
        const size_t at = ALONG ? k_at : k_at + r * APART;
        const size_t k_here = k_left > at ? k_left - at : 0;
        if (ALONG)
            return r * APART >= side_left ? 0
                   : k_here < PIECE       ? static_cast<unsigned>(k_here)
                                          : PIECE;
        return k_here == 0 ? 0 : side_left < PIECE ? side_left : PIECE;
    }

    /* Starts the copies of the next stage. After the operand's last k lie zeros, but anything may
     * lie beside it: that has its own elements of C, which nobody stores. */
    __device__ void load(Stage &to)
    {
        if (k_left == 0)
            return; /* nobody multiplies what follows */
        if (in_pieces && k_left >= K)
            load_pieces(to);
        else
            load_some(to);
        from += ALONG ? K : K * ld;
        k_left = k_left > K ? k_left - K : 0;
    }

    __device__ void load_pieces(Stage &to) const
    {
        const Half *piece = from;
        const unsigned bytes = side_left < PIECE ? side_left * sizeof(Half) : VECTOR_BYTES;
        PRIM_UNROLL(8)
        for (unsigned r = 0; r < ROUNDS; r++, piece += APART * ld) {
            vector<uint16_t> *const there = &to.pieces[place + r * THREADS];
            if (!ALONG)
                copy_async_first(there, piece, bytes);
            else if (r * APART < side_left)
                copy_async(there, reinterpret_cast<const vector<uint16_t> *>(piece));
        }
    }

    /* Of lines that begin anywhere, and the last k. */
    __device__ void load_some(Stage &to) const
    {
        const Half *piece = from;
        PRIM_UNROLL(2)
        for (unsigned r = 0; r < ROUNDS; r++, piece += APART * ld) {
            vector<uint16_t> *const there = &to.pieces[place + r * THREADS];
            if (reinterpret_cast<uintptr_t>(piece) % WORD_BYTES == 0)
                load_words(there, piece, elements(r) * sizeof(Half));
            else
                load_elements(there, piece, elements(r));
        }
    }

    __device__ static void load_words(vector<uint16_t> *to, const Half *from, unsigned bytes)
    {
        uint32_t *const words = reinterpret_cast<uint32_t *>(to);
        PRIM_UNROLL(4)
        for (unsigned w = 0; w < VECTOR_BYTES / WORD_BYTES; w++) {
            const unsigned at = w * WORD_BYTES, left = bytes > at ? bytes - at : 0;
            copy_async_first(&words[w], from + at / sizeof(Half),
                             left < WORD_BYTES ? left : WORD_BYTES);
        }
    }

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
