/* gemv on the CPU: the order of order.h that AUTO takes for the shape, one partial sum after the
 * other. */
#include "common/block/vectors.cuh"
#include "common/host/threads.cuh"
#include "gemv/order.h"
#include "gemv/problem.cuh"

namespace
{
namespace host
{

/* The sizes of a GPU's warp and block. */
constexpr size_t LANES = PRIM_GEMV_LANES, THREADS_OF_BLOCK = PRIM_GEMV_THREADS;

template <typename T>
T halves_first(T *values, size_t count)
{
    for (size_t half = count / 2; half > 0; half /= 2)
        for (size_t i = 0; i < half; i++)
            values[i] = add(values[i], values[i + half]);
    return values[0];
}

/* Adds the sums of pieces, given in their order, as the second pass does. */
template <typename T>
struct sum_of_pieces {
    T partials[THREADS_OF_BLOCK] = {0};
    size_t height, taken = 0;

    sum_of_pieces(size_t pieces, size_t outputs)
        : height(size_t(1) << prim_gemv_block_of_sums(pieces, outputs).height_bits)
    {
    }
    void take(T sum)
    {
        T &partial = partials[taken++ % height];
        partial = add(partial, sum);
    }
    T value()
    {
        return halves_first(partials, height);
    }
};

/* ---- rows along memory ---- */

/* Adds vectors begin … end of a row to the sums of `lanes` lanes. */
template <class Problem>
void add_vectors(const Problem &p, size_t row, size_t begin, size_t end, size_t lanes,
                 typename Problem::sum_type *of_lanes)
{
    using T = typename Problem::sum_type;
    constexpr size_t WIDTH = VECTOR_ELEMENTS<typename Problem::element>;
    T sums[THREADS_OF_BLOCK * WIDTH] = {0};
    const size_t last = end * WIDTH < p.inner ? end * WIDTH : p.inner;
    for (size_t i = begin * WIDTH; i < last; i++) {
        T &sum = sums[(i - begin * WIDTH) % (lanes * WIDTH)];
        sum = add(sum, multiply(p.value_of(p.a.at(row, i)), p.value_of(p.x[i])));
    }
    for (size_t l = 0; l < lanes; l++)
        of_lanes[l] = halves_first(&sums[l * WIDTH], WIDTH);
}

template <class Problem>
typename Problem::sum_type row_by_warp(const Problem &p, size_t row, size_t columns)
{
    using T = typename Problem::sum_type;
    T of_lanes[LANES];
    const size_t vectors = prim_divide_up(columns, VECTOR_ELEMENTS<typename Problem::element>),
                 lanes = size_t(1) << prim_gemv_lane_bits(vectors);
    add_vectors(p, row, 0, vectors, lanes, of_lanes);
    return halves_first(of_lanes, lanes);
}

/* A block's lanes first, and then its warps. */
template <class Problem>
typename Problem::sum_type piece_of_row(const Problem &p, size_t row, size_t begin, size_t end)
{
    using T = typename Problem::sum_type;
    T of_lanes[THREADS_OF_BLOCK], of_warps[THREADS_OF_BLOCK / LANES];
    add_vectors(p, row, begin, end, THREADS_OF_BLOCK, of_lanes);
    for (size_t w = 0; w < THREADS_OF_BLOCK / LANES; w++)
        of_warps[w] = halves_first(&of_lanes[w * LANES], LANES);
    return halves_first(of_warps, THREADS_OF_BLOCK / LANES);
}

template <class Problem>
typename Problem::sum_type row_by_pieces(const Problem &p, size_t row, size_t length)
{
    using T = typename Problem::sum_type;
    const size_t vectors = prim_divide_up(length, VECTOR_ELEMENTS<typename Problem::element>),
                 piece = prim_gemv_piece_of_row(p.outputs, vectors);
    if (vectors <= piece)
        return piece_of_row(p, row, 0, vectors);
    sum_of_pieces<T> sums(prim_divide_up(vectors, piece), p.outputs);
    for (size_t begin = 0; begin < vectors; begin += piece)
        sums.take(piece_of_row(p, row, begin, vectors - begin < piece ? vectors : begin + piece));
    return sums.value();
}

/* ---- rows across memory ---- */

template <class Problem>
typename Problem::sum_type piece_of_column(const Problem &p, size_t output, size_t begin,
                                           size_t rows, size_t height)
{
    using T = typename Problem::sum_type;
    T partials[THREADS_OF_BLOCK] = {0};
    for (size_t i = begin; i < p.inner && i - begin < rows; i++) {
        T &partial = partials[(i - begin) % height];
        partial = add(partial, multiply(p.value_of(p.a.at(output, i)), p.value_of(p.x[i])));
    }
    return halves_first(partials, height);
}

template <class Problem>
typename Problem::sum_type column_by_pieces(const Problem &p, size_t output, size_t rows)
{
    using T = typename Problem::sum_type;
    const prim_gemv_block b = prim_gemv_block_of(
        rows, prim_divide_up(p.outputs, VECTOR_ELEMENTS<typename Problem::element>));
    const size_t height = size_t(1) << b.height_bits, piece = height * b.depth;
    if (b.pieces == 1)
        return piece_of_column(p, output, 0, rows, height);
    sum_of_pieces<T> sums(b.pieces, p.outputs);
    for (size_t begin = 0; begin < rows; begin += piece)
        sums.take(piece_of_column(p, output, begin, piece, height));
    return sums.value();
}

template <class Problem>
typename Problem::sum_type sum_of_output(const prim_gemv_args *args, const Problem &p,
                                         size_t output)
{
    const bool transposed = args->op == PRIM_TRANSPOSED;
    if (prim_gemv_choose_rung(args) == PRIM_GEMV_WARP_PER_ROW)
        return row_by_warp(p, output, args->columns);
    const size_t inner = transposed ? args->rows : args->columns;
    return transposed == (args->columns != 1) ? column_by_pieces(p, output, inner)
                                              : row_by_pieces(p, output, inner);
}

struct gemv_on_host {
    template <typename In, typename Out>
    static prim_status run(const prim_gemv_args *args, int threads)
    {
        const problem<In, Out> batch = make_problem<In, Out>(args);
        (void)threads; /* without OpenMP */
        for (size_t i = 0; i < args->batches; i++) {
            const problem<In, Out> p = batch.at(i);
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
            for (size_t o = 0; o < p.outputs; o++)
                p.store(o, sum_of_output(args, p, o));
        }
        return PRIM_OK;
    }
    static prim_status not_built(const prim_gemv_args *args, int)
    {
        return prim_fail(PRIM_ERROR_UNSUPPORTED,
                         "%s: this build of the library has no code for these types",
                         args->call.name);
    }
};

} // namespace host
} // namespace

prim_status prim_gemv_on_host(const prim_gemv_args *args, int threads)
{
    const prim_status status = check_threads(&args->call, threads);
    return status == PRIM_OK ? dispatch_pairs<host::gemv_on_host>(args, threads) : status;
}
