/* reduce: sums of arrays of growing length, and of the rows of matrices. */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <primitives/reduce.h>

#include "bench.h"

static const struct {
    cudaDataType_t in, out;
    const char *name;
    size_t in_bytes, out_bytes;
} pairs[] = {
    {CUDA_R_32F, CUDA_R_32F, "f32", 4, 4},
    {CUDA_R_32I, CUDA_R_32I, "i32", 4, 4},
    {CUDA_R_64F, CUDA_R_64F, "f64", 8, 8},
    {CUDA_R_8U, CUDA_R_64U, "u8", 1, 8},
};
enum { PAIRS = sizeof pairs / sizeof *pairs };

static const size_t gpu_sizes[] = {(size_t)1 << 10, (size_t)1 << 16, (size_t)1 << 20,
                                   (size_t)1 << 24, (size_t)1 << 28, (size_t)1 << 30};
static const size_t cpu_sizes[] = {(size_t)1 << 10, (size_t)1 << 17};

static size_t pair_of(cudaDataType_t in)
{
    size_t p = 0;
    while (p + 1 < PAIRS && pairs[p].in != in)
        p++;
    return p;
}

static void plan_group(const bench_options *options, bench_plan *plan, size_t pair, size_t rows,
                       size_t columns, bench_input input)
{
    for (size_t v = 0; v < prim_reduce_variant_count(); v++) {
        const prim_reduce_variant variant = prim_reduce_variant_at(v);
        const size_t size = rows * columns;
        bench_case c = {.pattern = "reduce",
                        .name = rows == 1 ? "sum" : "rows",
                        .variant = prim_reduce_variant_name(variant),
                        .type = pairs[pair].name,
                        .input = input,
                        .size = size,
                        .rows = rows,
                        .element = pairs[pair].in,
                        .variant_value = variant,
                        .bytes =
                            (double)(size * pairs[pair].in_bytes + rows * pairs[pair].out_bytes),
                        .flops = (double)size,
                        .ceiling = CEILING_READ};
        if (rows == 1)
            snprintf(c.shape, sizeof c.shape, "%zu", columns);
        else
            snprintf(c.shape, sizeof c.shape, "%zux%zu", rows, columns);
        if (wants_variant(options, c.variant) &&
            prim_reduce_rows_supports(variant, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, pairs[pair].in,
                                      rows, columns, pairs[pair].out))
            plan_add(plan, c);
    }
}

/* f32 at every size, the other types at the largest but one; what was asked for, in full. */
static void plan_pair(const bench_options *options, bench_plan *plan, size_t pair)
{
    const size_t *sizes = on_gpu() ? gpu_sizes : cpu_sizes;
    const size_t all =
        on_gpu() ? sizeof gpu_sizes / sizeof *gpu_sizes : sizeof cpu_sizes / sizeof *cpu_sizes;
    const bool asked = options->type_count > 0 || pairs[pair].in == CUDA_R_32F;
    const size_t first = asked || options->size_count > 0 ? 0 : all - (on_gpu() ? 2 : 1);
    const size_t last = asked ? all : first + 1;
    const size_t inputs = options->input_count > 0 ? options->input_count : 1;
    for (size_t i = 0; i < inputs; i++) {
        const bench_input input = options->input_count > 0 ? options->inputs[i] : INPUT_UNIFORM;
        for (size_t s = 0; s < options->size_count; s++)
            plan_group(options, plan, pair, 1, options->sizes[s], input);
        for (size_t s = first; options->size_count == 0 && s < last; s++)
            plan_group(options, plan, pair, 1, sizes[s], input);
    }
}

/* Row sums of f32, unless sizes or other types are asked for. */
static void plan_rows(const bench_options *options, bench_plan *plan)
{
    static const size_t gpu[][2] = {{1024, 1024}, {65536, 1024}, {1024, 262144}};
    static const size_t cpu[][2] = {{64, 1024}};
    const bool wanted = wants_type(options, CUDA_R_32F);
    for (size_t s = 0; wanted && options->size_count == 0 && s < (on_gpu() ? 3 : 1); s++)
        plan_group(options, plan, pair_of(CUDA_R_32F), on_gpu() ? gpu[s][0] : cpu[s][0],
                   on_gpu() ? gpu[s][1] : cpu[s][1], INPUT_UNIFORM);
}

static void plan_reduce(const bench_options *options, bench_plan *plan)
{
    for (size_t t = 0; t < options->type_count; t++)
        plan_pair(options, plan, pair_of(options->types[t]));
    for (size_t p = 0; options->type_count == 0 && p < PAIRS; p++)
        plan_pair(options, plan, p);
    plan_rows(options, plan);
}

static void set_up_reduce(const bench_case *c, bench_operands *operands)
{
    const size_t pair = pair_of(c->element);
    operands->out_bytes = c->rows * pairs[pair].out_bytes;
    must_prim(prim_reduce_rows_workspace_bytes(
        (prim_reduce_variant)c->variant_value, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, c->element,
        c->rows, c->size / c->rows, pairs[pair].out, &operands->workspace_bytes));
    must(cudaMalloc(&operands->d_in, c->size * pairs[pair].in_bytes), "memory for the input");
    must(cudaMalloc(&operands->d_out, operands->out_bytes), "memory for the output");
    must(cudaMalloc(&operands->d_workspace, operands->workspace_bytes), "memory for the workspace");
    must(fill_on_device(c->element, operands->d_in, c->size, c->input, 7, 0), "filling the input");
}

static prim_status run_reduce(const bench_case *c, const bench_operands *o, cudaStream_t stream)
{
    const size_t columns = c->size / c->rows;
    return prim_reduce_rows((prim_reduce_variant)c->variant_value, PRIM_OP_SUM, PRIM_TRANSFORM_NONE,
                            c->element, o->d_in, c->rows, columns, columns,
                            pairs[pair_of(c->element)].out, o->d_out, o->d_workspace,
                            o->workspace_bytes, stream);
}

/* Float sums differ by the order of additions: by far less than this share of sqrt(count), the
 * size of a random sum. */
static bool same_row(const bench_case *c, const char *h_a, const char *h_b, size_t row)
{
    const double columns = (double)c->size / (double)c->rows;
    const double tolerance = 1e-3 * sqrt(columns) + (c->input == INPUT_EQUAL ? 1e-5 * columns : 0);
    switch (c->element) {
    case CUDA_R_32F:
        return fabs(((const float *)h_a)[row] - ((const float *)h_b)[row]) <= tolerance;
    case CUDA_R_64F:
        return fabs(((const double *)h_a)[row] - ((const double *)h_b)[row]) <= tolerance;
    case CUDA_R_32I:
        return ((const int32_t *)h_a)[row] == ((const int32_t *)h_b)[row];
    default:
        return ((const uint64_t *)h_a)[row] == ((const uint64_t *)h_b)[row];
    }
}

static bool same_rows(const bench_case *c, const void *h_a, const void *h_b)
{
    size_t row = 0;
    while (row < c->rows && same_row(c, h_a, h_b, row))
        row++;
    return row == c->rows;
}

const bench_pattern bench_reduce = {"reduce", plan_reduce, set_up_reduce, run_reduce, same_rows};
