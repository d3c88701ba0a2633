/* A CSR product as its kernels take it. */
#ifndef PRIM_SPARSE_CSR_CUH
#define PRIM_SPARSE_CSR_CUH

#include "sparse/problem.cuh"

namespace
{

template <typename T, typename Offset>
struct csr_rows {
    const Offset *offsets;
    size_t rows;
    entries<T> of;
};

template <typename T, typename Offset>
using csr_kernel = void (*)(csr_rows<T, Offset>);

template <typename T, typename Offset>
cudaError_t launch_csr(const prim_spmv_args *args, csr_kernel<T, Offset> kernel,
                       size_t rows_of_a_block)
{
    const prim_sparse *m = &args->matrix;
    if (m->rows == 0)
        return cudaSuccess;
    const csr_rows<T, Offset> rows = {static_cast<const Offset *>(m->row_offsets), m->rows,
                                      make_entries<T>(args, m->column_indices, m->values)};
    return prim_launch(args->call.stream, blocks_for(m->rows, rows_of_a_block), THREADS, kernel,
                       rows);
}

/* Rung::csr<T, Offset>(args) for the type of the offsets. */
template <typename Rung>
struct for_offsets : device_rung {
    template <typename T>
    static cudaError_t run(const prim_spmv_args *args)
    {
#define OFFSET(offset_enum, offset_c)            \
    if (args->matrix.offset_type == offset_enum) \
        return Rung::template csr<T, offset_c>(args);
        PRIM_SPARSE_OFFSETS(OFFSET)
#undef OFFSET
        return not_built(args);
    }
};

} // namespace

#endif
