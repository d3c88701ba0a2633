/* Dense matrices to CSR and back: a warp for each row.
 *
 *     row       0 a 0 0 b 0 c d      32 elements at a time; a ballot says which lanes have one
 *     ballot    0 1 0 0 1 0 1 1      that is not 0, and the lanes below are what comes before
 *     entries   a b c d
 *
 * Back, a warp clears its row and writes the entries, 32 at a time: all at once where their columns
 * ascend strictly, so that no two have the same place; otherwise one after the other, so that sums
 * have their order.
 *
 * What holds it back: one warp has the whole row, of any length. Bytes: to CSR, the dense matrix
 * twice; back, once, and entries once. */
#include "common/sizes.h"
#include "common/warp.cuh"
#include "sparse/launches.cuh"
#include "sparse/offsets.cuh"
#include "sparse/sums.h"

namespace
{
namespace dense
{

__device__ inline size_t this_warp()
{
    return this_thread() / WARP;
}

/* ---- to CSR ---- */

/* Elements as words of 2, 4 or 8 bytes. */
struct elements {
    const void *data;
    size_t rows, columns, ld;
    unsigned bytes;

    /* Whether it is not 0, whatever its sign. */
    __device__ bool is_there(size_t row, size_t column) const
    {
        const size_t i = row * ld + column;
        if (column >= columns)
            return false;
        if (bytes == 4)
            return static_cast<const uint32_t *>(data)[i] << 1 != 0;
        if (bytes == 8)
            return static_cast<const uint64_t *>(data)[i] << 1 != 0;
        return static_cast<uint16_t>(static_cast<const uint16_t *>(data)[i] << 1) != 0;
    }
    __device__ void move(size_t row, size_t column, void *to, size_t entry) const
    {
        const size_t i = row * ld + column;
        if (bytes == 4)
            static_cast<uint32_t *>(to)[entry] = static_cast<const uint32_t *>(data)[i];
        else if (bytes == 8)
            static_cast<uint64_t *>(to)[entry] = static_cast<const uint64_t *>(data)[i];
        else
            static_cast<uint16_t *>(to)[entry] = static_cast<const uint16_t *>(data)[i];
    }
};

__global__ void __launch_bounds__(THREADS) count_elements(elements in, uint64_t *lengths)
{
    const size_t row = this_warp();
    const unsigned lane = threadIdx.x % WARP;
    uint64_t length = 0;
    if (row >= in.rows)
        return;
    for (size_t first = 0; first < in.columns; first += WARP)
        length += count_bits(__ballot_sync(ALL_LANES, in.is_there(row, first + lane)));
    if (lane == 0)
        lengths[row] = length;
}

/* Entries from `most` on are dropped. */
__global__ void __launch_bounds__(THREADS)
    take_elements(elements in, offsets_view offsets, int32_t *columns, void *values, uint64_t most)
{
    const size_t row = this_warp();
    const unsigned lane = threadIdx.x % WARP, below = (1u << lane) - 1;
    if (row >= in.rows)
        return;
    uint64_t next = offsets.at(row);
    for (size_t first = 0; first < in.columns; first += WARP) {
        const size_t column = first + lane;
        const bool there = in.is_there(row, column);
        const unsigned lanes = __ballot_sync(ALL_LANES, there);
        const uint64_t entry = next + count_bits(lanes & below);
        if (there && entry < most) {
            columns[entry] = static_cast<int32_t>(column);
            in.move(row, column, values, entry);
        }
        next += count_bits(lanes);
    }
}

cudaError_t launch_from(const void *any)
{
    const prim_sparse_from_dense_args *args = static_cast<const prim_sparse_from_dense_args *>(any);
    const prim_sparse_convert_args *c = &args->convert;
    const prim_sparse *from = &c->from;
    const cudaDataType_t type = from->value_type;
    const elements in = {args->in, from->rows, from->columns, args->ld,
                         type == CUDA_R_64F   ? 8u
                         : type == CUDA_R_32F ? 4u
                                              : 2u};
    uint64_t *const lengths = static_cast<uint64_t *>(c->call.workspace);
    prim_sparse to = {};
    size_t bytes;
    if (!c->wants_size)
        prim_sparse_target(c, &to, &bytes);
    launches l = {c->call.stream};
    l.then(in.rows * WARP, count_elements, in, lengths);
    const new_offsets offsets = new_offsets_of(&to);
    const prim_sparse_sums sums = {lengths, in.rows,   offsets.data, offsets.wide,
                                   c->size, c->d_size, c->missing};
    if (l.error == cudaSuccess)
        l.error = prim_sparse_sum(l.stream, &sums);
    if (!c->wants_size)
        l.then(in.rows * WARP, take_elements, in, offsets_of(&to),
               const_cast<int32_t *>(to.column_indices), const_cast<void *>(to.values),
               uint64_t(c->size));
    return l.error;
}

size_t from_workspace_bytes(const void *any)
{
    return prim_sparse_sums_bytes(
        static_cast<const prim_sparse_from_dense_args *>(any)->convert.from.rows);
}

/* Rows below 2^31, eight to a block, always fit. */
const char *from_why_not(const void *)
{
    return nullptr;
}

/* ---- from CSR ---- */

template <typename T>
struct dense_rows {
    T *data;
    size_t rows, columns, ld;
};

template <typename T>
__device__ void add_to(T *element, T value)
{
    put(element, add(number(*element), number(value)));
}

template <typename T>
__global__ void __launch_bounds__(THREADS)
    fill_rows(dense_rows<T> out, offsets_view offsets, const int32_t *columns, const T *values)
{
    const size_t row = this_warp();
    const unsigned lane = threadIdx.x % WARP;
    if (row >= out.rows)
        return;
    T *const to = out.data + row * out.ld;
    for (size_t c = lane; c < out.columns; c += WARP)
        put(&to[c], working_t<T>(0));
    __syncwarp();
    const uint64_t end = offsets.at(row + 1);
    for (uint64_t first = offsets.at(row); first < end; first += WARP) {
        const bool mine = first + lane < end;
        const int32_t column = mine ? columns[first + lane] : -1,
                      before = __shfl_up_sync(ALL_LANES, column, 1);
        const bool at_once = __ballot_sync(ALL_LANES, mine && lane > 0 && column <= before) == 0;
        if (at_once && mine)
            add_to(&to[column], values[first + lane]);
        for (unsigned turn = 0; turn < WARP && !at_once; turn++) {
            if (turn == lane && mine)
                add_to(&to[column], values[first + lane]);
            __syncwarp();
        }
        __syncwarp();
    }
}

PRIM_DISPATCH_TYPE(dispatch_dense, PRIM_SPARSE_DENSE_TYPES, matrix.value_type)

struct run_fill : launch_run {
    template <typename T>
    static cudaError_t run(const prim_sparse_to_dense_args *args)
    {
        const prim_sparse *m = &args->matrix;
        const dense_rows<T> out = {static_cast<T *>(args->out), m->rows, m->columns, args->ld};
        launches l = {args->call.stream};
        l.then(m->columns > 0 ? m->rows * WARP : 0, fill_rows<T>, out, offsets_of(m),
               m->column_indices, static_cast<const T *>(m->values));
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
    if (args->matrix.format != PRIM_SPARSE_CSR)
        return "it takes CSR only";
    return dispatch_dense<is_built>(args) ? nullptr : PRIM_TYPES_NOT_BUILT;
}

} // namespace dense
} // namespace

PRIM_DEFINE_RUNG(sparse_from_dense, warps) = {{1, "warps", "a warp a row"},
                                              dense::from_why_not,
                                              dense::from_workspace_bytes,
                                              dense::launch_from};

PRIM_DEFINE_RUNG(sparse_to_dense, warps) = {
    {1, "warps", "a warp a row"}, dense::to_why_not, nullptr, dense::launch_to};
