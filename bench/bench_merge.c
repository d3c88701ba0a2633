/* merge: two arrays of one length into one, and merge sorts of random keys. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <primitives/merge.h>

#include "bench.h"

static const struct {
    cudaDataType_t type;
    const char *name;
    size_t bytes;
} keys[] = {{CUDA_R_32I, "i32", 4}, {CUDA_R_32F, "f32", 4}, {CUDA_R_64F, "f64", 8}};
enum { KEYS = sizeof keys / sizeof *keys, DEFAULT_KEYS = 2 }; /* f64 where it is asked for */

static const size_t gpu_sizes[] = {(size_t)1 << 10, (size_t)1 << 16, (size_t)1 << 20,
                                   (size_t)1 << 24, (size_t)1 << 26, (size_t)1 << 28};
static const size_t cpu_sizes[] = {(size_t)1 << 10, (size_t)1 << 15};
static const size_t most_to_sort = (size_t)1 << 26;

static size_t key_bytes(const bench_case *c)
{
    size_t k = 0;
    while (k + 1 < KEYS && keys[k].type != c->element)
        k++;
    return keys[k].bytes;
}

static bool sorts(const bench_case *c)
{
    return strcmp(c->name, "sort") == 0;
}

static bench_case make_case(size_t k, const char *name, int variant, const char *variant_name,
                            size_t size, bench_input input)
{
    bench_case c = {.pattern = "merge",
                    .name = name,
                    .variant = variant_name,
                    .type = keys[k].name,
                    .input = input,
                    .size = size,
                    .rows = 1,
                    .element = keys[k].type,
                    .result = keys[k].type,
                    .variant_value = variant,
                    .bytes = 2.0 * (double)(size * keys[k].bytes),
                    .ceiling = CEILING_COPY};
    snprintf(c.shape, sizeof c.shape, "%zu", size);
    return c;
}

static void plan_merges(bench_plan *plan, size_t k, size_t size, bench_input input)
{
    for (size_t v = 0; prim_merge_variant_at(v) != NULL; v++) {
        const prim_merge_variant variant = prim_merge_variant_at(v)->value;
        const char *name = prim_merge_variant_info(variant)->name;
        if (prim_merge_supports(variant, PRIM_ASCENDING, keys[k].type, size / 2, size - size / 2))
            plan_add(plan, make_case(k, "merge", variant, name, size, input));
    }
}

static void plan_sorts(bench_plan *plan, size_t k, size_t size, bench_input input)
{
    for (size_t v = 0; prim_merge_sort_variant_at(v) != NULL; v++) {
        const prim_merge_sort_variant variant = prim_merge_sort_variant_at(v)->value;
        const char *name = prim_merge_sort_variant_info(variant)->name;
        if (prim_merge_sort_supports(variant, PRIM_ASCENDING, keys[k].type, size))
            plan_add(plan, make_case(k, "sort", variant, name, size, input));
    }
}

static void plan_keys(const bench_options *options, bench_plan *plan, size_t k, bench_input input)
{
    const bool asked = options->size_count > 0;
    const size_t *sizes = asked ? options->sizes : on_gpu() ? gpu_sizes : cpu_sizes;
    const size_t count = asked      ? options->size_count
                         : on_gpu() ? sizeof gpu_sizes / sizeof *gpu_sizes
                                    : sizeof cpu_sizes / sizeof *cpu_sizes;
    for (size_t s = 0; s < count; s++)
        plan_merges(plan, k, sizes[s], input);
    for (size_t s = 0; s < count; s++)
        if (asked || sizes[s] <= most_to_sort)
            plan_sorts(plan, k, sizes[s], input);
}

static void plan_merge(const bench_options *options, bench_plan *plan)
{
    const size_t inputs = options->input_count > 0 ? options->input_count : 1;
    for (size_t k = 0; k < (options->type_count > 0 ? KEYS : DEFAULT_KEYS); k++)
        for (size_t i = 0; wants_type(options, keys[k].type) && i < inputs; i++)
            plan_keys(options, plan, k,
                      options->input_count > 0 ? options->inputs[i] : INPUT_UNIFORM);
}

static void *second_half(const bench_case *c, void *d_keys)
{
    return (char *)d_keys + c->size / 2 * key_bytes(c);
}

/* Before anything is timed. */
static void sort_halves(const bench_case *c, void *d_keys)
{
    must_prim(prim_merge_sort(PRIM_MERGE_SORT_AUTO, PRIM_ASCENDING, c->element, d_keys, c->size / 2,
                              d_keys, NULL, 0, 0));
    void *const d_second = second_half(c, d_keys);
    must_prim(prim_merge_sort(PRIM_MERGE_SORT_AUTO, PRIM_ASCENDING, c->element, d_second,
                              c->size - c->size / 2, d_second, NULL, 0, 0));
}

static void set_up_merge(const bench_case *c, bench_operands *operands)
{
    operands->out_bytes = c->size * key_bytes(c);
    if (sorts(c))
        must_prim(prim_merge_sort_workspace_bytes((prim_merge_sort_variant)c->variant_value,
                                                  PRIM_ASCENDING, c->element, c->size,
                                                  &operands->workspace_bytes));
    else
        must_prim(prim_merge_workspace_bytes((prim_merge_variant)c->variant_value, PRIM_ASCENDING,
                                             c->element, c->size / 2, c->size - c->size / 2,
                                             &operands->workspace_bytes));
    must(cudaMalloc(&operands->d_in, operands->out_bytes), "memory for the keys");
    must(cudaMalloc(&operands->d_out, operands->out_bytes), "memory for the output");
    must(cudaMalloc(&operands->d_workspace, operands->workspace_bytes), "memory for the workspace");
    must(fill_on_device(c->element, operands->d_in, c->size, c->input, 13, 0), "filling the keys");
    if (!sorts(c))
        sort_halves(c, operands->d_in);
}

static prim_status run_merge(const bench_case *c, const bench_operands *o, cudaStream_t stream)
{
    if (sorts(c))
        return prim_merge_sort((prim_merge_sort_variant)c->variant_value, PRIM_ASCENDING,
                               c->element, o->d_in, c->size, o->d_out, o->d_workspace,
                               o->workspace_bytes, stream);
    return prim_merge((prim_merge_variant)c->variant_value, PRIM_ASCENDING, c->element, o->d_in,
                      c->size / 2, second_half(c, o->d_in), c->size - c->size / 2, o->d_out,
                      o->d_workspace, o->workspace_bytes, stream);
}

static bool same_keys(const bench_case *c, const void *h_a, const void *h_b)
{
    return memcmp(h_a, h_b, c->size * key_bytes(c)) == 0;
}

const bench_pattern bench_merge = {"merge",      "merge",   plan_merge, NULL,
                                   set_up_merge, run_merge, same_keys};
