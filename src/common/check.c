#include "common/check.h"

#include "common/fail.h"

prim_status prim_check_bytes(const char *call, const char *name, size_t rows, size_t columns,
                             size_t element_bytes)
{
    const size_t most = SIZE_MAX / element_bytes;
    if (columns > 0 && rows > most / columns)
        return prim_fail(PRIM_ERROR_SIZE,
                         "%s: %zu × %zu elements of %zu bytes in %s do not fit size_t", call, rows,
                         columns, element_bytes, name);
    return PRIM_OK;
}

prim_status prim_check_matrix(const char *call, const char *name, const void *data, size_t rows,
                              size_t columns, size_t ld, size_t element_bytes, prim_span *span)
{
    if (ld < columns)
        return prim_fail(PRIM_ERROR_VALUE, "%s: ld of %s is %zu, less than %zu columns", call, name,
                         ld, columns);
    const prim_status status = prim_check_bytes(call, name, rows, ld, element_bytes);
    if (status != PRIM_OK)
        return status;
    const size_t count = rows == 0 || columns == 0 ? 0 : (rows - 1) * ld + columns;
    return prim_check_vector(call, name, data, count, element_bytes, span);
}

prim_status prim_check_vector(const char *call, const char *name, const void *data, size_t count,
                              size_t element_bytes, prim_span *span)
{
    const prim_status status = prim_check_bytes(call, name, 1, count, element_bytes);
    if (status != PRIM_OK)
        return status;
    if (data == NULL && count > 0)
        return prim_fail(PRIM_ERROR_NULL, "%s: %s is NULL", call, name);
    if ((uintptr_t)data % element_bytes != 0)
        return prim_fail(PRIM_ERROR_MISALIGNED, "%s: %s is not aligned to its element's %zu bytes",
                         call, name, element_bytes);
    const size_t bytes = count * element_bytes;
    if (bytes > UINTPTR_MAX - (uintptr_t)data)
        return prim_fail(PRIM_ERROR_SIZE, "%s: %s and its %zu bytes end beyond the address space",
                         call, name, bytes);
    if (span != NULL)
        *span = (prim_span){name, data, bytes};
    return PRIM_OK;
}

prim_status prim_check_disjoint(const char *call, prim_span a, prim_span b)
{
    const uintptr_t a_first = (uintptr_t)a.data, b_first = (uintptr_t)b.data;
    if (a.bytes == 0 || b.bytes == 0 || a_first + a.bytes <= b_first ||
        b_first + b.bytes <= a_first)
        return PRIM_OK;
    return prim_fail(PRIM_ERROR_OVERLAP, "%s: %s overlaps %s", call, a.name, b.name);
}
