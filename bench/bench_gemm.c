/* gemm: products of square matrices. */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <primitives/gemm.h>

#include "bench.h"

static const struct {
    cudaDataType_t type;
    const char *name;
    size_t bytes;
} types[] = {{CUDA_R_32F, "f32", 4}, {CUDA_R_64F, "f64", 8}, {CUDA_R_32I, "i32", 4}};
enum { TYPES = sizeof types / sizeof *types };

static size_t index_of(cudaDataType_t type)
{
    size_t t = 0;
    while (t + 1 < TYPES && types[t].type != type)
        t++;
    return t;
}

static void plan_group(bench_plan *plan, size_t t, size_t side, bench_input input)
{
    const double n = (double)side;
    for (size_t v = 0; prim_gemm_variant_at(v) != NULL; v++) {
        const prim_gemm_variant variant = prim_gemm_variant_at(v)->value;
        bench_case c = {.pattern = "gemm",
                        .name = "square",
                        .variant = prim_gemm_variant_info(variant)->name,
                        .type = types[t].name,
                        .input = input,
                        .size = side * side,
                        .rows = side,
                        .m = side,
                        .n = side,
                        .k = side,
                        .element = types[t].type,
                        .result = types[t].type,
                        .variant_value = variant,
                        .bytes = 3 * n * n * (double)types[t].bytes,
                        .flops = 2 * n * n * n,
                        .ceiling = types[t].type == CUDA_R_32F ? CEILING_FFMA : CEILING_NONE};
        snprintf(c.shape, sizeof c.shape, "%zu^3", side);
        if (prim_gemm_supports(variant, PRIM_NOT_TRANSPOSED, PRIM_NOT_TRANSPOSED, side, side, side,
                               types[t].type, types[t].type, types[t].type, PRIM_COMPUTE_DEFAULT))
            plan_add(plan, c);
    }
}

/* f32 in four sizes, the others in one, unless sizes are asked for. */
static void plan_type(const bench_options *options, bench_plan *plan, size_t t, bench_input input)
{
    static const size_t gpu_f32[] = {512, 1024, 2048, 4096}, gpu_other[] = {2048}, cpu[] = {64};
    const bool is_f32 = types[t].type == CUDA_R_32F;
    const size_t *sides = options->size_count > 0 ? options->sizes
                          : !on_gpu()             ? cpu
                          : is_f32                ? gpu_f32
                                                  : gpu_other;
    const size_t count = options->size_count > 0 ? options->size_count : on_gpu() && is_f32 ? 4 : 1;
    for (size_t s = 0; s < count; s++)
        plan_group(plan, t, sides[s], input);
}

static void plan_gemm(const bench_options *options, bench_plan *plan)
{
    const size_t inputs = options->input_count > 0 ? options->input_count : 1;
    for (size_t t = 0; t < TYPES; t++)
        for (size_t i = 0; wants_type(options, types[t].type) && i < inputs; i++)
            plan_type(options, plan, t,
                      options->input_count > 0 ? options->inputs[i] : INPUT_UNIFORM);
}

/* A, and B behind it. */
static void set_up_gemm(const bench_case *c, bench_operands *operands)
{
    const size_t count = c->m * c->k + c->k * c->n, bytes = types[index_of(c->element)].bytes;
    operands->out_bytes = c->m * c->n * bytes;
    must_prim(prim_gemm_workspace_bytes((prim_gemm_variant)c->variant_value, PRIM_NOT_TRANSPOSED,
                                        PRIM_NOT_TRANSPOSED, c->m, c->n, c->k, c->element,
                                        c->element, c->element, PRIM_COMPUTE_DEFAULT,
                                        &operands->workspace_bytes));
    must(cudaMalloc(&operands->d_in, count * bytes), "memory for the matrices");
    must(cudaMalloc(&operands->d_out, operands->out_bytes), "memory for the product");
    must(cudaMalloc(&operands->d_workspace, operands->workspace_bytes), "memory for the workspace");
    must(fill_on_device(c->element, operands->d_in, count, c->input, 13, 0),
         "filling the matrices");
}

static prim_status run_gemm(const bench_case *c, const bench_operands *o, cudaStream_t stream)
{
    const char *const d_b = (const char *)o->d_in + c->m * c->k * types[index_of(c->element)].bytes;
    return prim_gemm((prim_gemm_variant)c->variant_value, PRIM_NOT_TRANSPOSED, PRIM_NOT_TRANSPOSED,
                     c->m, c->n, c->k, 1, c->element, o->d_in, c->k, c->element, d_b, c->n, 0,
                     c->element, o->d_out, c->n, PRIM_COMPUTE_DEFAULT,
                     o->workspace_bytes > 0 ? o->d_workspace : NULL, o->workspace_bytes, stream);
}

/* Float sums differ by the order and the rounding of additions: by far less than this. */
static bool same_element(const bench_case *c, const void *h_a, const void *h_b, size_t i)
{
    const double k = (double)c->k;
    switch (c->element) {
    case CUDA_R_32F:
        return fabs((double)((const float *)h_a)[i] - ((const float *)h_b)[i]) <= 1e-6 * k;
    case CUDA_R_64F:
        return fabs(((const double *)h_a)[i] - ((const double *)h_b)[i]) <= 1e-14 * k;
    default:
        return ((const int32_t *)h_a)[i] == ((const int32_t *)h_b)[i];
    }
}

static bool same_products(const bench_case *c, const void *h_a, const void *h_b)
{
    size_t i = 0;
    while (i < c->m * c->n && same_element(c, h_a, h_b, i))
        i++;
    return i == c->m * c->n;
}

const bench_pattern bench_gemm = {"gemm",      "gemm",   plan_gemm,    NULL,
                                  set_up_gemm, run_gemm, same_products};
