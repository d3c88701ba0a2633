#include "sparse_operands.h"

#include <string.h>

#include "oracles.h"

cudaDataType_t pick_value_type(trial *t)
{
    static const cudaDataType_t types[] = {CUDA_R_32F, CUDA_R_64F, CUDA_R_16F, CUDA_R_16BF};
    return pick_type(t, types, COUNT_OF(types));
}

cudaDataType_t pick_offset_type(trial *t)
{
    return pick(t, 2) == 0 ? CUDA_R_32I : CUDA_R_64I;
}

size_t offset_of(const csr *a, size_t row)
{
    return (size_t)before(a->offsets, row);
}

static uint64_t next_number(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

/* Rows of up to `longest` entries, and in some matrices one of many. */
static void set_lengths(trial *t, operand *offsets, size_t rows, size_t longest)
{
    enum { EQUAL, SOME_EMPTY, RANDOM };
    const size_t kind = pick(t, 3), full = pick(t, 2 * rows + 1), in_full = pick_size(t, 3000);
    uint64_t state = pick(t, 1 << 20), at = 0;
    for (size_t row = 0; row <= rows; row++) {
        memcpy(offsets->h + row * bytes_of(offsets->type), &at, bytes_of(offsets->type));
        const uint64_t number = next_number(&state) % (longest + 1);
        at += row == full                             ? in_full
              : kind == EQUAL                         ? longest
              : kind == SOME_EMPTY && number % 3 == 0 ? 0
                                                      : number;
    }
    send(offsets);
}

/* Columns anywhere, or beside those of the row before, as in a stencil. */
static void set_columns(trial *t, const csr *a)
{
    const bool is_stencil = pick(t, 2) == 0;
    const size_t columns = a->m.columns, apart = 1 + pick_size(t, 3000);
    uint64_t state = pick(t, 1 << 20);
    for (size_t row = 0; row < a->m.rows; row++)
        for (size_t e = offset_of(a, row), first = e; e < offset_of(a, row + 1); e++) {
            const size_t column = is_stencil && next_number(&state) % 1000 > 0
                                      ? row + (e - first) * apart
                                      : (size_t)next_number(&state);
            const int32_t index = (int32_t)(column % columns);
            memcpy(a->indices->h + e * sizeof index, &index, sizeof index);
        }
    send(a->indices);
}

csr add_csr(trial *t, cudaDataType_t type, size_t most_rows, size_t longest)
{
    csr a = {.m = {.format = PRIM_SPARSE_CSR,
                   .rows = pick_size(t, most_rows),
                   .columns = 1 + pick_size(t, 100000),
                   .value_type = type,
                   .offset_type = pick_offset_type(t)}};
    a.offsets = add_input(t, a.m.offset_type, a.m.rows + 1, false);
    set_lengths(t, a.offsets, a.m.rows, pick_size(t, longest));
    a.m.entries = offset_of(&a, a.m.rows);
    a.indices = add_input(t, CUDA_R_32I, a.m.entries, false);
    set_columns(t, &a);
    a.values = add_input(t, type, a.m.entries, false);
    a.m.row_offsets = a.offsets->h;
    a.m.column_indices = (void *)a.indices->h;
    a.m.values = a.values->h;
    return a;
}

prim_sparse on_device(const csr *a)
{
    prim_sparse m = a->m;
    m.row_offsets = a->offsets->d;
    m.column_indices = (void *)a->indices->d;
    m.values = a->values->d;
    return m;
}

enum { PIECE = 16 }; /* bytes of an element of `arrays`, and their alignment */

operand *add_arrays(trial *t, size_t bytes)
{
    return add_output(t, SIXTEEN_BYTES, (bytes + PIECE - 1) / PIECE);
}

packed add_packed(trial *t, const csr *from, prim_sparse_format format, int64_t width)
{
    const cudaDataType_t offset_type = pick_offset_type(t);
    packed p = {.m = from->m};
    size_t bytes = 0;
    from->offsets->is_aside = from->indices->is_aside = from->values->is_aside = true;
    on_host(t, prim_sparse_convert_bytes_host(from->m, format, offset_type, width, &bytes));
    p.arrays = add_arrays(t, bytes);
    p.arrays->is_output = false;
    p.arrays->is_aside = true;
    on_host(
        t, prim_sparse_convert_host(from->m, format, offset_type, width, p.arrays->h, bytes, &p.m));
    send(p.arrays);
    return p;
}

prim_sparse packed_on_device(const packed *p)
{
    return prim_sparse_moved(p->m, p->arrays->h, p->arrays->d);
}
