/* Unpacking on the device. A thread has several neighbours of a row, whose signs it stores at once.
 * Where words lie along the row, all of these signs come from one word. The words of a row may as
 * well lie below each other: that is the transposed matrix. Where words go down the columns, a
 * thread has four of them side by side, and stores four columns of eight rows.
 *
 * Where rows do not begin at an address that allows such a store, elements are stored one by one.
 * Those of a thread lie as far apart as there are threads side by side, so that neighbouring
 * threads store neighbours.
 *
 * Bytes: every element once, and a 32nd of their number in words; down the columns four times that,
 * of which the caches keep three. */
#include "binary_gemm/pack.cuh"
#include "common/block/vectors.cuh"
#include "common/host/sizes.h"
#include "common/kernel/launch.cuh"
#include "common/kernel/unroll.cuh"

namespace
{
namespace unpack
{

constexpr unsigned WORD_BITS = PRIM_BINARY_WORD_BITS;
constexpr unsigned THREADS = 256, MOST_ACROSS = 32;
constexpr unsigned DOWN = 8;               /* rows of a thread, where words go down */
constexpr unsigned WORDS_SIDE_BY_SIDE = 4; /* and its columns */

template <typename T>
struct unpack_problem {
    T *out;
    size_t rows, columns, ld;
    const uint32_t *packed;
    size_t line_step,
        word_step;         /* from a word to that of the next row, and to the row's next one */
    unsigned blocks_a_row; /* side by side */
    bool stores_together;
};

/* What this thread has: COUNT columns of a row, or of some rows, of which this is number `line`. */
template <typename T, unsigned COUNT>
struct place {
    size_t line, first;
    unsigned step;

    __device__ explicit place(const unpack_problem<T> &p)
        : line(static_cast<size_t>(blockIdx.x / p.blocks_a_row) * blockDim.y + threadIdx.y),
          first(static_cast<size_t>(blockIdx.x % p.blocks_a_row) * blockDim.x * COUNT +
                (p.stores_together ? threadIdx.x * COUNT : threadIdx.x)),
          step(p.stores_together ? 1 : blockDim.x)
    {
    }

    __device__ size_t column(unsigned i) const
    {
        return first + static_cast<size_t>(i) * step;
    }
};

/* The signs of bits 0, 1, … to the thread's columns of a row. */
template <typename T, unsigned COUNT>
__device__ void store_signs(const unpack_problem<T> &p, const place<T, COUNT> &at, size_t row,
                            uint32_t bits)
{
    T *const to = &p.out[row * p.ld];
    if (p.stores_together && at.column(COUNT - 1) < p.columns) {
        packed<T, COUNT> signs = {};
        PRIM_UNROLL(16)
        for (unsigned i = 0; i < COUNT; i++)
            set_element(signs, i, sign_of<T>(bits >> i));
        *reinterpret_cast<packed<T, COUNT> *>(&to[at.first]) = signs;
    } else {
        PRIM_UNROLL(16)
        for (unsigned i = 0; i < COUNT; i++)
            if (at.column(i) < p.columns)
                to[at.column(i)] = sign_of<T>(bits >> i);
    }
}

/* Words along the row. */
template <typename T>
__global__ void __launch_bounds__(THREADS) unpack_along(unpack_problem<T> p)
{
    constexpr unsigned COUNT = VECTOR_ELEMENTS<T>;
    const place<T, COUNT> at(p);
    if (at.line >= p.rows || at.first >= p.columns)
        return;
    const uint32_t *const line = &p.packed[at.line * p.line_step];
    uint32_t bits = 0;
    if (p.stores_together) {
        bits = line[at.first / WORD_BITS * p.word_step] >> at.first % WORD_BITS;
    } else {
        PRIM_UNROLL(16)
        for (unsigned i = 0; i < COUNT; i++) {
            const size_t column = at.column(i);
            if (column < p.columns)
                bits |= (line[column / WORD_BITS * p.word_step] >> column % WORD_BITS & 1) << i;
        }
    }
    store_signs(p, at, at.line, bits);
}

/* Words down the columns. */
template <typename T>
__global__ void __launch_bounds__(THREADS) unpack_down(unpack_problem<T> p)
{
    constexpr unsigned COUNT = WORDS_SIDE_BY_SIDE;
    const place<T, COUNT> at(p);
    const size_t first_row = at.line * DOWN;
    if (first_row >= p.rows)
        return;
    const uint32_t *const line = &p.packed[first_row / WORD_BITS * p.line_step];
    uint32_t words[COUNT];
    PRIM_UNROLL(4)
    for (unsigned i = 0; i < COUNT; i++)
        words[i] = at.column(i) < p.columns ? line[at.column(i)] >> first_row % WORD_BITS : 0;
    PRIM_UNROLL(8)
    for (unsigned r = 0; r < DOWN; r++) {
        uint32_t bits = 0;
        PRIM_UNROLL(4)
        for (unsigned i = 0; i < COUNT; i++)
            bits |= (words[i] >> r & 1) << i;
        if (first_row + r < p.rows)
            store_signs(p, at, first_row + r, bits);
    }
}

/* Blocks lie along one dimension of the grid, that many for each row of blocks. */
struct shape {
    dim3 block;
    size_t blocks_a_row, rows_of_blocks;
};

/* A thread for each `count` columns of each of that many lines. Where rows are short, a block has
 * more of them. */
shape shape_of(size_t lines, size_t columns, unsigned count)
{
    const size_t threads = prim_divide_up(columns, count);
    const unsigned across = threads == 0            ? 1
                            : threads < MOST_ACROSS ? static_cast<unsigned>(threads)
                                                    : MOST_ACROSS;
    const dim3 block(across, THREADS / across);
    return {block, prim_divide_up(threads, across), prim_divide_up(lines, block.y)};
}

/* How each way is cut. */
struct along {
    template <typename T>
    static constexpr unsigned COUNT = VECTOR_ELEMENTS<T>;
    static constexpr unsigned LINE_ROWS = 1;
};

struct down {
    template <typename T>
    static constexpr unsigned COUNT = WORDS_SIDE_BY_SIDE;
    static constexpr unsigned LINE_ROWS = DOWN;
};

template <class Way, typename T>
shape shape_of(const prim_binary_pack_args *args)
{
    return shape_of(prim_divide_up(args->rows, Way::LINE_ROWS), args->columns,
                    Way::template COUNT<T>);
}

template <class Way>
struct fits : is_built {
    template <typename T>
    static bool run(const prim_binary_pack_args *args)
    {
        const shape s = shape_of<Way, T>(args);
        return prim_fits_a_grid(s.rows_of_blocks, s.blocks_a_row);
    }
};

template <class Way>
const char *why_not(const void *any)
{
    const prim_binary_pack_args *args = static_cast<const prim_binary_pack_args *>(any);
    if (!dispatch_packed<is_built>(args))
        return PRIM_TYPES_NOT_BUILT;
    return dispatch_packed<fits<Way>>(args) ? nullptr : PRIM_GRID_TOO_SMALL;
}

template <class Way, typename T>
cudaError_t launch_way(const prim_binary_pack_args *args, void (*kernel)(unpack_problem<T>),
                       size_t line_step, size_t word_step)
{
    const shape s = shape_of<Way, T>(args);
    T *const out = static_cast<T *>(args->elements);
    const unpack_problem<T> p = {out,
                                 args->rows,
                                 args->columns,
                                 args->ld,
                                 args->packed,
                                 line_step,
                                 word_step,
                                 static_cast<unsigned>(s.blocks_a_row),
                                 lines_are_aligned(out, args->rows, args->ld * sizeof(T),
                                                   sizeof(T) * Way::template COUNT<T>)};
    const size_t blocks = s.blocks_a_row * s.rows_of_blocks;
    if (blocks == 0)
        return cudaSuccess;
    return prim_launch({args->call.stream, static_cast<unsigned>(blocks), s.block}, kernel, p);
}

struct run_rows : launch_run {
    template <typename T>
    static cudaError_t run(const prim_binary_pack_args *args)
    {
        return launch_way<along, T>(args, unpack_along<T>, args->packed_ld, 1);
    }
};

struct run_columns : launch_run {
    template <typename T>
    static cudaError_t run(const prim_binary_pack_args *args)
    {
        return launch_way<down, T>(args, unpack_down<T>, args->packed_ld, 1);
    }
};

struct run_transposed : launch_run {
    template <typename T>
    static cudaError_t run(const prim_binary_pack_args *args)
    {
        return launch_way<along, T>(args, unpack_along<T>, 1, args->packed_ld);
    }
};

template <class Run>
cudaError_t launch(const void *args)
{
    return dispatch_packed<Run>(static_cast<const prim_binary_pack_args *>(args));
}

} // namespace unpack
} // namespace

PRIM_DEFINE_RUNG(binary_gemm, unpack_rows) = {
    {PRIM_BINARY_PACK_ONLY_RUNG, "unpack_rows", "16 bytes of signs from a part of a word"},
    unpack::why_not<unpack::along>,
    nullptr,
    unpack::launch<unpack::run_rows>};

PRIM_DEFINE_RUNG(binary_gemm, unpack_columns) = {
    {PRIM_BINARY_PACK_ONLY_RUNG, "unpack_columns", "four columns of signs from four words"},
    unpack::why_not<unpack::down>,
    nullptr,
    unpack::launch<unpack::run_columns>};

PRIM_DEFINE_RUNG(binary_gemm, unpack_transposed) = {
    {PRIM_BINARY_PACK_ONLY_RUNG, "unpack_transposed", "the same from words below each other"},
    unpack::why_not<unpack::along>,
    nullptr,
    unpack::launch<unpack::run_transposed>};
