#include "sparse_matrices.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const format_names[6] = {"csr", "coo", "ell", "hyb", "jds", "sell"};

void *allocate(size_t bytes)
{
    void *memory = malloc(bytes > 0 ? bytes : 1);
    cr_assert_not_null(memory);
    return memory;
}

prim_sparse without_arrays(prim_sparse m)
{
    m.row_offsets = m.slice_offsets = m.values = m.ell_values = NULL;
    m.row_indices = m.column_indices = m.ell_columns = m.permutation = NULL;
    return m;
}

void forget(kept *k)
{
    free(k->memory);
    *k = (kept){0};
}

void set_offset(prim_sparse *m, size_t i, size_t offset)
{
    if (m->offset_type == CUDA_R_64I)
        ((int64_t *)m->row_offsets)[i] = (int64_t)offset;
    else
        ((int32_t *)m->row_offsets)[i] = (int32_t)offset;
}

size_t offset_of(const prim_sparse *m, size_t i)
{
    return (size_t)read_integer(m->offset_type, m->row_offsets, i);
}

kept new_csr(size_t rows, size_t columns, size_t entries, cudaDataType_t type,
             cudaDataType_t offset_type)
{
    const size_t offset_bytes = (rows + 1) * sizeof(int64_t),
                 value_bytes = (entries * type_bytes(type) + 7) / 8 * 8;
    kept k = {.bytes = offset_bytes + value_bytes + entries * sizeof(int32_t)};
    k.memory = allocate(k.bytes);
    memset(k.memory, 0, k.bytes);
    k.m = (prim_sparse){.format = PRIM_SPARSE_CSR,
                        .rows = rows,
                        .columns = columns,
                        .entries = entries,
                        .value_type = type,
                        .offset_type = offset_type,
                        .row_offsets = k.memory,
                        .column_indices = (int32_t *)(k.memory + offset_bytes + value_bytes),
                        .values = k.memory + offset_bytes};
    return k;
}

size_t all_n(const shape *s, size_t row)
{
    (void)row;
    return s->n;
}

size_t gaps(const shape *s, size_t row)
{
    return row < 3 || (row >= 10 && row < 15) || row + 2 >= s->rows ? 0 : 1 + row % s->n;
}

size_t skewed(const shape *s, size_t row)
{
    const uint64_t bits = random_bits(row + 77), kind = bits % 100;
    return kind < 70 ? bits >> 32 & 3 : kind < 95 ? bits >> 32 & 31 : (bits >> 32) % s->n;
}

static size_t first_n(const shape *s, size_t row)
{
    return row == 0 ? s->n : row % 3;
}

size_t middle_n(const shape *s, size_t row)
{
    return row == s->rows / 2 ? s->n : row % 3;
}

static size_t last_n(const shape *s, size_t row)
{
    return row + 1 == s->rows ? s->n : row % 3;
}

/* More lengths than JDS has groups in a launch. */
static size_t stairs(const shape *s, size_t row)
{
    return row * 3 % s->n;
}

/* All kinds of rows that CSR_MERGE and COO_TILED tell apart, in turn; cut rows of up to n. */
static size_t of_all_kinds(const shape *s, size_t row)
{
    const size_t lengths[] = {0, 1, 8, 9, 64, 65, 512, 513, 2, 1024, 1025, 0, 63, 511, s->n};
    return lengths[(row * 7 + row / 15) % COUNT_OF(lengths)];
}

/* Blocks of the segmented sum take 256 entries; 128 blocks leave what the next block takes. Spans
 * take 1024 entries, tiles 3072 entries and rows. */
const shape shapes[] = {
    {"of all kinds", 90, 700, of_all_kinds, 1537, false},
    {"9 a row", 70, 50, all_n, 9, false},
    {"64 a row", 40, 90, all_n, 64, false},
    {"65 a row", 40, 90, all_n, 65, false},
    {"512 a row", 9, 900, all_n, 512, false},
    {"513 a row", 9, 900, all_n, 513, false},
    {"3071 rows of 0", 3071, 4, all_n, 0, false},
    {"one row of 3070", 1, 900, all_n, 3070, false},
    {"one row of 3071", 1, 900, all_n, 3071, false},
    {"one row of 3072", 1, 900, all_n, 3072, false},
    {"one row of 3073", 1, 900, all_n, 3073, false},
    {"1024 rows of 1", 1024, 90, all_n, 1, false},
    {"1025 rows of 2", 1025, 90, all_n, 2, false},
    {"1025 rows of 1", 1025, 90, all_n, 1, false},
    {"1537 rows of 1", 1537, 90, all_n, 1, false},
    {"0 × 0", 0, 0, all_n, 0, false},
    {"0 × 5", 0, 5, all_n, 0, false},
    {"5 × 0", 5, 0, all_n, 0, false},
    {"no entries", 300, 4, all_n, 0, false},
    {"one entry", 1, 1, all_n, 1, false},
    {"one place 300 times", 1, 1, all_n, 300, false},
    {"one column", 70, 1, all_n, 1, false},
    {"gaps", 40, 17, gaps, 4, false},
    {"gaps and wide", 300, 5000, gaps, 7, false},
    {"diagonal", 600, 600, all_n, 1, true},
    {"31 a row", 67, 50, all_n, 31, false},
    {"32 a row", 67, 50, all_n, 32, false},
    {"33 a row", 67, 50, all_n, 33, false},
    {"8 a row", 40, 30, all_n, 8, false},
    {"256 a row", 130, 300, all_n, 256, false},
    {"384 a row", 30, 300, all_n, 384, false},
    {"skewed", 700, 900, skewed, 700, false},
    {"stairs", 150, 400, stairs, 401, false},
    {"long first row", 20, 5000, first_n, 3000, false},
    {"long row between others", 20, 5000, middle_n, 3000, false},
    {"long last row", 20, 5000, last_n, 3000, false},
    {"one row of 255", 1, 1000, all_n, 255, false},
    {"one row of 256", 1, 1000, all_n, 256, false},
    {"one row of 257", 1, 1000, all_n, 257, false},
    {"one row of 512", 1, 1000, all_n, 512, false},
    {"one row of 513", 1, 1000, all_n, 513, false},
    {"255 rows of 1", 255, 100, all_n, 1, false},
    {"256 rows of 1", 256, 100, all_n, 1, false},
    {"257 rows of 1", 257, 100, all_n, 1, false},
    {"512 rows of 1", 512, 100, all_n, 1, false},
    {"513 rows of 1", 513, 100, all_n, 1, false},
    {"171 rows of 3", 171, 100, all_n, 3, false},
};
/* Those of 70,000 columns are cut into tiles; of others of few rows and columns, blocks have whole
 * rows. */
const shape large_shapes[] = {
    {"of all kinds", 900, 70000, of_all_kinds, 5000, false},
    {"one row of 32769", 1, 20000, all_n, 32769, false},
    {"10923 rows of 3", 10923, 70000, all_n, 3, false},
    {"skewed", 3001, 70000, skewed, 700, false},
    {"one row of 20000", 1, 20000, all_n, 20000, false},
    {"one row of 8192", 1, 9000, all_n, 8192, false},
    {"one row of 8193", 1, 9000, all_n, 8193, false},
    {"512 rows of 64", 512, 700, all_n, 64, false},
    {"300 rows of 65", 300, 700, all_n, 65, false},
    {"600 rows, one of 30000", 600, 70000, middle_n, 30000, false},
    {"one row of 32768", 1, 20000, all_n, 32768, false},
    {"one row of 65537", 1, 20000, all_n, 65537, false},
    {"32769 rows of 1", 32769, 70000, all_n, 1, false},
    {"long row between others", 12, 70000, middle_n, 40000, false},
};
const shape huge_shapes[] = {
    {"one row of 4194305", 1, 20000, all_n, 4194305, false},
    {"1398102 rows of 3", 1398102, 20000, all_n, 3, false},
};

const size_t shape_count = COUNT_OF(shapes), large_shape_count = COUNT_OF(large_shapes),
             huge_shape_count = COUNT_OF(huge_shapes);

double number(numbers n, uint64_t bits)
{
    return n == WHOLE ? (double)(int)(bits % 17) - 8 : (double)(int64_t)bits * 0x1p-63;
}

kept make(const shape *s, cudaDataType_t type, cudaDataType_t offset_type, numbers n)
{
    size_t entries = 0;
    for (size_t row = 0; row < s->rows; row++)
        entries += s->length(s, row);
    kept k = new_csr(s->rows, s->columns, entries, type, offset_type);
    for (size_t row = 0, e = 0; row < s->rows; row++) {
        for (const size_t end = e + s->length(s, row); e < end; e++) {
            const uint64_t bits = random_bits(e * 3 + s->rows);
            ((int32_t *)k.m.column_indices)[e] =
                (int32_t)(s->diagonal ? row : (bits >> 20) % s->columns);
            write_float(type, (void *)k.m.values, e, number(n, random_bits(bits)));
        }
        set_offset(&k.m, row + 1, e);
    }
    return k;
}

kept classic(cudaDataType_t type, cudaDataType_t offset_type)
{
    static const size_t offsets[] = {0, 2, 2, 5, 7};
    static const int32_t columns[] = {0, 2, 1, 2, 3, 0, 3};
    static const double values[] = {3, 1, 2, 4, 1, 1, 1};
    kept k = new_csr(4, 4, 7, type, offset_type);
    for (size_t i = 0; i < 5; i++)
        set_offset(&k.m, i, offsets[i]);
    memcpy((void *)k.m.column_indices, columns, sizeof columns);
    for (size_t e = 0; e < 7; e++)
        write_float(type, (void *)k.m.values, e, values[e]);
    return k;
}

/* ---- formats ---- */

const form forms[FORMS] = {
    {PRIM_SPARSE_CSR, 0, false},
    {PRIM_SPARSE_COO, 0, false},
    {PRIM_SPARSE_ELL, PRIM_SPARSE_WIDTH_AUTO, false},
    {PRIM_SPARSE_ELL, 3, true},
    {PRIM_SPARSE_HYB, PRIM_SPARSE_WIDTH_AUTO, false},
    {PRIM_SPARSE_HYB, 0, false},
    {PRIM_SPARSE_HYB, 1, false},
    {PRIM_SPARSE_HYB, 2, true},
    {PRIM_SPARSE_JDS, 0, false},
    {PRIM_SPARSE_SELL, PRIM_SPARSE_WIDTH_AUTO, false},
    {PRIM_SPARSE_SELL, 1, false},
    {PRIM_SPARSE_SELL, 50, false},
};

static int64_t width_of(const form *f, const prim_sparse *csr)
{
    size_t longest = 0;
    for (size_t row = 0; row < csr->rows; row++) {
        const size_t length = offset_of(csr, row + 1) - offset_of(csr, row);
        longest = length > longest ? length : longest;
    }
    return f->behind_longest ? f->width + (int64_t)longest : f->width;
}

kept convert(const prim_sparse *from, prim_sparse_format format, cudaDataType_t offset_type,
             int64_t width)
{
    enum { TAIL = 64 };
    kept k;
    cr_prim(prim_sparse_convert_bytes_host(*from, format, offset_type, width, &k.bytes));
    k.memory = allocate(k.bytes + TAIL);
    memset(k.memory, GUARD_PATTERN, k.bytes + TAIL);
    cr_prim(prim_sparse_convert_host(*from, format, offset_type, width, k.memory, k.bytes, &k.m));
    for (size_t i = 0; i < TAIL; i++)
        cr_assert_eq((unsigned char)k.memory[k.bytes + i], GUARD_PATTERN, "written behind the end");
    cr_prim(prim_sparse_check_host(k.m));
    cr_assert_eq(k.m.format, format);
    return k;
}

static void poison_padding(prim_sparse *m)
{
    const bool has_ell = m->format == PRIM_SPARSE_ELL || m->format == PRIM_SPARSE_HYB;
    for (size_t i = 0; m->format == PRIM_SPARSE_SELL && i < m->entries; i++)
        if (m->column_indices[i] == PRIM_SPARSE_PADDING)
            write_float(m->value_type, (void *)m->values, i, NAN);
    for (size_t i = 0; has_ell && i < m->ell_width * m->ell_ld; i++)
        if (m->ell_columns[i] == PRIM_SPARSE_PADDING)
            write_float(m->value_type, (void *)m->ell_values, i, NAN);
}

kept in_form(const prim_sparse *csr, const form *f)
{
    kept k = convert(csr, f->format, csr->offset_type, width_of(f, csr));
    poison_padding(&k.m);
    return k;
}

kept classic_as(prim_sparse_format format)
{
    kept csr = classic(CUDA_R_32F, CUDA_R_32I);
    kept k = convert(&csr.m, format, CUDA_R_32I, format == PRIM_SPARSE_HYB ? 1 : 3);
    forget(&csr);
    return k;
}

/* ---- on the device ---- */

static const void *send_array(sent *s, const void *h_array, size_t bytes)
{
    if (h_array == NULL)
        return NULL;
    s->arrays[s->count] = guarded_copy(h_array, bytes, 0);
    return s->arrays[s->count++].data;
}

sent send_matrix(const prim_sparse *m)
{
    sent s = {.m = *m};
    const size_t value = type_bytes(m->value_type), places = m->ell_width * m->ell_ld,
                 slices = (m->rows + PRIM_SPARSE_SLICE_ROWS - 1) / PRIM_SPARSE_SLICE_ROWS;
    const bool csr = m->format == PRIM_SPARSE_CSR, sell = m->format == PRIM_SPARSE_SELL;
    const size_t offset = csr || sell ? type_bytes(m->offset_type) : 0;
    s.m.row_offsets = send_array(&s, m->row_offsets, (m->rows + 1) * offset);
    s.m.slice_offsets = send_array(&s, m->slice_offsets, (slices + 1) * offset);
    s.m.row_indices = send_array(&s, m->row_indices, m->entries * sizeof(int32_t));
    s.m.column_indices = send_array(&s, m->column_indices, m->entries * sizeof(int32_t));
    s.m.values = send_array(&s, m->values, m->entries * value);
    s.m.ell_columns = send_array(&s, m->ell_columns, places * sizeof(int32_t));
    s.m.ell_values = send_array(&s, m->ell_values, places * value);
    s.m.permutation = send_array(&s, m->permutation, m->rows * sizeof(int32_t));
    return s;
}

void forget_sent(sent *s)
{
    for (size_t a = 0; a < s->count; a++)
        guarded_free(&s->arrays[a]);
    *s = (sent){.count = 0};
}

struct criterion_test_params combinations(void)
{
    static const cudaDataType_t types[] = {CUDA_R_32F, CUDA_R_64F, CUDA_R_16F, CUDA_R_16BF};
    static combination rows[FORMS * COUNT_OF(types)];
    size_t count = 0;
    for (size_t f = 0; f < FORMS; f++)
        for (size_t t = 0; t < COUNT_OF(types); t++)
            rows[count++] = (combination){forms[f], types[t]};
    return cr_make_param_array(combination, rows, count);
}
