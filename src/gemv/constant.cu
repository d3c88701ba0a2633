/* CONSTANT: as COLUMN, with x in constant memory.
 *
 * Constant memory has its own cache, which broadcasts one word to all lanes of a warp, just as x is
 * read. It holds 64 KB, so a longer x is taken in pieces, whose products are added to y:
 *
 *     y  = beta · y + alpha · A[:, piece 0] · x[piece 0]
 *     y +=            alpha · A[:, piece 1] · x[piece 1]   …
 *
 * The memory belongs to the process, not to the call: calls on one device must be ordered, and a
 * graph would replay with whatever it holds then. No other code of the kit has such state.
 *
 * Work: rows · columns products. Launches and copies: one of each for 64 KB of x. Bytes: A once, y
 * twice for each piece. */
#include "gemv/coalesced.cuh"

namespace
{
namespace constant
{

constexpr size_t CONSTANT_BYTES = 64 * 1024;

__constant__ double constant_words[CONSTANT_BYTES / sizeof(double)];

template <typename T>
struct constant_x {
    __device__ void prepare(size_t, unsigned)
    {
    }
    __device__ T at(size_t begin, unsigned i) const
    {
        return reinterpret_cast<const T *>(constant_words)[begin + i];
    }
};

template <typename T>
__global__ void __launch_bounds__(THREADS) multiply(problem<T> p)
{
    along_tiles(p, constant_x<T>{});
}

/* The columns of op(A) from begin on, as far as one piece of x goes. */
template <typename T>
problem<T> piece_of(const problem<T> &p, size_t begin)
{
    constexpr size_t most = CONSTANT_BYTES / sizeof(T);
    problem<T> piece = p;
    piece.a.data += begin * p.a.column_stride;
    piece.x += begin;
    piece.inner = p.inner - begin < most ? p.inner - begin : most;
    piece.scale.beta = begin == 0 ? p.scale.beta : T(1);
    return piece;
}

struct run_pieces : launch_run {
    template <typename T>
    static cudaError_t run(const prim_gemv_args *args)
    {
        const problem<T> p = make_problem<T>(args);
        const cudaStream_t stream = args->call.stream;
        cudaError_t error = cudaSuccess;
        size_t begin = 0;
        do {
            const problem<T> piece = piece_of(p, begin);
            if (piece.inner > 0)
                error = cudaMemcpyToSymbolAsync(constant_words, piece.x, piece.inner * sizeof(T), 0,
                                                cudaMemcpyDeviceToDevice, stream);
            if (error == cudaSuccess)
                error = launch_outputs(stream, multiply<T>, piece);
            begin += piece.inner;
        } while (error == cudaSuccess && begin < p.inner);
        return error;
    }
};

} // namespace constant
} // namespace

PRIM_DEFINE_RUNG(gemv, constant) = {
    {PRIM_GEMV_CONSTANT, "constant", "the same, and x in constant memory, in pieces of 64 KB"},
    outputs_why_not,
    nullptr,
    launch_textbook<constant::run_pieces>};
