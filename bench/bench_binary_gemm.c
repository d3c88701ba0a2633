/* binary_gemm: products of square matrices of ±1, packed beforehand; layers, whose output is packed
 * again; packing and unpacking. An operation is one of ±1, so that the figures stand beside
 * gemm's. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <primitives/binary_gemm.h>

#include "bench.h"
#include "call.h"
#include "draw.h"

static size_t words_of(size_t k)
{
    return k / 32 + (k % 32 != 0);
}

/* ---- packing and unpacking: how the words lie, and of which types ---- */

typedef prim_status pack_call(prim_matrix in, prim_bits packed, const prim_call *call);
typedef prim_status unpack_call(prim_bits packed, prim_matrix out, const prim_call *call);

static const struct {
    const char *name;
    pack_call *pack; /* one of both */
    unpack_call *unpack;
    bool goes_down, is_transposed; /* a word goes down a column; packed is the transposed matrix */
} packings[] = {{"pack_rows", prim_binary_pack_rows, NULL, false, false},
                {"pack_columns", prim_binary_pack_columns, NULL, true, false},
                {"pack_transposed", prim_binary_pack_transposed, NULL, false, true},
                {"unpack_rows", NULL, prim_binary_unpack_rows, false, false},
                {"unpack_columns", NULL, prim_binary_unpack_columns, true, false},
                {"unpack_transposed", NULL, prim_binary_unpack_transposed, false, true}};
enum { PACKINGS = sizeof packings / sizeof *packings };

static const struct {
    cudaDataType_t type;
    const char *name;
    size_t bytes;
} packed_types[] = {{CUDA_R_32F, "f32", 4}, {CUDA_R_16F, "f16", 2}, {CUDA_R_8I, "i8", 1}};
enum { PACKED_TYPES = sizeof packed_types / sizeof *packed_types };

/* PACKINGS: a product or a layer. */
static size_t packing_of(const bench_case *c)
{
    size_t i = 0;
    while (i < PACKINGS && strcmp(c->name, packings[i].name) != 0)
        i++;
    return i;
}

static bool is_layer(const bench_case *c)
{
    return strcmp(c->name, "layer") == 0;
}

/* ---- the calls ---- */

static prim_status run_pack(const bench_case *c, const bench_operands *o, cudaStream_t stream)
{
    const size_t i = packing_of(c);
    const bool transposed = packings[i].is_transposed;
    const size_t bit_rows = transposed ? c->k : c->m, bit_columns = transposed ? c->m : c->k;
    const prim_call call = call_of(o, stream);
    if (packings[i].pack != NULL)
        return packings[i].pack(prim_matrix_of(c->element, o->d_in, c->m, c->k, 0),
                                (prim_bits){o->d_out, bit_rows, bit_columns, 0}, &call);
    return packings[i].unpack(prim_bits_of(o->d_in, bit_rows, bit_columns, 0),
                              prim_matrix_of(c->element, o->d_out, c->m, c->k, 0), &call);
}

/* A, B after it, and a layer's thresholds after B. */
static prim_status run_product(const bench_case *c, const bench_operands *o, cudaStream_t stream)
{
    const size_t words = words_of(c->k);
    uint32_t *const d_b = part_of(o->d_in, c->m * words * sizeof(uint32_t));
    const prim_bits a = prim_bits_of(o->d_in, c->m, c->k, 0), b = prim_bits_of(d_b, c->k, c->n, 0);
    const prim_binary_gemm_variant variant = (prim_binary_gemm_variant)c->variant_value;
    const prim_call call = call_of(o, stream);
    if (is_layer(c))
        return prim_binary_layer(variant, PRIM_BINARY_DOT, a, b,
                                 part_of(d_b, words * c->n * sizeof(uint32_t)),
                                 (prim_bits){o->d_out, c->m, c->n, 0}, &call);
    return prim_binary_gemm(variant, a, b, prim_matrix_of(CUDA_R_32I, o->d_out, c->m, c->n, 0),
                            &call);
}

static prim_status run_binary_gemm(const bench_case *c, const bench_operands *o,
                                   cudaStream_t stream)
{
    return packing_of(c) < PACKINGS ? run_pack(c, o, stream) : run_product(c, o, stream);
}

/* ---- which cases there are ---- */

static bench_case product_case(const char *name, prim_binary_gemm_variant variant, size_t m,
                               size_t n, size_t k)
{
    const double words = (double)words_of(k), of_c = (double)(m * n);
    bench_case c = {.pattern = "binary_gemm",
                    .name = name,
                    .variant = prim_binary_gemm_variant_info(variant)->name,
                    .type = "i32",
                    .size = m * n,
                    .rows = m,
                    .m = m,
                    .n = n,
                    .k = k,
                    .element = CUDA_R_32I,
                    .variant_value = variant,
                    .flops = 2 * of_c * (double)k,
                    .ceiling = CEILING_NONE};
    c.bytes = 4 * (double)(m + n) * words + (is_layer(&c) ? of_c / 8 : 4 * of_c);
    return c;
}

static void plan_product(bench_plan *plan, const char *name, size_t side, bench_input input)
{
    for (size_t v = 0; prim_binary_gemm_variant_at(v) != NULL; v++) {
        bench_case c = product_case(name, prim_binary_gemm_variant_at(v)->value, side, side, side);
        c.input = input;
        snprintf(c.shape, sizeof c.shape, "%zu^3", side);
        if (would_run(run_binary_gemm, &c))
            plan_add(plan, c);
    }
}

/* Packing reads far more than it writes. Unpacking writes far more than it reads: a copy comes
 * nearest to that. */
static void plan_pack(bench_plan *plan, size_t packing, size_t t, size_t side, bench_input input)
{
    const size_t words = side * words_of(side);
    bench_case c = {.pattern = "binary_gemm",
                    .name = packings[packing].name,
                    .variant = "auto",
                    .type = packed_types[t].name,
                    .input = input,
                    .size = side * side,
                    .rows = side,
                    .m = side,
                    .k = side,
                    .element = packed_types[t].type,
                    .bytes = (double)(side * side * packed_types[t].bytes + 4 * words),
                    .ceiling = packings[packing].pack != NULL ? CEILING_READ : CEILING_COPY};
    snprintf(c.shape, sizeof c.shape, "%zux%zu", side, side);
    plan_add(plan, c);
}

static void plan_side(const bench_options *options, bench_plan *plan, size_t side,
                      bench_input input)
{
    if (wants_type(options, CUDA_R_32I)) {
        plan_product(plan, "square", side, input);
        plan_product(plan, "layer", side, input);
    }
    for (size_t p = 0; p < PACKINGS; p++)
        for (size_t t = 0; t < PACKED_TYPES; t++)
            if (wants_type(options, packed_types[t].type))
                plan_pack(plan, p, t, side, input);
}

static void plan_binary_gemm(const bench_options *options, bench_plan *plan)
{
    static const size_t gpu[] = {1000, 4096, 8192}, cpu[] = {100};
    const size_t *sides = options->size_count > 0 ? options->sizes : on_gpu() ? gpu : cpu;
    const size_t count = options->size_count > 0 ? options->size_count : on_gpu() ? 3 : 1;
    const size_t inputs = options->input_count > 0 ? options->input_count : 1;
    for (size_t i = 0; i < inputs; i++)
        for (size_t s = 0; s < count; s++)
            plan_side(options, plan, sides[s],
                      options->input_count > 0 ? options->inputs[i] : INPUT_UNIFORM);
}

/* m and n log-uniform over 256…16384, k over 1024…32768. */
static void plan_drawn(const bench_options *options, bench_plan *plan)
{
    const double less = on_gpu() ? 1 : 64;
    for (draws d = begin_draws(options, "binary"); next_case(&d);) {
        const size_t m = draw_size(&d, 256 / less, 16384 / less),
                     n = draw_size(&d, 256 / less, 16384 / less),
                     k = draw_size(&d, 1024 / less, 32768 / less);
        bench_case c = product_case("drawn_product", PRIM_BINARY_GEMM_AUTO, m, n, k);
        snprintf(c.shape, sizeof c.shape, "%zux%zux%zu", m, n, k);
        number_case(&c, &d);
        plan_add(plan, c);
    }
}

/* ---- running them ---- */

/* Signs of random numbers, packed. */
static void make_bits(const bench_case *c, pack_call *pack, size_t rows, size_t columns,
                      uint64_t seed, uint32_t *d_words)
{
    void *d_signs;
    must(cudaMalloc(&d_signs, rows * columns * sizeof(float)), "memory for the signs");
    must(fill_on_device(CUDA_R_32F, d_signs, rows * columns, c->input, seed, 0), "making signs");
    must_prim(pack(prim_matrix_of(CUDA_R_32F, d_signs, rows, columns, 0),
                   prim_bits_of(d_words, rows, columns, 0), NULL));
    must(cudaFree(d_signs), "freeing");
}

static void set_up_product(const bench_case *c, bench_operands *operands)
{
    const size_t words = words_of(c->k), of_operands = (c->m + c->n) * words;
    operands->out_bytes =
        is_layer(c) ? c->m * words_of(c->n) * sizeof(uint32_t) : c->m * c->n * sizeof(int32_t);
    must(cudaMalloc(&operands->d_in, (of_operands + c->n) * sizeof(uint32_t)),
         "memory for the matrices");
    must(cudaMalloc(&operands->d_out, operands->out_bytes), "memory for the product");
    uint32_t *const d_a = operands->d_in, *const d_b = d_a + c->m * words;
    make_bits(c, prim_binary_pack_rows, c->m, c->k, 19, d_a);
    make_bits(c, prim_binary_pack_columns, c->k, c->n, 23, d_b);
    must(cudaMemset(d_a + of_operands, 0, c->n * sizeof(uint32_t)), "making thresholds");
}

static void set_up_pack(const bench_case *c, bench_operands *operands)
{
    const size_t i = packing_of(c), bytes = c->size * sizeof(float),
                 words = packings[i].goes_down ? words_of(c->m) * c->k : words_of(c->k) * c->m,
                 word_bytes = words * sizeof(uint32_t);
    const bool packs = packings[i].pack != NULL;
    operands->out_bytes = packs ? word_bytes : bytes;
    must(cudaMalloc(&operands->d_in, packs ? bytes : word_bytes), "memory for the input");
    must(cudaMalloc(&operands->d_out, operands->out_bytes), "memory for the result");
    must(fill_on_device(packs ? c->element : CUDA_R_32U, operands->d_in, packs ? c->size : words,
                        c->input, 19, 0),
         "filling the input");
}

static void set_up_binary_gemm(const bench_case *c, bench_operands *operands)
{
    if (packing_of(c) < PACKINGS)
        set_up_pack(c, operands);
    else
        set_up_product(c, operands);
}

static bool same_products(const bench_case *c, const void *h_a, const void *h_b)
{
    const size_t words = is_layer(c) ? c->m * words_of(c->n) : c->m * c->n;
    return packing_of(c) < PACKINGS || memcmp(h_a, h_b, words * sizeof(uint32_t)) == 0;
}

const bench_pattern bench_binary_gemm = {
    .name = "binary_gemm",
    .header = "binary_gemm",
    .plan = plan_binary_gemm,
    .plan_draw = plan_drawn,
    .set_up = set_up_binary_gemm,
    .run = run_binary_gemm,
    .same = same_products,
};
