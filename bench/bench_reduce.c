/* reduce: sums of arrays, of the rows and the columns of matrices, of segments, first least
 * elements, and dot products. */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <primitives/reduce.h>

#include "call.h"
#include "common/host/element.h"
#include "draw.h"

/* ---- what is measured ---- */

/* Segments of one length, and of lengths as unlike as in a graph. */
typedef enum kind { SUM, ROWS, COLUMNS, SEGMENTS, POWER_LAW, ARGMIN, DOT, KINDS } kind;

static const char *const kind_names[KINDS] = {
    "sum", "rows", "columns", "segments", "segments_power_law", "argmin", "dot"};
static const char *const shape_names[KINDS] = {
    "shapes_sum",       "shapes_rows",   "shapes_columns", "shapes_segments",
    "shapes_power_law", "shapes_argmin", "shapes_dot"};
static const char *const drawn_names[KINDS] = {
    "drawn_sum",    "drawn_rows", "drawn_columns", "drawn_segments", "drawn_segments_power_law",
    "drawn_argmin", "drawn_dot"};

enum {
    S = 1 << SUM,
    M = 1 << ROWS | 1 << COLUMNS,
    G = 1 << SEGMENTS | 1 << POWER_LAW,
    A = 1 << ARGMIN,
    D = 1 << DOT,
    O = 1 << KINDS /* odd shapes of matrices: a type of each size */
};

static const struct {
    cudaDataType_t in, out;
    const char *name;
    int kinds;
} pairs[] = {
    {CUDA_R_32F, CUDA_R_32F, "f32", S | M | G | A | D | O},
    {CUDA_R_32I, CUDA_R_32I, "i32", S | A},
    {CUDA_R_64F, CUDA_R_64F, "f64", S | D | O},
    {CUDA_R_8U, CUDA_R_32U, "u8->u32", S},
    {CUDA_R_8U, CUDA_R_64U, "u8->u64", S},
    {CUDA_R_32I, CUDA_R_64I, "i32->i64", S},
    {CUDA_R_16F, CUDA_R_32F, "f16->f32", S},
    {CUDA_R_16BF, CUDA_R_32F, "bf16->f32", S},
    {CUDA_R_32F, CUDA_R_64F, "f32->f64", S},
    {CUDA_R_8I, CUDA_R_8I, "i8", S},
    {CUDA_R_8U, CUDA_R_8U, "u8", S | O},
    {CUDA_R_16I, CUDA_R_16I, "i16", S},
    {CUDA_R_16U, CUDA_R_16U, "u16", S},
    {CUDA_R_32U, CUDA_R_32U, "u32", S},
    {CUDA_R_64I, CUDA_R_64I, "i64", S},
    {CUDA_R_64U, CUDA_R_64U, "u64", S},
    {CUDA_R_16F, CUDA_R_16F, "f16", S | O},
    {CUDA_R_16BF, CUDA_R_16BF, "bf16", S},
};
enum { PAIRS = sizeof pairs / sizeof *pairs };

static kind kind_of(const bench_case *c)
{
    const char *const *names = is_of_shapes(c) ? shape_names : kind_names;
    int k = SUM;
    while (k + 1 < KINDS && strcmp(names[k], listed_name(c)) != 0)
        k++;
    return (kind)k;
}

static size_t columns_of(const bench_case *c)
{
    return c->size / c->rows;
}

static size_t ld_of(const bench_case *c)
{
    return c->ld != 0 ? c->ld : columns_of(c);
}

static bool is_of_segments(kind k)
{
    return k == SEGMENTS || k == POWER_LAW;
}

/* How many results there are. */
static size_t outputs_of(const bench_case *c)
{
    const kind k = kind_of(c);
    return k == ROWS || is_of_segments(k) ? c->rows : k == COLUMNS ? columns_of(c) : 1;
}

/* argmin has 8 bytes for the value, and the index after them. */
static size_t out_bytes_of(const bench_case *c)
{
    return kind_of(c) == ARGMIN ? 2 * sizeof(uint64_t)
                                : outputs_of(c) * prim_element_bytes(c->result);
}

/* Of one vector or matrix; a dot product's second vector lies after the first. */
static size_t operand_bytes_of(const bench_case *c)
{
    return elements_of_shape(c) * prim_element_bytes(c->element);
}

/* The offsets of segments lie after the elements. */
static size_t offsets_bytes_of(const bench_case *c)
{
    return is_of_segments(kind_of(c)) ? (c->rows + 1) * sizeof(int32_t) : 0;
}

static size_t offsets_at(const bench_case *c)
{
    return (operand_bytes_of(c) + 255) / 256 * 256;
}

static size_t in_bytes_of(const bench_case *c)
{
    if (is_of_segments(kind_of(c)))
        return offsets_at(c) + offsets_bytes_of(c);
    return (kind_of(c) == DOT ? 2 : 1) * operand_bytes_of(c);
}

/* ---- plan ---- */

static prim_status run_reduce(const bench_case *c, const bench_operands *o, cudaStream_t stream)
{
    const prim_reduce_variant variant = (prim_reduce_variant)c->variant_value;
    const size_t columns = columns_of(c), ld = ld_of(c);
    const prim_call call = call_of(o, stream);
    void *const d_in = part_of(o->d_in, c->offset * prim_element_bytes(c->element));
    switch (kind_of(c)) {
    case COLUMNS:
        return prim_reduce_columns(variant, c->op, c->transform,
                                   prim_matrix_of(c->element, d_in, c->rows, columns, ld),
                                   c->result, o->d_out, &call);
    case SEGMENTS:
    case POWER_LAW:
        return prim_reduce_segments(
            variant, c->op, c->transform, c->element, d_in, c->size,
            (prim_segments){part_of(o->d_in, offsets_at(c)), c->rows, CUDA_R_32I}, c->result,
            o->d_out, &call);
    case ARGMIN:
        return prim_arg_reduce(variant, PRIM_OP_MIN, PRIM_TRANSFORM_NONE, c->element, d_in, c->size,
                               o->d_out, part_of(o->d_out, sizeof(uint64_t)), &call);
    case DOT:
        return prim_dot(variant, c->element, d_in, part_of(d_in, operand_bytes_of(c)), c->size,
                        c->result, o->d_out, &call);
    default:
        return prim_reduce_rows(variant, c->op, c->transform,
                                prim_matrix_of(c->element, d_in, c->rows, columns, ld), c->result,
                                o->d_out, &call);
    }
}

static void plan_group(bench_plan *plan, size_t pair, kind k, size_t rows, size_t columns,
                       bench_input input)
{
    for (size_t v = 0; prim_reduce_variant_at(v) != NULL; v++) {
        const prim_reduce_variant variant = prim_reduce_variant_at(v)->value;
        bench_case c = {.pattern = "reduce",
                        .name = kind_names[k],
                        .variant = prim_reduce_variant_info(variant)->name,
                        .type = pairs[pair].name,
                        .input = input,
                        .size = rows * columns,
                        .rows = rows,
                        .element = pairs[pair].in,
                        .result = pairs[pair].out,
                        .variant_value = variant,
                        .flops = (double)(rows * columns) * (k == DOT ? 2 : 1),
                        .ceiling = CEILING_READ};
        c.bytes = (double)(in_bytes_of(&c) + out_bytes_of(&c));
        if (k == ROWS || k == COLUMNS || is_of_segments(k))
            snprintf(c.shape, sizeof c.shape, "%zux%zu", rows, columns);
        else
            snprintf(c.shape, sizeof c.shape, "%zu", columns);
        if (would_run(run_reduce, &c))
            plan_add(plan, c);
    }
}

/* The sizes of an array: f32 sums show their course, the others two sizes, the larger of 256 MiB.
 * Returns how many. */
static size_t default_sizes(const bench_options *options, size_t pair, kind k,
                            size_t sizes[MAX_LIST])
{
    const bool is_f32 = pairs[pair].in == CUDA_R_32F && pairs[pair].out == CUDA_R_32F;
    const bool in_full = options->type_count > 0 || is_f32;
    const int step = k == SUM ? 2 : 6; /* of the exponent: 2^10, 2^12, … or 2^10, 2^16, … */
    size_t count = 0;
    if (!on_gpu()) {
        sizes[count++] = 1 << 14;
        if (k == SUM && in_full)
            sizes[count++] = 1 << 17;
        return count;
    }
    for (int exponent = 10; in_full && exponent <= 30; exponent += step)
        sizes[count++] = (size_t)1 << exponent;
    if (!in_full) {
        sizes[count++] = (size_t)1 << 20;
        sizes[count++] = ((size_t)1 << 28) / prim_element_bytes(pairs[pair].in);
    }
    return count;
}

/* What AUTO takes alone: nobody asks which rung is slow on an odd shape. */
static void plan_shape(bench_plan *plan, size_t pair, kind k, const bench_shape *shape)
{
    bench_case c = {.pattern = "reduce",
                    .name = shape_names[k],
                    .variant = prim_reduce_variant_info(PRIM_REDUCE_AUTO)->name,
                    .type = pairs[pair].name,
                    .element = pairs[pair].in,
                    .result = pairs[pair].out,
                    .variant_value = PRIM_REDUCE_AUTO};
    const size_t bytes = prim_element_bytes(pairs[pair].in);
    set_shape(&c, shape);
    c.flops = (double)c.size * (k == DOT ? 2 : 1);
    const double in = touched_bytes(c.rows, columns_of(&c), c.ld, bytes, c.offset),
                 out = (double)out_bytes_of(&c);
    c.bytes = in * (k == DOT ? 2 : 1) + (double)offsets_bytes_of(&c) + out;
    c.ceiling = out >= (double)c.size * (double)bytes ? CEILING_COPY : CEILING_READ;
    plan_add(plan, c);
}

/* Arrays of 1 GiB and of 16 MiB, and the same one element past a boundary and one element short. */
static void plan_array_shapes(bench_plan *plan, size_t pair, kind k)
{
    const size_t bytes = prim_element_bytes(pairs[pair].in);
    const size_t sizes[] = {(size_t)1 << (on_gpu() ? 30 : 16), (size_t)1 << (on_gpu() ? 24 : 12)};
    for (size_t s = 0; s < 2; s++) {
        const size_t count = sizes[s] / bytes;
        const bench_shape shapes[] = {{1, count, 0, 0}, {1, count, 0, 1}, {1, count - 1, 0, 0}};
        for (size_t i = 0; i < 3; i++)
            plan_shape(plan, pair, k, &shapes[i]);
    }
}

static void plan_reduce_shapes(const bench_options *options, bench_plan *plan)
{
    for (size_t p = 0; p < PAIRS; p++) {
        if (!wants_type(options, pairs[p].in))
            continue;
        size_t count;
        const bench_shape *shapes = matrix_shapes(&count);
        for (int k = SUM; k < KINDS; k++) {
            const bool of_matrices = k == ROWS || k == COLUMNS || is_of_segments((kind)k);
            if (of_matrices && (pairs[p].kinds & O) != 0) /* segments have no gaps */
                for (size_t s = 0; s < count; s++) {
                    if (!is_of_segments((kind)k) || shapes[s].ld == 0)
                        plan_shape(plan, p, (kind)k, &shapes[s]);
                }
            else if (!of_matrices && (pairs[p].kinds & 1 << k) != 0)
                plan_array_shapes(plan, p, (kind)k);
        }
    }
}

/* ---- drawn cases ---- */

/* touched_bytes() would walk all rows, of which there may be a billion. */
static double drawn_bytes(const bench_case *c)
{
    return (double)c->size * (double)prim_element_bytes(c->element);
}

/* A pair of types that the call takes; bits of integers alone. */
static void draw_types(bench_case *c, draws *d, kind k)
{
    const size_t first = draw_below(d, PAIRS);
    const prim_op op = draw_op(d, PRIM_OP_XOR + 1);
    const prim_transform transform = draw_transform(d);
    size_t p = first;
    while (k == ARGMIN && pairs[p].in != pairs[p].out)
        p = (p + 1) % PAIRS;
    c->type = pairs[p].name;
    c->element = pairs[p].in;
    c->result = pairs[p].out;
    c->op = k == ARGMIN                                                 ? PRIM_OP_MIN
            : k == DOT || (is_real(c->element) && op > PRIM_OP_PRODUCT) ? PRIM_OP_SUM
                                                                        : op;
    c->transform = k == DOT || k == ARGMIN ? PRIM_TRANSFORM_NONE : transform;
}

/* Segments are those of a matrix without gaps; of lengths as unlike as in a graph, or of one. */
static bench_shape draw_shape(draws *d, kind k, double elements)
{
    if (k == SUM || k == ARGMIN || k == DOT)
        return draw_vector(d, elements);
    bench_shape shape = draw_matrix(d, elements);
    if (is_of_segments(k)) {
        while (shape.rows * shape.columns > INT32_MAX)
            shape.columns /= 2;
        shape.ld = shape.offset = 0;
    }
    return shape;
}

static bench_case draw_case(draws *d, kind k)
{
    bench_case c = {.pattern = "reduce",
                    .name = drawn_names[k],
                    .variant = prim_reduce_variant_info(PRIM_REDUCE_AUTO)->name,
                    .variant_value = PRIM_REDUCE_AUTO,
                    .ceiling = CEILING_READ};
    draw_types(&c, d, k);
    const bench_shape shape =
        draw_shape(d, k, draw_bytes(d) / (double)prim_element_bytes(c.element));
    set_shape(&c, &shape);
    number_case(&c, d);
    c.flops = (double)c.size * (k == DOT ? 2 : 1);
    c.bytes =
        drawn_bytes(&c) * (k == DOT ? 2 : 1) + (double)(offsets_bytes_of(&c) + out_bytes_of(&c));
    return c;
}

static void plan_drawn(const bench_options *options, bench_plan *plan)
{
    for (int k = SUM; k < KINDS; k++)
        for (draws d = begin_draws(options, drawn_names[k]); next_case(&d);)
            plan_add(plan, draw_case(&d, (kind)k));
}

static void plan_arrays(const bench_options *options, bench_plan *plan, size_t pair, kind k,
                        bench_input input)
{
    size_t defaults[MAX_LIST];
    const bool asked = options->size_count > 0;
    const size_t count = asked ? options->size_count : default_sizes(options, pair, k, defaults);
    for (size_t s = 0; s < count; s++)
        plan_group(plan, pair, k, 1, asked ? options->sizes[s] : defaults[s], input);
}

/* Not where sizes are asked for: those are of arrays. */
static void plan_matrices(const bench_options *options, bench_plan *plan, size_t pair, kind k,
                          bench_input input)
{
    static const size_t gpu[][2] = {{1024, 1024}, {65536, 1024}, {1024, 262144}};
    static const size_t cpu[][2] = {{64, 1024}};
    for (size_t s = 0; options->size_count == 0 && s < (on_gpu() ? 3 : 1); s++)
        plan_group(plan, pair, k, on_gpu() ? gpu[s][0] : cpu[s][0],
                   on_gpu() ? gpu[s][1] : cpu[s][1], input);
}

/* So many elements in all, in few segments and in many. */
static void plan_segments(const bench_options *options, bench_plan *plan, size_t pair, kind k,
                          bench_input input)
{
    static const size_t gpu[] = {(size_t)1 << 8, (size_t)1 << 16, (size_t)1 << 24};
    static const size_t cpu[] = {(size_t)1 << 2, (size_t)1 << 10};
    const size_t all = (size_t)1 << (on_gpu() ? 28 : 15);
    for (size_t s = 0; options->size_count == 0 && s < (on_gpu() ? 3 : 2); s++) {
        const size_t segments = on_gpu() ? gpu[s] : cpu[s];
        plan_group(plan, pair, k, segments, all / segments, input);
    }
}

static void plan_kind(const bench_options *options, bench_plan *plan, kind k, bench_input input)
{
    for (size_t p = 0; p < PAIRS; p++) {
        if (!wants_type(options, pairs[p].in) || (pairs[p].kinds & 1 << k) == 0)
            continue;
        if (k == ROWS || k == COLUMNS)
            plan_matrices(options, plan, p, k, input);
        else if (is_of_segments(k))
            plan_segments(options, plan, p, k, input);
        else
            plan_arrays(options, plan, p, k, input);
    }
}

static void plan_reduce(const bench_options *options, bench_plan *plan)
{
    const size_t inputs = options->input_count > 0 ? options->input_count : 1;
    for (int k = SUM; k < KINDS; k++)
        for (size_t i = 0; i < inputs; i++)
            plan_kind(options, plan, (kind)k,
                      options->input_count > 0 ? options->inputs[i] : INPUT_UNIFORM);
}

/* ---- operands and calls ---- */

/* Lengths that fall with the square of how many have them, longest ones of 1/17 of all. */
static double weight_of(const bench_case *c, size_t segment)
{
    if (kind_of(c) == SEGMENTS)
        return 1;
    const uint64_t mixed = (segment + 1) * 0x9e3779b97f4a7c15u;
    return (double)c->rows / (double)(1 + (mixed >> 20) % c->rows);
}

static void set_offsets(const bench_case *c, void *d_in)
{
    int32_t *const h_offsets = malloc(offsets_bytes_of(c));
    double all = 0, so_far = 0;
    must(h_offsets == NULL ? cudaErrorMemoryAllocation : cudaSuccess, "memory for the offsets");
    for (size_t s = 0; s < c->rows; s++)
        all += weight_of(c, s);
    for (size_t s = 0; s < c->rows; s++) {
        h_offsets[s] = (int32_t)((double)c->size * (so_far / all));
        so_far += weight_of(c, s);
    }
    h_offsets[c->rows] = (int32_t)c->size;
    must(cudaMemcpy((char *)d_in + offsets_at(c), h_offsets, offsets_bytes_of(c),
                    cudaMemcpyHostToDevice),
         "copying the offsets");
    free(h_offsets);
}

static void set_up_reduce(const bench_case *c, bench_operands *operands)
{
    const size_t in_bytes = in_bytes_of(c);
    operands->out_bytes = out_bytes_of(c);
    must(cudaMalloc(&operands->d_in, in_bytes), "memory for the input");
    must(cudaMalloc(&operands->d_out, operands->out_bytes), "memory for the output");
    must(fill_on_device(c->element, operands->d_in, in_bytes / prim_element_bytes(c->element),
                        c->input, 7, 0),
         "filling the input");
    if (is_of_segments(kind_of(c)))
        set_offsets(c, operands->d_in);
}

/* ---- are two results the same? ---- */

/* Sums differ by the order of additions: by far less than this share of sqrt(count), the size of a
 * random sum, and of the count, if all are 1; and by how f16 or bf16 rounds them. */
static bool near(const bench_case *c, double a, double b)
{
    const bool unlike = kind_of(c) == POWER_LAW;
    const double count = (double)c->size / (unlike ? 1 : (double)outputs_of(c));
    const double order = 1e-3 * sqrt(count) + (c->input == INPUT_EQUAL ? 1e-5 * count : 0);
    const double rounding = c->result == CUDA_R_16F    ? 0x1p-10
                            : c->result == CUDA_R_16BF ? 0x1p-7
                                                       : 0;
    return a == b || fabs(a - b) <= order + rounding * fabs(a); /* NaN is near to nothing */
}

static bool same_results(const bench_case *c, const void *h_a, const void *h_b)
{
    const size_t outputs = outputs_of(c);
    size_t i = 0;
    if (kind_of(c) == ARGMIN)
        return memcmp(h_a, h_b, prim_element_bytes(c->element)) == 0 &&
               ((const uint64_t *)h_a)[1] == ((const uint64_t *)h_b)[1];
    if (!is_real(c->result))
        return memcmp(h_a, h_b, out_bytes_of(c)) == 0;
    while (i < outputs && near(c, real_at(c->result, h_a, i), real_at(c->result, h_b, i)))
        i++;
    return i == outputs;
}

const bench_pattern bench_reduce = {
    .name = "reduce",
    .header = "reduce",
    .plan = plan_reduce,
    .plan_shapes = plan_reduce_shapes,
    .plan_draw = plan_drawn,
    .set_up = set_up_reduce,
    .run = run_reduce,
    .same = same_results,
};
