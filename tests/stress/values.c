#include "values.h"

#include <stdlib.h>
#include <string.h>

uint64_t random_bits(uint64_t i) /* splitmix64 */
{
    uint64_t x = (i + 1) * 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* ---- types ---- */

const cudaDataType_t all_types[12] = {
    CUDA_R_32F, CUDA_R_32I, CUDA_R_64F, CUDA_R_8U,  CUDA_R_8I,  CUDA_R_16I,
    CUDA_R_16U, CUDA_R_32U, CUDA_R_64I, CUDA_R_64U, CUDA_R_16F, CUDA_R_16BF,
};

size_t bytes_of(cudaDataType_t type)
{
    switch (type) {
    case CUDA_R_8I:
    case CUDA_R_8U:
        return 1;
    case CUDA_R_16I:
    case CUDA_R_16U:
    case CUDA_R_16F:
    case CUDA_R_16BF:
        return 2;
    case CUDA_R_64I:
    case CUDA_R_64U:
    case CUDA_R_64F:
        return 8;
    default:
        return type == SIXTEEN_BYTES ? 16 : 4;
    }
}

bool is_float(cudaDataType_t type)
{
    return type == CUDA_R_16F || type == CUDA_R_16BF || type == CUDA_R_32F || type == CUDA_R_64F;
}

bool is_half(cudaDataType_t type)
{
    return is_float(type) && bytes_of(type) == 2;
}

bool is_unsigned(cudaDataType_t type)
{
    return type == CUDA_R_8U || type == CUDA_R_16U || type == CUDA_R_32U || type == CUDA_R_64U;
}

cudaDataType_t type_of_bytes(size_t bytes)
{
    return bytes == 16  ? SIXTEEN_BYTES
           : bytes == 8 ? CUDA_R_64U
           : bytes == 4 ? CUDA_R_32U
           : bytes == 2 ? CUDA_R_16U
                        : CUDA_R_8U;
}

double number_at(cudaDataType_t type, const char *h, size_t i)
{
    const size_t bytes = bytes_of(type), unused = 64 - 8 * bytes;
    float real;
    double wide;
    uint64_t bits = 0;
    memcpy(&bits, h + i * bytes, bytes);
    memcpy(&real, &bits, sizeof real);
    memcpy(&wide, &bits, sizeof wide);
    if (is_float(type))
        return type == CUDA_R_32F ? (double)real : wide;
    return is_unsigned(type) ? (double)bits : (double)((int64_t)(bits << unused) >> unused);
}

/* ---- what operands hold ---- */

/* A whole number of at most four bits in 16 bits, whose exponent has so many and begins there. */
static uint16_t half_of(int number, int fraction_bits, int bias)
{
    int magnitude = abs(number), exponent = 0;
    if (magnitude == 0)
        return 0;
    while (magnitude >> (exponent + 1) > 0)
        exponent++;
    const int fraction = (magnitude << (fraction_bits - exponent)) - (1 << fraction_bits);
    return (uint16_t)((number < 0 ? 0x8000 : 0) + ((exponent + bias) << fraction_bits) + fraction);
}

void write_number(char *to, cudaDataType_t type, int number)
{
    const double wide = number;
    const float real = (float)number;
    const uint16_t half = type == CUDA_R_16F ? half_of(number, 10, 15) : half_of(number, 7, 127);
    const int64_t integer = number;
    const void *const from = type == CUDA_R_64F   ? (const void *)&wide
                             : type == CUDA_R_32F ? (const void *)&real
                             : is_float(type)     ? (const void *)&half
                                                  : (const void *)&integer;
    memcpy(to, from, bytes_of(type));
}

/* The fields of a float's bits. */
typedef struct float_format {
    int fraction_bits, exponent_bits, bias, spread; /* of exponents: so far from 1 */
} float_format;

static float_format format_of(cudaDataType_t type)
{
    return type == CUDA_R_16F    ? (float_format){10, 5, 15, 3}
           : type == CUDA_R_16BF ? (float_format){7, 8, 127, 12}
           : type == CUDA_R_32F  ? (float_format){23, 8, 127, 12}
                                 : (float_format){52, 11, 1023, 12};
}

/* NaN with any payload, infinities, zeros, the smallest and the largest. */
static uint64_t special_bits(float_format f, uint64_t bits)
{
    const uint64_t fraction = bits & (((uint64_t)1 << f.fraction_bits) - 1),
                   full = ((uint64_t)1 << f.exponent_bits) - 1;
    switch (bits >> 61) {
    case 0:
        return full << f.fraction_bits;
    case 1:
        return full << f.fraction_bits | fraction;
    case 2:
        return (full - 1) << f.fraction_bits | fraction;
    case 3:
        return fraction;
    default:
        return 0;
    }
}

void write_bits(char *to, cudaDataType_t type, values kind, uint64_t bits)
{
    if (is_float(type)) {
        const float_format f = format_of(type);
        const uint64_t sign = bits >> 63 << (f.fraction_bits + f.exponent_bits),
                       fraction = bits & (((uint64_t)1 << f.fraction_bits) - 1),
                       turned = random_bits(bits),
                       exponent =
                           (uint64_t)(f.bias - f.spread) + turned % (2 * (uint64_t)f.spread + 1);
        bits =
            sign | (kind == ANYTHING && turned >> 59 == 0 ? special_bits(f, random_bits(turned))
                                                          : exponent << f.fraction_bits | fraction);
    }
    for (size_t at = 0; at < bytes_of(type); at += sizeof bits)
        memcpy(to + at, &bits, bytes_of(type) < sizeof bits ? bytes_of(type) : sizeof bits);
}

/* Nothing but the sign, which is the last bit, is set. */
bool is_zero(const char *element, size_t bytes)
{
    for (size_t i = 0; i + 1 < bytes; i++)
        if (element[i] != 0)
            return false;
    return (element[bytes - 1] & 0x7f) == 0;
}

bool is_nan(cudaDataType_t type, const char *element)
{
    uint64_t bits = 0;
    if (!is_float(type))
        return false;
    const float_format f = format_of(type);
    const uint64_t sign = (uint64_t)1 << (f.exponent_bits + f.fraction_bits),
                   infinity = sign - ((uint64_t)1 << f.fraction_bits);
    memcpy(&bits, element, bytes_of(type));
    return (bits & ~sign) > infinity;
}
