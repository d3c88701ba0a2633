/* Sums of COO's entries by rows, in registers, added to y.
 *
 *     rows     0 0 0 1 | 1 1 1 1 | 1 2 3 3 | 3 3 3 3 …       a lane has 4 entries that follow each
 *     lane     A     b   b         b C d     d               other, a warp 128, and 1024 in turn
 *
 * A lane adds up its runs of equal rows. A run that begins and ends inside (C) is complete; the
 * last run goes on in the next lanes (b, d) by a segmented scan, and from one 128 to the next as a
 * carry. Complete rows are added to y, each once, by one lane. The first and the last row of a
 * warp's 1024 entries may go on in its neighbours: segments.cuh adds up their sums. */
#ifndef PRIM_SPARSE_COO_TILES_CUH
#define PRIM_SPARSE_COO_TILES_CUH

#include "common/block/vectors.cuh"
#include "common/block/warp.cuh"
#include "sparse/coo/segments.cuh"

namespace
{
namespace coo_tiles
{

constexpr unsigned EACH = 4, STEP = EACH * WARP, SPAN = 8 * STEP; /* of a lane, of a warp */
constexpr unsigned WARPS = THREADS / WARP;

template <typename V, typename X>
struct problem {
    const int32_t *rows;
    size_t count, spans;
    entries<V, X> of;
    carries<working_t<V>> out;
    bool adds;    /* to what y has */
    bool aligned; /* four elements of each array can be read at once */
};

/* Four entries of a lane. Past the end, the last row goes on with zeros. */
template <typename V>
struct four {
    packed<int32_t, EACH> rows, columns;
    packed<V, EACH> values;
};

template <typename V, typename X>
__device__ four<V> load_four(const problem<V, X> &a, size_t first)
{
    four<V> f = {};
    if (a.aligned && first + EACH <= a.count) {
        f.rows = *reinterpret_cast<const packed<int32_t, EACH> *>(a.rows + first);
        f.columns = *reinterpret_cast<const packed<int32_t, EACH> *>(a.of.columns + first);
        f.values = *reinterpret_cast<const packed<V, EACH> *>(a.of.values + first);
        return f;
    }
    PRIM_UNROLL(EACH)
    for (unsigned e = 0; e < EACH; e++) {
        const bool there = first + e < a.count;
        f.rows.words[e] = a.rows[there ? first + e : a.count - 1];
        f.columns.words[e] = there ? a.of.columns[first + e] : PRIM_SPARSE_PADDING;
        if (there)
            set_element(f.values, e, a.of.values[first + e]);
    }
    return f;
}

/* A run of equal rows that is not over yet. */
template <typename T>
struct run {
    int32_t row;
    T sum;
};

/* A row is complete: its sum is added to y, or, if it is the span's first row, stored as its first
 * carry. */
template <typename V, typename X>
__device__ void finish(const problem<V, X> &a, size_t span, int32_t first_row,
                       const run<working_t<V>> &over)
{
    if (over.row == first_row && a.spans > 1) {
        a.out.sums[2 * span] = over.sum;
        a.out.rows[2 * span] = over.row;
    } else if (a.adds) {
        a.of.add_to(static_cast<size_t>(over.row), over.sum);
    } else {
        put(&a.of.y[over.row], multiply(a.of.scale.alpha, over.sum));
    }
}

/* A warp's 128 entries after a carry-in, which all lanes have; returns the carry-out. */
template <typename V, typename X>
__device__ run<working_t<V>> sum_step(const problem<V, X> &a, size_t span, int32_t first_row,
                                      const four<V> &f, run<working_t<V>> carry, bool begins)
{
    using T = working_t<V>;
    const unsigned lane = threadIdx.x % WARP;
    T product[EACH] = {};
    PRIM_UNROLL(EACH)
    for (unsigned e = 0; e < EACH; e++)
        if (f.columns.words[e] >= 0)
            product[e] = number(a.of.x[f.columns.words[e]]);
    PRIM_UNROLL(EACH)
    for (unsigned e = 0; e < EACH; e++)
        product[e] =
            f.columns.words[e] >= 0 ? add_product(T(0), element_of(f.values, e), product[e]) : T(0);

    /* Runs inside the lane: the first one's sum, and the last one. */
    run<T> last = {f.rows.words[0], product[0]}, head = last;
    bool has_head = false;
    PRIM_UNROLL(EACH - 1)
    for (unsigned e = 1; e < EACH; e++) {
        if (f.rows.words[e] == last.row) {
            last.sum = add(last.sum, product[e]);
            continue;
        }
        if (has_head)
            finish(a, span, first_row, last);
        else
            head = last;
        has_head = true;
        last = {f.rows.words[e], product[e]};
    }

    /* Whether the first run continues the lane before, or the carry. */
    int32_t row_before = __shfl_up_sync(ALL_LANES, last.row, 1u);
    if (lane == 0)
        row_before = carry.row;
    const bool goes_on = (lane > 0 || !begins) && row_before == f.rows.words[0];
    if (lane == 0 && !begins && !goes_on)
        finish(a, span, first_row, carry);
    bool joins = goes_on && !has_head;
    if (lane == 0 && joins)
        last.sum = add(carry.sum, last.sum);
    joins = joins && lane > 0;
    for (unsigned stride = 1; stride < WARP; stride *= 2) {
        if (__ballot_sync(ALL_LANES, joins) == 0)
            break;
        const T sum = __shfl_up_sync(ALL_LANES, last.sum, stride);
        const int more = __shfl_up_sync(ALL_LANES, static_cast<int>(joins), stride);
        if (joins)
            last.sum = add(sum, last.sum);
        joins = joins && more != 0;
    }

    T sum_before = __shfl_up_sync(ALL_LANES, last.sum, 1u);
    if (lane == 0)
        sum_before = carry.sum;
    if (has_head) {
        if (goes_on)
            head.sum = add(sum_before, head.sum);
        finish(a, span, first_row, head);
    }
    const int32_t row_behind = __shfl_down_sync(ALL_LANES, f.rows.words[0], 1u);
    if (lane < WARP - 1 && row_behind != last.row)
        finish(a, span, first_row, last);
    return {__shfl_sync(ALL_LANES, last.row, WARP - 1), __shfl_sync(ALL_LANES, last.sum, WARP - 1)};
}

/* The entries of a step are loaded while those of the one before are summed. */
template <typename V, typename X>
__global__ void __launch_bounds__(THREADS, blocks_at_once(THREADS, 4)) sum_spans(problem<V, X> a)
{
    using T = working_t<V>;
    trigger_launch_completion();
    grid_dependency_synchronize();
    const size_t span = this_thread() / WARP, begin = span * SPAN;
    const unsigned lane = threadIdx.x % WARP;
    if (span >= a.spans) /* the whole warp */
        return;
    const size_t end = a.count - begin < SPAN ? a.count : begin + SPAN;
    const int32_t first_row = a.rows[begin];
    four<V> next = load_four(a, begin + lane * EACH);
    run<T> carry = {first_row, T(0)};
    for (size_t at = begin; at < end; at += STEP) {
        const four<V> now = next;
        if (at + STEP < end)
            next = load_four(a, at + STEP + lane * EACH);
        carry = sum_step(a, span, first_row, now, carry, at == begin);
    }
    if (lane > 0)
        return;
    if (a.spans == 1 || carry.row == first_row) {
        finish(a, span, first_row, carry);
        carry.sum = 0;
    }
    if (a.spans > 1) {
        a.out.sums[2 * span + 1] = carry.sum;
        a.out.rows[2 * span + 1] = carry.row;
    }
}

inline size_t spans_of(size_t count)
{
    return prim_divide_up(count, SPAN);
}

/* Two sums of each span, and those of the levels above. */
inline size_t sums_of(size_t count)
{
    const size_t sums = count > SPAN ? 2 * spans_of(count) : 0;
    return sums + carries_of(sums);
}

inline size_t workspace_bytes(const void *any)
{
    const prim_spmv_args *args = static_cast<const prim_spmv_args *>(any);
    return sums_of(args->matrix.entries) * (sum_bytes(args) + sizeof(int32_t));
}

template <prim_sparse_format FORMAT>
const char *why_not(const void *any)
{
    const prim_spmv_args *args = static_cast<const prim_spmv_args *>(any);
    const char *const reason = mixed_why_not<FORMAT>(args);
    return reason == nullptr &&
                   !prim_fits_a_grid(1, prim_divide_up(spans_of(args->matrix.entries), WARPS))
               ? PRIM_GRID_TOO_SMALL
               : reason;
}

inline bool is_aligned(const void *array, size_t element_bytes)
{
    return reinterpret_cast<uintptr_t>(array) % (EACH * element_bytes) == 0;
}

/* adds: to what y holds; otherwise y is 0 where rows have entries. */
template <typename V, typename X>
cudaError_t add_entries(const prim_spmv_args *args, bool adds)
{
    using T = working_t<V>;
    const prim_sparse *m = &args->matrix;
    const size_t sums = sums_of(m->entries), spans = spans_of(m->entries);
    carries<T> out = {static_cast<T *>(args->call.workspace), nullptr};
    out.rows = reinterpret_cast<int32_t *>(out.sums + sums);
    const bool aligned = is_aligned(m->row_indices, sizeof(int32_t)) &&
                         is_aligned(m->column_indices, sizeof(int32_t)) &&
                         is_aligned(m->values, sizeof(V));
    const problem<V, X> a = {m->row_indices,
                             m->entries,
                             spans,
                             make_entries<V, X>(args, m->column_indices, m->values),
                             out,
                             adds,
                             aligned};
    if (a.of.x == nullptr || spans == 0)
        return cudaSuccess;
    const cudaError_t error = prim_launch_dependent(
        {args->call.stream, blocks_for(spans, WARPS), THREADS}, sum_spans<V, X>, a);
    if (error != cudaSuccess || spans == 1)
        return error;
    const numbers<T, X> in = {
        out.rows, 2 * spans, {nullptr, out.sums, nullptr, a.of.y, a.of.scale}};
    return add_levels(args->call.stream, in, {out.sums + 2 * spans, out.rows + 2 * spans});
}

} // namespace coo_tiles
} // namespace

#endif
