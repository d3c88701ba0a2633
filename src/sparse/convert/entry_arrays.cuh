/* Columns and values, copied as they are: values as words of 2, 4 or 8 bytes, so that kernels do
 * not depend on their types. */
#ifndef PRIM_SPARSE_ENTRY_ARRAYS_CUH
#define PRIM_SPARSE_ENTRY_ARRAYS_CUH

#include <cuda_runtime.h>

#include "sparse/sparse_args.h"

namespace
{

/* Those of the target, or of the matrix that is read, which is not written to. */
struct entry_arrays {
    int32_t *columns;
    void *values;
    unsigned value_bytes;
};

entry_arrays entry_arrays_of(const prim_sparse *m)
{
    const bool ell = m->format == PRIM_SPARSE_ELL;
    return {const_cast<int32_t *>(ell ? m->ell_columns : m->column_indices),
            const_cast<void *>(ell ? m->ell_values : m->values),
            m->value_type == CUDA_R_64F   ? 8u
            : m->value_type == CUDA_R_32F ? 4u
                                          : 2u};
}

/* HYB's part in ELL; entry_arrays_of() is its part in COO. */
inline entry_arrays ell_arrays_of(const prim_sparse *m)
{
    entry_arrays l = entry_arrays_of(m);
    l.columns = const_cast<int32_t *>(m->ell_columns);
    l.values = const_cast<void *>(m->ell_values);
    return l;
}

template <typename Word>
__device__ void move_word(void *to, size_t t, const void *from, size_t f)
{
    static_cast<Word *>(to)[t] = from != nullptr ? static_cast<const Word *>(from)[f] : Word(0);
}

/* from NULL: the value is 0. */
__device__ inline void move_value(const entry_arrays &to, size_t t, const void *from, size_t f)
{
    if (to.value_bytes == 4)
        move_word<uint32_t>(to.values, t, from, f);
    else if (to.value_bytes == 8)
        move_word<uint64_t>(to.values, t, from, f);
    else
        move_word<uint16_t>(to.values, t, from, f);
}

__device__ inline void move_entry(const entry_arrays &to, size_t t, const entry_arrays &from,
                                  size_t f)
{
    to.columns[t] = from.columns[f];
    move_value(to, t, from.values, f);
}

__device__ inline void put_padding(const entry_arrays &to, size_t t)
{
    to.columns[t] = PRIM_SPARSE_PADDING;
    move_value(to, t, nullptr, 0);
}

/* How many of `count` columns, a stride apart, come before the padding. */
__device__ inline size_t length_of_strip(const int32_t *columns, size_t stride, size_t count)
{
    size_t length = 0;
    while (count > 0) {
        const size_t half = count / 2;
        if (columns[(length + half) * stride] >= 0) {
            length += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return length;
}

} // namespace

#endif
