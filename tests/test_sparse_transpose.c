/* sparse: CSR transposed. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include <primitives/sparse.h>

#include "calls.h"
#include "sparse_matrices.h"
#include "support.h"

static const cudaDataType_t types[] = {CUDA_R_32F, CUDA_R_64F, CUDA_R_16F, CUDA_R_16BF};

/* Row by row, each entry to the end of its column's. */
static kept transpose_by_hand(const prim_sparse *m, cudaDataType_t offset_type)
{
    const size_t bytes = type_bytes(m->value_type);
    kept k = new_csr(m->columns, m->rows, m->entries, m->value_type, offset_type);
    size_t *next = calloc(m->columns + 1, sizeof *next);
    for (size_t e = 0; e < m->entries; e++)
        next[m->column_indices[e] + 1]++;
    for (size_t c = 0; c < m->columns; c++) {
        next[c + 1] += next[c];
        set_offset(&k.m, c + 1, next[c + 1]);
    }
    for (size_t row = 0; row < m->rows; row++)
        for (size_t e = offset_of(m, row); e < offset_of(m, row + 1); e++) {
            const size_t to = next[m->column_indices[e]]++;
            ((int32_t *)k.m.column_indices)[to] = (int32_t)row;
            memcpy((char *)k.m.values + to * bytes, (const char *)m->values + e * bytes, bytes);
        }
    free(next);
    return k;
}

static void check_transposed(const kept *csr, cudaDataType_t offset_type, const char *name)
{
    kept right = transpose_by_hand(&csr->m, offset_type);
    sent d = send_matrix(&csr->m);
    prim_sparse m;
    size_t bytes, workspace_bytes;
    cr_prim(asked_output(prim_sparse_transpose(d.m, offset_type, NULL, 0, NULL, asking()), &bytes));
    cr_prim(asked_bytes(prim_sparse_transpose(d.m, CUDA_R_64I, NULL, 0, NULL, asking()),
                        &workspace_bytes));
    guarded memory = guarded_new(bytes, 0), workspace = guarded_new(workspace_bytes, 0);
    cr_own(prim_sparse_transpose(
        d.m, offset_type, memory.data, bytes, &m,
        with(own_stream(), workspace_bytes > 0 ? workspace.data : NULL, workspace_bytes)));
    char *h = allocate(bytes);
    guarded_read(&memory, h);
    m = prim_sparse_moved(m, memory.data, h);
    cr_assert(m.format == PRIM_SPARSE_CSR && m.rows == right.m.rows &&
              m.columns == right.m.columns && m.entries == right.m.entries &&
              m.value_type == right.m.value_type && m.offset_type == offset_type);
    cr_prim(prim_sparse_check_host(m));
    cr_assert(memcmp(m.row_offsets, right.m.row_offsets, (m.rows + 1) * type_bytes(offset_type)) ==
                  0,
              "%s: offsets", name);
    cr_assert(memcmp(m.column_indices, right.m.column_indices, m.entries * 4) == 0, "%s: columns",
              name);
    cr_assert(memcmp(m.values, right.m.values, m.entries * type_bytes(m.value_type)) == 0,
              "%s: values", name);
    free(h);
    guarded_free(&workspace);
    guarded_free(&memory);
    forget_sent(&d);
    forget(&right);
}

Test(sparse_transpose, shapes)
{
    const size_t step = get_test_level() == LEVEL_QUICK ? 2 : 1;
    for (size_t s = 0; s < shape_count; s += step) {
        kept csr = make(&shapes[s], types[s / step % COUNT_OF(types)],
                        s % 3 == 0 ? CUDA_R_32I : CUDA_R_64I, REAL);
        check_transposed(&csr, s % 4 < 2 ? CUDA_R_64I : CUDA_R_32I, shapes[s].name);
        forget(&csr);
    }
}

/* On both sides of what 8, 16 and 24 bits count, and so of another pass. */
Test(sparse_transpose, passes)
{
    static const size_t columns[] = {1, 2, 255, 256, 257, 65535, 65536, 65537, 16777217};
    const size_t count = COUNT_OF(columns) - (get_test_level() == LEVEL_QUICK  ? 2
                                              : get_test_level() == LEVEL_FULL ? 0
                                                                               : 1);
    for (size_t c = 0; c < count; c++) {
        const shape the = {"passes", 150, columns[c], all_n, 15, false};
        kept csr = make(&the, types[c % COUNT_OF(types)], CUDA_R_32I, REAL);
        for (size_t e = 0; e < csr.m.entries; e += 7) /* the last column too */
            ((int32_t *)csr.m.column_indices)[e] = (int32_t)(columns[c] - 1);
        check_transposed(&csr, CUDA_R_32I, "passes");
        forget(&csr);
    }
}

/* So many rows for 1024 entries that a block marks where they begin, or searches for them. */
static size_t one_in_n(const shape *s, size_t row)
{
    return row % s->n == s->n - 1 || row + 1 == s->rows ? 1 : 0;
}

Test(sparse_transpose, mostly_empty_rows)
{
    for (size_t n = 1; n < 12; n++) {
        const shape the = {"mostly empty", 3000 * n + 1, 700, one_in_n, n, false};
        kept csr = make(&the, types[n % COUNT_OF(types)], CUDA_R_32I, REAL);
        check_transposed(&csr, CUDA_R_64I, "mostly empty");
        forget(&csr);
    }
}

Test(sparse_transpose, the_classic_example_of_every_type)
{
    for (size_t t = 0; t < COUNT_OF(types); t++) {
        kept csr = classic(types[t], CUDA_R_64I);
        check_transposed(&csr, CUDA_R_32I, "classic");
        forget(&csr);
    }
}

Test(sparse_transpose, what_is_refused)
{
    kept k = classic(CUDA_R_32F, CUDA_R_32I), ell = classic_as(PRIM_SPARSE_ELL);
    sent d = send_matrix(&k.m);
    prim_sparse many = d.m;
    size_t bytes;
    cr_refused(prim_sparse_transpose(without_arrays(ell.m), CUDA_R_32I, NULL, 0, NULL, asking()),
               PRIM_ERROR_UNSUPPORTED, "CSR");
    cr_refused(prim_sparse_transpose(d.m, CUDA_R_32F, NULL, 0, NULL, asking()), PRIM_ERROR_TYPE,
               "offset_type");
    many.entries = (size_t)1 << 31;
    cr_refused(prim_sparse_transpose(many, CUDA_R_32I, NULL, 0, NULL, asking()), PRIM_ERROR_VALUE,
               "i32");
    many.entries = (size_t)1 << 32;
    cr_refused(prim_sparse_transpose(many, CUDA_R_64I, NULL, 0, NULL, asking()),
               PRIM_ERROR_UNSUPPORTED, "2^32");
    cr_refused(prim_sparse_transpose(many, CUDA_R_64I, NULL, 0, NULL, asking()),
               PRIM_ERROR_UNSUPPORTED, "2^32");
    many.entries--;
    cr_prim(asked_output(
        prim_sparse_transpose(without_arrays(many), CUDA_R_64I, NULL, 0, NULL, asking()), &bytes));
    forget_sent(&d);
    forget(&ell);
    forget(&k);
}
