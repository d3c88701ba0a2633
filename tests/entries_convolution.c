/* convolution among the entry points. The mask lies in d_in too, after the image, so that the
 * rungs that read it there find it; h_values holds the same, and is overwritten after the call. */
#include <stdint.h>
#include <string.h>

#include <primitives/convolution.h>

#include "entry_points.h"
#include "weights.h"

/* Without elements there is no d_in, and nothing is read of a mask; nor where the call is asked. */
static const void *mask_in(const operands *o, size_t image_bytes)
{
    return o->d_in != NULL    ? part_of(o->d_in, image_bytes)
           : o->d_out != NULL ? o->d_out
                              : weights_to_ask_with();
}

/* ---- convolve_1d: whole numbers as floats, turned, with a fill ---- */

enum { COUNT = 4001, TAPS = 5, TAPS_ANCHOR = 1, TAPS_FILL = 9 };
static const float taps[TAPS] = {3, -4, 5, 1, -2};

static void vector_input(void *h_in, unsigned seed)
{
    for (unsigned i = 0; i < COUNT; i++)
        ((float *)h_in)[i] = (float)((i * 2654435761u + seed * 97u) >> 20) - 2000;
    memcpy((float *)h_in + COUNT, taps, sizeof taps);
}

static void vector_answer(const void *h_in, size_t count, void *h_out)
{
    for (size_t x = 0; x < count; x++) {
        float sum = 0;
        for (size_t i = 0; i < TAPS; i++) {
            const size_t from = x + TAPS_ANCHOR - i; /* beyond count also where negative */
            sum += taps[i] * (from < count ? ((const float *)h_in)[from] : TAPS_FILL);
        }
        ((float *)h_out)[x] = sum;
    }
}

static prim_mask vector_mask(const void *h_values, const void *d_values)
{
    return (prim_mask){h_values, d_values, TAPS, 1, TAPS_ANCHOR, 0, CUDA_R_32F, 0};
}

/* The arguments of a call but the workspace. */
typedef struct vector_arguments {
    unsigned flags;
    prim_boundary boundary;
    const void *h_fill;
    cudaDataType_t type;
    char *d_in, *d_out;
    size_t count;
    prim_mask mask;
} vector_arguments;

static const int32_t two_words[2]; /* some of their bytes are no aligned element */

static void spoil_mask(const operands *o, prim_mask *mask)
{
    FAULT("unknown type", PRIM_ERROR_TYPE, "mask", mask->type = 9999);
    FAULT("no weights", PRIM_ERROR_VALUE, "mask", mask->width = 0);
    FAULT("too wide", PRIM_ERROR_VALUE, "mask", mask->width = 256);
    FAULT("no rows", PRIM_ERROR_VALUE, "mask", mask->height = 0);
    FAULT("behind the mask", PRIM_ERROR_VALUE, "anchor", mask->anchor_x = mask->width);
    FAULT("below the mask", PRIM_ERROR_VALUE, "anchor", mask->anchor_y = mask->height);
    FAULT("NULL, and d_values", PRIM_ERROR_NULL, "h_values",
          mask->h_values = mask->d_values = NULL);
    FAULT("NULL, and h_values", PRIM_ERROR_NULL, "d_values",
          mask->h_values = mask->d_values = NULL);
    FAULT("misaligned", PRIM_ERROR_MISALIGNED, "h_values",
          mask->h_values = (const char *)two_words + 1);
    FAULT("misaligned", PRIM_ERROR_MISALIGNED, "d_values",
          mask->d_values = (const char *)mask->d_values + 2);
}

static void spoil_vector(const operands *o, vector_arguments *a, call_head *c)
{
    spoil(o, "d_in", &a->d_in);
    spoil(o, "d_out", &a->d_out);
    FAULT("unknown", PRIM_ERROR_ENUM, "boundary", a->boundary = 5);
    FAULT("negative", PRIM_ERROR_ENUM, "boundary", a->boundary = -1);
    FAULT("unknown", PRIM_ERROR_VALUE, "flags", a->flags = 2);
    FAULT("of the vectors", PRIM_ERROR_TYPE, "unknown type", a->type = 9999);
    FAULT("of f64", PRIM_ERROR_TYPE, "f64", a->type = CUDA_R_64F);
    FAULT("under a mask of f32", PRIM_ERROR_TYPE, "i32", a->type = CUDA_R_32I);
    FAULT("u8", PRIM_ERROR_TYPE, "mask", a->mask.type = CUDA_R_8U);
    FAULT("two rows", PRIM_ERROR_VALUE, "height", a->mask.height = 2);
    FAULT("misaligned", PRIM_ERROR_MISALIGNED, "h_fill", a->h_fill = (const char *)two_words + 2);
    FAULT("bytes beyond size_t", PRIM_ERROR_SIZE, "d_in", a->count = SIZE_MAX / 4 + 1);
    FAULT("end beyond memory", PRIM_ERROR_SIZE, "d_in", a->count = SIZE_MAX / 4);
    FAULT("in place", PRIM_ERROR_OVERLAP, "d_out", a->d_out = a->d_in);
    FAULT("one behind d_in", PRIM_ERROR_OVERLAP, "d_out", (a->d_out = a->d_in + 4, a->count--));
    FAULT("d_in one behind it", PRIM_ERROR_OVERLAP, "d_out", (a->d_in = a->d_out + 4, a->count--));
    FAULT("d_out in it", PRIM_ERROR_OVERLAP, "d_values",
          (a->d_out = a->d_in + 4 * COUNT + 4, a->count = 2));
    FAULT("in the mask", PRIM_ERROR_OVERLAP, "d_workspace",
          (a->mask.d_values = a->d_out, a->d_out += 1024, a->count = 9, c->workspace = o->d_out,
           c->bytes = 256));
}

static prim_status vector_call(const operands *o)
{
    volatile float values[TAPS], fill = TAPS_FILL; /* volatile: what is written below, too */
    for (size_t i = 0; i < TAPS; i++)
        values[i] = taps[i];
    call_head c = spoilt_head(o);
    vector_arguments a = {.flags = PRIM_CONVOLUTION_FLIP,
                          .boundary = PRIM_BOUNDARY_CONSTANT,
                          .h_fill = (const void *)&fill,
                          .type = CUDA_R_32F,
                          .d_in = o->d_in,
                          .d_out = o->d_out,
                          .count = o->count,
                          .mask =
                              vector_mask((const void *)values, mask_in(o, COUNT * sizeof(float)))};
    spoil_vector(o, &a, &c);
    spoil_mask(o, &a.mask);
    const prim_status status =
        prim_convolve_1d((prim_convolution_variant)c.variant, a.flags, a.boundary, a.h_fill, a.type,
                         a.d_in, a.count, a.mask, a.d_out, call_of(o, &c));
    for (size_t i = 0; i < TAPS; i++)
        values[i] = 77;
    fill = 77;
    return status;
}

/* ---- convolve_2d: three channels, gaps in the input, wrapped around ---- */

enum {
    WIDTH = 37,
    HEIGHT = 23,
    CHANNELS = 3,
    ROW = WIDTH * CHANNELS,
    LD = ROW + 4,
    IN_SPAN = (HEIGHT - 1) * LD + ROW,
    SIDE_X = 3,
    SIDE_Y = 4,
    ANCHOR_X = 2,
    ANCHOR_Y = 1
};
static const int32_t weights[SIDE_Y][SIDE_X] = {
    {1, -2, 3}, {40000, 5, -60000}, {7, 8, -9}, {0, 11, 1 << 30}};

static void image_input(void *h_in, unsigned seed)
{
    for (unsigned i = 0; i < IN_SPAN; i++)
        ((int32_t *)h_in)[i] = (int32_t)((i * 2654435761u + seed * 97u) >> 7);
    memcpy((int32_t *)h_in + IN_SPAN, weights, sizeof weights);
}

static void image_answer(const void *h_in, size_t width, void *h_out)
{
    for (size_t y = 0; y < HEIGHT; y++)
        for (size_t e = 0; e < width * CHANNELS; e++) {
            uint32_t sum = 0;
            for (size_t j = 0; j < SIDE_Y; j++)
                for (size_t i = 0; i < SIDE_X; i++) {
                    const size_t from_x = (e / CHANNELS + i + width - ANCHOR_X) % width;
                    const size_t from_y = (y + j + HEIGHT - ANCHOR_Y) % HEIGHT;
                    const size_t from = from_y * LD + from_x * CHANNELS + e % CHANNELS;
                    sum += (uint32_t)weights[j][i] * ((const uint32_t *)h_in)[from];
                }
            ((uint32_t *)h_out)[y * ROW + e] = sum;
        }
}

/* The arguments of a call but the workspace. */
typedef struct image_arguments {
    unsigned flags;
    prim_boundary boundary;
    prim_image in, out;
    prim_mask mask;
} image_arguments;

static image_arguments valid_images(const operands *o)
{
    const size_t span = IN_SPAN * sizeof(int32_t);
    return (image_arguments){
        .boundary = PRIM_BOUNDARY_WRAP,
        .in = {o->d_in, o->count, HEIGHT, LD * sizeof(int32_t), CHANNELS, CUDA_R_32I},
        .out = {o->d_out, o->count, HEIGHT, ROW * sizeof(int32_t), CHANNELS, CUDA_R_32I},
        .mask = {weights, mask_in(o, span), SIDE_X, SIDE_Y, ANCHOR_X, ANCHOR_Y, CUDA_R_32I, 0}};
}

static void spoil_images(const operands *o, image_arguments *a)
{
    FAULT("unknown", PRIM_ERROR_ENUM, "boundary", a->boundary = 5);
    FAULT("unknown", PRIM_ERROR_VALUE, "flags", a->flags = 0x80000001u);
    FAULT("unknown", PRIM_ERROR_TYPE, "type", a->in.type = a->out.type = 9999);
    FAULT("i32 into f32", PRIM_ERROR_TYPE, "f32", a->out.type = CUDA_R_32F);
    FAULT("f32 over i32", PRIM_ERROR_TYPE, "mask", a->mask.type = CUDA_R_32F);
    FAULT("too high", PRIM_ERROR_VALUE, "mask", a->mask.height = 256);
    FAULT("of i32", PRIM_ERROR_VALUE, "divisor", a->mask.divisor = 2);
    FAULT("i32 under i8", PRIM_ERROR_TYPE, "i8", a->mask.type = CUDA_R_8I);
    FAULT("none", PRIM_ERROR_VALUE, "channels", a->in.channels = a->out.channels = 0);
    FAULT("five", PRIM_ERROR_VALUE, "channels",
          (a->in.width = a->out.width = 9, a->in.channels = a->out.channels = 5));
    FAULT("negative", PRIM_ERROR_VALUE, "channels", a->in.channels = a->out.channels = -1);
    FAULT("less than a row", PRIM_ERROR_VALUE, "in's pitch", a->in.pitch = ROW * 4 - 4);
    FAULT("less than a row", PRIM_ERROR_VALUE, "out's pitch", a->out.pitch = ROW * 4 - 4);
    FAULT("half elements", PRIM_ERROR_VALUE, "in's pitch", a->in.pitch = LD * 4 - 2);
    FAULT("other width", PRIM_ERROR_VALUE, "out", a->out.width--);
    FAULT("other height", PRIM_ERROR_VALUE, "out", a->out.height--);
    FAULT("other channels", PRIM_ERROR_VALUE, "out", a->out.channels = 1);
    FAULT("rows beyond size_t", PRIM_ERROR_SIZE, "in",
          a->in.height = a->out.height = SIZE_MAX / ROW);
    FAULT("a row beyond size_t", PRIM_ERROR_SIZE, "in", a->in.width = a->out.width = SIZE_MAX / 8);
    FAULT("rows whose bytes wrap", PRIM_ERROR_SIZE, "in",
          (a->in.height = a->out.height = ((size_t)1 << 60) + 1, a->in.pitch = a->out.pitch = 512));
    FAULT("pitch beyond size_t", PRIM_ERROR_SIZE, "in", a->in.pitch = SIZE_MAX / 8 * 4);
}

static void spoil_pixels(const operands *o, image_arguments *a)
{
    char *d_in = a->in.data, *d_out = a->out.data;
    spoil(o, "d_in", &d_in);
    spoil(o, "d_out", &d_out);
    FAULT("in place", PRIM_ERROR_OVERLAP, "d_out", (d_out = d_in, a->out.pitch = a->in.pitch));
    FAULT(
        "in a gap of in", PRIM_ERROR_OVERLAP, "d_out",
        (a->in.width = a->out.width = 1, d_out = d_in + 4 * CHANNELS, a->out.pitch = a->in.pitch));
    FAULT("out in it", PRIM_ERROR_OVERLAP, "d_values",
          (a->in.height = a->out.height = 1, d_out = d_in + IN_SPAN * 4 - ROW * 4 + 4));
    a->in.data = d_in;
    a->out.data = d_out;
}

static prim_status image_call(const operands *o)
{
    const call_head c = spoilt_head(o);
    image_arguments a = valid_images(o);
    spoil_images(o, &a);
    spoil_pixels(o, &a);
    spoil_mask(o, &a.mask);
    return prim_convolve_2d((prim_convolution_variant)c.variant, a.flags, a.boundary, NULL, a.in,
                            a.mask, a.out, call_of(o, &c));
}

const entry_point convolve_1d_entry = {.name = "prim_convolve_1d",
                                       .variant_at = prim_convolution_variant_at,
                                       .in_bytes = COUNT * sizeof(float) + sizeof taps,
                                       .out_bytes = COUNT * sizeof(float),
                                       .count = COUNT,
                                       .make_input = vector_input,
                                       .right_answer = vector_answer,
                                       .call = vector_call};

const entry_point convolve_2d_entry = {.name = "prim_convolve_2d",
                                       .variant_at = prim_convolution_variant_at,
                                       .in_bytes = IN_SPAN * sizeof(int32_t) + sizeof weights,
                                       .out_bytes = HEIGHT * ROW * sizeof(int32_t),
                                       .count = WIDTH,
                                       .make_input = image_input,
                                       .right_answer = image_answer,
                                       .call = image_call};

/* ---- convolve_separable: bytes of two channels, clamped, under a row and a column of floats ----
 */

enum {
    PIXELS = 43,
    LINES = 19,
    PLANES = 2,
    PIXEL_ROW = PIXELS * PLANES,
    PIXEL_SPAN = (LINES * PIXEL_ROW + 255) / 256 * 256,
    ROW_TAPS = 4,
    COLUMN_TAPS = 3
};
static const float parts[ROW_TAPS + COLUMN_TAPS] = {0.25f, 0.5f, -0.25f, 0.125f, 0.5f, 1, -0.5f};

static void bytes_input(void *h_in, unsigned seed)
{
    for (unsigned i = 0; i < PIXEL_SPAN; i++)
        ((uint8_t *)h_in)[i] = (uint8_t)((i * 2654435761u + seed * 97u) >> 13);
    memcpy((char *)h_in + PIXEL_SPAN, parts, sizeof parts);
}

static size_t clamped(size_t at, size_t before, size_t count)
{
    return at < before ? 0 : at - before < count ? at - before : count - 1;
}

/* Multiples of 1/16 below 2^20: exact as floats. */
static void bytes_answer(const void *h_in, size_t width, void *h_out)
{
    for (size_t y = 0; y < LINES; y++)
        for (size_t e = 0; e < width * PLANES; e++) {
            float sum = 0;
            for (size_t j = 0; j < COLUMN_TAPS; j++)
                for (size_t i = 0; i < ROW_TAPS; i++) {
                    const size_t from = clamped(y + j, 1, LINES) * PIXEL_ROW +
                                        clamped(e / PLANES + i, 2, width) * PLANES + e % PLANES;
                    sum += parts[i] * parts[ROW_TAPS + j] * ((const uint8_t *)h_in)[from];
                }
            const float within = sum > 0 ? sum < 255 ? sum : 255 : 0;
            const float floor = (float)(int)within, rest = within - floor;
            const bool up = rest > 0.5f || (rest == 0.5f && (int)within % 2 == 1);
            ((uint8_t *)h_out)[y * PIXEL_ROW + e] = (uint8_t)(floor + (up ? 1 : 0));
        }
}

typedef struct separable_arguments {
    unsigned flags;
    prim_boundary boundary;
    prim_image in, out;
    prim_mask row, column;
} separable_arguments;

static separable_arguments valid_separable(const operands *o)
{
    const char *values = mask_in(o, PIXEL_SPAN);
    return (separable_arguments){.boundary = PRIM_BOUNDARY_CLAMP,
                                 .in = {o->d_in, o->count, LINES, PIXEL_ROW, PLANES, CUDA_R_8U},
                                 .out = {o->d_out, o->count, LINES, PIXEL_ROW, PLANES, CUDA_R_8U},
                                 .row = {parts, values, ROW_TAPS, 1, 2, 0, CUDA_R_32F, 0},
                                 .column = {parts + ROW_TAPS, values + ROW_TAPS * sizeof(float), 1,
                                            COLUMN_TAPS, 0, 1, CUDA_R_32F, 0}};
}

static void spoil_parts(const operands *o, separable_arguments *a)
{
    FAULT("unknown", PRIM_ERROR_ENUM, "boundary", a->boundary = 5);
    FAULT("unknown", PRIM_ERROR_VALUE, "flags", a->flags = 2);
    FAULT("under a mask of f64", PRIM_ERROR_TYPE, "f64", a->row.type = CUDA_R_64F);
    FAULT("under a column of f64", PRIM_ERROR_TYPE, "f64", a->column.type = CUDA_R_64F);
    FAULT("two rows", PRIM_ERROR_VALUE, "mask_x", a->row.height = 2);
    FAULT("two columns", PRIM_ERROR_VALUE, "mask_y", a->column.width = 2);
    FAULT("too high", PRIM_ERROR_VALUE, "mask", a->column.height = 256);
    FAULT("no column", PRIM_ERROR_VALUE, "mask", a->column.height = 0);
    FAULT("behind the column", PRIM_ERROR_VALUE, "anchor", a->column.anchor_y = COLUMN_TAPS);
    FAULT("i8 over i16", PRIM_ERROR_TYPE, "mask_y's",
          (a->row.type = CUDA_R_8I, a->column.type = CUDA_R_16I));
    FAULT("f32 over i8", PRIM_ERROR_TYPE, "mask_y's", a->column.type = CUDA_R_8I);
    FAULT("of a column of f32", PRIM_ERROR_VALUE, "divisor", a->column.divisor = -1);
    FAULT("a product of 2^31", PRIM_ERROR_VALUE, "divisor",
          (a->row.type = a->column.type = CUDA_R_8I, a->row.divisor = 65536,
           a->column.divisor = 32768));
    FAULT("a column's NULL", PRIM_ERROR_NULL, "h_values",
          a->column.h_values = a->column.d_values = NULL);
    FAULT("a row's NULL", PRIM_ERROR_NULL, "h_values", a->row.h_values = a->row.d_values = NULL);
    FAULT("a column misaligned", PRIM_ERROR_MISALIGNED, "d_values",
          a->column.d_values = (const char *)a->column.d_values + 2);
    FAULT("in place", PRIM_ERROR_OVERLAP, "d_out", a->out.data = a->in.data);
    FAULT("out in the column", PRIM_ERROR_OVERLAP, "d_values",
          (a->in.height = a->out.height = 1,
           a->out.data = (char *)(uintptr_t)a->column.d_values + COLUMN_TAPS * sizeof(float) - 1));
}

static prim_status separable_call(const operands *o)
{
    const call_head c = spoilt_head(o);
    volatile float values[ROW_TAPS + COLUMN_TAPS]; /* volatile: what is written below, too */
    for (size_t i = 0; i < ROW_TAPS + COLUMN_TAPS; i++)
        values[i] = parts[i];
    separable_arguments a = valid_separable(o);
    char *d_in = a.in.data, *d_out = a.out.data;
    a.row.h_values = (const void *)values;
    a.column.h_values = (const void *)(values + ROW_TAPS);
    FAULT("NULL", PRIM_ERROR_NULL, "d_in", a.in.data = NULL);
    FAULT("NULL", PRIM_ERROR_NULL, "d_out", a.out.data = NULL);
    if (a.in.data == d_in && a.out.data == d_out)
        spoil_parts(o, &a);
    const prim_status status =
        prim_convolve_separable((prim_convolution_variant)c.variant, a.flags, a.boundary, NULL,
                                a.in, a.row, a.column, a.out, call_of(o, &c));
    for (size_t i = 0; i < ROW_TAPS + COLUMN_TAPS; i++)
        values[i] = 77;
    return status;
}

const entry_point convolve_separable_entry = {.name = "prim_convolve_separable",
                                              .variant_at = prim_convolution_variant_at,
                                              .in_bytes = PIXEL_SPAN + sizeof parts,
                                              .out_bytes = LINES * PIXEL_ROW,
                                              .count = PIXELS,
                                              .make_input = bytes_input,
                                              .right_answer = bytes_answer,
                                              .call = separable_call};

/* ---- convolve_2d of bytes under integers: four channels, turned, with a fill, halves ---- */

enum {
    DOTS = 45,
    DOT_LINES = 37, /* so many that AUTO takes TENSOR */
    DOT_PLANES = 4,
    DOT_ROW = DOTS * DOT_PLANES,
    DOT_SPAN = (DOT_LINES * DOT_ROW + 255) / 256 * 256,
    DOT_SIDE = 3,
    DOT_DIVISOR = -6
};
static const int16_t dot_weights[DOT_SIDE * DOT_SIDE] = {-9, 4, -300, 7, 281, -32, 5, 21, -3};
static const uint8_t dot_fill[DOT_PLANES] = {3, 250, 0, 77};

static void dots_input(void *h_in, unsigned seed)
{
    for (unsigned i = 0; i < DOT_SPAN; i++)
        ((uint8_t *)h_in)[i] = (uint8_t)((i * 2654435761u + seed * 97u) >> 11);
    memcpy((char *)h_in + DOT_SPAN, dot_weights, sizeof dot_weights);
}

static int dot_at(const uint8_t *dots, size_t width, size_t x, size_t y, size_t plane)
{
    return x < width && y < DOT_LINES ? dots[y * DOT_ROW + x * DOT_PLANES + plane]
                                      : dot_fill[plane];
}

/* Of a positive number. */
static int nearest_even(int number, int divisor)
{
    const int floor = number / divisor, twice = number % divisor * 2;
    return floor + (twice > divisor || (twice == divisor && floor % 2 == 1));
}

static void dots_answer(const void *h_in, size_t width, void *h_out)
{
    for (size_t y = 0; y < DOT_LINES; y++)
        for (size_t e = 0; e < width * DOT_PLANES; e++) {
            int sum = 0;
            for (size_t j = 0; j < DOT_SIDE; j++)
                for (size_t i = 0; i < DOT_SIDE; i++) /* beyond the image where negative, too */
                    sum += dot_weights[j * DOT_SIDE + i] *
                           dot_at(h_in, width, e / DOT_PLANES + 1 - i, y + 1 - j, e % DOT_PLANES);
            const int result = sum > 0 ? 0 : nearest_even(-sum, -DOT_DIVISOR);
            ((uint8_t *)h_out)[y * DOT_ROW + e] = (uint8_t)(result < 255 ? result : 255);
        }
}

static image_arguments valid_dots(const operands *o)
{
    return (image_arguments){.flags = PRIM_CONVOLUTION_FLIP,
                             .boundary = PRIM_BOUNDARY_CONSTANT,
                             .in = {o->d_in, o->count, DOT_LINES, DOT_ROW, DOT_PLANES, CUDA_R_8U},
                             .out = {o->d_out, o->count, DOT_LINES, DOT_ROW, DOT_PLANES, CUDA_R_8U},
                             .mask = {dot_weights, mask_in(o, DOT_SPAN), DOT_SIDE, DOT_SIDE, 1, 1,
                                      CUDA_R_16I, DOT_DIVISOR}};
}

static prim_status dots_call(const operands *o)
{
    const call_head c = spoilt_head(o);
    volatile int16_t values[DOT_SIDE * DOT_SIDE]; /* volatile: what is written below, too */
    for (size_t i = 0; i < DOT_SIDE * DOT_SIDE; i++)
        values[i] = dot_weights[i];
    image_arguments a = valid_dots(o);
    a.mask.h_values = (const void *)values;
    FAULT("into f32", PRIM_ERROR_TYPE, "f32",
          (a.out.type = CUDA_R_32F, a.out.pitch = DOT_ROW * sizeof(float)));
    FAULT("of f32", PRIM_ERROR_VALUE, "divisor", a.mask.type = CUDA_R_32F);
    FAULT("misaligned", PRIM_ERROR_MISALIGNED, "h_values",
          a.mask.h_values = (const char *)two_words + 1);
    FAULT("misaligned", PRIM_ERROR_MISALIGNED, "d_values",
          a.mask.d_values = (const char *)a.mask.d_values + 1);
    FAULT("out in its last byte", PRIM_ERROR_OVERLAP, "d_values",
          (a.in.height = a.out.height = 1,
           a.out.data = (char *)(uintptr_t)a.mask.d_values + sizeof dot_weights - 1));
    const prim_status status =
        prim_convolve_2d((prim_convolution_variant)c.variant, a.flags, a.boundary, dot_fill, a.in,
                         a.mask, a.out, call_of(o, &c));
    for (size_t i = 0; i < DOT_SIDE * DOT_SIDE; i++)
        values[i] = 77;
    return status;
}

const entry_point convolve_integers_entry = {.name = "prim_convolve_2d",
                                             .variant_at = prim_convolution_variant_at,
                                             .in_bytes = DOT_SPAN + sizeof dot_weights,
                                             .out_bytes = DOT_LINES * DOT_ROW,
                                             .count = DOTS,
                                             .make_input = dots_input,
                                             .right_answer = dots_answer,
                                             .call = dots_call};
