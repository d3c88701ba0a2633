/* The CPU's way to a product, for dense and binary ones. */
#ifndef PRIM_GEMM_HOST_CUH
#define PRIM_GEMM_HOST_CUH

#include "common/threads.cuh"
#include "gemm/operands.cuh"

namespace
{

constexpr size_t HOST_COLUMNS = 64; /* sums that a CPU keeps at hand */

/* Some columns of a row of C: along B's rows, so that memory is read as it lies. */
template <typename Product>
void multiply_columns(const problem<Product> &p, size_t i, size_t first, size_t count)
{
    typename Product::sum sums[HOST_COLUMNS] = {0};
    for (size_t k = 0; k < p.k; k++) {
        const typename Product::element a = p.a.at(i, k);
        for (size_t j = 0; j < count; j++)
            sums[j] = p.product.add_product(sums[j], a, p.b.at(k, first + j));
    }
    for (size_t j = 0; j < count; j++)
        p.product.store(&p.c[i * p.ldc + first + j], sums[j]);
}

/* Whole rows for each thread. */
template <typename Product>
void multiply_on_host(const problem<Product> &p, int threads)
{
    (void)threads; /* without OpenMP */
    if (p.n == 0)
        return;
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
    for (size_t i = 0; i < p.m; i++)
        for (size_t first = 0; first < p.n; first += HOST_COLUMNS)
            multiply_columns(p, i, first, p.n - first < HOST_COLUMNS ? p.n - first : HOST_COLUMNS);
}

} // namespace

#endif
