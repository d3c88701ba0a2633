/* spmv: the matrices of matrix_kinds.c, in CSR and in what formats they have cases of their own;
 * and by a plan, and what the plan costs. A case's size is its number of rows. */
#define _GNU_SOURCE
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

#include <primitives/sparse.h>

#include "bench.h"
#include "call.h"
#include "draw.h"
#include "matrix_kinds.h"

static const struct {
    cudaDataType_t type;
    const char *name;
    size_t bytes;
} types[] = {{CUDA_R_32F, "f32", 4}, {CUDA_R_64F, "f64", 8}};
enum { TYPES = sizeof types / sizeof *types };

static uint64_t hash(uint64_t x) /* splitmix64 */
{
    x = (x + 1) * 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* ---- plan ---- */

/* In the place of a variant: the product by a plan, and the plan itself, which has cases of its
 * own. */
enum { PLANNED = -1, PLAN = -2 };

/* The format that a variant takes; AUTO's is CSR, the first. */
static prim_sparse_format format_of(int variant, cudaDataType_t type)
{
    if (variant < 0)
        return PRIM_SPARSE_CSR;
    const prim_vector none = prim_vector_of(type, NULL, 0);
    prim_sparse empty = {.value_type = type, .offset_type = CUDA_R_32I};
    prim_answer answer;
    while (empty.format < PRIM_SPARSE_SELL &&
           prim_spmv((prim_spmv_variant)variant, 1, empty, none, 0, none,
                     &(prim_call){.answer = &answer}) != PRIM_OK)
        empty.format = (prim_sparse_format)(empty.format + 1);
    return empty.format;
}

/* A case is named for its matrix, and for its format where that is not CSR: "banded-coo". There
 * AUTO has that format as well, and peers have what AUTO has. */
static const char *const suffixes[] = {[PRIM_SPARSE_CSR] = "",
                                       [PRIM_SPARSE_COO] = "-coo",
                                       [PRIM_SPARSE_ELL] = "-ell",
                                       [PRIM_SPARSE_JDS] = "-jds",
                                       [PRIM_SPARSE_SELL] = "-sell"};

static prim_sparse_format format_of_case(const bench_case *c)
{
    const char *const suffix = strrchr(c->name, '-');
    for (int f = PRIM_SPARSE_COO; suffix != NULL && f <= PRIM_SPARSE_SELL; f++)
        if (suffixes[f] != NULL && strcmp(suffix, suffixes[f]) == 0)
            return (prim_sparse_format)f;
    return format_of(c->variant_value, c->element);
}

static const matrix_kind *kind_of(const bench_case *c)
{
    const matrix_kind *found = NULL;
    for (size_t i = 0; matrix_kind_at(i) != NULL; i++) {
        const matrix_kind *const k = matrix_kind_at(i);
        const size_t length = strlen(k->name);
        if (strncmp(c->name, k->name, length) == 0 &&
            (found == NULL || length > strlen(found->name)))
            found = k;
    }
    return found;
}

/* A square one of a listed kind. */
static matrix_plan listed_matrix(const matrix_kind *k, size_t rows)
{
    return (matrix_plan){.kind = k, .rows = rows, .columns = rows};
}

static matrix_plan matrix_of(const bench_case *c)
{
    if (!is_drawn(c))
        return listed_matrix(kind_of(c), c->size);
    return (matrix_plan){
        .rows = c->size, .columns = c->k, .drawn = (drawn_rows)c->matrix, .mean = c->row_entries};
}

/* Not where a rung would take minutes, or padding most of the memory. */
static bool is_worth_it(prim_spmv_variant variant, cudaDataType_t type, const matrix_extent *e)
{
    const double most_comparisons = on_gpu() ? 0x1p32 : 0x1p24;
    const prim_sparse_format format = format_of(variant, type);
    if (variant == PRIM_SPMV_COO_SCAN_ALL)
        return (double)e->rows * (double)e->entries <= most_comparisons;
    if (format == PRIM_SPARSE_SELL)
        return e->longest <= 1024;
    return format != PRIM_SPARSE_ELL || e->rows * e->longest <= 8 * e->entries;
}

/* For every format the bytes that CSR needs, so that shares compare: each array, y, and what
 * entries can need of x, once. A case of COO has its own 12 bytes an entry, in f32. */
static double bytes_of(const matrix_extent *e, size_t value_bytes, prim_sparse_format format)
{
    const size_t needed = e->columns < e->entries ? e->columns : e->entries;
    const size_t index = sizeof(int32_t), vectors = (e->rows + needed) * value_bytes;
    return format == PRIM_SPARSE_COO
               ? (double)(e->entries * (value_bytes + 2 * index) + vectors)
               : (double)(e->entries * (value_bytes + index) + (e->rows + 1) * index + vectors);
}

/* The kind's name, and the format's after it, or that of a plan. The text stays. */
static const char *name_of_case(const matrix_kind *k, prim_sparse_format format, bool of_plan)
{
    enum { MOST_KINDS = 32, MOST_BYTES = 32 };
    static char names[MOST_KINDS][PRIM_SPARSE_SELL + 2][MOST_BYTES];
    size_t i = 0;
    while (matrix_kind_at(i) != k)
        i++;
    if (i >= MOST_KINDS)
        abort();
    char *const name = names[i][of_plan ? PRIM_SPARSE_SELL + 1 : format];
    snprintf(name, MOST_BYTES, "%s%s", k->name, of_plan ? "-plan" : suffixes[format]);
    return name;
}

static bench_case case_of(const char *name, size_t type, const matrix_extent *e, bench_input input,
                          prim_sparse_format format)
{
    bench_case c = {.pattern = "spmv",
                    .name = name,
                    .type = types[type].name,
                    .input = input,
                    .size = e->rows,
                    .rows = 1,
                    .element = types[type].type,
                    .result = types[type].type,
                    .bytes = bytes_of(e, types[type].bytes, format),
                    .flops = 2 * (double)e->entries,
                    .ceiling = CEILING_READ};
    snprintf(c.shape, sizeof c.shape, "%zu", e->rows);
    return c;
}

static size_t plan_bytes_of(const prim_sparse *csr)
{
    const prim_sparse sizes = {.rows = csr->rows,
                               .columns = csr->columns,
                               .entries = csr->entries,
                               .value_type = csr->value_type,
                               .offset_type = csr->offset_type};
    prim_answer answer;
    must_prim(prim_spmv_plan(sizes, NULL, 0, &(prim_call){.answer = &answer}));
    return answer.output_bytes;
}

static void plan_group(bench_plan *plan, const matrix_kind *k, size_t type, size_t rows,
                       bench_input input, prim_sparse_format format)
{
    const matrix_plan m = listed_matrix(k, rows);
    const matrix_extent e = measure_matrix(&m);
    bench_case c = case_of(name_of_case(k, format, false), type, &e, input, format);
    for (size_t v = 0; prim_spmv_variant_at(v) != NULL; v++) {
        const prim_spmv_variant variant = prim_spmv_variant_at(v)->value;
        c.variant = prim_spmv_variant_info(variant)->name;
        c.variant_value = variant;
        if (is_of_shapes(&c) && variant != PRIM_SPMV_AUTO)
            continue;
        const bool fits = format == PRIM_SPARSE_CSR || variant == PRIM_SPMV_AUTO ||
                          format_of(variant, c.element) == format;
        if (fits && is_worth_it(variant, c.element, &e))
            plan_add(plan, c);
    }
    if (format != PRIM_SPARSE_CSR || is_of_shapes(&c))
        return;
    c.variant = "csr_planned"; /* with CSR's bytes, which it need not move */
    c.variant_value = PLANNED;
    plan_add(plan, c);
    const prim_sparse csr = {.rows = rows,
                             .columns = rows,
                             .entries = e.entries,
                             .value_type = types[type].type,
                             .offset_type = CUDA_R_32I};
    if (plan_bytes_of(&csr) == 0)
        return;
    c.name = name_of_case(k, format, true);
    c.variant = "csr_plan"; /* offsets and columns */
    c.variant_value = PLAN;
    c.bytes = (double)((e.entries + e.rows + 1) * sizeof(int32_t));
    c.flops = 0;
    plan_add(plan, c);
}

static void plan_formats(bench_plan *plan, const matrix_kind *k, size_t type, size_t rows,
                         bench_input input)
{
    for (int f = PRIM_SPARSE_CSR; f <= PRIM_SPARSE_SELL; f++)
        if (f == PRIM_SPARSE_CSR || (k->formats & MATRIX_KIND_FORMAT(f)) != 0)
            plan_group(plan, k, type, rows, input, (prim_sparse_format)f);
}

static void plan_kind(const bench_options *options, bench_plan *plan, const matrix_kind *k,
                      size_t type, bench_input input)
{
    for (size_t s = 0; s < options->size_count; s++)
        plan_formats(plan, k, type, options->sizes[s], input);
    if (options->size_count == 0 && !on_gpu())
        plan_formats(plan, k, type, k->cpu_size, input);
    for (size_t s = 0; options->size_count == 0 && on_gpu() && s < MATRIX_KIND_SIZES; s++)
        if (k->gpu_sizes[s] > 0)
            plan_formats(plan, k, type, k->gpu_sizes[s], input);
}

static bool is_odd(const matrix_kind *k)
{
    return strncmp(k->name, "shapes_", sizeof "shapes_" - 1) == 0;
}

/* The kinds of odd shapes, where only AUTO is measured, or the others. f32, unless other types are
 * asked for. */
static void plan_kinds(const bench_options *options, bench_plan *plan, bool odd)
{
    const size_t inputs = options->input_count > 0 ? options->input_count : 1;
    for (size_t k = 0; matrix_kind_at(k) != NULL; k++)
        for (size_t t = 0; t < (options->type_count > 0 ? TYPES : 1); t++)
            for (size_t i = 0; wants_type(options, types[t].type) && i < inputs; i++)
                if (is_odd(matrix_kind_at(k)) == odd)
                    plan_kind(options, plan, matrix_kind_at(k), t,
                              options->input_count > 0 ? options->inputs[i] : INPUT_UNIFORM);
}

static void plan_sparse(const bench_options *options, bench_plan *plan)
{
    plan_kinds(options, plan, false);
}

static void plan_sparse_shapes(const bench_options *options, bench_plan *plan)
{
    plan_kinds(options, plan, true);
}

/* ---- drawn cases ---- */

/* Once by AUTO, and once by a plan that is not timed; a library prepares what it has likewise. */
static const char *const drawn_names[] = {"drawn_csr", "drawn_planned"};

/* The bytes of entries as elsewhere, but no more than fits most devices beside a plan; rows
 * log-uniform over 1…entries, columns over what rows need…4 times the longer side. */
static matrix_plan draw_matrix_plan(draws *d, size_t entry_bytes)
{
    const double most_bytes = 0x1p28, bytes = fmin(draw_bytes(d), most_bytes),
                 entries = fmax(bytes / (double)entry_bytes, 1);
    matrix_plan m = {.rows = draw_size(d, 1, entries),
                     .drawn = (drawn_rows)draw_below(d, DRAWN_ROWS)};
    m.mean = entries / (double)m.rows;
    m.columns = draw_size(d, m.mean, 4 * fmax(m.mean, (double)m.rows));
    return m;
}

static void plan_drawn(const bench_options *options, bench_plan *plan)
{
    for (size_t n = 0; n < sizeof drawn_names / sizeof *drawn_names; n++)
        for (draws d = begin_draws(options, drawn_names[n]); next_case(&d);) {
            const size_t t = draw_below(&d, TYPES);
            const matrix_plan m = draw_matrix_plan(&d, types[t].bytes + sizeof(int32_t));
            const matrix_extent e = measure_matrix(&m);
            bench_case c = case_of(drawn_names[n], t, &e, INPUT_UNIFORM, PRIM_SPARSE_CSR);
            c.variant = "auto";
            c.variant_value = n == 0 ? (int)PRIM_SPMV_AUTO : (int)PLANNED;
            c.k = m.columns;
            c.matrix = m.drawn;
            c.row_entries = m.mean;
            snprintf(c.shape, sizeof c.shape, "%zux%zu/%.4g %s", m.rows, m.columns, m.mean,
                     drawn_rows_name(m.drawn));
            number_case(&c, &d);
            plan_add(plan, c);
        }
}

/* ---- operands ---- */

static void *allocate(size_t bytes)
{
    void *memory = malloc(bytes > 0 ? bytes : 1);
    if (memory != NULL)
        return memory;
    fprintf(stderr, "primbench: out of memory for %zu bytes\n", bytes);
    exit(1);
}

static void write_value(size_t bytes, void *values, size_t i, double value)
{
    if (bytes == sizeof(float))
        ((float *)values)[i] = (float)value;
    else
        ((double *)values)[i] = value;
}

/* Small whole numbers, or all the same, so that a sum is exact in any order. */
static double whole_number(uint64_t i, bench_input input, int64_t most)
{
    return input == INPUT_EQUAL ? 1 : (double)((int64_t)(hash(i) >> 8) % (most + 1) - most / 2);
}

/* Rows from `begin` on, to `end`. */
typedef struct part {
    const matrix_plan *matrix;
    const prim_sparse *csr;
    size_t begin, end, value_bytes;
    bench_input input;
} part;

static int fill_part(void *any)
{
    const part *p = any;
    const int32_t *offsets = p->csr->row_offsets;
    int32_t *columns = (int32_t *)p->csr->column_indices;
    for (size_t row = p->begin; row < p->end; row++)
        for (int32_t e = offsets[row]; e < offsets[row + 1]; e++) {
            columns[e] = (int32_t)entry_column(p->matrix, row, (size_t)(e - offsets[row]));
            write_value(p->value_bytes, (void *)p->csr->values, (size_t)e,
                        whole_number((uint64_t)e, p->input, 8));
        }
    return 0;
}

/* Many millions of entries, some 50 ns each: all processors make them. */
static void fill(const part *all)
{
    enum { PARTS = 32 };
    const int32_t *offsets = all->csr->row_offsets;
    thrd_t threads[PARTS];
    part parts[PARTS];
    bool runs[PARTS];
    size_t row = 0;
    for (size_t i = 0; i < PARTS; i++) {
        parts[i] = *all;
        parts[i].begin = row;
        while (row < all->csr->rows &&
               (i + 1 == PARTS || (size_t)offsets[row] < all->csr->entries / PARTS * (i + 1)))
            row++;
        parts[i].end = row;
        runs[i] = thrd_create(&threads[i], fill_part, &parts[i]) == thrd_success;
        if (!runs[i])
            fill_part(&parts[i]);
    }
    for (size_t i = 0; i < PARTS; i++)
        if (runs[i])
            thrd_join(threads[i], NULL);
}

/* In CSR; the arrays are the caller's to free. */
static prim_sparse make_csr(const matrix_plan *m, cudaDataType_t type, size_t value_bytes,
                            bench_input input)
{
    const matrix_extent extent = measure_matrix(m);
    const size_t rows = m->rows;
    int32_t *offsets = allocate((rows + 1) * sizeof *offsets);
    const prim_sparse csr = {.format = PRIM_SPARSE_CSR,
                             .rows = rows,
                             .columns = m->columns,
                             .entries = extent.entries,
                             .value_type = type,
                             .offset_type = CUDA_R_32I,
                             .row_offsets = offsets,
                             .column_indices = allocate(extent.entries * sizeof(int32_t)),
                             .values = allocate(extent.entries * value_bytes)};
    offsets[0] = 0;
    for (size_t row = 0; row < rows; row++)
        offsets[row + 1] = offsets[row] + (int32_t)row_length(m, row);
    fill(&(part){.matrix = m, .csr = &csr, .value_bytes = value_bytes, .input = input});
    return csr;
}

/* The cases of a group have one matrix: the last one stays until another is asked for. */
static const prim_sparse *csr_of(const bench_case *c, size_t value_bytes)
{
    static prim_sparse last;
    static matrix_plan of;
    static bench_input input;
    const matrix_plan wanted = matrix_of(c);
    if (is_same_matrix(&of, &wanted) && last.value_type == c->element && input == c->input)
        return &last;
    free((void *)last.row_offsets);
    free((void *)last.column_indices);
    free((void *)last.values);
    of = wanted;
    input = c->input;
    last = make_csr(&of, c->element, value_bytes, input);
    return &last;
}

/* What a case keeps on the host: the matrix, whose arrays are on the device, and its plan, if it
 * has one; and its groups, which lie after the conversion's other arrays in memory that is given
 * back. Peers know of the matrix alone. */
typedef struct kept_matrix {
    prim_sparse matrix;
    void *d_plan;
    size_t plan_bytes;
} kept_matrix;

static kept_matrix *keep_matrix(prim_sparse matrix, const void *h_arrays, const void *d_arrays,
                                void *d_plan, size_t plan_bytes)
{
    const size_t group_bytes = matrix.group_count * sizeof *matrix.h_groups;
    kept_matrix *kept = allocate(sizeof *kept + group_bytes);
    *kept = (kept_matrix){prim_sparse_moved(matrix, h_arrays, d_arrays), d_plan, plan_bytes};
    if (group_bytes > 0)
        kept->matrix.h_groups = memcpy(kept + 1, matrix.h_groups, group_bytes);
    return kept;
}

static size_t rounded(size_t bytes)
{
    return (bytes + 255) / 256 * 256;
}

/* x, and after it the arrays of the matrix, and room for its plan. */
static void to_device(const prim_sparse *csr, prim_sparse_format format, size_t value_bytes,
                      bench_input input, bench_operands *operands)
{
    const size_t x_bytes = rounded(csr->columns * value_bytes);
    const size_t plan_bytes = plan_bytes_of(csr);
    size_t bytes;
    prim_sparse matrix;
    must_prim(
        prim_sparse_convert_bytes_host(*csr, format, CUDA_R_32I, PRIM_SPARSE_WIDTH_AUTO, &bytes));
    char *h_x = allocate(x_bytes), *h_arrays = allocate(bytes);
    must_prim(prim_sparse_convert_host(*csr, format, CUDA_R_32I, PRIM_SPARSE_WIDTH_AUTO, h_arrays,
                                       bytes, &matrix));
    for (size_t i = 0; i < csr->columns; i++)
        write_value(value_bytes, h_x, i, whole_number(~i, input, 16));
    must(cudaMalloc(&operands->d_in, x_bytes + rounded(bytes) + plan_bytes),
         "memory for x, the matrix and its plan");
    char *const d_arrays = (char *)operands->d_in + x_bytes;
    must(cudaMemcpy(operands->d_in, h_x, csr->columns * value_bytes, cudaMemcpyHostToDevice),
         "copying x");
    must(cudaMemcpy(d_arrays, h_arrays, bytes, cudaMemcpyHostToDevice), "copying the matrix");
    operands->h_state =
        keep_matrix(matrix, h_arrays, d_arrays, d_arrays + rounded(bytes), plan_bytes);
    free(h_arrays);
    free(h_x);
}

static size_t value_bytes_of(const bench_case *c)
{
    return c->element == CUDA_R_64F ? sizeof(double) : sizeof(float);
}

static prim_status make_plan(const kept_matrix *k, const prim_call *call)
{
    return prim_spmv_plan(k->matrix, k->d_plan, k->plan_bytes, call);
}

static prim_status run_sparse(const bench_case *c, const bench_operands *o, cudaStream_t stream)
{
    const kept_matrix *kept = o->h_state;
    const prim_vector x = prim_vector_of(c->element, o->d_in, kept->matrix.columns),
                      y = prim_vector_of(c->element, o->d_out, kept->matrix.rows);
    const prim_call call = call_of(o, stream);
    if (c->variant_value == PLAN)
        return make_plan(kept, &call);
    if (c->variant_value == PLANNED)
        return prim_spmv_planned(1, kept->matrix, kept->d_plan, kept->plan_bytes, x, 0, y, &call);
    return prim_spmv((prim_spmv_variant)c->variant_value, 1, kept->matrix, x, 0, y, &call);
}

static void set_up_sparse(const bench_case *c, bench_operands *operands)
{
    const size_t value_bytes = value_bytes_of(c);
    to_device(csr_of(c, value_bytes), format_of_case(c), value_bytes, c->input, operands);
    operands->out_bytes = c->size * value_bytes;
    if (c->variant_value == PLANNED)
        must_prim(make_plan(operands->h_state, NULL));
    must(cudaMalloc(&operands->d_out, operands->out_bytes), "memory for y");
}

static bool same_sums(const bench_case *c, const void *h_a, const void *h_b)
{
    size_t i = 0;
    if (c->element == CUDA_R_64F)
        while (i < c->size && ((const double *)h_a)[i] == ((const double *)h_b)[i])
            i++;
    else
        while (i < c->size && ((const float *)h_a)[i] == ((const float *)h_b)[i])
            i++;
    return i == c->size;
}

const bench_pattern bench_sparse = {
    .name = "spmv",
    .header = "sparse",
    .plan = plan_sparse,
    .plan_shapes = plan_sparse_shapes,
    .plan_draw = plan_drawn,
    .set_up = set_up_sparse,
    .run = run_sparse,
    .same = same_sums,
};
