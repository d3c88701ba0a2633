/* sparse: the check on the device finds what the check on the host does, and reads nothing else. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <primitives/sparse.h>

#include "calls.h"
#include "sparse_matrices.h"
#include "support.h"

/* ---- what each of the two finds ---- */

static prim_sparse_finding find_on_device(const prim_sparse *m)
{
    sent s = send_matrix(m);
    prim_sparse_finding found;
    size_t bytes;
    cr_prim(asked_bytes(prim_sparse_check(s.m, NULL, asking()), &bytes));
    guarded finding = guarded_new(sizeof found, 8), workspace = guarded_new(bytes, 0);
    cr_own(prim_sparse_check(s.m, finding.data,
                             with(own_stream(), bytes > 0 ? workspace.data : NULL, bytes)));
    guarded_read(&finding, &found);
    guarded_free(&workspace);
    guarded_free(&finding);
    forget_sent(&s);
    return found;
}

/* By the sentence: "prim_sparse_check_host: ARRAY[PLACE] is …". */
static prim_sparse_finding find_on_host(const prim_sparse *m)
{
    static const char *const arrays[] = {"row_offsets", "row_indices",   "ell_columns", "",
                                         "permutation", "column_indices"};
    char name[32];
    size_t place;
    if (prim_sparse_check_host(*m) == PRIM_OK)
        return (prim_sparse_finding){PRIM_SPARSE_SOUND, 0};
    const char *const sentence = prim_last_error(NULL);
    cr_assert_eq(sscanf(sentence, "prim_sparse_check_host: %31[a-z_][%zu]", name, &place), 2, "%s",
                 sentence);
    const bool sell = m->format == PRIM_SPARSE_SELL;
    uint64_t rule = 0;
    for (size_t i = 0; i < COUNT_OF(arrays); i++)
        if (strcmp(name, arrays[i]) == 0)
            rule = i + 1;
    if (strcmp(name, "slice_offsets") == 0)
        rule = PRIM_SPARSE_OFFSETS;
    if (sell && rule == PRIM_SPARSE_COLUMNS)
        rule = PRIM_SPARSE_STRIPS;
    cr_assert_neq(rule, 0, "%s", sentence);
    return (prim_sparse_finding){rule, place};
}

static bool same(prim_sparse_finding a, prim_sparse_finding b)
{
    return a.rule == b.rule && a.place == b.place;
}

static prim_sparse_finding expect_same(const prim_sparse *m, const char *what)
{
    const prim_sparse_finding host = find_on_host(m), device = find_on_device(m);
    cr_assert(same(host, device), "%s, %s: rule %d at %zu, not %d at %zu", format_names[m->format],
              what, (int)device.rule, (size_t)device.place, (int)host.rule, (size_t)host.place);
    return device;
}

/* ---- sound matrices ---- */

Test(sparse_check, sound_matrices_are)
{
    static const cudaDataType_t types[] = {CUDA_R_32F, CUDA_R_64F, CUDA_R_16F, CUDA_R_16BF};
    const size_t step = get_test_level() == LEVEL_QUICK ? 5 : 1;
    for (size_t f = 0; f < FORMS; f++)
        for (size_t s = f % step; s < shape_count; s += step) {
            kept csr = make(&shapes[s], types[(s + f) % COUNT_OF(types)],
                            s % 2 == 0 ? CUDA_R_32I : CUDA_R_64I, WHOLE);
            kept there = in_form(&csr.m, &forms[f]);
            cr_assert(same(find_on_device(&there.m), (prim_sparse_finding){0, 0}), "%s as %s",
                      shapes[s].name, format_names[there.m.format]);
            forget(&there);
            forget(&csr);
        }
}

/* ---- the classic example with one wrong number ---- */

typedef enum which { OFFSETS, ROWS, COLUMNS, ELL_COLUMNS, PERMUTATION, SLICES } which;

typedef struct wrong_number {
    prim_sparse_format format;
    which array;
    size_t i;
    int32_t value;
    prim_sparse_finding finding;
} wrong_number;

static const wrong_number wrong_numbers[] = {
    {PRIM_SPARSE_CSR, OFFSETS, 0, 1, {PRIM_SPARSE_OFFSETS, 0}},
    {PRIM_SPARSE_CSR, OFFSETS, 0, -1, {PRIM_SPARSE_OFFSETS, 0}},
    {PRIM_SPARSE_CSR, OFFSETS, 2, 1, {PRIM_SPARSE_OFFSETS, 2}},
    {PRIM_SPARSE_CSR, OFFSETS, 3, 8, {PRIM_SPARSE_OFFSETS, 3}},
    {PRIM_SPARSE_CSR, OFFSETS, 4, 6, {PRIM_SPARSE_OFFSETS, 4}},
    {PRIM_SPARSE_CSR, OFFSETS, 4, INT32_MIN, {PRIM_SPARSE_OFFSETS, 4}},
    {PRIM_SPARSE_CSR, COLUMNS, 5, 4, {PRIM_SPARSE_COLUMNS, 5}},
    {PRIM_SPARSE_CSR, COLUMNS, 0, -1, {PRIM_SPARSE_COLUMNS, 0}},
    {PRIM_SPARSE_COO, ROWS, 0, -1, {PRIM_SPARSE_ROWS, 0}},
    {PRIM_SPARSE_COO, ROWS, 3, 0, {PRIM_SPARSE_ROWS, 3}},
    {PRIM_SPARSE_COO, ROWS, 6, 4, {PRIM_SPARSE_ROWS, 6}},
    {PRIM_SPARSE_COO, COLUMNS, 1, 4, {PRIM_SPARSE_COLUMNS, 1}},
    {PRIM_SPARSE_ELL, ELL_COLUMNS, 0, 4, {PRIM_SPARSE_ELL_COLUMNS, 0}},
    {PRIM_SPARSE_ELL, ELL_COLUMNS, 2, -2, {PRIM_SPARSE_ELL_COLUMNS, 2}},
    {PRIM_SPARSE_ELL, ELL_COLUMNS, 5, 0, {PRIM_SPARSE_ELL_COLUMNS, 5}},
    {PRIM_SPARSE_ELL, ELL_COLUMNS, 2, -1, {PRIM_SPARSE_ELL_COLUMNS, 6}},
    {PRIM_SPARSE_HYB, ELL_COLUMNS, 3, 9, {PRIM_SPARSE_ELL_COLUMNS, 3}},
    {PRIM_SPARSE_HYB, ROWS, 1, 4, {PRIM_SPARSE_ROWS, 1}},
    {PRIM_SPARSE_HYB, COLUMNS, 3, -1, {PRIM_SPARSE_COLUMNS, 3}},
    {PRIM_SPARSE_JDS, PERMUTATION, 0, 4, {PRIM_SPARSE_PERMUTATION, 0}},
    {PRIM_SPARSE_JDS, PERMUTATION, 3, -1, {PRIM_SPARSE_PERMUTATION, 3}},
    {PRIM_SPARSE_JDS, PERMUTATION, 1, 2, {PRIM_SPARSE_PERMUTATION, 1}},
    {PRIM_SPARSE_JDS, COLUMNS, 6, 4, {PRIM_SPARSE_COLUMNS, 6}},
    {PRIM_SPARSE_SELL, SLICES, 0, 1, {PRIM_SPARSE_OFFSETS, 0}},
    {PRIM_SPARSE_SELL, SLICES, 0, 32, {PRIM_SPARSE_OFFSETS, 0}},
    {PRIM_SPARSE_SELL, SLICES, 1, 64, {PRIM_SPARSE_OFFSETS, 1}},
    {PRIM_SPARSE_SELL, SLICES, 1, 97, {PRIM_SPARSE_OFFSETS, 1}},
    {PRIM_SPARSE_SELL, SLICES, 1, INT32_MAX, {PRIM_SPARSE_OFFSETS, 1}},
    {PRIM_SPARSE_SELL, PERMUTATION, 0, 4, {PRIM_SPARSE_PERMUTATION, 0}},
    {PRIM_SPARSE_SELL, PERMUTATION, 1, 2, {PRIM_SPARSE_PERMUTATION, 1}},
    {PRIM_SPARSE_SELL, COLUMNS, 0, 4, {PRIM_SPARSE_STRIPS, 0}},
    {PRIM_SPARSE_SELL, COLUMNS, 33, -2, {PRIM_SPARSE_STRIPS, 33}},
    {PRIM_SPARSE_SELL, COLUMNS, 66, 0, {PRIM_SPARSE_STRIPS, 66}},
    {PRIM_SPARSE_SELL, COLUMNS, 4, 0, {PRIM_SPARSE_STRIPS, 4}},
    {PRIM_SPARSE_SELL, COLUMNS, 95, 0, {PRIM_SPARSE_STRIPS, 95}},
};

static int32_t *numbers_of(const prim_sparse *m, which array)
{
    const void *const arrays[] = {m->row_offsets, m->row_indices, m->column_indices,
                                  m->ell_columns, m->permutation, m->slice_offsets};
    return (int32_t *)arrays[array];
}

Test(sparse_check, one_wrong_number)
{
    for (size_t w = 0; w < COUNT_OF(wrong_numbers); w++) {
        const wrong_number *wrong = &wrong_numbers[w];
        kept k = classic_as(wrong->format);
        numbers_of(&k.m, wrong->array)[wrong->i] = wrong->value;
        const prim_sparse_finding found = find_on_device(&k.m);
        cr_assert(same(found, wrong->finding), "case %zu: rule %d at %zu", w, (int)found.rule,
                  (size_t)found.place);
        forget(&k);
    }
}

/* ---- many wrong numbers ---- */

/* How many 32-bit numbers each array has; offsets of 64 bits are two. */
static size_t count_of(const prim_sparse *m, which array)
{
    const size_t slices = (m->rows + 31) / 32, words = type_bytes(m->offset_type) / sizeof(int32_t);
    const size_t counts[] = {(m->rows + 1) * words,    m->entries, m->entries,
                             m->ell_width * m->ell_ld, m->rows,    (slices + 1) * words};
    return numbers_of(m, array) == NULL ? 0 : counts[array];
}

/* Small, near the bounds, or anything. */
static int32_t any_number(uint64_t bits)
{
    const int32_t near[] = {
        -1, 0, 1, -2, INT32_MAX, INT32_MIN, (int32_t)(bits >> 32), (int32_t)(bits >> 48)};
    return near[bits % COUNT_OF(near)];
}

static void spoil_some(const prim_sparse *m, uint64_t seed)
{
    for (uint64_t i = 0; i < 1 + seed % 4; i++) {
        const uint64_t bits = random_bits(seed * 8 + i);
        const which array = (which)(bits % 6);
        const size_t count = count_of(m, array);
        if (count > 0)
            numbers_of(m, array)[(bits >> 8) % count] = any_number(random_bits(bits));
    }
}

/* All numbers of an array are wrong: offsets lead anywhere, and every warp has something to say. */
static void spoil_whole_array(const prim_sparse *m, which array, uint64_t seed)
{
    for (size_t i = 0; i < count_of(m, array); i++)
        numbers_of(m, array)[i] = (int32_t)random_bits(seed + i);
}

/* Returns how many of them were found. */
static size_t check_spoilt(const kept *k, const char *name)
{
    char *const sound = allocate(k->bytes);
    const uint64_t rounds = get_test_level() == LEVEL_QUICK ? 3 : 30;
    size_t wrong = 0;
    memcpy(sound, k->memory, k->bytes);
    for (uint64_t seed = 0; seed < rounds; seed++) {
        spoil_some(&k->m, seed * 1000 + k->m.rows);
        wrong += expect_same(&k->m, name).rule != PRIM_SPARSE_SOUND;
        memcpy(k->memory, sound, k->bytes);
    }
    for (int array = OFFSETS; array <= SLICES; array++) {
        spoil_whole_array(&k->m, (which)array, (uint64_t)array);
        expect_same(&k->m, name);
        memcpy(k->memory, sound, k->bytes);
    }
    free(sound);
    return wrong;
}

static const char *const spoilt[] = {"of all kinds", "gaps", "skewed", "513 rows of 1", "33 a row"};

static bool is_to_be_spoilt(const shape *s)
{
    bool is = false;
    for (size_t n = 0; n < COUNT_OF(spoilt); n++)
        is = is || strcmp(spoilt[n], s->name) == 0;
    return is;
}

Test(sparse_check, spoilt_matrices)
{
    for (size_t f = 0; f < FORMS; f++) {
        size_t found = 0;
        for (size_t s = 0; s < shape_count; s++)
            for (int o = 0; o < 2 && is_to_be_spoilt(&shapes[s]); o++) {
                kept csr = make(&shapes[s], CUDA_R_16F, o == 0 ? CUDA_R_32I : CUDA_R_64I, WHOLE);
                kept there = in_form(&csr.m, &forms[f]);
                found += check_spoilt(&there, shapes[s].name);
                forget(&there);
                forget(&csr);
            }
        cr_assert_gt(found, 0);
    }
}

/* Without rows or entries, one offset is all there is. */
Test(sparse_check, an_offset_alone)
{
    for (int format = 0; format <= PRIM_SPARSE_SELL; format += PRIM_SPARSE_SELL)
        for (int64_t offset = -1; offset < 2; offset++)
            for (size_t entries = 0; entries < 2; entries++) {
                int32_t columns[] = {0};
                float values[] = {1};
                const prim_sparse m = {.format = (prim_sparse_format)format,
                                       .columns = 1,
                                       .entries = entries,
                                       .value_type = CUDA_R_32F,
                                       .offset_type = CUDA_R_64I,
                                       .row_offsets = format == 0 ? &offset : NULL,
                                       .slice_offsets = format == 0 ? NULL : &offset,
                                       .column_indices = columns,
                                       .values = values};
                expect_same(&m, "an offset alone");
            }
}

/* Rows of ELL that lie further apart than there are rows. */
Test(sparse_check, places_between_columns_do_not_count)
{
    int32_t columns[] = {0, 1, -7, 1, -1, 9};
    float values[6] = {0};
    const prim_sparse m = {.format = PRIM_SPARSE_ELL,
                           .rows = 2,
                           .columns = 2,
                           .value_type = CUDA_R_32F,
                           .ell_width = 2,
                           .ell_ld = 3,
                           .ell_columns = columns,
                           .ell_values = values};
    expect_same(&m, "sound");
    columns[0] = -1;
    cr_assert(
        same(expect_same(&m, "padding first"), (prim_sparse_finding){PRIM_SPARSE_ELL_COLUMNS, 3}));
}

/* Of JDS the host's groups are judged where they are; asked alone, the check does without them. */
Test(sparse_check, asked_without_groups)
{
    kept k = classic_as(PRIM_SPARSE_JDS);
    prim_sparse m = without_arrays(k.m);
    size_t bytes;
    m.h_groups = NULL;
    cr_prim(asked_bytes(prim_sparse_check(m, NULL, asking()), &bytes));
    cr_assert_eq(bytes, 4 * m.rows);
    cr_refused(prim_sparse_check(m, NULL, NULL), PRIM_ERROR_NULL, "h_groups");
    m.h_groups = k.m.h_groups;
    m.group_count--;
    cr_refused(prim_sparse_check(m, NULL, asking()), PRIM_ERROR_VALUE, "h_groups");
    forget(&k);
}
