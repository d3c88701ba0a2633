/* Where the arrays of a matrix lie in memory that a call is given, and how long that is. */
#include "sparse/convert/layout.h"

#include "common/host/element.h"
#include "sparse/rows/rows.h"
#include "sparse/sparse_args.h"

typedef struct arena {
    char *memory; /* NULL: only counting */
    size_t bytes;
    bool full; /* more than size_t holds */
} arena;

static void *take(arena *a, size_t count, size_t element_bytes)
{
    const size_t begin = a->bytes + (PRIM_SPARSE_ALIGNMENT - a->bytes % PRIM_SPARSE_ALIGNMENT) %
                                        PRIM_SPARSE_ALIGNMENT;
    if (begin < a->bytes || count > (SIZE_MAX - begin) / element_bytes) {
        a->full = true;
        return NULL;
    }
    a->bytes = begin + count * element_bytes;
    return a->memory != NULL ? a->memory + begin : NULL;
}

bool prim_sparse_lay_out(prim_sparse *m, void *memory, bool sorted, size_t *bytes)
{
    arena places = {.memory = memory}, *const a = &places;
    const size_t value = prim_element_bytes(m->value_type), index = sizeof(int32_t);
    if (m->format == PRIM_SPARSE_CSR)
        m->row_offsets = take(a, m->rows + 1, prim_element_bytes(m->offset_type));
    if (m->format == PRIM_SPARSE_COO || m->format == PRIM_SPARSE_HYB)
        m->row_indices = take(a, m->entries, index);
    if (m->format == PRIM_SPARSE_ELL || m->format == PRIM_SPARSE_HYB) {
        if (m->ell_width > 0 && m->ell_ld > SIZE_MAX / m->ell_width)
            a->full = true;
        m->ell_columns = take(a, m->ell_width * m->ell_ld, index);
        m->ell_values = take(a, m->ell_width * m->ell_ld, value);
    }
    if (m->format == PRIM_SPARSE_JDS) {
        m->permutation = take(a, m->rows, index);
        m->h_groups = take(a, m->group_count, sizeof *m->h_groups);
    }
    if (m->format == PRIM_SPARSE_SELL) {
        m->slice_offsets = take(a, prim_sparse_slices(m) + 1, prim_element_bytes(m->offset_type));
        m->permutation = sorted ? take(a, m->rows, index) : NULL;
    }
    if (m->format != PRIM_SPARSE_ELL) {
        m->column_indices = take(a, m->entries, index);
        m->values = take(a, m->entries, value);
    }
    *bytes = a->bytes;
    return !a->full;
}

/* ---- the target of a call ---- */

/* Groups that overlap may have more entries than size_t counts. */
size_t prim_sparse_entries(const prim_sparse *m)
{
    size_t entries = 0;
    if (m->format != PRIM_SPARSE_JDS)
        return m->entries;
    for (size_t g = 0; g < m->group_count; g++) {
        const size_t of_group = m->h_groups[g].rows * m->h_groups[g].width;
        entries = of_group > SIZE_MAX - entries ? SIZE_MAX : entries + of_group;
    }
    return entries;
}

/* The size is all that the host does not know. */
static size_t target_entries(const prim_sparse_convert_args *args)
{
    const prim_sparse_format from = args->from.format, to = args->format;
    if (to == PRIM_SPARSE_ELL)
        return 0;
    return to == PRIM_SPARSE_SELL || to == PRIM_SPARSE_HYB || from == PRIM_SPARSE_ELL ||
                   from == PRIM_SPARSE_SELL || from == PRIM_SPARSE_HYB
               ? args->size
               : prim_sparse_entries(&args->from);
}

bool prim_sparse_target(const prim_sparse_convert_args *args, prim_sparse *to, size_t *bytes)
{
    const prim_sparse *from = &args->from;
    *to = (prim_sparse){.format = args->format,
                        .rows = args->transposed ? from->columns : from->rows,
                        .columns = args->transposed ? from->rows : from->columns,
                        .entries = target_entries(args),
                        .value_type = from->value_type,
                        .offset_type = args->offset_type};
    if (args->format == PRIM_SPARSE_ELL || args->format == PRIM_SPARSE_HYB) {
        to->ell_width = args->format == PRIM_SPARSE_ELL ? args->size : (size_t)args->width;
        to->ell_ld = from->rows;
    }
    if (args->format == PRIM_SPARSE_JDS)
        to->group_count = args->size;
    return prim_sparse_lay_out(to, args->memory, args->width > 1, bytes);
}
