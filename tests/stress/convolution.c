#include <string.h>

#include <primitives/convolution.h>

#include "../calls.h"
#include "oracles.h"
#include "stress.h"

/* Images, a mask or a column's and a row's, and what lies outside. */
typedef struct stencil {
    unsigned flags;
    prim_boundary boundary;
    prim_image in, out;
    cudaDataType_t mask_type;
    _Alignas(8) char fill[4 * 8];
    bool has_fill;
} stencil;

static stencil pick_stencil(trial *t)
{
    static const struct {
        cudaDataType_t in, out, mask;
    } types[] = {{CUDA_R_32F, CUDA_R_32F, CUDA_R_32F}, {CUDA_R_8U, CUDA_R_8U, CUDA_R_8I},
                 {CUDA_R_8U, CUDA_R_8U, CUDA_R_32F},   {CUDA_R_32I, CUDA_R_32I, CUDA_R_32I},
                 {CUDA_R_8U, CUDA_R_8U, CUDA_R_16I},   {CUDA_R_32U, CUDA_R_32U, CUDA_R_32U},
                 {CUDA_R_64F, CUDA_R_64F, CUDA_R_64F}, {CUDA_R_16U, CUDA_R_16U, CUDA_R_32F},
                 {CUDA_R_16F, CUDA_R_16F, CUDA_R_32F}, {CUDA_R_8U, CUDA_R_32F, CUDA_R_32F}};
    PICK_VARIANT(t, convolution);
    stencil s = {.flags = (unsigned)pick(t, 2), .boundary = (prim_boundary)pick(t, 5)};
    const size_t kind = pick(t, COUNT_OF(types));
    const bool is_narrow = pick(t, 3) == 0;
    s.mask_type = types[kind].mask;
    s.in = (prim_image){.width = pick_size(t, is_narrow ? 12 : 100),
                        .channels = 1 + (int)pick(t, 4),
                        .type = types[kind].in};
    s.in.height = pick_size(t, s.in.width < 12 ? 1000 : 60);
    s.out = s.in;
    s.out.type = types[kind].out;
    const size_t row = s.in.width * (size_t)s.in.channels;
    s.in.pitch = (row + pick(t, 6)) * bytes_of(s.in.type);
    s.out.pitch = (row + pick(t, 6)) * bytes_of(s.out.type);
    s.has_fill = pick(t, 3) == 0;
    pick_values(t, is_float(s.in.type) || is_float(s.mask_type) ? WHOLE_NUMBERS : ANYTHING);
    return s;
}

static prim_mask pick_mask(trial *t, const stencil *s, size_t most_width, size_t most_height)
{
    prim_mask mask = {
        .width = 1 + pick(t, most_width), .height = 1 + pick(t, most_height), .type = s->mask_type};
    if (mask.type == CUDA_R_8I || mask.type == CUDA_R_16I)
        mask.divisor = (int32_t)pick(t, 40) - 8;
    mask.anchor_x = pick(t, mask.width);
    mask.anchor_y = pick(t, mask.height);
    return mask;
}

/* On the host, and on the device too or not. */
static operand *add_weights(trial *t, prim_mask *mask)
{
    operand *weights = add_input(t, mask->type, mask->width * mask->height, false);
    weights->is_aside = true; /* which of the two is read, the variant says */
    mask->h_values = weights->h;
    mask->d_values = pick(t, 2) == 0 ? weights->d : NULL;
    return weights;
}

static operand *add_image(trial *t, prim_image image, bool is_output)
{
    const size_t row = image.width * (size_t)image.channels,
                 count = span(image.height, row, image.pitch / bytes_of(image.type));
    return is_output ? add_output(t, image.type, count) : add_input(t, image.type, count, false);
}

static const void *add_fill(trial *t, stencil *s)
{
    if (!s->has_fill)
        return NULL;
    operand *fill = add_input(t, s->in.type, (size_t)s->in.channels, false);
    fill->is_aside = true;
    return memcpy(s->fill, fill->h, fill->bytes);
}

static void describe_stencil(trial *t, const char *name, const stencil *s, const prim_mask *mask)
{
    describe(t,
             "%s: variant %d, flags %u, boundary %d, types %d %d, %zu × %zu × %d, pitches %zu %zu, "
             "mask of %zu × %zu, type %d, divisor %d",
             name, t->variant, s->flags, s->boundary, s->in.type, s->out.type, s->in.width,
             s->in.height, s->in.channels, s->in.pitch, s->out.pitch, mask->width, mask->height,
             mask->type, mask->divisor);
}

/* true: it lies outside where zeros are, or at *at. */
static bool is_outside(prim_boundary boundary, int64_t length, int64_t i, int64_t *at)
{
    const int64_t twice = 2 * (length - 1);
    switch (boundary) {
    case PRIM_BOUNDARY_CLAMP:
        *at = i < 0 ? 0 : i < length ? i : length - 1;
        return false;
    case PRIM_BOUNDARY_REFLECT:
        *at = (i % (2 * length) + 2 * length) % (2 * length);
        *at = *at < length ? *at : 2 * length - 1 - *at;
        return false;
    case PRIM_BOUNDARY_REFLECT_101:
        *at = twice == 0 ? 0 : (i % twice + twice) % twice;
        *at = *at < length ? *at : twice - *at;
        return false;
    case PRIM_BOUNDARY_WRAP:
        *at = (i % length + length) % length;
        return false;
    default:
        *at = i;
        return i < 0 || i >= length;
    }
}

static double pixel(const stencil *s, const operand *x, int64_t column, int64_t row,
                    int64_t channel)
{
    int64_t at, line;
    const bool beside = is_outside(s->boundary, (int64_t)s->in.width, column, &at),
               above = is_outside(s->boundary, (int64_t)s->in.height, row, &line);
    if (beside || above)
        return s->has_fill ? number_at(s->in.type, s->fill, (size_t)channel) : 0;
    return before(x, (size_t)line * (s->in.pitch / bytes_of(s->in.type)) +
                         (size_t)(at * s->in.channels + channel));
}

/* Where nothing is rounded, divided or cut off: one of the outputs, by a plain loop. */
static void expect_pixel(trial *t, const stencil *s, const prim_mask *mask, const operand *weights,
                         const operand *x, const operand *y)
{
    const cudaDataType_t out = s->out.type;
    const size_t column = pick(t, s->in.width + 1), row = pick(t, s->in.height + 1),
                 channel = pick(t, (size_t)s->in.channels);
    const int64_t turned = s->flags & PRIM_CONVOLUTION_FLIP ? -1 : 1;
    double sum = 0;
    if (column == s->in.width || row == s->in.height || is_half(out) || bytes_of(out) < 4)
        return;
    for (size_t j = 0; j < mask->height; j++)
        for (size_t i = 0; i < mask->width; i++)
            sum += before(weights, j * mask->width + i) *
                   pixel(s, x, (int64_t)column + turned * ((int64_t)i - (int64_t)mask->anchor_x),
                         (int64_t)row + turned * ((int64_t)j - (int64_t)mask->anchor_y),
                         (int64_t)channel);
    expect(t, y, row * (s->out.pitch / bytes_of(out)) + column * (size_t)s->in.channels + channel,
           sum);
}

static void convolve_2d(trial *t)
{
    stencil s = pick_stencil(t);
    prim_mask mask = pick_mask(t, &s, 17, 17);
    operand *weights = add_weights(t, &mask), *x = add_image(t, s.in, false),
            *y = add_image(t, s.out, true);
    const void *const h_fill = add_fill(t, &s);
    size_t bytes = 0;
    const prim_status asked = asked_bytes(
        prim_convolve_2d(t->variant, s.flags, s.boundary, NULL, s.in, mask, s.out, asking()),
        &bytes);
    begin(t, asked, bytes, true);
    describe_stencil(t, "convolve_2d", &s, &mask);
    s.in.data = x->d;
    s.out.data = y->d;
    if (!end(t, prim_convolve_2d(t->variant, s.flags, s.boundary, h_fill, s.in, mask, s.out,
                                 with(t->stream, t->workspace, t->workspace_bytes))))
        return;
    s.in.data = x->h;
    s.out.data = y->h;
    on_host(t, prim_convolve_2d_host(s.flags, s.boundary, h_fill, s.in, mask, s.out, t->threads));
    expect_pixel(t, &s, &mask, weights, x, y);
}

static void convolve_separable(trial *t)
{
    stencil s = pick_stencil(t);
    prim_mask mask_x = pick_mask(t, &s, 17, 1), mask_y = pick_mask(t, &s, 1, 17);
    if (pick(t, 2) == 0)
        mask_y.height = mask_x.width, mask_y.anchor_y = mask_x.anchor_x;
    operand *row = add_weights(t, &mask_x), *column = add_weights(t, &mask_y),
            *x = add_image(t, s.in, false), *y = add_image(t, s.out, true);
    const void *const h_fill = add_fill(t, &s);
    size_t bytes = 0;
    const prim_status asked =
        asked_bytes(prim_convolve_separable(t->variant, s.flags, s.boundary, NULL, s.in, mask_x,
                                            mask_y, s.out, asking()),
                    &bytes);
    (void)row, (void)column;
    begin(t, asked, bytes, true);
    describe_stencil(t, "convolve_separable", &s, &mask_x);
    s.in.data = x->d;
    s.out.data = y->d;
    if (!end(t,
             prim_convolve_separable(t->variant, s.flags, s.boundary, h_fill, s.in, mask_x, mask_y,
                                     s.out, with(t->stream, t->workspace, t->workspace_bytes))))
        return;
    s.in.data = x->h;
    s.out.data = y->h;
    on_host(t, prim_convolve_separable_host(s.flags, s.boundary, h_fill, s.in, mask_x, mask_y,
                                            s.out, t->threads));
}

static void convolve_1d(trial *t)
{
    stencil s = pick_stencil(t);
    s.in.width = pick_size(t, 5000);
    s.in.height = s.in.width > 0;
    s.in.channels = 1;
    s.out.type = s.in.type;
    prim_mask mask = pick_mask(t, &s, 40, 1);
    operand *weights = add_weights(t, &mask), *x = add_input(t, s.in.type, s.in.width, false),
            *y = add_output(t, s.in.type, s.in.width);
    s.in.pitch = s.out.pitch = x->bytes;
    const void *const h_fill = add_fill(t, &s);
    size_t bytes = 0;
    const prim_status asked =
        asked_bytes(prim_convolve_1d(t->variant, s.flags, s.boundary, NULL, s.in.type, NULL,
                                     s.in.width, mask, NULL, asking()),
                    &bytes);
    begin(t, asked, bytes, true);
    describe_stencil(t, "convolve_1d", &s, &mask);
    if (!end(t,
             prim_convolve_1d(t->variant, s.flags, s.boundary, h_fill, s.in.type, x->d, s.in.width,
                              mask, y->d, with(t->stream, t->workspace, t->workspace_bytes))))
        return;
    on_host(t, prim_convolve_1d_host(s.flags, s.boundary, h_fill, s.in.type, x->h, s.in.width, mask,
                                     y->h, t->threads));
    expect_pixel(t, &s, &mask, weights, x, y);
}

const stress_call convolution_calls[] = {
    {"convolve_2d", convolve_2d},
    {"convolve_separable", convolve_separable},
    {"convolve_1d", convolve_1d},
    {NULL, NULL},
};
