/* convolution: masks of growing size over an image, bytes of three channels, also under integers,
 * separable masks, and vectors. */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <primitives/convolution.h>

#include "call.h"
#include "convolution_mask.h"
#include "draw.h"

typedef struct extent {
    size_t width, height;
} extent;

/* Images on a GPU; width 0 after the last. */
static const extent images[] = {{16384, 16384}, {4096, 4096}, {1024, 1024}, {1111, 1024}, {0, 0}};
static const extent large_image[] = {{16384, 16384}, {0, 0}};
static const extent vectors[] = {{(size_t)1 << 26, 1}, {(size_t)1 << 28, 1}, {0, 0}};

typedef struct kind {
    const char *name, *type_name;
    cudaDataType_t type;
    size_t element_bytes;
    const extent *gpu;
    extent cpu;
    int channels;
    extent mask;
    bool is_separable; /* the mask is a row and a column */
    int32_t divisor;   /* of a mask of integers; 0: it is of floats */
} kind;

static const kind kinds[] = {
    {"2d-3x3", "f32", CUDA_R_32F, 4, images, {96, 96}, 1, {3, 3}, false, 0},
    {"2d-5x5", "f32", CUDA_R_32F, 4, images, {96, 96}, 1, {5, 5}, false, 0},
    {"2d-7x7", "f32", CUDA_R_32F, 4, images, {64, 64}, 1, {7, 7}, false, 0},
    {"2d-9x9", "f32", CUDA_R_32F, 4, images, {64, 64}, 1, {9, 9}, false, 0},
    {"2d-15x15", "f32", CUDA_R_32F, 4, images, {48, 48}, 1, {15, 15}, false, 0},
    {"2d-31x31", "f32", CUDA_R_32F, 4, images, {40, 40}, 1, {31, 31}, false, 0},
    {"separable-5x5", "f32", CUDA_R_32F, 4, images, {96, 96}, 1, {5, 5}, true, 0},
    {"separable-15x15", "f32", CUDA_R_32F, 4, images, {96, 96}, 1, {15, 15}, true, 0},
    {"2d-3x3x3", "u8", CUDA_R_8U, 1, large_image, {64, 64}, 3, {3, 3}, false, 0},
    {"2d-5x5x3", "u8", CUDA_R_8U, 1, large_image, {64, 64}, 3, {5, 5}, false, 0},
    {"integers-3x3x3", "u8", CUDA_R_8U, 1, large_image, {64, 64}, 3, {3, 3}, false, 35},
    {"integers-5x5x3", "u8", CUDA_R_8U, 1, large_image, {64, 64}, 3, {5, 5}, false, 97},
    {"shift-3x3x3", "u8", CUDA_R_8U, 1, large_image, {64, 64}, 3, {3, 3}, false, 32},
    {"1d-5", "f32", CUDA_R_32F, 4, vectors, {1 << 14, 1}, 1, {5, 1}, false, 0},
    {"1d-15", "f32", CUDA_R_32F, 4, vectors, {1 << 14, 1}, 1, {15, 1}, false, 0},
    {"shapes_5x5", "f32", CUDA_R_32F, 4, NULL, {0, 0}, 1, {5, 5}, false, 0},
    {"shapes_5x5", "u8", CUDA_R_8U, 1, NULL, {0, 0}, 1, {5, 5}, false, 0},
    {"shapes_integers-3x3", "u8", CUDA_R_8U, 1, NULL, {0, 0}, 1, {3, 3}, false, 35},
    {"shapes_5x5x3", "u8", CUDA_R_8U, 1, NULL, {0, 0}, 3, {5, 5}, false, 0},
    {"shapes_separable-5x5", "f32", CUDA_R_32F, 4, NULL, {0, 0}, 1, {5, 5}, true, 0},
};
enum { KINDS = sizeof kinds / sizeof *kinds, MOST_WEIGHTS = 33 * 33 };

/* ---- what is drawn of kinds ---- */

/* The types of images; with a divisor, of masks of integers. */
static const struct {
    const char *name;
    cudaDataType_t type;
    size_t element_bytes;
    int32_t divisor;
} drawn_types[] = {{"f32", CUDA_R_32F, 4, 0},
                   {"u8", CUDA_R_8U, 1, 0},
                   {"u16", CUDA_R_16U, 2, 0},
                   {"f16", CUDA_R_16F, 2, 0},
                   {"u8/i8", CUDA_R_8U, 1, 35}};
enum { DRAWN_TYPES = sizeof drawn_types / sizeof *drawn_types };

static const char drawn_name[] = "drawn_2d", drawn_separable_name[] = "drawn_separable";

static kind drawn_kind(const bench_case *c)
{
    size_t t = 0;
    while (t + 1 < DRAWN_TYPES && strcmp(drawn_types[t].name, c->type) != 0)
        t++;
    return (kind){.name = c->name,
                  .type_name = c->type,
                  .type = c->element,
                  .element_bytes = drawn_types[t].element_bytes,
                  .channels = c->channels,
                  .mask = {c->mask_width, c->mask_height},
                  .is_separable = strcmp(c->name, drawn_separable_name) == 0,
                  .divisor = drawn_types[t].divisor};
}

static kind kind_of(const bench_case *c)
{
    size_t k = 0;
    if (is_drawn(c))
        return drawn_kind(c);
    while (k + 1 < KINDS && (kinds[k].type != c->element || strcmp(kinds[k].name, c->name) != 0))
        k++;
    return kinds[k];
}

static size_t weight_count(const kind *k)
{
    return k->is_separable ? k->mask.width + k->mask.height : k->mask.width * k->mask.height;
}

/* Positive, and together 1, so that bytes stay bytes; of a separable mask, each part's. */
static const float *weights_of(const kind *k)
{
    static float weights[MOST_WEIGHTS];
    const size_t count = weight_count(k), part = k->is_separable ? k->mask.width : count;
    for (size_t first = 0; first < count; first += part) {
        const size_t end = first + part < count ? first + part : count;
        float sum = 0;
        for (size_t i = first; i < end; i++)
            sum += (float)(1 + i * 5 % 7);
        for (size_t i = first; i < end; i++)
            weights[i] = (float)(1 + i * 5 % 7) / sum;
    }
    return weights;
}

/* The same before they are divided. */
static const int8_t *integers_of(const kind *k)
{
    static int8_t integers[MOST_WEIGHTS];
    for (size_t i = 0; i < weight_count(k); i++)
        integers[i] = (int8_t)(1 + i * 5 % 7);
    return integers;
}

static const void *values_of(const kind *k)
{
    return k->divisor != 0 ? (const void *)integers_of(k) : weights_of(k);
}

static prim_image image_of(const kind *k, const bench_case *c, void *data)
{
    const size_t width = c->size / c->rows / (size_t)k->channels,
                 ld = c->ld != 0 ? c->ld : width * (size_t)k->channels;
    return (prim_image){.data = data,
                        .width = width,
                        .height = c->rows,
                        .pitch = ld * k->element_bytes,
                        .channels = k->channels,
                        .type = k->type};
}

/* The device's weights lie after the image, at the next 256 bytes; after them, the last one
 * first, as a peer wants them. */
size_t convolution_weights_at(const bench_case *c)
{
    return (elements_of_shape(c) * kind_of(c).element_bytes + 255) / 256 * 256;
}

extent_of_mask convolution_mask(const bench_case *c)
{
    const kind k = kind_of(c);
    return (extent_of_mask){k.mask.width, k.mask.height, k.channels, k.is_separable};
}

static prim_mask mask_of(const kind *k, const void *d_values)
{
    prim_mask mask = prim_mask_of(k->divisor != 0 ? CUDA_R_8I : CUDA_R_32F, values_of(k), d_values,
                                  k->mask.width, k->mask.height);
    mask.divisor = k->divisor;
    return mask;
}

static prim_mask row_of(prim_mask mask)
{
    mask.height = 1;
    mask.anchor_y = 0;
    return mask;
}

static prim_mask column_of(prim_mask mask)
{
    mask.h_values = (const float *)mask.h_values + mask.width;
    mask.d_values = (const float *)mask.d_values + mask.width;
    mask.width = 1;
    mask.anchor_x = 0;
    return mask;
}

/* The device's weights, or where the call is only asked, memory in their place. */
static const void *device_weights(const bench_case *c, const bench_operands *o)
{
    static void *d_weights;
    if (o->d_in != NULL)
        return part_of(o->d_in, convolution_weights_at(c));
    if (d_weights == NULL)
        must(cudaMalloc(&d_weights, 2 * MOST_WEIGHTS * sizeof(float)), "memory for weights");
    return d_weights;
}

static prim_status run_convolution(const bench_case *c, const bench_operands *o,
                                   cudaStream_t stream)
{
    const kind k = kind_of(c);
    const prim_convolution_variant variant = (prim_convolution_variant)c->variant_value;
    const prim_mask mask = mask_of(&k, device_weights(c, o));
    const size_t offset = c->offset * k.element_bytes;
    const prim_image in = image_of(&k, c, part_of(o->d_in, offset)),
                     out = image_of(&k, c, part_of(o->d_out, offset));
    const prim_boundary boundary = (prim_boundary)c->boundary;
    const prim_call call = call_of(o, stream);
    return k.is_separable ? prim_convolve_separable(variant, 0, boundary, NULL, in, row_of(mask),
                                                    column_of(mask), out, &call)
                          : prim_convolve_2d(variant, 0, boundary, NULL, in, mask, out, &call);
}

/* Where a run of all variants would take minutes, those that have a load for each product stay
 * away. */
static bool takes_too_long(const bench_case *c)
{
    const double most = 3.2e10; /* operations */
    return c->flops > most && c->variant_value != PRIM_CONVOLUTION_AUTO &&
           c->variant_value != PRIM_CONVOLUTION_REGISTER;
}

static bench_case case_of(const kind *k, prim_convolution_variant variant)
{
    return (bench_case){.pattern = "convolution",
                        .name = k->name,
                        .variant = prim_convolution_variant_info(variant)->name,
                        .type = k->type_name,
                        .element = k->type,
                        .boundary = PRIM_BOUNDARY_CLAMP,
                        .variant_value = variant};
}

static void plan_group(bench_plan *plan, const kind *k, extent image, bench_input input)
{
    enum { MEMORY_BOUND_WEIGHTS = 64 }; /* beyond, multiply-adds take longer than a copy */
    for (size_t v = 0; prim_convolution_variant_at(v) != NULL; v++) {
        const size_t size = image.width * image.height * (size_t)k->channels;
        bench_case c = case_of(k, prim_convolution_variant_at(v)->value);
        c.input = input;
        c.size = size;
        c.rows = image.height;
        c.bytes = 2 * (double)(size * k->element_bytes);
        c.flops = 2 * (double)(size * weight_count(k));
        c.ceiling = weight_count(k) > MEMORY_BOUND_WEIGHTS ? CEILING_FFMA : CEILING_COPY;
        if (image.height == 1)
            snprintf(c.shape, sizeof c.shape, "%zu", image.width);
        else
            snprintf(c.shape, sizeof c.shape, "%zux%zu", image.height, image.width);
        if (would_run(run_convolution, &c) && !takes_too_long(&c))
            plan_add(plan, c);
    }
}

static void plan_kind(const bench_options *options, bench_plan *plan, const kind *k,
                      bench_input input)
{
    for (size_t s = 0; k->cpu.height == 1 && s < options->size_count; s++)
        plan_group(plan, k, (extent){options->sizes[s], 1}, input);
    if (options->size_count > 0)
        return;
    if (!on_gpu())
        plan_group(plan, k, k->cpu, input);
    for (size_t s = 0; on_gpu() && k->gpu[s].width > 0; s++)
        plan_group(plan, k, k->gpu[s], input);
}

/* Sizes that were asked for are those of vectors. */
static void plan_convolution(const bench_options *options, bench_plan *plan)
{
    const size_t inputs = options->input_count > 0 ? options->input_count : 1;
    for (size_t n = 0; n < KINDS; n++)
        for (size_t i = 0; wants_type(options, kinds[n].type) && i < inputs; i++)
            if (kinds[n].gpu != NULL)
                plan_kind(options, plan, &kinds[n],
                          options->input_count > 0 ? options->inputs[i] : INPUT_UNIFORM);
}

/* What AUTO takes alone: nobody asks which rung is slow on an odd shape. */
static void plan_shape(bench_plan *plan, const kind *k, const bench_shape *shape)
{
    bench_case c = case_of(k, PRIM_CONVOLUTION_AUTO);
    set_shape(&c, shape);
    c.bytes = 2 * touched_bytes(c.rows, c.size / c.rows, c.ld, k->element_bytes, c.offset);
    c.flops = 2 * (double)(c.size * weight_count(k));
    c.ceiling = CEILING_COPY;
    plan_add(plan, c);
}

/* Narrow images of three channels, and a wide one; columns count elements. */
static const bench_shape *shapes_of_pixels(size_t *count)
{
    static const bench_shape gpu[] = {
        {29826161, 9, 0, 0}, {7255013, 36, 0, 0}, {16384, 16383, 0, 0}};
    static const bench_shape cpu[] = {{601, 9, 0, 0}};
    *count = on_gpu() ? sizeof gpu / sizeof *gpu : sizeof cpu / sizeof *cpu;
    return on_gpu() ? gpu : cpu;
}

/* Of separable masks a few: the narrowest, a padded one, odd ones, the round and the lowest. */
static const bench_shape *few_shapes(size_t *count)
{
    static const bench_shape gpu[] = {
        {268435456, 1, 0, 0}, {33554432, 7, 8, 0}, {7255013, 37, 0, 0}, {16381, 16411, 0, 0},
        {16384, 16384, 0, 0}, {7, 33554432, 0, 0}, {1, 268435456, 0, 0}};
    static const bench_shape cpu[] = {{601, 7, 8, 0}, {3, 1361, 0, 0}};
    *count = on_gpu() ? sizeof gpu / sizeof *gpu : sizeof cpu / sizeof *cpu;
    return on_gpu() ? gpu : cpu;
}

static const bench_shape *shapes_of(const kind *k, size_t *count)
{
    return k->is_separable   ? few_shapes(count)
           : k->channels > 1 ? shapes_of_pixels(count)
                             : matrix_shapes(count);
}

static void plan_convolution_shapes(const bench_options *options, bench_plan *plan)
{
    for (const kind *k = kinds; k < kinds + KINDS; k++) {
        size_t count;
        const bench_shape *shapes = shapes_of(k, &count);
        for (size_t s = 0; k->gpu == NULL && s < count && wants_type(options, k->type); s++)
            plan_shape(plan, k, &shapes[s]);
    }
}

/* ---- drawn cases ---- */

/* A side of 1…12, one in five of 1…31; of separable masks 1…33. */
static size_t draw_side(draws *d, bool is_separable)
{
    static const double one_in_wide = 5;
    const bool is_wide = draw_one_in(d, one_in_wide);
    return 1 + draw_below(d, is_separable ? 33 : is_wide ? 31 : 12);
}

/* Half of the masks are no squares, and two thirds of the images are clamped, as NPP wants them.
 * Columns of a shape are elements, as many as whole pixels have. */
static bench_case draw_case(draws *d, const char *name)
{
    const bool is_separable = name == drawn_separable_name;
    const size_t t = draw_below(d, DRAWN_TYPES);
    bench_case c = {.pattern = "convolution",
                    .name = name,
                    .variant = prim_convolution_variant_info(PRIM_CONVOLUTION_AUTO)->name,
                    .variant_value = PRIM_CONVOLUTION_AUTO,
                    .type = is_separable ? "f32" : drawn_types[t].name,
                    .element = is_separable ? CUDA_R_32F : drawn_types[t].type};
    const size_t bytes = is_separable ? 4 : drawn_types[t].element_bytes;
    const size_t width = draw_side(d, is_separable), height = draw_side(d, is_separable);
    const bool is_square = draw_one_in(d, 2), is_clamped = draw_one_in(d, 1.5);
    const size_t boundary = draw_below(d, 5);
    c.mask_width = width;
    c.mask_height = is_square ? width : height;
    c.channels = is_separable ? 1 : 1 + (int)draw_below(d, 4);
    c.boundary = is_clamped ? PRIM_BOUNDARY_CLAMP : (int)boundary;
    const size_t channels = (size_t)c.channels;
    bench_shape shape = draw_matrix(d, draw_bytes(d) / (double)(bytes * channels));
    shape.columns *= channels;
    shape.ld = shape.ld == 0 ? 0 : shape.ld * channels;
    set_shape(&c, &shape);
    snprintf(c.shape + strlen(c.shape), sizeof c.shape - strlen(c.shape), "*%zux%zu", width,
             c.mask_height);
    number_case(&c, d);
    const kind k = kind_of(&c);
    c.bytes = 2 * (double)(c.size * bytes);
    c.flops = 2 * (double)(c.size * weight_count(&k));
    c.ceiling = CEILING_ROOFLINE;
    return c;
}

static void plan_drawn(const bench_options *options, bench_plan *plan)
{
    static const char *const names[] = {drawn_name, drawn_separable_name};
    for (size_t i = 0; i < 2; i++)
        for (draws d = begin_draws(options, names[i]); next_case(&d);)
            plan_add(plan, draw_case(&d, names[i]));
}

static void copy_weights(const kind *k, char *d_weights)
{
    const size_t count = weight_count(k);
    if (k->divisor != 0) {
        must(cudaMemcpy(d_weights, integers_of(k), count, cudaMemcpyHostToDevice),
             "copying the weights");
        return;
    }
    const float *weights = weights_of(k);
    float flipped[MOST_WEIGHTS];
    for (size_t i = 0; i < count; i++)
        flipped[i] = weights[count - 1 - i];
    must(cudaMemcpy(d_weights, weights, count * sizeof(float), cudaMemcpyHostToDevice),
         "copying the weights");
    must(cudaMemcpy(d_weights + count * sizeof(float), flipped, count * sizeof(float),
                    cudaMemcpyHostToDevice),
         "copying the weights");
}

static void set_up_convolution(const bench_case *c, bench_operands *operands)
{
    const kind k = kind_of(c);
    const size_t elements = elements_of_shape(c), at = convolution_weights_at(c);
    operands->out_bytes = elements * k.element_bytes;
    must(cudaMalloc(&operands->d_in, at + 2 * weight_count(&k) * sizeof(float)),
         "memory for the image");
    must(cudaMalloc(&operands->d_out, operands->out_bytes), "memory for the output");
    must(fill_on_device(k.type, operands->d_in, elements, c->input, 13, 0), "filling the image");
    copy_weights(&k, (char *)operands->d_in + at);
}

static double pixel_at(cudaDataType_t type, const void *pixels, size_t i)
{
    return type == CUDA_R_8U    ? ((const uint8_t *)pixels)[i]
           : type == CUDA_R_16U ? ((const uint16_t *)pixels)[i]
                                : real_at(type, pixels, i);
}

/* Whole numbers are the same but for one, where sums of a peer are rounded otherwise. A sum of
 * floats is at most 1, and rounded twice for each weight, and of f16 once more. */
static bool same_pixels(const bench_case *c, const void *h_a, const void *h_b)
{
    const kind k = kind_of(c);
    const double apart = !is_real(k.type) ? 1
                                          : 4 * (double)weight_count(&k) * 0x1p-24 +
                                                (k.type == CUDA_R_16F ? 0x1p-10 : 0);
    const size_t columns = c->size / c->rows, ld = c->ld != 0 ? c->ld : columns;
    for (size_t y = 0; y < c->rows; y++)
        for (size_t x = 0; x < columns; x++) {
            const size_t i = c->offset + y * ld + x;
            if (!(fabs(pixel_at(k.type, h_a, i) - pixel_at(k.type, h_b, i)) <= apart))
                return false; /* NaN is near to nothing */
        }
    return true;
}

const bench_pattern bench_convolution = {
    .name = "convolution",
    .header = "convolution",
    .plan = plan_convolution,
    .plan_shapes = plan_convolution_shapes,
    .plan_draw = plan_drawn,
    .set_up = set_up_convolution,
    .run = run_convolution,
    .same = same_pixels,
};
