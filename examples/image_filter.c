/* Blurs or sharpens a picture, or shows its edges.
 *
 *     image_filter blur IN.png OUT.png [WAY]
 *     image_filter sharpen IN.png OUT.png [WAY]
 *     image_filter edges IN.png OUT.png [WAY]
 *
 * WAY is a variant, basic, constant, …; auto if left out. Or it is separable: the mask as a row and
 * a column, which sharpen's is not.
 *
 * blur: a binomial mask of 5 × 5, which takes a pixel's surroundings with weights that fall off as
 * a bell does. sharpen: five times the pixel less the four beside it. Colour stays. edges: how
 * steep the brightness is, the length of what two Sobel masks find across and down. The border is
 * reflected, so that a plain picture stays one. Transparency is kept: colours are weighed by how
 * much is seen of them, edges are those of the picture on white.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <primitives/convolution.h>

#include "failure.h"
#include "picture.h"

static const char program[] = "image_filter";

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
    check_cuda(program, cudaMalloc(&image.data, image.pitch * image.height));
    return image;
}

static prim_image image_from(const picture *p, cudaDataType_t type, const void *h_elements)
{
    const prim_image image = new_image(p, type);
    check_cuda(program, cudaMemcpy(image.data, h_elements, image.pitch * image.height,
                                   cudaMemcpyHostToDevice));
    return image;
}

/* Takes the image's memory back, too. */
static void read_and_free(prim_image image, void *h_elements)
{
    check_cuda(program, cudaMemcpy(h_elements, image.data, image.pitch * image.height,
                                   cudaMemcpyDeviceToHost));
    check_cuda(program, cudaFree(image.data));
}

/* A square mask, and the row and the column whose product it is; NULL where it is none. */
typedef struct square_mask {
    size_t side;
    const float *h_values, *h_row, *h_column;
} square_mask;

enum { MOST_WEIGHTS = 25 };

/* Weights in host and, for the rungs that want them there, in device memory. */
static prim_mask mask_of(const float *h_values, void *d_values, size_t width, size_t height)
{
    if (d_values != NULL)
        check_cuda(program, cudaMemcpy(d_values, h_values, width * height * sizeof(float),
                                       cudaMemcpyHostToDevice));
    return prim_mask_of(CUDA_R_32F, h_values, d_values, width, height);
}

/* How a mask is applied. */
typedef struct way {
    bool is_separable;
    prim_convolution_variant variant;
} way;

static prim_image filter(way how, const picture *p, prim_image in, const square_mask *mask)
{
    const prim_boundary boundary = PRIM_BOUNDARY_REFLECT_101;
    const prim_image out = new_image(p, in.type);
    const size_t side = mask->side;
    void *d_values;
    check_cuda(program, cudaMalloc(&d_values, MOST_WEIGHTS * sizeof(float)));
    if (how.is_separable)
        check_prim(program,
                   prim_convolve_separable(PRIM_CONVOLUTION_AUTO, 0, boundary, NULL, in,
                                           mask_of(mask->h_row, NULL, side, 1),
                                           mask_of(mask->h_column, NULL, 1, side), out, NULL));
    else
        check_prim(program,
                   prim_convolve_2d(how.variant, 0, boundary, NULL, in,
                                    mask_of(mask->h_values, d_values, side, side), out, NULL));
    check_cuda(program, cudaDeviceSynchronize()); /* before the mask goes */
    check_cuda(program, cudaFree(d_values));
    return out;
}

/* The weights add up to 1, so that brightness stays. */
static void change_colours(way how, picture *p, const square_mask *mask)
{
    picture_weigh(p);
    const prim_image in = image_from(p, CUDA_R_8U, p->h_pixels);
    read_and_free(filter(how, p, in, mask), p->h_pixels);
    check_cuda(program, cudaFree(in.data));
    picture_unweigh(p);
}

static void blur(way how, picture *p)
{
    static const float row[] = {1 / 16.0f, 4 / 16.0f, 6 / 16.0f, 4 / 16.0f, 1 / 16.0f};
    float values[25];
    for (int i = 0; i < 25; i++)
        values[i] = row[i / 5] * row[i % 5];
    change_colours(how, p, &(square_mask){5, values, row, row});
}

static void sharpen(way how, picture *p)
{
    static const float values[] = {0, -1, 0, -1, 5, -1, 0, -1, 0};
    change_colours(how, p, &(square_mask){3, values, NULL, NULL});
}

/* Of a grey picture, what is transparent lying on white. */
static float brightness(const picture *p, size_t pixel)
{
    const uint8_t *at = p->h_pixels + pixel * (size_t)p->channels;
    return p->channels == 1 ? at[0] : 255 + (at[0] - 255.0f) * at[1] / 255;
}

/* In floats, since a slope may be negative. */
static void edges(way how, picture *p)
{
    static const float slope[] = {-1, 0, 1}, smooth[] = {1, 2, 1},
                       across[] = {-1, 0, 1, -2, 0, 2, -1, 0, 1},
                       down[] = {-1, -2, -1, 0, 0, 0, 1, 2, 1};
    const size_t count = p->width * p->height;
    float *h_across = allocate(program, NULL, count, sizeof *h_across);
    float *h_down = allocate(program, NULL, count, sizeof *h_down);
    for (size_t i = 0; i < count; i++)
        h_across[i] = brightness(p, i);
    const picture grey = {.width = p->width, .height = p->height, .channels = 1};
    const prim_image in = image_from(&grey, CUDA_R_32F, h_across);
    read_and_free(filter(how, &grey, in, &(square_mask){3, across, slope, smooth}), h_across);
    read_and_free(filter(how, &grey, in, &(square_mask){3, down, smooth, slope}), h_down);
    for (size_t i = 0; i < count; i++)
        p->h_pixels[i * (size_t)p->channels] =
            (uint8_t)lrintf(fminf(hypotf(h_across[i], h_down[i]), 255.0f));
    check_cuda(program, cudaFree(in.data));
    free(h_across);
    free(h_down);
}

static way find_way(const char *name)
{
    if (strcmp(name, "separable") == 0)
        return (way){.is_separable = true};
    for (size_t v = 0; prim_convolution_variant_at(v) != NULL; v++)
        if (strcmp(prim_convolution_variant_at(v)->name, name) == 0)
            return (way){.variant = prim_convolution_variant_at(v)->value};
    fprintf(stderr, "image_filter: there is no variant %s; there are:", name);
    for (size_t v = 0; prim_convolution_variant_at(v) != NULL; v++)
        fprintf(stderr, " %s", prim_convolution_variant_at(v)->name);
    fprintf(stderr, " separable\n");
    exit(2);
}

typedef struct filter_row {
    const char *name;
    void (*run)(way how, picture *p);
    int least_channels;
    bool has_separable_mask;
} filter_row;

static const filter_row filters[] = {
    {"blur", blur, 3, true}, {"sharpen", sharpen, 3, false}, {"edges", edges, 1, true}};
enum { FILTERS = sizeof filters / sizeof *filters };

static const filter_row *find_filter(const char *name)
{
    for (size_t f = 0; f < FILTERS; f++)
        if (strcmp(filters[f].name, name) == 0)
            return &filters[f];
    fprintf(stderr, "image_filter: there is no filter %s; there are:", name);
    for (size_t f = 0; f < FILTERS; f++)
        fprintf(stderr, " %s", filters[f].name);
    fprintf(stderr, "\n");
    exit(2);
}

int main(int argc, char **argv)
{
    if (argc < 4 || argc > 5) {
        fprintf(stderr, "usage: image_filter blur|sharpen|edges IN.png OUT.png "
                        "[VARIANT|separable]\n");
        return 2;
    }
    const filter_row *wanted = find_filter(argv[1]);
    const way how = find_way(argc == 5 ? argv[4] : "auto");
    if (how.is_separable && !wanted->has_separable_mask) {
        fprintf(stderr, "%s: that filter's mask is not the product of a column and a row\n",
                program);
        return 2;
    }
    picture p = picture_read(program, argv[2], wanted->least_channels);
    wanted->run(how, &p);
    picture_write(program, argv[3], &p);
    picture_free(&p);
    return 0;
}
