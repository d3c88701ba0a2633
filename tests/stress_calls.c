/* The calls that stress.c makes: each chooses its arguments by dials, and compares with the host's
 * version. */
#include <stdlib.h>
#include <string.h>

#include <primitives/primitives.h>

#include "stress.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))
static int pick_variant(trial *t, const prim_variant *(*variant_at)(size_t index))
{
    size_t count = 0;
    while (variant_at(count) != NULL)
        count++;
    return variant_at(pick(t, count))->value;
}

#define PICK_VARIANT(t, pattern) ((t)->variant = pick_variant(t, prim_##pattern##_variant_at))

static const cudaDataType_t all_types[] = {
    CUDA_R_32F, CUDA_R_32I, CUDA_R_64F, CUDA_R_8U,  CUDA_R_8I,  CUDA_R_16I,
    CUDA_R_16U, CUDA_R_32U, CUDA_R_64I, CUDA_R_64U, CUDA_R_16F, CUDA_R_16BF,
};

typedef struct type_pair {
    cudaDataType_t in, out;
} type_pair;

/* Mostly types that go together: the same, or one of the wider ones. */
static type_pair pick_pair(trial *t)
{
    static const type_pair wider[] = {{CUDA_R_8U, CUDA_R_64U},   {CUDA_R_8U, CUDA_R_32U},
                                      {CUDA_R_32I, CUDA_R_64I},  {CUDA_R_16F, CUDA_R_32F},
                                      {CUDA_R_16BF, CUDA_R_32F}, {CUDA_R_32F, CUDA_R_64F}};
    const size_t kind = pick(t, 16);
    const cudaDataType_t type = pick_type(t, all_types, COUNT_OF(all_types));
    if (kind < 10)
        return (type_pair){type, type};
    if (kind < 15)
        return wider[pick(t, COUNT_OF(wider))];
    return (type_pair){type, pick_type(t, all_types, COUNT_OF(all_types))};
}

/* A product of floats stays in range if its factors are ±1. */
static bool needs_signs(prim_op op, cudaDataType_t type)
{
    return op == PRIM_OP_PRODUCT && is_float(type);
}

static size_t span(size_t rows, size_t columns, size_t ld)
{
    return rows == 0 || columns == 0 ? 0 : (rows - 1) * ld + columns;
}

/* ---- oracles: whole numbers, far below where doubles end ---- */

static bool is_half(cudaDataType_t type)
{
    return is_float(type) && bytes_of(type) == 2;
}

static double before(const operand *x, size_t i)
{
    return number_at(x->type, x->before, i);
}

/* A combination of elements. */
typedef struct combination {
    prim_op op;
    prim_transform f;
    type_pair types;
} combination;

/* What combined() knows: where floats stay exact, and of no elements only the sum, which is 0. */
static bool is_known(const combination *c, size_t count)
{
    const bool is_plain_sum = c->op == PRIM_OP_SUM && c->f == PRIM_TRANSFORM_NONE;
    return !is_half(c->types.in) &&
           (is_plain_sum || (count > 0 && c->op != PRIM_OP_SUM && c->op != PRIM_OP_PRODUCT));
}

/* As an integer of so many bytes keeps it. */
static double wrapped(cudaDataType_t type, double whole)
{
    char bits[8];
    const int64_t integer = (int64_t)whole;
    memcpy(bits, &integer, sizeof bits);
    return is_float(type) ? whole : number_at(type, bits, 0);
}

static double transformed(const combination *c, double x)
{
    const double y = c->f == PRIM_TRANSFORM_SQUARE         ? x * x
                     : c->f == PRIM_TRANSFORM_ABS && x < 0 ? -x
                                                           : x;
    return wrapped(c->types.out, y);
}

static double combine(prim_op op, double a, double b)
{
    switch (op) {
    case PRIM_OP_MIN:
        return b < a ? b : a;
    case PRIM_OP_MAX:
        return b > a ? b : a;
    case PRIM_OP_AND:
        return (double)((int64_t)a & (int64_t)b);
    case PRIM_OP_OR:
        return (double)((int64_t)a | (int64_t)b);
    case PRIM_OP_XOR:
        return (double)((int64_t)a ^ (int64_t)b);
    default:
        return a + b;
    }
}

/* Of `count` elements that lie so far apart. */
static double combined(const combination *c, const operand *x, size_t first, size_t count,
                       size_t apart)
{
    double so_far = count > 0 ? transformed(c, before(x, first)) : 0;
    for (size_t i = 1; i < count; i++)
        so_far = combine(c->op, so_far, transformed(c, before(x, first + i * apart)));
    return so_far;
}

static double product_of(const operand *x, size_t x_first, size_t x_apart, const operand *y,
                         size_t y_first, size_t y_apart, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += before(x, x_first + i * x_apart) * before(y, y_first + i * y_apart);
    return sum;
}

/* alpha · sum + beta · what was there */
static void expect_scaled(trial *t, const operand *z, size_t i, double alpha, double sum,
                          double beta)
{
    expect(t, z, i, alpha * sum + (beta != 0 ? beta * before(z, i) : 0));
}

/* ---- reduce ---- */

static void reduce(trial *t)
{
    PICK_VARIANT(t, reduce);
    const prim_op op = (prim_op)pick(t, 7);
    const prim_transform f = (prim_transform)pick(t, 3);
    const type_pair p = pick_pair(t);
    const size_t count = pick_size(t, 70000);
    size_t bytes = 0;
    const prim_status asked =
        prim_reduce_workspace_bytes(t->variant, op, f, p.in, count, p.out, &bytes);
    operand *x = add_input(t, p.in, count, needs_signs(op, p.in)), *y = add_output(t, p.out, 1);
    begin(t, asked, bytes, true);
    describe(t, "reduce: variant %d, op %d, transform %d, types %d %d, %zu elements", t->variant,
             op, f, p.in, p.out, count);
    if (!end(t, prim_reduce(t->variant, op, f, p.in, x->d, count, p.out, y->d, t->workspace,
                            t->workspace_bytes, t->stream)))
        return;
    on_host(t, prim_reduce_host(op, f, p.in, x->h, count, p.out, y->h, t->threads));
    const combination c = {op, f, p};
    if (is_known(&c, count))
        expect(t, y, 0, combined(&c, x, 0, count, 1));
}

typedef struct matrix {
    size_t rows, columns, ld;
} matrix;

static matrix pick_matrix(trial *t)
{
    matrix m = {.rows = pick_size(t, 300)};
    m.columns = pick_size(t, m.rows > 30 ? 300 : 5000);
    m.ld = m.columns + pick(t, 6);
    return m;
}

/* Rows, or where `down` columns. */
static void reduce_lines(trial *t, bool down)
{
    PICK_VARIANT(t, reduce);
    const prim_op op = (prim_op)pick(t, 7);
    const prim_transform f = (prim_transform)pick(t, 3);
    const type_pair p = pick_pair(t);
    const matrix m = pick_matrix(t);
    size_t bytes = 0;
    const prim_status asked =
        (down ? prim_reduce_columns_workspace_bytes : prim_reduce_rows_workspace_bytes)(
            t->variant, op, f, p.in, m.rows, m.columns, p.out, &bytes);
    operand *x = add_input(t, p.in, span(m.rows, m.columns, m.ld), needs_signs(op, p.in));
    operand *y = add_output(t, p.out, down ? m.columns : m.rows);
    begin(t, asked, bytes, true);
    describe(t, "reduce_%s: variant %d, op %d, transform %d, types %d %d, %zu × %zu, ld %zu",
             down ? "columns" : "rows", t->variant, op, f, p.in, p.out, m.rows, m.columns, m.ld);
    if (!end(t, (down ? prim_reduce_columns : prim_reduce_rows)(
                    t->variant, op, f, p.in, x->d, m.rows, m.columns, m.ld, p.out, y->d,
                    t->workspace, t->workspace_bytes, t->stream)))
        return;
    on_host(t, (down ? prim_reduce_columns_host : prim_reduce_rows_host)(
                   op, f, p.in, x->h, m.rows, m.columns, m.ld, p.out, y->h, t->threads));
    const size_t lines = down ? m.columns : m.rows, line = pick(t, lines + 1);
    const combination c = {op, f, p};
    if (line < lines && is_known(&c, down ? m.rows : m.columns))
        expect(t, y, line,
               down ? combined(&c, x, line, m.rows, m.ld)
                    : combined(&c, x, line * m.ld, m.columns, 1));
}

static void reduce_rows(trial *t)
{
    reduce_lines(t, false);
}

static void reduce_columns(trial *t)
{
    reduce_lines(t, true);
}

/* Offsets that ascend from some element up to what is left at most. */
static void set_offsets(trial *t, operand *offsets, size_t segments, size_t count)
{
    const size_t most = 2 * count / (segments + 1) + 1;
    uint64_t state = pick(t, 1 << 20), at = pick(t, 5) % (count + 1);
    for (size_t s = 0; s <= segments; s++) {
        memcpy(offsets->h + s * bytes_of(offsets->type), &at, bytes_of(offsets->type));
        state = state * 6364136223846793005u + 1442695040888963407u;
        const size_t next = (size_t)at + (size_t)(state >> 33) % most;
        at = next < count ? next : count;
    }
    send(offsets);
}

static size_t offset_in(const operand *offsets, size_t i)
{
    uint64_t at = 0;
    memcpy(&at, offsets->before + i * bytes_of(offsets->type), bytes_of(offsets->type));
    return (size_t)at;
}

static void reduce_segments(trial *t)
{
    PICK_VARIANT(t, reduce);
    const prim_op op = (prim_op)pick(t, 7);
    const prim_transform f = (prim_transform)pick(t, 3);
    const type_pair p = pick_pair(t);
    const size_t count = pick_size(t, 70000), segments = pick_size(t, 3000);
    const cudaDataType_t wide = pick(t, 2) == 0 ? CUDA_R_32I : CUDA_R_64I;
    size_t bytes = 0;
    const prim_status asked = prim_reduce_segments_workspace_bytes(t->variant, op, f, p.in, count,
                                                                   wide, segments, p.out, &bytes);
    operand *x = add_input(t, p.in, count, needs_signs(op, p.in));
    operand *offsets = add_input(t, wide, segments == 0 ? 0 : segments + 1, false);
    operand *y = add_output(t, p.out, segments);
    if (segments > 0)
        set_offsets(t, offsets, segments, count);
    begin(t, asked, bytes, true);
    describe(t, "reduce_segments: variant %d, op %d, transform %d, types %d %d, %zu of %zu",
             t->variant, op, f, p.in, p.out, segments, count);
    if (!end(t,
             prim_reduce_segments(t->variant, op, f, p.in, x->d, count, wide, offsets->d, segments,
                                  p.out, y->d, t->workspace, t->workspace_bytes, t->stream)))
        return;
    on_host(t, prim_reduce_segments_host(op, f, p.in, x->h, count, wide, offsets->h, segments,
                                         p.out, y->h, t->threads));
    const size_t segment = pick(t, segments + 1);
    const combination c = {op, f, p};
    if (segment == segments)
        return;
    const size_t first = offset_in(offsets, segment),
                 length = offset_in(offsets, segment + 1) - first;
    if (is_known(&c, length))
        expect(t, y, segment, combined(&c, x, first, length, 1));
}

static void arg_reduce(trial *t)
{
    PICK_VARIANT(t, reduce);
    const prim_op op = pick(t, 2) == 0 ? PRIM_OP_MIN : PRIM_OP_MAX;
    const prim_transform f = (prim_transform)pick(t, 3);
    const cudaDataType_t type = pick_type(t, all_types, COUNT_OF(all_types));
    const size_t count = pick_size(t, 70000);
    size_t bytes = 0;
    const prim_status asked =
        prim_arg_reduce_workspace_bytes(t->variant, op, f, type, count, &bytes);
    operand *x = add_input(t, type, count, false);
    operand *value = add_output(t, type, 1), *index = add_output(t, CUDA_R_64U, 1);
    begin(t, asked, bytes, true);
    describe(t, "arg_reduce: variant %d, op %d, transform %d, type %d, %zu elements", t->variant,
             op, f, type, count);
    if (end(t, prim_arg_reduce(t->variant, op, f, type, x->d, count, value->d, (void *)index->d,
                               t->workspace, t->workspace_bytes, t->stream)))
        on_host(t, prim_arg_reduce_host(op, f, type, x->h, count, value->h, (void *)index->h,
                                        t->threads));
}

static void dot(trial *t)
{
    PICK_VARIANT(t, reduce);
    const type_pair p = pick_pair(t);
    const size_t count = pick_size(t, 70000);
    size_t bytes = 0;
    const prim_status asked = prim_dot_workspace_bytes(t->variant, p.in, count, p.out, &bytes);
    operand *x = add_input(t, p.in, count, false), *y = add_input(t, p.in, count, false);
    operand *z = add_output(t, p.out, 1);
    begin(t, asked, bytes, true);
    describe(t, "dot: variant %d, types %d %d, %zu elements", t->variant, p.in, p.out, count);
    if (!end(t, prim_dot(t->variant, p.in, x->d, y->d, count, p.out, z->d, t->workspace,
                         t->workspace_bytes, t->stream)))
        return;
    on_host(t, prim_dot_host(p.in, x->h, y->h, count, p.out, z->h, t->threads));
    if (!is_half(p.in))
        expect(t, z, 0, product_of(x, 0, 1, y, 0, 1, count));
}

/* ---- scan ---- */

/* In place where the dial says so and the types allow it. */
static operand *scan_output(trial *t, operand *x, type_pair p, size_t count, bool may_be_same)
{
    if (pick(t, 3) > 0 || p.in != p.out || !may_be_same)
        return add_output(t, p.out, count);
    x->is_output = true;
    return x;
}

static void scan(trial *t)
{
    PICK_VARIANT(t, scan);
    const prim_scan_kind kind = (prim_scan_kind)pick(t, 2);
    const prim_op op = (prim_op)pick(t, 4);
    const prim_transform f = (prim_transform)pick(t, 3);
    const type_pair p = pick_pair(t);
    const size_t count = pick_size(t, 70000);
    size_t bytes = 0;
    const prim_status asked =
        prim_scan_workspace_bytes(t->variant, kind, op, f, p.in, count, p.out, &bytes);
    operand *x = add_input(t, p.in, count, needs_signs(op, p.in));
    operand *y = scan_output(t, x, p, count, true), *total = add_output(t, p.out, 1);
    total->may_be_null = true;
    const void *h_initial = NULL;
    int64_t initial[2] = {0};
    if (pick(t, 2) > 0 && !needs_signs(op, p.out)) {
        operand *one = add_input(t, p.out, 1, false);
        one->is_aside = true;
        h_initial = memcpy(initial, one->h, one->bytes);
    }
    begin(t, asked, bytes, true);
    describe(t, "scan: variant %d, kind %d, op %d, transform %d, types %d %d, %zu elements%s",
             t->variant, kind, op, f, p.in, p.out, count, x == y ? ", in place" : "");
    if (!end(t, prim_scan(t->variant, kind, op, f, h_initial, NULL, p.in, x->d, count, p.out, y->d,
                          total->d, t->workspace, t->workspace_bytes, t->stream)))
        return;
    on_host(t, prim_scan_host(kind, op, f, h_initial, p.in, x->h, count, p.out, y->h, total->h,
                              t->threads));
    const combination c = {op, f, p};
    const size_t i = pick(t, count + 1), length = i + (kind == PRIM_SCAN_INCLUSIVE);
    if (i == count || !is_known(&c, length))
        return;
    const double own = combined(&c, x, 0, length, 1);
    expect(t, y, i,
           h_initial == NULL ? own : combine(op, number_at(p.out, (const char *)initial, 0), own));
}

static void scan_rows(trial *t)
{
    PICK_VARIANT(t, scan);
    const prim_scan_kind kind = (prim_scan_kind)pick(t, 2);
    const prim_op op = (prim_op)pick(t, 4);
    const prim_transform f = (prim_transform)pick(t, 3);
    const type_pair p = pick_pair(t);
    const matrix m = pick_matrix(t);
    const size_t out_ld = pick(t, 2) == 0 ? m.ld : m.columns + pick(t, 6);
    size_t bytes = 0;
    const prim_status asked = prim_scan_rows_workspace_bytes(t->variant, kind, op, f, p.in, m.rows,
                                                             m.columns, p.out, &bytes);
    operand *x = add_input(t, p.in, span(m.rows, m.columns, m.ld), needs_signs(op, p.in));
    operand *y = scan_output(t, x, p, span(m.rows, m.columns, out_ld), out_ld == m.ld);
    begin(t, asked, bytes, true);
    describe(t,
             "scan_rows: variant %d, kind %d, op %d, transform %d, types %d %d, %zu × %zu, "
             "ld %zu and %zu%s",
             t->variant, kind, op, f, p.in, p.out, m.rows, m.columns, m.ld, out_ld,
             x == y ? ", in place" : "");
    if (!end(t, prim_scan_rows(t->variant, kind, op, f, NULL, NULL, p.in, x->d, m.rows, m.columns,
                               m.ld, p.out, y->d, out_ld, t->workspace, t->workspace_bytes,
                               t->stream)))
        return;
    on_host(t, prim_scan_rows_host(kind, op, f, NULL, p.in, x->h, m.rows, m.columns, m.ld, p.out,
                                   y->h, out_ld, t->threads));
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
    if (is_float(p.out) && bytes_of(p.out) == 2)
        return;
    size_t bytes = 0;
    const prim_status asked =
        prim_scan_2d_workspace_bytes(t->variant, op, f, p.in, m.rows, m.columns, p.out, &bytes);
    operand *x = add_input(t, p.in, span(m.rows, m.columns, m.ld), false);
    operand *y = scan_output(t, x, p, span(m.rows, m.columns, m.ld), true);
    begin(t, asked, bytes, true);
    describe(t, "scan_2d: variant %d, op %d, transform %d, types %d %d, %zu × %zu", t->variant, op,
             f, p.in, p.out, m.rows, m.columns);
    if (!end(t, prim_scan_2d(t->variant, op, f, p.in, x->d, m.rows, m.columns, m.ld, p.out, y->d,
                             m.ld, t->workspace, t->workspace_bytes, t->stream)))
        return;
    on_host(t, prim_scan_2d_host(op, f, p.in, x->h, m.rows, m.columns, m.ld, p.out, y->h, m.ld,
                                 t->threads));
    const combination c = {op, f, p};
    const size_t row = pick(t, m.rows + 1), column = pick(t, m.columns + 1);
    if (row == m.rows || column >= m.columns || !is_known(&c, column + 1))
        return;
    double area = combined(&c, x, 0, column + 1, 1);
    for (size_t i = 1; i <= row; i++)
        area = combine(op, area, combined(&c, x, i * m.ld, column + 1, 1));
    expect(t, y, row * m.ld + column, area);
}

static operand *add_sorted(trial *t, prim_order order, cudaDataType_t type, size_t count)
{
    operand *x = add_input(t, type, count, false);
    on_host(t, prim_merge_sort_host(order, type, x->h, count, x->h, 1));
    send(x);
    return x;
}

/* ---- histogram ---- */

/* Whole numbers and thirds on both sides of 0. */
static prim_histogram_range pick_range(trial *t)
{
    prim_histogram_range range = {.lower = (int64_t)pick(t, 20) - 10,
                                  .real_lower = (double)pick(t, 20) / 3 - 3};
    range.upper = range.lower + 1 + (int64_t)pick(t, 20);
    range.real_upper = range.real_lower + 0.1 + (double)pick(t, 20);
    return range;
}

/* What lies outside: as many for each of so many channels. */
static operand *add_outside(trial *t, prim_outside outside, cudaDataType_t type, size_t channels)
{
    operand *apart = add_output(t, type, 3 * channels);
    apart->is_output = outside == PRIM_OUTSIDE_COUNT;
    apart->is_aside = !apart->is_output;
    return apart;
}

/* Samples of a bin, integers. */
static double count_of(const operand *x, size_t count, prim_histogram_range range,
                       prim_outside outside, size_t bins, size_t bin)
{
    double found = 0;
    for (size_t i = 0; i < count; i++) {
        const int64_t sample = (int64_t)before(x, i);
        const bool is_below = sample < range.lower, is_above = sample >= range.upper;
        if (!is_below && !is_above)
            found += (size_t)((sample - range.lower) * (int64_t)bins /
                              (range.upper - range.lower)) == bin;
        else if (outside == PRIM_OUTSIDE_CLAMP)
            found += bin == (is_below ? 0 : bins - 1);
    }
    return found;
}

static void histogram_even(trial *t)
{
    PICK_VARIANT(t, histogram);
    const unsigned flags = (unsigned)pick(t, 4);
    const prim_outside outside = (prim_outside)pick(t, 3);
    const cudaDataType_t type = pick_type(t, all_types, COUNT_OF(all_types)),
                         counter = pick(t, 3) == 0 ? CUDA_R_64U : CUDA_R_32U;
    const size_t count = pick_size(t, 70000), bins = 1 + pick_size(t, 15000);
    const prim_histogram_range range = pick_range(t);
    size_t bytes = 0;
    const prim_status asked = prim_histogram_even_workspace_bytes(
        t->variant, flags, outside, range, type, count, bins, counter, &bytes);
    operand *x = add_input(t, type, count, false), *y = add_output(t, counter, bins),
            *apart = add_outside(t, outside, counter, 1);
    begin(t, asked, bytes, true);
    describe(t, "histogram_even: variant %d, flags %u, outside %d, type %d, %zu samples, %zu bins",
             t->variant, flags, outside, type, count, bins);
    if (!end(t, prim_histogram_even(t->variant, flags, outside, range, type, x->d, count, bins,
                                    counter, y->d, apart->d, t->workspace, t->workspace_bytes,
                                    t->stream)))
        return;
    on_host(t, prim_histogram_even_host(flags, outside, range, type, x->h, count, bins, counter,
                                        y->h, apart->h, t->threads));
    const size_t bin = pick(t, bins);
    if (!is_float(type))
        expect(t, y, bin,
               count_of(x, count, range, outside, bins, bin) +
                   (flags & PRIM_HISTOGRAM_ADD ? before(y, bin) : 0));
}

static void histogram_edges(trial *t)
{
    PICK_VARIANT(t, histogram_edges);
    const unsigned flags = (unsigned)pick(t, 4);
    const prim_outside outside = (prim_outside)pick(t, 3);
    const cudaDataType_t type = pick_type(t, all_types, COUNT_OF(all_types)),
                         counter = pick(t, 3) == 0 ? CUDA_R_64U : CUDA_R_32U,
                         edge = is_half(type)        ? CUDA_R_32F
                                : bytes_of(type) < 4 ? CUDA_R_32I
                                                     : type;
    const size_t count = pick_size(t, 30000), bins = 1 + pick_size(t, 3000);
    size_t bytes = 0;
    const prim_status asked = prim_histogram_edges_workspace_bytes(
        t->variant, flags, outside, type, count, bins, edge, counter, &bytes);
    operand *x = add_input(t, type, count, false),
            *edges = add_sorted(t, PRIM_ASCENDING, edge, bins + 1),
            *y = add_output(t, counter, bins), *apart = add_outside(t, outside, counter, 1);
    edges->is_aside = count == 0;
    begin(t, asked, bytes, true);
    describe(t, "histogram_edges: variant %d, flags %u, outside %d, type %d, %zu samples, %zu bins",
             t->variant, flags, outside, type, count, bins);
    if (end(t, prim_histogram_edges(t->variant, flags, outside, type, x->d, count, bins, edge,
                                    edges->d, counter, y->d, apart->d, t->workspace,
                                    t->workspace_bytes, t->stream)))
        on_host(t, prim_histogram_edges_host(flags, outside, type, x->h, count, bins, edge,
                                             edges->h, counter, y->h, apart->h, t->threads));
}

static void histogram_channels(trial *t)
{
    PICK_VARIANT(t, histogram_channels);
    const unsigned flags = (unsigned)pick(t, 4);
    const prim_outside outside = (prim_outside)pick(t, 3);
    const cudaDataType_t type = pick_type(t, all_types, COUNT_OF(all_types)),
                         counter = pick(t, 3) == 0 ? CUDA_R_64U : CUDA_R_32U;
    const size_t channels = 1 + pick(t, 4), bins = 1 + pick_size(t, 3000),
                 samples = pick_size(t, 300) * channels, height = pick_size(t, 60),
                 ld = samples + (pick(t, 3) == 0 ? pick(t, 9) : 0);
    prim_histogram_range ranges[4];
    for (size_t c = 0; c < COUNT_OF(ranges); c++)
        ranges[c] = pick_range(t);
    prim_image image = {.width = samples / channels,
                        .height = height,
                        .pitch = ld * bytes_of(type),
                        .channels = (int)channels,
                        .type = type};
    size_t bytes = 0;
    const prim_status asked = prim_histogram_even_channels_workspace_bytes(
        t->variant, flags, outside, image, bins, counter, &bytes);
    operand *x = add_input(t, type, span(height, samples, ld), false),
            *y = add_output(t, counter, channels * bins),
            *apart = add_outside(t, outside, counter, channels);
    begin(t, asked, bytes, true);
    describe(t,
             "histogram_channels: variant %d, flags %u, outside %d, type %d, %zu × %zu × %zu, "
             "ld %zu, %zu bins",
             t->variant, flags, outside, type, height, samples / channels, channels, ld, bins);
    image.data = x->d;
    if (!end(t, prim_histogram_even_channels(t->variant, flags, outside, ranges, image, bins,
                                             counter, y->d, apart->d, t->workspace,
                                             t->workspace_bytes, t->stream)))
        return;
    image.data = x->h;
    on_host(t, prim_histogram_even_channels_host(flags, outside, ranges, image, bins, counter, y->h,
                                                 apart->h, t->threads));
}

static void histogram_weighted(trial *t)
{
    PICK_VARIANT(t, histogram_weighted);
    const unsigned flags = (unsigned)pick(t, 4);
    const prim_outside outside = (prim_outside)pick(t, 3);
    const cudaDataType_t type = pick_type(t, all_types, COUNT_OF(all_types)),
                         weight = pick(t, 2) == 0 ? CUDA_R_32F : CUDA_R_64F;
    const size_t count = pick_size(t, 30000), bins = 1 + pick_size(t, 3000),
                 kind = pick(t, 4); /* of the largest weight: too small makes every sum NaN */
    const prim_histogram_range range = pick_range(t);
    const double largest = kind == 1 ? 8 : kind == 2 ? 1e6 : 5;
    const float largest_f32 = (float)largest;
    const void *const h_largest = kind == 0              ? NULL
                                  : weight == CUDA_R_32F ? (const void *)&largest_f32
                                                         : &largest;
    size_t bytes = 0;
    const prim_status asked = prim_histogram_even_weighted_workspace_bytes(
        t->variant, flags, outside, range, type, count, bins, weight, &bytes);
    operand *x = add_input(t, type, count, false), *w = add_input(t, weight, count, false),
            *y = add_output(t, weight, bins), *apart = add_outside(t, outside, weight, 1);
    begin(t, asked, bytes, true);
    describe(t,
             "histogram_weighted: variant %d, flags %u, outside %d, types %d %d, largest %zu, "
             "%zu samples, %zu bins",
             t->variant, flags, outside, type, weight, kind, count, bins);
    if (end(t, prim_histogram_even_weighted(t->variant, flags, outside, range, type, x->d, count,
                                            bins, weight, w->d, h_largest, y->d, apart->d,
                                            t->workspace, t->workspace_bytes, t->stream)))
        on_host(t, prim_histogram_even_weighted_host(flags, outside, range, type, x->h, count, bins,
                                                     weight, w->h, h_largest, y->h, apart->h,
                                                     t->threads));
}

/* ---- merge ---- */

static const cudaDataType_t key_types[] = {CUDA_R_8I,   CUDA_R_16U, CUDA_R_32I,
                                           CUDA_R_32U,  CUDA_R_64I, CUDA_R_16F,
                                           CUDA_R_16BF, CUDA_R_32F, CUDA_R_64F};

static void merge(trial *t)
{
    PICK_VARIANT(t, merge);
    const prim_order order = (prim_order)pick(t, 2);
    const cudaDataType_t type = pick_type(t, key_types, COUNT_OF(key_types));
    const size_t a_count = pick_size(t, 30000), b_count = pick_size(t, 30000);
    size_t bytes = 0;
    const prim_status asked =
        prim_merge_workspace_bytes(t->variant, order, type, a_count, b_count, &bytes);
    operand *a = add_sorted(t, order, type, a_count), *b = add_sorted(t, order, type, b_count);
    operand *y = add_output(t, type, a_count + b_count);
    begin(t, asked, bytes, true);
    describe(t, "merge: variant %d, order %d, type %d, %zu and %zu keys", t->variant, order, type,
             a_count, b_count);
    if (end(t, prim_merge(t->variant, order, type, a->d, a_count, b->d, b_count, y->d, t->workspace,
                          t->workspace_bytes, t->stream)))
        on_host(t, prim_merge_host(order, type, a->h, a_count, b->h, b_count, y->h, t->threads));
}

static void merge_pairs(trial *t)
{
    PICK_VARIANT(t, merge);
    const prim_order order = (prim_order)pick(t, 2);
    const cudaDataType_t type = pick_type(t, key_types, COUNT_OF(key_types)),
                         value = pick(t, 2) == 0 ? CUDA_R_32U : CUDA_R_64U;
    const size_t a_count = pick_size(t, 20000), b_count = pick_size(t, 20000),
                 value_bytes = bytes_of(value);
    size_t bytes = 0;
    const prim_status asked = prim_merge_pairs_workspace_bytes(t->variant, order, type, value_bytes,
                                                               a_count, b_count, &bytes);
    operand *a = add_sorted(t, order, type, a_count), *b = add_sorted(t, order, type, b_count),
            *a_values = add_input(t, value, a_count, false),
            *b_values = add_input(t, value, b_count, false),
            *y = add_output(t, type, a_count + b_count),
            *y_values = add_output(t, value, a_count + b_count);
    begin(t, asked, bytes, true);
    describe(t, "merge_pairs: variant %d, order %d, types %d %d, %zu and %zu keys", t->variant,
             order, type, value, a_count, b_count);
    if (end(t, prim_merge_pairs(t->variant, order, type, value_bytes, a->d, a_values->d, a_count,
                                b->d, b_values->d, b_count, y->d, y_values->d, t->workspace,
                                t->workspace_bytes, t->stream)))
        on_host(t, prim_merge_pairs_host(order, type, value_bytes, a->h, a_values->h, a_count, b->h,
                                         b_values->h, b_count, y->h, y_values->h, t->threads));
}

static void merge_sort(trial *t)
{
    PICK_VARIANT(t, merge_sort);
    const prim_order order = (prim_order)pick(t, 2);
    const cudaDataType_t type = pick_type(t, key_types, COUNT_OF(key_types));
    const size_t count = pick_size(t, 30000);
    size_t bytes = 0;
    const prim_status asked =
        prim_merge_sort_workspace_bytes(t->variant, order, type, count, &bytes);
    operand *x = add_input(t, type, count, false);
    operand *y = scan_output(t, x, (type_pair){type, type}, count, true);
    begin(t, asked, bytes, true);
    describe(t, "merge_sort: variant %d, order %d, type %d, %zu keys%s", t->variant, order, type,
             count, x == y ? ", in place" : "");
    if (end(t, prim_merge_sort(t->variant, order, type, x->d, count, y->d, t->workspace,
                               t->workspace_bytes, t->stream)))
        on_host(t, prim_merge_sort_host(order, type, x->h, count, y->h, t->threads));
}

/* ---- dense products ---- */

static double pick_scalar(trial *t)
{
    return (double)pick(t, 4) - 1;
}

static void gemm(trial *t)
{
    static const cudaDataType_t types[] = {CUDA_R_32F, CUDA_R_64F, CUDA_R_32I};
    PICK_VARIANT(t, gemm);
    const prim_transpose op_a = (prim_transpose)pick(t, 2), op_b = (prim_transpose)pick(t, 2);
    const cudaDataType_t type = pick_type(t, types, 3);
    const size_t m = pick_size(t, 70), n = pick_size(t, 70), k = pick_size(t, 300);
    const matrix a = op_a ? (matrix){k, m, m + pick(t, 5)} : (matrix){m, k, k + pick(t, 5)},
                 b = op_b ? (matrix){n, k, k + pick(t, 5)} : (matrix){k, n, n + pick(t, 5)},
                 c = {m, n, n + pick(t, 5)};
    const double alpha = pick_scalar(t), beta = pick_scalar(t);
    size_t bytes = 0;
    const prim_status asked = prim_gemm_workspace_bytes(t->variant, op_a, op_b, m, n, k, type, type,
                                                        type, PRIM_COMPUTE_DEFAULT, &bytes);
    operand *x = add_input(t, type, span(a.rows, a.columns, a.ld), false),
            *y = add_input(t, type, span(b.rows, b.columns, b.ld), false),
            *z = add_output(t, type, span(m, n, c.ld));
    begin(t, asked, bytes, true);
    describe(t, "gemm: variant %d, ops %d%d, type %d, %zu × %zu × %zu, ld %zu %zu %zu, %g, %g",
             t->variant, op_a, op_b, type, m, n, k, a.ld, b.ld, c.ld, alpha, beta);
    if (!end(t, prim_gemm(t->variant, op_a, op_b, m, n, k, alpha, type, x->d, a.ld, type, y->d,
                          b.ld, beta, type, z->d, c.ld, PRIM_COMPUTE_DEFAULT, t->workspace,
                          t->workspace_bytes, t->stream)))
        return;
    on_host(t, prim_gemm_host(op_a, op_b, m, n, k, alpha, type, x->h, a.ld, type, y->h, b.ld, beta,
                              type, z->h, c.ld, PRIM_COMPUTE_DEFAULT, t->threads));
    const size_t row = pick(t, m + 1), column = pick(t, n + 1);
    if (row < m && column < n)
        expect_scaled(t, z, row * c.ld + column, alpha,
                      product_of(x, op_a ? row : row * a.ld, op_a ? a.ld : 1, y,
                                 op_b ? column * b.ld : column, op_b ? 1 : b.ld, k),
                      beta);
}

static void gemv(trial *t)
{
    PICK_VARIANT(t, gemv);
    const prim_transpose op = (prim_transpose)pick(t, 2);
    const cudaDataType_t type = pick(t, 2) == 0 ? CUDA_R_32F : CUDA_R_64F;
    const matrix a = pick_matrix(t);
    const double alpha = pick_scalar(t), beta = pick_scalar(t);
    size_t bytes = 0;
    const prim_status asked =
        prim_gemv_workspace_bytes(t->variant, op, a.rows, a.columns, type, type, type, &bytes);
    operand *x = add_input(t, type, span(a.rows, a.columns, a.ld), false),
            *y = add_input(t, type, op ? a.rows : a.columns, false),
            *z = add_output(t, type, op ? a.columns : a.rows);
    begin(t, asked, bytes, t->variant != PRIM_GEMV_CONSTANT);
    describe(t, "gemv: variant %d, op %d, type %d, %zu × %zu, ld %zu, %g, %g", t->variant, op, type,
             a.rows, a.columns, a.ld, alpha, beta);
    if (!end(t, prim_gemv(t->variant, op, a.rows, a.columns, alpha, type, x->d, a.ld, type, y->d,
                          beta, type, z->d, t->workspace, t->workspace_bytes, t->stream)))
        return;
    on_host(t, prim_gemv_host(op, a.rows, a.columns, alpha, type, x->h, a.ld, type, y->h, beta,
                              type, z->h, t->threads));
    const size_t length = op ? a.columns : a.rows, i = pick(t, length + 1);
    if (i < length)
        expect_scaled(
            t, z, i, alpha,
            product_of(x, op ? i : i * a.ld, op ? a.ld : 1, y, 0, 1, op ? a.rows : a.columns),
            beta);
}

/* Packed on the host, so that unused bits are 0. */
static void binary_gemm(trial *t)
{
    PICK_VARIANT(t, binary_gemm);
    const cudaDataType_t type = pick(t, 2) == 0 ? CUDA_R_32I : CUDA_R_32F;
    const size_t m = pick_size(t, 70), n = pick_size(t, 70), k = pick_size(t, 700),
                 words = (k + 31) / 32, lda = words + pick(t, 4), ldb = n + pick(t, 4),
                 ldc = n + pick(t, 4);
    size_t bytes = 0;
    const prim_status asked = prim_binary_gemm_workspace_bytes(t->variant, m, n, k, type, &bytes);
    operand *x = add_input(t, CUDA_R_8I, m * k, true), *y = add_input(t, CUDA_R_8I, k * n, true);
    x->is_aside = y->is_aside = true;
    operand *a = add_input(t, CUDA_R_32U, span(m, words, lda), false),
            *b = add_input(t, CUDA_R_32U, span(words, n, ldb), false),
            *c = add_output(t, type, span(m, n, ldc));
    on_host(t, prim_binary_pack_rows_host(CUDA_R_8I, x->h, m, k, k, (void *)a->h, lda, 1));
    on_host(t, prim_binary_pack_columns_host(CUDA_R_8I, y->h, k, n, n, (void *)b->h, ldb, 1));
    send(a);
    send(b);
    begin(t, asked, bytes, true);
    describe(t, "binary_gemm: variant %d, type %d, %zu × %zu × %zu, ld %zu %zu %zu", t->variant,
             type, m, n, k, lda, ldb, ldc);
    if (end(t, prim_binary_gemm(t->variant, m, n, k, (void *)a->d, lda, (void *)b->d, ldb, type,
                                c->d, ldc, t->workspace, t->workspace_bytes, t->stream)))
        on_host(t, prim_binary_gemm_host(m, n, k, (void *)a->h, lda, (void *)b->h, ldb, type, c->h,
                                         ldc, t->threads));
}

/* ---- convolution ---- */

static void convolve_2d(trial *t)
{
    static const cudaDataType_t types[] = {CUDA_R_32F, CUDA_R_32I, CUDA_R_8U,
                                           CUDA_R_32U, CUDA_R_64F, CUDA_R_16U};
    static const cudaDataType_t byte_masks[] = {CUDA_R_32F, CUDA_R_8I, CUDA_R_16I};
    PICK_VARIANT(t, convolution);
    const unsigned flags = (unsigned)pick(t, 2);
    const prim_boundary boundary = (prim_boundary)pick(t, 5);
    const cudaDataType_t type = pick_type(t, types, COUNT_OF(types)),
                         mask_type = type == CUDA_R_8U    ? byte_masks[pick(t, 3)]
                                     : type == CUDA_R_16U ? CUDA_R_32F
                                                          : type;
    prim_image in = {NULL, pick_size(t, 100), pick_size(t, 60), 0, 1 + (int)pick(t, 4), type};
    const size_t row = in.width * (size_t)in.channels;
    in.pitch = (row + pick(t, 6)) * bytes_of(type);
    prim_image out = in;
    out.pitch = (row + pick(t, 6)) * bytes_of(type);
    prim_mask mask = {NULL, NULL, 1 + pick(t, 17), 1 + pick(t, 17), 0, 0, mask_type, 0};
    if (mask_type == CUDA_R_8I || mask_type == CUDA_R_16I)
        mask.divisor = (int32_t)pick(t, 40) - 8;
    mask.anchor_x = pick(t, mask.width);
    mask.anchor_y = pick(t, mask.height);
    operand *weights = add_input(t, mask_type, mask.width * mask.height, false),
            *x = add_input(t, type, span(in.height, row, in.pitch / bytes_of(type)), false),
            *y = add_output(t, type, span(in.height, row, out.pitch / bytes_of(type)));
    weights->is_aside = true;   /* AUTO and CONSTANT take h_values */
    mask.h_values = weights->h; /* and REGISTER up to 256, and where there are none on the device */
    const bool is_on_device = pick(t, 2) == 0;
    mask.d_values = is_on_device ? weights->d : NULL;
    size_t bytes = 0;
    const prim_status asked =
        prim_convolve_2d_workspace_bytes(t->variant, flags, boundary, in, mask, out, &bytes);
    begin(t, asked, bytes, true);
    describe(t,
             "convolve_2d: variant %d, flags %u, boundary %d, type %d, %zu × %zu × %d, mask of "
             "%zu × %zu, type %d, divisor %d",
             t->variant, flags, boundary, type, in.width, in.height, in.channels, mask.width,
             mask.height, mask_type, mask.divisor);
    in.data = x->d;
    out.data = y->d;
    mask.d_values = is_on_device ? weights->d : NULL;
    if (!end(t, prim_convolve_2d(t->variant, flags, boundary, NULL, in, mask, out, t->workspace,
                                 t->workspace_bytes, t->stream)))
        return;
    in.data = x->h;
    out.data = y->h;
    on_host(t, prim_convolve_2d_host(flags, boundary, NULL, in, mask, out, t->threads));
}

/* ---- sparse ---- */

/* CSR in host memory: rows of 0 to `most` entries. */
static prim_sparse make_csr(trial *t, cudaDataType_t type, int64_t *offsets, int32_t *indices,
                            size_t most)
{
    prim_sparse m = {.format = PRIM_SPARSE_CSR,
                     .rows = pick_size(t, 200),
                     .columns = 1 + pick_size(t, 200),
                     .value_type = type,
                     .offset_type = CUDA_R_64I,
                     .row_offsets = offsets,
                     .column_indices = indices};
    uint64_t state = pick(t, 1 << 20);
    offsets[0] = 0;
    for (size_t row = 0; row < m.rows; row++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        offsets[row + 1] = offsets[row] + (int64_t)(most == 0 ? 0 : (state >> 33) % (most + 1));
    }
    m.entries = (size_t)offsets[m.rows];
    for (size_t e = 0; e < m.entries; e++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        indices[e] = (int32_t)((state >> 33) % m.columns);
    }
    return m;
}

static void spmv(trial *t)
{
    enum { MOST_ROWS = 200, MOST = 70 };
    static int64_t offsets[MOST_ROWS + 1];
    static int32_t indices[MOST_ROWS * MOST];
    PICK_VARIANT(t, spmv);
    const prim_sparse_format format = (prim_sparse_format)pick(t, 6);
    const cudaDataType_t type = pick(t, 2) == 0 ? CUDA_R_32F : CUDA_R_64F,
                         offset_type = pick(t, 2) == 0 ? CUDA_R_32I : CUDA_R_64I;
    prim_sparse csr = make_csr(t, type, offsets, indices, pick_size(t, MOST)), matrix;
    const double alpha = pick_scalar(t), beta = pick_scalar(t);
    size_t bytes = 0, arrays_bytes = 0;
    operand *values = add_input(t, type, csr.entries, false);
    values->is_aside = true;
    csr.values = values->h;
    on_host(t, prim_sparse_convert_bytes_host(csr, format, offset_type, PRIM_SPARSE_WIDTH_AUTO,
                                              &arrays_bytes));
    char *h_arrays = aligned_alloc(16, (arrays_bytes / 16 + 1) * 16), *d_arrays;
    on_host(t, prim_sparse_convert_host(csr, format, offset_type, PRIM_SPARSE_WIDTH_AUTO, h_arrays,
                                        arrays_bytes, &matrix));
    if (cudaMalloc((void **)&d_arrays, arrays_bytes + 1) != cudaSuccess ||
        cudaMemcpy(d_arrays, h_arrays, arrays_bytes, cudaMemcpyHostToDevice) != cudaSuccess)
        complain(t, "no memory for the matrix");
    const prim_sparse d_matrix = prim_sparse_moved(matrix, h_arrays, d_arrays);
    const prim_status asked = prim_spmv_workspace_bytes(t->variant, d_matrix, type, type, &bytes);
    operand *x = add_input(t, type, matrix.columns, false), *y = add_output(t, type, matrix.rows);
    y->has_any_zero = true; /* alpha multiplies the sums of rows with entries alone, or all */
    begin(t, asked, bytes, true);
    describe(t, "spmv: variant %d, format %d, type %d, %zu × %zu with %zu entries, %g, %g",
             t->variant, format, type, matrix.rows, matrix.columns, csr.entries, alpha, beta);
    if (end(t, prim_spmv(t->variant, alpha, d_matrix, type, x->d, beta, type, y->d, t->workspace,
                         t->workspace_bytes, t->stream))) {
        on_host(t, prim_spmv_host(alpha, matrix, type, x->h, beta, type, y->h, t->threads));
        const size_t row = pick(t, matrix.rows + 1);
        double sum = 0;
        for (int64_t e = offsets[row]; row < matrix.rows && e < offsets[row + 1]; e++)
            sum += before(values, (size_t)e) * before(x, (size_t)indices[e]);
        if (row < matrix.rows)
            expect_scaled(t, y, row, alpha, sum, beta);
    }
    if (cudaFree(d_arrays) != cudaSuccess)
        complain(t, "the matrix was not freed");
    free(h_arrays);
}

const stress_call stress_calls[] = {
    {"reduce", reduce},
    {"reduce_rows", reduce_rows},
    {"reduce_columns", reduce_columns},
    {"reduce_segments", reduce_segments},
    {"arg_reduce", arg_reduce},
    {"dot", dot},
    {"scan", scan},
    {"scan_rows", scan_rows},
    {"scan_2d", scan_2d},
    {"histogram_even", histogram_even},
    {"histogram_edges", histogram_edges},
    {"histogram_channels", histogram_channels},
    {"histogram_weighted", histogram_weighted},
    {"merge", merge},
    {"merge_pairs", merge_pairs},
    {"merge_sort", merge_sort},
    {"gemm", gemm},
    {"gemv", gemv},
    {"binary_gemm", binary_gemm},
    {"convolve_2d", convolve_2d},
    {"spmv", spmv},
};
const size_t stress_call_count = COUNT_OF(stress_calls);
