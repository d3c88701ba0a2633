/* A tile of CSR's entries, and sums of rows that lie in it.
 *
 *     entries   ■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■     copied as they lie, 16 bytes at a time
 *     rows      0   1 2     3        4             then each row in as many parts as it is long:
 *     parts     ↓↓↓↓↓↓…                            1 up to 8 entries, 4 up to 64, 32 beyond
 *
 * Copies need no registers, and neighbouring lanes read neighbouring rows at the same place: where
 * these have neighbouring columns, as in a stencil, a warp's reads of x lie side by side, and 27
 * entries of 32 rows are some 40 lines of x, where the entries in their own order ask for 300.
 *
 * How many parts a row has, and so the order of its sum, follows from its length alone. How many
 * lanes share the parts does not show: a lane may have several, each with a sum of its own. */
#ifndef PRIM_SPARSE_TILE_CUH
#define PRIM_SPARSE_TILE_CUH

#include "common/async_copy.cuh"
#include "common/shared.cuh"
#include "common/vectors.cuh"
#include "common/warp.cuh"
#include "sparse/problem.cuh"

namespace
{

#ifndef CSR_THREADS
#define CSR_THREADS 256
#endif

constexpr unsigned SHORT_ROW = 8, MIDDLE_ROW = 64; /* the longest rows of 1 part and of 4 */
constexpr unsigned MIDDLE_PARTS = 4;
constexpr unsigned TILE_THREADS = CSR_THREADS; /* a block's, for a tile of its own */

/* ---- staging ---- */

/* Bytes for `count` elements, wherever between multiples of 16 bytes they begin. */
template <typename T>
__host__ __device__ constexpr unsigned staged_bytes(unsigned count)
{
    return (count * static_cast<unsigned>(sizeof(T)) + 2 * VECTOR_BYTES - 1) / VECTOR_BYTES *
           VECTOR_BYTES;
}

/* CSR_HINT: bytes that L2 fetches at once. */
template <typename T>
__device__ void copy_hinted(T *shared, const T *global)
{
#if defined(CSR_HINT) && defined(__CUDA_ARCH__)
    const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(shared));
    if constexpr (CSR_HINT == 128)
        asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" ::"r"(to), "l"(global)
                     : "memory");
    else
        asm volatile("cp.async.cg.shared.global.L2::256B [%0], [%1], 16;" ::"r"(to), "l"(global)
                     : "memory");
#else
    copy_async(shared, global);
#endif
}

/* Begins copies by all threads; wait_for_copies() and a barrier end them. Returns where element 0
 * goes: as far past a multiple of 16 bytes as in global memory. No element beside the `count` ones
 * is read. */
template <typename T>
__device__ T *stage(unsigned char *shared, const T *global, unsigned count)
{
    constexpr unsigned UNIT = VECTOR_ELEMENTS<T>;
    const unsigned past = bytes_past_vector(global) / sizeof(T), end = past + count;
    T *const to = reinterpret_cast<T *>(shared);
    for (unsigned i = threadIdx.x * UNIT; i < end; i += TILE_THREADS * UNIT) {
        if (i >= past && i + UNIT <= end) {
            copy_hinted(reinterpret_cast<vector<T> *>(to + i),
                        reinterpret_cast<const vector<T> *>(global + (i - past)));
        } else {
            for (unsigned e = i < past ? past : i; e < i + UNIT && e < end; e++)
                copy_async(to + e, global + (e - past));
        }
    }
    return to + past;
}

/* ---- x ---- */

/* Where an entry's x is: by its column, */
template <typename X>
struct x_by_column {
    const X *x;

    __device__ working_t<X> of(int32_t column) const
    {
        return number(x[column]);
    }
};

/* or, once gather() has been there, in the column's place. */
template <typename T>
struct x_in_place {
    __device__ T of(int32_t bits) const
    {
        return same_bits<T>(bits);
    }
};

/* Puts x in place of the columns: neighbouring threads have neighbouring entries, whatever the
 * rows, and EACH of a thread's are under way at once. Every thread takes what is its own only. */
template <unsigned EACH, typename X>
__device__ void gather(int32_t *columns, unsigned count, const X *x)
{
    using T = working_t<X>;
    for (unsigned first = threadIdx.x; first < count; first += EACH * TILE_THREADS) {
        T found[EACH] = {};
        PRIM_UNROLL(EACH)
        for (unsigned e = 0; e < EACH; e++)
            if (first + e * TILE_THREADS < count)
                found[e] = number(x[columns[first + e * TILE_THREADS]]);
        PRIM_UNROLL(EACH)
        for (unsigned e = 0; e < EACH; e++)
            if (first + e * TILE_THREADS < count)
                columns[first + e * TILE_THREADS] = same_bits<int32_t>(found[e]);
    }
}

/* Columns of a tile, 4 at a time; -1 where there is none. */
template <unsigned EACH>
struct columns_in_registers {
    vector<int32_t> four[EACH];
};

template <unsigned EACH>
__device__ columns_in_registers<EACH> load_columns(const int32_t *columns, unsigned count,
                                                   unsigned first)
{
    const unsigned past = bytes_past_vector(columns) / sizeof(int32_t), end = past + count;
    columns_in_registers<EACH> c;
    PRIM_UNROLL(EACH)
    for (unsigned e = 0; e < EACH; e++) {
        const unsigned i = (first + threadIdx.x + e * TILE_THREADS) * 4;
        if (i >= past && i + 4 <= end) {
            c.four[e] = load_vector(columns + i - past);
        } else {
            PRIM_UNROLL(4)
            for (unsigned k = 0; k < 4; k++)
                c.four[e].words[k] = i + k >= past && i + k < end ? columns[i + k - past] : -1;
        }
    }
    return c;
}

/* x of these, and of all further ones; returns where that of entry 0 is, as bits. */
template <unsigned EACH, typename X>
__device__ int32_t *put_x(unsigned char *shared, columns_in_registers<EACH> c,
                          const int32_t *columns, unsigned count, const X *x)
{
    using T = working_t<X>;
    const unsigned past = bytes_past_vector(columns) / sizeof(int32_t), end = past + count;
    for (unsigned first = 0;;) {
        vector<int32_t> found[EACH];
        PRIM_UNROLL(EACH)
        for (unsigned e = 0; e < EACH; e++)
            PRIM_UNROLL(4)
        for (unsigned k = 0; k < 4; k++) {
            T of_x = 0;
            if (c.four[e].words[k] >= 0)
                of_x = number(x[c.four[e].words[k]]);
            found[e].words[k] = same_bits<int32_t>(of_x);
        }
        PRIM_UNROLL(EACH)
        for (unsigned e = 0; e < EACH; e++) {
            const unsigned i = first + threadIdx.x + e * TILE_THREADS;
            if (i * 4 < end)
                reinterpret_cast<vector<int32_t> *>(shared)[i] = found[e];
        }
        first += EACH * TILE_THREADS;
        if (first * 4 >= end)
            return reinterpret_cast<int32_t *>(shared) + past;
        c = load_columns<EACH>(columns, count, first);
    }
}

/* ---- rows ---- */

#ifndef CSR_EARLY
#define CSR_EARLY 0
#endif

/* N of a lane's terms, from entry `at` on: x, and the values if they come from far as well. */
template <unsigned LANES = 1, unsigned N, typename V, class Find, typename T>
__device__ void load_terms(const int32_t *columns, const V *values, const Find &x, unsigned length,
                           unsigned at, T (&of_x)[N], T (&value)[N])
{
    PRIM_UNROLL(N)
    for (unsigned b = 0; CSR_EARLY && b < N; b++)
        if (b * LANES < length - at)
            value[b] = number(values[at + b * LANES]);
    PRIM_UNROLL(N)
    for (unsigned b = 0; b < N; b++)
        if (b * LANES < length - at)
            of_x[b] = x.of(columns[at + b * LANES]);
}

template <unsigned LANES = 1, unsigned EACH, unsigned N, typename V, typename T>
__device__ void add_terms(const V *values, unsigned length, unsigned at, const T (&of_x)[N],
                          const T (&value)[N], T (&sum)[EACH])
{
    PRIM_UNROLL(N)
    for (unsigned b = 0; b < N; b++)
        if (b * LANES < length - at)
            sum[b % EACH] = add_product(
                sum[b % EACH], CSR_EARLY ? value[b] : number(values[at + b * LANES]), of_x[b]);
}

/* What LANES lanes add up of a row in PARTS parts: part p has entries p, p + PARTS, …, in this
 * order, and lane l has parts l, l + LANES, …. STEPS of a lane's entries are under way at once. The
 * lane's parts are then added up as lanes of their own would do it: halves first. */
template <unsigned PARTS, unsigned LANES, unsigned STEPS, typename V, class Find>
__device__ working_t<V> sum_of_lane(const int32_t *columns, const V *values, const Find &x,
                                    unsigned length, unsigned lane)
{
    using T = working_t<V>;
    constexpr unsigned EACH = PARTS / LANES;
    static_assert(STEPS % EACH == 0, "whole rounds of the lane's parts");
    T sum[EACH] = {};
    for (unsigned s = lane; s < length; s += STEPS * LANES) {
        T of_x[STEPS] = {}, value[STEPS] = {};
        load_terms<LANES>(columns, values, x, length, s, of_x, value);
        add_terms<LANES>(values, length, s, of_x, value, sum);
    }
    PRIM_UNROLL(5)
    for (unsigned half = EACH / 2; half > 0; half /= 2)
        PRIM_UNROLL(EACH)
    for (unsigned p = 0; p < half; p++)
        sum[p] = add(sum[p], sum[p + half]);
    return sum[0];
}

/* Where the lowest bit is set. */
__device__ inline unsigned lowest_bit(unsigned word)
{
#ifdef SIMT_BACKEND
    return static_cast<unsigned>(__builtin_ctz(word));
#else
    return static_cast<unsigned>(__ffs(static_cast<int>(word))) - 1;
#endif
}

/* Of a word that is not 0, the highest one. */
__device__ inline unsigned highest_bit(unsigned word)
{
#ifdef __CUDA_ARCH__
    return 31 - static_cast<unsigned>(__clz(static_cast<int>(word)));
#else
    return 31 - static_cast<unsigned>(__builtin_clz(word));
#endif
}

__device__ inline unsigned leading_zeros(unsigned word)
{
    return 31 - highest_bit(word);
}

} // namespace

#endif
