/* convolution among the entry points. The mask lies in d_in too, behind the image, so that the
 * rungs that read it there find it; h_values holds the same, and is overwritten after the call. */
#include <stdint.h>
#include <string.h>

#include <primitives/convolution.h>

#include "entry_points.h"

static int convolution_variant_at(size_t index)
{
    return prim_convolution_variant_at(index);
}

static const char *convolution_variant_name(int variant)
{
    return prim_convolution_variant_name((prim_convolution_variant)variant);
}

/* Without elements there is no d_in, and nothing is read of a mask. */
static const void *mask_in(const operands *o, size_t image_bytes)
{
    return o->d_in != NULL ? (const char *)o->d_in + image_bytes : o->d_out;
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
    return (prim_mask){h_values, d_values, TAPS, 1, TAPS_ANCHOR, 0, CUDA_R_32F};
}

static prim_status vector_workspace(int variant, size_t count, size_t *bytes)
{
    return prim_convolve_1d_workspace_bytes((prim_convolution_variant)variant,
                                            PRIM_CONVOLUTION_FLIP, PRIM_BOUNDARY_CONSTANT,
                                            CUDA_R_32F, count, vector_mask(taps, taps), bytes);
}

static prim_status vector_call(const operands *o)
{
    volatile float values[TAPS], fill = TAPS_FILL; /* volatile: what is written below, too */
    for (size_t i = 0; i < TAPS; i++)
        values[i] = taps[i];
    const prim_mask mask = vector_mask((const void *)values, mask_in(o, COUNT * sizeof(float)));
    const prim_status status =
        prim_convolve_1d((prim_convolution_variant)o->variant, PRIM_CONVOLUTION_FLIP,
                         PRIM_BOUNDARY_CONSTANT, (const void *)&fill, CUDA_R_32F, o->d_in, o->count,
                         mask, o->d_out, o->d_workspace, o->workspace_bytes, o->stream);
    for (size_t i = 0; i < TAPS; i++)
        values[i] = 77;
    fill = 77;
    return status;
}

static const int32_t two_words[2];

/* A call of valid arguments, of which `change` spoils some. */
typedef struct vector_arguments {
    int variant, boundary, type;
    unsigned flags;
    const void *h_fill;
    char *d_in, *d_out, *d_workspace;
    size_t count, bytes;
    prim_mask mask;
} vector_arguments;

#define BAD_VECTOR(name, change)                                                             \
    static prim_status vector_##name(const operands *o)                                      \
    {                                                                                        \
        vector_arguments a = {.variant = o->variant,                                         \
                              .boundary = PRIM_BOUNDARY_CONSTANT,                            \
                              .type = CUDA_R_32F,                                            \
                              .d_in = o->d_in,                                               \
                              .d_out = o->d_out,                                             \
                              .d_workspace = o->d_workspace,                                 \
                              .count = o->count,                                             \
                              .bytes = o->workspace_bytes,                                   \
                              .mask = vector_mask(taps, mask_in(o, COUNT * sizeof(float)))}; \
        change;                                                                              \
        return prim_convolve_1d((prim_convolution_variant)a.variant, a.flags,                \
                                (prim_boundary)a.boundary, a.h_fill, (cudaDataType_t)a.type, \
                                a.d_in, a.count, a.mask, a.d_out, a.d_workspace, a.bytes,    \
                                o->stream);                                                  \
    }

BAD_VECTOR(no_variant, a.variant = 9999)
BAD_VECTOR(negative_variant, a.variant = -1)
BAD_VECTOR(no_boundary, a.boundary = 5)
BAD_VECTOR(negative_boundary, a.boundary = -1)
BAD_VECTOR(no_flag, a.flags = 2)
BAD_VECTOR(no_type, a.type = 9999)
BAD_VECTOR(other_type, a.type = CUDA_R_64F)
BAD_VECTOR(other_mask, a.type = CUDA_R_32I)
BAD_VECTOR(no_mask_type, a.mask.type = (cudaDataType_t)9999)
BAD_VECTOR(bytes_mask, a.mask.type = CUDA_R_8U)
BAD_VECTOR(no_taps, a.mask.width = 0)
BAD_VECTOR(many_taps, a.mask.width = 256)
BAD_VECTOR(high_mask, a.mask.height = 2)
BAD_VECTOR(no_height, a.mask.height = 0)
BAD_VECTOR(anchor_behind, a.mask.anchor_x = TAPS)
BAD_VECTOR(anchor_below, a.mask.anchor_y = 1)
BAD_VECTOR(no_values, a.mask.h_values = a.mask.d_values = NULL)
BAD_VECTOR(null_in, a.d_in = NULL)
BAD_VECTOR(null_out, a.d_out = NULL)
BAD_VECTOR(null_space, (a.d_workspace = NULL, a.bytes = 256))
BAD_VECTOR(odd_in, (a.d_in += 2, a.count--))
BAD_VECTOR(odd_out, (a.d_out += 1, a.count--))
BAD_VECTOR(odd_fill, a.h_fill = (const char *)two_words + 2)
BAD_VECTOR(odd_host_mask, a.mask.h_values = (const char *)two_words + 1)
BAD_VECTOR(odd_mask, a.mask.d_values = (const char *)a.mask.d_values + 2)
BAD_VECTOR(odd_space, (a.d_workspace = a.d_out + 128, a.bytes = 256))
BAD_VECTOR(too_many, a.count = SIZE_MAX / 4 + 1)
BAD_VECTOR(beyond_memory, a.count = SIZE_MAX / 4)
BAD_VECTOR(out_is_in, a.d_out = a.d_in)
BAD_VECTOR(out_in_in, (a.d_out = a.d_in + 4, a.count--))
BAD_VECTOR(in_in_out, (a.d_in = a.d_out + 4, a.count--))
BAD_VECTOR(out_in_mask, (a.d_out = a.d_in + 4 * COUNT + 4, a.count = 2))
BAD_VECTOR(space_in_in, (a.d_workspace = a.d_in + 256, a.bytes = 256))
BAD_VECTOR(space_in_out, (a.d_workspace = a.d_out + 256, a.bytes = 256))
BAD_VECTOR(space_in_mask, (a.mask.d_values = a.d_out, a.d_out += 1024, a.count = 9,
                           a.d_workspace = o->d_out, a.bytes = 256))

static prim_status vector_null_bytes(const operands *o)
{
    return vector_workspace(o->variant, o->count, NULL);
}

static const bad_argument vector_bad[] = {
    {"unknown variant", vector_no_variant, PRIM_ERROR_ENUM, "variant"},
    {"negative variant", vector_negative_variant, PRIM_ERROR_ENUM, "variant"},
    {"unknown boundary", vector_no_boundary, PRIM_ERROR_ENUM, "boundary"},
    {"negative boundary", vector_negative_boundary, PRIM_ERROR_ENUM, "boundary"},
    {"unknown flag", vector_no_flag, PRIM_ERROR_VALUE, "flags"},
    {"unknown type", vector_no_type, PRIM_ERROR_TYPE, "unknown type"},
    {"f64", vector_other_type, PRIM_ERROR_TYPE, "f64"},
    {"f32 mask over i32", vector_other_mask, PRIM_ERROR_TYPE, "i32"},
    {"unknown type of the mask", vector_no_mask_type, PRIM_ERROR_TYPE, "mask"},
    {"u8 mask", vector_bytes_mask, PRIM_ERROR_TYPE, "mask"},
    {"mask of no weights", vector_no_taps, PRIM_ERROR_VALUE, "mask"},
    {"mask too wide", vector_many_taps, PRIM_ERROR_VALUE, "mask"},
    {"mask of two rows", vector_high_mask, PRIM_ERROR_VALUE, "height"},
    {"mask of no rows", vector_no_height, PRIM_ERROR_VALUE, "mask"},
    {"anchor behind the mask", vector_anchor_behind, PRIM_ERROR_VALUE, "anchor"},
    {"anchor below the mask", vector_anchor_below, PRIM_ERROR_VALUE, "anchor"},
    {"no values", vector_no_values, PRIM_ERROR_NULL, "h_values"},
    {"d_in NULL", vector_null_in, PRIM_ERROR_NULL, "d_in"},
    {"d_out NULL", vector_null_out, PRIM_ERROR_NULL, "d_out"},
    {"d_workspace NULL with bytes", vector_null_space, PRIM_ERROR_NULL, "d_workspace"},
    {"bytes NULL", vector_null_bytes, PRIM_ERROR_NULL, "bytes"},
    {"d_in misaligned", vector_odd_in, PRIM_ERROR_MISALIGNED, "d_in"},
    {"d_out misaligned", vector_odd_out, PRIM_ERROR_MISALIGNED, "d_out"},
    {"h_fill misaligned", vector_odd_fill, PRIM_ERROR_MISALIGNED, "h_fill"},
    {"h_values misaligned", vector_odd_host_mask, PRIM_ERROR_MISALIGNED, "h_values"},
    {"d_values misaligned", vector_odd_mask, PRIM_ERROR_MISALIGNED, "d_values"},
    {"d_workspace misaligned", vector_odd_space, PRIM_ERROR_MISALIGNED, "d_workspace"},
    {"bytes beyond size_t", vector_too_many, PRIM_ERROR_SIZE, "d_in"},
    {"end beyond memory", vector_beyond_memory, PRIM_ERROR_SIZE, "d_in"},
    {"in place", vector_out_is_in, PRIM_ERROR_OVERLAP, "d_out"},
    {"d_out one behind d_in", vector_out_in_in, PRIM_ERROR_OVERLAP, "d_out"},
    {"d_in one behind d_out", vector_in_in_out, PRIM_ERROR_OVERLAP, "d_out"},
    {"d_out in the mask", vector_out_in_mask, PRIM_ERROR_OVERLAP, "d_values"},
    {"d_workspace in d_in", vector_space_in_in, PRIM_ERROR_OVERLAP, "d_workspace"},
    {"d_workspace in d_out", vector_space_in_out, PRIM_ERROR_OVERLAP, "d_workspace"},
    {"d_workspace in the mask", vector_space_in_mask, PRIM_ERROR_OVERLAP, "d_workspace"},
};

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

/* A call of valid arguments, of which the bad ones spoil some. */
typedef struct image_arguments {
    int variant, boundary;
    unsigned flags;
    prim_image in, out;
    prim_mask mask;
    char *d_workspace;
    size_t bytes;
} image_arguments;

static image_arguments valid_images(const operands *o)
{
    const size_t span = IN_SPAN * sizeof(int32_t);
    return (image_arguments){
        .variant = o->variant,
        .boundary = PRIM_BOUNDARY_WRAP,
        .in = {o->d_in, o->count, HEIGHT, LD * sizeof(int32_t), CHANNELS, CUDA_R_32I},
        .out = {o->d_out, o->count, HEIGHT, ROW * sizeof(int32_t), CHANNELS, CUDA_R_32I},
        .mask = {weights, mask_in(o, span), SIDE_X, SIDE_Y, ANCHOR_X, ANCHOR_Y, CUDA_R_32I},
        .d_workspace = o->d_workspace,
        .bytes = o->workspace_bytes};
}

static prim_status call_images(const image_arguments *a, cudaStream_t stream)
{
    return prim_convolve_2d((prim_convolution_variant)a->variant, a->flags,
                            (prim_boundary)a->boundary, NULL, a->in, a->mask, a->out,
                            a->d_workspace, a->bytes, stream);
}

static prim_status ask_for_images(const image_arguments *a, size_t *bytes)
{
    return prim_convolve_2d_workspace_bytes((prim_convolution_variant)a->variant, a->flags,
                                            (prim_boundary)a->boundary, a->in, a->mask, a->out,
                                            bytes);
}

static prim_status image_workspace(int variant, size_t width, size_t *bytes)
{
    static char somewhere;
    const operands o = {.d_out = &somewhere, .count = width, .variant = variant};
    const image_arguments a = valid_images(&o);
    return ask_for_images(&a, bytes);
}

static prim_status image_call(const operands *o)
{
    const image_arguments a = valid_images(o);
    return call_images(&a, o->stream);
}

#define BAD_IMAGE(name, change)                        \
    static prim_status image_##name(const operands *o) \
    {                                                  \
        image_arguments a = valid_images(o);           \
        change;                                        \
        return call_images(&a, o->stream);             \
    }

BAD_IMAGE(no_variant, a.variant = 4)
BAD_IMAGE(no_boundary, a.boundary = 5)
BAD_IMAGE(no_flag, a.flags = 0x80000001u)
BAD_IMAGE(no_type, a.in.type = a.out.type = (cudaDataType_t)9999)
BAD_IMAGE(other_out, a.out.type = CUDA_R_32F)
BAD_IMAGE(other_mask, a.mask.type = CUDA_R_32F)
BAD_IMAGE(no_channels, a.in.channels = a.out.channels = 0)
BAD_IMAGE(many_channels, (a.in.width = a.out.width = 9, a.in.channels = a.out.channels = 5))
BAD_IMAGE(negative_channels, a.in.channels = a.out.channels = -1)
BAD_IMAGE(short_pitch, a.in.pitch = ROW * 4 - 4)
BAD_IMAGE(short_out_pitch, a.out.pitch = ROW * 4 - 4)
BAD_IMAGE(odd_pitch, a.in.pitch = LD * 4 - 2)
BAD_IMAGE(other_width, a.out.width--)
BAD_IMAGE(other_height, a.out.height--)
BAD_IMAGE(other_channels, (a.out.channels = 1, a.out.width = a.in.width))
BAD_IMAGE(no_mask_height, a.mask.height = 0)
BAD_IMAGE(high_mask, a.mask.height = 256)
BAD_IMAGE(anchor_beside, a.mask.anchor_x = SIDE_X)
BAD_IMAGE(anchor_below, a.mask.anchor_y = SIDE_Y)
BAD_IMAGE(no_values, a.mask.h_values = a.mask.d_values = NULL)
BAD_IMAGE(null_in, a.in.data = NULL)
BAD_IMAGE(null_out, a.out.data = NULL)
BAD_IMAGE(odd_in, a.in.data = (char *)a.in.data + 1)
BAD_IMAGE(odd_out, (a.out.data = (char *)a.out.data + 2, a.in.height--, a.out.height--))
BAD_IMAGE(too_high, a.in.height = a.out.height = SIZE_MAX / ROW)
BAD_IMAGE(too_wide, a.in.width = a.out.width = SIZE_MAX / 8)
BAD_IMAGE(far_rows, a.in.pitch = SIZE_MAX / 8 * 4)
BAD_IMAGE(out_in_in, (a.out.data = a.in.data, a.out.pitch = a.in.pitch))
BAD_IMAGE(out_in_gap, (a.in.width = a.out.width = 1, a.out.data = (char *)a.in.data + 4 * CHANNELS,
                       a.out.pitch = a.in.pitch))
BAD_IMAGE(out_in_mask, (a.in.height = a.out.height = 1,
                        a.out.data = (char *)a.in.data + IN_SPAN * 4 - ROW * 4 + 4))
BAD_IMAGE(space_in_in, (a.d_workspace = (char *)a.in.data + 256, a.bytes = 256))

static prim_status image_null_bytes(const operands *o)
{
    return image_workspace(o->variant, o->count, NULL);
}

static prim_status image_query_without_mask(const operands *o)
{
    image_arguments a = valid_images(o);
    size_t bytes;
    a.mask.h_values = a.mask.d_values = NULL;
    return ask_for_images(&a, &bytes);
}

static const bad_argument image_bad[] = {
    {"unknown variant", image_no_variant, PRIM_ERROR_ENUM, "variant"},
    {"unknown boundary", image_no_boundary, PRIM_ERROR_ENUM, "boundary"},
    {"unknown flag", image_no_flag, PRIM_ERROR_VALUE, "flags"},
    {"unknown type", image_no_type, PRIM_ERROR_TYPE, "type"},
    {"i32 into f32", image_other_out, PRIM_ERROR_TYPE, "f32"},
    {"f32 mask over i32", image_other_mask, PRIM_ERROR_TYPE, "mask"},
    {"no channels", image_no_channels, PRIM_ERROR_VALUE, "channels"},
    {"five channels", image_many_channels, PRIM_ERROR_VALUE, "channels"},
    {"negative channels", image_negative_channels, PRIM_ERROR_VALUE, "channels"},
    {"pitch less than a row", image_short_pitch, PRIM_ERROR_VALUE, "in's pitch"},
    {"out's pitch less than a row", image_short_out_pitch, PRIM_ERROR_VALUE, "out's pitch"},
    {"pitch of half elements", image_odd_pitch, PRIM_ERROR_VALUE, "in's pitch"},
    {"other width", image_other_width, PRIM_ERROR_VALUE, "out"},
    {"other height", image_other_height, PRIM_ERROR_VALUE, "out"},
    {"other channels", image_other_channels, PRIM_ERROR_VALUE, "out"},
    {"mask of no rows", image_no_mask_height, PRIM_ERROR_VALUE, "mask"},
    {"mask too high", image_high_mask, PRIM_ERROR_VALUE, "mask"},
    {"anchor beside the mask", image_anchor_beside, PRIM_ERROR_VALUE, "anchor"},
    {"anchor below the mask", image_anchor_below, PRIM_ERROR_VALUE, "anchor"},
    {"no values", image_no_values, PRIM_ERROR_NULL, "d_values"},
    {"query without values", image_query_without_mask, PRIM_ERROR_NULL, "d_values"},
    {"in.data NULL", image_null_in, PRIM_ERROR_NULL, "d_in"},
    {"out.data NULL", image_null_out, PRIM_ERROR_NULL, "d_out"},
    {"bytes NULL", image_null_bytes, PRIM_ERROR_NULL, "bytes"},
    {"in.data misaligned", image_odd_in, PRIM_ERROR_MISALIGNED, "d_in"},
    {"out.data misaligned", image_odd_out, PRIM_ERROR_MISALIGNED, "d_out"},
    {"rows beyond size_t", image_too_high, PRIM_ERROR_SIZE, "in"},
    {"a row beyond size_t", image_too_wide, PRIM_ERROR_SIZE, "in"},
    {"pitch beyond size_t", image_far_rows, PRIM_ERROR_SIZE, "in"},
    {"in place", image_out_in_in, PRIM_ERROR_OVERLAP, "d_out"},
    {"out in a gap of in", image_out_in_gap, PRIM_ERROR_OVERLAP, "d_out"},
    {"out in the mask", image_out_in_mask, PRIM_ERROR_OVERLAP, "d_values"},
    {"d_workspace in in", image_space_in_in, PRIM_ERROR_OVERLAP, "d_workspace"},
};

const entry_point convolve_1d_entry = {.name = "prim_convolve_1d",
                                       .variant_count = prim_convolution_variant_count,
                                       .variant_at = convolution_variant_at,
                                       .variant_name = convolution_variant_name,
                                       .in_bytes = COUNT * sizeof(float) + sizeof taps,
                                       .out_bytes = COUNT * sizeof(float),
                                       .count = COUNT,
                                       .make_input = vector_input,
                                       .right_answer = vector_answer,
                                       .workspace_bytes = vector_workspace,
                                       .call = vector_call,
                                       .bad = vector_bad,
                                       .bad_count = sizeof vector_bad / sizeof *vector_bad};

const entry_point convolve_2d_entry = {.name = "prim_convolve_2d",
                                       .variant_count = prim_convolution_variant_count,
                                       .variant_at = convolution_variant_at,
                                       .variant_name = convolution_variant_name,
                                       .in_bytes = IN_SPAN * sizeof(int32_t) + sizeof weights,
                                       .out_bytes = HEIGHT * ROW * sizeof(int32_t),
                                       .count = WIDTH,
                                       .make_input = image_input,
                                       .right_answer = image_answer,
                                       .workspace_bytes = image_workspace,
                                       .call = image_call,
                                       .bad = image_bad,
                                       .bad_count = sizeof image_bad / sizeof *image_bad};
