/* gemv: a square, a tall and a wide matrix times a vector, as they are and transposed. The family
 * `shapes` has batches too: their matrices, vectors and products lie one after the other. */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <primitives/gemv.h>

#include "call.h"
#include "draw.h"

static const struct {
    cudaDataType_t type;
    const char *name;
    size_t bytes;
} types[] = {{CUDA_R_32F, "f32", 4}, {CUDA_R_64F, "f64", 8}};
enum { TYPES = sizeof types / sizeof *types };

static const struct {
    prim_transpose op;
    const char *name;
} ops[] = {{PRIM_NOT_TRANSPOSED, "plain"}, {PRIM_TRANSPOSED, "transposed"}};
static const char *const shapes_names[] = {"shapes_plain", "shapes_transposed"};
static const char *const batches_names[] = {"shapes_batched_plain", "shapes_batched_transposed"};
enum { OPS = sizeof ops / sizeof *ops };

static size_t bytes_of(cudaDataType_t type)
{
    return type == CUDA_R_32F ? 4 : 8;
}

/* "transposed", or "shapes_transposed". */
static prim_transpose op_of(const bench_case *c)
{
    return strstr(c->name, ops[1].name) != NULL ? PRIM_TRANSPOSED : PRIM_NOT_TRANSPOSED;
}

static size_t ld_of(const bench_case *c)
{
    return c->ld != 0 ? c->ld : c->size / c->rows;
}

static size_t batches_of(const bench_case *c)
{
    return c->batches > 0 ? c->batches : 1;
}

/* A case's m is the length of y, its k that of x; its rows are those of all batches. */
static size_t rows_of(const bench_case *c)
{
    return op_of(c) == PRIM_TRANSPOSED ? c->k : c->m;
}

static size_t columns_of(const bench_case *c)
{
    return op_of(c) == PRIM_TRANSPOSED ? c->m : c->k;
}

/* A, and x after it, where 16 bytes begin. */
static size_t elements_before_x(const bench_case *c)
{
    return (elements_of_shape(c) + 3) / 4 * 4;
}

static prim_status run_gemv(const bench_case *c, const bench_operands *o, cudaStream_t stream)
{
    const prim_gemv_variant variant = (prim_gemv_variant)c->variant_value;
    const size_t bytes = bytes_of(c->element);
    const prim_matrix a = {part_of(o->d_in, c->offset * bytes),
                           rows_of(c),
                           columns_of(c),
                           ld_of(c),
                           c->element,
                           c->m * c->k};
    const prim_vector x = {part_of(o->d_in, elements_before_x(c) * bytes), c->k, c->element, c->k},
                      y = {o->d_out, c->m, c->element, c->m};
    const prim_call call = call_of(o, stream);
    return c->batches > 0 ? prim_gemv_batched(variant, op_of(c), 1, a, x, 0, y, c->batches, &call)
                          : prim_gemv(variant, op_of(c), 1, a, x, 0, y, &call);
}

static void plan_group(bench_plan *plan, size_t t, size_t o, size_t rows, size_t columns,
                       bench_input input)
{
    const cudaDataType_t type = types[t].type;
    for (size_t v = 0; prim_gemv_variant_at(v) != NULL; v++) {
        const prim_gemv_variant variant = prim_gemv_variant_at(v)->value;
        const size_t size = rows * columns;
        bench_case c = {.pattern = "gemv",
                        .name = ops[o].name,
                        .variant = prim_gemv_variant_info(variant)->name,
                        .type = types[t].name,
                        .input = input,
                        .size = size,
                        .rows = rows,
                        .m = ops[o].op == PRIM_TRANSPOSED ? columns : rows,
                        .n = 1,
                        .k = ops[o].op == PRIM_TRANSPOSED ? rows : columns,
                        .has_state = variant == PRIM_GEMV_CONSTANT,
                        .element = type,
                        .result = type,
                        .variant_value = variant,
                        .bytes = (double)((size + rows + columns) * types[t].bytes),
                        .flops = 2 * (double)size,
                        .ceiling = CEILING_READ};
        snprintf(c.shape, sizeof c.shape, "%zux%zu", rows, columns);
        if (would_run(run_gemv, &c))
            plan_add(plan, c);
    }
}

/* Sizes that are asked for are those of square matrices. */
static void plan_op(const bench_options *options, bench_plan *plan, size_t t, size_t o,
                    bench_input input)
{
    static const size_t gpu[][2] = {{1024, 1024},  {4096, 4096},  {16384, 16384}, {65536, 1024},
                                    {1024, 65536}, {1048576, 64}, {64, 131072}},
                        cpu[][2] = {{256, 256}};
    const size_t count = on_gpu() ? sizeof gpu / sizeof *gpu : sizeof cpu / sizeof *cpu;
    for (size_t s = 0; s < options->size_count; s++)
        plan_group(plan, t, o, options->sizes[s], options->sizes[s], input);
    for (size_t s = 0; options->size_count == 0 && s < count; s++)
        plan_group(plan, t, o, on_gpu() ? gpu[s][0] : cpu[s][0], on_gpu() ? gpu[s][1] : cpu[s][1],
                   input);
}

static void plan_gemv(const bench_options *options, bench_plan *plan)
{
    const size_t inputs = options->input_count > 0 ? options->input_count : 1;
    for (size_t t = 0; t < TYPES; t++)
        for (size_t i = 0; wants_type(options, types[t].type) && i < inputs; i++)
            for (size_t o = 0; o < OPS; o++)
                plan_op(options, plan, t, o,
                        options->input_count > 0 ? options->inputs[i] : INPUT_UNIFORM);
}

/* What AUTO takes alone. */
static bench_case shape_case(size_t t, const char *name)
{
    return (bench_case){.pattern = "gemv",
                        .name = name,
                        .variant = prim_gemv_variant_info(PRIM_GEMV_AUTO)->name,
                        .type = types[t].name,
                        .n = 1,
                        .element = types[t].type,
                        .result = types[t].type,
                        .variant_value = PRIM_GEMV_AUTO,
                        .ceiling = CEILING_READ};
}

static void plan_shape(bench_plan *plan, size_t t, size_t o, const bench_shape *shape)
{
    bench_case c = shape_case(t, shapes_names[o]);
    set_shape(&c, shape);
    c.m = o == 0 ? shape->rows : shape->columns;
    c.k = o == 0 ? shape->columns : shape->rows;
    c.flops = 2 * (double)c.size;
    c.bytes = touched_bytes(c.rows, shape->columns, c.ld, types[t].bytes, c.offset) +
              (double)((c.m + c.k) * types[t].bytes);
    plan_add(plan, c);
}

static void plan_batch(bench_plan *plan, size_t t, size_t o, const size_t shape[3])
{
    const size_t batches = shape[0], rows = shape[1], columns = shape[2];
    bench_case c = shape_case(t, batches_names[o]);
    c.batches = batches;
    c.rows = batches * rows;
    c.size = c.rows * columns;
    c.m = o == 0 ? rows : columns;
    c.k = o == 0 ? columns : rows;
    c.flops = 2 * (double)c.size;
    c.bytes = (double)((c.size + batches * (c.m + c.k)) * types[t].bytes);
    snprintf(c.shape, sizeof c.shape, "%zux%zux%zu", batches, rows, columns);
    plan_add(plan, c);
}

static void plan_batches(bench_plan *plan, size_t t, size_t o)
{
    static const size_t gpu[][3] = {{16, 4096, 4096}, {1024, 512, 512}, {1021, 511, 513},
                                    {65536, 32, 32},  {65537, 31, 33},  {1000003, 7, 5},
                                    {1000003, 1, 37}, {1000003, 37, 1}},
                        cpu[][3] = {{31, 7, 5}, {5, 1, 37}};
    const size_t count = on_gpu() ? sizeof gpu / sizeof *gpu : sizeof cpu / sizeof *cpu;
    for (size_t s = 0; s < count; s++)
        plan_batch(plan, t, o, on_gpu() ? gpu[s] : cpu[s]);
}

static void plan_gemv_shapes(const bench_options *options, bench_plan *plan)
{
    size_t count;
    const bench_shape *shapes = matrix_shapes(&count);
    for (size_t t = 0; t < TYPES; t++)
        for (size_t o = 0; wants_type(options, types[t].type) && o < OPS; o++) {
            for (size_t s = 0; s < count; s++)
                plan_shape(plan, t, o, &shapes[s]);
            plan_batches(plan, t, o);
        }
}

/* ---- drawn cases ---- */

static bench_case draw_case(draws *d, size_t o)
{
    static const char *const names[] = {"drawn_plain", "drawn_transposed"};
    const size_t t = draw_below(d, TYPES);
    bench_case c = shape_case(t, names[o]);
    const bench_shape shape = draw_matrix(d, draw_bytes(d) / (double)types[t].bytes);
    set_shape(&c, &shape);
    number_case(&c, d);
    c.m = o == 0 ? shape.rows : shape.columns;
    c.k = o == 0 ? shape.columns : shape.rows;
    c.flops = 2 * (double)c.size;
    c.bytes = (double)((c.size + c.m + c.k) * types[t].bytes);
    return c;
}

static void plan_drawn(const bench_options *options, bench_plan *plan)
{
    for (size_t o = 0; o < OPS; o++)
        for (draws d = begin_draws(options, ops[o].name); next_case(&d);)
            plan_add(plan, draw_case(&d, o));
}

static void set_up_gemv(const bench_case *c, bench_operands *operands)
{
    const size_t batches = batches_of(c), bytes = bytes_of(c->element);
    const size_t count = elements_before_x(c) + batches * c->k;
    operands->out_bytes = batches * c->m * bytes;
    must(cudaMalloc(&operands->d_in, count * bytes), "memory for the matrix");
    must(cudaMalloc(&operands->d_out, operands->out_bytes), "memory for the product");
    must(fill_on_device(c->element, operands->d_in, count, c->input, 17, 0), "filling the matrix");
}

/* Sums differ by the order and the rounding of additions: by far less than this. */
static bool same_element(const bench_case *c, const void *h_a, const void *h_b, size_t i)
{
    const double k = (double)c->k;
    if (c->element == CUDA_R_32F)
        return fabs((double)((const float *)h_a)[i] - ((const float *)h_b)[i]) <= 1e-6 * k;
    return fabs(((const double *)h_a)[i] - ((const double *)h_b)[i]) <= 1e-14 * k;
}

static bool same_products(const bench_case *c, const void *h_a, const void *h_b)
{
    size_t i = 0;
    const size_t count = batches_of(c) * c->m;
    while (i < count && same_element(c, h_a, h_b, i))
        i++;
    return i == count;
}

const bench_pattern bench_gemv = {
    .name = "gemv",
    .header = "gemv",
    .plan = plan_gemv,
    .plan_shapes = plan_gemv_shapes,
    .plan_draw = plan_drawn,
    .set_up = set_up_gemv,
    .run = run_gemv,
    .same = same_products,
};
