/* SMALL_PRODUCTS: batches of products too small for a tile: a thread for each element of C, those
 * of several products side by side in a block.
 *
 *     product    0             1             2              C of 2 × 3
 *     C          c c c c c c   c c c c c c   c c c …
 *     thread     0 1 2 3 4 5   6 7 8 9 …                    all lanes are busy
 *
 * What changed from WARP_TILED: its smallest tile is 32 × 64, and a product of 4 × 4 × 4 leaves 99
 * of 100 multiply-adds to zeros; here there is one for each that is needed. Matrices that lie one
 * after the other are read and written coalesced, whatever their sides.
 *
 * What holds it back: two loads for each product, which the L1 cache serves, as in NAIVE. From some
 * 24 × 24 on, tiles are faster: plan.c.
 *
 * Work: m · n · k products. Steps: k. Bytes that pass L1: 8 m · n · k for f32. */
#include "common/host/device.h"
#include "common/kernel/unroll.cuh"
#include "gemm/problem.cuh"
#include "gemm/tile/plan.h"

namespace
{
namespace small_products
{

constexpr unsigned BLOCK = 256, MOST_OUTPUTS = 4 * BLOCK; /* of a block, where there are many */
constexpr size_t ENOUGH_BLOCKS = 4;                       /* on a multiprocessor */

/* A block has several products, or a piece of one. */
struct share {
    unsigned outputs, products, pieces;
    unsigned most; /* outputs of a piece */
};

template <typename In, typename Out>
__device__ sum_of<Out> sum_of_element(const problem<In, Out> &p, size_t row, size_t column)
{
    using Sum = sum_of<Out>;
    if (p.k == 0) /* and A and B may be NULL */
        return 0;
    const In *a = p.a.data + row * p.a.row_stride, *b = p.b.data + column * p.b.column_stride;
    Sum sum = 0;
    PRIM_UNROLL(4)
    for (size_t k = 0; k < p.k; k++, a += p.a.column_stride, b += p.b.row_stride)
        sum = add_product(sum, static_cast<Sum>(converted<Sum>(*a)),
                          static_cast<Sum>(converted<Sum>(*b)));
    return sum;
}

template <typename In, typename Out>
__global__ void __launch_bounds__(BLOCK)
    multiply(const __grid_constant__ problem<In, Out> all, const __grid_constant__ share s)
{
    const unsigned columns = static_cast<unsigned>(all.n);
    const size_t first = static_cast<size_t>(blockIdx.x / s.pieces) * s.products;
    const size_t left = all.batch.count - first;
    const unsigned products = left < s.products ? static_cast<unsigned>(left) : s.products;
    const unsigned begin = blockIdx.x % s.pieces * s.most, behind = products * s.outputs;
    const unsigned end = behind - begin < s.most ? behind : begin + s.most;
    for (unsigned i = begin + threadIdx.x; i < end; i += BLOCK) {
        const unsigned product = i / s.outputs, element = i - product * s.outputs;
        const unsigned row = element / columns, column = element - row * columns;
        const problem<In, Out> p = all.at(first + product);
        p.store(row, column, sum_of_element(p, row, column));
    }
}

/* With outputs of 0 there is no launch. While there are few outputs in all, a thread has one: each
 * further one would wait for memory again. */
share share_of(const prim_gemm_args *args)
{
    const size_t outputs = args->m * args->n,
                 blocks = ENOUGH_BLOCKS * prim_device_multiprocessors();
    const bool are_few = args->batches * outputs <= BLOCK * blocks;
    const unsigned most_outputs = are_few ? BLOCK : MOST_OUTPUTS;
    const size_t most = most_outputs / outputs, apart = prim_divide_up(args->batches, blocks);
    const size_t products = most < apart ? most : apart;
    return {static_cast<unsigned>(outputs), static_cast<unsigned>(products > 1 ? products : 1),
            static_cast<unsigned>(prim_divide_up(outputs, most_outputs)), most_outputs};
}

const char *why_not(const void *any)
{
    const prim_gemm_args *args = static_cast<const prim_gemm_args *>(any);
    const size_t limit = 0x7fffffff;
    if (!dispatch_all<is_built>(args))
        return PRIM_TYPES_NOT_BUILT;
    if (args->m == 0 || args->n == 0)
        return args->batches <= limit ? nullptr : PRIM_GRID_TOO_SMALL;
    const bool fits =
        args->m <= limit / args->n && args->batches <= limit &&
        prim_fits_a_grid(prim_divide_up(args->m * args->n, MOST_OUTPUTS), args->batches);
    return fits ? nullptr : PRIM_GRID_TOO_SMALL;
}

struct run_elements : launch_run {
    template <typename In, typename Out>
    static cudaError_t run(const prim_gemm_args *args)
    {
        const share s = share_of(args);
        const size_t blocks = prim_divide_up(args->batches, s.products) * s.pieces;
        return prim_launch({args->call.stream, static_cast<unsigned>(blocks), BLOCK},
                           multiply<In, Out>, make_problem<In, Out>(args), s);
    }
};

cudaError_t launch(const void *any)
{
    const prim_gemm_args *args = static_cast<const prim_gemm_args *>(any);
    return args->m == 0 || args->n == 0 || args->batches == 0 ? cudaSuccess
                                                              : dispatch_all<run_elements>(args);
}

} // namespace small_products
} // namespace

PRIM_DEFINE_RUNG(gemm,
                 small_products) = {{PRIM_GEMM_SMALL_PRODUCTS, "small_products",
                                     "a thread for each element of C, several products in a block"},
                                    small_products::why_not,
                                    nullptr,
                                    small_products::launch};
