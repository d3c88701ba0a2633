/* Elements of any float type, read as doubles. */
#include <math.h>
#include <stdint.h>

#include "bench.h"

/* The value of a 16-bit float whose exponent has so many bits. */
static double from_16_bits(uint16_t bits, int exponent_bits)
{
    const int fraction_bits = 15 - exponent_bits, bias = (1 << (exponent_bits - 1)) - 1;
    const int exponent = bits >> fraction_bits & ((1 << exponent_bits) - 1);
    const int fraction = bits & ((1 << fraction_bits) - 1);
    double value;
    if (exponent == (1 << exponent_bits) - 1)
        value = fraction == 0 ? INFINITY : NAN;
    else if (exponent == 0)
        value = ldexp(fraction, 1 - bias - fraction_bits);
    else
        value = ldexp(fraction + (1 << fraction_bits), exponent - bias - fraction_bits);
    return bits >> 15 != 0 ? -value : value;
}

double real_at(cudaDataType_t type, const void *values, size_t i)
{
    switch (type) {
    case CUDA_R_16F:
        return from_16_bits(((const uint16_t *)values)[i], 5);
    case CUDA_R_16BF:
        return from_16_bits(((const uint16_t *)values)[i], 8);
    case CUDA_R_32F:
        return ((const float *)values)[i];
    default:
        return ((const double *)values)[i];
    }
}

bool is_real(cudaDataType_t type)
{
    return type == CUDA_R_16F || type == CUDA_R_16BF || type == CUDA_R_32F || type == CUDA_R_64F;
}
