/* CSR to JDS and back.
 *
 *     lengths    2 0 3 2          row i's
 *     rows       2 0 3 1          number_sort.cu sorts rows by length, the longest first
 *     sorted     3 2 2 0          their lengths
 *     marks      1 1 0 1          a group begins where the length changes; offsets.cu counts groups
 *     group of   0 1 2 2   3      = the marks before; and all
 *     firsts     0 1 3     4      a group's first row: the place of its mark; and all rows
 *     entries    0 3 7     7      the sums of rows · width: a group's first entry; and all
 *
 * Then each thread has some places of the target: it searches their group among the first entries,
 * divides by its rows, and reads the entry of that row.
 *
 * With fewer groups than there are, the last one takes all rows that are left, as many entries of
 * each as the shortest has. Places of no group get entries that nobody reads.
 *
 * Back, groups are kernel parameters, since the host may free them after the call: a thread for
 * each row notes its length, its first entry and how far the others lie apart; then threads for the
 * entries of CSR search their row among the offsets, and read them from there.
 *
 * Work: rows and entries, times the logarithm of the groups or rows that a block has. What holds it
 * back: one side is scattered, as for ELL. Bytes: the entries twice, and some 120 for each row. */
#include "sparse/convert/convert_jds.h"

#include "sparse/convert/entry_arrays.cuh"
#include "sparse/rows/entry_rows.cuh"
#include "sparse/rows/offsets.h"
#include "sparse/sort/number_sort.h"

namespace
{
namespace convert_jds
{

/* ---- lengths, sorted ---- */

/* Smaller where the row is longer. No row has 2^32 entries. */
__device__ inline uint32_t key_of(uint64_t length)
{
    return ~static_cast<uint32_t>(length);
}

__device__ inline uint32_t length_of(uint32_t key)
{
    return ~key;
}

__global__ void __launch_bounds__(THREADS)
    make_keys(offsets_view offsets, size_t rows, uint32_t *keys)
{
    const size_t row = this_thread();
    if (row < rows)
        keys[row] = key_of(offsets.at(row + 1) - offsets.at(row));
}

__global__ void __launch_bounds__(THREADS)
    mark_groups(const uint32_t *sorted, size_t rows, uint64_t *marks)
{
    const size_t place = this_thread();
    if (place < rows)
        marks[place] = place == 0 || sorted[place] != sorted[place - 1] ? 1 : 0;
}

/* ---- groups ---- */

/* group_of[place]: the number of groups that begin before it; at most `count`, which is at most
 * rows. */
__global__ void __launch_bounds__(THREADS)
    find_firsts(const int32_t *group_of, size_t rows, size_t count, uint32_t *firsts)
{
    const size_t i = this_thread();
    if (i < rows && group_of[i + 1] != group_of[i])
        firsts[group_of[i]] = static_cast<uint32_t>(i);
    if (i <= count && i >= static_cast<size_t>(group_of[rows]))
        firsts[i] = static_cast<uint32_t>(rows); /* the end, and groups that are not needed */
}

/* The first `count` groups of the target; others are empty. */
struct made_groups {
    const uint32_t *firsts, *sorted;
    size_t count;

    __device__ size_t rows(size_t g) const
    {
        return firsts[g + 1] - firsts[g];
    }
    /* The length of its last row, the shortest. */
    __device__ size_t width(size_t g) const
    {
        return rows(g) > 0 ? length_of(sorted[firsts[g + 1] - 1]) : 0;
    }
};

__global__ void __launch_bounds__(THREADS) measure_groups(made_groups groups, uint64_t *entries)
{
    const size_t g = this_thread();
    if (g < groups.count)
        entries[g] = groups.rows(g) * groups.width(g);
}

__global__ void __launch_bounds__(THREADS)
    write_groups(made_groups groups, const uint64_t *first_entries, size_t rows, prim_jds_group *to,
                 size_t to_count)
{
    const size_t g = this_thread();
    if (g < groups.count)
        to[g] = {groups.firsts[g], groups.rows(g), groups.width(g), first_entries[g]};
    else if (g < to_count)
        to[g] = {rows, 0, 0, first_entries[groups.count]};
}

/* ---- entries ---- */

/* Of a group's places, band by band: entry_rows.cuh. */
__device__ strip_place nth_place(uint32_t n, size_t rows, size_t width)
{
    const uint32_t of_band = static_cast<uint32_t>(width) * BAND_ROWS,
                   band = rows <= BAND_ROWS ? 0 : n / of_band;
    return place_in_band(n - band * of_band, static_cast<size_t>(band) * BAND_ROWS, rows);
}

__global__ void __launch_bounds__(THREADS)
    fill_places(offsets_view first_entries, made_groups groups, const int32_t *permutation,
                entry_arrays to, size_t entries, offsets_view offsets, entry_arrays from)
{
    const row_range range = rows_of_block(first_entries, groups.count, entries);
    const uint64_t in_groups = first_entries.at(groups.count);
    for (unsigned i = 0; i < ENTRIES_EACH; i++) {
        const size_t e = this_entry(i);
        if (e >= entries)
            continue;
        size_t entry = e, at = e; /* of no group: any */
        if (e < in_groups) {
            const size_t g = range.row_of(first_entries, e);
            const size_t first_entry = first_entries.at(g), rows = groups.rows(g);
            const strip_place p =
                nth_place(static_cast<uint32_t>(e - first_entry), rows, groups.width(g));
            entry = offsets.at(static_cast<size_t>(permutation[groups.firsts[g] + p.row])) + p.s;
            at = first_entry + p.s * rows + p.row;
        }
        move_entry(to, at, from, entry);
    }
}

/* ---- the launches to JDS ---- */

unsigned passes_of(const prim_sparse *csr)
{
    return prim_sparse_passes_for(csr->entries + 1);
}

size_t state_bytes(const prim_sparse *csr)
{
    return csr->rows > 0 ? prim_sparse_number_sort_bytes(csr->rows, passes_of(csr)) : 0;
}

/* Words of 64 bits for that many of 32. */
size_t words_for(size_t count)
{
    return prim_divide_up(count, 2);
}

/* What only the sort needs serves others afterwards. */
struct room_for_rows {
    void *state;
    uint64_t *sums;
    uint64_t *first_entries; /* or the sort's room */
    uint32_t *keys;          /* or group_of */
    uint32_t *sorted;
    uint32_t *firsts; /* or, where only the size is wanted, the sorted rows */
};

size_t words_of_rows(size_t rows)
{
    return prim_sparse_sums_bytes(rows) / sizeof(uint64_t) + rows + 1 + 3 * words_for(rows + 1);
}

room_for_rows room_of(const prim_sparse *csr, void *workspace)
{
    const size_t rows = csr->rows;
    room_for_rows r = {};
    r.state = workspace;
    r.sums = reinterpret_cast<uint64_t *>(static_cast<char *>(workspace) + state_bytes(csr));
    r.first_entries = r.sums + prim_sparse_sums_bytes(rows) / sizeof(uint64_t);
    uint64_t *const rest = r.first_entries + rows + 1;
    r.keys = reinterpret_cast<uint32_t *>(rest);
    r.sorted = reinterpret_cast<uint32_t *>(rest + words_for(rows + 1));
    r.firsts = reinterpret_cast<uint32_t *>(rest + 2 * words_for(rows + 1));
    return r;
}

struct job : launches {
    const prim_sparse_convert_args *args;
    const prim_sparse *csr, *to;
    room_for_rows w;

    /* The keys to w.sorted, and rows to the permutation. */
    void sort_rows()
    {
        const size_t rows = csr->rows;
        if (rows == 0)
            return;
        uint32_t *const room = reinterpret_cast<uint32_t *>(w.first_entries),
                        *const permutation = args->wants_size
                                                 ? w.firsts
                                                 : reinterpret_cast<uint32_t *>(
                                                       const_cast<int32_t *>(to->permutation));
        const prim_sparse_number_sort sort = {
            w.keys, rows, passes_of(csr), {w.sorted, permutation}, {room, room + rows}, w.state};
        then(rows, make_keys, offsets_of(csr), rows, w.keys);
        then_call(prim_sparse_sort_numbers, &sort);
    }
    /* The number of groups; and, where that is not all, group_of. */
    void count_groups()
    {
        const prim_sparse_sums sums = {
            w.sums,       csr->rows,    args->wants_size ? nullptr : w.keys, false, args->size,
            args->d_size, args->missing};
        then(csr->rows, mark_groups, w.sorted, csr->rows, w.sums);
        then_call(prim_sparse_sum, &sums);
    }
    void make_groups(const made_groups &groups)
    {
        const size_t rows = csr->rows, count = groups.count;
        const prim_sparse_sums sums = {w.sums,     count,   w.first_entries, true,
                                       UINT64_MAX, nullptr, nullptr};
        then(rows + 1, find_firsts, reinterpret_cast<const int32_t *>(w.keys), rows, count,
             w.firsts);
        then(count, measure_groups, groups, w.sums);
        then_call(prim_sparse_sum, &sums);
        then(to->group_count, write_groups, groups, w.first_entries, rows,
             const_cast<prim_jds_group *>(to->h_groups), to->group_count);
    }
};

/* ---- JDS to CSR ---- */

/* Groups of one launch, none empty, in the kernel's parameters, which are at most 4 KB. What is
 * searched lies side by side. */
constexpr unsigned MANY = 192;

struct group_list {
    unsigned count;
    uint32_t first_rows[MANY + 1]; /* and the end */
    uint64_t widths[MANY], first_entries[MANY];

    __device__ unsigned group_of(uint32_t place) const
    {
        unsigned first = 0;
        for (unsigned left = count; left > 1;) {
            const unsigned half = left / 2;
            const bool later = first_rows[first + half] <= place;
            first += later ? half : 0;
            left = later ? left - half : half;
        }
        return first;
    }
};
static_assert(sizeof(group_list) <= 4096 - 64, "parameters of a kernel");

/* Where rows lie: entry s of one at first + s · stride. */
struct row_strips {
    uint64_t *lengths, *firsts;
    uint32_t *strides;
};

__global__ void __launch_bounds__(THREADS)
    place_rows(const group_list list, const int32_t *permutation, row_strips to)
{
    const size_t place = list.first_rows[0] + this_thread();
    if (place >= list.first_rows[list.count])
        return;
    const unsigned g = list.group_of(static_cast<uint32_t>(place));
    const size_t row = static_cast<size_t>(permutation[place]);
    to.lengths[row] = list.widths[g];
    to.firsts[row] = list.first_entries[g] + (place - list.first_rows[g]);
    to.strides[row] = list.first_rows[g + 1] - list.first_rows[g];
}

__global__ void __launch_bounds__(THREADS)
    take_entries(row_strips strips, entry_arrays from, offsets_view offsets, size_t rows,
                 entry_arrays to, size_t entries)
{
    const row_range range = rows_of_block(offsets, rows, entries);
    for (unsigned i = 0; i < ENTRIES_EACH; i++) {
        const size_t e = this_entry(i);
        if (e >= entries)
            continue;
        const size_t row = range.row_of(offsets, e);
        move_entry(to, e, from, strips.firsts[row] + (e - offsets.at(row)) * strips.strides[row]);
    }
}

void place_all_rows(launches *l, const prim_sparse *jds, const row_strips &strips)
{
    group_list list = {};
    for (size_t g = 0; g < jds->group_count; g++) {
        const prim_jds_group &of = jds->h_groups[g];
        if (of.rows > 0) {
            list.first_rows[list.count] = static_cast<uint32_t>(of.first_row);
            list.widths[list.count] = of.width;
            list.first_entries[list.count++] = of.first_entry;
            list.first_rows[list.count] = static_cast<uint32_t>(of.first_row + of.rows);
        }
        if (list.count == MANY || g + 1 == jds->group_count) {
            l->then(list.first_rows[list.count] - list.first_rows[0], place_rows, list,
                    jds->permutation, strips);
            list.count = 0;
        }
    }
}

} // namespace convert_jds
} // namespace

size_t prim_sparse_to_jds_bytes(const prim_sparse *csr)
{
    using namespace convert_jds;
    return state_bytes(csr) + words_of_rows(csr->rows) * sizeof(uint64_t);
}

cudaError_t prim_sparse_csr_to_jds(cudaStream_t stream, const prim_sparse_convert_args *args,
                                   const prim_sparse *to)
{
    using namespace convert_jds;
    const prim_sparse *csr = &args->from;
    job j = {{stream}, args, csr, to, room_of(csr, args->call.workspace)};
    j.sort_rows();
    j.count_groups();
    if (args->wants_size)
        return j.error;
    const made_groups groups = {j.w.firsts, j.w.sorted,
                                to->group_count < csr->rows ? to->group_count : csr->rows};
    j.make_groups(groups);
    j.then(threads_for_entries(to->entries), fill_places, offsets_view{j.w.first_entries, true},
           groups, to->permutation, entry_arrays_of(to), to->entries, offsets_of(csr),
           entry_arrays_of(csr));
    return j.error;
}

/* Lengths and their sums; firsts, and strides. */
size_t prim_sparse_from_jds_bytes(const prim_sparse *jds)
{
    return prim_sparse_sums_bytes(jds->rows) +
           (jds->rows + convert_jds::words_for(jds->rows)) * sizeof(uint64_t);
}

cudaError_t prim_sparse_jds_to_csr(cudaStream_t stream, const prim_sparse_convert_args *args,
                                   const prim_sparse *to)
{
    using namespace convert_jds;
    const prim_sparse *jds = &args->from;
    const size_t rows = jds->rows;
    uint64_t *const lengths = static_cast<uint64_t *>(args->call.workspace),
                    *const firsts = lengths + prim_sparse_sums_bytes(rows) / sizeof(uint64_t);
    const row_strips strips = {lengths, firsts, reinterpret_cast<uint32_t *>(firsts + rows)};
    const prim_sparse_sums sums = {lengths,
                                   rows,
                                   const_cast<void *>(to->row_offsets),
                                   to->offset_type == CUDA_R_64I,
                                   to->entries,
                                   nullptr,
                                   args->missing};
    launches l = {stream};
    place_all_rows(&l, jds, strips);
    l.then_call(prim_sparse_sum, &sums);
    l.then(threads_for_entries(to->entries), take_entries, strips, entry_arrays_of(jds),
           offsets_of(to), rows, entry_arrays_of(to), to->entries);
    return l.error;
}
