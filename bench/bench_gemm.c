/* gemm: products of square and of other matrices, and batches of small ones. The family `shapes`
 * has odd, thin and flat ones in f32, for all four pairs of op(A) and op(B): shapes_nt is A · Bᵀ.
 */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <primitives/gemm.h>

#include "call.h"
#include "draw.h"
#include "product.h"

/* Of A and B, and of C. */
static const struct {
    cudaDataType_t type, result;
    const char *name;
    size_t bytes, result_bytes;
} types[] = {{CUDA_R_32F, CUDA_R_32F, "f32", 4, 4},    {CUDA_R_64F, CUDA_R_64F, "f64", 8, 8},
             {CUDA_R_32I, CUDA_R_32I, "i32", 4, 4},    {CUDA_R_16F, CUDA_R_16F, "f16", 2, 2},
             {CUDA_R_16BF, CUDA_R_16BF, "bf16", 2, 2}, {CUDA_R_8I, CUDA_R_32I, "i8", 1, 4}};
enum { TYPES = sizeof types / sizeof *types };

static size_t index_of(cudaDataType_t type)
{
    size_t t = 0;
    while (t + 1 < TYPES && types[t].type != type)
        t++;
    return t;
}

typedef struct product_shape {
    const char *name;
    size_t m, n, k, batches;
} product_shape;

size_t batches_of(const bench_case *c)
{
    return c->batches > 0 ? c->batches : 1;
}

/* ---- how a case's operands lie ---- */

/* Of rows × columns elements; `ld` of a case is what lies between rows. */
static product_operand operand_at(const bench_case *c, size_t first, bool transposed, size_t rows,
                                  size_t columns)
{
    const size_t lines = transposed ? columns : rows, length = transposed ? rows : columns,
                 ld = length + c->ld;
    return (product_operand){transposed, lines, length, ld, lines * ld, first};
}

product_operand operand_a(const bench_case *c)
{
    return operand_at(c, c->offset, c->transposed_a, c->m, c->k);
}

/* It begins as many elements past 256 bytes as A does. */
product_operand operand_b(const bench_case *c)
{
    enum { ELEMENTS = 256 };
    const product_operand a = operand_a(c);
    const size_t behind = a.first + batches_of(c) * a.elements,
                 whole = (behind + ELEMENTS - 1) / ELEMENTS * ELEMENTS;
    return operand_at(c, whole + c->offset, c->transposed_b, c->k, c->n);
}

static prim_matrix stored(const bench_case *c, product_operand x, const bench_operands *o,
                          size_t bytes)
{
    return (prim_matrix){
        part_of(o->d_in, x.first * bytes), x.lines, x.columns, x.ld, c->element, x.elements};
}

static prim_transpose transpose_of(product_operand x)
{
    return x.transposed ? PRIM_TRANSPOSED : PRIM_NOT_TRANSPOSED;
}

/* The cases "invariant" and "drawn_invariant" are the batch-invariant ones. */
static prim_compute compute_of(const bench_case *c)
{
    return strstr(c->name, "invariant") != NULL ? PRIM_COMPUTE_BATCH_INVARIANT
                                                : PRIM_COMPUTE_DEFAULT;
}

static prim_status run_gemm(const bench_case *c, const bench_operands *o, cudaStream_t stream)
{
    const product_operand a = operand_a(c), b = operand_b(c);
    const size_t bytes = types[index_of(c->element)].bytes;
    const prim_call call = call_of(o, stream);
    return prim_gemm_batched((prim_gemm_variant)c->variant_value, transpose_of(a), transpose_of(b),
                             1, stored(c, a, o, bytes), stored(c, b, o, bytes), 0,
                             (prim_matrix){o->d_out, c->m, c->n, c->n, c->result, c->m * c->n},
                             batches_of(c), compute_of(c), &call);
}

/* ---- which cases there are ---- */

static void label(bench_case *c)
{
    const bool cube = c->m == c->n && c->n == c->k;
    if (c->batches > 0)
        snprintf(c->shape, sizeof c->shape, "%zux%zu^3", c->batches, c->m);
    else if (cube)
        snprintf(c->shape, sizeof c->shape, "%zu^3", c->m);
    else
        snprintf(c->shape, sizeof c->shape, "%zux%zux%zu", c->m, c->n, c->k);
}

/* A case but for its ceiling, and what the family of shapes calls it. */
static bench_case product_case(const char *name, prim_gemm_variant variant, size_t t,
                               product_shape s, bench_input input)
{
    const double batches = s.batches > 0 ? (double)s.batches : 1, m = (double)s.m, n = (double)s.n,
                 k = (double)s.k;
    return (bench_case){.pattern = "gemm",
                        .name = name,
                        .variant = prim_gemm_variant_info(variant)->name,
                        .type = types[t].name,
                        .input = input,
                        .size = (size_t)batches * s.m * s.n,
                        .rows = s.m,
                        .m = s.m,
                        .n = s.n,
                        .k = s.k,
                        .batches = s.batches,
                        .element = types[t].type,
                        .result = types[t].result,
                        .variant_value = variant,
                        .bytes = batches * ((m * k + k * n) * (double)types[t].bytes +
                                            m * n * (double)types[t].result_bytes),
                        .flops = 2 * batches * m * n * k};
}

/* AUTO with rows that have the same bits in any batch, beside the square product. */
static void plan_invariant(bench_plan *plan, size_t t, product_shape s, bench_input input)
{
    if (strcmp(s.name, "square") != 0 || !is_real(types[t].result))
        return;
    bench_case c = product_case("invariant", PRIM_GEMM_AUTO, t, s, input);
    c.ceiling = types[t].type == CUDA_R_32F ? CEILING_FFMA : CEILING_NONE;
    label(&c);
    plan_add(plan, c);
}

static void plan_group(bench_plan *plan, size_t t, product_shape s, bench_input input)
{
    for (size_t v = 0; prim_gemm_variant_at(v) != NULL; v++) {
        const prim_gemm_variant variant = prim_gemm_variant_at(v)->value;
        bench_case c = product_case(s.name, variant, t, s, input);
        c.ceiling = types[t].type == CUDA_R_32F ? CEILING_FFMA : CEILING_NONE;
        label(&c);
        if (would_run(run_gemm, &c))
            plan_add(plan, c);
    }
    plan_invariant(plan, t, s, input);
}

/* f32 in all shapes, the others in one, unless sizes are asked for: those of squares. */
static void plan_type(const bench_options *options, bench_plan *plan, size_t t, bench_input input)
{
    static const product_shape gpu_f32[] = {
        {"square", 512, 512, 512, 0},        {"square", 1000, 1000, 1000, 0},
        {"square", 1024, 1024, 1024, 0},     {"square", 1111, 1111, 1111, 0},
        {"square", 2048, 2048, 2048, 0},     {"square", 4096, 4096, 4096, 0},
        {"square", 8192, 8192, 8192, 0},     {"rectangle", 4096, 4096, 4127, 0},
        {"rectangle", 16384, 128, 16384, 0}, {"rectangle", 128, 16384, 4096, 0},
        {"batch", 64, 64, 64, 1024},         {"batch", 128, 128, 128, 1024}};
    static const product_shape gpu_other[] = {{"square", 2048, 2048, 2048, 0}};
    static const product_shape cpu[] = {
        {"square", 64, 64, 64, 0}, {"rectangle", 40, 33, 130, 0}, {"batch", 16, 16, 16, 3}};
    const bool is_f32 = types[t].type == CUDA_R_32F;
    const product_shape *const shapes = !on_gpu() ? cpu : is_f32 ? gpu_f32 : gpu_other;
    const size_t count = !on_gpu() ? (is_f32 ? sizeof cpu / sizeof *cpu : 1)
                         : is_f32  ? sizeof gpu_f32 / sizeof *gpu_f32
                                   : 1;
    for (size_t s = 0; s < options->size_count; s++)
        plan_group(
            plan, t,
            (product_shape){"square", options->sizes[s], options->sizes[s], options->sizes[s], 0},
            input);
    for (size_t s = 0; options->size_count == 0 && s < count; s++)
        plan_group(plan, t, shapes[s], input);
}

static void plan_gemm(const bench_options *options, bench_plan *plan)
{
    const size_t inputs = options->input_count > 0 ? options->input_count : 1;
    for (size_t t = 0; t < TYPES; t++)
        for (size_t i = 0; wants_type(options, types[t].type) && i < inputs; i++)
            plan_type(options, plan, t,
                      options->input_count > 0 ? options->inputs[i] : INPUT_UNIFORM);
}

/* What AUTO takes of f32, alone. Few products for each byte are bound by memory, and measured by
 * that. */
static void plan_shape(bench_plan *plan, const char *name, product_shape s, size_t gap,
                       size_t offset)
{
    enum { PRODUCTS_A_BYTE = 8, OP_OF_A = sizeof "shapes_" - 1, OP_OF_B };
    bench_case c = product_case(name, PRIM_GEMM_AUTO, index_of(CUDA_R_32F), s, INPUT_UNIFORM);
    c.ld = gap;
    c.offset = offset;
    c.transposed_a = name[OP_OF_A] == 't';
    c.transposed_b = name[OP_OF_B] == 't';
    c.ceiling = c.flops > 2 * PRODUCTS_A_BYTE * c.bytes ? CEILING_FFMA : CEILING_READ;
    int end = s.batches > 0 ? snprintf(c.shape, sizeof c.shape, "%zux", s.batches) : 0;
    end += snprintf(c.shape + end, sizeof c.shape - (size_t)end, "%zux%zux%zu%s", s.m, s.n, s.k,
                    gap > 0 ? "/+1" : "");
    if (offset > 0)
        snprintf(c.shape + end, sizeof c.shape - (size_t)end, "+%zu", offset);
    plan_add(plan, c);
}

static void plan_gemm_shapes(const bench_options *options, bench_plan *plan)
{
    static const char *const names[] = {"shapes_nn", "shapes_nt", "shapes_tn", "shapes_tt"};
    static const product_shape gpu[] = {
        {NULL, 1023, 1023, 1023, 0},  {NULL, 1024, 1024, 1024, 0}, {NULL, 1025, 1025, 1025, 0},
        {NULL, 4095, 4095, 4095, 0},  {NULL, 4096, 4096, 4096, 0}, {NULL, 4097, 4097, 4097, 0},
        {NULL, 1, 8192, 8192, 0},     {NULL, 8192, 1, 8192, 0},    {NULL, 8192, 8192, 1, 0},
        {NULL, 7, 8192, 8192, 0},     {NULL, 8192, 7, 8192, 0},    {NULL, 8192, 8192, 7, 0},
        {NULL, 33, 16384, 4096, 0},   {NULL, 16384, 33, 4096, 0},  {NULL, 4096, 4096, 33, 0},
        {NULL, 129, 129, 1000003, 0}, {NULL, 17, 17, 10000019, 0}, {NULL, 1000003, 65, 65, 0},
        {NULL, 65, 1000003, 65, 0},   {NULL, 257, 513, 1021, 0},   {NULL, 1, 1, 1, 1000003},
        {NULL, 4, 4, 4, 508400},      {NULL, 9, 9, 9, 102927},     {NULL, 17, 17, 17, 28976},
        {NULL, 33, 33, 33, 7699},     {NULL, 1000, 4, 4, 2792},    {NULL, 4, 4, 1000, 4176}};
    static const product_shape cpu[] = {
        {NULL, 33, 65, 17, 0}, {NULL, 1, 70, 40, 0}, {NULL, 3, 4, 5, 20}};
    const product_shape *const shapes = on_gpu() ? gpu : cpu;
    const size_t count = on_gpu() ? sizeof gpu / sizeof *gpu : sizeof cpu / sizeof *cpu;
    for (size_t i = 0; wants_type(options, CUDA_R_32F) && i < sizeof names / sizeof *names; i++) {
        for (size_t s = 0; s < count; s++)
            plan_shape(plan, names[i], shapes[s], 0, 0);
        plan_shape(plan, names[i], shapes[on_gpu() ? 4 : 0], 1, 0);
        plan_shape(plan, names[i], shapes[on_gpu() ? 4 : 0], 0, 1);
    }
}

/* ---- drawn cases ---- */

/* Every op; in a third of the cases there are gaps, in a third operands begin 1…7 elements past 16
 * bytes. "1267x2761x6/nt" is A · Bᵀ. */
static bench_case place_drawn(draws *d, size_t t, product_shape s, size_t ops)
{
    bench_case c = product_case(s.name, PRIM_GEMM_AUTO, t, s, INPUT_UNIFORM);
    c.transposed_a = ops % 2 == 1;
    c.transposed_b = ops / 2 == 1;
    c.ld = draw_one_in(d, 3) ? 1 + draw_below(d, 16) : 0;
    c.offset = draw_one_in(d, 3) ? 1 + draw_below(d, 7) : 0;
    c.ceiling = c.element == CUDA_R_32F ? CEILING_ROOFLINE : CEILING_NONE;
    int end = s.batches > 0 ? snprintf(c.shape, sizeof c.shape, "%zux", s.batches) : 0;
    snprintf(c.shape + end, sizeof c.shape - (size_t)end, "%zux%zux%zu/%c%c", s.m, s.n, s.k,
             c.transposed_a ? 't' : 'n', c.transposed_b ? 't' : 'n');
    number_case(&c, d);
    return c;
}

/* m, n and k log-uniform over 1…8192; one in five is a batch of so many small ones that all bytes
 * are drawn as elsewhere. */
static bench_case draw_case(draws *d, size_t t)
{
    static const double one_in_batches = 5;
    const double most = on_gpu() ? 8192 : 64, most_in_batch = on_gpu() ? 256 : 16;
    const size_t ops = draw_below(d, 4);
    const bool is_batch = draw_one_in(d, one_in_batches);
    const double side = is_batch ? most_in_batch : most;
    product_shape s = {"drawn_product", draw_size(d, 1, side), draw_size(d, 1, side),
                       draw_size(d, 1, side), 0};
    const double bytes = draw_bytes(d),
                 of_one = (double)(s.m * s.k + s.k * s.n + s.m * s.n) * (double)types[t].bytes;
    if (is_batch)
        s.batches = bytes < 2 * of_one ? 2 : (size_t)(bytes / of_one);
    return place_drawn(d, t, s, ops);
}

/* A few rows times a large matrix, in halves: m log-uniform over 1…64, n and k over 1024…16384. */
static bench_case draw_thin_case(draws *d, size_t t)
{
    const double least = on_gpu() ? 1024 : 16, most = on_gpu() ? 16384 : 128;
    const size_t ops = draw_below(d, 4);
    const product_shape s = {"drawn_thin", draw_size(d, 1, on_gpu() ? 64 : 8),
                             draw_size(d, least, most), draw_size(d, least, most), 0};
    return place_drawn(d, t, s, ops);
}

/* So many cases of each type: they differ more than shapes do. */
static void plan_drawn(const bench_options *options, bench_plan *plan)
{
    for (size_t t = 0; t < TYPES; t++)
        for (draws d = begin_draws(options, types[t].name); next_case(&d);)
            plan_add(plan, draw_case(&d, t));
    for (size_t t = 0; t < TYPES; t++) {
        if (types[t].type != CUDA_R_16F && types[t].type != CUDA_R_16BF)
            continue;
        for (draws d = begin_draws(options, types[t].name); next_case(&d);) {
            bench_case c = draw_thin_case(&d, t);
            plan_add(plan, c);
            c.name = "drawn_invariant";
            plan_add(plan, c);
        }
    }
}

/* ---- running them ---- */

/* All A, and all B after them. */
static void set_up_gemm(const bench_case *c, bench_operands *operands)
{
    const size_t t = index_of(c->element), batches = batches_of(c);
    const product_operand b = operand_b(c);
    const size_t count = b.first + batches * b.elements;
    operands->out_bytes = batches * c->m * c->n * types[t].result_bytes;
    must(cudaMalloc(&operands->d_in, count * types[t].bytes), "memory for the matrices");
    must(cudaMalloc(&operands->d_out, operands->out_bytes), "memory for the product");
    must(fill_on_device(c->element, operands->d_in, count, c->input, 13, 0),
         "filling the matrices");
}

/* Float sums differ by the order and the rounding of additions: by far less than this. cuBLAS, as
 * it comes, rounds the sums of parts of k to halves before it adds them; we round once. */
static bool same_element(const bench_case *c, const void *h_a, const void *h_b, size_t i)
{
    const double k = (double)c->k;
    if (!is_real(c->result))
        return ((const int32_t *)h_a)[i] == ((const int32_t *)h_b)[i];
    const double a = real_at(c->result, h_a, i), b = real_at(c->result, h_b, i);
    const double rounding = c->result == CUDA_R_16F    ? 0x1p-10
                            : c->result == CUDA_R_16BF ? 0x1p-7
                                                       : 0;
    const double of_parts = c->peer != NULL ? rounding * sqrt(k) : 0;
    return fabs(a - b) <=
           (c->result == CUDA_R_64F ? 1e-14 : 1e-6) * k + rounding * fabs(a) + of_parts;
}

static bool same_products(const bench_case *c, const void *h_a, const void *h_b)
{
    const size_t count = batches_of(c) * c->m * c->n;
    size_t i = 0;
    while (i < count && same_element(c, h_a, h_b, i))
        i++;
    return i == count;
}

const bench_pattern bench_gemm = {
    .name = "gemm",
    .header = "gemm",
    .plan = plan_gemm,
    .plan_shapes = plan_gemm_shapes,
    .plan_draw = plan_drawn,
    .set_up = set_up_gemm,
    .run = run_gemm,
    .same = same_products,
};
