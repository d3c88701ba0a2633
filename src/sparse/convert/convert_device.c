/* Conversions on the device: checks of the arguments, the target, and the calls. */
#include <stdio.h>

#include "common/host/element.h"
#include "common/host/fail.h"
#include "sparse/convert/layout.h"
#include "sparse/rows/rows.h"
#include "sparse/sparse_args.h"

PRIM_DECLARE_RUNG(sparse_convert, places)

static const prim_rung *const rungs[] = {&prim_sparse_convert_places_rung, NULL};

/* ---- checks ---- */

prim_status prim_sparse_check_target(const prim_sparse_convert_args *args)
{
    const char *const name = args->call.name;
    const bool sell = args->format == PRIM_SPARSE_SELL;
    const bool has_offsets = sell || args->format == PRIM_SPARSE_CSR;
    prim_sparse to;
    size_t bytes;
    if (has_offsets && args->offset_type != CUDA_R_32I && args->offset_type != CUDA_R_64I)
        return prim_fail(PRIM_ERROR_TYPE, "%s: offset_type is %s, neither i32 nor i64", name,
                         prim_element_name(args->offset_type));
    if (sell && args->size % PRIM_SPARSE_SLICE_ROWS != 0)
        return prim_fail(PRIM_ERROR_VALUE,
                         "%s: size is %zu, but for SELL it must be a multiple of %d", name,
                         args->size, PRIM_SPARSE_SLICE_ROWS);
    if (args->format == PRIM_SPARSE_JDS && args->size == 0 && args->from.rows > 0)
        return prim_fail(PRIM_ERROR_VALUE,
                         "%s: size is 0, but JDS needs at least one group for %zu rows", name,
                         args->from.rows);
    if (!prim_sparse_target(args, &to, &bytes))
        return prim_fail(PRIM_ERROR_SIZE,
                         "%s: the bytes of a target of size %zu in this format do not fit size_t",
                         name, args->size);
    if (has_offsets && args->offset_type == CUDA_R_32I && to.entries > INT32_MAX)
        return prim_fail(PRIM_ERROR_VALUE,
                         "%s: offset_type is i32, but %zu entries are more than %d", name,
                         to.entries, INT32_MAX);
    return PRIM_OK;
}

static prim_status check_kind(const void *any)
{
    const prim_sparse_convert_args *args = any;
    prim_status status = prim_sparse_check_format(&args->call, args->format);
    if (status == PRIM_OK)
        status = prim_sparse_check_shape(&args->call, &args->from);
    if (status == PRIM_OK && args->format == PRIM_SPARSE_SELL && args->width < 1)
        status = prim_fail(PRIM_ERROR_VALUE,
                           "%s: width is %lld, but for SELL it is sigma, which must be at least 1",
                           args->call.name, (long long)args->width);
    if (status == PRIM_OK && args->format == PRIM_SPARSE_HYB && args->width < 0)
        status = prim_fail(PRIM_ERROR_VALUE, "%s: width is %lld, but for HYB it must be at least 0",
                           args->call.name, (long long)args->width);
    if (status == PRIM_OK && args->format == PRIM_SPARSE_ELL && !args->wants_size &&
        args->width != 0 && (uint64_t)args->width != args->size)
        status = prim_fail(PRIM_ERROR_VALUE,
                           "%s: width is %lld and size %zu, but for ELL size is the number of "
                           "columns of its arrays, and width the same or 0",
                           args->call.name, (long long)args->width, args->size);
    return status == PRIM_OK && !args->wants_size ? prim_sparse_check_target(args) : status;
}

/* Memory that is left open is never too small. */
static prim_status check_memory(const prim_sparse_convert_args *args, prim_span *memory)
{
    prim_sparse to;
    size_t needed;
    prim_sparse_target(args, &to, &needed);
    if ((uintptr_t)args->memory % PRIM_SPARSE_ALIGNMENT != 0)
        return prim_fail(PRIM_ERROR_MISALIGNED,
                         "%s: d_memory is %p, which is not aligned to %d bytes", args->call.name,
                         args->memory, PRIM_SPARSE_ALIGNMENT);
    if (args->bytes < needed && !prim_is_left_open(&args->call, args->memory))
        return prim_fail(PRIM_ERROR_WORKSPACE, "%s: bytes is %zu, but %zu are needed",
                         args->call.name, args->bytes, needed);
    return prim_check_vector(&args->call, "memory", args->memory, args->bytes, 1, memory);
}

prim_status prim_sparse_check_written(const prim_sparse_convert_args *args, prim_operands *operands)
{
    prim_span *const spans = operands->spans;
    const int read = operands->count;
    int count = read;
    prim_status status = PRIM_OK;
    if (args->wants_size)
        status = prim_check_vector(&args->call, "size", args->d_size, 1, sizeof *args->d_size,
                                   &spans[count++]);
    else
        status = check_memory(args, &spans[count++]);
    if (status == PRIM_OK && !args->wants_size && args->d_size != NULL)
        status = prim_check_vector(&args->call, "entries", args->d_size, 1, sizeof *args->d_size,
                                   &spans[count++]);
    if (status == PRIM_OK && args->missing != NULL)
        status = prim_check_vector(&args->call, "missing", args->missing, 1, sizeof *args->missing,
                                   &spans[count++]);
    for (int w = read; w < count; w++)
        for (int other = 0; other < w && status == PRIM_OK; other++)
            status = prim_check_disjoint(&args->call, spans[w], spans[other]);
    operands->count = count;
    return status;
}

prim_status prim_sparse_check_made(const void *any, prim_operands *operands)
{
    const prim_sparse_convert_args *args = any;
    const prim_status status =
        prim_sparse_check_arrays(&args->call, &args->from, operands->spans, &operands->count);
    return status == PRIM_OK ? prim_sparse_check_written(args, operands) : status;
}

prim_status prim_sparse_check_made_kind(const void *any)
{
    const prim_sparse_convert_args *args = any;
    const prim_status status = prim_sparse_check_shape(&args->call, &args->from);
    return status == PRIM_OK ? prim_sparse_check_target(args) : status;
}

size_t prim_sparse_output_bytes(const void *any)
{
    const prim_sparse_convert_args *args = any;
    prim_sparse to;
    size_t bytes = 0;
    if (!args->wants_size)
        prim_sparse_target(args, &to, &bytes);
    return bytes;
}

void prim_sparse_describe_made(const void *any, char *text, size_t bytes)
{
    const prim_sparse *from = &((const prim_sparse_convert_args *)any)->from;
    snprintf(text, bytes, "%s, %zu × %zu, %zu entries", prim_sparse_format_name(from->format),
             from->rows, from->columns, from->entries);
}

static void describe(const void *any, char *text, size_t bytes)
{
    const prim_sparse_convert_args *args = any;
    snprintf(text, bytes, "%s to %s, %zu × %zu, %zu entries",
             prim_sparse_format_name(args->from.format), prim_sparse_format_name(args->format),
             args->from.rows, args->from.columns, args->from.entries);
}

static const prim_ladder ladder = {
    .rungs = rungs,
    .check_kind = check_kind,
    .check_operands = prim_sparse_check_made,
    .describe = describe,
    .output_bytes = prim_sparse_output_bytes,
};

/* ---- the calls ---- */

prim_status prim_sparse_make_target(const prim_ladder *of, prim_sparse_convert_args *args,
                                    prim_sparse *to, const prim_call *call)
{
    size_t bytes;
    prim_status status = prim_request_options(&args->call, call);
    const bool is_asked = args->call.answer != NULL;
    if (status == PRIM_OK && to == NULL && !is_asked)
        status = prim_fail(PRIM_ERROR_NULL, "%s: to is NULL", args->call.name);
    if (status == PRIM_OK)
        status = prim_ladder_run(of, &args->call);
    if (status == PRIM_OK && !is_asked)
        prim_sparse_target(args, to, &bytes);
    return status;
}

prim_status prim_sparse_convert_size(prim_sparse from, prim_sparse_format format, int64_t width,
                                     uint64_t *d_size, const prim_call *call)
{
    prim_sparse_convert_args args = {.call = {.name = "prim_sparse_convert_size"},
                                     .from = from,
                                     .format = format,
                                     .width = width,
                                     .wants_size = true,
                                     .d_size = d_size};
    return prim_ladder_call(&ladder, &args.call, call);
}

prim_status prim_sparse_convert(prim_sparse from, prim_sparse_format format,
                                cudaDataType_t offset_type, int64_t width, size_t size,
                                void *d_memory, size_t bytes, prim_sparse *to, uint64_t *d_missing,
                                const prim_call *call)
{
    prim_sparse_convert_args args = {.call = {.name = "prim_sparse_convert"},
                                     .from = from,
                                     .format = format,
                                     .offset_type = offset_type,
                                     .width = width,
                                     .size = size,
                                     .memory = d_memory,
                                     .bytes = bytes,
                                     .missing = d_missing};
    return prim_sparse_make_target(&ladder, &args, to, call);
}
