/* prim_spmv_plan(): a page for each tile, by a block each; plan.cuh shows what is in it.
 *
 *     columns    staged, as for a product
 *     patterned  a thread a row: is it the row before, moved by one? Those that are not begin
 *                groups; sums over the rows before say where each group and its pattern go
 *     near       the least and the greatest column are less than 2^16 apart
 *     far        otherwise
 *
 * Work: entries. Bytes: offsets twice, columns once, and the pages. */
#include "common/element.h"
#include "sparse/launches.cuh"
#include "sparse/plan.cuh"
#include "sparse/plan_args.h"

namespace
{
namespace make_plan
{

/* So many for each lane of a warp. */
constexpr unsigned WORDS_OF_LANE = (words_of(TILE) + WARP - 1) / WARP, WORDS = WORDS_OF_LANE * WARP;

struct most_operator {
    static __device__ int32_t combine(int32_t a, int32_t b)
    {
        return a > b ? a : b;
    }
};

/* Of columns the greatest, and what the least has above it: both are maxima. */
struct range {
    int32_t greatest, above_least;
};

struct desk {
    alignas(16) unsigned char columns[staged_bytes<int32_t>(STAGED)];
    uint16_t begins[TILE + 1];
    unsigned kinds[TILE_WARPS];
    range ranges[TILE_WARPS];
    row_word words[WORDS];
    unsigned places[WORDS]; /* of the patterns of groups that begin in these rows, the first */
    unsigned groups, differences;
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

__device__ inline bool begins_group(const int32_t *columns, const uint16_t *begins, unsigned row)
{
    if (row == 0)
        return true;
    const unsigned before = begins[row - 1], begin = begins[row], length = begins[row + 1] - begin;
    bool same = begin - before == length;
    for (unsigned s = 0; same && s < length; s++)
        same = columns[begin + s] == columns[before + s] + 1;
    return !same;
}

__device__ inline void find_groups(desk &d, const int32_t *columns, unsigned rows)
{
    const unsigned lane = threadIdx.x % WARP;
    for (unsigned w = threadIdx.x / WARP; w < WORDS; w += TILE_WARPS) {
        const unsigned row = w * WARP + lane;
        const bool begins = row < rows && begins_group(columns, d.begins, row);
        const unsigned length = begins ? d.begins[row + 1] - d.begins[row] : 0u,
                       lanes = __ballot_sync(ALL_LANES, begins),
                       lengths = reduce_warp<sum_operator>(length);
        if (lane == 0) {
            d.words[w] = {lanes, count_bits(lanes)};
            d.places[w] = lengths;
        }
    }
}

/* By one warp: counts become what lies before. */
__device__ inline void place_groups(desk &d)
{
    const unsigned lane = threadIdx.x % WARP, first = lane * WORDS_OF_LANE;
    unsigned sums[2] = {0, 0};
    for (unsigned w = first; w < first + WORDS_OF_LANE; w++) {
        sums[0] += d.words[w].begin_before;
        sums[1] += d.places[w];
    }
    unsigned before[2] = {sums[0], sums[1]};
    scan_warp<sum_operator>(before, lane);
    if (lane == WARP - 1) {
        d.groups = before[0];
        d.differences = before[1];
    }
    before[0] -= sums[0];
    before[1] -= sums[1];
    for (unsigned w = first; w < first + WORDS_OF_LANE; w++) {
        const unsigned groups = d.words[w].begin_before, differences = d.places[w];
        d.words[w].begin_before = before[0];
        d.places[w] = before[1];
        before[0] += groups;
        before[1] += differences;
    }
}

__device__ inline unsigned patterns_bytes(const desk &d, unsigned rows)
{
    return words_of(rows) * static_cast<unsigned>(sizeof(row_word)) +
           d.groups * static_cast<unsigned>(sizeof(row_group)) +
           d.differences * static_cast<unsigned>(sizeof(int32_t));
}

__device__ inline void write_patterns(const desk &d, const int32_t *columns, const csr_tile &t,
                                      unsigned char *body)
{
    const page_patterns to = patterns_of(body, t.rows, d.groups);
    const unsigned lane = threadIdx.x % WARP;
    for (unsigned w = threadIdx.x / WARP; w < words_of(t.rows); w += TILE_WARPS) {
        const row_word word = d.words[w];
        const unsigned row = w * WARP + lane;
        const bool begins = (word.begin_here >> lane & 1) != 0;
        const unsigned length = begins ? d.begins[row + 1] - d.begins[row] : 0u,
                       place = d.places[w] + scan_warp<sum_operator>(length, lane) - length,
                       rank = count_bits(word.begin_here & ((1u << lane) - 1));
        if (lane == 0)
            to.words[w] = word;
        if (!begins)
            continue;
        to.groups[word.begin_before + rank] = {static_cast<uint16_t>(row), d.begins[row],
                                               static_cast<uint16_t>(length),
                                               static_cast<uint16_t>(place)};
        for (unsigned s = 0; s < length; s++)
            to.differences[place + s] =
                columns[d.begins[row] + s] - static_cast<int32_t>(t.first_row + row);
    }
}

/* ---- a page ---- */

__device__ inline void write_rows(const desk &d, const int32_t *columns, const page_head &h,
                                  unsigned char *body)
{
    uint16_t *const begins = reinterpret_cast<uint16_t *>(body);
    uint16_t *const near_columns = reinterpret_cast<uint16_t *>(body + h.body_bytes);
    for (unsigned row = threadIdx.x; row <= h.rows; row += TILE_THREADS)
        begins[row] = h.rows == 0 ? uint16_t(0) : d.begins[row];
    for (unsigned e = threadIdx.x; h.way == WAY_NEAR && e < h.entries; e += TILE_THREADS)
        near_columns[e] = static_cast<uint16_t>(columns[e] - h.base);
}

__device__ inline page_head head_of(const desk &d, const csr_tile &t, unsigned count)
{
    range r = d.ranges[0];
    PRIM_UNROLL(8)
    for (unsigned w = 1; w < TILE_WARPS; w++)
        r = widened(r, d.ranges[w]);
    const int32_t least = INT32_MAX - r.above_least;
    const unsigned kinds = kinds_of_tile(d.kinds) | (d.strips.count > 0 ? WITH_STRIPS : 0),
                   bytes = patterns_bytes(d, t.rows);
    const bool patterned = (kinds & WITH_STRIPS) == 0 && count > 0 && bytes <= count,
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
    PRIM_SHARED(desk, d, );
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
    const bool strips = d.strips.count > 0;
    find_groups(d, staged, strips ? 0 : t.rows);
    __syncthreads();
    if (threadIdx.x < WARP)
        place_groups(d);
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
    return m->rows == 0 || is_small(m) ? 0 : boundaries_bytes(m);
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
