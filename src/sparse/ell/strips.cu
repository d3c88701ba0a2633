/* ELL's rows and those of JDS's groups: a thread for each row, or several for a long one.
 *
 *     a group            entry s of row r lies at first + s · stride + r, so ELL is one group
 *     row 0   a d g j    long rows of a group with few are cut into parts that take turns, here 2:
 *     row 1   b e h k        thread 0   a g    thread 3   d j
 *     row 2   c f i l        thread 1   b h    thread 4   e k       neighbours in every step
 *                            thread 2   c i    thread 5   f l
 *
 * A second launch adds up a row's sums of parts: as many lanes as leave each a few of them, then
 * their sums in pairs. The number of parts follows from the rows and the width alone. Where no row
 * is cut and groups are few, each has a launch of a simpler kernel; otherwise 64 share one.
 *
 * Work: entries. Steps: the width, or a part of it. Bytes: value and column of each entry, y, x by
 * column, and the sums of parts twice. */
#include "sparse/ell/strips.h"

#include "common/kernel/shared.cuh"
#include "common/math/numeric.cuh"
#include "sparse/ell/strip.cuh"

namespace
{
namespace strips
{

/* Long rows are cut into parts of this many entries, but into no more parts than give this many
 * threads. */
constexpr size_t PART = 64, ENOUGH_THREADS = 1 << 17;

/* Sums that each lane adds up, where there are lanes for them; all are in flight together. */
constexpr unsigned SUMS_AT_ONCE = 8;

struct strip_group {
    size_t first_entry, stride, width;
    size_t first_sum; /* its sums of parts: that of part p of row r is p · rows + r after it */
    unsigned first_row, rows, parts;
};

size_t parts_of(size_t rows, size_t width)
{
    const size_t wanted = prim_divide_up(width, PART),
                 most = rows > 0 && rows < ENOUGH_THREADS ? ENOUGH_THREADS / rows : 1;
    return wanted > most ? most : wanted > 1 ? wanted : 1;
}

size_t group_count(const prim_sparse *m)
{
    return m->format == PRIM_SPARSE_JDS ? m->group_count : 1;
}

strip_group group_at(const prim_sparse *m, size_t i)
{
    strip_group g = {0, m->ell_ld, m->ell_width, 0, 0, static_cast<unsigned>(m->rows), 1};
    if (m->format == PRIM_SPARSE_JDS) {
        const prim_jds_group &of = m->h_groups[i];
        g.first_entry = of.first_entry;
        g.stride = of.rows;
        g.width = of.width;
        g.first_row = static_cast<unsigned>(of.first_row);
        g.rows = static_cast<unsigned>(of.rows);
    }
    g.parts = static_cast<unsigned>(parts_of(g.rows, g.width));
    return g;
}

/* Up to this many groups, none of which is cut, have a launch each. */
constexpr size_t FEW = 8;

bool are_few_and_whole(const prim_sparse *m)
{
    for (size_t i = 0; i < group_count(m) && i <= FEW; i++)
        if (i == FEW || group_at(m, i).parts > 1)
            return false;
    return true;
}

/* The groups of one launch, in the kernel's parameters, which are at most 4 KB. What is searched
 * lies side by side: a parameter that no thread has read yet takes its time. */
constexpr unsigned MANY = 64;

struct group_list {
    unsigned count;
    bool overlaps; /* with other launches: those of the same product */
    unsigned first_blocks[MANY];
    strip_group groups[MANY];

    /* *first_block: of the group. */
    __device__ strip_group of_block(unsigned block, unsigned *first_block) const
    {
        unsigned first = 0;
        for (unsigned left = count; left > 1;) {
            const unsigned half = left / 2;
            const bool later = first_blocks[first + half] <= block;
            first += later ? half : 0;
            left = later ? left - half : half;
        }
        *first_block = first_blocks[first];
        return groups[first];
    }
};

/* ---- the products ---- */

/* A group of which no row is cut. In a kernel of its own, since it takes a tenth longer where it
 * shares one with rows that are. */
template <typename V, typename X>
__global__ void __launch_bounds__(THREADS)
    multiply_whole(const strip_group g, bool overlaps, const int32_t *row_at, entries<V, X> of)
{
    const size_t row = this_thread();
    if (overlaps)
        trigger_launch_completion(); /* launches write different rows: the next need not wait */
    if (row < g.rows) {
        working_t<V> sum = 0;
        if (of.x != nullptr)
            sum = sum_of_strip(of, g.first_entry + row, g.stride, g.width);
        of.store(row_at != nullptr ? static_cast<size_t>(row_at[g.first_row + row]) : row, sum);
    }
    if (overlaps)
        grid_dependency_synchronize(); /* for work that waits for the last launch */
}

template <typename V, typename X>
__global__ void __launch_bounds__(THREADS)
    multiply(const group_list list, const int32_t *row_at, entries<V, X> of, working_t<V> *sums)
{
    unsigned first_block;
    const strip_group g = list.of_block(blockIdx.x, &first_block);
    const unsigned i = (blockIdx.x - first_block) * THREADS + threadIdx.x;
    if (list.overlaps)
        trigger_launch_completion();
    if (g.parts == 1 && i < g.rows) {
        working_t<V> sum = 0; /* its steps are the same for all lanes, and nothing is divided */
        if (of.x != nullptr)
            sum = sum_of_strip(of, g.first_entry + i, g.stride, g.width);
        of.store(row_at != nullptr ? static_cast<size_t>(row_at[g.first_row + i]) : g.first_row + i,
                 sum);
    } else if (g.parts > 1 && i < g.rows * g.parts) {
        const unsigned part = i / g.rows, row = i - part * g.rows;
        sums[g.first_sum + i] =
            of.x == nullptr
                ? working_t<V>(0)
                : sum_of_strip(of, g.first_entry + part * g.stride + row, g.parts * g.stride,
                               (g.width + g.parts - 1 - part) / g.parts);
    }
    if (list.overlaps)
        grid_dependency_synchronize();
}

/* ---- the sums of parts ---- */

/* For each row: a power of two. */
__host__ __device__ inline unsigned lanes_for(unsigned parts)
{
    unsigned lanes = 1;
    while (lanes < THREADS && lanes * SUMS_AT_ONCE < parts)
        lanes *= 2;
    return lanes;
}

template <typename X>
__global__ void __launch_bounds__(THREADS)
    add_parts(const group_list list, const int32_t *row_at, entries<working_t<X>, X> of,
              const working_t<X> *sums)
{
    using T = working_t<X>;
    PRIM_SHARED(T, of_lanes, [THREADS]);
    unsigned first_block;
    const strip_group g = list.of_block(blockIdx.x, &first_block);
    const unsigned lanes = lanes_for(g.parts), lane = threadIdx.x % lanes,
                   row = (blockIdx.x - first_block) * (THREADS / lanes) + threadIdx.x / lanes;
    T sum = 0;
    for (unsigned first = lane; row < g.rows && first < g.parts; first += SUMS_AT_ONCE * lanes) {
        T next[SUMS_AT_ONCE];
        PRIM_UNROLL(SUMS_AT_ONCE)
        for (unsigned i = 0; i < SUMS_AT_ONCE; i++) {
            const unsigned part = first + i * lanes;
            next[i] = part < g.parts ? sums[g.first_sum + static_cast<size_t>(part) * g.rows + row]
                                     : T(0);
        }
        PRIM_UNROLL(SUMS_AT_ONCE)
        for (unsigned i = 0; i < SUMS_AT_ONCE; i++)
            if (first + i * lanes < g.parts)
                sum = add(sum, next[i]);
    }
    of_lanes[threadIdx.x] = sum;
    __syncthreads();
    for (unsigned stride = lanes / 2; stride > 0; stride /= 2) {
        if (lane < stride)
            of_lanes[threadIdx.x] = add(of_lanes[threadIdx.x], of_lanes[threadIdx.x + stride]);
        __syncthreads();
    }
    if (row < g.rows && lane == 0)
        of.store(row_at != nullptr ? static_cast<size_t>(row_at[g.first_row + row])
                                   : g.first_row + row,
                 of_lanes[threadIdx.x]);
}

/* ---- the launches ---- */

/* Calls launch(list, blocks) for each MANY of the groups that `is_wanted` takes. */
template <class Wanted, class Blocks, class Launch>
cudaError_t for_groups(const prim_sparse *m, Wanted is_wanted, Blocks blocks_of, Launch launch)
{
    group_list list = {};
    list.overlaps = group_count(m) > MANY;
    unsigned blocks = 0;
    size_t sums = 0;
    cudaError_t error = cudaSuccess;
    for (size_t i = 0; i < group_count(m) && error == cudaSuccess; i++) {
        strip_group g = group_at(m, i);
        g.first_sum = sums;
        sums += g.parts > 1 ? static_cast<size_t>(g.rows) * g.parts : 0;
        if (g.rows > 0 && is_wanted(g)) {
            list.first_blocks[list.count] = blocks;
            list.groups[list.count++] = g;
            blocks += blocks_of(g);
        }
        if (list.count == MANY || (i + 1 == group_count(m) && list.count > 0)) {
            error = launch(list, blocks);
            list.count = blocks = 0;
        }
    }
    return error;
}

unsigned blocks_of_sums(const strip_group &g)
{
    return blocks_for(g.rows, THREADS / lanes_for(g.parts));
}

/* Of the launches of a product the first waits for earlier work, and the others for none. */
template <typename... Params, typename... Arguments>
cudaError_t launch_next(bool *is_first, const prim_spmv_args *args, unsigned blocks,
                        void (*kernel)(Params...), const Arguments &...arguments)
{
    const launch_config where = {args->call.stream, blocks, THREADS};
    const bool waits = *is_first;
    *is_first = false;
    return waits ? prim_launch(where, kernel, arguments...)
                 : prim_launch_dependent(where, kernel, arguments...);
}

struct run_product : launch_run {
    template <typename V, typename X>
    static cudaError_t run(const prim_spmv_args *args)
    {
        const prim_sparse *m = &args->matrix;
        const bool jds = m->format == PRIM_SPARSE_JDS;
        const entries<V, X> of = make_entries<V, X>(args, jds ? m->column_indices : m->ell_columns,
                                                    jds ? m->values : m->ell_values);
        const int32_t *const row_at = jds ? m->permutation : nullptr;
        return are_few_and_whole(m) ? multiply_few(args, row_at, of)
                                    : multiply_many(args, row_at, of);
    }

    template <typename V, typename X>
    static cudaError_t multiply_few(const prim_spmv_args *args, const int32_t *row_at,
                                    const entries<V, X> &of)
    {
        const size_t count = group_count(&args->matrix);
        bool first = true;
        cudaError_t error = cudaSuccess;
        for (size_t i = 0; i < count && error == cudaSuccess; i++) {
            const strip_group g = group_at(&args->matrix, i);
            if (g.rows > 0)
                error = launch_next(&first, args, blocks_for(g.rows, THREADS), multiply_whole<V, X>,
                                    g, count > 1, row_at, of);
        }
        return error;
    }

    template <typename V, typename X>
    static cudaError_t multiply_many(const prim_spmv_args *args, const int32_t *row_at,
                                     const entries<V, X> &of)
    {
        const prim_sparse *m = &args->matrix;
        working_t<V> *const sums = static_cast<working_t<V> *>(args->call.workspace);
        bool first = true;
        const cudaError_t error = for_groups(
            m, [](const strip_group &) { return true; },
            [](const strip_group &g) { return blocks_for(size_t(g.rows) * g.parts, THREADS); },
            [&](const group_list &list, unsigned blocks) {
                return launch_next(&first, args, blocks, multiply<V, X>, list, row_at, of, sums);
            });
        if (error != cudaSuccess)
            return error;
        const entries<working_t<X>, X> only_sums = {nullptr, nullptr, of.x, of.y, of.scale};
        return for_groups(
            m, [](const strip_group &g) { return g.parts > 1; }, blocks_of_sums,
            [&](const group_list &list, unsigned blocks) {
                return prim_launch({args->call.stream, blocks, THREADS}, add_parts<X>, list, row_at,
                                   only_sums, sums);
            });
    }
};

} // namespace strips
} // namespace

size_t prim_strips_workspace_bytes(const void *any)
{
    using namespace strips;
    enum { ALIGNMENT = 16 };
    const prim_spmv_args *args = static_cast<const prim_spmv_args *>(any);
    size_t sums = 0;
    for (size_t i = 0; i < group_count(&args->matrix); i++) {
        const strip_group g = group_at(&args->matrix, i);
        sums += g.parts > 1 ? static_cast<size_t>(g.rows) * g.parts : 0;
    }
    return prim_divide_up(sums * sum_bytes(args), ALIGNMENT) * ALIGNMENT;
}

const char *prim_strips_route(const prim_spmv_args *args)
{
    return args->matrix.rows == 0                     ? nullptr
           : strips::are_few_and_whole(&args->matrix) ? "whole_rows"
                                                      : "parts";
}

cudaError_t prim_strips_multiply(const void *args)
{
    return launch_mixed<strips::run_product>(args);
}
