#include "common/host/check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/host/element.h"
#include "common/host/fail.h"

static const char *prefix(const prim_request *call)
{
    return call->on_host ? "h_" : "d_";
}

prim_status prim_check_operator(const prim_request *call, prim_op op, prim_transform transform)
{
    if ((unsigned)op > PRIM_OP_XOR)
        return prim_fail(PRIM_ERROR_ENUM, "%s: op is %d, not PRIM_OP_SUM to PRIM_OP_XOR, 0 to %d",
                         call->name, op, PRIM_OP_XOR);
    if ((unsigned)transform > PRIM_TRANSFORM_ABS)
        return prim_fail(PRIM_ERROR_ENUM,
                         "%s: transform is %d, not PRIM_TRANSFORM_NONE, _SQUARE or _ABS, 0 to %d",
                         call->name, transform, PRIM_TRANSFORM_ABS);
    return PRIM_OK;
}

prim_status prim_check_types(const prim_request *call, cudaDataType_t in_type,
                             cudaDataType_t out_type)
{
    static const struct {
        cudaDataType_t in, out;
    } wider[] = {{CUDA_R_8U, CUDA_R_32U},  {CUDA_R_8U, CUDA_R_64U},   {CUDA_R_32I, CUDA_R_64I},
                 {CUDA_R_16F, CUDA_R_32F}, {CUDA_R_16BF, CUDA_R_32F}, {CUDA_R_32F, CUDA_R_64F}};
    const char *const in = prim_element_name(in_type), *const out = prim_element_name(out_type);
    char may_be[32];
    if (prim_element_bytes(in_type) == 0)
        return prim_fail(PRIM_ERROR_TYPE, "%s: in_type is %s and out_type is %s", call->name, in,
                         out);
    if (out_type == in_type)
        return PRIM_OK;
    snprintf(may_be, sizeof may_be, "%s", in);
    for (size_t i = 0; i < sizeof wider / sizeof *wider; i++) {
        if (wider[i].in != in_type)
            continue;
        if (wider[i].out == out_type)
            return PRIM_OK;
        const size_t used = strlen(may_be);
        snprintf(may_be + used, sizeof may_be - used, " or %s", prim_element_name(wider[i].out));
    }
    return prim_fail(PRIM_ERROR_TYPE, "%s: out_type is %s, but for in_type %s it must be %s",
                     call->name, out, in, may_be);
}

prim_status prim_check_whole(const prim_request *call, const char *name, double value,
                             cudaDataType_t type)
{
    if (type != CUDA_R_32I || (fabs(value) < 0x1p63 && trunc(value) == value))
        return PRIM_OK;
    return prim_fail(
        PRIM_ERROR_VALUE,
        "%s: %s is %g, but for i32 it must be a whole number whose magnitude is below 2^63",
        call->name, name, value);
}

prim_status prim_check_bytes(const prim_request *call, const char *name, size_t rows,
                             size_t columns, size_t element_bytes)
{
    const size_t most = SIZE_MAX / element_bytes;
    if (columns == 0 || rows <= most / columns)
        return PRIM_OK;
    if (rows == 1)
        return prim_fail(PRIM_ERROR_SIZE,
                         "%s: the bytes of %zu elements of %zu bytes in %s%s do not fit size_t",
                         call->name, columns, element_bytes, prefix(call), name);
    return prim_fail(PRIM_ERROR_SIZE,
                     "%s: the bytes of %zu × %zu elements of %zu bytes in %s%s do not fit size_t",
                     call->name, rows, columns, element_bytes, prefix(call), name);
}

prim_matrix prim_with_ld(prim_matrix matrix)
{
    if (matrix.ld == 0)
        matrix.ld = matrix.columns;
    return matrix;
}

prim_image prim_with_pitch(prim_image image)
{
    if (image.pitch == 0)
        image.pitch = image.width * (size_t)image.channels * prim_element_bytes(image.type);
    return image;
}

prim_status prim_check_rows(const prim_request *call, const char *name, size_t rows, size_t columns,
                            size_t ld, size_t element_bytes, size_t *count)
{
    if (ld < columns)
        return prim_fail(PRIM_ERROR_VALUE, "%s: ld of %s%s is %zu, less than its %zu columns",
                         call->name, prefix(call), name, ld, columns);
    *count = 0;
    if (rows == 0 || columns == 0)
        return PRIM_OK;
    const prim_status status = prim_check_bytes(call, name, rows - 1, ld, element_bytes);
    if (status != PRIM_OK)
        return status;
    const size_t before_last = (rows - 1) * ld;
    if (columns > SIZE_MAX / element_bytes - before_last)
        return prim_fail(PRIM_ERROR_SIZE,
                         "%s: the bytes of %zu rows of %s%s with ld %zu do not fit size_t",
                         call->name, rows, prefix(call), name, ld);
    *count = before_last + columns;
    return PRIM_OK;
}

prim_status prim_check_matrix(const prim_request *call, const char *name, const void *data,
                              size_t rows, size_t columns, size_t ld, size_t element_bytes,
                              prim_span *span)
{
    size_t count = 0;
    const prim_status status =
        prim_check_rows(call, name, rows, columns, ld, element_bytes, &count);
    return status == PRIM_OK ? prim_check_vector(call, name, data, count, element_bytes, span)
                             : status;
}

prim_status prim_check_vector(const prim_request *call, const char *name, const void *data,
                              size_t count, size_t element_bytes, prim_span *span)
{
    const prim_status status = prim_check_bytes(call, name, 1, count, element_bytes);
    if (status != PRIM_OK)
        return status;
    if (prim_is_left_open(call, data))
        count = 0;
    if (data == NULL && count > 0)
        return prim_fail(PRIM_ERROR_NULL, "%s: %s%s is NULL", call->name, prefix(call), name);
    if ((uintptr_t)data % element_bytes != 0)
        return prim_fail(PRIM_ERROR_MISALIGNED,
                         "%s: %s%s is %p, which is not aligned to the %zu bytes of its element",
                         call->name, prefix(call), name, data, element_bytes);
    const size_t bytes = count * element_bytes;
    if (bytes > UINTPTR_MAX - (uintptr_t)data)
        return prim_fail(PRIM_ERROR_SIZE, "%s: %s%s and its %zu bytes end beyond the address space",
                         call->name, prefix(call), name, bytes);
    *span = (prim_span){name, data, bytes};
    return PRIM_OK;
}

prim_status prim_check_scalar(const prim_request *call, const char *name, const void *h_data,
                              size_t element_bytes)
{
    if ((uintptr_t)h_data % element_bytes == 0)
        return PRIM_OK;
    return prim_fail(PRIM_ERROR_MISALIGNED,
                     "%s: h_%s is %p, which is not aligned to the %zu bytes of its element",
                     call->name, name, h_data, element_bytes);
}

prim_status prim_check_image(const prim_request *call, const char *name, const prim_image *image)
{
    if (image->channels < 1 || image->channels > PRIM_MOST_CHANNELS)
        return prim_fail(PRIM_ERROR_VALUE, "%s: %s has %d channels, not 1 to %d", call->name, name,
                         image->channels, PRIM_MOST_CHANNELS);
    const size_t element_bytes = prim_element_bytes(image->type);
    const prim_status status =
        prim_check_bytes(call, name, (size_t)image->channels, image->width, element_bytes);
    if (status != PRIM_OK)
        return status;
    const size_t row_bytes = image->width * (size_t)image->channels * element_bytes;
    if (image->pitch < row_bytes || image->pitch % element_bytes != 0)
        return prim_fail(PRIM_ERROR_VALUE,
                         "%s: %s's pitch is %zu bytes: it must be at least a row's %zu bytes, and "
                         "a multiple of %zu",
                         call->name, name, image->pitch, row_bytes, element_bytes);
    return row_bytes == 0 ? PRIM_OK : prim_check_bytes(call, name, image->height, image->pitch, 1);
}

prim_status prim_check_pixels(const prim_request *call, const char *name, const prim_image *image,
                              prim_span *span)
{
    const size_t element_bytes = prim_element_bytes(image->type);
    const size_t row_elements = image->width * (size_t)image->channels;
    const bool is_empty = row_elements == 0 || image->height == 0;
    const size_t count =
        is_empty ? 0 : (image->height - 1) * (image->pitch / element_bytes) + row_elements;
    return prim_check_vector(call, name, image->data, count, element_bytes, span);
}

prim_status prim_check_disjoint(const prim_request *call, prim_span a, prim_span b)
{
    const uintptr_t a_first = (uintptr_t)a.data, b_first = (uintptr_t)b.data;
    if (a.bytes == 0 || b.bytes == 0 || a_first + a.bytes <= b_first ||
        b_first + b.bytes <= a_first)
        return PRIM_OK;
    return prim_fail(PRIM_ERROR_OVERLAP, "%s: %s%s overlaps %s%s", call->name, prefix(call), a.name,
                     prefix(call), b.name);
}

prim_status prim_check_all_disjoint(const prim_request *call, const prim_span *spans, int count)
{
    prim_status status = PRIM_OK;
    for (int a = 0; a < count; a++)
        for (int b = 0; b < a && status == PRIM_OK; b++)
            status = prim_check_disjoint(call, spans[a], spans[b]);
    return status;
}

prim_status prim_check_rectangle(const prim_request *call, const char *name, const void *data,
                                 size_t rows, size_t columns, size_t ld, size_t element_bytes,
                                 prim_rectangle *rectangle)
{
    *rectangle = (prim_rectangle){
        .rows = rows, .row_bytes = columns * element_bytes, .ld_bytes = ld * element_bytes};
    return prim_check_matrix(call, name, data, rows, columns, ld, element_bytes, &rectangle->span);
}

prim_status prim_check_batch(const prim_request *call, const char *name, const void *data,
                             size_t rows, size_t columns, size_t ld, size_t stride, size_t batches,
                             size_t element_bytes, prim_rectangle *rectangle)
{
    const size_t further = batches > 1 ? batches - 1 : 0;
    const bool empty = batches == 0 || rows == 0 || columns == 0;
    prim_status status = prim_check_rectangle(call, name, data, batches == 0 ? 0 : rows, columns,
                                              ld, element_bytes, rectangle);
    if (status != PRIM_OK || empty || further == 0 || stride == 0)
        return status;
    status = prim_check_bytes(call, name, further, stride, element_bytes);
    if (status != PRIM_OK)
        return status;
    const size_t away = further * stride, extent = (rows - 1) * ld + columns;
    if (extent > SIZE_MAX / element_bytes - away)
        return prim_fail(
            PRIM_ERROR_SIZE,
            "%s: the bytes of %zu matrices %s%s with a stride of %zu do not fit size_t", call->name,
            batches, prefix(call), name, stride);
    if (away <= ld - columns)
        columns += away;
    else if (stride % ld == 0)
        rows += away / ld;
    else {
        rows = 1;
        columns = ld = away + extent;
    }
    return prim_check_rectangle(call, name, data, rows, columns, ld, element_bytes, rectangle);
}

prim_rectangle prim_one_row(prim_span vector)
{
    return (prim_rectangle){vector, 1, vector.bytes, vector.bytes};
}

/* The later matrix begins `behind` whole rows and `rest` bytes after the earlier one: its rows can
 * overlap the earlier matrix's row that begins before them, or with their end the next row. */
static bool rectangles_meet(prim_rectangle earlier, prim_rectangle later)
{
    const size_t apart = (uintptr_t)later.span.data - (uintptr_t)earlier.span.data;
    const size_t behind = apart / earlier.ld_bytes, rest = apart % earlier.ld_bytes;
    return (behind < earlier.rows && rest < earlier.row_bytes) ||
           (behind + 1 < earlier.rows && earlier.ld_bytes - rest < later.row_bytes);
}

prim_status prim_check_rectangles(const prim_request *call, prim_rectangle a, prim_rectangle b)
{
    if (a.span.bytes == 0 || b.span.bytes == 0)
        return PRIM_OK;
    if (a.ld_bytes != b.ld_bytes)
        return prim_check_disjoint(call, a.span, b.span);
    const bool a_first = (uintptr_t)a.span.data < (uintptr_t)b.span.data;
    if (!(a_first ? rectangles_meet(a, b) : rectangles_meet(b, a)))
        return PRIM_OK;
    return prim_fail(PRIM_ERROR_OVERLAP, "%s: %s%s overlaps %s%s", call->name, prefix(call),
                     a.span.name, prefix(call), b.span.name);
}

prim_status prim_check_product(const prim_request *call, prim_rectangle a, prim_rectangle b,
                               prim_rectangle c, prim_operands *operands)
{
    *operands = (prim_operands){{a.span, b.span, c.span}, 3};
    const prim_status status = prim_check_rectangles(call, c, a);
    return status == PRIM_OK ? prim_check_rectangles(call, c, b) : status;
}

prim_status prim_check_in_place(const prim_request *call, prim_rectangle a, prim_rectangle b)
{
    const bool same = a.span.data == b.span.data && a.ld_bytes == b.ld_bytes;
    return same ? PRIM_OK : prim_check_rectangles(call, a, b);
}
