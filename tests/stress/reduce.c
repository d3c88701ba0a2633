#include <string.h>

#include <primitives/reduce.h>

#include "../calls.h"
#include "../rungs.h"
#include "oracles.h"
#include "stress.h"

/* Other values than whole numbers, where the order is that of the host's version, or changes
 * nothing. */
static void pick_reduce_values(trial *t, prim_op op, cudaDataType_t type)
{
    const bool has_host_order = reduce_rung_has(t->variant, HAS_HOST_ORDER);
    const bool has_no_order = !is_float(type) || op == PRIM_OP_MIN || op == PRIM_OP_MAX;
    pick_values(t, has_host_order ? ANYTHING : has_no_order ? FRACTIONS : WHOLE_NUMBERS);
}

static void reduce(trial *t)
{
    PICK_VARIANT(t, reduce);
    const prim_op op = (prim_op)pick(t, 7);
    const prim_transform f = (prim_transform)pick(t, 3);
    const type_pair p = pick_pair(t);
    const size_t count = pick_size(t, 70000);
    pick_reduce_values(t, op, p.in);
    size_t bytes = 0;
    const prim_status asked = asked_bytes(
        prim_reduce(t->variant, op, f, p.in, NULL, count, p.out, NULL, asking()), &bytes);
    operand *x = add_input(t, p.in, count, needs_signs(t, op, p.in)), *y = add_output(t, p.out, 1);
    begin(t, asked, bytes, true);
    describe(t, "reduce: variant %d, op %d, transform %d, types %d %d, %zu elements", t->variant,
             op, f, p.in, p.out, count);
    if (!end(t, prim_reduce(t->variant, op, f, p.in, x->d, count, p.out, y->d,
                            with(t->stream, t->workspace, t->workspace_bytes))))
        return;
    on_host(t, prim_reduce_host(op, f, p.in, x->h, count, p.out, y->h, t->threads));
    const combination c = {op, f, p};
    if (is_known(&c, count))
        expect(t, y, 0, combined(&c, x, 0, count, 1));
}

/* Rows, or where `down` columns. */
static void reduce_lines(trial *t, bool down)
{
    PICK_VARIANT(t, reduce);
    const prim_op op = (prim_op)pick(t, 7);
    const prim_transform f = (prim_transform)pick(t, 3);
    const type_pair p = pick_pair(t);
    const matrix m = pick_matrix(t);
    pick_reduce_values(t, op, p.in);
    size_t bytes = 0;
    const prim_status asked =
        asked_bytes((down ? prim_reduce_columns : prim_reduce_rows)(
                        t->variant, op, f, prim_matrix_of(p.in, NULL, m.rows, m.columns, m.ld),
                        p.out, NULL, asking()),
                    &bytes);
    operand *x = add_input(t, p.in, span(m.rows, m.columns, m.ld), needs_signs(t, op, p.in));
    operand *y = add_output(t, p.out, down ? m.columns : m.rows);
    begin(t, asked, bytes, true);
    describe(t, "reduce_%s: variant %d, op %d, transform %d, types %d %d, %zu × %zu, ld %zu",
             down ? "columns" : "rows", t->variant, op, f, p.in, p.out, m.rows, m.columns, m.ld);
    if (!end(t, (down ? prim_reduce_columns : prim_reduce_rows)(
                    t->variant, op, f, prim_matrix_of(p.in, x->d, m.rows, m.columns, m.ld), p.out,
                    y->d, with(t->stream, t->workspace, t->workspace_bytes))))
        return;
    on_host(t, (down ? prim_reduce_columns_host : prim_reduce_rows_host)(
                   op, f, prim_matrix_of(p.in, x->h, m.rows, m.columns, m.ld), p.out, y->h,
                   t->threads));
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
    pick_reduce_values(t, op, p.in);
    size_t bytes = 0;
    const prim_status asked = asked_bytes(
        prim_reduce_segments(t->variant, op, f, p.in, NULL, count,
                             (prim_segments){NULL, segments, wide}, p.out, NULL, asking()),
        &bytes);
    operand *x = add_input(t, p.in, count, needs_signs(t, op, p.in));
    operand *offsets = add_input(t, wide, segments == 0 ? 0 : segments + 1, false);
    operand *y = add_output(t, p.out, segments);
    if (segments > 0)
        set_offsets(t, offsets, segments, count);
    begin(t, asked, bytes, true);
    describe(t, "reduce_segments: variant %d, op %d, transform %d, types %d %d, %zu of %zu",
             t->variant, op, f, p.in, p.out, segments, count);
    if (!end(t, prim_reduce_segments(t->variant, op, f, p.in, x->d, count,
                                     (prim_segments){offsets->d, segments, wide}, p.out, y->d,
                                     with(t->stream, t->workspace, t->workspace_bytes))))
        return;
    on_host(t, prim_reduce_segments_host(op, f, p.in, x->h, count,
                                         (prim_segments){offsets->h, segments, wide}, p.out, y->h,
                                         t->threads));
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
    pick_reduce_values(t, op, type);
    size_t bytes = 0;
    const prim_status asked = asked_bytes(
        prim_arg_reduce(t->variant, op, f, type, NULL, count, NULL, NULL, asking()), &bytes);
    operand *x = add_input(t, type, count, false);
    operand *value = add_output(t, type, 1), *index = add_output(t, CUDA_R_64U, 1);
    begin(t, asked, bytes, true);
    describe(t, "arg_reduce: variant %d, op %d, transform %d, type %d, %zu elements", t->variant,
             op, f, type, count);
    if (end(t, prim_arg_reduce(t->variant, op, f, type, x->d, count, value->d, (void *)index->d,
                               with(t->stream, t->workspace, t->workspace_bytes))))
        on_host(t, prim_arg_reduce_host(op, f, type, x->h, count, value->h, (void *)index->h,
                                        t->threads));
}

static void dot(trial *t)
{
    PICK_VARIANT(t, reduce);
    const type_pair p = pick_pair(t);
    const size_t count = pick_size(t, 70000);
    pick_reduce_values(t, PRIM_OP_SUM, p.in);
    size_t bytes = 0;
    const prim_status asked =
        asked_bytes(prim_dot(t->variant, p.in, NULL, NULL, count, p.out, NULL, asking()), &bytes);
    operand *x = add_input(t, p.in, count, false), *y = add_input(t, p.in, count, false);
    operand *z = add_output(t, p.out, 1);
    begin(t, asked, bytes, true);
    describe(t, "dot: variant %d, types %d %d, %zu elements", t->variant, p.in, p.out, count);
    if (!end(t, prim_dot(t->variant, p.in, x->d, y->d, count, p.out, z->d,
                         with(t->stream, t->workspace, t->workspace_bytes))))
        return;
    on_host(t, prim_dot_host(p.in, x->h, y->h, count, p.out, z->h, t->threads));
    if (!is_half(p.in))
        expect(t, z, 0, product_of(x, 0, 1, y, 0, 1, count));
}

const stress_call reduce_calls[] = {
    {"reduce", reduce},
    {"reduce_rows", reduce_rows},
    {"reduce_columns", reduce_columns},
    {"reduce_segments", reduce_segments},
    {"arg_reduce", arg_reduce},
    {"dot", dot},
    {NULL, NULL},
};
