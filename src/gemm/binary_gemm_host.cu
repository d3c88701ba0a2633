/* Binary gemm and packing on the CPU. */
#include "gemm/binary_product.cuh"
#include "gemm/host.cuh"
#include "gemm/pack.cuh"

namespace
{

template <typename Out>
struct host_product : binary_product<Out> {
    static uint32_t add_product(uint32_t sum, uint32_t a, uint32_t b)
    {
        return sum + static_cast<uint32_t>(__builtin_popcount(a ^ b));
    }
};

struct binary_on_host {
    template <typename Args>
    static prim_status not_built(const Args *args, int)
    {
        return prim_fail(PRIM_ERROR_UNSUPPORTED, "%s: this library was built without this type",
                         args->call.name);
    }
};

struct product_on_host : binary_on_host {
    template <typename Product>
    static prim_status run(const problem<Product> &p, int threads)
    {
        multiply_on_host(p, threads);
        return PRIM_OK;
    }
};

struct rows_on_host : binary_on_host {
    template <typename T>
    static prim_status run(const prim_binary_pack_args *args, int threads)
    {
        (void)threads; /* without OpenMP */
        const T *in = static_cast<const T *>(args->in);
        if (args->packed_columns == 0)
            return PRIM_OK;
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
        for (size_t row = 0; row < args->packed_rows; row++)
            for (size_t word = 0; word < args->packed_columns; word++)
                args->packed[row * args->packed_ld + word] = pack_word(
                    &in[row * args->ld + word * WORD_BITS], 1, args->columns - word * WORD_BITS);
        return PRIM_OK;
    }
};

struct columns_on_host : binary_on_host {
    template <typename T>
    static prim_status run(const prim_binary_pack_args *args, int threads)
    {
        (void)threads; /* without OpenMP */
        const T *in = static_cast<const T *>(args->in);
        if (args->packed_columns == 0)
            return PRIM_OK;
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
        for (size_t word = 0; word < args->packed_rows; word++)
            for (size_t column = 0; column < args->packed_columns; column++)
                args->packed[word * args->packed_ld + column] =
                    pack_word(&in[word * WORD_BITS * args->ld + column], args->ld,
                              args->rows - word * WORD_BITS);
        return PRIM_OK;
    }
};

} // namespace

prim_status prim_binary_gemm_on_host(const prim_binary_gemm_args *args, int threads)
{
    const prim_status status = check_threads(&args->call, threads);
    return status == PRIM_OK ? for_binary<product_on_host, host_product>(args, threads) : status;
}

prim_status prim_binary_pack_rows_on_host(const prim_binary_pack_args *args, int threads)
{
    const prim_status status = check_threads(&args->call, threads);
    return status == PRIM_OK ? for_packed<rows_on_host>(args, threads) : status;
}

prim_status prim_binary_pack_columns_on_host(const prim_binary_pack_args *args, int threads)
{
    const prim_status status = check_threads(&args->call, threads);
    return status == PRIM_OK ? for_packed<columns_on_host>(args, threads) : status;
}
