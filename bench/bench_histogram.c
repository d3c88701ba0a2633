/* histogram: samples in 256 and more bins, of three channels, and weighted; random, all equal,
 * Gaussian, sorted, and in one bank. */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "call.h"
#include "draw.h"
#include "histogram_kinds.h"

static const histogram_kind kinds[] = {
    {CUDA_R_8U, "even-256", "u8", 1, 256, {.lower = 0, .upper = 256}, BINS_OF_RANGE},
    {CUDA_R_16U, "even-256", "u16", 2, 256, {.lower = 0, .upper = 65536}, BINS_OF_RANGE},
    {CUDA_R_16F, "even-256", "f16", 2, 256, {.real_lower = -1, .real_upper = 1}, BINS_OF_RANGE},
    {CUDA_R_32I, "even-256", "i32", 4, 256, {.lower = -1000, .upper = 1001}, BINS_OF_RANGE},
    {CUDA_R_32F, "even-256", "f32", 4, 256, {.real_lower = -1, .real_upper = 1}, BINS_OF_RANGE},
    {CUDA_R_32I, "even-2048", "i32", 4, 2048, {.lower = -100000, .upper = 100001}, BINS_OF_RANGE},
    {CUDA_R_32F, "even-2048", "f32", 4, 2048, {.real_lower = -1, .real_upper = 1}, BINS_OF_RANGE},
    {CUDA_R_32I,
     "even-65536",
     "i32",
     4,
     65536,
     {.lower = -10000000, .upper = 10000001},
     BINS_OF_RANGE},
    {CUDA_R_32I, "even-1048576", "i32", 4, 1048576, {.lower = 0, .upper = 1048576}, BINS_OF_RANGE},
    {CUDA_R_32F, "edges-256", "f32", 4, 256, {.real_lower = -1, .real_upper = 1}, EDGES_EVEN},
    {CUDA_R_32F, "edges-2048", "f32", 4, 2048, {.real_lower = -1, .real_upper = 1}, EDGES_EVEN},
    {CUDA_R_32F,
     "log-256",
     "f32",
     4,
     256,
     {.real_lower = 1e-6, .real_upper = 1},
     EDGES_LOGARITHMIC},
    {CUDA_R_32F,
     "log-2048",
     "f32",
     4,
     2048,
     {.real_lower = 1e-6, .real_upper = 1},
     EDGES_LOGARITHMIC},
    {CUDA_R_8U, "channels-256", "u8", 1, 256, {.lower = 0, .upper = 256}, BINS_OF_CHANNELS},
    {CUDA_R_32F,
     "channels-256",
     "f32",
     4,
     256,
     {.real_lower = -1, .real_upper = 1},
     BINS_OF_CHANNELS},
    {CUDA_R_32F,
     "weighted-256",
     "f32",
     4,
     256,
     {.real_lower = -1, .real_upper = 1},
     BINS_OF_WEIGHTED},
};
/* Of odd lengths and places; images also with odd pitches. */
static const histogram_kind odd_kinds[] = {
    {CUDA_R_8U, "shapes_even-256", "u8", 1, 256, {.lower = 0, .upper = 256}, BINS_OF_RANGE},
    {CUDA_R_16U, "shapes_even-256", "u16", 2, 256, {.lower = 0, .upper = 65536}, BINS_OF_RANGE},
    {CUDA_R_32F,
     "shapes_even-256",
     "f32",
     4,
     256,
     {.real_lower = -1, .real_upper = 1},
     BINS_OF_RANGE},
    {CUDA_R_32I,
     "shapes_even-1048576",
     "i32",
     4,
     1048576,
     {.lower = 0, .upper = 1048576},
     BINS_OF_RANGE},
    {CUDA_R_32F,
     "shapes_edges-256",
     "f32",
     4,
     256,
     {.real_lower = -1, .real_upper = 1},
     EDGES_EVEN},
    {CUDA_R_32F,
     "shapes_weighted",
     "f32",
     4,
     256,
     {.real_lower = -1, .real_upper = 1},
     BINS_OF_WEIGHTED},
    {CUDA_R_8U, "shapes_channels", "u8", 1, 256, {.lower = 0, .upper = 256}, BINS_OF_CHANNELS},
};
enum { KINDS = sizeof kinds / sizeof *kinds, ODD_KINDS = sizeof odd_kinds / sizeof *odd_kinds };

/* ---- what is drawn of kinds ---- */

/* Of each type as many bins as tell its samples apart, and 2^21 at most. */
static const struct {
    cudaDataType_t type;
    const char *name;
    size_t bytes, most_bins;
    prim_histogram_range range;
} drawn_types[] = {
    {CUDA_R_8U, "u8", 1, 1 << 8, {.lower = 0, .upper = 256}},
    {CUDA_R_16U, "u16", 2, 1 << 16, {.lower = 0, .upper = 65536}},
    {CUDA_R_16F, "f16", 2, 1 << 11, {.real_lower = -1, .real_upper = 1}},
    {CUDA_R_32I, "i32", 4, 1 << 21, {.lower = -10000000, .upper = 10000001}},
    {CUDA_R_32F, "f32", 4, 1 << 21, {.real_lower = -1, .real_upper = 1}},
};
enum { DRAWN_TYPES = sizeof drawn_types / sizeof *drawn_types };

static const struct {
    const char *name;
    histogram_bins bins_by;
} drawn_calls[] = {{"drawn_even", BINS_OF_RANGE},
                   {"drawn_edges", EDGES_EVEN},
                   {"drawn_channels", BINS_OF_CHANNELS},
                   {"drawn_weighted", BINS_OF_WEIGHTED}};
enum { DRAWN_CALLS = sizeof drawn_calls / sizeof *drawn_calls };

static histogram_kind drawn_kind(const bench_case *c)
{
    size_t t = 0, call = 0;
    while (t + 1 < DRAWN_TYPES && drawn_types[t].type != c->element)
        t++;
    while (call + 1 < DRAWN_CALLS && strcmp(drawn_calls[call].name, c->name) != 0)
        call++;
    return (histogram_kind){.type = c->element,
                            .name = c->name,
                            .type_name = c->type,
                            .bytes = drawn_types[t].bytes,
                            .bins = c->bins,
                            .range = drawn_types[t].range,
                            .bins_by = drawn_calls[call].bins_by};
}

histogram_kind histogram_kind_of(const bench_case *c)
{
    const histogram_kind *const all = is_of_shapes(c) ? odd_kinds : kinds;
    const size_t count = is_of_shapes(c) ? ODD_KINDS : KINDS;
    size_t k = 0;
    if (is_drawn(c))
        return drawn_kind(c);
    while (k + 1 < count && (all[k].type != c->element || strcmp(all[k].name, c->name) != 0))
        k++;
    return all[k];
}

static bool has_edges(const histogram_kind *k)
{
    return k->bins_by == EDGES_EVEN || k->bins_by == EDGES_LOGARITHMIC;
}

static size_t counters_of(const histogram_kind *k)
{
    return k->bins_by == BINS_OF_CHANNELS ? HISTOGRAM_CHANNELS * k->bins : k->bins;
}

/* Of a sample; read once, since the largest weight is given. */
static size_t weight_bytes(const histogram_kind *k)
{
    return k->bins_by == BINS_OF_WEIGHTED ? sizeof(float) : 0;
}

/* An array's pixels are all in one row, as an image without gaps is taken anyway. */
static prim_image image_of(const histogram_kind *k, const bench_case *c, const void *d_samples)
{
    const size_t columns = c->size / c->rows, width = columns / HISTOGRAM_CHANNELS;
    return (prim_image){.data = (void *)(uintptr_t)d_samples,
                        .width = width,
                        .height = c->rows,
                        .pitch = (c->ld != 0 ? c->ld : width * HISTOGRAM_CHANNELS) * k->bytes,
                        .channels = HISTOGRAM_CHANNELS,
                        .type = k->type};
}

static size_t bytes_before_edges(const bench_case *c)
{
    const size_t samples = elements_of_shape(c) * histogram_kind_of(c).bytes;
    return (samples + 15) / 16 * 16;
}

const float *histogram_edges_of(const bench_case *c, const bench_operands *o)
{
    return part_of(o->d_in, bytes_before_edges(c));
}

static prim_status run_histogram(const bench_case *c, const bench_operands *o, cudaStream_t stream)
{
    const histogram_kind of_case = histogram_kind_of(c), *const k = &of_case;
    const prim_histogram_variant variant = (prim_histogram_variant)c->variant_value;
    const prim_call call = call_of(o, stream);
    const void *const d_samples = part_of(o->d_in, c->offset * k->bytes);
    prim_counters out = {.data = o->d_out, .bins = k->bins, .type = CUDA_R_32U};
    if (k->bins_by == BINS_OF_CHANNELS) {
        const prim_histogram_range ranges[HISTOGRAM_CHANNELS] = {k->range, k->range, k->range};
        return prim_histogram_even_channels(variant, ranges, image_of(k, c, d_samples), out, &call);
    }
    if (k->bins_by == BINS_OF_WEIGHTED) {
        const float largest = 1;
        out.type = CUDA_R_32F;
        return prim_histogram_even_weighted(variant, k->range, k->type, d_samples, c->size,
                                            histogram_edges_of(c, o), &largest, out, &call);
    }
    if (has_edges(k)) {
        out.flags = PRIM_HISTOGRAM_LAST_BIN_OPEN; /* as CUB has it */
        return prim_histogram_edges(variant, k->type, d_samples, c->size, CUDA_R_32F,
                                    histogram_edges_of(c, o), out, &call);
    }
    return prim_histogram_even(variant, k->range, k->type, d_samples, c->size, out, &call);
}

/* ---- plan ---- */

static bench_case case_of(const histogram_kind *k, const prim_variant *variant)
{
    return (bench_case){.pattern = "histogram",
                        .name = k->name,
                        .variant = variant->name,
                        .type = k->type_name,
                        .rows = 1,
                        .element = k->type,
                        .result = CUDA_R_32U,
                        .variant_value = variant->value,
                        .ceiling = CEILING_READ};
}

static void plan_group(bench_plan *plan, const histogram_kind *k, size_t size, bench_input input)
{
    const prim_variant *variant;
    for (size_t v = 0; (variant = prim_histogram_variant_at(v)) != NULL; v++) {
        bench_case c = case_of(k, variant);
        c.input = input;
        c.size = size;
        c.bytes = (double)(size * (k->bytes + weight_bytes(k)) + counters_of(k) * sizeof(uint32_t));
        c.flops = (double)size;
        snprintf(c.shape, sizeof c.shape, "%zu", size);
        if (would_run(run_histogram, &c))
            plan_add(plan, c);
    }
}

static void plan_shape(bench_plan *plan, const histogram_kind *k, const bench_shape *shape)
{
    bench_case c = case_of(k, prim_histogram_variant_at(0));
    set_shape(&c, shape);
    c.flops = (double)c.size;
    c.bytes = touched_bytes(c.rows, c.size / c.rows, c.ld, k->bytes, c.offset) +
              (double)(c.size * weight_bytes(k) + counters_of(k) * sizeof(uint32_t));
    plan_add(plan, c);
}

/* Rows of whole pixels, without gaps and with them. */
static void plan_images(bench_plan *plan, const histogram_kind *k)
{
    static const bench_shape gpu[] = {{16384, 16383, 0, 0},     {16384, 16383, 16384, 0},
                                      {16384, 16383, 16397, 0}, {16384, 16383, 16384, 1},
                                      {1000003, 255, 257, 0},   {3, 83886080 / 3 * 3, 83886083, 0}},
                             cpu[] = {{31, 99, 0, 0}, {31, 99, 101, 1}};
    const size_t count = on_gpu() ? sizeof gpu / sizeof *gpu : sizeof cpu / sizeof *cpu;
    for (size_t i = 0; i < count; i++)
        plan_shape(plan, k, on_gpu() ? &gpu[i] : &cpu[i]);
}

/* 2^28 bytes and 2^24, and the same one sample past a boundary and one sample short. */
static void plan_histogram_shapes(const bench_options *options, bench_plan *plan)
{
    for (const histogram_kind *k = odd_kinds; k < odd_kinds + ODD_KINDS; k++) {
        if (!wants_type(options, k->type))
            continue;
        for (int small = 0; small < 2; small++) {
            const size_t bytes = (size_t)1 << (on_gpu() ? 28 - 4 * small : 16 - 4 * small);
            const size_t count = bytes / k->bytes;
            const bench_shape shapes[] = {{1, count, 0, 0}, {1, count, 0, 1}, {1, count - 1, 0, 0}};
            for (size_t i = 0; i < 3; i++)
                plan_shape(plan, k, &shapes[i]);
        }
        if (k->bins_by == BINS_OF_CHANNELS)
            plan_images(plan, k);
    }
}

static void plan_histogram(const bench_options *options, bench_plan *plan)
{
    static const bench_input all[] = {INPUT_UNIFORM, INPUT_EQUAL, INPUT_GAUSSIAN, INPUT_SORTED,
                                      INPUT_BANK};
    static const size_t gpu_sizes[] = {(size_t)1 << 20, (size_t)1 << 28},
                        cpu_sizes[] = {(size_t)1 << 17};
    const bench_input *inputs = options->input_count > 0 ? options->inputs : all;
    const size_t input_count =
        options->input_count > 0 ? options->input_count : sizeof all / sizeof *all;
    const size_t *sizes = options->size_count > 0 ? options->sizes
                          : on_gpu()              ? gpu_sizes
                                                  : cpu_sizes;
    const size_t size_count = options->size_count > 0 ? options->size_count : on_gpu() ? 2 : 1;
    for (size_t k = 0; k < KINDS; k++)
        for (size_t i = 0; wants_type(options, kinds[k].type) && i < input_count; i++)
            for (size_t s = 0; s < size_count; s++)
                plan_group(plan, &kinds[k], sizes[s], inputs[i]);
}

/* ---- drawn cases ---- */

/* Edges and weights are of f32 alone, channels of bytes and of f32. */
static size_t draw_type(draws *d, histogram_bins bins_by)
{
    enum { BYTES = 0, F32 = DRAWN_TYPES - 1 };
    const size_t t = draw_below(d, DRAWN_TYPES);
    return bins_by == BINS_OF_RANGE ? t : bins_by == BINS_OF_CHANNELS && t % 2 == 0 ? BYTES : F32;
}

static bench_case draw_case(draws *d, size_t call)
{
    static const bench_input inputs[] = {INPUT_UNIFORM, INPUT_EQUAL, INPUT_GAUSSIAN, INPUT_SORTED,
                                         INPUT_BANK};
    const size_t t = draw_type(d, drawn_calls[call].bins_by);
    const bool of_channels = drawn_calls[call].bins_by == BINS_OF_CHANNELS;
    bench_case c = {.pattern = "histogram",
                    .name = drawn_calls[call].name,
                    .variant = prim_histogram_variant_at(0)->name,
                    .variant_value = prim_histogram_variant_at(0)->value,
                    .type = drawn_types[t].name,
                    .element = drawn_types[t].type,
                    .result = CUDA_R_32U,
                    .input = inputs[draw_below(d, sizeof inputs / sizeof *inputs)],
                    .bins = draw_size(d, 2, (double)drawn_types[t].most_bins),
                    .ceiling = CEILING_READ};
    bench_shape shape = draw_vector(d, draw_bytes(d) / (double)drawn_types[t].bytes);
    if (of_channels)
        shape.columns += HISTOGRAM_CHANNELS - shape.columns % HISTOGRAM_CHANNELS;
    set_shape(&c, &shape);
    snprintf(c.shape + strlen(c.shape), sizeof c.shape - strlen(c.shape), "/%zu", c.bins);
    number_case(&c, d);
    const histogram_kind k = histogram_kind_of(&c);
    c.flops = (double)c.size;
    c.bytes = (double)(c.size * (k.bytes + weight_bytes(&k)) + counters_of(&k) * sizeof(uint32_t));
    return c;
}

static void plan_drawn(const bench_options *options, bench_plan *plan)
{
    for (size_t call = 0; call < DRAWN_CALLS; call++)
        for (draws d = begin_draws(options, drawn_calls[call].name); next_case(&d);)
            plan_add(plan, draw_case(&d, call));
}

/* ---- edges ---- */

static void make_edges(const bench_case *c, const bench_operands *o)
{
    const histogram_kind of_case = histogram_kind_of(c), *const k = &of_case;
    const double lower = k->range.real_lower, upper = k->range.real_upper;
    float *const h_edges = malloc((k->bins + 1) * sizeof *h_edges);
    if (h_edges == NULL)
        exit(1);
    for (size_t e = 0; e <= k->bins; e++) {
        const double t = (double)e / (double)k->bins;
        h_edges[e] = (float)(k->bins_by == EDGES_LOGARITHMIC ? lower * pow(upper / lower, t)
                                                             : lower + (upper - lower) * t);
    }
    must(cudaMemcpy((void *)histogram_edges_of(c, o), h_edges, (k->bins + 1) * sizeof *h_edges,
                    cudaMemcpyHostToDevice),
         "copying the edges");
    free(h_edges);
}

/* The samples, which lie between -1 and 1, once more. */
static void make_weights(const bench_case *c, const bench_operands *o)
{
    must(cudaMemcpy((char *)o->d_in + bytes_before_edges(c), o->d_in, c->size * sizeof(float),
                    cudaMemcpyDeviceToDevice),
         "copying the weights");
}

/* ---- operands ---- */

static void set_up_histogram(const bench_case *c, bench_operands *operands)
{
    const histogram_kind of_case = histogram_kind_of(c), *const k = &of_case;
    operands->out_bytes = counters_of(k) * sizeof(uint32_t);
    must(cudaMalloc(&operands->d_in, bytes_before_edges(c) + (k->bins + 1) * sizeof(float) +
                                         c->size * weight_bytes(k)),
         "memory for the samples");
    must(cudaMalloc(&operands->d_out, operands->out_bytes), "memory for the counters");
    must(make_histogram_samples(k, operands->d_in, elements_of_shape(c), c->input),
         "making the samples");
    if (has_edges(k))
        make_edges(c, operands);
    if (k->bins_by == BINS_OF_WEIGHTED)
        make_weights(c, operands);
}

/* Where bins are no power of two, floats at their edges may fall into the neighbour; weights are
 * added in any order. */
static bool nearly_same(const bench_case *c, const void *h_a, const void *h_b, size_t counters)
{
    const bool of_weights = histogram_kind_of(c).bins_by == BINS_OF_WEIGHTED;
    double apart = 0;
    for (size_t i = 0; i < counters; i++)
        apart += of_weights ? fabs((double)((const float *)h_a)[i] - ((const float *)h_b)[i])
                            : fabs((double)((const uint32_t *)h_a)[i] - ((const uint32_t *)h_b)[i]);
    return apart <= 2 + (double)c->size / 1000;
}

static bool same_counters(const bench_case *c, const void *h_a, const void *h_b)
{
    const histogram_kind k = histogram_kind_of(c);
    const size_t counters = counters_of(&k);
    return is_drawn(c) && is_real(k.type) ? nearly_same(c, h_a, h_b, counters)
                                          : memcmp(h_a, h_b, counters * sizeof(uint32_t)) == 0;
}

const bench_pattern bench_histogram = {
    .name = "histogram",
    .header = "histogram",
    .plan = plan_histogram,
    .plan_shapes = plan_histogram_shapes,
    .plan_draw = plan_drawn,
    .set_up = set_up_histogram,
    .run = run_histogram,
    .same = same_counters,
};
