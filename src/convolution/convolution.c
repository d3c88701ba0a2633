/* convolution's API: checks of the arguments, and the calls. */
#include <stdio.h>

#include "common/host/element.h"
#include "common/host/fail.h"
#include "convolution/convolution_args.h"
#include "convolution/register.h"

/* ---- what queries and calls check alike ---- */

/* The combinations of types that exist. */
typedef struct type_row {
    cudaDataType_t in, out, mask;
} type_row;

static const type_row type_rows[] = {
    {CUDA_R_32F, CUDA_R_32F, CUDA_R_32F}, {CUDA_R_64F, CUDA_R_64F, CUDA_R_64F},
    {CUDA_R_16F, CUDA_R_16F, CUDA_R_32F}, {CUDA_R_8U, CUDA_R_8U, CUDA_R_32F},
    {CUDA_R_8U, CUDA_R_32F, CUDA_R_32F},  {CUDA_R_16U, CUDA_R_16U, CUDA_R_32F},
    {CUDA_R_32I, CUDA_R_32I, CUDA_R_32I}, {CUDA_R_32U, CUDA_R_32U, CUDA_R_32U},
    {CUDA_R_8U, CUDA_R_8U, CUDA_R_8I},    {CUDA_R_8U, CUDA_R_8U, CUDA_R_16I}};

/* The error that names the types which can be combined with in's type. */
static prim_status fail_together(const prim_convolution_args *args, const prim_mask *mask)
{
    const cudaDataType_t in = args->in.type;
    const bool is_narrow = in == CUDA_R_16F || in == CUDA_R_16U;
    const char *name = prim_element_name(in);
    return prim_fail(PRIM_ERROR_TYPE,
                     "%s: mask's type is %s and out's type is %s, but in's type %s needs %s and %s",
                     args->call.name, prim_element_name(mask->type),
                     prim_element_name(args->out.type), name,
                     in == CUDA_R_8U ? "f32 and u8 or f32, or i8 or i16"
                     : is_narrow     ? "f32"
                                     : name,
                     name);
}

static prim_status check_types(const prim_convolution_args *args, const prim_mask *mask)
{
    const cudaDataType_t in = args->in.type, out = args->out.type;
    bool exists = false, goes_together = false;
    for (size_t i = 0; i < sizeof type_rows / sizeof *type_rows; i++) {
        const type_row *row = &type_rows[i];
        if (row->in != in)
            continue;
        exists = true;
        goes_together = goes_together || (row->out == out && row->mask == mask->type);
    }
    if (!exists)
        return prim_fail(PRIM_ERROR_TYPE,
                         "%s: in's type is %s, not f32, f64, f16, u8, u16, i32 or u32 (mask's is "
                         "%s)",
                         args->call.name, prim_element_name(in), prim_element_name(mask->type));
    if (!goes_together)
        return fail_together(args, mask);
    return PRIM_OK;
}

static prim_status check_mask(const prim_convolution_args *args, const prim_mask *mask)
{
    const size_t most = PRIM_CONVOLUTION_MOST_SIDE;
    if (mask->width < 1 || mask->width > most || mask->height < 1 || mask->height > most)
        return prim_fail(PRIM_ERROR_VALUE, "%s: mask is %zu × %zu, but its sides must be 1 to %zu",
                         args->call.name, mask->width, mask->height, most);
    if (mask->anchor_x >= mask->width || mask->anchor_y >= mask->height)
        return prim_fail(PRIM_ERROR_VALUE, "%s: mask's anchor (%zu, %zu) is outside its %zu × %zu",
                         args->call.name, mask->anchor_x, mask->anchor_y, mask->width,
                         mask->height);
    if (args->kind == PRIM_CONVOLUTION_OF_VECTOR && mask->height != 1)
        return prim_fail(PRIM_ERROR_VALUE,
                         "%s: mask's height is %zu, but a vector needs a mask of height 1",
                         args->call.name, mask->height);
    if (mask->h_values == NULL && mask->d_values == NULL)
        return prim_fail(PRIM_ERROR_NULL, "%s: mask's h_values and d_values are both NULL",
                         args->call.name);
    return PRIM_OK;
}

/* Checks the row and the column of a separable mask. */
static prim_status check_parts(const prim_convolution_args *args)
{
    const prim_mask *x = &args->mask, *y = &args->mask_y;
    if (x->type != y->type)
        return prim_fail(PRIM_ERROR_TYPE, "%s: mask_x's type is %s, but mask_y's type is %s",
                         args->call.name, prim_element_name(x->type), prim_element_name(y->type));
    if (x->height != 1)
        return prim_fail(PRIM_ERROR_VALUE, "%s: mask_x's height is %zu, not 1", args->call.name,
                         x->height);
    if (y->width != 1)
        return prim_fail(PRIM_ERROR_VALUE, "%s: mask_y's width is %zu, not 1", args->call.name,
                         y->width);
    return check_mask(args, y);
}

/* 0 counts as 1, which changes no sum. */
static prim_status check_divisor(const prim_convolution_args *args)
{
    const int64_t divisor = prim_convolution_divisor(args);
    if (divisor < INT32_MIN || divisor > INT32_MAX)
        return prim_fail(PRIM_ERROR_VALUE,
                         "%s: mask_x's divisor %d times mask_y's divisor %d does not fit int32_t",
                         args->call.name, (int)args->mask.divisor, (int)args->mask_y.divisor);
    const int32_t x = args->mask.divisor, y = args->mask_y.divisor;
    const bool is_none = (x == 0 || x == 1) && (y == 0 || y == 1);
    if (!is_none && !prim_convolution_has_integers(args))
        return prim_fail(
            PRIM_ERROR_VALUE,
            "%s: mask's divisor is %d, but only masks of i8 and i16 can have a divisor",
            args->call.name, (int)(x == 0 || x == 1 ? y : x));
    return PRIM_OK;
}

static prim_status check_masks(const prim_convolution_args *args)
{
    const bool is_separable = args->kind == PRIM_CONVOLUTION_SEPARABLE;
    prim_status status = is_separable ? check_types(args, &args->mask_y) : PRIM_OK;
    if (status == PRIM_OK && is_separable)
        status = check_parts(args);
    if (status == PRIM_OK)
        status = check_mask(args, &args->mask);
    return status == PRIM_OK ? check_divisor(args) : status;
}

static prim_status check_images(const prim_convolution_args *args)
{
    prim_status status = prim_check_image(&args->call, "in", &args->in);
    if (status == PRIM_OK)
        status = prim_check_image(&args->call, "out", &args->out);
    if (status == PRIM_OK &&
        (args->in.width != args->out.width || args->in.height != args->out.height ||
         args->in.channels != args->out.channels))
        status = prim_fail(PRIM_ERROR_VALUE,
                           "%s: in is %zu × %zu with %d channels, but out is %zu × %zu with %d",
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
    prim_status status = check_types(args, &args->mask);
    if (status == PRIM_OK && (args->flags & ~(unsigned)PRIM_CONVOLUTION_FLIP) != 0)
        status = prim_fail(PRIM_ERROR_VALUE,
                           "%s: flags are %#x, but the only flag is PRIM_CONVOLUTION_FLIP, %#x",
                           args->call.name, args->flags, (unsigned)PRIM_CONVOLUTION_FLIP);
    if (status == PRIM_OK)
        status = check_images(args);
    return status == PRIM_OK ? check_masks(args) : status;
}

/* ---- the pointers ---- */

/* On the device one of h_values and d_values may be NULL; on the host h_values must not be. */
static prim_status check_weights(const prim_convolution_args *args, const prim_mask *mask,
                                 prim_span *span)
{
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
    operands->count = args->kind == PRIM_CONVOLUTION_SEPARABLE ? 4 : 3;
    prim_status status = prim_check_pixels(&args->call, "in", &args->in, in);
    if (status == PRIM_OK)
        status = prim_check_pixels(&args->call, "out", &args->out, out);
    if (status == PRIM_OK)
        status = check_weights(args, &args->mask, &weights[0]);
    if (status == PRIM_OK && operands->count == 4)
        status = check_weights(args, &args->mask_y, &weights[1]);
    if (status == PRIM_OK && args->boundary == PRIM_BOUNDARY_CONSTANT)
        status =
            prim_check_scalar(&args->call, "fill", args->fill, prim_element_bytes(args->in.type));
    if (status == PRIM_OK)
        status = prim_check_disjoint(&args->call, *out, *in);
    for (int i = 2; i < operands->count && status == PRIM_OK; i++)
        status = prim_check_disjoint(&args->call, *out, operands->spans[i]);
    return status;
}

static void describe(const void *any, char *text, size_t bytes)
{
    const prim_convolution_args *args = any;
    snprintf(text, bytes, "%s, image %zu × %zu, mask %zu × %zu", prim_element_name(args->in.type),
             args->in.width, args->in.height, args->mask.width,
             args->kind == PRIM_CONVOLUTION_SEPARABLE ? args->mask_y.height : args->mask.height);
}

static const char *route(const prim_rung *rung, const void *args)
{
    return rung->variant.value == PRIM_CONVOLUTION_REGISTER
               ? prim_convolution_register_route((const prim_convolution_args *)args)
               : NULL;
}

static const prim_ladder ladder = {
    .rungs = prim_convolution_rungs,
    .choose = prim_convolution_choose_rung,
    .check_kind = check_kind,
    .check_operands = check_operands,
    .describe = describe,
    .route = route,
};

/* ---- images ---- */

static prim_convolution_args image_args(const char *name, prim_convolution_variant variant,
                                        unsigned flags, prim_boundary boundary, prim_image in,
                                        prim_mask mask, prim_image out)
{
    return (prim_convolution_args){.call = {.name = name, .variant = (int)variant},
                                   .flags = flags,
                                   .boundary = boundary,
                                   .in = prim_with_pitch(in),
                                   .mask = mask,
                                   .out = prim_with_pitch(out)};
}

static prim_status run(prim_convolution_args *args, const void *h_fill, const prim_call *call)
{
    args->fill = h_fill;
    return prim_ladder_call(&ladder, &args->call, call);
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
                             prim_mask mask, prim_image out, const prim_call *call)
{
    prim_convolution_args args =
        image_args("prim_convolve_2d", variant, flags, boundary, in, mask, out);
    return run(&args, h_fill, call);
}

prim_status prim_convolve_2d_host(unsigned flags, prim_boundary boundary, const void *h_fill,
                                  prim_image in, prim_mask mask, prim_image out, int threads)
{
    prim_convolution_args args =
        image_args("prim_convolve_2d_host", PRIM_CONVOLUTION_AUTO, flags, boundary, in, mask, out);
    return run_host(&args, h_fill, threads);
}

/* ---- separable masks ---- */

static prim_convolution_args separable_args(const char *name, prim_convolution_variant variant,
                                            unsigned flags, prim_boundary boundary, prim_image in,
                                            prim_mask mask_x, prim_mask mask_y, prim_image out)
{
    prim_convolution_args args = image_args(name, variant, flags, boundary, in, mask_x, out);
    args.kind = PRIM_CONVOLUTION_SEPARABLE;
    args.mask_y = mask_y;
    return args;
}

prim_status prim_convolve_separable(prim_convolution_variant variant, unsigned flags,
                                    prim_boundary boundary, const void *h_fill, prim_image in,
                                    prim_mask mask_x, prim_mask mask_y, prim_image out,
                                    const prim_call *call)
{
    prim_convolution_args args = separable_args("prim_convolve_separable", variant, flags, boundary,
                                                in, mask_x, mask_y, out);
    return run(&args, h_fill, call);
}

prim_status prim_convolve_separable_host(unsigned flags, prim_boundary boundary, const void *h_fill,
                                         prim_image in, prim_mask mask_x, prim_mask mask_y,
                                         prim_image out, int threads)
{
    prim_convolution_args args =
        separable_args("prim_convolve_separable_host", PRIM_CONVOLUTION_AUTO, flags, boundary, in,
                       mask_x, mask_y, out);
    return run_host(&args, h_fill, threads);
}

/* ---- vectors ---- */

/* A row whose bytes do not fit size_t is refused before its pitch is checked. */
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
    args.kind = PRIM_CONVOLUTION_OF_VECTOR;
    return args;
}

prim_status prim_convolve_1d(prim_convolution_variant variant, unsigned flags,
                             prim_boundary boundary, const void *h_fill, cudaDataType_t type,
                             const void *d_in, size_t count, prim_mask mask, void *d_out,
                             const prim_call *call)
{
    prim_convolution_args args =
        vector_args("prim_convolve_1d", variant, flags, boundary, type, d_in, count, mask, d_out);
    return run(&args, h_fill, call);
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
