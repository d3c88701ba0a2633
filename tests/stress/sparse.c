#include <stdlib.h>
#include <string.h>

#include <primitives/sparse.h>

#include "oracles.h"
#include "stress.h"

/* ---- matrices ---- */

static const cudaDataType_t value_types[] = {CUDA_R_32F, CUDA_R_64F, CUDA_R_16F, CUDA_R_16BF};

static cudaDataType_t pick_offset_type(trial *t)
{
    return pick(t, 2) == 0 ? CUDA_R_32I : CUDA_R_64I;
}

/* A CSR matrix; `m` is the one in host memory. */
typedef struct csr {
    prim_sparse m;
    operand *offsets, *indices, *values;
} csr;

static size_t offset_of(const csr *a, size_t row)
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

static csr add_csr(trial *t, cudaDataType_t type, size_t most_rows, size_t longest)
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

/* As the call is given it, whatever has been spoilt. */
static prim_sparse on_device(const csr *a)
{
    prim_sparse m = a->m;
    m.row_offsets = a->offsets->d;
    m.column_indices = (void *)a->indices->d;
    m.values = a->values->d;
    return m;
}

/* The matrix in another format, in an operand that holds all its arrays. */
typedef struct packed {
    prim_sparse m;
    operand *arrays;
} packed;

enum { PIECE = 16 }; /* bytes of an element of `arrays`, and their alignment */

static operand *add_arrays(trial *t, size_t bytes)
{
    return add_output(t, SIXTEEN_BYTES, (bytes + PIECE - 1) / PIECE);
}

static packed add_packed(trial *t, prim_sparse from, prim_sparse_format format, int64_t width)
{
    packed p = {.m = from};
    const cudaDataType_t offset_type = pick_offset_type(t);
    size_t bytes = 0;
    on_host(t, prim_sparse_convert_bytes_host(from, format, offset_type, width, &bytes));
    p.arrays = add_arrays(t, bytes);
    p.arrays->is_output = false;
    p.arrays->is_aside = true;
    on_host(t,
            prim_sparse_convert_host(from, format, offset_type, width, p.arrays->h, bytes, &p.m));
    send(p.arrays);
    return p;
}

static prim_sparse packed_on_device(const packed *p)
{
    return prim_sparse_moved(p->m, p->arrays->h, p->arrays->d);
}

/* ---- products ---- */

static void expect_row(trial *t, const csr *a, double alpha, const operand *x, double beta,
                       const operand *y)
{
    const size_t row = pick(t, a->m.rows + 1);
    double sum = 0;
    if (row == a->m.rows || is_half(a->m.value_type))
        return;
    for (size_t e = offset_of(a, row); e < offset_of(a, row + 1); e++)
        sum += before(a->values, e) * before(x, (size_t)before(a->indices, e));
    expect_scaled(t, y, row, alpha, sum, beta);
}

/* Of halves: their own, or f32. Rungs for COO round in halves more often than the host does. */
static cudaDataType_t pick_vector_type(trial *t, cudaDataType_t type, bool may_be_half)
{
    const bool is_wide = is_half(type) && (pick(t, 2) == 0 || !may_be_half);
    return is_wide ? CUDA_R_32F : type;
}

static void spmv(trial *t)
{
    PICK_VARIANT(t, spmv);
    const prim_sparse_format format = (prim_sparse_format)pick(t, 6);
    const cudaDataType_t type = pick_type(t, value_types, COUNT_OF(value_types)),
                         vector = pick_vector_type(
                             t, type, format != PRIM_SPARSE_COO && format != PRIM_SPARSE_HYB);
    const csr a = add_csr(t, type, 200, 70);
    a.offsets->is_aside = a.indices->is_aside = a.values->is_aside = true;
    const packed p = add_packed(t, a.m, format, PRIM_SPARSE_WIDTH_AUTO);
    const double alpha = pick_scalar(t), beta = pick_scalar(t);
    size_t bytes = 0;
    const prim_status asked =
        prim_spmv_workspace_bytes(t->variant, packed_on_device(&p), vector, vector, &bytes);
    operand *x = add_input(t, vector, a.m.columns, false), *y = add_output(t, vector, a.m.rows);
    y->has_any_zero = true; /* alpha multiplies the sums of rows with entries alone, or all */
    begin(t, asked, bytes, true);
    describe(t, "spmv: variant %d, format %d, types %d %d, %zu × %zu with %zu entries, %g, %g",
             t->variant, format, type, vector, a.m.rows, a.m.columns, a.m.entries, alpha, beta);
    if (!end(t, prim_spmv(t->variant, alpha, packed_on_device(&p), vector, x->d, beta, vector, y->d,
                          t->workspace, t->workspace_bytes, t->stream)))
        return;
    on_host(t, prim_spmv_host(alpha, p.m, vector, x->h, beta, vector, y->h, t->threads));
    expect_row(t, &a, alpha, x, beta, y);
}

/* ---- plans ---- */

enum { MOST_PLANNED_ROWS = 3000, LONGEST_PLANNED = 30 };

static operand *add_plan(trial *t, prim_sparse m)
{
    size_t bytes = 0;
    on_host(t, prim_spmv_plan_bytes(m, &bytes));
    operand *plan = add_arrays(t, bytes);
    memset(plan->h, 0, plan->bytes);
    send(plan);
    return plan;
}

/* The plan, made apart from the trial, becomes what is there, or what is awaited. */
static void make_plan(trial *t, const csr *a, operand *plan)
{
    void *workspace = NULL;
    size_t bytes = 0;
    on_host(t, prim_spmv_plan_workspace_bytes(a->m, &bytes));
    check(cudaMalloc(&workspace, bytes + 1));
    on_host(t, prim_spmv_plan(on_device(a), plan->d, plan->bytes, workspace, bytes, NULL));
    check(cudaDeviceSynchronize());
    check(cudaFree(workspace));
    receive(plan);
}

static void spmv_plan(trial *t)
{
    const csr a = add_csr(t, CUDA_R_32F, MOST_PLANNED_ROWS, LONGEST_PLANNED);
    a.values->is_aside = true;
    operand *plan = add_plan(t, a.m);
    size_t bytes = 0;
    make_plan(t, &a, plan);
    check(cudaMemset(plan->d, 0, plan->bytes));
    const prim_status asked = prim_spmv_plan_workspace_bytes(a.m, &bytes);
    t->has_no_variant = true;
    begin(t, asked, bytes, true);
    describe(t, "spmv_plan: %zu × %zu with %zu entries", a.m.rows, a.m.columns, a.m.entries);
    end(t, prim_spmv_plan(on_device(&a), plan->d, plan->bytes, t->workspace, t->workspace_bytes,
                          t->stream));
}

/* What CSR_MERGE makes of the same, in y's twin: the order is its, and not the host version's. */
static void merge_product(trial *t, const csr *a, double alpha, const operand *x, double beta,
                          operand *y)
{
    char *workspace, *d_y;
    size_t bytes = 0;
    on_host(t, prim_spmv_workspace_bytes(PRIM_SPMV_CSR_MERGE, a->m, x->type, y->type, &bytes));
    check(cudaMalloc((void **)&workspace, bytes + 1));
    check(cudaMalloc((void **)&d_y, y->bytes + 1));
    check(cudaMemcpy(d_y, y->before, y->bytes, cudaMemcpyHostToDevice));
    on_host(t, prim_spmv(PRIM_SPMV_CSR_MERGE, alpha, on_device(a), x->type, x->d, beta, y->type,
                         d_y, workspace, bytes, NULL));
    check(cudaDeviceSynchronize());
    check(cudaMemcpy(y->h, d_y, y->bytes, cudaMemcpyDeviceToHost));
    check(cudaFree(workspace));
    check(cudaFree(d_y));
}

static void spmv_planned(trial *t)
{
    const cudaDataType_t type = pick_type(t, value_types, COUNT_OF(value_types)),
                         vector = pick_vector_type(t, type, true);
    pick_values(t, FRACTIONS);
    const csr a = add_csr(t, type, MOST_PLANNED_ROWS, LONGEST_PLANNED);
    const double alpha = pick_scalar(t), beta = pick_scalar(t);
    operand *plan = add_plan(t, a.m), *x = add_input(t, vector, a.m.columns, false),
            *y = add_output(t, vector, a.m.rows);
    size_t bytes = 0;
    plan->is_output = false;
    make_plan(t, &a, plan);
    send(plan);
    const prim_status asked = prim_spmv_planned_workspace_bytes(a.m, vector, vector, &bytes);
    t->has_no_variant = true;
    begin(t, asked, bytes, true);
    describe(t, "spmv_planned: types %d %d, %zu × %zu with %zu entries, %g, %g", type, vector,
             a.m.rows, a.m.columns, a.m.entries, alpha, beta);
    if (!end(t, prim_spmv_planned(alpha, on_device(&a), plan->d, plan->bytes, vector, x->d, beta,
                                  vector, y->d, t->workspace, t->workspace_bytes, t->stream)))
        return;
    merge_product(t, &a, alpha, x, beta, y);
    expect_row(t, &a, alpha, x, beta, y);
}

/* ---- the check ---- */

/* A number out of range or out of order, in one of the arrays; groups stay, which the call judges
 * itself. */
static void damage(trial *t, packed *p)
{
    static const int32_t wrong[] = {-2, -1, 0, 1, 31, 1 << 20, INT32_MAX, INT32_MIN};
    const char *const groups = (const char *)p->m.h_groups;
    const size_t bytes = groups != NULL ? p->m.group_count * sizeof *p->m.h_groups : 0,
                 numbers = p->arrays->bytes / sizeof *wrong,
                 at = pick(t, numbers + 1) * sizeof *wrong, kind = pick(t, COUNT_OF(wrong));
    const bool is_in_groups =
        groups != NULL && p->arrays->h + at >= groups && p->arrays->h + at < groups + bytes;
    if (at < p->arrays->bytes && !is_in_groups)
        memcpy(p->arrays->h + at, &wrong[kind], sizeof *wrong);
    send(p->arrays);
}

static void sparse_check(trial *t)
{
    const prim_sparse_format format = (prim_sparse_format)pick(t, 6);
    const csr a = add_csr(t, CUDA_R_32F, 100, 20);
    a.offsets->is_aside = a.indices->is_aside = a.values->is_aside = true;
    packed p = add_packed(t, a.m, format, PRIM_SPARSE_WIDTH_AUTO);
    damage(t, &p);
    operand *finding = add_output(t, CUDA_R_64U, 2);
    size_t bytes = 0;
    const prim_status on_the_host = prim_sparse_check_host(p.m),
                      asked = prim_sparse_check_workspace_bytes(packed_on_device(&p), &bytes);
    t->has_no_variant = true;
    begin(t, asked, bytes, true);
    describe(t, "sparse_check: format %d, %zu × %zu with %zu entries", format, a.m.rows,
             a.m.columns, a.m.entries);
    if (!end(t, prim_sparse_check(packed_on_device(&p), (void *)finding->d, t->workspace,
                                  t->workspace_bytes, t->stream)))
        return;
    receive(finding);
    if ((number_at(CUDA_R_64U, finding->h, 0) == PRIM_SPARSE_SOUND) != (on_the_host == PRIM_OK))
        complain(t, "rule %g on the device, and on the host: %s",
                 number_at(CUDA_R_64U, finding->h, 0), prim_status_string(on_the_host));
}

/* ---- conversions ---- */

static size_t length_of(const csr *a, size_t row)
{
    return offset_of(a, row + 1) - offset_of(a, row);
}

static size_t longest_row(const csr *a, size_t first, size_t count)
{
    size_t longest = 0;
    for (size_t row = first; row < first + count && row < a->m.rows; row++)
        longest = length_of(a, row) > longest ? length_of(a, row) : longest;
    return longest;
}

static int longer_first(const void *a, const void *b)
{
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x < y) - (x > y);
}

/* Places of SELL, whose rows are sorted by length, `sigma` at a time. */
static size_t sell_places(const csr *a, size_t sigma)
{
    size_t places = 0, *lengths = malloc((a->m.rows + 1) * sizeof *lengths);
    for (size_t row = 0; row < a->m.rows; row++)
        lengths[row] = length_of(a, row);
    for (size_t first = 0; first < a->m.rows; first += sigma)
        qsort(lengths + first, sigma < a->m.rows - first ? sigma : a->m.rows - first,
              sizeof *lengths, longer_first);
    for (size_t first = 0; first < a->m.rows; first += PRIM_SPARSE_SLICE_ROWS) {
        size_t longest = 0;
        for (size_t row = first; row < first + PRIM_SPARSE_SLICE_ROWS && row < a->m.rows; row++)
            longest = lengths[row] > longest ? lengths[row] : longest;
        places += longest * PRIM_SPARSE_SLICE_ROWS;
    }
    free(lengths);
    return places;
}

/* A conversion from `from` on the device to `format`. */
typedef struct conversion {
    prim_sparse from, h_from;
    prim_sparse_format format;
    cudaDataType_t offset_type;
    int64_t width;
    size_t size;    /* that the target needs */
    size_t given;   /* to the call */
    size_t missing; /* what then does not fit */
} conversion;

/* With less room than is needed, if the dial says so. */
static void pick_room(trial *t, const csr *a, conversion *c)
{
    const size_t step = c->format == PRIM_SPARSE_SELL ? PRIM_SPARSE_SLICE_ROWS : 1,
                 less = pick(t, 4) == 0 ? pick(t, c->size / step + 1) : 0;
    const bool is_known = c->from.format != PRIM_SPARSE_ELL && c->from.format != PRIM_SPARSE_SELL &&
                          c->format != PRIM_SPARSE_ELL && c->format != PRIM_SPARSE_SELL;
    c->given = is_known ? pick(t, 1000) : c->size - less * step; /* not looked at */
    if (c->format == PRIM_SPARSE_ELL)
        for (size_t row = 0; row < a->m.rows; row++)
            c->missing += length_of(a, row) > c->given ? length_of(a, row) - c->given : 0;
    else
        c->missing = is_known ? 0 : less * step;
}

static void convert(trial *t, const csr *a, conversion *c, const packed *source)
{
    size_t bytes = 0, workspace_bytes = 0;
    prim_sparse to, h_to;
    pick_room(t, a, c);
    on_host(t, prim_sparse_convert_bytes(c->from, c->format, c->offset_type, c->width, c->given,
                                         &bytes));
    operand *memory = add_arrays(t, bytes), *missing = add_output(t, CUDA_R_64U, 1);
    missing->may_be_null = true;
    const prim_status asked =
        prim_sparse_convert_workspace_bytes(c->from, c->format, c->width, &workspace_bytes);
    t->has_no_variant = true;
    begin(t, asked, workspace_bytes, true);
    describe(t,
             "sparse_convert: %d to %d, type %d, %zu × %zu with %zu entries, width %d, %zu of %zu",
             c->from.format, c->format, a->m.value_type, a->m.rows, a->m.columns, a->m.entries,
             (int)c->width, c->given, c->size);
    const prim_sparse from = source != NULL ? packed_on_device(source) : on_device(a);
    if (!end(t, prim_sparse_convert(from, c->format, c->offset_type, c->width, c->given, memory->d,
                                    bytes, &to, (void *)missing->d, t->workspace,
                                    t->workspace_bytes, t->stream)))
        return;
    const uint64_t left = c->missing;
    memcpy(missing->h, &left, sizeof left);
    if (c->missing > 0) { /* then the host makes no such matrix, and this one must be sound */
        receive(memory);
        on_host(t, prim_sparse_check_host(prim_sparse_moved(to, memory->d, memory->h)));
        return;
    }
    const int64_t h_width = c->format == PRIM_SPARSE_ELL ? (int64_t)c->size : c->width;
    on_host(t, prim_sparse_convert_host(c->h_from, c->format, c->offset_type, h_width, memory->h,
                                        bytes, &h_to));
    if (to.entries != h_to.entries || to.ell_width != h_to.ell_width || to.ell_ld != h_to.ell_ld)
        complain(t, "the matrix is not the host's");
}

static void sparse_from_csr(trial *t)
{
    static const prim_sparse_format formats[] = {PRIM_SPARSE_COO, PRIM_SPARSE_ELL, PRIM_SPARSE_SELL,
                                                 PRIM_SPARSE_CSR};
    const csr a = add_csr(t, pick_type(t, value_types, COUNT_OF(value_types)), 400, 40);
    conversion c = {.h_from = a.m, .from = on_device(&a), .format = formats[pick(t, 4)]};
    c.offset_type = pick_offset_type(t);
    c.width = 1 + (int64_t)pick_size(t, 500);
    c.size = c.format == PRIM_SPARSE_ELL    ? longest_row(&a, 0, a.m.rows)
             : c.format == PRIM_SPARSE_SELL ? sell_places(&a, (size_t)c.width)
                                            : a.m.entries;
    convert(t, &a, &c, NULL);
}

static void sparse_to_csr(trial *t)
{
    static const prim_sparse_format formats[] = {PRIM_SPARSE_COO, PRIM_SPARSE_ELL,
                                                 PRIM_SPARSE_SELL};
    const csr a = add_csr(t, pick_type(t, value_types, COUNT_OF(value_types)), 400, 40);
    a.offsets->is_aside = a.indices->is_aside = a.values->is_aside = true;
    const prim_sparse_format format = formats[pick(t, 3)];
    const packed p = add_packed(t, a.m, format,
                                format == PRIM_SPARSE_SELL ? 1 + (int64_t)pick_size(t, 500)
                                                           : PRIM_SPARSE_WIDTH_AUTO);
    conversion c = {.h_from = p.m,
                    .from = packed_on_device(&p),
                    .format = PRIM_SPARSE_CSR,
                    .offset_type = pick_offset_type(t),
                    .width = 1,
                    .size = a.m.entries};
    convert(t, &a, &c, &p);
}

static void sparse_convert_size(trial *t)
{
    const csr a = add_csr(t, CUDA_R_32F, 400, 40);
    const bool is_ell = pick(t, 2) == 0;
    const prim_sparse_format format = is_ell ? PRIM_SPARSE_ELL : PRIM_SPARSE_SELL;
    const int64_t sigma = 1 + (int64_t)pick_size(t, 500);
    operand *size = add_output(t, CUDA_R_64U, 1);
    size_t bytes = 0;
    a.values->is_aside = true;
    const prim_status asked = prim_sparse_convert_workspace_bytes(a.m, format, sigma, &bytes);
    t->has_no_variant = true;
    begin(t, asked, bytes, true);
    describe(t, "sparse_convert_size: CSR to %d, %zu rows with %zu entries, sigma %d", format,
             a.m.rows, a.m.entries, (int)sigma);
    if (!end(t, prim_sparse_convert_size(on_device(&a), format, sigma, (void *)size->d,
                                         t->workspace, t->workspace_bytes, t->stream)))
        return;
    const uint64_t right = is_ell ? longest_row(&a, 0, a.m.rows) : sell_places(&a, (size_t)sigma);
    memcpy(size->h, &right, sizeof right);
}

/* ---- transposed and dense: by plain loops ---- */

static void set_offset(const prim_sparse *m, size_t row, size_t offset)
{
    const size_t bytes = bytes_of(m->offset_type);
    memcpy((char *)m->row_offsets + row * bytes, &offset, bytes);
}

/* Column by column, each from the first row to the last. */
static void transpose_by_hand(const csr *a, const prim_sparse *to)
{
    const size_t bytes = bytes_of(a->m.value_type);
    size_t at = 0, *next = calloc(a->m.columns + 1, sizeof *next);
    for (size_t e = 0; e < a->m.entries; e++)
        next[(size_t)before(a->indices, e)]++;
    for (size_t column = 0; column <= a->m.columns; column++) {
        const size_t count = next[column];
        set_offset(to, column, at);
        next[column] = at;
        at += count;
    }
    for (size_t row = 0; row < a->m.rows; row++)
        for (size_t e = offset_of(a, row); e < offset_of(a, row + 1); e++) {
            const size_t place = next[(size_t)before(a->indices, e)]++;
            const int32_t index = (int32_t)row;
            memcpy((char *)to->column_indices + place * sizeof index, &index, sizeof index);
            memcpy((char *)to->values + place * bytes, a->values->before + e * bytes, bytes);
        }
    free(next);
}

static void sparse_transpose(trial *t)
{
    pick_values(t, ANYTHING);
    const csr a = add_csr(t, pick_type(t, value_types, COUNT_OF(value_types)), 400, 40);
    const cudaDataType_t offset_type = pick_offset_type(t);
    size_t bytes = 0, workspace_bytes = 0;
    prim_sparse to;
    on_host(t, prim_sparse_transpose_bytes(a.m, offset_type, &bytes));
    operand *memory = add_arrays(t, bytes);
    const prim_status asked = prim_sparse_transpose_workspace_bytes(a.m, &workspace_bytes);
    t->has_no_variant = true;
    begin(t, asked, workspace_bytes, true);
    describe(t, "sparse_transpose: types %d %d, %zu × %zu with %zu entries", a.m.value_type,
             offset_type, a.m.rows, a.m.columns, a.m.entries);
    if (!end(t, prim_sparse_transpose(on_device(&a), offset_type, memory->d, bytes, &to,
                                      t->workspace, t->workspace_bytes, t->stream)))
        return;
    const prim_sparse twin = prim_sparse_moved(to, memory->d, memory->h);
    transpose_by_hand(&a, &twin);
}

static bool is_zero_at(const operand *x, size_t i)
{
    static const char zeros[8];
    const size_t bytes = bytes_of(x->type);
    const char *const element = x->before + i * bytes;
    return memcmp(element, zeros, bytes - 1) == 0 && (element[bytes - 1] & 0x7f) == 0;
}

static void sparse_from_dense(trial *t)
{
    const cudaDataType_t type = pick_type(t, value_types, COUNT_OF(value_types)),
                         offset_type = pick_offset_type(t);
    const matrix m = pick_matrix(t);
    size_t bytes = 0, workspace_bytes = 0, size = 0, at = 0;
    prim_sparse to;
    pick_values(t, ANYTHING);
    operand *x = add_input(t, type, span(m.rows, m.columns, m.ld), false);
    for (size_t row = 0; row < m.rows; row++)
        for (size_t column = 0; column < m.columns; column++)
            size += !is_zero_at(x, row * m.ld + column);
    on_host(t, prim_sparse_from_dense_bytes(type, m.rows, m.columns, offset_type, size, &bytes));
    operand *memory = add_arrays(t, bytes), *missing = add_output(t, CUDA_R_64U, 1);
    missing->may_be_null = true;
    memset(missing->h, 0, missing->bytes);
    const prim_status asked =
        prim_sparse_from_dense_workspace_bytes(type, m.rows, m.columns, &workspace_bytes);
    t->has_no_variant = true;
    begin(t, asked, workspace_bytes, true);
    describe(t, "sparse_from_dense: types %d %d, %zu × %zu, ld %zu, %zu entries", type, offset_type,
             m.rows, m.columns, m.ld, size);
    if (!end(t, prim_sparse_from_dense(type, x->d, m.rows, m.columns, m.ld, offset_type, size,
                                       memory->d, bytes, &to, (void *)missing->d, t->workspace,
                                       t->workspace_bytes, t->stream)))
        return;
    const prim_sparse twin = prim_sparse_moved(to, memory->d, memory->h);
    for (size_t row = 0; row < m.rows; row++) {
        set_offset(&twin, row, at);
        for (size_t column = 0; column < m.columns; column++) {
            const size_t i = row * m.ld + column;
            if (is_zero_at(x, i))
                continue;
            const int32_t index = (int32_t)column;
            memcpy((char *)twin.column_indices + at * sizeof index, &index, sizeof index);
            memcpy((char *)twin.values + at * bytes_of(type), x->before + i * bytes_of(type),
                   bytes_of(type));
            at++;
        }
    }
    set_offset(&twin, m.rows, at);
}

static void sparse_to_dense(trial *t)
{
    const cudaDataType_t type = pick(t, 2) == 0 ? CUDA_R_32F : CUDA_R_64F;
    csr a = add_csr(t, type, 100, 10);
    a.m.columns = a.m.columns < 500 ? a.m.columns : 500;
    for (size_t e = 0; e < a.m.entries; e++) {
        const int32_t index = (int32_t)((size_t)before(a.indices, e) % a.m.columns);
        memcpy(a.indices->h + e * sizeof index, &index, sizeof index);
    }
    send(a.indices);
    const size_t ld = a.m.columns + pick(t, 4);
    operand *y = add_output(t, type, span(a.m.rows, a.m.columns, ld));
    y->has_any_zero = true;
    t->has_no_variant = true;
    begin(t, PRIM_OK, 0, true);
    describe(t, "sparse_to_dense: type %d, %zu × %zu with %zu entries, ld %zu", type, a.m.rows,
             a.m.columns, a.m.entries, ld);
    if (!end(t, prim_sparse_to_dense(on_device(&a), y->d, ld, t->stream)))
        return;
    for (size_t row = 0; row < a.m.rows; row++) {
        char *const line = y->h + row * ld * bytes_of(type);
        memset(line, 0, a.m.columns * bytes_of(type));
        for (size_t e = offset_of(&a, row); e < offset_of(&a, row + 1); e++) {
            const size_t column = (size_t)before(a.indices, e);
            const double sum = number_at(type, line, column) + before(a.values, e);
            const float rounded = (float)sum;
            memcpy(line + column * bytes_of(type),
                   type == CUDA_R_32F ? (const void *)&rounded : &sum, bytes_of(type));
        }
    }
}

const stress_call sparse_calls[] = {
    {"spmv", spmv},
    {"spmv_plan", spmv_plan},
    {"spmv_planned", spmv_planned},
    {"sparse_check", sparse_check},
    {"sparse_from_csr", sparse_from_csr},
    {"sparse_to_csr", sparse_to_csr},
    {"sparse_convert_size", sparse_convert_size},
    {"sparse_transpose", sparse_transpose},
    {"sparse_from_dense", sparse_from_dense},
    {"sparse_to_dense", sparse_to_dense},
    {NULL, NULL},
};
