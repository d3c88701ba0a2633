/* prim_sparse_sort() among the entry points: scattered entries and one place that has many, added
 * up. d_out is the target's memory, and at its end the number of entries that are left. */
#include <stdint.h>
#include <string.h>

#include <primitives/sparse.h>

#include "entry_points.h"

/* Of 5200 entries, some 2600 in one place: three pieces of a sum. */
enum {
    ROWS = 70,
    COLUMNS = 90,
    ENTRIES = 5200,
    LINE_BYTES = ENTRIES * 4,
    LEFT_AT = 3 * LINE_BYTES,
    FILL = 0xA5
};

static void sort_input(void *h_in, unsigned seed)
{
    int32_t *const rows = h_in, *const columns = rows + ENTRIES;
    float *const values = (float *)(columns + ENTRIES);
    for (unsigned e = 0; e < ENTRIES; e++) {
        const unsigned bits = e * 2654435761u + seed * 97u;
        rows[e] = e % 2 == 0 ? ROWS / 2 : (int32_t)((bits >> 9) % ROWS);
        columns[e] = e % 2 == 0 ? COLUMNS / 3 : (int32_t)((bits >> 17) % COLUMNS);
        values[e] = (float)(bits >> 11 & 0x3f) - 25.0f; /* sums are exact */
    }
}

static void sort_answer(const void *h_in, size_t count, void *h_out)
{
    static float sums[ROWS][COLUMNS];
    static unsigned counts[ROWS][COLUMNS];
    const int32_t *const rows = h_in, *const columns = rows + ENTRIES;
    const float *const values = (const float *)(columns + ENTRIES);
    int32_t *const to = h_out;
    uint64_t left = 0;
    memset(sums, 0, sizeof sums);
    memset(counts, 0, sizeof counts);
    memset(h_out, FILL, LEFT_AT);
    for (size_t e = 0; e < count; e++) {
        sums[rows[e]][columns[e]] += values[e];
        counts[rows[e]][columns[e]]++;
    }
    for (int32_t row = 0; row < ROWS; row++)
        for (int32_t column = 0; column < COLUMNS; column++)
            if (counts[row][column] > 0) {
                to[left] = row;
                to[left + ENTRIES] = column;
                ((float *)to)[left++ + 2 * ENTRIES] = sums[row][column];
            }
    memcpy((char *)h_out + LEFT_AT, &left, sizeof left);
}

static prim_sparse matrix_of(const operands *o, size_t count)
{
    return (prim_sparse){.format = PRIM_SPARSE_COO,
                         .rows = ROWS,
                         .columns = COLUMNS,
                         .entries = count,
                         .value_type = CUDA_R_32F,
                         .row_indices = o->d_in,
                         .column_indices = part_of(o->d_in, LINE_BYTES),
                         .values = part_of(o->d_in, 2 * (size_t)LINE_BYTES)};
}

static prim_status sort_call(const operands *o)
{
    const call_head c = spoilt_options(o);
    prim_sparse m = matrix_of(o, o->count), made, *to = &made;
    char *memory = o->d_out, *left = part_of(memory, LEFT_AT);
    size_t bytes = LEFT_AT;
    spoil(o, "d_memory", &memory);
    FAULT("too few", PRIM_ERROR_WORKSPACE, "bytes", bytes--);
    FAULT("NULL", PRIM_ERROR_NULL, "to is NULL", to = NULL);
    FAULT("in the matrix", PRIM_ERROR_OVERLAP, "d_memory", memory = (char *)o->d_in + 16);
    FAULT("misaligned", PRIM_ERROR_MISALIGNED, "d_entries", left += 4);
    FAULT("in the matrix", PRIM_ERROR_OVERLAP, "d_entries", left = (char *)o->d_in + 16);
    FAULT("in the memory", PRIM_ERROR_OVERLAP, "d_entries", left = memory + 16);
    FAULT("unknown", PRIM_ERROR_ENUM, "format", m.format = 6);
    FAULT("i32", PRIM_ERROR_TYPE, "value_type", m.value_type = CUDA_R_32I);
    FAULT("rows", PRIM_ERROR_VALUE, "2^31", m.rows = (size_t)1 << 31);
    FAULT("columns", PRIM_ERROR_VALUE, "2^31", m.columns = (size_t)1 << 31);
    FAULT("NULL", PRIM_ERROR_NULL, "row_indices", m.row_indices = NULL);
    FAULT("NULL", PRIM_ERROR_NULL, "column_indices", m.column_indices = NULL);
    FAULT("NULL", PRIM_ERROR_NULL, "values", m.values = NULL);
    return prim_sparse_sort(m, memory, bytes, to, (uint64_t *)left, call_of(o, &c));
}

const entry_point sparse_sort_entry = {.name = "prim_sparse_sort",
                                       .variant_at = only_variant_at,
                                       .in_bytes = 3 * LINE_BYTES,
                                       .out_bytes = LEFT_AT + sizeof(uint64_t),
                                       .count = ENTRIES,
                                       .make_input = sort_input,
                                       .right_answer = sort_answer,
                                       .call = sort_call};
