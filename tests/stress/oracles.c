#include "oracles.h"

#include <string.h>

type_pair pick_pair(trial *t)
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

bool needs_signs(const trial *t, prim_op op, cudaDataType_t type)
{
    return t->values == WHOLE_NUMBERS && op == PRIM_OP_PRODUCT && is_float(type);
}

double before(const operand *x, size_t i)
{
    return number_at(x->type, x->before, i);
}

bool is_known(const combination *c, size_t count)
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

double combine(prim_op op, double a, double b)
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

double combined(const combination *c, const operand *x, size_t first, size_t count, size_t apart)
{
    double so_far = count > 0 ? transformed(c, before(x, first)) : 0;
    for (size_t i = 1; i < count; i++)
        so_far = combine(c->op, so_far, transformed(c, before(x, first + i * apart)));
    return so_far;
}

double product_of(const operand *x, size_t x_first, size_t x_apart, const operand *y,
                  size_t y_first, size_t y_apart, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += before(x, x_first + i * x_apart) * before(y, y_first + i * y_apart);
    return sum;
}

void expect_scaled(trial *t, const operand *z, size_t i, double alpha, double sum, double beta)
{
    expect(t, z, i, alpha * sum + (beta != 0 ? beta * before(z, i) : 0));
}

matrix pick_matrix(trial *t)
{
    matrix m = {.rows = pick_size(t, 300)};
    m.columns = pick_size(t, m.rows > 30 ? 300 : 5000);
    m.ld = m.columns + pick(t, 6);
    return m;
}

double pick_scalar(trial *t)
{
    return (double)pick(t, 4) - 1;
}
