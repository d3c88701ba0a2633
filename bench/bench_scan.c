/* scan: inclusive sums of arrays, of a matrix's rows and in both directions. */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <primitives/scan.h>

#include "call.h"
#include "common/host/element.h"
#include "draw.h"

static const struct {
    cudaDataType_t in, out;
    const char *name;
    bool every_size, odd_shapes;
} pairs[] = {
    {CUDA_R_32F, CUDA_R_32F, "f32", true, true},
    {CUDA_R_32I, CUDA_R_32I, "i32", true, false},
    {CUDA_R_64I, CUDA_R_64I, "i64", false, false},
    {CUDA_R_64F, CUDA_R_64F, "f64", false, true},
    {CUDA_R_16I, CUDA_R_16I, "i16", false, false},
    {CUDA_R_16F, CUDA_R_16F, "f16", false, true},
    {CUDA_R_16BF, CUDA_R_16BF, "bf16", false, false},
    {CUDA_R_8I, CUDA_R_8I, "i8", false, true},
    {CUDA_R_8U, CUDA_R_32U, "u8->u32", false, false},
    {CUDA_R_32I, CUDA_R_64I, "i32->i64", false, false},
    {CUDA_R_16F, CUDA_R_32F, "f16->f32", false, false},
};
enum { PAIRS = sizeof pairs / sizeof *pairs };

static const char vector_name[] = "sum", rows_name[] = "rows", both_name[] = "2d";
static const char shapes_vector_name[] = "shapes_sum", shapes_rows_name[] = "shapes_rows",
                  shapes_both_name[] = "shapes_2d";

static bool in_both_directions(const bench_case *c)
{
    return strcmp(listed_name(c), both_name) == 0 || strcmp(c->name, shapes_both_name) == 0;
}

static size_t columns_of(const bench_case *c)
{
    return c->size / c->rows;
}

/* Of input and output. */
static size_t ld_of(const bench_case *c)
{
    return c->ld != 0 ? c->ld : columns_of(c);
}

static prim_status run_scan(const bench_case *c, const bench_operands *o, cudaStream_t stream)
{
    const prim_scan_variant variant = (prim_scan_variant)c->variant_value;
    const size_t columns = columns_of(c), ld = ld_of(c);
    const prim_call call = call_of(o, stream);
    void *const d_in = part_of(o->d_in, c->offset * prim_element_bytes(c->element));
    void *const d_out = part_of(o->d_out, c->offset * prim_element_bytes(c->result));
    const prim_matrix in = prim_matrix_of(c->element, d_in, c->rows, columns, ld);
    const prim_matrix out = prim_matrix_of(c->result, d_out, c->rows, columns, ld);
    if (in_both_directions(c))
        return prim_scan_2d(variant, c->op, c->transform, in, out, &call);
    return prim_scan_rows(variant, PRIM_SCAN_INCLUSIVE, c->op, c->transform, in, out, NULL, &call);
}

static void plan_group(bench_plan *plan, const char *name, size_t pair, size_t rows, size_t columns,
                       bench_input input)
{
    for (size_t v = 0; prim_scan_variant_at(v) != NULL; v++) {
        const prim_scan_variant variant = prim_scan_variant_at(v)->value;
        const size_t size = rows * columns;
        bench_case c = {.pattern = "scan",
                        .name = name,
                        .variant = prim_scan_variant_info(variant)->name,
                        .type = pairs[pair].name,
                        .input = input,
                        .size = size,
                        .rows = rows,
                        .element = pairs[pair].in,
                        .result = pairs[pair].out,
                        .variant_value = variant,
                        .bytes = (double)(size * (prim_element_bytes(pairs[pair].in) +
                                                  prim_element_bytes(pairs[pair].out))),
                        .flops = (double)size * (name == both_name ? 2 : 1),
                        .ceiling = CEILING_COPY};
        if (rows == 1)
            snprintf(c.shape, sizeof c.shape, "%zu", columns);
        else
            snprintf(c.shape, sizeof c.shape, "%zux%zu", rows, columns);
        if (would_run(run_scan, &c))
            plan_add(plan, c);
    }
}

/* The sizes of an array: powers of four show the course of f32 and i32, the others have the one
 * whose results fill 1 GiB, or twice that many where they are narrower. Returns how many. */
static size_t default_sizes(const bench_options *options, size_t pair, size_t sizes[MAX_LIST])
{
    const bool in_full = options->type_count > 0 || pairs[pair].every_size;
    size_t count = 0;
    if (!on_gpu()) {
        sizes[count++] = 1 << 10;
        sizes[count++] = 1 << 15;
        return count;
    }
    for (int exponent = 10; in_full && exponent <= 30; exponent += 2)
        sizes[count++] = (size_t)1 << exponent;
    if (!in_full)
        sizes[count++] = (size_t)1 << 28;
    return count;
}

static void plan_vectors(const bench_options *options, bench_plan *plan, size_t pair,
                         bench_input input)
{
    size_t defaults[MAX_LIST];
    const bool asked = options->size_count > 0;
    const size_t count = asked ? options->size_count : default_sizes(options, pair, defaults);
    for (size_t s = 0; s < count; s++)
        plan_group(plan, vector_name, pair, 1, asked ? options->sizes[s] : defaults[s], input);
}

/* Matrices of f32, unless sizes or other types are asked for. */
static void plan_matrices(const bench_options *options, bench_plan *plan, bench_input input)
{
    const size_t f32 = 0;
    if (options->size_count > 0 || !wants_type(options, CUDA_R_32F))
        return;
    plan_group(plan, rows_name, f32, on_gpu() ? 65536 : 16, 1024, input);
    plan_group(plan, rows_name, f32, on_gpu() ? 1024 : 2, on_gpu() ? 65536 : 10000, input);
    plan_group(plan, both_name, f32, on_gpu() ? 16384 : 64, on_gpu() ? 16384 : 64, input);
}

static void plan_scan(const bench_options *options, bench_plan *plan)
{
    const size_t inputs = options->input_count > 0 ? options->input_count : 1;
    for (size_t i = 0; i < inputs; i++) {
        const bench_input input = options->input_count > 0 ? options->inputs[i] : INPUT_UNIFORM;
        for (size_t p = 0; p < PAIRS; p++)
            if (wants_type(options, pairs[p].in))
                plan_vectors(options, plan, p, input);
        plan_matrices(options, plan, input);
    }
}

/* ---- drawn cases: of array, rows and table ---- */

/* Without products: tables have none, and those of whole numbers soon wrap to zero. */
static bench_case draw_case(draws *d, const char *name)
{
    const size_t pair = draw_below(d, PAIRS);
    bench_case c = {.pattern = "scan",
                    .name = name,
                    .variant = prim_scan_variant_info(PRIM_SCAN_AUTO)->name,
                    .variant_value = PRIM_SCAN_AUTO,
                    .type = pairs[pair].name,
                    .element = pairs[pair].in,
                    .result = pairs[pair].out,
                    .op = draw_op(d, PRIM_OP_MAX + 1),
                    .transform = draw_transform(d),
                    .ceiling = CEILING_COPY};
    const size_t in = prim_element_bytes(c.element), out = prim_element_bytes(c.result);
    const double elements = draw_bytes(d) / (double)(in > out ? in : out);
    const bench_shape shape = strcmp(listed_name(&c), vector_name) == 0 ? draw_vector(d, elements)
                                                                        : draw_matrix(d, elements);
    set_shape(&c, &shape);
    number_case(&c, d);
    c.flops = (double)c.size * (in_both_directions(&c) ? 2 : 1);
    c.bytes = (double)c.size * (double)(in + out);
    return c;
}

static void plan_drawn(const bench_options *options, bench_plan *plan)
{
    static const char *const names[] = {"drawn_sum", "drawn_rows", "drawn_2d"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (draws d = begin_draws(options, names[i]); next_case(&d);)
            plan_add(plan, draw_case(&d, names[i]));
}

/* ---- odd shapes: input and output alike, what AUTO takes alone ---- */

static void plan_shape(bench_plan *plan, const char *name, size_t pair, const bench_shape *shape)
{
    bench_case c = {.pattern = "scan",
                    .name = name,
                    .variant = prim_scan_variant_info(PRIM_SCAN_AUTO)->name,
                    .type = pairs[pair].name,
                    .element = pairs[pair].in,
                    .result = pairs[pair].out,
                    .variant_value = PRIM_SCAN_AUTO,
                    .ceiling = CEILING_COPY};
    set_shape(&c, shape);
    c.flops = (double)c.size * (name == shapes_both_name ? 2 : 1);
    const size_t in = prim_element_bytes(c.element), out = prim_element_bytes(c.result);
    c.bytes = touched_bytes(c.rows, columns_of(&c), c.ld, in, c.offset) +
              touched_bytes(c.rows, columns_of(&c), c.ld, out, c.offset);
    plan_add(plan, c);
}

/* Arrays whose results fill 1 GiB and 16 MiB; each again one element past a boundary, and one
 * element short. */
static void plan_array_shapes(bench_plan *plan, size_t pair)
{
    const size_t bytes = prim_element_bytes(pairs[pair].out);
    const size_t sizes[] = {(size_t)1 << (on_gpu() ? 30 : 16), (size_t)1 << (on_gpu() ? 24 : 12)};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const size_t count = sizes[s] / bytes;
        const bench_shape shapes[] = {{1, count, 0, 0}, {1, count, 0, 1}, {1, count - 1, 0, 0}};
        for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
            plan_shape(plan, shapes_vector_name, pair, &shapes[i]);
    }
}

/* Widths beside a multiple of 64, which tables are made of. */
static void plan_table_shapes(bench_plan *plan, size_t pair)
{
    static const bench_shape on_gpus[] = {{65536, 960, 0, 0},   {65536, 961, 0, 0},
                                          {65536, 1023, 0, 0},  {65536, 1024, 0, 0},
                                          {65536, 1025, 0, 0},  {65536, 1023, 1024, 0},
                                          {65536, 1023, 0, 1},  {257, 1000003, 0, 0},
                                          {257, 1000064, 0, 0}, {16384, 16384, 0, 0},
                                          {16383, 16381, 0, 0}},
                             here[] = {{70, 63, 0, 0}, {70, 63, 66, 1}};
    const size_t count = on_gpu() ? sizeof on_gpus / sizeof *on_gpus : sizeof here / sizeof *here;
    for (size_t i = 0; i < count; i++)
        plan_shape(plan, shapes_both_name, pair, on_gpu() ? &on_gpus[i] : &here[i]);
}

static void plan_scan_shapes(const bench_options *options, bench_plan *plan)
{
    for (size_t p = 0; p < PAIRS; p++) {
        if (!wants_type(options, pairs[p].in))
            continue;
        plan_array_shapes(plan, p);
        size_t count;
        const bench_shape *shapes = matrix_shapes(&count);
        for (size_t s = 0; s < count && pairs[p].odd_shapes; s++)
            plan_shape(plan, shapes_rows_name, p, &shapes[s]);
        if (pairs[p].odd_shapes)
            plan_table_shapes(plan, p);
    }
}

static void set_up_scan(const bench_case *c, bench_operands *operands)
{
    const size_t elements = elements_of_shape(c);
    operands->out_bytes = elements * prim_element_bytes(c->result);
    must(cudaMalloc(&operands->d_in, elements * prim_element_bytes(c->element)),
         "memory for the input");
    must(cudaMalloc(&operands->d_out, operands->out_bytes), "memory for the output");
    must(fill_on_device(c->element, operands->d_in, elements, c->input, 7, 0), "filling the input");
}

/* By how much two orders may differ: a float sum of n elements of up to 1 is rounded, in either
 * order, some log2(n) times by half a unit of what it has grown to, sqrt(n) for random elements.
 * Ones are whole numbers, exact up to 2^24, and grow to n. */
static double tolerance(const bench_case *c)
{
    const double line = in_both_directions(c) ? (double)c->size : (double)(c->size / c->rows);
    const double unit = c->result == CUDA_R_64F ? 0x1p-53 : 0x1p-24;
    const double grown = c->input == INPUT_EQUAL ? line : 16 * sqrt(line);
    return 2 * (log2(line + 1) + 2) * unit * grown;
}

/* f16 and bf16 are combined as f32, and rounded once in the end: by this share of the result. */
static double end_rounding(cudaDataType_t type)
{
    return type == CUDA_R_16F ? 0x1p-10 : type == CUDA_R_16BF ? 0x1p-7 : 0;
}

/* Of a row of so many results from `first` on: floats as near, NaN being near to nothing; of more
 * than 2^24 results, every 61st. */
static bool same_row(const bench_case *c, const void *h_a, const void *h_b, size_t first,
                     size_t columns)
{
    const size_t step = c->size > (size_t)1 << 24 ? 61 : 1;
    const size_t bytes = prim_element_bytes(c->result);
    const double apart = tolerance(c), share = end_rounding(c->result);
    if (!is_real(c->result))
        return memcmp((const char *)h_a + first * bytes, (const char *)h_b + first * bytes,
                      columns * bytes) == 0;
    for (size_t i = first; i < first + columns; i += step) {
        const double a = real_at(c->result, h_a, i), b = real_at(c->result, h_b, i);
        if (!(a == b || fabs(a - b) <= apart + share * fabs(a)))
            return false;
    }
    return true;
}

static bool same_prefixes(const bench_case *c, const void *h_a, const void *h_b)
{
    size_t row = 0;
    while (row < c->rows && same_row(c, h_a, h_b, c->offset + row * ld_of(c), columns_of(c)))
        row++;
    return row == c->rows;
}

const bench_pattern bench_scan = {
    .name = "scan",
    .header = "scan",
    .plan = plan_scan,
    .plan_shapes = plan_scan_shapes,
    .plan_draw = plan_drawn,
    .set_up = set_up_scan,
    .run = run_scan,
    .same = same_prefixes,
};
