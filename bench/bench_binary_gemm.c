/* binary_gemm: products of square matrices of ±1, packed beforehand. An operation is one of ±1, so
 * that the figures stand beside gemm's. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <primitives/binary_gemm.h>

#include "bench.h"
#include "call.h"

static size_t words_of(size_t k)
{
    return k / 32 + (k % 32 != 0);
}

static prim_status run_binary_gemm(const bench_case *c, const bench_operands *o,
                                   cudaStream_t stream)
{
    uint32_t *const d_b = part_of(o->d_in, c->m * words_of(c->k) * sizeof(uint32_t));
    const prim_call call = call_of(o, stream);
    return prim_binary_gemm((prim_binary_gemm_variant)c->variant_value,
                            prim_bits_of(o->d_in, c->m, c->k, 0), prim_bits_of(d_b, c->k, c->n, 0),
                            prim_matrix_of(CUDA_R_32I, o->d_out, c->m, c->n, 0), &call);
}

static void plan_group(bench_plan *plan, size_t side, bench_input input)
{
    const double n = (double)side, words = (double)words_of(side);
    for (size_t v = 0; prim_binary_gemm_variant_at(v) != NULL; v++) {
        const prim_binary_gemm_variant variant = prim_binary_gemm_variant_at(v)->value;
        bench_case c = {.pattern = "binary_gemm",
                        .name = "square",
                        .variant = prim_binary_gemm_variant_info(variant)->name,
                        .type = "i32",
                        .input = input,
                        .size = side * side,
                        .rows = side,
                        .m = side,
                        .n = side,
                        .k = side,
                        .element = CUDA_R_32I,
                        .variant_value = variant,
                        .bytes = 4 * (2 * n * words + n * n),
                        .flops = 2 * n * n * n,
                        .ceiling = CEILING_NONE};
        snprintf(c.shape, sizeof c.shape, "%zu^3", side);
        if (would_run(run_binary_gemm, &c))
            plan_add(plan, c);
    }
}

static void plan_binary_gemm(const bench_options *options, bench_plan *plan)
{
    static const size_t gpu[] = {1000, 4096, 8192}, cpu[] = {100};
    const size_t *sides = options->size_count > 0 ? options->sizes : on_gpu() ? gpu : cpu;
    const size_t count = options->size_count > 0 ? options->size_count : on_gpu() ? 3 : 1;
    const size_t inputs = options->input_count > 0 ? options->input_count : 1;
    for (size_t i = 0; wants_type(options, CUDA_R_32I) && i < inputs; i++)
        for (size_t s = 0; s < count; s++)
            plan_group(plan, sides[s],
                       options->input_count > 0 ? options->inputs[i] : INPUT_UNIFORM);
}

/* Signs of random numbers, packed; B behind A. */
static void set_up_binary_gemm(const bench_case *c, bench_operands *operands)
{
    const size_t words = words_of(c->k), longest = c->m > c->n ? c->m : c->n;
    void *d_signs;
    operands->out_bytes = c->m * c->n * sizeof(int32_t);
    must(cudaMalloc(&operands->d_in, (c->m + c->n) * words * sizeof(uint32_t)),
         "memory for the matrices");
    must(cudaMalloc(&operands->d_out, operands->out_bytes), "memory for the product");
    must(cudaMalloc(&d_signs, longest * c->k * sizeof(float)), "memory for the signs");
    uint32_t *const d_a = operands->d_in, *const d_b = d_a + c->m * words;
    must(fill_on_device(CUDA_R_32F, d_signs, c->m * c->k, c->input, 19, 0), "making signs");
    must_prim(prim_binary_pack_rows(prim_matrix_of(CUDA_R_32F, d_signs, c->m, c->k, 0),
                                    prim_bits_of(d_a, c->m, c->k, 0), NULL));
    must(fill_on_device(CUDA_R_32F, d_signs, c->k * c->n, c->input, 23, 0), "making signs");
    must_prim(prim_binary_pack_columns(prim_matrix_of(CUDA_R_32F, d_signs, c->k, c->n, 0),
                                       prim_bits_of(d_b, c->k, c->n, 0), NULL));
    must(cudaFree(d_signs), "freeing");
}

static bool same_products(const bench_case *c, const void *h_a, const void *h_b)
{
    return memcmp(h_a, h_b, c->m * c->n * sizeof(int32_t)) == 0;
}

const bench_pattern bench_binary_gemm = {
    .name = "binary_gemm",
    .header = "binary_gemm",
    .plan = plan_binary_gemm,
    .set_up = set_up_binary_gemm,
    .run = run_binary_gemm,
    .same = same_products,
};
