/* Blurs a picture, or shows its edges.
 *
 *     image_filter blur IN.png OUT.png [VARIANT]      VARIANT is basic, constant, …; auto if left
 *     image_filter edges IN.png OUT.png [VARIANT]     out
 *
 * blur: a binomial mask of 5 × 5, which takes a pixel's surroundings with weights that fall off as
 * a bell does. Colour stays. edges: how steep the brightness is, the length of what two Sobel masks
 * find across and down. The border is reflected, so that a plain picture stays one. Transparency is
 * kept: a blur weighs colours by how much is seen of them, edges are those of the picture on white.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <primitives/convolution.h>

#include "picture.h"

static void check_cuda(cudaError_t error)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "image_filter: %s\n", cudaGetErrorString(error));
    exit(1);
}

static void check(prim_status status)
{
    if (status == PRIM_OK)
        return;
    fprintf(stderr, "image_filter: %s\n", prim_last_error(NULL));
    exit(1);
}

static void *allocate(size_t bytes)
{
    void *data = malloc(bytes);
    if (data != NULL)
        return data;
    fprintf(stderr, "image_filter: out of memory\n");
    exit(1);
}

static size_t element_bytes(cudaDataType_t type)
{
    return type == CUDA_R_32F ? sizeof(float) : 1;
}

/* An image on the device without gaps between rows, of the picture's size. */
static prim_image new_image(const picture *p, cudaDataType_t type)
{
    prim_image image = {.width = p->width,
                        .height = p->height,
                        .pitch = p->width * (size_t)p->channels * element_bytes(type),
                        .channels = p->channels,
                        .type = type};
    check_cuda(cudaMalloc(&image.data, image.pitch * image.height));
    return image;
}

static prim_image image_from(const picture *p, cudaDataType_t type, const void *h_elements)
{
    const prim_image image = new_image(p, type);
    check_cuda(
        cudaMemcpy(image.data, h_elements, image.pitch * image.height, cudaMemcpyHostToDevice));
    return image;
}

/* Takes the image's memory back, too. */
static void read_and_free(prim_image image, void *h_elements)
{
    check_cuda(
        cudaMemcpy(h_elements, image.data, image.pitch * image.height, cudaMemcpyDeviceToHost));
    check_cuda(cudaFree(image.data));
}

/* `in` under a mask of side × side that lies in host and, for the rungs that want it there, in
 * device memory. */
static prim_image filter(prim_convolution_variant variant, const picture *p, prim_image in,
                         const float *h_values, size_t side)
{
    void *d_values;
    const size_t bytes = side * side * sizeof(float);
    check_cuda(cudaMalloc(&d_values, bytes));
    check_cuda(cudaMemcpy(d_values, h_values, bytes, cudaMemcpyHostToDevice));
    const prim_mask mask = {.h_values = h_values,
                            .d_values = d_values,
                            .width = side,
                            .height = side,
                            .anchor_x = side / 2,
                            .anchor_y = side / 2,
                            .type = CUDA_R_32F};
    const prim_image out = new_image(p, in.type);
    check(prim_convolve_2d(variant, 0, PRIM_BOUNDARY_REFLECT_101, NULL, in, mask, out, NULL, 0, 0));
    check_cuda(cudaDeviceSynchronize()); /* before the mask goes */
    check_cuda(cudaFree(d_values));
    return out;
}

/* The weights add up to 1, so that brightness stays. */
static void blur(prim_convolution_variant variant, picture *p)
{
    static const float row[] = {1 / 16.0f, 4 / 16.0f, 6 / 16.0f, 4 / 16.0f, 1 / 16.0f};
    float mask[25];
    for (int i = 0; i < 25; i++)
        mask[i] = row[i / 5] * row[i % 5];
    picture_weigh(p);
    const prim_image in = image_from(p, CUDA_R_8U, p->h_pixels);
    read_and_free(filter(variant, p, in, mask, 5), p->h_pixels);
    check_cuda(cudaFree(in.data));
    picture_unweigh(p);
}

/* Of a grey picture, what is transparent lying on white. */
static float brightness(const picture *p, size_t pixel)
{
    const uint8_t *at = p->h_pixels + pixel * (size_t)p->channels;
    return p->channels == 1 ? at[0] : 255 + (at[0] - 255.0f) * at[1] / 255;
}

/* In floats, since a slope may be negative. */
static void edges(prim_convolution_variant variant, picture *p)
{
    static const float across[] = {-1, 0, 1, -2, 0, 2, -1, 0, 1},
                       down[] = {-1, -2, -1, 0, 0, 0, 1, 2, 1};
    const size_t count = p->width * p->height;
    float *h_across = allocate(count * sizeof(float)), *h_down = allocate(count * sizeof(float));
    for (size_t i = 0; i < count; i++)
        h_across[i] = brightness(p, i);
    const picture grey = {.width = p->width, .height = p->height, .channels = 1};
    const prim_image in = image_from(&grey, CUDA_R_32F, h_across);
    read_and_free(filter(variant, &grey, in, across, 3), h_across);
    read_and_free(filter(variant, &grey, in, down, 3), h_down);
    for (size_t i = 0; i < count; i++)
        p->h_pixels[i * (size_t)p->channels] =
            (uint8_t)lrintf(fminf(hypotf(h_across[i], h_down[i]), 255.0f));
    check_cuda(cudaFree(in.data));
    free(h_across);
    free(h_down);
}

static prim_convolution_variant find_variant(const char *name)
{
    for (size_t v = 0; prim_convolution_variant_at(v) != NULL; v++)
        if (strcmp(prim_convolution_variant_at(v)->name, name) == 0)
            return prim_convolution_variant_at(v)->value;
    fprintf(stderr, "image_filter: there is no variant %s; there are:", name);
    for (size_t v = 0; prim_convolution_variant_at(v) != NULL; v++)
        fprintf(stderr, " %s", prim_convolution_variant_at(v)->name);
    fprintf(stderr, "\n");
    exit(2);
}

static int fail(const char *sentence)
{
    fprintf(stderr, "image_filter: %s\n", sentence);
    return 1;
}

int main(int argc, char **argv)
{
    if (argc < 4 || argc > 5) {
        fprintf(stderr, "usage: image_filter blur|edges IN.png OUT.png [VARIANT]\n");
        return 2;
    }
    const bool is_blur = strcmp(argv[1], "blur") == 0;
    if (!is_blur && strcmp(argv[1], "edges") != 0) {
        fprintf(stderr, "image_filter: there is no filter %s; there are: blur edges\n", argv[1]);
        return 2;
    }
    const prim_convolution_variant variant = find_variant(argc == 5 ? argv[4] : "auto");
    char sentence[PICTURE_SENTENCE];
    picture p;
    if (!picture_read(argv[2], is_blur ? 3 : 1, &p, sentence))
        return fail(sentence);
    if (is_blur)
        blur(variant, &p);
    else
        edges(variant, &p);
    const bool written = picture_write(argv[3], &p, sentence);
    picture_free(&p);
    return written ? 0 : fail(sentence);
}
