/* Columns and values, copied as they are: values as words of 2, 4 or 8 bytes, so that kernels do
 * not depend on their types. */
#ifndef PRIM_SPARSE_LINES_CUH
#define PRIM_SPARSE_LINES_CUH

#include "sparse/sparse_args.h"

namespace
{

/* Those of the target, or of the matrix that is read, which is not written to. */
struct lines {
    int32_t *columns;
    void *values;
    unsigned value_bytes;
};

lines lines_of(const prim_sparse *m)
{
    const bool ell = m->format == PRIM_SPARSE_ELL;
    return {const_cast<int32_t *>(ell ? m->ell_columns : m->column_indices),
            const_cast<void *>(ell ? m->ell_values : m->values),
            m->value_type == CUDA_R_64F   ? 8u
            : m->value_type == CUDA_R_32F ? 4u
                                          : 2u};
}

template <typename Word>
__device__ void move_word(void *to, size_t t, const void *from, size_t f)
{
    static_cast<Word *>(to)[t] = from != nullptr ? static_cast<const Word *>(from)[f] : Word(0);
}

/* from NULL: the value is 0. */
__device__ inline void move_value(const lines &to, size_t t, const void *from, size_t f)
{
    if (to.value_bytes == 4)
        move_word<uint32_t>(to.values, t, from, f);
    else if (to.value_bytes == 8)
        move_word<uint64_t>(to.values, t, from, f);
    else
        move_word<uint16_t>(to.values, t, from, f);
}

} // namespace

#endif
