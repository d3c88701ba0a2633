/* merge: two arrays of one length into one, and sorts of random keys, integers over their whole
 * range; both also of pairs, keys with values of 4 bytes. The family `shapes` has merges of unlike
 * lengths, odd and misaligned ones, and sorts of keys in all kinds of order. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <primitives/merge.h>

#include "call.h"
#include "draw.h"

static const struct {
    cudaDataType_t type;
    const char *name;
    size_t bytes;
} keys[] = {{CUDA_R_32I, "i32", 4}, {CUDA_R_32F, "f32", 4}, {CUDA_R_64F, "f64", 8}};
enum { KEYS = sizeof keys / sizeof *keys, DEFAULT_KEYS = 2 }; /* f64 where it is asked for */

static const size_t gpu_sizes[] = {(size_t)1 << 10, (size_t)1 << 16, (size_t)1 << 20,
                                   (size_t)1 << 24, (size_t)1 << 26, (size_t)1 << 28};
static const size_t cpu_sizes[] = {(size_t)1 << 10, (size_t)1 << 15};
static const size_t gpu_sort_sizes[] = {(size_t)1 << 10, (size_t)1 << 16, (size_t)1 << 20,
                                        (size_t)1 << 24, (size_t)1 << 27};

static size_t key_bytes(const bench_case *c)
{
    size_t k = 0;
    while (k + 1 < KEYS && keys[k].type != c->element)
        k++;
    return keys[k].bytes;
}

/* ---- what a case is ---- */

enum { VALUE_BYTES = 4 };

static bool sorts(const bench_case *c)
{
    return strstr(c->name, "sort") != NULL;
}

static bool has_values(const bench_case *c)
{
    return strstr(c->name, "pairs") != NULL;
}

/* A case's m is the first array's length, where it is not half of all. */
static size_t a_count(const bench_case *c)
{
    return c->m > 0 ? c->m : c->size / 2;
}

static size_t b_count(const bench_case *c)
{
    return c->size - a_count(c);
}

/* ---- its call ---- */

/* Keys of both arrays, and of pairs their values after them; NULL where d_in is. */
static char *first_key(const bench_case *c, void *d_in)
{
    return part_of(d_in, c->offset * key_bytes(c));
}

static char *second_key(const bench_case *c, void *d_in)
{
    return part_of(first_key(c, d_in), a_count(c) * key_bytes(c));
}

static char *first_value(const bench_case *c, void *d_in)
{
    return part_of(first_key(c, d_in), c->size * key_bytes(c));
}

static prim_status run_merge(const bench_case *c, const bench_operands *o, cudaStream_t stream)
{
    const prim_merge_variant variant = (prim_merge_variant)c->variant_value;
    const prim_order order = PRIM_ASCENDING;
    const prim_call call = call_of(o, stream);
    const char *const d_a = first_key(c, o->d_in), *const d_b = second_key(c, o->d_in);
    char *const d_values = first_value(c, o->d_in);
    void *const d_out_values = part_of(o->d_out, c->size * key_bytes(c));
    if (sorts(c) && !has_values(c))
        return prim_merge_sort(variant, order, c->element, d_a, c->size, o->d_out, &call);
    if (sorts(c))
        return prim_merge_sort_pairs(variant, order, c->element, VALUE_BYTES,
                                     (prim_keys){d_a, d_values, c->size}, o->d_out, d_out_values,
                                     &call);
    if (!has_values(c))
        return prim_merge(variant, order, c->element, d_a, a_count(c), d_b, b_count(c), o->d_out,
                          &call);
    return prim_merge_pairs(
        variant, order, c->element, VALUE_BYTES, (prim_keys){d_a, d_values, a_count(c)},
        (prim_keys){d_b, part_of(d_values, a_count(c) * VALUE_BYTES), b_count(c)}, o->d_out,
        d_out_values, &call);
}

/* ---- which cases there are ---- */

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
                    .ceiling = CEILING_COPY};
    c.bytes = 2.0 * (double)(size * (keys[k].bytes + (has_values(&c) ? VALUE_BYTES : 0)));
    snprintf(c.shape, sizeof c.shape, "%zu", size);
    return c;
}

/* The variants of this name's call. */
static void plan_variants(bench_plan *plan, size_t k, const char *name, size_t size,
                          bench_input input)
{
    const prim_variant *variant;
    for (size_t v = 0; (variant = prim_merge_variant_at(v)) != NULL; v++) {
        const bench_case c = make_case(k, name, variant->value, variant->name, size, input);
        if (would_run(run_merge, &c))
            plan_add(plan, c);
    }
}

static void plan_keys(const bench_options *options, bench_plan *plan, size_t k, bench_input input)
{
    const bool asked = options->size_count > 0;
    const size_t *sizes = asked ? options->sizes : on_gpu() ? gpu_sizes : cpu_sizes;
    const size_t count = asked      ? options->size_count
                         : on_gpu() ? sizeof gpu_sizes / sizeof *gpu_sizes
                                    : sizeof cpu_sizes / sizeof *cpu_sizes;
    const bool own = !asked && on_gpu();
    const size_t *sort_sizes = own ? gpu_sort_sizes : sizes;
    const size_t sort_count = own ? sizeof gpu_sort_sizes / sizeof *gpu_sort_sizes : count;
    for (size_t s = 0; s < count; s++)
        plan_variants(plan, k, "merge", sizes[s], input);
    for (size_t s = 0; s < sort_count; s++)
        plan_variants(plan, k, "sort", sort_sizes[s], input);
    for (size_t s = 0; s < count && k == 0; s++)
        plan_variants(plan, k, "pairs", sizes[s], input);
    for (size_t s = 0; s < sort_count && k == 0; s++)
        plan_variants(plan, k, "sort_pairs", sort_sizes[s], input);
}

static void plan_merge(const bench_options *options, bench_plan *plan)
{
    const size_t inputs = options->input_count > 0 ? options->input_count : 1;
    for (size_t k = 0; k < (options->type_count > 0 ? KEYS : DEFAULT_KEYS); k++)
        for (size_t i = 0; wants_type(options, keys[k].type) && i < inputs; i++)
            plan_keys(options, plan, k,
                      options->input_count > 0 ? options->inputs[i] : INPUT_UNIFORM);
}

/* What AUTO takes alone; m of the keys are the first array's, and both begin `offset` keys past 16
 * bytes, as far as m lets the second one. */
static void plan_shape(bench_plan *plan, size_t k, size_t size, size_t m, size_t offset,
                       bench_input input)
{
    bench_case c = make_case(k, "shapes_merge", PRIM_MERGE_AUTO,
                             prim_merge_variant_info(PRIM_MERGE_AUTO)->name, size, input);
    c.m = m;
    c.offset = offset;
    const int end = snprintf(c.shape, sizeof c.shape, "%zu", size);
    const int split = snprintf(c.shape + end, sizeof c.shape - (size_t)end, "/%zu", m);
    if (offset > 0)
        snprintf(c.shape + end + split, sizeof c.shape - (size_t)(end + split), "+%zu", offset);
    plan_add(plan, c);
}

static void plan_sort_shape(bench_plan *plan, size_t k, const char *name, size_t size,
                            size_t offset, bench_input input)
{
    bench_case c = make_case(k, name, PRIM_MERGE_AUTO,
                             prim_merge_variant_info(PRIM_MERGE_AUTO)->name, size, input);
    c.offset = offset;
    if (offset > 0)
        snprintf(c.shape, sizeof c.shape, "%zu+%zu", size, offset);
    plan_add(plan, c);
}

/* Keys and pairs, from few enough for one block to many. */
static void plan_sort_shapes(bench_plan *plan, size_t k)
{
    static const bench_input inputs[] = {INPUT_UNIFORM, INPUT_EQUAL, INPUT_SORTED, INPUT_REVERSED,
                                         INPUT_FEW};
    static const char *const names[] = {"shapes_sort", "shapes_sort_pairs"};
    static const size_t gpu[] = {3000, 20000, 1000003, 50000017}, cpu[] = {3000, 20000};
    const size_t *const sizes = on_gpu() ? gpu : cpu;
    const size_t count = on_gpu() ? sizeof gpu / sizeof *gpu : sizeof cpu / sizeof *cpu;
    for (size_t n = 0; n < sizeof names / sizeof *names; n++)
        for (size_t s = 0; s < count; s++) {
            for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
                plan_sort_shape(plan, k, names[n], sizes[s], 0, inputs[i]);
            plan_sort_shape(plan, k, names[n], sizes[s], 1, INPUT_UNIFORM);
        }
}

static void plan_merge_shapes(const bench_options *options, bench_plan *plan)
{
    static const bench_input inputs[] = {INPUT_UNIFORM, INPUT_EQUAL};
    const size_t size = on_gpu() ? (size_t)1 << 28 : 3000;
    const size_t splits[] = {size / 2, size / 2 - 1, size / 1001, size - size / 1001, 1, size - 1};
    for (size_t k = 0; k < (options->type_count > 0 ? KEYS : DEFAULT_KEYS); k++) {
        if (!wants_type(options, keys[k].type))
            continue;
        for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
            for (size_t s = 0; s < sizeof splits / sizeof *splits; s++)
                plan_shape(plan, k, size, splits[s], 0, inputs[i]);
        plan_shape(plan, k, size, size / 2, 1, INPUT_UNIFORM);
        plan_shape(plan, k, size - 1, size / 2 - 1, 3, INPUT_UNIFORM);
        plan_sort_shapes(plan, k);
    }
}

/* ---- drawn cases ---- */

/* Of merges the first array has any share of the keys; those of sorts lie in any order. */
static bench_case draw_case(draws *d, const char *name)
{
    static const bench_input inputs[] = {INPUT_UNIFORM, INPUT_EQUAL, INPUT_SORTED, INPUT_REVERSED,
                                         INPUT_FEW};
    const size_t k = draw_below(d, KEYS), input = draw_below(d, sizeof inputs / sizeof *inputs);
    const double share = draw_unit(d);
    const bool is_sort = strstr(name, "sort") != NULL;
    const bench_shape shape = draw_vector(d, draw_bytes(d) / (double)keys[k].bytes);
    bench_case c =
        make_case(k, name, PRIM_MERGE_AUTO, prim_merge_variant_info(PRIM_MERGE_AUTO)->name,
                  shape.columns, is_sort ? inputs[input] : INPUT_UNIFORM);
    c.offset = shape.offset;
    int end = snprintf(c.shape, sizeof c.shape, "%zu", c.size);
    if (!is_sort) {
        c.m = 1 + (size_t)(share * (double)(c.size - 1));
        end += snprintf(c.shape + end, sizeof c.shape - (size_t)end, "/%zu", c.m);
    }
    if (c.offset > 0)
        snprintf(c.shape + end, sizeof c.shape - (size_t)end, "+%zu", c.offset);
    number_case(&c, d);
    return c;
}

static void plan_drawn(const bench_options *options, bench_plan *plan)
{
    static const char *const names[] = {"drawn_merge", "drawn_pairs", "drawn_sort",
                                        "drawn_sort_pairs"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (draws d = begin_draws(options, names[i]); next_case(&d);)
            plan_add(plan, draw_case(&d, names[i]));
}

/* ---- running them ---- */

/* Before anything is timed. */
static void sort_both(const bench_case *c, void *d_in)
{
    char *const d_a = first_key(c, d_in), *const d_b = second_key(c, d_in);
    must_prim(
        prim_merge_sort(PRIM_MERGE_AUTO, PRIM_ASCENDING, c->element, d_a, a_count(c), d_a, NULL));
    must_prim(
        prim_merge_sort(PRIM_MERGE_AUTO, PRIM_ASCENDING, c->element, d_b, b_count(c), d_b, NULL));
}

static void make_keys(const bench_case *c, void *d_keys)
{
    const bool few_values = c->input == INPUT_EQUAL || c->input == INPUT_FEW;
    if (c->element == CUDA_R_32I && !few_values)
        must(fill_words_on_device(d_keys, c->size, 13, 0), "filling the keys");
    else
        must(fill_on_device(c->element, d_keys, c->size,
                            c->input == INPUT_EQUAL ? INPUT_EQUAL : INPUT_UNIFORM, 13, 0),
             "filling the keys");
    if (c->input == INPUT_SORTED || c->input == INPUT_REVERSED)
        must_prim(prim_merge_sort(PRIM_MERGE_AUTO,
                                  c->input == INPUT_SORTED ? PRIM_ASCENDING : PRIM_DESCENDING,
                                  c->element, d_keys, c->size, d_keys, NULL));
}

static void set_up_merge(const bench_case *c, bench_operands *operands)
{
    const size_t values = has_values(c) ? c->size : 0;
    operands->out_bytes = c->size * key_bytes(c) + values * VALUE_BYTES;
    must(cudaMalloc(&operands->d_in, operands->out_bytes + c->offset * key_bytes(c)),
         "memory for the keys");
    must(cudaMalloc(&operands->d_out, operands->out_bytes), "memory for the output");
    make_keys(c, first_key(c, operands->d_in));
    must(fill_on_device(CUDA_R_32U, first_value(c, operands->d_in), values, INPUT_UNIFORM, 17, 0),
         "filling the values");
    if (!sorts(c))
        sort_both(c, operands->d_in);
}

/* All are stable. */
static bool same_keys(const bench_case *c, const void *h_a, const void *h_b)
{
    return memcmp(h_a, h_b, c->size * (key_bytes(c) + (has_values(c) ? VALUE_BYTES : 0))) == 0;
}

const bench_pattern bench_merge = {
    .name = "merge",
    .header = "merge",
    .plan = plan_merge,
    .plan_shapes = plan_merge_shapes,
    .plan_draw = plan_drawn,
    .set_up = set_up_merge,
    .run = run_merge,
    .same = same_keys,
};
