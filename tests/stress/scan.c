#include <string.h>

#include <primitives/scan.h>

#include "../calls.h"
#include "../rungs.h"
#include "oracles.h"
#include "stress.h"

/* In place where the dial says so and the types allow it. */
static operand *scan_output(trial *t, operand *x, type_pair p, size_t count, bool may_be_same)
{
    operand *y = pick(t, 3) > 0 || p.in != p.out || !may_be_same ? add_output(t, p.out, count) : x;
    y->is_output = y->has_any_nan = true;
    return y;
}

/* Other values than whole numbers, where the order is that of the host's version, or changes
 * nothing. */
static void pick_scan_values(trial *t, prim_op op, cudaDataType_t type)
{
    const bool has_host_order = scan_rung_has(t->variant, HAS_HOST_ORDER);
    const bool has_no_order = !is_float(type) || op == PRIM_OP_MIN || op == PRIM_OP_MAX;
    pick_values(t, has_host_order || has_no_order ? ANYTHING : WHOLE_NUMBERS);
}

/* The initial value: none, on the host, on the device, or there where the total goes. */
typedef struct initial {
    int64_t bits[2];
    bool is_on_host;
    const operand *on_device;
} initial;

static initial pick_initial(trial *t, const operand *total, bool is_sign)
{
    initial from = {{0}, false, NULL};
    const size_t kind = pick(t, 4);
    if (kind == 0 || is_sign)
        return from;
    operand *one = kind == 3 ? NULL : add_input(t, total->type, 1, false);
    from.is_on_host = kind == 1;
    from.on_device = kind == 1 ? NULL : kind == 2 ? one : total;
    if (one != NULL) {
        one->is_aside = kind == 1;
        one->may_be_null = true; /* then h_initial counts */
    }
    memcpy(from.bits, one != NULL ? one->before : total->before, total->bytes);
    return from;
}

static void scan(trial *t)
{
    PICK_VARIANT(t, scan);
    const prim_scan_kind kind = (prim_scan_kind)pick(t, 2);
    const prim_op op = (prim_op)pick(t, 4);
    const prim_transform f = (prim_transform)pick(t, 3);
    const type_pair p = pick_pair(t);
    const size_t count = pick_size(t, 70000);
    pick_scan_values(t, op, p.in);
    size_t bytes = 0;
    const prim_status asked = asked_bytes(
        prim_scan(t->variant, kind, op, f, p.in, NULL, count, p.out, NULL, NULL, asking()), &bytes);
    operand *x = add_input(t, p.in, count, needs_signs(t, op, p.in));
    operand *y = scan_output(t, x, p, count, true), *total = add_output(t, p.out, 1);
    total->may_be_null = total->has_any_nan = true;
    const initial from = pick_initial(t, total, needs_signs(t, op, p.out));
    begin(t, asked, bytes, true);
    describe(t, "scan: variant %d, kind %d, op %d, transform %d, types %d %d, %zu elements%s",
             t->variant, kind, op, f, p.in, p.out, count, x == y ? ", in place" : "");
    const void *h_initial = from.is_on_host ? from.bits : NULL,
               *d_initial = from.on_device != NULL ? from.on_device->d : NULL;
    if (!end(t, prim_scan(t->variant, kind, op, f, p.in, x->d, count, p.out, y->d,
                          &(prim_scan_ends){
                              .h_initial = h_initial, .d_initial = d_initial, .total = total->d},
                          with(t->stream, t->workspace, t->workspace_bytes))))
        return;
    const void *const is_given = from.on_device != NULL ? from.bits : h_initial;
    on_host(t, prim_scan_host(kind, op, f, p.in, x->h, count, p.out, y->h,
                              &(prim_scan_ends){.h_initial = is_given, .total = total->h},
                              t->threads));
    const combination c = {op, f, p};
    const size_t i = pick(t, count + 1), length = i + (kind == PRIM_SCAN_INCLUSIVE);
    if (i == count || !is_known(&c, length))
        return;
    const double own = combined(&c, x, 0, length, 1);
    expect(t, y, i,
           is_given == NULL ? own : combine(op, number_at(p.out, (const char *)from.bits, 0), own));
}

static void scan_rows(trial *t)
{
    PICK_VARIANT(t, scan);
    const prim_scan_kind kind = (prim_scan_kind)pick(t, 2);
    const prim_op op = (prim_op)pick(t, 4);
    const prim_transform f = (prim_transform)pick(t, 3);
    const type_pair p = pick_pair(t);
    const matrix m = pick_matrix(t);
    pick_scan_values(t, op, p.in);
    const size_t out_ld = pick(t, 2) == 0 ? m.ld : m.columns + pick(t, 6);
    size_t bytes = 0;
    const prim_status asked = asked_bytes(
        prim_scan_rows(t->variant, kind, op, f, prim_matrix_of(p.in, NULL, m.rows, m.columns, 0),
                       prim_matrix_of(p.out, NULL, m.rows, m.columns, 0), NULL, asking()),
        &bytes);
    operand *x = add_input(t, p.in, span(m.rows, m.columns, m.ld), needs_signs(t, op, p.in));
    operand *y = scan_output(t, x, p, span(m.rows, m.columns, out_ld), out_ld == m.ld);
    begin(t, asked, bytes, true);
    describe(t,
             "scan_rows: variant %d, kind %d, op %d, transform %d, types %d %d, %zu × %zu, "
             "ld %zu and %zu%s",
             t->variant, kind, op, f, p.in, p.out, m.rows, m.columns, m.ld, out_ld,
             x == y ? ", in place" : "");
    if (!end(t, prim_scan_rows(t->variant, kind, op, f,
                               prim_matrix_of(p.in, x->d, m.rows, m.columns, m.ld),
                               prim_matrix_of(p.out, y->d, m.rows, m.columns, out_ld), NULL,
                               with(t->stream, t->workspace, t->workspace_bytes))))
        return;
    on_host(t, prim_scan_rows_host(kind, op, f, prim_matrix_of(p.in, x->h, m.rows, m.columns, m.ld),
                                   prim_matrix_of(p.out, y->h, m.rows, m.columns, out_ld), NULL,
                                   t->threads));
    const combination c = {op, f, p};
    const size_t row = pick(t, m.rows + 1), column = pick(t, m.columns + 1),
                 length = column + (kind == PRIM_SCAN_INCLUSIVE);
    if (row < m.rows && column < m.columns && is_known(&c, length))
        expect(t, y, row * out_ld + column, combined(&c, x, row * m.ld, length, 1));
}

/* Not of halves: the host's version rounds them between the directions. */
static void scan_2d(trial *t)
{
    PICK_VARIANT(t, scan);
    const prim_op op = (prim_op)pick(t, 3);
    const prim_transform f = (prim_transform)pick(t, 3);
    const type_pair p = pick_pair(t);
    const matrix m = {pick_size(t, 90), pick_size(t, 90), 93};
    if (is_half(p.out))
        return;
    pick_values(t, is_float(p.out) ? WHOLE_NUMBERS : ANYTHING);
    size_t bytes = 0;
    const prim_status asked = asked_bytes(
        prim_scan_2d(t->variant, op, f, prim_matrix_of(p.in, NULL, m.rows, m.columns, 0),
                     prim_matrix_of(p.out, NULL, m.rows, m.columns, 0), asking()),
        &bytes);
    operand *x = add_input(t, p.in, span(m.rows, m.columns, m.ld), false);
    operand *y = scan_output(t, x, p, span(m.rows, m.columns, m.ld), true);
    begin(t, asked, bytes, true);
    describe(t, "scan_2d: variant %d, op %d, transform %d, types %d %d, %zu × %zu", t->variant, op,
             f, p.in, p.out, m.rows, m.columns);
    if (!end(t, prim_scan_2d(t->variant, op, f, prim_matrix_of(p.in, x->d, m.rows, m.columns, m.ld),
                             prim_matrix_of(p.out, y->d, m.rows, m.columns, m.ld),
                             with(t->stream, t->workspace, t->workspace_bytes))))
        return;
    on_host(t, prim_scan_2d_host(op, f, prim_matrix_of(p.in, x->h, m.rows, m.columns, m.ld),
                                 prim_matrix_of(p.out, y->h, m.rows, m.columns, m.ld), t->threads));
    const combination c = {op, f, p};
    const size_t row = pick(t, m.rows + 1), column = pick(t, m.columns + 1);
    if (row == m.rows || column >= m.columns || !is_known(&c, column + 1))
        return;
    double area = combined(&c, x, 0, column + 1, 1);
    for (size_t i = 1; i <= row; i++)
        area = combine(op, area, combined(&c, x, i * m.ld, column + 1, 1));
    expect(t, y, row * m.ld + column, area);
}

const stress_call scan_calls[] = {
    {"scan", scan},
    {"scan_rows", scan_rows},
    {"scan_2d", scan_2d},
    {NULL, NULL},
};
