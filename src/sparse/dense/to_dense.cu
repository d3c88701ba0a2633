/* CSR to dense matrices, a thread for each entry.
 *
 *     clear     0 0 0 0 0 0      all elements
 *               0 0 0 0 0 0
 *     mark      · · · · · ·      rows whose columns do not ascend strictly: two of their entries
 *               1 · · · · ·      may have one place, and are to be added up in order
 *     place     · · b · c ·      the entries of the other rows, in any order; but column 0, where
 *               1 · · · · ·      the marks are
 *     finish    a · b · c ·      column 0; and a warp for each marked row adds its entries, 32 at a
 *               d · f · e ·      time where they ascend, and else one after the other
 *
 * The marks are in the matrix itself, so no workspace is needed. Rows of 32 to 512 columns are
 * cleared and filled by a warp each, in one launch. What holds it back: a marked row is the work of
 * one warp, however long it is.
 *
 * Work: elements and entries. Steps: as few as there are launches, but for marked rows. Bytes: the
 * dense matrix once, columns twice, values once, and a sector for each entry. */
#include "common/kernel/atomic.cuh"
#include "sparse/dense/dense.cuh"
#include "sparse/rows/entry_rows.cuh"

namespace
{
namespace dense
{

/* ---- clear and mark: elements as words ---- */

struct words {
    void *data;
    unsigned bytes;
    matrix_pieces pieces;
};

template <typename Word>
__device__ void clear_piece(const words &out, const piece &mine)
{
    PRIM_UNROLL(4)
    for (unsigned s = 0; s < out.pieces.steps; s++) {
        size_t at;
        if (find_element(out.pieces, mine, s, &at))
            static_cast<Word *>(out.data)[at] = 0;
    }
}

__global__ void __launch_bounds__(THREADS) clear_elements(words out)
{
    const piece mine = this_piece(out.pieces);
    if (out.bytes == 4)
        clear_piece<uint32_t>(out, mine);
    else if (out.bytes == 8)
        clear_piece<uint64_t>(out, mine);
    else
        clear_piece<uint16_t>(out, mine);
}

/* A number of every type that is not 0. */
constexpr uint64_t MARK = 0x3f3f3f3f3f3f3f3f;

/* Several threads may mark one row. */
template <typename Word>
__device__ void mark_element(const words &out, size_t at)
{
    atomic_store(&static_cast<Word *>(out.data)[at], MARK);
}

__device__ inline void mark_row(const words &out, size_t row)
{
    const size_t at = row * out.pieces.ld;
    if (out.bytes == 4)
        mark_element<uint32_t>(out, at);
    else if (out.bytes == 8)
        mark_element<uint64_t>(out, at);
    else
        mark_element<uint16_t>(out, at);
}

__global__ void __launch_bounds__(THREADS)
    mark_rows(words out, offsets_view offsets, const int32_t *columns, size_t entries)
{
    grid_dependency_synchronize();
    const row_range range = rows_of_block(offsets, out.pieces.rows, entries);
    for (unsigned i = 0; i < ENTRIES_EACH; i++) {
        const size_t e = this_entry(i);
        if (e == 0 || e >= entries || columns[e] > columns[e - 1])
            continue;
        const size_t row = range.row_of(offsets, e);
        if (offsets.at(row) < e) /* the entry before is in this row, too */
            mark_row(out, row);
    }
}

/* ---- place and finish: elements as numbers ---- */

template <typename T>
struct dense_rows {
    T *data;
    size_t rows, ld;

    __device__ T *row(size_t i) const
    {
        return data + i * ld;
    }
};

template <typename T>
__device__ bool is_mark(T element)
{
    return number(element) != 0;
}

template <typename T>
__device__ void add_to(T *element, T value)
{
    put(element, add(number(*element), number(value)));
}

template <typename T>
__global__ void __launch_bounds__(THREADS)
    place_entries(dense_rows<T> out, offsets_view offsets, const int32_t *columns, const T *values,
                  size_t entries)
{
    grid_dependency_synchronize();
    const row_range range = rows_of_block(offsets, out.rows, entries);
    for (unsigned i = 0; i < ENTRIES_EACH; i++) {
        const size_t e = this_entry(i);
        if (e >= entries || columns[e] == 0)
            continue;
        T *const row = out.row(range.row_of(offsets, e));
        if (!is_mark(row[0]))
            add_to(&row[columns[e]], values[e]);
    }
}

/* The entries of a row, by a warp. */
template <typename T>
__device__ void add_row(T *row, uint64_t begin, uint64_t end, const int32_t *columns,
                        const T *values)
{
    const unsigned lane = threadIdx.x % WARP;
    for (uint64_t first = begin; first < end; first += WARP) {
        const bool mine = first + lane < end;
        const int32_t column = mine ? columns[first + lane] : -1,
                      before = __shfl_up_sync(ALL_LANES, column, 1);
        const bool at_once = __ballot_sync(ALL_LANES, mine && lane > 0 && column <= before) == 0;
        if (at_once && mine)
            add_to(&row[column], values[first + lane]);
        for (unsigned writer = 0; writer < WARP && !at_once; writer++) {
            if (writer == lane && mine)
                add_to(&row[column], values[first + lane]);
            __syncwarp();
        }
        __syncwarp();
    }
}

/* Rows of some columns: a warp for each does all. */
template <typename T>
__device__ void fill_row(dense_rows<T> out, size_t row, size_t row_columns,
                         const offsets_view &offsets, const int32_t *columns, const T *values)
{
    for (size_t c = threadIdx.x % WARP; c < row_columns; c += WARP)
        put(&out.row(row)[c], working_t<T>(0));
    __syncwarp();
    add_row(out.row(row), offsets.at(row), offsets.at(row + 1), columns, values);
}

/* A lane for each row, which only one with an entry in column 0 writes; then the whole warp for
 * each of its marked ones. */
template <typename T>
__global__ void __launch_bounds__(THREADS)
    finish_rows(dense_rows<T> out, offsets_view offsets, const int32_t *columns, const T *values,
                size_t columns_to_fill)
{
    if (columns_to_fill > 0) {
        if (this_thread() / WARP < out.rows)
            fill_row(out, this_thread() / WARP, columns_to_fill, offsets, columns, values);
        return;
    }
    grid_dependency_synchronize();
    const size_t row = this_thread(), first_row = row - threadIdx.x % WARP;
    const bool there = row < out.rows, marked = there && is_mark(out.row(row)[0]);
    const uint64_t begin = there ? offsets.at(row) : 0, end = there ? offsets.at(row + 1) : 0;
    if (marked)
        put(&out.row(row)[0], working_t<T>(0));
    else if (begin < end && columns[begin] == 0)
        add_to(&out.row(row)[0], values[begin]);
    unsigned lanes = __ballot_sync(ALL_LANES, marked);
    __syncwarp();
    for (size_t r = first_row; lanes != 0; r++, lanes >>= 1)
        if ((lanes & 1) != 0)
            add_row(out.row(r), offsets.at(r), offsets.at(r + 1), columns, values);
}

/* ---- the launches ---- */

PRIM_DISPATCH_TYPE(dispatch_dense, PRIM_SPARSE_DENSE_TYPES, matrix.value_type)

/* Where a row is neither too little nor too much for a warp, one launch is faster than four. */
bool suits_warps(const prim_sparse *m)
{
    return m->columns <= 512 && (m->columns >= WARP || m->rows <= 4096);
}

struct run_fill : launch_run {
    template <typename T>
    static cudaError_t run(const prim_sparse_to_dense_args *args)
    {
        const prim_sparse *m = &args->matrix;
        if (m->rows == 0 || m->columns == 0)
            return cudaSuccess;
        const dense_rows<T> out = {static_cast<T *>(args->out.data), m->rows, args->out.ld};
        const words all = {args->out.data, sizeof(T), pieces_of(m->rows, m->columns, args->out.ld)};
        words to_clear = all;
        if (args->out.ld == m->columns) /* rows without gaps are cleared as one */
            to_clear.pieces = pieces_of(1, m->rows * m->columns, m->rows * m->columns);
        const offsets_view offsets = offsets_of(m);
        const T *const values = static_cast<const T *>(m->values);
        const size_t threads = threads_for_entries(m->entries);
        launches l = {args->call.stream};
        if (suits_warps(m)) {
            l.then(m->rows * WARP, finish_rows<T>, out, offsets, m->column_indices, values,
                   m->columns);
            return l.error;
        }
        l.then(to_clear.pieces.threads(), clear_elements, to_clear);
        l.then_dependent(threads, mark_rows, all, offsets, m->column_indices, m->entries);
        l.then_dependent(threads, place_entries<T>, out, offsets, m->column_indices, values,
                         m->entries);
        l.then_dependent(m->entries > 0 ? m->rows : 0, finish_rows<T>, out, offsets,
                         m->column_indices, values, size_t(0));
        return l.error;
    }
};

cudaError_t launch_to(const void *args)
{
    return dispatch_dense<run_fill>(static_cast<const prim_sparse_to_dense_args *>(args));
}

const char *to_why_not(const void *any)
{
    const prim_sparse_to_dense_args *args = static_cast<const prim_sparse_to_dense_args *>(any);
    const prim_sparse *m = &args->matrix;
    if (m->format != PRIM_SPARSE_CSR)
        return "it takes CSR only";
    if (!dispatch_dense<is_built>(args))
        return PRIM_TYPES_NOT_BUILT;
    const size_t threads = pieces_of(m->rows, m->columns, args->out.ld).threads();
    return prim_fits_a_grid(1, prim_divide_up(threads, THREADS)) &&
                   prim_fits_a_grid(1, prim_divide_up(m->entries, BLOCK_ENTRIES))
               ? nullptr
               : PRIM_GRID_TOO_SMALL;
}

} // namespace dense
} // namespace

PRIM_DEFINE_RUNG(sparse_to_dense, entries) = {
    {1, "entries", "a thread an entry"}, dense::to_why_not, nullptr, dense::launch_to};
