/* A CSR product as its kernels take it. */
#ifndef PRIM_SPARSE_CSR_CUH
#define PRIM_SPARSE_CSR_CUH

#include "sparse/problem.cuh"

namespace
{

template <typename Offset, typename V, typename X = V>
struct csr_rows {
    const Offset *offsets;
    size_t rows;
    entries<V, X> of;
};

template <typename T, typename Offset>
using csr_kernel = void (*)(csr_rows<Offset, T>);

template <typename T, typename Offset>
cudaError_t launch_csr(const prim_spmv_args *args, csr_kernel<T, Offset> kernel,
                       size_t rows_of_a_block)
{
    const prim_sparse *m = &args->matrix;
    if (m->rows == 0)
        return cudaSuccess;
    const csr_rows<Offset, T> rows = {static_cast<const Offset *>(m->row_offsets), m->rows,
                                      make_entries<T>(args, m->column_indices, m->values)};
    return prim_launch({args->call.stream, blocks_for(m->rows, rows_of_a_block), THREADS}, kernel,
                       rows);
}

/* Run::run<types…, Offset>(args) for the types of values and offsets. */
template <class Run, typename... Types>
struct of_values : Run {
    template <typename Offset>
    static auto run(const prim_spmv_args *args)
    {
        return Run::template run<Types..., Offset>(args);
    }
};

PRIM_DISPATCH_TYPE(dispatch_offsets, PRIM_SPARSE_OFFSETS, matrix.offset_type)

template <class Run>
struct with_offsets : Run {
    template <typename... Types>
    static auto run(const prim_spmv_args *args)
    {
        return dispatch_offsets<of_values<Run, Types...>>(args);
    }
};

template <class Run>
auto dispatch_csr(const prim_spmv_args *args)
{
    return dispatch<with_offsets<Run>>(args);
}

template <class Run>
auto dispatch_csr_mixed(const prim_spmv_args *args)
{
    return dispatch_mixed<with_offsets<Run>>(args);
}

inline const char *csr_why_not(const void *any)
{
    const prim_spmv_args *args = static_cast<const prim_spmv_args *>(any);
    return format_why_not(args, PRIM_SPARSE_CSR, dispatch_csr<is_built>);
}

} // namespace

#endif
