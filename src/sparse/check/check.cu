/* prim_sparse_check(): the first number that breaks a rule, in any order of the threads.
 *
 *     numbers     · · · x · · x ·       a thread for each number, which it compares with the one
 *     position        3     6           before; that is enough to find the first wrong number
 *     finding     least of rule · 2^60 + position
 *
 * A launch for each rule, in their order. Warps with a wrong number write it to one word by
 * atomicMin(), so where nothing is wrong nothing is written. Slices are read only where that word
 * says that they lie in the arrays. A position is not always a place: in ELL and SELL positions go
 * row by row, where the arrays go column by column. The last launch converts it to a place.
 *
 * Work: numbers; SELL's with a search among the slices for each 32 of them. Bytes: every number but
 * the values once; of a permutation twice, and 8 for each row in the workspace. */
#include "common/block/warp.cuh"
#include "common/host/sizes.h"
#include "common/kernel/atomic.cuh"
#include "common/math/numeric.cuh"
#include "sparse/launches.cuh"
#include "sparse/rows/offsets.cuh"

namespace
{
namespace check
{

constexpr unsigned POSITION_BITS = 60;
constexpr uint64_t NOTHING = UINT64_MAX;
static_assert(WARP == PRIM_SPARSE_SLICE_ROWS, "a warp looks at a place of each row of a slice");

/* The matrix; while rules are checked, d_finding's first word has the least finding. */
struct checked {
    size_t rows, columns, entries, ell_width, ell_ld;
    offsets_view offsets;
    const int32_t *row_indices, *column_indices, *ell_columns, *permutation;
    prim_sparse_finding *finding;
    uint32_t *first_places; /* of each row in the permutation */
};

checked make_checked(const prim_sparse_check_args *args)
{
    const prim_sparse *m = &args->matrix;
    return {m->rows,        m->columns,        m->entries,
            m->ell_width,   m->ell_ld,         offsets_of(m),
            m->row_indices, m->column_indices, m->ell_columns,
            m->permutation, args->finding,     static_cast<uint32_t *>(args->call.workspace)};
}

/* By whole warps. */
__device__ inline void report(const checked &m, prim_sparse_rule rule, bool wrong,
                              uint64_t position)
{
    if (__ballot_sync(ALL_LANES, wrong) == 0)
        return;
    const uint64_t mine = static_cast<uint64_t>(rule) << POSITION_BITS | position,
                   first = reduce_warp<min_operator>(wrong ? mine : NOTHING);
    if (threadIdx.x % WARP == 0)
        atomicMin(reinterpret_cast<unsigned long long *>(&m.finding->rule),
                  static_cast<unsigned long long>(first));
}

/* The same in all warps of the grid: it depends only on earlier launches. */
__device__ inline bool is_broken_before(const checked &m, prim_sparse_rule rule)
{
    return atomic_load(&m.finding->rule) >> POSITION_BITS < static_cast<uint64_t>(rule);
}

__device__ inline bool is_column(const checked &m, int32_t column)
{
    return column >= 0 && static_cast<size_t>(column) < m.columns;
}

__global__ void begin(prim_sparse_finding *finding)
{
    finding->rule = NOTHING;
}

/* ---- the rules ---- */

__global__ void __launch_bounds__(THREADS) offsets(checked m, size_t last, unsigned multiple)
{
    const size_t i = this_thread();
    bool wrong = false;
    if (i <= last) {
        const uint64_t offset = m.offsets.at(i), before = i > 0 ? m.offsets.at(i - 1) : 0;
        wrong = offset < before || offset > m.entries || offset % multiple != 0 ||
                (i == 0 && offset != 0) || (i == last && offset != m.entries);
    }
    report(m, PRIM_SPARSE_OFFSETS, wrong, i);
}

__global__ void __launch_bounds__(THREADS) row_indices(checked m)
{
    const size_t e = this_thread();
    bool wrong = false;
    if (e < m.entries) {
        const int32_t row = m.row_indices[e], before = e > 0 ? m.row_indices[e - 1] : 0;
        wrong = row < before || row < 0 || static_cast<size_t>(row) >= m.rows;
    }
    report(m, PRIM_SPARSE_ROWS, wrong, e);
}

/* An entry of a strip, and the one before it in its row; the start of a strip counts as an entry
 * before it. */
__device__ inline bool is_wrong_in_strip(const checked &m, int32_t column, int32_t before)
{
    return column != PRIM_SPARSE_PADDING &&
           (before == PRIM_SPARSE_PADDING || !is_column(m, column));
}

__global__ void __launch_bounds__(THREADS) ell_columns(checked m)
{
    const size_t i = this_thread();
    bool wrong = false;
    size_t position = 0;
    if (i < m.rows * m.ell_width) {
        const size_t s = i / m.rows, row = i - s * m.rows;
        position = row * m.ell_width + s;
        wrong = is_wrong_in_strip(m, m.ell_columns[s * m.ell_ld + row],
                                  s > 0 ? m.ell_columns[(s - 1) * m.ell_ld + row] : 0);
    }
    report(m, PRIM_SPARSE_ELL_COLUMNS, wrong, position);
}

/* The slices are valid, so a warp's 32 places are in one slice: a place for each of its rows. */
__global__ void __launch_bounds__(THREADS) strips(checked m, size_t slices)
{
    const size_t e = this_thread();
    if (is_broken_before(m, PRIM_SPARSE_STRIPS) || e >= m.entries)
        return;
    const size_t slice = last_offset_up_to(m.offsets, 0, slices, e);
    const uint64_t first = m.offsets.at(slice), width = (m.offsets.at(slice + 1) - first) / WARP;
    const unsigned lane = threadIdx.x % WARP;
    const uint64_t s = (e - first) / WARP;
    const bool behind_rows = slice * WARP + lane >= m.rows;
    const int32_t before = s > 0         ? m.column_indices[e - WARP]
                           : behind_rows ? PRIM_SPARSE_PADDING
                                         : 0;
    report(m, PRIM_SPARSE_STRIPS, is_wrong_in_strip(m, m.column_indices[e], before),
           first + lane * width + s);
}

__device__ inline bool is_row(const checked &m, int32_t row)
{
    return row >= 0 && static_cast<size_t>(row) < m.rows;
}

__global__ void __launch_bounds__(THREADS) forget_places(checked m)
{
    const size_t row = this_thread();
    if (row < m.rows)
        m.first_places[row] = UINT32_MAX;
}

__global__ void __launch_bounds__(THREADS) note_places(checked m)
{
    const size_t place = this_thread();
    if (place < m.rows && is_row(m, m.permutation[place]))
        atomicMin(&m.first_places[m.permutation[place]], static_cast<unsigned>(place));
}

__global__ void __launch_bounds__(THREADS) permutation(checked m)
{
    const size_t place = this_thread();
    bool wrong = false;
    if (place < m.rows) {
        const int32_t row = m.permutation[place];
        wrong = !is_row(m, row) || m.first_places[row] != place;
    }
    report(m, PRIM_SPARSE_PERMUTATION, wrong, place);
}

__global__ void __launch_bounds__(THREADS) columns(checked m)
{
    const size_t e = this_thread();
    report(m, PRIM_SPARSE_COLUMNS, e < m.entries && !is_column(m, m.column_indices[e]), e);
}

/* ---- what was found ---- */

/* The place of a position: entry s of row `row` is at s · stride + row. */
__device__ inline uint64_t place_in_strip(uint64_t position, uint64_t width, uint64_t stride)
{
    const uint64_t row = position / width, s = position - row * width;
    return s * stride + row;
}

__global__ void end(checked m, size_t slices)
{
    const uint64_t found = m.finding->rule, rule = found >> POSITION_BITS;
    uint64_t place = found & ((uint64_t(1) << POSITION_BITS) - 1);
    if (found == NOTHING) {
        *m.finding = {PRIM_SPARSE_SOUND, 0};
        return;
    }
    if (rule == PRIM_SPARSE_ELL_COLUMNS)
        place = place_in_strip(place, m.ell_width, m.ell_ld);
    if (rule == PRIM_SPARSE_STRIPS) {
        const size_t slice = last_offset_up_to(m.offsets, 0, slices, place);
        const uint64_t first = m.offsets.at(slice),
                       width = (m.offsets.at(slice + 1) - first) / WARP;
        place = first + place_in_strip(place - first, width, WARP);
    }
    *m.finding = {rule, place};
}

/* ---- the launches ---- */

cudaError_t launch(const void *any)
{
    const prim_sparse_check_args *args = static_cast<const prim_sparse_check_args *>(any);
    const checked m = make_checked(args);
    const prim_sparse_format format = args->matrix.format;
    const size_t slices = prim_divide_up(m.rows, PRIM_SPARSE_SLICE_ROWS);
    const bool sell = format == PRIM_SPARSE_SELL, coo = format == PRIM_SPARSE_COO,
               ell = format == PRIM_SPARSE_ELL, hyb = format == PRIM_SPARSE_HYB;
    launches l = {args->call.stream};
    l.then_once(begin, m.finding);
    if (sell || format == PRIM_SPARSE_CSR) {
        const size_t last = sell ? slices : m.rows;
        l.then(last + 1, offsets, m, last, sell ? WARP : 1);
    }
    if (coo || hyb)
        l.then(m.entries, row_indices, m);
    if (ell || hyb)
        l.then(m.rows * m.ell_width, ell_columns, m);
    if (sell)
        l.then(slices > 0 ? m.entries : 0, strips, m, slices);
    if (prim_sparse_has_permutation(&args->matrix)) {
        l.then(m.rows, forget_places, m);
        l.then(m.rows, note_places, m);
        l.then(m.rows, permutation, m);
    }
    if (!ell && !sell)
        l.then(m.entries, columns, m);
    l.then_once(end, m, slices);
    return l.error;
}

size_t workspace_bytes(const void *any)
{
    const prim_sparse *m = &static_cast<const prim_sparse_check_args *>(any)->matrix;
    return prim_sparse_has_permutation(m) ? m->rows * sizeof(uint32_t) : 0;
}

const char *why_not(const void *any)
{
    const prim_sparse *m = &static_cast<const prim_sparse_check_args *>(any)->matrix;
    const bool ell = m->format == PRIM_SPARSE_ELL || m->format == PRIM_SPARSE_HYB;
    const size_t ell_places = ell ? m->rows * m->ell_width : 0,
                 entries = m->format == PRIM_SPARSE_ELL ? 0 : m->entries;
    return prim_fits_a_grid(1, prim_divide_up(ell_places, THREADS)) &&
                   prim_fits_a_grid(1, prim_divide_up(entries, THREADS))
               ? nullptr
               : PRIM_GRID_TOO_SMALL;
}

} // namespace check
} // namespace

PRIM_DEFINE_RUNG(sparse_check, rules) = {{1, "rules", "a thread a number, a launch a rule"},
                                         check::why_not,
                                         check::workspace_bytes,
                                         check::launch};
