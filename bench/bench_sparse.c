/* spmv: matrices of a stencil, of rows whose lengths follow a power law, and of 32 entries a row in
 * random columns. A case's size is its number of rows. */
#define _GNU_SOURCE
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <primitives/sparse.h>

#include "bench.h"

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

/* ---- the matrices: square, each row's length and columns from its number alone ---- */

typedef struct kind {
    const char *name;
    size_t (*length)(size_t row, size_t rows);
    size_t (*column)(size_t row, size_t s, size_t rows); /* of the row's entry s */
    size_t gpu_sizes[2], cpu_size;
} kind;

/* A point and its four neighbours on a grid as wide as high: those that there are. */
static size_t neighbours(size_t row, size_t rows, size_t columns[5])
{
    const size_t width = (size_t)sqrt((double)rows);
    const size_t candidates[] = {row - width, row - 1, row, row + 1, row + width};
    size_t count = 0;
    for (size_t c = 0; c < 5; c++)
        if (candidates[c] < rows) /* what is below 0 has wrapped */
            columns[count++] = candidates[c];
    return count;
}

static size_t stencil_length(size_t row, size_t rows)
{
    size_t columns[5];
    return neighbours(row, rows, columns);
}

static size_t stencil_column(size_t row, size_t s, size_t rows)
{
    size_t columns[5];
    neighbours(row, rows, columns);
    return columns[s];
}

/* l entries or more in a share of l^-1.2 of the rows, up to an eighth of the columns. */
static size_t power_law_length(size_t row, size_t rows)
{
    const double share = (double)((hash(row) >> 11) + 1) * 0x1p-53;
    return (size_t)fmin(pow(share, -1 / 1.2), (double)(rows / 8 + 1));
}

static size_t same_length(size_t row, size_t rows)
{
    (void)row, (void)rows;
    return 32;
}

static size_t random_column(size_t row, size_t s, size_t rows)
{
    return hash(row << 24 ^ s) % rows;
}

static const kind kinds[] = {
    {"stencil", stencil_length, stencil_column, {(size_t)1 << 12, (size_t)1 << 22}, 1 << 10},
    {"power-law", power_law_length, random_column, {(size_t)1 << 20, 0}, 1 << 10},
    {"random-32", same_length, random_column, {(size_t)1 << 20, 0}, 1 << 8},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* ---- plan ---- */

typedef struct extent {
    size_t rows, entries, longest;
} extent;

static extent measure_kind(const kind *k, size_t rows)
{
    extent e = {.rows = rows};
    for (size_t row = 0; row < rows; row++) {
        const size_t length = k->length(row, rows);
        e.entries += length;
        e.longest = length > e.longest ? length : e.longest;
    }
    return e;
}

/* AUTO chooses among CSR's rungs: CSR is the first format. */
static prim_sparse_format format_of(prim_spmv_variant variant, cudaDataType_t type)
{
    prim_sparse empty = {.value_type = type, .offset_type = CUDA_R_32I};
    while (empty.format < PRIM_SPARSE_JDS && !prim_spmv_supports(variant, empty, type, type))
        empty.format = (prim_sparse_format)(empty.format + 1);
    return empty.format;
}

/* Not where a rung would take minutes, or ELL's padding most of the memory. */
static bool is_worth_it(prim_spmv_variant variant, cudaDataType_t type, const extent *e)
{
    const double most_comparisons = on_gpu() ? 0x1p32 : 0x1p24;
    if (variant == PRIM_SPMV_COO_SCAN_ALL)
        return (double)e->rows * (double)e->entries <= most_comparisons;
    return format_of(variant, type) != PRIM_SPARSE_ELL || e->rows * e->longest <= 8 * e->entries;
}

/* For every format the bytes that CSR needs, so that shares compare: each array, x and y once. */
static double bytes_of(const extent *e, size_t value_bytes)
{
    return (double)(e->entries * (value_bytes + sizeof(int32_t)) + (e->rows + 1) * sizeof(int32_t) +
                    2 * e->rows * value_bytes);
}

static void plan_group(bench_plan *plan, const kind *k, size_t type, size_t rows, bench_input input)
{
    const extent e = measure_kind(k, rows);
    for (size_t v = 0; prim_spmv_variant_at(v) != NULL; v++) {
        const prim_spmv_variant variant = prim_spmv_variant_at(v)->value;
        bench_case c = {.pattern = "spmv",
                        .name = k->name,
                        .variant = prim_spmv_variant_info(variant)->name,
                        .type = types[type].name,
                        .input = input,
                        .size = rows,
                        .rows = 1,
                        .element = types[type].type,
                        .result = types[type].type,
                        .variant_value = variant,
                        .bytes = bytes_of(&e, types[type].bytes),
                        .flops = 2 * (double)e.entries,
                        .ceiling = CEILING_READ};
        snprintf(c.shape, sizeof c.shape, "%zu", rows);
        if (is_worth_it(variant, c.element, &e))
            plan_add(plan, c);
    }
}

static void plan_kind(const bench_options *options, bench_plan *plan, const kind *k, size_t type,
                      bench_input input)
{
    for (size_t s = 0; s < options->size_count; s++)
        plan_group(plan, k, type, options->sizes[s], input);
    if (options->size_count == 0 && !on_gpu())
        plan_group(plan, k, type, k->cpu_size, input);
    for (size_t s = 0; options->size_count == 0 && on_gpu() && s < 2 && k->gpu_sizes[s] > 0; s++)
        plan_group(plan, k, type, k->gpu_sizes[s], input);
}

/* f32, unless other types are asked for. */
static void plan_sparse(const bench_options *options, bench_plan *plan)
{
    const size_t inputs = options->input_count > 0 ? options->input_count : 1;
    for (size_t k = 0; k < KINDS; k++)
        for (size_t t = 0; t < (options->type_count > 0 ? TYPES : 1); t++)
            for (size_t i = 0; wants_type(options, types[t].type) && i < inputs; i++)
                plan_kind(options, plan, &kinds[k], t,
                          options->input_count > 0 ? options->inputs[i] : INPUT_UNIFORM);
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

/* In CSR; the arrays are the caller's to free. */
static prim_sparse make_csr(const kind *k, size_t rows, cudaDataType_t type, size_t value_bytes,
                            bench_input input)
{
    const extent extents = measure_kind(k, rows);
    int32_t *offsets = allocate((rows + 1) * sizeof *offsets);
    int32_t *columns = allocate(extents.entries * sizeof *columns);
    void *values = allocate(extents.entries * value_bytes);
    size_t e = 0;
    offsets[0] = 0;
    for (size_t row = 0; row < rows; row++) {
        const size_t length = k->length(row, rows);
        for (size_t s = 0; s < length; s++, e++) {
            columns[e] = (int32_t)k->column(row, s, rows);
            write_value(value_bytes, values, e, whole_number(e, input, 8));
        }
        offsets[row + 1] = (int32_t)e;
    }
    return (prim_sparse){.format = PRIM_SPARSE_CSR,
                         .rows = rows,
                         .columns = rows,
                         .entries = e,
                         .value_type = type,
                         .offset_type = CUDA_R_32I,
                         .row_offsets = offsets,
                         .column_indices = columns,
                         .values = values};
}

/* What a case keeps on the host: the matrix, whose arrays are on the device, and its groups, which
 * lie behind the conversion's other arrays in memory that is given back. */
static prim_sparse *keep_matrix(prim_sparse matrix, const void *h_arrays, const void *d_arrays)
{
    const size_t group_bytes = matrix.group_count * sizeof *matrix.h_groups;
    prim_sparse *kept = allocate(sizeof *kept + group_bytes);
    *kept = prim_sparse_moved(matrix, h_arrays, d_arrays);
    if (group_bytes > 0)
        kept->h_groups = memcpy(kept + 1, matrix.h_groups, group_bytes);
    return kept;
}

/* x, and behind it the arrays of the matrix. */
static void to_device(const prim_sparse *csr, prim_sparse_format format, size_t value_bytes,
                      bench_input input, bench_operands *operands)
{
    const size_t x_bytes = (csr->columns * value_bytes + 255) / 256 * 256;
    size_t bytes;
    prim_sparse matrix;
    must_prim(
        prim_sparse_convert_bytes_host(*csr, format, CUDA_R_32I, PRIM_SPARSE_WIDTH_AUTO, &bytes));
    char *h_x = allocate(x_bytes), *h_arrays = allocate(bytes);
    must_prim(prim_sparse_convert_host(*csr, format, CUDA_R_32I, PRIM_SPARSE_WIDTH_AUTO, h_arrays,
                                       bytes, &matrix));
    for (size_t i = 0; i < csr->columns; i++)
        write_value(value_bytes, h_x, i, whole_number(~i, input, 16));
    must(cudaMalloc(&operands->d_in, x_bytes + bytes), "memory for x and the matrix");
    char *const d_arrays = (char *)operands->d_in + x_bytes;
    must(cudaMemcpy(operands->d_in, h_x, csr->columns * value_bytes, cudaMemcpyHostToDevice),
         "copying x");
    must(cudaMemcpy(d_arrays, h_arrays, bytes, cudaMemcpyHostToDevice), "copying the matrix");
    operands->h_state = keep_matrix(matrix, h_arrays, d_arrays);
    free(h_arrays);
    free(h_x);
}

static size_t value_bytes_of(const bench_case *c)
{
    return c->element == CUDA_R_64F ? sizeof(double) : sizeof(float);
}

static void set_up_sparse(const bench_case *c, bench_operands *operands)
{
    const prim_spmv_variant variant = (prim_spmv_variant)c->variant_value;
    const size_t value_bytes = value_bytes_of(c);
    size_t k = 0;
    while (strcmp(kinds[k].name, c->name) != 0)
        k++;
    prim_sparse csr = make_csr(&kinds[k], c->size, c->element, value_bytes, c->input);
    to_device(&csr, format_of(variant, c->element), value_bytes, c->input, operands);
    free((void *)csr.row_offsets);
    free((void *)csr.column_indices);
    free((void *)csr.values);
    operands->out_bytes = c->size * value_bytes;
    must_prim(prim_spmv_workspace_bytes(variant, *(const prim_sparse *)operands->h_state,
                                        c->element, c->element, &operands->workspace_bytes));
    must(cudaMalloc(&operands->d_out, operands->out_bytes), "memory for y");
    must(cudaMalloc(&operands->d_workspace, operands->workspace_bytes), "memory for the workspace");
}

static prim_status run_sparse(const bench_case *c, const bench_operands *o, cudaStream_t stream)
{
    const prim_sparse *matrix = o->h_state;
    return prim_spmv((prim_spmv_variant)c->variant_value, 1, *matrix, c->element, o->d_in, 0,
                     c->element, o->d_out, o->workspace_bytes > 0 ? o->d_workspace : NULL,
                     o->workspace_bytes, stream);
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

const bench_pattern bench_sparse = {"spmv",        "sparse",   plan_sparse, NULL,
                                    set_up_sparse, run_sparse, same_sums};
