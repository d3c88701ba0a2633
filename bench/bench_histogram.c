/* histogram: samples in 256 and more bins, random and all equal. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "histogram_kinds.h"

static const histogram_kind kinds[] = {
    {CUDA_R_8U, "even-256", "u8", 1, 256, {.lower = 0, .upper = 256}},
    {CUDA_R_32I, "even-256", "i32", 4, 256, {.lower = -1000, .upper = 1001}},
    {CUDA_R_32I, "even-2048", "i32", 4, 2048, {.lower = -1024, .upper = 1024}},
    {CUDA_R_32I, "even-65536", "i32", 4, 65536, {.lower = -1024, .upper = 1024}},
    {CUDA_R_32F, "even-256", "f32", 4, 256, {.real_lower = -1, .real_upper = 1}},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

const histogram_kind *histogram_kind_of(const bench_case *c)
{
    size_t k = 0;
    while (k + 1 < KINDS && (kinds[k].type != c->element || strcmp(kinds[k].name, c->name) != 0))
        k++;
    return &kinds[k];
}

static bool supports(prim_histogram_variant variant, const histogram_kind *k, size_t size)
{
    return prim_histogram_even_supports(variant, 0, PRIM_OUTSIDE_DROP, k->range, k->type, size,
                                        k->bins, CUDA_R_32U);
}

static void plan_group(bench_plan *plan, const histogram_kind *k, size_t size, bench_input input)
{
    for (size_t v = 0; prim_histogram_variant_at(v) != NULL; v++) {
        const prim_histogram_variant variant = prim_histogram_variant_at(v)->value;
        bench_case c = {.pattern = "histogram",
                        .name = k->name,
                        .variant = prim_histogram_variant_info(variant)->name,
                        .type = k->type_name,
                        .input = input,
                        .size = size,
                        .rows = 1,
                        .element = k->type,
                        .result = CUDA_R_32U,
                        .variant_value = variant,
                        .bytes = (double)(size * k->bytes + k->bins * sizeof(uint32_t)),
                        .flops = (double)size,
                        .ceiling = CEILING_READ};
        snprintf(c.shape, sizeof c.shape, "%zu", size);
        if (supports(variant, k, size))
            plan_add(plan, c);
    }
}

static void plan_histogram(const bench_options *options, bench_plan *plan)
{
    static const bench_input both[] = {INPUT_UNIFORM, INPUT_EQUAL};
    static const size_t gpu_sizes[] = {(size_t)1 << 20, (size_t)1 << 28},
                        cpu_sizes[] = {(size_t)1 << 17};
    const bench_input *inputs = options->input_count > 0 ? options->inputs : both;
    const size_t input_count = options->input_count > 0 ? options->input_count : 2;
    const size_t *sizes = options->size_count > 0 ? options->sizes
                          : on_gpu()              ? gpu_sizes
                                                  : cpu_sizes;
    const size_t size_count = options->size_count > 0 ? options->size_count : on_gpu() ? 2 : 1;
    for (size_t k = 0; k < KINDS; k++)
        for (size_t i = 0; wants_type(options, kinds[k].type) && i < input_count; i++)
            for (size_t s = 0; s < size_count; s++)
                plan_group(plan, &kinds[k], sizes[s], inputs[i]);
}

static void set_up_histogram(const bench_case *c, bench_operands *operands)
{
    const histogram_kind *k = histogram_kind_of(c);
    operands->out_bytes = k->bins * sizeof(uint32_t);
    must_prim(prim_histogram_even_workspace_bytes((prim_histogram_variant)c->variant_value, 0,
                                                  PRIM_OUTSIDE_DROP, k->range, k->type, c->size,
                                                  k->bins, CUDA_R_32U, &operands->workspace_bytes));
    must(cudaMalloc(&operands->d_in, c->size * k->bytes), "memory for the samples");
    must(cudaMalloc(&operands->d_out, operands->out_bytes), "memory for the counters");
    must(cudaMalloc(&operands->d_workspace, operands->workspace_bytes), "memory for the workspace");
    must(fill_on_device(k->type, operands->d_in, c->size, c->input, 11, 0), "filling the samples");
}

static prim_status run_histogram(const bench_case *c, const bench_operands *o, cudaStream_t stream)
{
    const histogram_kind *k = histogram_kind_of(c);
    return prim_histogram_even((prim_histogram_variant)c->variant_value, 0, PRIM_OUTSIDE_DROP,
                               k->range, k->type, o->d_in, c->size, k->bins, CUDA_R_32U, o->d_out,
                               NULL, o->d_workspace, o->workspace_bytes, stream);
}

static bool same_counters(const bench_case *c, const void *h_a, const void *h_b)
{
    return memcmp(h_a, h_b, histogram_kind_of(c)->bins * sizeof(uint32_t)) == 0;
}

const bench_pattern bench_histogram = {"histogram",      "histogram",   plan_histogram, NULL,
                                       set_up_histogram, run_histogram, same_counters};
