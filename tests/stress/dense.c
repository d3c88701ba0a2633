#include <string.h>

#include <primitives/binary_gemm.h>
#include <primitives/gemm.h>
#include <primitives/gemv.h>

#include "../calls.h"
#include "../stored.h"
#include "oracles.h"
#include "stress.h"

/* What is multiplied, and what it gives. */
static type_pair pick_product(trial *t)
{
    static const type_pair products[] = {{CUDA_R_32F, CUDA_R_32F},   {CUDA_R_64F, CUDA_R_64F},
                                         {CUDA_R_32I, CUDA_R_32I},   {CUDA_R_8I, CUDA_R_32I},
                                         {CUDA_R_16F, CUDA_R_32F},   {CUDA_R_16BF, CUDA_R_32F},
                                         {CUDA_R_16BF, CUDA_R_16BF}, {CUDA_R_16F, CUDA_R_16F}};
    return products[pick(t, COUNT_OF(products))];
}

/* The product of an m × k and a k × n matrix, so many times, `a` being what is stored. */
typedef struct product {
    prim_transpose op_a, op_b;
    type_pair types;
    size_t m, n, k;
    matrix a, b, c;
    double alpha, beta;
} product;

static product pick_gemm(trial *t)
{
    product p = {.op_a = (prim_transpose)pick(t, 2), .op_b = (prim_transpose)pick(t, 2)};
    PICK_VARIANT(t, gemm);
    p.types = pick_product(t);
    p.m = pick_size(t, 70);
    p.n = pick_size(t, 70);
    p.k = pick_size(t, 300);
    p.a = p.op_a ? (matrix){p.k, p.m, p.m + pick(t, 5)} : (matrix){p.m, p.k, p.k + pick(t, 5)};
    p.b = p.op_b ? (matrix){p.n, p.k, p.k + pick(t, 5)} : (matrix){p.k, p.n, p.n + pick(t, 5)};
    p.c = (matrix){p.m, p.n, p.n + pick(t, 5)};
    p.alpha = pick_scalar(t);
    p.beta = pick_scalar(t);
    pick_values(t, is_float(p.types.in) ? WHOLE_NUMBERS : ANYTHING);
    return p;
}

static void describe_gemm(trial *t, const char *name, const product *p, size_t batches)
{
    describe(t,
             "%s: variant %d, ops %d%d, types %d %d, %zu × %zu × %zu, ld %zu %zu %zu, %g, %g, "
             "%zu of them",
             name, t->variant, p->op_a, p->op_b, p->types.in, p->types.out, p->m, p->n, p->k,
             p->a.ld, p->b.ld, p->c.ld, p->alpha, p->beta, batches);
}

/* One element of a product whose matrices begin there. */
static void expect_element(trial *t, const product *p, const operand *x, size_t x_first,
                           const operand *y, size_t y_first, const operand *z, size_t z_first)
{
    const size_t row = pick(t, p->m + 1), column = pick(t, p->n + 1);
    if (row == p->m || column == p->n || is_half(p->types.in))
        return;
    expect_scaled(t, z, z_first + row * p->c.ld + column, p->alpha,
                  product_of(x, x_first + (p->op_a ? row : row * p->a.ld), p->op_a ? p->a.ld : 1, y,
                             y_first + (p->op_b ? column * p->b.ld : column), p->op_b ? 1 : p->b.ld,
                             p->k),
                  p->beta);
}

static void gemm(trial *t)
{
    const product p = pick_gemm(t);
    const cudaDataType_t in = p.types.in, out = p.types.out;
    size_t bytes = 0;
    const prim_status asked = asked_bytes(
        prim_gemm(t->variant, p.op_a, p.op_b, 1, stored(p.op_a, in, NULL, p.m, p.k, p.a.ld),
                  stored(p.op_b, in, NULL, p.k, p.n, p.b.ld), 0,
                  prim_matrix_of(out, NULL, p.m, p.n, 0), PRIM_COMPUTE_DEFAULT, asking()),
        &bytes);
    operand *x = add_input(t, in, span(p.a.rows, p.a.columns, p.a.ld), false),
            *y = add_input(t, in, span(p.b.rows, p.b.columns, p.b.ld), false),
            *z = add_output(t, out, span(p.m, p.n, p.c.ld));
    begin(t, asked, bytes, true);
    describe_gemm(t, "gemm", &p, 1);
    if (!end(t, prim_gemm(t->variant, p.op_a, p.op_b, p.alpha,
                          stored(p.op_a, in, x->d, p.m, p.k, p.a.ld),
                          stored(p.op_b, in, y->d, p.k, p.n, p.b.ld), p.beta,
                          prim_matrix_of(out, z->d, p.m, p.n, p.c.ld), PRIM_COMPUTE_DEFAULT,
                          with(t->stream, t->workspace, t->workspace_bytes))))
        return;
    on_host(t, prim_gemm_host(p.op_a, p.op_b, p.alpha, stored(p.op_a, in, x->h, p.m, p.k, p.a.ld),
                              stored(p.op_b, in, y->h, p.k, p.n, p.b.ld), p.beta,
                              prim_matrix_of(out, z->h, p.m, p.n, p.c.ld), PRIM_COMPUTE_DEFAULT,
                              t->threads));
    expect_element(t, &p, x, 0, y, 0, z, 0);
}

/* Of so many matrices, so far apart. */
static size_t all_of(size_t batches, size_t stride, size_t one)
{
    return batches == 0 || one == 0 ? 0 : (batches - 1) * stride + one;
}

/* One matrix for all, or one for each. */
static size_t pick_stride(trial *t, matrix m)
{
    return pick(t, 4) == 0 ? 0 : m.rows * m.ld + pick(t, 4);
}

/* A batch of products a stride apart, and what the query says of it. */
typedef struct batch {
    product p;
    size_t count, a_stride, b_stride, c_stride, bytes;
    prim_status asked;
    operand *x, *y, *z;
} batch;

/* Both calls of a batch. */
typedef prim_status batch_call(prim_gemm_variant, prim_transpose, prim_transpose, double,
                               prim_matrix, prim_matrix, double, prim_matrix, size_t, prim_compute,
                               const prim_call *);

static batch add_batch(trial *t, batch_call *call)
{
    batch b = {.p = pick_gemm(t), .count = pick_size(t, 5)};
    const product *const p = &b.p;
    const cudaDataType_t in = p->types.in, out = p->types.out;
    b.a_stride = pick_stride(t, p->a);
    b.b_stride = pick_stride(t, p->b);
    b.c_stride = p->c.rows * p->c.ld + pick(t, 4);
    b.asked = asked_bytes(call(t->variant, p->op_a, p->op_b, 1,
                               in_batch(stored(p->op_a, in, NULL, p->m, p->k, p->a.ld), b.a_stride),
                               in_batch(stored(p->op_b, in, NULL, p->k, p->n, p->b.ld), b.b_stride),
                               0, in_batch(prim_matrix_of(out, NULL, p->m, p->n, 0), p->m * p->n),
                               b.count, PRIM_COMPUTE_DEFAULT, asking()),
                          &b.bytes);
    b.x = add_input(t, in, all_of(b.count, b.a_stride, span(p->a.rows, p->a.columns, p->a.ld)),
                    false);
    b.y = add_input(t, in, all_of(b.count, b.b_stride, span(p->b.rows, p->b.columns, p->b.ld)),
                    false);
    b.z = add_output(t, out, all_of(b.count, b.c_stride, span(p->m, p->n, p->c.ld)));
    return b;
}

static void batch_on_host(trial *t, const batch *b)
{
    const product *const p = &b->p;
    const cudaDataType_t in = p->types.in, out = p->types.out;
    on_host(t,
            prim_gemm_batched_host(
                p->op_a, p->op_b, p->alpha,
                in_batch(stored(p->op_a, in, b->x->h, p->m, p->k, p->a.ld), b->a_stride),
                in_batch(stored(p->op_b, in, b->y->h, p->k, p->n, p->b.ld), b->b_stride), p->beta,
                in_batch(prim_matrix_of(out, b->z->h, p->m, p->n, p->c.ld), b->c_stride), b->count,
                PRIM_COMPUTE_DEFAULT, t->threads));
    const size_t i = pick(t, b->count + 1);
    if (i < b->count)
        expect_element(t, p, b->x, i * b->a_stride, b->y, i * b->b_stride, b->z, i * b->c_stride);
}

static void gemm_batched(trial *t)
{
    const batch b = add_batch(t, prim_gemm_batched);
    const product *const p = &b.p;
    const cudaDataType_t in = p->types.in, out = p->types.out;
    begin(t, b.asked, b.bytes, true);
    describe_gemm(t, "gemm_batched", p, b.count);
    if (end(t, prim_gemm_batched(
                   t->variant, p->op_a, p->op_b, p->alpha,
                   in_batch(stored(p->op_a, in, b.x->d, p->m, p->k, p->a.ld), b.a_stride),
                   in_batch(stored(p->op_b, in, b.y->d, p->k, p->n, p->b.ld), b.b_stride), p->beta,
                   in_batch(prim_matrix_of(out, b.z->d, p->m, p->n, p->c.ld), b.c_stride), b.count,
                   PRIM_COMPUTE_DEFAULT, with(t->stream, t->workspace, t->workspace_bytes))))
        batch_on_host(t, &b);
}

/* Where on the device each matrix of a batch begins. */
static operand *add_pointers(trial *t, const operand *x, size_t stride, size_t count)
{
    operand *pointers = add_numbers(t, CUDA_R_64U, count, 1);
    for (size_t i = 0; i < count; i++) {
        const uint64_t place = (uintptr_t)(x->d + i * stride * bytes_of(x->type));
        memcpy(pointers->h + i * sizeof place, &place, sizeof place);
    }
    send(pointers);
    return pointers;
}

/* The matrices themselves are not spoilt: the call cannot look at them. */
static void gemm_pointers(trial *t)
{
    const batch b = add_batch(t, prim_gemm_pointers);
    const product *const p = &b.p;
    const cudaDataType_t in = p->types.in, out = p->types.out;
    b.x->is_aside = b.y->is_aside = b.z->is_aside = true;
    operand *xs = add_pointers(t, b.x, b.a_stride, b.count),
            *ys = add_pointers(t, b.y, b.b_stride, b.count),
            *zs = add_pointers(t, b.z, b.c_stride, b.count);
    const bool may_be_unread = p->k == 0 || p->alpha == 0 || p->m == 0 || p->n == 0;
    xs->is_aside = ys->is_aside = zs->is_aside = may_be_unread;
    begin(t, b.asked, b.bytes, true);
    describe_gemm(t, "gemm_pointers", p, b.count);
    if (end(t, prim_gemm_pointers(t->variant, p->op_a, p->op_b, p->alpha,
                                  stored(p->op_a, in, xs->d, p->m, p->k, p->a.ld),
                                  stored(p->op_b, in, ys->d, p->k, p->n, p->b.ld), p->beta,
                                  prim_matrix_of(out, zs->d, p->m, p->n, p->c.ld), b.count,
                                  PRIM_COMPUTE_DEFAULT,
                                  with(t->stream, t->workspace, t->workspace_bytes))))
        batch_on_host(t, &b);
}

/* y = alpha · op(A) · x + beta · y. AUTO's order is the host version's. */
typedef struct vector_product {
    prim_transpose op;
    type_pair types;
    matrix a;
    double alpha, beta;
    size_t x_length, y_length;
} vector_product;

static vector_product pick_gemv(trial *t, matrix a)
{
    vector_product p = {.op = (prim_transpose)pick(t, 2), .a = a};
    PICK_VARIANT(t, gemv);
    p.types = pick_product(t);
    p.alpha = pick_scalar(t);
    p.beta = pick_scalar(t);
    p.x_length = p.op ? a.rows : a.columns;
    p.y_length = p.op ? a.columns : a.rows;
    pick_values(t,
                !is_float(p.types.in) || t->variant == PRIM_GEMV_AUTO ? ANYTHING : WHOLE_NUMBERS);
    return p;
}

static void gemv(trial *t)
{
    const vector_product p = pick_gemv(t, pick_matrix(t));
    const cudaDataType_t in = p.types.in, out = p.types.out;
    size_t bytes = 0;
    const prim_status asked = asked_bytes(
        prim_gemv(t->variant, p.op, 1, prim_matrix_of(in, NULL, p.a.rows, p.a.columns, 0),
                  x_of(p.op, in, NULL, p.a.rows, p.a.columns), 0,
                  y_of(p.op, out, NULL, p.a.rows, p.a.columns), asking()),
        &bytes);
    operand *x = add_input(t, in, span(p.a.rows, p.a.columns, p.a.ld), false),
            *y = add_input(t, in, p.x_length, false), *z = add_output(t, out, p.y_length);
    z->has_any_nan = true;
    begin(t, asked, bytes, t->variant != PRIM_GEMV_CONSTANT);
    describe(t, "gemv: variant %d, op %d, types %d %d, %zu × %zu, ld %zu, %g, %g", t->variant, p.op,
             in, out, p.a.rows, p.a.columns, p.a.ld, p.alpha, p.beta);
    if (!end(t, prim_gemv(t->variant, p.op, p.alpha,
                          prim_matrix_of(in, x->d, p.a.rows, p.a.columns, p.a.ld),
                          x_of(p.op, in, y->d, p.a.rows, p.a.columns), p.beta,
                          y_of(p.op, out, z->d, p.a.rows, p.a.columns),
                          with(t->stream, t->workspace, t->workspace_bytes))))
        return;
    on_host(t,
            prim_gemv_host(p.op, p.alpha, prim_matrix_of(in, x->h, p.a.rows, p.a.columns, p.a.ld),
                           x_of(p.op, in, y->h, p.a.rows, p.a.columns), p.beta,
                           y_of(p.op, out, z->h, p.a.rows, p.a.columns), t->threads));
    const size_t i = pick(t, p.y_length + 1);
    if (i < p.y_length && !is_half(in))
        expect_scaled(t, z, i, p.alpha,
                      product_of(x, p.op ? i : i * p.a.ld, p.op ? p.a.ld : 1, y, 0, 1, p.x_length),
                      p.beta);
}

static void gemv_batched(trial *t)
{
    const size_t batches = pick_size(t, 300);
    matrix a = {.rows = pick_size(t, batches > 8 ? 40 : 200)};
    a.columns = pick_size(t, batches > 8 ? 40 : 200);
    a.ld = a.columns + pick(t, 4);
    const vector_product p = pick_gemv(t, a);
    const cudaDataType_t in = p.types.in, out = p.types.out;
    const size_t a_stride = pick_stride(t, a),
                 x_stride = pick(t, 4) == 0 ? pick(t, 3) : p.x_length + pick(t, 3),
                 y_stride = p.y_length + pick(t, 3);
    size_t bytes = 0;
    const prim_status asked = asked_bytes(
        prim_gemv_batched(t->variant, p.op, 1, prim_matrix_of(in, NULL, a.rows, a.columns, 0),
                          x_of(p.op, in, NULL, a.rows, a.columns), 0,
                          one_behind_the_other(y_of(p.op, out, NULL, a.rows, a.columns)), batches,
                          asking()),
        &bytes);
    operand *x = add_input(t, in, all_of(batches, a_stride, span(a.rows, a.columns, a.ld)), false),
            *y = add_input(t, in, all_of(batches, x_stride, p.x_length), false),
            *z = add_output(t, out, all_of(batches, y_stride, p.y_length));
    z->has_any_nan = true;
    begin(t, asked, bytes, t->variant != PRIM_GEMV_CONSTANT);
    describe(t,
             "gemv_batched: variant %d, op %d, types %d %d, %zu × %zu, ld %zu, %g, %g, "
             "%zu products, strides %zu %zu %zu",
             t->variant, p.op, in, out, a.rows, a.columns, a.ld, p.alpha, p.beta, batches, a_stride,
             x_stride, y_stride);
    if (!end(t, prim_gemv_batched(
                    t->variant, p.op, p.alpha,
                    in_batch(prim_matrix_of(in, x->d, a.rows, a.columns, a.ld), a_stride),
                    vector_in_batch(x_of(p.op, in, y->d, a.rows, a.columns), x_stride), p.beta,
                    vector_in_batch(y_of(p.op, out, z->d, a.rows, a.columns), y_stride), batches,
                    with(t->stream, t->workspace, t->workspace_bytes))))
        return;
    on_host(t, prim_gemv_batched_host(
                   p.op, p.alpha,
                   in_batch(prim_matrix_of(in, x->h, a.rows, a.columns, a.ld), a_stride),
                   vector_in_batch(x_of(p.op, in, y->h, a.rows, a.columns), x_stride), p.beta,
                   vector_in_batch(y_of(p.op, out, z->h, a.rows, a.columns), y_stride), batches,
                   t->threads));
    const size_t i = pick(t, batches + 1), row = pick(t, p.y_length + 1);
    if (i < batches && row < p.y_length && !is_half(in))
        expect_scaled(t, z, i * y_stride + row, p.alpha,
                      product_of(x, i * a_stride + (p.op ? row : row * a.ld), p.op ? a.ld : 1, y,
                                 i * x_stride, 1, p.x_length),
                      p.beta);
}

/* ---- of ±1 ---- */

typedef prim_status pack_call(prim_matrix, prim_bits, const prim_call *);
typedef prim_status pack_host_call(prim_matrix, prim_bits, int);

static void binary_pack(trial *t, const char *name, bool along_rows, bool is_transposed,
                        pack_call *call, pack_host_call *host_call)
{
    static const cudaDataType_t types[] = {CUDA_R_32F, CUDA_R_16F, CUDA_R_32I, CUDA_R_8I};
    const cudaDataType_t type = pick_type(t, types, COUNT_OF(types));
    const size_t rows = pick_size(t, 200), columns = pick_size(t, 200), ld = columns + pick(t, 5),
                 words_down = ((is_transposed ? columns : rows) + 31) / 32,
                 packed_rows = along_rows ? rows : words_down,
                 words = along_rows      ? (columns + 31) / 32
                         : is_transposed ? rows
                                         : columns,
                 packed_ld = words + pick(t, 4);
    pick_values(t, ANYTHING);
    operand *x = add_input(t, type, span(rows, columns, ld), false),
            *y = add_output(t, CUDA_R_32U, span(packed_rows, words, packed_ld));
    t->has_no_variant = true;
    begin(t, PRIM_OK, 0, true);
    describe(t, "binary_pack_%s: type %d, %zu × %zu, ld %zu and %zu", name, type, rows, columns, ld,
             packed_ld);
    const size_t out_rows = is_transposed ? columns : rows, out_columns = rows + columns - out_rows;
    if (end(t, call(prim_matrix_of(type, x->d, rows, columns, ld),
                    prim_bits_of((void *)y->d, out_rows, out_columns, packed_ld), into(t->stream))))
        on_host(t, host_call(prim_matrix_of(type, x->h, rows, columns, ld),
                             prim_bits_of((void *)y->h, out_rows, out_columns, packed_ld),
                             t->threads));
}

static void binary_pack_rows(trial *t)
{
    binary_pack(t, "rows", true, false, prim_binary_pack_rows, prim_binary_pack_rows_host);
}

static void binary_pack_columns(trial *t)
{
    binary_pack(t, "columns", false, false, prim_binary_pack_columns,
                prim_binary_pack_columns_host);
}

static void binary_pack_transposed(trial *t)
{
    binary_pack(t, "transposed", false, true, prim_binary_pack_transposed,
                prim_binary_pack_transposed_host);
}

typedef prim_status unpack_call(prim_bits, prim_matrix, const prim_call *);
typedef prim_status unpack_host_call(prim_bits, prim_matrix, int);

static void binary_unpack(trial *t, const char *name, bool along_rows, bool is_transposed,
                          unpack_call *call, unpack_host_call *host_call)
{
    static const cudaDataType_t types[] = {CUDA_R_32F, CUDA_R_16F, CUDA_R_32I, CUDA_R_8I};
    const cudaDataType_t type = pick_type(t, types, COUNT_OF(types));
    const size_t rows = pick_size(t, 200), columns = pick_size(t, 200), ld = columns + pick(t, 5),
                 bit_rows = is_transposed ? columns : rows,
                 bit_columns = is_transposed ? rows : columns,
                 packed_rows = along_rows ? bit_rows : (bit_rows + 31) / 32,
                 words = along_rows ? (bit_columns + 31) / 32 : bit_columns,
                 packed_ld = words + pick(t, 4);
    pick_values(t, ANYTHING);
    operand *x = add_input(t, CUDA_R_32U, span(packed_rows, words, packed_ld), false),
            *y = add_output(t, type, span(rows, columns, ld));
    t->has_no_variant = true;
    begin(t, PRIM_OK, 0, true);
    describe(t, "binary_unpack_%s: type %d, %zu × %zu, ld %zu and %zu", name, type, rows, columns,
             ld, packed_ld);
    if (end(t, call(prim_bits_of((void *)x->d, bit_rows, bit_columns, packed_ld),
                    prim_matrix_of(type, y->d, rows, columns, ld), into(t->stream))))
        on_host(t, host_call(prim_bits_of((void *)x->h, bit_rows, bit_columns, packed_ld),
                             prim_matrix_of(type, y->h, rows, columns, ld), t->threads));
}

static void binary_unpack_rows(trial *t)
{
    binary_unpack(t, "rows", true, false, prim_binary_unpack_rows, prim_binary_unpack_rows_host);
}

static void binary_unpack_columns(trial *t)
{
    binary_unpack(t, "columns", false, false, prim_binary_unpack_columns,
                  prim_binary_unpack_columns_host);
}

static void binary_unpack_transposed(trial *t)
{
    binary_unpack(t, "transposed", false, true, prim_binary_unpack_transposed,
                  prim_binary_unpack_transposed_host);
}

/* A and B of a call, packed on the host, so that unused bits are 0. */
typedef struct binary_operands {
    size_t m, n, k, lda, ldb;
    operand *x, *y, *a, *b; /* in i8, and in bits */
} binary_operands;

static binary_operands add_binary(trial *t, size_t m, size_t n, size_t k)
{
    const size_t words = (k + 31) / 32;
    binary_operands o = {m, n, k, words + pick(t, 4), n + pick(t, 4), NULL, NULL, NULL, NULL};
    o.x = add_input(t, CUDA_R_8I, m * k, true);
    o.y = add_input(t, CUDA_R_8I, k * n, true);
    o.x->is_aside = o.y->is_aside = true;
    o.a = add_input(t, CUDA_R_32U, span(m, words, o.lda), false);
    o.b = add_input(t, CUDA_R_32U, span(words, n, o.ldb), false);
    on_host(t, prim_binary_pack_rows_host(prim_matrix_of(CUDA_R_8I, o.x->h, m, k, 0),
                                          prim_bits_of((void *)o.a->h, m, k, o.lda), 1));
    on_host(t, prim_binary_pack_columns_host(prim_matrix_of(CUDA_R_8I, o.y->h, k, n, 0),
                                             prim_bits_of((void *)o.b->h, k, n, o.ldb), 1));
    send(o.a);
    send(o.b);
    return o;
}

static prim_bits binary_a(const binary_operands *o, bool on_host)
{
    return prim_bits_of((void *)(on_host ? o->a->h : o->a->d), o->m, o->k, o->lda);
}

static prim_bits binary_b(const binary_operands *o, bool on_host)
{
    return prim_bits_of((void *)(on_host ? o->b->h : o->b->d), o->k, o->n, o->ldb);
}

/* Of ±1: where both are +1, one and the sum of all three is 4, otherwise 0. */
static double binary_value(const binary_operands *o, prim_binary_op op, size_t row, size_t column)
{
    const double k = (double)o->k;
    const double dot = product_of(o->x, row * o->k, 1, o->y, column, o->n, o->k);
    double sums = 0;
    for (size_t i = 0; i < o->k; i++)
        sums += before(o->x, row * o->k + i) + before(o->y, i * o->n + column);
    return op == PRIM_BINARY_DOT   ? dot
           : op == PRIM_BINARY_XOR ? (k - dot) / 2
                                   : (k + sums + dot) / 4;
}

/* prim_binary_gemm(), or of any op prim_binary_count(). */
static void binary_values(trial *t, bool is_count)
{
    PICK_VARIANT(t, binary_gemm);
    const prim_binary_op op = is_count ? (prim_binary_op)pick(t, 3) : PRIM_BINARY_DOT;
    const cudaDataType_t type = pick(t, 2) == 0 ? CUDA_R_32I : CUDA_R_32F;
    const size_t m = pick_size(t, 70), n = pick_size(t, 70), k = pick_size(t, 700),
                 ldc = n + pick(t, 4);
    const prim_bits a = prim_bits_of(NULL, m, k, 0), b = prim_bits_of(NULL, k, n, 0);
    const prim_matrix c = prim_matrix_of(type, NULL, m, n, 0);
    size_t bytes = 0;
    const prim_status asked =
        asked_bytes(is_count ? prim_binary_count(t->variant, op, a, b, c, asking())
                             : prim_binary_gemm(t->variant, a, b, c, asking()),
                    &bytes);
    const binary_operands o = add_binary(t, m, n, k);
    operand *z = add_output(t, type, span(m, n, ldc));
    begin(t, asked, bytes, true);
    describe(t, "binary_%s: variant %d, op %d, type %d, %zu × %zu × %zu, ld %zu %zu %zu",
             is_count ? "count" : "gemm", t->variant, op, type, m, n, k, o.lda, o.ldb, ldc);
    const prim_matrix on_device = prim_matrix_of(type, z->d, m, n, ldc),
                      on_the_host = prim_matrix_of(type, z->h, m, n, ldc);
    const prim_call *call = with(t->stream, t->workspace, t->workspace_bytes);
    if (!end(t, is_count ? prim_binary_count(t->variant, op, binary_a(&o, false),
                                             binary_b(&o, false), on_device, call)
                         : prim_binary_gemm(t->variant, binary_a(&o, false), binary_b(&o, false),
                                            on_device, call)))
        return;
    on_host(t, is_count ? prim_binary_count_host(op, binary_a(&o, true), binary_b(&o, true),
                                                 on_the_host, t->threads)
                        : prim_binary_gemm_host(binary_a(&o, true), binary_b(&o, true), on_the_host,
                                                t->threads));
    const size_t row = pick(t, m + 1), column = pick(t, n + 1);
    if (row < m && column < n)
        expect(t, z, row * ldc + column, binary_value(&o, op, row, column));
}

static void binary_gemm(trial *t)
{
    binary_values(t, false);
}

static void binary_count(trial *t)
{
    binary_values(t, true);
}

static void binary_layer(trial *t)
{
    PICK_VARIANT(t, binary_gemm);
    const prim_binary_op op = (prim_binary_op)pick(t, 3);
    const size_t m = pick_size(t, 70), n = pick_size(t, 150), k = pick_size(t, 700),
                 words = (n + 31) / 32, ld = words + pick(t, 4);
    size_t bytes = 0;
    const prim_status asked = asked_bytes(
        prim_binary_layer(t->variant, op, prim_bits_of(NULL, m, k, 0), prim_bits_of(NULL, k, n, 0),
                          NULL, prim_bits_of(NULL, m, n, 0), asking()),
        &bytes);
    const binary_operands o = add_binary(t, m, n, k);
    operand *thresholds = add_numbers(t, CUDA_R_32I, n, k / 2 + 1),
            *z = add_output(t, CUDA_R_32U, span(m, words, ld));
    begin(t, asked, bytes, true);
    describe(t, "binary_layer: variant %d, op %d, %zu × %zu × %zu, ld %zu %zu %zu", t->variant, op,
             m, n, k, o.lda, o.ldb, ld);
    if (end(t, prim_binary_layer(t->variant, op, binary_a(&o, false), binary_b(&o, false),
                                 (const int32_t *)(void *)thresholds->d,
                                 prim_bits_of((void *)z->d, m, n, ld),
                                 with(t->stream, t->workspace, t->workspace_bytes))))
        on_host(t, prim_binary_layer_host(op, binary_a(&o, true), binary_b(&o, true),
                                          (const int32_t *)(void *)thresholds->h,
                                          prim_bits_of((void *)z->h, m, n, ld), t->threads));
}

const stress_call dense_calls[] = {
    {"gemm", gemm},
    {"gemm_batched", gemm_batched},
    {"gemm_pointers", gemm_pointers},
    {"gemv", gemv},
    {"gemv_batched", gemv_batched},
    {"binary_pack_rows", binary_pack_rows},
    {"binary_pack_columns", binary_pack_columns},
    {"binary_pack_transposed", binary_pack_transposed},
    {"binary_unpack_rows", binary_unpack_rows},
    {"binary_unpack_columns", binary_unpack_columns},
    {"binary_unpack_transposed", binary_unpack_transposed},
    {"binary_gemm", binary_gemm},
    {"binary_count", binary_count},
    {"binary_layer", binary_layer},
    {NULL, NULL},
};
