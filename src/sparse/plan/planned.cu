/* prim_spmv_planned(): CSR_MERGE with a plan; plan.cuh shows its pages.
 *
 *     a tile     front of its page ── values ──────── sums
 *                               └──── x by patterns ──┘
 *
 * The page has what CSR_MERGE searches first: where the tile begins, where rows begin in it and of
 * what kinds they are; and 16 bits for each column, or a pattern for many rows. With patterns only
 * values are streamed, and x is loaded at the same time. A row's sum has CSR_MERGE's order, which
 * depends only on its length.
 *
 * Work: entries and rows. Bytes: values once, in f32 half of CSR's; columns as the pages have them;
 * y, and x by column. */
#include "common/host/element.h"
#include "sparse/csr/csr.cuh"
#include "sparse/plan/plan.cuh"
#include "sparse/plan/plan_args.h"

PRIM_DECLARE_RUNG(spmv, csr_merge)

namespace
{
namespace planned
{

/* Blocks on a multiprocessor: doubles take more registers and shared memory. */
template <typename V>
[[maybe_unused]] constexpr unsigned BLOCKS_AT_ONCE = sizeof(V) == 8 ? 4 : 6;

template <typename V, typename X>
struct problem {
    csr_problem<V, X, void> csr;
    const unsigned char *pages;
};

template <typename V>
struct room {
    static constexpr unsigned BYTES =
        FRONT_BYTES + STAGED * (sizeof(int32_t) + sizeof(V)) + 6 * VECTOR_BYTES;

    alignas(16) unsigned char bytes[in_vectors(BYTES)];
    strip_list<STRIPS> strips;
};

/* After this, all threads may read what the block has copied. */
__device__ inline void wait_for_block()
{
    wait_for_copies();
    __syncthreads();
}

/* ---- patterns ---- */

/* A row of a patterned tile. */
struct patterned_row {
    unsigned begin, length;
    const int32_t *differences;
};

__device__ inline patterned_row find_row(const page_patterns &of, unsigned row)
{
    const row_word word = of.words[row / ROWS_OF_WORD];
    const unsigned up_to = 0xffffffffu >> (ROWS_OF_WORD - 1 - row % ROWS_OF_WORD);
    const row_group g = of.groups[word.begin_before + count_bits(word.begin_here & up_to) - 1];
    return {g.begin + (row - g.row) * g.length, g.length, of.differences + g.pattern};
}

/* Rows of 1 part or of MIDDLE_PARTS, with LANES lanes each. waits: values are still being copied,
 * and the first x are loaded meanwhile. */
template <unsigned PARTS, unsigned LANES, typename V, typename X>
__device__ void sum_patterned(const entries<V, X> &of, const page_head &h,
                              const page_patterns &patterns, const V *values, bool waits)
{
    using T = working_t<V>;
    constexpr unsigned AT_ONCE = STEPS;
    const unsigned lane = threadIdx.x % LANES;
    for (unsigned first = 0; first < h.rows; first += TILE_THREADS / LANES) {
        const unsigned row = first + threadIdx.x / LANES;
        patterned_row r = {};
        if (row < h.rows)
            r = find_row(patterns, row);
        const bool mine =
            row < h.rows && (PARTS == 1 ? r.length <= SHORT_ROW : r.length > SHORT_ROW);
        const unsigned left = mine && lane < r.length ? r.length - lane : 0;
        const x_by_column<X> x = {of.x + h.first_row + row};
        T sum[PARTS / LANES] = {}, of_x[AT_ONCE];
        fetch_x<LANES>(of_x, r.differences + lane, x, left);
        if (waits && first == 0)
            wait_for_block();
        add_products<LANES>(sum, of_x, values + r.begin + lane, left);
        for (unsigned s = AT_ONCE * LANES; s < left; s += AT_ONCE * LANES) {
            fetch_x<LANES>(of_x, r.differences + lane + s, x, left - s);
            add_products<LANES>(sum, of_x, values + r.begin + lane + s, left - s);
        }
        const T total = reduce_warp<sum_operator>(sum_of_parts(sum), LANES);
        if (lane == 0 && mine)
            of.store(static_cast<size_t>(h.first_row) + row, total);
    }
}

/* As many lanes for each row as there are threads. */
template <typename V, typename X>
__device__ void multiply_patterned(const entries<V, X> &of, const page_head &h, unsigned char *body,
                                   const V *values)
{
    const page_patterns patterns = patterns_of(body, h.rows, h.groups);
    const bool has_short = (h.kinds & SHORT) != 0;
    if (has_short)
        sum_patterned<1, 1>(of, h, patterns, values, true);
    if ((h.kinds & MIDDLE) == 0)
        return;
    if (h.rows > TILE_THREADS / 2)
        sum_patterned<MIDDLE_PARTS, 1>(of, h, patterns, values, !has_short);
    else if (h.rows > TILE_THREADS / 4)
        sum_patterned<MIDDLE_PARTS, 2>(of, h, patterns, values, !has_short);
    else
        sum_patterned<MIDDLE_PARTS, 4>(of, h, patterns, values, !has_short);
}

/* ---- other tiles ---- */

/* Lists the rows of more than 64 entries, and the rest of the row before. */
template <class List>
__device__ void note_strips(const plan<void> &p, const csr_tile &t, const uint16_t *begins,
                            List *strips)
{
    if (threadIdx.x == 0 && t.first_entry < p.offset(t.first_row))
        push_pieces(t, strips, 0, t.first_entry, p.offset(t.first_row));
    for (unsigned row = threadIdx.x; row < t.rows; row += TILE_THREADS) {
        const unsigned length = begins[row + 1] - begins[row];
        if (length > PIECE)
            push_pieces(t, strips, row + 1, p.offset(t.first_row + row),
                        p.offset(t.first_row + row + 1));
        else if (length > MIDDLE_ROW)
            push(strips, begins[row], length, row + 1, false);
    }
}

template <typename V, typename X, typename Column, class Find>
__device__ void multiply_rows(const problem<V, X> &a, const csr_tile &t,
                              const tile_arrays<V, Column> &in, const Find &x, unsigned kinds,
                              strip_list<STRIPS> &strips)
{
    if ((kinds & WITH_STRIPS) != 0) {
        note_strips(a.csr.p, t, in.begins, &strips);
        __syncthreads();
    }
    sum_rows(a.csr, t, in, x, kinds, strips);
}

/* Columns of 16 bits, from the page. */
template <typename V, typename X>
__device__ void multiply_near(const problem<V, X> &a, const csr_tile &t, const page_head &h,
                              const unsigned char *page, tile_arrays<V, const uint16_t> in,
                              unsigned char *for_columns, room<V> &r)
{
    in.columns =
        stage(for_columns, reinterpret_cast<const uint16_t *>(page + HEAD_BYTES + h.body_bytes),
              h.entries);
    wait_for_block();
    multiply_rows(a, t, in, x_by_column<X>{a.csr.of.x + h.base}, h.kinds, r.strips);
}

/* The matrix's columns, as CSR_MERGE has them. */
template <typename V, typename X>
__device__ void multiply_far(const problem<V, X> &a, const csr_tile &t, const page_head &h,
                             tile_arrays<V> in, unsigned char *for_columns, room<V> &r)
{
    using T = working_t<V>;
    in.columns = stage(for_columns, a.csr.of.columns + h.first_entry, h.entries);
    wait_for_block();
    if constexpr (sizeof(T) == sizeof(int32_t)) { /* x fits into its column's place */
        if (rows_are_unlike(t, in.count, h.kinds & (SHORT | MIDDLE))) {
            gather<STEPS>(in.columns, in.count, a.csr.of.x);
            __syncthreads();
            multiply_rows(a, t, in, x_in_place<T>{}, h.kinds, r.strips);
            return;
        }
    }
    multiply_rows(a, t, in, x_by_column<X>{a.csr.of.x}, h.kinds, r.strips);
}

/* ---- a tile ---- */

template <typename V, typename X>
__global__ void __launch_bounds__(TILE_THREADS, blocks_at_once(TILE_THREADS, BLOCKS_AT_ONCE<V>))
    multiply(problem<V, X> a)
{
    PRIM_SHARED(room<V>, r, );
    const unsigned char *const page = a.pages + static_cast<size_t>(blockIdx.x) * PAGE_BYTES;
    stage(r.bytes, page, FRONT_BYTES);
    if (threadIdx.x == 0)
        r.strips.count = 0;
    grid_dependency_synchronize();
    wait_for_block();
    const page_head h = *reinterpret_cast<const page_head *>(r.bytes);
    const unsigned used = HEAD_BYTES + h.body_bytes;
    unsigned char *const body = r.bytes + HEAD_BYTES;
    unsigned char *const behind = r.bytes + (used > FRONT_BYTES ? used : FRONT_BYTES);
    const V *const values = stage(behind, a.csr.of.values + h.first_entry, h.entries);
    if (h.way == WAY_PATTERNED) {
        multiply_patterned(a.csr.of, h, body, values);
        return;
    }
    if (used > FRONT_BYTES)
        stage(r.bytes + FRONT_BYTES, page + FRONT_BYTES, used - FRONT_BYTES);
    const csr_tile t = {static_cast<size_t>(h.first_row), static_cast<size_t>(h.first_entry),
                        (static_cast<size_t>(blockIdx.x) + 1) * TILE, h.rows, h.entries};
    uint16_t *const begins = reinterpret_cast<uint16_t *>(body);
    unsigned char *const for_columns = behind + staged_bytes<V>(h.entries);
    if (h.way == WAY_NEAR)
        multiply_near(a, t, h, page, {nullptr, values, begins, h.entries}, for_columns, r);
    else
        multiply_far(a, t, h, {nullptr, values, begins, h.entries}, for_columns, r);
}

/* The counters of long rows' finished pieces begin at 0. */
__global__ void __launch_bounds__(THREADS) clear_tickets(unsigned *tickets, size_t count)
{
    trigger_launch_completion();
    const size_t t = this_thread();
    if (t < count)
        tickets[t] = 0;
}

/* ---- the rung ---- */

struct run_product : launch_run {
    template <typename V, typename X>
    static cudaError_t run(const prim_spmv_args *args, const void *pages)
    {
        const prim_sparse *m = &args->matrix;
        problem<V, X> a = {
            {plan_rows<void>(m), make_entries<V, X>(args, m->column_indices, m->values)},
            static_cast<const unsigned char *>(pages)};
        if (a.csr.of.x == nullptr)
            return prim_spmv_csr_merge_rung.launch(args); /* nothing to multiply */
        put_pieces(&a.csr.p, args, args->call.workspace);
        const size_t tickets = a.csr.p.tiles * TILE_GROUPS;
        const cudaStream_t stream = args->call.stream;
        const cudaError_t error = prim_launch({stream, blocks_for(tickets, THREADS), THREADS},
                                              clear_tickets, a.csr.p.tickets, tickets);
        return error == cudaSuccess
                   ? prim_launch_dependent(
                         {stream, static_cast<unsigned>(a.csr.p.tiles), TILE_THREADS},
                         multiply<V, X>, a)
                   : error;
    }
};

size_t workspace_bytes(const void *any)
{
    const prim_spmv_args *args = &static_cast<const prim_spmv_planned_args *>(any)->product;
    return pages_bytes(&args->matrix) == 0 ? 0 : pieces_bytes(args);
}

const char *why_not(const void *any)
{
    return prim_spmv_csr_merge_rung.why_not(
        &static_cast<const prim_spmv_planned_args *>(any)->product);
}

/* A small matrix has no pages. */
cudaError_t launch(const void *any)
{
    const prim_spmv_planned_args *args = static_cast<const prim_spmv_planned_args *>(any);
    if (pages_bytes(&args->product.matrix) == 0)
        return prim_spmv_csr_merge_rung.launch(&args->product);
    return dispatch_mixed<run_product>(&args->product, args->plan);
}

} // namespace planned
} // namespace

PRIM_DEFINE_RUNG(spmv_planned, pages) = {{1, "pages", "tiles by the pages of a plan"},
                                         planned::why_not,
                                         planned::workspace_bytes,
                                         planned::launch};
