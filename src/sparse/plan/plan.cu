/* prim_spmv_plan(): a page for each tile, by a block each; plan.cuh shows what is in it.
 *
 *     columns    staged, as for a product
 *     patterned  a thread for each row: are its columns those of the row before, plus one? If not,
 *                it begins a group; and a thread for each group: has an earlier one its pattern?
 *     near       the least and the greatest column are less than 2^16 apart
 *     far        otherwise
 *
 * Work: entries. Bytes: offsets twice, columns once, and the pages. */
#include "common/host/element.h"
#include "sparse/launches.cuh"
#include "sparse/plan/plan.cuh"
#include "sparse/plan/plan_args.h"

namespace
{
namespace make_plan
{

/* row_words for each lane of a warp. */
constexpr unsigned WORDS_OF_LANE = (words_of(TILE) + WARP - 1) / WARP, WORDS = WORDS_OF_LANE * WARP;

struct most_operator {
    static __device__ int32_t combine(int32_t a, int32_t b)
    {
        return a > b ? a : b;
    }
};

/* The greatest column, and the distance of the least from an upper bound: both are maxima. */
struct range {
    int32_t greatest, above_least;
};

/* More do not fit a page's front. */
constexpr unsigned MOST_GROUPS = FRONT_BYTES / sizeof(row_group);

/* Rows of one pattern: the first of them, and the first group that has the same. */
struct found_group {
    uint16_t row, length, alike;
};

struct block_state {
    alignas(16) unsigned char columns[staged_bytes<int32_t>(STAGED)];
    uint16_t begins[TILE + 1];
    unsigned kinds[TILE_WARPS];
    range ranges[TILE_WARPS];
    row_word words[WORDS];
    found_group found[MOST_GROUPS];
    unsigned groups;
    strip_list<STRIPS> strips;
};

/* ---- near ---- */

__device__ inline range widened(range a, range b)
{
    return {most_operator::combine(a.greatest, b.greatest),
            most_operator::combine(a.above_least, b.above_least)};
}

__device__ inline range range_of_warp(const int32_t *columns, unsigned count)
{
    range r = {0, 0};
    for (unsigned e = threadIdx.x; e < count; e += TILE_THREADS)
        r = widened(r, {columns[e], INT32_MAX - columns[e]});
    return {reduce_warp<most_operator>(r.greatest), reduce_warp<most_operator>(r.above_least)};
}

/* ---- patterns ---- */

/* Whether row b has row a's columns, each plus b - a. */
__device__ inline bool are_alike(const block_state &d, const int32_t *columns, unsigned a,
                                 unsigned b)
{
    const unsigned of_a = d.begins[a], of_b = d.begins[b], length = d.begins[b + 1] - of_b;
    const int32_t apart = static_cast<int32_t>(b - a);
    bool alike = d.begins[a + 1] - of_a == length;
    for (unsigned s = 0; alike && s < length; s++)
        alike = columns[of_b + s] - apart == columns[of_a + s];
    return alike;
}

__device__ inline void find_groups(block_state &d, const int32_t *columns, unsigned rows)
{
    const unsigned lane = threadIdx.x % WARP;
    for (unsigned w = threadIdx.x / WARP; w < WORDS; w += TILE_WARPS) {
        const unsigned row = w * WARP + lane,
                       lanes = __ballot_sync(
                           ALL_LANES,
                           row < rows && (row == 0 || !are_alike(d, columns, row - 1, row)));
        if (lane == 0)
            d.words[w] = {lanes, count_bits(lanes)};
    }
}

/* An exclusive scan of the groups that begin in every 32 rows, by one warp. */
__device__ inline void count_groups(block_state &d)
{
    const unsigned lane = threadIdx.x, first = lane * WORDS_OF_LANE;
    unsigned here = 0;
    for (unsigned w = first; w < first + WORDS_OF_LANE; w++)
        here += d.words[w].begin_before;
    const unsigned up_to = scan_warp<sum_operator>(here, lane);
    unsigned before = up_to - here;
    for (unsigned w = first; w < first + WORDS_OF_LANE; w++) {
        const unsigned groups = d.words[w].begin_before;
        d.words[w].begin_before = before;
        before += groups;
    }
    if (lane == WARP - 1)
        d.groups = up_to;
}

__device__ inline void list_groups(block_state &d, unsigned rows)
{
    for (unsigned row = threadIdx.x; row < rows; row += TILE_THREADS) {
        const row_word word = d.words[row / ROWS_OF_WORD];
        const unsigned bit = row % ROWS_OF_WORD, below = (1u << bit) - 1;
        if ((word.begin_here >> bit & 1) != 0)
            d.found[word.begin_before + count_bits(word.begin_here & below)].row =
                static_cast<uint16_t>(row);
    }
}

/* A thread for each group finds the first one of its pattern: after a grid's edge the same patterns
 * come again. */
__device__ inline void compare_groups(block_state &d, const int32_t *columns)
{
    const unsigned g = threadIdx.x;
    if (g >= d.groups)
        return;
    const unsigned row = d.found[g].row;
    unsigned alike = 0;
    while (alike < g && !are_alike(d, columns, d.found[alike].row, row))
        alike++;
    d.found[g].alike = static_cast<uint16_t>(alike);
    d.found[g].length = static_cast<uint16_t>(d.begins[row + 1] - d.begins[row]);
}

/* Where a group's pattern begins: the lengths of the distinct patterns before it. */
__device__ inline unsigned pattern_before(const block_state &d, unsigned group)
{
    unsigned before = 0;
    for (unsigned g = 0; g < group; g++)
        before += d.found[g].alike == g ? d.found[g].length : 0u;
    return before;
}

/* The bytes of a patterned page; more than a front where there are too many groups. */
__device__ inline unsigned patterns_bytes(const block_state &d, unsigned rows)
{
    if (d.groups > MOST_GROUPS)
        return FRONT_BYTES;
    return words_of(rows) * static_cast<unsigned>(sizeof(row_word)) +
           d.groups * static_cast<unsigned>(sizeof(row_group)) +
           pattern_before(d, d.groups) * static_cast<unsigned>(sizeof(int32_t));
}

__device__ inline void write_patterns(const block_state &d, const int32_t *columns,
                                      const csr_tile &t, unsigned char *body)
{
    const page_patterns to = patterns_of(body, t.rows, d.groups);
    const unsigned g = threadIdx.x;
    if (g < words_of(t.rows))
        to.words[g] = d.words[g];
    if (g >= d.groups)
        return;
    const found_group found = d.found[g];
    const unsigned begin = d.begins[found.row], pattern = pattern_before(d, found.alike);
    to.groups[g] = {found.row, static_cast<uint16_t>(begin), found.length,
                    static_cast<uint16_t>(pattern)};
    for (unsigned s = 0; found.alike == g && s < found.length; s++)
        to.differences[pattern + s] =
            columns[begin + s] - static_cast<int32_t>(t.first_row + found.row);
}

/* ---- a page ---- */

__device__ inline void write_rows(const block_state &d, const int32_t *columns, const page_head &h,
                                  unsigned char *body)
{
    uint16_t *const begins = reinterpret_cast<uint16_t *>(body);
    uint16_t *const near_columns = reinterpret_cast<uint16_t *>(body + h.body_bytes);
    for (unsigned row = threadIdx.x; row <= h.rows; row += TILE_THREADS)
        begins[row] = h.rows == 0 ? uint16_t(0) : d.begins[row];
    for (unsigned e = threadIdx.x; h.way == WAY_NEAR && e < h.entries; e += TILE_THREADS)
        near_columns[e] = static_cast<uint16_t>(columns[e] - h.base);
}

__device__ inline page_head head_of(const block_state &d, const csr_tile &t, unsigned count)
{
    range r = d.ranges[0];
    PRIM_UNROLL(8)
    for (unsigned w = 1; w < TILE_WARPS; w++)
        r = widened(r, d.ranges[w]);
    const int32_t least = INT32_MAX - r.above_least;
    const unsigned kinds = kinds_of_tile(d.kinds) | (d.strips.count > 0 ? WITH_STRIPS : 0),
                   bytes = patterns_bytes(d, t.rows);
    const bool patterned = (kinds & WITH_STRIPS) == 0 && count > 0 && bytes <= count &&
                           HEAD_BYTES + bytes <= FRONT_BYTES,
               is_near = count > 0 && r.greatest - least < NEAR_COLUMNS;
    page_head h = {};
    h.first_entry = static_cast<int64_t>(t.first_entry);
    h.first_row = static_cast<int32_t>(t.first_row);
    h.base = patterned || !is_near ? 0 : least;
    h.rows = static_cast<uint16_t>(t.rows);
    h.entries = static_cast<uint16_t>(count);
    h.body_bytes = static_cast<uint16_t>(
        in_vectors(patterned ? bytes : (t.rows + 1) * static_cast<unsigned>(sizeof(uint16_t))));
    h.groups = static_cast<uint16_t>(patterned ? d.groups : 0);
    h.way = patterned ? WAY_PATTERNED : is_near ? WAY_NEAR : WAY_FAR;
    h.kinds = static_cast<uint8_t>(kinds);
    return h;
}

__global__ void __launch_bounds__(TILE_THREADS)
    make_pages(plan<void> p, const int32_t *columns, unsigned char *pages)
{
    PRIM_SHARED(block_state, d, );
    if (threadIdx.x == 0)
        d.strips.count = 0;
    __syncthreads();
    grid_dependency_synchronize();
    const csr_tile t = this_tile(p);
    const unsigned fit = STAGED - t.rows, count = t.entries < fit ? t.entries : fit;
    const int32_t *const staged = stage(d.columns, columns + t.first_entry, count);
    note_rows(p, t, d.begins, d.kinds, &d.strips);
    wait_for_copies();
    __syncthreads();
    const range mine = range_of_warp(staged, count);
    if (threadIdx.x % WARP == 0)
        d.ranges[threadIdx.x / WARP] = mine;
    find_groups(d, staged, d.strips.count > 0 ? 0 : t.rows);
    __syncthreads();
    if (threadIdx.x < WARP)
        count_groups(d);
    __syncthreads();
    if (d.groups <= MOST_GROUPS) {
        list_groups(d, t.rows);
        __syncthreads();
        compare_groups(d, staged);
    }
    __syncthreads();
    unsigned char *const page = pages + static_cast<size_t>(blockIdx.x) * PAGE_BYTES;
    const page_head h = head_of(d, t, count);
    if (threadIdx.x == 0)
        *reinterpret_cast<page_head *>(page) = h;
    if (h.way == WAY_PATTERNED)
        write_patterns(d, staged, t, page + HEAD_BYTES);
    else
        write_rows(d, staged, h, page + HEAD_BYTES);
}

size_t workspace_bytes(const void *any)
{
    const prim_sparse *m = &static_cast<const prim_spmv_plan_args *>(any)->matrix;
    return m->rows == 0 || goes_by_rows(m) ? 0 : boundaries_bytes(m);
}

const char *why_not(const void *any)
{
    const prim_sparse *m = &static_cast<const prim_spmv_plan_args *>(any)->matrix;
    if (m->format != PRIM_SPARSE_CSR)
        return "it takes CSR only";
    return prim_fits_a_grid(1, tiles_of(m)) ? nullptr : PRIM_GRID_TOO_SMALL;
}

cudaError_t launch(const void *any)
{
    const prim_spmv_plan_args *args = static_cast<const prim_spmv_plan_args *>(any);
    const prim_sparse *m = &args->matrix;
    if (pages_bytes(m) == 0)
        return cudaSuccess;
    plan<void> p = plan_rows<void>(m);
    p.boundaries = static_cast<boundary *>(args->call.workspace);
    const cudaStream_t stream = args->call.stream;
    const cudaError_t error =
        prim_launch({stream, blocks_for(p.tiles + 1, FINDERS), FINDERS}, find_tiles<void>, p);
    return error == cudaSuccess
               ? prim_launch_dependent({stream, static_cast<unsigned>(p.tiles), TILE_THREADS},
                                       make_pages, p, m->column_indices,
                                       static_cast<unsigned char *>(args->plan))
               : error;
}

} // namespace make_plan
} // namespace

size_t prim_spmv_pages_bytes(const prim_sparse *matrix)
{
    return pages_bytes(matrix);
}

PRIM_DEFINE_RUNG(spmv_plan, pages) = {{1, "pages", "a page for each tile"},
                                      make_plan::why_not,
                                      make_plan::workspace_bytes,
                                      make_plan::launch};
