/* Rows of a matrix in any format, on the host. */
#include "sparse/rows/rows.h"

#include "sparse/sparse_args.h"

bool prim_sparse_has_permutation(const prim_sparse *m)
{
    return m->format == PRIM_SPARSE_JDS ||
           (m->format == PRIM_SPARSE_SELL && m->permutation != NULL);
}

static prim_strip csr_strip(const prim_sparse *m, size_t row)
{
    const size_t first = prim_sparse_offset(m, row);
    return (prim_strip){m->column_indices, m->values, first, 1,
                        prim_sparse_offset(m, row + 1) - first};
}

/* The first entry whose row is not less than `row`. */
static size_t lower_bound(const prim_sparse *m, size_t row)
{
    size_t first = 0, count = m->entries;
    while (count > 0) {
        const size_t half = count / 2;
        if ((size_t)m->row_indices[first + half] < row) {
            first += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return first;
}

static prim_strip coo_strip(const prim_sparse *m, size_t row)
{
    const size_t first = lower_bound(m, row);
    return (prim_strip){m->column_indices, m->values, first, 1, lower_bound(m, row + 1) - first};
}

static prim_strip ell_strip(const prim_sparse *m, size_t row)
{
    prim_strip strip = {m->ell_columns, m->ell_values, row, m->ell_ld, 0};
    while (strip.count < m->ell_width && m->ell_columns[strip.count * m->ell_ld + row] >= 0)
        strip.count++;
    return strip;
}

static prim_strip sell_strip(const prim_sparse *m, size_t place)
{
    const size_t slice = place / PRIM_SPARSE_SLICE_ROWS, end = prim_sparse_offset(m, slice + 1);
    prim_strip strip = {m->column_indices, m->values,
                        prim_sparse_offset(m, slice) + place % PRIM_SPARSE_SLICE_ROWS,
                        PRIM_SPARSE_SLICE_ROWS, 0};
    for (size_t e = strip.first; e < end && m->column_indices[e] >= 0; e += strip.stride)
        strip.count++;
    return strip;
}

/* The last group that begins at the place or before it; groups before it may be empty. */
static const prim_jds_group *group_of(const prim_sparse *m, size_t place)
{
    size_t first = 0, count = m->group_count;
    while (count > 1) {
        const size_t half = count / 2;
        if (m->h_groups[first + half].first_row <= place) {
            first += half;
            count -= half;
        } else {
            count = half;
        }
    }
    return &m->h_groups[first];
}

static prim_strip jds_strip(const prim_sparse *m, size_t place)
{
    const prim_jds_group *group = group_of(m, place);
    return (prim_strip){m->column_indices, m->values,
                        group->first_entry + (place - group->first_row), group->rows, group->width};
}

prim_row prim_sparse_row_at(const prim_sparse *m, size_t place)
{
    switch (m->format) {
    case PRIM_SPARSE_CSR:
        return (prim_row){place, {csr_strip(m, place)}, 1};
    case PRIM_SPARSE_COO:
        return (prim_row){place, {coo_strip(m, place)}, 1};
    case PRIM_SPARSE_ELL:
        return (prim_row){place, {ell_strip(m, place)}, 1};
    case PRIM_SPARSE_HYB:
        return (prim_row){place, {ell_strip(m, place), coo_strip(m, place)}, 2};
    case PRIM_SPARSE_SELL:
        return (prim_row){m->permutation != NULL ? (size_t)m->permutation[place] : place,
                          {sell_strip(m, place)},
                          1};
    default:
        return (prim_row){(size_t)m->permutation[place], {jds_strip(m, place)}, 1};
    }
}
