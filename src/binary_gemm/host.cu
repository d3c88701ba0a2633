/* Binary gemm, packing and unpacking on the CPU. */
#include "binary_gemm/counts.cuh"
#include "binary_gemm/pack.cuh"
#include "common/host/threads.cuh"

namespace
{
namespace host
{

constexpr size_t SUMS = 64; /* that stay in a CPU's registers and L1; two words of a layer */

void store_columns(const counts &p, size_t i, size_t first, size_t count, const uint32_t *sums)
{
    if (p.to != TO_BITS) {
        for (size_t j = 0; j < count; j++)
            p.store(i, first + j, p.value_of(sums[j]));
        return;
    }
    for (size_t begin = 0; begin < count; begin += WORD_BITS) {
        uint32_t bits = 0;
        for (size_t j = begin; j < count && j < begin + WORD_BITS; j++)
            bits |= static_cast<uint32_t>(p.value_of(sums[j]) >= p.thresholds[first + j])
                    << j % WORD_BITS;
        p.store_word(i, (first + begin) / WORD_BITS, bits);
    }
}

/* Some columns of a row of C: along B's rows, so that memory is read in order. */
void count_columns(const counts &p, size_t i, size_t first, size_t count)
{
    uint32_t sums[SUMS] = {0};
    for (size_t w = 0; w < p.words; w++) {
        const uint32_t a = p.a[i * p.lda + w], *const b = &p.b[w * p.ldb + first];
        if (p.op == PRIM_BINARY_AND)
            for (size_t j = 0; j < count; j++)
                sums[j] += ones_of(a & b[j]);
        else
            for (size_t j = 0; j < count; j++)
                sums[j] += ones_of(a ^ b[j]);
    }
    store_columns(p, i, first, count, sums);
}

prim_status count_rows(const counts &p, int threads)
{
    (void)threads; /* without OpenMP */
    if (p.n == 0)
        return PRIM_OK;
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
    for (size_t i = 0; i < p.m; i++)
        for (size_t first = 0; first < p.n; first += SUMS)
            count_columns(p, i, first, p.n - first < SUMS ? p.n - first : SUMS);
    return PRIM_OK;
}

struct binary_on_host {
    template <typename Args>
    static prim_status not_built(const Args *args, int)
    {
        return prim_fail(PRIM_ERROR_UNSUPPORTED,
                         "%s: this build of the library has no code for this type",
                         args->call.name);
    }
};

/* All words of the packed matrix, by Way::word(args, in, row, column). */
template <class Way>
struct words_on_host : binary_on_host {
    template <typename T>
    static prim_status run(const prim_binary_pack_args *args, int threads)
    {
        (void)threads; /* without OpenMP */
        const T *in = static_cast<const T *>(args->elements);
        if (args->packed_columns == 0)
            return PRIM_OK;
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
        for (size_t row = 0; row < args->packed_rows; row++)
            for (size_t column = 0; column < args->packed_columns; column++)
                args->packed[row * args->packed_ld + column] = Way::word(args, in, row, column);
        return PRIM_OK;
    }
};

/* All elements, by Way::bits(args, row, column), whose lowest bit is the element's. */
template <class Way>
struct elements_on_host : binary_on_host {
    template <typename T>
    static prim_status run(const prim_binary_pack_args *args, int threads)
    {
        (void)threads; /* without OpenMP */
        T *out = static_cast<T *>(args->elements);
        if (args->columns == 0)
            return PRIM_OK;
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
        for (size_t row = 0; row < args->rows; row++)
            for (size_t column = 0; column < args->columns; column++)
                out[row * args->ld + column] = sign_of<T>(Way::bits(args, row, column));
        return PRIM_OK;
    }
};

struct along_rows {
    template <typename T>
    static uint32_t word(const prim_binary_pack_args *args, const T *in, size_t row, size_t column)
    {
        const size_t first = column * WORD_BITS;
        return pack_word(&in[row * args->ld + first], 1, args->columns - first);
    }

    static uint32_t bits(const prim_binary_pack_args *args, size_t row, size_t column)
    {
        return args->packed[row * args->packed_ld + column / WORD_BITS] >> column % WORD_BITS;
    }
};

struct along_columns {
    template <typename T>
    static uint32_t word(const prim_binary_pack_args *args, const T *in, size_t row, size_t column)
    {
        const size_t first = row * WORD_BITS;
        return pack_word(&in[first * args->ld + column], args->ld, args->rows - first);
    }

    static uint32_t bits(const prim_binary_pack_args *args, size_t row, size_t column)
    {
        return args->packed[row / WORD_BITS * args->packed_ld + column] >> row % WORD_BITS;
    }
};

/* A word of rows, which lies where one of columns would. */
struct transposed {
    template <typename T>
    static uint32_t word(const prim_binary_pack_args *args, const T *in, size_t row, size_t column)
    {
        return along_rows::word(args, in, column, row);
    }

    static uint32_t bits(const prim_binary_pack_args *args, size_t row, size_t column)
    {
        return along_columns::bits(args, column, row);
    }
};

} // namespace host
} // namespace

prim_status prim_binary_gemm_on_host(const prim_binary_gemm_args *args, int threads)
{
    const prim_status status = check_threads(&args->call, threads);
    if (status != PRIM_OK)
        return status;
    return has_output(args) ? host::count_rows(make_counts(args), threads)
                            : host::binary_on_host::not_built(args, threads);
}

/* Packs or unpacks. */
template <class Run>
static prim_status convert(const prim_binary_pack_args *args, int threads)
{
    const prim_status status = check_threads(&args->call, threads);
    return status == PRIM_OK ? dispatch_packed<Run>(args, threads) : status;
}

prim_status prim_binary_pack_rows_on_host(const prim_binary_pack_args *args, int threads)
{
    return convert<host::words_on_host<host::along_rows>>(args, threads);
}

prim_status prim_binary_pack_columns_on_host(const prim_binary_pack_args *args, int threads)
{
    return convert<host::words_on_host<host::along_columns>>(args, threads);
}

prim_status prim_binary_pack_transposed_on_host(const prim_binary_pack_args *args, int threads)
{
    return convert<host::words_on_host<host::transposed>>(args, threads);
}

prim_status prim_binary_unpack_rows_on_host(const prim_binary_pack_args *args, int threads)
{
    return convert<host::elements_on_host<host::along_rows>>(args, threads);
}

prim_status prim_binary_unpack_columns_on_host(const prim_binary_pack_args *args, int threads)
{
    return convert<host::elements_on_host<host::along_columns>>(args, threads);
}

prim_status prim_binary_unpack_transposed_on_host(const prim_binary_pack_args *args, int threads)
{
    return convert<host::elements_on_host<host::transposed>>(args, threads);
}
