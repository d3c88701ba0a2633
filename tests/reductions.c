/* The oracle of reductions, and their inputs. */
#include "reductions.h"

#include <math.h>

const char *const op_names[OPS] = {"sum", "min", "max", "product", "and", "or", "xor"};
const char *const transform_names[TRANSFORMS] = {"none", "square", "abs"};

bool has_op(cudaDataType_t type, prim_op op)
{
    return op < PRIM_OP_AND || !type_is_float(type);
}

/* ---- the oracle ---- */

/* The type that floats are combined in. */
cudaDataType_t working_type(cudaDataType_t out)
{
    return out == CUDA_R_16F || out == CUDA_R_16BF ? CUDA_R_32F : out;
}

uint64_t transform_integer(prim_transform transform, cudaDataType_t type, uint64_t value)
{
    value = wrap_integer(type, value);
    if (transform == PRIM_TRANSFORM_SQUARE)
        value *= value;
    else if (transform == PRIM_TRANSFORM_ABS && type_is_signed(type) && (int64_t)value < 0)
        value = 0 - value;
    return wrap_integer(type, value);
}

bool integer_less(cudaDataType_t type, uint64_t a, uint64_t b)
{
    return type_is_signed(type) ? (int64_t)a < (int64_t)b : a < b;
}

uint64_t empty_integer(prim_op op, cudaDataType_t type)
{
    const uint64_t least =
        type_is_signed(type) ? wrap_integer(type, (uint64_t)1 << (8 * type_bytes(type) - 1)) : 0;
    switch (op) {
    case PRIM_OP_MIN:
        return wrap_integer(type, ~least);
    case PRIM_OP_MAX:
        return least;
    case PRIM_OP_PRODUCT:
        return 1;
    case PRIM_OP_AND:
        return wrap_integer(type, UINT64_MAX);
    default:
        return 0;
    }
}

static uint64_t combine_integers(prim_op op, cudaDataType_t type, uint64_t a, uint64_t b)
{
    switch (op) {
    case PRIM_OP_SUM:
        return wrap_integer(type, a + b);
    case PRIM_OP_PRODUCT:
        return wrap_integer(type, a * b);
    case PRIM_OP_MIN:
        return integer_less(type, b, a) ? b : a;
    case PRIM_OP_MAX:
        return integer_less(type, a, b) ? b : a;
    case PRIM_OP_AND:
        return a & b;
    case PRIM_OP_OR:
        return a | b;
    default:
        return wrap_integer(type, a ^ b);
    }
}

double transform_float(prim_transform transform, cudaDataType_t out, double value)
{
    if (transform == PRIM_TRANSFORM_SQUARE)
        return round_to_type(working_type(out), (long double)value * value);
    return transform == PRIM_TRANSFORM_ABS ? fabs(value) : value;
}

bool float_less(double a, double b)
{
    return a < b || (a == b && signbit(a) && !signbit(b));
}

void add_to(float_sums *s, double v)
{
    s->sum += v;
    s->product *= v;
    s->magnitude += fabs(v);
    s->nan = s->nan || isnan(v);
    s->whole = s->whole && v == floor(v);
    s->least = float_less(v, s->least) ? v : s->least;
    s->greatest = float_less(s->greatest, v) ? v : s->greatest;
}

const float_sums no_floats = {
    .product = 1, .least = INFINITY, .greatest = -INFINITY, .whole = true};

/* Sums: the longest chain of additions that an element goes through is 64 elements and the height
 * of the trees above. Products of the inputs here are exact. */
expected judge_floats(const float_sums *s, prim_op op, cudaDataType_t out, size_t count)
{
    const double u = unit_roundoff(working_type(out)), height = log2((double)count + 1) + 66;
    const bool exact = s->whole && s->magnitude * u <= 1;
    const double bound = exact ? 0 : height * u / (1 - height * u) * s->magnitude;
    long double value = s->sum;
    if (op != PRIM_OP_SUM)
        value = op == PRIM_OP_MIN ? s->least : op == PRIM_OP_MAX ? s->greatest : s->product;
    const bool wide = op == PRIM_OP_SUM && !isinf(value);
    return (expected){.low = round_to_type(out, wide ? value - bound : value),
                      .high = round_to_type(out, wide ? value + bound : value),
                      .nan = s->nan || isnan(value)};
}

expected expect(prim_op op, prim_transform transform, type_pair types, const void *h_in,
                size_t count, size_t stride)
{
    uint64_t integer = empty_integer(op, types.out);
    float_sums floats = no_floats;
    for (size_t i = 0; i < count; i++)
        if (type_is_float(types.in))
            add_to(&floats,
                   transform_float(transform, types.out, read_float(types.in, h_in, i * stride)));
        else
            integer = combine_integers(
                op, types.out, integer,
                transform_integer(transform, types.out, read_integer(types.in, h_in, i * stride)));
    return type_is_float(types.in) ? judge_floats(&floats, op, types.out, count)
                                   : (expected){.integer = integer};
}

bool right(const expected *e, type_pair types, const void *result)
{
    if (!type_is_float(types.out))
        return read_integer(types.out, result, 0) == e->integer;
    const double value = read_float(types.out, result, 0);
    if (e->nan)
        return isnan(value);
    const bool zeros_agree = e->low != 0 || e->high != 0 || signbit(value) == signbit(e->low);
    return e->low <= value && value <= e->high && zeros_agree;
}

/* ---- inputs ---- */

/* In a product no element may hide the others: odd integers, and powers of two that keep it within
 * range. In AND and OR as well: elements near the identity. */
static void suit_to(prim_op op, cudaDataType_t type, void *h_in, size_t count)
{
    const size_t rare = count / 256 + 2;
    for (size_t i = 0; i < count; i++) {
        const uint64_t bits = random_bits(i * 3 + count);
        if (type_is_float(type)) {
            const double magnitude = bits % rare != 0 ? 1 : bits & 0x10000 ? 2 : 0.5;
            write_float(type, h_in, i, bits & 0x20000 ? -magnitude : magnitude);
        } else if (op == PRIM_OP_PRODUCT) {
            write_integer(type, h_in, i, read_integer(type, h_in, i) | 1);
        } else {
            const uint64_t bit = bits % rare == 0 ? (uint64_t)1 << (bits >> 32) % 64 : 0;
            write_integer(type, h_in, i, op == PRIM_OP_AND ? ~bit : bit);
        }
    }
}

void fill_for(prim_op op, cudaDataType_t type, void *h_in, size_t count, distribution d,
              uint64_t seed)
{
    fill(type, h_in, count, d, seed);
    if (op == PRIM_OP_PRODUCT || op == PRIM_OP_AND || op == PRIM_OP_OR)
        suit_to(op, type, h_in, count);
}
