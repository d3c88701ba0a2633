/* convolution: masks of growing size over an image, bytes of three channels, and a vector. */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <primitives/convolution.h>

#include "bench.h"

typedef struct kind {
    const char *name, *type_name;
    cudaDataType_t type;
    size_t element_bytes, gpu_width, gpu_height, cpu_width, cpu_height;
    int channels;
    size_t mask_width, mask_height;
} kind;

static const kind kinds[] = {
    {"2d-3x3", "f32", CUDA_R_32F, 4, 8192, 8192, 96, 96, 1, 3, 3},
    {"2d-5x5", "f32", CUDA_R_32F, 4, 8192, 8192, 96, 96, 1, 5, 5},
    {"2d-15x15", "f32", CUDA_R_32F, 4, 8192, 8192, 48, 48, 1, 15, 15},
    {"2d-5x5x3", "u8", CUDA_R_8U, 1, 4096, 4096, 64, 64, 3, 5, 5},
    {"1d-5", "f32", CUDA_R_32F, 4, (size_t)1 << 26, 1, 1 << 14, 1, 1, 5, 1},
    {"1d-15", "f32", CUDA_R_32F, 4, (size_t)1 << 26, 1, 1 << 14, 1, 1, 15, 1},
};
enum { KINDS = sizeof kinds / sizeof *kinds, MOST_WEIGHTS = 15 * 15 };

static const kind *kind_of(const bench_case *c)
{
    size_t k = 0;
    while (k + 1 < KINDS && strcmp(kinds[k].name, c->name) != 0)
        k++;
    return &kinds[k];
}

/* Positive, and together 1, so that bytes stay bytes. */
static const float *weights_of(const kind *k)
{
    static float weights[MOST_WEIGHTS];
    const size_t count = k->mask_width * k->mask_height;
    float sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += (float)(1 + i * 5 % 7);
    for (size_t i = 0; i < count; i++)
        weights[i] = (float)(1 + i * 5 % 7) / sum;
    return weights;
}

static prim_image image_of(const kind *k, const bench_case *c, void *data)
{
    const size_t width = c->size / c->rows / (size_t)k->channels;
    return (prim_image){.data = data,
                        .width = width,
                        .height = c->rows,
                        .pitch = width * (size_t)k->channels * k->element_bytes,
                        .channels = k->channels,
                        .type = k->type};
}

/* The device's weights lie behind the image, at the next 256 bytes. */
static size_t weights_at(const kind *k, const bench_case *c)
{
    return (c->size * k->element_bytes + 255) / 256 * 256;
}

static prim_mask mask_of(const kind *k, const void *d_values)
{
    return (prim_mask){.h_values = weights_of(k),
                       .d_values = d_values,
                       .width = k->mask_width,
                       .height = k->mask_height,
                       .anchor_x = k->mask_width / 2,
                       .anchor_y = k->mask_height / 2,
                       .type = CUDA_R_32F};
}

static bool supports(const kind *k, const bench_case *c)
{
    const prim_image image = image_of(k, c, NULL);
    return prim_convolve_2d_supports((prim_convolution_variant)c->variant_value, 0,
                                     PRIM_BOUNDARY_CLAMP, image, mask_of(k, weights_of(k)), image);
}

static void plan_group(bench_plan *plan, const kind *k, size_t width, size_t height,
                       bench_input input)
{
    for (size_t v = 0; prim_convolution_variant_at(v) != NULL; v++) {
        const prim_convolution_variant variant = prim_convolution_variant_at(v)->value;
        const size_t size = width * height * (size_t)k->channels;
        bench_case c = {.pattern = "convolution",
                        .name = k->name,
                        .variant = prim_convolution_variant_info(variant)->name,
                        .type = k->type_name,
                        .input = input,
                        .size = size,
                        .rows = height,
                        .element = k->type,
                        .variant_value = variant,
                        .bytes = 2 * (double)(size * k->element_bytes),
                        .flops = 2 * (double)(size * k->mask_width * k->mask_height),
                        .ceiling = CEILING_COPY};
        if (height == 1)
            snprintf(c.shape, sizeof c.shape, "%zu", width);
        else
            snprintf(c.shape, sizeof c.shape, "%zux%zu", width, height);
        if (supports(k, &c))
            plan_add(plan, c);
    }
}

/* Sizes that were asked for are those of vectors. */
static void plan_convolution(const bench_options *options, bench_plan *plan)
{
    const size_t inputs = options->input_count > 0 ? options->input_count : 1;
    for (size_t n = 0; n < KINDS; n++)
        for (size_t i = 0; wants_type(options, kinds[n].type) && i < inputs; i++) {
            const kind *k = &kinds[n];
            const bench_input input = options->input_count > 0 ? options->inputs[i] : INPUT_UNIFORM;
            for (size_t s = 0; k->gpu_height == 1 && s < options->size_count; s++)
                plan_group(plan, k, options->sizes[s], 1, input);
            if (options->size_count == 0)
                plan_group(plan, k, on_gpu() ? k->gpu_width : k->cpu_width,
                           on_gpu() ? k->gpu_height : k->cpu_height, input);
        }
}

static void set_up_convolution(const bench_case *c, bench_operands *operands)
{
    const kind *k = kind_of(c);
    const size_t weight_bytes = k->mask_width * k->mask_height * sizeof(float);
    operands->out_bytes = c->size * k->element_bytes;
    operands->workspace_bytes = 0;
    operands->d_workspace = NULL;
    must(cudaMalloc(&operands->d_in, weights_at(k, c) + weight_bytes), "memory for the image");
    must(cudaMalloc(&operands->d_out, operands->out_bytes), "memory for the output");
    must(fill_on_device(k->type, operands->d_in, c->size, c->input, 13, 0), "filling the image");
    must(cudaMemcpy((char *)operands->d_in + weights_at(k, c), weights_of(k), weight_bytes,
                    cudaMemcpyHostToDevice),
         "copying the weights");
}

static prim_status run_convolution(const bench_case *c, const bench_operands *o,
                                   cudaStream_t stream)
{
    const kind *k = kind_of(c);
    return prim_convolve_2d((prim_convolution_variant)c->variant_value, 0, PRIM_BOUNDARY_CLAMP,
                            NULL, image_of(k, c, o->d_in),
                            mask_of(k, (const char *)o->d_in + weights_at(k, c)),
                            image_of(k, c, o->d_out), NULL, 0, stream);
}

/* Bytes are the same. An f32 sum is at most 1, and rounded twice for each weight. */
static bool same_pixels(const bench_case *c, const void *h_a, const void *h_b)
{
    const kind *k = kind_of(c);
    const double apart = 4 * (double)(k->mask_width * k->mask_height) * 0x1p-24;
    if (k->type != CUDA_R_32F)
        return memcmp(h_a, h_b, c->size * k->element_bytes) == 0;
    size_t i = 0;
    while (i < c->size && fabs((double)((const float *)h_a)[i] - ((const float *)h_b)[i]) <= apart)
        i++; /* NaN is near to nothing */
    return i == c->size;
}

const bench_pattern bench_convolution = {"convolution", "convolution",      plan_convolution,
                                         NULL,          set_up_convolution, run_convolution,
                                         same_pixels};
