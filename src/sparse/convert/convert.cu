/* prim_sparse_convert(): threads for the places of the format that has more of them.
 *
 *     CSR    a b|c|d e f          ELL    a c d        place (s, row) of ELL and SELL is entry
 *            0   2 3     6               b · e        offset[row] + s of CSR: to ELL, a thread
 *                                        · · f        copies the entry of its place, or writes
 *                                                     padding; from ELL, it copies it back
 *
 * CSR and COO have their entries in the same order, and only rows and offsets are converted:
 * entry_rows.cu finds an entry's row, and a row's first entry is searched among the row indices.
 * The lengths of ELL's and SELL's rows are found by binary search, since padding comes last.
 * offsets.cu makes offsets of them, and order.cu SELL's order. HYB is ELL and COO, whose part
 * convert_hyb.cu moves; convert_jds.cu has JDS. Values are copied as words of 2, 4 or 8 bytes.
 *
 * What holds it back: one side of a move to or from ELL and SELL is scattered, a row's entries
 * being side by side in CSR only. Bytes: both matrices once, padding too, and the offsets for each
 * place. */
#include <primitives/device/block.h>

#include "common/block/warp.cuh"
#include "common/math/numeric.cuh"
#include "sparse/convert/convert_hyb.h"
#include "sparse/convert/convert_jds.h"
#include "sparse/convert/entry_arrays.cuh"
#include "sparse/rows/entry_rows.cuh"
#include "sparse/rows/entry_rows.h"
#include "sparse/rows/offsets.h"
#include "sparse/sort/order.h"

namespace
{
namespace convert
{

static_assert(WARP == PRIM_SPARSE_SLICE_ROWS, "a warp has a slice");

/* ---- places of ELL and SELL ---- */

/* Entry s of a row; after the last row of SELL, the row is `rows`. */
struct place {
    size_t at, row, s;
};

struct ell_places {
    size_t rows, width, ld;

    size_t count() const
    {
        return rows * width;
    }
    __device__ size_t of_band() const
    {
        return BAND_ROWS * width;
    }
    __device__ row_range range_of_block() const /* of bands; how many, is not looked at */
    {
        return {static_cast<size_t>(blockIdx.x) * BLOCK_ENTRIES / of_band(), 0};
    }
    __device__ bool find(size_t i, const row_range &bands, place *p) const
    {
        if (i >= rows * width)
            return false;
        size_t first = bands.first * BAND_ROWS, number = i - bands.first * of_band();
        for (; number >= of_band(); number -= of_band())
            first += BAND_ROWS;
        const strip_place at = place_in_band(number, first, rows);
        *p = {at.s * ld + at.row, at.row, at.s};
        return true;
    }
    __device__ size_t length_at(size_t row, const int32_t *columns, size_t *of_row) const;
};

struct sell_places {
    offsets_view offsets;
    const int32_t *permutation;
    size_t rows, slices, entries;

    size_t count() const
    {
        return slices > 0 ? entries : 0;
    }
    __device__ size_t row_at(size_t place) const
    {
        return place < rows && permutation != nullptr ? static_cast<size_t>(permutation[place])
               : place < rows                         ? place
                                                      : rows;
    }
    __device__ row_range range_of_block() const /* of slices */
    {
        return rows_of_block(offsets, slices, entries);
    }
    __device__ bool find(size_t i, const row_range &range, place *p) const
    {
        if (i >= entries || i >= offsets.at(slices))
            return false;
        const size_t slice = range.row_of(offsets, i);
        p->at = i;
        p->s = (i - offsets.at(slice)) / WARP;
        p->row = row_at(slice * WARP + i % WARP);
        return true;
    }
    __device__ size_t length_at(size_t place, const int32_t *columns, size_t *of_row) const;
};

ell_places ell_of(const prim_sparse *m)
{
    return {m->rows, m->ell_width, m->ell_ld};
}

sell_places sell_of(const prim_sparse *m)
{
    return {offsets_of(m), m->permutation, m->rows, prim_divide_up(m->rows, WARP), m->entries};
}

__device__ inline size_t ell_places::length_at(size_t row, const int32_t *columns,
                                               size_t *of_row) const
{
    *of_row = row;
    return length_of_strip(columns + row, ld, width);
}

__device__ inline size_t sell_places::length_at(size_t place, const int32_t *columns,
                                                size_t *of_row) const
{
    const size_t first = offsets.at(place / WARP), end = offsets.at(place / WARP + 1);
    *of_row = row_at(place);
    return length_of_strip(columns + first + place % WARP, WARP, (end - first) / WARP);
}

/* ---- CSR to ELL and SELL ---- */

template <typename Places>
__global__ void __launch_bounds__(THREADS)
    fill_places(Places places, entry_arrays to, offsets_view offsets, entry_arrays from)
{
    const row_range range = places.range_of_block();
    for (unsigned i = 0; i < ENTRIES_EACH; i++) {
        place p;
        if (!places.find(this_entry(i), range, &p))
            continue;
        const uint64_t first = p.row < places.rows ? offsets.at(p.row) : 0,
                       end = p.row < places.rows ? offsets.at(p.row + 1) : 0;
        if (p.s < end - first)
            move_entry(to, p.at, from, first + p.s);
        else
            put_padding(to, p.at);
    }
}

__global__ void __launch_bounds__(THREADS)
    measure_beyond(offsets_view offsets, size_t rows, uint64_t width, uint64_t *lengths)
{
    const size_t row = this_thread();
    if (row >= rows)
        return;
    const uint64_t length = offsets.at(row + 1) - offsets.at(row);
    lengths[row] = length > width ? length - width : 0;
}

__global__ void set_word(uint64_t *word, uint64_t value)
{
    *word = value;
}

typedef prim_block_scratch<uint64_t, THREADS> longest_scratch;

/* One access to the longest of all for each block. */
__global__ void __launch_bounds__(THREADS)
    find_longest(offsets_view offsets, size_t rows, uint64_t *longest)
{
    PRIM_SHARED(longest_scratch, scratch, );
    uint64_t length = 0;
    for (unsigned i = 0; i < ENTRIES_EACH; i++) {
        const size_t row = this_entry(i);
        const uint64_t its = row < rows ? offsets.at(row + 1) - offsets.at(row) : 0;
        length = its > length ? its : length;
    }
    length = prim_block_max(length, scratch);
    if (threadIdx.x == 0 && length > 0)
        atomicMax(reinterpret_cast<unsigned long long *>(longest),
                  static_cast<unsigned long long>(length));
}

/* The number of places of each slice, by a warp for each. */
__global__ void __launch_bounds__(THREADS)
    measure_slices(offsets_view offsets, sell_places to, uint64_t *lengths)
{
    const size_t at = this_thread(), row = to.row_at(at);
    const uint64_t width =
        reduce_warp<max_operator>(row < to.rows ? offsets.at(row + 1) - offsets.at(row) : 0);
    if (at % WARP == 0 && at < to.rows)
        lengths[at / WARP] = width * WARP;
}

/* ---- ELL and SELL to CSR ---- */

template <typename Places>
__global__ void __launch_bounds__(THREADS)
    measure_rows(Places places, const int32_t *columns, uint64_t *lengths)
{
    const size_t at = this_thread();
    if (at >= places.rows)
        return;
    size_t row;
    const uint64_t length = places.length_at(at, columns, &row);
    lengths[row] = length;
}

/* Entries that do not fit CSR's arrays are dropped. */
__global__ void __launch_bounds__(THREADS)
    take_sell(sell_places places, entry_arrays from, const uint64_t *lengths, offsets_view offsets,
              entry_arrays to, size_t most)
{
    const row_range range = places.range_of_block();
    for (unsigned i = 0; i < ENTRIES_EACH; i++) {
        place p;
        if (!places.find(this_entry(i), range, &p) || p.row >= places.rows || p.s >= lengths[p.row])
            continue;
        const uint64_t entry = offsets.at(p.row) + p.s;
        if (entry < most)
            move_entry(to, entry, from, p.at);
    }
}

/* By entries of CSR, since scattered reads cost less than scattered writes. */
__global__ void __launch_bounds__(THREADS)
    take_ell(ell_places places, entry_arrays from, offsets_view offsets, entry_arrays to,
             size_t most)
{
    const row_range range = rows_of_block(offsets, places.rows, most);
    const uint64_t entries = offsets.at(places.rows);
    for (unsigned i = 0; i < ENTRIES_EACH; i++) {
        const size_t e = this_entry(i);
        if (e >= entries)
            continue;
        const size_t row = range.row_of(offsets, e);
        move_entry(to, e, from, (e - offsets.at(row)) * places.ld + row);
    }
}

/* ---- CSR and COO ---- */

__global__ void __launch_bounds__(THREADS)
    copy_entries(entry_arrays from, entry_arrays to, size_t entries)
{
    const size_t e = this_thread();
    if (e < entries)
        move_entry(to, e, from, e);
}

__global__ void __launch_bounds__(THREADS)
    find_offsets(const int32_t *row_indices, size_t entries, size_t rows, new_offsets to)
{
    const size_t row = this_thread();
    if (row <= rows)
        to.put(row, first_entry_of(row_indices, entries, row));
}

__global__ void __launch_bounds__(THREADS)
    copy_offsets(offsets_view from, size_t rows, new_offsets to)
{
    const size_t row = this_thread();
    if (row <= rows)
        to.put(row, from.at(row));
}

/* ---- a conversion ---- */

bool is_between(const prim_sparse_convert_args *args, prim_sparse_format format)
{
    return args->from.format == format || args->format == format;
}

/* ELL and SELL, and HYB, whose lengths are those of both parts or of one. */
bool needs_lengths(const prim_sparse_convert_args *args)
{
    return is_between(args, PRIM_SPARSE_ELL) || is_between(args, PRIM_SPARSE_SELL) ||
           is_between(args, PRIM_SPARSE_HYB);
}

bool is_sorted(const prim_sparse_convert_args *args)
{
    return args->format == PRIM_SPARSE_SELL && args->width > 1;
}

/* A length for each row, or for each slice that is made. */
size_t count_of_lengths(const prim_sparse_convert_args *args)
{
    const size_t rows = args->from.rows;
    return args->format == PRIM_SPARSE_SELL ? prim_divide_up(rows, WARP) : rows;
}

/* Lengths and their sums; where each row begins in HYB's part in COO; room for sorting; then SELL's
 * order, where only the size is wanted. */
size_t workspace_bytes(const void *any)
{
    const prim_sparse_convert_args *args = static_cast<const prim_sparse_convert_args *>(any);
    const size_t rows = args->from.rows;
    if (args->format == PRIM_SPARSE_JDS)
        return prim_sparse_to_jds_bytes(&args->from);
    if (args->from.format == PRIM_SPARSE_JDS)
        return prim_sparse_from_jds_bytes(&args->from);
    return (needs_lengths(args) ? prim_sparse_sums_bytes(count_of_lengths(args)) : 0) +
           (is_between(args, PRIM_SPARSE_HYB) ? (rows + 1) * sizeof(uint64_t) : 0) +
           (is_sorted(args) ? prim_sparse_order_bytes(rows, static_cast<size_t>(args->width)) +
                                  rows * sizeof(int32_t)
                            : 0);
}

/* The launches of one call. `to` is empty where only its size is wanted. */
struct job : launches {
    const prim_sparse_convert_args *args;
    const prim_sparse *from, *to;
    uint64_t *lengths; /* the workspace */

    /* HYB: after the lengths and their sums, where each row begins in the part in COO. */
    uint64_t *begins() const
    {
        return lengths + prim_sparse_sums_bytes(count_of_lengths(args)) / sizeof(uint64_t);
    }
    /* Offsets, or only the size, or only what is missing. */
    void sum_lengths(const void *offsets, bool wide, uint64_t most)
    {
        const prim_sparse_sums sums = {
            lengths,      count_of_lengths(args), const_cast<void *>(offsets), wide, most,
            args->d_size, args->missing};
        then_call(prim_sparse_sum, &sums);
    }
    void sum_lengths(const void *offsets, uint64_t most)
    {
        sum_lengths(offsets, args->offset_type == CUDA_R_64I, most);
    }
    void copy_all_entries()
    {
        then(from->entries, copy_entries, entry_arrays_of(from), entry_arrays_of(to),
             from->entries);
        if (args->missing != nullptr)
            then_once(set_word, args->missing, uint64_t(0));
    }
};

void csr_to_csr(job *j)
{
    j->then(j->from->rows + 1, copy_offsets, offsets_of(j->from), j->from->rows,
            new_offsets_of(j->to));
    j->copy_all_entries();
}

void coo_to_csr(job *j)
{
    j->then(j->from->rows + 1, find_offsets, j->from->row_indices, j->from->entries, j->from->rows,
            new_offsets_of(j->to));
    j->copy_all_entries();
}

void csr_to_coo(job *j)
{
    j->then_call(prim_sparse_find_rows, j->from, const_cast<int32_t *>(j->to->row_indices));
    j->copy_all_entries();
}

/* Also HYB's part in ELL. */
void fill_ell(job *j)
{
    const ell_places places = ell_of(j->to);
    j->then(threads_for_entries(places.count()), fill_places<ell_places>, places,
            ell_arrays_of(j->to), offsets_of(j->from), entry_arrays_of(j->from));
}

void csr_to_ell(job *j)
{
    const offsets_view offsets = offsets_of(j->from);
    const size_t rows = j->from->rows;
    if (j->args->wants_size) {
        j->then_once(set_word, j->args->d_size, uint64_t(0));
        j->then(threads_for_entries(rows), find_longest, offsets, rows, j->args->d_size);
        return;
    }
    fill_ell(j);
    if (j->args->missing != nullptr) {
        j->then(rows, measure_beyond, offsets, rows, uint64_t(j->to->ell_width), j->lengths);
        j->sum_lengths(nullptr, 0);
    }
}

void csr_to_hyb(job *j)
{
    const size_t rows = j->from->rows;
    uint64_t *const begins = j->args->wants_size ? nullptr : j->begins();
    j->then(rows, measure_beyond, offsets_of(j->from), rows, static_cast<uint64_t>(j->args->width),
            j->lengths);
    j->sum_lengths(begins, true, j->args->size);
    if (j->args->wants_size)
        return;
    fill_ell(j);
    j->then_call(prim_sparse_fill_coo_part, j->from, j->to, begins);
}

/* Into the target, or after the lengths and the room for sorting. */
const int32_t *sort_rows(job *j, size_t lengths)
{
    const size_t rows = j->from->rows, sigma = static_cast<size_t>(j->args->width);
    int32_t *const room = reinterpret_cast<int32_t *>(j->lengths + prim_sparse_sums_bytes(lengths) /
                                                                       sizeof(uint64_t));
    const prim_sparse_order order = {
        j->from, sigma,
        j->args->wants_size ? room + prim_sparse_order_bytes(rows, sigma) / sizeof(int32_t)
                            : const_cast<int32_t *>(j->to->permutation),
        room};
    j->then_call(prim_sparse_sort_rows, &order);
    return order.permutation;
}

void csr_to_sell(job *j)
{
    const offsets_view offsets = offsets_of(j->from);
    const size_t rows = j->from->rows, count = count_of_lengths(j->args);
    sell_places places = sell_of(j->to);
    places.rows = rows;
    if (is_sorted(j->args))
        places.permutation = sort_rows(j, count);
    j->then(count * WARP, measure_slices, offsets, places, j->lengths);
    j->sum_lengths(j->to->slice_offsets, j->args->size);
    if (!j->args->wants_size)
        j->then(threads_for_entries(places.count()), fill_places<sell_places>, places,
                entry_arrays_of(j->to), offsets, entry_arrays_of(j->from));
}

template <typename Places>
void make_offsets(job *j, const Places &places)
{
    j->then(places.rows, measure_rows<Places>, places, entry_arrays_of(j->from).columns,
            j->lengths);
    j->sum_lengths(j->to->row_offsets, j->args->size);
}

void ell_to_csr(job *j)
{
    const ell_places places = ell_of(j->from);
    make_offsets(j, places);
    if (!j->args->wants_size && places.rows > 0)
        j->then(threads_for_entries(j->args->size), take_ell, places, entry_arrays_of(j->from),
                offsets_of(j->to), entry_arrays_of(j->to), j->args->size);
}

void hyb_to_csr(job *j)
{
    const prim_sparse *from = j->from;
    uint64_t *const begins = j->begins();
    j->then(from->rows + 1, find_offsets, from->row_indices, from->entries, from->rows,
            new_offsets{begins, true});
    j->then_call(prim_sparse_measure_hyb, from, begins, j->lengths);
    j->sum_lengths(j->to->row_offsets, j->args->size);
    if (!j->args->wants_size)
        j->then_call(prim_sparse_take_hyb, from, begins, j->lengths, j->to);
}

void sell_to_csr(job *j)
{
    const sell_places places = sell_of(j->from);
    make_offsets(j, places);
    if (!j->args->wants_size)
        j->then(threads_for_entries(places.count()), take_sell, places, entry_arrays_of(j->from),
                j->lengths, offsets_of(j->to), entry_arrays_of(j->to), j->args->size);
}

cudaError_t launch(const void *any)
{
    const prim_sparse_convert_args *args = static_cast<const prim_sparse_convert_args *>(any);
    const prim_sparse_format from = args->from.format, format = args->format;
    prim_sparse to = {};
    size_t bytes;
    job j = {
        {args->call.stream}, args, &args->from, &to, static_cast<uint64_t *>(args->call.workspace)};
    if (!args->wants_size)
        prim_sparse_target(args, &to, &bytes);
    if (from == PRIM_SPARSE_ELL)
        ell_to_csr(&j);
    else if (from == PRIM_SPARSE_SELL)
        sell_to_csr(&j);
    else if (from == PRIM_SPARSE_HYB)
        hyb_to_csr(&j);
    else if (format == PRIM_SPARSE_ELL)
        csr_to_ell(&j);
    else if (format == PRIM_SPARSE_SELL)
        csr_to_sell(&j);
    else if (format == PRIM_SPARSE_HYB)
        csr_to_hyb(&j);
    else if (format == PRIM_SPARSE_JDS)
        j.then_call(prim_sparse_csr_to_jds, args, &to);
    else if (args->wants_size)
        j.then_once(set_word, args->d_size, uint64_t(prim_sparse_entries(&args->from)));
    else if (from == PRIM_SPARSE_JDS)
        j.then_call(prim_sparse_jds_to_csr, args, &to);
    else if (from == PRIM_SPARSE_COO)
        coo_to_csr(&j);
    else if (format == PRIM_SPARSE_COO)
        csr_to_coo(&j);
    else
        csr_to_csr(&j);
    return j.error;
}

/* Why this pair of formats is not supported, or JDS with this many entries, whatever the sizes. */
const char *pair_why_not(const prim_sparse_convert_args *args)
{
    if (!is_between(args, PRIM_SPARSE_CSR))
        return "one of the two formats must be CSR";
    return args->format == PRIM_SPARSE_JDS && args->from.entries > UINT32_MAX
               ? "it converts fewer than 2^32 entries to JDS"
               : nullptr;
}

/* Of HYB's two parts, the larger one. */
size_t places_of(const prim_sparse *m)
{
    const bool has_ell = m->format == PRIM_SPARSE_ELL || m->format == PRIM_SPARSE_HYB;
    const size_t of_ell = has_ell ? m->rows * m->ell_width : 0;
    return m->entries > of_ell && m->format != PRIM_SPARSE_ELL ? m->entries : of_ell;
}

/* JDS's groups, where they are more than rows. */
size_t places_for_entries(const prim_sparse *m)
{
    const size_t places = places_of(m), groups = m->format == PRIM_SPARSE_JDS ? m->group_count : 0;
    return groups > places ? groups : places;
}

/* Rows always fit. */
const char *why_not(const void *any)
{
    const prim_sparse_convert_args *args = static_cast<const prim_sparse_convert_args *>(any);
    const char *const reason = pair_why_not(args);
    prim_sparse to;
    size_t bytes;
    if (reason != nullptr)
        return reason;
    prim_sparse_target(args, &to, &bytes);
    const bool fits =
        prim_fits_a_grid(1, prim_divide_up(places_of(&args->from), THREADS)) &&
        (args->wants_size || prim_fits_a_grid(1, prim_divide_up(places_for_entries(&to), THREADS)));
    return fits ? nullptr : PRIM_GRID_TOO_SMALL;
}

} // namespace convert
} // namespace

PRIM_DEFINE_RUNG(sparse_convert, places) = {
    {1, "places", "a thread a place"}, convert::why_not, convert::workspace_bytes, convert::launch};
