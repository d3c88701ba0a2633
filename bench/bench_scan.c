/* scan: inclusive sums of arrays, of a matrix's rows and in both directions. */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <primitives/scan.h>

#include "bench.h"
#include "common/element.h"

static const struct {
    cudaDataType_t type;
    const char *name;
} types[] = {{CUDA_R_32F, "f32"}, {CUDA_R_32I, "i32"}, {CUDA_R_64F, "f64"},
             {CUDA_R_8I, "i8"},   {CUDA_R_16I, "i16"}, {CUDA_R_64I, "i64"}};
enum { TYPES = sizeof types / sizeof *types };

static const char vector_name[] = "sum", rows_name[] = "rows", both_name[] = "2d";

static const size_t gpu_sizes[] = {(size_t)1 << 10, (size_t)1 << 16, (size_t)1 << 20,
                                   (size_t)1 << 24, (size_t)1 << 28, (size_t)1 << 30};
static const size_t cpu_sizes[] = {(size_t)1 << 10, (size_t)1 << 15};

static bool in_both_directions(const bench_case *c)
{
    return strcmp(c->name, both_name) == 0;
}

static prim_status ask(const bench_case *c, size_t *bytes)
{
    const prim_scan_variant variant = (prim_scan_variant)c->variant_value;
    const size_t columns = c->size / c->rows;
    if (in_both_directions(c))
        return prim_scan_2d_workspace_bytes(variant, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, c->element,
                                            c->rows, columns, c->element, bytes);
    return prim_scan_rows_workspace_bytes(variant, PRIM_SCAN_INCLUSIVE, PRIM_OP_SUM,
                                          PRIM_TRANSFORM_NONE, c->element, c->rows, columns,
                                          c->element, bytes);
}

static void plan_group(const bench_options *options, bench_plan *plan, const char *name,
                       size_t type, size_t rows, size_t columns, bench_input input)
{
    for (size_t v = 0; v < prim_scan_variant_count(); v++) {
        const prim_scan_variant variant = prim_scan_variant_at(v);
        const size_t size = rows * columns;
        size_t workspace_bytes;
        bench_case c = {.pattern = "scan",
                        .name = name,
                        .variant = prim_scan_variant_name(variant),
                        .type = types[type].name,
                        .input = input,
                        .size = size,
                        .rows = rows,
                        .element = types[type].type,
                        .result = types[type].type,
                        .variant_value = variant,
                        .bytes = 2 * (double)(size * prim_element_bytes(types[type].type)),
                        .flops = (double)size * (name == both_name ? 2 : 1),
                        .ceiling = CEILING_COPY};
        if (rows == 1)
            snprintf(c.shape, sizeof c.shape, "%zu", columns);
        else
            snprintf(c.shape, sizeof c.shape, "%zux%zu", rows, columns);
        if (wants_variant(options, c.variant) && ask(&c, &workspace_bytes) == PRIM_OK)
            plan_add(plan, c);
    }
}

/* f32 at every size, the other types at the largest but one; what was asked for, in full. */
static void plan_vectors(const bench_options *options, bench_plan *plan, size_t type,
                         bench_input input)
{
    const size_t *sizes = on_gpu() ? gpu_sizes : cpu_sizes;
    const size_t all =
        on_gpu() ? sizeof gpu_sizes / sizeof *gpu_sizes : sizeof cpu_sizes / sizeof *cpu_sizes;
    const bool asked = options->type_count > 0 || types[type].type == CUDA_R_32F;
    const size_t first = asked ? 0 : all - (on_gpu() ? 2 : 1);
    const size_t last = asked ? all : first + 1;
    for (size_t s = 0; s < options->size_count; s++)
        plan_group(options, plan, vector_name, type, 1, options->sizes[s], input);
    for (size_t s = first; options->size_count == 0 && s < last; s++)
        plan_group(options, plan, vector_name, type, 1, sizes[s], input);
}

/* Matrices of f32, unless sizes or other types are asked for. */
static void plan_matrices(const bench_options *options, bench_plan *plan, bench_input input)
{
    if (options->size_count > 0 || !wants_type(options, CUDA_R_32F))
        return;
    const size_t f32 = 0;
    plan_group(options, plan, rows_name, f32, on_gpu() ? 65536 : 16, 1024, input);
    plan_group(options, plan, both_name, f32, on_gpu() ? 8192 : 64, on_gpu() ? 8192 : 64, input);
}

static void plan_scan(const bench_options *options, bench_plan *plan)
{
    const size_t inputs = options->input_count > 0 ? options->input_count : 1;
    for (size_t i = 0; i < inputs; i++) {
        const bench_input input = options->input_count > 0 ? options->inputs[i] : INPUT_UNIFORM;
        for (size_t t = 0; t < TYPES; t++)
            if (wants_type(options, types[t].type))
                plan_vectors(options, plan, t, input);
        plan_matrices(options, plan, input);
    }
}

static void set_up_scan(const bench_case *c, bench_operands *operands)
{
    operands->out_bytes = c->size * prim_element_bytes(c->element);
    must_prim(ask(c, &operands->workspace_bytes));
    must(cudaMalloc(&operands->d_in, operands->out_bytes), "memory for the input");
    must(cudaMalloc(&operands->d_out, operands->out_bytes), "memory for the output");
    must(cudaMalloc(&operands->d_workspace, operands->workspace_bytes), "memory for the workspace");
    must(fill_on_device(c->element, operands->d_in, c->size, c->input, 7, 0), "filling the input");
}

static prim_status run_scan(const bench_case *c, const bench_operands *o, cudaStream_t stream)
{
    const prim_scan_variant variant = (prim_scan_variant)c->variant_value;
    const size_t columns = c->size / c->rows;
    if (in_both_directions(c))
        return prim_scan_2d(variant, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, c->element, o->d_in, c->rows,
                            columns, columns, c->element, o->d_out, columns, o->d_workspace,
                            o->workspace_bytes, stream);
    return prim_scan_rows(variant, PRIM_SCAN_INCLUSIVE, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, NULL,
                          c->element, o->d_in, c->rows, columns, columns, c->element, o->d_out,
                          columns, o->d_workspace, o->workspace_bytes, stream);
}

/* By how much two orders may differ: an f32 sum of n elements of up to 1 is rounded, in either
 * order, some log2(n) times by half a unit of what it has grown to, sqrt(n) for random elements.
 * Ones are whole numbers, exact up to 2^24, and grow to n. */
static double tolerance(const bench_case *c)
{
    const double line = in_both_directions(c) ? (double)c->size : (double)(c->size / c->rows);
    const double unit = c->element == CUDA_R_32F ? 0x1p-24 : 0x1p-53;
    const double grown = c->input == INPUT_EQUAL ? line : 16 * sqrt(line);
    return 2 * (log2(line + 1) + 2) * unit * grown;
}

/* true where every element is as near; NaN is near to nothing. */
static bool same_prefixes(const bench_case *c, const void *h_a, const void *h_b)
{
    const double apart = tolerance(c);
    size_t i = 0;
    if (c->element != CUDA_R_32F && c->element != CUDA_R_64F)
        return memcmp(h_a, h_b, c->size * prim_element_bytes(c->element)) == 0;
    if (c->element == CUDA_R_32F)
        while (i < c->size &&
               fabs((double)((const float *)h_a)[i] - ((const float *)h_b)[i]) <= apart)
            i++;
    else
        while (i < c->size && fabs(((const double *)h_a)[i] - ((const double *)h_b)[i]) <= apart)
            i++;
    return i == c->size;
}

const bench_pattern bench_scan = {"scan", plan_scan, set_up_scan, run_scan, same_prefixes};
