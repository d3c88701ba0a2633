/* convolution's API: what its arguments must be, and the calls. */
#include <stdio.h>

#include "common/element.h"
#include "common/fail.h"
#include "convolution/convolution_args.h"

/* ---- what queries and calls judge alike ---- */

static prim_status check_types(const prim_convolution_args *args)
{
    const cudaDataType_t type = args->in.type;
    const bool exists = type == CUDA_R_32F || type == CUDA_R_32I || type == CUDA_R_8U;
    const cudaDataType_t mask_type = type == CUDA_R_32I ? CUDA_R_32I : CUDA_R_32F;
    if (exists && args->out.type == type && args->mask.type == mask_type)
        return PRIM_OK;
    if (!exists)
        return prim_fail(PRIM_ERROR_TYPE, "%s: in's type is %s, not u8, i32 or f32 (mask's is %s)",
                         args->call.name, prim_element_name(type),
                         prim_element_name(args->mask.type));
    return prim_fail(PRIM_ERROR_TYPE,
                     "%s: mask's type is %s and out's type %s, and in's type %s takes %s and %s",
                     args->call.name, prim_element_name(args->mask.type),
                     prim_element_name(args->out.type), prim_element_name(type),
                     prim_element_name(mask_type), prim_element_name(type));
}

static prim_status check_mask(const prim_convolution_args *args)
{
    const prim_mask *mask = &args->mask;
    const size_t most = PRIM_CONVOLUTION_MOST_SIDE;
    if (mask->width < 1 || mask->width > most || mask->height < 1 || mask->height > most)
        return prim_fail(PRIM_ERROR_VALUE, "%s: mask is %zu × %zu, and its sides must be 1 to %zu",
                         args->call.name, mask->width, mask->height, most);
    if (mask->anchor_x >= mask->width || mask->anchor_y >= mask->height)
        return prim_fail(
            PRIM_ERROR_VALUE, "%s: mask's anchor (%zu, %zu) is not inside its %zu × %zu",
            args->call.name, mask->anchor_x, mask->anchor_y, mask->width, mask->height);
    if (args->is_vector && mask->height != 1)
        return prim_fail(PRIM_ERROR_VALUE, "%s: mask's height is %zu, and a vector takes 1",
                         args->call.name, mask->height);
    if (mask->h_values == NULL && mask->d_values == NULL)
        return prim_fail(PRIM_ERROR_NULL, "%s: mask's h_values and d_values are both NULL",
                         args->call.name);
    return PRIM_OK;
}

static prim_status check_image(const prim_convolution_args *args, const char *name,
                               const prim_image *image)
{
    if (image->channels < 1 || image->channels > PRIM_CONVOLUTION_MOST_CHANNELS)
        return prim_fail(PRIM_ERROR_VALUE, "%s: %s's channels are %d, not 1 to %d", args->call.name,
                         name, image->channels, PRIM_CONVOLUTION_MOST_CHANNELS);
    const size_t element_bytes = prim_element_bytes(image->type);
    const prim_status status =
        prim_check_bytes(&args->call, name, (size_t)image->channels, image->width, element_bytes);
    if (status != PRIM_OK)
        return status;
    const size_t row_bytes = image->width * (size_t)image->channels * element_bytes;
    if (image->pitch < row_bytes || image->pitch % element_bytes != 0)
        return prim_fail(PRIM_ERROR_VALUE,
                         "%s: %s's pitch is %zu bytes, less than a row's %zu or no multiple of %zu",
                         args->call.name, name, image->pitch, row_bytes, element_bytes);
    return prim_check_bytes(&args->call, name, image->height, image->pitch, 1);
}

static prim_status check_images(const prim_convolution_args *args)
{
    prim_status status = check_image(args, "in", &args->in);
    if (status == PRIM_OK)
        status = check_image(args, "out", &args->out);
    if (status == PRIM_OK &&
        (args->in.width != args->out.width || args->in.height != args->out.height ||
         args->in.channels != args->out.channels))
        status =
            prim_fail(PRIM_ERROR_VALUE,
                      "%s: in is %zu × %zu with %d channels, and out is not: %zu × %zu with %d",
                      args->call.name, args->in.width, args->in.height, args->in.channels,
                      args->out.width, args->out.height, args->out.channels);
    return status;
}

static prim_status check_kind(const void *any)
{
    const prim_convolution_args *args = any;
    if ((unsigned)args->boundary > PRIM_BOUNDARY_WRAP)
        return prim_fail(
            PRIM_ERROR_ENUM,
            "%s: boundary is %d, not PRIM_BOUNDARY_CONSTANT to PRIM_BOUNDARY_WRAP, 0 to %d",
            args->call.name, args->boundary, PRIM_BOUNDARY_WRAP);
    prim_status status = check_types(args);
    if (status == PRIM_OK && (args->flags & ~(unsigned)PRIM_CONVOLUTION_FLIP) != 0)
        status = prim_fail(PRIM_ERROR_VALUE,
                           "%s: flags are %#x, and only PRIM_CONVOLUTION_FLIP, %#x, exists",
                           args->call.name, args->flags, (unsigned)PRIM_CONVOLUTION_FLIP);
    if (status == PRIM_OK)
        status = check_images(args);
    return status == PRIM_OK ? check_mask(args) : status;
}

/* ---- the pointers ---- */

static prim_status check_pixels(const prim_convolution_args *args, const char *name,
                                const prim_image *image, prim_span *span)
{
    const size_t element_bytes = prim_element_bytes(image->type);
    const size_t row_elements = image->width * (size_t)image->channels;
    const bool is_empty = row_elements == 0 || image->height == 0;
    const size_t count =
        is_empty ? 0 : (image->height - 1) * (image->pitch / element_bytes) + row_elements;
    return prim_check_vector(&args->call, name, image->data, count, element_bytes, span);
}

/* What the device reads may be left out, and what the host reads only where the device does. */
static prim_status check_weights(const prim_convolution_args *args, prim_span *span)
{
    const prim_mask *mask = &args->mask;
    const size_t count = mask->width * mask->height, bytes = prim_element_bytes(mask->type);
    if (args->call.on_host)
        return prim_check_vector(&args->call, "values", mask->h_values, count, bytes, span);
    const prim_status status = prim_check_scalar(&args->call, "values", mask->h_values, bytes);
    if (status != PRIM_OK)
        return status;
    return prim_check_vector(&args->call, "values", mask->d_values,
                             mask->d_values != NULL ? count : 0, bytes, span);
}

static prim_status check_operands(const void *any, prim_operands *operands)
{
    const prim_convolution_args *args = any;
    prim_span *const in = &operands->spans[0], *const out = &operands->spans[1],
                     *const weights = &operands->spans[2];
    operands->count = 3;
    prim_status status = check_pixels(args, "in", &args->in, in);
    if (status == PRIM_OK)
        status = check_pixels(args, "out", &args->out, out);
    if (status == PRIM_OK)
        status = check_weights(args, weights);
    if (status == PRIM_OK && args->boundary == PRIM_BOUNDARY_CONSTANT)
        status =
            prim_check_scalar(&args->call, "fill", args->fill, prim_element_bytes(args->in.type));
    if (status == PRIM_OK)
        status = prim_check_disjoint(&args->call, *out, *in);
    return status == PRIM_OK ? prim_check_disjoint(&args->call, *out, *weights) : status;
}

static void describe(const void *any, char *text, size_t bytes)
{
    const prim_convolution_args *args = any;
    snprintf(text, bytes, "%s, image %zu × %zu, mask %zu × %zu", prim_element_name(args->in.type),
             args->in.width, args->in.height, args->mask.width, args->mask.height);
}

static const prim_ladder ladder = {
    .rungs = prim_convolution_rungs,
    .choose = prim_convolution_choose_rung,
    .check_kind = check_kind,
    .check_operands = check_operands,
    .describe = describe,
};

/* ---- images ---- */

static prim_convolution_args image_args(const char *name, prim_convolution_variant variant,
                                        unsigned flags, prim_boundary boundary, prim_image in,
                                        prim_mask mask, prim_image out)
{
    return (prim_convolution_args){.call = {.name = name, .variant = (int)variant},
                                   .flags = flags,
                                   .boundary = boundary,
                                   .in = in,
                                   .mask = mask,
                                   .out = out};
}

static prim_status run(prim_convolution_args *args, const void *h_fill, void *d_workspace,
                       size_t workspace_bytes, cudaStream_t stream)
{
    args->fill = h_fill;
    args->call.workspace = d_workspace;
    args->call.workspace_bytes = workspace_bytes;
    args->call.stream = stream;
    return prim_ladder_run(&ladder, &args->call);
}

static prim_status run_host(prim_convolution_args *args, const void *h_fill, int threads)
{
    args->fill = h_fill;
    args->call.on_host = true;
    const prim_status status = prim_ladder_check_host(&ladder, &args->call);
    return status == PRIM_OK ? prim_convolution_on_host(args, threads) : status;
}

prim_status prim_convolve_2d(prim_convolution_variant variant, unsigned flags,
                             prim_boundary boundary, const void *h_fill, prim_image in,
                             prim_mask mask, prim_image out, void *d_workspace,
                             size_t workspace_bytes, cudaStream_t stream)
{
    prim_convolution_args args =
        image_args("prim_convolve_2d", variant, flags, boundary, in, mask, out);
    return run(&args, h_fill, d_workspace, workspace_bytes, stream);
}

prim_status prim_convolve_2d_workspace_bytes(prim_convolution_variant variant, unsigned flags,
                                             prim_boundary boundary, prim_image in, prim_mask mask,
                                             prim_image out, size_t *bytes)
{
    const prim_convolution_args args =
        image_args("prim_convolve_2d_workspace_bytes", variant, flags, boundary, in, mask, out);
    return prim_ladder_workspace_bytes(&ladder, &args.call, bytes);
}

bool prim_convolve_2d_supports(prim_convolution_variant variant, unsigned flags,
                               prim_boundary boundary, prim_image in, prim_mask mask,
                               prim_image out)
{
    const prim_convolution_args args =
        image_args("prim_convolve_2d_supports", variant, flags, boundary, in, mask, out);
    return prim_ladder_supports(&ladder, &args.call);
}

prim_convolution_variant prim_convolve_2d_choose(unsigned flags, prim_boundary boundary,
                                                 prim_image in, prim_mask mask, prim_image out)
{
    const prim_convolution_args args = image_args("prim_convolve_2d_choose", PRIM_CONVOLUTION_AUTO,
                                                  flags, boundary, in, mask, out);
    return (prim_convolution_variant)prim_ladder_choose(&ladder, &args.call);
}

prim_status prim_convolve_2d_host(unsigned flags, prim_boundary boundary, const void *h_fill,
                                  prim_image in, prim_mask mask, prim_image out, int threads)
{
    prim_convolution_args args =
        image_args("prim_convolve_2d_host", PRIM_CONVOLUTION_AUTO, flags, boundary, in, mask, out);
    return run_host(&args, h_fill, threads);
}

/* ---- vectors ---- */

/* Where the bytes of a row do not fit size_t, that is found before its pitch is looked at. */
static prim_image one_row(cudaDataType_t type, const void *data, size_t count)
{
    return (prim_image){.data = (void *)(uintptr_t)data,
                        .width = count,
                        .height = 1,
                        .pitch = count * prim_element_bytes(type),
                        .channels = 1,
                        .type = type};
}

static prim_convolution_args vector_args(const char *name, prim_convolution_variant variant,
                                         unsigned flags, prim_boundary boundary,
                                         cudaDataType_t type, const void *in, size_t count,
                                         prim_mask mask, void *out)
{
    prim_convolution_args args = image_args(
        name, variant, flags, boundary, one_row(type, in, count), mask, one_row(type, out, count));
    args.is_vector = true;
    return args;
}

prim_status prim_convolve_1d(prim_convolution_variant variant, unsigned flags,
                             prim_boundary boundary, const void *h_fill, cudaDataType_t type,
                             const void *d_in, size_t count, prim_mask mask, void *d_out,
                             void *d_workspace, size_t workspace_bytes, cudaStream_t stream)
{
    prim_convolution_args args =
        vector_args("prim_convolve_1d", variant, flags, boundary, type, d_in, count, mask, d_out);
    return run(&args, h_fill, d_workspace, workspace_bytes, stream);
}

prim_status prim_convolve_1d_workspace_bytes(prim_convolution_variant variant, unsigned flags,
                                             prim_boundary boundary, cudaDataType_t type,
                                             size_t count, prim_mask mask, size_t *bytes)
{
    const prim_convolution_args args = vector_args("prim_convolve_1d_workspace_bytes", variant,
                                                   flags, boundary, type, NULL, count, mask, NULL);
    return prim_ladder_workspace_bytes(&ladder, &args.call, bytes);
}

bool prim_convolve_1d_supports(prim_convolution_variant variant, unsigned flags,
                               prim_boundary boundary, cudaDataType_t type, size_t count,
                               prim_mask mask)
{
    const prim_convolution_args args = vector_args("prim_convolve_1d_supports", variant, flags,
                                                   boundary, type, NULL, count, mask, NULL);
    return prim_ladder_supports(&ladder, &args.call);
}

prim_convolution_variant prim_convolve_1d_choose(unsigned flags, prim_boundary boundary,
                                                 cudaDataType_t type, size_t count, prim_mask mask)
{
    const prim_convolution_args args = vector_args("prim_convolve_1d_choose", PRIM_CONVOLUTION_AUTO,
                                                   flags, boundary, type, NULL, count, mask, NULL);
    return (prim_convolution_variant)prim_ladder_choose(&ladder, &args.call);
}

prim_status prim_convolve_1d_host(unsigned flags, prim_boundary boundary, const void *h_fill,
                                  cudaDataType_t type, const void *h_in, size_t count,
                                  prim_mask mask, void *h_out, int threads)
{
    prim_convolution_args args = vector_args("prim_convolve_1d_host", PRIM_CONVOLUTION_AUTO, flags,
                                             boundary, type, h_in, count, mask, h_out);
    return run_host(&args, h_fill, threads);
}

/* ---- variants ---- */

const prim_variant *prim_convolution_variant_at(size_t index)
{
    return prim_ladder_variant_at(&ladder, index);
}

const prim_variant *prim_convolution_variant_info(prim_convolution_variant variant)
{
    return prim_ladder_variant_info(&ladder, (int)variant);
}
