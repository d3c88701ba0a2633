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
    return prim_launch({args->call.stream, blocks_for(m->rows, rows_of_a_block), THREADS}, kernel,
                       rows);
}

/* Run::run<T, Offset>(args) for the types of values and offsets. */
template <class Run, typename T>
struct of_values : Run {
    template <typename Offset>
    static auto run(const prim_spmv_args *args)
    {
        return Run::template run<T, Offset>(args);
    }
};

PRIM_DISPATCH_TYPE(dispatch_offsets, PRIM_SPARSE_OFFSETS, matrix.offset_type)

template <class Run>
struct with_offsets : Run {
    template <typename T>
    static auto run(const prim_spmv_args *args)
    {
        return dispatch_offsets<of_values<Run, T>>(args);
    }
};

template <class Run>
auto dispatch_csr(const prim_spmv_args *args)
{
    return dispatch<with_offsets<Run>>(args);
}

inline const char *csr_why_not(const void *any)
{
    const prim_spmv_args *args = static_cast<const prim_spmv_args *>(any);
    const char *const reason = format_why_not(args, PRIM_SPARSE_CSR);
    return reason == nullptr && !dispatch_csr<is_built>(args) ? PRIM_TYPES_NOT_BUILT : reason;
}

} // namespace

#endif
